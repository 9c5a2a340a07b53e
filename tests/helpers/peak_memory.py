"""Programs in a process of their own, and how much memory they took; and files to read there."""

from __future__ import annotations

import os
import subprocess
import sys

import polars as pl

_PRINTED = """
with open("/proc/self/status") as status:
    print(next(line for line in status if line.startswith("VmHWM")).split()[1])
"""


def peak_of(program, *arguments, **environment):
    """Run a program, and return its peak memory in bytes; Linux tells it."""
    # Not the resource usage of a child: that begins with the peak of its parent.
    command = [sys.executable, "-c", program + _PRINTED, *map(str, arguments)]
    ended = subprocess.run(
        command, env=os.environ | environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return int(ended.stdout) * 1024


def write_long_run(folder, n, first_id, depth=1000):
    """Write a run of n rows without order, and judgments of one row in 250; return their paths."""
    rows = pl.LazyFrame({"place": pl.int_range(n, eager=True)}).select(
        query_id=pl.col("place").floordiv(depth).cast(pl.String),
        q0=pl.lit("Q0"),
        doc_id=(pl.col("place") * 7919 % 9_999_991 + first_id).cast(pl.String),
        rank=pl.lit(1),
        score=pl.col("place") * 31 % 9973 / 16,
        tag=pl.lit("tag"),
    )
    run, qrels = folder / "mine.run", folder / "qrels.txt"
    rows.sink_csv(run, include_header=False, separator=" ")
    judged = rows.gather_every(250, 3).select("query_id", "q0", "doc_id", "rank")
    judged.sink_csv(qrels, include_header=False, separator=" ")
    return qrels, run
