"""Parts of a report under a cell of a live notebook: no style sheet, charts as images."""

from __future__ import annotations

import base64
import re
from collections.abc import Container, Iterator
from html import escape

from rankreport.rendering.context import Page, Picture
from rankreport.rendering.svg import INK
from rankreport.rendering.table import Table
from rankreport.rendering.text import visible

__all__ = ["inline_html"]

_PIXELS_PER_POINT = 96 / 72


def inline_html(page: Page, sections: Container[str]) -> str:
    """Return the words, charts and tables of some sections, named by their ids."""
    return "\n".join(_shown(page, sections))


def _shown(page: Page, sections: Container[str]) -> Iterator[str]:
    for section in page.sections:
        if section.id not in sections:
            continue
        for paragraph in section.paragraphs:
            # A name may hold what JupyterLab would set as mathematics.
            yield f'<p class="mathjax_ignore">{escape(visible(paragraph))}</p>'
        for part in section.parts:
            if isinstance(part, Picture):
                yield _image(part)
            elif isinstance(part, Table):
                yield part.to_html()


def _image(picture: Picture) -> str:
    """Return a drawing as an image, which is let through where an ``<svg>`` is not."""
    source = base64.b64encode(_document(picture.svg).encode()).decode()
    image = f'<img alt="{escape(visible(picture.alt))}" src="data:image/svg+xml;base64,{source}">'
    return f"<figure>{image}</figure>"


def _document(svg: str) -> str:
    """Return a drawing made for a page as a document: with a size, on white, in ink of its own."""
    frame, width, height = _frame(svg)
    opening, _, shapes = svg.partition("</desc>")
    sized = opening.replace(
        f'<svg {frame} width="100%"',
        f'<svg xmlns="http://www.w3.org/2000/svg" {frame} width="{width:g}" height="{height:g}"',
        1,
    )
    paper = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return f"{sized}</desc>{paper}{shapes}".replace('="currentColor"', f'="{INK}"')


def _frame(svg: str) -> tuple[str, float, float]:
    """Return the frame of a drawing, and its size in pixels of a screen."""
    frame = re.match(r'<svg (viewBox="\S+ \S+ (\S+) (\S+)")', svg)
    if frame is None:  # which no drawing of ours is without
        return "", 0, 0
    width, height = (round(float(side) * _PIXELS_PER_POINT, 2) for side in frame.groups()[1:])
    return frame[1], width, height
