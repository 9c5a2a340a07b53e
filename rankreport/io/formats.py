"""Detecting the kind of a source: a file and its format, standard input, a frame, or a mapping."""

from __future__ import annotations

import glob
import gzip
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from rankreport.errors import DataError
from rankreport.frames import ALIASES, QUERY_ID
from rankreport.io.process import check_process
from rankreport.io.schema import QRELS, RUN, Layout
from rankreport.io.source import FOREIGN, GZIP, ZSTD, Contents, Source, reason_of
from rankreport.io.tables import Frame, frame_of, mapping_source, open_table, table_source
from rankreport.io.trec import text_source

__all__ = ["STDIN", "contents_of", "first_line", "kind_of", "open_source", "run_tag", "stem"]

STDIN = "-"

_LONGEST = 1 << 26
"""The most bytes of a line. Without a limit, an endless line would fill the memory."""

_PARQUET = b"PAR1"
_BOM = b"\xef\xbb\xbf"
_COMPRESSED = (".gz", ".zst")
_KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


def open_source(given: Any, layout: Layout, name: str | None = None) -> Source:
    """Open a source of any kind, without reading its rows.

    Parameters
    ----------
    given
        A path, ``"-"`` for standard input, a table of any library that supports Arrow, or
        ``{query: {document: value}}`` (of subtopics: ``{query: {document: {subtopic: value}}}``).
    layout
        The kind of rows expected.
    name
        The name in messages of a source without a path.

    Raises
    ------
    DataError
        If the file does not exist, is empty or binary, or looks like the other kind of rows.
    """
    check_process()
    if isinstance(given, str | os.PathLike):
        return _open_contents(contents_of(given), layout)
    if isinstance(given, Mapping):
        return mapping_source(name or layout.noun, layout, given)
    frame = frame_of(given)
    if frame is None:
        msg = (
            f"{name or layout.noun}: expected a path, a table or {layout.nested}, found "
            f"{type(given).__name__}."
        )
        raise DataError(msg)
    return table_source(name or layout.noun, layout, Frame(frame.lazy))


def contents_of(path: str | os.PathLike[str]) -> Contents:
    """Return the contents of a path; standard input is read immediately.

    Raises
    ------
    DataError
        If there is no such file.
    """
    file = Path(path)
    if str(path) == STDIN:
        return Contents("standard input", data=_standard_input())
    try:
        file.stat()
    except FileNotFoundError:
        pass  # reported below, with similar names
    except OSError as error:
        raise DataError(f"{os.fspath(path)} cannot be read: {error.strerror}.") from None
    except ValueError as error:  # an invalid file name
        raise DataError(f"{os.fspath(path)} cannot be read: {error}.") from None
    if file.is_dir():
        raise DataError(f"{file} is a folder; a file is expected.")
    if not file.exists():
        like = f"{glob.escape(file.stem[:4])}*"
        near = [p.name for p in file.parent.glob(like)] if file.stem else []
        hint = f" Near it: {', '.join(sorted(near)[:5])}." if near else ""
        raise DataError(f"{file} does not exist.{hint}")
    if not file.is_file():  # a pipe, such as the shell's <(command), can be read only once
        try:
            with file.open("rb") as stream:
                return Contents(str(file), data=_whole(str(file), stream))
        except OSError as error:
            raise DataError(f"{file} cannot be read: {error.strerror}.") from None
    return Contents(str(file), path=file)


def _standard_input() -> bytes:
    name = "Standard input"
    if sys.stdin is None:  # closed before Python started
        raise DataError(f"{name} is closed. Give a file, or pipe one in: rankreport ... - < FILE")
    try:
        return _whole(name, sys.stdin.buffer)
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{name} cannot be read ({error}). Give a file.") from None


def _whole(name: str, stream: BinaryIO) -> bytes:
    """Read a stream, unless it is binary or has a line without end, as /dev/zero has."""
    parts: list[bytes] = []
    compressed = False
    length = 0
    while part := stream.read(1 << 20):
        if not parts:
            compressed = part.startswith((GZIP, ZSTD, _PARQUET))
            if b"\x00" in part and not compressed:
                raise _binary(name)
        parts.append(part)
        end = part.rfind(b"\n")
        length = length + len(part) if end < 0 else len(part) - end - 1
        if length > _LONGEST and not compressed:
            raise _too_long(name)
    return b"".join(parts)


def _binary(name: str) -> DataError:
    return DataError(
        f"{name} is binary. Expected: TREC text, CSV, TSV, Parquet or JSON lines, in UTF-8, plain "
        f"or compressed by gzip or zstd."
    )


def _too_long(name: str) -> DataError:
    return DataError(
        f"{name} has a line of more than {_LONGEST >> 20} MB. Expected: one row to a line."
    )


