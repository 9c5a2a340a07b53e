"""A sample: a row per unit, a column per measure; means, standard errors and degrees of freedom.

A unit is what resampling draws: a query, or a cluster of queries. Each unit and column has a total
``S`` and a size ``N``, the sums over its queries of ``w d`` and of ``w``; the mean is ``sum S / sum
N``, a ratio estimate (Cochran, Sampling Techniques, 1977, chapter 6). Everything else follows from
the influence of each unit, ``z = (S - mean * N) / sum N``. In a plain sample every size is 1, which
gives the usual mean, ``sd / sqrt(n)`` and Student's t. The ratio of two systems' means is another
such estimate; its sizes are the scores in the denominator.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankreport.statistics.structure import PLAIN, Structure

if TYPE_CHECKING:
    from typing import Self

__all__ = ["MIN_CHANGED", "Estimates", "Sample", "ratio", "shape_of_mean"]


FloatArray = NDArray[np.float64]


IntArray = NDArray[np.intp]


BoolArray = NDArray[np.bool_]


def sums(columns: FloatArray | BoolArray, groups: IntArray, at_least: int = 0) -> FloatArray:
    """Sum the rows of each group, shape ``(n_groups, n_columns)``; the last may be empty.

    >>> sums(np.array([[1.0], [2.0], [4.0]]), np.array([1, 0, 1]))
    array([[2.],
           [5.]])
    """
    n_groups = max(int(groups.max(initial=-1)) + 1, at_least)
    summed = np.empty((n_groups, columns.shape[1]))
    if columns.dtype == np.bool_ and columns.all():
        summed[:] = np.bincount(groups, minlength=n_groups)[:, np.newaxis]
        return summed
    for column, of_groups in zip(columns.T, summed.T, strict=True):
        of_groups[:] = np.bincount(groups, weights=column, minlength=n_groups)
    return summed


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """Divide, with NaN where the denominator is not positive.

    >>> ratio([1.0, 0.0], [2, 0])
    array([0.5, nan])
    """
    above, below = np.broadcast_arrays(np.asarray(numerator, dtype=np.float64), denominator)
    undefined = np.full(above.shape, np.nan)
    quotient: FloatArray = np.divide(above, below, out=undefined, where=below > 0)
    return quotient


def checked(values: ArrayLike) -> FloatArray:
    """Return the array; ValueError if it is not two-dimensional or not finite."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2:
        msg = f"expected values of shape (n_queries, n_columns), found shape {array.shape}"
        raise ValueError(msg)
    infinite = np.isinf(array)
    if infinite.any():
        infinite = np.argwhere(infinite)
        row, column = infinite[0]
        msg = (
            f"expected finite values, or NaN for undefined ones; found {len(infinite)} "
            f"infinite, the first in row {row}, column {column}"
        )
        raise ValueError(msg)
    return array


ROUNDING: Final = 1e-12
"""Two sums closer than this share of ``sum |d|`` are equal.

Sums of the same numbers in another order, or with other signs, differ by rounding: about ``1e-16``
of the sum of the absolute terms, ``1e-13`` for a million of them. The sum itself is no reference,
since it can be near zero while its terms are not. Without a tolerance, replicates equal to the
observed value of tied data would count as smaller or larger depending on rounding.
"""

