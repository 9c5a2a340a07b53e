"""gate(): judged by hand, set against SciPy and statsmodels, never saying more than a verdict."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from html import escape
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankreport as rr
from rankreport.comparison import Basis, Difference, paper_table_of
from rankreport.comparison.decision import DEPENDS_ON
from rankreport.gates import Finding, Gate, gate, passing_of_many
from rankreport.gates.junit import Case, Suite, junit
from rankreport.gates.requirements import Requirement, measures_required, read_requirements
from rankreport.gates.values import detailed_candidates
from rankreport.tables import tex
from rankreport.text import labelled, markdown


@pytest.fixture(autouse=True)
def declared():
    """A measure whose value is the score of a query's document: null where it is not returned."""

    @rr.measure(
        title="The value that a test wants",
        family="test",
        formula="s",
        source="none",
        range=(-1, 1),
        nothing_returned="undefined",
    )
    def Gated() -> pl.Expr:
        """Whatever the test wants it to be."""
        return pl.col("score").first()


RUNS = {"mine": {"q": {"d": 1.0}}}


def named(i):
    return f"q{i:04}"


def by_values(**systems):
    """Evaluate systems that have these very values, None being undefined."""
    n = len(next(iter(systems.values())))
    runs = {
        name: {
            named(i): {"x": 0.0} if value is None else {"r": float(value)}
            for i, value in enumerate(values)
        }
        for name, values in systems.items()
    }
    return rr.evaluate({named(i): {"r": 1} for i in range(n)}, runs, ["Gated"])


def by_deltas(*several, **options):
    """Compare systems whose differences from a baseline, of 0 everywhere, are these."""
    options = {"interval": "t", "test": "t", "resamples": 200} | options
    named_deltas = {f"new{i}": deltas for i, deltas in enumerate(several)}
    return rr.compare(by_values(old=[0.0] * len(several[0]), **named_deltas), **options)


def drawn(n=60, mean=0.02, seed=0):
    deltas = np.random.default_rng(seed).normal(mean, 0.1, n)
    return deltas.round(6)


def outcome(comparison, *requirements):
    return gate(comparison, requirements).outcome


# What is required


@pytest.mark.parametrize(
    ("text", "kind", "threshold", "rises", "words"),
    [
        ("nDCG@10 > -0.01", "non-inferiority", -0.01, True, "nDCG@10 may fall by at most 0.01"),
        ("nDCG@10>=-1e-2", "non-inferiority", -0.01, True, "nDCG@10 may fall by at most 0.01"),
        ("nDCG@10 < 0.01", "non-inferiority", 0.01, False, "nDCG@10 may rise by at most 0.01"),
        ("nDCG@10 > 0", "superiority", 0, True, "nDCG@10 must rise"),
        ("nDCG@10 > -0.0", "superiority", 0, True, "nDCG@10 must rise"),
        ("nDCG@10 > 0.02", "superiority", 0.02, True, "nDCG@10 must rise by more than 0.02"),
        ("nDCG@10 <= 0", "superiority", 0, False, "nDCG@10 must fall"),
        ("nDCG@10 < -.02", "superiority", -0.02, False, "nDCG@10 must fall by more than 0.02"),
        (
            " abs( nDCG@10 ) <.02 ",
            "equivalence",
            0.02,
            True,
            "nDCG@10 may change by less than 0.02 in either direction",
        ),
        (
            "nDCG(discount='log2', gain='linear')@10 > 0",
            "superiority",
            0,
            True,
            "nDCG@10 must rise",
        ),
        ("ndcg_cut_10 > 0", "superiority", 0, True, "nDCG@10 must rise"),
    ],
)
def test_requirements_are_read(text, kind, threshold, rises, words):
    evaluation = rr.evaluate({"q": {"d": 1}}, {"mine": {"q": {"d": 1.0}}}, ["nDCG@10"])
    (found,) = read_requirements(text, evaluation)
    assert found == Requirement(text.strip(), rr.nDCG @ 10, kind, threshold, rises)
    assert found.words == words


@pytest.mark.parametrize(
    ("text", "aggregate", "words"),
    [
        ("median( nDCG(gain='exp')@10 ) > 0", "median", 'median(nDCG(gain="exp")@10) must rise'),
        ("p2.5(AP) > -.02", "p2.5", "p2.5(AP) may fall by at most 0.02"),
        ("mean(AP) > 0", "mean", "AP must rise"),
        (
            "abs(std(AP)) < .02",
            "std",
            "std(AP) may change by less than 0.02 in either direction",
        ),
    ],
)
def test_requirements_on_other_aggregates_are_read(text, aggregate, words):
    measures = ["nDCG(gain='exp')@10", "AP"]
    evaluation = rr.evaluate({"q": {"d": 1}}, {"mine": {"q": {"d": 1.0}}}, measures)
    (found,) = read_requirements(text, evaluation)
    assert (found.aggregate, found.words) == (aggregate, words)
    assert measures_required(text)[0] in measures


def test_the_measures_are_those_required_each_once():
    texts = ["nDCG(gain='exp')@10 > -0.01", "abs( AP(rel=2) ) < .1", "AP > 0", "AP < 0.1"]
    assert measures_required(texts) == ["nDCG(gain='exp')@10", "AP(rel=2)", "AP"]
    assert measures_required("RBP(p=0.5)@20>=0") == ["RBP(p=0.5)@20"]


def test_names_of_measures_are_those_of_the_profile():
    runs = {"old": {"q": {"d": 1.0}}, "new": {"q": {"d": 1.0}}}
    evaluation = rr.evaluate({"q": {"d": 1}}, runs, ["ndcg@5"], profile="ranx")
    made = gate(rr.compare(evaluation), "ndcg@5 > -0.01")
    assert made.table()["measure"].to_list() == [str(evaluation.measures[0])]
    assert made.table()["requirement"].to_list() == ["ndcg@5 > -0.01"]


