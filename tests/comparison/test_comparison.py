"""compare(): worked by hand, set against SciPy and statsmodels, and what must never change it."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
from frames_alike import nearly
from scipy import stats
from statsmodels.stats.multitest import multipletests

import rankreport as rr
from rankreport import statistics
from rankreport.comparison import queries
from rankreport.comparison.curves import curve_bands
from rankreport.comparison.differences import differences_on_measures
from rankreport.comparison.values import block_of_draws
from rankreport.evaluation.values import memory_limit_of
from rankreport.text import Caution, labelled

# Every query has one relevant document, "r". A system is said by the places that it gives it, 0
# where it does not return it, so that RR is one over the place.
OLD = [2, 2, 2, 2, 2, 1, 4, 4, 4, 4, 4, 4]
NEW = [1, 1, 1, 1, 1, 2, 4, 4, 4, 4, 4, 4]  # five times +1/2, once -1/2, six times nothing
BIT = [2, 2, 2, 2, 2, 1, 2, 2, 4, 4, 4, 4]  # twice +1/4, ten times nothing


def named(i):
    return f"q{i:03}"


def qrels_for(n):
    return {named(i): {"r": 1} for i in range(n)}


def run_of(places):
    lists = {}
    for i, place in enumerate(places):
        documents = [f"x{rank}" for rank in range(1, 6)]
        if place:
            documents.insert(place - 1, "r")
        lists[named(i)] = {doc: -float(rank) for rank, doc in enumerate(documents)}
    return lists


def by_places(measures=("RR",), **systems):
    n = len(next(iter(systems.values())))
    runs = {name: run_of(places) for name, places in systems.items()}
    return rr.evaluate(qrels_for(n), runs, measures)


@pytest.fixture
def given():
    """A measure whose value is the score of a query's document: null where it is not returned."""

    @rr.measure(
        title="The score itself",
        family="test",
        formula="s",
        source="none",
        range=(None, None),
        nothing_returned="undefined",
    )
    def Given() -> pl.Expr:
        """Whatever the test wants it to be."""
        return pl.col("score").first()

    return Given


def by_values(measure, **systems):
    """Evaluate systems that have these very values, None being undefined."""
    n = len(next(iter(systems.values())))
    runs = {
        name: {
            named(i): {"x": 0.0} if value is None else {"r": value}
            for i, value in enumerate(values)
        }
        for name, values in systems.items()
    }
    return rr.evaluate(qrels_for(n), runs, [measure])


def by_deltas(measure, deltas):
    return by_values(measure, old=[0.0] * len(deltas), new=deltas)


def drawn(n, seed=0):
    """Three systems that tie, win and lose, on n queries."""
    places = random.Random(seed)
    old = [places.choice([0, 1, 2, 3, 5]) for _ in range(n)]
    new = [p if places.random() < 0.4 else places.choice([1, 1, 2, 4]) for p in old]
    bad = [p if places.random() < 0.4 else places.choice([0, 2, 3, 5]) for p in old]
    return {"old": old, "new": new, "bad": bad}


@pytest.fixture(scope="module")
def several():
    return by_places(["RR", "P@2", "nDCG@4"], **drawn(60))


@pytest.fixture(scope="module")
def compared(several):
    return rr.compare(several)


# Worked by hand


def test_columns_are_as_worked_by_hand():
    evaluation = by_places(old=OLD, new=NEW, bit=BIT)
    table = rr.compare(evaluation, interval="t", correction="holm").table()
    new, bit = table.rows(named=True)
    words = {"baseline": "old", "system": "new", "measure": "RR"}
    counts = {"n_queries": 12, "n_changed": 6, "wins": 5, "ties": 6, "losses": 1}
    assert words.items() | counts.items() <= new.items()
    assert new["mean_baseline"] == pytest.approx(5 / 12, rel=1e-14)  # 5/2 + 1 + 6/4 in all
    assert new["mean_system"] == pytest.approx(7 / 12, rel=1e-14)  # 5 + 1/2 + 6/4
    assert new["delta"] == pytest.approx(1 / 6, rel=1e-14)
    # Squares sum to 6/4: the variance is (3/2 - 12/36) / 11, and that of the mean a twelfth of it.
    # Two systems are compared: Bonferroni's half of 5 %, half of it on each side.
    half = stats.t.ppf(1 - 0.05 / 2 / 2, 11) * ((3 / 2 - 1 / 3) / 11 / 12) ** 0.5
    assert new["ci_low"] == pytest.approx(1 / 6 - half, rel=1e-12)
    assert new["ci_high"] == pytest.approx(1 / 6 + half, rel=1e-12)
    # Six equal sizes: 2 of the 64 choices of signs add up to 6 of them, 2 * 6 to 4 of them.
    assert new["p_value"] == 14 / 64
    assert new["p_adjusted"] == 28 / 64
    assert new["caution"] == "6 of 12 changed: too few for a verdict"

    assert bit["system"] == "bit"
    assert bit["delta"] == pytest.approx(0.5 / 12, rel=1e-14)
    assert (bit["n_changed"], bit["wins"], bit["ties"], bit["losses"]) == (2, 2, 10, 0)
    assert bit["p_value"] == bit["p_adjusted"] == 0.5  # both signs alike: 2 of 4
    assert bit["caution"] == "2 of 12 changed: too few for a verdict"


def test_rows_go_by_measure_and_then_by_system(compared):
    table = compared.table()
    assert table["measure"].to_list() == ["RR", "RR", "P@2", "P@2", "nDCG@4", "nDCG@4"]
    assert table["system"].to_list() == ["new", "bad"] * 3


def test_changing_a_table_in_place_changes_no_other():
    comparison = rr.compare(by_places(old=OLD, new=NEW, bit=BIT), resamples=200)
    board = rr.leaderboard(comparison)
    for made in (comparison.table, comparison.to_polars, comparison.ratios, board.table):
        columns = made().columns
        made().drop_in_place(columns[-1])
        assert made().columns == columns


def test_the_exact_p_is_the_enumeration_of_all_signs():
    places = {"old": [1, 2, 3, 4, 5, 1, 2, 0, 3, 1], "new": [2, 1, 1, 5, 2, 3, 4, 2, 1, 1]}
    halves = [60 // n - 60 // o if o else 60 // n for o, n in zip(*places.values(), strict=True)]
    observed = abs(sum(halves))
    as_far = [
        abs(sum(s * d for s, d in zip(signs, halves, strict=True))) >= observed
        for signs in product((1, -1), repeat=len(halves))
    ]
    found = rr.compare(by_places(**places)).table()["p_value"].item()
    assert found == sum(as_far) / len(as_far)


def test_the_t_test_is_scipys(several, compared):
    scores = several.per_query()
    for system, measure, p_value in compared.tests(["t"]).drop("baseline", "test").rows():
        of = {s: scores.filter(pl.col("system") == s)[measure] for s in (system, "old")}
        expected = stats.ttest_rel(of[system], of["old"]).pvalue
        assert p_value == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("correction", "theirs"),
    [("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh"), ("by", "fdr_by")],
)
def test_corrections_are_statsmodels_within_each_measure(several, correction, theirs):
    table = rr.compare(several, correction=correction, resamples=1000).table()
    for _, rows in table.group_by("measure"):
        expected = multipletests(rows["p_value"], method=theirs)[1]
        assert rows["p_adjusted"].to_list() == pytest.approx(list(expected), rel=1e-13)


