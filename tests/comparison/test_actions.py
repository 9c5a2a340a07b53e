"""The action: one for every situation, from one table, and its words."""

from itertools import product
from typing import get_args

import pytest

from rankreport.comparison import ACTIONS, SEVERAL, Action, PairDecision
from rankreport.comparison.actions import (
    NAMES_MOVES,
    OPEN,
    GateOutcome,
    Situation,
    Size,
    Worst,
    action_in_words,
    action_of,
    size_of,
)
from rankreport.comparison.difference import Difference, Word

SITUATIONS = [
    Situation(*each)
    for each in product(get_args(Word), get_args(Worst), get_args(GateOutcome), get_args(Size))
]


def told(situation, *systems, rivals=()):
    return action_in_words(
        action_of(situation),
        systems=systems or ["dense"],
        baseline="bm25",
        rivals=rivals,
        cautions="equal scores",
    )


FLAGS = ("tied", "mostly_positive", "falls", "rises", "silence")


def test_every_situation_has_an_action_and_every_action_words():
    of_several = {Action.JUDGE_AND_BREAK_TIES, Action.JUDGE_TO_CHOOSE, Action.CHOOSE}
    of_several |= {Action.CHECK_SYSTEMS, Action.CHOOSE_EQUAL, *OPEN.values()}
    of_several |= {Action.BREAK_TIES_TO_CHOOSE, Action.BREAK_TIES_FOR_GATE}
    found = {
        action_of(each, **dict(zip(FLAGS, flags, strict=True)))
        for each in SITUATIONS
        for flags in product((True, False), repeat=len(FLAGS))
    }
    assert found | of_several == {*Action}
    by_data = {Action.BREAK_TIES, Action.JUDGE_BOTH}
    by_data |= NAMES_MOVES
    assert {action for *_, action in ACTIONS} | of_several | by_data == {*Action}


@pytest.mark.parametrize("situation", SITUATIONS, ids=str)
def test_nothing_is_recommended_against_the_evidence(situation):
    text = told(situation)
    goes_live = "try it live" in text or "ship it if" in text or "may replace" in text
    if situation.worst == "stop" or situation.word in {"check first", "worse", "unchanged"}:
        assert not goes_live
    if situation.gate in {"fail", "inconclusive"}:
        assert not goes_live
        assert situation.word != "worse" or "choose" not in text
    if situation.gate == "pass":
        assert "keep" not in text
    if goes_live and situation.word == "better" and situation.worst == "look":
        assert "cautions" in text


def test_the_verdict_on_dense_in_the_plainest_case():
    assert told(Situation("better", "none", "none", "judged")) == (
        "Evidence favours dense: try it live."
    )


@pytest.mark.parametrize("action", [*OPEN.values(), *SEVERAL], ids=str)
def test_none_of_several_systems_is_picked_where_it_is_open_which_is_best(action):
    two = ["dense", "rm3"]
    fields = {"systems": two, "baseline": "bm25", "cautions": "equal scores"}
    text = action_in_words(action, rivals=two, **fields)
    assert "dense and rm3" in text
    assert "{" not in text
    many = [f"s{at}" for at in range(9)]
    assert "9 systems" in action_in_words(action, rivals=many, **{**fields, "systems": many})


def difference(n, low, high, margin=None):
    mean = (low + high) / 2
    return Difference("new", "old", "RR", n, n, mean, low, high, 0.95, 0.01, 1.0, margin)


@pytest.mark.parametrize(
    ("found", "size"),
    [
        (difference(5_000, 0.001, 0.008), "not judged"),
        (difference(5_000, 0.001, 0.008, margin=0.01), "within"),
        (difference(5_000, 0.001, 0.012, margin=0.01), "judged"),
        (difference(5_000, 0.001, 0.02), "judged"),
        (difference(500, 0.001, 0.008), "judged"),
        (difference(5_000, -0.008, -0.001), "not judged"),
    ],
)
def test_a_small_difference_of_thousands_of_queries_was_not_judged_for_its_size(found, size):
    assert size_of(found) == size
    assert ("was not judged" in told(PairDecision(found).situation)) == (size == "not judged")


@pytest.mark.parametrize(
    ("low", "reversible", "action"),
    [
        (-0.02, True, Action.BREAK_TIES),
        (-0.02, False, Action.KEEP_OR_EVALUATE),
        (0.01, False, Action.TRY_LIVE),
        (0.01, True, Action.CHECK_DATA),
    ],
)
def test_ties_are_broken_before_more_queries_are_evaluated(low, reversible, action):
    decided = PairDecision(difference(100, low, 0.03), reversible=reversible)
    assert decided.action is action