@pytest.mark.parametrize(
    ("requirements", "message"),
    [
        ([], r"No requirement given; give one or more, such as 'nDCG@10 > -0\.01'"),
        ("", r"'' is not a requirement: expected a measure, one of > >= < <=, and a number"),
        ("RR", r"'RR' is not a requirement"),
        ("RR > ", r"'RR > ' is not a requirement"),
        ("RR == 0", r"'RR == 0' is not a requirement"),
        ("RR > 1 %", r"In 'RR > 1 %', '1 %' is not a number: expected one"),
        ("RR > AP", r"'AP' is not a number"),
        ("RR > nan", r"'nan' is not finite"),
        ("RR < inf", r"'inf' is not finite"),
        ("abs(RR) > 0.1", r"abs\(\) is for equivalence, which takes < and a margin above 0"),
        ("abs(RR) < 0", r"which takes < and a margin above 0, such as 'abs\(AP\) < 0\.02'"),
        ("abs(RR) < -0.1", r"which takes < and a margin above 0"),
        ("RRR > 0", r"'RRR' is not a measure\. Did you mean 'RR'\?"),
        ("RR@100 > 0", r"'RR@100 > 0' is of RR@100, which was not .* Evaluated: RR, AP@10; "),
        ("AP@100 > 0", r"evaluate AP@100 too\. Did you mean 'AP@10'\?"),
        ("P_5,10 > 0", r"names several measures; give one requirement for each"),
        ("RR > 0.6", r"0\.6 looks like a level of RR, which lies between 0 and 1\. Expected a"),
        ("RR < 0.25", r"nearer to 0 than 0\.25, such as 'RR > -0\.01'"),
        ("abs(AP@10) < 0.5", r"0\.5 looks like a level of AP"),
        (["RR > 0", "AP@10>0", "RR>=0"], r"'RR > 0' and 'RR>=0' require the same; give one"),
        (5, r"Requirements are texts such as 'nDCG@10 > -0\.01'.*; found int"),
        ([5], r"A requirement is a text such as .*; found int"),
    ],
)
def test_what_cannot_be_required_is_refused(requirements, message):
    runs = {"old": {"q": {"d": 1.0}}, "new": {"q": {"d": 1.0}}}
    comparison = rr.compare(rr.evaluate({"q": {"d": 1}}, runs, ["RR", "AP@10"]))
    with pytest.raises((rr.OptionError, rr.MeasureError), match=message):
        gate(comparison, requirements)


def test_a_measure_without_bounds_has_no_level():
    qrels = {named(i): {"d": 1, "e": 3} for i in range(40)}
    old = {query: {"d": 2.0, "e": 3.0} for query in qrels}
    new = {query: {"d": 2.0, "e": 3.0 - 2 * (at % 2)} for at, query in enumerate(qrels)}
    comparison = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, ["DCG"]))
    assert outcome(comparison, "DCG > -500") == "pass"


def test_options_are_checked():
    comparison = by_deltas(drawn())
    with pytest.raises(
        rr.OptionError, match=r"gate\(\) takes what compare\(\) returns; found Eval"
    ):
        gate(comparison.evaluation, "Gated > 0")
    with pytest.raises(rr.OptionError, match=r"inconclusive='passes' .* Did you mean 'pass'\?"):
        gate(comparison, "Gated > 0", inconclusive="passes")
    with pytest.raises(rr.OptionError, match=r"confidence=0\.5 allows no one-sided interval"):
        gate(by_deltas(drawn(), confidence=0.5), "Gated > -1")


# Judged by hand


def finding(text, ends, *, n_changed=50, n_queries=60, delta=0.0):
    evaluation = rr.evaluate({"q": {"d": 1}}, {"mine": {"q": {"d": 1.0}}}, ["RR"])
    (required,) = read_requirements(text, evaluation)
    found = Difference(
        "new", "old", "RR", n_queries, n_changed, delta, None, None, 0.95, detectable=None
    )
    return Finding(required, found, *ends, own=ends)


NO_ENDS = (None, None)
UNDECIDED = "which neither confirms nor excludes it"
FEW = "but only 9 queries changed, and 10 are needed"


@pytest.mark.parametrize(
    ("required", "ends", "expected"),
    [
        ("RR > -0.01", (-0.009, 0.02), "pass"),
        ("RR > -0.01", (-0.011, 0.02), "inconclusive"),
        ("RR > -0.01", (-0.03, -0.009), "inconclusive"),
        ("RR > -0.01", (-0.03, -0.011), "fail"),
        ("RR < 0.01", (-0.02, 0.009), "pass"),
        ("RR < 0.01", (0.005, 0.02), "inconclusive"),
        ("RR < 0.01", (0.011, 0.02), "fail"),
        ("RR > 0", (0.001, 0.02), "pass"),
        ("RR > 0", (0.0, 0.02), "inconclusive"),
        ("RR > 0", (-0.02, 0.0), "inconclusive"),
        ("RR > 0", (-0.02, -0.001), "fail"),
        ("RR > 0.02", (0.001, 0.019), "fail"),
        ("RR < 0", (-0.02, -0.001), "pass"),
        ("RR < 0", (0.001, 0.02), "fail"),
        ("abs(RR) < 0.02", (-0.019, 0.019), "pass"),
        ("abs(RR) < 0.02", (-0.021, 0.019), "inconclusive"),
        ("abs(RR) < 0.02", (-0.019, 0.021), "inconclusive"),
        ("abs(RR) < 0.02", (-0.03, 0.03), "inconclusive"),
        ("abs(RR) < 0.02", (0.021, 0.05), "fail"),
        ("abs(RR) < 0.02", (-0.05, -0.021), "fail"),
    ],
)
def test_the_interval_decides(required, ends, expected):
    assert finding(required, ends).outcome == expected
    assert finding(required, ends, n_changed=10).outcome == expected
    few = finding(required, ends, n_changed=9)
    safe = expected == "pass" and few.requirement.kind != "superiority"
    assert few.outcome == ("pass" if safe else "inconclusive")
    nearly_all = finding(required, ends, n_changed=9, n_queries=10)
    assert nearly_all.outcome == few.outcome
    assert (nearly_all.decided_by == "too_few_queries") == (few.decided_by == "too_few_changed")
    assert "only 10 queries in all" in nearly_all.reason or nearly_all.decided_by == "interval"


@pytest.mark.parametrize(
    ("required", "expected"),
    [
        ("RR > -0.01", "pass"),
        ("RR < 0.01", "pass"),
        ("abs(RR) < 0.01", "pass"),
        ("RR > 0", "inconclusive"),
        ("RR < -0.01", "inconclusive"),
    ],
)
def test_identical_results_are_not_worse_and_not_better(required, expected):
    same = replace(finding(required, NO_ENDS, n_changed=0), identical=True)
    assert (same.outcome, same.decided_by) == (expected, "identical_results")
    assert same.reason.endswith("; identical results")
    assert finding(required, NO_ENDS, n_changed=60, delta=0.1).outcome == "inconclusive"
    none = finding(required, NO_ENDS, n_changed=0, n_queries=0, delta=None)
    assert (none.outcome, none.decided_by) == ("inconclusive", "no_value")
    assert none.reason.endswith("; no query has a value for both systems")


@pytest.mark.parametrize(
    ("found", "outcome", "required", "why"),
    [
        (
            finding("RR > -0.01", (0.004, 0.04), delta=0.0213),
            "passes",
            "RR may fall by at most 0.01",
            "it changed by +0.021 (one-sided 95 % lower bound +0.004)",
        ),
        (
            finding("RR > -0.01", (-0.09, -0.031), delta=-0.06),
            "fails",
            "RR may fall by at most 0.01",
            "it changed by -0.060 (one-sided 95 % upper bound -0.031)",
        ),
        (
            finding("RR < 0.01", (-0.09, 0.004), delta=-0.06),
            "passes",
            "RR may rise by at most 0.01",
            "it changed by -0.060 (one-sided 95 % upper bound +0.004)",
        ),
        (
            finding("RR < 0.01", (0.031, 0.09), delta=0.06),
            "fails",
            "RR may rise by at most 0.01",
            "it changed by +0.060 (one-sided 95 % lower bound +0.031)",
        ),
        (
            finding("RR > 0", (-0.01, 0.03), delta=0.01),
            "inconclusive",
            "RR must rise",
            f"it changed by +0.010 (95 % interval -0.010 to +0.030), {UNDECIDED}",
        ),
        (
            finding("RR > 0", (0.01, 0.03), delta=0.02, n_changed=9),
            "inconclusive",
            "RR must rise",
            f"it changed by +0.020 (95 % interval +0.010 to +0.030), {FEW}",
        ),
        (
            finding("abs(RR) < 0.02", (-0.01, 0.01)),
            "passes",
            "RR may change by less than 0.02 in either direction",
            "it changed by 0.000 (90 % interval -0.010 to +0.010)",
        ),
    ],
)
def test_reasons_are_sentences(found, outcome, required, why):
    assert found.reason == f"{outcome}: {required}; {why}"


