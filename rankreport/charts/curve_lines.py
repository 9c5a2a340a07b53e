"""What panels of curves share: lines over their intervals and bands, and an axis of cut-offs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from rankreport.charts.chart import has_values
from rankreport.charts.panel import drawable, mark_factors, mark_steps
from rankreport.rendering.language import say

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDS = ("ci_low", "ci_high")
BAND = ("band_low", "band_high")


def draw_bands(axes: "Axes", course: pl.DataFrame, color: str) -> None:
    """Draw a system's intervals and, lighter, its band for all cut-offs; for one cut-off a line."""
    ks = course["k"].to_numpy()
    low, high = (drawable(course[column]) for column in ENDS)
    if len(ks) == 1:
        axes.vlines(ks, low, high, color=color, linewidth=1.2)
        return
    if BAND[0] in course.columns:
        lowest, highest = (drawable(course[column]) for column in BAND)
        axes.fill_between(ks, lowest, highest, color=color, alpha=0.08, linewidth=0)
    axes.fill_between(ks, low, high, color=color, alpha=0.16, linewidth=0)


def with_bands(what: str, frame: pl.DataFrame, confidence: str) -> str:
    """Say of what is drawn that it has intervals, and a band for all cut-offs, if it has."""
    interval = has_values(frame[ENDS[0]])
    band = BAND[0] in frame.columns and has_values(frame[BAND[0]])
    told = {"what": what, "confidence": confidence}
    if interval and band:
        return say("{what}, with its {confidence} interval and a band for all k at once", **told)
    if interval:
        return say("{what}, with its {confidence} interval", **told)
    return say("{what} and a band for all k at once", what=what) if band else what


def mark_cutoffs(axes: "Axes", ks: Sequence[int]) -> None:
    """Mark the cut-offs, on a scale of factors if that is how they grow."""
    grows = len(ks) > 2 and ks[-1] - ks[-2] > 4 * (ks[1] - ks[0])
    axes.set_xscale("log" if grows else "linear")
    room = 0 if len(ks) > 1 else 0.5
    axes.set_xlim(ks[0] - room, ks[-1] + room)
    mark = mark_factors if grows else mark_steps
    mark(axes, ks)
