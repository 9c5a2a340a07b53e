"""Sorted deltas: the difference of every query, from better to worse.

A histogram of differences: how many queries changed by how much.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt
import polars as pl

from rankreport.charts._alt_text import left_out, sentence_of
from rankreport.charts._chart import NO_VALUE_FOR_BOTH, Mark, checked, in_widths, report_style
from rankreport.charts._panel import (
    LEFT,
    Values,
    empty_chart,
    fit_height,
    fit_width,
    fitted,
    line_height,
    line_width,
    literal,
    mark_steps,
    note,
    panel_size,
    titled_panel,
    wrapped,
)
from rankreport.charts.canvas import ChartOptions, current_page, sizable
from rankreport.charts.sides import Side, Sides, sides_of, tally
from rankreport.text import listed, number, say, short, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts._chart import Chart


MOST_MARKS = 400
"""Of queries that the marks of a chart lead to; more cannot be pointed at."""

_BARS = 80  # queries; more of them touch, and are drawn as one outline
_COLUMNS = 600  # of pixels, across the widest chart


@sizable
def sorted_deltas(
    queries: pl.DataFrame,
    *,
    measure: str,
    baseline: str,
    system: str,
    better: str = "high",
    **options: Unpack[ChartOptions],
) -> "Chart":
    """Draw the difference of every query, from better to worse.

    Parameters
    ----------
    queries
        One row per query: `query_id` (String), `delta` (Float64, system minus baseline). Queries
        without a finite difference are left out, and counted.
    measure, baseline, system
        The names of what was compared.
    better
        Whether more of the measure is better (``"high"``), less (``"low"``), or ``"neither"``.
    options
        Where and how large it is drawn, and in which style: see `ChartOptions`.

    Examples
    --------
    >>> deltas = pl.DataFrame({"query_id": ["q1", "q2", "q3"], "delta": [0.0, 0.25, -0.5]})
    >>> chart = sorted_deltas(deltas, measure="AP", baseline="bm25", system="dense")
    >>> chart.alt  # doctest: +NORMALIZE_WHITESPACE
    'AP by query, dense minus bm25: 1 better, 1 unchanged and 1 worse; the largest rise is +0.250
    (query q2); the largest fall is -0.500 (query q3).'
    >>> chart.data["delta"].to_list()
    [0.25, 0.0, -0.5]
    """
    del options
    drawn, sides = sorted_by_gain(queries, better), sides_of(better)
    names = {"system": short(system), "baseline": short(baseline)}
    what = say("{measure} by query", measure=short(measure))
    title = f"{what}\n{say('{system} minus {baseline}', **names)}"
    if drawn.is_empty():
        chart = empty_chart(title, say(NO_VALUE_FOR_BOTH))
    else:
        chart = _drawn(drawn, title, sides)
    head = say("{measure} by query, {system} minus {baseline}", measure=short(measure), **names)
    chart.alt = sentence_of(head, _in_words(drawn, sides, undefined=len(queries) - len(drawn)))
    chart.data = drawn
    return chart


def sorted_by_gain(queries: pl.DataFrame, better: str) -> pl.DataFrame:
    """Return the differences that `sorted_deltas` draws, the largest gain first."""
    named = checked(queries, "query_id", numbers=("delta",))
    gains = pl.col("delta") * sides_of(better).better.sign
    drawn = named.filter(pl.col("delta").is_finite())
    return drawn.sort(gains, "query_id", descending=[True, False])


def _drawn(deltas: pl.DataFrame, title: str, sides: Sides) -> "Chart":
    with report_style():
        ends = wrapped(sides.ends, current_page().width - LEFT + 12)
        foot = 33 + line_height(ends)
        chart, axes = titled_panel(title, over=14, high=218, foot=foot, right=18, above=13)
        _draw_deltas(axes, deltas, sides)
        _mark_ranks(axes, len(deltas), ends)
    if len(deltas) <= MOST_MARKS:
        low, high = axes.get_ylim()
        chart.marks = tuple(
            Mark(axes, query, signed(delta), (rank - 0.5, rank + 0.5), (low, high))
            for rank, (query, delta) in enumerate(deltas.select("query_id", "delta").rows(), 1)
        )
    return chart


def _mark_ranks(axes: "Axes", n: int, ends: str) -> None:
    axes.set_xlim(0.5, n + 0.5)
    step = 10 ** max(0, len(str(n)) - 2)
    mark_steps(axes, sorted({1, *range(step, n, step), n}))
    axes.set_xlabel(ends, **literal(ends))


def _draw_deltas(axes: "Axes", drawn: pl.DataFrame, sides: Sides) -> None:
    deltas, n = drawn["delta"].to_numpy(), len(drawn)
    fit_height(axes, deltas, zero=True, margin=0.1)
    draw = _draw_bars if n <= _BARS else _draw_outline
    for side in sides:
        draw(axes, deltas, deltas * side.sign > 0, side.color)
    ends = ((0, 0.5, "left"), (-1, n + 0.5, "right"))
    for side, (place, at, aligned) in zip(sides, ends, strict=True):
        delta, query = _first_of(drawn, place)
        if delta * side.sign > 0:
            size = number(delta, signed=True)
            room = panel_size(axes)[0] - line_width(
                say("{size} (query {query})", size=size, query="")
            )
            words = say("{size} (query {query})", size=size, query=fitted(query, room))
            over = "baseline" if side.sign > 0 else "top"
            beside = 4 if aligned == "left" else 0  # the numbers of the axis
            note(axes, words, (at, delta), offset=(beside, 3 * side.sign), ha=aligned, va=over)


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


def _first_of(drawn: pl.DataFrame, place: int) -> tuple[float, str]:
    """Return a difference, and the first query that has it, as in tables of queries."""
    delta = drawn["delta"][place]
    return delta, drawn.filter(pl.col("delta") == delta)["query_id"][0]


def _in_words(drawn: pl.DataFrame, sides: Sides, *, undefined: int) -> Iterator[str]:
    """Say what is shown of sorted differences, of which the first row has the largest gain."""
    if drawn.is_empty():
        yield say(NO_VALUE_FOR_BOTH)
        return
    yield listed(tally(drawn["delta"], sides))
    for place, side in zip((0, -1), sides, strict=True):
        delta, query = _first_of(drawn, place)
        if delta * side.sign > 0:
            yield say(side.largest, size=signed(delta), query=short(query))
    yield left_out(undefined)


_FEWEST, _MOST = 10, 32
"""Of classes, about; in between the cube root of the number of queries decides, as usual."""


@sizable
def delta_histogram(
    queries: pl.DataFrame,
    *,
    measure: str,
    baseline: str,
    system: str,
    better: str = "high",
    **options: Unpack[ChartOptions],
) -> "Chart":
    """Draw how many queries changed by how much; those that did not change are counted in words.

    A class holds the differences from its end nearer to zero, which is left out, to its other end.

    Parameters
    ----------
    queries
        One row per query: `query_id` (String), `delta` (Float64, system minus baseline). Queries
        without a finite difference are left out, and counted.
    measure, baseline, system
        The names of what was compared.
    better
        Whether more of the measure is better (``"high"``), less (``"low"``), or ``"neither"``.
    options
        Where and how large it is drawn, and in which style: see `ChartOptions`.

    Examples
    --------
    >>> deltas = pl.DataFrame({"query_id": list("abcd"), "delta": [0.0, 0.2, 0.4, -0.5]})
    >>> chart = delta_histogram(deltas, measure="AP", baseline="bm25", system="dense")
    >>> chart.alt
    'AP by query, dense minus bm25: 2 better, 1 unchanged and 1 worse.'
    >>> chart.data.rows()
    [(-0.5, -0.4, 1), (0.0, 0.0, 1), (0.1, 0.2, 1), (0.3, 0.4, 1)]
    """
    del options
    sides = sides_of(better)
    drawn, classes = _finite(queries), delta_classes(queries)
    names = {"system": short(system), "baseline": short(baseline)}
    what = say("queries by their difference in {measure}", measure=short(measure))
    title = f"{what}\n{say('{system} minus {baseline}', **names)}"
    if (drawn != 0).any():
        chart = _histogram(classes, drawn, title, sides)
    else:
        chart = empty_chart(title, _unchanged(drawn) if len(drawn) else say(NO_VALUE_FOR_BOTH))
    head = say("{measure} by query, {system} minus {baseline}", measure=short(measure), **names)
    words = [listed(tally(drawn, sides)), left_out(len(queries) - len(drawn))]
    chart.alt = sentence_of(head, words if len(drawn) else [say(NO_VALUE_FOR_BOTH)])
    chart.data = classes
    return chart


def _finite(queries: pl.DataFrame) -> pl.Series:
    deltas = checked(queries, "query_id", numbers=("delta",))["delta"]
    return deltas.filter(deltas.is_finite()).sort()


def delta_classes(queries: pl.DataFrame) -> pl.DataFrame:
    """Count the differences in classes of one width, on both sides of a class of zero alone."""
    deltas = _finite(queries)
    width, decimals = _class_width(deltas)
    sizes = np.maximum(np.ceil(in_widths(deltas.abs(), width)), 1)
    steps = (sizes * deltas.sign().to_numpy()).astype(np.int64)
    outer, inner = pl.col("step"), pl.col("step") - pl.col("step").sign()
    return (
        pl.DataFrame({"step": steps})
        .group_by("step")
        .agg(pl.len().cast(pl.Int64).alias("n_queries"))
        .sort("step")
        .select(
            (pl.min_horizontal(outer, inner) * width).round(decimals).alias("low"),
            (pl.max_horizontal(outer, inner) * width).round(decimals).alias("high"),
            "n_queries",
        )
    )


def _class_width(deltas: pl.Series) -> tuple[float, int]:
    """Choose the width of a class among 1, 2, 5 and their tens and tenths, and its decimals."""
    changed = deltas.filter(deltas != 0)
    if changed.is_empty():
        return 1.0, 0
    span = float(np.ptp([0.0, *changed.sort().gather([0, -1])]))
    wanted = span / min(_MOST, max(_FEWEST, 2 * len(changed) ** (1 / 3)))
    power = int(np.floor(np.log10(wanted)))
    digit = min((1, 2, 5, 10), key=lambda digit: abs(np.log10(digit) + power - np.log10(wanted)))
    return round(digit * 10.0**power, max(0, -power)), max(0, -power)


def _histogram(classes: pl.DataFrame, deltas: pl.Series, title: str, sides: Sides) -> "Chart":
    with report_style():
        counts = "   ".join(f"{side.glyph} {side.counted(deltas)}" for side in sides)
        heading = f"{title}\n{counts}   {_unchanged(deltas)}"
        chart, axes = titled_panel(heading, over=14, high=152, foot=44, right=18)
        fit_width(axes, classes.select("low", "high").to_numpy().ravel())
        axes.set_xlabel(say("difference of a query"))
        for side in sides:
            _draw_classes(axes, classes, side)
        axes.set_ylim(0, None)
        axes.locator_params(axis="y", nbins=5, integer=True)
        axes.yaxis.set_major_formatter("{x:,.0f}")
    return chart


def _draw_classes(axes: "Axes", classes: pl.DataFrame, side: Side) -> None:
    """Draw the classes of one side, with a little air between them."""
    chosen = classes.filter((pl.col("low") + pl.col("high")) * side.sign > 0)
    low, high, n_queries = (chosen[name].to_numpy() for name in classes.columns)
    axes.bar((low + high) / 2, n_queries, width=(high - low) * 0.92, color=side.color)


def _unchanged(deltas: pl.Series) -> str:
    unchanged = int((deltas == 0).sum())
    return say("{n} of {all} unchanged", n=f"{unchanged:,}", all=f"{len(deltas):,}")
