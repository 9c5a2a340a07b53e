"""`Candidate`: a pair of systems with the findings on its requirements."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rankreport.comparison import DEPENDS_ON, Basis, Pair
from rankreport.gates.findings import Finding
from rankreport.gates.outcomes import worst
from rankreport.gates.requirements import Outcome
from rankreport.text import say


@dataclass(frozen=True)
class Candidate:
    """A pair of systems with the findings on its requirements.

    Attributes
    ----------
    pair
        The system and its baseline.
    findings
        One per requirement.
    name
        A unique name: the system, and the baseline too if there are several.
    """

    pair: Pair
    findings: tuple[Finding, ...]
    name: str

    def __repr__(self) -> str:
        """Return the outcome in a word."""
        return f"<{self.against}: {self.outcome}>"

    @property
    def outcome(self) -> Outcome:
        """The worst outcome: ``"pass"`` if every requirement is met."""
        return worst(self.findings)

    @property
    def doubt(self) -> Basis | None:
        """The doubt about the data where none of what is open could be settled by more queries.

        What is missing comes before what is not judged.
        """
        doubts = {each.doubt for each in self.findings if each.outcome == "inconclusive"}
        known = [basis for basis in DEPENDS_ON if basis in doubts]
        return known[-1] if known and None not in doubts else None

    @property
    def allowed(self) -> dict[str, float]:
        """By how much measures may change, of those of which a requirement says so."""
        found: dict[str, float] = {}
        for required in (each.requirement for each in self.findings):
            is_margin = required.kind == "equivalence" or required.rises == (required.threshold < 0)
            if required.kind != "superiority" and is_margin:
                least = min(abs(required.threshold), found.get(required.quantity, math.inf))
                found[required.quantity] = least
        return found

    @property
    def against(self) -> str:
        """The system and its baseline, in words."""
        return against_in_words(self.pair)


def against_in_words(pair: Pair) -> str:
    """Return a system and its baseline, in words."""
    return say("{system} against {baseline}", **pair._asdict())
