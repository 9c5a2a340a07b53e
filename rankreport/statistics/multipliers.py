r"""Replicates of many units: random multiples of the sums of groups of them, not drawn one by one.

Drawing takes as long as there are units, though the distribution of the replicates of a mean hardly
depends on more than its first four cumulants, which are known. With more than `MOST_DRAWN` units,
a replicate is

.. math::
    m^* = m + s \Bigl(u + \frac{g (u^2 - 1)}{6} + \frac{k (u^3 - 3 u)}{24}
    - \frac{g^2 (2 u^3 - 5 u)}{36}\Bigr),

with s, g and k the standard error, skewness and excess kurtosis of the bootstrap distribution
(Cornish and Fisher; Hall, The Bootstrap and Edgeworth Expansion, 1992, section 2.5). The standard
normal u is a sum of normal multiples of the influences of the units (the Gaussian multiplier
bootstrap; Chernozhukov, Chetverikov and Kato, Annals of Statistics 2013), the same for all columns.
To multiply as few numbers as possible, units are first put into `GROUPS` groups at random, each
with a random sign, and summed: columns of such sums have the correlations of the columns themselves
up to an error of about :math:`1 / \sqrt{1024}` (the count sketch; Charikar, Chen and Farach-Colton,
Theoretical Computer Science 2004). Errors and cumulants are those of the units.

Where few units make up most of the spread, four cumulants are too few for studentised replicates
and for sums under random signs: those units are drawn (`is_dominated`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from rankreport.statistics.random_draws import draw_order
from rankreport.statistics.sample import FloatArray, Sample, ratio, shape_of_mean, sums

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from numpy.typing import ArrayLike

    from rankreport.statistics.sample import BoolArray, IntArray

__all__ = [
    "GROUPS",
    "MIN_EFFECTIVE",
    "MOST_DRAWN",
    "Groups",
    "cornish_fisher",
    "grouped",
    "is_dominated",
]

MOST_DRAWN: Final = 1_024
"""The maximum number of units that are drawn one by one."""

GROUPS: Final = 1_024
"""The number of groups of more units."""

MIN_EFFECTIVE: Final = 256
"""The least effective number of values that are not dominated: ``(sum d^2)^2 / sum d^4``.

Of 1,100 differences of which four are large, the sum has hardly more values than that of four.
"""


def is_dominated(columns: FloatArray) -> BoolArray:
    """Return whether few values make up most of the sum of squares of each column.

    >>> is_dominated(np.array([[0.1, 1.0], [-0.1, 0.01]] * 200 + [[0.1, 90.0]])).tolist()
    [False, True]
    """
    squares = np.square(columns)
    total = squares.sum(axis=0)
    few: BoolArray = np.square(total) < MIN_EFFECTIVE * np.square(squares).sum(axis=0)
    return few


def cornish_fisher(normals: ArrayLike, skewness: ArrayLike, kurtosis: ArrayLike) -> FloatArray:
    """Return standard normal numbers with another skewness and excess kurtosis.

    >>> cornish_fisher([-2.0, 0.0, 2.0], 0.3, 0.1).round(3)
    array([-1.843, -0.05 ,  2.143])
    """
    u, g, k = (np.asarray(given, dtype=np.float64) for given in (normals, skewness, kurtosis))
    cubic, squared = k / 24 - np.square(g) / 18, g / 6
    linear = 1 - k / 8 + 5 * np.square(g) / 36
    found: FloatArray = ((cubic * u + squared) * u + linear) * u - squared
    return found


def length_of(columns: FloatArray) -> FloatArray:
    """Return the root of the sum of squares of each column.

    >>> length_of(np.array([[3.0, 0.0], [4.0, 0.0]]))
    array([5., 0.])
    """
    length: FloatArray = np.sqrt(np.einsum("ij,ij->j", columns, columns))
    return length


def grouped(columns: FloatArray | BoolArray, seed: int) -> FloatArray:
    """Sum rows by random group, with random signs, and scale each column to a length of 1.

    Returns
    -------
    float64, shape (GROUPS, n_columns)
        0 for columns of 0.

    Examples
    --------
    >>> found = grouped(np.random.default_rng(0).normal(0, 1, (5_000, 2)), seed=0)
    >>> found.shape, np.square(found).sum(axis=0).round(6)
    ((1024, 2), array([1., 1.]))
    """
    kept, flipped = np.split(sums(columns, _cells(len(columns), seed), 2 * GROUPS), 2)
    kept -= flipped
    length = length_of(kept)
    kept /= np.where(length > 0, length, 1.0)
    return kept


@lru_cache(maxsize=1)
def _cells(n: int, seed: int) -> IntArray:
    """Return the group of each unit, those with the sign flipped counted from GROUPS on."""
    cells = np.empty(n, dtype=np.intp)
    cells[draw_order(n, seed)] = np.arange(n) % (2 * GROUPS)
    cells.flags.writeable = False
    return cells


class Groups(NamedTuple):
    """What replicates of the means of many units are made of.

    Attributes
    ----------
    influences, sizes : float64, shape (GROUPS, n_columns)
        The influences of units, and how their sizes deviate, as :func:`grouped`.
    mean, error, skewness, kurtosis : float64, shape (n_columns,)
        The mean, and what is known of the distribution of its replicates.
    size_error : float64, shape (n_columns,)
        The relative standard error of the size of a replicate: 0 if all units have the same.
    """

    influences: FloatArray
    sizes: FloatArray
    mean: FloatArray
    error: FloatArray
    skewness: FloatArray
    kurtosis: FloatArray
    size_error: FloatArray

    @classmethod
    def of(cls, sample: Sample, seed: int) -> Self:
        """Group the units of a sample at random."""
        skewness, kurtosis = (np.nan_to_num(each) for each in shape_of_mean(sample))
        uneven = sample.uneven
        return cls(
            grouped(sample.deviations, seed),
            np.zeros((GROUPS, len(sample.mean))) if uneven is None else grouped(uneven, seed),
            sample.mean,
            ratio(np.sqrt(sample.squares), sample.size),
            skewness,
            kurtosis,
            np.zeros(len(sample.mean)) if uneven is None else length_of(uneven),
        )

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """Return the columns of several samples of the same units side by side."""
        return cls(*(np.concatenate(each, axis=-1) for each in zip(*parts, strict=True)))

    def shifts(self, normals: FloatArray) -> FloatArray:
        """Return how far replicates lie from the mean, a row for each of `normals`."""
        shape = self.skewness, self.kurtosis
        shifts = self.error * cornish_fisher(normals @ self.influences, *shape)
        return shifts / self.drawn_sizes(normals) if self.size_error.any() else shifts

    def drawn_sizes(self, normals: FloatArray) -> FloatArray:
        """Return the sizes of replicates as shares of that of the sample."""
        # Few units may be defined: like their number, a power is never negative.
        sizes: FloatArray = np.exp((normals @ self.sizes) * self.size_error)
        return sizes
