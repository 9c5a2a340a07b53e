"""What happens to the measures of a pair that do not decide: which rise, fall or are open.

Their intervals hold for all measures at once, so that one of many does not seem to move by chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Literal

from rankreport.measures import MEANINGS, RATES
from rankreport.text import comma_separated, listed, number, paragraph, say, separated, signed

OpenBy = Literal["", "unchanged", "together", "unjudged", "ties", "depth", "missing"]
"""What leaves a difference open where its own interval does not."""


@dataclass(frozen=True)
class OtherMeasure:
    """The difference of a pair on a measure that does not decide.

    Attributes
    ----------
    measure, shown
        The measure, and its name for readers.
    delta, low, high
        The difference, and its interval, which holds for all measures at once; None without one.
    goal
        1 if higher values are better, -1 if lower ones are, 0 if neither.
    at_depth
        The difference of both lists cut at the length of the shorter ones, where the measure looks
        beyond them; None otherwise.
    moves
        1 if it rises, -1 if it falls, 0 if that is open.
    matters
        Whether the difference is larger than the margin, where there is one on the same scale.
    open_by
        What leaves it open where its own interval does not: ``unchanged``, as no query changed,
        ``together``, as all measures are, or a doubt about the data, by the name of its `Basis`.
    seen_only
        Whether it moves on these queries, but failures too rare to show in them could undo it.
    """

    measure: str
    shown: str
    delta: float | None
    low: float | None
    high: float | None
    goal: int
    moves: int
    matters: bool
    open_by: OpenBy = ""
    at_depth: float | None = None
    seen_only: bool = False

    def qualified(self, words: str) -> str:
        """Return words on its move, on these queries if so."""
        return say("{found} on these queries", found=words) if self.seen_only else words

    @property
    def gain(self) -> int:
        """1 if the system is better on it, -1 if it is worse, 0 if that is open."""
        return self.moves * self.goal

    @property
    def is_rate(self) -> bool:
        """Whether it says whether something was returned, and nothing of what."""
        return self.measure in map(str, RATES)

    @property
    def meaning(self) -> str:
        """What its move means to users, with its figures; its name where that says no more.

        >>> OtherMeasure("RR@10", "RR@10", -0.078, -0.1, -0.05, 1, -1, True).meaning
        'the first relevant result loses places near the top (RR@10 -0.078)'
        >>> OtherMeasure("AP", "AP", 0.05, 0.02, 0.08, 1, 1, True).meaning
        'AP +0.050 rises'
        """
        name = self.measure.partition("@")[0].partition("(")[0]
        if name not in MEANINGS:
            return moves_in_words([self], figures=True)
        figures = say("{measure} {delta}", measure=self.shown, delta=signed(self.delta))
        if self.is_rate:
            points = number(100 * (self.delta or 0), 0, signed=True)
            figures = say("{n} percentage points", n=points)
        meaning = say(MEANINGS[name][self.moves > 0])
        return say("{meaning} ({figures})", meaning=meaning, figures=self.qualified(figures))

    @property
    def words(self) -> str:
        """Its name, which says where lower values are better."""
        return (
            say("{measure} (lower is better)", measure=self.shown) if self.goal < 0 else self.shown
        )

    @property
    def figures(self) -> str:
        """Its name and its difference, such as ``AP +0.050``."""
        fields = {"measure": self.words, "delta": signed(self.delta)}
        if self.at_depth is None:
            return say("{measure} {delta}", **fields)
        at_depth = signed(self.at_depth)
        return say("{measure} {delta} ({at_depth} at equal depth)", **fields, at_depth=at_depth)

    def to_plain(self) -> dict[str, Any]:
        """Return its figures as plain values for JSON."""
        return {name: value for name, value in asdict(self).items() if name != "shown"}


def moves_in_words(measures: Sequence[OtherMeasure], *, figures: bool = False) -> str:
    """Return which measures fall and which rise, in a clause without a full stop.

    >>> fallen = OtherMeasure("RR@10", "RR@10", -0.078, -0.1, -0.05, 1, -1, True)
    >>> risen = OtherMeasure("AP", "AP", 0.05, 0.02, 0.08, 1, 1, True)
    >>> moves_in_words([risen, fallen])
    'RR@10 falls, AP rises'
    >>> moves_in_words([risen, fallen], figures=True)
    'RR@10 -0.078 falls, AP +0.050 rises'
    """
    verbs = {-1: (say("falls"), say("fall")), 1: (say("rises"), say("rise"))}
    parts = []
    for (moves, (of_one, of_several)), seen_only in product(verbs.items(), (False, True)):
        found = [each for each in measures if (each.moves, each.seen_only) == (moves, seen_only)]
        if found:
            names = listed([each.figures if figures else each.words for each in found])
            verb = of_one if len(found) == 1 else of_several
            parts.append(found[0].qualified(say("{names} {moves}", names=names, moves=verb)))
    return comma_separated(parts)


def meanings_in_words(measures: Sequence[OtherMeasure]) -> str:
    """Return what it means to users that these fall or rise, in a clause without a full stop."""
    return listed([each.meaning for each in measures])


def others_in_words(measures: Sequence[OtherMeasure]) -> str:
    """Return in a sentence which measures fall, which rise and which are open; empty without any.

    >>> risen = OtherMeasure("AP", "AP", 0.05, 0.02, 0.08, 1, 1, True)
    >>> open = OtherMeasure("RR@10", "RR@10", -0.01, -0.04, 0.02, 1, 0, True)
    >>> others_in_words([risen, open])
    'Other measures: AP +0.050 rises; RR@10 not clear; none falls.'
    >>> same = OtherMeasure("R@100", "R@100", 0.0, None, None, 1, 0, True, "unchanged")
    >>> cut = OtherMeasure("R@1000", "R@1000", -0.4, -0.5, -0.3, 1, 0, True, "depth")
    >>> others_in_words([same, cut])
    'Other measures: R@100 unchanged; R@1000 not clear, as lists are of unequal length.'
    """
    # The rates of queries without an answer have a sentence of their own.
    known = [each for each in measures if each.goal and not each.is_rate]
    parts = _moves_and_rest(known)
    worst = (min(each.moves, each.gain, -(each.open_by in DOUBTS)) for each in known)
    if parts[0] and min(worst, default=0) >= 0:
        parts.append(say("none falls"))
    found = separated("; ", filter(None, parts))
    known_aside = [e for e in measures if not e.goal and e.open_by in {"", "together"}]
    aside = _moves_and_rest(known_aside)
    return paragraph(
        say("Other measures: {found}.", found=found) if known else "",
        say("Not counted as better or worse: {found}.", found=separated("; ", filter(None, aside)))
        if any(aside)
        else "",
    )


def _moves_and_rest(measures: Sequence[OtherMeasure]) -> list[str]:
    """Return which measures move, and those that do not by what leaves them open."""
    parts = [moves_in_words(measures, figures=True)]
    for open_by, words in STILL.items():
        still = [each.words for each in measures if not each.moves and each.open_by == open_by]
        parts.append(say(words, names=comma_separated(still)) if still else "")
    return parts


SILENCE: Mapping[str, str] = {
    "FalseAnswer": "staying silent where there is no answer",
    "FalseAbstention": "answering where there is an answer",
}
"""At what a system is better where a rate is lower."""

NOT_TOGETHER = "clear alone, not with all measures"
"""What a measure is that all measures together leave open."""

DOUBTS = ("unjudged", "ties", "depth", "missing")
"""The doubts about the data among these."""

STILL: Mapping[str, str] = {
    "": "{names} not clear",
    "together": f"{{names}} {NOT_TOGETHER}",
    "unchanged": "{names} unchanged",
    "depth": "{names} not clear, as lists are of unequal length",
    "ties": "{names} not clear, as equal scores could reverse it",
    "unjudged": "{names} not clear, as judged documents alone say otherwise",
    "missing": "{names} not clear, as most of it comes from queries not answered",
}
"""Which measures do not move, by `OtherMeasure.open_by`."""
