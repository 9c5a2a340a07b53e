"""Cautions on judgments reach every result and output that is made from them."""

from __future__ import annotations

import json

import polars as pl
import pytest

import rankreport as rr
from rankreport.evaluation.label_source import label_source_of
from rankreport.labels import cautions
from rankreport.labels.cautions import _IN_WORDS, LabelRemark
from rankreport.text import Caution, CautionKind, using_language

QUERIES = [f"q{n}" for n in range(24)]
OLD = {query: {"a": 2.0, "b": 1.0} for query in QUERIES}
NEW = {query: {"b": 2.0, "a": 1.0} for query in QUERIES}
FIXED = pl.DataFrame(
    {
        "query_id": [query for query in QUERIES for _ in range(3)],
        "doc_id": ["a", "b", "c"] * len(QUERIES),
        "position": [0, 1, 2] * len(QUERIES),
        "impressions": [10, 10, 4] * len(QUERIES),
        "clicks": [1, 2, 0] * len(QUERIES),
    }
)
"""Documents that were always shown at the same rank, counted from 0; c was hardly shown."""
CODES = {"position_bias_unknown": "stop", "few_clicks": "look", "zero_based": "note"}
CODES |= {"few_impressions": "note"}
TEXTS = {
    "position_bias_unknown": (
        "No document that was clicked links 2 ranks with the first: 2 and 3. Attraction and "
        "examination cannot be told apart there."
    ),
    "few_clicks": "The log has 72 clicks.",
    "zero_based": "Positions of the log start at 0: position 0 is rank 1.",
    "few_impressions": (
        "Pairs shown fewer than 10 times, or only where nobody clicks, are left out: 24 of 72 "
        "pairs."
    ),
}


@pytest.fixture(scope="module")
def labels():
    # 72 clicks; ranks 2 and 3 cannot be compared with the first.
    return rr.qrels_from_clicks(FIXED, "pbm")


@pytest.fixture(scope="module")
def comparison(labels):
    return rr.compare(rr.evaluate(labels, {"old": OLD, "new": NEW}, ["nDCG@10"]))


def of_labels(cautions):
    return {each.code: each for each in cautions if each.code in CODES}


def test_of_many_ranks_the_first_are_named():
    log = pl.DataFrame(
        {
            "query_id": ["q"] * 15,
            "doc_id": [f"d{n}" for n in range(15)],
            "rank": range(1, 16),
            "impressions": [100] * 15,
            "clicks": [20] * 15,
        }
    )
    [found] = rr.qrels_from_clicks(log, "pbm").cautions
    assert found.count == 14
    assert "links 14 ranks with the first: 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 4 more." in found.text


def test_values_that_are_no_whole_numbers_are_meant_to_be(labels, comparison):
    assert any(grade % 1 for grade in labels.qrels["relevance"])
    assert "unusual_grades" not in {each.code for each in comparison.cautions}
    plain = rr.evaluate(labels.qrels, {"old": OLD}, ["nDCG@10"])
    assert "unusual_grades" in {each.code for each in plain.cautions}


def test_the_labels_have_them(labels):
    found = of_labels(labels.cautions)
    assert {code: each.severity for code, each in found.items()} == CODES
    assert {code: each.text for code, each in found.items()} == TEXTS
    assert [each.severity for each in labels.cautions] == ["stop", "look", "note", "note"]
    assert found["position_bias_unknown"].examples == ("2", "3")
    assert [found[code].count for code in CODES] == [2, 72, None, 24]


def test_results_have_them(labels, comparison):
    for made in (
        comparison.evaluation,
        comparison,
        comparison.verdict(),
        rr.leaderboard(comparison),
        rr.check(labels, {"old": OLD, "new": NEW}),
    ):
        assert of_labels(made.cautions) == of_labels(labels.cautions), made
    # Cautions to check first come first, whatever they are about.
    assert comparison.cautions[0].code == "position_bias_unknown"
    assert "position bias cannot be estimated" in comparison.table()["caution"][0]


def test_results_say_them_wherever_they_are_shown(labels, comparison):
    gate = rr.gate(comparison, "nDCG@10 > -0.2")
    shown = (
        *(repr(comparison), comparison.to_latex(), repr(rr.leaderboard(comparison))),
        *(repr(gate), gate.to_markdown(), gate.to_junit(), gate.to_json()),
        repr(rr.check(labels, {"old": OLD, "new": NEW})),
        str(comparison.verdict()),
    )
    for text in shown:
        assert "No document that was clicked links 2 ranks" in " ".join(text.split())


def test_reports_show_them(labels, comparison, tmp_path):
    for subject in (comparison, comparison.evaluation):
        report = rr.report(subject)
        page = report._shown.page
        [data] = [each for each in page.sections if each.id == "data"]
        assert {f"Look: {TEXTS['few_clicks']} Use a longer log: the grades are mostly chance."} < {
            *data.paragraphs
        }
        assert page.check.startswith("Check the data first: No document that was clicked")
        assert TEXTS["few_clicks"] in report.to_markdown()
        held = json.loads(report.to_json())
        assert {each["code"] for each in held["cautions"]} >= {*CODES}
        assert held["label_source"]["remarks"] == labels.source.to_plain()["remarks"]
    report.to_json(tmp_path / "report.json")
    loaded = rr.load_report(tmp_path / "report.json")
    assert loaded.to_json() == report.to_json()


