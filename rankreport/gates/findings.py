"""`Finding`: one requirement, judged for one candidate."""

from __future__ import annotations

from rankreport.gates.findings_in_words import change_of, interval_of, reason_of
from rankreport.gates.outcomes import FindingValues
from rankreport.text import say


class Finding(FindingValues):
    """One requirement, judged for one candidate: its numbers and outcome, and both in words."""

    def __repr__(self) -> str:
        """Return the outcome and why, in a sentence."""
        return f"<{self.shortcoming(self.difference.system)}>"

    @property
    def reason(self) -> str:
        """The outcome and why, in a sentence without a full stop."""
        return reason_of(self)

    @property
    def change(self) -> str:
        """The mean difference, signed."""
        return change_of(self)

    @property
    def interval(self) -> str:
        """The end of the interval that decides or would, or both, or what else decides."""
        return interval_of(self)

    def shortcoming(self, name: str) -> str:
        """Return a sentence on why a candidate of this name does not pass."""
        return say("{candidate}: {reason}.", candidate=name, reason=self.reason)
