"""How often intervals of coverage, Gini and personalisation hold what other users would give.

    python benchmarks/exposure_study.py [--sizes 100 200 1000] [--write]

Lists of users are drawn in the ways of `KINDS`. Intervals are to hold the mean over all samples of
as many users in 93 to 97 % of samples. Cells in which most samples have a caution are apart, for
nothing is claimed of their intervals. Differences are from a second system, which shows half of
the users lists that are drawn anew and half as long. With `--write` the claims go to
benchmarks/studies/claims.md and all cells to benchmarks/studies/exposure.md; else both are printed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from docs_section import publish
from numpy.typing import NDArray

from rankreport.evaluation.exposure import SystemValue, coverage_of, gini_of, personalisation_of

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Numbers]
"""Draws the lists of so many users, a row each; -1 for no item."""

HEADING: Final = "## All users at once: how often the intervals hold\n"
SAMPLES: Final = {100: 2_000, 200: 500, 1_000: 200}
"""How many samples of each kind, by their number of users; of the further sizes, all together."""
MEASURES: Final = ("coverage", "gini", "personalisation")
COLUMNS: Final = (*MEASURES, *(f"difference of {name}" for name in MEASURES))
WANTED: Final = (93.0, 97.0)
MISSED: Final = 5.0
"""The percentage of samples in which the mean is to be beyond an end that stands alone."""
SURE: Final = 2.0
"""Standard errors beyond the limits that make a cell one that misses them."""
MOST_MARKED: Final = 50.0
"""The percentage of samples with a caution above which nothing is claimed of a cell."""


@dataclass(frozen=True)
class Kind:
    """A way to draw lists, of a catalogue of so many items."""

    name: str
    n_items: int
    draw: Draw
    held_out: bool = False
    """Whether it had no part in the choice of the intervals."""


def _first(rng: np.random.Generator, n: int, weights: Floats, k: int) -> Numbers:
    """Draw k different items for each of n users, by what they weigh: the first to arrive."""
    arrival = rng.standard_exponential((n, weights.shape[-1]), dtype=np.float32)
    arrival /= weights
    return np.argpartition(arrival, k - 1, axis=1)[:, :k]


def by_popularity(power: float, n_items: int, k: int, groups: int = 1, own: float = 8.0) -> Draw:
    """Draw items by rank to some power; each group of users prefers items of its own."""

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        weights = np.arange(1.0, n_items + 1) ** -power
        if groups > 1:
            of_users = rng.integers(groups, size=(n, 1))
            weights = np.where(np.arange(n_items) % groups == of_users, own * weights, weights)
        return _first(rng, n, weights, k)

    return draw


def exploring(share: float, n_items: int, k: int, *, whole: bool = False) -> Draw:
    """Show everybody the same items, a share of them replaced by any; or whole lists replaced."""

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        any_items = k + np.argsort(rng.random((n, n_items - k)), axis=1)[:, :k]
        replaced = rng.random((n, 1 if whole else k)) < share
        return np.where(replaced, any_items, np.arange(k))

    return draw


def in_series(n_items: int, k: int, length: int) -> Draw:
    """Show whole series of items."""
    inner = by_popularity(0.7, n_items // length, k // length)

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        return (inner(rng, n)[..., np.newaxis] * length + np.arange(length)).reshape(n, -1)

    return draw


def shortened(inner: Draw, shortest: int) -> Draw:
    """Cut lists to lengths drawn evenly."""

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        lists = rng.permuted(inner(rng, n), axis=1)
        kept = rng.integers(shortest, lists.shape[1] + 1, (n, 1))
        return np.where(np.arange(lists.shape[1]) < kept, lists, -1)

    return draw


def by_factors(n_items: int, k: int, popular: float, seed: int) -> Draw:
    """Show the items whose five factors are nearest to the user's, and that are popular."""
    rng = np.random.default_rng(seed)
    of_items, base = rng.normal(size=(n_items, 5)), popular * rng.normal(size=n_items)

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        scores = rng.normal(size=(n, 5)) @ of_items.T + base
        return np.argpartition(-scores, k - 1, axis=1)[:, :k]

    return draw


def neighbours(n_items: int, k: int) -> Draw:
    """Show the items around a place of the user's, most users being near to one end."""

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        start = (rng.beta(0.7, 3, n) * (n_items - k)).astype(np.int64)
        return start[:, np.newaxis] + np.arange(k)

    return draw


