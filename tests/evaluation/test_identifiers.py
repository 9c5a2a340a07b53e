"""Ids that match only when they are spelled alike, and those that do not match."""

from __future__ import annotations

import polars as pl
import pytest

from rankreport.evaluation.identifiers import (
    GROUP,
    ID,
    WEIGHT,
    common_spelling,
    document_spelling,
    fitting,
    query_spelling,
)


def ids(*names, group="q1"):
    return pl.DataFrame(
        {GROUP: [group] * len(names), ID: names, WEIGHT: [0.0] * len(names)},
        schema={GROUP: pl.String, ID: pl.String, WEIGHT: pl.Float64},
    )


@pytest.mark.parametrize(
    ("judged", "returned", "remedy"),
    [
        (["A-1", "A-2"], ["doc_A-1", "doc_A-2"], "strip 'doc_' from the run"),
        (["doc_A-1", "doc_A-2"], ["A-1", "A-2"], "strip 'doc_' from the judgments"),
        (["a", "b"], ["a.txt", "b.txt"], "strip '.txt' from the run"),
        (["a.txt", "b.txt"], ["a", "b"], "strip '.txt' from the judgments"),
        (["a ", " b"], ["a", "b"], "strip the white space"),
        (["a\u00a0"], ["a"], "strip the white space"),
        (["Ab", "Cd"], ["ab", "cd"], "write them in the same case"),
        (["1", "2"], ["1.0", "2.0"], "write them as whole numbers: strip '.0'"),
        (["1.0", "-2.00"], ["1", "-2"], "write them as whole numbers: strip '.0'"),
        (["007", "08"], ["7", "8"], "strip the leading zeros"),
        ([" AB ", " CD"], ["ab", "cd"], "spell them alike: white space, case, zeros"),
        (
            ["a", "b"],
            ["a#1", "b#2", "b#3"],
            "fold passages: collapse='max', document_of='#' (--collapse max --document-of '#')",
        ),
        (
            ["a", "b"],
            ["a-chunk-1", "b-chunk-2"],
            (
                "fold passages: collapse='max', document_of='-chunk-' "
                "(--collapse max --document-of '-chunk-')"
            ),
        ),
        (["1", "2"], ["d1", "d2"], "strip 'd' from the run"),
    ],
)
def test_a_spelling_by_hand(judged, returned, remedy):
    found = common_spelling(ids(*judged), ids(*returned))
    assert found.remedy == remedy
    assert found.judged in judged
    assert found.returned in returned
    assert found.n == len(returned)


@pytest.mark.parametrize(
    ("judged", "returned"),
    [
        (["a", "b"], ["x", "y"]),
        (["1", "2"], ["11", "12"]),  # a digit more is another number
        (["a", "b"], ["ab", "x"]),  # once may be chance
        ([], ["a"]),
        (["a"], []),
        (["", "b"], ["xy", "z"]),
    ],
)
def test_no_spelling_is_made_up(judged, returned):
    assert common_spelling(ids(*judged), ids(*returned)) is None


def test_ids_match_within_their_query_alone():
    returned = ids("doc_a", "doc_b", group="q2")
    assert common_spelling(ids("a", "b"), returned) is None


def test_few_of_many_are_chance():
    judged = [f"j{i}" for i in range(1000)]
    returned = [f"r{i}" for i in range(997)]
    few = [f"{name} " for name in judged[:3]]
    assert common_spelling(ids(*judged), ids(*returned, *few)) is None
    some = [f"{name} " for name in judged[:30]]
    assert common_spelling(ids(*judged), ids(*returned, *some)).n == 30


def test_the_spelling_that_matches_most_wins():
    judged = [*(f"A{i}" for i in range(10)), "b0"]
    found = common_spelling(ids(*judged), ids(*(f"x/A{i}" for i in range(10)), "b0 "))
    assert (found.how, found.n) == ("prefix", 10)


def test_queries_that_match_already_are_left_alone():
    judged, returned = pl.Series(["1", "2", "3"]), pl.Series(["1", "2.0", "3.0", "9"])
    found = query_spelling(judged, returned)
    assert (found.how, found.n) == ("number", 2)
    assert fitting(found) == "Judged '2', returned '2.0': write them as whole numbers: strip '.0'."
    assert query_spelling(judged, judged) is None


def test_many_queries_are_compared_in_bounded_work():
    judged = pl.Series([f"{i}" for i in range(20_000)])
    found = query_spelling(judged, "topic-" + judged)
    assert (found.how, found.text) == ("prefix", "topic-")


def test_documents_are_compared_query_by_query():
    judgments = pl.DataFrame(
        {"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "c"], "relevance": [1.0, 0.0, 2.0]}
    )
    run = pl.DataFrame(
        {
            "query_id": ["q1", "q1", "q2", "q9"],
            "doc_id": ["A", "b", "C", "B"],
            "score": [3.0, 2.0, 1.0, 5.0],
        }
    )
    found = document_spelling(judgments, run)
    assert (found.how, found.n) == ("case", 2)
