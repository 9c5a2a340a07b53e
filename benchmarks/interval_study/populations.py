"""Differences made by a formula, whose mean is known, in the shapes that differences take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Draw = Callable[[Generator, tuple[int, int]], FloatArray]


@dataclass(frozen=True)
class Population:
    """Where samples come from.

    Attributes
    ----------
    name, words
        For the table, and for who wants to draw from it again.
    draw
        Independent differences, in the shape asked for: queries down, samples across.
    mean
        The truth.
    skewed_null
        The same shape with a mean of zero and yet not symmetric, where there is one.
    real
        Whether it was measured, not made.
    """

    name: str
    words: str
    draw: Draw
    mean: float
    skewed_null: Draw | None = None
    real: bool = False

    def symmetric_null(self, rng: Generator, shape: tuple[int, int]) -> FloatArray:
        """Draw differences of which either sign is as likely: nothing separates the systems."""
        return self.draw(rng, shape) * rng.choice([-1.0, 1.0], shape)


def mostly_zero(share: float, others: Draw) -> Draw:
    """Replace a share of what is drawn by zeros: queries that nothing changed."""

    def draw(rng: Generator, shape: tuple[int, int]) -> FloatArray:
        return np.where(rng.random(shape) < share, 0.0, others(rng, shape))

    return draw


def _small_losses_rare_big_wins(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    # A quarter wins 0.3 on average, the rest loses 0.1: they add up to nothing.
    won = rng.random(shape) < 0.25
    return np.where(won, rng.uniform(0.1, 0.5, shape), rng.uniform(-0.15, -0.05, shape))


RANKS: Final = np.array([1 / rank for rank in range(1, 11)])
FOUND: Final = np.append(0.8 * RANKS / RANKS.sum(), 0.2)
"""The first relevant document stands at rank 1 to 10, likelier above, or in one of five nowhere."""


def _reciprocal_ranks(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    # Both systems are from one distribution; the second differs where it was drawn again.
    scores = np.append(RANKS, 0.0)
    first = rng.choice(scores, shape, p=FOUND)
    second = np.where(rng.random(shape) < 0.75, first, rng.choice(scores, shape, p=FOUND))
    return second - first


def _normal(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.normal(size=shape)


def _students_t(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.standard_t(3, shape)


def _lognormal(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.lognormal(0.0, 1.0, shape)


def _centred_lognormal(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    return _lognormal(rng, shape) - LOGNORMAL_MEAN


LOGNORMAL_MEAN: Final = float(np.exp(0.5))
SKEWED: Final = mostly_zero(0.8, _small_losses_rare_big_wins)

MADE: Final = (
    Population("normal", "normal, nothing tied", _normal, 0.0),
    Population("60 % ties", "60 % zeros, the others normal", mostly_zero(0.6, _normal), 0.0),
    Population(
        "RR@10",
        "reciprocal ranks of two systems from one distribution, a quarter of the queries drawn "
        "again, 79 % zeros",
        _reciprocal_ranks,
        0.0,
    ),
    Population(
        "80 % ties, skewed",
        "80 % zeros, 15 % losses of 0.05 to 0.15, 5 % wins of 0.1 to 0.5, all uniform",
        SKEWED,
        0.0,
        skewed_null=SKEWED,
    ),
    Population(
        "95 % ties, wins only",
        "95 % zeros, 5 % wins of 0 to 1, uniform",
        mostly_zero(0.95, lambda rng, shape: rng.uniform(0.0, 1.0, shape)),
        0.025,
    ),
    Population(
        "heavy tails, 25 % ties",
        "25 % zeros, the others Student's t with 3 degrees of freedom",
        mostly_zero(0.25, _students_t),
        0.0,
    ),
    Population(
        "lognormal",
        "lognormal (0, 1), nothing tied; as a null, less its mean",
        _lognormal,
        LOGNORMAL_MEAN,
        skewed_null=_centred_lognormal,
    ),
)


def of_values(name: str, words: str, values: FloatArray) -> Population:
    """Make a population of the values at hand, drawn with replacement.

    Its skewed null keeps the queries that did not change, and makes wins larger or smaller until
    they add up to as much as the losses; where there are only wins or only losses, it has none.
    """

    def drawn_from(given: FloatArray) -> Draw:
        return lambda rng, shape: given[rng.integers(0, len(given), shape)]

    won, lost = values[values > 0].sum(), -values[values < 0].sum()
    balanced = np.where(values > 0, values * (lost / won), values) if won > 0 < lost else None
    if balanced is not None:
        words += f"; as a skewed null, wins times {lost / won:.3g}"
    return Population(
        name,
        words,
        drawn_from(values),
        float(values.mean()),
        skewed_null=None if balanced is None else drawn_from(balanced),
        real=True,
    )
