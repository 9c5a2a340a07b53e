"""The default comparison and SciPy's bootstrap and permutation test, in turn in one process.

Targets for 60 measures, 7,000 queries, one pair of systems and 10,000 resamples: at most a tenth of
the time of scipy.stats.bootstrap (BCa) for the same columns, and at most a fiftieth of the time of
scipy.stats.permutation_test. For rankreport, the whole comparison is timed: reading the scores from
a file, checks, `compare()` and its table with intervals, p-values, verdict and cautions. The script
prints whether each target was met; it is not a test.

    python benchmarks/against_scipy.py [--runs 3] [--queries 7000] [--columns 3]
    python benchmarks/against_scipy.py --million

SciPy's permutation test takes one column after the other; it is timed on `--columns` of them, and
the time scaled to 60. With `--million`, a million queries are compared instead, without SciPy.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl
from numpy.typing import NDArray
from processes import machine
from scipy import stats

import rankreport as rr
from rankreport.evaluation.evaluation import Evaluation

SEED = 30
DEPTH = 25
MEASURES = tuple(f"{family}@{k}" for family in ("nDCG", "P", "RR") for k in range(1, 21))
PACKAGES = ("rankreport", "polars", "scipy", "numpy")
RESAMPLES = 10_000
MOST_OF_BOOTSTRAP = 1 / 10
MOST_OF_PERMUTATIONS = 1 / 50
BOOTSTRAP_BATCH, PERMUTATION_BATCH = 50, 500
"""Resamples that SciPy has in memory at a time: near its fastest, of those that were tried."""
MIB = 1 << 20

FloatArray = NDArray[np.float64]


def main() -> None:
    """Make the scores, check that both agree, time them in turn, and print what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--queries", type=int, default=7000)
    parser.add_argument("--columns", type=int, default=3, help="for the permutation test")
    parser.add_argument("--million", action="store_true")
    given = parser.parse_args()
    if given.runs < 1 or not 1 <= given.columns <= len(MEASURES):
        parser.error("--runs must be at least 1, --columns from 1 to 60")
    if given.million:
        million()
    else:
        beside_scipy(given.runs, given.queries, given.columns)


def beside_scipy(runs: int, queries: int, columns: int) -> None:
    """Time all three and print what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scores.parquet"
        rr.evaluate(*made(queries), MEASURES).write_parquet(file)
        deltas = differences(rr.compare(rr.load_evaluation(file)))
        tasks: dict[str, Callable[[], object]] = {
            "rankreport": lambda: rr.compare(rr.load_evaluation(file)).table(),
            "scipy.stats.bootstrap": lambda: bootstrapped(deltas),
            "scipy.stats.permutation_test": lambda: permuted(deltas, columns),
        }
        check_same(rr.compare(rr.load_evaluation(file)), deltas, columns)
        rounds = [{name: seconds(task) for name, task in tasks.items()} for _ in range(runs)]
    for each in rounds:
        each["scipy.stats.permutation_test"] *= len(MEASURES) / columns
    print(
        f"{queries:,} queries, {len(MEASURES)} measures, {RESAMPLES:,} resamples, {runs} runs."
        f" {machine(PACKAGES)}\n"
    )
    print(table(rounds), end="\n\n")
    print(f"The permutation test was timed on {columns} columns, and scaled.\n")
    print(verdicts(rounds))


def made(queries: int) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Return judgments and two runs: the second has other scores for 60 % of the queries."""
    rng = np.random.default_rng(SEED)
    shape = (queries, DEPTH)
    keys = {
        "query_id": np.repeat([f"q{i:07}" for i in range(queries)], DEPTH),
        "doc_id": np.tile([f"d{i:02}" for i in range(DEPTH)], queries),
    }
    grades = (rng.random(shape) < 0.15) * rng.integers(1, 4, shape)
    first = grades * 0.3 + rng.random(shape)
    changed = rng.random((queries, 1)) < 0.6
    second = np.where(changed, first + 0.02 * grades + rng.normal(0, 0.2, shape), first)
    qrels = pl.DataFrame({**keys, "relevance": grades.ravel()})
    runs = {"first": first, "second": second}
    return qrels, {
        name: pl.DataFrame({**keys, "score": scores.ravel()}) for name, scores in runs.items()
    }


def differences(comparison: rr.Comparison) -> FloatArray:
    """Return the differences query by query, a column per measure."""
    columns = [
        comparison.deltas(measure, "second").sort("query_id")["delta"].to_numpy()
        for measure in MEASURES
    ]
    return np.column_stack(columns)


