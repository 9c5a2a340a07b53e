"""A matplotlib figure as an SVG that a page may carry in its own text.

Matplotlib's SVG leans on things that don't survive where reports are read: ``style=`` attributes
and a ``<style>`` element, which the content policy of a build server blocks (the figure turns into
a black rectangle), and ids, which collide when two figures meet in one page. One pass turns it into
plain shapes with presentation attributes. Texts stay texts, and a figure always gives the same
bytes.

Shapes of SVG as steps from point to point: read, looked at, and written in few characters.
"""

from __future__ import annotations

import base64
import functools
import io
import math
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from html import escape
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from rankreport.charts._matplotlib import own_settings, without_glyph_warnings
from rankreport.charts.canvas import INK, Canvas, drawn_on, resized
from rankreport.text import NAME_LIMIT, both_ends, visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure


INK_OF_IMAGES = "#77777b"
"""The ink of images in notebooks, which do not see whether these are light or dark.

Its contrast is 4.5 on white, and 4.2 on the dark of JupyterLab.
"""

_INK_OF_PAGE = "currentColor"
_BLACK = "#000000"  # matplotlib's own ink, of what a user added to a chart
FONTS = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
_PIXELS_PER_POINT = 96 / 72
_BREAK = 600
"""Charts of fewer pixels are for a narrow screen."""

_SHARP = 2
"""The pixels of an image for one of a page, on each side."""

