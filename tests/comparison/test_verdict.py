"""What a difference means, in words: every sentence, and the numbers in it."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

import rankreport as rr
from rankreport import statistics
from rankreport.comparison import PairDecision
from rankreport.comparison.actions import action_in_words, titles_of
from rankreport.comparison.difference import Difference
from rankreport.comparison.paired_differences import contrasts_of
from rankreport.comparison.verdict import judge_difference, verdict_lines
from rankreport.text import Caution, worst_first

CLEAR = Difference(
    system="dense",
    baseline="bm25",
    measure="nDCG@10",
    n_queries=200,
    n_changed=120,
    delta=0.02134,
    ci_low=0.01249,
    ci_high=0.03051,
    confidence=0.95,
    detectable=0.0123,
)


def verdict_on(**changes):
    verdict = judge_difference(replace(CLEAR, **changes))
    return verdict.word, str(verdict)


def parts(**changes):
    verdict = judge_difference(replace(CLEAR, **changes))
    return verdict.word, verdict.sentence, verdict.detail


def test_better():
    word, sentence = verdict_on()
    assert word == "better"
    assert sentence == (
        "dense is better than bm25 on nDCG@10: "
        "+0.021 (95 % interval +0.012 to +0.031), 200 queries."
    )


def test_worse():
    word, sentence = verdict_on(delta=-0.0213, ci_low=-0.03, ci_high=-0.0121)
    assert word == "worse"
    assert sentence == (
        "dense is worse than bm25 on nDCG@10: -0.021 (95 % interval -0.030 to -0.012), 200 queries."
    )


def test_unchanged():
    assert verdict_on(n_changed=0, delta=0.0, ci_low=None, ci_high=None, detectable=None) == (
        "unchanged",
        "dense and bm25 are equal on nDCG@10: none of the 200 queries changed.",
    )


def test_one_query_is_not_told_as_several():
    alone = {"delta": 0.0, "ci_low": None, "ci_high": None, "detectable": None}
    assert verdict_on(n_queries=1, n_changed=0, **alone) == (
        "unchanged",
        "dense and bm25 are equal on nDCG@10: the only query did not change.",
    )


def test_inconclusive_says_what_could_have_been_detected():
    assert parts(ci_low=-0.001) == (
        "inconclusive",
        (
            "The data cannot tell whether dense is better or worse than bm25 on nDCG@10: "
            "+0.021 (95 % interval -0.001 to +0.031), 200 queries."
        ),
        "A true difference under 0.012 would often be missed with 200 queries.",
    )


def test_nothing_is_said_of_how_many_queries_the_difference_found_takes():
    """Of 12 to 42 % of pilots, such a range held the truth."""
    _, sentence = verdict_on(ci_low=-0.001, delta=0.0034)
    assert sentence.endswith(
        "200 queries. A true difference under 0.012 would often be missed with 200 queries."
    )


def test_a_small_detectable_difference_is_not_printed_as_zero():
    assert (
        "A true difference under 0.0001 would" in verdict_on(ci_low=-0.001, detectable=0.000123)[1]
    )


def test_too_few_changed_queries_are_named_as_the_reason():
    # 10 changed queries at the rate of 9 in 200: 222.2 queries, so 223.
    few = {"detectable": None}
    assert parts(n_changed=9, **few) == (
        "inconclusive",
        (
            "The data cannot tell whether dense is better or worse than bm25 on nDCG@10: "
            "+0.021 (95 % interval +0.012 to +0.031), 200 queries."
        ),
        "A verdict needs 10 changed queries or more: only 9 queries changed.",
    )
    assert parts(n_changed=1, **few)[2].endswith("or more: only 1 query changed.")
    assert parts(n_changed=9, ci_low=-0.02, margin=0.001, **few)[2] == (
        "Better or worse needs 10 changed queries or more, at this rate 223 queries: only 9 "
        "queries changed."
    )


def test_with_too_few_changed_queries_nothing_is_said_of_what_they_could_reveal():
    detail = parts(n_changed=9)[2]
    assert detail.endswith("or more: only 9 queries changed.")
    assert "reveal" not in detail


@pytest.mark.parametrize(
    ("widest", "words"),
    [
        (0.0124, "A true difference under 0.012 would often be missed"),
        (
            0.0123,
            "even the largest possible difference in nDCG@10 would often be missed.",
        ),
        (None, "A true difference under 0.012 would often be missed"),
        (float("inf"), "A true difference under 0.012 would often be missed"),
    ],
)
def test_no_difference_is_promised_that_the_measure_does_not_allow(widest, words):
    assert words in parts(ci_low=-0.001, widest=widest)[2]


def test_a_mean_difference_is_no_wider_than_the_range_of_the_measure():
    # Of two queries, one won and one lost by as much as can be: the spread is as wide as it gets.
    qrels = {f"q{i}": {"r": 1} for i in range(12)}
    found, lost = {"r": 1.0}, {"x": 1.0}
    old = {f"q{i}": found if i % 2 else lost for i in range(12)}
    new = {f"q{i}": lost if i % 2 else found for i in range(12)}
    verdict = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, ["RR"])).verdict()
    # sqrt(12 / 11) times the 0.89 that 12 queries take for a standardised difference: 0.93 < 1.
    assert re.search(
        r"difference under 0\.9\d+ would often be missed with 12 queries", str(verdict)
    )


@pytest.mark.parametrize(
    ("n", "options", "word"),
    [
        (1, {}, "inconclusive"),
        (9, {}, "inconclusive"),
        (10, {}, "worse"),  # 2 / 2^10 = 0.002
        (10, {"confidence": 0.999}, "inconclusive"),
        (30, {"confidence": 0.999}, "worse"),
    ],
)
def test_equal_losses_on_a_measure_without_bounds_are_worse(n, options, word):
    # CG@2 has no upper bound: 3 against 1 for every query.
    qrels = {f"q{i}": {"a": 2, "b": 1, "c": 0} for i in range(n)}
    runs = {
        name: {query: {"b": 2.0, other: 1.0} for query in qrels}
        for name, other in (("old", "a"), ("new", "c"))
    }
    evaluation = rr.evaluate(qrels, runs, ["CG@2"])
    compared = rr.compare(evaluation, baseline="old", **options)
    verdict = compared.verdict()
    assert verdict.word == word
    if word == "worse":
        assert verdict.sentence == f"new is worse than old on CG@2: -2.000, {n} queries."
        assert verdict.detail == "All differences are equal, so no interval can be computed."
    turned = rr.compare(evaluation, baseline="new", **options)
    assert turned.verdict().word == {"worse": "better"}.get(word, word)
    same = rr.leaderboard(compared).indistinguishable
    assert same == (() if word == "worse" else ("new",))


def test_equal_differences_on_a_measure_with_bounds_have_an_exact_interval():
    queries = [f"q{i}" for i in range(12)]
    lists = {"old": ["a", "d2"], "new": ["d2", "d3", "a"]}
    runs = {name: dict.fromkeys(queries, ranked) for name, ranked in lists.items()}
    qrels = {query: {"a": 1, "d3": 1} for query in queries}
    found = rr.compare(qrels, runs, ["AP"])
    # AP rises from 1/2 to (1/2 + 2/3) / 2; others may lie anywhere from -1 to 1.
    unseen, delta = 1 - 0.025 ** (1 / 12), 1 / 12
    ends = [(1 - unseen) * delta + sign * unseen for sign in (-1, 1)]
    assert found.to_polars().select("ci_low", "ci_high").row(0) == pytest.approx(ends)
    assert "no interval" not in str(found)
    assert found.verdict().detail.startswith("All differences are equal, which leaves room for")
    assert "Intervals: exact binomial, as all differences are equal. p:" in str(found)
    qrels["q0"]["elsewhere"] = 1  # now AP varies
    mixed = str(rr.compare(qrels, runs, ["AP", "RR"]))
    assert "in closed form. Where all differences are equal: exact binomial. p:" in mixed


def test_equal_differences_of_very_many_pairs_may_be_chance():
    equal = {"n_changed": 10, "delta": 0.5, "ci_low": None, "ci_high": None, "detectable": None}
    assert verdict_on(**equal)[0] == "better"
    assert verdict_on(**equal, n_simultaneous=45)[0] == "inconclusive"


def test_nothing_defined_is_not_equal():
    nothing = {"n_queries": 0, "n_changed": 0, "delta": None, "ci_low": None, "ci_high": None}
    word, sentence = verdict_on(**nothing, detectable=None)
    assert word == "inconclusive"
    assert sentence.endswith(
        "whether dense is better or worse than bm25 on nDCG@10: "
        "no query has a value for both systems."
    )
    assert replace(CLEAR, **nothing).caution == "no query has a value for both systems"


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (1e-9, 0.1, "better"),
        (0.0, 0.1, "inconclusive"),
        (-0.1, 0.0, "inconclusive"),
        (-0.1, -1e-9, "worse"),
        (-0.1, 0.1, "inconclusive"),
        (float("-inf"), -0.01, "worse"),
        (float("-inf"), 0.01, "inconclusive"),
    ],
)
def test_the_interval_alone_decides(low, high, word):
    assert verdict_on(ci_low=low, ci_high=high)[0] == word


@pytest.mark.parametrize(
    ("n_changed", "words"),
    [
        (0, "no query changed"),
        (1, "1 of 200 changed: too few for a verdict"),
        (9, "9 of 200 changed: too few for a verdict"),
        (10, "10 of 200 changed: interval may be too narrow"),
        (19, "19 of 200 changed: interval may be too narrow"),
        (20, ""),
        (200, ""),
    ],
)
def test_cautions(n_changed, words):
    assert replace(CLEAR, n_changed=n_changed).caution == words


def test_one_query_is_not_queries():
    assert ", 1 query. " in verdict_on(n_queries=1, n_changed=1)[1]


def test_the_confidence_is_the_one_asked_for():
    assert "(99.9 % interval " in verdict_on(confidence=0.999)[1]
    assert "(80 % interval " in verdict_on(confidence=0.8)[1]


@pytest.mark.parametrize("n_queries", [12, 40, 160])
def test_the_power_figure_is_a_little_more_than_that_of_statsmodels(n_queries):
    places = np.random.default_rng(3).integers(1, 5, size=(2, n_queries))
    lists = [
        {
            f"q{i}": {("r" if rank == place else f"x{rank}"): -float(rank) for rank in range(1, 5)}
            for i, place in enumerate(row)
        }
        for row in places
    ]
    qrels = {f"q{i}": {"r": 1} for i in range(n_queries)}
    comparison = rr.compare(rr.evaluate(qrels, {"old": lists[0], "new": lists[1]}, ["RR"]))
    verdict = comparison.verdict()
    assert verdict.word == "inconclusive"
    match = re.search(
        r"difference under (\d\.\d{3}) would often be missed with (\d+) queries", str(verdict)
    )
    deltas = 1 / places[1] - 1 / places[0]
    effect = TTestPower().solve_power(nobs=n_queries, alpha=0.05, power=0.8)
    assert int(match[2]) == n_queries
    # A little more than the t-test detects, for rare failures are allowed for, and the skewness of
    # the differences in the direction in which it makes one harder to detect.
    assert 1 < float(match[1]) / (deltas.std(ddof=1) * effect) < 1.1


def test_several_systems_detect_larger_differences_alone():
    places = np.random.default_rng(4).integers(1, 5, size=(2, 60))
    lists = [
        {
            f"q{i}": {("r" if rank == place else f"x{rank}"): -float(rank) for rank in range(1, 5)}
            for i, place in enumerate(row)
        }
        for row in places
    ]
    qrels = {f"q{i}": {"r": 1} for i in range(60)}
    runs = {"old": lists[0], "new": lists[1], "twin": lists[1]}
    detected, levels = {}, {}
    deltas = 1 / places[1] - 1 / places[0]
    for correction in ("max-t", "holm", "bh", "none"):
        made = rr.compare(rr.evaluate(qrels, runs, ["RR"]), correction=correction, resamples=1000)
        found = re.search(r"difference under (\d\.\d{3}) would", str(made.verdict()))
        detected[correction] = float(found[1])
        (levels[correction],) = set(contrasts_of(made).levels(0.95))
        effect = TTestPower().solve_power(nobs=60, alpha=1 - levels[correction], power=0.8)
        assert 1 < float(found[1]) / (deltas.std(ddof=1) * effect) < 1.08
    # Two that are the same cost, by max-t, hardly more than one, and Bonferroni's level twice.
    assert levels["holm"] == levels["bh"] == 0.975
    assert detected["holm"] == detected["bh"] > detected["max-t"] > detected["none"]
    assert levels["none"] == 0.95
    in_order = deltas[sorted(range(60), key=lambda i: f"q{i}")]  # draws are of rows
    twice = np.column_stack([in_order, in_order])
    drawn = statistics.replicate_means(twice, resamples=1000, seed=0)
    (level, _) = statistics.max_t_level(twice, drawn, 0.95, n_tests=2)
    assert levels["max-t"] == pytest.approx(level, rel=1e-9)
    assert 0.95 <= level < 0.96


# --- margins: what is no worse, and what is as good as equal ------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.02, 0.03, "better"),
        (0.002, 0.008, "better"),  # though within the margin
        (-0.008, -0.002, "worse"),
        (-0.03, -0.02, "worse"),
        (-0.008, 0.008, "equivalent"),
        (0.0, 0.008, "equivalent"),
        (-0.008, 0.01, "no worse"),  # the margin itself is not within it
        (-0.008, 0.03, "no worse"),
        (-0.01, 0.008, "inconclusive"),
        (-0.03, 0.03, "inconclusive"),
    ],
)
def test_a_margin_adds_answers_and_takes_none_away(low, high, word):
    assert verdict_on(ci_low=low, ci_high=high, margin=0.01)[0] == word
    without = verdict_on(ci_low=low, ci_high=high)[0]
    assert without == (word if word in {"better", "worse"} else "inconclusive")


def test_no_worse():
    assert parts(ci_low=-0.004, margin=0.01) == (
        "no worse",
        (
            "dense is no worse than bm25 on nDCG@10, within the margin: +0.021 "
            "(95 % interval -0.004 to +0.031), 200 queries, margin 0.010."
        ),
        "",
    )


def test_equivalent():
    assert parts(ci_low=-0.004, ci_high=0.006, delta=0.001, margin=0.01) == (
        "equivalent",
        (
            "dense and bm25 are equivalent on nDCG@10, within the margin: +0.001 "
            "(95 % interval -0.004 to +0.006), 200 queries, margin 0.010."
        ),
        "",
    )


def test_a_difference_that_is_clear_and_small_is_called_both():
    assert verdict_on(ci_low=-0.008, ci_high=-0.002, delta=-0.005, margin=0.01) == (
        "worse",
        (
            "dense is worse than bm25 on nDCG@10, by less than the margin: -0.005 "
            "(95 % interval -0.008 to -0.002), 200 queries, margin 0.010."
        ),
    )
    assert "by less" not in verdict_on(ci_low=-0.011, ci_high=-0.002, delta=-0.005, margin=0.01)[1]


def test_unchanged_within_a_margin_is_equivalent():
    nothing = {"n_changed": 0, "delta": 0.0, "ci_low": None, "ci_high": None, "detectable": None}
    # That none of so few changed does not say that hardly any would.
    assert parts(**nothing, margin=0.01)[0] == "unchanged"
    ends = {"deciding_low": -0.009, "deciding_high": 0.009}
    assert parts(**nothing, **ends, margin=0.01) == (
        "equivalent",
        (
            "dense and bm25 are equivalent on nDCG@10, within the margin: none of the 200 "
            "queries changed, margin 0.010."
        ),
        "",
    )


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"ci_low": 0.002, "ci_high": 0.008}, "equivalent"),
        ({"ci_low": -0.008, "ci_high": -0.002}, "equivalent"),
        ({"ci_low": 0.002, "ci_high": 0.03}, "no worse"),
        ({"ci_low": -0.03, "ci_high": -0.002}, "inconclusive"),
    ],
)
def test_few_changed_queries_allow_no_more_than_alike(changes, word):
    assert verdict_on(**changes, n_changed=9, margin=0.01)[0] == word


def test_few_changed_queries_are_a_caution_of_alike():
    alike = {"ci_low": -0.004, "margin": 0.01}
    assert parts(**alike, n_changed=9)[2] == ""
    found = replace(CLEAR, **alike, n_changed=9)
    assert found.caution == "9 of 200 changed: too few for better or worse"


def test_without_an_interval_there_is_no_alike():
    assert verdict_on(delta=0.001, ci_low=None, ci_high=None, detectable=None, margin=0.01)[0] == (
        "inconclusive"
    )
    nothing = {"n_queries": 0, "n_changed": 0, "delta": None, "ci_low": None, "ci_high": None}
    assert verdict_on(**nothing, margin=0.01)[0] == "inconclusive"


@pytest.mark.parametrize(
    ("needed", "words"),
    [
        (345.0, "is no worse, within the margin of 0.010, takes 345 queries."),
        (float("inf"), "takes more than 1,000,000 queries."),
        (200.0, "missed with 200 queries."),
        (None, "missed with 200 queries."),
    ],
)
def test_inconclusive_says_how_many_queries_the_margin_takes(needed, words):
    assert parts(ci_low=-0.02, margin=0.01, margin_needed=needed)[2].endswith(words)


@pytest.mark.parametrize(
    ("margin", "shown"),
    [(0.01, "0.010"), (0.0125, "0.0125"), (2.0, "2.000"), (0.1 + 0.2, "0.300"), (2e-5, "0.00002")],
)
def test_the_margin_is_printed_as_it_was_given(margin, shown):
    assert (
        f", margin {shown}." in verdict_on(ci_low=-margin / 2, ci_high=margin / 2, margin=margin)[1]
    )


@given(st.floats(-0.0119, 0.0119), st.floats(0, 0.004), st.integers(1, 12))
def test_no_end_is_printed_on_a_side_of_the_margin_where_it_is_not(low, width, thousandths):
    margin = thousandths / 1000
    ends = low, low + width
    printed = verdict_on(ci_low=ends[0], ci_high=ends[1], delta=low, margin=margin)[1]
    shown = re.search(r"interval (\S+) to (\S+?)\)", printed)
    for text, end in zip(shown.groups(), ends, strict=True):
        for limit in (-margin, margin):
            if abs(end - limit) > 1e-6:  # beyond the most decimals that are printed
                assert (float(text) < limit) == (end < limit)
                assert (float(text) > limit) == (end > limit)


# --- a few queries that make much of a difference -----------------------------------------------


@pytest.mark.parametrize(
    ("first", "top", "words"),
    [
        (0.5, 0.9, "one query accounts for 50 % of the difference"),
        (1.0, 1.2, "one query accounts for 100 % of the difference"),
        (1.01, 1.2, "one query accounts for more than the whole difference"),
        (0.49, 1.0, "five queries account for 100 % of the difference"),
        (0.3, 1.5, "five queries account for more than the whole difference"),
        (0.49, 0.99, ""),
        (None, None, ""),
    ],
)
def test_much_by_few_is_a_caution(first, top, words):
    found = replace(CLEAR, n_changed=20, first_share=first, top_share=top)
    assert found.caution == words
    assert replace(found, ci_low=-0.001).caution == ""
    assert replace(found, ci_low=0.0).caution == ""


def test_five_of_few_changed_queries_say_nothing():
    found = replace(CLEAR, n_changed=19, first_share=0.2, top_share=1.7)
    assert found.caution == "19 of 200 changed: interval may be too narrow"
    assert replace(found, first_share=0.6).caution == (
        "19 of 200 changed: interval may be too narrow; one query accounts for 60 % of the "
        "difference"
    )
    # Too few for a verdict is reason enough to mind.
    assert replace(found, n_changed=9, first_share=0.6).caution == (
        "9 of 200 changed: too few for a verdict"
    )


# --- what to do -------------------------------------------------------------------------------


LOOK = Caution("few_changed", "look", "Few queries changed.", title="few queries changed")
STOP = Caution("same_scores", "stop", "Identical scores.")


@pytest.mark.parametrize(
    ("changes", "cautions", "words"),
    [
        ({}, [], "Evidence favours dense: try it live."),
        (
            {},
            [LOOK],
            "Evidence favours dense: look at the cautions (few queries changed), then try it live.",
        ),
        ({}, [LOOK, STOP], "Check the data before you act on this result."),
        ({"ci_low": -0.03, "ci_high": -0.01}, [], "Evidence is against dense: keep bm25."),
        (
            {"ci_low": -0.001},
            [],
            "Not enough evidence either way: keep bm25, or evaluate more queries.",
        ),
        ({"n_changed": 9}, [], "Not enough evidence either way"),
        ({"ci_low": -0.001, "margin": 0.01}, [], "ship it if that is enough."),
        (
            {"ci_low": -0.001, "margin": 0.1},
            [],
            "dense is equivalent to bm25 within the margin: choose on other grounds.",
        ),
        ({"n_changed": 0}, [], "No query changed with dense: choose on other grounds."),
        (
            {"on_judged": replace(CLEAR, ci_low=-0.01)},
            [],
            "Judge the unjudged documents first; keep bm25 until then.",
        ),
    ],
)
def test_the_action_goes_as_far_as_the_evidence(changes, cautions, words):
    severity = next(iter(worst_first(cautions)), Caution("", "note", "")).severity
    decided = PairDecision(replace(CLEAR, **changes), severity)
    titles = titles_of(cautions, severity)
    named = {"systems": ["dense"], "baseline": "bm25", "cautions": titles}
    assert words in action_in_words(decided.action, **named)


# --- documents that nobody judged ---------------------------------------------------------------


JUDGED = replace(CLEAR, delta=0.004, ci_low=-0.01, ci_high=0.018)


@pytest.mark.parametrize(
    ("ends", "judged_ends", "word"),
    [
        ((0.01, 0.03), (0.001, 0.02), "better"),
        ((0.01, 0.03), (-0.01, 0.02), "check first"),
        ((0.01, 0.03), (-0.02, -0.01), "check first"),
        ((-0.03, -0.01), (-0.02, -0.01), "worse"),
        ((-0.03, -0.01), (-0.02, 0.01), "check first"),
        ((-0.01, 0.03), (-0.01, 0.02), "inconclusive"),
        ((-0.01, 0.03), (0.001, 0.02), "check first"),
    ],
)
def test_a_verdict_that_judged_documents_do_not_share_is_to_be_checked_first(
    ends, judged_ends, word
):
    found, other = (replace(CLEAR, ci_low=low, ci_high=high) for low, high in (ends, judged_ends))
    both = replace(found, on_judged=other)
    assert both.word == judge_difference(both).word == word
    assert both.by_interval == found.word


def test_both_figures_stand_in_the_sentence():
    verdict = judge_difference(replace(CLEAR, on_judged=JUDGED, lowest=-0.05, highest=0.03))
    assert verdict.word == "check first"
    assert verdict.sentence == (
        "dense is better than bm25 on nDCG@10: +0.021 (95 % interval +0.012 to +0.031), 200 "
        "queries. But on judged documents alone it is inconclusive: +0.004 (95 % interval -0.010 "
        "to +0.018)."
    )
    assert replace(CLEAR, on_judged=JUDGED).caution == ("judged only: +0.004 (-0.010 to +0.018)")
    same = replace(CLEAR, on_judged=replace(JUDGED, ci_low=0.001))
    assert judge_difference(same).sentence == judge_difference(CLEAR).sentence


# --- several differences ------------------------------------------------------------------------


def test_of_several_differences_the_sentence_says_for_how_many_the_interval_holds():
    assert (
        "(95 % interval +0.012 to +0.031, simultaneous for 3 differences), 200 queries"
        in (verdict_on(n_simultaneous=3)[1])
    )
    assert "simultaneous" not in verdict_on()[1]


def test_others_are_named_by_what_is_known_of_them_the_best_first():
    lost = replace(CLEAR, delta=-0.02, ci_low=-0.03, ci_high=-0.01)
    open_ = replace(CLEAR, delta=0.03, ci_low=-0.01, ci_high=0.07)
    others = {
        "lost": lost,
        "won": CLEAR,
        "open": open_,
        "won more": replace(CLEAR, delta=0.025),
        "same": replace(CLEAR, n_changed=0, delta=0.0, ci_low=None, ci_high=None),
        "unjudged": replace(CLEAR, on_judged=JUDGED),
    }
    others = {name: PairDecision(found) for name, found in others.items()}
    assert verdict_lines(others) == [
        "Better: won more (+0.025), won (+0.021).",
        "Worse: lost (-0.020).",
        "Better overall, unclear on judged documents: unjudged (+0.021).",
        "Inconclusive: open (+0.030).",
        "Unchanged: same (0.000).",
    ]
    many = {f"s{n:02}": PairDecision(replace(CLEAR, delta=0.5 - n / 100)) for n in range(15)}
    [line] = verdict_lines(many)
    assert line.endswith(", s11 (+0.390), and 3 more.")
    assert verdict_lines({}) == []


# --- ends that are drawn ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "numbers"),
    [
        # A unit of the last decimal is at least the error.
        (None, "+0.021 (95 % interval +0.012 to +0.031)"),
        (0.0, "+0.021 (95 % interval +0.012 to +0.031)"),
        (0.001, "+0.021 (95 % interval +0.012 to +0.031)"),
        (0.0011, "+0.02 (95 % interval +0.01 to +0.03)"),
    ],
)
def test_decimals_that_another_seed_would_change_are_not_printed(error, numbers):
    assert replace(CLEAR, end_error=error).numbers == numbers


def test_an_end_is_printed_on_its_side_of_0_however_rough_it_is():
    found = replace(CLEAR, ci_low=0.0004, end_error=0.01)
    assert found.numbers == "+0.0213 (95 % interval +0.0004 to +0.0305)"


# --- how it shows itself ------------------------------------------------------------------------


def test_a_verdict_shows_itself_and_keeps_hostile_names_harmless():
    assert str(judge_difference(CLEAR)) == judge_difference(CLEAR).sentence
    verdict = judge_difference(replace(CLEAR, system="<b>new\u202e</b>\n"))
    bundle = verdict._repr_mimebundle_()
    assert bundle["text/plain"].startswith("<b>new⟨U+202E⟩</b>⟨U+000A⟩ is better than bm25")
    opening = '<p class="mathjax_ignore"><b>Better.</b> &lt;b&gt;new⟨U+202E⟩&lt;/b&gt;'
    assert bundle["text/html"].startswith(opening)
    assert html.unescape(bundle["text/html"]).count("<b>") == 2


def test_a_detail_follows():
    verdict = judge_difference(replace(CLEAR, ci_low=-0.001, baseline="<i>old"))
    shown = verdict._repr_mimebundle_()
    (only,) = shown["text/html"].split("\n")
    assert "200 queries. A true difference under" in only
    assert shown["text/plain"] == str(verdict) == f"{verdict.sentence} {verdict.detail}"
    clear = judge_difference(CLEAR)
    assert (str(clear), clear.detail) == (clear.sentence, "")
    assert clear._repr_mimebundle_()["text/html"].count("<p") == 1


def test_a_verdict_stands_between_what_is_to_be_looked_at_and_notes():
    note = Caution("equal_scores", "note", "Ties <b>were</b> broken.", remedy="Break them.")
    look = replace(LOOK, remedy="Evaluate more queries.")
    verdict = replace(
        judge_difference(CLEAR), others="Worse: old (-0.100).", cautions=(STOP, look, note)
    )
    assert verdict.check == "Check the data first: Identical scores."
    assert verdict.warnings == (
        "Look: Few queries changed. Evaluate more queries.",
        "Note: Ties <b>were</b> broken.",  # of a note, no remedy
    )
    assert str(verdict).split("\n\n") == [
        verdict.check,
        verdict.warnings[0],
        verdict.sentence,
        "Worse: old (-0.100).",
        verdict.warnings[1],
    ]
    shown = verdict._repr_mimebundle_()
    texts = [re.sub("<.*?>", "", line) for line in shown["text/html"].split("\n")]
    assert [html.unescape(text).replace("\xa0", " ") for text in texts if text] == [
        verdict.check,
        verdict.warnings[0],
        f"Better. {verdict.sentence}",
        "The other systems",
        verdict.others.replace("-", "\N{MINUS SIGN}"),
        "Notes",
        verdict.warnings[1],
    ]
    latex = shown["text/latex"].split("\n\n")
    assert latex[0] == rf"\textbf{{{verdict.check}}}"
    assert latex[1] == verdict.warnings[0]
    assert latex[3:] == [
        verdict.others,
        r"Note: Ties \textless{}b\textgreater{}were\textless{}/b\textgreater{} broken.",
    ]


def test_where_nearly_all_queries_changed_there_are_few_queries():
    shifts = [0.5] * 13 + [-0.25, 0.0]
    qrels = {f"q{at}": {"d1": 1} for at in range(len(shifts))}
    place = {0.5: ("n", "d1"), -0.25: ("d1", "n"), 0.0: ("d1", "n")}
    new = {q: ["d1"] if shift >= 0 else ["n", "d1"] for q, shift in zip(qrels, shifts, strict=True)}
    old = {q: list(place[shift]) for q, shift in zip(qrels, shifts, strict=True)}
    made = rr.compare(qrels, {"old": old, "new": new}, measures=["RR"], resamples=200)
    codes = {each.code for each in made.cautions}
    assert "few_queries" in codes
    assert "few_changed" not in codes
    assert made.table()["caution"][0].startswith("15 queries: interval may be too narrow")
    first = {f"q{at}": {"d1": 1} for at in range(8)}
    made = rr.compare(first, {"old": old, "new": new}, measures=["RR"], resamples=200)
    assert made.decision.verdict.decided_by == "few_queries"
    assert made.verdict().detail.endswith(
        "needs 10 changed queries or more: only 8 queries in all."
    )
    assert made.plot_forest().alt.endswith("too few queries.")


@pytest.mark.parametrize(("n", "named", "more"), [(30, 12, 18), (31, 3, 28)])
def test_of_many_verdicts_few_are_named(n, named, more):
    [text] = verdict_lines({f"s{at}": PairDecision(CLEAR) for at in range(n)})
    assert (text.count("(+0.021)"), text.split(", ")[-1]) == (named, f"and {more} more.")
