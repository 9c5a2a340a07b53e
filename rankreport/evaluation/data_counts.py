"""Counts of the data behind the scores: queries, unjudged documents, undefined values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from rankreport.evaluation.judging import Judged
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM, VALUE, long
from rankreport.measures import Judged as JudgedShare
from rankreport.measures import Measure, NumRet, by_system

QUALITY = {
    SYSTEM: pl.String(),
    "n_queries": pl.Int64(),
    "n_unanswered": pl.Int64(),
    "n_left_out": pl.Int64(),
    "n_unjudged": pl.Int64(),
    "n_no_relevant": pl.Int64(),
    "n_tied": pl.Int64(),
    "n_unscored": pl.Int64(),
    "judged_at_10": pl.Float64(),
}
"""The columns of `rankreport.Evaluation.quality`."""

_JUDGED_AT = JudgedShare @ 10


Values = Callable[[Sequence[Measure]], pl.DataFrame]
"""Returns the values of measures of all judged rows, as `JudgedRows.of_queries` does."""


def counted(judged: Judged, n_unscored: pl.DataFrame, values_of: Values) -> pl.DataFrame:
    """Return the frame of `rankreport.Evaluation.quality`.

    Parameters
    ----------
    judged
        The judgments and runs, joined.
    n_unscored
        ``system, n_unscored``: the number of judged documents without a score.
    values_of
        Computes measures, without means over orders of equal scores.
    """
    counts = pl.col("counted")
    return (
        judged.queries.group_by(SYSTEM, maintain_order=True)
        .agg(
            counts.sum().alias("n_queries"),
            (counts & (pl.col("n_retrieved") == 0)).sum().alias("n_unanswered"),
            (~counts).sum().alias("n_left_out"),
            (pl.col("n_relevant") == 0).sum().alias("n_no_relevant"),
            (counts & pl.col("tied")).sum().alias("n_tied"),
        )
        .with_columns(
            pl.col(SYSTEM)
            .replace_strict(
                {system: look.unjudged_queries.n for system, look in judged.looks.items()},
                return_dtype=pl.UInt32,
            )
            .alias("n_unjudged")
        )
        .join(n_unscored, on=SYSTEM, how="left", maintain_order="left")
        .join(_judged(values_of, [_JUDGED_AT]), on=SYSTEM, how="left", maintain_order="left")
        .rename({str(_JUDGED_AT): "judged_at_10"})
        .select(pl.col(name).cast(dtype) for name, dtype in QUALITY.items())
    )


def unjudged(values_of: Values, measures: Sequence[Measure]) -> pl.DataFrame:
    """Return the frame of `rankreport.Evaluation.coverage`.

    Parameters
    ----------
    values_of
        Computes measures, without means over orders of equal scores.
    measures
        The measures; those without a cut-off, and those beyond accuracy, for which judgments do not
        matter, are left out.
    """
    measures = [m for m in measures if m.takes_cutoff and m.declaration.rows != "shown"]
    cuts = {str(m): m.k for m in measures}
    shares = {str(m): JudgedShare(k=m.k) for m in measures}
    judged = _judged(values_of, list(dict.fromkeys(shares.values())))
    of_measures = judged.select(SYSTEM, *((1 - pl.col(str(s))).alias(m) for m, s in shares.items()))
    known = pl.DataFrame(
        {MEASURE: list(cuts), "k": list(cuts.values())}, schema={MEASURE: pl.String, "k": pl.Int64}
    )
    return (
        long(of_measures, [SYSTEM])
        .rename({VALUE: "unjudged"})
        .join(known, on=MEASURE, maintain_order="left")
        .select(SYSTEM, MEASURE, "k", "unjudged")
    )


def _judged(values_of: Values, shares: Sequence[Measure]) -> pl.DataFrame:
    """Return each system's mean shares judged, over the queries that it answered."""
    values = values_of([NumRet, *shares])
    # Shares are not defined where nothing was returned.
    answered = pl.col(str(NumRet)) > 0
    return by_system(values, [pl.col(str(share)).filter(answered).mean() for share in shares])


def undefined(values: pl.DataFrame) -> pl.DataFrame:
    """Count the queries for which a measure has no value: ``system, measure``, the counts."""
    systems = values.group_by(SYSTEM, maintain_order=True)
    found = long(systems.agg(pl.exclude(SYSTEM, QUERY_ID).null_count()), [SYSTEM])
    return found.rename({VALUE: "n_undefined"}).join(
        systems.len("n_queries"), on=SYSTEM, maintain_order="left"
    )
