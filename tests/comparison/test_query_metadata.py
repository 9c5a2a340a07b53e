"""Queries that weigh, hang together or lie in segments; several baselines, ratios and bands."""

from __future__ import annotations

import re
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats
from statsmodels.stats.multitest import multipletests

import rankreport as rr
from rankreport import statistics
from rankreport.comparison import curves, segments_table
from rankreport.comparison.differences import differences_on_measures
from rankreport.comparison.leading_pair import leading_pair_of
from rankreport.comparison.paired_differences import contrasts_of

N = 60


def named(i):
    return f"q{i:03}"


def by_scores(*names, measures=("RR", "P@2"), n=N, seed=0):
    """Evaluate systems that put the one relevant document of a query on places drawn at random."""
    draw = np.random.default_rng(seed)
    places = {names[0]: draw.integers(1, 5, n)}
    for name in names[1:]:
        kept = draw.random(n) < 0.4
        places[name] = np.where(kept, places[names[0]], draw.integers(1, 4, n))
    qrels = {named(i): {"r": 1} for i in range(n)}
    runs = {
        name: {
            named(i): {"r" if rank == place else f"x{rank}": float(-rank) for rank in range(1, 6)}
            for i, place in enumerate(of)
        }
        for name, of in places.items()
    }
    return rr.evaluate(qrels, runs, list(measures))


@pytest.fixture(scope="module")
def two():
    return by_scores("old", "new")


@pytest.fixture(scope="module")
def four():
    return by_scores("a", "b", "c", "d")


def deltas_of(evaluation, measure="RR"):
    wide = evaluation.per_query().pivot("system", index="query_id", values=measure)
    return wide.select("query_id", delta=pl.col("new") - pl.col("old"))


# Several baselines, and all pairs


def test_each_two_systems_are_compared_once(four):
    pairs = [tuple(pair) for pair in rr.compare(four, pairs="all").pairs]
    assert pairs == list(combinations("abcd", 2))
    assert rr.compare(four, ["a", "b", "c"]).pairs == rr.compare(four, pairs="all").pairs
    several = rr.compare(four, ["c", "a"])
    assert [tuple(pair) for pair in several.pairs] == [
        *(("c", "a"), ("c", "b"), ("c", "d"), ("a", "b"), ("a", "d"))
    ]
    assert (several.baseline, several.baselines) == ("c", ("c", "a"))
    assert several.systems == ("a", "b", "d")


def test_a_pair_among_others_is_as_it_is_alone_but_for_the_correction(four):
    options = {"correction": "none", "resamples": 500}
    together = rr.compare(four, pairs="all", **options).table()
    for baseline, system in combinations("abcd", 2):
        alone = rr.compare(four, baseline, **options).table().filter(system=system)
        mine = together.filter(baseline=baseline, system=system)
        for name in ("delta", "ci_low", "ci_high", "p_value"):
            expected = pytest.approx(alone[name].to_list(), rel=1e-12, abs=1e-15)
            assert mine[name].to_list() == expected
        assert mine["wins"].equals(alone["wins"])


def test_all_pairs_are_corrected_together(four):
    made = rr.compare(four, pairs="all", correction="holm", interval="t", resamples=500)
    table = made.table().filter(measure="RR")
    expected = multipletests(table["p_value"], method="holm")[1]
    assert table["p_adjusted"].to_list() == pytest.approx(list(expected), rel=1e-12)
    scores = four.per_query()
    for row in table.iter_rows(named=True):
        of = {s: scores.filter(system=s)["RR"].to_numpy() for s in "abcd"}
        deltas = of[row["system"]] - of[row["baseline"]]
        level = 1 - 0.05 / 6  # six pairs
        ends = stats.t.interval(level, N - 1, deltas.mean(), stats.sem(deltas))
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(ends, rel=1e-12)


def test_measures_are_corrected_together_where_asked(four):
    made = rr.compare(four, correction="bh", across="measures", interval="t", resamples=500)
    table = made.table()
    expected = multipletests(table["p_value"], method="fdr_bh")[1]
    assert table["p_adjusted"].to_list() == pytest.approx(list(expected), rel=1e-12)
    alone = rr.compare(four, correction="none", interval="t", confidence=1 - 0.05 / 6).table()
    assert table["ci_low"].to_list() == pytest.approx(alone["ci_low"].to_list(), rel=1e-12)
    assert "p (BH)" in made._shown().headers


def test_max_t_across_measures_is_of_the_greatest_of_all(four):
    made = rr.compare(four, across="measures", resamples=2000)
    within = rr.compare(four, resamples=2000).table()
    table = made.table()
    assert table["p_value"].equals(within["p_value"])
    assert (table["p_adjusted"] >= within["p_adjusted"]).all()
    assert (table["p_adjusted"] > within["p_adjusted"]).any()


def test_two_systems_on_several_measures_are_several_too(two):
    made = rr.compare(two, across="measures", correction="holm", resamples=500)
    table = made.table()
    expected = multipletests(table["p_value"], method="holm")[1]
    assert table["p_adjusted"].to_list() == pytest.approx(list(expected), rel=1e-12)


