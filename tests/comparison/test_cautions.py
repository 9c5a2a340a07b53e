"""What a comparison's reader is told to mind, and what not."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import rankreport as rr
from rankreport.comparison import PairDecision
from rankreport.comparison.cautions import comparison_cautions
from rankreport.comparison.difference import Difference
from rankreport.comparison.pairs import Pair
from rankreport.comparison.ties import is_reversible, range_of_ties
from rankreport.text import Caution

CLEAR = Difference(
    system="dense",
    baseline="bm25",
    measure="nDCG@10",
    n_queries=100,
    n_changed=60,
    delta=0.02,
    ci_low=0.01,
    ci_high=0.03,
    confidence=0.95,
    detectable=0.01,
)


def ties_of(**bounds):
    rows = [(system, "nDCG@10", 3, *ends) for system, ends in bounds.items()]
    columns = ["system", "measure", "n_queries", "worst", "value", "best"]
    return pl.DataFrame(rows, schema=columns, orient="row")


LEVEL = ties_of(bm25=(0.4, 0.4, 0.4), dense=(0.42, 0.42, 0.42))


def decided(found, ties=LEVEL, measure="nDCG@10", **given):
    measure = rr.parse(measure)
    bounds = {row["system"]: row for row in ties.filter(measure=str(measure)).rows(named=True)}
    ends = range_of_ties(found, measure, bounds, weighted=False)
    return PairDecision(found, over_ties=ends, reversible=is_reversible(found, ends), **given)


def cautions_on(*found, measure="nDCG@10", **given):
    return [caution.text for caution in weighed(*found, measure=measure, **given)]


def weighed(*found, measure="nDCG@10", ties=LEVEL, leading=None, **given):
    pairs = [decided(each, ties, measure) for each in found]
    first = leading and Pair(leading.baseline, leading.system)
    n_queries = {"bm25": 100, "dense": 100}
    primary = rr.parse(measure)
    return list(comparison_cautions(pairs, primary, n_queries=n_queries, leading=first, **given))


def test_where_nothing_is_to_be_minded_nothing_is_said():
    assert cautions_on(CLEAR) == []
    unchanged = {"n_changed": 0, "delta": 0.0, "ci_low": None, "ci_high": None}
    assert cautions_on(replace(CLEAR, **unchanged)) == []
    assert cautions_on(replace(CLEAR, **unchanged | {"n_queries": 0, "delta": None})) == []


def test_few_changed_queries_of_all_pairs_are_one_sentence():
    few = [replace(CLEAR, system=f"s{n}", n_changed=n) for n in (19, 20, 9)]
    (sentence,) = cautions_on(*few)
    assert sentence == (
        "Few queries changed: s19 against bm25 (19 of 100), s9 against bm25 (9 of 100). "
        "With fewer than 20 changed, an interval may be too narrow; with fewer than 10, no system "
        "is called better or worse."
    )


def test_many_pairs_are_counted():
    few = [replace(CLEAR, system=f"s{n}", n_changed=n) for n in range(1, 8)]
    (sentence,) = cautions_on(*few)
    assert "s5 against bm25 (5 of 100), and 2 more. With" in sentence
    assert "more" not in cautions_on(*few[:5])[0]


def test_a_few_queries_that_carry_a_gain():
    (sentence,) = cautions_on(replace(CLEAR, first_share=0.3, top_share=1.2))
    assert sentence == (
        "A few queries make up most of the difference in nDCG@10: dense against bm25 (five "
        "queries account for more than the whole difference)."
    )
    assert cautions_on(replace(CLEAR, first_share=0.3, top_share=1.2, ci_low=-0.01)) == []


@pytest.mark.parametrize(
    ("bm25", "dense", "delta", "words"),
    [
        # 0.41 - 0.42 to 0.43 - 0.4
        (
            (0.4, 0.4, 0.42),
            (0.41, 0.42, 0.43),
            0.02,
            "+0.020; -0.010 to +0.030 depending on the order",
        ),
        (
            (0.40, 0.42, 0.42),
            (0.4, 0.4, 0.43),
            -0.02,
            "-0.020; -0.020 to +0.030 depending on the order",
        ),
        ((0.4, 0.4, 0.4), (0.41, 0.42, 0.43), 0.02, ""),  # higher in any order
        ((0.4, 0.4, 0.42), (0.42, 0.42, 0.42), 0.02, ""),  # equal at the worst
        ((0.40, 0.42, 0.42), (0.4, 0.4, 0.4), -0.02, ""),
        ((None, 0.4, None), (0.41, 0.42, 0.43), 0.02, ""),  # bounds not known
        # The means are of other queries, or weighted: they don't bound the difference.
        ((0.4, 0.4, 0.42), (0.41, 0.42, 0.43), 0.03, ""),
    ],
)
def test_ties_that_could_turn_the_sign(bm25, dense, delta, words):
    sentences = cautions_on(replace(CLEAR, delta=delta), ties=ties_of(bm25=bm25, dense=dense))
    expected = (
        f"Another order of equal scores could reverse the sign of a difference: dense against bm25 "
        f"({words})."
    )
    assert sentences == ([expected] if words else [])


def test_bounds_of_sums_are_taken_by_query():
    # Of 100 queries: 41 - 42 to 43 - 40 documents in all.
    ties = ties_of(bm25=(40.0, 40.0, 42.0), dense=(41.0, 42.0, 43.0)).with_columns(
        measure=pl.lit("NumRelRet")
    )
    (sentence,) = cautions_on(replace(CLEAR, measure="NumRelRet"), measure="NumRelRet", ties=ties)
    assert "(+0.020; -0.010 to +0.030 depending on the order)" in sentence


def test_weighted_differences_are_moved_as_far_as_the_unweighted_are():
    qrels = {f"q{i}": {"a": 1} for i in range(30)}
    clear = {q: {"a": 0.5, "b": 1.0} for q in qrels}
    tied = {q: {"a": 1.0, "b": 1.0, "0": 0.5} for q in qrels}
    for i in range(0, 30, 3):
        clear[f"q{i}"]["a"] = 2.0
    evaluation = rr.evaluate(qrels, {"clear": clear, "tied": tied}, ["RR"])
    # Of clear 10 are 1 and 20 are 1/2: 2/3. Of tied all are 1/2, of which ties make 1.
    plain, weighted = (
        rr.compare(evaluation, resamples=200, weights=weights)
        for weights in (None, {q: 2.0 if int(q[1:]) % 3 == 0 else 1.0 for q in qrels})
    )
    for comparison, words in (
        (plain, "(-0.167; -0.167 to +0.333 depending on the order)"),
        # By weights, clear has (20 + 10) / 40.
        (weighted, "(-0.250; about -0.250 to +0.250 depending on the order)"),
    ):
        (caution,) = [c for c in comparison.cautions if c.code == "ties_reverse"]
        assert caution.text.endswith(f"tied against clear {words}.")
        assert caution.severity == "stop"
    # Who takes the mean over all orders has done what is advised.
    means = rr.evaluate(qrels, {"clear": clear, "tied": tied}, ["RR"], ties="expected")
    of_means = rr.compare(means, resamples=200)
    assert "ties_reverse" not in [each.code for each in of_means.cautions]
    assert "stop" not in [each.severity for each in of_means.cautions]
    (caution,) = [c for c in weighted.cautions if c.code == "equal_scores"]
    assert "of tied in 30 queries (unweighted mean 0.5000 to 1.0000)" in caution.text


def test_the_sign_does_turn_where_it_is_said_to():
    """By real runs: each order of equal scores is tried, the bounds of the sentence are met."""
    qrels = {f"q{i}": {"good": 1} for i in range(30)}
    clear = {f"q{i}": {"good": 2.0 if i < 15 else 0.5, "bad": 1.0} for i in range(30)}
    tied = {f"q{i}": {"good": 1.0, "bad": 1.0} for i in range(30)}
    deltas = {}
    for rule in ("trec", "worst", "best"):
        evaluation = rr.evaluate(qrels, {"clear": clear, "tied": tied}, ["RR"], ties=rule)
        rows = dict(evaluation.summary().iter_rows())
        deltas[rule] = rows["tied"] - rows["clear"]
    low, high = deltas["worst"], deltas["best"]
    evaluation = rr.evaluate(qrels, {"clear": clear, "tied": tied}, ["RR"])
    found = replace(
        CLEAR, system="tied", baseline="clear", measure="RR", n_queries=30, delta=deltas["trec"]
    )
    (caution,) = weighed(found, measure="RR", ties=evaluation.ties())
    assert low == pytest.approx(-0.25)
    assert high == pytest.approx(0.25)
    assert caution.text.endswith(
        f"tied against clear ({deltas['trec']:+.3f}; -0.250 to +0.250 depending on the order)."
    )


def test_a_sign_that_ties_could_turn_weighs_most_where_a_verdict_hangs_on_it():
    ties = ties_of(bm25=(0.4, 0.4, 0.42), dense=(0.41, 0.42, 0.43), new=(0.41, 0.42, 0.43))
    other = replace(CLEAR, system="new")

    def severities(*found, leading):
        made = weighed(*found, ties=ties, leading=leading)
        return {name: each.severity for each in made for _, name in each.concerns}

    assert severities(CLEAR, other, leading=CLEAR) == {"dense": "stop", "new": "look"}
    nothing_concluded = replace(CLEAR, ci_low=-0.01)
    assert severities(nothing_concluded, leading=CLEAR) == {"dense": "look"}


def test_systems_that_scored_alike_are_asked_about():
    equal = replace(CLEAR, n_changed=0, delta=0.0, ci_low=None, ci_high=None)
    alike = {Pair("bm25", "dense")}
    assert weighed(equal, alike=alike, leading=equal) == [
        Caution(
            code="same_scores",
            severity="look",
            text="Identical scores on every query and measure: dense against bm25 (100 queries).",
            title="identical scores",
            count=1,
            examples=("dense against bm25",),
            remedy="Is it the same run twice?",
            concerns=(("bm25", "dense"),),
        )
    ]


def lists(document, n=40):
    return {f"q{i}": {document: 2.0, "x": 1.0} for i in range(n)}


QRELS = {f"q{i}": {"r": 1, "x": 0} for i in range(40)}


@pytest.mark.parametrize(
    ("measures", "new", "alike"),
    [
        (["RR"], lists("r"), True),
        (["RR", "P@2"], lists("r"), True),
        (["RR", "P@2"], lists("r", 39), False),
        # Alike by the measure that decides, and not by the other.
        (["RR", "NumRet"], {q: {"r": 2.0} for q in QRELS}, False),
    ],
)
def test_alike_is_what_no_measure_tells_apart(measures, new, alike):
    found = rr.compare(rr.evaluate(QRELS, {"old": lists("r"), "new": new}, measures))
    assert any("same run twice" in caution.remedy for caution in found.cautions) is alike


def test_systems_that_found_nothing_are_not_called_alike():
    nothing = rr.evaluate(QRELS, {"old": lists("y"), "new": lists("z")}, ["RR"])
    codes = {caution.code for caution in rr.compare(nothing).cautions}
    assert codes  # the runs are not passed over in silence
    assert "same_scores" not in codes


def test_a_difference_of_far_fewer_queries_than_there_are():
    assert cautions_on(replace(CLEAR, n_queries=79)) == [
        (
            "Not all queries have a value for both systems; the others are left out: dense "
            "against bm25 (79 of 100)."
        )
    ]
    assert cautions_on(replace(CLEAR, n_queries=80)) == []
    # Those without a weight were never to count.
    weights = [1.0] * 80 + [0.0] * 20
    assert cautions_on(replace(CLEAR, n_queries=64), weights=weights) == []
    assert len(cautions_on(replace(CLEAR, n_queries=63), weights=weights)) == 1


ON_JUDGED = replace(CLEAR, delta=0.004, ci_low=-0.01, ci_high=0.018)


def test_pairs_that_unjudged_documents_matter_to_are_named_with_what_judged_ones_say():
    new = replace(CLEAR, system="new", on_judged=replace(ON_JUDGED, system="new"))
    judged = {"bm25": 0.9, "dense": 0.86, "new": 0.6}
    (caution,) = weighed(CLEAR, new, judged=judged)
    assert caution.text == (
        "Unjudged documents count as not relevant. Of the first 10: new against bm25 (judged: "
        "60 % of new, 90 % of bm25; on judged documents nDCG@10 +0.004 (95 % interval "
        "-0.010 to +0.018))."
    )
    assert caution.severity == "look"
    assert caution.concerns == (("bm25", "new"),)
    assert caution.remedy == "Judge the unjudged documents at the top of the lists."
    # However unevenly they are judged: what is not compared on judged documents is not named.
    assert cautions_on(CLEAR, judged={"bm25": 0.9, "dense": 0.1}) == []


def test_bounds_over_all_grades_are_given_where_they_are_known():
    bounded = replace(CLEAR, on_judged=ON_JUDGED, lowest=-0.05, highest=0.03)
    (sentence,) = cautions_on(bounded, judged={"bm25": 0.9, "dense": 0.6})
    assert sentence.endswith(
        "on judged documents nDCG@10 +0.004 (95 % interval -0.010 to +0.018); depending on the "
        "grades of the others, between -0.050 and +0.030)."
    )


@pytest.mark.parametrize(("measure", "k"), [("nDCG@3", 3), ("AP", 10)])
def test_without_a_cut_off_the_first_ten_are_looked_at(measure, k):
    found = replace(CLEAR, measure=measure, on_judged=replace(ON_JUDGED, measure=measure))
    (sentence,) = cautions_on(found, measure=measure, judged={"bm25": 0.9, "dense": 0.8})
    assert f"Of the first {k}: dense against bm25 (judged: 80 % of dense, 90 % of bm25;" in sentence


def test_weights_by_which_few_queries_decide():
    # One of 91 queries weighs as much as all others: (90 + 90)^2 / (90^2 + 90) = 3.956.
    weights = [1.0] * 90 + [90.0, 0.0]
    (sentence,) = cautions_on(replace(CLEAR, n_queries=91), weights=weights)
    assert sentence == (
        "The weights reduce 91 queries to an effective number of 4.0; the 10 heaviest hold "
        "55 % of the weight."
    )
    assert cautions_on(CLEAR, weights=[2.0] * 100) == []
    # (10 * 3 + 31)^2 / (10 * 9 + 31) = 30.8, and (10 * 4 + 30)^2 / (10 * 16 + 30) = 25.8.
    assert cautions_on(CLEAR, weights=[3.0] * 10 + [1.0] * 31) == []
    assert (
        "40 queries to an effective number of 25.8"
        in cautions_on(CLEAR, weights=[4.0] * 10 + [1.0] * 30)[0]
    )
    assert "the 2 heaviest hold 100 %" in cautions_on(CLEAR, weights=[1.0, 3.0])[0]
    # Few queries of equal weight are few, which is not the doing of the weights.
    assert cautions_on(CLEAR, weights=[1.0] * 20) == []


def test_queries_that_weigh_nothing_are_counted():
    assert [str(each) for each in weighed(CLEAR, n_unweighted=1, n_weightless=2)] == [
        "Queries without a weight are left out: 1. Are they in the query table?",
        "Queries of weight 0 are left out: 2.",
    ]


def test_hostile_names_stay_as_they_are_written():
    """Each renderer writes them out; here they are text."""
    (sentence,) = cautions_on(replace(CLEAR, system="<b>\u202e", n_changed=3))
    assert "<b>\u202e against bm25 (3 of 100)" in sentence
