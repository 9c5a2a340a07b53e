"""Every output says where judgments come from: source, number of judges, number of pairs."""

from __future__ import annotations

import importlib
import json

import polars as pl
import pytest

import rankreport as rr
from rankreport.comparison.model_judge import Judgments
from rankreport.evaluation.label_source import judge_labels_of, label_source_of
from rankreport.text import markdown

QUERIES = [f"q{n:02}" for n in range(60)]
DOCUMENTS = "abcd"
OLD = {query: {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0} for query in QUERIES}
NEW = {
    query: {doc: float((n * 7 + i * 5) % 11) for i, doc in enumerate(DOCUMENTS)}
    for n, query in enumerate(QUERIES)
}
GRADES = {
    query: {doc: (n * 3 + i * i) % 4 for i, doc in enumerate(DOCUMENTS)}
    for n, query in enumerate(QUERIES)
}


def ratings(queries=QUERIES, judges=("ann", "bob", "eve")):
    rows = [
        (query, doc, judge, float((grade + (judge == "eve" and doc == "a")) % 4))
        for query in queries
        for doc, grade in GRADES[query].items()
        for judge in judges
    ]
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "judge", "relevance"], orient="row")


def compared(labels):
    return rr.compare(rr.evaluate(labels, {"old": OLD, "new": NEW}, ["nDCG@10"]), resamples=200)


def by_judges():
    return compared(rr.qrels_from_judges(ratings(), "median"))


def by_clicks():
    rows = [(query, doc, 100, 10 * GRADES[query][doc] + 5) for query in QUERIES for doc in "abcd"]
    counts = pl.DataFrame(
        rows, schema=["query_id", "doc_id", "impressions", "clicks"], orient="row"
    )
    return compared(rr.qrels_from_clicks(counts, "ctr"))


def by_ranking():
    return compared(rr.qrels_from_ranking(OLD, depth=2))


def by_model():
    sample = rr.sample_queries(QUERIES, 30)
    return rr.compare(
        {"old": OLD, "new": NEW},
        judges={
            "model": {q: {**GRADES[q], "b": (GRADES[q]["b"] + 1) % 4} for q in QUERIES},
            "human": rr.qrels_from_judges(ratings(sample, ("ann", "bob"))),
        },
        measures=["nDCG@10"],
        resamples=200,
    )


CASES = {
    "judges": (
        by_judges,
        "Judgments of 240 documents for 60 queries by 3 judges: median of the judges.",
        "Judgments of 240 documents by 3 judges.",
    ),
    "clicks": (
        by_clicks,
        (
            "Judgments of 240 documents for 60 queries from clicks (click-through rate): 4,800 "
            "clicks in 24,000 impressions."
        ),
        "Judgments of 240 documents from clicks.",
    ),
    "ranking": (
        by_ranking,
        "Judgments of 120 documents for 60 queries: the top 2 of another ranking.",
        "Judgments of 120 documents from another ranking.",
    ),
    "model": (
        by_model,
        (
            "A model judged 240 documents for 60 queries; 2 people judged 120 documents for 30 of "
            "them (drawn at random with seed 0)."
        ),
        "Judgments of 240 documents by a model, of 120 by 2 people.",
    ),
}


@pytest.fixture(scope="module", params=list(CASES))
def case(request):
    made, sentence, brief = CASES[request.param]
    return made(), sentence, brief


def said(made, sentence):
    """Return the forms of a result that do not say the sentence."""
    forms = {
        "terminal": repr(made),
        "Markdown": made.to_markdown(),
        "LaTeX": made.to_latex(),
        **made._repr_mimebundle_(),
    }
    forms.pop("text/plain")
    written = {sentence, markdown(sentence), sentence.replace("_", r"\_")}
    return [name for name, text in forms.items() if not any(each in text for each in written)]


