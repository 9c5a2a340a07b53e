from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from rankreport.frames import LIST
from rankreport.measures._prepared import highest_first, position, running

VALUES = st.one_of(st.none(), st.sampled_from([0.0, -0.0, 0.1]), st.floats(-1e9, 1e9))
LISTS = st.lists(st.lists(VALUES, min_size=1, max_size=9), max_size=12)


def rows_of(lists):
    numbers = [number for number, values in enumerate(lists) for _ in values]
    values = [value for values in lists for value in values]
    rows = pl.DataFrame({LIST: numbers, "x": values}, schema={LIST: pl.UInt32, "x": pl.Float64})
    return rows.with_columns(pl.col(LIST).set_sorted())


def bits(column):
    return [None if value is None else value.hex() for value in column]


@given(LISTS)
def test_all_lists_at_once_are_as_one_by_one_to_the_last_bit(lists):
    rows = rows_of(lists)
    x = pl.col("x")
    pairs = {
        "totals": (running(x), x.cum_sum()),
        "ordered": (highest_first(x).abs(), x.sort(descending=True, nulls_last=True).abs()),
        "places": (position().cast(pl.Float64), pl.int_range(1, pl.len() + 1).cast(pl.Float64)),
    }
    for name, (at_once, one_by_one) in pairs.items():
        expected = [] if rows.is_empty() else rows.select(one_by_one.over(LIST)).to_series()
        assert bits(rows.select(at_once).to_series()) == bits(expected), name
