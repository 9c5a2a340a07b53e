"""Weights, clusters, strata and ratios: by hand, against other programs, and what must not matter.

Estimates and errors are those of survey sampling; statsmodels makes the same ones by regression on
a constant. Where the structure says nothing (clusters of one query, equal weights, one stratum),
every figure has to be the plain one.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankreport import statistics
from rankreport.statistics import Sample, Structure
from rankreport.statistics.random_draws import draw_counts

NAN = float("nan")
DRAWS = {"resamples": 400, "seed": 3}
KINDS = ("weights", "clusters", "strata")
STRUCTURES = [row.structure for row in statistics.matrix()]


@pytest.fixture(scope="module")
def deltas() -> np.ndarray:
    """Sixty queries: a continuous column, a tied one, and one with gaps."""
    rng = np.random.default_rng(31)
    gaps = np.where(rng.random(60) < 0.2, NAN, rng.exponential(1, 60) - 0.4)
    tied = rng.choice([0, 0, 0.5, -0.25, 1 / 3], 60)
    return np.column_stack([rng.normal(0.1, 1, 60), tied, gaps])


def structured(*kinds: str) -> Structure:
    """Make a structure of sixty queries: unequal weights, 20 clusters of some sizes, 3 strata."""
    rng = np.random.default_rng(32)
    clusters = np.concatenate([np.arange(20), rng.integers(0, 20, 40)])
    given = {
        "weights": 1 / rng.permutation(np.arange(1.0, 61.0)) ** 0.5,
        "clusters": clusters,
        "strata": clusters % 3,
    }
    return Structure(**{kind: given[kind] for kind in kinds})


def figures(sample: Sample) -> dict[str, np.ndarray]:
    """Return all that is said of a sample, to be compared with that of another."""
    replicates = statistics.replicate_means(sample, **DRAWS)
    p_values = statistics.sign_flip(sample, **DRAWS)
    found = {
        "mean": sample.mean,
        "error": sample.standard_error,
        "replicates": replicates,
        "flip": p_values,
        "drawn flip": statistics.sign_flip(sample, exact_limit=0, **DRAWS),
        "t-test": statistics.paired_t(sample),
        "max-t": statistics.max_t("sign-flip", sample, p_values, n_tests=3, **DRAWS),
        "band": statistics.band(sample, replicates, 0.95, min_changed=3),
    }
    for kind in ("t", "percentile", "basic", "bca"):
        if kind != "bca" or "weights" not in sample.kinds:
            found[kind] = np.array(statistics.interval(kind, sample, replicates))
    return found


def check_same(ours: Sample, expected: Sample, *, but: tuple[str, ...] = ()) -> None:
    found, wanted = figures(ours), figures(expected)
    for name in found.keys() - set(but):
        np.testing.assert_allclose(found[name], wanted[name], rtol=0, atol=1e-12, err_msg=name)


# By hand


def test_a_weighted_mean_and_its_error_by_hand() -> None:
    sample = Sample.of([[1.0], [2.0], [6.0]], Structure(weights=np.array([2.0, 1.0, 1.0])))
    # (2 + 2 + 6) / 4; without one of them 8/2, 8/3 and 4/3: the jackknife has 2/3 of the squares.
    assert sample.mean == 2.5
    variance = 2 / 3 * ((4 - 2.5) ** 2 + (8 / 3 - 2.5) ** 2 + (4 / 3 - 2.5) ** 2)
    assert sample.standard_error == pytest.approx(variance**0.5, rel=1e-14)
    assert (sample.size, sample.n_queries) == (3, 3)
    assert sample.degrees_of_freedom == pytest.approx(16 / 6 - 1)  # 4^2 / (2^2 + 1 + 1), less one
    low, high = statistics.student_t(sample, 0.95)
    half = stats.t.ppf(0.975, 16 / 6 - 1) * variance**0.5
    np.testing.assert_allclose([low[0], high[0]], [2.5 - half, 2.5 + half], rtol=1e-12)


def test_the_error_of_clusters_is_that_of_their_sums() -> None:
    values = np.array([[1.0], [3.0], [0.0], [2.0], [2.0], [5.0]])
    sample = Sample.of(values, Structure(clusters=np.array([0, 0, 1, 1, 1, 2])))
    # Sums 4, 4, 5 of 2, 3, 1 queries; mean 13/6; without one of them 9/4, 9/3, 8/5.
    mean = 13 / 6
    assert sample.mean == pytest.approx(mean, rel=1e-14)
    variance = 2 / 3 * ((9 / 4 - mean) ** 2 + (9 / 3 - mean) ** 2 + (8 / 5 - mean) ** 2)
    assert sample.standard_error == pytest.approx(variance**0.5, rel=1e-13)
    assert (sample.size, sample.n_queries) == (3, 6)
    assert sample.degrees_of_freedom == pytest.approx(36 / 14 - 1)  # 6^2 / (4 + 9 + 1), less one


def test_the_error_of_clusters_of_one_size_is_the_textbooks() -> None:
    values = np.array([[1.0], [3.0], [0.0], [2.0], [2.0], [5.0]])
    sample = Sample.of(values, Structure(clusters=np.array([0, 0, 1, 1, 2, 2])))
    means = np.array([2.0, 1.0, 3.5])
    assert sample.standard_error == pytest.approx(stats.sem(means), rel=1e-13)
    of_clusters = means - means.mean()
    assert sample.degrees_of_freedom == 2
    np.testing.assert_allclose(sample.deviations[:, 0], of_clusters, rtol=1e-13)


def test_the_error_of_strata_is_the_textbooks() -> None:
    # Strata of 4 and 2 queries that stand for 30 % and 70 % of the population.
    values = np.array([1.0, 2.0, 4.0, 1.0, 7.0, 9.0])
    strata = np.array([0, 0, 0, 0, 1, 1])
    weights = np.where(strata == 0, 0.3 / 4, 0.7 / 2)
    sample = Sample.of(values[:, np.newaxis], Structure(weights=weights, strata=strata))
    assert sample.mean == pytest.approx(0.3 * 2 + 0.7 * 8, rel=1e-14)
    variance = 0.3**2 * (6 / 3) / 4 + 0.7**2 * 2 / 2
    assert sample.standard_error == pytest.approx(variance**0.5, rel=1e-13)
    # Satterthwaite: strata of 3 and 1 degrees count by their parts of the variance.
    degrees = variance**2 / ((0.3**2 * (6 / 3) / 4) ** 2 / 3 + (0.7**2 * 2 / 2) ** 2 / 1)
    assert sample.degrees_of_freedom == pytest.approx(degrees)


def test_the_error_of_a_ratio_is_that_of_the_jackknife_and_nearly_of_the_delta_method() -> None:
    rng = np.random.default_rng(33)
    above, below = rng.random(40), rng.random(40) + 0.5
    sample = Sample.ratio_of(above[:, np.newaxis], below[:, np.newaxis])
    ratio = above.mean() / below.mean()
    cov = np.cov(above, below)
    variance = (cov[0, 0] - 2 * ratio * cov[0, 1] + ratio**2 * cov[1, 1]) / below.mean() ** 2 / 40
    left_out = (above.sum() - above) / (below.sum() - below)
    jackknife = 39 / 40 * np.square(left_out - ratio).sum()
    assert sample.mean == pytest.approx(ratio, rel=1e-14)
    assert sample.standard_error == pytest.approx(jackknife**0.5, rel=1e-12)
    assert sample.standard_error == pytest.approx(variance**0.5, rel=1e-3)
    assert sample.degrees_of_freedom == 39


def test_the_effective_number_by_hand() -> None:
    assert Structure(weights=np.array([3.0, 1.0, 1.0, 0.0])).n_effective == pytest.approx(25 / 11)
    assert Structure(weights=np.full(7, 1e300)).n_effective == pytest.approx(7)
    assert Structure().n_effective is None


def test_traffic_by_rank_has_few_effective_queries() -> None:
    # (sum 1/r)^2 / sum 1/r^2 of 200 queries.
    found = Structure(weights=1 / np.arange(1, 201)).n_effective
    harmonic = sum(1 / r for r in range(1, 201))
    assert found == pytest.approx(harmonic**2 / sum(1 / r**2 for r in range(1, 201)), rel=1e-12)
    assert 20 < found < 22


# Against other programs


def test_the_error_of_weighted_queries_is_statsmodels_hc3(deltas: np.ndarray) -> None:
    structure = structured("weights")
    sample = Sample.of(deltas, structure)
    assert structure.weights is not None
    for place, column in enumerate(deltas.T):
        kept = ~np.isnan(column)
        weights = structure.weights[kept]
        fit = sm.WLS(column[kept], np.ones(kept.sum()), weights).fit(cov_type="HC3")
        # HC3 is the jackknife but for the share (n - 1) / n.
        error = fit.bse[0] * (1 - 1 / kept.sum()) ** 0.5
        degrees = weights.sum() ** 2 / np.square(weights).sum() - 1
        half = stats.t.ppf(0.95, degrees) * error
        assert sample.mean[place] == pytest.approx(fit.params[0], rel=1e-12)
        assert sample.standard_error[place] == pytest.approx(error, rel=1e-12)
        ends = [end[place] for end in statistics.student_t(sample, 0.9)]
        assert ends == pytest.approx([fit.params[0] - half, fit.params[0] + half], rel=1e-10)
        p_value = 2 * stats.t.sf(abs(fit.params[0] / error), degrees)
        assert statistics.paired_t(sample)[place] == pytest.approx(p_value, rel=1e-10)


@pytest.mark.parametrize("kinds", [("clusters",), ("weights", "clusters"), KINDS])
def test_the_error_is_that_of_leaving_out_one_unit_after_the_other(
    deltas: np.ndarray, kinds: tuple[str, ...]
) -> None:
    structure = structured(*kinds)
    sample = Sample.of(deltas, structure)
    clusters = structure.clusters
    strata = np.zeros(60, dtype=int) if structure.strata is None else structure.strata
    weights = np.ones(60) if structure.weights is None else structure.weights
    assert clusters is not None
    for place, column in enumerate(deltas.T):
        kept = ~np.isnan(column)
        mean = np.average(column[kept], weights=weights[kept])
        variance = 0.0
        for cluster in np.unique(clusters[kept]):
            stratum = strata[clusters == cluster][0]
            n = len(np.unique(clusters[kept & (strata == stratum)]))
            # The others of its stratum stand for it.
            left = np.where(strata == stratum, n / (n - 1), 1.0) * weights
            rest = kept & (clusters != cluster)
            moved = np.average(column[rest], weights=left[rest]) - mean
            variance += (n - 1) / n * moved**2
        assert sample.standard_error[place] == pytest.approx(variance**0.5, rel=1e-10)


def test_one_heavy_query_makes_no_certainty() -> None:
    values = np.random.default_rng(35).normal(0, 1, (100, 1))
    weights = np.where(np.arange(100) == 0, 1e6, 1.0)
    sample = Sample.of(values, Structure(weights=weights))
    low, high = statistics.student_t(sample, 0.95)
    assert low[0] < values[:, 0].mean() < high[0]
    assert high[0] - low[0] > 1
    assert sample.n_changed_effective[0] == pytest.approx(1, abs=1e-3)


def test_changed_units_are_worth_their_shares() -> None:
    values = np.array([[1.0], [0.0], [2.0], [0.0], [0.0], [0.0]])
    plain = Sample.of(values)
    assert (plain.n_changed, plain.n_changed_effective) == (2, 2)
    weighted = Sample.of(values, Structure(weights=np.array([3.0, 1, 1, 1, 1, 1])))
    assert weighted.n_changed_effective == pytest.approx(16 / 10)
    clustered = Sample.of(values, Structure(clusters=np.array([0, 0, 0, 1, 1, 1])))
    assert clustered.n_changed_effective == 1


def test_the_acceleration_is_the_limit_of_the_jackknifes(deltas: np.ndarray) -> None:
    # Each query standing for a hundred of its like: a jackknife of units is then its influence.
    structure = structured("clusters")
    sample = Sample.of(deltas[:, 2:], structure)
    totals, sizes = np.tile(sample.totals, (100, 1)), np.tile(sample.sizes, (100, 1))
    left_out = (totals.sum() - totals) / (sizes.sum() - sizes)
    away = (left_out.mean() - left_out)[:, 0]
    expected = (away**3).sum() / (6 * (away**2).sum() ** 1.5) * 100**0.5
    c = sample.deviations[:, 0]
    assert (c**3).sum() / (6 * (c**2).sum() ** 1.5) == pytest.approx(expected, rel=2e-3)


# Where the structure says nothing


@pytest.mark.parametrize(
    "structure",
    [
        Structure(clusters=np.arange(60)),
        Structure(strata=np.zeros(60, dtype=int)),
        Structure(weights=np.full(60, 3.7)),
        Structure(np.full(60, 1e-9), np.arange(60) * 2, np.full(60, 5)),
    ],
    ids=["clusters of one", "one stratum", "equal weights", "all three"],
)
def test_structure_that_says_nothing_changes_nothing(
    deltas: np.ndarray, structure: Structure
) -> None:
    check_same(Sample.of(deltas, structure), Sample.of(deltas))


def test_a_set_of_queries_twice_over_is_as_certain_as_once(deltas: np.ndarray) -> None:
    twice = Sample.of(np.vstack([deltas, deltas]), Structure(clusters=np.tile(np.arange(60), 2)))
    check_same(twice, Sample.of(deltas))
    np.testing.assert_array_equal(twice.n_queries, 2 * Sample.of(deltas).n_queries)


@pytest.mark.parametrize("factor", [1e-12, 4.0, 1e12])
@pytest.mark.parametrize("others", [(), ("clusters",), ("strata", "clusters")])
def test_only_proportions_of_weights_matter(
    deltas: np.ndarray, factor: float, others: tuple[str, ...]
) -> None:
    structure = structured("weights", *others)
    scaled = Structure(factor * structure.weights, structure.clusters, structure.strata)
    check_same(Sample.of(deltas, scaled), Sample.of(deltas, structure))


def test_a_whole_weight_is_a_cluster_of_repetitions(deltas: np.ndarray) -> None:
    weights = np.random.default_rng(34).integers(1, 5, 60)
    repeated = np.repeat(np.arange(60), weights)
    ours = Sample.of(deltas, Structure(weights=weights.astype(float)))
    theirs = Sample.of(deltas[repeated], Structure(clusters=repeated))
    for figure in ("mean", "standard_error", "deviations"):
        np.testing.assert_allclose(getattr(ours, figure), getattr(theirs, figure), rtol=1e-10)
    np.testing.assert_array_equal(statistics.sign_flip(ours), statistics.sign_flip(theirs))


def test_a_query_without_weight_is_no_query(deltas: np.ndarray) -> None:
    structure = structured(*KINDS)
    kept = np.random.default_rng(35).random(60) < 0.8
    weights = np.where(kept, structure.weights, 0.0)
    ours = Sample.of(deltas, Structure(weights, structure.clusters, structure.strata))
    check_same(ours, Sample.of(deltas[kept], structure.subset(kept)))


def test_a_cluster_is_as_good_as_its_number(deltas: np.ndarray) -> None:
    structure = structured("clusters", "strata")
    other = Structure(clusters=structure.clusters * 7 + 2, strata=structure.strata + 4)
    check_same(Sample.of(deltas, other), Sample.of(deltas, structure))


@pytest.mark.parametrize("kinds", STRUCTURES)
@given(seed=st.integers(0, 99))
def test_neither_order_nor_direction_nor_unit_matters(kinds: tuple[str, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.choice([0, 0, 1, -1, 0.5, 1 / 3], (60, 2))
    structure, order = structured(*kinds), rng.permutation(60)
    sample = Sample.of(values, structure)
    moved = Sample.of(-3 * values[order], structure.subset(order))
    np.testing.assert_allclose(moved.mean, -3 * sample.mean, atol=1e-12)
    np.testing.assert_allclose(moved.standard_error, 3 * sample.standard_error, rtol=1e-10)
    there, back = (np.array(statistics.student_t(s, 0.9)) for s in (sample, moved))
    np.testing.assert_allclose(back, -3 * there[::-1], rtol=1e-9, atol=1e-12)
    p_values = statistics.paired_t(sample)
    np.testing.assert_allclose(statistics.paired_t(moved), p_values, rtol=1e-8)


# Replicates


def test_replicates_of_clusters_are_means_over_drawn_clusters(deltas: np.ndarray) -> None:
    structure = structured("clusters")
    found = statistics.replicate_means(Sample.of(deltas, structure), resamples=50, seed=3)
    counts = np.concatenate(list(draw_counts(20, resamples=50, seed=3))).astype(int)
    members = [np.flatnonzero(structure.clusters == number) for number in range(20)]
    for replicate, row in zip(found, counts, strict=True):
        drawn = np.concatenate([members[c] for c in np.repeat(np.arange(20), row)])
        np.testing.assert_allclose(replicate, np.nanmean(deltas[drawn], axis=0), rtol=1e-12)


def test_replicates_of_weighted_queries_weigh_what_was_drawn(deltas: np.ndarray) -> None:
    structure = structured("weights")
    found = statistics.replicate_means(Sample.of(deltas, structure), resamples=50, seed=3)
    counts = np.concatenate(list(draw_counts(60, resamples=50, seed=3)))
    for replicate, row in zip(found, counts, strict=True):
        for column in range(3):
            kept = ~np.isnan(deltas[:, column])
            weights = row[kept] * structure.weights[kept]
            expected = np.average(deltas[kept, column], weights=weights)
            assert replicate[column] == pytest.approx(expected, rel=1e-12)


def test_each_stratum_is_drawn_as_often_as_it_is_large() -> None:
    strata = np.array([2, 0, 1, 1, 0, 2, 2, 0, 1, 2])
    counts = np.concatenate(list(draw_counts(10, resamples=500, seed=5, strata=strata)))
    for stratum, size in enumerate([3, 3, 4]):
        inside = counts[:, strata == stratum]
        np.testing.assert_array_equal(inside.sum(axis=1), size)
        # Each of its rows as often as any, but for chance: the variance of a count is 1 - 1/n.
        assert np.abs(inside.mean(axis=0) - 1).max() < 4 * (1 / 500) ** 0.5


def test_replicates_of_strata_mix_the_replicates_of_each(deltas: np.ndarray) -> None:
    # Fixed shares: the spread between the strata is none of the replicates'.
    strata = np.arange(60) % 3
    shifted = deltas[:, :2] + 100.0 * strata[:, np.newaxis]
    plain, stratified = (
        statistics.replicate_means(Sample.of(values, Structure(strata=strata)), **DRAWS)
        for values in (deltas[:, :2], shifted)
    )
    np.testing.assert_allclose(stratified, plain + 100, rtol=1e-12)
    small, large = (
        Sample.of(v, Structure(strata=strata)).standard_error for v in (deltas[:, :2], shifted)
    )
    np.testing.assert_allclose(large, small, rtol=1e-9)


@pytest.mark.parametrize("kinds", STRUCTURES)
def test_replicates_spread_as_the_standard_error_says(
    deltas: np.ndarray, kinds: tuple[str, ...]
) -> None:
    # Resampling forgets the n - 1 in each stratum, here 7, 7 and 6 clusters, and the jackknife
    # allows for what a heavy unit hides.
    sample = Sample.of(deltas, structured(*kinds))
    spread = statistics.replicate_means(sample, resamples=4_000, seed=1).std(axis=0)
    assert np.abs(spread / sample.standard_error - 1).max() < 0.2


@pytest.mark.parametrize("kinds", STRUCTURES)
def test_a_ratio_is_replicated_as_both_means_are(kinds: tuple[str, ...]) -> None:
    rng, structure = np.random.default_rng(36), structured(*kinds)
    above, below = rng.random((60, 2)), rng.random((60, 2))
    above[:9, 1] = NAN
    below = np.where(np.isnan(above), NAN, below)
    ratios = statistics.replicate_means(Sample.ratio_of(above, below, structure), **DRAWS)
    means = [
        statistics.replicate_means(Sample.of(side, structure), **DRAWS) for side in (above, below)
    ]
    np.testing.assert_allclose(ratios, means[0] / means[1], rtol=1e-12)


def test_replicates_do_not_depend_on_memory_and_extend_each_other(deltas: np.ndarray) -> None:
    sample = Sample.of(deltas, structured(*KINDS))
    few = statistics.replicate_means(sample, resamples=300, seed=2)
    many = statistics.replicate_means(sample, resamples=600, seed=2, memory=1)
    np.testing.assert_allclose(many[:300], few, rtol=0, atol=1e-13)


# Ratios


def test_a_ratio_of_nothing_is_undefined() -> None:
    above = np.array([[1.0, 1.0, NAN], [2.0, 2.0, NAN]])
    below = np.array([[0.0, 1.0, 1.0], [0.0, -1.0, 1.0]])
    sample = Sample.ratio_of(above, below)
    assert np.isnan(sample.mean).all()
    assert not sample.varies.any()
    replicates = statistics.replicate_means(sample, **DRAWS)
    assert np.isnan(statistics.interval("auto", sample, replicates)).all()


def test_queries_without_a_score_below_still_count_above() -> None:
    sample = Sample.ratio_of([[1.0], [2.0], [3.0]], [[0.0], [2.0], [2.0]])
    assert (sample.mean[0], sample.size[0]) == (1.5, 3)


def test_equal_systems_have_a_ratio_of_one_and_no_interval() -> None:
    scores = np.random.default_rng(37).random((30, 1))
    sample = Sample.ratio_of(scores, scores)
    assert sample.mean[0] == 1
    replicates = statistics.replicate_means(sample, **DRAWS)
    assert np.isnan(statistics.interval("auto", sample, replicates)).all()


def test_a_ratio_does_not_depend_on_the_unit_of_the_scores() -> None:
    rng = np.random.default_rng(38)
    above, below = rng.random((50, 1)), rng.random((50, 1))
    ends = []
    for factor in (1.0, 1e-6):
        sample = Sample.ratio_of(factor * above, factor * below)
        ends.append(
            statistics.interval("auto", sample, statistics.replicate_means(sample, **DRAWS))
        )
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-10)
    assert ends[0].low < above.mean() / below.mean() < ends[0].high


# Signs


def test_signs_of_clusters_are_flipped_together() -> None:
    values = np.array([[0.5], [0.25], [-0.5], [1.0], [0.75]])
    sample = Sample.of(values, Structure(clusters=np.array([0, 0, 1, 2, 2])))
    # Sums .75, -.5 and 1.75, together 2: as far are +++ (3), + - + (2) and their opposites.
    assert statistics.sign_flip(sample)[0] == 4 / 8
    assert statistics.p_values("sign-flip", sample)[0] == 4 / 8


def test_what_cancels_within_a_cluster_is_no_change() -> None:
    values = np.array([[0.1], [0.2], [-0.3], [1.0], [0.5]])
    sample = Sample.of(values, Structure(clusters=np.array([0, 0, 0, 1, 2])))
    assert 0.1 + 0.2 - 0.3 != 0
    assert sample.n_changed[0] == 2
    assert statistics.sign_flip(sample)[0] == 0.5


def test_weights_move_the_flipped_sum() -> None:
    values = np.array([[1.0], [-1.0], [-1.0]])
    weighted = Sample.of(values, Structure(weights=np.array([4.0, 1.0, 1.0])))
    # 4 - 1 - 1 = 2, beneath which no other choice of signs lies.
    assert statistics.sign_flip(weighted)[0] == 1.0
    weighted = Sample.of(-values, Structure(weights=np.array([0.5, 1.0, 1.0])))
    # -.5 + 1 + 1 = 1.5: as far are 2.5 and 1.5, of either sign.
    assert statistics.sign_flip(weighted)[0] == 0.5


@pytest.mark.parametrize("kinds", STRUCTURES)
def test_p_is_a_probability_and_never_zero(kinds: tuple[str, ...]) -> None:
    columns = np.column_stack([np.zeros(60), np.full(60, 0.1), np.full(60, NAN), np.eye(60)[0]])
    sample = Sample.of(columns, structured(*kinds))
    for kind in ("sign-flip", "t"):
        p_values = statistics.p_values(kind, sample, resamples=99)
        assert p_values[0] == 1.0
        assert 0 < p_values[1] <= 1 / 100
        assert np.isnan(p_values[2])
        assert 0 < p_values[3] <= 1


def test_strata_that_differ_and_do_not_vary_are_left_to_their_signs() -> None:
    # Within the strata nothing varies; the signs of +1 +1 and -1 -1 say that nothing is there.
    sample = Sample.of([[1.0], [1.0], [-1.0], [-1.0]], Structure(strata=np.array([0, 0, 1, 1])))
    assert not sample.varies[0]
    assert statistics.paired_t(sample)[0] == 1.0


# Where nothing varies


@pytest.mark.parametrize("kinds", STRUCTURES)
def test_no_variation_is_no_interval(kinds: tuple[str, ...]) -> None:
    only = np.where(np.arange(60) == 0, 0.3, NAN)
    columns = np.column_stack([np.zeros(60), np.full(60, 0.1), only, np.full(60, NAN)])
    sample = Sample.of(columns, structured(*kinds))
    replicates = statistics.replicate_means(sample, **DRAWS)
    assert not sample.varies.any()
    for kind in next(r for r in statistics.matrix() if r.structure == kinds).allowed.intervals:
        if kind != "studentized":
            assert np.isnan(statistics.interval(kind, sample, replicates)).all(), kind


def test_a_stratum_with_a_single_value_in_a_column_leaves_it_no_interval() -> None:
    values = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 5.0], [4.0, NAN]])
    sample = Sample.of(values, Structure(strata=np.array([0, 0, 1, 1])))
    replicates = statistics.replicate_means(sample, **DRAWS)
    for kind in ("auto", "t", "percentile", "basic", "bca"):
        ends = np.array(statistics.interval(kind, sample, replicates))
        np.testing.assert_array_equal(np.isnan(ends), [[False, True], [False, True]])


def test_a_stratum_without_any_value_in_a_column_is_none_of_it() -> None:
    values = np.array([[1.0], [2.0], [4.0], [NAN], [NAN]])
    ours = Sample.of(values, Structure(strata=np.array([0, 0, 0, 1, 1])))
    check = Sample.of(values[:3])
    assert ours.degrees_of_freedom == check.degrees_of_freedom
    np.testing.assert_allclose(ours.standard_error, check.standard_error, rtol=1e-14)


# What is no structure


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"weights": [1.0, -1.0]}, "found -1.0 in row 1"),
        ({"weights": [1.0, np.inf]}, "found inf in row 1"),
        ({"weights": [1.0, NAN]}, "found nan in row 1"),
        ({"weights": [0.0, 0.0]}, "a weight above 0"),
        ({"weights": [[1.0, 1.0]]}, "one number per query"),
        ({"weights": [1.0, 1.0], "clusters": [0, 1, 2]}, "one number per query"),
        ({"strata": [0, 0, 3]}, "found 1 in stratum 3"),
        ({"clusters": [7, 7, 9, 9], "strata": [0, 0, 0, 1]}, "cluster 9 in strata 0 and 1"),
        ({"clusters": [0, 1, 2, 2], "strata": [0, 0, 1, 1]}, "found 1 in stratum 1"),
        ({"weights": [1.0, 1.0, 1.0, 0.0], "strata": [0, 0, 1, 1]}, "found 1 in stratum 1"),
    ],
)
def test_what_is_no_structure_is_refused(given: dict[str, list], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Structure(**{kind: np.array(numbers) for kind, numbers in given.items()})


def test_a_structure_of_other_queries_is_refused(deltas: np.ndarray) -> None:
    with pytest.raises(ValueError, match="structure of 59 queries, found 60"):
        Sample.of(deltas[:59], structured("weights"))
    with pytest.raises(ValueError, match=r"shapes \(60, 3\) and \(60, 2\)"):
        Sample.ratio_of(deltas, deltas[:, :2])


def test_a_subset_keeps_what_it_keeps() -> None:
    structure = structured(*KINDS)
    rows = np.flatnonzero(structure.strata != 1)
    found = structure.subset(rows)
    for kind in KINDS:
        np.testing.assert_array_equal(getattr(found, kind), getattr(structure, kind)[rows])
    assert Structure().subset(rows).kinds == ()
    with pytest.raises(ValueError, match="found 1 in stratum"):
        structure.subset(np.array([0, 1, 2]))


# What combines with what


@pytest.mark.parametrize("kinds", STRUCTURES)
def test_what_is_allowed_is_finite_and_what_is_refused_raises(
    deltas: np.ndarray, kinds: tuple[str, ...]
) -> None:
    sample = Sample.of(deltas[:, :2], structured(*kinds))
    replicates = statistics.replicate_means(sample, **DRAWS)
    errors = None if kinds else statistics.replicate_moments(sample, **DRAWS).standard_errors
    works = {}
    for kind in statistics.INTERVALS:
        works[kind] = _finite(
            lambda kind=kind: statistics.interval(kind, sample, replicates, standard_errors=errors)
        )
    for test, correction in product(statistics.TESTS, statistics.CORRECTIONS):
        works[test, correction] = _finite(
            lambda test=test, correction=correction: statistics.adjusted(
                correction,
                test,
                sample,
                statistics.p_values(test, sample, **DRAWS),
                n_tests=2,
                **DRAWS,
            )
        )
    for interval, test, correction in product(
        statistics.INTERVALS, statistics.TESTS, statistics.CORRECTIONS
    ):
        refused = statistics.refusal(
            kinds, interval=interval, test=test, correction=correction, n_tests=2
        )
        assert (refused is None) == (works[interval] and works[test, correction])


def _finite(figure) -> bool:
    try:
        found = figure()
    except ValueError:
        return False
    assert np.isfinite(found).all()
    return True


def test_refusals_say_why_and_what_instead() -> None:
    asked = {"interval": "auto", "test": "sign-flip", "correction": "max-t", "n_tests": 3}
    for kinds in STRUCTURES:
        assert statistics.refusal(kinds, **asked) is None
    said = statistics.refusal(["weights", "clusters"], **{**asked, "interval": "bca"})
    assert said == (
        "interval 'bca' is not available with weights and clusters; "
        "use 'auto', 't', 'percentile' or 'basic'."
    )
    said = statistics.refusal(["strata"], **{**asked, "test": "wilcoxon"})
    assert said == "test 'wilcoxon' is not available with strata; use 'sign-flip' or 't'."
    with pytest.raises(ValueError, match="weights, clusters, strata, repeats; found 'users'"):
        statistics.refusal(["users"], **asked)


def test_the_matrix_names_what_there_is() -> None:
    rows = list(statistics.matrix())
    assert len(rows) == 8
    assert rows[0].allowed == (
        tuple(statistics.INTERVALS),
        tuple(statistics.TESTS),
        tuple(statistics.CORRECTIONS),
    )
    for row in rows:
        assert set(row.allowed.intervals) <= set(statistics.INTERVALS)
        assert row.auto == statistics.interval_title("auto", row.structure)
        assert ("BCa" in row.auto) == ("weights" not in row.structure)


def test_auto_is_what_its_title_says(deltas: np.ndarray) -> None:
    for kinds in STRUCTURES:
        sample = Sample.of(deltas, structured(*kinds))
        replicates = statistics.replicate_means(sample, **DRAWS)
        found = statistics.interval("auto", sample, replicates)
        expected = statistics.student_t(sample, 0.95)
        if "BCa" in statistics.interval_title("auto", kinds):
            drawn = statistics.bca(sample, replicates, 0.95)
            bca = statistics.bca_of_mean(sample, 0.95) if sample.is_plain else drawn
            expected = statistics.hull(expected, bca)
        np.testing.assert_array_equal(found, expected)


def test_titles_name_the_structure() -> None:
    titles = {
        ("t", ()): "Student's t",
        ("bca", ()): "bootstrap BCa",
        ("studentized", ()): "studentised bootstrap",
        ("t", ("strata",)): "stratified t",
        ("t", ("clusters", "strata")): "stratified cluster t",
        ("bca", ("clusters",)): "cluster BCa",
        ("percentile", ("weights",)): "weighted bootstrap percentile",
        ("basic", ("clusters",)): "basic cluster bootstrap",
    }
    for (kind, kinds), title in titles.items():
        assert statistics.interval_title(kind, kinds) == title
    for kind, known in statistics.INTERVALS.items():
        assert statistics.interval_title(kind) == known.title
    with pytest.raises(ValueError, match="kind='bca' is not one of 'auto', 't'"):
        statistics.interval_title("bca", ["weights"])


@pytest.mark.parametrize("name", ["studentized_bootstrap", "wilcoxon", "sign_test", "moments"])
def test_what_knows_no_structure_says_so(deltas: np.ndarray, name: str) -> None:
    call = {
        "studentized_bootstrap": lambda s: statistics.studentized_bootstrap(s, deltas, deltas),
        "wilcoxon": statistics.wilcoxon,
        "sign_test": statistics.sign_test,
        "moments": lambda s: statistics.replicate_moments(s, **DRAWS),
    }[name]
    with pytest.raises(ValueError, match="queries of equal weight, found a sample with weights"):
        call(Sample.of(deltas, structured("weights")))


def test_a_plain_sample_is_as_good_as_its_values(deltas: np.ndarray) -> None:
    sample = Sample.of(deltas)
    assert Sample.of(sample) is sample
    np.testing.assert_array_equal(sample.values, deltas)
    for kind in statistics.TESTS:
        expected = statistics.p_values(kind, deltas, **DRAWS)
        np.testing.assert_array_equal(statistics.p_values(kind, sample, **DRAWS), expected)


# What it is for


def test_clusters_cover_what_queries_on_their_own_do_not() -> None:
    # Fifty users of some seven queries each, whose differences are alike (a third of the variance).
    rng, hits, repeats = np.random.default_rng(41), np.zeros(2), 400
    for _ in range(repeats):
        clusters = np.repeat(np.arange(50), rng.geometric(0.15, 50))
        values = rng.normal(0, 0.3**0.5, 50)[clusters] + rng.normal(0, 0.7**0.5, len(clusters))
        of_users = Sample.of(values[:, np.newaxis], Structure(clusters=clusters))
        for place, sample in enumerate((Sample.of(values[:, np.newaxis]), of_users)):
            low, high = statistics.student_t(sample, 0.95)
            hits[place] += low[0] < 0 < high[0]
    alone, together = hits / repeats
    assert alone < 0.85
    assert together >= 0.92


def test_strata_sharpen_what_differs_between_them() -> None:
    # Half of the queries gain, half lose: known shares take that out of the error.
    rng, strata = np.random.default_rng(42), np.arange(100) % 2
    hits, repeats, widths = 0, 400, []
    for _ in range(repeats):
        values = np.where(strata == 0, 1.0, -1.0) + rng.normal(0, 0.5, 100)
        sample = Sample.of(values[:, np.newaxis], Structure(strata=strata))
        low, high = statistics.student_t(sample, 0.95)
        hits += low[0] < 0 < high[0]
        plain = statistics.student_t(values[:, np.newaxis], 0.95)
        widths.append((high - low)[0] / (plain.high - plain.low)[0])
    assert abs(hits / repeats - 0.95) < 4 * (0.95 * 0.05 / repeats) ** 0.5
    assert np.median(widths) < 0.5
