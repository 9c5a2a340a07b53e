"""Notes that a user writes in Markdown: to HTML for a page, and kept harmless in a notebook.

Whoever writes a note may format it, and link to the web and to mail addresses. HTML, pictures and
other addresses stay text, so that a page still asks nobody for anything.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rankreport.rendering.text import visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["prose_html", "prose_markdown"]

_ALLOWED = re.compile(r"https?://|mailto:", re.IGNORECASE)


def prose_html(text: str) -> str:
    r"""Return a note as HTML; its headings stand beneath the one of the page.

    >>> print(prose_html("# Nightly\n<b>See</b> [us](mailto:us@example.org)."))
    <h2>Nightly</h2>
    <p>&lt;b&gt;See&lt;/b&gt; <a href="mailto:us@example.org" rel="noopener noreferrer">us</a>.</p>
    """
    parser = _parser(anywhere=False)
    tokens = parser.parse(text)
    _place_headings(tokens)
    for token in _all(tokens):
        if token.type == "link_open":
            token.attrSet("rel", "noopener noreferrer")
        token.info = ""  # the language of a block of code would become a class
    html: str = parser.renderer.render(tokens, parser.options, {})
    return _seen(html).strip()


def prose_markdown(text: str) -> str:
    r"""Return a note as Markdown in which no HTML is left, and no link but to the web and to mail.

    >>> print(prose_markdown("*See* <b>the</b> [log](https://example.org/1)."))
    *See* &lt;b>the&lt;/b> [log](https://example.org/1).
    >>> print(prose_markdown("[here](javascript:alert(1))"))
    \[here](javascript:alert(1))
    """
    tokens = list(_all(_parser(anywhere=True).parse(text)))
    addresses = [str(token.attrGet("href")) for token in tokens if token.type == "link_open"]
    pictures = any(token.type == "image" for token in tokens)
    if pictures or not all(map(_ALLOWED.match, addresses)):
        text = re.sub(r"\\*\[", r"\\[", text)  # then none of it is a link
    return _seen(text).strip().replace("<", "&lt;")


@functools.cache
def _parser(*, anywhere: bool) -> MarkdownIt:
    """Return a parser of Markdown without HTML: with pictures and links to anywhere, or not."""
    from markdown_it import MarkdownIt

    class Notes(MarkdownIt):
        def validateLink(self, url: str) -> bool:
            return anywhere or _ALLOWED.match(url) is not None

    parser = Notes("commonmark", {"html": False, "linkify": False})
    return parser if anywhere else parser.disable("image")


def _all(tokens: Iterable[Token]) -> Iterable[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or ())


def _place_headings(tokens: Iterable[Token]) -> None:
    """Put headings one level down, and none more than one level beneath the heading before it."""
    level = 1
    for token in tokens:
        if token.type == "heading_open":
            level = min(int(token.tag[1]) + 1, level + 1, 6)
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{level}"


def _seen(text: str) -> str:
    """Make what cannot be seen visible, but for the ends of lines and for tabs."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4).split("\n")
    return "\n".join(map(visible, lines))
