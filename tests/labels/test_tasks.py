"""Documents to judge: which, in what order, as which file, and the grades read back."""

from __future__ import annotations

import polars as pl
import pytest

import rankreport as rr

RUNS = {
    "old": {f"q{i}": [f"d{i}", "x", "y", "z"] for i in range(20)},
    "new": {f"q{i}": ["y", "x", f"e{i}"] for i in range(20)},
}
QUERIES = {f"q{i}": f"=query {i}" for i in range(20)}
DOCUMENTS = {"x": "the\nfirst, or so", "y": 'a "second"', "d0": "=1+1"}


def test_the_first_documents_of_all_runs_are_listed_once():
    tasks = rr.judging_tasks(RUNS, depth=2)
    assert tasks.columns == ["query_id", "doc_id", "relevance"]
    assert sorted(tasks.filter(query_id="q3")["doc_id"]) == ["d3", "x", "y"]
    assert len(tasks) == 60
    assert tasks["relevance"].null_count() == 60


def test_queries_stay_together_and_the_order_tells_nothing():
    tasks = rr.judging_tasks(RUNS, depth=2)
    assert tasks["query_id"].rle_id().max() == 19
    assert tasks["query_id"].unique(maintain_order=True).to_list() != sorted(QUERIES)
    first = tasks.group_by("query_id", maintain_order=True).first()["doc_id"]
    kinds = first.str.slice(0, 1).value_counts()
    # One of three comes first by chance: 6.7 of 20 each.
    assert len(kinds) == 3
    assert kinds["count"].max() < 14


def test_the_order_depends_on_the_seed_and_not_on_the_systems():
    swapped = {"b": RUNS["new"], "a": RUNS["old"]}
    assert rr.judging_tasks(swapped).equals(rr.judging_tasks(RUNS))
    assert not rr.judging_tasks(RUNS, seed=1).equals(rr.judging_tasks(RUNS))


def test_only_the_sample_and_what_nobody_judged():
    sample = rr.sample_queries(QUERIES, 5)
    tasks = rr.judging_tasks(
        RUNS, depth=2, sample=sample, judged={name: {"x": 1} for name in QUERIES}
    )
    assert set(tasks["query_id"]) == set(sample)
    assert set(tasks["doc_id"].str.slice(0, 1)) == {"d", "y"}


@pytest.mark.parametrize("runs", [RUNS["old"], {"only": RUNS["old"]}, {"q0": {"x": 2.0, "y": 1.0}}])
def test_one_run_is_enough(runs):
    assert {"x", "y"} <= set(rr.judging_tasks(runs, depth=3).filter(query_id="q0")["doc_id"])


