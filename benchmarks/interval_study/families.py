"""Several systems at once: how often any of them is found better or worse though none is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rankreport import statistics

from .plan import ALPHA, EXACT_LIMIT, FAMILY, Size, seed_of
from .populations import SKEWED

FloatArray = NDArray[np.float64]

METHODS: Final = (
    ("none", "sign-flip"),
    ("max-t", "sign-flip"),
    ("max-t", "bootstrap"),
    ("holm", "sign-flip"),
    ("bh", "sign-flip"),
)
"""A correction, and the test whose p-values it corrects."""

EFFECT: Final = 3.0
"""How far apart the last system truly is where the chance to find it is measured, in errors."""


@dataclass(frozen=True)
class Family:
    """A baseline and several systems, none of them better.

    ``draw`` gives differences of shape ``(queries, systems, samples)``: those of one query in one
    sample hang together, as they do where all systems meet one baseline.
    """

    name: str
    words: str
    draw: Callable[[Generator, tuple[int, int, int]], FloatArray]


def _normal(rng: Generator, shape: tuple[int, int, int]) -> FloatArray:
    n, _, samples = shape
    return rng.normal(size=shape) - rng.normal(size=(n, 1, samples))


def _changing(share: float) -> Callable[[Generator, tuple[int, int, int]], FloatArray]:
    def draw(rng: Generator, shape: tuple[int, int, int]) -> FloatArray:
        return np.where(rng.random(shape) < share, _normal(rng, shape), 0.0)

    return draw


def _skewed(rng: Generator, shape: tuple[int, int, int]) -> FloatArray:
    # Half of what befalls a system on a query befalls all of them.
    n, systems, samples = shape
    own = SKEWED(rng, (n, systems * samples)).reshape(shape)
    shared = SKEWED(rng, (n, samples))[:, np.newaxis]
    return np.where(rng.random(shape) < 0.5, shared, own)


FAMILIES: Final = (
    Family("normal", "normal scores, those of the baseline shared", _normal),
    Family("60 % ties", "each system changes 40 % of the queries", _changing(0.4)),
    Family("few changed", "each system changes 10 % of the queries", _changing(0.1)),
    Family("80 % ties, skewed", "as the population of that name, half of it shared", _skewed),
)


def measured(size: Size, family: Family, n: int) -> dict[str, Any]:
    """Return how often each method was wrong, and how often it found what is there, in percent."""
    chunks = [_chunk(size, family, n, k) for k in range(size.families // size.chunk)]
    means = {what: float(np.mean([chunk[what] for chunk in chunks])) for what in chunks[0]}
    return {"family": family.name, "n": n, "samples": len(chunks) * size.chunk, **means}


def _chunk(size: Size, family: Family, n: int, k: int) -> dict[str, float]:
    """Measure samples side by side: the columns of a system stand together."""
    rng = np.random.default_rng(seed_of("family", family.name, n, k))
    draws = {"resamples": size.resamples, "seed": seed_of("draws", family.name, n, k)}
    null = family.draw(rng, (n, FAMILY, size.chunk))
    # One true difference, measured in the errors that the system's differences have on average.
    error = np.sqrt((null[:, -1] ** 2).mean() / n)
    one_true = null.copy()
    changed = np.where(null[:, -1] != 0, 1.0, 0.0)
    one_true[:, -1] += EFFECT * error * changed / changed.mean()
    return dict(_errors(null.reshape(n, -1), draws)) | dict(_power(one_true.reshape(n, -1), draws))


def _errors(null: FloatArray, draws: dict[str, int]) -> Iterator[tuple[str, float]]:
    for correction, test in METHODS:
        rejected = _rejected(correction, test, null, draws)
        yield f"{correction} {test} any", 100 * rejected.any(axis=0).mean()


def _power(one_true: FloatArray, draws: dict[str, int]) -> Iterator[tuple[str, float]]:
    for correction, test in METHODS:
        rejected = _rejected(correction, test, one_true, draws)
        yield f"{correction} {test} found", 100 * rejected[-1].mean()
        yield f"{correction} {test} other", 100 * rejected[:-1].any(axis=0).mean()


def _rejected(
    correction: str, test: str, values: FloatArray, draws: dict[str, int]
) -> NDArray[np.bool_]:
    p_values = statistics.p_values(test, values, exact_limit=EXACT_LIMIT, **draws)
    adjusted = statistics.adjusted(correction, test, values, p_values, n_tests=FAMILY, **draws)
    return _by_system(adjusted <= ALPHA)


def _by_system(columns: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return columns.reshape(FAMILY, -1)
