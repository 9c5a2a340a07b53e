"""Facts of parts of the queries, joined: what is known of all."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sliced import in_slices

import rankreport as rr
from rankreport.evaluation.facts import (
    RELEVANT,
    UNANSWERED,
    facts_of_check,
    fingerprints_within,
    tie_bounds,
)
from rankreport.evaluation.query_names import Names, lowest_hashes
from rankreport.evaluation.run_counts import RunCounts

QRELS = {
    "q1": {"a": 1, "b": 0, "c": 2},
    "q2": {"a": 0, "d": 1},
    "q3": {"e": 1, "f": 0},
    "q4": {"a": 1},
}
RUN = {
    "q1": {"c": 3.0, "b": 2.0, "a": 2.0},
    "q2": {"x": 2.0, "d": 1.0},
    "q3": {"f": 1.0, "e": 1.0, "z": 0.5},
    "q9": {"a": 1.0},
}


def origin_of(queries):
    """The results of some queries, as of a slice."""
    of_these = pl.col("query_id").is_in(queries)
    qrels = rr.read_qrels(QRELS).filter(of_these)
    run = rr.read_run(RUN).filter(of_these)
    made = rr.evaluate(qrels, {"mine": run}, ["nDCG@2"])
    return made._origin


def test_facts_of_parts_are_those_of_all():
    measures = (rr.nDCG @ 2, rr.AP)
    parts = [origin_of(each) for each in (["q1", "q4"], ["q2"], ["q3", "q9"])]
    whole = origin_of([*QRELS, "q9"])
    others = (tie_bounds([*measures, rr.NumRelRet]), fingerprints_within(2), RELEVANT, UNANSWERED)
    for fact in (*facts_of_check(measures, measures[0]), *others):
        found = fact.joined([fact.find(part) for part in parts], ["mine"])
        expected = fact.find(whole).select(found.columns)
        key = [name for name in fact.keys if name != "k"]
        one, other = (rows.sort(key) for rows in (found, expected))
        assert_frame_equal(one, other, check_dtypes=False, abs_tol=1e-15)


def test_values_of_facts_by_hand():
    whole = origin_of([*QRELS, "q9"])
    facts = {fact.name: fact.find(whole) for fact in facts_of_check((rr.nDCG @ 2,), rr.nDCG @ 2)}
    # Two of three answered queries have an unjudged document: x in the first two, z below them.
    assert facts["coverage"]["unjudged"].to_list() == [pytest.approx((0 + 1 / 2 + 0) / 3)]
    assert facts["unanswered"].rows() == [("mine", ["q4"])]
    assert facts["lists"].select("n_short", "n_lists", "longest").row(0) == (0, 3, 3)
    assert facts["scores as grades"].row(0) == ("mine", 6, False)
    assert sorted(facts["grades"]["relevance"]) == [0, 1, 2]


def test_names_of_all_are_kept_if_they_are_few_and_else_those_with_the_lowest_hashes():
    ids = pl.Series([f"q{n}" for n in range(1, 91)])
    whole = Names.of(ids, 30)
    parts = [Names.of(ids.gather_every(3, n), 30) for n in range(3)]
    joined = Names.joined(parts)
    assert (joined.n, joined.whole, joined.first) == (90, True, ["q1", "q10", "q11", "q12", "q13"])
    assert joined.some.head(30).equals(whole.some)
    few = Names.joined([Names.of(ids.gather_every(3, n), 10) for n in range(3)])
    assert not few.whole
    assert few.some.equals(whole.some.head(len(few.some)))
    # An id is kept on both sides if it is on one, whatever stands before its number.
    other = Names.of("topic-" + ids.str.slice(1).str.zfill(4), 30)
    assert {*other.some["query_id"].str.slice(-2).cast(int)} == {
        *whole.some["query_id"].str.slice(1).cast(int)
    }


def test_the_queries_looked_at_are_the_same_in_every_part():
    ids = pl.Series([f"q{n}" for n in range(90)])
    looked_at = ids.gather(lowest_hashes(ids, 20))
    assert looked_at.is_sorted() is False  # in the order given
    some = Names.of(ids, 50, by_digits=False).some["query_id"]
    assert {*looked_at} == {*some.head(20)}
    kept = some.sort()
    assert {*kept.gather(lowest_hashes(kept, 20))} == {*looked_at}


@pytest.mark.parametrize("n_parts", [None, 2])
def test_a_check_looks_at_the_scores_of_as_many_queries_as_an_evaluation(n_parts):
    """Ids are looked at of more queries; whether judgments and runs are swapped is one finding."""
    qrels = {f"q{n}": {"a": n % 3, "b": 1} for n in range(60)}
    run = {query: {"a": 2.0 + int(query[1:]), "c": 1.0} for query in qrels}
    looks = []
    for n in (50, 300):
        made = rr.evaluate(qrels, {"mine": run}, ["nDCG@2"])
        of = in_slices(made, n_parts, judgments=True) if n_parts else made
        looks.append(replace(of._origin, n_looked_at=n).judged.looks["mine"])
    few, many = looks
    assert (few.n_sampled, many.n_sampled) == (50, 60)
    assert len(many.judgments) == 120
    assert few.grades == many.grades
    assert few.scores == many.scores
    assert few.scores.n == 100


def test_ids_and_scores_of_a_labelled_list_are_looked_at_as_a_whole_only():
    queries = [n // 2 for n in range(40)]
    made = rr.evaluate_labelled([1, 0] * 20, [2.0, 1.0] * 20, qid=queries, measures="RR")
    parts = replace(made._origin, at_once=10)
    assert parts.n_parts == 4
    assert [part.judged.looks["run"].n_sampled for part in parts.parts()] == [0] * 4


def test_the_documents_looked_at_do_not_depend_on_the_order_of_rows():
    """Of 100 equal scores the first 50 by name are looked at, as on Spark."""
    rows = [("q", f"x{n}", 1.0) for n in range(60)] + [("q", f"d{n}", 1.0) for n in range(40)]
    for given in (rows, rows[::-1]):
        made = rr.evaluate({"q": {f"D{n}": 1 for n in range(40)}}, {"mine": given}, ["nDCG@10"])
        (caution,) = (each for each in made.cautions if each.code == "nothing_judged")
        assert "returned 'd0': write them in the same case" in caution.remedy


def test_counts_of_a_run_are_sums_and_the_median_is_that_of_all_lists():
    rows = rr.read_run(RUN).collect()
    judged = pl.Series([*QRELS])
    whole = RunCounts.of(RunCounts.lists_of(rows), judged, len(rows))
    assert (whole.n_rows, whole.n_scores, whole.median_length) == (9, 7, 2.5)
    assert (whole.extra.first, whole.unanswered.first) == (["q9"], ["q4"])
    parts = [
        RunCounts.of(RunCounts.lists_of(rows.filter(of_these)), judged.filter(some), 0)
        for of_these, some in (
            (pl.col("query_id").is_in(["q1", "q4"]), judged.is_in(["q1", "q4"])),
            (~pl.col("query_id").is_in(["q1", "q4"]), ~judged.is_in(["q1", "q4"])),
        )
    ]
    joined = RunCounts.joined(parts)
    assert joined.lengths.equals(whole.lengths)
    assert joined.median_length == 2.5
    assert [of.first for of in joined[4:7]] == [of.first for of in whole[4:7]]
