"""Judgments from the click logs of real users."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from real_collections import DATA
from real_logs import open_bandit, yandex

import rankreport as rr

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="needs the real logs")


@pytest.mark.parametrize("model", ["ctr", "coec", "pbm", "cascade"])
def test_the_query_of_yandex(model, tmp_path):
    log = yandex()
    labels = rr.qrels_from_clicks(log, model, min_impressions=20)
    pairs = labels.pairs()
    counts = log.group_by("doc_id").agg(pl.len(), pl.col("clicked").sum())
    known = {document: (n, c) for document, n, c in counts.iter_rows()}
    if model != "cascade":
        for document, n, clicks in pairs.select("doc_id", "impressions", "clicks").iter_rows():
            assert known[document] == (n, clicks)
    # 232429 is what nearly all users of this query want. It was always at rank 1, so that clicks do
    # not say how much of this is due to the rank.
    assert pairs.sort("value")["doc_id"][-1] == "232429" or model == "coec"
    bias = labels.position_bias()
    assert len(bias) == 10
    if model == "pbm":
        assert bias["bias"].drop_nulls().to_list() == [1]
        (caution,) = [c for c in labels.cautions if c.code == "position_bias_unknown"]
        assert (caution.severity, caution.count) == ("stop", 9)
    else:
        assert (bias["bias"][1:] < 0.8).all()
    run = log.filter(pl.col("session") == log["session"][0])
    shown = {"98435_1": run["doc_id"].to_list()}
    backwards = {query: documents[::-1] for query, documents in shown.items()}
    evaluation = rr.evaluate(labels, {"shown": shown, "backwards": backwards}, ["nDCG@5"])
    means = dict(evaluation.summary().iter_rows())
    assert means["shown"] > means["backwards"]
    target = tmp_path / "page.html"
    rr.report(rr.compare(evaluation, baseline="backwards")).to_html(target)
    html = target.read_text(encoding="utf-8")
    assert 'id="clicks"' in html
    assert ("No document that was clicked links 9 ranks with the first" in html) == (model == "pbm")
    assert ("rank 10, " in labels.plot_position_bias().alt) == (model != "pbm")
    for caution in labels.cautions:
        assert caution in evaluation.cautions


def test_examination_where_items_were_shown_at_random():
    """At random, the click-through rates of ranks differ by examination alone."""
    log = open_bandit("random")
    assert log["clicked"].mean() == pytest.approx(0.0046, abs=5e-5)
    model = rr.qrels_from_clicks(log, "pbm", min_impressions=1)
    rates = rr.qrels_from_clicks(log, "ctr", min_impressions=1)
    for a, b in zip(
        model.position_bias().iter_rows(named=True),
        rates.position_bias().iter_rows(named=True),
        strict=True,
    ):
        assert a["bias"] == pytest.approx(b["bias"], rel=0.1)
        if a["rank"] > 1:
            assert a["ci_low"] < b["bias"] < a["ci_high"]
    assert "few_clicks" in {caution.code for caution in model.cautions}
    assert len(model.qrels) == log["doc_id"].n_unique()


def test_a_policy_that_learns_shows_better_items():
    """Values from items shown at random say which items the learnt policy prefers."""
    values = rr.qrels_from_clicks(open_bandit("random"), "pbm", min_impressions=1).pairs()
    shown = open_bandit("bts").group_by("doc_id").len()
    joined = values.join(shown, on="doc_id")
    assert np.corrcoef(joined["value"], joined["len"])[0, 1] > 0


def test_the_sample_of_ubi():
    """Too small for more than its format."""
    path = DATA / "ubi-esci" / "ubi_queries_events.ndjson.gz"
    labels = rr.qrels_from_clicks(path, "coec", min_impressions=1, clicks=["click", "item_click"])
    codes = {caution.code: caution for caution in labels.cautions}
    assert {"zero_based", "clicks_without_list"} <= set(codes)
    assert len(labels.qrels) > 500
    assert labels.position_bias()["rank"][0] == 1
    assert labels.qrels["query_id"].n_unique() < 200  # by text, not by execution
    with pytest.raises(rr.DataError, match="item_click"):
        rr.qrels_from_clicks(path, clicks="tap")
