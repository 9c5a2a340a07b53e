"""What was found of a requirement: an outcome, and the reason in words.

It comes from the interval alone, as the verdict does, and by the same rule: with too few changed
queries nothing is superior and nothing fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from rankreport.columns import BASELINE, MEASURE, SYSTEM
from rankreport.difference import MIN_CHANGED, changed_queries, decimals_beside
from rankreport.rendering.language import say
from rankreport.rendering.text import counted, decimals, number, percent
from rankreport.requirements import Outcome, Requirement
from rankreport.verdict import FEW_CHANGED

__all__ = ["COLUMNS", "Finding"]

COLUMNS = {
    BASELINE: pl.String,
    SYSTEM: pl.String,
    "requirement": pl.String,
    "kind": pl.String,
    MEASURE: pl.String,
    "threshold": pl.Float64,
    "n_queries": pl.Int64,
    "n_changed": pl.Int64,
    "delta": pl.Float64,
    "ci_low": pl.Float64,
    "ci_high": pl.Float64,
    "confidence": pl.Float64,
    "outcome": pl.String,
    "reason": pl.String,
}
"""Of the frame that `Finding.row` is a row of."""


@dataclass(frozen=True)
class Finding:
    """One requirement, judged for one candidate.

    Attributes
    ----------
    baseline, system
        The candidate, and what it is compared with.
    requirement
        What is required.
    n_queries, n_changed, delta
        On how many queries both have a value and differ, and by how much on average.
    ci_low, ci_high
        The two-sided interval that decides, or None.
    confidence
        That was asked for; the interval's own is ``requirement.level(confidence)``.
    n_telling
        How many independent queries of equal weight those that changed are worth; all, if None.
    """

    baseline: str
    system: str
    requirement: Requirement
    n_queries: int
    n_changed: int
    delta: float | None
    ci_low: float | None
    ci_high: float | None
    confidence: float
    n_telling: float | None = None

    @property
    def telling(self) -> float:
        """How many independent queries changed: what nothing is said without."""
        return self.n_changed if self.n_telling is None else self.n_telling

    @property
    def outcome(self) -> Outcome:
        """Whether the requirement holds, is broken, or neither can be said."""
        is_superiority = self.requirement.kind == "superiority"
        if self.n_changed == 0 and self.n_queries > 0:
            return "inconclusive" if is_superiority else "pass"
        if self.ci_low is None or self.ci_high is None:
            return "inconclusive"
        outcome = self.requirement.judged(self.ci_low, self.ci_high)
        is_safe = outcome == "pass" and not is_superiority
        enough = self.telling >= MIN_CHANGED
        return outcome if is_safe or enough else "inconclusive"

    @property
    def reason(self) -> str:
        """The outcome and why, in a sentence without its full stop."""
        told = {"requirement": self.requirement.words, "why": self._why}
        match self.outcome:
            case "pass":
                return say("passes: {requirement}; {why}", **told)
            case "fail":
                return say("fails: {requirement}; {why}", **told)
            case _:
                return say("inconclusive: {requirement}; {why}", **told)

    def shortcoming(self, name: str) -> str:
        """Say what a candidate of that name does not pass, and why."""
        told = {"candidate": name, "requirement": self.requirement.words, "why": self._why}
        if self.outcome == "fail":
            return say("{candidate} fails: {requirement}; {why}.", **told)
        return say("{candidate} is inconclusive: {requirement}; {why}.", **told)

    @property
    def interval(self) -> str:
        """The end of the interval that decides, or both, with the confidence."""
        low, high = self.ci_low, self.ci_high
        if low is None or high is None:
            return say("no interval")
        if self.requirement.kind == "non-inferiority" and self.outcome != "inconclusive":
            is_lower = self.requirement.rises == (self.outcome == "pass")
            end = self._number(low if is_lower else high)
            told = {"confidence": percent(self.confidence), "end": end}
            if is_lower:
                return say("one-sided {confidence} lower bound {end}", **told)
            return say("one-sided {confidence} upper bound {end}", **told)
        return say(
            "{confidence} interval {low} to {high}",
            confidence=percent(self.requirement.level(self.confidence)),
            low=self._number(low),
            high=self._number(high),
        )

    @property
    def change(self) -> str:
        """The mean difference, signed."""
        return self._number(self.delta)

    def row(self) -> dict[str, Any]:
        """Return the row of `Gate.table`."""
        return {
            BASELINE: self.baseline,
            SYSTEM: self.system,
            "requirement": self.requirement.text,
            "kind": self.requirement.kind,
            MEASURE: str(self.requirement.measure),
            "threshold": self.requirement.threshold,
            "n_queries": self.n_queries,
            "n_changed": self.n_changed,
            "delta": self.delta,
            "ci_low": self.ci_low,
            "ci_high": self.ci_high,
            "confidence": self.requirement.level(self.confidence),
            "outcome": self.outcome,
            "reason": self.reason,
        }

    @property
    def _why(self) -> str:
        if self.n_queries == 0:
            return say("no query has a value for both systems")
        if self.n_changed == 0:
            queries = counted(self.n_queries, "query", "queries")
            return say("none of the {queries} changed", queries=queries)
        if not self.telling:
            return say("the changes cancel out within every cluster")
        if self.ci_low is None or self.ci_high is None:
            return say(
                "it changed by {change} on every query, which leaves nothing to make an interval "
                "from",
                change=self.change,
            )
        return self._why_of_interval(self.ci_low, self.ci_high)

    def _why_of_interval(self, low: float, high: float) -> str:
        found = {"change": self.change, "interval": self.interval}
        if self.outcome == "inconclusive":
            return self._why_inconclusive(found, low, high)
        if self.telling >= FEW_CHANGED:
            return say("it changed by {change} ({interval})", **found)
        return say(
            "it changed by {change} ({interval}); only {queries} changed, so the interval may be "
            "too narrow",
            **found,
            queries=changed_queries(self.n_changed, self.telling),
        )

    def _why_inconclusive(self, found: dict[str, str], low: float, high: float) -> str:
        if self.requirement.judged(low, high) == "inconclusive":
            return say(
                "it changed by {change} ({interval}), which neither shows it nor rules it out",
                **found,
            )
        return say(
            "it changed by {change} ({interval}), but only {queries} changed, and {enough} are "
            "needed",
            **found,
            queries=changed_queries(self.n_changed, self.telling),
            enough=MIN_CHANGED,
        )

    def _number(self, value: float | None) -> str:
        """Write a difference; an end of its interval stands on its own side of what limits it."""
        threshold, ends = self.requirement.threshold, (self.ci_low, self.ci_high)
        either_way = self.requirement.kind == "equivalence"
        limits = (-threshold, threshold) if either_way else (threshold,)
        digits = decimals_beside(limits, ends, decimals(self.delta, *ends))
        return number(value, digits, signed=True)
