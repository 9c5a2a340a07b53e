"""The rows of judgments and runs that can be used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import polars as pl

from rankreport.frames import QUERY_ID, RELEVANCE
from rankreport.io import BOM, Source

_Rows = TypeVar("_Rows", pl.DataFrame, pl.LazyFrame)


def usable_rows(rows: _Rows, source: Source) -> _Rows:
    """Return the rows that have ids and a finite number, and no mark before the query."""
    named = pl.all_horizontal(pl.col(key).is_not_null() for key in source.role.keys)
    unmarked = ~pl.col(QUERY_ID).cast(pl.String).str.starts_with(BOM)
    return rows.filter(named & unmarked & pl.col(source.role.value).is_finite())


def once_each(usable: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return judgments with each document once, under its highest grade."""
    if not usable.select(keys).is_duplicated().any():
        return usable
    best = usable.sort(RELEVANCE, descending=True, maintain_order=True)
    return best.unique(keys, keep="first", maintain_order=True)


def source_of_rows(source: Source, rows: pl.DataFrame) -> Source:
    """Return a source over rows that were read."""
    return source.with_rows(rows.lazy, rows.columns)
