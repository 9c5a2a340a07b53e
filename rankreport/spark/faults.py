"""Invalid rows of a DataFrame: found in buckets of queries, and reported as on one machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import polars as pl
from pyspark.sql import functions as f

from rankreport.errors import DataError
from rankreport.evaluation import Collapse, DocumentColumn, Passages, Separator
from rankreport.frames import DOC_ID, QUERY_ID, SYSTEM
from rankreport.io import (
    ROWS_NAMED,
    RUN,
    RowCounts,
    RowFaults,
)
from rankreport.spark.buckets import PLACE, BucketPlan
from rankreport.spark.tables import Runs, uploaded

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


Faults = dict[str, RowFaults]
"""What is wrong with the rows of sources, by the names of these."""


def faults_of(plan: BucketPlan, runs: pl.DataFrame, qrels: pl.DataFrame) -> Faults:
    """Find the faults of the rows of a bucket."""
    repeated = plan.collapse is not None
    found = {}
    for source in (plan.judgments(qrels), *plan.runs(runs).values()):
        may_repeat = repeated and source.role is RUN
        counts = RowCounts.of_rows(source.read(), source, repeated=may_repeat)
        found[source.name] = RowFaults.of_source(source, [counts], repeated=may_repeat)
    return found


def joined_faults(parts: Sequence[Faults]) -> Faults:
    """Join the faults of all buckets; the first rows are the first by query and document."""
    return {name: RowFaults.joined([part[name] for part in parts], PLACE) for name in parts[0]}


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
