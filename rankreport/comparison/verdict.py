"""Verdicts: the numbers of a difference (`Difference`) and their interpretation (`Verdict`).

The verdict depends only on the interval, never on a p-value; or, where all differences are equal
and the measure has no bound, so that there is no interval, on their sign. With fewer than
`MIN_CHANGED` changed queries it is never better or worse, because no kind of interval keeps its
level there (see docs/coverage.md). A margin, set before seeing the data, adds two verdicts: no
worse, if the interval excludes losses as large as the margin, and equivalent, if it also excludes
such gains.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from rankreport.statistics import MIN_CHANGED
from rankreport.tables import Block, Readable, Sentences
from rankreport.text import (
    Caution,
    beside_check,
    check_first,
    counted,
    decimals,
    decimals_beside,
    number,
    paragraph,
    percent,
    reliable_decimals,
    say,
    signed,
    strung,
)

Word = Literal[
    "better", "worse", "check first", "no worse", "equivalent", "inconclusive", "unchanged"
]
"""The answers to "is it better?"."""


def n_changed_in_words(n_changed: int, effective: float) -> str:
    """Return how many queries changed, with their effective number where that differs.

    >>> n_changed_in_words(30, 30), n_changed_in_words(30, 4.5)
    ('30', '30 (effective: 4.5)')
    """
    if effective == n_changed:
        return f"{n_changed}"
    return say("{changed} (effective: {worth})", changed=n_changed, worth=f"{effective:.1f}")


def changed_queries(n_changed: int, effective: float) -> str:
    """Return how many queries changed, as a phrase with a noun.

    >>> changed_queries(30, 30), changed_queries(30, 4.5)
    ('30 queries', '30 queries (equivalent to 4.5 independent ones)')
    """
    queries = counted(n_changed, "query", "queries")
    if effective == n_changed:
        return queries
    return say(
        "{queries} (equivalent to {worth} independent ones)",
        queries=queries,
        worth=f"{effective:.1f}",
    )


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
        if self.n_changed == 0 and self.n_queries > 0:
            return "unchanged" if self.margin is None else "equivalent"
        if self._sign:
            return "better" if self._sign > 0 else "worse"
        if self.within_margin:
            return "equivalent"
        if self.margin is None or self.ci_low is None or self.ci_low <= -self.margin:
            return "inconclusive"
        return "no worse"

    @property
    def _sign(self) -> int:
        """The side of 0 of an interval of enough queries, or of equal differences without one."""
        if self.changed_effective < MIN_CHANGED:
            return 0
        if self.ci_low is not None and self.ci_high is not None:
            return (self.ci_low > 0) - (self.ci_high < 0)
        delta, confidence = self.delta or 0.0, 1 - (1 - self.confidence) / self.n_simultaneous
        decides = abs(delta) > (self.margin or 0.0)
        decides = decides and all_of_one_sign(self.changed_effective, confidence)
        return (1 if delta > 0 else -1) if decides else 0

    @property
    def within_margin(self) -> bool:
        """Whether the interval lies within the margin."""
        if self.margin is None or self.ci_low is None or self.ci_high is None:
            return False
        return -self.margin < self.ci_low and self.ci_high < self.margin

    @property
    def numbers(self) -> str:
        """The difference with its interval, such as ``+0.021 (95 % interval +0.012 to +0.030)``."""
        digits = self.digits
        shown = number(self.delta, digits, signed=True)
        if self.ci_low is None:
            return shown
        low, high = (number(end, digits, signed=True) for end in (self.ci_low, self.ci_high))
        fields = {
            "delta": shown,
            "confidence": percent(self.confidence),
            "low": low,
            "high": high,
        }
        if self.n_simultaneous == 1:
            return say("{delta} ({confidence} interval {low} to {high})", **fields)
        return say(
            "{delta} ({confidence} interval {low} to {high}, simultaneous for {n} differences)",
            n=self.n_simultaneous,
            **fields,
        )

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


MANY = 1_000_000
"""Larger numbers of queries are not printed exactly."""

FEW_CHANGED = 20
"""Below this many changed queries, intervals may be too narrow, and there is a caution."""

MUCH = 0.5
"""The share of a difference made by one query from which there is a caution."""

ALL = 1.0
"""The same for five queries, which nearly always make more than half of a few dozen."""

WORDS: Mapping[Word, str] = MappingProxyType(
    {
        "better": "Better",
        "worse": "Worse",
        "check first": "Check first",
        "no worse": "No worse",
        "equivalent": "Equivalent",
        "inconclusive": "Inconclusive",
        "unchanged": "Unchanged",
    }
)
"""The text of the badges."""


@dataclass(frozen=True, repr=False)
class Verdict(Readable):
    """The answer to "is it better?".

    Attributes
    ----------
    word
        The answer.
    sentence
        The answer with its numbers.
    detail
        Why the answer is not clearer, and what that would take; may be empty.
    action
        What to do, in a sentence.
    others
        The verdicts on other systems, and which cannot be distinguished from the best; empty for a
        single pair.
    cautions
        What to know before acting on it, the worst first.
    """

    word: Word
    sentence: str
    detail: str = ""
    action: str = ""
    others: str = ""
    cautions: tuple[Caution, ...] = ()

    @property
    def check(self) -> str:
        """What to check before using the answer, in a text; may be empty."""
        return check_first(self.cautions)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The cautions after their severity, without those in `check`."""
        return beside_check(self.cautions)

    @property
    def answer(self) -> list[Sentences]:
        """The answer, what to do, and the answers on other systems."""
        word = say(WORDS[self.word])
        # Only these words stand in no sentence.
        bold, badge = (f"{word}:", "") if self.word == "check first" else ("", f"{word}.")
        return [
            Sentences((paragraph(self.sentence, self.detail),), bold, badge),
            *(Sentences([text]) for text in (self.action, self.others) if text),
        ]

    @property
    def sentences(self) -> list[Sentences]:
        """What to check first, the answer, and the other cautions."""
        first, last = Sentences(bold=self.check), Sentences(self.warnings, listed=True)
        return [first, *self.answer, last]

    def _content(self) -> Iterable[Block]:
        return self.sentences


