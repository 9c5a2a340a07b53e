"""Buckets of queries: all rows of a query come to one executor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from rankreport.frames import QUERY_ID

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


BUCKET = "bucket"
"""The column of the number of the bucket that holds all rows of a query."""


N_BUCKETS = 256
"""The number of buckets: enough for large clusters, and few enough to be quick, at 25 ms each."""


def in_buckets(rows: DataFrame, n: int = N_BUCKETS, by: str = QUERY_ID) -> DataFrame:
    """Return the rows with the number of the bucket, of `n`, that their query falls into."""
    return rows.withColumn(BUCKET, f.pmod(f.xxhash64(by), f.lit(n)).cast("int"))
