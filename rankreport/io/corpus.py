"""The texts of documents, for people to read, and the ids of a whole corpus.

A corpus may have gigabytes. Files are scanned by Polars in its streaming engine, stores and
mappings are asked for single documents, and iterables are gone through once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

import polars as pl

from rankreport.column_names import folded
from rankreport.errors import DataError, RankReportError
from rankreport.frames import DOC_ID, TEXT
from rankreport.io.decompression import decompressed
from rankreport.io.forked_process import check_process
from rankreport.io.formats import SourceBegin, format_of
from rankreport.io.formats.beir import Collection
from rankreport.io.formats.jsonlines import JsonLines, exactly
from rankreport.io.ids import by_name, exact_ids, name_text, of_unicode
from rankreport.io.json_document import holds_texts, read_document
from rankreport.io.lines import quote
from rankreport.io.objects import embedded_texts, fields_of_record
from rankreport.io.opening import contents_of
from rankreport.io.refused_objects import shown
from rankreport.io.roles import DOCUMENTS, TITLE, URL, refused
from rankreport.io.source import FAILURES, FOREIGN, Contents, collecting, is_folder, unreadable
from rankreport.io.spreadsheet import unguarded
from rankreport.io.storage import files_of, is_url
from rankreport.io.tables import frame_of
from rankreport.shown_addresses import shown_address

_COLUMNS = (DOC_ID, TITLE, TEXT, URL)

_LONGEST = 20_000
"""The number of characters of a text that are read: a passage is chosen from them."""


@dataclass(frozen=True)
class Corpus:
    """Where the texts of documents come from.

    Attributes
    ----------
    name
        Its name in messages.
    find
        Returns the rows of these ids, in any order.
    first
        Returns some ids of the corpus, for messages; empty if they cannot be listed.
    asked
        Whether the user named it. If not, it came with the judgments.
    """

    name: str
    find: Callable[[Sequence[str]], pl.DataFrame]
    first: Callable[[], Sequence[str]]
    asked: bool = True

    @property
    def label(self) -> str:
        """The name without folders, which may hold names of people."""
        return Path(self.name).name

    def texts(self, ids: Iterable[str]) -> pl.DataFrame:
        """Return the texts of documents, each once, without those that are not in the corpus.

        Returns
        -------
        DataFrame
            ``doc_id, title, text, url`` (String), the last three null where unknown; texts are cut
            after some thousand characters.

        Raises
        ------
        DataError
            If the corpus cannot be read.
        """
        check_process()
        wanted = sorted(set(ids))
        found = self.find(wanted).unique(DOC_ID, keep="first", maintain_order=True)
        return pl.DataFrame({DOC_ID: wanted}, schema={DOC_ID: pl.String}).join(
            found, on=DOC_ID, maintain_order="left"
        )


def open_corpus(given: Any, *, asked: bool = True) -> Corpus:
    """Open the texts of documents without reading them.

    Parameters
    ----------
    given
        A path to JSON lines, CSV, TSV, Parquet or JSON, plain or compressed; a pattern of paths;
        a folder of BEIR, or what `read_beir` returns; a table of any library that supports Arrow;
        ``{document: text}`` or ``{document: {"title": ..., "text": ...}}``; an iterable of
        records; a data set of ir_datasets or PyTerrier, or anything with ``get_many(ids)`` or
        ``get(id)``.
    asked
        Whether the user named it.

    Raises
    ------
    DataError
        If it is none of these, or has no column for the id or for a text.
    """
    check_process()
    if isinstance(given, Collection):
        if given.corpus is None:
            raise DataError(f"{given.folder} has no corpus.jsonl. Give the documents themselves.")
        return open_corpus(given.corpus, asked=asked)
    if _is_series(given):
        given = dict(given.items())  # texts by id
    opened = _opened(given, _COLUMNS)
    if isinstance(opened, DocumentRows):
        return Corpus(opened.name, opened.find, opened.first, asked)
    return _in_memory(*opened, asked=asked)


def open_ids(given: Any) -> DocumentRows:
    """Open the ids of all documents of a corpus without reading them.

    Parameters
    ----------
    given
        What `open_corpus` accepts, if its documents can be listed, with or without texts; also a
        list, an array or a series of ids.

    Raises
    ------
    DataError
        If it is none of these, or has no column for the id.

    Examples
    --------
    >>> [rows] = open_ids(["d1", "d2"]).each(lambda rows: rows)
    >>> rows["doc_id"].to_list()
    ['d1', 'd2']
    """
    check_process()
    if isinstance(given, Collection):
        return open_ids(given.folder)
    if _is_series(given):
        index = given.index
        named = index.name is not None or index.dtype.kind not in "iu"
        given = (index if named else given).to_list()
    opened = _opened(given, (DOC_ID,))
    if isinstance(opened, DocumentRows):
        return opened
    name, held = opened
    embedded = embedded_texts(held, "corpus")
    return _listed(name, held if embedded is None else embedded, (DOC_ID,))


def _is_series(given: Any) -> bool:
    return type(given).__module__.partition(".")[0] == "pandas" and hasattr(given, "to_frame")


def _opened(given: Any, columns: Sequence[str]) -> DocumentRows | tuple[str, Any]:
    """Open some columns of files or a table; return others with their name."""
    if isinstance(given, str | os.PathLike):
        parts = _files(given)
        if len(parts) == 1 and _kind(_sample(parts[0])) == "json":
            return parts[0].name, read_document(parts[0])
        blocks = tuple(_of_file(part, columns) for part in parts)
        return DocumentRows(shown_address(given), blocks, tuple(parts))
    name = "The table of documents"
    frame = given.to_frame(DOC_ID) if isinstance(given, pl.Series) else frame_of(given)
    if frame is None:
        return "the documents", given
    with collecting(name, "as a table of documents", ""):
        rows = _texts(name, frame.lazy(), columns)
    return DocumentRows(name, (partial(_in_one, rows),), ())


# --- files and tables -----------------------------------------------------------------------------


def _files(given: str | os.PathLike[str]) -> list[Contents]:
    """Return the files of a path, a pattern or a folder."""
    if not is_url(given):
        path = Path(given)
        if is_folder(path):
            for name in ("corpus.jsonl", "corpus.jsonl.gz"):
                if (path / name).is_file():
                    return [contents_of(path / name)]
            parquet = sorted(path.glob("*.parquet"))
            if not parquet:
                raise DataError(
                    f"{path} is a folder without corpus.jsonl or Parquet. Give the file of the "
                    f"documents."
                )
            return list(map(contents_of, parquet))
        several = files_of(given)
        if several is not None:
            return list(map(contents_of, several))
    return [contents_of(given)]


def _kind(sample: SourceBegin) -> str:
    """Return the format of a file."""
    format_ = format_of(sample, DOCUMENTS)
    texts = format_.name == "jsonl" and holds_texts(sample.line, DOCUMENTS.aliases)
    return "json" if sample.is_document or texts else format_.name


def _sample(contents: Contents) -> SourceBegin:
    return SourceBegin(contents, header=DOCUMENTS.aliases[DOC_ID])


Blocks = Callable[[], Iterator[pl.LazyFrame]]
"""Scans a file, in one piece or block by block."""


def _of_file(contents: Contents, columns: Sequence[str]) -> Blocks:
    """Open a file, checking its columns."""
    sample = _sample(contents)
    kind = _kind(sample)
    try:
        if kind == "jsonl":
            rows = _of_lines(contents, columns)
        elif kind in {"csv", "tsv", "text"}:
            return _of_delimited(sample, kind, columns)
        else:
            table = format_of(sample, DOCUMENTS).table_of(sample, DOCUMENTS)
            rows = _texts(contents.name, table.scan(list(table.columns)), columns)
    except FOREIGN as error:
        _check_lines(contents)
        raise unreadable(contents.name, error, "as a table", "") from None
    return partial(_in_one, rows)


def _in_one(rows: pl.LazyFrame) -> Iterator[pl.LazyFrame]:
    yield rows


def _of_delimited(sample: SourceBegin, kind: str, columns: Sequence[str]) -> Blocks:
    """Open CSV or TSV, which is scanned in blocks: Polars would keep most of a file in memory."""
    contents, header, separator = sample.contents, sample.line, "," if kind == "csv" else "\t"
    names = [name.strip().strip('"') for name in header.split(separator)]
    headed = bool({folded(name) for name in names} & set(DOCUMENTS.aliases[DOC_ID]))
    if not headed and kind != "csv":
        names = _NAMELESS.get(len(names), [*columns] if len(names) == len(columns) else [])
        if not names:
            raise DataError(
                f"{contents.name} begins with {quote(header)}, which names no column of ids such "
                f"as doc_id.{DOCUMENTS.advice}"
            )
    _found(contents.name, names, columns)
    return partial(_scan_blocks, contents, separator, names, columns, headed=headed)


def _scan_blocks(
    contents: Contents,
    separator: str,
    names: Sequence[str],
    columns: Sequence[str],
    *,
    headed: bool,
) -> Iterator[pl.LazyFrame]:
    quoted = separator == ","
    for at, block in enumerate(_blocks(contents, mark=b'"' if quoted else b"")):
        rows = pl.scan_csv(
            block,
            separator=separator,
            quote_char='"' if quoted else None,
            has_header=headed and at == 0,
            schema=dict.fromkeys(names, pl.String()),
        )
        yield _texts(contents.name, unguarded(rows) if quoted else rows, columns)


_NAMELESS = {2: [DOC_ID, TEXT], 3: [DOC_ID, TITLE, TEXT], 4: [DOC_ID, URL, TITLE, TEXT]}
"""The columns of lines without a header, by their number, as in the collections of MS MARCO."""

_BLOCK = 1 << 23
_LONGEST_BLOCK = 1 << 28
"""Bytes read at once, and bytes after which an open quotation mark is taken for a stray one."""


def _blocks(contents: Contents, mark: bytes) -> Iterator[bytes]:
    """Yield whole records of a file; a line within quotation marks is no end of a record."""
    with decompressed(contents) as file:
        rest = b""
        while part := file.read(_BLOCK):
            rest += part
            end = _end_of_record(rest, mark)
            if end:
                yield rest[:end]
                rest = rest[end:]
        if rest.strip():
            yield rest


def _end_of_record(block: bytes, mark: bytes) -> int:
    """Return where the last whole record of a block ends; 0 if none does."""
    end = block.rfind(b"\n") + 1
    if not mark or len(block) > _LONGEST_BLOCK:
        return end
    n_marks = block.count(mark, 0, end)
    while end and n_marks % 2:
        earlier = block.rfind(b"\n", 0, end - 1) + 1
        n_marks -= block.count(mark, earlier, end)
        end = earlier
    return end


def _of_lines(contents: Contents, columns: Sequence[str]) -> pl.LazyFrame:
    """Scan some columns of JSON lines, leaving out all others."""
    opened = contents.open()
    source = exactly(opened)
    kinds = pl.scan_ndjson(source, infer_schema_length=1000).collect_schema()
    found = _found(contents.name, list(kinds), columns)
    schema = {
        own: kinds[own] if kinds[own] == pl.List(pl.String) else pl.String()
        for own in found.values()
    }
    if not isinstance(opened, Path):
        opened.seek(0)
    return _texts(contents.name, pl.scan_ndjson(source, schema=schema), columns)


def _texts(name: str, rows: pl.LazyFrame, columns: Sequence[str]) -> pl.LazyFrame:
    """Return some columns under their own names."""
    kinds = rows.collect_schema()
    found = _found(name, list(kinds), columns)
    texts = []
    for column in columns:
        if column not in found:
            texts.append(pl.lit(None, pl.String).alias(column))
            continue
        kind = kinds[found[column]]
        if column == DOC_ID:
            texts.append(name_text(name, found[column], kind).alias(column))
            continue
        own = pl.col(found[column])
        text = own.list.join(" ") if kind == pl.List(pl.String) else own.cast(pl.String)
        texts.append(text.str.slice(0, _LONGEST).alias(column))
    return rows.select(texts)


def _found(name: str, present: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """Return the columns that are wanted, by their names here.

    Raises
    ------
    DataError
        If there is none for the id, or none for a text where texts are wanted.
    """
    found, missing = DOCUMENTS.find(present)
    if missing or len(found) == 1 < len(columns):
        raise DOCUMENTS.lacking(name, present, missing or (TEXT,))
    return {column: found[column] for column in columns if column in found}


@dataclass(frozen=True)
class DocumentRows:
    """Files, a table or a list of documents, which are scanned for what is wanted.

    Attributes
    ----------
    name
        Their name in messages.
    parts
        Scan each part of them.
    files
        The files, if they are files.
    """

    name: str
    parts: tuple[Blocks, ...]
    files: tuple[Contents, ...]

    def find(self, ids: Sequence[str]) -> pl.DataFrame:
        """Return the rows of these ids, up to where all are found."""
        wanted, missing, found = pl.col(DOC_ID).is_in(list(ids)), set(ids), []
        for rows in self.each(lambda rows: rows.filter(wanted)):
            found.append(rows)
            missing.difference_update(rows[DOC_ID])
            if not missing:
                break
        return pl.concat(found)

    def first(self) -> list[str]:
        """Return some ids."""
        some = next(self.each(lambda rows: rows.select(DOC_ID).head(3)))
        return some[DOC_ID].drop_nulls().to_list()

    def changed(self, change: Callable[[pl.LazyFrame], pl.LazyFrame]) -> DocumentRows:
        """Return the rows of each part as a function changes them."""
        return replace(self, parts=tuple(partial(_changed, each, change) for each in self.parts))

    def at(self, places: pl.Series) -> pl.DataFrame:
        """Return the ids at some places, from 0: ``place`` (Int64), ``doc_id``."""
        lengths = [rows.item() for rows in self.each(lambda rows: rows.select(pl.len()))]
        starts, place = accumulate(lengths, initial=0), pl.col("place").cast(pl.Int64)
        wanted = place.is_in(places.unique().implode())
        found = self.each(
            lambda rows: (
                rows.with_row_index("place", next(starts)).filter(wanted).select(place, DOC_ID)
            )
        )
        return pl.concat([pl.DataFrame(schema={"place": pl.Int64, DOC_ID: pl.String}), *found])

    def each(self, some: Callable[[pl.LazyFrame], pl.LazyFrame]) -> Iterator[pl.DataFrame]:
        """Yield some rows of each part.

        Raises
        ------
        DataError
            If the documents cannot be read.
        """
        try:
            for blocks in self.parts:
                for rows in blocks():
                    found = some(rows).collect(engine="streaming")
                    # Copied, since filtered texts keep all those of their block in memory.
                    yield pl.DataFrame(found.rows(), schema=found.schema, orient="row")
        except RankReportError:
            raise
        except FAILURES as error:
            for contents in self.files:
                _check_lines(contents)
            raise unreadable(self.name, error, "as a table of documents", "") from None


def _changed(
    blocks: Blocks, change: Callable[[pl.LazyFrame], pl.LazyFrame]
) -> Iterator[pl.LazyFrame]:
    return map(change, blocks())


def _check_lines(contents: Contents) -> None:
    """Raise the error of the first line that is no JSON object, if the file has such lines."""
    if _kind(_sample(contents)) == "jsonl":
        JsonLines(contents).check()


# --- Python objects -------------------------------------------------------------------------------


_LISTED = ("docs_iter", "get_corpus_iter")
"""Methods of data sets that list their documents."""


_RECORDS = 1 << 13
"""So many records are held at a time."""


def _listed(name: str, given: Any, columns: Sequence[str]) -> DocumentRows:
    """Return the documents of a data set, a mapping or an iterable; of ids alone, these."""
    listed = next((m for m in _LISTED if callable(getattr(given, m, None))), None)
    if listed is not None:
        rows = getattr(given, listed)
    elif isinstance(given, Iterable) and not isinstance(given, str | bytes):
        rows = partial(iter, list(given) if isinstance(given, Iterator) else given)
    else:
        raise refused(name, DOCUMENTS, f"{type(given).__name__}, whose documents cannot be listed")
    return DocumentRows(name, (partial(_in_blocks, name, rows, columns),), ())


def _in_blocks(
    name: str, rows: Callable[[], Iterable[Any]], columns: Sequence[str]
) -> Iterator[pl.LazyFrame]:
    """Yield records, or ids alone, so many at a time that they take little room."""
    every = iter(rows())
    while some := list(islice(every, _RECORDS)):
        if columns == (DOC_ID,):
            held = (each if fields_of_record(each) is None else _identifier(each) for each in some)
            yield pl.LazyFrame({DOC_ID: exact_ids(name, DOC_ID, held)}, {DOC_ID: pl.String})
        else:
            yield _frame(name, ((_identifier(each), each) for each in some)).lazy()


def _in_memory(name: str, given: Any, *, asked: bool) -> Corpus:
    """Return a corpus over a mapping, a store or an iterable of records."""
    embedded = embedded_texts(given, "corpus")
    given = given if embedded is None else embedded
    if isinstance(given, Mapping):
        first = [str(key) for key in islice(given, 3)]
        return Corpus(name, partial(_found_by, name, partial(_looked_up, given)), first.copy, asked)
    store = _store_of(given)
    if store is not None:
        return Corpus(name, partial(_found_by, name, store), list, asked)
    if isinstance(given, Iterable):
        given = given if isinstance(given, Sequence) else list(given)
        if not given or fields_of_record(given[0]) is None:
            found = f"rows such as {shown(given[0])}" if given else "no rows"
            raise refused(name, DOCUMENTS, found)
    rows = _listed(name, given, _COLUMNS)
    return Corpus(name, rows.find, rows.first, asked)


def _store_of(given: Any) -> Callable[[Sequence[str]], Iterator[tuple[str, Any]]] | None:
    """Return what looks documents up by id, of an object that can; None of others."""
    held = given.docs_store() if callable(getattr(given, "docs_store", None)) else given
    if callable(getattr(held, "get_many", None)):
        return partial(_got_many, held)
    if callable(getattr(held, "get", None)):
        return partial(_got, held)
    return None


def _got_many(store: Any, ids: Sequence[str]) -> Iterator[tuple[str, Any]]:
    found = store.get_many(list(ids))
    if isinstance(found, Mapping):
        yield from by_name("the documents", found).items()
        return
    for record in found:
        yield _identifier(record), record


def _got(store: Any, ids: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for doc_id in ids:
        try:
            record = store.get(doc_id)
        except LookupError:  # it has no such document
            continue
        if record is not None:
            yield doc_id, record


def _looked_up(given: Mapping[Any, Any], ids: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for doc_id in ids:
        for key in (doc_id, *((int(doc_id),) if doc_id.isdecimal() else ())):
            if key in given and str(key) == doc_id:
                yield doc_id, given[key]
                break


def _found_by(
    name: str,
    find: Callable[[Sequence[str]], Iterator[tuple[str, Any]]],
    ids: Sequence[str],
) -> pl.DataFrame:
    return _frame(name, find(ids))


def _identifier(record: Any) -> str:
    """Return the id of a record.

    Raises
    ------
    DataError
        If it has none.
    """
    own = _found_in("a document", record).get(DOC_ID)
    if own is None:
        raise refused("the documents", DOCUMENTS, f"{shown(record)}, which has no doc_id")
    return exact_ids("the documents", DOC_ID, [own], "a record".format)[0]


def _found_in(name: str, record: Any) -> dict[str, Any]:
    """Return the values of a record by the names of columns."""
    if isinstance(record, str):
        return {TEXT: record}
    names = fields_of_record(record)
    if names is None:
        raise DataError(f"{name} is {shown(record)}. Expected a text, or title, text and url.")
    found = {
        column: record[own] if isinstance(record, Mapping) else getattr(record, own)
        for column, own in DOCUMENTS.find(names)[0].items()
    }
    if TEXT not in found and callable(getattr(record, "default_text", None)):
        found[TEXT] = record.default_text()
    return found


def _frame(name: str, rows: Iterable[tuple[str, Any]]) -> pl.DataFrame:
    """Return records as a frame."""
    held: dict[str, list[str | None]] = {column: [] for column in _COLUMNS}
    for doc_id, record in rows:
        found = _found_in(f"{name}: document {doc_id!r}", record)
        held[DOC_ID].append(doc_id)
        for column in (TITLE, TEXT, URL):
            held[column].append(_text_of(found.get(column)))
    with of_unicode(name):
        return pl.DataFrame(held, schema=dict.fromkeys(_COLUMNS, pl.String()))


def _text_of(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bytes):
        return value[: 4 * _LONGEST].decode("utf-8", errors="replace")[:_LONGEST]
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))[:_LONGEST]
    return str(value)[:_LONGEST]
