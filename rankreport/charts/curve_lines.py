"""What panels of curves share: lines over their intervals and bands, and an axis of cut-offs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from rankreport.charts.chart import SHADE, has_values
from rankreport.charts.panel import Values, drawable, mark_factors, mark_steps
from rankreport.rendering.language import say

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDS = ("ci_low", "ci_high")
BAND = ("band_low", "band_high")


def draw_bands(axes: "Axes", course: pl.DataFrame, color: str) -> None:
    """Fill a system's intervals, and draw the edges of its band for all cut-offs.

    So each is told from the other also where one of them is missing, in grey and on dark ground. A
    cut-off whose neighbours have none is a line, or a stroke at each edge.
    """
    ks = course["k"].to_numpy()
    low, high = (drawable(course[column]) for column in ENDS)
    axes.fill_between(ks, low, high, color=color, alpha=SHADE, linewidth=0)
    alone = _alone(low + high)
    if alone.any():
        axes.vlines(ks[alone], low[alone], high[alone], color=color, linewidth=1.2)
    for edge in (drawable(course[column]) for column in BAND if column in course.columns):
        axes.plot(
            ks,
            edge,
            color=color,
            linewidth=0.7,
            marker="_",
            markevery=_alone(edge),
            label="_band",
        )


def _alone(values: Values) -> npt.NDArray[np.bool_]:
    """Tell which values have no neighbour that a line could lead to."""
    known = np.pad(np.isfinite(values), 1)
    alone: npt.NDArray[np.bool_] = known[1:-1] & ~known[:-2] & ~known[2:]
    return alone


def with_interval(what: str, frame: pl.DataFrame, confidence: str) -> str:
    """Say of what is drawn that it has intervals, if it has."""
    if not has_values(frame[ENDS[0]]):
        return what
    return say("{what}, with its {confidence} interval", what=what, confidence=confidence)


def about_band(differences: pl.DataFrame) -> str:
    """Say what the band is drawn as, if there is one, and why there may be none at some k."""
    known = differences.drop_nulls("delta")
    if BAND[0] not in known.columns or not has_values(known[BAND[0]]):
        return ""
    if known[BAND[0]].null_count():
        return say("thin lines: a band for all k at once, where enough queries changed")
    return say("thin lines: a band for all k at once")


def mark_cutoffs(axes: "Axes", ks: Sequence[int]) -> None:
    """Mark the cut-offs, on a scale of factors if that is how they grow."""
    grows = len(ks) > 2 and ks[-1] - ks[-2] > 4 * (ks[1] - ks[0])
    axes.set_xscale("log" if grows else "linear")
    room = 0 if len(ks) > 1 else 0.5
    axes.set_xlim(ks[0] - room, ks[-1] + room)
    mark = mark_factors if grows else mark_steps
    mark(axes, ks)
