"""Few harmed queries: how large a loss they leave possible.

The interval of a mean is read from the spread of the differences, which says nothing of losses
that the queries happen not to hold. With fewer than 10 queries on the harmful side of 0, the end
that decides is therefore the farther of the interval's and Gaffke's bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankreport import statistics
from rankreport.comparison import FEW_HARMED, Units
from rankreport.errors import OptionError

if TYPE_CHECKING:
    from rankreport.gates.requirements import Requirement


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
    n_units = units.n
    if not n_units:
        return (*ends, None)
    low, high = ends
    limit = _limit(requirement, units, largest_loss, is_named=is_named)
    known = low is not None and high is not None
    counts = []
    for lower in (True, False):
        n_harmed = units.n_on_side(lower=lower)
        decides = lower in _harmful_ends(requirement)
        if known and (n_harmed >= FEW_HARMED or not decides):
            continue
        bound = units.end(limit, alpha, lower=lower)
        if lower and (low is None or bound < low):
            low = bound
        elif not lower and (high is None or bound > high):
            high = bound
        else:
            continue
        if decides:
            counts.append(n_harmed)
    if not counts:
        return low, high, None
    named = largest_loss if np.isfinite(largest_loss) else None
    return low, high, Few(min(counts), n_units, named, alpha, units.weighted, is_named)


def _limit(requirement: Requirement, units: Units, largest_loss: float, *, is_named: bool) -> float:
    """Return how far a unit can lie from 0, refusing a named loss that a query exceeds."""
    limit = units.limit(largest_loss)
    if is_named and limit > largest_loss * units.reach * (1 + 1e-9):
        raise OptionError(
            f"largest_loss={largest_loss:g}: a query changed {requirement.measure} by {limit:g}. "
            f"Expected no less than that."
        )
    return limit


def _harmful_ends(requirement: Requirement) -> tuple[bool, ...]:
    """Return which ends decide whether it passes: True for the lower one."""
    if requirement.kind == "equivalence":
        return (True, False)
    return (requirement.rises,)
