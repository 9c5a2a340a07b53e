"""Gains of documents, and discounts by rank.

Models of a reader use gains between 0 and 1. The grade that gains 1 is given (``max_grade=``, or
``max_rel=`` as ir_measures calls it), or else the highest grade of all the judgments: of every
query, so that a grade gains the same in each. A grade above it gains 1, and negative grades gain
nothing.
"""

from __future__ import annotations

from typing import Literal

import polars as pl

from rankreport.frames import RELEVANCE, TOP_GRADE
from rankreport.measures._terms import ratio
from rankreport.measures.parameters import GainTable, require

__all__ = [
    "Discount",
    "Gain",
    "Highest",
    "discounts",
    "gains_of",
    "highest_grade",
    "satisfaction",
    "scaled_between",
    "share_of_highest",
]


Gain = Literal["linear", "exp", "binary"]
"""What a grade gains: itself, 2^grade - 1, or the same as every other grade that gains anything.

Under ``"binary"`` each positive grade gains 1 in the gain family; in RBP, each that reaches
``rel``.
"""

Discount = Literal["log2", "jarvelin"]
"""How gain falls with the place: by log2(place + 1), or by the logarithm to a base."""


def gains_of(gain: Gain, gains: GainTable | None = None, grade: pl.Expr | None = None) -> pl.Expr:
    """Return what each document gains a reader; negative grades gain nothing."""
    grade = pl.col(RELEVANCE) if grade is None else grade
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
    """Return the share of its gain that a document keeps at each place."""
    require(base > 1, f"base={base} must be above 1: it is the base of a logarithm.")
    if discount == "log2":
        require(base == 2, "base= belongs to discount='jarvelin'; 'log2' has base 2.")
        return 1.0 / (place + 1).log(2.0)
    return pl.when(place < base).then(1.0).otherwise(1.0 / place.log(base))


# With a plain 2.0, Polars 2.1 plans the power as whole numbers, and running products of it fail.
_TWO = pl.lit(2.0, pl.Float64)


Highest = Literal["qrels", "query"]
"""Where the highest grade is looked for: in all the judgments, or in those of the query."""


def highest_grade(
    max_grade: float | None, name: str = "max_grade", of: Highest = "qrels"
) -> pl.Expr:
    """Return the grade that gains 1: given, or found in the judgments."""
    if max_grade is None:
        return pl.col(TOP_GRADE) if of == "qrels" else pl.col(RELEVANCE).max()
    require(max_grade > 0, f"{name}={max_grade} must be above 0.")
    require(of == "qrels", f"max_of={of!r} looks for the highest grade: no {name} then.")
    return pl.lit(float(max_grade))


def share_of_highest(top: pl.Expr, gain: Literal["linear", "exp"]) -> pl.Expr:
    """Return each grade's share of the highest, or of what the highest gains exponentially."""
    grade = _from_0_to(top)
    if gain == "linear":
        return ratio(grade, top)
    return ratio(_TWO**grade - 1.0, _TWO**top - 1.0)


def satisfaction(top: pl.Expr) -> pl.Expr:
    """Return how likely each document satisfies, after Chapelle et al.: (2^g - 1) / 2^max."""
    # Neither power on its own: they leave the range of floats at a grade of 1,024.
    return _TWO ** (_from_0_to(top) - top) - _TWO**-top


def scaled_between(min_rel: float, max_rel: float | None) -> pl.Expr:
    """Return the place of each grade between ``min_rel``, which gains 0, and ``max_rel``."""
    require(min_rel >= 0, f"min_rel={min_rel} must not be below 0.")
    top = highest_grade(max_rel, "max_rel")
    if max_rel is not None:
        require(max_rel > min_rel, f"max_rel={max_rel} must be above min_rel={min_rel}.")
    above = (pl.min_horizontal(RELEVANCE, top) - float(min_rel)).clip(lower_bound=0.0)
    return ratio(above, top - float(min_rel))


def _from_0_to(top: pl.Expr) -> pl.Expr:
    return pl.min_horizontal(RELEVANCE, top).clip(lower_bound=0.0)
