"""Study how often the ranks of a leaderboard are wrong, and what that costs.

    python benchmarks/rank_study.py [--samples 1000] [--write]

With `--write` the claims go to benchmarks/studies/claims.md with their worst cells, and all cells
to benchmarks/studies/ranks.md; otherwise both texts are printed.

Scores are bounded, tied or skewed, and never normal. `counted` takes any population of scores whose
systems stand in a known order.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from textwrap import fill
from typing import Final, NamedTuple

import numpy as np
from docs_section import publish
from numpy.typing import NDArray

from rankreport import statistics

FloatArray = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, FloatArray], FloatArray]
"""Scores of so many queries, of systems that stand by these levels, from 0 to 1."""

SYSTEMS: Final = (3, 10, 30, 100)
QUERIES: Final = (50, 200, 1_000)
SMALLER: Final = {30: 2, 100: 5}
"""By how much fewer samples there are of many systems."""
APART: Final = 5
"""And of systems whose means differ, which are seldom told apart the wrong way."""
CONFIDENCE: Final = 0.95
RESAMPLES: Final = 499
SEED: Final = 40_260
HEADING: Final = "## Ranks: how often they are wrong\n"


def beta(rng: np.random.Generator, n: int, levels: FloatArray) -> FloatArray:
    """Return bounded scores that share how difficult a query is; levels add up to 0.2."""
    hard, own = rng.beta(2, 2, (n, 1)), rng.beta(1.5, 3, (n, len(levels)))
    scores: FloatArray = 0.35 * hard + 0.45 * own + 0.2 * levels
    return scores


def reciprocal(rng: np.random.Generator, n: int, levels: FloatArray) -> FloatArray:
    """Return reciprocal ranks up to 10 of geometric ranks; a better system misses fewer queries."""
    chance = rng.uniform(0.2, 0.9, (n, 1))
    ranks = rng.geometric(np.broadcast_to(chance, (n, len(levels))))
    kept = rng.random(ranks.shape) < 0.7 + 0.3 * levels
    return np.where((ranks <= 10) & kept, 1 / ranks, 0.0)


def skewed(rng: np.random.Generator, n: int, levels: FloatArray) -> FloatArray:
    """Return scores of variants of one system: each loses a little on 18 % and wins 0.4 on 2 %.

    A better one wins up to half more.
    """
    shape = (n, len(levels))
    kind = rng.random(shape)
    change = np.where(kind < 0.18, -0.4 / 9, np.where(kind < 0.2, 0.4 + 0.2 * levels, 0.0))
    scores: FloatArray = rng.uniform(0.1, 0.4, (n, 1)) + change
    return scores


def failing(win: float) -> Draw:
    """Draw scores of which those of systems at 1 are lower by 0.9 on 1 % of their queries.

    They win a little on all queries.
    """

    def draw(rng: np.random.Generator, n: int, levels: FloatArray) -> FloatArray:
        shape = (n, len(levels))
        lost = (rng.random(shape) < 0.01) & (levels > 0)
        return 0.95 + rng.uniform(-0.03, 0.03, shape) + win * levels - 0.9 * lost

    return draw


def equal(k: int) -> FloatArray:
    """Return the levels of equal systems."""
    return np.zeros(k)


def near(k: int) -> FloatArray:
    """Return levels of systems that hardly differ."""
    return np.linspace(0, 0.15, k)


def spread(k: int) -> FloatArray:
    """Return levels far apart."""
    return np.linspace(0, 1, k)


def half(k: int) -> FloatArray:
    """Return the levels 0 and 1 in turn."""
    return np.arange(k) % 2.0


class Population(NamedTuple):
    """Scores of systems.

    Attributes
    ----------
    name
        Its name in tables.
    draw
        How scores are drawn.
    levels
        The levels of so many systems.
    means
        Numbers that are ordered as the true means, of levels.
    """

    name: str
    draw: Draw
    levels: Callable[[int], FloatArray]
    means: Callable[[FloatArray], FloatArray] = lambda levels: levels

    @property
    def is_hard(self) -> bool:
        """Whether means are equal, or failures are rare."""
        return self.levels in {equal, half}


POPULATIONS: Final = (
    *(
        Population(f"{kind}, {how}", draw, levels)
        for kind, draw in {"bounded": beta, "RR@10": reciprocal, "skewed": skewed}.items()
        for how, levels in {"equal": equal, "near": near, "spread": spread}.items()
    ),
    Population("half fail rarely, equal", failing(0.009), half, np.zeros_like),
    Population("half fail rarely, worse", failing(0.005), half, np.negative),
)

METHODS: Final = ("ranks", "max-t", "Bonferroni")


class Cell(NamedTuple):
    """What was counted of a population, by method, in shares of samples or pairs.

    Attributes
    ----------
    n_samples
        How many samples there were.
    wrong
        Samples in which the ranks of any system do not hold its true ones.
    separated
        Pairs of systems with different means that are told apart.
    best
        Samples in which the true best may be the best.
    n_best
        The mean share of the systems that may be the best.
    """

    n_samples: int
    wrong: dict[str, float]
    separated: dict[str, float]
    best: dict[str, float]
    n_best: dict[str, float]


def better_by(scores: FloatArray, seed: int) -> dict[str, NDArray[np.int8]]:
    """Return by method what is established of every two systems: 1 if the first is better.

    As `rankreport.leaderboard` finds it; ranks allow for rare failures, max-t does not.
    """
    first, other = np.triu_indices(scores.shape[1], 1)
    sample = statistics.Sample.of(scores[:, first] - scores[:, other])
    drawn = statistics.replicate_means(scores, resamples=RESAMPLES, seed=seed)
    pieces = (part[:, first] - part[:, other] for part in np.array_split(drawn, 16))
    n_tests = len(first)
    greatest = statistics.greatest_distances(sample, pieces, n_tests=n_tests)
    level = float(statistics.level_of_greatest(greatest, CONFIDENCE, n_tests=n_tests)[0])
    enough = statistics.takes_part(sample)
    of_each = statistics.level_of_each("bonferroni", CONFIDENCE, n_tests)

    def of_pairs() -> FloatArray:
        return drawn[:, first] - drawn[:, other]

    own, wider = (statistics.interval("auto", sample, of_pairs, of) for of in (level, of_each))
    deciding = statistics.deciding_interval(sample, own, np.ones(n_tests), level, simultaneous=True)
    found = {"ranks": deciding, "max-t": own, "Bonferroni": wider}
    return {
        name: (enough & (ends.low > 0)).astype(np.int8) - (enough & (ends.high < 0))
        for name, ends in found.items()
    }


def ranks(signs: NDArray[np.int8], k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the highest and the lowest rank that signs of every two systems leave open."""
    first, other = np.triu_indices(k, 1)
    above = np.bincount(other[signs > 0], minlength=k) + np.bincount(first[signs < 0], minlength=k)
    below = np.bincount(first[signs > 0], minlength=k) + np.bincount(other[signs < 0], minlength=k)
    return 1 + above, k - below


