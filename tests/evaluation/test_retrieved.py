"""evaluate_retrieved(): the scores of lists, and what is said of texts that nobody returned."""

from __future__ import annotations

import pytest

import rankreport as rr
from rankreport.evaluation.retrieved import RETRIEVED_MEASURES

EXPECTED = [["the  first", "second"], ["third"], []]
RETRIEVED = [["the first", "other"], ["fourth"], ["the first"]]


def test_the_scores_are_worked_by_hand():
    found = rr.evaluate_retrieved(
        expected=[["d1"], ["d2", "d3"]], retrieved=[["d9", "d1"], ["d3", "d8"]]
    )
    assert tuple(map(str, found.measures)) == RETRIEVED_MEASURES
    # RR 1/2 and 1; hits 1 and 1; recall 1 and 1/2; precision 1/2 and 1/2
    assert found.summary().row(0)[2:] == (0.75, 1.0, 0.75, 0.5)


def test_a_query_without_expected_documents_is_left_out_and_counted():
    found = rr.evaluate_retrieved(expected=EXPECTED, retrieved=RETRIEVED)
    assert found.query_ids == ["1", "2"]
    assert found.quality["n_unjudged"].to_list() == [1]


def test_texts_that_nobody_returned_are_a_caution(tmp_path):
    found = rr.evaluate_retrieved(expected=EXPECTED, retrieved=RETRIEVED, match="text")
    (caution,) = [each for each in found.cautions if each.code == "unmatched_texts"]
    assert caution.severity == "look"
    assert caution.count == 2
    assert "2 of 3 texts expected are returned by no system" in caution.text
    found.write_parquet(tmp_path / "scores.parquet")
    assert rr.load_evaluation(tmp_path / "scores.parquet").cautions == found.cautions


@pytest.mark.parametrize("match", [None, "text"])
def test_there_is_none_of_ids_and_of_texts_that_are_found(match):
    found = rr.evaluate_retrieved(expected=[["a"]], retrieved=[["a"]], match=match)
    assert "unmatched_texts" not in [each.code for each in found.cautions]


def test_it_is_compared_and_reported():
    lists = {"old": RETRIEVED, "new": [["second", "the first"], ["third"], []]}
    found = rr.evaluate_retrieved(expected=EXPECTED, retrieved=lists, match="text", primary="R")
    compared = rr.compare(found, resamples=200)
    assert compared.table().filter(measure="R")["delta"].to_list() == [0.75]
    assert "new" in rr.report(compared).to_markdown()


def test_names_of_other_tools_are_read():
    found = rr.evaluate_retrieved(
        expected=[["a"]],
        retrieved=[["b", "a"]],
        measures=["hit_rate", "hit@1", "HR@2", "Recall@5", "NDCG_at_10", "mrr_at_10"],
        name="bge",
    )
    assert found.systems == ("bge",)
    assert found.summary().columns[1:] == [
        *("Success", "Success@1", "Success@2", "R@5", "nDCG@10", "RR@10"),
    ]


@pytest.mark.parametrize("rule", ["max", "first"])
def test_passages_are_folded_into_the_documents_expected(rule):
    chunks = {"a": [["d2#1", "d2#4", "d1#3"], ["d3#0", "d3#0"]], "b": [["d1#9"], ["d4#1", "d3#2"]]}
    folded = {"a": [["d2", "d1"], ["d3"]], "b": [["d1"], ["d4", "d3"]]}
    found = rr.evaluate_retrieved(
        expected=["d1", "d3"], retrieved=chunks, collapse=rule, document_of="#"
    )
    plain = rr.evaluate_retrieved(expected=["d1", "d3"], retrieved=folded)
    assert found.scores.equals(plain.scores)
    assert [each.count for each in found.cautions if each.code == "folded"] == [2]


def test_a_document_that_is_repeated_is_folded_without_a_separator():
    given = {"expected": [["d1"]], "retrieved": [["d2", "d2", "d1"]], "measures": "RR"}
    with pytest.raises(rr.DataError, match="retrieved twice"):
        rr.evaluate_retrieved(**given)
    assert rr.evaluate_retrieved(**given, collapse="max").summary().rows() == [("run", 0.5)]
    with pytest.raises(rr.OptionError, match="document_of needs a rule"):
        rr.evaluate_retrieved(expected=[["d1"]], retrieved=[["d1#2"]], document_of="#")


def test_texts_and_their_documents():
    found = rr.evaluate_retrieved(
        expected=["A"],
        retrieved=[["x y", "z"]],
        match="text",
        collapse="max",
        document_of={"x y": "B", "z": "A"},
        measures="RR",
    )
    assert found.summary().rows() == [("run", 0.5)]
    assert "unmatched_texts" not in [each.code for each in found.cautions]
