"""Whether a change may pass, requirement by requirement."""

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
