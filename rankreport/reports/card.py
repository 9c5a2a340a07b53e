"""The first screen as a picture, for previews of links, mails and slides.

Texts are measured before they are drawn, so that long ones are wrapped and then shortened, and text
that the shipped font lacks is drawn in a font that has it, if one is installed, or as a box.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal
from xml.etree import ElementTree as ET

from rankreport.charts import WIDE as WIDE_STRIP
from rankreport.charts import import_matplotlib, own_settings, png_of, without_glyph_warnings
from rankreport.reports import drawing
from rankreport.reports.page import Badge, Board, Page, Screen, Standing, Tone
from rankreport.text import ELLIPSIS, both_ends, say, unbroken, visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 1200, 630
"""The size in pixels: that of previews of links."""


def card_png(page: Page) -> bytes:
    """Return the picture: 1200 x 630 pixels, of the same page always the same bytes."""
    import_matplotlib()
    from matplotlib.figure import Figure

    with own_settings(), without_glyph_warnings():
        pen = _Pen(Figure(figsize=(WIDTH / _DPI, HEIGHT / _DPI), dpi=_DPI))
        _draw(pen, page)
        if pen.lacks_glyphs:  # in English, which the shipped font has
            pen.text(WIDTH / 2, 18, NO_FONT, 16, colour=_COLOURS["worse"], side="center")
        return png_of(pen.figure, _DPI)


_DPI = 100
_LEFT, _RIGHT = 60, WIDTH - 60
_INK, _SOFT, _RULE, _PANEL, _SAME, _SHADE = (
    *("#1b1c1e", "#5b6068", "#d9dce1", "#f3f4f6", "#e8f1f8", "#b9bdc6"),
)
_COLOURS: dict[Tone, str] = {
    "better": "#0067a3",
    "worse": "#b34700",
    "check": "#805200",
    "open": "#5b6068",
}

_MOST_STANDINGS = 6
"""With more systems, those below are left out."""

_LENGTHS = range(34, 2, -1)
"""The most characters of a system's name, the first that fit in its column."""

_ROW, _RANKS, _LEVEL_AT, _BAND = 34, 18, 520, 590
"""The height of a row of the leaderboard, the size of its ranks, and where its columns are."""

_BAND_WIDTH, _ENLARGED = 220, 2
"""The width of an interval of the leaderboard as on a page, and how much larger it is here."""

NO_FONT = "No font here has all these characters: install one, such as Noto Sans CJK SC."
"""What a picture says where characters are drawn as boxes."""

