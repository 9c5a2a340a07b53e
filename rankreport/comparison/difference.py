"""The numbers of a difference between two systems, and the verdict that its interval gives.

The verdict depends on the interval alone, never on a p-value. If all differences are equal and the
measure is unbounded, there is no interval, and their sign decides. With fewer than `MIN_CHANGED`
changed queries, a system is never better or worse, because no kind of interval keeps its level
there (see docs/coverage.md). A margin, set before seeing the data, adds two verdicts: no worse, if
the interval excludes losses as large as the margin, and equivalent, if it also excludes such gains.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from rankreport.comparison.pairs import Pair
from rankreport.comparison.query_metadata import QueryMetadata
from rankreport.comparison.unseen_failures import Unseen
from rankreport.statistics import MIN_CHANGED
from rankreport.text import (
    counted,
    decimals,
    decimals_beside,
    number,
    percent,
    reliable_decimals,
    say,
    separated,
)

Word = Literal[
    "better", "worse", "check first", "no worse", "equivalent", "inconclusive", "unchanged"
]
"""The verdicts: the answers to "is the system better?"."""

FEW_CHANGED = 20
"""With fewer changed queries, intervals may be too narrow, and there is a caution."""

MUCH_OF_ONE = 0.5
"""There is a caution if one query makes up this share of a difference or more."""

MUCH_OF_FIVE = 1.0
"""The same for five queries, which nearly always make up more than half if a few dozen changed."""

WORDS: Mapping[str, str] = MappingProxyType(
    {
        "better": "Better",
        "better on these queries": "Better on these queries",
        "worse": "Worse",
        "worse on these queries": "Worse on these queries",
        "check first": "Check first",
        "no worse": "No worse",
        "equivalent": "Equivalent",
        "inconclusive": "Inconclusive",
        "unchanged": "Unchanged",
        "ties": "Open until ties are broken",
    }
)
"""The texts of badges, by verdict. Rare failures could undo one that holds on these queries."""


def badge_words(word: Word, *, seen_only: bool) -> str:
    """Return a verdict as a badge says it.

    >>> badge_words("better", seen_only=False), badge_words("better", seen_only=True)
    ('Better', 'Better on these queries')
    """
    return say(WORDS[f"{word} on these queries" if seen_only else word])


def n_changed_in_words(n_changed: int, effective: float) -> str:
    """Return how many queries changed, with their effective number where that differs.

    >>> n_changed_in_words(30, 30), n_changed_in_words(30, 4.5)
    ('30', '30 (effective: 4.5)')
    """
    return _with_effective(f"{n_changed:,}", n_changed, effective)


def _with_effective(words: str, n_changed: int, effective: float) -> str:
    """Return words on a number of queries with the effective number of those that changed."""
    if effective == n_changed:
        return words
    return say("{changed} (effective: {worth})", changed=words, worth=f"{effective:.1f}")


def all_of_one_sign(n_changed: Any, confidence: float) -> Any:
    """Return whether equal differences of this number exceed chance, by the exact sign test.

    The number may also be an expression of Polars.

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
    """The lower end that allows for rare failures; None where the interval's own decides."""
    deciding_high: float | None = None
    """The upper end that allows for them."""
    unseen: Unseen | None = None
    """The rare failures that the queries do not exclude, where these could undo the verdict."""
    at_depth: Difference | None = None
    """The same at equal depth; None where the measure sees nothing below the shorter lists."""
    lengths: tuple[int, int] | None = None
    """The depths of the baseline's and the system's lists, where they differ."""
    end_error: float | None = None
    """The standard error of the interval's ends between seeds; None or 0 if nothing is drawn."""
    asked: str = ""
    """The name by which the measure was requested, such as a tool's; empty if it is `measure`."""
    goal: int = 1
    """1 where higher values are better, -1 where lower ones are, 0 where neither are."""

    @classmethod
    def of(cls, figures: Mapping[str, Any], confidence: float, **more: Any) -> Difference:
        """Return the difference of a row of figures; columns that are no fields are left out."""
        names = {each.name for each in fields(cls)}
        known = {name: value for name, value in figures.items() if name in names}
        return cls(**{"detectable": None, **known, **more, "confidence": confidence})

    def __repr__(self) -> str:
        """Return the difference in words."""
        return f"<{self.pair}, {self.measure_shown}: {self.numbers}>"

    @property
    def pair(self) -> Pair:
        """The system and its baseline."""
        return Pair(self.baseline, self.system)

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
    def are_equal(self) -> bool:
        """Whether all differences are equal and not 0: their spread says nothing of the mean."""
        return self.n_changed > 0 and self.detectable is None

    @property
    def is_turned_by_depth(self) -> bool:
        """Whether the verdict is another one at equal depth."""
        return self.at_depth is not None and self.at_depth.both_ways != self.both_ways

    @property
    def has_few_queries(self) -> bool:
        """Whether there are few queries, of which all or nearly all changed."""
        unchanged = self.n_queries - self.n_changed
        return self.may_be_too_narrow and unchanged <= max(1, self.n_queries // 10)

    @property
    def least_queries(self) -> int | None:
        """At how many queries enough would change, at this rate; None if enough or none do."""
        if not self.has_few_changed or not self.changed_effective:
            return None
        return math.ceil(self.n_queries * MIN_CHANGED / self.changed_effective)

    @property
    def word(self) -> Word:
        """The verdict in a word: "check first" if judged documents alone say otherwise."""
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

    @cached_property
    def by_interval(self) -> Word:
        """The verdict in a word, from the interval alone."""
        if self.is_unchanged:
            return "equivalent" if self.within_margin else "unchanged"
        gain = self._sign * self.goal
        if gain:
            return "better" if gain > 0 else "worse"
        if self.within_margin:
            return "equivalent"
        low, high = self.deciding
        if self.margin is None or low is None or high is None or not self.goal:
            return "inconclusive"
        least = low if self.goal > 0 else -high
        return "no worse" if least > -self.margin else "inconclusive"

    @cached_property
    def both_ways(self) -> tuple[Word, Word]:
        """The verdict from the interval alone, and that on the baseline against the system."""
        return self.by_interval, replace(self, goal=-self.goal).by_interval

    @property
    def deciding(self) -> tuple[float | None, float | None]:
        """The ends that decide on no worse and equivalent: they allow for rare failures, if known.

        Better and worse go by the interval itself.
        """
        if self.deciding_low is None or self.deciding_high is None:
            return self.ci_low, self.ci_high
        return self.deciding_low, self.deciding_high

    @property
    def seen_only(self) -> bool:
        """Whether better or worse holds on these queries, but rare failures could undo it."""
        low, high = self.deciding_low, self.deciding_high
        return bool(self.direction) and low is not None and high is not None and low <= 0 <= high

    def qualified(self, word: Word) -> str:
        """Return better or worse with how it holds: on these queries, or by little."""
        if word not in {"better", "worse"}:
            return word
        if self.seen_only:
            return f"{word} on these queries"
        return f"{word} by little" if self.within_margin else word

    @property
    def _sign(self) -> int:
        """On which side of 0 the interval lies (1 or -1): neither (0) if few queries changed.

        Without an interval, equal differences decide if they exceed the margin, and chance.
        """
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
    def brief(self) -> str:
        """The same in short, such as ``+0.021 (+0.012 to +0.030)``."""
        if self.ci_low is None:
            return self.shown
        low, high = map(self.printed, (self.ci_low, self.ci_high))
        return say("{delta} ({low} to {high})", delta=self.shown, low=low, high=high)

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
        """How many decimals are printed: enough to show on which side of 0 and the margin ends lie.

        Decimals that vary from one seed to another are left out.
        """
        limits = (0.0,) if self.margin is None else (-self.margin, 0.0, self.margin)
        digits = min(
            decimals(self.delta, self.ci_low, self.ci_high), reliable_decimals(self.end_error)
        )
        return decimals_beside(limits, (self.ci_low, self.ci_high), digits)

    @property
    def may_be_too_narrow(self) -> bool:
        """Whether so few queries changed that the interval may be too narrow."""
        return self.changed_effective < FEW_CHANGED

    @property
    def queries_in_words(self) -> str:
        """How many queries there are, with their effective number where nearly all changed."""
        queries = counted(self.n_queries, "query", "queries")
        return _with_effective(queries, self.n_changed, self.changed_effective)

    @property
    def few_in_words(self) -> str:
        """That few queries changed, or that there are few where nearly all did.

        >>> from dataclasses import replace
        >>> found = Difference("new", "old", "RR", 14, 14, 0.01, -0.01, 0.03, 0.95, None)
        >>> found.few_in_words, replace(found, n_queries=60).few_in_words
        ('only 14 queries in all', 'only 14 queries changed')
        """
        if self.has_few_queries:
            return say("only {queries} in all", queries=self.queries_in_words)
        queries = counted(self.n_changed, "query", "queries")
        queries = _with_effective(queries, self.n_changed, self.changed_effective)
        return say("only {queries} changed", queries=queries)

    @property
    def numbers_and_few(self) -> str:
        """The numbers, and that few queries changed where that leaves no verdict."""
        if not (self.has_few_changed and self.n_changed):
            return self.numbers
        return say("{numbers}; {few}", numbers=self.numbers, few=self.few_in_words)

    @property
    def power_in_words(self) -> str:
        """What these queries can detect, in a sentence; empty if that is not known."""
        least = self.detectable
        if least is None:
            return ""
        queries = counted(self.n_queries, "query", "queries")
        if self.widest is not None and least >= self.widest:
            return say(
                "With {queries}, even the largest possible difference in {measure} would often be "
                "missed.",
                queries=queries,
                measure=self.measure_shown,
            )
        fields = {"queries": queries, "least": number(least, decimals(least))}
        if self.allows_much_for_rare:
            return say("{queries} are few: they may not show rare failures.", **fields)
        return say(
            "A true difference under {least} would often be missed with {queries}.", **fields
        )

    @property
    def allows_much_for_rare(self) -> bool:
        """Whether rare failures make what the queries can detect much larger.

        Without them, that is about 1.4 times half the width of the interval; here it is more than
        the width.
        """
        if self.detectable is None or self.ci_low is None or self.ci_high is None:
            return False
        return self.detectable > self.ci_high - self.ci_low

    def headline(self, word: Word) -> str:
        """Return a verdict in a sentence without figures and without a full stop."""
        return say(
            HEADLINES[self.qualified(word)],
            system=self.system,
            baseline=self.baseline,
            measure=self.measure_shown,
        )

    @property
    def unjudged_standing(self) -> str:
        """What is known of a difference that depends on unjudged documents."""
        judged = 0 if self.on_judged is None else self.on_judged.direction
        if not self.direction and not judged:
            return say("Depends on unjudged documents")
        overall = {1: say("Better"), -1: say("Worse"), 0: say("Unclear")}
        alone = {1: say("better"), -1: say("worse"), 0: say("unclear")}[judged]
        if self.on_judged is not None and self.on_judged.is_unchanged:
            alone = say("unchanged")
        return say(
            "{overall} overall, {alone} on judged documents",
            overall=overall[self.direction],
            alone=alone,
        )

    @property
    def on_judged_in_words(self) -> str:
        """The difference on judged documents alone, or an empty text."""
        if self.on_judged is None or self.lowest == self.highest == 0:
            return ""
        return say("judged only: {found}", found=self.on_judged.brief)

    @property
    def at_depth_in_words(self) -> str:
        """The difference at equal depth, or an empty text."""
        if self.at_depth is None or self.lengths is None:
            return ""
        k = f"{min(self.lengths):,}"
        return say("first {k} of both: {found}", k=k, found=self.at_depth.brief)

    @property
    def depth_remedy(self) -> str:
        """What to do about lists of unequal length, if they are."""
        if not self.at_depth_in_words or self.lengths is None:
            return ""
        lengths = zip((self.baseline, self.system), self.lengths, strict=True)
        (shorter, _), (_, n) = sorted(lengths, key=lambda each: each[1])
        return say(
            "Return {n} documents with {shorter}, then compare again.", n=f"{n:,}", shorter=shorter
        )

    @property
    def concentrated(self) -> str:
        """How much of a difference one query, or five, make up, if its interval excludes 0.

        If fewer than `FEW_CHANGED` queries changed, five are not counted.

        Examples
        --------
        >>> from dataclasses import replace
        >>> found = Difference("new", "old", "RR", 50, 30, 0.01, 0.001, 0.03, 0.95, None)
        >>> replace(found, first_share=0.61, top_share=0.9).concentrated
        'one query accounts for 61 % of the difference'
        >>> replace(found, first_share=0.41, top_share=1.1).concentrated
        'five queries account for more than the whole difference'
        """
        if self.ci_low is None or self.ci_high is None or self.ci_low <= 0 <= self.ci_high:
            return ""
        if self.first_share is not None and self.first_share >= MUCH_OF_ONE:
            return say("one query accounts for {part}", part=_part_in_words(self.first_share))
        if self.top_share is None or self.top_share < MUCH_OF_FIVE or self.may_be_too_narrow:
            return ""
        return say("five queries account for {part}", part=_part_in_words(self.top_share))

    @property
    def caution(self) -> str:
        """The caution on the difference, or an empty text.

        Examples
        --------
        >>> Difference("new", "old", "RR", 50, 4, 0.01, -0.01, 0.03, 0.95, None).caution
        '4 of 50 changed: too few for a verdict'
        """
        seen = badge_words(self.by_interval, seen_only=True).lower() if self.seen_only else ""
        return self.caution_with(seen)

    def caution_with(self, qualification: str) -> str:
        """Return the caution with words on what an interval that excludes 0 does not establish."""
        if self.n_queries == 0:
            return say("no query has a value for both systems")
        if self.n_changed == 0:
            return say("no query changed")
        of = {
            "changed": n_changed_in_words(self.n_changed, self.changed_effective),
            "queries": self.n_queries,
        }
        part = say("{changed} of {queries} changed", **of)
        if self.has_few_queries:
            part = self.queries_in_words
        if self.has_few_changed:
            if self.margin is None:
                return say("{part}: too few for a verdict", part=part)
            return say("{part}: too few for better or worse", part=part)
        if self.ci_low is None:
            return say("all differences are equal: no interval")
        parts = [qualification, self.concentrated, self.on_judged_in_words, self.at_depth_in_words]
        if self.may_be_too_narrow:
            parts.insert(0, say("{part}: interval may be too narrow", part=part))
        return separated("; ", filter(None, parts))


def _part_in_words(share: float) -> str:
    if share > 1:
        return say("more than the whole difference")
    return say("{share} of the difference", share=percent(share, whole=True))


HEADLINES: Mapping[str, str] = {
    "better": "{system} is better than {baseline} on {measure}",
    "better on these queries": "{system} is better than {baseline} on {measure}, on these queries",
    "better by little": "{system} is better than {baseline} on {measure}, by less than the margin",
    "worse": "{system} is worse than {baseline} on {measure}",
    "worse on these queries": "{system} is worse than {baseline} on {measure}, on these queries",
    "worse by little": "{system} is worse than {baseline} on {measure}, by less than the margin",
    "check first": "Not settled: {system} against {baseline} depends on unjudged documents",
    "no worse": "{system} is no worse than {baseline} on {measure}, within the margin",
    "equivalent": "{system} and {baseline} are equivalent on {measure}, within the margin",
    "unchanged": "{system} and {baseline} are equal on {measure}",
    "inconclusive": (
        "The data cannot tell whether {system} is better or worse than {baseline} on {measure}"
    ),
}
"""The verdicts in sentences without figures, by `Difference.qualified`."""


class SegmentDifference(NamedTuple):
    """The difference of a pair in a segment where it is established as differing from 0."""

    column: str
    segment: str
    n_queries: int
    delta: float
    low: float
    high: float

    @property
    def place(self) -> str:
        """In which segment a system is worse, or better."""
        return say(
            "{verdict} where {column} is {segment}",
            verdict=say("worse") if self.delta < 0 else say("better"),
            column=self.column,
            segment=QueryMetadata.title(self.segment),
        )

    def figures(self, whole: str) -> str:
        """Return the difference with its interval, next to that over all queries."""
        ends = {"delta": self.delta, "low": self.low, "high": self.high}
        return say(
            "{delta} ({low} to {high}), {queries}; over all {whole}",
            **{name: number(end, self.digits, signed=True) for name, end in ends.items()},
            queries=counted(self.n_queries, "query", "queries"),
            whole=whole,
        )

    @property
    def digits(self) -> int:
        """How many decimals the difference and its interval are printed with."""
        return decimals(self.delta, self.low, self.high)
