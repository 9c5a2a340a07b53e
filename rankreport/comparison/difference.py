"""The numbers of a difference between two systems, and what its interval says of them.

That depends only on the interval, never on a p-value; or, where all differences are equal and the
measure has no bound, so that there is no interval, on their sign. With fewer than `MIN_CHANGED`
changed queries it is never better or worse, because no kind of interval keeps its level there (see
docs/coverage.md). A margin, set before seeing the data, adds two words: no worse, if the interval
excludes losses as large as the margin, and equivalent, if it also excludes such gains.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rankreport.comparison.unseen import Unseen
from rankreport.statistics import MIN_CHANGED
from rankreport.text import decimals, decimals_beside, number, percent, reliable_decimals, say

Word = Literal[
    "better", "worse", "check first", "no worse", "equivalent", "inconclusive", "unchanged"
]
"""The answers to "is it better?"."""


FEW_CHANGED = 20
"""Below this many changed queries, intervals may be too narrow, and there is a caution."""


def all_of_one_sign(n_changed: Any, confidence: float) -> Any:
    """Return whether so many equal differences are more than chance, by the exact sign test.

    Their number may be a column, as an expression.

    >>> all_of_one_sign(10, 0.95), all_of_one_sign(10, 0.999)
    (True, False)
    """
    return 2 * 0.5**n_changed <= 1 - confidence


@dataclass(frozen=True)
class Difference:
    """A system against its baseline on one measure: the numbers behind a verdict."""

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
    """The smallest difference that these queries can detect with 80 % power."""
    widest: float | None = None
    """The largest possible mean difference; None if the measure is unbounded."""
    margin: float | None = None
    """The largest difference that does not matter; None without a margin."""
    margin_needed: float | None = None
    """The number of queries that detect a difference as large as the margin with 80 % power."""
    first_share: float | None = None
    """The share of the net difference made by the query that changed most in its direction."""
    top_share: float | None = None
    """The same for five queries; above 1 if the others have the opposite sign in sum."""
    n_changed_effective: float | None = None
    """The effective number of changed queries; None if equal to `n_changed`."""
    n_simultaneous: int = 1
    """The number of differences whose intervals hold simultaneously."""
    on_judged: Difference | None = None
    """The same on judged documents alone; None where unjudged ones hardly matter."""
    lowest: float | None = None
    """The lowest difference that any grades of the unjudged documents give; None if not known."""
    highest: float | None = None
    """The highest such difference."""
    deciding_low: float | None = None
    """The end that allows for rare failures; None where the interval's own decides."""
    deciding_high: float | None = None
    """The upper one."""
    unseen: Unseen | None = None
    """What the queries leave possible on the side against the verdict, where that undoes it."""
    at_depth: Difference | None = None
    """The same at equal depth; None where the measure sees nothing below the shorter lists."""
    lengths: tuple[int, int] | None = None
    """The depths of the baseline's and the system's lists, where they differ."""
    end_error: float | None = None
    """The standard error of the interval's ends between seeds; None or 0 if nothing is drawn."""
    asked: str = ""
    """The name by which the measure was asked for; empty if by ours."""

    @property
    def measure_shown(self) -> str:
        """The name of the measure for readers."""
        return self.asked or self.measure

    @property
    def changed_effective(self) -> float:
        """The effective number of changed queries."""
        return self.n_changed if self.n_changed_effective is None else self.n_changed_effective

    @property
    def has_few_changed(self) -> bool:
        """Whether too few queries changed for better or worse."""
        return self.changed_effective < MIN_CHANGED

    @property
    def is_unchanged(self) -> bool:
        """Whether no query changed."""
        return self.n_changed == 0 < self.n_queries

    @property
    def is_turned_by_depth(self) -> bool:
        """Whether the verdict is another one at equal depth."""
        return self.at_depth is not None and self.at_depth.by_interval != self.by_interval

    @property
    def has_few_queries(self) -> bool:
        """Whether queries, and not changes, are few: of all, or nearly all, the scores differ."""
        unchanged = self.n_queries - self.n_changed
        return self.changed_effective < FEW_CHANGED and unchanged <= max(1, self.n_queries // 10)

    @property
    def least_queries(self) -> int | None:
        """At how many queries enough would change at this rate; None if they do, or none does."""
        if not self.has_few_changed or not self.changed_effective:
            return None
        return math.ceil(self.n_queries * MIN_CHANGED / self.changed_effective)

    @property
    def word(self) -> Word:
        """The verdict in a word: to check first if judged documents alone say otherwise."""
        if self.on_judged is not None and self.on_judged.direction != self.direction:
            return "check first"
        return self.by_interval

    @property
    def direction(self) -> int:
        """Whether the system is better (1), worse (-1) or neither (0)."""
        return {"better": 1, "worse": -1}.get(self.by_interval, 0)

    @property
    def is_confirmed(self) -> bool:
        """Whether the system is better, or worse, on judged documents alone too."""
        return self.on_judged is not None and self.direction == self.on_judged.direction != 0

    @property
    def by_interval(self) -> Word:
        """The verdict in a word, from the interval alone."""
        if self.is_unchanged:
            return "equivalent" if self.within_margin else "unchanged"
        if self._sign:
            return "better" if self._sign > 0 else "worse"
        if self.within_margin:
            return "equivalent"
        low, _ = self.deciding
        if self.margin is None or low is None or low <= -self.margin:
            return "inconclusive"
        return "no worse"

    @property
    def deciding(self) -> tuple[float | None, float | None]:
        """The ends that decide on claims of safety: those that allow for rare failures, if known.

        The words better and worse go by the interval itself.
        """
        if self.deciding_low is None or self.deciding_high is None:
            return self.ci_low, self.ci_high
        return self.deciding_low, self.deciding_high

    @property
    def seen_only(self) -> bool:
        """Whether better or worse holds of what was seen, but rare failures could undo it."""
        low, high = self.deciding_low, self.deciding_high
        return bool(self.direction) and low is not None and high is not None and low <= 0 <= high

    def qualified(self, word: Word) -> str:
        """Return better or worse with how it holds: on what was seen, or by little."""
        if word not in {"better", "worse"}:
            return word
        if self.seen_only:
            return f"{word} on what was seen"
        return f"{word} by little" if self.within_margin else word

    @property
    def _sign(self) -> int:
        """The side of 0 of an interval of enough queries, or of equal differences without one."""
        if self.has_few_changed:
            return 0
        if self.ci_low is not None and self.ci_high is not None:
            return (self.ci_low > 0) - (self.ci_high < 0)
        delta, confidence = self.delta or 0.0, 1 - (1 - self.confidence) / self.n_simultaneous
        decides = abs(delta) > (self.margin or 0.0)
        decides = decides and all_of_one_sign(self.changed_effective, confidence)
        return (1 if delta > 0 else -1) if decides else 0

    @property
    def within_margin(self) -> bool:
        """Whether the ends that decide lie within the margin."""
        low, high = self.deciding
        if self.margin is None or low is None or high is None:
            return False
        return -self.margin < low and high < self.margin

    @property
    def numbers(self) -> str:
        """The difference with its interval, such as ``+0.021 (95 % interval +0.012 to +0.030)``."""
        if self.ci_low is None:
            return self.shown
        return say("{delta} ({interval})", delta=self.shown, interval=self.interval)

    @property
    def interval(self) -> str:
        """The interval, if there is one, such as ``95 % interval +0.012 to +0.030``."""
        low, high = map(self.printed, (self.ci_low, self.ci_high))
        fields = {"confidence": percent(self.confidence), "low": low, "high": high}
        if self.n_simultaneous == 1:
            return say("{confidence} interval {low} to {high}", **fields)
        return say(
            "{confidence} interval {low} to {high}, simultaneous for {n} differences",
            n=self.n_simultaneous,
            **fields,
        )

    @property
    def shown(self) -> str:
        """The difference alone, such as ``+0.021``."""
        return self.printed(self.delta)

    def printed(self, value: float | None) -> str:
        """Return a difference with a sign and the decimals of this one."""
        return number(value, self.digits, signed=True)

    @property
    def digits(self) -> int:
        """Enough decimals to print the ends on their side of 0 and of the margin, and no more.

        Those that vary from one seed to another are left out.
        """
        limits = (0.0,) if self.margin is None else (-self.margin, 0.0, self.margin)
        digits = min(
            decimals(self.delta, self.ci_low, self.ci_high), reliable_decimals(self.end_error)
        )
        return decimals_beside(limits, (self.ci_low, self.ci_high), digits)


UNKNOWN = "(not known)"
"""The segment of queries without a value."""


def segment_title(segment: str) -> str:
    """Return the display name of a segment.

    >>> segment_title("brand"), segment_title(UNKNOWN)
    ('brand', '(not known)')
    """
    return say("(not known)") if segment == UNKNOWN else segment


class SegmentDifference(NamedTuple):
    """The difference of a pair in a segment where it is established as differing from 0."""

    column: str
    segment: str
    n_queries: int
    delta: float
    low: float
    high: float

    @property
    def digits(self) -> int:
        """How many decimals the difference and its interval are printed with."""
        return decimals(self.delta, self.low, self.high)
