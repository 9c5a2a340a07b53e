"""Measures for incomplete judgments: what nobody judged is not taken for irrelevant.

Both read negative grades as trec_eval does: the document was pooled, but not judged.
"""

from __future__ import annotations

from typing import Literal

import polars as pl

from rankreport.frames import RELEVANCE
from rankreport.measures._terms import found, n_relevant, rank, ratio, relevant, total, within
from rankreport.measures.counts import nonrelevant
from rankreport.measures.declare import measure

__all__ = ["Bpref", "infAP"]

PrefOver = Literal["min", "relevant"]

_LITTLE = 1e-5
"""Yilmaz and Aslam smooth with a small number; this is trec_eval's."""


@measure(
    title="Binary preference",
    family="incomplete judgments",
    formula=r"\frac{1}{R} \sum_{r} 1 - \frac{\min(n_{\mathrm{above}\ r}, R)}{\min(R, N)}",
    source="Buckley and Voorhees, SIGIR 2004; over='min' as in trec_eval from version 8 on",
    moves="up",
    aliases={"bpref": {}},
)
def Bpref(rel: float = 1, over: PrefOver = "min") -> pl.Expr:
    """How rarely documents judged not relevant rank above relevant ones.

    From 0 to 1; 0 where nothing is relevant. Each of the R relevant documents that was returned
    loses the share of the first R documents judged not relevant that rank above it; one that was
    not returned adds 0. Documents that nobody judged, or with a negative grade, are passed over.
    The share is of the smaller of R and the number N of documents judged not relevant
    (``over="min"``: trec_eval, ranx), or of R (``over="relevant"``: the paper). Where nothing was
    judged not relevant, it is the share of the relevant documents that was returned.

    >>> score(Bpref, [1, 0, None, 1, 0, 0, 1])
    0.5555555555555556
    >>> score(Bpref, [0, 1, 1]), score(Bpref(over="relevant"), [0, 1, 1])
    (0.0, 0.5)
    """
    of = n_relevant(rel)
    worse = nonrelevant(rel)
    bound = of if over == "relevant" else pl.min_horizontal(of, worse.sum())
    above = pl.min_horizontal((worse & within(None)).cum_sum(), of)
    # Without any above, no bound is needed, and there may be none to divide by.
    kept = pl.when(above == 0).then(1.0).otherwise(1.0 - above / bound)
    return ratio(total(kept.filter(found(rel, None))), of)


@measure(
    title="Inferred average precision",
    family="incomplete judgments",
    formula=r"\frac{1}{R} \sum_r \frac{1}{i_r} + \frac{\mathrm{pooled}_r}{i_r} \cdot"
    r" \frac{\mathrm{rel}_r + \varepsilon}{\mathrm{rel}_r + \mathrm{nonrel}_r + 2\varepsilon}",
    source="Yilmaz and Aslam, CIKM 2006",
    aliases={"infap": {}},
)
def infAP(rel: float = 1) -> pl.Expr:
    """Average precision as it would be had the whole pool been judged, not a sample of it.

    From 0 to 1; 0 where nothing is relevant. A negative grade marks a document of the pool
    that was not in the sample. The precision at a relevant document is guessed from the judged
    documents above it, counting those outside the pool as not relevant. With judgments of the
    whole pool it is AP up to the fifth digit.

    >>> round(score(infAP, [1, -1, 0, 1]), 4)
    0.8125
    """
    hits = found(rel, None)
    # Of the documents above: those judged relevant, those judged, and those in the pool.
    relevant_above = hits.cum_sum().filter(hits) - 1.0
    judged = (relevant(rel) | (pl.col(RELEVANCE) >= 0)) & within(None)
    judged_above = judged.cum_sum().filter(hits) - 1.0
    pooled_above = within(None).cum_sum().filter(hits) - 1.0
    guess = (relevant_above + _LITTLE) / (judged_above + 2 * _LITTLE)
    return ratio(total((1.0 + pooled_above * guess) / rank.filter(hits)), n_relevant(rel))
