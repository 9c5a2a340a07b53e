"""The HTML output of a report in a live notebook: no style sheet, charts as images."""

from __future__ import annotations

from collections.abc import Container, Iterator

from rankreport.charts import image_of
from rankreport.reports.page import Page, Picture
from rankreport.tables import Table
from rankreport.text import paragraph_html

__all__ = ["inline_html"]


def inline_html(page: Page, sections: Container[str]) -> str:
    """Return the text, charts and tables of the sections with these ids."""
    return "\n".join(_shown(page, sections))


def _shown(page: Page, sections: Container[str]) -> Iterator[str]:
    if page.verdict is None:  # a verdict includes its cautions
        yield paragraph_html("", bold=page.check)
        yield from map(paragraph_html, page.warnings)
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
