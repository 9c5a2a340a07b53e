"""Losses not seen: how far a mean may lie where few queries went against it.

The interval of a mean is read from the spread of the differences, which says nothing of losses
that the queries happen not to hold. Gaffke's bound allows for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankreport import statistics
from rankreport.comparison.pairs import Pair

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankreport.comparison.contrasts import Contrasts
    from rankreport.comparison.difference import Difference

FEW_HARMED = 10
"""With fewer queries on one side of 0, an interval knows too little of that side."""


class Units(NamedTuple):
    """One column of differences, as a bound is computed from it.

    Attributes
    ----------
    values : float64, shape (n_units,)
        Differences of queries; of clusters, what each adds to the mean, times their number.
    reach : float
        How far a value can lie from 0 where a query can change by 1.
    weighted : bool
        Whether queries have weights.
    """

    values: NDArray[np.float64]
    reach: float
    weighted: bool

    @property
    def n(self) -> int:
        """The number of units."""
        return len(self.values)

    def n_on_side(self, *, lower: bool) -> int:
        """Count the units below 0, or above it."""
        return int(np.count_nonzero(self.values < 0 if lower else self.values > 0))

    def limit(self, largest_loss: float) -> float:
        """Return how far a unit can lie from 0: at least as far as one does."""
        return max(largest_loss * self.reach, float(np.abs(self.values).max()))

    def end(self, limit: float, alpha: float, *, lower: bool) -> float:
        """Return Gaffke's lower or upper bound; infinite with weights or without a limit."""
        sign = 1.0 if lower else -1.0
        if self.weighted or not np.isfinite(limit):
            return -sign * float(np.inf)
        return sign * statistics.gaffke_lower(sign * self.values, limit, alpha)


class Unseen(NamedTuple):
    """That few queries went against a verdict, and the bound that allows for more.

    Attributes
    ----------
    n_against, n_units
        Queries, or clusters, that went against it, and all of them.
    end
        How far the mean may lie on the other side of 0.
    """

    n_against: int
    n_units: int
    end: float


def units_of(contrasts: Contrasts, column: int) -> Units:
    """Return the units of one column of the differences."""
    sample = contrasts.sample
    held = sample.defined[:, column]
    totals, sizes = sample.totals[held, column], sample.sizes[held, column].astype(np.float64)
    mean_size = sizes.mean() if len(sizes) else 1.0
    return Units(
        totals / mean_size,
        float(sizes.max(initial=0.0) / mean_size) or 1.0,
        weighted="weights" in sample.kinds,
    )


def unseen_losses(
    contrasts: Contrasts, differences: Iterable[Difference], confidence: float
) -> dict[Pair, Unseen]:
    """Return the pairs with a verdict that a few large losses, not seen here, could undo.

    The verdict is better or worse, fewer than `FEW_HARMED` queries went against it, and the bound
    that allows for losses not seen lies on the other side of 0. Nothing is said with weights or
    without a bound of the measure.
    """
    alphas = (1 - contrasts.levels(confidence)) / 2
    found = {}
    for each in differences:
        if each.word not in {"better", "worse"}:
            continue
        pair, lower = Pair(each.baseline, each.system), each.word == "better"
        column = contrasts.column(pair, each.measure)
        units = units_of(contrasts, column)
        n_against = units.n_on_side(lower=lower)
        if n_against >= FEW_HARMED:
            continue
        end = units.end(units.limit(contrasts.widths[column]), alphas[column], lower=lower)
        if np.isfinite(end) and (end < 0 if lower else end > 0):
            found[pair] = Unseen(n_against, units.n, end)
    return found
