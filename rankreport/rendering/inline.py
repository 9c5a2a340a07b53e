"""Parts of a report under a cell of a live notebook: no style sheet, charts as images."""

from __future__ import annotations

from collections.abc import Container, Iterator
from html import escape

from rankreport.rendering.context import Page, Picture
from rankreport.rendering.svg import image_of
from rankreport.rendering.table import Table
from rankreport.rendering.text import visible

__all__ = ["inline_html", "paragraph_html"]


def paragraph_html(text: str, bold: str = "") -> str:
    """Return words as a paragraph, some of them in bold before the others; nothing without any.

    A name among them may hold what JupyterLab would set as mathematics, which it is told not to.

    Examples
    --------
    >>> paragraph_html("a$b$ & c", bold="Better.")
    '<p class="mathjax_ignore"><b>Better.</b> a$b$ &amp; c</p>'
    """
    strong, plain = (escape(visible(words)) for words in (bold, text))
    told = " ".join(filter(None, [strong and f"<b>{strong}</b>", plain]))
    return told and f'<p class="mathjax_ignore">{told}</p>'


def inline_html(page: Page, sections: Container[str]) -> str:
    """Return the words, charts and tables of some sections, named by their ids."""
    return "\n".join(_shown(page, sections))


def _shown(page: Page, sections: Container[str]) -> Iterator[str]:
    if page.check and not page.word:  # a verdict says itself what to check before
        yield paragraph_html("", bold=page.check)
    for section in page.sections:
        if section.id not in sections:
            continue
        for paragraph in section.paragraphs:
            yield paragraph_html(paragraph)
        for part in section.parts:
            if isinstance(part, Picture):
                yield image_of(part.svg, part.alt)
            elif isinstance(part, Table):
                yield part.to_html()
