"""Reading judgments, runs and queries from any accepted source into a checked frame."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polars as pl

from rankreport.errors import DataError
from rankreport.frames import QUERY_ID, RANK, TEXT, find_columns
from rankreport.io.beir import Collection, is_beir
from rankreport.io.delimited import Delimited
from rankreport.io.formats import contents_of, kind_of, open_source
from rankreport.io.process import check_process
from rankreport.io.schema import QRELS, RUN, SUBTOPIC_QRELS, Layout
from rankreport.io.source import (
    FOREIGN,
    POSITION,
    Contents,
    Input,
    Source,
    input_of,
    unreadable,
)
from rankreport.io.tables import (
    Frame,
    Table,
    check_identifiers,
    check_meanings,
    frame_of,
    open_table,
)
from rankreport.io.validation import check
from rankreport.io.writing import unguarded

__all__ = ["read_qrels", "read_queries", "read_queries_once", "read_run"]


def read_qrels(source: Any, *, subtopics: bool = False) -> pl.LazyFrame:
    """Read relevance judgments.

    Parameters
    ----------
    source
        A path (TREC text ``query iteration document grade``, CSV or TSV with a header, Parquet,
        JSON lines, JSON; plain, gzip or zstd), a BEIR folder, an export of a search engine, an
        address such as ``s3://...``, ``"-"`` for standard input, a Polars, pandas, PyArrow or
        DuckDB table, or ``{query: {document: grade}}``. The iteration is ignored.
        `docs/inputs.md` shows each of these.
    subtopics
        Whether documents were judged separately for each subtopic of a query: the fields of TREC
        text are then ``query subtopic document grade``, a table has a column ``subtopic``, and
        mappings are ``{query: {document: {subtopic: grade}}}``.

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
    layout = SUBTOPIC_QRELS if subtopics else QRELS
    return _read(open_source(source, layout), layout)


def read_run(source: Any) -> pl.LazyFrame:
    """Read one system's ranked results.

    Parameters
    ----------
    source
        As for `read_qrels`; the fields of TREC text are ``query Q0 document rank score tag``.
        A table may have ranks instead of scores.

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
    return _read(open_source(source, RUN), RUN)


def read_queries(source: Any) -> pl.DataFrame:
    """Read query metadata: their text, and columns to group them by.

    Parameters
    ----------
    source
        A path to CSV or TSV with a header, Parquet or JSON lines, a BEIR folder, or a table.

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
    return read_queries_once(source)[0]


def read_queries_once(source: Any) -> tuple[pl.DataFrame, Input]:
    """Read query metadata, and return it with its provenance.

    Both come from one read, because a pipe can be read only once.
    """
    check_process()
    name, table, contents = _table_of_queries(source)
    try:
        rows = table.scan(list(table.columns)).collect()
    except FOREIGN as error:
        raise unreadable(name, error) from None
    # A column "query" is the text if another column can be the id; else it is the id.
    found, missing = find_columns(rows.columns, [TEXT, QUERY_ID])
    if QUERY_ID in missing:
        found, missing = find_columns(rows.columns, [QUERY_ID, TEXT])
    if QUERY_ID in missing:
        columns = ", ".join(rows.columns)
        raise DataError(f"{name} has no column for query_id. Its columns: {columns}.")
    check_meanings(name, rows.columns, {QUERY_ID: found[QUERY_ID]})
    check_identifiers(name, found[QUERY_ID], rows.schema[found[QUERY_ID]])
    for column in found:
        if column in rows.columns and column not in found.values():
            raise DataError(
                f"{name} has two columns for {column}: {found[column]!r} and {column!r}. Drop or "
                f"rename one of them."
            )
    named = [
        pl.col(found[column]).cast(pl.String).alias(column)
        for column in (QUERY_ID, TEXT)
        if column in found
    ]
    queries = rows.select(*named, pl.exclude(*found.values()))
    own = found[QUERY_ID]
    table.check_keys({QUERY_ID: own})
    if queries[QUERY_ID].null_count():
        nameless = table.numbered([own]).filter(pl.col(own).is_null()).collect()
        raise DataError(f"{name}, {table.unit} {nameless[POSITION][0]} has no query_id.")
    twice = queries.filter(pl.col(QUERY_ID).is_duplicated())
    if not twice.is_empty():
        msg = f"{name}: query {twice[QUERY_ID][0]!r} stands more than once; one row each, please."
        raise DataError(msg)
    if isinstance(table, Delimited):
        queries = unguarded(queries)
    return queries, input_of("queries file", contents, len(queries))


def _table_of_queries(source: Any) -> tuple[str, Table, Contents | None]:
    """Return queries with their name in messages, and the file that holds them."""
    name = "the queries"
    given = frame_of(source)
    if given is not None:
        frame = given.lazy()
        return name, Frame(lambda: frame), None
    if isinstance(source, Collection):
        table, contents = source.queries_table()
        return contents.name, table, contents
    if not isinstance(source, str | os.PathLike):
        raise DataError(f"{name}: expected a path or a table, found {type(source).__name__}.")
    if is_beir(Path(source)):
        return _table_of_queries(Collection(Path(source)))
    contents = contents_of(source)
    kind = kind_of(contents, "a table of queries")
    if kind not in {"csv", "tsv", "parquet", "jsonl"}:
        raise DataError(
            f"{contents.name} has no header. Queries need one that names a query_id."
            if kind == "text"
            else f"{contents.name} is one JSON value. Queries need one object per line."
        )
    return contents.name, open_table(contents, kind), contents


def _read(source: Source, layout: Layout) -> pl.LazyFrame:
    ranked = layout is RUN and RANK in source.columns
    rows = source.read(*([RANK] if ranked else []))
    check(rows, source)
    return rows.lazy().cast({QUERY_ID: pl.String})
