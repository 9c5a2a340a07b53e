from rankreport.gates.gates import (
    FORMATS,
    INCONCLUSIVE,
    SCOPES,
    Finding,
    Gate,
    gate,
)
from rankreport.gates.requirements import OUTCOME_SIGNS, Outcome, measures_required

__all__ = [
    "FORMATS",
    "INCONCLUSIVE",
    "OUTCOME_SIGNS",
    "SCOPES",
    "Finding",
    "Gate",
    "Outcome",
    "gate",
    "measures_required",
]
