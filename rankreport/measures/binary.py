"""Binary measures: a document is relevant when its grade reaches ``rel``, or it is not.

``rel=`` is the lowest relevant grade (1 unless given). Average precision has three denominators in
use, told apart by ``over=``: ``"relevant"``, all relevant documents (trec_eval); ``"returned"``,
the relevant documents that the system returned above the cut; ``"min"``, the smaller of the number
of relevant documents and k (common for recommenders).

``judged_only=True`` takes the documents that nobody judged out of the list first (the condensed
list of Sakai, SIGIR 2007; trec_eval -J). What there is to find stays the same. As in trec_eval a
document of negative grade goes with them: it was pooled, but not judged.
"""

from __future__ import annotations

from typing import Literal

import polars as pl

from rankreport.measures.blocks import (
    first,
    last,
    mean_over_block,
    mean_over_returned,
    mean_reciprocal,
    n_above,
    n_expected,
    n_relevant_before,
    n_relevant_in,
    of_block,
    share_within,
    size,
)
from rankreport.measures.declare import Moves, measure
from rankreport.measures.places import summed_up_to
from rankreport.measures.prepared import Column
from rankreport.measures.terms import (
    cut,
    f_measure,
    found,
    n_found,
    n_relevant,
    place_in,
    ratio,
    relevant,
    share,
    total,
)

__all__ = [
    "AP",
    "RR",
    "AvgP",
    "F",
    "Over",
    "P",
    "R",
    "RelP",
    "Rprec",
    "Success",
    "sum_of_precisions",
]

Over = Literal["relevant", "returned", "min"]
"""What average precision is averaged over."""

_TEXTBOOK = "Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, chapter 8"
_TREC = "Buckley and Voorhees, in TREC: Experiment and Evaluation in Information Retrieval, 2005"


def _expected_p(k: int | None = None, rel: float = 1, **_: object) -> pl.Expr:
    return share(n_expected(relevant(rel), k), cut(k))


