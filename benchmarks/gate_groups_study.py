"""Study how often gates on groups of queries are wrong, and how often they find a bad group.

    python benchmarks/gate_groups_study.py [--samples 4000] [--write]

With `--write` the claims go to a section of gate_claims.md with their worst cells, and all cells to
one of benchmarks/studies/gates.md; otherwise both texts are printed. Populations are those of
`gate_study.py`; ends are those that decide, and Holm's correction is the function of the gate.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from docs_section import publish
from gate_study import AT_ONCE, GROUPS, HELD_OUT, RARE, SEED, ends, normal
from interval_study.populations import Draw, FloatArray, Population
from numpy.typing import NDArray

from rankreport import statistics
from rankreport.gates.groups import shown_by_holm

TAIL: Final = 0.05
DEVIATION: Final = 0.17
MARGIN: Final = 0.02
SIZES: Final = (15, 25, 50, 100, 200, 400)
UNEQUAL: Final = (15, 20, 30, 40, 60, 90, 130, 200, 300, 400)
ALIKE: Final = (100,) * 10
NORMAL: Final = Population(f"N(0, {DEVIATION})", "", normal(0, DEVIATION), 0.0)
POPULATIONS: Final = (NORMAL, *RARE, *HELD_OUT)


def turned(population: Population) -> Population:
    """Return a population with wins for losses."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        return -population.draw(rng, shape)

    name = f"turned: {population.name}"
    return replace(population, name=name, draw=draw, mean=-population.mean)


def shifted(population: Population, by: float) -> Population:
    """Return a population with another mean; differences stay between -1 and 1."""
    draw: Draw = lambda rng, shape: np.clip(population.draw(rng, shape) + by, -1, 1)  # noqa: E731
    return replace(population, draw=draw, mean=population.mean + by)


class Sampled(NamedTuple):
    """The ends that decide on the groups of some samples.

    Attributes
    ----------
    lows
        The lower ends at the tail of a gate, shape ``(n_groups, n_samples)``.
    highs
        The upper ends at that tail divided by 1, 2 and so on, shape ``(n_levels, n_groups,
        n_samples)``; infinite where too few queries changed for a fail.
    """

    lows: FloatArray
    highs: FloatArray


def sampled(
    groups: Sequence[tuple[Population, int]], n_samples: int, n_levels: int = 1
) -> Iterator[Sampled]:
    """Yield the ends of some samples of groups, each of a population and a number of queries."""
    name = "; ".join(f"{each.name} {n}" for each, n in groups)
    rng = np.random.default_rng([SEED, *name.encode()])
    for start in range(0, n_samples, AT_ONCE):
        lows, highs = [], []
        for population, n in groups:
            sample = statistics.Sample.of(population.draw(rng, (n, AT_ONCE)))
            few = sample.n_changed < statistics.MIN_CHANGED
            found = [
                ends(sample, 1 - 2 * TAIL / level, seed=start)[1]
                for level in range(1, n_levels + 1)
            ]
            lows.append(found[0].low)
            highs.append([np.where(few, np.inf, each.high) for each in found])
        yield Sampled(np.array(lows), np.array(highs).swapaxes(0, 1))


def passing(groups: Sequence[tuple[Population, int]], limit: float, n_samples: int) -> float:
    """Return how often every group passes."""
    passed = [(each.lows > limit).all(axis=0).sum() for each in sampled(groups, n_samples)]
    return float(sum(passed) / n_samples)


class Failing(NamedTuple):
    """How often a group fails: each at its own level, and after Holm's correction."""

    alone: float
    corrected: float


def failing(
    groups: Sequence[tuple[Population, int]],
    limits: Sequence[float],
    n_samples: int,
    only: int | None = None,
) -> Failing:
    """Return how often any group is shown below its limit, or only a certain one."""
    counts, n = np.zeros(2), len(groups)
    of = [str(number) for number in range(n)] if only is None else [str(only)]
    for each in sampled(groups, n_samples, n):
        below = each.highs < np.array(limits)[:, np.newaxis]
        for at in np.flatnonzero(below[0].any(axis=0)):
            of_sample = below[:, :, at]
            alone = {str(number) for number in np.flatnonzero(of_sample[0])}
            shown = _shown(of_sample)
            counts += bool(alone.intersection(of)), bool(shown.intersection(of))
    return Failing(*(counts / n_samples))


def _shown(below: NDArray[np.bool_]) -> set[str]:
    """Return the groups that fail in a sample, of whether they do at each level."""
    groups = map(str, range(below.shape[1]))
    return shown_by_holm(groups, lambda name, left: bool(below[left - 1, int(name)]))


class Found(NamedTuple):
    """What was counted: shares of samples, by title of the row."""

    n_samples: int
    every: dict[str, list[float]]
    beside: dict[str, float]
    falls: dict[str, list[Failing]]
    power: dict[str, Failing]
    unchanged: dict[int, float]


