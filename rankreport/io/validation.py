"""Validation of rows, with errors that name the line.

The first pass only counts. If it finds an error, a second pass reads the source again with line
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import polars as pl

from rankreport.errors import DataError
from rankreport.frames import DOC_ID, N_RETRIEVED, QUERY_ID, RANK, SUBTOPIC
from rankreport.io.schema import ITERATION, QRELS, RUN
from rankreport.io.source import FOREIGN, POSITION, Source, unreadable
from rankreport.io.trec import LINE, N_FIELDS

__all__ = [
    "AFTER_MARK",
    "BOM",
    "check",
    "check_ranks",
    "fault",
    "faults",
    "missing_ids",
    "wrong_fields",
]

_SHOWN = 80
BOM = "\ufeff"
AFTER_MARK = (
    "begins with a byte-order mark, as where files were joined that each had one, so its query "
    "would be another one. Remove it"
)
"""What is wrong with a row whose query begins with a mark that nobody sees."""


def check(
    rows: pl.DataFrame, source: Source, *, repeated: bool = False, empty: bool = False
) -> pl.DataFrame:
    """Check that rows can be evaluated, and count the rows of each query.

    Parameters
    ----------
    rows
        The result of `Source.read`.
    source
        The source of the rows, for the second pass.
    repeated
        Whether a document may be repeated in a query, as where passages are folded.
    empty
        Whether there may be no rows, as in a part of a larger source.

    Returns
    -------
    DataFrame
        ``query_id``, as in ``rows``, and ``n_retrieved`` (UInt32).

    Raises
    ------
    DataError
        If fields are missing, a value is not a finite number, a document is repeated in a query (or
        in a subtopic), or there are no rows. The message names the first invalid line and counts
        the others.
    """
    if rows.is_empty() and not empty:
        raise DataError(f"{source.name} has no rows. Expected {source.layout.noun}.")
    within = [column for column in source.layout.keys if column != QUERY_ID]
    usable = pl.col(source.layout.value).is_finite()
    for column in within:
        usable &= pl.col(column).is_not_null()
    # Counting distinct documents per query is 10 times faster than counting distinct pairs.
    distinct = pl.col(DOC_ID) if within == [DOC_ID] else pl.struct(within)
    queries = (
        rows.lazy()
        .group_by(QUERY_ID)
        .agg(
            pl.len().alias(N_RETRIEVED),
            usable.sum().alias("usable"),
            distinct.n_unique().alias("distinct"),
        )
        .filter(pl.col(QUERY_ID).is_not_null())
        # The streaming engine would need twice the time and 1.5 times the memory.
        .collect(engine="in-memory")
    )
    if _marked(queries):
        raise _behind_mark(source)
    n_distinct = len(rows) if repeated else queries["distinct"].sum()
    if queries["usable"].sum() < len(rows) or n_distinct < len(rows):
        raise _first_fault(source)
    return queries.select(QUERY_ID, N_RETRIEVED)


def _marked(queries: pl.DataFrame) -> bool:
    """Return whether a query's name begins with a byte-order mark, which nobody sees."""
    names = queries.select(pl.col(QUERY_ID).cast(pl.String).str.starts_with(BOM).any())
    return bool(names.item())


def _behind_mark(source: Source) -> DataError:
    rows = source.numbered().filter(pl.col(QUERY_ID).str.starts_with(BOM)).collect()
    return fault(source, rows, AFTER_MARK)


def check_ranks(rows: pl.DataFrame, source: Source) -> None:
    """Raise an error if the rank column does not order the documents of every query.

    Raises
    ------
    DataError
        If a rank is missing or not a whole number, or two documents of a query share one.
    """
    keys = [QUERY_ID, RANK]
    faulty = (
        rows.lazy().select(keys).filter(pl.col(RANK).is_null() | pl.struct(keys).is_duplicated())
    )
    first = faulty.head(1).collect()
    if not first.is_empty():
        query, rank = first.row(0)
        what = (
            "a rank that is not a whole number" if rank is None else f"rank {rank} more than once"
        )
        msg = (
            f"{source.name}: query {query!r} has {what}. ties='rank' needs a unique rank "
            f"for each document of a query; ties='trec' orders by score instead."
        )
        raise DataError(msg)


def _first_fault(source: Source) -> DataError:
    changed = DataError(f"{source.name} changed while it was read. Try again.")
    return next((error for _, error in faults(source)), changed)


