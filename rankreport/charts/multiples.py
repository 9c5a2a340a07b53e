"""Small multiples: panels of one size and one scale, each with its heading."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankreport.charts.chart import WIDTH, new_chart
from rankreport.charts.panel import LEFT, add_panel, caption, line_height, line_width, note
from rankreport.rendering.text import ELLIPSIS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts.chart import Chart

MOST_PANELS = 12
"""Of one chart: more are a page of their own, which nobody compares."""

_BESIDE, _BENEATH = 22, 10  # what lies between two panels
_RIGHT = 14  # for half of the last number
_FOOT = 42  # for the numbers and the name of the level axis


def panel_grid(
    title: str, headings: Sequence[str], *, columns: int, height: float | None = None
) -> tuple["Chart", list["Axes"]]:
    """Make a chart of panels, row by row; the outer ones alone have room for numbers.

    Parameters
    ----------
    title
        Stands over all of them.
    headings
        What stands over each.
    columns
        How many to a row.
    height
        Of a panel; as high as it is wide unless given.
    """
    width = (WIDTH - LEFT - _RIGHT - _BESIDE * (columns - 1)) / columns
    high = width if height is None else height
    over = 6 + max(map(line_height, headings))
    top = line_height(title) + 10
    rows = -(-len(headings) // columns)
    chart = new_chart(top + rows * (over + high + _BENEATH) - _BENEATH + _FOOT)
    panels = []
    for place, heading in enumerate(headings):
        row, column = divmod(place, columns)
        axes = add_panel(
            chart,
            left=LEFT + column * (width + _BESIDE),
            top=top + row * (over + high + _BENEATH) + over,
            width=width,
            height=high,
        )
        axes.tick_params(labelleft=not column)
        words = "\n".join(_cut(line, width) for line in heading.split("\n"))
        note(axes, words, (0, 1), "axes fraction", offset=(0, 5), linespacing=1.1)
        panels.append(axes)
    caption(panels[0], title, above=over + 6)
    return chart, panels


def mark_lowest(panels: Sequence["Axes"], columns: int, name: str) -> None:
    """Name the level axis of the panels with none beneath them; the others lose their numbers."""
    for place, axes in enumerate(panels):
        lowest = place + columns >= len(panels)
        axes.tick_params(labelbottom=lowest, bottom=lowest)
        if lowest:
            axes.set_xlabel(name)


def _cut(line: str, width: float) -> str:
    """Cut a line that is wider than its panel."""
    kept = line
    while line_width(kept) > width:
        kept = kept.removesuffix(ELLIPSIS)[:-1].rstrip() + ELLIPSIS
    return kept
