"""Parts of a report under a cell of a live notebook: no style sheet, charts as images."""

from __future__ import annotations

from collections.abc import Container, Iterator
from html import escape

from rankreport.rendering.context import Page, Picture
from rankreport.rendering.svg import image_of
from rankreport.rendering.table import Table
from rankreport.rendering.text import visible

__all__ = ["inline_html"]


def inline_html(page: Page, sections: Container[str]) -> str:
    """Return the words, charts and tables of some sections, named by their ids."""
    return "\n".join(_shown(page, sections))


def _shown(page: Page, sections: Container[str]) -> Iterator[str]:
    if page.check and not page.word:  # a verdict says itself what to check before
        yield f'<p class="mathjax_ignore"><b>{escape(visible(page.check))}</b></p>'
    for section in page.sections:
        if section.id not in sections:
            continue
        for paragraph in section.paragraphs:
            # A name may hold what JupyterLab would set as mathematics.
            yield f'<p class="mathjax_ignore">{escape(visible(paragraph))}</p>'
        for part in section.parts:
            if isinstance(part, Picture):
                yield image_of(part.svg, part.alt)
            elif isinstance(part, Table):
                yield part.to_html()
