"""Sums instead of values: all that intervals and tests need of samples that are too large to hold.

Values are summed in parts, wherever they are: sums of powers of the deviations from the part's
mean, extremes and counts. Parts are joined by the formulas of Chan, Golub and LeVeque (1979) and
Pébay (Sandia report SAND2008-6212, 2008), which keep all digits where sums of raw powers would
lose them. What has a closed form is then that of all values, and what is resampled is resampled by
unit: a bucket of queries, of which only totals are known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike

from rankreport.statistics.sample import (
    ROUNDING,
    BoolArray,
    FloatArray,
    IntArray,
    Sample,
    checked,
    ratio,
    sums,
)

if TYPE_CHECKING:
    from typing import Self

LARGEST: Final = 5
"""How many of the largest values on either side of 0 are kept, for their share of the mean."""


@dataclass(frozen=True, eq=False)
class PowerSums:
    """Sums over the defined values of each column, shape ``(n_columns,)``.

    Attributes
    ----------
    size : float64
        Number of values.
    mean : float64
        0 where there are none.
    squares, cubes, fourth_powers : float64
        Sums of the powers of the deviations from the mean.
    lowest, highest : float64
        Infinite where there are no values.
    below, above : float64
        Sums of the values below and above 0.
    n_below, n_above : float64
        Their numbers.
    least, most : float64, shape (LARGEST, n_columns)
        The largest values below and above 0, by their size; 0 where there are fewer.

    Examples
    --------
    >>> whole = PowerSums.of([[1.0], [2.0], [-3.0], [float("nan")]])
    >>> whole.size, whole.mean, whole.squares, whole.n_below
    (array([3.]), array([0.]), array([14.]), array([1.]))
    >>> parts = [PowerSums.of([[1.0], [2.0]]), PowerSums.of([[-3.0]])]
    >>> PowerSums.joined(parts).cubes == whole.cubes
    array([ True])
    """

    size: FloatArray
    mean: FloatArray
    squares: FloatArray
    cubes: FloatArray
    fourth_powers: FloatArray
    lowest: FloatArray
    highest: FloatArray
    below: FloatArray
    above: FloatArray
    n_below: FloatArray
    n_above: FloatArray
    least: FloatArray
    most: FloatArray

    @classmethod
    def of(cls, values: ArrayLike) -> Self:
        """Sum values, shape (n_values, n_columns), NaN where undefined.

        Raises
        ------
        ValueError
            If they are not two-dimensional, or not finite.
        """
        array = checked(values)
        defined = ~np.isnan(array)
        held = np.where(defined, array, 0.0)
        size = np.count_nonzero(defined, axis=0).astype(np.float64)
        mean = held.sum(axis=0) / np.maximum(size, 1)
        deviations = np.where(defined, held - mean, 0.0)
        squares = np.square(deviations)
        return cls(
            size,
            mean,
            squares.sum(axis=0),
            (squares * deviations).sum(axis=0),
            np.square(squares).sum(axis=0),
            np.where(defined, held, np.inf).min(axis=0, initial=np.inf),
            np.where(defined, held, -np.inf).max(axis=0, initial=-np.inf),
            np.minimum(held, 0.0).sum(axis=0),
            np.maximum(held, 0.0).sum(axis=0),
            np.count_nonzero(held < 0, axis=0).astype(np.float64),
            np.count_nonzero(held > 0, axis=0).astype(np.float64),
            -_largest(np.maximum(-held, 0.0)),
            _largest(np.maximum(held, 0.0)),
        )

    @classmethod
    def joined(cls, parts: Iterable[PowerSums]) -> PowerSums:
        """Return the sums of the values of all parts, of which there must be one."""
        return reduce(_joined, parts)

    @classmethod
    def beside(cls, several: Iterable[PowerSums]) -> PowerSums:
        """Return the columns of several side by side."""
        given = list(several)
        return cls(
            *(np.concatenate([getattr(each, f.name) for each in given], -1) for f in fields(cls))
        )

    def columns(self, places: IntArray, signs: FloatArray) -> PowerSums:
        """Return some columns, the values of each multiplied by a sign, 1 or -1."""
        taken = {each.name: getattr(self, each.name)[..., places] for each in fields(self)}
        turned = signs < 0
        pairs = [("lowest", "highest"), ("below", "above"), ("least", "most")]
        for low, high in pairs:
            one, other = taken[low], taken[high]
            taken[low] = np.where(turned, -other, one)
            taken[high] = np.where(turned, -one, other)
        one, other = taken["n_below"], taken["n_above"]
        taken["n_below"] = np.where(turned, other, one)
        taken["n_above"] = np.where(turned, one, other)
        taken["mean"] = signs * taken["mean"]
        taken["cubes"] = signs * taken["cubes"]
        return PowerSums(**taken)

    @property
    def few_values(self) -> tuple[FloatArray, FloatArray] | None:
        """The values of a single column and how often each occurs, if so few are not 0.

        None if more than `LARGEST` are below or above 0: the others are not known.

        >>> PowerSums.of([[0.0], [0.5], [0.0], [-0.2]]).few_values
        (array([-0.2,  0.5,  0. ]), array([1., 1., 2.]))
        """
        n_below, n_above = int(self.n_below[0]), int(self.n_above[0])
        if max(n_below, n_above) > LARGEST:
            return None
        n_zero = self.size[0] - n_below - n_above
        values = [*self.least[:n_below, 0], *self.most[:n_above, 0]]
        counts = [1.0] * len(values)
        if n_zero:
            values.append(0.0)
            counts.append(n_zero)
        return np.array(values), np.array(counts)

    def largest_share(self, n: int) -> FloatArray:
        """Return the frame of `rankreport.statistics.largest_share`, of at most `LARGEST` values.

        >>> PowerSums.of([[0.5], [0.2], [0.3], [-0.2], [0.0]]).largest_share(1).round(3)
        array([0.625])
        """
        if not 1 <= n <= LARGEST:
            msg = f"expected n from 1 to {LARGEST}, found {n}"
            raise ValueError(msg)
        net, terms = self.below + self.above, self.above - self.below
        onwards = np.where(net > 0, self.most[:n].sum(axis=0), -self.least[:n].sum(axis=0))
        has_direction = np.abs(net) > ROUNDING * terms
        return ratio(onwards, np.where(has_direction, np.abs(net), 0.0))


def _largest(sizes: FloatArray) -> FloatArray:
    """Return the largest of each column, in descending order, and 0 where there are fewer."""
    padded = np.zeros((LARGEST, sizes.shape[1]))
    kept = sizes
    if len(sizes) > LARGEST:
        kept = np.partition(sizes, len(sizes) - LARGEST, axis=0)[len(sizes) - LARGEST :]
    padded[: len(kept)] = np.sort(kept, axis=0)[::-1]
    return padded


def _joined(one: PowerSums, other: PowerSums) -> PowerSums:
    """Join the sums of two parts (Pébay 2008, equations 1.5 to 1.7)."""
    n_one, n_other = one.size, other.size
    n = n_one + n_other
    whole = np.maximum(n, 1)
    # Shares and not products of numbers of values, which would lose digits.
    share_one, share_other = n_one / whole, n_other / whole
    apart = other.mean - one.mean
    mean = one.mean + apart * share_other
    squares = one.squares + other.squares + np.square(apart) * n_one * share_other
    cubes = (
        one.cubes
        + other.cubes
        + apart**3 * n_one * share_other * (share_one - share_other)
        + 3 * apart * (share_one * other.squares - share_other * one.squares)
    )
    fourth_powers = (
        one.fourth_powers
        + other.fourth_powers
        + apart**4
        * n_one
        * share_other
        * (np.square(share_one) - share_one * share_other + np.square(share_other))
        + 6
        * np.square(apart)
        * (np.square(share_one) * other.squares + np.square(share_other) * one.squares)
        + 4 * apart * (share_one * other.cubes - share_other * one.cubes)
    )
    return PowerSums(
        n,
        mean,
        squares,
        cubes,
        fourth_powers,
        np.minimum(one.lowest, other.lowest),
        np.maximum(one.highest, other.highest),
        one.below + other.below,
        one.above + other.above,
        one.n_below + other.n_below,
        one.n_above + other.n_above,
        -_largest(np.vstack([-one.least, -other.least])),
        _largest(np.vstack([one.most, other.most])),
    )


def unit_totals(values: ArrayLike, unit_of: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the total and the number of the defined values of each unit.

    Parameters
    ----------
    values : float64, shape (n_values, n_columns)
        NaN where undefined.
    unit_of : int, shape (n_values,)
        The unit of each, numbered without gaps.

    Returns
    -------
    float64 and float64, shape (n_units, n_columns)

    Examples
    --------
    Values that cancel within a unit add up to 0, up to rounding:

    >>> unit_totals([[0.1], [0.2], [-0.3], [1.0]], np.array([0, 0, 0, 1]))
    (array([[0.],
           [1.]]), array([[3.],
           [1.]]))
    """
    array = checked(values)
    defined = ~np.isnan(array)
    held = np.where(defined, array, 0.0)
    totals, terms, counts = (sums(each, unit_of) for each in (held, np.abs(held), defined))
    return np.where(np.abs(totals) > ROUNDING * terms, totals, 0.0), counts


