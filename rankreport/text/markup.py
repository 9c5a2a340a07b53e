"""Escaping of text for Markdown (paragraphs, lists, table cells) and HTML paragraphs.

Markdown syntax is escaped by backslashes. Some characters are interpreted again in the rendered
HTML: mathematics by Jupyter; mentions, mail addresses and issue numbers by GitHub. Backslashes are
gone by then, so these characters are also put in an element.
"""

from __future__ import annotations

import re
from html import escape
from urllib.parse import quote

from rankreport.text.names import visible

_MARKDOWN = (
    r"(?P<apart>[\\$]|#(?=\d)"
    # Mentions and mail addresses; nDCG@10 is neither: a letter precedes it and no dot follows.
    r"|(?<![A-Za-z0-9])@(?=\w)|@(?=[\w.-]*\.\w))"
    r"|[`*{}\[\]#|<>~&]"  # special anywhere
    r"|(?<![^\W_])_|_(?![^\W_])"  # at the edge of a word
    r"|(?i:(?<=[a-z]):(?=//)|(?<=www)\.)"  # in a URL, which would become a link
    r"|^[-+=](?=[-+=\s]|$)|^\d{1,9}[.)](?=\s|$)"  # list items and rules
)

_BLANK = r"\s"


def markdown(text: str) -> str:
    r"""Escape text for Markdown, so that it has no markup, links or mathematics.

    >>> print(markdown("<b>*x*</b>, nDCG@10 +0.021 (trec_eval)"))
    \<b\>\*x\*\</b\>, nDCG@10 +0.021 (trec_eval)
    >>> print(markdown("$x for @us"))
    <span>\$</span>x for <span>\@</span>us
    """
    return re.sub(_MARKDOWN, _escaped, visible(text).strip())


def code(text: str) -> str:
    """Return text as an inline code span, which may contain backticks.

    >>> code("P@k"), code("a`b")
    ('`P@k`', '`` a`b ``')
    """
    content = " ".join(visible(text).split())
    runs = [len(run) for run in re.findall("`+", content)]
    if not runs:
        return f"`{content}`" if content else ""
    fence = "`" * (max(runs) + 1)
    return f"{fence} {content} {fence}"


def fragment(name: str) -> str:
    """Return a name as it stands in the fragment of a link: ``#query=`` and the id of a query.

    It is encoded as by JavaScript's ``encodeURIComponent``.

    >>> fragment("q17"), fragment("que es nuevo?")
    ('q17', 'que%20es%20nuevo%3F')
    """
    return quote(name, safe="!~*'()", errors="replace")


def anchor(name: str) -> str:
    """Return the name by which an element is found from such a link, also without a script.

    Browsers look for the fragment as it stands, and then decoded. Names that no attribute can hold,
    with blanks or invisible characters, are found as they stand in the link.

    >>> anchor("q17"), anchor("Größe?"), anchor("a b"), anchor("50%")
    ('q17', 'Größe?', 'a%20b', '50%25')
    """
    held = visible(name) == name and "%" not in name and not re.search(_BLANK, name)
    return name if held else fragment(name)


def _escaped(found: re.Match[str]) -> str:
    escaped = f"{found[0][:-1]}\\{found[0][-1]}"
    return f"<span>{escaped}</span>" if found["apart"] else escaped


def paragraph_html(text: str, bold: str = "") -> str:
    """Return text as an HTML paragraph after bold text, or nothing if both are empty.

    Its class keeps JupyterLab from rendering mathematics in it.

    Examples
    --------
    >>> paragraph_html("a$b$ & c", bold="Better.")
    '<p class="mathjax_ignore"><b>Better.</b> a$b$ &amp; c</p>'
    """
    strong, plain = (escape(visible(words)) for words in (bold, text))
    content = " ".join(filter(None, [strong and f"<b>{strong}</b>", plain]))
    return content and f'<p class="mathjax_ignore">{content}</p>'


def folded_html(title: str, *parts: str) -> str:
    """Return HTML under a title that opens it, or nothing if there is none.

    Examples
    --------
    >>> print(folded_html("Notes", paragraph_html("One."), ""))
    <details class="mathjax_ignore" style="margin: 0.5em 0">
    <summary>Notes</summary>
    <p class="mathjax_ignore">One.</p>
    </details>
    """
    inner = [each for each in parts if each]
    summary = f"<summary>{escape(visible(title))}</summary>"
    opening = '<details class="mathjax_ignore" style="margin: 0.5em 0">'
    return "\n".join([opening, summary, *inner, "</details>"]) if inner else ""
