"""The ratings of 13 people for a shop's queries."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from real_collections import DATA
from sklearn.metrics import cohen_kappa_score

import rankreport as rr

FOLDER = DATA / "quepid-haystack"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="needs the real ratings")


@pytest.fixture(scope="module")
def ratings():
    return pl.read_csv(FOLDER / "judgments_by_rater.csv")


@pytest.fixture(scope="module")
def labels(ratings):
    return rr.qrels_from_judges(ratings.select("query", "doc_id", "rater", "rating"))


def disturbed(ratings):
    """The real ratings, a third of which are a grade off."""
    rng = np.random.default_rng(1)
    off = rng.choice([-1, 1], len(ratings)) * (rng.random(len(ratings)) < 1 / 3)
    return ratings.with_columns((pl.col("rating") + pl.Series(off)).clip(0, 3))


def test_their_second_ratings_are_copies_of_the_first(labels):
    (caution,) = labels.cautions
    assert (caution.code, caution.count) == ("never_differ", 562)
    assert labels.agreement()["value"].to_list() == pytest.approx([1] * 8)


def alpha_by_pairs(rows):
    """Krippendorff's interval alpha, as the ratio of mean squared differences, pair by pair."""
    units = [each for each in rows if len(each) > 1]
    within = sum(sum((a - b) ** 2 for a in unit for b in unit) / (len(unit) - 1) for unit in units)
    values = np.concatenate([np.array(unit) for unit in units])
    n = len(values)
    between = (np.subtract.outer(values, values) ** 2).sum() / (n - 1)
    return 1 - within / between


def test_agreement_equals_other_programs(ratings):
    ratings = disturbed(ratings)
    labels = rr.qrels_from_judges(ratings.select("query", "doc_id", "rater", "rating"))
    found = dict(labels.agreement().select("measure", "value").iter_rows())
    lists = ratings.drop_nulls("rating").group_by("query", "doc_id").agg("rating")["rating"]
    assert found["alpha interval"] == pytest.approx(alpha_by_pairs(lists.to_list()))
    assert len(labels.judges) == 13
    # Every pair of raters by scikit-learn, weighted by their documents.
    wide = ratings.pivot("rater", index=["query", "doc_id"], values="rating")
    total, weight = 0.0, 0
    for i, one in enumerate(labels.judges):
        for other in labels.judges[:i]:
            both = wide.select(one, other).drop_nulls()
            if len(both):
                kappa = cohen_kappa_score(both[one], both[other], labels=[0, 1, 2, 3])
                if np.isfinite(kappa):
                    total, weight = total + kappa * len(both), weight + len(both)
    assert found["cohen"] == pytest.approx(total / weight)


def test_the_labels_lead_to_a_page(labels, tmp_path):
    runs = {path.name.split(".")[0]: path for path in sorted((FOLDER / "runs").iterdir())}
    ids = pl.read_csv(FOLDER / "queries.csv").select("query", "query_id")
    qrels = labels.qrels.join(ids, left_on="query_id", right_on="query").select(
        pl.col("query_id_right").alias("query_id"), "doc_id", "relevance"
    )
    evaluation = rr.evaluate(qrels, runs, ["nDCG@10"], collapse="max")
    rr.report(rr.compare(evaluation)).to_html(tmp_path / "page.html")
    assert "nDCG@10" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert labels.per_judge()["n_ratings"].sum() == 1942 - 22


def test_they_lead_to_a_page_that_says_whether_the_verdict_survives(ratings):
    """Grades a third of which are off, as people differ, on the shop's own runs."""
    ids = pl.read_csv(FOLDER / "queries.csv").select("query", "query_id")
    rows = disturbed(ratings).join(ids, on="query").drop("query").rename({"query_id": "query"})
    labels = rr.qrels_from_judges(rows.select("query", "doc_id", "rater", "rating"))
    runs = {name: FOLDER / "runs" / f"{name}.run" for name in ("no-vector", "with-vector")}
    comparison = rr.compare(rr.evaluate(labels, runs, ["nDCG@10"], collapse="max"))
    found = rr.compare_by_judge(comparison)
    (section,) = [s for s in rr.report(comparison)._shown.page.sections if s.id == "judges"]
    assert len(section.parts[0].rows) == 11
    assert section.paragraphs[0].startswith("Under ")
    assert found.to_polars()["judge"].to_list() == [None, *labels.judges]
    assert "by 13 judges" in repr(comparison)


@pytest.mark.slow
def test_a_model_corrected_by_the_shops_raters_leads_to_a_page_and_a_notebook(ratings, tmp_path):
    """A fifth of the raters' grades one too low, a fifth one too high, as a model's of all."""
    ids = pl.read_csv(FOLDER / "queries.csv").select("query", "query_id")
    rows = ratings.join(ids, on="query").select("query_id", "doc_id", "rater", "rating")
    everything = rr.qrels_from_judges(rows).qrels
    off = np.random.default_rng(0).choice([-1, 0, 0, 0, 1], len(everything))
    model = everything.with_columns((pl.col("relevance") + pl.Series(off)).clip(0, 3))
    sample = rr.sample_queries(everything, 60)
    people = rr.qrels_from_judges(rows.filter(pl.col("query_id").is_in(sample)))
    runs = {name: FOLDER / "runs" / f"{name}.run" for name in ("no-vector", "with-vector")}
    judges = {
        name: rr.evaluate(labels, runs, ["nDCG@10"], collapse="max")
        for name, labels in {"model": model, "human": people}.items()
    }
    comparison = rr.compare(judges=judges)
    found = {row["judged_by"]: row for row in comparison.judges.table().iter_rows(named=True)}
    truth = rr.compare(rr.evaluate(everything, runs, ["nDCG@10"], collapse="max"))
    delta = truth.table()["delta"].item()
    # The model alone is sure of a gain that all raters do not show; corrected, it is not.
    assert truth.verdict().word == comparison.verdict().word == "inconclusive"
    assert found["model"]["ci_low"] > 0
    assert found["both"]["decides"]
    assert found["both"]["ci_low"] < delta < found["both"]["ci_high"]
    widths = {name: row["ci_high"] - row["ci_low"] for name, row in found.items()}
    assert widths["both"] < 0.85 * widths["people"]
    report = rr.report(comparison, queries=FOLDER / "queries.csv")
    report.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "A model judged 1,358 documents for 137 queries; 13 people judged 611 documents" in page
    assert '<section id="model-judge"' in page
    assert '<section id="judges"' in page
    report.to_notebook(tmp_path / "report.ipynb")
    stored = {
        name: rr.load_evaluation(tmp_path / f"report.{file}.parquet")
        for name, file in {"model": "model", "human": "scores"}.items()
    }
    again = rr.compare(judges=stored)
    assert again.judges.table().equals(comparison.judges.table())
    assert str(again.judges) == str(comparison.judges)
    by_judge = rr.compare_by_judge(again)
    assert by_judge.to_polars().equals(rr.compare_by_judge(comparison).to_polars())