_SETTINGS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "rankreport",
    "axes.unicode_minus": False,
}
# What else matplotlib writes (clip-path, id, font-family, blend modes) is left out on purpose.
_PRESENTATION = (
    *("fill", "fill-opacity", "fill-rule", "opacity", "stroke", "stroke-width", "stroke-opacity"),
    *("stroke-dasharray", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit"),
    *("font-size", "font-style", "font-weight", "text-anchor"),
)
_USUAL = {
    "stroke-linejoin": "round",
    "stroke-linecap": "butt",
    "font-size": "9",
    "text-anchor": "start",
}
"""How most of our charts look, besides the ink."""

_FRAME = re.compile(
    r'<svg (?:class="\w+" )?(?:display="none" )?(viewBox="\S+ \S+ (\S+) (\S+)") '
    r'(?:width="100%"|width="\S+" height="\S+")'
)

_LINKED = frozenset({"image", "pattern", "linearGradient", "radialGradient", "filter", "mask"})
"""What is in links: images, the lines of hatchings, and what else a user may have added."""

# Shapes that follow each other and look the same; the opacity of a group is not that of its shapes.
_SHAPE = r'<(?:path d="[^"]*"|circle cx="[^"]*" cy="[^"]*" r="[^"]*")'
_EQUAL = re.compile(rf"{_SHAPE}((?:(?! opacity)[^>])+)/>(?:{_SHAPE}\1/>)+")

_OVER_MARKS = '<g fill="none" pointer-events="all">'
_LINKS = re.compile(f"{_OVER_MARKS}.*?</g>", re.DOTALL)
"""The links over marks, of which an image has no use."""

Look = dict[str, str]
"""Presentation attributes."""


WIDE, NARROW = 740, 358
"""The widths that charts of a page are drawn for, in pixels of CSS: of a column, of a telephone."""

_TEXT_SIZES = {WIDE: 13, NARROW: 12}
"""The size of texts in pixels, at these widths and below."""


class Strip(NamedTuple):
    """A drawing for two widths.

    Attributes
    ----------
    wide, narrow
        SVG of 740 and of 358 pixels. The narrow one is hidden by an attribute until a style sheet
        shows it, so that a page without styles shows one of them.
    """

    wide: str
    narrow: str


def both_widths(figure: Figure, alt: str) -> Strip:
    """Write a chart as `inline_svg` does, for both widths of a page."""
    return Strip(inline_svg(figure, alt, width=WIDE), inline_svg(figure, alt, width=NARROW))


def inline_svg(figure: Figure, alt: str, *, width: int | None = None) -> str:
    """Write the figure as an ``<svg>`` element for the body of a page, light or dark.

    The background is transparent and ink takes the colour of the surrounding text. Points and bars
    of queries lead to ``#query=`` and the id of the query, percent-encoded as by JavaScript's
    ``encodeURIComponent``; they are no tab stops.

    Parameters
    ----------
    figure
        The figure. What can't be drawn without links or groups that move is left out: images,
        the lines of hatchings, mathematics.
    alt
        What the figure shows, in a sentence. It becomes the label, and its words before a colon the
        title.
    width
        Pixels of CSS that the figure is shown at. A chart is drawn again for them, with texts of 13
        pixels, or of 12 below 600. Without it, the width is that of the box it stands in.
    """
    if width is None:
        return _Page.of(figure).written(alt)
    look = 'class="narrow" display="none"' if width < _BREAK else 'class="wide"'
    return _Page.of(resized(figure, _canvas_of(width))).written(alt, look)


def _canvas_of(width: int) -> Canvas:
    """Return the canvas of a chart that is shown at so many pixels of CSS."""
    points = 72 / 96
    size = _TEXT_SIZES[NARROW if width < _BREAK else WIDE]
    return Canvas(width=width * points / 72, font_size=size * points)


def drawn_for_pages() -> AbstractContextManager[None]:
    """Let charts be drawn for the wider width of a page at once, instead of again for it."""
    return drawn_on(_canvas_of(WIDE))


def standalone_svg(figure: Figure, alt: str) -> str:
    """Write the figure as an SVG document with a white background, for an ``<img>`` or a file.

    Parameters
    ----------
    figure, alt
        As for `inline_svg`.
    """
    return _document(inline_svg(figure, alt))


def notebook_image(figure: Figure, alt: str) -> str:
    """Write the figure as HTML for a notebook.

    It holds the SVG as an image, where that shows it all. What a user added may need more, such as
    a hatching; such a figure is matplotlib's own image. The style of reports has no ground, and an
    ink for light and dark notebooks.
    """
    page = _Page.of(figure)
    if page.is_whole:
        looks = {"ground": _ground_of(figure)} if _has_own_ground(figure) else _FOR_NOTEBOOKS
        return image_tag("svg+xml", _document(page.written(alt), **looks).encode(), alt)
    image = png_of(figure, dots_per_inch=_SHARP * 96)
    width = decimal(96 * figure.get_figwidth())
    return image_tag("png", image, alt, f' width="{width}"')


def png_of(figure: Figure, dots_per_inch: float) -> bytes:
    """Let matplotlib draw the figure on white, or its own ground, always in the same bytes."""
    # Without the name of the library, whose version would change them.
    nameless: dict[str, Any] = {"metadata": {"Software": None}}
    return _saved(
        figure,
        format="png",
        dpi=dots_per_inch,
        facecolor=_ground_of(figure),
        edgecolor="none",
        **nameless,
    )


def _has_own_ground(figure: Figure) -> bool:
    """Return whether a figure is in the style of matplotlib."""
    return getattr(getattr(figure, "drawn_on", None), "style", "") == "matplotlib"


def _ground_of(figure: Figure) -> str:
    """Return the colour behind a figure: white in the style of reports."""
    from matplotlib.colors import to_hex

    return to_hex(figure.get_facecolor()) if _has_own_ground(figure) else "#ffffff"


def image_of(svg: str, alt: str) -> str:
    """Write what `inline_svg` returned as an image.

    A notebook that someone else ran may show images but no ``<svg>``; as the source of an image an
    SVG is let through, with its lines sharp and its words in the ``alt`` text.
    """
    return image_tag("svg+xml", _document(svg, **_FOR_NOTEBOOKS).encode(), alt)


def image_tag(kind: str, image: bytes, alt: str, size: str = "") -> str:
    """Write an image as an element that holds it, as wide as the notebook allows."""
    source = base64.b64encode(image).decode()
    shown = f'<img alt="{escape(visible(alt))}" src="data:image/{kind};base64,{source}"{size}>'
    return f'<figure style="margin: 0.5em 0">{shown}</figure>'


_FOR_NOTEBOOKS = {"ground": "none", "ink": INK_OF_IMAGES}


def _document(svg: str, ground: str = "#ffffff", ink: str = INK) -> str:
    """Return a page's drawing as a document: with a size, ground and ink, without links."""
    frame = _FRAME.match(svg)
    if frame is None:  # which no drawing of ours is without
        return svg
    width, height = (decimal(float(side) * _PIXELS_PER_POINT) for side in frame.groups()[1:])
    opening, _, shapes = _LINKS.sub("", svg[frame.end() :]).partition("</desc>")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {frame[1]} width="{width}" height="{height}"'
        f'{opening}</desc><rect width="100%" height="100%" fill="{ground}"/>{shapes}'
    ).replace(f'="{_INK_OF_PAGE}"', f'="{ink}"')


