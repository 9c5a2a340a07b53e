"""How queries hang together: what each weighs, what they belong to, and whence they were drawn.

Resampling and standard errors take queries for a simple random sample, each counting once. Where
traffic is measured, a query counts as often as it is asked; where users are sampled, all queries of
a user come or stay away together; where the sample was stratified, each part of the population has
its share for certain. What is drawn is then a *unit*: a query, or a cluster of queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing import Self

    IntArray = NDArray[np.intp]


FEWEST_UNITS: Final = 2
"""Units that a stratum needs: one tells nothing of the spread."""


@dataclass(frozen=True, eq=False)
class Structure:
    """How the queries of a sample hang together; any of the three, or none.

    Attributes
    ----------
    weights : float64, shape (n_queries,), optional
        How much each query counts: not negative, finite, not all 0. Only their proportions matter.
        A query of weight 0 is as good as absent.
    clusters : int, shape (n_queries,), optional
        The number of the cluster (user, session) that each query belongs to. Clusters are drawn
        whole.
    strata : int, shape (n_queries,), optional
        The number of the part of the population that each query was drawn from. Units are drawn
        within their stratum. All queries of a cluster lie in one.

    Raises
    ------
    ValueError
        Where they are none of this, or a stratum has a single unit: nothing is known then of the
        spread within it.

    Examples
    --------
    >>> visits = Structure(weights=np.array([6.0, 2.0, 2.0]))
    >>> visits.kinds, round(visits.n_effective, 2)
    (('weights',), 2.27)
    """

    weights: NDArray[np.float64] | None = None
    clusters: IntArray | None = None
    strata: IntArray | None = None

    def __post_init__(self) -> None:
        """Refuse what is no structure."""
        shapes = {kind: np.shape(getattr(self, kind)) for kind in self.kinds}
        if any(len(shape) != 1 for shape in shapes.values()) or len(set(shapes.values())) > 1:
            msg = f"expected one number per query and kind of structure, found shapes {shapes}"
            raise ValueError(msg)
        if self.weights is not None:
            _check_weights(self.weights)
        if self.strata is not None:
            self._check_strata(self.strata)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Which of weights, clusters and strata are given."""
        given = {"weights": self.weights, "clusters": self.clusters, "strata": self.strata}
        return tuple(kind for kind, numbers in given.items() if numbers is not None)

    @property
    def n_queries(self) -> int | None:
        """How many queries it is of; None where it is of any number, for it says nothing."""
        return len(getattr(self, self.kinds[0])) if self.kinds else None

    @property
    def n_effective(self) -> float | None:
        """How many queries of equal weight would be as precise, Kish's; None without weights."""
        if self.weights is None:
            return None
        shares = self.weights / self.weights.max()
        return float(np.square(shares.sum()) / np.square(shares).sum())

    def check_size(self, n_queries: int) -> None:
        """Refuse to be of other queries than these.

        Raises
        ------
        ValueError
            Saying how many were expected, and how many it is of.
        """
        if self.n_queries not in {None, n_queries}:
            msg = f"expected a structure of {n_queries} queries, found {self.n_queries}"
            raise ValueError(msg)

    def subset(self, rows: NDArray[Any]) -> Self:
        """Return the structure of some of the queries: a mask, or their row numbers.

        Clusters and strata keep their numbers.

        Raises
        ------
        ValueError
            Where a stratum keeps a single unit, or none of the weights is above 0.
        """
        given = (self.weights, self.clusters, self.strata)
        return type(self)(*(None if numbers is None else numbers[rows] for numbers in given))

    @cached_property
    def rows(self) -> IntArray | slice:
        """Which queries count: all but those that weigh nothing."""
        if self.weights is None or self.weights.all():
            return slice(None)
        rows: IntArray = np.flatnonzero(self.weights)
        return rows

    @cached_property
    def shares(self) -> NDArray[np.float64] | None:
        """Weights of the queries that count, 1 on average, or None where each counts once."""
        if self.weights is None:
            return None
        # Over the largest first, so that no sum overflows.
        weights = self.weights[self.rows] / self.weights.max()
        shares: NDArray[np.float64] = weights / weights.mean()
        return shares

    @cached_property
    def unit_of(self) -> IntArray | None:
        """The unit of each query that counts, numbered without gaps; None where it is its own."""
        if self.clusters is None:
            return None
        return np.unique(self.clusters[self.rows], return_inverse=True)[1]

    @cached_property
    def stratum_of(self) -> IntArray | None:
        """The stratum of each unit, numbered without gaps; None where there is but one."""
        if self.strata is None:
            return None
        number = np.unique(self.strata[self.rows], return_inverse=True)[1]
        if number.max(initial=0) == 0:
            return None
        if self.unit_of is None:
            return number
        of_units = np.empty(self.unit_of.max() + 1, dtype=np.intp)
        of_units[self.unit_of] = number
        return of_units

    def _check_strata(self, strata: IntArray) -> None:
        """Refuse clusters across strata, and strata of one unit."""
        strata, unit_of = strata[self.rows], self.unit_of
        units = np.arange(len(strata)) if unit_of is None else unit_of
        pairs = np.unique(np.column_stack([units, strata]), axis=0)
        again = np.flatnonzero(pairs[1:, 0] == pairs[:-1, 0])
        if again.size and self.clusters is not None:
            first, second = pairs[again[0]], pairs[again[0] + 1]
            cluster = np.unique(self.clusters[self.rows])[first[0]]
            msg = (
                f"expected each cluster in one stratum, found cluster {cluster} in strata "
                f"{first[1]} and {second[1]}"
            )
            raise ValueError(msg)
        numbers, n_units = np.unique(pairs[:, 1], return_counts=True)
        if (n_units < FEWEST_UNITS).any():
            lonely = numbers[n_units < FEWEST_UNITS][0]
            msg = (
                f"expected at least {FEWEST_UNITS} queries or clusters in each stratum, found 1 in "
                f"stratum {lonely}; join it with another one"
            )
            raise ValueError(msg)


def _check_weights(weights: NDArray[np.float64]) -> None:
    """Refuse weights by which nothing can be weighed."""
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        msg = (
            f"expected weights that are finite and not negative, found {weights[wrong[0]]} "
            f"in row {wrong[0]}"
        )
        raise ValueError(msg)
    if not weights.any():
        msg = "expected a weight above 0, found none"
        raise ValueError(msg)


PLAIN: Final = Structure()
"""A simple random sample of queries, each counting once."""
