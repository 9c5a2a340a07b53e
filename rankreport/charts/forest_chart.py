"""The forest: differences to a baseline as points with intervals, the numbers next to them.

What a forest shows, in words: its axis, each of its rows, and the sentence on all of them.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import polars as pl

from rankreport.charts._alt_text import FEW, sentence_of
from rankreport.charts._chart import (
    BLUE,
    NO_VALUE_FOR_BOTH,
    VERMILLION,
    checked,
    new_chart,
    report_style,
)
from rankreport.charts._panel import (
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
    panel_size,
    wrapped,
)
from rankreport.charts.canvas import INK, ChartOptions, NoRoomError, current_page, inked, sizable
from rankreport.errors import choose
from rankreport.text import digits_of, figures_of, listed, percent, say, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts._chart import Chart


NUMBERS = ("delta", "ci_low", "ci_high")


@dataclass(frozen=True)
class RowFinding:
    """A finding: its text in a count, what is printed next to a row, and how it looks."""

    counted: str
    printed: str = ""
    color: str = INK
    marker: str = "o"


_ABOVE, _BELOW = "{n} above zero", "{n} below zero"


_SIDES = {
    "high": (
        RowFinding(_ABOVE, color=BLUE, marker=">"),
        RowFinding(_BELOW, color=VERMILLION, marker="<"),
    ),
    "low": (
        RowFinding("{n} above zero (worse)", "worse", color=VERMILLION, marker=">"),
        RowFinding("{n} below zero (better)", "better", color=BLUE, marker="<"),
    ),
    "neither": (RowFinding(_ABOVE, marker=">"), RowFinding(_BELOW, marker="<")),
}
"""What is found above zero, and what below, by which of a measure is better."""


ACROSS = RowFinding("{n} across zero")


_TOO_FEW = RowFinding("{n} undecided as too few queries changed", "too few changed")


_FEW_QUERIES = RowFinding("{n} undecided as there are too few queries", "too few queries")


_UNCHANGED = RowFinding("{n} missing as no query changed", "no query changed")


_NO_INTERVAL = RowFinding("{n} missing as the differences do not vary", "no interval")


_UNDEFINED = RowFinding("{n} missing as the difference is undefined", "no value for both systems")


FINDINGS = (
    *(side for sides in _SIDES.values() for side in sides),
    *(ACROSS, _TOO_FEW, _FEW_QUERIES, _UNCHANGED, _NO_INTERVAL, _UNDEFINED),
)
"""What may be found, in the order in which it is counted."""


@dataclass(frozen=True)
class Row:
    """A row of the frame, and what it says."""

    system: str
    measure: str
    delta: float | None
    low: float | None
    high: float | None
    finding: RowFinding
    end_error: float | None = None
    digits: int | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any], min_changed: int) -> "Row":
        """Read a row of the frame."""
        delta, low, high = (row[column] for column in NUMBERS)
        n_changed = row.get("n_changed")
        telling = row.get("n_changed_effective", n_changed)
        enough = telling is None or telling >= min_changed
        sides = _SIDES[row.get("better", "high")]
        finding = _finding(delta, low, high, n_changed, sides=sides, enough=enough)
        if finding is _TOO_FEW and row.get(_FEW):
            finding = _FEW_QUERIES
        return cls(row["system"], row["measure"], delta, low, high, finding, row.get("end_error"))

    @property
    def printed(self) -> str:
        """The numbers as they stand next to the row, and what hinders a finding."""
        delta, ends = figures_of(self.delta, self.low, self.high, self.end_error, self.digits)
        interval = "" if ends is None else f"[{', '.join(ends)}]"
        printed = self.finding.printed and say(self.finding.printed)
        return " ".join(filter(None, [delta, interval, printed]))

    @property
    def drawn(self) -> "Drawn":
        """The row as it is drawn."""
        values = drawable_row(self.delta, self.low, self.high)
        return Drawn(self.printed, self.finding.marker, self.finding.color, values)


def _finding(
    delta: float | None,
    low: float | None,
    high: float | None,
    n_changed: int | None,
    *,
    sides: tuple[RowFinding, RowFinding],
    enough: bool,
) -> RowFinding:
    if delta is None:
        return _UNDEFINED
    if n_changed == 0 or (n_changed is None and delta == 0 and low is None):
        return _UNCHANGED
    if not enough:
        return _TOO_FEW
    if low is None or high is None:
        return _NO_INTERVAL
    above, below = sides
    return above if low > 0 else below if high < 0 else ACROSS


def side_of(delta: float, better: str) -> RowFinding:
    """Return what is found where an interval leaves out zero."""
    above, below = _SIDES[choose("better", better, _SIDES)]
    return above if delta > 0 else below


def axis_name(baseline: str | None, confidence: str, n_simultaneous: int = 1) -> str:
    """Name the axis: what is drawn, and for how many differences intervals hold at once."""
    axis = say("difference, with its {confidence} interval", confidence=confidence)
    if baseline is not None:
        axis = say(
            "difference to {baseline}, with its {confidence} interval",
            baseline=short(baseline),
            confidence=confidence,
        )
    if n_simultaneous == 1:
        return axis
    return say("{what}, simultaneous for {n} differences", what=axis, n=n_simultaneous)


def _margins(margin: float) -> str:
    """Name the lines that mark a margin, with the decimals that it has."""
    exact = f"±{margin:.10f}".rstrip("0").rstrip(".")
    return say("dashed lines: {margin}, the margin", margin=exact)


def _clauses(rows: Sequence[Row]) -> Iterator[str]:
    """Tell few rows one by one, and count many by what was found."""
    if not rows:
        yield say(NO_VALUE_FOR_BOTH)
    if len(rows) > FEW:
        found = Counter(row.finding.counted for row in rows)
        words = dict.fromkeys(each.counted for each in FINDINGS)
        tally = [say(each, n=found[each]) for each in words if each in found]
        yield say("of {n} intervals there are {tally}", n=len(rows), tally=listed(tally))
        return
    for row in rows:
        names = {"system": short(row.system), "measure": short(row.measure)}
        yield say("{system}, {measure}: {found}", found=row.printed, **names)


_BOLD = 1.1  # times as wide
_TELLING, _BETTER, _END_ERROR = "n_changed_effective", "better", "end_error"
_FEW = "few_queries"


@sizable
def forest(
    rows: pl.DataFrame,
    *,
    baseline: str | None,
    confidence: float = 0.95,
    min_changed: int = 0,
    margin: float | None = None,
    n_simultaneous: int = 1,
    **options: Unpack[ChartOptions],
) -> "Chart":
    """Draw differences to a baseline as points with intervals, and print the numbers next to them.

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
        `n_changed` (Int64), the queries on which the two differ, `n_changed_effective` (Float64),
        how many independent queries of equal weight those are worth, `better` (String), whether
        more of the measure is better (``"high"``, as where nothing is said), less (``"low"``), or
        ``"neither"``, `end_error` (Float64), the error of the ends between seeds, whose digits
        are not printed, and `few_queries` (Boolean), whether queries are few, and not changes.
    baseline
        The system that the differences were taken to; None where there are several, and `system`
        names the pairs.
    confidence
        The confidence that the intervals were made for.
    min_changed
        With fewer changed queries an interval on one side of zero says nothing.
    margin
        The difference that would not matter; on both sides of zero a dashed line marks it.
    n_simultaneous
        For how many differences the intervals hold at once.
    options
        Where and how large it is drawn, and in which style: see `ChartOptions`.

    Examples
    --------
    >>> rows = pl.DataFrame({"system": ["dense"], "measure": ["AP"], "delta": [0.0213],
    ...                      "ci_low": [0.0121], "ci_high": [0.0305], "n_changed": [7]})
    >>> forest(rows, baseline="bm25").alt
    'difference to bm25, with its 95 % interval: dense, AP: +0.021 [+0.012, +0.030].'
    >>> forest(rows, baseline="bm25", min_changed=10).alt  # doctest: +NORMALIZE_WHITESPACE
    'difference to bm25, with its 95 % interval: dense, AP: +0.021 [+0.012, +0.030] too few
    changed.'
    >>> rates = rows.with_columns(measure=pl.lit("FPR"), better=pl.lit("low"))
    >>> forest(rates, baseline="bm25").alt
    'difference to bm25, with its 95 % interval: dense, FPR: +0.021 [+0.012, +0.030] worse.'
    """
    del options
    rows = _checked(rows)
    found = [Row.of(row, min_changed) for row in rows.iter_rows(named=True)]
    ends = [(row.measure, (row.delta, row.low, row.high, row.end_error)) for row in found]
    digits = {of: digits_of(each for name, each in ends if name == of) for of, _ in ends}
    found = [replace(row, digits=digits[row.measure]) for row in found]
    head = axis_name(baseline, percent(confidence), n_simultaneous)
    axis = head if margin is None else f"{head}\n{_margins(margin)}"
    limits = [] if margin is None else [-margin, margin]
    if found:
        drawn = [row.drawn for row in found]
        lines = grouped([(row.measure, row.system, row.drawn) for row in found])
        chart = draw_forest(lines, axis, np.append(ends_of(drawn), limits), limits)
    else:
        chart = empty_chart(axis, say(NO_VALUE_FOR_BOTH))
    chart.alt = sentence_of(head, _clauses(found))
    chart.data = rows.drop(_TELLING, _BETTER, _END_ERROR, _FEW, strict=False)  # not drawn
    return chart


def _checked(rows: pl.DataFrame) -> pl.DataFrame:
    optional = {"n_changed", _TELLING, _BETTER, _END_ERROR, _FEW}
    known = [column for column in rows.columns if column in optional]
    return checked(rows, "measure", "system", *known, numbers=NUMBERS)


# The drawing.


class Drawn(NamedTuple):
    """A row as it is drawn.

    Attributes
    ----------
    printed
        The numbers as they stand next to the row.
    marker, color
        Of its point.
    values
        The point and the ends of its interval; NaN for what is not drawn.
    """

    printed: str
    marker: str
    color: str
    values: Values


def drawable_row(*values: float | None) -> Values:
    """Return a point and the ends of its interval, with NaN for what can't be drawn."""
    return drawable(pl.Series(values, dtype=pl.Float64))


