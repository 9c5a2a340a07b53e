"""Corrections and power: equal to those of statsmodels."""

from __future__ import annotations

import gc
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from rankreport import statistics
from rankreport.statistics import power

NAN = float("nan")


@pytest.fixture(autouse=True)
def no_garbage_is_collected(monkeypatch):
    """Pass over what statsmodels does at every correction, which takes 0.2 s after many tests."""
    monkeypatch.setattr(gc, "collect", lambda *_: 0)


@given(st.lists(st.sampled_from([0.0, 1e-4, 0.01, 0.02, 0.02, 0.5, 1.0]), min_size=1, max_size=12))
def test_holm_is_that_of_statsmodels(p_values: list[float]) -> None:
    theirs = multipletests(p_values, method="holm")[1]
    np.testing.assert_allclose(statistics.holm(p_values), theirs, rtol=1e-14)


@given(st.lists(st.sampled_from([0.0, 1e-4, 0.01, 0.02, 0.02, 0.5, 1.0]), min_size=1, max_size=12))
def test_benjamini_hochberg_is_that_of_statsmodels_and_scipy(p_values: list[float]) -> None:
    ours = statistics.benjamini_hochberg(p_values)
    np.testing.assert_allclose(ours, multipletests(p_values, method="fdr_bh")[1], rtol=1e-14)
    np.testing.assert_allclose(ours, stats.false_discovery_control(p_values), rtol=1e-14)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.permutations(range(8)))
def test_corrections_keep_their_order_and_bounds(p_values: list[float], order: list[int]) -> None:
    raw = np.array(p_values)
    holm, bh = statistics.holm(raw), statistics.benjamini_hochberg(raw)
    assert (raw <= bh * (1 + 1e-15)).all()
    assert (bh <= holm * (1 + 1e-15)).all()
    for adjusted in (holm, bh):
        assert (np.diff(adjusted[np.argsort(raw)]) >= 0).all()
        assert (adjusted <= 1).all()
    to = [place for place in order if place < len(raw)]
    np.testing.assert_array_equal(statistics.benjamini_hochberg(raw[to]), bh[to])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.integers(0, 8))
def test_a_test_that_was_not_made_is_not_counted(p_values: list[float], place: int) -> None:
    with_gap = [*p_values[:place], NAN, *p_values[place:]]
    for correct in (statistics.holm, statistics.benjamini_hochberg):
        adjusted = correct(with_gap)
        np.testing.assert_array_equal(np.isnan(adjusted), np.isnan(with_gap))
        np.testing.assert_array_equal(adjusted[~np.isnan(adjusted)], correct(p_values))


@pytest.mark.parametrize("correct", [statistics.holm, statistics.benjamini_hochberg])
def test_a_correction_of_nothing_is_nothing(correct) -> None:
    assert correct([]).shape == (0,)
    assert np.isnan(correct([NAN, NAN])).all()


@pytest.mark.parametrize("correct", [statistics.holm, statistics.benjamini_hochberg])
@pytest.mark.parametrize("p_values", [[[0.1]], [-0.1], [1.5, NAN]])
def test_a_correction_refuses_what_is_no_list_of_p_values(correct, p_values: list) -> None:
    with pytest.raises(ValueError, match="expected p-values"):
        correct(p_values)


def least(deviation, n, *, power=0.8, alpha=0.05, largest=0.0, share=4):
    """Return the least detectable difference by SciPy's t, normal and binomial distributions."""
    error = deviation / math.sqrt(n)
    c = largest * stats.binomtest(0, n).proportion_ci(1 - alpha, method="exact").high
    h = stats.t.ppf(1 - alpha / 2, n - 1) * error
    return max(c, math.sqrt(h**2 + c**2 / share)) + stats.norm.ppf(power) * error


@pytest.mark.parametrize("n", [2, 10, 50, 1_000])
@pytest.mark.parametrize(("power", "alpha"), [(0.8, 0.05), (0.95, 0.01), (0.5, 0.1)])
@pytest.mark.parametrize("largest", [0.0, 0.5, 1.0])
def test_the_detectable_difference_is_that_of_the_formula(n, power, alpha, largest) -> None:
    options = {"power": power, "alpha": alpha, "largest": largest}
    for share, simultaneous in ((4, False), (2, True)):
        ours = statistics.detectable_difference(0.25, n, simultaneous=simultaneous, **options)
        assert ours == pytest.approx(least(0.25, n, share=share, **options), rel=1e-9)


def test_without_rare_failures_it_is_nearly_that_of_the_t_test() -> None:
    theirs = [TTestPower().solve_power(nobs=n, power=0.8, alpha=0.05) for n in (25, 50, 1_000)]
    ours = statistics.detectable_difference(1.0, [25, 50, 1_000])
    np.testing.assert_allclose(ours, theirs, rtol=0.006)


@pytest.mark.parametrize("largest", [0.0, 1.0])
def test_so_many_queries_find_it_as_often_as_promised(largest) -> None:
    random, n = np.random.default_rng(1), int(statistics.queries_needed(0.1, 0.05, largest=largest))
    values = random.normal(0.05, 0.1, (n, 4_000))
    own = statistics.student_t(values, 0.95)
    low, _ = statistics.deciding_interval(values, own, np.full(4_000, largest), 0.95)
    assert 0.78 <= (low > 0).mean() <= 0.84


