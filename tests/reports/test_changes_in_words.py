"""What makes a query won or lost, in a few words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankreport as rr
from rankreport.reports.changes_in_words import top_change_of
from rankreport.text import using_language

GRADES = {"A": 2, "B": 1, "C": 1, "x": 0, "y": 0, "z": 0}


def change(before, after, *, won=False, k=4):
    """Compare lists of documents: capitals are relevant, digits unjudged."""
    return top_change_of(
        [
            {
                "doc_id": doc,
                "relevance": GRADES.get(doc),
                "rank_baseline": before.find(doc) + 1 or None,
                "rank_system": after.find(doc) + 1 or None,
            }
            for doc in dict.fromkeys(before + after)
        ],
        rr.P @ k,
        won=won,
    )


@pytest.mark.parametrize(
    ("before", "after", "won", "brief"),
    [
        ("ABx", "", False, "it returned nothing"),
        ("", "Ax", True, "the baseline returned nothing"),
        ("", "", False, "neither returned anything"),
        ("ABCx", "x123", False, "3 → 0 relevant"),
        ("Axyz", "1234", False, "1 → 0 relevant; 4 of its first 4 unjudged"),
        ("1234", "Axyz", True, "0 → 1 relevant; 4 of the baseline's first 4 unjudged"),
        ("x123", "Axy1", True, "0 → 1 relevant"),
        ("ABxy", "xyzB", False, "2 → 1 relevant, first at rank 1 → 4"),
        ("Axyz", "xyzA", False, "first relevant at rank 1 → 4"),
        ("AxBy", "yxBC", False, "first relevant at rank 1 → 3"),
        ("xyzA", "Axyz", True, "first relevant at rank 4 → 1"),
        ("xyz", "ABx", True, "0 → 2 relevant"),
        ("xyz", "A123", True, "0 → 1 relevant"),
        ("AxBy", "AyxB", False, "the same documents in another order"),
        ("ABxy", "ABxy", False, "same top 4; the difference lies below"),
        ("xy", "yz", True, "no relevant result in either top 4"),
        ("AxBy", "AxCy", False, "other relevant results in the top 4"),
        ("AxB", "AzxB", False, "relevant results moved down"),
        ("AzxB", "AxB", True, "relevant results moved up"),
    ],
)
def test_what_differs_is_said(before, after, won, brief):
    assert change(before, after, won=won).brief == brief


def test_counts_are_of_the_lists():
    found = change("ABx1", "xC23")
    assert (found.n_relevant_baseline, found.n_relevant_system) == (2, 1)
    assert (found.best_baseline, found.best_system) == (1, 2)


def test_it_is_said_in_chinese():
    with using_language("zh"):
        assert change("Axyz", "xyzA").brief == "首个相关名次 1 → 4"


LISTS = st.text(st.sampled_from("ABCxyz123"), max_size=10).map(lambda t: "".join(dict.fromkeys(t)))


@given(LISTS, LISTS, st.booleans())
def test_it_is_always_said_in_a_few_words(before, after, won):
    # About a line of a telephone, such as "10 → 9 relevant, first at rank 9 → 10".
    assert 1 <= len(change(before, after, won=won, k=10).brief) <= 40
