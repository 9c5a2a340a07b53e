"""Sums of rank weights, which model how a reader's attention fades down a list."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from rankreport.measures._prepared import Column

Attention = Callable[[Column], Column]
"""Maps ranks, from 1, to weights."""


def summed_up_to(place: pl.Expr, weight: Attention) -> pl.Expr:
    """Return the sum of the weights of ranks 1 to each given one; 0 for rank 0.

    The argument is a column, or one number per query. Python is called once for all queries, unless
    the result is filtered.
    """

    def summed(places: pl.Series) -> pl.Series:
        last = places.cast(pl.Int64)
        each = weight(np.arange(1.0, int(last.drop_nulls().to_numpy().max(initial=0)) + 1.0))
        return pl.Series(np.concatenate([[0.0], np.cumsum(each)])).gather(last)

    return place.map_batches(summed, return_dtype=pl.Float64, is_elementwise=True)


def sum_of_first(k: int, weight: Attention) -> float:
    """Return the sum of the weights of the first k ranks."""
    return float(np.sum(weight(np.arange(1.0, k + 1.0))))


def attention_of(at_place: Callable[[pl.Expr], pl.Expr]) -> Attention:
    """Turn an expression over ranks into a NumPy function."""

    def attention(places: Column) -> Column:
        return pl.select(at_place(pl.lit(pl.Series(places)))).to_series().to_numpy()

    return attention
