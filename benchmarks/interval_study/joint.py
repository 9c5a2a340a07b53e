"""Simultaneous intervals of several systems: how often any of them misses, and what they find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rankreport import statistics

from .families import EFFECT
from .plan import CONFIDENCE, ONE_SIDED, Size, seed_of
from .populations import SKEWED

FloatArray = NDArray[np.float64]

CORRECTIONS: Final = ("max-t", "holm")
"""Max-t's level, and Bonferroni's."""

COLUMNS: Final = 1_000
"""Differences computed at a time, side by side as columns."""


@dataclass(frozen=True)
class Design:
    """Differences corrected together, all of mean 0.

    ``draw`` gives them in the shape ``(queries, differences, samples)``: those of one query in one
    sample are correlated.
    """

    name: str
    words: str
    n_differences: int
    draw: Callable[[Generator, tuple[int, int]], FloatArray]


def _normal(rng: Generator, n: int, systems: int, samples: int) -> FloatArray:
    return rng.normal(size=(n, systems, samples)) - rng.normal(size=(n, 1, samples))


def _independent(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    n, samples = shape
    return _normal(rng, n, 10, samples)


def _alike(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    n, samples = shape
    return rng.normal(size=(n, 1, samples)) + 0.2 * rng.normal(size=(n, 10, samples))


def _ties(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    n, samples = shape
    return np.where(rng.random((n, 10, samples)) < 0.4, _normal(rng, n, 10, samples), 0.0)


def _six_sparse(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    n, samples = shape
    share = np.where(np.arange(10) < 6, 0.1, 1.0)[:, np.newaxis]
    return np.where(rng.random((n, 10, samples)) < share, _normal(rng, n, 10, samples), 0.0)


def _skewed(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    n, samples = shape
    own = SKEWED(rng, (n, 10 * samples)).reshape(n, 10, samples)
    shared = SKEWED(rng, (n, samples))[:, np.newaxis]
    return np.where(rng.random((n, 10, samples)) < 0.5, shared, own)


def _pairs(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    n, samples = shape
    scores = rng.normal(size=(n, 12, samples))
    one, other = np.array(list(combinations(range(12), 2))).T
    return scores[:, one] - scores[:, other]


DESIGNS: Final = (
    Design("10 systems", "normal scores, those of the baseline shared", 10, _independent),
    Design("10 variants", "equal but for a fifth of what they change", 10, _alike),
    Design("10 with ties", "each changes 40 % of the queries", 10, _ties),
    Design("10, six sparse", "six change 10 % of the queries, four all", 10, _six_sparse),
    Design("10, skewed", "80 % ties, small losses, rare big wins, half of it shared", 10, _skewed),
    Design("66 pairs", "of 12 systems with normal scores", 66, _pairs),
)


def measured(size: Size, design: Design, n: int) -> dict[str, Any]:
    """Return errors of all intervals together, widths and what is found, in percent."""
    at_once = max(1, COLUMNS // design.n_differences)
    chunks = [_chunk(size, design, n, at_once, k) for k in range(-(-size.families // at_once))]
    means = {what: float(np.mean([chunk[what] for chunk in chunks])) for what in chunks[0]}
    samples = len(chunks) * at_once
    return {"design": design.name, "n": n, "samples": samples, **means}


def _chunk(size: Size, design: Design, n: int, samples: int, k: int) -> dict[str, float]:
    rng = np.random.default_rng(seed_of("joint", design.name, n, k))
    draws = {"resamples": size.resamples, "seed": seed_of("draws", design.name, n, k)}
    null = design.draw(rng, (n, samples))
    error = np.sqrt((null[:, -1] ** 2).mean() / n)
    one_true = null.copy()
    changed = np.where(null[:, -1] != 0, 1.0, 0.0)
    one_true[:, -1] += EFFECT * error * changed / changed.mean()
    found = dict(_intervals(null.reshape(n, -1), design, draws))
    return found | _power(one_true.reshape(n, -1), design, draws)


def _intervals(null: FloatArray, design: Design, draws: dict[str, int]) -> dict[str, float]:
    replicates = statistics.replicate_means(null, **draws)
    figures = {}
    widths = {}
    for correction in CORRECTIONS:
        for level in (CONFIDENCE, ONE_SIDED):
            low, high = _ends(correction, null, replicates, level, design)
            # Without an interval nothing is claimed.
            wrong = ((low > 0) | (high < 0)).reshape(design.n_differences, -1)
            figures[f"{correction} {level}"] = 100 * wrong.any(axis=0).mean()
            if level == CONFIDENCE:
                widths[correction] = high - low
    figures["width"] = 100 * float(np.nanmean(widths["max-t"] / widths["holm"]))
    return figures


def _power(one_true: FloatArray, design: Design, draws: dict[str, int]) -> dict[str, float]:
    replicates = statistics.replicate_means(one_true, **draws)
    figures = {}
    for correction in CORRECTIONS:
        low, _ = _ends(correction, one_true, replicates, CONFIDENCE, design)
        last = low.reshape(design.n_differences, -1)[-1]
        figures[f"{correction} found"] = 100 * float((last > 0).mean())
    return figures


def _ends(
    correction: str, values: FloatArray, replicates: FloatArray, level: float, design: Design
) -> statistics.Interval:
    return statistics.simultaneous_interval(
        correction, "auto", values, replicates, level, n_tests=design.n_differences
    )
