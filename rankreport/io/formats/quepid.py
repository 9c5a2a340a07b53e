"""Quepid's exports: ratings of a case, a book of judgments, and snapshots of results.

Quepid names queries by their text, and writes a space before a text that begins with ``-``, ``=``,
``+`` or ``@``, so that no spreadsheet takes it for a formula; that space is removed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from rankreport.column_names import ALIASES, folded
from rankreport.errors import DataError
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SCORE, SUBTOPIC
from rankreport.io.formats.declare import SourceBegin, SourceFormat, SystemOfFile
from rankreport.io.formats.delimited import CSV, Delimited
from rankreport.io.roles import RUN, Role, swapped
from rankreport.io.source import POSITION, Contents, Remark, Source
from rankreport.io.tables import Frame, table_source

_RATINGS = ("query", "docid", "rating")
_SNAPSHOT = ("Snapshot Name", "Query Text", "Doc ID", "Doc Position")
_DETAILED = ("Case Name", "Query Text", "Doc ID", "Doc Position", "Rating")
_RESULTS = "is a snapshot of Quepid, which is a run"
_TOP = 3
"""How many of the highest ratings Quepid looks at."""


def _kind(sample: SourceBegin) -> str | None:
    """Return which export has this header: ratings, book, snapshot or detailed; None if none."""
    names = [name.strip().strip('"') for name in sample.line.split(",")]
    if tuple(names) == _RATINGS:
        return "ratings"
    if set(_SNAPSHOT) <= set(names):
        return "snapshot"
    if set(_DETAILED) <= set(names):
        return "detailed"
    others = [folded(name) for name in names[2:]]
    known = {alias for column in (RELEVANCE, SCORE, RANK, SUBTOPIC) for alias in ALIASES[column]}
    is_book = tuple(names[:2]) == _RATINGS[:2] and bool(others) and not known.intersection(others)
    return "book" if is_book else None


def _rated(sample: SourceBegin, role: Role) -> Source:
    """Open ratings, or a book of them, as judgments."""
    contents = sample.contents
    table = Delimited(contents, ",")
    columns = list(table.columns)
    rows = table.numbered(columns).collect()
    read = _judgments if _kind(sample) == "ratings" else _book
    return read(contents, role, rows, columns)


def _rated_results(sample: SourceBegin, role: Role) -> Source:
    if _kind(sample) == "snapshot":
        raise swapped(sample.contents.name, _RESULTS, role)
    rows = _lenient(sample.contents)
    return _judgments(sample.contents, role, rows, ("Query Text", "Doc ID", "Rating"))


def _text_of(column: str) -> pl.Expr:
    return pl.col(column).str.strip_chars().replace("", None)


def _judgments(
    contents: Contents, role: Role, rows: pl.DataFrame, columns: Sequence[str]
) -> Source:
    """Return a source over ratings; queries and documents without a rating are counted.

    The columns are those of the query, the document and the rating.
    """
    query, document, rating = columns
    texts = rows.select(
        POSITION,
        _text_of(query).alias(QUERY_ID),
        _text_of(document).alias(DOC_ID),
        _text_of(rating).alias(RELEVANCE),
    )
    lost = texts.filter(pl.col(DOC_ID).is_null() & pl.col(RELEVANCE).is_not_null())
    if len(lost):
        raise DataError(f"{contents.name}, line {lost[POSITION][0]} has a rating and no document.")
    rated = texts.filter(pl.col(RELEVANCE).is_not_null())
    unrated = texts.filter(~pl.col(QUERY_ID).is_in(rated[QUERY_ID].unique().implode()))
    queries = unrated[QUERY_ID].drop_nulls().unique(maintain_order=True)
    named = texts.filter(pl.col(DOC_ID).is_not_null() & pl.col(RELEVANCE).is_null())
    source = table_source(contents.name, role, Frame(rated.lazy, of_lines=True), contents)
    remarks = []
    if len(queries):
        remarks.append(Remark("unrated", len(queries), tuple(queries.head(5))))
    if len(named):
        remarks.append(Remark("unrated_documents", len(named), tuple(named[DOC_ID].head(5))))
    return replace(source, remarks=tuple(remarks))


def _book(contents: Contents, role: Role, rows: pl.DataFrame, columns: Sequence[str]) -> Source:
    """Return a source over one grade per document, as Quepid makes it of several ratings."""
    query, document, *raters = columns
    numbers = rows.with_columns(_text_of(r).cast(pl.Float64, strict=False) for r in raters)
    for rater in raters:
        given = rows.select(_text_of(rater))[rater]
        wrong = rows.filter(given.is_not_null() & numbers[rater].is_null())
        if len(wrong):
            raise DataError(
                f"{contents.name}, line {wrong[POSITION][0]} has {wrong[rater][0]!r} where the "
                f"rating of {rater!r} belongs. Expected a book of Quepid: query, docid, and a "
                f"column of numbers per rater."
            )
    ratings = pl.concat_list(raters).list.drop_nulls().list.sort(descending=True)
    whole = all((numbers[r].drop_nulls() == numbers[r].drop_nulls().floor()).all() for r in raters)
    few = ratings.list.mean()
    grade = (
        pl.when(ratings.list.len() >= _TOP)
        .then(ratings.list.get(_TOP - 1, null_on_oob=True))
        .otherwise((few + 0.5).floor() if whole else few)
    )
    several = numbers.filter(ratings.list.len() > 1)
    graded = numbers.select(
        POSITION,
        pl.col(query),
        pl.col(document),
        grade.cast(pl.String).alias(RELEVANCE),
    )
    source = _judgments(contents, role, graded, (query, document, RELEVANCE))
    if len(several):
        names = tuple(raters)
        remark = Remark("several_raters", len(several), names[:5])
        source = replace(source, remarks=(*source.remarks, remark))
    return source


def _is_case(sample: SourceBegin) -> bool:
    """Return whether this is a case as JSON: its queries, each with grades of documents."""
    queries = sample.value.get("queries") if isinstance(sample.value, Mapping) else None
    return isinstance(queries, list) and all(
        isinstance(each, Mapping) and {"query_text", "query"} & each.keys() and "ratings" in each
        for each in queries
    )


def _case(sample: SourceBegin, role: Role) -> Source:
    columns: dict[str, list[object]] = {QUERY_ID: [], DOC_ID: [], RELEVANCE: []}
    for each in sample.value["queries"]:
        for document, rating in (each["ratings"] or {"": None}).items():
            columns[QUERY_ID].append(each.get("query_text", each.get("query")))
            columns[DOC_ID].append(document)
            columns[RELEVANCE].append(rating)
    rows = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String), strict=False)
    return _judgments(sample.contents, role, rows.with_row_index(POSITION, 1), tuple(columns))


def _snapshots(sample: SourceBegin) -> dict[str, SystemOfFile | None]:
    """Return the results of each snapshot by its name.

    Raises
    ------
    DataError
        If the file cannot be read, or lacks a column.
    """
    contents = sample.contents
    rows = _lenient(contents)
    column = "Snapshot Name" if "Snapshot Name" in rows.columns else "Case Name"
    results = rows.select(
        pl.col(column).str.strip_chars().alias(column),
        POSITION,
        _text_of("Query Text").alias(QUERY_ID),
        _text_of("Doc ID").alias(DOC_ID),
        _text_of("Doc Position").alias(RANK),
    ).filter(pl.any_horizontal(pl.col(DOC_ID, RANK).is_not_null()))
    # The same number of results was requested in all snapshots of a case.
    depth = results.group_by(column, QUERY_ID).len()["len"].cast(pl.Int64).to_list()
    parts = results.partition_by(column, as_dict=True, maintain_order=True)
    if not parts:
        raise DataError(f"{contents.name} has no rows. Expected snapshots of Quepid.")
    return {
        str(name): SystemOfFile(
            str(name),
            _RESULTS,
            contents,
            partial(_of_snapshot, contents, part.drop(column), max(depth)),
        )
        for (name,), part in parts.items()
    }


def _of_snapshot(contents: Contents, rows: pl.DataFrame, depth: int) -> Source:
    """Open the results of one snapshot."""
    return replace(
        table_source(contents.name, RUN, Frame(rows.lazy, of_lines=True), contents), depth=depth
    )


def _lenient(contents: Contents) -> pl.DataFrame:
    """Read a file that Quepid's pages write, with the line at which each record begins.

    Raises
    ------
    DataError
        If a record has more fields than the header.
    """
    table = Delimited(contents, ",", lenient=True)
    names = list(table.columns)
    for name in {*_SNAPSHOT, *_DETAILED}:
        if f"{name}_duplicated_0" in names:
            raise DataError(f"{contents.name} has two columns {name!r}. Drop one of them.")
    return table.numbered(names).collect().rename(str.strip)


_NOTE = (
    "ratings of Quepid (query,docid,rating), books (query,docid and a column per rater) and "
    "snapshots (Snapshot Name, Query Text, Doc ID, Doc Position)"
)

CASE = SourceFormat(
    "quepid", _is_case, "is a case of Quepid, which holds judgments", judgments=_case, note=_NOTE
)
RATED = SourceFormat(
    "quepid",
    lambda sample: _kind(sample) in {"ratings", "book"},
    judgments=_rated,
    table=CSV.table,
    note=_NOTE,
)
SHOWN = SourceFormat(
    "quepid",
    lambda sample: _kind(sample) in {"snapshot", "detailed"},
    judgments=_rated_results,
    systems=_snapshots,
    table=CSV.table,
    note=_NOTE,
)
