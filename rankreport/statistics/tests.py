"""Tests of the mean of paired differences, by name.

All are two-sided, and all test the mean, which is what a report quotes. The tests of Wilcoxon and
of signs are absent on purpose: they test something else, and reject a true null of equal means as
often as the differences are skewed and the queries many.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankreport.statistics.resampling import Moments, pivots, replicate_moments
from rankreport.statistics.sample import ROUNDING, BoolArray, FloatArray, Sample, ratio
from rankreport.statistics.signflip import sign_flip
from rankreport.statistics.streams import MEMORY, Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike


def paired_t(values: ArrayLike) -> FloatArray:
    """Student's t-test of the mean of each column against zero.

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns)
        Differences, NaN where undefined.

    Returns
    -------
    float64, shape (n_columns,)
        In (0, 1], barring underflow. 1 where all differences are zero. NaN where they are equal
        and not zero, or fewer than two: without a spread there is no t, and a p of 0 would be a
        claim of certainty. The sign-flip test still answers there.

    Examples
    --------
    >>> paired_t([[1.0, 0.0, 0.5], [2.0, 0.0, 0.5], [3.0, 0.0, 0.5]]).round(4)
    array([0.0742, 1.    ,    nan])
    """
    from scipy import special

    sample = Sample.of(values)
    t = ratio(np.abs(sample.mean), sample.standard_error)
    p_values = 2 * special.stdtr(np.maximum(sample.size - 1, 1), -t)
    return np.where(_unchanged(sample), 1.0, p_values)


def studentized_bootstrap(
    values: ArrayLike, means: FloatArray, standard_errors: FloatArray
) -> FloatArray:
    """Studentised bootstrap test of the mean of each column against zero.

    Student's t of the sample is compared with that of the replicates, shifted to a mean of zero
    (Sakai, SIGIR 2006); the sample counts as one more replicate, so that p is never 0. The test
    that leaves out the standard errors rejects too often (7 % instead of 5 % for 25 queries).

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns)
        Differences, NaN where undefined.
    means, standard_errors : float64, shape (resamples, n_columns)
        As :func:`~rankreport.statistics.resampling.replicate_moments` gives them. A replicate
        without spread counts as farther than any t; one without a mean does not count.

    Returns
    -------
    float64, shape (n_columns,)
        In (0, 1], or NaN, where :func:`paired_t` is NaN.

    Examples
    --------
    >>> values = np.array([[1.0], [2.0], [4.0], [3.0]])
    >>> means, errors = replicate_moments(values, resamples=999, seed=0)
    >>> bool(0 < studentized_bootstrap(values, means, errors)[0] <= 1)
    True
    """
    sample = Sample.of(values)
    t = ratio(np.abs(sample.mean), sample.standard_error)
    replicated = np.abs(pivots(values, Moments(means, standard_errors)))
    # Counting those that fall short leaves the ones that are nowhere (NaN) among the extreme.
    short = np.count_nonzero(replicated < t - ROUNDING * (1 + t), axis=0)
    draws = np.count_nonzero(~np.isnan(means), axis=0)
    p_values = np.where(np.isnan(t), np.nan, (1 + draws - short) / (1 + draws))
    return np.where(_unchanged(sample), 1.0, p_values)


def _unchanged(sample: Sample) -> BoolArray:
    """Where differences are defined, and all of them zero."""
    unchanged: BoolArray = (sample.size > 0) & (sample.n_changed == 0)
    return unchanged


def _drawn_bootstrap(values: ArrayLike, **draws: Any) -> FloatArray:
    """Studentised bootstrap test that draws its own replicates."""
    return studentized_bootstrap(values, *replicate_moments(values, **draws))


@dataclass(frozen=True)
class SignificanceTest:
    """A test of the mean: what it is called in a report, and how its p-values are found.

    ``p_values`` takes the values, and the keywords resamples, seed, memory and progress.
    """

    title: str
    p_values: Callable[..., FloatArray]


TESTS: Final[Mapping[str, SignificanceTest]] = MappingProxyType(
    {
        "sign-flip": SignificanceTest("sign-flip randomisation test", sign_flip),
        "bootstrap": SignificanceTest("studentised bootstrap test", _drawn_bootstrap),
        "t": SignificanceTest("paired t-test", lambda values, **_: paired_t(values)),
    }
)
"""The tests that :func:`p_values` knows; a further test is one more entry."""


def p_values(
    kind: str,
    values: ArrayLike,
    *,
    resamples: int = 9_999,
    seed: int = 0,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> FloatArray:
    """Two-sided p-value of the mean of each column against zero, by the test named.

    Parameters
    ----------
    kind : str
        A name from ``TESTS``: sign-flip, bootstrap or t.
    values : float64, shape (n_queries, n_columns)
        Differences, NaN where undefined.
    resamples, seed, memory, progress
        For the tests that draw random numbers; see :func:`sign_flip`.

    Returns
    -------
    float64, shape (n_columns,)

    Raises
    ------
    ValueError
        For an unknown kind, or a parameter out of range.

    Examples
    --------
    >>> p_values("t", [[1.0], [2.0], [3.0]]).round(4)
    array([0.0742])
    """
    if kind not in TESTS:
        msg = f"expected a test of {', '.join(TESTS)}; found {kind!r}"
        raise ValueError(msg)
    draws = {"resamples": resamples, "seed": seed, "memory": memory, "progress": progress}
    return TESTS[kind].p_values(values, **draws)
