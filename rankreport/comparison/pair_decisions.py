"""What a comparison decides: on each pair, and which systems may be the best.

The steps, each from the results of those before it:

1. The numbers of each pair decide, without a model's judgments (`decided_without_model`).
2. Cautions follow from these numbers and from the data (`cached_cautions`).
3. The numbers decide as a model's judgments correct them, if there are any (`decided_by_numbers`).
4. The cautions on each pair give its decision a severity (`pair_decisions_of`).
5. The decisions on all pairs give each system its position (`positions_on`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from rankreport.caching import cached
from rankreport.comparison.caution_policy import Known, cautions_for_action
from rankreport.comparison.cautions import (
    OF_NUMBERS,
    Clustered,
    Heaviest,
    by_pair,
    comparison_cautions,
)
from rankreport.comparison.decision import Decision, PairDecision, Position, Relation, positions_of
from rankreport.comparison.differences import (
    condensed_of,
    differences_on_measures,
    differences_without_model,
    figures_at_equal_depth,
    missing_answers_of,
    n_in_tail,
    p_differs_of,
    with_depth,
)
from rankreport.comparison.every_pair import (
    best_systems_of,
    every_contrasts,
    has_every_pair,
    rows_of_every_pair,
)
from rankreport.comparison.leading_pair import (
    decided_by_numbers,
    decided_on,
    decided_without_model,
    leading_pair_of,
)
from rankreport.comparison.model_judge import Judgments, ModelJudge, judged_by_model
from rankreport.comparison.other_decisions import decided_on_measure, other_measures_of
from rankreport.comparison.paired_differences import contrasts_of, one_sided
from rankreport.comparison.pairs import Pair
from rankreport.comparison.segments import (
    OPPOSITE_SEGMENT,
    differing_segments,
    given_segments_of,
    opposite_segments,
)
from rankreport.comparison.unseen_failures import losses_of, unallowed
from rankreport.comparison.values import ComparisonValues, compares_all, one_baseline
from rankreport.evaluation import (
    EXTRA_QUERIES,
    cautions_of_means,
    data_facts_of,
    is_unevenly_judged,
    label_cautions_of,
)
from rankreport.frames import SYSTEM
from rankreport.measures import one_of, with_shown_names
from rankreport.text import Caution, worst_first


@cached
def cached_cautions(comparison: ComparisonValues) -> tuple[Caution, ...]:
    """Return the cautions, the worst first, in the language of the first call.

    They are cached; `cautions_of` words them in the current language.
    """
    evaluation, metadata = comparison.evaluation, comparison.query_metadata
    contrasts, structure = contrasts_of(comparison), contrasts_of(comparison).structure
    judges, by_model = judged_by_model(comparison), Judgments.of(comparison).by_model
    of_means = cautions_of_means(evaluation, weighted="weights" in metadata.structure_columns)
    differences = tuple(differences_without_model(comparison).values())
    known = Known(of_means, differences, alike=contrasts.alike, by_model=by_model is not None)
    largest = losses_of(comparison, contrasts)[contrasts.measures.index(str(comparison.primary))]
    of_pairs = comparison_cautions(
        list(decided_without_model(comparison).values()),
        comparison.primary,
        n_queries=dict(evaluation.quality.select(SYSTEM, "n_queries").iter_rows()),
        leading=leading_pair_of(comparison),
        alike=contrasts.alike,
        copies=data_facts_of(evaluation).copies,
        weights=structure.weights,
        n_unweighted=metadata.n_unweighted(evaluation.query_ids),
        n_weightless=metadata.n_weightless(evaluation.query_ids),
        n_unknown=metadata.n_unknown(evaluation.query_ids),
        n_beyond=n_in_tail(comparison),
        clusters=structure.clusters,
        unallowed=unallowed(largest, weighted=structure.weighed == "queries"),
        judged=evaluation.judged_share,
        p_differs=p_differs_of(comparison),
        baseline_by_name=_baseline_by_name(comparison),
    )
    of_segments: Iterable[Caution] = ()
    if (segments := given_segments_of(comparison)) is not None:
        of_segments = opposite_segments(with_shown_names(evaluation.measures, segments))
    of_model: Iterable[Caution] = ()
    if by_model is not None:
        extra = (each for each in by_model.cautions if each.code == EXTRA_QUERIES.code)
        of_model = (*extra, *label_cautions_of(by_model))
    return worst_first(
        known.shown(of_means, "data"),
        of_model,
        known.shown(of_pairs, "everywhere"),
        of_segments,
        () if judges is None else judges.cautions,
    )


def _baseline_by_name(self: ComparisonValues) -> str | None:
    """Return the baseline, if it is the first by name of systems that a column names."""
    baseline = one_baseline(self) if self._by_default else None
    named = data_facts_of(self.evaluation).named_by_column
    return baseline if baseline in named else None


def numbers_behind_cautions(comparison: ComparisonValues) -> dict[str, Any]:
    """Return the numbers in cautions on pairs, weights, clusters and resamples, where known."""
    structure, n_beyond = contrasts_of(comparison).structure, n_in_tail(comparison)
    rows = []
    for pair, difference in differences_without_model(comparison).items():
        numbers: dict[str, float | None] = {}
        if difference.changed_effective != difference.n_changed:
            numbers["n_changed_effective"] = difference.changed_effective
        if missing := pair_decisions_of(comparison)[pair].missing:
            numbers |= {"n_one_sided": missing.n, "delta_without": missing.delta}
        if numbers:
            rows.append({**pair._asdict(), **numbers})
    behind: dict[str, Any] = {"behind_cautions": rows}
    if structure.weights is not None:
        behind["weights"] = Heaviest.of(structure.weights)._asdict()
    if structure.clusters is not None:
        behind["clusters"] = Clustered.of(structure.clusters)._asdict()
    if math.isfinite(n_beyond):
        behind["resamples_beyond"] = n_beyond
    return behind


def cautions_of(comparison: ComparisonValues) -> tuple[Caution, ...]:
    """Return the cautions in the current language, the worst first."""
    return tuple(each.in_current_language() for each in cached_cautions(comparison))


@cached
def pair_decisions_of(comparison: ComparisonValues) -> dict[Pair, PairDecision]:
    """Return the decision on each pair."""
    cautions = by_pair(cached_cautions(comparison), comparison.pairs)
    rows = given_segments_of(comparison)
    segments = {} if rows is None else differing_segments(rows)
    return {
        pair: replace(
            _with_severity(each, cautions[pair]),
            others=other_measures_of(comparison).get(pair, ()),
            opposite=any(caution.code == OPPOSITE_SEGMENT.code for caution in cautions[pair]),
            segments=segments.get(pair, ()),
        )
        for pair, each in decided_by_numbers(comparison).items()
    }


@cached
def decisions_on(comparison: ComparisonValues, name: str) -> dict[Pair, PairDecision]:
    """Return the decision on each pair by its numbers on any measure, with data to check."""
    if name == str(comparison.primary):
        return pair_decisions_of(comparison)
    return _with_data_to_check(comparison, decided_on_measure(comparison, name))


def _with_data_to_check(
    comparison: ComparisonValues, decisions: Mapping[Pair, PairDecision]
) -> dict[Pair, PairDecision]:
    """Return decisions that wait where data are to be checked, which concern all measures."""
    stops = (each for each in cached_cautions(comparison) if each.severity == "stop")
    cautions = by_pair((each for each in stops if each.code not in OF_NUMBERS), decisions)
    return {
        pair: replace(each, severity="stop") if cautions[pair] else each
        for pair, each in decisions.items()
    }


def _with_severity(decided: PairDecision, cautions: Iterable[Caution]) -> PairDecision:
    """Return a decision with the severity of the first of the cautions on its pair, the worst."""
    on_pair = cautions_for_action(decided, cautions)
    return replace(decided, severity=on_pair[0].severity if on_pair else "none")


@cached
def positions_on(
    comparison: ComparisonValues, name: str, order: tuple[str, ...], best: tuple[str, ...] = ()
) -> tuple[Position, ...]:
    """Return the position of each system on a measure.

    Two systems are related by the decision on their pair, if they were compared, otherwise by
    intervals that hold for all pairs of systems at once. Only these intervals make a rank sure. A
    system without a changed query has the position of the baseline that it equals, or the first.

    Parameters
    ----------
    comparison
        The comparison.
    name
        The measure.
    order
        The systems by their mean, the best first.
    best
        The systems to which others are related, of those that were not compared; all by default.
    """
    decided = decisions_on(comparison, name)
    unchanged = [pair for pair, each in decided.items() if each.found.is_unchanged]
    equals = {pair.system: pair.baseline for pair in reversed(unchanged)}  # the first remains
    relations: dict[str, dict[str, Relation]] = defaultdict(dict)
    for each in decisions_of_every_pair(comparison, name, best).values():
        _relate(relations, each, is_sure=not each.seen_only)
    for (baseline, system), each in decided.items():
        of_all = relations[system].get(baseline)
        is_sure = of_all is not None and of_all.is_sure and of_all.direction == each.direction
        _relate(relations, each, is_sure=is_sure)
    return positions_of(order, relations, equals, is_whole=has_every_pair(comparison))


def _relate(
    relations: dict[str, dict[str, Relation]], decided: PairDecision, *, is_sure: bool
) -> None:
    """Add what is established of two systems to the relations of each of them."""
    baseline, system = decided.pair
    of_both = (decided.basis, decided.seen_only, is_sure)
    relations[system][baseline] = Relation(decided.direction, *of_both)
    relations[baseline][system] = Relation(-decided.direction, *of_both)


@cached
def decisions_of_every_pair(
    comparison: ComparisonValues, name: str, best: tuple[str, ...] = ()
) -> dict[Pair, PairDecision]:
    """Return the decision on each pair of systems on a measure, by intervals for all pairs.

    With `best`, only the pairs with one of these are among them; if there are very many systems, by
    default those with the best on the primary measure.
    """
    primary = str(comparison.primary)
    if compares_all(comparison):
        return decisions_on(comparison, name)
    measure = one_of(comparison.evaluation.measures, name)
    every = every_contrasts(comparison, [measure], best)
    pairs = [pair for pair in every.pairs if not best or {*pair} & {*best}]
    rows = rows_of_every_pair(comparison, measure, best)
    condensed = condensed_of(comparison, name)  # without unjudged documents
    on_judged = {}
    if condensed is not None:
        on_judged = rows_of_every_pair(comparison, measure, best, condensed)
    # What all pairs share, such as the measure and the margin; a row has all else.
    shared = replace(
        next(each for each in differences_on_measures(comparison) if each.measure == name),
        on_judged=None,
        at_depth=None,
        lengths=None,
        n_simultaneous=every.family.n_simultaneous,
    )
    at_depth = figures_at_equal_depth(comparison, pairs, [measure], every)
    unanswered, query_ids = missing_answers_of(comparison), comparison.evaluation.query_ids
    missing = one_sided(every, name, unanswered, query_ids)
    cautions = by_pair(cached_cautions(comparison), pairs) if name == primary else {}
    decisions = {}
    for pair in pairs:
        difference = replace(shared, **pair._asdict(), **rows[pair])
        if pair in on_judged and is_unevenly_judged(comparison.evaluation, pair, name):
            judged = replace(difference, **on_judged[pair])
            difference = replace(difference, on_judged=judged)
        difference = with_depth(difference, at_depth.get((pair, name)))
        # No model corrects these, so that both differences are the same.
        decided = decided_on(comparison, difference, difference, missing.get(pair))
        decisions[pair] = _with_severity(decided, cautions.get(pair, ()))
    if name == primary:
        return decisions
    return _with_data_to_check(comparison, decisions)


def decision_between(
    comparison: ComparisonValues, name: str, one: str, other: str, best: tuple[str, ...]
) -> PairDecision:
    """Return the decision on two systems on a measure.

    It is their own, if they were compared, otherwise that by intervals for all pairs with one of
    `best`.
    """
    both = Pair(one, other), Pair(other, one)
    sources = decisions_on(comparison, name), decisions_of_every_pair(comparison, name, best)
    return next(found[pair] for found in sources for pair in both if pair in found)


@cached
def decision_of(comparison: ComparisonValues) -> Decision:
    """Return what is decided, in numbers: on each pair, and which systems may be the best."""
    order = tuple(best_systems_of(comparison))
    positions = positions_on(comparison, str(comparison.primary), order)
    return Decision(pair_decisions_of(comparison), positions)


@cached
def judges_with_doubts(comparison: ComparisonValues) -> ModelJudge | None:
    """Return `judged_by_model` with the pairs to check first; None without a model."""
    judges = judged_by_model(comparison)
    if judges is None:
        return None
    decided = decision_of(comparison).pairs.items()
    doubted = tuple(pair for pair, each in decided if not each.decided_by.settles)
    return replace(judges, doubted=doubted)
