"""Names at the ends of lines, moved apart where they would overlap."""

from collections.abc import Sequence
from itertools import accumulate
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

from rankreport.charts._panel import Values, line_height, note, page_of, panel_size


def spread(
    wanted: Sequence[float], sizes: Sequence[float], room: tuple[float, float]
) -> list[float]:
    """Move labels along a line until none lies on another, each as little as possible.

    This is isotonic regression: labels that touch form a block, and a block stands where the mean
    of its labels wanted to be.

    Parameters
    ----------
    wanted
        Where the middle of each label should be.
    sizes
        How much of the line each one takes.
    room
        The ends of the line. If the labels don't fit, they run over the lower end.

    Examples
    --------
    >>> spread([5.0, 5.0, 50.0], [10, 10, 10], (0, 100))
    [5.0, 15.0, 50.0]
    """
    order = sorted(range(len(wanted)), key=lambda label: wanted[label])
    offsets = _middles([sizes[label] for label in order])
    blocks: list[list[float]] = []
    for label, offset in zip(order, offsets, strict=True):
        blocks.append([wanted[label] - offset])
        while len(blocks) > 1 and fmean(blocks[-2]) > fmean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    low, high = room[0], room[1] - sum(sizes)
    starts = (max(low, min(fmean(block), high)) for block in blocks for _ in block)
    placed = (start + offset for start, offset in zip(starts, offsets, strict=True))
    return [place for _, place in sorted(zip(order, placed, strict=True))]


def _middles(sizes: Sequence[float]) -> list[float]:
    """Where the middles are of labels that are stacked from zero."""
    return [end - size / 2 for end, size in zip(accumulate(sizes), sizes, strict=True)]


def place_of(axes: "Axes", at: tuple[float, float]) -> Values:
    """Return a place of the data as shares of the panel's width and height."""
    place: Values = (axes.transData + axes.transAxes.inverted()).transform(at)
    return place


def label_ends(axes: "Axes", ends: Sequence[tuple[str, str, float]]) -> None:
    """Name each line at its end, and lead to names that would lie on each other.

    Parameters
    ----------
    axes
        The panel.
    ends
        The label of each line, its colour, and its last value.
    """
    from matplotlib.lines import Line2D

    width, height = panel_size(axes)
    wanted = [place_of(axes, (axes.get_xlim()[1], value))[1] * height for *_, value in ends]
    places = spread(wanted, [line_height(label) for label, *_ in ends], (-6, height + 6))
    for (label, color, _), end, place in zip(ends, wanted, places, strict=True):
        leader = Line2D(
            (1 + 4 / width, 1 + 15 / width),
            (end / height, place / height),
            transform=axes.transAxes,
            color=color,
            linewidth=1,
        )
        page_of(axes).add_artist(leader)
        at = (1, place / height)
        note(axes, label, at, "axes fraction", offset=(18, 0), va="center", linespacing=1.1)
