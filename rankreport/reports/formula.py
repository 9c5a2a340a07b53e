r"""Formulae of measures: LaTeX to MathML, which browsers draw without a script.

Formulae are untrusted: users declare measures, and a stored report may come from anyone. The output
has only the elements and attributes listed below, and escaped text. A formula that needs more, or
cannot be parsed, is shown as LaTeX.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
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
    "form": "prefix|postfix",
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

_BARS = {"|", "\N{DOUBLE VERTICAL LINE}"}
_FENCES = set("{}⌊⌋⌈⌉⟨⟩")
_LARGE = set("∏∐∑⋀⋁⋂⋃")  # noqa: RUF001 - operators, no letters
_LIMITED = {"inf", "lim", "max", "min", "sup"} | _LARGE
_LIMITS = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
_THIN, _RELATION, _QUAD = "0.167em", "0.278em", "1em"


def formula_html(latex: str) -> str:
    r"""Return a formula as MathML, or as LaTeX in a ``<code>`` where it cannot be drawn.

    A line may break where the formula has a ``\quad``.

    >>> print(formula_html(r"\frac{1}{2}"))
    <math displaystyle="true"><mfrac><mn>1</mn><mn>2</mn></mfrac></math>
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
    for node in _spaced(map(_tidied, row)):
        if node.attrib == {"width": _QUAD}:
            clauses.append([])
        else:
            clauses[-1].append(_written(node))
    return " ".join(f'<math displaystyle="true">{"".join(each)}</math>' for each in clauses)


def _written(node: ET.Element) -> str:
    """Return an allowed element as markup; raise ValueError for any other."""
    size = _SIZES[node.tag]
    if size not in {None, len(node)} or (node.text and node.tag not in _TOKENS):
        raise ValueError(f"an unexpected {node.tag}")
    text = visible(node.text or "")
    if "\\" in text or text == "&" or not all(re.fullmatch(_VALUES[k], v) for k, v in node.items()):
        raise ValueError("an unsupported element")
    tag = "mi" if _is_name(node) else node.tag
    attributes = "".join(f' {name}="{value}"' for name, value in node.items())
    inner = escape(text, quote=False) + "".join(map(_written, node))
    return f"<{tag}{attributes}>{inner}</{tag}>"


def _tidied(node: ET.Element) -> ET.Element:
    """Return an element with the output of latex2mathml corrected and simplified."""
    inside = list(map(_tidied, node))
    if node.tag == "mrow":
        inside = [_word(inside)] if _is_word(inside) else list(_spaced(inside))
        if len(inside) == 1 and not node.attrib:
            return inside[0]
    attributes = {name: value for name, value in node.items() if name not in _NEEDLESS}
    made = ET.Element(
        node.tag, {name: _SPELLED.get(value, value) for name, value in attributes.items()}
    )
    text = unescape(node.text or "")
    made.text = _SPELLED.get(text, text)
    made.extend(inside)
    _correct_tag(made)
    return made


def _correct_tag(node: ET.Element) -> None:
    """Correct the tags of operators and of sums with limits."""
    text = node.text or ""
    if node.tag == "mi" and len(text) > 1 and "mathvariant" not in node.attrib:
        node.tag = "mo"  # marks the name of a function until it is written
    elif node.tag == "mi" and text in _FENCES:
        node.tag = "mo"
        node.set("stretchy", "false")
    elif node.tag == "mi" and text == ":":
        node.tag = "mo"
        node.attrib |= {"lspace": _RELATION, "rspace": _RELATION}
    elif node.tag in _LIMITS and len(node) and node[0].text in _LIMITED:
        node.tag = _LIMITS[node.tag]


def _spaced(row: Iterable[ET.Element]) -> Iterator[ET.Element]:
    """Yield elements with the spaces that TeX puts between them."""
    before, opening = None, True
    for node in row:
        if node.tag == "mo" and not node.text and not len(node):
            continue  # the empty half of a one-sided pair of brackets
        if before is not None and _is_name(_core(before)) and _is_apart(node):
            yield ET.Element("mspace", width=_THIN)
        if (bar := _core(node)).text in _BARS:
            bar.set("form", "prefix" if opening else "postfix")
            opening = not opening
        yield node
        before = node


def _is_apart(node: ET.Element) -> bool:
    """Return whether the element is spaced from a function name before it."""
    core = _core(node)
    return core.tag not in {"mo", "mspace"} or _is_name(core) or core.text in _LARGE


def _core(node: ET.Element) -> ET.Element:
    """Return an element without its sub- and superscripts."""
    scripted = node.tag in _LIMITS or node.tag in _LIMITS.values()
    return _core(node[0]) if scripted and len(node) else node


def _is_name(node: ET.Element) -> bool:
    return node.tag == "mo" and (node.text or "")[:1].isalpha()


def _is_word(row: list[ET.Element]) -> bool:
    kinds = {"text" if node.tag == "mtext" else node.get("mathvariant") for node in row}
    return len(row) > 1 and "normal" in kinds and kinds <= {"normal", "text"}


def _word(letters: list[ET.Element]) -> ET.Element:
    r"""Join the letters of a ``\mathrm`` to one word."""
    word = ET.Element("mi")
    word.text = "".join(letter.text or "" for letter in letters)
    return word
