"""A panel of a chart: where it stands, the texts around it, and the numbers on its axes.

All lengths are points.

Small multiples: panels of one size, each with its heading.
"""

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from rankreport.charts._chart import dress, new_chart, report_style
from rankreport.charts.canvas import FONT_SIZE, NoRoomError, current_page, inked
from rankreport.charts.svg import with_minus_signs
from rankreport.text import ELLIPSIS, NAME_LIMIT, both_ends, number, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from rankreport.charts._chart import Chart


Values = npt.NDArray[np.float64]


LEFT = 48
"""The room for the numbers of an upright axis."""


_LINE = 11.5  # from one line of text to the next


_GAP = 6  # between two numbers of an axis, at least


_DESERT = 30  # between two round numbers of an axis: here one that is not round is welcome


_ROUND = ("1", "5", "2")  # before their zeros


def add_panel(
    chart: "Chart",
    *,
    left: float,
    top: float,
    width: float,
    height: float,
    beneath: "Axes | None" = None,
) -> "Axes":
    """Add axes to a chart, with the horizontal axis of those that they stand beneath.

    Of axes that a user gave, these are the first panel, as much smaller as what stands around it,
    further panels among it, needs.
    """
    page = current_page()
    _check_room(width, height)
    own = 0.0 if page.holder is not None else chart.get_figheight() * 72 / page.scale
    across, down = page.width, page.height(own)
    x, y, wide, high = page.box
    box = (
        x + left / across * wide,
        y + (1 - (top + height) / down) * high,
        width / across * wide,
        height / down * high,
    )
    if page.canvas.ax is None:
        return chart.add_axes(box, sharex=beneath)
    if page.taken:
        return cast("Figure", page.holder).add_axes(box, sharex=beneath)
    page.taken.append(page.canvas.ax)
    page.canvas.ax.set_position(box)
    dress(page.canvas.ax)
    return page.canvas.ax


def _check_room(width: float, height: float) -> None:
    """Refuse a panel in which nothing can be seen."""
    page = current_page()
    sides = (("width", width, 40, page.inches[0]), ("height", height, 10, page.inches[1]))
    for name, side, least, given in sides:
        if given is not None and side < least:
            need = given + (least - side) * page.scale / 72
            raise NoRoomError(
                f"The chart does not fit: a {name} of {given:.1f} inches leaves too little beside "
                f"its texts. Give at least {need + 0.05:.1f} inches."
            )


def empty_chart(title: str, words: str) -> "Chart":
    """Make a chart that says why nothing is drawn."""
    with report_style():
        words = wrapped(words, current_page().width - LEFT)
        foot = 6 + line_height(words) - line_height("")
        chart, axes = titled_panel(title, over=12, high=24, foot=foot, right=0)
        axes.set_xticks([])
        leave_empty(axes, words)
    return chart


def titled_panel(
    title: str, *, over: float, high: float, foot: float, right: float, above: float = 8
) -> tuple["Chart", "Axes"]:
    """Start a chart of one panel, under a title over the whole width.

    ``over`` is what lies over the panel besides the title, ``high`` its usual height, ``foot`` and
    ``right`` what lies beneath it and to its right, in points; ``above`` as of `caption`.
    """
    page = current_page()
    title = wrapped(title, page.width - 4)
    top = over + line_height(title)
    total = page.height(top + high + foot)
    chart = new_chart(total)
    width = page.width - LEFT - right
    axes = add_panel(chart, left=LEFT, top=top, width=width, height=total - top - foot)
    caption(axes, title, above=above)
    return chart, axes


def leave_empty(axes: "Axes", words: str) -> None:
    """Say in a panel why it is empty."""
    axes.set_yticks([])
    note(axes, words, (0, 0.5), "axes fraction", offset=(0, 0), va="center")


def panel_size(axes: "Axes") -> tuple[float, float]:
    """Give the width and the height of a panel."""
    box, unit = axes.get_window_extent(), unit_of(axes)
    return box.width / unit, box.height / unit


