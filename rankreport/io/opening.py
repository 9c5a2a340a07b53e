"""Opening a source of any kind: a file, standard input, a frame, or a Python object."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from rankreport.errors import DataError, OptionError
from rankreport.io.expansion_limit import COMPRESSED_BEGINS
from rankreport.io.forked_process import check_process
from rankreport.io.formats import (
    LONGEST,
    SourceBegin,
    SourceFormat,
    binary,
    export_of,
    format_of,
    too_long,
)
from rankreport.io.formats.beir import Collection, is_beir
from rankreport.io.formats.headerless import headerless
from rankreport.io.json_document import held_value, written
from rankreport.io.kept_inputs import STANDARD_INPUT, note_file
from rankreport.io.objects import object_source
from rankreport.io.roles import RUN, Role
from rankreport.io.source import (
    FOREIGN,
    Contents,
    Remark,
    Selection,
    Source,
    SystemResults,
    is_file,
    is_folder,
)
from rankreport.io.storage import (
    fetched,
    files_of,
    is_partitioned,
    is_url,
    joined,
    local_file,
    scanned,
)
from rankreport.io.system_column import sole_system
from rankreport.io.tables import Frame, line_of, rows_of_table, table_source
from rankreport.shown_addresses import shown_address, without_secrets

STDIN = "-"

_MOST_STREAMED = 1 << 32
"""The most bytes read from standard input or a pipe, which are kept in memory."""


def open_source(
    given: Any,
    role: Role,
    name: str | None = None,
    columns: str | Iterable[str] | None = None,
) -> Source:
    """Open a source of any kind, without reading its rows.

    Parameters
    ----------
    given
        A path, an address, a pattern or a folder, ``"-"`` for standard input, a table of any
        library that supports Arrow, a part of a file, ``{query: {document: value}}`` (of
        subtopics: ``{query: {document: {subtopic: value}}}``), or anything that `object_rows`
        accepts.
    role
        What the source is used as.
    name
        The name in messages of a source without a path.
    columns
        The names of the columns of a file without a header.

    Raises
    ------
    DataError
        If the file does not exist, is empty or binary, or looks like the other kind of rows.
    """
    check_process()
    if isinstance(given, RunNamedByColumn):
        return given.open(role, columns)
    if isinstance(given, Selection):
        return given.open(role)
    if isinstance(given, str | os.PathLike):
        return _open_path(given, role, columns)
    if columns is not None:
        raise OptionError(
            f"columns names those of a file without a header; found {type(given).__name__}."
        )
    name = name or role.noun
    if holds_export(given):
        return _open_contents(written(name, given), role)
    frame = rows_of_table(name, role, given)
    if frame is None:
        return object_source(name, role, given)
    height = frame.height if isinstance(frame, pl.DataFrame) else None
    return table_source(name, role, Frame(frame.lazy, height, line=line_of(given)))


def _open_path(
    path: str | os.PathLike[str], role: Role, columns: str | Iterable[str] | None
) -> Source:
    """Open a file, an address, a pattern of names, or a folder."""
    if is_url(path):
        return scanned(path, role) or _open_contents(contents_of(path), role, columns)
    if is_beir(Path(path)):
        return Collection(Path(path)).open(role)
    if is_partitioned(path) and (found := scanned(path, role)) is not None:
        return found
    files = files_of(path)
    if files is None:
        return _open_contents(contents_of(path), role, columns)
    if role is RUN and (systems := list(files_by_system(path))):
        raise DataError(
            f"{path}: the files name {len(systems)} systems, such as {', '.join(systems[:2])}. "
            f"Give the pattern by itself for a run of each, or one file: {{'mine': path}}."
        )
    parts = [_open_contents(contents_of(file), role, columns) for file in files]
    return joined(os.fspath(path), parts)


def files_named(given: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the files that an argument names: by a path, ``name=path``, a pattern or a folder.

    A folder of Parquet is yielded itself: all that is in it is read.
    """
    text = os.fspath(given)
    for path in filter(None, dict.fromkeys([text, text.partition("=")[2]])):
        folder = Path(path)
        if path == STDIN:
            yield STANDARD_INPUT
        elif is_file(path):
            yield folder
        elif is_folder(folder) and is_beir(folder):
            yield from (*folder.glob("*.jsonl*"), *folder.glob("*qrels/*.tsv"))
        elif is_folder(folder) and is_partitioned(folder):
            yield folder
        elif is_folder(folder):
            yield from filter(is_file, folder.rglob("*"))
        else:
            pattern = re.sub(r"\{(dataset|system)\}", "*", path)
            yield from files_of(pattern) or filter(None, [local_file(path)])


def contents_of(path: str | os.PathLike[str]) -> Contents:
    """Return the contents of a path; standard input and addresses are read immediately.

    Raises
    ------
    DataError
        If there is no such file.
    """
    if str(path) == STDIN:
        return Contents("standard input", data=_standard_input())
    if is_url(path):
        return fetched(str(path))
    file = _existing(path)
    if not file.is_file():  # a pipe, such as the shell's <(command), can be read only once
        try:
            with file.open("rb") as stream:
                return Contents(str(file), data=_whole(str(file), stream))
        except OSError as error:
            raise DataError(f"{file} cannot be read: {error.strerror}.") from None
    return contents_of_file(file)


