"""Reading judgments, runs and queries from any accepted source into a checked frame."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from rankreport.call_hints import hinting
from rankreport.column_names import ALIASES
from rankreport.errors import DataError, OptionError, SubtopicsError, expect
from rankreport.frames import QUERY_ID, RANK, TEXT
from rankreport.io.forked_process import check_process
from rankreport.io.formats import SourceBegin, format_of
from rankreport.io.formats.beir import Collection, is_beir
from rankreport.io.formats.headerless import headerless_queries
from rankreport.io.ids import by_name, exact_ids, refuse_floats
from rankreport.io.json_document import holds_texts, read_document
from rankreport.io.objects import query_rows
from rankreport.io.opening import contents_of, open_source
from rankreport.io.partition import Partition
from rankreport.io.roles import PASSAGES, QRELS, QUERIES, RUN, SUBTOPIC_QRELS, refused
from rankreport.io.runs import named_runs
from rankreport.io.source import Contents, Input, Source, collecting, input_of, is_file
from rankreport.io.storage import is_url
from rankreport.io.tables import (
    Frame,
    SourceTable,
    frame_of,
    identified,
    line_of,
    matched,
    table_source,
)
from rankreport.io.validation import RowCounts, check


@hinting()
def read_qrels(
    source: Any, *, subtopics: bool = False, columns: str | Iterable[str] | None = None
) -> pl.LazyFrame:
    """Read relevance judgments.

    Parameters
    ----------
    source
        A path (TREC text ``query iteration document grade``, CSV or TSV with a header, Parquet,
        JSON lines, JSON; plain, gzip or zstd), a BEIR folder, an export of a search engine, an
        address such as ``s3://...``, ``"-"`` for standard input, a Polars, pandas, PyArrow or
        DuckDB table, ``{query: {document: grade}}``, ``{query: [relevant document, ...]}``, an
        iterable of tuples ``(query, document, grade)`` or of records, or an object of ranx,
        ir_datasets or PyTerrier; see docs/inputs.md and docs/objects.md. The iteration is ignored.
    subtopics
        Whether documents were judged separately for each subtopic of a query: the fields of TREC
        text are then ``query subtopic document grade``, a table has a column ``subtopic``, and
        mappings are ``{query: {document: {subtopic: grade}}}``.
    columns
        Names of the columns of a file without a header, such as ``"qid,doc,grade"``; ``_`` is not
        read.

    Returns
    -------
    LazyFrame
        ``query_id`` (String), ``subtopic`` (String, only if ``subtopics``), ``doc_id`` (String),
        ``relevance`` (Float64), in the source's order.

    Raises
    ------
    DataError
        If the source cannot be read or has invalid rows; the message names the line.
    OptionError
        In a process that was forked after rankreport was used, where Polars would wait forever;
        processes started by spawn or forkserver are fine.

    Examples
    --------
    >>> import rankreport as rr
    >>> rr.read_qrels({"q1": {"d1": 2, "d2": 0}}).collect().rows()
    [('q1', 'd1', 2.0), ('q1', 'd2', 0.0)]
    >>> rr.read_qrels({"q1": {"d1": {"price": 1, "place": 0}}}, subtopics=True).collect().rows()
    [('q1', 'price', 'd1', 1.0), ('q1', 'place', 'd1', 0.0)]
    """
    expect(subtopics, (bool,), "subtopics takes True or False")
    opened = open_source(source, SUBTOPIC_QRELS if subtopics else QRELS, columns=columns)
    refuse_floats(opened.name, opened.remarks)
    again = partial(open_source, source, SUBTOPIC_QRELS)
    rows = read_judgments(opened, None if subtopics or opened.once else again)
    return rows.lazy().cast({QUERY_ID: pl.String})


@hinting()
def read_run(source: Any, *, columns: str | Iterable[str] | None = None) -> pl.LazyFrame:
    """Read one system's ranked results.

    Parameters
    ----------
    source
        As for `read_qrels`; the fields of TREC text are ``query Q0 document rank score tag``, and
        lists are ``{query: [document, ...]}``, the best first. A table may have ranks instead of
        scores. Text of three fields without a header, as for MS MARCO, is a query, a document and
        a rank or a score, if the order of its lines tells which.
    columns
        Names of the columns of a file without a header, such as ``"qid,doc,score"``.

    Returns
    -------
    LazyFrame
        ``query_id`` (String), ``doc_id`` (String), ``score`` (Float64) and, where the source has
        it, ``rank`` (Int64), in the source's order.

    Raises
    ------
    DataError
        As for `read_qrels`.

    Examples
    --------
    >>> import rankreport as rr
    >>> rr.read_run({"q1": {"d1": 12.5, "d2": 11}}).collect().rows()
    [('q1', 'd1', 12.5), ('q1', 'd2', 11.0)]
    """
    opened = open_source(source, RUN, columns=columns)
    refuse_floats(opened.name, opened.remarks)
    rows = opened.read(*([RANK] if RANK in opened.columns else []))
    check(rows, opened)
    return rows.lazy().cast({QUERY_ID: pl.String})


@hinting()
def read_runs(runs: Any, *, columns: str | Iterable[str] | None = None) -> dict[str, pl.LazyFrame]:
    """Read the ranked results of each system.

    Parameters
    ----------
    runs
        As `evaluate` takes them: ``{system: run}``, one or more paths, one run, or a table
        with a column that names the system.
    columns
        Names of the columns of files without a header, such as ``"qid,doc,score"``.

    Returns
    -------
    dict
        The results of each system, by its name, as `read_run` returns them.

    Raises
    ------
    OptionError
        If there are no runs, or two have the same name.
    DataError
        As for `read_qrels`.

    Examples
    --------
    >>> import polars as pl
    >>> import rankreport as rr
    >>> table = pl.DataFrame({"system": ["a", "b"], "qid": [1, 1], "doc": "d1", "score": [2, 3]})
    >>> rr.read_runs(table)["b"].collect().rows()
    [('1', 'd1', 3.0)]
    """
    return {system: read_run(run, columns=columns) for system, run in named_runs(runs).items()}


@hinting()
def read_queries(source: Any, *, columns: str | Iterable[str] | None = None) -> pl.DataFrame:
    """Read query metadata: their text, and columns to group them by.

    Parameters
    ----------
    source
        A path to CSV or TSV with a header, Parquet or JSON lines; TSV of ids and texts without a
        header; a BEIR folder; a table; ``{query: text}``; an iterable of records with fields such
        as ``query_id`` and ``text``; or a data set of ir_datasets, PyTerrier or LlamaIndex.
    columns
        Names of the columns of a file without a header, such as ``"qid,text"``.

    Returns
    -------
    DataFrame
        ``query_id`` (String), ``text`` (String) if there is any, then the other columns,
        unchanged.

    Raises
    ------
    DataError
        If the source cannot be read, has no query_id, or has a query twice.

    Examples
    --------
    >>> import polars as pl
    >>> import rankreport as rr
    >>> rr.read_queries(pl.DataFrame({"qid": [1], "query": ["jazz"], "topic": ["music"]})).rows()
    [('1', 'jazz', 'music')]
    """
    return read_queries_once(source, columns)[0]


def read_queries_once(
    source: Any, columns: str | Iterable[str] | None = None
) -> tuple[pl.DataFrame, Input]:
    """Read query metadata, and return it with its provenance.

    Both come from one read, because a pipe can be read only once.
    """
    check_process()
    name = "the queries"
    table, contents = _queries_table(name, source, columns)
    name = name if contents is None else contents.name
    rows = _rows(name, table)
    found, texts, remarks = matched(name, QUERIES, table)
    refuse_floats(name, remarks)
    for column in found:
        if column in rows.columns and column not in found.values():
            raise DataError(
                f"{name} has two columns for {column}: {found[column]!r} and {column!r}. Drop or "
                f"rename one of them."
            )
    named = [
        texts.get(found[column], pl.col(found[column]).cast(pl.String)).alias(column)
        for column in (QUERY_ID, TEXT)
        if column in found
    ]
    queries = rows.select(*named, pl.exclude(*found.values()))
    check(queries, table_source(name, QUERIES, table, contents), empty=True)
    return queries, input_of("queries file", contents, len(queries))


def read_judgments(
    qrels: Source, by_subtopic: Callable[[], Source] | None = None, *, empty: bool = False
) -> pl.DataFrame:
    """Read and check judgments.

    Parameters
    ----------
    qrels
        Their source.
    by_subtopic
        Opens it as judgments of subtopics, to explain a document that occurs several times.
    empty
        Whether there may be none, as in a part of a larger source.
    """
    given = qrels.read()
    _check([RowCounts.of_rows(given, qrels)], qrels, by_subtopic, empty=empty)
    return given


def check_judgments(qrels: Source, by_subtopic: Callable[[], Source] | None = None) -> None:
    """Check judgments as `read_judgments` does, one slice after the other."""
    _check([RowCounts.of_rows(rows, qrels) for rows in qrels.slices()], qrels, by_subtopic)


def _check(
    counts: Sequence[RowCounts],
    qrels: Source,
    by_subtopic: Callable[[], Source] | None,
    *,
    empty: bool = False,
) -> None:
    try:
        RowCounts.checked(counts, qrels, empty=empty)
    except DataError as error:
        # Of text in TREC's format, the fault itself speaks of subtopics.
        known = isinstance(error, SubtopicsError)
        if not known and by_subtopic is not None and _is_valid(by_subtopic, qrels.n_slices):
            raise of_subtopics(qrels) from None
        raise


def of_subtopics(qrels: Source) -> SubtopicsError:
    """Return the error for judgments of subtopics that are read as others."""
    return SubtopicsError(
        f"{qrels.name} has a column for the subtopic, and a document occurs in several rows of one "
        f"query, once for each of its subtopics. Expected one row per query and document. Use "
        f"subtopics=True (--subtopics) to read the subtopics."
    )


def _is_valid(opened: Callable[[], Source], n_slices: int) -> bool:
    """Return whether a source can be opened, and read in so many slices, without a fault."""
    try:
        source = opened()
        if n_slices > 1:
            source = replace(source, partition=Partition(n_slices))
        check_judgments(source)
    except DataError:
        return False
    return True


def pairs_of(what: str, given: Any) -> pl.DataFrame | None:
    """Return two columns of text: passages, and the document of each.

    Parameters
    ----------
    what
        The name of the option.
    given
        A mapping, a table, or a file. A text may also be a separator, such as "_", which may be the
        name of a file too.

    Returns
    -------
    DataFrame
        None of what is no table.

    Raises
    ------
    DataError, OptionError
        If the table cannot be read, or an id is none.
    """
    if isinstance(given, Mapping):
        named = by_name(what, given)
        documents = exact_ids(what, "a document", named.values())
        try:
            return pl.DataFrame({"passage": list(named), "document": documents})
        except UnicodeEncodeError as error:
            raise OptionError(f"{what} holds invalid Unicode: {error.object!r}.") from None
    name, frame = "document_of", frame_of(given)
    is_text = isinstance(given, str) and (is_url(given) or (Path(given).suffix and is_file(given)))
    if frame is not None:
        table: SourceTable = Frame(frame.lazy)
    elif isinstance(given, os.PathLike) or is_text:
        sample = SourceBegin(contents_of(given))
        name = sample.contents.name
        table = format_of(sample, PASSAGES).table_of(sample, PASSAGES)
    else:
        return None
    rows = _rows(name, table)
    if rows.width != 2:
        raise DataError(
            f"{name} has {rows.width} columns: {', '.join(rows.columns)}. Expected two: passages, "
            f"and the document of each."
        )
    texts, remarks = identified(name, table, rows.columns)
    refuse_floats(name, remarks)
    return rows.select(texts.values())


def _queries_table(
    name: str, source: Any, columns: str | Iterable[str] | None
) -> tuple[SourceTable, Contents | None]:
    frame = frame_of(source)
    if frame is not None:
        return Frame(frame.lazy, line=line_of(source)), None
    if isinstance(source, Collection):
        return source.queries_table()
    if isinstance(source, str | os.PathLike):
        if is_beir(Path(source)):
            return Collection(Path(source)).queries_table()
        contents = contents_of(source)
        return _queries_in(contents, columns), contents
    rows = query_rows(name, source)
    if rows is None:
        raise refused(name, QUERIES, type(source).__name__)
    return Frame(rows.lazy), None


def _queries_in(contents: Contents, columns: str | Iterable[str] | None) -> SourceTable:
    """Open a file of queries."""
    sample = SourceBegin(contents)
    format_ = format_of(sample, QUERIES)
    if sample.is_document or (format_.name == "jsonl" and holds_texts(sample.line, ALIASES)):
        rows = query_rows(contents.name, read_document(contents))
        if rows is not None:
            return Frame(rows.lazy)
    if format_.bare:
        bare = headerless_queries(contents, sample.line, columns)
        if bare is not None:
            return bare
    return format_.table_of(sample, QUERIES)


def _rows(name: str, table: SourceTable) -> pl.DataFrame:
    with collecting(name):
        return table.scan(list(table.columns)).collect()
