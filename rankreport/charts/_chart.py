"""The Chart, and what all charts share: their style, their width, and the check of their frames."""

import base64
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import polars as pl

from rankreport.charts._matplotlib import import_matplotlib, own_settings
from rankreport.charts.canvas import FONT_SIZE, INK, Canvas, current_page, inked
from rankreport.charts.svg import notebook_image, png_of, standalone_svg
from rankreport.errors import DataError
from rankreport.io import replacing, write_text
from rankreport.tables import to_table
from rankreport.text import listed, short, visible

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    FloatArray = NDArray[np.float64]

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
GREY = "#8a8a92"
"""For what is not in focus; it differs enough from both white and near-black."""

SHADE = 0.2
"""How opaque an interval is; a page in the dark makes it more so, as light shows less there."""

_MOST_ROWS = 24
"""Of a chart's table in plain text."""

NO_VALUE = "no query has a value"
NO_VALUE_FOR_BOTH = "no query has a value for both systems"
"""What stands in the place of a drawing for which there are no numbers."""

_SLACK = 1e-9
"""By how much rounding of floats may move a value from the end of a class that it lies on."""

_STYLE: Mapping[str, Any] = {
    "font.family": "sans-serif",
    # Shipped with matplotlib, so that the same chart is laid out the same on every machine.
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": FONT_SIZE,
    "text.color": INK,
    "axes.facecolor": "none",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.spines.bottom": False,
    "axes.unicode_minus": False,
    "axes.formatter.useoffset": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": GREY,
    "grid.alpha": 0.35,
    "grid.linewidth": 0.5,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 3,
    "xtick.major.width": 0.6,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
    "xtick.minor.width": 0,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
}

_LENGTHS = (
    *("font.size", "axes.linewidth", "grid.linewidth", "lines.linewidth", "lines.markersize"),
    *("xtick.major.size", "xtick.major.width"),
)
"""What grows and shrinks with the texts."""

_TEXTS = ("font.size", "axes.labelsize", "axes.titlesize", "xtick.labelsize", "ytick.labelsize")
"""What is smaller in matplotlib's style where texts have to be."""


def in_widths(values: "ArrayLike", width: float) -> "FloatArray":
    """Divide values by the width of a class; those on the end of a class give a whole number.

    >>> [float(value) // 0.05 for value in (0.3, 0.6, 0.7)]
    [5.0, 11.0, 13.0]
    >>> in_widths([0.3, 0.6, 0.7], 0.05).tolist()
    [6.0, 12.0, 14.0]
    """
    widths = np.asarray(values, dtype=np.float64) / width
    whole = np.round(widths)
    return np.where(np.abs(widths - whole) < _SLACK, whole, widths)


class Mark(NamedTuple):
    """A query in a chart: its place in data, which leads to the query, and what it says.

    Attributes
    ----------
    axes, across, up
        The panel, and the ends of the place on both axes of it.
    query, words
        The id of the query, and its values.
    radius
        Of a dot, in points; other marks are rectangles.
    """

    axes: "Axes"
    query: str
    words: str
    across: tuple[float, float]
    up: tuple[float, float]
    radius: float = 0.0


class _Shown:
    """A figure that says what it shows.

    Attributes
    ----------
    alt : str
        What is shown, in one sentence.
    data : polars.DataFrame
        What is drawn.
    areas : polars.DataFrame
        Of ROC and precision-recall curves, ``system``, the ``area`` under its curve and, of the
        latter, what ``chance`` reaches.
    marks : tuple[Mark, ...]
        The queries that points and bars are about, if they are not too many to be pointed at.
    """

    alt: str
    data: pl.DataFrame
    areas: pl.DataFrame
    marks: tuple[Mark, ...] = ()
    redraw: Callable[..., "Chart"]
    drawn_on: Canvas

    def savefig(self, *args: Any, **options: Any) -> None:
        """Save the figure as matplotlib does, with fonts that journals accept in PDF and PS."""
        with own_settings({"pdf.fonttype": 42, "ps.fonttype": 42}, keeps_others=True):
            super().savefig(*args, **options)  # type: ignore[misc]

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Show the chart in Jupyter, which picks from what it is given.

        The PNG is for what shows no HTML, such as LaTeX. Of an SVG, nbconvert would make a PDF for
        LaTeX, and need Inkscape.
        """
        del include, exclude
        figure = cast("Figure", self)
        return {
            "text/html": notebook_image(figure, self.alt),
            "image/png": base64.b64encode(png_of(figure, dots_per_inch=144)).decode(),
            "text/plain": _in_plain_text(self.alt, self.data),
        }


class Charts(tuple["Chart", ...]):
    """Several charts, which Jupyter shows one below the other."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude
        shown = [chart._repr_mimebundle_() for chart in self]
        return {kind: "\n\n".join(each[kind] for each in shown) for kind in _SEVERAL}


