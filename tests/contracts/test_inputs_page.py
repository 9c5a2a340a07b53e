"""What docs/inputs.md says to run does run, on files in the forms that it names."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from shell import run_in_shell

import rankreport as rr

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "inputs.md").read_text(encoding="utf-8")
EXPORTS = ROOT / "tests" / "helpers" / "exports"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [text.strip() for language, text in BLOCKS if language == "shell"]
OLD = {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d2": 1.0}}
NEW = {"q1": {"d1": 3.0, "d2": 2.0}, "q2": {"d2": 1.0}}


def answer(lists):
    hits = {q: [{"hit": {"_index": "i", "_id": d}} for d in docs] for q, docs in lists.items()}
    details = {q: {"metric_score": 0, "hits": found} for q, found in hits.items()}
    return {"metric_score": 0, "details": details, "failures": {}}


def results(lists):
    return [
        {"searchConfigurationId": system, "searchText": query, "documentIds": documents}
        for system, found in lists.items()
        for query, documents in found.items()
    ]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Stand in a folder with the files of the page."""
    before = {"laptop": ["x", "a"], "phone": ["b"]}
    after = {"laptop": ["a", "x"], "phone": ["b"]}
    judged = {"laptop": "a", "phone": "b"}
    values = {
        "qrels.json": {"q1": {"d1": 1}, "q2": {"d2": 1}},
        "old.json": OLD,
        "new.json": NEW,
        "request.json": {
            "requests": [
                {"id": q, "ratings": [{"_index": "i", "_id": d, "rating": 1}]}
                for q, d in judged.items()
            ],
            "metric": {"precision": {"k": 3}},
        },
        "before.json": answer(before),
        "after.json": answer(after),
        "msearch.json": {
            "responses": [
                {"hits": {"total": 2, "hits": [{"_id": d} for d in found]}}
                for found in after.values()
            ]
        },
        "judgments.json": {
            "judgmentRatings": [
                {"query": q, "ratings": [{"docId": d, "rating": "1.0"}]} for q, d in judged.items()
            ]
        },
        "results.json": results({"old": before, "new": after}),
    }
    for name, value in values.items():
        (tmp_path / name).write_text(json.dumps(value))
    lines = (f'{{"_id": "d{n}", "text": "about jazz {n}"}}\n' for n in (1, 2))
    (tmp_path / "corpus.jsonl").write_text("".join(lines))
    shutil.copytree(EXPORTS / "beir", tmp_path / "scifact")
    meta = {"model_name": "org/small", "revision": "1"}
    for model in ("small", "large"):
        (tmp_path / model).mkdir()
        made = {
            "mteb_model_meta": {**meta, "model_name": f"org/{model}"},
            "default": {"test": OLD if model == "small" else NEW},
        }
        (tmp_path / model / "SciFact_predictions.json").write_text(json.dumps(made))
    (tmp_path / "asked.csv").write_text("query_id\nlaptop\nphone\n")
    (tmp_path / "ratings.csv").write_text("query,docid,rating\nlaptop,a,2\nphone,b,3\n")
    lines = "before,laptop,x,1\nbefore,laptop,a,2\nafter,laptop,a,1\nafter,laptop,x,2\n"
    header = "Snapshot Name,Query Text,Doc ID,Doc Position\n"
    (tmp_path / "snapshots.csv").write_text(header + lines)
    (tmp_path / "parts").mkdir()
    for n, (query, document) in enumerate((("q1", "d1"), ("q2", "d2"))):
        rows = f"query_id,doc_id,score\n{query},{document},1\n"
        (tmp_path / "parts" / f"part-{n}.csv").write_text(rows)
    with sqlite3.connect(tmp_path / "search.db") as connection:
        connection.execute("create table judged (query_id text, doc_id text, grade integer)")
        connection.execute("create table results (query_id text, doc_id text, score real)")
        connection.execute("insert into judged values ('q1', 'd1', 1)")
        connection.execute("insert into results values ('q1', 'd1', 2.5)")
    connection.close()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command, folder):
    run_in_shell(command, folder)
    if " report " in command:
        page = (folder / "report.html").read_text(encoding="utf-8")
        assert ("what is jazz?" in page) == ("scifact" in command)
        assert ("about jazz 1" in page) == ("--documents" in command)


@pytest.mark.usefixtures("folder")
def test_python():
    namespace = {"rr": rr}
    means, compared = [], []
    for language, text in BLOCKS:
        if language == "python":
            exec(compile(text, "docs/inputs.md", "exec"), namespace)
            if "evaluation" in namespace:
                means.append(namespace.pop("evaluation").summary().rows())
            if "comparison" in namespace:
                compared.append(namespace.pop("comparison").systems)
    assert [each[0][0] for each in means] == [
        *("old", "org/small", "after", "parts"),
    ]
    assert means[2] == [("after", 1.0)]
    assert compared == [("old",), ("dense",)]
    assert means[-1] == [("parts", 1.0)]
    assert Path("report.html").stat().st_size > 0
    (section,) = [
        each for each in namespace["report"]._shown.page.sections if each.id == "queries-0"
    ]
    (drilldown,) = [part for part in section.parts if hasattr(part, "sides")]
    (win,) = drilldown.sides[0].changes
    assert win.documents[0].passage == ("A ", "history", " of ", "jazz", ".")


def test_the_functions_of_the_page_exist():
    for name in ("read_beir", "read_mteb", "read_msearch", "read_sql"):
        assert f"rr.{name}(" in PAGE
        assert callable(getattr(rr, name))
