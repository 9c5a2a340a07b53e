"""Study how often two systems that are the same differ, where each ran several times.

    python benchmarks/repeat_study.py [--samples 4000] [--write]

Systems are compared whose runs are draws of one population: whatever is found is wrong. Populations
are those of the model (`normal`), and others: scores that are the discounts of a rank, runs that
move with heavy tails, queries of which a few flip between 0 and 1 from run to run, and seeds of
which some fail (`BEYOND`), where two or three runs cannot know what they lack. With `--write` the
claims go to benchmarks/studies/claims.md, and all cells to benchmarks/studies/repeats.md;
otherwise both texts are printed.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from docs_section import publish
from numpy.typing import NDArray

from rankreport import statistics
from rankreport.statistics import RunVariance, Sample

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, Floats, int], Floats]
"""Draws the values of some runs of a system, (n_runs, n_queries, n_samples), given the queries."""

HEADING: Final = "## Repeated runs: how often the interval is wrong"
SEED: Final = 20_267
CONFIDENCE: Final = 0.95
RUNS: Final = (2, 3, 5)
SIZES: Final = (50, 200, 1_000)
AT_ONCE: Final = 250
CLAIMED: Final = 6.0


def normal(run: float, interaction: float, apart: float = 0.0) -> Draw:
    """Draw values of the model; systems differ query by query where they are `apart`."""

    def draw(rng: np.random.Generator, queries: Floats, n: int) -> Floats:
        runs = rng.normal(0, run, (n, 1, queries.shape[1]))
        system = queries + rng.normal(0, apart, queries.shape)
        return system + runs + rng.normal(0, interaction, (n, *queries.shape))

    return draw


def discounts(spread: float) -> Draw:
    """Draw reciprocal logarithms of ranks, which runs with heavy tails move up or down."""

    def draw(rng: np.random.Generator, queries: Floats, n: int) -> Floats:
        runs = spread * rng.standard_t(3, (n, 1, queries.shape[1]))
        moved = np.exp(1 + queries + runs + rng.normal(0, 0.3, (n, *queries.shape)))
        ranks = np.ceil(moved)
        return np.where(ranks <= 10, 1 / np.log2(1 + ranks), 0.0)

    return draw


def flipping(share: float, spread: float) -> Draw:
    """Draw 0 or 1, of which a share is drawn again in each run, by a rate of its own."""

    def draw(rng: np.random.Generator, queries: Floats, n: int) -> Floats:
        rates = np.clip(0.5 + rng.normal(0, spread, (n, 1, queries.shape[1])), 0, 1)
        again = rng.random((n, *queries.shape)) < share
        return np.where(again, rng.random((n, *queries.shape)) < rates, queries > 0).astype(float)

    return draw


def failing(share: float, loss: float) -> Draw:
    """Draw values of the model, from which a share of the runs lose."""
    usual = normal(0.005, 0.1)

    def draw(rng: np.random.Generator, queries: Floats, n: int) -> Floats:
        fails = rng.random((n, 1, queries.shape[1])) < share
        return usual(rng, queries, n) - loss * fails

    return draw


MODEL: Final[Mapping[str, Draw]] = {
    "runs 0": normal(0.0, 0.2),
    "runs 0.005": normal(0.005, 0.2),
    "runs 0.02": normal(0.02, 0.1),
    "runs 0.05": normal(0.05, 0.05),
    "runs 0.02, systems apart 0.2": normal(0.02, 0.1, 0.2),
}
OTHERS: Final[Mapping[str, Draw]] = {
    "discounts of ranks, little moved": discounts(0.02),
    "discounts of ranks, moved": discounts(0.1),
    "1 % flip": flipping(0.01, 0.1),
    "20 % flip, at rates of the run": flipping(0.2, 0.1),
}
BEYOND: Final[Mapping[str, Draw]] = {
    "one run in ten loses 0.05": failing(0.1, 0.05),
    "one run in three loses 0.05": failing(1 / 3, 0.05),
}


class Rates(NamedTuple):
    """How often something was found, in percent of the samples.

    Attributes
    ----------
    excluded
        The interval excludes 0.
    won
        The deciding interval, which allows for rare failures, excludes 0: one is called better.
    alone
        The interval of the queries alone, of these runs, excludes 0.
    """

    excluded: float
    won: float
    alone: float


def rates(draw: Draw, n: int, runs: int, samples: int, seed: int = SEED) -> Rates:
    """Return how often two systems of one population differ."""
    rng, found = np.random.default_rng([seed, n, runs]), np.zeros(3)
    for start in range(0, samples, AT_ONCE):
        queries = rng.normal(0, 0.3, (n, min(AT_ONCE, samples - start)))
        one, other = draw(rng, queries, runs), draw(rng, queries, runs)
        runs_of = {"one": one, "other": other}
        added = RunVariance.of_groups([["one", "other"]], runs_of, queries.shape[1])
        sample = Sample.of(one.mean(axis=0) - other.mean(axis=0))
        replicates = lambda sample=sample: statistics.replicate_means(  # noqa: E731
            sample, resamples=499, seed=0
        )
        own = statistics.interval("auto", sample, replicates, CONFIDENCE)
        whole = added.widened(own, sample, CONFIDENCE)
        deciding = statistics.deciding_interval(sample, whole, np.ones(1), CONFIDENCE)
        for at, ends in enumerate((whole, deciding, own)):
            found[at] += np.count_nonzero((ends.low > 0) | (ends.high < 0))
    return Rates(*(100 * found / samples))


def recovered(run: float, interaction: float, n: int, runs: int, samples: int) -> tuple[float, ...]:
    """Return the mean estimates of planted deviations: of runs, and of a query in a run."""
    rng = np.random.default_rng([SEED, n, runs, 1])
    values = normal(run, interaction)(rng, rng.normal(0, 0.3, (n, samples)), runs)
    found = RunVariance.of(values)
    of_runs = runs * (found.run - found.interaction).mean()
    return float(np.sqrt(max(of_runs, 0))), float(np.sqrt(n * runs * found.interaction.mean()))


class Found(NamedTuple):
    """The study: rates by population, number of runs and size; estimates of planted deviations."""

    samples: int
    rates: Mapping[tuple[str, int, int], Rates]
    recovered: Mapping[tuple[float, float, int], tuple[float, ...]]


def study(samples: int) -> Found:
    """Run the study."""
    cells = {
        (name, runs, n): rates(draw, n, runs, samples)
        for name, draw in {**MODEL, **OTHERS, **BEYOND}.items()
        for runs in RUNS
        for n in SIZES
    }
    planted = ((0.02, 0.1), (0.005, 0.2))
    return Found(
        samples,
        cells,
        {(*each, runs): recovered(*each, 200, runs, samples) for each in planted for runs in RUNS},
    )


def page(found: Found) -> Iterator[str]:
    """Yield the lines of the page: the worst cells of each number of runs."""
    yield ""
    yield (
        f"`python benchmarks/repeat_study.py` compares a system with itself, {RUNS[0]} to "
        f"{RUNS[-1]} runs each, on {SIZES[0]} to {SIZES[-1]:,} queries ({found.samples:,} samples "
        f"of each cell). Populations are those of the model, and others: discounts of ranks that "
        f"runs with heavy tails move, and queries that flip between 0 and 1. Of 95 % intervals, "
        f"the worst cells exclude 0 in:"
    )
    yield ""
    yield "| runs of each | interval | one is called better | interval of the queries alone |"
    yield "| --- | --- | --- | --- |"
    for runs in RUNS:
        cells = {k: v for k, v in found.rates.items() if k[1] == runs and k[0] not in BEYOND}
        name, _, n = max(cells, key=lambda key: cells[key].excluded)
        worst = Rates(*(max(each) for each in zip(*cells.values(), strict=True)))
        yield (
            f"| {runs} | {worst.excluded:.1f} % ({name}; {n:,} queries) | {worst.won:.1f} % | "
            f"{worst.alone:.0f} % |"
        )
    worst = max(v.excluded for k, v in found.rates.items() if k[0] in BEYOND)
    yield ""
    yield (
        f"Where some runs fail, losing 0.05 in one of ten or one of three, two to five runs cannot "
        f"know how often: up to {worst:.1f} %. Standard errors are at most "
        f"{50 / np.sqrt(found.samples):.1f} points. All cells: "
        f"[`studies/repeats.md`](repeats.md)."
    )
    yield ""


def tables(found: Found) -> Iterator[str]:
    """Yield the lines of all cells."""
    yield "# A system against itself, several runs each"
    yield ""
    yield (
        f"Percent of {found.samples:,} samples in which the interval of queries and runs excludes "
        f"0, in which one is called better, and in which the interval of the queries alone does."
    )
    yield ""
    yield "| population | runs | " + " | ".join(f"{n:,} queries" for n in SIZES) + " |"
    yield "| --- | --- |" + " --- |" * len(SIZES)
    for name in {**MODEL, **OTHERS, **BEYOND}:
        for runs in RUNS:
            cells = [found.rates[name, runs, n] for n in SIZES]
            shown = (f"{each.excluded:.1f}, {each.won:.1f}, {each.alone:.1f}" for each in cells)
            yield f"| {name} | {runs} | {' | '.join(shown)} |"
    yield ""
    yield "Planted deviations of runs and of a query in a run, and their estimates, 200 queries:"
    yield ""
    yield "| planted | runs | estimated |"
    yield "| --- | --- | --- |"
    for (run, interaction, runs), (of_runs, of_both) in found.recovered.items():
        yield f"| {run:g}, {interaction:g} | {runs} | {of_runs:.4f}, {of_both:.4f} |"


def main() -> None:
    """Run the study, and print or write it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=4_000)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    found = study(given.samples)
    publish(
        "\n".join(page(found)) + "\n", "benchmarks/studies/claims.md", HEADING, write=given.write
    )
    publish("\n".join(tables(found)) + "\n", "benchmarks/studies/repeats.md", write=given.write)


if __name__ == "__main__":
    main()
