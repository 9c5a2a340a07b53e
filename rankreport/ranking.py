"""The tie rule, and the places of documents by it.

A system's list is ordered by score, highest first; what happens among equal scores is ``ties=``:

- ``"trec"``: the larger document id first, compared byte by byte, as trec_eval orders them;
- ``"input"``: in the order given, as Python's stable sort leaves them;
- ``"rank"``: by the rank column, lowest first; scores are ignored altogether.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import polars as pl

from rankreport.columns import DOC_ID, QUERY_ID, RANK, SCORE, TIE_FIRST, TIE_LAST

__all__ = ["TIES", "rank_hits"]

TIES: Mapping[str, str] = MappingProxyType(
    {
        "trec": "equal scores are ordered by document id, descending, as trec_eval orders them",
        "input": "equal scores keep the order in which they were given",
        "rank": "documents are ordered by the rank column; scores are ignored",
    }
)
"""The tie rules, each in a reader's words."""


def rank_hits(run: pl.DataFrame, judged: pl.DataFrame, ties: str) -> pl.LazyFrame:
    """Find the places of the judged documents in a system's lists.

    Only judged documents matter to a measure and they are few, so the many others are counted, not
    sorted: a place is the number of documents with a higher score, plus what the tie rule adds.

    Parameters
    ----------
    run
        ``query_id, doc_id, score`` and, for ``ties="rank"``, ``rank``; one row per returned
        document.
    judged
        ``query_id, doc_id``: the documents of which the place is wanted, dtypes as in ``run``.
    ties
        A key of `TIES`.

    Returns
    -------
    LazyFrame
        ``query_id, doc_id, score``, ``rank`` (UInt32, from 1), and ``tie_first`` and ``tie_last``
        (UInt32), the places that the document's block of equal scores extends over; one row per
        judged document that was returned.
    """
    rows = run.lazy()
    if ties == "rank":
        place = pl.col(RANK).rank("ordinal").over(QUERY_ID)
        placed = rows.with_columns(place.alias(RANK))
        return _only(placed, judged).with_columns(
            pl.col(RANK).alias(TIE_FIRST), pl.col(RANK).alias(TIE_LAST)
        )
    by_score = rows.select(QUERY_ID, DOC_ID, SCORE).with_columns(
        _place("min").alias(TIE_FIRST), _place("max").alias(TIE_LAST)
    )
    if ties == "input":
        return _only(by_score.with_columns(_place("ordinal").alias(RANK)), judged)
    # Collected here, so that the passes over the big side run one after the other, not at once.
    hits = _only(by_score, judged).collect().lazy()
    return _break_ties(hits, rows)


def _break_ties(hits: pl.LazyFrame, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Order the blocks of equal scores that hold a judged document, and leave all others alone."""
    blocks = hits.filter(pl.col(TIE_FIRST) < pl.col(TIE_LAST)).select(QUERY_ID, SCORE).unique()
    within = pl.col(DOC_ID).rank("ordinal", descending=True).over(QUERY_ID, SCORE)
    ordered = rows.join(blocks, on=[QUERY_ID, SCORE], how="semi").select(
        QUERY_ID, DOC_ID, within.alias(RANK)
    )
    return hits.join(ordered, on=[QUERY_ID, DOC_ID], how="left").with_columns(
        (pl.col(TIE_FIRST) + pl.col(RANK).fill_null(1) - 1).alias(RANK)
    )


def _place(method: str) -> pl.Expr:
    return pl.col(SCORE).rank(method, descending=True).over(QUERY_ID)  # type: ignore[arg-type]


def _only(rows: pl.LazyFrame, judged: pl.DataFrame) -> pl.LazyFrame:
    # The cheap test on one column leaves little for the join on two.
    documents = judged[DOC_ID].unique().implode()
    return rows.filter(pl.col(DOC_ID).is_in(documents)).join(
        judged.lazy().select(QUERY_ID, DOC_ID), on=[QUERY_ID, DOC_ID], how="semi"
    )
