"""The rows of judgments and runs that can be used, and what is wrong with the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import polars as pl

from rankreport.errors import DataError
from rankreport.evaluation.collapse import Collapse
from rankreport.evaluation.slices import RunReader
from rankreport.frames import QUERY_ID, RANK, RELEVANCE
from rankreport.io import RowCounts, Source, count_rows, faulty_rank

_Rows = TypeVar("_Rows", pl.DataFrame, pl.LazyFrame)


def usable_rows(rows: _Rows, source: Source) -> _Rows:
    """Return the rows that have ids and a finite number."""
    named = pl.all_horizontal(pl.col(key).is_not_null() for key in source.layout.keys)
    return rows.filter(named & pl.col(source.layout.value).is_finite())


def once_each(usable: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return judgments with each document once, under its highest grade."""
    if not usable.select(keys).is_duplicated().any():
        return usable
    best = usable.sort(RELEVANCE, descending=True, maintain_order=True)
    return best.unique(keys, keep="first", maintain_order=True)


def source_of_rows(source: Source, rows: pl.DataFrame) -> Source:
    """Return a source over rows that were read."""
    return replace(source, scans=(rows.lazy,), columns=tuple(rows.columns), extended=None)


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
    repeated
        Whether a document is repeated in a query; False where rows are folded.
    misplaced
        ``query_id, rank`` of a row whose rank orders no documents, if any.
    unfolded
        The error of rows that cannot be folded.
    """

    rows: pl.DataFrame
    counts: RowCounts
    separated: bool
    repeated: bool
    misplaced: pl.DataFrame
    unfolded: DataError | None

    @classmethod
    def of(cls, given: pl.DataFrame, reader: RunReader) -> UsableRows:
        """Find them among the rows that were read."""
        source, folding = reader.source, reader.collapse
        counts = count_rows(given, source, repeated=folding is not None)
        rows, repeated, unfolded = given, False, None
        separated = True
        if not counts.valid:
            rows = usable_rows(given, source)
            repeated = folding is None and not count_rows(rows, source).valid
        if folding is not None:
            separated = folding.separates(rows, reader.system)
        elif repeated:
            reader = replace(reader, collapse=_ONCE)
        try:
            rows = reader.prepared(rows)
        except DataError as error:
            rows, unfolded = rows.clear(), error
        misplaced = faulty_rank(rows) if reader.ties.by_rank else NOT_MISPLACED
        return cls(rows, counts, separated, repeated, misplaced, unfolded)


_ONCE = Collapse("max", {}, 1)
"""Of a document that is repeated, the row with the highest score is used."""

NOT_MISPLACED = pl.DataFrame(schema={QUERY_ID: pl.String, RANK: pl.Int64})
