"""Tests of paired differences, by name.

All are two-sided. Sign-flip, bootstrap and t test the mean, which reports show. Wilcoxon and sign
do not: for skewed differences with a mean of zero, their rejection rate grows with the number of
queries.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from rankreport.errors import OptionError, brief, choose
from rankreport.statistics.random_draws import MEMORY, Progress
from rankreport.statistics.resampling import Moments, pivots, replicate_moments
from rankreport.statistics.sample import ROUNDING, BoolArray, FloatArray, Sample, plain, ratio
from rankreport.statistics.signflip import EXACT_LIMIT, sign_flip
from rankreport.statistics.structure import name_of_test

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike

__all__ = [
    "TESTS",
    "SignificanceTest",
    "own_p_values",
    "p_values",
    "paired_t",
    "sign_test",
    "signed_ranks",
    "signs_of",
    "studentized_bootstrap",
    "wilcoxon",
]


def paired_t(values: ArrayLike | Sample) -> FloatArray:
    """Student's t-test of the mean of each column against zero.

    If all differences are equal and not zero, or there is only one, t is undefined; p is then the
    p-value of the sign-flip test: ``2^(1-n)`` for n differences of one sign.

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns), or Sample
        Differences, NaN where undefined.

    Returns
    -------
    float64, shape (n_columns,)
        In (0, 1]. 1 where all differences are zero; NaN only where no value is defined.

    Examples
    --------
    >>> paired_t([[1.0, 0.0, 0.5], [2.0, 0.0, 0.5], [3.0, 0.0, 0.5]]).round(4)
    array([0.0742, 1.    , 0.25  ])
    """
    from scipy import special

    sample = Sample.of(values)
    t = ratio(np.abs(sample.mean), sample.standard_error)
    p_values = 2 * special.stdtr(np.maximum(sample.degrees_of_freedom, 1), -t)
    return _with_spread(sample, _above_zero(p_values))


def studentized_bootstrap(
    values: ArrayLike | Sample, means: FloatArray, standard_errors: FloatArray
) -> FloatArray:
    """Studentised bootstrap test of the mean of each column against zero.

    Student's t of the sample is compared with that of the replicates, shifted to a mean of zero
    (Sakai, SIGIR 2006); the sample counts as one more replicate, so that p is never 0. Without
    studentisation the test rejects too often (7 % instead of 5 % for 25 queries).

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns)
        Differences, NaN where undefined.
    means, standard_errors : float64, shape (resamples, n_columns)
        From :func:`~rankreport.statistics.resampling.replicate_moments`. A replicate without spread
        counts as more extreme than any t; one without a mean is ignored.

    Returns
    -------
    float64, shape (n_columns,)
        In (0, 1]; where there is no spread, as :func:`paired_t`.

    Raises
    ------
    ValueError
        Where the queries have a structure.

    Examples
    --------
    >>> values = np.array([[1.0], [2.0], [4.0], [3.0]])
    >>> means, errors = replicate_moments(values, resamples=999, seed=0)
    >>> bool(0 < studentized_bootstrap(values, means, errors)[0] <= 1)
    True
    """
    sample = plain(values, "the studentised bootstrap test")
    t = ratio(np.abs(sample.mean), sample.standard_error)
    replicated = np.abs(pivots(sample, Moments(means, standard_errors)))
    # Count the smaller ones, so that NaN counts as extreme.
    short = np.count_nonzero(replicated < t - ROUNDING * (1 + t), axis=0)
    draws = np.count_nonzero(~np.isnan(means), axis=0)
    return _with_spread(sample, (1 + draws - short) / (1 + draws))


def signs_of(values: ArrayLike | Sample) -> FloatArray:
    """Return 1 for a win, -1 for a loss, 0 for a tie, NaN where undefined.

    ValueError where the queries have a structure.

    >>> signs_of([[0.2, -3.0, 0.0]])
    array([[ 1., -1.,  0.]])
    """
    return np.sign(plain(values, "a test of signs").values)


def signed_ranks(values: ArrayLike | Sample) -> FloatArray:
    """Rank the absolute values of each column, and give the ranks the signs of the values.

    Zeros are not ranked and stay 0, as in Wilcoxon's original test; equal absolute values, up to
    rounding, share their mean rank.

    Returns
    -------
    float64, shape (n_queries, n_columns)
        NaN where undefined.

    Raises
    ------
    ValueError
        Where the queries have a structure.

    Examples
    --------
    >>> signed_ranks([[0.5], [-0.1], [0.0], [0.5]]).ravel()
    array([ 2.5, -1. ,  0. ,  2.5])
    """
    from scipy import stats

    sample = plain(values, "a test of ranks")
    sizes = np.abs(sample.totals)
    largest = sizes.max(axis=0, initial=0.0)
    # Relative to the largest, with 12 decimals as in ROUNDING.
    shares = np.round(sizes / np.where(largest > 0, largest, 1.0), 12)
    changed = sizes > 0
    ranks = stats.rankdata(np.where(changed, shares, np.nan), axis=0, nan_policy="omit")
    ranked = np.where(changed, np.sign(sample.totals) * ranks, 0.0)
    return np.where(sample.defined, ranked, np.nan)


def wilcoxon(values: ArrayLike | Sample, *, exact_limit: ArrayLike = EXACT_LIMIT) -> FloatArray:
    """Wilcoxon's signed-rank test, of symmetry about zero.

    Not a test of the mean. It tests whether the pseudomedian, the median of the means of all pairs,
    is zero, and assumes symmetry: in simulations of 1,000 queries with skewed differences of mean
    zero, it rejects more than half the time. Zeros are left out, as in the original test; with
    Pratt's treatment of zeros it always rejects there.

    Exact in columns with at most ``exact_limit`` changed queries, with or without ties. In other
    columns it uses the normal approximation, with the variance corrected for ties and without
    continuity correction.

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns)
        Differences, NaN where undefined.
    exact_limit : int, or int of shape (n_columns,)
        As for :func:`sign_flip`.

    Returns
    -------
    float64, shape (n_columns,)
        In (0, 1]. 1 where nothing changed; NaN only where no value is defined.

    Examples
    --------
    >>> wilcoxon([[0.1], [0.2], [0.3], [-0.1], [0.4], [0.0]])
    array([0.1875])
    """
    from scipy import special

    ranked = signed_ranks(values)
    sample = Sample.of(ranked)
    p_values = np.where(sample.size > 0, 1.0, np.nan)
    exact = (sample.n_changed <= np.asarray(exact_limit)) & (sample.n_changed > 0)
    if exact.any():
        p_values[exact] = sign_flip(ranked[:, exact], exact_limit=sample.n_changed[exact])
    many = (sample.n_changed > 0) & ~exact
    # The sum of squared ranks is the variance of the signed sum, with or without ties.
    far = ratio(np.abs(sample.totals.sum(axis=0)), np.sqrt(np.square(sample.totals).sum(axis=0)))
    p_values[many] = _above_zero(2 * special.ndtr(-far[many]))
    return p_values


def sign_test(values: ArrayLike | Sample) -> FloatArray:
    """Sign test, of wins being as likely as losses.

    Not a test of the mean: a win of 0.01 counts as much as a loss of 1. Ties are left out. Exact,
    by the binomial distribution.

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns)
        Differences, NaN where undefined.

    Returns
    -------
    float64, shape (n_columns,)
        In (0, 1]. 1 where nothing changed; NaN only where no value is defined.

    Examples
    --------
    >>> sign_test([[0.1], [0.2], [0.3], [-0.1], [0.4], [0.0]])
    array([0.375])
    """
    from scipy import special

    sample = Sample.of(signs_of(values))
    fewer = np.minimum((sample.totals > 0).sum(axis=0), (sample.totals < 0).sum(axis=0))
    tail = special.bdtr(fewer.astype(np.float64), np.maximum(sample.n_changed, 1), 0.5)
    p_values = np.where(sample.n_changed > 0, np.minimum(2 * tail, 1.0), 1.0)
    return np.where(sample.size > 0, _above_zero(p_values), np.nan)


def without_spread(sample: Sample) -> BoolArray:
    """Return whether each column has changes but no spread.

    >>> without_spread(Sample.of([[0.5, 0.0, 1.0], [0.5, 0.0, 2.0]]))
    array([ True, False, False])
    """
    return (sample.n_changed > 0) & ~(sample.standard_error > 0)


def _with_spread(sample: Sample, p_values: FloatArray) -> FloatArray:
    """Keep p-values where differences vary; elsewhere, use the sign-flip test."""
    found = np.where(sample.size > 0, np.where(sample.n_changed > 0, p_values, 1.0), np.nan)
    for column in np.flatnonzero(without_spread(sample)):
        totals = sample.totals[:, [column]]
        if (totals >= 0).all() or (totals <= 0).all():
            # Exact for any number: only the observed signs and their opposites are as extreme.
            found[column] = _above_zero(np.ldexp(1.0, 1 - sample.n_changed[column]))
        else:
            found[column] = sign_flip(totals)[0]
    return found


def _above_zero(p_values: FloatArray) -> FloatArray:
    """Replace underflow by the smallest positive number: no p-value is 0."""
    return np.maximum(p_values, np.finfo(np.float64).tiny)


def _drawn_bootstrap(
    values: ArrayLike | Sample, *, exact_limit: object, **draws: Any
) -> FloatArray:
    """Studentised bootstrap test that draws its own replicates."""
    del exact_limit
    return studentized_bootstrap(values, *replicate_moments(values, **draws))


def _unchanged(values: ArrayLike | Sample) -> ArrayLike | Sample:
    return values


class SignificanceTest(NamedTuple):
    """A test: its name in a report, and the function that computes its p-values.

    Attributes
    ----------
    title : str
        Name, with the hypothesis if it is not about the mean.
    p_values : callable
        Takes the values, and the keywords resamples, seed, memory, progress and exact_limit.
    summed : callable or None
        Returns the values whose signs are flipped to correct several tests together, for tests that
        assume differences to be symmetric under the null. None for the bootstrap.
    """

    title: str
    p_values: Callable[..., FloatArray]
    summed: Callable[[ArrayLike | Sample], ArrayLike | Sample] | None


TESTS: Final[Mapping[str, SignificanceTest]] = MappingProxyType(
    {
        "sign-flip": SignificanceTest("sign-flip randomisation test", sign_flip, _unchanged),
        "bootstrap": SignificanceTest("studentised bootstrap test", _drawn_bootstrap, None),
        "t": SignificanceTest("paired t-test", lambda values, **_: paired_t(values), _unchanged),
        "wilcoxon": SignificanceTest(
            "Wilcoxon's signed-rank test, of symmetry about zero and not of the mean",
            lambda values, *, exact_limit, **_: wilcoxon(values, exact_limit=exact_limit),
            signed_ranks,
        ),
        "sign": SignificanceTest(
            "sign test, of wins against losses and not of the mean",
            lambda values, **_: sign_test(values),
            signs_of,
        ),
    }
)
"""The tests that :func:`p_values` supports."""


def own_p_values(
    test: Callable[[FloatArray, FloatArray], Any], values: FloatArray, others: FloatArray
) -> FloatArray:
    """P-value of each column by a test of your own.

    Parameters
    ----------
    test : callable
        Called with the values of one column and of the other, of the queries that have both, in the
        same order. Returns a p-value, or a result with one, as those of :mod:`scipy.stats`; NaN
        where it is undefined.
    values, others : float64, shape (n_queries, n_columns)
        NaN where undefined.

    Raises
    ------
    OptionError
        Where it returns something else.

    Examples
    --------
    >>> from scipy import stats
    >>> values, others = np.array([[1.0], [2.0], [3.0]]), np.zeros((3, 1))
    >>> own_p_values(stats.ttest_rel, values, others).round(4)
    array([0.0742])
    """
    found = np.full(values.shape[1], np.nan)
    for column in range(len(found)):
        both = ~np.isnan(values[:, column]) & ~np.isnan(others[:, column])
        if both.any():
            made = test(values[both, column], others[both, column])
            p_value = getattr(made, "pvalue", made)
            if not isinstance(p_value, float | int | np.floating) or p_value < 0 or p_value > 1:
                raise OptionError(
                    f"test={name_of_test(test)} returned {brief(made)}. Expected a p-value from 0 "
                    f"to 1, or a result with one as its pvalue."
                )
            found[column] = p_value
    return found


def p_values(
    kind: str,
    values: ArrayLike | Sample,
    *,
    resamples: int = 9_999,
    seed: int = 0,
    memory: int = MEMORY,
    exact_limit: ArrayLike = EXACT_LIMIT,
    progress: Progress | None = None,
) -> FloatArray:
    """Two-sided p-value of each column.

    Parameters
    ----------
    kind : str
        A name from ``TESTS``: sign-flip, bootstrap or t, of the mean; wilcoxon or sign. Only
        sign-flip and t take a sample with structure.
    values : float64, shape (n_queries, n_columns), or Sample
        Differences, NaN where undefined.
    resamples, seed, memory, progress
        For tests that draw random numbers; see :func:`sign_flip`.
    exact_limit : int, or int of shape (n_columns,)
        For tests that are exact if few queries changed; see :func:`sign_flip`.

    Returns
    -------
    float64, shape (n_columns,)

    Raises
    ------
    ValueError
        If the kind is unknown or not available with the structure of the queries, or a parameter is
        out of range.

    Examples
    --------
    >>> p_values("t", [[1.0], [2.0], [3.0]]).round(4)
    array([0.0742])
    """
    return TESTS[choose("kind", kind, TESTS)].p_values(
        values,
        resamples=resamples,
        seed=seed,
        memory=memory,
        exact_limit=exact_limit,
        progress=progress,
    )
