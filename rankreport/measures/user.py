"""Measures that follow a model of the reader: how far down someone looks, and when they stop.

The readers here go on by chance alone (RBP), or until a document satisfies them (ERR). Those who
weigh what they have found against what they came for are in `rankreport.measures.adaptive`.
"""

from __future__ import annotations

from typing import Literal

import polars as pl

from rankreport.columns import RELEVANCE
from rankreport.measures.blocks import mean_over_block
from rankreport.measures.declare import measure
from rankreport.measures.discounting import Gain
from rankreport.measures.parameters import require
from rankreport.measures.prepared import prepared
from rankreport.measures.shares import (
    Highest,
    highest_grade,
    satisfaction,
    share_of_highest,
)
from rankreport.measures.terms import n_returned, rank, relevant, share, total, up_to, within

__all__ = ["ERR", "RBP", "AllJudged", "RBPResidual", "nERR"]

_CHAPELLE = "Chapelle, Metzler, Zhang and Grinspan, CIKM 2009"
_ZOBEL = "Moffat and Zobel, TOIS 2008"

AllJudged = Literal["tail", "zero"]
"""What a list judged throughout leaves to know: what lies beyond its end, or nothing."""


def _expected_rbp(
    k: int | None = None,
    p: float = 0.8,
    rel: float = 1,
    gain: Gain = "binary",
    max_grade: float | None = None,
    max_of: Highest = "qrels",
) -> pl.Expr:
    gained = _rbp_gain(p, rel, gain, max_grade, max_of)
    return ((1.0 - p) * total(gained * mean_over_block(lambda i: _goes_on(p, i), k))).clip(0.0, 1.0)


@measure(
    title="Rank-biased precision",
    family="user model",
    formula=r"(1-p) \sum_{i=1}^{k} p^{i-1} \, g_i",
    source=f"{_ZOBEL}; trec_eval 10 has p = 0.9 and divides the grade by the query's highest",
    moves="up",
    expected=_expected_rbp,
    aliases={"rbp": {}},
)
def RBP(
    k: int | None = None,
    p: float = 0.8,
    rel: float = 1,
    gain: Gain = "binary",
    max_grade: float | None = None,
    max_of: Highest = "qrels",
) -> pl.Expr:
    """The rate of gain of a reader who goes on to the next document with probability p.

    From 0 to 1. A patient reader has p = 0.95 and looks at some twenty documents, 1/(1-p), an
    impatient one p = 0.5 and looks at two. It does not ask how many relevant documents there are.
    A document gains 1 if its grade reaches ``rel`` (``gain="binary"``; in the gain family that is 1
    for every positive grade), its share of the highest grade (``"linear"``), or of 2^grade - 1
    (``"exp"``). The highest grade is ``max_grade``, or the highest of all the judgments given, or
    of the query's alone (``max_of="query"``).

    >>> score(RBP(p=0.5), [1, 0, 1])
    0.625
    >>> score(RBP(p=0.5, gain="linear", max_grade=2), [1, 0, 2])
    0.375
    """
    gained = _rbp_gain(p, rel, gain, max_grade, max_of)
    above = (_goes_on(p, rank) * gained).filter(within(k))
    # A sum of many powers of p may pass 1 by its last bit.
    return ((1.0 - p) * total(above)).clip(upper_bound=1.0)


def _rbp_gain(
    p: float, rel: float, gain: Gain, max_grade: float | None, max_of: Highest
) -> pl.Expr:
    require(0 < p < 1, f"p={p} must lie between 0 and 1.")
    if gain == "binary":
        require(
            max_grade is None and max_of == "qrels",
            "max_grade= and max_of= belong to gain='linear' and gain='exp'.",
        )
        return relevant(rel).cast(pl.Float64)
    require(rel == 1, f"rel={rel} belongs to gain='binary'.")
    return share_of_highest(highest_grade(max_grade, of=max_of), gain)


def _goes_on(p: float, place: pl.Expr) -> pl.Expr:
    """How likely the reader gets to a place."""
    return pl.lit(p, pl.Float64) ** (place - 1)


def _expected_residual(
    k: int | None = None, p: float = 0.8, all_judged: AllJudged = "tail"
) -> pl.Expr:
    require(
        all_judged == "tail" or k is None,
        "its mean over the orders of equal scores is not known with all_judged='zero' and a "
        "cut-off. Use ties='trec'.",
    )
    known = _known(p, all_judged).cast(pl.Float64)
    return _residual(total(known * mean_over_block(lambda i: _goes_on(p, i), k)), k, p, all_judged)