def bootstrapped(deltas: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ends of SciPy's BCa intervals, all columns at once, which is its fastest way."""
    found = stats.bootstrap(
        (deltas,),
        np.mean,
        axis=0,
        n_resamples=RESAMPLES,
        batch=BOOTSTRAP_BATCH,
        method="BCa",
        vectorized=True,
        rng=np.random.default_rng(SEED),
    )
    return found.confidence_interval.low, found.confidence_interval.high


def permuted(deltas: FloatArray, columns: int) -> FloatArray:
    """Return the p-values of SciPy's sign flips, for some columns spread over all of them."""
    spread = np.linspace(0, deltas.shape[1] - 1, columns).astype(int)
    return np.array(
        [
            stats.permutation_test(
                (deltas[:, column],),
                np.mean,
                permutation_type="samples",
                n_resamples=RESAMPLES - 1,
                batch=PERMUTATION_BATCH,
                vectorized=True,
                rng=np.random.default_rng(SEED),
            ).pvalue
            for column in spread
        ]
    )


def check_same(comparison: rr.Comparison, deltas: FloatArray, columns: int) -> None:
    """Stop unless both say the same but for chance: speed is worth nothing otherwise."""
    ours = comparison.intervals(["bca"])
    error = deltas.std(axis=0, ddof=1) / np.sqrt(len(deltas))
    ends = zip(("ci_low", "ci_high"), bootstrapped(deltas), strict=True)
    apart = np.array([np.abs(ours[name].to_numpy() - theirs) / error for name, theirs in ends])
    if apart.max() > 0.25:
        sys.exit(f"BCa ends are {apart.max():.2f} standard errors apart.")
    spread = np.linspace(0, deltas.shape[1] - 1, columns).astype(int)
    mine, theirs = comparison.table()["p_value"].to_numpy()[spread], permuted(deltas, columns)
    chance = np.sqrt(theirs * (1 - theirs) / RESAMPLES)
    if (np.abs(mine - theirs) > 6 * chance + 2 / RESAMPLES).any():
        sys.exit(f"p-values differ: {mine} and {theirs}.")


def seconds(task: Callable[[], object]) -> float:
    """Time a task."""
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def table(rounds: list[dict[str, float]]) -> str:
    """Return a Markdown table with a row per contestant."""
    lines = ["| | seconds: median | min | max | times rankreport |", "|---|---:|---:|---:|---:|"]
    for name in rounds[0]:
        taken = [each[name] for each in rounds]
        times = median(each[name] / each["rankreport"] for each in rounds)
        lines.append(
            f"| {name} | {median(taken):.2f} | {min(taken):.2f} | {max(taken):.2f} | {times:.1f} |"
        )
    return "\n".join(lines)


def verdicts(rounds: list[dict[str, float]]) -> str:
    """Return whether each target was met, as Markdown."""
    targets = (
        ("scipy.stats.bootstrap", MOST_OF_BOOTSTRAP),
        ("scipy.stats.permutation_test", MOST_OF_PERMUTATIONS),
    )
    lines = []
    for name, most in targets:
        part = median(each["rankreport"] / each[name] for each in rounds)
        met = "met" if part <= most else "NOT met"
        lines.append(f"- 1/{1 / part:.0f} of the time of {name} (at most 1/{1 / most:.0f}): {met}")
    return "\n".join(lines)


class _Scores:
    """Scores that are at hand already: what an evaluation is asked for."""

    def __init__(self, queries: int) -> None:
        rng = np.random.default_rng(SEED)
        ids = pl.Series("query_id", [f"q{i:07}" for i in range(queries)])
        frames = []
        first = rng.random((queries, 1))
        for system, gain in (("first", 0.0), ("second", 0.0005)):
            changed = rng.random((queries, len(MEASURES))) < 0.4
            noise = rng.normal(gain, 0.1, changed.shape)
            scores = np.where(changed, first + noise, first) if gain else first + 0 * noise
            frame = pl.DataFrame(scores, schema=list(MEASURES))
            frames.append(frame.select(pl.lit(system).alias("system"), ids, pl.all()))
        self.wide = pl.concat(frames)

    def values(self, measures: object) -> pl.DataFrame:
        del measures
        return self.wide


def million(queries: int = 1_000_000) -> None:
    """Compare a million queries, and say what it took."""
    scores = _Scores(queries)
    evaluation = Evaluation(
        ("first", "second"),
        tuple(map(rr.parse, MEASURES)),
        rr.parse(MEASURES[0]),
        {"ties": "trec", "queries": "judged"},
        scores,
    )
    before = peak()
    taken = seconds(lambda: rr.compare(evaluation).table())
    print(
        f"{queries:,} queries, {len(MEASURES)} measures, {RESAMPLES:,} resamples in {taken:.1f} s;"
        f" {peak() / MIB:,.0f} MiB at the peak, {before / MIB:,.0f} of them the scores and what"
        f" made them. {machine(PACKAGES)}"
    )


def peak() -> int:
    """Return the most bytes that this process has held."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    main()