def faults(source: Source) -> Iterator[tuple[str, DataError]]:
    """Yield what is wrong with the rows of a source, each kind of fault once.

    Yields
    ------
    kind : str
        ``"invalid"`` or ``"repeated"``.
    error : DataError
        With the first row, and the number of others. A row has the first of its faults alone.
    """
    try:
        rows = source.numbered().collect()
    except FOREIGN as error:
        yield "invalid", unreadable(source.name, error)
        return
    number = pl.col(source.layout.value).cast(pl.Float64, strict=False)
    right_fields = pl.lit(value=True)
    if N_FIELDS in rows.columns:
        right_fields = pl.col(N_FIELDS) == len(source.layout.fields)
    named = pl.all_horizontal(pl.col(key).is_not_null() for key in source.layout.keys)
    finders: tuple[tuple[_Finder, pl.Expr], ...] = (
        (wrong_fields, right_fields),
        (missing_ids, named),
        (_not_numbers, number.is_not_null()),
        (_not_finite, number.is_finite()),
    )
    for find, right in finders:
        found = find(rows, source)
        if found is not None:
            yield "invalid", found
            rows = rows.filter(right)
    found = _twice(rows, source)
    if found is not None:
        yield "repeated", found


_Finder = Callable[[pl.DataFrame, Source], DataError | None]


def wrong_fields(rows: pl.DataFrame, source: Source) -> DataError | None:
    """Return an error for the first line that has not the fields of the layout, if any."""
    if N_FIELDS not in rows.columns:
        return None
    fields = source.layout.fields
    faulty = rows.filter(pl.col(N_FIELDS) != len(fields))
    if faulty.is_empty():
        return None
    first = faulty.row(0, named=True)
    return fault(
        source,
        faulty,
        f"has {first[N_FIELDS]} fields where {len(fields)} are expected ({' '.join(fields)}): "
        f"{_quote(first[LINE])}",
    )


def missing_ids(rows: pl.DataFrame, source: Source) -> DataError | None:
    """Return an error for the first row without a key, if any."""
    for column in source.layout.keys:
        faulty = rows.filter(pl.col(column).is_null())
        if not faulty.is_empty():
            return fault(source, faulty, f"has no {column}")
    return None


def _not_numbers(rows: pl.DataFrame, source: Source) -> DataError | None:
    number = pl.col(source.layout.value).cast(pl.Float64, strict=False)
    faulty = rows.filter(number.is_null())
    if faulty.is_empty():
        return None
    found = faulty[source.layout.value][0]
    what = "no value" if found is None else _quote(found)
    return fault(source, faulty, f"has {what} where the {source.layout.value_noun} belongs")


def _not_finite(rows: pl.DataFrame, source: Source) -> DataError | None:
    faulty = rows.filter(~pl.col(source.layout.value).cast(pl.Float64).is_finite())
    if faulty.is_empty():
        return None
    first = faulty.row(0, named=True)
    return fault(
        source,
        faulty,
        f"has {source.layout.value_noun} {first[source.layout.value]} for document "
        f"{first[DOC_ID]!r} of query {first[QUERY_ID]!r}; a finite number is expected",
    )


def _twice(rows: pl.DataFrame, source: Source) -> DataError | None:
    keys = source.layout.keys
    again = rows.filter(~pl.struct(keys).is_first_distinct())
    if again.is_empty():
        return None
    second = again.row(0, named=True)
    both = rows.filter(*(pl.col(key) == second[key] for key in keys))
    first = both.row(0, named=True)
    value = source.layout.value
    of = f" for subtopic {second[SUBTOPIC]!r}" if SUBTOPIC in keys else ""
    conflict = (
        ""
        if source.layout is RUN or first[value] == second[value]
        else f", with grades {first[value]} and {second[value]}"
    )
    return fault(
        source,
        again,
        f"repeats document {second[DOC_ID]!r} of query {second[QUERY_ID]!r}{of}, which is on "
        f"{source.unit} {first[POSITION]} already{conflict}{_hint(source, first, second)}",
        _FOLDING if source.layout is RUN else "",
    )


_FOLDING = (
    " Where rows are passages of documents, or copies, rr.evaluate(..., collapse='max') "
    "(--collapse max) folds them into one row per document."
)


def _hint(source: Source, first: dict[str, Any], second: dict[str, Any]) -> str:
    """Return a hint on subtopics if the second fields of two judgments differ."""
    if source.layout is not QRELS or first.get(ITERATION) == second.get(ITERATION):
        return ""
    return (
        f"; they differ in the second field ({first[ITERATION]}, {second[ITERATION]}): if it names "
        f"a subtopic, use subtopics=True (--subtopics)"
    )


def fault(source: Source, faulty: pl.DataFrame, what: str, remedy: str = "") -> DataError:
    """Return an error with the first faulty row and the number of others."""
    position, *others = faulty[POSITION].to_list()
    more = ""
    if others:
        named = ", ".join(map(str, others[:5]))
        named += f", and {len(others) - 5} more" if len(others) > 5 else ""
        units = source.unit if len(others) == 1 else f"{source.unit}s"
        more = f" The same is wrong with {len(others)} more {units}: {named}."
    return DataError(f"{source.name}, {source.unit} {position} {what}.{more}{remedy}")


def _quote(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
