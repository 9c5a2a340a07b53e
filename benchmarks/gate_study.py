"""Study how often gates and verdicts are wrong where losses are rare; write docs/gates.md.

    python benchmarks/gate_study.py [--samples 1000] [--data FOLDER] [-o docs/gates.md]

Populations, margins and seeds were fixed before any result was seen. Half a percentage point is
about the standard error of a share of 5 % in 2,000 samples.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from interval_study import real
from interval_study.populations import MADE, Draw, FloatArray, Population, mostly_zero

import rankreport as rr
from rankreport import statistics
from rankreport.comparison import FEW_HARMED, MIN_CHANGED, Units
from rankreport.gates.harm import with_few_harmed
from rankreport.gates.requirements import Requirement, read_requirements

ROOT: Final = Path(__file__).resolve().parents[1]
SIZES: Final = (25, 50, 100, 200, 500, 1_000)
MARGINS: Final = (0.01, 0.02, 0.05)
RESAMPLES: Final = 999
SEED: Final = 20_261
ALLOWED: Final = 0.065
"""The most wrong passes that are accepted, of 5 % wanted."""


def uniform(low: float, high: float) -> Draw:
    """Draw differences evenly between two ends."""
    return lambda rng, shape: rng.uniform(low, high, shape)


def either(share: float, some: Draw, others: Draw) -> Draw:
    """Draw a share of the differences in one way, and the others in another."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        return np.where(rng.random(shape) < share, some(rng, shape), others(rng, shape))

    return draw


RARE_LOSSES: Final = (
    Population("2 % lose 0.2 to 0.8", "", mostly_zero(0.98, uniform(-0.8, -0.2)), -0.01),
    Population("5 % lose 0 to 1", "", mostly_zero(0.95, uniform(-1, 0)), -0.025),
    Population(
        "40 % win 0 to 0.05, 2 % lose 0.5 to 1",
        "",
        either(0.02, uniform(-1, -0.5), mostly_zero(1 - 0.4 / 0.98, uniform(0, 0.05))),
        -0.005,
    ),
    Population(
        "96 % win 0.02 to 0.04, 4 % lose 0.5 to 1",
        "",
        either(0.04, uniform(-1, -0.5), uniform(0.02, 0.04)),
        -0.0012,
    ),
)
BOUNDED: Final = {"RR@10", "80 % ties, skewed", "95 % ties, wins only"}

NO_BETTER: Final = (
    Population(
        "40 % win 0 to 0.05, 1.3 % lose 0.54 to 1",
        "",
        either(0.013, uniform(-1, -0.5385), mostly_zero(1 - 0.4 / 0.987, uniform(0, 0.05))),
        0.0,
    ),
    RARE_LOSSES[2],
)
"""Changes that ought not to be called better, though most queries that change win."""

NO_WORSE: Final = (
    Population("nothing changes", "", lambda _, shape: np.zeros(shape), 0.0),
    Population("5 % win 0 to 0.2", "", mostly_zero(0.95, uniform(0, 0.2)), 0.005),
    Population("10 % change by up to 0.1", "", mostly_zero(0.9, uniform(-0.1, 0.1)), 0.0),
    Population("half change by up to 0.2", "", mostly_zero(0.5, uniform(-0.2, 0.2)), 0.0),
)
"""Changes that ought to pass."""


class Passes(NamedTuple):
    """Shares of samples that pass: by the interval alone, and as gates judge."""

    by_interval: float
    by_gate: float


def passes(population: Population, n_queries: int, threshold: float, n_samples: int) -> Passes:
    """Judge samples of a population against a threshold on their mean."""
    rng = np.random.default_rng([SEED, n_queries, *population.name.encode()])
    required = replace(_requirement(), threshold=threshold)
    samples = population.draw(rng, (n_queries, n_samples))
    counts = np.zeros(2)
    for start in range(0, n_samples, 100):
        columns = samples[:, start : start + 100]
        drawn = statistics.replicate_means(columns, resamples=RESAMPLES, seed=start)
        found = statistics.interval("auto", columns, drawn, 0.9)
        for deltas, low, high in zip(columns.T, found.low, found.high, strict=True):
            ends = (None, None) if np.isnan(low) else (float(low), float(high))
            units = Units(deltas, 1.0, weighted=False)
            bounded = with_few_harmed(
                required, ends, units, largest_loss=1.0, alpha=0.05, is_named=False
            )
            # An interval alone would let pass what did not change at all.
            alone = ends[0] is not None and required.judged(*ends) == "pass"
            counts += (alone or not deltas.any(), required.judged(*bounded[:2]) == "pass")
    return Passes(*(counts / n_samples))


class Verdicts(NamedTuple):
    """Shares of samples that are called better, and of those that carry the caution."""

    better: float
    warned: float


def verdicts(population: Population, n_queries: int, n_samples: int) -> Verdicts:
    """Judge samples of a population that is no better by the interval, as a verdict does."""
    rng = np.random.default_rng([SEED, n_queries, *population.name.encode()])
    samples = population.draw(rng, (n_queries, n_samples))
    drawn = statistics.replicate_means(samples, resamples=RESAMPLES, seed=SEED)
    found = statistics.interval("auto", samples, drawn, 0.95)
    better = warned = 0
    for deltas, low in zip(samples.T, found.low, strict=True):
        units = Units(deltas, 1.0, weighted=False)
        if low > 0 and np.count_nonzero(deltas) >= MIN_CHANGED:
            better += 1
            few = units.n_on_side(lower=True) < FEW_HARMED
            warned += few and units.end(1.0, 0.025, lower=True) < 0
    return Verdicts(better / n_samples, warned / max(better, 1))


