"""Why queries are lost, one reason each, and the documents behind more than one loss."""

from __future__ import annotations

import re
from itertools import permutations, product

import polars as pl
import pytest

import rankreport as rr
from rankreport.comparison import ComparedPair

LOSSES = {
    # c fell from rank 2 to the last: all of the loss is in the order.
    "low": ({"a": 1, "c": 1, "n": 0, "m": 0}, "acnm", "anmc", "ranked low"),
    # The system has a alone, as high as the baseline has it.
    "gone": ({"a": 1, "c": 1, "n": 0, "m": 0, "o": 0}, "acnm", "anmo", "not retrieved"),
    # c is gone (0.63 of a sum of 1.63), and a fell from rank 1 to 2 (0.37).
    "both": ({"a": 1, "c": 1, "n": 0, "m": 0, "o": 0}, "acnm", "namo", "not retrieved"),
    # On judged documents alone, a and c stand where they stood.
    "unjudged": ({"a": 1, "c": 1, "x": 0}, "acx", "uvac", "unjudged"),
    # With u left out, a still falls below x.
    "judged": ({"a": 1, "c": 1, "x": 0}, "acx", "uxca", "ranked low"),
    # The only relevant document, from rank 1 to 2.
    "one": ({"a": 1, "x": 0, "z": 0}, "axz", "xaz", "few relevant"),
    # The only relevant document, by two ranks.
    "two": ({"a": 1, "n": 0, "m": 0}, "anm", "nma", "ranked low"),
    # One rank, and only for u.
    "first": ({"a": 1, "n": 0}, "an", "uan", "unjudged"),
    # On judged documents alone, a stands where it stood; but it fell from rank 1 to 9.
    "far": ({"a": 1, "n": 0}, "an", "opqrstuvan", "ranked low"),
    "nothing": ({"a": 1, "n": 0}, "an", "", "not retrieved"),
}


def compared(queries, measure="nDCG@4"):
    """Compare lists of documents of one letter each, the baseline's first."""
    qrels = {query: grades for query, (grades, *_) in queries.items()}
    old, new = (
        {query: list(dict.fromkeys(case[side])) for query, case in queries.items() if case[side]}
        for side in (1, 2)
    )
    return rr.compare(qrels, {"old": old, "new": new}, measures=measure)


def reasons_of(comparison):
    return dict(comparison.reasons().select("query_id", "reason").iter_rows())


@pytest.mark.parametrize("measure", ["nDCG@4", "AP", "RR@4"])
def test_each_loss_has_the_first_reason_that_holds(measure):
    found = reasons_of(compared(LOSSES, measure))
    wanted = {query: reason for query, (*_, reason) in LOSSES.items()}
    if measure == "AP":  # without a cut-off, no rank is far
        wanted["far"] = "unjudged"
    if measure == "RR@4":  # the first relevant document stays first
        del wanted["low"], wanted["gone"]
        wanted["both"] = "ranked low"
    assert found == wanted


def test_counts_are_of_all_losses():
    comparison = compared(LOSSES | {"won": ({"a": 1, "n": 0}, "na", "an", None)})
    [pair] = comparison.pairs
    assert ComparedPair(comparison, pair).counts_of_reasons().select("reason", "n").rows() == [
        *(("ranked low", 4), ("not retrieved", 3), ("unjudged", 2), ("few relevant", 1)),
    ]
    assert ComparedPair(comparison, pair).reasons_in_words() == (
        "Of 10 losses: in 4 relevant documents were returned, but ranked lower, in 3 relevant "
        "documents were not returned, in 2 unjudged documents alone are the reason, in 1 the only "
        "relevant document is one rank lower."
    )


def test_a_measure_without_parts_has_the_reasons_that_are_known():
    comparison = compared(LOSSES, "Bpref")
    assert {*reasons_of(comparison).values()} <= {None, "few relevant", "not retrieved"}
    # Losses are counted with those whose reason is not known, so that the numbers add up.
    words = ComparedPair.leading(comparison).reasons_in_words()
    assert words.startswith(f"Of {len(comparison.losses())} losses: in 4 the reason is not known, ")
    assert sum(map(int, re.findall(r"in (\d+)", words))) == len(comparison.losses())


def test_a_stored_evaluation_does_not_know_reasons(tmp_path):
    comparison = compared(LOSSES)
    comparison.evaluation.write_parquet(tmp_path / "scores.parquet")
    stored = rr.compare(rr.load_evaluation(tmp_path / "scores.parquet"))
    assert {*reasons_of(stored).values()} == {None}
    [pair] = stored.pairs
    assert ComparedPair(stored, pair).reasons_in_words() == ""
    assert stored.documents_behind_losses().is_empty()


