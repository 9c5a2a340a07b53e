"""Doubts: what of the data keeps a pass or a fail from counting, as the comparison decided.

It counts nevertheless where it ends so on judged documents alone and in any order of equal scores.
"""

from __future__ import annotations

from dataclasses import replace

from rankreport.comparison import Basis, Comparison, PairDecision, decisions_on, ends_on_judged
from rankreport.gates.findings import Finding

_OF_DOCUMENTS = frozenset({Basis.UNJUDGED, Basis.TIES, Basis.DEPTH})


def with_doubt(comparison: Comparison, found: Finding) -> Finding:
    """Return a finding with what keeps it from counting, as the comparison decided."""
    decided, required = _decided_on(comparison, found), found.requirement
    of_mean = required.quantity == str(required.measure)
    ends = _ends_in_doubt(comparison, decided, found) if of_mean else None
    holds = ends is not None and required.judged(*ends) == found.by_figures
    holds |= required.is_of_silence and decided.doubt in _OF_DOCUMENTS
    holds |= required.is_of_all_users and decided.doubt is Basis.UNJUDGED
    untouched = required.is_of_silence or required.is_of_all_users
    says_otherwise = decided.found.word == "check first" and not untouched
    on_judged = decided.found.on_judged if says_otherwise else None
    return replace(found, doubt=None if holds else decided.doubt, on_judged=on_judged)


def _decided_on(comparison: Comparison, found: Finding) -> PairDecision:
    """Return the decision on the measure that is required, or where it is of all users at once."""
    required = found.requirement
    measure = comparison.primary if required.is_of_all_users else required.measure
    return decisions_on(comparison, str(measure))[found.difference.pair]


def _ends_in_doubt(
    comparison: Comparison, decided: PairDecision, found: Finding
) -> tuple[float, float] | None:
    """Return the ends that decide whatever unjudged documents and ties do; None of other doubts.

    That over orders of equal scores is the interval, wider by as much as they move the difference.
    """
    judged = decided.found.on_judged
    if found.ends is None or decided.situation.worst == "stop":
        return None
    ends, these = [found.ends], found.scope == "these"
    if decided.doubt is Basis.UNJUDGED:
        is_safe = these or found.requirement.is_kept_unchanged(found.by_figures)
        if not is_safe and judged and judged.has_few_changed:
            return None
        ends.append(
            ends_on_judged(
                comparison,
                decided.pair,
                str(found.requirement.measure),
                None if these else found.confidence,
            )
        )
    if decided.reversible:
        ends.append(decided.in_all_orders(*found.ends))
    lows, highs = zip(*ends, strict=True)
    return min(lows), max(highs)
