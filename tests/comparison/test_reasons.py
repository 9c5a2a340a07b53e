"""Why a query was won or lost, in a sentence and in a few words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankreport.comparison import reason_of
from rankreport.text import using_language

GRADES = {"A": 2, "B": 1, "C": 1, "x": 0, "y": 0, "z": 0}


def reason(before, after, *, won=False, k=4):
    """Compare lists of documents: capitals are relevant, digits unjudged."""
    return reason_of(
        [
            {
                "doc_id": doc,
                "relevance": GRADES.get(doc),
                "rank_baseline": before.find(doc) + 1 or None,
                "rank_system": after.find(doc) + 1 or None,
            }
            for doc in dict.fromkeys(before + after)
        ],
        won=won,
        k=k,
        least=1,
    )


@pytest.mark.parametrize(
    ("before", "after", "won", "sentence", "brief"),
    [
        ("ABx", "", False, "it returned nothing", None),
        ("", "Ax", True, "the baseline returned nothing", None),
        ("", "", False, "neither returned anything", None),
        (
            "ABCx",
            "x123",
            False,
            "3 relevant results left the top 4; 3 of the 3 new are unjudged",
            "3 → 0 relevant; 0 → 3 unjudged",
        ),
        (
            "ABxy",
            "xyz1",
            False,
            "2 relevant results left the top 4; 1 of the 2 new is unjudged",
            "2 → 0 relevant; 0 → 1 unjudged",
        ),
        (
            "ABxy",
            "xyzB",
            False,
            "1 relevant result left the top 4; best relevant result from rank 1 to 4",
            "2 → 1 relevant, first 1 → 4",
        ),
        (
            *("Axyz", "xyzA", False),
            "best relevant result from rank 1 to 4",
            "first relevant at rank 1 → 4",
        ),
        (
            *("xyzA", "Axyz", True),
            "best relevant result from rank 4 to 1",
            "first relevant at rank 4 → 1",
        ),
        (
            *("A1xy", "xyAz", False),
            "best relevant result from rank 1 to 3",
            "first relevant at rank 1 → 3; 1 → 0 unjudged",
        ),
        ("xyz", "ABx", True, "2 relevant results entered the top 4", "0 → 2 relevant"),
        ("xyz", "xAy", True, "1 relevant result entered the top 4", "0 → 1 relevant"),
        ("AxBy", "AyxB", False, "the same documents in another order", None),
        ("ABxy", "ABxy", False, "same top 4; the difference lies below", None),
        ("xy", "yz", True, "no relevant result in either top 4", None),
        ("AxBy", "AxCy", False, "other relevant results in the top 4", None),
        ("AxB", "AzxB", False, "relevant results moved down", None),
        ("AzxB", "AxB", True, "relevant results moved up", None),
        (
            "Axyz",
            "xA1",
            False,
            "best relevant result from rank 1 to 2; the new one is unjudged",
            "first relevant at rank 1 → 2; 0 → 1 unjudged",
        ),
    ],
)
def test_what_differs_is_said(before, after, won, sentence, brief):
    found = reason(before, after, won=won)
    assert found.sentence == sentence
    assert found.brief == (sentence if brief is None else brief)


def test_counts_are_of_the_lists():
    found = reason("ABx1", "xC23")
    assert (found.n_left, found.n_entered) == (2, 1)
    assert (found.n_new, found.n_new_unjudged) == (3, 2)
    assert (found.n_unjudged_baseline, found.n_unjudged_system) == (1, 2)
    assert (found.best_baseline, found.best_system) == (1, 2)
    assert not found.same_documents


def test_a_win_is_not_blamed_on_unjudged_documents():
    assert reason("xyz", "A123", won=True).brief == "0 → 1 relevant"


def test_it_is_said_in_chinese():
    with using_language("zh"):
        assert reason("Axyz", "xyzA").sentence == "首个相关结果由第 1 位降至第 4 位"


LISTS = st.text(st.sampled_from("ABCxyz123"), max_size=10).map(lambda t: "".join(dict.fromkeys(t)))


@given(LISTS, LISTS, st.booleans())
def test_there_is_always_a_short_reason(before, after, won):
    found = reason(before, after, won=won, k=10)
    # About a line of a telephone, such as "10 → 9 relevant, first 9 → 10; 10 unjudged".
    assert 1 <= len(found.brief) <= 48
    assert found.sentence
    assert "." not in found.sentence