@dataclass
class _Page:
    """What matplotlib drew, with what its links point to."""

    root: ET.Element
    shapes: dict[str, ET.Element] = field(default_factory=dict)
    faces: dict[str, str] = field(default_factory=dict)
    clips: dict[str, tuple[float, ...]] = field(default_factory=dict)
    marks: str = ""

    @classmethod
    def of(cls, figure: Figure) -> _Page:
        page = cls(_drawn(figure), marks=_linked_marks(figure))
        for node in page.root.iter():
            name = node.get("id")
            if name and _tag(node) == "path":
                page.shapes[f"#{name}"] = node
            if name and _tag(node) == "pattern":
                page.faces[f"url(#{name})"] = node[0].get("fill", "none")
            if name and _tag(node) == "clipPath" and _tag(node[0]) == "rect":
                sides = ("x", "y", "width", "height")
                page.clips[f"url(#{name})"] = tuple(float(node[0].get(side, 0)) for side in sides)
        return page

    @property
    def is_whole(self) -> bool:
        """Tell whether all of it can be written: there are no images and nothing like them."""
        return not any(map(_is_left_out, self.root.iter()))

    @property
    def view_box(self) -> str:
        return rounded(self.root.get("viewBox", ""))

    def written(self, alt: str, look: str = "") -> str:
        label = visible(alt)
        topic = re.split("[:\uff1a]", label, maxsplit=1)[0]
        return (
            f'<svg {look and look + " "}viewBox="{self.view_box}" {self.size(look)} '
            f'role="{"group" if self.marks else "img"}" aria-label="{escape(label)}" '
            f'font-family="{escape(FONTS, quote=False)}"'
            f"{_written(self.look)}>"
            f"<title>{escape(topic)}</title><desc>{escape(label)}</desc>"
            f"{_EQUAL.sub(_grouped, ''.join(self.plain(self.root, self.look)))}{self.marks}</svg>"
        )

    def size(self, look: str) -> str:
        """Give its width, and with a look the pixels that it was drawn for."""
        if not look:
            return 'width="100%"'
        sides = (float(side) * _PIXELS_PER_POINT for side in self.view_box.split()[2:])
        return 'width="{}" height="{}"'.format(*map(decimal, sides))

    @functools.cached_property
    def look(self) -> Look:
        """How most of it looks, which is said once."""
        sizes = Counter(_SIZE.findall(" ".join(node.get("style", "") for node in self.root.iter())))
        usual = {"font-size": rounded(sizes.most_common(1)[0][0])} if sizes else {}
        return {"fill": _INK_OF_PAGE, **_USUAL, **usual}

    def plain(self, node: ET.Element, look: Look, clip: str = "") -> Iterator[str]:
        """Write what stands beneath a node, without the groups that only carried a name.

        What says nothing of its looks has the `look` of what stands around it.
        """
        for child in node:
            clip_here = child.get("clip-path", clip)
            match _tag(child):
                case "g" | "a":
                    own = self.own(child, look)
                    inner = "".join(self.plain(child, {**look, **own}, clip_here))
                    yield f"<g{_written(own)}>{inner}</g>" if own and inner else inner
                case "path":
                    yield self.path(child, look, clip_here)
                case "use":
                    yield self.linked(child, look, clip_here)
                case "text":
                    yield self.text(child, look)

    def text(self, node: ET.Element, look: Look) -> str:
        """Write a text and escape it; mathematics, should a user have added it, is in spans."""
        own = self.own(node, look)
        spans = (self.text(span, {**look, **own}) for span in node)
        content = escape(with_minus_signs(node.text or "")) + "".join(spans)
        name = _tag(node)
        return f"<{name}{_written({**_place(node), **own})}>{content}</{name}>"

    def linked(self, use: ET.Element, look: Look, clip: str) -> str:
        """Draw a linked shape where it is used: a marker around that point, or a filled band."""
        shape = self.shapes.get(_href(use))
        if shape is None:
            return ""
        x, y = (float(use.get(side, 0)) for side in "xy")
        steps = steps_of(shape.get("d", ""))
        placed = [(letter, [(x + dx, y + dy) for dx, dy in points]) for letter, points in steps]
        style = f"{use.get('style', '')};{shape.get('style', '')}"
        drawn = self.shape(placed, ET.Element("path", style=style), look)
        if not is_marker(steps):
            return self.within(clip, placed, drawn)
        # A marker at the edge is whole, and one beyond it is not drawn, not even in part.
        return drawn if inside(self.clips.get(clip), [(x, y)]) else ""

    def path(self, node: ET.Element, look: Look, clip: str) -> str:
        steps = steps_of(node.get("d", ""))
        return self.within(clip, steps, self.shape(steps, node, look))

    def within(self, clip: str, steps: list[Step], drawn: str) -> str:
        """Cut what leaves its axes, should a user have moved their limits.

        Clip paths need ids, but an svg within an svg shows nothing beyond its own frame.
        """
        frame = self.clips.get(clip)
        points = [point for _, points in steps for point in points]
        if frame is None or not drawn or inside(frame, points):
            return drawn
        x, y, width, height = map(decimal, frame)
        return (
            f'<svg x="{x}" y="{y}" width="{width}" height="{height}" '
            f'viewBox="{x} {y} {width} {height}">{drawn}</svg>'
        )

    def shape(self, steps: list[Step], node: ET.Element, look: Look) -> str:
        own = self.own(node, look)
        seen = {**look, **own}
        if not steps or (seen.get("fill") == "none" and "stroke" not in seen):
            return ""
        if circle := circle_of(steps):
            x, y, radius = map(decimal, circle)
            return f'<circle cx="{x}" cy="{y}" r="{radius}"{_written(own)}/>'
        return f'<path d="{path_data(steps)}"{_written(own)}/>'

    def own(self, node: ET.Element, look: Look) -> Look:
        """Turn a style into presentation attributes, where it is not that of what is around it."""
        declared = dict(_declarations(node.get("style", "")))
        # What is hatched is filled with the colour beneath.
        solid = {name: self.faces.get(value, value) for name, value in declared.items()}
        found = {
            name: self.value(solid[name])
            for name in _PRESENTATION
            if name in solid and not solid[name].startswith("url(")
        }
        return {name: value for name, value in found.items() if look.get(name) != value}

    def value(self, value: str) -> str:
        if value in (INK, _BLACK):
            return _INK_OF_PAGE
        return value if value.startswith("#") else rounded(value.removesuffix("px"))