@dataclass(frozen=True, eq=False)
class SummedSample(Sample):
    """A plain sample of which sums are held, and no values.

    Totals and sizes are those of units, which are resampled; mean, standard error and the powers
    of the deviations are those of all values, so that closed forms are those of `Sample`.

    Attributes
    ----------
    summed : PowerSums
        Sums over all values.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(0.3, 1, (100, 1))
    >>> totals, counts = unit_totals(values, np.arange(100) % 20)
    >>> sample = SummedSample.of_sums(PowerSums.of(values), totals, counts)
    >>> np.allclose(sample.standard_error, Sample.of(values).standard_error)
    True
    >>> sample.drawn(seed=0).totals.shape
    (20, 1)
    """

    summed: PowerSums = field(kw_only=True)

    @classmethod
    def of_sums(cls, summed: PowerSums, totals: FloatArray, counts: FloatArray) -> SummedSample:
        """Create a sample from its sums, and the totals and counts of its units."""
        n_queries = summed.size.astype(np.intp)
        return cls(totals, counts, counts, counts > 0, n_queries, summed=summed)

    def drawn(self, seed: int) -> Sample:  # type: ignore[override]
        """Return the units to resample."""
        del seed
        return self._units

    @cached_property
    def _units(self) -> Sample:
        return Sample(self.totals, self.sizes, self.shares, self.defined, self.n_queries)

    @property
    def is_plain(self) -> bool:
        """Whether values are of equal weight: always."""
        return True

    @property
    def values(self) -> FloatArray:
        """Not held: raise ValueError."""
        raise _not_held()

    @cached_property
    def deviations(self) -> FloatArray:
        """Not held: raise ValueError."""
        raise _not_held()

    @cached_property
    def size(self) -> IntArray:
        """Number of values."""
        return self.n_queries

    @cached_property
    def n_changed(self) -> IntArray:
        """Number of values that are not zero."""
        n_changed: IntArray = (self.summed.n_below + self.summed.n_above).astype(np.intp)
        return n_changed

    @cached_property
    def mean(self) -> FloatArray:
        """Mean of the values; NaN where nothing is defined."""
        return np.where(self.size > 0, self.summed.mean, np.nan)

    @cached_property
    def varies(self) -> BoolArray:
        """Whether values differ by more than rounding."""
        lowest, highest = self.summed.lowest, self.summed.highest
        some = self.size > 0
        largest = np.maximum(np.abs(highest), np.abs(lowest), where=some, out=np.zeros(len(some)))
        spread = np.subtract(highest, lowest, where=some, out=np.zeros(len(some)))
        varies: BoolArray = (spread > ROUNDING * largest) & (self.size > 1)
        return varies

    @cached_property
    def squares(self) -> FloatArray:
        """Sum of the squares of the deviations from the mean."""
        return np.where(self.varies, self.summed.squares, 0.0)

    @cached_property
    def cubes(self) -> FloatArray:
        """Sum of the cubes of the deviations."""
        return np.where(self.varies, self.summed.cubes, 0.0)

    @cached_property
    def fourth_powers(self) -> FloatArray:
        """Sum of the fourth powers of the deviations."""
        return np.where(self.varies, self.summed.fourth_powers, 0.0)

    @cached_property
    def tolerance(self) -> FloatArray:
        """The largest difference of two means due to rounding; see ``ROUNDING``."""
        return ROUNDING * ratio(self.summed.above - self.summed.below, self.summed.size)


