"""300 measures in rankreport and pytrec_eval: nDCG, R and P at 1 to 100, after loading.

Targets: 300 columns over 5,000 queries x 100 documents take at most twice pytrec_eval's time, and
twice the columns at most about twice the time. Every document is judged, which is the worst case.
The script prints whether each target was met; it is not a test.

    python benchmarks/many_cutoffs.py [--runs 7] [--queries 5000] [--depth 100]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np
import polars as pl
import pytrec_eval
from against_peers import machine

import rankreport as rr

SEED = 20
FAMILIES = {"nDCG": "ndcg_cut", "R": "recall", "P": "P"}
MOST = 2.0
TOLERANCE = 1e-9

Scores = dict[str, dict[str, float]]


def main() -> None:
    """Generate the data, check that both agree, time them in turn, and print what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--queries", type=int, default=5000)
    parser.add_argument("--depth", type=int, default=100)
    given = parser.parse_args()
    qrels, run = generated(given.queries, given.depth)
    evaluation = rr.evaluate(qrels, {"run": run})
    evaluation.quality.height  # noqa: B018  (reads, ranks and joins: the loading)
    judgments, results = nested(qrels, "relevance"), nested(run, "score")

    def ours(cutoffs: int) -> Callable[[], pl.DataFrame]:
        measures = [m for f in FAMILIES for m in points(f, cutoffs)]
        return lambda: evaluation.values(measures)

    def theirs(cutoffs: int) -> Callable[[], Scores]:
        at = ",".join(str(k) for k in range(1, cutoffs + 1))
        asked = {f"{name}.{at}" for name in FAMILIES.values()}
        evaluator = pytrec_eval.RelevanceEvaluator(judgments, asked)
        return lambda: evaluator.evaluate(results)

    check_same(ours(100)(), theirs(100)())
    sizes = (25, 50, 100, 200)
    rounds = [
        {"pytrec_eval": timed(theirs(100)), **{k: timed(ours(k)) for k in sizes}}
        for _ in range(given.runs)
    ]
    ratio = median(each[100] / each["pytrec_eval"] for each in rounds)
    growth = median(each[200] / each[100] for each in rounds)
    print(
        f"{given.queries:,} queries x {given.depth:,} documents, {given.runs} runs. {machine()}\n"
    )
    print("| | columns | seconds: median |\n|---|---:|---:|")
    print(f"| pytrec_eval | 300 | {median(each['pytrec_eval'] for each in rounds):.3f} |")
    for k in sizes:
        print(f"| rankreport | {3 * k} | {median(each[k] for each in rounds):.3f} |")
    print(
        f"\n- {ratio:.2f} times pytrec_eval for 300 columns (at most {MOST}): {met(ratio <= MOST)}"
    )
    print(
        f"- {growth:.2f} times the time of 300 columns for 600 columns (at most 2.2): "
        f"{met(growth <= 2.2)}"
    )


def generated(n_queries: int, depth: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return judgments, a tenth of them of grades 1 to 3, and a run of random scores."""
    rng = np.random.default_rng(SEED)
    n = n_queries * depth
    keys = {
        "query_id": np.repeat([f"q{i}" for i in range(n_queries)], depth),
        "doc_id": np.tile([f"d{i}" for i in range(depth)], n_queries),
    }
    grades = (rng.random(n) < 0.1) * rng.integers(1, 4, n)
    return pl.DataFrame({**keys, "relevance": grades}), pl.DataFrame(
        {**keys, "score": rng.random(n)}
    )


def points(family: str, cutoffs: int) -> list[rr.Measure]:
    """Return a measure at 1 to the last cut-off."""
    return [rr.parse(family) @ k for k in range(1, cutoffs + 1)]


def nested(frame: pl.DataFrame, value: str) -> Scores:
    """Return the frame as nested mappings, for pytrec_eval."""
    found: Scores = {}
    for query, document, number in frame.select("query_id", "doc_id", value).iter_rows():
        found.setdefault(query, {})[document] = number
    return found


def check_same(ours: pl.DataFrame, theirs: Scores) -> None:
    """Exit unless both have the same values."""
    for row in ours.iter_rows(named=True):
        for family, name in FAMILIES.items():
            for k in range(1, 101):
                difference = row[f"{family}@{k}"] - theirs[row["query_id"]][f"{name}_{k}"]
                if abs(difference) > TOLERANCE:
                    sys.exit(f"{family}@{k} of {row['query_id']}: they differ by {difference}.")


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that a function takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def met(target: bool) -> str:  # noqa: FBT001
    """Return whether a target was met, in words."""
    return "met" if target else "NOT met"


if __name__ == "__main__":
    main()
