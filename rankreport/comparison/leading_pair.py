"""The pair that a verdict is about, by the numbers of each pair alone."""

from __future__ import annotations

from rankreport.comparison.cautions import (
    MOSTLY,
    TieBounds,
    is_reversible,
    range_of_ties,
    tie_bounds,
)
from rankreport.comparison.contrasts import OneSided
from rankreport.comparison.decision import PairDecision, leading_of
from rankreport.comparison.difference import Difference
from rankreport.comparison.differences import own_differences
from rankreport.comparison.every_pair import best_systems_of
from rankreport.comparison.model_judge import decisive_differences
from rankreport.comparison.pairs import Pair
from rankreport.comparison.unanswered import missing_of
from rankreport.comparison.values import ComparisonValues, pairs_matching
from rankreport.keeping import kept


@kept
def decided_by_numbers(comparison: ComparisonValues) -> dict[Pair, PairDecision]:
    """Return the decision on each pair by its numbers alone, without cautions."""
    return {
        pair: decided_on(
            comparison, found, own_differences(comparison)[pair], missing_of(comparison).get(pair)
        )
        for pair, found in decisive_differences(comparison).items()
    }


def decided_on(
    comparison: ComparisonValues, found: Difference, own: Difference, missing: OneSided | None
) -> PairDecision:
    """Return the decision on a difference, which is the `own` one without a model's judgments.

    `missing` is the effect of the queries that one system did not answer.
    """
    # By people alone: with a model's judgments it is not known.
    agrees, ends = own.word == found.word, _range_of_ties(comparison, own)
    return PairDecision(
        found,
        over_ties=ends,
        reversible=agrees and is_reversible(own, ends),
        missing=None if missing is None else missing.share,
        mostly_missing=agrees and missing is not None and missing.share > MOSTLY,
        turned_by_depth=agrees and own.is_turned_by_depth,
        positives_only=bool(comparison.evaluation._caution_inputs["positives_only"]),
    )


def _range_of_ties(comparison: ComparisonValues, found: Difference) -> tuple[float, float] | None:
    """Return the lowest and highest difference that orders of equal scores give."""
    weighted = comparison.query_metadata.weights is not None
    return range_of_ties(found, comparison.primary, _tie_bounds(comparison), weighted=weighted)


@kept
def _tie_bounds(comparison: ComparisonValues) -> TieBounds:
    """Return the lowest and highest means that orders of equal scores give."""
    return tie_bounds(comparison.evaluation._caution_inputs["ties"], comparison.primary)


def leading_pair_of(
    comparison: ComparisonValues, system: str | None = None, baseline: str | None = None
) -> Pair:
    """Return the matching pair that a verdict is about, as `leading_of`."""
    chosen = pairs_matching(comparison, system, baseline)
    return leading_of(
        {pair: decided_by_numbers(comparison)[pair] for pair in chosen}, best_systems_of(comparison)
    )
