"""Queries that are clustered or weighted, and the error of ignoring it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rankreport import statistics
from rankreport.statistics import Sample, Structure

from .plan import ALPHA, CONFIDENCE, EXACT_LIMIT, Size, seed_of

FloatArray = NDArray[np.float64]

CHUNK: Final = 100
"""Samples that share one set of cluster sizes."""
MEAN_SIZE: Final = 6.7
"""Queries of a cluster on average; the numbers are geometric."""


@dataclass(frozen=True)
class Design:
    """Clustered queries and their differences, whose true mean is zero.

    ``draw`` gives the structure and the differences, queries down and as many samples across as
    asked for.
    """

    name: str
    words: str
    draw: Callable[[Generator, int], tuple[Structure, FloatArray]]


def clustered(clusters: int, correlation: float) -> Design:
    """Return a design of users whose queries resemble each other."""

    def draw(rng: Generator, samples: int) -> tuple[Structure, FloatArray]:
        sizes = rng.geometric(1 / MEAN_SIZE, clusters)
        cluster = np.repeat(np.arange(clusters), sizes)
        shared = rng.normal(0.0, np.sqrt(correlation), (clusters, samples))[cluster]
        own = rng.normal(0.0, np.sqrt(1 - correlation), (len(cluster), samples))
        return Structure(clusters=cluster), shared + own

    words = f"{clusters} clusters, correlation {correlation} within"
    return Design(f"clusters {clusters}, {correlation}", words, draw)


def weighted(n: int) -> Design:
    """Return a design of queries that are asked ever more seldom."""

    def draw(rng: Generator, samples: int) -> tuple[Structure, FloatArray]:
        return Structure(weights=1 / np.arange(1.0, n + 1)), rng.normal(size=(n, samples))

    return Design(f"weights {n}", f"{n} queries of weight 1, 1/2, 1/3, ...", draw)


def stratified(n: int) -> Design:
    """Return a design of four kinds of queries, as many of each, that differ in their means."""

    def draw(rng: Generator, samples: int) -> tuple[Structure, FloatArray]:
        stratum = np.repeat(np.arange(4), n // 4)
        return Structure(strata=stratum), rng.normal(size=(n, samples)) + (stratum - 1.5)[:, None]

    return Design(f"strata {n}", f"{n} queries, 4 strata, means 1 apart", draw)


DESIGNS: Final = (
    clustered(20, 0.3),
    clustered(50, 0.3),
    clustered(200, 0.3),
    clustered(50, 0.05),
    weighted(50),
    weighted(200),
    weighted(1000),
    stratified(40),
    stratified(200),
)
INTERVALS: Final = ("auto", "t", "percentile", "bca")


def measured(size: Size, design: Design) -> dict[str, Any]:
    """Return how often each interval holds the mean, and the test rejects it, in percent."""
    chunks = [_chunk(size, design, k) for k in range(size.structured // CHUNK)]
    means = {what: 100 * float(np.mean([chunk[what] for chunk in chunks])) for what in chunks[0]}
    return {"design": design.name, "samples": len(chunks) * CHUNK, **means}


def _chunk(size: Size, design: Design, k: int) -> dict[str, float]:
    rng = np.random.default_rng(seed_of("structure", design.name, k))
    draws = {"resamples": size.resamples, "seed": seed_of("draws", design.name, k)}
    structure, values = design.draw(rng, CHUNK)
    sample = Sample.of(values, structure)
    replicates = statistics.replicate_means(sample, **draws)
    kinds = [kind for kind in INTERVALS if kind != "bca" or structure.weights is None]
    held = {kind: statistics.interval(kind, sample, replicates, CONFIDENCE) for kind in kinds}
    held["t ignoring it"] = statistics.interval("t", values, confidence=CONFIDENCE)
    p_values = statistics.p_values("sign-flip", sample, exact_limit=EXACT_LIMIT, **draws)
    ignoring = statistics.p_values("sign-flip", values, exact_limit=EXACT_LIMIT, **draws)
    return {
        **{kind: float(((low <= 0) & (high >= 0)).mean()) for kind, (low, high) in held.items()},
        "sign-flip": float((p_values <= ALPHA).mean()),
        "sign-flip ignoring it": float((ignoring <= ALPHA).mean()),
    }
