"""Readable tables of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankreport.comparison.columns import HEADINGS
from rankreport.tables import Table
from rankreport.text import between, counted, number, p_value, percent, say

if TYPE_CHECKING:
    import polars as pl

__all__ = ["comparison_table", "segments_table"]


def comparison_table(
    comparison: pl.DataFrame,
    baseline: str | None,
    confidence: float,
    correction: str,
    n_effective: float | None = None,
) -> Table:
    """Return a comparison as a readable table.

    Parameters
    ----------
    comparison
        The frame of `rankreport.Comparison.table`.
    baseline
        The baseline; None if there are several, which are then named in the rows.
    confidence
        Confidence level of the intervals.
    correction
        Short name of the correction; empty to leave out adjusted p-values.
    n_effective
        Effective number of queries, if they are weighted.
    """
    rows = tuple(
        (
            row["measure"],
            row["system"],
            *([row["baseline"]] if baseline is None else []),
            number(row["mean_baseline"]),
            number(row["mean_system"]),
            number(row["delta"], signed=True),
            between(row["ci_low"], row["ci_high"], signed=True),
            p_value(row["p_value"]),
            *([p_value(row["p_adjusted"])] if correction else []),
            _sides(row["wins"], row["ties"], row["losses"]),
            row["caution"],
        )
        for row in comparison.iter_rows(named=True)
    )
    headers = (
        say(HEADINGS["measure"]),
        say(HEADINGS["system"]),
        *([say(HEADINGS["baseline"])] if baseline is None else []),
        say(HEADINGS["mean_baseline"]),
        say(HEADINGS["mean_system"]),
        say(HEADINGS["delta"]),
        say("{confidence} interval", confidence=percent(confidence)),
        say(HEADINGS["p_value"]),
        *([say(HEADINGS["p_adjusted"], correction=correction)] if correction else []),
        " / ".join(say(HEADINGS[side]) for side in ("wins", "ties", "losses")),
        say(HEADINGS["caution"]),
    )
    first = 2 + (baseline is None)
    return Table(
        headers,
        rows,
        numeric=frozenset(range(first, len(headers) - 1)),
        caption=_caption(baseline, max(comparison["n_queries"].to_list()), n_effective),
    )


def segments_table(segments: pl.DataFrame, baseline: str | None) -> Table:
    """Return segments as a readable table.

    Parameters
    ----------
    segments
        The frame of `rankreport.Comparison.segments`.
    baseline
        The baseline; None if there are several, which are then named in the rows.
    """
    rows = tuple(
        (
            row["column"],
            row["segment"],
            row["system"],
            *([row["baseline"]] if baseline is None else []),
            str(row["n_queries"]),
            number(row["delta"], signed=True),
            between(row["ci_low"], row["ci_high"], signed=True),
            p_value(row["p_adjusted"]),
            _mark(differs=row["differs"], disagrees=row["disagrees"]),
        )
        for row in segments.iter_rows(named=True)
    )
    headers = (
        say("column"),
        say("segment"),
        say(HEADINGS["system"]),
        *([say(HEADINGS["baseline"])] if baseline is None else []),
        say(HEADINGS["n_queries"]),
        say(HEADINGS["delta"]),
        say("interval"),
        say(HEADINGS["p_adjusted"], correction="BH"),
        say("mark"),
    )
    numeric = frozenset(range(3 + (baseline is None), len(headers) - 1))
    to = say("what it is set against") if baseline is None else baseline
    measure = segments["measure"].item(0)
    caption = say("{measure}, system minus {baseline}", measure=measure, baseline=to)
    return Table(headers, rows, numeric, caption=caption)


def _caption(baseline: str | None, n_queries: int, n_effective: float | None) -> str:
    queries = counted(n_queries, "query", "queries")
    if n_effective is not None:
        queries = say(
            "{queries} that weigh as much as {n} equal ones",
            queries=queries,
            n=f"{n_effective:.1f}",
        )
    if baseline is None:
        return say("System minus what it is set against, {queries}", queries=queries)
    return say("Against {baseline}, {queries}", baseline=baseline, queries=queries)


def _mark(*, differs: bool, disagrees: bool) -> str:
    if disagrees:
        return say("opposite sign to all queries")
    return say("differs from 0") if differs else ""


def _sides(wins: int | None, ties: int, losses: int | None) -> str:
    """Format queries won, tied and lost, with dashes if the measure has no better direction."""
    won, lost = ("-" if count is None else count for count in (wins, losses))
    return f"{won} / {ties} / {lost}"