def judge_difference(found: Difference) -> Verdict:
    """Return the verdict on a difference.

    Examples
    --------
    >>> found = Difference("dense", "bm25", "nDCG@10", 200, 120, 0.0213, 0.0121, 0.0305, 0.95, 0.01)
    >>> print(judge_difference(found))
    dense is better than bm25 on nDCG@10: +0.021 (95 % interval +0.012 to +0.030), 200 queries.
    """
    verdict = _by_interval(found)
    if found.word == "check first":
        sentence = paragraph(verdict.sentence, _on_judged(found))
        return Verdict(found.word, sentence, verdict.detail)
    return verdict


def _on_judged(found: Difference) -> str:
    """Return the verdict on judged documents alone, in a sentence."""
    other = found.on_judged
    if other is None:
        return ""
    if other.by_interval in {"no worse", "equivalent"}:
        return say(
            "But on judged documents alone it is {verdict} within the margin of {margin}: "
            "{numbers}.",
            verdict=say(other.by_interval),
            margin=_margin(found),
            numbers=other.numbers,
        )
    return say(
        "But on judged documents alone it is {verdict}: {numbers}.",
        verdict=say(other.by_interval),
        numbers=other.numbers,
    )


def bounds_in_words(found: Difference) -> tuple[str, str]:
    """Return the lowest and the highest possible difference as text."""
    digits = decimals(found.lowest, found.highest)
    low, high = (number(end, digits, signed=True) for end in (found.lowest, found.highest))
    return low, high


def _by_interval(found: Difference) -> Verdict:
    """Return the verdict that follows from the interval."""
    fields = {
        "system": found.system,
        "baseline": found.baseline,
        "measure": found.measure_shown,
        "margin": _margin(found),
        "found": _whole(found),
    }
    word = found.by_interval
    match word:
        case "better" | "worse":
            sentence = _better_or_worse(found, fields)
            return Verdict(word, sentence, _all_equal() if found.ci_low is None else "")
        case "no worse":
            sentence = say(
                "{system} is no worse than {baseline} on {measure}, within the margin of "
                "{margin}: {found}; superiority is not shown.",
                **fields,
            )
            return Verdict(word, sentence, _few_changed(found))
        case "equivalent":
            sentence = say(
                "{system} and {baseline} are equivalent on {measure}, within the margin of "
                "{margin}: {found}.",
                **fields,
            )
            return Verdict(word, sentence, _few_changed(found))
        case "unchanged":
            sentence = say("{system} and {baseline} are equal on {measure}: {found}.", **fields)
            return Verdict(word, sentence)
        case _:
            sentence = say(
                "The data cannot tell whether {system} is better or worse than {baseline} on "
                "{measure}: {found}.",
                **fields,
            )
            return Verdict(word, sentence, _why_inconclusive(found))


