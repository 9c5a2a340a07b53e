"""The decision on a comparison: who is better, what decided that, who may be the best, what to do.

It is made here, once, of numbers and names; what one interval says, better, worse, equivalent or
neither, is `Difference.by_interval`. Every output reads it: the verdict, leaderboards, gates
and reports differ in their words alone, which are made when they are printed.

A system may be the best unless another is established as better. Which one is best was seen from
the same data, so that intervals hold for all pairs of systems at once, and no system is singled out
by its mean. Where the comparison itself found a system better or worse, that counts too: it is the
same claim, made for fewer pairs. The ranks of a system are those that the intervals for all pairs
leave open, with rare failures allowed for, so that all ranks hold at once (Mogstad, Romano, Shaikh
and Wilhelm, Review of Economic Studies 2024); by the verdicts there may be fewer. Nothing is
established where unjudged documents, equal scores, queries that were not answered or other faults
of the data decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from rankreport.comparison.actions import (
    BETTER,
    LEAVES_GATE_OPEN,
    LEAVES_OPEN,
    OPEN,
    Action,
    GateOutcome,
    Situation,
    Worst,
    action_of,
    open_in_words,
    size_of,
    with_look,
)
from rankreport.comparison.difference import Difference, SegmentDifference, Word
from rankreport.comparison.other_measures import (
    SILENCE,
    OtherMeasure,
    moves_in_words,
    others_in_words,
)
from rankreport.comparison.paired_differences import OneSided
from rankreport.comparison.pairs import Pair
from rankreport.text import (
    MOST_NAMED,
    capital,
    first_of,
    listed,
    paragraph,
    ranks_in_figures,
    say,
    separated,
)


class Basis(StrEnum):
    """What decided on a pair of systems.

    - ``interval``: the interval, or where there is none that all differences are equal
    - ``margin``: the interval and the margin
    - ``unchanged``: no query changed
    - ``few_changed``: too few queries changed for better or worse
    - ``few_queries``: there are too few for it, though nearly all changed
    - ``unjudged``: judged documents alone say otherwise
    - ``ties``: another order of equal scores could reverse the difference
    - ``depth``: lists of one system are cut, and at equal depth the verdict is another one
    - ``missing``: most of the difference comes from queries that one system did not answer
    - ``data``: a caution on the data is to be checked first
    """

    INTERVAL = "interval"
    MARGIN = "margin"
    UNCHANGED = "unchanged"
    FEW_CHANGED = "few_changed"
    FEW_QUERIES = "few_queries"
    UNJUDGED = "unjudged"
    TIES = "ties"
    DEPTH = "depth"
    MISSING = "missing"
    DATA = "data"

    @property
    def doubt(self) -> str:
        """What the difference depends on, if its figures do not decide; otherwise empty."""
        return say(DEPENDS_ON[self]) if self in DEPENDS_ON else ""

    @property
    def depends_on(self) -> str:
        """The same in a clause."""
        return say("depends on {what}", what=self.doubt) if self.doubt else ""

    @property
    def settles(self) -> bool:
        """Whether nothing is left to check first."""
        return self not in DEPENDS_ON


DEPENDS_ON: Mapping[Basis, str] = {
    Basis.UNJUDGED: "unjudged documents",
    Basis.TIES: "equal scores",
    Basis.DEPTH: "lists of unequal length",
    Basis.MISSING: "queries not answered",
    Basis.DATA: "data to check",
}
"""`Basis.doubt` in English."""


@dataclass(frozen=True)
class PairDecision:
    """What was decided on a system and its baseline.

    Attributes
    ----------
    found
        The difference on the primary measure, with that on judged documents alone.
    severity
        The worst severity of the cautions on the pair on which what to do depends.
    over_ties
        The lowest and the highest difference that orders of equal scores give; None if not known.
    reversible
        Whether these lie on both sides of 0.
    missing
        The effect of the queries that one system did not answer; None without any.
    mostly_missing
        Whether they make most of the difference.
    deeper
        The differences on measures that look beyond the shorter lists, with those at equal depth.
    turned_by_depth
        Whether the verdict is another one at equal depth.
    opposite
        Whether a segment differs with the opposite sign.
    mostly_positive
        Whether judgments are positive only, so that more queries do not remove their bias.
    gate
        The outcome of the gate for the system.
    gate_doubt
        The doubt about the data that leaves open what is open of the gate, if more queries do not.
    others
        The differences on the measures that do not decide.
    segments
        The segments in which the two differ, the largest loss first.
    allowed
        By how much the gate allows the measure to change; None where no requirement says so.
    """

    found: Difference
    severity: Worst = "none"
    over_ties: tuple[float, float] | None = None
    reversible: bool = False
    missing: OneSided | None = None
    mostly_missing: bool = False
    deeper: tuple[Difference, ...] = ()
    turned_by_depth: bool = False
    opposite: bool = False
    mostly_positive: bool = False
    gate: GateOutcome = "none"
    gate_doubt: Basis | None = None
    others: tuple[OtherMeasure, ...] = ()
    segments: tuple[SegmentDifference, ...] = ()
    allowed: float | None = None

    def __repr__(self) -> str:
        """Return the verdict in a word, and what decided."""
        return f"<{self.pair}: {self.standing}, by {self.decided_by}>"

    @property
    def pair(self) -> Pair:
        """The system and its baseline."""
        return self.found.pair

    @property
    def word(self) -> Word:
        """The verdict in a word, to check first where the difference cannot be relied upon."""
        return self.found.by_interval if self.decided_by.settles else "check first"

    @property
    def seen_only(self) -> bool:
        """Whether better or worse holds of what was seen, but rare failures could undo it."""
        return self.direction != 0 and self.found.seen_only

    @property
    def direction(self) -> int:
        """Whether the system is established as better (1), as worse (-1) or neither (0)."""
        return {"better": 1, "worse": -1}.get(self.word, 0)

    @property
    def doubts(self) -> tuple[Basis, ...]:
        """Which doubts about the data could reverse what the numbers say; the first decides.

        They are the same of the baseline against the system.
        """
        decides = {self.found.word, *self.found.both_ways} != {"inconclusive"}
        known = {
            Basis.MISSING: decides and self.mostly_missing,
            Basis.TIES: decides and self.reversible and not self.margin_holds,
            Basis.DEPTH: self.turned_by_depth,
            Basis.DATA: self.severity == "stop",
            Basis.UNJUDGED: self.found.word == "check first",
        }
        return tuple(basis for basis, holds in known.items() if holds)

    @cached_property
    def decided_by(self) -> Basis:
        """What decided."""
        figures = self.found.by_interval
        if self.doubts:
            return self.doubts[0]
        if self.found.is_unchanged:
            return Basis.UNCHANGED
        if figures in {"no worse", "equivalent"}:
            return Basis.MARGIN
        few = figures == "inconclusive" and self.found.has_few_changed
        of_few = Basis.FEW_QUERIES if self.found.has_few_queries else Basis.FEW_CHANGED
        return of_few if few else Basis.INTERVAL

    def gated(
        self, outcome: GateOutcome, allowed: Mapping[str, float], doubt: Basis | None = None
    ) -> PairDecision:
        """Return the decision with the outcome of a gate, by how much measures may change.

        The `doubt` about the data leaves the outcome open.
        """
        others = tuple(
            replace(each, matters=each.matters and abs(each.delta or 0) > allowed[each.measure])
            if each.measure in allowed
            else each
            for each in self.others
        )
        primary = allowed.get(self.found.measure)
        return replace(self, gate=outcome, gate_doubt=doubt, allowed=primary, others=others)

    @property
    def falls(self) -> tuple[OtherMeasure, ...]:
        """The other measures on which the system is worse, beyond the margin where there is one."""
        return tuple(each for each in self._moved if each.gain < 0 and each.matters)

    @property
    def rises(self) -> tuple[OtherMeasure, ...]:
        """The same on which it is better."""
        return tuple(each for each in self._moved if each.gain > 0 and each.matters)

    @property
    def _moved(self) -> tuple[OtherMeasure, ...]:
        """The other measures; none where the data decide on these too."""
        return () if self.word == "check first" else self.others

    @property
    def segments_beyond(self) -> tuple[SegmentDifference, ...]:
        """The segments that differ by more than the margin, or than the gate allows.

        Of those that gain, only where the interval leaves out the difference over all queries.
        Without a margin or a gate, those that differ otherwise than the verdict says. Where the
        data are to be checked first, there are none.
        """
        whole = self.found.delta
        if self.word == "check first" or whole is None:
            return ()
        margin = self.allowed if self.found.margin is None else self.found.margin
        if margin is not None:
            beyond = (each for each in self.segments if abs(each.delta) > margin)
            some = (e for e in beyond if e.delta < 0 or not e.low <= whole <= e.high)
            return tuple(sorted(some, key=lambda each: (each.delta > 0, -abs(each.delta))))
        return tuple(each for each in self.segments if each.delta * self.direction <= 0)

    @property
    def segment_otherwise(self) -> SegmentDifference | None:
        """The segment in which the system loses most; gains most, if it is worse over all."""
        sign = 1 if self.direction < 0 else -1
        found = [each for each in self.segments_beyond if each.delta * sign > 0]
        return max(found, key=lambda each: abs(each.delta), default=None)

    def segments_in_words(self) -> Iterator[tuple[SegmentDifference, str, str]]:
        """Yield segments beyond the margin, or what a gate allows: each with a title and figures.

        They are few, the worst first; one that differs otherwise than the system is among them.
        """
        found, otherwise = self.segments_beyond[:_MOST_SEGMENTS], self.segment_otherwise
        if otherwise is not None and otherwise not in found:
            found = (*found[:-1], otherwise)
        for each in found:
            yield each, capital(each.place), each.figures(self.found.shown)

    @property
    def is_trade_off(self) -> bool:
        """Whether the system is better on a measure and worse on another one."""
        signs = {self.direction, *(each.gain for each in (*self.falls, *self.rises))}
        return {1, -1} <= signs

    @property
    def moved_otherwise(self) -> tuple[OtherMeasure, ...]:
        """The other measures that say otherwise than the primary one."""
        if self.direction < 0:
            return self.rises
        return self.falls if self.direction or not self.falls else (*self.falls, *self.rises)

    @property
    def moves_otherwise(self) -> str:
        """Which other measures say otherwise, in a clause; empty without any."""
        return moves_in_words(self.moved_otherwise)

    @property
    def silence_gained(self) -> tuple[OtherMeasure, ...]:
        """The rates of queries without an answer on which the system is better."""
        return tuple(each for each in self.rises if each.is_rate)

    @property
    def silence(self) -> str:
        """Whether the system is better at staying silent where it should, in a clause.

        It is empty if that is not known.
        """
        found = [
            say(words, what=say(SILENCE[each.measure]))
            for words, moved in zip(CLEARLY, (self.rises, self.falls), strict=True)
            for each in moved
            if each.is_rate
        ]
        system = self.pair.system
        return say("{system} is {what}", system=system, what=listed(found)) if found else ""

    @property
    def silence_in_words(self) -> str:
        """The same in a sentence."""
        return say("{sentence}.", sentence=self.silence) if self.silence else ""

    @property
    def settles_silence_alone(self) -> bool:
        """Whether nothing is known but that the system is better at staying silent."""
        gained = self.word == "inconclusive" and bool(self.silence_gained)
        return gained and not self.falls and self.gate == "none"

    @property
    def others_in_words(self) -> str:
        """What happens to the other measures, in a sentence; empty where the data decide."""
        return "" if self.word == "check first" else others_in_words(self.others)

    @property
    def doubts_of_limits(self) -> tuple[Basis, ...]:
        """Which doubts about the data could keep a gate open, whose limit may be another than 0."""
        known = {Basis.MISSING: self.mostly_missing, Basis.TIES: self.reversible}
        more = (basis for basis, holds in known.items() if holds and basis not in self.doubts)
        return (*self.doubts, *more)

    @property
    def is_tied(self) -> bool:
        """Whether equal scores, and not another doubt, could reverse the verdict."""
        decides = self.decided_by.settles or self.decided_by is Basis.TIES
        return decides and self.reversible and not self.margin_holds

    @property
    def margin_holds(self) -> bool:
        """Whether the margin decides, and decides the same in every order of equal scores."""
        found, (low, high) = self.found, self.found.deciding
        if {"no worse", "equivalent"}.isdisjoint(found.both_ways) or self.over_ties is None:
            return False
        if low is None or high is None:
            return False
        low, high = self.in_all_orders(low, high)
        moved = replace(found, deciding_low=low, deciding_high=high)
        return moved.both_ways == found.both_ways

    def in_all_orders(self, low: float, high: float) -> tuple[float, float]:
        """Return the ends of a difference, wider by as much as orders of equal scores move it."""
        delta = self.found.delta or 0.0
        lowest, highest = self.over_ties or (delta, delta)
        return low + lowest - delta, high + highest - delta

    def without_missing(self, low: float, high: float) -> tuple[float, float] | None:
        """Return the ends of a difference, moved as far as queries that one did not answer move it.

        None where no others are left.
        """
        if self.missing is None or self.missing.delta is None:
            return None
        moved = self.missing.delta - (self.found.delta or 0.0)
        return low + moved, high + moved

    @property
    def ties_weigh_most(self) -> bool:
        """Whether orders of equal scores leave more open than the sample, or keep a gate open."""
        low, high = self.found.ci_low, self.found.ci_high
        if self.gate != "none" or self.over_ties is None or low is None or high is None:
            return self.is_tied
        lowest, highest = self.over_ties
        return self.is_tied and highest - lowest > high - low

    @property
    def standing(self) -> str:
        """The word, with "on these queries" if it holds only there; "ties" if ties may decide."""
        is_open = self.word in {"check first", "inconclusive"} and self.is_tied
        word = f"{self.word} on these queries" if self.seen_only else self.word
        return "ties" if is_open else word

    @property
    def basis(self) -> Basis:
        """What decided, or leaves the pair open."""
        return Basis.TIES if self.standing == "ties" else self.decided_by

    @property
    def data_decide(self) -> bool:
        """Whether data that must be checked first decide what to do.

        They do not where a gate fails: it does so by what they do not leave open.
        """
        return self.gate != "fail"

    @property
    def situation(self) -> Situation:
        """What the action depends on."""
        is_open = not self.decided_by.settles and self.decided_by is not Basis.UNJUDGED
        worst: Worst = "stop" if is_open else self.severity
        if worst == "stop" and not self.data_decide:
            worst = "look"
        return Situation(self.word, worst, self.gate, size_of(self.found))

    @property
    def action(self) -> Action:
        """What to do."""
        found = action_of(
            self.situation,
            tied=self.ties_weigh_most,
            mostly_positive=self.mostly_positive or self.found.on_judged is not None,
            falls=bool(self.falls),
            rises=bool(self.rises),
            silence=bool(self.silence_gained),
        )
        is_open = self.gate == "inconclusive" and found in LEAVES_GATE_OPEN
        return _FOR_GATE.get(self.gate_doubt, found) if is_open else found

    def to_plain(self) -> dict[str, Any]:
        """Return what was decided as plain values for JSON."""
        low, high = self.over_ties or (None, None)
        return {
            **self.pair._asdict(),
            "word": self.word,
            "seen_only": self.seen_only,
            "decided_by": self.basis.value,
            "severity": self.severity,
            "action": self.action.code,
            "gate": self.gate,
            "ties_low": low,
            "ties_high": high,
            "missing": None if self.missing is None else self.missing.share,
            "lengths": [*next((each.lengths for each in self.deeper if each.lengths), ())],
            "at_equal_depth": {
                each.measure: each.at_depth.delta for each in self.deeper if each.at_depth
            },
            "interval_at_equal_depth": {
                each.measure: [each.at_depth.ci_low, each.at_depth.ci_high]
                for each in self.deeper
                if each.at_depth
            },
            "deciding_low": self.found.deciding_low,
            "deciding_high": self.found.deciding_high,
            "unseen": None if self.found.unseen is None else self.found.unseen._asdict(),
            "opposite_segment": self.opposite,
            "trade_off": self.is_trade_off,
            "others": [each.to_plain() for each in self.others],
            "segments": [each._asdict() for each in self.segments],
            "allowed": self.allowed,
        }


_FOR_GATE: Mapping[Basis | None, Action] = {
    Basis.TIES: Action.BREAK_TIES_FOR_GATE,
    Basis.UNJUDGED: Action.JUDGE_UNJUDGED,
    Basis.DEPTH: Action.CHECK_SYSTEMS,
    Basis.MISSING: Action.CHECK_SYSTEMS,
}
"""What to do where a doubt about the data leaves a gate open."""

CLEARLY = ("clearly better at {what}", "clearly worse at {what}")

SETTLED = tuple(basis for basis in Basis if basis.settles)
"""The bases that leave nothing to check first."""

_SEVERITIES: tuple[Worst, ...] = ("none", "note", "look", "stop")
_OUTCOMES: tuple[GateOutcome, ...] = ("none", "pass", "inconclusive", "fail")
"""Severities and outcomes from best to worst."""

_MOST_SEGMENTS = 2
"""The most segments of a pair that are listed."""

_MOST_TIED = 3
"""The most systems whose ties are advised to be broken."""


def leading_of(pairs: Mapping[Pair, PairDecision], order: Sequence[str]) -> Pair:
    """Return the pair that a verdict is about, by its numbers alone.

    It is the one with the largest mean difference on the primary measure: of the systems that are
    better, if any, otherwise of those that are not worse, if any. With several baselines, it is the
    system with the highest mean, by the `order` of the means, and its closest rival: the one with
    the smallest difference of those that are not established as worse, if any.
    """
    best = next(system for system in order if any(system in pair for pair in pairs))
    one_baseline = len({pair.baseline for pair in pairs}) == 1

    def key(pair: Pair) -> tuple[float, ...]:
        found = pairs[pair].found
        known, delta = found.delta is not None, found.delta or 0.0
        if one_baseline:
            return known * _LEADING.get(found.word, 1), known, delta
        doubted = pairs[pair].reversible or pairs[pair].mostly_missing
        return best in pair, known, doubted or found.word not in _LEADING, -abs(delta)

    return max(pairs, key=key)


_LEADING: Mapping[Word, int] = {"better": 2, "worse": 0}
"""The rank of established differences; that of others is 1."""


class Relation(NamedTuple):
    """What is established of two systems.

    Attributes
    ----------
    direction
        1 if the first is better than the second, -1 if it is worse, 0 if neither is established.
    decided_by
        What decided: ties too where they could reverse an open difference.
    seen_only
        Whether the direction holds of what was seen, but rare failures could undo it.
    is_sure
        Whether the direction, if any, holds at once with those of all other pairs of systems.
    """

    direction: int
    decided_by: Basis
    seen_only: bool = False
    is_sure: bool = False


class Position(NamedTuple):
    """Where a system stands among all.

    Attributes
    ----------
    highest, lowest
        The ranks that are left open for all systems at once, 1 for the best: 1 + the number of
        systems that are surely better, and the number of all less those surely worse. None where
        there are too many systems to compare every two.
    seen_highest, seen_lowest
        The ranks that the verdicts leave open, some of which hold only of what was seen, or for
        the pairs that were compared alone. There are never more of these.
    to_best
        What is established of it and the system with the highest mean; None for that one itself.
    seen_only
        Whether all that puts it below another system holds only of what was seen.
    doubts
        What else than intervals leaves ranks open.
    """

    system: str
    highest: int | None
    lowest: int | None
    seen_highest: int
    seen_lowest: int
    to_best: Relation | None
    seen_only: bool = False
    doubts: tuple[Basis, ...] = ()

    @property
    def may_be_best(self) -> bool:
        """Whether no other system is established as better, be it of what was seen."""
        return self.seen_highest == 1

    @property
    def ranks_seen(self) -> tuple[int, int] | tuple[None, None]:
        """The ranks that the verdicts leave open; None where every two were not compared."""
        return (None, None) if self.highest is None else (self.seen_highest, self.seen_lowest)

    @property
    def ranks(self) -> str:
        """The ranks left open for all systems at once, and those by the verdicts if fewer."""
        if self.highest is None or self.lowest is None:
            return ""
        return ranks_in_figures(self.highest, self.lowest, self.seen_highest, self.seen_lowest)

    @property
    def decided_by(self) -> Basis | None:
        """What decided on it and the system with the highest mean; None for that one itself."""
        return None if self.to_best is None else self.to_best.decided_by


class Advised(NamedTuple):
    """What to do, about which systems.

    Attributes
    ----------
    action
        The action.
    systems
        The systems that it is about: all of those that the evidence does not tell apart.
    baseline
        The system that they would replace; empty if there are several baselines.
    rivals
        The systems among which it is open which is best, without those that fail the gate. Empty
        if only one may be, or the action is about systems that may not.
    watch
        Whether to watch for rare failures when a system is tried.
    worse
        The systems that are worse, where the action leaves open whether others are.
    among_others
        Whether more systems are compared with the baseline than those.
    """

    action: Action
    systems: tuple[str, ...]
    baseline: str
    rivals: tuple[str, ...] = ()
    watch: bool = False
    worse: tuple[str, ...] = ()
    among_others: bool = False

    @property
    def looks(self) -> bool:
        """Whether it says to look at the cautions."""
        return self.action in _LOOKS

    @property
    def is_open(self) -> bool:
        """Whether its words say that it is open which system is best."""
        return self.action in _SAYS_OPEN and bool(self.rivals)


_TO_CHOOSE = {
    Basis.UNJUDGED: Action.JUDGE_TO_CHOOSE,
    Basis.TIES: Action.BREAK_TIES_TO_CHOOSE,
}
"""What to do first to choose the best, by what leaves it open."""

_SAYS_OPEN = BETTER | {Action.CHOOSE, *_TO_CHOOSE.values()}
_LOOKS = {Action.LOOK_THEN_TRY_LIVE, Action.LOOK_THEN_CHOOSE, Action.LOOK_BEFORE_DROPPING}


@dataclass(frozen=True)
class Decision:
    """What was decided on some pairs of systems, and on all systems.

    Attributes
    ----------
    pairs
        The decision on each pair.
    positions
        Where each system stands, in the order of the means, the best first.
    """

    pairs: Mapping[Pair, PairDecision]
    positions: tuple[Position, ...]

    def __repr__(self) -> str:
        """Return the verdict in a word, and how many systems may be the best."""
        n_best = f"{len(self.may_be_best)} of {len(self.positions)} systems may be the best"
        return f"<{self.leading}: {self.word}; {n_best}>"

    @cached_property
    def leading(self) -> Pair:
        """The pair that the verdict is about."""
        return leading_of(self.pairs, self.order)

    @property
    def first_pair(self) -> Pair:
        """The leading pair; of several baselines, with the first system as the one compared."""
        one, other = self.leading
        turned = self.one_baseline is None and one == self.order[0]
        return Pair(other, one) if turned else self.leading

    @property
    def verdict(self) -> PairDecision:
        """The decision on the leading pair."""
        return self.pairs[self.leading]

    @property
    def severity(self) -> Worst:
        """The worst severity of the cautions on any of the pairs."""
        return max((each.severity for each in self.pairs.values()), key=_SEVERITIES.index)

    @property
    def stopped(self) -> tuple[Pair, ...]:
        """The pairs whose data are to be checked first."""
        return tuple(pair for pair, each in self.pairs.items() if each.severity == "stop")

    @property
    def word(self) -> Word:
        """The verdict in a word, that on the leading pair."""
        return self.verdict.word

    @property
    def seen_only(self) -> bool:
        """Whether the word holds of what was seen, but rare failures could undo it."""
        return self.verdict.seen_only

    @property
    def order(self) -> tuple[str, ...]:
        """All systems by their mean, the best first."""
        return tuple(each.system for each in self.positions)

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The systems in groups, the best first: ranks of two groups have none in common.

        Empty where there are too many systems to compare every two.
        """
        found, start, reach = [], 0, 0
        for place, each in enumerate(self.positions, 1):
            if each.lowest is None:
                return ()
            reach = max(reach, each.lowest)
            if reach == place:
                found.append(self.order[start:place])
                start = place
        return tuple(found)

    @property
    def ranks_in_words(self) -> str:
        """Which groups the ranks form, or that there are too many systems for ranks."""
        if not self.groups:
            return say(
                "{n} systems are too many for ranks, which take intervals of every two of them: "
                "compare fewer.",
                n=f"{len(self.positions):,}",
            )
        if len(self.groups) == 1:
            return ""
        named = (first_of(group, MOST_NAMED) for group in self.groups)
        return say("Groups whose ranks do not overlap: {groups}.", groups=separated("; ", named))

    @property
    def may_be_best(self) -> tuple[str, ...]:
        """The systems that may be the best, in the order of their means."""
        return tuple(each.system for each in self.positions if each.may_be_best)

    @property
    def best(self) -> str | None:
        """The system established as the best; None if more than one may be."""
        return self.may_be_best[0] if len(self.may_be_best) == 1 else None

    @property
    def leaders(self) -> tuple[str, ...]:
        """The system with the highest mean, and those whose results are equal to its own."""
        return (self.order[0], *self.rivals(Basis.UNCHANGED))

    @property
    def best_are_equal(self) -> bool:
        """Whether several systems with equal results are the best."""
        return len(self.leaders) > 1 and {*self.may_be_best} == {*self.leaders}

    @property
    def rivals_in_words(self) -> str:
        """Which systems may be the best besides the one with the highest mean, and why."""
        best, below = self.order[0], ""
        if self.best_seen_only:
            below = say("below it on these queries")
        elif not self.rivals():
            only_seen = any(each.highest == 1 for each in self.positions[1:])
            below = say("below it by the verdicts") if only_seen else say("clearly below it")
        if below:
            return say(
                "{best} has the highest mean, and all others are {below}.", best=best, below=below
            )
        others = [each for each in self.rivals(*SETTLED) if each not in self.leaders]
        highest = say("{best} has the highest mean", best=best)
        if len(self.leaders) > 1:
            highest = say("{systems} have the highest mean", systems=listed(self.leaders))
        words = say("{sentence}.", sentence=highest)
        if others:
            words = say(
                "{sentence}; not distinguishable from it: {systems}.",
                sentence=highest,
                systems=first_of(others, MOST_NAMED),
            )
        doubted: dict[Basis, list[str]] = {}
        for each in self.positions[1:]:
            if each.decided_by is not None:
                doubted.setdefault(each.decided_by, []).append(each.system)
        doubts = [
            say(
                "Its difference from these {doubt}: {systems}.",
                doubt=basis.depends_on,
                systems=first_of(doubted[basis], MOST_NAMED),
            )
            for basis in DEPENDS_ON
            if basis in doubted
        ]
        return paragraph(words, *doubts)

    @property
    def open_in_words(self) -> str:
        """That it is open which of the systems that may be the best is."""
        return open_in_words(self.may_be_best)

    @property
    def one_baseline(self) -> str | None:
        """The baseline; None if there are several."""
        one, *others = {pair.baseline for pair in self.pairs}
        return None if others else one

    @property
    def reference(self) -> str:
        """The system that others are compared with on a screen of several.

        The one baseline; otherwise the established best, or the first by its mean.
        """
        return self.one_baseline or self.order[0]

    @property
    def best_seen_only(self) -> bool:
        """Whether a system is the best only on these queries."""
        return self.best is not None and any(each.seen_only for each in self.positions)

    def position(self, system: str) -> Position:
        """Return where a system stands."""
        return next(each for each in self.positions if each.system == system)

    def rivals(self, *bases: Basis) -> tuple[str, ...]:
        """Return the systems that may be the best besides the first, by one of some bases, or any.

        The bases are those of their differences from the first.
        """
        return tuple(
            each.system
            for each in self.positions[1:]
            if each.may_be_best and (not bases or each.decided_by in bases)
        )

    def of(self, pairs: Iterable[Pair]) -> Decision:
        """Return the decision on some of the pairs."""
        return replace(self, pairs={pair: self.pairs[pair] for pair in pairs})

    def gated(
        self,
        outcomes: Mapping[Pair, GateOutcome],
        allowed: Mapping[Pair, Mapping[str, float]] = MappingProxyType({}),
        doubts: Mapping[Pair, Basis | None] = MappingProxyType({}),
    ) -> Decision:
        """Return the decision with the outcomes of a gate, and the changes that it allows.

        The `doubts` about the data leave outcomes open.
        """
        known = {
            pair: each.gated(outcomes.get(pair, each.gate), allowed.get(pair, {}), doubts.get(pair))
            for pair, each in self.pairs.items()
        }
        return replace(self, pairs=known)

    def to_plain(self) -> dict[str, Any]:
        """Return the decision as plain values for JSON.

        Returns
        -------
        dict
            ``baseline, system`` of the leading pair, the ``word``, whether it holds of what was
            ``seen_only``, and what it is ``decided_by``;
            the worst ``severity`` of all pairs; ``order``, the systems by their means;
            ``best``, or null if more than one may be; ``action`` and the ``systems`` that it is
            about; ``positions``, with the ``highest`` and ``lowest`` rank left open (null of very
            many systems), those by the verdicts, ``seen_highest`` and ``seen_lowest``, whether a
            system ``may_be_best``, what its difference from the first is ``decided_by``, and what
            else leaves its ranks open, ``doubts``; ``groups``, whose ranks do not overlap;
            ``pairs``, with ``word``, ``seen_only``, ``decided_by``, ``severity``, ``action``,
            ``gate`` and the figures that may decide: ``ties_low, ties_high``, ``missing``; the ends
            that allow for rare failures, ``deciding_low, deciding_high``; and what is left possible
            where these undo the word, ``unseen``; where lists of one system are cut, their
            ``lengths`` and, by measure, what is ``at_equal_depth``, and its interval; whether it is
            a ``trade_off``, and the differences on the ``others`` of its measures.
        """
        advised = self.advised
        return {
            **self.leading._asdict(),
            "word": self.word,
            "seen_only": self.seen_only,
            "decided_by": self.verdict.decided_by.value,
            "severity": self.severity,
            "order": list(self.order),
            "best": self.best,
            "action": advised.action.code,
            "systems": list(advised.systems),
            "rivals": list(advised.rivals),
            "positions": [
                {
                    "system": each.system,
                    "highest": each.highest,
                    "lowest": each.lowest,
                    **dict(zip(("seen_highest", "seen_lowest"), each.ranks_seen, strict=True)),
                    "may_be_best": each.may_be_best,
                    "seen_only": each.seen_only,
                    "decided_by": None if each.to_best is None else each.to_best.decided_by.value,
                    "doubts": [basis.value for basis in each.doubts],
                }
                for each in self.positions
            ],
            "groups": [list(group) for group in self.groups],
            "pairs": [each.to_plain() for each in self.pairs.values()],
        }

    @property
    def advised(self) -> Advised:
        """What to do, and whether to watch for rare failures when a system is tried."""
        found = self._advised
        seen_only = any(
            each.seen_only for pair, each in self.pairs.items() if pair.system in found.systems
        )
        worse = tuple(pair.system for pair, each in self.pairs.items() if each.direction < 0)
        return found._replace(
            watch=seen_only and found.action in BETTER,
            among_others=bool(found.baseline) and len(self.pairs) > len(found.systems),
            worse=worse if found.action in LEAVES_OPEN else (),
        )

    @property
    def _advised(self) -> Advised:
        """What to do, and about which systems; if it is open which of several is better, about all.

        For one pair, that is its own action. For several systems and one baseline, it is the action
        of the system with the best evidence, and about all systems with the same action. With
        several baselines there is none to keep: it is about the best system, or how to choose.
        """
        waits = self.verdict.severity == "stop" and self.verdict.data_decide
        if waits or len(self.pairs) == 1:
            return Advised(self.verdict.action, (self.leading.system,), self.leading.baseline)
        if len({pair.baseline for pair in self.pairs}) > 1:
            return self._advised_of_all
        baseline, best = self.leading.baseline, {self.leading.system, *self.may_be_best}
        places = {system: place for place, system in enumerate(self.order)}

        def founded(each: PairDecision) -> tuple[float, ...]:
            """Return a sorting key: the system with the best evidence comes first."""
            may_be_best = each.pair.system in best
            worse, not_better = each.direction < 0, each.direction != 1
            outcome, place = _OUTCOMES.index(each.gate), places[each.pair.system]
            return worse, outcome, not may_be_best, not_better, place

        first, *others = sorted(self.pairs.values(), key=founded)
        tied = tuple(pair.system for pair, each in self.pairs.items() if each.is_tied)
        if first.action is Action.JUDGE_UNJUDGED and 0 < len(tied) <= _MOST_TIED:
            return Advised(Action.JUDGE_AND_BREAK_TIES, tied, baseline)
        action = with_look(first.action)
        same = [first, *(each for each in others if with_look(each.action) is action)]
        if first.pair.system in self.may_be_best:
            same = [each for each in same if each.pair.system in best]
        if all(each.action is first.action for each in same):
            action = first.action
        if action is Action.CHECK_DATA:  # of these alone
            action = Action.CHECK_SYSTEMS
        systems = tuple(each.pair.system for each in same)
        failing = {pair.system for pair, each in self.pairs.items() if each.gate == "fail"}
        rivals = tuple(name for name in self._compared(self.may_be_best) if name not in failing)
        if len(rivals) == 1 or systems[0] not in rivals:
            return Advised(action, systems, baseline)
        if len(systems) == 1:
            action = OPEN.get(action, action)
        return Advised(action, systems, baseline, rivals)

    @property
    def _advised_of_all(self) -> Advised:
        """What to do where several baselines are compared with."""
        rivals = self._compared(self.may_be_best)
        if len(rivals) != 1:
            if self.best_are_equal:
                return Advised(Action.CHOOSE_EQUAL, rivals, "")
            bases = {self.position(name).decided_by for name in rivals}
            first = (action for basis, action in _TO_CHOOSE.items() if basis in bases)
            return Advised(next(first, Action.CHOOSE), rivals, "", rivals)
        of_best = [each for each in self.pairs.values() if rivals[0] in each.pair]
        outcomes = [each.gate for each in of_best if each.pair.system == rivals[0]]
        worst = max((each.severity for each in of_best), key=_SEVERITIES.index)
        situation = Situation(
            "better", worst, max(outcomes, key=_OUTCOMES.index, default="none"), "judged"
        )
        return Advised(action_of(situation), rivals, "")

    def _compared(self, systems: Sequence[str]) -> tuple[str, ...]:
        """Return those of some systems that are in these pairs."""
        compared = {system for pair in self.pairs for system in pair}
        return tuple(system for system in systems if system in compared)


