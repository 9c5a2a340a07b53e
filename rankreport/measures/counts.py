"""Counts: how much was returned, how much there was to find, how much of it was judged."""

from __future__ import annotations

import polars as pl

from rankreport.measures.declare import measure
from rankreport.measures.terms import n_found, n_relevant, n_returned, ratio, within

__all__ = ["Judged", "NumRel", "NumRelRet", "NumRet"]


@measure(
    title="Share judged",
    family="counts",
    formula=r"\frac{n_{\mathrm{judged}}@k}{\min(k, n_\mathrm{ret})}",
    source="ir_measures; trec_eval 10 counts the rest as unj",
    nothing_relevant="by the formula",
    aliases={"judged": {}},
)
def Judged(k: int | None = None) -> pl.Expr:
    """The share of the documents returned above the cut that anybody judged.

    From 0 to 1; 0 where nothing was returned. Where two systems differ much in it, the judgments
    favour the one whose documents were pooled.

    >>> score(Judged @ 4, [1, None, 0, None])
    0.5
    """
    return ratio(within(k).sum(), n_returned(k))


@measure(
    title="Documents returned",
    family="counts",
    formula=r"n_\mathrm{ret}",
    source="trec_eval's num_ret",
    range=(0, None),
    aggregate="sum",
    nothing_relevant="by the formula",
    aliases={"num_ret": {}},
)
def NumRet(k: int | None = None) -> pl.Expr:
    """How many documents the system returned, judged or not; summed over queries.

    >>> score(NumRet, [1, None, 0])
    3.0
    """
    return n_returned(k)


@measure(
    title="Relevant documents",
    family="counts",
    formula=r"n_\mathrm{rel}",
    source="trec_eval's num_rel",
    range=(0, None),
    aggregate="sum",
    nothing_returned="by the formula",
    aliases={"num_rel": {}},
)
def NumRel(rel: float = 1) -> pl.Expr:
    """How many of the query's documents are relevant, returned or not; summed over queries.

    >>> score(NumRel, [1, 0], unreturned=[2, 1])
    3.0
    """
    return n_relevant(rel)


@measure(
    title="Relevant documents returned",
    family="counts",
    formula=r"\sum_{i=1}^{k} \mathrm{rel}_i",
    source="trec_eval's num_rel_ret; its mean is ranx's hits",
    range=(0, None),
    aggregate="sum",
    aliases={"num_rel_ret": {}},
)
def NumRelRet(k: int | None = None, rel: float = 1) -> pl.Expr:
    """How many relevant documents stand above the cut; summed over queries.

    >>> score(NumRelRet @ 2, [1, 0, 1])
    1.0
    """
    return n_found(rel, k)