@dataclass(frozen=True)
class Line:
    """A line of a forest: a heading, or a row."""

    label: str
    row: Drawn | None = None
    indent: float = 0

    @property
    def printed(self) -> str:
        """What is printed next to the label."""
        return self.row.printed if self.row else ""

    @property
    def width(self) -> float:
        """How much room the label takes."""
        return self.indent + line_width(self.label) * (1 if self.row else _BOLD)


def grouped(rows: Sequence[tuple[str, str, Drawn]]) -> list[Line]:
    """Group rows by their measure, the first name; a lone system needs no name of its own."""
    one_system = len({system for _, system, _ in rows}) == 1
    lines = []
    for measure in dict.fromkeys(measure for measure, *_ in rows):
        group = [(in_two_lines(short(system)), row) for of, system, row in rows if of == measure]
        heading = in_two_lines(short(measure))
        if one_system:
            lines += [Line(heading, row) for _, row in group]
        else:
            lines.append(Line(heading))
            lines += [Line(name, row, indent=10) for name, row in group]
    return lines


LEAST_PANEL = 130
"""The width of a panel between its labels and its numbers; with less they stand over the rows."""


@dataclass(frozen=True)
class LineLayout:
    """How lines of labels, intervals and numbers are laid out.

    Attributes
    ----------
    left, right
        The room next to the panel.
    stacked
        Whether labels and numbers stand over their intervals.
    height
        Of a line.
    """

    left: float
    right: float
    stacked: bool
    height: float

    @classmethod
    def of(cls, lines: Sequence[tuple[str, str, float]]) -> "LineLayout":
        """Lay out lines: the label, what is printed next to it, and how wide the label is."""
        width = current_page().width
        left = 14 + max(own for *_, own in lines)
        right = 14 + max(line_width(printed) for _, printed, _ in lines)
        if width - left - right >= LEAST_PANEL:
            height = 5.5 + max(line_height(label) for label, *_ in lines)
            return cls(left, right, stacked=False, height=height)
        over = max(line_height(stacked_words(label, printed)) for label, printed, _ in lines)
        return cls(14, 14, stacked=True, height=over + 20)

    def interval_at(self, y: float) -> float:
        """Say where the interval of a line is drawn: in its middle, or at its foot."""
        return y + 0.5 - 6 / self.height if self.stacked else y


