"""rankreport on Spark: prints means, a number made of all scores, and what it took, as JSON.

    python rankreport_on_spark.py sail|classic QRELS RUN MEASURE ...

It starts Spark with two cores here: Sail, a server of Spark Connect in this process, or classic
Spark, a JVM with Python workers.
"""

import hashlib
import json
import os
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pyspark
from pyspark.sql import SparkSession

from rankreport import spark

N_BUCKETS = 128
"""Fewer than by default, for two cores: each bucket costs some 25 ms beside its rows."""

QRELS = "query_id string, iteration string, doc_id string, relevance long"


@contextmanager
def sail() -> Iterator[SparkSession]:
    """Start a server of Spark Connect in this process."""
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer()
    server.start(background=True)
    _, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    yield session
    session.stop()
    server.stop()


@contextmanager
def classic() -> Iterator[SparkSession]:
    """Start a JVM with two cores, which writes what it exchanges to a temporary folder."""
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.driver.memory", "4g")
            .config("spark.local.dir", folder)
            .config("spark.ui.enabled", "false")
            # As docs/spark.md recommends: else Spark sums up the size of a batch at every row.
            .config("spark.sql.execution.arrow.maxBytesPerBatch", str(2**31 - 1))
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()


def watch(peaks: dict[str, int], seconds: dict[str, float], done: threading.Event) -> None:
    """Keep the peak memory of the largest JVM and Python worker, and the processor time of all.

    In bytes and in seconds, by the kind of process.
    """
    tick = os.sysconf("SC_CLK_TCK")
    while not done.wait(0.5):
        used: dict[str, float] = defaultdict(float)
        for process in descendants(os.getpid()):
            folder = Path(f"/proc/{process}")
            try:
                program = (folder / "cmdline").read_bytes()
                status = (folder / "status").read_text()
                times = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            kind = "worker" if b"pyspark" in program and b"java" not in program else "JVM"
            peak = next((line for line in status.splitlines() if line.startswith("VmHWM")), "x 0")
            peaks[kind] = max(peaks[kind], int(peak.split()[1]) * 1024)
            # Those of workers that ended are counted with their parent.
            used[kind] += sum(map(int, times[11 : 15 if kind == "worker" else 13])) / tick
        for kind, so_far in used.items():
            seconds[kind] = max(seconds[kind], so_far)


def descendants(process: int) -> Iterator[int]:
    """Yield the processes that a process has started, and those that these have started."""
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            yield child
            try:
                yield from descendants(child)
            except OSError:
                continue


def found(session: SparkSession, qrels: str, run: str, measures: list[str]) -> dict[str, Any]:
    """Evaluate, and return means and a number made of all scores."""
    judgments = session.read.csv(qrels, schema=QRELS, sep=" ")
    rows = session.read.parquet(run)
    made = spark.evaluate(judgments, {"run": rows}, measures, n_buckets=N_BUCKETS)
    scores = pl.DataFrame(made.scores.toArrow())
    wide = scores.pivot(
        "measure",
        index=["system", "query_id"],
        values="value",
        on_columns=[str(each) for each in made.measures],
    ).sort("system", "query_id")
    values = wide.drop("system", "query_id")
    bits = wide.with_columns(pl.col(pl.Float64).reinterpret(signed=False))
    digest = hashlib.sha256(bits.write_csv().encode()).hexdigest()
    return {**values.mean().row(0, named=True), "digest of all scores": int(digest[:12], 16)}


if __name__ == "__main__":
    engine, qrels, run, *measures = sys.argv[1:]
    peaks: dict[str, int] = defaultdict(int)
    seconds: dict[str, float] = defaultdict(float)
    done = threading.Event()
    watching = threading.Thread(target=watch, args=(peaks, seconds, done))
    watching.start()
    try:
        with {"sail": sail, "classic": classic}[engine]() as session:
            printed = found(session, qrels, run, measures)
    finally:
        done.set()
        watching.join()
    print(json.dumps({**printed, **({"peaks": peaks, "took": seconds} if peaks else {})}))
