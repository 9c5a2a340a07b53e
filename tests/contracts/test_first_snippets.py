"""The first lines that users of other tools type, with those tools: every door, the same scores.

Labels and scores are the same in all of them, so that values per query are equal to the last bit.
"""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import warnings
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
from suggestions import suggested

import rankreport as rr

MEASURES = ["nDCG@10", "AP", "RR@10", "R@5", "P@3", "ERR@10", "RBP"]

RNG = np.random.default_rng(17)
QUERIES = [f"q{i}" for i in range(12)]
QRELS = {
    q: {f"d{d}": int(RNG.integers(0, 4)) for d in RNG.choice(30, size=9, replace=False)}
    for q in QUERIES
}
RUN = {
    q: {
        f"d{d}": float(score)
        for d, score in zip(RNG.permutation(30)[:20], -np.sort(-RNG.random(20)), strict=True)
    }
    for q in QUERIES
}
QREL_ROWS = [(q, d, grade) for q, row in QRELS.items() for d, grade in row.items()]
RUN_ROWS = [(q, d, score) for q, row in RUN.items() for d, score in row.items()]
TEXTS = {q: f"text of {q}" for q in QUERIES}


@pytest.fixture(scope="module")
def expected():
    return values(rr.evaluate(QRELS, {"run": RUN}, MEASURES))


def values(evaluation):
    return evaluation.per_query().sort("query_id").drop("system")


def assert_same(evaluation, expected):
    """Compare by bits: no tolerance."""
    found = values(evaluation)
    assert found["query_id"].to_list() == expected["query_id"].to_list()
    for measure in expected.columns[1:]:
        theirs = expected[measure].to_numpy().view(np.int64)
        assert (found[measure].to_numpy().view(np.int64) == theirs).all(), measure


def evaluated(qrels, run, corpus=None):
    return rr.evaluate(qrels, run, MEASURES, corpus=corpus)


# --- plain Python ---------------------------------------------------------------------------------


Judgment = namedtuple("Judgment", "query_id doc_id relevance")  # noqa: PYI024 - as users write it


@dataclass
class Hit:
    qid: str
    docno: str
    score: float


def columns(names, rows):
    return {name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}


PLAIN = {
    "dictionaries": (QRELS, RUN),
    "tuples": (QREL_ROWS, RUN_ROWS),
    "lists of lists": ([list(row) for row in QREL_ROWS], [list(row) for row in RUN_ROWS]),
    "records": (
        [{"query-id": q, "corpus-id": d, "score": g} for q, d, g in QREL_ROWS],
        [{"qid": q, "docno": d, "score": s, "rank": 0} for q, d, s in RUN_ROWS],
    ),
    "namedtuples and dataclasses": (
        [Judgment(*row) for row in QREL_ROWS],
        [Hit(*row) for row in RUN_ROWS],
    ),
    "pairs within queries": (
        {q: list(row.items()) for q, row in QRELS.items()},
        {q: list(row.items()) for q, row in RUN.items()},
    ),
    "ranked lists": (QRELS, {q: sorted(row, key=row.get, reverse=True) for q, row in RUN.items()}),
    "columns": (
        columns(("userId", "movieId", "rating"), QREL_ROWS),
        columns(("userId", "movieId", "prediction"), RUN_ROWS),
    ),
    "TREC rows": (
        [(q, "0", d, g) for q, d, g in QREL_ROWS],
        [(q, "Q0", d, 1, s, "tag") for q, d, s in RUN_ROWS],
    ),
    "numpy numbers": (
        {q: {d: np.int64(g) for d, g in row.items()} for q, row in QRELS.items()},
        {q: {d: np.float64(s) for d, s in row.items()} for q, row in RUN.items()},
    ),
}


@pytest.mark.parametrize("shape", PLAIN)
def test_plain_python(shape, expected):
    assert_same(evaluated(*PLAIN[shape]), expected)


def test_generators_are_read_once(expected):
    found = evaluated((row for row in QREL_ROWS), (row for row in RUN_ROWS))
    assert_same(found, expected)
    assert found.systems == ("run",)


def test_ids_that_are_numbers(expected):
    qrels = {int(q[1:]): {int(d[1:]): g for d, g in row.items()} for q, row in QRELS.items()}
    rows = [(int(q[1:]), int(d[1:]), s) for q, d, s in RUN_ROWS]
    found = evaluated(qrels, rows).per_query()
    named = found.with_columns(pl.format("q{}", "query_id").alias("query_id")).drop("system")
    assert named.sort("query_id").equals(expected)


# --- pandas, Polars -------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames(frame, expected):
    qrels = dict(zip(("q_id", "doc_id", "rel"), zip(*QREL_ROWS, strict=True), strict=True))
    run = dict(zip(("q_id", "doc_id", "score"), zip(*RUN_ROWS, strict=True), strict=True))
    assert_same(evaluated(frame(qrels), frame(run)), expected)


