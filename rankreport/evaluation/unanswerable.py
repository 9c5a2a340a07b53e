"""Queries that have no answer: which they are, and what is known of them without judgments.

Returning nothing is right for them. They are evaluated, but every measure is undefined for them
except `FalseAnswer`, so that all means are over answerable queries.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import polars as pl

from rankreport.errors import DataError, expect
from rankreport.frames import N_RETRIEVED, QUERY_ID, SYSTEM
from rankreport.io import by_name, exact_ids, read_queries
from rankreport.measures import RATES, FalseAnswer, Measure
from rankreport.text import counted, say

UNANSWERABLE = "unanswerable"
"""The column of query tables that says whether a query has no answer."""

_NAMED = 5
_FLAGS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}


def unanswerable_of(given: Any) -> tuple[str, ...]:
    """Return the queries without an answer, of what `rankreport.evaluate` was given.

    Raises
    ------
    DataError
        If a file cannot be read, an id is no identifier, or a flag is neither true nor false.
    OptionError
        If it is none of what is accepted.

    Examples
    --------
    >>> unanswerable_of(["q7", "q2"]), unanswerable_of({"q1": True, "q2": False})
    (('q2', 'q7'), ('q1',))
    """
    if given is None:
        return ()
    if isinstance(given, Mapping):
        flags = by_name(UNANSWERABLE, given)
        rows = [(query, str(flag)) for query, flag in flags.items()]
        return declared_in(pl.DataFrame(rows, [QUERY_ID, UNANSWERABLE], orient="row"))
    if isinstance(given, str | os.PathLike) or hasattr(given, "columns"):
        table = _read(given)
        return declared_in(table) if UNANSWERABLE in table.columns else _by_name(table[QUERY_ID])
    expect(given, (Iterable,), "unanswerable takes ids of queries, {query_id: bool} or a file")
    return _by_name(exact_ids(UNANSWERABLE, "a query", given))


def _by_name(queries: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*queries}))


def _read(source: Any) -> pl.DataFrame:
    """Read a table of queries, or text with an id on each line."""
    try:
        return read_queries(source)
    except DataError as error:
        with suppress(DataError):
            return read_queries(source, columns=QUERY_ID)
        raise error from None


def declared_in(queries: pl.DataFrame | None) -> tuple[str, ...]:
    """Return the queries that a column of a table declares to have no answer.

    Raises
    ------
    DataError
        If a value is neither true nor false; a missing one is false.
    """
    if queries is None or UNANSWERABLE not in queries.columns:
        return ()
    given = queries[UNANSWERABLE].cast(pl.String).str.to_lowercase()
    flags = given.replace_strict(_FLAGS, default=None, return_dtype=pl.Boolean)
    unknown = queries.filter(given.is_not_null() & flags.is_null())
    if len(unknown):
        query, value = unknown.select(QUERY_ID, UNANSWERABLE).row(0)
        raise DataError(
            f"unanswerable is {value!r} for query {query!r}; expected true (no answer) or false."
        )
    return _by_name(queries.filter(flags)[QUERY_ID])


def with_rates(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return measures with the two rates of queries that have an answer and of those that have not.

    >>> from rankreport.measures import RR
    >>> with_rates([RR])
    (RR, FalseAnswer, FalseAbstention)
    """
    return tuple(dict.fromkeys([*measures, *RATES]))


def queries_in_words(n_queries: int, n_unanswerable: int) -> str:
    """Return the number of queries that count in means, and of those without an answer.

    >>> queries_in_words(60, 0)
    '60 queries'
    >>> queries_in_words(100, 50)
    '100 queries with an answer, 50 without'
    """
    if not n_unanswerable:
        return counted(n_queries, "query", "queries")
    return say(
        "{queries} with an answer, {n} without",
        queries=counted(n_queries, "query", "queries"),
        n=f"{n_unanswerable:,}",
    )


def is_unanswerable(unanswerable: Sequence[str]) -> pl.Expr:
    """Return whether each query has no answer."""
    return pl.col(QUERY_ID).is_in(list(unanswerable))


def check_without_relevant(queries: pl.DataFrame, unanswerable: Sequence[str]) -> None:
    """Refuse relevant documents of queries without an answer.

    Parameters
    ----------
    queries
        ``query_id, n_relevant``.
    unanswerable
        The queries without an answer.

    Raises
    ------
    DataError
        If there are any.
    """
    wrong = queries.filter(is_unanswerable(unanswerable), pl.col("n_relevant") > 0)
    names = wrong[QUERY_ID].unique().sort()
    if len(names):
        raise DataError(
            f"Queries declared unanswerable have relevant documents in the judgments: "
            f"{', '.join(map(repr, names.head(_NAMED)))} ({len(names):,}). Correct one of the two."
        )


def with_unanswerable(
    values: pl.DataFrame, lists: pl.DataFrame, unanswerable: Sequence[str]
) -> list[pl.DataFrame]:
    """Return the values of answerable queries, and those of the others.

    Parameters
    ----------
    values
        ``system, query_id`` and a column per measure, of answerable queries.
    lists
        ``system, query_id, n_retrieved`` of all queries.
    unanswerable
        The queries without an answer.
    """
    rate, undefined = str(FalseAnswer), pl.lit(None, pl.Float64)
    of_none = {name: undefined for name in values.columns if name not in {SYSTEM, QUERY_ID}}
    returned = (pl.col(N_RETRIEVED) > 0).cast(pl.Float64)
    own = {rate: returned} if rate in of_none else {}
    others = lists.filter(is_unanswerable(unanswerable))
    return [
        values.with_columns(undefined.alias(name) for name in own),
        others.select(SYSTEM, QUERY_ID, **{**of_none, **own}),
    ]
