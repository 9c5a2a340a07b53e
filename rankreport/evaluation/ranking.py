"""Ranks of documents under a tie rule.

A system's list is ordered by score, highest first; equal scores are ordered by a
`~rankreport.measures.TieRule`. Measures need only the judged documents, which are few: a rank is
looked up for them alone, and only blocks of equal scores that hold one of them are put in order.

Under ``ties="rank"`` a given rank is a position, also where ranks have gaps: what is missing counts
as a document that nobody judged. In a list whose ranks start at 0, 1 is added to each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.frames import (
    DOC_ID,
    LIST,
    N_RETRIEVED,
    QUERY_ID,
    RANK,
    SCORE,
    TIE_FIRST,
    TIE_LAST,
    numbered,
)
from rankreport.measures import TieRule, ranks_within

Rows = NDArray[np.int64]
"""Row numbers, or places in the order of all lists."""

JUDGMENT = "judgment"
"""The column of row numbers of judgments."""

_SHORT = 100_000
"""Runs of fewer rows are joined faster in memory than in streams."""

_ROW = "row"
_KEY = "key"
_BLOCK = "block"


class Positions(NamedTuple):
    """How many lists there are with given ranks, with gaps between these, and with one of 0."""

    n_lists: int = 0
    n_with_gaps: int = 0
    n_from_0: int = 0

    @classmethod
    def summed(cls, parts: Iterable[Positions]) -> Positions:
        """Return those of several parts of a run.

        >>> Positions.summed([Positions(2, 1, 0), Positions(1, 0, 1)])
        Positions(n_lists=3, n_with_gaps=1, n_from_0=1)
        """
        return cls(*map(sum, zip(*parts, strict=True)))


@dataclass(frozen=True, eq=False)
class Lists:
    """The lists of a run, one behind the other, each in order of its scores.

    Attributes
    ----------
    run
        ``query_id, doc_id, score`` and, if the rule orders by it, ``rank``; one row per returned
        document.
    rule
        The tie rule.
    queries
        The query of each list.
    starts
        The first place of each list, and the number of all places.
    values
        What orders the lists, highest first, at each place.
    order
        The row of the run at each place; None if the rows stand in order.
    """

    run: pl.DataFrame
    rule: TieRule
    queries: pl.Series
    starts: Rows
    values: NDArray[np.generic]
    order: Rows | None

    @classmethod
    def of(cls, run: pl.DataFrame, rule: TieRule) -> Lists:
        """Find the lists of a run, and put them in order.

        Most runs are sorted by query and descending score, which a linear pass tells.
        """
        # Of whole numbers, ~n is -n - 1: it turns their order round and never overflows.
        by = ~pl.col(RANK) if rule.by_rank else pl.col(SCORE)
        values = run.select(by).to_series().rechunk()  # else NumPy would copy it each time
        adjacent = run[QUERY_ID].rle().struct
        lists, lengths = adjacent.field("value"), adjacent.field("len").to_numpy()
        scattered = lists.n_unique() < len(lists)
        order = None
        if scattered or _within(np.greater, values.to_numpy(), starts_of(lengths)).any():
            number = run[QUERY_ID] if scattered else run[QUERY_ID].rle_id().set_sorted()
            rows = pl.col(_ROW).sort_by(by, descending=True, maintain_order=True)
            grouped = (
                run.lazy()
                .with_row_index(_ROW)
                .group_by(number.alias(LIST), maintain_order=True)
                .agg(rows)
                .collect(engine="in-memory")
            )
            lists = grouped[LIST] if scattered else lists
            lengths = grouped[_ROW].list.len().to_numpy()
            order = grouped[_ROW].explode().to_numpy()
            values = values.gather(order)
        return cls(run, rule, lists.alias(QUERY_ID), starts_of(lengths), values.to_numpy(), order)

    def of_rows(self, run: pl.DataFrame, first: int, last: int) -> Lists:
        """Return the lists of some rows, up to the last (exclusive), if all of theirs are there.

        Parameters
        ----------
        run
            All rows, whose queries may have other names.
        first, last
            The numbers of the rows.
        """
        first_list, end = np.searchsorted(self.starts, [first, last])
        starts, rows = self.starts[first_list : end + 1] - first, run[first:last]
        order = None if self.order is None else self.order[first:last] - first
        heads = starts[:-1] if order is None else order[starts[:-1]]
        queries = rows[QUERY_ID].gather(heads)
        return Lists(rows, self.rule, queries, starts, self.values[first:last], order)

    @cached_property
    def lengths(self) -> pl.DataFrame:
        """The last position of each list: ``query_id, n_retrieved`` (UInt32)."""
        last = self._positions(self.starts[1:] - 1, self.starts[:-1])
        return pl.DataFrame([self.queries, pl.Series(N_RETRIEVED, last, pl.UInt32)])

    @property
    def positions(self) -> Positions:
        """What is special about the ranks, if they are given."""
        if self._given is None:
            return Positions()
        n_documents = np.diff(self.starts)
        with_gaps = self.lengths[N_RETRIEVED].to_numpy() > n_documents
        return Positions(len(n_documents), int(with_gaps.sum()), int(self._from_0.sum()))

    @cached_property
    def _given(self) -> Rows | None:
        """The rank at each place, from 1, if the rule orders by ranks."""
        if not self.rule.by_rank:
            return None
        ranks: Rows = np.invert(self.values.astype(np.int64))
        return ranks + np.repeat(self._from_0, np.diff(self.starts)).astype(np.int64)

    @property
    def _from_0(self) -> NDArray[np.bool_]:
        """Whether the given ranks of each list start at 0."""
        from_0: NDArray[np.bool_] = self.values[self.starts[:-1]].astype(np.int64) == ~0
        return from_0

    def _positions(self, places: Rows, above: Rows) -> Rows:
        """Return the ranks of places, of lists that start at the places ``above``."""
        return places - above + 1 if self._given is None else self._given[places]

    @cached_property
    def n_repeated(self) -> int:
        """The number of documents with the same value as the one above them."""
        return int(self._repeated.sum())

    @cached_property
    def _repeated(self) -> NDArray[np.bool_]:
        """Whether each place has the value of the one above it in its list; at the end, False."""
        same = _within(np.equal, self.values, self.starts)
        return np.concatenate([[False], same, [False]])

    def rows_of(self, lists: Rows) -> Rows:
        """Return the rows of some lists, in their order in the run."""
        places = ranges(self.starts[lists], self.starts[lists + 1])
        return np.sort(self._rows_at(places))

    def rows_within(self, k: int) -> Rows:
        """Return the rows whose rank is at most ``k`` in some order of equal values."""
        if self._given is not None:
            return np.sort(self._rows_at(np.flatnonzero(self._given <= k)))
        lengths = np.diff(self.starts)
        last = self.values[self.starts[:-1] + np.minimum(lengths, k) - 1]
        places = np.flatnonzero(self.values >= np.repeat(last, lengths))
        return np.sort(self._rows_at(places))

    def hits(self, judged: pl.DataFrame) -> pl.DataFrame:
        """Find judged documents, and their ranks.

        Parameters
        ----------
        judged
            ``query_id, doc_id``, with the dtypes of the run.

        Returns
        -------
        DataFrame
            ``judgment``, the row number in ``judged``; ``score``; ``rank`` (UInt32, from 1);
            ``tie_first`` and ``tie_last`` (UInt32), the first and last rank of the document's block
            of equal scores. One row per judged document that was returned.
        """
        rows, judgments = judged_pairs(self.run, judged)
        return self.ranked(rows).drop(LIST).insert_column(0, pl.Series(JUDGMENT, judgments))

    def ranked(self, rows: Rows) -> pl.DataFrame:
        """Return the columns of `hits` for some rows of the run, and the number of each one's list.

        Parameters
        ----------
        rows
            The rows.

        Returns
        -------
        DataFrame
            ``score, rank, tie_first, tie_last`` and the number of the list, in the order given.
        """
        places = rows
        if self.order is not None:
            place_of = np.empty_like(self.order)
            place_of[self.order] = np.arange(len(self.order), dtype=self.order.dtype)
            places = place_of[rows].astype(np.int64)
        number = np.searchsorted(self.starts, places, side="right") - 1
        above = self.starts[number]
        first, last = self._blocks(places)
        ranked = self._broken_ties(places, first, last)
        return pl.DataFrame(
            {
                SCORE: self.run[SCORE][rows],
                RANK: pl.Series(self._positions(ranked, above), dtype=pl.UInt32),
                TIE_FIRST: pl.Series(self._positions(first, above), dtype=pl.UInt32),
                TIE_LAST: pl.Series(self._positions(last - 1, above), dtype=pl.UInt32),
                LIST: number,
            }
        )

    def _blocks(self, places: Rows) -> tuple[Rows, Rows]:
        """Return the first and the last place (exclusive) with the value of each place."""
        first, last = places.copy(), places + 1
        # Most values differ from their neighbours.
        same = self._repeated[places] | self._repeated[last]
        if same.any():
            starts = np.flatnonzero(~self._repeated)
            block = np.searchsorted(starts, places[same], side="right") - 1
            first[same], last[same] = starts[block], starts[block + 1]
        return first, last

    def _broken_ties(self, places: Rows, first: Rows, last: Rows) -> Rows:
        """Order places of equal values, ``first`` to ``last`` (exclusive), by the rule."""
        tied = last - first > 1
        if self.rule.within_block is None or not tied.any():
            return places
        blocks, at = np.unique(first[tied], return_index=True)
        ends = last[tied][at]
        in_blocks = ranges(blocks, ends)
        documents = self.run[DOC_ID].gather(self._rows_at(in_blocks))
        block = np.repeat(np.arange(len(blocks)), ends - blocks)
        within = ranks_within(self.rule.within_block, documents, block)
        own = np.searchsorted(in_blocks, places[tied])
        ordered = places.copy()
        ordered[tied] = first[tied] + within[own] - 1
        return ordered

    def _rows_at(self, places: Rows) -> Rows:
        return places if self.order is None else self.order[places].astype(np.int64)


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
    tied = judged.with_row_index(_ROW).filter(pl.col(TIE_FIRST) < pl.col(TIE_LAST))
    if tied.is_empty():
        return judged
    # The judged documents of a block stand together, so these rows change places among themselves.
    graded = (
        numbered(numbered(tied), [LIST, TIE_FIRST], _BLOCK)
        .lazy()
        .select(_ROW, _BLOCK, rule.graded_place.over(_BLOCK).cast(pl.UInt32).alias(RANK))
        .sort(_BLOCK, RANK)
        .collect(engine="in-memory")
    )
    rows = np.arange(len(judged))
    rows[tied[_ROW].to_numpy()] = graded[_ROW].to_numpy()
    return judged[rows].with_columns(judged[RANK].scatter(tied[_ROW], graded[RANK]))


def judged_pairs(run: pl.DataFrame, judged: pl.DataFrame) -> tuple[Rows, Rows]:
    """Return the rows of a run that are judged, and the row of each one's judgment.

    Numbers are joined several times as fast as texts. That the texts are equal where their hashes
    are is looked up afterwards, for these few.
    """
    key = (pl.col(DOC_ID).hash(0) ^ pl.col(QUERY_ID).to_physical().hash(1)).alias(_KEY)
    pairs = (
        run.lazy()
        .select(key)
        .with_row_index(_ROW)
        .join(judged.lazy().select(key).with_row_index(JUDGMENT), on=_KEY)
        .select(_ROW, JUDGMENT)
        .sort(_ROW)
        .collect(engine="in-memory" if len(run) < _SHORT else "auto")
    )
    equal = pl.Series([True]).new_from_index(0, len(pairs))
    for column in (QUERY_ID, DOC_ID):
        equal &= run[column][pairs[_ROW]] == judged[column][pairs[JUDGMENT]]
    pairs = pairs if equal.all() else pairs.filter(equal)
    return pairs[_ROW].to_numpy().astype(np.int64), pairs[JUDGMENT].to_numpy().astype(np.int64)


def starts_of(lengths: NDArray[np.generic]) -> Rows:
    """Return the first row of each list by their lengths, and the number of all rows.

    >>> starts_of(np.array([2, 3])).tolist()
    [0, 2, 5]
    """
    starts: Rows = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return starts


def ranges(starts: Rows, ends: Rows) -> Rows:
    """Return the numbers from each start to its end (exclusive), one range behind the other.

    >>> ranges(np.array([0, 7]), np.array([2, 10])).tolist()
    [0, 1, 7, 8, 9]
    """
    lengths = ends - starts
    before = np.cumsum(lengths) - lengths
    numbers: Rows = np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
    return numbers


def _within(holds: np.ufunc, values: NDArray[np.generic], starts: Rows) -> NDArray[np.bool_]:
    """Return whether it holds of each value, but the first, and the one above it in its list."""
    found: NDArray[np.bool_] = holds(values[1:], values[:-1])
    found[starts[1:-1] - 1] = False
    return found
