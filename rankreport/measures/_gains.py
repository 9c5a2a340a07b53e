"""Gains of documents, and discounts by rank.

User models need gains between 0 and 1. The grade with gain 1 is a parameter (``max_grade``, or
``max_rel`` as in ir_measures); by default it is the highest grade in the judgments of all queries,
so that a grade has the same gain in every query. Higher grades gain 1, negative grades 0.
"""

from __future__ import annotations

from typing import Literal

import polars as pl

from rankreport.frames import RELEVANCE, TOP_GRADE
from rankreport.measures._columns import column
from rankreport.measures._terms import ratio
from rankreport.measures.parameters import GainTable, require

Gain = Literal["linear", "exp", "binary"]
"""The gain of a grade: the grade itself, 2^grade - 1, or 0 or 1.

``"binary"`` gives a gain of 1 to every positive grade in the gain family, and to every grade of at
least ``rel`` in RBP.
"""

Discount = Literal["log2", "log", "jarvelin"]
"""How gain is discounted by rank: by log2(rank + 1), or one of two logarithms to a base."""


def gains_of(gain: Gain, gains: GainTable | None = None, grade: pl.Expr | None = None) -> pl.Expr:
    """Return the gain of each document; negative grades gain 0."""
    grade = column(RELEVANCE) if grade is None else grade
    positive = grade.clip(lower_bound=0.0)
    gained = {
        "linear": positive,
        "exp": 2.0**positive - 1.0,
        "binary": (positive > 0).cast(pl.Float64),
    }[gain]
    for of_grade, value in gains or ():
        gained = pl.when(grade == of_grade).then(pl.lit(float(value))).otherwise(gained)
    return gained


def discounts(place: pl.Expr, discount: Discount, base: float) -> pl.Expr:
    """Return the discount factor at each rank."""
    require(base > 1, f"base={base} must be above 1: it is the base of a logarithm.")
    if discount != "jarvelin":
        message = "base= belongs to discount='log' and 'jarvelin'; 'log2' has base 2."
        require(base == 2 or discount == "log", message)
        return 1.0 / (place + 1).log(float(base))
    return pl.when(place < base).then(1.0).otherwise(1.0 / place.log(base))


# With a plain 2.0, Polars 2.1 plans the power as an integer, and cumulative products of it fail.
_TWO = pl.lit(2.0, pl.Float64)


Highest = Literal["qrels", "query"]
"""Whether the highest grade is that of all judgments or of the query's judgments."""


def highest_grade(
    max_grade: float | None, name: str = "max_grade", of: Highest = "qrels"
) -> pl.Expr:
    """Return the grade with gain 1: the parameter, or the highest grade in the judgments."""
    if max_grade is None:
        return column(TOP_GRADE) if of == "qrels" else column(RELEVANCE).max()
    require(max_grade > 0, f"{name}={max_grade} must be above 0.")
    require(of == "qrels", f"max_of={of!r} looks for the highest grade: no {name} then.")
    return pl.lit(float(max_grade))


def share_of_highest(top: pl.Expr, gain: Literal["linear", "exp"]) -> pl.Expr:
    """Return each grade's gain divided by the gain of the highest grade."""
    grade = _from_0_to(top)
    if gain == "linear":
        return ratio(grade, top)
    return ratio(_TWO**grade - 1.0, _TWO**top - 1.0)


def satisfaction(top: pl.Expr) -> pl.Expr:
    """Return the probability that each document satisfies the reader: (2^g - 1) / 2^max."""
    # Computed as a difference of exponents: 2^1024 would overflow.
    return _TWO ** (_from_0_to(top) - top) - _TWO**-top


def scaled_between(min_rel: float, max_rel: float | None) -> pl.Expr:
    """Scale grades linearly so that ``min_rel`` gains 0 and ``max_rel`` gains 1."""
    require(min_rel >= 0, f"min_rel={min_rel} must not be below 0.")
    top = highest_grade(max_rel, "max_rel")
    if max_rel is not None:
        require(max_rel > min_rel, f"max_rel={max_rel} must be above min_rel={min_rel}.")
    above = (pl.min_horizontal(column(RELEVANCE), top) - float(min_rel)).clip(lower_bound=0.0)
    return ratio(above, top - float(min_rel))


def _from_0_to(top: pl.Expr) -> pl.Expr:
    return pl.min_horizontal(column(RELEVANCE), top).clip(lower_bound=0.0)