def study(n_samples: int) -> Found:
    """Count everything."""
    good = shifted(NORMAL, 0.1)
    every = {
        each.name: [passing([(each, n)], each.mean, n_samples) for n in SIZES]
        for each in POPULATIONS
    }
    beside = {
        each.name: passing([(each, 400), *[(good, 400)] * 9], each.mean, n_samples)
        for each in (NORMAL, RARE[0], HELD_OUT[1], HELD_OUT[8])
    }
    falls = {}
    for each in (*POPULATIONS, *map(turned, POPULATIONS)):
        of = [[(each, n) for n in sizes] for sizes in (ALIKE, UNEQUAL)]
        falls[each.name] = [failing(groups, [each.mean] * 10, n_samples) for groups in of]
    mixed = list(map(turned, HELD_OUT))
    for title, some in (("one of each", HELD_OUT), ("one of each, turned", mixed)):
        of = [list(zip(some, sizes, strict=True)) for sizes in (ALIKE, UNEQUAL)]
        means = [each.mean for each in some]
        falls[title] = [failing(groups, means, n_samples) for groups in of]
    power = {}
    for n_groups in (5, 10, 30):
        others = (shifted(NORMAL, 0.2 * 100 / (200 * (n_groups - 1))), 200)
        groups = [(shifted(NORMAL, -0.2), 100), *[others] * (n_groups - 1)]
        found = failing(groups, [-MARGIN] * n_groups, n_samples, only=0)
        power[f"{n_groups} groups"] = found
    unchanged = {n: passing([(NORMAL, n)] * 10, -MARGIN, n_samples) for n in (200, 400, 800, 1_600)}
    return Found(n_samples, every, beside, falls, power, unchanged)


def _worst(share: float, n_samples: int) -> str:
    error = np.sqrt(max(share, 1e-4) * (1 - share) / n_samples)
    return f"{100 * share:.1f} % (standard error {100 * error:.1f})"


def section(found: Found) -> Iterator[str]:
    """Yield the lines of the section of the page: the claims, with their worst cells."""
    n = found.n_samples
    wrong = max(share for row in found.every.values() for share in row)
    beside = max(found.beside.values())
    fails = [each for row in found.falls.values() for each in row]
    named = min(each.corrected for each in found.power.values())
    rows = {
        "*every* passes, a group of 15 to 400 queries at its limit": ("5 %", _worst(wrong, n)),
        "the same, nine other groups drawn too": ("5 %", _worst(beside, n)),
        "any of ten groups of 15 to 400 fails, all at their limits": (
            "5 %",
            _worst(max(each.corrected for each in fails), n),
        ),
        f"a group of 100 that falls by 0.2 (sd {DEVIATION}) fails by name": (
            "at least 80 %",
            _worst(named, n),
        ),
    }
    alone = 100 * max(each.alone for each in fails)
    passes = ", ".join(
        f"{100 * share:.0f} % of {size:,}" for size, share in found.unchanged.items()
    )
    yield from (
        "",
        "`M > -0.02 in every intent` passes if each group passes, each at its own level: since all",
        "must, that needs no correction. A group fails where Holm's correction over the groups",
        "establishes it. `M not below -0.02 in any intent` fails there too, and passes otherwise,",
        f"which says of no group that it passes. {n:,} samples of each cell:",
        "",
        "| claim | to be | worst cell |",
        "|---|---:|---:|",
        *(f"| {claim} | {allowed} | {worst} |" for claim, (allowed, worst) in rows.items()),
        "",
        f"Without Holm's correction, one of ten groups fails wrongly in up to {alone:.0f} %.",
        f"Ten groups in which nothing changed (sd {DEVIATION}, margin {MARGIN}) all pass in",
        f"{passes} queries each: the gate says how often, before it says that it is inconclusive.",
        "All cells are in",
        "[benchmarks/studies/gates.md](gates.md#groups-of-queries), made by",
        "`benchmarks/gate_groups_study.py`.",
        "",
        "Not tried: groups of fewer than 15 queries; more than 30 groups; clusters, weights and",
        "data sets; groups chosen after seeing the results; medians and quantiles; several",
        "candidates. That share of passes is a normal approximation.",
        "",
    )


def tables(found: Found) -> Iterator[str]:
    """Yield the lines of the tables of all cells."""
    yield from (
        "",
        "Written by `benchmarks/gate_groups_study.py`. Percentage of samples in which *every*",
        "passes although a group of so many queries is at its limit; the others surely pass.",
        "",
        "| population | " + " | ".join(map(str, SIZES)) + " |",
        "|---|" + "---:|" * len(SIZES),
        *(
            f"| {name} | " + " | ".join(f"{100 * share:.1f}" for share in row) + " |"
            for name, row in found.every.items()
        ),
        "",
        f"The same of 400 queries, with nine groups of 400 (0.1 above 0, sd {DEVIATION}) too:",
        "",
        "| population | passes |",
        "|---|---:|",
        *(f"| {name} | {100 * share:.1f} |" for name, share in found.beside.items()),
        "",
        "Percentage of samples in which any of ten groups fails, all of which are at their limits:",
        "each at its own level / after Holm's correction.",
        "",
        "| population | 100 queries each | 15 to 400 |",
        "|---|---:|---:|",
        *(
            f"| {name} | "
            + " | ".join(f"{100 * e.alone:.1f} / {100 * e.corrected:.1f}" for e in row)
            + " |"
            for name, row in found.falls.items()
        ),
        "",
        f"Percentage in which a group of 100 that falls by 0.2 (sd {DEVIATION}, limit -{MARGIN})",
        "fails, the mean of all being flat: at its own level / after Holm's correction.",
        "",
        "| of | fails by name |",
        "|---|---:|",
        *(
            f"| {name} | {100 * each.alone:.1f} / {100 * each.corrected:.1f} |"
            for name, each in found.power.items()
        ),
        "",
    )


def main() -> None:
    """Run the study, and print or write what it found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=4_000)
    parser.add_argument("--write", action="store_true", help="to the files, instead of printing")
    given = parser.parse_args()
    if given.samples < AT_ONCE or given.samples % AT_ONCE:
        parser.error(f"--samples is {given.samples}, and must be a multiple of {AT_ONCE}")
    found = study(given.samples)
    publish(
        "\n".join(section(found)), "benchmarks/studies/gate_claims.md", GROUPS, write=given.write
    )
    publish("\n".join(tables(found)), "benchmarks/studies/gates.md", GROUPS, write=given.write)


if __name__ == "__main__":
    main()
