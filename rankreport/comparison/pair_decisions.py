"""What a comparison decides: on each pair, and which systems may be the best."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from rankreport.caching import cached
from rankreport.comparison.caution_policy import Known, of_action, settled
from rankreport.comparison.cautions import ONE_SIDED, by_pair, comparison_cautions
from rankreport.comparison.contrasts import contrasts_of, one_sided
from rankreport.comparison.decision import Basis, Decision, PairDecision, Relation, positions_of
from rankreport.comparison.differences import (
    condensed_of,
    figures_at_equal_depth,
    is_uneven,
    missing_answers_of,
    missing_of,
    n_in_tail,
    own_differences,
    p_differs_of,
    with_depth,
)
from rankreport.comparison.every_pair import (
    all_pairs_of,
    best_systems_of,
    every_contrasts,
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
from rankreport.comparison.pairs import Pair
from rankreport.comparison.segments import (
    OPPOSITE_SEGMENT,
    differing,
    disagreements,
    own_segments_of,
)
from rankreport.comparison.unseen import losses_of, unallowed
from rankreport.comparison.values import ComparisonValues, family_of, one_baseline
from rankreport.evaluation import (
    EXTRA_QUERIES,
    UNANSWERED,
    cautions_of_means,
    copies_of,
    data_facts_of,
    label_cautions_of,
    named_by_column,
)
from rankreport.frames import SYSTEM
from rankreport.measures import with_shown_names
from rankreport.text import Caution, worst_first


@cached
def known_cautions_of(self: ComparisonValues) -> tuple[Caution, ...]:
    """Return the cautions in the language in which they were found first."""
    judges, rows = judged_by_model(self), own_segments_of(self)
    opposite: Iterable[Caution] = ()
    if rows is not None:
        opposite = disagreements(with_shown_names(self.evaluation.measures, rows), self.confidence)
    contrasts, weighted = contrasts_of(self), self.query_metadata.weights is not None
    of_data = cautions_of_means(self.evaluation, weighted=weighted)
    known = Known(
        of_data,
        tuple(own_differences(self).values()),
        alike=contrasts.alike,
        by_model=self._by_model is not None,
    )
    of_data = settled(of_data, "data", known)
    found = comparison_cautions(
        list(decided_by_own_numbers(self).values()),
        self.primary,
        n_queries=dict(self.evaluation.quality.select(SYSTEM, "n_queries").iter_rows()),
        leading=leading_pair_of(self),
        alike=contrasts.alike,
        copies=copies_of(data_facts_of(self.evaluation).remarks),
        weights=contrasts.structure.weights,
        n_unweighted=self.query_metadata.n_unweighted(self.evaluation.query_ids),
        n_weightless=self.query_metadata.n_weightless(self.evaluation.query_ids),
        n_unknown=self.query_metadata.n_unknown(self.evaluation.query_ids),
        beyond=n_in_tail(self),
        clusters=contrasts.structure.clusters,
        unallowed=unallowed(
            losses_of(self, contrasts)[contrasts.measures.index(str(self.primary))],
            weighted=weighted,
        ),
        judged=self.evaluation.judged_share,
        p_differs=p_differs_of(self),
        by_name=_baseline_by_name(self),
    )
    found = settled(found, "everywhere", known)
    if judges is None or self._by_model is None:
        return worst_first(of_data, found, opposite)
    of_model = self._by_model.evaluation
    extra = [each for each in of_model.cautions if each.code == EXTRA_QUERIES.code]
    of_data = (*of_data, *extra, *label_cautions_of(of_model))
    return worst_first(of_data, found, opposite, judges.cautions)


def _baseline_by_name(self: ComparisonValues) -> str | None:
    """Return the baseline, if it is the first by name of systems that a column names."""
    baseline = one_baseline(self) if self._by_default else None
    remarks = data_facts_of(self.evaluation).remarks
    return baseline if baseline in named_by_column(remarks) else None


@cached
def is_one_sided(comparison: ComparisonValues) -> bool:
    """Return whether the verdict waits for nothing but queries that one system did not answer."""
    codes = stop_codes_of(comparison)
    known = {ONE_SIDED.code, UNANSWERED.code}
    of_leading = leading_pair_of(comparison) in missing_of(comparison)
    return len(comparison.pairs) == 1 and of_leading and bool(codes) and codes <= known


@cached
def stop_codes_of(comparison: ComparisonValues) -> frozenset[str]:
    """Return the codes of the cautions to check first."""
    return frozenset(each.code for each in known_cautions_of(comparison) if each.severity == "stop")


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
        missing_answers_of(comparison),
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
