"""Sessions of Spark for tests, and programs that start their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


@contextmanager
def sail() -> Iterator[SparkSession]:
    """Serve Spark Connect without a JVM, and yield a session of it."""
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer()
    server.start(background=True)
    _, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    yield session
    session.stop()
    server.stop()


def remote_rows(session: SparkSession, rows: object) -> DataFrame:
    """Return rows as a DataFrame of Spark."""
    frame = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows)
    whole = frame.clear(1) if frame.is_empty() else frame  # Spark infers no type of nothing
    made = session.createDataFrame(whole.to_arrow(compat_level=pl.CompatLevel.oldest()))
    return made.limit(len(frame)) if frame.is_empty() else made


def printed_by(program: Path, *arguments: str, timeout: int) -> dict[str, Any]:
    """Run a program with a session of its own, and return the JSON that it prints last."""
    # A session of Sail in this process has left its address in the environment.
    own = {name: of for name, of in os.environ.items() if not name.startswith("SPARK_")}
    path = os.pathsep.join([str(program.parent), *filter(None, sys.path)])
    ended = subprocess.run(
        [sys.executable, program, *arguments],
        env={**own, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-4000:]
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found
