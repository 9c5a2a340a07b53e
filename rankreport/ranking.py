"""The tie rule, and the places of documents by it.

A system's list is ordered by score, highest first; what happens among equal scores is ``ties=``:

- ``"trec"``: the larger document id first, compared byte by byte, as trec_eval orders them;
- ``"input"``: in the order given, as Python's stable sort leaves them;
- ``"rank"``: by the rank column, lowest first; scores are ignored altogether;
- ``"expected"``: in every order, each as likely; measures are the exact means over all of them;
- ``"best"`` and ``"worst"``: the higher grade first, and last: no order scores higher, or lower.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.columns import (
    DOC_ID,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SCORE,
    SYSTEM,
    TIE_FIRST,
    TIE_LAST,
)

__all__ = ["LIST", "TIES", "numbered", "order_ties", "rank_hits"]

TIES: Mapping[str, str] = MappingProxyType(
    {
        "trec": "equal scores are ordered by document id, descending, as trec_eval orders them",
        "input": "equal scores keep the order in which they were given",
        "rank": "documents are ordered by the rank column; scores are ignored",
        "expected": "measures are means over all orders of equal scores",
        "best": "equal scores are ordered by grade, the highest first: the upper bound",
        "worst": "equal scores are ordered by grade, the highest last: the lower bound",
    }
)
"""The tie rules, each in a reader's words."""

Rows = NDArray[np.int64]
"""Row numbers of a run."""

_score = pl.col(SCORE)
_ROW = "row"
LIST = "number of the list"
"""The column that numbers the lists: a sorted whole number groups in a fraction of the time."""
_WITHIN = "within"


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
    if ties == "rank":
        place = pl.col(RANK).rank("ordinal").over(QUERY_ID)
        return _only(run.lazy().with_columns(place.alias(RANK)), judged).with_columns(
            pl.col(RANK).alias(TIE_FIRST), pl.col(RANK).alias(TIE_LAST)
        )
    lists = _lists_in_order(run)
    hits = _count(run, judged) if lists is None else _look_up(run, judged, *lists)
    return hits if ties == "input" else _break_ties(hits, run)


def numbered(
    rows: pl.DataFrame, names: Sequence[str] = (SYSTEM, QUERY_ID), number: str = LIST
) -> pl.DataFrame:
    """Give each list, a query's of one system, a number; its rows stand together.

    Or whatever else the names tell apart. By sorted numbers, rows are grouped where they stand, and
    floats are summed in their order. By names they may be summed in parts: Polars does so or not as
    it guesses, from a sample drawn at random, how many groups there are, and the last bits of a sum
    would be chance.
    """
    told_apart = pl.struct(names).rle_id().alias(number)
    return rows.with_columns(told_apart).with_columns(pl.col(number).set_sorted())


def order_ties(judged: pl.DataFrame, ties: str) -> pl.DataFrame:
    """Order equal scores by grade, for the bounds of what their order can do to a measure.

    Unjudged documents stand below all judged ones in the best order, and above them in the worst:
    they never count as relevant, while a low grade may.

    Parameters
    ----------
    judged
        The judged frame (see `rankreport.judging`), in rank order within each system and query.
    ties
        ``"best"`` or ``"worst"``; any other rule leaves the frame as it is.

    Returns
    -------
    DataFrame
        The same rows with other ranks, in the order of these.
    """
    if ties not in {"best", "worst"}:
        return judged
    block = [SYSTEM, QUERY_ID, TIE_FIRST]
    from_top = pl.col(RELEVANCE).rank("ordinal", descending=True).over(block)
    place = {
        "best": pl.col(TIE_FIRST) + from_top - 1,
        "worst": pl.col(TIE_LAST) - from_top + 1,
    }[ties]
    return (
        numbered(judged)
        .lazy()
        .with_columns(place.cast(pl.UInt32).alias(RANK))
        .sort(LIST, RANK, DOC_ID, nulls_last=True)
        .drop(LIST)
        .collect()
    )


def _lists_in_order(run: pl.DataFrame) -> tuple[Rows, Rows] | None:
    """Return the rows where queries and where blocks of equal scores begin, if all is in order.

    Most runs stand as they will be read: query by query, scores falling. Then a place is a row
    number less another. One linear pass tells, in a fraction of the time that ranking takes.
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
    """Find the judged documents of a run in order, and their places by row number."""
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
    """Find the judged documents of a run in any order, and count the rows with higher scores."""
    ranked = run.lazy().select(
        QUERY_ID,
        DOC_ID,
        SCORE,
        _score.rank("ordinal", descending=True).over(QUERY_ID).alias(RANK),
        _score.rank("min", descending=True).over(QUERY_ID).alias(TIE_FIRST),
        _score.rank("max", descending=True).over(QUERY_ID).alias(TIE_LAST),
    )
    # Collected here, so that the passes over the big side run one after the other, not at once.
    return _only(ranked, judged).collect().lazy()


def _break_ties(hits: pl.LazyFrame, run: pl.DataFrame) -> pl.LazyFrame:
    """Order the blocks of equal scores that hold a judged document, and leave all others alone."""
    tied = pl.col(TIE_FIRST) < pl.col(TIE_LAST)
    blocks = hits.filter(tied).select(QUERY_ID, SCORE).unique()
    within = pl.col(DOC_ID).rank("ordinal", descending=True).over(QUERY_ID, SCORE)
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
    # The cheap test on one column leaves little for the join on two.
    documents = judged[DOC_ID].unique().implode()
    return rows.filter(pl.col(DOC_ID).is_in(documents)).join(
        judged.lazy().select(QUERY_ID, DOC_ID), on=[QUERY_ID, DOC_ID], how="semi"
    )
