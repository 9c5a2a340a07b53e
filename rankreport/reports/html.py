"""The HTML page: one self-contained file that makes no requests."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from rankreport.reports import drawing
from rankreport.reports.formula import formula_html
from rankreport.reports.json_figures import embedded
from rankreport.reports.page import Page, Picture, Section
from rankreport.reports.templates import environment, rendered, unrendered
from rankreport.reports.theme import Theme
from rankreport.reports.users_markdown import prose_html
from rankreport.tables import Table
from rankreport.text import visible


def render_page(page: Page, theme: Theme | None = None) -> str:
    """Return the page as HTML.

    Its content security policy allows its style sheet and script, by hash, and no requests. The
    page stays complete and readable where another policy forbids those too.

    Parameters
    ----------
    page
        Contents of the page.
    theme
        The default theme unless given.
    """
    from markupsafe import Markup

    chosen = theme or Theme()
    style, script = unrendered("page.css", chosen.folder), unrendered("page.js", chosen.folder)
    if chosen.accent is not None:
        style += f":root {{ --accent: {chosen.accent}; }}\n"
    html = rendered(
        "page.html",
        chosen.folder,
        page=replace(page, sections=tuple(map(_drawn, page.sections))),
        named=naming(page.names),
        drawing=_Drawing(),
        style=Markup(style),  # noqa: S704  (built-in, or from the user's templates)
        style_hash=_hash(style),
        script=Markup(script),  # noqa: S704  (as the style)
        script_hash=_hash(script),
        data=Markup(environment().filters["json"](embedded(page.data))),  # noqa: S704  (escaped by the filter)
        logo=chosen.logo_inside(),
        accented=chosen.accent is not None,
        introduction=Markup(prose_html(chosen.introduction)),  # noqa: S704  (HTML is escaped)
        closing=Markup(prose_html(chosen.closing)),  # noqa: S704  (as above)
    )
    return html + "\n"


class _Drawing:
    """The drawings of the first screen as safe HTML."""

    def __getattr__(self, name: str) -> Callable[[Any], Any]:
        """Return a function of `rankreport.reports.drawing`."""
        from markupsafe import Markup

        draw = getattr(drawing, name)

        def safe(shown: Any) -> Any:
            drawn = draw(shown)
            if isinstance(drawn, list):
                return [Markup(each) for each in drawn]  # noqa: S704  (the charts escape all text)
            return Markup(drawn)  # noqa: S704  (as above)

        return safe


_HYPHENATED = re.compile(r"[\w.+/@]+(?:-[\w.+/@]+)+", re.ASCII)


def naming(names: Iterable[tuple[str, str]]) -> Callable[..., Any]:
    """Return a function that escapes a text in which names were shortened.

    A shortened name stands there whole; the style sheet shortens it until it has the focus. Names
    in links and in titles of folds take no focus of their own (``focus=False``), but theirs. A
    headline has no line breaks within names (``whole=True``).
    """
    from markupsafe import Markup, escape

    element = Markup('<span class="name"{2} title="{0}" data-brief="{1}"><bdi>{0}</bdi></span>')
    stop = Markup(' tabindex="0"')
    shown = [
        (escape(short), *(element.format(visible(whole), short, own) for own in (stop, "")))
        for short, whole in names
    ]

    def named(text: str, *, focus: bool = True, whole: bool = False) -> Any:
        html = escape(visible(text))
        if whole and not shown:
            html = Markup(_HYPHENATED.sub(r'<span class="whole">\g<0></span>', str(html)))  # noqa: S704  (escaped)
        for short, focusable, plain in shown:
            html = html.replace(short, focusable if focus else plain)
        return html

    return named


def _drawn(section: Section) -> Section:
    """Return a section with charts and formulae marked as safe HTML."""
    from markupsafe import Markup

    # Charts are sanitised by `charts.svg`, and loaded ones are checked by `stored`.
    parts = tuple(
        replace(
            part,
            svg=Markup(part.svg),  # noqa: S704
            narrow=Markup(part.narrow),  # noqa: S704
            data=part.data.without_empty_columns(),
        )
        if isinstance(part, Picture)
        else part.without_empty_columns()
        if isinstance(part, Table)
        else part
        for part in section.parts
    )
    terms = tuple(
        replace(term, formula=Markup(formula_html(term.formula)))  # noqa: S704  (known elements only)
        for term in section.terms
    )
    return replace(section, parts=parts, terms=terms)


def _hash(text: str) -> str:
    """Return the hash of a text as a content security policy writes it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
