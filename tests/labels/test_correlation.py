"""Rank correlations equal scipy's and the definitions of the literature, counted pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankreport.labels.correlation import rank_correlations


def alone(one, other):
    tau_b, tau_ap = rank_correlations(
        np.zeros(len(one), dtype=int), np.array(one), np.array(other), 1
    )
    return tau_b[0], tau_ap[0]


def directed_tau_ap(one, other):
    """Urbano and Marrero's variant b in one direction, pair by pair."""
    shares = []
    for i, rank in enumerate(one):
        above = [j for j in range(len(one)) if one[j] < rank]
        if above:
            shares.append(sum(other[j] < other[i] for j in above) / len(above))
    return 2 * np.mean(shares) - 1 if shares else np.nan


RANKS = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=12)


@given(st.lists(RANKS, min_size=1, max_size=4))
def test_all_queries_at_once_equal_pair_by_pair_counts(queries):
    rows = [(number, *pair) for number, pairs in enumerate(queries) for pair in pairs]
    np.random.default_rng(len(rows)).shuffle(rows)
    tau_b, tau_ap = rank_correlations(*np.array(rows).T, len(queries))
    for number, pairs in enumerate(queries):
        one, other = zip(*pairs, strict=True)
        constant = len({*one}) == 1 or len({*other}) == 1
        expected = np.nan if constant else stats.kendalltau(one, other).statistic
        np.testing.assert_allclose(tau_b[number], expected, atol=1e-12)
        mean = (directed_tau_ap(one, other) + directed_tau_ap(other, one)) / 2
        np.testing.assert_allclose(tau_ap[number], mean, atol=1e-12)


def test_values_worked_by_hand():
    assert alone([1, 2, 3, 4], [1, 2, 3, 4]) == (1, 1)
    assert alone([1, 2, 3, 4], [4, 3, 2, 1]) == (-1, -1)
    # The first two swapped: 0, then 1 of 1, 1 of 1 of the documents above belong there.
    assert alone([1, 2, 3, 4], [2, 1, 3, 4]) == pytest.approx((4 / 6, 2 * 2 / 3 - 1))
    # The last two swapped weigh less: 1, 1, 2 of 3.
    assert alone([1, 2, 3, 4], [1, 2, 4, 3]) == pytest.approx((4 / 6, 2 * (8 / 9) - 1))


def test_few_documents_have_no_correlation():
    tau_b, tau_ap = rank_correlations(np.array([1]), np.array([3]), np.array([5]), 3)
    assert np.isnan(tau_b).all()
    assert np.isnan(tau_ap).all()
    empty = np.empty(0, dtype=int)
    assert np.isnan(rank_correlations(empty, empty, empty, 2)).all()


def test_ranks_too_large_for_one_key_are_sorted_by_columns():
    one, other = np.array([1, 2, 3]), np.array([1, 3, 2])
    query = np.zeros(3, dtype=int)
    far = rank_correlations(query, one * 2**31, other * 2**31, 1)
    np.testing.assert_array_equal(far, rank_correlations(query, one, other, 1))
