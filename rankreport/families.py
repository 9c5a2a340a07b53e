"""Which differences are corrected together: several tries look better than one."""

from __future__ import annotations

from dataclasses import dataclass

from rankreport import statistics

__all__ = ["ACROSS", "Family"]

ACROSS = {
    "systems": "of each measure apart",
    "measures": "of all measures together",
}
"""What a correction for several differences counts."""


@dataclass(frozen=True)
class Family:
    """Which differences are corrected together, and how.

    Attributes
    ----------
    correction, across
        By name.
    n_pairs, n_measures
        How many of each there are.
    """

    correction: str
    across: str
    n_pairs: int
    n_measures: int

    @property
    def n_tests(self) -> int:
        """How many differences are corrected together."""
        return self.n_pairs * (self.n_measures if self.across == "measures" else 1)

    @property
    def corrects(self) -> bool:
        """Whether anything is corrected."""
        return self.correction != "none" and self.n_tests > 1

    def level(self, confidence: float) -> float:
        """Return the confidence of one interval where that of all is `confidence`."""
        return statistics.level_of_each(self.correction, confidence, self.n_tests)
