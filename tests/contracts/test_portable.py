"""Files of other systems: ends of lines, backslashes, and names that differ in case alone."""

from __future__ import annotations

import json
from pathlib import PureWindowsPath

import pytest

import rankreport as rr

QRELS = {f"q{n}": {"a": 1, "b": 0} for n in range(12)}
RUN = {f"q{n}": {"a": float(n % 2), "b": 0.5} for n in range(12)}
TEXTS = {
    "qrels.csv": "query_id,doc_id,relevance\n"
    + "".join(f"q{n},a,1\nq{n},b,0\n" for n in range(12)),
    "qrels.tsv": "query-id\tcorpus-id\tscore\n"
    + "".join(f"q{n}\ta\t1\nq{n}\tb\t0\n" for n in range(12)),
    "qrels.jsonl": "".join(
        json.dumps({"query_id": query, "doc_id": doc, "relevance": grade}) + "\n"
        for query, row in QRELS.items()
        for doc, grade in row.items()
    ),
}


def scores(qrels, run):
    return rr.evaluate(qrels, {"new": run}, ["nDCG@10", "RR"]).scores


@pytest.mark.parametrize("name", TEXTS)
def test_lines_may_end_as_on_windows(name, tmp_path):
    file = tmp_path / name
    file.write_bytes(TEXTS[name].replace("\n", "\r\n").encode())
    assert scores(file, RUN).equals(scores(QRELS, RUN))


def test_a_beir_folder_may_come_from_windows(tmp_path):
    (tmp_path / "qrels").mkdir()
    corpus = '{"_id": "a", "title": "A", "text": "one"}\n{"_id": "b", "title": "", "text": "two"}\n'
    files = {
        "corpus.jsonl": corpus,
        "queries.jsonl": "".join(f'{{"_id": "q{n}", "text": "what?"}}\n' for n in range(12)),
        "qrels/test.tsv": TEXTS["qrels.tsv"],
    }
    for name, text in files.items():
        (tmp_path / name).write_bytes(text.replace("\n", "\r\n").encode())
    assert scores(tmp_path, RUN).equals(scores(QRELS, RUN))
    read = rr.read_qrels(tmp_path).collect()
    assert "\r" not in "".join([*read["query_id"], *read["doc_id"]])


def test_texts_keep_no_end_of_line_of_windows(tmp_path):
    questions = tmp_path / "questions.csv"
    questions.write_bytes(b"query_id,text\r\n" + b"".join(b"q%d,why?\r\n" % n for n in range(12)))
    comparison = rr.compare(QRELS, {"old": RUN, "new": {q: {"a": 1.0} for q in RUN}}, ["RR"])
    page = rr.report(comparison, queries=questions).to_json()
    assert "why?" in page
    assert r"\r" not in page


@pytest.mark.parametrize("ending", ["csv", "jsonl", "txt"])
def test_identifiers_may_be_paths_of_windows(ending, tmp_path):
    path = str(PureWindowsPath(r"C:\docs\new\table.txt"))  # \n and \t are two characters each
    line = {
        "csv": f"query_id,doc_id,relevance\nq,{path},1\n",
        "jsonl": json.dumps({"query_id": "q", "doc_id": path, "relevance": 1}) + "\n",
        "txt": f"q 0 {path} 1\n",
    }
    file = tmp_path / f"qrels.{ending}"
    file.write_text(line[ending], encoding="utf-8")
    assert rr.read_qrels(file).collect()["doc_id"].to_list() == [path]
    assert scores(file, {"q": {path: 1.0}})["value"].to_list() == [1.0, 1.0]


def test_systems_may_differ_in_case_alone():
    comparison = rr.compare(QRELS, {"BM25": RUN, "bm25": {q: {"a": 1.0} for q in RUN}}, ["RR"])
    assert comparison.to_polars()["system"].to_list() == ["bm25"]
    assert comparison.to_polars()["baseline"].to_list() == ["BM25"]
