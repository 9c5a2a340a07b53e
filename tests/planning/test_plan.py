"""Planning by a pilot: what other numbers of queries show, and how many a difference takes."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankreport as rr
from rankreport import statistics
from rankreport.comparison.model_judge import decisive_differences
from rankreport.comparison.paired_differences import contrasts_of


def runs_of(*places):
    """Make runs that find the one relevant document of each query at these places."""
    return [
        {
            f"q{i}": {("r" if rank == place else f"x{rank}"): -float(rank) for rank in range(1, 6)}
            for i, place in enumerate(row)
        }
        for row in places
    ]


def pilot_of(*places, measures=("RR",), **options):
    qrels = {f"q{i}": {"r": 1} for i in range(len(places[0]))}
    names = ("old", "new", "other")[: len(places)]
    runs = dict(zip(names, runs_of(*places), strict=True))
    return rr.compare(rr.evaluate(qrels, runs, measures), resamples=200, **options)


PLACES = np.random.default_rng(1).integers(1, 6, size=(3, 60))
DELTAS = 1 / PLACES[1] - 1 / PLACES[0]
PILOT = pilot_of(*PLACES[:2])


def least(n, *, power=0.8, alpha=0.05, deltas=DELTAS):
    """Return the least detectable difference; these differences are hardly skewed."""
    error = deltas.std(ddof=1) / math.sqrt(n)
    c = stats.binomtest(0, n).proportion_ci(1 - alpha, method="exact").high
    h = stats.t.ppf(1 - alpha / 2, n - 1) * error
    return max(c, math.sqrt(h**2 + c**2 / 4)) + stats.norm.ppf(power) * error


def test_the_detectable_difference_is_nearly_that_of_the_formula_for_normal_means():
    sizes = [40, 60, 250, 3000]
    found = rr.plan(PILOT, n_queries=sizes).detectable()
    assert found["n_queries"].to_list() == sizes
    np.testing.assert_allclose(found["detectable"], [least(n) for n in sizes], rtol=0.02)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_number_needed_is_the_first_with_that_power(power):
    plan = rr.plan(PILOT, difference=[0.02, -0.05, 0.1], power=power)
    found = plan.needed()
    assert found["difference"].to_list() == [0.02, 0.05, 0.1]
    for difference, n in found.select("difference", "n_queries").iter_rows():
        sizes = rr.plan(PILOT, n_queries=[n - 1, n], power=power).detectable()["detectable"]
        assert sizes[1] <= difference < sizes[0]


def test_the_largest_loss_that_is_named_decides():
    pilot, ends = pilot_of(*PLACES[:2]), {}
    for largest in (None, 0.9):
        shown = rr.plan(pilot, n_queries=60, largest_loss=largest).detectable()
        ends[largest] = shown["detectable"][0]
    assert ends[0.9] < ends[None]
    named = pilot_of(*PLACES[:2], largest_loss=0.9)
    assert rr.plan(named, n_queries=60).detectable()["detectable"][0] == ends[0.9]
    with pytest.raises(rr.OptionError, match=r"largest_loss=0\.1: a query changed RR by 0\.8"):
        rr.plan(pilot, largest_loss=0.1)


def test_the_ranges_are_those_of_the_spread():
    plan = rr.plan(PILOT, n_queries=200, difference=0.05)
    low, high = statistics.deviation_interval(DELTAS[:, np.newaxis])
    spread = plan.pilot.select("spread", "spread_low", "spread_high").row(0)
    assert spread == pytest.approx((DELTAS.std(ddof=1), low[0], high[0]), rel=1e-12)
    (shown,) = plan.detectable().select(pl.exclude("baseline", "system", "measure")).rows()
    assert shown[2] < shown[1] < shown[3]
    (takes,) = plan.needed().select("n_queries_low", "n_queries", "n_queries_high").rows()
    assert takes[0] < takes[1] < takes[2]


def test_the_verdict_and_the_plan_of_the_same_queries_agree():
    found = decisive_differences(PILOT)[PILOT.pairs[0]]
    plan = rr.plan(PILOT, n_queries=60)
    assert plan.detectable()["detectable"][0] == pytest.approx(found.detectable, rel=0.02)


def test_several_pairs_are_planned_for_at_the_level_of_their_intervals():
    pilot = pilot_of(*PLACES)
    plan = rr.plan(pilot, n_queries=100)
    assert plan.level == pytest.approx(contrasts_of(pilot).levels(0.95)[0])
    assert 0.95 <= plan.level <= 0.975
    assert plan.detectable()["system"].to_list() == ["new", "other"]
    alone = rr.plan(pilot_of(*PLACES[:2]), n_queries=100, confidence=plan.level)
    assert plan.detectable()["detectable"][0] > alone.detectable()["detectable"][0]
    # The pair planned for alone is still one of those that will be compared.
    one = rr.plan(pilot, n_queries=100, system="new")
    assert one.detectable().equals(plan.detectable().filter(pl.col("system") == "new"))
    uncorrected = rr.plan(pilot_of(*PLACES, correction="none"), n_queries=100, system="new")
    assert uncorrected.level == 0.95


def test_another_confidence_and_pair():
    pilot = pilot_of(*PLACES, pairs="all")
    plan = rr.plan(pilot, n_queries=100, system="other", baseline="new", confidence=0.9)
    assert plan.level == pytest.approx(contrasts_of(pilot).levels(0.9)[0])
    assert 0.9 <= plan.level <= 1 - 0.1 / 3
    assert plan.pilot.select("baseline", "system").rows() == [("new", "other")]
    assert (
        rr.plan(PILOT, n_queries=100, confidence=0.9).detectable()["detectable"][0]
        < (rr.plan(PILOT, n_queries=100).detectable()["detectable"][0])
    )


@pytest.mark.parametrize(
    ("n", "ladder"),
    [
        (12, (12, 25, 50, 100)),
        (60, (25, 50, 60, 100, 250, 500)),
        (250, (25, 50, 100, 250, 500, 1000, 2500)),
        (700, (100, 250, 500, 700, 1000, 2500, 5000)),
    ],
)
def test_the_ladder_of_sizes(n, ladder):
    places = np.random.default_rng(2).integers(1, 6, size=(2, n))
    assert rr.plan(pilot_of(*places)).sizes == ladder


def test_the_ladder_of_differences_is_in_the_unit_of_the_measure():
    pilot = pilot_of(*PLACES[:2], measures=("RR", "NumRet", "NumRelRet@2"))
    assert rr.plan(pilot).differences == (0.005, 0.01, 0.02, 0.05, 0.1)
    assert rr.plan(pilot, measure="NumRelRet@2").differences == (0.005, 0.01, 0.02, 0.05, 0.1)
    assert rr.plan(pilot).needed()["difference"].to_list() == [0.005, 0.01, 0.02, 0.05, 0.1]


def test_differences_of_counts_are_larger():
    grades = {f"q{i}": {f"d{j}": 1 for j in range(60)} for i in range(30)}
    draws = np.random.default_rng(5).integers(1, 60, size=(2, 30))
    runs = {
        name: {f"q{i}": {f"d{j}": -float(j) for j in range(n)} for i, n in enumerate(row)}
        for name, row in zip(("old", "new"), draws, strict=True)
    }
    pilot = rr.compare(rr.evaluate(grades, runs, ["NumRelRet"]), resamples=200)
    assert pilot.table()["delta"].len() == 1
    spread = (draws[1] - draws[0]).std(ddof=1)
    assert 15 < spread < 35  # so four times as much is nearest to 100
    assert rr.plan(pilot).differences == pytest.approx((0.5, 1, 2, 5, 10))


def test_a_stated_difference_is_planned_for_alone():
    assert rr.plan(PILOT, difference=0.03).needed()["difference"].to_list() == [0.03]
    assert "found" not in str(rr.plan(PILOT))


def test_few_changed_queries_need_many_for_a_verdict():
    few = [2] * 60
    few[:4] = [1, 1, 3, 1]  # 4 of 60 changed: 10 or more of 184 in 80 % of samples
    first = next(n for n in range(10, 400) if stats.binom.sf(9, n, 4 / 60) >= 0.8)
    pilot = pilot_of([2] * 60, few)
    plan = rr.plan(pilot, n_queries=[60, first - 3, first + 3], difference=[0.5, 0.01])
    shown = plan.detectable()
    assert shown["detectable"].is_null().to_list() == [True, True, False]
    assert shown["detectable_low"].is_null().to_list() == [True, True, False]
    huge = plan.needed().filter(pl.col("difference") == 0.5)
    assert huge["n_queries"][0] == pytest.approx(first, abs=3)
    (caution,) = [each for each in plan.cautions if each not in pilot.cautions]
    assert caution.text == (
        "Too few queries changed to estimate the spread of the differences well: new against old "
        "(4 of 60; at this rate, 150 queries). Better or worse needs 10 changed queries or more."
    )
    assert (caution.code, caution.severity, caution.count) == ("rough_spread", "look", 4)
    assert rr.plan(PILOT).cautions == PILOT.cautions


def test_a_pair_that_says_nothing_is_left_open_beside_one_that_does():
    pilot = pilot_of(PLACES[0], PLACES[1], PLACES[0])
    plan = rr.plan(pilot, n_queries=100, difference=0.05)
    assert plan.detectable().row(1)[3:] == (100, None, None, None)
    assert plan.needed().row(1)[3:] == (0.05, None, None, None)
    (caution,) = [each for each in plan.cautions if each not in pilot.cautions]
    assert (caution.code, caution.severity, caution.count) == ("unknown_spread", "look", 0)
    assert str(caution) == (
        "Too few queries changed to know the spread of the differences: other against old (0 of "
        "60). Plan from a pilot with more queries."
    )
    assert "other" in plan.plot().alt


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ([2] * 60, "0 queries changed between new and old on RR"),
        ([1] + [2] * 59, "1 query changed between new and old on RR"),
        ([1] * 60, "all differences between new and old on RR are equal"),
    ],
)
def test_a_pilot_that_says_nothing_is_refused(new, words):
    with pytest.raises(rr.OptionError, match=words):
        rr.plan(pilot_of([2] * 60, new))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_queries": 1}, "n_queries=1 is invalid"),
        ({"n_queries": [50, 2.5]}, r"n_queries=2\.5 is invalid"),
        ({"n_queries": []}, "n_queries is empty"),
        ({"difference": 0}, "difference=0 is invalid"),
        ({"difference": [0.1, math.nan]}, "difference=nan is invalid"),
        ({"difference": "0.1"}, r"difference='0\.1' is invalid"),
        ({"n_queries": "50"}, "n_queries='50' is invalid"),
        ({"difference": ()}, "difference is empty"),
        ({"power": 1.0}, r"power=1\.0 must lie between 0\.05"),
        ({"power": 0.05}, r"power=0\.05 must lie between 0\.05"),
        ({"confidence": 0.0}, r"confidence=0\.0 must lie between 0 and 1"),
        ({"measure": "AP"}, "measure='AP' is not one of 'RR'"),
        ({"system": "nwe"}, "Did you mean 'new'"),
    ],
)
def test_options_that_cannot_be_are_refused(options, words):
    with pytest.raises(rr.OptionError, match=words):
        rr.plan(PILOT, **options)


def test_what_is_no_comparison_is_refused():
    with pytest.raises(rr.OptionError, match=r"takes what compare\(\) returns; found Evaluation"):
        rr.plan(PILOT.evaluation)


def test_clusters_are_planned_for_by_their_error():
    """Each query twice, the two a cluster: twice the queries are as good as half of them alone."""
    twice = np.repeat(PLACES[:2], 2, axis=1)
    users = {f"q{i}": f"u{i // 2}" for i in range(120)}
    clustered = rr.plan(pilot_of(*twice, clusters=users), n_queries=240)
    error = stats.sem(DELTAS)
    assert clustered.pilot["spread"][0] == pytest.approx(error * math.sqrt(60), rel=1e-9)
    assert clustered.pilot["worth"][0] == pytest.approx(0.5)
    alone = rr.plan(PILOT, n_queries=120)
    shown = clustered.detectable()["detectable"][0]
    assert shown == pytest.approx(alone.detectable()["detectable"][0], rel=1e-9)
    plain = alone.pilot
    ends = ("spread_low", "spread_high")
    # Known as well as 60 queries make it known, not 120.
    for end in ends:
        assert clustered.pilot[end][0] / clustered.pilot["spread"][0] == pytest.approx(
            plain[end][0] / plain["spread"][0], rel=1e-9
        )


def test_of_clusters_ten_must_change_not_ten_queries():
    """Independent are the clusters, so that how many of them change is binomial."""
    twice = np.repeat(PLACES[:2], 2, axis=1)
    pilot = pilot_of(*twice, clusters={f"q{i}": f"u{i // 2}" for i in range(120)})
    share = np.count_nonzero(DELTAS) / 60
    n = next(n for n in range(10, 60) if stats.binom.sf(9, n, share) > 0.8)
    found = rr.plan(pilot, n_queries=[2 * n - 2, 2 * n], difference=0.9)
    assert found.detectable()["detectable"].is_null().to_list() == [True, False]
    assert found.needed()["n_queries"].to_list() == [2 * n]


def test_a_heavy_query_that_did_not_change_leaves_a_share_of_one():
    weights = {f"q{i}": 1.0 for i in range(40)} | {"q40": 100.0}
    places = np.concatenate([PLACES[:2, :40], [[1], [1]]], axis=1)
    found = rr.plan(pilot_of(*places, weights=weights), n_queries=4000, difference=0.5)
    assert found.pilot["n_changed_effective"][0] > 41 * found.pilot["worth"][0]
    assert found.detectable()["detectable"].null_count() == 0
    assert found.needed()["n_queries"].null_count() == 0


def test_numbers_of_arrays_are_numbers():
    plan = rr.plan(PILOT, n_queries=np.array([250, 30]), difference=np.array([0.05]))
    assert (plan.sizes, plan.differences) == ((30, 250), (0.05,))
    assert rr.plan(PILOT, n_queries=np.int64(40), difference=np.float64(0.1)).sizes == (40,)


def test_it_shows_itself_and_leaves_the_house():
    plan = rr.plan(PILOT, n_queries=[60, 1000], difference=0.05)
    assert repr(plan).splitlines()[:3] == [
        "60 queries like these detect a difference of 0.148 in RR with 80 % power.",
        "",
        "RR, 80 % power, from a pilot of 60 queries",
    ]
    assert plan.detectable()["detectable"].round(3).item(0) == 0.148
    asked = [row[1] for row in plan._shown().rows]
    assert asked == [
        "difference detectable with 60 queries",
        "difference detectable with 1,000 queries",
        "queries needed for a difference of 0.05",
    ]
    assert "| new | difference detectable with 60 queries |" in plan.to_markdown()
    assert set(plan._repr_mimebundle_()) == {"text/plain", "text/html", "text/latex"}
    frame = plan.to_polars()
    assert frame["given"].to_list() == ["n_queries", "n_queries", "difference"]
    assert frame["n_queries"].to_list() == [60, 1000, plan.needed()["n_queries"][0]]
    assert len(plan.to_pandas()) == 3


def test_the_chart_draws_the_plan():
    plan = rr.plan(PILOT, n_queries=[30, 600])
    chart = plan.plot()
    drawn = chart.data
    assert drawn["n_queries"].min() == 30
    assert drawn["n_queries"].max() == 600
    assert 60 in drawn["n_queries"].to_list()
    same = rr.plan(PILOT, n_queries=drawn["n_queries"].to_list()).detectable()
    assert drawn["detectable"].to_list() == same["detectable"].to_list()
    assert "with the current 60 and" in chart.alt
