"""Scores on a cluster of two executors, one of which is killed while it works."""

from __future__ import annotations

from pathlib import Path

import pytest
from spark_sessions import printed_by

PROGRAM = Path(__file__).parents[1] / "helpers" / "spark_cluster.py"


@pytest.mark.slow
@pytest.mark.needs("java")
def test_scores_are_equal_after_an_executor_was_killed():
    """The rows of a query are split over partitions, so without an exchange scores would differ."""
    found = printed_by(PROGRAM, timeout=900)
    assert found["exchanges"] >= 2, "the rows of a query may be on several executors"
    assert found["equal"]
    assert found["killed"], "no executor was killed"
    assert found["equal_after_loss"]
    assert found["compared"]
    assert not found["differ"]
