"""docs/your-data/: what is typed here runs, and what was typed elsewhere where the tool is."""

from __future__ import annotations

import ast
import asyncio
import json
import re
import shutil
import sqlite3
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from shell import run_in_shell
from workbooks import workbook

import rankreport as rr

ROOT = Path(__file__).parents[2]
PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs" / "your-data").glob("*.md"))
}
BEIR = ROOT / "tests" / "helpers" / "exports" / "beir"

NOT_INSTALLED = re.compile(
    r"pt\.Experiment|GenericDataLoader|util\.semantic|InformationRetrievalEvaluator|calc_metrics"
    r"|OfflineMetrics|ranking_metrics_at_k|aevaluate_dataset|context_recall|DocumentMRR|read_excel|context_precision"
)
"""What is typed in tools that are not installed with the tests."""

FENCES = re.compile(r"^:::\{container\} typed$|^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

JUDGED = {f"q{i}": {"d1": i % 3, "d2": 1, "d3": 0} for i in range(12)}
OLD = {q: {"d3": 3.0, "d2": 2.0, "d1": 1.0} for q in JUDGED}
NEW = {q: {"d1": 3.0, "d2": 2.5, "d3": 0.5 + i % 3} for i, q in enumerate(JUDGED)}
RELEVANT = {q: [d for d, grade in row.items() if grade] for q, row in JUDGED.items()}


class Block(NamedTuple):
    language: str
    text: str
    theirs: bool


def blocks(page):
    """Return the blocks of code of a page; the first of two columns is what was typed elsewhere."""
    found, opened = [], False
    for each in re.finditer(
        r"^:::\{container\} typed$|^```(\w+)\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL
    ):
        if each[1]:
            found.append(Block(each[1], each[2], opened))
        opened = not each[1]
    return found


def frame(runs, *names):
    rows = [
        (system, q, d, score, rank)
        for system, run in runs.items()
        for q, row in run.items()
        for rank, (d, score) in enumerate(sorted(row.items(), key=lambda x: -x[1]), 1)
    ]
    columns = ["system", "query_id", "doc_id", "score", "rank"]
    return pd.DataFrame(rows, columns=columns)[list(names or columns)]


def judgments():
    rows = [(q, d, grade) for q, row in JUDGED.items() for d, grade in row.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])


# --- what a user of the tool has ------------------------------------------------------------------


def trec_eval(folder):
    import pytrec_eval

    lines = "".join(f"{q} 0 {d} {g}\n" for q, row in JUDGED.items() for d, g in row.items())
    (folder / "qrels.txt").write_text(lines)
    for name, run in (("bm25", OLD), ("new", NEW)):
        rows = [(q, d, s) for q, row in run.items() for d, s in row.items()]
        (folder / f"{name}.run").write_text("".join(f"{q} Q0 {d} 0 {s} x\n" for q, d, s in rows))
    return {"pytrec_eval": pytrec_eval, "qrels": JUDGED, "run": OLD}


def ir_measures(folder):
    import ir_measures

    trec_eval(folder)
    topics = pd.DataFrame({"qid": list(JUDGED), "query": "a text"})
    names = {"query_id": "qid", "doc_id": "docno"}
    results = [frame({"x": run}).rename(columns=names).drop(columns="system") for run in (OLD, NEW)]
    return {
        "ir_measures": ir_measures,
        "dataset": SimpleNamespace(get_qrels=judgments, get_topics=lambda: topics),
        "bm25": lambda _: results[0],
        "monot5": lambda _: results[1],
    }


def beir(folder):
    shutil.copytree(BEIR, folder / "scifact")
    ids = ["d1", "d2", "d3"]
    hits = [[{"corpus_id": i, "score": 1 - i / 4} for i in (1, 0, 2)] for _ in JUDGED]
    return {
        "results": json.loads((BEIR.parent / "beir.json").read_text()),
        "corpus_ids": ids,
        "query_ids": list(JUDGED),
        "hits": hits,
        "relevant_docs": {q: set(row) for q, row in RELEVANT.items()},
    }