def unit_of(axes: "Axes") -> float:
    """Give the pixels of a unit."""
    return page_of(axes).dpi / 72 * current_page().scale


def page_of(axes: "Axes") -> "Figure":
    """Give the figure that a panel belongs to."""
    return cast("Figure", axes.get_figure(root=True))


def caption(axes: "Axes", text: str, above: float = 8) -> None:
    """Name what an axis counts where it is read first: at the left, over the panel."""
    from matplotlib.transforms import Affine2D, offset_copy

    # The title in the middle is the one that users find, and replace.
    scale = current_page().scale
    title = axes.set_title(text, y=1, ha="left", fontsize=FONT_SIZE * scale, **literal(text))
    offset = ((2 - LEFT) * scale, above * scale)
    place = offset_copy(axes.transAxes, page_of(axes), *offset, units="points")
    title.set_transform(Affine2D().translate(-0.5, 0) + place)


def literal(text: str) -> dict[str, Any]:
    """Keep a text from being read as mathematics; one that a user puts in its place may be."""
    return {"parse_math": "$" not in text}


def note(
    axes: "Axes",
    text: str,
    at: tuple[float, float],
    within: str | tuple[str, str] = "data",
    **look: Any,
) -> None:
    """Write a text some points away from a place."""
    scale = current_page().scale
    look["xytext"] = tuple(scale * side for side in look.pop("offset"))
    words = with_minus_signs(text)
    axes.annotate(words, at, xycoords=within, textcoords="offset points", parse_math=False, **look)


def mark(
    axes: "Axes", marker: str, at: tuple[float, float], *, offset: tuple[float, float], color: str
) -> None:
    """Draw a marker some points away from a place of the panel, as the key to a colour.

    As a text it would need the contrast of texts, which not all colours of lines and dots have.
    """
    from matplotlib.lines import Line2D
    from matplotlib.transforms import offset_copy

    figure, scale = cast("Figure", axes.figure), current_page().scale
    place = offset_copy(
        axes.transAxes, figure, scale * offset[0], scale * offset[1], units="points"
    )
    size = 0.7 * FONT_SIZE * scale
    look: dict[str, Any] = {"color": color, "markersize": size, "markeredgewidth": 0}
    figure.add_artist(Line2D([at[0]], [at[1]], marker=marker, transform=place, **look))


def line_width(text: str) -> float:
    """Estimate the width of the longest line of a text."""
    return FONT_SIZE * max(map(text_width, with_minus_signs(text).split("\n")))


def line_height(text: str) -> float:
    """Give the height of all lines of a text."""
    return _LINE * (1 + text.count("\n"))


def wrapped(text: str, width: float) -> str:
    """Break lines at spaces, as often as it takes for a text to be no wider; words are shortened.

    >>> print(wrapped("difference to bm25", 60))
    difference
    to bm25
    """
    lines: list[str] = []
    for line in text.split("\n"):
        current = ""
        for word in line.split(" "):
            longer = f"{current} {word}" if current else word
            if current and line_width(longer) > width:
                lines.append(current)
                current = word
            else:
                current = longer
            while line_width(current) > width and " " not in current and len(current) > 2:
                at = next(
                    i
                    for i in range(len(current), 0, -1)
                    if line_width(current[:i]) <= width or i == 1
                )
                lines.append(current[:at])
                current = current[at:]
        lines.append(current)
    return "\n".join(lines)


def fitted(name: str, width: float) -> str:
    """Shorten a name until it is no wider."""
    cuts = (both_ends(name, length) for length in range(NAME_LIMIT, 0, -1))
    return next((cut for cut in cuts if line_width(cut) <= width), "")


