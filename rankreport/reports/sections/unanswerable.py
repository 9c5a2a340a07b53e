"""The table on queries without an answer: when systems returned something, and when nothing."""

from __future__ import annotations

import polars as pl

from rankreport.comparison import Comparison, Pair
from rankreport.evaluation import DEFAULT_INTERVAL
from rankreport.frames import MEASURE, SYSTEM
from rankreport.measures import RATES, FalseAnswer
from rankreport.reports.content import Content
from rankreport.tables import Table
from rankreport.text import number, percent, say

_ROUNDING = 1e-9
"""Numbers of queries whose mean differs by no more are whole."""


def rates_of(content: Content) -> tuple[Table, ...]:
    """Return the table of both rates, if some queries have no answer."""
    evaluation, comparison = content.evaluation, content.comparison
    if not evaluation.unanswerable:
        return ()
    signed = comparison is not None and len(comparison.pairs) == 1
    if comparison is not None and signed:
        (pair,), found, confidence = comparison.pairs, comparison.table(), comparison.confidence
        columns = ["mean_baseline", "mean_system", "delta"]
        headers = [*pair, say("percentage points")]
    else:
        found, confidence = evaluation.means(), DEFAULT_INTERVAL.confidence
        columns, headers = [SYSTEM, "mean"], [say("system"), say("share in %")]
    titles = {str(rate): say(rate.declaration.title) for rate in RATES}
    figures = found.select(MEASURE, "n_queries", *columns, "ci_low", "ci_high").iter_rows()
    rows = [
        (
            titles[name],
            *(e if isinstance(e, str) else _counted(n, e) for e in shown),
            _points(value, low, high, signed=signed),
        )
        for name, n, *shown, value, low, high in figures
        if name in titles and value is not None
    ]
    caption = say(
        "False answers: something was returned though the query has no answer. False abstentions: "
        "nothing was returned though it has one. Lower is better."
    )
    named = (say("measure"), *headers[:-1], f"{headers[-1]} ({percent(confidence)})")
    return (Table(named, tuple(rows), frozenset(range(1 + (not signed), len(named))), caption),)


def answered_in_words(comparison: Comparison, pair: Pair) -> str:
    """Return how many of the queries without an answer each system of a pair answered, if any."""
    of_rate = comparison.table().filter(
        pl.col(MEASURE) == str(FalseAnswer), pl.col("n_queries") > 0
    )
    if of_rate.is_empty():
        return ""
    n, before, after = of_rate.select("n_queries", "mean_baseline", "mean_system").row(0)
    return say(
        "Queries without an answer: {baseline} answered {before}, {system} {after}; fewer is "
        "better.",
        before=_counted(n, before),
        after=_counted(n, after),
        **pair._asdict(),
    )


def _counted(n: int, value: float) -> str:
    """Return a share of n queries as their number; of weighted ones, in per cent."""
    whole = round(n * value)
    if abs(whole - n * value) > _ROUNDING:
        return percent(value)
    return say("{n} of {all}", n=f"{whole:,}", all=f"{n:,}")


def _points(value: float, low: float | None, high: float | None, *, signed: bool) -> str:
    """Return percentage points with their interval, if it is known."""
    if low is None or high is None:
        return number(100 * value, 0, signed=signed)
    shown, *ends = (number(100 * each, 0, signed=signed) for each in (value, low, high))
    between = say("{low} to {high}", **dict(zip(("low", "high"), ends, strict=True)))
    return f"{shown} ({between})"
