"""Measures that follow a model of the reader: how far down someone looks, and when they stop."""

from __future__ import annotations

import polars as pl

from rankreport.columns import RELEVANCE, TOP_GRADE
from rankreport.measures.declare import measure, require
from rankreport.measures.terms import found, rank, total, within

__all__ = ["ERR", "RBP"]


@measure(
    title="Rank-biased precision",
    family="user model",
    formula=r"(1-p) \sum_{i=1}^{k} p^{i-1} \, \mathrm{rel}_i",
    source="Moffat and Zobel, TOIS 2008",
    aliases={"rbp": {}},
)
def RBP(k: int | None = None, p: float = 0.8, rel: float = 1) -> pl.Expr:
    """The rate of relevant documents met by a reader who goes on to the next with probability p.

    From 0 to 1. A patient reader has p = 0.95 and looks at some twenty documents, an impatient one
    p = 0.5 and looks at two. It does not ask how many relevant documents there are.

    >>> score(RBP(p=0.5), [1, 0, 1])
    0.625
    """
    require(0 < p < 1, f"RBP: p={p} must lie between 0 and 1.")
    return (1.0 - p) * total((pl.lit(p) ** (rank - 1)).filter(found(rel, k)))


@measure(
    title="Expected reciprocal rank",
    family="user model",
    formula=r"\sum_{r=1}^{k} \frac{1}{r} R_r \prod_{i<r} (1-R_i),"
    r"\quad R_i = (2^{g_i}-1)/2^{g_{\max}}",
    source="Chapelle, Metzler, Zhang and Grinspan, CIKM 2009",
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
    if max_grade is None:
        top = pl.col(TOP_GRADE)
    else:
        require(max_grade > 0, f"ERR: max_grade={max_grade} must be above 0.")
        top = pl.lit(float(max_grade))
    satisfies = (2.0 ** pl.min_horizontal(RELEVANCE, top).clip(lower_bound=0.0) - 1.0) * 2.0**-top
    satisfied = satisfies.filter(within(k))
    unsatisfied_so_far = (1.0 - satisfied).cum_prod().shift(1).fill_null(1.0)
    return total(satisfied * unsatisfied_so_far / rank.filter(within(k)))
