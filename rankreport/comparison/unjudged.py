"""What unjudged documents could do to a difference: judged documents alone, and bounds.

Unjudged documents count as not relevant. Beside the difference that follows, there is the one on
judged documents alone, and how low and high it could be whatever the grades of the unjudged
documents. For the bounds, a document has one grade in all lists, and the ideal ranking is computed
again: a relevant document that no list returned enlarges the ideal of nDCG. Documents in neither
list are assumed to be not relevant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from rankreport.comparison.pairs import systems_of
from rankreport.evaluation import Unjudged
from rankreport.frames import DOC_ID, N_UNJUDGED, QUERY_ID, RANK, RELEVANCE, SYSTEM
from rankreport.measures import DCG, Measure, score, scores_of_lists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankreport.comparison.pairs import Pair

    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.intp]


class Gains(NamedTuple):
    """What a measure makes of grades and ranks.

    Attributes
    ----------
    discounts : float64, shape (k,)
        What a document of gain 1 adds at each rank.
    gain
        The gain of a grade.
    ideal
        How the sum is divided: by nothing, by that of the best order of all documents within the
        cut-off, or by the gain of all documents.
    first
        Whether only the first relevant document counts.
    """

    discounts: FloatArray
    gain: Callable[[float], float]
    ideal: str = "none"
    first: bool = False


@cache
def gains_of(measure: Measure) -> Gains | None:
    """Return what a measure makes of grades and ranks, or None where bounds are not known.

    They are known with a cut-off for P, R, RBP, CG, DCG, nDCG (with the ideal of all judged
    documents), RR and Success.

    Examples
    --------
    >>> from rankreport.measures import AP, P
    >>> gains_of(P @ 2).discounts
    array([0.5, 0.5])
    >>> gains_of(AP @ 2) is None
    True
    """
    if not measure.takes_cutoff or measure.k is None or measure.name not in _SUMMED:
        return None
    if measure.parameter("judged_only") or measure.parameter("ideal") not in (None, "judged"):
        return None
    if measure.name == "RBP" and measure.parameter("gain") != "binary":
        return None
    summed = measure
    if measure.name == "nDCG":
        shared: dict[str, Any] = {
            name: measure.parameter(name) for name in ("gain", "discount", "base", "gains")
        }
        summed = DCG(**shared) @ measure.k
    ideal, first = _SUMMED[measure.name]
    if measure.name == "R":
        return Gains(np.ones(measure.k), partial(_is_relevant, _least(measure)), ideal)
    alone = [[*[0.0] * rank, _least(measure)] for rank in range(measure.k)]
    discounts = np.array([value or 0.0 for value in scores_of_lists(summed, alone)])
    if measure.rel is not None:
        return Gains(discounts, partial(_is_relevant, _least(measure)), ideal, first)
    return Gains(
        discounts / _gain(summed, discounts[0], 1.0), partial(_gain, summed, discounts[0]), ideal
    )


_SUMMED: Mapping[str, tuple[str, bool]] = {
    "P": ("none", False),
    "RBP": ("none", False),
    "CG": ("none", False),
    "DCG": ("none", False),
    "nDCG": ("best order", False),
    "R": ("all", False),
    "RR": ("none", True),
    "Success": ("none", True),
}
"""Measures that are sums over documents: how they are divided, and whether the first counts."""


def _least(measure: Measure) -> float:
    return 1.0 if measure.rel is None else measure.rel


def _is_relevant(least: float, grade: float) -> float:
    return 1.0 if grade >= least else 0.0


@cache
def _gain(summed: Measure, at_first: float, grade: float) -> float:
    return (score(summed, [grade]) or 0.0) / at_first


@dataclass(frozen=True, eq=False)
class _Queries:
    """Queries: the unjudged documents of each as two lists have them, and the judged ones.

    Attributes
    ----------
    system, baseline : float64, shape (n_queries, most_documents)
        The discount of each unjudged document in the list of each, 0 where it is not, and after
        the documents of a query.
    n_documents : int, shape (n_queries,)
        The number of unjudged documents of each query.
    of_system, of_baseline : float64, shape (n_queries,)
        The values of both with unjudged documents not relevant.
    n_of_level : int, shape (n_queries, n_levels)
        Number of judged documents of each level's gain or above.
    """

    system: FloatArray
    baseline: FloatArray
    n_documents: IntArray
    of_system: FloatArray
    of_baseline: FloatArray
    n_of_level: IntArray

    @property
    def reversed(self) -> _Queries:
        return replace(
            self,
            system=self.baseline,
            baseline=self.system,
            of_system=self.of_baseline,
            of_baseline=self.of_system,
        )


_AT_ONCE = 2**14
"""The number of queries whose bounds are computed at once."""


def _largest_differences(queries: _Queries, gains: Gains, levels: FloatArray) -> FloatArray:
    """Return the largest difference of each query that any grades of unjudged documents give.

    Parameters
    ----------
    queries
        The queries.
    gains
        What the measure makes of grades and ranks.
    levels : float64, shape (n_levels,)
        The gains that a document can have, ascending, without 0.
    """
    difference = queries.of_system - queries.of_baseline
    if not len(levels):
        return difference
    if gains.first:
        # A second relevant document could only help the other system.
        system = np.maximum(queries.of_system[:, np.newaxis], queries.system)
        baseline = np.maximum(queries.of_baseline[:, np.newaxis], queries.baseline)
        alone = (system - baseline).max(axis=1, initial=-np.inf)
        largest: FloatArray = np.maximum(difference, alone)
        return largest
    if gains.ideal == "none":
        moved = queries.system - queries.baseline
        most: FloatArray = difference + levels[-1] * np.maximum(moved, 0.0).sum(axis=1)
        return most
    return _largest_shares(queries, gains, levels)


def _largest_shares(queries: _Queries, gains: Gains, levels: FloatArray) -> FloatArray:
    """Return the largest difference of two shares of an ideal, which depends on the grades too.

    For some number of documents of each level or above, the sum is largest if those are the
    documents that the system ranks higher than the baseline. So the choice is of numbers, one for
    each level, which do not increase with the level. For a ratio, maximise ``sum - t * ideal`` and
    raise t to the ratio found, until it stays (Dinkelbach, Management Science 1967). The levels
    are then independent: the ideal is concave in each number, and costs more at a higher level,
    where fewer documents were judged, so that the numbers do not increase. Where no choice makes
    the difference positive, it is largest if all chosen documents have the highest grade, since the
    ideal is convex in the gains.
    """
    n, width = queries.system.shape
    steps, numbers = np.diff(levels, prepend=0.0), np.arange(width + 1)
    possible = numbers <= queries.n_documents[:, np.newaxis]
    there = possible[:, 1:]
    moved = -np.sort(np.where(there, queries.baseline - queries.system, np.inf), axis=1)
    sums = np.zeros((n, width + 1))
    np.cumsum(np.where(there, moved, 0.0), axis=1, out=sums[:, 1:])
    # By level, query and number of documents.
    n_relevant = queries.n_of_level.T[:, :, np.newaxis] + numbers
    if gains.ideal == "all":
        ideals = n_relevant.astype(np.float64)
    else:
        best = np.concatenate([[0.0], np.cumsum(gains.discounts)])
        ideals = best[np.minimum(n_relevant, len(best) - 1)]
    known = _summed(steps, ideals[:, :, 0])
    before = (queries.of_system - queries.of_baseline) * known

    def share(changed: FloatArray, whole: FloatArray) -> FloatArray:
        shares: FloatArray = np.divide(changed, whole, out=np.zeros_like(whole), where=whole > 0)
        return shares

    gained = np.broadcast_to(sums, ideals.shape)
    likely = share(before[:, np.newaxis] + _summed(steps, gained), _summed(steps, ideals))
    found: FloatArray = np.where(possible, likely, -np.inf).max(axis=1)
    rows = np.flatnonzero(found > 0)
    while len(rows):
        left = np.where(
            possible[rows], sums[rows] - found[rows, np.newaxis] * ideals[:, rows], -np.inf
        )
        chosen = np.argmax(left, axis=2)
        changed = before[rows] + _summed(steps, sums[rows, chosen])
        whole = _summed(steps, ideals[np.arange(len(steps))[:, np.newaxis], rows, chosen])
        higher = share(changed, whole)
        still = higher > found[rows] * (1 + 1e-12)
        rows = rows[still]
        found[rows] = higher[still]
    return found


def _summed(steps: FloatArray, by_level: FloatArray) -> FloatArray:
    """Return the sum over the levels, the first axis, of so much for each step."""
    summed = np.zeros(by_level.shape[1:])
    for step, of_level in zip(steps, by_level, strict=True):
        summed += step * of_level
    return summed


def difference_bounds(
    unjudged: Unjudged,
    measure: Measure,
    pairs: Sequence[Pair],
    scores: Mapping[str, FloatArray],
    query_ids: Sequence[str],
) -> dict[Pair, tuple[FloatArray, FloatArray]] | None:
    """Return how low and high each difference of each query could be, or None if not known.

    Parameters
    ----------
    unjudged
        The unjudged documents.
    measure
        The primary measure.
    pairs
        Pairs of systems.
    scores
        Each system's values of the measure, float64 of shape (n_queries,), NaN where undefined.
    query_ids
        The queries of these values.
    """
    gains = gains_of(measure)
    if gains is None:
        return None
    levels = _levels(unjudged.grades[RELEVANCE].unique(), gains)
    rows = pl.DataFrame({QUERY_ID: query_ids}, schema={QUERY_ID: pl.String}).with_row_index(_ROW)
    n_of_level = _judged_of_level(unjudged.grades, gains, levels, rows)
    sides = {
        system: _side_of(unjudged, system, rows, scores[system]) for system in systems_of(pairs)
    }
    bounds = {}
    for pair in pairs:
        low, high = np.full((2, len(rows)), np.nan)
        both = (sides[pair.system], sides[pair.baseline])
        for part, queries in _unjudged_of(unjudged.documents, both, gains, n_of_level):
            defined = ~(np.isnan(queries.of_system) | np.isnan(queries.of_baseline))
            largest = _largest_differences(queries, gains, levels)
            smallest = -_largest_differences(queries.reversed, gains, levels)
            high[part] = np.where(defined, largest, np.nan)
            low[part] = np.where(defined, smallest, np.nan)
        bounds[pair] = (low, high)
    return bounds


_ROW = "row"
"""The number of a query."""

_START = "where documents begin"


def _levels(grades: Iterable[float], gains: Gains) -> FloatArray:
    """Return the positive gains of these grades, ascending."""
    found = {gains.gain(grade) for grade in grades}
    return np.array(sorted(gain for gain in found if gain > 0))


def _judged_of_level(
    grades: pl.DataFrame, gains: Gains, levels: FloatArray, rows: pl.DataFrame
) -> IntArray:
    """Return the number of each query's judged documents of each level or above."""
    gain_of = {grade: gains.gain(grade) for grade in grades[RELEVANCE].unique()}
    known = grades.join(rows, on=QUERY_ID)
    gain = known[RELEVANCE].replace_strict(gain_of, return_dtype=pl.Float64).to_numpy()
    counts = np.zeros((len(rows), len(levels)), dtype=np.intp)
    for place, level in enumerate(levels):
        reached = known.filter(pl.Series(level <= gain * (1 + 1e-12), dtype=pl.Boolean))
        np.add.at(counts[:, place], reached[_ROW].to_numpy(), reached["n"].to_numpy())
    return counts


