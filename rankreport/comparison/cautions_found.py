"""The cautions that a comparison has."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.caching import cached
from rankreport.comparison.caution_policy import Known, settled
from rankreport.comparison.cautions import ONE_SIDED, comparison_cautions
from rankreport.comparison.contrasts import contrasts_of
from rankreport.comparison.differences import missing_of, n_in_tail, own_differences, p_differs_of
from rankreport.comparison.leading_pair import decided_by_own_numbers, leading_pair_of
from rankreport.comparison.model_judge import judged_by_model
from rankreport.comparison.segments import disagreements, own_segments_of
from rankreport.comparison.unseen import losses_of, unallowed
from rankreport.comparison.values import ComparisonValues, one_baseline
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
