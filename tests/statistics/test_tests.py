"""Tests by name: equal to SciPy's where it is exact, and honest about p where it is not."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
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


@pytest.mark.parametrize("lattice", [False, True])
def test_meeting_in_the_middle_is_every_choice_of_signs(lattice: bool) -> None:
    rng = np.random.default_rng(18)
    terms = rng.choice([1, 0.5, 1 / 3, -0.5, 0.25], 16) if lattice else rng.normal(0.3, 1, 16)
    # All 65,536 at once, to nine decimals, in which equal sums are equal.
    signs = 1 - 2 * (np.arange(2**16)[:, np.newaxis] >> np.arange(16) & 1)
    sums = np.round(np.abs(signs @ terms), 9)
    expected = (sums >= np.round(abs(terms.sum()), 9)).mean()
    assert statistics.sign_flip(terms[:, np.newaxis])[0] == expected


@pytest.mark.parametrize("unit", [0.1, 1 / 3, 7.0])
def test_terms_that_are_often_equal_are_exact_too(unit: float) -> None:
    rng = np.random.default_rng(12)
    for n in (20, 37, 60):
        whole = rng.integers(1, 6, n) * rng.choice([-1, 1], n, p=[0.4, 0.6])
        # Differences of two scores, which are equal up to rounding alone.
        before = rng.integers(0, 9, n)
        terms = (before + whole) * unit - before * unit
        ways = {0: 1}
        for term in whole.tolist():
            reached: dict[int, int] = {}
            for total, times in ways.items():
                for signed in (total + term, total - term):
                    reached[signed] = reached.get(signed, 0) + times
            ways = reached
        far = sum(times for total, times in ways.items() if abs(total) >= abs(whole.sum()))
        [found] = statistics.sign_flip(terms[:, np.newaxis], exact_limit=60)
        assert found == far / 2**n


def test_each_column_is_exact_up_to_its_own_limit() -> None:
    values = np.random.default_rng(19).normal(0.3, 1, (40, 2))
    p_values = statistics.sign_flip(values, exact_limit=[36, 40], resamples=999)
    assert p_values[0] == statistics.sign_flip(values[:, :1], exact_limit=0, resamples=999)[0]
    # Exact to 2 in 2^40, and near what is drawn.
    assert (p_values[1] * 2**39).is_integer()
    drawn = statistics.sign_flip(values[:, 1:], exact_limit=0, resamples=20_000)[0]
    error = np.sqrt(p_values[1] * (1 - p_values[1]) / 20_000)
    assert abs(drawn - p_values[1]) < 4 * error + 1 / 20_000
    with pytest.raises(ValueError, match="exact_limit from 0 to 60"):
        statistics.sign_flip(values, exact_limit=[36, 61])


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


@settings(max_examples=15)
@given(st.lists(reciprocals.filter(bool), min_size=2, max_size=9), st.integers(0, 30))
def test_exact_wilcoxon_is_scipys_over_all_signs(terms: list[Fraction], n_zeros: int) -> None:
    method = stats.PermutationMethod(n_resamples=2**9)
    theirs = stats.wilcoxon(column(terms)[:, 0], zero_method="wilcox", method=method).pvalue
    values = column(terms + [Fraction(0)] * n_zeros)
    assert statistics.wilcoxon(values)[0] == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("n", [5, 17, 30, 36])
def test_exact_wilcoxon_without_ties_is_scipys(n: int) -> None:
    values = np.random.default_rng(n).normal(0.2, 1, (n, 3))
    theirs = stats.wilcoxon(values, axis=0, method="exact").pvalue
    np.testing.assert_allclose(statistics.wilcoxon(values), theirs, rtol=1e-12)


@pytest.mark.parametrize("n", [60, 400])
def test_wilcoxon_of_many_is_scipys_approximation(n: int) -> None:
    rng = np.random.default_rng(n)
    values = np.column_stack([rng.normal(0.1, 1, n), rng.choice([0, 0, 1, -0.5, 1 / 3, 0.25], n)])
    values[:7, 0] = NAN
    theirs = stats.wilcoxon(
        values, axis=0, method="asymptotic", zero_method="wilcox", nan_policy="omit"
    ).pvalue
    np.testing.assert_allclose(statistics.wilcoxon(values, exact_limit=0), theirs, rtol=1e-10)


def test_wilcoxon_ties_sizes_that_differ_by_rounding() -> None:
    # 0.3 - 0.2 and 0.2 - 0.1 are not the same number, but they are the same difference.
    uneven = column([0.3 - 0.2, -(0.2 - 0.1), 0.4 - 0.3, 0.5, 0.7])
    even = column([0.1, -0.1, 0.1, 0.5, 0.7])
    assert len(np.unique(np.abs(uneven))) > len(np.unique(np.abs(even)))
    assert statistics.wilcoxon(uneven)[0] == statistics.wilcoxon(even)[0]


@given(st.lists(reciprocals, min_size=1, max_size=40))
def test_the_sign_test_is_scipys(terms: list[Fraction]) -> None:
    won, lost = sum(term > 0 for term in terms), sum(term < 0 for term in terms)
    theirs = stats.binomtest(won, won + lost).pvalue if won + lost else 1.0
    assert statistics.sign_test(column(terms))[0] == pytest.approx(theirs, rel=1e-12)


def test_neither_wilcoxon_nor_sign_is_a_test_of_the_mean() -> None:
    # Small losses and rare large wins, of mean 0: what tests the mean finds nothing.
    values = column([-0.1] * 180 + [0.9] * 20)
    assert values.sum() == pytest.approx(0, abs=1e-12)
    assert statistics.p_values("sign-flip", values)[0] > 0.9
    assert statistics.p_values("wilcoxon", values)[0] < 1e-6
    assert statistics.p_values("sign", values)[0] < 1e-6
    for kind in ("wilcoxon", "sign"):
        assert "not of the mean" in statistics.TESTS[kind].title


@pytest.mark.parametrize("kind", ["t", "wilcoxon", "sign"])
def test_what_underflows_is_not_zero(kind: str) -> None:
    wins = np.linspace(1, 1.0001, 20_000)[:, np.newaxis]
    assert 0 < statistics.p_values(kind, wins)[0] < 1e-300


@pytest.mark.parametrize("kind", ["sign-flip", "t", "wilcoxon", "sign"])
@given(terms=st.lists(reciprocals, min_size=2, max_size=12), factor=st.sampled_from([-1.0, 1e-9]))
def test_p_does_not_depend_on_direction_unit_or_order(
    kind: str, terms: list[Fraction], factor: float
) -> None:
    values = column(terms)
    expected = statistics.p_values(kind, values)
    np.testing.assert_allclose(statistics.p_values(kind, factor * values), expected, rtol=1e-9)
    np.testing.assert_allclose(statistics.p_values(kind, values[::-1]), expected, rtol=1e-9)


@given(st.lists(reciprocals, min_size=2, max_size=14), st.integers(0, 13), st.sampled_from(KINDS))
def test_every_p_is_a_probability_and_never_zero(
    terms: list[Fraction], missing: int, kind: str
) -> None:
    values = column(terms)
    values[missing % len(terms)] = NAN
    p_value = statistics.p_values(kind, values, resamples=99)[0]
    defined = values[~np.isnan(values)]
    if len(defined) == 0:
        assert np.isnan(p_value)
    else:
        assert 0 < p_value <= 1


@pytest.mark.parametrize("kind", ["sign-flip", "t", "wilcoxon", "sign"])
@given(terms=st.lists(reciprocals, min_size=3, max_size=14), missing=st.integers(0, 13))
def test_an_undefined_row_is_no_row(kind: str, terms: list[Fraction], missing: int) -> None:
    holed = column(terms)
    holed[missing % len(terms)] = NAN
    removed = holed[~np.isnan(holed[:, 0])]
    ours, expected = statistics.p_values(kind, holed), statistics.p_values(kind, removed)
    np.testing.assert_allclose(ours, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ([0.0, 0.0, 0.0], 1.0),
        ([0.0, NAN, NAN], 1.0),
        ([0.1, 0.1, 0.1], 0.25),
        ([0.3, NAN, NAN], 1.0),
        ([NAN, NAN, NAN], NAN),
        ([0.5, -0.5, 0.0], 1.0),
    ],
    ids=["unchanged", "one unchanged", "constant", "one", "none", "balanced"],
)
def test_degenerate_columns(terms: list[float], expected: float) -> None:
    """Without a spread there is no t, and the signs answer."""
    found = [statistics.p_values(kind, column(terms), resamples=99)[0] for kind in KINDS]
    np.testing.assert_array_equal(found, [expected] * len(KINDS))


@pytest.mark.parametrize("kind", ["bootstrap", "t"])
def test_many_equal_differences_are_as_unlikely_as_their_signs(kind: str) -> None:
    # All signs as they are, or all of them turned: 2 of 2^50.
    assert statistics.p_values(kind, np.full((50, 1), -0.1), resamples=99)[0] == 2.0**-49
    assert 0 < statistics.p_values(kind, np.full((2_000, 1), 0.1), resamples=99)[0] < 1e-300


def test_an_unknown_test_and_an_impossible_limit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^kind='tukey' is not one of 'sign-flip'"):
        statistics.p_values("tukey", [[1.0]])
    with pytest.raises(ValueError, match="exact_limit from 0 to 60"):
        statistics.sign_flip([[1.0]], exact_limit=61)
    with pytest.raises(ValueError, match="at least 1 resample"):
        statistics.sign_flip(np.ones((50, 1)), resamples=0)