class _Side(NamedTuple):
    """A system's lists, one of each query, in the order of the queries.

    Attributes
    ----------
    starts, lengths : int, shape (n_queries,)
        Where the unjudged documents of each list begin, and how many they are.
    scores : float64, shape (n_queries,)
        The values of the measure.
    """

    starts: IntArray
    lengths: IntArray
    scores: FloatArray


def _side_of(unjudged: Unjudged, system: str, rows: pl.DataFrame, scores: FloatArray) -> _Side:
    """Return the lists of a system; of a query that it does not have, one without documents."""
    known = unjudged.lists.select(
        SYSTEM, QUERY_ID, N_UNJUDGED, pl.Series(_START, unjudged.starts)
    ).filter(pl.col(SYSTEM) == system)
    found = rows.join(known, on=QUERY_ID, how="left", maintain_order="left")
    starts, lengths = (found[name].fill_null(0).to_numpy() for name in (_START, N_UNJUDGED))
    return _Side(starts, lengths, scores)


def _unjudged_of(
    documents: pl.DataFrame, sides: tuple[_Side, _Side], gains: Gains, n_of_level: IntArray
) -> Iterator[tuple[slice, _Queries]]:
    """Yield the unjudged documents of two lists of some queries, each in a place of its own."""
    for start in range(0, len(n_of_level), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        own = [_Side(e.starts[part], e.lengths[part], e.scores[part]) for e in sides]
        lists = [Unjudged.of_lists(documents, each.starts, each.lengths) for each in own]
        side = np.repeat([0, 1], [len(each) for each in lists])
        row = np.concatenate([np.repeat(np.arange(len(e.lengths)), e.lengths) for e in own])
        number, rank = (np.concatenate([each[name] for each in lists]) for name in (DOC_ID, RANK))
        distinct, place = np.unique(row << 32 | number, return_inverse=True)
        n_documents = np.bincount(distinct >> 32, minlength=len(own[0].lengths))
        before = np.cumsum(n_documents) - n_documents
        discounts = np.zeros((2, len(n_documents), n_documents.max(initial=0)))
        discounts[side, row, place - before[row]] = gains.discounts[rank.astype(np.intp) - 1]
        system, baseline = discounts
        of_system, of_baseline = (each.scores for each in own)
        n_judged = n_of_level[part]
        yield part, _Queries(system, baseline, n_documents, of_system, of_baseline, n_judged)
