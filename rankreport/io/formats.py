"""Detecting the kind of a source: a file and its format, standard input, a frame, or a mapping."""

from __future__ import annotations

import glob
import gzip
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from rankreport.addresses import shown_address, without_secrets
from rankreport.errors import DataError, OptionError
from rankreport.frames import ALIASES, QUERY_ID
from rankreport.io.arrays import is_number
from rankreport.io.beir import Collection, is_beir
from rankreport.io.document import held_value, is_document, read_document, written
from rankreport.io.engines import OPENSEARCH, configurations_of, engine_of, engine_source
from rankreport.io.headerless import headerless
from rankreport.io.inputs import STANDARD_INPUT, note_file
from rankreport.io.mteb import META, model_of, name_in, predictions_of
from rankreport.io.objects import embedded_texts, holds_positions, object_rows
from rankreport.io.process import check_process
from rankreport.io.quepid import kind_of_export, quepid_source, snapshots_of
from rankreport.io.schema import QRELS, RUN, Layout
from rankreport.io.source import (
    FOREIGN,
    GZIP,
    ZSTD,
    Contents,
    Remark,
    Selection,
    Source,
    SystemResults,
    is_file,
    is_folder,
    reason_of,
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
from rankreport.io.systems import may_name_systems, rows_by_system, sole_system
from rankreport.io.tables import (
    Frame,
    mapping_source,
    open_table,
    rows_of_table,
    table_source,
)
from rankreport.io.trec import quote, text_source

STDIN = "-"

_HEAD = 1 << 16
"""How many bytes say what a file is."""

_LONGEST = 1 << 26
"""The most bytes of a line. Without a limit, an endless line would fill the memory."""

_MOST_STREAMED = 1 << 32
"""The most bytes read from standard input or a pipe, which are kept in memory."""

_PARQUET = b"PAR1"
_BOM = b"\xef\xbb\xbf"
_NAMED = ("parquet", "jsonl")
"""Formats that name their columns without a header."""

_COMPRESSED = (".gz", ".zst")
_KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


def open_source(
    given: Any,
    layout: Layout,
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
    layout
        The kind of rows expected.
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
    if isinstance(given, OfColumn):
        return given.open(layout, columns)
    if isinstance(given, Selection):
        return given.open(layout)
    if isinstance(given, str | os.PathLike):
        return _open_path(given, layout, columns)
    if columns is not None:
        raise OptionError(
            f"columns names those of a file without a header; found {type(given).__name__}."
        )
    name = name or layout.noun
    if is_export(given):
        return _document_source(written(name, given), layout)
    frame = rows_of_table(name, layout, given)
    if frame is None:
        return _object_source(name, layout, given)
    return table_source(name, layout, Frame(frame.lazy))


def _object_source(name: str, layout: Layout, given: Any) -> Source:
    """Open a Python object, with the texts that it holds besides judgments."""
    rows = object_rows(name, layout, given)
    if isinstance(rows, Mapping):
        return mapping_source(name, layout, rows)
    source = table_source(name, layout, Frame(rows.lazy))
    positions = [Remark("positions", len(rows))] if holds_positions(given) else []
    return replace(
        source,
        queries=embedded_texts(given, "queries"),
        documents=embedded_texts(given, "corpus"),
        remarks=(*source.remarks, *positions),
    )


def _open_path(
    path: str | os.PathLike[str], layout: Layout, columns: str | Iterable[str] | None
) -> Source:
    """Open a file, an address, a pattern of names, or a folder."""
    if is_url(path):
        return scanned(path, layout) or _open_contents(contents_of(path), layout, columns)
    folder = Path(path)
    if is_folder(folder):
        if is_beir(folder):
            return Collection(folder).open(layout)
        found = scanned(folder, layout) if is_partitioned(folder) else None
        return found or _open_contents(contents_of(path), layout, columns)
    files = files_of(path)
    if files is None:
        return _open_contents(contents_of(path), layout, columns)
    if any("=" in part for part in files[0].parts[:-1]) and files[0].suffix == ".parquet":
        found = scanned(path, layout)
        if found is not None:
            return found
    if layout is RUN and (systems := list(_files_by_system(path))):
        raise DataError(
            f"{path}: the files name {len(systems)} systems, such as {', '.join(systems[:2])}. "
            f"Give the pattern by itself for a run of each, or one file: {{'mine': path}}."
        )
    parts = [_open_contents(contents_of(file), layout, columns) for file in files]
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
        else:
            yield from files_of(path) or filter(None, [local_file(path)])


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
        raise DataError(f"{name} does not exist.{_instead_of(file)}")
    if not file.is_file():  # a pipe, such as the shell's <(command), can be read only once
        try:
            with file.open("rb") as stream:
                return Contents(str(file), data=_whole(str(file), stream))
        except OSError as error:
            raise DataError(f"{file} cannot be read: {error.strerror}.") from None
    return _of_file(file)


def _of_file(path: str | os.PathLike[str]) -> Contents:
    """Return the contents of a file, which as a download may be named by its address."""
    return Contents(shown_address(path), path=Path(path))


def _instead_of(file: Path) -> str:
    """Return what may be given instead of a file that does not exist."""
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
    """Read a stream, which may have no end.

    Raises
    ------
    DataError
        If it is binary, as /dev/zero is, too long to be kept in memory, or goes on behind a first
        megabyte that is no source.
    """
    parts: list[bytes] = []
    compressed = False
    length = total = 0
    while part := stream.read(1 << 20):
        if not parts:
            compressed = part.startswith((GZIP, ZSTD, _PARQUET))
            if b"\x00" in part and not compressed:
                raise _binary(name)
        elif len(parts) == 1 and not compressed:
            _check_begin(name, parts[0])
        total += len(part)
        if total > _MOST_STREAMED:
            raise DataError(
                f"{name} has more than {_MOST_STREAMED >> 30} GB, and would be kept in memory. "
                f"Write it to a file, which is read in parts."
            )
        parts.append(part)
        end = part.rfind(b"\n")
        length = length + len(part) if end < 0 else len(part) - end - 1
        if length > _LONGEST and not compressed:
            raise _too_long(name)
    return b"".join(parts)


def _check_begin(name: str, begin: bytes) -> None:
    """Refuse a stream for its first line now, since what follows may be without end."""
    first = _first_line(begin)
    if b"\n" not in begin or _may_be_row(first):
        return
    if not first or kind_of(Contents(name, data=begin), RUN.noun) == "text":
        found = quote(first.decode("utf-8", errors="replace")) if first else "blank lines"
        raise DataError(
            f"{name} begins with {found}. Expected: TREC text, which has {len(RUN.fields)} fields "
            f"(a run) or {len(QRELS.fields)} (judgments), or the header of a table."
        )


def _may_be_row(line: bytes) -> bool:
    """Return whether a line may be one of TREC text, a table without header or a labelled list."""
    fields = line.split()
    if len(fields) in {len(RUN.fields), len(QRELS.fields)} or b"qid:" in line:
        return True
    return b"\t" in line or b"," in line or (len(fields) > 1 and is_number(fields[-1]))


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
    whole = Path(shown_address(path))
    if _PATTERN.search(whole.name) and not is_file(path):
        return _stem_of_pattern(whole)
    return _without_suffixes(whole.name)


_PATTERN = re.compile(r"[*?]+|\[[^]]*\]")


def _stem_of_pattern(pattern: Path) -> str:
    """Return what the names of files have in common, or the name of their folder.

    >>> _stem_of_pattern(Path("runs/bm25-*.csv.gz")), _stem_of_pattern(Path("bm25/part-?/*.csv"))
    ('bm25', 'part')
    """
    for part in (_without_suffixes(pattern.name), *reversed(pattern.parent.parts)):
        common = _PATTERN.sub("", part).strip("-_. /\\")
        if common:
            return common
    return _without_suffixes(pattern.name)


def _without_suffixes(name: str) -> str:
    for suffix in _COMPRESSED:
        name = name.removesuffix(suffix)
    return Path(name).stem


def is_export(given: Any) -> bool:
    """Return whether a Python object is what a file of MTEB or of an engine holds as JSON.

    >>> is_export({"responses": [{"hits": {"hits": []}}]}), is_export({"responses": ["d1", "d2"]})
    (True, False)
    """
    value = held_value(given)
    if isinstance(value, list):
        return engine_of(value[:1]) is not None
    if not isinstance(value, Mapping):
        return False
    # A query may be called so, too: its documents are no objects.
    listed = (value.get(key) for key in ("requests", "responses"))
    for each in listed:
        if isinstance(each, list) and each and not isinstance(each[0], Mapping):
            return False
    return META in value or engine_of(value) is not None


def exported_systems(given: Any) -> dict[str, Any] | None:
    """Return what an export as a Python object holds, by the names of systems.

    Returns
    -------
    dict or None
        Each system's name with its part; an empty name where the export has none. None of all
        other objects.
    """
    if not is_export(given):
        return None
    value = held_value(given)
    if isinstance(value, Mapping) and META in value:
        return {name_in(value[META]) or "": value}
    if engine_of(value) == OPENSEARCH:
        return by_column(configurations_of(Contents("the results"), value)) or {"": value}
    return {"": value}


BY_COLUMN = "named_by_column"
"""The code of the remark on a run whose system a column names."""


@dataclass(frozen=True)
class OfColumn(SystemResults):
    """The run of one of the systems that a column names, accepted wherever a run is.

    Attributes
    ----------
    name
        The name of the system.
    """

    name: str
    _run: Any = field(repr=False)

    def open(self, layout: Layout, columns: str | Iterable[str] | None = None) -> Source:
        """Open it as `open_source` does."""
        source = open_source(self._run, layout, f"run {self.name!r}", columns)
        return replace(source, remarks=(*source.remarks, Remark(BY_COLUMN)))


def by_column(runs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the runs of systems that a column names, sorted: rows need not keep their order."""
    if len(runs) < 2:
        return dict(runs)
    return {name: OfColumn(name, runs[name]) for name in sorted(runs)}


def systems_of(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a file of results holds, by the names of systems.

    Most files hold one run and are named by `stem`. Some hold the runs of several systems, or name
    the model: those of MTEB, of OpenSearch's Search Relevance, snapshots of Quepid, and tables
    with a column of systems.

    Returns
    -------
    dict
        Each system's name with the path, or with a part of the file.

    Raises
    ------
    DataError
        If it is not sure that a column names systems.
    """
    if str(path) == STDIN or is_url(path) or not is_file(path):
        return by_column(_files_by_system(path)) or {stem(path): path}
    contents = _of_file(path)
    try:
        head = _uncompressed_head(contents)
    except DataError:  # reported when it is opened
        return {stem(path): path}
    if _is_document(contents, head):
        model = model_of(head)
        if model is not None:
            return {model: path}
        if b'"searchConfigurationId"' in head:
            value = read_document(contents)
            if engine_of(value) == OPENSEARCH:
                return by_column(configurations_of(contents, value)) or {stem(path): path}
    elif kind_of_export(header_of(contents)) in _SNAPSHOTS:
        return by_column(snapshots_of(contents))
    return by_column(_rows_by_system(contents)) or {stem(path): path}


def _files_by_system(path: str | os.PathLike[str]) -> Mapping[str, Path]:
    """Return the files of a pattern by the system that each names, if these differ.

    Raises
    ------
    DataError
        If one system is named by several files, and another by others.
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
    contents = _of_file(path)
    try:
        kind = kind_of(contents, RUN.noun)
        if kind in {"text", "json"} or not may_name_systems(kind, header_of(contents)):
            return None
        return sole_system(contents, kind)
    except (DataError, *FOREIGN):  # reported when it is opened
        return None


def _rows_by_system(contents: Contents) -> Mapping[str, Selection]:
    try:
        kind = kind_of(contents, RUN.noun)
    except DataError:  # reported when it is opened
        return {}
    if kind in {"text", "json"} or not may_name_systems(kind, header_of(contents)):
        return {}
    return rows_by_system(contents, kind)


_SNAPSHOTS = ("snapshot", "detailed")


def header_of(contents: Contents) -> str:
    """Return the first line that is not blank.

    Raises
    ------
    DataError
        If the contents cannot be decompressed.
    """
    return _first_line(_uncompressed_head(contents)).decode("utf-8", errors="replace")


def holds_key(path: str | os.PathLike[str], key: str) -> bool:
    """Return whether a file is a JSON document with a key near its begin."""
    if not is_file(path):
        return False
    contents = _of_file(path)
    try:
        head = _uncompressed_head(contents)
    except DataError:  # reported when it is opened
        return False
    return f'"{key}"'.encode() in head and _is_document(contents, head)


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
        raise DataError(
            f"{contents.name} is no TREC text, so it has no tag. Name it: name={contents.name}"
        )
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
    if _is_document(contents, head):
        return "json"
    if b"\n" not in head and not contents.compressed:
        begin = contents.head(_LONGEST + 1)
        if len(begin) > _LONGEST and b"\n" not in begin:
            raise _too_long(contents.name)
    first = _first_line(head)
    if first.startswith(b"{"):
        if head.startswith(_BOM):
            raise DataError(f"{contents.name} begins with a byte-order mark. Store it without one.")
        return "jsonl"
    return _kind_by_header(first) or (
        # A table by suffix without a known header: the error will list its columns.
        "text"
        if len(first.split()) in (len(RUN.fields), len(QRELS.fields))
        else _KINDS.get(_suffix(contents), "text")
    )


def _kind_by_header(first: bytes) -> str | None:
    text = first.decode("utf-8", errors="replace")
    for kind, separator in (("csv", ","), ("tsv", "\t")):
        header = [name.strip('" ').casefold().replace("-", "_") for name in text.split(separator)]
        if len(header) > 1 and any(name in ALIASES[QUERY_ID] for name in header):
            return kind
    return "csv" if kind_of_export(text) is not None else None


def _is_document(contents: Contents, head: bytes) -> bool:
    whole = contents.path is None or len(head) < _HEAD
    return is_document(head.removeprefix(_BOM), _suffix(contents), whole=whole)


def _document_source(contents: Contents, layout: Layout) -> Source:
    """Open a JSON document: an export, or nested mappings."""
    value = read_document(contents)
    if isinstance(value, Mapping) and META in value:
        return predictions_of(contents, found=value).open(layout)
    if engine_of(value) is not None:
        return engine_source(contents, layout, value)
    if not isinstance(value, Mapping):
        raise DataError(
            f"{contents.name} holds {_KINDS_OF_JSON.get(type(value), 'one value')}. Expected of "
            f"JSON: {layout.nested}, one object per line, predictions of MTEB, or an export of "
            f"Elasticsearch or OpenSearch."
        )
    _check_levels(contents, layout, value)
    return replace(_object_source(contents.name, layout, value), contents=contents)


def _check_levels(contents: Contents, layout: Layout, value: Mapping[str, Any]) -> None:
    """Raise an error if there is a level above the queries, such as that of splits."""
    inner: Any = value
    for _ in layout.keys:
        inner = next(iter(inner.values()), None) if isinstance(inner, Mapping) else None
    if isinstance(inner, Mapping) and inner:
        part = next(iter(value))
        raise DataError(
            f"{contents.name} has one level more than {layout.nested}. Is {part!r} a split or a "
            f"system? Write each to a file of its own: json.dump(found[{part!r}], file)."
        )


_KINDS_OF_JSON: Mapping[type, str] = {list: "a list", str: "a text", float: "a number"}


def _open_contents(
    contents: Contents, layout: Layout, columns: str | Iterable[str] | None = None
) -> Source:
    kind = kind_of(contents, layout.noun)
    if kind == "json":
        return _document_source(contents, layout)
    export = kind_of_export(header_of(contents)) if kind == "csv" else None
    if export is not None and not (export == "book" and layout is RUN):
        return quepid_source(contents, layout, export)
    if columns is not None or kind not in _NAMED:
        nameless = headerless(contents, header_of(contents), layout, columns)
        if nameless is not None:
            _check_nameless(contents, kind)
            return table_source(contents.name, layout, nameless, contents)
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


def _check_nameless(contents: Contents, kind: str) -> None:
    if kind in _NAMED:
        raise DataError(f"{contents.name} names its columns, being {kind}. Give no columns.")


def _uncompressed_head(contents: Contents) -> bytes:
    head = contents.head()
    if head.startswith(GZIP):
        opened = contents.open()
        try:
            with gzip.open(opened) as file:
                return bytes(file.read(_HEAD))
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
    place = contents.path or Path(contents.name)  # of what was fetched, the address
    suffixes = [s for s in place.suffixes if s not in _COMPRESSED]
    return suffixes[-1].casefold() if suffixes else ""