@pytest.mark.parametrize(
    ("correction", "theirs"), [("bonferroni", "bonferroni"), ("by", "fdr_by"), ("holm", "holm")]
)
def test_a_test_of_scipy_is_corrected_as_by_statsmodels_on_real_data(correction, theirs):
    example = rr.load_example()
    scores = rr.evaluate(example.qrels, example.runs, ["nDCG@10"])
    made = rr.compare(scores, pairs="all", test=stats.wilcoxon, correction=correction)
    values = scores.per_query().pivot("system", index="query_id", values="nDCG@10")
    table = made.table()
    expected = [
        stats.wilcoxon(values[system], values[baseline]).pvalue
        for baseline, system in table.select("baseline", "system").iter_rows()
    ]
    assert table["p_value"].to_list() == pytest.approx(expected)
    adjusted = multipletests(expected, method=theirs)[1]
    assert table["p_adjusted"].to_list() == pytest.approx(adjusted.tolist())


def test_a_difference_of_medians_has_the_interval_of_scipy_on_real_data():
    example = rr.load_example()
    scores = rr.evaluate(example.qrels, example.runs, ["AP"])
    made = rr.compare(scores, baseline="char-ngrams", correction="none")
    values = scores.per_query().pivot("system", index="query_id", values="AP")
    for row in made.aggregates("median").iter_rows(named=True):
        theirs = stats.bootstrap(
            (values[row["system"]].to_numpy(), values["char-ngrams"].to_numpy()),
            lambda x, y, axis: np.median(x, axis=axis) - np.median(y, axis=axis),
            paired=True,
            vectorized=True,
            method="percentile",
            rng=np.random.default_rng(1),
        ).confidence_interval
        assert [row["ci_low"], row["ci_high"]] == pytest.approx([*theirs], abs=0.03)


def test_other_aggregates_are_at_bonferronis_level_on_shared_resamples(several):
    made = rr.compare(several, resamples=400, seed=3)
    scores = several.per_query().pivot("system", index="query_id", values="nDCG@4")
    level = 1 - 0.05 / len(made.pairs)
    for row in made.aggregates("p30").filter(measure="nDCG@4").rows(named=True):
        both = scores.select(row["system"], row["baseline"]).to_numpy()
        drawn = statistics.aggregated("p30", both, resamples=400, seed=3)
        assert (row["value_system"], row["value_baseline"]) == tuple(drawn.value)
        assert row["delta"] == drawn.value[0] - drawn.value[1]
        ends = np.quantile(
            drawn.drawn[:, 0] - drawn.drawn[:, 1], [(1 - level) / 2, (1 + level) / 2]
        )
        assert [row["ci_low"], row["ci_high"]] == pytest.approx(ends.tolist())
    alone = rr.compare(several, resamples=400, seed=3, correction="none").aggregates("p30")
    assert (alone["ci_low"] >= made.aggregates("p30")["ci_low"]).all()
    with pytest.raises(rr.OptionError, match="not available with weights"):
        rr.compare(several, weights=dict.fromkeys(several.query_ids, 2.0)).aggregates()


def test_a_test_of_ones_own_is_called_with_the_paired_values(several):
    made = rr.compare(several, test=stats.ttest_rel, correction="holm")
    known = rr.compare(several, test="t", correction="holm")
    for name in ("p_value", "p_adjusted"):
        assert made.table()[name].to_list() == pytest.approx(known.table()[name].to_list())
    assert made.settings["test"] == "ttest_rel"
    # It may be of one side.
    assert "p: ttest_rel, which was given." in str(made)
    assert "p: two-sided, paired t-test." in str(known)
    pairs = []
    rr.compare(several, test=lambda *both: pairs.append(both) or 0.5, correction="holm").table()
    scores = several.per_query().pivot("system", index="query_id", values="RR")
    for values, system in zip(pairs[0], reversed(made.pairs[0]), strict=True):
        assert values.tolist() == scores[system].to_list()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"correction": "max-t"}, "not available with a test of your own; use 'holm'"),
        ({"correction": "none", "clusters": {}}, "test 'mean' is not available with clusters"),
        ({"correction": "none"}, "test=mean returned .* Expected a p-value from 0 to 1"),
    ],
)
def test_a_test_of_ones_own_is_refused_where_it_cannot_be_used(several, options, message):
    if "clusters" in options:
        options = options | {
            "clusters": dict.fromkeys(several.query_ids, "a") | {several.query_ids[0]: "b"}
        }

    def mean(values, others):
        return float(np.mean(values - others)) - 2

    with pytest.raises(rr.OptionError, match=message):
        rr.compare(several, test=mean, **options).table()


@pytest.mark.parametrize("test", ["sign-flip", "bootstrap", "t", "wilcoxon", "sign"])
def test_max_t_is_the_correction_unless_another_is_named(several, test):
    table = rr.compare(several, test=test, resamples=1000).table()
    named = rr.compare(several, test=test, correction="max-t", resamples=1000).table()
    assert table.equals(named)
    holm = rr.compare(several, test=test, correction="holm", resamples=1000).table()
    assert (table["p_adjusted"] >= table["p_value"]).all()
    assert not table["p_adjusted"].equals(holm["p_adjusted"])
    same = ["system", "measure", "delta", "p_value"]
    assert table.select(same).equals(holm.select(same))
    # No wider than Bonferroni's, which Holm's correction has, and no narrower than one alone.
    alone = rr.compare(several, test=test, correction="none", resamples=1000).table()
    assert (holm["ci_low"] <= table["ci_low"]).all()
    assert (table["ci_high"] <= holm["ci_high"]).all()
    assert (table["ci_low"] < alone["ci_low"]).all()
    assert (alone["ci_high"] < table["ci_high"]).all()
    assert (table["ci_high"] < holm["ci_high"]).any()


@pytest.mark.parametrize("interval", ["auto", "t", "percentile", "bca"])
def test_simultaneous_intervals_are_those_of_max_t_on_the_same_draws(several, interval):
    table = rr.compare(several, interval=interval, resamples=1000, seed=4).table()
    for measure in ("RR", "P@2", "nDCG@4"):
        deltas = np.column_stack([deltas_of(several, system, measure) for system in ("new", "bad")])
        drawn_means = statistics.replicate_means(deltas, resamples=1000, seed=4)
        # The level is that at which the larger of two studentised means stays within its bounds.
        error = deltas.std(axis=0) / len(deltas) ** 0.5
        greatest = np.abs((drawn_means - deltas.mean(axis=0)) / error).max(axis=1)
        level = 2 * stats.norm.cdf(np.quantile(greatest, 0.95)) - 1
        assert 0.95 < level < 1 - 0.05 / 2
        ends = statistics.interval(interval, deltas, drawn_means, level)
        for name, theirs in zip(("ci_low", "ci_high"), ends, strict=True):
            mine = table.filter(measure=measure)[name].to_list()
            assert mine == pytest.approx(theirs.tolist(), rel=1e-9, abs=1e-12)


def deltas_of(evaluation, system, measure):
    scores = evaluation.per_query().sort("query_id")
    new, old = (scores.filter(system=name)[measure].to_numpy() for name in (system, "old"))
    return new - old


def test_what_is_corrected_one_measure_at_a_time_does_not_depend_on_the_others(several):
    together = rr.compare(several, resamples=1000).table().filter(measure="P@2")
    alone = rr.compare(by_places(["P@2"], **drawn(60)), resamples=1000).table()
    assert nearly(together, alone)


