"""Which tests there are."""

from __future__ import annotations

import os
from pathlib import Path

# Reports carry a date: the same in all tests, whatever the day.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1795305600")

DATA = Path(__file__).parents[2] / "shared" / "data"

# The acceptance tests need collections that are no part of this repository.
collect_ignore_glob = [] if DATA.is_dir() else ["acceptance/*"]
