"""A comparison as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankreport.rendering.table import Table
from rankreport.rendering.text import counted, number, p_value, percent

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
    """Return the comparison frame with its numbers rounded and its intervals in one cell.

    Parameters
    ----------
    comparison
        The frame of `rankreport.Comparison.table`.
    baseline
        The system compared with; None where there are several, which are then named in the rows.
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
            *([row["baseline"]] if baseline is None else []),
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
        *(("against",) if baseline is None else ()),
        "baseline",
        "mean",
        "delta",
        f"{percent(confidence)} interval",
        "p",
        *adjusted,
        "won / tied / lost",
        "caution",
    )
    against = "System minus what it is set against" if baseline is None else f"Against {baseline}"
    worth = "" if n_effective is None else f" that weigh as much as {n_effective:.1f} equal ones"
    n_queries = max(comparison["n_queries"].to_list())
    return Table(
        headers,
        rows,
        numeric=frozenset(range(headers.index("baseline"), len(headers) - 1)),
        caption=f"{against}, {counted(n_queries, 'query', 'queries')}{worth}",
    )


def segments_table(segments: pl.DataFrame, baseline: str | None) -> Table:
    """Return the frame of `rankreport.Comparison.segments` as people read it.

    Parameters
    ----------
    segments
        The frame.
    baseline
        The system compared with; None where there are several, which are then named in the rows.
    """
    rows = tuple(
        (
            row["column"],
            row["segment"],
            row["system"],
            *([row["baseline"]] if baseline is None else []),
            str(row["n_queries"]),
            number(row["delta"], signed=True),
            _interval(row["ci_low"], row["ci_high"]),
            p_value(row["p_adjusted"]),
            "other sign" if row["disagrees"] else "differs" if row["differs"] else "",
        )
        for row in segments.iter_rows(named=True)
    )
    against = ("against",) if baseline is None else ()
    headers = ("column", "segment", "system", *against, "queries", "delta", "interval", "p (BH)")
    numeric = frozenset(range(headers.index("queries"), len(headers)))
    measure = segments["measure"].item(0)
    to = "what it is set against" if baseline is None else baseline
    return Table((*headers, "mark"), rows, numeric, caption=f"{measure}, system minus {to}")


def _interval(low: float | None, high: float | None) -> str:
    if low is None:
        return number(None)
    return f"{number(low, signed=True)} to {number(high, signed=True)}"


def _sides(wins: int | None, ties: int, losses: int | None) -> str:
    """Show queries won, tied and lost; a dash where more is neither better nor worse."""
    won, lost = ("-" if count is None else count for count in (wins, losses))
    return f"{won} / {ties} / {lost}"
