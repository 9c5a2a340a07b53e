"""Parts of a report under a cell of a live notebook: no style sheet, charts as images."""

from __future__ import annotations

import base64
from collections.abc import Container, Iterator
from html import escape

from rankreport.rendering.context import Page, Picture
from rankreport.rendering.svg import INK
from rankreport.rendering.table import Table
from rankreport.rendering.text import visible

__all__ = ["inline_html"]


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
    """Return a drawing made for a page as a document: on white, and with ink of its own."""
    opening, _, shapes = svg.partition("</desc>")
    named = opening.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    paper = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return f"{named}</desc>{paper}{shapes}".replace('="currentColor"', f'="{INK}"')
