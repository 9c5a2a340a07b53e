"""Small multiples: panels of one size and one scale, each with its heading."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankreport.charts.chart import WIDTH, new_chart
from rankreport.charts.panel import (
    LEFT,
    add_panel,
    caption,
    in_two_lines,
    line_height,
    line_width,
    literal,
    note,
)
from rankreport.rendering.text import NAME_LIMIT, both_ends

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts.chart import Chart

MOST_PANELS = 12
"""Of one chart: more are a page of their own, which nobody compares."""

_BESIDE, _BENEATH = 22, 10  # what lies between two panels
_RIGHT = 14  # for half of the last number
_FOOT = 42  # for the numbers and the name of the level axis


def panel_grid(
    title: str, headings: Sequence[tuple[str, str]], *, columns: int, height: float | None = None
) -> tuple["Chart", list["Axes"]]:
    """Make a chart of panels, row by row; the outer ones alone have room for numbers.

    Parameters
    ----------
    title
        Stands over all of them.
    headings
        What stands over each: a name, and what is told of it.
    columns
        How many to a row.
    height
        Of a panel; as high as it is wide unless given.
    """
    width = (WIDTH - LEFT - _RIGHT - _BESIDE * (columns - 1)) / columns
    high = width if height is None else height
    words = [f"{_named(name, width)}\n{told}" for name, told in headings]
    over = 6 + max(map(line_height, words))
    top = line_height(title) + 10
    rows = -(-len(headings) // columns)
    chart = new_chart(top + rows * (over + high + _BENEATH) - _BENEATH + _FOOT)
    panels = []
    for place, heading in enumerate(words):
        row, column = divmod(place, columns)
        axes = add_panel(
            chart,
            left=LEFT + column * (width + _BESIDE),
            top=top + row * (over + high + _BENEATH) + over,
            width=width,
            height=high,
        )
        axes.tick_params(labelleft=not column)
        note(axes, heading, (0, 1), "axes fraction", offset=(0, 5), linespacing=1.1)
        panels.append(axes)
    caption(panels[0], title, above=over + 6)
    return chart, panels


def mark_lowest(panels: Sequence["Axes"], columns: int, name: str) -> None:
    """Name the level axis of the panels with none beneath them; the others lose their numbers."""
    for place, axes in enumerate(panels):
        lowest = place + columns >= len(panels)
        axes.tick_params(labelbottom=lowest, bottom=lowest)
        if lowest:
            axes.set_xlabel(name, **literal(name))


def _named(name: str, width: float) -> str:
    """Break a name over two lines, cut until they are no wider than its panel."""
    lengths = range(NAME_LIMIT, 0, -1)
    cuts = (in_two_lines(both_ends(name, length)) for length in lengths)
    return next(lines for lines in cuts if line_width(lines) <= width)