def tastes(n_items: int, k: int, genres: int, strength: float) -> Draw:
    """Draw items of genres by a taste of the user's (Dirichlet), popular ones more often."""

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        taste = rng.dirichlet(np.full(genres, strength), n) + 1e-6
        popularity = (1.0 + np.arange(n_items) // genres) ** -0.5
        return _first(rng, n, taste[:, np.arange(n_items) % genres] * popularity, k)

    return draw


def two_kinds(share: float, some: Draw, others: Draw) -> Draw:
    """Draw the lists of a share of the users in another way."""

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        return np.where(rng.random((n, 1)) < share, some(rng, n), others(rng, n))

    return draw


def half_as_long(lists: Numbers) -> Numbers:
    """Return the first half of each list."""
    return np.where(np.arange(lists.shape[1]) < max(lists.shape[1] // 2, 1), lists, -1)


def at_random(seed: int) -> Kind:
    """Draw a kind of lists."""
    rng = np.random.default_rng([38, seed])
    k, power = int(rng.choice([5, 10, 20])), float(rng.choice([0, 0.5, 0.9, 1.3, 1.8]))
    n_items = k * int(rng.choice([5, 15, 50, 200]))
    groups, any_items = int(rng.choice([1, 1, 3, 8])), float(rng.choice([0, 0, 0.05, 0.2]))
    series, short = rng.random() < 0.15, rng.random() < 0.2
    of_series = in_series(n_items, k, 5)
    inner = of_series if series else by_popularity(power, n_items, k, groups, own=20.0)
    words = "series of 5" if series else f"power {power:g}, {groups} groups"
    if any_items:
        inner = two_kinds(any_items, by_popularity(0, n_items, k), inner)
        words += f", {any_items:.0%} of users any"
    if short:
        inner, words = shortened(inner, 1), f"{words}, some shorter"
    return Kind(f"{seed}: {k} of {n_items:,}, {words}", n_items, inner)


KINDS: Final = (
    Kind("any items, 5 of 50", 50, by_popularity(0, 50, 5)),
    Kind("any items, 10 of 200", 200, by_popularity(0, 200, 10)),
    Kind("any items, 10 of 1,000", 1_000, by_popularity(0, 1_000, 10)),
    Kind("any items, 20 of 1,000", 1_000, by_popularity(0, 1_000, 20)),
    Kind("any items, 10 of 5,000", 5_000, by_popularity(0, 5_000, 10)),
    Kind("by popularity 0.7, 5 of 50", 50, by_popularity(0.7, 50, 5)),
    Kind("by popularity 0.7, 10 of 400", 400, by_popularity(0.7, 400, 10)),
    Kind("by popularity 0.7, 10 of 3,000", 3_000, by_popularity(0.7, 3_000, 10)),
    Kind("by popularity 1.2, 10 of 100", 100, by_popularity(1.2, 100, 10)),
    Kind("by popularity 1.2, 10 of 1,000", 1_000, by_popularity(1.2, 1_000, 10)),
    Kind("by popularity 2, 5 of 1,000", 1_000, by_popularity(2, 1_000, 5)),
    Kind("5 groups, 10 of 200", 200, by_popularity(0.8, 200, 10, 5, 20)),
    Kind("20 groups, 10 of 2,000", 2_000, by_popularity(0.8, 2_000, 10, 20, 50)),
    Kind("one list, 1 % replaced", 500, exploring(0.01, 500, 10)),
    Kind("one list, 5 % replaced", 500, exploring(0.05, 500, 10)),
    Kind("one list, 30 % replaced", 500, exploring(0.3, 500, 10)),
    Kind("series of 5, 10 of 600", 600, in_series(600, 10, 5)),
    Kind("lists of 2 to 15 of 400", 400, shortened(by_popularity(0.7, 400, 15), 2)),
    Kind("one list, 5 % of users any", 1_000, exploring(0.05, 1_000, 10, whole=True)),
    Kind("one list, 30 % of users any", 1_000, exploring(0.3, 1_000, 10, whole=True)),
    Kind("factors, 10 of 300", 300, by_factors(300, 10, 0.0, 1)),
    Kind("factors, popular, 10 of 300", 300, by_factors(300, 10, 2.0, 2)),
    Kind("factors, popular, 20 of 3,000", 3_000, by_factors(3_000, 20, 1.0, 3)),
    Kind("neighbours, 10 of 500", 500, neighbours(500, 10)),
    Kind("tastes for 8 genres, 10 of 400", 400, tastes(400, 10, 8, 0.3)),
    Kind("tastes for 20 genres, 5 of 200", 200, tastes(200, 5, 20, 0.1)),
    Kind(
        "lists of 1 to 20 by factors of 800",
        800,
        shortened(by_factors(800, 20, 1.0, 4), 1),
    ),
    Kind(
        "10 % of users any, others by factors, of 600",
        600,
        two_kinds(0.1, by_popularity(0, 600, 10), by_factors(600, 10, 2.0, 5)),
    ),
    Kind(
        "20 % of users in series, others by tastes, of 600",
        600,
        two_kinds(0.2, in_series(600, 10, 10), tastes(600, 10, 6, 0.5)),
    ),
    *map(at_random, range(16)),
    *(replace(at_random(seed), held_out=True) for seed in range(16, 24)),
)


def _estimates(lists: Numbers, n_items: int) -> list[SystemValue]:
    """Return the measures of lists."""
    shown = np.nonzero(lists >= 0)
    users, items = shown[0], lists[shown]
    return [
        coverage_of(users, items, len(lists), n_items),
        gini_of(users, items, len(lists), n_items),
        personalisation_of(users, items, len(lists)),
    ]


def measured(kind: Kind, n_users: int, samples: int) -> dict[str, Any]:
    """Return how often the intervals hold, in percent, and their width in standard errors.

    And how often the mean is beyond an end of those that a gate with a margin takes: the worse end.
    """
    rng = np.random.default_rng([38, n_users, *kind.name.encode()])
    found = np.empty((samples, len(COLUMNS), 6))
    with np.errstate(invalid="ignore", divide="ignore"):
        for number in range(samples):
            lists = kind.draw(rng, n_users)
            anew = half_as_long(kind.draw(rng, n_users))
            others = np.where(rng.random((n_users, 1)) < 0.5, anew, lists)
            one, other = (_estimates(each, kind.n_items) for each in (lists, others))
            one += [mine.minus(its) for mine, its in zip(one, other, strict=True)]
            for place, each in enumerate(one):
                lowest = 0.0 if place < len(MEASURES) else -1.0
                ends = [each.ends(level).clip(lowest, 1.0) for level in (0.95, 0.90)]
                found[number, place] = each.value, *np.concatenate(ends), bool(each.caution)
    value, low, high, one_low, one_high, marked = np.moveaxis(found, -1, 0)
    truth, rounding = value.mean(axis=0), 1e-9
    holds = (low <= truth + rounding) & (truth <= high + rounding)
    beyond = (truth < one_low - rounding).mean(axis=0), (one_high + rounding < truth).mean(axis=0)
    deviation = value.std(axis=0)
    some = np.where(deviation > rounding, deviation, np.nan)
    width = (high - low).mean(axis=0) / (2 * some)
    shares = 100 * holds.mean(axis=0)
    marks = 100 * marked.mean(axis=0)
    cell = {"kind": kind, "n": n_users, "samples": samples}
    missed = 100 * np.maximum(*beyond)
    return cell | {"holds": shares, "width": width, "marked": marks, "missed": missed}


def _outside(cells: list[dict[str, Any]], place: int, errors: float) -> list[dict[str, Any]]:
    """Return the cells in which a measure is outside the limits, by more than so many errors."""
    low, high = WANTED
    found = []
    for cell in cells:
        error = errors * 100 * np.sqrt(0.05 * 0.95 / cell["samples"])
        if not low - error <= cell["holds"][place] <= high + error:
            found.append(cell)
    return found


def _listed(cells: list[dict[str, Any]], place: int) -> str:
    """Return cells, and how often a measure holds in them, in words."""
    each = (f"*{cell['kind'].name}* ({cell['holds'][place]:.1f})" for cell in cells)
    return "; ".join(each) or "none"


def _samples(cells: list[dict[str, Any]]) -> str:
    """Return how many samples of how many users there are, in words."""
    sizes = {cell["n"]: cell["samples"] for cell in cells}
    return ", ".join(f"{samples:,} of {n:,} users" for n, samples in sizes.items())


def page(cells: list[dict[str, Any]]) -> str:
    """Return the section of the page: between what they hold, and where not."""
    new = sum(kind.held_out for kind in KINDS)
    about = (
        f"Written by `benchmarks/exposure_study.py`: lists of {len(KINDS)} kinds, {new} of which "
        f"had no part in choosing the intervals; samples of each: {_samples(cells)}. 95 % "
        f"intervals are to hold the mean over all samples in {WANTED[0]:.0f} to {WANTED[1]:.0f} % "
        f"of them. Kinds of which more than half of the samples have a caution are left out, for "
        f"nothing is claimed of them. Differences are from a second system, which shows half of "
        f"the users other lists, half as long. A gate with a margin takes one end of a 90 % "
        f"interval, beyond which the mean is to be in {MISSED:.0f} % of samples. All cells: "
        f"[benchmarks/studies/exposure.md](exposure.md)."
    )
    first, *further = dict.fromkeys(cell["n"] for cell in cells)
    headings = ["measure", "holds in", "between the limits", "beyond them by two standard errors"]
    headings += ["beyond one end"]
    headings += [f"all of {n:,} users" for n in further]
    lines = [f"| {' | '.join(row)} |" for row in (headings, ["---"] * len(headings))]
    for place, measure in enumerate(COLUMNS):
        unmarked = [cell for cell in cells if cell["marked"][place] <= MOST_MARKED]
        others = [cell for cell in unmarked if cell["n"] == first]
        shares = [cell["holds"][place] for cell in others]
        inside = len(others) - len(_outside(others, place, 0.0))
        pooled = [
            f"{np.mean([cell['holds'][place] for cell in unmarked if cell['n'] == n]):.1f} %"
            for n in further
        ]
        row = [measure, f"{min(shares):.1f} to {max(shares):.1f} %"]
        row += [f"{inside} of {len(others)} kinds", _listed(_outside(others, place, SURE), place)]
        worst = max(others, key=lambda cell: cell["missed"][place])
        missed = np.mean([cell["missed"][place] for cell in others])
        row += [f"{missed:.1f} %; most: {worst['missed'][place]:.1f} % (*{worst['kind'].name}*)"]
        lines.append(f"| {' | '.join([*row, *pooled])} |")
    return "\n\n".join((about, "\n".join(lines), NOT_TRIED)) + "\n"


NOT_TRIED: Final = (
    "Not in these samples: other numbers of users, users who depend on each other, catalogues that "
    "change, lists of more than 20 items, and Gini among the items shown."
)

CAUTIONS: Final = (
    "The cautions follow from the lists. *Wide interval*: fewer than three users alone are shown "
    "an item, as where nearly all items are shown, or no two are shown the same one. Where more "
    "than 97 % of samples show the same number of items, such as all, no interval of it can hold "
    "in 93 to 97 % of them: it holds in those or in none; the interval is wide on purpose. *Few "
    "users*: a value is of so many users as all would be if they changed it equally, the square "
    "of the sum of what each adds to its variance through the sum of their squares; with fewer "
    "than 15, as where five of 100 are shown any items and all others the same, it is the number "
    "of these users, from none to twelve, that decides whether an interval holds; or its "
    "variance is known as from fewer than six, as where few share an item. *Few groups*: "
    "what users change together adds more than each alone could (by Cauchy and Schwarz), as where "
    "lists are of three kinds that nearly as many users are shown: one user more or less of a kind "
    "hardly matters then, and how many are of each decides."
)


def tables(cells: list[dict[str, Any]]) -> str:
    """Return the table of all cells."""
    about = (
        f"Written by `benchmarks/exposure_study.py`; samples of each kind: {_samples(cells)}. What "
        f"follows from them is in [docs/learning-to-rank.md]"
        f"(../../docs/learning-to-rank.md#how-often-the-intervals-hold). The percentage of samples "
        f"whose 95 % interval holds the mean, and half its mean width in standard deviations (1.96 "
        f"is that of a normal interval); after a stroke, the percentage in which it is beyond the "
        f"worse end of a 90 % interval; * where more than half of the samples have a caution."
    )
    title = "# How often intervals beyond accuracy hold: all cells"
    return "\n\n".join((title, about, CAUTIONS, "\n".join(_table(cells)))) + "\n"


def _table(cells: list[dict[str, Any]]) -> Iterator[str]:
    yield f"| lists | new | users | {' | '.join(COLUMNS)} |"
    yield f"| --- | --- | {' | '.join(['---:'] * (1 + len(COLUMNS)))} |"
    for cell in cells:
        shown = (
            f"{share:.1f} ({'-' if np.isnan(width) else f'{width:.2f}'}) / {missed:.1f}"
            + (" *" if marked > MOST_MARKED else "")
            for share, width, missed, marked in zip(
                *(cell[name] for name in ("holds", "width", "missed", "marked")), strict=True
            )
        )
        kind = cell["kind"]
        new = "yes" if kind.held_out else ""
        yield f"| {kind.name} | {new} | {cell['n']} | {' | '.join(shown)} |"


def main() -> None:
    """Measure, and print or write the section."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[*SAMPLES], help="of users")
    parser.add_argument("--write", action="store_true", help="to the files, instead of printing")
    given = parser.parse_args()
    start = time.monotonic()
    cells = [measured(kind, n, SAMPLES[n]) for n in given.sizes for kind in KINDS]
    print(f"{time.monotonic() - start:.0f} seconds", file=sys.stderr)
    publish(page(cells), "benchmarks/studies/claims.md", HEADING, write=given.write)
    publish(tables(cells), "benchmarks/studies/exposure.md", write=given.write)


if __name__ == "__main__":
    main()
