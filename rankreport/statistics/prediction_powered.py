"""The mean of what people judged in part and a model judged in whole.

People judged n queries, drawn at random from the N that a model judged. For each query there are
the difference by the model's judgments and, for the n, the difference by people's. The model's mean
over all N, corrected by what people show of the model's errors, estimates the mean that people
would give over all N: unbiased whatever the model's errors, and the more precise the better the
model.

The sample is a part of the N. The methods of Angelopoulos, Duchi and Zrnic (PPI++, arXiv
2311.01453) and of Oosterhuis and others (arXiv 2407.02464) are for two samples without common
queries, for which the best weight is another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankreport.statistics.intervals import Interval, hull, tails
from rankreport.statistics.rare_failures import allowing_for_rare
from rankreport.statistics.sample import FloatArray, ratio

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["FEWEST_JUDGED", "PredictionPowered", "corrected_mean", "random_part_p"]

FEWEST_JUDGED = 4
"""The fewest queries judged by people for which there is a variance."""


@dataclass(frozen=True, eq=False)
class PredictionPowered:
    """An estimate of the mean, by column; see `corrected_mean`.

    Attributes
    ----------
    estimate : float64, shape (n_columns,)
        The mean of people's differences over all queries, estimated.
    weight : float64, shape (n_columns,)
        How far the model is relied upon: lambda, 0 where its differences do not vary.
    spread : float64, shape (n_columns,)
        The standard deviation of people's differences.
    residual : float64, shape (n_columns,)
        The standard deviation of what the model leaves unexplained, on n - 2 degrees of freedom.
    third_cumulant : float64, shape (n_columns,)
        Of the estimate.
    apart : float64, shape (n_columns,)
        The square of how far the model's mean over the queries that people judged is from its mean
        over all, in sums of squares of its differences there.
    n, n_all : int
        The numbers of queries that people and the model judged.
    """

    estimate: FloatArray
    weight: FloatArray
    spread: FloatArray
    residual: FloatArray
    third_cumulant: FloatArray
    apart: FloatArray
    n: int
    n_all: int

    @property
    def standard_error(self) -> FloatArray:
        r"""The standard error of the estimate.

        To the variance, :math:`s_e^2 (\bar m_N - \bar m_n)^2 / \sum (m - \bar m_n)^2` is added, the
        error of a weight that carries the estimate from the queries judged to all.
        """
        return np.sqrt(self.variance(self.n) + np.square(self.residual) * self.apart)

    def variance(self, n: int) -> FloatArray:
        r"""Return the variance of the estimate with n queries judged by people.

        .. math::
            \frac{s_h^2}{N} + \Bigl(\frac1n - \frac1N\Bigr) s_e^2 \Bigl(1 + \frac{1}{n-3}\Bigr)

        The last factor is that the weight is estimated, too. With another n than the sample's, it
        is the variance to expect of that many.

        Raises
        ------
        ValueError
            If n is below 4 or above the number of queries.
        """
        if not FEWEST_JUDGED <= n <= self.n_all:
            msg = f"expected {FEWEST_JUDGED} to {self.n_all} queries, found {n}"
            raise ValueError(msg)
        sampled = (1 / n - 1 / self.n_all) * np.square(self.residual) * (1 + 1 / (n - 3))
        return np.square(self.spread) / self.n_all + sampled

    def width(self, confidence: ArrayLike, n: int, largest_error: ArrayLike = 0.0) -> FloatArray:
        """Return the width of the t interval to expect of n queries judged by people."""
        from scipy import special

        low, high = tails(confidence)
        half = special.stdtrit(n - 2, high) * np.sqrt(self.variance(n))
        return 2 * allowing_for_rare(half, largest_error, n, low)

    def interval(self, confidence: ArrayLike, largest_error: ArrayLike = 0.0) -> Interval:
        r"""Return the hull of the t interval on n - 2 degrees of freedom and of Cornish-Fisher's.

        The latter corrects the normal quantiles z for the skewness g of the estimate: the ends are
        the estimate plus :math:`z + g (2 z^2 + 1) / 6` standard errors (Hall, The Bootstrap and
        Edgeworth Expansion, 1992, section 3.8). NaN where the estimate does not vary.

        With the largest error of the model on a query, ends are as far away as allows for errors so
        rare that n queries need not show one.
        """
        from scipy import special

        error = self.standard_error
        levels = tails(confidence)
        half = special.stdtrit(self.n - 2, levels[1]) * error
        z = special.ndtri(levels)
        skewness = ratio(self.third_cumulant, error**3)
        low, high = self.estimate + error * (z + skewness * (2 * np.square(z) + 1) / 6)
        low, high = hull(
            Interval(self.estimate - half, self.estimate + half),
            Interval(np.minimum(low, high), np.maximum(low, high)),
        )
        varies = error > 0
        ends = (
            allowing_for_rare(half, largest_error, self.n, levels[0])
            for half in (self.estimate - low, high - self.estimate)
        )
        below, above = (np.where(varies, half, np.nan) for half in ends)
        return Interval(self.estimate - below, self.estimate + above)


def corrected_mean(human: ArrayLike, model: ArrayLike, model_only: ArrayLike) -> PredictionPowered:
    r"""Estimate the mean of people's differences over all queries that a model judged.

    With the differences :math:`h` by people and :math:`m` by the model,
    :math:`\lambda = \mathrm{cov}_n(h, m) / \mathrm{var}_n(m)` and
    :math:`e = h - \lambda m`, the estimate is

    .. math:: \bar h_n + \lambda (\bar m_N - \bar m_n)

    (Cochran, Sampling Techniques, 1977, section 7.3: the regression estimate). Its third cumulant
    is that of a sum of independent terms,
    :math:`n k_3(e / n + \lambda m / N) + (N - n) k_3(\lambda m / N)`.

    Parameters
    ----------
    human : float64, shape (n, n_columns)
        The differences by people's judgments of n queries, a random sample of all.
    model : float64, shape (n, n_columns)
        The differences of the same queries by the model's judgments.
    model_only : float64, shape (N - n, n_columns)
        The differences of all other queries by the model's judgments.

    Raises
    ------
    ValueError
        If the shapes do not fit, a value is not finite, or n is below 4.

    Examples
    --------
    >>> human = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = np.array([[0.0], [1.0], [1.0], [2.0]])
    >>> found = corrected_mean(human, model, [[2.0], [3.0]])
    >>> found.weight, found.estimate
    (array([1.5]), array([2.25]))
    """
    h, m, rest = (np.asarray(each, dtype=np.float64) for each in (human, model, model_only))
    if h.ndim != 2 or h.shape != m.shape or rest.ndim != 2 or rest.shape[1] != h.shape[1]:
        msg = (
            f"expected shapes (n, c), (n, c) and (N - n, c), found {h.shape}, {m.shape} and "
            f"{rest.shape}"
        )
        raise ValueError(msg)
    if not all(np.isfinite(each).all() for each in (h, m, rest)):
        msg = "expected finite values"
        raise ValueError(msg)
    n, n_all = len(h), len(h) + len(rest)
    if n < FEWEST_JUDGED:
        msg = f"expected {FEWEST_JUDGED} queries judged by people or more, found {n}"
        raise ValueError(msg)
    every = np.concatenate([m, rest])
    apart_h, apart_m = _apart(h), _apart(m)
    squares = np.square(apart_m).sum(axis=0)
    weight = (apart_h * apart_m).sum(axis=0) / np.where(squares > 0, squares, 1.0)
    e = h - weight * m
    third = n * _third(e / n + weight * m / n_all)
    if len(rest):
        third = third + len(rest) * _third(weight * every / n_all)
    return PredictionPowered(
        estimate=h.mean(axis=0) + weight * (every.mean(axis=0) - m.mean(axis=0)),
        weight=weight,
        spread=np.sqrt(np.square(apart_h).sum(axis=0) / (n - 1)),
        residual=np.sqrt(np.square(_apart(e)).sum(axis=0) / (n - 2)),
        third_cumulant=third,
        apart=np.nan_to_num(ratio(np.square(every.mean(axis=0) - m.mean(axis=0)), squares)),
        n=n,
        n_all=n_all,
    )


def random_part_p(values: ArrayLike, chosen: ArrayLike) -> FloatArray:
    r"""Return the two-sided p-value, by column, of some rows being a random part of all.

    By the mean of the n rows chosen of N: if they were drawn at random without replacement,
    :math:`(\bar x_n - \bar x_N) / \sqrt{S^2 (1/n - 1/N)}` is nearly normal (Cochran, Sampling
    Techniques, 1977, section 2.6).

    Parameters
    ----------
    values : float64, shape (N, n_columns)
        What is known of all rows.
    chosen : bool, shape (N,)
        The rows that were chosen.

    Examples
    --------
    >>> values = np.arange(40.0)
    >>> random_part_p(values[:, np.newaxis], values % 2 == 0).round(2)
    array([0.79])
    >>> random_part_p(values[:, np.newaxis], values > 19) < 1e-7
    array([ True])
    """
    from scipy import special

    x, part = np.asarray(values, dtype=np.float64), np.asarray(chosen, dtype=bool)
    n, n_all = int(part.sum()), len(x)
    if not 0 < n < n_all:
        return np.ones(x.shape[1])
    apart = _apart(x)
    variance = np.square(apart).sum(axis=0) / (n_all - 1) * (1 / n - 1 / n_all)
    z = np.nan_to_num(ratio(np.abs(apart[part].mean(axis=0)), np.sqrt(variance)))
    p: FloatArray = 2 * special.ndtr(-z)
    return p


def _third(values: FloatArray) -> FloatArray:
    """Return the third k-statistic of each column, unbiased for the third cumulant."""
    n = len(values)
    cubes: FloatArray = (_apart(values) ** 3).sum(axis=0)
    return cubes * n / ((n - 1) * (n - 2))


def _apart(values: FloatArray) -> FloatArray:
    """Return the deviations from the mean of each column, 0 of equal values despite rounding."""
    return np.where(np.ptp(values, axis=0) > 0, values - values.mean(axis=0), 0.0)
