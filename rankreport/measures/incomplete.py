"""Measures for incomplete judgments, which do not treat unjudged documents as irrelevant.

A negative grade means pooled but not judged, as in trec_eval.
"""

from __future__ import annotations

from typing import Literal

import polars as pl

from rankreport.frames import RELEVANCE
from rankreport.measures._columns import column
from rankreport.measures._terms import found, n_relevant, rank, ratio, relevant, total, within
from rankreport.measures.counts import nonrelevant
from rankreport.measures.declare import measure

__all__ = ["Bpref", "infAP"]

PrefOver = Literal["min", "relevant"]

_LITTLE = 1e-5
"""The smoothing constant of infAP, as in trec_eval."""


@measure(
    title="Binary preference",
    family="incomplete judgments",
    formula=r"\frac{1}{R} \sum_{r} 1 - \frac{\min(n_{\mathrm{above}\ r}, R)}{\min(R, N)}",
    source="Buckley and Voorhees, SIGIR 2004; over='min' as in trec_eval from version 8 on",
    moves="up",
    aliases={"bpref": {}},
    normalised=True,
)
def Bpref(rel: float = 1, over: PrefOver = "min") -> pl.Expr:
    """How rarely documents judged not relevant rank above relevant ones.

    From 0 to 1; 0 where nothing is relevant. The mean over the R relevant documents of 1 minus
    n / d, where n counts the first R documents judged not relevant that rank above it; a document
    that was not returned adds 0. Unjudged documents and negative grades are ignored. The
    denominator d is the smaller of R and the number N of documents judged not relevant
    (``over="min"``: trec_eval, ranx), or R (``over="relevant"``: the paper). Where nothing was
    judged not relevant, bpref is the share of the relevant documents that was returned.

    >>> score(Bpref, [1, 0, None, 1, 0, 0, 1])
    0.5555555555555556
    >>> score(Bpref, [0, 1, 1]), score(Bpref(over="relevant"), [0, 1, 1])
    (0.0, 0.5)
    """
    of = n_relevant(rel)
    worse = nonrelevant(rel)
    bound = of if over == "relevant" else pl.min_horizontal(of, worse.sum())
    above = pl.min_horizontal((worse & within(None)).cum_sum(), of)
    # With none above, the bound may be 0.
    kept = pl.when(above == 0).then(1.0).otherwise(1.0 - above / bound)
    return ratio(total(kept.filter(found(rel, None))), of)


@measure(
    title="Inferred average precision",
    family="incomplete judgments",
    formula=r"\frac{1}{R} \sum_r \frac{1}{i_r} + \frac{\mathrm{pooled}_r}{i_r} \cdot"
    r" \frac{\mathrm{rel}_r + \varepsilon}{\mathrm{rel}_r + \mathrm{nonrel}_r + 2\varepsilon}",
    source="Yilmaz and Aslam, CIKM 2006",
    aliases={"infap": {}},
    normalised=True,
)
def infAP(rel: float = 1) -> pl.Expr:
    """An estimate of average precision when only a sample of the pool is judged.

    From 0 to 1; 0 where nothing is relevant. A negative grade marks a document of the pool that was
    not sampled. The precision at a relevant document is estimated from the judged documents above
    it; documents outside the pool count as not relevant. If the whole pool is judged, infAP equals
    AP up to the fifth digit.

    >>> round(score(infAP, [1, -1, 0, 1]), 4)
    0.8125
    """
    hits = found(rel, None)
    # Numbers of documents above that are judged relevant, judged, and in the pool.
    relevant_above = hits.cum_sum().filter(hits) - 1.0
    judged = (relevant(rel) | (column(RELEVANCE) >= 0)) & within(None)
    judged_above = judged.cum_sum().filter(hits) - 1.0
    pooled_above = within(None).cum_sum().filter(hits) - 1.0
    guess = (relevant_above + _LITTLE) / (judged_above + 2 * _LITTLE)
    return ratio(total((1.0 + pooled_above * guess) / rank().filter(hits)), n_relevant(rel))
