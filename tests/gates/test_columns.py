"""Requirements on columns of one's own, in their unit."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankreport as rr
from rankreport.errors import OptionError

QUERIES = [f"q{i:03}" for i in range(60)]


@pytest.fixture(scope="module")
def comparison():
    """The new system takes 9 to 11 ms longer, and costs the same."""
    took = 50 + np.arange(60.0) % 7
    extra = 9 + (np.arange(60.0) % 3)
    table = pl.concat(
        pl.DataFrame({"query_id": QUERIES, "system": s, "latency": ms, "cost": 0.002})
        for s, ms in (("old", took), ("new", took + extra))
    )
    runs = {"old": {q: ["d1"] for q in QUERIES}, "new": {q: ["d1", "d2"] for q in QUERIES}}
    made = rr.evaluate({q: {"d1": 1} for q in QUERIES}, runs, ["nDCG@10", "RR"])
    how = {"better": {"latency": "low", "cost": "low"}, "unit": {"latency": "ms", "cost": "USD"}}
    return rr.compare(made.with_columns(table, **how))


@pytest.mark.parametrize(
    ("requirement", "outcome"),
    [
        ("latency < 12", "pass"),
        ("latency < 9", "fail"),
        ("latency < 10", "inconclusive"),
        ("latency < 0", "fail"),
        ("p50(latency) < 12", "pass"),
        ("latency [ms] < 12", "pass"),
    ],
)
def test_a_requirement_is_decided_by_the_interval_in_its_unit(comparison, requirement, outcome):
    [finding] = rr.gate(comparison, requirement).findings
    assert finding.outcome == outcome
    assert finding.difference.delta == pytest.approx(10)


def test_messages_have_the_unit(comparison):
    [finding] = rr.gate(comparison, "latency < 9").findings
    assert finding.requirement.words == "latency may rise by at most 9 ms"
    assert finding.requirement.limit == "+9 ms"
    assert finding.change == "+10.0 ms"
    assert "it changed by +10.0 ms (one-sided 95 % lower bound +9.8 ms)" in finding.reason


def test_rare_failures_need_the_largest_loss_of_a_query(comparison):
    [finding] = rr.gate(comparison, "latency < 12").findings
    assert (
        "latency [ms] has no bound; give the largest loss that a query can have" in finding.reason
    )
    # Of 60 queries 4.9 % may each take 100 ms longer: 4.9 ms, more than the margin leaves.
    [finding] = rr.gate(comparison, "latency < 12", largest_loss=100).findings
    assert (finding.outcome, finding.decided_by) == ("inconclusive", "rare_failures")
    assert finding.ci_high == pytest.approx(10 + 100 * (1 - 0.05 ** (1 / 60)))


def test_what_did_not_change_passes_only_where_its_loss_has_a_bound(comparison):
    [finding] = rr.gate(comparison, "cost < 0.001").findings
    assert finding.outcome == "inconclusive"
    [finding] = rr.gate(comparison, "cost < 0.001", largest_loss=0.01).findings
    assert finding.outcome == "pass"
    assert "lose the most possible (0.01)" in finding.reason


def test_figures_of_one_unit_have_the_same_decimals(comparison):
    shown = str(rr.gate(comparison, ["nDCG@10 > -0.1", "latency < 12"]))
    assert "+10.0 ms" in shown
    assert "+10.000" not in shown


def test_a_column_that_was_not_joined_is_no_measure(comparison):
    with pytest.raises(rr.errors.MeasureError, match="'latencies' is not a measure"):
        rr.gate(comparison, "latencies < 12")
    with pytest.raises(OptionError, match="require the same"):
        rr.gate(comparison, ["latency < 12", "latency [ms] < 12"])


def test_a_quantile_without_an_interval_says_how_many_queries_it_takes(comparison):
    [finding] = rr.gate(comparison, "p95(latency) < 12").findings
    assert (finding.outcome, finding.decided_by) == ("inconclusive", "no_interval")
    assert "p95 needs 200 queries with a value, 60 are there" in finding.reason
