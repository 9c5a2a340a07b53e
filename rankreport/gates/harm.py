"""Few harmed queries: how large a loss they leave possible.

The interval of a mean is read from the spread of the differences, which says nothing of losses
that the queries happen not to hold. With fewer than `FEW_HARMED` queries on the harmful side of 0,
the end that decides is therefore the farther of the interval's and Gaffke's bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankreport import statistics
from rankreport.errors import OptionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankreport.comparison import Contrasts
    from rankreport.gates.requirements import Requirement

__all__ = ["FEW_HARMED", "Few", "Units", "units_of", "with_few_harmed"]

FEW_HARMED = 10
"""With fewer queries on the harmful side, an interval alone decides nothing."""


class Units(NamedTuple):
    """One column of differences, as a requirement is held against it.

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


@dataclass(frozen=True)
class Few:
    """That few queries lie on the harmful side, and what was assumed of the others.

    Attributes
    ----------
    n_harmed
        Queries, or clusters, on the harmful side; of two sides the smaller number.
    n_units
        All of them.
    largest_loss
        How much a query can lose; None where the measure has no bound and none was named.
    alpha
        How often the bound may be wrong.
    weighted
        Whether queries have weights, with which no bound holds.
    is_named
        Whether the user named the largest loss.
    """

    n_harmed: int
    n_units: int
    largest_loss: float | None
    alpha: float
    weighted: bool
    is_named: bool

    @property
    def share_unseen(self) -> float:
        """The share of queries that could change where none of these did."""
        return float(1 - self.alpha ** (1 / self.n_units))

    def unchanged_needed(self, margin: float, largest_loss: float) -> int:
        """Return how many unchanged queries would keep within the margin."""
        return statistics.unchanged_needed(margin, largest_loss, self.alpha)


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


def with_few_harmed(
    requirement: Requirement,
    ends: tuple[float | None, float | None],
    units: Units,
    *,
    largest_loss: float,
    alpha: float,
    is_named: bool,
) -> tuple[float | None, float | None, Few | None]:
    """Return the ends that decide, and that they rest on few harmed queries where they do.

    Parameters
    ----------
    requirement
        Says which side is harmful: where the difference must not fall, losers are.
    ends
        Of the interval, or None where it has none.
    units
        The differences.
    largest_loss
        How much a query can change; infinite where there is no bound.
    alpha
        The error allowed at each end.
    is_named
        Whether the user named the largest loss.

    Raises
    ------
    OptionError
        If a query changed by more than the largest loss.
    """
    n_units = len(units.values)
    if not n_units:
        return (*ends, None)
    low, high = ends
    limit = _limit(requirement, units, largest_loss, is_named=is_named)
    known = low is not None and high is not None
    counts = []
    for is_lower in (True, False):
        toward = units.values if is_lower else -units.values
        n_harmed = int(np.count_nonzero(toward < 0))
        decides = is_lower in _harmful_ends(requirement)
        if known and (n_harmed >= FEW_HARMED or not decides):
            continue
        bound = -np.inf
        if np.isfinite(limit) and not units.weighted:
            bound = statistics.gaffke_lower(toward, limit, alpha)
        end = low if is_lower else None if high is None else -high
        if end is not None and end <= bound:
            continue
        if is_lower:
            low = bound
        else:
            high = -bound
        if decides:
            counts.append(n_harmed)
    if not counts:
        return low, high, None
    named = largest_loss if np.isfinite(largest_loss) else None
    return low, high, Few(min(counts), n_units, named, alpha, units.weighted, is_named)


def _limit(requirement: Requirement, units: Units, largest_loss: float, *, is_named: bool) -> float:
    """Return how far a unit can lie from 0; as far as one does, where its measure has it wrong."""
    worst = float(np.abs(units.values).max())
    limit = largest_loss * units.reach
    if worst <= limit * (1 + 1e-9):
        return limit
    if is_named:
        raise OptionError(
            f"largest_loss={largest_loss:g}: a query changed {requirement.measure} by {worst:g}. "
            f"Expected no less than that."
        )
    return worst


def _harmful_ends(requirement: Requirement) -> tuple[bool, ...]:
    """Return which ends decide whether it passes: True for the lower one."""
    if requirement.kind == "equivalence":
        return (True, False)
    return (requirement.rises,)
