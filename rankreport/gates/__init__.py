"""Gates: requirements on differences, and whether candidates meet them."""

from rankreport.gates.build_verdict import BuildVerdict
from rankreport.gates.gates import (
    FORMATS,
    INCONCLUSIVE,
    SCOPES,
    Finding,
    Gate,
    allowing_for_rare,
    findings_in_order,
    gate,
    has_many_candidates,
    leading_candidate,
    meeting_in_words,
    passing_of_many,
    shortcomings_of,
)
from rankreport.gates.requirements import OUTCOME_SIGNS, Outcome, measures_required
