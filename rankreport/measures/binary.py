"""Binary measures: a document is relevant if its grade is at least ``rel`` (default 1).

Average precision has four denominators in use, selected by ``over``: ``"relevant"``, all relevant
documents (trec_eval); ``"returned"``, the relevant documents within the cut-off; ``"min"``, the
smaller of k and the number of relevant documents (common for recommenders); ``"k"`` (RecTools with
``divide_by_k=True``). Precision divides by k, or with ``over="returned"`` by the length of a list
that is shorter.

``judged_only=True`` removes unjudged documents from the list first (the condensed list of Sakai,
SIGIR 2007; trec_eval -J). The number of relevant documents stays the same. As in trec_eval, a
negative grade means pooled but not judged, so such documents are removed too.

Set measures ignore the order of the documents. Precision and recall of the whole set are P and R
without a cut-off.

Measures at recall levels take the precision where a share of the relevant documents is found, or at
a multiple of their number. The share is rounded to a whole number of documents, as ``rounding``
says: ``"trec_eval-10"`` to the nearest number; ``"trec_eval-9"`` up if the fraction is a tenth or
more, else down (also pytrec_eval and ir_measures).

GMAP, GMbpref and YAAP average better over easy and hard queries: queries with high values dominate
the mean of AP, while geometric means and means of log odds compare systems by ratios.
"""

from __future__ import annotations

import operator
from functools import partial, reduce
from typing import Literal

import polars as pl

from rankreport.measures._attention import summed_up_to
from rankreport.measures._orders import linear, n_within
from rankreport.measures._prepared import Column, prepared, running
from rankreport.measures._terms import (
    NoRelevant,
    ShareOf,
    constant,
    cut,
    f_measure,
    found,
    n_found,
    n_relevant,
    place_in,
    rank,
    ratio,
    relevant,
    retrieved,
    settled,
    share,
    total,
    up_to,
)
from rankreport.measures.counts import nonrelevant
from rankreport.measures.declare import Moves, measure
from rankreport.measures.incomplete import Bpref, PrefOver
from rankreport.measures.parameters import require
from rankreport.measures.ties import (
    first,
    mean_over_block,
    mean_reciprocal,
    n_above,
    n_relevant_before,
    n_relevant_in,
    of_block,
    share_within,
    size,
)

__all__ = [
    "AP",
    "AR",
    "GMAP",
    "RR",
    "YAAP",
    "AvgP",
    "F",
    "FallOut",
    "GMbpref",
    "IPrec",
    "IPrec11",
    "P",
    "PartialAUC",
    "R",
    "RelP",
    "Rprec",
    "RprecMult",
    "SetAP",
    "SetF",
    "Success",
    "Utility",
]


Over = Literal["relevant", "returned", "min", "k"]
"""The denominator of average precision."""

_TEXTBOOK = "Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, chapter 8"
_TREC = "Buckley and Voorhees, in TREC: Experiment and Evaluation in Information Retrieval, 2005"


_binary = partial(measure, family="binary", moves="up")
_linear = partial(linear, _binary)


@_linear(
    title="Precision",
    formula=r"\frac{1}{k} \sum_{i=1}^{k} \mathrm{rel}_i",
    source=_TEXTBOOK,
    aliases={n: {} for n in ("precision", "set_P", "SetP", "id_based_context_precision")},
)
def P(
    k: int | None = None, rel: float = 1, judged_only: bool = False, over: ShareOf = "k"
) -> pl.Expr:
    """The share of the first k documents that are relevant.

    From 0 to 1. A list shorter than k is extended with documents that are not relevant, unless
    ``over="returned"`` divides by its length (TensorFlow Ranking, LensKit, MLflow, Evidently,
    Quepid, XGBoost, CatBoost), which favours short lists. Without a cut-off, the share of all
    documents returned.

    >>> score(P @ 5, [1, 0, 1])
    0.4
    >>> score(P(over="returned") @ 5, [1, 0])
    0.5
    """
    size = cut(k, judged_only=judged_only, over=over)
    return share(n_within(relevant(rel), k, judged_only=judged_only), size)