@pytest.mark.parametrize("column", ["system", "run", "tag", "name"])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_long_frame_is_the_runs_of_its_systems(frame, column, expected):
    names = ["old"] * len(RUN_ROWS) + ["new"] * len(RUN_ROWS)
    rows = [*RUN_ROWS, *((q, d, -s) for q, d, s in RUN_ROWS)]
    q, d, s = zip(*rows, strict=True)
    long = frame({"qid": q, "docno": d, "score": s, column: names})
    found = evaluated(QRELS, long)
    assert found.systems == ("new", "old")
    assert_same(evaluated(QRELS, {"old": RUN}), expected)
    assert (
        found.per_query()
        .filter(system="old")
        .drop("system")
        .equals(rr.evaluate(QRELS, RUN, MEASURES).per_query().drop("system"))
    )
    compared = rr.compare(QRELS, long, measures=["nDCG@10", "AP"], resamples=200)
    assert [(pair.baseline, pair.system) for pair in compared.pairs] == [("new", "old")]


# --- pytrec_eval, ir_measures ---------------------------------------------------------------------


def test_pytrec_eval(expected):
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {"map", "recip_rank"})
    theirs = evaluator.evaluate(RUN)
    found = evaluated(QRELS, RUN)
    assert_same(found, expected)
    by_query = dict(found.per_query().select("query_id", "AP").iter_rows())
    assert by_query == pytest.approx({q: each["map"] for q, each in theirs.items()}, abs=1e-12)


def test_ir_measures(expected, tmp_path):
    qrels = [ir_measures.Qrel(q, d, g) for q, d, g in QREL_ROWS]
    run = [ir_measures.ScoredDoc(q, d, s) for q, d, s in RUN_ROWS]
    assert_same(evaluated(qrels, run), expected)
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in QREL_ROWS))
    (tmp_path / "run").write_text("".join(f"{q} Q0 {d} 0 {s!r} x\n" for q, d, s in RUN_ROWS))
    read = (
        ir_measures.read_trec_qrels(str(tmp_path / "qrels")),
        ir_measures.read_trec_run(str(tmp_path / "run")),
    )
    assert_same(evaluated(*read), expected)
    one = rr.evaluate(qrels, run, ir_measures.nDCG @ 10)
    assert one.per_query()["nDCG@10"].to_list() == expected["nDCG@10"].to_list()


# --- ranx -----------------------------------------------------------------------------------------


@pytest.mark.slow  # numba compiles for half a minute
def test_ranx(expected):
    import ranx

    qrels, run = ranx.Qrels(QRELS), ranx.Run(RUN, name="bm25")
    found = evaluated(qrels, run)
    assert found.systems == ("bm25",)
    assert_same(found, expected)
    assert evaluated(qrels, ranx.Run(RUN)).systems == ("run",)
    assert rr.evaluate(qrels, run, name="mine").systems == ("mine",)
    assert_same(evaluated(qrels.to_dataframe(), run.to_dataframe()), expected)
    two = rr.compare(qrels, [run, ranx.Run(RUN, name="dense")], measures=["mrr@10"], resamples=200)
    assert two.evaluation.systems == ("bm25", "dense")
    with pytest.raises(rr.DataError, match=r"is a ranx\.Run\. Expected judgments.*swapped"):
        rr.evaluate(run, run)
    with pytest.raises(rr.DataError, match=r"is a ranx\.Qrels\. Expected a run.*swapped"):
        rr.evaluate(qrels, qrels)
    qrels, runs = found.to_ranx()
    assert [each.name for each in runs] == ["bm25"]
    assert_same(evaluated(qrels, runs), expected)


# --- PyTerrier ------------------------------------------------------------------------------------


class TerrierDataset:
    """What a data set of PyTerrier 1.1.2 offers."""

    def get_qrels(self):
        rows = [(q, d, g, "0") for q, d, g in QREL_ROWS]
        return pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])

    def get_topics(self):
        return pd.DataFrame(list(TEXTS.items()), columns=["qid", "query"])


def test_pyterrier(expected):
    results = pd.DataFrame(
        [(q, i, d, s, i % 20, TEXTS[q]) for i, (q, d, s) in enumerate(RUN_ROWS)],
        columns=["qid", "docid", "docno", "score", "rank", "query"],
    )
    dataset = TerrierDataset()
    assert_same(evaluated(dataset.get_qrels(), results), expected)
    assert_same(evaluated(dataset, {"BM25": results}), expected)
    ranked = rr.evaluate(dataset, results, MEASURES, ties="rank")
    assert_same(ranked, expected)
    assert dict(rr.read_queries(dataset).iter_rows()) == TEXTS
    assert dict(rr.read_queries(dataset.get_topics()).iter_rows()) == TEXTS


# --- ir_datasets ----------------------------------------------------------------------------------


