"""Study how often kinds of query are found where there are none, and where there are some.

    python benchmarks/kind_study.py [--samples 1000] [--write]

Queries are made with texts, a category, a price and relevant documents, and split as
`Comparison.query_kinds` splits them. Differences are drawn independently of all that (`SHAPES`), or
so that their spread or skew alone depends on the category (`UNEVEN`), on a small one (`SMALL`), or
on the topic, whose queries stand together (`TOPICS`): nothing is to be found. Or a part of the
queries loses (`PLANTED`): a category, the queries with most words, those of the highest price.
With `--write` the claims go to benchmarks/studies/claims.md, and all
cells to benchmarks/studies/kinds.md; otherwise both texts are printed.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import polars as pl
from docs_section import publish
from numpy.typing import NDArray

import rankreport as rr
from rankreport.comparison.query_kinds import (
    SMALLEST_KIND,
    QueryKind,
    Split,
    kinds_among,
    splits_tried,
)
from rankreport.statistics import Draws, split_tests

Floats = NDArray[np.float64]
Shape = Callable[[np.random.Generator, int], Floats]

HEADING: Final = "## Kinds of query: how often they are found"
SEED: Final = 20_264
CONFIDENCE: Final = 0.95
RESAMPLES: Final = 1_000
COLLECTIONS: Final = 20
"""The number of collections of each size, whose queries are split only once."""
SIZES: Final = (60, 100, 200, 1_000, 5_000)
CLAIMED: Final = 6.5
DETECTED: Final = 80.0


def tied(share: float, others: Shape) -> Shape:
    """Replace a share by zeros: queries that nothing changed."""
    return lambda rng, n: np.where(rng.random(n) < share, 0.0, others(rng, n))


def normal(rng: np.random.Generator, n: int) -> Floats:
    """Draw differences with a standard deviation of 1."""
    return rng.normal(0, 1, n)


def _ranks(rng: np.random.Generator, n: int) -> Floats:
    return 1 / rng.integers(1, 11, n) - 1 / rng.integers(1, 11, n)


_VARIANCE: Final = np.var(1 / np.arange(1, 11))


def _rare(rng: np.random.Generator, n: int) -> Floats:
    return np.where(rng.random(n) < 0.02, -0.9, rng.normal(0.018, 0.03, n))


SHAPES: Final[dict[str, Shape]] = {
    "normal": normal,
    "t with 3 degrees of freedom": lambda rng, n: rng.standard_t(3, n),
    "60 % ties, others normal": tied(0.6, normal),
    "90 % ties, others normal": tied(0.9, normal),
    "differences of reciprocal ranks": _ranks,
    "70 % ties, differences of reciprocal ranks": tied(0.7, _ranks),
    "80 % ties, 2 % win 1, 18 % lose 0.1": tied(
        0.8, lambda rng, n: np.where(rng.random(n) < 0.1, 1.0, -0.1)
    ),
    "95 % ties, wins only": tied(0.95, lambda rng, n: rng.random(n)),
    "lognormal": lambda rng, n: rng.lognormal(0, 1, n),
    "2 % lose 0.9, others normal": _rare,
    "a tenth lose 1, a tenth win 1": lambda rng, n: rng.choice(
        [-1.0, 0.0, 1.0], n, p=[0.1, 0.8, 0.1]
    ),
    "mean of five grades": lambda rng, n: rng.integers(-2, 3, (n, 5)).mean(axis=1),
}
"""Differences that do not depend on the queries."""

UNEVEN: Final[dict[str, tuple[Shape, Shape]]] = {
    "spread of 0.4 there, 0.15 elsewhere": (
        lambda rng, n: rng.normal(0, 0.4, n),
        lambda rng, n: rng.normal(0, 0.15, n),
    ),
    "spread of 0.05 there, 0.25 elsewhere": (
        lambda rng, n: rng.normal(0, 0.05, n),
        lambda rng, n: rng.normal(0, 0.25, n),
    ),
    "no ties there, 80 % elsewhere": (normal, tied(0.8, normal)),
    "10 % lose 0.9 and others win 0.1 there": (
        lambda rng, n: np.where(rng.random(n) < 0.1, -0.9, 0.1),
        lambda rng, n: rng.normal(0, 0.2, n),
    ),
    "wins of 0.9 for 10 % and losses of 0.1 there": (
        lambda rng, n: np.where(rng.random(n) < 0.1, 0.9, -0.1),
        lambda rng, n: rng.normal(0, 0.2, n),
    ),
    "lognormal there": (
        lambda rng, n: (rng.lognormal(0, 1, n) - np.exp(0.5)) / 10,
        lambda rng, n: rng.normal(0, 0.2, n),
    ),
}
"""Differences with the mean 0 on a category and elsewhere, of which all else depends on it."""

SMALL: Final = {
    f"of 20 queries: {name}": UNEVEN[name]
    for name in ("spread of 0.4 there, 0.15 elsewhere", "10 % lose 0.9 and others win 0.1 there")
}
"""The same, where the category has 20 queries of any number."""

TOPICS: Final[dict[str, tuple[float, float]]] = {
    "eight topics, all alike": (0.2, 0.2),
    "eight topics, spread from 0.03 to 0.5": (0.03, 0.5),
}
"""The least and the greatest spread of the topics; the queries of a topic stand together."""


SPREADS: Final[dict[str, Shape]] = {
    "normal": normal,
    "half ties": tied(0.5, lambda rng, n: rng.normal(0, np.sqrt(2), n)),
    "differences of reciprocal ranks": lambda rng, n: _ranks(rng, n) / np.sqrt(2 * _VARIANCE),
    "skewed": lambda rng, n: (2 - rng.gamma(2, 1, n)) / np.sqrt(2),
}
"""Shapes of what is added to a planted loss, with a standard deviation of 1."""

Cell = tuple[int, float, float, float]
"""A number of queries, the size of the loss, the share of queries that lose, the spread."""

REQUIRED: Final[tuple[Cell, ...]] = (
    *((200, 0.2, 0.2, sd) for sd in (0.15, 0.2, 0.25)),
    *((200, 0.15, 0.2, sd) for sd in (0.15, 0.2)),
    *((400, 0.1, 0.2, sd) for sd in (0.15, 0.2)),
)
"""Those of which 80 % are to be found."""

MORE: Final[tuple[Cell, ...]] = (
    *((200, 0.15, 0.2, 0.25), (400, 0.1, 0.2, 0.25), (200, 0.1, 0.2, 0.2)),
    *((200, 0.2, 0.1, 0.25), (200, 0.2, 0.3, 0.25), (1_000, 0.1, 0.2, 0.25), (60, 0.3, 0.3, 0.25)),
)
"""Others, of which only a category loses, with normal differences."""

FEATURES: Final = {
    "A category": "category",
    "As many words or more": "number of words in the query",
    "The highest prices": "price",
    "Most words, equal numbers at random": "number of words in the query",
}
"""What loses, and its feature. The last is no kind: it divides queries with as many words."""

PLANTED: Final = {
    ("A category", "normal"): (*REQUIRED, *MORE),
    **{("A category", spread): REQUIRED for spread in SPREADS if spread != "normal"},
    **{(what, "normal"): REQUIRED for what in FEATURES if what != "A category"},
    **{("The highest prices", spread): REQUIRED for spread in ("half ties", "skewed")},
}
"""What loses, and the shape of what is added: the cells."""


class Made(NamedTuple):
    """Queries: their splits, the parts that may lose, and their topics.

    `share` of the queries are of each part: of "As many words or more" the nearest share.
    """

    splits: list[Split]
    parts: dict[str, NDArray[np.bool_]]
    topics: NDArray[np.int64]

    @property
    def rare(self) -> NDArray[np.bool_]:
        """The queries of one category."""
        return self.parts["A category"]


@cache
def queries_of(n: int, share: float, number: int, *, of_topics: bool = False) -> Made:
    """Make queries and return how they are split: by a category, or by topics."""
    rng = np.random.default_rng([SEED, n, int(1_000 * share), number])
    words = np.array([f"word{at}" for at in range(max(200, n))])
    lengths = rng.poisson(3, n) + 1
    frequent = rng.zipf(1.3, (n, lengths.max())) % len(words)
    starts = rng.choice(["", "how ", "24 "], n, p=[0.7, 0.15, 0.15])
    texts = [
        start + " ".join(words[row[:length]])
        for start, row, length in zip(starts, frequent, lengths, strict=True)
    ]
    rare = np.zeros(n, dtype=bool)
    rare[rng.permutation(n)[: round(share * n)]] = True
    others = rng.choice(["shop", "help", "news"], n, p=[0.5, 0.3, 0.2])
    n_words = np.array([len(text.split()) for text in texts])
    least = min(np.unique(n_words), key=lambda k: abs((n_words >= k).mean() - share))
    price = rng.lognormal(3, 1, n)
    parts = {
        "A category": rare,
        "As many words or more": n_words >= least,
        "The highest prices": _highest(price, share),
        "Most words, equal numbers at random": _highest(n_words + rng.random(n), share),
    }
    topics = np.arange(n) * min(8, n // SMALLEST_KIND) // n
    ids = [f"q{at:04}" for at in range(n)]
    table = pl.DataFrame(
        {
            "query_id": ids,
            "text": texts,
            "category": topics.astype(str) if of_topics else np.where(rare, "rare", others),
            "price": price,
        }
    )
    n_relevant = rng.geometric(0.3, n)
    qrels = {
        query: {f"d{at}": 1 for at in range(k)} for query, k in zip(ids, n_relevant, strict=True)
    }
    run = {query: {"d0": 1.0} for query in ids}
    comparison = rr.compare(qrels, {"old": run, "new": run}, "RR", queries=table)
    (pair,) = comparison.pairs
    known = np.ones(n, dtype=bool)
    metadata = comparison.query_metadata
    return Made(splits_tried(comparison, pair, metadata, None, known), parts, topics)


def _highest(values: Floats, share: float) -> NDArray[np.bool_]:
    """Return the share of the values that is the highest."""
    return values >= np.sort(values)[-round(share * len(values))]


def kinds_of(values: Floats, made: Made, seed: int) -> tuple[QueryKind, ...]:
    """Return the kinds that were tried for differences of the queries, or none if none differs."""
    parts = np.column_stack([each.inside for each in made.splits])
    if split_tests(values, parts, resamples=RESAMPLES, seed=seed).p_adjusted.min() > 1 - CONFIDENCE:
        return ()  # without intervals, which take longer
    return kinds_among(values, made.splits, Draws(RESAMPLES, seed), "auto", CONFIDENCE)


def samples_of(n: int, samples: int) -> int:
    """Return how many samples are drawn of data without kinds: of many queries, fewer."""
    return samples if n <= 1_000 else samples * 2 // 5


class Nulls(NamedTuple):
    """Shares of samples in per cent: any kind differs, one is called worse."""

    differs: float
    worse: float


def of_nulls(
    n: int,
    samples: int,
    draw: Callable[[np.random.Generator, Made], Floats],
    *,
    share: float | None = None,
    of_topics: bool = False,
) -> Nulls:
    """Count the samples in which any kind is found; a share of the queries are of the category."""
    found, rare = [], share or (0.2 if n >= 100 else 0.3)
    for sample in range(samples_of(n, samples)):
        made = queries_of(n, rare, sample % COLLECTIONS, of_topics=of_topics)
        kinds = kinds_of(draw(np.random.default_rng([SEED, n, sample]), made), made, sample)
        found.append((any(k.differs for k in kinds), any(k.is_worse for k in kinds)))
    differs, worse = np.mean(found, axis=0) * 100
    return Nulls(float(differs), float(worse))


def uneven(there: Shape, elsewhere: Shape) -> Callable[[np.random.Generator, Made], Floats]:
    """Draw differences from one shape in a category, and from another elsewhere."""

    def draw(rng: np.random.Generator, made: Made) -> Floats:
        n = len(made.rare)
        return np.where(made.rare, there(rng, n), elsewhere(rng, n))

    return draw


def by_topic(least: float, greatest: float) -> Callable[[np.random.Generator, Made], Floats]:
    """Draw normal differences, the spread of which goes from topic to topic."""

    def draw(rng: np.random.Generator, made: Made) -> Floats:
        spreads = np.geomspace(least, greatest, made.topics.max() + 1)
        return rng.normal(0, rng.permutation(spreads)[made.topics])

    return draw


class Detected(NamedTuple):
    """Shares of samples in per cent.

    The planted kind (its feature, with the lower mean inside) is found; it is called worse; it is
    the first one; of the kinds that differ, the interval holds the true mean.
    """

    found: float
    worse: float
    covered: float


def of_planted(cell: Cell, samples: int, spread: Shape, what: str) -> Detected:
    """Plant a loss, and count the samples in which it is found."""
    n, size, share, sd = cell
    found, covered = [], []
    for sample in range(samples):
        made = queries_of(n, share, sample % COLLECTIONS)
        rng = np.random.default_rng([SEED, n, sample, 1])
        loses, feature = made.parts[what], FEATURES[what]
        values = sd * spread(rng, n) - size * loses
        kinds = kinds_of(values, made, sample)
        own = [
            k for k in kinds if k.differs and k.feature == feature and k.delta < k.delta_elsewhere
        ]
        found.append((bool(own), any(k.is_worse for k in own)))
        truths = {split.kind: split.inside for split in made.splits}
        truths |= {split.others: ~split.inside for split in made.splits}
        for kind in kinds:
            if kind.differs and kind.ci_low is not None and kind.ci_high is not None:
                truth = -size * loses[truths[kind.kind]].mean()
                covered.append(kind.ci_low <= truth <= kind.ci_high)
    shares = np.mean(found, axis=0) * 100
    return Detected(*map(float, shares), float(np.mean(covered) * 100) if covered else np.nan)


class Found(NamedTuple):
    """All cells."""

    samples: int
    nulls: dict[str, list[Nulls]]
    uneven: dict[str, list[Nulls]]
    planted: dict[tuple[str, str], dict[Cell, Detected]]


def study(samples: int) -> Found:
    """Run the study."""

    def independent(shape: Shape) -> Callable[[np.random.Generator, Made], Floats]:
        return lambda rng, made: shape(rng, len(made.rare))

    nulls = {
        name: [of_nulls(n, samples, independent(shape)) for n in SIZES]
        for name, shape in SHAPES.items()
    }
    by_kind = {
        name: [of_nulls(n, samples, uneven(*shapes)) for n in SIZES]
        for name, shapes in UNEVEN.items()
    }
    by_kind |= {
        name: [of_nulls(n, samples, uneven(*shapes), share=20 / n) for n in SIZES]
        for name, shapes in SMALL.items()
    }
    by_kind |= {
        name: [of_nulls(n, samples, by_topic(*spreads), of_topics=True) for n in SIZES]
        for name, spreads in TOPICS.items()
    }
    planted = {
        (what, name): {cell: of_planted(cell, samples // 4, SPREADS[name], what) for cell in cells}
        for (what, name), cells in PLANTED.items()
    }
    return Found(samples, nulls, by_kind, planted)


def _error(share: float, samples: int) -> float:
    return float(np.sqrt(share * (100 - share) / samples))


def page(found: Found) -> Iterator[str]:
    """Yield the lines of the documentation."""
    nulls, of_uneven = (_worst(rows, found.samples) for rows in (found.nulls, found.uneven))
    every = [each for rows in (found.nulls, found.uneven) for row in rows.values() for each in row]
    worst = {
        what: min(
            (each.found, cell, spread)
            for (loses, spread), cells in found.planted.items()
            for cell, each in cells.items()
            if loses == what and cell in REQUIRED
        )
        for what in FEATURES
    }
    covered = [each.covered for of in found.planted.values() for each in of.values()]
    yield ""
    yield (
        f"Written by `benchmarks/kind_study.py`: {found.samples:,} samples a cell of data without "
        f"kinds (of more than 1,000 queries {samples_of(SIZES[-1], found.samples)}), "
        f"{found.samples // 4:,} of others. All cells: "
        "[benchmarks/studies/kinds.md](kinds.md)."
    )
    yield ""
    yield "| claim | target | worst cell |"
    yield "|---|---:|---:|"
    yield (
        f"| data without kinds in which one differs ({len(SHAPES)} shapes, {SIZES[0]} to "
        f"{SIZES[-1]:,} queries) | {CLAIMED} % | {nulls} |"
    )
    yield (
        "| the same where spread or skew depends on a category or on topics "
        f"({len(UNEVEN) + len(SMALL) + len(TOPICS)} ways) | {CLAIMED} % | {of_uneven} |"
    )
    yield f"| one is called worse, in both | | {max(each.worse for each in every):.1f} % |"
    for what, (least, (n, size, share, sd), spread) in worst.items():
        is_split = what != "Most words, equal numbers at random"
        yield (
            f"| what loses is found (1): {what[0].lower()}{what[1:]} | "
            f"{f'{DETECTED:.0f} %' if is_split else ''} | {least:.1f} % "
            f"({size} on {100 * share:.0f} % of {n}, spread {sd}, {spread}) |"
        )
    yield f"| intervals of kinds that differ hold the truth | 95 % | {min(covered):.1f} % |"
    yield ""
    yield (
        "(1) A loss of 0.2 on 20 % of 200 queries (spread up to 0.25), 0.15 (up to 0.2), 0.1 of "
        f"400 (up to 0.2), of {len(SPREADS)} shapes of spread. Queries with most words of which "
        "equal numbers are divided at random are no kind: no sentence on words names them, and "
        "where 0.1 of 400 is lost, no weighting of numbers of words finds them in 80 %."
    )
    yield ""
    yield (
        "Not tried: kinds by two features at once, losses that grow with a number, texts in other "
        "languages than English, queries that depend on each other."
    )


def _worst(rows: dict[str, list[Nulls]], samples: int) -> str:
    """Return the largest share in which any kind differs, its error, and the mean of all."""
    shares = [
        (each.differs, samples_of(n, samples))
        for row in rows.values()
        for n, each in zip(SIZES, row, strict=True)
    ]
    worst, drawn = max(shares)
    mean = np.mean([share for share, _ in shares])
    return f"{worst:.1f} % (standard error {_error(worst, drawn):.1f}); mean {mean:.1f} %"


def tables(found: Found) -> Iterator[str]:
    """Yield the lines of the tables of all cells."""
    yield "# How often kinds of query are found: all cells"
    yield ""
    yield "Written by `benchmarks/kind_study.py`; what follows from them is in"
    yield "[docs/comparison.md](../../docs/comparison.md)."
    for title, rows in (
        ("Differences that do not depend on the queries", found.nulls),
        ("Spread or skew depends on a category or topic, the mean does not", found.uneven),
    ):
        yield ""
        yield f"## {title}"
        yield ""
        yield (
            f"Percentage of {found.samples:,} samples (of more than 1,000 queries "
            f"{samples_of(SIZES[-1], found.samples)}) in which a kind differs / is called worse, "
            "by the number of queries."
        )
        yield ""
        yield f"| shape | {' | '.join(f'{n:,}' for n in SIZES)} |"
        yield f"|---|{'---:|' * len(SIZES)}"
        for name, row in rows.items():
            yield f"| {name} | {' | '.join(f'{c.differs:.1f} / {c.worse:.1f}' for c in row)} |"
    yield ""
    yield "## A part of the queries loses"
    yield ""
    yield (
        f"Percentage of {found.samples // 4:,} samples in which it is found / called worse; in "
        "brackets, of the kinds that differ, how many intervals hold the true mean."
    )
    for (what, name), cells in found.planted.items():
        yield ""
        yield f"### {what}, {name}"
        yield ""
        yield "| queries | loss | share | spread | found / called worse (intervals) |"
        yield f"|{'---:|' * 5}"
        for (n, size, share, sd), each in cells.items():
            shown = f"{each.found:.1f} / {each.worse:.1f} ({each.covered:.1f})"
            yield f"| {n:,} | {size} | {100 * share:.0f} % | {sd} | {shown} |"


def main() -> None:
    """Run the study, and print or write it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=1_000)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    found = study(given.samples)
    publish(
        "\n".join(page(found)) + "\n", "benchmarks/studies/claims.md", HEADING, write=given.write
    )
    publish("\n".join(tables(found)) + "\n", "benchmarks/studies/kinds.md", write=given.write)


if __name__ == "__main__":
    main()
