"""Tests of the mean: equal to SciPy's where it is exact, and honest about p where it is not."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankreport import statistics

NAN = float("nan")
KINDS = list(statistics.TESTS)

reciprocals = st.sampled_from(
    [Fraction(0)] + [Fraction(sign, rank) for rank in range(1, 11) for sign in (1, -1)]
)


def column(terms: list[float] | list[Fraction]) -> np.ndarray:
    return np.array([[float(term)] for term in terms])


def by_enumeration(terms: list[Fraction]) -> float:
    """Share of all signs under which the sum is as far from zero, in rational numbers."""
    observed = abs(sum(terms))
    signed = product(*([term, -term] for term in terms))
    return sum(abs(sum(choice)) >= observed for choice in signed) / 2 ** len(terms)


@given(st.lists(reciprocals, min_size=1, max_size=9))
def test_exact_sign_flip_is_the_enumeration_in_rational_numbers(terms: list[Fraction]) -> None:
    assert statistics.sign_flip(column(terms))[0] == by_enumeration(terms)


@given(st.lists(reciprocals, min_size=2, max_size=12))
def test_exact_sign_flip_is_scipys(terms: list[Fraction]) -> None:
    def total(deltas: np.ndarray, axis: int) -> np.ndarray:
        # SciPy's tolerance is relative to the observed sum; rounding stands in for ours.
        return np.round(np.sum(deltas, axis=axis), 9)

    values = column(terms)
    theirs = stats.permutation_test(
        (values,), total, permutation_type="samples", n_resamples=np.inf, vectorized=True, axis=0
    )
    assert statistics.sign_flip(values)[0] == pytest.approx(theirs.pvalue[0], rel=1e-12)


@given(st.lists(reciprocals, min_size=1, max_size=12), st.integers(1, 30))
def test_queries_without_a_change_leave_the_exact_p_alone(
    terms: list[Fraction], n_zeros: int
) -> None:
    padded = column(terms + [Fraction(0)] * n_zeros)
    assert statistics.sign_flip(padded)[0] == statistics.sign_flip(column(terms))[0]


@given(st.lists(reciprocals, min_size=1, max_size=12), st.sampled_from([-1.0, 1e-9, 3.3, -1e9]))
def test_exact_p_does_not_depend_on_sign_or_unit(terms: list[Fraction], factor: float) -> None:
    values = column(terms)
    assert statistics.sign_flip(factor * values)[0] == statistics.sign_flip(values)[0]


def test_exact_p_does_not_depend_on_memory() -> None:
    values = column(np.random.default_rng(4).normal(0.2, 1, 25).tolist())
    expected = statistics.sign_flip(values)[0]
    for memory in (0, 2**9, 2**14):
        assert statistics.sign_flip(values, memory=memory)[0] == expected


def test_drawn_p_is_near_the_exact_one() -> None:
    rng = np.random.default_rng(8)
    values = np.column_stack(
        [rng.normal(0.25, 1, 24), rng.choice([0, 1, 0.5, -1 / 3], 24), rng.normal(0, 1, 24)]
    )
    exact = statistics.sign_flip(values)
    drawn = statistics.sign_flip(values, exact_limit=0, resamples=20_000)
    assert (drawn != exact).any()
    assert (np.abs(drawn - exact) < 4 * np.sqrt(exact * (1 - exact) / 20_000)).all()


def test_drawn_p_counts_equal_sums_whatever_their_rounding() -> None:
    # Tenths are not exact: what equals the observed sum is now a bit above it, now a bit below.
    tenths = np.random.default_rng(17).integers(-7, 8, (7, 40))
    drawn = statistics.sign_flip(tenths / 10, exact_limit=0, resamples=20_000)
    exact = [by_enumeration([Fraction(int(term), 10) for term in terms]) for terms in tenths.T]
    np.testing.assert_allclose(drawn, exact, atol=0.015)


def test_drawn_p_does_not_depend_on_memory_or_on_the_other_columns() -> None:
    values = np.random.default_rng(9).normal(0.1, 1, (80, 3))
    expected = statistics.sign_flip(values, resamples=999)
    np.testing.assert_array_equal(statistics.sign_flip(values, resamples=999, memory=0), expected)
    alone = [statistics.sign_flip(values[:, [i]], resamples=999)[0] for i in range(3)]
    np.testing.assert_array_equal(alone, expected)


def test_signs_belong_to_queries_so_that_a_gap_moves_no_other_sign() -> None:
    values = np.random.default_rng(10).normal(0.1, 1, (80, 2))
    values[40:, 0] = 0.0
    holed = np.where(values == 0, NAN, values)
    ours = statistics.sign_flip(values, resamples=999)
    np.testing.assert_array_equal(statistics.sign_flip(holed, resamples=999), ours)


def test_drawn_p_is_never_zero() -> None:
    wins = np.ones((50, 1))
    assert statistics.sign_flip(wins, resamples=99)[0] == 1 / 100
    assert statistics.sign_flip(wins[:36])[0] == 2.0**-35


def test_progress_adds_up_to_the_draws() -> None:
    told: list[int] = []
    statistics.sign_flip(np.ones((50, 1)), resamples=300, progress=told.append)
    assert told == [256, 44]


def test_paired_t_is_scipys() -> None:
    values = np.random.default_rng(12).normal(0.1, 1, (40, 4))
    values[:5, 2] = NAN
    theirs = stats.ttest_1samp(values, 0, nan_policy="omit").pvalue
    np.testing.assert_allclose(statistics.paired_t(values), theirs, rtol=1e-10)


def test_the_studentized_bootstrap_compares_t_with_shifted_t() -> None:
    values = np.random.default_rng(13).normal(0.3, 1, (30, 2))
    n, resamples = len(values), 400
    indices = np.random.default_rng(14).integers(0, n, (resamples, n))
    counts = np.array([np.bincount(row, minlength=n) for row in indices])
    ours = statistics.studentized_bootstrap(values, *statistics.weighted_moments(counts, values))
    t = np.abs(stats.ttest_1samp(values, 0).statistic)
    drawn = values[indices]
    replicated = np.abs(drawn.mean(1) - values.mean(0)) / stats.sem(drawn, axis=1)
    expected = (1 + (replicated >= t).sum(axis=0)) / (resamples + 1)
    np.testing.assert_allclose(ours, expected, rtol=1e-12)


def test_studentising_keeps_the_level_on_few_skewed_queries() -> None:
    # Under a true null with 25 such queries the unstudentised shift rejects some 13 %.
    rng = np.random.default_rng(15)
    deltas = np.where(rng.random((25, 400)) < 0.2, rng.exponential(1, (25, 400)) - 1, 0.0)
    means, errors = statistics.replicate_moments(deltas, resamples=499, seed=0)
    rejected = (statistics.studentized_bootstrap(deltas, means, errors) <= 0.05).mean()
    shifted = np.abs(means - deltas.mean(axis=0)) >= np.abs(deltas.mean(axis=0))
    assert rejected <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 400)
    assert rejected < ((1 + shifted.sum(axis=0)) / 500 <= 0.05).mean()


def test_replicates_without_spread_count_as_extreme() -> None:
    # Of two replicates, the one without spread is as far as any t, even where its mean is the
    # observed one; the other has the observed mean, and a pivot of 0.
    for repeated, others in ((0.0, [1.0, 1.0]), (0.5, [0.0, 1.0]), (1.0, [0.0, 0.0, 0.3])):
        values = column([repeated, *others])
        n = len(values)
        moments = statistics.weighted_moments([[n] + [0] * (n - 1), [1] * n], values)
        assert statistics.studentized_bootstrap(values, *moments)[0] == 2 / 3


@given(st.lists(reciprocals, min_size=2, max_size=14), st.integers(0, 13), st.sampled_from(KINDS))
def test_every_p_is_a_probability_and_never_zero(
    terms: list[Fraction], missing: int, kind: str
) -> None:
    values = column(terms)
    values[missing % len(terms)] = NAN
    p_value = statistics.p_values(kind, values, resamples=99)[0]
    defined = values[~np.isnan(values)]
    if kind == "sign-flip" or not defined.any() or np.ptp(defined) > 0:
        assert 0 < p_value <= 1
    else:
        assert np.isnan(p_value)


@pytest.mark.parametrize("kind", ["sign-flip", "t"])
@given(terms=st.lists(reciprocals, min_size=3, max_size=14), missing=st.integers(0, 13))
def test_an_undefined_row_is_no_row(kind: str, terms: list[Fraction], missing: int) -> None:
    holed = column(terms)
    holed[missing % len(terms)] = NAN
    removed = holed[~np.isnan(holed[:, 0])]
    ours, expected = statistics.p_values(kind, holed), statistics.p_values(kind, removed)
    np.testing.assert_allclose(ours, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("terms", "flip", "others"),
    [
        ([0.0, 0.0, 0.0], 1.0, 1.0),
        ([0.0, NAN, NAN], 1.0, 1.0),
        ([0.1, 0.1, 0.1], 0.25, NAN),
        ([0.3, NAN, NAN], 1.0, NAN),
        ([NAN, NAN, NAN], NAN, NAN),
        ([0.5, -0.5, 0.0], 1.0, 1.0),
    ],
    ids=["unchanged", "one unchanged", "constant", "one", "none", "balanced"],
)
def test_degenerate_columns(terms: list[float], flip: float, others: float) -> None:
    found = [statistics.p_values(kind, column(terms), resamples=99)[0] for kind in KINDS]
    np.testing.assert_array_equal(found, [flip, others, others])


def test_an_unknown_test_and_an_impossible_limit_are_refused() -> None:
    with pytest.raises(ValueError, match="sign-flip, bootstrap, t; found 'wilcoxon'"):
        statistics.p_values("wilcoxon", [[1.0]])
    with pytest.raises(ValueError, match="exact_limit from 0 to 60"):
        statistics.sign_flip([[1.0]], exact_limit=61)
    with pytest.raises(ValueError, match="at least 1 resample"):
        statistics.sign_flip(np.ones((50, 1)), resamples=0)
