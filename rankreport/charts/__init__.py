"""Charts: a frame in, a figure out; nothing is computed while drawing.

Every function returns a `Chart`, which is a matplotlib figure that also knows what it shows, in a
sentence and as a frame. It shows itself in Jupyter, can be restyled, and has ``savefig``.

Texts from data (names, query ids) are never read as mathematics, are shortened, and have their
invisible characters written out. Colours pass the contrast of graphics on white and on near-black,
and are never the only sign of what they say.

Where a frame holds nothing to draw, the chart says so in the place of the drawing: only a frame
that lacks a column is an error.
"""

from typing import TYPE_CHECKING

from rankreport.charts.chart import BLUE, GREEN, GREY, PURPLE, VERMILLION, chart_class
from rankreport.charts.curve_chart import MOST_IN_ONE_PANEL, curves
from rankreport.charts.delta_chart import sorted_deltas
from rankreport.charts.forest_chart import MOST_ROWS, forest, forests
from rankreport.charts.histogram_chart import delta_histogram
from rankreport.charts.level_chart import levels
from rankreport.charts.operating_chart import precision_recall_curves, roc_curves
from rankreport.charts.power_chart import power_curve
from rankreport.charts.scatter_chart import score_scatter
from rankreport.charts.segment_chart import segment_forest

if TYPE_CHECKING:
    from rankreport.charts.chart import Chart

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "MOST_IN_ONE_PANEL",
    "MOST_ROWS",
    "PURPLE",
    "VERMILLION",
    "Chart",
    "curves",
    "delta_histogram",
    "forest",
    "forests",
    "levels",
    "power_curve",
    "precision_recall_curves",
    "roc_curves",
    "score_scatter",
    "segment_forest",
    "sorted_deltas",
]


def __getattr__(name: str) -> object:
    """Make `Chart` when it is first asked for: the import of matplotlib takes a second or two."""
    if name == "Chart":
        return chart_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
