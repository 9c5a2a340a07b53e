"""Users' Markdown notes: converted to HTML, which stands in pages, notebooks and Markdown.

Notes may have formatting and links to http, https and mailto addresses. HTML, images and other
links are shown as text, so that a page makes no requests.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rankreport.text import visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_ALLOWED = re.compile(r"https?://|mailto:", re.IGNORECASE)


def prose_html(text: str) -> str:
    r"""Return a note as HTML, its headings one level below the page's.

    >>> print(prose_html("# Nightly\n<b>See</b> [us](mailto:us@example.org)."))
    <h2>Nightly</h2>
    <p>&lt;b&gt;See&lt;/b&gt; <a href="mailto:us@example.org" rel="noopener noreferrer">us</a>.</p>
    """
    if not text:
        return ""
    parser = _parser()
    tokens = parser.parse(text)
    _place_headings(tokens)
    for token in _all(tokens):
        if token.type == "link_open":
            token.attrSet("rel", "noopener noreferrer")
        token.info = ""  # the language of a code block would become a class
    html: str = parser.renderer.render(tokens, parser.options, {})
    return _seen(html).strip()


def prose_markdown(text: str) -> str:
    r"""Return a note for Markdown: the HTML of `prose_html`, in which nothing is Markdown.

    >>> print(prose_markdown("# Why\n*Nightly*, for $5: <b>x</b>."))
    <div class="mathjax_ignore">
    <h2>Why</h2>
    <p><em>Nightly</em>, for &#36;5: &lt;b&gt;x&lt;/b&gt;.</p>
    </div>
    """
    # A blank line would end the HTML, and dollars would be mathematics in a notebook.
    html = re.sub(r"\n(?=\n)", "\n&#32;", prose_html(text)).replace("$", "&#36;")
    return html and f'<div class="mathjax_ignore">\n{html}\n</div>'


@functools.cache
def _parser() -> MarkdownIt:
    """Return a CommonMark parser without HTML and images, and with restricted links."""
    from markdown_it import MarkdownIt

    class Notes(MarkdownIt):
        def validateLink(self, url: str) -> bool:
            return _ALLOWED.match(url) is not None

    return Notes("commonmark", {"html": False, "linkify": False}).disable("image")


def _all(tokens: Iterable[Token]) -> Iterable[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or ())


def _place_headings(tokens: Iterable[Token]) -> None:
    """Move headings one level down, without skipping levels."""
    level = 1
    for token in tokens:
        if token.type == "heading_open":
            level = min(int(token.tag[1]) + 1, level + 1, 6)
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{level}"


def _seen(text: str) -> str:
    """Make invisible characters visible, except line ends and tabs."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4).split("\n")
    return "\n".join(map(visible, lines))