@measure(
    title="Precision",
    family="binary",
    formula=r"\frac{1}{k} \sum_{i=1}^{k} \mathrm{rel}_i",
    source=_TEXTBOOK,
    moves="up",
    expected=_expected_p,
    aliases={"precision": {}, "set_P": {}, "SetP": {}},
)
def P(k: int | None = None, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """The share of the first k documents that are relevant.

    From 0 to 1. A list shorter than k is judged as if it went on with documents that are not
    relevant. Without a cut-off, the share of all the documents returned.

    >>> score(P @ 5, [1, 0, 1])
    0.4
    """
    return ratio(n_found(rel, k, judged_only=judged_only), cut(k, judged_only=judged_only))


def _expected_r(k: int | None = None, rel: float = 1, **_: object) -> pl.Expr:
    return share(n_expected(relevant(rel), k), n_relevant(rel))


@measure(
    title="Recall",
    family="binary",
    formula=r"\frac{1}{n_\mathrm{rel}} \sum_{i=1}^{k} \mathrm{rel}_i",
    source=_TEXTBOOK,
    moves="up",
    expected=_expected_r,
    aliases={"recall": {}, "set_recall": {}, "SetR": {}},
)
def R(k: int | None = None, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """The share of all relevant documents that stand among the first k.

    From 0 to 1; 0 where nothing is relevant. What a first stage must have for later ones to work.

    >>> score(R @ 3, [1, 0, 1], unreturned=[1, 1])
    0.5
    """
    return ratio(n_found(rel, k, judged_only=judged_only), n_relevant(rel))


def _expected_f(k: int | None = None, beta: float = 1, rel: float = 1, **_: object) -> pl.Expr:
    # Below the line nothing depends on the order.
    return f_measure(beta, n_expected(relevant(rel), k), n_relevant(rel), cut(k))


@measure(
    title="F measure",
    family="binary",
    formula=r"\frac{(1+\beta^2) P R}{\beta^2 P + R}",
    source="Van Rijsbergen, Information Retrieval, 1979, chapter 7",
    moves="up",
    expected=_expected_f,
    aliases={"f1": {}},
)
def F(k: int | None = None, beta: float = 1, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """Precision and recall at k in one number, recall weighing beta times as much.

    From 0 to 1; 0 where no relevant document was returned.

    >>> score(F @ 4, [1, 0, 1, 0], unreturned=[1, 1])
    0.5
    """
    hits = n_found(rel, k, judged_only=judged_only)
    return f_measure(beta, hits, n_relevant(rel), cut(k, judged_only=judged_only))


def _earliest(of: pl.Expr, rel: float) -> pl.Expr:
    """Return a column's values for the relevant documents of the first block that holds one."""
    block = first.filter(found(rel, None)).min()
    return of.filter(relevant(rel) & (first == block))


def _expected_success(k: int | None = None, rel: float = 1, **_: object) -> pl.Expr:
    # One relevant document after the other: the chance that it is above the cut, if those before it
    # are not, so that as many places fewer are left for it, times the chance that they are not.
    above = _earliest(n_above(k), rel)
    hit = (above / (_earliest(size, rel) - pl.int_range(0, above.len()))).clip(upper_bound=1.0)
    return total(hit * (1.0 - hit).cum_prod().shift(1, fill_value=1.0))


@measure(
    title="Success",
    family="binary",
    formula=r"[\,\exists\, i \le k : \mathrm{rel}_i\,]",
    source=_TREC,
    moves="up",
    expected=_expected_success,
    aliases={"success": {}, "hit_rate": {}, "HitRate": {}},
)
def Success(k: int | None = None, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """Whether any of the first k documents is relevant.

    0 or 1 for a query; the mean is the share of queries that were served at all. Recommenders call
    it the hit rate.

    >>> score(Success @ 2, [0, 0, 1]), score(Success @ 3, [0, 0, 1])
    (0.0, 1.0)
    """
    return found(rel, k, judged_only=judged_only).any()


def _expected_rr(k: int | None = None, rel: float = 1, **_: object) -> pl.Expr:
    where, above, n = (_earliest(each, rel).first() for each in (first, n_above(k), size))
    n_rel = _earliest(first, rel).len()
    return of_block(mean_reciprocal, where, above, n, n_rel).fill_null(0.0)


@measure(
    title="Reciprocal rank",
    family="binary",
    formula=r"1 / \min\{i \le k : \mathrm{rel}_i\}",
    source="Voorhees, TREC-8 Question Answering Track Report, 1999",
    moves="up",
    expected=_expected_rr,
    aliases={"recip_rank": {}, "mrr": {}},
)
def RR(k: int | None = None, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """One over the place of the first relevant document, 0 if there is none above the cut.

    From 0 to 1. For readers who want one answer; its mean over queries is called MRR.

    >>> score(RR, [0, 0, 1, 1])
    0.3333333333333333
    """
    early = found(rel, k, judged_only=judged_only)
    return (1.0 / place_in(judged_only).filter(early).min()).fill_null(0.0)


def _expected_ap(
    k: int | None = None, rel: float = 1, over: Over = "relevant", **_: object
) -> pl.Expr:
    reciprocal = mean_over_block(lambda place: 1.0 / place, k)
    # In the mean, so many of the block's other relevant documents stand above each of its places.
    n_others = (n_relevant_in(rel) - 1) / (size - 1).clip(lower_bound=1)
    added = (1 + n_relevant_before(rel)) * reciprocal
    added += n_others * (share_within(k) - first * reciprocal)
    if over == "returned" and k is not None:
        return _expected_ap_of_returned(added, k, rel)
    return share(total(added.filter(found(rel, None))), _n_averaged(k, rel, over))


def _expected_ap_of_returned(added: pl.Expr, k: int, rel: float) -> pl.Expr:
    """Return the mean where the cut may split a block: the order decides what is returned."""
    whole = relevant(rel) & (last <= k)
    split = relevant(rel) & (first <= k) & (k < last)
    so_far = total(added.filter(whole))
    block = (first, n_above(k), size, n_relevant_in(rel), n_relevant_before(rel))
    mixed = of_block(mean_over_returned, so_far, *(each.filter(split).first() for each in block))
    mean = pl.when(split.any()).then(mixed).otherwise(ratio(so_far, whole.sum()))
    return mean.clip(upper_bound=1.0)


def _n_averaged(k: int | None, rel: float, over: Over, *, judged_only: bool = False) -> pl.Expr:
    return {
        "relevant": n_relevant(rel),
        "returned": n_found(rel, k, judged_only=judged_only),
        "min": pl.min_horizontal(n_relevant(rel), n_relevant(rel) if k is None else pl.lit(k)),
    }[over]


def _ap_moves(k: int | None = None, over: Over = "relevant", **_: object) -> Moves:
    # A relevant document that comes in above the cut lowers the mean of those returned.
    return "either" if over == "returned" and k is not None else "up"


@measure(
    title="Average precision",
    family="binary",
    formula=r"\frac{1}{n} \sum_{i=1}^{k} \mathrm{rel}_i \, P@i",
    source=_TREC,
    moves=_ap_moves,
    expected=_expected_ap,
    aliases={"map": {}, "map_cut": {}},
)
def AP(
    k: int | None = None, rel: float = 1, over: Over = "relevant", judged_only: bool = False
) -> pl.Expr:
    """The mean of the precisions at the places of the relevant documents.

    From 0 to 1; 0 where nothing is relevant. A relevant document that was not returned above the
    cut adds 0 to the mean under ``over="relevant"``. Its mean over queries is called MAP.

    >>> round(score(AP, [1, 1, 0, 1, 0, 0, 1]), 4)
    0.8304
    >>> score(AP, [1, 0], unreturned=[1]), score(AP(over="returned"), [1, 0], unreturned=[1])
    (0.5, 1.0)
    """
    precisions = sum_of_precisions(rel, k, judged_only=judged_only)
    return ratio(precisions, _n_averaged(k, rel, over, judged_only=judged_only))


def sum_of_precisions(rel: float, k: int | None = None, *, judged_only: bool = False) -> pl.Expr:
    """Return the sum of the precisions at the places of the relevant documents above the cut."""
    places = place_in(judged_only).filter(found(rel, k, judged_only=judged_only))
    return total(pl.int_range(1, places.len() + 1) / places)


def _expected_avgp(k: int | None = None, rel: float = 1, **_: object) -> pl.Expr:
    from_each = summed_up_to(cut(k), _reciprocal) * share_within(k)
    from_each -= mean_over_block(lambda place: summed_up_to(place - 1, _reciprocal), k)
    return share(total(from_each.filter(relevant(rel))), cut(k))


def _reciprocal(places: Column) -> Column:
    return 1.0 / places


@measure(
    title="Mean of the precisions",
    family="binary",
    formula=r"\frac{1}{k} \sum_{j=1}^{k} P@j",
    source="Some texts on recommenders call it average precision: see AP",
    moves="up",
    expected=_expected_avgp,
)
def AvgP(k: int | None = None, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """The mean of P@1, P@2 up to P@k, relevant or not at those places.

    From 0 to 1, and below 1 only if something irrelevant stands above the cut: unlike AP it does
    not ask how many relevant documents there are.

    >>> score(AvgP @ 3, [1, 0, 1])
    0.7222222222222222
    """
    # A relevant document at place i adds 1/j to every P@j from j = i on.
    length = cut(k, judged_only=judged_only)
    from_each = summed_up_to(length, _reciprocal)
    from_each -= summed_up_to(place_in(judged_only) - 1, _reciprocal)
    return share(total(from_each.filter(found(rel, k, judged_only=judged_only))), length)


def _expected_rprec(rel: float = 1, **_: object) -> pl.Expr:
    return share(n_expected(relevant(rel), n_relevant(rel)), n_relevant(rel))


@measure(
    title="R-precision",
    family="binary",
    formula=r"P@n_\mathrm{rel}",
    source=_TREC,
    moves="up",
    expected=_expected_rprec,
    aliases={"r-precision": {}, "r_precision": {}},
)
def Rprec(rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """Precision at the place up to which an ideal list would hold relevant documents alone.

    From 0 to 1; 0 where nothing is relevant. There precision and recall are equal.

    >>> score(Rprec, [1, 0, 1, 0])
    0.5
    """
    return ratio(n_found(rel, n_relevant(rel), judged_only=judged_only), n_relevant(rel))


def _expected_relp(k: int | None = None, rel: float = 1, **_: object) -> pl.Expr:
    return share(n_expected(relevant(rel), k), pl.min_horizontal(cut(k), n_relevant(rel)))


@measure(
    title="Relative precision",
    family="binary",
    formula=r"\frac{1}{\min(k, n_\mathrm{rel})} \sum_{i=1}^{k} \mathrm{rel}_i",
    source="trec_eval's relative_P and set_relative_P",
    moves="up",
    expected=_expected_relp,
    aliases={"relative_P": {}, "set_relative_P": {}, "SetRelP": {}},
)
def RelP(k: int | None = None, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """The relevant documents above the cut, as a share of the most there could have been.

    From 0 to 1; 0 where nothing is relevant. Precision as long as k is below the number of relevant
    documents, recall from there on. Without a cut-off, k is the number of documents returned.

    >>> score(RelP @ 4, [1, 0, 1, 0], unreturned=[1])
    0.6666666666666666
    """
    size = cut(k, judged_only=judged_only)
    hits = n_found(rel, k, judged_only=judged_only)
    return ratio(hits, pl.min_horizontal(size, n_relevant(rel)))
