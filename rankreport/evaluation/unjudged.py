"""Unjudged documents: how many stand at the top of the lists, and values without them.

Unjudged documents count as not relevant. Where two systems returned different numbers of them, that
alone can make a difference, or hide one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankreport.evaluation.judging import Judged
from rankreport.frames import (
    DOC_ID,
    LIST,
    N_RETRIEVED,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SCORE,
    SYSTEM,
    TIE_FIRST,
    TIE_LAST,
    VALUE,
    numbered,
)
from rankreport.measures import JudgedRows, Measure

__all__ = [
    "DEFAULT_DEPTH",
    "N_UNJUDGED",
    "Unjudged",
    "depth_of",
    "judged_shares",
    "unjudged_of",
]

DEFAULT_DEPTH = 10
"""The depth examined where the primary measure has no cut-off."""

N_UNJUDGED = "n_unjudged"

_COUNTS = {SYSTEM: pl.String(), QUERY_ID: pl.String(), N_UNJUDGED: pl.Int64()}
_VALUES = {SYSTEM: pl.String(), QUERY_ID: pl.String(), VALUE: pl.Float64()}
_DOCUMENTS = {
    SYSTEM: pl.String(),
    QUERY_ID: pl.String(),
    DOC_ID: pl.UInt32(),
    RANK: pl.UInt32(),
}
_GRADES = {QUERY_ID: pl.String(), RELEVANCE: pl.Float64(), "n": pl.UInt32()}


class Unjudged(NamedTuple):
    """The unjudged documents at the top of the lists, and values on judged documents alone.

    Attributes
    ----------
    counts
        ``system, query_id, n_unjudged``: unjudged documents within the cut-off.
    values
        ``system, query_id, value``: of the primary measure on the *condensed* lists, which keep
        judged documents alone.
    documents
        ``system, query_id, doc_id, rank``: those documents, numbered within each query; the same
        document has the same number in all lists.
    grades
        ``query_id, relevance, n``: the number of judged documents of each positive grade.
    """

    counts: pl.DataFrame
    values: pl.DataFrame
    documents: pl.DataFrame
    grades: pl.DataFrame

    def to_plain(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        return {name: frame.to_dict(as_series=False) for name, frame in self._asdict().items()}

    @classmethod
    def of_plain(cls, stored: Mapping[str, Any]) -> Unjudged:
        """Return it from the result of `to_plain`."""
        schemas = (_COUNTS, _VALUES, _DOCUMENTS, _GRADES)
        return cls(
            *(
                pl.DataFrame(stored[name], schema=schema)
                for name, schema in zip(cls._fields, schemas, strict=True)
            )
        )


def depth_of(measure: Measure) -> int:
    """Return the cut-off of a measure, or `DEFAULT_DEPTH`.

    >>> from rankreport.measures import AP, RR
    >>> depth_of(AP), depth_of(RR @ 5)
    (10, 5)
    """
    return measure.k if measure.takes_cutoff and measure.k else DEFAULT_DEPTH


def judged_shares(quality: pl.DataFrame, coverage: pl.DataFrame) -> dict[str, float]:
    """Return each system's share judged within the cut-off, or of the first 10 without one.

    Parameters
    ----------
    quality, coverage
        Frames of `rankreport.Evaluation`, coverage for the primary measure only. A system that
        returned nothing has no share.
    """
    shares = quality.select(SYSTEM, "judged_at_10")
    if coverage["k"].drop_nulls().len():
        shares = coverage.select(SYSTEM, 1 - pl.col("unjudged"))
    return dict(shares.drop_nulls().iter_rows())


def unjudged_of(
    judged: Judged,
    unknown: pl.DataFrame,
    measure: Measure,
    *,
    first: str,
    expected: bool,
    one_where_barren: bool = False,
) -> Unjudged:
    """Return the unjudged documents, and the values without them.

    Parameters
    ----------
    judged
        The judgments and runs, joined.
    unknown
        The unjudged documents within the cut-off, as of `documents.unjudged_documents`.
    measure
        The primary measure.
    first
        The first system of which a query is evaluated: of its queries, grades are counted.
    expected, one_where_barren
        As in `rankreport.measures.JudgedRows`.
    """
    of_query = unknown[QUERY_ID].rle_id().set_sorted()
    numbers = pl.col(DOC_ID).rank("dense").over(of_query).alias(DOC_ID)
    documents = unknown.select(SYSTEM, QUERY_ID, numbers, RANK)
    of_list = [SYSTEM, QUERY_ID]
    lengths = numbered(documents, [QUERY_ID, SYSTEM]).group_by(LIST, maintain_order=True)
    counts = (
        judged.queries.filter("counted")
        .select(of_list)
        .join(
            lengths.agg(pl.col(of_list).first(), pl.len().alias(N_UNJUDGED)).drop(LIST),
            on=of_list,
            how="left",
            maintain_order="left",
        )
        .with_columns(pl.col(N_UNJUDGED).fill_null(0))
    )
    positive = judged.frame.filter((pl.col(SYSTEM) == first) & (pl.col(RELEVANCE) > 0))
    grades = positive.group_by(QUERY_ID, RELEVANCE, maintain_order=True).len("n")
    values = _judged_only(judged, measure, expected=expected, one_where_barren=one_where_barren)
    frames = (counts, values, documents, grades)
    schemas = (_COUNTS, _VALUES, _DOCUMENTS, _GRADES)
    return Unjudged(
        *(
            frame.select(pl.col(name).cast(dtype) for name, dtype in schema.items())
            for frame, schema in zip(frames, schemas, strict=True)
        )
    )


def _judged_only(
    judged: Judged, measure: Measure, *, expected: bool, one_where_barren: bool
) -> pl.DataFrame:
    """Return the values of a measure on the condensed lists."""
    whole = JudgedRows(judged.frame, expected=expected, one_where_barren=one_where_barren)
    ties = not {TIE_FIRST, TIE_LAST}.isdisjoint(whole.reads([measure]))
    documents = condensed(judged.frame, ties=ties)
    subtopics = judged.subtopics
    if subtopics is not None:
        columns = subtopics.columns
        keys = [SYSTEM, QUERY_ID, DOC_ID]
        moved = documents.select(*keys, *_PLACES)
        subtopics = subtopics.drop(_PLACES).join(moved, on=keys, how="left", maintain_order="left")
        subtopics = subtopics.select(columns)
    rows = JudgedRows(documents, subtopics, expected=expected, one_where_barren=one_where_barren)
    return rows.of_queries([measure]).rename({str(measure): VALUE})


_PLACES: Sequence[str] = (RANK, TIE_FIRST, TIE_LAST, N_RETRIEVED)


def condensed(frame: pl.DataFrame, *, ties: bool) -> pl.DataFrame:
    """Return the judged frame with ranks among judged documents alone.

    As in trec_eval, documents of a negative grade count as unjudged.

    Parameters
    ----------
    frame
        The judged frame.
    ties
        Whether the ranks of blocks of equal scores are needed, too.
    """
    stays = pl.col(RANK).is_not_null() & (pl.col(RELEVANCE) >= 0)
    rows = numbered(frame)
    lengths = rows[LIST].rle().struct.field("len").to_numpy().astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    kept = rows.select(stays.fill_null(value=False)).to_series()
    n_of_list = np.add.reduceat(kept.to_numpy(), starts, dtype=np.int64)
    n_above = np.repeat(np.cumsum(n_of_list) - n_of_list, lengths)
    place = pl.Series(np.cumsum(kept.to_numpy()) - n_above, dtype=pl.UInt32)
    rows = rows.with_columns(
        pl.when(kept).then(place).alias(RANK),
        pl.Series(N_RETRIEVED, np.repeat(n_of_list, lengths), dtype=pl.UInt32),
    )
    if ties:
        block = [LIST, SCORE]
        in_list = pl.col(RANK).is_not_null()
        rows = rows.with_columns(
            pl.when(in_list).then(pl.col(RANK).min().over(block)).alias(TIE_FIRST),
            pl.when(in_list).then(pl.col(RANK).max().over(block)).alias(TIE_LAST),
        )
    return rows.select(frame.columns)