def test_stored_scores_and_notebooks_have_them(labels, comparison, tmp_path):
    path = tmp_path / "scores.parquet"
    comparison.evaluation.write_parquet(path)
    loaded = rr.load_evaluation(path)
    assert label_source_of(loaded) == labels.source
    assert of_labels(rr.compare(loaded).cautions) == of_labels(labels.cautions)
    rr.report(comparison).to_notebook(tmp_path / "report.ipynb")
    assert TEXTS["few_clicks"] in (tmp_path / "report.ipynb").read_text(encoding="utf-8")


def test_they_are_in_the_language_of_the_reader(labels, comparison):
    with using_language("zh"):
        for made in (labels, comparison):
            assert not any("clicked" in each.text for each in made.cautions)
    assert of_labels(labels.cautions)["few_clicks"].text == TEXTS["few_clicks"]


def test_judges_who_disagree_are_a_caution_on_the_comparison():
    rows = [
        (query, document, judge, float((document == "a") == (judge == "ann")))
        for query in QUERIES
        for document in "ab"
        for judge in ("ann", "bob")
    ]
    ratings = pl.DataFrame(rows, schema=["query_id", "doc_id", "judge", "relevance"], orient="row")
    labels = rr.qrels_from_judges(ratings)
    comparison = rr.compare(labels, {"old": OLD, "new": NEW}, measures="nDCG@10")
    [own] = labels.cautions
    assert (own.code, own.severity) == ("low_agreement", "look")
    assert own in comparison.cautions
    # Once, in the section on data.
    page = rr.report(comparison)._shown.page
    texts = [text for section in page.sections for text in section.paragraphs]
    assert sum(own.text in text for text in texts) == 1


def test_a_reference_ranking_is_not_the_truth():
    comparison = rr.compare(rr.qrels_from_ranking(NEW, depth=1), {"old": OLD, "new": NEW})
    [found] = [each for each in comparison.cautions if each.code == "reference_ranking"]
    assert (found.severity, found.title) == ("look", "judged by another ranking")
    assert found.text.startswith("A document is relevant if it is in the top 1 of another ranking")
    assert comparison.verdict().word == "better"
    page = rr.report(comparison).to_markdown()
    assert "look at the cautions (judged by another ranking), then try it live" in page
    assert found.text in page


def test_labels_of_a_model_have_theirs_beside_those_of_people(labels):
    people = {query: {"a": 0, "b": 1} for query in rr.sample_queries(QUERIES, 8)}
    made = rr.compare(
        runs={"old": OLD, "new": NEW}, measures="nDCG@10", judges={"model": labels, "human": people}
    )
    assert of_labels(made.cautions) == of_labels(labels.cautions)


REMARKS = [
    LabelRemark("position_bias_unknown", "stop", {"n": 2, "ranks": ["2", "3"]}),
    LabelRemark("fit_unfinished", "look"),
    LabelRemark("click_model_misfit", "stop", {"percents": 25, "would_do": "cascade"}),
    LabelRemark("fit_unchecked", "look", {"percents": 32, "n": 120, "needed": 1200}),
    LabelRemark("few_clicks", "look", {"n": 7}),
    LabelRemark("zero_based", "note"),
    LabelRemark("later_first_rank", "look", {"rank": 3}),
    LabelRemark("few_impressions", "note", {"n": 1, "pairs": 3, "least": 50}),
    LabelRemark("later_clicks", "look", {"n": 4}),
    LabelRemark("repeated_rows", "look", {"n": 1200}),
    LabelRemark("clicks_without_list", "look", {"n": 1}),
    LabelRemark("hardly_shared", "note", {"n": 3, "documents": 40}),
    LabelRemark("low_agreement", "look", {"alpha": 0.4123}),
    LabelRemark("never_differ", "look", {"n": 31}),
    LabelRemark("reference_ranking", "look", {"depth": 10, "name": "last-week"}),
]


def test_every_kind_has_its_words():
    kinds = (each for each in vars(cautions).values() if isinstance(each, CautionKind))
    assert {kind.code for kind in kinds} == {*_IN_WORDS}
    assert [each.code for each in REMARKS] == [*_IN_WORDS]


@pytest.mark.parametrize("remark", REMARKS, ids=lambda each: each.code)
def test_they_are_stored_as_numbers(remark):
    stored = json.loads(json.dumps(remark.to_plain()))
    assert LabelRemark.of_plain(stored) == remark
    assert isinstance(remark.caution, Caution)
    assert (remark.caution.code, remark.caution.severity) == (remark.code, remark.severity)
    numbers = [each for each in remark.about.values() if isinstance(each, int | float)]
    assert all(f"{number:,.4g}"[:4] in remark.caution.text for number in numbers)


@pytest.mark.parametrize(
    "change",
    [
        {"code": "oracle"},
        {"severity": "panic"},
        {"about": {}},
        {"about": {"n": "7"}},
        {"about": {"n": True}},
        {"about": {"n": float("nan")}},
        {"about": 7},
        {"about": {"n": 7, "ranks": ["2"]}},
        {"about": {"n": [7]}},
        {"more": 1},
    ],
)
def test_what_was_not_stored_by_us_is_refused(change):
    stored = LabelRemark("few_clicks", "look", {"n": 7}).to_plain() | change
    with pytest.raises((ValueError, TypeError)):
        LabelRemark.of_plain(stored)
