"""Splits of the queries in two: whether differences of a part are others than elsewhere.

Of many splits, some look different by chance. Max-t by permutation accounts for all that were
tried: values are exchanged between queries, which keep their parts, and the largest distance of any
split is the reference of each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankreport.statistics.sample import ROUNDING, FloatArray, ratio

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["SplitTests", "split_tests"]


class SplitTests(NamedTuple):
    """Whether the means of both sides of each split differ.

    Attributes
    ----------
    distances
        The mean of a part minus that elsewhere in standard errors: Welch's, or that of a common
        variance if it is larger.
    p_adjusted
        Two-sided, of max-t over all splits: never 0.
    level
        The confidence of an interval of each part alone, so that those of all parts hold at once.
    """

    distances: FloatArray
    p_adjusted: FloatArray
    level: float


def split_tests(
    values: ArrayLike,
    parts: ArrayLike,
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> SplitTests:
    r"""Compare the mean of each part with that of all other values, by permutation max-t.

    A permutation is a random order of the values and a rotation of it. All rotations of an order
    are tried, for which the sums of each part are one convolution. The parts are put into a random
    order first: a part of neighbours, such as a segment of sorted queries, would hardly change by a
    rotation, and few orders would say little. Each permutation is uniform, so that the test has its
    level where values do not depend on the parts.
    It is studentised, so that it holds for large parts too where the variance alone depends on
    them (Janssen, Statistics and Probability Letters 1997).

    Parameters
    ----------
    values : float64, shape (n,)
        Without NaN.
    parts : bool, shape (n, n_splits)
        The values of each part: at least two, and two others.
    confidence : float
        Of the intervals at once.
    resamples : int
        Permutations, rounded up to a multiple of n.
    seed : int
        Not negative.

    Examples
    --------
    >>> values = np.r_[np.full(20, -0.2), np.full(40, 0.1)] + np.arange(60) % 5 / 10
    >>> parts = np.column_stack([np.arange(60) < 20, np.arange(60) % 2 == 0])
    >>> found = split_tests(values, parts)
    >>> found.distances.round(1), found.p_adjusted.round(3), round(found.level, 2)
    (array([-7.6, -0. ]), array([0.   , 0.997]), 0.97)
    """
    from scipy import special

    given = np.asarray(values, dtype=np.float64)
    centred, inside = given - given.mean(), np.asarray(parts, dtype=np.float64).T
    n = len(centred)
    raw = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0, n)))
    n_orders = -(-resamples // n)
    keys = raw.random_raw((n_orders + 1) * n).reshape(-1, n)
    scattered, *orders = np.argsort(keys, kind="stable")
    drawn = centred[np.array(orders)]
    spectra = [np.fft.rfft(each) for each in (drawn, np.square(drawn))]
    observed, greatest = np.empty(len(inside)), np.zeros(drawn.shape)
    for at, part in enumerate(inside):
        rotated = np.fft.rfft(part[scattered]).conj()
        sums = (np.fft.irfft(rotated * each, n) for each in spectra)
        np.maximum(greatest, np.abs(_distance(centred, part, *sums)), out=greatest)
        observed[at] = _distance(centred, part, part @ centred, part @ np.square(centred))
    beaten = greatest.ravel() >= np.abs(observed)[:, np.newaxis] * (1 - 1e-9)
    critical = np.quantile(greatest, confidence)
    level = float(1 - 2 * special.stdtr(n - 2, -critical))
    p_adjusted = (1 + beaten.sum(axis=1)) / (1 + greatest.size)
    return SplitTests(observed, p_adjusted, max(confidence, level))


def _distance(
    centred: FloatArray, part: FloatArray, sums: ArrayLike, squares: ArrayLike
) -> NDArray[np.float64]:
    """Return the distance of a part's mean from that of all others; 0 without variance.

    In the larger of both standard errors: Welch's holds where variances differ, but is too small
    for a skewed part in which no large value is seen; that of a common variance is not.
    """
    n, total, size = len(centred), np.square(centred).sum(), part.sum()
    others = n - size
    own, of_own = np.asarray(sums), np.asarray(squares)
    around = [of_own - np.square(own) / size, total - of_own - np.square(own) / others]
    inside, outside = (np.where(each > ROUNDING * total, each, 0) for each in around)
    welch = inside / (size * (size - 1)) + outside / (others * (others - 1))
    pooled = (inside + outside) / (n - 2) * (1 / size + 1 / others)
    difference = own / size + own / others
    return np.nan_to_num(ratio(difference, np.sqrt(np.maximum(welch, pooled))))
