"""User-model measures: how far down a reader looks, and when the reader stops.

The reader goes on at random in RBP, and until a document satisfies in ERR. Compat compares the list
with an ideal one, the top ranks weighing most.

The other measures follow the C/W/L framework (Moffat, Bailey, Scholer and Thomas, TOIS 2017), where
a user model is the probability C(i) that the reader goes on from rank i to the next. The reader
gets to rank i with probability V(i) = C(1) ... C(i-1). The sum of V is the number of documents
looked at, the *expected depth*. The measure is the gain per document: the sum of V(i) times the
gain at i, divided by the expected depth.

Gains are grades scaled so that ``min_rel`` gains 0 and ``max_rel`` (default: the highest grade in
the judgments) gains 1. Grades outside this range are clipped; unjudged documents gain 0. Short
lists are extended with documents of gain 0. With a cut-off, the reader looks at k documents at most
(without one, at the whole list). Models without a cut-off look at ``depth`` documents at most, 1000
as in cwl_eval. The names are those of ir_measures.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import polars as pl

from rankreport.frames import N_RETRIEVED, RELEVANCE
from rankreport.measures._attention import summed_up_to
from rankreport.measures._columns import column
from rankreport.measures._gains import (
    Gain,
    Highest,
    highest_grade,
    satisfaction,
    scaled_between,
    share_of_highest,
)
from rankreport.measures._orders import at_rank, is_over_orders, linear
from rankreport.measures._prepared import prepared
from rankreport.measures._terms import (
    n_relevant,
    n_returned,
    rank,
    relevant,
    retrieved,
    share,
    total,
    up_to,
    within,
)
from rankreport.measures._user_models import (
    DEPTH,
    Reading,
    bejeweled_player,
    insq,
    inst,
    nerr8,
    nerr9,
    nerr10,
    nerr11,
    sdcg,
    up_to_depth,
)
from rankreport.measures.declare import measure
from rankreport.measures.parameters import require

__all__ = [
    "BPM",
    "ERR",
    "INSQ",
    "INST",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "RBP",
    "SDCG",
    "Compat",
    "ExpectedDepth",
    "RBPResidual",
    "nERR",
]


_CHAPELLE = "Chapelle, Metzler, Zhang and Grinspan, CIKM 2009"
_ZOBEL = "Moffat and Zobel, TOIS 2008"

AllJudged = Literal["tail", "zero"]
"""The residual of a fully judged list: the weight of the ranks beyond its end, or 0."""


_user_model = partial(measure, family="user model", moves="up")
_linear = partial(linear, _user_model)


@_linear(
    title="Rank-biased precision",
    formula=r"(1-p) \sum_{i=1}^{k} p^{i-1} \, g_i",
    source=f"{_ZOBEL}; trec_eval 10 has p = 0.9 and divides the grade by the query's highest",
    aliases={"rbp": {}},
    normalised=lambda normalize=False, **_: normalize,
)
def RBP(
    k: int | None = None,
    p: float = 0.8,
    rel: float = 1,
    gain: Gain = "binary",
    max_grade: float | None = None,
    max_of: Highest = "qrels",
    normalize: bool = False,
) -> pl.Expr:
    """The rate of gain of a reader who goes on to the next document with probability p.

    From 0 to 1. The reader looks at 1/(1-p) documents on average: 20 for a patient reader with
    p = 0.95, 2 for an impatient one with p = 0.5. The value does not depend on the number of
    relevant documents. A document gains 1 if its grade is at least ``rel`` (``gain="binary"``;
    unlike in the gain family, where every positive grade gains 1), its grade divided by the highest
    (``"linear"``), or the same for 2^grade - 1 (``"exp"``). The highest grade is ``max_grade``, by
    default that of all judgments, or that of the query with ``max_of="query"``. With ``normalize``,
    it is a share of what a list of this length can reach with the query's relevant documents
    (LensKit's ``normalize``, which is experimental there).

    >>> score(RBP(p=0.5), [1, 0, 1])
    0.625
    >>> score(RBP(p=0.5, gain="linear", max_grade=2), [1, 0, 2])
    0.375
    >>> round(score(RBP(p=0.5, normalize=True), [1, 0, 1]), 6)  # (1 + 1/4) / (1 + 1/2)
    0.833333
    """
    require(0 < p < 1, f"p={p} must lie between 0 and 1.")
    seen = at_rank(partial(_goes_on, p), k)
    if gain != "binary":
        require(rel == 1, f"rel={rel} belongs to gain='binary'.")
        require(not normalize, f"normalize=True takes gain='binary', not {gain!r}.")
        gained = share_of_highest(highest_grade(max_grade, of=max_of), gain)
        return ((1.0 - p) * total(gained * seen)).clip(0.0, 1.0)
    of_grades = max_grade is not None or max_of != "qrels"
    require(not of_grades, "max_grade= and max_of= belong to gain='linear' and gain='exp'.")
    found = total(relevant(rel).cast(pl.Float64) * seen)
    if not normalize:
        # A sum of many powers of p may exceed 1 by a rounding error.
        return ((1.0 - p) * found).clip(0.0, 1.0)
    n_best = pl.min_horizontal(n_relevant(rel), n_returned(k))
    return share(found, summed_up_to(n_best, lambda i: p ** (i - 1.0)))


def _goes_on(p: float, place: pl.Expr) -> pl.Expr:
    """Return the probability that the reader gets to a rank."""
    return pl.lit(p, pl.Float64) ** (place - 1)


@_linear(
    title="Residual of rank-biased precision",
    moves="either",
    better="neither",
    formula=r"1 - (1-p) \sum_{i=1}^{k} p^{i-1} \, [\,i \text{ judged}\,]",
    source=f"{_ZOBEL}; all_judged='zero': trec_eval 10",
    nothing_returned="by the formula",
    nothing_relevant="by the formula",
    aliases={"rbp_resid": {"p": 0.9, "all_judged": "zero"}},
)
def RBPResidual(k: int | None = None, p: float = 0.8, all_judged: AllJudged = "tail") -> pl.Expr:
    """The increase in RBP if all documents that are unjudged or beyond the cut-off had full gain.

    From 0 to 1. The true RBP lies between RBP and RBP plus the residual. Judgments do not
    distinguish two systems whose difference is smaller than it. A fully judged list of n documents
    has residual p^n for the ranks beyond its end. ``all_judged="zero"`` makes that 0 as in
    trec_eval 10, and treats negative grades as unjudged. Where nothing was returned, the residual
    is 1, or 0 with ``all_judged="zero"``.

    >>> score(RBPResidual(p=0.5), [1, None, 0])
    0.375
    >>> score(RBPResidual(p=0.5), [1, 0]), score(RBPResidual(p=0.5, all_judged="zero"), [1, 0])
    (0.25, 0.0)
    """
    require(0 < p < 1, f"p={p} must lie between 0 and 1.")
    tail = all_judged == "tail"
    is_over_orders(without=not tail and k is not None, of="all_judged='zero' and a cut-off")
    judged = column(RELEVANCE) >= (float("-inf") if tail else 0.0)
    # A judged document weighs (1-p) p^(i-1) at rank i; all ranks to infinity weigh 1.
    weights = total(judged.cast(pl.Float64) * at_rank(partial(_goes_on, p), k))
    left = (1.0 - (1.0 - p) * weights).clip(0.0, 1.0)
    n_known = (judged & within(k)).sum()
    return left if tail else pl.when(n_known < n_returned(k)).then(left).otherwise(0.0)


@_user_model(
    title="Expected reciprocal rank",
    formula=r"\sum_{r=1}^{k} \frac{1}{r} R_r \prod_{i<r} (1-R_i),"
    r"\quad R_i = (2^{g_i}-1)/2^{g_{\max}}",
    source=_CHAPELLE,
    aliases={"err": {}, "expected_reciprocal_rank": {}},
)
def ERR(k: int | None = None, max_grade: float | None = None) -> pl.Expr:
    """The expected reciprocal rank at which a reader is satisfied and stops.

    From 0 to 1. The better the documents above, the less the ones below count. A document of the
    highest grade almost certainly satisfies. That grade is ``max_grade``, by default the highest in
    the judgments; higher grades count as ``max_grade``. Negative grades never satisfy.

    >>> score(ERR(max_grade=2), [2, 0, 2])
    0.8125
    """
    highest_grade(max_grade)  # raises unless above 0
    return up_to(prepared(_err_so_far, max_grade=max_grade), rank(), k)


@_user_model(
    title="Normalised expected reciprocal rank",
    formula=r"\mathrm{ERR}@k \,/\, \max_{\pi} \mathrm{ERR}_{\pi}@k",
    source=_CHAPELLE,
    aliases={"nerr": {}},
    normalised=True,
)
def nERR(k: int | None = None, max_grade: float | None = None) -> pl.Expr:
    """The expected reciprocal rank as a share of that of the best order of the judged documents.

    From 0 to 1, where 1 is an ideal order; 0 where no document has a positive grade. Use it to
    compare queries whose best documents differ in grade. For ``max_grade`` see ERR.

    >>> round(score(nERR(max_grade=2), [2, 0, 2]), 6), score(nERR(max_grade=2), [2, 2, 0])
    (0.962963, 1.0)
    """
    highest_grade(max_grade)
    err = ERR.declaration.formulate(k, max_grade)
    best = up_to(
        prepared(_ideal_err_so_far, max_grade=max_grade),
        prepared(_ideal_place, max_grade=max_grade),
        k,
    )
    return share(err, best)


def _err_so_far(max_grade: float | None) -> pl.Expr:
    satisfies = satisfaction(highest_grade(max_grade))
    return _running(satisfies, rank())


def _ideal_place(max_grade: float | None) -> pl.Expr:
    return satisfaction(highest_grade(max_grade)).rank("ordinal", descending=True)


def _ideal_err_so_far(max_grade: float | None) -> pl.Expr:
    # Computed in the ideal order, then mapped back to the order of the rows.
    place = prepared(_ideal_place, max_grade=max_grade)
    satisfies = satisfaction(highest_grade(max_grade)).sort_by(place)
    return _running(satisfies, place.sort_by(place)).gather(place - 1)


def _running(satisfies: pl.Expr, place: pl.Expr) -> pl.Expr:
    unsatisfied_so_far = (1.0 - satisfies).cum_prod().shift(1).fill_null(1.0)
    return (satisfies * unsatisfied_so_far / place).cum_sum()


def _wanted() -> pl.Expr:
    """Return whether each document belongs in the ideal list."""
    return column(RELEVANCE) > 0


def _is_share(*, normalize: bool = True, **_: object) -> bool:
    return normalize


@_user_model(
    title="Compatibility",
    formula=r"\frac{\sum_{i=1}^{d} p^{i-1} \, |S_{1 \ldots i} \cap I_{1 \ldots i}| / i}"
    r"{\sum_{i=1}^{d} p^{i-1} \, \min(i, |I|) / i}",
    source="Clarke, Vtyurina and Smucker, TOIS 2021",
    aliases={"compat": {}},
    normalised=_is_share,
)
def Compat(p: float = 0.95, normalize: bool = True) -> pl.Expr:
    """The rank-biased overlap with an ideal list of all positive grades, highest first.

    From 0 to 1, where 1 is a list that begins with an ideal one. Only the order of the grades
    matters, so they may be preferences with many levels. Documents with equal grades keep the
    system's order in the ideal list, unreturned ones last. The lists are compared to the end of the
    longer one. Without ``normalize``, the value is below 1 if the ideal list is the shorter one.
    ``p=1`` gives all depths the same weight: ``Compat(p=1, normalize=False)`` is the average
    overlap with the ideal list (Fagin, Kumar and Sivakumar, SODA 2003; ``p=1`` of the package rbo).

    >>> round(score(Compat(p=0.5), [1, 0, 2]), 6), score(Compat(p=0.5), [3, 2, 1, 0])
    (0.25, 1.0)
    >>> round(score(Compat(p=1, normalize=False), [1, 2, 0]), 6)  # (0/1 + 2/2 + 2/3) / 3
    0.555556
    """
    require(0 < p <= 1, f"p={p} must lie between 0 and 1.")
    ideal = prepared(_place_in_ideal)
    depth = prepared(_depth)
    whole = _weight_up_to(p, depth)
    # What a document adds that is in both lists from some rank on.
    met = whole - _weight_up_to(p, pl.max_horizontal(rank().cast(pl.Int64), ideal) - 1)
    overlap = total(met.filter(_wanted() & within(None)))
    if not normalize:
        return share(overlap, summed_up_to(depth.first(), lambda i: p ** (i - 1.0)))
    # In the ideal order, as documents that were not returned have none.
    best = total((whole - _weight_up_to(p, ideal - 1)).filter(_wanted()).sort(descending=True))
    return share(overlap, best)


def _depth() -> pl.Expr:
    """Return the length of the longer of the two lists."""
    return pl.max_horizontal(column(N_RETRIEVED), _wanted().sum().cast(pl.UInt32)).cast(pl.Int64)


def _place_in_ideal() -> pl.Expr:
    # Equal grades keep the order of the rows: the system's order, unreturned documents last.
    return column(RELEVANCE).rank("ordinal", descending=True).cast(pl.Int64)


def _weight_up_to(p: float, place: pl.Expr) -> pl.Expr:
    return summed_up_to(place, lambda i: p ** (i - 1.0) / i)


_NERR = "Azzopardi, Mackenzie and Moffat, ICTIR 2021"


def _gain_per_document(reading: Reading) -> pl.Expr:
    rate = reading.gain / reading.documents
    return pl.when(reading.documents > 0).then(rate).otherwise(0.0).clip(0.0, 1.0)


@_user_model(
    title="Scaled discounted cumulative gain",
    formula=r"\frac{\sum_{i=1}^{k} g_i / \log_2(i+1)}{\sum_{i=1}^{k} 1 / \log_2(i+1)}",
    source="Moffat, Bailey, Scholer and Thomas, TOIS 2017; discount: Järvelin and Kekäläinen, 2002",
    aliases={"sdcg": {}, "NDCG-k": {}},
)
def SDCG(k: int | None = None, min_rel: float = 0, max_rel: float | None = None) -> pl.Expr:
    """DCG as a share of the DCG of k documents of the highest grade.

    From 0 to 1. Unlike in nDCG, 1 may be unreachable, since the query may have fewer such
    documents. cwl_eval calls it NDCG-k. The highest grade is ``max_rel``, by default that of all
    judgments.

    >>> round(score(SDCG(max_rel=2) @ 3, [2, 0, 1]), 6)
    0.586598
    """
    gain = scaled_between(min_rel, max_rel)
    return _gain_per_document(sdcg(gain, k))


@_user_model(
    title="INSQ",
    formula=r"\frac{\sum_i V(i) g_i}{\sum_i V(i)}, \quad V(i) = \left(\frac{2T}{i+2T-1}\right)^2",
    source="Moffat, Scholer and Thomas, ADCS 2012",
    aliases={"insq": {}},
)
def INSQ(
    T: float = 1,  # noqa: N803  (the field's name)
    min_rel: float = 0,
    max_rel: float | None = None,
    depth: float = DEPTH,
) -> pl.Expr:
    """The rate of gain of a reader who wants T documents; the fewer, the less patient.

    From 0 to 1. Attention falls with the square of the rank, regardless of gains: with T = 1 the
    reader looks at about 2.5 documents. The highest grade is ``max_rel``, by default that of all
    judgments; the reader looks no deeper than ``depth``.

    >>> round(score(INSQ(T=1, max_rel=1), [1, 0, 1]), 6)
    0.485297
    """
    gain = scaled_between(min_rel, max_rel)
    return _gain_per_document(insq(gain, T, up_to_depth(depth)))


@_user_model(
    title="INST",
    formula=r"\frac{\sum_i V(i) g_i}{\sum_i V(i)}, \quad"
    r" C(i) = \left(\frac{i+T+T_i-1}{i+T+T_i}\right)^2, \quad T_i = T - \sum_{j \le i} g_j",
    source="Moffat, Bailey, Scholer and Thomas, ADCS 2015",
    aliases={"inst": {}},
)
def INST(
    T: float = 1,  # noqa: N803  (the field's name)
    min_rel: float = 0,
    max_rel: float | None = None,
    depth: float = DEPTH,
) -> pl.Expr:
    """The rate of gain of a reader who wants T documents and leaves as they are found.

    From 0 to 1. T is the number of fully relevant documents wanted: 1 for a fact, more for a
    survey. Unlike INSQ it is adaptive: each gain makes the reader more likely to leave. See
    ExpectedDepth for the depth reached. The highest grade is ``max_rel``, by default that of all
    judgments; the reader looks no deeper than ``depth``.

    >>> round(score(INST(T=1, max_rel=1), [1, 0, 1]), 6)
    0.723289
    """
    return _gain_per_document(inst(min_rel, max_rel, T, up_to_depth(depth)))


@_user_model(
    title="Bejewelled player model",
    moves="either",
    formula=r"\frac{1}{s} \sum_{i=1}^{s} g_i, \quad"
    r" s = \min\Big\{i : \sum_{j \le i} g_j \ge T \,\lor\, i \ge k\Big\}",
    source="Zhang, Liu, Li, Zhang, Xu and Ma, SIGIR 2017",
    aliases={"bpm": {}},
)
def BPM(
    k: int | None = None,
    T: float = 1,  # noqa: N803  (the field's name)
    min_rel: float = 0,
    max_rel: float | None = None,
    hb: float = 0,
    hc: float = 0,
    gain_med: float = 0.5,
) -> pl.Expr:
    """The rate of gain of a reader who stops at a total gain of T or after k documents.

    From 0 to 1. The highest grade is ``max_rel``, by default that of all judgments. In the dynamic
    model each document of gain g raises the target T by ``hb * (g - gain_med)`` and the limit k by
    ``hc * (g - gain_med)``: good documents make the reader want more, bad ones less. (cwl_eval
    1.0.12 accepts ``hc`` but does not change the limit.)

    >>> score(BPM(T=2, max_rel=1) @ 10, [1, 0, 0, 1, 1]), score(BPM(T=2, max_rel=1) @ 2, [1, 0, 1])
    (0.5, 0.5)
    """
    gain = scaled_between(min_rel, max_rel)
    return _gain_per_document(bejeweled_player(gain, k, T, hb, hc, gain_med))


@_user_model(
    title="Nearly expected reciprocal rank, cut",
    formula=r"\frac{\sum_i V(i) g_i}{\sum_i V(i)}, \quad C(i) = (1 - g_i) \, [\,i < k\,]",
    source=f"{_NERR}, equation 8",
    aliases={"NERR-EQ8": {}},
)
def NERR8(k: int | None = None, min_rel: float = 0, max_rel: float | None = None) -> pl.Expr:
    """The rate of gain of a reader who stops at a document of gain g with probability g.

    From 0 to 1. It is similar to ERR, which is not a rate of gain. The reader looks at k documents
    at most. The highest grade is ``max_rel``, by default that of all judgments.

    >>> score(NERR8(max_rel=2) @ 3, [1, 0, 2])
    0.5
    """
    gain = scaled_between(min_rel, max_rel)
    return _gain_per_document(nerr8(gain, k))


@_user_model(
    title="Nearly expected reciprocal rank, discounted",
    formula=r"\frac{\sum_i V(i) g_i}{\sum_i V(i)}, \quad"
    r" C(i) = \frac{i}{i+1} (1 - g_i) \, [\,i < k\,]",
    source=f"{_NERR}, equation 9",
    aliases={"NERR-EQ9": {}},
)
def NERR9(k: int | None = None, min_rel: float = 0, max_rel: float | None = None) -> pl.Expr:
    """Like NERR8, but attention also falls with the rank, as in ERR.

    From 0 to 1. The numerator is ERR with the gains as stopping probabilities.

    >>> round(score(NERR9(max_rel=2) @ 3, [1, 0, 2]), 6)
    0.470588
    """
    gain = scaled_between(min_rel, max_rel)
    return _gain_per_document(nerr9(gain, k))


@_user_model(
    title="Nearly expected reciprocal rank, rank-biased",
    formula=r"\frac{\sum_i V(i) g_i}{\sum_i V(i)}, \quad C(i) = p \, (1 - g_i)",
    source=f"{_NERR}, equation 10",
    aliases={"NERR-EQ10": {}},
)
def NERR10(
    p: float = 0.9,
    min_rel: float = 0,
    max_rel: float | None = None,
    depth: float = DEPTH,
) -> pl.Expr:
    """Like NERR8, but a reader who does not stop goes on with probability p, as in RBP.

    From 0 to 1. The highest grade is ``max_rel``, by default that of all judgments.

    >>> round(score(NERR10(p=0.5, max_rel=2), [1, 0, 2]), 6)
    0.454545
    """
    gain = scaled_between(min_rel, max_rel)
    return _gain_per_document(nerr10(gain, p, up_to_depth(depth)))


@_user_model(
    title="Nearly expected reciprocal rank, goal-sensitive",
    formula=r"\frac{\sum_i V(i) g_i}{\sum_i V(i)}, \quad"
    r" C(i) = \left(\frac{i+2T-1}{i+2T}\right)^2 (1 - g_i)",
    source=f"{_NERR}, equation 11",
    aliases={"NERR-EQ11": {}},
)
def NERR11(
    T: float = 1,  # noqa: N803  (the field's name)
    min_rel: float = 0,
    max_rel: float | None = None,
    depth: float = DEPTH,
) -> pl.Expr:
    """Like NERR8, but a reader who does not stop goes on as in INSQ, wanting T documents.

    From 0 to 1. The highest grade is ``max_rel``, by default that of all judgments.

    >>> round(score(NERR11(T=1, max_rel=2), [1, 0, 2]), 6)
    0.463918
    """
    gain = scaled_between(min_rel, max_rel)
    return _gain_per_document(nerr11(gain, T, up_to_depth(depth)))


Model = Literal["INST", "BPM", "NERR8", "NERR9", "NERR10", "NERR11"]


@_user_model(
    title="Expected depth",
    moves="either",
    better="neither",
    formula=r"\sum_i V(i), \quad V(i) = \prod_{j<i} C(j)",
    source="Azzopardi, Thomas and Moffat, SIGIR 2019 (cwl_eval's expected number of items, ED)",
    range=(0, None),
    nothing_returned="undefined",
    nothing_relevant="by the formula",
    undefined="nothing was returned",
    aliases={"expected_items": {}},
)
def ExpectedDepth(
    k: int | None = None,
    model: Model = "INST",
    T: float = 1,  # noqa: N803  (the field's name)
    p: float = 0.9,
    min_rel: float = 0,
    max_rel: float | None = None,
) -> pl.Expr:
    """The number of documents that the reader of a user model is expected to look at.

    At least 1 where anything was returned; neither high nor low is better. The model's value times
    the expected depth is the reader's expected total gain. Available for adaptive models; in other
    models the depth does not depend on the list (1/(1-p) in RBP). Parameters are those of the
    model: ``T`` of INST, BPM and NERR11, ``p`` of NERR10. With a cut-off, only the first k
    documents count.

    >>> round(score(ExpectedDepth(max_rel=1), [1, 0, 1]), 6)
    1.536193
    >>> score(ExpectedDepth(model="BPM", T=2, max_rel=1) @ 10, [1, 0, 0, 1, 1])
    4.0
    """
    require(T == 1 or model in {"INST", "BPM", "NERR11"}, f"T={T} is not of {model}.")
    require(p == 0.9 or model == "NERR10", f"p={p} is not of {model}.")
    end = DEPTH if k is None else k
    if model == "INST":
        documents = inst(min_rel, max_rel, T, end).documents
    else:
        gain = scaled_between(min_rel, max_rel)
        documents = _reading(model, gain, k, end, T, p).documents
    return pl.when(retrieved() > 0).then(documents)


def _reading(
    model: Model, gain: pl.Expr, k: int | None, end: int, goal: float, p: float
) -> Reading:
    return {
        "BPM": lambda: bejeweled_player(gain, k, goal, hb=0, hc=0, gain_med=0.5),
        "NERR8": lambda: nerr8(gain, k),
        "NERR9": lambda: nerr9(gain, k),
        "NERR10": lambda: nerr10(gain, p, end),
        "NERR11": lambda: nerr11(gain, goal, end),
    }[model]()
