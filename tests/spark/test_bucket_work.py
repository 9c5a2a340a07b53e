"""Whole queries go to a worker, whatever the partitions; awkward ids and systems."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

import rankreport as rr
from rankreport import spark
from rankreport.errors import DataError

PARTS = 8


def generated(n_queries=40, n_systems=2, seed=8, depth=25):
    """Judgments and runs of which one query has half of the rows, with many equal scores."""
    rng = np.random.default_rng(seed)
    lists = [*[depth] * (n_queries - 1), depth * (n_queries - 1)]
    rows = pl.DataFrame(
        {
            "query_id": [query for query, n in enumerate(lists) for _ in range(n)],
            "doc_id": [document for n in lists for document in range(n)],
        }
    )
    qrels = rows.with_columns(relevance=pl.Series(rng.integers(0, 4, len(rows))))
    scores = (rng.integers(0, 5, len(rows)) / 3 for _ in range(n_systems))
    runs = {f"s{at:02}": rows.with_columns(score=each) for at, each in enumerate(scores)}
    return qrels.filter(pl.Series(rng.random(len(qrels)) < 0.4)), runs


def stacked(runs):
    return pl.concat(run.with_columns(system=pl.lit(name)) for name, run in runs.items())


def lengths(origin):
    """Count the rows of the queries of a bucket, by system."""
    return {
        (name, str(query)): n
        for name, source in origin.systems.items()
        for query, n in source.read()["query_id"].value_counts().iter_rows()
    }


def queries_of_partition(batches):
    """Yield the queries that a worker is given without an exchange."""
    import pyarrow as pa

    found = sorted({query for batch in batches for query in batch["query_id"].to_pylist()})
    yield pa.RecordBatch.from_pydict({"query": pa.array(map(str, found), pa.string())})


def in_parts(remote, rows):
    """Return rows in partitions, over which queries are split."""
    shuffled = rows.sample(fraction=1, shuffle=True, seed=1)
    parts = [remote(part) for part in shuffled.iter_slices(len(shuffled) // PARTS + 1)]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.union(part)
    return whole


@pytest.mark.parametrize("n_buckets", [1, 20])
def test_no_worker_sees_half_a_query(remote, n_buckets):
    """A query is in one bucket with all of its rows; without the exchange it is in several."""
    qrels, runs = generated()
    there = in_parts(remote, stacked(runs))
    without = there.mapInArrow(queries_of_partition, "query string").toArrow()["query"].to_pylist()
    assert max(Counter(without).values()) > 1, "this data would not show a missing exchange"
    made = spark.evaluate(in_parts(remote, qrels), there, ["AP"], n_buckets=n_buckets)
    buckets = made._origin.spark.find(lengths)
    assert len(buckets) > n_buckets / 3
    seen = Counter(query for bucket in buckets for query in bucket)
    assert set(seen.values()) == {1}
    expected = {
        (name, str(query)): n
        for name, run in runs.items()
        for query, n in run["query_id"].value_counts().iter_rows()
    }
    assert {query: n for bucket in buckets for query, n in bucket.items()} == expected


def test_twenty_systems_of_a_skewed_query_with_integer_ids(remote):
    qrels, runs = generated(n_queries=6, n_systems=20)
    text = qrels.cast({"query_id": pl.String, "doc_id": pl.String})
    measures = ["nDCG@10", "AP"]
    expected = rr.evaluate(qrels, runs, measures).scores
    order = ["system", "query_id", "measure"]
    for judgments in (qrels.cast({"query_id": pl.Int16, "doc_id": pl.Int64}), text):
        made = spark.evaluate(
            remote(judgments), remote(stacked(runs)), ["nDCG@10", "AP"], n_buckets=2
        )
        found = pl.DataFrame(made.scores.toArrow())
        assert found.sort(order).equals(expected.sort(order))


def test_all_scores_are_equal_in_a_query_of_both_tables_and_in_one(remote):
    """Ties throughout; queries that are only judged, only retrieved, or not relevant."""
    qrels, runs = generated(n_queries=9)
    tied = {name: run.with_columns(score=1.0) for name, run in runs.items()}
    tied = {name: run.filter(pl.col("query_id") != 3) for name, run in tied.items()}
    qrels = qrels.filter(pl.col("query_id") != 4).with_columns(
        relevance=pl.when(pl.col("query_id") == 5).then(0).otherwise("relevance")
    )
    for ties in ("trec", "expected", "worst", "best"):
        options = {"measures": ["nDCG@10", "RR"], "ties": ties}
        home = spark.evaluate(
            remote(qrels), remote(stacked(tied)).repartition(6), n_buckets=5, **options
        ).to_evaluation()
        expected = rr.evaluate(qrels, tied, **options)
        assert home.scores.equals(expected.scores)
        assert home.quality.equals(expected.quality)


@pytest.mark.parametrize("column", ["query_id", "doc_id"])
@pytest.mark.parametrize("table", ["qrels", "run"])
def test_null_ids_are_refused_and_named(remote, column, table):
    """Also of integer ids, of a system among others, where most rows are right."""
    qrels, runs = generated(n_queries=6)
    nothing = pl.when(pl.int_range(pl.len()) == 40).then(None).otherwise(pl.col(column))
    if table == "run":
        runs["s01"] = runs["s01"].with_columns(nothing.alias(column))
        where = "run 's01', row"
    else:
        qrels = qrels.with_columns(nothing.alias(column))
        where = "qrels, row"
    made = spark.evaluate(remote(qrels), remote(stacked(runs)), ["AP"], n_buckets=3)
    with pytest.raises(DataError) as raised:
        made.to_evaluation().summary()
    assert where in str(raised.value)
    assert f"has no {column}" in str(raised.value)


def test_a_document_that_is_repeated_in_another_partition_is_named(remote):
    qrels, runs = generated(n_queries=6)
    again = runs["s01"].filter(pl.col("query_id") == 4)[:1].with_columns(score=8.0)
    runs["s01"] = pl.concat([runs["s01"], again])
    document = again["doc_id"].item()
    made = spark.evaluate(remote(qrels), in_parts(remote, stacked(runs)), ["AP"], n_buckets=3)
    with pytest.raises(DataError) as raised:
        made.to_evaluation().summary()
    assert f"run 's01', row '4 {document} 8.0' repeats document '{document}' of query '4'" in str(
        raised.value
    )
    with pytest.raises(Exception, match=f"repeats document '{document}'"):
        made.scores.toArrow()


@pytest.mark.parametrize("n_systems", [1, 3])
def test_rows_in_several_blocks_give_the_same_scores(remote, monkeypatch, n_systems):
    """Several blocks of a bucket, of many partitions; queries that only one side has."""
    monkeypatch.setattr("rankreport.spark.packing._MOST", 2_000)
    qrels, runs = generated(n_queries=30, n_systems=n_systems)
    qrels = qrels.filter(pl.col("query_id") > 3)
    runs = {name: run.filter(pl.col("query_id") != 9) for name, run in runs.items()}
    expected = rr.evaluate(qrels, runs, ["nDCG@10", "AP", "RR"])
    there = in_parts(remote, qrels), in_parts(remote, stacked(runs))
    for n_buckets in (1, 9):
        made = spark.evaluate(*there, ["nDCG@10", "AP", "RR"], n_buckets=n_buckets).to_evaluation()
        assert made.scores.equals(expected.scores)
        assert made.quality.equals(expected.quality)