def test_rows_of_several_baselines_name_them(four):
    made = rr.compare(four, ["a", "b"], resamples=200)
    shown = made._shown()
    assert shown.headers[:4] == ("measure", "system", "against", "baseline")
    assert shown.rows[0][:3] == ("RR", "b", "a")
    assert made.wins(system="c", baseline="b").frame.rows() == [
        row for row in made.wins(system="c").frame.rows() if row[0] == "b"
    ]
    assert set(made.deltas(baseline="b")["system"]) == {"c", "d"}
    assert " than b on RR" in str(made.verdict("c", "b"))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"baseline": ["a", "a"]}, "'a' is named twice"),
        ({"baseline": []}, "baseline is empty"),
        ({"baseline": ["a", "e"]}, "baseline='e' is not one of"),
        ({"pairs": "every"}, "pairs='every' is not one of 'baseline', 'all'"),
        ({"across": "metrics"}, "across='metrics' is not one of 'systems', 'measures'"),
        ({"margin": 0}, "margin=0: expected a number above 0"),
        ({"margin": float("inf")}, "margin=inf: expected a number above 0"),
        ({"weights": "visits"}, "names a column of queries, but no queries were given"),
        ({"weights": {}}, "weights is empty"),
        ({"weights": {"q000": -1.0}}, "-1.0 of query 'q000' is invalid"),
        ({"weights": {"q0": 1.0}}, "no evaluated query, such as 'q000', has a weight above 0"),
        ({"weights": {"q000": "much"}}, "holds String, not numbers"),
        ({"clusters": {"q000": "ann"}}, "59 of 60 queries have no value, such as 'q001', 'q002'"),
        ({"segments": "type"}, "names a column of queries, but no queries were given"),
        ({"weights": [1.0, 2.0]}, r"weights takes the name of a column .*; found list"),
        ({"confidence": "0.95"}, "confidence takes a number between 0 and 1.*; found str"),
        ({"margin": "0.01"}, "margin takes a number above 0.*; found str"),
        ({"resamples": 100.5}, "resamples takes a whole number; found float"),
        ({"seed": None}, "seed takes a whole number; found NoneType"),
    ],
)
def test_bad_options_are_refused(four, options, expected):
    with pytest.raises(rr.OptionError, match=expected):
        rr.compare(four, **options).table()


# Means and ratios


@pytest.mark.parametrize("several", ["two", "four"])
def test_means_have_the_interval_of_their_own_scores(several, request):
    evaluation = request.getfixturevalue(several)
    made = rr.compare(evaluation, interval="t")
    scores = evaluation.per_query()
    for system, measure, mean, low, high in made.means().rows():
        own = scores.filter(system=system)[measure].to_numpy()
        ends = stats.t.interval(0.95, N - 1, own.mean(), stats.sem(own))
        assert (mean, low, high) == pytest.approx((own.mean(), *ends), rel=1e-12)


def test_nothing_reaches_beyond_what_a_measure_can_be():
    qrels = {f"q{i}": {"r": 1} for i in range(3)}
    first = {f"q{i}": {"r": 1.0} for i in range(3)}
    last = {f"q{i}": {"r": 1.0, **{f"x{j}": 2.0 + j for j in range(9 * i)}} for i in range(3)}
    made = rr.compare(rr.evaluate(qrels, {"last": last, "first": first}, ["RR"]), resamples=200)
    row = made.table().row(0, named=True)
    t_high = stats.t.interval(0.95, 2, row["delta"], stats.sem([0, 0.9, 1 - 1 / 19]))[1]
    assert t_high > 1
    assert row["ci_high"] == 1
    assert made.means().filter(system="last")["ci_high"].item() == 1
    assert differences_on_measures(made)[0].widest == 1
    assert made.curve("P", [1, 2]).differences["ci_high"].max() <= 1


def test_the_ratio_of_means_has_the_error_of_the_jackknife(two):
    (row,) = rr.compare(two, interval="t").ratios().filter(measure="RR").to_dicts()
    scores = two.per_query()
    old, new = (scores.filter(system=s)["RR"].to_numpy() for s in ("old", "new"))
    ratio = new.mean() / old.mean()
    assert row["ratio"] == pytest.approx(ratio, rel=1e-13)
    left_out = (new.sum() - new) / (old.sum() - old)
    variance = (N - 1) / N * ((left_out - ratio) ** 2).sum()
    half = stats.t.ppf(0.975, N - 1) * variance**0.5
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((ratio - half, ratio + half), rel=1e-10)


def test_means_deltas_and_ratios_come_from_the_same_resamples(two):
    made = rr.compare(two, interval="percentile", resamples=999)
    counts = np.concatenate(list(statistics.random_draws.draw_counts(N, resamples=999, seed=0)))
    scores = two.per_query()
    old, new = (scores.filter(system=s)["RR"].to_numpy() for s in ("old", "new"))
    of_old, of_new = counts @ old / N, counts @ new / N
    for found, replicates in (
        (made.means().filter(system="new", measure="RR"), of_new),
        (made.table().filter(measure="RR"), of_new - of_old),
        (made.ratios().filter(measure="RR"), of_new / of_old),
    ):
        ends = found.select("ci_low", "ci_high").row(0)
        assert ends == pytest.approx(tuple(np.quantile(replicates, [0.025, 0.975])), rel=1e-12)