def stem(path: str | os.PathLike[str]) -> str:
    """Return a file's name without the suffixes of format and compression.

    >>> stem("runs/bm25-k0.9.run.gz")
    'bm25-k0.9'
    """
    if path == STDIN:
        return "stdin"
    name = Path(path).name
    for suffix in _COMPRESSED:
        name = name.removesuffix(suffix)
    return Path(name).stem


def run_tag(path: str | os.PathLike[str]) -> str:
    """Return the tag in the last field of a run in TREC text.

    Raises
    ------
    DataError
        If the file is not TREC text or does not exist.
    """
    if path == STDIN:
        raise DataError("Standard input cannot be named after its tag. Name it: name=-")
    contents = contents_of(path)
    fields = _first_line(_uncompressed_head(contents)).split()
    if kind_of(contents, RUN.noun) != "text" or len(fields) != len(RUN.fields):
        raise DataError(f"{contents.name} is no TREC text, so it has no tag. Name it: name={path}")
    return fields[-1].decode("utf-8", errors="replace")


def kind_of(contents: Contents, expected: str) -> str:
    """Return ``"text"`` for TREC text, or the kind of table.

    The first bytes decide, because the suffix is ambiguous: a .tsv may have a header or be TREC
    text with tabs.

    Raises
    ------
    DataError
        If the contents are neither text nor a known format.
    """
    head = _uncompressed_head(contents)
    if head.startswith(_PARQUET):
        return "parquet"
    if not head.strip():
        raise DataError(f"{contents.name} is empty. Expected {expected}.")
    if b"\x00" in head:
        raise _binary(contents.name)
    if b"\n" not in head and not contents.compressed:
        begin = contents.head(_LONGEST + 1)
        if len(begin) > _LONGEST and b"\n" not in begin:
            raise _too_long(contents.name)
    first = _first_line(head)
    if first.startswith(b"{"):
        if head.startswith(_BOM):
            raise DataError(f"{contents.name} begins with a byte-order mark. Store it without one.")
        return "jsonl"
    for kind, separator in (("csv", ","), ("tsv", "\t")):
        names = first.decode("utf-8", errors="replace").split(separator)
        header = [name.strip('" ').casefold().replace("-", "_") for name in names]
        if len(header) > 1 and any(name in ALIASES[QUERY_ID] for name in header):
            return kind
    named = _KINDS.get(_suffix(contents), "text")
    # A table by suffix without a known header: the error will list its columns.
    return "text" if len(first.split()) in (len(RUN.fields), len(QRELS.fields)) else named


def first_line(contents: Contents) -> str:
    """Return the first line that is not blank, without white space around it."""
    return _first_line(_uncompressed_head(contents)).decode("utf-8", errors="replace")


def _open_contents(contents: Contents, layout: Layout) -> Source:
    kind = kind_of(contents, layout.noun)
    if kind != "text":
        return table_source(contents.name, layout, open_table(contents, kind), contents)
    n_fields = len(_first_line(_uncompressed_head(contents)).split())
    other = QRELS if layout is RUN else RUN
    if n_fields == len(other.fields):
        msg = (
            f"{contents.name} looks like {other.noun}: its lines have {n_fields} fields. Expected "
            f"{layout.noun}, {len(layout.fields)} fields ({' '.join(layout.fields)}). Are the two "
            f"swapped?"
        )
        raise DataError(msg)
    return text_source(contents, layout, compressed=contents.compressed)


def _uncompressed_head(contents: Contents) -> bytes:
    head = contents.head()
    if head.startswith(GZIP):
        opened = contents.open()
        try:
            with gzip.open(opened) as file:
                return bytes(file.read(1 << 16))
        except FOREIGN as error:
            raise DataError(
                f"{contents.name} is not a whole gzip file ({reason_of(error)})."
            ) from None
    if head.startswith(ZSTD):
        return _zstd_head(contents)
    return head


def _zstd_head(contents: Contents) -> bytes:
    """Return the first lines, read by Polars, since Python before 3.14 has no zstd module."""
    lines = pl.scan_csv(
        contents.open(),
        has_header=False,
        separator="\x01",
        quote_char=None,
        schema={"line": pl.String},
    )
    try:
        first = lines.head(100).collect()
    except FOREIGN as error:
        raise DataError(f"{contents.name} cannot be decompressed ({reason_of(error)}).") from None
    return "\n".join(first["line"].fill_null("")).encode()


def _first_line(head: bytes) -> bytes:
    # Bytes, because str.split would also split at Unicode spaces inside an identifier.
    lines = head.removeprefix(_BOM).split(b"\n")
    return next((line.strip() for line in lines if line.strip()), b"")


def _suffix(contents: Contents) -> str:
    if contents.path is None:
        return ""
    suffixes = [s for s in contents.path.suffixes if s not in _COMPRESSED]
    return suffixes[-1].casefold() if suffixes else ""
