"""A server of Spark Connect without a JVM, for everyday tests."""

from __future__ import annotations

import polars as pl
import pytest
from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def session():
    """A session of Sail."""
    server = SparkConnectServer()
    server.start(background=True)
    _, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    yield session
    session.stop()
    server.stop()


@pytest.fixture(scope="session")
def remote(session):
    """Return a function that makes a DataFrame of rows."""

    def made(rows):
        frame = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows)
        whole = frame.clear(1) if frame.is_empty() else frame  # Spark infers no type of nothing
        made = session.createDataFrame(whole.to_arrow(compat_level=pl.CompatLevel.oldest()))
        return made.limit(len(frame)) if frame.is_empty() else made

    return made
