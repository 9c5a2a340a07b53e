"""Readers of the C/W/L framework: each goes on from place i to the next with probability C(i).

Moffat, Bailey, Scholer and Thomas (TOIS 2017) tell a model of a reader by that probability alone.
The reader gets to place i with probability V(i) = C(1) ... C(i-1); V adds up to the documents that
are looked at, the *expected depth*; and the measure is the gain per document: V(i) times the gain
at i, summed, over the expected depth.

Gains are the grades, scaled so that ``min_rel`` gains 0 and ``max_rel`` gains 1 (the highest grade
of all the judgments unless given); grades beyond count as these, unjudged documents gain 0. A list
that ends early goes on with documents that gain nothing. With a cut-off, the reader looks at
no more than k documents (no further than the list without one); models without a cut-off look at
``depth`` documents at most, 1000 as in cwl_eval. The names are those of ir_measures.
"""

from __future__ import annotations

from typing import Literal

import polars as pl

from rankreport.measures.declare import measure
from rankreport.measures.parameters import require
from rankreport.measures.readers import (
    DEPTH,
    Reading,
    bejewelled,
    insq,
    inst,
    nerr8,
    nerr9,
    nerr10,
    nerr11,
    sdcg,
    up_to_depth,
)
from rankreport.measures.shares import scaled_between
from rankreport.measures.terms import retrieved

__all__ = [
    "BPM",
    "INSQ",
    "INST",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "SDCG",
    "ExpectedDepth",
    "Model",
]

_NERR = "Azzopardi, Mackenzie and Moffat, ICTIR 2021"


def _gain_per_document(reading: Reading) -> pl.Expr:
    rate = reading.gain / reading.documents
    return pl.when(reading.documents > 0).then(rate).otherwise(0.0).clip(0.0, 1.0)


@measure(
    title="Scaled discounted cumulative gain",
    family="user model",
    formula=r"\frac{\sum_{i=1}^{k} g_i / \log_2(i+1)}{\sum_{i=1}^{k} 1 / \log_2(i+1)}",
    source="Moffat, Bailey, Scholer and Thomas, TOIS 2017; discount: Järvelin and Kekäläinen, 2002",
    moves="up",
    aliases={"sdcg": {}, "NDCG-k": {}},
)
def SDCG(k: int | None = None, min_rel: float = 0, max_rel: float | None = None) -> pl.Expr:
    """DCG as a share of what k documents of the highest grade would have.

    From 0 to 1. Unlike nDCG it does not ask how many good documents there are, so 1 may be out of
    reach. cwl_eval calls it NDCG-k. The highest grade is ``max_rel``, or the highest of all the
    judgments.

    >>> round(score(SDCG(max_rel=2) @ 3, [2, 0, 1]), 6)
    0.586598
    """
    gain = scaled_between(min_rel, max_rel)
    return _gain_per_document(sdcg(gain, k))


@measure(
    title="INSQ",
    family="user model",
    formula=r"\frac{\sum_i V(i) g_i}{\sum_i V(i)}, \quad V(i) = \left(\frac{2T}{i+2T-1}\right)^2",
    source="Moffat, Scholer and Thomas, ADCS 2012",
    moves="up",
    aliases={"insq": {}},
)
def INSQ(
    T: float = 1,  # noqa: N803  (the field's name)
    min_rel: float = 0,
    max_rel: float | None = None,
    depth: float = DEPTH,
) -> pl.Expr:
    """The rate of gain of a reader who came for T documents and is the less patient the fewer.

    From 0 to 1. Attention falls with the square of the place, whatever is found there: with T = 1
    the reader looks at some two and a half documents. The highest grade is ``max_rel``, or the
    highest of all the judgments; the reader looks no deeper than ``depth``.

    >>> round(score(INSQ(T=1, max_rel=1), [1, 0, 1]), 6)
    0.485297
    """
    gain = scaled_between(min_rel, max_rel)
    return _gain_per_document(insq(gain, T, up_to_depth(depth)))


@measure(
    title="INST",
    family="user model",
    formula=r"\frac{\sum_i V(i) g_i}{\sum_i V(i)}, \quad"
    r" C(i) = \left(\frac{i+T+T_i-1}{i+T+T_i}\right)^2, \quad T_i = T - \sum_{j \le i} g_j",
    source="Moffat, Bailey, Scholer and Thomas, ADCS 2015",
    moves="up",
    aliases={"inst": {}},
)
def INST(
    T: float = 1,  # noqa: N803  (the field's name)
    min_rel: float = 0,
    max_rel: float | None = None,
    depth: float = DEPTH,
) -> pl.Expr:
    """The rate of gain of a reader who came for T documents and leaves as they are found.

    From 0 to 1. T is how many fully relevant documents the query wants: 1 for a fact, more for a
    survey. Unlike INSQ it adapts: each gain makes the reader likelier to leave. ExpectedDepth
    says how far down that is. The highest grade is ``max_rel``, or the highest of all the
    judgments; the reader looks no deeper than ``depth``.

    >>> round(score(INST(T=1, max_rel=1), [1, 0, 1]), 6)
    0.723289
    """
    return _gain_per_document(inst(min_rel, max_rel, T, up_to_depth(depth)))