_FALLBACKS = (
    *("Noto Sans CJK SC", "Source Han Sans SC", "Noto Sans SC", "PingFang SC", "Hiragino Sans GB"),
    *("Microsoft YaHei", "SimHei", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Noto Sans CJK JP"),
    *("Noto Sans CJK KR", "Droid Sans Fallback", "Arial Unicode MS"),
)
"""Fonts for what the shipped one lacks, the first that is installed."""

_WIDE = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_PIECES = re.compile(rf"\s+|[{_WIDE}]|[^\s{_WIDE}]+")
"""White space, characters between which a line may end, and words."""

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")

_Side = Literal["left", "center", "right"]

_SIDES: dict[str, _Side] = {"start": "left", "middle": "center", "end": "right"}
"""Where texts of an SVG stand, in Matplotlib's words."""


class _Pen:
    """Draws on a figure in pixels from its top left corner."""

    def __init__(self, figure: Figure) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        self.figure = figure
        canvas: Any = FigureCanvasAgg(figure)
        self._renderer = canvas.get_renderer()
        self.axes = figure.add_axes((0, 0, 1, 1))
        self.axes.set_axis_off()
        self.axes.set_xlim(0, WIDTH)
        self.axes.set_ylim(HEIGHT, 0)
        self.lacks_glyphs = False

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        *,
        colour: str = _INK,
        bold: bool = False,
        side: _Side = "left",
    ) -> float:
        """Write a line whose middle is at y, and return its width."""
        self.lacks_glyphs |= not _installed() and re.search(f"[{_WIDE}]", words) is not None
        drawn = self.axes.text(
            x,
            y,
            words,
            fontsize=size * 72 / _DPI,
            color=colour,
            fontweight="bold" if bold else "normal",
            family=["DejaVu Sans", *_installed()],
            ha=side,
            va="center_baseline",
            parse_math=False,
        )
        return float(drawn.get_window_extent(self._renderer).width)

    def width(self, words: str, size: float, *, bold: bool = False) -> float:
        """Return the width of a line."""
        width = self.text(0, 0, words, size, bold=bold)
        self.axes.texts[-1].remove()
        return width

    def fitted(self, words: str, size: float, room: float, *, bold: bool = False) -> str:
        """Return the start of a line that fits, with an ellipsis if it is cut."""
        if self.width(words, size, bold=bold) <= room:
            return words
        low, high = 0, len(words)
        while low < high:  # the longest start that fits
            middle = (low + high + 1) // 2
            if self.width(words[:middle].rstrip() + ELLIPSIS, size, bold=bold) <= room:
                low = middle
            else:
                high = middle - 1
        return words[:low].rstrip() + ELLIPSIS

    def wrapped(
        self, words: str, size: float, room: float, most: int, *, bold: bool = False
    ) -> list[str]:
        """Return a text in lines, the last of them shortened if there are more."""
        lines = self._lines(words, size, room, bold=bold)
        if len(lines) > most:
            lines[most - 1 :] = [" ".join(lines[most - 1 :])]
        elif len(lines) > 1:  # of about the same length, so that no word stands alone
            for share in (0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55):
                narrow = self._lines(words, size, room * share, bold=bold)
                if len(narrow) > len(lines):
                    break
                lines = narrow
        return [self.fitted(line, size, room, bold=bold) for line in lines]

    def _lines(self, words: str, size: float, room: float, *, bold: bool) -> list[str]:
        lines = [""]
        for piece in _PIECES.findall(words):
            longer = lines[-1] + piece
            if not lines[-1].strip() or self.width(longer.rstrip(), size, bold=bold) <= room:
                lines[-1] = longer
            else:
                lines.append(piece.lstrip())
        return [line.strip() for line in lines if line.strip()]

    def paragraph(
        self,
        y: float,
        words: str,
        size: float,
        most: int,
        colour: str = _INK,
        *,
        bold: bool = False,
    ) -> float:
        """Write a text in lines from y down, over the whole width, and return where it ends."""
        step = size * 1.3
        for line in self.wrapped(words, size, _RIGHT - _LEFT, most, bold=bold):
            self.text(_LEFT, y + step / 2, line, size, colour=colour, bold=bold)
            y += step
        return y

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        colour: str,
        *,
        radius: float = 0,
        edge: str = "",
        opacity: float = 1,
    ) -> None:
        """Fill a rectangle."""
        from matplotlib.patches import FancyBboxPatch

        style = f"round,pad=0,rounding_size={radius}" if radius else "square,pad=0"
        look: dict[str, Any] = {"edgecolor": edge or "none", "linewidth": 1.5 if edge else 0}
        look |= {"facecolor": colour, "alpha": opacity}
        self.axes.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=style, **look))

    def line(
        self, xs: Sequence[float], ys: Sequence[float], colour: str, width: float, style: str = "-"
    ) -> None:
        """Draw a line; its width is in pixels."""
        thick = width * 72 / _DPI
        self.axes.plot(xs, ys, style, color=colour, lw=thick, solid_capstyle="butt")

    def strip(self, x: float, y: float, svg: str, scale: float) -> None:
        """Draw a strip as a page shows it: boxes, circles, texts and straight paths."""
        from matplotlib.patches import Circle

        def at(*names: str) -> list[float]:
            return [float(shape.get(name, 1)) * scale + start.get(name, 0) for name in names]

        start = {"x": x, "cx": x, "y": y, "cy": y}
        for shape in ET.fromstring(svg):  # noqa: S314 - drawn here
            colour = shape.get("stroke", shape.get("fill", ""))
            match shape.tag:
                case "rect":
                    left, top, width, height = at("x", "y", "width", "height")
                    opacity = float(shape.get("fill-opacity", 1))
                    self.box(left, top, width, height, colour, opacity=opacity)
                case "circle":
                    left, top, radius = at("cx", "cy", "r")
                    self.axes.add_patch(Circle((left, top), radius, color=colour, linewidth=0))
                case "text":
                    [left, base] = at("x", "y")
                    self.text(
                        left,
                        base - 4.5 * scale,
                        str(shape.text),
                        12 * scale,
                        colour=colour,
                        bold=shape.get("font-weight") is not None,
                        side=_SIDES[shape.get("text-anchor", "start")],
                    )
                case _:
                    places = [
                        (x + scale * right, y + scale * down)
                        for right, down in _corners(shape.get("d", ""))
                    ]
                    xs, ys = map(list, zip(*places, strict=True))
                    if shape.get("stroke") is None:
                        self.axes.fill(xs, ys, color=colour, linewidth=0)
                    else:
                        [width] = at("stroke-width")
                        dots = ":" if shape.get("stroke-dasharray") else "-"
                        self.line(xs, ys, colour, width, dots)


