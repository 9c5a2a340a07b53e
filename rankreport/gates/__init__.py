"""Gates: requirements on differences, and whether candidates meet them."""

from rankreport.gates.gates import FORMATS, INCONCLUSIVE, SCOPES, Finding, Gate, gate
from rankreport.gates.requirements import OUTCOME_SIGNS, Outcome, measures_required
