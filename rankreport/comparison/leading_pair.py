"""What the numbers of each pair decide, without cautions, and which pair leads."""

from __future__ import annotations

from rankreport.caching import cached
from rankreport.comparison.decision import PairDecision, leading_of
from rankreport.comparison.difference import Difference
from rankreport.comparison.differences import (
    differences_on_measures,
    differences_without_model,
    missing_of,
)
from rankreport.comparison.every_pair import best_systems_of
from rankreport.comparison.model_judge import decisive_differences, judged_by_model
from rankreport.comparison.paired_differences import MOST, OneSided
from rankreport.comparison.pairs import Pair
from rankreport.comparison.ties import is_reversible, range_of_ties, tie_bounds_of
from rankreport.comparison.values import ComparisonValues, pairs_matching
from rankreport.evaluation import data_facts_of
from rankreport.measures import TIES, one_of


@cached
def decided_by_numbers(comparison: ComparisonValues) -> dict[Pair, PairDecision]:
    """Return the decision on each pair by its numbers alone, without cautions."""
    plain, missing = differences_without_model(comparison), missing_of(comparison)
    return {
        pair: decided_on(comparison, found, plain[pair], missing.get(pair))
        for pair, found in decisive_differences(comparison).items()
    }


@cached
def decided_without_model(comparison: ComparisonValues) -> dict[Pair, PairDecision]:
    """Return the same decisions without a model's judgments."""
    if judged_by_model(comparison) is None:
        return decided_by_numbers(comparison)
    missing = missing_of(comparison)
    return {
        pair: decided_on(comparison, found, found, missing.get(pair))
        for pair, found in differences_without_model(comparison).items()
    }


@cached
def _deeper_of(comparison: ComparisonValues) -> dict[Pair, tuple[Difference, ...]]:
    """Return the differences of each pair, on any measure, that have one at equal depth."""
    found: dict[Pair, tuple[Difference, ...]] = {}
    for each in differences_on_measures(comparison):
        if each.at_depth is not None:
            found[each.pair] = (*found.get(each.pair, ()), each)
    return found


def decided_on(
    comparison: ComparisonValues, found: Difference, plain: Difference, missing: OneSided | None
) -> PairDecision:
    """Return the decision on a difference by its numbers.

    Parameters
    ----------
    comparison
        The comparison.
    found
        The difference.
    plain
        The same before a model's judgments corrected it, if there are any.
    missing
        The effect of the queries that one system did not answer, if there are any.
    """
    # What follows is known of the difference without a model alone; by how much equal scores move
    # it is taken to be the same with one.
    agrees = plain.word == found.word
    weighted = "weights" in comparison.query_metadata.structure_columns
    means_of_orders = TIES[comparison.evaluation.settings["ties"]].expected
    bounds = tie_bounds_of(comparison, plain.measure)
    measure = one_of(comparison.evaluation.measures, plain.measure)
    ends = range_of_ties(plain, measure, bounds, weighted=weighted)
    corrected = (found.delta or 0.0) - (plain.delta or 0.0)
    return PairDecision(
        found,
        over_ties=ends and (ends[0] + corrected, ends[1] + corrected),
        reversible=agrees and not means_of_orders and is_reversible(plain, ends),
        missing=missing,
        mostly_missing=agrees and missing is not None and missing.share > MOST,
        deeper=_deeper_of(comparison).get(plain.pair, ()),
        turned_by_depth=agrees and plain.is_turned_by_depth,
        mostly_positive=measure.declaration.rows != "shown"
        and data_facts_of(comparison.evaluation).mostly_positive,
    )


def leading_pair_of(
    comparison: ComparisonValues, system: str | None = None, baseline: str | None = None
) -> Pair:
    """Return the matching pair that a verdict is about, as `leading_of`."""
    chosen = pairs_matching(comparison, system, baseline)
    return leading_of(
        {pair: decided_by_numbers(comparison)[pair] for pair in chosen}, best_systems_of(comparison)
    )
