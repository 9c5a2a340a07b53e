"""The measures that do not decide: which rise, which fall, and what that changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

import rankreport as rr
from rankreport.comparison import Action
from rankreport.comparison.other_measures import OtherMeasure, others_in_words
from rankreport.text import using_language

QUERIES = [f"q{at}" for at in range(40)]
LISTS = {"same": ["r", "n", "m", "o"], "deep": ["n", "r", "s", "m"], "late": ["n", "r", "m", "o"]}


def compared(moved, measures=("P@2", "RR", "R@3"), **options):
    """Compare lists that are moved in every other query: P@2 is the same, RR is 1/2, not 1."""
    qrels = {query: {"r": 1, "s": 1, "t": 1, "n": 0, "m": 0, "o": 0} for query in QUERIES}
    old = dict.fromkeys(QUERIES, LISTS["same"])
    new = {query: LISTS[moved if at % 2 else "same"] for at, query in enumerate(QUERIES)}
    return rr.compare(qrels, {"old": old, "new": new}, measures=measures, **options)


def test_a_trade_off_is_named_where_the_primary_measure_is_tied():
    comparison = compared("deep")
    decided = comparison.decision.verdict
    fallen, risen = decided.others
    assert (fallen.measure, fallen.delta, fallen.moves) == ("RR", -0.25, -1)
    assert (risen.measure, risen.moves) == ("R@3", 1)
    assert risen.delta == pytest.approx(1 / 6)
    assert (decided.word, decided.is_trade_off) == ("unchanged", True)
    assert decided.action is Action.KEEP_OR_WEIGH
    disagree = "Measures disagree on new (RR falls, R@3 rises): keep old, unless"
    assert comparison.verdict().action == f"{disagree} what improves matters more."
    screen = rr.report(comparison)._summary.page.screen
    assert screen.headline == "new and old are equal on P@2, but RR falls, R@3 rises"
    assert screen.measures == "Other measures: RR -0.250 falls, R@3 +0.167 rises."
    assert f"\n- {disagree}" in rr.report(comparison).to_markdown().replace("\\", "")
    with using_language("zh"):
        assert "falls" not in comparison.verdict().action


def test_intervals_hold_for_all_measures_at_once():
    # Of two that move on the same queries, as far in their own standard errors, none is wider.
    comparison = compared("deep")
    table = {row["measure"]: row for row in comparison.table().rows(named=True)}
    for each in comparison.decision.verdict.others:
        ends = (table[each.measure]["ci_low"], table[each.measure]["ci_high"])
        assert (each.low, each.high) == pytest.approx(ends)
    example = rr.load_example()
    comparison = rr.compare(rr.evaluate(example.qrels, example.runs), resamples=1_000)
    every = replace(comparison, across="measures").table()
    ends = {tuple(row[:3]): row[3:] for row in every.select(*KEYS, "ci_low", "ci_high").rows()}
    for pair, decided in comparison.decision.pairs.items():
        for each in decided.others:
            assert (each.low, each.high) == pytest.approx(ends[*pair, each.measure])


KEYS = ("baseline", "system", "measure")


def test_a_measure_that_falls_alone_keeps_the_baseline():
    comparison = compared("late", ("P@2", "RR"))
    action = "Other measures are worse for new (RR falls), and none is better: keep old."
    assert comparison.verdict().action == action
    passing = comparison.verdict(gate="pass").action
    allow = "new passes the gate, but RR falls: keep old, or add a requirement that allows it."
    assert passing == allow


@pytest.mark.parametrize(
    ("margin", "action"), [(0.2, Action.KEEP_AS_OTHERS_FALL), (0.3, Action.EQUIVALENT)]
)
def test_a_fall_within_the_margin_does_not_count(margin, action):
    decided = compared("late", ("P@2", "RR"), margin=margin).decision.verdict
    assert [each.moves for each in decided.others] == [-1]
    assert decided.action is action


def test_an_action_that_favours_a_system_names_what_falls():
    comparison = compared("deep", ("R@3", "RR"))
    assert comparison.verdict().word == "better"
    assert comparison.verdict().action == (
        "Evidence favours new: try it live. But the first relevant result loses places near the "
        "top (RR -0.250): decide what matters more to your users."
    )
    several = rr.compare(comparison.evaluation, pairs="all")
    assert several.verdict().action == comparison.verdict().action


def test_an_action_against_a_system_names_what_rises_and_where_it_is_better():
    action = (
        "Evidence is against new: keep old. But more relevant results are found (R@3 +0.167): "
        "decide what matters more to your users."
    )
    assert compared("deep", ("RR", "R@3")).verdict().action == action
    # Of three queries, the first gains half of RR, which the other two lose.
    lists = (["n", "r", "s"], ["r", "n", "m"])
    names = [f"q{at}" for at in range(120)]
    runs = {
        "old": {name: lists[at % 3 > 0] for at, name in enumerate(names)},
        "new": {name: lists[at % 3 == 0] for at, name in enumerate(names)},
    }
    kinds = {name: "rest" if at % 3 else "first" for at, name in enumerate(names)}
    comparison = rr.compare(
        {name: {"r": 1, "s": 1, "n": 0, "m": 0} for name in names},
        runs,
        measures=["RR", "R@3"],
        segments=kinds,
        resamples=200,
    )
    moves = "(R@3 +0.167); better where segments is first (+0.500): decide what matters more to"
    assert moves in comparison.verdict().action


def test_of_several_systems_each_is_named():
    comparison = compared("deep", ("R@3", "RR"))
    runs = {
        name: {q: LISTS["deep" if at % 2 else "same"] for at, q in enumerate(QUERIES)}
        for name in "ab"
    }
    qrels = {query: {"r": 1, "s": 1, "t": 1, "n": 0, "m": 0, "o": 0} for query in QUERIES}
    old = dict.fromkeys(QUERIES, LISTS["same"])
    comparison = rr.compare(qrels, {"old": old, **runs}, measures=["R@3", "RR"])
    both = "a: RR falls; b: RR falls"
    assert comparison.verdict().action.endswith(
        f"But {both}: decide what matters more to your users."
    )


def test_where_the_data_are_to_be_checked_first_no_measure_moves():
    decided = compared("deep").decision.verdict
    assert replace(decided, severity="stop", found=replace(decided.found, n_changed=1)).falls == ()


def test_none_falls_is_not_said_where_a_measure_got_worse():
    better = OtherMeasure("AP", "AP", 0.05, 0.02, 0.08, 1, 1, matters=True)
    slower = OtherMeasure("latency", "latency [ms]", 27.5, 20.0, 35.0, -1, 1, matters=True)
    words = "Other measures: AP +0.050 and latency [ms] (lower is better) +27.5 rise."
    assert others_in_words([better, slower]) == words


def test_what_holds_on_these_queries_alone_says_so_of_other_measures():
    fallen, risen = (
        OtherMeasure(n, n, 0.1 * s, 0, 0, 1, s, matters=True) for n, s in (("RR", -1), ("AP", 1))
    )
    seen = replace(risen, measure="R@9", shown="R@9", seen_only=True)
    found = "RR -0.100 falls, AP +0.100 rises, R@9 +0.100 rises on these queries"
    assert others_in_words([fallen, risen, seen]) == f"Other measures: {found}."
    assert replace(seen, measure="P@1", shown="P@1").meaning == (
        "more of the first results are relevant (P@1 +0.100 on these queries)"
    )


def test_less_of_what_is_better_low_is_better_in_every_output():
    # Each list has 2 to 6 of 20 documents that are not relevant in its first 10, or one fewer.
    documents = [f"n{at}" for at in range(20)]
    qrels = {f"q{i}": {"r": 1, **dict.fromkeys(documents, 0)} for i in range(40)}
    old = {f"q{i}": ["r", *documents[: 2 + i % 5]] for i in range(40)}
    new = {
        query: found[:-1] if at % 4 else found[:-2] for at, (query, found) in enumerate(old.items())
    }
    comparison = rr.compare(qrels, {"old": old, "new": new}, measures=["RR", "FallOut@10"])
    row = comparison.table().row(1, named=True)
    assert (row["measure"], row["wins"], row["losses"]) == ("FallOut@10", 40, 0)
    assert row["delta"] < row["ci_high"] < 0
    assert row["caution"] == "better on these queries"
    screen = rr.report(comparison)._summary.page.screen
    assert "FallOut@10 (lower is better) -0.062 falls on these queries" in screen.measures
    turned = rr.compare(comparison.evaluation, baseline="new").table().row(1, named=True)
    assert turned["caution"] == "worse on these queries"
    gate = rr.gate(comparison, "FallOut@10 < 0")
    assert (gate.outcome, gate.findings[0].unseen.lost) == ("inconclusive", True)
    assert "cannot exclude that up to 8.8 % of all queries lose the most" in repr(gate)
