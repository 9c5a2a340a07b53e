"""A cluster of two executors, one of which is killed while it works: `python spark_cluster.py`.

The executors do not have rankreport: it prints what evaluation raises, and whether scores are equal
to those of one machine when the package was sent, and when an executor was killed; what the plan
exchanges; how many executors were lost; and which comparisons differ. In a process of its own,
since Spark allows one kind of session in each.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
from awkward import AWKWARD, Awkward
from pyspark.sql import SparkSession
from spark_packages import found_without_package, use_python_without_rankreport

import rankreport as rr
from rankreport import spark

MEASURES = ["nDCG@10", "AP", "RR"]
N_QUERIES, DEPTH = 600, 60
N_TASKS = 8
COMPARED = ("prefixed documents in two thirds of a run", "subtopics")
"""Awkward collections that are compared; all of them are on Sail."""


def main() -> None:
    """Evaluate with and without the package, kill an executor, and print what was found as JSON."""
    with TemporaryDirectory() as folder:
        use_python_without_rankreport(Path(folder))
        session = (
            SparkSession.builder.master("local-cluster[2,1,1024]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.adaptive.coalescePartitions.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.task.maxFailures", "2")
            .config("spark.shuffle.io.maxRetries", "1")
            .config("spark.shuffle.io.retryWait", "500ms")
            .getOrCreate()
        )
        found = found_without_package(session)
        found |= found_after_loss(session, Path(folder))
        differ = [name for name in COMPARED if not same_comparison(session, AWKWARD[name]())]
        print(json.dumps({**found, "compared": COMPARED, "differ": differ}))
        session.stop()


def generated() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return judgments and a run."""
    rng = np.random.default_rng(7)
    n = N_QUERIES * DEPTH
    rows = pl.DataFrame(
        {
            "query_id": np.repeat([f"q{query}" for query in range(N_QUERIES)], DEPTH),
            "doc_id": np.tile([f"d{document}" for document in range(DEPTH)], N_QUERIES),
            "score": rng.integers(0, 60, n) / 7,
        }
    )
    qrels = rows.select("query_id", "doc_id", relevance=pl.Series(rng.integers(0, 3, n)))
    qrels = qrels.filter(pl.Series(rng.random(n) < 0.2))
    return qrels, rows


def found_after_loss(session: SparkSession, folder: Path) -> dict[str, object]:
    """Evaluate rows of files, with both executors and when one is killed."""
    session.conf.set("spark.sql.shuffle.partitions", str(N_TASKS))
    qrels, rows = generated()
    expected = in_order(rr.evaluate(qrels, {"run": rows}, MEASURES).scores)
    given = [stored(session, each, folder / name) for name, each in (("q", qrels), ("r", rows))]
    made = spark.evaluate(*given, MEASURES, n_buckets=16)
    plan = made.scores._jdf.queryExecution().executedPlan().toString()
    whole = in_order(pl.DataFrame(made.scores.toArrow()))
    killer = threading.Thread(target=kill_one_that_works, args=(session,))
    killer.start()
    after_loss = in_order(pl.DataFrame(made.scores.toArrow()))
    killer.join()
    session.conf.set("spark.sql.shuffle.partitions", "2")
    return {
        "equal_on_both": whole.equals(expected),
        "equal_after_loss": after_loss.equals(expected),
        "killed": KILLED,
        "exchanges": plan.count("hashpartitioning(bucket"),
    }


KILLED: list[int] = []
"""The processes that were killed."""


def same_comparison(session: SparkSession, made: Awkward) -> bool:
    """Return whether figures, verdict and cautions of a comparison are those of one machine."""
    runs = {name: remote(session, run) for name, run in made.runs.items()}
    there = spark.evaluate(
        remote(session, made.qrels), runs, made.measures, n_buckets=4, **made.options
    ).compare()
    local = rr.compare(rr.evaluate(made.qrels, made.runs, made.measures, **made.options))
    same = there.cautions == local.cautions and there.verdict() == local.verdict()
    return same and there.table().equals(local.table())


def remote(session: SparkSession, rows: pl.DataFrame) -> object:
    """Return rows as a DataFrame in several partitions, which split queries."""
    table = rows.sample(fraction=1, shuffle=True, seed=1).to_arrow(
        compat_level=pl.CompatLevel.oldest()
    )
    return session.createDataFrame(table).repartition(3)


def stored(session: SparkSession, rows: pl.DataFrame, path: Path) -> object:
    """Return rows as a DataFrame of files: made again, they are in the same order."""
    remote(session, rows).write.parquet(str(path))
    return session.read.parquet(str(path))


def in_order(scores: pl.DataFrame) -> pl.DataFrame:
    """Return scores in an order of their own."""
    return scores.sort("system", "query_id", "measure")


def kill_one_that_works(session: SparkSession) -> None:
    """Kill an executor when some, but not all, tasks of the last stage are done."""
    tracker = session.sparkContext.statusTracker()
    while True:
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        if any(each and 1 <= each.numCompletedTasks < each.numTasks == N_TASKS for each in stages):
            break
        time.sleep(0.01)
    listed = subprocess.run(
        ["pgrep", "-f", "CoarseGrainedExecutorBackend"], capture_output=True, text=True, check=True
    )
    own = os.getpid()
    for process in map(int, listed.stdout.split()):
        if process != own and own in ancestors(process):
            os.kill(process, signal.SIGKILL)
            KILLED.append(process)
            return


def ancestors(process: int) -> list[int]:
    """Return the parents of a process, the nearest first."""
    found = []
    while process > 1:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        process = int(fields[1])
        found.append(process)
    return found


if __name__ == "__main__":
    main()
