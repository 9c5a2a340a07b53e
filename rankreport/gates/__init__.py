"""Gates: requirements on differences, and whether candidates meet them."""

from rankreport.gates.gates import INCONCLUSIVE, Gate, gate
from rankreport.gates.requirements import OUTCOME_SIGNS, Outcome, measures_required

__all__ = ["INCONCLUSIVE", "OUTCOME_SIGNS", "Gate", "Outcome", "gate", "measures_required"]
