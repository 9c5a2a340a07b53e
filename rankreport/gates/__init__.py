"""Gates: requirements on differences, and whether candidates meet them."""

from typing import TYPE_CHECKING

from rankreport._public import attach

if TYPE_CHECKING:
    from rankreport.gates.build_verdict import BuildVerdict
    from rankreport.gates.findings import Finding
    from rankreport.gates.findings_in_words import (
        ended_in_words,
        ends_allowing_for_rare,
        groups_in_words,
        interval_explained,
    )
    from rankreport.gates.gate_in_words import meeting_in_words, passing_of_many, shortcomings_of
    from rankreport.gates.gates import Gate, gate
    from rankreport.gates.outcomes import worst_first
    from rankreport.gates.requirements import (
        INCONCLUSIVE,
        OUTCOME_SIGNS,
        SCOPES,
        Outcome,
        measures_required,
    )
    from rankreport.gates.values import findings_in_order, has_many_candidates, leading_candidate
else:
    __getattr__, __dir__ = attach(globals())
