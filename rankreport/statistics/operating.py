"""ROC and precision-recall curves of pooled documents, and how sure they are.

The documents of all queries are pooled, yet they come query by query: a sample of queries brings or
leaves all documents of each. So queries (or what else is drawn, see
:class:`~rankreport.statistics.Structure`) are drawn, and of each it is known how many relevant
documents and how many others every threshold lets through; what a threshold lets through in a
replicate is then one matrix product.

Of very many scores, only some are taken as thresholds in the replicates: those that divide the
curve into steps, the shorter the nearer to the top. What that does to the curve of the whole is
known, and every replicate is moved back by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankreport.statistics.buckets import drawn_in
from rankreport.statistics.columnwise import FloatArray, IntArray, ratio
from rankreport.statistics.intervals import percentile
from rankreport.statistics.streams import MEMORY, draw_counts, in_floats
from rankreport.statistics.structure import PLAIN, Structure

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

GRID: Final = np.arange(51) / 50
"""Where curves are read: 0, 0.02, 0.04 and so on up to 1, each the nearest number to it."""

MOST_THRESHOLDS: Final = 100
"""Of more scores, about so many are thresholds of the replicates."""


class BandedCurve(NamedTuple):
    """A curve read at fixed places, and the area under it, with percentile intervals.

    Attributes
    ----------
    value, low, high : float64, shape (51,)
        At each place of the grid, each with an interval by itself; NaN where undefined, the ends
        also where no replicate differs.
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
    """How many relevant documents and others each threshold lets through, a row for each sample.

    Thresholds fall; at the first, infinity, there is nothing.
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
        Of each document, the number of its query, from 0; whether it is relevant; its score.
    n_queries : int
        How many there are, also those without a document here: they are drawn as well.
    confidence : float
        Between 0 and 1, both excluded; of each place and area by itself.
    resamples, seed : int
        Samples of queries. They are the first of those that everything else rests on.
    structure : Structure
        How the queries hang together. Where they have weights, these and strata are left out: in a
        pool of documents each counts once.
    memory : int
        Bytes a piece of replicates may take.

    Returns
    -------
    OperatingCurves
        ``roc`` is the true positive rate along the false positive rate, straight between
        thresholds and the highest where several are at one place, and the area under it (AUC).
        ``precision_recall`` is the precision at the highest threshold that has a recall, or at 0
        any recall, and the average precision. A replicate without a relevant document, or for the
        ROC without another one, is left out.

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
    # Counts of documents, which single precision adds up exactly as far as 16 million.
    sums = [counts @ units for counts in in_floats(drawn, np.float32)]
    replicates = _passed(*_halves(np.concatenate(sums)))
    some = _passed(*_halves(units.sum(axis=0, keepdims=True, dtype=np.float64)))
    return OperatingCurves(
        *(
            _banded(read(whole), read(some), read(replicates), confidence)
            for read in (_roc, _precision_recall)
        )
    )


def _passed(hits: NDArray[Any], others: NDArray[Any]) -> _Passed:
    """Add up what stands at each threshold, from the highest on, of one sample or of several."""
    each = (np.atleast_2d(kind).astype(np.float64) for kind in (hits, others))
    return _Passed(*(np.pad(kind.cumsum(axis=1), ((0, 0), (1, 0))) for kind in each))


def _halves(counts: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    hits, others = np.split(counts, 2, axis=1)
    return hits, others


def _steps(whole: _Passed) -> tuple[IntArray, int]:
    """Return the step that each score falls into, from the highest on, and how many there are."""
    n_scores = whole.hits.shape[1] - 1
    if n_scores <= MOST_THRESHOLDS:
        return np.arange(n_scores, dtype=np.intp), n_scores
    shares = [np.nan_to_num(ratio(each[0], each[0, -1])) for each in whole]
    along = np.sum(shares, axis=0)
    # Precision moves the most at the top: a square root makes steps short there.
    step = np.ceil(np.sqrt(along[1:] / along[-1]) * MOST_THRESHOLDS)
    ends, step_of = np.unique(step, return_inverse=True)
    return step_of, len(ends)


def _drawn(
    n_queries: int, structure: Structure, seed: int
) -> tuple[IntArray, int, IntArray | None]:
    """Return the number of what each query is drawn with, how many there are, and their strata."""
    structure.check_size(n_queries)
    if structure.weights is not None:
        structure = Structure(clusters=structure.clusters)
    own = structure.unit_of
    unit_of = np.arange(n_queries, dtype=np.intp) if own is None else own
    bucket_of, strata = drawn_in(unit_of.max(initial=-1) + 1, structure.stratum_of, seed)
    unit_of = unit_of if bucket_of is None else bucket_of[unit_of]
    return unit_of, unit_of.max(initial=-1) + 1, strata


# What is read of curves, a row for each sample: at each place of the grid, and the area last


def _roc(passed: _Passed) -> FloatArray:
    return np.column_stack([_true_positive_rates(passed), _areas(passed)])


def _precision_recall(passed: _Passed) -> FloatArray:
    return np.column_stack([_precisions(passed), _average_precisions(passed)])


def _true_positive_rates(passed: _Passed) -> FloatArray:
    rates = zip(*(ratio(each, each[:, -1:]) for each in passed), strict=True)
    # Where either rate is not known, there is no curve to read.
    return np.array([np.interp(GRID, fpr, tpr + 0 * fpr) for tpr, fpr in rates])


def _areas(passed: _Passed) -> FloatArray:
    tpr, fpr = (ratio(each, each[:, -1:]) for each in passed)
    areas: FloatArray = np.sum(np.diff(fpr) * (tpr[:, 1:] + tpr[:, :-1]), axis=1) / 2
    return areas


def _precisions(passed: _Passed) -> FloatArray:
    # At 0, what is read is the precision of the first hits: that of nothing means nothing.
    levels = np.maximum(GRID, np.nextafter(0, 1))
    recalls = ratio(passed.hits, passed.hits[:, -1:])
    found = zip(recalls, ratio(passed.hits, passed.hits + passed.others), strict=True)
    # Where nothing is relevant, recall is not known, and nothing is found at any level of it.
    return np.array([np.append(p, np.nan)[np.searchsorted(r, levels)] for r, p in found])


def _average_precisions(passed: _Passed) -> FloatArray:
    steps = np.diff(ratio(passed.hits, passed.hits[:, -1:]))
    precision = np.nan_to_num(ratio(passed.hits, passed.hits + passed.others)[:, 1:])
    averages: FloatArray = np.sum(steps * precision, axis=1)
    return averages


def _banded(
    whole: FloatArray, some: FloatArray, replicates: FloatArray, confidence: float
) -> BandedCurve:
    """Give what was read of the whole intervals: those of the replicates, moved back."""
    low, high = (np.clip(end, 0, 1) for end in percentile(replicates + whole - some, confidence))
    value = whole[0]
    return BandedCurve(
        value[:-1], low[:-1], high[:-1], float(value[-1]), float(low[-1]), float(high[-1])
    )
