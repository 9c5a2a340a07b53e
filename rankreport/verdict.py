"""What a difference means, in words.

The verdict comes from the interval alone, never from a p-value and the interval both. With fewer
than `MIN_CHANGED` changed queries it is never better or worse: no interval measured keeps its
promise there (docs of `compare`). A margin, named before the data were seen, adds two answers:
no worse, where the interval leaves out every loss as large as the margin, and equivalent, where it
leaves out every such gain too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rankreport.difference import (
    MIN_CHANGED,
    Difference,
    Word,
    changed_queries,
    n_changed_in_words,
)
from rankreport.rendering.inline import paragraph_html
from rankreport.rendering.language import say
from rankreport.rendering.latex import tex
from rankreport.rendering.text import counted, decimals, number, paragraph, percent, visible

__all__ = [
    "FEW_CHANGED",
    "MIN_CHANGED",
    "WORDS",
    "Difference",
    "Verdict",
    "Word",
    "advice",
    "caution",
    "concentrated",
    "judge_difference",
]

MANY = 1_000_000
"""More queries than these are not worth a number."""

FEW_CHANGED = 20
"""Below this many, intervals are narrower than they should be, and a caution says so."""

MUCH = 0.5
"""The share of a difference that one query may make before a caution says so."""

ALL = 1.0
"""The same of five: on a few dozen queries, they make more than half nearly always."""

WORDS: Mapping[Word, str] = MappingProxyType(
    {
        "better": "Better",
        "worse": "Worse",
        "no worse": "No worse",
        "equivalent": "Equivalent",
        "inconclusive": "Inconclusive",
        "unchanged": "Unchanged",
    }
)
"""The verdicts as they stand on a badge."""


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
    check
        What has to be explained before the answer is believed; empty where nothing has.
    """

    word: Word
    sentence: str
    detail: str = ""
    check: str = ""

    def __str__(self) -> str:
        """Return what to check first, the sentence and the detail."""
        told = paragraph(visible(self.sentence), visible(self.detail))
        return "\n\n".join(filter(None, [visible(self.check), told]))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter picks from what it is given
        word = say(WORDS[self.word])
        html = [
            paragraph_html("", bold=self.check),
            paragraph_html(self.sentence, bold=f"{word}."),
            paragraph_html(self.detail),
        ]
        latex = [
            rf"\textbf{{{tex(self.check)}}}" if self.check else "",
            rf"\textbf{{{word}.}} {tex(self.sentence)}",
            tex(self.detail),
        ]
        return {
            "text/plain": str(self),
            "text/html": "\n".join(filter(None, html)),
            "text/latex": "\n\n".join(filter(None, latex)),
        }


def judge_difference(found: Difference) -> Verdict:
    """Return the verdict on a difference.

    Examples
    --------
    >>> found = Difference("dense", "bm25", "nDCG@10", 200, 120, 0.0213, 0.0121, 0.0305, 0.95, 0.01)
    >>> print(judge_difference(found))
    dense is better than bm25 on nDCG@10: +0.021 (95 % interval +0.012 to +0.030), 200 queries.
    """
    told = {
        "system": found.system,
        "baseline": found.baseline,
        "measure": found.measure,
        "margin": _margin(found),
        "found": _whole(found),
    }
    match found.word:
        case "better" | "worse":
            return Verdict(found.word, _better_or_worse(found, told))
        case "no worse":
            sentence = say(
                "{system} is no worse than {baseline} on {measure}, within the margin of "
                "{margin}: {found}; superiority is not shown.",
                **told,
            )
            return Verdict(found.word, sentence, _few_changed(found))
        case "equivalent":
            sentence = say(
                "{system} and {baseline} are equivalent on {measure}, within the margin of "
                "{margin}: {found}.",
                **told,
            )
            return Verdict(found.word, sentence, _few_changed(found))
        case "unchanged":
            sentence = say("{system} and {baseline} are equal on {measure}: {found}.", **told)
            return Verdict(found.word, sentence)
        case _:
            sentence = say(
                "The data cannot tell whether {system} is better or worse than {baseline} on "
                "{measure}: {found}.",
                **told,
            )
            return Verdict(found.word, sentence, _why_inconclusive(found))


def advice(found: Difference) -> str:
    """Say whether the evidence speaks for shipping the system; the decision is the reader's.

    Examples
    --------
    >>> advice(Difference("new", "old", "RR", 50, 40, 0.2, 0.1, 0.3, 0.95, None))
    'By RR on these queries, the evidence supports shipping new in place of old.'
    """
    told = {"system": found.system, "baseline": found.baseline, "measure": found.measure}
    match found.word:
        case "better":
            return say(
                "By {measure} on these queries, the evidence supports shipping {system} in place "
                "of {baseline}.",
                **told,
            )
        case "worse":
            return say(
                "By {measure} on these queries, the evidence is against shipping {system} in place "
                "of {baseline}.",
                **told,
            )
        case "no worse":
            return say(
                "By {measure} on these queries, the evidence supports shipping {system} where to "
                "be no worse than {baseline} is enough.",
                **told,
            )
        case "equivalent":
            return say(
                "By {measure} on these queries, either will do: choose between {system} and "
                "{baseline} on other grounds.",
                **told,
            )
        case "unchanged":
            return say(
                "Nothing speaks for or against shipping {system}: decide on other grounds.", **told
            )
        case _:
            return say("Do not decide on this alone: the evidence is not enough.")


