"""Unjudged documents: how many stand at the top of the lists, and values without them.

Unjudged documents count as not relevant. Where two systems returned different numbers of them, that
alone can make a difference, or hide one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np
import polars as pl

from rankreport.evaluation.judging import Judged, in_order
from rankreport.evaluation.ranking import ranges
from rankreport.frames import (
    DOC_ID,
    LIST,
    N_RETRIEVED,
    N_UNJUDGED,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SCORE,
    SYSTEM,
    TIE_FIRST,
    TIE_LAST,
    numbered,
)
from rankreport.measures import JudgedRows, Measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int64]

DEFAULT_DEPTH = 10
"""The depth examined where the primary measure has no cut-off."""

_LISTS = {
    SYSTEM: pl.String(),
    QUERY_ID: pl.String(),
    N_UNJUDGED: pl.Int64(),
}
_DOCUMENTS = {DOC_ID: pl.UInt32(), RANK: pl.UInt32()}
_GRADES = {QUERY_ID: pl.String(), RELEVANCE: pl.Float64(), "n": pl.UInt32()}
_OF_LIST = (SYSTEM, QUERY_ID)
_START = "where documents begin"
_STAYS = "stays"


class Unjudged(NamedTuple):
    """The unjudged documents at the top of the lists.

    There may be tens of millions of documents, so they are two numbers each.

    Attributes
    ----------
    lists
        ``system, query_id, n_unjudged``, in the order of the scores: the number of unjudged
        documents within the cut-off.
    documents
        ``doc_id, rank``: those documents, of one list after the other, by the CRC-32 of their ids,
        which is the same in all lists and evaluations, and hardly ever that of two of a query.
    grades
        ``query_id, relevance, n``: the number of judged documents of each positive grade.
    """

    lists: pl.DataFrame
    documents: pl.DataFrame
    grades: pl.DataFrame

    @classmethod
    def joined(cls, parts: Sequence[Unjudged], systems: Sequence[str]) -> Unjudged:
        """Return the unjudged documents of all queries from those of some queries each.

        Parameters
        ----------
        parts
            The unjudged documents, with grades of other queries each.
        systems
            All systems, in order.
        """
        found = pl.concat([each.lists for each in parts])
        lists = in_order([found.with_columns(pl.Series(_START, _starts_of(found)))], systems)
        documents = pl.concat([each.documents for each in parts])
        return cls(
            lists.select(*_LISTS),
            Unjudged.of_lists(documents, lists[_START].to_numpy(), lists[N_UNJUDGED].to_numpy()),
            pl.concat([each.grades for each in parts]).sort(QUERY_ID, maintain_order=True),
        )

    @staticmethod
    def of_lists(documents: pl.DataFrame, starts: IntArray, lengths: IntArray) -> pl.DataFrame:
        """Return the documents of some lists, one after the other.

        Parameters
        ----------
        documents
            The documents of all lists.
        starts, lengths
            Where those of each list begin, and how many they are.
        """
        return documents[ranges(starts, starts + lengths)]

    @property
    def starts(self) -> IntArray:
        """Where the documents of each list begin."""
        return _starts_of(self.lists)

    def n_documents(self, systems: Collection[str]) -> int:
        """Return how many documents these systems have, each of a query counted once."""
        numbers = self.lists[QUERY_ID].rank("dense").cast(pl.UInt64).to_numpy()
        lengths = self.lists[N_UNJUDGED].to_numpy()
        kept = self.lists[SYSTEM].is_in(list(systems)).to_numpy()
        documents = Unjudged.of_lists(self.documents, self.starts[kept], lengths[kept])
        of_query = pl.Series(np.repeat(numbers[kept], lengths[kept]))
        return (of_query * 2**32 + documents[DOC_ID]).n_unique()

    def where(self, kept: pl.Series) -> Unjudged:
        """Return those of some lists."""
        rows, lists = kept.to_numpy(), self.lists.filter(kept)
        lengths = lists[N_UNJUDGED].to_numpy()
        documents = Unjudged.of_lists(self.documents, self.starts[rows], lengths)
        grades = self.grades.join(lists, on=QUERY_ID, how="semi", maintain_order="left")
        return Unjudged(lists, documents, grades)


def _starts_of(lists: pl.DataFrame) -> IntArray:
    lengths = lists[N_UNJUDGED].to_numpy()
    starts: IntArray = np.cumsum(lengths) - lengths
    return starts


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


def unjudged_of(judged: Judged, unknown: Iterable[pl.DataFrame], *, first: str) -> Unjudged:
    """Return the unjudged documents.

    Parameters
    ----------
    judged
        The judgments and runs, joined.
    unknown
        The unjudged documents within the cut-off, as of `documents.unjudged_documents`.
    first
        The first system of which a query is evaluated: of its queries, grades are counted.
    """
    parts = [_numbered(each) for each in unknown]
    lengths = pl.concat([lengths for lengths, _ in parts])
    found = lengths.with_columns(pl.Series(_START, _starts_of(lengths)))
    documents = pl.concat([documents for _, documents in parts])
    del parts
    every = judged.frame.select(_OF_LIST).unique(maintain_order=True)
    lists = every.join(found, on=_OF_LIST, how="left", maintain_order="left").with_columns(
        pl.col(N_UNJUDGED, _START).fill_null(0)
    )
    positive = judged.frame.filter((pl.col(SYSTEM) == first) & (pl.col(RELEVANCE) > 0))
    grades = positive.group_by(QUERY_ID, RELEVANCE, maintain_order=True).len("n")
    return Unjudged(
        _in_columns(lists, _LISTS),
        Unjudged.of_lists(documents, lists[_START].to_numpy(), lists[N_UNJUDGED].to_numpy()),
        _in_columns(grades, _GRADES),
    )


def _numbered(unknown: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the lengths of the lists, and their documents, numbered within each query."""
    numbers = pl.Series(DOC_ID, crcs(unknown[DOC_ID]), pl.UInt32)
    rows = numbered(unknown.select(QUERY_ID, SYSTEM), [QUERY_ID, SYSTEM])
    lengths = rows.group_by(LIST, maintain_order=True).agg(
        pl.col(_OF_LIST).first(), pl.len().cast(pl.Int64).alias(N_UNJUDGED)
    )
    return lengths.drop(LIST), _in_columns(unknown.select(numbers, RANK), _DOCUMENTS)


