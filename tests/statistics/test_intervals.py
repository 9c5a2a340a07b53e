"""Intervals: equal to SciPy's, true to their symmetries, and silent where there is no spread."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from rankreport import statistics
from rankreport.statistics.intervals import quantiles

NAN = float("nan")
KINDS = list(statistics.INTERVALS)
LATTICE = [0.0, 0.0, 0.5, -0.5, 1 / 3, -1 / 3, 1.0, -0.9]

columns = hnp.arrays(
    np.float64,
    st.tuples(st.integers(5, 25), st.just(1)),
    elements=st.sampled_from([0.0, 1.0, -1.0, 0.5, 1 / 3, -1 / 7, 0.9]),
)


def resampled(kind: str, values: np.ndarray, resamples: int = 300) -> statistics.Interval:
    means, errors = statistics.replicate_moments(values, resamples=resamples, seed=0)
    return statistics.interval(kind, values, means, 0.95, standard_errors=errors)


def scipys(values: np.ndarray, method: str) -> tuple[statistics.Interval, np.ndarray]:
    rng = np.random.default_rng(1)
    result = stats.bootstrap(
        (values,), np.mean, axis=0, n_resamples=10_000, batch=1_000, method=method, rng=rng
    )
    ends = statistics.Interval(*result.confidence_interval)
    return ends, result.bootstrap_distribution.T


@pytest.fixture(scope="module")
def continuous() -> np.ndarray:
    rng = np.random.default_rng(5)
    return np.column_stack([rng.normal(0.1, 1, 60), rng.exponential(1, 60), -rng.pareto(3, 60)])


@pytest.fixture(scope="module")
def tied() -> np.ndarray:
    return np.random.default_rng(6).choice(LATTICE, (50, 3))


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_ends_equal_scipys_on_continuous_values(continuous: np.ndarray, method: str) -> None:
    theirs, replicates = scipys(continuous, method)
    ours = statistics.interval(method, continuous, replicates, 0.95)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_ends_equal_scipys_on_ties_that_have_no_rounding(method: str) -> None:
    # Eighths, over 64 queries: every sum and every mean is exact, and SciPy sees the ties too.
    values = np.random.default_rng(16).choice([0, 0, 0, 0.125, -0.125, 0.5, 1], (64, 4))
    theirs, replicates = scipys(values, method)
    assert (replicates == values.mean(axis=0)).any(axis=0).all()
    ours = statistics.interval(method, values, replicates, 0.95)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("method", "share"), [("percentile", 1e-11), ("bca", 0.01)])
def test_ends_are_near_scipys_on_tied_values(tied: np.ndarray, method: str, share: float) -> None:
    # SciPy counts replicates equal to the mean by their last bit; that moves its bias a little.
    theirs, replicates = scipys(tied, method)
    ours = statistics.interval(method, tied, replicates, 0.95)
    error = statistics.Sample.of(tied).standard_error
    assert (np.abs(np.array(ours) - np.array(theirs)) <= share * error).all()


def test_rounding_does_not_move_the_bias_of_tied_values() -> None:
    # Half of the replicates equal the mean but for the last bit, in either direction.
    values = np.array([[-1.0], [0.0], [1.0], [2.0]])
    clean = np.repeat([0.25, 0.5, 0.75], [25, 50, 25])[:, np.newaxis]
    for noise in (1e-16, -1e-16):
        noisy = np.where(clean == 0.5, clean + noise, clean)
        assert statistics.bca(values, noisy, 0.9) == statistics.bca(values, clean, 0.9)


def test_students_interval_is_scipys(continuous: np.ndarray) -> None:
    expected = stats.ttest_1samp(continuous, 0).confidence_interval(0.9)
    np.testing.assert_allclose(statistics.student_t(continuous, 0.9), expected, rtol=1e-12)


def test_the_studentized_interval_is_the_inverted_pivot(continuous: np.ndarray) -> None:
    sample = statistics.Sample.of(continuous)
    moments = statistics.replicate_moments(continuous, resamples=999, seed=3)
    pivot = (moments.means - sample.mean) / moments.standard_errors
    upper, lower = np.quantile(pivot, [0.975, 0.025], axis=0)
    low, high = statistics.studentized(continuous, moments, 0.95)
    np.testing.assert_allclose(low, sample.mean - upper * sample.standard_error, rtol=1e-10)
    np.testing.assert_allclose(high, sample.mean - lower * sample.standard_error, rtol=1e-10)


def test_the_studentized_interval_is_infinite_where_replicates_lose_their_spread() -> None:
    low, high = resampled("studentized", np.array([[0.0], [0.0], [0.0], [1.0]]))
    assert np.isfinite(low) | np.isinf(low)
    assert np.isinf(high)


@pytest.mark.parametrize("n", [50, 500, 5_000])
def test_percentile_ends_agree_with_the_cornish_fisher_expansion(n: int) -> None:
    # An oracle without random numbers: the quantiles of a mean, expanded to its skewness.
    rng = np.random.default_rng(n)
    values = np.column_stack([rng.normal(0, 1, n), rng.choice(LATTICE, n), rng.exponential(1, n)])
    resamples, level = 10_000, 0.025
    means = statistics.replicate_means(values, resamples=resamples, seed=2)
    error = values.std(axis=0) / np.sqrt(n)
    z = stats.norm.ppf([[level], [1 - level]])
    skewness = stats.skew(values, axis=0) / np.sqrt(n)
    expected = values.mean(axis=0) + error * (z + skewness * (z**2 - 1) / 6)
    monte_carlo_error = error * np.sqrt(level * (1 - level) / resamples) / stats.norm.pdf(z[0])
    ends = np.array(statistics.percentile(means, 1 - 2 * level))
    assert (np.abs(ends - expected) < 4 * monte_carlo_error).all()


@pytest.mark.parametrize("kind", KINDS)
@given(values=columns)
def test_swapping_the_systems_mirrors_the_interval(kind: str, values: np.ndarray) -> None:
    there, back = resampled(kind, values), resampled(kind, -values)
    np.testing.assert_allclose(there.low, -back.high, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(there.high, -back.low, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@given(values=columns, factor=st.sampled_from([1e-6, 0.3, 100.0]))
def test_scaling_the_values_scales_the_interval(
    kind: str, values: np.ndarray, factor: float
) -> None:
    scaled = np.array(resampled(kind, factor * values)) / factor
    np.testing.assert_allclose(scaled, resampled(kind, values), rtol=1e-9, atol=1e-9)


@given(values=columns)
def test_the_ends_stand_in_order_and_the_hull_holds_both(values: np.ndarray) -> None:
    means = statistics.replicate_means(values, resamples=300, seed=0)
    widest = statistics.interval("auto", values, means)
    closed = statistics.bca_of_mean(values, 0.95)
    bca = statistics.interval("bca", values, means) if np.isnan(closed.low).any() else closed
    parts = [statistics.interval("t", values), bca]
    if np.ptp(values) == 0:
        assert np.isnan(widest).all()
    else:
        assert (widest.low <= values.mean(axis=0)).all()
        assert (values.mean(axis=0) <= widest.high).all()
        assert widest.low == min(part.low for part in parts)
        assert widest.high == max(part.high for part in parts)


@given(values=columns, missing=st.integers(0, 4))
def test_an_undefined_row_is_no_row_to_students_interval(values: np.ndarray, missing: int) -> None:
    holed = values.copy()
    holed[missing] = NAN
    ours = statistics.student_t(holed, 0.95)
    np.testing.assert_allclose(ours, statistics.student_t(np.delete(values, missing, 0), 0.95))


def test_undefined_values_are_left_out_of_their_own_column_only(continuous: np.ndarray) -> None:
    holed = continuous.copy()
    holed[::3, 1] = NAN
    for kind in KINDS:
        whole, part = np.array(resampled(kind, continuous)), np.array(resampled(kind, holed))
        np.testing.assert_allclose(part[:, [0, 2]], whole[:, [0, 2]], atol=1e-13)
        assert np.isfinite(part).all()
        assert (part[:, 1] != whole[:, 1]).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "column",
    [[0.0, 0.0, 0.0], [0.1, 0.1, 0.1], [0.3, NAN, NAN], [NAN, NAN, NAN]],
    ids=["unchanged", "constant", "one", "none"],
)
def test_no_variation_is_no_interval(kind: str, column: list[float]) -> None:
    ends = resampled(kind, np.array([column, [1.0, 2.0, 4.0]]).T)
    assert np.isnan(ends)[:, 0].all()
    assert not np.isnan(ends)[:, 1].any()


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_bca_stays_finite_with_every_replicate_on_one_side(side: float) -> None:
    values = np.array([[-1.0], [0.0], [1.0]])
    replicates = side * np.linspace(0.1, 0.9, 99)[:, np.newaxis]
    low, high = statistics.bca(values, replicates, 0.95)
    assert replicates.min() <= low <= high <= replicates.max()


def skewed(share: float, n: int, seed: int) -> np.ndarray:
    """Return differences of which a share is exponential, the others 0."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random((n, 12)) < share, rng.exponential(size=(n, 12)), 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 100, 400])
