"""What the numbers of each pair decide: also how far equal scores, in another order, move them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from rankreport.caching import cached
from rankreport.comparison.decision import PairDecision, leading_of
from rankreport.comparison.difference import Difference
from rankreport.comparison.differences import differences_on_measures, missing_of, own_differences
from rankreport.comparison.every_pair import best_systems_of
from rankreport.comparison.model_judge import decisive_differences, judged_by_model
from rankreport.comparison.paired_differences import MOST, OneSided
from rankreport.comparison.pairs import Pair
from rankreport.comparison.values import ComparisonValues, pairs_matching
from rankreport.evaluation import data_facts_of
from rankreport.frames import MEASURE, SYSTEM
from rankreport.measures import EQUAL, Measure

TieBounds = Mapping[str, Mapping[str, Any]]
"""By system, the row of the frame of `rankreport.Evaluation.ties` on the primary measure."""


def range_of_ties(
    found: Difference, primary: Measure, bounds: TieBounds, *, weighted: bool
) -> tuple[float, float] | None:
    """Return the lowest and highest difference that orders of equal scores give, where known.

    The bounds are of unweighted means. For weighted means they are approximated by shifting the
    difference as much as ties shift the unweighted one.

    Parameters
    ----------
    found
        The difference.
    primary
        Its measure.
    bounds
        By system, the row of the frame of `rankreport.Evaluation.ties` on that measure.
    weighted
        Whether the difference is of weighted queries.
    """
    one, other = bounds.get(found.system, {}), bounds.get(found.baseline, {})
    ends = ("worst", "value", "best")
    if found.delta is None or any(side.get(end) is None for side in (one, other) for end in ends):
        return None
    n = found.n_queries if primary.declaration.aggregate == "sum" else 1
    low, seen, high = (
        (one[end] - other[against]) / n for end, against in zip(ends, ends[::-1], strict=True)
    )
    if weighted:
        return found.delta + low - seen, found.delta + high - seen
    # The bounds are over all queries of a system, so the difference must be, too.
    if abs(seen - found.delta) > EQUAL * max(1, found.n_queries):
        return None
    return low, high


def is_reversible(found: Difference, ends: tuple[float, float] | None) -> bool:
    """Return whether orders of equal scores give differences on both sides of 0."""
    if not found.delta or ends is None:
        return False
    low, high = ends
    return low < -EQUAL if found.delta > 0 else high > EQUAL


@cached
def decided_by_numbers(comparison: ComparisonValues) -> dict[Pair, PairDecision]:
    """Return the decision on each pair by its numbers alone, without cautions."""
    return {
        pair: decided_on(
            comparison, found, own_differences(comparison)[pair], missing_of(comparison).get(pair)
        )
        for pair, found in decisive_differences(comparison).items()
    }


@cached
def decided_by_own_numbers(comparison: ComparisonValues) -> dict[Pair, PairDecision]:
    """Return the same without a model's judgments."""
    if judged_by_model(comparison) is None:
        return decided_by_numbers(comparison)
    return {
        pair: decided_on(comparison, own, own, missing_of(comparison).get(pair))
        for pair, own in own_differences(comparison).items()
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
    comparison: ComparisonValues, found: Difference, own: Difference, missing: OneSided | None
) -> PairDecision:
    """Return the decision on a difference, which is the `own` one without a model's judgments.

    `missing` is the effect of the queries that one system did not answer.
    """
    # By people alone: with a model's judgments it is not known.
    agrees = own.word == found.word
    weighted = "weights" in comparison.query_metadata.structure_columns
    ends = range_of_ties(own, comparison.primary, _tie_bounds(comparison), weighted=weighted)
    return PairDecision(
        found,
        over_ties=ends,
        reversible=agrees and is_reversible(own, ends),
        missing=missing,
        mostly_missing=agrees and missing is not None and missing.share > MOST,
        deeper=_deeper_of(comparison).get(own.pair, ()),
        turned_by_depth=agrees and own.is_turned_by_depth,
        mostly_positive=bool(data_facts_of(comparison.evaluation).mostly_positive),
    )


@cached
def _tie_bounds(comparison: ComparisonValues) -> TieBounds:
    """Return the lowest and highest means that orders of equal scores give."""
    ties = data_facts_of(comparison.evaluation).ties
    rows = ties.filter(pl.col(MEASURE) == str(comparison.primary)).iter_rows(named=True)
    return {row[SYSTEM]: row for row in rows}


def leading_pair_of(
    comparison: ComparisonValues, system: str | None = None, baseline: str | None = None
) -> Pair:
    """Return the matching pair that a verdict is about, as `leading_of`."""
    chosen = pairs_matching(comparison, system, baseline)
    return leading_of(
        {pair: decided_by_numbers(comparison)[pair] for pair in chosen}, best_systems_of(comparison)
    )