def caution(found: Difference) -> str:
    """Return what to mind about a difference, or an empty text.

    Examples
    --------
    >>> caution(Difference("new", "old", "RR", 50, 4, 0.01, -0.01, 0.03, 0.95, None))
    '4 of 50 changed: too few for a verdict'
    """
    if found.n_queries == 0:
        return say("no query has a value for both")
    if found.n_changed == 0:
        return say("no query changed")
    of = {"changed": n_changed_in_words(found.n_changed, found.telling), "queries": found.n_queries}
    if found.telling < MIN_CHANGED:
        if found.margin is None:
            return say("{changed} of {queries} changed: too few for a verdict", **of)
        return say("{changed} of {queries} changed: too few for better or worse", **of)
    if found.ci_low is None:
        return say("all differences are the same: no interval")
    told = [concentrated(found)]
    if found.telling < FEW_CHANGED:
        told.insert(0, say("{changed} of {queries} changed: interval may be too narrow", **of))
    return say("; ").join(filter(None, told))


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
        if found.first_share > 1:
            return say("one query makes more than all of the difference")
        share = percent(found.first_share, whole=True)
        return say("one query makes {share} of the difference", share=share)
    enough = found.telling >= FEW_CHANGED
    if enough and found.top_share is not None and found.top_share >= ALL:
        if found.top_share > 1:
            return say("five queries make more than all of the difference")
        share = percent(found.top_share, whole=True)
        return say("five queries make {share} of the difference", share=share)
    return ""


def _whole(found: Difference) -> str:
    """Say what was found on how many queries."""
    if found.n_queries == 0:
        return say("no query has a value for both")
    queries = counted(found.n_queries, "query", "queries")
    if found.n_changed == 0:
        if found.n_queries == 1:
            return say("the only query did not change")
        return say("none of the {queries} changed", queries=queries)
    return say("{difference}, {queries}", difference=found.numbers, queries=queries)


def _better_or_worse(found: Difference, told: Mapping[str, str]) -> str:
    if found.within_margin:
        if found.word == "better":
            return say(
                "{system} is better than {baseline} on {measure}, but by less than the margin of "
                "{margin}: {found}.",
                **told,
            )
        return say(
            "{system} is worse than {baseline} on {measure}, but by less than the margin of "
            "{margin}: {found}.",
            **told,
        )
    if found.word == "better":
        return say("{system} is better than {baseline} on {measure}: {found}.", **told)
    return say("{system} is worse than {baseline} on {measure}: {found}.", **told)


def _margin(found: Difference) -> str:
    """Write the margin as it was given: rounded, it might seem to be crossed, or to hold."""
    margin = found.margin or 0.0
    given = f"{margin:.10f}".rstrip("0").partition(".")[2]
    return number(margin, max(3, len(given)))


def _few_changed(found: Difference) -> str:
    """Say of a verdict that few changed queries allow what else they don't."""
    if found.n_changed == 0 or found.telling >= FEW_CHANGED:
        return ""
    queries = changed_queries(found.n_changed, found.telling)
    if found.telling < MIN_CHANGED:
        return say(
            "Only {queries} changed: too few for better or worse, and the interval may be too "
            "narrow.",
            queries=queries,
        )
    return say("Only {queries} changed: the interval may be too narrow.", queries=queries)


def _why_inconclusive(found: Difference) -> str:
    """Say what stands in the way of a verdict, and how many queries would clear it."""
    if found.n_queries == 0:
        return ""  # which the sentence has said
    if found.telling < MIN_CHANGED:
        return _too_few_changed(found)
    if found.ci_low is None or found.detectable is None:
        return say("All differences are the same, which leaves nothing to make an interval from.")
    return paragraph(_detectable(found, found.detectable), _for_the_margin(found))


def _too_few_changed(found: Difference) -> str:
    if not found.telling:
        return say("The changes cancel out within every cluster, which leaves nothing to judge by.")
    least = math.ceil(found.n_queries * MIN_CHANGED / found.telling)
    told = {
        "changed": changed_queries(found.n_changed, found.telling),
        "enough": MIN_CHANGED,
        "least": f"{least:,}",
    }
    if found.margin is None:
        return say(
            "Only {changed} changed; a verdict needs {enough} or more, at this rate {least} "
            "queries.",
            **told,
        )
    return say(
        "Only {changed} changed; better or worse needs {enough} or more, at this rate {least} "
        "queries.",
        **told,
    )


def _detectable(found: Difference, least: float) -> str:
    """Say what so many queries can show, and how many would show the difference found."""
    queries = counted(found.n_queries, "query", "queries")
    if found.widest is not None and least >= found.widest:
        reach = say(
            "{queries} are too few to reveal even the largest difference that {measure} allows (4 "
            "times in 5)",
            queries=queries,
            measure=found.measure,
        )
    else:
        reach = say(
            "{queries} can only be expected to reveal a difference of {least} or more (4 times in "
            "5)",
            queries=queries,
            least=number(least, decimals(least)),
        )
    needed = _more_needed(found)
    if not needed:
        return say("{reach}.", reach=reach)
    return say(
        "{reach}; one as small as the one found takes {needed} queries.", reach=reach, needed=needed
    )


def _more_needed(found: Difference) -> str:
    """Say how many queries would show the difference found, where these are too few."""
    if not found.delta or found.needed is None or found.needed <= found.n_queries:
        return ""
    return _many(found.needed)


def _for_the_margin(found: Difference) -> str:
    """Say how many queries would show two equal systems to be alike, where these are too few."""
    if found.margin_needed is None or found.margin_needed <= found.n_queries:
        return ""
    return say(
        "To show that a system as good as {baseline} is no worse, within the margin of {margin}, "
        "takes {needed} queries.",
        baseline=found.baseline,
        margin=_margin(found),
        needed=_many(found.margin_needed),
    )


def _many(needed: float) -> str:
    return say("more than {n}", n=f"{MANY:,}") if needed > MANY else f"{needed:,.0f}"
