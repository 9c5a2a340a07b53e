"""Passages of a DataFrame whose documents are not known, which Spark finds in all queries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl
from pyspark.sql import functions as f

from rankreport.errors import DataError
from rankreport.evaluation import Collapse, DocumentColumn, Passages, Separator
from rankreport.frames import DOC_ID, QUERY_ID, SYSTEM
from rankreport.io import ROWS_NAMED
from rankreport.spark.tables import Runs, uploaded

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def folding_faults(runs: Runs, folding: Collapse) -> Iterator[tuple[str, DataError]]:
    """Yield the systems whose rows cannot be folded, each with the error."""
    for system, source in runs.sources.items():
        rows = runs.rows.filter(f.col(SYSTEM) == system)
        of = folding.document_of.get(system)
        match of:
            case Separator(text):
                if rows.filter(f.col(DOC_ID).contains(text)).isEmpty():
                    first = _home(rows.orderBy(QUERY_ID, DOC_ID).limit(1))
                    try:
                        folding.check(first, system, source)
                    except DataError as error:
                        yield system, error
            case DocumentColumn(name):
                lacking = rows.filter(f.col(name).isNull())
                if n := lacking.count():
                    first = _home(lacking.orderBy(QUERY_ID, DOC_ID).limit(1))
                    yield system, of.fault(first, source, n)
            case Passages():
                known = uploaded(of.documents.select(DOC_ID), rows)
                lacking = rows.select(DOC_ID).distinct().join(known, DOC_ID, "left_anti")
                if n := lacking.count():
                    first = _home(lacking.orderBy(DOC_ID).limit(ROWS_NAMED))
                    yield system, of.fault(first, source, n)


def _home(rows: DataFrame) -> pl.DataFrame:
    return pl.DataFrame(rows.toArrow())