@pytest.mark.parametrize("kind", ["normal", "exponential", "ties"])
def test_the_closed_form_of_bca_is_that_of_a_hundred_thousand_resamples(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    draw = {
        "normal": lambda: rng.normal(size=(n, 12)),
        "exponential": lambda: skewed(1.0, n, n),
        "ties": lambda: skewed(0.3, n, n),
    }
    values = draw[kind]()
    means = statistics.replicate_means(values, resamples=100_000, seed=1)
    g = stats.skew(values) / np.sqrt(n)
    within = np.abs(g) <= 0.3
    assert within.any()
    error = stats.sem(values)[within]
    for found, drawn in zip(
        statistics.bca_of_mean(values, 0.95), statistics.bca(values, means, 0.95), strict=True
    ):
        assert (np.abs(found - drawn)[within] <= 0.2 * error).all()


def test_the_closed_form_of_bca_by_hand() -> None:
    # The deviations are -1, -1 and 2.
    values, z = [[0.0], [0.0], [3.0]], stats.norm.ppf(0.9)
    g, k, s = 6 / 6**1.5, 18 / 36 - 1, 6**0.5 / 3
    ends = []
    for tail in (-z, z):
        w = g / 6 + tail
        level = g / 6 + w / (1 - g / 6 * w)
        cubes = level**3
        ends.append(
            1
            + s
            * (
                level
                + g * (level**2 - 1) / 6
                + k * (cubes - 3 * level) / 24
                - g**2 * (2 * cubes - 5 * level) / 36
            )
        )
    np.testing.assert_allclose(np.ravel(statistics.bca_of_mean(values, 0.8)), ends, rtol=1e-12)


def test_auto_needs_resamples_only_where_the_closed_form_does_not_hold() -> None:
    # One query of forty that changed: far too skewed for an expansion.
    tame, wild = np.random.default_rng(3).normal(size=(40, 1)), np.zeros((40, 1))
    wild[0] = 1.0
    calls: list[int] = []

    def drawn() -> np.ndarray:
        calls.append(1)
        return statistics.replicate_means(np.hstack([tame, wild]), resamples=999, seed=0)

    alone = statistics.interval("auto", tame, drawn)
    assert calls == []
    closed = statistics.bca_of_mean(np.hstack([tame, wild]), 0.999999)
    assert np.isnan(closed.low[1])
    both = statistics.interval("auto", np.hstack([tame, wild]), drawn, 0.999999)
    assert calls == [1]
    assert np.isfinite(both).all()
    alone_again = statistics.interval("auto", tame, None, 0.999999)
    np.testing.assert_allclose(both.low[:1], alone_again.low, rtol=1e-12)
    assert alone.high[0] < both.high[0]


def test_each_column_may_have_its_own_confidence() -> None:
    values = np.random.default_rng(4).normal(size=(50, 3))
    means, errors = statistics.replicate_moments(values, resamples=999, seed=0)
    levels = [0.9, 0.95, np.nan]
    for kind in statistics.INTERVALS:
        given = {"standard_errors": errors}
        found = statistics.interval(kind, values, means, levels, **given)
        for column in (0, 1):
            alone = statistics.interval(kind, values, means, levels[column], **given)
            np.testing.assert_array_equal(found.low[column], alone.low[column])
            np.testing.assert_array_equal(found.high[column], alone.high[column])
        assert np.isnan([found.low[2], found.high[2]]).all()


def test_bca_takes_the_outermost_replicate_past_the_pole() -> None:
    values = np.array([[0.0]] * 40 + [[1.0]])
    replicates = np.linspace(0, 0.02, 1001)[:, np.newaxis]
    _, high = statistics.bca(values, replicates, 1 - 1e-12)
    assert high == replicates.max()


@given(
    replicates=hnp.arrays(np.float64, (12, 2), elements=st.floats(-5, 5)),
    levels=st.lists(st.floats(0, 1), min_size=1, max_size=4),
)
def test_quantiles_are_numpys(replicates: np.ndarray, levels: list[float]) -> None:
    ours = quantiles(replicates, np.array(levels)[:, np.newaxis])
    np.testing.assert_allclose(ours, np.quantile(replicates, levels, axis=0), atol=1e-14)


def test_quantiles_leave_out_nan_and_keep_infinity() -> None:
    replicates = [[NAN, -np.inf, 1.0], [1.0, 2.0, np.inf], [3.0, 4.0, 3.0]]
    found = quantiles(replicates, [[0.5], [0.25], [0.75]])
    np.testing.assert_array_equal(found, [[2, 2, 3], [1.5, -np.inf, 2], [2.5, 3, np.inf]])


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, NAN])
def test_a_confidence_that_is_none_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        statistics.student_t([[1.0], [2.0]], confidence)


