"""Precision where a share of the relevant documents is reached, or at multiples of their number.

A share of the relevant documents is seldom a whole number of them. The two ways to round it, told
apart by ``rounding=``, are ``"trec_eval-10"``, to the nearest number, and ``"trec_eval-9"``, up if
it exceeds a whole number by a tenth or more, else down (also pytrec_eval and ir_measures).
"""

from __future__ import annotations

import operator
from functools import reduce
from typing import Literal

import polars as pl

from rankreport.measures.blocks import n_expected
from rankreport.measures.declare import measure
from rankreport.measures.parameters import require
from rankreport.measures.prepared import prepared
from rankreport.measures.terms import (
    constant,
    found,
    n_found,
    n_relevant,
    place_in,
    ratio,
    relevant,
    share,
)

__all__ = ["IPrec", "IPrec11", "Rounding", "RprecMult"]

Rounding = Literal["trec_eval-10", "trec_eval-9"]

_SALTON = "Salton and McGill, Introduction to Modern Information Retrieval, 1983, chapter 5"


@measure(
    title="Interpolated precision",
    family="recall levels",
    formula=r"\max \{ P@i : n_\mathrm{rel} R@i \ge"
    r" \mathrm{round}(\mathrm{recall} \cdot n_\mathrm{rel}) \}",
    source=_SALTON,
    moves="up",
    at="recall",
    aliases={"iprec_at_recall": {}},
)
def IPrec(
    recall: float = 0,
    rel: float = 1,
    rounding: Rounding = "trec_eval-10",
    judged_only: bool = False,
) -> pl.Expr:
    """The highest precision at any place from which on a share of all relevant documents is found.

    From 0 to 1. The level is rounded to a whole number of documents (``rounding=`` says how); 0
    where so many are not found. What a curve of precision against recall shows: ``IPrec@0.1`` is
    the precision where a tenth of the relevant documents is found, or the highest one further
    down. Without a level, the highest precision at any place.

    >>> score(IPrec @ 0.5, [1, 0, 1, 0, 1], unreturned=[1])
    0.6666666666666666
    >>> score(IPrec @ 1, [1, 0, 1, 0, 1], unreturned=[1])
    0.0
    """
    require(0 <= recall <= 1, f"recall={recall} must lie between 0 and 1.")
    return _interpolated(recall, rel, rounding, judged_only)


@measure(
    title="Eleven-point average precision",
    family="recall levels",
    formula=r"\frac{1}{11} \sum_{j=0}^{10} \mathrm{IPrec}@(j/10)",
    source=_SALTON,
    moves="up",
    aliases={"11pt_avg": {}},
)
def IPrec11(
    rel: float = 1, rounding: Rounding = "trec_eval-10", judged_only: bool = False
) -> pl.Expr:
    """The mean of the interpolated precisions at recall 0, 0.1, 0.2 up to 1.

    From 0 to 1; 0 where nothing is relevant. The usual figure before AP took its place: use it to
    compare with old results.

    >>> round(score(IPrec11, [1, 0, 1, 0, 1]), 6)
    0.806061
    """
    levels = [_interpolated(tenth / 10, rel, rounding, judged_only) for tenth in range(11)]
    # One after the other: what sum_horizontal gives in its last bit depends on the threads.
    return reduce(operator.add, levels) / constant(11)


def _expected_rprecmult(times: float = 1, rel: float = 1) -> pl.Expr:
    place = _multiple(times, rel)
    return share(n_expected(relevant(rel), place), place)


@measure(
    title="Precision at a multiple of the relevant documents",
    family="recall levels",
    formula=r"P@\lfloor \mathrm{times} \cdot n_\mathrm{rel} + 0.9 \rfloor",
    source="trec_eval's Rprec_mult",
    moves="up",
    expected=_expected_rprecmult,
    at="times",
    aliases={"Rprec_mult": {}},
)
def RprecMult(times: float = 1, rel: float = 1) -> pl.Expr:
    """Precision at a place that is a multiple of the number of relevant documents.

    From 0 to 1; 0 where nothing is relevant. ``RprecMult@1`` is R-precision. A system that leads at
    0.2 and falls behind at 2 is good at the top of the list, and less so at finding all.

    >>> score(RprecMult @ 0.5, [1, 0, 1, 0]), score(RprecMult @ 2, [1, 0, 1, 0])
    (1.0, 0.5)
    """
    place = _multiple(times, rel)
    return ratio(n_found(rel, place), place)


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
    # Between two relevant documents precision only falls: those are the places to look at.
    return precision.filter(so_far >= wanted).max().fill_null(0.0)


def _found_so_far(rel: float, judged_only: bool) -> pl.Expr:
    """How many relevant documents stand down to each one of them; null for the others."""
    hits = found(rel, None, judged_only=judged_only)
    return pl.when(hits).then(hits.cum_sum())


def _precision(rel: float, judged_only: bool) -> pl.Expr:
    """The precision at each relevant document returned; null for the others."""
    return prepared(_found_so_far, rel=rel, judged_only=judged_only) / place_in(judged_only)
