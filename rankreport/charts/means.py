"""Levels: means as points with intervals, the numbers beside them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from rankreport.charts._alt_text import FEW, sentence_of
from rankreport.charts._chart import (
    BLUE,
    NO_VALUE,
    checked,
    has_values,
    new_chart,
    report_style,
)
from rankreport.charts._panel import (
    add_panel,
    drawable,
    empty_chart,
    in_two_lines,
    limits,
    line_height,
    line_width,
    literal,
    wrapped,
)
from rankreport.charts.canvas import ChartOptions, current_page, sizable
from rankreport.charts.forest_chart import Rows, check_lines, fit_lines, write_line
from rankreport.text import counted, listed, number, percent, say, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts._chart import Chart

_NUMBERS = ("mean", "ci_low", "ci_high")
_BOLD = 1.1  # times as wide


@sizable
def levels(
    rows: pl.DataFrame, *, confidence: float = 0.95, **options: Unpack[ChartOptions]
) -> "Chart":
    """Draw means as points with intervals, in the order given, and print the numbers beside them.

    All rows share one axis, so the measures of one chart should be of one scale.

    Parameters
    ----------
    rows
        One row per measure and system: `system`, `measure` (String), `mean`, `ci_low`, `ci_high`
        (Float64; the interval is null where there is none).
    confidence
        The confidence that the intervals were made for.
    options
        Where and how large it is drawn, and in which style: see `ChartOptions`.

    Examples
    --------
    >>> rows = pl.DataFrame({"system": ["bm25"], "measure": ["AP"], "mean": [0.6],
    ...                      "ci_low": [0.5], "ci_high": [0.7]})
    >>> levels(rows).alt
    'Means with 95 % intervals: bm25 reaches 0.600 (0.500 to 0.700) in AP.'
    """
    del options
    rows = checked(rows, "measure", "system", numbers=_NUMBERS)
    level = percent(confidence)
    axis = say("mean over queries, with its {confidence} interval", confidence=level)
    if has_values(rows["mean"]):
        chart = _drawn(_lines(rows), axis)
    else:
        chart = empty_chart(axis, say(NO_VALUE))
    head = say("Means with {confidence} intervals", confidence=level)
    chart.alt = sentence_of(head, _in_words(rows))
    chart.data = rows
    return chart


@dataclass(frozen=True)
class _Line:
    """A line of the chart: a heading, or a row of the frame."""

    label: str
    row: Mapping[str, Any] | None = None
    indent: float = 0

    @property
    def width(self) -> float:
        return self.indent + line_width(self.label) * (1 if self.row else _BOLD)

    @property
    def printed(self) -> str:
        if self.row is None:
            return ""
        mean, low, high = (number(self.row[name], 4) for name in _NUMBERS)
        if self.row["ci_low"] is not None:
            return f"{mean} [{low}, {high}]"
        return mean if self.row["mean"] is None else f"{mean} {say('no interval')}"


def _lines(rows: pl.DataFrame) -> list[_Line]:
    """Group the rows by measure; if there is but one system, the measure names its row."""
    one_system = rows["system"].n_unique() == 1
    lines = []
    for measure in rows["measure"].unique(maintain_order=True):
        group = rows.filter(pl.col("measure") == measure).rows(named=True)
        heading = in_two_lines(short(measure))
        if one_system:
            lines += [_Line(heading, row) for row in group]
        else:
            lines.append(_Line(heading))
            lines += [_Line(in_two_lines(short(row["system"])), row, indent=10) for row in group]
    return lines


def _drawn(lines: Sequence[_Line], axis: str) -> "Chart":
    rows = Rows.of([(line.label, line.printed, line.width) for line in lines])
    page = current_page()
    width = page.width - rows.left - rows.right
    axis = wrapped(axis, 2 * min(width / 2 + rows.left, width / 2 + rows.right) - 4)
    foot = 30 + line_height(axis)
    with report_style():
        total = page.height(len(lines) * rows.height + 4 + foot)
        chart = new_chart(total)
        axes = add_panel(chart, left=rows.left, top=4, width=width, height=total - 4 - foot)
        check_lines(axes, len(lines), rows.height - 4)
        fit_lines(axes, [bool(line.row) for line in lines], rows)
        _fit(axes, lines)
        axes.set_xlabel(axis, **literal(axis))
        for y, line in enumerate(lines):
            _draw_line(axes, y, line, rows)
    return chart


def _fit(axes: "Axes", lines: Sequence[_Line]) -> None:
    ends = np.concatenate([_numbers(line.row) for line in lines if line.row])
    axes.set_xlim(limits(ends, margin=0.06, zero=False))
    axes.locator_params(axis="x", nbins=6)


def _draw_line(axes: "Axes", place: int, line: _Line, rows: Rows) -> None:
    """Draw a point and its interval between the label and the numbers, or beneath them."""
    weight = "normal" if line.row else "bold"
    write_line(axes, place, (line.label, line.printed, line.indent), rows, weight)
    if line.row is None:
        return
    y = rows.interval_at(place)
    mean, low, high = _numbers(line.row)
    if np.isfinite([low, high]).all():
        axes.hlines(y, low, high, color=BLUE, linewidth=1.6)
    axes.plot(mean, y, "o", color=BLUE, markersize=5.5, zorder=3)


def _numbers(row: Mapping[str, Any]) -> Any:
    return drawable(pl.Series([row[name] for name in _NUMBERS], dtype=pl.Float64))


# The sentence.


def _in_words(rows: pl.DataFrame) -> Iterator[str]:
    """Say every mean if there are few, or one system's; of many, the highest and the lowest."""
    n_systems = rows["system"].n_unique()
    if not has_values(rows["mean"]):
        yield say(NO_VALUE)
    elif len(rows) > FEW and n_systems > 1:
        first, *others = (
            _ends_in_words(measure, rows.filter(pl.col("measure") == measure))
            for measure in rows["measure"].unique(maintain_order=True)
        )
        yield say("of {n} systems, {found}", n=n_systems, found=first)
        yield from others
    else:
        for system in rows["system"].unique(maintain_order=True):
            level = _told(rows.filter(pl.col("system") == system))
            yield say("{system} reaches {level}", system=short(system), level=level)


def _told(rows: pl.DataFrame) -> str:
    """Say how far one system comes in which measure."""
    return listed(
        [
            say("{level} in {measure}", level=_level(row), measure=short(row["measure"]))
            for row in rows.iter_rows(named=True)
        ]
    )


def _ends_in_words(measure: str, rows: pl.DataFrame) -> str:
    """Say which of many systems is the highest, and which the lowest."""
    known = rows.drop_nulls("mean").sort("mean", descending=True, maintain_order=True)
    if known.is_empty():
        return say("{name}, {found}", name=short(measure), found=say(NO_VALUE))
    if known["mean"].n_unique() == 1:
        n = counted(len(known), "system", "systems")
        mean = number(known["mean"][0], 3)
        return say("{measure} {mean} with {systems}", measure=short(measure), mean=mean, systems=n)
    first, last = (
        say("{mean} ({system})", mean=number(row["mean"], 3), system=short(row["system"]))
        for row in (known.row(0, named=True), known.row(-1, named=True))
    )
    named = {"measure": short(measure), "first": first, "last": last}
    return say("{measure} from {first} down to {last}", **named)


def _level(row: Mapping[str, Any]) -> str:
    """Write a mean and, where there is one, its interval."""
    mean, low, high = (number(row[name], 3) for name in _NUMBERS)
    if row["ci_low"] is None:
        return mean
    return say("{mean} ({low} to {high})", mean=mean, low=low, high=high)
