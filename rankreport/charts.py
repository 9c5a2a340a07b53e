"""Charts: a frame in, a figure out; nothing is computed while drawing.

Every function returns a `Chart`, which is a matplotlib figure that also knows what it shows, in a
sentence and as a frame. It shows itself in Jupyter, can be restyled, and has ``savefig``.

Texts from data (names, query ids) are never read as mathematics, are shortened, and have their
invisible characters written out. Colours pass the contrast of graphics on white and on near-black,
and are never the only sign of what they say.
"""

import functools
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from rankreport.errors import DataError
from rankreport.rendering.svg import INK, image_html
from rankreport.rendering.text import (
    MISSING,
    counted,
    curves_in_words,
    deltas_in_words,
    forest_in_words,
    frame_in_words,
    listed,
    number,
    percent,
    short,
    text_width,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
GREY = "#8a8a92"
"""What is not spoken of; it can be told from white and from near-black alike."""

Values = npt.NDArray[np.float64]

_SIZE = 9  # points, of all texts
_LINE = 11.5  # points from one line of text to the next
_WIDTH = 7.2 * 72  # points, as all lengths here: a column of text in print
_LEFT = 48  # for the numbers of an axis
_BARS = 80  # queries; more of them touch, and are drawn as one outline
_COLUMNS = 600  # of pixels, across the widest chart

_STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    # Shipped with matplotlib, so that the same chart is laid out alike on every machine.
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": _SIZE,
    "text.color": INK,
    "text.parse_math": False,
    "axes.facecolor": "none",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.spines.bottom": False,
    "axes.unicode_minus": False,
    "axes.formatter.useoffset": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": GREY,
    "grid.alpha": 0.35,
    "grid.linewidth": 0.5,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 3,
    "xtick.major.width": 0.6,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
    "xtick.minor.width": 0,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
}


