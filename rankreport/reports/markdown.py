"""The summary of a report as Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from rankreport.reports.notes import prose_markdown
from rankreport.reports.page import Page, Section
from rankreport.reports.stored import StoredReport
from rankreport.reports.theme import Theme
from rankreport.tables import Table
from rankreport.text import labelled, markdown, paragraph, say

__all__ = ["summary_markdown"]


def summary_markdown(stored: StoredReport, theme: Theme) -> str:
    """Return title, verdict, gate, table and warnings, between the theme's notes."""
    page = stored.page
    gates = [section for section in page.sections if section.id == "gates"]
    warnings = map(labelled, page.cautions)
    parts = [
        f"## {markdown(page.title)}",
        f"**{markdown(page.check)}**" if page.check else "",
        f"**{markdown(paragraph(_word(page), page.sentence))}**",
        markdown(page.advice),
        markdown(page.detail),
        "\n".join(f"- {markdown(sentence)}" for sentence in page.others),
        prose_markdown(theme.introduction),
        *(part for section in gates for part in _section_markdown(section)),
        stored.table.to_markdown(),
        "\n".join(f"- {markdown(each)}" for each in warnings),
        prose_markdown(theme.closing),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _word(page: Page) -> str:
    """Return the verdict in a word, if the sentence does not have it."""
    return f"{say(page.word.capitalize())}:" if page.word == "check first" else ""


def _section_markdown(section: Section) -> Iterator[str]:
    """Yield the text of a section and its tables."""
    if section.paragraphs:
        headline, *others = section.paragraphs
        yield f"**{markdown(headline)}**"
        yield "\n".join(f"- {markdown(each)}" for each in others)
    yield from (part.to_markdown() for part in section.parts if isinstance(part, Table))