def test_a_left_skew_takes_more_queries() -> None:
    shape = (-3.0, 12.0)
    assert statistics.queries_needed(0.1, 0.02, shape=shape) > statistics.queries_needed(0.1, 0.02)
    # The interval of such differences, at as many queries as there are.
    values = np.array([[0.01]] * 95 + [[-0.4]] * 5)
    own = statistics.bca_of_mean(values, 0.95)
    sample = statistics.Sample.of(values)
    shape = [float(part[0]) for part in statistics.shape_of_mean(sample)]
    deviation = float(np.sqrt(sample.squares[0] / 100))
    found = statistics.detectable_difference(
        deviation, 100, power=0.5, shape=(shape[0] * 10, shape[1] * 100)
    )
    assert found == pytest.approx(float(sample.mean[0] - own.low[0]))


@given(effect=st.floats(0.02, 5), power=st.sampled_from([0.5, 0.8, 0.95]))
def test_queries_needed_is_the_first_number_that_suffices(effect: float, power: float) -> None:
    n = int(statistics.queries_needed(1.0, -effect, power=power, largest=1.0))
    assert least(1.0, n, power=power, largest=1.0) <= effect * (1 + 1e-12)
    assert n == 2 or least(1.0, n - 1, power=power, largest=1.0) > effect * (1 - 1e-12)


def test_enough_queries_must_change_too() -> None:
    values = np.repeat([0.0, 1.0], [90, 10])
    pilot = statistics.Pilot((values - 0.1) / 0.3, values > 0, n_changed=10)
    n = int(pilot.needed(0.5, standard_deviation=0.01, largest=0.0))
    first = next(n for n in range(10, 400) if stats.binom.sf(9, n, 0.1) >= 0.8)
    assert n == pytest.approx(first, abs=3)


@pytest.mark.parametrize("n", [5, 60, 1_000])
def test_a_normal_pilot_shows_what_the_formula_does(n: int) -> None:
    normal = stats.norm.ppf((np.arange(500) + 0.5) / 500)
    pilot = statistics.Pilot(normal / normal.std(), normal != 0)
    found = pilot.detectable(n, standard_deviation=0.1, largest=1.0)
    assert found == pytest.approx(least(0.1, n, largest=1.0), rel=0.02)


def test_so_many_queries_find_a_difference_with_rare_failures_as_often_as_promised() -> None:
    """3 % lose much, the others win 0.02: more of these lower the mean and widen the interval."""
    values = np.concatenate([-np.linspace(0.3, 0.9, 30), np.full(970, 0.02)])
    mean, deviation = float(values.mean()), float(values.std())
    pilot = statistics.Pilot((values - mean) / deviation, values != 0)
    n = int(pilot.needed(0.05, standard_deviation=deviation, largest=1.0))
    drawn = np.random.default_rng(2).choice(values, (n, 4_000))
    own = statistics.hull(statistics.student_t(drawn, 0.95), statistics.bca_of_mean(drawn, 0.95))
    low, _ = statistics.deciding_interval(drawn, own, np.ones(4_000), 0.95)
    assert 0.78 <= (low > mean - 0.05).mean() <= 0.84
    shape = stats.skew(values), stats.kurtosis(values)
    assert n > statistics.queries_needed(deviation, 0.05, largest=1.0, shape=shape)


def test_the_two_questions_are_inverse() -> None:
    n = np.array([5, 50, 500, 50_000])
    difference = statistics.detectable_difference(0.3, n)
    np.testing.assert_array_equal(statistics.queries_needed(0.3, difference * (1 + 1e-9)), n)


def test_columns_broadcast_and_share_their_effects() -> None:
    found = statistics.detectable_difference([[0.1], [0.2]], [20, 30, 20])
    assert found.shape == (2, 3)
    np.testing.assert_allclose(found[1], 2 * found[0], rtol=1e-14)
    assert found[0, 0] == found[0, 2] > found[0, 1]


def test_what_cannot_be_said_is_nan_and_what_cannot_be_reached_infinite() -> None:
    found = statistics.detectable_difference([0.0, NAN, 0.2, 0.2], [50, 50, 1, 0])
    assert np.isnan(found).all()
    needed = statistics.queries_needed([0.0, NAN, 0.2, 0.2, 0.2], [0.1, 0.1, NAN, 0.0, 1e-12])
    np.testing.assert_array_equal(needed, [NAN, NAN, NAN, np.inf, np.inf])


def test_what_has_no_answer_is_not_searched_for(monkeypatch) -> None:
    asked = []

    def noted(deviation, n, **options):
        asked.append(n)
        return detectable(deviation, n, **options)

    detectable = power.detectable_difference
    monkeypatch.setattr(power, "detectable_difference", noted)
    assert np.isnan(statistics.queries_needed([0.2, 0.0], [NAN, 0.1])).all()
    assert len(asked) == 1


