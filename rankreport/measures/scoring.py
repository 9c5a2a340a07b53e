"""From judged rows to the values of measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from rankreport.columns import (
    DOC_ID,
    MEASURE,
    N_RETRIEVED,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SYSTEM,
    TOP_GRADE,
    VALUE,
)
from rankreport.measures.declare import Measure

__all__ = ["score", "score_queries"]


def score_queries(judged: pl.LazyFrame, measures: Iterable[Measure]) -> pl.LazyFrame:
    """Compute every measure for every system and query.

    Parameters
    ----------
    judged
        The judged frame (see `rankreport.judging`), its rows in rank order within each system and
        query: a sum of floats depends on the order of its terms, and scores must be the same to the
        last bit whatever the order of the input.
    measures
        The measures; one asked for twice is computed once.

    Returns
    -------
    LazyFrame
        The scores: ``system, query_id, measure, value``; systems and queries in the order of
        ``judged``, measures in the order given. ``value`` is null where a measure is undefined.
    """
    expressions = [m.expression() for m in dict.fromkeys(measures)]
    return (
        judged.group_by(SYSTEM, QUERY_ID, maintain_order=True)
        .agg(expressions)
        .unpivot(index=[SYSTEM, QUERY_ID], variable_name=MEASURE, value_name=VALUE)
    )


def score(
    measure: Measure,
    ranking: Sequence[float | None],
    unreturned: Sequence[float] = (),
) -> float:
    """Compute one measure for one ranking given as grades: to try a formula by hand.

    Parameters
    ----------
    measure
        The measure.
    ranking
        The grade of each returned document, from the first place on; None where it was not judged.
    unreturned
        The grades of the judged documents that were not returned.

    Returns
    -------
    float

    Examples
    --------
    >>> from rankreport import AP, score
    >>> score(AP, [1, None, 1], unreturned=[1])
    0.5555555555555555
    """
    places = [*range(1, len(ranking) + 1), *[None] * len(unreturned)]
    grades = [*ranking, *unreturned]
    judged = pl.LazyFrame(
        {RANK: places, RELEVANCE: grades},
        schema={RANK: pl.UInt32, RELEVANCE: pl.Float64},
    ).filter(pl.col(RELEVANCE).is_not_null())
    values = (
        judged.with_row_index(DOC_ID)
        .with_columns(
            pl.lit("ranking").alias(SYSTEM),
            pl.lit("query").alias(QUERY_ID),
            pl.lit(len(ranking), pl.UInt32).alias(N_RETRIEVED),
            pl.col(RELEVANCE).max().alias(TOP_GRADE),
        )
        .pipe(score_queries, [measure])
        .collect(engine="in-memory")
    )
    return float(values[VALUE].item())
