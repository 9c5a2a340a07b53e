"""Gates: requirements on differences, and whether candidates meet them."""

from rankreport.gates.gates import FORMATS, INCONCLUSIVE, Gate, gate
from rankreport.gates.requirements import OUTCOME_SIGNS, Outcome, measures_required

__all__ = [
    "FORMATS",
    "INCONCLUSIVE",
    "OUTCOME_SIGNS",
    "Gate",
    "Outcome",
    "gate",
    "measures_required",
]
