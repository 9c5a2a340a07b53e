"""The table on queries without an answer: when systems returned something, and when nothing."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from rankreport.comparison import Comparison
from rankreport.evaluation import DEFAULT_INTERVAL, RATES
from rankreport.frames import MEASURE
from rankreport.reports.content import Content
from rankreport.tables import Table, to_table
from rankreport.text import counted, number, percent, say


def rates_of(content: Content) -> tuple[Table, ...]:
    """Return the table of both rates, if some queries have no answer."""
    evaluation, comparison = content.evaluation, content.comparison
    n = len(evaluation.unanswerable)
    if not n:
        return ()
    titles = {
        str(measure): title
        for measure, title in zip(
            RATES,
            (say("no answer, but something returned"), say("has an answer, but nothing returned")),
            strict=True,
        )
    }
    if comparison is not None and len(comparison.pairs) == 1:
        headers, rows = _of_pair(comparison, titles)
    else:
        confidence = DEFAULT_INTERVAL.confidence
        headers = (say("queries"), say("system"), say("rate"), *_interval(confidence))
        rows = (
            (f"{titles[name]} ({n_queries:,})", system, percent(mean, whole=True), _ends(low, high))
            for system, name, mean, low, high, n_queries in evaluation.means().iter_rows()
            if name in titles
        )
    caption = say(
        "{queries} no answer: returning nothing is right for them. In each row, lower is better.",
        queries=counted(n, "query has", "queries have"),
    )
    frame = pl.DataFrame(list(rows), schema=list(map(str, range(len(headers)))), orient="row")
    return (to_table(frame, headers=headers, caption=caption),)


def _of_pair(
    comparison: Comparison, titles: dict[str, str]
) -> tuple[tuple[str, ...], Iterable[tuple[str, ...]]]:
    """Return the headers and rows of a pair: of each rate, both systems and the difference."""
    (pair,) = comparison.pairs
    headers = (say("queries"), *pair, say("change"), *_interval(comparison.confidence))
    columns = ("n_queries", "mean_baseline", "mean_system", "delta", "ci_low", "ci_high")
    rows = comparison.table().filter(pl.col(MEASURE).is_in(titles))
    return headers, (
        (
            f"{titles[name]} ({n:,})",
            percent(before, whole=True),
            percent(after, whole=True),
            _points(delta),
            _ends(low, high, signed=True),
        )
        for name, n, before, after, delta, low, high in rows.select(MEASURE, *columns).iter_rows()
    )


def _interval(confidence: float) -> tuple[str]:
    return (say("{confidence} interval", confidence=percent(confidence)),)


def _points(share: float | None, *, signed: bool = True) -> str:
    """Return percentage points without their unit."""
    return number(None if share is None else 100 * share, 0, signed=signed)


def _ends(low: float | None, high: float | None, *, signed: bool = False) -> str:
    if low is None or high is None:
        return say("none")
    ends = {"low": _points(low, signed=signed), "high": _points(high, signed=signed)}
    return say("{low} to {high} points", **ends) if signed else say("{low} to {high} %", **ends)
