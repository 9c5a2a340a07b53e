"""What queries that one system alone answered make of a difference."""

from __future__ import annotations

import pytest

import rankreport as rr
from rankreport.comparison.contrasts import OneSided, one_sided

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
        comparison._contrasts,
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
    assert made.verdict().word == "worse"
    caution = made.cautions[0]
    assert (caution.code, caution.severity) == ("one_sided", "stop")
    assert caution.text == (
        "Most of a difference comes from queries for which one system returned nothing: "
        "new against old (20 of 40 queries; without them +0.167 instead of -0.083)."
    )
    assert caution.remedy == "Is its run complete?"
    assert made.verdict().check.startswith(f"Check the data first: {caution}")
    assert rr.report(made).to_markdown().splitlines()[2].startswith("**Check the data first: ")


def test_the_baseline_may_be_the_one_that_returned_nothing():
    made = compared(lists(2, silent=30), lists(2))
    (found,) = found_in(made).values()
    assert found == (30, 1.0, 0.0)
    assert made.verdict().word == "better"
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
