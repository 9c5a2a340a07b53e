"""How a gate ends a build: what an inconclusive outcome counts as, and the exit code."""

from __future__ import annotations

from collections.abc import Mapping

from rankreport.gates.findings import Finding
from rankreport.gates.outcomes import WORST_LAST
from rankreport.gates.values import GateValues

_EXIT_CODES: Mapping[str, int] = {"pass": 0, "fail": 1, "inconclusive": 3}


def exit_code_of(self: GateValues) -> int:
    """Return `Gate.exit_code`."""
    return _EXIT_CODES[counted_outcome(self)]


def counted_outcome(self: GateValues) -> str:
    """Return what the outcome counts as."""
    return max((counts_as(self, each) for each in self.findings), key=WORST_LAST.index)


def counts_as(self: GateValues, finding: Finding) -> str:
    """Return what the outcome of a requirement counts as.

    That an inconclusive one counts as a pass is meant of what more queries would settle.
    """
    is_no_pass = self.inconclusive == "pass" and finding.is_open_by_data
    if finding.outcome != "inconclusive" or is_no_pass:
        return finding.outcome
    return self.inconclusive
