"""The first invalid rows of a DataFrame, told as on one machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

import polars as pl
from pyspark.sql import functions as f

from rankreport.errors import DataError
from rankreport.frames import SYSTEM
from rankreport.io import POSITION, Source, faults

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["first_fault"]

_MOST = 1_000
"""How many invalid rows are looked at."""


def first_fault(
    rows: DataFrame, sources: Mapping[str, Source], *, repeated: bool = False
) -> DataError | None:
    """Return the error for the first invalid row, by system, query and document.

    Parameters
    ----------
    rows
        The rows of a `~rankreport.spark.tables.Table`, or of all systems.
    sources
        For each system, or for the judgments, what its rows should be.
    repeated
        Whether a document may be repeated in a query.

    Returns
    -------
    DataError or None
        It counts at most 1,000 rows. None if all rows are valid.
    """
    layout = next(iter(sources.values())).layout
    value = f.col(layout.value)
    keys = [*([SYSTEM] if SYSTEM in rows.columns else []), *layout.keys]
    infinite = f.abs(value) == f.lit(float("inf"))
    wrong = [f.col(key).isNull() for key in keys] + [value.isNull(), f.isnan(value), infinite]
    found = rows.filter(reduce(or_, wrong)).orderBy(*keys).limit(_MOST).toArrow()
    if not found.num_rows and not repeated:
        twice = rows.groupBy(*keys).count().filter("count > 1").orderBy(*keys).limit(_MOST)
        found = rows.join(twice, keys, "left_semi").orderBy(*keys, layout.value).toArrow()
    invalid = pl.DataFrame(found)
    for system, source in sources.items():
        own = invalid.filter(pl.col(SYSTEM) == system) if SYSTEM in keys else invalid
        for _, error in faults(_of_rows(source, own)):
            return error
    return None


def _of_rows(source: Source, rows: pl.DataFrame) -> Source:
    """Return a source of these rows, each of which is called by what it holds."""
    columns = source.layout.columns
    texts = [pl.col(column).cast(pl.String) for column in columns]
    called = pl.concat_str([text.fill_null("null") for text in texts], separator=" ")
    numbered = rows.lazy().select(pl.format("'{}'", called).alias(POSITION), *texts)
    return replace(source, numbered=lambda: numbered)
