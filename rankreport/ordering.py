"""Rows in the order that readers want: measure by measure, as they were named, the best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankreport.columns import MEASURE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankreport.measures import Measure

__all__ = ["best_first", "by_measure"]


def by_measure(rows: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
    """Return the rows measure by measure, in this order of theirs; those of one stay as they stand.

    >>> from rankreport.measures import P, RR
    >>> rows = pl.DataFrame({"measure": ["RR", "P@5"], "mean": [0.5, 0.2]})
    >>> by_measure(rows, [P @ 5, RR]).rows()
    [('P@5', 0.2), ('RR', 0.5)]
    """
    return rows.sort(_place(measures), maintain_order=True)


def best_first(rows: pl.DataFrame, measures: Sequence[Measure], value: str) -> pl.DataFrame:
    """Return the rows measure by measure, and of each the best first by their column `value`.

    That is the highest, or the lowest where low is better; null comes last, and equal ones stay as
    they stand.

    >>> from rankreport.measures import RR
    >>> rows = pl.DataFrame({"measure": "RR", "mean": [0.2, None, 0.5]})
    >>> best_first(rows, [RR], "mean")["mean"].to_list()
    [0.5, 0.2, None]
    """
    signs = {str(m): -1 if m.declaration.better == "low" else 1 for m in measures}
    gain = pl.col(value) * pl.col(MEASURE).replace_strict(signs, return_dtype=pl.Int64)
    return rows.sort(
        _place(measures), gain, descending=[False, True], nulls_last=True, maintain_order=True
    )


def _place(measures: Sequence[Measure]) -> pl.Expr:
    order = {str(measure): place for place, measure in enumerate(measures)}
    return pl.col(MEASURE).replace_strict(order, return_dtype=pl.Int64)