def test_two_systems_under_two_names_cost_no_more_than_one():
    systems = drawn(150)  # so many change that p is drawn
    twins = by_places(old=systems["old"], new=systems["new"], twin=systems["new"])
    one = rr.compare(by_places(old=systems["old"], new=systems["new"]), resamples=1000)
    both = rr.compare(twins, resamples=1000).table()
    (alone,) = one.table()["p_value"]
    assert both["p_adjusted"].to_list() == [alone, alone]


@pytest.mark.parametrize(
    ("interval", "test"),
    [
        *(("auto", "sign-flip"), ("t", "t"), ("studentized", "bootstrap")),
        *(("auto", "wilcoxon"), ("t", "sign")),
    ],
)
def test_one_system_is_the_same_under_every_correction(interval, test):
    systems = drawn(60)
    evaluation = by_places(["RR", "P@2"], old=systems["old"], new=systems["new"])
    options = {"interval": interval, "test": test, "resamples": 500}
    tables = [
        rr.compare(evaluation, correction=correction, **options).table()
        for correction in ("max-t", "holm", "bh", "none")
    ]
    assert all(table.equals(tables[0]) for table in tables)
    assert tables[0]["p_adjusted"].equals(tables[0]["p_value"], check_names=False)


def test_without_correction_every_system_stands_alone(several):
    systems = drawn(60)
    made = rr.compare(several, correction="none", resamples=1000).table()
    assert made["p_adjusted"].equals(made["p_value"], check_names=False)
    for system in ("new", "bad"):
        of = by_places(["RR", "P@2", "nDCG@4"], old=systems["old"], **{system: systems[system]})
        alone = rr.compare(of, resamples=1000).table()
        # Which measures are clear together depends on the correction, too.
        assert nearly(made.filter(system=system).drop("caution"), alone.drop("caution"))


def test_tests_not_of_the_mean_are_scipys(several):
    made = rr.compare(several, resamples=1000).tests(["wilcoxon", "sign"])
    scores = several.per_query()
    for _, system, measure, test, p_value in made.rows():
        of = {s: scores.filter(pl.col("system") == s)[measure].to_numpy() for s in (system, "old")}
        deltas = np.round(of[system] - of["old"], 12)
        won, lost = int((deltas > 0).sum()), int((deltas < 0).sum())
        if test == "sign":
            assert p_value == pytest.approx(stats.binomtest(won, won + lost).pvalue, rel=1e-12)
        elif won + lost > 40:
            theirs = stats.wilcoxon(deltas, zero_method="wilcox", method="asymptotic").pvalue
            assert p_value == pytest.approx(theirs, rel=1e-10)
        else:
            # Exact here, and an approximation there.
            theirs = stats.wilcoxon(deltas, zero_method="wilcox", method="asymptotic").pvalue
            assert p_value == pytest.approx(theirs, abs=0.02)


def test_the_primary_measure_is_exact_up_to_forty_changed_queries(given):
    deltas = [0.1 * (1 + i % 7) * (-1) ** (i % 3 == 0) for i in range(38)]
    assert (rr.compare(by_deltas(given, deltas)).table()["p_value"].item() * 2**37).is_integer()
    again = [rr.compare(by_deltas(given, deltas), seed=seed).table() for seed in (1, 2)]
    assert again[0]["p_value"].equals(again[1]["p_value"])


# Effect sizes


def test_effects_by_hand():
    effects = rr.compare(by_places(old=OLD, new=NEW), interval="t").effects()
    assert effects.columns == [
        *("baseline", "system", "measure", "n_queries", "d_z", "d_z_low", "d_z_high"),
        *("net_wins", "net_wins_low", "net_wins_high", "top_five"),
    ]
    (row,) = effects.rows(named=True)
    assert (row["system"], row["measure"], row["n_queries"]) == ("new", "RR", 12)
    # Five times 1/2 and once -1/2 of 12: mean 1/6, squares 6/4, variance (3/2 - 12/36) / 11.
    assert row["d_z"] == pytest.approx((1 / 6) / ((3 / 2 - 1 / 3) / 11) ** 0.5, rel=1e-12)
    assert row["d_z_low"] < row["d_z"] < row["d_z_high"]
    # Five won and one lost; of 1, -1 and 0 the variance is (6 - 12/9) / 11.
    assert row["net_wins"] == pytest.approx(4 / 12, rel=1e-14)
    half = stats.t.ppf(0.975, 11) * ((6 - 16 / 12) / 11 / 12) ** 0.5
    assert row["net_wins_low"] == pytest.approx(1 / 3 - half, rel=1e-12)
    assert row["net_wins_high"] == pytest.approx(1 / 3 + half, rel=1e-12)
    assert row["top_five"] == pytest.approx(5 / 4)  # 5/2 of a net sum of 2


@pytest.mark.parametrize("interval", ["auto", "percentile", "bca", "studentized"])
def test_effects_mirror_when_the_systems_are_swapped(interval):
    systems = drawn(60)
    evaluation = by_places(["RR", "P@2"], old=systems["old"], new=systems["new"])
    options = {"interval": interval, "resamples": 500}
    there = rr.compare(evaluation, "old", **options).effects()
    back = rr.compare(evaluation, "new", **options).effects()
    for name in ("d_z", "net_wins"):
        for mine, theirs in (("", ""), ("_low", "_high"), ("_high", "_low")):
            mirrored = (-back[name + theirs]).to_list()
            assert there[name + mine].to_list() == pytest.approx(mirrored, rel=1e-9)


def test_effects_agree_with_the_table(compared):
    effects, table = compared.effects(), compared.table()
    joined = effects.join(table, on=["system", "measure"], validate="1:1")
    for row in joined.iter_rows(named=True):
        assert row["net_wins"] == pytest.approx((row["wins"] - row["losses"]) / row["n_queries"])
        assert row["d_z_low"] < row["d_z"] < row["d_z_high"]
        assert row["net_wins_low"] < row["net_wins"] < row["net_wins_high"]
    wide = rr.compare(compared.evaluation, confidence=0.99).effects()
    assert (wide["d_z_low"] < effects["d_z_low"]).all()
    assert (wide["net_wins_high"] > effects["net_wins_high"]).all()


def test_effects_where_nothing_varies_have_no_interval(given):
    same = rr.compare(by_values(given, old=[0.5] * 12, new=[0.5] * 12)).effects().row(0)
    assert same[3:] == (12, 0.0, None, None, 0.0, None, None, None)
    even = rr.compare(by_values(given, old=[0.5] * 12, new=[0.7] * 12)).effects().row(0)
    assert even[3:] == (12, None, None, None, 1.0, None, None, pytest.approx(5 / 12))
    none = rr.compare(by_values(given, old=[None] * 12, new=[0.7] * 12)).effects().row(0)
    assert none[3:] == (0, None, None, None, None, None, None, None)


def test_effects_leave_out_undefined_queries(given):
    old = [0.0, 0.5, None, 0.3, None, 0.1, 0.2, 0.4]
    new = [0.5, 0.4, 0.9, None, None, 0.4, 0.2, 0.9]
    row = rr.compare(by_values(given, old=old, new=new)).effects().row(0, named=True)
    deltas = np.array([0.5, -0.1, 0.3, 0.0, 0.5])
    assert row["n_queries"] == 5
    assert row["d_z"] == pytest.approx(deltas.mean() / deltas.std(ddof=1), rel=1e-12)
    assert row["net_wins"] == pytest.approx(2 / 5)
    assert row["d_z_low"] < row["d_z"] < row["d_z_high"]