@measure(
    title="Residual of rank-biased precision",
    family="user model",
    better="neither",
    formula=r"1 - (1-p) \sum_{i=1}^{k} p^{i-1} \, [\,i \text{ judged}\,]",
    source=f"{_ZOBEL}; all_judged='zero': trec_eval 10",
    nothing_returned="by the formula",
    nothing_relevant="by the formula",
    expected=_expected_residual,
    aliases={"rbp_resid": {"p": 0.9, "all_judged": "zero"}},
)
def RBPResidual(k: int | None = None, p: float = 0.8, all_judged: AllJudged = "tail") -> pl.Expr:
    """How much RBP could still grow, were all that is unjudged or beyond the cut of full gain.

    From 0, all is known, to 1: the true RBP lies between RBP and RBP plus this. Two systems whose
    difference is smaller are not told apart by these judgments. A list judged throughout still
    leaves what lies beyond it, p^n of n documents; with ``all_judged="zero"`` it leaves 0, as
    trec_eval 10 has it, and a negative grade counts as unjudged. Where nothing was returned it is
    1, all is still to be known; with ``all_judged="zero"`` it is 0, as no document that was
    returned is unjudged.

    >>> score(RBPResidual(p=0.5), [1, None, 0])
    0.375
    >>> score(RBPResidual(p=0.5), [1, 0]), score(RBPResidual(p=0.5, all_judged="zero"), [1, 0])
    (0.25, 0.0)
    """
    above = _goes_on(p, rank).filter(_known(p, all_judged) & within(k))
    return _residual(total(above), k, p, all_judged)


def _known(p: float, all_judged: AllJudged) -> pl.Expr:
    """Whether each document counts as judged."""
    require(0 < p < 1, f"p={p} must lie between 0 and 1.")
    return pl.col(RELEVANCE) >= (0.0 if all_judged == "zero" else float("-inf"))


def _residual(weights: pl.Expr, k: int | None, p: float, all_judged: AllJudged) -> pl.Expr:
    # What is judged weighs (1-p) p^(i-1) at place i, all places to infinity weigh 1.
    left = (1.0 - (1.0 - p) * weights).clip(0.0, 1.0)
    if all_judged == "tail":
        return left
    n_known = (_known(p, all_judged) & within(k)).sum()
    return pl.when(n_known < n_returned(k)).then(left).otherwise(0.0)


@measure(
    title="Expected reciprocal rank",
    family="user model",
    formula=r"\sum_{r=1}^{k} \frac{1}{r} R_r \prod_{i<r} (1-R_i),"
    r"\quad R_i = (2^{g_i}-1)/2^{g_{\max}}",
    source=_CHAPELLE,
    moves="up",
    aliases={"err": {}},
)
def ERR(k: int | None = None, max_grade: float | None = None) -> pl.Expr:
    """One over the place where a reader is expected to be satisfied and stop.

    From 0 to 1. The better the documents above, the less the ones below count. A document of the
    highest grade satisfies almost surely; that grade is ``max_grade``, or the highest of all the
    judgments given; grades above it count as it. Negative grades never satisfy.

    >>> score(ERR(max_grade=2), [2, 0, 2])
    0.8125
    """
    highest_grade(max_grade)  # refuses one that is not above 0
    return up_to(prepared(_err_so_far, max_grade=max_grade), rank, k)


@measure(
    title="Normalised expected reciprocal rank",
    family="user model",
    formula=r"\mathrm{ERR}@k \,/\, \max_{\pi} \mathrm{ERR}_{\pi}@k",
    source=_CHAPELLE,
    moves="up",
    aliases={"nerr": {}},
)
def nERR(k: int | None = None, max_grade: float | None = None) -> pl.Expr:
    """The expected reciprocal rank as a share of what the best order of all judged documents has.

    From 0 to 1, where 1 is an ideal order; 0 where no document has a positive grade. It compares
    queries whose best documents differ in grade. For ``max_grade`` see ERR.

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
    return _running(satisfies, rank)


def _ideal_place(max_grade: float | None) -> pl.Expr:
    return satisfaction(highest_grade(max_grade)).rank("ordinal", descending=True)


def _ideal_err_so_far(max_grade: float | None) -> pl.Expr:
    # In the ideal order, and back: see the same in rankreport.measures.gain.
    place = prepared(_ideal_place, max_grade=max_grade)
    satisfies = satisfaction(highest_grade(max_grade)).sort_by(place)
    return _running(satisfies, place.sort_by(place)).gather(place - 1)


def _running(satisfies: pl.Expr, place: pl.Expr) -> pl.Expr:
    unsatisfied_so_far = (1.0 - satisfies).cum_prod().shift(1).fill_null(1.0)
    return (satisfies * unsatisfied_so_far / place).cum_sum()