def test_runs_are_files_too(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 a 1 2.0 t\nq1 Q0 b 2 1.0 t\n")
    other = tmp_path / "b.run"
    other.write_text("q1 Q0 b 1 2.0 t\nq1 Q0 a 2 1.0 t\n")
    assert sorted(rr.judging_tasks([path, str(other)], depth=1)["doc_id"]) == ["a", "b"]
    assert rr.judging_tasks(path, depth=1).rows() == [("q1", "a", None)]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_file_comes_back_with_its_grades(tmp_path, suffix):
    path = tmp_path / f"tasks{suffix}"
    tasks = rr.judging_tasks(RUNS, QUERIES, DOCUMENTS, depth=3, path=path)
    assert tasks.columns == ["query_id", "doc_id", "query", "document", "relevance"]
    assert tasks.filter(query_id="q0", doc_id="x").row(0)[2:4] == ("=query 0", DOCUMENTS["x"])
    written = pl.read_csv(path) if suffix == ".csv" else pl.read_ndjson(path)
    # A spreadsheet would run it.
    assert written.filter(query_id="q0")["query"][0] == ("'" * (suffix == ".csv") + "=query 0")
    assert {"old", "new", "rank"}.isdisjoint(written.columns)
    graded = written.with_columns(relevance=pl.col("doc_id").str.len_chars() - 1)
    graded.write_csv(path) if suffix == ".csv" else graded.write_ndjson(path)
    qrels = rr.read_judged_tasks(path)
    assert qrels.schema == {"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Float64}
    assert qrels.select("query_id", "doc_id").equals(tasks.select("query_id", "doc_id"))
    assert set(qrels.filter(doc_id="x")["relevance"]) == {0.0}
    assert rr.evaluate(qrels, RUNS, ["P@3"]).systems == ("old", "new")


def test_texts_of_documents_come_as_a_table(tmp_path):
    pl.DataFrame({"docno": ["x"], "title": ["an x"]}).write_csv(tmp_path / "d.csv")
    tasks = rr.judging_tasks(RUNS, documents=tmp_path / "d.csv", depth=2)
    assert set(tasks.drop_nulls("document")["document"]) == {"an x"}


GRADED = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": ["1", " 2.5 "]})


def test_titles_come_before_texts_and_stores_are_asked(tmp_path):
    texts = {"doc_id": ["x", "y", "z"], "title": ["A", "B", None], "text": ["one", None, ""]}
    pl.DataFrame(texts).write_ndjson(tmp_path / "corpus.jsonl")
    found = rr.judging_tasks(RUNS["old"], documents=tmp_path / "corpus.jsonl", depth=4)
    known = dict(found.filter(query_id="q0").select("doc_id", "document").iter_rows())
    assert known == {"d0": None, "x": "A\none", "y": "B", "z": None}
    with pytest.raises(rr.DataError, match="None of the documents to judge has a text"):
        rr.judging_tasks(RUNS, documents={"other": "text"})


@pytest.mark.parametrize("ties", ["trec", "input"])
def test_a_document_that_a_list_repeats_is_taken_once(tmp_path, ties):
    path = tmp_path / "a.run"
    lines = [("a", 3.0), ("b", 4.0), ("a", 5.0), ("c", 1.0)]
    path.write_text("".join(f"q1 Q0 {doc} 1 {score} t\n" for doc, score in lines))
    assert sorted(rr.judging_tasks(path, depth=2, ties=ties)["doc_id"]) == ["a", "b"]
    assert sorted(rr.judging_tasks(path, depth=3, ties=ties)["doc_id"]) == ["a", "b", "c"]


def test_documents_without_a_grade_are_refused_or_left_out():
    some = GRADED.with_columns(relevance=pl.Series(["1", " "]))
    with pytest.raises(rr.DataError, match="1 of 2 documents have no grade, such as 'b'"):
        rr.read_judged_tasks(some)
    assert rr.read_judged_tasks(some, incomplete="drop").rows() == [("q", "a", 1.0)]
    none = some.with_columns(relevance=pl.lit(None, pl.Float64))
    with pytest.raises(rr.DataError, match="2 of 2 documents have no grade"):
        rr.read_judged_tasks(none, incomplete="drop")
    assert rr.read_judged_tasks(GRADED)["relevance"].to_list() == [1.0, 2.5]


@pytest.mark.parametrize(
    ("graded", "why"),
    [
        (
            GRADED.with_columns(relevance=pl.Series(["1", "good"])),
            "row 2 has 'good' where",
        ),
        (
            GRADED.with_columns(doc_id=pl.lit("a")),
            "row 2 repeats document 'a'",
        ),
        (GRADED.drop("relevance"), "no column for relevance"),
    ],
)
def test_grades_that_cannot_be_used_are_refused(graded, why):
    with pytest.raises(rr.DataError, match=why):
        rr.read_judged_tasks(graded)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"depth": 0}, "depth=0 must be at least 1"),
        ({"ties": "expected"}, "ties='expected' is not one of"),
        ({"sample": "q1"}, "give the ids of queries"),
        ({"sample": ["q1", "q77"]}, "No run answers 1 queries of the sample, such as 'q77'"),
        ({"path": "tasks.xlsx"}, "ends in .xlsx"),
        ({"path": "tasks"}, "must end in .csv or .jsonl"),
        ({"queries": pl.DataFrame({"query_id": ["q1"]})}, "The queries have no texts"),
        ({"documents": pl.DataFrame({"doc_id": ["x"]})}, "no column for text"),
    ],
)
def test_what_cannot_be_used_is_refused(given, why):
    with pytest.raises((rr.DataError, rr.OptionError), match=why):
        rr.judging_tasks(RUNS, **given)
