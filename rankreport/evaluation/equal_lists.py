"""Whether two systems returned the same lists: hashes of lists, and comparing their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.evaluation.first_documents import ranked_lists
from rankreport.evaluation.judging import Judged
from rankreport.evaluation.ranking import Lists
from rankreport.evaluation.slices import RunReader
from rankreport.evaluation.unjudged import crcs
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SYSTEM

_MOST = 2**62
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def fingerprints(judged: Judged, readers: Sequence[RunReader], n: int | None) -> pl.DataFrame:
    """Sum up the hashes of all rows, of query, document and rank: ``system, whole, first``.

    ``first`` is of the first ``n`` documents, in any order.
    """
    counted = judged.queries.filter("counted")[QUERY_ID].cast(pl.String).unique()
    rows = []
    for reader in readers:
        whole = first = 0
        for run in reader.slices(pl.col(QUERY_ID).cast(pl.String).is_in(counted.implode())):
            ranked = Lists.of(run, reader.ties).ranked(np.arange(len(run)))
            ranks = ranked[RANK].to_numpy().astype(np.uint64)
            pairs = crcs(run[QUERY_ID]) << np.uint64(32) | crcs(run[DOC_ID])
            whole += _total(pairs ^ ranks * _SPREAD)
            first += _total(pairs[ranks <= (n or 0)])
        rows.append((reader.system, whole % _MOST, first % _MOST))
    schema = {SYSTEM: pl.String, "whole": pl.Int64, "first": pl.Int64}
    return pl.DataFrame(rows, schema, orient="row")


def total_of_hashes(sums: pl.Expr) -> pl.Expr:
    """Return the sum of hashes of parts, which wraps around."""
    return sums.sum() % _MOST


def _total(numbers: NDArray[np.uint64]) -> int:
    """Return the sum of hashes of numbers; different numbers hardly ever have equal sums."""
    mixed = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    return int((mixed ^ mixed >> np.uint64(31)).sum())


def are_same(readers: Sequence[RunReader], frame: pl.DataFrame, pool: int | None) -> bool:
    """Return whether the lists of two systems are the same, given the judged frame.

    With `pool`, whether their first so many documents are the same, in any order.
    """
    judged = pl.col(QUERY_ID).cast(pl.String).is_in(frame[QUERY_ID].unique().implode())
    grades = frame.select(QUERY_ID, DOC_ID, RELEVANCE).unique()
    lists = (ranked_lists(reader, judged, grades, pool) for reader in readers)
    return have_same_slices(*(map(partial(_order, pool=pool), each) for each in lists))


def _order(lists: pl.DataFrame, pool: int | None) -> pl.DataFrame:
    if pool is None:
        return lists.select(QUERY_ID, RANK, DOC_ID).sort(QUERY_ID, RANK)
    return lists.filter(pl.col(RANK) <= pool).select(QUERY_ID, DOC_ID).sort(QUERY_ID, DOC_ID)


def have_same_slices(one: Iterator[pl.DataFrame], other: Iterator[pl.DataFrame]) -> bool:
    """Return whether two runs have the same slices."""
    both = zip_longest(one, other)
    return all(a is not None and b is not None and a.equals(b) for a, b in both)
