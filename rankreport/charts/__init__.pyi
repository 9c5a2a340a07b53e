from rankreport.charts._chart import BLUE, GREEN, GREY, PURPLE, VERMILLION, Chart
from rankreport.charts._chart import SUFFIXES as SUFFIXES
from rankreport.charts._chart import Charts as Charts
from rankreport.charts._chart import write_chart as write_chart
from rankreport.charts._matplotlib import import_matplotlib as import_matplotlib
from rankreport.charts._matplotlib import own_settings as own_settings
from rankreport.charts._matplotlib import without_glyph_warnings as without_glyph_warnings
from rankreport.charts.canvas import ChartOptions
from rankreport.charts.canvas import for_one_chart as for_one_chart
from rankreport.charts.curve_charts import MOST_IN_ONE_PANEL, curves
from rankreport.charts.deltas import MOST_MARKS as MOST_MARKS
from rankreport.charts.deltas import delta_histogram, sorted_deltas
from rankreport.charts.deltas import sorted_by_gain as sorted_by_gain
from rankreport.charts.forest_chart import forest
from rankreport.charts.means import levels
from rankreport.charts.position_bias_chart import position_bias
from rankreport.charts.power import power_curve
from rankreport.charts.ranks_chart import ranks
from rankreport.charts.roc import precision_recall_curves, roc_curves
from rankreport.charts.scatter import score_scatter
from rankreport.charts.segments import segment_forest
from rankreport.charts.strip import Estimate as Estimate
from rankreport.charts.strip import difference_strip as difference_strip
from rankreport.charts.strip import distribution_strip as distribution_strip
from rankreport.charts.strip import estimates_strip as estimates_strip
from rankreport.charts.strip import level_strip as level_strip
from rankreport.charts.strip import opaque_strip as opaque_strip
from rankreport.charts.strip import row_axis as row_axis
from rankreport.charts.strip import row_intervals as row_intervals
from rankreport.charts.strip import strip_image as strip_image
from rankreport.charts.strip import tally_strip as tally_strip
from rankreport.charts.svg import WIDE as WIDE
from rankreport.charts.svg import Strip as Strip
from rankreport.charts.svg import both_widths as both_widths
from rankreport.charts.svg import drawn_for_pages as drawn_for_pages
from rankreport.charts.svg import image_of as image_of
from rankreport.charts.svg import png_of as png_of
from rankreport.charts.trend_chart import trend

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "MOST_IN_ONE_PANEL",
    "PURPLE",
    "VERMILLION",
    "Chart",
    "ChartOptions",
    "curves",
    "delta_histogram",
    "forest",
    "levels",
    "position_bias",
    "power_curve",
    "precision_recall_curves",
    "ranks",
    "roc_curves",
    "score_scatter",
    "segment_forest",
    "sorted_deltas",
    "trend",
]
