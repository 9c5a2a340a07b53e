"""A run, read in slices by query and ranked, with what spans queries joined.

A slice holds all rows of its queries, so ranks, counts per query and folding need no other. What
spans queries is joined here: faults, reported as if the run had been read at once; the numbers of
rows; and the rows of a few queries from all slices. A run that is read at once is a single slice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from typing import NamedTuple

import polars as pl

from rankreport.errors import DataError
from rankreport.evaluation.collapse import Collapse
from rankreport.evaluation.ranking import JUDGMENT, Lists, Positions, Rows
from rankreport.frames import N_RETRIEVED, QUERY_ID, RANK, SCORE
from rankreport.io import RowCounts, Source, faulty_rank, rank_error
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
    lists: Lists | None


class UsableRows(NamedTuple):
    """The rows of some queries of a run that can be used.

    Attributes
    ----------
    rows
        These rows, folded if rows are folded; of a document that is repeated, that with the highest
        score.
    counts
        The counts of all rows.
    separated
        Whether some row is of a passage, where its document is to be found by a separator.
    misplaced
        ``query_id, rank`` of a row whose rank orders no documents, if any.
    unfolded
        The error of rows that cannot be folded.
    """

    rows: pl.DataFrame
    counts: RowCounts
    separated: bool
    misplaced: pl.DataFrame
    unfolded: DataError | None

    @property
    def is_valid(self) -> bool:
        """Whether all rows can be used."""
        return self.counts.valid and self.unfolded is None and self.misplaced.is_empty()

    def without_rows(self) -> UsableRows:
        """Return what is wrong with rows."""
        return self._replace(rows=self.rows.clear())

    @classmethod
    def joined(cls, parts: Sequence[UsableRows]) -> UsableRows:
        """Join what is wrong with rows of parts of the queries, which have no order."""
        first = parts[0].without_rows()
        n, valid = sum(part.counts.n for part in parts), all(part.counts.valid for part in parts)
        misplaced = [part.misplaced.cast(NOT_MISPLACED.schema) for part in parts]
        errors = [part.unfolded for part in parts if part.unfolded is not None]
        return cls(
            first.rows,
            RowCounts(n, first.counts.lengths.clear(), valid),
            any(part.separated for part in parts),
            pl.concat(misplaced).sort(QUERY_ID, RANK),
            min(errors, key=str, default=None),
        )


class RunReader(NamedTuple):
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
        of_documents = () if self.collapse is None else self.collapse.columns(self.system)
        return [*([RANK] if self.ties.by_rank else []), *of_documents]

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
        parts: list[UsableRows] = []
        found: list[_Slice] = []
        for given in self.source.slices(*self.columns):
            part = self.usable(given)
            may_be_empty = self.part or self.source.may_be_empty
            if (part.counts.n or may_be_empty) and part.is_valid:
                found.append(self._slice(part.rows, judged))
            parts.append(part.without_rows())
            del given, part  # before the next slice is read
            advance(self.system)
        RowCounts.checked([part.counts for part in parts], self.source, empty=self.part)
        self.check_lists(parts)
        return self._joined(found, sum(part.counts.n for part in parts))

    def ranked_at_once(self, lists: Lists, hits: pl.DataFrame) -> RankedRun:
        """Return the run as `ranked` does, given its lists and what they have of the judged."""
        found = _Slice(hits, lists.lengths, lists.n_repeated, lists.positions, lists)
        return self._joined([found], len(lists.run))

    def _joined(self, found: Sequence[_Slice], n_rows: int) -> RankedRun:
        lengths = pl.concat([each.lengths for each in found])
        scored = self.source.scored and not self.ties.by_rank
        lists = found[0].lists
        rows_of = partial(self._rows_of, lengths[QUERY_ID])
        if lists is not None:
            rows_of = partial(_rows_in, lists)
        return RankedRun(
            pl.concat([each.hits for each in found]),
            lengths,
            n_rows,
            None if self.collapse is None else int(lengths[N_RETRIEVED].sum()),
            sum(each.n_repeated for each in found) if scored else None,
            Positions.summed(each.positions for each in found),
            rows_of,
        )

    def usable(self, given: pl.DataFrame) -> UsableRows:
        """Find the rows that can be used among those of some queries."""
        folds, repeated, unfolded = self.collapse, False, None
        counts = RowCounts.of_rows(given, self.source, repeated=folds is not None)
        rows = given
        if not counts.valid:
            rows = self.source.usable(given)
            repeated = folds is None and not RowCounts.of_rows(rows, self.source).valid
        separated = folds is None or folds.separates(rows, self.system)
        try:
            rows = (self._replace(collapse=_ONCE) if repeated else self).prepared(rows)
        except DataError as error:
            rows, unfolded = rows.clear(), error
        misplaced = faulty_rank(rows) if self.ties.by_rank else NOT_MISPLACED
        return UsableRows(rows, counts, separated, misplaced, unfolded)

    def check_lists(self, parts: Sequence[UsableRows]) -> None:
        """Check that the rows of all slices can be folded and ordered.

        Raises
        ------
        DataError
            If they cannot.
        """
        if self.collapse is not None and not self.part and not any(p.separated for p in parts):
            self.collapse.check(self.first_row(), self.system, self.source)
        for part in parts:
            if part.unfolded is not None:
                whole = self.source.partition is None
                raise part.unfolded if whole else self.not_folded(part.unfolded)
        if misplaced := [part.misplaced for part in parts if not part.misplaced.is_empty()]:
            raise rank_error(self.source, self.first_of(misplaced))

    def _slice(self, run: pl.DataFrame, judged: Callable[[], pl.DataFrame]) -> _Slice:
        lists = Lists.of(run, self.ties)
        found = (lists.lengths, lists.n_repeated, lists.positions)
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

    def check_separated(self) -> None:
        """Check that some rows are passages of documents, where they are to be folded.

        Raises
        ------
        DataError
            If none are.
        """
        folds = self.collapse
        if folds is None:
            return
        slices = self.source.slices(*self.columns)
        if not any(folds.separates(rows, self.system) for rows in slices):
            folds.check(self.first_row(), self.system, self.source)

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


def _rows_in(lists: Lists, numbers: Rows) -> pl.DataFrame:
    rows = lists.rows_of(numbers)
    return lists.run if len(rows) == len(lists.run) else lists.run[rows]


_ONCE = Collapse("max", {}, 1)
"""Of a document that is repeated, the row with the highest score is used."""

NOT_MISPLACED = pl.DataFrame(schema={QUERY_ID: pl.String, RANK: pl.Int64})
