"""Text that Markdown shows as it stands: in paragraphs, in lists and in the cells of tables.

A backslash keeps a character from meaning something to Markdown. Some are looked for once more, in
what was rendered: mathematics by Jupyter, and by GitHub the names of people, mail addresses and the
numbers of issues. There a backslash is long gone; an element around the character is not.
"""

from __future__ import annotations

import re
from html import escape

from rankreport.text.format import visible

__all__ = ["code", "markdown", "paragraph_html", "verbatim"]

_MARKDOWN = re.compile(
    r"(?P<apart>[\\$]|#(?=\d)"
    # Of a name or of an address: nDCG@10 is neither, for it has a letter before and no dot behind.
    r"|(?<![A-Za-z0-9])@(?=\w)|@(?=[\w.-]*\.\w))"
    r"|[`*{}\[\]#|<>~&]"  # what means something wherever it stands
    r"|(?<![^\W_])_|_(?![^\W_])"  # at the edge of a word
    r"|(?i:(?<=[a-z]):(?=//)|(?<=www)\.)"  # in an address, which would become a link
    r"|^[-+=](?=[-+=\s]|$)|^\d{1,9}[.)](?=\s|$)"  # of a list or a rule
)


def markdown(text: str) -> str:
    r"""Return text that Markdown shows as it stands: no markup, no link, no mathematics.

    >>> print(markdown("<b>*x*</b>, nDCG@10 +0.021 (trec_eval)"))
    \<b\>\*x\*\</b\>, nDCG@10 +0.021 (trec_eval)
    >>> print(markdown("$x for @us"))
    <span>\$</span>x for <span>\@</span>us
    """
    return _MARKDOWN.sub(_escaped, visible(text).strip())


def verbatim(text: str) -> str:
    """Return the same with the spaces at its ends: it stands between other texts."""
    return _MARKDOWN.sub(_escaped, visible(text))


def code(text: str) -> str:
    """Return text as code within a line, whatever backticks are in it.

    >>> code("P@k"), code("a`b")
    ('`P@k`', '`` a`b ``')
    """
    content = " ".join(visible(text).split())
    runs = [len(run) for run in re.findall("`+", content)]
    if not runs:
        return f"`{content}`" if content else ""
    fence = "`" * (max(runs) + 1)
    return f"{fence} {content} {fence}"


def _escaped(found: re.Match[str]) -> str:
    escaped = f"{found[0][:-1]}\\{found[0][-1]}"
    return f"<span>{escaped}</span>" if found["apart"] else escaped


def paragraph_html(text: str, bold: str = "") -> str:
    """Return words as a paragraph, some of them in bold before the others; nothing without any.

    JupyterLab is told to ignore the text, which may hold what it would set as mathematics.

    Examples
    --------
    >>> paragraph_html("a$b$ & c", bold="Better.")
    '<p class="mathjax_ignore"><b>Better.</b> a$b$ &amp; c</p>'
    """
    strong, plain = (escape(visible(words)) for words in (bold, text))
    content = " ".join(filter(None, [strong and f"<b>{strong}</b>", plain]))
    return content and f'<p class="mathjax_ignore">{content}</p>'