def test_results_say_it(case):
    comparison, sentence, _ = case
    results = {
        "comparison": comparison,
        "leaderboard": rr.leaderboard(comparison),
        "plan": rr.plan(comparison),
        "gate": rr.gate(comparison, "nDCG@10 > -0.2"),
    }
    if comparison.judges is None:
        results["evaluation"] = comparison.evaluation
    else:
        results["judges"] = comparison.judges
    if judge_labels_of(comparison.evaluation) is not None:
        own = label_source_of(comparison.evaluation).sentence
        assert said(rr.compare_by_judge(comparison), own) == []
        assert said(comparison.evaluation, own) == []
    assert {name: said(made, sentence) for name, made in results.items()} == {
        name: [] for name in results
    }


def test_a_gate_says_it_in_files(case):
    comparison, sentence, _ = case
    gate = rr.gate(comparison, "nDCG@10 > -0.2")
    assert sentence in gate.to_junit()
    assert json.loads(gate.to_json())["label_source"] == Judgments.of(comparison).source.to_plain()


def check_report(subject, sentence, brief, folder):
    report = rr.report(subject)
    is_compared = isinstance(subject, rr.Comparison)
    source = Judgments.of(subject).source if is_compared else label_source_of(subject)
    page = report._shown.page
    (data,) = [each for each in page.sections if each.id == "data"]
    assert data.paragraphs[0] == sentence
    assert page.screen.judged.startswith(brief)  # also of the picture
    assert dict(page.provenance)["source of judgments"].startswith(sentence)
    assert markdown(sentence) in report.to_markdown()
    assert brief in report.to_markdown()
    latex = report.to_latex()
    assert sentence in latex or sentence.replace("_", r"\_") in latex
    assert sentence in repr(report)
    assert sentence in report._repr_mimebundle_()["text/html"]
    report.to_html(folder / "report.html")
    assert sentence in (folder / "report.html").read_text(encoding="utf-8")
    report.to_json(folder / "report.json")
    stored = json.loads(report.to_json())
    assert stored["label_source"] == source.to_plain()
    loaded = rr.load_report(folder / "report.json")
    assert sentence in repr(loaded)
    assert markdown(sentence) in loaded.to_markdown()


def test_a_report_says_it(case, tmp_path):
    comparison, sentence, brief = case
    check_report(comparison, sentence, brief, tmp_path)


def test_a_report_on_an_evaluation_says_it(tmp_path):
    made, sentence, brief = CASES["judges"]
    check_report(made().evaluation, sentence, brief, tmp_path)


@pytest.mark.parametrize("case", ["judges", "model"], indirect=True)
def test_mlflow_is_told(case, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow = importlib.import_module("mlflow")
    mlflow.set_tracking_uri((tmp_path / "store").as_uri())
    comparison, sentence, _ = case
    logged = mlflow.get_run(rr.log_to_mlflow(comparison, files=[])).data
    mlflow.set_tracking_uri(None)
    assert logged.tags["rankreport.source_of_judgments"].startswith(sentence)
    corrected = [name for name in logged.metrics if "_corrected_delta" in name]
    assert len(corrected) == (3 if comparison.judges is not None else 0)


@pytest.mark.parametrize("case", ["clicks", "model"], indirect=True)
def test_a_notebook_and_its_scores_say_it(case, tmp_path):
    comparison, sentence, _ = case
    rr.report(comparison).to_notebook(tmp_path / "report.ipynb")
    outputs = (tmp_path / "report.ipynb").read_text(encoding="utf-8")
    assert json.dumps(sentence)[1:-1] in outputs
    evaluation = rr.load_evaluation(tmp_path / "report.scores.parquet")
    if comparison.judges is None:
        again = rr.compare(evaluation, resamples=200)
    else:
        model = rr.load_evaluation(tmp_path / "report.model.parquet")
        again = rr.compare(judges={"model": model, "human": evaluation}, resamples=200)
    assert Judgments.of(again).source == Judgments.of(comparison).source
    assert sentence in repr(again)