_SEVERAL = ("text/html", "text/plain")
"""What may be shown of several charts at once."""


if TYPE_CHECKING:

    class Chart(_Shown, Figure):
        """What `chart_class` makes."""


@functools.cache
def chart_class() -> "type[Chart]":
    """Make the class `Chart`, which needs matplotlib."""
    import_matplotlib()
    from matplotlib.figure import Figure

    # Pickle looks for it in the package, which makes it when it is asked for.
    return type("Chart", (_Shown, Figure), {"__module__": __package__, "__doc__": _Shown.__doc__})


def __getattr__(name: str) -> object:
    """Make `Chart` when it is first asked for: the import of matplotlib takes a second or two."""
    if name == "Chart":
        return chart_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def new_chart(height: float) -> "Chart":
    """Make an empty chart so many units high, or take the figure that was given."""
    page = current_page()
    if page.holder is not None:
        return cast("Chart", page.canvas.ax or page.holder)
    return chart_class()(figsize=(page.inches[0], height * page.scale / 72))


@contextmanager
def report_style() -> Iterator[None]:
    """Draw in the style of a report, whatever the user's own settings are, unless in theirs."""
    page = current_page()
    if page.canvas.style == "matplotlib":
        size = page.canvas.font_size
        with own_settings(dict.fromkeys(_TEXTS, size) if size else {}, keeps_others=True):
            yield
        return
    lengths = {name: _STYLE[name] * page.scale for name in _LENGTHS}
    ink = {name: inked() for name, value in _STYLE.items() if value == INK}
    with own_settings({**_STYLE, **lengths, **ink}):
        yield


def dress(axes: "Axes") -> None:
    """Give axes that a user made the style of a report."""
    page = current_page()
    size = FONT_SIZE * page.scale
    own = page.canvas.style == "matplotlib"
    if not own or page.canvas.font_size:
        axes.tick_params(labelsize=size)
        axes.xaxis.label.set_fontsize(size)
    if own:
        return
    axes.set_facecolor("none")
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    look = {name: _STYLE[f"grid.{name}"] for name in ("color", "alpha")}
    axes.grid(visible=True, linewidth=_STYLE["grid.linewidth"] * page.scale, **look)
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="y", length=0, colors=inked())
    axes.tick_params(axis="x", length=3 * page.scale, width=0.6, colors=inked())
    axes.xaxis.label.set_color(inked())


def checked(frame: pl.DataFrame, *names: str, numbers: Sequence[str]) -> pl.DataFrame:
    """Take the columns of a chart, every number a float, and null where there is none."""
    missing = [column for column in (*names, *numbers) if column not in frame.columns]
    if missing:
        raise DataError(
            f"A chart needs the column {listed(missing)}; found {listed(frame.columns)}."
        )
    floats = pl.col(numbers).cast(pl.Float64).fill_nan(None)
    return frame.select(*names, *numbers).with_columns(floats)


def has_values(column: pl.Series) -> bool:
    """Tell whether there is a number to draw."""
    return bool(column.is_finite().any())


def _in_plain_text(sentence: str, frame: pl.DataFrame) -> str:
    """Write a sentence and the frame it is about, the long middle of it left out."""
    return f"{visible(sentence)}\n\n{to_table(_seen(frame)).shortened(_MOST_ROWS).to_text()}"


def _seen(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame with names as a chart shows them."""
    return frame.with_columns(pl.col(pl.String).map_elements(short, return_dtype=pl.String))


SUFFIXES = (".png", ".svg")
"""How a path to a chart may end."""

_DOTS_PER_INCH = 200
"""Resolution of image files: sharp on high-density screens."""


def write_chart(path: "Path", chart: "Chart") -> None:
    """Write a chart as SVG or PNG, by the suffix of its path.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    if path.suffix == ".svg":
        write_text(path, standalone_svg(chart, chart.alt))
        return
    with replacing(path) as file:
        file.write_bytes(png_of(chart, _DOTS_PER_INCH))
