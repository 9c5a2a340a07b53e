"""What a difference means, in words.

The verdict comes from the interval alone, never from a p-value and the interval both. With fewer
than `MIN_CHANGED` changed queries it is never better or worse: no interval measured keeps its
promise there (docs of `compare`). A margin, named before the data were seen, adds two answers:
no worse, where the interval leaves out every loss as large as the margin, and equivalent, where it
leaves out every such gain too.
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
    "concentrated",
    "decimals",
    "judge_difference",
]

MANY = 1_000_000
"""More queries than these are not worth a number."""

MIN_CHANGED = 10
"""Below this many changed queries, the verdict is never better or worse."""

FEW_CHANGED = 20
"""Below this many, intervals are narrower than they should be, and a caution says so."""

MUCH = 0.5
"""The share of a difference that one query may make before a caution says so."""

ALL = 1.0
"""The same of five: on a few dozen queries, they make more than half nearly always."""

MOST_DECIMALS = 6
"""More decimals than these are not worth a reader's time."""

Word = Literal["better", "worse", "no worse", "equivalent", "inconclusive", "unchanged"]


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
    margin: float | None = None
    """The difference, above 0, up to which two systems count as alike; None where none is named."""
    margin_needed: float | None = None
    """How many queries could tell a difference as large as the margin from 0 with 80 % power."""
    first_share: float | None = None
    """The share of the net difference made by the query that changed most in its direction."""
    top_share: float | None = None
    """The same of the five queries that did; above 1 where the others lead the other way."""

    @property
    def word(self) -> Word:
        """The verdict in a word."""
        if self.n_changed == 0 and self.n_queries > 0:
            return "unchanged" if self.margin is None else "equivalent"
        if self.ci_low is None or self.ci_high is None:
            return "inconclusive"
        if self.n_changed >= MIN_CHANGED and self.ci_low > 0:
            return "better"
        if self.n_changed >= MIN_CHANGED and self.ci_high < 0:
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
        return f"{shown} ({percent(self.confidence)} interval {low} to {high})"

    @property
    def _digits(self) -> int:
        """Decimals that print no end of the interval on a side of the margin where it is not."""
        digits = decimals(self.delta, self.ci_low, self.ci_high)
        ends = [end for end in (self.ci_low, self.ci_high) if end is not None]
        limits = [] if self.margin is None else [-self.margin, self.margin]
        while digits < MOST_DECIMALS and any(
            (round(end, digits) < limit, round(end, digits) > limit) != (end < limit, end > limit)
            for end in ends
            for limit in limits
        ):
            digits += 1
        return digits


@dataclass(frozen=True)
class Verdict:
    """The answer to "is it better?".

    Attributes
    ----------
    word
        The answer.
    sentence
        The answer with its numbers, as a report opens with it.
    detail
        Why there is no better answer, and what it would take; empty where nothing is to be added.
    """

    word: Word
    sentence: str
    detail: str = ""

    def __str__(self) -> str:
        """Return the sentence and the detail."""
        return " ".join(filter(None, [self.sentence, self.detail]))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter picks from what it is given
        word, told = self.word.capitalize(), [visible(self.sentence), visible(self.detail)]
        # A name may hold what JupyterLab would set as mathematics.
        html = f'<p class="mathjax_ignore"><b>{word}.</b> {escape(told[0])}</p>'
        if self.detail:
            html += f'\n<p class="mathjax_ignore">{escape(told[1])}</p>'
        return {"text/plain": " ".join(filter(None, told)), "text/html": html}


def judge_difference(found: Difference) -> Verdict:
    """Return the verdict on a difference.

    Examples
    --------
    >>> found = Difference("dense", "bm25", "nDCG@10", 200, 120, 0.0213, 0.0121, 0.0305, 0.95, 0.01)
    >>> print(judge_difference(found))
    dense is better than bm25 on nDCG@10: +0.021 (95 % interval +0.012 to +0.030), 200 queries.
    """
    whole = f"{found.numbers}, {counted(found.n_queries, 'query', 'queries')}"
    if found.n_changed == 0 and found.n_queries > 0:
        whole = f"none of the {counted(found.n_queries, 'query', 'queries')} changed"
    match found.word:
        case "better" | "worse":
            less = f", but by less than {_the_margin(found)}" if found.within_margin else ""
            pair = f"{found.system} is {found.word} than {found.baseline}"
            return Verdict(found.word, f"{pair} on {found.measure}{less}: {whole}.")
        case "no worse":
            sentence = (
                f"{found.system} is no worse than {found.baseline} on {found.measure}, within "
                f"{_the_margin(found)}: {whole}; superiority is not shown."
            )
            return Verdict(found.word, sentence, _few_changed(found))
        case "equivalent":
            sentence = (
                f"{found.system} and {found.baseline} are equivalent on {found.measure}, within "
                f"{_the_margin(found)}: {whole}."
            )
            return Verdict(found.word, sentence, _few_changed(found))
        case "unchanged":
            pair = f"{found.system} and {found.baseline} are equal on {found.measure}"
            return Verdict(found.word, f"{pair}: {whole}.")
        case _:
            sentence = (
                f"The data cannot tell whether {found.system} is better or worse than "
                f"{found.baseline} on {found.measure}: {whole}."
            )
            return Verdict(found.word, sentence, _why_inconclusive(found))


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
        what = "a verdict" if found.margin is None else "better or worse"
        return f"{of}: too few for {what}"
    if found.ci_low is None:
        return "all differences are the same: no interval"
    narrow = [f"{of}: interval may be too narrow"] if found.n_changed < FEW_CHANGED else []
    return "; ".join([*narrow, *filter(None, [concentrated(found)])])


