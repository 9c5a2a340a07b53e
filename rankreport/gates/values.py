"""The values that a gate consists of: how it ends, and which of its candidates come first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rankreport.caching import Caching, cached
from rankreport.comparison import FEW_PAIRS, Comparison, Pair, Verdict, pairs_best_first
from rankreport.gates.candidates import Candidate, against_in_words
from rankreport.gates.findings import Finding
from rankreport.gates.outcomes import worst, worst_first
from rankreport.gates.requirements import Outcome
from rankreport.io import FromFiles
from rankreport.text import Caution


@dataclass(frozen=True, eq=False, repr=False)
class GateValues(Caching, FromFiles):
    """The values that a `Gate` consists of; all that it says is a function of them."""

    comparison: Comparison
    findings: tuple[Finding, ...]
    inconclusive: str
    scope: str = "population"
    largest_loss: float | None = None

    @property
    def requirements(self) -> list[str]:
        """The requirements, as they were given."""
        return list(dict.fromkeys(each.requirement.text for each in self.findings))

    @property
    def outcome(self) -> Outcome:
        """The worst outcome: ``"fail"``, else ``"inconclusive"``, else ``"pass"``."""
        return worst(self.findings)

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates with their findings, in the order of the comparison's pairs."""
        found: dict[Pair, list[Finding]] = {}
        for each in self.findings:
            found.setdefault(each.difference.pair, []).append(each)
        named = len(self.comparison.baselines) > 1
        return tuple(
            Candidate(pair, tuple(of_pair), against_in_words(pair) if named else pair.system)
            for pair, of_pair in found.items()
        )

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before acting on the comparison, the worst first."""
        return self.comparison.cautions

    @property
    def action(self) -> str:
        """What to do about the verdict and this outcome, in a sentence."""
        return verdict(self).action


@cached
def verdict(self: GateValues) -> Verdict:
    """Return the comparison's verdict; its action takes the gate's outcomes into account."""
    candidates, found = self.candidates, self.comparison.verdict()
    gated = found.decision.gated(
        {each.pair: each.outcome for each in candidates},
        {each.pair: each.allowed for each in candidates},
        {each.pair: each.doubt for each in candidates},
    )
    return replace(found, decision=gated)


def leading_candidate(self: GateValues) -> Candidate:
    """Return the candidate of the comparison's verdict."""
    leading = self.comparison.decision.leading
    return next(each for each in self.candidates if each.pair == leading)


def has_many_candidates(self: GateValues) -> bool:
    """Return whether there are too many candidates to describe each."""
    return len(self.comparison.pairs) > FEW_PAIRS


def detailed_candidates(self: GateValues) -> tuple[Candidate, ...]:
    """Return the candidates described in sentences: all, or the leading one of many."""
    return (leading_candidate(self),) if has_many_candidates(self) else self.candidates


def best_candidates_first(self: GateValues) -> list[Candidate]:
    """Return the candidates by their differences on the primary measure; few as they are."""
    known = {each.pair: each for each in self.candidates}
    return [known[pair] for pair in pairs_best_first(self.comparison)]


def findings_in_order(self: GateValues) -> Sequence[Finding]:
    """Return all findings; for many candidates, the worst outcomes first, then the best systems."""
    if not has_many_candidates(self):
        return self.findings
    return worst_first(found for each in best_candidates_first(self) for found in each.findings)