def test_the_bootstrap_intervals_are_scipys_but_for_chance(several):
    # Holm's, whose level, unlike that of max-t, is known without a draw: Bonferroni's of both.
    made = rr.compare(several, correction="holm")
    level = 1 - 0.05 / 2
    deltas = deltas_of(several, "new", "RR")
    error = deltas.std(ddof=1) / len(deltas) ** 0.5
    found = made.intervals(["percentile", "basic", "bca", "t", "auto"]).filter(
        pl.col("system") == "new", pl.col("measure") == "RR"
    )
    ends = {kind: (low, high) for *_, kind, low, high in found.rows()}
    for kind, method in (("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")):
        theirs = stats.bootstrap(
            (deltas,),
            np.mean,
            method=method,
            n_resamples=20_000,
            confidence_level=level,
            rng=np.random.default_rng(1),
        ).confidence_interval
        # Ends of 10,000 resamples stray by 3 to 4 % of a standard error.
        assert ends[kind] == pytest.approx(tuple(theirs), abs=0.2 * error)
    t = stats.t.interval(level, len(deltas) - 1, deltas.mean(), error)
    assert ends["t"] == pytest.approx(t, rel=1e-12)
    drawn_hull = min(ends["t"][0], ends["bca"][0]), max(ends["t"][1], ends["bca"][1])
    assert ends["auto"] == pytest.approx(drawn_hull, abs=0.2 * error)
    values = deltas[:, np.newaxis]
    closed = statistics.bca_of_mean(values, level)
    hull = statistics.hull(statistics.student_t(values, level), closed)
    assert ends["auto"] == pytest.approx((hull.low.item(), hull.high.item()), rel=1e-12)


@pytest.mark.parametrize("correction", ["holm", "none"])
def test_no_end_of_a_plain_mean_is_drawn_unless_the_level_is(several, correction):
    ends = ["ci_low", "ci_high"]
    first, other = (
        rr.compare(several, correction=correction, resamples=200, seed=seed) for seed in (1, 2)
    )
    assert first.table().select(ends).equals(other.table().select(ends))
    drawn_kinds = [made.intervals(["bca"]).select(ends) for made in (first, other)]
    assert not drawn_kinds[0].equals(drawn_kinds[1])
    assert {found.end_error for found in differences_on_measures(first)} == {0.0}
    of_level = differences_on_measures(rr.compare(several, resamples=200))
    assert min(found.end_error for found in of_level) > 0


# Direction


def test_a_delta_is_system_minus_baseline_whichever_the_baseline(several):
    summary = dict(several.summary().select("system", "RR").rows())
    for baseline in several.systems:
        rows = rr.compare(several, baseline).table().filter(measure="RR")
        assert set(rows["baseline"]) == {baseline}
        assert set(rows["system"]) == set(several.systems) - {baseline}
        for row in rows.iter_rows(named=True):
            assert row["mean_baseline"] == pytest.approx(summary[baseline], rel=1e-13)
            assert row["mean_system"] == pytest.approx(summary[row["system"]], rel=1e-13)
            expected = summary[row["system"]] - summary[baseline]
            assert row["delta"] == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("interval", ["t", "percentile", "basic", "bca", "auto", "studentized"])
def test_swapping_baseline_and_system_mirrors_everything(several, interval):
    # Holm's, for by max-t the third system, which has another baseline there, has a say.
    options = {"interval": interval, "correction": "holm"}
    there = rr.compare(several, "old", **options).table().filter(system="new")
    back = rr.compare(several, "new", **options).table().filter(system="old")
    assert there["delta"].to_list() == (-back["delta"]).to_list()
    assert there["mean_baseline"].to_list() == back["mean_system"].to_list()
    for mine, theirs in (("ci_low", "ci_high"), ("ci_high", "ci_low")):
        assert there[mine].to_list() == pytest.approx((-back[theirs]).to_list(), rel=1e-9)
    for mine, theirs in (("wins", "losses"), ("losses", "wins"), ("ties", "ties")):
        assert there[mine].to_list() == back[theirs].to_list()
    assert there["p_value"].to_list() == back["p_value"].to_list()


def test_swapping_mirrors_t_to_the_last_bit(several):
    # Holm's, for by max-t the third system, which has another baseline there, has a say.
    options = {"interval": "t", "correction": "holm"}
    there = rr.compare(several, "old", **options).table().filter(system="new")
    back = rr.compare(several, "new", **options).table().filter(system="old")
    assert there["ci_low"].to_list() == (-back["ci_high"]).to_list()
    assert there["ci_high"].to_list() == (-back["ci_low"]).to_list()


# What did not change, and what hardly did


def test_identical_runs_are_unchanged():
    comparison = rr.compare(by_places(["RR", "AP"], old=OLD, same=OLD))
    for row in comparison.table().iter_rows(named=True):
        assert (row["delta"], row["p_value"], row["p_adjusted"]) == (0.0, 1.0, 1.0)
        assert row["ci_low"] is None
        assert row["ci_high"] is None
        assert (row["n_changed"], row["wins"], row["ties"], row["losses"]) == (0, 0, 12, 0)
        titles = "; identical scores" if row["measure"] == "RR" else ""
        assert row["caution"] == f"no query changed{titles}"
    codes = [each.code for each in comparison.cautions]
    assert "identical_runs" not in codes  # said once
    caution = comparison.cautions[codes.index("same_scores")]
    assert "(12 queries). They returned the same documents in the same order." in caution.text
    assert comparison.verdict().word == "unchanged"
    ends = comparison.intervals()["ci_low"].to_list() + comparison.intervals()["ci_high"].to_list()
    assert set(ends) == {None}
    assert set(comparison.tests()["p_value"]) == {1.0}
    assert comparison.wins().frame.is_empty()
    assert comparison.losses().frame.is_empty()
    assert "no query changed" in repr(comparison)


def test_what_is_to_be_checked_first_is_shown_first():
    qrels = {f"q{at}": {"d": 1} for at in range(20)}
    runs = {"new": {q: {"d": 1.0} for q in qrels}, "broken": {q: {"D": 1.0} for q in qrels}}
    comparison = rr.compare(rr.evaluate(qrels, runs, ["RR"]), resamples=200)
    stop, *_ = repr(comparison).split("\n\n")
    assert stop.startswith("Stop: ")
    assert stop.removeprefix("Stop: ") in comparison.verdict().words.check
    assert comparison.verdict().sentence in repr(comparison)


def test_a_difference_in_the_last_bits_is_no_change(given):
    values = [0.1 * i for i in range(1, 31)]
    noisy = [value + 1e-17 * (-1) ** i for i, value in enumerate(values)]
    summed = [value + 2e-16 * (-1) ** i for i, value in enumerate(values)]
    assert summed != values
    tiny = by_values(given, old=[0.0] * 30, noisy=[1e-17] * 30)
    for comparison in (
        rr.compare(by_values(given, old=values, noisy=noisy, summed=summed)),
        rr.compare(tiny),
    ):
        for row in comparison.table().iter_rows(named=True):
            assert (row["n_changed"], row["ties"], row["delta"]) == (0, 30, 0.0)
            assert row["p_value"] == 1.0
        assert set(comparison.deltas()["delta"]) == {0.0}


def test_a_small_but_real_difference_is_a_change(given):
    row = rr.compare(by_deltas(given, [1e-9] * 3 + [0.0] * 5)).table().row(0, named=True)
    assert (row["n_changed"], row["wins"], row["ties"]) == (3, 3, 5)


