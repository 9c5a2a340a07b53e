"""Readable tables of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankreport import statistics
from rankreport.comparison.columns import HEADINGS, HELP
from rankreport.tables import Table
from rankreport.text import (
    between,
    counted,
    delta_and_interval,
    number,
    p_value,
    percent,
    say,
    separated,
)

if TYPE_CHECKING:
    import polars as pl

    from rankreport.comparison.pairs import Family

HELP_OF_INTERVAL = "mean differences compatible with the data, in the unit of the measure"
"""What the heading of an interval says to readers who ask."""


def comparison_table(
    comparison: pl.DataFrame,
    baseline: str | None,
    confidence: float,
    family: Family,
    *,
    resamples: int,
    n_effective: float | None = None,
) -> Table:
    """Return a comparison as a readable table.

    Of several differences, it shows the adjusted p-value alone.

    Parameters
    ----------
    comparison
        The frame of `rankreport.Comparison.table`, with ``end_error``, the standard error of the
        ends of an interval between seeds.
    baseline
        The baseline; None if there are several, which are then named in the rows.
    confidence
        Confidence level of the intervals.
    family
        The differences that are corrected together.
    resamples
        The number of draws, on which the smallest p-value depends.
    n_effective
        Effective number of queries, if they are weighted.
    """
    figures = ("delta", "ci_low", "ci_high", "end_error")
    rows = tuple(
        (
            row["measure"],
            row["system"],
            *([row["baseline"]] if baseline is None else []),
            number(row["mean_baseline"]),
            number(row["mean_system"]),
            *delta_and_interval(*(row[name] for name in figures)),
            p_value(row["p_adjusted"], 1 / resamples),
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
        _heading_of_p(family),
        " / ".join(say(HEADINGS[side]) for side in ("wins", "ties", "losses")),
        say(HEADINGS["caution"]),
    )
    first = 2 + (baseline is None)
    return Table(
        headers,
        rows,
        numeric=frozenset(range(first, len(headers) - 1)),
        help=(
            say(HELP["measure"]),
            say(HELP["system"]),
            *([say(HELP["baseline"])] if baseline is None else []),
            say(HELP["mean_baseline"]),
            say(HELP["mean_system"]),
            say(HELP["delta"]),
            say(HELP_OF_INTERVAL),
            say(HELP["p_adjusted" if family.corrects else "p_value"]),
            say("the numbers of queries on which the system is better, equal and worse"),
            say(HELP["caution"]),
        ),
        caption=_caption(baseline, max(comparison["n_queries"].to_list()), n_effective, family),
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
            separated("; ", filter(None, [_mark(row), row["caution"]])),
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
    return Table(
        headers,
        rows,
        numeric,
        caption=caption,
        help=(
            say("the column of the queries' table"),
            say("the value that these queries share"),
            say(HELP["system"]),
            *([say(HELP["baseline"])] if baseline is None else []),
            say(HELP["n_queries"]),
            say(HELP["delta"]),
            say(HELP_OF_INTERVAL),
            say(HELP["p_adjusted"]),
            say(
                "whether it differs from 0, and from the difference over all queries, and why not "
                "to rely on it"
            ),
        ),
    )


def _heading_of_p(family: Family) -> str:
    if not family.corrects:
        return say(HEADINGS["p_value"])
    short = statistics.CORRECTIONS[family.correction].short
    return say(HEADINGS["p_adjusted"], correction=short)


def _caption(
    baseline: str | None, n_queries: int, n_effective: float | None, family: Family
) -> str:
    queries = counted(n_queries, "query", "queries")
    if n_effective is not None:
        queries = say(
            "{queries} that weigh as much as {n} equal ones",
            queries=queries,
            n=f"{n_effective:.1f}",
        )
    if family.corrects:
        queries = say(
            "{queries}; intervals simultaneous for {n} differences",
            queries=queries,
            n=family.n_tests,
        )
    if baseline is None:
        return say("System minus what it is set against, {queries}", queries=queries)
    return say("Against {baseline}, {queries}", baseline=baseline, queries=queries)


def _mark(row: Mapping[str, Any]) -> str:
    if row["disagrees"]:
        return say("opposite sign to all queries")
    return say("differs from 0") if row["differs"] else ""


def _sides(wins: int | None, ties: int, losses: int | None) -> str:
    """Format queries won, tied and lost, with dashes if the measure has no better direction."""
    won, lost = ("-" if count is None else count for count in (wins, losses))
    return f"{won} / {ties} / {lost}"
