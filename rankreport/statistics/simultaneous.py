"""Several systems at once: the best of them looks better than it is.

Systems against one baseline are tried on the same queries, so their differences move together, and
what the greatest of their statistics does by chance is less than as many strangers would do. The
replicates that all of them share show how much less (max-t); Bonferroni, Holm and Benjamini and
Hochberg ask nothing of them.

Columns are those of several tests side by side: the columns of a test stand together, and the same
place within each of them makes a family (a measure, tried on every system).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankreport.statistics.columnwise import FloatArray, ratio
from rankreport.statistics.corrections import benjamini_hochberg, holm, step_down
from rankreport.statistics.intervals import Interval, interval, quantiles, studentized
from rankreport.statistics.resampling import Moments, pivots, replicate_moments
from rankreport.statistics.sample import Sample, plain
from rankreport.statistics.signflip import flipped_statistics
from rankreport.statistics.tests import TESTS, without_spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Correction:
    """A correction for the number of systems: its names in a report, and how it adjusts p-values.

    Attributes
    ----------
    short : str
        Stands in the head of a column; empty where nothing is corrected.
    title : str
        What it is.
    adjusted : callable or None
        From the p-values of one family; None where it takes more than them, or does nothing.
    """

    short: str
    title: str
    adjusted: Callable[[ArrayLike], FloatArray] | None = None


CORRECTIONS: Final[Mapping[str, Correction]] = MappingProxyType(
    {
        "max-t": Correction("max-t", "step-down max-t on draws that all systems share"),
        "holm": Correction("Holm", "Holm's correction", holm),
        "bh": Correction(
            "BH",
            "Benjamini and Hochberg's correction, of the share of false findings",
            benjamini_hochberg,
        ),
        "none": Correction("", "no correction"),
    }
)
"""The corrections that :func:`adjusted` and :func:`simultaneous_interval` know."""


def adjusted(
    correction: str,
    kind: str,
    values: ArrayLike | Sample,
    p_values: FloatArray,
    *,
    n_tests: int,
    **draws: Any,
) -> FloatArray:
    """Adjust p-values for the number of tests in a family, by the correction named.

    Parameters
    ----------
    correction : str
        A name from ``CORRECTIONS``: max-t, holm, bh or none.
    kind, values, p_values, n_tests, **draws
        As for :func:`max_t`.

    Returns
    -------
    float64, shape (n_tests * n_families,)
        The p-values themselves where a family is of one test.

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
    """Return the confidence of each interval with which ``confidence`` holds of all of a family.

    Bonferroni's, whatever the correction, for it asks nothing of the intervals but that each keeps
    its own level; with ``"none"``, the confidence itself.

    Examples
    --------
    >>> level_of_each("max-t", 0.95, 5), level_of_each("none", 0.95, 5)
    (0.99, 0.95)
    """
    _chosen(correction)
    return confidence if correction == "none" else 1 - (1 - confidence) / n_tests


def simultaneous_interval(
    correction: str,
    kind: str,
    values: ArrayLike | Sample,
    replicates: FloatArray | None,
    confidence: float,
    *,
    n_tests: int,
    standard_errors: FloatArray | None = None,
) -> Interval:
    """Intervals that hold for all systems of a family at once.

    Under ``"max-t"``, those of the kind ``"studentized"`` are :func:`max_t_interval`, whose error
    was simulated. No such figures are known of the other kinds, nor of ``"auto"`` above all, whose
    ends are not so many errors from the mean: they are made at Bonferroni's level, as all kinds are
    under ``"holm"`` and ``"bh"``. Under ``"none"`` each interval is for its system alone.

    Parameters
    ----------
    correction : str
        A name from ``CORRECTIONS``.
    kind, values, replicates, confidence, standard_errors
        As for :func:`~rankreport.statistics.intervals.interval`.
    n_tests : int
        How many there are in a family.

    Returns
    -------
    Interval
        With one test in a family, the interval at ``confidence`` itself.

    Examples
    --------
    >>> deltas = np.random.default_rng(0).normal(0.3, 1, (60, 2))
    >>> low, high = simultaneous_interval("max-t", "t", deltas, None, 0.95, n_tests=2)
    >>> bool((low == interval("t", deltas, confidence=0.975).low).all())
    True
    """
    if correction == "max-t" and kind == "studentized" and n_tests > 1:
        if replicates is None or standard_errors is None:
            msg = "this kind of interval needs what replicate_moments() gives"
            raise ValueError(msg)
        return max_t_interval(
            values, Moments(replicates, standard_errors), confidence, n_tests=n_tests
        )
    level = level_of_each(correction, confidence, n_tests)
    return interval(kind, values, replicates, level, standard_errors=standard_errors)