def verdicts_in_words(others: Mapping[str, Difference]) -> str:
    """Return the verdicts on several systems, the established ones first.

    Examples
    --------
    >>> better = Difference("new", "old", "RR", 50, 40, 0.2, 0.1, 0.3, 0.95, None)
    >>> open = Difference("other", "old", "RR", 50, 40, 0.2, -0.1, 0.3, 0.95, None)
    >>> verdicts_in_words({"other": open, "new": better})
    'Better: new (+0.200). Inconclusive: other (+0.200).'
    """
    sentences = []
    for word, title in WORDS.items():
        named = {name: found for name, found in others.items() if found.word == word}
        if named:
            best_first = sorted(named, key=lambda name: -(named[name].delta or 0.0))
            shown = [
                say("{system} ({delta})", system=name, delta=signed(named[name].delta))
                for name in best_first
            ]
            sentences.append(
                say("{verdict}: {systems}.", verdict=say(title), systems=first_of(shown))
            )
    return paragraph(*sentences)


def first_of(names: Sequence[str]) -> str:
    """Return the first names of a list, and how many more there are."""
    if len(names) <= _MOST_NAMED:
        return strung(names)
    more = say("and {n} more", n=f"{len(names) - _MOST_NAMED:,}")
    return strung([*names[:_MOST_NAMED], more])


_MOST_NAMED = 12
"""The most systems named in a sentence."""


def caution(found: Difference) -> str:
    """Return the caution on a difference, or an empty text.

    Examples
    --------
    >>> caution(Difference("new", "old", "RR", 50, 4, 0.01, -0.01, 0.03, 0.95, None))
    '4 of 50 changed: too few for a verdict'
    """
    if found.n_queries == 0:
        return say("no query has a value for both systems")
    if found.n_changed == 0:
        return say("no query changed")
    of = {
        "changed": n_changed_in_words(found.n_changed, found.changed_effective),
        "queries": found.n_queries,
    }
    if found.changed_effective < MIN_CHANGED:
        if found.margin is None:
            return say("{changed} of {queries} changed: too few for a verdict", **of)
        return say("{changed} of {queries} changed: too few for better or worse", **of)
    if found.ci_low is None:
        return say("all differences are equal: no interval")
    parts = [concentrated(found), on_judged_in_words(found)]
    if found.changed_effective < FEW_CHANGED:
        parts.insert(0, say("{changed} of {queries} changed: interval may be too narrow", **of))
    return say("; ").join(filter(None, parts))


def on_judged_in_words(found: Difference) -> str:
    """Return the difference on judged documents alone, or an empty text."""
    if found.on_judged is None or found.lowest == found.highest == 0:
        return ""
    other = found.on_judged
    ends = (number(end, other.digits, signed=True) for end in (other.ci_low, other.ci_high))
    fields = dict(zip(("low", "high"), ends, strict=True))
    delta = number(other.delta, other.digits, signed=True)
    return say("judged only: {delta} ({low} to {high})", delta=delta, **fields)


def concentrated(found: Difference) -> str:
    """Return how much of a difference a few queries make up, if its interval excludes 0.

    Five queries are not counted with fewer than `FEW_CHANGED` changed ones.

    Examples
    --------
    >>> found = Difference("new", "old", "RR", 50, 30, 0.01, 0.001, 0.03, 0.95, None)
    >>> from dataclasses import replace
    >>> concentrated(replace(found, first_share=0.61, top_share=0.9))
    'one query accounts for 61 % of the difference'
    >>> concentrated(replace(found, first_share=0.41, top_share=1.1))
    'five queries account for more than the whole difference'
    """
    if found.ci_low is None or found.ci_high is None or found.ci_low <= 0 <= found.ci_high:
        return ""
    if found.first_share is not None and found.first_share >= MUCH:
        if found.first_share > 1:
            return say("one query accounts for more than the whole difference")
        share = percent(found.first_share, whole=True)
        return say("one query accounts for {share} of the difference", share=share)
    enough = found.changed_effective >= FEW_CHANGED
    if enough and found.top_share is not None and found.top_share >= ALL:
        if found.top_share > 1:
            return say("five queries account for more than the whole difference")
        share = percent(found.top_share, whole=True)
        return say("five queries account for {share} of the difference", share=share)
    return ""