def test_an_unknown_kind_and_absent_replicates_are_named() -> None:
    values = np.array([[1.0], [2.0]])
    with pytest.raises(ValueError, match="'auto', 't', 'percentile'"):
        statistics.interval("wald", values)
    with pytest.raises(ValueError, match="replicate_means"):
        statistics.interval("bca", values)
    with pytest.raises(ValueError, match="replicate_moments"):
        statistics.interval("studentized", values, values)


@pytest.mark.parametrize("n", [1, 2, 10, 225])
def test_equal_values_are_bounded_as_a_binomial_with_none_seen(n: int) -> None:
    # All n alike: of others there are at most as many as Clopper and Pearson say of 0 in n.
    rare = stats.binomtest(0, n).proportion_ci(0.95, method="exact").high
    values = np.array([[-0.5, 0.0, 0.5, 0.5]] * n)
    low, high = statistics.of_equal_values(values, [1.0, 1.0, 2.0, np.inf], 0.95)
    expected_low = [-0.5 * (1 - rare) - rare, np.nan, 0.5 * (1 - rare) - 2 * rare, np.nan]
    expected_high = [-0.5 * (1 - rare) + rare, np.nan, 0.5 * (1 - rare) + 2 * rare, np.nan]
    np.testing.assert_allclose(low, expected_low, rtol=1e-12)
    np.testing.assert_allclose(high, expected_high, rtol=1e-12)


def test_values_that_vary_are_none_of_its_business() -> None:
    low, high = statistics.of_equal_values([[0.1], [0.2], [np.nan]], [1.0], 0.95)
    assert np.isnan([low[0], high[0]]).all()
