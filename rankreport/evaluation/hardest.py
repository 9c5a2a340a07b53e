"""The hardest queries of a system, and their relevant documents."""

from __future__ import annotations

import math

import polars as pl

from rankreport.errors import OptionError
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SYSTEM, VALUE
from rankreport.measures import Measure

__all__ = ["hardest_queries", "least_relevant", "relevant_documents"]


def hardest_queries(
    values: pl.DataFrame, primary: Measure, system: str, n_queries: int
) -> pl.DataFrame:
    """Return the frame described at `rankreport.Evaluation.hardest`.

    Parameters
    ----------
    values
        ``system, query_id`` and a column per measure.
    primary
        The measure by which queries are hard.
    system
        Whose they are.
    n_queries
        How many, at most.

    Raises
    ------
    OptionError
        If the measure is neither better high nor low.
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
    """Return the grade from which on a document is relevant: to a measure, or to most readers.

    Graded measures have no relevance threshold: any grade above 0 counts as relevant, even 0.25
    where grades are click rates.

    >>> from rankreport.measures import AP, nDCG
    >>> least_relevant(AP(rel=2))
    2
    >>> 0 < least_relevant(nDCG) < 1e-300
    True
    """
    return math.ulp(0.0) if measure.rel is None else measure.rel


def relevant_documents(documents: pl.DataFrame, rel: float) -> pl.DataFrame:
    """Return the relevant documents of the judged frame, and where each stands.

    Returns
    -------
    DataFrame
        ``system, query_id, doc_id, relevance, rank``: by rank, then those that the system did not
        return (null), the best grade first.
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
