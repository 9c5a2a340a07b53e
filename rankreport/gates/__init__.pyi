from rankreport.gates.gates import FORMATS, INCONCLUSIVE, SCOPES, Gate, gate
from rankreport.gates.requirements import OUTCOME_SIGNS, Outcome, measures_required

__all__ = [
    "FORMATS",
    "INCONCLUSIVE",
    "OUTCOME_SIGNS",
    "SCOPES",
    "Gate",
    "Outcome",
    "gate",
    "measures_required",
]
