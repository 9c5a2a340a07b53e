"""The reference of measures and profiles, written from their declarations."""

from __future__ import annotations

import re
from pathlib import Path

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
