"""One population at one number of queries: draw, compute, compare with the truth, count."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankreport import statistics

from .plan import ALPHA, CONFIDENCE, EDGES, EXACT_LIMIT, INTERVALS, ONE_SIDED, TESTS, Size, seed_of
from .populations import Population

FloatArray = NDArray[np.float64]
Counts = Counter[tuple[str, int]]
"""How many samples something was true of, by what and by the place of their n_changed in EDGES."""

NULLS: Final = ("symmetric", "skewed")


def measured(size: Size, population: Population, n: int) -> dict[str, Any]:
    """Return what was counted over all samples of a population, ``n`` queries each."""
    samples = size.real if population.real else size.made
    counts: Counts = Counter()
    for k in range(samples // size.chunk):
        rng = np.random.default_rng(seed_of(population.name, n, k))
        draws = {"resamples": size.resamples, "seed": seed_of("draws", population.name, n, k)}
        shape = (n, size.chunk)
        counts += _covered(population.draw(rng, shape), population.mean, draws)
        counts += _rejected("symmetric", population.symmetric_null(rng, shape), draws)
        if population.skewed_null is not None:
            counts += _rejected("skewed", population.skewed_null(rng, shape), draws)
    by_change: dict[str, list[float]] = {}
    for (what, place), number in sorted(counts.items()):
        by_change.setdefault(what, [0] * len(EDGES))[place] = round(float(number), 3)
    return {"population": population.name, "real": population.real, "n": n, "counts": by_change}


def _covered(values: FloatArray, mean: float, draws: dict[str, int]) -> Counts:
    """Count the samples whose intervals hold the mean. No interval holds nothing."""
    counting = _Counting(values)
    counting.add("samples", np.ones(values.shape[1]))
    counting.add("changed", statistics.Sample.of(values).n_changed)
    replicates = statistics.replicate_means(values, **draws)
    ends = {kind: statistics.interval(kind, values, replicates, CONFIDENCE) for kind in INTERVALS}
    width_of_t = ends["t"].high - ends["t"].low
    made = ~np.isnan(width_of_t)
    counting.add("intervals", made)
    for kind, (low, high) in ends.items():
        counting.add(f"{kind} holds", (low <= mean) & (mean <= high))
        relative = np.divide(high - low, width_of_t, out=np.zeros_like(low), where=made)
        counting.add(f"{kind} width", relative)
    low, high = statistics.interval("auto", values, replicates, ONE_SIDED)
    counting.add("low end above", low > mean)
    counting.add("high end below", high < mean)
    return counting.counts


def _rejected(null: str, values: FloatArray, draws: dict[str, int]) -> Counts:
    """Count the samples in which each test finds a difference that is not there."""
    counting = _Counting(values)
    counting.add(f"{null} null", np.ones(values.shape[1]))
    for test in TESTS:
        p_values = statistics.p_values(test, values, exact_limit=EXACT_LIMIT, **draws)
        counting.add(f"{null} {test}", p_values <= ALPHA)
    return counting.counts


class _Counting:
    """Adds up over samples, those with few changed queries apart from those with many."""

    def __init__(self, values: FloatArray) -> None:
        n_changed = statistics.Sample.of(values).n_changed
        self.place = np.searchsorted(EDGES, n_changed, side="right") - 1
        self.counts: Counts = Counter()

    def add(self, what: str, figures: NDArray[Any]) -> None:
        sums = np.bincount(self.place, weights=figures.astype(np.float64), minlength=len(EDGES))
        for place in np.flatnonzero(np.bincount(self.place, minlength=len(EDGES))):
            self.counts[what, int(place)] += sums[place]