@pytest.mark.parametrize(
    ("n_changed", "word", "caution"),
    [
        (1, "inconclusive", "1 of 59 changed: too few for a verdict"),
        (9, "inconclusive", "9 of 59 changed: too few for a verdict"),
        (10, "better", "10 of 59 changed: interval may be too narrow"),
        (19, "better", "19 of 59 changed: interval may be too narrow"),
        (20, "better", ""),
    ],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_few_changed_queries_give_no_verdict_however_small_p_is(
    given, n_changed, word, caution, sign
):
    deltas = [sign * 0.5] * n_changed + [0.0] * (59 - n_changed)
    comparison = rr.compare(by_deltas(given, deltas))
    row = comparison.table().row(0, named=True)
    assert row["p_value"] == 2 / 2**n_changed
    assert row["caution"] == caution
    expected = word if sign > 0 or word == "inconclusive" else "worse"
    assert comparison.verdict().word == expected


def test_equal_differences_have_no_interval_and_say_why(given):
    comparison = rr.compare(by_deltas(given, [0.5] * 30))
    row = comparison.table().row(0, named=True)
    assert (row["delta"], row["ci_low"], row["ci_high"]) == (0.5, None, None)
    assert row["p_value"] == 2 / 2**30
    assert comparison.verdict().word == "better"
    assert comparison.verdict().detail.endswith("so no interval can be computed.")


# Undefined values


def test_undefined_values_are_left_out_of_both_sides_and_counted(given):
    old = [0.0, 0.5, None, 0.3, None, 0.1]
    new = [0.5, 0.4, 0.9, None, None, 0.4]
    comparison = rr.compare(by_values(given, old=old, new=new), interval="t")
    row = comparison.table().row(0, named=True)
    assert (row["n_queries"], row["n_changed"]) == (3, 3)
    assert (row["wins"], row["ties"], row["losses"]) == (2, 0, 1)
    assert row["mean_baseline"] == pytest.approx(0.6 / 3)  # without the 0.3 that only old has
    assert row["mean_system"] == pytest.approx(1.3 / 3)
    assert row["delta"] == pytest.approx(0.7 / 3)
    # Of 0.5, -0.1 and 0.3 with all signs, +-0.9 and +-0.7 are as far as 0.7, the other four not.
    assert row["p_value"] == 4 / 8
    deltas = comparison.deltas()
    assert deltas["query_id"].to_list()[:3] == ["q000", "q005", "q001"]
    assert deltas["delta"].null_count() == 3
    assert deltas.row(by_predicate=pl.col("query_id") == "q003")[3:] == (0.3, None, None)
    alone = rr.compare(
        by_values(given, old=[0.0, 0.5, 0.1], new=[0.5, 0.4, 0.4]), interval="t"
    ).table()
    assert comparison.table().drop("caution").equals(alone.drop("caution"))
    few = "3 queries: too few for a verdict"
    assert alone["caution"].to_list() == [few]
    assert row["caution"].startswith(f"{few}; undefined values")


def test_an_undefined_value_of_one_system_leaves_the_others_alone(given):
    old, new = [0.0] * 12, [0.1 * (i % 4) for i in range(12)]
    holes = [None if i < 5 else value for i, value in enumerate(new)]
    together = rr.compare(by_values(given, old=old, new=new, holes=holes)).table()
    alone = rr.compare(by_values(given, old=old, new=new)).table()
    columns = ["n_queries", "n_changed", "mean_baseline", "mean_system", "delta", "p_value"]
    assert nearly(together.filter(system="new").select(columns), alone.select(columns))
    assert together["n_queries"].to_list() == [12, 7]


def test_a_measure_that_is_undefined_everywhere_is_not_equal(given):
    undefined = [None] * 12
    comparison = rr.compare(by_values(given, old=undefined, new=undefined))
    row = comparison.table().row(0, named=True)
    assert (row["n_queries"], row["n_changed"], row["ties"]) == (0, 0, 0)
    for column in ("mean_baseline", "mean_system", "delta", "ci_low", "ci_high", "p_value"):
        assert row[column] is None, column
    assert row["p_adjusted"] is None
    assert row["caution"] == (
        "no query has a value for both systems; undefined values; no judged document returned; "
        "identical runs"
    )
    verdict = comparison.verdict()
    assert verdict.word == "check first"
    assert "no query has a value for both systems" in verdict.sentence


# What no figure may depend on


def shuffled(nested, seed):
    order = random.Random(seed)
    queries = order.sample(list(nested), len(nested))
    return {q: dict(order.sample(list(nested[q].items()), len(nested[q]))) for q in queries}


def test_the_order_of_the_rows_does_not_matter():
    systems = drawn(50)
    qrels, runs = qrels_for(50), {name: run_of(places) for name, places in systems.items()}
    ordered = rr.compare(rr.evaluate(qrels, runs, ["RR", "AP"]))
    mixed_runs = {name: shuffled(run, 7) for name, run in runs.items()}
    mixed = rr.compare(rr.evaluate(shuffled(qrels, 8), mixed_runs, ["RR", "AP"]))
    assert mixed.table().equals(ordered.table())
    assert mixed.deltas("AP").equals(ordered.deltas("AP"))
    assert mixed.intervals().equals(ordered.intervals())


@pytest.mark.parametrize("interval", ["auto", "studentized"])
def test_memory_does_not_matter(interval):
    evaluation = by_places(**drawn(1500))
    options = {"resamples": 700, "interval": interval, "test": "bootstrap"}
    much = rr.compare(evaluation, **options)
    little = replace(much, memory=2**20)
    assert nearly(little.table(), much.table())


def test_a_limit_of_memory_covers_blocks_of_resamples():
    qrels, runs = {"q1": {"d1": 1}}, {name: {"q1": {"d1": 1.0}} for name in "ab"}
    limited = rr.evaluate(qrels, runs, ["AP"], memory_limit="600MB")
    assert block_of_draws(rr.compare(limited)) == 600 * 10**6 // 16
    assert block_of_draws(rr.compare(limited, memory_limit="800MB")) == 50 * 10**6
    assert block_of_draws(rr.compare(limited, memory_limit="8GB")) == 2**26
    at_once = rr.compare(qrels, runs, measures=["AP"], memory_limit="600MB")
    assert memory_limit_of(at_once.evaluation) == 600 * 10**6


@pytest.mark.parametrize(
    ("interval", "test"),
    [
        *(("auto", "sign-flip"), ("studentized", "sign-flip"), ("studentized", "bootstrap")),
        *(("auto", "t"), ("auto", "wilcoxon"), ("studentized", "sign")),
    ],
)
def test_other_measures_and_systems_do_not_matter(several, interval, test):
    # Holm's, for by max-t studentised intervals of several systems hang together.
    options = {"interval": interval, "test": test, "resamples": 2000, "correction": "holm"}
    made = rr.compare(several, **options)
    together = made.table()
    systems = drawn(60)
    # Intervals of several systems hold at once: each is made at a higher level.
    level = 1 - 0.05 / len(made.systems)
    alone = rr.compare(
        by_places(["P@2"], old=systems["old"], bad=systems["bad"]), **options, confidence=level
    )
    # Titles of cautions stand in rows of the primary measure alone, which RR is in one of the two.
    unlike = ["p_adjusted", "caution"]
    mine = together.filter(system="bad", measure="P@2")
    assert nearly(alone.table().drop(unlike), mine.drop(unlike))
    # So does that the adjusted p-value says otherwise, which depends on the number of systems.
    own = "17 of 60 changed: interval may be too narrow"
    (in_several,) = mine["caution"]
    assert in_several.split("; ")[0] == own
    assert alone.table()["caution"].item().startswith(own)


def test_the_same_seed_gives_the_same_figures_and_another_does_not(several):
    first, again = (rr.compare(several, seed=5).table() for _ in range(2))
    other = rr.compare(several, seed=6).table()
    assert first.equals(again)
    assert first["ci_low"].to_list() != other["ci_low"].to_list()
    assert first["delta"].equals(other["delta"])


@pytest.mark.parametrize("test", ["sign-flip", "bootstrap"])
def test_a_longer_run_extends_a_shorter_one(test):
    systems = {f"s{seed}": drawn(150, seed)["old"] for seed in range(5)}
    evaluation = by_places(["RR", "P@2"], **systems)

    def as_far(resamples):
        """How many replicates are as far from zero as the sample: p is (1 + as far) / resamples."""
        table = rr.compare(evaluation, test=test, resamples=resamples).table()
        assert (table["n_changed"] > 36).all()
        return (table["p_value"] * resamples - 1).round(6).to_numpy()

    # One replicate more is as far, or it is not; were they drawn anew, counts would stray by 20.
    one_more = as_far(1301) - as_far(1300)
    assert set(one_more) <= {0.0, 1.0}
    many_more = as_far(3000) - as_far(1301)
    assert (many_more >= 0).all()
    assert many_more.max() > 1


def test_more_confidence_is_a_wider_interval_around_the_delta(several):
    for interval in ("t", "percentile", "auto"):
        narrow, wide = (
            rr.compare(several, interval=interval, confidence=c).table() for c in (0.8, 0.99)
        )
        assert (wide["ci_low"] < narrow["ci_low"]).all()
        assert (narrow["ci_low"] < narrow["delta"]).all()
        assert (narrow["delta"] < narrow["ci_high"]).all()
        assert (narrow["ci_high"] < wide["ci_high"]).all()


def test_a_loaded_evaluation_compares_to_the_last_bit(several, tmp_path):
    file = tmp_path / "scores.parquet"
    several.write_parquet(file, also=[f"nDCG@{k}" for k in (1, 4, 9)])
    original = rr.compare(several, "new", seed=3)
    loaded = rr.compare(rr.load_evaluation(file), "new", seed=3)
    assert loaded.table().equals(original.table())
    assert loaded.intervals().equals(original.intervals())
    assert loaded.tests().equals(original.tests())
    assert loaded.deltas("P@2").equals(original.deltas("P@2"))
    for mine, theirs in zip(
        loaded.curve("nDCG", [1, 4, 9]), original.curve("nDCG", [1, 4, 9]), strict=True
    ):
        assert mine.equals(theirs)
    assert loaded.verdict() == original.verdict()
    assert loaded.to_markdown() == original.to_markdown()


# Side by side, query by query, and along the cut-offs


def test_intervals_and_tests_hold_what_the_table_holds(several):
    for interval in ("t", "percentile", "basic", "bca", "auto", "studentized"):
        comparison = rr.compare(several, interval=interval, resamples=1000)
        side_by_side = comparison.intervals([interval])
        joined = comparison.table().join(side_by_side, on=["system", "measure"], validate="1:1")
        assert joined["ci_low"].equals(joined["ci_low_right"], check_names=False), interval
        assert joined["ci_high"].equals(joined["ci_high_right"], check_names=False), interval
    for test in ("sign-flip", "bootstrap", "t"):
        comparison = rr.compare(several, test=test, resamples=1000)
        joined = comparison.table().join(
            comparison.tests([test]), on=["system", "measure"], validate="1:1"
        )
        assert joined["p_value"].equals(joined["p_value_right"], check_names=False), test


def test_intervals_and_tests_come_in_the_order_asked_for(compared):
    intervals = compared.intervals(["bca", "t"])
    assert intervals.columns == ["baseline", "system", "measure", "interval", "ci_low", "ci_high"]
    assert intervals["interval"].unique(maintain_order=True).to_list() == ["bca", "t"]
    tests = compared.tests()
    assert tests.columns == ["baseline", "system", "measure", "test", "p_value"]
    assert tests["test"].unique(maintain_order=True).to_list() == ["sign-flip", "bootstrap", "t"]
    assert len(tests) == 3 * len(compared.table())


def test_deltas_are_the_scores_and_the_biggest_win_first():
    comparison = rr.compare(by_places(["RR", "P@2"], old=OLD, bit=BIT, new=NEW))
    assert comparison.systems == ("bit", "new")
    deltas = comparison.deltas()
    assert deltas.columns == [
        *("baseline", "system", "query_id", "score_baseline", "score_system", "delta")
    ]
    assert deltas["system"].to_list() == ["bit"] * 12 + ["new"] * 12
    new = comparison.deltas("RR", "new")
    assert new.equals(deltas.filter(system="new"))
    wins = [("old", "new", named(i), 0.5, 1.0, 0.5) for i in range(5)]
    ties = [("old", "new", named(i), 0.25, 0.25, 0.0) for i in range(6, 12)]
    assert new.rows() == [*wins, *ties, ("old", "new", "q005", 1.0, 0.5, -0.5)]
    won = comparison.wins("RR", "new").frame
    lost = comparison.losses("RR", "new").frame
    # Two columns more, which are empty where nearly all documents at the top are judged.
    assert won.columns == lost.columns == [*deltas.columns, "unjudged_baseline", "unjudged_system"]
    assert won.rows() == [(*row, None, None) for row in wins]
    assert lost.rows() == [("old", "new", "q005", 1.0, 0.5, -0.5, None, None)]
    assert comparison.wins()["query_id"].to_list() == [
        *("q006", "q007"),
        *("q000", "q001", "q002", "q003", "q004"),
    ]
    # P@2 does not ask for the place above 2.
    assert comparison.wins("P@2", "new").frame.is_empty()
    assert comparison.wins("P@2", "bit")["delta"].to_list() == [0.5, 0.5]


def test_the_biggest_loss_comes_first_among_the_losses():
    comparison = rr.compare(by_places(old=[1, 1, 1, 2], new=[2, 0, 3, 1]))
    assert comparison.losses()["query_id"].to_list() == ["q001", "q002", "q000"]
    assert comparison.losses()["delta"].to_list() == pytest.approx([-1, -2 / 3, -1 / 2])
    assert comparison.wins()["query_id"].to_list() == ["q003"]


def test_the_biggest_changes_keep_no_other_queries_in_memory(monkeypatch):
    comparison = rr.compare(by_places(old=[1, 1, 1, 2], new=[2, 0, 3, 1]))
    every = queries.queries_on_one_side(comparison, str(comparison.primary), comparison.pairs, -1)
    monkeypatch.setattr(queries, "queries_on_one_side", lambda *_: every)
    found = queries.biggest_changes(comparison, comparison.pairs[0], -1, 2)
    assert found.equals(every.head(2))
    assert not np.shares_memory(*(each["delta"].to_numpy() for each in (every, found)))


def test_wins_and_losses_number_what_the_table_says(compared):
    for row in compared.table().iter_rows(named=True):
        of = row["measure"], row["system"]
        assert len(compared.wins(*of)) == row["wins"]
        assert len(compared.losses(*of)) == row["losses"]
        assert len(compared.deltas(*of)) == row["n_queries"]
        assert compared.deltas(*of)["delta"].mean() == pytest.approx(row["delta"], abs=1e-15)


@pytest.mark.parametrize("interval", ["auto", "percentile", "t", "studentized"])
def test_the_band_at_k_is_the_tables_interval_there(several, interval):
    systems = drawn(60)
    measures = ["nDCG@4", "nDCG@1", "nDCG@3"]
    comparison = rr.compare(by_places(measures, **systems), interval=interval)
    levels, differences = comparison.curve("nDCG", k=[1, 2, 3, 4])
    assert differences.columns == [
        *("baseline", "system", "k", "delta", "ci_low", "ci_high", "band_low", "band_high")
    ]
    assert levels.columns == ["system", "k", "mean", "ci_low", "ci_high"]
    for k in (1, 3, 4):
        table = (
            comparison.table()
            .filter(measure=f"nDCG@{k}")
            .select("system", "delta", "ci_low", "ci_high")
        )
        assert nearly(differences.filter(k=k).select(table.columns), table)
    means = dict(several.summary().select("system", "nDCG@4").rows())
    for system, mean in levels.filter(k=4).select("system", "mean").rows():
        assert mean == pytest.approx(means[system], rel=1e-13)
    assert levels.select("system", "k").rows() == list(product(systems, [1, 2, 3, 4]))
    assert differences.select("system", "k").rows() == list(product(["new", "bad"], [1, 2, 3, 4]))


def test_curves_are_made_once_and_by_the_settings_of_their_comparison(monkeypatch):
    made = []

    def noted(contrasts, courses, *how):
        made.extend(str(point) for course in courses for point in course)
        return curve_bands(contrasts, courses, *how)

    monkeypatch.setattr("rankreport.comparison.curves.curve_bands", noted)
    comparison = rr.compare(by_places(["P@1"], **drawn(60)))
    first = comparison.curve("P", k=[1, 2])
    comparison.plot_curves(["RR", "P"], k=[1, 2])
    assert comparison.curve("P", k=[1, 2]) is first
    assert made == ["P@1", "P@2", "RR@1", "RR@2"]
    narrower = replace(comparison, confidence=0.8).curve("P", k=[1, 2])
    assert (narrower.levels["ci_low"] > first.levels["ci_low"]).all()


def test_a_curve_that_does_not_vary_has_no_band():
    levels, differences = rr.compare(by_places(old=[1] * 12, new=[1] * 12)).curve("P", [1, 2])
    assert levels["mean"].to_list() == [1.0, 0.5] * 2
    assert differences["delta"].to_list() == [0.0, 0.0]
    for frame in (levels, differences):
        assert set(frame["ci_low"]) == set(frame["ci_high"]) == {None}
    assert set(differences["band_low"]) == set(differences["band_high"]) == {None}


def test_the_verdict_is_of_the_best_system_on_the_primary_measure():
    evaluation = rr.evaluate(
        qrels_for(60),
        {name: run_of(places) for name, places in drawn(60).items()},
        ["P@2", "RR"],
        primary="RR",
    )
    comparison = rr.compare(evaluation)
    table = comparison.table().filter(measure="RR")
    best = table.sort("delta", descending=True)["system"][0]
    assert best == "new"
    assert comparison.primary == rr.RR
    verdict = comparison.verdict()
    about = tuple(each for each in verdict.cautions if each.is_about(["old", "new"]))
    assert replace(verdict.words, others="", cautions=about) == comparison.verdict("new").words
    lost = table.row(by_predicate=pl.col("system") == "bad", named=True)
    assert lost["ci_high"] < 0
    assert verdict.others == (
        f"Worse: bad ({lost['delta']:+.3f}).\nnew has the highest mean, and all others are clearly "
        "below it."
    )
    assert " on RR: " in verdict.sentence
    assert comparison.verdict("bad") != comparison.verdict("new")
    assert "bad" in comparison.verdict("bad").sentence


# Showing and writing


def test_what_is_shown_holds_the_tables_numbers(compared):
    shown = compared._shown()
    table = compared.table()
    for cells, row, found in zip(
        shown.rows, table.iter_rows(named=True), differences_on_measures(compared), strict=True
    ):
        seen = dict(zip(shown.headers, cells, strict=True))
        assert cells[:2] == (row["measure"], row["system"])
        assert seen["baseline"] == f"{row['mean_baseline']:.4f}"
        assert seen["mean"] == f"{row['mean_system']:.4f}"
        digits = len(seen["delta"].partition(".")[2])
        assert seen["delta"] == f"{row['delta']:+.{digits}f}"
        # The level of the intervals is drawn: they show what the next seed would not change.
        low, high = (float(end) for end in seen["95 % interval"].split(" to "))
        assert digits == len(seen["95 % interval"].partition(".")[2].partition(" ")[0])
        half = 0.5 * 10.0**-digits
        assert (low, high) == pytest.approx((row["ci_low"], row["ci_high"]), abs=half * 1.001)
        assert 2 * half > found.end_error > 0
        p = seen["p (max-t)"]
        assert p.removeprefix("<= ") == f"{row['p_adjusted']:.4f}"
        assert p.startswith("<= ") == (row["p_adjusted"] < 1.5 / 10_000)
        sides = f"{row['wins']} / {row['ties']} / {row['losses']}"
        assert seen["better / unchanged / worse"] == sides
        assert seen["caution"] == row["caution"]
    place = shown.headers.index("p (max-t)")
    assert any(row[place].startswith("<= ") for row in shown.rows)
    assert shown.numeric == frozenset(range(2, len(shown.headers) - 1))
    assert shown.caption == "Against old, 60 queries; intervals simultaneous for 2 differences"
    for correction, header in (("holm", "p (Holm)"), ("bh", "p (BH)"), ("none", "p")):
        made = rr.compare(compared.evaluation, correction=correction, resamples=100)._shown()
        assert [name for name in made.headers if name.startswith("p")] == [header]
        assert ("simultaneous" in made.caption) == (correction != "none")
    one = rr.compare(by_places(old=OLD, new=NEW))._shown()
    assert [name for name in one.headers if name.startswith("p")] == ["p"]
    assert one.numeric == frozenset(range(2, len(one.headers) - 1))
    assert one.caption == "Against old, 12 queries"


def test_ends_that_are_not_drawn_are_shown_to_the_places_of_the_difference(several):
    made = rr.compare(several, correction="holm", resamples=100)
    for cells, row in zip(made._shown().rows, made.table().iter_rows(named=True), strict=True):
        assert cells[4:6] == (
            f"{row['delta']:+.3f}",
            f"{row['ci_low']:+.3f} to {row['ci_high']:+.3f}",
        )


def test_a_comparison_shows_itself(compared):
    text = repr(compared)
    caption = "Against old, 60 queries; intervals simultaneous for 2 differences"
    verdict, _, table = text.partition(f"\n\n{caption}\nmeasure  system")
    assert verdict.startswith(compared.verdict().sentence)
    assert str(compared.verdict().action) in verdict
    assert table
    bundle = compared._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "text/latex"}
    assert "<table" in bundle["text/html"]
    assert compared._shown().to_latex().startswith(r"\begin{tabular}{llr")
    markdown = compared.to_markdown()
    assert markdown.startswith(f"**Better.** {compared.verdict().sentence}")
    assert f"\n\n{caption}\n\n| measure | system | baseline | mean | delta |" in markdown


