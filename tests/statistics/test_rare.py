"""Rare failures: bounds by other programs, and how often decisions are wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankreport import statistics


@given(st.integers(1, 400), st.integers(0, 5), st.sampled_from([0.05, 0.025, 0.001]))
def test_shares_are_those_of_clopper_and_pearson(n: int, seen: int, alpha: float) -> None:
    seen = min(seen, n)
    theirs = stats.binomtest(seen, n).proportion_ci(1 - 2 * alpha, method="exact").high
    assert statistics.share_unseen(n, alpha, seen) == pytest.approx(theirs, rel=1e-9)


@given(
    st.floats(0, 1),
    st.floats(0.01, 2),
    st.integers(1, 1000),
    st.sampled_from([0.05, 0.025]),
    st.booleans(),
)
def test_distances_are_those_of_the_formula(
    h: float, largest: float, n: int, alpha: float, simultaneous: bool
) -> None:
    c = largest * (1 - math.exp(math.log(alpha) / n))
    expected = max(c, math.hypot(h, c / (math.sqrt(2) if simultaneous else 2)))
    found = statistics.allowing_for_rare(h, largest, n, alpha, simultaneous=simultaneous)
    assert found == pytest.approx(expected, rel=1e-9)
    assert statistics.allowing_for_rare(h, math.inf, n, alpha) == h
    assert statistics.allowing_for_rare(math.nan, largest, n, alpha) == pytest.approx(c)


def test_of_equal_values_the_end_is_c_away() -> None:
    nothing = statistics.Interval(*np.full((2, 2), np.nan))
    low, high = statistics.deciding_interval([[0.0, 0.1]] * 60, nothing, [1.0, 0.5], 0.9)
    c = 1 - 0.05 ** (1 / 60)
    np.testing.assert_allclose(low, [-c, 0.1 - c / 2])
    np.testing.assert_allclose(high, [c, 0.1 + c / 2])


def test_with_weights_nothing_is_added() -> None:
    structure = statistics.Structure(weights=np.array([1.0, 2.0, 3.0]))
    sample = statistics.Sample.of([[0.1], [0.2], [0.4]], structure)
    own = statistics.student_t(sample, 0.95)
    found = statistics.deciding_interval(sample, own, [1.0], 0.95)
    np.testing.assert_allclose(np.ravel(found), np.ravel(own))


def small_changes(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """99 % change by N(0.002, 0.03), 1 % lose 0.9."""
    return np.where(random.random(shape) < 0.01, -0.9, random.normal(0.002, 0.03, shape))


def tiny_losses(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """20 % lose 0.01, 0.8 % lose 1, the others win 0.01."""
    place = random.random(shape)
    return np.where(place < 0.2, -0.01, np.where(place < 0.208, -1.0, 0.01))


def both_ways(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """50 % lose and 48 % win up to 0.02, 2 % lose 0.3 to 0.9."""
    place, size = random.random(shape), random.uniform(0, 0.02, shape)
    large = -random.uniform(0.3, 0.9, shape)
    return np.where(place < 0.5, -size, np.where(place < 0.98, size, large))


RARE = {small_changes: -0.00702, tiny_losses: -0.00208, both_ways: -0.0122}


@pytest.mark.parametrize(("draw", "mean"), RARE.items(), ids=[each.__name__ for each in RARE])
def test_at_the_margin_hardly_a_sample_passes_however_many_lost_a_little(draw, mean) -> None:
    """By the interval alone 13 to 45 % pass; more than ten queries lose in nearly all samples."""
    values = draw(np.random.default_rng(5), (100, 400))
    drawn = statistics.replicate_means(values, resamples=99, seed=0)
    own = statistics.interval("auto", values, drawn, 0.9)
    assert (own.low > mean).mean() > 0.1
    assert ((values < 0).sum(axis=0) >= 10).mean() > 0.99
    low, _ = statistics.deciding_interval(values, own, np.ones(400), 0.9)
    assert (low > mean).mean() < 0.01
