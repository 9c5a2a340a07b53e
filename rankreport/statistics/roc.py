"""ROC and precision-recall curves of pooled documents, with intervals.

Curves pool the documents of all queries, while the bootstrap resamples queries (or other units, see
:class:`~rankreport.statistics.Structure`). For each threshold, each unit has its numbers of
relevant and other documents with at least that score; the counts of a replicate are then one matrix
product.

With very many scores, replicates use only some of them as thresholds, more of them at the top. The
full curve is computed with and without this simplification, and every replicate is corrected by the
difference.

The interval of a point or area is the hull of the percentile interval of its replicates and of
Wilson's score interval with their standard deviation as error. Percentile intervals alone are too
short: replicates vary too little where few queries hold most documents, and near 0 and 1 they
hardly leave the observed value. Wilson's alone are too short there on the other side. How often
both together hold the true curve is in ``docs/coverage.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankreport.statistics.intervals import Interval, hull, percentile, tails
from rankreport.statistics.random_draws import MEMORY, draw_counts, draw_order, in_floats
from rankreport.statistics.sample import FloatArray, IntArray, Sample, ratio
from rankreport.statistics.structure import PLAIN, Structure

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["GRID", "BandedCurve", "OperatingCurves", "operating_curves"]

GRID: Final = np.arange(51) / 50
"""Points at which curves are evaluated: 0, 0.02, 0.04 and so on up to 1."""

MOST_THRESHOLDS: Final = 100
"""Approximate maximum number of thresholds in the replicates."""

MOST_UNITS: Final = 50_000
"""The maximum number of queries, or clusters, that are drawn one by one."""

BUCKETS: Final = 10_000
"""Number of buckets of more units: enough to know a standard error to 1 %."""


class BandedCurve(NamedTuple):
    """A curve at the points of `GRID`, and the area under it, with intervals.

    Attributes
    ----------
    value, low, high : float64, shape (51,)
        Values with pointwise intervals; NaN where undefined. The ends are also NaN where all
        replicates are equal.
    area, area_low, area_high : float
        Likewise.
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray
    area: float
    area_low: float
    area_high: float


class OperatingCurves(NamedTuple):
    """Both curves of a system: see :func:`operating_curves`."""

    roc: BandedCurve
    precision_recall: BandedCurve


class _Passed(NamedTuple):
    """Numbers of relevant and other documents above each threshold, a row for each sample.

    Thresholds descend from infinity, above which there is no document.
    """

    hits: FloatArray
    others: FloatArray


def operating_curves(
    queries: ArrayLike,
    relevant: ArrayLike,
    scores: ArrayLike,
    n_queries: int,
    *,
    confidence: float,
    resamples: int,
    seed: int,
    structure: Structure = PLAIN,
    memory: int = MEMORY,
) -> OperatingCurves:
    """Return a system's ROC and precision-recall curve with pointwise bands and areas.

    Parameters
    ----------
    queries, relevant, scores : int, bool, float64, shape (n_documents,)
        For each document, the number of its query from 0, whether it is relevant, and its score.
    n_queries : int
        Number of queries, including those without documents.
    confidence : float
        Between 0 and 1, both excluded; pointwise.
    resamples, seed : int
        Number of resamples and random seed; the resamples are the same as in other statistics.
    structure : Structure
        Weights, clusters and strata of the queries. If there are weights, weights and strata are
        ignored, since every document of the pool counts once.
    memory : int
        Memory limit of a piece of replicates, in bytes.

    Returns
    -------
    OperatingCurves
        ``roc`` is the true positive rate by false positive rate, interpolated linearly between
        thresholds, and the area under the curve (AUC). ``precision_recall`` is the precision at the
        highest threshold that reaches each recall (for 0, any positive recall), and the average
        precision. Replicates without relevant documents, or for the ROC curve without other
        documents, are left out.

    Examples
    --------
    >>> found = operating_curves([0, 0, 1, 1], [1, 0, 1, 0], [0.9, 0.5, 0.4, 0.1], 2,
    ...                          confidence=0.95, resamples=100, seed=0)
    >>> found.roc.area, round(found.precision_recall.area, 3)
    (0.75, 0.833)
    """
    query, good = np.asarray(queries, dtype=np.intp), np.asarray(relevant, dtype=np.bool_)
    falling, place = np.unique(-np.asarray(scores, dtype=np.float64), return_inverse=True)
    whole = _passed(*(np.bincount(place[kind], minlength=len(falling)) for kind in (good, ~good)))
    step_of, n_steps = _steps(whole)
    unit_of, n_units, strata = _drawn(n_queries, structure, seed)
    cell = unit_of[query] * (2 * n_steps) + step_of[place] + n_steps * ~good
    counts = np.bincount(cell, minlength=n_units * 2 * n_steps)
    units = counts.reshape(n_units, 2 * n_steps).astype(np.float32)
    drawn = draw_counts(n_units, resamples=resamples, seed=seed, strata=strata, memory=memory)
    # Counts of documents, which single precision sums exactly up to 16 million.
    sums = [counts @ units for counts in in_floats(drawn, np.float32)]
    replicates = _passed(*_halves(np.concatenate(sums)))
    some = _passed(*_halves(units.sum(axis=0, keepdims=True, dtype=np.float64)))
    spread = _Spread.of(units, strata)
    return OperatingCurves(
        *(
            _banded(read(whole), read(replicates) - read(some), spread, confidence)
            for read in (_roc, _precision_recall)
        )
    )


