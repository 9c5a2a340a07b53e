"""Which tests there are, and which of them keep to one worker."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Reports carry a date: the same in all tests, whatever the day.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1795305600")

DATA = Path(__file__).parents[2] / "shared" / "data"

# The acceptance tests need collections that are no part of this repository.
collect_ignore_glob = [] if DATA.is_dir() else ["acceptance/*"]

TOGETHER = {
    "acceptance/test_report_on_real_runs.py": "real runs",
    "contracts/test_accessibility.py": "accessibility",
    "contracts/test_determinism.py": "determinism",
    "contracts/test_packaging.py": "packaging",
    "reports/test_jupyterlab.py": "jupyterlab",
    "reports/test_leaderboard.py": "leaderboard",
}
"""Modules that keep to one worker, since what they share takes long to make."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Send each of these modules, or those of one name, to one worker.

    Marks would do, but pytest-xdist 3.8 does not see them with pytest 9.2 (its issue 1386).
    """
    from xdist.scheduler import LoadGroupScheduling

    class Together(LoadGroupScheduling):
        def _split_scope(self, nodeid):
            path = nodeid.partition("::")[0].removeprefix("tests/")
            return TOGETHER.get(path) or super()._split_scope(nodeid)

    return Together(config, log)