def crcs(ids: pl.Series) -> NDArray[np.uint64]:
    """Return the CRC-32 of ids, as UTF-8."""
    texts = ids.cast(pl.String)
    names = texts.unique()
    known = pl.Series(map(crc32, names.cast(pl.Binary)), dtype=pl.UInt64)
    found: NDArray[np.uint64] = texts.replace_strict(names, known).to_numpy()
    return found


def _in_columns(frame: pl.DataFrame, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    return frame.select(pl.col(name).cast(dtype) for name, dtype in schema.items())


def judged_only(
    judged: Judged, measures: Sequence[Measure], *, expected: bool, one_where_barren: bool
) -> pl.DataFrame:
    """Return the values of measures on the condensed lists, wide."""
    whole = JudgedRows(judged.frame, expected=expected, one_where_barren=one_where_barren)
    ties = not {TIE_FIRST, TIE_LAST}.isdisjoint(whole.reads(measures))
    documents = condensed(judged.frame, ties=ties)
    subtopics = judged.subtopics
    if subtopics is not None:
        columns = subtopics.columns
        keys = [SYSTEM, QUERY_ID, DOC_ID]
        moved = documents.select(*keys, *_PLACES)
        subtopics = subtopics.drop(_PLACES).join(moved, on=keys, how="left", maintain_order="left")
        subtopics = subtopics.select(columns)
    rows = JudgedRows(documents, subtopics, expected=expected, one_where_barren=one_where_barren)
    return rows.of_queries(measures)


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
    stays = (pl.col(RANK).is_not_null() & (pl.col(RELEVANCE) >= 0)).fill_null(value=False)
    rows = numbered(frame).with_columns(stays.alias(_STAYS))
    of_list = pl.col(_STAYS).cast(pl.UInt32)
    rows = rows.with_columns(
        pl.when(_STAYS).then(of_list.cum_sum().over(LIST)).alias(RANK),
        of_list.sum().over(LIST).alias(N_RETRIEVED),
    )
    if ties:
        block = [LIST, SCORE]
        in_list = pl.col(RANK).is_not_null()
        rows = rows.with_columns(
            pl.when(in_list).then(pl.col(RANK).min().over(block)).alias(TIE_FIRST),
            pl.when(in_list).then(pl.col(RANK).max().over(block)).alias(TIE_LAST),
        )
    return rows.select(frame.columns)