def _existing(path: str | os.PathLike[str]) -> Path:
    """Return the file that a path names.

    Raises
    ------
    DataError
        If there is none, or it cannot be read.
    """
    if path == "":
        raise DataError("The path of a file is empty. Expected its name.")
    file = Path(path)
    try:
        file.stat()
    except FileNotFoundError:
        pass  # reported below, with similar names
    except OSError as error:
        raise DataError(f"{shown_address(path)} cannot be read: {error.strerror}.") from None
    except ValueError as error:  # an invalid file name
        raise DataError(f"{shown_address(path)} cannot be read: {error}.") from None
    if file.is_dir():
        raise DataError(
            f"{file} is a folder; a file is expected. Of folders, those of BEIR "
            f"(qrels/{{split}}.tsv, queries.jsonl) are read, and those that hold Parquet."
        )
    if not file.exists():
        name = without_secrets(shown_address(path))  # it may be a connection string
        raise DataError(f"{name} does not exist.{_hint_for_missing(file)}")
    return file


def contents_of_file(path: str | os.PathLike[str]) -> Contents:
    """Return the contents of a file; a downloaded file is named by its address."""
    return Contents(shown_address(path), path=Path(path))


def _hint_for_missing(file: Path) -> str:
    """Return a hint for a message: the forms of addresses, or files with similar names."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", str(file)):
        return (
            " Addresses of http, https, s3, gs, az, abfss, hf and file are read, if they are given "
            "as text (Path removes a slash); of a database, the result of rr.read_sql(query, "
            "connection)."
        )
    near = file.parent.glob(f"{glob.escape(file.stem[:4])}*") if file.stem else ()
    names = sorted(each.name for each in near)[:5]
    return f" Near it: {', '.join(names)}." if names else ""


def _standard_input() -> bytes:
    """Read standard input to its end."""
    name = "Standard input"
    if sys.stdin is None:  # closed before Python started
        raise DataError(f"{name} is closed. Give a file, or pipe one in: rankreport ... - < FILE")
    note_file(STANDARD_INPUT)
    try:
        return _whole(name, sys.stdin.buffer)
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{name} cannot be read ({error}). Give a file.") from None


def _whole(name: str, stream: BinaryIO) -> bytes:
    """Read a stream to its end, if it has one.

    Raises
    ------
    DataError
        If it is binary, as /dev/zero is, or too long to be kept in memory.
    """
    parts: list[bytes] = []
    compressed = False
    length = total = 0
    while part := stream.read(1 << 20):
        if not parts:
            compressed = part.startswith((*COMPRESSED_BEGINS, b"PAR1"))
            if b"\x00" in part and not compressed:
                raise binary(name, part)
        total += len(part)
        if total > _MOST_STREAMED:
            raise DataError(
                f"{name} has more than {_MOST_STREAMED >> 30} GB, and would be kept in memory. "
                f"Write it to a file, which is read in parts."
            )
        parts.append(part)
        end = part.rfind(b"\n")
        length = length + len(part) if end < 0 else len(part) - end - 1
        if length > LONGEST and not compressed:
            raise too_long(name)
    return b"".join(parts)


def holds_export(given: Any) -> bool:
    """Return whether a Python object is what MTEB or a search engine exports as JSON.

    >>> holds_export({"responses": [{"hits": {"hits": []}}]})
    True
    >>> holds_export({"responses": ["d1", "d2"]})
    False
    """
    return held_export(held_value(given)) is not None


def held_export(value: Any) -> SourceFormat | None:
    """Return the format of such an object; None of other objects."""
    return export_of(begin_of_object(value)) if isinstance(value, list | Mapping) else None


def begin_of_object(value: Any) -> SourceBegin:
    """Return the begin of a file that would hold an object as JSON."""
    return SourceBegin(Contents("the results", data=b""), value)


BY_COLUMN = "named_by_column"
"""The code of the remark on a run whose system a column names."""


@dataclass(frozen=True)
class RunNamedByColumn(SystemResults):
    """The run of one of the systems that a column names, accepted wherever a run is.

    A remark says so, because the order of rows does not say which system is the baseline.

    Attributes
    ----------
    name
        The name of the system.
    """

    name: str
    _run: Any = field(repr=False)

    def open(self, role: Role, columns: str | Iterable[str] | None = None) -> Source:
        """Open it as `open_source` does."""
        source = open_source(self._run, role, f"run {self.name!r}", columns)
        return replace(source, remarks=(*source.remarks, Remark(BY_COLUMN)))


def files_by_system(path: str | os.PathLike[str]) -> Mapping[str, Path]:
    """Return the files of a pattern by the system that each names, if these are several systems.

    Raises
    ------
    DataError
        If they are, but some system is named by several files, or a file names none.
    """
    files = [] if is_url(path) else files_of(path) or []
    named = {file: _system_of_file(file) for file in files}
    systems = {system: file for file, system in named.items() if system is not None}
    if len(systems) < 2:
        return {}
    if len(systems) < len(files):
        raise DataError(
            f"{path}: {len(files)} files name {len(systems)} systems, such as "
            f"{', '.join(sorted(systems)[:2])}. Give each system its files: "
            f"{{'old': 'old/*.csv', ...}}."
        )
    return systems


def _system_of_file(path: Path) -> str | None:
    """Return the only system that a file names; None if it names none, or several."""
    sample = SourceBegin(contents_of_file(path))
    try:
        table = None if sample.is_document else format_of(sample, RUN).table
        return None if table is None else sole_system(sample, table(sample.contents))
    except (DataError, *FOREIGN):  # reported when it is opened
        return None


def _open_contents(
    contents: Contents, role: Role, columns: str | Iterable[str] | None = None
) -> Source:
    sample = SourceBegin(contents)
    format_ = format_of(sample, role)
    if format_.bare:
        nameless = headerless(contents, sample.line, role, columns)
        if nameless is not None:
            return table_source(contents.name, role, nameless, contents)
    elif columns is not None and format_.judgments is None and not sample.is_document:
        raise DataError(
            f"{contents.name} names its columns, being {format_.name}. Give no columns."
        )
    return format_.open(sample, role)
