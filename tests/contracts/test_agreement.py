"""The table of agreement with other tools is complete, and holds on collections drawn at random.

Nothing outside the repository is needed; `acceptance` holds the same table against real ones.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from peers import TOOLS, called

import rankreport as rr
from agreement import (
    GRADES,
    Collection,
    Tally,
    absent,
    compare,
    differences,
    drawn,
    evaluated,
    rows,
    table,
)

pytestmark = pytest.mark.needs("perl")  # gdeval of ir_measures

ROOT = Path(__file__).parents[2]
DIFFERENCES = [each for tool in TOOLS for each in differences(tool)]
N_QUERIES = {"ir_measures": 20, "cwl": 20}
"""How many queries a random collection has for a tool that is slow for each; 40 for others."""


# --- nothing is missing ---------------------------------------------------------------------------


@pytest.mark.parametrize("tool", TOOLS)
def test_every_measure_of_a_tool_is_in_the_table(tool):
    named = {name for name, _ in absent(tool)}
    for each in [*rows(tool), *differences(tool)]:
        named |= TOOLS[tool].entry(each.theirs)
    assert TOOLS[tool].inventory() - named == set()


@pytest.mark.parametrize("tool", TOOLS)
def test_what_a_tool_is_said_to_have_and_we_have_not_it_has(tool):
    names = [name for name, _ in absent(tool)]
    assert len(set(names)) == len(names)
    assert set(names) - TOOLS[tool].inventory() == set()
    for row in rows(tool):
        assert not TOOLS[tool].entry(row.theirs) & set(names), row


@pytest.mark.parametrize("tool", TOOLS)
def test_every_measure_of_ours_is_in_the_table(tool):
    without = table()[tool]["without"]
    known = {rr.parse(row.measure).name for row in rows(tool)}
    known |= {rr.parse(each.ours).name for each in differences(tool)}
    assert sorted([*known, *without]) == sorted(m.name for m in rr.catalogue())


def test_the_table_speaks_of_the_tools_there_are():
    assert list(table()) == list(TOOLS)


# --- the tools' names -----------------------------------------------------------------------------

PROFILES = {"pytrec_eval": "pytrec_eval", "ir_measures": "ir_measures", "ranx": "ranx"}
READ_OTHERWISE = {
    "pytrec_eval": {"set_F_4.0"},  # no name of ours has such a parameter
    "ir_measures": {"SetF(beta=4.0)"},  # read as SetF(beta=4), which is the same number
    "ranx": {"rbp.80"},  # refused, as it is ours for grades of 0 and 1 alone
}


@pytest.mark.parametrize("tool", PROFILES)
def test_under_its_profile_a_tools_name_means_what_the_table_says(tool):
    otherwise = set()
    qrels, run = {"q": {"d": 1}}, {"q": {"d": 1.0}}
    for row in rows(tool):
        own_words = tool == "pytrec_eval" and called(row.theirs)[2]
        if ": " in row.theirs or own_words:  # said in our words
            continue
        try:
            evaluation = rr.evaluate(qrels, {"mine": run}, [row.theirs], profile=PROFILES[tool])
        except rr.MeasureError:
            otherwise.add(row.theirs)
        else:
            if evaluation.measures != (rr.parse(row.measure),):
                otherwise.add(row.theirs)
    assert otherwise == READ_OTHERWISE[tool]


# --- the rows hold --------------------------------------------------------------------------------

# How many queries are left out for each condition, over all kinds of grades.
LEFT_OUT = {
    "ir_measures": {
        "all scores above 0": 31,
        "fewer than 5 relevant returned": 31,
        "no equal scores": 8,
        "one judged 0 or higher returned": 10,
        "one judged 1 or higher": 7,
        "one judged 2 or higher": 24,
        "something returned": 9,
    },
    "pyndeval": {
        "one judged 1 or higher": 22,
    },
    "ranx": {
        "grades 0 and 1 alone": 59,
        "no equal scores": 216,
        "no grade below 0": 15,
        "relevant and not relevant ones judged": 13,
        "something returned": 20,
    },
    "sklearn": {
        "a judged one returned": 25,
        "a relevant one returned": 105,
        "grades 0 and 1 alone": 80,
        "more than one judged one returned": 90,
        "more than one returned": 42,
        "no equal scores": 201,
        "no grade below 0": 66,
        "one relevant of six or more returned": 82,
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_the_numbers_agree_on_collections_drawn_at_random(tool):
    tally = Tally()
    for kind in GRADES:
        selected = [row for row in rows(tool) if kind in row.grades]
        if selected:
            tally += compare(tool, selected, drawn(1, kind, N_QUERIES.get(tool, 40)))
    assert tally.wrong == []
    assert tally.left_out == Counter(LEFT_OUT.get(tool, {}))
    least = {row.theirs: len(row.grades) if row.whole else 5 for row in rows(tool)}
    assert {
        name: tally.compared[name] for name, n in least.items() if tally.compared[name] < n
    } == {}


@pytest.mark.parametrize("tool", TOOLS)
def test_grades_that_a_tool_refuses_are_refused(tool):
    taken = {kind for row in rows(tool) for kind in row.grades}
    refused = table()[tool].get("refuses", {})
    assert taken | set(refused) == set(GRADES)
    for kind in refused:
        with pytest.raises(TypeError):
            TOOLS[tool].values([rows(tool)[0].theirs], drawn(seed=1, kind=kind))


@pytest.mark.parametrize("difference", DIFFERENCES, ids=str)
def test_where_the_two_differ_an_example_shows_both_numbers(difference):
    example = Collection(difference.qrels, difference.run)
    if difference.options.get("subtopics"):
        example = Collection({}, difference.run, difference.qrels)
    (query,) = difference.run
    theirs = TOOLS[difference.tool].values([difference.theirs], example)[difference.theirs][query]
    found = evaluated([difference.ours], example, **difference.options).per_query()
    ours = found[str(rr.parse(difference.ours))].item()
    assert (theirs, ours) == pytest.approx(difference.numbers, rel=1e-12, nan_ok=True)
    assert not abs(theirs - ours) <= 1e-3
