"""A sample: units down, columns across, and what is known of each column without resampling.

A unit is what is drawn: a query, or a cluster of them. Of each unit and column, its total ``S`` and
its size ``N`` are known, sums over its queries of ``w d`` and of ``w``; the mean is ``sum S / sum
N``, a ratio estimate (Cochran, Sampling Techniques, 1977, chapter 6). Everything else follows from
the influence of each unit on it, ``z = (S - mean * N) / sum N``. In a plain sample every size is 1,
and all of it is what it always was: the mean, ``sd / sqrt(n)``, Student's t. The ratio of two
systems' means is one more such estimate, its sizes being the scores of the one below.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike

from rankreport.statistics.buckets import dealt, drawn_in
from rankreport.statistics.columnwise import BoolArray, FloatArray, IntArray, checked, ratio, sums
from rankreport.statistics.structure import PLAIN, Structure

if TYPE_CHECKING:
    from typing import Self

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
    totals : float64, shape (n_units, n_columns)
        What each unit adds to the sum above; 0 where it has nothing defined, so that products with
        them leave the undefined out. In a plain sample, the values.
    sizes : float64, shape (n_units, n_columns)
        What it adds to the sum below. In a plain sample, `defined` itself.
    shares : float64, shape (n_units, n_columns)
        How much of the sample it is: the weights of its queries that are defined. The `sizes`,
        unless those are of another mean.
    defined : bool, shape (n_units, n_columns)
        Where a unit has a query that is defined.
    n_queries : int, shape (n_columns,)
        How many queries are defined.
    kinds : tuple of str
        Which kinds of structure the queries have.
    strata : int, shape (n_units,), or None
        The stratum of each unit, numbered without gaps; None where all are drawn alike.

    Examples
    --------
    >>> sample = Sample.of([[1.0, 0.5], [3.0, float("nan")], [2.0, 0.5]])
    >>> sample.size, sample.mean, sample.varies
    (array([3, 2]), array([2. , 0.5]), array([ True, False]))

    Each query counts as often as it was asked:

    >>> asked = Structure(weights=np.array([8.0, 1.0, 1.0]))
    >>> Sample.of([[1.0], [3.0], [2.0]], asked).mean
    array([1.3])
    """

    totals: FloatArray
    sizes: FloatArray | BoolArray
    shares: FloatArray | BoolArray
    defined: BoolArray
    n_queries: IntArray
    kinds: tuple[str, ...] = ()
    strata: IntArray | None = None

    @classmethod
    def of(cls, values: ArrayLike | Sample, structure: Structure = PLAIN) -> Sample:
        """Check ``values``, tell the defined from the undefined, and sum them up by unit.

        A sample is returned as it is.

        Raises
        ------
        ValueError
            Where ``values`` is not two-dimensional, holds an infinity (no mean can be taken of it,
            and one would spoil every replicate), or has other queries than the structure.
        """
        if isinstance(values, Sample):
            return values
        array = checked(values)
        defined = ~np.isnan(array)
        return cls._summed(np.where(defined, array, 0.0), defined, defined, structure)

    @classmethod
    def ratio_of(
        cls, numerator: ArrayLike, denominator: ArrayLike, structure: Structure = PLAIN
    ) -> Sample:
        """Take the ratio of two means for the mean: replicates, errors and intervals are of it.

        With the same structure and seed, its replicates are the ratios of the replicates of the
        two means.

        Parameters
        ----------
        numerator, denominator : float64, shape (n_queries, n_columns)
            NaN in either leaves a query out.
        structure : Structure
            How the queries hang together.

        Returns
        -------
        Sample
            Its mean is NaN where the denominator does not sum to more than 0.

        Raises
        ------
        ValueError
            As `of`, and where the two have different shapes.

        Examples
        --------
        >>> Sample.ratio_of([[3.0], [1.0]], [[1.0], [1.0]]).mean
        array([2.])
        """
        above, below = checked(numerator), checked(denominator)
        if above.shape != below.shape:
            msg = f"expected two arrays of one shape, found shapes {above.shape} and {below.shape}"
            raise ValueError(msg)
        defined = ~(np.isnan(above) | np.isnan(below))
        totals, sizes = (np.where(defined, side, 0.0) for side in (above, below))
        return cls._summed(totals, sizes, defined, structure)

    @classmethod
    def _summed(
        cls,
        totals: FloatArray,
        sizes: FloatArray | BoolArray,
        defined: BoolArray,
        structure: Structure,
    ) -> Self:
        """Weigh the queries and sum them up by unit."""
        shares: FloatArray | BoolArray = defined
        structure.check_size(len(totals))
        if structure.weights is not None and structure.shares is not None:
            weights, rows = structure.shares[:, np.newaxis], structure.rows
            one = sizes is shares
            totals, sizes = totals[rows] * weights, sizes[rows] * weights
            shares, defined = sizes if one else shares[rows] * weights, defined[rows]
        n_queries = np.count_nonzero(defined, axis=0)
        whole = cls(totals, sizes, shares, defined, n_queries, structure.kinds)
        return whole._joined(structure.unit_of, structure.stratum_of)

    def _joined(self, unit_of: IntArray | None, strata: IntArray | None) -> Self:
        """Sum up units into larger ones, whose strata are given."""
        cls = type(self)
        if unit_of is None:
            return replace(self, strata=strata)
        totals, terms, sizes, n_defined = (
            sums(columns, unit_of)
            for columns in (self.totals, np.abs(self.totals), self.sizes, self.defined)
        )
        shares = sizes if self.sizes is self.shares else sums(self.shares, unit_of)
        # What cancels within a unit is no change, whatever rounding leaves of it.
        totals = np.where(np.abs(totals) > ROUNDING * terms, totals, 0.0)
        return cls(totals, sizes, shares, n_defined > 0, self.n_queries, self.kinds, strata)

    def bucketed(self, n_buckets: int, seed: int) -> Self:
        """Put the units into buckets at random, and take the buckets for units: see `dealt`.

        Returns
        -------
        Sample
            The same one where there are no more units than buckets.

        Examples
        --------
        >>> values = np.arange(1_000.0)[:, np.newaxis]
        >>> sample = Sample.of(values).bucketed(100, seed=0)
        >>> sample.totals.shape, sample.mean
        ((100, 1), array([499.5]))
        """
        n = len(self.totals)
        if n <= n_buckets:
            return self
        return self._joined(*dealt(n, self.strata, n_buckets, seed))

    def drawn(self, seed: int) -> Self:
        """Return what is drawn of it: its units or, of very many, buckets of them."""
        bucket_of, strata = drawn_in(len(self.totals), self.strata, seed)
        return self if bucket_of is None else self._joined(bucket_of, strata)

    @property
    def is_plain(self) -> bool:
        """Whether a unit is a single query that counts once, and all are drawn alike."""
        return self.sizes is self.defined and self.strata is None

    @property
    def values(self) -> FloatArray:
        """The totals, NaN where undefined: of a plain sample, its values."""
        return np.where(self.defined, self.totals, np.nan)

    @cached_property
    def size(self) -> IntArray:
        """How many units are defined, shape ``(n_columns,)``."""
        size: IntArray = np.count_nonzero(self.defined, axis=0)
        return size

    @cached_property
    def n_changed(self) -> IntArray:
        """How many units have a total that is not zero: what a test of deltas has to go by."""
        n_changed: IntArray = np.count_nonzero(self.totals, axis=0)
        return n_changed

    @cached_property
    def mean(self) -> FloatArray:
        """Estimate of the mean, or of the ratio; NaN where nothing is defined."""
        return ratio(self.totals.sum(axis=0), self.sizes.sum(axis=0))

    @cached_property
    def varies(self) -> BoolArray:
        """Whether units differ by more than rounding, so that something is known of their spread.

        At least two of them have to be defined; where there are strata, in each that has any.
        """
        # The mean of equal numbers need not equal them in the last bit, so the deviations from it
        # cannot tell; the extremes can.
        spread = self.totals if self.is_plain else self._residuals
        highest = np.where(self.defined, spread, -np.inf).max(axis=0, initial=-np.inf)
        lowest = np.where(self.defined, spread, np.inf).min(axis=0, initial=np.inf)
        largest = np.maximum(np.abs(highest), np.abs(lowest))
        if not self.is_plain:
            terms = np.abs(self.totals) + np.abs(self.mean * self.sizes)
            largest = np.where(self.defined, terms, 0.0).max(axis=0, initial=0.0)
        differ = highest - lowest > ROUNDING * largest
        varies: BoolArray = differ & ~(self._n_in_strata == 1).any(axis=0)
        return varies

    @cached_property
    def deviations(self) -> FloatArray:
        """Influences of the units, times their number: of a plain sample, values less their mean.

        They add up to 0, in each stratum. 0 where undefined, and all through a constant column.
        """
        if self.is_plain:
            return np.where(self.defined & self.varies, self.totals - self.mean, 0.0)
        scale = ratio(self.size, self.sizes.sum(axis=0))
        return np.where(self.defined & self.varies, self._residuals * scale, 0.0)

    @cached_property
    def standard_deviation(self) -> FloatArray:
        """Standard error times the root of the number of units.

        Of a plain sample, the standard deviation over ``n - 1``. 0 for a constant column, NaN for
        fewer than two units.
        """
        if self.is_plain:
            return np.sqrt(ratio(np.square(self.deviations).sum(axis=0), self.size - 1))
        return np.sqrt(self._jackknifed * self.size)

    @cached_property
    def standard_error(self) -> FloatArray:
        """Standard error of the mean: of a plain sample, ``standard_deviation / sqrt(n)``.

        Where units have sizes, that of the jackknife, which leaves out one unit at a time: a unit
        that is most of the sample pulls the mean to itself, and what is left of it as a residual
        says little of how far the mean would be without it.
        """
        return ratio(self.standard_deviation, np.sqrt(self.size))

    @cached_property
    def _jackknifed(self) -> FloatArray:
        r"""Variance of the mean, in closed form.

        Without unit u of its stratum's n, the others counting ``k = n / (n - 1)`` times, the mean
        moves by :math:`k (r_u - \bar r) / (N - k (N_u - \bar N))`, r being the residuals; the
        variance is the sum of its squares over k (Rust and Rao, Statistical Methods in Medical
        Research 1996).
        """
        numbers = self._numbers
        n = self._n_in_strata
        factor = ratio(n, n - 1)[numbers]
        sizes = np.where(self.defined, self.sizes, 0.0)
        uneven = np.where(self.defined, sizes - ratio(sums(sizes, numbers), n)[numbers], 0.0)
        moved = ratio(factor * self._residuals, sizes.sum(axis=0) - factor * uneven)
        squares = np.where(self.defined & self.varies, ratio(np.square(moved), factor), 0.0)
        variance: FloatArray = squares.sum(axis=0)
        return np.where(self.size > 1, variance, np.nan)

    @cached_property
    def degrees_of_freedom(self) -> FloatArray:
        """Defined units less the strata they lie in: of a plain sample, ``n - 1``.

        Units of unequal shares count as the effective number of each stratum: the error of a mean
        that a few heavy ones decide is known no better than from so many.
        """
        if self.is_plain:
            return self.size.astype(np.float64) - 1
        degrees: FloatArray = np.nansum(self._effective(self.defined) - 1, axis=0)
        return degrees

    @cached_property
    def n_changed_effective(self) -> FloatArray:
        """How many units of equal share those are worth whose total is not zero.

        Never more than `n_changed`; as many where all have one share, as in a plain sample.
        """
        if self.is_plain:
            return self.n_changed.astype(np.float64)
        worth: FloatArray = np.nansum(self._effective(self.totals != 0), axis=0)
        # The last bits of squares would make ten equal shares a little less than ten.
        return np.round(worth, 9)

    def _effective(self, counted: BoolArray) -> FloatArray:
        """Kish's effective number of some units, ``(sum w)^2 / sum w^2``, in each stratum."""
        shares = np.where(counted, self.shares, 0.0)
        numbers = self._numbers
        return ratio(np.square(sums(shares, numbers)), sums(np.square(shares), numbers))

    @property
    def _numbers(self) -> IntArray:
        """The stratum of each unit."""
        return np.zeros(len(self.totals), dtype=np.intp) if self.strata is None else self.strata

    @cached_property
    def tolerance(self) -> FloatArray:
        """How far two means of this column may differ by rounding alone; see ``ROUNDING``."""
        return ROUNDING * ratio(np.abs(self.totals).sum(axis=0), self.sizes.sum(axis=0))

    @cached_property
    def _n_in_strata(self) -> IntArray:
        """How many units are defined, shape ``(n_strata, n_columns)``."""
        if self.strata is None:
            return self.size[np.newaxis]
        return sums(self.defined, self.strata).astype(np.intp)

    @cached_property
    def _residuals(self) -> FloatArray:
        """Totals less what the mean would make of the sizes, centred within the strata."""
        residuals = np.where(self.defined, self.totals - self.mean * self.sizes, 0.0)
        if self.strata is None:
            return residuals
        means = ratio(sums(residuals, self.strata), self._n_in_strata)[self.strata]
        return np.where(self.defined, residuals - means, 0.0)


def plain(values: ArrayLike | Sample, what: str) -> Sample:
    """Return a plain sample, for what knows of no other.

    Raises
    ------
    ValueError
        Where the queries have a structure, or were put into buckets.

    Examples
    --------
    >>> plain(Sample.of([[1.0]], Structure(weights=np.array([2.0]))), "Wilcoxon's test")
    Traceback (most recent call last):
    ...
    ValueError: Wilcoxon's test takes queries that count once each, found a sample with weights
    """
    sample = Sample.of(values)
    if not sample.is_plain:
        found = " and ".join(sample.kinds) or "sizes of its own"
        msg = f"{what} takes queries that count once each, found a sample with {found}"
        raise ValueError(msg)
    return sample