@pytest.fixture
def ir_dataset(tmp_path, monkeypatch):
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    import ir_datasets

    files = {
        "docs": "".join(f"d{i}\ttext {i}\n" for i in range(30)),
        "queries": "".join(f"{q}\t{text}\n" for q, text in TEXTS.items()),
        "qrels": "".join(f"{q} 0 {d} {g}\n" for q, d, g in QREL_ROWS),
        "run": "".join(f"{q} Q0 {d} 0 {s!r} x\n" for q, d, s in RUN_ROWS),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    made = ir_datasets.create_dataset(
        docs_tsv=str(tmp_path / "docs"),
        queries_tsv=str(tmp_path / "queries"),
        qrels_trec=str(tmp_path / "qrels"),
    )
    scored = ir_datasets.formats.TrecScoredDocs(ir_datasets.util.LocalDownload(tmp_path / "run"))
    return made, ir_datasets.Dataset(made, scored)


def test_ir_datasets(ir_dataset, expected):
    made, scored = ir_dataset
    assert_same(evaluated(made.qrels_iter(), RUN), expected)
    assert_same(evaluated(made, RUN), expected)
    assert_same(evaluated(made, scored.scoreddocs_iter()), expected)
    assert_same(evaluated(scored, {"bm25": scored}), expected)
    assert dict(rr.read_queries(made).iter_rows()) == TEXTS
    assert dict(rr.read_queries(made.queries_iter()).iter_rows()) == TEXTS
    with pytest.raises(rr.OptionError, match="data set has no run; it has judgments, queries"):
        rr.evaluate(made, made)


def test_texts_of_ir_datasets_are_the_default_ones():
    from ir_datasets.formats.trec import TrecQuery

    topics = [TrecQuery("301", "organized crime", "Identify ...", "A relevant ...")]
    frame = rr.read_queries(topics)
    assert frame.columns[:2] == ["query_id", "text"]
    assert frame["text"].to_list() == [topics[0].default_text()]


# --- scikit-learn ---------------------------------------------------------------------------------


def test_scikit_learn():
    from sklearn.metrics import ndcg_score

    y_true, y_score = RNG.integers(0, 4, size=(5, 8)), RNG.random((5, 8))
    names = [f"d{i}" for i in range(8)]
    qrels = {f"q{i}": dict(zip(names, row, strict=True)) for i, row in enumerate(y_true)}
    run = {f"q{i}": dict(zip(names, row, strict=True)) for i, row in enumerate(y_score)}
    found = rr.evaluate(qrels, run, "nDCG@5").summary()["nDCG@5"][0]
    assert found == pytest.approx(ndcg_score(y_true, y_score, k=5), abs=1e-12)


# --- LlamaIndex, ragas, Haystack, MLflow ----------------------------------------------------------


EXPECTED = [[d for d, g in QRELS[q].items() if g] for q in QUERIES]
RETRIEVED = [sorted(RUN[q], key=RUN[q].get, reverse=True)[:10] for q in QUERIES]
RAG = ["nDCG", "RR", "Success", "R", "P", "AP"]


@pytest.fixture(scope="module")
def by_lists():
    qrels = {TEXTS[q]: dict.fromkeys(ids, 1) for q, ids in zip(QUERIES, EXPECTED, strict=True)}
    run = {
        TEXTS[q]: {d: 1 / (i + 1) for i, d in enumerate(ids)}
        for q, ids in zip(QUERIES, RETRIEVED, strict=True)
    }
    return values(rr.evaluate(qrels, run, RAG))


@pytest.fixture(scope="module")
def llama():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its dependencies
        from llama_index.core.evaluation.retrieval import base, metrics
    return base, metrics


@pytest.mark.slow  # its import takes five seconds
def test_llama_index(llama, by_lists):
    base, metrics = llama
    kinds = {
        "mrr": metrics.MRR(),
        "hit_rate": metrics.HitRate(),
        "recall": metrics.Recall(),
        "precision": metrics.Precision(),
        "ap": metrics.AveragePrecision(),
        "ndcg": metrics.NDCG(),
    }
    eval_results = [
        base.RetrievalEvalResult(
            query=TEXTS[q],
            expected_ids=ids,
            retrieved_ids=got,
            retrieved_texts=[f"text {d}" for d in got],
            metric_dict={
                name: metric.compute(query=TEXTS[q], expected_ids=ids, retrieved_ids=got)
                for name, metric in kinds.items()
            },
        )
        for q, ids, got in zip(QUERIES, EXPECTED, RETRIEVED, strict=True)
    ]
    found = rr.evaluate_retrieved(eval_results, measures=[*RAG[:5], "AP"])
    assert_same(found, by_lists)
    means = rr.evaluate_retrieved(eval_results, measures=list(kinds)).summary().row(0)[1:]
    for theirs, mean in zip(kinds, means, strict=True):
        scores = [each.metric_vals_dict[theirs] for each in eval_results]
        assert mean == pytest.approx(np.mean(scores), abs=1e-12), theirs
    compared = rr.compare(
        rr.evaluate_retrieved({"small": eval_results, "large": eval_results}, measures="hit_rate")
    )
    assert compared.evaluation.systems == ("small", "large")
    with pytest.raises(rr.DataError, match=r"rr\.evaluate_retrieved\(records\)"):
        rr.evaluate(QRELS, eval_results)


def embedding_dataset():
    """Return the class of llama-index-finetuning 0.4.2, which needs PyTorch, by its fields."""
    from pydantic import BaseModel

    class EmbeddingQAFinetuneDataset(BaseModel):
        queries: dict[str, str]
        corpus: dict[str, str]
        relevant_docs: dict[str, list[str]]
        mode: str = "text"

    return EmbeddingQAFinetuneDataset(
        queries=TEXTS,
        corpus={f"d{i}": f"text {i}" for i in range(30)},
        relevant_docs=dict(zip(QUERIES, EXPECTED, strict=True)),
    )


def test_embedding_dataset_of_llama_index(tmp_path):
    dataset = embedding_dataset()
    (tmp_path / "dataset.json").write_text(json.dumps(dataset.model_dump(), indent=4))
    stored = json.loads((tmp_path / "dataset.json").read_text())
    retrieved = dict(zip(QUERIES, RETRIEVED, strict=True))
    plain = rr.evaluate(
        {q: dict.fromkeys(d, 1) for q, d in dataset.relevant_docs.items()}, retrieved
    )
    for given in (dataset, stored, tmp_path / "dataset.json"):
        found = rr.evaluate(given, retrieved)
        assert found.per_query().equals(plain.per_query())
        assert dict(rr.read_queries(given).iter_rows()) == TEXTS
        rr.report(found).to_html(tmp_path / "report.html")  # texts reach the page
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert "text of q3" in page
        assert f"{RETRIEVED[3][0]}: text {RETRIEVED[3][0][1:]}" in page


def ragas_samples():
    """Return samples with the fields of ragas 0.4.3, most of them None."""
    from pydantic import BaseModel

    class SingleTurnSample(BaseModel):
        user_input: str | None = None
        retrieved_contexts: list[str] | None = None
        reference_contexts: list[str] | None = None
        retrieved_context_ids: list[str | int] | None = None
        reference_context_ids: list[str | int] | None = None
        response: str | None = None

    return SingleTurnSample


def test_ragas(by_lists):
    sample = ragas_samples()
    ids = [
        sample(user_input=TEXTS[q], reference_context_ids=want, retrieved_context_ids=got)
        for q, want, got in zip(QUERIES, EXPECTED, RETRIEVED, strict=True)
    ]
    assert_same(rr.evaluate_retrieved(ids, measures=RAG), by_lists)
    assert_same(rr.evaluate_retrieved([s.model_dump() for s in ids], measures=RAG), by_lists)
    texts = [
        sample(
            user_input=TEXTS[q],
            reference_contexts=[f"the text\nof {d}" for d in want],
            retrieved_contexts=[f" the text  of {d}" for d in got],
        )
        for q, want, got in zip(QUERIES, EXPECTED, RETRIEVED, strict=True)
    ]
    assert_same(rr.evaluate_retrieved(texts, measures=RAG), by_lists)


@dataclass
class Document:
    """The attributes of Haystack 3.4's documents that are compared."""

    content: str
    id: str = ""


def test_haystack(by_lists):
    ground_truth = [[Document(f"text of {d}") for d in want] for want in EXPECTED]
    retrieved = [[Document(f"text of  {d}") for d in got] for got in RETRIEVED]
    texts = [TEXTS[q] for q in QUERIES]
    found = rr.evaluate_retrieved(
        expected=ground_truth, retrieved=retrieved, query=texts, measures=RAG
    )
    assert_same(found, by_lists)
    inputs = {"ground_truth_documents": ground_truth, "retrieved_documents": retrieved}
    assert_same(rr.evaluate_retrieved({**inputs, "query": texts}, measures=RAG), by_lists)


@pytest.mark.slow  # its import, and what it does before the first run, take seconds
def test_mlflow(by_lists, tmp_path, monkeypatch):
    import mlflow

    data = pd.DataFrame(
        {"question": [TEXTS[q] for q in QUERIES], "docs": EXPECTED, "outputs": RETRIEVED}
    )
    found = rr.evaluate_retrieved(data, expected="docs", retrieved="outputs", measures=RAG)
    assert_same(found, by_lists)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "store").as_uri())
    with mlflow.start_run() as run:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # MLflow 3.17 asks pandas 3 for columns in the old way
            mlflow.log_table(data, "eval.json")
        rr.log_to_mlflow(found, files=[])
    stored = mlflow.load_table("eval.json", run_ids=[run.info.run_id])
    again = rr.evaluate_retrieved(stored, expected="docs", retrieved="outputs", measures=RAG)
    assert_same(again, by_lists)
    metrics = mlflow.get_run(run.info.run_id).data.metrics
    assert metrics["nDCG"] == pytest.approx(found.summary()["nDCG"][0], abs=1e-12)


