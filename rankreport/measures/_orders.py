"""Formulae that hold for one order of equal scores and for the mean over all orders.

A measure that is linear in what these functions return is declared by `linear`: its mean over the
orders is its own formula, in which they return means.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import polars as pl

from rankreport.measures._terms import Cut, rank, total, within
from rankreport.measures.declare import Declares
from rankreport.measures.parameters import require
from rankreport.measures.ties import first, last, mean_over_block, share_within

_OVER_ORDERS = ContextVar("over orders", default=False)


def linear(declare: Callable[..., Declares], **declared: Any) -> Declares:
    """Declare a measure that is linear in the functions below, as `declare` does."""

    def of(formulate: Callable[..., pl.Expr]) -> Any:
        def expected(**settings: Any) -> pl.Expr:
            token = _OVER_ORDERS.set(True)
            try:
                return formulate(**settings)
            finally:
                _OVER_ORDERS.reset(token)

        return declare(**declared, expected=expected)(formulate)

    return of


def is_over_orders(*, without: bool = False, of: str = "") -> bool:
    """Return whether a formula is of the mean over all orders.

    Raises
    ------
    MeasureError
        If it is, `without` there being one for these parameters, `of` which it says.
    """
    over = _OVER_ORDERS.get()
    unknown = f"its mean over the orders of equal scores is not known with {of}."
    require(not (over and without), f"{unknown} Use ties='trec'.")
    return over


def place() -> pl.Expr:
    """Return the rank of each document; null where it was not returned."""
    return (first + last) / 2 if is_over_orders() else rank()


def n_within(of: pl.Expr, k: Cut, *, judged_only: bool = False) -> pl.Expr:
    """Return the number of these documents within the cut-off."""
    if is_over_orders():
        return total(share_within(k).filter(of))
    return (of & within(k, judged_only=judged_only)).sum()


def chance_within(k: Cut) -> pl.Expr:
    """Return the probability of each document to rank within the cut-off: 0 or 1 in one order."""
    return share_within(k) if is_over_orders() else within(k).cast(pl.Float64)


def at_rank(function: Callable[[pl.Expr], pl.Expr], k: int | None) -> pl.Expr:
    """Return a function of the rank of each document, 0 beyond the cut-off."""
    if is_over_orders():
        return mean_over_block(function, k)
    return pl.when(within(k)).then(function(rank())).otherwise(0.0)
