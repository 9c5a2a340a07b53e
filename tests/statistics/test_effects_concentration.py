"""What share of a difference a few queries make."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankreport import statistics


def test_shares_of_the_largest_by_hand():
    nan = float("nan")
    #                  net 0.4        net -0.5           net 0        one alone
    deltas = np.array(
        [
            [0.5, -0.4, 0.5, nan],
            [0.2, -0.3, -0.5, 2.0],
            [-0.3, 0.2, 0.0, nan],
            [0.0, nan, nan, nan],
        ]
    )
    np.testing.assert_allclose(statistics.largest_share(deltas, 1), [0.5 / 0.4, 0.4 / 0.5, nan, 1])
    np.testing.assert_allclose(statistics.largest_share(deltas, 5), [0.7 / 0.4, 0.7 / 0.5, nan, 1])


@given(
    st.lists(st.sampled_from([-1.0, -0.5, -1 / 3, 0.0, 0.1, 0.5, 1.0]), min_size=1, max_size=30),
    st.integers(1, 6),
)
def test_shares_grow_with_their_number_and_have_no_side(values, n):
    column = np.array(values)[:, np.newaxis]
    share = statistics.largest_share(column, n)
    np.testing.assert_array_equal(share, statistics.largest_share(-column, n))
    with_tie = np.vstack([column, [[0.0]]])
    np.testing.assert_allclose(share, statistics.largest_share(with_tie, n), rtol=1e-12)
    if abs(column.sum()) > 1e-9:
        # The largest are at least as many as their part of those that count.
        assert share >= min(1.0, n / len(values)) - 1e-12
        assert statistics.largest_share(column, n + 1) >= share
        assert statistics.largest_share(column, len(values)) >= 1 - 1e-12
    else:
        assert np.isnan(share).all()


def test_shares_of_none_are_refused():
    with pytest.raises(ValueError, match="expected n of 1 or more, found 0"):
        statistics.largest_share([[1.0]], 0)