@pytest.mark.parametrize("n_changed", [1, 9, 10, 19, 20])
def test_few_changed_queries_are_spoken_of(n_changed):
    passes = finding("RR > -0.01", (0.004, 0.04), delta=0.02, n_changed=n_changed)
    assert passes.outcome == "pass"
    counted = "1 query" if n_changed == 1 else f"{n_changed} queries"
    words = f"; only {counted} changed, so the interval may be too narrow"
    assert passes.reason.endswith(words) == (n_changed < 20)


def test_an_end_is_told_from_the_threshold():
    near = finding("RR > -0.01", (-0.01004, 0.02), delta=0.005)
    assert near.interval == "one-sided 95 % lower bound -0.01004"
    fails = finding("RR > -0.01", (-0.02, -0.010004), delta=-0.015)
    assert fails.interval == "one-sided 95 % upper bound -0.010004"
    either_way = finding("abs(RR) < 0.02", (-0.02003, 0.01))
    assert either_way.interval == "90 % interval -0.02003 to +0.01000"
    small = finding("RR > 0", (0.0002, 0.002), delta=0.001)
    assert small.interval == "95 % interval +0.0002 to +0.0020"


def test_what_limits_nothing_needs_no_digits():
    mirrored = finding("RR > -0.02", (-0.032367, 0.020001), delta=-0.005298)
    assert mirrored.interval == "one-sided 95 % lower bound -0.032"
    assert mirrored.change == "-0.005"
    change = finding("RR > -0.02", (-0.05, 0.01), delta=-0.020001)
    assert change.change == "-0.020"
    # Printed as -0.013, it is as clearly below -0.0125 as it is.
    finer = finding("RR > -0.0125", (-0.0134, 0.02), delta=0.003)
    assert finer.interval == "one-sided 95 % lower bound -0.013"


# Set against other programs


def ends(deltas, largest, alpha=0.05):
    """Return the ends that decide, by SciPy's t and Clopper and Pearson's end."""
    n, mean = len(deltas), np.mean(deltas)
    h = stats.sem(deltas) * stats.t.ppf(1 - alpha, n - 1)
    c = largest * stats.binomtest(0, n).proportion_ci(1 - 2 * alpha, method="exact").high
    distance = max(c, math.sqrt(h**2 + c**2 / 4))
    return mean - distance, mean + distance


@pytest.mark.parametrize("seed", range(6))
def test_non_inferiority_is_judged_by_one_sided_ends(seed):
    deltas = drawn(300, mean=0.03 - 0.01 * seed, seed=seed)
    (low, high), comparison = ends(deltas, 0.5), by_deltas(deltas, largest_loss=0.5)
    for threshold in (0.02, 0.05):
        falls = "pass" if low > -threshold else "fail" if high < -threshold else "inconclusive"
        rises = "pass" if high < threshold else "fail" if low > threshold else "inconclusive"
        assert outcome(comparison, f"Gated > {-threshold}") == falls
        assert outcome(comparison, f"Gated < {threshold}") == rises


@pytest.mark.parametrize("seed", range(4))
def test_equivalence_is_two_one_sided_ends(seed):
    deltas = drawn(300, mean=0.01 * seed, seed=seed)
    (low, high), comparison = ends(deltas, 0.5), by_deltas(deltas, largest_loss=0.5)
    for margin in (0.02, 0.03, 0.05):
        passes = outcome(comparison, f"abs(Gated) < {margin}") == "pass"
        assert passes == (-margin < low and high < margin)


@pytest.mark.parametrize("seed", range(6))
def test_superiority_is_two_sided(seed):
    deltas = drawn(300, mean=0.015 * (seed % 5) - 0.03, seed=seed)
    low, high = ends(deltas, 0.5, alpha=0.025)
    expected = "pass" if low > 0 else "fail" if high < 0 else "inconclusive"
    assert outcome(by_deltas(deltas, largest_loss=0.5), "Gated > 0") == expected


def test_candidates_are_corrected_and_requirements_are_not():
    """Ends are those of a comparison at the requirement's level: simultaneous, by max-t."""
    several = [drawn(seed=seed) for seed in range(3)]
    made = gate(by_deltas(*several), ["Gated > -0.01", "Gated > 0"])
    for confidence, kind in ((0.9, "non-inferiority"), (0.95, "superiority")):
        found = [each for each in made.findings if each.requirement.kind == kind]
        assert {each.confidence for each in found} == {confidence}
        compared = by_deltas(*several, confidence=confidence).table()
        for each, row, deltas in zip(found, compared.rows(named=True), several, strict=True):
            assert each.own == pytest.approx((row["ci_low"], row["ci_high"]), abs=1e-12)
            alone, bonferroni = (
                stats.t.interval(1 - (1 - confidence) / n, 59, np.mean(deltas), stats.sem(deltas))
                for n in (1, 3)
            )
            assert bonferroni[0] - 1e-12 <= each.own[0] < alone[0]
            assert alone[1] < each.own[1] <= bonferroni[1] + 1e-12
    alone = gate(by_deltas(*several, correction="none"), "Gated > 0").table()
    low, _ = ends(several[1], 2, alpha=0.025)
    assert alone.row(1, named=True)["ci_low"] == pytest.approx(low, abs=1e-12)


def test_a_correction_across_measures_is_not_one_across_requirements():
    values = {name: drawn(seed=i).tolist() for i, name in enumerate(("old", "new"))}
    evaluation = by_values(**values)
    # Measures that do not vary would take no part in the simultaneous intervals.
    varied = (rr.TPR(t=0), rr.TPR(t=0.1))
    evaluation = replace(evaluation, measures=(*evaluation.measures, *varied))
    several = rr.compare(evaluation, interval="t", resamples=200)
    assert several.table()["n_changed"].min() >= 10
    all_at_once = rr.compare(evaluation, interval="t", resamples=200, across="measures")
    tables = [gate(c, ["Gated > 0", "Gated < 0.1"]).table() for c in (several, all_at_once)]
    assert tables[0].equals(tables[1])
    first = gate(several, "Gated > 0").findings[0]
    assert all_at_once.intervals(["t"])["ci_low"][0] < first.own[0]
    judged = gate(all_at_once, "Gated > 0")
    assert "**The gate is inconclusive.**" in rr.report(all_at_once, gate=judged).to_markdown()


