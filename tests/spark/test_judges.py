"""Judgments of several people on Spark: equal to those of `rankreport.qrels_from_judges`."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rankreport as rr
from rankreport import spark
from rankreport.errors import DataError, OptionError


def drawn(n_judges=3, n_documents=120, grades=(0, 1, 2, 3), share=0.7, seed=4):
    """Ratings: some documents of one judge only, some of none; judges who differ."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(grades), n_documents)
    rows = [
        (f"q{document // 10}", f"d{document}", f"j{judge}", grades[grade])
        for judge in range(n_judges)
        for document, true in enumerate(truth)
        if rng.random() < share
        for grade in [int(np.clip(true + rng.integers(-1, 2), 0, len(grades) - 1))]
    ]
    columns = ["query_id", "doc_id", "judge", "relevance"]
    return pl.DataFrame(rows, schema=columns, orient="row", strict=False)


RATINGS = drawn()


def check_equal(made, expected):
    """Judgments and agreement are equal to the last bit, means of fractions to 1e-12."""
    key = ["query_id", "doc_id"]
    assert made.qrels.equals(expected.qrels.sort(key))
    assert made.judges == expected.judges
    assert made.source == expected.source
    assert made.n_ratings == expected.n_ratings
    assert repr(made) == repr(expected)
    for table in ("agreement", "per_grade"):
        assert getattr(made, table)().equals(getattr(expected, table)())
    for table in ("per_judge", "most_different"):
        found, known = (getattr(each, table)() for each in (made, expected))
        assert_frame_equal(found, known, check_exact=False, rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize("combine", ["mean", "median", "majority", "lowest"])
def test_labels_are_equal(remote, combine):
    options = {"combine": combine, "resamples": 200, "seed": 3, "confidence": 0.9}
    made = spark.qrels_from_judges(
        remote(RATINGS.sample(fraction=1, shuffle=True)).repartition(7), **options
    )
    check_equal(made, rr.qrels_from_judges(RATINGS, **options))


WIDE = RATINGS.pivot("judge", index=["query_id", "doc_id"], values="relevance")


@pytest.mark.parametrize(
    "ratings",
    [
        WIDE,
        WIDE.with_columns(pl.exclude("query_id", "doc_id").cast(pl.String).fill_null("")),
        RATINGS.select(
            pl.col("query_id").str.slice(1).cast(pl.Int64).alias("qid"),
            pl.col("doc_id").str.slice(1).cast(pl.Int32).alias("docno"),
            pl.col("judge").str.slice(1).cast(pl.Int64).alias("Rater"),
            pl.col("relevance").cast(pl.String).alias("grade"),
        ),
        drawn(grades=(-2, 0.25, 4)),
        drawn(n_judges=30, share=0.15),  # more pairs of judges than kappas are computed of
        drawn(n_judges=2, grades=(0, 1), share=1),
        drawn(n_judges=1),
        RATINGS.with_columns(relevance=1),
    ],
    ids=["wide", "wide text", "whole numbers", "fractions", "many", "two", "one", "same"],
)
def test_all_kinds_of_ratings(remote, ratings):
    check_equal(
        spark.qrels_from_judges(remote(ratings), resamples=100),
        rr.qrels_from_judges(ratings, resamples=100),
    )


def test_they_are_brought_home_for_each_judge(remote):
    made = spark.qrels_from_judges(remote(RATINGS), "median", resamples=100)
    local = rr.qrels_from_judges(RATINGS.sort("query_id", "doc_id"), "median", resamples=100)
    home = made.to_labels()
    assert home.qrels.equals(local.qrels)
    assert home.agreement().equals(local.agreement())
    found = pl.DataFrame(made.of("j1").toArrow()).sort("query_id", "doc_id")
    assert found.equals(local.of("j1").cast({"relevance": float}))
    with pytest.raises(OptionError, match="judge"):
        made.of("j9")


def test_labels_are_judgments_of_runs_there(remote):
    run = RATINGS.unique(["query_id", "doc_id"], keep="first", maintain_order=True).select(
        "query_id", "doc_id", score="relevance"
    )
    made = spark.qrels_from_judges(remote(RATINGS), resamples=100)
    home = spark.evaluate(made, remote(run), ["nDCG@5", "AP"], n_buckets=5).to_evaluation()
    labels = rr.qrels_from_judges(RATINGS, resamples=100)
    local = rr.evaluate(labels, {"run": run}, ["nDCG@5", "AP"])
    assert home.scores.equals(local.scores)
    assert [each.text for each in home.cautions] == [each.text for each in local.cautions]
    assert home.inputs[0]["labels"] == local.inputs[0]["labels"]


def at_row(column, value, row=7):
    """The ratings with another value in one row."""
    changed = pl.when(pl.int_range(pl.len()) == row).then(value).otherwise(pl.col(column))
    return RATINGS.with_columns(changed.alias(column))


@pytest.mark.parametrize(
    ("ratings", "options"),
    [
        (at_row("relevance", float("nan")), {}),
        (at_row("relevance", pl.lit("good")), {}),
        (at_row("query_id", None), {}),
        (at_row("judge", None), {}),
        (pl.concat([RATINGS, RATINGS[5:6].with_columns(relevance=9)], how="vertical_relaxed"), {}),
        (RATINGS.with_columns(relevance=pl.lit(None, pl.Float64)), {}),
        (RATINGS.drop("doc_id"), {}),
        (RATINGS.drop("relevance"), {}),
        (RATINGS.drop("judge"), {}),
        (RATINGS, {"judge": "who"}),
        (RATINGS, {"combine": "best"}),
        (RATINGS, {"resamples": 3}),
        (WIDE.with_columns(title=pl.lit("a title")), {}),
    ],
)
def test_the_same_errors(remote, ratings, options):
    with pytest.raises((DataError, OptionError)) as expected:
        rr.qrels_from_judges(ratings, **options)
    with pytest.raises(type(expected.value)) as raised:
        spark.qrels_from_judges(remote(ratings), **options)
    assert str(raised.value) == str(expected.value)


def test_what_is_no_dataframe_of_spark():
    with pytest.raises(OptionError, match="the ratings: expected a DataFrame of Spark"):
        spark.qrels_from_judges(RATINGS)
