"""What is tried, fixed before any result was seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final
from zlib import crc32

SEED: Final = 20260
CONFIDENCE: Final = 0.95
ONE_SIDED: Final = 0.90
"""A two-sided 90 % interval has ends that are wrong 5 % of the time each: what a gate reads."""
ALPHA: Final = 0.05

INTERVALS: Final = ("auto", "t", "bca", "percentile")
TESTS: Final = ("sign-flip", "t", "bootstrap", "wilcoxon", "sign")
DEFAULT_TEST: Final = TESTS[0]

EXACT_LIMIT: Final = 24
"""Changed queries up to which all signs are tried. The package tries up to 36, which for thousands
of samples takes hours; beyond the limit signs are drawn, and the level of the test is the same."""

EDGES: Final = (0, 10, 20, 30, 50, 100)
"""Samples are counted apart by how many of their queries changed: from here to the next."""

LEAST_SAMPLES: Final = 500
"""Fewer samples than this in a band, and the cell says nothing of it."""

CHANCE: Final = 2.0
"""Standard errors by which a share may stray over the edge of a band before it counts as a miss."""

FAMILY: Final = 4
"""Systems tried against one baseline."""


@dataclass(frozen=True)
class Size:
    """How much is done.

    Attributes
    ----------
    queries
        The numbers of queries.
    made, real
        Samples of each cell, of the populations made by formula and of the real ones.
    resamples
        Bootstrap replicates, and drawn signs, of each sample.
    families
        Samples of all systems at once.
    family_queries
        The numbers of queries there.
    structured
        Samples of clustered queries.
    pooled
        Samples of documents, for the curves of each pool.
    pooled_queries
        The numbers of queries there.
    pooled_resamples
        Bootstrap replicates there; a report has as many.
    chunk
        Samples computed at a time, side by side as columns; part of the draws.
    """

    queries: tuple[int, ...] = (25, 50, 100, 200, 500, 1000)
    made: int = 8000
    real: int = 3000
    resamples: int = 1999
    families: int = 2000
    family_queries: tuple[int, ...] = (50, 200)
    structured: int = 4000
    pooled: int = 400
    pooled_queries: tuple[int, ...] = (25, 50, 100, 200, 500)
    pooled_resamples: int = 1000
    chunk: int = 500


FULL: Final = Size()
QUICK: Final = replace(
    FULL,
    queries=(25, 200),
    made=500,
    real=250,
    resamples=499,
    families=200,
    structured=500,
    pooled=50,
    pooled_queries=(25, 200),
    pooled_resamples=200,
    chunk=250,
)


@dataclass(frozen=True)
class Band:
    """What is claimed of the default interval, and of which samples.

    Attributes
    ----------
    title
        The samples in words.
    queries
        From this many queries to fewer than that many.
    n_changed
        At least this many of them changed.
    low, high
        The share of samples whose interval holds the truth, in percent.
    """

    title: str
    queries: tuple[int, float]
    n_changed: int
    low: float
    high: float


BANDS: Final = (
    Band("200 queries and more, 30 of them changed", (200, float("inf")), 30, 94.0, 97.0),
    Band("50 to 199 queries, 20 of them changed", (50, 200), 20, 92.0, 97.0),
)

MOST_REJECTED: Final = 6.5
"""Percent of true nulls that the default test rejects at 5 %, at most."""
LEAST_REJECTED: Final = 4.0
"""And at least, where so many queries changed: a test that never rejects is of no use."""
LEAST_REJECTED_FROM: Final = 20


def seed_of(*what: str | int) -> int:
    """Return a seed of its own for whatever is named, the same on every machine.

    >>> seed_of("normal", 50, 0) == seed_of("normal", 50, 0) != seed_of("normal", 50, 1)
    True
    """
    return crc32("/".join(map(str, (SEED, *what))).encode())
