"""Parquet files, whose metadata say how many rows there are before any is read."""

from __future__ import annotations

from functools import partial

import polars as pl

from rankreport.io.expansion_limit import allowed, too_large
from rankreport.io.forked_process import check_process
from rankreport.io.formats.declare import SourceFormat
from rankreport.io.source import Contents, collecting, incomplete
from rankreport.io.tables import Frame

_HOW = "as a Parquet file"
_VALUE = 8
"""The bytes of a value in memory, at least."""


def check_parquet(contents: Contents) -> int:
    """Check the metadata of a Parquet file, and return its number of rows.

    Raises
    ------
    DataError
        If they are damaged, or the values take more memory than `expansion` allows.
    """
    with collecting(contents.name, _HOW):
        rows = _scan(contents)
        height = int(rows.select(pl.len()).collect().item())
        size = height * len(rows.collect_schema()) * _VALUE
    stored = contents.size() or 0
    limit = allowed(stored)
    if size > limit:
        raise too_large(contents.name, stored, limit)
    return height


def read_parquet(contents: Contents) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return the rows of a Parquet file, and its metadata.

    Raises
    ------
    DataError
        If it cannot be read, or is damaged.
    """
    check_process()
    height = check_parquet(contents)
    with collecting(contents.name, _HOW):
        about = pl.read_parquet_metadata(contents.open())
        rows = pl.read_parquet(contents.open(), glob=False)
    if rows.height != height:
        raise incomplete(contents.name, rows.height, height)
    return rows, about


def _scan(contents: Contents) -> pl.LazyFrame:
    return pl.scan_parquet(contents.open(), glob=False)


def _table(contents: Contents) -> Frame:
    height = check_parquet(contents)
    return Frame(partial(_scan, contents), height)


PARQUET = SourceFormat(
    "parquet",
    lambda sample: sample.head.startswith(b"PAR1"),
    table=_table,
    suffixes=(".parquet", ".pq"),
)
