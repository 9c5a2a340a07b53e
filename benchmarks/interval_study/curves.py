"""Pooled curves: documents of queries that differ from each other, and the true curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rankreport import statistics
from rankreport.statistics import PLAIN, BandedCurve, Structure

from .plan import CONFIDENCE, Size, seed_of

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

INSIDE: Final = (0.01, 0.99)
"""True values of a curve between these are counted: nearer to the edges, most samples hold no
document that tells."""


class Documents(NamedTuple):
    """The query of each document, whether it is relevant, and its score; clusters of queries."""

    queries: IntArray
    relevant: BoolArray
    scores: FloatArray
    structure: Structure = PLAIN


@dataclass(frozen=True)
class Pool:
    """A population of queries with their documents; ``draw`` takes so many units of it."""

    name: str
    words: str
    draw: Callable[[Generator, int], Documents]


def _scored(
    n_relevant: IntArray, n_others: IntArray, score: Callable[[IntArray, BoolArray], FloatArray]
) -> Documents:
    numbers = np.arange(len(n_relevant))
    queries = np.concatenate([np.repeat(numbers, n_relevant), np.repeat(numbers, n_others)])
    relevant = np.arange(len(queries)) < n_relevant.sum()
    return Documents(queries, relevant, score(queries, relevant))


def _normal(
    rng: Generator, n_relevant: IntArray, n_others: IntArray, level: FloatArray, gain: FloatArray
) -> Documents:
    """Give scores that are normal within a query, whose level and gain are its own."""

    def score(queries: IntArray, relevant: BoolArray) -> FloatArray:
        return level[queries] + relevant * gain[queries] + rng.normal(size=len(queries))

    return _scored(n_relevant, n_others, score)


def _equal(rng: Generator, n: int) -> Documents:
    level, gain = rng.normal(0, 0.5, n), rng.normal(1, 0.5, n)
    return _normal(rng, np.full(n, 5), np.full(n, 15), level, gain)


def _uneven(rng: Generator, n: int) -> Documents:
    size, share = np.minimum(np.exp(rng.normal(2.7, 0.8, n)), 200), rng.beta(1, 3, n)
    level = rng.normal(0, 0.5, n) + 0.8 * (share - 0.25)
    gain = 1.2 - 0.3 * (np.log(size) - 2.7) + rng.normal(0, 0.4, n)
    return _normal(rng, rng.poisson(size * share), rng.poisson(size * (1 - share)), level, gain)


def _scales(rng: Generator, n: int) -> Documents:
    scale = np.exp(rng.normal(0, 0.6, n))
    return _scored(
        1 + rng.poisson(3, n),
        5 + rng.geometric(1 / 15, n),
        lambda queries, relevant: scale[queries] * rng.gamma(1 + 1.5 * relevant),
    )


def _strong(rng: Generator, n: int) -> Documents:
    level, gain = rng.normal(0, 0.5, n), 3 + 0.6 * rng.standard_t(4, n)
    return _normal(rng, 1 + rng.poisson(2, n), 5 + rng.poisson(20, n), level, gain)


def _grades(rng: Generator, n: int) -> Documents:
    level, gain = rng.normal(0, 0.5, n), rng.normal(1, 0.5, n)
    drawn = _normal(rng, rng.poisson(4, n), 1 + rng.poisson(10, n), level, gain)
    return drawn._replace(scores=np.clip(np.round(drawn.scores), -2, 3))


def _sparse(rng: Generator, n: int) -> Documents:
    level, gain = rng.normal(0, 0.7, n), rng.normal(1.5, 0.7, n)
    return _normal(rng, 1 + (rng.random(n) < 0.3), np.full(n, 9), level, gain)


def _failing(rng: Generator, n: int) -> Documents:
    """Draw queries of which a tenth are turned upside down."""
    level, gain = rng.normal(0, 0.3, n), np.where(rng.random(n) < 0.1, -1.0, 2.0)
    return _normal(rng, 1 + rng.poisson(4, n), 5 + rng.poisson(15, n), level, gain)


def _long(rng: Generator, n: int) -> Documents:
    level, gain = rng.normal(0, 0.4, n), rng.exponential(1.5, n)

    def score(queries: IntArray, relevant: BoolArray) -> FloatArray:
        return level[queries] + relevant * gain[queries] + rng.standard_t(3, len(queries))

    return _scored(2 + rng.geometric(0.1, n), np.full(n, 40), score)


def _users(rng: Generator, n: int) -> Documents:
    clusters = np.repeat(np.arange(n), rng.geometric(1 / 3, n))
    n_queries = len(clusters)
    level = rng.normal(0, 0.5, n)[clusters] + rng.normal(0, 0.3, n_queries)
    gain = rng.normal(1.5, 0.5, n)[clusters]
    drawn = _normal(rng, 1 + rng.poisson(2, n_queries), rng.poisson(8, n_queries), level, gain)
    return drawn._replace(structure=Structure(clusters=clusters))


_CHOSEN_ON: Final = (
    Pool("equal numbers", "5 relevant and 15 other documents", _equal),
    Pool(
        "uneven numbers",
        "lognormal numbers of documents, up to 200; long queries are harder",
        _uneven,
    ),
    Pool("scales", "gamma scores, whose scale varies by query (lognormal, 0.6)", _scales),
    Pool("strong", "a system that is nearly always right (gain 3)", _strong),
    Pool("grades", "scores rounded to six values", _grades),
    Pool("sparse", "one or two relevant documents among ten", _sparse),
)
_HELD_OUT: Final = (
    Pool("failing", "a system that is wrong on every tenth query", _failing),
    Pool("long lists", "40 other documents, scores with Student's t of 3 degrees", _long),
    Pool("users", "clusters of 3 queries on average that share level and gain", _users),
)
POOLS: Final = (*_CHOSEN_ON, *_HELD_OUT)
"""The kind of interval was chosen on the first six, with other seeds; the others were added
afterwards."""

CURVES: Final = ("roc", "precision_recall")
TRUE_QUERIES: Final = 100_000
"""So many queries are taken for the population."""


def measured(size: Size, pool: Pool, n: int) -> dict[str, Any]:
    """Return how often the bands and intervals of the areas hold the true curve, in percent."""
    truth = _true_curves(pool)
    held = {curve: np.zeros(len(statistics.GRID) + 1) for curve in CURVES}
    for k in range(size.pooled):
        drawn = pool.draw(np.random.default_rng(seed_of("curves", pool.name, n, k)), n)
        seed = seed_of("draws", "curves", pool.name, n, k)
        found = _ends(drawn, n, resamples=size.pooled_resamples, seed=seed)
        for curve, (low, high) in found.items():
            held[curve] += (low <= truth[curve]) & (truth[curve] <= high)
    figures = {curve: _figures(100 * held[curve] / size.pooled, truth[curve]) for curve in CURVES}
    return {"pool": pool.name, "n": n, "samples": size.pooled, **figures}


def _figures(percent: FloatArray, truth: FloatArray) -> dict[str, float]:
    """Return the coverage of the points that are counted, and of the area."""
    low, high = INSIDE
    points, value = percent[:-1], truth[:-1]
    # At its ends a curve is fixed, or hangs on a single document.
    counted = np.flatnonzero((value > low) & (value < high))
    counted = counted[(counted > 0) & (counted < len(value) - 1)]
    lowest = counted[points[counted].argmin()]
    return {
        "mean": float(points[counted].mean()),
        "lowest": float(points[lowest]),
        "lowest at": float(statistics.GRID[lowest]),
        "truth there": float(value[lowest]),
        "highest": float(points[counted].max()),
        "area": float(percent[-1]),
    }


@cache
def _true_curves(pool: Pool) -> dict[str, FloatArray]:
    drawn = pool.draw(np.random.default_rng(seed_of("true curves", pool.name)), TRUE_QUERIES)
    found = _found(drawn, TRUE_QUERIES, resamples=1, seed=0)._asdict()
    return {curve: np.append(banded.value, banded.area) for curve, banded in found.items()}


def _ends(
    drawn: Documents, n: int, *, resamples: int, seed: int
) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Return the ends of both curves, those of the area last."""
    found: dict[str, BandedCurve] = _found(drawn, n, resamples=resamples, seed=seed)._asdict()
    return {
        curve: (np.append(banded.low, banded.area_low), np.append(banded.high, banded.area_high))
        for curve, banded in found.items()
    }


def _found(drawn: Documents, n: int, *, resamples: int, seed: int) -> statistics.OperatingCurves:
    return statistics.operating_curves(
        drawn.queries,
        drawn.relevant,
        drawn.scores,
        drawn.structure.n_queries or n,
        confidence=CONFIDENCE,
        resamples=resamples,
        seed=seed,
        structure=drawn.structure,
    )