def test_lists_alone_number_the_queries(by_lists):
    found = rr.evaluate_retrieved(expected=EXPECTED, retrieved=RETRIEVED, measures=RAG)
    assert found.query_ids[:2] == ["01", "02"]
    assert found.summary().row(0)[1:] == pytest.approx(
        by_lists.drop("query_id").mean().row(0), abs=1e-15
    )


# --- positions, and ids in metadata: the suggested line gives the right numbers -----------------


CORPUS_IDS = [f"d{i}" for i in RNG.permutation(30)]
VECTORS = RNG.normal(size=(30, 8))
QUERY_VECTORS = RNG.normal(size=(len(QUERIES), 8))


def semantic_search(queries, corpus, top_k=10):
    """Return what util.semantic_search of sentence-transformers 5 returns."""
    scores = queries @ corpus.T
    best = np.argsort(-scores, axis=1)[:, :top_k]
    return [
        [{"corpus_id": int(i), "score": float(of[i])} for i in row]
        for of, row in zip(scores, best, strict=True)
    ]


RESULTS = semantic_search(QUERY_VECTORS, VECTORS)
INDICES = np.array([[hit["corpus_id"] for hit in hits] for hits in RESULTS])
NAMES = {
    "rr": rr,
    "pl": pl,
    "corpus_ids": CORPUS_IDS,
    "query_ids": QUERIES,
    "queries": QUERIES,
    "results": RESULTS,
    "ids": INDICES,
}
POSITIONS = {
    "hits": (RESULTS, "{q:"),
    "indices of FAISS": (INDICES, "{q:"),
    "hits by query": (dict(zip(QUERIES, RESULTS, strict=True)), "import polars"),
    "indices by query": (dict(zip(QUERIES, INDICES.tolist(), strict=True)), "import polars"),
    "by query and position": (
        {
            q: {hit["corpus_id"]: hit["score"] for hit in hits}
            for q, hits in zip(QUERIES, RESULTS, strict=True)
        },
        "import polars",
    ),
}


