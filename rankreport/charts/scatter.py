"""A scatter: each query by its two scores, with wins and losses on either side of the diagonal."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import polars as pl

from rankreport.charts._alt_text import left_out, sentence_of
from rankreport.charts._chart import GREY, NO_VALUE_FOR_BOTH, Mark, checked, new_chart, report_style
from rankreport.charts._panel import (
    LEFT,
    add_panel,
    caption,
    drawable,
    empty_chart,
    fitted,
    in_two_lines,
    limits,
    line_height,
    line_width,
    literal,
    mark,
    note,
    wrapped,
)
from rankreport.charts.canvas import ChartOptions, current_page, inked, sizable
from rankreport.charts.deltas import MOST_MARKS
from rankreport.charts.sides import Sides, sides_of, tally
from rankreport.text import counted, listed, number, say, short, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path

    from rankreport.charts._chart import Chart

_MARKERS = {1: "^", 0: "o", -1: "v"}
"""What matplotlib calls the shapes above the diagonal, on it, and below."""

_SCORES = ("score_baseline", "score_system")
_SIDE = 284  # of the panel, which is a square
_CHANGES_NAMED = 3
"""How many of the biggest changes are named."""

_LEAST_SIDE = 150
"""Of a panel with notes next to it; where it would be smaller they stand beneath."""

_ASIDE = 3
"""From a ring to its number."""

_DOTS = 400
"""More of them say no more, and make a page heavy: neighbours are drawn as one."""

_GRIDS = (1_000_000, 60, 48, 40, 32, 24, 16)
"""Cells to a side: first as good as none, then so coarse that few dots are left."""

_SMALLEST, _LARGEST = 18.0, 260.0
"""The area of a dot of one query, and that of the most, in square points."""

_AS_LARGE = (np.pi / 2) ** 0.5
"""A triangle is half of its square and a dot more: so much wider it is as large."""

_RING: dict[str, Any] = {"marker": "o", "markerfacecolor": "none", "zorder": 3}

_IN_PROPORTION = 12
"""Up to so many queries to a dot its area is in proportion; beyond that it grows more slowly."""


@sizable
def score_scatter(
    queries: pl.DataFrame,
    *,
    measure: str,
    baseline: str,
    system: str,
    better: str = "high",
    **options: Unpack[ChartOptions],
) -> "Chart":
    """Draw each query by its score with the baseline and with the system.

    Queries of equal scores are one dot, the larger the more there are; of many queries, so are
    those of nearly equal scores, but wins, ties and losses stay apart.

    Parameters
    ----------
    queries
        One row per query: `query_id` (String), `score_baseline`, `score_system`, `delta` (Float64,
        their difference, 0 where it says nothing). Queries that lack one of them are left out, and
        counted.
    measure, baseline, system
        The names of what was compared.
    better
        Whether more of the measure is better (``"high"``), less (``"low"``), or ``"neither"``.
    options
        Where and how large it is drawn, and in which style: see `ChartOptions`.

    Examples
    --------
    >>> scores = pl.DataFrame({"query_id": ["q1", "q2", "q3"], "score_baseline": [0.5, 0.5, 1.0],
    ...                        "score_system": [0.75, 0.75, 0.25], "delta": [0.25, 0.25, -0.75]})
    >>> chart = score_scatter(scores, measure="AP", baseline="bm25", system="dense")
    >>> chart.alt  # doctest: +NORMALIZE_WHITESPACE
    'AP by query, dense against bm25: 2 better, 0 unchanged and 1 worse; the biggest changes are
    -0.750 (query q3), +0.250 (query q1) and +0.250 (query q2).'
    >>> chart.data.rows()
    [(0.5, 0.75, 2), (1.0, 0.25, 1)]
    """
    del options
    sides = sides_of(better)
    named = checked(queries, "query_id", numbers=(*_SCORES, "delta"))
    drawn = named.filter(pl.all_horizontal(pl.col(*_SCORES, "delta").is_finite()))
    drawn = drawn.sort(pl.col("delta").abs(), "query_id", descending=[True, False])
    dots = _dots(drawn)
    names = {"system": short(system), "baseline": short(baseline)}
    what = say("{measure} by query", measure=short(measure))
    if drawn.is_empty():
        title = f"{what}\n{say('{system} against {baseline}', **names)}"
        chart = empty_chart(title, say(NO_VALUE_FOR_BOTH))
    else:
        chart = _drawn(drawn, dots, sides, (what, short(baseline), short(system)))
    head = say("{measure} by query, {system} against {baseline}", measure=short(measure), **names)
    chart.alt = sentence_of(head, _in_words(drawn, sides, undefined=len(named) - len(drawn)))
    chart.data = dots.select(*_SCORES, "n_queries")
    return chart


def _dots(queries: pl.DataFrame) -> pl.DataFrame:
    """Gather queries until few dots are left, each at the mean of its queries.

    The mean of what lies on one side of the diagonal lies there, too.
    """
    held = queries.select(_SCORES).to_numpy().ravel()
    low, high = limits(held, margin=0, zero=False) if len(held) else (0, 1)
    side = pl.col("delta").sign().alias("side")
    for cells in _GRIDS:
        place = ((pl.col(_SCORES) - low) / (high - low) * cells).floor().name.prefix("cell_")
        dots = (
            queries.group_by(place, side, maintain_order=True)
            .agg(pl.col(_SCORES).mean(), pl.len().cast(pl.Int64).alias("n_queries"))
            .select(*_SCORES, "n_queries", "side")
        )
        if len(dots) <= _DOTS:
            break
    return dots.sort("n_queries", "side", *_SCORES, descending=[True, True, False, False])


def _drawn(
    queries: pl.DataFrame, dots: pl.DataFrame, sides: Sides, names: tuple[str, str, str]
) -> "Chart":
    what, baseline, system = names
    upwards, rightwards = (say("with {system}", system=name) for name in (system, baseline))
    changes = queries.filter(pl.col("delta") != 0).head(_CHANGES_NAMED)
    with report_style():
        page = current_page()
        title = wrapped(f"{what}\n{upwards}", page.width - 4)
        labels = _labels_of(changes, beneath=False)
        aside = 46 + max([114, *map(line_width, labels)])
        beneath = page.width - LEFT - aside < _LEAST_SIDE
        if beneath:
            aside, labels = 14, _labels_of(changes, beneath=True)
        rightwards = wrapped(rightwards, page.width - LEFT)
        top, foot = 18 + line_height(title), 32 + line_height(rightwards)
        if beneath:
            foot += 10 + sum(map(line_height, ["", "", "", *labels])) + 8
        room = page.width - LEFT - aside
        usual = top + min(_SIDE, room) + foot
        side = min(room, page.height(usual) - top - foot)
        chart = new_chart(page.height(usual))
        axes = add_panel(chart, left=LEFT, top=top, width=side, height=side)
        caption(axes, title)
        low, high = limits(queries.select(_SCORES).to_numpy().ravel(), margin=0.04, zero=False)
        axes.set(xlim=(low, high), ylim=(low, high))
        axes.set_xlabel(rightwards, **literal(rightwards))
        axes.locator_params(nbins=6)
        if page.canvas.style == "report":  # in that of matplotlib its settings decide
            axes.grid(visible=True, axis="x")
        axes.plot((low, high), (low, high), color=inked(), linewidth=0.8)
        _draw_dots(axes, dots, sides)
        at = _Corner((0, 0), -22, -14 - line_height(rightwards) - 16) if beneath else _Corner()
        _draw_tally(axes, queries["delta"], dots, sides, at)
        _ring_changes(axes, changes, dots)
        _name_changes(axes, labels, at, below=4 * line_height(""))
        chart.marks = _marks(axes, queries, dots)
    return chart


class _Corner(NamedTuple):
    """Where the notes on the drawing start: a corner of the panel, and how far from it."""

    at: tuple[float, float] = (1, 1)
    right: float = 24
    up: float = -2


def _marks(axes: "Axes", queries: pl.DataFrame, dots: pl.DataFrame) -> tuple[Mark, ...]:
    """Lead from each dot to its query; a dot of several leads to the one that changed most."""
    alone = queries.group_by(_SCORES, maintain_order=True).agg(pl.col("query_id").first(), pl.len())
    found = dots.join(alone, on=_SCORES, how="inner", maintain_order="left")
    if len(queries) > MOST_MARKS or len(found) < len(dots):
        return ()
    radii = np.sqrt(_areas(found["n_queries"])) / 2
    marks = []
    for radius, (low, high, query, n) in zip(
        radii, found.select(*_SCORES, "query_id", "len").rows(), strict=True
    ):
        words = f"{number(low, 3)} \N{RIGHTWARDS ARROW} {number(high, 3)}"
        if n > 1:
            others = counted(n - 1, "other query", "other queries")
            words = say("{found}, and {others}", found=words, others=others)
        marks.append(Mark(axes, query, words, (low, low), (high, high), float(radius)))
    return tuple(marks)


def _draw_dots(axes: "Axes", dots: pl.DataFrame, sides: Sides) -> None:
    """Draw the dots, the large ones beneath, in the colour and the shape of their side."""
    colors = {side.sign: side.color for side in sides} | {0: GREY}
    shapes = {sign: _shape(marker) for sign, marker in _MARKERS.items()}
    signs = dots["side"].cast(pl.Int64).to_list()
    x, y = (drawable(dots[score]) for score in _SCORES)
    drawn = axes.scatter(
        x,
        y,
        s=_areas(dots["n_queries"]),
        c=[colors[sign] for sign in signs],
        linewidth=0,
        zorder=2.5,
    )
    drawn.set_paths([shapes[sign] for sign in signs])


def _shape(marker: str) -> "Path":
    """Give the outline of a marker; a triangle is as large as a dot and not only as wide."""
    from matplotlib.markers import MarkerStyle
    from matplotlib.transforms import Affine2D

    style = MarkerStyle(marker)
    outline = style.get_path().transformed(style.get_transform())
    return outline if marker == "o" else outline.transformed(Affine2D().scale(_AS_LARGE))


def _areas(counts: pl.Series) -> Any:
    """Give the area of each dot: in proportion to its queries, or to a root of them."""
    sizes = counts.to_numpy()
    most = max(sizes.max(initial=1), 1)
    if most <= _IN_PROPORTION:
        return _SMALLEST * sizes
    return _SMALLEST * sizes ** (np.log(_LARGEST / _SMALLEST) / np.log(most))


def _size_key(dots: pl.DataFrame) -> list[str]:
    most = max(dots["n_queries"].to_list())
    return [say("Dot size: number of\nqueries, up to {n}", n=f"{most:,}")] if most > 1 else []


def _draw_tally(
    axes: "Axes", deltas: pl.Series, dots: pl.DataFrame, sides: Sides, corner: _Corner
) -> None:
    """Count the queries of each side next to the panel, or beneath it."""
    better, ties, worse = tally(deltas, sides)
    lines = [
        (sides.better.color, _MARKERS[sides.better.sign], better),
        (GREY, _MARKERS[0], ties),
        (sides.worse.color, _MARKERS[sides.worse.sign], worse),
    ]
    for place, (color, marker, words) in enumerate(lines):
        top = corner.up - place * line_height("")
        key = (corner.right + 4, top - 0.4 * line_height(""))
        mark(axes, marker, corner.at, offset=key, color=color)
        note(axes, words, corner.at, "axes fraction", offset=(corner.right + 12, top), va="top")
    for words in _size_key(dots):
        look: dict[str, Any] = {"va": "bottom", "offset": (corner.right, 0)}
        if corner.at != (1, 1):
            look = {"va": "top", "ha": "right", "offset": (0, corner.up)}
        note(axes, words, (1, 0), "axes fraction", linespacing=1.1, **look)


def _ring_changes(axes: "Axes", changes: pl.DataFrame, dots: pl.DataFrame) -> None:
    """Ring the queries that changed most, and number the rings; equal ones share one.

    A number stands next to its ring, towards the middle. A name at the end of a line would be read
    as that of any dot that the line runs through.
    """
    places, radii = dots.select(_SCORES).to_numpy(), np.sqrt(_areas(dots["n_queries"])) / 2
    numbered = changes.select(*_SCORES, pl.int_range(1, pl.len() + 1).cast(pl.String).alias("n"))
    for across, up, numbers in numbered.group_by(_SCORES, maintain_order=True).agg("n").rows():
        radius = radii[np.hypot(*(places - (across, up)).T).argmin()] + 2
        axes.plot(across, up, color=inked(), markersize=2 * radius, **_RING)
        right, align = (1, "left") if up > across else (-1, "right")
        offset = (right * (radius + _ASIDE), 0)
        note(axes, listed(numbers), (across, up), offset=offset, ha=align, va="center")


def _labels_of(changes: pl.DataFrame, *, beneath: bool) -> list[str]:
    """Name the queries that changed most, with their differences."""
    rows = changes.select("query_id", "delta").rows()
    if beneath:
        room = current_page().width - 100
        return [f"{fitted(query, room)}  {number(delta, signed=True)}" for query, delta in rows]
    return [f"{in_two_lines(short(query))}\n{number(delta, signed=True)}" for query, delta in rows]


def _name_changes(axes: "Axes", labels: Sequence[str], corner: _Corner, below: float) -> None:
    """Say next to the panel, or beneath it, which query each number is."""
    below -= corner.up + 2
    for place, label in enumerate(labels, 1):
        for words, right in ((f"{place}", 1), (label, 12)):
            offset = (corner.right + right, -below)
            note(axes, words, corner.at, "axes fraction", offset=offset, va="top", linespacing=1.1)
        below += line_height(label) + (5 if corner.at == (1, 1) else 0)


def _in_words(queries: pl.DataFrame, sides: Sides, *, undefined: int) -> Iterator[str]:
    """Say what lies on each side of the diagonal, and which queries lie farthest from it."""
    if queries.is_empty():
        yield say(NO_VALUE_FOR_BOTH)
        return
    yield listed(tally(queries["delta"], sides))
    if largest := _changes(queries.filter(pl.col("delta") != 0).head(_CHANGES_NAMED)):
        yield say("the biggest changes are {changes}", changes=listed(largest))
    yield left_out(undefined)


def _changes(changes: pl.DataFrame) -> Sequence[str]:
    return [
        say("{size} (query {query})", size=signed(delta), query=short(query))
        for query, delta in changes.select("query_id", "delta").rows()
    ]