def in_two_lines(name: str) -> str:
    """Break a long name, after a separator or where it was cut, if that is near the middle.

    >>> print(in_two_lines("CROSS-ENCODER-LAR…ITH-CLICKS-MW-01"))
    CROSS-ENCODER-LAR…
    ITH-CLICKS-MW-01
    """
    if len(name) <= 22:
        return name
    middle = len(name) // 2
    near = range(middle - 5, middle + 6)
    at = min(near, key=lambda i: (name[i - 1] not in f"-_/.: {ELLIPSIS}", abs(i - middle)))
    return f"{name[:at]}\n{name[at:]}"


def drawable(column: pl.Series) -> Values:
    """Give the numbers of a column, with NaN for what can't be drawn."""
    values = column.to_numpy()
    return np.where(np.isfinite(values), values, np.nan)


def limits(values: Values, *, margin: float, zero: bool) -> tuple[float, float]:
    """Find limits that hold everything, with some room."""
    held = np.append(values[np.isfinite(values)], [0.0] if zero else [])
    room = margin * np.ptp(held) or 0.1
    return held.min() - room, held.max() + room


def fit_height(axes: "Axes", values: Values, *, zero: bool, margin: float = 0.05) -> None:
    """Fit the upright axis to values, which are differences if zero belongs to them."""
    axes.set_ylim(limits(values, margin=margin, zero=zero))
    axes.locator_params(axis="y", nbins=6)
    if zero:
        axes.axhline(0, color=inked(), linewidth=0.8)
        _sign_numbers(axes.yaxis)


def fit_width(axes: "Axes", values: Values, *, line: bool = True) -> None:
    """Fit the level axis to differences, with as many numbers as can be read."""
    low, high = limits(values, margin=0.06, zero=True)
    axes.set_xlim(low, high)
    if line:
        axes.axvline(0, color=inked(), linewidth=0.8)
    for bins in range(6, 1, -1):
        axes.locator_params(axis="x", nbins=bins)
        _sign_numbers(axes.xaxis)
        places = [place for place in axes.get_xticks() if low <= place <= high]
        if _stand_apart(axes, places, axes.xaxis.get_major_formatter()):
            break


def _sign_numbers(axis: "Axis") -> None:
    """Give the numbers of an axis a sign, and all of them as many decimals as one needs."""
    places = [number(place, 6).rstrip("0") for place in axis.get_majorticklocs()]
    decimals = max(len(place.partition(".")[2]) for place in places)
    axis.set_major_formatter(functools.partial(_signed, decimals))


def _signed(decimals: int, value: float, _position: float) -> str:
    return with_minus_signs(number(value, decimals, signed=True))


def mark_steps(axes: "Axes", places: Sequence[int]) -> None:
    """Put numbers on an axis: at its ends, and at equal steps as small as can be read."""
    ends = sorted({places[0], places[-1]})
    for step in (size * digit for size in (10**power for power in range(9)) for digit in (1, 2, 5)):
        multiples = [place for place in places if place % step == 0]
        if _stand_apart(axes, multiples):
            break
    kept = [n for n in multiples if all(_stand_apart(axes, [n, end]) for end in ends if n != end)]
    _mark(axes, {*ends, *kept})


def mark_factors(axes: "Axes", places: Sequence[int]) -> None:
    """Put numbers on an axis of factors: at its ends, where readers look, and in the deserts.

    Readers look at 1, 2, 5 and their tens, hundreds and so on, and at 3.
    """
    marked = {places[0], places[-1]}
    across, unit = dict(zip(places, _across(axes, places), strict=True)), unit_of(axes)
    for place in sorted(places, key=_roundness):
        gap = _GAP if _looked_at(place) else _DESERT
        room = {other: line_width(_grouped(max(place, other))) + gap for other in marked}
        if all(abs(across[place] - across[n]) / unit >= least for n, least in room.items()):
            marked.add(place)
    _mark(axes, marked)


def _looked_at(n: int) -> bool:
    return n == 3 or str(n).rstrip("0") in _ROUND


def _roundness(n: int) -> tuple[bool, int, int]:
    digits = str(n).rstrip("0")
    rank = _ROUND.index(digits) if digits in _ROUND else len(_ROUND)
    return not _looked_at(n), len(digits), rank


