"""Users' Markdown notes: converted to HTML for a page, and sanitised for a notebook.

Notes may have formatting and links to http, https and mailto addresses. HTML, images and other
links are shown as text, so that a page makes no requests.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rankreport.text import code, verbatim, visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode

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
    r"""Return a note as Markdown with what `prose_html` allows; everything else is escaped.

    Headings are one level below the title of a notebook or a pull request.

    >>> print(prose_markdown("# Why\n*See* <b>the</b> [log](https://example.org/1)."))
    ## Why
    <BLANKLINE>
    *See* \<b\>the\</b\> [log](https://example.org/1).
    >>> print(prose_markdown("[here](javascript:alert(1))"))
    \[here\](javascript:alert(1))
    """
    if not text:
        return ""
    from markdown_it.tree import SyntaxTreeNode

    tokens = _parser().parse(_seen(text))
    _place_headings(tokens)
    return _blocks(SyntaxTreeNode(tokens).children)


def _blocks(nodes: Iterable[SyntaxTreeNode], between: str = "\n\n") -> str:
    return between.join(filter(None, map(_block, nodes)))


def _block(node: SyntaxTreeNode) -> str:
    """Return a block of a note with its contents."""
    match node.type:
        case "heading":
            return f"{'#' * int(node.tag[1])} {_inline(node.children, line_end=' ')}"
        case "blockquote":
            return _indented(_blocks(node.children), "> ", "> ")
        case "bullet_list" | "ordered_list":
            return _list(node)
        case "fence" | "code_block":
            fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", node.content))])
            return "\n".join([fence, node.content.removesuffix("\n"), fence])
        case "hr":
            return "***"
        case _:
            return _inline(node.children)


def _list(node: SyntaxTreeNode) -> str:
    start = int(node.attrs.get("start", 1))
    blocks = [block for item in node.children for block in item.children]
    tight = all(block.hidden for block in blocks if block.type == "paragraph")
    between = "\n" if tight else "\n\n"
    items = []
    for place, item in enumerate(node.children, start):
        mark = "- " if node.type == "bullet_list" else f"{place}. "
        items.append(_indented(_blocks(item.children, between), mark, " " * len(mark)))
    return between.join(items)


def _indented(text: str, first: str, others: str) -> str:
    lines = text.split("\n")
    return "\n".join([first + lines[0], *((others + line).rstrip() for line in lines[1:])])


def _inline(nodes: Iterable[SyntaxTreeNode], line_end: str = "\n") -> str:
    """Return the text of a block with emphasis, code and links."""
    return "".join(_piece(node, _inline(node.children, line_end), line_end) for node in nodes)


def _piece(node: SyntaxTreeNode, within: str, line_end: str) -> str:
    match node.type:
        case "text":
            text = verbatim(node.content)
            within = (
                rf"{text[:-1]}\!" if text.endswith("!") else text
            )  # or a link after it would become an image
        case "code_inline":
            within = code(node.content)
        case "softbreak":
            within = line_end
        case "hardbreak":
            within = "\\\n" if line_end == "\n" else line_end
        case "em" | "strong":
            mark = "*" if node.type == "em" else "**"
            within = f"{mark}{within}{mark}"
        case "link":
            within = f"[{within}]({_address(str(node.attrs['href']))})"
    return within


def _address(url: str) -> str:
    """Return an address with characters escaped that could end its link."""
    escaped = url.translate({ord(each): f"%{ord(each):X}" for each in "()<>$`\\"})
    return re.sub(r"&(?=#?\w+;)", "&amp;", escaped)


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