def stacked_words(label: str, printed: str) -> str:
    """Give the label of a line, with what is printed beneath it if that has no room next to it."""
    label = label.replace("\n", "")
    room = current_page().width - 22
    if line_width(label) + line_width(printed) + 12 <= room:
        return label
    return wrapped(f"{label}\n{printed}".rstrip(), room)


def draw_forest(lines: Sequence[Line], axis: str, held: Values, marked: Sequence[float]) -> "Chart":
    """Draw lines over an axis that holds these values, of which the marked have a dashed line."""

    def fit(axes: "Axes", rows: LineLayout) -> None:
        fit_width(axes, held, line=not rows.stacked)
        for place in marked:
            _mark_value(axes, place, lines, rows, linestyle=(0, (4, 2)))
        if rows.stacked:
            _mark_value(axes, 0, lines, rows)

    return draw_lines(lines, axis, fit)


def draw_lines(
    lines: Sequence[Line], axis: str, fit: Callable[["Axes", LineLayout], object]
) -> "Chart":
    """Draw lines over an axis, which a function fits to their values."""
    page = current_page()
    rows = LineLayout.of([(line.label, line.printed, line.width) for line in lines])
    width = page.width - rows.left - rows.right
    axis = wrapped(axis, 2 * min(width / 2 + rows.left, width / 2 + rows.right) - 4)
    foot = 30 + line_height(axis)
    with report_style():
        total = page.height(len(lines) * rows.height + 4 + foot)
        chart = new_chart(total)
        axes = add_panel(chart, left=rows.left, top=4, width=width, height=total - 4 - foot)
        named = _named(lines, _step_of_labels(axes, len(lines), rows.height - 4))
        axes.set_ylim(len(lines) - 0.5, -0.5)
        axes.set_yticks([rows.interval_at(y) for y, line in enumerate(lines) if line.row])
        axes.tick_params(axis="y", labelleft=False, length=0)  # texts stand in their place
        fit(axes, rows)
        axes.set_xlabel(axis, **literal(axis))
        for y, line in enumerate(lines):
            _draw_line(axes, y, line, rows, is_named=y in named)
    return chart


