"""The rule of which queries count, and what the judged frame holds."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import polars as pl
import pytest
from drawn import collections
from hypothesis import given

import rankreport as rr
from rankreport.evaluation.judging import judge
from rankreport.io import QRELS as QRELS_LAYOUT
from rankreport.io import RUN as RUN_LAYOUT
from rankreport.io import SUBTOPIC_QRELS as SUBTOPIC_QRELS_LAYOUT
from rankreport.io import Partition, Source, open_source
from rankreport.measures import TIES

# q1 is answered by both, q2 by one alone, q3 by none, q4 has nothing relevant, q9 is not judged.
QRELS = {"q1": {"d1": 1, "d2": 2}, "q2": {"d1": 1}, "q3": {"d7": 1}, "q4": {"d1": 0, "d2": -1}}
ONE = {"q1": {"d2": 3, "x": 3, "d1": 1}, "q2": {"d1": 1}, "q4": {"d1": 1}, "q9": {"d1": 1}}
TWO = {"q4": {"x": 1}, "q1": {"x": 2, "d1": 1, "y": 0}, "q8": {"d": 1}, "q9": {"d1": 1}}
BOTH = {"one": ONE, "two": TWO}


def evaluate(measures=("RR",), **options):
    return rr.evaluate(QRELS, BOTH, list(measures), **options)


def counts(evaluation):
    columns = ["n_queries", "n_unanswered", "n_left_out", "n_unjudged", "n_no_relevant", "n_tied"]
    return {row["system"]: [row[c] for c in columns] for row in evaluation.quality.to_dicts()}


def values(evaluation):
    found = evaluation.per_query().select("system", "query_id", "RR").rows()
    return {name: {q: v for s, q, v in found if s == name} for name in BOTH}


def test_every_judged_query_counts_and_a_lacking_one_scores_0():
    evaluation = evaluate()
    assert values(evaluation) == {
        "one": {"q1": 0.5, "q2": 1.0, "q3": 0.0, "q4": 0.0},
        "two": {"q1": 0.5, "q2": 0.0, "q3": 0.0, "q4": 0.0},
    }
    assert counts(evaluation) == {"one": [4, 1, 0, 1, 1, 1], "two": [4, 2, 0, 2, 1, 0]}
    unanswered = [("one", "q3"), ("two", "q2"), ("two", "q3")]
    assert evaluation.unanswered.rows() == unanswered
    assert evaluation.summary().rows() == [("one", 0.375), ("two", 0.125)]


def test_an_intersection_is_of_all_systems_at_once():
    evaluation = evaluate(queries="intersection")
    assert values(evaluation) == {"one": {"q1": 0.5, "q4": 0.0}, "two": {"q1": 0.5, "q4": 0.0}}
    assert counts(evaluation) == {"one": [2, 0, 2, 1, 1, 1], "two": [2, 0, 2, 2, 1, 0]}
    assert evaluation.unanswered.is_empty()


def test_queries_without_anything_relevant_can_be_left_out():
    evaluation = evaluate(no_relevant="skip")
    assert set(values(evaluation)["one"]) == {"q1", "q2", "q3"}
    assert counts(evaluation) == {"one": [3, 1, 1, 1, 1, 1], "two": [3, 2, 1, 2, 1, 0]}


def test_both_rules_can_be_changed_together():
    evaluation = evaluate(queries="intersection", no_relevant="skip")
    assert values(evaluation) == {"one": {"q1": 0.5}, "two": {"q1": 0.5}}
    assert counts(evaluation) == {"one": [1, 0, 3, 1, 1, 1], "two": [1, 0, 3, 2, 1, 0]}


def test_leaving_queries_out_does_not_lower_the_highest_grade():
    qrels = {"q1": {"d1": 1}, "q2": {"d1": 3}}
    runs = {"mine": {"q1": {"d1": 1}}}
    err = rr.evaluate(qrels, runs, ["ERR"], queries="intersection").summary()["ERR"].item()
    assert err == 1 / 8


def test_the_share_judged_counts_the_first_ten():
    qrels = {"q": {"d0": 1, "d1": 0, "d15": 1}}
    run = {"q": {f"d{i}": -i for i in range(20)}}
    assert rr.evaluate(qrels, {"mine": run}).quality["judged_at_10"].item() == 0.2


@pytest.mark.parametrize("other", [{"q2": {"d": 1}}, {"q1 ": {"d": 1}}])
def test_a_run_about_other_queries_is_refused(other):
    with pytest.raises(rr.DataError, match=r"run 'b' has no query in common .*'q1'"):
        _ = rr.evaluate({"q1": {"d": 1}}, {"a": {"q1": {"d": 1}}, "b": other}).scores


def test_rules_that_leave_no_query_are_named():
    with pytest.raises(rr.DataError, match="no_relevant='skip'"):
        _ = rr.evaluate({"q": {"d": 0}}, {"a": {"q": {"d": 1}}}, no_relevant="skip").scores
    apart = {"a": {"q1": {"d": 1}}, "b": {"q2": {"d": 1}}}
    with pytest.raises(rr.DataError, match="queries='intersection'"):
        _ = rr.evaluate({"q1": {"d": 1}, "q2": {"d": 1}}, apart, queries="intersection").scores


@pytest.mark.parametrize("option", ["queries", "no_relevant"])
def test_a_rule_that_is_not_known_is_refused(option):
    with pytest.raises(rr.OptionError, match=f"{option}='all'"):
        evaluate(**{option: "all"})


@given(collections(systems=2))
def test_the_judged_frame_holds_every_judged_document_once_per_system_in_order(collection):
    qrels, *runs = collection
    named = dict(zip(("b", "a"), runs, strict=True))
    judged = judge(
        open_source(qrels, QRELS_LAYOUT),
        {name: open_source(run, RUN_LAYOUT) for name, run in named.items()},
        ties=TIES["trec"],
        queries="judged",
        no_relevant="zero",
    )
    keys = judged.frame.select("system", "query_id", "doc_id").rows()
    expected = {(s, q, d) for s in named for q, row in qrels.items() for d in row}
    assert len(keys) == len(expected)
    assert set(keys) == expected
    order = [("ba".index(s), q.encode()) for s, q, _ in keys]
    assert order == sorted(order)
    for row in judged.frame.iter_rows(named=True):
        returned = named[row["system"]].get(row["query_id"], {})
        assert row["n_retrieved"] == len(returned)
        assert row["score"] == returned.get(row["doc_id"])
        assert (row["rank"] is None) == (row["doc_id"] not in returned)
        assert row["relevance"] == qrels[row["query_id"]][row["doc_id"]]
    for (_, _), rows in judged.frame.group_by("system", "query_id", maintain_order=True):
        assert rows["rank"].is_sorted(nulls_last=True)


ABOUT = {
    "q1": {"a": {"y": 0, "x": 2}, "b": {"x": 1}, "c": {"x": -1, "z": 0}},
    "q2": {"a": {"x": 1}},
    "q3": {"c": {"x": 0}},
}
RUNS = {"one": {"q1": {"a": 1, "b": 1, "u": 1}, "q2": {"a": 1}}, "two": {"q1": {"c": 2, "b": 1}}}


def judged_subtopics(**rules):
    defaults = {"ties": TIES["trec"], "queries": "judged", "no_relevant": "zero"}
    return judge(
        open_source(ABOUT, SUBTOPIC_QRELS_LAYOUT),
        {name: open_source(run, RUN_LAYOUT) for name, run in RUNS.items()},
        **(defaults | rules),
    )


def test_every_judgment_of_a_subtopic_has_the_place_of_its_document():
    judged = judged_subtopics()
    assert judged.subtopics.columns == [*judged.frame.columns, "subtopic"]
    columns = ["system", "query_id", "doc_id", "subtopic", "relevance", "rank", "n_retrieved"]
    assert judged.subtopics.select(columns).rows() == [
        ("one", "q1", "b", "x", 1, 2, 3),  # u, which nobody judged, stands first
        ("one", "q1", "a", "x", 2, 3, 3),
        ("one", "q1", "a", "y", 0, 3, 3),
        ("one", "q1", "c", "x", -1, None, 3),
        ("one", "q1", "c", "z", 0, None, 3),
        ("one", "q2", "a", "x", 1, 1, 1),
        ("one", "q3", "c", "x", 0, None, 0),
        ("two", "q1", "c", "x", -1, 1, 2),
        ("two", "q1", "c", "z", 0, 1, 2),
        ("two", "q1", "b", "x", 1, 2, 2),
        ("two", "q1", "a", "x", 2, None, 2),
        ("two", "q1", "a", "y", 0, None, 2),
        ("two", "q2", "a", "x", 1, None, 0),
        ("two", "q3", "c", "x", 0, None, 0),
    ]


def test_the_grade_of_a_document_is_its_highest_for_any_subtopic():
    judged = judged_subtopics()
    grades = judged.frame.filter(system="one").select("query_id", "doc_id", "relevance").rows()
    assert grades == [
        ("q1", "b", 1),
        ("q1", "a", 2),
        ("q1", "c", 0),
        ("q2", "a", 1),
        ("q3", "c", 0),
    ]
    assert judged.top_grade == 2
    assert judged.queries["n_relevant"].to_list() == [2, 1, 0] * 2


def test_bounds_of_ties_place_the_judgments_of_subtopics_too():
    places = {}
    for ties in ("best", "worst"):
        rows = judged_subtopics(ties=TIES[ties]).subtopics.filter(system="one", query_id="q1")
        places[ties] = rows.select("doc_id", "rank").unique(maintain_order=True).rows()
    assert places["best"] == [("a", 1), ("b", 2), ("c", None)]
    assert places["worst"] == [("b", 2), ("a", 3), ("c", None)]


def test_queries_left_out_have_no_judgments_of_subtopics():
    left = judged_subtopics(queries="intersection").subtopics
    assert set(left["query_id"]) == {"q1"}
    assert set(judged_subtopics(no_relevant="skip").subtopics["query_id"]) == {"q1", "q2"}


def test_judgments_of_documents_have_no_subtopics():
    source = open_source(QRELS, QRELS_LAYOUT)
    runs = {"one": open_source(ONE, RUN_LAYOUT)}
    judged = judge(source, runs, ties=TIES["trec"], queries="judged", no_relevant="zero")
    assert judged.subtopics is None


def test_a_subtopic_column_that_is_not_asked_for_is_named():
    judged = pl.DataFrame(
        {
            "query_id": ["q", "q", "q"],
            "doc_id": ["a", "a", "b"],
            "subtopic": ["s1", "s2", "s1"],
            "relevance": [1, 0, 1],
        }
    )
    with pytest.raises(rr.DataError, match=r"subtopic.*subtopics=True") as caught:
        _ = rr.evaluate(judged, {"mine": {"q": {"a": 1.0}}}, ["AP"]).scores
    assert "repeats document" not in str(caught.value)
    with pytest.raises(rr.DataError, match=r"subtopic.*subtopics=True"):
        rr.read_qrels(judged)
    assert (
        rr.evaluate(judged, {"mine": {"q": {"a": 1.0}}}, ["StRecall"], subtopics=True).scores.height
        == 1
    )


def test_documents_that_repeat_within_a_subtopic_are_told_as_before():
    judged = pl.DataFrame(
        {
            "query_id": ["q", "q"],
            "doc_id": ["a", "a"],
            "subtopic": ["s1", "s1"],
            "relevance": [1, 0],
        }
    )
    with pytest.raises(rr.DataError, match="repeats document 'a'"):
        _ = rr.evaluate(judged, {"mine": {"q": {"a": 1.0}}}, ["AP"]).scores


def test_a_subtopic_column_in_a_file_is_named_too(tmp_path):
    path = tmp_path / "qrels.csv"
    path.write_text("query_id,doc_id,subtopic,relevance\nq,a,s1,1\nq,a,s2,0\n")
    with pytest.raises(rr.DataError, match=r"qrels.csv.*subtopics=True"):
        _ = rr.evaluate(path, {"mine": {"q": {"a": 1.0}}}, ["AP"]).scores


def test_runs_that_are_queries_are_named():
    run = pl.DataFrame({"qid": ["q1", "q1", "q2"], "docno": ["a", "b", "a"], "score": [2.0, 1, 1]})
    groups = {query: rows for (query,), rows in run.group_by("qid")}
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    with pytest.raises(rr.DataError, match=r"Join them: pl\.concat\(runs\.values\(\)\)"):
        _ = rr.evaluate(qrels, groups, ["RR"]).scores
    joined = rr.evaluate(qrels, pl.concat(groups.values()), ["RR"])
    assert joined.summary().rows() == [("run", 1.0)]
    other = {"q1": groups["q2"], "q2": groups["q1"]}  # no names of their queries
    assert rr.evaluate(qrels, other, ["RR"]).summary()["system"].to_list() == ["q1", "q2"]


def watched(given, role, before, partition=None):
    """Return a source, before whose rows are scanned something is done."""
    source = open_source(given, role)

    def scanned():
        before()
        return source.scans[0]()

    return replace(source, scans=(scanned,), partition=partition)


def test_rows_are_read_once_for_scores_and_quality(monkeypatch, tmp_path):
    read, rows_of = [], Source.read

    def noted(source, *more):
        read.append(source.name)
        return rows_of(source, *more)

    monkeypatch.setattr(Source, "read", noted)
    rows = pl.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0]})
    names = [str(tmp_path / f"{name}.parquet") for name in ("one", "two", "three")]
    for name in names:
        rows.write_parquet(name)
    evaluation = rr.evaluate({"q1": {"d1": 1}}, names, ["RR"])
    assert evaluation.summary()["RR"].to_list() == [1, 1, 1]
    assert not evaluation.quality.is_empty()
    assert sorted(name for name in read if name in names) == sorted(names)


def test_judgments_are_read_beside_the_first_run():
    started = threading.Event()
    judged = judge(
        # Read one after the other, these would wait in vain.
        watched(QRELS, QRELS_LAYOUT, lambda: expect(started.wait(timeout=20))),
        {"mine": watched(ONE, RUN_LAYOUT, started.set)},
        ties=TIES["trec"],
        queries="judged",
        no_relevant="zero",
    )
    assert judged.looks["mine"].n_rows == 6


def test_in_slices_judgments_are_read_first():
    read = []
    runs = {
        "mine": watched(ONE, RUN_LAYOUT, lambda: expect("judgments" in read), Partition(2)),
    }
    qrels = watched(QRELS, QRELS_LAYOUT, lambda: read.append("judgments") or time.sleep(0.2))
    judged = judge(qrels, runs, ties=TIES["trec"], queries="judged", no_relevant="zero")
    assert judged.looks["mine"].n_rows == 6


def expect(holds):
    if not holds:
        raise rr.DataError("read out of turn")


@pytest.mark.parametrize("run", [{"q1": {"d1": float("nan")}}, {"q1": {}}])
def test_faults_of_judgments_come_before_those_of_runs(run):
    with pytest.raises(rr.DataError, match="qrels, row 1 has grade NaN") as found:
        rr.evaluate({"q1": {"d1": float("nan")}}, {"mine": run}).summary()
    assert found.value.__cause__ is None
    assert found.value.__suppress_context__
