"""Text that Markdown shows as it stands."""

from __future__ import annotations

import re

from rankreport.rendering.text import visible

__all__ = ["code", "markdown", "verbatim"]

_MARKDOWN = re.compile(
    r"[\\`*{}\[\]#|<>~$&]"  # what means something wherever it stands
    r"|(?<![^\W_])_|_(?![^\W_])"  # at the edge of a word
    r"|(?i:(?<=[a-z]):(?=//)|(?<=www)\.)"  # in an address, which would become a link
    r"|^[-+=](?=[-+=\s]|$)|(?<=^\d)[.)](?=\s|$)|(?<=^\d\d)[.)](?=\s|$)"  # of a list or a rule
)


def markdown(text: str) -> str:
    r"""Return text that Markdown shows as it stands: no markup, no link, no mathematics.

    >>> print(markdown("<b>*x*</b>, +0.021 (trec_eval)"))
    \<b\>\*x\*\</b\>, +0.021 (trec_eval)
    >>> print(markdown("$x"))
    <span>\$</span>x
    """
    return verbatim(text).strip()


def verbatim(text: str) -> str:
    """Return the same with the spaces at its ends: it stands between other texts."""
    return _MARKDOWN.sub(_escaped, visible(text))


def code(text: str) -> str:
    """Return text as code within a line, whatever backticks are in it.

    >>> code("P@k"), code("a`b")
    ('`P@k`', '`` a`b ``')
    """
    told = " ".join(visible(text).split())
    runs = [len(run) for run in re.findall("`+", told)]
    if not runs:
        return f"`{told}`" if told else ""
    fence = "`" * (max(runs) + 1)
    return f"{fence} {told} {fence}"


def _escaped(found: re.Match[str]) -> str:
    # Jupyter looks for mathematics in what it has rendered too, but not across elements.
    return f"<span>\\{found[0]}</span>" if found[0] in "\\$" else f"\\{found[0]}"
