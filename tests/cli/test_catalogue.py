"""The reference of measures and profiles, written from their declarations."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankreport as rr

PAGE = Path(__file__).parents[2] / "docs" / "measures.md"


@pytest.mark.parametrize("measure", rr.catalogue(), ids=str)
def test_the_page_says_of_each_measure_what_a_reader_of_a_number_needs(measure):
    page = PAGE.read_text(encoding="utf-8")
    entry = page.split(f"\n### {measure.name}\n", 1)[1].split("\n### ", 1)[0]
    facts = ("range", "of a system", "nothing returned", "nothing relevant", "undefined", "ties")
    for fact in (*facts, "source", "also called"):
        assert f"\n| {fact} | " in entry
    assert f"$${measure.declaration.formula}$$" in entry
    for name in measure.declaration.parameters:
        assert name in entry
    for alias in measure.declaration.aliases:
        assert alias in entry


@pytest.mark.parametrize("measure", rr.catalogue(), ids=str)
def test_the_page_says_where_nothing_relevant_may_be_one(measure):
    if measure.declaration.rows == "subtopics":
        qrels = {"q": {"a": {"s": 0}}, "p": {"a": {"s": 1}}}
    else:
        qrels = {"q": {"a": 0}, "p": {"a": 1}}
    asked = {"subtopics": measure.declaration.rows == "subtopics", "no_relevant": "one"}
    made = rr.evaluate(qrels, {"s": {"q": {"a": 1.0}, "p": {"a": 1.0}}}, [measure], **asked)
    (value,) = made.per_query().filter(query_id="q")[str(measure)]
    page = PAGE.read_text(encoding="utf-8")
    entry = page.split(f"\n### {measure.name}\n", 1)[1].split("\n### ", 1)[0]
    (row,) = [line for line in entry.splitlines() if line.startswith("| nothing relevant |")]
    assert row.endswith('; 1 with no_relevant="one" |') == measure.normalised
    if measure.normalised:
        assert value == 1


def test_the_page_lists_every_profile_with_what_it_cannot_do():
    page = PAGE.read_text(encoding="utf-8").split("# Profiles", 1)[1]
    for name, profile in rr.PROFILES.items():
        entry = page.split(f"\n## `{name}`\n", 1)[1].split("\n## ", 1)[0]
        assert profile.tool in entry
        for theirs, why in profile.cannot.items():
            assert f"- `{theirs}`: {why}" in entry
