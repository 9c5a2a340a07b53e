"""Whole intervals and decisions against other programs, from the draws to the ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from rankreport import statistics
from rankreport.statistics import resampling
from rankreport.statistics.intervals import accelerated, skewness_over_six

N, B = 60, 2_000
METHODS = ["percentile", "basic", "bca"]
TIED = [0.0, 0.0, 0.0, 0.5, -0.5, 1 / 3, -1 / 3, 1.0, -0.9]
"""Differences of reciprocal ranks: their sums are equal now and then, but for rounding."""


@pytest.fixture
def scipys_draws(monkeypatch):
    """Resample by the indices that SciPy draws, given a generator of that seed."""

    def draw_counts(n, *, resamples, seed, **_):
        drawn = np.random.default_rng(seed).integers(0, n, (resamples, n))
        yield np.array([np.bincount(row, minlength=n) for row in drawn], dtype=np.float64)

    monkeypatch.setattr(resampling, "draw_counts", draw_counts)


def ours(method, values, seed, confidence=0.95):
    replicates = statistics.replicate_means(values, resamples=B, seed=seed)
    return statistics.interval(method, values, replicates, confidence), replicates


def scipys(method, values, seed, confidence=0.95):
    found = stats.bootstrap(
        (values,),
        np.mean,
        axis=0,
        n_resamples=B,
        confidence_level=confidence,
        method=method,
        rng=np.random.default_rng(seed),
    )
    return found.confidence_interval, found.bootstrap_distribution.T


@pytest.mark.usefixtures("scipys_draws")
@pytest.mark.parametrize("confidence", [0.9, 0.99])
@pytest.mark.parametrize("method", METHODS)
def test_the_same_draws_give_scipys_ends(method, confidence):
    rng = np.random.default_rng(31)
    values = np.column_stack([rng.normal(0.1, 1, N), rng.exponential(1, N), -rng.pareto(3, N)])
    mine, my_replicates = ours(method, values, 5, confidence)
    theirs, their_replicates = scipys(method, values, 5, confidence)
    np.testing.assert_allclose(my_replicates, their_replicates, rtol=0, atol=1e-13)
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)


@pytest.mark.usefixtures("scipys_draws")
@pytest.mark.parametrize("method", ["percentile", "basic"])
def test_the_same_draws_give_scipys_ends_where_values_are_tied(method):
    values = np.random.default_rng(32).choice(TIED, (N, 20))
    mine, my_replicates = ours(method, values, 6)
    theirs, their_replicates = scipys(method, values, 6)
    np.testing.assert_allclose(my_replicates, their_replicates, rtol=0, atol=1e-13)
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)


@pytest.mark.usefixtures("scipys_draws")
def test_scipys_accelerated_ends_hang_on_the_last_bit_of_ties_and_ours_lie_amid():
    # SciPy counts a replicate that equals the mean as below it or not as the rounding falls: its
    # ends are between those that all of them below would give, and all of them above.
    values = np.random.default_rng(32).choice(TIED, (N, 20))
    mine, replicates = ours("bca", values, 6)
    theirs, _ = scipys("bca", values, 6)
    sample = statistics.Sample.of(values)
    acceleration = skewness_over_six(sample.deviations)
    above, below = (
        np.array(accelerated(replicates, sample.mean + shift, np.zeros(20), acceleration, 0.95))
        for shift in (-sample.tolerance, sample.tolerance)
    )
    for ends in (np.array(theirs), np.array(mine)):
        assert (above - 1e-12 <= ends).all()
        assert (ends <= below + 1e-12).all()
    distance = np.abs(np.array(mine) - np.array(theirs)) / sample.standard_error
    assert np.median(distance) <= 0.01


@given(
    deltas=hnp.arrays(np.float64, st.integers(5, 30), elements=st.floats(-1, 1, width=16)),
    margin=st.floats(0.01, 1),
)
def test_equivalence_by_the_90_percent_interval_is_two_one_sided_tests(deltas, margin):
    assume(np.ptp(deltas) > 0.01)
    low, high = statistics.student_t(deltas[:, np.newaxis], 0.9)
    p_value, _, _ = ttost_paired(deltas, np.zeros_like(deltas), -margin, margin)
    assume(abs(p_value - 0.05) > 1e-9)
    assert bool((-margin < low) & (high < margin)) == (p_value < 0.05)


@given(
    deltas=hnp.arrays(np.float64, st.integers(5, 30), elements=st.floats(-1, 1, width=16)),
    margin=st.floats(0.01, 1),
)
def test_no_worse_by_the_90_percent_interval_is_one_one_sided_test(deltas, margin):
    assume(np.ptp(deltas) > 0.01)
    low, _ = statistics.student_t(deltas[:, np.newaxis], 0.9)
    p_value = stats.ttest_1samp(deltas, -margin, alternative="greater").pvalue
    assume(abs(p_value - 0.05) > 1e-9)
    assert bool(low > -margin) == (p_value < 0.05)


def skewed(rng, n):
    """Eight of ten nothing, small losses, few big wins."""
    won = rng.random(n) < 0.25
    changed = np.where(won, rng.uniform(0.1, 0.5, n), rng.uniform(-0.15, -0.05, n))
    return np.where(rng.random(n) < 0.8, 0.0, changed)


DRAWN = {
    "heavy tails": lambda rng, n: rng.standard_t(5, n),
    "lognormal": lambda rng, n: rng.lognormal(0, 0.5, n),
    "reciprocal ranks": lambda rng, n: rng.choice(TIED, n),
    "mostly zero, skewed": skewed,
}


@pytest.mark.parametrize("confidence", [0.9, 0.95])
@pytest.mark.parametrize("n", [200, 1_000])
@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_drawn_ends_agree_with_an_expansion_that_draws_nothing(draw, n, confidence):
    # The quantiles of a mean by Cornish and Fisher, to the skewness and no further.
    values = draw(np.random.default_rng(n), n)[:, np.newaxis]
    resamples, tail = 10_000, (1 - confidence) / 2
    means = statistics.replicate_means(values, resamples=resamples, seed=7)
    error = values.std() / np.sqrt(n)
    z = stats.norm.ppf([tail, 1 - tail])
    skewness = stats.skew(values[:, 0]) / np.sqrt(n)
    expected = values.mean() + error * (z + skewness * (z**2 - 1) / 6)
    monte_carlo_error = error * np.sqrt(tail * (1 - tail) / resamples) / stats.norm.pdf(z[0])
    ends = np.ravel(statistics.percentile(means, confidence))
    assert (np.abs(ends - expected) < 4 * monte_carlo_error).all()


columns = hnp.arrays(
    np.float64,
    st.tuples(st.integers(5, 25), st.just(1)),
    elements=st.sampled_from([0.0, 1.0, -1.0, 0.5, 1 / 3, -1 / 7, 0.9]),
)


@pytest.mark.parametrize("kind", ["t", "percentile", "auto"])
@given(values=columns)
def test_the_interval_holds_the_estimate(kind, values):
    assume(np.ptp(values) > 0)
    means = statistics.replicate_means(values, resamples=300, seed=0)
    low, high = statistics.interval(kind, values, means)
    assert low <= values.mean() <= high


@given(
    fewer=st.integers(1, 600),
    more=st.integers(1, 600),
    memory=st.integers(0, 2**18),
    seed=st.integers(0, 2**40),
)
def test_more_replicates_begin_with_the_fewer_in_any_memory(fewer, more, memory, seed):
    values = np.random.default_rng(33).choice(TIED, (30, 2))
    first = statistics.replicate_means(values, resamples=fewer, seed=seed)
    longer = statistics.replicate_means(values, resamples=fewer + more, seed=seed, memory=memory)
    np.testing.assert_allclose(longer[:fewer], first, rtol=0, atol=1e-13)


@given(fewer=st.integers(1, 600), memory=st.integers(0, 2**18), seed=st.integers(0, 2**40))
def test_a_drawn_p_is_the_same_in_any_memory_and_a_sum_over_draws(fewer, memory, seed):
    values = np.random.default_rng(34).choice(TIED, (80, 3))
    drawn = {"seed": seed, "exact_limit": 0}
    p_values = statistics.sign_flip(values, resamples=fewer, **drawn)
    again = statistics.sign_flip(values, resamples=fewer, memory=memory, **drawn)
    np.testing.assert_array_equal(p_values, again)
    # One draw more is as far from zero, or it is not.
    one_more = statistics.sign_flip(values, resamples=fewer + 1, **drawn) * (fewer + 2)
    added = one_more - p_values * (fewer + 1)
    assert set(added.round(9)) <= {0.0, 1.0}
