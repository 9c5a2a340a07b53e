"""The reference of measures and profiles, written from their declarations."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import rankreport as rr
from rankreport.cli import catalogue

REFERENCE = catalogue.page()
PAGE = (Path(__file__).parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("measure", rr.catalogue(), ids=str)
def test_the_reference_says_of_each_measure_what_a_reader_of_a_number_needs(measure):
    entry = REFERENCE.split(f"\n### {measure.name}\n", 1)[1].split("\n### ", 1)[0]
    facts = ("range", "of a system", "nothing returned", "nothing relevant", "undefined", "ties")
    for fact in (*facts, "source", "also called"):
        assert f"\n| {fact} | " in entry
    assert f"$${measure.declaration.formula}$$" in entry
    for name in measure.declaration.parameters:
        assert name in entry
    for alias in measure.declaration.aliases:
        assert alias in entry


@pytest.mark.parametrize("measure", rr.catalogue(), ids=str)
def test_the_reference_says_where_nothing_relevant_may_be_one(measure):
    if measure.declaration.rows == "subtopics":
        qrels = {"q": {"a": {"s": 0}}, "p": {"a": {"s": 1}}}
    else:
        qrels = {"q": {"a": 0}, "p": {"a": 1}}
    asked = {"subtopics": measure.declaration.rows == "subtopics", "no_relevant": "one"}
    asked |= {"history": {"q": ["a"]}, "items": {"a": "some"}}
    made = rr.evaluate(qrels, {"s": {"q": {"a": 1.0}, "p": {"a": 1.0}}}, [measure], **asked)
    (value,) = made.per_query().filter(query_id="q")[str(measure)]
    entry = REFERENCE.split(f"\n### {measure.name}\n", 1)[1].split("\n### ", 1)[0]
    (row,) = [line for line in entry.splitlines() if line.startswith("| nothing relevant |")]
    assert row.endswith('; 1 with no_relevant="one" |') == measure.normalised
    if measure.normalised:
        assert value == 1


def test_the_reference_lists_every_profile_with_what_it_cannot_do():
    page = REFERENCE.split("# Profiles", 1)[1]
    for name, profile in rr.PROFILES.items():
        entry = page.split(f"\n## `{name}`\n", 1)[1].split("\n## ", 1)[0]
        assert profile.tool in entry
        for theirs, why in profile.cannot.items():
            assert f"- `{theirs}`: {why}" in entry


def test_the_page_lists_every_measure_and_chooses_among_them():
    rows = re.findall(r"^\| `(\w+)(?:@\w+)?` \|", PAGE, re.MULTILINE)
    assert rows == [each.name for _, each in catalogue.by_family()]
    chooser = PAGE.partition("## Which measure")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(\w+(?:@\d+)?)`", chooser)) - {"p", "T"}
    assert len(named) > 30
    assert {rr.parse(name).name for name in named} <= set(rows)


def test_the_page_evaluates_what_it_shows():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "docs/measures.md", "exec"), {})


LISTED = [re.split(r" {2,}", line) for line in catalogue.listed().splitlines()]
HISTORY = {"history": {"q": ["a"], "p": ["b"]}}
ITEMS = {"items": pl.DataFrame({"item": ["a", "b"], "genre": ["x", "y"], "popularity": [2, 1]})}
EITHER = ["items= or history="]
SHOWN = {"q": ["a", "b"], "p": ["b", "a"]}


@pytest.mark.parametrize(
    ("name", "needs", "enough"),
    [
        ("Novelty", ["history="], [HISTORY]),
        ("Popularity", EITHER, [HISTORY, ITEMS]),
        ("ILD", ["items="], [ITEMS]),
        ("Categories", ["items="], [ITEMS]),
        ("Unexpectedness", ["history="], [HISTORY]),
        ("Serendipity", ["history="], [HISTORY]),
    ],
)
def test_the_list_says_what_a_measure_beyond_accuracy_needs(name, needs, enough):
    assert [row[3:] for row in LISTED if row[:2] == ["beyond accuracy", f"{name}@k"]] == [needs]
    asked = {"measures": f"{name}@2", "name": "new"}
    for known in enough:
        made = rr.evaluate({"q": ["a"], "p": ["a"]}, SHOWN, **asked, **known)
        assert made.per_query()[f"{name}@2"].null_count() == 0
    with pytest.raises(rr.MeasureError, match=f"{name}@2 needs {needs[0]} of rr.evaluate"):
        rr.evaluate({"q": ["a"], "p": ["a"]}, SHOWN, **asked).summary()


@pytest.mark.parametrize(
    ("name", "better", "needs", "enough"),
    [
        ("coverage", "higher", EITHER, [HISTORY, ITEMS]),
        ("gini", "lower", EITHER, [HISTORY, ITEMS]),
        ("personalisation", "higher", [], [{}]),
    ],
)
def test_the_list_says_what_a_measure_of_all_users_at_once_needs(name, better, needs, enough):
    assert [row[3:] for row in LISTED if row[:2] == ["all users at once", f"{name}@k"]] == [needs]
    assert f"| better | {better} |" in REFERENCE.split(f"\n### {name}\n")[1].split("\n### ")[0]
    for known in enough:
        spread = rr.evaluate({"q": ["a"], "p": ["a"]}, SHOWN, name="new", **known).exposure()
        assert spread.filter(measure=name)["value"].null_count() == 0
    bare = rr.evaluate({"q": ["a"], "p": ["a"]}, SHOWN, name="new").exposure()
    assert bare.filter(measure=name)["value"].null_count() == len(needs)
    with pytest.raises(rr.MeasureError, match=f"Evaluation.exposure.* measures {name}'"):
        rr.parse(f"{name}@10")


def test_all_that_exposure_returns_is_listed():
    spread = rr.evaluate({"q": ["a"], "p": ["a"]}, SHOWN, name="new").exposure()
    listed = [row[1] for row in LISTED if row[0] == "all users at once"]
    assert listed == [f"{name}@k" for name in spread["measure"]]
