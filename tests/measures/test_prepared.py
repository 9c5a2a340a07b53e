from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankreport as rr
from rankreport.frames import LIST
from rankreport.measures import values
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


@pytest.mark.parametrize("at_once", [1, 4, 11])
def test_rows_are_prepared_some_at_a_time_with_the_same_values(monkeypatch, at_once):
    qrels = {f"q{n}": {f"d{at}": at % 3 for at in range(n)} for n in (1, 2, 9, 3, 4)}
    documents = [f"d{at}" for at in range(0, 12, 2)]
    runs = {"old": dict.fromkeys(qrels, documents), "new": dict.fromkeys(qrels, documents[::-1])}

    def found():
        evaluation = rr.evaluate(qrels, runs, ["nDCG(gain='exp')@3", "AP", "RBP", "Bpref"])
        return evaluation.per_query(), evaluation.summary()

    whole = found()
    monkeypatch.setattr(values, "_AT_ONCE", at_once)
    made = []
    prepare = values.with_prepared
    monkeypatch.setattr(
        values, "with_prepared", lambda rows, of: made.append(len(rows)) or prepare(rows, of)
    )
    for some, all_at_once in zip(found(), whole, strict=True):
        assert some.equals(all_at_once, null_equal=True)
    assert max(made) <= max(at_once, 9)  # a list is never divided
    assert sum(made) % 38 == 0
