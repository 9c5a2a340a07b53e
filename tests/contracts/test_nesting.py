"""What is nested deeply is refused wherever a Python object is given, in a short message."""

from __future__ import annotations

import polars as pl
import pytest

import rankreport as rr

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d2": 0}}
RUN = {"q1": {"d1": 1.0, "d2": 2.0}, "q2": {"d1": 2.0, "d2": 1.0}}


def nested(kind):
    value = {"d1": 1} if kind is dict else ["d1"]
    for _ in range(3_000):
        value = {"q1": value} if kind is dict else [value]
    return value


def compared(**options):
    return rr.compare(rr.evaluate(QRELS, {"a": RUN, "b": QRELS}, ["RR"]), **options)


TAKE = {
    "judgments": rr.read_qrels,
    "subtopics": lambda given: rr.read_qrels(given, subtopics=True),
    "run": rr.read_run,
    "queries": rr.read_queries,
    "judgments evaluated": lambda given: rr.evaluate(given, RUN, ["RR"]).values,
    "runs": lambda given: rr.evaluate(QRELS, given, ["RR"]).values,
    "one of the runs": lambda given: rr.evaluate(QRELS, {"a": given}, ["RR"]).values,
    "measures": lambda given: rr.evaluate(QRELS, RUN, given),
    "ties": lambda given: rr.evaluate(QRELS, RUN, ties=given),
    "rankings": lambda given: rr.compare_rankings(given, RUN),
    "judgments of a ranking": rr.qrels_from_ranking,
    "grades of ranks": lambda given: rr.qrels_from_ranking(RUN, grades=given),
    "tasks": lambda given: rr.judging_tasks(given, depth=1),
    "queries of tasks": lambda given: rr.judging_tasks(RUN, given, depth=1),
    "documents": lambda given: rr.judging_tasks(RUN, None, given, depth=1),
    "weights": lambda given: compared(weights=given),
    "clusters": lambda given: compared(clusters={"q1": given}),
    "segments": lambda given: compared(segments=given),
    "queries compared": lambda given: compared(queries=given),
    "ratings": lambda given: rr.qrels_from_judges([{"query_id": "q1", "judge": given}]),
    "log": lambda given: rr.qrels_from_clicks([{"query_id": "q1", "clicked": given}]),
    "identifiers": lambda given: rr.evaluate_labelled([1, 0], [1, 2], qid=[given, given]),
    "stored": rr.load_evaluation,
    "queries shown": lambda given: compared().evaluation.documents([given]),
}


@pytest.mark.parametrize("kind", [dict, list])
@pytest.mark.parametrize("name", TAKE)
def test_what_is_nested_deeply_is_refused(name, kind):
    with pytest.raises(rr.RankReportError) as caught:
        TAKE[name](nested(kind))
    assert len(str(caught.value)) < 1_500


VALUES = {"dict": nested(dict), "list": nested(list), "whole number": 10**5_000}


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize(
    "shape",
    [
        lambda value: {"q1": {"d1": value}},
        lambda value: {"q1": [("d1", value)]},
        lambda value: [("q1", "d1", value)],
        lambda value: [{"query_id": "q1", "doc_id": "d1", "score": value, "relevance": value}],
    ],
)
@pytest.mark.parametrize("read", [rr.read_run, rr.read_qrels])
def test_a_value_that_is_no_number_is_named_in_short(read, shape, value):
    with pytest.raises(rr.DataError) as caught:
        read(shape(VALUES[value]))
    assert len(str(caught.value)) < 1_500


def test_a_column_of_queries_may_hold_lists():
    queries = rr.read_queries([{"query_id": "q1", "text": "a", "tags": ["x", "y"]}])
    assert queries.row(0) == ("q1", "a", "['x', 'y']")
    assert queries.schema["tags"] == pl.String
