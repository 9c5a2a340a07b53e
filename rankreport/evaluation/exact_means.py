"""Exact means over all queries, summed in parts, where those evaluated are a random sample."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from rankreport.frames import MEASURE, SYSTEM
from rankreport.measures import Measure

EXACT_MEANS = {
    SYSTEM: pl.String(),
    MEASURE: pl.String(),
    "n_queries": pl.Int64(),
    "mean": pl.Float64(),
}
"""The schema of `rankreport.Evaluation.exact_means`."""

_TOTAL = "total"


def totals_of(values: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
    """Return ``system, measure, n_queries, total``: sums over the queries with a value.

    Parameters
    ----------
    values
        ``system, query_id`` and a column per measure.
    measures
        Measures whose value of a system is a mean or a sum.
    """
    found = [
        (system, str(measure), len(defined), math.fsum(defined))
        for (system,), rows in values.group_by(SYSTEM, maintain_order=True)
        for measure in measures
        for defined in [rows[str(measure)].drop_nulls().to_list()]
    ]
    schema = {SYSTEM: pl.String, MEASURE: pl.String, "n_queries": pl.Int64, _TOTAL: pl.Float64}
    return pl.DataFrame(found, schema, orient="row")


def joined_totals(parts: Sequence[pl.DataFrame], systems: Sequence[str]) -> pl.DataFrame:
    """Return the means over the queries of all parts, in the order of the systems.

    Sums do not depend on the order of the parts.

    >>> parts = [pl.DataFrame({"system": "a", "measure": "RR", "n_queries": n, "total": total})
    ...          for n, total in [(1, 0.5), (3, 1.0)]]
    >>> joined_totals(parts, ["a"]).rows()
    [('a', 'RR', 4, 0.375)]
    """
    rows = pl.concat(parts).group_by(SYSTEM, MEASURE, maintain_order=True)
    totals = rows.agg(pl.sum("n_queries"), pl.col(_TOTAL))
    sums = pl.Series("mean", [math.fsum(each) for each in totals[_TOTAL].to_list()], pl.Float64)
    # Buckets come in any order, and so do their measures.
    means = totals.select(SYSTEM, MEASURE, "n_queries", sums / totals["n_queries"])
    return means.sort(pl.col(SYSTEM).cast(pl.Enum(systems)), maintain_order=True)
