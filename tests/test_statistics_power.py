"""Corrections and power: equal to those of statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from rankreport import statistics

NAN = float("nan")
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


def power_by_quadrature(effect: float, n: float, alpha: float = 0.05) -> float:
    """Power of the t-test as a mean of normal tails over the sample's standard deviation."""
    half, df = n / 2 - 0.5, n - 1
    edges = np.linspace(max(0.0, 1 - 12 / np.sqrt(2 * df)), 1 + 12 / np.sqrt(2 * df), 400)
    width = edges[1] - edges[0]
    spread = edges[:-1, np.newaxis] + width * (NODES + 1) / 2
    log_density = np.log(2) + half * np.log(half) - special.gammaln(half)
    density = np.exp(log_density + (df - 1) * np.log(spread) - half * spread**2)
    shift, reach = effect * np.sqrt(n), special.stdtrit(df, 1 - alpha / 2) * spread
    tails = special.ndtr(shift - reach) + special.ndtr(-shift - reach)
    return float(width / 2 * (WEIGHTS * density * tails).sum())


@settings(max_examples=30)
@given(st.lists(st.sampled_from([0.0, 1e-4, 0.01, 0.02, 0.02, 0.5, 1.0]), min_size=1, max_size=12))
def test_holm_is_that_of_statsmodels(p_values: list[float]) -> None:
    theirs = multipletests(p_values, method="holm")[1]
    np.testing.assert_allclose(statistics.holm(p_values), theirs, rtol=1e-14)


@settings(max_examples=30)
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


@pytest.mark.parametrize("n", [2, 3, 10, 25, 50, 200, 1_000, 7_000])
@pytest.mark.parametrize(("power", "alpha"), [(0.8, 0.05), (0.95, 0.01), (0.5, 0.1)])
def test_the_detectable_difference_has_the_power_asked_for(
    n: int, power: float, alpha: float
) -> None:
    ours = statistics.detectable_difference(0.25, n, power=power, alpha=alpha)
    assert power_by_quadrature(ours / 0.25, n, alpha) == pytest.approx(power, abs=1e-9)
    theirs = TTestPower().power(ours / 0.25, n, alpha)
    # Where the noncentral t of SciPy gives up on the far tail, so does statsmodels.
    assert np.isnan(theirs) or theirs == pytest.approx(power, abs=1e-9)


def test_the_detectable_difference_is_that_of_statsmodels() -> None:
    theirs = [TTestPower().solve_power(nobs=n, power=0.8, alpha=0.05) for n in (25, 50, 1_000)]
    ours = statistics.detectable_difference(1.0, [25, 50, 1_000])
    # Their search stops a few millionths of a difference short; ours, at the last bit.
    np.testing.assert_allclose(ours, theirs, rtol=1e-4)


@given(effect=st.floats(0.02, 5), power=st.sampled_from([0.5, 0.8, 0.95]))
def test_queries_needed_is_the_first_number_that_suffices(effect: float, power: float) -> None:
    n = statistics.queries_needed(1.0, -effect, power=power)
    assert n == int(n) >= 2
    assert power_by_quadrature(effect, n) >= power - 1e-9
    assert n == 2 or power_by_quadrature(effect, n - 1) < power + 1e-9


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


@pytest.mark.parametrize(("power", "alpha"), [(0.04, 0.05), (1.0, 0.05), (0.8, 0.0)])
def test_a_power_or_level_that_is_none_is_refused(power: float, alpha: float) -> None:
    with pytest.raises(ValueError, match="0 < alpha < power < 1"):
        statistics.detectable_difference(0.2, 50, power=power, alpha=alpha)