@pytest.mark.parametrize(("power", "alpha"), [(0.04, 0.05), (1.0, 0.05), (0.8, 0.0)])
def test_a_power_or_level_that_is_none_is_refused(power: float, alpha: float) -> None:
    with pytest.raises(ValueError, match="0 < alpha < power < 1"):
        statistics.detectable_difference(0.2, 50, power=power, alpha=alpha)


def test_the_interval_of_the_deviation_is_bonetts() -> None:
    values = np.random.default_rng(1).exponential(0.3, (40, 1)) - 0.2
    n, z = 40, stats.norm.ppf(0.975)
    center = stats.trim_mean(values, 1 / (2 * np.sqrt(n - 4)))
    squares = np.square(values - values.mean()).sum()
    kurtosis = n * np.power(values - center, 4).sum() / squares**2
    c = n / (n - z)
    error = c * np.sqrt((kurtosis - (n - 3) / n) / (n - 1))
    log_variance = np.log(c * squares / (n - 1))
    low, high = statistics.deviation_interval(values)
    assert low[0] == pytest.approx(np.sqrt(np.exp(log_variance - z * error)), rel=1e-12)
    assert high[0] == pytest.approx(np.sqrt(np.exp(log_variance + z * error)), rel=1e-12)


def test_the_interval_of_the_deviation_by_hand() -> None:
    # n = 5: two trimmed at each side leave the median, 0. Squares about the mean 0.2: 6.8; fourth
    # powers about 0: 1 + 1 + 0 + 1 + 16 - but for the sign, so 19.
    values = [[-1.0], [-1.0], [0.0], [1.0], [2.0]]
    kurtosis = 5 * 19 / 6.8**2
    c, z = 5 / (5 - 1.959963984540054), 1.959963984540054
    error = c * np.sqrt((kurtosis - 0.4) / 4)
    low, high = statistics.deviation_interval(values)
    assert low[0] ** 2 == pytest.approx(c * 1.7 * np.exp(-z * error))
    assert high[0] ** 2 == pytest.approx(c * 1.7 * np.exp(z * error))


def test_the_interval_of_the_deviation_of_normal_differences_is_nearly_that_by_chi_square() -> None:
    values = np.random.default_rng(2).normal(0.1, 0.25, (20_000, 1))
    n, deviation = 20_000, values.std(ddof=1)
    low, high = statistics.deviation_interval(values)
    exact = deviation * np.sqrt((n - 1) / stats.chi2.ppf([0.975, 0.025], n - 1))
    # A chance of its kurtosis alone lies between them.
    np.testing.assert_allclose([low[0], high[0]], exact, rtol=1e-3)


@pytest.mark.parametrize("n", [50, 200])
def test_the_interval_of_the_deviation_covers_where_chi_square_does_not(n: int) -> None:
    rng = np.random.default_rng(3)
    values = np.where(rng.random((n, 2_000)) < 0.6, 0.0, rng.normal(0.02, 0.3, (n, 2_000)))
    # Variance of a mixture: 0.4 (0.3^2 + 0.02^2) - (0.4 * 0.02)^2.
    deviation = np.sqrt(0.4 * (0.3**2 + 0.02**2) - 0.008**2)
    low, high = statistics.deviation_interval(values)
    assert np.mean((low <= deviation) & (deviation <= high)) > 0.91
    of_chi = values.std(axis=0, ddof=1) * np.sqrt(
        (n - 1) / stats.chi2.ppf([[0.975], [0.025]], n - 1)
    )
    assert np.mean((of_chi[0] <= deviation) & (deviation <= of_chi[1])) < 0.8


@given(
    st.lists(st.floats(-1, 1, width=32), min_size=6, max_size=40),
    st.floats(0.5, 0.99),
    st.sampled_from([-3.0, 0.5, 4.0]),
)
def test_the_interval_of_the_deviation_has_the_unit_of_the_values(
    values: list[float], confidence: float, scale: float
) -> None:
    column = np.array(values)[:, np.newaxis]
    low, high = statistics.deviation_interval(column, confidence)
    if not np.ptp(column) > 1e-6:
        return
    assert 0 < low[0] < high[0]
    scaled = statistics.deviation_interval(scale * column + 1, confidence)
    np.testing.assert_allclose(scaled, np.abs(scale) * np.array([low, high]), rtol=1e-6)
    wider = statistics.deviation_interval(column, 0.995)
    assert wider.low[0] <= low[0] * (1 + 1e-12) or wider.high[0] >= high[0]


def test_the_interval_of_the_deviation_is_nan_where_none_is_known() -> None:
    five = [[0.1, 0.0, 1.0], [0.2, 0.0, NAN], [0.3, 0.0, 2.0], [0.4, 0.0, 3.0], [0.5, 0.0, 4.0]]
    low, high = statistics.deviation_interval(five)
    np.testing.assert_array_equal(np.isnan(low), [False, True, True])
    np.testing.assert_array_equal(np.isnan(high), [False, True, True])
    # So high a confidence that its quantile is larger than what there is.
    assert np.isnan(statistics.deviation_interval(five, 1 - 1e-6).low).all()