def positions_of(
    order: Sequence[str],
    relations: Mapping[str, Mapping[str, Relation]],
    equals: Mapping[str, str] = MappingProxyType({}),
    *,
    is_whole: bool = True,
) -> tuple[Position, ...]:
    """Return the position of each system.

    Parameters
    ----------
    order
        The systems by their mean, the best first.
    relations
        By system and other system, what is established of the two; others have no relation.
    equals
        The systems that have the position of another one, with that one.
    is_whole
        Whether every two systems were compared.
    """
    stands_for = {system: equals.get(system, system) for system in order}
    n_equal, best, found = Counter(stands_for.values()), stands_for[order[0]], []
    for system, one in stands_for.items():
        of_others = relations.get(one, {})
        others = [(each, n_equal[other]) for other, each in of_others.items() if other in n_equal]
        highest, lowest = _ranks([(each, n) for each, n in others if each.is_sure], len(order))
        above = [each.seen_only for each, _ in others if each.direction == -1]
        to_best = _SAME if one == best else of_others.get(best, _OPEN)
        decided_by = {each.decided_by for each, _ in others}
        found.append(
            Position(
                system,
                highest if is_whole else None,
                lowest if is_whole else None,
                *_ranks(others, len(order)),
                to_best=None if system == order[0] else to_best,
                seen_only=bool(above) and all(above),
                doubts=tuple(each for each in DEPENDS_ON if each in decided_by),
            )
        )
    return tuple(found)


def _ranks(others: Iterable[tuple[Relation, int]], n_systems: int) -> tuple[int, int]:
    """Return the ranks left open by relations to others, each with how many others have it."""
    known = Counter[int]()
    for each, n in others:
        known[each.direction] += n
    return 1 + known[-1], n_systems - known[1]


_SAME, _OPEN = Relation(0, Basis.UNCHANGED), Relation(0, Basis.INTERVAL)
