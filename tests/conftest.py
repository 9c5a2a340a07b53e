"""Which tests there are."""

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
