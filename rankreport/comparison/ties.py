"""How far orders of equal scores move a difference, and whether they could reverse it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from rankreport.caching import cached
from rankreport.comparison.difference import Difference
from rankreport.comparison.values import ComparisonValues
from rankreport.evaluation import data_facts_of
from rankreport.frames import MEASURE, SYSTEM
from rankreport.measures import EQUAL, Measure

TieBounds = Mapping[str, Mapping[str, Any]]
"""By system, the row of the frame of `rankreport.Evaluation.ties` on a measure."""


def range_of_ties(
    found: Difference, measure: Measure, bounds: TieBounds, *, weighted: bool
) -> tuple[float, float] | None:
    """Return the lowest and highest difference that orders of equal scores give, where known.

    The bounds are of unweighted means. For weighted means they are approximated by shifting the
    difference as much as ties shift the unweighted one.

    Parameters
    ----------
    found
        The difference.
    measure
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
    n = found.n_queries if measure.declaration.aggregate == "sum" else 1
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
def tie_bounds_of(comparison: ComparisonValues, measure: str) -> TieBounds:
    """Return the lowest and highest means that orders of equal scores give on a measure."""
    primary = measure == str(comparison.primary)
    ties = data_facts_of(comparison.evaluation).ties if primary else _ties_of(comparison)
    rows = ties.filter(pl.col(MEASURE) == measure).iter_rows(named=True)
    return {row[SYSTEM]: row for row in rows}


@cached
def _ties_of(comparison: ComparisonValues) -> pl.DataFrame:
    return comparison.evaluation.ties()
