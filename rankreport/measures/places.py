"""Sums over places: what a reader's attention to the places of a list amounts to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["Attention", "summed_up_to"]

Column = NDArray[np.float64]

Attention = Callable[[Column], Column]
"""From places, counted from 1, to the weight of each."""


def summed_up_to(place: pl.Expr, weight: Attention) -> pl.Expr:
    """Return the sum of the weights of the places from 1 to each given one; 0 for place 0."""

    def summed(places: pl.Series) -> pl.Series:
        most = int(places.drop_nulls().to_numpy().max(initial=0))
        each = weight(np.arange(1.0, most + 1.0))
        table = pl.Series(np.concatenate([[0.0], np.cumsum(each)]))
        return table.gather(places.cast(pl.Int64))

    return place.map_batches(summed, return_dtype=pl.Float64, is_elementwise=True)
