"""Requirements on measures of all users at once: coverage, Gini, personalisation."""

from __future__ import annotations

import polars as pl
import pytest

import rankreport as rr

USERS = [f"u{n:02}" for n in range(40)]
ITEMS = {f"i{n:02}": "ab"[n % 2] for n in range(60)}


# Narrow shows two items to all; wide shows every other user another third item.
NARROW = {user: ["i00", "i01"] for user in USERS}
WIDE = {user: [*NARROW[user], f"i{n + 2:02}"][: 3 - n % 2] for n, user in enumerate(USERS)}
RELEVANT = {user: ["i00"] for user in USERS}


def compared(old=NARROW, new=WIDE, *, known=True, **options):
    items = {"items": ITEMS} if known else {}
    made = rr.evaluate(RELEVANT, {"old": old, "new": new}, "nDCG@3", **items)
    return rr.compare(made, baseline="old", **options)


def test_a_gate_decides_on_the_difference_that_exposure_gives():
    comparison = compared()
    asked = ["coverage@3 > 0", "Gini@3 < 0.02", "catalog_coverage@2 > -0.01"]
    gate = rr.gate(comparison, asked)
    rows = comparison.evaluation.exposure([2, 3], baseline="old")
    shown = gate.table().select("measure", "delta", "ci_low", "ci_high", "outcome", "decided_by")
    first, second, third = shown.rows()
    low, high = rows.filter(measure="coverage", k=3).select("ci_low", "ci_high").row(0)
    assert first == ("coverage@3", pytest.approx(20 / 60), low, high, "pass", "interval")
    assert second[0] == "gini@3"
    assert second[-2:] == ("pass", "interval")
    # To two items, the lists are the same.
    assert third[-2:] == ("pass", "identical_results")
    assert gate.table()["n_changed"].to_list() == [20, 20, 0]
    assert gate.exit_code == 0
    assert "from how much each user changes them" in repr(gate)


def test_a_margin_is_one_sided_and_several_candidates_are_corrected():
    made = rr.evaluate(RELEVANT, {"old": NARROW, "new": WIDE, "other": WIDE}, "nDCG@3", items=ITEMS)
    both = rr.compare(made, baseline="old")
    alone = rr.gate(compared(), "gini@3 < 0.1").table()
    of_two = rr.gate(both, "gini@3 < 0.1").table()
    assert alone["confidence"].to_list() == [0.9]
    assert (of_two["ci_high"] > alone["ci_high"][0]).all()
    uncorrected = rr.gate(rr.compare(made, baseline="old", correction="none"), "gini@3 < 0.1")
    assert uncorrected.table()["ci_high"].to_list() == alone["ci_high"].to_list() * 2


def test_what_falls_fails_and_what_few_users_make_is_open():
    back = compared(WIDE, NARROW)
    assert rr.gate(back, "coverage@3 > -0.1").outcome == "fail"
    assert rr.gate(back, "coverage@3 > -0.1", scope="these").outcome == "fail"
    few = {user: NARROW[user] + (["i05", "i06"] if n < 5 else []) for n, user in enumerate(USERS)}
    found = rr.gate(compared(NARROW, few), "personalisation@4 > 0").table()
    assert found.select("n_changed", "outcome", "decided_by").row(0) == (
        5,
        "inconclusive",
        "too_few_changed",
    )


def test_they_decide_nothing_unless_asked():
    fallen = compared(WIDE, NARROW)
    assert rr.gate(fallen, "nDCG@3 > -0.1").outcome == "pass"
    assert rr.gate(fallen, ["nDCG@3 > -0.1", "coverage@3 > -0.1"]).outcome == "fail"
    assert fallen.table()["measure"].to_list() == ["nDCG@3"]


@pytest.mark.parametrize(
    ("requirement", "options", "words"),
    [
        ("coverage@3 > 0", {"known": False}, r"needs the catalogue: .*--items.*--history"),
        ("median(coverage@3) > 0", {}, r"one value of all users. Require 'coverage@3 > 0'"),
        ("coverage@3 > 0.5", {}, "looks like a level"),
        ("coverage@x > 0", {}, "Give the cut-off as a number"),
        ("coverage@3 > 0 in every kind", {}, "not of groups. Require 'coverage@3 > 0'"),
        ("coverage@3 > 0", {"clusters": "kind"}, "knows no clusters. Compare without"),
    ],
)
def test_what_has_no_such_interval_is_refused(requirement, options, words):
    queries = pl.DataFrame({"query_id": USERS, "kind": ["a", "b", "c", "d"] * 10})
    comparison = compared(queries=queries, **options)
    with pytest.raises(rr.errors.RankReportError, match=words):
        rr.gate(comparison, requirement)


def test_personalisation_needs_no_catalogue():
    assert rr.gate(compared(known=False), "personalisation@3 > 0").outcome == "pass"


def test_a_loaded_evaluation_has_no_lists(tmp_path):
    comparison = compared()
    comparison.evaluation.write_parquet(tmp_path / "scores.parquet")
    loaded = rr.compare(rr.load_evaluation(tmp_path / "scores.parquet"), baseline="old")
    with pytest.raises(rr.DataError, match="contains no lists"):
        rr.gate(loaded, "coverage@3 > 0")