MIN_CHANGED: Final = 10
"""Below this effective number of changed units, a column has no simultaneous interval."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The columns of a ``(n_queries, n_columns)`` array, without undefined values.

    Attributes
    ----------
    totals : float64, shape (n_units, n_columns)
        Each unit's term of the numerator; 0 where undefined, so that products leave it out. In a
        plain sample, the values.
    sizes : float64, shape (n_units, n_columns)
        Each unit's term of the denominator. In a plain sample, `defined` itself.
    shares : float64, shape (n_units, n_columns)
        Each unit's share of the sample: the weights of its defined queries. The same as `sizes`,
        except for a ratio of means.
    defined : bool, shape (n_units, n_columns)
        Whether a unit has a defined query.
    n_queries : int, shape (n_columns,)
        Number of defined queries.
    kinds : tuple of str
        Kinds of structure: weights, clusters, strata.
    strata : int, shape (n_units,), or None
        The stratum of each unit, numbered without gaps; None without strata.
    weighed : str
        As of the structure.

    Examples
    --------
    >>> sample = Sample.of([[1.0, 0.5], [3.0, float("nan")], [2.0, 0.5]])
    >>> sample.size, sample.mean, sample.varies
    (array([3, 2]), array([2. , 0.5]), array([ True, False]))

    Queries weighted by how often they were asked:

    >>> traffic = Structure(weights=np.array([8.0, 1.0, 1.0]))
    >>> Sample.of([[1.0], [3.0], [2.0]], traffic).mean
    array([1.3])
    """

    totals: FloatArray
    sizes: FloatArray | BoolArray
    shares: FloatArray | BoolArray
    defined: BoolArray
    n_queries: IntArray
    kinds: tuple[str, ...] = ()
    strata: IntArray | None = None
    weighed: str = ""

    @classmethod
    def of(cls, values: ArrayLike | Sample, structure: Structure = PLAIN) -> Sample:
        """Check ``values`` and sum them by unit.

        A sample is returned as it is.

        Raises
        ------
        ValueError
            If ``values`` is not two-dimensional, holds an infinity, or has another number of
            queries than the structure.
        """
        if isinstance(values, Sample):
            return values
        array = checked(values)
        defined = ~np.isnan(array)
        totals = array if defined.all() else np.where(defined, array, 0.0)
        return cls._summed(totals, defined, defined, structure)

    @classmethod
    def ratio_of(
        cls, numerator: ArrayLike, denominator: ArrayLike, structure: Structure = PLAIN
    ) -> Sample:
        """Return a sample whose mean, replicates and intervals are those of a ratio of two means.

        With the same structure and seed, its replicates are the ratios of the replicates of the
        two means.

        Parameters
        ----------
        numerator, denominator : float64, shape (n_queries, n_columns)
            NaN in either leaves a query out.
        structure : Structure
            Weights, clusters and strata of the queries.

        Returns
        -------
        Sample
            Its mean is NaN where the sum of the denominator is not positive.

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
        totals, sizes = above, below
        if not defined.all():
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
        """Weight the queries and sum them by unit."""
        shares: FloatArray | BoolArray = defined
        structure.check_size(len(totals))
        if structure.weights is not None and structure.shares is not None:
            weights, rows = structure.shares[:, np.newaxis], structure.rows
            one = sizes is shares
            totals, sizes = totals[rows] * weights, sizes[rows] * weights
            shares, defined = sizes if one else shares[rows] * weights, defined[rows]
        n_queries, unit_of = np.count_nonzero(defined, axis=0), structure.unit_of
        if unit_of is not None:
            terms, n_defined = sums(np.abs(totals), unit_of), sums(defined, unit_of)
            totals = sums(totals, unit_of)
            # Changes that cancel within a unit are 0, up to rounding.
            totals = np.where(np.abs(totals) > ROUNDING * terms, totals, 0.0)
            one, plain = sizes is shares, sizes is defined
            sizes = n_defined if plain else sums(sizes, unit_of)
            shares, defined = sizes if one else sums(shares, unit_of), n_defined > 0
        kinds, strata = structure.kinds, structure.stratum_of
        weighed = structure.weighed
        kinds = tuple(kind for kind in kinds if kind != "weights" or weighed == "queries")
        return cls(totals, sizes, shares, defined, n_queries, kinds, strata, weighed)

    @cached_property
    def _is_whole(self) -> bool:
        """Whether all units are defined in all columns."""
        return bool(self.defined.all())

    def _or_zero(self, values: FloatArray) -> FloatArray:
        """Return values of the units, 0 where undefined."""
        return values if self._is_whole else np.where(self.defined, values, 0.0)

    @property
    def is_plain(self) -> bool:
        """Whether there is no structure: units are single queries of equal weight."""
        return self.sizes is self.defined and self.strata is None

    @property
    def values(self) -> FloatArray:
        """The totals, NaN where undefined: of a plain sample, its values."""
        return np.where(self.defined, self.totals, np.nan)

    @cached_property
    def size(self) -> IntArray:
        """Number of defined units, shape ``(n_columns,)``."""
        size: IntArray = np.count_nonzero(self.defined, axis=0)
        return size

    @cached_property
    def n_changed(self) -> IntArray:
        """Number of units whose total is not zero."""
        n_changed: IntArray = np.count_nonzero(self.totals, axis=0)
        return n_changed

    @cached_property
    def mean(self) -> FloatArray:
        """Estimate of the mean, or of the ratio; NaN where nothing is defined."""
        n_counted = self.size if self.sizes is self.defined else self.sizes.sum(axis=0)
        return ratio(self.totals.sum(axis=0), n_counted)

    @cached_property
    def varies(self) -> BoolArray:
        """Whether units differ by more than rounding, so that their spread can be estimated.

        At least two units must be defined; with strata, in each stratum that has any.
        """
        # Compare extremes, not deviations: the mean of equal numbers can differ from them by a
        # rounding error.
        spread = self.totals if self.is_plain else self._residuals
        highs, lows = spread, spread
        if not self._is_whole:
            highs, lows = (np.where(self.defined, spread, end) for end in (-np.inf, np.inf))
        highest, lowest = highs.max(axis=0, initial=-np.inf), lows.min(axis=0, initial=np.inf)
        largest = np.maximum(np.abs(highest), np.abs(lowest))
        if not self.is_plain:
            terms = np.abs(self.totals) + np.abs(self.mean * self.sizes)
            largest = self._or_zero(terms).max(axis=0, initial=0.0)
        differ = highest - lowest > ROUNDING * largest
        varies: BoolArray = differ & ~(self._n_in_strata == 1).any(axis=0)
        return varies

    @cached_property
    def deviations(self) -> FloatArray:
        """Influences of the units times their number: in a plain sample, values minus their mean.

        They add up to 0 in each stratum, and are 0 where undefined and in constant columns.
        """
        if self.is_plain and self._is_whole and self.varies.all():
            return self.totals - self.mean
        if self.is_plain:
            return np.where(self.defined & self.varies, self.totals - self.mean, 0.0)
        scale = ratio(self.size, self.sizes.sum(axis=0))
        return np.where(self.defined & self.varies, self._residuals * scale, 0.0)

    @cached_property
    def squares(self) -> FloatArray:
        """Sum of the squares of `deviations`."""
        squares: FloatArray = np.square(self.deviations).sum(axis=0)
        return squares

    @cached_property
    def cubes(self) -> FloatArray:
        """Sum of the cubes of `deviations`."""
        cubes: FloatArray = (np.square(self.deviations) * self.deviations).sum(axis=0)
        return cubes

    @cached_property
    def fourth_powers(self) -> FloatArray:
        """Sum of the fourth powers of `deviations`."""
        powers: FloatArray = np.square(np.square(self.deviations)).sum(axis=0)
        return powers

    @cached_property
    def standard_deviation(self) -> FloatArray:
        """Standard error times the root of the number of units.

        Of a plain sample, the standard deviation over ``n - 1``. 0 for a constant column, NaN for
        fewer than two units.
        """
        if self.is_plain:
            return np.sqrt(ratio(self.squares, self.size - 1))
        return np.sqrt(self._jackknifed * self.size)

    @cached_property
    def standard_error(self) -> FloatArray:
        """Standard error of the mean: in a plain sample, ``standard_deviation / sqrt(n)``.

        If units have sizes, the jackknife standard error: a unit that dominates the sample pulls
        the mean towards itself, so that its residual understates its influence.
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
        sizes = self._or_zero(np.asarray(self.sizes, dtype=np.float64))
        uneven = self._or_zero(sizes - ratio(sums(sizes, numbers), n)[numbers])
        moved = ratio(factor * self._residuals, sizes.sum(axis=0) - factor * uneven)
        squares = np.where(self.defined & self.varies, ratio(np.square(moved), factor), 0.0)
        variance: FloatArray = squares.sum(axis=0)
        return np.where(self.size > 1, variance, np.nan)

    @cached_property
    def degrees_of_freedom(self) -> FloatArray:
        """Number of defined units minus number of strata: in a plain sample, ``n - 1``.

        Units of unequal shares count by the effective number of each stratum. Where each stratum
        has one weight, strata count by their part of the variance (Satterthwaite).
        """
        if self.is_plain:
            return self.size.astype(np.float64) - 1
        of_strata = self._effective(self.defined) - 1
        degrees: FloatArray = np.nansum(of_strata, axis=0)
        if self.weighed != "strata":
            return degrees
        squares = sums(np.square(self.deviations), self._numbers)
        variances = np.nan_to_num(squares * (1 + ratio(1.0, of_strata)))
        spread = np.nansum(ratio(np.square(variances), of_strata), axis=0)
        found = ratio(np.square(variances.sum(axis=0)), spread)
        return np.where(np.isfinite(found), found, degrees)

    @cached_property
    def n_changed_effective(self) -> FloatArray:
        """Effective number of the units whose total is not zero.

        At most `n_changed`; equal to it if all shares are equal, as in a plain sample.
        """
        if self.is_plain:
            return self.n_changed.astype(np.float64)
        effective: FloatArray = np.nansum(self._effective(self.totals != 0), axis=0)
        # Without rounding, ten equal shares would give slightly less than ten.
        return np.round(effective, 9)

    def _effective(self, counted: BoolArray) -> FloatArray:
        """Kish's effective number of some units, ``(sum w)^2 / sum w^2``, in each stratum."""
        shares = np.where(counted, self.shares, 0.0)
        numbers = self._numbers
        return ratio(np.square(sums(shares, numbers)), sums(np.square(shares), numbers))

    @property
    def uneven(self) -> FloatArray | None:
        """How far sizes lie from their mean in the stratum, over their sum; None if all are 1."""
        if self.sizes is self.defined and self._is_whole:
            return None
        sizes, numbers = np.asarray(self.sizes, dtype=np.float64), self._numbers
        means = sums(sizes, numbers) / np.bincount(numbers)[:, np.newaxis]
        return np.nan_to_num(ratio(sizes - means[numbers], sizes.sum(axis=0)))

    @property
    def _numbers(self) -> IntArray:
        """The stratum of each unit."""
        return np.zeros(len(self.totals), dtype=np.intp) if self.strata is None else self.strata

    @cached_property
    def tolerance(self) -> FloatArray:
        """The largest difference of two means due to rounding; see ``ROUNDING``."""
        return ROUNDING * ratio(np.abs(self.totals).sum(axis=0), self.sizes.sum(axis=0))

    @cached_property
    def _n_in_strata(self) -> IntArray:
        """Number of defined units, shape ``(n_strata, n_columns)``."""
        if self.strata is None:
            return self.size[np.newaxis]
        return sums(self.defined, self.strata).astype(np.intp)

    @cached_property
    def _residuals(self) -> FloatArray:
        """Totals minus mean times size, centred within the strata."""
        residuals = self._or_zero(self.totals - self.mean * self.sizes)
        if self.strata is None:
            return residuals
        means = ratio(sums(residuals, self.strata), self._n_in_strata)[self.strata]
        return np.where(self.defined, residuals - means, 0.0)


