"""Checks of a Parquet file before Polars reads it.

A damaged footer may name sizes that no memory holds. Polars allocates them at once, which aborts
the process: no exception can be caught. So the footer and the headers of all pages are parsed here
first, and every size is compared with the bytes that are there.

What the footer says of the size of the values is held against the limit of `expansion`. What this
cannot see: faults within compressed values that make Polars abort. No such file is known.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, Protocol

import polars as pl

from rankreport.errors import DataError
from rankreport.io.expansion import allowed, too_large
from rankreport.io.process import check_process
from rankreport.io.source import FOREIGN, Contents, reason_of

_MAGIC = b"PAR1"
_VALUE = 8
"""The bytes of a value in memory."""

_DEEPEST = 32
_USUAL_HEADER = 512
"""Bytes in which the header of a page fits, unless its statistics hold long texts."""

_TRUTH, _WHOLE = frozenset({1, 2}), frozenset({4, 5, 6})
_TEXT, _LIST, _SET, _STRUCT = 8, 9, 10, 12
_BYTES = {1: 1, 2: 1, 3: 1, 7: 8}
"""Kinds of values in Thrift's compact protocol, and the bytes that some take in a list."""

_Asked = Mapping[int, Any]

_COLUMN: _Asked = {field: {} for field in (5, 6, 7, 9, 11)}
_FOOTER: _Asked = {2: {5: {}}, 3: {}, 4: {1: {3: _COLUMN}, 3: {}}}
_PAGE: _Asked = {1: {}, 2: {}, 3: {}, 5: {1: {}}, 8: {1: {}}}
"""The fields that are compared, and those within them, by the numbers that the format gives."""

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
            expanded = _check(data)
        except _DamageError as damage:
            raise DataError(
                f"{contents.name} is no whole Parquet file ({damage}). Is it complete?"
            ) from None
        limit = allowed(len(data))
        if expanded > limit:
            raise too_large(contents.name, len(data), limit)


def read_parquet(contents: Contents) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return the rows of a Parquet file, and its metadata.

    Raises
    ------
    DataError
        If it cannot be read, or is damaged.
    """
    check_process()
    try:
        check_parquet(contents)
        about = pl.read_parquet_metadata(contents.open())
        return pl.read_parquet(contents.open(), glob=False), about
    except FOREIGN as error:
        raise DataError(
            f"{contents.name} cannot be read as a Parquet file ({reason_of(error)})."
        ) from None


class _DamageError(Exception):
    """What is wrong with a file."""


class _Bytes(Protocol):
    """Bytes of which some are looked at."""

    def __len__(self) -> int: ...

    def __getitem__(self, some: slice, /) -> bytes: ...


class _Stored:
    """The bytes of a file, read where they are looked at.

    A mapped file would count as memory of the process, page by page.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._size = file.seek(0, os.SEEK_END)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, some: slice, /) -> bytes:
        start, stop, _ = some.indices(self._size)
        self._file.seek(start)
        return self._file.read(max(stop - start, 0))


@contextmanager
def _bytes_of(contents: Contents) -> Iterator[_Bytes]:
    """Return all bytes, of a file without reading it."""
    if contents.path is None:
        yield contents.data or b""
        return
    with contents.path.open("rb", buffering=_USUAL_HEADER) as file:
        yield _Stored(file)


def _check(data: _Bytes) -> int:
    """Check the sizes, and return the bytes that the values take in memory."""
    size = len(data)
    if size < 12 or data[:4] != _MAGIC or data[-4:] != _MAGIC:
        raise _DamageError("it must begin and end with PAR1")
    length = int.from_bytes(data[-8:-4], "little")
    end = size - 8 - length
    if end < len(_MAGIC):
        raise _DamageError(f"its footer has {length:,} bytes, the file {size:,}")
    footer = _footer(data[end : size - 8])
    n_rows = _whole(footer, 3, "the number of rows")
    groups = _listed(footer, 4)
    _check_schema(_listed(footer, 2))
    if n_rows != sum(_whole(group, 3, "the number of rows") for group in groups):
        raise _DamageError(f"it names {n_rows:,} rows, its row groups another number")
    chunks = [chunk for group in groups for chunk in _listed(group, 1)]
    return sum(_check_chunk(data, end, chunk) for chunk in chunks)


def _footer(data: bytes) -> dict[int, Any]:
    try:
        return _struct(data, 0, _FOOTER)[0]
    except IndexError:
        raise _DamageError("its metadata end too early") from None


def _page(data: _Bytes, at: int, stop: int) -> tuple[dict[int, Any], int]:
    """Return the header of a page, and where its values begin."""
    for size in (_USUAL_HEADER, stop - at):
        try:
            page, length = _struct(data[at : min(at + size, stop)], 0, _PAGE)
        except IndexError:  # statistics may hold long texts
            continue
        return page, at + length
    raise _DamageError("the header of a page ends too early")


