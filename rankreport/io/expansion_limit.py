"""How far compressed files may expand: a small file may hold more than any memory.

A file may expand to a hundred times its size, or to 256 MiB if that is more; runs and judgments are
compressed to a tenth or so. What is stated of a size is not trusted: gzip is decompressed once
before it is read, as far as it could exceed the limit, and of zstd the blocks are counted.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from rankreport.errors import DataError, OptionError, brief

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
"""The first bytes of compressed files."""

COMPRESSED_BEGINS = (GZIP, ZSTD)

EXPANDED = "RANKREPORT_EXPANDED"
"""The environment variable with the bytes to which any file may expand, such as 8GB."""

_TIMES = 100
_ALWAYS = 1 << 28
"""A file may expand to so many times its size, and to so many bytes in any case."""

_DEFLATE = 1032
"""The most times that gzip expands anything."""

_BLOCK = 1 << 17
"""The most bytes of a block of zstd."""

_SKIPPED = range(0x184D2A50, 0x184D2A60)
"""How frames of zstd begin that hold no data."""

_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_SIZE = r"(?i)(?P<number>\d+(?:\.\d*)?)\s*(?P<unit>[KMGT]?)(?P<binary>I?)B?"


def size_of(text: str) -> int | None:
    """Return a size in bytes; None of what is none.

    >>> size_of("2GB"), size_of("1.5 GiB"), size_of("much")
    (2000000000, 1610612736, None)
    """
    found = re.fullmatch(_SIZE, text.strip())
    if found is None:
        return None
    base = 1024 if found["binary"] else 1000
    return int(float(found["number"]) * base ** _UNITS[found["unit"].upper()])


def allowed(stored: int) -> int:
    """Return the bytes to which a file of so many bytes may expand.

    Raises
    ------
    OptionError
        If the environment variable `EXPANDED` holds no size.
    """
    given = os.environ.get(EXPANDED)
    if not given:
        return max(_ALWAYS, _TIMES * stored)
    limit = size_of(given)
    if limit is None:
        raise OptionError(f"{EXPANDED}={brief(given)} is not a size; expected one such as '8GB'.")
    return limit


def check_expansion(name: str, file: BinaryIO) -> None:
    """Check that a file does not expand beyond the limit.

    Parameters
    ----------
    name
        The name in messages.
    file
        The file. What is neither gzip nor zstd, and what is damaged, passes: reading it says so.

    Raises
    ------
    DataError
        If it does.
    """
    stored = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(len(ZSTD))
    file.seek(0)
    limit = allowed(stored)
    sizes = _inflated(file, stored, limit) if head.startswith(GZIP) else _of_blocks(file)
    total = 0
    for size in sizes:
        total += size
        if total > limit:
            raise too_large(name, stored, limit)


def too_large(name: str, stored: int, limit: int) -> DataError:
    """Return the error of a file that expands beyond the limit."""
    return DataError(
        f"{name} has {_written(stored)} and expands to more than {_written(limit)}, so it may fill "
        f"the memory. If it is right, allow more by the environment variable {EXPANDED}, such as "
        f"{EXPANDED}={2 * limit // 10**9 + 1}GB."
    )


def _written(size: int) -> str:
    return f"{size / 10**6:,.0f} MB" if size >= 10**7 else f"{size:,} bytes"


def _inflated(file: BinaryIO, stored: int, limit: int) -> Iterator[int]:
    """Decompress gzip, of several members too, until the rest cannot exceed the limit."""
    member = zlib.decompressobj(31)
    total = 0
    try:
        while total + _DEFLATE * (stored - file.tell()) > limit and (part := file.read(_BLOCK)):
            while part:
                size = len(member.decompress(part, _BLOCK << 3))
                total += size
                yield size
                part = member.unconsumed_tail
                if member.eof:
                    part, member = member.unused_data, zlib.decompressobj(31)
    except zlib.error:
        return


def _of_blocks(file: BinaryIO) -> Iterator[int]:
    """Yield what the blocks of zstd expand to at most."""
    while len(head := file.read(4)) == 4:
        if int.from_bytes(head, "little") in _SKIPPED:
            file.seek(int.from_bytes(file.read(4), "little"), os.SEEK_CUR)
        elif head == ZSTD:
            yield from _of_frame(file)
        else:
            return


def _of_frame(file: BinaryIO) -> Iterator[int]:
    descriptor = int.from_bytes(file.read(1), "little")
    alone = descriptor >> 5 & 1  # the window is the content
    window = _BLOCK
    if not alone:
        exponent = int.from_bytes(file.read(1), "little")
        window = (1 << 10 + (exponent >> 3)) * (8 + (exponent & 7)) >> 3
    file.seek((0, 1, 2, 4)[descriptor & 3], os.SEEK_CUR)  # the number of a dictionary
    content = file.read((alone, 2, 4, 8)[descriptor >> 6])
    if alone:
        window = int.from_bytes(content, "little") + (256 if len(content) == 2 else 0)
    largest, last = min(window, _BLOCK), 0
    while not last and len(header := file.read(3)) == 3:
        found = int.from_bytes(header, "little")
        last, kind, size = found & 1, found >> 1 & 3, found >> 3
        yield largest if kind == 2 else size
        file.seek(1 if kind == 1 else size, os.SEEK_CUR)
    file.seek(4 if descriptor >> 2 & 1 else 0, os.SEEK_CUR)  # a checksum