def test_whatever_pair_it_is_about_a_comparison_shows_all_cautions():
    few = by_places(old=[2] * 30, new=[1] * 25 + [2] * 5, bit=[1] * 5 + [2] * 25)
    comparison = rr.compare(few, resamples=1000)
    (caution,) = [each for each in comparison.cautions if each.code == "few_changed"]
    assert caution.concerns == (("old", "bit"),)
    assert str(caution) in repr(comparison)
    assert str(caution) in str(comparison.verdict())
    assert str(caution) not in str(comparison.verdict("new"))
    for each in comparison.cautions:
        assert each.text in repr(comparison)
        assert f"% {labelled(each)}" in comparison.to_latex().splitlines()


def test_a_comparison_is_exported_whole(compared, tmp_path):
    compared.write_parquet(tmp_path / "table.parquet")
    assert pl.read_parquet(tmp_path / "table.parquet").equals(compared.table())
    assert compared.to_polars().equals(compared.table())
    assert compared.to_pandas()["delta"].tolist() == compared.table()["delta"].to_list()


# Refusals


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"baseline": "olt"}, r"baseline='olt' is not one of .*Did you mean 'old'\?"),
        ({"interval": "percentil"}, r"interval='percentil' .*Did you mean 'percentile'\?"),
        ({"test": "sign_flip"}, r"test='sign_flip' .*Did you mean 'sign-flip'\?"),
        ({"correction": "holms"}, r"correction='holms' .*Did you mean 'holm'\?"),
        ({"confidence": 95}, r"confidence=95 must lie between 0 and 1"),
        ({"confidence": 0.0}, r"confidence=0\.0 must"),
        ({"confidence": 1.0}, r"confidence=1\.0 must"),
        ({"confidence": float("nan")}, r"confidence=nan must"),
        ({"resamples": 99}, r"resamples=99 is too few"),
        ({"seed": -1}, r"seed=-1 must not be negative"),
        ({"memory_limit": 1000}, r"memory_limit=1000 is too little"),
    ],
)
def test_a_bad_option_is_refused_at_once(several, options, expected):
    with pytest.raises(rr.OptionError, match=expected):
        rr.compare(several, **options)