@_linear(
    title="Recall",
    formula=r"\frac{1}{n_\mathrm{rel}} \sum_{i=1}^{k} \mathrm{rel}_i",
    source=_TEXTBOOK,
    aliases={
        n: {}
        for n in ("recall", "set_recall", "SetR", "id_based_context_recall", "recall_multi_hit")
    },
    normalised=True,
)
def R(k: int | None = None, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """The share of all relevant documents that are among the first k.

    From 0 to 1; 0 where nothing is relevant. Use it for first-stage retrieval.

    >>> score(R @ 3, [1, 0, 1], unreturned=[1, 1])
    0.5
    """
    return share(n_within(relevant(rel), k, judged_only=judged_only), n_relevant(rel))


@_linear(
    title="F measure",
    formula=r"\frac{(1+\beta^2) P R}{\beta^2 P + R}",
    source="Van Rijsbergen, Information Retrieval, 1979, chapter 7",
    aliases={"f1": {}},
)
def F(k: int | None = None, beta: float = 1, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """The weighted harmonic mean of precision and recall at k, recall weighing beta times as much.

    From 0 to 1; 0 where no relevant document was returned.

    >>> score(F @ 4, [1, 0, 1, 0], unreturned=[1, 1])
    0.5
    """
    hits = n_within(relevant(rel), k, judged_only=judged_only)
    return f_measure(beta, hits, n_relevant(rel), cut(k, judged_only=judged_only))


def _earliest(of: pl.Expr, rel: float) -> pl.Expr:
    """Return a column for the relevant documents of the first block with a relevant document."""
    block = first.filter(found(rel, None)).min()
    return of.filter(relevant(rel) & (first == block))


def _expected_success(k: int | None = None, rel: float = 1, **_: object) -> pl.Expr:
    # For each relevant document in turn: the probability that it is within the cut-off, given that
    # the ones before are not (which leaves fewer ranks for it), times the probability that they are
    # not.
    above = _earliest(n_above(k), rel)
    hit = (above / (_earliest(size, rel) - pl.int_range(0, above.len()))).clip(upper_bound=1.0)
    return total(hit * (1.0 - hit).cum_prod().shift(1, fill_value=1.0))


@_binary(
    title="Success",
    formula=r"[\,\exists\, i \le k : \mathrm{rel}_i\,]",
    source=_TREC,
    expected=_expected_success,
    aliases={n: {} for n in ("success", "hit_rate", "HitRate", "hit", "HR", "hit_ratio")}
    | {"recall_single_hit": {}},
)
def Success(k: int | None = None, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """Whether any of the first k documents is relevant.

    0 or 1 for a query; the mean is the share of queries with a relevant document. In recommendation
    it is called hit rate.

    >>> score(Success @ 2, [0, 0, 1]), score(Success @ 3, [0, 0, 1])
    (0.0, 1.0)
    """
    return found(rel, k, judged_only=judged_only).any()


def _expected_rr(k: int | None = None, rel: float = 1, **_: object) -> pl.Expr:
    where, above, n = (_earliest(each, rel).first() for each in (first, n_above(k), size))
    n_rel = _earliest(first, rel).len()
    return of_block(mean_reciprocal, where, above, n, n_rel).fill_null(0.0)


@_binary(
    title="Reciprocal rank",
    formula=r"1 / \min\{i \le k : \mathrm{rel}_i\}",
    source="Voorhees, TREC-8 Question Answering Track Report, 1999",
    expected=_expected_rr,
    aliases={
        n: {}
        for n in ("recip_rank", "mrr", "mean_reciprocal_rank", "reciprocal_rank", "document_mrr")
    },
)
def RR(k: int | None = None, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """1 / rank of the first relevant document, 0 if there is none within the cut-off.

    From 0 to 1. Use it where readers want one answer. Its mean over queries is called MRR.

    >>> score(RR, [0, 0, 1, 1])
    0.3333333333333333
    """
    early = found(rel, k, judged_only=judged_only)
    return (1.0 / place_in(judged_only).filter(early).min()).fill_null(0.0)


def _expected_ap(
    k: int | None = None,
    rel: float = 1,
    over: Over = "relevant",
    no_relevant: NoRelevant = "given",
    **_: object,
) -> pl.Expr:
    # The order decides how many of a block are returned within the cut-off.
    unknown = "its mean over the orders of equal scores is not known with over='returned' and a"
    require(over != "returned" or k is None, f"{unknown} cut-off. Use ties='trec'.")
    return settled(_mean_ap(k, rel, over), no_relevant)


def _mean_ap(k: int | None, rel: float, over: Over) -> pl.Expr:
    reciprocal = mean_over_block(lambda place: 1.0 / place, k)
    # The expected share of the block's other relevant documents at each of the ranks above.
    n_others = (n_relevant_in(rel) - 1) / (size - 1).clip(lower_bound=1)
    added = (1 + n_relevant_before(rel)) * reciprocal
    added += n_others * (share_within(k) - first * reciprocal)
    return share(total(added.filter(found(rel, None))), _n_averaged(k, rel, over))


def _n_averaged(k: int | None, rel: float, over: Over, *, judged_only: bool = False) -> pl.Expr:
    return {
        "relevant": n_relevant(rel),
        "returned": n_found(rel, k, judged_only=judged_only),
        "min": pl.min_horizontal(n_relevant(rel), n_relevant(rel) if k is None else pl.lit(k)),
        "k": cut(k, judged_only=judged_only),
    }[over]


def _ap_moves(k: int | None = None, over: Over = "relevant", **_: object) -> Moves:
    # A relevant document that moves within the cut-off can lower the mean over those returned.
    return "either" if over == "returned" and k is not None else "up"


@_binary(
    title="Average precision",
    formula=r"\frac{1}{n} \sum_{i=1}^{k} \mathrm{rel}_i \, P@i",
    source=_TREC,
    moves=_ap_moves,
    expected=_expected_ap,
    aliases={n: {} for n in ("map", "map_cut", "mean_average_precision", "average_precision")},
    normalised=lambda over="relevant", **_: over != "k",
)
def AP(
    k: int | None = None,
    rel: float = 1,
    over: Over = "relevant",
    judged_only: bool = False,
    no_relevant: NoRelevant = "given",
) -> pl.Expr:
    """The mean of the precisions at the ranks of the relevant documents.

    From 0 to 1; 0 where nothing is relevant, or 1 with ``no_relevant="one"`` where no document has
    a positive grade. With ``over="relevant"``, a relevant document outside the cut-off adds 0 to
    the mean. Its mean over queries is called MAP.

    >>> round(score(AP, [1, 1, 0, 1, 0, 0, 1]), 4)
    0.8304
    >>> score(AP, [1, 0], unreturned=[1]), score(AP(over="returned"), [1, 0], unreturned=[1])
    (0.5, 1.0)
    >>> score(AP(over="k") @ 4, [1, 0], unreturned=[1])
    0.25
    """
    precisions = sum_of_precisions(rel, k, judged_only=judged_only)
    mean = ratio(precisions, _n_averaged(k, rel, over, judged_only=judged_only))
    return settled(mean, no_relevant)


def sum_of_precisions(rel: float, k: int | None = None, *, judged_only: bool = False) -> pl.Expr:
    """Return the sum of the precisions at the relevant documents within the cut-off."""
    so_far = prepared(_precisions_so_far, rel=rel, judged_only=judged_only)
    return up_to(so_far, place_in(judged_only), k)


def _precisions_so_far(rel: float, judged_only: bool) -> pl.Expr:
    place = prepared(place_in, judged_only=True) if judged_only else rank()
    hits = relevant(rel) & place.is_not_null()
    return running(pl.when(hits).then(running(hits) / place).otherwise(0.0))


def _expected_avgp(k: int | None = None, rel: float = 1, **_: object) -> pl.Expr:
    from_each = summed_up_to(cut(k), _reciprocal) * share_within(k)
    from_each -= mean_over_block(lambda place: summed_up_to(place - 1, _reciprocal), k)
    return share(total(from_each.filter(relevant(rel))), cut(k))


def _reciprocal(places: Column) -> Column:
    return 1.0 / places


@_binary(
    title="Mean of the precisions",
    formula=r"\frac{1}{k} \sum_{j=1}^{k} P@j",
    source="Some texts on recommenders call it average precision: see AP",
    expected=_expected_avgp,
)
def AvgP(k: int | None = None, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """The mean of P@1, P@2 up to P@k, whether or not the documents at these ranks are relevant.

    From 0 to 1. Unlike AP, it does not depend on the number of relevant documents: it is 1 if the
    first k documents are all relevant.

    >>> score(AvgP @ 3, [1, 0, 1])
    0.7222222222222222
    """
    # A relevant document at rank i adds 1/j to every P@j with j >= i.
    length = cut(k, judged_only=judged_only)
    from_each = summed_up_to(length, _reciprocal)
    from_each -= summed_up_to(place_in(judged_only) - 1, _reciprocal)
    return share(total(from_each.filter(found(rel, k, judged_only=judged_only))), length)


@_linear(
    title="R-precision",
    formula=r"P@n_\mathrm{rel}",
    source=_TREC,
    aliases={"r-precision": {}, "r_precision": {}},
    normalised=True,
)
def Rprec(k: int | None = None, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """Precision at rank R, the number of relevant documents.

    From 0 to 1; 0 where nothing is relevant. At this rank precision and recall are equal. With a
    cut-off, documents below rank k count as not relevant (``r_precision_at_k`` of Recommenders; in
    RecTools, precision with ``r_precision=True`` is `RelP`).

    >>> score(Rprec, [1, 0, 1, 0]), score(Rprec @ 1, [1, 1])
    (0.5, 0.5)
    """
    place = n_relevant(rel).clip(upper_bound=k)
    hits = n_within(relevant(rel), place, judged_only=judged_only)
    return share(hits, n_relevant(rel))


@_binary(
    title="Average recall",
    formula=r"\frac{1}{n_\mathrm{rel}} \sum_{i=1}^{k} \mathrm{rel}_i \, R@i",
    source="Evidently's MAR; average_recall_at_k of rexmex and recmetrics is AP",
    normalised=True,
)
def AR(k: int | None = None, rel: float = 1) -> pl.Expr:
    """The mean of the recalls at the ranks of the relevant documents, 0 for those not found.

    From 0 to (R + 1) / 2R for R relevant documents, since the j-th of them is at recall j / R: it
    depends on how many are found, not on their ranks. Use it only to reproduce a value.

    >>> score(AR @ 3, [1, 0, 1], unreturned=[1, 1])  # (1/4 + 2/4) / 4
    0.1875
    """
    hits, n = (each.cast(pl.Float64) for each in (n_found(rel, k), n_relevant(rel)))
    return ratio(hits * (hits + 1.0) / 2.0, n * n)


@_linear(
    title="Fall-out",
    better="low",
    moves="either",
    formula=r"\frac{|\{i \le k : 0 \le g_i < \mathrm{rel}\}|}{|\{d : 0 \le g_d < \mathrm{rel}\}|}",
    source="torchmetrics' RetrievalFallOut; Van Rijsbergen, Information Retrieval, 1979, chapter 7",
    nothing_relevant="by the formula",
    undefined="no document was judged not relevant",
    aliases={"fallout": {}, "fall_out": {}},
)
def FallOut(k: int | None = None, rel: float = 1) -> pl.Expr:
    """The share of the documents judged not relevant that are among the first k; lower is better.

    From 0 to 1. Unjudged documents hold their ranks and do not count. For a threshold on scores
    instead of a rank, see `FPR`.

    >>> score(FallOut @ 2, [1, 0, 0], unreturned=[0, 0])
    0.25
    """
    others = nonrelevant(rel)
    return pl.when(others.any()).then(share(n_within(others, k), others.sum()))


@_linear(
    title="Relative precision",
    formula=r"\frac{1}{\min(k, n_\mathrm{rel})} \sum_{i=1}^{k} \mathrm{rel}_i",
    source="trec_eval's relative_P and set_relative_P",
    aliases={"relative_P": {}, "set_relative_P": {}, "SetRelP": {}},
    normalised=True,
)
def RelP(k: int | None = None, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """The relevant documents within the cut-off, as a share of the largest possible number.

    From 0 to 1; 0 where nothing is relevant. It is precision where k is below the number of
    relevant documents, else recall. Without a cut-off, k is the number of documents returned.

    >>> score(RelP @ 4, [1, 0, 1, 0], unreturned=[1])
    0.6666666666666666
    """
    size = cut(k, judged_only=judged_only)
    hits = n_within(relevant(rel), k, judged_only=judged_only)
    return share(hits, pl.min_horizontal(size, n_relevant(rel)))


Compared = Literal["all", "first"]
"""Which relevant documents are compared: all, or as many as others, the first in the list."""


@_binary(
    title="Partial area under the ROC curve",
    formula=r"\frac{1}{m \, n} \sum_{i=1}^{n} \max(0, m - o_i)",
    source="Hiranandani et al., ICML 2020; PartialAUC and PAP of RecTools",
    at="others",
    aliases={"PAP": {"of": "first"}, "pAUC": {}},
    normalised=True,
)
def PartialAUC(others: float | None = None, rel: float = 1, of: Compared = "all") -> pl.Expr:
    """The probability that a relevant document ranks above one of the first m other documents.

    From 0 to 1; 0 where nothing is relevant. ``PartialAUC@3`` is of the first 3 others; without a
    number, m is the number of documents returned. o_i is the number of others above the i-th
    relevant document, unjudged ones among them. Relevant documents that were not returned are below
    all others, so give lists that are longer than m. n counts all relevant documents, or with
    ``of="first"`` at most m: then it is RecTools' PAP, which behaves like precision where more than
    m are relevant. `AUC` compares judged documents only.

    >>> score(PartialAUC @ 2, [1, 0, 1, 0], unreturned=[1])  # (2 + 1) / (2 * 3)
    0.5
    >>> score(PartialAUC(of="first") @ 1, [1, 0, 1])
    1.0
    """
    whole = others is None or (others == int(others) and others > 0)
    require(whole, f"{others} others: expected a whole number from 1.")
    m = retrieved().cast(pl.Float64) if others is None else constant(others)
    hits, n = found(rel, None), n_relevant(rel)
    place = hits.cum_sum()
    if of == "first":
        hits, n = hits & (place <= m), pl.min_horizontal(n, m)
    ahead = m - (rank().cast(pl.Float64) - place)
    return share(total(ahead.clip(lower_bound=0.0).filter(hits)), m * n)


_of_sets = partial(measure, family="sets", moves="none")


@_of_sets(
    title="F measure of the set, beta not squared",
    formula=r"\frac{(1+\beta) P R}{\beta P + R}",
    source="trec_eval's set_F; ir_measures' SetF",
    aliases={"set_F": {}},
)
def SetF(beta: float = 1, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """The weighted harmonic mean of precision and recall of all documents returned.

    From 0 to 1; 0 where no relevant document was returned. Here beta is the weight itself, as in
    trec_eval and ir_measures; F squares it: ``SetF(beta=4)`` is ``F(beta=2)``.

    >>> score(SetF, [1, 0, 1, 0], unreturned=[1, 1])
    0.5
    >>> round(score(SetF(beta=4), [1, 0, 1, 0], unreturned=[1, 1, 1, 1]), 6)
    0.357143
    """
    hits = n_found(rel, None, judged_only=judged_only)
    size = cut(None, judged_only=judged_only)
    return f_measure(beta, hits, n_relevant(rel), size, squared=False)


@_of_sets(
    title="Average precision of the set",
    formula=r"P \cdot R",
    source="trec_eval's set_map",
    aliases={"set_map": {}},
    normalised=True,
)
def SetAP(rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """Precision times recall of all documents returned.

    From 0 to 1; 0 where nothing is relevant. It is average precision without an order: each
    relevant document returned counts with the precision of the whole set.

    >>> score(SetAP, [1, 0, 1, 0], unreturned=[1, 1])
    0.25
    """
    hits = n_found(rel, None, judged_only=judged_only)
    return ratio(hits, cut(None, judged_only=judged_only)) * ratio(hits, n_relevant(rel))


@_of_sets(
    title="Utility of the set",
    formula=r"a\, n_\mathrm{hit} + b\, n_\mathrm{false} + c\, n_\mathrm{missed}"
    r" + d\, n_\mathrm{rejected}",
    source="trec_eval's utility",
    range=(None, None),
    nothing_returned="by the formula",
    nothing_relevant="by the formula",
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
    """The utility of the set: a weighted sum of the four cells of the confusion matrix.

    Without bounds. Each relevant document returned counts ``a``, each other document returned
    ``b``, each relevant document missed ``c``, and each other document of the collection ``d``. For
    ``d``, give the size of the collection (``n_documents``, trec_eval's option -N). Systems are
    compared by the mean over queries, although some authors use the sum. A query without results
    counts its missed documents; trec_eval leaves it out or counts it as 0.

    >>> score(Utility, [1, 0, None, 1], unreturned=[1])
    0.0
    >>> score(Utility(a=2, c=-1), [1, 0, None, 1], unreturned=[1])
    1.0
    """
    require(n_documents >= 0, f"n_documents={n_documents} must not be negative.")
    hits = n_found(rel, None).cast(pl.Float64)
    false = retrieved() - hits
    missed = n_relevant(rel) - hits
    return a * hits + b * false + c * missed + d * (n_documents - hits - false - missed)


Rounding = Literal["trec_eval-10", "trec_eval-9"]


_SALTON = "Salton and McGill, Introduction to Modern Information Retrieval, 1983, chapter 5"


_at_recall = partial(measure, family="recall levels", moves="up")


@_at_recall(
    title="Interpolated precision",
    formula=r"\max \{ P@i : n_\mathrm{rel} R@i \ge"
    r" \mathrm{round}(\mathrm{recall} \cdot n_\mathrm{rel}) \}",
    source=_SALTON,
    at="recall",
    aliases={"iprec_at_recall": {}},
)
def IPrec(
    recall: float = 0,
    rel: float = 1,
    rounding: Rounding = "trec_eval-10",
    judged_only: bool = False,
) -> pl.Expr:
    """The highest precision at any rank whose recall is at least the given level.

    From 0 to 1; 0 where that recall is not reached. The level is rounded to a whole number of
    documents (see ``rounding``). These are the points of a precision-recall curve: ``IPrec@0.1`` is
    the highest precision where at least a tenth of the relevant documents is found. Without a
    level, it is the highest precision at any rank.

    >>> score(IPrec @ 0.5, [1, 0, 1, 0, 1], unreturned=[1])
    0.6666666666666666
    >>> score(IPrec @ 1, [1, 0, 1, 0, 1], unreturned=[1])
    0.0
    """
    require(0 <= recall <= 1, f"recall={recall} must lie between 0 and 1.")
    return _interpolated(recall, rel, rounding, judged_only)


@_at_recall(
    title="Eleven-point average precision",
    formula=r"\frac{1}{11} \sum_{j=0}^{10} \mathrm{IPrec}@(j/10)",
    source=_SALTON,
    aliases={"11pt_avg": {}},
)
def IPrec11(
    rel: float = 1, rounding: Rounding = "trec_eval-10", judged_only: bool = False
) -> pl.Expr:
    """The mean of the interpolated precisions at recall 0, 0.1, 0.2 up to 1.

    From 0 to 1; 0 where nothing is relevant. Common before AP: use it to compare with old results.

    >>> round(score(IPrec11, [1, 0, 1, 0, 1]), 6)
    0.806061
    """
    levels = [_interpolated(tenth / 10, rel, rounding, judged_only) for tenth in range(11)]
    # Added one by one: the last bit of sum_horizontal depends on the number of threads.
    return reduce(operator.add, levels) / constant(11)


@linear(
    _at_recall,
    title="Precision at a multiple of the relevant documents",
    formula=r"P@\lfloor \mathrm{times} \cdot n_\mathrm{rel} + 0.9 \rfloor",
    source="trec_eval's Rprec_mult",
    at="times",
    aliases={"Rprec_mult": {}},
    normalised=True,
)
def RprecMult(times: float = 1, rel: float = 1) -> pl.Expr:
    """Precision at a rank that is a multiple of the number of relevant documents.

    From 0 to 1; 0 where nothing is relevant. ``RprecMult@1`` is R-precision. A system that leads at
    0.2 and trails at 2 is good at the top of the list but weaker in recall.

    >>> score(RprecMult @ 0.5, [1, 0, 1, 0]), score(RprecMult @ 2, [1, 0, 1, 0])
    (1.0, 0.5)
    """
    place = _multiple(times, rel)
    return share(n_within(relevant(rel), place), place)


def _multiple(times: float, rel: float) -> pl.Expr:
    require(times > 0, f"times={times} must be above 0.")
    return (times * n_relevant(rel).cast(pl.Float64) + 0.9).floor()


def _interpolated(recall: float, rel: float, rounding: Rounding, judged_only: bool) -> pl.Expr:
    wanted = recall * n_relevant(rel).cast(pl.Float64)
    if rounding == "trec_eval-9":
        wanted = (wanted + 0.9).floor()
    else:
        wanted = wanted.round(0, mode="half_away_from_zero")
    of = {"rel": rel, "judged_only": judged_only}
    precision, so_far = prepared(_precision, **of), prepared(_found_so_far, **of)
    # Precision only falls between two relevant documents: the maximum is at a relevant one.
    return precision.filter(so_far >= wanted).max().fill_null(0.0)


def _found_so_far(rel: float, judged_only: bool) -> pl.Expr:
    """Return the number of relevant documents up to each relevant one; null for other documents."""
    hits = found(rel, None, judged_only=judged_only)
    return pl.when(hits).then(hits.cum_sum())


def _precision(rel: float, judged_only: bool) -> pl.Expr:
    """Return the precision at each relevant document returned; null for other documents."""
    return prepared(_found_so_far, rel=rel, judged_only=judged_only) / place_in(judged_only)


_ROBUST = "Voorhees, Overview of the TREC 2004 Robust Track"


_averaging = partial(measure, family="averaging", moves="up")


@_averaging(
    title="Geometric mean of average precision",
    formula=r"\exp\Bigl(\frac{1}{n} \sum_q \ln \max(\mathrm{AP}_q, 10^{-5})\Bigr)",
    source=_ROBUST,
    aggregate="geometric",
    aliases={"gm_map": {}},
    normalised=True,
)
def GMAP(rel: float = 1) -> pl.Expr:
    """The geometric mean of average precision over queries, which emphasises hard queries.

    For a query it is AP, from 0 to 1; the mean raises values below 0.00001 to 0.00001. trec_eval
    shows no values per query; pytrec_eval shows their natural logarithms.

    >>> score(GMAP, [1, 0, 1], unreturned=[1])
    0.5555555555555555
    """
    return AP.declaration.formulate(rel=rel)


@_averaging(
    title="Geometric mean of binary preference",
    formula=r"\exp\Bigl(\frac{1}{n} \sum_q \ln \max(\mathrm{bpref}_q, 10^{-5})\Bigr)",
    source="trec_eval's gm_bpref",
    aggregate="geometric",
    aliases={"gm_bpref": {}},
    normalised=True,
)
def GMbpref(rel: float = 1, over: PrefOver = "min") -> pl.Expr:
    """The geometric mean of binary preference over queries.

    For a query it is Bpref, from 0 to 1; the mean raises values below 0.00001 to 0.00001. trec_eval
    shows no values per query; pytrec_eval shows their natural logarithms.

    >>> score(GMbpref, [0, 1, 1], unreturned=[0])
    0.5
    """
    return Bpref.declaration.formulate(rel, over)


@_averaging(
    title="Log odds of average precision",
    formula=r"\ln \frac{1 + s}{1 + n_\mathrm{rel} - s},"
    r"\quad s = \sum_i \mathrm{rel}_i \, P@i = n_\mathrm{rel} \, \mathrm{AP}",
    source="Robertson, On Smoothing Average Precision, ECIR 2012",
    range=(None, None),
    nothing_returned="by the formula",
    aliases={"yaap": {}},
)
def YAAP(rel: float = 1) -> pl.Expr:
    """Average precision on an unbounded log-odds scale, where steps near 0 and 1 count for more.

    0 where AP is 0.5 and where nothing is relevant, negative below, positive above. For one query
    it orders systems as AP does; "yet another average precision" averages better over queries. A
    query without results has the value of a list of irrelevant documents; trec_eval leaves it out
    or counts it as 0.

    >>> round(score(YAAP, [1, 0, 1]), 6)
    0.693147
    """
    s = sum_of_precisions(rel)
    n = n_relevant(rel).cast(pl.Float64)
    # For an ideal list, s equals n up to a rounding error.
    return ((1.0 + s) / (1.0 + (n - s).clip(lower_bound=0.0))).log()
