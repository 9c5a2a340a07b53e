"""Queries that one system of a pair did not answer, and the difference without them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from rankreport.comparison.columns import OF_JUDGED
from rankreport.comparison.contrasts import OneSided, contrasts_of, one_sided
from rankreport.comparison.difference import Difference
from rankreport.comparison.differences import own_differences
from rankreport.comparison.pairs import Pair
from rankreport.comparison.unseen import with_ends
from rankreport.comparison.values import ComparisonValues, family_of
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM
from rankreport.keeping import kept


@kept
def missing_of(comparison: ComparisonValues) -> dict[Pair, OneSided]:
    """Return the effect of queries that one system did not answer, of each pair that has any."""
    unanswered, primary = comparison.evaluation.unanswered, str(comparison.primary)
    return one_sided(contrasts_of(comparison), primary, unanswered, comparison.evaluation.query_ids)


def unanswered_queries(comparison: ComparisonValues, pair: Pair) -> pl.Series:
    """Return the queries that a system of a pair did not answer."""
    return comparison.evaluation.unanswered.filter(pl.col(SYSTEM).is_in(list(pair)))[QUERY_ID]


def on_answered(comparison: ComparisonValues, pair: Pair) -> tuple[Difference, pl.DataFrame]:
    """Return a pair's differences on the queries that both systems answered.

    Returns
    -------
    tuple
        The difference on the primary measure; and, of all measures, the figures of the frame of
        `table` that do not need a test. Intervals are for one difference alone.
    """
    contrasts = contrasts_of(comparison)
    left_out = np.isin(comparison.evaluation.query_ids, unanswered_queries(comparison, pair))[
        :, np.newaxis
    ]
    answered = replace(
        contrasts,
        scores={system: np.where(left_out, np.nan, contrasts.scores[system]) for system in pair},
        pairs=(pair,),
        family=replace(family_of(comparison), correction="none", n_pairs=1),
    )
    rows = with_ends(comparison, answered)
    row = rows.row(by_predicate=pl.col(MEASURE) == str(comparison.primary), named=True)
    figures = {name: row[name] for name in ("n_queries", *OF_JUDGED)}
    whole = own_differences(comparison)[pair]
    # What follows from the spread over all queries does not hold for some of them.
    found = replace(
        whole, **figures, n_simultaneous=1, on_judged=None, detectable=None, margin_needed=None
    )
    return found, rows
