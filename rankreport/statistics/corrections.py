"""P-values of many tests, adjusted so that their error is that of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankreport.statistics.sample import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from rankreport.statistics.columnwise import FloatArray, IntArray


def holm(p_values: ArrayLike) -> FloatArray:
    """Holm's adjusted p-values: the chance of any false rejection stays below the level.

    The smallest of n p-values is multiplied by n, the next by ``n - 1``, and so on, none adjusted
    to less than the one before it (Holm, Scandinavian Journal of Statistics 1979). It asks nothing
    of how the tests depend on each other.

    Parameters
    ----------
    p_values : float64, shape (n_tests,)
        From 0 to 1. NaN, a test that could not be made, stays NaN and is not counted.

    Returns
    -------
    float64, shape (n_tests,)
        In the order given, at most 1.

    Raises
    ------
    ValueError
        Where ``p_values`` is not one-dimensional, or a p-value is outside [0, 1].

    Examples
    --------
    >>> holm([0.01, 0.04, float("nan"), 0.03])
    array([0.03, 0.06,  nan, 0.06])
    """
    given, ascending = _ascending(p_values)
    still_to_reject = np.arange(len(ascending), 0, -1)
    adjusted = np.full(given.shape, np.nan)
    adjusted[ascending] = np.maximum.accumulate(still_to_reject * given[ascending]).clip(max=1.0)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    """Benjamini and Hochberg's adjusted p-values: of those rejected, few are false on average.

    The j-th smallest of n p-values is multiplied by ``n / j``, none adjusted to more than the one
    after it (Journal of the Royal Statistical Society B 1995). It bounds the expected share of
    false rejections, not the chance of one, and is for exploring: it asks that the tests are
    independent, or depend on each other positively, as those of systems against one baseline do.

    Takes, returns and raises what :func:`holm` does.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, float("nan"), 0.03])
    array([0.03, 0.04,  nan, 0.04])
    """
    given, ascending = _ascending(p_values)
    n = len(ascending)
    stepped = given[ascending] * n / np.arange(1, n + 1)
    adjusted = np.full(given.shape, np.nan)
    adjusted[ascending] = np.minimum.accumulate(stepped[::-1])[::-1]
    return adjusted


def step_down(
    statistics: ArrayLike, replicates: Iterable[FloatArray], *, at_least: ArrayLike
) -> FloatArray:
    r"""Adjust p-values by the greatest statistic of the tests not yet rejected.

    With the statistics in descending order, :math:`|t_1| \ge \dots \ge |t_n|`, and B replicates of
    all of them together under the null,

    .. math::
        p_j = \max_{i \le j} \frac{1 + \#\{\max_{l \ge i} |t^*_l| \ge |t_i|\}}{B + 1}.

    The replicates know how the tests hang together, so that tests of near-equal systems cost
    hardly more than one (Westfall and Young 1993, algorithm 4.1; Romano and Wolf, Econometrica
    2005). They must be on one scale: studentised.

    Parameters
    ----------
    statistics : float64, shape (n_tests, n_families)
        Each column is a family of tests of its own. NaN where a test could not be made: it is not
        counted.
    replicates : iterable of float64, shape (any, n_tests, n_families)
        ``|t*|`` under the null, in as many pieces as memory asks for; infinite where a replicate
        is farther than any, never NaN.
    at_least : float64, shape (n_tests, n_families)
        The p-values of the tests alone, which no correction may undercut.

    Returns
    -------
    float64, shape (n_tests, n_families)
        In (0, 1], NaN where the statistic is.

    Examples
    --------
    >>> draws = np.array([[[0.5], [2.5]], [[1.5], [0.1]], [[0.3], [0.2]]])
    >>> step_down([[2.0], [1.0]], [draws], at_least=[[0.25], [0.5]]).ravel()
    array([0.5, 0.5])
    """
    sizes = np.abs(np.asarray(statistics, dtype=np.float64))
    made = ~np.isnan(sizes)
    sizes = np.where(made, sizes, -np.inf)
    ascending = np.argsort(sizes, axis=0, kind="stable")
    thresholds = np.take_along_axis(sizes, ascending, axis=0)
    # Equal but for rounding is as far; an infinite threshold stays infinite.
    thresholds -= ROUNDING * np.where(np.isfinite(thresholds), 1 + thresholds, 0.0)
    as_far, draws = np.ones(sizes.shape), 1
    for piece in replicates:
        among = np.where(made, piece, -np.inf)
        ordered = np.take_along_axis(among, ascending[np.newaxis], axis=1)
        # Going up, the greatest so far is that of all tests which this one is not below.
        greatest = np.maximum.accumulate(ordered, axis=1)
        as_far += np.count_nonzero(greatest >= thresholds, axis=0)
        draws += len(piece)
    alone = np.take_along_axis(np.asarray(at_least, dtype=np.float64), ascending, axis=0)
    stepped = np.fmax(as_far / draws, alone)
    stepped = np.maximum.accumulate(stepped[::-1], axis=0)[::-1]
    adjusted = np.empty(sizes.shape)
    np.put_along_axis(adjusted, ascending, stepped, axis=0)
    return np.where(made, adjusted, np.nan)


def _ascending(p_values: ArrayLike) -> tuple[FloatArray, IntArray]:
    """Return the p-values, and where they stand in ascending order, without those not made."""
    given = np.asarray(p_values, dtype=np.float64)
    if given.ndim != 1:
        msg = f"expected p-values of shape (n_tests,), found shape {given.shape}"
        raise ValueError(msg)
    if np.any((given < 0) | (given > 1)):
        msg = f"expected p-values from 0 to 1, found {np.nanmin(given)} to {np.nanmax(given)}"
        raise ValueError(msg)
    return given, np.argsort(given)[: np.count_nonzero(~np.isnan(given))]
