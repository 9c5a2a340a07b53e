"""Doubts: what of the data keeps a pass or a fail from counting, as the comparison decided.

It counts nevertheless where it ends so on judged documents alone, in any order of equal scores, and
where no difference is clear, without the queries that one system did not answer.
"""

from __future__ import annotations

from dataclasses import replace

from rankreport.comparison import Basis, Comparison, PairDecision, decisions_on, ends_on_judged
from rankreport.gates.findings import Finding

_OF_DOCUMENTS = frozenset({Basis.UNJUDGED, Basis.TIES, Basis.DEPTH})


def with_doubt(comparison: Comparison, found: Finding) -> Finding:
    """Return a finding with what keeps it from counting, as the comparison decided."""
    decided, required = _decided_on(comparison, found), found.requirement
    untouched = _OF_DOCUMENTS if required.is_of_silence else frozenset[Basis]()
    if required.is_of_all_users:
        untouched = frozenset({Basis.UNJUDGED})
    doubts = (
        basis
        for basis in decided.doubts_of_limits
        if basis not in untouched and not _holds_in_doubt(comparison, decided, found, basis)
    )
    says_otherwise = decided.found.word == "check first" and not untouched
    on_judged = decided.found.on_judged if says_otherwise else None
    return replace(found, doubt=next(doubts, None), on_judged=on_judged)


def _decided_on(comparison: Comparison, found: Finding) -> PairDecision:
    """Return the decision on the measure that is required, or where it is of all users at once."""
    required = found.requirement
    measure = comparison.primary if required.is_of_all_users else required.measure
    return decisions_on(comparison, str(measure))[found.difference.pair]


def _holds_in_doubt(
    comparison: Comparison, decided: PairDecision, found: Finding, doubt: Basis
) -> bool:
    """Return whether a finding ends as its figures say whatever a doubt is about does."""
    is_of_mean = found.requirement.quantity == str(found.requirement.measure)
    if found.ends is None or not is_of_mean:
        return False
    ends = _ends_in_doubt(comparison, decided, found, found.ends, doubt)
    if ends is None:
        return False
    lows, highs = zip(found.ends, ends, strict=True)
    return found.requirement.judged(min(lows), max(highs)) == found.by_figures


def _ends_in_doubt(
    comparison: Comparison,
    decided: PairDecision,
    found: Finding,
    ends: tuple[float, float],
    doubt: Basis,
) -> tuple[float, float] | None:
    """Return the ends that decide whatever a doubt is about does; None where it may do anything.

    Those in all orders of equal scores are the ends of the interval, moved by as much as these move
    the difference, and so are those without queries that one system did not answer. A difference
    that is clear and comes mostly from such queries is never settled.
    """
    (low, high), these = ends, found.scope == "these"
    if doubt is Basis.UNJUDGED:
        judged = decided.found.on_judged
        is_safe = these or found.requirement.is_kept_unchanged(found.by_figures)
        if not is_safe and judged and judged.has_few_changed:
            return None
        level = None if these else found.confidence
        return ends_on_judged(comparison, decided.pair, str(found.requirement.measure), level)
    if doubt in decided.doubts:
        return None
    if doubt is Basis.TIES:
        return decided.in_all_orders(low, high)
    return None if not these and (low > 0 or high < 0) else decided.without_missing(low, high)
