"""Scores on Spark equal Polars' on real collections, to the last bit."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from real_collections import COLLECTIONS

import rankreport as rr
from rankreport import spark

MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "Bpref", "ERR@20", "RBP"]


@pytest.fixture(scope="module")
def session():
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer()
    server.start(background=True)
    _, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    yield session
    session.stop()
    server.stop()


@pytest.mark.slow
@pytest.mark.parametrize("collection", COLLECTIONS, ids=str)
def test_scores_on_real_collections(session, collection):
    def remote(rows):
        return session.createDataFrame(rows.to_arrow(compat_level=pl.CompatLevel.oldest()))

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
    assert {each.code for each in home.cautions} == {each.code for each in expected.cautions}
    check_comparison(made, expected)


def check_comparison(made, evaluation):
    """Check that sums of the scores make the comparison that the scores make."""
    if len(evaluation.systems) == 1:
        return
    closed = {"correction": "holm", "test": "t"}
    found, expected = made.compare(**closed), rr.compare(evaluation, **closed)
    figures = [each.table().drop("caution") for each in (found, expected)]
    assert_frame_equal(*figures, rel_tol=1e-9, abs_tol=1e-12)
    assert_frame_equal(found.means(), expected.means(), rel_tol=1e-9, abs_tol=1e-12)
    assert found.verdict().sentence == expected.verdict().sentence
    assert found.verdict().word == expected.verdict().word
