"""Measures of the documents returned as a set: their order does not matter.

Precision and recall of the whole set are P and R without a cut-off. ``judged_only=True`` takes the
documents that nobody judged out of the set first.
"""

from __future__ import annotations

import polars as pl

from rankreport.measures.declare import measure
from rankreport.measures.parameters import require
from rankreport.measures.terms import cut, f_measure, n_found, n_relevant, ratio, retrieved

__all__ = ["SetAP", "SetF", "Utility"]


@measure(
    title="F measure of the set, beta not squared",
    family="sets",
    formula=r"\frac{(1+\beta) P R}{\beta P + R}",
    source="trec_eval's set_F; ir_measures' SetF",
    moves="none",
    aliases={"set_F": {}},
)
def SetF(beta: float = 1, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """Precision and recall of all that was returned in one number.

    From 0 to 1; 0 where no relevant document was returned. Here beta is the weight itself, as in
    trec_eval and ir_measures; F squares it, as Van Rijsbergen did: ``SetF(beta=4)`` is
    ``F(beta=2)``.

    >>> score(SetF, [1, 0, 1, 0], unreturned=[1, 1])
    0.5
    >>> round(score(SetF(beta=4), [1, 0, 1, 0], unreturned=[1, 1, 1, 1]), 6)
    0.357143
    """
    hits = n_found(rel, None, judged_only=judged_only)
    size = cut(None, judged_only=judged_only)
    return f_measure(beta, hits, n_relevant(rel), size, squared=False)


@measure(
    title="Average precision of the set",
    family="sets",
    formula=r"P \cdot R",
    source="trec_eval's set_map",
    moves="none",
    aliases={"set_map": {}},
)
def SetAP(rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """Precision times recall of all that was returned.

    From 0 to 1; 0 where nothing is relevant. It is average precision where nothing is known of the
    order: each relevant document returned stands for the precision of the whole set.

    >>> score(SetAP, [1, 0, 1, 0], unreturned=[1, 1])
    0.25
    """
    hits = n_found(rel, None, judged_only=judged_only)
    return ratio(hits, cut(None, judged_only=judged_only)) * ratio(hits, n_relevant(rel))


@measure(
    title="Utility of the set",
    family="sets",
    formula=r"a\, n_\mathrm{hit} + b\, n_\mathrm{false} + c\, n_\mathrm{missed}"
    r" + d\, n_\mathrm{rejected}",
    source="trec_eval's utility",
    range=(None, None),
    nothing_returned="by the formula",
    nothing_relevant="by the formula",
    moves="none",
    aliases={"utility": {}},
)
def Utility(
    a: float = 1,
    b: float = -1,
    c: float = 0,
    d: float = 0,
    n_documents: float = 0,
    rel: float = 1,
) -> pl.Expr:
    """What the set is worth: each document pays what its cell of the table of hits and misses says.

    Without bounds. A relevant document returned is worth ``a``, another one returned ``b``, a
    relevant one missed ``c``, and each of the rest of the collection ``d``; for that one, say how
    many documents the collection has (``n_documents``: trec_eval's option -N). Its mean over
    queries is shown, though some add it up. A query without results is worth what was missed;
    trec_eval leaves it out, or takes it for 0.

    >>> score(Utility, [1, 0, None, 1], unreturned=[1])
    0.0
    >>> score(Utility(a=2, c=-1), [1, 0, None, 1], unreturned=[1])
    1.0
    """
    require(n_documents >= 0, f"n_documents={n_documents} must not be negative.")
    hits = n_found(rel, None).cast(pl.Float64)
    false = retrieved - hits
    missed = n_relevant(rel) - hits
    return a * hits + b * false + c * missed + d * (n_documents - hits - false - missed)
