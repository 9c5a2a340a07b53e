"""Python objects as rows: what is read, and what is refused with the line that would convert it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankreport as rr
from rankreport.io.hits import document_values
from rankreport.io.objects import value_meaning
from rankreport.io.roles import QRELS, RUN, SUBTOPIC_QRELS


def qrels(given, **options):
    return rr.read_qrels(given, **options).collect().rows()


def run(given):
    return rr.read_run(given).collect().rows()


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


@dataclass
class Hit:
    docno: str
    qid: int
    sim: float
    more: object = None


class Slotted:
    """A record of a library that declares its fields, as msgspec does."""

    __struct_fields__ = ("qid", "did", "score")
    __slots__ = ("did", "qid", "score")

    def __init__(self, qid, did, score):
        self.qid, self.did, self.score = qid, did, score


TWO_RANKED = [("1", "2", -1, 1), ("1", "3", -2, 2)]


# --- what is read ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "rows"),
    [
        ({"q": ["d1", "d2"], "p": ["d3"]}, [("q", "d1", 1), ("q", "d2", 1), ("p", "d3", 1)]),
        ({"q": {"d2", "d1"}}, [("q", "d1", 1), ("q", "d2", 1)]),
        ({"q": frozenset([7])}, [("q", "7", 1)]),
        ({1: [10, "11"]}, [("1", "10", 1), ("1", "11", 1)]),
        ({"q": [("d1", 2), ("d2", 0)]}, [("q", "d1", 2), ("q", "d2", 0)]),
        ({"q": {"d1": True, "d2": "2"}}, [("q", "d1", 1), ("q", "d2", 2)]),
        ({"q": ["d1"], "p": []}, [("q", "d1", 1)]),
        ([Qrel("q", "d", 2)], [("q", "d", 2)]),
        ([("q", "d", 1.5)], [("q", "d", 1.5)]),
        ([("q", "0", "d", 2)], [("q", "d", 2)]),
        (iter([("q", "d", 2)]), [("q", "d", 2)]),
        ((("q", "d", 2),), [("q", "d", 2)]),
        ([{"query-id": "q", "corpus-id": "d", "score": 3}], [("q", "d", 3)]),
        ([{"qid": "q", "doc": "d", "score": 9.5, "rel": 1}], [("q", "d", 1)]),
        (pl.DataFrame({"q_id": ["q"], "doc_id": ["d"], "score": [2]}), [("q", "d", 2)]),
        ({"qid": ["q", "p"], "doc": ["d", "e"], "rel": [1, 0]}, [("q", "d", 1), ("p", "e", 0)]),
    ],
)
def test_judgments(given, rows):
    assert qrels(given) == rows


@pytest.mark.parametrize(
    ("given", "rows"),
    [
        ({"q": ["d2", "d1"]}, [("q", "d2", -1, 1), ("q", "d1", -2, 2)]),
        ({"q": [], "p": ("d",)}, [("p", "d", -1, 1)]),
        ({"q": [("d2", 0.5), ["d1", 2]]}, [("q", "d2", 0.5), ("q", "d1", 2)]),
        ({"q": [("d2", 0.5)], "p": {"d1": 2}}, [("q", "d2", 0.5), ("p", "d1", 2)]),
        ([Hit("d", 7, 0.5)], [("7", "d", 0.5)]),
        ([Slotted("q", "d", 0.5)], [("q", "d", 0.5)]),
        ([{"qid": "q", "docno": "d", "rank": 3}], [("q", "d", -3, 3)]),
        ([("q", "Q0", "d", 4, 0.5, "tag")], [("q", "d", 0.5, 4)]),
        ([("q", uuid.UUID(int=1), np.float32(0.5))], [("q", str(uuid.UUID(int=1)), 0.5)]),
        ([(np.int64(1), np.str_("d"), 0.5)], [("1", "d", 0.5)]),
        ({"userId": [1], "movieId": [2], "prediction": [4.5]}, [("1", "2", 4.5)]),
        ({"userId": (1, 1), "itemId": (2, 3), "rank": (1, 2)}, TWO_RANKED),
    ],
)
def test_runs(given, rows):
    assert run(given) == rows


def test_judgments_of_subtopics():
    rows = [("q", "price", "d", 1.0)]
    assert qrels([("q", "price", "d", 1)], subtopics=True) == rows
    records = [{"qid": "q", "subtopic_id": "price", "docno": "d", "rel": 1}]
    assert qrels(records, subtopics=True) == rows


def test_what_no_column_is_made_of_does_not_matter():
    assert run([Hit("d", 7, 0.5, more=object())]) == [("7", "d", 0.5)]


def test_an_id_of_a_row_is_no_second_id():
    rows = [{"_id": "65a", "qid": "q", "docno": "d", "score": 1.0}]
    assert run(rows) == [("q", "d", 1.0)]


@pytest.mark.parametrize(
    ("given", "columns", "rows"),
    [
        ({"q1": "jazz", 2: "rock"}, ["query_id", "text"], [("q1", "jazz"), ("2", "rock")]),
        (
            [{"_id": "q1", "text": "jazz", "metadata": {"a": 1}}],
            ["query_id", "text", "metadata"],
            [("q1", "jazz", "{'a': 1}")],
        ),
        ([Qrel("q1", "d", 3)], ["query_id", "doc_id", "relevance", "iteration"], None),
    ],
)
def test_queries(given, columns, rows):
    frame = rr.read_queries(given)
    assert frame.columns == columns
    assert rows is None or frame.rows() == rows


def test_default_text_is_the_text():
    class Topic(NamedTuple):
        query_id: str
        title: str

        def default_text(self):
            return f"{self.title}?"

    topics = [Topic("1", "who"), Topic("2", "where")]
    frame = rr.read_queries(topics)
    assert dict(frame.select("query_id", "text").iter_rows()) == {"1": "who?", "2": "where?"}


# --- what is refused ------------------------------------------------------------------------------


REFUSED_RUNS = {
    "a set": ({"q": {"d1", "d2"}}, ["'q' are in a set, which has no order", "best first"]),
    "two forms": (
        {"q": ["d1"], "p": [("d1", 2.0)]},
        ["'p' has documents with scores, query 'q' has them without"],
    ),
    "texts for documents": ({"q": ["d1"], "p": "d1"}, ["found 'd1' for 'p'"]),
    "objects for documents": (
        {"q": ["d1"], "p": [SimpleNamespace(content="x")]},
        ["found a list of 1 (SimpleNamespace) for 'p'", "match='text'"],
    ),
    "no value": ([("q", "d1", 2.0), ("q", "d2")], ["row 2 is a tuple of 2", "row 1 has 3 fields"]),
    "a mixture": ([("q", "d1", 2.0), "q d2 1"], ["row 2 is 'q d2 1'"]),
    "pairs": ([("q", "d1")], ["Give each row its score: (query, document, score)"]),
    "lists alone": ([["d1", "d2"]], ["(expected=expected, retrieved=retrieved)"]),
    "frames": ([pl.DataFrame({"a": [1]})], ["pl.concat(frames)", "{'mine': frame, ...}"]),
    "an array": (np.zeros((2, 3)), ["[(int(query), int(doc), score) for query, doc, score in"]),
    "an array of text": (np.full((2, 3), "1"), ["[(query, doc, score) for query, doc, score in"]),
    "predictions": (np.zeros(3), ["array of 3 float64", "evaluate_labelled(y_true, y_score"]),
    "an array of ids": (np.ones((2, 5), int), ["for q, row in zip(queries, ids)", "retrieved=ids"]),
    "ids or rows": (np.ones((2, 3), int), ["[(query, doc, score) for", "zip(queries, ids)"]),
    "arrays of ids by query": (
        {"q1": np.array([1, 2])},
        ["array of 2 int64 for 'q1'", "{q: row.tolist() for q, row in ids.items()}"],
    ),
    "a list of arrays": ([np.array([1, 2])], ["retrieved=retrieved"]),
    "a number of NumPy": (np.array(3), ["found ndarray"]),
    "objects": ([SimpleNamespace(q=1)], ["[(x.query_id, x.doc_id, x.score) for x in rows]"]),
    "nothing": (None, ["found NoneType", "Accepted:\n  a path\n"]),
    "no rows": ([], ["has no rows"]),
    "no rows of a generator": ((x for x in ()), ["has no rows"]),
    "a missing field": (
        [{"qid": "q", "doc": "d", "score": 1}, {"qid": "q", "doc": "e"}],
        ["row 2 has no score, which row 1 has", "a dictionary of 'qid', 'doc'"],
    ),
    "no such field": (
        [{"qid": "q", "url": "d", "score": 1}],
        ["no column for doc_id", "Its columns: qid, url, score"],
    ),
    "two columns": (
        [{"qid": "q", "query_id": "q", "doc": "d", "score": 1}],
        ["two columns for query_id: 'query_id' and 'qid'"],
    ),
    "a word": ([("q", "d", "high")], ["row 1 has 'high' where the score belongs"]),
    "none": ([("q", "d", 1), ("q", "e", None)], ["row 2", "no value where the score belongs"]),
    "NaN": ([("q", "d", float("nan"))], ["row 1", "NaN"]),
    "more than a double holds": ([("q", "d", 10**400)], ["row 1 has 1000"]),
    "a float for an id": ([(1.5, "d", 1)], ["row 1 has 1.5 for query_id", "whole numbers"]),
    "a truth value for an id": ([("q", True, 1)], ["row 1 has True for doc_id"]),
    "a list for an id": ([("q", ["d"], 1)], ["row 1 has ['d'] for doc_id"]),
    "no id": ([("q", None, 1)], ["row 1 has no doc_id"]),
    "half a character": ([("q", "\ud800", 1)], ["not valid Unicode"]),
    "twice": ([("q", "d", 2), ("q", "d", 1)], ["row 2 repeats document 'd' of query 'q'"]),
    "twice in a list": ({"q": ["d", "e", "d"]}, ["row 3 repeats document 'd'"]),
    "ranks": (
        [("q", "d", 1), ("q", "e", 2), ("p", "d", 1)],
        ["the numbers are 1, 2, 3", "Are they ranks?", "(q, d, -x)"],
    ),
    "ranks from 0": ([("q", "d", 0), ("q", "e", 1)], ["Are they ranks?"]),
    "records of a query": (
        [{"query": "q", "expected_ids": ["d"], "retrieved_ids": ["d"]}],
        ["row 1 holds the whole list of a query", "rr.evaluate_retrieved(records)"],
    ),
}


@pytest.mark.parametrize("fault", REFUSED_RUNS)
def test_a_refused_run_says_what_to_type(fault):
    given, words = REFUSED_RUNS[fault]
    with pytest.raises(rr.DataError) as caught:
        run(given)
    for word in words:
        assert word in str(caught.value)


def test_every_refusal_of_a_shape_lists_those_accepted():
    for given in (5, None, [["d1"]], [("q",)]):
        with pytest.raises(rr.DataError) as caught:
            rr.read_qrels(given)
        assert QRELS.accepted in str(caught.value)
    listed = [role.accepted for role in (RUN, QRELS, SUBTOPIC_QRELS)]
    assert len(set(listed)) == 3
    assert "the best first" in listed[0]
    assert "(query, subtopic, document, grade)" in listed[2]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"q": 3}, "text of query 'q' is 3"),
        ([("q", "text")], r"row 1 is a tuple of 2 \(str\).*dict"),
        ([], "has no rows"),
        (5, r"found int\.\nAccepted:\n  a path\n"),
        ([{"text": "jazz"}], "no column for query_id"),
        ([{"qid": 1.5, "text": "jazz"}], "row 1 has 1.5 for qid"),
        ({"q": "\ud800"}, "not valid Unicode"),
    ],
)
def test_refused_queries(given, words):
    with pytest.raises(rr.DataError, match=words):
        rr.read_queries(given)


def test_a_score_with_a_rank_is_no_grade():
    frame = pd.DataFrame({"qid": ["q"], "docno": ["d"], "rank": [1], "score": [0.5]})
    with pytest.raises(rr.DataError, match="columns of a run"):
        rr.read_qrels(frame)
    with pytest.raises(rr.DataError, match="columns of a run"):
        rr.read_qrels(frame.drop(columns="rank").rename(columns={"score": "sim"}))


def test_a_data_set_without_the_rows_says_which_it_has():
    dataset = SimpleNamespace(queries_iter=lambda: iter([]), qrels_iter=lambda: iter([]))
    with pytest.raises(rr.DataError, match="has no run; it has judgments, queries"):
        rr.read_run(dataset)


# --- parts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({}, None),
        ([], None),
        (set(), None),
        ("d1", None),
        ({"d": {}}, None),
        ({"d": 1}, "scored"),
        (["d", 3], "ranked"),
        (("d",), "ranked"),
        ({"d"}, "set"),
        ([("d", 1.5)], "scored"),
        ([("d", "e")], None),
        ([("d", True)], None),
        ([("q", "d", 1.5)], None),
    ],
)
def test_document_values(given, kind):
    assert document_values(given) == kind


@pytest.mark.parametrize(
    ("values", "meaning"),
    [
        ([1, 2, 3], "rank"),
        ([0, 1, 2], "rank"),
        ([3, 2, 1], "score"),
        ([0.9, 0.9, 0.1], "score"),
        ([2, 3, 4], None),
        ([0.1, 0.2, 0.3], None),
        ([1, 3, 2], None),
        ([1], None),
    ],
)
def test_value_meaning(values, meaning):
    rows = pl.DataFrame({"q": ["a"] * len(values), "v": [float(v) for v in values]})
    assert value_meaning(rows, "q", "v") == meaning
    other = rows.with_columns(pl.lit("b").alias("q"), v=pl.lit(5.0)).head(1)
    if meaning == "rank":  # all queries count
        assert value_meaning(pl.concat([rows, other]), "q", "v") is None


RISING = [0.1, 0.25, 0.7]


@pytest.mark.parametrize(
    "run",
    [
        {q: [(f"d{i}", x) for i, x in enumerate(RISING)] for q in ("q1", "q2")},
        [(q, f"d{i}", x) for q in ("q1", "q2") for i, x in enumerate(RISING)],
    ],
)
def test_distances_are_no_scores(run):
    with pytest.raises(rr.DataError, match="Are they distances"):
        rr.read_run(run)


def test_ranks_in_pairs_are_no_scores():
    run = {q: [("d2", 1), ("d1", 2), ("d9", 3)] for q in ("q1", "q2")}
    with pytest.raises(rr.DataError, match="Are they ranks") as refused:
        rr.read_run(run)
    assert "Expected pairs (document, score)" in str(refused.value)


def test_few_scores_that_rise_are_scores():
    run = {q: [("d1", 0.5), ("d2", 0.75)] for q in ("q1", "q2")}
    assert rr.read_run(run).collect()["score"].to_list() == [0.5, 0.75] * 2


# --- lists of ids ---------------------------------------------------------------------------------


@pytest.mark.parametrize("read", [rr.read_qrels, rr.read_run])
@pytest.mark.parametrize(
    "lists", [[[1, 2, 3], [4, 5, 6]], [["1", "2", "3"], ["4", "5", "6"]], [[np.int64(1), 2, 3]]]
)
def test_lists_of_three_ids_are_no_triples(read, lists):
    with pytest.raises(rr.DataError, match=r"evaluate_retrieved\(.*\[tuple\(row\) for row in rows"):
        read(lists)


def test_lists_of_as_many_ids_as_trec_text_has_fields():
    with pytest.raises(rr.DataError, match="lists of 4 whole numbers"):
        rr.read_qrels([[1, 0, 3, 4], [4, 0, 6, 7]])


def test_lists_that_can_only_be_rows():
    assert qrels([[1, 2, 1], [1, 3, 0]]) == [("1", "2", 1.0), ("1", "3", 0.0)]
    assert run([[1, 2, 0.5], [2, 3, 0.25]]) == [("1", "2", 0.5), ("2", "3", 0.25)]
    assert qrels([["a", "b", 1]]) == [("a", "b", 1.0)]
    assert qrels([tuple(row) for row in [[1, 2, 3], [4, 5, 6]]]) == [("1", "2", 3), ("4", "5", 6)]


def test_the_lines_offered_for_arrays():
    triples = np.array([[1.0, 2.0, 0.5]])
    made = [(int(query), int(doc), score) for query, doc, score in triples.tolist()]
    assert run(made) == [("1", "2", 0.5)]
    texts = np.array([["a", "b", "0.5"]])
    columns = ["query_id", "doc_id", "score"]
    assert run(pl.DataFrame(texts.tolist(), schema=columns, orient="row")) == [("a", "b", 0.5)]
    ids = {"a": np.array([7, 8])}
    found = run({q: row.tolist() for q, row in ids.items()})
    assert [row[:2] for row in found] == [("a", "7"), ("a", "8")]
    assert rr.evaluate_retrieved(expected=[[7]], retrieved=np.array([[8, 7]]), measures="RR")


def test_what_cannot_report_floats_for_identifiers_refuses_them():
    floats = PANDAS.assign(qid=[7.0, 8.0])
    for given in ([("q", 7.0, 0.5)], floats, pl.DataFrame(floats.to_dict(orient="list"))):
        with pytest.raises(rr.DataError) as caught:
            run(given)
        assert "floats for ids, such as 7.0" in str(caught.value)
        assert "int(7.0)" in str(caught.value)
    assert run(floats.assign(qid=floats["qid"].astype("Int64")))[0][0] == "7"


PANDAS = pd.DataFrame({"qid": ["q1", "q2"], "docno": ["d1", "d2"], "score": [1.5, 0.5]})


@pytest.mark.parametrize("index", ["qid", "docno", ["qid", "docno"], ["docno", "qid"]])
def test_identifiers_in_the_index_of_pandas_are_read(index):
    assert run(PANDAS.set_index(index)) == run(PANDAS)
    made = rr.evaluate({"q1": {"d1": 1}}, PANDAS.set_index(index), ["RR"])
    assert made.summary().rows() == [("run", 1.0)]


def test_systems_in_the_index_of_pandas_are_read():
    both = pd.concat({"a": PANDAS, "b": PANDAS}, names=["system"])
    assert rr.evaluate({"q1": {"d1": 1}}, both, ["RR"]).systems == ("a", "b")


def test_an_index_beside_a_column_of_identifiers_is_not_read():
    assert run(PANDAS.assign(query=["a", "b"]).set_index("query")) == run(PANDAS)


@pytest.mark.parametrize(
    ("frame", "remedy"),
    [
        (PANDAS.set_index("qid").rename_axis(None), "frame.rename_axis('query_id').reset_index()"),
        (
            PANDAS.set_index(["qid", "docno"]).rename_axis([None, None]),
            "frame.rename_axis(['query_id', 'doc_id']).reset_index()",
        ),
        (PANDAS.set_index("qid").rename_axis("Q"), "frame.rename_axis('query_id').reset_index()"),
        (
            PANDAS.set_index(["qid", "docno"]).rename_axis(["qid", "D"]),
            "frame.rename_axis(['qid', 'doc_id']).reset_index()",
        ),
    ],
)
def test_an_index_without_a_name_that_is_known_is_refused_with_the_line_that_reads_it(
    frame, remedy
):
    for given in (frame, {"mine": frame}):
        with pytest.raises(rr.DataError) as caught:
            rr.evaluate({"q1": {"d1": 1}}, given)
        assert remedy in str(caught.value)
    assert run(eval(remedy)) == run(PANDAS)


def test_a_series_of_pandas_that_names_queries_and_documents_is_read():
    assert run(PANDAS.set_index(["qid", "docno"])["score"]) == run(PANDAS)


def test_a_column_of_mixed_kinds_is_refused_with_the_line_that_mends_it():
    mixed = PANDAS.assign(title=[1, "d2"])
    with pytest.raises(rr.DataError) as caught:
        run(mixed)
    assert "frame[column].astype(str)" in str(caught.value)
    assert run(mixed.assign(title=mixed["title"].astype(str))) == run(PANDAS)


def test_one_relevant_document_per_query_is_refused_with_the_line_that_makes_lists():
    given = {"q1": "d1"}
    with pytest.raises(rr.DataError) as caught:
        qrels(given)
    line = str(caught.value).rpartition(": {")[2].removesuffix(".")
    assert qrels(eval("{" + line, {"x": given})) == [("q1", "d1", 1.0)]


def test_the_remedy_comes_before_the_shapes_which_have_lines_of_their_own():
    with pytest.raises(rr.DataError) as caught:
        qrels([("q1", "d1")])
    first, accepted, *shapes = str(caught.value).splitlines()
    assert first.endswith("Give each row its grade: (query, document, grade).")
    assert accepted == "Accepted:"
    assert all(shape.startswith("  ") for shape in shapes)


HITS = {
    "q1": [{"corpus_id": 7, "score": 0.9}, {"corpus_id": 3, "score": 0.95}],
    "q2": [{"corpus_id": 3, "score": 0.2}],
}
"""As semantic_search of sentence-transformers returns them, under the queries."""


def test_hits_of_queries_are_a_run():
    rows = [("q1", "7", 0.9), ("q1", "3", 0.95), ("q2", "3", 0.2)]
    assert rr.read_run(HITS).collect().rows() == rows
    qrels = {"q1": {"3": 1}, "q2": {"3": 1}}
    assert rr.evaluate(qrels, HITS, ["RR"]).summary().rows() == [("run", 1.0)]
    assert rr.evaluate(qrels, {"mine": HITS}, ["RR"]).summary().rows() == [("mine", 1.0)]
    graded = {q: [{"doc_id": h["corpus_id"], "grade": 1} for h in hits] for q, hits in HITS.items()}
    assert rr.read_qrels(graded).collect().rows() == [(q, d, 1.0) for q, d, _ in rows]


@pytest.mark.parametrize("query", ["query_id", "qid"])
@pytest.mark.parametrize("as_ids", [False, True])
def test_records_that_hold_the_list_of_a_query_are_a_run(query, as_ids):
    lists = {q: [str(h["corpus_id"]) for h in hits] if as_ids else hits for q, hits in HITS.items()}
    records = [{query: q, "results": found, "took": 3} for q, found in lists.items()]
    read = rr.read_run(records).collect().select("query_id", "doc_id").rows()
    assert read == [("q1", "7"), ("q1", "3"), ("q2", "3")]
    values = rr.evaluate({"q1": {"3": 1}}, records, ["RR"]).summary().rows()
    assert values == [("run", 0.5 if as_ids else 1.0)]
    with pytest.raises(rr.DataError, match="query 'q1' has two lists"):
        rr.read_run([records[0], records[0]])


def test_hits_without_queries_are_refused_with_the_line_that_names_them():
    named = [
        [{"docid": f"d{h['corpus_id']}", "score": 1.0} for h in hits] for hits in HITS.values()
    ]
    with pytest.raises(rr.DataError, match=r"dict\(zip\(query_ids, results\)\)"):
        rr.evaluate({"q1": {"3": 1}}, named)
    with pytest.raises(rr.DataError, match="query 'q1', row 2 has no score, which row 1 has"):
        rr.read_run({"q1": [HITS["q1"][0], {"corpus_id": 5}]})


def test_the_score_of_columns_is_the_grade_of_judgments():
    columns = {"qid": ["q1", "q1"], "docno": ["d1", "d2"], "score": [2, 0]}
    assert rr.read_qrels(columns).collect().rows() == [("q1", "d1", 2.0), ("q1", "d2", 0.0)]


# --- tables of queries ----------------------------------------------------------------------------

OF_QUERIES = {
    "q1": pl.DataFrame({"docno": ["d1", "d2"], "score": [2.0, 1.0]}),
    "q2": pl.DataFrame({"docno": ["d3"], "score": [0.5]}),
}
JUDGED = {"q1": {"d2": 1}, "q2": {"d3": 1}}


@pytest.mark.parametrize("convert", [lambda f: f, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_tables_of_queries_are_one_run(convert):
    given = {query: convert(frame) for query, frame in OF_QUERIES.items()}
    found = rr.evaluate(JUDGED, given, "RR")
    assert found.systems == ("run",)
    assert found.per_query()["RR"].to_list() == [0.5, 1.0]
    two = rr.evaluate(JUDGED, {"old": given, "new": given}, "RR")
    assert two.systems == ("old", "new")
    labels = {q: convert(frame.rename({"score": "label"})) for q, frame in OF_QUERIES.items()}
    assert rr.read_qrels(labels).collect().rows() == [
        ("q1", "d1", 2.0),
        ("q1", "d2", 1.0),
        ("q2", "d3", 0.5),
    ]


def test_tables_that_are_no_queries_keep_their_errors():
    frames = list(OF_QUERIES.values())
    with pytest.raises(rr.DataError, match="run 'mine' has no column for query_id"):
        rr.evaluate(JUDGED, {"mine": frames[0]})
    named = {q: f.to_pandas().set_index(pd.Index([q] * len(f))) for q, f in OF_QUERIES.items()}
    with pytest.raises(rr.DataError, match=r"but an index.*rename_axis\('query_id'\)"):
        rr.evaluate(JUDGED, named)
    with pytest.raises(rr.DataError, match="no query in common with qrels"):
        _ = rr.evaluate(JUDGED, {"old": frames[0], "new": frames[1]}).scores
    with pytest.raises(rr.DataError, match="tables of the queries differ in their columns"):
        rr.evaluate(JUDGED, {**OF_QUERIES, "q3": frames[0].with_columns(x=1)})


def test_a_series_of_pandas_is_refused_with_the_line_that_converts_it():
    series = pd.Series({"d1": 2.0, "d2": 1.0})
    with pytest.raises(rr.DataError, match=r"\{q: s\.to_dict\(\) for q, s in x\.items\(\)\}"):
        rr.evaluate(JUDGED, {"q1": series})


def test_series_of_queries_and_documents_are_no_arrays_of_grades_and_scores():
    ids = [["q", "q"], ["a", "b"]]
    index = pd.MultiIndex.from_arrays(ids, names=["query_id", "doc_id"])
    grades, scores = pd.Series([1, 0], index), pd.Series([0.1, 0.2], index)
    for given in ((grades, scores), (grades.reset_index(name="relevance"), scores)):
        assert rr.evaluate(*given, "RR").summary()["RR"].item() == 0.5
