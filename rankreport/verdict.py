"""What a difference means, in words.

The verdict comes from the interval alone, never from a p-value and the interval both. With fewer
than `MIN_CHANGED` changed queries it is never better or worse: no interval measured keeps its
promise there (docs of `compare`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Literal

from rankreport.rendering.text import counted, number, percent, visible

__all__ = [
    "FEW_CHANGED",
    "MIN_CHANGED",
    "Difference",
    "Verdict",
    "Word",
    "caution",
    "judge_difference",
]

MANY = 1_000_000
"""More queries than these are not worth a number."""

MIN_CHANGED = 10
"""Below this many changed queries, the verdict is never better or worse."""

FEW_CHANGED = 20
"""Below this many, intervals are narrower than they should be, and a caution says so."""

Word = Literal["better", "worse", "inconclusive", "unchanged"]


@dataclass(frozen=True)
class Difference:
    """One system against the baseline on one measure: the numbers that a verdict is made of."""

    system: str
    baseline: str
    measure: str
    n_queries: int
    n_changed: int
    delta: float | None
    ci_low: float | None
    ci_high: float | None
    confidence: float
    detectable: float | None
    """The smallest difference that so many queries could tell from 0 with 80 % power."""
    needed: float | None = None
    """How many queries could tell the difference found from 0 with 80 % power."""

    @property
    def word(self) -> Word:
        """The verdict in a word."""
        if self.n_changed == 0 and self.n_queries > 0:
            return "unchanged"
        if self.ci_low is None or self.ci_high is None or self.n_changed < MIN_CHANGED:
            return "inconclusive"
        if self.ci_low > 0:
            return "better"
        return "worse" if self.ci_high < 0 else "inconclusive"

    @property
    def numbers(self) -> str:
        """The difference with its interval, such as ``+0.021 (95 % interval +0.012 to +0.030)``."""
        digits = _digits(self.delta, self.ci_low, self.ci_high)
        shown = number(self.delta, digits, signed=True)
        if self.ci_low is None:
            return shown
        low, high = (number(end, digits, signed=True) for end in (self.ci_low, self.ci_high))
        return f"{shown} ({percent(self.confidence)} interval {low} to {high})"


@dataclass(frozen=True)
class Verdict:
    """The answer to "is it better?": a word, and the sentence that a report opens with."""

    word: Word
    sentence: str

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter picks from what it is given
        shown = visible(self.sentence)
        word = self.word.capitalize()
        # A name may hold what JupyterLab would set as mathematics.
        html = f'<p class="mathjax_ignore"><b>{word}.</b> {escape(shown)}</p>'
        return {"text/plain": shown, "text/html": html}


def judge_difference(found: Difference) -> Verdict:
    """Return the verdict on a difference.

    Examples
    --------
    >>> found = Difference("dense", "bm25", "nDCG@10", 200, 120, 0.0213, 0.0121, 0.0305, 0.95, 0.01)
    >>> print(judge_difference(found))
    dense is better than bm25 on nDCG@10: +0.021 (95 % interval +0.012 to +0.030), 200 queries.
    """
    pair = f"{found.system} is {found.word} than {found.baseline} on {found.measure}"
    whole = f"{found.numbers}, {counted(found.n_queries, 'query', 'queries')}"
    match found.word:
        case "better" | "worse":
            sentence = f"{pair}: {whole}."
        case "unchanged":
            sentence = (
                f"{found.system} and {found.baseline} are equal on {found.measure}: none of the "
                f"{found.n_queries} queries changed."
            )
        case _:
            sentence = (
                f"The data cannot tell whether {found.system} is better or worse than "
                f"{found.baseline} on {found.measure}: {whole}. {_why_inconclusive(found)}"
            )
    return Verdict(found.word, sentence)


def caution(found: Difference) -> str:
    """Return what to mind about a difference, or an empty text.

    Examples
    --------
    >>> caution(Difference("new", "old", "RR", 50, 4, 0.01, -0.01, 0.03, 0.95, None))
    '4 of 50 changed: too few for a verdict'
    """
    if found.n_queries == 0:
        return "no query has a value for both"
    of = f"{found.n_changed} of {found.n_queries} changed"
    if found.n_changed == 0:
        return "no query changed"
    if found.n_changed < MIN_CHANGED:
        return f"{of}: too few for a verdict"
    if found.ci_low is None:
        return "all differences are the same: no interval"
    if found.n_changed < FEW_CHANGED:
        return f"{of}: interval may be too narrow"
    return ""


def _digits(*values: float | None) -> int:
    """Return how many decimals show all of them, so that none but 0 is printed as 0."""
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    return max(3, min(6, math.ceil(-math.log10(2 * min(sizes))))) if sizes else 3


def _why_inconclusive(found: Difference) -> str:
    if found.n_queries == 0:
        return "No query has a value for both."
    if found.n_changed < MIN_CHANGED:
        changed = counted(found.n_changed, "query", "queries")
        return f"Only {changed} changed; a verdict needs {MIN_CHANGED} or more."
    if found.ci_low is None or found.detectable is None:
        return "All differences are the same, which leaves nothing to make an interval from."
    least = number(found.detectable, _digits(found.detectable))
    return (
        f"So many queries can be expected to show a difference of {least} or more (80 % power)"
        f"{_queries_for(found)}."
    )


def _queries_for(found: Difference) -> str:
    """Say how many queries would show the difference found, where these are too few."""
    if not found.delta or found.needed is None or found.needed <= found.n_queries:
        return ""
    many = f"more than {MANY:,}" if found.needed > MANY else f"{found.needed:,.0f}"
    return f"; one as small as the one found takes {many} queries"