@pytest.fixture(scope="module")
def by_ids():
    mapped = {
        q: {CORPUS_IDS[hit["corpus_id"]]: hit["score"] for hit in hits}
        for q, hits in zip(QUERIES, RESULTS, strict=True)
    }
    return values(rr.evaluate(QRELS, mapped, MEASURES))


@pytest.mark.parametrize("form", POSITIONS)
def test_positions_are_mapped_by_the_line_that_is_suggested(form, by_ids):
    run, start = POSITIONS[form]
    assert_same(evaluated(QRELS, mapped_as_suggested(QRELS, run, start)), by_ids)


def mapped_as_suggested(qrels, run, start):
    """Return the run that the suggested line makes."""
    try:
        found = evaluated(qrels, run, CORPUS_IDS)
        [message] = [str(each) for each in found.cautions if each.severity == "stop"]
        assert all(found.summary()[measure][0] == 0 for measure in MEASURES)
    except rr.DataError as error:
        message = str(error)
    assert "strip" not in message
    if start == "import polars":
        return respelled(message, NAMES | {"runs": run})
    return eval(suggested(message, start), NAMES | {"run": run})


def respelled(message, names):
    """Return the runs that the suggested lines make."""
    exec(message[message.index("import polars") :], names)
    return names["runs"]


def test_positions_of_queries_are_no_ids_of_which_something_is_stripped():
    qrels = {f"Q{n}": judged for n, judged in enumerate(QRELS.values(), 1)}
    run = {n: [CORPUS_IDS[i] for i in row] for n, row in enumerate(INDICES)}
    with pytest.raises(rr.DataError, match="positions in a list, from 0, take the ids from that"):
        evaluated(qrels, run).summary()


NUMBERS = [f"{n}" for n in range(1, 31)]
"""Ids as those of Cranfield: each is one more than the position."""


def test_positions_that_equal_other_ids_are_found():
    judged = {
        q: {f"{hit['corpus_id'] + 1}": 1 for hit in hits[:5]}
        for q, hits in zip(QUERIES, RESULTS, strict=True)
    }
    run = dict(zip(QUERIES, RESULTS, strict=True))
    wrong = evaluated(judged, run, NUMBERS)
    assert 0 < wrong.summary()["nDCG@10"][0] < 0.5
    [caution] = [each for each in wrong.cautions if each.code == "nearly_equal_ids"]
    names = NAMES | {"runs": run, "corpus_ids": NUMBERS}
    mapped = evaluated(judged, respelled(caution.line, names))
    assert mapped.summary()["nDCG@10"].to_list() == [1]
    assert "nearly_equal_ids" not in [each.code for each in mapped.cautions]