def test_one_system_is_nothing_to_compare():
    with pytest.raises(rr.OptionError, match="two systems or more"):
        rr.compare(by_places(old=OLD))


def test_what_was_not_compared_is_refused_with_the_nearest_name(compared):
    with pytest.raises(rr.OptionError, match=r"measure='nDCG@5' .*Did you mean 'nDCG@4'\?"):
        compared.deltas("nDCG@5")
    with pytest.raises(rr.MeasureError, match=r"'ndgc' is not a measure\. Did you mean 'nDCG'\?"):
        compared.wins("ndgc@4")
    with pytest.raises(rr.OptionError, match=r"system='nwe' .*Did you mean 'new'\?"):
        compared.losses(system="nwe")
    with pytest.raises(rr.OptionError, match=r"system='old'"):
        compared.verdict("old")
    with pytest.raises(rr.OptionError, match=r"interval='bcaa' .*Did you mean 'bca'\?"):
        compared.intervals(["bcaa"])
    with pytest.raises(rr.OptionError, match=r"test='wilcox' .*Did you mean 'wilcoxon'\?"):
        compared.tests(["t", "wilcox"])


def test_a_curve_that_cannot_be_is_refused(compared):
    with pytest.raises(rr.MeasureError, match="Bpref takes no cut-off"):
        compared.curve("Bpref")
    with pytest.raises(rr.MeasureError, match="give nDCG, not nDCG@10"):
        compared.curve("nDCG@10")
    with pytest.raises(rr.OptionError, match="k is empty"):
        compared.curve("nDCG", [])


