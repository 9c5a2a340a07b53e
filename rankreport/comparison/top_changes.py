"""The first documents of two lists, which make a query won or lost."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from rankreport.comparison.pairs import Pair
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SYSTEM
from rankreport.measures import Measure

RANKS = ("rank_baseline", "rank_system")
"""The columns of a document's rank in both lists; null where it is not among the first."""

_SHOWN_DOCUMENTS = 10
"""The number of documents compared per list, unless the measure's cut-off is smaller."""


def depth_shown(measure: Measure) -> int:
    """Return the number of documents to show per list."""
    return min(_SHOWN_DOCUMENTS, measure.k or _SHOWN_DOCUMENTS)


def both_lists(documents: pl.DataFrame, queries: Sequence[str], pair: Pair) -> pl.DataFrame:
    """Return the documents of both lists with their ranks, the baseline's first."""
    document = [QUERY_ID, DOC_ID, RELEVANCE]
    lists = documents.filter(pl.col(QUERY_ID).is_in(list(queries)))
    before, after = (
        lists.filter(pl.col(SYSTEM) == name).select(*document, pl.col(RANK).alias(rank))
        for rank, name in zip(RANKS, pair, strict=True)
    )
    return before.join(
        after, on=document, how="full", nulls_equal=True, coalesce=True, maintain_order="left_right"
    ).select(*(pl.lit(name).alias(side) for side, name in pair._asdict().items()), pl.all())
