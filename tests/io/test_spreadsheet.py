"""CSV for spreadsheets: no cell is a formula, and what is read back is what was written."""

from __future__ import annotations

import csv
import re
from functools import partial

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankreport as rr
from rankreport.io import open_corpus, write_frame
from rankreport.io.reading import pairs_of
from rankreport.io.spreadsheet import guarded, unguarded

LINK = '=HYPERLINK("#A1","open")'
CELLS = [LINK, "=1", "+a", "-b c", "@d", "'=e", "''@f", "'g", "-0.5", "+1e3", "'-1", "h", "\t=i"]
IDS = [each for each in CELLS if "\t" not in each]
NUMBER = re.compile(r"[+-](\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


def formulas(path):
    """The cells of a file that a spreadsheet would run."""
    with path.open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    risky = [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    return [cell for cell in risky if not NUMBER.fullmatch(cell)]


@given(st.lists(st.text("'=+-@\t\r.0a"), min_size=1))
def test_each_text_is_given_back(texts):
    frame = pl.DataFrame({"text": texts, "value": -0.5})
    written = guarded(frame)
    assert unguarded(written).equals(frame)
    assert unguarded(written.lazy()).collect().equals(frame)
    risky = [text for text in written["text"] if text[:1] in {*"=+-@\t\r"} - {""}]
    assert all(NUMBER.fullmatch(text) for text in risky)
    assert written["value"].equals(frame["value"])


def test_categories_and_names_of_columns_are_guarded(tmp_path):
    frame = pl.DataFrame({"query_id": ["=1", "b"], "=a": ["c", "d"], "-1": [1, -2]})
    write_frame(tmp_path / "out.csv", frame.cast({"query_id": pl.Categorical}))
    assert formulas(tmp_path / "out.csv") == []
    read = rr.read_queries(tmp_path / "out.csv")
    assert read.columns == frame.columns
    assert read["query_id"].to_list() == ["=1", "b"]


READERS = {
    "qrels": ("relevance", lambda path: rr.read_qrels(path).collect()),
    "run": ("score", lambda path: rr.read_run(path).collect()),
    "queries": ("text", rr.read_queries),
    "documents": ("text", lambda path: open_corpus(path).texts(IDS)),
    "labelled list": ("label,score", lambda path: rr.read_labelled(path).collect()),
    "ratings": ("judge,grade", lambda path: rr.qrels_from_judges(path).qrels),
    "judged tasks": ("query,document,relevance", rr.read_judged_tasks),
    "clicks": (
        "session,rank,clicked",
        lambda path: rr.qrels_from_clicks(path, model="ctr", grades=None, min_impressions=1).qrels,
    ),
    "passages": ("", partial(pairs_of, "document_of")),
}


VALUES = {
    **dict.fromkeys(("text", "query", "document"), IDS),
    "judge": ["Ann"] * len(IDS),
    "session": list(range(len(IDS))),
}


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_of_csv_gives_the_ids_back(reader, tmp_path):
    names, read = READERS[reader]
    rows = pl.DataFrame({"query_id": IDS, "doc_id": IDS})
    for name in filter(None, names.split(",")):
        rows = rows.with_columns(pl.Series(name, VALUES.get(name, [1.0] * len(IDS))))
    write_frame(tmp_path / "given.csv", rows)
    assert formulas(tmp_path / "given.csv") == []
    read_back = read(tmp_path / "given.csv")
    for column in {"query_id", "doc_id", "text"} & set(read_back.columns):
        assert sorted(read_back[column].unique()) == sorted(IDS), column


def test_ids_of_csv_meet_those_of_other_files(tmp_path):
    qrels = pl.DataFrame({"query_id": IDS, "doc_id": IDS, "relevance": 1})
    write_frame(tmp_path / "qrels.csv", qrels)
    run = pl.DataFrame({"query_id": IDS, "doc_id": IDS, "score": 1.0})
    run.write_parquet(tmp_path / "run.parquet")
    made = rr.evaluate(tmp_path / "qrels.csv", {"mine": tmp_path / "run.parquet"}, ["P@1"])
    assert made.summary().rows() == [("mine", 1.0)]


def test_marks_and_line_breaks_within_cells_stay(tmp_path):
    texts = ["=1,2", '="a"', "'=a\nb", "plain\n=c"]
    rows = pl.DataFrame({"query_id": ["a", "b", "=c", "d"], "text": texts})
    write_frame(tmp_path / "queries.csv", rows)
    assert formulas(tmp_path / "queries.csv") == []
    assert rr.read_queries(tmp_path / "queries.csv").equals(rows)


@pytest.mark.parametrize("name", ["a.tsv", "a.jsonl", "a.parquet"])
def test_an_apostrophe_in_other_formats_is_part_of_the_text(name, tmp_path):
    rows = pl.DataFrame({"query_id": ["'=a"], "text": ["'@home"]})
    path = tmp_path / name
    if path.suffix == ".tsv":
        rows.write_csv(path, separator="\t")
    elif path.suffix == ".jsonl":
        rows.write_ndjson(path)
    else:
        rows.write_parquet(path)
    assert rr.read_queries(path).equals(rows)


def test_an_apostrophe_of_quepid_is_part_of_the_text(tmp_path):
    """Quepid writes a space before a formula."""
    path = tmp_path / "ratings.csv"
    path.write_text("query,docid,rating\n'@home show,d1,1\n =1+1,d2,1\n", encoding="utf-8")
    assert rr.read_qrels(path).collect()["query_id"].to_list() == ["'@home show", "=1+1"]


@pytest.fixture(scope="module")
def comparison():
    """Hostile names of systems, queries, documents, and of columns of queries."""
    queries = [f"{cell}{i}" for cell in (LINK, "@", "'=", "-") for i in range(6)]
    qrels = {query: {"=d1": 1, "+d2": 0} for query in queries}
    old = {query: {"+d2": 2.0, "@d3": 1.0} for query in queries}
    new = {query: {"=d1": 1.0 + i % 2, "@d3": 1.5} for i, query in enumerate(queries)}
    table = pl.DataFrame({"query_id": queries, "=kind": ["@a", "-b"] * 12})
    runs = {"=old": old, LINK: new, "@third": old}
    return rr.compare(qrels, runs, measures=["nDCG@2"], queries=table, segments="=kind")


WRITERS = {
    "scores": lambda made, path: write_frame(path, made.evaluation.scores),
    "comparison": lambda made, path: write_frame(path, made.table()),
    "deltas": lambda made, path: write_frame(path, made.deltas()),
    "segments": lambda made, path: write_frame(path, made.segments().to_polars()),
    "report": lambda made, path: rr.report(made, date="2026-11-22").to_csv(path),
    "plan": lambda made, path: write_frame(path, rr.plan(made).to_polars()),
    "judge next": lambda made, path: rr.judge_next(made, LINK).write(path),
    "tasks": lambda _, path: rr.judging_tasks({"=q": {"=d": 1.0}}, {"=q": LINK}, path=path),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_no_output_holds_a_formula(writer, comparison, tmp_path):
    WRITERS[writer](comparison, tmp_path / "out.csv")
    assert "'=" in (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert formulas(tmp_path / "out.csv") == []
