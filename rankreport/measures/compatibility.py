"""How near a list is to an ideal one, where the reader's attention fades from the top down."""

from __future__ import annotations

import polars as pl

from rankreport.columns import N_RETRIEVED, RELEVANCE
from rankreport.measures.declare import measure
from rankreport.measures.parameters import require
from rankreport.measures.places import summed_up_to
from rankreport.measures.prepared import prepared
from rankreport.measures.terms import rank, share, total, within

__all__ = ["Compat"]

_wanted = pl.col(RELEVANCE) > 0
"""Whether each document belongs into the ideal list."""


@measure(
    title="Compatibility",
    family="user model",
    formula=r"\frac{\sum_{i=1}^{d} p^{i-1} \, |S_{1 \ldots i} \cap I_{1 \ldots i}| / i}"
    r"{\sum_{i=1}^{d} p^{i-1} \, \min(i, |I|) / i}",
    source="Clarke, Vtyurina and Smucker, TOIS 2021",
    moves="up",
    aliases={"compat": {}},
)
def Compat(p: float = 0.95, normalize: bool = True) -> pl.Expr:
    """The rank-biased overlap of the list with an ideal one: all positive grades, highest first.

    From 0 to 1, where 1 is a list that begins with an ideal one. Only the order of the grades
    matters, so they may be preferences with many levels. Documents of one grade stand in the ideal
    list as the system has them, those it did not return last. Both lists are compared down to the
    end of the longer one. Without ``normalize``, an ideal list that ends early keeps the value
    below 1.

    >>> round(score(Compat(p=0.5), [1, 0, 2]), 6), score(Compat(p=0.5), [3, 2, 1, 0])
    (0.25, 1.0)
    """
    require(0 < p < 1, f"p={p} must lie between 0 and 1.")
    ideal = prepared(_ideal_place)
    depth = prepared(_depth)
    whole = _weight_up_to(p, depth)
    # What a document adds that is in both lists from a place on.
    met = whole - _weight_up_to(p, pl.max_horizontal(rank.cast(pl.Int64), ideal) - 1)
    overlap = total(met.filter(_wanted & within(None)))
    if not normalize:
        return share(overlap, summed_up_to(depth.first(), lambda i: p ** (i - 1.0)))
    best = total((whole - _weight_up_to(p, ideal - 1)).filter(_wanted))
    return share(overlap, best)


def _depth() -> pl.Expr:
    """Where the longer of the two lists ends."""
    return pl.max_horizontal(pl.col(N_RETRIEVED), _wanted.sum().cast(pl.UInt32)).cast(pl.Int64)


def _ideal_place() -> pl.Expr:
    # Equal grades keep the order of the rows: as the system has them, the unreturned last.
    return pl.col(RELEVANCE).rank("ordinal", descending=True).cast(pl.Int64)


def _weight_up_to(p: float, place: pl.Expr) -> pl.Expr:
    return summed_up_to(place, lambda i: p ** (i - 1.0) / i)