def test_a_ratio_to_nothing_is_null():
    qrels = {named(i): {"r": 1} for i in range(20)}
    nothing = {named(i): {"x": 1.0} for i in range(20)}
    some = {named(i): {"r" if i % 2 else "x": 1.0} for i in range(20)}
    made = rr.compare(rr.evaluate(qrels, {"nothing": nothing, "some": some}, ["RR"]))
    assert made.ratios().row(0)[3:] == (None, None, None)
    assert made.table()["delta"].item() == 0.5


# Weights, clusters, strata


def test_weights_are_the_weighted_mean_with_the_error_of_the_jackknife(two):
    weights = {named(i): 1 / (i + 1) for i in range(N)}
    made = rr.compare(two, weights=weights)
    row = made.table().filter(measure="RR").row(0, named=True)
    w = np.array(list(weights.values()))
    d = deltas_of(two)["delta"].to_numpy()
    mean = (w * d).sum() / w.sum()
    left_out = (w @ d - w * d) / (w.sum() - w)
    error = ((N - 1) / N * ((left_out - mean) ** 2).sum()) ** 0.5
    effective = w.sum() ** 2 / (w**2).sum()
    ends = stats.t.interval(0.95, effective - 1, mean, error)
    assert row["delta"] == pytest.approx(mean, rel=1e-12)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(ends, rel=1e-12)
    summary = dict(two.summary(weights).select("system", "RR").rows())
    assert row["mean_baseline"] == pytest.approx(summary["old"], rel=1e-12)
    assert row["mean_system"] == pytest.approx(summary["new"], rel=1e-12)
    assert contrasts_of(made).structure.n_effective == pytest.approx(effective)
    assert f"{N} queries that weigh as much as {effective:.1f} equal ones" in made._shown().caption
    assert any("heaviest" in caution.text for caution in made.cautions)


def test_weights_may_be_whole_numbers_and_fractions_and_nothing_else(two):
    weights = {named(i): (1, 0.5, np.int64(2), None)[i % 4] for i in range(N)}
    floats = {query: None if w is None else float(w) for query, w in weights.items()}
    mixed, plain = (rr.compare(two, weights=each, resamples=100) for each in (weights, floats))
    assert mixed.table().equals(plain.table())
    for odd, kinds in (("1", "float and str"), (True, "bool and float")):
        with pytest.raises(rr.OptionError, match=f"weights: .* one kind, found {kinds}"):
            rr.compare(two, weights={**floats, named(0): odd})