def max_t(
    kind: str, values: ArrayLike | Sample, p_values: ArrayLike, *, n_tests: int, **draws: Any
) -> FloatArray:
    """Adjust the p-values of several systems by step-down max-t.

    Replicated is the statistic of the test named. For the sign-flip and the t-test that is the
    studentised sum under the signs which the first of them draws; for the tests of Wilcoxon and of
    signs, that of signed ranks and of signs; for the bootstrap test, Student's t of the replicates.
    See :func:`~rankreport.statistics.corrections.step_down`.

    So the correction asks what the test asks. By signs, the chance of any false finding is held
    where differences are symmetric under the null; where they are skewed, tied and few, it is too
    high, as that of the test alone is. By the bootstrap it is held there too, at a price:
    replicates of a system that changed few queries have any size, and hide what is true of others.

    Parameters
    ----------
    kind : str
        A name from ``TESTS``.
    values : float64, shape (n_queries, n_tests * n_families)
        Differences, NaN where undefined.
    p_values : float64, shape (n_tests * n_families,)
        Of that test, as :func:`~rankreport.statistics.tests.p_values` gives them.
    n_tests : int
        How many there are in a family.
    **draws
        resamples, seed, memory and progress, as for the test.

    Returns
    -------
    float64, shape (n_tests * n_families,)
        None below its p-value; of a test alone, the p-value. NaN where that is.

    Examples
    --------
    Two systems that are one, but for their names, need no correction:

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
        # Its replicates know nothing of a column without spread: Bonferroni needs none.
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
    """Studentised intervals that hold for all systems at once: the mean and ``c`` errors around it.

    ``c`` is the quantile, at ``confidence``, of the greatest ``|t*|`` among the systems, one for
    each family. Where a system that hardly changed has replicates without any spread in more than
    the share of doubt, that quantile is infinite; the family then has the studentised intervals at
    Bonferroni's level, which hold at once too.

    Parameters
    ----------
    values : float64, shape (n_queries, n_tests * n_families)
        NaN where undefined.
    moments : Moments
        As :func:`~rankreport.statistics.resampling.replicate_moments` gives them for ``values``.
    confidence : float
        Of all intervals of a family together.
    n_tests : int
        How many there are in a family.

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
    values: ArrayLike | Sample,
    replicates: FloatArray,
    confidence: float,
    *,
    standard_errors: FloatArray | None = None,
    min_changed: int,
) -> Interval:
    """Find intervals that hold for all columns at once: a band over the cut-offs of a curve.

    The mean and ``c`` standard errors around it, the same ``c`` everywhere: the quantile, at
    ``confidence``, of the greatest ``|m* - m| / s`` among the columns. With ``standard_errors``, s
    is the error of the replicate, which also follows a spread that is not well known; without, that
    of the sample. Where the quantile is infinite, for replicates without any spread are more than
    the share of doubt, it is Student's t at Bonferroni's level.

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns), or Sample
        NaN where undefined.
    replicates : float64, shape (resamples, n_columns)
        Replicates of the mean.
    confidence : float
        That all intervals hold.
    standard_errors : float64, shape (resamples, n_columns), optional
        Those of the replicates; there are none where queries have a structure.
    min_changed : int
        Columns with fewer units that are not zero, counted as what they are worth, have no
        interval, and no say in ``c``.

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
    sample = Sample.of(values)
    shown = sample.varies & (sample.n_changed_effective >= min_changed)
    if standard_errors is None:
        error = np.where(shown, sample.standard_error, 1.0)
        sizes = np.nan_to_num(np.abs(replicates - sample.mean) / error)
    else:
        sizes = _sizes(plain(sample, "a studentised band"), Moments(replicates, standard_errors))
    greatest = np.where(shown, sizes, 0.0).max(axis=1, initial=0.0)
    critical = quantiles(greatest[:, np.newaxis], [[confidence]])[0]
    if np.isinf(critical).any():
        found = interval("t", sample, None, 1 - (1 - confidence) / np.count_nonzero(shown))
    else:
        half = critical * sample.standard_error
        found = Interval(sample.mean - half, sample.mean + half)
    return Interval(np.where(shown, found.low, np.nan), np.where(shown, found.high, np.nan))


def _chosen(correction: str) -> Correction:
    if correction not in CORRECTIONS:
        msg = f"expected a correction of {', '.join(CORRECTIONS)}; found {correction!r}"
        raise ValueError(msg)
    return CORRECTIONS[correction]


def _bootstrapped(sample: Sample, **draws: Any) -> tuple[FloatArray, Iterator[FloatArray]]:
    """Return Student's t of each column, and the sizes of its studentised replicates."""
    varies = sample.varies
    t = np.where(sample.n_changed > 0, ratio(sample.mean, sample.standard_error), 0.0)
    t = np.where(without_spread(sample), np.inf, t)
    # A column whose values are equal is equal to its mean in every replicate.
    sizes = np.where(varies, _sizes(sample, replicate_moments(sample, **draws)), 0.0)
    return t, iter([sizes])


def _sizes(values: ArrayLike | Sample, moments: Moments) -> FloatArray:
    """Sizes of the pivots: infinite without a spread, 0 without a mean, which says nothing."""
    sizes = np.abs(pivots(values, moments))
    return np.where(np.isnan(sizes), np.where(np.isnan(moments.means), 0.0, np.inf), sizes)
