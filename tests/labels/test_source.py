"""Where judgments come from, in numbers and in words; tests/contracts has all outputs."""

from __future__ import annotations

import polars as pl
import pytest

import rankreport as rr
from rankreport.evaluation.label_source import label_source_of
from rankreport.labels import LabelSource

QUERIES = [f"q{n}" for n in range(24)]
OLD = {query: {"a": 2.0, "b": 1.0} for query in QUERIES}
NEW = {query: {"b": 2.0, "a": 1.0} for query in QUERIES}
RATINGS = pl.DataFrame(
    [
        (query, document, judge, float((document == "b") == (n % 4 > 0) and judge != "eve"))
        for n, query in enumerate(QUERIES)
        for document in "ab"
        for judge in ("ann", "bob", "eve")
    ],
    schema=["query_id", "doc_id", "judge", "relevance"],
    orient="row",
)
CLICKS = pl.DataFrame(
    {
        "query_id": [query for query in QUERIES for _ in range(2)],
        "doc_id": ["a", "b"] * len(QUERIES),
        "impressions": [100] * 2 * len(QUERIES),
        "clicks": [30, 40] * len(QUERIES),
    }
)


def labels_of(kind):
    if kind == "judges":
        return rr.qrels_from_judges(RATINGS, "median")
    if kind == "clicks":
        return rr.qrels_from_clicks(CLICKS, "ctr")
    return rr.qrels_from_ranking(OLD, depth=1)


SENTENCES = {
    "judges": "Judgments of 48 documents for 24 queries by 3 judges: median of the judges.",
    "clicks": (
        "Judgments of 48 documents for 24 queries from clicks (click-through rate): 1,680 clicks "
        "in 4,800 impressions."
    ),
    "ranking": "Judgments of 24 documents for 24 queries: the top 1 of another ranking.",
}
BRIEF = {
    "judges": "Judgments of 48 documents by 3 judges",
    "clicks": "Judgments of 48 documents from clicks",
    "ranking": "Judgments of 24 documents from another ranking",
}


@pytest.fixture(scope="module", params=list(SENTENCES))
def case(request):
    labels = labels_of(request.param)
    evaluation = rr.evaluate(labels, {"old": OLD, "new": NEW}, ["nDCG@10"])
    return request.param, labels, evaluation, rr.compare(evaluation)


def test_the_labels_know_their_source(case):
    kind, labels, evaluation, _ = case
    assert labels.provenance == labels.source.sentence == SENTENCES[kind]
    assert label_source_of(evaluation) == labels.source
    assert labels.source.kind == kind
    assert labels.source.brief == BRIEF[kind]


def test_stored_scores_know_it(case, tmp_path):
    kind, labels, evaluation, _ = case
    path = tmp_path / "scores.parquet"
    evaluation.write_parquet(path)
    loaded = rr.load_evaluation(path)
    assert label_source_of(loaded) == labels.source
    assert SENTENCES[kind] in repr(rr.compare(loaded))
    assert loaded.inputs == evaluation.inputs
    again = tmp_path / "again.parquet"
    loaded.write_parquet(again)
    assert label_source_of(rr.load_evaluation(again)) == labels.source


def test_a_ranking_read_from_a_file_is_named(tmp_path):
    path = tmp_path / "competitor.run.gz"
    rows = "".join(f"{query} Q0 a 1 2.0 x\n" for query in QUERIES)
    path.with_suffix("").write_text(rows, encoding="utf-8")
    labels = rr.qrels_from_ranking(path.with_suffix(""), depth=3)
    assert labels.source.sentence.endswith("the top 3 of competitor.")
    assert labels.source.brief == "Judgments of 24 documents from competitor"


def test_judgments_as_such_have_no_source():
    evaluation = rr.evaluate(labels_of("judges").qrels, {"old": OLD}, ["nDCG@10"])
    assert label_source_of(evaluation) is None
    assert "Judgments of" not in repr(evaluation)
    assert "labels" not in evaluation.inputs[0]
    assert rr.report(evaluation)._summary.page.screen.judged == "Judged in the top 10: 100 %"


def test_a_model_and_people_are_told_apart():
    source = LabelSource("model", "random", 900, 60, judges=1, by_people=40, drawn=3)
    assert source.sentence == (
        "A model judged 900 documents for 60 queries; 1 person judged 40 documents for 3 of them "
        "(given as a random sample)."
    )
    assert source.brief == "Judgments of 900 documents by a model, of 40 by 1 person"
    seeded = LabelSource("model", "7", 900, 60, by_people=40, drawn=3)
    assert "people judged 40 documents for 3 of them (drawn at random with seed 7)" in (
        seeded.sentence
    )
    assert LabelSource.of_plain(seeded.to_plain()) == seeded


def test_it_speaks_chinese():
    comparison = rr.compare(rr.evaluate(labels_of("clicks"), {"old": OLD, "new": NEW}, ["RR"]))
    page = rr.report(comparison, language="zh")._shown.page
    assert page.screen.judged.startswith("48 个文档的标注来自点击")


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"kind": "oracle", "rule": "mean", "documents": 1, "queries": 1},
        {"kind": "judges", "rule": "loudest", "documents": 1, "queries": 1},
        {"kind": "judges", "rule": "mean", "documents": -1, "queries": 1},
        {"kind": "judges", "rule": "mean", "documents": True, "queries": 1},
        {"kind": "judges", "rule": "mean", "documents": None, "queries": 1},
        {"kind": "ranking", "rule": ["x"], "documents": 1, "queries": 1},
        {"kind": "judges", "rule": "mean", "documents": 1, "queries": 1, "more": 1},
        {"kind": "model", "rule": "0", "documents": 1, "queries": 1, "by_people": 1},
    ],
)
def test_what_was_not_stored_by_us_is_refused(stored):
    with pytest.raises((ValueError, TypeError)):
        LabelSource.of_plain(stored)
