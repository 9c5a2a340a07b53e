"""The section on clicks: the position bias, drawn, and the documents that attract most."""

from __future__ import annotations

import polars as pl
import pytest
from click_logs import N_QUERIES, patient_users

import rankreport as rr
from rankreport.reports.page import Picture
from rankreport.text import using_language

RUNS = {
    "old": {f"q{n}": [f"d{d}" for d in range(6)] for n in range(N_QUERIES)},
    "new": {f"q{n}": [f"d{d}" for d in range(6, 12)] for n in range(N_QUERIES)},
}


def section_of(labels, **about):
    comparison = rr.compare(labels, RUNS, measures="nDCG@5")
    sections = rr.report(comparison, **about)._shown.page.sections
    return next((each for each in sections if each.id == "clicks"), None)


WORDS = {
    "pbm": "Users look at rank 8 {} as often as at the first one (95 % interval {} to {}).",
    "cascade": "Of the lists, {} are read down to rank 8 (95 % interval {} to {}).",
    "coec": (
        "Rank 8 is clicked {} as often as the first one (95 % interval {} to {}), for where it is "
        "and for how good the documents there are."
    ),
}


@pytest.mark.parametrize("model", WORDS)
def test_it_draws_the_position_bias_and_says_what_it_is(model):
    labels = rr.qrels_from_clicks(patient_users(3000, 2), model)
    section = section_of(labels)
    bias, low, high = labels.position_bias().select("bias", "ci_low", "ci_high").row(-1)
    numbers = [f"{100 * number:.0f} %" for number in (bias, low, high)]
    assert section.paragraphs == (WORDS[model].format(*numbers),)
    drawn, pairs = section.parts
    assert isinstance(drawn, Picture)
    assert drawn.alt == labels.plot_position_bias().alt
    assert "rank 8" in drawn.alt
    assert len(drawn.data.rows) == len(labels.position_bias())
    assert pairs.rows == labels._shown().rows
    held = {each.name: each.rows for each in section.figures}
    assert held["position_bias"].equals(labels.position_bias())
    assert held["click_pairs"]["value"].to_list() == sorted(labels.pairs()["value"])[::-1][:10]


def test_where_the_bias_is_not_known_nothing_is_said_of_it():
    log = pl.DataFrame(
        {
            "query_id": [f"q{n // 2}" for n in range(2 * N_QUERIES)],
            "doc_id": ["d0", "d1"] * N_QUERIES,
            "rank": [1, 2] * N_QUERIES,
            "impressions": [100] * 2 * N_QUERIES,
            "clicks": [40, 20] * N_QUERIES,
        }
    )
    section = section_of(rr.qrels_from_clicks(log, "pbm"))
    assert section.paragraphs == ()
    assert isinstance(section.parts[0], Picture)
    without = section_of(rr.qrels_from_clicks(log.drop("rank"), "ctr"))
    assert [type(part).__name__ for part in without.parts] == ["Table"]


def test_the_page_has_it_in_both_languages(tmp_path):
    labels = rr.qrels_from_clicks(patient_users(2000, 3))
    comparison = rr.compare(labels, RUNS, measures="nDCG@5")
    for language, words in (("en", "Users look at rank 8"), ("zh", "用户查看第 8 位的频率")):
        report = rr.report(comparison, language=language)
        report.to_html(tmp_path / "page.html")
        html = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert 'id="clicks"' in html
        assert words in html
    with using_language("zh"):
        assert section_of(labels).title == "点击"


def test_other_judgments_and_loaded_scores_have_none(tmp_path):
    qrels = {query: {"d0": 1, "d7": 2} for query in RUNS["old"]}
    assert section_of(qrels) is None
    labels = rr.qrels_from_clicks(patient_users(1000, 3), "ctr")
    rr.evaluate(labels, RUNS, ["nDCG@5"]).write_parquet(tmp_path / "scores.parquet")
    loaded = rr.compare(rr.load_evaluation(tmp_path / "scores.parquet"))
    assert all(each.id != "clicks" for each in rr.report(loaded)._shown.page.sections)