class _Shown:
    """What a chart adds to a figure."""

    alt: str
    data: pl.DataFrame

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Show the chart in Jupyter, which picks from what it is given."""
        del include, exclude
        words = frame_in_words(self.alt, self.data)
        return {"text/html": image_html(cast("Figure", self), self.alt), "text/plain": words}


if TYPE_CHECKING:

    class Chart(_Shown, Figure):
        """A figure that says what it shows.

        Attributes
        ----------
        alt : str
            The finding, in one sentence.
        data : polars.DataFrame
            What is drawn.
        """


@functools.cache
def _chart_class() -> "type[Chart]":
    from matplotlib.figure import Figure

    return type("Chart", (_Shown, Figure), {"__module__": __name__})


def __getattr__(name: str) -> object:
    """Make `Chart` when it is first asked for: the import of matplotlib takes a second or two."""
    if name == "Chart":
        return _chart_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def curves(
    levels: pl.DataFrame,
    differences: pl.DataFrame | None = None,
    *,
    measure: str,
    baseline: str | None = None,
    confidence: float = 0.95,
) -> "Chart":
    """Draw a measure against the cut-off and, beneath it, the paired differences to a baseline.

    Bands of two systems may overlap where their paired difference is clear, so the difference is
    what to look at. Of more than four systems the baseline and the three best at the largest k
    are drawn in colour, the others in grey.

    Parameters
    ----------
    levels
        One row per system and cut-off: `system` (String), `k` (Int64), `mean`, `ci_low`, `ci_high`
        (Float64, null where there is none).
    differences
        System minus baseline: `system`, `k`, `delta`, `ci_low`, `ci_high`.
    measure
        What was measured, without a cut-off.
    baseline
        The system that the differences were taken to.
    confidence
        The confidence that the intervals were made for.

    Examples
    --------
    >>> levels = pl.DataFrame({"system": ["bm25", "dense"], "k": [10, 10], "mean": [0.4, 0.5],
    ...                        "ci_low": [0.3, 0.4], "ci_high": [0.5, 0.6]})
    >>> curves(levels, measure="nDCG").alt  # doctest: +NORMALIZE_WHITESPACE
    'nDCG at k = 10: dense reaches 0.500 (95 % interval 0.400 to 0.600) and bm25 0.400
    (95 % interval 0.300 to 0.500).'
    """
    levels = _checked(levels, "system", "k", numbers=("mean", "ci_low", "ci_high"))
    if differences is not None:
        differences = _checked(differences, "system", "k", numbers=("delta", "ci_low", "ci_high"))
    looks = _looks(levels, baseline)
    width = _WIDTH - _LEFT - 24 - max(_width(look.label) for look in looks.values())
    band = f"with its {percent(confidence)} interval"
    with _style():
        chart = _new_chart(242 if differences is None else 366)
        axes = _panel(chart, left=_LEFT, top=22, width=width, height=180)
        _caption(axes, f"{short(measure)}, mean {band}")
        _draw_curves(axes, levels.rename({"mean": "value"}), looks)
        if differences is not None:
            axes.tick_params(labelbottom=False, bottom=False)
            axes = _panel(chart, left=_LEFT, top=232, width=width, height=94, beneath=axes)
            _caption(axes, f"difference to {short(baseline or 'the baseline')}, {band}")
            _draw_curves(axes, differences.rename({"delta": "value"}), looks, zero=True)
        _mark_cutoffs(axes, levels["k"].unique().sort().to_list())
    spoken = [system for system, look in looks.items() if look.spoken]
    chart.alt = curves_in_words(
        levels, differences, spoken, measure, baseline, confidence=confidence
    )
    chart.data = _curve_data(levels, differences)
    return chart


def sorted_deltas(deltas: pl.DataFrame, *, measure: str, baseline: str, system: str) -> "Chart":
    """Draw the difference of every query, from the biggest win to the biggest loss.

    Parameters
    ----------
    deltas
        One row per query: `query_id` (String), `delta` (Float64, system minus baseline). Queries
        without a finite difference are left out, and counted.
    measure, baseline, system
        The names of what was compared.

    Examples
    --------
    >>> deltas = pl.DataFrame({"query_id": ["q1", "q2", "q3"], "delta": [0.0, 0.25, -0.5]})
    >>> chart = sorted_deltas(deltas, measure="AP", baseline="bm25", system="dense")
    >>> chart.alt  # doctest: +NORMALIZE_WHITESPACE
    'AP by query, dense minus bm25: 1 win, 1 tie and 1 loss; the biggest win is +0.250 (query q2);
    the biggest loss is -0.500 (query q3).'
    >>> chart.data["delta"].to_list()
    [0.25, 0.0, -0.5]
    """
    named = _checked(deltas, "query_id", numbers=("delta",))
    drawn = named.filter(pl.col("delta").is_finite())
    drawn = drawn.sort("delta", "query_id", descending=[True, False])
    pair = f"{short(system)} minus {short(baseline)}"
    with _style():
        chart = _new_chart(296)
        axes = _panel(chart, left=_LEFT, top=60, width=_WIDTH - _LEFT - 18, height=192)
        _caption(axes, f"{short(measure)} by query\n{pair}", above=36)
        _draw_deltas(axes, drawn)
        _draw_tally(axes, drawn["delta"])
        _mark_ranks(axes, len(drawn))
    subject = f"{short(measure)} by query, {pair}"
    chart.alt = deltas_in_words(drawn, subject=subject, undefined=len(named) - len(drawn))
    chart.data = drawn
    return chart


def forest(rows: pl.DataFrame, *, baseline: str, confidence: float = 0.95) -> "Chart":
    """Draw differences to a baseline as points with intervals, and print the numbers beside them.

    An interval above zero is blue, one below it vermillion; the point of one across zero is hollow.
    All rows share one axis, so the measures of one chart should be of one scale.

    Parameters
    ----------
    rows
        One row per measure and system: `system`, `measure` (String), `delta`, `ci_low`, `ci_high`
        (Float64). The interval is null where no query changed.
    baseline
        The system that the differences were taken to.
    confidence
        The confidence that the intervals were made for.

    Examples
    --------
    >>> rows = pl.DataFrame({"system": ["dense"], "measure": ["AP"], "delta": [0.0213],
    ...                      "ci_low": [0.0121], "ci_high": [0.0305]})
    >>> forest(rows, baseline="bm25").alt
    'Difference to bm25 with 95 % intervals: dense is higher in AP (+0.021).'
    """
    rows = _checked(rows, "measure", "system", numbers=("delta", "ci_low", "ci_high"))
    lines = _forest_lines(rows)
    left = max(line.indent + _width(line.label) for line in lines) + 14
    numbers = max(_width(_in_numbers(row)) for row in rows.iter_rows(named=True)) + 14
    height = 17 * len(lines)
    with _style():
        chart = _new_chart(height + 46)
        axes = _panel(chart, left=left, top=4, width=_WIDTH - left - numbers, height=height)
        _draw_forest(axes, lines, left)
        axes.set_xlabel(f"difference to {short(baseline)}, with its {percent(confidence)} interval")
    chart.alt = forest_in_words(rows, baseline=baseline, confidence=confidence)
    chart.data = rows
    return chart


def _checked(frame: pl.DataFrame, *names: str, numbers: Sequence[str]) -> pl.DataFrame:
    """Take the columns of a chart, every number a float, and null where there is none."""
    missing = [column for column in (*names, *numbers) if column not in frame.columns]
    if missing:
        raise DataError(
            f"A chart needs the column {listed(missing)}; found {listed(frame.columns)}."
        )
    floats = pl.col(numbers).cast(pl.Float64).fill_nan(None)
    drawn = frame.select(*names, *numbers).with_columns(floats)
    if drawn.select(pl.col(numbers[0]).is_finite().any()).item():
        return drawn
    raise DataError(f"A chart needs at least one row with a finite {numbers[0]}; found none.")


def _style() -> AbstractContextManager[None]:
    """Draw in the style of a report, whatever the user's own settings are."""
    import matplotlib.style

    return matplotlib.style.context(["default", _STYLE])


