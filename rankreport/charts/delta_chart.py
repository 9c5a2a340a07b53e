"""Sorted deltas: the difference of every query, from the biggest win to the biggest loss."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from rankreport.charts.chart import (
    NO_VALUE_FOR_BOTH,
    WIDTH,
    checked,
    new_chart,
    report_style,
)
from rankreport.charts.panel import (
    LEFT,
    Values,
    add_panel,
    caption,
    empty_chart,
    fit_height,
    literal,
    mark_steps,
    note,
)
from rankreport.charts.sentences import left_out, sentence_of
from rankreport.charts.sides import Sides, draw_tally, sides_of, tally
from rankreport.rendering.language import say
from rankreport.rendering.text import listed, number, short, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts.chart import Chart

_BARS = 80  # queries; more of them touch, and are drawn as one outline
_COLUMNS = 600  # of pixels, across the widest chart


def sorted_deltas(
    queries: pl.DataFrame, *, measure: str, baseline: str, system: str, better: str = "high"
) -> "Chart":
    """Draw the difference of every query, from the biggest win to the biggest loss.

    Parameters
    ----------
    queries
        One row per query: `query_id` (String), `delta` (Float64, system minus baseline). Queries
        without a finite difference are left out, and counted.
    measure, baseline, system
        The names of what was compared.
    better
        Whether more of the measure is better (``"high"``), less (``"low"``), or ``"neither"``.

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
    named = checked(queries, "query_id", numbers=("delta",))
    sides = sides_of(better)
    gains = pl.col("delta") * sides.better.sign
    drawn = named.filter(pl.col("delta").is_finite())
    drawn = drawn.sort(gains, "query_id", descending=[True, False])
    names = {"system": short(system), "baseline": short(baseline)}
    what = say("{measure} by query", measure=short(measure))
    title = f"{what}\n{say('{system} minus {baseline}', **names)}"
    if drawn.is_empty():
        chart = empty_chart(title, say(NO_VALUE_FOR_BOTH))
    else:
        chart = _drawn(drawn, title, sides)
    head = say("{measure} by query, {system} minus {baseline}", measure=short(measure), **names)
    chart.alt = sentence_of(head, _in_words(drawn, sides, undefined=len(named) - len(drawn)))
    chart.data = drawn
    return chart


def _drawn(deltas: pl.DataFrame, title: str, sides: Sides) -> "Chart":
    with report_style():
        chart = new_chart(296)
        axes = add_panel(chart, left=LEFT, top=60, width=WIDTH - LEFT - 18, height=192)
        caption(axes, title, above=36)
        _draw_deltas(axes, deltas, sides)
        _mark_ranks(axes, len(deltas), sides)
        draw_tally(axes, deltas["delta"], sides)
    return chart


def _mark_ranks(axes: "Axes", n: int, sides: Sides) -> None:
    axes.set_xlim(0.5, n + 0.5)
    step = 10 ** max(0, len(str(n)) - 2)
    mark_steps(axes, sorted({1, *range(step, n, step), n}))
    axes.set_xlabel(sides.ends, **literal(sides.ends))


def _draw_deltas(axes: "Axes", drawn: pl.DataFrame, sides: Sides) -> None:
    deltas, n = drawn["delta"].to_numpy(), len(drawn)
    fit_height(axes, deltas, zero=True, margin=0.1)
    draw = _draw_bars if n <= _BARS else _draw_outline
    for side in sides:
        draw(axes, deltas, deltas * side.sign > 0, side.color)
    ends = ((0, 0.5, "left"), (-1, n + 0.5, "right"))
    for side, (place, at, aligned) in zip(sides, ends, strict=True):
        delta, query = drawn.select("delta", "query_id").row(place)
        if delta * side.sign > 0:
            size = number(delta, signed=True)
            words = say("{size} (query {query})", size=size, query=short(query))
            over = "baseline" if side.sign > 0 else "top"
            note(axes, words, (at, delta), offset=(0, 3 * side.sign), ha=aligned, va=over)


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


def decimated(values: Values, columns: int) -> npt.NDArray[np.intp]:
    """Choose the values that show in so many columns of pixels: each one's greatest and least.

    >>> decimated(np.array([5.0, 4.0, 3.0, 2.0, 1.0, 0.0]), 2).tolist()
    [0, 2, 3, 5]
    """
    parts = np.array_split(np.arange(len(values)), min(columns, len(values)))
    ends = [(part[values[part].argmax()], part[values[part].argmin()]) for part in parts]
    return np.unique(ends)


def _in_words(drawn: pl.DataFrame, sides: Sides, *, undefined: int) -> Iterator[str]:
    """Say what is shown of sorted differences, of which the biggest win is the first row."""
    if drawn.is_empty():
        yield say(NO_VALUE_FOR_BOTH)
        return
    yield listed(tally(drawn["delta"], sides))
    for place, side in zip((0, -1), sides, strict=True):
        delta, query = drawn.select("delta", "query_id").row(place)
        if delta * side.sign > 0:
            yield say(side.biggest, size=signed(delta), query=short(query))
    yield left_out(undefined)