# Rare failures


def in_two_ways(*deltas, **options):
    """Compare systems with these differences, whose lists are never the same."""
    n = len(deltas)
    qrels = {named(at): {"r": 1} for at in range(n)}
    old = {named(at): {"r": 0.0, "x": -1.0} for at in range(n)}
    new = {named(at): {"r": float(delta), "y": -2.0} for at, delta in enumerate(deltas)}
    evaluation = rr.evaluate(qrels, {"old": old, "new": new}, ["Gated"])
    return rr.compare(evaluation, interval="t", test="t", resamples=200, **options)


def judged(comparison, requirement="Gated > -0.02", **options):
    (found,) = gate(comparison, requirement, **options).findings
    return found


def test_unchanged_queries_pass_only_where_there_are_enough():
    # Clopper and Pearson with none of n: 2 (1 - 0.05^(1/n)) <= 0.02 from n = 299 on.
    few, enough = in_two_ways(*[0.0] * 298), in_two_ways(*[0.0] * 299)
    assert (judged(few).outcome, judged(enough).outcome) == ("inconclusive", "pass")
    assert judged(few).decided_by == "rare_failures"
    assert judged(few).ci_low == pytest.approx(-2 * (1 - 0.05 ** (1 / 298)), rel=1e-6)
    assert judged(in_two_ways(*[0.0] * 60)).reason == (
        "inconclusive: Gated may fall by at most 0.02; no query here lost, but 60 "
        "queries cannot exclude that up to 4.9 % of all queries lose the most possible (2): at "
        "worst -0.097; 299 queries without a change would pass at 0.02"
    )
    assert judged(in_two_ways(*[0.0] * 160), largest_loss=1).outcome == "pass"


def test_how_many_queries_lost_a_little_does_not_matter():
    for n_losers in (0, 9, 10, 30):
        deltas = [0.05] * 30 + [-0.001] * n_losers + [0.0] * 60
        found = judged(in_two_ways(*deltas))
        assert found.ci_low == pytest.approx(ends(deltas, 2)[0], rel=1e-9)
        assert (found.outcome, found.decided_by) == ("inconclusive", "rare_failures")
        share, at_most = 100 * (1 - 0.05 ** (1 / len(deltas))), " more than 1" * (n_losers > 0)
        assert found.reason.endswith(
            f"which neither confirms nor excludes it; no query here lost{at_most}, but "
            f"{len(deltas)} queries cannot exclude that up to {share:.1f} % of all "
            "queries lose the most possible (2)"
        )


def test_where_the_spread_says_more_than_rare_failures_could_do_it_decides():
    deltas = drawn(400, 0.03, seed=3)
    comparison = in_two_ways(*deltas, largest_loss=1)
    found = judged(comparison)
    assert (found.outcome, found.decided_by) == ("pass", "interval")
    assert found.ci_low == pytest.approx(ends(deltas, 1)[0], rel=1e-9)
    assert found.own[0] > found.ci_low > -0.02
    assert "cannot exclude" not in found.reason
    # A gate's own largest loss comes before the comparison's.
    assert judged(comparison, largest_loss=1.9).ci_low == pytest.approx(
        ends(deltas, 1.9)[0], rel=1e-9
    )


def test_rare_gains_leave_a_fall_open():
    found = judged(in_two_ways(*[-0.05] * 20, *[-0.06] * 20))
    assert (found.outcome, found.decided_by) == ("inconclusive", "rare_failures")
    assert "no query here gained, but 40 queries cannot exclude" in found.reason
    assert "up to 7.2 % of all queries gain the most possible (2)" in found.reason


def test_with_weights_the_interval_decides_and_the_gate_says_so():
    weights = {named(at): 1.0 + at % 3 for at in range(400)}
    comparison = in_two_ways(*[0.1] * 20, *[0.0] * 380, weights=weights)
    found = judged(comparison)
    assert (found.outcome, found.decided_by) == ("pass", "interval")
    assert (found.ci_low, found.ci_high) == found.own
    assert found.reason.endswith(
        "rare failures are not allowed for: with weights, no bound on them is known; without, they "
        "are"
    )


def test_clusters_are_units():
    clusters = {named(at): f"user{at % 40}" for at in range(400)}
    alone, clustered = in_two_ways(*[0.0] * 400), in_two_ways(*[0.0] * 400, clusters=clusters)
    assert judged(alone).outcome == "pass"
    found = judged(clustered)
    assert found.ci_low == pytest.approx(-2 * (1 - 0.05 ** (1 / 40)), rel=1e-6)
    assert "no cluster here lost, but 40 clusters cannot" in found.reason
    # The largest of these clusters has twice as many queries as the mean.
    uneven = {named(at): f"user{at % 30 if at < 60 else 30 + at % 30}" for at in range(120)}
    uneven |= {named(at): "user0" for at in range(118, 120)}
    found = judged(in_two_ways(*[0.0] * 120, clusters=uneven))
    reach = 4 / (120 / len({*uneven.values()}))
    assert found.ci_low == pytest.approx(
        -2 * reach * (1 - 0.05 ** (1 / len({*uneven.values()}))), rel=1e-6
    )


def test_a_measure_without_a_bound_needs_the_largest_loss():
    qrels = {named(at): {"d": 1} for at in range(400)}
    old = {query: {"d": 1.0, "x": 0.5} for query in qrels}
    new = {query: {"d": 1.0, "y": 0.5} for query in qrels}
    comparison = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, ["DCG"]), resamples=200)
    found = judged(comparison, "DCG > -0.02")
    assert (found.outcome, found.ci_low) == ("inconclusive", None)
    assert found.reason.endswith("DCG has no bound; give the largest loss that a query can have")
    assert judged(comparison, "DCG > -0.02", largest_loss=1).outcome == "pass"
    named_before = rr.compare(comparison.evaluation, largest_loss=1, resamples=200)
    assert judged(named_before, "DCG > -0.02").outcome == "pass"


def test_a_loss_larger_than_the_largest_is_refused():
    comparison = in_two_ways(-0.6, *[0.0] * 50)
    message = r"largest_loss=0\.5: a query changed Gated by 0\.6\. Expected no less than that\."
    with pytest.raises(rr.OptionError, match=message):
        gate(comparison, "Gated > -0.02", largest_loss=0.5)
    with pytest.raises(rr.OptionError, match=message):
        rr.compare(comparison.evaluation, largest_loss=0.5)
    for wrong in (0, -1, math.inf, math.nan):
        with pytest.raises(rr.OptionError, match=r"largest_loss=.*: expected a number above 0"):
            gate(comparison, "Gated > -0.02", largest_loss=wrong)
        with pytest.raises(rr.OptionError, match=r"largest_loss=.*: expected a number above 0"):
            rr.compare(comparison.evaluation, largest_loss=wrong)


