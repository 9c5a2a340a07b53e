"""The forest: differences to a baseline as points with intervals, the numbers beside them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankreport.charts.chart import (
    NO_VALUE_FOR_BOTH,
    WIDTH,
    checked,
    new_chart,
    report_style,
)
from rankreport.charts.forest_words import NUMBERS, Row, axis_name, forest_in_words
from rankreport.charts.panel import (
    Values,
    add_panel,
    drawable,
    empty_chart,
    fit_width,
    in_two_lines,
    line_height,
    line_width,
    literal,
    note,
)
from rankreport.rendering.language import say
from rankreport.rendering.svg import INK
from rankreport.rendering.text import percent, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts.chart import Chart

_BOLD = 1.1  # times as wide
_TELLING, _BETTER = "n_telling", "better"

MOST_ROWS = 24
"""Of one chart of `forests`: a printed page holds them."""


def forest(
    rows: pl.DataFrame,
    *,
    baseline: str | None,
    confidence: float = 0.95,
    min_changed: int = 0,
    margin: float | None = None,
) -> "Chart":
    """Draw differences to a baseline as points with intervals, and print the numbers beside them.

    An interval above zero has a point to the right, one below it a point to the left; blue is the
    better side and vermillion the worse, and neither has a colour where neither is better. One
    across zero is neutral and its point round, and so is one of which too few queries changed to
    call it better or worse. All rows share one axis, so the measures of one chart should be of one
    scale.

    Parameters
    ----------
    rows
        One row per measure and system: `system`, `measure` (String), `delta`, `ci_low`, `ci_high`
        (Float64; the interval is null where no difference varies) and, if they are known,
        `n_changed` (Int64), the queries on which the two differ, `n_telling` (Float64), how many
        independent queries of equal weight those are worth, and `better` (String), whether more of
        the measure is better (``"high"``, as where nothing is said), less (``"low"``), or
        ``"neither"``.
    baseline
        The system that the differences were taken to; None where there are several, and `system`
        names the pairs.
    confidence
        The confidence that the intervals were made for.
    min_changed
        With fewer changed queries an interval on one side of zero says nothing.
    margin
        The difference that would not matter; on both sides of zero a dashed line marks it.

    Examples
    --------
    >>> rows = pl.DataFrame({"system": ["dense"], "measure": ["AP"], "delta": [0.0213],
    ...                      "ci_low": [0.0121], "ci_high": [0.0305], "n_changed": [7]})
    >>> forest(rows, baseline="bm25").alt
    'Difference to bm25 with 95 % intervals: dense is higher in AP (+0.021).'
    >>> forest(rows, baseline="bm25", min_changed=10).alt  # doctest: +NORMALIZE_WHITESPACE
    'Difference to bm25 with 95 % intervals: dense is undecided, as too few queries changed,
    in AP (+0.021).'
    >>> rates = rows.with_columns(measure=pl.lit("FPR"), better=pl.lit("low"))
    >>> forest(rates, baseline="bm25").alt
    'Difference to bm25 with 95 % intervals: dense is higher, which is worse, in FPR (+0.021).'
    """
    told: dict[str, Any] = {"baseline": baseline, "confidence": confidence, "margin": margin}
    rows = _checked(rows)
    found = _found(rows, min_changed)
    return _chart(rows, found, ends_of(found), **told)


def forests(
    rows: pl.DataFrame,
    *,
    baseline: str | None,
    confidence: float = 0.95,
    min_changed: int = 0,
    margin: float | None = None,
) -> tuple["Chart", ...]:
    """Draw a forest in as many charts as it takes for a printed page to hold each.

    All have the same axis. A measure starts a new chart where it does not fit in the last one.

    Parameters
    ----------
    rows, baseline, confidence, min_changed, margin
        As for `forest`.

    Examples
    --------
    >>> rows = pl.DataFrame({"system": [f"s{n}" for n in range(30)], "measure": "AP",
    ...                      "delta": 0.1, "ci_low": 0.05, "ci_high": 0.15})
    >>> [len(chart.data) for chart in forests(rows, baseline="bm25")]
    [15, 15]
    """
    told: dict[str, Any] = {"baseline": baseline, "confidence": confidence, "margin": margin}
    rows = _checked(rows)
    parts = _parts(rows)
    ends = ends_of(_found(rows, min_changed))
    return tuple(
        _chart(part, _found(part, min_changed), ends, **told, part=(n, len(parts)))
        for n, part in enumerate(parts, 1)
    )


def _checked(rows: pl.DataFrame) -> pl.DataFrame:
    known = [column for column in rows.columns if column in {"n_changed", _TELLING, _BETTER}]
    return checked(rows, "measure", "system", *known, numbers=NUMBERS)


def _found(rows: pl.DataFrame, min_changed: int) -> list[Row]:
    return [Row.of(row, min_changed) for row in rows.iter_rows(named=True)]


def _parts(rows: pl.DataFrame) -> list[pl.DataFrame]:
    """Break rows into parts that a page holds: at measures, or a long one into equal parts."""
    parts: list[pl.DataFrame] = []
    for measure in rows["measure"].unique(maintain_order=True):
        group = rows.filter(pl.col("measure") == measure)
        n_slices = -(-len(group) // MOST_ROWS)
        for piece in group.iter_slices(-(-len(group) // n_slices)):
            if parts and len(parts[-1]) + len(piece) <= MOST_ROWS:
                parts[-1] = pl.concat([parts[-1], piece])
            else:
                parts.append(piece)
    return parts or [rows]


def _chart(
    rows: pl.DataFrame,
    found: Sequence[Row],
    ends: Values,
    *,
    baseline: str | None,
    confidence: float,
    margin: float | None,
    part: tuple[int, int] = (1, 1),
) -> "Chart":
    """Draw rows on an axis that holds these ends of intervals."""
    told: dict[str, Any] = {"baseline": baseline, "confidence": percent(confidence)}
    axis = axis_name(**told, margin=margin)
    limits = [] if margin is None else [-margin, margin]
    if found:
        chart = draw_forest(_lines(found), axis, np.append(ends, limits), limits)
    else:
        chart = empty_chart(axis, say(NO_VALUE_FOR_BOTH))
    chart.alt = forest_in_words(found, **told, margin=margin, part=part)
    chart.data = rows.drop(_TELLING, _BETTER, strict=False)  # which are not drawn
    return chart


# The drawing.


@dataclass(frozen=True)
class Line:
    """A line of a forest: a heading, or a row."""

    label: str
    row: Row | None = None
    indent: float = 0

    @property
    def width(self) -> float:
        """How much room the label takes."""
        return self.indent + line_width(self.label) * (1 if self.row else _BOLD)


def _lines(rows: Sequence[Row]) -> list[Line]:
    """Group the rows by measure; if there is but one system, the measure names its row."""
    one_system = len({row.system for row in rows}) == 1
    lines = []
    for measure in dict.fromkeys(row.measure for row in rows):
        group = [row for row in rows if row.measure == measure]
        heading = in_two_lines(short(measure))
        if one_system:
            lines += [Line(heading, row) for row in group]
        else:
            lines.append(Line(heading))
            lines += [Line(in_two_lines(short(row.system)), row, indent=10) for row in group]
    return lines


def draw_forest(lines: Sequence[Line], axis: str, held: Values, marked: Sequence[float]) -> "Chart":
    """Draw lines over an axis that holds these values, of which the marked have a dashed line."""
    rows = [line.row for line in lines if line.row]
    left = 14 + max(line.width for line in lines)
    right = 14 + max(line_width(row.printed) for row in rows)
    height = len(lines) * (5.5 + max(line_height(line.label) for line in lines))
    with report_style():
        chart = new_chart(height + 34 + line_height(axis))
        axes = add_panel(chart, left=left, top=4, width=WIDTH - left - right, height=height)
        _fit(axes, lines, held)
        axes.set_xlabel(axis, **literal(axis))
        for place in marked:
            axes.axvline(place, color=INK, linewidth=0.8, linestyle=(0, (4, 2)))
        for y, line in enumerate(lines):
            _draw_line(axes, y, line, left)
    return chart


def _fit(axes: "Axes", lines: Sequence[Line], held: Values) -> None:
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.set_yticks([y for y, line in enumerate(lines) if line.row])
    axes.tick_params(labelleft=False)
    fit_width(axes, held)


def _draw_line(axes: "Axes", y: int, line: Line, left: float) -> None:
    """Draw a point and its interval between the label and the numbers."""
    within = ("axes fraction", "data")
    offset, weight = (line.indent - left + 2, 0), "normal" if line.row else "bold"
    note(axes, line.label, (0, y), within, offset=offset, va="center", weight=weight)
    if line.row:
        note(axes, line.row.printed, (1, y), within, offset=(10, 0), va="center")
        finding, (delta, low, high) = line.row.finding, ends_of([line.row])
        if np.isfinite([low, high]).all():
            axes.hlines(y, low, high, color=finding.color, linewidth=1.6)
        axes.plot(delta, y, finding.marker, color=finding.color, markersize=5.5, zorder=3)


def ends_of(rows: Iterable[Row]) -> Values:
    """Give all values of rows that an axis has to hold."""
    values = [value for row in rows for value in (row.delta, row.low, row.high)]
    return drawable(pl.Series(values, dtype=pl.Float64))
