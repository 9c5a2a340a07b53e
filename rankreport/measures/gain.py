"""Cumulative gain: how much a reader gains from the top of the list, the earlier the better.

The formulae of this family are spelled in several ways in the field; each way is a parameter:

- ``gain``: ``"linear"``, the grade itself (Järvelin and Kekäläinen, TOIS 2002; trec_eval), or
  ``"exp"``, 2^grade - 1 (Burges et al., ICML 2005). They agree on grades 0 and 1. A negative grade
  gains 0 either way.
- ``discount``: ``"log2"``, 1 / log2(rank + 1), or ``"jarvelin"``, none for ranks below ``base`` and
  1 / log_base(rank) from there on. They do not agree from rank 2 on.
- ``ideal``: ``"judged"``, the best order of all judged documents, returned or not; ``"returned"``,
  the best order of the returned ones, then cut at k; ``"full"``, k documents of the highest grade
  in all the judgments.
"""

from __future__ import annotations

from typing import Literal

import polars as pl

from rankreport.columns import RELEVANCE, TOP_GRADE
from rankreport.measures.declare import measure, require
from rankreport.measures.terms import rank, ratio, total, within

Gain = Literal["linear", "exp"]
Discount = Literal["log2", "jarvelin"]
Ideal = Literal["judged", "returned", "full"]

_BOTH = "Järvelin and Kekäläinen, TOIS 2002; exponential gain: Burges et al., ICML 2005"


@measure(
    title="Cumulative gain",
    family="gain",
    formula=r"\sum_{i=1}^{k} g_i",
    source="Järvelin and Kekäläinen, TOIS 2002",
    range=(0, None),
    aliases={"cg": {}},
)
def CG(k: int | None = None, gain: Gain = "linear") -> pl.Expr:
    """The sum of the gains of the documents above the cut, wherever among them they stand.

    From 0, without an upper bound. Use it to see how much was found before asking in which order.

    >>> score(CG @ 3, [3, 2, 3, 0, 1, 2])
    8.0
    """
    return total(gains(gain).filter(within(k)))


@measure(
    title="Discounted cumulative gain",
    family="gain",
    formula=r"\sum_{i=1}^{k} g_i \, d(i)",
    source=_BOTH,
    range=(0, None),
    aliases={"dcg": {}, "dcg_burges": {"gain": "exp"}},
)
def DCG(
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: float = 2,
) -> pl.Expr:
    """The sum of the gains above the cut, each discounted the further down it stands.

    From 0, without an upper bound, so it cannot be compared between queries: nDCG can.

    >>> round(score(DCG, [3, 2, 3, 0, 1, 2]), 6)
    6.861127
    >>> round(score(DCG(gain="exp"), [5, 1, 3, 2, 4]), 6)
    42.225752
    """
    return total((gains(gain) * discounts(rank, discount, base)).filter(within(k)))


@measure(
    title="Ideal discounted cumulative gain",
    family="gain",
    formula=r"\max_{\pi} \sum_{i=1}^{k} g_{\pi(i)} \, d(i)",
    source=_BOTH,
    range=(0, None),
    nothing_returned=None,
    aliases={"idcg": {}},
)
def iDCG(
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: float = 2,
    ideal: Ideal = "judged",
) -> pl.Expr:
    """The highest DCG that any order of the ideal's documents could reach at the cut.

    From 0, without an upper bound. Shown when someone asks what nDCG was divided by.

    >>> round(score(iDCG @ 6, [3, 2, 3, 0, 1, 2], unreturned=[3, 0]), 6)
    8.384055
    >>> round(score(iDCG(gain="exp"), [5, 4, 3, 2, 1]), 6)
    45.642829
    """
    if ideal == "full":
        require(k is not None, "ideal='full' means k documents of the highest grade: give a k.")
        best = gains(gain, of=pl.col(TOP_GRADE)).first()
        places = pl.int_range(1, (k or 0) + 1, eager=True)
        weights: float = pl.select(discounts(pl.lit(places), discount, base).sum()).item()
        return best * weights
    gain_of_each = gains(gain)
    if ideal == "returned":
        gain_of_each = pl.when(within(None)).then(gain_of_each)
    # Every row is given its place in the ideal order: a sort inside a group is slower, and one
    # followed by head() gave wrong sums for all but the first group (Polars 2.1).
    place = gain_of_each.rank("ordinal", descending=True)
    kept = place.is_not_null() if k is None else place <= k
    return total((gain_of_each * discounts(place, discount, base)).filter(kept))


@measure(
    title="Normalised discounted cumulative gain",
    family="gain",
    formula=r"\mathrm{DCG}@k \,/\, \mathrm{iDCG}@k",
    source=_BOTH,
    aliases={
        "ndcg": {},
        "ndcg_cut": {},
        "ndcg_burges": {"gain": "exp"},
    },
)
def nDCG(
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: float = 2,
    ideal: Ideal = "judged",
) -> pl.Expr:
    """The gain a reader gets from the top of the list, as a share of the most there was to get.

    From 0 to 1, where 1 is an ideal order; 0 where no document has a positive grade. The usual
    choice for graded judgments.

    >>> round(score(nDCG @ 6, [3, 2, 3, 0, 1, 2], unreturned=[3, 0]), 6)
    0.818354
    >>> round(score(nDCG(ideal="returned") @ 6, [3, 2, 3, 0, 1, 2], unreturned=[3, 0]), 6)
    0.960808
    """
    dcg = DCG.declaration.formulate(k, gain, discount, base)
    idcg = iDCG.declaration.formulate(k, gain, discount, base, ideal)
    # The two sums add equal terms in another order, so an ideal list may pass 1 by its last bit.
    return ratio(dcg, idcg).clip(upper_bound=1.0)


def gains(gain: Gain, of: pl.Expr | None = None) -> pl.Expr:
    """Return what each document gains a reader; negative grades gain nothing."""
    grade = (pl.col(RELEVANCE) if of is None else of).clip(lower_bound=0.0)
    return grade if gain == "linear" else 2.0**grade - 1.0


def discounts(place: pl.Expr, discount: Discount, base: float) -> pl.Expr:
    """Return the share of its gain that a document keeps at each place."""
    require(base > 1, f"base={base} must be above 1: it is the base of a logarithm.")
    if discount == "log2":
        require(base == 2, "base= belongs to discount='jarvelin'; 'log2' has base 2.")
        return 1.0 / (place + 1).log(2.0)
    return pl.when(place < base).then(1.0).otherwise(1.0 / place.log(base))


__all__ = ["CG", "DCG", "Discount", "Gain", "Ideal", "discounts", "gains", "iDCG", "nDCG"]