def test_several_candidates_have_simultaneous_distances():
    evaluation = by_values(old=[0.0] * 60, one=[0.0] * 60, two=[0.01] * 60)
    found = gate(rr.compare(evaluation, resamples=200), "Gated > -0.4").findings
    c = 2 * (1 - 0.025 ** (1 / 60))  # Bonferroni's tail of two, at 90 % two-sided
    # Where all differ by 0.01, those not seen lose 2.01, which the exact interval knows.
    assert [each.ci_low for each in found] == pytest.approx([-c, 0.01 - c * 2.01 / 2])


def test_the_same_lists_pass_as_identical_results():
    made = gate(by_deltas([0.0] * 5), ["Gated > -0.01", "abs(Gated) < 0.01"])
    assert [each.decided_by for each in made.findings] == ["identical_results"] * 2
    assert made.outcome == "pass"
    assert made.findings[0].reason.endswith("; identical results")


def test_these_queries_are_judged_by_their_mean():
    comparison = in_two_ways(-0.5, *[0.0] * 49)  # a mean of -0.01
    made = gate(comparison, ["Gated > -0.02", "Gated > -0.005"], scope="these")
    assert [each.outcome for each in made.findings] == ["pass", "fail"]
    assert {each.decided_by for each in made.findings} == {"these_queries"}
    assert made.findings[0].reason.endswith("it changed by -0.010, of these queries only")
    assert "Judged on the observed means of these queries only." in repr(made)
    assert json.loads(made.to_json())["scope"] == "these"
    with pytest.raises(rr.OptionError, match=r"scope='those' .* Did you mean 'these'\?"):
        gate(comparison, "Gated > 0", scope="those")
    assert gate(by_deltas([0.0] * 5), "Gated > 0", scope="these").outcome == "fail"


# Never more than the verdict

lattice = st.lists(
    st.sampled_from([0.0, 0.0, 0.5, -0.5, 1 / 3, 1.0, -1.0]), min_size=2, max_size=60
)


@given(lattice, st.sampled_from(["t", "auto", "percentile"]), st.booleans())
def test_superiority_passes_where_the_verdict_is_better(deltas, kind, is_shifted):
    shift = 0.4 if is_shifted else 0.0
    comparison = by_deltas([d + shift if d else 0.0 for d in deltas], interval=kind)
    found, verdict = outcome(comparison, "Gated > 0"), comparison.verdict()
    established = not verdict.seen_only
    assert (found == "fail") == (verdict.word == "worse" and established)
    assert (found == "pass") == (verdict.word == "better" and established)


@given(lattice, st.sampled_from([0.0, 0.01, 0.2]))
def test_swapped_systems_have_mirrored_requirements(deltas, margin):
    evaluation = by_values(old=[0.0] * len(deltas), new=deltas)
    options = {"interval": "auto", "test": "t", "resamples": 200}
    onward, back = (rr.compare(evaluation, base, **options) for base in ("old", "new"))
    assert outcome(onward, f"Gated > {-margin}") == outcome(back, f"Gated < {margin}")
    assert outcome(onward, f"Gated > {margin}") == outcome(back, f"Gated < {-margin}")
    if margin:
        assert outcome(onward, f"abs(Gated) < {margin}") == outcome(back, f"abs(Gated) < {margin}")


@given(lattice)
def test_a_wider_margin_is_never_harder(deltas):
    comparison = by_deltas(deltas)
    order = ["fail", "inconclusive", "pass"]
    for form in ("Gated > -{}", "Gated < {}", "abs(Gated) < {}"):
        found = [outcome(comparison, form.format(margin)) for margin in (0.01, 0.1, 0.3, 0.45)]
        assert sorted(found, key=order.index) == found


@given(lattice, st.integers(1, 9))
def test_few_changed_queries_never_fail_and_are_never_superior(deltas, n_changed):
    deltas = [d or 0.5 for d in deltas[:n_changed]] + [0.0] * 40
    comparison = by_deltas(deltas)
    for requirement in ("Gated > 0", "Gated < 0", "Gated > -0.001", "abs(Gated) < 0.001"):
        found = outcome(comparison, requirement)
        assert found != "fail"
        assert found != "pass" or requirement not in {"Gated > 0", "Gated < 0"}


# The gate as a whole


@pytest.fixture
def passing():
    """A candidate of which the one requirement passes, the next fails, the last is neither."""
    return ["Gated > -0.05", "abs(Gated) < 0.001", "Gated > 0.03"]


@pytest.fixture
def comparison():
    deltas = drawn(200, 0.03, seed=3)
    assert stats.sem(deltas) == pytest.approx(0.007, abs=0.0005)
    return by_deltas(deltas)


@pytest.mark.parametrize(
    ("chosen", "inconclusive", "expected"),
    [
        ([0], "inconclusive", ("pass", 0)),
        ([0], "fail", ("pass", 0)),
        ([0, 2], "inconclusive", ("inconclusive", 3)),
        ([0, 2], "pass", ("inconclusive", 0)),
        ([0, 2], "fail", ("inconclusive", 1)),
        ([0, 1, 2], "inconclusive", ("fail", 1)),
        ([1], "pass", ("fail", 1)),
    ],
)
def test_the_worst_decides(comparison, passing, chosen, inconclusive, expected):
    made = gate(comparison, [passing[i] for i in chosen], inconclusive=inconclusive)
    assert (made.outcome, made.exit_code) == expected
    assert made.passed == (made.exit_code == 0)


def test_one_candidate_that_fails_fails_the_gate():
    made = gate(by_deltas(drawn(mean=0.2), drawn(mean=-0.2)), "Gated > 0")
    assert made.table()["outcome"].to_list() == ["pass", "fail"]
    assert made.outcome == "fail"
    assert repr(made).startswith("The gate fails: of 2 candidates, 1 passes and 1 fails.\n")
    assert "\nIntervals hold simultaneously for all 2 candidates." in repr(made)
    alone = replace(made, comparison=replace(made.comparison, correction="none"))
    assert "Intervals are not corrected for 2 candidates." in repr(alone)


# Of several candidates, and of many

BOTH_FAIL = "1 passes, 1 is inconclusive and 2 fail"


def steady(*means):
    """Draw differences whose intervals are 0.026 wide to either side of these means, or less."""
    centred = drawn(200, 0.0, seed=5)
    centred -= centred.mean()
    return [centred + mean for mean in means]


FIVE = (0.0, -0.2, 0.2, -0.1, 0.3)
"""Of `Gated > 0`: inconclusive, fails, passes, fails, passes."""


