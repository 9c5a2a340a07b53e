"""Average precision and binary preference made fit for averaging over easy and hard queries.

The mean of AP is ruled by the queries where it is high. A geometric mean asks by what factor a
system is better, and so does a mean of log odds.
"""

from __future__ import annotations

import polars as pl

from rankreport.measures.binary import AP, sum_of_precisions
from rankreport.measures.declare import measure
from rankreport.measures.incomplete import Bpref, PrefOver
from rankreport.measures.terms import n_relevant

__all__ = ["GMAP", "YAAP", "GMbpref"]

_ROBUST = "Voorhees, Overview of the TREC 2004 Robust Track"


@measure(
    title="Geometric mean of average precision",
    family="averaging",
    formula=r"\exp\Bigl(\frac{1}{n} \sum_q \ln \max(\mathrm{AP}_q, 10^{-5})\Bigr)",
    source=_ROBUST,
    aggregate="geometric",
    moves="up",
    aliases={"gm_map": {}},
)
def GMAP(rel: float = 1) -> pl.Expr:
    """Average precision, whose mean over queries is geometric: a hard query counts as an easy one.

    From 0 to 1 for a query, where it is AP, and from 0.00001 on for a system: values below that
    count as that. trec_eval shows no values of queries; pytrec_eval shows their natural logarithms.

    >>> score(GMAP, [1, 0, 1], unreturned=[1])
    0.5555555555555555
    """
    return AP.declaration.formulate(rel=rel)


@measure(
    title="Geometric mean of binary preference",
    family="averaging",
    formula=r"\exp\Bigl(\frac{1}{n} \sum_q \ln \max(\mathrm{bpref}_q, 10^{-5})\Bigr)",
    source="trec_eval's gm_bpref",
    aggregate="geometric",
    moves="up",
    aliases={"gm_bpref": {}},
)
def GMbpref(rel: float = 1, over: PrefOver = "min") -> pl.Expr:
    """Binary preference, whose mean over queries is geometric.

    From 0 to 1 for a query, where it is Bpref, and from 0.00001 on for a system: values below that
    count as that. trec_eval shows no values of queries; pytrec_eval shows their natural logarithms.

    >>> score(GMbpref, [0, 1, 1], unreturned=[0])
    0.5
    """
    return Bpref.declaration.formulate(rel, over)


@measure(
    title="Log odds of average precision",
    family="averaging",
    formula=r"\ln \frac{1 + s}{1 + n_\mathrm{rel} - s},"
    r"\quad s = \sum_i \mathrm{rel}_i \, P@i = n_\mathrm{rel} \, \mathrm{AP}",
    source="Robertson, On Smoothing Average Precision, ECIR 2012",
    range=(None, None),
    nothing_returned="by the formula",
    moves="up",
    aliases={"yaap": {}},
)
def YAAP(rel: float = 1) -> pl.Expr:
    """Average precision on a scale without ends, where steps near 0 and 1 count for more.

    0 where AP is a half and where nothing is relevant, negative below, positive above. It orders
    the results of one query as AP does. "Yet another average precision" averages better over
    queries. A query without results gets what a list of irrelevant documents gets; trec_eval
    leaves it out, or takes it for 0.

    >>> round(score(YAAP, [1, 0, 1]), 6)
    0.693147
    """
    s = sum_of_precisions(rel)
    n = n_relevant(rel).cast(pl.Float64)
    # Where the list is ideal, s is n up to its last bit.
    return ((1.0 + s) / (1.0 + (n - s).clip(lower_bound=0.0))).log()
