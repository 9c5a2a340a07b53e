"""LaTeX: text escaped, and tables below comments on what they need."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rankreport.text import visible

_BOOKTABS = r"% In the preamble: \usepackage{booktabs}"
_CHINESE = r"% In the preamble: \usepackage{booktabs,ctex}; typeset with XeLaTeX or LuaLaTeX"
_HAN = "[\u3400-\u9fff\uf900-\ufaff]"

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        # At the start of a row, LaTeX would read these as options of the preceding \\.
        "[": "{[}",
        "*": "{*}",
    }
)


def tabular(columns: str, headers: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    r"""Return a ``tabular`` of escaped cells, with booktabs rules.

    >>> print(tabular("lr", ["system", "AP"], [["bm25", "0.4"]]))
    \begin{tabular}{lr}
    \toprule
    system & AP \\
    \midrule
    bm25 & 0.4 \\
    \bottomrule
    \end{tabular}
    """
    head, *lines = (" & ".join(cells) + r" \\" for cells in (headers, *rows))
    rules = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule"]
    return "\n".join([*rules, *lines, r"\bottomrule", r"\end{tabular}"])


def with_preamble(table: str) -> str:
    r"""Return a table below a comment on the packages it needs, which include ctex for Chinese.

    >>> print(with_preamble(r"\toprule"))
    % In the preamble: \usepackage{booktabs}
    \toprule
    """
    return f"{_CHINESE if re.search(_HAN, table) else _BOOKTABS}\n{table}"


def commented(table: str, notes: Iterable[str]) -> str:
    r"""Return a table below notes to its author, as comments.

    >>> print(commented(r"\toprule", ["Look: few queries changed."]))
    % Look: few queries changed.
    \toprule
    """
    return "\n".join([*(f"% {visible(note)}" for note in notes), table])


def tex(text: str) -> str:
    r"""Escape text for LaTeX.

    >>> print(tex("50 % of {a_b}"))
    50 \% of \{a\_b\}
    """
    return visible(text).translate(_SPECIAL)