def test_of_many_candidates_the_leading_one_has_sentences():
    made = gate(by_deltas(*steady(*FIVE)), ["Gated > 0", "Gated > -0.05"])
    assert passing_of_many(made) == "Of 5 candidates, new4 and new2 meet the requirements."
    assert [each.pair.system for each in detailed_candidates(made)] == ["new4"]
    lines = made.to_markdown().splitlines()
    assert lines[2:5] == [made.action, "", passing_of_many(made)]
    assert "**new4 against old**" in lines
    bullets = [line.partition(":")[0] for line in lines if line.startswith("- ")]
    assert bullets.count("- passes") == 2
    assert {*bullets} <= {"- passes", "- Look", "- Note"}
    assert len([line for line in lines if line.startswith("| new")]) == 10
    parts = repr(made).split("\n\n")
    assert parts[:3] == [made.headline, made.action, passing_of_many(made)]
    assert parts[3].splitlines()[0] == "new4 against old"
    assert parts[4].splitlines()[0].split()[:3] == ["system", "baseline", "requirement"]
    html = made._repr_mimebundle_()["text/html"]
    assert f'<p class="mathjax_ignore">{passing_of_many(made)}</p>' in html


def test_of_many_candidates_what_fails_stands_first():
    made = gate(by_deltas(*steady(*FIVE)), ["Gated > 0", "Gated > -0.3"])
    shown = [(row[0], row[2], row[3]) for row in made._shown().rows]
    assert shown == [
        ("new3", "Gated > 0", "fail"),
        ("new1", "Gated > 0", "fail"),
        ("new0", "Gated > 0", "inconclusive"),
        ("new4", "Gated > 0", "pass"),
        ("new4", "Gated > -0.3", "pass"),
        ("new2", "Gated > 0", "pass"),
        ("new2", "Gated > -0.3", "pass"),
        ("new0", "Gated > -0.3", "pass"),
        ("new3", "Gated > -0.3", "pass"),
        ("new1", "Gated > -0.3", "pass"),
    ]
    in_order = [f"new{i}" for i in range(5) for _ in range(2)]
    assert made.table()["system"].to_list() == in_order
    assert [each["system"] for each in json.loads(made.to_json())["requirements"]] == in_order


def test_of_four_candidates_all_have_sentences_in_their_order():
    made = gate(by_deltas(*steady(*FIVE[:4])), "Gated > 0")
    assert passing_of_many(made) == ""
    assert [each.pair.system for each in detailed_candidates(made)] == [
        "new0",
        "new1",
        "new2",
        "new3",
    ]
    assert [row[0] for row in made._shown().rows] == ["new0", "new1", "new2", "new3"]


def test_some_of_those_that_meet_all_are_named():
    means = [round(0.1 + i / 100, 2) for i in range(12)]
    made = gate(by_deltas(*steady(*means)), "Gated > 0")
    best = ", ".join(f"new{i}" for i in range(11, 1, -1))
    assert passing_of_many(made) == f"Of 12 candidates, {best}, and 2 more meet the requirements."
    none = gate(by_deltas(*steady(*means)), ["Gated > 0.3", "Gated > 0"])
    assert passing_of_many(none) == "Of 12 candidates, none meets the requirements."


@pytest.fixture
def two_baselines():
    """Set a, c and d against b, and a and c against d too."""
    means = {"a": 0.2, "c": 0.05, "d": -0.1}
    drawn_by_name = {name: drawn(200, mean, i) for i, (name, mean) in enumerate(means.items())}
    evaluation = by_values(b=[0.0] * 200, **drawn_by_name)
    options = {"interval": "t", "test": "t", "resamples": 200, "largest_loss": 0.7}
    return rr.compare(evaluation, ["b", "d"], **options)


def test_several_baselines_are_told_apart(two_baselines):
    made = gate(two_baselines, "Gated > 0")
    assert made.headline == ("The gate fails: of 5 comparisons, 4 pass and 1 fails.")
    assert passing_of_many(made) == (
        "Of 5 comparisons, a against d, a against b, c against d and c against b meet the "
        "requirements."
    )
    assert "\nIntervals hold simultaneously for all 5 comparisons." in repr(made)
    alone = replace(made, comparison=replace(two_baselines, correction="none"))
    assert "\nIntervals are not corrected for 5 comparisons." in repr(alone)


def test_the_page_names_the_baseline_where_there_are_several(two_baselines):
    pairs = tuple(pair for pair in two_baselines.pairs if pair.system == "a")
    made = gate(replace(two_baselines, pairs=pairs), ["Gated < 0", "Gated > 0"])
    markdown = rr.report(made.comparison, gate=made).to_markdown()
    for baseline in ("b", "d"):
        assert f"- a against {baseline}: fails: Gated must fall; it changed by +0." in markdown
    assert "fails: Gated must rise" not in markdown  # it passes, which the table says


@pytest.mark.parametrize(("n_required", "is_folded"), [(4, False), (5, True)])
def test_a_long_table_of_many_candidates_is_folded(tmp_path, n_required, is_folded):
    required = [f"Gated > -0.1{i}" for i in range(1, n_required + 1)]
    comparison = by_deltas(*steady(*FIVE))
    path = tmp_path / "report.html"
    rr.report(comparison, gate=gate(comparison, required)).to_html(path)
    section = path.read_text(encoding="utf-8").partition('<section id="gates"')[2]
    section = section.partition("</section>")[0]
    assert ("<summary>All 25 outcomes, failures first</summary>" in section) is is_folded
    assert ("<details" in section) is is_folded
    # Headline, which meet all, and two notes: the leading one passes, as the table says.
    assert section.count("<p>") == 4


def test_the_table_says_it_all(comparison, passing):
    table = gate(comparison, passing).table()
    assert table.columns == [
        *("baseline", "system", "requirement", "group", "kind", "measure", "threshold"),
        *("n_queries", "n_changed", "delta", "ci_low", "ci_high", "confidence"),
        *("judged_delta", "judged_ci_low", "judged_ci_high", "lacks", "all_unchanged"),
        *("outcome", "decided_by", "judged_by", "reason"),
    ]
    assert table["outcome"].to_list() == ["pass", "fail", "inconclusive"]
    assert table["confidence"].to_list() == [0.9, 0.9, 0.95]
    whole = comparison.table().row(0, named=True)
    for row in table.iter_rows(named=True):
        assert row.items() >= {(k, whole[k]) for k in ("n_queries", "n_changed", "delta")}
        assert row["measure"] == "Gated"
    assert gate(comparison, passing).to_polars().equals(table)


def test_the_types_of_the_table_do_not_depend_on_what_was_found(comparison, passing):
    of_nothing = by_values(old=[None] * 3, new=[1.0] * 3)
    nothing = gate(rr.compare(of_nothing, test="t", resamples=200), passing).table()
    assert nothing["delta"].null_count() == 3
    assert nothing.schema == gate(comparison, passing).table().schema


BOTH = "1 passes and 1 is inconclusive"


@pytest.mark.parametrize(
    ("chosen", "inconclusive", "headline"),
    [
        ([0], "inconclusive", "passes."),
        ([0, 1, 2], "pass", "fails: of 3 requirements, 1 passes, 1 is inconclusive and 1 fails."),
        ([2], "pass", "is inconclusive, which counts as a pass."),
        (
            [0, 2],
            "fail",
            f"is inconclusive, which counts as a fail: of 2 requirements, {BOTH}.",
        ),
    ],
)
def test_the_headline_counts(comparison, passing, chosen, inconclusive, headline):
    made = gate(comparison, [passing[i] for i in chosen], inconclusive=inconclusive)
    assert repr(made).splitlines()[0] == f"The gate {headline}"


