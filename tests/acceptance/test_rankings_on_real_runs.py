"""Rankings of real collections compared: with peers, and with each other."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from real_collections import DATA
from scipy import stats

import rankreport as rr

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="needs the real collections")

PAIRS = [
    ("robust2003/runs", "InexpC2.run.gz", "SABIR03BASE.run.gz"),
    ("trec-covid-r1/runs", None, None),
    ("cranfield/runs", None, None),
    ("quepid-haystack/runs", None, None),
]


def paths(folder, *names):
    found = sorted((DATA / folder).iterdir())
    return [DATA / folder / name for name in names] if names[0] else found[:2]


def sets_at(run, k):
    rows = (
        rr.read_run(run)
        .collect()
        .sort("query_id", "score", "doc_id", descending=[False, True, True])
    )
    lists = rows.group_by("query_id", maintain_order=True).agg(pl.col("doc_id").head(k))
    return {query: set(documents) for query, documents in lists.iter_rows()}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0].split("/")[0])
def test_two_runs(pair):
    one, other = paths(*pair)
    found = rr.compare_rankings(one, other, ties="b")
    values = found.per_query()
    assert len(values) > 25
    first, second = sets_at(one, 10), sets_at(other, 10)
    for query, overlap, jaccard in values.select(
        "query_id", "overlap@10", "jaccard@10"
    ).iter_rows():
        common, either = first[query] & second[query], first[query] | second[query]
        longer = max(len(first[query]), len(second[query]))
        assert overlap == pytest.approx(len(common) / longer)
        assert jaccard == pytest.approx(len(common) / len(either))
    runs = [rr.read_run(run).collect() for run in (one, other)]
    shared = runs[0].join(runs[1], on=["query_id", "doc_id"], suffix="_other")
    for row in values.sample(10, seed=1).iter_rows(named=True):
        of_query = shared.filter(pl.col("query_id") == row["query_id"])
        assert row["n_shared"] == len(of_query)
        if row["tau_b"] is None:
            assert min(of_query["score"].n_unique(), of_query["score_other"].n_unique()) < 2
        else:
            expected = stats.kendalltau(of_query["score"], of_query["score_other"]).statistic
            assert row["tau_b"] == pytest.approx(expected, abs=1e-12)
    bounds = values.select("rbo_min", "rbo", "rbo_max").to_numpy()
    assert (np.diff(bounds, axis=1) > -1e-9).all()
    again = rr.compare_rankings(one, one, ties="b").per_query()
    np.testing.assert_allclose(again["rbo"], 1, atol=1e-12)


def test_a_reference_ranking_leads_to_a_verdict():
    """Last week's ranking as reference, and two other ones held against it."""
    folder = DATA / "cranfield" / "runs"
    runs = {path.name.removesuffix(".gz").removesuffix(".run"): path for path in folder.iterdir()}
    reference, *others = sorted(runs)[:3]
    qrels = rr.qrels_from_ranking(runs[reference], depth=10)
    found = rr.evaluate(qrels, {name: runs[name] for name in others}, ["P@10"])
    for name, value in found.summary().iter_rows():
        # The share of the first ten that both have, which is what overlap says.
        compared = rr.compare_rankings(runs[reference], runs[name], resamples=200)
        row = compared.summary().row(by_predicate=pl.col("measure") == "overlap@10", named=True)
        assert value == pytest.approx(row["mean"], abs=1e-9)
    page = rr.report(rr.compare(found, baseline=others[0])).to_markdown()
    assert others[0] in page


def test_two_runs_lead_to_a_page(tmp_path):
    one, other = paths("robust2003/runs", "InexpC2.run.gz", "THUIRr0301.run.gz")
    report = rr.report(rr.compare_rankings(one, other), date="2026-11-22")
    report.to_html(tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "InexpC2 and THUIRr0301 agree on part of the top 10" in html
    report.to_json(tmp_path / "report.json")
    assert rr.load_report(tmp_path / "report.json").to_json() == report.to_json()