def test_a_query_without_weight_does_not_count(two):
    half = {named(i): 1.0 for i in range(0, N, 2)}
    row = rr.compare(two, weights=half, interval="t").table().row(0, named=True)
    d = deltas_of(two)["delta"].to_numpy()[::2]
    assert row["n_queries"] == N // 2
    assert row["n_changed"] == np.count_nonzero(d)
    ends = stats.t.interval(0.95, N // 2 - 1, d.mean(), stats.sem(d))
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(ends, rel=1e-12)


@pytest.mark.parametrize("nothing", [0.0, None])
def test_a_query_that_weighs_nothing_is_neither_won_nor_lost(two, nothing):
    won = deltas_of(two).filter(pl.col("delta") > 0)["query_id"].to_list()
    weights = {named(i): nothing if named(i) in won[::2] else 1.0 for i in range(N)}
    made = rr.compare(two, weights=weights, resamples=200)
    counts = made.table().row(0, named=True)
    assert counts["wins"] == len(won) - len(won[::2])
    assert (counts["wins"], counts["losses"]) == (len(made.wins()), len(made.losses()))
    assert counts["n_queries"] == len(made.deltas()) == N - len(won[::2])
    assert made.wins()["query_id"].is_in(won[1::2]).all()
    assert f"{counts['wins']} better," in made.plot_deltas().alt
    code = "no_weight" if nothing is None else "zero_weight"
    assert {each.code: each.count for each in made.cautions}[code] == len(won[::2])


def test_clusters_are_drawn_not_queries(two):
    users = {named(i): f"user{i % 15}" for i in range(N)}
    made = rr.compare(two, clusters=users, interval="t", test="t")
    row = made.table().row(0, named=True)
    sums = deltas_of(two)["delta"].to_numpy().reshape(4, 15).sum(axis=0)
    error = stats.sem(sums) / 4  # all of one size
    ends = stats.t.interval(0.95, 14, sums.mean() / 4, error)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(ends, rel=1e-12)
    assert row["p_value"] == pytest.approx(stats.ttest_1samp(sums, 0).pvalue, rel=1e-10)
    auto = rr.compare(two, clusters=users).table().row(0, named=True)
    assert auto["ci_low"] <= row["ci_low"] < row["ci_high"] <= auto["ci_high"]
    # All 2^15 signs of the users' sums.
    signs = np.array(list(product([-1, 1], repeat=15)))
    as_far = np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9
    assert auto["p_value"] == pytest.approx(as_far.mean(), rel=1e-12)


def test_every_query_twice_in_one_cluster_is_every_query_once():
    once = by_scores("old", "new", n=40)
    scores = once.per_query()
    qrels = {f"{named(i)}{copy}": {"r": 1} for i in range(40) for copy in "ab"}
    runs = {
        system: {
            f"{query}{copy}": {
                "r" if rank == round(1 / value) else f"x{rank}": float(-rank)
                for rank in range(1, 6)
            }
            for query, value in scores.filter(system=system).select("query_id", "RR").rows()
            for copy in "ab"
        }
        for system in ("old", "new")
    }
    twice = rr.evaluate(qrels, runs, ["RR"])
    clusters = {query: query[:-1] for query in qrels}
    for interval in ("t", "percentile", "bca", "auto"):
        clustered = rr.compare(twice, clusters=clusters, interval=interval).table()
        alone = rr.compare(once, interval=interval).table().filter(measure="RR")
        for column in ("delta", "ci_low", "ci_high", "p_value"):
            assert clustered[column].item() == pytest.approx(alone[column].item(), rel=1e-10)


def test_strata_leave_what_differs_between_them_out_of_the_error(two):
    parts = {named(i): "head" if i < 20 else "tail" for i in range(N)}
    row = rr.compare(two, strata=parts, interval="t").table().row(0, named=True)
    d = deltas_of(two)["delta"].to_numpy()
    head, tail = d[:20], d[20:]
    error = ((1 / 3) ** 2 * head.var(ddof=1) / 20 + (2 / 3) ** 2 * tail.var(ddof=1) / 40) ** 0.5
    ends = stats.t.interval(0.95, N - 2, d.mean(), error)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(ends, rel=1e-12)


def test_a_column_that_tells_nothing_of_a_query_is_refused(two):
    ids = [named(i) for i in range(N)]
    several = pl.DataFrame({"query_id": ids, "user": [["a", "b"]] * N, "day": [None] * N})
    several = several.with_columns(pl.lit("2026-01-01").str.to_date().alias("day"))
    with pytest.raises(rr.OptionError, match=r"clusters: column 'user' holds List"):
        rr.compare(two, queries=several, clusters="user")
    records = pl.DataFrame({"query_id": ids, "kind": [dict.fromkeys(ids, 1)] * N})
    with pytest.raises(rr.OptionError, match=r"holds Struct of 60 fields; .*=\{query_id: value\}"):
        rr.compare(two, queries=records, segments="kind")
    with pytest.raises(rr.OptionError, match="weights: column 'day' holds Date"):
        rr.compare(two, queries=several, weights="day").table()
    gaps = pl.DataFrame({"query_id": ids, "user": [float("nan"), *map(float, range(N - 1))]})
    with pytest.raises(rr.OptionError, match="1 of 60 queries have no value, such as 'q000'"):
        rr.compare(two, queries=gaps, clusters="user").table()


def test_a_stratum_whose_other_query_weighs_nothing_is_explained(two):
    parts = {named(i): "rare" if i < 2 else "common" for i in range(N)}
    weights = {named(i): 0.0 if i == 1 else 1.0 for i in range(N)}
    with pytest.raises(rr.OptionError, match="stratum 'rare' has a single query that counts"):
        rr.compare(two, strata=parts, weights=weights).table()


def test_columns_of_the_queries_do_what_mappings_do(two):
    queries = pl.DataFrame(
        {
            "query_id": [named(i) for i in reversed(range(N))],
            "visits": [float(1 + i % 3) for i in range(N)],
            "user": [i % 15 for i in range(N)],
        }
    )
    by_column = rr.compare(two, queries=queries, weights="visits", clusters="user")
    by_mapping = rr.compare(
        two,
        weights=dict(queries.select("query_id", "visits").rows()),
        clusters=dict(queries.select("query_id", "user").rows()),
    )
    assert by_column.table().equals(by_mapping.table())
    shuffled = queries.sample(fraction=1, shuffle=True, seed=1)
    again = rr.compare(two, queries=shuffled, weights="visits", clusters="user")
    assert again.table().equals(by_column.table())


def test_strata_that_cannot_be_are_explained_in_their_own_names(two):
    alone = {named(i): "rare" if i == 7 else "common" for i in range(N)}
    with pytest.raises(rr.OptionError, match="stratum 'rare' has a single query"):
        rr.compare(two, strata=alone).table()
    users = {named(i): f"user{i % 15}" for i in range(N)}
    parts = {named(i): "head" if i < 20 else "tail" for i in range(N)}
    with pytest.raises(rr.OptionError, match="cluster 'user0' lies in strata 'head' and 'tail'"):
        rr.compare(two, clusters=users, strata=parts).table()


STRUCTURES = {
    "weights": {named(i): 1.0 + i % 5 for i in range(N)},
    "clusters": {named(i): f"user{i % 20}" for i in range(N)},
    "strata": {named(i): f"part{i % 20 % 2}" for i in range(N)},
}


@pytest.mark.parametrize(
    "kinds", [kinds for n in range(4) for kinds in combinations(STRUCTURES, n)], ids=str
)
def test_what_combines_gives_figures_and_the_rest_is_refused(four, kinds):
    given = {kind: STRUCTURES[kind] for kind in kinds}
    for interval, test in product(statistics.INTERVALS, statistics.TESTS):
        options = {"interval": interval, "test": test, "resamples": 100, **given}
        allowed = statistics.allowed(kinds)
        if interval in allowed.intervals and test in allowed.tests:
            made = rr.compare(four, **options)
            table = made.table()
            for column in ("delta", "ci_low", "ci_high", "p_value", "p_adjusted"):
                assert table[column].is_finite().all(), (interval, test, column)
            assert (table["p_adjusted"] >= table["p_value"]).all()
            if interval == "auto":
                assert made.effects()["d_z_low"].is_finite().all()
                assert made.ratios()["ci_low"].is_finite().all()
                assert made.curve("P", [1, 2]).differences["band_low"].is_finite().all()
        else:
            with pytest.raises(rr.OptionError, match=r"cannot|not"):
                rr.compare(four, **options)


def test_side_by_side_are_the_kinds_that_combine(four):
    made = rr.compare(four, weights=STRUCTURES["weights"], resamples=200)
    assert set(made.intervals()["interval"]) == {"t", "percentile", "auto"}
    assert set(made.tests()["test"]) == {"sign-flip", "t"}
    with pytest.raises(rr.OptionError, match="bca"):
        made.intervals(["bca"])
    with pytest.raises(rr.OptionError, match="wilcoxon"):
        made.tests(["wilcoxon"])


# Segments


@pytest.fixture(scope="module")
def queries():
    return pl.DataFrame(
        {
            "query_id": [named(i) for i in range(N - 3)],
            "text": [f"question {i}" for i in range(N - 3)],
            "type": ["brand" if i % 3 == 0 else "other" for i in range(N - 3)],
            "rare": ["yes" if i < 5 else None for i in range(N - 3)],
        }
    )


def test_a_segment_is_the_comparison_of_its_queries(two, queries):
    made = rr.compare(two, queries=queries, segments="type", interval="t", test="t")
    found = made.segments(smallest=10).frame
    assert found["segment"].to_list() == ["other", "brand", "(not known)"]
    d = deltas_of(two)["delta"].to_numpy()
    brand = d[: N - 3][::3]
    row = found.row(1, named=True)
    ends = stats.t.interval(0.95, len(brand) - 1, brand.mean(), stats.sem(brand))
    assert row["n_queries"] == len(brand) == 19
    assert row["delta"] == pytest.approx(brand.mean(), rel=1e-12)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(ends, rel=1e-12)
    assert row["p_value"] == pytest.approx(stats.ttest_1samp(brand, 0).pvalue, rel=1e-10)
    assert row["delta_of_all"] == pytest.approx(d.mean(), rel=1e-12)
    last = found.row(2, named=True)
    assert (last["n_queries"], last["ci_low"], last["p_value"], last["p_adjusted"]) == (
        *(3, None, None, None),
    )
    known = found.drop_nulls("p_value")
    expected = stats.false_discovery_control(known["p_value"])
    assert known["p_adjusted"].to_list() == pytest.approx(list(expected), rel=1e-12)
    assert found["differs"].to_list() == [
        None if p is None else p <= 0.05 for p in found["p_adjusted"]
    ]


def test_segments_may_be_a_mapping(two, queries):
    kinds = dict(queries.select("query_id", "type").drop_nulls().iter_rows())
    found = rr.compare(two, segments=kinds, interval="t").segments().frame
    of_column = rr.compare(two, queries=queries, segments="type", interval="t").segments().frame
    assert found["column"].unique().to_list() == ["segments"]
    assert found.drop("column").equals(of_column.drop("column"))


def test_small_segments_are_counted_alone(two, queries):
    found = rr.compare(two, queries=queries).segments("rare").frame
    assert found.select("segment", "n_queries").rows() == [("(not known)", 55), ("yes", 5)]
    assert found["ci_low"].is_null().to_list() == [False, True]
    assert found["delta"].is_null().to_list() == [False, False]


def test_a_segment_of_few_queries_or_changes_says_so():
    qrels = {named(i): {"r": 1} for i in range(120)}
    old, new = ({q: {"r": 1.0, "x": 2.0} for q in qrels} for _ in range(2))
    few = [named(i) for i in (*range(0, 80, 2), 81, 83, 111)]
    new |= {q: {"r": 3.0, "x": 2.0} for q in few}
    kinds = {named(i): "many" if i < 80 else "unmoved" if i < 112 else "few" for i in range(120)}
    made = rr.compare(qrels, {"old": old, "new": new}, measures=["RR"], segments=kinds)
    found = made.segments()
    assert dict(found.frame.select("segment", "caution").iter_rows()) == {
        "many": "",
        "unmoved": "3 of 32 changed: too few for a verdict",
        "few": "too few: 8 of 30 queries",
    }
    marks = found.frame.select("segment", "differs", "disagrees").rows_by_key("segment")
    assert marks == {
        "many": [(True, False)],
        "unmoved": [(False, False)],
        "few": [(None, None)],
    }
    by_segment = segments_table(found.frame, "old")
    for shown in (str(found), found._repr_html_(), found.to_markdown(), by_segment.to_text()):
        assert "3 of 32 changed: too few for a verdict" in shown
        assert "too few: 8 of 30 queries" in shown
    assert "cautions on 1 of them; 1 segment with too few queries" in (made.plot_segments().alt)


def test_segments_of_several_pairs_and_columns(four, queries):
    made = rr.compare(four, pairs="all", queries=queries, segments=["type", "rare"])
    found = made.segments().frame
    assert len(found) == (3 + 2) * 6
    assert found["p_value"].is_not_null().sum() == (1 + 1) * 6  # "other" and "(not known)"
    assert found.filter(pl.col("p_value").is_not_null())["n_queries"].min() >= 30


def test_a_segment_that_turns_is_said_so():
    n = 120
    qrels = {named(i): {"r": 1} for i in range(n)}

    def run(places):
        return {
            named(i): {"r" if rank == place else f"x{rank}": -float(rank) for rank in (1, 2, 3)}
            for i, place in enumerate(places)
        }

    old = [2] * n
    new = [2 if i % 8 == 0 else 3 if i < 40 else 1 for i in range(n)]
    queries = pl.DataFrame(
        {"query_id": list(qrels), "type": ["brand" if i < 40 else "other" for i in range(n)]}
    )
    evaluation = rr.evaluate(qrels, {"old": run(old), "new": run(new)}, ["RR"])
    made = rr.compare(evaluation, queries=queries, segments=["type"])
    found = made.segments().frame
    assert found.select("segment", "differs", "disagrees").rows() == [
        ("other", True, False),
        ("brand", True, True),
    ]
    (caution,) = [each for each in made.cautions if each.code == "opposite_segment"]
    assert caution.text.startswith("new against old on RR, worse where type is brand: -0.1")
    assert re.search(r", 40 queries; over all \+0\.\d+\.$", caution.text)
    assert caution.remedy == "Decide for that segment on its own."
    assert (caution.severity, caution.count, caution.concerns) == ("look", 40, (("old", "new"),))


def test_segments_with_clusters_keep_them(two, queries):
    users = {named(i): f"user{i % 15}" for i in range(N)}
    made = rr.compare(two, queries=queries, clusters=users, interval="t")
    row = made.segments("type").frame.row(0, named=True)
    d = deltas_of(two)["delta"].to_numpy()
    rows = [i for i in range(N - 3) if i % 3]
    groups = np.array([i % 15 for i in rows])
    totals = np.bincount(groups, d[rows], minlength=15)
    sizes = np.bincount(groups, minlength=15)
    totals, sizes = totals[sizes > 0], sizes[sizes > 0]
    mean, c = totals.sum() / sizes.sum(), len(totals)
    left_out = (totals.sum() - totals) / (sizes.sum() - sizes)
    error = ((c - 1) / c * ((left_out - mean) ** 2).sum()) ** 0.5
    effective = sizes.sum() ** 2 / (sizes**2).sum()
    ends = stats.t.interval(0.95, effective - 1, mean, error)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(ends, rel=1e-12)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (None, "name a column of the queries"),
        ("typ", r"segments='typ' .*Did you mean 'type'\?"),
        ("query_id", "segments='query_id' is not one of"),
    ],
)
def test_segments_that_cannot_be_are_refused(two, queries, by, expected):
    with pytest.raises(rr.OptionError, match=expected):
        rr.compare(two, queries=queries).segments(by)


