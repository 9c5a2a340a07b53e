"""A run, read in slices by query and ranked, with what spans queries joined.

A slice holds all rows of its queries, so ranks, counts per query and folding need no other. What
spans queries is joined here: faults, reported as if the run had been read at once; the numbers of
rows; and the rows of a few queries from all slices. A run that is read at once is a single slice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from typing import NamedTuple

import polars as pl

from rankreport.errors import DataError
from rankreport.evaluation.collapse import Collapse
from rankreport.evaluation.ranking import JUDGMENT, Lists, Positions, Rows
from rankreport.frames import N_RETRIEVED, QUERY_ID, RANK, SCORE
from rankreport.io import RowCounts, Source, check_counts, count_rows, faulty_rank, rank_error
from rankreport.measures import TieRule


class RankedRun(NamedTuple):
    """A run, ranked.

    Attributes
    ----------
    hits
        The judged documents, as of `Lists.hits`.
    lengths
        ``query_id``, ``n_retrieved``: how many documents were returned for each query.
    n_rows, n_folded
        The number of rows, and of those that are left where rows are folded, else None.
    n_repeated
        The number of rows that repeat a score of their query; None where scores do not order.
    positions
        What is special about given ranks.
    rows_of
        Returns all rows of some queries, given by the row numbers of `lengths`.
    """

    hits: pl.DataFrame
    lengths: pl.DataFrame
    n_rows: int
    n_folded: int | None
    n_repeated: int | None
    positions: Positions
    rows_of: Callable[[Rows], pl.DataFrame]


_JUDGED = "judged row"


class _Slice(NamedTuple):
    """What is found in a slice of a run; its lists are kept if it is the whole run."""

    hits: pl.DataFrame
    lengths: pl.DataFrame
    n_repeated: int
    positions: Positions
    misplaced: pl.DataFrame
    lists: Lists | None


@dataclass(frozen=True)
class RunReader:
    """How the rows of a system are read.

    Attributes
    ----------
    system, source
        Its name, and its rows.
    ties
        The tie rule.
    precision
        In which scores are compared: a key of `rankreport.evaluation.judging.PRECISION`.
    collapse
        How passages are folded into documents; None if they are not.
    part
        Whether these are the rows of some queries of a larger run: there may be none.
    """

    system: str
    source: Source
    ties: TieRule
    precision: str = "double"
    collapse: Collapse | None = None
    part: bool = False

    @property
    def columns(self) -> list[str]:
        """The columns that are needed besides the usual ones."""
        return columns_of(self.system, self.ties, self.collapse)

    def slices(self, of_these: pl.Expr | None = None) -> Iterator[pl.DataFrame]:
        """Read rows in slices, folded if rows are folded, with scores as they are compared.

        Parameters
        ----------
        of_these
            The queries to read; by default all.
        """
        return map(self.prepared, self.source.slices(*self.columns, of_these=of_these))

    def ranked(
        self, judged: Callable[[], pl.DataFrame], advance: Callable[[str], object] = lambda _: None
    ) -> RankedRun:
        """Rank the run.

        Parameters
        ----------
        judged
            Returns the documents to find, ``query_id, doc_id``; called once rows are in order.
        advance
            Called with the name of the system after each slice.

        Raises
        ------
        DataError
            If rows are invalid, or cannot be folded or ordered.
        """
        repeated, whole = self.collapse is not None, self.source.partition is None
        counts: list[RowCounts] = []
        found: list[_Slice] = []
        unfolded: DataError | None = None
        separated = self.part or not repeated
        for rows in self.source.slices(*self.columns):
            counts.append(count_rows(rows, self.source, repeated=repeated))
            if (counts[-1].n or self.part) and counts[-1].valid:
                separated = separated or self._separated(rows)
                try:
                    found.append(self._slice(rows, judged))
                except DataError as error:
                    unfolded = error
            del rows  # before the next slice is read
            advance(self.system)
        check_counts(counts, self.source, empty=self.part)
        if self.collapse is not None and not separated:
            self.collapse.check(self.first_row(), self.system, self.source)
        if unfolded is not None:
            raise unfolded if whole else self.not_folded(unfolded)
        misplaced = [each.misplaced for each in found if not each.misplaced.is_empty()]
        if misplaced:
            raise rank_error(self.source, self.first_of(misplaced))
        lengths = pl.concat([each.lengths for each in found])
        n_repeated = sum(each.n_repeated for each in found)
        scored = self.source.scored and not self.ties.by_rank
        lists = found[0].lists
        rows_of = partial(self._rows_of, lengths[QUERY_ID])
        if lists is not None:
            rows_of = partial(_rows_in, lists)
        return RankedRun(
            pl.concat([each.hits for each in found]),
            lengths,
            sum(each.n for each in counts),
            int(lengths[N_RETRIEVED].sum()) if repeated else None,
            n_repeated if scored else None,
            Positions.summed(each.positions for each in found),
            rows_of,
        )

    def _slice(self, rows: pl.DataFrame, judged: Callable[[], pl.DataFrame]) -> _Slice:
        run = self.prepared(rows)
        none = pl.DataFrame()
        misplaced = faulty_rank(run) if self.ties.by_rank else none
        if not misplaced.is_empty():
            return _Slice(none, none, 0, Positions(), misplaced, None)
        lists = Lists.of(run, self.ties)
        found = (lists.lengths, lists.n_repeated, lists.positions, misplaced)
        if self.source.partition is None:
            return _Slice(lists.hits(judged()), *found, lists)
        # Of the judgments of the slice alone, which are much fewer.
        some = judged().with_row_index(_JUDGED).join(lists.lengths, on=QUERY_ID, how="semi")
        hits = lists.hits(some)
        number = some[_JUDGED].gather(hits[JUDGMENT]).cast(hits.schema[JUDGMENT])
        return _Slice(hits.with_columns(number.alias(JUDGMENT)), *found, None)

    def prepared(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return rows folded if rows are folded, with scores as they are compared."""
        if self.collapse is not None:
            by_rank = self.ties.by_rank
            rows = self.collapse.fold(rows, self.system, self.source, by_rank=by_rank)
        if self.precision == "double":
            return rows
        return rows.with_columns(pl.col(SCORE).cast(pl.Float32).cast(pl.Float64))

    def _rows_of(self, queries: pl.Series, numbers: Rows) -> pl.DataFrame:
        some = queries.gather(numbers).cast(pl.String)
        return pl.concat(list(self.slices(pl.col(QUERY_ID).is_in(some.implode()))))

    def _separated(self, rows: pl.DataFrame) -> bool:
        return self.collapse is None or self.collapse.separates(rows, self.system)

    def check_separated(self) -> None:
        """Check that some rows are passages of documents, where they are to be folded.

        Raises
        ------
        DataError
            If none are.
        """
        if self.collapse is None:
            return
        if not any(self._separated(rows) for rows in self.source.slices(*self.columns)):
            self.collapse.check(self.first_row(), self.system, self.source)

    def first_row(self) -> pl.DataFrame:
        """Return the first row of the run."""
        return self.source.in_order(*self.columns).head(1).collect()

    def not_folded(self, found: DataError) -> DataError:
        """Return the error for rows of all slices that cannot be folded, of which one was found."""
        try:
            if self.collapse is not None:
                rows = self.source.in_order(*self.columns)
                self.collapse.check_known(rows, self.system, self.source)
        except DataError as error:
            return error
        return found

    def first_of(self, misplaced: list[pl.DataFrame]) -> pl.DataFrame:
        """Return the first of rows from several slices, in the order of the run."""
        if len(misplaced) == 1:
            return misplaced[0]
        rows = pl.concat(misplaced)
        if self.collapse is not None:  # folded rows are in the order of their queries
            return rows.sort(pl.col(QUERY_ID).to_physical()).head(1)
        each = rows.cast({QUERY_ID: pl.String}).iter_rows()
        one_of = reduce(
            pl.Expr.or_,
            ((pl.col(QUERY_ID) == query) & pl.col(RANK).eq_missing(rank) for query, rank in each),
        )
        return self.source.in_order(RANK).select(QUERY_ID, RANK).filter(one_of).head(1).collect()


def columns_of(system: str, ties: TieRule, collapse: Collapse | None) -> list[str]:
    """Return the columns that are needed of a system's run besides the usual ones."""
    return [
        *([RANK] if ties.by_rank else []),
        *(() if collapse is None else collapse.columns(system)),
    ]


def _rows_in(lists: Lists, numbers: Rows) -> pl.DataFrame:
    return lists.run[lists.rows_of(numbers)]