def _linked_marks(figure: Figure) -> str:
    """Lay links over the points and bars of queries, invisible until they are pointed at.

    A narrow screen is touched: there a dot is too small to be met.
    """
    links = []
    is_narrow = figure.get_figwidth() * 96 < _BREAK
    unit, top = 72 / figure.dpi, figure.bbox.height
    for mark in getattr(figure, "marks", ()):
        if mark.radius and is_narrow:
            continue
        corners = list(zip(mark.across, mark.up, strict=True))
        (x1, y1), (x2, y2) = mark.axes.transData.transform(corners)
        left, right = sorted((x1 * unit, x2 * unit))
        high, low = sorted(((top - y1) * unit, (top - y2) * unit))
        if mark.radius:
            radius = max(mark.radius, _LEAST_RADIUS)
            place = f'cx="{decimal(left)}" cy="{decimal(high)}" r="{decimal(radius)}"'
            shape = f"<circle {place}/>"
        else:
            d = path_data([("M", [(left, high)]), ("L", [(right, high)]), ("L", [(right, low)])])
            shape = f'<path d="{d}h{decimal(round(left, 1) - round(right, 1))}z"/>'
        words = escape(f"{both_ends(mark.query, NAME_LIMIT)}: {mark.words}", quote=False)
        links.append(
            f'<a href="#query={quote(mark.query, safe=_UNRESERVED, errors="replace")}" '
            f'tabindex="-1"><title>{words}</title>{shape}</a>'
        )
    return f"{_OVER_MARKS}{''.join(links)}</g>" if links else ""