# --- judgments and runs at once -------------------------------------------------------------------


def test_judgments_and_runs_are_compared_at_once():
    qrels = {f"q{i}": {"d1": 1} for i in range(20)}
    old = {q: ["d2", "d1"] if i % 2 else ["d1"] for i, q in enumerate(qrels)}
    new = {q: ["d1"] for q in qrels}
    runs = {"old": old, "new": new}
    at_once = rr.compare(qrels, runs, measures=["RR"], resamples=200)
    evaluation = rr.evaluate(qrels, runs, ["RR"])
    assert at_once.table().equals(rr.compare(evaluation, resamples=200).table())
    assert rr.compare(qrels, runs, baseline="new", resamples=200).baseline == "new"
    usual = rr.compare(qrels, runs, resamples=200).evaluation.measures
    assert tuple(map(str, usual)) == rr.DEFAULT_MEASURES
    # After an evaluation, the second argument is the baseline.
    assert rr.compare(evaluation, "new", resamples=200).baseline == "new"


def test_what_compare_cannot_take_is_refused():
    qrels, runs = {"q": {"d1": 1}}, {"old": {"q": ["d1"]}, "new": {"q": ["d2"]}}
    evaluation = rr.evaluate(qrels, runs)
    with pytest.raises(rr.OptionError, match=r"rr\.compare\(qrels, .*found dict alone"):
        rr.compare(qrels)
    with pytest.raises(rr.OptionError, match="found an evaluation before dict"):
        rr.compare(evaluation, runs)
    with pytest.raises(rr.OptionError, match="found an evaluation before str"):
        rr.compare(evaluation, "old", baseline="old")
    with pytest.raises(rr.OptionError, match="this evaluation has its own"):
        rr.compare(evaluation, measures="AP")
    with pytest.raises(rr.OptionError, match="this evaluation has one"):
        rr.compare(qrels, {"q": ["d1"]})


def test_results_name_measures_as_they_were_asked_for():
    c = rr.compare(by_places(("mrr", "hit_rate@1"), old=OLD, new=NEW))
    assert "on mrr:" in c.verdict().sentence
    assert [row.split()[0] for row in c._shown().to_text().splitlines()[3:]] == [
        "mrr",
        "hit_rate@1",
    ]
    assert c.to_latex().count("hit\\_rate@1") == 1
    for chart in (c.plot_forest(), c.plot_deltas("RR"), c.plot_scatter("mrr")):
        assert "mrr" in chart.alt
    assert c.table()["measure"].to_list() == ["RR", "Success@1"]
    assert c["measure"].to_list() == ["mrr", "hit_rate@1"]
    assert c.deltas("hit_rate@1").equals(c.deltas("Success@1"))


def test_what_was_decided_is_represented_in_words():
    c = rr.compare(by_places(old=OLD, new=NEW))
    found, [candidate] = c.decision.verdict, rr.gate(c, "RR > 0").candidates
    assert repr(found.found) == f"<new minus old, RR: {found.found.numbers}>"
    assert repr(found) == f"<new minus old: {found.word}, by {found.decided_by.value}>"
    assert repr(c.decision) == f"<new minus old: {found.word}; 2 of 2 systems may be the best>"
    assert repr(candidate) == f"<new against old: {candidate.outcome}>"
    assert repr(candidate.findings[0]) == f"<new: {candidate.findings[0].reason}.>"
    assert repr(Caution("few", "look", "Few changed.")) == "<Look: Few changed.>"


def test_a_column_that_a_result_does_not_have_is_an_error_that_lists_them():
    c = rr.compare(by_places(old=OLD, new=NEW))
    with pytest.raises(rr.OptionError, match=r"column='deltas' is not one of .*Did you mean"):
        c["deltas"]
    with pytest.raises(rr.OptionError, match="column='text' is not one of 'baseline'"):
        c.losses()["text"]


def test_a_name_that_a_profile_has_alone_names_a_measure_of_the_comparison():
    runs = {"old": run_of(OLD), "new": run_of(NEW)}
    made = rr.evaluate(qrels_for(len(OLD)), runs, "NDCG:top=10", profile="catboost")
    c = rr.compare(made)
    assert c.deltas("NDCG:top=10").equals(c.deltas())
    assert rr.leaderboard(c)._shown().caption.startswith("NDCG:top=10 of 2 systems")
    assert rr.plan(c)._shown().caption.startswith("NDCG:top=10, 80 % power")
    assert "NDCG:top=10 may fall" in str(rr.gate(c, "NDCG:top=10 > -0.01"))
