"""The hardest queries of a system, and their relevant documents."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from rankreport.errors import OptionError
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SYSTEM, VALUE
from rankreport.measures import Measure


def hardest_queries(
    values: pl.DataFrame, primary: Measure, system: str, n_queries: int
) -> pl.DataFrame:
    """Return the frame of `rankreport.Evaluation.hardest`.

    Parameters
    ----------
    values
        ``system, query_id`` and a column per measure.
    primary
        The primary measure.
    system
        The system.
    n_queries
        Maximum number of queries.

    Raises
    ------
    OptionError
        If neither high nor low values of the measure are better.
    """
    better = primary.declaration.better
    if better == "neither":
        raise OptionError(
            f"{primary} has no better direction, so it cannot rank queries by difficulty. Name "
            f"another primary measure."
        )
    return (
        values.filter(pl.col(SYSTEM) == system)
        .select(SYSTEM, QUERY_ID, pl.col(str(primary)).alias(VALUE))
        .drop_nulls()
        .sort(VALUE, QUERY_ID, descending=[better == "low", False])
        .head(n_queries)
    )


def least_relevant(measure: Measure) -> float:
    """Return the lowest relevant grade of a measure.

    Graded measures have no threshold: it is the next number above 0, so that any fraction counts,
    or above the grades whose gain is 0.

    >>> from rankreport.measures import AP, nDCG
    >>> least_relevant(AP(rel=2))
    2
    >>> 0 < least_relevant(nDCG) < 1e-300
    True
    >>> 1 < least_relevant(nDCG(gains={1: 0})) < 1.001
    True
    """
    if measure.rel is not None:
        return measure.rel
    gains: Any = measure.parameter("gains") or ()
    return math.nextafter(max([0.0, *(grade for grade, gain in gains if not gain)]), math.inf)


def relevant_documents(documents: pl.DataFrame, rel: float) -> pl.DataFrame:
    """Return the relevant documents of the judged frame, with their ranks.

    Returns
    -------
    DataFrame
        ``system, query_id, doc_id, relevance, rank``, sorted by rank, then documents not returned
        (null) by descending grade.
    """
    return (
        documents.filter(pl.col(RELEVANCE) >= rel)
        .select(SYSTEM, QUERY_ID, DOC_ID, RELEVANCE, RANK)
        .sort(
            pl.col(RANK),
            -pl.col(RELEVANCE),
            DOC_ID,
            nulls_last=True,
            maintain_order=True,
        )
    )
