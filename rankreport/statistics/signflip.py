"""Fisher's sign-flip randomisation test of paired differences.

Under the null hypothesis, each difference is as likely to have the opposite sign. The p-value is
the share of all ``2^n`` choices of signs under which the sum is at least as far from zero as the
observed sum. Smucker, Allan and Carterette (CIKM 2007) found that it agrees with Student's t and
the bootstrap on retrieval experiments. It does not assume normality and, with few queries, is
exact.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankreport.statistics.multipliers import (
    GROUPS,
    MOST_DRAWN,
    cornish_fisher,
    grouped,
    is_dominated,
    length_of,
)
from rankreport.statistics.random_draws import MEMORY, Progress, draw_normals, draw_signs, in_floats
from rankreport.statistics.sample import ROUNDING, FloatArray, Sample

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

__all__ = ["EXACT_LIMIT", "PATIENT_LIMIT", "flipped_statistics", "sign_flip"]

EXACT_LIMIT: Final = 36
"""Default maximum number of changed queries for the exact test: about 0.02 s per column."""

PATIENT_LIMIT: Final = 40
"""The same for the primary measure: about 0.2 s."""

MOST_EXACT: Final = 60
"""Upper limit of the exact test: time and memory grow as the square root of ``2^n``."""


def sign_flip(
    values: ArrayLike | Sample,
    *,
    resamples: int = 9_999,
    seed: int = 0,
    exact_limit: ArrayLike = EXACT_LIMIT,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> FloatArray:
    """Two-sided p-value of the mean of each column, by flipping signs.

    The test is exact in columns with at most ``exact_limit`` non-zero differences. In other columns
    the signs are drawn at random, the same for all columns, and the observed signs count as one
    more draw, so that p is never 0 (Phipson and Smyth 2010). With more than 1,024 non-zero
    differences, of which no few make up most of the sum of squares, nothing is drawn: p is that of
    the normal distribution with the kurtosis of the sums, and half of the smallest step of a sum as
    correction for continuity.

    For a :class:`Sample`, the signs of its units' totals are flipped: all queries of a cluster
    together.

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns), or Sample
        Differences, NaN where undefined.
    resamples : int
        Signs to draw for each column that is not exact, at least 1; p is then at least
        ``1 / (resamples + 1)``.
    seed : int
        Not negative; exact p-values do not depend on it.
    exact_limit : int, or int of shape (n_columns,)
        From 0 to 60. Time and memory grow as the square root of ``2^n``: 0.2 s for 40, 1 s for 44.
    memory : int
        Memory limit of signs and partial sums, in bytes; no result depends on it.
    progress : callable, optional
        Called with the number of draws just finished.

    Returns
    -------
    float64, shape (n_columns,)
        In (0, 1]. 1 where nothing changed; NaN only where no value is defined.

    Raises
    ------
    ValueError
        Where ``values`` is not two-dimensional or not finite, or a parameter is out of range.

    Examples
    --------
    >>> sign_flip([[0.1], [0.2], [0.3], [0.0]])
    array([0.25])
    """
    limit = np.asarray(exact_limit)
    if np.any((limit < 0) | (limit > MOST_EXACT)):
        msg = f"expected exact_limit from 0 to {MOST_EXACT}, found {exact_limit!r}"
        raise ValueError(msg)
    sample = Sample.of(values)
    p_values = np.where(sample.size > 0, 1.0, np.nan)
    changed = sample.n_changed > 0
    for column in np.flatnonzero(changed & (sample.n_changed <= limit)):
        deltas = sample.totals[:, column]
        p_values[column] = _exact(deltas[deltas != 0], memory)
    draws: dict[str, Any] = {"resamples": resamples, "seed": seed, "memory": memory}
    many = sample.n_changed > MOST_DRAWN
    if many.any():
        many[many] = ~is_dominated(sample.totals[:, many])
        p_values[many] = _of_many(sample.totals[:, many])
    drawn = np.flatnonzero((sample.n_changed > limit) & ~many)
    if len(sample.totals) > MOST_DRAWN:
        for column in drawn:
            deltas = sample.totals[sample.totals[:, column] != 0, column, np.newaxis]
            signs = draw_signs(len(deltas), **draws, progress=progress)
            p_values[column] = _drawn(deltas, signs)[0]
    elif drawn.size:
        signs = draw_signs(len(sample.totals), **draws, progress=progress)
        p_values[drawn] = _drawn(sample.totals[:, drawn], signs)
    return p_values


def flipped_statistics(
    values: ArrayLike | Sample,
    *,
    resamples: int,
    seed: int,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> tuple[FloatArray, Iterator[FloatArray]]:
    r"""Return studentised sums: observed, and under random signs that are the same for all columns.

    A sum is divided by its standard error under random signs, :math:`\sqrt{\sum d^2}`, which does
    not depend on the signs. For columns of equal size it gives the same order as Student's t, and
    it stays finite where all values are equal.

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns), or Sample
        NaN where undefined.
    resamples, seed, memory, progress
        As for :func:`sign_flip`, which draws the same signs.

    Returns
    -------
    observed : float64, shape (n_columns,)
        Signed; 0 where nothing changed, NaN where nothing is defined.
    replicates : iterator of float64, shape (at most 256, n_columns)
        Absolute values under random signs.

    Examples
    --------
    >>> observed, replicates = flipped_statistics([[3.0], [4.0]], resamples=5, seed=0)
    >>> observed, next(replicates).shape
    (array([1.4]), (5, 1))
    """
    draws: dict[str, Any] = {"resamples": resamples, "seed": seed, "memory": memory}
    sample = Sample.of(values)
    error = length_of(sample.totals)
    scaled = sample.totals / np.where(error > 0, error, 1.0)
    total = scaled.sum(axis=0)
    observed = np.where(sample.size > 0, total, np.nan)
    if len(scaled) > MOST_DRAWN and not is_dominated(scaled).any():
        groups, kurtosis = grouped(scaled, seed), _kurtosis(scaled)
        normals = draw_normals(GROUPS, **draws, progress=progress)
        return observed, (np.abs(cornish_fisher(z @ groups, 0.0, kurtosis)) for z in normals)
    signs = in_floats(draw_signs(len(scaled), **draws, progress=progress), np.float64)
    return observed, (np.abs(2 * (kept @ scaled) - total) for kept in signs)


def _kurtosis(scaled: FloatArray) -> FloatArray:
    """Return the excess kurtosis of the sum of each column, of length 1, under random signs."""
    kurtosis: FloatArray = -2 * np.square(np.square(scaled)).sum(axis=0)
    return kurtosis


def _of_many(deltas: FloatArray) -> FloatArray:
    """Share of all signs under which the sum is as far from zero, in closed form."""
    from scipy import special

    error = length_of(deltas)
    # Sums are whole steps of twice the smallest difference, if they have steps at all.
    step = np.where(deltas != 0, np.abs(deltas), np.inf).min(axis=0, initial=np.inf)
    t = np.maximum(np.abs(deltas.sum(axis=0)) - step, 0.0) / error
    far = cornish_fisher(t, 0.0, -_kurtosis(deltas / error))
    p_values: FloatArray = np.maximum(2 * special.ndtr(-far), np.finfo(np.float64).tiny)
    return p_values


def _exact(deltas: FloatArray, memory: int) -> float:
    """Share of all signs under which the sum is as far from zero, by meeting in the middle.

    Split the terms into two halves, and sort the signed sums of one of them. For each signed sum of
    the other half, a binary search counts the sums that exceed the threshold with it. If the sums
    of half the terms would exceed the memory limit, the halves shrink to no less than a third of
    the terms, and a loop goes over the signs of the rest.
    """
    threshold = float(abs(deltas.sum()) - ROUNDING * np.abs(deltas).sum())
    if threshold <= 0:
        return 1.0
    halves = _tallied_halves(np.abs(deltas), memory)
    if halves is not None:
        return _exact_of_tallies(*halves, threshold, len(deltas))
    # Four arrays of 2^width numbers are in memory: two halves, a sorted copy, the positions.
    n, affordable = len(deltas), (memory // (4 * 8)).bit_length() - 1
    width = min(n // 2, max(affordable, n // 3))
    outside, middle, end = np.split(deltas, [n - 2 * width, n - width])
    sums = _signed_sums(end)
    # Searching for sorted values is faster, since memory is read in order.
    missing = threshold - _signed_sums(middle)[::-1]
    below = sum(int(np.searchsorted(sums, missing - part).sum()) for part in _signed_sums(outside))
    choices = 1 << n
    return 2 * (choices - below) / choices


class _Tally(NamedTuple):
    """The distinct signed sums of some terms, and by how many choices of signs each is reached."""

    sums: FloatArray
    choices: NDArray[np.int64]


def _tallied_halves(sizes: FloatArray, memory: int) -> tuple[_Tally, _Tally] | None:
    """Return the signed sums of two halves of the terms, where equal terms make them few.

    m equal terms have m + 1 sums, not 2^m. Differences of measures of few values, such as P@10 and
    RR, are often equal. None where this would not help, or take more memory than the limit.
    """
    # Equal up to rounding, which depends on what they are the differences of.
    _, first, n_of = np.unique(
        np.round(sizes / sizes.max(), 12), return_index=True, return_counts=True
    )
    # The one half gets the terms that the other has fewer sums without.
    halves: tuple[list[int], list[int]] = ([], [])
    n_sums = [1, 1]
    for place in np.argsort(-n_of, kind="stable"):
        side = int(n_sums[1] < n_sums[0])
        halves[side].append(int(place))
        n_sums[side] *= int(n_of[place]) + 1
    if max(n_sums) > min(2 ** (len(sizes) // 2) // _WORTHWHILE, memory // (4 * 8)):
        return None
    one, other = (_tally(sizes[first[half]], n_of[half]) for half in halves)
    return one, other


_WORTHWHILE: Final = 4
"""Distinct sums are tallied if they are that many times fewer."""


def _tally(terms: FloatArray, n_of: NDArray[np.int64]) -> _Tally:
    """Return the signed sums of terms of which there are so many each."""
    sums, choices = np.zeros(1), np.ones(1, dtype=np.int64)
    for term, n in zip(terms, n_of.tolist(), strict=True):
        of_term = term * np.arange(-n, n + 1, 2)
        ways = np.array([comb(n, k) for k in range(n + 1)], dtype=np.int64)
        sums = (sums[:, np.newaxis] + of_term).ravel()
        choices = (choices[:, np.newaxis] * ways).ravel()
    return _Tally(sums, choices)


def _exact_of_tallies(one: _Tally, other: _Tally, threshold: float, n: int) -> float:
    """Share of all signs under which the sum is as far from zero, from the sums of two halves."""
    order = np.argsort(other.sums, kind="stable")
    n_below = np.concatenate([[0], np.cumsum(other.choices[order])])
    reached = np.searchsorted(other.sums[order], threshold - one.sums)
    below = int((one.choices * n_below[reached]).sum())
    choices = 1 << n
    return 2 * (choices - below) / choices


def _signed_sums(terms: FloatArray) -> FloatArray:
    """Return the sums of ``terms`` under all ``2^n`` choices of signs, in order."""
    sums = np.zeros(1)
    for term in np.abs(terms):
        # Both parts are in order, and this sort merges them: a third of the time of one at the end.
        sums = np.concatenate([sums - term, sums + term])
        sums.sort(kind="stable")
    return sums


def _drawn(deltas: FloatArray, signs: Iterator[NDArray[np.uint8]]) -> FloatArray:
    """Share of drawn signs under which the sum is as far from zero, the observed ones included."""
    total = deltas.sum(axis=0)
    threshold = np.abs(total) - ROUNDING * np.abs(deltas).sum(axis=0)
    as_far, draws = np.ones(deltas.shape[1]), 1
    for kept in in_floats(signs, np.float64):
        # Kept minus flipped terms, without building the signs.
        sums = 2 * (kept @ deltas) - total
        as_far += np.count_nonzero(np.abs(sums) >= threshold, axis=0)
        draws += len(kept)
    return as_far / draws