@dataclass
class Node:
    """The attributes of nodes of LlamaIndex, and of documents of LangChain and Haystack."""

    text: str | None = None
    node_id: str | None = None
    page_content: str | None = None
    content: str | None = None
    id: str | None = None
    metadata: dict | None = None
    meta: dict | None = None


WITH_METADATA = {
    "LangChain": lambda d: Node(page_content=f"text {d}", metadata={"page": 7, "source": d}),
    "Haystack": lambda d: Node(content=f"text {d}", id=f"hash of {d}", meta={"url": d}),
    "LlamaIndex": lambda d: SimpleNamespace(
        node=Node(text=f"text {d}", node_id=f"uuid of {d}", metadata={"file_name": d}), score=1.0
    ),
    "dictionaries": lambda d: {"content": f"text {d}", "metadata": {"slug": d}},
    "dictionaries with ids": lambda d: {"id": f"hash of {d}", "doc_id": d},
}


@pytest.mark.parametrize("match", [None, "text"])
@pytest.mark.parametrize("library", WITH_METADATA)
def test_ids_in_metadata_are_taken_by_the_line_that_is_suggested(library, match, by_lists):
    made = WITH_METADATA[library]
    retrieved = [[made(d) for d in row] for row in RETRIEVED]
    given = {"expected": EXPECTED, "query": [TEXTS[q] for q in QUERIES], "measures": RAG}
    with pytest.raises(rr.DataError) as caught:
        rr.evaluate_retrieved(retrieved=retrieved, match=match, **given)
    if match == "text" and "has no text" in str(caught.value):
        return
    line = suggested(str(caught.value), "retrieved=[list")
    taken = eval(f"dict({line})", {"retrieved": retrieved})
    assert_same(rr.evaluate_retrieved(**taken, **given), by_lists)


def test_positions_retrieved_are_mapped_by_the_line_that_is_suggested():
    given = {"expected": EXPECTED, "measures": RAG}
    mapped = [[CORPUS_IDS[i] for i in row] for row in INDICES]
    expected = values(rr.evaluate_retrieved(retrieved=mapped, **given))
    for retrieved in (INDICES, INDICES.tolist(), RESULTS):
        with pytest.raises(rr.DataError) as caught:
            rr.evaluate_retrieved(retrieved=retrieved, **given)
        line = suggested(str(caught.value), "retrieved=[[")
        taken = eval(f"dict({line})", NAMES | {"retrieved": retrieved})
        assert_same(rr.evaluate_retrieved(**taken, **given), expected)


# --- tables, databases ----------------------------------------------------------------------------


def judged_table():
    return pd.DataFrame(QREL_ROWS, columns=["query_id", "doc_id", "relevance"])


def run_table():
    return pd.DataFrame(RUN_ROWS, columns=["query_id", "doc_id", "score"])


def test_duckdb(expected):
    import duckdb

    with duckdb.connect() as connection:
        connection.register("judged", judged_table())
        connection.register("results", run_table())
        qrels = connection.sql("SELECT * FROM judged WHERE relevance IS NOT NULL")
        run = connection.sql("SELECT query_id, doc_id, score FROM results")
        assert_same(evaluated(qrels, run), expected)
        two = rr.evaluate(
            qrels,
            connection.sql(
                "SELECT *, 'a' AS system FROM results UNION ALL "
                "SELECT query_id, doc_id, -score, 'b' FROM results"
            ),
            MEASURES,
        )
        assert sorted(two.systems) == ["a", "b"]


