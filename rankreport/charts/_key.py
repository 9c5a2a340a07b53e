"""The key of a chart: what its lines and signs stand for."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

from rankreport.charts._panel import line_height, line_width, note, page_of, panel_size


class KeyEntry(NamedTuple):
    """An entry of a key: its words, and how the line that they name looks."""

    words: str
    color: str
    dash: Any = "-"
    marker: str = ""


def draw_key(
    axes: "Axes",
    entries: Sequence[KeyEntry],
    corner: tuple[float, float],
    offset: tuple[float, float],
) -> None:
    """Name lines in a column from a place near a corner of the panel downwards."""
    from matplotlib.lines import Line2D

    width, height = panel_size(axes)
    right, up = offset
    for words, color, dash, marker in entries:
        y = corner[1] + (up - 0.5 * line_height("")) / height
        ends = [corner[0] + (right + side) / width for side in (0, _SAMPLE / 2, _SAMPLE)]
        sample = Line2D(ends, [y] * 3, color=color, linestyle=dash, transform=axes.transAxes)
        sample.set(marker=marker, markevery=[1])
        page_of(axes).add_artist(sample)
        at = (right + _SAMPLE + 6, up)
        note(axes, words, corner, "axes fraction", offset=at, va="top", linespacing=1.1)
        up -= line_height(words) + _BETWEEN


def key_height(entries: Sequence[KeyEntry]) -> float:
    """Give the height of a key."""
    return sum(line_height(entry.words) + _BETWEEN for entry in entries)


def key_width(entries: Sequence[KeyEntry]) -> float:
    """Give the width of a key."""
    return _SAMPLE + 6 + max((line_width(entry.words) for entry in entries), default=0)


_SAMPLE = 22
"""The length of the line next to words that name it."""


_BETWEEN = 3
"""What lies between two entries of a key."""
