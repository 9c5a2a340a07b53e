r"""Formulae of measures: LaTeX to MathML, which browsers draw without a script.

Formulae are untrusted: users declare measures, and a stored report may come from anyone. The output
has only the elements and attributes listed below, and escaped text. A formula that needs more, or
cannot be parsed, is shown as LaTeX.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html import escape, unescape

from rankreport.text import visible

_LONGEST = 1000
"""Longer formulae, in characters, are shown as LaTeX."""

_UNDRAWN = re.compile(
    r"\\(def|newcommand|newenvironment|DeclareMathOperator)"  # could grow without bound
    r"|(?<!\\)%"  # a comment would hide the rest
)

_TOKENS = ("mi", "mn", "mo", "mtext")
"""The elements that hold text."""

_SIZES = {
    **dict.fromkeys([*_TOKENS, "mspace"], 0),
    **dict.fromkeys(["mfrac", "mroot", "msub", "msup", "munder", "mover"], 2),
    **dict.fromkeys(["msubsup", "munderover"], 3),
    **dict.fromkeys(["mrow", "msqrt", "mstyle", "mtable", "mtr", "mtd"]),
}
"""Allowed elements with their number of children; None for any number."""

_VALUES = {
    **dict.fromkeys(["accent", "displaystyle", "movablelimits", "stretchy"], r"true|false"),
    **dict.fromkeys(["lspace", "maxsize", "minsize", "rspace", "width"], r"-?\d(\.\d{1,3})?em"),
    "linethickness": "0",
    "mathvariant": "normal",
    "scriptlevel": "[012]",
}
"""Allowed attributes with the pattern of their values."""

_NEEDLESS = {"columnalign", "fence", "form"}
"""Attributes written by latex2mathml that have no effect."""

_SPELLED = {
    r"\{": "{",
    r"\}": "}",
    r"\|": "\N{DOUBLE VERTICAL LINE}",
    "negativethinmathspace": "-0.167em",
}
"""Replacements for text that latex2mathml leaves as LaTeX or as older MathML."""

_LIMITED = {"inf", "lim", "max", "min", "sup", *"∏∐∑⋀⋁⋂⋃"}  # noqa: RUF001 - operators, no letters
_LIMITS = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
"""Operators whose indices stand below and above them, and the elements that place these there."""


def formula_html(latex: str) -> str:
    r"""Return a formula as MathML, or as LaTeX in a ``<code>`` where it cannot be drawn.

    A line may break where the formula has a ``\quad``.

    >>> print(formula_html(r"\frac{1}{2}"))
    <math displaystyle="true"><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></math>
    >>> print(formula_html(r"\unheard < 1"))
    <code>\unheard &lt; 1</code>
    """
    try:
        return _mathml(latex)
    except Exception:  # noqa: BLE001 - untrusted input may raise anything in the parser
        return f"<code>{escape(visible(' '.join(latex.split())), quote=False)}</code>"


def _mathml(latex: str) -> str:
    from latex2mathml.converter import convert_to_element

    if len(latex) > _LONGEST or _UNDRAWN.search(latex):
        raise ValueError("a formula that is not drawn")
    (row,) = convert_to_element(latex)
    clauses: list[list[str]] = [[]]
    for node in row:
        if node.attrib == {"width": "1em"}:  # a quad
            clauses.append([])
        else:
            clauses[-1].append(_written(node))
    return " ".join(f'<math displaystyle="true">{"".join(each)}</math>' for each in clauses)


def _written(node: ET.Element) -> str:
    """Return an allowed element as markup; raise ValueError for any other."""
    size, tag = _SIZES[node.tag], node.tag
    if size not in {None, len(node)} or (node.text and tag not in _TOKENS):
        raise ValueError(f"an unexpected {tag}")
    kinds = {each.get("mathvariant", each.tag) for each in node}
    if tag == "mrow" and "normal" in kinds <= {"normal", "mtext"}:  # the letters of a word
        word = unescape("".join(each.text or "" for each in node))
        return f"<mi>{escape(visible(word), quote=False)}</mi>"
    text = unescape(node.text or "")
    text = visible(_SPELLED.get(text, text))
    kept = {k: _SPELLED.get(v, v) for k, v in node.items() if k not in _NEEDLESS}
    if "\\" in text or text == "&" or not all(re.fullmatch(_VALUES[k], v) for k, v in kept.items()):
        raise ValueError("an unsupported element")
    if len(node) and unescape(node[0].text or "").strip() in _LIMITED:
        tag = _LIMITS.get(tag, tag)
    attributes = "".join(f' {name}="{value}"' for name, value in kept.items())
    inner = escape(text, quote=False) + "".join(map(_written, node))
    return f"<{tag}{attributes}>{inner}</{tag}>"