def language_models(folder):
    del folder
    questions = ["how to start", "how to call"]
    expected = list(RELEVANT.values())
    sample = {"reference_context_ids": ["d1"], "retrieved_context_ids": ["d3", "d1"]}
    result = SimpleNamespace(expected_ids=["d1"], retrieved_ids=["d3", "d1"])
    texts = [[SimpleNamespace(content=f"text {d}", id=d) for d in row] for row in expected]
    chunks = [
        SimpleNamespace(page_content=f"chunk {i}", metadata={"source": source})
        for i, source in enumerate(("other.md", "other.md", "guide.md", "api.md", "guide.md"))
    ]
    return {
        "dataset": [{"user_input": question, **sample} for question in questions],
        "eval_results": [SimpleNamespace(query=question, **vars(result)) for question in questions],
        "questions": questions,
        "retriever": SimpleNamespace(invoke=lambda _: chunks),
        "ground_truth_documents": texts,
        "retrieved_documents": [row[::-1] for row in texts],
    }


def models(folder):
    del folder
    from lightgbm import LGBMRanker
    from sklearn.linear_model import Ridge
    from sklearn.metrics import ndcg_score
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from xgboost import XGBRanker

    random = np.random.default_rng(2)
    qid = np.repeat(np.arange(20), 8)
    X = random.normal(size=(160, 3))  # noqa: N806 - as users call it
    y = np.clip(np.round(X[:, 0] + random.normal(size=160)), 0, 3).astype(int)
    return {
        "np": np,
        "ndcg_score": ndcg_score,
        "cross_val_predict": cross_val_predict,
        "GroupKFold": GroupKFold,
        "LGBMRanker": LGBMRanker,
        "XGBRanker": XGBRanker,
        "X": X,
        "y": y,
        "qid": qid,
        "sizes": [8] * 20,
        "model": Ridge(),
        "scores": X[:, 1],
    }


def recommenders(folder):
    del folder
    held_out = judgments().query("relevance > 0").rename(columns={"query_id": "user_id"})
    pairs = held_out.rename(columns={"doc_id": "item_id"})[["user_id", "item_id"]]
    names = {"query_id": "user_id", "doc_id": "item_id"}
    shown = frame({"x": NEW}).rename(columns=names).drop(columns="system")
    return {
        "interactions": pairs,
        "ground_truth": pairs,
        "reco": shown,
        "other": shown,
        "recommendations": shown.drop(columns="rank"),
        "ranked": {q: sorted(row, key=row.get, reverse=True) for q, row in NEW.items()},
        "held_out": RELEVANT,
    }


def search_engines(folder):
    queries = ("laptop", "phone", *(f"query {n}" for n in range(48)))
    ratings = {q: [{"_index": "i", "_id": "a", "rating": 1}] for q in queries}
    request = {
        "requests": [{"id": q, "request": {}, "ratings": row} for q, row in ratings.items()],
        "metric": {"precision": {"k": 3}},
    }
    hits = [{"_index": "i", "_id": name, "_score": 1.0} for name in ("a", "x")]
    answer = {
        "metric_score": 0.5,
        "details": {q: {"hits": [{"hit": each} for each in hits]} for q in ratings},
        "failures": {},
    }
    files = {"request": request, "before": answer, "after": answer}
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    (folder / "ratings.csv").write_text("query,docid,rating\nlaptop,a,2\nphone,b,3\n")
    rows = ("before,laptop,x,1", "before,laptop,a,2", "after,laptop,a,1", "after,laptop,x,2")
    header = "Snapshot Name,Query Text,Doc ID,Doc Position"
    (folder / "snapshots.csv").write_text("\n".join([header, *rows]) + "\n")
    client = SimpleNamespace(
        rank_eval=lambda **_: answer,
        search=lambda **_: {"hits": {"total": {"value": 2}, "hits": hits}},
    )
    bodies = {q: {"query": {"match": {"text": q}}} for q in ratings}
    judged = {q: {"a": 1} for q in ratings}
    return {"client": client, "request": request, "bodies": bodies, "judgments": judged}


def tables(folder):
    results = frame({"old": OLD, "new": NEW}, "system", "query_id", "doc_id", "score")
    judgments().to_csv(folder / "judgments.csv", index=False, sep=";")
    results.to_csv(folder / "results.csv", index=False, sep=";", decimal=",")
    for name, table in (("judgments", judgments()), ("results", results)):
        workbook(folder / f"{name}.xlsx", [tuple(table.columns), *cells(table)])
    connection = sqlite3.connect(":memory:")
    results.query("system == 'old'").to_sql("results", connection, index=False)
    held = {"judgments": judgments(), "results": results, "sheet": results.merge(judgments())}
    return held | {"pd": pd, "connection": connection}


