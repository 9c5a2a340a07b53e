"""Rows on their way to the worker of their bucket, packed: Spark moves blocks and not rows.

Spark sorts what it exchanges, row by row. A worker packs its rows before, one block of Arrow's IPC
format for each bucket, compressed. The planner still brings all blocks of a bucket to one worker.

Blocks depend on the order of rows. Spark from 4.1 on compares what it exchanges when it does so
again, after a worker was lost: if rows come from another exchange, in another order than before, it
takes the blocks for other data, and ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Final

import polars as pl
import pyarrow as pa

from rankreport.spark.buckets import BUCKET
from rankreport.spark.worker_functions import of_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_BLOCK: Final = "rows"
_SCHEMA = f"{BUCKET} int, {_BLOCK} binary"

_MOST = 32 << 20
"""How many bytes of rows are packed at a time: a worker holds some times as much."""


def packed(rows: DataFrame) -> DataFrame:
    """Pack rows that have a column of their bucket.

    Returns
    -------
    DataFrame
        ``bucket``, and ``rows``: blocks of rows for `unpacked`, several for a bucket.
    """
    return rows.mapInArrow(of_table(_blocks), _SCHEMA)


def unpacked(table: pa.Table, columns: Sequence[str]) -> pl.DataFrame:
    """Return the rows of a bucket, in no order.

    Parameters
    ----------
    table
        The blocks that `packed` makes of them.
    columns
        The columns of the rows.
    """
    blocks = [pl.read_ipc_stream(BytesIO(block)) for block in table[_BLOCK].to_pylist()]
    if blocks:
        return pl.concat(blocks)
    return pl.DataFrame(schema=dict.fromkeys(columns, pl.Null()))


def _blocks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Pack the rows of a partition, some at a time."""
    held: list[pa.RecordBatch] = []
    n_bytes = 0
    for batch in batches:
        held.append(batch)
        n_bytes += batch.nbytes
        if n_bytes >= _MOST:
            yield _pack(held)
            held, n_bytes = [], 0
    if any(batch.num_rows for batch in held):
        yield _pack(held)


def _pack(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    rows = pl.DataFrame(pa.Table.from_batches(batches))
    parts = rows.partition_by(BUCKET, as_dict=True, include_key=False)
    buckets = pa.array([bucket for (bucket,) in parts], pa.int32())
    blocks = pa.array([_block(part) for part in parts.values()], pa.binary())
    return pa.RecordBatch.from_arrays([buckets, blocks], [BUCKET, _BLOCK])


def _block(rows: pl.DataFrame) -> bytes:
    buffer = BytesIO()
    rows.write_ipc_stream(buffer, compression="lz4")
    return buffer.getvalue()
