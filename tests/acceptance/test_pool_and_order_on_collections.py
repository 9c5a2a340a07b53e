"""Pool and order on real collections, against counts of relevant documents by plain joins."""

from __future__ import annotations

import polars as pl
import pytest
from real_collections import COVID, CRANFIELD, ROBUST

import rankreport as rr

pytestmark = pytest.mark.slow

_KEYS = ["system", "query_id"]


@pytest.fixture(scope="module", params=[ROBUST, COVID, CRANFIELD], ids=str)
def evaluation(request):
    some = dict(list(request.param.runs.items())[:4])
    return rr.evaluate(
        request.param.qrels, some, ["nDCG@10", "AP", "RR", "P@10", "R@100", "ERR@20"]
    )


def test_parts_are_no_gains_and_add_up(evaluation):
    for measure in evaluation.measures:
        for rows in (
            evaluation.pool_and_order(measure, by_query=True),
            evaluation.pool_and_order(measure).pivot("part", index="system", values="mean"),
        ):
            added = rows.select(pl.sum_horizontal("value", "ranked_low", "not_retrieved"))
            assert (added.to_series() - rows["ideal"]).abs().max() <= 1e-12, measure
            assert min(rows["ranked_low"].min(), rows["not_retrieved"].min()) >= -1e-12, measure


def test_precision_and_recall_are_counts_of_relevant_documents(evaluation):
    judged = evaluation.judged_documents().filter(pl.col("relevance") >= 1)
    n = evaluation.pool_and_order("P@10")["n"][0]
    counts = judged.group_by(_KEYS).agg(all=pl.len(), held=(pl.col("rank") <= n).sum())
    for measure, of in (("P@10", 10), ("R@100", pl.col("all"))):
        k = rr.parse(measure).k
        rows = evaluation.pool_and_order(measure, by_query=True).join(counts, on=_KEYS)
        wanted = rows.select(
            ideal=pl.col("all").clip(upper_bound=k) / of,
            best_of_own=pl.col("held").clip(upper_bound=k) / of,
        )
        for name in wanted.columns:
            assert (rows[name] - wanted[name]).abs().max() <= 1e-12, (measure, name)


def test_a_difference_is_divided_as_the_values_are(evaluation):
    comparison = rr.compare(evaluation, pairs="all", resamples=200)
    for measure in ("nDCG@10", "AP"):
        rows = comparison.pool_and_order(measure)
        missed = evaluation.pool_and_order(measure).pivot("part", index="system", values="mean")
        known = {system: parts for system, *parts in missed.rows()}
        for pair in comparison.pairs:
            pool, order, value = rows.filter(**pair._asdict())["delta"]
            (_, low, lost, _), (_, new_low, new_lost, _) = (known[system] for system in pair)
            assert pool + order == pytest.approx(value, abs=1e-12)
            assert (pool, order) == pytest.approx((lost - new_lost, low - new_low), abs=1e-9)
