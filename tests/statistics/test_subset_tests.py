from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from rankreport.statistics import split_tests


def test_distances_are_in_the_larger_of_two_standard_errors():
    rng = np.random.default_rng(1)
    values, parts = rng.normal(0, 1 + np.arange(40) / 20), rng.random((40, 6)) < 0.4
    of_both = np.array(
        [
            [stats.ttest_ind(values[p], values[~p], equal_var=equal).statistic for p in parts.T]
            for equal in (True, False)
        ]
    )
    assert len(set(np.abs(of_both).argmin(axis=0))) == 2
    expected = np.sign(of_both[0]) * np.abs(of_both).min(axis=0)
    assert split_tests(values, parts, resamples=100).distances == pytest.approx(expected)


def test_p_values_are_those_of_all_permutations():
    values = np.array([0.0, 0.1, 0.3, 0.4, 0.9, 1.0])
    parts = np.array([[1, 1, 1, 0, 0, 0], [1, 0, 1, 0, 1, 0]], dtype=bool).T

    orders = np.array(list(permutations(values)))  # the first is that of the values
    by_part = [
        np.abs(stats.ttest_ind(orders[:, p], orders[:, ~p], axis=1).statistic) for p in parts.T
    ]  # of parts of equal size, both standard errors are the same
    observed, greatest = [each[0] for each in by_part], np.maximum(*by_part)
    exact = [(greatest >= each * (1 - 1e-9)).mean() for each in observed]
    found = split_tests(values, parts, resamples=100_000)
    assert found.p_adjusted == pytest.approx(exact, abs=0.005)


def test_few_orders_suffice_for_a_part_of_neighbours():
    rng = np.random.default_rng(4)
    values, part = rng.normal(0, 1, 2_000), np.arange(2_000) < 1_000
    expected = stats.ttest_ind(values[part], values[~part]).pvalue
    for seed in range(5):
        found = split_tests(values, part[:, np.newaxis], resamples=4_000, seed=seed)
        assert found.p_adjusted == pytest.approx([expected], abs=0.06)


def test_a_longer_list_of_splits_makes_p_values_larger_and_the_level_higher():
    rng = np.random.default_rng(2)
    values, parts = rng.normal(0, 1, 60), rng.random((60, 12)) < 0.5
    values -= 0.7 * parts[:, 0]
    one, all_of_them = split_tests(values, parts[:, :1]), split_tests(values, parts)
    assert one.p_adjusted[0] < all_of_them.p_adjusted[0]
    assert 0.95 <= one.level < all_of_them.level < 1 - 0.05 / 12 / 2


@pytest.mark.parametrize("values", [np.zeros(40), np.full(40, 0.3)])
def test_equal_values_differ_nowhere(values):
    found = split_tests(values, np.arange(40)[:, np.newaxis] < [15, 20])
    assert found.distances.tolist() == [0, 0]
    assert found.p_adjusted.tolist() == [1, 1]


def test_a_part_without_variance_is_compared_by_the_variance_of_the_others():
    values = np.r_[np.zeros(15), np.tile([0.1, 0.3], 20)]
    found = split_tests(values, np.arange(55)[:, np.newaxis] < 15)
    expected = stats.ttest_ind(values[:15], values[15:]).statistic
    assert found.distances == pytest.approx([expected])
    assert found.p_adjusted[0] < 0.01


def test_the_seed_decides():
    rng = np.random.default_rng(3)
    values, parts = rng.normal(0, 1, 50), rng.random((50, 3)) < 0.5
    one, again, other = (split_tests(values, parts, seed=seed).p_adjusted for seed in (1, 1, 2))
    assert one.tolist() == again.tolist() != other.tolist()