def _whole(found: Difference) -> str:
    """Return the difference and the number of queries, in words."""
    if found.n_queries == 0:
        return say("no query has a value for both systems")
    queries = counted(found.n_queries, "query", "queries")
    if found.n_changed == 0:
        if found.n_queries == 1:
            return say("the only query did not change")
        return say("none of the {queries} changed", queries=queries)
    return say("{difference}, {queries}", difference=found.numbers, queries=queries)


def _better_or_worse(found: Difference, fields: Mapping[str, str]) -> str:
    if found.within_margin:
        if found.by_interval == "better":
            return say(
                "{system} is better than {baseline} on {measure}, but by less than the margin of "
                "{margin}: {found}.",
                **fields,
            )
        return say(
            "{system} is worse than {baseline} on {measure}, but by less than the margin of "
            "{margin}: {found}.",
            **fields,
        )
    if found.by_interval == "better":
        return say("{system} is better than {baseline} on {measure}: {found}.", **fields)
    return say("{system} is worse than {baseline} on {measure}: {found}.", **fields)


def _margin(found: Difference) -> str:
    """Format the margin unrounded, so that an end lies visibly on its side of it."""
    margin = found.margin or 0.0
    given = f"{margin:.10f}".rstrip("0").partition(".")[2]
    return number(margin, max(3, len(given)))


def _few_changed(found: Difference) -> str:
    """Return a warning if few queries changed."""
    if found.n_changed == 0 or found.changed_effective >= FEW_CHANGED:
        return ""
    queries = changed_queries(found.n_changed, found.changed_effective)
    if found.changed_effective < MIN_CHANGED:
        return say(
            "Only {queries} changed: too few for better or worse, and the interval may be too "
            "narrow.",
            queries=queries,
        )
    return say("Only {queries} changed: the interval may be too narrow.", queries=queries)


def _why_inconclusive(found: Difference) -> str:
    """Return why the verdict is inconclusive, and how many queries a verdict needs."""
    if found.n_queries == 0:
        return ""  # the sentence says so
    if found.changed_effective < MIN_CHANGED:
        return _too_few_changed(found)
    if found.ci_low is None or found.detectable is None:
        return _all_equal()
    return paragraph(power_in_words(found), _for_the_margin(found))


def _all_equal() -> str:
    return say("All differences are equal, so no interval can be computed.")


def without_power(detail: str, found: Difference) -> str:
    """Return the detail of a verdict without what its queries can detect."""
    power = power_in_words(found)
    return detail.replace(power, "").strip() if power else detail


def _too_few_changed(found: Difference) -> str:
    if not found.changed_effective:
        return say("The changes cancel out within every cluster, so no interval can be computed.")
    fields = {
        "changed": changed_queries(found.n_changed, found.changed_effective),
        "enough": MIN_CHANGED,
    }
    if found.margin is None:  # without one, how many queries to add is not for us to say
        return say("Only {changed} changed; a verdict needs {enough} or more.", **fields)
    least = math.ceil(found.n_queries * MIN_CHANGED / found.changed_effective)
    return say(
        "Only {changed} changed; better or worse needs {enough} or more, at this rate {least} "
        "queries.",
        least=f"{least:,}",
        **fields,
    )


def power_in_words(found: Difference) -> str:
    """Return what these queries can detect, if that is known."""
    least = found.detectable
    if least is None:
        return ""
    queries = counted(found.n_queries, "query", "queries")
    if found.widest is not None and least >= found.widest:
        return say(
            "{queries} are too few to detect even the largest possible difference in {measure} "
            "4 times in 5.",
            queries=queries,
            measure=found.measure_shown,
        )
    return say(
        "{queries} can detect a difference of {least} or more 4 times in 5.",
        queries=queries,
        least=number(least, decimals(least)),
    )


def _for_the_margin(found: Difference) -> str:
    """Return how many queries show that an equal system is no worse, if more than these."""
    if found.margin_needed is None or found.margin_needed <= found.n_queries:
        return ""
    return say(
        "Showing that a system as good as {baseline} is no worse, within the margin of {margin}, "
        "takes {needed} queries.",
        baseline=found.baseline,
        margin=_margin(found),
        needed=_many(found.margin_needed),
    )


def _many(needed: float) -> str:
    return say("more than {n}", n=f"{MANY:,}") if needed > MANY else f"{needed:,.0f}"
