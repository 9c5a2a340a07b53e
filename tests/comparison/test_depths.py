"""Differences at equal depth are those of lists that are really cut, wherever they come from."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from sliced import in_slices

import rankreport as rr

MEASURES = ["AP", "nDCG", "R@40", "bpref", "nDCG@10"]
N, DEEP, CUT = 24, 40, 15


def collection(seed=3, noise=(1.0, 0.8)):
    """Return judgments, and two runs that return 40 documents for each query."""
    rng = np.random.default_rng(seed)
    qrels, runs = {}, {"old": {}, "new": {}}
    for query in (f"q{at}" for at in range(N)):
        grades = {f"d{doc}": int(rng.random() < 0.2) for doc in range(0, DEEP, 2)} | {"d1": 1}
        qrels[query] = grades
        for name, level in zip(runs, noise, strict=True):
            runs[name][query] = {
                f"d{doc}": float(grades.get(f"d{doc}", 0) + level * rng.normal())
                for doc in range(DEEP)
            }
    return qrels, runs


def cut(run, depth=CUT):
    """Return a run with the first documents of each query alone."""
    return {
        query: dict(sorted(found.items(), key=lambda each: -each[1])[:depth])
        for query, found in run.items()
    }


def compared(qrels, runs, measures=MEASURES, **options):
    return rr.compare(rr.evaluate(qrels, runs, measures), resamples=200, **options)


def at_equal_depth(comparison):
    return comparison.decision.verdict.to_plain()["at_equal_depth"]


def test_the_differences_are_those_of_lists_that_are_cut():
    qrels, runs = collection()
    uneven = compared(qrels, {"old": runs["old"], "new": cut(runs["new"])})
    even = compared(qrels, {name: cut(run) for name, run in runs.items()}).table()
    deltas = dict(even.select("measure", "delta").iter_rows())
    del deltas["nDCG@10"]  # which looks at ten documents
    assert at_equal_depth(uneven) == pytest.approx(deltas, abs=1e-12)
    found = uneven.decision.verdict.found
    row = even.row(by_predicate=pl.col("measure") == "AP", named=True)
    assert (found.at_depth.ci_low, found.at_depth.ci_high) == pytest.approx(
        (row["ci_low"], row["ci_high"])
    )
    assert found.lengths == (DEEP, CUT)


def test_letters_that_equal_depth_takes_back_are_noted_in_latex():
    qrels, runs = collection()
    made = compared(qrels, {"old": runs["old"], "cut": cut(runs["old"])}, ["nDCG@10", "R@40"])
    words = "Lists of unequal length: R@40, cut against old, first 15 of both: 0.000."
    assert words in made.to_latex()
    assert words not in compared(qrels, runs, ["nDCG@10", "R@40"]).to_latex()


def test_a_run_and_its_own_cut_are_checked_first():
    qrels, runs = collection()
    made = compared(qrels, {"whole": runs["old"], "cut": cut(runs["old"])})
    decided = made.decision.verdict
    assert (decided.found.word, decided.word, decided.decided_by) == (
        "worse",
        "check first",
        "depth",
    )
    assert at_equal_depth(made) == {"AP": 0, "nDCG": 0, "R@40": 0, "Bpref": 0}
    [caution] = [each for each in made.cautions if each.code == "unequal_depth"]
    assert caution.severity == "stop"
    assert made.verdict().detail == ""  # nothing on rare failures of what is not valid
    assert "(15 documents, not 40; at equal depth AP 0.000 instead" in caution.text
    assert "nDCG@10" not in caution.text
    data = json.loads(rr.report(made).to_json())["decision"]["pairs"][0]
    assert (data["lengths"], data["at_equal_depth"]["AP"]) == ([DEEP, CUT], 0)
    assert "first 15 of both: 0.000" in made.table()["caution"][1]
    assert rr.gate(made, "AP > -0.24").outcome == "inconclusive"
    all_pairs = compared(
        qrels, {"whole": runs["old"], "cut": cut(runs["old"]), "new": runs["new"]}, ["AP"]
    )
    assert all_pairs.decision.pairs[("whole", "cut")].decided_by == "depth"


def test_other_measures_are_open_by_depth_or_unchanged():
    qrels, runs = collection()
    made = compared(
        qrels, {"whole": runs["old"], "cut": cut(runs["old"])}, ["P@5", "nDCG@10", "AP"]
    )
    others = {each.measure: (each.moves, each.open_by) for each in made.decision.verdict.others}
    assert others == {"nDCG@10": (0, "unchanged"), "AP": (0, "depth")}


@pytest.mark.parametrize(
    ("measures", "severity", "action"),
    [
        (["nDCG@10", "AP"], "note", "keep_better"),
        (["AP", "nDCG@10"], "look", "look_before_dropping"),
    ],
)
def test_the_action_depends_on_lengths_only_where_the_primary_measure_does(
    measures, severity, action
):
    qrels, runs = collection(noise=(0.6, 3.0))
    qrels = {query: dict.fromkeys(runs["old"][query], 0) | each for query, each in qrels.items()}
    made = compared(qrels, {"old": runs["old"], "new": cut(runs["new"])}, measures)
    decided = made.decision.verdict
    assert "unequal_depth" in {each.code for each in made.cautions}
    assert (decided.severity, decided.action.code) == (severity, action)


@pytest.mark.parametrize("measures", [["nDCG@10", "P@5"], ["RR@15"]])
def test_measures_within_the_shorter_lists_have_none(measures):
    qrels, runs = collection()
    made = compared(qrels, {"old": runs["old"], "new": cut(runs["new"])}, measures)
    assert at_equal_depth(made) == {}
    assert "unequal_depth" not in {each.code for each in made.cautions}


def test_lists_that_are_short_for_want_of_matches_are_no_finding():
    qrels, runs = collection()
    few = {
        query: cut({query: found}, 5 + at)[query]
        for at, (query, found) in enumerate(runs["new"].items())
    }
    assert at_equal_depth(compared(qrels, {"old": runs["old"], "new": few})) == {}
    nine = dict([*qrels.items()][:9])  # whose lengths may be equal by chance
    assert at_equal_depth(compared(nine, {"old": runs["old"], "new": cut(runs["new"])})) == {}


def test_slices_and_stored_scores_say_the_same(tmp_path):
    qrels, runs = collection()
    made = rr.evaluate(qrels, {"old": runs["old"], "new": cut(runs["new"])}, MEASURES)
    made.write_parquet(tmp_path / "scores.parquet")
    stored = rr.load_evaluation(tmp_path / "scores.parquet", systems=["new", "old"])
    whole, *others = (
        rr.compare(each, resamples=200)
        for each in (made, in_slices(made, 3, judgments=True), stored)
    )
    for other in others:
        assert other.decision.to_plain() == whole.decision.to_plain()
        assert other.cautions == whole.cautions
