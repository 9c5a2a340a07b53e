"""Rows in slices by query, in temporary files."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import polars as pl
import pytest

import rankreport as rr
from rankreport.io import Partition

ROWS = pl.DataFrame(
    {"query_id": [f"q{n * 7 % 50}" for n in range(5000)], "doc_id": map(str, range(5000))}
)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Return the folder of temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("n", [1, 2, 7, 300])
def test_every_row_is_in_one_slice_in_order(n):
    partition = Partition(n)
    partition.write(ROWS.lazy(), "rows")
    parts = [part.collect() for part in partition]
    assert len(parts) == n
    queries = [set(part["query_id"]) for part in parts]
    assert sum(map(len, queries)) == 50
    assert all(part["doc_id"].cast(int).is_sorted() for part in parts)
    assert pl.concat(parts).sort(pl.col("doc_id").cast(int)).equals(ROWS)
    assert partition.scan().collect().equals(pl.concat(parts))
    assert partition.columns == ("query_id", "doc_id")


def test_rows_without_a_query_are_in_a_slice_too():
    rows = pl.DataFrame({"query_id": [None, "q1", None], "doc_id": ["a", "b", "c"]})
    partition = Partition(3)
    partition.write(rows.lazy(), "rows")
    assert [part.collect()["query_id"].null_count() for part in partition] == [2, 0, 0]


def test_a_partition_without_rows_has_their_columns():
    partition = Partition(3)
    partition.write(ROWS.clear().lazy(), "rows")
    assert [part.collect().shape for part in partition] == [(0, 2)] * 3


def test_files_are_removed_with_the_partition(temporary):
    partition = Partition(3)
    partition.write(ROWS.lazy(), "rows")
    partition.write(ROWS.head(10).lazy(), "rows")
    assert len(list(temporary.glob("rankreport-*"))) == 1
    assert partition.scan().collect().height == 10
    del partition
    gc.collect()
    assert list(temporary.iterdir()) == []


def test_files_are_removed_if_rows_cannot_be_read(temporary):
    path = temporary / "rows.csv"
    path.write_text("query_id,score\nq1,1\nq2,high\n")
    rows = pl.scan_csv(path, schema={"query_id": pl.String, "score": pl.Int64})
    with pytest.raises(pl.exceptions.ComputeError):
        Partition(3).write(rows, "rows")
    assert list(temporary.iterdir()) == [path]


def test_no_temporary_folder_is_an_error(temporary, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "none"))
    with pytest.raises(rr.OutputError, match=r"there is no temporary folder.*Set TMPDIR"):
        Partition(3).write(ROWS.lazy(), "rows")


LIMITED = """
import resource, signal, tempfile
import polars as pl
import rankreport as rr
from rankreport.io import Partition

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    Partition(2).write(pl.LazyFrame({"query_id": map(str, range(100_000))}), "mine.run")
except rr.OutputError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are POSIX")
def test_no_space_is_an_error_that_names_the_folder(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    made = subprocess.run(
        [sys.executable, "-c", LIMITED],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        timeout=60,
    )
    expected = (
        f"mine.run is written in slices, and there is no space left in {tmp_path}. Set TMPDIR"
    )
    assert made.stdout.startswith(expected)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM"])
@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_a_command_that_is_ended_leaves_no_files(tmp_path, sent):
    run, qrels = tmp_path / "mine.run", tmp_path / "qrels.txt"
    n = pl.int_range(8_000_000).alias("n")
    rows = (
        pl.LazyFrame()
        .select(n)
        .select(
            query_id=pl.col("n").floordiv(100).cast(pl.String),
            q0=pl.lit("Q0"),
            doc_id=pl.col("n").cast(pl.String),
            rank=pl.lit(1),
            score=pl.lit(0.5),
            tag=pl.lit("tag"),
        )
    )
    rows.sink_csv(run, include_header=False, separator=" ")
    qrels.write_text("1 0 100 1\n")
    place = tmp_path / "temporary"
    place.mkdir()
    command = [sys.executable, "-m", "rankreport", "evaluate", qrels, run, "--memory", "500MB"]
    environment = {**os.environ, "TMPDIR": str(place)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as child:
        for _ in range(600):
            if list(place.glob("rankreport-*/*")):
                break
            time.sleep(0.05)
        assert child.poll() is None
        child.send_signal(getattr(signal, sent))
        _, messages = child.communicate(timeout=60)
    assert child.returncode not in {0, 70}
    assert not re.search("Traceback", messages)
    assert list(place.iterdir()) == []