@pytest.mark.parametrize("given", [pl.LazyFrame({"type": ["a"]}), pl.DataFrame({"a": [1]}), 3])
def test_segments_that_are_no_names_are_refused(two, queries, given):
    with pytest.raises(rr.OptionError, match="segments takes"):
        rr.compare(two, queries=queries, segments=given)


def test_segments_and_strata_do_not_combine(two, queries):
    parts = {named(i): "head" if i < 20 else "tail" for i in range(N)}
    with pytest.raises(rr.OptionError, match="segments cannot be combined with strata"):
        rr.compare(two, queries=queries, strata=parts, segments="type")


# Bands


def test_a_band_holds_the_interval_of_every_cutoff(two):
    made = rr.compare(two, interval="t", resamples=2000)
    frame = made.curve("P", [1, 2, 3, 4]).differences
    assert (frame["band_low"] <= frame["ci_low"]).all()
    assert (frame["band_high"] >= frame["ci_high"]).all()
    alone = made.curve("P", [2]).differences.filter(k=2)
    several = frame.filter(k=2)
    assert several["ci_low"].to_list() == pytest.approx(alone["ci_low"].to_list(), rel=1e-12)
    assert several["band_low"].item() < alone["band_low"].item()


# Margins


def test_a_margin_makes_two_more_answers():
    same = rr.compare(by_scores("old", "new", seed=3), margin=0.5)
    assert same.verdict().word in {"better", "equivalent"}
    evaluation = by_scores("old", "new", seed=3)
    low, high = rr.compare(evaluation).table().select("ci_low", "ci_high").row(0)
    assert rr.compare(evaluation, margin=max(-low, high) + 0.01).verdict().word in {
        "better",
        "equivalent",
    }


