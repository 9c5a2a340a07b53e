"""Kinds of query on real collections, against the values of queries and another program."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from real_collections import CRANFIELD, ROBUST
from scipy import stats

import rankreport as rr

pytestmark = pytest.mark.slow


def compared(collection, *systems):
    runs = {system: collection.runs[system] for system in systems}
    return rr.compare(rr.evaluate(collection.qrels, runs, ["nDCG@10"]))


def test_a_run_that_loses_where_much_is_relevant():
    comparison = compared(ROBUST, "InexpC2", "UIUC03Rd1")
    (kind, *_) = comparison.query_kinds().to_dicts()
    assert kind["kind"] == "queries with 98 or more relevant documents"
    assert kind["differs"]
    assert kind["ci_high"] < 0 < kind["delta_elsewhere"]
    relevant = rr.read_qrels(ROBUST.qrels).filter(pl.col("relevance") >= 1).collect()
    many = relevant.group_by("query_id").len().filter(pl.col("len") >= 98)["query_id"]
    deltas = comparison.deltas()
    inside = deltas["query_id"].cast(pl.String).is_in(many.cast(pl.String).implode()).to_numpy()
    values = deltas["delta"].to_numpy()
    assert (kind["n_queries"], kind["n_elsewhere"]) == (inside.sum(), (~inside).sum())
    assert kind["delta"] == pytest.approx(values[inside].mean())
    assert kind["delta_elsewhere"] == pytest.approx(values[~inside].mean())
    # One split alone has a smaller p-value, by as many times as there are splits at most.
    alone = stats.permutation_test(
        (values[inside], values[~inside]),
        lambda a, b, axis: np.mean(a, axis) - np.mean(b, axis),
        vectorized=True,
        rng=np.random.default_rng(0),
    ).pvalue
    n_splits = len(comparison.query_kinds())
    assert alone <= 0.75 * kind["p_adjusted"] + 0.001 <= n_splits * alone + 0.003


def test_variants_of_one_ranking_lose_on_no_kind():
    kinds = compared(CRANFIELD, "bm25", "bm25-int").query_kinds()
    assert len(kinds) >= 2
    assert not kinds["differs"].any()
