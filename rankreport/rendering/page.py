"""The HTML page: one file that asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace

from rankreport.rendering.context import Page, Picture
from rankreport.rendering.templates import environment, template_folder

__all__ = ["render_page"]


def render_page(page: Page) -> str:
    """Return the page as HTML.

    Its content policy allows its one style sheet, by hash, and nothing else: no script, no request.
    Where another policy forbids that too, it is still readable, charts included.
    """
    from markupsafe import Markup

    style = (template_folder() / "page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    sections = tuple(
        replace(
            section,
            # Our own drawing, made safe by rendering.svg: the only markup that is not a template's.
            parts=tuple(
                replace(part, svg=Markup(part.svg))  # noqa: S704
                if isinstance(part, Picture)
                else part
                for part in section.parts
            ),
        )
        for section in page.sections
    )
    json_text = environment().filters["json"](dict(page.data))
    html = (
        environment()
        .get_template("page.html")
        .render(
            page=replace(page, sections=sections),
            style=Markup(style),  # noqa: S704  (ours, from the templates' folder)
            digest=digest,
            data=Markup(json_text),  # noqa: S704  (escaped for a script element)
        )
    )
    return html + "\n"