@measure(
    title="Bejewelled player model",
    family="user model",
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
    """The rate of gain of a reader who stops with a gain of T, or at the latest after k documents.

    From 0 to 1. The highest grade is ``max_rel``, or the highest of all the judgments. In the
    dynamic model each document that gains g raises the gain looked for by
    ``hb * (g - gain_med)`` and the number of documents by ``hc * (g - gain_med)``: what is found
    makes the reader want more, and disappointments less. (cwl_eval 1.0.12 reads ``hc`` but leaves
    the number of documents as it is.)

    >>> score(BPM(T=2, max_rel=1) @ 10, [1, 0, 0, 1, 1]), score(BPM(T=2, max_rel=1) @ 2, [1, 0, 1])
    (0.5, 0.5)
    """
    gain = scaled_between(min_rel, max_rel)
    return _gain_per_document(bejewelled(gain, k, T, hb, hc, gain_med))


@measure(
    title="Nearly expected reciprocal rank, cut",
    family="user model",
    formula=r"\frac{\sum_i V(i) g_i}{\sum_i V(i)}, \quad C(i) = (1 - g_i) \, [\,i < k\,]",
    source=f"{_NERR}, equation 8",
    moves="up",
    aliases={"NERR-EQ8": {}},
)
def NERR8(k: int | None = None, min_rel: float = 0, max_rel: float | None = None) -> pl.Expr:
    """The rate of gain of a reader whom a document of gain g stops with probability g.

    From 0 to 1. Not (but nearly) ERR, which is no rate of gain. The reader looks at k documents at
    most. The highest grade is ``max_rel``, or the highest of all the judgments.

    >>> score(NERR8(max_rel=2) @ 3, [1, 0, 2])
    0.5
    """
    gain = scaled_between(min_rel, max_rel)
    return _gain_per_document(nerr8(gain, k))


@measure(
    title="Nearly expected reciprocal rank, discounted",
    family="user model",
    formula=r"\frac{\sum_i V(i) g_i}{\sum_i V(i)}, \quad"
    r" C(i) = \frac{i}{i+1} (1 - g_i) \, [\,i < k\,]",
    source=f"{_NERR}, equation 9",
    moves="up",
    aliases={"NERR-EQ9": {}},
)
def NERR9(k: int | None = None, min_rel: float = 0, max_rel: float | None = None) -> pl.Expr:
    """As NERR8, and the reader tires: attention falls with the place, as in ERR.

    From 0 to 1. Above the line stands ERR with the gains as probabilities of stopping.

    >>> round(score(NERR9(max_rel=2) @ 3, [1, 0, 2]), 6)
    0.470588
    """
    gain = scaled_between(min_rel, max_rel)
    return _gain_per_document(nerr9(gain, k))


@measure(
    title="Nearly expected reciprocal rank, rank-biased",
    family="user model",
    formula=r"\frac{\sum_i V(i) g_i}{\sum_i V(i)}, \quad C(i) = p \, (1 - g_i)",
    source=f"{_NERR}, equation 10",
    moves="up",
    aliases={"NERR-EQ10": {}},
)
def NERR10(
    p: float = 0.9,
    min_rel: float = 0,
    max_rel: float | None = None,
    depth: float = DEPTH,
) -> pl.Expr:
    """As NERR8, and a reader who is not stopped goes on with probability p, as in RBP.

    From 0 to 1. The highest grade is ``max_rel``, or the highest of all the judgments.

    >>> round(score(NERR10(p=0.5, max_rel=2), [1, 0, 2]), 6)
    0.454545
    """
    gain = scaled_between(min_rel, max_rel)
    return _gain_per_document(nerr10(gain, p, up_to_depth(depth)))


@measure(
    title="Nearly expected reciprocal rank, goal-sensitive",
    family="user model",
    formula=r"\frac{\sum_i V(i) g_i}{\sum_i V(i)}, \quad"
    r" C(i) = \left(\frac{i+2T-1}{i+2T}\right)^2 (1 - g_i)",
    source=f"{_NERR}, equation 11",
    moves="up",
    aliases={"NERR-EQ11": {}},
)
def NERR11(
    T: float = 1,  # noqa: N803  (the field's name)
    min_rel: float = 0,
    max_rel: float | None = None,
    depth: float = DEPTH,
) -> pl.Expr:
    """As NERR8, and a reader who is not stopped goes on as in INSQ, having come for T documents.

    From 0 to 1. The highest grade is ``max_rel``, or the highest of all the judgments.

    >>> round(score(NERR11(T=1, max_rel=2), [1, 0, 2]), 6)
    0.463918
    """
    gain = scaled_between(min_rel, max_rel)
    return _gain_per_document(nerr11(gain, T, up_to_depth(depth)))


Model = Literal["INST", "BPM", "NERR8", "NERR9", "NERR10", "NERR11"]


@measure(
    title="Expected depth",
    family="user model",
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
    """How many documents the reader of a model is expected to look at.

    From 1 on where anything was returned: neither good nor bad, but it says what a value speaks of.
    The model's value times this is the reader's expected total gain. For the models whose reader
    adapts to what is found; others look at the same number whatever the list, RBP's at 1/(1-p). The
    parameters are those of the model: ``T`` of INST, BPM and NERR11, ``p`` of NERR10. With a
    cut-off, only the first k documents count.

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
    return pl.when(retrieved > 0).then(documents)


def _reading(
    model: Model, gain: pl.Expr, k: int | None, end: int, goal: float, p: float
) -> Reading:
    return {
        "BPM": lambda: bejewelled(gain, k, goal, hb=0, hc=0, gain_med=0.5),
        "NERR8": lambda: nerr8(gain, k),
        "NERR9": lambda: nerr9(gain, k),
        "NERR10": lambda: nerr10(gain, p, end),
        "NERR11": lambda: nerr11(gain, goal, end),
    }[model]()
