"""Corrections for several tests: adjusted p-values and simultaneous intervals.

The best of several systems looks better than it is. Systems compared with one baseline share its
queries, so their differences are correlated, and the maximum of their statistics is smaller by
chance than that of independent ones. max-t estimates by how much from replicates that all systems
share; Bonferroni, Holm, Benjamini-Hochberg and Benjamini-Yekutieli do not use the correlation.

Columns hold several tests side by side: the columns of one test are adjacent, and the same position
within each test forms a family (one measure, tested for every system).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from rankreport.errors import choose
from rankreport.statistics.intervals import Interval, called, interval, quantiles, studentized
from rankreport.statistics.resampling import Moments, pivots, replicate_moments
from rankreport.statistics.sample import (
    MIN_CHANGED,
    ROUNDING,
    Estimates,
    FloatArray,
    Sample,
    plain,
    ratio,
)
from rankreport.statistics.signflip import flipped_statistics
from rankreport.statistics.tests import TESTS, without_spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import ArrayLike

    from rankreport.statistics.sample import BoolArray, IntArray

__all__ = [
    "CORRECTIONS",
    "Correction",
    "adjusted",
    "band",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bonferroni",
    "greatest_distances",
    "holm",
    "level_of_each",
    "level_of_greatest",
    "max_t",
    "max_t_interval",
    "max_t_level",
    "simultaneous_interval",
    "simultaneous_level",
    "step_down",
    "takes_part",
]


def holm(p_values: ArrayLike) -> FloatArray:
    """Holm's adjusted p-values, which control the familywise error rate.

    The smallest of n p-values is multiplied by n, the next by ``n - 1``, and so on, none adjusted
    to less than the one before it (Holm, Scandinavian Journal of Statistics 1979). It is valid
    under any dependence of the tests.

    Parameters
    ----------
    p_values : float64, shape (n_tests,)
        From 0 to 1. NaN, for a test that was not possible, stays NaN and is not counted.

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