@dataclass(frozen=True, eq=False)
class SummedRatio(Sample):
    """The ratio of two means of which sums are held.

    Totals and sizes are those of units, which are resampled; the standard error is linearised from
    the sums of squares and cross-products of all values (Cochran, Sampling Techniques, 1977,
    section 2.11). It differs from the jackknife's by a share of about 1 in the number of values.

    Attributes
    ----------
    error : float64, shape (n_columns,)
        The standard error.

    Examples
    --------
    >>> above, below = np.random.default_rng(0).uniform(1, 2, (2, 5_000, 1))
    >>> units, n = np.arange(5_000) % 100, np.array([5_000.0])
    >>> squares = PowerSums.of(above).squares, PowerSums.of(below).squares
    >>> cross = np.sum((above - above.mean()) * (below - below.mean()), axis=0)
    >>> totals, sizes = (unit_totals(each, units)[0] for each in (above, below))
    >>> made = SummedRatio.of_sums(totals, sizes, unit_totals(above, units)[1], *squares, cross)
    >>> expected = Sample.ratio_of(above, below)
    >>> np.allclose(made.standard_error, expected.standard_error, rtol=1e-3)
    True
    """

    error: FloatArray = field(kw_only=True)

    @classmethod
    def of_sums(
        cls,
        totals: FloatArray,
        sizes: FloatArray,
        counts: FloatArray,
        *sums_of_squares: FloatArray,
    ) -> SummedRatio:
        """Create a ratio from the totals and counts of its units, and three sums over all values.

        These are of the squares of numerator and denominator, and of their products, all about
        their means.
        """
        above, below, cross = sums_of_squares
        n = counts.sum(axis=0)
        quotient = ratio(totals.sum(axis=0), sizes.sum(axis=0))
        squares = above - 2 * quotient * cross + np.square(quotient) * below
        mean = ratio(sizes.sum(axis=0), n)
        error = ratio(np.sqrt(ratio(np.maximum(squares, 0.0), n * (n - 1))), mean)
        return cls(totals, sizes, counts, counts > 0, n.astype(np.intp), error=error)

    @cached_property
    def standard_error(self) -> FloatArray:
        """The standard error from all values."""
        return self.error

    @cached_property
    def degrees_of_freedom(self) -> FloatArray:
        """Number of values minus 1."""
        return self.n_queries.astype(np.float64) - 1


def _not_held() -> ValueError:
    return ValueError("expected a sample that holds its values, found one of sums")
