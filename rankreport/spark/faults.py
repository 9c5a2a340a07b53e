"""Invalid rows of a DataFrame: found in buckets of queries, and reported as on one machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

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
    Source,
)
from rankreport.spark.buckets import PLACE, BucketPlan
from rankreport.spark.tables import Runs, uploaded

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Faults(NamedTuple):
    """What is wrong with judgments, and with the run of each system."""

    judgments: RowFaults
    runs: Mapping[str, RowFaults]

    @classmethod
    def of(cls, plan: BucketPlan, runs: pl.DataFrame, qrels: pl.DataFrame) -> Faults:
        """Find the faults of the rows of a bucket."""

        def found(source: Source, *, repeated: bool = False) -> RowFaults:
            counts = RowCounts.of_rows(source.read(), source, repeated=repeated)
            return RowFaults.of_source(source, [counts], repeated=repeated)

        folds = plan.collapse is not None
        of_runs = {name: found(run, repeated=folds) for name, run in plan.runs(runs).items()}
        return cls(found(plan.judgments(qrels)), of_runs)

    @classmethod
    def joined(cls, parts: Sequence[Faults], plan: BucketPlan) -> Faults:
        """Join the faults of all buckets; the first rows are the first by query and document."""
        by_keys = [[*role.keys, PLACE] for role in (plan.role, RUN)]
        return cls(
            RowFaults.joined([part.judgments for part in parts], by_keys[0]),
            {
                system: RowFaults.joined([part.runs[system] for part in parts], by_keys[1])
                for system in plan.systems
            },
        )


def folding_faults(runs: Runs, folding: Collapse) -> Iterator[tuple[str, DataError]]:
    """Yield the systems whose rows cannot be folded, each with the error."""
    for table, systems in runs.tables:
        for system in systems:
            source = runs.sources[system]
            rows = table.rows.filter(f.col(SYSTEM) == system)
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
