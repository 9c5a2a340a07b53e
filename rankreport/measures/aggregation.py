"""What the values of queries come to for a system: means, weighted and geometric ones, and sums."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from rankreport.frames import QUERY_ID, SYSTEM, numbered
from rankreport.measures.declare import Measure

_WEIGHT = "weight of the query"


NUMBER = "number of the system"
"""Columns besides those of measures; measures cannot have these names."""


_LEAST = 1e-5
"""The lower bound of values in a geometric mean: trec_eval's MIN_GEO_MEAN."""


def summarise(
    values: pl.DataFrame, measures: Iterable[Measure], weights: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Aggregate the values of each system over queries, for measures that are not pooled.

    Parameters
    ----------
    values
        ``system, query_id`` and a column per measure, null where it is undefined.
    measures
        The measures; pooled ones are null here.
    weights
        As for `JudgedRows.of_systems`.
    """
    if weights is not None:
        of_query = weights.rename({"weight": _WEIGHT})
        values = values.join(of_query, on=QUERY_ID, how="left", maintain_order="left")
    given = None if weights is None else pl.col(_WEIGHT)
    return by_system(
        values, [_system_value(measure, given).alias(str(measure)) for measure in measures]
    )


def by_system(rows: pl.DataFrame, values: Iterable[pl.Expr]) -> pl.DataFrame:
    """Aggregate the rows of each system, which must be contiguous, in a reproducible order.

    >>> rows = pl.DataFrame({"system": ["new", "new", "old"], "AP": [0.5, 1.0, 0.25]})
    >>> by_system(rows, [pl.col("AP").mean()]).rows()
    [('new', 0.75), ('old', 0.25)]
    """
    return (
        numbered(rows, [SYSTEM], NUMBER)
        .lazy()
        .group_by(NUMBER, maintain_order=True)
        .agg(pl.col(SYSTEM).first(), *values)
        .drop(NUMBER)
        .collect(engine="in-memory")
    )


def _system_value(measure: Measure, weight: pl.Expr | None) -> pl.Expr:
    value = pl.col(str(measure))
    match measure.declaration.aggregate:
        case "sum":
            return value.sum()
        case "pooled":
            return pl.lit(None, pl.Float64)
        case "weighted" if weight is None:
            weight = pl.col(weight_of(measure))
        case "geometric":
            return _mean(value.clip(lower_bound=_LEAST).log(), weight).exp()
    return _mean(value, weight)


def _mean(value: pl.Expr, weight: pl.Expr | None) -> pl.Expr:
    if weight is None:
        return value.mean()
    weights = weight.filter(value.is_not_null()).sum()
    return pl.when(weights > 0).then((value * weight).sum() / weights)


def weight_of(measure: Measure) -> str:
    """Return the column of the weights that a measure gives to queries."""
    return f"weight of {measure}"
