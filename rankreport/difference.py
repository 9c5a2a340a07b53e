"""One system against another on one measure, in numbers: what a verdict is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rankreport.rendering.context import Word
from rankreport.rendering.language import say
from rankreport.rendering.text import MOST_DECIMALS, counted, decimals, number, percent

__all__ = [
    "MIN_CHANGED",
    "Difference",
    "Word",
    "changed_queries",
    "decimals_beside",
    "n_changed_in_words",
]

MIN_CHANGED = 10
"""Below this many changed queries, the verdict is never better or worse."""


def n_changed_in_words(n_changed: int, telling: float) -> str:
    """Return how many queries changed, with what they are worth where that is less.

    >>> n_changed_in_words(30, 30), n_changed_in_words(30, 4.5)
    ('30', '30 (worth 4.5)')
    """
    if telling == n_changed:
        return f"{n_changed}"
    return say("{changed} (worth {worth})", changed=n_changed, worth=f"{telling:.1f}")


def changed_queries(n_changed: int, telling: float) -> str:
    """Return the same with the word.

    >>> changed_queries(30, 30), changed_queries(30, 4.5)
    ('30 queries', '30 queries (worth 4.5 independent ones)')
    """
    queries = counted(n_changed, "query", "queries")
    if telling == n_changed:
        return queries
    return say(
        "{queries} (worth {worth} independent ones)", queries=queries, worth=f"{telling:.1f}"
    )


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
    widest: float | None = None
    """The largest mean difference that the measure allows; None where it has no bounds."""
    needed: float | None = None
    """How many queries could tell the difference found from 0 with 80 % power."""
    margin: float | None = None
    """The difference, above 0, up to which two systems count as alike; None where none is named."""
    margin_needed: float | None = None
    """How many queries could tell a difference as large as the margin from 0 with 80 % power."""
    first_share: float | None = None
    """The share of the net difference made by the query that changed most in its direction."""
    top_share: float | None = None
    """The same of the five queries that did; above 1 where the others lead the other way."""
    n_telling: float | None = None
    """How many independent queries of equal weight those that changed are worth; all, if None."""

    @property
    def telling(self) -> float:
        """How many independent queries changed: what a verdict needs enough of."""
        return self.n_changed if self.n_telling is None else self.n_telling

    @property
    def word(self) -> Word:
        """The verdict in a word."""
        if self.n_changed == 0 and self.n_queries > 0:
            return "unchanged" if self.margin is None else "equivalent"
        if self.ci_low is None or self.ci_high is None:
            return "inconclusive"
        if self.telling >= MIN_CHANGED and self.ci_low > 0:
            return "better"
        if self.telling >= MIN_CHANGED and self.ci_high < 0:
            return "worse"
        if self.within_margin:
            return "equivalent"
        held = self.margin is not None and self.ci_low > -self.margin
        return "no worse" if held else "inconclusive"

    @property
    def within_margin(self) -> bool:
        """Whether the interval leaves out every difference as large as the margin."""
        if self.margin is None or self.ci_low is None or self.ci_high is None:
            return False
        return -self.margin < self.ci_low and self.ci_high < self.margin

    @property
    def numbers(self) -> str:
        """The difference with its interval, such as ``+0.021 (95 % interval +0.012 to +0.030)``."""
        digits = self._digits
        shown = number(self.delta, digits, signed=True)
        if self.ci_low is None:
            return shown
        low, high = (number(end, digits, signed=True) for end in (self.ci_low, self.ci_high))
        return say(
            "{delta} ({confidence} interval {low} to {high})",
            delta=shown,
            confidence=percent(self.confidence),
            low=low,
            high=high,
        )

    @property
    def _digits(self) -> int:
        """Decimals that print no end of the interval on a side of the margin where it is not."""
        limits = () if self.margin is None else (-self.margin, self.margin)
        digits = decimals(self.delta, self.ci_low, self.ci_high)
        return decimals_beside(limits, (self.ci_low, self.ci_high), digits)


def decimals_beside(limits: Iterable[float], ends: Iterable[float | None], fewest: int) -> int:
    """Return how many decimals print no end on a side of a limit where it is not.

    >>> decimals_beside([-0.01], [-0.0104, 0.0100001], fewest=3)
    4
    """
    beside = [(end, limit) for end in ends if end is not None for limit in limits]
    for digits in range(fewest, MOST_DECIMALS):
        if all(_side(round(end, digits), limit) == _side(end, limit) for end, limit in beside):
            return digits
    return MOST_DECIMALS


def _side(value: float, limit: float) -> tuple[bool, bool]:
    return value < limit, value > limit
