"""Gains between 0 and 1, as models of a reader want them: the share of a need that is met.

The grade that meets all of it is given (``max_grade=``, or ``max_rel=`` as ir_measures calls it),
or else the highest grade of all the judgments: of every query, so that a grade gains the same in
each. A grade above it gains 1, and negative grades gain nothing.
"""

from __future__ import annotations

from typing import Literal

import polars as pl

from rankreport.columns import RELEVANCE, TOP_GRADE
from rankreport.measures.parameters import require
from rankreport.measures.terms import ratio

__all__ = ["Highest", "highest_grade", "satisfaction", "scaled_between", "share_of_highest"]

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
