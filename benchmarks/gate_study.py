"""Study how often decisions are wrong where failures are rare.

    python benchmarks/gate_study.py [--samples 4000] [--data FOLDER] [--write]

With `--write` the claims go to benchmarks/studies/gate_claims.md with their worst
cells, and all cells to benchmarks/studies/gates.md; otherwise both texts are printed.

`wrong`, `wrong_of_clusters` and `missed_of_families` take any population of differences between -1
and 1 with its mean, so that others can be tried.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import combinations, product
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from docs_section import publish, section_of
from interval_study import real
from interval_study.populations import MADE, Draw, FloatArray, Population, mostly_zero
from scipy.special import ndtr

import rankreport as rr
from rankreport import statistics

SIZES: Final = (25, 50, 100, 200, 500, 1_000)
TAILS: Final = (0.05, 0.025)
"""The tails of gates and of the words better and worse."""
SMALL_TAIL: Final = 0.005
"""A tail such as corrections for several candidates leave."""
RESAMPLES: Final = 499
SEED: Final = 20_261
AT_ONCE: Final = 250
SYSTEMS: Final = 5
CLUSTER: Final = 5
ABOVE: Final = 0.02
"""How far above the limit power is measured, and what gates on real systems allow."""
FEW: Final = 60
GROUPS: Final = "## Groups of queries"
"""What `gate_groups_study.py` writes."""


def uniform(low: float, high: float) -> Draw:
    """Draw differences evenly between two ends."""
    return lambda rng, shape: rng.uniform(low, high, shape)


def normal(mean: float, deviation: float) -> Draw:
    """Draw differences of a normal distribution."""
    return lambda rng, shape: rng.normal(mean, deviation, shape)


def always(value: float) -> Draw:
    """Draw the same difference."""
    return lambda _, shape: np.full(shape, value)


def either(share: float, some: Draw, others: Draw) -> Draw:
    """Draw a share of the differences in one way, and the others in another."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        return np.where(rng.random(shape) < share, some(rng, shape), others(rng, shape))

    return draw


RARE: Final = (
    Population(
        "99 % change by N(0.002, 0.03), 1 % lose 0.9",
        "",
        either(0.01, always(-0.9), normal(0.002, 0.03)),
        0.99 * 0.002 - 0.009,
    ),
    Population(
        "20 % lose 0.01, 0.8 % lose 1, the others win 0.01",
        "",
        either(0.008, always(-1.0), either(0.2 / 0.992, always(-0.01), always(0.01))),
        -0.00208,
    ),
    Population(
        "50 % lose and 48 % win up to 0.02, 2 % lose 0.3 to 0.9",
        "",
        either(0.02, uniform(-0.9, -0.3), either(0.5 / 0.98, uniform(-0.02, 0), uniform(0, 0.02))),
        -0.0122,
    ),
    Population(
        "20 % lose 0.11, 1 % lose 1, the others win 0.02",
        "",
        either(0.01, always(-1.0), either(0.2 / 0.99, always(-0.11), always(0.02))),
        -0.0162,
    ),
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
    Population(
        "10.3 % lose 1, the others win 0.115",
        "",
        either(0.103, always(-1.0), always(0.115)),
        0.897 * 0.115 - 0.103,
    ),
    Population(
        "12.2 % lose 1, the others win 0.139",
        "",
        either(0.122, always(-1.0), always(0.139)),
        0.878 * 0.139 - 0.122,
    ),
    *(each for each in MADE if each.name in {"RR@10", "80 % ties, skewed", "95 % ties, wins only"}),
)
"""Differences between -1 and 1, most of them with rare large losses."""


