"""Scores on Spark equal Polars' on real collections, to the last bit."""

from __future__ import annotations

from functools import partial

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from real_collections import DATA, DIFFERENT
from real_logs import open_bandit, yandex
from spark_sessions import remote_rows, sail

import rankreport as rr
from rankreport import spark

MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "Bpref", "ERR@20", "RBP"]


@pytest.fixture(scope="module")
def remote():
    """Return a function that makes a DataFrame of rows."""
    with sail() as session:
        yield partial(remote_rows, session)


@pytest.mark.slow
@pytest.mark.parametrize("collection", DIFFERENT, ids=str)
def test_scores_on_real_collections(remote, collection):
    runs = dict(list(collection.runs.items())[:3])
    made = spark.evaluate(
        remote(rr.read_qrels(collection.qrels).collect()),
        {name: remote(rr.read_run(path).collect()) for name, path in runs.items()},
        MEASURES,
        n_buckets=8,
    )
    expected = rr.evaluate(collection.qrels, runs, MEASURES)
    order = ["system", "query_id", "measure"]
    assert pl.DataFrame(made.scores.toArrow()).sort(order).equals(expected.scores.sort(order))
    home = made.to_evaluation()
    assert home.quality.equals(expected.quality)
    assert home.summary().equals(expected.summary())
    assert home.cautions == expected.cautions
    check_comparison(made, expected)


def check_comparison(made, evaluation):
    """Check that the comparison is that of one machine."""
    if len(evaluation.systems) == 1:
        return
    found, expected = made.compare(), rr.compare(evaluation)
    assert_frame_equal(found.table(), expected.table(), check_exact=True)
    assert found.cautions == expected.cautions
    assert found.verdict() == expected.verdict()


def alike(found, expected):
    """Check two frames, of which sums over users or documents are in another order."""
    assert_frame_equal(found, expected, check_exact=False, rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.skipif(not DATA.exists(), reason="needs the real logs")
@pytest.mark.parametrize("model", ["ctr", "coec", "pbm", "cascade"])
def test_judgments_from_real_clicks(remote, model):
    logs = {"yandex": yandex()}
    if model != "cascade":
        logs |= {policy: open_bandit(policy) for policy in ("random", "bts")}
    for log in logs.values():
        expected = rr.qrels_from_clicks(log, model, min_impressions=5)
        made = spark.qrels_from_clicks(remote(log), model, min_impressions=5, n_buckets=6)
        assert made.pairs().equals(expected.pairs())
        assert made.source == expected.source
        alike(made.position_bias(), expected.position_bias())


@pytest.mark.skipif(not DATA.exists(), reason="needs the real ratings")
@pytest.mark.parametrize("combine", ["mean", "median", "majority", "lowest"])
def test_judgments_of_the_raters_of_a_shop(remote, combine):
    rows = pl.read_csv(DATA / "quepid-haystack" / "judgments_by_rater.csv")
    rows = rows.select("query", "doc_id", "rater", "rating")
    # A fifth of them a grade higher, as the raters themselves never differ.
    off = (pl.int_range(pl.len()) % 5 == 0).cast(int)
    rows = rows.with_columns((pl.col("rating") + off).clip(0, 3))
    expected = rr.qrels_from_judges(rows, combine, resamples=300)
    made = spark.qrels_from_judges(remote(rows), combine, resamples=300)
    assert made.qrels.equals(expected.qrels.sort("query_id", "doc_id"))
    assert made.source == expected.source
    alike(made.agreement(), expected.agreement())
    alike(made.per_grade(), expected.per_grade())
    alike(made.per_judge(), expected.per_judge())
    alike(made.most_different(), expected.most_different())


@pytest.mark.slow
@pytest.mark.parametrize("collection", DIFFERENT, ids=str)
def test_the_check_of_real_collections(remote, collection):
    text = {"query_id": pl.String}
    qrels = rr.read_qrels(collection.qrels).collect()
    runs = {name: rr.read_run(path).collect() for name, path in list(collection.runs.items())[:3]}
    expected = rr.check(qrels, runs, MEASURES)
    there = {name: remote(run.cast(text)) for name, run in runs.items()}
    found = spark.check(remote(qrels.cast(text)), there, MEASURES, n_buckets=8)
    assert [(each.severity, each.text, each.remedy) for each in found.cautions] == [
        (each.severity, each.text, each.remedy) for each in expected.cautions
    ]
    assert repr(found) == repr(expected)
