"""What is known of the data of an evaluation: judged, unjudged, tied and unanswered."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import polars as pl

from rankreport.caching import cached
from rankreport.evaluation.cautions import (
    UNEVEN,
    VANISHED,
    WELL_JUDGED,
    data_cautions,
    passes_over_unjudged,
)
from rankreport.evaluation.facts import shares_unjudged, tie_bounds
from rankreport.evaluation.label_source import label_source_of
from rankreport.evaluation.unjudged import Unjudged, judged_shares
from rankreport.evaluation.values import EvaluationValues, data_facts_of, per_query
from rankreport.frames import DOC_ID, MEASURE, QUERY_ID
from rankreport.measures import Measure, one_of
from rankreport.text import Caution, Severity, worst_first


@cached
def judged_share_of(self: EvaluationValues, measure: Measure | None = None) -> dict[str, float]:
    """Return the shares of `Evaluation.judged_share`, of the primary measure or another one."""
    if measure in {None, self.primary}:
        return judged_shares(self.quality, data_facts_of(self).coverage)
    of_measure = _coverage_of_all(self).filter(pl.col(MEASURE) == str(measure))
    return judged_shares(self.quality, of_measure)


@cached
def _coverage_of_all(self: EvaluationValues) -> pl.DataFrame:
    return self._origin.fact(shares_unjudged(self.measures))


def is_unevenly_judged(evaluation: EvaluationValues, systems: Iterable[str], name: str) -> bool:
    """Return whether one of some systems has many unjudged documents, or more than another.

    They are within the cut-off of a measure, or the first 10 where it has none.
    """
    shares = judged_share_of(evaluation, one_of(evaluation.measures, name))
    return _might_matter([shares.get(system, 1.0) for system in systems])


def ties(self: EvaluationValues) -> pl.DataFrame:
    """Return how much the order of equal scores could change each measure.

    Returns
    -------
    DataFrame
        ``system, measure``; ``n_queries`` (Int64), the number of queries whose value depends on
        the order of equal scores; ``worst, value, best`` (Float64), the system's lowest value
        over all orders, its value under the tie rule, and its highest value. Null where the
        bounds of a measure are not known.

    Examples
    --------
    >>> import rankreport as rr
    >>> run = {"q1": {"d1": 1.0, "d2": 1.0}, "q2": {"d3": 2.0, "d4": 1.0}}
    >>> e = rr.evaluate({"q1": {"d1": 1}, "q2": {"d3": 1}}, {"mine": run}, ["RR"])
    >>> e.ties().rows()
    [('mine', 'RR', 1, 0.75, 0.75, 1.0)]
    """
    return self._origin.fact(tie_bounds(self.measures, per_query(self)))


def coverage(self: EvaluationValues) -> pl.DataFrame:
    """Return the share of unjudged documents within each measure's cut-off.

    Returns
    -------
    DataFrame
        ``system, measure`` for each measure that takes a cut-off; ``k`` (Int64), its cut-off,
        null for the whole list; ``unjudged`` (Float64), the share of the documents within the
        cut-off that are unjudged, averaged over the queries answered.

    Examples
    --------
    >>> import rankreport as rr
    >>> run = {"q1": {"d1": 2.0, "d2": 1.0}}
    >>> rr.evaluate({"q1": {"d1": 1}}, {"mine": run}, ["P@1", "P@2"]).coverage().rows()
    [('mine', 'P@1', 1, 0.0), ('mine', 'P@2', 2, 0.5)]
    """
    return _coverage_of_all(self)


@cached
def unjudged_at_top(self: EvaluationValues, *, always: bool = False) -> Unjudged | None:
    """Return the unjudged documents at the top of the lists, if they might matter.

    None otherwise, and if they are not known. With `always`, also if they might matter only beside
    systems of other evaluations.
    """
    if not (_unjudged_count(self) if always else _unjudged_matter(self)):
        return None
    return self._origin.unjudged(self.primary, judged_share_of(self), len(self.measures))


@cached
def _unjudged_matter(evaluation: EvaluationValues, measure: Measure | None = None) -> bool:
    """Return whether unjudged documents at the top of the lists might matter to a measure.

    They might where a system has fewer than 90 % of these documents judged, or two systems
    differ by more than 5 percentage points, unless the measure, the primary one by default, passes
    over unjudged documents, or judgments name relevant documents alone.
    """
    shares = judged_share_of(evaluation, measure).values()
    return _unjudged_count(evaluation, measure) and _might_matter(shares)


@cached
def values_on_judged(self: EvaluationValues, *, always: bool = False) -> pl.DataFrame | None:
    """Return the scores without unjudged documents.

    ``system, query_id`` and a column of each measure to which these documents might matter, as of
    `unjudged_at_top`; None if there is none, or the scores are not known.
    """
    matter = _unjudged_count if always else _unjudged_matter
    mattering = [each for each in self.measures if matter(self, each)]
    return self._origin.condensed(mattering) if mattering else None


def _unjudged_count(evaluation: EvaluationValues, measure: Measure | None = None) -> bool:
    known = judged_share_of(evaluation, measure) and not data_facts_of(evaluation).mostly_positive
    return bool(known) and not passes_over_unjudged(measure or evaluation.primary)


def _might_matter(shares: Collection[float]) -> bool:
    """Return whether of some systems few documents at the top are judged, or unevenly many."""
    return min(shares) < WELL_JUDGED or max(shares) - min(shares) > UNEVEN


def vanished_labels(evaluation: EvaluationValues) -> pl.DataFrame | None:
    """Return the relevant judgments whose documents are not in the corpus.

    Returns
    -------
    DataFrame or None
        ``query_id, doc_id`` (String), sorted; None if no corpus was declared.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels, run = {"q1": {"d1": 1, "d2": 1}}, {"q1": ["d1", "d3"]}
    >>> vanished_labels(rr.evaluate(qrels, run, ["AP"], corpus=["d1", "d3"])).rows()
    [('q1', 'd2')]
    """
    for remark in data_facts_of(evaluation).remarks:
        if remark.code == VANISHED.code:
            rows = {QUERY_ID: remark.about["queries"], DOC_ID: remark.about["documents"]}
            return pl.DataFrame(rows, schema={QUERY_ID: pl.String, DOC_ID: pl.String})
    return None


def cautions_of_means(
    evaluation: EvaluationValues, *, weighted: bool = False, of_judgments: Severity = "look"
) -> tuple[Caution, ...]:
    """Return the cautions for a reader who sees weighted or unweighted means.

    A run that holds the judgments is as severe as is asked for.
    """
    facts = data_facts_of(evaluation)
    found = data_cautions(facts, weighted=weighted, of_judgments=of_judgments)
    return worst_first(label_cautions_of(evaluation), found)


def label_cautions_of(evaluation: EvaluationValues) -> tuple[Caution, ...]:
    """Return the cautions on judgments that know where they come from."""
    source = label_source_of(evaluation)
    return () if source is None else source.cautions
