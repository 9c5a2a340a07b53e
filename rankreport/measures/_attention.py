"""Sums of rank weights, which model how a reader's attention fades down a list.

Up to rank `FAR` the weights are added one by one. That would be too slow for a cut-off of 1 billion
documents, so beyond `FAR`, where weights hardly change from one rank to the next, the sum is
approximated by an integral from half a rank before the first to half a rank after the last.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from rankreport.measures._prepared import Column

__all__ = ["FAR", "Attention", "attention_of", "sum_of_first", "summed_up_to"]

Attention = Callable[[Column], Column]
"""Maps ranks, from 1, to weights; smooth beyond `FAR`."""

FAR = 1_000_000
"""The last rank whose weight is added individually."""

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(20)


def summed_up_to(place: pl.Expr, weight: Attention) -> pl.Expr:
    """Return the sum of the weights of ranks 1 to each given one; 0 for rank 0.

    The argument is a column, or one number per query. Python is called once for all queries, unless
    the result is filtered.
    """

    def summed(places: pl.Series) -> pl.Series:
        last = places.cast(pl.Int64)
        near = last.clip(upper_bound=FAR)
        each = weight(np.arange(1.0, int(near.drop_nulls().to_numpy().max(initial=0)) + 1.0))
        sums = pl.Series(np.concatenate([[0.0], np.cumsum(each)])).gather(near)
        far = (last > FAR).arg_true()
        if far.is_empty():
            return sums
        beyond = _beyond(last.gather(far).cast(pl.Float64).to_numpy(), weight)
        return sums.scatter(far, pl.Series(np.sum(each) + beyond))

    return place.map_batches(summed, return_dtype=pl.Float64, is_elementwise=True)


def sum_of_first(k: int, weight: Attention) -> float:
    """Return the sum of the weights of the first k ranks."""
    near = np.sum(weight(np.arange(1.0, min(k, FAR) + 1.0)))
    return float(near + _beyond(np.array([float(k)]), weight)[0])


def attention_of(at_place: Callable[[pl.Expr], pl.Expr]) -> Attention:
    """Turn an expression over ranks into a NumPy function."""

    def attention(places: Column) -> Column:
        return pl.select(at_place(pl.lit(pl.Series(places)))).to_series().to_numpy()

    return attention


def _beyond(places: Column, weight: Attention) -> Column:
    """Return the sums of the weights from `FAR` + 1 to each given rank.

    Gauss-Legendre quadrature over intervals that double in length.
    """
    ends, sums, start = places + 0.5, np.zeros_like(places), FAR + 0.5
    while (reached := np.flatnonzero(ends > start)).size:
        half = (np.minimum(ends[reached], 2.0 * start) - start) / 2.0
        for point, share in zip(_POINTS, _WEIGHTS, strict=True):
            sums[reached] += half * share * weight(start + half * (1.0 + point))
        start *= 2.0
    return sums