def _corners(path: str) -> list[tuple[float, float]]:
    """Return the corners of a path of a strip: level, upright, or a filled arrow."""
    x, y, *others = map(float, _NUMBER.findall(path))
    match others:
        case [end]:
            return [(x, y), (end, y) if "H" in path else (x, end)]
        case [along, down, across]:
            return [(x, y), (x + along, y + down), (x + along, y + down + across)]
    raise ValueError(f"a path of no strip: {path}")


def _draw(pen: _Pen, page: Page) -> None:
    screen = page.screen
    extent = f"{page.date} · {page.extent}" if page.date else page.extent
    width = pen.text(_RIGHT, 48, visible(extent), 18, colour=_SOFT, side="right")
    title = pen.fitted(visible(page.title), 18, _RIGHT - _LEFT - width - 40)
    pen.text(_LEFT, 48, title, 18, colour=_SOFT)
    x = float(_LEFT)
    for badge in screen.badges:
        x += _badge(pen, x, 78, badge, doubted=bool(screen.stops)) + 12
    headline = visible(screen.headline)
    size = 36 if len(pen.wrapped(headline, 36, _RIGHT - _LEFT, 9, bold=True)) == 1 else 30
    y = pen.paragraph(126, headline, size, 2, bold=True)
    if screen.stops:
        words = say("Check the data first: {cautions}", cautions=visible(screen.stops[0].text))
        y = pen.paragraph(y + 4, words, 20, 2, _COLOURS["worse"], bold=True)
    elif screen.plain:
        y = pen.paragraph(y + 4, visible(screen.plain), 20, 1, _SOFT)
    for segment in screen.segments[:1]:
        line = visible(say("{title}: {queries}", title=segment.title, queries=segment.text))
        y = pen.paragraph(y + 4, line, 18, 1, _COLOURS[segment.tone])
    bottom = _foot(pen, page)
    if screen.board is not None:
        _leaderboard(pen, screen.board, y + 14, bottom - 10)
    else:
        _figures(pen, screen, y + 14, bottom)


def _badge(pen: _Pen, x: float, y: float, badge: Badge, *, doubted: bool) -> float:
    """Draw a badge, outlined where the data are to be checked first; return its width."""
    words = pen.fitted(f"{badge.sign} {visible(badge.text)}", 19, 460, bold=True)
    width = pen.width(words, 19, bold=True) + 36
    colour = _COLOURS["open" if doubted else badge.tone]
    outlined = doubted or badge.tone == "check" or badge.seen_only
    pen.box(x, y, width, 36, "white" if outlined else colour, radius=18, edge=colour)
    pen.text(x + 18, y + 18, words, 19, colour=colour if outlined else "white", bold=True)
    return width


def _foot(pen: _Pen, page: Page) -> float:
    """Draw what the data are worth and what to do, and return where that begins."""
    y, room = float(HEIGHT - 28), _RIGHT - _LEFT
    if page.screen.action:
        lines = pen.wrapped(visible(page.screen.action), 21, room - 40, 2, bold=True)
        height = 28 * len(lines) + 22
        y -= height
        pen.box(_LEFT, y, room, height, _PANEL, radius=8)
        for at, line in enumerate(lines):
            pen.text(_LEFT + 20, y + 11 + 28 * (at + 0.5), line, 21, bold=True)
    data = [page.screen.judged, page.tally or page.screen.others]
    y -= 34
    line = pen.fitted(" · ".join(visible(each) for each in data if each), 17, room)
    pen.text(_LEFT, y + 15, line, 17, colour=_SOFT)
    return y


