"""Every result is laid out in the same way: what to look at, the verdict, a table, folds."""

from __future__ import annotations

import re

import pytest
from markup import tag

import rankreport as rr
from rankreport.tables import Fold, Sentences
from rankreport.text import labelled, visible

html5lib = pytest.importorskip("html5lib")


@pytest.fixture(scope="module")
def many():
    """Return a comparison of 31 systems, one of which answered little."""
    qrels = {f"q{i}": {"a": 2, "b": 1, "c": 0} for i in range(40)}
    orders = ["abc", "acb", "bac", "bca", "cab", "cba"]
    runs = {
        f"system-{n:02}": {
            q: {doc: 3.0 - at for at, doc in enumerate(orders[(i * n) % 6])}
            for i, q in enumerate(qrels)
            if n != 30 or i < 9
        }
        for n in range(31)
    }
    return rr.compare(qrels, runs, measures=["nDCG@3", "RR", "P@1"], resamples=200)


@pytest.fixture(scope="module")
def results(many):
    """Return a result of each class that people decide by."""
    evaluation = many.evaluation
    runs = {"new": {"q1": {"a": 1.0}}, "old": {"q1": {"b": 1.0}}}
    return {
        "Evaluation": evaluation,
        "Comparison": many,
        "Gate": rr.gate(many, ["nDCG@3 > -0.01", "RR > 0"]),
        "Leaderboard": rr.leaderboard(many),
        "DataCheck": rr.check({f"q{i}": {"a": 1} for i in range(20)}, runs),
        "Plan": rr.plan(many, difference=0.1),  # each takes long
    }


NAMES = ["Evaluation", "Comparison", "Gate", "Leaderboard", "DataCheck", "Plan"]
SAYS = {
    "Comparison": lambda made: made.verdict().sentence,
    "Gate": lambda made: made.headline,
    "Leaderboard": lambda _: "the highest mean",
    "DataCheck": lambda made: made.headline,
    "Plan": lambda _: "queries like these detect a difference of",
}


def opened(result):
    """Return the elements that are seen at once: a fold as its title alone."""
    page = html5lib.parseFragment(result._repr_html_(), namespaceHTMLElements=False)
    return list(page)


def words(node):
    return " ".join("".join(node.itertext()).replace("\N{MINUS SIGN}", "-").split())


@pytest.mark.parametrize("name", NAMES)
def test_looks_precede_the_verdict_the_table_and_the_folds(results, name):
    made = results[name]
    seen = opened(made)
    tags = [tag(each) for each in seen]
    table = tags.index("table")
    serious = [each for each in made.cautions if each.severity != "note"]
    assert serious
    for at, each in enumerate(serious):
        start = words_of(labelled(each))[:60]
        assert start in words(seen[at])
    said = SAYS.get(name)
    if said:
        at = next(n for n, each in enumerate(seen) if words_of(said(made)) in words(each))
        assert len(serious) - 1 < at < table or name == "Gate"
    assert tags[-1] == "details"


def words_of(text):
    return " ".join(visible(text).split())


def rows_of(table):
    """Return the rows of a table without the notes below them."""
    return [row for row in table.find("tbody") if "colspan" not in row[0].attrib]


@pytest.mark.parametrize("name", NAMES)
def test_no_paragraph_is_long_and_no_table_has_more_than_twelve_rows(results, name):
    for each in opened(results[name]):
        if tag(each) == "p":
            assert len(words(each)) <= 500
        if tag(each) == "table":
            assert 1 <= len(rows_of(each)) <= 12


@pytest.mark.parametrize("name", NAMES)
def test_all_rows_are_there_folded(results, name):
    made = results[name]
    page = html5lib.parseFragment(made._repr_html_(), namespaceHTMLElements=False)
    rows = [row for table in page.iter("table") for row in rows_of(table)]
    assert len(rows) == len(made._shown().rows)


@pytest.mark.parametrize("name", NAMES)
def test_intervals_are_not_broken_and_have_one_minus_sign(results, name):
    for each in opened(results[name]):
        text = "".join(each.itertext())
        assert not re.search(r"(?<![\w.>])-\d", re.sub(r"[<>]=? -[\d.]+", "", text))
        assert not re.search(r"\d\.\d+ to [+\u2212\d]", text)


def test_leading_rows_are_those_of_the_primary_measure():
    evaluation = rr.evaluate(
        {"q1": {"a": 1}, "q2": {"a": 1}},
        {"old": {"q1": {"a": 1.0}}, "new": {"q2": {"a": 1.0}}, "other": {"q1": {"a": 2.0}}},
        ["RR", "P@1"],
    )
    first = next(
        each for each in opened(rr.compare(evaluation, resamples=100)) if tag(each) == "table"
    )
    assert words(first.find("caption")).startswith("RR. Against old, 2 queries")
    assert [words(row[0]) for row in rows_of(first)] == ["new", "other"]


def test_a_fold_without_content_is_not_shown():
    assert Fold("Notes", [Sentences()]).to_html() == ""


def test_a_long_sentence_is_folded_under_its_beginning():
    text = "Look: " + "something to look at, " * 30
    html = Sentences([text], listed=True).to_html()
    assert html.startswith("<details")
    assert html.count("something") > 30
    assert "<details" not in Sentences([text], bold="Better.").to_html()


def test_a_fold_is_called_by_a_short_first_sentence():
    rest = "Of the first 10: " + "0.5 of a system, " * 40
    for first in ("Look: Unjudged documents count as not relevant.", "未判断的文档视为不相关。"):
        html = Sentences([f"{first} {rest}"], listed=True).to_html()
        assert f"<summary>{first}</summary>" in html
    cut = Sentences([rest], listed=True).to_html()
    assert re.search(r"<summary>Of the first 10: .{80,103}…</summary>", cut)


def test_profiles_print_a_table():
    shown = rr.PROFILES._repr_mimebundle_()["text/html"]
    assert shown.count("<tr><td") == len(rr.PROFILES) > 10
    assert "trec_eval" in str(rr.PROFILES)
    assert dict(rr.PROFILES)["ranx"] is rr.PROFILES["ranx"]


def test_a_result_shows_no_less_where_its_cautions_fail(monkeypatch):
    result = rr.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP")
    monkeypatch.setattr(rr.Evaluation, "cautions", property(lambda _: (1).nothing))
    for show in (repr, lambda result: result.cautions):
        with pytest.raises(AttributeError, match="'int' object has no attribute 'nothing'"):
            show(result)
