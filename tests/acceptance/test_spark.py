"""Scores on Spark equal Polars' on real collections, to the last bit."""

from __future__ import annotations

import polars as pl
import pytest
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


@pytest.mark.slow
@pytest.mark.parametrize("collection", COLLECTIONS, ids=str)
def test_the_check_of_real_collections(session, collection):
    def remote(rows):
        rows = rows.cast({"query_id": pl.String})
        return session.createDataFrame(rows.to_arrow(compat_level=pl.CompatLevel.oldest()))

    qrels = rr.read_qrels(collection.qrels).collect()
    runs = {name: rr.read_run(path).collect() for name, path in list(collection.runs.items())[:3]}
    expected = rr.check(qrels, runs, MEASURES)
    there = {name: remote(run) for name, run in runs.items()}
    found = spark.check(remote(qrels), there, MEASURES, n_buckets=8)
    assert [(each.severity, each.text, each.remedy) for each in found.cautions] == [
        (each.severity, each.text, each.remedy) for each in expected.cautions
    ]
    assert repr(found) == repr(expected)
