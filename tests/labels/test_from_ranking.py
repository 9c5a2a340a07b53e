"""qrels_from_ranking(): the first documents of a ranking as judgments."""

from __future__ import annotations

import pytest

import rankreport as rr

RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"d": 1.0, "e": 1.0}}


def test_each_of_the_first_documents_is_relevant():
    assert rr.qrels_from_ranking(RUN, depth=2).qrels.rows() == [
        ("q1", "a", 1.0),
        ("q1", "b", 1.0),
        ("q2", "e", 1.0),
        ("q2", "d", 1.0),
    ]
    assert len(rr.qrels_from_ranking(RUN).qrels) == 5


@pytest.mark.parametrize("grades", [[3, 1.5, 1.5], {1: 3, 3: 1.5}])
def test_grades_by_rank(grades):
    made = rr.qrels_from_ranking(RUN, 3, grades=grades, ties="input").qrels
    assert made["relevance"].to_list() == [3.0, 1.5, 1.5, 3.0, 1.5]
    assert made["doc_id"].to_list() == ["a", "b", "c", "d", "e"]


def test_a_ranking_reproduces_itself():
    example = rr.load_example()
    run = example.runs["bm25"]
    qrels = rr.qrels_from_ranking(run, depth=5, grades=[5, 4, 3, 2, 1])
    found = rr.evaluate(qrels, {"self": run, "other": example.runs["fusion"]}, ["nDCG@5"])
    means = dict(found.summary().iter_rows())
    assert means["self"] == 1
    assert 0 < means["other"] < 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": 0}, "depth=0 must be at least 1"),
        ({"depth": "x"}, "depth takes a whole number"),
        ({"depth": 2, "grades": [1]}, "grades holds 1 numbers; expected one for each of the first"),
        ({"depth": 2, "grades": {1: 1}}, "must end at depth=2"),
        ({"depth": 2, "grades": {}}, "must end at depth=2"),
        ({"depth": 1, "grades": [float("nan")]}, "not a finite number"),
        ({"grades": "linear"}, "give numbers"),
        ({"ties": "expected"}, "ties='expected' is not one of"),
    ],
)
def test_invalid_options(options, message):
    with pytest.raises(rr.OptionError, match=message):
        rr.qrels_from_ranking(RUN, **options)
