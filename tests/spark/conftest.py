"""A server of Spark Connect without a JVM, for everyday tests."""

from __future__ import annotations

from functools import partial

import pytest
from spark_sessions import remote_rows, sail


@pytest.fixture(scope="session")
def session():
    """A session of Sail."""
    with sail() as session:
        yield session


@pytest.fixture(scope="session")
def remote(session):
    """Return a function that makes a DataFrame of rows."""
    return partial(remote_rows, session)
