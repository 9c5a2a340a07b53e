"""Effect sizes: by hand, against other ways to the same figure, and true to their symmetries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from rankreport import statistics
from rankreport.statistics.random_draws import draw_counts

NAN = float("nan")

columns = hnp.arrays(
    np.float64,
    st.tuples(st.integers(5, 25), st.just(1)),
    elements=st.sampled_from([0.0, 1.0, -1.0, 0.5, 1 / 3, -1 / 7, 0.9]),
)


def resampled(values: np.ndarray, confidence: float = 0.95) -> statistics.Interval:
    moments = statistics.replicate_moments(values, resamples=300, seed=0)
    return statistics.standardized_interval(values, moments, len(values), confidence)


def test_the_standardised_mean_by_hand() -> None:
    # 1, 2, 6: mean 3, squares of deviations 4 + 1 + 9 = 14, variance 7.
    values = np.array([[1.0, 0.0, 0.5, NAN, NAN], [2.0, 0.0, 0.5, NAN, 1], [6.0, 0.0, 0.5, NAN, 3]])
    found = statistics.standardized_mean(values)
    np.testing.assert_allclose(found, [3 / 7**0.5, 0, NAN, NAN, 2 / 2**0.5], rtol=1e-14)


def test_the_interval_is_scipys_but_for_its_jackknife() -> None:
    values = np.random.default_rng(3).gamma(2, 1, (80, 1)) - 1.2

    def effect(sample: np.ndarray, axis: int) -> np.ndarray:
        return sample.mean(axis=axis) / sample.std(axis=axis, ddof=1)

    theirs = stats.bootstrap(
        (values,), effect, n_resamples=20_000, method="BCa", rng=np.random.default_rng(1)
    ).confidence_interval
    moments = statistics.replicate_moments(values, resamples=20_000, seed=0)
    ours = statistics.standardized_interval(values, moments, 80, 0.95)
    width = theirs.high - theirs.low
    # Ends of 20,000 resamples stray by 2 to 3 % of a standard error, a quarter of the width.
    np.testing.assert_allclose(np.array(ours), np.array(theirs), rtol=0, atol=0.03 * width[0])


def test_replicates_are_effects_of_what_was_drawn() -> None:
    # With one query undefined, a replicate's deviation is that of the queries that it drew.
    values = np.random.default_rng(4).normal(0.4, 1, (30, 1))
    values[0] = NAN
    counts = np.concatenate(list(draw_counts(30, resamples=200, seed=0))).astype(int)
    drawn = counts @ ~np.isnan(values)
    moments = statistics.replicate_moments(values, resamples=200, seed=0)
    samples = [np.repeat(values[:, 0], row) for row in counts]
    expected = [np.nanmean(s) / np.nanstd(s, ddof=1) for s in samples]
    found = statistics.standardized_interval(values, moments, drawn, 0.9)
    # Replicates of a deviation of 1 are the effects themselves.
    given = statistics.Moments(np.array(expected)[:, np.newaxis], np.ones((200, 1)))
    np.testing.assert_allclose(
        found, statistics.standardized_interval(values, given, 1, 0.9), rtol=1e-10
    )


@given(values=columns)
def test_swapping_the_systems_mirrors_the_effect_and_its_interval(values: np.ndarray) -> None:
    there, back = resampled(values), resampled(-values)
    np.testing.assert_allclose(there.low, -back.high, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(there.high, -back.low, rtol=1e-9, atol=1e-9)
    found = statistics.standardized_mean(values)
    np.testing.assert_allclose(statistics.standardized_mean(-values), -found, rtol=1e-12)


@given(values=columns, factor=st.sampled_from([1e-6, 0.3, 100.0]))
def test_the_unit_does_not_matter(values: np.ndarray, factor: float) -> None:
    np.testing.assert_allclose(resampled(factor * values), resampled(values), rtol=1e-8, atol=1e-9)
    scaled = statistics.standardized_mean(factor * values)
    np.testing.assert_allclose(scaled, statistics.standardized_mean(values), rtol=1e-9)


@given(values=columns)
def test_ends_stand_in_order_and_are_missing_where_nothing_varies(values: np.ndarray) -> None:
    low, high = resampled(values)
    if np.ptp(values) == 0:
        assert np.isnan(low).all()
        assert np.isnan(high).all()
    else:
        assert (low <= high).all()
        narrow = resampled(values, 0.5)
        assert (low <= narrow.low).all()
        assert (narrow.high <= high).all()


@pytest.mark.parametrize("effect", [0.0, 0.5])
def test_the_interval_holds_the_true_effect_about_as_often_as_it_says(effect: float) -> None:
    # All samples at once, as columns: 400 of 60 normal differences.
    values = np.random.default_rng(5).normal(effect, 1, (60, 400))
    moments = statistics.replicate_moments(values, resamples=999, seed=0)
    low, high = statistics.standardized_interval(values, moments, 60, 0.95)
    covered = ((low <= effect) & (effect <= high)).mean()
    assert covered == pytest.approx(0.95, abs=4 * (0.95 * 0.05 / 400) ** 0.5)


def test_the_linearised_interval_is_that_of_the_delta_method() -> None:
    # mean / sd has the gradient (1 / sd, -theta / 2 sd^2) by mean and variance, whose covariances
    # are sd^2, g sd^3 and (k - 1) sd^4: together 1 - theta g + theta^2 (k - 1) / 4, g the skewness
    # and k the kurtosis.
    values = np.random.default_rng(8).gamma(2, 1, (200, 1)) - 1.2
    effect, (low, high) = statistics.linearized_effect(values, statistics.PLAIN, 0.95)
    theta = values.mean() / values.std()
    skewness, kurtosis = stats.skew(values)[0], stats.kurtosis(values, fisher=False)[0]
    variance = 1 - theta * skewness + theta**2 * (kurtosis - 1) / 4
    half = stats.t.ppf(0.975, 199) * (variance / 199) ** 0.5
    assert effect[0] == statistics.standardized_mean(values)[0]
    np.testing.assert_allclose([low[0], high[0]], [effect[0] - half, effect[0] + half], rtol=0.01)


def test_the_linearised_interval_is_near_the_resampled_one() -> None:
    values = np.random.default_rng(9).normal(0.2, 1, (2_000, 3))
    moments = statistics.replicate_moments(values, resamples=4_000, seed=0)
    expected = statistics.standardized_interval(values, moments, 2_000, 0.95)
    _, found = statistics.linearized_effect(values, statistics.PLAIN, 0.95)
    # Ends of 4,000 resamples stray by some 4 % of a standard error, which is 1 / sqrt(2,000).
    np.testing.assert_allclose(np.array(found), np.array(expected), atol=0.2 / 2_000**0.5)


def test_the_effect_of_weighted_clustered_queries_is_that_of_queries() -> None:
    rng = np.random.default_rng(10)
    values = rng.normal(0.3, 1, (90, 1))
    weights, clusters = rng.uniform(0.5, 2, 90), np.repeat(np.arange(30), 3)
    mean = np.average(values[:, 0], weights=weights)
    spread = np.average((values[:, 0] - mean) ** 2, weights=weights) ** 0.5
    weighted, _ = statistics.linearized_effect(values, statistics.Structure(weights), 0.95)
    assert weighted[0] == pytest.approx(mean / spread * (89 / 90) ** 0.5, rel=1e-12)
    # Clusters leave the effect alone, and where queries of one are alike, widen its interval.
    alike = np.repeat(rng.normal(0.3, 1, (30, 1)), 3, axis=0) + rng.normal(0, 0.1, (90, 1))
    alone, ends = statistics.linearized_effect(alike, statistics.PLAIN, 0.95)
    both, wider = statistics.linearized_effect(alike, statistics.Structure(None, clusters), 0.95)
    assert alone == both == statistics.standardized_mean(alike)
    assert (wider.high - wider.low)[0] > 1.5 * (ends.high - ends.low)[0]
    sample = statistics.Sample.of(values, statistics.Structure(None, clusters))
    with pytest.raises(ValueError, match="found a sample with clusters"):
        statistics.standardized_interval(sample, statistics.Moments(mean, mean), 30, 0.95)


def test_what_does_not_vary_has_no_linearised_interval() -> None:
    values = np.array([[0.0, 0.1, NAN, 0.3], [0.0, 0.1, NAN, NAN], [0.0, 0.1, NAN, NAN]])
    effect, ends = statistics.linearized_effect(values, statistics.PLAIN, 0.95)
    np.testing.assert_array_equal(effect, [0.0, NAN, NAN, NAN])
    assert np.isnan(ends).all()
