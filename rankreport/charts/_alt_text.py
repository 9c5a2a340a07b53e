"""What the sentences of charts share: a head, and clause by clause what was found."""

from collections.abc import Iterable, Mapping
from typing import Any

from rankreport.text import counted, decimals, number, say, separated, short

FEW = 8
"""So many are listed one by one; more are counted."""


def sentence_of(what: str, clauses: Iterable[str]) -> str:
    """Say what was found of something, in one sentence; empty clauses are left out.

    Examples
    --------
    >>> sentence_of("AP by query", ["1 win", "", "2 losses"])
    'AP by query: 1 win; 2 losses.'
    """
    found = separated("; ", filter(None, clauses))
    return say("{what}: {found}.", what=what, found=found)


def left_out(undefined: int) -> str:
    """Count the queries that are not drawn, if there are any."""
    if not undefined:
        return ""
    queries = counted(undefined, "query", "queries")
    return say("{queries} without a difference left out", queries=queries)


def baseline_name(baseline: str | None) -> str:
    """Name a baseline, also one that nobody named."""
    return short(baseline) if baseline else say("the baseline")


def valued(row: Mapping[str, Any], *names: str, signed: bool = False) -> str:
    """Write a value and, where there is one, its interval: the columns of these names."""
    digits = decimals(*(row[name] for name in names))
    value, low, high = (number(row[name], digits, signed=signed) for name in names)
    if row[names[1]] is None:
        return value
    return say("{mean} ({low} to {high})", mean=value, low=low, high=high)
