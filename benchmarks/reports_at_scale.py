"""Reports of many systems, many pairs and very many queries: seconds, memory, bytes of the page.

Each shape is compared and reported in a process of its own, whose peak memory is what the operating
system says. Data are written to files first, by another process. The systems have a planted order:
each sees the grades through less noise than the one before, some see them equally well, and the
first is the baseline. The script prints whether each target was met; it is not a test.

    python benchmarks/reports_at_scale.py [--only SHAPE ...] [--runs 3]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import polars as pl

SEED = 20
DEPTH = 20
MEASURES = ("nDCG@10", "AP", "RR@10", "P@10", "R@100")
FAMILIES = ("nDCG", "P", "R", "RR", "AP")
CUTOFFS = range(1, 101)


class Shape(NamedTuple):
    """What is compared and reported, and the targets.

    Attributes
    ----------
    n_queries, n_systems, depth
        Size of the runs: all lists have as many documents.
    n_judged
        The number of judged documents of each query, all of which the lists hold.
    relevant
        Whether all judged documents are relevant, as those of clicks are.
    pairs
        As in `rankreport.compare`.
    output
        ``"page"``, ``"inline"``, as in a notebook, or ``"depth"``, the page after curves of five
        measures at 100 cut-offs.
    most_seconds, most_bytes, most_memory
        Targets, where there are any.
    """

    n_queries: int
    n_systems: int
    output: str = "page"
    pairs: str = "baseline"
    depth: int = DEPTH
    n_judged: int = DEPTH
    relevant: bool = False
    most_seconds: float | None = None
    most_bytes: int | None = None
    most_memory: int | None = None


SHAPES = {
    "pairs": Shape(50, 50, pairs="all", most_seconds=60, most_bytes=1_000_000),
    "baseline": Shape(50, 300, most_seconds=60, most_bytes=1_000_000),
    "inline": Shape(200_000, 2, "inline", depth=10, n_judged=5, most_seconds=15),
    "depth": Shape(
        1_000_000,
        2,
        "depth",
        depth=10,
        n_judged=2,
        relevant=True,
        most_seconds=60,
        most_memory=2 * 10**9,
    ),
}


class Measured(NamedTuple):
    """What one process took: seconds of each phase, CPU seconds, peak memory, bytes written."""

    seconds: dict[str, float]
    cpu: float
    memory: int
    n_bytes: int

    @property
    def reported(self) -> float:
        """Seconds of comparison and report, without evaluation."""
        return self.seconds["compare"] + self.seconds["report"]


def collection(shape: Shape, seed: int = SEED) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Return judgments, and runs of systems that find them the better the later they come.

    Every fifth system is as good as the one before it, so that not all are told apart.

    Examples
    --------
    >>> qrels, runs = collection(Shape(3, 2, depth=4, n_judged=2))
    >>> len(qrels), [len(run) for run in runs.values()], list(runs)
    (6, [12, 12], ['system-000', 'system-001'])
    """
    rng = np.random.default_rng(seed)
    n_rows = shape.n_queries * shape.depth
    grades = np.where(rng.random(n_rows) < 0.3, rng.integers(1, 4, n_rows), 0)
    place = np.tile(np.arange(shape.depth), shape.n_queries)
    if shape.relevant:
        grades = np.where(place < shape.n_judged, rng.integers(1, 4, n_rows), 0)
    rows = pl.select(
        query_id=pl.concat_str(
            pl.lit("q"), pl.int_range(shape.n_queries).repeat_by(shape.depth).explode()
        ),
        doc_id=pl.concat_str(pl.lit("d"), pl.lit(pl.Series(place))),
        grade=pl.lit(pl.Series(grades)),
    )
    judged = rows.filter(pl.Series(place < shape.n_judged)).rename({"grade": "relevance"})
    runs = {}
    for at in range(shape.n_systems):
        skill = (at - (at % 5 == 4)) / shape.n_systems
        scores = grades * (0.5 + skill) + rng.normal(0, 1, n_rows)
        runs[f"system-{at:03}"] = rows.select("query_id", "doc_id", score=pl.Series(scores))
    return judged, runs


def write(name: str, folder: Path) -> None:
    """Write the judgments and runs of a shape as Parquet."""
    qrels, runs = collection(SHAPES[name])
    (folder / "runs").mkdir()
    qrels.write_parquet(folder / "qrels.parquet")
    for system, run in runs.items():
        run.write_parquet(folder / "runs" / f"{system}.parquet")


def work(name: str, folder: Path) -> Measured:
    """Evaluate, compare and report what `write` wrote, in this process."""
    import resource

    import rankreport as rr

    shape, at = SHAPES[name], {"start": time.perf_counter()}
    runs = sorted((folder / "runs").iterdir())
    measures = [f"{each}@10" for each in FAMILIES] if shape.output == "depth" else MEASURES
    evaluation = rr.evaluate(folder / "qrels.parquet", list(runs), measures)
    evaluation.summary()
    at["evaluate"] = time.perf_counter()
    comparison = rr.compare(evaluation, pairs=shape.pairs)
    comparison.table()
    if shape.output == "depth":
        for measure in FAMILIES:
            comparison.curve(measure, CUTOFFS)
    at["compare"] = time.perf_counter()
    page = folder / "report.html"
    report = rr.report(comparison, date="2026-01-01")
    if shape.output == "inline":
        page.write_text(report._repr_mimebundle_()["text/html"], encoding="utf-8")
    else:
        report.to_html(page)
    at["report"] = time.perf_counter()
    phases = list(at)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return Measured(
        {phase: at[phase] - at[before] for before, phase in pairwise(phases)},
        used.ru_utime + used.ru_stime,
        used.ru_maxrss * 1024,
        page.stat().st_size,
    )


def measured(name: str, folder: Path) -> Measured:
    """Return what a process took to evaluate, compare and report a shape written before."""
    command = [sys.executable, __file__, "--work", name, "--folder", str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Measured(*json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Measure each shape several times, and print what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--write", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write:
        write(given.write, given.folder)
    elif given.work:
        print(json.dumps(work(given.work, given.folder)))
    else:
        compare_with_targets(given.only, given.runs)


def compare_with_targets(names: list[str], n_runs: int) -> None:
    """Print a table of medians, and whether targets were met."""
    columns = ("evaluate", "compare", "report", "CPU", "MB of memory", "MB of page")
    print(f"| shape | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    outcomes = []
    for name in names:
        with tempfile.TemporaryDirectory() as made:
            folder, shape = Path(made), SHAPES[name]
            command = [sys.executable, __file__, "--write", name, "--folder", made]
            subprocess.run(command, check=True)
            runs = [measured(name, folder) for _ in range(n_runs)]
        phases = [f"{median(run.seconds[phase] for run in runs):.1f}" for phase in columns[:3]]
        cpu = f"{median(run.cpu for run in runs):.1f}"
        found: dict[str, Any] = {
            "seconds": median(run.reported for run in runs),
            "bytes": runs[0].n_bytes,
            "memory": max(run.memory for run in runs),
        }
        sizes = f"{found['memory'] / 1e6:.0f} | {found['bytes'] / 1e6:.2f}"
        print(f"| {name} | {' | '.join(phases)} | {cpu} | {sizes} |", flush=True)
        for of, value in found.items():
            if (most := getattr(shape, f"most_{of}")) is not None:
                met = "met" if value <= most else "NOT met"
                outcomes.append(f"- {name}, at most {most:,} {of}: {met} ({value:,.1f})")
    print("\n" + "\n".join(outcomes))


if __name__ == "__main__":
    main()