def test_pyarrow(expected, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    qrels, run = pa.Table.from_pandas(judged_table()), pa.Table.from_pandas(run_table())
    assert_same(evaluated(qrels, run), expected)
    assert_same(evaluated(qrels, run.to_reader(max_chunksize=7)), expected)
    parquet.write_table(qrels, tmp_path / "qrels.parquet")
    parquet.write_table(run, tmp_path / "run.parquet")
    assert_same(evaluated(tmp_path / "qrels.parquet", tmp_path / "run.parquet"), expected)


def test_pandas_3(expected, tmp_path):
    qrels, run = judged_table(), run_table()
    assert isinstance(qrels["doc_id"].dtype, pd.StringDtype)  # of objects before
    assert_same(evaluated(qrels, run), expected)
    several = run.set_index(["query_id", "doc_id"]).reset_index()
    assert_same(evaluated(qrels.convert_dtypes(), several.convert_dtypes()), expected)
    categories = run.astype({"query_id": "category", "doc_id": "category"})
    assert_same(evaluated(qrels, categories[::-1]), expected)
    qrels.to_csv(tmp_path / "qrels.csv", index=False)
    run.to_csv(tmp_path / "run.csv", index=False)
    assert_same(evaluated(tmp_path / "qrels.csv", tmp_path / "run.csv"), expected)


def test_sql(expected):
    connection = sqlite3.connect(":memory:")
    judged_table().to_sql("judged", connection, index=False)
    run_table().to_sql("results", connection, index=False)
    qrels = rr.read_sql("SELECT query_id, doc_id, relevance FROM judged", connection)
    run = rr.read_sql("SELECT query_id, doc_id, score FROM results", connection)
    connection.close()
    assert_same(evaluated(qrels, run), expected)


def test_ratings_as_movielens_ships_them(expected, tmp_path):
    lines = "".join(f"{q},{d},{g},964982703\n" for q, d, g in QREL_ROWS)
    (tmp_path / "ratings.csv").write_text("userId,movieId,rating,timestamp\n" + lines)
    predicted = "".join(f"{q},{d},{s!r}\n" for q, d, s in RUN_ROWS)
    (tmp_path / "mine.csv").write_text("userId,movieId,prediction\n" + predicted)
    assert_same(evaluated(tmp_path / "ratings.csv", tmp_path / "mine.csv"), expected)


# --- BEIR, MTEB, Elasticsearch --------------------------------------------------------------------


@pytest.fixture
def beir(tmp_path):
    """Write a folder as BEIR 2.2 reads it, and results as its retrievers return them."""
    folder = tmp_path / "scifact"
    (folder / "qrels").mkdir(parents=True)
    queries = [json.dumps({"_id": q, "text": text, "metadata": {}}) for q, text in TEXTS.items()]
    (folder / "queries.jsonl").write_text("\n".join(queries) + "\n")
    lines = "".join(f"{q}\t{d}\t{g}\n" for q, d, g in QREL_ROWS)
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + lines)
    (tmp_path / "dense.json").write_text(json.dumps(RUN))
    return folder


def test_beir(beir, expected):
    run = beir.parent / "dense.json"
    found = evaluated(beir, run)
    assert found.systems == ("dense",)
    assert_same(found, expected)
    collection = rr.read_beir(beir, split="test")
    assert_same(evaluated(collection, {"dense": RUN}), expected)
    assert_same(evaluated(collection.qrels, json.loads(run.read_text())), expected)
    assert dict(collection.queries.select("query_id", "text").iter_rows()) == TEXTS


def test_mteb(beir, expected):
    path = beir.parent / "SciFact_predictions.json"  # as MTEB 2.26 writes it
    meta = {"model_name": "org/model", "revision": "abc"}
    path.write_text(json.dumps({"mteb_model_meta": meta, "default": {"test": RUN}}))
    found = evaluated(beir, path)
    assert found.systems == ("org/model",)
    assert_same(found, expected)
    (beir.parent / "relevant_docs.json").write_text(json.dumps(QRELS))
    assert_same(evaluated(beir.parent / "relevant_docs.json", rr.read_mteb(path)), expected)


def test_rank_eval_of_elasticsearch(tmp_path, expected):
    request = {
        "requests": [
            {
                "id": q,
                "request": {"query": {"match": {"text": TEXTS[q]}}},
                "ratings": [{"_index": "i", "_id": d, "rating": g} for d, g in row.items()],
            }
            for q, row in QRELS.items()
        ],
        "metric": {"dcg": {"k": 20, "normalize": True}},
    }
    details = {
        q: {
            "metric_score": 0.5,
            "unrated_docs": [],
            "hits": [
                {
                    "hit": {"_index": "i", "_id": d, "_score": s},
                    "rating": QRELS[q].get(d),
                }
                for d, s in row.items()
            ],
        }
        for q, row in RUN.items()
    }
    answer = {"metric_score": 0.5, "details": details, "failures": {}}
    (tmp_path / "request.json").write_text(json.dumps(request))
    (tmp_path / "bm25.json").write_text(json.dumps(answer))
    cut = [measure for measure in MEASURES if "@" in measure]
    found = rr.evaluate(tmp_path / "request.json", tmp_path / "bm25.json", cut)
    assert_same(found, expected.select("query_id", *cut))
    with pytest.raises(rr.OptionError, match="AP, RBP look deeper"):
        evaluated(tmp_path / "request.json", tmp_path / "bm25.json")


# --- learning to rank -----------------------------------------------------------------------------

SIZES = [3 + n % 9 for n in range(30)]
QID = np.repeat(np.arange(1, 31), SIZES)
FEATURES = RNG.normal(size=(len(QID), 4))
LABELS = np.clip(np.floor(FEATURES[:, 0] + RNG.normal(size=len(QID)) + 1), 0, 4).astype(int)
LEARNED = ["nDCG", "nDCG@5", "AP", "RR", "P@3"]


