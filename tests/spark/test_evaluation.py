"""Scores on Spark: equal to those of `rankreport.evaluate` to the last bit."""

from __future__ import annotations

import polars as pl
import pytest
from spark_rows import by_system, generated

import rankreport as rr
from rankreport import spark
from rankreport.errors import DataError, OptionError

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "R@100", "ERR@20", "AUC", "RBP(p=0.8)", "DCG(gain='exp')"]


def in_order(scores):
    return scores.sort("system", "query_id", "measure")


def check_equal(made, expected):
    """Check that the scores on Spark, and those brought home, are the expected ones."""
    scores = in_order(expected.scores)
    assert in_order(pl.DataFrame(made.scores.toArrow())).equals(scores)
    home = made.to_evaluation()
    assert home.scores.equals(expected.scores)
    assert home.quality.equals(expected.quality)
    assert [caution.text for caution in home.cautions] == [
        caution.text for caution in expected.cautions
    ]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ties": "expected"},
        {"ties": "worst"},
        {"queries": "answered"},
        {"queries": "intersection", "no_relevant": "skip"},
        {"no_relevant": "one", "precision": "single"},
        {"profile": "trec_eval-9"},
    ],
    ids=str,
)
def test_scores_are_equal_to_the_last_bit(remote, options):
    qrels, runs = generated()
    measures = MEASURES[:4] if {"ties", "profile"} & options.keys() else MEASURES
    check_equal(
        spark.evaluate(remote(qrels), remote(runs), measures, n_buckets=7, **options),
        rr.evaluate(qrels, by_system(runs), measures, **options),
    )


@pytest.mark.parametrize("n_buckets", [1, 2, 60])
def test_any_number_of_buckets(remote, n_buckets):
    qrels, runs = generated(n_queries=20, n_systems=20, depth=8)
    check_equal(
        spark.evaluate(remote(qrels), remote(runs), ["nDCG@5"], n_buckets=n_buckets),
        rr.evaluate(qrels, by_system(runs), ["nDCG@5"]),
    )


def test_runs_by_name_with_ranks_and_whole_numbers_as_ids(remote):
    qrels, runs = generated()
    number = pl.col("query_id").str.slice(1).cast(pl.Int64)
    qrels, runs = qrels.with_columns(number), runs.with_columns(number)
    scored, ranked = by_system(runs).values()
    place = pl.col("score").rank("ordinal", descending=True).over("query_id").cast(pl.Int64)
    ranked = ranked.with_columns(rank=place).drop("score")
    expected = rr.evaluate(qrels, {"b": scored, "a": ranked}, ["nDCG", "RR@10"])
    made = spark.evaluate(
        remote(qrels.rename({"query_id": "qid", "relevance": "label"})),
        {"b": remote(scored.rename({"doc_id": "docno"})), "a": remote(ranked)},
        ["nDCG", "RR@10"],
        n_buckets=5,
    )
    check_equal(made, expected)
    by_rank = {"systems": {"a": ranked}, "measures": ["nDCG"], "ties": "rank"}
    check_equal(
        spark.evaluate(remote(qrels), {"a": remote(ranked)}, ["nDCG"], ties="rank", n_buckets=5),
        rr.evaluate(qrels, by_rank["systems"], by_rank["measures"], ties="rank"),
    )


def test_subtopics(remote):
    qrels, runs = generated(n_queries=12)
    both = pl.concat([qrels.with_columns(subtopic=pl.lit(number)) for number in "12"])
    both = both.with_columns(pl.col("relevance").clip(0, 1))
    options = {"measures": ["alpha_nDCG@10", "nDCG@10"], "subtopics": True}
    check_equal(
        spark.evaluate(remote(both), remote(runs), n_buckets=3, **options),
        rr.evaluate(both, by_system(runs), **options),
    )


@pytest.mark.parametrize("rule", ["max", "first", "sum", "mean"])
@pytest.mark.parametrize("document_of", ["#", "document"])
def test_passages_are_folded(remote, rule, document_of):
    qrels, runs = generated(n_queries=15)
    passage = pl.col("doc_id") + "#" + (pl.col("score") * 7).cast(pl.Int64).cast(pl.String)
    runs = pl.concat([runs, runs.with_columns(pl.col("score") + 5)])
    runs = runs.with_columns(document=pl.col("doc_id"), doc_id=passage)
    options = {"measures": ["nDCG@10"], "collapse": rule, "document_of": document_of}
    check_equal(
        spark.evaluate(remote(qrels), remote(runs), n_buckets=4, **options),
        rr.evaluate(qrels, by_system(runs), **options),
    )


