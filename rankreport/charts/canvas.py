"""The canvas of a chart: where it is drawn, how large, and in which style.

Charts are laid out in units of a ninth of the size of their texts: points, where texts have nine.
So what fits next to a text of nine points fits next to one of seven on a page as much smaller.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import InitVar, dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypedDict, TypeVar, cast

from rankreport.call_hints import call_check, completed
from rankreport.charts._matplotlib import import_matplotlib
from rankreport.errors import OptionError, choose, expect

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

FONT_SIZE = 9
"""Of all texts, in the units that charts are laid out in."""

USUAL_WIDTH = 7.2
"""In inches: a column of text in print."""

_NARROW, _SMALL = 5.0, 7.0
"""Charts narrower than so many inches, as columns of papers are, have texts of so many points."""

_SMALLER = (8.0, 7.0, 6.0, 5.0)
"""Sizes of texts, in points, that are tried where a chart does not fit with larger ones."""

INK = "#1b1b1f"
"""The near-black of texts and axes; in a page it becomes the colour of the text around it."""

_LIGHT_INK = "#e4e4e7"
"""The ink of reports on the dark figure of a user."""

Style = Literal["report", "matplotlib"]

_STYLES = ("report", "matplotlib")


class ChartOptions(TypedDict, total=False):
    """Where a chart is drawn, how large, and in which style: options of every chart.

    A chart lays itself out for its size: texts stand below the drawing where next to it there is
    no room, and where that is not enough they are smaller and fewer.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes to draw on, which are returned with the attributes ``alt`` and ``data`` of a chart.
        What stands around the panel takes its room from them, and so do further panels.
    figure : matplotlib.figure.Figure or SubFigure
        Figure to fill; it is returned.
    width, height : float
        Size in inches of a figure made for the chart: 7.2 inches, and as high as the chart needs.
        Texts have 9 points, and 7 in a figure narrower than 5 inches.
    figsize : tuple of float
        Width and height at once, as matplotlib takes them.
    style : {"report", "matplotlib"}
        The style of reports, or matplotlib's ``rcParams``, also for the ink.

    Raises
    ------
    OptionError
        If an option is not one of these, or there is not enough room: before anything is drawn.

    Examples
    --------
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> comparison = rr.compare(rr.evaluate(example.qrels, example.runs))
    >>> comparison.plot_deltas(width=3.3).get_size_inches().round(1).tolist()
    [3.3, 3.2]
    >>> comparison.plot_deltas(figsize=(8, 3)).get_size_inches().tolist()
    [8.0, 3.0]
    >>> from matplotlib.figure import Figure
    >>> figure = Figure(figsize=(8, 3))
    >>> left, right = figure.subplots(1, 2)
    >>> comparison.plot_deltas(ax=left) is left
    True
    """

    ax: Axes | None
    figure: Figure | SubFigure | None
    width: float | None
    height: float | None
    figsize: Sequence[float] | None
    style: Style


@dataclass(frozen=True, kw_only=True)
class Canvas:
    """The options of a chart, as `ChartOptions` describes them, and the size of its texts.

    Attributes
    ----------
    font_size
        In points; by default it depends on the width.
    is_sparse
        Whether texts that have no room are left out.
    """

    ax: Axes | None = None
    figure: Figure | SubFigure | None = None
    width: float | None = None
    height: float | None = None
    style: Style = "report"
    font_size: float | None = None
    is_sparse: bool = False
    figsize: InitVar[Sequence[float] | None] = None

    def __post_init__(self, figsize: Sequence[float] | None) -> None:
        """Refuse what cannot be meant."""
        choose("style", self.style, _STYLES)
        given = [name for name in ("ax", "figure") if getattr(self, name) is not None]
        sizes = [name for name in _SIDES if getattr(self, name) is not None]
        if figsize is not None:
            if sizes:
                raise OptionError(
                    f"figsize= is a width and a height; leave out {'= and '.join(sizes)}=."
                )
            sizes = ["figsize"]
        if len(given) > 1:
            raise OptionError("ax= and figure= both say where to draw; give one of them.")
        if given and sizes:
            raise OptionError(
                f"{given[0]}= has a size of its own; leave out {'= and '.join(sizes)}=, or change "
                f"its size."
            )
        if figsize is not None:
            for name, side in zip(_SIDES, _two(figsize), strict=True):
                object.__setattr__(self, name, side)
            sizes = list(_SIDES)
        for name in sizes:
            size = getattr(self, name)
            if isinstance(size, bool) or not isinstance(size, Real) or not 0 < float(size) < 500:
                raise OptionError(f"{name}={size!r} is not a size in inches such as 3.3.")
        if given:
            _check_place(self.ax, self.figure)

    def emptied(self) -> Canvas:
        """Return one of the same size, to try a chart on before it is drawn where it belongs."""
        from matplotlib.figure import Figure

        holder: Any = Drawing.of(self).holder
        figure = Figure(figsize=holder.bbox.size / holder.dpi, dpi=holder.dpi)
        if self.ax is None:
            return replace(self, figure=figure)
        return replace(self, ax=figure.add_axes(Drawing.of(self).box))

    def with_smaller_texts(self) -> Iterator[Canvas]:
        """Yield this canvas, then some with smaller texts, and last one that leaves texts out."""
        yield self
        size = Drawing.of(self).scale * FONT_SIZE
        yield from (replace(self, font_size=each) for each in _SMALLER if each < size)
        yield replace(self, font_size=min(size, _SMALLER[-1]), is_sparse=True)


_SIDES = ("width", "height")


def _two(figsize: object) -> Sequence[object]:
    """Return a width and a height."""
    sides = tuple(figsize) if isinstance(figsize, Iterable) else ()
    if len(sides) != len(_SIDES):
        raise OptionError(
            f"figsize={figsize!r} is not a width and a height in inches, such as (7.2, 4)."
        )
    return sides


def _check_place(ax: Any, figure: Any) -> None:
    """Refuse what a chart cannot be drawn on."""
    import_matplotlib()
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    if figure is not None:
        expect(figure, (Figure, SubFigure), "figure= takes a figure of matplotlib")
        return
    expect(ax, (Axes,), "ax= takes axes of matplotlib, one of those that plt.subplots() returns")
    if ax.name != "rectilinear":
        raise OptionError(f"ax= takes axes with a level and an upright axis; these are {ax.name}.")
    if ax.figure is None:
        raise OptionError("ax= was removed from its figure; give axes that are in one.")


@dataclass
class Drawing:
    """A canvas while it is drawn on; lengths are in units of a ninth of the size of texts.

    Attributes
    ----------
    box
        Its place in the figure: left, bottom, width and height as shares.
    """

    canvas: Canvas
    box: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    taken: list[Axes] = field(default_factory=list)

    @classmethod
    def of(cls, canvas: Canvas) -> Drawing:
        """Open a canvas."""
        return cls(canvas) if canvas.ax is None else cls(canvas, _room_of(canvas.ax))

    @property
    def holder(self) -> Figure | SubFigure | None:
        """The figure that was given, or that of the axes."""
        canvas = self.canvas
        return canvas.figure if canvas.ax is None else canvas.ax.figure

    @property
    def inches(self) -> tuple[float, float | None]:
        """Its width, and its height if that is given."""
        if self.holder is None:
            return self.canvas.width or USUAL_WIDTH, self.canvas.height
        dpi = self.holder.dpi
        width, height = (side / dpi for side in self.holder.bbox.size)
        return width * self.box[2], height * self.box[3]

    @functools.cached_property
    def scale(self) -> float:
        """How many points a unit has."""
        if self.canvas.font_size is not None:
            return self.canvas.font_size / FONT_SIZE
        if self.canvas.style == "matplotlib":
            import_matplotlib()
            from matplotlib import rcParams

            return float(rcParams["font.size"]) / FONT_SIZE
        return (_SMALL if self.inches[0] < _NARROW else FONT_SIZE) / FONT_SIZE

    @property
    def width(self) -> float:
        """Its width in units."""
        return self.inches[0] * 72 / self.scale

    def height(self, usual: float) -> float:
        """Its height in units: as given, or as usual."""
        height = self.inches[1]
        return usual if height is None else height * 72 / self.scale


_AROUND = (36.0, 30.0, 18.0)
"""What axes of a grid have for texts at the left, below and above, in points, if that is free."""


def _room_of(ax: Any) -> tuple[float, float, float, float]:
    """Return the place of axes, in a grid with the gaps in which axes have their own texts."""
    left, low, right, high = ax.get_position(original=True).extents
    spec = ax.get_subplotspec()
    if spec is not None:
        lows, highs, _, rights = spec.get_gridspec().get_grid_positions(ax.figure)
        rows, column = spec.rowspan, spec.colspan.start
        points = [side / ax.figure.dpi * 72 for side in ax.figure.bbox.size]
        free = (
            left - (rights[column - 1] if column else 0),
            _SHARE_BELOW * (low - highs[rows.stop]) if rows.stop < len(highs) else low,
            (1 - _SHARE_BELOW) * (lows[rows.start - 1] - high) if rows.start else 1 - high,
        )
        sides = zip(_AROUND, free, (points[0], points[1], points[1]), strict=True)
        more = [max(0.0, min(most / size, room)) for most, room, size in sides]
        left, low, high = left - more[0], low - more[1], high + more[2]
    return left, low, right - left, high - low


_SHARE_BELOW = 0.6
"""How much of the gap between two rows of axes belongs to the upper ones."""


class NoRoomError(OptionError):
    """A chart does not fit where it is drawn."""


_PAGE: ContextVar[Drawing] = ContextVar("_PAGE")


def current_page() -> Drawing:
    """Return what is being drawn on."""
    return _PAGE.get(None) or Drawing(Canvas())


def inked(color: str = INK) -> str:
    """Return a colour as it is drawn: that of texts in the ink of the current style."""
    page = current_page()
    if color != INK:
        return color
    if page.canvas.style == "matplotlib":
        from matplotlib import rcParams

        return str(rcParams["text.color"])
    return _LIGHT_INK if page.holder is not None and _is_dark(page.holder) else INK


def _is_dark(figure: Any) -> bool:
    """Return whether the ground of a figure is nearer to black than to white."""
    from matplotlib.colors import to_rgba

    red, green, blue, opacity = to_rgba(figure.get_facecolor())
    return opacity > 0.5 and 0.3 * red + 0.6 * green + 0.1 * blue < 0.4


@contextmanager
def _drawing_on(canvas: Canvas) -> Iterator[None]:
    token = _PAGE.set(Drawing.of(canvas))
    try:
        yield
    finally:
        _PAGE.reset(token)


_P = ParamSpec("_P")
_R = TypeVar("_R")

OPTIONS = tuple(ChartOptions.__annotations__)


def sizable(draw: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function that draws a chart take `ChartOptions`, and its chart be drawn again.

    Whatever is wrong is found before anything is drawn on the axes or the figure of a user.
    """
    check = call_check(draw)

    @functools.wraps(draw)
    def drawn(*args: Any, canvas: Canvas | None = None, **fields: Any) -> Any:
        check(args, fields)
        options = {name: fields.pop(name) for name in OPTIONS if name in fields}
        chosen = canvas or (Canvas(**options) if options else _USUAL.get())
        chart = _fitted(functools.partial(cast("Any", draw), *args, **fields), chosen)
        if chosen.ax is None:
            chart.drawn_on = chosen
            chart.redraw = functools.partial(drawn, *args, **fields)
        return chart

    return cast("Callable[_P, _R]", completed(drawn))


