"""Blocks of equal scores, for means over all orders of them.

Documents of equal score stand in a block, from ``tie_first`` to ``tie_last``, and every order of a
block is as good as any other. McSherry and Najork (ECIR 2008) give closed forms of the means. For
measures that are sums over documents it is simple: a document adds the mean of what it would add
at each place of its block.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from rankreport.columns import TIE_FIRST, TIE_LAST
from rankreport.measures.parameters import require

__all__ = ["first", "last", "mean_over_block", "refuse_judged_only", "share_within", "size"]

first = pl.col(TIE_FIRST).cast(pl.Int64)
"""The first place of each document's block; null where the document was not returned."""

last = pl.col(TIE_LAST).cast(pl.Int64)
"""The last place of each document's block."""

size = last - first + 1
"""How many documents share the score."""


def share_within(k: int | None) -> pl.Expr:
    """In which share of the orders each document stands among the first k; 0 if not returned."""
    if k is None:
        return first.is_not_null().cast(pl.Float64)
    return ((_up_to(last, k) - _up_to(first - 1, k)) / size).fill_null(0.0)


def mean_over_block(at_place: Callable[[pl.Expr], pl.Expr], k: int | None) -> pl.Expr:
    """Return the mean of a function of the place over the places of each document's block.

    Parameters
    ----------
    at_place
        From places (Int64, from 1) to numbers.
    k
        The cut-off, beyond which the function counts as 0.

    Returns
    -------
    Expr
        0 for documents that were not returned.
    """

    def summed(numbers: pl.Series) -> pl.Series:
        most = int(numbers.drop_nulls().to_numpy().max(initial=0))
        places = pl.LazyFrame({"place": np.arange(1, most + 1)})
        each = places.select(at_place(pl.col("place")).cast(pl.Float64)).collect().to_series()
        table = pl.Series(np.concatenate([[0.0], np.cumsum(each.to_numpy())]))
        return table.gather(numbers)

    def up_to(n: pl.Expr) -> pl.Expr:
        return n.map_batches(summed, return_dtype=pl.Float64, is_elementwise=True)

    return ((up_to(_up_to(last, k)) - up_to(_up_to(first - 1, k))) / size).fill_null(0.0)


def refuse_judged_only(judged_only: bool) -> None:
    """Refuse a list without its unjudged documents: its blocks are not known.

    Raises
    ------
    MeasureError
    """
    require(
        not judged_only,
        "judged_only=True: its mean over the orders of equal scores is not known. Use ties='trec'.",
    )


def _up_to(place: pl.Expr, k: int | None) -> pl.Expr:
    return place if k is None else place.clip(upper_bound=k)