def _figures(pen: _Pen, screen: Screen, top: float, bottom: float) -> None:
    """Draw the difference or level with its interval, and the queries won and lost."""
    amount = 66 if screen.amount else 0
    strips = [] if screen.strip is None else [drawing.strip(screen.strip)]
    strips += [] if screen.bar is None else [drawing.bar(screen.bar)]
    drawn = [drawing.opaque(each, _INK) for each in strips]
    listed = 98 if screen.queries and screen.bar is None else 0
    heights = [float(ET.fromstring(svg).get("height", 0)) for svg in drawn]  # noqa: S314
    room, high = bottom - top - amount - listed, sum(heights) or 1
    scale = min((room - 16) / high, (_RIGHT - _LEFT) / WIDE_STRIP)
    n_parts = len(drawn) + bool(amount) + bool(listed)
    gap = max(2.0, min((room - sum(heights) * scale) / (n_parts + 1), 26))
    y = top + gap
    if screen.amount is not None:
        figure, colour = unbroken(screen.amount.shown), _COLOURS[screen.amount.tone]
        width = pen.text(_LEFT, y + 30, figure, 56, colour=colour, bold=True)
        x = _LEFT + width + 30
        for at, words in enumerate((screen.amount.levels, screen.amount.intervals)):
            size = 18 if at else 20
            line = pen.fitted(unbroken(visible(words)), size, _RIGHT - x)
            pen.text(x, y + 17 + 28 * at, line, size, colour=_SOFT if at else _INK)
        y += amount + gap
    for svg, height in zip(drawn, heights, strict=True):
        pen.strip(_LEFT, y, svg, scale)
        y += height * scale + gap
    if listed and bottom - y > 60:
        pen.text(_LEFT, y + 10, visible(screen.listed), 17, colour=_SOFT, bold=True)
        for at, query in enumerate(screen.queries[: int((bottom - y - 24) // 26)]):
            pen.text(_LEFT + 70, y + 37 + 26 * at, query.amount, 17, bold=True, side="right")
            line = pen.fitted(query.name, 17, _RIGHT - _LEFT - 90)
            pen.text(_LEFT + 90, y + 37 + 26 * at, line, 17)


def _leaderboard(pen: _Pen, board: Board, top: float, bottom: float) -> None:
    """Draw the first systems with their means, and their intervals against the baseline."""
    room = max(2, min(_MOST_STANDINGS, int((bottom - top - 30) // _ROW)))
    left_out = len(board.rows) > room
    rows = board.rows[: room - 1] if left_out else board.rows
    columns = _columns(board)
    name_at = _name_at(pen, rows)
    pen.text(name_at, top + 12, say("system"), 16, colour=_SOFT, bold=True)
    for at, name in zip(columns, board.measures, strict=False):
        words = pen.fitted(visible(name), 16, 128, bold=True)
        pen.text(at, top + 12, words, 16, colour=_SOFT, bold=True, side="right")
    if board.against:
        against = pen.fitted(visible(board.against), 16, _RIGHT - _BAND, bold=True)
        pen.text(_BAND, top + 12, against, 16, colour=_SOFT, bold=True)
    pen.line([_LEFT, _RIGHT], [top + 28] * 2, _INK, 1.5)
    intervals = drawing.rows(replace(board, rows=rows), width=_BAND_WIDTH)
    y = top + 29
    for row, interval in zip(rows, intervals, strict=True):
        _standing(pen, row, y, name_at, columns)
        if interval:
            pen.strip(_BAND, y + 3, drawing.opaque(interval, _INK), _ENLARGED)
        y += _ROW
        pen.line([_LEFT, _RIGHT], [y] * 2, _RULE, 1)
    if left_out:
        n = len(board.rows) - len(rows) + sum(sum(row.n_skipped) for row in board.rows)
        words = say("{ellipsis} {n} more", ellipsis=ELLIPSIS, n=n)
        pen.text(name_at, y + _ROW / 2, words, 17, colour=_SOFT)


def _name_at(pen: _Pen, rows: Sequence[Standing]) -> float:
    """Return where names of systems start: after the widest ranks, if there are any."""
    widest = max(pen.width(row.ranks, _RANKS) if row.ranks else 0 for row in rows)
    return _LEFT + 8 + (widest + 16 if widest else 0)


def _columns(board: Board) -> list[float]:
    """Return where the columns of measures end."""
    if board.against:
        return [_LEVEL_AT]
    return [_LEVEL_AT + 140.0 * at for at in range(min(5, len(board.measures)))]


def _standing(pen: _Pen, row: Standing, y: float, name_at: float, columns: Sequence[float]) -> None:
    middle = y + _ROW / 2
    pen.text(_LEFT + 8, middle, row.ranks, _RANKS, colour=_SOFT)
    for at, level in enumerate(row.levels[: len(columns)]):
        if at in row.same:
            pen.box(columns[at] - 96, y + 1, 108, _ROW - 2, _SAME)
        pen.text(columns[at], middle, level, 19, bold=at in row.best, side="right")
    is_best = 0 in row.best
    room, shorter = columns[0] - 104 - name_at, (_named(row, n) for n in _LENGTHS)
    name = next((each for each in shorter if pen.width(each, 19, bold=is_best) <= room), ELLIPSIS)
    colour = _SOFT if row.is_baseline else _INK
    pen.text(name_at, middle, name, 19, bold=is_best, colour=colour)
    if row.value is not None:
        colour = _INK if row.tone == "open" else _COLOURS[row.tone]
        pen.text(_RIGHT, middle, unbroken(row.shown), 19, colour=colour, side="right")


def _named(row: Standing, n: int) -> str:
    """Return the name of a system in n characters at most, and that it is the baseline."""
    name = both_ends(visible(row.system), n)
    return say("{system}, baseline", system=name) if row.is_baseline else name


@functools.cache
def _installed() -> list[str]:
    """Return the first fallback that is installed, if any."""
    from matplotlib.font_manager import fontManager

    names = {font.name for font in fontManager.ttflist}
    return next(([name] for name in _FALLBACKS if name in names), [])