def _fitted(draw: Callable[[], Any], canvas: Canvas) -> Any:
    """Draw with the largest texts that leave enough to the panels, or those that leave the most.

    What a user gave is drawn on once that is known.
    """
    is_given = canvas.ax is not None or canvas.figure is not None
    grows = not is_given and canvas.height is None
    best, most = canvas, 0.0
    for tried in () if grows else canvas.with_smaller_texts():
        place = tried.emptied() if is_given else tried
        try:
            with _drawing_on(place):
                share = _share_of_panels(draw(), tried)
        except NoRoomError:
            if tried.is_sparse and not most:
                raise
            continue
        if share > most:
            best, most = tried, share
        if most >= _ENOUGH:
            break
    with _drawing_on(best):
        return draw()


_ENOUGH = 0.5
"""The share of a chart's height that its panels have at least, if they can."""


def _share_of_panels(drawn: Any, canvas: Canvas) -> float:
    """Return which share of the height of a chart its rows of panels have."""
    boxes = [axes.get_position().bounds for axes in drawn.figure.axes]
    rows = {round(low, 6): high for _, low, _, high in boxes}
    return float(sum(rows.values()) / Drawing.of(canvas).box[3])


def for_one_chart(options: ChartOptions, n: int) -> None:
    """Refuse to draw several charts on one figure.

    Raises
    ------
    OptionError
        If there are several, and a place for one.
    """
    for name in ("ax", "figure"):
        if n > 1 and options.get(name) is not None:
            raise OptionError(f"{name}= holds one chart, and these are {n}; draw them one by one.")


_USUAL: ContextVar[Canvas] = ContextVar("_USUAL", default=Canvas())  # noqa: B039 - frozen


@contextmanager
def drawn_on(canvas: Canvas) -> Iterator[None]:
    """Draw charts without options on this canvas."""
    token = _USUAL.set(canvas)
    try:
        yield
    finally:
        _USUAL.reset(token)


def resized(chart: Any, canvas: Canvas) -> Any:
    """Draw a chart again, unless it was drawn on such a canvas; another figure stays as it is."""
    redraw = getattr(chart, "redraw", None)
    return chart if redraw is None or chart.drawn_on == canvas else redraw(canvas=canvas)
