"""A comparison as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankreport.rendering.table import Table
from rankreport.rendering.text import counted, number, p_value, percent

if TYPE_CHECKING:
    import polars as pl

__all__ = ["comparison_table"]


def comparison_table(
    comparison: pl.DataFrame, baseline: str, confidence: float, correction: str
) -> Table:
    """Return the comparison frame with its numbers rounded and its intervals in one cell.

    Parameters
    ----------
    comparison
        The frame of `rankreport.Comparison.table`.
    baseline
        The system compared with.
    confidence
        Of the intervals.
    correction
        What the adjusted p-values are called after; empty where nothing is corrected, and they
        are not shown.
    """
    adjusted = (f"p ({correction})",) if correction else ()
    rows = tuple(
        (
            row["measure"],
            row["system"],
            number(row["mean_baseline"]),
            number(row["mean_system"]),
            number(row["delta"], signed=True),
            _interval(row["ci_low"], row["ci_high"]),
            p_value(row["p_value"]),
            *([p_value(row["p_adjusted"])] if correction else []),
            _sides(row["wins"], row["ties"], row["losses"]),
            row["caution"],
        )
        for row in comparison.iter_rows(named=True)
    )
    headers = (
        "measure",
        "system",
        "baseline",
        "mean",
        "delta",
        f"{percent(confidence)} interval",
        "p",
        *adjusted,
        "won / tied / lost",
        "caution",
    )
    n_queries = max(comparison["n_queries"].to_list())
    return Table(
        headers,
        rows,
        numeric=frozenset(range(2, len(headers) - 1)),
        caption=f"Against {baseline}, {counted(n_queries, 'query', 'queries')}",
    )


def _interval(low: float | None, high: float | None) -> str:
    if low is None:
        return number(None)
    return f"{number(low, signed=True)} to {number(high, signed=True)}"


def _sides(wins: int | None, ties: int, losses: int | None) -> str:
    """Show queries won, tied and lost; a dash where more is neither better nor worse."""
    won, lost = ("-" if count is None else count for count in (wins, losses))
    return f"{won} / {ties} / {lost}"