def test_documents_that_are_their_query_are_left_out_where_beir_does(remote):
    qrels, runs = generated(n_queries=15)
    own = runs.unique(["system", "query_id"], maintain_order=True)
    runs = pl.concat([runs, own.with_columns(doc_id=pl.col("query_id"), score=pl.lit(9.0))])
    check_equal(
        spark.evaluate(remote(qrels), remote(runs), ["NDCG@10"], profile="beir", n_buckets=4),
        rr.evaluate(qrels, by_system(runs), ["NDCG@10"], profile="beir"),
    )


def test_a_report_of_what_was_brought_home(remote, tmp_path):
    qrels, runs = generated(n_queries=40)
    local = rr.evaluate(qrels, by_system(runs), ["nDCG@5"])
    home = spark.evaluate(remote(qrels), remote(runs), ["nDCG@5"], n_buckets=4).to_evaluation()
    wanted = local.query_ids[:3]
    assert home.documents(wanted, k=4).equals(local.documents(wanted, k=4))
    tables = [rr.compare(each).table() for each in (home, local)]
    assert tables[0].equals(tables[1])
    rr.report(rr.compare(home)).to_html(tmp_path / "page.html")
    assert "a DataFrame of Spark" in (tmp_path / "page.html").read_text("utf-8")
    with pytest.raises(DataError, match="are on Spark"):
        home.to_trec(tmp_path / "runs")


def test_empty_partitions(remote):
    qrels, runs = generated(n_queries=6)
    made = spark.evaluate(
        remote(qrels).repartition(40), remote(runs).repartition(40), ["AP"], n_buckets=64
    )
    check_equal(made, rr.evaluate(qrels, by_system(runs), ["AP"]))


TWICE = {"query_id": ["q2", "q1", "q1"], "doc_id": ["d1", "d1", "d1"], "score": [1.0, 2.0, 3.0]}
NOT_FINITE = {"query_id": ["q2", "q1"], "doc_id": ["d1", "d1"], "score": [float("nan"), 1.0]}
NO_QUERY = {"query_id": [None, "q1"], "doc_id": ["d1", "d1"], "score": [1.0, 1.0]}
TEXT = {"query_id": ["q1", "q2"], "doc_id": ["d1", "d1"], "score": ["high", "1"]}
NOT_SHARED = {"query_id": ["7", "8"], "doc_id": ["d1", "d1"], "score": [1.0, 2.0]}
QRELS = {"query_id": ["q1", "q2"], "doc_id": ["d1", "d1"], "relevance": [1, 0]}


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (TWICE, "run 'mine', row 'q1 d1 3.0' repeats document 'd1' of query 'q1'"),
        (NOT_FINITE, "run 'mine', row 'q2 d1 NaN' has score NaN for document 'd1' of query 'q2'"),
        (NO_QUERY, "run 'mine', row 'null d1 1.0' has no query_id"),
        (TEXT, "run 'mine', row 'q1 d1 null' has no value where the score belongs"),
        (NOT_SHARED, "run 'mine' has no query in common with the qrels"),
    ],
    ids=["twice", "not finite", "no query", "text", "not shared"],
)
def test_invalid_rows_are_named(remote, run, text):
    made = spark.evaluate(remote(QRELS), {"mine": remote(run)}, ["AP"], n_buckets=3)
    with pytest.raises(DataError) as raised:
        made.to_evaluation().summary()
    assert text in str(raised.value)


def test_invalid_judgments_are_named(remote):
    qrels = pl.DataFrame(QRELS)
    twice = pl.concat([qrels, qrels.with_columns(relevance=pl.lit(2, pl.Int64))])
    run = remote({"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0]})
    made = spark.evaluate(remote(twice), run, ["AP"], n_buckets=3)
    with pytest.raises(DataError, match=r"the qrels, row .q1 d1 2\.0. repeats document .d1."):
        made.to_evaluation().summary()


def test_options_that_spark_cannot_keep(remote):
    qrels, run = remote(QRELS), remote(TWICE)
    with pytest.raises(OptionError, match="rows on Spark have no order"):
        spark.evaluate(qrels, run, ties="input")
    with pytest.raises(OptionError, match="n_buckets=0"):
        spark.evaluate(qrels, run, n_buckets=0)
    with pytest.raises(OptionError, match="expected a DataFrame of Spark, found DataFrame"):
        spark.evaluate(qrels, pl.DataFrame(TWICE))
    with pytest.raises(DataError, match="Are the two swapped"):
        spark.evaluate(run, qrels)
