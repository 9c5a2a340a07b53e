"""Pairs in blocks, and what queries that one system alone answered make of a difference."""

from __future__ import annotations

import numpy as np
import pytest
from polars.testing import assert_frame_equal

import rankreport as rr
from rankreport.comparison import paired_differences
from rankreport.comparison.differences import plain_table_of
from rankreport.comparison.every_pair import differences_from_best
from rankreport.comparison.paired_differences import OneSided, contrasts_of, one_sided

QUERIES = [f"q{i:02}" for i in range(40)]
QRELS = {query: {"d": 1} for query in QUERIES}


def lists(place, *, silent=0):
    """Return the relevant document at this place for every query, and nothing for the last ones."""
    found = {f"x{i}": 10.0 - i for i in range(place - 1)} | {"d": 1.0}
    return {query: dict(found) for query in QUERIES[: len(QUERIES) - silent]}


def compared(old, new, **options):
    return rr.compare(rr.evaluate(QRELS, {"old": old, "new": new}, ["RR"]), **options)


def found_in(comparison):
    return one_sided(
        contrasts_of(comparison),
        "RR",
        comparison.evaluation.unanswered,
        comparison.evaluation.query_ids,
    )


def test_the_share_and_what_is_left_are_those_worked_by_hand():
    # 1 - 1/2 on 30 queries, 0 - 1/2 on 10: a net 15 - 5 = 10, of which the 10 make -1/2.
    made = compared(lists(2), lists(1, silent=10))
    ((old, new),) = made.pairs
    assert found_in(made) == {(old, new): OneSided(10, -0.5, 0.5)}
    assert "one_sided" not in {each.code for each in made.cautions}


def test_a_difference_that_turns_without_them_is_to_be_checked_first():
    # 1/2 - 1/3 on 20 queries, 0 - 1/3 on 20: 10/3 - 20/3, twice the net difference.
    made = compared(lists(3), lists(2, silent=20))
    (found,) = found_in(made).values()
    assert found == (20, pytest.approx(2.0), pytest.approx(1 / 6))
    assert made.verdict().word == "check first"
    assert made.decision.verdict.decided_by == "missing"
    caution = made.cautions[0]
    assert (caution.code, caution.severity) == ("one_sided", "stop")
    assert caution.text == (
        "Most of a difference comes from queries for which one system returned nothing: "
        "new against old (20 of 40 queries; without them +0.167 instead of -0.083)."
    )
    assert caution.remedy == "Is its run complete?"
    assert made.verdict().words.check.startswith(f"Check the data first: {caution}")
    assert rr.report(made).to_markdown().splitlines()[2].startswith("**Check the data first: ")


def test_the_baseline_may_be_the_one_that_returned_nothing():
    made = compared(lists(2, silent=30), lists(2))
    (found,) = found_in(made).values()
    assert found == (30, 1.0, 0.0)
    assert made.verdict().word == "check first"
    assert made.decision.verdict.found.word == "better"
    (caution,) = [each for each in made.cautions if each.code == "one_sided"]
    assert "30 of 40 queries; without them 0.000 instead of +0.375" in caution.text


def test_what_both_left_out_is_no_matter():
    made = compared(lists(2, silent=10), lists(1, silent=10))
    assert found_in(made) == {}


def test_queries_count_by_their_weights():
    weights = {query: 0.0 if at >= 35 else 1.0 for at, query in enumerate(QUERIES)}
    made = compared(lists(2), lists(1, silent=10), weights=weights)
    (found,) = found_in(made).values()
    # 30 * 1/2 - 5 * 1/2 = 12.5, of which the five make -2.5.
    assert found == (5, pytest.approx(-0.2), 0.5)


def test_where_nothing_else_is_left_there_is_no_other_difference():
    made = compared(lists(2, silent=20), {query: {"d": 1.0} for query in QUERIES[20:]})
    (found,) = found_in(made).values()
    assert found.n == 40
    assert found.delta is None
    (caution,) = [each for each in made.cautions if each.code == "one_sided"]
    assert caution.text.endswith(": new against old (40 of 40 queries).")


@pytest.mark.parametrize(
    ("pairs", "options"),
    [
        ("baseline", {}),
        ("all", {}),
        ("all", {"interval": "percentile"}),
        ("all", {"across": "measures"}),
        ("all", {"correction": "holm", "interval": "bca"}),
        ("all", {"correction": "none"}),
        ("all", {"clusters": {query: query[:2] for query in QUERIES} | {"q00": "alone"}}),
    ],
    ids=str,
)
def test_pairs_in_blocks_have_the_figures_of_all_at_once(monkeypatch, pairs, options):
    rng = np.random.default_rng(4)
    runs = {
        name: {
            query: {"d": float(rng.normal(skill)), "x": 0.0, "y": 0.5, "z": -0.5}
            for query in QUERIES
        }
        for name, skill in {"a": 0.2, "b": 0.9, "c": 0.5, "d": 0.3, "e": 1.2}.items()
    }
    evaluation = rr.evaluate(QRELS, runs, ["RR", "P@1"])

    def figures():
        made = rr.compare(evaluation, pairs=pairs, resamples=300, **options)
        wide = contrasts_of(made).is_wide
        return wide, [
            plain_table_of(made),
            differences_from_best(made),
            made.intervals(),
            made.effects(),
        ]

    wide, whole = figures()
    assert not wide
    # Blocks of one or two pairs.
    monkeypatch.setattr(paired_differences, "MOST_REPLICATES", 300 * 2 * 2)
    wide, parts = figures()
    assert wide
    for one, other in zip(whole, parts, strict=True):
        assert_frame_equal(one, other, rel_tol=1e-12, abs_tol=1e-12)


def test_some_pairs_keep_the_intervals_of_their_family():
    rng = np.random.default_rng(5)
    runs = {
        f"s{at}": {query: {"d": float(rng.normal(at / 3)), "x": 0.0} for query in QUERIES}
        for at in range(5)
    }
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=300)
    every = contrasts_of(comparison)
    (low, high), place = every.intervals("auto", 0.9), 2
    some = every.of_pairs(every.pairs[place : place + 1])
    found = [end.item() for end in some.intervals("auto", 0.9)]
    assert found == pytest.approx([low[place], high[place]], abs=1e-12)
    two = rr.evaluate(QRELS, {name: runs[name] for name in ("s0", "s3")}, ["RR"])
    alone, _ = contrasts_of(rr.compare(two, resamples=300)).intervals("auto", 0.9)
    assert alone.item() > low[place]