class Estimates(NamedTuple):
    """What is left of a sample that is no longer in memory; each of shape ``(n_columns,)``."""

    mean: FloatArray
    standard_error: FloatArray
    varies: BoolArray
    n_changed_effective: FloatArray

    @classmethod
    def of(cls, sample: Sample) -> Self:
        """Return those of a sample.

        >>> Estimates.of(Sample.of([[1.0, 0.5], [2.0, 0.5]])).varies
        array([ True, False])
        """
        return cls(*(getattr(sample, name) for name in cls._fields))


def plain(values: ArrayLike | Sample, what: str) -> Sample:
    """Return a plain sample, for methods that support no structure.

    Raises
    ------
    ValueError
        Where the queries have a structure.

    Examples
    --------
    >>> weights = Structure(weights=np.array([2.0, 1.0]))
    >>> plain(Sample.of([[1.0], [0.0]], weights), "Wilcoxon's test")
    Traceback (most recent call last):
    ...
    ValueError: Wilcoxon's test takes queries of equal weight, found a sample with weights
    """
    sample = Sample.of(values)
    if not sample.is_plain:
        found = " and ".join(sample.kinds) or "sizes of its own"
        msg = f"{what} takes queries of equal weight, found a sample with {found}"
        raise ValueError(msg)
    return sample


def acceleration_of_mean(sample: Sample) -> FloatArray:
    """Return the acceleration of the mean: :func:`skewness_over_six` of its deviations.

    >>> acceleration_of_mean(Sample.of([[0.0, 1.0], [0.0, 1.0], [3.0, 1.0]])).round(4)
    array([0.068,   nan])
    """
    return ratio(sample.cubes, 6 * sample.squares**1.5)


def shape_of_mean(sample: Sample) -> tuple[FloatArray, FloatArray]:
    """Return the skewness and the excess kurtosis of the replicates of a mean.

    >>> [found.round(3).tolist() for found in shape_of_mean(Sample.of([[0.0], [0.0], [3.0]]))]
    [[0.408], [-0.5]]
    """
    kurtosis = ratio(sample.fourth_powers, np.square(sample.squares)) - ratio(3.0, sample.size)
    return 6 * acceleration_of_mean(sample), kurtosis
