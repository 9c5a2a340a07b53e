"""A sample: queries down, columns across, and what is known of each column without resampling."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from typing import Self

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

ROUNDING: Final = 1e-12
"""Two sums closer than this share of ``sum |d|`` are equal.

Sums of the same numbers in another order, or with other signs, differ by rounding: some ``1e-16``
of the sum of the absolute terms, ``1e-13`` for a million of them. The sum itself is no yardstick,
for it can be near zero while its terms are not. On tied data, a rule without tolerance counts
replicates equal to the observed value now as smaller and now as larger, as the rounding falls.
"""


@dataclass(frozen=True, eq=False)
class Sample:
    """The columns of a ``(n_queries, n_columns)`` array, undefined values left out of each.

    Attributes
    ----------
    filled : float64, shape (n_queries, n_columns)
        The values, 0 where undefined, so that products with them leave the undefined ones out.
    defined : bool, shape (n_queries, n_columns)
        Where a value is defined.

    Examples
    --------
    >>> sample = Sample.of([[1.0, 0.5], [3.0, float("nan")], [2.0, 0.5]])
    >>> sample.size, sample.mean, sample.varies
    (array([3, 2]), array([2. , 0.5]), array([ True, False]))
    """

    filled: FloatArray
    defined: BoolArray

    @classmethod
    def of(cls, values: ArrayLike) -> Self:
        """Check ``values`` and tell the defined from the undefined.

        Raises
        ------
        ValueError
            Where ``values`` is not two-dimensional, or holds an infinity: no mean can be taken of
            it, and one would spoil every replicate.
        """
        array = np.asarray(values, dtype=np.float64)
        if array.ndim != 2:
            msg = f"expected values of shape (n_queries, n_columns), found shape {array.shape}"
            raise ValueError(msg)
        infinite = np.argwhere(np.isinf(array))
        if len(infinite):
            row, column = infinite[0]
            msg = (
                f"expected finite values, or NaN for undefined ones; found {len(infinite)} "
                f"infinite, the first in row {row}, column {column}"
            )
            raise ValueError(msg)
        defined = ~np.isnan(array)
        return cls(np.where(defined, array, 0.0), defined)

    @cached_property
    def size(self) -> IntArray:
        """How many values are defined, shape ``(n_columns,)``."""
        size: IntArray = np.count_nonzero(self.defined, axis=0)
        return size

    @cached_property
    def n_changed(self) -> IntArray:
        """How many values are defined and not zero: what a test of deltas has to go by."""
        n_changed: IntArray = np.count_nonzero(self.filled, axis=0)
        return n_changed

    @cached_property
    def mean(self) -> FloatArray:
        """Mean of the defined values; NaN where there is none."""
        return ratio(self.filled.sum(axis=0), self.size)

    @cached_property
    def varies(self) -> BoolArray:
        """Whether at least two defined values differ by more than rounding."""
        # The mean of equal numbers need not equal them in the last bit, so the deviations from it
        # cannot tell; the extremes can.
        highest = np.where(self.defined, self.filled, -np.inf).max(axis=0, initial=-np.inf)
        lowest = np.where(self.defined, self.filled, np.inf).min(axis=0, initial=np.inf)
        largest = np.maximum(np.abs(highest), np.abs(lowest))
        varies: BoolArray = highest - lowest > ROUNDING * largest
        return varies

    @cached_property
    def deviations(self) -> FloatArray:
        """Values less their mean; 0 where undefined, and all through a column that is constant."""
        return np.where(self.defined & self.varies, self.filled - self.mean, 0.0)

    @cached_property
    def standard_deviation(self) -> FloatArray:
        """Standard deviation over ``n - 1``; 0 for a constant column, NaN for fewer than two."""
        return np.sqrt(ratio(np.square(self.deviations).sum(axis=0), self.size - 1))

    @cached_property
    def standard_error(self) -> FloatArray:
        """Standard error of the mean, ``standard_deviation / sqrt(n)``."""
        return ratio(self.standard_deviation, np.sqrt(self.size))

    @cached_property
    def tolerance(self) -> FloatArray:
        """How far two means of this column may differ by rounding alone; see ``ROUNDING``."""
        return ROUNDING * ratio(np.abs(self.filled).sum(axis=0), self.size)


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """Divide, with NaN where the denominator is not positive: a mean over nothing is undefined.

    >>> ratio([1.0, 0.0], [2, 0])
    array([0.5, nan])
    """
    above, below = np.broadcast_arrays(np.asarray(numerator, dtype=np.float64), denominator)
    undefined = np.full(above.shape, np.nan)
    quotient: FloatArray = np.divide(above, below, out=undefined, where=below > 0)
    return quotient
