"""What a comparison decides: on each pair, and which systems may be the best.

It is decided in this order: by the numbers of people's judgments (`decided_by_own_numbers`), from
which cautions follow; by those numbers as a model's judgments correct them, where there are any
(`decided_by_numbers`); with the severity of the cautions on each pair (`pair_decisions_of`); and
from all pairs, where systems stand (`_positions_of`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rankreport.caching import cached
from rankreport.comparison.caution_policy import Known, of_action
from rankreport.comparison.cautions import Clustered, Heaviest, by_pair, comparison_cautions
from rankreport.comparison.decision import (
    Basis,
    Decision,
    PairDecision,
    Position,
    Relation,
    positions_of,
)
from rankreport.comparison.differences import (
    condensed_of,
    figures_at_equal_depth,
    is_uneven,
    missing_answers_of,
    n_in_tail,
    own_differences,
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
    decided_by_own_numbers,
    decided_on,
    leading_pair_of,
)
from rankreport.comparison.model_judge import ModelJudge, judged_by_model
from rankreport.comparison.other_measures import other_measures_of
from rankreport.comparison.paired_differences import contrasts_of, one_sided
from rankreport.comparison.pairs import Pair
from rankreport.comparison.segments import (
    OPPOSITE_SEGMENT,
    differing,
    disagreements,
    own_segments_of,
)
from rankreport.comparison.unseen_failures import losses_of, unallowed
from rankreport.comparison.values import ComparisonValues, compares_all, one_baseline
from rankreport.evaluation import EXTRA_QUERIES, cautions_of_means, data_facts_of, label_cautions_of
from rankreport.frames import SYSTEM
from rankreport.measures import with_shown_names
from rankreport.text import Caution, worst_first


@cached
def known_cautions_of(self: ComparisonValues) -> tuple[Caution, ...]:
    """Return the cautions, in the language of the first call: `cautions_of` words them again."""
    judges, rows = judged_by_model(self), own_segments_of(self)
    opposite: Iterable[Caution] = ()
    if rows is not None:
        opposite = disagreements(with_shown_names(self.evaluation.measures, rows))
    contrasts, weighted = contrasts_of(self), "weights" in self.query_metadata.structure_columns
    of_means = cautions_of_means(self.evaluation, weighted=weighted)
    known = Known(
        of_means,
        tuple(own_differences(self).values()),
        alike=contrasts.alike,
        by_model=self._by_model is not None,
    )
    of_data = known.settled(of_means, "data")
    cautions = comparison_cautions(
        list(decided_by_own_numbers(self).values()),
        self.primary,
        n_queries=dict(self.evaluation.quality.select(SYSTEM, "n_queries").iter_rows()),
        leading=leading_pair_of(self),
        alike=contrasts.alike,
        copies=data_facts_of(self.evaluation).copies,
        weights=contrasts.structure.weights,
        n_unweighted=self.query_metadata.n_unweighted(self.evaluation.query_ids),
        n_weightless=self.query_metadata.n_weightless(self.evaluation.query_ids),
        n_unknown=self.query_metadata.n_unknown(self.evaluation.query_ids),
        beyond=n_in_tail(self),
        clusters=contrasts.structure.clusters,
        unallowed=unallowed(
            losses_of(self, contrasts)[contrasts.measures.index(str(self.primary))],
            weighted=contrasts.structure.weighed == "queries",
        ),
        judged=self.evaluation.judged_share,
        p_differs=p_differs_of(self),
        by_name=_baseline_by_name(self),
    )
    of_pairs = known.settled(cautions, "everywhere")
    if judges is None or self._by_model is None:
        return worst_first(of_data, of_pairs, opposite)
    of_model = self._by_model.evaluation
    extra = [each for each in of_model.cautions if each.code == EXTRA_QUERIES.code]
    of_data = (*of_data, *extra, *label_cautions_of(of_model))
    return worst_first(of_data, of_pairs, opposite, judges.cautions)


def _baseline_by_name(self: ComparisonValues) -> str | None:
    """Return the baseline, if it is the first by name of systems that a column names."""
    baseline = one_baseline(self) if self._by_default else None
    named = data_facts_of(self.evaluation).named_by_column
    return baseline if baseline in named else None


def numbers_behind_cautions(comparison: ComparisonValues) -> dict[str, Any]:
    """Return the numbers in cautions on pairs, weights, clusters and resamples, where known."""
    structure, beyond, rows = contrasts_of(comparison).structure, n_in_tail(comparison), []
    for pair, found in own_differences(comparison).items():
        one = pair_decisions_of(comparison)[pair].missing
        is_worth_less = found.changed_effective != found.n_changed
        numbers = {
            **({"n_changed_effective": found.changed_effective} if is_worth_less else {}),
            **({} if one is None else {"n_one_sided": one.n, "delta_without": one.delta}),
        }
        if numbers:
            rows.append({**pair._asdict(), **numbers})
    behind: dict[str, Any] = {"behind_cautions": rows}
    if structure.weights is not None:
        behind["weights"] = Heaviest.of(structure.weights)._asdict()
    if structure.clusters is not None:
        behind["clusters"] = Clustered.of(structure.clusters)._asdict()
    if math.isfinite(beyond):
        behind["resamples_beyond"] = beyond
    return behind


def cautions_of(comparison: ComparisonValues) -> tuple[Caution, ...]:
    """Return the cautions in the current language, the worst first."""
    return tuple(each.in_current_language() for each in known_cautions_of(comparison))


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
    to_act_on = of_action(decided, known)
    return replace(decided, severity=to_act_on[0].severity if to_act_on else "none")


def _positions_of(comparison: ComparisonValues) -> tuple[Position, ...]:
    """Return where systems stand.

    Two systems that were compared stand as was decided on them, others as intervals that hold for
    all pairs of systems say; only what these intervals say makes a rank sure. A system of which no
    query changed stands where its baseline does, the first of several.
    """
    decided = pair_decisions_of(comparison)
    unchanged = [pair for pair, each in decided.items() if each.found.is_unchanged]
    equals = {pair.system: pair.baseline for pair in reversed(unchanged)}
    known: dict[str, dict[str, Relation]] = defaultdict(dict)
    for (baseline, system), each in _of_every_pair(comparison).items():
        _relate(known, baseline, system, each, is_sure=not each.seen_only)
    for (baseline, system), each in decided.items():
        of_all = known[system].get(baseline)
        is_sure = of_all is not None and of_all.is_sure and of_all.direction == each.direction
        _relate(known, baseline, system, each, is_sure=is_sure)
    order = best_systems_of(comparison)
    return positions_of(order, known, equals, is_whole=has_every_pair(comparison))


def _relate(
    known: dict[str, dict[str, Relation]],
    baseline: str,
    system: str,
    decided: PairDecision,
    *,
    is_sure: bool,
) -> None:
    """Remember what is established of two systems, for either of them."""
    basis = Basis.TIES if decided.standing == "ties" else decided.decided_by
    known[system][baseline] = Relation(decided.direction, basis, decided.seen_only, is_sure)
    known[baseline][system] = Relation(-decided.direction, basis, decided.seen_only, is_sure)


@cached
def _of_every_pair(comparison: ComparisonValues) -> dict[Pair, PairDecision]:
    """Return the decision on each pair of systems by intervals that hold for all pairs.

    Of very many systems, the pairs with the best one.
    """
    if compares_all(comparison):
        return pair_decisions_of(comparison)
    every = every_contrasts(comparison, [comparison.primary])
    rows, condensed = rows_of_every_pair(comparison), condensed_of(comparison)
    on_judged = {} if condensed is None else rows_of_every_pair(comparison, condensed)
    pairs = every.pairs
    # What all pairs share, such as the measure and the margin; a row has all else.
    shared = replace(
        next(iter(own_differences(comparison).values())),
        on_judged=None,
        at_depth=None,
        lengths=None,
        n_simultaneous=every.family.n_simultaneous,
    )
    at_depth = figures_at_equal_depth(comparison, pairs, [comparison.primary], every)
    missing = one_sided(
        every,
        str(comparison.primary),
        missing_answers_of(comparison),
        comparison.evaluation.query_ids,
    )
    cautions = by_pair(known_cautions_of(comparison), pairs)
    decisions = {}
    for pair in pairs:
        difference = replace(shared, **pair._asdict(), **rows[pair])
        if is_uneven(comparison, pair) and pair in on_judged:
            judged = replace(difference, **on_judged[pair])
            difference = replace(difference, on_judged=judged)
        difference = with_depth(difference, at_depth.get((pair, str(comparison.primary))))
        # These are by people's judgments alone, so that both differences are the same.
        decided = decided_on(comparison, difference, difference, missing.get(pair))
        decisions[pair] = _with_severity(decided, cautions[pair])
    return decisions


@cached
def decision_of(comparison: ComparisonValues) -> Decision:
    """Return what is decided, in numbers: on each pair, and which systems may be the best."""
    return Decision(pair_decisions_of(comparison), _positions_of(comparison))


@cached
def judges_decided(comparison: ComparisonValues) -> ModelJudge | None:
    """Return a model's judgments next to people's, with the pairs that are to be checked first.

    None without a model.
    """
    judges = judged_by_model(comparison)
    if judges is None:
        return None
    decided = decision_of(comparison).pairs.items()
    return replace(
        judges,
        doubted=tuple(p for p, each in decided if each.word == "check first"),
    )
