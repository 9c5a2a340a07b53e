"""The table on queries without an answer: when systems returned something, and when nothing."""

from __future__ import annotations

import polars as pl

from rankreport.comparison import Comparison, Pair
from rankreport.evaluation import DEFAULT_INTERVAL
from rankreport.frames import MEASURE, SYSTEM
from rankreport.measures import RATES, FalseAnswer
from rankreport.reports.content import Content
from rankreport.tables import Table
from rankreport.text import counted, number, percent, say, unbroken


def rates_of(content: Content) -> tuple[Table, ...]:
    """Return the table of both rates, if some queries have no answer."""
    evaluation, comparison = content.evaluation, content.comparison
    if not evaluation.unanswerable:
        return ()
    signed = comparison is not None and len(comparison.pairs) == 1
    if comparison is not None and signed:
        (pair,), found, confidence = comparison.pairs, comparison.table(), comparison.confidence
        columns, headers = ["mean_baseline", "mean_system", "delta"], [*pair, say("points")]
    else:
        found, confidence = evaluation.means(), DEFAULT_INTERVAL.confidence
        columns, headers = [SYSTEM, "mean"], [say("system"), say("share in %")]
    titles = {str(rate): say(rate.declaration.title) for rate in RATES}
    figures = found.select(MEASURE, *columns, "ci_low", "ci_high").iter_rows()
    rows = [
        (titles[name], *map(_share, shown), _points(value, low, high, signed=signed))
        for name, *shown, value, low, high in figures
        if name in titles and value is not None
    ]
    caption = say(
        "False answers: of {queries} without an answer, those answered. False abstentions: of "
        "the other {n}, those not answered. Lower is better.",
        queries=counted(len(evaluation.unanswerable), "query", "queries"),
        n=f"{len(evaluation.query_ids) - len(evaluation.unanswerable):,}",
    )
    named = (say("measure"), *headers[:-1], unbroken(f"{headers[-1]} ({percent(confidence)})"))
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
        "Of {queries} without an answer, {baseline} answered {before}, {system} {after}.",
        queries=counted(n, "query", "queries"),
        before=percent(before, whole=True),
        after=percent(after, whole=True),
        **pair._asdict(),
    )


def _share(value: float | str) -> str:
    return value if isinstance(value, str) else percent(value, whole=True)


def _points(value: float, low: float | None, high: float | None, *, signed: bool) -> str:
    """Return percentage points with their interval, if it is known."""
    if low is None or high is None:
        return number(100 * value, 0, signed=signed)
    shown, *ends = (number(100 * each, 0, signed=signed) for each in (value, low, high))
    between = say("{low} to {high}", **dict(zip(("low", "high"), ends, strict=True)))
    return f"{shown} ({between})".replace(" ", "\N{NO-BREAK SPACE}")
