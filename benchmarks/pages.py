"""How long a report's page takes once systems are evaluated, and how many bytes it has.

What the project promises: a page for 50 queries and 4 systems is under 300 KB, one for 10,000
queries under 2 MB, and either is made in under 3 seconds after evaluation, comparison included. The
measures are those that are evaluated unless others are named. Each page is made in a process of its
own, whose imports do not count but for those that making a page needs, and then anew from another
evaluation, as in a notebook that goes on. The script says whether each held; it is no timed test.

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

import numpy as np
import polars as pl
from against_peers import machine

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
    print(machine())
    print("| queries x systems | seconds: median | min | max | of a second page | bytes |")
    print("|---|---:|---:|---:|---:|---:|")
    verdicts = []
    alone = multiprocessing.get_context("spawn")
    for (n_queries, n_systems), most in PAGES.items():
        made = []
        for _ in range(given.runs):
            with ProcessPoolExecutor(1, alone) as process:
                made.append(process.submit(pages, n_queries, n_systems).result())
        seconds, again, (size, *_) = zip(*made, strict=True)
        name = f"{n_queries:,} x {n_systems}"
        times = f"{median(seconds):.1f} | {min(seconds):.1f} | {max(seconds):.1f}"
        times += f" | {median(again):.1f}"
        print(f"| {name} | {times} | {size:,} |")
        if most is not None:
            verdicts.append(f"{name}, under {most:,} bytes: {said(size < most)}")
            quick = median(seconds) < MOST_SECONDS
            verdicts.append(f"{name}, under {MOST_SECONDS:g} seconds: {said(quick)}")
    print()
    print("\n".join(f"- {verdict}" for verdict in verdicts))


def pages(n_queries: int, n_systems: int) -> tuple[float, float, int]:
    """Make a page, and once again: how long each took, and how large they are."""
    (first, size), (second, _) = (page(n_queries, n_systems) for _ in range(2))
    return first, second, size


def page(n_queries: int, n_systems: int) -> tuple[float, int]:
    """Evaluate, then time what is made of it until the page is on the disk."""
    evaluation = rr.evaluate(*generated(n_queries, n_systems))
    evaluation.summary()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        start = time.perf_counter()
        rr.report(rr.compare(evaluation)).to_html(path)
        return time.perf_counter() - start, path.stat().st_size


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


def said(held: bool) -> str:  # noqa: FBT001
    """Say whether a promise held."""
    return "held" if held else "NOT held"


if __name__ == "__main__":
    main()