def test_where_nothing_changed_the_margin_holds(two):
    scores = by_scores("old", "new")
    qrels = {named(i): {"r": 1} for i in range(20)}
    run = {named(i): {"r": 1.0} for i in range(20)}
    same = rr.evaluate(qrels, {"old": run, "new": run}, ["RR"])
    made = rr.compare(same, margin=0.01)
    row = made.table().row(0, named=True)
    assert (row["ci_low"], row["p_value"]) == (None, 1.0)
    # Of 20 queries without a change, 17 % of others may have one.
    assert made.verdict().word == "unchanged"
    assert rr.compare(same, margin=0.2).verdict().word == "equivalent"
    assert rr.compare(same).verdict().word == "unchanged"
    assert scores.systems == two.systems


# What few independent units, or none that differ, allow


def test_changed_queries_of_few_clusters_are_worth_few():
    evaluation = by_scores("old", "new", n=100)
    users = {named(i): f"user{min(i // 10, 3)}" for i in range(100)}  # three of 10, one of 70
    made = rr.compare(evaluation, clusters=users)
    worth = 100**2 / (3 * 10**2 + 70**2)
    assert made.verdict().word == "inconclusive"
    assert f"(effective: {worth:.1f}" in made.table()["caution"][0]
    assert f"(effective: {worth:.1f})" in made.verdict().detail
    assert any(f"4 clusters, an effective number of {worth:.1f}" in c.text for c in made.cautions)
    assert rr.gate(made, ["RR > 0", "RR > -0.01"]).outcome == "inconclusive"


