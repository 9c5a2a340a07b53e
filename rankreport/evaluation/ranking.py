"""Ranks of documents under a tie rule.

A system's list is ordered by score, highest first; equal scores are ordered by a
`~rankreport.measures.TieRule`.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.frames import (
    DOC_ID,
    LIST,
    QUERY_ID,
    RANK,
    SCORE,
    TIE_FIRST,
    TIE_LAST,
    numbered,
)
from rankreport.measures import TieRule

__all__ = ["order_ties", "rank_hits"]


Rows = NDArray[np.int64]
"""Row numbers of a run."""

_score = pl.col(SCORE)
_ROW = "row"
_WITHIN = "within"


def rank_hits(run: pl.DataFrame, judged: pl.DataFrame, rule: TieRule) -> pl.LazyFrame:
    """Find the ranks of the judged documents in a system's lists.

    Measures need only the judged documents, which are few, so the others are counted, not sorted: a
    rank is 1 plus the number of documents with a higher score, plus an offset by the tie rule.

    Parameters
    ----------
    run
        ``query_id, doc_id, score`` and, if the rule orders by it, ``rank``; one row per returned
        document.
    judged
        ``query_id, doc_id``: the documents to find, with the dtypes of ``run``.
    rule
        The tie rule.

    Returns
    -------
    LazyFrame
        ``query_id, doc_id, score``, ``rank`` (UInt32, from 1), and ``tie_first`` and ``tie_last``
        (UInt32), the first and last rank of the document's block of equal scores; one row per
        judged document that was returned.
    """
    if rule.by_rank:
        place = pl.col(RANK).rank("ordinal").over(QUERY_ID)
        return _only(run.lazy().with_columns(place.alias(RANK)), judged).with_columns(
            pl.col(RANK).alias(TIE_FIRST), pl.col(RANK).alias(TIE_LAST)
        )
    lists = _lists_in_order(run)
    hits = _count(run, judged) if lists is None else _look_up(run, judged, *lists)
    return hits if rule.within_block is None else _break_ties(hits, run, rule.within_block)


def order_ties(judged: pl.DataFrame, rule: TieRule) -> pl.DataFrame:
    """Order equal scores by grade, for the bounds of a measure over orders of equal scores.

    Parameters
    ----------
    judged
        The judged frame (`rankreport.evaluation.judging`), ordered by rank within system and query.
    rule
        A rule that orders by grade; with any other rule the frame is returned unchanged.

    Returns
    -------
    DataFrame
        The rows with new ranks, sorted by them.
    """
    if rule.graded_place is None:
        return judged
    return (
        numbered(judged)
        .lazy()
        .with_columns(rule.graded_place.cast(pl.UInt32).alias(RANK))
        .sort(LIST, RANK, DOC_ID, nulls_last=True)
        .drop(LIST)
        .collect()
    )


def _lists_in_order(run: pl.DataFrame) -> tuple[Rows, Rows] | None:
    """Return the first rows of queries and of blocks of equal scores, or None if not sorted.

    Most runs are sorted by query and descending score. Ranks are then differences of row numbers. A
    linear pass checks this in a fraction of the time that ranking takes.
    """
    query = pl.col(QUERY_ID).to_physical()
    starts = query.ne_missing(query.shift(1))
    blocks = starts | (_score != _score.shift(1))
    rises = (_score > _score.shift(1)) & ~starts
    found = (
        run.lazy()
        .select(
            starts=starts.arg_true().implode(),
            blocks=blocks.arg_true().implode(),
            rises=rises.any(),
        )
        .collect(engine="in-memory")
    )
    first_rows = found["starts"].item()
    returns = run[QUERY_ID].gather(first_rows).n_unique() < len(first_rows)
    if returns or found["rises"].item():
        return None
    return first_rows.to_numpy(), np.append(found["blocks"].item().to_numpy(), len(run))


def _look_up(run: pl.DataFrame, judged: pl.DataFrame, starts: Rows, blocks: Rows) -> pl.LazyFrame:
    """Find the judged documents of a sorted run, and their ranks by row number."""
    hits = _only(run.lazy().with_row_index(_ROW), judged).collect()
    rows = hits[_ROW].to_numpy()
    above = starts[np.searchsorted(starts, rows, side="right") - 1]
    block = np.searchsorted(blocks, rows, side="right")
    return hits.lazy().select(
        QUERY_ID,
        DOC_ID,
        SCORE,
        pl.Series(RANK, rows - above + 1, pl.UInt32),
        pl.Series(TIE_FIRST, blocks[block - 1] - above + 1, pl.UInt32),
        pl.Series(TIE_LAST, blocks[block] - above, pl.UInt32),
    )


def _count(run: pl.DataFrame, judged: pl.DataFrame) -> pl.LazyFrame:
    """Find the judged documents of an unsorted run, and count the rows with higher scores."""
    ranked = run.lazy().select(
        QUERY_ID,
        DOC_ID,
        SCORE,
        _score.rank("ordinal", descending=True).over(QUERY_ID).alias(RANK),
        _score.rank("min", descending=True).over(QUERY_ID).alias(TIE_FIRST),
        _score.rank("max", descending=True).over(QUERY_ID).alias(TIE_LAST),
    )
    # Collected here, so that the passes over the run are sequential and need less memory.
    return _only(ranked, judged).collect().lazy()


def _break_ties(hits: pl.LazyFrame, run: pl.DataFrame, within: pl.Expr) -> pl.LazyFrame:
    """Order the blocks of equal scores that contain a judged document."""
    tied = pl.col(TIE_FIRST) < pl.col(TIE_LAST)
    blocks = hits.filter(tied).select(QUERY_ID, SCORE).unique()
    ordered = (
        run.lazy()
        .join(blocks, on=[QUERY_ID, SCORE], how="semi")
        .select(QUERY_ID, DOC_ID, within.alias(_WITHIN))
    )
    return hits.join(ordered, on=[QUERY_ID, DOC_ID], how="left").select(
        pl.exclude(RANK, _WITHIN),
        (pl.col(TIE_FIRST) + pl.col(_WITHIN).fill_null(1) - 1).alias(RANK),
    )


def _only(rows: pl.LazyFrame, judged: pl.DataFrame) -> pl.LazyFrame:
    # A cheap filter on one column first, to make the join on two columns fast.
    documents = judged[DOC_ID].unique().implode()
    return rows.filter(pl.col(DOC_ID).is_in(documents)).join(
        judged.lazy().select(QUERY_ID, DOC_ID), on=[QUERY_ID, DOC_ID], how="semi"
    )
