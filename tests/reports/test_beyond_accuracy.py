"""The section on what recommenders show besides what is relevant."""

from __future__ import annotations

import polars as pl
import pytest

import rankreport as rr
from rankreport.reports.page import Intervals
from rankreport.reports.sections.beyond_accuracy import beyond_accuracy_of
from rankreport.reports.sections.differences import differences_of
from rankreport.reports.sections.means import levels_of

HISTORY = {"ann": ["x"], "bob": ["x", "y"], "cid": ["w", "x", "y", "z"]}
RELEVANT = {"ann": ["x"], "bob": ["z"]}
SHOWN = {
    "narrow": {"ann": ["x", "y"], "bob": ["x", "y"]},
    "wide": {"ann": ["x", "y"], "bob": ["z", "w"]},
}


def section_of(measures="nDCG@2", **known):
    made = rr.evaluate(RELEVANT, SHOWN, measures, **known)
    found = list(beyond_accuracy_of(rr.report(made).content))
    assert len(found) <= 1
    return found[0] if found else None


def test_each_measure_of_each_system_has_a_row_and_a_sentence():
    # Narrow shows 2 of the 4 items of the catalogue, wide all of them, each once.
    section = section_of(["nDCG@2", "Novelty@2"], history=HISTORY)
    (table,) = section.parts
    assert [row[:3] for row in table.rows] == [
        ("Coverage", "narrow", "0.5000"),
        ("Coverage", "wide", "1.0000"),
        ("Gini", "narrow", "0.6667"),
        ("Gini", "wide", "0.0000"),
        ("Personalisation", "narrow", "0.0000"),
        ("Personalisation", "wide", "1.0000"),
        # Of three users, all had x, two y, one z and one w: log2(3/3), log2(3/2), log2(3) twice.
        ("Novelty@2", "narrow", "0.2925"),
        ("Novelty@2", "wide", "0.9387"),
    ]
    # Two users are few; and either alone is shown an item, or neither.
    assert [row[-1] for row in table.rows[:4]] == ["wide interval"] * 2 + ["few users"] * 2
    starts = [words.split()[0].strip(",") for words in section.paragraphs]
    assert starts == ["Coverage", "Gini", "Personalisation", "Novelty", "All"]


def test_of_two_systems_compared_the_first_sentence_says_what_changed():
    made = rr.evaluate(RELEVANT, SHOWN, ["nDCG@2", "Novelty@2"], history=HISTORY)
    (section,) = beyond_accuracy_of(rr.report(rr.compare(made)).content)
    assert section.paragraphs[0] == (
        "From narrow to wide: more of the items are shown (Coverage 0.500 → 1.000); items are "
        "shown more evenly (Gini 0.667 → 0.000); lists differ more between users "
        "(Personalisation 0.000 → 1.000); items are less popular (Novelty@2 0.292 → 0.939)."
    )
    assert section.folded
    same = {"narrow": SHOWN["narrow"], "again": SHOWN["narrow"]}
    made = rr.evaluate(RELEVANT, same, ["nDCG@2"], history=HISTORY)
    (section,) = beyond_accuracy_of(rr.report(rr.compare(made)).content)
    assert "Coverage hardly changed (0.500 → 0.500)" in section.paragraphs[0]


def test_there_is_no_section_where_nothing_is_known_of_users_and_items():
    assert section_of() is None


def test_a_catalogue_alone_gives_coverage_without_measures_by_user():
    section = section_of(items={"w": "a", "x": "a", "y": "b", "z": "b", "v": "b"})
    (table,) = section.parts
    assert [row[:3] for row in table.rows][:2] == [
        ("Coverage", "narrow", "0.4000"),
        ("Coverage", "wide", "0.8000"),
    ]


def test_a_measure_beyond_accuracy_is_not_drawn_on_the_scale_of_the_others():
    names = ["nDCG@2", "P@2", "Popularity@2"]
    two, one = (
        rr.evaluate(RELEVANT, shown, names, history=HISTORY)
        for shown in (SHOWN, {"narrow": SHOWN["narrow"]})
    )
    sections = [*differences_of(rr.report(rr.compare(two)).content)]
    sections += levels_of(rr.report(one).content)
    drawn = [part for each in sections for part in each.parts if isinstance(part, Intervals)]
    assert [[row.name for row in part.intervals] for part in drawn] == [["P@2"], ["P@2"]]


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ({"item_id": ["x", "y"], "popularity": [1.0, float("inf")]}, "popularity inf for item 'y'"),
        ({"item_id": ["x", "y"], "popularity": ["3", "many"]}, "popularity many for item 'y'"),
        ({"item_id": ["x"], "price": [float("nan")]}, "price nan for item 'x'"),
    ],
)
def test_numbers_of_items_are_finite(items, found):
    with pytest.raises(rr.errors.DataError, match=f"{found}. Expected a finite number"):
        section_of(items=pl.DataFrame(items))


def test_numbers_of_a_csv_file_are_numbers(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("item_id,popularity,price,colour\nx,3,1.5,red\ny,1,2.5,blue\nz,,1.5,\nw,,,\n")
    made = rr.evaluate(RELEVANT, SHOWN, ["Popularity@2", 'ILD(by="features")@2'], items=path)
    narrow = made.per_query().filter(system="narrow", query_id="ann").row(0, named=True)
    assert narrow["Popularity@2"] == pytest.approx(2.0)
    # A price is a feature, a colour is not: by price alone, any two are alike.
    assert narrow['ILD(by="features")@2'] == pytest.approx(0.0)


def test_users_and_items_as_pairs_are_a_history():
    pairs = [(user, item) for user, items in HISTORY.items() for item in items]
    by_pairs, by_lists = (section_of(history=each).parts[0].rows for each in (pairs, HISTORY))
    assert by_pairs == by_lists


def test_what_users_had_makes_the_page_speak_of_users_and_items():
    made = rr.evaluate(RELEVANT, SHOWN, "nDCG@2", history=HISTORY)
    shown = rr.report(rr.compare(made)).to_markdown()
    assert "2 users" in shown
    assert "queries" not in shown
    of_categories = rr.evaluate(RELEVANT, SHOWN, "nDCG@2", items={"x": "a", "y": "b"})
    assert "2 queries" in rr.report(rr.compare(of_categories)).to_markdown()
