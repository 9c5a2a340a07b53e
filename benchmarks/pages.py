"""How long a report's page takes once systems are evaluated, and how many bytes it has.

Targets: a page for 50 queries and 4 systems is under 300 KB, one for 10,000 queries under 2 MB, and
both are written in under 3 seconds after evaluation. The measures are the default ones. Each page
is written in its own process, including the comparison and the imports that it needs; then a second
page from another evaluation in the same process, as in a notebook; then another report of that
second comparison, whose results are already computed. The script prints whether each target was
met, with the comparison and for the page alone; it is not a test.

    python benchmarks/pages.py [--runs 5]
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import polars as pl
from processes import machine

import rankreport as rr

SEED = 20
DEPTH = 20
PAGES = {(50, 4): 300_000, (10_000, 2): 2_000_000, (200, 50): None}
"""How many queries and systems, and how many bytes at the most."""
MOST_SECONDS = 3.0


def main() -> None:
    """Make each page several times, and print what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    print(machine(("rankreport", "polars")))
    columns = ("queries x systems", "seconds: median", "min", "max", "second page", "page alone")
    print(f"| {' | '.join(columns)} | bytes |")
    print(f"|---|{'---:|' * len(columns)}")
    verdicts = []
    alone = multiprocessing.get_context("spawn")
    for (n_queries, n_systems), most in PAGES.items():
        made = []
        for _ in range(given.runs):
            with ProcessPoolExecutor(1, alone) as process:
                made.append(process.submit(pages, n_queries, n_systems).result())
        first, second = zip(*made, strict=True)
        seconds, size = [page.seconds for page in first], first[0].n_bytes
        times_alone = [page.seconds_alone for page in second]
        name = f"{n_queries:,} x {n_systems}"
        times = f"{median(seconds):.1f} | {min(seconds):.1f} | {max(seconds):.1f}"
        times += f" | {median(page.seconds for page in second):.1f} | {median(times_alone):.1f}"
        print(f"| {name} | {times} | {size:,} |")
        if most is not None:
            verdicts.append(f"{name}, under {most:,} bytes: {outcome(size < most)}")
            for of, taken in {"with the comparison": seconds, "page alone": times_alone}.items():
                quick = outcome(median(taken) < MOST_SECONDS)
                verdicts.append(f"{name}, under {MOST_SECONDS:g} seconds, {of}: {quick}")
    print()
    print("\n".join(f"- {verdict}" for verdict in verdicts))


class Page(NamedTuple):
    """How long a page took from evaluated systems, and once the comparison knew its figures."""

    seconds: float
    seconds_alone: float
    n_bytes: int


def pages(n_queries: int, n_systems: int) -> tuple[Page, Page]:
    """Make a page, and another one."""
    return page(n_queries, n_systems), page(n_queries, n_systems)


def page(n_queries: int, n_systems: int) -> Page:
    """Evaluate, then time what is made of it until the page is on the disk, twice."""
    evaluation = rr.evaluate(*generated(n_queries, n_systems))
    evaluation.summary()
    comparison = rr.compare(evaluation)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        at = [time.perf_counter()]
        for _ in range(2):
            rr.report(comparison).to_html(path)
            at.append(time.perf_counter())
        return Page(at[1] - at[0], at[2] - at[1], path.stat().st_size)


def generated(n_queries: int, n_systems: int) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Make judgments, and runs that see them through more or less noise."""
    rng = np.random.default_rng(SEED)
    n_rows = n_queries * DEPTH
    grades = np.where(rng.random(n_rows) < 0.2, rng.integers(1, 4, n_rows), 0)
    rows = pl.DataFrame(
        {
            "query_id": np.repeat([f"q{at}" for at in range(n_queries)], DEPTH),
            "doc_id": np.tile([f"d{at}" for at in range(DEPTH)], n_queries),
        }
    )
    runs = {
        f"system {at}": rows.with_columns(score=grades + rng.normal(0, 2 - at / n_systems, n_rows))
        for at in range(n_systems)
    }
    return rows.with_columns(relevance=grades), runs


def outcome(met: bool) -> str:  # noqa: FBT001
    """Return whether a target was met, in words."""
    return "met" if met else "NOT met"


if __name__ == "__main__":
    main()
