"""Bootstrap replicates of the mean of every column, as one matrix product.

A bootstrap sample is given by how often it contains each query. With those counts as rows of a
matrix, the means of all columns under all replicates are ``counts @ values / n``. Queries are drawn
once for all measures, cut-offs and systems, which is faster than gathering rows and keeps
replicates joint, so that columns can be compared replicate by replicate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankreport.statistics.multipliers import (
    GROUPS,
    MOST_DRAWN,
    Groups,
    grouped,
    is_dominated,
    length_of,
)
from rankreport.statistics.random_draws import (
    MEMORY,
    Progress,
    draw_counts,
    draw_normals,
    in_floats,
)
from rankreport.statistics.sample import ROUNDING, FloatArray, Sample, plain, ratio

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

__all__ = [
    "Moments",
    "pivots",
    "replicate_means",
    "replicate_moments",
    "replicate_pieces",
    "weighted_means",
    "weighted_moments",
]


class Moments(NamedTuple):
    """Replicates of the mean, and the standard error of each; both ``(resamples, n_columns)``."""

    means: FloatArray
    standard_errors: FloatArray


def replicate_means(
    values: ArrayLike | Sample | Groups,
    *,
    resamples: int,
    seed: int,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> FloatArray:
    """Means of bootstrap samples of the rows of ``values``, all columns from the same samples.

    For a :class:`Sample`, units are drawn within their strata; a replicate is the sum of their
    totals divided by the sum of their sizes.

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns), or Sample
        NaN where undefined. A replicate averages over the defined values that it drew.
    resamples : int
        Number of replicates, at least 1. Increasing it only appends replicates.
    seed : int
        Not negative.
    memory : int
        Memory limit of the counts of a piece, in bytes; it changes results by at most ``1e-12``.
    progress : callable, optional
        Called with the number of replicates just finished.

    Returns
    -------
    float64, shape (resamples, n_columns)
        NaN where a replicate drew no defined value.

    Raises
    ------
    ValueError
        Where ``values`` is not two-dimensional or not finite, or ``resamples`` is below 1.

    Examples
    --------
    >>> replicate_means([[0.0], [1.0], [2.0], [3.0]], resamples=3, seed=0).shape
    (3, 1)
    """
    pieces = replicate_pieces(
        values, resamples=resamples, seed=seed, memory=memory, progress=progress
    )
    return np.concatenate(list(pieces))


def replicate_pieces(
    values: ArrayLike | Sample | Groups,
    *,
    resamples: int,
    seed: int,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Iterator[FloatArray]:
    """Yield the means of :func:`replicate_means` in pieces of at most 256 replicates.

    Examples
    --------
    >>> pieces = replicate_pieces([[0.0], [1.0]], resamples=300, seed=0)
    >>> [piece.shape for piece in pieces]
    [(256, 1), (44, 1)]
    """
    draws: dict[str, Any] = {"resamples": resamples, "seed": seed, "memory": memory}
    sample = values if isinstance(values, Groups) else Sample.of(values)
    if isinstance(sample, Groups) or len(sample.totals) > MOST_DRAWN:
        groups = sample if isinstance(sample, Groups) else Groups.of(sample, seed)
        normals = draw_normals(GROUPS, **draws, progress=progress)
        return (groups.mean + groups.shifts(z) for z in normals)
    pieces = draw_counts(len(sample.totals), strata=sample.strata, **draws, progress=progress)
    return (_means(counts, sample) for counts in in_floats(pieces, np.float64))


def replicate_moments(
    values: ArrayLike | Sample,
    *,
    resamples: int,
    seed: int,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Moments:
    """Means of bootstrap samples with the standard error of each, for studentised methods.

    Takes the parameters of :func:`replicate_means` and draws the same samples; see
    :func:`weighted_moments` for the standard error. ValueError where queries have a structure.

    Examples
    --------
    >>> moments = replicate_moments([[0.0], [1.0], [2.0], [3.0]], resamples=5, seed=0)
    >>> moments.means.shape, moments.standard_errors.shape
    ((5, 1), (5, 1))
    """
    sample = plain(values, "the standard error of a replicate")
    draws: dict[str, Any] = {"resamples": resamples, "seed": seed, "memory": memory}
    if len(sample.totals) > MOST_DRAWN and not is_dominated(sample.deviations).any():
        moments = _multiplied(sample, seed, draw_normals(GROUPS, **draws, progress=progress))
    else:
        powers = _powers(sample)
        pieces = in_floats(draw_counts(len(sample.totals), **draws, progress=progress), np.float64)
        moments = (_moments(counts, sample, powers) for counts in pieces)
    means, errors = zip(*moments, strict=True)
    return Moments(np.concatenate(means), np.concatenate(errors))


def weighted_means(counts: ArrayLike, values: ArrayLike | Sample) -> FloatArray:
    """Mean of each column under each row of counts: the replicates of given samples.

    Parameters
    ----------
    counts : float64, shape (n_samples, n_queries)
        How often each sample holds each query, or each unit of a `Sample`; not negative.
    values : float64, shape (n_queries, n_columns), or Sample
        NaN where undefined.

    Returns
    -------
    float64, shape (n_samples, n_columns)
        NaN where a sample holds no defined value.

    Examples
    --------
    >>> weighted_means([[1.0, 1.0], [2.0, 0.0]], [[1.0, float("nan")], [3.0, 5.0]])
    array([[ 2.,  5.],
           [ 1., nan]])
    """
    sample, weights = Sample.of(values), np.asarray(counts, dtype=np.float64)
    return _means(weights, sample)


def weighted_moments(counts: ArrayLike, values: ArrayLike | Sample) -> Moments:
    r"""Mean and standard error of each column under each row of counts.

    The standard error is the one of the sample itself, applied to the replicate: over ``n - 1``,
    where n is the number of defined values that the replicate drew, repeated ones repeatedly,

    .. math:: s^{*2} = \frac{\sum_q w_q (d_q - m^*)^2}{n^* (n^* - 1)}, \qquad n^* = \sum_q w_q.

    With all counts 1 it is the observed standard error, and ``(m* - m) / s*`` is the replicate's
    Student's t (Efron and Tibshirani 1993, section 12.5). It is 0 where the replicate drew only one
    value, once or repeatedly.

    Examples
    --------
    >>> weighted_moments([[1.0, 1.0, 1.0]], [[1.0], [2.0], [3.0]])
    Moments(means=array([[2.]]), standard_errors=array([[0.57735027]]))
    """
    sample = plain(values, "the standard error of a replicate")
    return _moments(np.asarray(counts, dtype=np.float64), sample, _powers(sample))


def pivots(values: ArrayLike | Sample, moments: Moments) -> FloatArray:
    """Studentised replicates ``(m* - m) / s*``, the reference distribution of Student's t.

    Returns
    -------
    float64, shape (resamples, n_columns)
        Infinite where the replicate has no spread. NaN where it has no mean, and where it has the
        observed mean without spread.

    Examples
    --------
    >>> values = [[0.0], [0.0], [3.0]]
    >>> pivots(values, weighted_moments([[1, 1, 1], [0, 1, 2], [3, 0, 0]], values))
    array([[  0.],
           [  1.],
           [-inf]])
    """
    sample, errors = Sample.of(values), moments.standard_errors
    distance = moments.means - sample.mean
    has_side = np.abs(distance) > sample.tolerance
    without_spread = np.where(has_side, np.copysign(np.inf, distance), np.nan)
    return np.divide(distance, errors, out=without_spread, where=errors > 0)


def _means(counts: FloatArray, sample: Sample) -> FloatArray:
    """Divide sums of totals by sums of sizes."""
    return _over(counts @ sample.totals, _drawn_sizes(counts, sample))


def _drawn_sizes(counts: FloatArray, sample: Sample) -> FloatArray:
    """Return the sums of sizes, once where those of all columns are equal."""
    first = sample.sizes[:, :1]
    return counts @ (first if np.all(sample.sizes == first) else sample.sizes).astype(np.float64)


def _powers(sample: Sample) -> FloatArray:
    """Deviations from the observed mean, for numerical precision, and their squares."""
    return np.hstack([sample.deviations, np.square(sample.deviations)])


def _moments(counts: FloatArray, sample: Sample, powers: FloatArray) -> Moments:
    """Both moments, from one product."""
    sizes = _drawn_sizes(counts, sample)
    shift, squares = (_over(sums, sizes) for sums in np.split(counts @ powers, 2, axis=1))
    variance = squares - np.square(shift)
    # Without a tolerance, rounding errors would become a spread of 1e-8.
    variance = np.where(variance > ROUNDING * squares, variance, np.where(sizes > 0, 0.0, np.nan))
    return Moments(sample.mean + shift, np.sqrt(variance / np.maximum(sizes - 1, 1)))


def _multiplied(sample: Sample, seed: int, normals: Iterator[FloatArray]) -> Iterator[Moments]:
    """Both moments of many units, without drawing them.

    The logarithm of the sum of squares is normal, so that no variance is negative.
    """
    groups, variance = Groups.of(sample, seed), ratio(sample.squares, sample.size)
    squares = np.where(sample.defined, np.square(sample.deviations) - variance, 0.0)
    error = np.nan_to_num(ratio(length_of(squares), sample.squares))
    squares = grouped(squares, seed)
    for z in normals:
        shifts, sizes = groups.shifts(z), sample.size * groups.drawn_sizes(z)
        drawn = variance * np.exp((z @ squares - error / 2) * error) - np.square(shifts)
        errors = np.sqrt(np.maximum(drawn, 0) / np.maximum(sizes - 1, 1))
        yield Moments(sample.mean + shifts, errors)


def _over(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Divide sums by sizes, NaN where there are none."""
    # Most samples have no undefined values, and a plain division is faster.
    return sums / sizes if np.all(sizes > 0) else ratio(sums, sizes)