def _mark(axes: "Axes", places: set[int]) -> None:
    from matplotlib.ticker import FixedLocator

    # `set_xticks` makes all ticks at once, half of the time of a chart: here, drawing makes them.
    axes.xaxis.set_view_interval(min(places), max(places))
    axes.xaxis.set_major_locator(FixedLocator(sorted(places)))
    axes.xaxis.set_major_formatter(_grouped_tick)
    axes.minorticks_off()


def _grouped(place: float) -> str:
    return f"{place:,}"


def _grouped_tick(place: float, _position: float) -> str:
    return _grouped(int(place))


def _stand_apart(
    axes: "Axes", places: Sequence[float], written: Callable[[float], str] = _grouped
) -> bool:
    """Tell whether the numbers could be written on the axis with some space between them."""
    if len(places) < 2:
        return True
    distances = np.abs(np.diff(_across(axes, places))) / unit_of(axes)
    return bool((distances >= [line_width(written(place)) + _GAP for place in places[1:]]).all())


def _across(axes: "Axes", places: Sequence[float]) -> Values:
    """Return where numbers stand on an axis, in pixels."""
    across: Values = axes.transData.transform([(x, axes.get_ylim()[0]) for x in places])[:, 0]
    return across


MOST_PANELS = 12
"""Of one chart: more are a page of their own, which nobody compares."""


_BETWEEN_PANELS, _BENEATH = 22, 10  # what lies between two panels

_RIGHT = 14  # for half of the last number


_FOOT = 42  # for the numbers and the name of the level axis


_LEAST_GRID = 420
"""The width of three panels; with less there are two to a row."""


def panel_grid(
    title: str, headings: Sequence[tuple[str, str]], axis: str, *, height: float | None = None
) -> tuple["Chart", list["Axes"]]:
    """Make a chart of panels, row by row.

    Parameters
    ----------
    title
        Stands over all of them.
    headings
        What stands over each: a name, and words about it.
    axis
        The name of the level axis, which the panels with none beneath them show.
    height
        Of panels that have scales of their own. Those of one scale are as high as they are wide,
        and the outer ones alone have its numbers.
    """
    page = current_page()
    title = wrapped(title, page.width - 4)
    columns = 3 if page.width >= _LEAST_GRID else 2
    between = _BETWEEN_PANELS if height is None else LEFT
    width = (page.width - LEFT - _RIGHT - between * (columns - 1)) / columns
    high = width if height is None else height
    _check_room(width, high)
    words = [f"{_named(name, width)}\n{wrapped(words, width + 8)}" for name, words in headings]
    over = 6 + max(map(line_height, words))
    top = line_height(title) + 10
    rows = -(-len(headings) // columns)
    rest = top + rows * (over + _BENEATH) - _BENEATH + _FOOT
    total = page.height(rest + rows * high)
    high = (total - rest) / rows
    chart = new_chart(total)
    panels = []
    for place, heading in enumerate(words):
        row, column = divmod(place, columns)
        axes = add_panel(
            chart,
            left=LEFT + column * (width + between),
            top=top + row * (over + high + _BENEATH) + over,
            width=width,
            height=high,
        )
        lowest = place + columns >= len(words)
        axes.tick_params(labelleft=height is not None or not column)
        axes.tick_params(labelbottom=lowest, bottom=lowest)
        if lowest:
            axes.set_xlabel(axis, **literal(axis))
        note(axes, heading, (0, 1), "axes fraction", offset=(0, 5), linespacing=1.1)
        panels.append(axes)
    caption(panels[0], title, above=over + 6)
    return chart, panels


def _named(name: str, width: float) -> str:
    """Break a name over two lines, cut until they are no wider than its panel."""
    lengths = range(NAME_LIMIT, 0, -1)
    cuts = (in_two_lines(both_ends(name, length)) for length in lengths)
    return next(lines for lines in cuts if line_width(lines) <= width)
