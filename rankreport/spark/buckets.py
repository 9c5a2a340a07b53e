"""What a worker does with the rows of one bucket: whole queries, judged as on one machine."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import polars as pl
import pyarrow as pa
import pyspark

from rankreport.errors import DataError, RankReportError
from rankreport.evaluation import Collapse, FromRuns, without_identical
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM, VALUE, long
from rankreport.io import RUN, Frame, Layout, Source, table_source
from rankreport.measures import Measure
from rankreport.spark.own_measures import sent_measures
from rankreport.spark.tables import INCOMPLETE

__all__ = ["FOUND", "SCORES", "Plan", "found_in", "found_of", "scores_of", "worker"]

SCORES = f"{SYSTEM} string, {QUERY_ID} string, {MEASURE} string, {VALUE} double"
"""The columns of scores, as Spark writes them."""

FOUND = "found binary"
"""The column of results of other kinds."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What every bucket needs to know.

    Attributes
    ----------
    layout
        The kind of judgments.
    systems
        For each system, the columns of its run.
    measures
        The measures.
    settings, collapse
        As of `rankreport.evaluation.FromRuns`.
    drops_identical
        Whether documents that have the id of their query are left out.
    top_grade
        The highest grade of all judgments.
    """

    layout: Layout
    systems: Mapping[str, Sequence[str]]
    measures: tuple[Measure, ...]
    settings: Mapping[str, str]
    collapse: Collapse | None
    drops_identical: bool
    top_grade: float

    def origin(self, runs: pa.Table, qrels: pa.Table) -> FromRuns:
        """Return the results of the rows of a bucket."""
        judgments, rows = pl.DataFrame(qrels), pl.DataFrame(runs)
        for frame in (judgments, rows):
            if frame[INCOMPLETE].any():
                raise DataError("A row has no query_id, doc_id or subtopic.")
        judgments = judgments.select(self.layout.columns)
        whole = {
            system: self.run(system, rows.filter(pl.col(SYSTEM) == system))
            for system in self.systems
        }
        kept = {
            system: without_identical(run) if self.drops_identical else run
            for system, run in whole.items()
        }
        return FromRuns(
            table_source("the qrels", self.layout, Frame(judgments.lazy)),
            kept,
            self.settings,
            collapse=self.collapse,
            with_identical=whole if self.drops_identical else {},
            top=self.top_grade,
            part=True,
        )

    def run(self, system: str, rows: pl.DataFrame) -> Source:
        """Return a system's run as a source of these rows."""
        own = rows.select(self.systems[system])
        source = table_source(f"run {system!r}", RUN, Frame(own.lazy))
        for column in () if self.collapse is None else self.collapse.columns(system):
            source = source.with_column(column)
        return source


def worker(
    work: Callable[[pa.Table, pa.Table], pa.Table], measures: Sequence[Measure]
) -> Callable[[Any, Any], Any]:
    """Return a function for `applyInArrow`, which does this work with the rows of a bucket.

    Spark pickles it by value. It limits the threads of Polars before Polars is first imported: each
    task of Spark has one processor.

    Parameters
    ----------
    work
        The work.
    measures
        The measures that it needs; those of the user are declared there again.

    Raises
    ------
    MeasureError
        If a measure of the user cannot be sent.
    """
    pickled, own = pickle.dumps(work), sent_measures(measures)

    def of_bucket(runs: pa.Table, qrels: pa.Table) -> pa.Table:
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
        try:
            own_measures = import_module("rankreport.spark.own_measures")
        except ModuleNotFoundError as error:
            missing = error.name or "rankreport"
            remedy = (
                "rankreport.spark.add_package(session) sends it; then evaluate again."
                if missing.partition(".")[0] == "rankreport"
                else "Install it there; it cannot be sent as a Python file."
            )
            raise ModuleNotFoundError(
                f"The executors have no module {missing!r}. {remedy}", name=missing
            ) from None
        own_measures.declare_sent(own)
        return pickle.loads(pickled)(runs, qrels)

    return of_bucket


def scores_of(plan: Plan, runs: pa.Table, qrels: pa.Table) -> pa.Table:
    """Return the scores of a bucket, with the columns of `SCORES`."""
    values = plan.origin(runs, qrels).values(plan.measures)
    return _to_arrow(long(values), _text(qrels.schema.field(QUERY_ID).type))


def found_of(
    plan: Plan, find: Callable[[FromRuns], Any], runs: pa.Table, qrels: pa.Table
) -> pa.Table:
    """Return what is found in a bucket, or the error, pickled in the column of `FOUND`."""
    return found_in(lambda *rows: find(plan.origin(*rows)), runs, qrels)


def found_in(
    find: Callable[[pa.Table, pa.Table], Any], runs: pa.Table, qrels: pa.Table
) -> pa.Table:
    """Return what is found of the rows of a bucket, as `found_of` does."""
    try:
        found = find(runs, qrels)
    except RankReportError as error:
        found = error
    frame = pl.DataFrame({"found": [pickle.dumps(found)]})
    return frame.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(_binary())


def _text(sent: pa.DataType) -> pa.DataType:
    """Return the type of text that Spark expects back: what it sent, or short text before 4.3."""
    major, minor = pyspark.__version__.split(".")[:2]
    return sent if (int(major), int(minor)) >= _LARGE_TEXT else pa.string()


_LARGE_TEXT = (4, 3)
"""The first version of Spark that takes large text where it sends it (SPARK-56929)."""


def _to_arrow(scores: pl.DataFrame, text: pa.DataType) -> pa.Table:
    """Convert scores, with the type of text that Spark uses: it refuses others."""
    table = scores.to_arrow(compat_level=pl.CompatLevel.oldest())
    names = dict.fromkeys((SYSTEM, QUERY_ID, MEASURE), text)
    return table.cast(pa.schema({**names, VALUE: pa.float64()}))


def _binary() -> pa.Schema:
    return pa.schema({"found": pa.binary()})