def test_a_label_vanished_where_the_baseline_ranks_it_higher():
    grades = {"a": 1, "b": 1, "n": 0}
    lists = {
        "gone": ("abn", "bn"),
        "below the cut-off": ("bna", "nb"),
        "higher": ("bna", "nab"),
    }
    runs = {
        name: {query: [*sides[at]] for query, sides in lists.items()}
        for at, name in enumerate(("old", "new"))
    }
    qrels = dict.fromkeys(lists, grades)
    evaluation = rr.evaluate(qrels, runs, ["nDCG@2"], corpus=["b", "n"])
    found = reasons_of(rr.compare(evaluation))
    assert {query for query, reason in found.items() if reason == "label vanished"} == {"gone"}
    assert {*found} == {*lists}


def test_a_loss_only_by_unjudged_documents_goes_without_them():
    # Every two lists of one to three documents.
    grades = {"a": 1, "n": 0}
    lists = ["".join(each) for length in (1, 2, 3) for each in permutations("anu", length)]
    pairs = {f"{old} {new}": (grades, old, new) for old, new in product(lists, repeat=2)}
    judged = {
        query: (grades, *(side.replace("u", "") for side in sides))
        for query, (_, *sides) in pairs.items()
    }
    alone = compared(judged, "nDCG@2").deltas()
    not_lost = {*alone.filter(pl.col("delta") >= 0)["query_id"]}
    found = reasons_of(compared(pairs, "nDCG@2"))
    assert {query for query, reason in found.items() if reason == "unjudged"} == {
        *(found.keys() & not_lost)
    }
    assert None not in found.values()


def behind(comparison):
    frame = comparison.documents_behind_losses()
    return frame.select("doc_id", "change", "n_losses", "delta").rows()


def test_documents_behind_losses_are_pushed_in_and_out():
    grades = {"a": 1, "b": 1, "n": 0}
    queries = {
        # h, unjudged, passes a and b; n passes b, which leaves the first three.
        "q1": (grades, "abn", "hanb"),
        "q2": (grades, "abh", "hanb"),
        # h and n pass b alone.
        "q3": (grades, "abn", "anh"),
        # n passes a and b; h stands above both in both lists.
        "q4": (grades, "hab", "hna"),
        # A win, in which x passes b.
        "q5": (grades, "nhb", "axb"),
    }
    comparison = compared(queries, "P@3")
    deltas = dict(comparison.deltas().select("query_id", "delta").iter_rows())
    lost = {"q1": -1 / 3, "q2": -1 / 3, "q3": -1 / 3, "q4": -1 / 3}
    assert {query: deltas[query] for query in lost} == pytest.approx(lost)
    assert behind(comparison) == [
        ("b", "pushed out", 4, pytest.approx(-4 / 3)),
        ("n", "pushed in", 4, pytest.approx(-4 / 3)),
        ("h", "pushed in", 3, pytest.approx(-1)),
    ]


def test_documents_of_several_data_sets_are_different_ones():
    queries = {f"q{at}": ({"a": 1}, "ah", "ha") for at in range(2)}
    one, two = (compared(queries, "RR").evaluation for _ in range(2))
    comparison = rr.compare(rr.join_datasets({"arts": one, "law": two}))
    rows = comparison.documents_behind_losses().select("dataset", "doc_id", "n_losses").rows()
    assert rows == [("arts", "h", 2), ("law", "h", 2)]


def test_documents_of_one_loss_are_not_listed():
    assert behind(compared({"q1": ({"a": 1}, "an", "na"), "q2": ({"b": 1}, "bm", "mb")})) == []


def test_a_query_without_an_answer_has_that_as_its_reason():
    qrels, run = {"q1": {"a": 1, "n": 0}, "q2": {"a": 1}}, {"q1": ["a"], "q2": ["a"], "q3": ["a"]}
    evaluation = rr.evaluate(qrels, {"old": run, "new": {"q1": ["n"]}}, ["RR"], unanswerable=["q3"])
    comparison = rr.compare(evaluation)
    [pair] = comparison.pairs
    found = ComparedPair(comparison, pair).with_reasons(comparison.deltas())
    rows = found.select("query_id", "reason").rows()
    assert dict(rows) == {"q1": "not retrieved", "q2": "not retrieved", "q3": "no answer"}
