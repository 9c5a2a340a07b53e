"""Small runs, ranked together: calls take most of their time, and not their rows.

The rows of several runs are ranked as those of one, whose queries are those of each run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from rankreport.errors import RankReportError
from rankreport.evaluation.ranking import JUDGMENT, Lists, Rows, starts_of
from rankreport.evaluation.slices import RankedRun, RunReader
from rankreport.frames import QUERY_ID

AT_ONCE = 1 << 18
"""Systems are ranked together, for small runs, up to about this many judgments."""

_MOST_ROWS, _SMALL = 1 << 19, 50_000
"""The most rows that are ranked together, and those of a small run."""

_LINE = 20
"""The bytes of a row in text, at least."""


def ranked_runs(
    readers: Sequence[RunReader],
    judged: Callable[[], pl.DataFrame],
    advance: Callable[[str], object],
) -> Iterator[tuple[RunReader, RankedRun]]:
    """Rank runs, small ones together; parameters and errors are as of `RunReader.ranked`."""
    for together in _together(readers, lambda: len(judged())):
        found = _ranked_together(together, judged()) if len(together) > 1 else None
        if found is None:
            yield from ((each, each.ranked(judged, advance)) for each in together)
            continue
        for each, ranked in zip(together, found, strict=True):
            yield each, ranked
            advance(each.system)


def _together(
    readers: Sequence[RunReader], n_judged: Callable[[], int]
) -> Iterator[list[RunReader]]:
    """Yield the runs that are ranked together, in the order given."""
    some: list[RunReader] = []
    n_rows = 0.0
    for reader in readers:
        n = _n_rows_of(reader)
        fits = n_rows + n <= _MOST_ROWS and (len(some) + 1) * n_judged() <= AT_ONCE
        if some and not fits:
            yield some
            some, n_rows = [], 0.0
        some.append(reader)
        n_rows += n
    if some:
        yield some


def _n_rows_of(reader: RunReader) -> float:
    """Return about how many rows a small run has; of others, infinity."""
    source, contents = reader.source, reader.source.contents
    is_whole = source.partition is None and source.preparation is None and reader.collapse is None
    if reader.part or source.may_be_empty or not is_whole:
        return math.inf
    n = source.height
    if n is None and contents is not None and not contents.compressed:
        size = contents.size()
        n = None if size is None else size // _LINE
    return n if n is not None and 0 < n <= _SMALL else math.inf


def _ranked_together(readers: Sequence[RunReader], judged: pl.DataFrame) -> list[RankedRun] | None:
    """Rank runs as one; None where a row has a fault, which is then found run by run."""
    try:
        rows = [given for each in readers for given in each.source.slices(*each.columns)]
    except RankReportError:
        return None
    starts = starts_of(np.array([len(each) for each in rows]))
    given = pl.concat(rows)
    part = readers[0].usable(_told_apart(given, starts))
    if not part.is_valid:
        return None
    lists = Lists.of(part.rows, readers[0].ties)
    run = part.rows.with_columns(given[QUERY_ID])
    n = len(judged)
    each_judged = starts_of(np.full(len(readers), n))
    hits = lists.hits(_told_apart(pl.concat([judged] * len(readers)), each_judged))
    first_hits = np.searchsorted(hits[JUDGMENT].to_numpy() // max(n, 1), np.arange(len(rows) + 1))
    hits = hits.with_columns(pl.col(JUDGMENT) % n)
    return [
        each.ranked_at_once(lists.of_rows(run, *of_rows), hits[slice(*of_hits)])
        for each, of_rows, of_hits in zip(
            readers, pairwise(starts), pairwise(first_hits), strict=True
        )
    ]


def _told_apart(rows: pl.DataFrame, starts: Rows) -> pl.DataFrame:
    """Add the number of the run to each query, given the first row of each run."""
    number = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    query = pl.concat_str(pl.col(QUERY_ID).cast(pl.String), pl.Series(number), separator="/")
    return rows.with_columns(query.cast(pl.Categorical).alias(QUERY_ID))