def _passed(hits: NDArray[Any], others: NDArray[Any]) -> _Passed:
    """Cumulate the counts of one or more samples by threshold, from the highest on."""
    each = (np.atleast_2d(kind).astype(np.float64) for kind in (hits, others))
    return _Passed(*(np.pad(kind.cumsum(axis=1), ((0, 0), (1, 0))) for kind in each))


def _halves(counts: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    hits, others = np.split(counts, 2, axis=1)
    return hits, others


def _steps(whole: _Passed) -> tuple[IntArray, int]:
    """Return the step of each score, from the highest on, and the number of steps."""
    n_scores = whole.hits.shape[1] - 1
    if n_scores <= MOST_THRESHOLDS:
        return np.arange(n_scores, dtype=np.intp), n_scores
    shares = [np.nan_to_num(ratio(each[0], each[0, -1])) for each in whole]
    along = np.sum(shares, axis=0)
    # Precision changes most at the top: the square root makes steps smaller there.
    step = np.ceil(np.sqrt(along[1:] / along[-1]) * MOST_THRESHOLDS)
    ends, step_of = np.unique(step, return_inverse=True)
    return step_of, len(ends)


def _drawn(
    n_queries: int, structure: Structure, seed: int
) -> tuple[IntArray, int, IntArray | None]:
    """Return the unit of each query, the number of units, and their strata."""
    structure.check_size(n_queries)
    if structure.weights is not None:
        structure = Structure(clusters=structure.clusters)
    own = structure.unit_of
    unit_of = np.arange(n_queries, dtype=np.intp) if own is None else own
    n_units, strata = int(unit_of.max(initial=-1)) + 1, structure.stratum_of
    if n_units > MOST_UNITS:
        bucket_of, strata = _bucketed(n_units, strata, BUCKETS, seed)
        unit_of = bucket_of[unit_of]
    return unit_of, int(unit_of.max(initial=-1)) + 1, strata


def _bucketed(
    n: int, strata: IntArray | None, n_buckets: int, seed: int
) -> tuple[IntArray, IntArray | None]:
    """Return the bucket of each unit, filled at random within strata, and the strata of buckets.

    Each stratum has its share of the buckets, at least 2 and at most its number of units.
    """
    stratum = np.zeros(n, dtype=np.intp) if strata is None else strata
    n_units = np.bincount(stratum)
    n_of = np.minimum(np.maximum(-(-n_units * n_buckets // n), 2), n_units)
    order = draw_order(n, seed)
    order = order[np.argsort(stratum[order], kind="stable")]
    place = np.arange(n) - np.repeat(np.cumsum(n_units) - n_units, n_units)
    bucket_of = np.empty(n, dtype=np.intp)
    bucket_of[order] = (np.cumsum(n_of) - n_of)[stratum[order]] + place % n_of[stratum[order]]
    return bucket_of, None if strata is None else np.repeat(np.arange(len(n_of)), n_of)


# The functions below return a row for each sample: the values at `GRID`, then the area.


def _roc(passed: _Passed) -> FloatArray:
    return np.column_stack([_true_positive_rates(passed), _areas(passed)])


def _precision_recall(passed: _Passed) -> FloatArray:
    return np.column_stack([_precisions(passed), _average_precisions(passed)])


def _true_positive_rates(passed: _Passed) -> FloatArray:
    rates = zip(*(ratio(each, each[:, -1:]) for each in passed), strict=True)
    # The curve is undefined where either rate is.
    return np.array([np.interp(GRID, fpr, tpr + 0 * fpr) for tpr, fpr in rates])


def _areas(passed: _Passed) -> FloatArray:
    tpr, fpr = (ratio(each, each[:, -1:]) for each in passed)
    areas: FloatArray = np.sum(np.diff(fpr) * (tpr[:, 1:] + tpr[:, :-1]), axis=1) / 2
    return areas


def _precisions(passed: _Passed) -> FloatArray:
    # At recall 0, use the precision of the first hits.
    levels = np.maximum(GRID, np.nextafter(0, 1))
    recalls = ratio(passed.hits, passed.hits[:, -1:])
    found = zip(recalls, ratio(passed.hits, passed.hits + passed.others), strict=True)
    # Without relevant documents recall is undefined, and so is the precision at every level.
    return np.array([np.append(p, np.nan)[np.searchsorted(r, levels)] for r, p in found])


def _average_precisions(passed: _Passed) -> FloatArray:
    steps = np.diff(ratio(passed.hits, passed.hits[:, -1:]))
    precision = np.nan_to_num(ratio(passed.hits, passed.hits + passed.others)[:, 1:])
    averages: FloatArray = np.sum(steps * precision, axis=1)
    return averages


class _Spread(NamedTuple):
    """What is known of a standard error: its degrees of freedom, and the strata of the units."""

    degrees: float
    n_strata: int

    @classmethod
    def of(cls, units: NDArray[Any], strata: IntArray | None) -> _Spread:
        """Count the units by their documents, since a few may hold most of the pool.

        The effective number of units is that by relevant documents or by others, the lower one.
        """
        n_documents = np.column_stack([half.sum(axis=1) for half in _halves(units)])
        pool = n_documents.astype(np.float64)
        has, n_units = pool > 0, np.count_nonzero(pool, axis=0)
        sample = Sample(pool, pool, pool, has, n_units, strata=strata)
        n_strata = 1 if strata is None else int(strata.max(initial=0)) + 1
        return cls(max(float(sample.degrees_of_freedom.min()), 1.0), n_strata)


def _banded(
    whole: FloatArray, deviations: FloatArray, spread: _Spread, confidence: float
) -> BandedCurve:
    """Return the full curve with its intervals, from the replicates' deviations in steps."""
    value = whole[0]
    low, high = _interval(value, deviations + whole, spread, confidence)
    return BandedCurve(
        value[:-1], low[:-1], high[:-1], float(value[-1]), float(low[-1]), float(high[-1])
    )


def _interval(
    values: FloatArray, replicates: FloatArray, spread: _Spread, confidence: float
) -> Interval:
    r"""Return the hull of the percentile and of Wilson's score interval of values from 0 to 1.

    The standard error s is the deviation of the replicates, divided by
    :math:`\sqrt{\nu / (\nu + h)}`, by which it is too small, :math:`\nu` being the degrees of
    freedom and h the number of strata. A proportion of :math:`m = \mu (1 - \mu) / s^2` independent
    documents has the same error, where :math:`\mu` is the mean of the replicates. Wilson's interval
    of that proportion (JASA 1927) holds every p with :math:`(p - v)^2 \le t^2 p (1 - p) / m`, t
    being the quantile of Student's distribution.

    Values that are by chance too near to 0 or 1 come with errors that are too small; Wilson's
    interval allows for that, since it takes the error at p. NaN where replicates do not vary.
    """
    from scipy import special

    drawn = Sample.of(np.clip(replicates, 0, 1))
    degrees, n_strata = spread
    error = drawn.standard_deviation * np.sqrt((degrees + n_strata) / degrees)
    half = special.stdtrit(degrees, tails(confidence)[1]) * error
    slack = ratio(np.square(half), drawn.mean * (1 - drawn.mean))
    middle = (values + slack / 2) / (1 + slack)
    reach = np.sqrt(slack * values * (1 - values) + np.square(slack / 2)) / (1 + slack)
    score = Interval(middle - reach, middle + reach).within(0.0, 1.0)
    return hull(score, percentile(drawn.values, confidence))