def counted(
    population: Population, k: int, n: int, samples: Iterable[int]
) -> dict[str, FloatArray]:
    """Count what `Cell` has of some samples, by method; each sample has a seed of its own."""
    levels = population.levels(k)
    means = population.means(levels)
    first, other = np.triu_indices(k, 1)
    truth = np.sign(means[first] - means[other]).astype(np.int8)
    true_ranks = ranks(truth, k)
    is_best = means == means.max()
    counts = {name: np.zeros(4) for name in METHODS}
    for at in samples:
        rng = np.random.default_rng([SEED, k, n, at, *population.name.encode()])
        found = better_by(population.draw(rng, n, levels), seed=at)
        for name, signs in found.items():
            highest, lowest = ranks(signs, k)
            misses = (highest > true_ranks[0]) | (lowest < true_ranks[1])
            apart = (signs == truth)[truth != 0]
            counts[name] += (
                misses.any(),
                apart.mean() if len(apart) else 0.0,
                (highest == 1)[is_best].all(),
                (highest == 1).mean(),
            )
    return counts


def cell_of(counts: dict[str, FloatArray], n_samples: int) -> Cell:
    """Return the shares of what was counted in so many samples."""
    shares = {name: each / n_samples for name, each in counts.items()}
    return Cell(
        n_samples, *({name: float(each[i]) for name, each in shares.items()} for i in range(4))
    )


Cells = dict[tuple[int, int, int], Cell]
"""By population, systems and queries."""


def study(n_samples: int) -> Cells:
    """Count everything."""
    places = list(product(range(len(POPULATIONS)), SYSTEMS, QUERIES))
    found = {}
    for at, k, n in places:
        size = size_of(POPULATIONS[at], k, n_samples)
        found[at, k, n] = cell_of(counted(POPULATIONS[at], k, n, range(size)), size)
    return found


def size_of(population: Population, k: int, n_samples: int) -> int:
    """Return how many samples there are of a population."""
    return n_samples // SMALLER.get(k, 1) // (1 if population.is_hard else APART)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _worst(cells: Cells, method: str, names: Iterable[str] = ()) -> str:
    """Return the cell in which ranks are wrong most often, in words."""
    known = {
        place: each
        for place, each in cells.items()
        if not names or POPULATIONS[place[0]].name in names
    }
    (at, k, n), worst = max(known.items(), key=lambda item: item[1].wrong[method])
    share = worst.wrong[method]
    error = np.sqrt(max(share, 1e-4) * (1 - share) / worst.n_samples)
    return (
        f"{_percent(share)} % (standard error {_percent(float(error))}; "
        f"*{POPULATIONS[at].name}*, {k} systems, {n:,} queries)"
    )


def _n_held(cells: Cells) -> int:
    """Return in how many cells the ranks hold in 95 % of the samples, less two standard errors."""
    wrong = np.array([each.wrong["ranks"] for each in cells.values()])
    sizes = np.array([each.n_samples for each in cells.values()])
    return int((wrong <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / sizes)).sum())


RARE: Final = tuple(each.name for each in POPULATIONS if "rarely" in each.name)
OTHERS: Final = tuple(each.name for each in POPULATIONS if "rarely" not in each.name)


