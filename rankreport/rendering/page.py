"""The HTML page: one file that asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace

from rankreport.rendering.context import Page, Picture, Section
from rankreport.rendering.formula import formula_html
from rankreport.rendering.prose import prose_html
from rankreport.rendering.table import Table
from rankreport.rendering.templates import environment, rendered, unrendered
from rankreport.rendering.theme import Theme

__all__ = ["render_page"]


def render_page(page: Page, theme: Theme | None = None) -> str:
    """Return the page as HTML.

    Its content policy allows its one style sheet and its one script, by hash, and nothing else: no
    request. Where another policy forbids those too, it is still whole and readable.

    Parameters
    ----------
    page
        What it says.
    theme
        How it is dressed; as ours are, unless given.
    """
    from markupsafe import Markup

    worn = theme or Theme()
    style, script = unrendered("page.css", worn.folder), unrendered("page.js", worn.folder)
    if worn.accent is not None:
        style += f":root {{ --accent: {worn.accent}; }}\n"
    html = rendered(
        "page.html",
        worn.folder,
        page=replace(page, sections=tuple(map(_drawn, page.sections))),
        style=Markup(style),  # noqa: S704  (ours or the user's, of a templates' folder)
        style_hash=_hash(style),
        script=Markup(script),  # noqa: S704  (likewise)
        script_hash=_hash(script),
        data=Markup(environment().filters["json"](dict(page.data))),  # noqa: S704  (escaped for it)
        logo=worn.logo_inside(),
        accented=worn.accent is not None,
        introduction=Markup(prose_html(worn.introduction)),  # noqa: S704  (without HTML of its own)
        closing=Markup(prose_html(worn.closing)),  # noqa: S704  (likewise)
    )
    return html + "\n"


def _drawn(section: Section) -> Section:
    """Return a section as a page shows it."""
    from markupsafe import Markup

    # Our own drawings, made safe by rendering.svg.
    parts = tuple(
        replace(part, svg=Markup(part.svg), data=part.data.without_empty_columns())  # noqa: S704
        if isinstance(part, Picture)
        else part.without_empty_columns().with_hidden_values()
        if isinstance(part, Table)
        else part
        for part in section.parts
    )
    terms = tuple(
        replace(term, formula=Markup(formula_html(term.formula)))  # noqa: S704  (of known elements)
        for term in section.terms
    )
    return replace(section, parts=parts, terms=terms)


def _hash(text: str) -> str:
    """Return what a content policy calls a text by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