def concentrated(found: Difference) -> str:
    """Say how much of a difference a few queries make, if it is told from 0 and that is much.

    Five of fewer than `FEW_CHANGED` changed queries always make much of a difference.

    Examples
    --------
    >>> found = Difference("new", "old", "RR", 50, 30, 0.01, 0.001, 0.03, 0.95, None)
    >>> from dataclasses import replace
    >>> concentrated(replace(found, first_share=0.61, top_share=0.9))
    'one query makes 61 % of the difference'
    >>> concentrated(replace(found, first_share=0.41, top_share=1.1))
    'five queries make more than all of the difference'
    """
    if found.ci_low is None or found.ci_high is None or found.ci_low <= 0 <= found.ci_high:
        return ""
    if found.first_share is not None and found.first_share >= MUCH:
        return f"one query makes {_share(found.first_share)} of the difference"
    enough = found.n_changed >= FEW_CHANGED
    if enough and found.top_share is not None and found.top_share >= ALL:
        return f"five queries make {_share(found.top_share)} of the difference"
    return ""


def decimals(*values: float | None) -> int:
    """Return how many decimals show all of them, so that none but 0 is printed as 0.

    >>> decimals(0.25, None, -0.0004)
    4
    """
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    wanted = math.ceil(-math.log10(2 * min(sizes))) if sizes else 0
    return max(3, min(MOST_DECIMALS, wanted))


def _share(share: float) -> str:
    return f"{100 * share:.0f} %" if share <= 1 else "more than all"


def _the_margin(found: Difference) -> str:
    """Name the margin as it was given: rounded, it might seem to be crossed, or to hold."""
    margin = found.margin or 0.0
    given = f"{margin:.10f}".rstrip("0").partition(".")[2]
    return f"the margin of {number(margin, max(3, len(given)))}"


def _few_changed(found: Difference) -> str:
    """Say of a verdict that few changed queries allow what else they don't."""
    if found.n_changed == 0 or found.n_changed >= FEW_CHANGED:
        return ""
    only = f"Only {counted(found.n_changed, 'query', 'queries')} changed"
    too_few = " too few for better or worse, and" if found.n_changed < MIN_CHANGED else ""
    return f"{only}:{too_few} the interval may be too narrow."


def _why_inconclusive(found: Difference) -> str:
    """Say what stands in the way of a verdict, and how many queries would clear it."""
    if found.n_queries == 0:
        return "No query has a value for both."
    if found.n_changed < MIN_CHANGED:
        return " ".join(filter(None, [_too_few_changed(found), _roughly(found)]))
    if found.ci_low is None or found.detectable is None:
        return "All differences are the same, which leaves nothing to make an interval from."
    told = f"So many queries can be expected to show {_detectable(found)}{_queries_for(found)}."
    return " ".join(filter(None, [told, _for_the_margin(found)]))


def _too_few_changed(found: Difference) -> str:
    changed = counted(found.n_changed, "query", "queries")
    what = "a verdict" if found.margin is None else "better or worse"
    least = math.ceil(found.n_queries * MIN_CHANGED / found.n_changed)
    return (
        f"Only {changed} changed; {what} needs {MIN_CHANGED} or more, "
        f"at this rate {least:,} queries."
    )


def _roughly(found: Difference) -> str:
    if found.detectable is None:
        return ""
    return (
        f"As far as so few can tell, so many queries can be expected to show "
        f"{_detectable(found)}{_queries_for(found)}."
    )


def _detectable(found: Difference) -> str:
    least = number(found.detectable, decimals(found.detectable))
    return f"a difference of {least} or more (80 % power)"


def _queries_for(found: Difference) -> str:
    """Say how many queries would show the difference found, where these are too few."""
    if not found.delta or found.needed is None or found.needed <= found.n_queries:
        return ""
    return f"; one as small as the one found takes {_many(found.needed)} queries"


def _for_the_margin(found: Difference) -> str:
    """Say how many queries would show two equal systems to be alike, where these are too few."""
    if found.margin_needed is None or found.margin_needed <= found.n_queries:
        return ""
    return (
        f"To show that a system as good as {found.baseline} is no worse, within "
        f"{_the_margin(found)}, takes {_many(found.margin_needed)} queries."
    )


def _many(needed: float) -> str:
    return f"more than {MANY:,}" if needed > MANY else f"{needed:,.0f}"
