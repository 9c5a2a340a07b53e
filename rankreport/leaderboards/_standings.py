"""Where each system stands: the ranks that intervals leave open, and who may be the best."""

from __future__ import annotations

import polars as pl

from rankreport.comparison import Comparison
from rankreport.frames import BASELINE, MEASURE, SYSTEM


def standings(comparison: Comparison) -> pl.DataFrame:
    """Return where each system stands on each measure.

    Returns
    -------
    DataFrame
        ``system, measure``; ``mean`` (Float64); ``highest, lowest`` (Int64), the ranks that the
        intervals of the differences from all other systems leave open, 1 for the best; ``best``
        (Boolean), whether it has the best mean, and ``same``, whether it cannot be told from the
        system that has. Nulls where a measure has no better direction. In the order of the means
        of the primary measure, the best first.

    Examples
    --------
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> compared = rr.compare(rr.evaluate(example.qrels, example.runs, ["nDCG@10"]))
    >>> standings(compared).select("system", "highest", "lowest", "same").rows()[-1]
    ('char-ngrams', 3, 4, False)
    """
    goals = {str(m): _GOALS[m.declaration.better] for m in comparison.evaluation.measures}
    means = comparison.means().select(SYSTEM, MEASURE, "mean")
    goal = pl.col(MEASURE).replace_strict(goals, return_dtype=pl.Float64)
    rows = comparison._every_pair.with_columns(gain=pl.col("delta") * goal)
    above = (pl.col("differs") & (pl.col("gain") < 0)).sum()
    below = (pl.col("differs") & (pl.col("gain") > 0)).sum()
    ranks = rows.group_by(SYSTEM, MEASURE).agg(
        highest=above.cast(pl.Int64) + 1, lowest=pl.len().cast(pl.Int64) + 1 - below.cast(pl.Int64)
    )
    gained = means.with_columns(gained=(pl.col("mean") * goal).round(12))
    leaders = gained.sort("gained", descending=True, nulls_last=True, maintain_order=True)
    leader = leaders.group_by(MEASURE, maintain_order=True).agg(
        leader=pl.col(SYSTEM).first(), top=pl.col("gained").first()
    )
    from_leader = rows.select(SYSTEM, MEASURE, pl.col(BASELINE).alias("leader"), "differs")
    order = pl.DataFrame({SYSTEM: comparison._best_systems})
    known = goal.is_not_nan()
    return (
        order.join(gained, on=SYSTEM, how="left", maintain_order="left_right")
        .join(ranks, on=[SYSTEM, MEASURE], how="left", maintain_order="left")
        .join(leader, on=MEASURE, how="left", maintain_order="left")
        .join(from_leader, on=[SYSTEM, MEASURE, "leader"], how="left", maintain_order="left")
        .select(
            SYSTEM,
            MEASURE,
            "mean",
            pl.when(known).then("highest").alias("highest"),
            pl.when(known).then("lowest").alias("lowest"),
            pl.when(known).then(pl.col("gained") == pl.col("top")).alias("best"),
            pl.when(known).then(~pl.col("differs").fill_null(value=False)).alias("same"),
        )
    )


_GOALS = {"high": 1.0, "low": -1.0, "neither": float("nan")}
