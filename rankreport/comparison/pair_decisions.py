"""What a comparison decides: on each pair, and which systems may be the best."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from rankreport.caching import cached
from rankreport.comparison.caution_policy import of_action
from rankreport.comparison.cautions import by_pair
from rankreport.comparison.cautions_found import known_cautions_of
from rankreport.comparison.contrasts import one_sided
from rankreport.comparison.decision import Basis, Decision, PairDecision, Relation, positions_of
from rankreport.comparison.differences import (
    condensed_of,
    figures_at_equal_depth,
    is_uneven,
    own_differences,
    with_depth,
)
from rankreport.comparison.every_pair import (
    all_pairs_of,
    best_systems_of,
    every_contrasts,
    rows_of_every_pair,
)
from rankreport.comparison.leading_pair import decided_by_numbers, decided_on
from rankreport.comparison.model_judge import ModelJudge, judged_by_model
from rankreport.comparison.other_measures import other_measures_of
from rankreport.comparison.pairs import Pair
from rankreport.comparison.segments import OPPOSITE_SEGMENT, differing, own_segments_of
from rankreport.comparison.values import ComparisonValues, family_of
from rankreport.text import Caution


@cached
def pair_decisions_of(comparison: ComparisonValues) -> dict[Pair, PairDecision]:
    """Return the decision on each pair."""
    cautions = by_pair(known_cautions_of(comparison), comparison.pairs)
    rows = own_segments_of(comparison)
    segments = {} if rows is None else differing(rows)
    return {
        pair: replace(
            _with_severity(each, cautions[pair]),
            others=other_measures_of(comparison).get(pair, ()),
            opposite=any(known.code == OPPOSITE_SEGMENT.code for known in cautions[pair]),
            segments=segments.get(pair, ()),
        )
        for pair, each in decided_by_numbers(comparison).items()
    }


def _with_severity(decided: PairDecision, known: Iterable[Caution]) -> PairDecision:
    """Return a decision with the worst severity of the cautions on its pair."""
    decides = of_action(decided, known)
    return replace(decided, severity=decides[0].severity if decides else "none")


def _relations_of(comparison: ComparisonValues) -> Callable[[str, str], Relation]:
    """Return a function that says whether a system is better or worse than another, and why.

    It is what was decided on the pair, if the two were compared; otherwise what intervals that
    hold for all pairs of systems establish. What holds of a baseline holds of its equals.
    """
    decided = pair_decisions_of(comparison)
    unchanged = [pair for pair, each in decided.items() if each.found.is_unchanged]
    equals = {pair.system: pair.baseline for pair in reversed(unchanged)}
    known: dict[tuple[str, str], Relation] = {}
    for (baseline, system), found in (*_not_compared(comparison).items(), *decided.items()):
        basis = Basis.TIES if found.standing == "ties" else found.decided_by
        known[system, baseline] = Relation(found.direction, basis, found.seen_only)
        known[baseline, system] = Relation(-found.direction, basis, found.seen_only)

    def relation(one: str, other: str) -> Relation:
        one, other = equals.get(one, one), equals.get(other, other)
        return _SAME if one == other else known.get((one, other), _OPEN)

    return relation


_SAME, _OPEN = Relation(0, Basis.UNCHANGED), Relation(0, Basis.INTERVAL)


@cached
def _not_compared(comparison: ComparisonValues) -> dict[Pair, PairDecision]:
    """Return the decision on each pair not compared, by intervals that hold for all pairs."""
    if all_pairs_of(comparison) == comparison.pairs:
        return {}
    rows, on_judged = rows_of_every_pair(comparison), {}
    if condensed_of(comparison) is not None:
        on_judged = rows_of_every_pair(comparison, condensed=True)
    compared = {*map(frozenset, comparison.pairs)}
    pairs = [
        pair
        for pair in all_pairs_of(comparison)
        if pair in rows and frozenset(pair) not in compared
    ]
    family = replace(family_of(comparison), n_pairs=len(all_pairs_of(comparison)))
    alone = replace(
        next(iter(own_differences(comparison).values())),
        on_judged=None,
        at_depth=None,
        lengths=None,
        n_simultaneous=family.n_simultaneous,
    )
    at_depth = figures_at_equal_depth(
        comparison, pairs, [comparison.primary], all_pairs_of(comparison)
    )
    missing = one_sided(
        every_contrasts(comparison, [comparison.primary]).of_pairs(pairs),
        str(comparison.primary),
        comparison.evaluation.unanswered,
        comparison.evaluation.query_ids,
    )
    cautions, found = by_pair(known_cautions_of(comparison), pairs), {}
    for pair in pairs:
        seen = replace(alone, **pair._asdict(), **rows[pair])
        if is_uneven(comparison, pair) and pair in on_judged:
            seen = replace(seen, on_judged=replace(seen, **on_judged[pair]))
        seen = with_depth(seen, at_depth.get((pair, str(comparison.primary))))
        decided = decided_on(comparison, seen, seen, missing.get(pair))
        found[pair] = _with_severity(decided, cautions[pair])
    return found


@cached
def decision_of(comparison: ComparisonValues) -> Decision:
    """Return what is decided, in numbers: on each pair, and which systems may be the best."""
    return Decision(
        pair_decisions_of(comparison),
        positions_of(best_systems_of(comparison), _relations_of(comparison)),
    )


@cached
def judges_decided(comparison: ComparisonValues) -> ModelJudge | None:
    """Return a model's judgments next to people's; None without a model."""
    judges = judged_by_model(comparison)
    if judges is None:
        return None
    decided = decision_of(comparison).pairs.items()
    return replace(
        judges,
        doubted=tuple(p for p, each in decided if each.word == "check first"),
    )