def _heavy(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    clipped: FloatArray = np.clip(0.03 * rng.standard_t(2, shape), -0.9, 0.9)
    return clipped - 0.01


def _laplace(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    # 35 % of all differences are 0, 0.8 % lose 0.8 and 64.2 % are these; they add up to -0.01.
    clipped: FloatArray = np.clip(rng.laplace(0, 0.08, shape), -0.8, 0.8)
    return clipped - 0.0036 / 0.642


def _lognormal(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return _WON - np.minimum(np.exp(rng.normal(_LOGARITHM, _DEVIATION, shape)), 1 + _WON)


_LOGARITHM, _DEVIATION, _WON = np.log(0.01), 1.8, 0.03


def _clipped_lognormal_mean(limit: float) -> float:
    """Return the mean of the smaller of a lognormal loss and a limit."""
    z = (np.log(limit) - _LOGARITHM) / _DEVIATION
    below = np.exp(_LOGARITHM + _DEVIATION**2 / 2) * ndtr(z - _DEVIATION)
    return float(below + limit * ndtr(-z))


HELD_OUT: Final = (
    Population("heavy tails: 0.03 t(2) up to 0.9, less 0.01", "", _heavy, -0.01),
    Population(
        "RR: 1.2 % lose 1, 3 % lose 1/2, 10.2 % win 1/6",
        "",
        either(
            0.012,
            always(-1.0),
            either(0.03 / 0.988, always(-0.5), mostly_zero(1 - 0.102 / 0.958, always(1 / 6))),
        ),
        -0.01,
    ),
    Population(
        "95 % ties, 4.6 % win 0.02, 0.4 % lose 1",
        "",
        either(0.004, always(-1.0), mostly_zero(1 - 0.046 / 0.996, always(0.02))),
        0.046 * 0.02 - 0.004,
    ),
    Population(
        "0.3 % lose 0.4 to 1, the others win up to 0.002",
        "",
        either(0.003, uniform(-1, -0.4), uniform(0, 0.002)),
        0.997 * 0.001 - 0.0021,
    ),
    Population(
        "49 % lose and 49.5 % win 0.25 (sd 0.08), 1.5 % lose 0.9",
        "",
        either(0.015, always(-0.9), either(0.495 / 0.985, normal(0.25, 0.08), normal(-0.25, 0.08))),
        0.005 * 0.25 - 0.0135,
    ),
    Population(
        "all win 0.03 less lognormal losses (sd of logs 1.8)",
        "",
        _lognormal,
        _WON - _clipped_lognormal_mean(1 + _WON),
    ),
    Population(
        "recall in steps: 0.6 % lose 1, 1 % 0.4, 4 % 0.2; 4 % win 0.2",
        "",
        either(
            0.006,
            always(-1.0),
            either(
                0.01 / 0.994,
                always(-0.4),
                either(0.04 / 0.984, always(-0.2), mostly_zero(1 - 0.04 / 0.944, always(0.2))),
            ),
        ),
        -0.01,
    ),
    Population(
        "10 % lose 1, the others win 0.1", "", either(0.1, always(-1.0), always(0.1)), -0.01
    ),
    Population(
        "nDCG: 35 % ties, Laplace 0.08, 0.8 % lose 0.8",
        "",
        either(0.008, always(-0.8), mostly_zero(0.35 / 0.992, _laplace)),
        -0.01,
    ),
    Population(
        "1 % lose 1, 3 % 0.3, 10 % 0.05, the others win 0.016",
        "",
        either(
            0.01,
            always(-1.0),
            either(
                0.03 / 0.99, always(-0.3), either(0.1 / 0.96, always(-0.05), always(0.014 / 0.86))
            ),
        ),
        -0.01,
    ),
)
"""Populations that had no part in the choice of the rule."""
HELD_OUT_SAMPLES: Final = 10_000


class Shares(NamedTuple):
    """Shares of samples: by the interval alone, and with rare failures allowed for."""

    alone: float
    allowed_for: float


def wrong(population: Population, n_queries: int, tail: float, n_samples: int) -> Shares:
    """Return how often an end lies above the mean of a population, as if a gate were set there."""
    return above(population, n_queries, tail, n_samples, population.mean)


def above(
    population: Population, n_queries: int, tail: float, n_samples: int, limit: float
) -> Shares:
    """Return how often the lower end lies above a limit."""
    rng = np.random.default_rng([SEED, n_queries, *population.name.encode()])
    counts = np.zeros(2)
    for start in range(0, n_samples, AT_ONCE):
        values = population.draw(rng, (n_queries, AT_ONCE))
        own, deciding = ends(statistics.Sample.of(values), 1 - 2 * tail, seed=start)
        counts += (own.low > limit).sum(), (deciding.low > limit).sum()
    return Shares(*(counts / n_samples))


def ends(
    sample: statistics.Sample,
    confidence: float | FloatArray,
    *,
    seed: int,
    simultaneous: bool = False,
) -> tuple[statistics.Interval, statistics.Interval]:
    """Return the intervals of all columns, and those that decide; a query changes by at most 1."""
    own = statistics.interval(
        "auto",
        sample,
        lambda: statistics.replicate_means(sample, resamples=RESAMPLES, seed=seed),
        confidence,
    )
    limits = np.ones(len(sample.mean))
    found = statistics.deciding_interval(sample, own, limits, confidence, simultaneous=simultaneous)
    # Where nothing varies there is no interval, and the mean is all that is known.
    known = (np.where(np.isnan(end), sample.mean, end) for end in own)
    return statistics.Interval(*known), found


def wrong_of_clusters(
    population: Population, n_clusters: int, tail: float, n_samples: int, *, unequal: bool = False
) -> Shares:
    """Return the same of clusters of queries that change together, up to small noise.

    Clusters have five queries, or geometric numbers from 1 to 12 with a mean of nearly four.
    """
    rng = np.random.default_rng([SEED, n_clusters, *population.name.encode()])
    counts = np.zeros(2)
    for start in range(0, n_samples, AT_ONCE):
        sizes = np.minimum(rng.geometric(0.25, n_clusters), 12) if unequal else CLUSTER
        values = np.repeat(population.draw(rng, (n_clusters, AT_ONCE)), sizes, axis=0)
        values += rng.uniform(-1e-3, 1e-3, values.shape)
        structure = statistics.Structure(clusters=np.repeat(np.arange(n_clusters), sizes))
        sample = statistics.Sample.of(values, structure)
        own, deciding = ends(sample, 1 - 2 * tail, seed=start)
        mean = population.mean
        counts += (own.low > mean).sum(), (deciding.low > mean).sum()
    return Shares(*(counts / n_samples))


def missed_of_families(population: Population, n_queries: int, n_samples: int) -> Shares:
    """Return how often any of five simultaneous 95 % intervals misses its mean.

    Losses of more than a quarter are those of all systems; smaller differences are each one's own.
    """
    rng = np.random.default_rng([SEED, n_queries, *population.name.encode()])

    def draw(shape: tuple[int, int]) -> FloatArray:
        shared, own = (population.draw(rng, (shape[0], shape[1] * k)) for k in (1, SYSTEMS))
        shared = np.tile(shared, SYSTEMS)
        return np.where(shared < -LARGE, shared, np.where(own < -LARGE, 0.0, own))

    mean = draw((2_000, 400)).mean()
    counts = np.zeros(2)
    for start in range(0, n_samples, AT_ONCE):
        sample = statistics.Sample.of(draw((n_queries, AT_ONCE)))
        drawn = statistics.replicate_means(sample, resamples=RESAMPLES, seed=start)
        level = statistics.max_t_level(sample, drawn, 0.95, n_tests=SYSTEMS)
        level = np.where(np.isnan(level), 1 - 0.05 / SYSTEMS, level)
        for place, found in enumerate(ends(sample, level, seed=start, simultaneous=True)):
            missed = (found.low > mean) | (found.high < mean)
            counts[place] += missed.reshape(SYSTEMS, -1).any(axis=0).sum()
    return Shares(*(counts / n_samples))


LARGE: Final = 0.25
SHORT: Final = ((-0.01, TAILS[0]), (0.0, TAILS[1]), (0.05, TAILS[1]), (0.1, TAILS[1]))
"""Limits of gates, and their tails."""


def short(n_queries: int, tail: float, limit: float) -> float:
    """Return how often a gate passes at its limit where losses of 1 are tuned against the rule.

    All others win as much as just passes without a loss, in a sample that has none.
    """
    c = float(statistics.share_unseen(n_queries, tail))
    return (1 - c / (1 + limit + c)) ** n_queries


EFFECTS: Final = (0.02, 0.05, 0.1)
PLANNED: Final = (
    Population("N(0, 0.1)", "", normal(0, 0.1), 0.0),
    Population("60 % ties, the others N(0, 0.2)", "", mostly_zero(0.6, normal(0, 0.2)), 0.0),
    *(each for each in RARE if each.name in {"RR@10", "80 % ties, skewed", "95 % ties, wins only"}),
    *RARE[:3],
    *HELD_OUT,
)
"""Differences that plans are tried on."""


PROMISED: Final = 0.8
MOST: Final = 0.04
"""The power above what is promised beyond which one query fewer is tried, too."""


class Planned(NamedTuple):
    """How many queries a plan asks for, and the power that these, and one fewer, have."""

    n: int
    power: float
    of_fewer: float | None

    def cell(self) -> str:
        """Return what the table shows."""
        fewer = "" if self.of_fewer is None else f" ({self.n - 1:,}: {100 * self.of_fewer:.1f})"
        return f"{self.n:,} / {100 * self.power:.1f}{fewer}"


def delivered(population: Population, effect: float, n_samples: int) -> Planned:
    """Plan by a pilot that is the truth: samples are drawn from its queries."""
    rng = np.random.default_rng([SEED, *population.name.encode()])
    values = population.draw(rng, (200_000, 1))[:, 0]
    mean, deviation = float(values.mean()), float(values.std())
    pilot = statistics.Pilot((values - mean) / deviation, values != 0, statistics.MIN_CHANGED)
    n = int(pilot.needed(effect, power=PROMISED, standard_deviation=deviation, largest=1.0))

    def power_of(n_queries: int) -> float:
        found = 0
        for start in range(0, n_samples, AT_ONCE):
            sample = statistics.Sample.of(rng.choice(values, (n_queries, AT_ONCE)))
            _, deciding = ends(sample, 0.95, seed=start)
            above_it = deciding.low > mean - effect
            found += int((above_it & (sample.n_changed >= statistics.MIN_CHANGED)).sum())
        return found / n_samples

    power = power_of(n)
    return Planned(n, power, power_of(n - 1) if power > PROMISED + MOST else None)


def _plans(found: Sequence[Sequence[Planned]], n_samples: int) -> Iterator[str]:
    yield from (
        "## Plans",
        "",
        "Queries that `plan` asks for to detect a difference with 80 % power, where the pilot is",
        f"the truth / the power that these have, in percent of {n_samples:,} samples. In brackets,",
        "where it is above 84: the power of one query fewer.",
        "",
        "| population | " + " | ".join(map(str, EFFECTS)) + " |",
        "|---|" + "---:|" * len(EFFECTS),
    )
    for each, cells in zip(PLANNED, found, strict=True):
        yield f"| {each.name} | {' | '.join(cell.cell() for cell in cells)} |"


class Decisions(NamedTuple):
    """What real pairs of systems are called, and how their gates end."""

    verdicts: Counter[str]
    gates: Counter[str]


def decisions(data: Path, *, few: bool) -> Decisions:
    """Judge all pairs of the first four systems of collections, on nDCG@10 and AP.

    `few` selects the collections with at most 60 queries.
    """
    found = Decisions(Counter(), Counter())
    for name in sorted((*real.COLLECTIONS, real.LEARNED)):
        qrels, runs = real.first_runs(data / name, 4)
        evaluation = rr.evaluate(qrels, runs, ["nDCG@10", "AP"], collapse="max")
        if (len(evaluation.query_ids) <= FEW) != few:
            continue
        for baseline, system in combinations(evaluation.systems, 2):
            for measure in ("nDCG@10", "AP"):
                two = {each: runs[each] for each in (baseline, system)}
                judged = rr.evaluate(qrels, two, [measure], collapse="max")
                _judge(rr.compare(judged, baseline), measure, found)
    return found


def _judge(comparison: rr.Comparison, measure: str, found: Decisions) -> None:
    decided = comparison.decision.verdict.found
    word = decided.by_interval
    found.verdicts[f"{word}, seen only" if decided.seen_only else word] += 1
    (judged,) = rr.gate(comparison, f"{measure} > -{ABOVE}").findings
    alone = judged.by_interval or ("pass" if judged.identical else "inconclusive")
    found.gates[alone if alone == judged.outcome else f"{alone} becomes {judged.outcome}"] += 1


def _table(title: str, names: Sequence[str], cells: Sequence[Shares]) -> Iterator[str]:
    yield f"| {title} | " + " | ".join(f"{n:,}" for n in SIZES) + " |"
    yield "|---|" + "---:|" * len(SIZES)
    shown = [f"{100 * each.alone:.1f} / {100 * each.allowed_for:.1f}" for each in cells]
    for at, name in enumerate(names):
        yield f"| {name} | " + " | ".join(shown[at * len(SIZES) : (at + 1) * len(SIZES)]) + " |"


def _worst(cells: Iterable[Shares], n_samples: int) -> str:
    share = max(each.allowed_for for each in cells)
    error = np.sqrt(max(share, 1e-4) * (1 - share) / n_samples)
    return f"{100 * share:.1f} % (standard error {100 * error:.1f})"


class Found(NamedTuple):
    """What was counted, by name of the figure, with the names of its populations."""

    n_samples: int
    cells: dict[str, tuple[Sequence[str], list[Shares]]]
    decisions: dict[str, Decisions]
    plans: list[list[Planned]]

    @property
    def held_out_samples(self) -> int:
        """The samples of populations that were not used in choosing the rule."""
        return max(self.n_samples, HELD_OUT_SAMPLES)

    def table(self, title: str, figure: str) -> Iterator[str]:
        """Yield the table of a figure, by population and number of queries."""
        return _table(title, *self.cells[figure])

    def worst(self, figure: str) -> str:
        """Return the highest share of a figure, with its standard error."""
        has_more = figure.startswith(("held-out", "small"))
        samples = self.held_out_samples if has_more else self.n_samples
        return _worst(self.cells[figure][1], samples)


def study(n_samples: int, data: Path | None) -> Found:
    """Count everything."""
    _remember(data)
    held_out = [each.name for each in HELD_OUT]
    names = [name for name in _KNOWN if name not in held_out]
    rare = [each.name for each in RARE[:4]]
    strong = [name for name in names if name.endswith((" nDCG@10", " AP"))]
    more = max(n_samples, HELD_OUT_SAMPLES)
    gate, word = TAILS
    figures: dict[str, tuple[str, Sequence[str], int, tuple[float, ...]]] = {
        "gates": ("wrong", names, n_samples, (gate,)),
        "words": ("wrong", names, n_samples, (word,)),
        "held-out gates": ("wrong", held_out, more, (gate,)),
        "held-out words": ("wrong", held_out, more, (word,)),
        "small tails": ("wrong", [each.name for each in (*RARE, *HELD_OUT)], more, (SMALL_TAIL,)),
        "clusters": ("clusters", rare, n_samples, (gate,)),
        "unequal": ("unequal", held_out, n_samples, (gate,)),
        "families": ("families", [*rare, *held_out], n_samples, ()),
        "power": ("power", strong, n_samples, (gate,)),
    }
    with ProcessPoolExecutor(
        2, mp_context=get_context("spawn"), initializer=_remember, initargs=(data,)
    ) as pool:
        cells = {
            figure: (
                of,
                list(pool.map(_cell, [(kind, *at, n, *tail) for at in product(of, SIZES)])),
            )
            for figure, (kind, of, n, tail) in figures.items()
        }
    titles = {f"up to {FEW} queries": True, f"more than {FEW} queries": False}
    decided = {} if data is None else {t: decisions(data, few=few) for t, few in titles.items()}
    planned = [[delivered(each, effect, n_samples) for effect in EFFECTS] for each in PLANNED]
    return Found(n_samples, cells, decided, planned)


def page(found: Found) -> Iterator[str]:
    """Yield the lines of the page: the claims, with their worst cells."""
    held_out_gates = found.worst("held-out gates")
    alone = 100 * max(each.alone for each in found.cells["held-out gates"][1])
    yield from (
        "# How often decisions are wrong",
        "",
        "How far to trust that a gate passes, and the words better and worse, where failures are",
        "rare. A gate `M > -0.01` should pass in at most 5 % of the samples of a population whose",
        "true difference is exactly -0.01, and better should be wrong in at most 2.5 %.",
        "",
        "## Worst cells",
        "",
        f"Of all populations, with {SIZES[0]} to {SIZES[-1]:,} queries; {found.n_samples:,}",
        f"samples of each, and {found.held_out_samples:,} of those not used in choosing the rule.",
        "",
        "| claim | allowed | worst cell |",
        "|---|---:|---:|",
        f"| gates that pass at their limit | 5 % | {found.worst('gates')} |",
        f"| better without *on these queries* | 2.5 % | {found.worst('words')} |",
        f"| gates, populations not used in choosing the rule | 5 % | {held_out_gates} |",
        f"| better, the same populations | 2.5 % | {found.worst('held-out words')} |",
        f"| both at a tail of 0.5 %, all made populations | 0.5 % | {found.worst('small tails')} |",
        f"| gates on clusters of five | 5 % | {found.worst('clusters')} |",
        f"| gates on clusters of 1 to 12 | 5 % | {found.worst('unequal')} |",
        f"| any of five systems' intervals misses | 5 % | {found.worst('families')} |",
        "",
        f"By the interval alone, gates pass wrongly in up to {alone:.0f} % of the samples of a",
        "population that loses much on few queries. `benchmarks/gate_study.py` writes this page;",
        "all cells are in [benchmarks/studies/gates.md](gates.md), with",
        "populations at which the rule is short, its power, and decisions on real collections.",
        "",
        *section_of("benchmarks/studies/gate_claims.md", GROUPS).splitlines(),
        "## How many queries",
        "",
        "Where no query changes, a margin of 0.01 takes 299 queries, 0.02 takes 149 and 0.05 takes",
        "59. If you know that no query can lose more than 0.5, `--largest-loss 0.5` halves them.",
        *_delivered(found),
        "",
        "## What was not tried",
        "",
        "Measures whose values lie outside the named largest loss; fewer than 25 queries or",
        "clusters; clusters whose largest has more than about three times the mean size, or in",
        "which only some queries fail; stratified samples; queries that depend on each other",
        "without clusters; more than five systems; other intervals than `auto`; queries that are",
        "no random sample of those that matter. Equivalence was not simulated: its errors are",
        "among those of the gate at the same limit. Samples were judged by the functions of",
        "`rankreport.statistics` that `gate` and `compare` call. With weights, and for measures",
        "without a bound where no largest loss is named, rare failures are not allowed for, and",
        "the output says so.",
    )


def _short() -> Iterator[str]:
    yield from (
        "## Populations at which the rule is short",
        "",
        "A share of the queries loses 1, and the others win nearly the same, so much that a sample",
        "without a loss just passes. c is of the loss alone, and not of the win that is missed",
        "too. The percentage of such samples, computed:",
        "",
        "| gate | tail | " + " | ".join(f"{n:,}" for n in SIZES) + " |",
        "|---|---:|" + "---:|" * len(SIZES),
        *(
            f"| M > {limit:g} | {100 * tail:g} % | "
            + " | ".join(f"{100 * short(n, tail, limit):.1f}" for n in SIZES)
            + " |"
            for limit, tail in SHORT
        ),
        "",
    )


def _delivered(found: Found) -> Iterator[str]:
    planned = [each for row in found.plans for each in row]
    powers = [each.power for each in planned if each.of_fewer is None]
    fewer = [each.of_fewer for each in planned if each.of_fewer is not None]
    yield from (
        f"The queries that `plan` asks for have a power of {100 * min(powers):.1f} to",
        f"{100 * max(powers):.1f} % in {len(powers)} of {len(planned)} plans, where 80 % is",
        "promised and the pilot is the truth. The others have more, because one loss more or less",
        f"decides there: one query fewer has {', '.join(f'{100 * each:.1f}' for each in fewer)} %.",
    )


def _decided(found: Found) -> Iterator[str]:
    if not found.decisions:
        return
    yield from (
        "## Real decisions",
        "",
        "All pairs of the first four systems of each collection, on nDCG@10 and AP: the verdict,",
        f"and how a gate of -{ABOVE} ends, by the interval alone and allowing for rare failures.",
        "",
        "| collections | verdicts | gates |",
        "|---|---|---|",
    )
    for title, decided in found.decisions.items():
        columns = ("; ".join(f"{k}: {n}" for k, n in each.most_common()) for each in decided)
        yield f"| {title} | " + " | ".join(columns) + " |"
    yield ""


def tables(found: Found) -> Iterator[str]:
    """Yield the lines of the tables of all cells."""
    yield from (
        "# How often decisions are wrong: all cells",
        "",
        "Written by `benchmarks/gate_study.py`; what follows from them is in",
        "[docs/gates.md](../../docs/gates.md). Cells: the interval alone / rare failures allowed",
        f"for. {found.n_samples:,} samples of each population and number of queries, and",
        f"{found.held_out_samples:,} of those not used in choosing the rule.",
        "",
        "## Wrong passes",
        "",
        "Percentage of samples that pass although the true difference equals the threshold.",
        "",
        *found.table("population", "gates"),
        "",
        "## Wrong better",
        "",
        "Percentage of samples of which the lower end of the 95 % interval, as for the word",
        "better, lies above the true difference.",
        "",
        *found.table("population", "words"),
        "",
        "## Populations not used in choosing the rule",
        "",
        "Wrong passes, as above. A gate on equivalence passes only where this one passes.",
        "",
        *found.table("gates", "held-out gates"),
        "",
        "Wrong better, as above.",
        "",
        *found.table("better", "held-out words"),
        "",
        f"At a tail of {100 * SMALL_TAIL} %, as corrections for several candidates leave:",
        "",
        *found.table("ends", "small tails"),
        "",
        "## Clusters and families",
        "",
        "Queries of a cluster change together; the numbers are those of clusters. Clusters of",
        f"{CLUSTER} queries:",
        "",
        *found.table("gates on clusters", "clusters"),
        "",
        "Clusters of 1 to 12 queries, nearly four on average:",
        "",
        *found.table("gates on clusters", "unequal"),
        "",
        f"Of {SYSTEMS} systems that share their large losses, how often any 95 % interval misses.",
        "",
        *found.table("families", "families"),
        "",
    )
    if found.cells["power"][0]:
        yield from (
            "## Power",
            "",
            f"Percentage of samples of real differences that pass where the truth lies {ABOVE}",
            "above the limit.",
            "",
            *found.table("population", "power"),
            "",
        )
    yield from (*_short(), *_decided(found))
    yield from (*_plans(found.plans, found.n_samples), "")
    yield from section_of("benchmarks/studies/gates.md", GROUPS).rstrip().splitlines()


_KNOWN: Final[dict[str, Population]] = {}


def _remember(data: Path | None) -> None:
    """Make the populations in this process: their functions cannot be sent to another."""
    found = [] if data is None else [_turned(each) for each in real.populations(data)]
    _KNOWN.update({each.name: each for each in (*RARE, *HELD_OUT, *found)})


def _turned(population: Population) -> Population:
    """Return a population of which losses are the rarer side."""
    values = population.draw(np.random.default_rng(SEED), (1_000, 1))
    if (values < 0).sum() <= (values > 0).sum():
        return population

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        return -population.draw(rng, shape)

    return replace(population, draw=draw, mean=-population.mean)


def _cell(task: tuple[str, str, int, int, *tuple[float, ...]]) -> Shares:
    kind, name, n_queries, n_samples, *tail = task
    population = _KNOWN[name]
    if kind == "families":
        return missed_of_families(population, n_queries, n_samples)
    if kind in {"clusters", "unequal"}:
        unequal = kind == "unequal"
        return wrong_of_clusters(population, n_queries, tail[0], n_samples, unequal=unequal)
    if kind == "power":
        return above(population, n_queries, tail[0], n_samples, population.mean - ABOVE)
    return wrong(population, n_queries, tail[0], n_samples)


def main() -> None:
    """Run the study, and print or write what it found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=4_000)
    parser.add_argument("--data", type=Path, help="folder of the real collections")
    parser.add_argument("--write", action="store_true", help="to the files, instead of printing")
    given = parser.parse_args()
    if given.samples < AT_ONCE or given.samples % AT_ONCE:
        parser.error(f"--samples is {given.samples}, and must be a multiple of {AT_ONCE}")
    found = study(given.samples, given.data)
    text = "\n".join([*page(found), ""])
    publish(text, "benchmarks/studies/gate_claims.md", write=given.write)
    publish("\n".join(tables(found)) + "\n", "benchmarks/studies/gates.md", write=given.write)


if __name__ == "__main__":
    main()
