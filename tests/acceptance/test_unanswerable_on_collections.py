"""Real collections of which a third of the queries are made to have no answer."""

import json

import polars as pl
import pytest
from markup import parsed, words
from real_collections import CRANFIELD, DATA, ROBUST

import rankreport as rr

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.exists(), reason="needs the real collections"),
]

SYSTEMS = {"cranfield": ("bm25", "minilm"), "robust2003": ("VTcdhgp1", "humR03dc")}
QUANTILES = (0.2, 0.3)


@pytest.fixture(scope="module", params=[CRANFIELD, ROBUST], ids=str)
def made(request):
    """Judgments of two thirds, runs that are silent below a score, and the other queries."""
    collection = request.param
    qrels = rr.read_qrels(collection.qrels).collect()
    none = qrels["query_id"].unique().sort().gather_every(3)
    has_none = pl.col("query_id").is_in(none.implode())
    gone = qrels.filter(has_none, pl.col("relevance") > 0)
    runs = {}
    for system, share in zip(SYSTEMS[collection.name], QUANTILES, strict=True):
        run = rr.read_run(collection.runs[system]).collect()
        run = run.join(gone, on=["query_id", "doc_id"], how="anti")
        top = run.group_by("query_id").agg(pl.max("score"))["score"]
        runs[system] = run.filter(pl.col("score") >= top.quantile(share))
    return qrels.filter(~has_none), runs, none.to_list()


def test_rates_are_shares_of_the_queries_that_the_runs_hold(made):
    qrels, runs, none = made
    evaluation = rr.evaluate(qrels, runs, ["nDCG@10", "AP"], unanswerable=none)
    judged = set(qrels["query_id"])
    for system, *rates in (
        evaluation.summary().select("system", "FalseAnswer", "FalseAbstention").rows()
    ):
        answered = set(runs[system]["query_id"])
        expected = len(answered & {*none}) / len(none), 1 - len(answered & judged) / len(judged)
        assert rates == pytest.approx(expected)
        assert 0 < rates[0] < 1
        assert 0 < rates[1] < 1

    # All else is that of the answerable queries alone, but for the random signs of the test.
    alone = rr.evaluate(qrels, runs, ["nDCG@10", "AP"])
    same = ["n_queries", "delta", "ci_low", "ci_high", "wins", "losses"]
    whole, part = (rr.compare(each).table().select(same).row(0) for each in (evaluation, alone))
    assert whole == pytest.approx(part, rel=1e-12)


def test_the_page_shows_both_rates_in_words(made, tmp_path):
    qrels, runs, none = made
    names = [*qrels["query_id"].unique(maintain_order=True), *none]
    table = pl.DataFrame({"query_id": names, "unanswerable": [name in none for name in names]})
    comparison = rr.compare(qrels, runs, queries=table)
    report = rr.report(comparison)
    page, figures = tmp_path / "page.html", tmp_path / "page.json"
    report.to_html(page)
    report.to_json(figures)
    text = words(parsed(page.read_text(encoding="utf-8")))
    n_others, n_of = len(names) - len(none), {"FalseAnswer": len(none)}
    assert f"{n_others} queries with an answer, {len(none)} without" in text
    rows = {row["measure"]: row for row in json.loads(figures.read_text())["comparison"]}
    for measure in ("FalseAnswer", "FalseAbstention"):
        row = rows[measure]
        for side in ("mean_baseline", "mean_system"):
            n = n_of.get(measure, n_others)
            assert f"{n * row[side]:.0f} of {n}" in text