def rows_of(cautions):
    """Return cautions as JSON holds them."""
    return json.loads(json.dumps([asdict(caution) for caution in cautions]))


def test_json_is_the_table_with_what_it_was_made_by(comparison, passing):
    data = json.loads(gate(comparison, passing).to_json())
    assert data["schema"] == 2
    assert (data["scope"], data["largest_loss"]) == ("population", None)
    assert data["requirements"] == gate(comparison, passing).table().to_dicts()
    made_by = ("outcome", "passed", "exit_code", "interval", "confidence", "resamples", "seed")
    assert [data[name] for name in made_by] == ["fail", False, 1, "t", 0.95, 200, 0]
    assert data["cautions"] == rows_of(comparison.cautions)


def test_json_has_no_number_for_an_open_end():
    def refuse(constant):
        raise AssertionError(constant)

    # A replicate that drew none of the two changed queries has no spread.
    qrels = {f"q{i}": {"d1": 1, "d2": 2} for i in range(30)}
    old = {query: {"d1": 2.0, "d2": 1.0} for query in qrels}
    new = {**old, "q0": {"d1": 1.0, "d2": 2.0}, "q1": {"d1": 1.0, "d2": 2.0}}
    evaluation = rr.evaluate(qrels, {"old": old, "new": new}, ["DCG@10"])
    compared = rr.compare(evaluation, interval="studentized", resamples=200)
    made = gate(compared, ["DCG@10 > 0"])
    (row,) = json.loads(made.to_json(), parse_constant=refuse)["requirements"]
    (found,) = made.table().to_dicts()
    ends = [found["ci_low"], found["ci_high"]]
    assert math.inf in map(abs, ends)
    assert [row["ci_low"], row["ci_high"]] == [str(end) if math.isinf(end) else end for end in ends]


# Text from data is text

HOSTILE = 'a"<b>&\x1b[31m\x00]]>\u202e*|`$x$'


@pytest.fixture
def hostile():
    deltas = drawn(40, 0.05)
    evaluation = by_values(**{"old": [0.0] * 40, HOSTILE: deltas})
    return gate(rr.compare(evaluation, interval="t", test="t", resamples=200), "Gated > -0.01")


