"""The difference between two systems as that of what they retrieve, and that of its order."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import polars as pl

from rankreport.caching import cached
from rankreport.comparison.paired_differences import contrasts_of
from rankreport.comparison.pairs import Pair, systems_of
from rankreport.comparison.values import ComparisonValues, MeasureLike, family_of
from rankreport.errors import RankReportError
from rankreport.evaluation import Splitting, ranges_of, score_matrices
from rankreport.frames import BASELINE, MEASURE, QUERY_ID, SYSTEM

_PARTS = ("pool", "order", "value")
_FIGURES = (BASELINE, SYSTEM, MEASURE, "n_queries", "mean_baseline", "mean_system", "delta")


def pool_and_order(
    self: ComparisonValues, measure: MeasureLike = None, n: int | None = None
) -> pl.DataFrame:
    """Return how much of each difference is due to what was retrieved, and how much to its order.

    The pool is the best order of a system's own first documents, the order what its value lacks of
    that: as differences, the two add up to that of the measure; the ends of their intervals do
    not. Unjudged documents count as not relevant.

    Parameters
    ----------
    measure, n
        As of `rankreport.Evaluation.pool_and_order`; `n` is by default that of the systems
        compared.

    Returns
    -------
    DataFrame
        ``baseline, system, part`` (String): ``pool``, ``order``, and ``value``, their sum; the
        ``mean_baseline, mean_system, delta, ci_low, ci_high`` (Float64) of each, with intervals as
        those of `table`; ``n_queries, n`` (Int64); ``same_pool`` (Boolean), whether both returned
        the same documents among the first `n` of every query.

    Raises
    ------
    MeasureError, OptionError, DataError
        As of `rankreport.Evaluation.pool_and_order`.

    Examples
    --------
    >>> import rankreport as rr
    >>> old, new = {"q1": {"b": 2.0, "a": 1.0}}, {"q1": {"a": 2.0, "c": 1.0}}
    >>> comparison = rr.compare({"q1": {"a": 1, "c": 1}}, {"old": old, "new": new}, measures="AP")
    >>> comparison.pool_and_order().select("part", "mean_baseline", "mean_system", "delta").rows()
    [('pool', 0.5, 1.0, 0.5), ('order', -0.25, 0.0, 0.25), ('value', 0.25, 1.0, 0.75)]
    """
    splitting = Splitting.of(self.evaluation, systems_of(self.pairs), measure, n)
    return _split(self, splitting).clone()


@cached
def _split(comparison: ComparisonValues, splitting: Splitting) -> pl.DataFrame:
    evaluation, measure, n = splitting
    rows = splitting.missed.select(
        SYSTEM, QUERY_ID, "value", pool="best_of_own", order=-pl.col("ranked_low")
    )
    contrasts = replace(
        contrasts_of(comparison),
        scores=score_matrices(rows, systems_of(comparison.pairs), _PARTS, evaluation.query_ids),
        measures=_PARTS,
        goals=(1.0,) * len(_PARTS),
        ranges=np.repeat(ranges_of([measure]), len(_PARTS), axis=1),
        family=replace(family_of(comparison), across="systems", n_measures=len(_PARTS)),
    )
    pools = splitting.pools
    same = [pools[pair.baseline] == pools[pair.system] for pair in comparison.pairs]
    figures = contrasts.frame().select(
        *_FIGURES,
        *contrasts.intervals(comparison.interval, comparison.confidence),
        pl.lit(n, pl.Int64).alias("n"),
        pl.Series("same_pool", np.repeat(same, len(_PARTS))),
    )
    return figures.rename({MEASURE: "part"})


@cached
def split_by_query(comparison: ComparisonValues, pair: Pair) -> pl.DataFrame:
    """Return how a pair's difference on the primary measure is made up, by query.

    Returns
    -------
    DataFrame
        ``query_id``; ``pool, order``, which add up to the difference; ``mainly``, the larger part
        of what the system misses, as of `rankreport.Evaluation.pool_and_order`. Empty where
        `pool_and_order` raises an error.
    """
    with suppress(RankReportError):
        rows = Splitting.of(comparison.evaluation, systems_of(comparison.pairs)).missed
        baseline, system = (rows.filter(pl.col(SYSTEM) == name) for name in pair)
        both = system.join(baseline, on=QUERY_ID, suffix="_baseline", maintain_order="left")
        pool = pl.col("best_of_own") - pl.col("best_of_own_baseline")
        order = pl.col("ranked_low_baseline") - pl.col("ranked_low")
        return both.select(QUERY_ID, "mainly", pool=pool, order=order)
    parts = dict.fromkeys(("pool", "order"), pl.Float64)
    return pl.DataFrame(schema={QUERY_ID: pl.String, "mainly": pl.String, **parts})