def bonferroni(p_values: ArrayLike) -> FloatArray:
    """Bonferroni's adjusted p-values, which control the familywise error rate.

    Each of n p-values is multiplied by n. :func:`holm` rejects as much or more, at the same rate.

    Parameters, return value and exceptions are those of :func:`holm`.

    Examples
    --------
    >>> bonferroni([0.01, 0.04, float("nan"), 0.03])
    array([0.03, 0.12,  nan, 0.09])
    """
    given, ascending = _ascending(p_values)
    return (len(ascending) * given).clip(max=1.0)


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    """Benjamini and Hochberg's adjusted p-values, which control the false discovery rate.

    The j-th smallest of n p-values is multiplied by ``n / j``, none adjusted to more than the one
    after it (Journal of the Royal Statistical Society B 1995). It bounds the expected share of
    false rejections, not the probability of any, and is meant for exploration. It requires tests
    that are independent or positively dependent, as for systems against one baseline.

    Parameters, return value and exceptions are those of :func:`holm`.

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


def benjamini_yekutieli(p_values: ArrayLike) -> FloatArray:
    """Benjamini and Yekutieli's adjusted p-values, which control the false discovery rate.

    Those of :func:`benjamini_hochberg` times ``1 + 1/2 + ... + 1/n``, which makes them valid under
    any dependence of the tests (Annals of Statistics 2001), such as of all pairs of systems.

    Parameters, return value and exceptions are those of :func:`holm`.

    Examples
    --------
    >>> benjamini_yekutieli([0.01, 0.04, float("nan"), 0.03]).round(4)
    array([0.055 , 0.0733,    nan, 0.0733])
    """
    adjusted = benjamini_hochberg(p_values)
    n = np.count_nonzero(~np.isnan(adjusted))
    factor = float((1 / np.arange(1, n + 1)).sum())
    return (adjusted * factor).clip(max=1.0)


def step_down(
    statistics: ArrayLike, replicates: Iterable[FloatArray], *, at_least: ArrayLike
) -> FloatArray:
    r"""Adjust p-values by the maximum statistic of the tests not yet rejected.

    With the statistics in descending order, :math:`|t_1| \ge \dots \ge |t_n|`, and B replicates of
    all of them together under the null,

    .. math::
        p_j = \max_{i \le j} \frac{1 + \#\{\max_{l \ge i} |t^*_l| \ge |t_i|\}}{B + 1}.

    The replicates reflect the dependence of the tests, so that tests of similar systems need little
    correction (Westfall and Young 1993, algorithm 4.1; Romano and Wolf, Econometrica 2005). They
    must be on one scale, that is, studentised.

    Parameters
    ----------
    statistics : float64, shape (n_tests, n_families)
        Each column is a family of tests. NaN for tests that were not possible, which are not
        counted.
    replicates : iterable of float64, shape (any, n_tests, n_families)
        ``|t*|`` under the null, in pieces that fit in memory; infinite where a replicate is more
        extreme than any value, never NaN.
    at_least : float64, shape (n_tests, n_families)
        The uncorrected p-values, which are lower bounds of the adjusted ones.

    Returns
    -------
    float64, shape (n_tests, n_families)
        In (0, 1]; NaN where the statistic is NaN.

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
    # Values equal up to rounding count as reached; an infinite threshold stays infinite.
    thresholds -= ROUNDING * np.where(np.isfinite(thresholds), 1 + thresholds, 0.0)
    as_far, draws = np.ones(sizes.shape), 1
    # The same for every piece, as columns of the tests of all families side by side.
    n_families = sizes.shape[1]
    columns = (ascending * n_families + np.arange(n_families)).ravel()
    for piece in replicates:
        among = np.where(made, piece, -np.inf).reshape(len(piece), -1)
        ordered = among.take(columns, axis=1).reshape(-1, *sizes.shape)
        # In ascending order, the running maximum covers all tests up to this one.
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
    """Return the p-values, and their indices in ascending order without NaN."""
    given = np.asarray(p_values, dtype=np.float64)
    if given.ndim != 1:
        msg = f"expected p-values of shape (n_tests,), found shape {given.shape}"
        raise ValueError(msg)
    if np.any((given < 0) | (given > 1)):
        msg = f"expected p-values from 0 to 1, found {np.nanmin(given)} to {np.nanmax(given)}"
        raise ValueError(msg)
    return given, np.argsort(given)[: np.count_nonzero(~np.isnan(given))]


class Correction(NamedTuple):
    """A correction for the number of systems: its names in a report, and its function.

    Attributes
    ----------
    short : str
        Name in a column heading; empty where nothing is corrected.
    title : str
        Full name.
    adjusted : callable or None
        Adjusts the p-values of one family; None for max-t, which needs the values, and for none.
    """

    short: str
    title: str
    adjusted: Callable[[ArrayLike], FloatArray] | None = None


CORRECTIONS: Final[Mapping[str, Correction]] = MappingProxyType(
    {
        "max-t": Correction("max-t", "step-down max-t on draws that all systems share"),
        "holm": Correction("Holm", "Holm's correction", holm),
        "bonferroni": Correction("Bonferroni", "Bonferroni's correction", bonferroni),
        "bh": Correction(
            "BH",
            "Benjamini and Hochberg's correction, of the share of false findings",
            benjamini_hochberg,
        ),
        "by": Correction(
            "BY",
            "Benjamini and Yekutieli's correction, of the share of false findings",
            benjamini_yekutieli,
        ),
        "none": Correction("", "no correction"),
    }
)
"""The corrections that :func:`adjusted` and :func:`simultaneous_interval` support."""


def adjusted(
    correction: str,
    kind: str,
    values: ArrayLike | Sample,
    p_values: FloatArray,
    *,
    n_tests: int,
    **draws: Any,
) -> FloatArray:
    """Adjust p-values for the number of tests in a family.

    Parameters
    ----------
    correction : str
        A name from ``CORRECTIONS``.
    kind, values, p_values, n_tests, **draws
        As for :func:`max_t`.

    Returns
    -------
    float64, shape (n_tests * n_families,)
        The p-values themselves if a family has one test.

    Raises
    ------
    ValueError
        For an unknown correction.

    Examples
    --------
    >>> deltas = np.array([[0.1, 0.2], [0.3, -0.1], [0.2, 0.3]])
    >>> adjusted("holm", "t", deltas, np.array([0.01, 0.03]), n_tests=2)
    array([0.02, 0.03])
    """
    chosen = _chosen(correction)
    if n_tests == 1 or correction == "none":
        return p_values
    if chosen.adjusted is None:
        return max_t(kind, values, p_values, n_tests=n_tests, **draws)
    families = p_values.reshape(n_tests, -1).T
    return np.column_stack([chosen.adjusted(family) for family in families]).ravel()


def level_of_each(correction: str, confidence: float, n_tests: int) -> float:
    """Return the confidence of each interval that makes a family simultaneous in any case.

    Bonferroni's level for every correction; with ``"none"``, the confidence itself.

    Examples
    --------
    >>> level_of_each("max-t", 0.95, 5), level_of_each("none", 0.95, 5)
    (0.99, 0.95)
    """
    _chosen(correction)
    return confidence if correction == "none" else 1 - (1 - confidence) / n_tests


_AT_ONCE: Final = 256
"""Replicates whose distances are computed at once."""


def max_t_level(
    values: ArrayLike | Sample, replicates: ArrayLike, confidence: float, *, n_tests: int
) -> FloatArray:
    r"""Return the confidence of each interval, such that those of a family hold simultaneously.

    With c the quantile, at `confidence`, of the largest :math:`|m^* - m| / s` of a family, the
    level is :math:`2 \Phi(c) - 1`. An interval at this level has its own quantiles: Student's t
    those of its degrees of freedom. (The mean plus and minus c errors, for 66 pairs of systems and
    50 queries, erred in 9.8 % of families, intervals at this level in 5.3 %.) The error s is that
    of the replicates of n units, :math:`\sqrt{(n - 1) / n}` of the sample's. The level is kept
    between `confidence` and Bonferroni's (:func:`level_of_each`).

    Parameters
    ----------
    values : float64, shape (n_queries, n_tests * n_families), or Sample
        NaN where undefined.
    replicates : float64, shape (resamples, n_tests * n_families)
        Replicates of the mean, drawn together.
    confidence : float
        Simultaneous confidence of the intervals of a family.
    n_tests : int
        Number of tests in a family.

    Returns
    -------
    float64, shape (n_tests * n_families,)
        The same for all columns of a family; NaN for columns with fewer than 10 changed units (an
        effective number), which take no part: the replicates of a few changes reach so far that
        they would make all intervals of a family as wide as Bonferroni's.

    Examples
    --------
    A system and its copy need no correction; two independent ones nearly Bonferroni's:

    >>> from rankreport.statistics.resampling import replicate_means
    >>> one, other = np.random.default_rng(0).normal(0.3, 1, (2, 60, 1))
    >>> for values in (np.hstack([one, one]), np.hstack([one, other])):
    ...     drawn = replicate_means(values, resamples=9_999, seed=0)
    ...     max_t_level(values, drawn, 0.95, n_tests=2).round(3)
    array([0.95, 0.95])
    array([0.975, 0.975])
    """
    sample = Sample.of(values)
    drawn = np.asarray(replicates, dtype=np.float64)
    pieces = (drawn[at : at + _AT_ONCE] for at in range(0, len(drawn), _AT_ONCE))
    greatest = greatest_distances(sample, pieces, n_tests=n_tests)
    level = level_of_greatest(greatest, confidence, n_tests=n_tests)
    return np.where(takes_part(sample), np.tile(level, n_tests), np.nan)


def takes_part(values: ArrayLike | Sample) -> BoolArray:
    """Return whether each column takes part in max-t: whether enough units changed.

    >>> takes_part([[0.1, 0.1]] * 9 + [[0.2, 0.0]])
    array([ True, False])
    """
    sample = Sample.of(values)
    return sample.varies & (sample.n_changed_effective >= MIN_CHANGED)


def greatest_distances(
    values: ArrayLike | Sample, replicates: Iterable[FloatArray], *, n_tests: int
) -> FloatArray:
    r"""Return the largest :math:`|m^* - m| / s` of each family in each replicate.

    Of several parts of a family, the larger of theirs is that of the family, so that all of its
    replicates need not be in memory at once.

    Parameters
    ----------
    values, n_tests
        As for :func:`max_t_level`.
    replicates : iterable of float64, shape (any, n_tests * n_families)
        Replicates of the mean, in pieces.

    Returns
    -------
    float64, shape (resamples, n_families)
        0 if no column of the family takes part.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(0.3, 1, (60, 2))
    >>> greatest_distances(values, [values.mean(axis=0, keepdims=True) + 0.1], n_tests=2).round(1)
    array([[0.8]])
    """
    sample = Sample.of(values)
    counts = takes_part(sample)
    units = np.where(counts, sample.degrees_of_freedom + 1, 2.0)
    error = np.where(counts, sample.standard_error * np.sqrt((units - 1) / units), np.inf)
    greatest = []
    for drawn in replicates:
        sizes = np.abs(drawn - sample.mean)
        sizes /= error
        by_family = sizes.reshape(len(drawn), n_tests, -1)
        greatest.append(np.fmax.reduce(by_family, axis=1, initial=0.0))
    return np.concatenate(greatest)


def level_of_greatest(greatest: FloatArray, confidence: float, *, n_tests: int) -> FloatArray:
    """Return the level of max-t of each family from its :func:`greatest_distances`.

    >>> level_of_greatest(np.full((100, 1), 2.0), 0.95, n_tests=3).round(3)
    array([0.954])
    """
    from scipy import special

    critical = quantiles(greatest, [[confidence]])[0]
    level: FloatArray = 2 * special.ndtr(critical) - 1
    kept: FloatArray = np.clip(level, confidence, level_of_each("max-t", confidence, n_tests))
    return kept


def simultaneous_level(
    correction: str,
    values: ArrayLike | Sample,
    replicates: ArrayLike | Callable[[], ArrayLike] | None,
    confidence: float,
    *,
    n_tests: int,
) -> FloatArray:
    """Return the confidence of each column's own interval.

    With ``"max-t"``, that of :func:`max_t_level`; with ``"none"``, or a single test in a family,
    `confidence`; with any other, Bonferroni's.

    Parameters
    ----------
    correction : str
        A name from ``CORRECTIONS``.
    values, confidence, n_tests
        As for :func:`max_t_level`.
    replicates : float64, shape (resamples, n_columns), or callable, or None
        Only max-t needs them.

    Returns
    -------
    float64, shape (n_columns,)
        NaN where max-t gives a column no interval.
    """
    sample = Sample.of(values)
    if correction == "max-t" and n_tests > 1:
        return max_t_level(sample, called(replicates), confidence, n_tests=n_tests)
    return np.full(len(sample.mean), level_of_each(correction, confidence, n_tests))


def simultaneous_interval(
    correction: str,
    kind: str,
    values: ArrayLike | Sample,
    replicates: FloatArray | Callable[[], FloatArray] | None,
    confidence: float,
    *,
    n_tests: int,
    standard_errors: FloatArray | None = None,
) -> Interval:
    """Simultaneous intervals for all systems of a family.

    Each interval is of its kind at the level of :func:`simultaneous_level`; with ``"max-t"``, those
    of the kind ``"studentized"`` are :func:`max_t_interval`. With ``"none"``, intervals are
    pointwise.

    Parameters
    ----------
    correction : str
        A name from ``CORRECTIONS``.
    kind, values, replicates, confidence, standard_errors
        As for :func:`~rankreport.statistics.intervals.interval`; with ``"max-t"``, every kind needs
        replicates.
    n_tests : int
        Number of tests in a family.

    Returns
    -------
    Interval
        With one test in a family, the interval at ``confidence`` itself.

    Examples
    --------
    >>> deltas = np.random.default_rng(0).normal(0.3, 1, (60, 2))
    >>> low, high = simultaneous_interval("holm", "t", deltas, None, 0.95, n_tests=2)
    >>> bool((low == interval("t", deltas, confidence=0.975).low).all())
    True
    """
    if correction == "max-t" and kind == "studentized" and n_tests > 1:
        moments = Moments(called(replicates), called(standard_errors))
        return max_t_interval(values, moments, confidence, n_tests=n_tests)
    level = simultaneous_level(correction, values, replicates, confidence, n_tests=n_tests)
    return interval(kind, values, replicates, level, standard_errors=standard_errors)


def max_t(
    kind: str, values: ArrayLike | Sample, p_values: ArrayLike, *, n_tests: int, **draws: Any
) -> FloatArray:
    """Adjust the p-values of several systems by step-down max-t.

    The replicated statistic is that of the test: the studentised sum under random signs for the
    sign-flip and t-tests, the same of signed ranks for Wilcoxon's test and of signs for the sign
    test; Student's t of the replicates for the bootstrap test. See :func:`step_down`.

    The correction has the assumptions of the test. With random signs, it controls the familywise
    error rate if differences are symmetric under the null; on few, skewed, tied differences the
    rate is too high, as for the test alone. The bootstrap controls it there too, but with less
    power: replicates of a system that changed few queries can be arbitrarily large and mask the
    others.

    Parameters
    ----------
    kind : str
        A name from ``TESTS``.
    values : float64, shape (n_queries, n_tests * n_families)
        Differences, NaN where undefined.
    p_values : float64, shape (n_tests * n_families,)
        The p-values of that test, from :func:`~rankreport.statistics.tests.p_values`.
    n_tests : int
        Number of tests in a family.
    **draws
        resamples, seed, memory and progress, as for the test.

    Returns
    -------
    float64, shape (n_tests * n_families,)
        Not below the p-values; the p-values themselves for a single test. NaN where they are NaN.

    Examples
    --------
    Two identical systems need no correction:

    >>> deltas = np.random.default_rng(0).normal(0.3, 1, (60, 1))
    >>> alone = TESTS["sign-flip"].p_values(deltas, resamples=999, seed=0)
    >>> twice = np.hstack([deltas, deltas])
    >>> max_t("sign-flip", twice, [*alone, *alone], n_tests=2, resamples=999, seed=0) == alone
    array([ True,  True])
    """
    given = np.asarray(p_values, dtype=np.float64)
    if n_tests == 1:
        return given
    summed = TESTS[kind].summed
    if summed is None:
        sample = plain(values, "the studentised bootstrap test")
        observed, replicates = _bootstrapped(sample, **draws)
        # The bootstrap has no replicates of a column without spread: use Bonferroni.
        given = np.where(without_spread(sample), np.minimum(n_tests * given, 1.0), given)
    else:
        observed, replicates = flipped_statistics(summed(values), **draws)

    def by_family(columns: FloatArray) -> FloatArray:
        return columns.reshape(*columns.shape[:-1], n_tests, -1)

    tried = np.where(np.isnan(given), np.nan, observed)
    pieces = (by_family(piece) for piece in replicates)
    return step_down(by_family(tried), pieces, at_least=by_family(given)).ravel()


def max_t_interval(
    values: ArrayLike | Sample, moments: Moments, confidence: float, *, n_tests: int
) -> Interval:
    """Simultaneous studentised intervals: the mean plus and minus ``c`` standard errors.

    ``c`` is the quantile, at ``confidence``, of the maximum ``|t*|`` among the systems, one for
    each family. It is infinite if a system with few changes has no spread in more than a share of
    ``1 - confidence`` of its replicates. The family then has studentised intervals at Bonferroni's
    level, which are simultaneous too.

    Parameters
    ----------
    values : float64, shape (n_queries, n_tests * n_families)
        NaN where undefined.
    moments : Moments
        The result of :func:`~rankreport.statistics.resampling.replicate_moments` for ``values``.
    confidence : float
        Simultaneous confidence of the intervals of a family.
    n_tests : int
        Number of tests in a family.

    Returns
    -------
    Interval

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(0.3, 1, (60, 2))
    >>> moments = replicate_moments(values, resamples=999, seed=0)
    >>> low, high = max_t_interval(values, moments, 0.95, n_tests=2)
    >>> alone = studentized(values, moments, 0.95)
    >>> bool((high - low > alone.high - alone.low).all())
    True
    """
    sample = plain(values, "the studentised interval")
    bonferroni = studentized(sample, moments, 1 - (1 - confidence) / n_tests)
    if n_tests == 1:
        return bonferroni
    sizes = np.where(sample.varies, _sizes(sample, moments), 0.0)
    greatest = sizes.reshape(len(sizes), n_tests, -1).max(axis=1)
    critical = np.tile(quantiles(greatest, [[confidence]])[0], n_tests)
    finite = np.isfinite(critical)
    half = np.where(finite, critical, 0.0) * sample.standard_error
    around = np.where(sample.varies, sample.mean - half, np.nan), sample.mean + half
    return Interval(
        np.where(finite, around[0], bonferroni.low),
        np.where(finite & sample.varies, around[1], bonferroni.high),
    )


def band(
    values: ArrayLike | Sample | Estimates,
    replicates: FloatArray,
    confidence: float,
    *,
    standard_errors: FloatArray | None = None,
    min_changed: int,
) -> Interval:
    """Simultaneous intervals of all columns: a band over the cut-offs of a curve.

    The mean plus and minus ``c`` standard errors, with one ``c``: the quantile, at ``confidence``,
    of the maximum ``|m* - m| / s`` among the columns. With ``standard_errors``, s is the error of
    the replicate, which accounts for the uncertainty of the spread; without, that of the sample.
    If the quantile is infinite, since too many replicates have no spread, the band is Student's t
    at Bonferroni's level.

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns), or Sample, or Estimates
        NaN where undefined. `Estimates` are those of a sample that is no longer in memory; they
        take no standard errors of replicates.
    replicates : float64, shape (resamples, n_columns)
        Replicates of the mean.
    confidence : float
        The simultaneous confidence of all intervals.
    standard_errors : float64, shape (resamples, n_columns), optional
        Those of the replicates; not available for queries with a structure.
    min_changed : int
        Columns with a lower effective number of changed units have no interval and do not
        contribute to ``c``.

    Returns
    -------
    Interval

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(0.3, 1, (60, 5))
    >>> means, errors = replicate_moments(values, resamples=999, seed=0)
    >>> low, high = band(values, means, 0.95, standard_errors=errors, min_changed=10)
    >>> alone = interval("t", values)
    >>> bool((high - low > alone.high - alone.low).all())
    True
    """
    sample = values if isinstance(values, Estimates) else Sample.of(values)
    shown = sample.varies & (sample.n_changed_effective >= min_changed)
    if standard_errors is None or isinstance(sample, Estimates):
        error = np.where(shown, sample.standard_error, 1.0)
        sizes = np.nan_to_num(np.abs(replicates - sample.mean) / error)
    else:
        sizes = _sizes(plain(sample, "a studentised band"), Moments(replicates, standard_errors))
    greatest = np.where(shown, sizes, 0.0).max(axis=1, initial=0.0)
    critical = quantiles(greatest[:, np.newaxis], [[confidence]])[0]
    if np.isinf(critical).any() and not isinstance(sample, Estimates):
        found = interval("t", sample, None, 1 - (1 - confidence) / np.count_nonzero(shown))
    else:
        half = critical * sample.standard_error
        found = Interval(sample.mean - half, sample.mean + half)
    return Interval(np.where(shown, found.low, np.nan), np.where(shown, found.high, np.nan))


def _chosen(correction: str) -> Correction:
    return CORRECTIONS[choose("correction", correction, CORRECTIONS)]


def _bootstrapped(sample: Sample, **draws: Any) -> tuple[FloatArray, Iterator[FloatArray]]:
    """Return Student's t of each column, and the absolute studentised replicates."""
    varies = sample.varies
    t = np.where(sample.n_changed > 0, ratio(sample.mean, sample.standard_error), 0.0)
    t = np.where(without_spread(sample), np.inf, t)
    # A column whose values are equal is equal to its mean in every replicate.
    sizes = np.where(varies, _sizes(sample, replicate_moments(sample, **draws)), 0.0)
    return t, iter([sizes])


def _sizes(values: ArrayLike | Sample, moments: Moments) -> FloatArray:
    """Absolute pivots: infinite without a spread, 0 without a mean."""
    sizes = np.abs(pivots(values, moments))
    return np.where(np.isnan(sizes), np.where(np.isnan(moments.means), 0.0, np.inf), sizes)
