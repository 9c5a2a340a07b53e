"""What unjudged documents could do to a difference: judged documents alone, and bounds.

Unjudged documents count as not relevant. Beside the difference that follows, there is the one on
judged documents alone, and how low and high it could be whatever the grades of the unjudged
documents. For the bounds, a document has one grade in all lists, and the ideal ranking is computed
anew: a relevant document that no list returned enlarges the ideal of nDCG. Documents in neither
list are assumed to be not relevant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SYSTEM
from rankreport.measures import DCG, Measure, score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankreport.comparison.pairs import Pair
    from rankreport.evaluation import Unjudged

    FloatArray = NDArray[np.float64]

__all__ = ["Gains", "difference_bounds", "gains_of", "largest_difference"]


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
        return Gains(np.ones(measure.k), _is_relevant(measure), ideal)
    alone = [score(summed, [*[0.0] * rank, _least(measure)]) or 0.0 for rank in range(measure.k)]
    discounts = np.array(alone)
    if measure.rel is not None:
        return Gains(discounts, _is_relevant(measure), ideal, first)
    return Gains(discounts / _gain(summed, 1.0, discounts[0]), _graded(summed, discounts[0]), ideal)


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


def _is_relevant(measure: Measure) -> Callable[[float], float]:
    return lambda grade: 1.0 if grade >= _least(measure) else 0.0


def _gain(summed: Measure, grade: float, at_first: float) -> float:
    return (score(summed, [grade]) or 0.0) / at_first


def _graded(summed: Measure, at_first: float) -> Callable[[float], float]:
    return lambda grade: _gain(summed, grade, at_first)


@dataclass(frozen=True)
class _Query:
    """One query: unjudged documents as two lists have them, and the judged ones.

    Attributes
    ----------
    system, baseline : float64, shape (n_documents,)
        The discount of each unjudged document in the list of each, 0 where it is not.
    scores
        The values of both with unjudged documents not relevant.
    n_of_level : int, shape (n_levels,)
        Number of judged documents of each level's gain or above.
    """

    system: FloatArray
    baseline: FloatArray
    scores: tuple[float, float]
    n_of_level: NDArray[np.intp]

    @property
    def reversed(self) -> _Query:
        return _Query(self.baseline, self.system, self.scores[::-1], self.n_of_level)


def largest_difference(query: _Query, gains: Gains, levels: FloatArray) -> float:
    """Return the largest difference that any grades of the unjudged documents give.

    Parameters
    ----------
    query
        The query.
    gains
        What the measure makes of grades and ranks.
    levels : float64, shape (n_levels,)
        The gains that a document can have, ascending, without 0.
    """
    system, baseline = query.scores
    if not len(levels):
        return system - baseline
    if gains.first:
        # A second relevant document could only help the other system.
        alone = np.maximum(system, query.system) - np.maximum(baseline, query.baseline)
        return float(max(system - baseline, alone.max(initial=-np.inf)))
    if gains.ideal == "none":
        moved = query.system - query.baseline
        return float(system - baseline + levels[-1] * moved[moved > 0].sum())
    return _largest_share(query, gains, levels)


def _largest_share(query: _Query, gains: Gains, levels: FloatArray) -> float:
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
    steps = np.diff(levels, prepend=0.0)
    moved = np.sort(query.system - query.baseline)[::-1]
    sums = np.concatenate([[0.0], np.cumsum(moved)])
    numbers = np.arange(len(sums))
    best = np.concatenate([[0.0], np.cumsum(gains.discounts)])

    def ideal(n: NDArray[np.intp]) -> FloatArray:
        if gains.ideal == "all":
            return n.astype(np.float64)
        return best[np.minimum(n, len(best) - 1)]

    ideals = ideal(query.n_of_level[:, np.newaxis] + numbers)
    known = float(steps @ ideals[:, 0])
    before = (query.scores[0] - query.scores[1]) * known

    def ratio(chosen: NDArray[np.intp]) -> float:
        whole = float(steps @ ideals[np.arange(len(steps)), chosen])
        return (before + float(steps @ sums[chosen])) / whole if whole > 0 else 0.0

    found = max(ratio(np.full(len(steps), n)) for n in numbers)
    while found > 0:
        chosen = np.argmax(sums - found * ideals, axis=1)
        higher = ratio(chosen)
        if higher <= found * (1 + 1e-12):
            break
        found = higher
    return found


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
    levels = _levels(unjudged.grades, gains)
    n_of_level = _judged_of_level(unjudged.grades, gains, levels)
    places = _places(unjudged.documents)
    none = np.zeros(len(levels), dtype=np.intp)
    bounds = {}
    for pair in pairs:
        low, high = np.full((2, len(query_ids)), np.nan)
        for row, name in enumerate(query_ids):
            values = (float(scores[pair.system][row]), float(scores[pair.baseline][row]))
            if np.isnan(values).any():
                continue
            one, other = (places.get((side, name), {}) for side in (pair.system, pair.baseline))
            documents = sorted(one.keys() | other.keys())
            query = _Query(
                _discounts(one, documents, gains),
                _discounts(other, documents, gains),
                values,
                n_of_level.get(name, none),
            )
            high[row] = largest_difference(query, gains, levels)
            low[row] = -largest_difference(query.reversed, gains, levels)
        bounds[pair] = (low, high)
    return bounds


def _levels(grades: pl.DataFrame, gains: Gains) -> FloatArray:
    """Return the positive gains that judged documents have, ascending."""
    found = {gains.gain(grade) for grade in grades[RELEVANCE].unique()}
    return np.array(sorted(gain for gain in found if gain > 0))


def _judged_of_level(
    grades: pl.DataFrame, gains: Gains, levels: FloatArray
) -> dict[str, NDArray[np.intp]]:
    """Return the number of each query's judged documents of each level or above."""
    counts: dict[str, NDArray[np.intp]] = {}
    gain_of = {grade: gains.gain(grade) for grade in grades[RELEVANCE].unique()}
    for name, grade, n in grades.iter_rows():
        of_query = counts.setdefault(name, np.zeros(len(levels), dtype=np.intp))
        of_query[levels <= gain_of[grade] * (1 + 1e-12)] += n
    return counts


def _places(documents: pl.DataFrame) -> dict[tuple[str, str], dict[int, int]]:
    """Return the rank of each unjudged document, by system and query."""
    lists = documents.group_by(SYSTEM, QUERY_ID).agg(DOC_ID, RANK)
    return {
        (system, name): dict(zip(numbers, ranks, strict=True))
        for system, name, numbers, ranks in lists.iter_rows()
    }


def _discounts(places: Mapping[int, int], documents: Sequence[int], gains: Gains) -> FloatArray:
    return np.array([gains.discounts[places[d] - 1] if d in places else 0.0 for d in documents])