def test_junit_has_a_suite_for_each_candidate_and_a_case_for_each_requirement():
    made = gate(by_deltas(drawn(mean=0.2), drawn(mean=-0.2)), ["Gated > 0", "Gated < 0.1"])
    root = ET.fromstring(made.to_junit())
    assert root.tag == "testsuites"
    counts = [root.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert (root.get("name"), counts) == ("rankreport gate", ["4", "2", "0", "0"])
    assert [suite.get("name") for suite in root] == ["new0 against old", "new1 against old"]
    cases = [case.get("name") for case in root[0].iter("testcase")]
    assert cases == ["Gated > 0", "Gated < 0.1"]
    broken = root[1][0].find("failure")
    assert broken.get("type") == "superiority"
    assert broken.get("message") == broken.text == made.findings[2].reason
    assert root[0][0].find("system-out").text == made.findings[0].reason


@pytest.fixture
def cautioned():
    """A gate on two candidates, of which the second changed few queries."""
    few = [*drawn(mean=0.2, seed=1)[:12], *[0.0] * 48]
    return gate(by_deltas(drawn(mean=0.2), few, resamples=1000), "Gated > 0")


def test_junit_has_the_cautions_about_each_candidate(cautioned):
    cautions = cautioned.comparison.cautions
    (few,) = [caution for caution in cautions if caution.code == "few_changed"]
    assert few.concerns == (("old", "new1"),)
    notes = cautioned.notes
    assert "Intervals hold simultaneously for all 2 candidates." in notes
    said = []
    for pair, suite in zip(
        cautioned.comparison.pairs, ET.fromstring(cautioned.to_junit()), strict=True
    ):
        said.append(suite.findtext("system-out", "").splitlines())
        about = [labelled(caution) for caution in cautions if caution.is_about(pair)]
        assert said[-1] == [*about, *notes]
    assert [labelled(few) in lines for lines in said] == [False, True]


def test_junit_of_a_candidate_without_cautions_has_no_output():
    suite = Suite("new against old", (Case("Gated > 0", "x", "failure", "why"),))
    root = ET.fromstring(junit("gate", [suite, suite._replace(notes=("Look: one", "two"))]))
    assert [child.tag for child in root[0]] == ["testcase"]
    assert [child.tag for child in root[1]] == ["testcase", "system-out"]
    assert root[1][1].text == "Look: one\ntwo"


def test_cautions_are_shown_wherever_a_gate_is(cautioned):
    said = [labelled(caution) for caution in cautioned.comparison.cautions]
    assert any(
        each.startswith("Look: Few queries changed: new1 against old (12 of ") for each in said
    )
    bundle = cautioned._repr_mimebundle_()
    assert json.loads(cautioned.to_json())["cautions"] == rows_of(cautioned.comparison.cautions)
    for each in said:
        assert each in repr(cautioned)
        assert escape(each) in bundle["text/html"]
        assert tex(each) in bundle["text/latex"]
        assert f"- {markdown(each)}" in cautioned.to_markdown().splitlines()


EITHER, INSIDE, OUTSIDE = (-0.2, 0.2), (-0.005, 0.2), (-0.2, -0.05)
OPEN = (3, "skipped")


@pytest.mark.parametrize(
    ("ends", "doubt", "inconclusive", "ended"),
    [
        (EITHER, None, "inconclusive", OPEN),
        (EITHER, None, "pass", (0, "system-out")),
        (EITHER, None, "fail", (1, "failure")),
        *(
            (ends, doubt, "pass", OPEN)
            for ends in (EITHER, INSIDE, OUTSIDE)
            for doubt in sorted(DEPENDS_ON)
        ),
        (INSIDE, Basis.DATA, "inconclusive", OPEN),
        (INSIDE, Basis.DATA, "fail", (1, "failure")),
        (OUTSIDE, None, "pass", (1, "failure")),
    ],
)
def test_what_the_data_leave_open_is_never_a_pass(comparison, ends, doubt, inconclusive, ended):
    found = replace(finding("RR > -0.01", ends), doubt=doubt)
    made = Gate(comparison, (found,), inconclusive)
    root = ET.fromstring(made.to_junit())
    (case,) = root.iter("testcase")
    code = made.exit_code
    assert (code, *(child.tag for child in case)) == ended
    counts = {0: "counts as a pass", 1: "fail", 3: "no pass" if inconclusive == "pass" else "."}
    assert counts[code] in made.headline
    assert (root.get("failures"), root.get("skipped")) == (str(int(code == 1)), str(int(code == 3)))


def test_a_gate_without_any_value_is_no_pass():
    made = gate(by_deltas([None] * 30), "Gated > -0.01", inconclusive="pass")
    assert (made.findings[0].decided_by, made.exit_code) == ("no_value", 3)


def test_hostile_names_are_harmless_in_xml(hostile):
    root = ET.fromstring(hostile.to_junit().encode())
    assert root[0].get("name") == ('a"<b>&⟨U+001B⟩[31m⟨U+0000⟩]]>⟨U+202E⟩*|`$x$ against old')


def test_what_xml_cannot_hold_is_written_out():
    odd = "".join(map(chr, range(0x20))) + "\x7f\x85\ud800\ufffe"
    text = junit(odd, [Suite(odd, (Case(odd, odd, "failure", odd), Case(odd, odd, "passed", odd)))])
    root = ET.fromstring(text.encode())
    written = "".join(f"⟨U+{ord(character):04X}⟩" for character in odd)
    assert root.get("name") == root[0].get("name") == written
    assert root[0][0][0].get("message") == root[0][0][0].text == root[0][1][0].text == written


def test_hostile_names_are_harmless_elsewhere(hostile):
    for text in (repr(hostile), hostile.to_markdown(), *hostile._repr_mimebundle_().values()):
        assert not {"\x1b", "\x00", "\u202e"} & set(text)
        text.encode()
    page = hostile._repr_mimebundle_()["text/html"]
    assert "<b>&" not in page
    assert "a&quot;&lt;b&gt;&amp;" in page
    assert r"\<b\>" in hostile.to_markdown()
    assert "<b>" not in hostile.to_markdown()
    json.loads(hostile.to_json())


def test_markdown_has_headline_reasons_and_table(comparison, passing):
    lines = gate(comparison, passing).to_markdown().splitlines()
    assert lines[0] == (
        "**The gate fails: of 3 requirements, 1 passes, 1 is inconclusive and 1 fails.**"
    )
    assert lines[2] == "new0 is better, but fails the gate: do not ship it as it is."
    assert lines[4] == "**new0 against old**"
    assert [line.partition(":")[0] for line in lines[6:9]] == [
        "- passes",
        "- fails",
        "- inconclusive",
    ]
    assert lines[10].startswith("| system | baseline | requirement | outcome |")
    assert len([line for line in lines if line.startswith("| new0 |")]) == 3


def test_a_gate_cannot_be_changed():
    with pytest.raises(AttributeError):
        gate(by_deltas(drawn()), "Gated > 0").inconclusive = "pass"


def test_identical_results_show_no_bound_that_would_not_pass():
    run = {f"q{i}": {"d1": 2.0, "d2": 1.0} for i in range(30)}
    qrels = {query: {"d1": 1, "d2": 0} for query in run}
    comparison = rr.compare(rr.evaluate(qrels, {"old": run, "new": run}, ["RR"]))
    made = gate(comparison, "RR > -0.001")
    assert made.outcome == "pass"
    assert made._shown().rows[0][-1] == "identical results"
    assert made.notes == []
    these = gate(comparison, "RR > -0.001", scope="these")
    assert these._shown().rows[0][-1] == "of these queries only"


# Other aggregates than the mean


def test_a_median_decides_by_the_difference_of_medians():
    old = np.random.default_rng(1).random(80).round(6)
    new = np.where(old > 0.7, -1.0, old + 0.05)  # the median rises, and the mean falls
    comparison = rr.compare(by_values(old=old, new=new), resamples=400)
    made = gate(comparison, ["median(Gated) > 0", "Gated > 0"])
    median, mean = made.table().rows(named=True)
    assert median["delta"] == pytest.approx(np.median(new) - np.median(old))
    assert (median["measure"], mean["measure"]) == ("median(Gated)", "Gated")
    row = comparison.aggregates("median").row(0, named=True)
    assert [median["ci_low"], median["ci_high"]] == [row["ci_low"], row["ci_high"]]
    assert mean["outcome"] == "fail"
    one_sided = gate(comparison, "median(Gated) > -0.1").table().row(0, named=True)
    assert one_sided["confidence"] == 0.9
    assert one_sided["ci_low"] >= row["ci_low"]


def test_each_outcome_of_another_aggregate():
    old = np.random.default_rng(1).random(200).round(6)
    comparison = rr.compare(by_values(old=old, new=old - 0.2), resamples=400)
    required = ["median(Gated) > -0.45", "p25(Gated) > -0.1", "abs(std(Gated)) < 0.01"]
    assert gate(comparison, required).table()["outcome"].to_list() == ["pass", "fail", "pass"]
    few = rr.compare(by_values(old=old[:19], new=old[:19] + 0.2), resamples=400)
    (row,) = gate(few, "median(Gated) > 0").table().rows(named=True)
    assert (row["outcome"], row["decided_by"]) == ("inconclusive", "no_interval")
    assert row["reason"].endswith(
        "it changed by +0.200, without an interval: median needs 20 queries with a value, 19 are "
        "there"
    )


def test_extremes_decide_on_these_queries_only():
    old = np.random.default_rng(1).random(60).round(6)
    comparison = rr.compare(by_values(old=old, new=old + 0.1), resamples=200)
    with pytest.raises(rr.OptionError, match=r"such as 'p10\(Gated\) > 0'"):
        gate(comparison, "min(Gated) > 0")
    assert gate(comparison, "min(Gated) > 0", scope="these").outcome == "pass"


def test_an_aggregate_of_the_primary_measure_is_not_drawn_as_its_difference():
    old = np.random.default_rng(1).random(60).round(6)
    comparison = rr.compare(by_values(old=old, new=old + 0.1), resamples=200)
    made = gate(comparison, "p40(Gated) > -0.3")
    (finding,) = made.findings
    assert finding.difference.measure == "p40(Gated)"
    assert "p40(Gated) may fall by at most 0.3" in str(made)


def test_of_identical_runs_more_queries_are_not_all_that_is_advised():
    qrels = {f"q{at}": {"a": 1} for at in range(20)}
    lists = {query: ["a"] for query in qrels}
    made = rr.gate(rr.compare(qrels, {"old": lists, "new": lists}, measures="RR"), "RR > 0")
    assert (made.outcome, made.findings[0].decided_by) == ("inconclusive", "identical_results")
    assert made.verdict().action.endswith(": keep old, or compare systems that differ.")


def test_a_loss_that_equal_depth_takes_back_fails_no_requirement():
    """The candidate returns two documents, the baseline three, of which the last is relevant."""
    qrels = {f"q{i}": {"a": 1, "b": 1} for i in range(40)}
    old = {query: ["a", "x", "b"] for query in qrels}
    new = {query: ["a", "x"] if i % 4 else ["x", "a"] for i, query in enumerate(qrels)}
    comparison = rr.compare(qrels, {"old": old, "new": new}, measures=["P@1", "R@3"], resamples=200)
    [finding] = rr.gate(comparison, "R@3 > -0.1").findings
    assert (finding.by_figures, finding.outcome) == ("fail", "inconclusive")
    assert finding.decided_by == "depth"
    [told] = [letters for letters in paper_table_of(comparison).told if any(letters)]
    assert told == ((1,), ())  # old is better than new on P@1; nothing is said of R@3