def _new_chart(height: float) -> "Chart":
    return _chart_class()(figsize=(_WIDTH / 72, height / 72))


def _panel(
    chart: "Chart",
    *,
    left: float,
    top: float,
    width: float,
    height: float,
    beneath: "Axes | None" = None,
) -> "Axes":
    page = chart.get_figheight() * 72
    box = (left / _WIDTH, 1 - (top + height) / page, width / _WIDTH, height / page)
    return chart.add_axes(box, sharex=beneath)


def _size(axes: "Axes") -> tuple[float, float]:
    """Give the width and the height of a panel."""
    box, dpi = axes.get_window_extent(), _page(axes).dpi
    return box.width / dpi * 72, box.height / dpi * 72


def _page(axes: "Axes") -> "Figure":
    return cast("Figure", axes.get_figure(root=True))


def _width(text: str) -> float:
    return _SIZE * max(map(text_width, text.split("\n")))


def _caption(axes: "Axes", text: str, above: float = 8) -> None:
    """Name what an axis counts where it is read first: at the left, over the panel."""
    _note(axes, text, (0, 1), "axes fraction", offset=(2 - _LEFT, above))


def _note(
    axes: "Axes",
    text: str,
    at: tuple[float, float],
    within: str | tuple[str, str] = "data",
    **look: Any,
) -> None:
    """Write a text some points away from a place."""
    look["xytext"] = look.pop("offset")
    axes.annotate(text, at, xycoords=within, textcoords="offset points", parse_math=False, **look)


def _drawable(column: pl.Series) -> Values:
    """Give the numbers of a column, with NaN for what can't be drawn."""
    values = column.to_numpy()
    return np.where(np.isfinite(values), values, np.nan)


def _limits(values: Values, *, margin: float, zero: bool) -> tuple[float, float]:
    """Find limits that hold everything, with some room."""
    held = np.append(values[np.isfinite(values)], [0.0] if zero else [])
    room = margin * np.ptp(held) or 0.1
    return held.min() - room, held.max() + room