def few_large_clusters(*systems):
    """Compare systems on 100 queries that are worth two, so different that p values are small."""
    qrels = {named(i): {"r": 1} for i in range(100)}
    order = {"first": ["r", "x", "y"], "second": ["x", "r", "y"], "third": ["x", "y", "r"]}
    runs = {
        system: {
            named(i): dict(zip(order[system], (3.0, 2.0, 1.0), strict=True))
            for i in range(100)
            if i % 7 or system == "first"  # so that differences vary
        }
        for system in systems
    }
    users = {named(i): f"user{i % 2}" for i in range(100)}
    sides = {named(i): "left" if i % 4 < 2 else "right" for i in range(100)}
    evaluation = rr.evaluate(qrels, runs, ["RR"])
    return rr.compare(evaluation, clusters=users, segments=sides, resamples=500)


def test_whatever_needs_ten_changed_queries_counts_what_they_are_worth():
    made = few_large_clusters("first", "second", "third")
    assert made.table()["n_changed"].min() >= 15
    assert (made.table()["ci_high"] < 0).all()  # each would be a finding, were the queries enough
    forest = made.plot_forest().alt
    assert "too few queries" in forest  # nearly all changed
    assert "worse" not in forest
    assert "^" not in made.to_latex()
    assert rr.leaderboard(made).table()["differs"].to_list() == [None, False, False]
    assert not made.segments()["differs"].any()
    assert made.curve("P", [1, 2]).differences["band_low"].null_count() == 4
    cautions = rr.plan(made, n_queries=[100, 1000]).cautions
    assert any("at this rate, 500 queries" in caution.text for caution in cautions)


def test_changes_that_cancel_out_within_every_cluster_leave_nothing_to_judge_by():
    qrels = {named(i): {"r": 1} for i in range(60)}
    good, bad = {"r": 2.0, "x": 1.0}, {"x": 2.0, "r": 1.0}
    old = {named(i): good if i % 2 else bad for i in range(60)}
    new = {named(i): bad if i % 2 else good for i in range(60)}
    evaluation = rr.evaluate(qrels, {"old": old, "new": new}, ["RR"])
    made = rr.compare(evaluation, clusters={named(i): f"user{i // 2}" for i in range(60)})
    assert made.verdict().word == "inconclusive"
    assert "cancel out within every cluster" in made.verdict().detail
    gate = rr.gate(made, "RR > -0.01")
    assert gate.outcome == "inconclusive"
    assert "cancel out within every cluster" in gate.to_markdown()


def test_one_heavy_query_decides_nothing(two):
    weights = {named(i): 1e6 if i == 0 else 1.0 for i in range(N)}
    made = rr.compare(two, weights=weights)
    assert made.verdict().word == "inconclusive"
    assert rr.gate(made, ["RR > -0.01", "RR > 0"]).outcome != "fail"