def by_dictionaries(scores):
    """Return the values for labels and scores, by way of judgments and runs."""
    qrels, run = {}, {}
    rows = zip(QID.tolist(), LABELS.tolist(), np.asarray(scores).tolist(), strict=True)
    for number, (q, label, score) in enumerate(rows):
        qrels.setdefault(str(q), {})[f"{number:03}"] = label
        run.setdefault(str(q), {})[f"{number:03}"] = score
    return values(rr.evaluate(qrels, run, LEARNED, ties="input"))


def assert_every_door(model, features):
    """Compare a model, its scores as arrays, lines and SVMlight, and dictionaries, by bits."""
    scores = model.predict(features)
    expected = by_dictionaries(scores)
    for way in ({"qid": QID}, {"group": SIZES}, {"qid": pd.Series(QID)}):
        found = rr.evaluate_models({"run": model}, features, LABELS, measures=LEARNED, **way)
        assert_same(found, expected)
        assert_same(rr.evaluate_labelled(LABELS, scores, measures=LEARNED, **way), expected)


@pytest.mark.slow  # the tools take seconds to import
def test_lightgbm():
    import lightgbm

    model = lightgbm.LGBMRanker(n_estimators=5, min_child_samples=2, verbosity=-1, n_jobs=1)
    model.fit(FEATURES, LABELS, group=SIZES)
    assert_every_door(model, FEATURES)
    assert_every_door(model.booster_, FEATURES)


@pytest.mark.slow
def test_xgboost():
    import xgboost

    model = xgboost.XGBRanker(n_estimators=5, n_jobs=1).fit(FEATURES, LABELS, qid=QID)
    assert_every_door(model, FEATURES)
    assert_every_door(model.get_booster(), xgboost.DMatrix(FEATURES, qid=QID))


@pytest.mark.slow
def test_catboost():
    import catboost

    model = catboost.CatBoostRanker(
        iterations=5, verbose=False, thread_count=1, allow_writing_files=False
    )
    model.fit(FEATURES, LABELS, group_id=QID)
    assert_every_door(model, FEATURES)
    assert_every_door(model, catboost.Pool(FEATURES, group_id=QID))


def test_the_models_and_matrices_of_scikit_learn(tmp_path):
    from sklearn.datasets import dump_svmlight_file
    from sklearn.linear_model import Ridge

    model = Ridge().fit(FEATURES, LABELS)
    assert_every_door(model, FEATURES)
    scores = model.predict(FEATURES)
    shape = (len(SIZES), max(SIZES))
    mask = np.arange(shape[1]) < np.array(SIZES)[:, None]
    y_true, y_score = np.zeros(shape), np.zeros(shape)
    y_true[mask], y_score[mask] = LABELS, scores
    found = rr.evaluate_labelled(y_true, y_score, mask=mask, qid=np.unique(QID), measures=LEARNED)
    assert_same(found, by_dictionaries(scores))
    dump_svmlight_file(FEATURES, LABELS, str(tmp_path / "test.txt"), query_id=QID)
    found = rr.evaluate_labelled(tmp_path / "test.txt", scores, measures=LEARNED)
    assert_same(found, by_dictionaries(scores))


def test_labelled_lines_on_standard_input(tmp_path):
    scores = FEATURES[:, 1]
    lines = "".join(
        f"{label} {q} {score!r}\n"
        for label, q, score in zip(LABELS.tolist(), QID.tolist(), scores.tolist(), strict=True)
    )
    command = [sys.executable, "-m", "rankreport", "evaluate", "--labelled", "-"]
    options = [part for name in LEARNED for part in ("-m", name)]
    ended = subprocess.run(
        [*command, *options, "-o", str(tmp_path / "scores.parquet")],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    found = rr.load_evaluation(tmp_path / "scores.parquet")
    assert_same(found, by_dictionaries(scores))
    (tmp_path / "list.txt").write_text(lines)
    assert_same(rr.evaluate_labelled(tmp_path / "list.txt", measures=LEARNED), values(found))


# --- the collection of them -----------------------------------------------------------------------

TOOLS = {
    *("pytrec_eval", "ir_measures", "ranx", "pyterrier", "ir_datasets", "scikit_learn"),
    *("llama_index", "embedding_dataset_of_llama_index", "ragas", "haystack", "mlflow", "duckdb"),
    *("pyarrow", "pandas_3", "sql", "ratings_as_movielens_ships_them", "beir", "mteb"),
    *("rank_eval_of_elasticsearch", "lightgbm", "xgboost", "catboost"),
    *("the_models_and_matrices_of_scikit_learn", "labelled_lines_on_standard_input"),
}


def test_there_are_twenty_and_none_is_left_out():
    """A tool that is not installed is an error here, so that no snippet is skipped unseen."""
    assert len(TOOLS) >= 20
    assert [name for name in TOOLS if f"test_{name}" not in globals()] == []
    text = Path(__file__).read_text(encoding="utf-8")
    assert not re.search(r"importor" + r"skip|mark\.sk" + r"ip|pytest\.sk" + r"ip", text)