def _check_schema(elements: list[Any]) -> None:
    """Check that nested columns have no more members than there are columns."""
    children = sum(_whole(each, 5, "the number of columns", 0) for each in elements)
    if children != len(elements) - 1:
        raise _DamageError(f"it has {len(elements) - 1} columns and names {children}")


def _check_chunk(data: _Bytes, end: int, chunk: Any) -> int:
    """Check that the pages of a column are in the file, and hold as many values as it says.

    Returns
    -------
    int
        The bytes that the values take, at least: equal ones may be stored once.
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
    found = 0
    at = begin
    while at < stop and found < n_values:
        page, at = _page(data, at, stop)
        at += _whole(page, 3, "the size of a page")
        if at > stop or _whole(page, 2, "the size of a page") > largest:
            raise _DamageError("a page is larger than its column")
        field = _DATA_PAGES.get(page.get(1, -1))
        if field is not None:
            found += _whole(page.get(field), 1, "the number of values")
    if found != n_values:
        raise _DamageError(f"a column names {n_values:,} values, its pages {found:,}")
    return max(largest, n_values * _VALUE)


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


# Metadata are written in Thrift's compact protocol. Files of many pages have megabytes of it, so
# the reader below keeps what is asked for and steps over the rest.


def _struct(data: bytes, at: int, asked: _Asked, depth: int = 0) -> tuple[dict[int, Any], int]:
    """Return the fields asked for by their number, and where the structure ends.

    Raises
    ------
    IndexError
        If it goes on behind the data.
    """
    fields: dict[int, Any] = {}
    number = 0
    while True:
        head = data[at]
        at += 1
        if head == 0:
            return fields, at
        if head > 15:
            number += head >> 4
        else:
            number, at = _zigzag(data, at)
        kind = head & 15
        if number not in asked:
            at = at if kind in _TRUTH else _behind(data, at, kind, depth + 1)
        elif kind in _WHOLE:
            fields[number], at = _zigzag(data, at)
        elif kind == _STRUCT and asked[number]:
            fields[number], at = _struct(data, at, asked[number], depth + 1)
        elif kind == _LIST and asked[number]:
            fields[number], at = _structs(data, at, asked[number], depth + 1)
        else:
            raise _DamageError(f"field {number} is of kind {kind}")


def _structs(data: bytes, at: int, asked: _Asked, depth: int) -> tuple[list[Any], int]:
    """Return the members of a list of structures."""
    size, kind, at = _list_head(data, at)
    if kind != _STRUCT:
        raise _DamageError(f"a list of kind {kind}")
    members = []
    for _ in range(size):
        member, at = _struct(data, at, asked, depth + 1)
        members.append(member)
    return members, at


def _behind(data: bytes, at: int, kind: int, depth: int) -> int:
    """Return where a value ends that nobody asks for."""
    if kind in _WHOLE:
        while data[at] > 127:
            at += 1
        return at + 1
    if kind == _TEXT:
        size, at = _varint(data, at)
        return at + size
    if kind in {_STRUCT, _LIST, _SET}:
        return _behind_members(data, at, kind, depth)
    if kind in _BYTES:
        return at + _BYTES[kind]
    raise _DamageError(f"a value of kind {kind}, which is not known")


def _behind_members(data: bytes, at: int, kind: int, depth: int) -> int:
    """Return where a structure, a list or a set ends."""
    if depth > _DEEPEST:
        raise _DamageError("its values are nested too deeply")
    if kind != _STRUCT:
        size, kind, at = _list_head(data, at)
        for _ in range(size):
            at = _behind(data, at, kind, depth + 1)
        return at
    while head := data[at]:
        at += 1
        if head < 16:  # its number is written out
            _, at = _varint(data, at)
        if head & 15 not in _TRUTH:
            at = _behind(data, at, head & 15, depth + 1)
    return at + 1


def _list_head(data: bytes, at: int) -> tuple[int, int, int]:
    """Return the number of members, their kind, and where the first begins."""
    head = data[at]
    at += 1
    size, kind = head >> 4, head & 15
    if size == 15:
        size, at = _varint(data, at)
    if size > len(data) - at:  # a member has a byte at least
        raise _DamageError(f"a list of {size:,} members")
    return size, kind, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    found = data[at]
    if found < 128:
        return found, at + 1
    found &= 127
    for shift in range(7, 70, 7):
        at += 1
        byte = data[at]
        found |= (byte & 127) << shift
        if byte < 128:
            return found, at + 1
    raise _DamageError("a number has too many digits")


def _zigzag(data: bytes, at: int) -> tuple[int, int]:
    found, at = _varint(data, at)
    return (found >> 1) ^ -(found & 1), at