_LEAST_RADIUS = 4
"""Of what can be pointed at, in points."""

_UNRESERVED = "!~*'()"
"""What JavaScript's encodeURIComponent keeps, besides what Python's quote keeps."""


def _written(attributes: Look) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())


def _grouped(shapes: re.Match[str]) -> str:
    """Write once how shapes look that look the same."""
    look = shapes[1]
    return f"<g{look}>{shapes[0].replace(look, '')}</g>"


def with_minus_signs(text: str) -> str:
    """Print negative numbers with a minus sign; names keep their hyphens.

    >>> with_minus_signs("-0.25 [-0.50, -\u221e] of bm25-0.9, query -5")
    '\u22120.25 [\u22120.50, \u2212\u221e] of bm25-0.9, query -5'
    """
    return _FALLEN.sub("\N{MINUS SIGN}", text)


def _drawn(figure: Figure) -> ET.Element:
    plain = {"metadata": {"Date": None}, "facecolor": "none", "edgecolor": "none"}
    drawn = _saved(figure, format="svg", **plain)
    return ET.fromstring(drawn)  # noqa: S314 - written a line above, by matplotlib


def _saved(figure: Figure, **options: Any) -> bytes:
    """Let matplotlib draw, under its own defaults whatever the user's settings are."""
    drawn = io.BytesIO()
    with own_settings(_SETTINGS), without_glyph_warnings():
        figure.savefig(drawn, **options)
    return drawn.getvalue()


def _is_left_out(node: ET.Element) -> bool:
    match _tag(node):
        case "g":  # of mathematics
            return "transform" in node.attrib
        case "clipPath":
            return _tag(node[0]) != "rect"
        case tag:
            return tag in _LINKED


def _tag(node: ET.Element) -> str:
    return node.tag.rpartition("}")[2]


def _href(use: ET.Element) -> str:
    return use.get("{http://www.w3.org/1999/xlink}href", "")


def _declarations(style: str) -> Iterator[tuple[str, str]]:
    for declaration in style.split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            yield name.strip(), value.strip()


def _place(node: ET.Element) -> dict[str, str]:
    """Say where a text stands, and how it is turned if it is."""
    place = {side: rounded(node.get(side, "")) for side in "xy" if node.get(side)}
    turned = rounded(node.get("transform", ""))
    moved = re.fullmatch(r"translate\((\S+) (\S+)\)", turned)
    if moved:
        return {"x": moved[1], "y": moved[2]}
    if turned and not turned.startswith("rotate(0 "):
        place["transform"] = turned
    return place


_SIZE = re.compile(r"font-size: ([\d.]+)")

_FALLEN = re.compile(r"(?<![\w.-])-(?=\d+\.\d|\N{INFINITY})")
"""The hyphens of negative numbers, which are printed with a minus sign."""

