"""Sorted deltas: the difference of every query, from the biggest win to the biggest loss."""

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from rankreport.charts.chart import (
    BLUE,
    GREY,
    NO_VALUE_FOR_BOTH,
    VERMILLION,
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
    line_width,
    mark_steps,
    note,
    panel_size,
    spread,
)
from rankreport.rendering.text import counted, listed, number, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts.chart import Chart

_BARS = 80  # queries; more of them touch, and are drawn as one outline
_COLUMNS = 600  # of pixels, across the widest chart


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
    named = checked(deltas, "query_id", numbers=("delta",))
    drawn = named.filter(pl.col("delta").is_finite())
    drawn = drawn.sort("delta", "query_id", descending=[True, False])
    what, pair = f"{short(measure)} by query", f"{short(system)} minus {short(baseline)}"
    title = f"{what}\n{pair}"
    chart = empty_chart(title, NO_VALUE_FOR_BOTH) if drawn.is_empty() else _drawn(drawn, title)
    chart.alt = f"{what}, {pair}: {_in_words(drawn, undefined=len(named) - len(drawn))}."
    chart.data = drawn
    return chart


def _drawn(deltas: pl.DataFrame, title: str) -> "Chart":
    with report_style():
        chart = new_chart(296)
        axes = add_panel(chart, left=LEFT, top=60, width=WIDTH - LEFT - 18, height=192)
        caption(axes, title, above=36)
        _draw_deltas(axes, deltas)
        _draw_tally(axes, _Tally.of(deltas["delta"]))
        _mark_ranks(axes, len(deltas))
    return chart


class _Tally(NamedTuple):
    """How many queries were won, tied and lost."""

    wins: int
    ties: int
    losses: int

    @classmethod
    def of(cls, deltas: pl.Series) -> "_Tally":
        return cls(*(int(side.sum()) for side in (deltas > 0, deltas == 0, deltas < 0)))

    def in_words(self) -> tuple[str, str, str]:
        return (
            counted(self.wins, "win", "wins"),
            counted(self.ties, "tie", "ties"),
            counted(self.losses, "loss", "losses"),
        )


def _mark_ranks(axes: "Axes", n: int) -> None:
    axes.set_xlim(0.5, n + 0.5)
    step = 10 ** max(0, len(str(n)) - 2)
    mark_steps(axes, sorted({1, *range(step, n, step), n}))
    axes.set_xlabel("queries, from the biggest win to the biggest loss")


def _draw_deltas(axes: "Axes", drawn: pl.DataFrame) -> None:
    deltas, n = drawn["delta"].to_numpy(), len(drawn)
    fit_height(axes, deltas, zero=True, margin=0.1)
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
            note(axes, words, (at, row["delta"]), offset=(0, 3 * sign), **look)


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


def _draw_tally(axes: "Axes", tally: _Tally) -> None:
    """Count wins, ties and losses over the panel, each over its share of the width."""
    wins, ties, losses = tally.in_words()
    words = [f"▲ {wins}", ties, f"▼ {losses}"]
    width, height = panel_size(axes)
    ends = [0, *accumulate(tally)]
    middles = [(start + end) / 2 / ends[-1] * width for start, end in pairwise(ends)]
    places = spread(middles, [line_width(text) + 12 for text in words], (-6, width + 6))
    for text, place in zip(words, places, strict=True):
        note(axes, text, (place / width, 1), "axes fraction", offset=(0, 14), ha="center")
    for (start, end), color in zip(pairwise(ends), (BLUE, GREY, VERMILLION), strict=True):
        if end > start:
            axes.hlines(
                1 + 7 / height,
                start + 0.5,
                end + 0.5,
                color=color,
                linewidth=3,
                transform=axes.get_xaxis_transform(),
                clip_on=False,
            )


def _in_words(drawn: pl.DataFrame, *, undefined: int) -> str:
    """Say what is shown of sorted differences, of which the biggest win is the first row."""
    if drawn.is_empty():
        return NO_VALUE_FOR_BOTH
    tally = _Tally.of(drawn["delta"])
    clauses = [listed(tally.in_words())]
    for row, kind, found in ((0, "win", tally.wins), (-1, "loss", tally.losses)):
        if found:
            delta, query = drawn.row(row)[::-1]
            size = number(delta, 3, signed=True)
            clauses.append(f"the biggest {kind} is {size} (query {short(query)})")
    if undefined:
        clauses.append(f"{counted(undefined, 'query', 'queries')} without a difference left out")
    return "; ".join(clauses)
