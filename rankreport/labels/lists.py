"""Ranked lists of a run: the rank of each document, and the ranks that its equal scores take."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
import polars as pl

from rankreport.errors import OptionError, choose, expect
from rankreport.frames import DOC_ID, QUERY_ID, RANK, SCORE, TIE_FIRST, TIE_LAST
from rankreport.io import Source, check, check_ranks, refuse_floats
from rankreport.measures import TIES, ranks_within

ORDERS: Final[Mapping[str, str]] = MappingProxyType(
    {name: rule.words for name, rule in TIES.items() if rule.is_order}
)
"""How equal scores are ordered."""


def check_count(option: str, value: object) -> None:
    """Raise an OptionError unless an option is a whole number of 1 or more."""
    expect(value, (int,), f"{option} takes a whole number")
    if isinstance(value, bool) or int(str(value)) < 1:
        raise OptionError(f"{option}={value} must be at least 1.")


def ranked_lists(source: Source, order: str, *, repeated: bool = False) -> pl.DataFrame:
    """Read a run and rank its documents.

    Parameters
    ----------
    source
        The run.
    order
        A key of `ORDERS`.
    repeated
        Whether documents may be repeated within a list; only the best place of each counts.

    Returns
    -------
    DataFrame
        ``query_id`` (Categorical), ``doc_id`` (String), ``rank``, ``tie_first`` and ``tie_last``
        (Int64): the first and last rank of the documents with an equal score. Sorted by query and
        rank.

    Raises
    ------
    DataError
        If the source has invalid rows, or no ranks to order by.
    OptionError
        If there is no such order.
    """
    choose("ties", order, ORDERS)
    rule = TIES[order]
    refuse_floats(source.name, source.remarks)
    run = source.read(*([RANK] if rule.by_rank else []))
    if repeated:
        best = run.sort(RANK if rule.by_rank else -pl.col(SCORE), maintain_order=True)
        run = best.unique([QUERY_ID, DOC_ID], keep="first", maintain_order=True)
    check(run, source)
    if rule.by_rank:
        check_ranks(run, source)
        ordered = run.sort(QUERY_ID, RANK, maintain_order=True).with_columns(
            -pl.col(RANK).cast(float).alias(SCORE)
        )
    else:
        ordered = run.sort(QUERY_ID, SCORE, descending=[False, True], maintain_order=True)
    lists = ordered[QUERY_ID].rle_id().to_numpy()
    rows = np.arange(len(lists))
    first_rows = np.flatnonzero(np.diff(lists, prepend=-1))
    ranks = rows - first_rows[lists] + 1 if len(lists) else rows
    scores = ordered[SCORE].to_numpy()
    starts = np.ones(len(lists), dtype=bool)
    starts[1:] = (lists[1:] != lists[:-1]) | (scores[1:] != scores[:-1])
    block = np.cumsum(starts) - 1
    block_first = np.flatnonzero(starts)
    block_last = np.append(block_first[1:], len(lists)) - 1
    tied = np.flatnonzero((block_first < block_last)[block])
    if rule.within_block is not None and len(tied):
        of_block = block[tied]
        within = ranks_within(rule.within_block, ordered[DOC_ID][tied], of_block)
        rows[block_first[of_block] + within - 1] = tied
        ordered = ordered[rows]
    return ordered.select(
        QUERY_ID,
        DOC_ID,
        pl.Series(RANK, ranks, pl.Int64),
        pl.Series(TIE_FIRST, ranks[block_first][block], pl.Int64),
        pl.Series(TIE_LAST, ranks[block_last][block], pl.Int64),
    )
