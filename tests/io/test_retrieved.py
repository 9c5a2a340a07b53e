"""Lists of what was retrieved and expected: how they are read, matched, and refused."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix

import rankreport as rr
from rankreport.io.retrieved import holds_retrieved, read_retrieved

RECORDS = [
    {"query": "who?", "expected_ids": ["d1"], "retrieved_ids": ["d2", "d1"]},
    {"query": "where?", "expected_ids": ["d3", "d4"], "retrieved_ids": ["d3"]},
]


@dataclass
class Document:
    content: str | None
    id: str = ""


def rows(found):
    return found.qrels.rows(), {name: run.rows() for name, run in found.runs.items()}


def tupled(value):
    return tuple(value) if isinstance(value, list) else value


def test_records():
    assert rows(read_retrieved(RECORDS)) == (
        [("who?", "d1", 1.0), ("where?", "d3", 1.0), ("where?", "d4", 1.0)],
        {"run": [("who?", "d2", 1), ("who?", "d1", 2), ("where?", "d3", 1)]},
    )


@pytest.mark.parametrize(
    "form",
    [
        pl.DataFrame,
        pd.DataFrame,
        iter,
        lambda records: [SimpleNamespace(**each) for each in records],
        lambda records: {name: [each[name] for each in records] for name in records[0]},
        lambda records: [{k: tupled(v) for k, v in each.items()} for each in records],
    ],
)
def test_every_form_of_records(form):
    assert rows(read_retrieved(form(RECORDS))) == rows(read_retrieved(RECORDS))


def test_lists_number_the_queries():
    many = [["d1"]] * 12
    found = read_retrieved(None, expected=many, retrieved={"a": many, "b": [["d2", "d1"]] * 12})
    assert found.qrels["query_id"].to_list() == [f"{n:02}" for n in range(1, 13)]
    assert list(found.runs) == ["a", "b"]
    assert found.runs["b"].rows()[:2] == [("01", "d2", 1), ("01", "d1", 2)]


def test_a_repeated_query_is_numbered():
    found = read_retrieved([RECORDS[0], {**RECORDS[0], "expected_ids": ["d7"]}])
    assert found.qrels.rows() == [("who?", "d1", 1.0), ("who? (2)", "d7", 1.0)]


def test_an_expected_document_counts_once():
    found = read_retrieved(None, expected=[["d1", "d1"]], retrieved=[["d1"]])
    assert found.qrels.rows() == [("1", "d1", 1.0)]


def test_texts_are_matched_but_for_white_space():
    expected = [["The  quick\nfox", "jumps"]]
    retrieved = [[" The quick fox ", "jump"]]
    found = read_retrieved(None, expected=expected, retrieved=retrieved, match="text")
    assert found.qrels["doc_id"].to_list() == ["The quick fox", "jumps"]
    assert found.runs["run"]["doc_id"].to_list() == ["The quick fox", "jump"]
    assert found.unmatched() == (1, 2)
    by_id = read_retrieved(None, expected=expected, retrieved=retrieved)
    assert by_id.unmatched() == (2, 2)


def test_documents_are_matched_by_what_they_hold():
    expected = [[Document("a  b", "1")]]
    retrieved = [[Document("a b", "2"), Document("c", "1")]]
    by_text = read_retrieved(None, expected=expected, retrieved=retrieved)
    assert by_text.match == "text"
    assert by_text.runs["run"]["doc_id"].to_list() == ["a b", "c"]
    by_id = read_retrieved(None, expected=expected, retrieved=retrieved, match="id")
    assert by_id.qrels["doc_id"].to_list() == ["1"]
    assert by_id.runs["run"]["doc_id"].to_list() == ["2", "1"]
    columns = {"ground_truth_documents": expected, "retrieved_documents": retrieved}
    assert rows(read_retrieved(columns)) == rows(by_text)
    assert rows(read_retrieved(columns, match="id")) == rows(by_id)


@pytest.mark.parametrize("names", ["relevant retrieved", "relevant_docs retrieved_docs"])
def test_records_of_ones_own_have_plain_names(names):
    expected, retrieved = names.split()
    records = [{"query": "q", expected: ["a"], retrieved: ["b", "a"]}]
    assert rr.evaluate_retrieved(records, measures="RR").summary()["RR"].item() == 0.5


def test_nodes_are_matched_by_their_ids():
    node = SimpleNamespace(node=SimpleNamespace(node_id="n1", text="long"), score=0.5)
    found = read_retrieved(None, expected=[["n1"]], retrieved=[[node]])
    assert found.match == "id"
    assert found.runs["run"]["doc_id"].to_list() == ["n1"]


def test_ids_go_before_texts_and_fields_of_none_are_passed_over():
    both = [{**each, "expected_texts": ["x"], "retrieved_texts": ["y"]} for each in RECORDS]
    assert read_retrieved(both).match == "id"
    assert read_retrieved(both, match="text").qrels["doc_id"].to_list() == ["x", "x"]
    empty = [{**each, "expected_ids": None, "retrieved_ids": None} for each in both]
    assert read_retrieved(empty).match == "text"


def test_systems_may_answer_different_queries():
    found = read_retrieved({"a": RECORDS[:1], "b": RECORDS})
    assert found.qrels["query_id"].unique(maintain_order=True).to_list() == ["who?", "where?"]
    assert found.runs["a"]["query_id"].to_list() == ["who?", "who?"]


FAULTS = {
    "no field": (
        [{"query": "q", "ids": ["d"]}],
        {},
        ["no fields of", "query, ids", "expected='...'"],
    ),
    "no column": ({"a": {"x": 1}}, {}, ["a: column 'x' is 1"]),
    "another field": (RECORDS, {"expected": "gold", "retrieved": "retrieved_ids"}, ["'gold'"]),
    "a field of few": (
        [RECORDS[0], {**RECORDS[1], "retrieved_ids": None}],
        {},
        ["record 2 has no retrieved_ids", "1 of 2 records"],
    ),
    "no records": ([], {}, ["has no records"]),
    "a number": (5, {}, ["a record per query, found 5", "RetrievalEvalResult"]),
    "numbers": ([1, 2], {}, ["record 1 is 1"]),
    "a text for a list": (
        [{**RECORDS[0], "retrieved_ids": "d1"}],
        {},
        ["retrieved_ids of record 1: expected a list of documents, found 'd1'"],
    ),
    "twice": (
        [{**RECORDS[0], "retrieved_ids": ["d1", "d2", "d1"]}],
        {},
        ["'d1' was retrieved twice for query 'who?'", "1 and 3", "list(dict.fromkeys(ids))"],
    ),
    "a text twice": (
        None,
        {"expected": [["a b"]], "retrieved": [["a b", "a  b"]], "match": "text"},
        ["'a b' was retrieved twice", "match='id'"],
    ),
    "nothing expected": (
        None,
        {"expected": [[]], "retrieved": [["d"]]},
        ["No query has an expected"],
    ),
    "lengths": (
        None,
        {"expected": [["d"], ["e"]], "retrieved": {"a": [["d"]]}},
        ["expected has 2, retrieved of 'a' 1"],
    ),
    "not the same": (
        {"a": RECORDS, "b": [RECORDS[0], {**RECORDS[1], "expected_ids": ["d9", "d3"]}]},
        {},
        ["b and a expect different documents for query 'where?', such as 'd9'"],
    ),
    "places": (
        {"a": [{"expected_ids": ["d"], "retrieved_ids": ["d"]}], "b": RECORDS},
        {},
        ["found a 1, b 2", "query='...'"],
    ),
    "a query of none": (
        [RECORDS[0], {**RECORDS[1], "query": None}],
        {},
        ["the query of record 2 is None"],
    ),
    "no content": (
        None,
        {"expected": [["x"]], "retrieved": [[Document(None, "1")]], "match": "text"},
        ["document 1 is Document, which has no text", "match='id'"],
    ),
    "half a character": (None, {"expected": [["\ud800"]], "retrieved": [["d"]]}, ["Unicode"]),
    "ids here, texts there": (
        {"a": RECORDS, "b": [{"query": "who?", "expected_texts": ["x"], "retrieved_texts": ["x"]}]},
        {},
        ["Some systems have ids", "match='text'"],
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_say_where_they_are(fault):
    given, options, words = FAULTS[fault]
    with pytest.raises(rr.DataError) as caught:
        read_retrieved(given, **options)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        (RECORDS, {"expected": [["d"]]}, "expected takes the name of a field"),
        (RECORDS, {"expected": "expected_ids"}, "Name both fields"),
        (RECORDS, {"query": ["q"]}, "query takes the name of a field"),
        (RECORDS, {"match": "texts"}, "match='texts' is not one of"),
        ({"a": RECORDS}, {"name": "b"}, "for results by themselves"),
        ({}, {}, "There are no results"),
        (None, {"expected": [["d"]]}, "retrieved: expected a list of documents"),
        (None, {}, "expected: expected a list of documents"),
    ],
)
def test_arguments_that_contradict_each_other(given, options, words):
    with pytest.raises(rr.OptionError, match=words):
        read_retrieved(given, **options)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"expected": [["a"], ["b"]], "retrieved": [7, 8]},
            "of one document per query, retrieved=[[x] for x in retrieved].",
        ),
        (
            {"expected": {"q": ["a"]}, "retrieved": {"r": ["a"]}},
            "expected and retrieved have no query in common",
        ),
    ],
)
def test_the_line_that_converts(given, message):
    with pytest.raises(rr.RankReportError) as caught:
        rr.evaluate_retrieved(**given)
    assert message in str(caught.value)
    assert "match='text'" not in str(caught.value)


def test_the_lines_that_convert_are_read():
    expected, lists = ["a", "b"], [[("a", 0.5)], [("c", 0.25), ("b", 0.125)]]
    found = rr.evaluate_retrieved(expected=[[x] for x in expected], retrieved=lists, measures="RR")
    assert found.summary()["RR"].to_list() == [0.75]


@pytest.mark.parametrize("one", ["d1", 7])
def test_one_document_expected_of_a_query_is_a_list_of_one(one):
    lists = {"expected": [[one], ["x"]], "retrieved": [["x", one], ["x"]]}
    single = lists | {"expected": [one, "x"]}
    records = [{"query": "a", "expected_ids": one, "retrieved_ids": ["x", one]}]
    made = rr.evaluate_retrieved(**single, measures="RR")
    assert made.scores.equals(rr.evaluate_retrieved(**lists, measures="RR").scores)
    assert rr.evaluate_retrieved(records, measures="RR").summary()["RR"].to_list() == [0.5]


def test_one_text_expected_of_a_query_is_compared_as_a_text():
    given = {"expected": ["one  text"], "retrieved": [["other", "one text"]]}
    made = rr.evaluate_retrieved(**given, match="text", measures="RR")
    assert made.summary()["RR"].to_list() == [0.5]


def test_what_users_chose_may_be_a_sparse_matrix():
    chosen = csr_matrix(np.array([[0, 1, 0, 0], [1, 0, 0, 1]]))
    ids = np.array([[0, 1], [0, 2]])
    found = rr.evaluate_retrieved(expected=chosen, retrieved=ids, measures=["P@2", "R@2", "RR"])
    assert found.to_polars().row(0)[1:] == (0.5, 0.75, 0.75)


def test_records_have_fields_of_what_was_expected_and_retrieved():
    assert holds_retrieved(pd.DataFrame({"positive": [["a"]], "documents": [["b"]]}))
    assert not holds_retrieved(pd.DataFrame({"qid": ["q"], "docno": ["d"], "label": [1]}))
    for other in ("expected", [], [("q", "d", 1)], {"expected": [], "retrieved": []}, None, 5):
        assert not holds_retrieved(other)
    rows = iter([{"expected": ["d"], "retrieved": ["d"]}])
    assert not holds_retrieved(rows)
    assert next(rows)
