"""Tables in Markdown, and what stands in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from .figures import HELD, MISSED, STRAYED, Cell, Share

NOTHING: Final = "-"


def by_queries(cells: Iterable[Cell], size: dict[str, Any], figure: Callable[[Cell], str]) -> str:
    """Set a figure of each population out by number of queries."""
    of: dict[str, dict[int, str]] = {}
    for cell in cells:
        of.setdefault(cell["population"], {})[cell["n"]] = figure(cell)
    body = [[name, *(by.get(n, NOTHING) for n in size["queries"])] for name, by in of.items()]
    return table(["population", *(f"{n:,}" for n in size["queries"])], body)


def marked(found: Share, outcome: str) -> str:
    """Show a share, and how far it is out of its band."""
    marks = {HELD: "{:.1f}", STRAYED: "{:.1f}\\*", MISSED: "**{:.1f}**"}
    return marks[outcome].format(found.percent)


def shown(found: Share | None) -> str:
    """Show a share, or that there is none."""
    return f"{found.percent:.1f}" if found else NOTHING


def listed(numbers: Sequence[int]) -> str:
    """Name numbers one after the other.

    >>> listed([50, 100, 1000])
    '50, 100 and 1,000'
    """
    *others, last = (f"{n:,}" for n in numbers)
    return f"{', '.join(others)} and {last}" if others else last


def table(heads: Sequence[str], body: Iterable[Sequence[str]], *, numbers: bool = True) -> str:
    """Return a Markdown table, all but its first column to the right where they are numbers."""

    def lines() -> Iterator[str]:
        yield "| " + " | ".join(heads) + " |"
        yield "|---" + ("|---:" if numbers else "|---") * (len(heads) - 1) + "|"
        for row in body:
            yield "| " + " | ".join(row) + " |"

    return "\n".join(lines())
