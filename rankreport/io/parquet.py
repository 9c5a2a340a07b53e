"""Checks of a Parquet file before Polars reads it.

A damaged footer may name sizes that no memory holds. Polars allocates them at once, which aborts
the process: no exception can be caught. So the footer and the headers of all pages are parsed here
first, and every size is compared with the bytes that are there.

What this cannot see: a page that expands beyond the memory, or faults within compressed values that
make Polars abort. No such file is known. Footers above `_LARGEST_FOOTER` are checked for their
length alone, and pages after the first `_MOST_PAGES` not at all, because parsing them would take
longer than reading the file.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from rankreport.errors import DataError
from rankreport.io.process import check_process
from rankreport.io.source import FOREIGN, Contents, reason_of

__all__ = ["check_parquet", "read_parquet"]

_MAGIC = b"PAR1"
_LARGEST_FOOTER = 4_000_000
_DEEPEST = 32
_MOST_PAGES = 20_000

_DATA_PAGES = {0: 5, 3: 8}
"""The field of a page header that holds the header of its values, by the type of the page."""


def check_parquet(contents: Contents) -> None:
    """Check that the sizes in a Parquet file fit the file.

    Raises
    ------
    DataError
        If the file is cut, or its footer is damaged.
    """
    with _bytes_of(contents) as data:
        try:
            _check(data)
        except _DamageError as damage:
            raise DataError(
                f"{contents.name} is no whole Parquet file ({damage}). Is it complete?"
            ) from None


def read_parquet(path: Path) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return the rows of a Parquet file, and its metadata.

    Raises
    ------
    DataError
        If it cannot be read, or is damaged.
    """
    check_process()
    contents = Contents(str(path), path=path)
    try:
        check_parquet(contents)
        return pl.read_parquet(path, glob=False), pl.read_parquet_metadata(path)
    except FOREIGN as error:
        raise DataError(f"{path} cannot be read as a Parquet file ({reason_of(error)}).") from None


class _DamageError(Exception):
    """What is wrong with a file."""


@contextmanager
def _bytes_of(contents: Contents) -> Iterator[bytes | mmap.mmap]:
    """Return all bytes; a file is not read, but mapped."""
    if contents.path is None:
        yield contents.data or b""
        return
    with contents.path.open("rb") as file:
        try:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:  # an empty file
            yield b""
            return
        with mapped:
            yield mapped


def _check(data: bytes | mmap.mmap) -> None:
    size = len(data)
    if size < 12 or data[:4] != _MAGIC or data[-4:] != _MAGIC:
        raise _DamageError("it must begin and end with PAR1")
    length = int.from_bytes(data[-8:-4], "little")
    end = size - 8 - length
    if end < len(_MAGIC):
        raise _DamageError(f"its footer has {length:,} bytes, the file {size:,}")
    if length > _LARGEST_FOOTER:
        return
    footer = _Compact(data, end, size - 8).struct()
    n_rows = _whole(footer, 3, "the number of rows")
    groups = _listed(footer, 4)
    _check_schema(_listed(footer, 2))
    if n_rows != sum(_whole(group, 3, "the number of rows") for group in groups):
        raise _DamageError(f"it names {n_rows:,} rows, its row groups another number")
    n_pages = 0
    for group in groups:
        for chunk in _listed(group, 1):
            if n_pages < _MOST_PAGES:
                n_pages += _check_chunk(data, end, chunk)


def _check_schema(elements: list[Any]) -> None:
    """Check that nested columns have no more members than there are columns."""
    children = sum(_whole(each, 5, "the number of columns", 0) for each in elements)
    if children != len(elements) - 1:
        raise _DamageError(f"it has {len(elements) - 1} columns and names {children}")


def _check_chunk(data: bytes | mmap.mmap, end: int, chunk: Any) -> int:
    """Check that the pages of a column are in the file, and hold as many values as it says.

    Returns
    -------
    int
        The number of pages.
    """
    held = chunk.get(3) if isinstance(chunk, dict) else None
    n_values = _whole(held, 5, "the number of values")
    if n_values == 0:  # there need be no pages
        return 0
    first = _whole(held, 9, "the place of a column")
    # Polars writes 0, and other writers nothing, where there is no dictionary.
    dictionary = _whole(held, 11, "the place of a dictionary", 0)
    begin = min(first, dictionary) if dictionary else first
    stop = begin + _whole(held, 7, "the size of a column")
    if begin < len(_MAGIC) or stop > end:
        raise _DamageError(f"a column lies at bytes {begin:,} to {stop:,} of {end:,}")
    largest = _whole(held, 6, "the size of a column")
    found = n_pages = 0
    at = begin
    while at < stop and found < n_values:
        header = _Compact(data, at, stop)
        page = header.struct()
        n_pages += 1
        at = header.at + _whole(page, 3, "the size of a page")
        if at > stop or _whole(page, 2, "the size of a page") > largest:
            raise _DamageError("a page is larger than its column")
        field = _DATA_PAGES.get(page.get(1, -1))
        if field is not None:
            found += _whole(page.get(field), 1, "the number of values")
    if found != n_values:
        raise _DamageError(f"a column names {n_values:,} values, its pages {found:,}")
    return n_pages


def _whole(held: object, field: int, what: str, default: int | None = None) -> int:
    """Return a field that holds a size or a place."""
    found = held.get(field, default) if isinstance(held, dict) else None
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise _DamageError(f"{what} is {'missing' if found is None else found}")
    return found


def _listed(held: object, field: int) -> list[Any]:
    found = held.get(field) if isinstance(held, dict) else None
    if not isinstance(found, list):
        raise _DamageError("a list is missing")
    return found


class _Compact:
    """A reader of Thrift's compact protocol, in which the metadata of Parquet are written."""

    def __init__(self, data: bytes | mmap.mmap, at: int, end: int) -> None:
        self.data, self.at, self.end = data, at, end

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Return the fields of a structure by their number."""
        if depth > _DEEPEST:
            raise _DamageError("its values are nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while True:
            head = self._byte()
            if head == 0:
                return fields
            step, kind = head >> 4, head & 15
            number = number + step if step else self._zigzag()
            # A truth value is in its head.
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth + 1)

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._zigzag()
        if kind == 7:
            self._skip(8)
            return None
        if kind == 8:
            return self._skip(self._varint())
        if kind in (9, 10):
            return self._list(depth)
        if kind == 12:
            return self.struct(depth)
        raise _DamageError(f"a value of kind {kind}, which is not known")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        size = self._varint() if size == 15 else size
        if depth > _DEEPEST or size > self.end - self.at:  # a member has a byte at least
            raise _DamageError(f"a list of {size:,} members")
        return [self._value(kind, depth + 1) for _ in range(size)]

    def _byte(self) -> int:
        if self.at >= self.end:
            raise _DamageError("its metadata end too early")
        self.at += 1
        return self.data[self.at - 1]

    def _varint(self) -> int:
        found = shift = 0
        while shift < 70:
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7
        raise _DamageError("a number has too many digits")

    def _zigzag(self) -> int:
        found = self._varint()
        return (found >> 1) ^ -(found & 1)

    def _skip(self, size: int) -> None:
        if size > self.end - self.at:
            raise _DamageError(f"a text of {size:,} bytes")
        self.at += size
