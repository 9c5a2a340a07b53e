"""How often intervals of many data sets hold the truth.

    python benchmarks/dataset_study.py [--samples 10000] [--write]

A population is one of data sets: each has a mean difference, planted by a formula, and a number of
queries. What a benchmark shows are the means of its queries, which are not normal: most queries
tie, and how far they spread depends on the data set (`of_queries`), but for *known* means, which
are seen as planted. Counted is how often the interval for data sets like these holds the mean of
the population, that for the next data set a further one, and, with thirteen, which share of them
the other twelve predict. *For these data sets*, the planted means stay and queries alone are drawn.
With `--write` the claims go to benchmarks/studies/coverage_claims.md, all cells to
benchmarks/studies/datasets.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from textwrap import fill
from typing import Final, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from docs_section import publish
from numpy.typing import NDArray

from rankreport import statistics
from rankreport.comparison import across

Floats = NDArray[np.float64]
Shape = tuple[int, ...]
Means = Callable[[np.random.Generator, Shape], Floats]

HEADING: Final = "## Many data sets\n"
SEED: Final = 20_265
SIZES: Final = (5, 13, 50)
LEFT_OUT: Final = 13
"""Of so many data sets each is predicted by the others."""
FEWEST, MOST = 6, 500
"""Queries of a data set: evenly on a logarithmic scale between these, as in BEIR."""
TIES: Final = 0.6
SPREAD: Final = 0.1
"""Standard deviation of the planted means."""
RESAMPLES: Final = 999
CONFIDENCE: Final = 0.95
FIXED: Final = 1_000
"""The most samples for these data sets, of which each draws queries again."""

NORMAL, EXPONENTIAL = "normal", "exponential"
PLANTED: Final[dict[str, tuple[Means, float]]] = {
    NORMAL: (lambda rng, k: SPREAD * rng.normal(size=k), 0.0),
    "even": (lambda rng, k: SPREAD * rng.uniform(-1, 1, k) * 3**0.5, 0.0),
    "two kinds": (lambda rng, k: SPREAD * rng.choice([-1.0, 1.0], k), 0.0),
    "Student's t(3)": (lambda rng, k: SPREAD * rng.standard_t(3, k) / 3**0.5, 0.0),
    EXPONENTIAL: (lambda rng, k: SPREAD * rng.exponential(size=k), SPREAD),
    "one in ten differs": (lambda rng, k: np.where(rng.random(k) < 0.1, 0.3, 0.0), 0.03),
    "lognormal": (lambda rng, k: SPREAD * rng.lognormal(size=k), SPREAD * np.exp(0.5)),
}
"""How the means of data sets are drawn, and their mean."""

CLAIMED: Final = {
    NORMAL: dict.fromkeys(SIZES, (93.0, 97.0)),
    EXPONENTIAL: dict(zip(SIZES, ((88.0, 100.0), (90.0, 100.0), (93.0, 100.0)), strict=True)),
}
"""The coverage in per cent that is claimed of the mean of data sets, by their number."""
PREDICTED: Final = (91.0, 95.0)
"""That of the next data set, of these populations."""


class Cell(NamedTuple):
    """What was counted of one population with so many data sets, in per cent of the samples."""

    planted: str
    seen: str
    size: int
    samples: int
    mean: float
    following: float
    left_out: float = float("nan")
    """The mean share of data sets that the others predict."""
    error: float = float("nan")
    """The standard deviation of that share, over samples."""


def of_queries(rng: np.random.Generator, means: Floats) -> Floats:
    """Return what is seen of the means of data sets: means of queries, most of which tie."""
    return np.array([queries(rng, mean).mean() for mean in means.flat]).reshape(means.shape)


def queries(rng: np.random.Generator, mean: float) -> Floats:
    """Draw the differences on the queries of a data set, of this mean."""
    n = int(np.exp(rng.uniform(np.log(FEWEST), np.log(MOST))))
    changed = mean / (1 - TIES) + rng.uniform(0.1, 0.5) * rng.choice([-1.0, 1.0], n)
    return np.where(rng.random(n) < TIES, 0.0, changed)


def known(_: np.random.Generator, means: Floats) -> Floats:
    """Return the means as planted, as those of data sets with very many queries."""
    return means


SEEN: Final = {"known": known, "of queries": of_queries}


def measured(planted: str, seen: str, size: int, samples: int) -> Cell:
    """Count how often the intervals hold the truth."""
    draw, truth = PLANTED[planted]
    rng = np.random.default_rng((SEED, *map(ord, planted + seen), size))
    values = SEEN[seen](rng, draw(rng, (size + 1, samples)))
    held = _held(values[:-1], truth, "like"), _held(values[:-1], values[-1], "next")
    cell = Cell(planted, seen, size, samples, *(100 * float(each.mean()) for each in held))
    if size != LEFT_OUT:
        return cell
    each = [_held(np.delete(values[:-1], i, 0), values[i], "next") for i in range(size)]
    shares = 100 * np.mean(each, axis=0)
    return cell._replace(left_out=float(shares.mean()), error=float(shares.std()))


def _held(means: Floats, truth: float | Floats, what: str) -> NDArray[np.bool_]:
    """Return of which samples the interval holds the truth: a column of data sets each."""
    found = across(means, CONFIDENCE)
    low, high = (found[f"{what}_{end}"].to_numpy() for end in ("low", "high"))
    held: NDArray[np.bool_] = (low <= truth) & (truth <= high)
    return held


def for_these(planted: str, size: int, samples: int) -> Cell:
    """Count how often the interval that draws queries within data sets holds their mean."""
    rng = np.random.default_rng((SEED, *map(ord, planted), size))
    holds = []
    for sample in range(samples):
        means = PLANTED[planted][0](rng, (size,))
        sets = [queries(rng, mean) for mean in means]
        place = np.repeat(np.arange(size), [len(each) for each in sets])
        weights = np.concatenate([np.full(len(each), 1 / len(each)) for each in sets])
        structure = statistics.Structure(weights=weights, strata=place)
        drawn = statistics.Sample.of(np.concatenate(sets)[:, np.newaxis], structure)
        low, high = statistics.Draws(RESAMPLES, sample).interval("auto", drawn, CONFIDENCE)
        holds.append(low[0] <= means.mean() <= high[0])
    return Cell(planted, "these", size, samples, 100 * float(np.mean(holds)), float("nan"))


def study(samples: int) -> list[Cell]:
    """Measure all cells."""
    cells = [measured(p, seen, size, samples) for p in PLANTED for seen in SEEN for size in SIZES]
    return cells + [for_these(NORMAL, size, min(samples, FIXED)) for size in SIZES]


def page(cells: list[Cell]) -> str:
    """Return the section of the page: each claim with its worst cell, and what was not tried."""
    like = [cell for cell in cells if cell.seen in SEEN]
    about = (
        f"`benchmarks/dataset_study.py` draws data sets whose mean differences are planted, each "
        f"with {FEWEST} to {MOST} queries or with means that are known, {like[0].samples:,} "
        f"samples a cell. The 95 % interval *for data sets like these* holds the mean of the "
        f"population in this percentage of samples, the lower of the two, by the number of data "
        f"sets; where all of them are equal there is none, which counts as not holding. All cells "
        f"are in "
        f"[benchmarks/studies/datasets.md](datasets.md)."
    )
    parts = [about, "\n".join(_table(like)), *_in_words(cells)]
    return "\n\n".join(fill(part, 118) if part[0] != "|" else part for part in parts) + "\n"


def _table(like: list[Cell]) -> Iterator[str]:
    yield f"| means of data sets | claimed | {' | '.join(map(str, SIZES))} |"
    yield f"|---|---|{'---:|' * len(SIZES)}"
    for planted in PLANTED:
        lowest = [_lowest(like, planted, size) for size in SIZES]
        shown = " | ".join(f"{cell.mean:.1f}{_mark(cell)}" for cell in lowest)
        yield f"| {planted} | {_claim(planted)} | {shown} |"


def _in_words(cells: list[Cell]) -> Iterator[str]:
    like = [cell for cell in cells if cell.seen in SEEN]
    outside = [_words(cell) for cell in like if _mark(cell)]
    yield (
        f"Outside a claim by more than two standard errors: {', '.join(outside) or 'no cell'}. "
        "Where few data sets are drawn from a skewed population, the one that differs much may be "
        "missing, and no formula sees what is not there."
    )
    following = sorted(like, key=lambda cell: cell.following)
    low, high = following[0], following[-1]
    within = [c for c in like if PREDICTED[0] <= round(c.following, 1) <= PREDICTED[1] + 0.5]
    yield (
        f"The interval for the next data set holds it in {low.following:.1f} % ({_words(low)}) to "
        f"{high.following:.1f} % ({_words(high)}), and in {PREDICTED[0]:.0f} to {PREDICTED[1]:.0f} "
        f"% in {len(within)} of {len(like)} cells: it is approximate."
    )
    error = max(c.error for c in like if (c.size, c.planted) == (LEFT_OUT, NORMAL))
    alone = 100 * (0.95 * 0.05 / LEFT_OUT) ** 0.5
    yield (
        f"Of {LEFT_OUT} data sets, the share that the others predict has a standard error of "
        f"{alone:.1f} points if each were drawn again, and of {error:.1f} as measured on normal "
        "means: leaving one out describes these data sets, and tests nothing."
    )
    these = [cell for cell in cells if cell.seen not in SEEN]
    worst = min(these, key=lambda cell: cell.mean)
    yield (
        f"The interval *for these data sets* holds their mean in {worst.mean:.1f} % or more "
        f"(standard error {_error(worst):.1f}; {worst.size} data sets): those of few queries weigh "
        "as much as the others, and vary most."
    )
    yield (
        "Not tried: data sets that depend on each other, such as forums of one site counted each; "
        "data sets chosen by results; other levels than 95 %; systems that are several."
    )


def _claim(planted: str) -> str:
    """Return what is claimed of a population, by number of data sets."""
    claims = CLAIMED.get(planted, {}).values()
    each = dict.fromkeys(
        f"{a:.0f} to {b:.0f}" if b < 100 else f"{a:.0f} or more" for a, b in claims
    )
    return ", ".join(each) or "nothing"


def _lowest(cells: list[Cell], planted: str, size: int) -> Cell:
    of = [cell for cell in cells if (cell.planted, cell.size) == (planted, size)]
    return min(of, key=lambda cell: cell.mean)


def _mark(cell: Cell) -> str:
    """Return a mark for a cell that is outside its claim by more than two standard errors."""
    if cell.planted not in CLAIMED:
        return ""
    low, high = CLAIMED[cell.planted][cell.size]
    slack = 2 * _error(cell)
    return "" if low - slack <= cell.mean <= high + slack else "\\*"


def _error(cell: Cell) -> float:
    return float((cell.mean * (100 - cell.mean) / cell.samples) ** 0.5)


def _words(cell: Cell) -> str:
    return f"{cell.planted}, {cell.seen}, {cell.size} data sets"


def tables(cells: list[Cell]) -> str:
    """Return the table of all cells."""
    lines = [
        "# How often intervals of many data sets hold the truth: all cells",
        "",
        (
            "Written by `benchmarks/dataset_study.py`; what follows from them is in "
            "[docs/coverage.md](../../docs/coverage.md). In per cent of samples: the interval for "
            "data sets like these (*these*: for these data sets) holds the mean; that for the next "
            "data set holds it; the share of thirteen that the others predict, and its standard "
            "deviation."
        ),
        "",
        "| means | seen | data sets | samples | mean | next | left out | its deviation |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for cell in cells:
        figures = (cell.mean, cell.following, cell.left_out, cell.error)
        shown = " | ".join("" if np.isnan(each) else f"{each:.1f}" for each in figures)
        lines.append(f"| {cell.planted} | {cell.seen} | {cell.size} | {cell.samples:,} | {shown} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and print or write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--write", action="store_true", help="to the files, instead of printing")
    given = parser.parse_args()
    start = time.monotonic()
    cells = study(given.samples)
    print(f"{time.monotonic() - start:.0f} seconds", file=sys.stderr)
    publish(page(cells), "benchmarks/studies/coverage_claims.md", HEADING, write=given.write)
    publish(tables(cells), "benchmarks/studies/datasets.md", write=given.write)


if __name__ == "__main__":
    main()
