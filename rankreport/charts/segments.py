"""Segments: the difference in each part of the queries, next to the one over all of them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from rankreport.charts._alt_text import sentence_of
from rankreport.charts._chart import checked
from rankreport.charts._panel import empty_chart, in_two_lines
from rankreport.charts.canvas import ChartOptions, sizable
from rankreport.charts.forest_chart import (
    ACROSS,
    NUMBERS,
    Line,
    Row,
    axis_name,
    draw_forest,
    ends_of,
    side_of,
)
from rankreport.text import counted, decimals, number, percent, say, short, signed

if TYPE_CHECKING:
    from rankreport.charts._chart import Chart

MOST_SEGMENTS = 12
"""Of one column: smaller ones are counted."""

_KEPT = ("column", "segment", "n_queries", "differs", "disagrees")


def _given(segments: pl.DataFrame) -> tuple[str, ...]:
    """Return the column that says why not to rely on a segment, if there is one."""
    return tuple(name for name in ("caution",) if name in segments.columns)


@sizable
def segment_forest(
    segments: pl.DataFrame,
    *,
    measure: str,
    baseline: str,
    system: str,
    confidence: float = 0.95,
    better: str = "high",
    **options: Unpack[ChartOptions],
) -> "Chart":
    """Draw the difference in each segment of the queries as a point with its interval.

    The more segments there are, the more lie apart from zero by chance: coloured are those alone
    that differ once their number is allowed for. A dashed line marks the difference over all
    queries. Of a column with more than twelve segments the largest are drawn; those without an
    interval are listed with the reason.

    Parameters
    ----------
    segments
        One row per segment: `column`, `segment` (String), `n_queries` (Int64), `delta`, `ci_low`,
        `ci_high` (Float64, the interval null where there are too few queries for one),
        `delta_of_all` (Float64, over all queries), `differs` and `disagrees` (Boolean): whether the
        segment differs from zero, allowing for the number of segments, and whether it does so with
        the other sign. `caution` (String), why not to rely on a segment, stands in the data, and
        next to a segment without an interval.
    measure, baseline, system
        The names of what was compared.
    confidence
        The confidence that the intervals were made for.
    better
        Whether more of the measure is better (``"high"``), less (``"low"``), or ``"neither"``.
    options
        Where and how large it is drawn, and in which style: see `ChartOptions`.

    Examples
    --------
    >>> segments = pl.DataFrame({
    ...     "column": "type", "segment": ["brand", "place"], "n_queries": [80, 40],
    ...     "delta": [0.05, -0.01], "ci_low": [0.02, -0.06], "ci_high": [0.08, 0.04],
    ...     "delta_of_all": 0.03, "differs": [True, False], "disagrees": False})
    >>> segment_forest(segments, measure="AP", baseline="bm25", system="dense").alt
    ... # doctest: +NORMALIZE_WHITESPACE
    'AP by segment, dense minus bm25, with 95 % intervals: +0.030 over all queries; segments that
    differ from 0, corrected for their number: 1 of 2.'
    """
    del options
    side_of(0.0, better)  # refuses an unknown value also where no segment differs
    rows = checked(segments, *_KEPT, *_given(segments), numbers=(*NUMBERS, "delta_of_all"))
    whole = rows["delta_of_all"].to_list()[0] if len(rows) else None
    known = rows.filter(pl.col("ci_low").is_not_null())
    shown = rows.filter(pl.col("segment").cum_count().over("column") <= MOST_SEGMENTS)
    level = percent(confidence)
    axis = axis_name(baseline, level)
    if shown.is_empty():
        chart = empty_chart(axis, say("there are no segments"))
    else:
        delta = number(whole, decimals(whole), signed=True)
        line = say("dashed line: {delta}, over all queries", delta=delta)
        chart = _drawn(shown, f"{axis}\n{line}", better)
    head = say(
        "{measure} by segment, {system} minus {baseline}, with {confidence} intervals",
        measure=short(measure),
        system=short(system),
        baseline=short(baseline),
        confidence=level,
    )
    chart.alt = sentence_of(head, _in_words(known, len(rows), len(shown), whole))
    kept = ("column", "segment", "n_queries", *NUMBERS, "differs", *_given(segments))
    chart.data = shown.select(kept)
    return chart


def _drawn(shown: pl.DataFrame, axis: str, better: str) -> "Chart":
    lines, whole = [], float(shown["delta_of_all"].item(0))
    for column in shown["column"].unique(maintain_order=True):
        lines.append(Line(in_two_lines(short(column))))
        of_column = shown.filter(pl.col("column") == column)
        lines += [_line(row, better) for row in of_column.iter_rows(named=True)]
    rows = [line.row for line in lines if line.row]
    return draw_forest(lines, axis, np.append(ends_of(rows), whole), [whole])


def _line(row: Mapping[str, Any], better: str) -> Line:
    finding = ACROSS
    if row["differs"]:
        words = "opposite sign to all queries" if row["disagrees"] else "clear change"
        finding = replace(side_of(row["delta"], better), printed=words)
    name = say("{segment} ({n})", segment=short(row["segment"]), n=f"{row['n_queries']:,}")
    delta, low, high = (row[name] for name in NUMBERS)
    if low is None:  # differences of few queries vary too much to be drawn next to others
        delta, finding = None, replace(ACROSS, printed=row.get("caution") or "no interval")
    found = Row(row["segment"], row["column"], delta, low, high, finding)
    return Line(in_two_lines(name), found.drawn, indent=10)


def _in_words(known: pl.DataFrame, n: int, n_shown: int, whole: float | None) -> Iterator[str]:
    """Say what holds over all queries, how many segments differ, and what is not drawn."""
    if whole is not None:
        yield say("{delta} over all queries", delta=signed(whole))
    if len(known):
        yield say(
            "segments that differ from 0, corrected for their number: {n} of {all}",
            n=int(known["differs"].sum()),
            all=len(known),
        )
    if "caution" in known.columns and (n_few := int((known["caution"] != "").sum())):
        yield say("cautions on {n} of them", n=n_few)
    if turned := int(known["disagrees"].sum()):
        yield say("{n} with the opposite sign to all queries", n=turned)
    unknown = n - len(known)
    if unknown:
        yield counted(
            unknown,
            "segment with too few queries for an interval",
            "segments with too few queries for an interval",
        )
    if n_shown < n:
        yield counted(n - n_shown, "smaller segment is not drawn", "smaller segments are not drawn")