def test_a_collapse_on_every_query_is_worse():
    qrels = {named(i): {"r": 1} for i in range(50)}
    good, bad = ({named(i): {doc: 1.0} for i in range(50)} for doc in "rx")
    made = rr.compare(rr.evaluate(qrels, {"good": good, "bad": bad}, ["R@10"]))
    assert made.decision.verdict.found.word == "worse"  # to check first: nothing is judged of one
    assert made.table()["ci_high"].item() == pytest.approx(-1 + 2 * (1 - 0.025 ** (1 / 50)))
    gate = rr.gate(made, "R@10 > -0.01", inconclusive="pass")
    assert (gate.findings[0].by_figures, gate.exit_code) == ("fail", 3)  # never a pass


def test_queries_without_a_weight_are_counted(two):
    made = rr.compare(two, weights={named(i): 1.0 for i in range(40)})
    (caution,) = [each for each in made.cautions if each.code == "no_weight"]
    assert (caution.severity, caution.count) == ("look", 20)


def test_queries_that_the_table_does_not_know_are_counted(two):
    known = pl.DataFrame({"query_id": [named(i) for i in range(1, N)], "text": "words"})
    made = rr.compare(two, queries=known)
    (caution,) = [each for each in made.cautions if each.code == "no_metadata"]
    assert caution.text == "Queries that are not in the query table: 1."
    assert (caution.severity, caution.count) == ("note", 1)
    # A mapping is no table of the queries: who has no segment is told there.
    by_mapping = rr.compare(two, segments={named(1): "head"})
    assert "no_metadata" not in {each.code for each in by_mapping.cautions}


def test_a_table_of_other_queries_is_refused(two):
    others = pl.DataFrame({"query_id": ["1", "2"], "text": "words"})
    message = (
        "queries: none of the 60 queries evaluated, such as 'q000', is in the table; it has such "
        "as '1'"
    )
    with pytest.raises(rr.OptionError, match=message):
        rr.compare(two, queries=others).table()
    for subject in (two, rr.compare(two)):
        with pytest.raises(rr.OptionError, match=message):
            rr.report(subject, queries=others)
    with pytest.raises(rr.OptionError, match="it has none"):
        rr.report(two, queries=others.clear())


def test_a_curve_does_not_depend_on_which_other_cutoffs_are_asked_for(four):
    made = rr.compare(four, across="measures", interval="t", resamples=200)
    alone = made.curve("P", [2]).differences
    several = made.curve("P", [1, 2, 3]).differences.filter(k=2)
    assert alone["ci_low"].to_list() == pytest.approx(several["ci_low"].to_list(), rel=1e-12)


@pytest.mark.parametrize("correction", ["max-t", "none"])
def test_curves_made_together_are_those_made_alone(four, correction, monkeypatch):
    made = rr.compare(four, correction=correction, resamples=200)
    measures = ["P", "nDCG", "R"]
    alone = [made.plot_curve(measure, [1, 2, 4]) for measure in measures]
    for most in (1, 42, 1024):  # one at a time, two, and all
        monkeypatch.setattr(curves, "_MOST_COLUMNS", most)
        together = made.plot_curves(measures, [1, 2, 4])
        for one, other in zip(alone, together, strict=True):
            assert one.alt == other.alt
            assert_frame_equal(one.data, other.data, abs_tol=1e-12)


def test_of_all_pairs_the_best_system_leads_with_its_closest_rival():
    made = rr.compare(by_scores("good", "same", "also"), pairs="all")
    best, rival, *_ = made.decision.order
    assert {*leading_pair_of(made)} == {best, rival}


def test_ends_that_few_resamples_make_are_called_rough(four):
    # Of 110 resamples 110 * 0.05 / 6 / 2 lie beyond an end at the level of six pairs.
    options = {"pairs": "all", "interval": "percentile", "correction": "holm"}
    (caution,) = rough(rr.compare(four, resamples=110, **options))
    assert caution.severity == "look"
    assert "Only 0.5 resamples lie beyond each end" in caution.text
    assert "use 22 times as many" in caution.text
    assert rough(rr.compare(four, resamples=21 * 110, **options))
    assert not rough(rr.compare(four, resamples=22 * 110, **options))


def test_a_level_that_few_resamples_make_is_called_rough(four):
    assert rough(rr.compare(four, pairs="all", resamples=100))
    assert not rough(rr.compare(four))


@pytest.mark.parametrize(
    "options",
    [
        {"interval": "auto"},  # BCa in closed form
        {"interval": "t"},
        {"interval": "auto", "weights": {named(i): 1.0 + i % 2 for i in range(N)}},  # t alone
    ],
    ids=["plain", "t", "weights"],
)
def test_ends_that_are_not_drawn_are_not_called_rough(two, options):
    first, other = (rr.compare(two, resamples=100, seed=seed, **options) for seed in (0, 1))
    ends = ["ci_low", "ci_high"]
    assert first.table().select(ends).equals(other.table().select(ends))
    assert {found.end_error for found in differences_on_measures(first)} == {0.0}
    assert not rough(first)


def test_ends_that_few_resamples_of_clusters_make_are_called_rough(two):
    # Of clusters, BCa is drawn.
    users = {named(i): f"user{i % 30}" for i in range(N)}
    assert rough(rr.compare(two, resamples=100, clusters=users))


def rough(comparison):
    return [each for each in comparison.cautions if each.code == "few_resamples"]
