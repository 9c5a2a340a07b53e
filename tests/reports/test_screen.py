"""The first screen: what it says of a pair, of several systems, of systems alone, and where."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import polars as pl
import pytest
from hostile_texts import HOSTILE
from markup import by_id, named, parsed, words
from pages import measured
from report_fixtures import LONG_NAMES

import rankreport as rr
from rankreport.comparison import every_pair
from rankreport.comparison.every_pair import best_systems_of, differences_of_every_pair
from rankreport.comparison.leading_pair import leading_pair_of
from rankreport.comparison.model_judge import decisive_differences
from rankreport.comparison.values import one_baseline
from rankreport.evaluation.quality import unjudged_at_top
from rankreport.gates import leading_candidate
from rankreport.reports import _report, drawing, sections
from rankreport.reports.html import render_page
from rankreport.reports.page import LONGEST_BRIEF, Badge
from rankreport.reports.screen._common import cautions_shown
from rankreport.reports.screen.several import MOST_STANDINGS
from rankreport.reports.sections import all_queries
from rankreport.text import labelled, ranks_in_figures, unbroken

N = 60
IDS = [f"q{i:02}" for i in range(N)]
FILLERS = [f"x{place}" for place in range(1, 6)]
QRELS = {query: {"r": 1, **dict.fromkeys(FILLERS, 0)} for query in IDS}
TEXTS = pl.DataFrame({"query_id": IDS, "text": [f"how to do {query}" for query in IDS]})


def run(*ranks):
    """Return lists of six documents, the relevant one at these ranks, over and over."""
    others = {doc: -float(place) for place, doc in enumerate(FILLERS, 1)}
    return {
        query: {"r": 0.5 - ranks[place % len(ranks)], **others} for place, query in enumerate(IDS)
    }


def compared(old, new, measure="RR", qrels=QRELS, **options):
    return rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, [measure]), **options)


def page_of(subject, **about):
    """Return a page without the sections that draw charts, which would take most of the time."""
    return rr.report(subject, **about)._summary.page


def screen_of(subject, **about):
    return page_of(subject, **about).screen


def whole_page_of(subject, **about):
    return rr.report(subject, **about)._shown.page


def tree_of(page):
    return parsed(render_page(page))


def of_class(tree, name):
    return [node for node in tree.iter() if name in node.get("class", "").split()]


# A pair. RR is the mean of 1 / rank: a rank of 1 is worth 1, of 2 a half, of 5 a fifth.

UNJUDGED_FIRST = {
    query: {**({"u": 9.0} if place % 2 == 0 else {}), **lists}
    for place, (query, lists) in enumerate(run(1, 2).items())
}
"""An unjudged document before the relevant one, on every other query."""

VERDICTS = {
    "better": (run(1, 5), run(1, 2), {}),
    "worse": (run(1, 2), run(1, 5), {}),
    "check first": (run(1, 2), UNJUDGED_FIRST, {}),
    "no worse": (run(1, 2), run(*[1] * 16, *[2] * 8, *[1, 2] * 18), {"margin": 0.06}),
    "equivalent": (run(1, 2, 1, 2, 2), run(2, 1, 1, 2, 2), {"margin": 0.3}),
    "unchanged": (run(1, 2), run(1, 2), {}),
    "inconclusive": (run(1, 2, 1, 2, 2), run(2, 1, 1, 2, 2), {}),
}

HEADLINES = {
    "better": "new is better than old on RR",
    "worse": "new is worse than old on RR",
    "check first": "Not settled: new against old depends on unjudged documents",
    "no worse": "new is no worse than old on RR, within the margin",
    "equivalent": "new and old are equivalent on RR, within the margin",
    "unchanged": "new and old are equal on RR",
    "inconclusive": "The data cannot tell whether new is better or worse than old on RR",
}

BADGES = {
    "better": Badge("▲", "Better", "better"),
    "worse": Badge("▼", "Worse", "worse"),
    "check first": Badge("!", "Check first", "check"),
    "no worse": Badge("≥", "No worse", "open"),
    "equivalent": Badge("≈", "Equivalent", "open"),
    "unchanged": Badge("=", "Unchanged", "open"),
    "inconclusive": Badge("?", "Inconclusive", "open"),
}


@pytest.mark.parametrize("word", VERDICTS)
def test_every_verdict_has_its_badge_and_a_headline_without_figures(word):
    old, new, options = VERDICTS[word]
    comparison = compared(old, new, **options)
    assert comparison.verdict().word == word
    screen = screen_of(comparison)
    assert screen.badges == (BADGES[word],)
    assert screen.headline == HEADLINES[word]
    assert not re.search(r"\d", screen.headline)
    assert screen.action == comparison.verdict().action != ""
    assert screen.detail == comparison.verdict().detail
    assert ("would often be missed" in screen.detail) is (word == "inconclusive")


@pytest.mark.parametrize("word", ["better", "worse"])
def test_a_clear_difference_within_the_margin_is_called_little(word):
    old, new, _ = VERDICTS[word]
    screen = screen_of(compared(old, new, margin=0.5))
    assert screen.badges == (BADGES[word],)
    assert screen.headline == f"new is {word} than old on RR, by less than the margin"


@pytest.mark.parametrize(
    ("old", "new", "measure", "sentence"),
    [
        # Of four queries two, and then three, have the relevant document at rank 1 or 2.
        (
            run(1, 5),
            run(1, 2, 1, 5),
            "RR",
            "in the top 3 for 45 of 60 queries, old for 30.",
        ),
        (
            run(1, 5),
            run(1, 2, 1, 5),
            "RR@2",
            "in the top 2 for 45 of 60 queries, old for 30.",
        ),
        (
            run(1, 5),
            run(1, 2, 1, 5),
            "nDCG@10",
            "in the top 3 for 45 of 60 queries, old for 30.",
        ),
        (run(1, 2), run(1, 5), "RR", "in the top 3 for 30 of 60 queries, old for 60."),
        # Higher in the mean, but out of sight in every fourth query; and the reverse.
        (run(3), run(1, 1, 1, 5), "RR", "Yet 45 of 60 queries, old for 60."),
        (run(1, 1, 1, 5), run(3), "RR", "Yet 60 of 60 queries, old for 45."),
        # Counts would seem to decide what is open.
        (run(*[1] * 40, *[5] * 20), run(*[1] * 38, *[5] * 22), "RR", ""),
    ],
)
def test_the_verdict_in_plain_terms_is_counted(old, new, measure, sentence):
    shown = screen_of(compared(old, new, measure)).plain
    opening = "Yet new has " if sentence.startswith("Yet") else ""
    assert shown.startswith(opening)
    assert sentence.removeprefix("Yet ") in shown
    assert bool(shown) is bool(sentence)


def test_equal_counts_of_early_success_are_not_said():
    assert screen_of(compared(run(1, 2), run(2, 3))).plain == ""


def test_a_relevant_document_is_one_that_the_measure_takes_for_relevant():
    # A document of grade 1 always stands first, and AP(rel=2) asks for grade 2.
    qrels = {query: {**judged, "x1": 1, "r": 2} for query, judged in QRELS.items()}
    shown = screen_of(compared(run(5), run(2, 5), "AP(rel=2)", qrels)).plain
    assert shown == "new has a relevant document in the top 3 for 30 of 60 queries, old for 0."


def test_the_count_is_of_the_queries_that_are_compared():
    only = {query: QRELS[query] for query in IDS[:20]}
    shown = screen_of(compared(run(1, 5), run(1), qrels=only)).plain
    assert shown == "new has a relevant document in the top 3 for 20 of 20 queries, old for 10."


@pytest.mark.parametrize("measure", ["AUC", "FPR(t=-1)", "GMAP"])
def test_no_plain_terms_for_a_measure_that_is_no_mean_of_ranks(measure):
    if measure == "AUC":
        assert screen_of(compared(run(1, 5), run(1, 2), measure)).plain == ""
    assert screen_of(rr.evaluate(QRELS, {"mine": run(1, 5)}, [measure])).plain == ""


def test_no_plain_terms_for_weighted_queries():
    weights = {query: 1 + place % 3 for place, query in enumerate(IDS)}
    assert screen_of(compared(run(1, 5), run(1, 2), weights=weights)).plain == ""


def test_no_plain_terms_for_scores_that_were_read_back(tmp_path):
    evaluation = rr.evaluate(QRELS, {"old": run(1, 5), "new": run(1, 2)}, ["RR"])
    evaluation.write_parquet(tmp_path / "scores.parquet")
    whole = screen_of(rr.compare(evaluation))
    read = screen_of(rr.compare(rr.load_evaluation(tmp_path / "scores.parquet")))
    assert whole.plain
    assert read == replace(whole, plain="")


def test_the_figure_is_the_difference_with_what_it_is_made_of():
    comparison = compared(run(1, 5), run(1, 2))
    amount = screen_of(comparison).amount
    # Half of the queries win 1/2 - 1/5: 0.15 in the mean, from (1 + 1/5) / 2 to (1 + 1/2) / 2.
    assert (amount.shown, amount.tone) == ("+0.150", "better")
    assert amount.levels == "RR from 0.600 to 0.750 (+25 %)"
    low, high = comparison.table().select("ci_low", "ci_high").row(0)
    assert amount.interval == f"95 % interval {low:+.3f} to {high:+.3f}"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"new": run(1, 5)}, "no query changed"),
        ({"new": run(*[1, 5] * 28, 1, 1, 1, 1)}, "fewer than 10 queries changed"),
    ],
)
def test_where_there_is_no_interval_the_reason_stands_in_its_place(options, why):
    screen = screen_of(compared(run(1, 5), **options))
    if screen.strip.low is None:
        assert screen.amount.interval == f"no interval: {why}"
    else:
        assert screen.amount.interval.startswith("95 % interval ")
    assert (screen.strip.low is None) is (why == "no query changed")


def test_a_difference_that_is_left_over_from_rounding_is_zero():
    # Three thirds are won and lost again in different orders.
    screen = screen_of(compared(run(3, 1, 2), run(1, 2, 3)))
    assert screen.amount.shown == "0.000"
    assert "0.611 to 0.611" in screen.amount.levels


def test_a_small_difference_is_told_with_the_decimals_that_it_takes():
    # The relevant document is at the top of 580 lists, and at place 50 instead of 51 of 20 others:
    # (1/50 - 1/51) * 20/600 is 0.0000131.
    qrels = {f"q{i}": {"r": 1} for i in range(600)}
    others = {f"d{place}": -float(place) for place in range(1, 52)}
    old, new = ({"r": -place, **others} for place in (50.5, 49.5))
    old, new = (
        {q: lower if i < 20 else {"r": 1.0} for i, q in enumerate(qrels)} for lower in (old, new)
    )
    amount = screen_of(compared(old, new, qrels=qrels)).amount
    assert amount.shown == "+0.000013"
    assert amount.levels == "RR from 0.967320 to 0.967333"  # (580 + 20/51) / 600


def test_a_measure_without_any_value_is_said_to_have_none():
    qrels = {query: {"r": 1} for query in IDS}
    page = page_of(compared(run(1), run(2), "AUC", qrels))
    assert page.screen.headline == "No verdict yet: undefined values"
    assert page.screen.amount.levels == "AUC: no query has a value for both systems"
    assert page.screen.amount.interval == "no interval: no query has a value for both systems"
    assert page.screen.strip is page.screen.bar is None
    assert page.screen.queries == ()
    assert page.check.startswith("Check the data first: AUC is undefined")


def test_the_strip_has_the_ends_and_the_margin():
    comparison = compared(run(1, 2, 1, 2, 2), run(2, 1, 1, 2, 2), margin=0.3, confidence=0.9)
    strip = screen_of(comparison).strip
    row = comparison.table().row(0, named=True)
    assert (strip.value, strip.low, strip.high) == (row["delta"], row["ci_low"], row["ci_high"])
    assert (strip.margin, strip.confidence, strip.scale) == (0.3, 0.9, None)


def test_the_bar_counts_what_was_won_and_lost():
    # Of four queries one goes from 1 to 1/3, two from 1/2 to 1, and one stays.
    bar = screen_of(compared(run(1, 2, 1, 2), run(3, 1, 1, 1))).bar
    assert (bar.wins, bar.ties, bar.losses) == (30, 15, 15)
    assert bar.mean_win == pytest.approx(1 / 2)
    assert bar.mean_loss == pytest.approx(-2 / 3)


# The queries that it is worse on

LOSSES = run(*[1] * 56, 2, 4, 3, 1)
"""Of the last queries three are lost: a half, three quarters and two thirds."""


def test_the_three_worst_queries_are_listed_with_text_difference_and_link():
    comparison = compared(run(1), LOSSES, queries=TEXTS)
    screen = screen_of(comparison)
    assert screen.listed == "Worse on"
    assert [(query.amount, query.name, query.tone) for query in screen.queries] == [
        ("-0.75", "how to do q57", "worse"),
        ("-0.67", "how to do q58", "worse"),
        ("-0.50", "how to do q56", "worse"),
    ]
    tree = tree_of(whole_page_of(comparison))
    (listed,) = of_class(tree, "worst")
    links = named(listed, "a")
    assert [words(link) for link in links] == [
        *("how to do q57", "how to do q58", "how to do q56", "all queries: 3 worse, 0 better"),
    ]
    for link, query in zip(links, ("q57", "q58", "q56"), strict=False):
        assert words(by_id(tree, link.get("href")[1:])).startswith("\N{MINUS SIGN}0.")
        assert query in words(by_id(tree, link.get("href")[1:]))


def test_a_query_without_a_text_is_called_by_its_id_and_a_long_text_is_cut():
    texts = pl.DataFrame({"query_id": ["q57", "q58"], "text": ["word " * 60, "b"]})
    long, short, bare = screen_of(compared(run(1), LOSSES), queries=texts).queries
    assert len(long.name) <= LONGEST_BRIEF
    assert long.name.startswith("word word")
    assert long.name.endswith("…")
    assert (short.name, bare.name) == ("b", "q56")


@pytest.mark.parametrize(
    ("old", "new", "listed", "more"),
    [
        (run(2), run(*[1] * 30, *[2] * 30), 0, "all queries: 0 worse, 30 better"),
        (run(2), run(1, *[2] * 59), 0, "all queries: 0 worse, 1 better"),
        (run(1), run(2, *[1] * 59), 1, "all queries: 1 worse, 0 better"),
        (run(1), run(2, 2, *[1] * 58), 2, "all queries: 2 worse, 0 better"),
        (run(1, *[2] * 59), run(2, *[1] * 59), 1, "all queries: 1 worse, 59 better"),
        (run(1, 2), run(2, 1), 3, "all queries: 30 worse, 30 better"),
        (run(1, 2), run(1, 2), 0, "all queries: 0 worse, 0 better"),
    ],
)
def test_the_link_to_all_queries_says_how_many_there_are(old, new, listed, more):
    screen = screen_of(compared(old, new))
    assert len(screen.queries) == listed
    assert bool(screen.listed) is (listed > 0)
    assert screen.more == more


def test_names_are_not_broken_at_hyphens_in_headlines():
    runs = {"old-one": run(5), "new-one": run(1)}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=200)
    (headline,) = named(tree_of(page_of(comparison)), "h1")
    assert [words(name) for name in named(headline, "span")] == ["new-one", "old-one"]
    assert words(headline) == "new-one is better than old-one on RR"


def test_a_report_on_recommenders_says_users_and_items():
    ratings = pl.DataFrame(
        {"user_id": list("abcd"), "item_id": ["x", "y", "x", "y"], "relevance": [1, 1, 1, 1]}
    )
    runs = {
        name: {user: {"x": x, "y": 1.0} for user in "abcd"} for name, x in (("old", 0), ("new", 2))
    }
    report = rr.report(rr.compare(rr.evaluate(ratings, runs, ["RR"]), resamples=200))
    assert report._summary.page.screen.more == "all users: 2 worse, 2 better"
    shown = report.to_markdown()
    assert "users" in shown
    assert not re.search(r"\b(quer(y|ies)|documents?)\b", shown, re.IGNORECASE)
    assert rr.report(compared(run(1), run(2)))._summary.page.of_users is False


# What the data are worth


def test_the_shares_of_judged_documents_are_said_of_each_system_of_a_pair():
    # Six of six documents are judged, but six of seven on every other query of the second.
    screen = screen_of(compared(run(1, 2), UNJUDGED_FIRST))
    share = round(100 * (1 + 6 / 7) / 2)
    assert screen.judged == f"Judged in the top 10: {share} % of new, 100 % of old"


def test_how_many_queries_without_an_answer_each_system_answered_comes_first():
    none = {query: {"r": 1.0} for query in "uvwx"}
    runs = {"old": {**run(1), **none}, "new": {**run(2), "u": {"r": 1.0}}}
    screen = screen_of(rr.compare(rr.evaluate(QRELS, runs, ["RR"], unanswerable=[*none])))
    opening = "Queries without an answer: old answered 4 of 4, new 1 of 4; fewer is better."
    assert screen.judged == f"{opening} Judged in the top 10: 100 % of each system"


def test_equal_shares_are_said_once_and_those_of_several_from_to():
    assert (
        screen_of(compared(run(1), run(2))).judged == "Judged in the top 10: 100 % of each system"
    )
    assert screen_of(compared(run(1), run(2), "RR@4")).judged == (
        "Judged in the top 4: 100 % of each system"
    )
    three = {"a": run(1), "b": run(2), "c": UNJUDGED_FIRST}
    evaluation = rr.evaluate(QRELS, three, ["RR"])
    expected = "Judged in the top 10: 93 % (c) to 100 % (b)"
    assert screen_of(rr.compare(evaluation, resamples=200)).judged == expected
    assert screen_of(evaluation).judged == expected


STOPPED = {query: {f"doc-{d}": s for d, s in lists.items()} for query, lists in run(1).items()}
"""The ids of the documents have a prefix that those of the judgments lack."""


def test_what_to_check_first_stands_before_the_verdict_in_words_and_sign():
    comparison = compared(run(1, 2), STOPPED)
    page = page_of(comparison)
    stops = [each for each in comparison.verdict().cautions if each.severity == "stop"]
    assert [stop.text for stop in page.screen.stops] == [each.text for each in stops]
    # What to do stands where it is looked for.
    assert [page.screen.action] == [each.remedy for each in stops]
    tree = tree_of(page)
    (check,) = of_class(tree, "stop")
    assert words(check).startswith("! ")
    (act,) = of_class(tree, "act")
    assert words(act).startswith("Judged 'r', returned 'doc-r': strip 'doc-' from the run. ")
    # Lists that do not fit the judgments have wins and losses that say nothing.
    assert page.screen.strip is page.screen.bar is None
    assert page.screen.queries == ()
    assert page.screen.amount.levels.startswith("not valid until the data are checked: ")
    order = [node for node in tree.iter() if node is check or node in of_class(tree, "badge")]
    assert order[0] is check
    assert all("doubted" in node.get("class") for node in of_class(tree, "badge"))


def test_the_first_section_with_results_says_that_none_is_valid():
    content = rr.report(compared(run(1, 2), STOPPED)).content
    without_charts = sections.data_of, sections.differences_of, sections.queries_of
    made = _report.page_of(content, without_charts).sections
    assert [each.id for each in made] == ["data", "differences", "all-queries"]
    doubt = "No result below is valid until the data are checked."
    assert [each.id for each in made if each.paragraphs[0] == doubt] == ["differences"]


def test_where_one_system_answered_a_third_the_figures_are_of_what_both_answered():
    third = {query: lists for query, lists in run(1, 3, 3, 3).items() if int(query[1:]) % 3 == 0}
    comparison = compared(run(2), third)
    screen = screen_of(comparison)
    assert screen.headline == "No verdict yet: queries not answered"
    kept = {query: QRELS[query] for query in third}
    alone = compared(run(2), third, qrels=kept)
    found = decisive_differences(alone)[alone.pairs[0]]
    assert screen.strip.value == pytest.approx(found.delta, abs=1e-15)
    assert (screen.strip.low, screen.strip.high) == pytest.approx((found.ci_low, found.ci_high))
    row = alone.table().row(0, named=True)
    bar = screen.bar
    assert (bar.wins, bar.ties, bar.losses) == (row["wins"], row["ties"], row["losses"])
    assert screen.amount.levels.startswith("on the 20 queries that both answered: RR from 0.500")
    assert screen.is_doubted
    assert {each.query for each in screen.queries} <= set(third)
    assert screen.listed == "Worse where both answered"
    # It is said once that queries were not answered.
    severities = {each.code: each.severity for each in comparison.cautions}
    assert severities["unanswered"] == "stop"
    assert severities["one_sided"] == "look"


def test_an_interval_in_one_order_of_equal_scores_is_not_drawn():
    # All scores of the new lists are equal: the relevant document may stand first or last.
    tied = {query: dict.fromkeys(lists, 1.0) for query, lists in run(1).items()}
    comparison = compared(run(2), tied)
    assert [each.code for each in comparison.cautions if each.severity == "stop"] == [
        "ties_reverse"
    ]
    screen = screen_of(comparison)
    assert screen.strip is None
    low, high = comparison.decision.verdict.over_ties
    assert (low, high) == pytest.approx((1 / 6 - 1 / 2, 1 / 2))
    assert screen.amount.interval.startswith("in other orders -0.333 to +0.500; in this one ")
    assert screen.amount.levels.startswith("with equal scores in one order of many: RR from 0.500")
    assert screen.listed == "Worse on, with equal scores in this order"
    assert {query.why for query in screen.queries} == {"first relevant at rank 2 → 6"}
    (how_many,) = screen.notes[-1:]
    assert how_many == f"Equal scores matter in {len(IDS)} queries of new."
    # Verdict and gate are open for the same reason: no note explains a difference.
    gate = rr.gate(comparison, "RR > -0.01")
    assert gate.findings[0].decided_by == "ties"
    assert screen_of(comparison, gate=gate).notes[-2] == how_many


def test_a_loss_on_judged_documents_alone_is_told_from_one_for_want_of_judgments():
    # Every other query loses to an unjudged document; the rest are as before or truly worse.
    worse = {
        query: lists if place % 4 else run(5)[query]
        for place, (query, lists) in enumerate(UNJUDGED_FIRST.items())
    }
    screen = screen_of(compared(run(1), worse, "RR@2"))
    assert screen.listed == "Worse on"
    assert {query.why for query in screen.queries} == {"ranked low: 1 → 0 relevant"}
    of_unjudged = screen_of(compared(run(1, 2), UNJUDGED_FIRST))
    assert {query.why for query in of_unjudged.queries} == {
        "unjudged: first relevant at rank 1 → 2"
    }


def test_what_judged_documents_alone_confirm_needs_no_second_look():
    better = {
        query: {**({"u": -9.0} if place % 2 else {}), **lists}
        for place, (query, lists) in enumerate(run(1, 2).items())
    }
    comparison = compared(run(1, 5), better)
    (found,) = decisive_differences(comparison).values()
    assert found.is_confirmed
    assert "judged_only" in [each.code for each in comparison.verdict().cautions]
    screen = screen_of(comparison)
    assert screen.action == "Evidence favours new: try it live."
    (brief,) = [look.brief for look in screen.looks if look.title == "Unjudged documents"]
    assert brief.startswith("better too on judged only: +")


def test_one_system_with_few_judged_documents_is_to_be_judged_first():
    lists = {query: {"u": 9.0, "v": 8.0, "w": 7.0, **docs} for query, docs in run(1, 5).items()}
    evaluation = rr.evaluate(QRELS, {"u": lists}, ["RR@4"])
    screen = screen_of(evaluation)
    assert screen.action == "Judge its top documents first; then compare it with another system."
    n = unjudged_at_top(evaluation).documents.height
    assert screen.notes == (f"{n} documents of the top 4 are unjudged.",)
    assert n == 3 * len(IDS)
    assert screen.amount.levels == "mean RR@4, unjudged as not relevant"
    assert {query.why for query in screen.queries} == {"first relevant at rank 8; 3 unjudged"}


def test_what_to_do_about_a_stop_is_on_every_kind_of_screen():
    same = page_of(compared(run(1, 2), run(1, 2))).screen
    assert same.headline == "new and old are equal on RR"
    assert (same.stops, [look.title for look in same.looks]) == ((), ["Identical scores"])
    for runs in ({"mine": STOPPED}, {"mine": STOPPED, "other": STOPPED}):
        screen = screen_of(rr.evaluate(QRELS, runs, ["RR"]))
        assert "strip 'doc-' from the run. " in screen.stops[0].text


def test_a_sound_result_has_nothing_to_check_first():
    comparison = compared(run(1, 5), run(1, 2))
    assert comparison.cautions == ()
    tree = tree_of(page_of(comparison))
    assert of_class(tree, "stop") == of_class(tree, "doubted") == of_class(tree, "look") == []
    (data,) = of_class(tree, "data")
    (link,) = named(data, "a")
    assert (words(link), link.get("href")) == ("No cautions on the data", "#data")


def test_cautions_to_look_at_are_shown_and_all_are_counted():
    # Fifteen queries changed, and the new system has an unjudged document on every other one.
    comparison = compared(run(1, 5), run(1, 2, 1, 5))
    page = page_of(comparison)
    (caution,) = page.cautions
    assert (caution.severity, caution.code) == ("look", "few_changed")
    (look,) = page.screen.looks
    assert f"{look.title}: {look.text}" == caution.text
    assert page.tally == "1 to look at"
    tree = tree_of(whole_page_of(comparison))
    (data,) = of_class(tree, "data")
    assert words(data).endswith("more on the data")
    # With the checks of the data it stands whole, and there the link leads.
    assert labelled(caution).replace("\xa0", " ") in words(by_id(tree, "data"))


def test_of_many_cautions_two_are_shown_and_the_others_by_title_or_number(four):
    comparison = four.comparison
    severities = [each.severity for each in comparison.verdict().cautions]
    screen = screen_of(comparison)
    n_looks = severities.count("look")
    assert len(screen.looks) == min(2, n_looks)
    assert page_of(comparison).tally == f"{severities.count('note')} notes"
    assert screen.others == "Notes: queries not answered, equal scores"
    first = comparison.verdict().cautions[0]
    looks = [replace(first, severity="look", title=f"title {n}") for n in range(6)]
    assert cautions_shown(looks[:2])["others"] == "more on the data"
    assert cautions_shown(looks[:4])["others"] == "also: title 2, title 3"
    assert cautions_shown(looks)["others"] == "also: 4 to look at"


def test_figures_on_judged_documents_alone_stand_with_the_caution_on_unjudged_ones():
    comparison = compared(run(1, 2), UNJUDGED_FIRST)
    (found,) = decisive_differences(comparison).values()
    assert found.on_judged.delta == 0
    looks = screen_of(comparison).looks
    texts = [look.text for look in looks]
    favours = "Unjudged documents count as not relevant, which favours old; on judged ones alone"
    assert f"{favours} there is no clear difference: 0.000." in texts
    assert "unjudged documents favour old; judged only: 0.000" in [look.brief for look in looks]


def test_the_difference_at_equal_depth_stands_with_its_interval_and_what_to_do():
    ids = [f"q{at:02}" for at in range(40)]
    others = [f"x{at}" for at in range(30)]
    qrels = {query: {"a": 1, "b": 1} for query in ids}
    whole = {query: ["a", *others[: 10 + at % 20], "b"] for at, query in enumerate(ids)}
    cut = {q: [*others[: 1 + at % 3], "a", *others[9:15]] for at, q in enumerate(ids)}
    comparison = rr.compare(rr.evaluate(qrels, {"old": whole, "new": cut}, ["AP"]))
    found = comparison.decision.verdict.found.at_depth
    assert found.direction == -1
    (look,) = [each for each in screen_of(comparison).looks if each.title.startswith("Lists of")]
    assert look.text == (
        f"new returns 10 documents, old 31. On the first 10 of both new is worse too: "
        f"{found.numbers}."
    )
    assert look.brief.startswith(f"first 10 of both: {found.shown} (")
    screen = screen_of(comparison)
    assert screen.amount.also == f"F{look.brief[1:]}"
    assert screen.action.endswith(" Return 31 documents with new, then compare again.")


def test_where_judgments_are_positive_the_shares_unjudged_are_given_with_what_follows():
    qrels = {query: {"r": 1} for query in QRELS}
    old, new = {"r": 2.0, "x": 1.0}, {"u": 3.0, "x": 2.0, "r": 1.0}  # 1/2 and 2/3 are unjudged
    runs = {"old": dict.fromkeys(qrels, old), "new": dict.fromkeys(qrels, new)}
    follows = "They count as not relevant"
    assert screen_of(rr.compare(rr.evaluate(qrels, runs, ["RR"]))).judged == (
        f"Unjudged in the top 10: 67 % of new, 50 % of old. {follows}: a system that finds "
        "relevant ones nobody judged looks worse than it is."
    )
    new = {"u": 2.0, "r": 1.0}
    runs["new"] = dict.fromkeys(qrels, new)
    assert screen_of(rr.compare(rr.evaluate(qrels, runs, ["RR"]))).judged == (
        f"Unjudged in the top 10: 50 % of new, 50 % of old. {follows}, about as many in each "
        "system."
    )
    alone = screen_of(rr.evaluate(qrels, {"old": runs["old"]}, ["RR"])).judged
    assert alone == f"Unjudged in the top 10: 50 %. {follows}: old may be better than it looks."


def test_documents_to_judge_are_those_of_the_pair_that_they_may_settle():
    queries = [f"q{at:02}" for at in range(60)]
    old = {q: ["r", "n"] if at % 2 else ["n", "r"] for at, q in enumerate(queries)}
    turned = {*range(0, 16, 2), *range(1, 10, 2)}
    near = {q: old[q][::-1] if at in turned else old[q] for at, q in enumerate(queries)}
    dense = {
        q: ["u", "r"] if at % 2 and at < 40 else ["r", "n"] if at % 4 == 0 else old[q]
        for at, q in enumerate(queries)
    }
    qrels = {q: {"r": 1, "n": 0} for q in queries}

    def screen(runs):
        return screen_of(rr.compare(rr.evaluate(qrels, runs, ["RR"])))

    of_all = screen({"old": old, "near": near, "dense": dense})
    assert any("This may decide on dense" in each.text for each in of_all.looks)
    assert not any("may settle it" in note for note in of_all.notes)
    alone = screen({"old": old, "dense": dense})
    assert "Judging 20 documents may settle it." in alone.notes


# The outcome of a gate

GATES = {
    "RR > 0": ("✓", "Gate passes", "better", "Evidence favours new: try it live."),
    "RR > 0.14": (
        *("?", "Gate inconclusive", "open"),
        "new is better, but whether it meets the requirements is open: evaluate more queries.",
    ),
    "abs(RR) < 0.05": (
        *("✗", "Gate fails", "worse"),
        "new is better, but fails the gate: do not ship it as it is.",
    ),
}


@pytest.mark.parametrize("required", GATES)
def test_the_outcome_of_a_gate_stands_beside_the_verdict(required):
    sign, text, tone, action = GATES[required]
    comparison = compared(run(1, 5), run(1, 2))
    gate = rr.gate(comparison, required)
    screen = screen_of(comparison, gate=gate)
    assert screen.badges == (BADGES["better"], Badge(sign, text, tone))
    (requirement,) = [each.requirement for each in leading_candidate(gate).findings]
    assert f"; limit {requirement.limit})." in screen.notes[0]
    drawn = (screen.strip.margin, screen.strip.limit)
    threshold = requirement.threshold or None
    assert drawn == ((threshold, None) if requirement.kind == "equivalence" else (None, threshold))
    assert (
        screen.headline
        == {
            "pass": "new meets the requirements to replace old",
            "fail": "new does not meet the requirements to replace old",
            "inconclusive": "It is open whether new meets the requirements to replace old",
        }[gate.outcome]
    )
    assert screen.plain.startswith(f"{HEADLINES['better']}. ")
    assert "new has a relevant document in the top 3" in screen.plain
    assert screen.action == action
    [finding] = gate.candidates[0].findings
    outcome = {"pass": "passes", "fail": "fails"}.get(gate.outcome, "inconclusive")
    figures = f"{finding.interval}; limit {finding.requirement.limit}"
    outcome = "" if outcome == "passes" else f"{outcome}, "
    line = f"{sign} {finding.requirement.words}: {outcome}{finding.change} ({figures})."
    why = "The verdict asks whether there is a difference, the gate whether it is allowed."
    assert (why in screen.plain) is (gate.outcome != "pass")
    assert screen.notes == (line,)
    (act,) = of_class(tree_of(page_of(comparison, gate=gate)), "act")
    for note in screen.notes:
        assert note in words(act)


def test_of_many_requirements_those_that_fail_are_named():
    comparison = compared(run(1, 5), run(1, 2))
    held = [f"RR > -0.0{i}" for i in range(1, 6)]
    gate = rr.gate(comparison, [*held, "abs(RR) < 0.05"])
    first, *others = screen_of(comparison, gate=gate).notes
    assert first.startswith(
        "✗ RR may change by less than 0.05 in either direction: fails, +0.150 ("
    )
    assert [each.partition(":")[0] for each in others[:3]] == [
        *("✓ RR may fall by at most 0.01", "✓ RR may fall by at most 0.02", "3 more"),
    ]
    gate = rr.gate(comparison, held)
    assert [each.partition(":")[0] for each in screen_of(comparison, gate=gate).notes] == [
        *(f"✓ RR may fall by at most 0.0{i}" for i in (1, 2, 3)),
        "2 more",
    ]


def test_a_gate_on_several_candidates_says_what_became_of_the_one_of_the_verdict():
    runs = {"old": run(1, 5), "new": run(1, 2), "same": run(1, 5)}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]))
    screen = screen_of(comparison, gate=rr.gate(comparison, "RR > 0"))
    assert [badge.text for badge in screen.badges] == [
        *("1 of 2 better", "Gate inconclusive: 1 of 2 passed"),
    ]
    # The only caution is on the other system.
    assert screen.action == "Evidence favours new: try it live."
    inconclusive = "The gate is inconclusive: of 2 candidates, 1 passes and 1 is inconclusive."
    assert screen.notes[0] == inconclusive
    assert screen.notes[1].startswith("new: ✓ RR must rise: +0.150 (95 % bounds")


def test_badge_and_advice_agree_where_the_gate_passes_one_of_several_candidates():
    runs = {"old": run(1, 2), "even": run(2, 1), "low": run(1, 2, 5, 2)}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]))
    gate = rr.gate(comparison, "RR > -0.2")
    screen = screen_of(comparison, gate=gate)
    assert [each.outcome for each in gate.candidates] == ["pass", "inconclusive"]
    assert screen.badges[-1].text == "Gate inconclusive: 1 of 2 passed"
    assert screen.action == ("No clear difference, and even passes the gate: it may replace old.")


def test_one_sentence_says_what_a_gate_shows_where_the_verdict_is_open():
    comparison = compared(run(1, 2), run(2, 1))
    gate = rr.gate(comparison, "RR > -0.2")
    screen = screen_of(comparison, gate=gate)
    (finding,) = gate.findings
    assert comparison.verdict().word == "inconclusive"
    assert finding.ci_low > -0.2
    lost = "a loss of more than 0.2, the limit, is ruled out."
    assert screen.plain == f"Not shown better or worse on RR, but {lost}"
    # It passes: what more queries would show is no matter.
    assert screen.detail == ""
    assert (
        " ".join((screen.headline, screen.plain, screen.action, *screen.notes)).count("pass") == 1
    )


def test_what_several_favoured_systems_lose_is_said_the_least_first():
    # Both are better by 22 / 60; a loses 0.3 on ten queries, b nothing.
    runs = {"old": run(2), "a": run(*[1] * 50, *[5] * 10), "b": run(*[1] * 44, *[2] * 16)}
    found = screen_of(rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=500))
    losses = "b on 0 queries, 0.00 at worst; a on 10 queries, -0.30 at worst."
    assert f"Losses: {losses}" in found.action


# Several systems


def leaderboard_by_hand(comparison):
    """Return by measure and system: the ranks left open, and whether it may be the best.

    Of the differences of every two systems, whose intervals leave out zero or do not; ranks are
    those of ends that allow for rare failures, and those of the intervals.
    """
    measures = comparison.evaluation.measures
    rows = differences_of_every_pair(comparison, measures).rows(named=True)
    means = {(row["measure"], row["system"]): row["mean"] for row in comparison.means().to_dicts()}
    compared = comparison.table().filter(pl.col("n_changed") >= 10)
    below = compared.filter(pl.col("ci_high") < 0).select("measure", "system").rows()
    below += compared.filter(pl.col("ci_low") > 0).select("measure", "baseline").rows()
    found = {}
    for measure, system in means:
        others = [r for r in rows if r["measure"] == measure and r["system"] == system]
        best = max(value for (of, _), value in means.items() if of == measure)
        leaders = [name for (of, name), value in means.items() if (of, value) == (measure, best)]
        apart = [r for r in others if r["baseline"] in leaders[:1] and r["differs"]]
        seen = [r for r in others if r["differs"]]
        sure = [r for r in seen if not r["deciding_low"] <= 0 <= r["deciding_high"]]
        ranks = []
        for apart_from in (sure, seen):
            n_better = sum(r["delta"] < 0 for r in apart_from)
            ranks += [1 + n_better, len(others) + 1 - (len(apart_from) - n_better)]
        may_be_best = not apart and (measure, system) not in below
        found[measure, system] = (ranks, system in leaders, may_be_best)
    return found


def test_the_board_has_the_ranks_left_open_and_the_best_of_each_measure(four):
    comparison = four.comparison
    board = screen_of(comparison).board
    found = leaderboard_by_hand(comparison)
    primary, *others = (str(measure) for measure in comparison.evaluation.measures)
    assert board.measures == (primary, *others)
    assert [row.system for row in board.rows] == best_systems_of(comparison)
    for row in board.rows:
        assert row.ranks == ranks_in_figures(*found[primary, row.system][0])
        of = [found[measure, row.system] for measure in board.measures]
        assert row.best == {i for i, (_, best, _) in enumerate(of) if best}
        assert row.same == {i for i, (_, _, same) in enumerate(of) if same}
    means = {(row["measure"], row["system"]): row["mean"] for row in comparison.means().to_dicts()}
    for row in board.rows:
        assert row.levels == tuple(f"{means[m, row.system]:.3f}" for m in board.measures)


STEPS = {"first": run(1), "second": run(*[1] * 59, 2), "third": run(3), "last": run(5)}
"""The second differs from the first on one query only; the others are far below."""


def test_ranks_worked_by_hand():
    comparison = rr.compare(rr.evaluate(QRELS, STEPS, ["RR"]), baseline="last", resamples=500)
    screen = screen_of(comparison)
    assert [(row.system, row.ranks) for row in screen.board.rows] == [
        *(("first", "1–2"), ("second", "1–2"), ("third", "3"), ("last", "4")),
    ]
    assert [bool(row.best) for row in screen.board.rows] == [True, False, False, False]
    assert [bool(row.same) for row in screen.board.rows] == [True, True, False, False]
    assert [row.is_baseline for row in screen.board.rows] == [False, False, False, True]
    assert screen.headline == "first, second and third are better than last on RR"
    assert screen.plain == ""
    assert screen.badges[0] == Badge("▲", "3 of 3 better", "better")
    assert screen.action == (
        "Evidence favours first and second over last: try any of them live. Which of first and "
        "second is best is open."
    )
    assert screen.notes == ()
    assert screen.board.against == "difference from last, simultaneous 95 % intervals"
    baseline = screen.board.rows[-1]
    assert (baseline.shown, baseline.value, baseline.low) == ("", None, None)
    for row in screen.board.rows[:-1]:
        found = decisive_differences(comparison)[rr.comparison.Pair("last", row.system)]
        assert (row.value, row.low, row.high) == (found.delta, found.ci_low, found.ci_high)
        assert row.tone == "better"
        assert float(row.shown) == pytest.approx(found.delta, abs=0.0005)


@pytest.mark.parametrize(
    ("runs", "options", "badge", "headline"),
    [
        (
            {"a": run(5), "b": run(1), "c": run(3)},
            {},
            "2 of 2 better",
            "b and c are better than a on RR",
        ),
        (
            {"a": run(1), "b": run(2), "c": run(3)},
            {},
            "Worse",
            "All systems are worse than a on RR",
        ),
        (
            {"a": run(1, 2, 2), "b": run(2, 1, 2), "c": run(2, 2, 1)},
            {},
            "Inconclusive",
            "No system is shown to be better than a on RR",
        ),
        (
            {"a": run(5), "b": run(1), "c": run(3)},
            {"pairs": "all"},
            "b is best",
            "b leads on RR; all others are below it",
        ),
        (
            {"a": run(1, 2, 2), "b": run(2, 1, 2), "c": run(2, 2, 1)},
            {"pairs": "all"},
            "The best is open",
            "No clear winner among a, b and c on RR",
        ),
        (
            {"a": run(5), "b": run(1), "c": run(3), "d": run(1, 1, 2, 1, 1)},
            {"baseline": ["a", "c"]},
            "b is best",
            "b leads on RR; all others are below it",
        ),
    ],
)
def test_the_headline_names_who_leads_and_who_cannot_be_told_apart(runs, options, badge, headline):
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=500, **options)
    screen = screen_of(comparison)
    assert screen.badges[0].text == badge
    assert screen.headline == headline
    assert not re.search(r"\d", screen.headline)
    assert [row.system for row in screen.board.rows] == best_systems_of(comparison)


@pytest.mark.parametrize("options", [{"pairs": "all"}, {"baseline": ["a", "c"]}])
def test_without_one_baseline_rows_have_differences_from_the_first(options):
    runs = {"a": run(5), "b": run(1), "c": run(3)}
    screen = screen_of(rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=500, **options))
    assert screen.board.against.startswith("difference from b, 95 % intervals")
    assert [(row.system, row.shown, row.tone) for row in screen.board.rows] == [
        ("b", "", "open"),
        ("c", "-0.667", "worse"),
        ("a", "-0.800", "worse"),
    ]
    assert (screen.listed, screen.queries) == ("", ())  # the best one loses nowhere


def test_where_the_best_is_open_the_screen_lists_where_the_leaders_differ():
    runs = {"a": run(1, 1, 1, 4), "b": run(1, 2), "c": run(5)}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=500, pairs="all")
    assert comparison.decision.may_be_best == ("a", "b")
    screen = screen_of(comparison)
    assert screen.listed == "Where the leaders differ"
    shown = [(query.amount, query.query, query.about) for query in screen.queries]
    assert shown == [
        ("±0.50", "q01", "b 0.50, a 1.00"),
        ("±0.50", "q05", "b 0.50, a 1.00"),
        ("±0.50", "q09", "b 0.50, a 1.00"),
    ]


def test_who_is_established_as_better_or_worse_is_said_by_name():
    runs = {"base": run(3), "up": run(1), "down": run(5), "like": run(3)}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=500)
    assert screen_of(comparison).plain == "Worse: down. Unchanged: like."
    assert screen_of(comparison).headline == "up is better than base on RR"


@pytest.mark.parametrize(
    ("ranks", "more"),
    [
        ((1,), "all queries of up: 0 worse, 60 better"),
        ((1, 5), "all queries of up: 30 worse, 30 better"),
        ((4, 5), "all queries of up: 60 worse, 0 better"),
        ((3,), "all queries of up: 0 worse, 0 better"),
    ],
)
def test_of_several_systems_the_link_to_all_queries_says_of_which_one_they_are(ranks, more):
    runs = {"base": run(3), "up": run(*ranks), "down": run(5)}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=200, baseline="base")
    screen = screen_of(comparison)
    assert leading_pair_of(comparison).system == "up"
    assert screen.more == more
    assert rr.report(comparison).to_markdown()


@pytest.mark.parametrize(
    ("systems", "more"),
    [
        (["up"], "the largest changes: 0 worse, 60 better in all"),
        (["up", "down"], "the largest changes of up: 0 worse, 60 better in all"),
    ],
)
def test_the_link_to_queries_says_where_a_page_lists_only_some(systems, more, monkeypatch):
    monkeypatch.setattr(all_queries, "MOST_ROWS", 50)
    runs = {"base": run(3), "up": run(1), "down": run(5)}
    made = rr.evaluate(QRELS, {name: runs[name] for name in ["base", *systems]}, ["RR"])
    assert screen_of(rr.compare(made, resamples=200, baseline="base")).more == more


def test_differences_of_the_leaderboard_have_the_same_decimals():
    close = run(*[1] * 59, 2)  # a 120th below the best
    runs = {"base": run(1), "close": close, "far": run(*[1, 5, 1, 5, 5])}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR@10"]), resamples=500)
    assert len({found.digits for found in decisive_differences(comparison).values()}) == 2
    shown = [row.shown for row in screen_of(comparison).board.rows]
    assert shown == ["", "-0.008", "-0.480"]


def test_the_key_names_what_the_marked_systems_depend_on():
    part = {query: ranking for at, (query, ranking) in enumerate(run(2).items()) if at % 2}
    runs = {"base": run(2), "good": run(1), "part": part}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=500)
    assert comparison.decision.pairs["base", "part"].decided_by == "missing"
    key = screen_of(comparison).board.key
    assert "!: depends on queries not answered ·" in f"{key} ·"


@pytest.mark.parametrize("systems", ["ab", "abc"])
def test_alternative_texts_have_the_confidence_of_the_intervals(systems, tmp_path):
    runs = dict(zip(systems, [run(1, 2), run(2), run(1, 5)], strict=False))
    evaluation = rr.evaluate(QRELS, runs, ["RR", "P@1"])
    rr.report(rr.compare(evaluation, confidence=0.9, resamples=200)).to_html(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    texts = re.findall(r'(?:aria-label|alt)="([^"]*%[^"]*)"', page)
    assert any("90 %" in text for text in texts)
    assert not [text for text in texts if "95 %" in text]


def test_large_numbers_have_separators_and_small_losses_are_not_zero():
    queries = [f"q{at}" for at in range(1100)]
    grades = {"r": 9999, "n": 9998}
    made = {
        name: {query: {"r": 1.0, "n": 2.0 * (at < n)} for at, query in enumerate(queries)}
        for name, n in (("old", 0), ("new", 50))
    }
    made["old"] |= {query: {"x": 1.0} for query in queries[1000:]}
    evaluation = rr.evaluate(dict.fromkeys(queries, grades), made, ["nDCG@2"])
    screen = screen_of(rr.compare(evaluation, resamples=200))
    assert "for 1,100 of 1,100 queries, old for 1,000." in screen.plain
    assert {float(each.amount) < 0 for each in screen.queries} == {True}


def test_a_requirement_names_its_system_where_there_are_several_candidates():
    evaluation = rr.evaluate(QRELS, {"a": run(1, 2), "b": run(2), "c": run(1, 5)}, ["RR"])
    comparison = rr.compare(evaluation, resamples=200)
    screen = screen_of(comparison, gate=rr.gate(comparison, "RR > -0.1"))
    leading = comparison.decision.leading.system
    assert [note for note in screen.notes if note.startswith(f"{leading}: ") and "RR" in note]


def test_systems_that_unjudged_documents_decide_on_are_marked():
    runs = {"base": run(1, 2), "u": UNJUDGED_FIRST, "good": run(1)}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=500)
    assert comparison.verdict("u").word == "check first"
    screen = screen_of(comparison)
    assert "Worse overall, unchanged on judged documents: u." in screen.plain
    assert "!: depends on unjudged documents" in screen.board.key
    (row,) = (row for row in screen.board.rows if row.system == "u")
    assert row.tone == "check"
    assert screen.board.otherwise == "the same on judged documents only"
    # The judged documents of both are in the same order: no difference, and no interval of it.
    assert (row.on_judged, row.brief) == ("0.00", "judged only: 0.00")
    tree = tree_of(page_of(comparison))
    (board,) = of_class(tree, "board")
    (shown,) = [
        words(node) for node in named(board, "tr") if words(node).startswith(f"{row.ranks}u")
    ]
    assert re.search(rf"! [-−]{row.shown[1:]}", shown)


def test_differences_on_judged_documents_stand_beside_those_as_scored():
    lists = run(1, 2, 2, 2, 1, 2)
    u = {q: {**({"u": 9.0} if at % 2 == 0 else {}), **lists[q]} for at, q in enumerate(lists)}
    runs = {"base": run(1, 2), "u": u, "good": run(1)}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=500)
    rows = {row.system: row for row in screen_of(comparison).board.rows}
    judged = decisive_differences(comparison)["base", "u"].on_judged
    ends = f"{judged.ci_low:+.2f} to {judged.ci_high:+.2f}"
    assert rows["u"].on_judged == f"{judged.delta:+.2f} ({ends})"
    assert rows["base"].on_judged == ""
    (board,) = of_class(tree_of(page_of(comparison)), "board")
    (shown,) = [words(node) for node in named(board, "tr") if rows["u"].levels[0] in words(node)]
    assert shown.count(unbroken(rows["u"].on_judged)) == 1


def test_the_worst_query_of_each_of_few_systems_is_listed(four):
    comparison = four.comparison
    screen = screen_of(comparison)
    assert screen.listed == f"Worst query of each: {one_baseline(comparison)} → system, top 10"
    systems = [row.system for row in screen.board.rows if not row.is_baseline]
    shown = [query.system for query in screen.queries]
    assert sorted(shown) == sorted(systems)
    losses = [float(query.amount) for query in screen.queries]
    assert losses == sorted(losses)
    for system, query in zip(shown, screen.queries, strict=True):
        worst = comparison.losses(system=system).frame.row(0, named=True)
        assert (query.query, query.amount) == (worst["query_id"], f"{worst['delta']:+.2f}")
        assert query.about == f"{system}: {query.why}"
    six = of_many(7, baseline="s06")
    leading = screen_of(six)
    assert leading.listed in ("", f"{leading_pair_of(six).system} is worse on")


def of_many(n, **options):
    runs = {f"s{at:02}": run(*[1] * (n - at), *[5] * (at + 1)) for at in range(n)}
    evaluation = rr.evaluate(QRELS, runs, ["RR", "P@2"])
    return rr.compare(evaluation, resamples=100, **options)


@pytest.mark.parametrize("n", [MOST_STANDINGS, MOST_STANDINGS + 1, 20])
def test_of_many_systems_the_best_the_last_and_the_baseline_are_on_the_board(n):
    baseline = f"s{n - 2:02}"
    comparison = of_many(n, baseline=baseline)
    board = screen_of(comparison).board
    assert len(board.rows) == (n if n <= MOST_STANDINGS else 7)
    systems = [row.system for row in board.rows]
    order = best_systems_of(comparison)
    assert systems[0] == order[0]
    assert systems[-1] == order[-1]
    assert [row.system for row in board.rows if row.is_baseline] == [baseline]
    assert systems == sorted(systems, key=order.index)
    if n > MOST_STANDINGS:
        # Ranks that intervals leave open; those that may be the best are shaded.
        places = [comparison.decision.position(system) for system in systems]
        assert [row.ranks for row in board.rows] == [place.ranks for place in places]
        assert sum(sum(row.n_skipped) for row in board.rows) == n - len(board.rows)
        assert all(bool(row.skipped) == any(row.n_skipped) for row in board.rows)
        assert board.measures == ("RR",)
        best = comparison.decision.may_be_best
        assert [bool(row.same) for row in board.rows] == [name in best for name in systems]
    else:
        assert board.measures == ("RR", "P@2")


def test_of_too_many_systems_the_board_has_no_ranks(monkeypatch):
    monkeypatch.setattr(every_pair, "_MOST_DRAWN", 14)
    board = screen_of(of_many(MOST_STANDINGS + 1)).board
    assert {row.ranks for row in board.rows} == {""}
    assert "rank" not in board.key


def test_the_board_is_a_table_with_heads_for_rows_and_columns(four):
    tree = parsed(four.html)
    (table,) = of_class(tree, "board")
    heads = [words(head) for head in named(named(table, "thead")[0], "th")]
    board = screen_of(four.comparison).board
    assert (
        heads
        == [
            *(
                "rank",
                "system better ▲, worse ▼",  # telephones have the tallies beneath the system
                board.measures[0],
                "better ▲, worse ▼",
                board.against,
                *board.measures[1:],
            ),
        ]
    )
    [foot] = named(table, "tfoot")
    assert "0" in [words(each) for each in named(foot, "text")]
    for node, row in zip(named(named(table, "tbody")[0], "tr"), board.rows, strict=True):
        (head,) = named(node, "th")
        assert head.get("scope") == "row"
        beside = "baseline" if row.is_baseline else row.tally
        assert words(head) == f"{row.system} {beside}"
        cells = [words(cell) for cell in named(node, "td")]
        assert cells[0] == row.ranks
        assert cells[1:3] == [row.levels[0], row.tally]
        assert cells[-len(row.levels[1:]) :] == list(row.levels[1:])
        classes = [cell.get("class", "").split() for cell in named(node, "td")]
        levels = [classes[1], *classes[-len(row.levels[1:]) :]]
        assert {i for i, names in enumerate(levels) if "best" in names} == row.best
        assert {i for i, names in enumerate(levels) if "same" in names} == row.same


# Systems that are compared with none

GRADED = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 2, "b": 1, "c": 0}}
MIXED = {"q1": {"a": 3.0, "c": 2.0, "b": 1.0}, "q2": {"a": 1.0, "b": 3.0, "c": 2.0}}
"""Of three pairs of documents the first query has 2 in order and 1 not, the second 1 and 2."""


def test_one_system_has_its_level_its_spread_and_its_hardest_queries(alone, example):
    evaluation = alone.evaluation
    row = evaluation.means().row(0, named=True)
    screen = screen_of(evaluation, queries=example.queries)
    assert screen.badges == (Badge("●", "One system", "open"),)
    n_found = evaluation.values([rr.Success @ 3])["Success@3"].sum()
    found = f"bm25 has a relevant document in the top 3 for {n_found:.0f} of 60 queries"
    assert screen.headline == found
    n_failed = (evaluation.per_query()["nDCG@10"] == 0).sum()
    assert screen.plain == f"bm25 scores 0 on {n_failed} queries."
    assert screen.amount.shown == f"{row['mean']:.3f}"
    assert screen.amount.levels == "mean nDCG@10"
    assert screen.amount.interval == (f"95 % interval {row['ci_low']:.3f} to {row['ci_high']:.3f}")
    assert screen.strip.scale == screen.spread.scale == (0, 1)
    assert (screen.strip.low, screen.strip.high) == (row["ci_low"], row["ci_high"])
    assert list(screen.spread.values) == evaluation.per_query()["nDCG@10"].to_list()
    assert screen.bar is screen.board is None
    hardest = evaluation.hardest(3)
    texts = dict(rr.read_queries(example.queries).select("query_id", "text").iter_rows())
    assert [(q.amount, q.name, q.href) for q in screen.queries] == [
        (f"{value:.2f}", texts[query], "#hardest")
        for query, value in hardest.select("query_id", "value").frame.iter_rows()
    ]
    assert n_failed > 3
    assert screen.listed == f"Hardest queries: {n_failed} at 0.00, the worst AP first"
    assert screen_of(rr.evaluate(example.qrels, example.runs, ["nDCG@10"])).listed
    relevant = evaluation.relevant([each.query for each in screen.queries])
    for each in screen.queries:
        ranks = relevant.filter(pl.col("query_id") == each.query)["rank"]
        first = ranks.min()
        assert each.why == (
            f"none of the {len(ranks)} relevant documents returned"
            if first is None
            else f"first relevant at rank {first}"
        )


@pytest.mark.parametrize("n", [60, 26, 0])
def test_one_system_is_said_to_find_something_as_often_as_it_does(n):
    screen = alone_with("RR", {"mine": run(*[1] * n, *[6] * (60 - n))}, QRELS)
    assert screen.headline == f"mine has a relevant document in the top 3 for {n} of 60 queries"


def test_fractions_are_relevant_wherever_a_page_counts():
    # nDCG does not depend on the unit of grades, so that no sentence may.
    graded = {query: {"r": 2, "s": 1, **dict.fromkeys(FILLERS, 0)} for query in IDS}
    tenths, others = (
        {q: {doc: unit * grade for doc, grade in row.items()} for q, row in graded.items()}
        for unit in (0.1, 0.005)
    )
    runs = {"old": run(1, 5, 2), "new": run(3, 6, 1)}

    def said(qrels):
        pair = rr.evaluate(qrels, runs, ["nDCG@5"])
        for subject in (rr.compare(pair), rr.evaluate(qrels, {"old": runs["old"]}, ["nDCG@5"])):
            page = whole_page_of(subject)
            screen = page.screen
            whys = [each.why for each in screen.queries]
            yield screen.headline, screen.plain, screen.action, whys
            for section in page.sections:
                if section.id == "hardest" or section.id.startswith("queries-"):
                    yield re.findall(r"(?:level|brief|reason|n_relevant)='([^']*)'", repr(section))

    first, lists, *rest = expected = list(said(graded))
    of_fractions = repr(list(said(tenths)))
    assert of_fractions == repr(list(said(others)))
    # Measures with a threshold of 1 do not call fractions relevant.
    assert of_fractions.replace("a document of a grade above 0", "a relevant document") == repr(
        expected
    )
    assert "a document of a grade above 0" in of_fractions
    assert rest
    assert first[0] == "new is worse than old on nDCG@5"
    assert {"high", "none", "ranked low: first relevant at rank 1 → 3"} <= set(lists)


def alone_with(measure, runs, qrels):
    return screen_of(rr.evaluate(qrels, runs, [measure]))


def test_a_pooled_value_is_called_no_mean():
    amount = alone_with("PairRatio", {"mine": MIXED}, GRADED).amount
    assert (amount.shown, amount.levels) == ("1.000", "PairRatio, all queries pooled")
    assert amount.interval == "no interval: not an arithmetic mean over queries"


def test_a_geometric_mean_is_called_one():
    # The values are 1 and 1/4, and the root of their product is 1/2.
    qrels = {"q1": {"a": 1}, "q2": {"d": 1}}
    lists = {"q1": {"a": 1.0}, "q2": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    screen = alone_with("GMAP", {"mine": lists}, qrels)
    assert (screen.amount.shown, screen.amount.levels) == ("0.500", "geometric mean of GMAP")
    assert screen.amount.interval == "no interval: not an arithmetic mean over queries"
    assert screen.plain == ""


def test_a_weighted_mean_is_called_one():
    amount = alone_with("GAUC", {"mine": MIXED}, GRADED).amount
    assert amount.levels == "weighted mean of GAUC"
    assert amount.interval == "no interval: not an arithmetic mean over queries"


def test_a_measure_without_any_value_has_no_interval_for_that_reason():
    lists = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    screen = alone_with("AUC", {"mine": lists}, {"q1": {"a": 1}, "q2": {"a": 1}})
    assert screen.headline == "AUC has no value on any query"
    assert (screen.amount.shown, screen.amount.interval) == (
        "–",
        "no interval: no query has a value",
    )
    assert screen.strip is screen.spread is None


@pytest.mark.parametrize(("n_second", "level"), [(3, "3"), (2, "2.500")])
def test_a_count_is_per_query_wherever_it_stands(n_second, level):
    lists = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    lists["q2"] = dict(list(lists["q1"].items())[:n_second])
    amount = alone_with("NumRet", {"mine": lists}, {"q1": {"a": 1}, "q2": {"a": 1}}).amount
    assert (amount.shown, amount.levels) == (level, "NumRet per query")


def test_where_all_queries_are_alike_none_is_hardest():
    qrels = {f"q{i}": {"a": 1} for i in range(3)}
    evaluation = rr.evaluate(qrels, {"mine": {q: {"a": 1.0} for q in qrels}}, ["RR"])
    page = page_of(evaluation)
    assert page.screen.amount.shown == "1.000"
    assert page.screen.amount.interval == "no interval: the values do not vary"
    assert page.screen.queries == ()
    assert page.screen.listed == page.screen.more == ""
    assert page.screen.spread is None
    assert "hardest" not in [section.id for section in page.sections]


def test_a_query_without_a_value_makes_no_other_one_hard():
    qrels = {"q0": {"a": 1}, **{f"q{i}": {"a": 1, "b": 0} for i in range(1, 4)}}
    lists = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    assert alone_with("AUC", {"mine": lists}, qrels).queries == ()


def test_hard_queries_of_the_best_system_alone_stand_on_the_first_screen():
    """The best system does equally well on all queries; the other one loses the first."""
    qrels = {f"q{i}": {"a": 1} for i in range(3)}
    right, wrong = {"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 2.0}
    runs = {
        "even": dict.fromkeys(qrels, right),
        "uneven": {**dict.fromkeys(qrels, right), "q0": wrong},
    }
    page = whole_page_of(rr.evaluate(qrels, runs, ["RR"]))
    assert page.screen.queries == ()
    (section,) = (section for section in page.sections if section.id == "hardest")
    (table,) = section.parts
    assert table.caption == "Hardest queries for uneven"


def test_a_loaded_evaluation_has_the_same_first_screen_but_for_what_its_file_lacks(alone, tmp_path):
    alone.evaluation.write_parquet(tmp_path / "scores.parquet")
    loaded = screen_of(rr.load_evaluation(tmp_path / "scores.parquet"))
    whole = screen_of(alone.evaluation)
    queries = tuple(replace(each, why="") for each in whole.queries)
    about = {"headline": "The level of bm25 on nDCG@10", "queries": queries}
    assert loaded == replace(whole, **about)


@pytest.mark.parametrize(
    ("ranks", "headline"),
    [
        ((1, 1), "2 systems share the best mean RR"),
        ((2, 2, 2), "3 systems share the best mean RR"),
        ((2, 1, 1), "2 systems share the best mean RR"),
        ((1, 2, 1, 1), "3 systems share the best mean RR"),
        ((2, 1, 3), "s1 is best by mean RR; no systems were compared"),
    ],
)
def test_systems_that_are_equally_good_share_the_headline(ranks, headline):
    runs = {f"s{place}": run(rank) for place, rank in enumerate(ranks)}
    screen = alone_with("RR", runs, QRELS)
    assert screen.headline == headline
    assert screen.badges == (Badge("●", "Not compared", "open"),)
    best = {row.system for row in screen.board.rows if row.best}
    assert best == {f"s{at}" for at, rank in enumerate(ranks) if rank == min(ranks)}


def test_of_systems_that_are_equally_low_where_low_is_better():
    qrels = {"q": {"good": 1, "bad": 0}}
    right, wrong = {"q": {"good": 1.0, "bad": 0.0}}, {"q": {"good": 1.0, "bad": 2.0}}
    screen = alone_with("FPR(t=1)", {"a": wrong, "b": right, "c": right}, qrels)
    assert screen.headline == "2 systems share the best mean FPR(t=1)"
    assert [row.system for row in screen.board.rows if row.best] == ["b", "c"]


def test_levels_of_several_are_in_the_order_of_the_primary_measure():
    runs = {"low": run(5), "high": run(1), "mid": run(3)}
    screen = screen_of(rr.evaluate(QRELS, runs, ["RR", "FPR(t=-1)", "P@5"]))
    assert screen.board.measures == ("RR", "FPR(t=-1)", "P@5")
    assert [(row.ranks, row.system) for row in screen.board.rows] == [
        *(("1", "high"), ("2", "mid"), ("3", "low")),
    ]
    assert [row.levels[0] for row in screen.board.rows] == ["1.000", "0.333", "0.200"]
    assert screen.board.against == ""
    assert {row.same for row in screen.board.rows} == {frozenset()}


# A title, a date, and how much there is


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ({"pairs": "all"}, "a, b, c compared with each other"),
        ({}, "b, c against a"),
        ({"baseline": ["a", "b"]}, "a, b, c compared with each other"),
    ],
)
def test_a_title_names_each_system_once(options, title):
    runs = {"a": run(1), "b": run(2), "c": run(3)}
    page = page_of(rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=200, **options))
    assert (page.title, page.extent) == (title, "3 systems, 60 queries")


def test_title_date_and_numbers_stand_above_the_verdict():
    tree = tree_of(page_of(compared(run(1), run(2)), title="Which <one>?", date="2026-02-03"))
    (head,) = of_class(tree, "head")
    assert words(head) == "Which <one>? 3 February 2026 · 60 queries"


# The same in every form


def test_every_form_says_what_to_check_first():
    report = rr.report(compared(run(1, 2), STOPPED))
    check = report._summary.page.check
    assert check.startswith("Check the data first: new returned no judged document")
    assert repr(report).startswith(check)
    assert report.to_markdown().replace("\\", "").splitlines()[2].startswith(f"**{check}")
    sound = rr.report(compared(run(1, 5), run(1, 2)))
    assert "Check the data" not in sound.to_markdown() + repr(sound) + sound.to_latex()
    stop = f"% Stop: {check.removeprefix('Check the data first: ')}\n"
    assert report.to_latex().startswith(stop)


def subjects(four):
    """Return what each kind of report is on, and its options, made when it is asked for."""
    pair = compared(run(1, 2, 1, 2, 2), run(2, 1, 1, 2, 5), queries=TEXTS)
    half = compared(run(1, 2), dict(list(run(2, 1, 5).items())[::2]), queries=TEXTS)
    long = {name: run(1 + at, 2, 1 + (at * 2) % 5) for at, name in enumerate(LONG_NAMES)}
    hostile = {query: run(1)[IDS[at]] for at, query in enumerate(HOSTILE)}
    of_hostile = {query: {"r": 1} for query in HOSTILE}
    return {
        "pair": lambda: (pair, {}),
        "stopped": lambda: (compared(run(1, 2), STOPPED, queries=TEXTS), {}),
        "missing": lambda: (half, {"gate": rr.gate(half, ["RR > -0.01", "abs(RR) < 0.02"])}),
        "unchanged": lambda: (compared(run(1, 2), run(1, 2)), {}),
        "check": lambda: (compared(run(1, 2), UNJUDGED_FIRST, queries=TEXTS), {}),
        "gated": lambda: (pair, {"gate": rr.gate(pair, ["RR > 0.01", "abs(RR) < 0.02"])}),
        "chinese": lambda: (pair, {"language": "zh"}),
        "long": lambda: (rr.compare(rr.evaluate(QRELS, long, ["RR", "AP"]), resamples=200), {}),
        "long pair": lambda: (
            rr.compare(
                rr.evaluate(QRELS, {n: long[n] for n in LONG_NAMES[1:]}, ["RR"]), resamples=200
            ),
            {},
        ),
        "long alone": lambda: (
            rr.evaluate(QRELS, {LONG_NAMES[2]: long[LONG_NAMES[2]]}, ["RR"]),
            {},
        ),
        "four": lambda: (four.comparison, {}),
        "chinese four": lambda: (four.comparison, {"language": "zh"}),
        "gated four": lambda: (
            four.comparison,
            {"gate": rr.gate(four.comparison, ["nDCG@10 > 0.01"])},
        ),
        "all pairs": lambda: (rr.compare(four.evaluation, pairs="all", resamples=200), {}),
        "baselines": lambda: (
            rr.compare(four.evaluation, baseline=["bm25", "fusion"], resamples=200),
            {},
        ),
        "twenty": lambda: (of_many(20), {}),
        "levels": lambda: (four.evaluation, {}),
        "alone": lambda: (rr.evaluate(QRELS, {"mine": run(1, 2, 5)}, ["RR"]), {"queries": TEXTS}),
        "hostile": lambda: (
            rr.compare(
                rr.evaluate(of_hostile, {HOSTILE[1]: hostile, HOSTILE[0] + "b": hostile}, ["RR"])
            ),
            {"title": " ".join(HOSTILE)},
        ),
    }


KINDS = (
    *("pair", "stopped", "missing", "unchanged", "check", "gated", "chinese", "long", "long pair"),
    *("long alone", "four", "chinese four", "gated four", "all pairs", "baselines", "twenty"),
    *("levels", "alone", "hostile"),
)
OF_PAIRS = ("pair", "stopped", "missing", "check", "gated", "chinese", "long pair")

SOME = ("pair", "four", "alone")
"""The kinds that plain tests look at; the slow ones take all."""


def kinds(names, some=SOME):
    return [name if name in some else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.fixture(scope="module")
def report_of(four):
    known, made = subjects(four), {}

    def report(name):
        if name not in made:
            subject, about = known[name]()
            made[name] = rr.report(subject, **about)
        return made[name]

    return report


@pytest.mark.parametrize("name", kinds(KINDS, (*SOME, "stopped", "gated", "twenty", "hostile")))
def test_the_markdown_opens_with_the_first_screen_in_twelve_lines(report_of, name):
    report = report_of(name)
    screen = report._summary.page.screen
    markdown = report.to_markdown()
    opening = markdown.partition("\n|")[0].partition("\n\n**")[0]
    lines = markdown.splitlines()
    last = max(at for at, line in enumerate(lines[:12]) if line.startswith("- "))
    unescaped = [re.sub(r"\\(.)", r"\1", line) for line in lines[: last + 1]]
    shown = "\n".join(unescaped)
    assert lines[0].startswith("## ")
    assert last < 12
    assert lines[last + 1] == ""
    assert opening
    answers = [
        screen.headline,
        screen.plain,
        screen.judged.removesuffix("."),
        screen.action,
        *screen.notes,
    ]
    answers += [badge.text for badge in screen.badges]
    answers += [query.name for query in screen.queries]
    if screen.amount:
        answers += [screen.amount.shown, screen.amount.levels, screen.amount.interval]
    if screen.board:
        answers += [row.system for row in screen.board.rows]
    assert report._summary.page.date in shown
    assert [answer for answer in answers if answer and not found_in(answer, shown)] == []


def found_in(text, shown):
    """Return whether a text stands among others, whatever its white space."""
    from rankreport.text import visible

    return "".join(visible(text).split()) in "".join(visible(shown).split())


# In a browser

BOXES = """names => Object.fromEntries(names.map(name => {
  const shown = [...document.querySelectorAll(name)].filter(each => each.getClientRects().length);
  const boxes = shown.map(each => each.getBoundingClientRect());
  return [name, {
    n: boxes.length,
    bottom: Math.max(...boxes.map(box => box.bottom)),
    right: Math.max(...boxes.map(box => box.right)),
    left: Math.min(...boxes.map(box => box.left)),
    height: boxes.length ? boxes[0].height : 0,
  }];
}))"""

FIRST = (
    *(".badge", "h1", ".delta", ".levels", ".strip svg", ".main > svg", ".judged", ".act"),
    *(".data .more", ".worst li"),
)
"""What answers the five questions for a pair."""


@pytest.fixture(scope="module")
def written(report_of, tmp_path_factory):
    folder = tmp_path_factory.mktemp("screens")

    def path_of(name):
        path = folder / f"{name.replace(' ', '-')}.html"
        if not path.exists():
            report_of(name).to_html(path)
        return path

    return path_of


pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", kinds(OF_PAIRS))
def test_the_first_screen_of_a_pair_answers_without_scrolling(tab, written, pictures, name):
    with tab(written(name)) as (page, watch):
        for width, height in [(1280, 900), (390, 800), (1440, 900)]:
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=pictures / f"screen-{name.replace(' ', '-')}-{width}.png")
            boxes = page.evaluate(BOXES, list(FIRST))
            # On a telephone, what the data need is said above the headline, by it and at the end.
            alone = name == "stopped" and width == 390
            assert (boxes.pop(".badge")["n"] == 0) == alone
            if name == "stopped":  # ids that do not match: wins and losses say nothing
                missing = {what for what in boxes if boxes[what]["n"] == 0}
                assert missing == {".strip svg", ".main > svg", ".worst li"} & set(boxes)
                boxes = {what: box for what, box in boxes.items() if what not in missing}
            else:
                assert boxes[".worst li"]["n"] == 3
            for what, box in boxes.items():
                assert box["n"] > 0, (what, width)
                assert box["bottom"] <= height, (what, width)
                assert box["left"] >= 0, (what, width)
                assert box["right"] <= width, (what, width)
        assert watch.messages == []


@pytest.mark.parametrize("name", kinds(("four", "gated four", "twenty", "all pairs", "levels")))
def test_the_first_screen_of_several_answers_without_scrolling(tab, written, name):
    with tab(written(name)) as (page, _):
        for width, height in [(1280, 900), (390, 844)]:
            page.set_viewport_size({"width": width, "height": height})
            # A telephone shows no shades, so that it needs no key to them, and no badge beside the
            # bar.
            wanted = ("nav .answer", "h1", ".board tbody tr", ".act")
            if width > 900:
                wanted += (".badge", ".key")
            boxes = page.evaluate(BOXES, list(wanted))
            for what, box in boxes.items():
                assert box["n"] > 0, (what, width)
                assert box["bottom"] <= height, (what, width)
            if width > 900:
                beside = page.evaluate(BOXES, [".data", ".worst li"])
                assert beside[".data"]["bottom"] <= height


@pytest.mark.parametrize("name", kinds(KINDS))
def test_nothing_overflows(tab, written, name):
    with tab(written(name)) as (page, _):
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            boxes = page.evaluate(BOXES, [".strip", ".main > svg"])
            for what, box in boxes.items():
                if box["n"]:
                    assert box["left"] >= 0, (what, width)
                    assert box["right"] <= width, (what, width)


def test_the_interval_is_as_high_as_it_should_be(tab, written):
    with tab(written("pair"), width=390, height=844) as (page, _):
        strip = page.evaluate(BOXES, [".figure + .strip svg"])[".figure + .strip svg"]
        assert (strip["n"], strip["height"]) == (1, pytest.approx(64, abs=4))


SIZES = """names => Object.fromEntries(names.map(name =>
  [name, parseFloat(getComputedStyle(document.querySelector(name)).fontSize)]))"""


LETTERS = """[...document.querySelectorAll('header svg text')]
  .filter(each => each.getClientRects().length)
  .map(each => {
    const svg = each.ownerSVGElement;
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    return scale * parseFloat(getComputedStyle(each).fontSize);
  })"""
"""The sizes of the words in drawings of the first screen, in pixels."""


TYPE = {
    1280: {"h1": 24, ".delta": 36},
    390: {"h1": 20, ".delta": 24},
}
PLAIN = {1280: 16, 390: 15}


def test_type_is_as_large_as_it_should_be(tab, written):
    with tab(written("pair")) as (page, _):
        for width, sizes in TYPE.items():
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(SIZES, list(sizes)) == sizes
            labels = page.evaluate(SIZES, [".label", ".aside h2", ".head", ".data .more"])
            assert min(labels.values()) >= 13
            assert min(page.evaluate(LETTERS)) >= 12.9
    with tab(written("gated")) as (page, _):
        for width in TYPE:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(SIZES, [".act small"])[".act small"] >= 13
    with tab(written("four")) as (page, _):
        for width, size in PLAIN.items():
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(SIZES, ["p.plain"]) == {"p.plain": size}


@pytest.mark.parametrize("name", kinds(("pair", "four", "twenty", "levels", "alone")))
def test_where_there_is_room_a_rail_stands_at_the_left_and_covers_nothing(tab, written, name):
    with tab(written(name)) as (page, _):
        for width in (1440, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate("scrollTo(0, 0)")
            rail = page.locator("nav").bounding_box()
            assert (rail["x"], rail["y"], rail["width"], rail["height"]) == (0, 0, 200, 900)
            content = page.evaluate(BOXES, ["main h1", ".head", ".board", "main section", ".act"])
            for what, box in content.items():
                if box["n"]:
                    assert box["left"] >= 200, (what, width)
                    assert box["right"] <= width, (what, width)
            page.evaluate("scrollTo(0, 700)")
            assert page.locator("nav").bounding_box() == rail
            links = page.evaluate(BOXES, ["nav a"])["nav a"]
            assert 2 <= links["n"] <= 8  # the answer, six links, and the warnings
            assert links["right"] <= 200


def test_where_there_is_no_room_a_bar_of_the_same_stays_at_the_top(tab, written):
    with tab(written("pair"), width=1280, height=900) as (page, _):
        page.evaluate("scrollTo(0, 700)")
        bar = page.locator("nav").bounding_box()
        assert (bar["x"], bar["y"], bar["width"], bar["height"]) == (0, 0, 1280, 44)


@pytest.mark.parametrize("name", kinds(KINDS))
def test_no_link_leads_into_what_is_folded(report_of, name):
    tree = parsed(render_page(report_of(name)._shown.page))
    closed = {
        id(node)
        for fold in named(tree, "details")
        if "open" not in fold.attrib
        for node in fold.iter()
        if node is not fold
    }
    (nav,), (header,) = named(tree, "nav"), named(tree, "header")
    links = [link.get("href") for part in (nav, header) for link in named(part, "a")]
    assert len(links) >= 3
    for link in links:
        target = by_id(tree, link.removeprefix("#"))
        assert id(target) not in closed, link
        assert tag_is_open(target), link


def tag_is_open(node):
    return not node.tag.endswith("details") or "open" in node.attrib


ADDRESSES = "[...document.querySelectorAll('header a, nav a')].map(a => a.getAttribute('href'))"

FOLDED = """() => {
  const folds = [...document.querySelectorAll('details')];
  folds.forEach(each => { each.dataset.was ??= each.open; });
  folds.forEach(each => { each.open = each.dataset.was === 'true'; });
  scrollTo(0, 0);
}"""
"""Brings a page back to how it opens."""


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("name", kinds(("pair", "four", "alone", "levels")))
def test_every_link_of_the_first_screen_brings_what_it_names_into_sight(tab, written, name, script):
    options = {"reduced_motion": "reduce", "java_script_enabled": script}
    with tab(written(name), width=1280, height=900, **options) as (page, _):
        for address in sorted(set(page.evaluate(ADDRESSES))):
            page.evaluate(FOLDED)
            page.locator(f"header a[href='{address}'], nav a[href='{address}']").first.click()
            box = page.locator(address).bounding_box()
            assert page.url.endswith(address)
            assert 0 <= box["y"] < 900, address
            assert box["height"] > 20, address


@pytest.mark.parametrize(("name", "screens"), [("two", 6), ("many", 8)])
def test_a_page_is_short_enough_to_be_read(tab, name, screens, request):
    """A pair, and six systems with segments."""
    made = request.getfixturevalue(name)
    with tab(made.page, width=1280, height=900) as (page, _):
        n_words, as_it_opens, unfolded = measured(page)
    assert n_words <= 1200
    assert as_it_opens <= screens
    assert unfolded > as_it_opens


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_PAIRS)
def test_every_kind_of_pair_is_short_enough_to_be_read(tab, written, name):
    with tab(written(name), width=1280, height=900) as (page, _):
        n_words, as_it_opens, _ = measured(page)
    assert n_words <= 1200
    assert as_it_opens <= 6


def test_names_that_are_shortened_are_whole_on_focus(tab, report_of, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(render_page(report_of("long pair")._summary.page), encoding="utf-8")
    with tab(path, width=1280, height=900) as (page, _):
        name = page.locator("h1 .name").first
        whole = name.get_attribute("title")
        assert whole in LONG_NAMES
        brief = "node => getComputedStyle(node, '::before').content"
        assert "…" in name.evaluate(brief)
        assert name.locator("bdi").bounding_box()["width"] <= 1
        name.focus()
        assert name.evaluate(brief) == "none"
        assert name.locator("bdi").bounding_box()["width"] > 100
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280


ALLOWING = "allowing for rare failures that these queries may not show"
HALF_WORSE = {"old": run(2), "new": run(*[1] * 5, *[3] * 5)}
HALVES = {query: "first" if place % 10 < 5 else "last" for place, query in enumerate(IDS)}


def test_the_line_of_a_gate_is_the_bound_that_decides(tmp_path):
    evaluation = rr.evaluate(QRELS, {"old": run(1, 2), "new": run(1, 2, 2, 1)}, ["RR"])
    comparison = rr.compare(evaluation, resamples=200)
    low = rr.gate(comparison, "RR > -0.2").findings[0].ci_low
    two_sided = comparison.table().row(0, named=True)
    limit = round((low + two_sided["ci_low"]) / 2, 4)  # which the two-sided interval crosses
    assert two_sided["ci_low"] < limit < low
    gate = rr.gate(comparison, f"RR > {limit}")
    assert gate.outcome == "pass"
    screen = screen_of(comparison, gate=gate)
    assert (screen.strip.low, screen.strip.high) == (pytest.approx(low), math.inf)
    assert screen.strip.limit == limit
    bound = gate.findings[0].interval
    assert bound.startswith("one-sided 95 % lower bound")
    why = "allowing for rare failures that these queries may not show"
    assert screen.amount.interval.endswith(f"; for the gate, {bound}, {why}")
    (label,) = {*re.findall('aria-label="([^"]*)"', drawing.strip(screen.strip))}
    assert unbroken(bound) in label
    rr.report(comparison, gate=gate).to_json(tmp_path / "report.json")
    assert rr.load_report(tmp_path / "report.json")._summary.page.screen.strip == screen.strip


@pytest.mark.parametrize(
    ("required", "ends", "limits"),
    [
        ("RR > -0.2", "≥ {low}", (-0.2,)),
        ("abs(RR) < 0.2", "{low} to {high}", (-0.2, 0.2)),
        ("RR > 0", "{low} to {high}", (0.0,)),
    ],
)
def test_the_lines_of_a_board_are_the_ends_that_decide(tmp_path, required, ends, limits):
    runs = {"old": run(1, 2), "new": run(1, 2, 2, 1), "other": run(1, 1, 2)}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=200)
    gate = rr.gate(comparison, required)
    board = screen_of(comparison, gate=gate).board
    rr.report(comparison, gate=gate).to_json(tmp_path / "report.json")
    assert rr.load_report(tmp_path / "report.json")._summary.page.screen.board == board
    assert board.limits == limits
    against = f"difference from old, ends that decide on {required}, {ALLOWING}"
    assert board.against == against
    drawn = {
        row.system: (row, svg) for row, svg in zip(board.rows, drawing.rows(board), strict=True)
    }
    for finding in gate.findings:
        row, svg = drawn[finding.difference.system]
        assert (row.low, row.high) == finding.decisive
        figures = {"low": f"{finding.ci_low:+.{board.digits}f}"}
        figures["high"] = f"{finding.ci_high:+.{board.digits}f}"
        assert row.ends == ends.format(**figures)
        assert unbroken(row.ends) in svg
        assert "interval" not in svg


def test_of_several_requirements_the_end_of_the_worst_is_drawn():
    runs = {"old": run(1, 2), "new": run(1, 2, 2, 1), "other": run(1)}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=200)
    gate = rr.gate(comparison, ["RR > -0.2", "RR > 0"])
    ended = {(f.difference.system, f.requirement.text): f for f in gate.findings}
    assert {each: f.outcome for each, f in ended.items()} == {
        **{(name, "RR > -0.2"): "pass" for name in ("new", "other")},
        ("new", "RR > 0"): "inconclusive",
        ("other", "RR > 0"): "pass",
    }
    board = screen_of(comparison, gate=gate).board
    drawn = {row.system: (row.low, row.high) for row in board.rows}
    assert drawn["new"] == ended["new", "RR > 0"].decisive
    assert drawn["other"] == ended["other", "RR > -0.2"].decisive
    assert (board.limits, board.against) == (
        (-0.2, 0.0),
        f"difference from old, ends that decide on RR > 0, RR > -0.2, {ALLOWING}",
    )


def test_of_several_baselines_the_ends_that_decide_are_drawn_turned_round():
    runs = {"old": run(1, 2), "new": run(1, 2, 2, 1), "best": run(1, 1, 1, 2)}
    comparison = rr.compare(
        rr.evaluate(QRELS, runs, ["RR"]), resamples=200, baseline=["old", "new"]
    )
    gate = rr.gate(comparison, "RR > -0.2")
    assert comparison.decision.reference == "best"
    low = {f.difference.baseline: f.ci_low for f in gate.findings if f.difference.system == "best"}
    board = screen_of(comparison, gate=gate).board
    drawn = {row.system: (row.low, row.high) for row in board.rows if row.value is not None}
    assert drawn == {name: (-math.inf, -end) for name, end in low.items()}
    assert {row.system: row.ends[:1] for row in board.rows if row.ends} == {"old": "≤", "new": "≤"}
    assert board.limits == (0.2,)


def test_where_the_mean_decides_no_end_is_drawn():
    runs = {"old": run(1, 2), "new": run(1, 2, 2, 1), "other": run(1)}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=200)
    board = screen_of(comparison, gate=rr.gate(comparison, "RR > -0.2", scope="these")).board
    assert board.against == "difference from old; the mean decides on RR > -0.2"
    assert {row.ends for row in board.rows} == {""}


def test_the_ends_of_a_gate_are_not_those_of_the_queries_that_both_answered():
    part = {query: found for query, found in run(1).items() if query < "q20"}
    comparison = compared(run(2), part)
    gate = rr.gate(comparison, "RR > -0.2")
    screen = screen_of(comparison, gate=gate)
    assert (screen.amount.shown, screen.strip.value) == ("+0.500", 0.5)
    assert gate.findings[0].difference.delta == pytest.approx(-1 / 6)
    assert (screen.strip.decisive, "allowing" in screen.amount.interval) == ("", False)


def test_all_that_are_worse_are_named_in_what_to_do():
    runs = {"old": run(1), "new": run(2), "other": run(2, 3)}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=200)
    assert comparison.verdict().action == "Evidence is against new and other: keep old."


def test_one_that_is_worse_is_named_where_another_one_is_open():
    runs = {"old": run(1, 2, 1, 2, 2), "new": run(2, 1, 1, 2, 2), "other": run(5)}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=200)
    assert comparison.verdict().action == (
        "Not enough evidence either way on new: keep old, or evaluate more queries. other is worse."
    )


@pytest.mark.parametrize(
    ("required", "headline"),
    [
        ("RR > -0.2", "Of 2 candidates, new and other meet the requirements"),
        ("RR > 0.1", "Of 2 candidates, other meets the requirements"),
        ("RR > 0.24", "Of 2 candidates, none is shown to meet the requirements"),
    ],
)
def test_a_screen_of_several_opens_with_its_gate_as_that_of_two(required, headline):
    runs = {"old": run(1, 2), "new": run(1, 2, 2, 1), "other": run(1)}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=200)
    screen = screen_of(comparison, gate=rr.gate(comparison, required))
    assert screen.headline == headline
    assert screen.plain.startswith("other is better than old on RR.")
    assert screen_of(comparison).headline == "other is better than old on RR"


WORSE, BETTER = "Worse where segments is last", "Better where segments is first"


@pytest.mark.parametrize(
    ("margin", "named"), [(None, [WORSE]), (0.1, [WORSE, BETTER]), (0.2, [BETTER])]
)
def test_a_segment_that_differs_is_named_with_its_number(margin, named):
    evaluation = rr.evaluate(QRELS, HALF_WORSE, ["RR"])
    comparison = rr.compare(evaluation, segments=HALVES, resamples=200, margin=margin)
    screen = screen_of(comparison)
    assert [each.title for each in screen.segments] == named
    texts = {each.title: each.text for each in screen.segments}
    if WORSE in texts:  # from rank 2 to 3 in each of the 30
        assert re.fullmatch(r"-0\.167 \(.* to .*\), 30 queries; over all \+0\.167", texts[WORSE])
    assert not any("opposite" in look.title for look in screen.looks)
    for each in screen.segments:
        assert f"{each.title}: {each.text}" in re.sub(r"\\", "", markdown_of(comparison))


def test_a_segment_below_what_a_gate_allows_is_named_though_it_passes():
    comparison = rr.compare(rr.evaluate(QRELS, HALF_WORSE, ["RR"]), segments=HALVES, resamples=200)
    gate = rr.gate(comparison, "RR > -0.1")
    screen = screen_of(comparison, gate=gate)
    assert gate.outcome == "pass"
    assert screen.headline == f"new meets the requirements to replace old. {WORSE}"
    assert f"  {WORSE}: -0.167 (" in repr(gate)
    assert [each.title for each in screen.segments] == [WORSE, BETTER]


@pytest.mark.parametrize("margin", [None, 0.1])
def test_a_segment_that_gains_what_all_do_is_not_named(margin):
    better = {"old": run(2), "new": run(*[1] * 9, 2)}
    comparison = rr.compare(
        rr.evaluate(QRELS, better, ["RR"]), segments=HALVES, resamples=200, margin=margin
    )
    assert comparison.segments().frame["differs"].to_list() == [True, True]
    assert screen_of(comparison, gate=rr.gate(comparison, "RR > -0.1")).segments == ()


def test_the_word_for_a_caution_is_that_of_its_severity():
    comparison = rr.compare(rr.evaluate(QRELS, HALF_WORSE, ["RR"]), segments=HALVES, resamples=200)
    page = page_of(comparison)
    found = (page.tally, page.screen.looks, page.screen.others)
    assert found == ("1 to look at", (), "To look at: opposite in a segment")
    (look,) = comparison.verdict().cautions
    note = replace(look, severity="note", code="x", title="x")
    known = {"listed_segments": True}
    assert cautions_shown([look, note], **known)["others"] == "1 to look at, 1 note"
    assert cautions_shown([note, note], **known)["others"] == "Notes: x"


def test_segments_too_small_to_say_are_named_and_no_others():
    parts = {query: "few" if at < 20 else "many" for at, query in enumerate(QRELS)}
    comparison = rr.compare(rr.evaluate(QRELS, HALF_WORSE, ["RR"]), segments=parts, resamples=200)
    small = screen_of(comparison).segments[-1]
    assert (small.title, small.text) == ("Segments too small for a verdict", "segments few (20)")
    assert "\n- Segments too small for a verdict: segments few (20)" in markdown_of(comparison)


def markdown_of(comparison):
    return rr.report(comparison).to_markdown()