def _requirement() -> Requirement:
    evaluation = rr.evaluate({"q": {"d": 1}}, {"mine": {"q": {"d": 1.0}}}, ["AP"])
    (required,) = read_requirements("AP > -0.01", evaluation)
    return required


def _table(title: str, populations: Sequence[str], cells: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {title} | " + " | ".join(f"{n:,}" for n in SIZES) + " |"
    yield "|---|" + "---:|" * len(SIZES)
    for name, row in zip(populations, cells, strict=True):
        yield f"| {name} | " + " | ".join(row) + " |"


def _cell(found: Passes) -> str:
    marked = f"**{100 * found.by_gate:.1f}**" if found.by_gate > ALLOWED else ""
    return f"{100 * found.by_interval:.0f} / {marked or f'{100 * found.by_gate:.1f}'}"


def page(n_samples: int, data: Path | None) -> Iterator[str]:
    """Yield the lines of the page."""
    _remember(data)
    bounded = [each for each in _KNOWN.values() if each not in NO_WORSE]
    with ProcessPoolExecutor(
        mp_context=get_context("spawn"), initializer=_remember, initargs=(data,)
    ) as pool:
        tasks = [(each.name, n, each.mean, n_samples) for each in bounded for n in SIZES]
        at_margin = list(pool.map(_passes, tasks))
        rightly = {}
        for margin in MARGINS:
            tasks = [(each.name, n, -margin, n_samples) for each in NO_WORSE for n in SIZES]
            rightly[margin] = list(pool.map(_passes, tasks))
        judged = [verdicts(each, n, n_samples) for each in NO_BETTER for n in SIZES]
    worst = max(found.by_gate for found in at_margin)
    above = sum(found.by_gate > ALLOWED for found in at_margin)
    yield from (
        "# How often gates pass",
        "",
        "A gate `M > -0.01` should pass in at most 5 % of the samples of a population whose true",
        "difference is exactly -0.01. `benchmarks/gate_study.py` writes this page; it judges",
        f"{n_samples:,} samples of each population and number of queries.",
        "",
        "An interval knows of large losses only where the sample has some. Gates therefore use the",
        "farther of the interval's end and Gaffke's bound where fewer than 10 queries lie on the",
        "harmful side. That the bound holds in general is conjectured (Learned-Miller and Thomas,",
        "arXiv:1905.06208, 2019), not proved.",
        "",
        "## Wrong passes",
        "",
        "Percentage of samples that pass although the true difference equals the threshold: by the",
        "interval alone / by the gate. More than 6.5 % is bold.",
        "",
        *_table("population", [each.name for each in bounded], _rows(at_margin)),
        "",
        f"Cells above 6.5 %: {above} of {len(at_margin)}; the largest is {100 * worst:.1f} %.",
        "",
        "## Right passes",
        "",
        "Percentage of samples that pass where the true difference is not below 0: by the interval",
        "alone / by the gate. No query can lose more than 1 (`largest_loss` unset).",
    )
    for margin, found in rightly.items():
        yield from (
            "",
            f"### Margin {margin}",
            "",
            *_table("population", [each.name for each in NO_WORSE], _plain_rows(found)),
        )
    cells = [f"{100 * each.better:.0f} / {100 * each.warned:.0f}" for each in judged]
    yield from (
        "",
        "## Verdicts",
        "",
        "A verdict rests on the interval alone, for the bound would leave many improvements",
        "undecided. Where fewer than 10 queries lost and the bound lies below 0, it has a caution.",
        "Percentage of samples called better although nothing is / of those, with the caution.",
        "",
        *_table(
            "population",
            [each.name for each in NO_BETTER],
            [cells[at : at + len(SIZES)] for at in range(0, len(cells), len(SIZES))],
        ),
        "",
        "## How many queries",
        "",
        "Where few queries change, a small margin takes many, because few tell little of the rest:",
        "299 unchanged queries for a margin of 0.01, 149 for 0.02 and 59 for 0.05. If you know",
        "that no query can lose more than 0.5, `--largest-loss 0.5` halves them.",
    )


def _rows(found: Sequence[Passes]) -> list[list[str]]:
    cells = [_cell(each) for each in found]
    return [cells[at : at + len(SIZES)] for at in range(0, len(cells), len(SIZES))]


def _plain_rows(found: Sequence[Passes]) -> list[list[str]]:
    cells = [f"{100 * each.by_interval:.0f} / {100 * each.by_gate:.0f}" for each in found]
    return [cells[at : at + len(SIZES)] for at in range(0, len(cells), len(SIZES))]


def _turned(population: Population) -> Population:
    """Return a population of which losses are the rarer side, as gates meet them."""
    rng = np.random.default_rng(SEED)
    values = population.draw(rng, (1_000, 1))
    if (values < 0).sum() <= (values > 0).sum():
        return population

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        return -population.draw(rng, shape)

    return replace(population, draw=draw, mean=-population.mean)


def _remember(data: Path | None) -> None:
    """Make the populations in this process: their functions cannot be sent to another."""
    made = [*RARE_LOSSES, *(each for each in MADE if each.name in BOUNDED)]
    found = [] if data is None else [_turned(each) for each in real.populations(data)]
    _KNOWN.update({each.name: each for each in (*made, *found, *NO_WORSE)})


_KNOWN: Final[dict[str, Population]] = {}


def _passes(task: tuple[str, int, float, int]) -> Passes:
    name, n_queries, threshold, n_samples = task
    return passes(_KNOWN[name], n_queries, threshold, n_samples)


def main() -> None:
    """Run the study and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1_000)
    parser.add_argument("--data", type=Path, help="folder of the real collections")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs" / "gates.md")
    given = parser.parse_args()
    lines = (line.rstrip() for line in page(given.samples, given.data))
    given.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