_NUMBER = re.compile(r"-?\d*\.?\d+(?:e[-+]?\d+)?")


_STEP = re.compile(r"([MLCQZ])([^MLCQZ]*)", re.IGNORECASE)


_LINES = ("L", "H", "V")


Point = tuple[float, float]


Step = tuple[str, list[Point]]


def steps_of(data: str) -> list[Step]:
    """Read path data; matplotlib writes absolute coordinates only."""
    steps = []
    for letter, numbers in _STEP.findall(data):
        values = iter(map(float, _NUMBER.findall(numbers)))
        steps.append((letter.upper(), list(zip(values, values, strict=True))))
    return steps


def path_data(steps: list[Step]) -> str:
    """Write path data in few characters: steps in tenths of a point, from where the last one ended.

    Rounded are the places and not the steps, so that no error adds up. Repeated letters are left
    out, and lines that lead nowhere.
    """
    written, last_letter = [], ""
    here = start = (0, 0)
    for letter, points in steps:
        tenths = [(round(10 * x), round(10 * y)) for x, y in points]
        moves = [(x - here[0], y - here[1]) for x, y in tenths]
        if letter == "L" and last_letter in _LINES and moves == [(0, 0)]:
            continue
        shown_letter, sides = _line(*moves[0]) if letter == "L" else (letter, chain(*moves))
        here = start if letter == "Z" else tenths[-1]
        if letter == "M":
            start = here
        shown = _joined(sides)
        again = shown_letter == last_letter and letter not in "ZM"
        gap = " " if again and not shown.startswith("-") else ""
        written.append(f"{'' if again else shown_letter.lower()}{gap}{shown}")
        last_letter = shown_letter
    return "".join(written)


def _line(dx: int, dy: int) -> tuple[str, tuple[int, ...]]:
    """Return the letter of a line, and what it takes: one number, where it is along one side."""
    if dy == 0:
        return "H", (dx,)
    return ("V", (dy,)) if dx == 0 else ("L", (dx, dy))


def _joined(tenths: Iterable[int]) -> str:
    """Write numbers given in tenths; a minus sign parts them as well as a space."""
    shown = "".join(f" {decimal(each / 10)}" for each in tenths)
    return shown.replace(" -", "-").removeprefix(" ")


def circle_of(steps: list[Step]) -> tuple[float, float, float] | None:
    """Recognise the round marker, which matplotlib draws with eight curves.

    Returns
    -------
    tuple[float, float, float] | None
        The centre and the radius, or None if the path is something else.
    """
    if [letter for letter, _ in steps] != ["M", *"CCCCCCCC", "Z"]:
        return None
    corners = [points[-1] for _, points in steps[1:-1]]
    x, y = (sum(axis) / len(corners) for axis in zip(*corners, strict=True))
    radii = [math.dist((x, y), corner) for corner in corners]
    is_round = max(radii) - min(radii) < 0.01 * max(radii)
    return (x, y, radii[0]) if is_round else None


def is_marker(steps: list[Step]) -> bool:
    """Tell whether a shape lies around the origin, from where markers are drawn."""
    points = [point for _, points in steps for point in points]
    return all(min(axis) <= 0 <= max(axis) for axis in zip(*points, strict=True))


def inside(frame: tuple[float, ...] | None, points: list[Point]) -> bool:
    """Tell whether all points lie in the frame, give or take what an eye can't see."""
    if frame is None:
        return True
    x, y, width, height = frame
    slack = 0.5
    return all(
        x - slack <= px <= x + width + slack and y - slack <= py <= y + height + slack
        for px, py in points
    )


def rounded(text: str) -> str:
    """Round all numbers of a text as `decimal` does."""
    return _NUMBER.sub(lambda found: decimal(float(found[0])), text)


def decimal(value: float) -> str:
    """Write a coordinate: two decimals at most, and never a minus zero."""
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown
