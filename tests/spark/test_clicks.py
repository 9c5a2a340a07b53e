"""Judgments from click logs on Spark: equal to those of `rankreport.qrels_from_clicks`."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from click_logs import patient_users

import rankreport as rr
from rankreport import spark
from rankreport.errors import DataError, OptionError

LOG = patient_users(400, 3)
COUNTED = LOG.group_by("query_id", "doc_id", "rank", maintain_order=True).agg(
    impressions=pl.len().cast(pl.Int64), clicks=pl.col("clicked").sum()
)
ENDS = [["value_low", "value_high"], ["ci_low", "ci_high"]]


def check_equal(made, expected):
    """All is equal to the last bit, but for intervals, to 1e-12."""
    assert made.settings == expected.settings
    assert made.thresholds == expected.thresholds
    assert made.source == expected.source
    frames = ((each.pairs(), each.position_bias()) for each in (made, expected))
    for found, known, ends in zip(*frames, ENDS, strict=True):
        assert found.drop(ends).equals(known.drop(ends))
        for end in ends:
            assert found[end].is_null().equals(known[end].is_null())
            np.testing.assert_allclose(found[end].drop_nulls(), known[end].drop_nulls(), rtol=1e-12)


@pytest.mark.parametrize("model", ["ctr", "coec", "pbm", "cascade"])
def test_labels_are_equal(remote, model):
    expected = rr.qrels_from_clicks(LOG, model)
    assert expected.position_bias()["ci_low"].null_count() == 1
    made = spark.qrels_from_clicks(remote(LOG.sample(fraction=1, shuffle=True)), model, n_buckets=3)
    check_equal(made, expected)


SHORT = LOG.head(800)
"""Fewer rows, for what does not depend on how many there are."""


@pytest.mark.parametrize(
    ("log", "options"),
    [
        (COUNTED, {"model": "pbm"}),
        (COUNTED, {"model": "coec", "grades": 3}),
        (SHORT.drop("user"), {"model": "coec", "grades": [0.05, 0.2]}),
        (SHORT.drop("user", "session"), {"model": "pbm"}),
        (SHORT.drop("rank"), {"model": "ctr"}),
        (SHORT.with_columns(pl.col("rank") - 1), {"model": "cascade", "min_impressions": 1}),
        (SHORT.with_columns(pl.col("rank") + 1), {"model": "coec", "smoothing": 0}),
        (pl.concat([SHORT, SHORT.head(9)]), {"model": "pbm", "min_impressions": 1}),
        (
            SHORT.rename({"clicked": "purchase"}).with_columns(clicked=pl.lit(1)),
            {"model": "ctr", "signal": "purchase"},
        ),
        (
            SHORT.with_columns(
                dwell=pl.int_range(pl.len()) % 7 * 10, clicked=pl.col("clicked") == 1
            ),
            {"model": "pbm", "min_dwell": 25},
        ),
        (
            SHORT.select(
                pl.col("session").alias("search_id"),
                pl.col("user").str.slice(1).cast(pl.Int64).alias("Client ID"),
                pl.col("query_id").str.slice(1).cast(pl.Int32).alias("qid"),
                pl.col("doc_id").str.slice(1).cast(pl.Int64).alias("docno"),
                pl.col("rank").cast(pl.Int8).alias("Position"),
                pl.col("clicked").cast(pl.String).alias("click"),
            ),
            {"model": "pbm", "confidence": 0.9},
        ),
    ],
    ids=lambda each: (
        ", ".join(f"{n} {of}" for n, of in each.items())
        if isinstance(each, dict)
        else " ".join(each.columns)
    ),
)
def test_all_kinds_of_logs(remote, log, options):
    check_equal(
        spark.qrels_from_clicks(remote(log), n_buckets=2, **options),
        rr.qrels_from_clicks(log, **options),
    )


def test_a_user_is_in_one_bucket(remote):
    """Clicks of a user that depend on each other widen intervals only if they meet."""
    same = pl.concat([SHORT.with_columns(session=pl.col("session") + f"/{i}") for i in range(6)])
    wide, narrow = (
        spark.qrels_from_clicks(remote(rows).repartition(5), "coec", n_buckets=40)
        for rows in (same, same.drop("user"))
    )
    check_equal(wide, rr.qrels_from_clicks(same, "coec"))
    ratio = np.log(wide.position_bias()["ci_high"] / wide.position_bias()["bias"]) / np.log(
        narrow.position_bias()["ci_high"] / narrow.position_bias()["bias"]
    )
    assert (ratio.drop_nulls() > 2).all()


def at_row(column, value, row=7):
    """The log with another value in one row."""
    changed = pl.when(pl.int_range(pl.len()) == row).then(value).otherwise(pl.col(column))
    return SHORT.with_columns(changed.alias(column))


@pytest.mark.parametrize(
    ("log", "options"),
    [
        (at_row("query_id", None), {}),
        (at_row("session", None), {}),
        (at_row("clicked", None), {}),
        (at_row("clicked", -1), {}),
        (at_row("clicked", 2), {}),
        (at_row("rank", None), {}),
        (at_row("rank", 1.5), {}),
        (at_row("rank", float("nan")), {}),
        (at_row("rank", float("inf")), {}),
        (COUNTED.with_columns(impressions=pl.lit(float("nan"))).head(1), {}),
        (at_row("clicked", pl.lit("yes")).with_columns(pl.col("clicked").cast(pl.String)), {}),
        (SHORT.drop("session").with_columns(at_row("user", None)["user"]), {}),
        (SHORT.drop("clicked"), {}),
        (SHORT.drop("rank"), {}),
        (COUNTED, {"model": "cascade"}),
        (SHORT.with_columns(clicked=0), {}),
        (SHORT, {"min_impressions": 9_999}),
        (SHORT.with_columns(pl.col("rank") - 1), {"first_position": 1}),
        (SHORT, {"model": "dbn"}),
        (SHORT, {"grades": [0.2, 0.1]}),
    ],
)
def test_the_same_errors(remote, log, options):
    with pytest.raises((DataError, OptionError)) as expected:
        rr.qrels_from_clicks(log, **options)
    with pytest.raises(type(expected.value)) as raised:
        spark.qrels_from_clicks(remote(log), **options)
    text = str(expected.value)
    assert str(raised.value) == text.replace("Row 8 of", "A row of").replace("Row 1 of", "A row of")


def test_what_is_no_log(remote):
    with pytest.raises(OptionError, match="the log: expected a DataFrame of Spark, found Data"):
        spark.qrels_from_clicks(LOG)
    with pytest.raises(OptionError, match="n_buckets=0"):
        spark.qrels_from_clicks(remote(SHORT), n_buckets=0)
    with pytest.raises(DataError, match="The log has no rows"):
        spark.qrels_from_clicks(remote(SHORT).limit(0))
    with pytest.raises(DataError, match="has events of UBI"):
        spark.qrels_from_clicks(remote({"action_name": ["click"], "query_id": ["q"]}))


def test_labels_are_judgments_of_runs_there(remote, tmp_path):
    labels = spark.qrels_from_clicks(remote(LOG), min_impressions=1)
    runs = labels.pairs().select("query_id", "doc_id", score=-pl.col("mean_rank"))
    runs = {"shown": runs, "backwards": runs.with_columns(-pl.col("score"))}
    there = {name: remote(run) for name, run in runs.items()}
    home = spark.evaluate(labels, there, ["nDCG@5"], n_buckets=3).to_evaluation()
    local = rr.evaluate(labels, runs, ["nDCG@5"])
    assert home.scores.equals(local.scores)
    assert [each.text for each in home.cautions] == [each.text for each in local.cautions]
    assert home.inputs[0]["labels"] == local.inputs[0]["labels"]
    rr.report(rr.compare(home)).to_html(tmp_path / "page.html")
    assert 'id="clicks"' in (tmp_path / "page.html").read_text("utf-8")
    with pytest.raises(OptionError, match="runs: expected a DataFrame of Spark"):
        spark.evaluate(labels, runs, ["nDCG@5"])
