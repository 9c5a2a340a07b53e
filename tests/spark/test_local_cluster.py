"""Executors of their own: they are sent the package, and one is killed while it works."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from spark_sessions import printed_by

pytestmark = [pytest.mark.slow, pytest.mark.needs("java")]

CLUSTER, CONNECT = "spark_cluster.py", "spark_packages.py"


@cache
def found_by(program):
    """Return what a program found; each is run once, for starting Spark takes long."""
    return printed_by(Path(__file__).parents[1] / "helpers" / program, timeout=900)


@pytest.mark.parametrize("program", [CLUSTER, CONNECT])
def test_executors_without_rankreport_are_sent_it(program):
    found = found_by(program)
    assert "The executors have no module 'rankreport'" in found["error"]
    assert "rankreport.spark.add_package(session) sends it; then evaluate again." in found["error"]
    assert found["equal"]


def test_scores_are_equal_after_an_executor_was_killed():
    """The rows of a query are split over partitions, so without an exchange scores would differ."""
    found = found_by(CLUSTER)
    assert found["exchanges"] >= 2, "the rows of a query may be on several executors"
    assert found["equal_on_both"]
    assert found["killed"], "no executor was killed"
    assert found["equal_after_loss"]
    assert found["compared"]
    assert not found["differ"]
