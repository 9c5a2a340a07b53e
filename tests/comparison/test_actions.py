"""The action line: one for every situation, from one table."""

from itertools import product
from typing import get_args

import pytest

from rankreport.comparison import ACTIONS, action
from rankreport.comparison.actions import GateOutcome, Situation, Size, Worst, situation_of
from rankreport.comparison.verdict import Difference, Word
from rankreport.text import Caution

SITUATIONS = [
    Situation(*each)
    for each in product(get_args(Word), get_args(Worst), get_args(GateOutcome), get_args(Size))
]


def told(situation):
    return action(situation, system="dense", baseline="bm25", cautions="equal scores")


def test_every_situation_has_an_action_and_every_action_a_situation():
    said = {told(situation) for situation in SITUATIONS}
    names = {"system": "dense", "baseline": "bm25", "cautions": "equal scores"}
    meant = {message.format(**names) for *_, message in ACTIONS}
    assert said == meant


@pytest.mark.parametrize("situation", SITUATIONS, ids=str)
def test_nothing_is_recommended_against_the_evidence(situation):
    text = told(situation)
    goes_live = "try it live" in text or "ship it if" in text or "may replace" in text
    if situation.worst == "stop" or situation.word in {"check first", "worse", "unchanged"}:
        assert not goes_live
    if situation.gate == "fail":
        assert not goes_live
    if goes_live and situation.word == "better" and situation.worst == "look":
        assert "cautions" in text


def test_the_verdict_on_dense_in_the_plainest_case():
    assert told(Situation("better", "none", "none", "judged")) == (
        "Evidence favours dense: try it live."
    )


def difference(n, low, high, margin=None):
    mean = (low + high) / 2
    return Difference("new", "old", "RR", n, n, mean, low, high, 0.95, 0.01, 1.0, margin)


@pytest.mark.parametrize(
    ("found", "size"),
    [
        (difference(5_000, 0.001, 0.008), "not judged"),
        (difference(5_000, 0.001, 0.008, margin=0.01), "judged"),
        (difference(5_000, 0.001, 0.02), "judged"),
        (difference(500, 0.001, 0.008), "judged"),
        (difference(5_000, -0.008, -0.001), "not judged"),
    ],
)
def test_a_small_difference_of_thousands_of_queries_was_not_judged_for_its_size(found, size):
    situation = situation_of(found, [])
    assert situation.size == size
    assert ("was not judged" in told(situation)) == (size == "not judged")


def test_the_worst_caution_counts():
    cautions = [Caution("a", "note", "x"), Caution("b", "look", "y")]
    assert situation_of(difference(50, 0.1, 0.2), cautions, "pass") == (
        "better",
        "look",
        "pass",
        "judged",
    )
