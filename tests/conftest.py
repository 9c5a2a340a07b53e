"""Which tests there are, and which of them start first."""

from __future__ import annotations

import os
from pathlib import Path

# Reports carry a date: the same in all tests, whatever the day.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1795305600")

# Polars asks a store that refuses several times, and waits seconds between.
os.environ.setdefault("POLARS_CLOUD_MAX_RETRIES", "0")

DATA = Path(__file__).parents[2] / "shared" / "data"

# The acceptance tests need collections that are no part of this repository.
collect_ignore_glob = [] if DATA.is_dir() else ["acceptance/*"]

FIRST = ("test_local_cluster.py", "test_jupyterlab.py", "test_notebook.py", "test_memory.py")
"""Modules that take longest, or wait. Workers take whole modules, and end together if short ones
are left for the end."""


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.name not in FIRST)
