"""What a document gains a reader, and what share of it is left at a place."""

from __future__ import annotations

from typing import Literal

import polars as pl

from rankreport.columns import RELEVANCE
from rankreport.measures.parameters import GainTable, require

__all__ = ["Discount", "Gain", "discounts", "gains_of"]

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
