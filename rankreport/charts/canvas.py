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

from rankreport.charts._matplotlib import import_matplotlib
from rankreport.errors import OptionError, call_check, choose, expect

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

FONT_SIZE = 9
"""Of all texts, in the units that charts are laid out in."""

USUAL_WIDTH = 7.2
"""In inches: a column of text in print."""

_NARROW, _SMALL = 5.0, 7.0
"""Charts narrower than so many inches, as columns of papers are, have texts of so many points."""

Style = Literal["report", "matplotlib"]

_STYLES = ("report", "matplotlib")


class ChartOptions(TypedDict, total=False):
    """Where a chart is drawn, how large, and in which style: options of every chart.

    A chart lays itself out for its size: texts keep theirs, and stand below the drawing where
    next to it there is no room.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes to draw on, for charts of one panel. What stands around the panel takes its room from
        them, and their figure is returned.
    figure : matplotlib.figure.Figure or SubFigure
        Figure to fill; it is returned.
    width, height : float
        Size in inches of a figure made for the chart: 7.2 inches, and as high as the chart needs.
        Texts have 9 points, and 7 in a figure narrower than 5 inches.
    figsize : tuple of float
        Width and height at once, as matplotlib takes them.
    style : {"report", "matplotlib"}
        The style of reports, or matplotlib's ``rcParams`` as they are.

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
    >>> comparison.plot_deltas(ax=left) is comparison.plot_histogram(ax=right) is figure
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
    """

    ax: Axes | None = None
    figure: Figure | SubFigure | None = None
    width: float | None = None
    height: float | None = None
    style: Style = "report"
    font_size: float | None = None
    figsize: InitVar[Sequence[float] | None] = None

    def __post_init__(self, figsize: Sequence[float] | None) -> None:
        """Refuse what cannot be meant."""
        choose("style", self.style, _STYLES)
        given = [name for name in ("ax", "figure") if getattr(self, name) is not None]
        sizes = [name for name in ("width", "height") if getattr(self, name) is not None]
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
        if canvas.ax is None:
            return cls(canvas)
        return cls(canvas, tuple(canvas.ax.get_position(original=True).bounds))

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


_PAGE: ContextVar[Drawing] = ContextVar("_PAGE")


def current_page() -> Drawing:
    """Return what is being drawn on."""
    return _PAGE.get(None) or Drawing(Canvas())


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
        if not (chosen.ax is None and chosen.figure is None):
            with _drawing_on(chosen.emptied()):
                cast("Any", draw)(*args, **fields)
        with _drawing_on(chosen):
            chart = cast("Any", draw)(*args, **fields)
        chart.drawn_on = chosen
        chart.redraw = functools.partial(drawn, *args, **fields)
        return chart

    return cast("Callable[_P, _R]", drawn)


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
