"""Effect sizes with intervals, and the share of a difference that comes from a few queries.

The standardised mean difference is the mean in units of the standard deviation of the differences
(Cohen's d_z, 1988, section 2.3.5), on which power and numbers of queries depend.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankreport.statistics.intervals import Interval, accelerated, skewness_over_six, student_t
from rankreport.statistics.sample import ROUNDING, FloatArray, Sample, plain, ratio
from rankreport.statistics.structure import Structure

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankreport.statistics.resampling import Moments

__all__ = ["largest_share", "linearized_effect", "standardized_interval", "standardized_mean"]


def standardized_mean(values: ArrayLike | Sample) -> FloatArray:
    """Return the mean of each column over its standard deviation (over ``n - 1``).

    Returns
    -------
    float64, shape (n_columns,)
        0 where all values are zero; NaN where they are equal and not zero, or fewer than two.

    Examples
    --------
    >>> standardized_mean([[1.0, 0.0, 0.5], [2.0, 0.0, 0.5], [3.0, 0.0, 0.5]])
    array([ 2.,  0., nan])
    """
    sample = plain(values, "the standardised mean")
    unchanged = (sample.size > 1) & (sample.n_changed == 0)
    return np.where(unchanged, 0.0, ratio(sample.mean, sample.standard_deviation))


def standardized_interval(
    values: ArrayLike | Sample, moments: Moments, drawn: ArrayLike, confidence: ArrayLike
) -> Interval:
    r"""BCa interval of :func:`standardized_mean`.

    A percentile interval would be biased, since the standard deviation of a replicate is too small
    on average. The acceleration is that of the influence values
    :math:`c - \theta (c^2 - 1) / 2`, c the values standardised and :math:`\theta` the effect
    (Efron and Tibshirani 1993, section 14.4, with the empirical influence for the jackknife).

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns)
        NaN where undefined.
    moments : Moments
        Their replicates. One without spread has an infinite effect, or 0 if its mean is zero too.
    drawn : float64, broadcast to the replicates
        Number of defined values in each replicate: the number of queries if all are defined.
    confidence : float64, scalar or shape (n_columns,)
        Between 0 and 1, both excluded.

    Returns
    -------
    Interval
        NaN where a column does not vary.

    Examples
    --------
    >>> from rankreport.statistics.resampling import replicate_moments
    >>> values = np.random.default_rng(0).normal(0.5, 1, (100, 1))
    >>> moments = replicate_moments(values, resamples=2_000, seed=0)
    >>> low, high = standardized_interval(values, moments, 100, 0.95)
    >>> bool(low < standardized_mean(values) < high)
    True
    """
    sample = plain(values, "this interval of an effect size")
    deviations = moments.standard_errors * np.sqrt(np.asarray(drawn, dtype=np.float64))
    has_side = np.abs(moments.means) > sample.tolerance
    without_spread = np.where(has_side, np.copysign(np.inf, moments.means), 0.0)
    without_spread = np.where(np.isnan(moments.means), np.nan, without_spread)
    replicates = np.divide(moments.means, deviations, out=without_spread, where=deviations > 0)
    effect = standardized_mean(sample)
    acceleration = skewness_over_six(_influences(sample))
    low, high = accelerated(
        replicates, effect, ROUNDING * (1 + np.abs(effect)), acceleration, confidence
    )
    return Interval(np.where(sample.varies, low, np.nan), np.where(sample.varies, high, np.nan))


def linearized_effect(
    values: ArrayLike, structure: Structure, confidence: ArrayLike
) -> tuple[FloatArray, Interval]:
    r"""Return the standardised mean with Student's interval of its influence values.

    For queries with a structure, where replicates have no standard errors. Mean and standard
    deviation are weighted means over queries. The influence of a query on the effect :math:`\theta`
    is :math:`c - \theta (c^2 - 1) / 2`, c being its standardised value; the interval of the mean
    influence, with their structure, gives the interval of the effect
    (linearisation; Deville, Survey Methodology 1999).

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns)
        NaN where undefined.
    structure : Structure
        Weights, clusters and strata of the queries.
    confidence : float64, scalar or shape (n_columns,)
        Between 0 and 1, both excluded.

    Returns
    -------
    effect : float64, shape (n_columns,)
        0 where all values are zero; NaN where they are equal and not zero, or fewer than two.
    interval : Interval
        NaN where a column does not vary.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(0.5, 1, (100, 1))
    >>> effect, (low, high) = linearized_effect(values, Structure(), 0.95)
    >>> bool(low < effect < high)
    True
    """
    given = np.asarray(values, dtype=np.float64)
    queries = Sample.of(given, Structure(weights=structure.weights))
    squares = Sample.of(np.square(given - queries.mean), Structure(weights=structure.weights))
    spread = np.sqrt(np.where(queries.varies, squares.mean, np.nan))  # over n
    unbiased = spread * np.sqrt(ratio(queries.n_queries, queries.n_queries - 1))
    unchanged = (queries.size > 1) & (queries.n_changed == 0)
    effect = np.where(unchanged, 0.0, ratio(queries.mean, unbiased))
    standard = (given - queries.mean) / np.where(spread > 0, spread, 1.0)
    influences = standard - np.nan_to_num(effect) * (np.square(standard) - 1) / 2
    low, high = student_t(Sample.of(influences, structure), confidence)
    varies = queries.varies
    return effect, Interval(
        np.where(varies, effect + low, np.nan), np.where(varies, effect + high, np.nan)
    )


def _influences(sample: Sample) -> FloatArray:
    """Return the influence of each unit on the standardised mean; 0 where nothing varies."""
    # Over n, so that influences add up to zero.
    spread = np.sqrt(ratio(np.square(sample.deviations).sum(axis=0), sample.size))
    standard = sample.deviations / np.where(spread > 0, spread, 1.0)
    effect = np.where(sample.varies, standardized_mean(sample), 0.0)
    influences = standard - effect * (np.square(standard) - 1) / 2
    return np.where(sample.defined & sample.varies, influences, 0.0)


def largest_share(values: ArrayLike | Sample, n: int) -> FloatArray:
    """Return the share of each column's sum due to its ``n`` largest values of the same sign.

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns)
        Differences, NaN where undefined. With a structure, the totals of units are used.
    n : int
        Number of values; values of the opposite sign do not count.

    Returns
    -------
    float64, shape (n_columns,)
        Above 1 if the other values reduce the sum; NaN if the sum is zero up to rounding.

    Raises
    ------
    ValueError
        If ``n`` is below 1, or as in `Sample.of`.

    Examples
    --------
    One query accounts for 0.5 of a net gain of 0.8:

    >>> deltas = [[0.5], [0.2], [0.3], [-0.2], [0.0]]
    >>> largest_share(deltas, 1).round(3)
    array([0.625])
    >>> largest_share(deltas, 3).round(3)
    array([1.25])
    """
    if n < 1:
        msg = f"expected n of 1 or more, found {n}"
        raise ValueError(msg)
    changes = Sample.of(values).totals
    net, terms = changes.sum(axis=0), np.abs(changes).sum(axis=0)
    onwards = np.maximum(changes * np.sign(net), 0.0)
    if len(onwards) > n:
        onwards = np.partition(onwards, len(onwards) - n, axis=0)[len(onwards) - n :]
    largest = onwards.sum(axis=0)
    has_direction = np.abs(net) > ROUNDING * terms
    return ratio(largest, np.where(has_direction, np.abs(net), 0.0))