def cells(table):
    """Return the rows of a table, numbers as those of Excel, which are floats."""
    return [
        [x if isinstance(x, str) else float(x) for x in row]
        for row in table.itertuples(index=False)
    ]


def ranx(folder):
    del folder
    return {"judged": JUDGED, "bm25": OLD, "dense": NEW}


GIVEN = {
    "beir": beir,
    "ir-measures": ir_measures,
    "language-models": language_models,
    "models": models,
    "ranx": ranx,
    "recommenders": recommenders,
    "search-engines": search_engines,
    "tables": tables,
    "trec-eval": trec_eval,
}


def test_every_page_is_tried():
    assert set(GIVEN) == set(PAGES) - {"index"}
    assert set(re.findall(r"\]\(([a-z-]+)\.md\)", PAGES["index"])) == set(GIVEN)


@pytest.fixture
def begun(request, tmp_path, monkeypatch):
    """Stand in a folder with the files of a page, and return its name and its names in Python."""
    monkeypatch.chdir(tmp_path)
    page = request.param
    return page, {"rr": rr, **GIVEN[page](tmp_path)}


def each_page(*slow):
    """Return a mark that gives every page, of which some take long."""
    marks = dict.fromkeys(slow, pytest.mark.slow)
    values = [pytest.param(page, marks=marks.get(page, ()), id=page) for page in GIVEN]
    return pytest.mark.parametrize("begun", values, indirect=True)


def parsed(text):
    """Return code, which may await, as a cell of a notebook may."""
    return compile(text, "<page>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def run(code, names):
    waited = eval(code, names)
    if waited is not None:
        asyncio.run(waited)


@each_page("models", "ranx")  # what they import takes seconds
def test_what_to_type_is_evaluated(begun):
    """All that is typed is Python; what was typed elsewhere runs where the tool is installed."""
    page, names = begun
    evaluated = 0
    for block in blocks(page):
        if block.language != "python":
            continue
        code = parsed(block.text)
        if block.theirs and NOT_INSTALLED.search(block.text):
            continue
        held = dict(names)
        with warnings.catch_warnings():
            if block.theirs:
                warnings.simplefilter("ignore")  # of the tool; Numba warns as it compiles ranx
            run(code, names)
        for name in {"evaluation", "comparison"} & names.keys():
            if names[name] is not held.get(name) and not block.theirs:
                evaluation = getattr(names[name], "evaluation", names[name])
                means = evaluation.means()["mean"].to_list()
                assert all(0 < mean <= 1 for mean in means), block.text
                evaluated += 1
    assert evaluated >= 1


def test_chunks_of_one_source_count_once():
    names = {"rr": rr, **language_models(None)}
    section = PAGES["language-models"].partition("## LangChain\n")[2].partition("\n## ")[0]
    for _, code in re.findall(r"```(python)\n(.*?)```", section, re.DOTALL):
        exec(code, names)
    assert names["retrieved"][0].count("other.md") == 2
    assert names["evaluation"].per_query()["RR"].sort().to_list() == pytest.approx([1 / 3, 1 / 2])


def test_zeros_that_a_workbook_lost_are_put_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    workbook(tmp_path / "judgments.xlsx", [("query_id", "doc_id", "relevance"), (1.0, 7.0, 1.0)])
    (code,) = [b.text for b in blocks("tables") if "str.zfill" in b.text]
    names = {"rr": rr}
    exec(code, names)
    evaluation = rr.evaluate(names["labels"], {"x": {"1": {"007": 1.0}}}, ["P@1"])
    assert evaluation.means()["mean"].to_list() == [1.0]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["search-engines", "tables", "trec-eval"])
def test_commands(page, tmp_path):
    GIVEN[page](tmp_path)
    commands = [block.text for block in blocks(page) if block.language == "shell"]
    ours = [text for text in commands if text.startswith("rankreport ")]
    assert len(ours) >= 1
    for command in ours:
        assert run_in_shell(command, tmp_path)