def _named(lines: Sequence[Line], step: int) -> set[int]:
    """Choose the lines whose texts are written: headings, and rows so many lines from others."""
    named = {y for y, line in enumerate(lines) if not line.row}
    for y in range(len(lines)):
        if all(abs(y - other) >= step for other in named):
            named.add(y)
    return named


def _step_of_labels(axes: "Axes", n: int, least: float) -> int:
    """Return of how many lines one has its text; refuse those that would lie on each other."""
    high = panel_size(axes)[1]
    missing, page = n * least - high, current_page()
    if page.canvas.is_sparse:
        return math.ceil(n * least / high)
    if missing > 1:
        given = page.inches[1] or 0
        raise NoRoomError(
            f"The chart does not fit: {n} lines need a height of at least "
            f"{given + missing * page.scale / 72 + 0.05:.1f} inches; found {given:.1f}."
        )
    return 1


def _mark_value(
    axes: "Axes", value: float, lines: Sequence[Line], rows: LineLayout, **look: Any
) -> None:
    """Draw an upright line; of stacked rows next to their intervals, not through their words."""
    if not rows.stacked:
        axes.axvline(value, color=inked(), linewidth=0.8, **look)
        return
    at = np.array([rows.interval_at(y) for y, line in enumerate(lines) if line.row])
    room = 5.5 / rows.height
    axes.vlines([value] * len(at), at - room, at + room, color=inked(), linewidth=0.8, **look)


def _write_line(axes: "Axes", y: float, line: Line, rows: LineLayout) -> None:
    """Write the label of a line, its indentation and its numbers."""
    printed, weight = line.printed, "normal" if line.row else "bold"
    within = ("axes fraction", "data")
    if not rows.stacked:
        offset = (line.indent - rows.left + 2, 0)
        note(axes, line.label, (0, y), within, offset=offset, va="center", weight=weight)
        note(axes, printed, (1, y), within, offset=(10, 0), va="center")
        return
    words, at, align = stacked_words(line.label, printed), y + 0.5 - 12 / rows.height, "bottom"
    framed = current_page().canvas.style == "matplotlib"
    ends = (4, -4) if framed else (2 - rows.left, rows.right - 6)
    if weight == "bold":  # a heading, over the next line
        at = y + 0.5 - 2 / rows.height
    note(axes, words, (0, at), within, offset=(ends[0], 0), va=align, weight=weight)
    if printed and "\n" not in words:
        note(axes, printed, (1, at), within, offset=(ends[1], 0), va=align, ha="right")


def _draw_line(axes: "Axes", y: float, line: Line, rows: LineLayout, *, is_named: bool) -> None:
    """Draw a point and its interval between the label and the numbers, or beneath them."""
    if is_named:
        _write_line(axes, y, line, rows)
    if line.row:
        y = rows.interval_at(y)
        _, marker, color, (point, low, high) = line.row
        color = inked(color)
        if np.isfinite([low, high]).all():
            axes.hlines(y, low, high, color=color, linewidth=1.6)
        axes.plot(point, y, marker, color=color, markersize=5.5, zorder=3)


def ends_of(rows: Iterable[Drawn]) -> Values:
    """Give all values of rows that an axis has to hold."""
    return np.concatenate([np.empty(0), *(row.values for row in rows)])
