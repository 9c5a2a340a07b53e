"""Interleaved lists on Spark: equal to `rankreport.interleaving`, to the last bit."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankreport as rr
from rankreport import spark
from rankreport.errors import DataError, OptionError


def drafted(n_lists=300, seed=2):
    """Lists of four documents: some of one ranking only, some without a click or a team."""
    rng = np.random.default_rng(seed)
    teams = rng.permuted(np.tile(["old", "new", "new", ""], (n_lists, 1)), axis=1)
    teams[:5] = "old"
    clicked = (rng.random((n_lists, 4)) < 0.15) * rng.integers(1, 3, (n_lists, 4))
    return pl.DataFrame(
        {
            "session": np.repeat([f"s{at % 200}" for at in range(n_lists)], 4),
            "query_id": np.repeat([f"q{at // 200}" for at in range(n_lists)], 4),
            "user": np.repeat([f"u{at % 40}" for at in range(n_lists)], 4),
            "team": teams.ravel(),
            "clicked": clicked.ravel(),
        }
    )


LOG = drafted()


@pytest.mark.parametrize(
    ("log", "options"),
    [
        (LOG, {"baseline": "old"}),
        (LOG.drop("user"), {"baseline": "old", "interval": "percentile", "resamples": 500}),
        (LOG.drop("query_id"), {"seed": 4, "confidence": 0.9}),
        (
            LOG.select(
                pl.col("session").str.slice(1).cast(pl.Int64).alias("serp_id"),
                pl.col("team").replace("", None).alias("Ranker"),
                pl.col("clicked").cast(pl.String).alias("n_clicks"),
            ),
            {},
        ),
        (LOG.with_columns(clicked=(pl.col("team") == "new").cast(int)), {}),
        (LOG.with_columns(session=pl.lit(1)), {}),
    ],
    ids=["users", "lists", "sessions", "other columns", "all won", "counted by users"],
)
def test_results_are_equal(remote, log, options):
    made = spark.interleaving(remote(log.sample(fraction=1, shuffle=True)), **options)
    local = rr.interleaving(log, **options)
    assert made.to_polars().equals(local.to_polars())
    assert made.n_decided == local.n_decided
    assert repr(made) == repr(local)


def at_row(column, value, row=7):
    changed = pl.when(pl.int_range(pl.len()) == row).then(value).otherwise(pl.col(column))
    return LOG.with_columns(changed.alias(column))


@pytest.mark.parametrize(
    ("log", "options"),
    [
        (at_row("session", None), {}),
        (at_row("clicked", None), {}),
        (at_row("clicked", -1), {}),
        (at_row("clicked", float("nan")), {}),
        (at_row("user", None), {}),
        (at_row("team", pl.lit("third")), {}),
        (LOG.with_columns(clicked=0), {}),
        (LOG.drop("team"), {}),
        (LOG.rename({"session": "serp_id"}).with_columns(serp_id=pl.lit(1)), {}),
        (LOG.tail(4).with_columns(user=pl.col("team"), clicked=1), {}),
        (LOG, {"baseline": "older"}),
        (LOG, {"interval": "wide"}),
        (LOG, {"resamples": 3}),
    ],
)
def test_the_same_errors(remote, log, options):
    with pytest.raises((DataError, OptionError)) as expected:
        rr.interleaving(log, **options)
    with pytest.raises(type(expected.value)) as raised:
        spark.interleaving(remote(log), **options)
    known, found = str(expected.value), str(raised.value)
    if known.startswith("Row 8 of the log"):
        before, _, after = found.partition(" (session ")
        assert before == known.partition(";")[0].replace("Row 8", "A row")
        assert after.endswith("); such rows: 1.")
    else:
        assert found == known


def test_what_is_no_dataframe_of_spark():
    with pytest.raises(OptionError, match="the log: expected a DataFrame of Spark"):
        spark.interleaving(LOG)