def _fit(axes: "Axes", values: Values, *, zero: bool, margin: float = 0.05) -> None:
    axes.set_ylim(_limits(values, margin=margin, zero=zero))
    axes.locator_params(axis="y", nbins=6)
    if zero:
        axes.axhline(0, color=INK, linewidth=0.8)
        _sign(axes.yaxis)


def _sign(axis: "Axis") -> None:
    """Give the numbers of an axis a sign, and all of them as many decimals as one needs."""
    places = [number(place, 6).rstrip("0") for place in axis.get_majorticklocs()]
    decimals = max(len(place.partition(".")[2]) for place in places)
    axis.set_major_formatter(functools.partial(_signed, decimals))


def _signed(decimals: int, value: float, _position: float) -> str:
    return number(value, decimals, signed=True)


def _mark_cutoffs(axes: "Axes", ks: Sequence[int]) -> None:
    """Mark the cut-offs, on a scale of factors if that is how they grow."""
    grows = len(ks) > 2 and ks[-1] - ks[-2] > 4 * (ks[1] - ks[0])
    axes.set_xscale("log" if grows else "linear")
    room = 0 if len(ks) > 1 else 0.5
    axes.set_xlim(ks[0] - room, ks[-1] + room)
    _mark(axes, ks)
    axes.set_xlabel("k")


def _mark_ranks(axes: "Axes", n: int) -> None:
    axes.set_xlim(0.5, n + 0.5)
    step = 10 ** max(0, len(str(n)) - 2)
    _mark(axes, sorted({1, *range(step, n, step), n}))
    axes.set_xlabel("queries, from the biggest win to the biggest loss")


def _mark(axes: "Axes", ks: Sequence[int]) -> None:
    """Put numbers on an axis: at its ends, and at as many round numbers as stand apart."""
    ends = sorted({ks[0], ks[-1]})
    for step in (size * digit for size in (10**power for power in range(9)) for digit in (1, 2, 5)):
        round_numbers = [k for k in ks if k % step == 0]
        if _apart(axes, round_numbers):
            break
    kept = [k for k in round_numbers if all(_apart(axes, [k, end]) for end in ends if k != end)]
    shown = sorted({*ends, *kept})
    axes.set_xticks(shown, labels=[f"{k:,}" for k in shown])
    axes.minorticks_off()


def _apart(axes: "Axes", ks: Sequence[int]) -> bool:
    """Tell whether the numbers could be written on the axis with some space between them."""
    if len(ks) < 2:
        return True
    pixels = axes.transData.transform([(k, axes.get_ylim()[0]) for k in ks])[:, 0]
    gaps = np.abs(np.diff(pixels)) / _page(axes).dpi * 72
    return bool((gaps >= [_width(f"{k:,}") + 6 for k in ks[1:]]).all())


@dataclass(frozen=True)
class _Look:
    """How a system is drawn: told apart by colour, dashes and marker, or in the background."""

    label: str
    color: str = GREY
    dash: "str | tuple[float, tuple[float, ...]]" = "-"
    marker: str = ""
    spoken: bool = False


_SPOKEN: Sequence[tuple[str, "str | tuple[float, tuple[float, ...]]", str]] = (
    (BLUE, "-", "o"),
    (VERMILLION, (0, (5, 1.5)), "s"),
    (GREEN, (0, (1.2, 1.2)), "^"),
    (PURPLE, (0, (5, 1.5, 1.2, 1.5)), "D"),
)


def _looks(levels: pl.DataFrame, baseline: str | None) -> dict[str, _Look]:
    """Choose the systems that are spoken of: the baseline, and the best at the largest k."""
    named = levels["system"].unique(maintain_order=True).to_list()
    named.sort(key=lambda system: system != baseline)
    last = levels.filter(pl.col("k") == pl.col("k").max())
    best = last.sort("mean", descending=True, nulls_last=True)["system"]
    first = list(dict.fromkeys([*named[: baseline in named], *best, *named]))[: len(_SPOKEN)]
    spoken = [system for system in named if system in first]
    looks = {
        system: _Look(_broken(short(system)), color, dash, marker, spoken=True)
        for system, (color, dash, marker) in zip(spoken, _SPOKEN, strict=False)
    }
    others = (system for system in named if system not in looks)
    return looks | {system: _Look(_broken(short(system))) for system in others}