def page(cells: Cells) -> Iterator[str]:
    """Yield the lines of the section: the claims, with their worst cells."""
    sizes = [each.n_samples for each in cells.values()]
    one_best = [each for (at, k, _), each in cells.items() if _has_one_best(POPULATIONS[at], k)]
    missed = max(1 - each.best["max-t"] for each in one_best)
    shares = [each.n_best["max-t"] for each in one_best]
    rows = {name: (_worst(cells, name, RARE), _worst(cells, name, OTHERS)) for name in METHODS}
    yield from (
        fill(
            f"The ranks of all systems should hold at once in 95 % of samples. Less two standard "
            f"errors, they did in {_n_held(cells)} of {len(cells)} cells: {min(sizes)} to "
            f"{max(sizes):,} samples each of {SYSTEMS[0]} to {SYSTEMS[-1]} systems and "
            f"{QUERIES[0]} to {QUERIES[-1]:,} queries, with bounded scores, reciprocal ranks and "
            f"skewed changes of one system, whose means are equal, near or spread, and with "
            f"systems of which half fail on 1 % of the queries. The worst cells:",
            _WIDTH,
        ),
        "",
        "| ranks by | wrong where half fail rarely | wrong elsewhere |",
        "|---|---|---|",
        *(f"| {WORDS[name]} | {rare} | {others} |" for name, (rare, others) in rows.items()),
        "",
        fill(
            "The price is [the pairs of systems that are told "
            "apart](ranks.md): with 50 queries and many systems few are, as "
            "failures on several percent of all queries may be missing.",
            _WIDTH,
        ),
        "",
        fill(
            f"The system that is truly the best `may_be_best` by max-t alone, as verdicts on all "
            f"pairs go, in all but at most {_percent(missed)} % of the samples of a cell, together "
            f"with others: {_percent(min(shares))} to {_percent(max(shares))} % of all systems "
            f"may be. On the same data, ranks by max-t alone are those of `csranks` in R "
            f"(`stepdown = FALSE`), also of its PISA example. `benchmarks/rank_study.py` writes "
            f"this section; all cells are in "
            f"[benchmarks/studies/ranks.md](ranks.md).",
            _WIDTH,
        ),
        "",
        fill(
            "Not tried: clusters, weights and strata; other intervals than `auto`; more than 100 "
            "systems; fewer than 50 queries; queries that are no random sample; real systems.",
            _WIDTH,
        ),
    )


_WIDTH: Final = 118


WORDS: Final = {
    "ranks": "max-t and rare failures (the ranks)",
    "max-t": "max-t alone",
    "Bonferroni": "Bonferroni alone",
}


def _has_one_best(population: Population, k: int) -> bool:
    means = population.means(population.levels(k))
    return int((means == means.max()).sum()) == 1


def _price(cells: Cells) -> Iterator[str]:
    """Yield the rows of the pairs told apart, over the populations whose means are spread."""
    for k, n in product(SYSTEMS, QUERIES):
        among = [
            cells[at, k, n]
            for at, each in enumerate(POPULATIONS)
            if each.levels is spread and (at, k, n) in cells
        ]
        if among:
            shown = (np.mean([each.separated[name] for each in among]) for name in METHODS)
            yield f"| {k}, {n:,} | " + " | ".join(_percent(float(each)) for each in shown) + " |"


def tables(cells: Cells) -> Iterator[str]:
    """Yield the lines of the table of all cells."""
    yield from (
        "# How often ranks are wrong: all cells",
        "",
        "Written by `benchmarks/rank_study.py`; what follows from them is in",
        "[docs/comparison.md](../../docs/comparison.md#how-often-ranks-are-wrong). Percentages by",
        f"{'; '.join(WORDS[name] for name in METHODS)}. *wrong*: samples in which the ranks",
        "of any system miss a true one; *apart*: pairs with different means that are told apart;",
        "*best*: samples in which the best systems may be the best; *may be*: systems that may be.",
        f"{RESAMPLES} resamples; seed {SEED}.",
        "",
        "Pairs told apart where means are spread, in percent:",
        "",
        "| systems, queries | " + " | ".join(WORDS[name] for name in METHODS) + " |",
        "|---|" + "---:|" * len(METHODS),
        *_price(cells),
        "",
        "| population | systems | queries | samples | wrong | apart | best | may be |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    )
    for (at, k, n), each in cells.items():
        shown = (
            " / ".join(_percent(float(of[name])) for name in METHODS)
            for of in (each.wrong, each.separated, each.best, each.n_best)
        )
        yield f"| {POPULATIONS[at].name} | {k} | {n:,} | {each.n_samples:,} | {' | '.join(shown)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the study, and print or write what it found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=1_000)
    parser.add_argument("--write", action="store_true", help="to the files, instead of printing")
    given = parser.parse_args(arguments)
    found = study(given.samples)
    publish(
        "\n".join(page(found)) + "\n", "benchmarks/studies/claims.md", HEADING, write=given.write
    )
    publish("\n".join(tables(found)) + "\n", "benchmarks/studies/ranks.md", write=given.write)


if __name__ == "__main__":
    main()
