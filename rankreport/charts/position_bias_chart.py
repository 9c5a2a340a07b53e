"""Position bias: how much less a rank is looked at, or clicked, than the first one."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Unpack

import numpy as np
import polars as pl

from rankreport.charts._alt_text import sentence_of, valued
from rankreport.charts._chart import BLUE, NO_VALUE, SHADE, checked, has_values, report_style
from rankreport.charts._panel import drawable, empty_chart, fit_height, mark_steps, titled_panel
from rankreport.charts.canvas import ChartOptions, sizable
from rankreport.text import percent, say

if TYPE_CHECKING:
    from rankreport.charts._chart import Chart

_NUMBERS = ("bias", "ci_low", "ci_high")


@sizable
def position_bias(
    rows: pl.DataFrame, *, confidence: float = 0.95, **options: Unpack[ChartOptions]
) -> "Chart":
    """Draw examination, or the click-through rate, of each rank relative to the first rank.

    Parameters
    ----------
    rows
        One row per rank: `rank` (Int64), `bias`, `ci_low`, `ci_high` (Float64, null where there is
        none).
    confidence
        The confidence that the intervals were made for.
    options
        Where and how large it is drawn, and in which style: see `ChartOptions`.

    Examples
    --------
    >>> rows = pl.DataFrame({"rank": [1, 2], "bias": [1.0, 0.6], "ci_low": [None, 0.5],
    ...                      "ci_high": [None, 0.7]})
    >>> position_bias(rows).alt
    'position bias, relative to rank 1, with its 95 % interval: rank 2, 0.600 (0.500 to 0.700).'
    """
    del options
    drawn = checked(rows, "rank", numbers=_NUMBERS)
    level = percent(confidence)
    title = say(
        "position bias, relative to rank 1, with its {confidence} interval", confidence=level
    )
    known = has_values(drawn["bias"])
    chart = _drawn(drawn, title) if known else empty_chart(title, say(NO_VALUE))
    chart.alt = sentence_of(title, _in_words(drawn) if known else [say(NO_VALUE)])
    chart.data = drawn
    return chart


def _drawn(rows: pl.DataFrame, title: str) -> "Chart":
    ranks = rows["rank"].to_list()
    bias, low, high = (drawable(rows[name]) for name in _NUMBERS)
    with report_style():
        chart, axes = titled_panel(title, over=11, high=180, foot=40, right=24)
        fit_height(axes, np.concatenate([bias, low, high, [0.0]]), zero=False)
        axes.fill_between(ranks, low, high, color=BLUE, alpha=SHADE, linewidth=0)
        axes.vlines(ranks, low, high, color=BLUE, linewidth=1.2)
        axes.plot(ranks, bias, color=BLUE, marker="o")
        room = 0.5 if len(ranks) == 1 else 0.2
        axes.set_xlim(ranks[0] - room, ranks[-1] + room)
        mark_steps(axes, ranks)
        axes.set_xlabel(say("rank"))
    return chart


def _in_words(rows: pl.DataFrame) -> Iterator[str]:
    """Say the bias of the second rank, of the tenth, and of the last."""
    known = rows.filter(pl.col("bias").is_not_null() & (pl.col("rank") != rows["rank"][0]))
    ranks = known["rank"].to_list()
    for rank in dict.fromkeys([*ranks[:1], *(r for r in ranks if r == 10), *ranks[-1:]]):
        row = known.row(by_predicate=pl.col("rank") == rank, named=True)
        yield say("rank {rank}, {bias}", rank=rank, bias=valued(row, *_NUMBERS))
