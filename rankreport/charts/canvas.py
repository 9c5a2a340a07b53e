"""The canvas of a chart: where it is drawn, how large, and in which style.

Charts are laid out in units of a ninth of the size of their texts: points, where texts have nine.
So what fits beside a text of nine points fits beside one of seven on a page as much smaller.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypedDict, TypeVar, cast

from rankreport.charts._matplotlib import import_matplotlib
from rankreport.errors import OptionError, choose

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = [
    "FONT_SIZE",
    "Canvas",
    "ChartOptions",
    "Page",
    "current_page",
    "drawn_on",
    "for_one_chart",
    "resized",
    "sizable",
]

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
    beside it there is no room.

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
    style : {"report", "matplotlib"}
        The style of reports, or matplotlib's ``rcParams`` as they are.

    Raises
    ------
    OptionError
        If an option is not one of these, or there is not enough room.

    Examples
    --------
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> comparison = rr.compare(rr.evaluate(example.qrels, example.runs))
    >>> comparison.plot_deltas(width=3.3).get_size_inches().round(1).tolist()
    [3.3, 3.2]
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

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        choose("style", self.style, _STYLES)
        given = [name for name in ("ax", "figure") if getattr(self, name) is not None]
        sizes = [name for name in ("width", "height") if getattr(self, name) is not None]
        if len(given) > 1:
            raise OptionError("ax= and figure= both say where to draw; give one of them.")
        if given and sizes:
            raise OptionError(
                f"{given[0]}= has a size of its own; leave out {'= and '.join(sizes)}=, or change "
                f"its size."
            )
        for name in sizes:
            size = getattr(self, name)
            if isinstance(size, bool) or not isinstance(size, (int, float)) or not 0 < size < 500:
                raise OptionError(f"{name}={size!r} is not a size in inches such as 3.3.")


@dataclass
class Page:
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
    def of(cls, canvas: Canvas) -> Page:
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


_PAGE: ContextVar[Page] = ContextVar("_PAGE")


def current_page() -> Page:
    """Return what is being drawn on."""
    return _PAGE.get(None) or Page(Canvas())


@contextmanager
def _drawing_on(canvas: Canvas) -> Iterator[None]:
    token = _PAGE.set(Page.of(canvas))
    try:
        yield
    finally:
        _PAGE.reset(token)


_P = ParamSpec("_P")
_R = TypeVar("_R")


def sizable(draw: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function that draws a chart take `ChartOptions`, and its chart be drawn anew."""

    @functools.wraps(draw)
    def drawn(*args: Any, canvas: Canvas | None = None, **fields: Any) -> Any:
        options = {name: fields.pop(name) for name in OPTIONS if name in fields}
        chosen = canvas or (Canvas(**options) if options else _USUAL.get())
        with _drawing_on(chosen):
            chart = cast("Any", draw)(*args, **fields)
        chart.drawn_on = chosen
        chart.anew = functools.partial(drawn, *args, **fields)
        return chart

    return cast("Callable[_P, _R]", drawn)


OPTIONS = tuple(ChartOptions.__annotations__)


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
    """Draw a chart anew on a canvas, unless it was drawn on such a one; another figure as it is."""
    anew = getattr(chart, "anew", None)
    return chart if anew is None or chart.drawn_on == canvas else anew(canvas=canvas)
