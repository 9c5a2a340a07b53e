"""Folders as BEIR 2.2.0 writes them: `helpers/exports/beir` is of its own functions."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import rankreport as rr

EXPORTS = Path(__file__).parents[1] / "helpers" / "exports"
FOLDER = EXPORTS / "beir"
JUDGED = [("q1", "d1", 1.0), ("q1", 'd"3', 2.0), ("q2", "d2", 1.0)]


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "small")
    return tmp_path / "small"


def test_a_collection_has_judgments_queries_and_documents():
    collection = rr.read_beir(FOLDER)
    assert collection.qrels.collect().rows() == JUDGED
    assert collection.queries.rows() == [
        ("q1", "what is jazz?"),
        ("q2", 'who plays, "now"?'),
        ("q3", "of another split"),
    ]
    assert collection.corpus == FOLDER / "corpus.jsonl"
    assert collection.splits == ("dev", "test")
    assert rr.read_beir(FOLDER, "dev").qrels.collect().rows() == [("q3", "d1", 1.0)]


def test_the_folder_itself_is_judgments_and_queries():
    assert rr.read_qrels(FOLDER).collect().rows() == JUDGED
    assert rr.read_queries(FOLDER).rows() == rr.read_beir(FOLDER).queries.rows()
    assert rr.read_queries(rr.read_beir(FOLDER)).columns == ["query_id", "text"]


def test_the_same_scores_come_from_json_and_from_the_run_file_of_beir():
    runs = {"json": EXPORTS / "beir.json", "trec": EXPORTS / "beir.run"}
    run = json.loads((EXPORTS / "beir.json").read_text())
    found = rr.evaluate(FOLDER, {**runs, "dict": run})
    one, *others = (part.drop("system") for part in found.scores.partition_by("system"))
    assert all(other.equals(one) for other in others)
    # Its run file has rank 0 on every line.
    with pytest.raises(rr.DataError, match="rank 0 more than once"):
        rr.evaluate(FOLDER, runs["trec"], ties="rank").summary()


def test_texts_reach_the_page_without_being_asked_for(tmp_path):
    run = json.loads((EXPORTS / "beir.json").read_text())
    worse = {"q1": {"d2": 1.0}, "q2": {"d2": 1.0}}
    evaluation = rr.evaluate(FOLDER, {"old": worse, "new": run}, ["nDCG@10"])
    for subject in (rr.compare(evaluation), evaluation):
        rr.report(subject).to_html(tmp_path / "page.html")
        assert "what is jazz?" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "queries.jsonl" in rr.report(rr.compare(evaluation)).to_json()


def test_queries_that_are_given_go_before_those_of_the_folder():
    run = json.loads((EXPORTS / "beir.json").read_text())
    given = rr.read_queries(FOLDER).with_columns(kind=rr.read_queries(FOLDER)["query_id"])
    evaluation = rr.evaluate(FOLDER, {"a": run, "b": {"q1": {"d1": 1.0}}}, ["RR"])
    made = rr.compare(evaluation, queries=given, segments="kind")
    assert made.query_metadata.queries.columns == ["query_id", "text", "kind"]


def test_prefixes_name_other_queries_and_judgments(folder):
    (folder / "gen-qrels").mkdir()
    (folder / "gen-qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\ng1\td1\t1\n")
    (folder / "gen-queries.jsonl").write_text('{"_id": "g1", "text": "made up"}\n')
    made = rr.read_beir(folder, "train", prefix="gen")
    assert made.qrels.collect().rows() == [("g1", "d1", 1.0)]
    assert made.queries.rows() == [("g1", "made up")]
    shutil.rmtree(folder / "qrels")
    with pytest.raises(rr.DataError, match="prefix='gen'"):
        rr.read_beir(folder)


def test_documents_and_queries_may_be_missing(folder):
    (folder / "corpus.jsonl").unlink()
    (folder / "queries.jsonl").unlink()
    assert rr.read_beir(folder).corpus is None
    evaluation = rr.evaluate(folder, {"mine": {"q1": {"d1": 1.0}}}, ["RR"])
    assert evaluation.queries is None
    assert rr.report(evaluation).to_markdown()
    with pytest.raises(rr.DataError, match=r"queries.jsonl does not exist"):
        rr.read_queries(folder)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("q1\td1\t1\n", "begins with a judgment, q1 d1 1, which BEIR would skip"),
        ("query-id\tcorpus-id\tscore\nq1\td1\tone\n", "line 2 has 'one' where the grade belongs"),
        ("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\t2\n", "line 3 repeats document 'd1'"),
        ("query-id\tcorpus-id\tscore\nq1\td1\n", "line 1 has 3 fields"),
        ("query-id\t0\tcorpus-id\tscore\nq1\t0\td1\t1\n", "has 4 columns"),
        ("query-id\tcorpus-id\tscore\n", "has no rows"),
        ("", "is empty"),
    ],
)
def test_a_fault_in_the_judgments_is_named(text, words, folder):
    (folder / "qrels" / "test.tsv").write_text(text)
    with pytest.raises(rr.DataError) as refused:
        rr.read_qrels(folder).collect()
    assert words in str(refused.value)
    assert "test.tsv" in str(refused.value)


def test_what_is_missing_is_named_with_what_is_there(folder, tmp_path):
    with pytest.raises(rr.DataError, match="The folder has judgments for: dev, test"):
        rr.read_beir(folder, "train")
    with pytest.raises(rr.DataError, match=r"is a file\. Expected a folder with queries\.jsonl"):
        rr.read_beir(folder / "queries.jsonl")
    with pytest.raises(rr.DataError, match=r"does not exist\. Expected a folder"):
        rr.read_beir(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(rr.DataError, match=r"Expected a folder with queries\.jsonl"):
        rr.read_beir(tmp_path / "empty")
    with pytest.raises(rr.DataError, match="Of folders, those of BEIR"):
        rr.read_qrels(tmp_path / "empty")
    with pytest.raises(rr.DataError, match=r"which holds judgments and queries\. Expected a run"):
        rr.read_run(folder)
    with pytest.raises(rr.DataError, match="have no subtopics"):
        rr.read_qrels(folder, subtopics=True)
    (folder / "queries.jsonl").write_text('{"id": "q1", "text": "jazz"}\n')
    with pytest.raises(rr.DataError, match=r"has no '_id'\. Its fields: id, text"):
        rr.read_queries(folder)
