"""Scores on a cluster of two executors, one of which is killed while it works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "helpers" / "spark_cluster.py"


@pytest.mark.slow
@pytest.mark.needs("java")
def test_scores_are_equal_after_an_executor_was_killed():
    """The rows of a query are split over partitions, so without an exchange scores would differ."""
    # A session of Sail in this process has left its address in the environment.
    own = {name: of for name, of in os.environ.items() if not name.startswith("SPARK_")}
    environment = {**own, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    ended = subprocess.run(
        [sys.executable, PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-4000:]
    found = json.loads(ended.stdout.splitlines()[-1])
    assert found["exchanges"] >= 2, "the rows of a query may be on several executors"
    assert found["equal"]
    assert found["killed"], "no executor was killed"
    assert found["equal_after_loss"]
    assert found["compared"]
    assert found["p_values"] == found["expected_p_values"]
