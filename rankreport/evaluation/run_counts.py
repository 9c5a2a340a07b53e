"""Counts of a run: rows, lengths of lists, and queries that it or the judgments lack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from rankreport.evaluation.query_names import MOST, Names
from rankreport.frames import QUERY_ID, SCORE


class RunCounts(NamedTuple):
    """Counts of a run.

    Attributes
    ----------
    n_read, n_rows
        The number of rows, and of those that can be used, folded if rows are folded.
    lengths
        ``length, n``: how many lists have how many documents.
    n_scores
        The number of different scores of each query, summed.
    extra, unanswered, shared
        The queries without judgments, the judged ones without results, and those with both.
    """

    n_read: int
    n_rows: int
    lengths: pl.DataFrame
    n_scores: int
    extra: Names
    unanswered: Names
    shared: Names

    @staticmethod
    def lists_of(rows: pl.DataFrame) -> pl.DataFrame:
        """Count each list's documents and different scores: ``query_id, length, n_scores``."""
        return (
            rows.lazy()
            .group_by(QUERY_ID)
            .agg(pl.len().alias("length"), pl.col(SCORE).n_unique().alias("n_scores"))
            .with_columns(pl.col(QUERY_ID).cast(pl.String))
            .collect(engine="in-memory")
        )

    @classmethod
    def of(
        cls,
        lists: pl.DataFrame,
        judged: pl.Series,
        n_read: int,
        most: tuple[int, int] = (MOST, MOST),
    ) -> RunCounts:
        """Count lists of rows that can be used.

        Parameters
        ----------
        lists
            The result of `lists_of`.
        judged
            The judged queries, each once.
        n_read
            The number of all rows.
        most
            How many names are kept, at most, of queries that one side has, and of those of both.
        """
        judged, returned = judged.cast(pl.String), lists[QUERY_ID]
        answered = returned.is_in(judged.implode())
        one_side, both = most
        return cls(
            n_read,
            int(lists["length"].sum()),
            lists.group_by("length").len("n").cast(pl.Int64).sort("length"),
            int(lists["n_scores"].sum()),
            Names.of(returned.filter(~answered), one_side),
            Names.of(judged.filter(~judged.is_in(returned.implode())), one_side),
            Names.of(returned.filter(answered), both, by_digits=False),
        )

    @classmethod
    def joined(cls, several: Sequence[RunCounts]) -> RunCounts:
        """Join the counts of a run in all parts."""
        lengths = pl.concat([each.lengths for each in several])
        return cls(
            sum(each.n_read for each in several),
            sum(each.n_rows for each in several),
            lengths.group_by("length").agg(pl.sum("n")).sort("length"),
            sum(each.n_scores for each in several),
            Names.joined([each.extra for each in several]),
            Names.joined([each.unanswered for each in several]),
            Names.joined([each.shared for each in several]),
        )

    def as_unusable(self) -> RunCounts:
        """Return the counts of a run of which no row can be used."""
        none = Names.of(pl.Series(QUERY_ID, [], pl.String))
        return self._replace(n_rows=0, extra=none, shared=none)

    @property
    def median_length(self) -> float:
        """The median number of documents of a list."""
        upto = self.lengths["n"].cum_sum()
        n = int(upto[-1])
        middle = (upto.search_sorted(k) for k in ((n + 1) // 2, n // 2 + 1))
        return sum(int(self.lengths["length"][place]) for place in middle) / 2