def _broken(name: str) -> str:
    """Break a long name into two lines, after a separator if there is one near the middle."""
    if len(name) <= 22:
        return name
    middle = len(name) // 2
    near = range(middle - 5, middle + 6)
    at = min(near, key=lambda i: (name[i - 1] not in "-_/.: ", abs(i - middle)))
    return f"{name[:at]}\n{name[at:]}"


def _draw_curves(
    axes: "Axes", frame: pl.DataFrame, looks: Mapping[str, _Look], *, zero: bool = False
) -> None:
    drawn = [_drawable(frame[column]) for column in ("value", "ci_low", "ci_high")]
    _fit(axes, np.concatenate(drawn), zero=zero)
    ends = []
    for place, (system, look) in enumerate(looks.items()):
        course = frame.filter(pl.col("system") == system).sort("k")
        values = _drawable(course["value"])
        if np.isfinite(values).any():
            _draw_course(axes, course, look, place)
            ends.append((look, float(values[np.isfinite(values)][-1])))
    _label_ends(axes, _named_ends(ends, room=_size(axes)[1] + 12))


def _draw_course(axes: "Axes", course: pl.DataFrame, look: _Look, place: int) -> None:
    """Draw a system's line over its band, with about six markers, between those of the others."""
    ks = course["k"].to_numpy()
    values, low, high = (_drawable(course[column]) for column in ("value", "ci_low", "ci_high"))
    if look.spoken and len(ks) > 1:
        axes.fill_between(ks, low, high, color=look.color, alpha=0.16, linewidth=0)
    elif look.spoken:
        axes.vlines(ks, low, high, color=look.color, linewidth=1.2)
    step = -(-len(ks) // 6) if len(ks) > 12 else 1
    axes.plot(
        ks,
        values,
        color=look.color,
        linestyle=look.dash,
        linewidth=1.6 if look.spoken else 0.8,
        marker=look.marker or ("." if len(ks) == 1 else ""),
        markevery=(place * step // 4 % step, step),
        zorder=2.5 if look.spoken else 2,
        label=look.label.replace("\n", ""),
    )


def _named_ends(ends: list[tuple[_Look, float]], room: float) -> list[tuple[_Look, float]]:
    """Choose the lines to name: all, or where there is no room, the grey ones together."""
    grey = [value for look, value in ends if not look.spoken]
    if sum(map(_height, (look.label for look, _ in ends))) <= room or not grey:
        return ends
    spoken = [(look, value) for look, value in ends if look.spoken]
    return [*spoken, (_Look(counted(len(grey), "other", "others")), fmean(grey))]


def _height(label: str) -> float:
    return _LINE * (1 + label.count("\n"))


def _label_ends(axes: "Axes", ends: Sequence[tuple[_Look, float]]) -> None:
    """Name each line at its end, and where names would lie on each other lead over to them."""
    from matplotlib.lines import Line2D

    width, height = _size(axes)
    low, high = axes.get_ylim()
    wanted = [(value - low) / (high - low) * height for _, value in ends]
    places = spread(wanted, [_height(look.label) for look, _ in ends], (-6, height + 6))
    for (look, _), end, place in zip(ends, wanted, places, strict=True):
        leader = Line2D(
            (1 + 4 / width, 1 + 15 / width),
            (end / height, place / height),
            transform=axes.transAxes,
            color=look.color,
            linewidth=1,
        )
        _page(axes).add_artist(leader)
        at = (1, place / height)
        _note(axes, look.label, at, "axes fraction", offset=(18, 0), va="center", linespacing=1.1)


def _curve_data(levels: pl.DataFrame, differences: pl.DataFrame | None) -> pl.DataFrame:
    if differences is None:
        return levels
    beside = differences.rename({"ci_low": "delta_low", "ci_high": "delta_high"})
    return levels.join(beside, on=["system", "k"], how="left", maintain_order="left")


def _draw_deltas(axes: "Axes", drawn: pl.DataFrame) -> None:
    deltas, n = drawn["delta"].to_numpy(), len(drawn)
    _fit(axes, deltas, zero=True, margin=0.1)
    draw = _draw_bars if n <= _BARS else _draw_outline
    draw(axes, deltas, deltas > 0, BLUE)
    draw(axes, deltas, deltas < 0, VERMILLION)
    for row, sign, at, aligned in (
        (drawn.row(0, named=True), 1, 0.5, ("left", "baseline")),
        (drawn.row(-1, named=True), -1, n + 0.5, ("right", "top")),
    ):
        if row["delta"] * sign > 0:
            words = f"{number(row['delta'], signed=True)} {short(row['query_id'])}"
            look = dict(zip(("ha", "va"), aligned, strict=True))
            _note(axes, words, (at, row["delta"]), offset=(0, 3 * sign), **look)


def _draw_bars(axes: "Axes", deltas: Values, chosen: npt.NDArray[np.bool_], color: str) -> None:
    ranks = 1 + np.flatnonzero(chosen)
    axes.bar(ranks, deltas[chosen], color=color)


def _draw_outline(axes: "Axes", deltas: Values, chosen: npt.NDArray[np.bool_], color: str) -> None:
    """Fill the outline of what would be bars; its hairline keeps even a lone query in sight."""
    kept = np.flatnonzero(chosen)
    if len(kept):
        kept = kept[decimated(deltas[kept], -(-_COLUMNS * len(kept) // len(deltas)))]
        ranks = np.concatenate([[kept[0] + 0.5], kept + 1, [kept[-1] + 1.5]])
        heights = np.pad(deltas[kept], 1, mode="edge")
        step: Any = "mid" if len(deltas) <= _COLUMNS else None
        axes.fill_between(ranks, heights, step=step, color=color, linewidth=0.4)


def _draw_tally(axes: "Axes", deltas: pl.Series) -> None:
    """Count wins, ties and losses over the panel, each over its share of the width."""
    tally = [int(chosen.sum()) for chosen in (deltas > 0, deltas == 0, deltas < 0)]
    words = [
        "▲ " + counted(tally[0], "win", "wins"),
        counted(tally[1], "tie", "ties"),
        "▼ " + counted(tally[2], "loss", "losses"),
    ]
    width, height = _size(axes)
    ends = [0, *accumulate(tally)]
    middles = [(start + end) / 2 / len(deltas) * width for start, end in pairwise(ends)]
    places = spread(middles, [_width(text) + 12 for text in words], (-6, width + 6))
    across = axes.get_xaxis_transform()
    for text, place in zip(words, places, strict=True):
        _note(axes, text, (place / width, 1), "axes fraction", offset=(0, 14), ha="center")
    for (start, end), color in zip(pairwise(ends), (BLUE, GREY, VERMILLION), strict=True):
        if end > start:
            axes.hlines(
                1 + 7 / height,
                start + 0.5,
                end + 0.5,
                color=color,
                linewidth=3,
                transform=across,
                clip_on=False,
            )


@dataclass(frozen=True)
class _Line:
    """A line of a forest: a heading, or a row of the frame."""

    label: str
    row: Mapping[str, Any] | None = None
    indent: float = 0


def _forest_lines(rows: pl.DataFrame) -> list[_Line]:
    """Group the rows by measure; if there is but one system, the measure names its row."""
    lines = []
    for group in rows.partition_by("measure", maintain_order=True):
        measure, found = short(group["measure"][0]), group.iter_rows(named=True)
        if rows["system"].n_unique() == 1:
            lines += [_Line(measure, row) for row in found]
        else:
            lines.append(_Line(measure))
            lines += [_Line(short(row["system"]), row, indent=10) for row in found]
    return lines


def _draw_forest(axes: "Axes", lines: Sequence[_Line], left: float) -> None:
    rows = [line.row for line in lines if line.row]
    ends = [row[column] for row in rows for column in ("delta", "ci_low", "ci_high")]
    values = _drawable(pl.Series(ends, dtype=pl.Float64))
    axes.set_xlim(_limits(values, margin=0.06, zero=True))
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.set_yticks([y for y, line in enumerate(lines) if line.row])
    axes.tick_params(labelleft=False)
    axes.locator_params(axis="x", nbins=max(2, min(5, int(_size(axes)[0] / 50))))
    _sign(axes.xaxis)
    axes.axvline(0, color=INK, linewidth=0.8)
    within = ("axes fraction", "data")
    for y, line in enumerate(lines):
        offset, weight = (line.indent - left + 2, 0), "normal" if line.row else "bold"
        _note(axes, line.label, (0, y), within, offset=offset, va="center", weight=weight)
        if line.row:
            _draw_row(axes, y, line.row)
            _note(axes, _in_numbers(line.row), (1, y), within, offset=(10, 0), va="center")


def _draw_row(axes: "Axes", y: int, row: Mapping[str, Any]) -> None:
    """Draw a point and its interval; colour and shape say on which side of zero it lies."""
    ends = pl.Series([row["delta"], row["ci_low"], row["ci_high"]], dtype=pl.Float64)
    delta, low, high = _drawable(ends)
    color, marker = (BLUE, ">") if low > 0 else (VERMILLION, "<") if high < 0 else (INK, "o")
    if np.isfinite([low, high]).all():
        axes.hlines(y, low, high, color=color, linewidth=1.6)
    axes.plot(delta, y, marker, color=color, markersize=5.5, zorder=3)


def _in_numbers(row: Mapping[str, Any]) -> str:
    delta, low, high = (number(row[c], signed=True) for c in ("delta", "ci_low", "ci_high"))
    if MISSING not in (low, high):
        return f"{delta} [{low}, {high}]"
    return delta if delta == MISSING else f"{delta} no query changed"


def decimated(values: Values, columns: int) -> npt.NDArray[np.intp]:
    """Choose the values that show in so many columns of pixels: each one's greatest and least.

    >>> decimated(np.array([5.0, 4.0, 3.0, 2.0, 1.0, 0.0]), 2).tolist()
    [0, 2, 3, 5]
    """
    parts = np.array_split(np.arange(len(values)), min(columns, len(values)))
    ends = [(part[values[part].argmax()], part[values[part].argmin()]) for part in parts]
    return np.unique(ends)


def spread(
    wanted: Sequence[float], sizes: Sequence[float], room: tuple[float, float]
) -> list[float]:
    """Move labels along a line until none lies on another, each as little as possible.

    This is isotonic regression: labels that touch form a block, and a block stands where the mean
    of its labels wanted to be.

    Parameters
    ----------
    wanted
        Where the middle of each label should be.
    sizes
        How much of the line each one takes.
    room
        The ends of the line. If the labels don't fit, they run over the lower end.

    Examples
    --------
    >>> spread([5.0, 5.0, 50.0], [10, 10, 10], (0, 100))
    [5.0, 15.0, 50.0]
    """
    order = sorted(range(len(wanted)), key=lambda label: wanted[label])
    offsets = _middles([sizes[label] for label in order])
    blocks: list[list[float]] = []
    for label, offset in zip(order, offsets, strict=True):
        blocks.append([wanted[label] - offset])
        while len(blocks) > 1 and fmean(blocks[-2]) > fmean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    low, high = room[0], room[1] - sum(sizes)
    starts = (max(low, min(fmean(block), high)) for block in blocks for _ in block)
    placed = (start + offset for start, offset in zip(starts, offsets, strict=True))
    return [place for _, place in sorted(zip(order, placed, strict=True))]


def _middles(sizes: Sequence[float]) -> list[float]:
    """Where the middles are of labels that are stacked from zero."""
    return [end - size / 2 for end, size in zip(accumulate(sizes), sizes, strict=True)]
