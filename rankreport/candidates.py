"""What became of a gate's candidates: each a system against a baseline, judged by requirements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rankreport.findings import Finding
from rankreport.pairing import Pair
from rankreport.rendering.language import say
from rankreport.rendering.text import counted, listed
from rankreport.requirements import Outcome

__all__ = ["WORST_LAST", "Candidate", "candidates_of", "fate", "meeting", "tally", "worst"]

WORST_LAST: tuple[Outcome, ...] = ("pass", "inconclusive", "fail")
"""Of several outcomes the last of these is that of all."""


@dataclass(frozen=True)
class Candidate:
    """A pair of systems, and what was found of each requirement.

    Attributes
    ----------
    pair
        The system, and the baseline that it is compared with.
    findings
        One per requirement.
    name
        What tells it from the others: its system, and its baseline too where there are several.
    """

    pair: Pair
    findings: tuple[Finding, ...]
    name: str

    @property
    def outcome(self) -> Outcome:
        """The worst of all: ``"pass"`` where it meets every requirement."""
        return worst(self.findings)

    @property
    def against(self) -> str:
        """Its system and its baseline."""
        return _against(self.pair)


def candidates_of(findings: Iterable[Finding]) -> tuple[Candidate, ...]:
    """Return the candidates that findings are of, in their order."""
    found: dict[Pair, list[Finding]] = {}
    for each in findings:
        found.setdefault(Pair(each.baseline, each.system), []).append(each)
    one_baseline = len({pair.baseline for pair in found}) == 1
    return tuple(
        Candidate(pair, tuple(its_own), pair.system if one_baseline else _against(pair))
        for pair, its_own in found.items()
    )


def worst(findings: Iterable[Finding]) -> Outcome:
    """Return the outcome of all findings together."""
    return max((each.outcome for each in findings), key=WORST_LAST.index)


def tally(findings: Iterable[Finding]) -> str:
    """Count how findings ended, such as ``2 pass and 1 fails``."""
    ended = Counter(each.outcome for each in findings)
    return listed([_ended(way, ended[way]) for way in WORST_LAST if ended[way]])


def fate(candidate: Candidate) -> str:
    """Say what became of a candidate."""
    name, n = candidate.name, len(candidate.findings)
    if n == 1:
        return _fate_of_one(candidate.outcome, name)
    if candidate.outcome == "pass":
        return say("{candidate} meets all {n} requirements", candidate=name, n=n)
    return say(
        "{candidate}: of {requirements}, {tally}",
        candidate=name,
        requirements=counted(n, "requirement", "requirements"),
        tally=tally(candidate.findings),
    )


def meeting(candidates: Sequence[Candidate]) -> str:
    """Count those that meet every requirement, such as ``1 meets all``."""
    n = sum(each.outcome == "pass" for each in candidates)
    if len(candidates[0].findings) == 1:
        return counted(n, "meets it", "meet it") if n else say("none meets it")
    return counted(n, "meets all", "meet all") if n else say("none meets all")


def _fate_of_one(outcome: Outcome, name: str) -> str:
    match outcome:
        case "pass":
            return say("{candidate} meets the requirement", candidate=name)
        case "fail":
            return say("{candidate} fails the requirement", candidate=name)
        case _:
            return say("{candidate} is inconclusive on the requirement", candidate=name)


def _against(pair: Pair) -> str:
    return say("{system} against {baseline}", **pair._asdict())


def _ended(outcome: Outcome, n: int) -> str:
    match outcome:
        case "pass":
            return counted(n, "passes", "pass")
        case "fail":
            return counted(n, "fails", "fail")
        case _:
            return counted(n, "is inconclusive", "are inconclusive")
