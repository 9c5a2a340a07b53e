"""What a worker does with the rows of one bucket: whole queries, judged as on one machine."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl
import pyarrow as pa
import pyspark

from rankreport.errors import RankReportError
from rankreport.evaluation import MOST, Collapse, FromRuns, without_query
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM, VALUE, long
from rankreport.io import POSITION, RUN, Frame, Role, Source, table_source
from rankreport.measures import Measure
from rankreport.spark.buckets import BUCKET, N_BUCKETS, in_buckets
from rankreport.spark.packing import unpacked
from rankreport.spark.worker_functions import of_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SCORES = f"{SYSTEM} string, {QUERY_ID} string, {MEASURE} string, {VALUE} double"
"""The columns of scores, as Spark writes them."""

FOUND = "found binary"
"""The column of results of other kinds."""

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class BucketPlan:
    """What every bucket needs to know.

    Attributes
    ----------
    role
        The kind of judgments.
    systems
        For each system, the columns of its run, and their names in the rows of all.
    measures, primary
        The measures, and the primary one.
    settings, collapse
        As of `rankreport.evaluation.FromRuns`.
    drops_identical
        Whether documents that have the id of their query are left out.
    top_grade
        The highest grade of all judgments.
    kept
        How many names of queries a bucket keeps, as for `rankreport.evaluation.RunCounts.of`.
    """

    role: Role
    systems: Mapping[str, Mapping[str, str]]
    measures: tuple[Measure, ...]
    primary: Measure
    settings: Mapping[str, str]
    collapse: Collapse | None
    drops_identical: bool
    top_grade: float
    kept: tuple[int, int] = (MOST, MOST)

    def origin(self, runs: pl.DataFrame, qrels: pl.DataFrame) -> FromRuns:
        """Return the results of the rows of a bucket."""
        whole = self.runs(runs)
        kept = {
            system: without_query(run) if self.drops_identical else run
            for system, run in whole.items()
        }
        return FromRuns(
            self.judgments(qrels),
            kept,
            self.settings,
            collapse=self.collapse,
            with_query=whole if self.drops_identical else {},
            top=self.top_grade,
            part=True,
            most_names=self.kept[0],
            n_looked_at=0,
        )

    def judgments(self, rows: pl.DataFrame) -> Source:
        """Return the judgments as a source of these rows."""
        source = table_source("qrels", self.role, Frame(rows.select(self.role.columns).lazy))
        return _called_by_values(source)

    def runs(self, rows: pl.DataFrame) -> dict[str, Source]:
        """Return the runs of all systems as sources of these rows, which name no system alone."""
        return {system: self._run(system, rows) for system in self.systems}

    def _run(self, system: str, rows: pl.DataFrame) -> Source:
        own = rows.filter(pl.col(SYSTEM) == system) if SYSTEM in rows.columns else rows
        own = own.select(pl.col(name).alias(of) for of, name in self.systems[system].items())
        source = table_source(f"run {system!r}", RUN, Frame(own.lazy))
        for column in () if self.collapse is None else self.collapse.columns(system):
            source = source.with_column(column)
        return _called_by_values(source)


def _called_by_values(source: Source) -> Source:
    """Return a source whose rows are called by what they hold, and ordered by it in messages."""
    role = source.role

    def numbered() -> pl.LazyFrame:
        place = pl.struct(*role.keys, pl.col(role.value).cast(pl.Float64, strict=False))
        called = pl.concat_str(pl.col(*role.columns).fill_null("null"), separator=" ")
        texts = source.numbered().with_columns(pl.format("'{}'", called).alias(POSITION))
        return texts.with_columns(place.alias(PLACE)).sort(PLACE)

    return replace(source, numbered=numbered)


PLACE = "place"
"""The column by which rows are ordered: their keys, then their numbers."""


def on_rows(
    work: Callable[[pl.DataFrame, pl.DataFrame], pa.Table],
    columns: tuple[Sequence[str], Sequence[str]],
    runs: pa.Table,
    qrels: pa.Table,
) -> pa.Table:
    """Do some work with the rows of a bucket, which are sent with these columns."""
    rows, judgments = map(unpacked, (runs, qrels), columns)
    return as_sent(work(rows, judgments), runs.schema)


def as_sent(table: pa.Table, sent: pa.Schema) -> pa.Table:
    """Return a table with the type of text that Spark expects for what it sent."""
    text, texts = _text(sent), {pa.string(), pa.large_string()}
    types = [text if each.type in texts else each.type for each in table.schema]
    return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))


def scores_of(plan: BucketPlan, runs: pl.DataFrame, qrels: pl.DataFrame) -> pa.Table:
    """Return the scores of a bucket, with the columns of `SCORES`."""
    scores = long(plan.origin(runs, qrels).values(plan.measures))
    table = scores.to_arrow(compat_level=pl.CompatLevel.oldest())
    names = dict.fromkeys((SYSTEM, QUERY_ID, MEASURE), pa.string())
    return table.cast(pa.schema({**names, VALUE: pa.float64()}))


def found_of(
    plan: BucketPlan, find: Callable[[FromRuns], T], runs: pl.DataFrame, qrels: pl.DataFrame
) -> T:
    """Return what is found of the results of a bucket."""
    return find(plan.origin(runs, qrels))


def found_in(find: Callable[..., Any], *tables: Any) -> pa.Table:
    """Return what is found in a bucket, or the error, pickled in the column of `FOUND`."""
    try:
        found = find(*tables)
    except RankReportError as error:
        found = error
    return pa.table({"found": pa.array([pickle.dumps(found)], pa.binary())})


def collected(found: DataFrame) -> list[Any]:
    """Collect what was found in all buckets, in the order of these.

    Raises
    ------
    RankReportError
        The error of a bucket.
    """
    column = found.toArrow()["found"]
    parts = [pickle.loads(each.as_py()) for each in column]  # one at a time, as they are large
    faults = [each for each in parts if isinstance(each, RankReportError)]
    if faults:
        raise min(faults, key=str)
    return parts


def found_by(
    rows: DataFrame, by: str, find: Callable[[pa.Table], Any], n: int = N_BUCKETS
) -> list[Any]:
    """Find something in each of n buckets of the rows of one table, and collect it.

    All rows with the same value of the column ``by`` are in one bucket.
    """
    work = of_table(partial(found_in, find))
    return collected(in_buckets(rows, n, by).groupBy(BUCKET).applyInArrow(work, FOUND))


def _text(sent: pa.Schema) -> pa.DataType:
    """Return the type of text that Spark expects back: as large as what it sent, from 4.3 on."""
    major, minor = pyspark.__version__.split(".")[:2]
    large = any(each.type in {pa.large_binary(), pa.large_string()} for each in sent)
    return pa.large_string() if large and (int(major), int(minor)) >= _LARGE_TEXT else pa.string()


_LARGE_TEXT = (4, 3)
"""The first version of Spark that takes large text where it sends it (SPARK-56929)."""
