"""Binary measures: a document is relevant when its grade reaches ``rel``, or it is not.

``rel=`` is the lowest relevant grade (1 unless given). Average precision has three denominators in
use, told apart by ``over=``: ``"relevant"``, all relevant documents (trec_eval); ``"returned"``,
the relevant documents that the system returned above the cut; ``"min"``, the smaller of the number
of relevant documents and k (common for recommenders).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from rankreport.measures.declare import measure, require
from rankreport.measures.terms import (
    cut,
    found,
    n_found,
    n_relevant,
    rank,
    ratio,
    total,
)

__all__ = ["AP", "RR", "AvgP", "F", "Over", "P", "R", "Rprec", "Success"]

Over = Literal["relevant", "returned", "min"]

_TEXTBOOK = "Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, chapter 8"
_TREC = "Buckley and Voorhees, in TREC: Experiment and Evaluation in Information Retrieval, 2005"


@measure(
    title="Precision",
    family="binary",
    formula=r"\frac{1}{k} \sum_{i=1}^{k} \mathrm{rel}_i",
    source=_TEXTBOOK,
    aliases={"precision": {}, "set_P": {}},
)
def P(k: int | None = None, rel: float = 1) -> pl.Expr:
    """The share of the first k documents that are relevant.

    From 0 to 1. A list shorter than k is judged as if it went on with documents that are not
    relevant. Without a cut-off, the share of all the documents returned.

    >>> score(P @ 5, [1, 0, 1])
    0.4
    """
    return ratio(n_found(rel, k), cut(k))


@measure(
    title="Recall",
    family="binary",
    formula=r"\frac{1}{n_\mathrm{rel}} \sum_{i=1}^{k} \mathrm{rel}_i",
    source=_TEXTBOOK,
    aliases={"recall": {}, "set_recall": {}},
)
def R(k: int | None = None, rel: float = 1) -> pl.Expr:
    """The share of all relevant documents that stand among the first k.

    From 0 to 1; 0 where nothing is relevant. What a first stage must have for later ones to work.

    >>> score(R @ 3, [1, 0, 1], unreturned=[1, 1])
    0.5
    """
    return ratio(n_found(rel, k), n_relevant(rel))


@measure(
    title="F measure",
    family="binary",
    formula=r"\frac{(1+\beta^2) P R}{\beta^2 P + R}",
    source="Van Rijsbergen, Information Retrieval, 1979, chapter 7",
    aliases={"f1": {}, "set_F": {}},
)
def F(k: int | None = None, beta: float = 1, rel: float = 1) -> pl.Expr:
    """Precision and recall at k in one number, recall weighing beta times as much.

    From 0 to 1; 0 where no relevant document was returned.

    >>> score(F @ 4, [1, 0, 1, 0], unreturned=[1, 1])
    0.5
    """
    require(beta > 0, f"beta={beta} must be above 0.")
    # (1 + b^2) P R / (b^2 P + R), with the common factor taken out so that nothing divides by 0.
    weight = beta * beta
    return ratio((1.0 + weight) * n_found(rel, k), weight * n_relevant(rel) + cut(k))


@measure(
    title="Success",
    family="binary",
    formula=r"[\,\exists\, i \le k : \mathrm{rel}_i\,]",
    source=_TREC,
    aliases={"success": {}, "hit_rate": {}, "HitRate": {}},
)
def Success(k: int | None = None, rel: float = 1) -> pl.Expr:
    """Whether any of the first k documents is relevant.

    0 or 1 for a query; the mean is the share of queries that were served at all. Recommenders call
    it the hit rate.

    >>> score(Success @ 2, [0, 0, 1]), score(Success @ 3, [0, 0, 1])
    (0.0, 1.0)
    """
    return found(rel, k).any()


@measure(
    title="Reciprocal rank",
    family="binary",
    formula=r"1 / \min\{i \le k : \mathrm{rel}_i\}",
    source="Voorhees, TREC-8 Question Answering Track Report, 1999",
    aliases={"recip_rank": {}, "mrr": {}, "MRR": {}},
)
def RR(k: int | None = None, rel: float = 1) -> pl.Expr:
    """One over the place of the first relevant document, 0 if there is none above the cut.

    From 0 to 1. For readers who want one answer; its mean over queries is called MRR.

    >>> score(RR, [0, 0, 1, 1])
    0.3333333333333333
    """
    return (1.0 / rank.filter(found(rel, k)).min()).fill_null(0.0)


@measure(
    title="Average precision",
    family="binary",
    formula=r"\frac{1}{n} \sum_{i=1}^{k} \mathrm{rel}_i \, P@i",
    source=_TREC,
    aliases={"map": {}, "map_cut": {}, "MAP": {}},
)
def AP(k: int | None = None, rel: float = 1, over: Over = "relevant") -> pl.Expr:
    """The mean of the precisions at the places of the relevant documents.

    From 0 to 1; 0 where nothing is relevant. A relevant document that was not returned above the
    cut adds 0 to the mean under ``over="relevant"``. Its mean over queries is called MAP.

    >>> round(score(AP, [1, 1, 0, 1, 0, 0, 1]), 4)
    0.8304
    >>> score(AP, [1, 0], unreturned=[1]), score(AP(over="returned"), [1, 0], unreturned=[1])
    (0.5, 1.0)
    """
    places = rank.filter(found(rel, k))
    precisions = total(pl.int_range(1, places.len() + 1) / places)
    n = {
        "relevant": n_relevant(rel),
        "returned": n_found(rel, k),
        "min": pl.min_horizontal(n_relevant(rel), n_relevant(rel) if k is None else pl.lit(k)),
    }[over]
    return ratio(precisions, n)


@measure(
    title="Mean of the precisions",
    family="binary",
    formula=r"\frac{1}{k} \sum_{j=1}^{k} P@j",
    source="Some texts on recommenders call it average precision: see AP",
)
def AvgP(k: int | None = None, rel: float = 1) -> pl.Expr:
    """The mean of P@1, P@2 up to P@k, relevant or not at those places.

    From 0 to 1, and below 1 only if something irrelevant stands above the cut: unlike AP it does
    not ask how many relevant documents there are.

    >>> score(AvgP @ 3, [1, 0, 1])
    0.7222222222222222
    """
    # A relevant document at place i adds 1/j to every P@j from j = i on.
    from_each = _harmonic(cut(k)).first() - _harmonic(rank.fill_null(1) - 1)
    # Sums of fractions may pass 1 by their last bit.
    return ratio(total(from_each.filter(found(rel, k))), cut(k)).clip(upper_bound=1.0)


@measure(
    title="R-precision",
    family="binary",
    formula=r"P@n_\mathrm{rel}",
    source=_TREC,
    aliases={"r-precision": {}, "r_precision": {}},
)
def Rprec(rel: float = 1) -> pl.Expr:
    """Precision at the place up to which an ideal list would hold relevant documents alone.

    From 0 to 1; 0 where nothing is relevant. There precision and recall are equal.

    >>> score(Rprec, [1, 0, 1, 0])
    0.5
    """
    early = found(rel, None) & (rank <= n_relevant(rel)).fill_null(value=False)
    return ratio(early.sum(), n_relevant(rel))


_TABLE = 10_000
"""Up to here, harmonic numbers are summed."""


def _harmonic(n: pl.Expr) -> pl.Expr:
    """Return 1 + 1/2 + ... + 1/n of each whole number."""

    def of(numbers: pl.Series) -> pl.Series:
        whole = numbers.to_numpy().astype(np.int64)
        near = np.minimum(whole, _TABLE)
        table = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, near.max(initial=0) + 1))])
        # Beyond the table, Euler's expansion is as good as the sum: its next term is below 1e-17.
        far = np.maximum(whole, _TABLE).astype(np.float64)
        expansion = np.log(far) + np.euler_gamma + 1 / (2 * far) - 1 / (12 * far**2)
        return pl.Series(np.where(whole > _TABLE, expansion, table[near]))

    return n.map_batches(of, return_dtype=pl.Float64, is_elementwise=True)
