"""What a gate found, in words: for all candidates together, for each, and for the leading one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from rankreport.candidates import (
    WORST_LAST,
    Candidate,
    candidates_of,
    fate,
    meeting,
    tally,
    worst,
)
from rankreport.columns import BASELINE, MEASURE, SYSTEM
from rankreport.compared import FEW_PAIRS
from rankreport.comparison import Comparison
from rankreport.findings import Finding
from rankreport.pairing import Pair
from rankreport.rendering.language import say
from rankreport.rendering.text import counted, paragraph, strung
from rankreport.requirements import Outcome

__all__ = ["Gated"]

_NAMED = 10
"""So many candidates that meet all requirements are named."""


@dataclass(frozen=True, eq=False, repr=False)
class Gated:
    """Findings, by candidate and in sentences.

    Attributes
    ----------
    comparison
        What was judged.
    findings
        One per candidate and requirement.
    inconclusive
        What an inconclusive outcome counts as.
    """

    comparison: Comparison
    findings: tuple[Finding, ...]
    inconclusive: str

    @property
    def outcome(self) -> Outcome:
        """The worst of all: ``"fail"``, else ``"inconclusive"``, else ``"pass"``."""
        return worst(self.findings)

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Every pair of the comparison, in its order, with what was found of it."""
        return candidates_of(self.findings)

    @property
    def leading(self) -> Candidate:
        """The candidate that the comparison's verdict is on."""
        pair = self.comparison.leading()
        return next(each for each in self.candidates if each.pair == pair)

    @property
    def is_many(self) -> bool:
        """Whether there are more candidates than anybody reads sentences on."""
        return len(self.comparison.pairs) > FEW_PAIRS

    @property
    def told(self) -> tuple[Candidate, ...]:
        """The candidates that there are sentences on: all, or of many the leading one."""
        return (self.leading,) if self.is_many else self.candidates

    @property
    def headline(self) -> str:
        """The outcome in a sentence; of several requirements, how many ended in which way."""
        n_pairs, n = len(self.comparison.pairs), len(self.findings)
        if n == 1:
            return say("{outcome}.", outcome=self._in_words)
        told = {
            "outcome": self._in_words,
            "requirements": counted(n // n_pairs, "requirement", "requirements"),
            "tally": tally(self.findings),
        }
        if n_pairs == 1:
            return say("{outcome}: of {requirements}, {tally}.", **told)
        return say(
            "{outcome}: of {requirements} for each of {candidates}, {tally}.",
            **told,
            candidates=self.n_in_words,
        )

    @property
    def in_short(self) -> str:
        """The outcome, and before it that of the leading candidate where it may be another."""
        if self.outcome == "pass" or len(self.candidates) == 1:
            return self.headline
        leading = say(
            "{fate}; of {candidates}, {meeting}.",
            fate=fate(self.leading),
            candidates=self.n_in_words,
            meeting=meeting(self.candidates),
        )
        told = {"outcome": self._in_words, "candidates": self.n_in_words}
        if self.outcome == "inconclusive" and self.inconclusive == "pass":
            return paragraph(leading, say("{outcome}.", outcome=self._in_words))
        return paragraph(leading, say("{outcome}: all {candidates} must.", **told))

    @property
    def met(self) -> str:
        """Which of many candidates meet every requirement, in a sentence; empty of few."""
        if not self.is_many:
            return ""
        told = {"candidates": self.n_in_words, "meeting": meeting(self.candidates)}
        names = [each.name for each in self._best_first if each.outcome == "pass"]
        if not names:
            return say("Of {candidates}, {meeting}.", **told)
        if len(names) > _NAMED:
            names[_NAMED:] = [say("and {n} more", n=len(names) - _NAMED)]
        return say("Of {candidates}, {meeting}: {names}.", **told, names=strung(names))

    @property
    def n_in_words(self) -> str:
        """How many candidates there are; of several baselines, how many comparisons."""
        n = len(self.comparison.pairs)
        if self.comparison.one_baseline is None:
            return counted(n, "comparison", "comparisons")
        return counted(n, "candidate", "candidates")

    @property
    def in_order(self) -> Sequence[Finding]:
        """All findings; of many candidates the worst outcomes first, and then the best systems."""
        if not self.is_many:
            return self.findings
        best_first = [found for each in self._best_first for found in each.findings]
        return sorted(best_first, key=lambda found: -WORST_LAST.index(found.outcome))

    @property
    def _best_first(self) -> list[Candidate]:
        """The candidates in the order in which the comparison shows many pairs."""
        comparison = self.comparison
        rows = comparison.best_first(comparison.uncautioned)
        decisive = rows.filter(pl.col(MEASURE) == str(comparison.primary))
        known = {each.pair: each for each in self.candidates}
        return [known[Pair(*pair)] for pair in decisive.select(BASELINE, SYSTEM).iter_rows()]

    @property
    def _in_words(self) -> str:
        match self.outcome, self.inconclusive:
            case "pass", _:
                return say("The gate passes")
            case "fail", _:
                return say("The gate fails")
            case _, "pass":
                return say("The gate is inconclusive, which counts as a pass")
            case _, "fail":
                return say("The gate is inconclusive, which counts as a fail")
            case _:
                return say("The gate is inconclusive")
