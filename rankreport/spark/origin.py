"""The origin of results whose runs and judgments stay on Spark."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from rankreport.errors import DataError, RankReportError
from rankreport.evaluation import (
    FromRuns,
    Judged,
    ListRequest,
    check_shared_queries,
    joined,
)
from rankreport.frames import QUERY_ID, SYSTEM
from rankreport.io import Input
from rankreport.spark.buckets import (
    FOUND,
    SCORES,
    Plan,
    Sent,
    found_in,
    found_of,
    scores_of,
    summed_of,
    worker,
)
from rankreport.spark.exchange import packed
from rankreport.spark.faults import fault_of_judgments, first_fault, no_rows
from rankreport.spark.tables import BUCKET, Inputs, in_buckets

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

T = TypeVar("T")

_MOST_NAMED = 1_000
"""A filter names so many queries at the most: a plan of Spark should stay small."""


@dataclass(frozen=True, eq=False)
class Rows:
    """The runs of all systems and the judgments, in buckets by query.

    Attributes
    ----------
    runs, qrels
        Their rows, with the columns of `rankreport.spark.tables`.
    plan
        What every bucket needs to know.
    n_buckets
        The number of buckets.
    packs
        Whether rows are packed before they are exchanged.
    """

    runs: DataFrame
    qrels: DataFrame
    plan: Plan
    n_buckets: int
    packs: bool = False

    def of_queries(self, queries: Sequence[str]) -> Rows:
        """Return the rows of some queries, or all rows where these are many."""
        if len(queries) > _MOST_NAMED:
            return self
        runs, qrels = (
            rows.filter(rows[QUERY_ID].isin(list(queries))) for rows in (self.runs, self.qrels)
        )
        return replace(self, runs=runs, qrels=qrels)

    def scores(self) -> DataFrame:
        """Return the scores of all queries, with the columns of `SCORES`."""
        return self._apply(partial(scores_of, self.plan), SCORES)

    def find(self, find: Callable[[FromRuns], T]) -> list[T]:
        """Find something in each bucket, and bring it home.

        Raises
        ------
        RankReportError
            The error of a bucket.
        """
        return self._found(partial(found_of, self.plan, find))

    def find_in(self, find: Callable[[Any, Any], T]) -> list[T]:
        """Find something in the rows of each bucket, which may be invalid, and bring it home."""
        return self._found(partial(found_in, find))

    def find_in_units(self, find: Callable[[FromRuns, pl.DataFrame], T], seed: int) -> list[T]:
        """Find something in each bucket of whole units, which the seed gives, and bring it home.

        What finds it is given the results, and ``query_id, unit`` of the bucket's queries.
        """
        return self._found(partial(summed_of, self.plan, find), seed)

    def _found(self, work: Callable[..., Any], seed: int | None = None) -> list[Any]:
        """Return what was found in all buckets, in the order of these."""
        table = self._apply(work, FOUND, seed).toArrow()
        found = [pickle.loads(each) for each in table["found"].to_pylist()]
        faults = [each for each in found if isinstance(each, RankReportError)]
        if faults:
            raise min(faults, key=str)
        return found

    def _apply(self, work: Callable[..., Any], schema: str, seed: int | None = None) -> DataFrame:
        """Do some work in each bucket, with all rows of its queries."""
        runs, qrels = (in_buckets(rows, self.n_buckets, seed) for rows in (self.runs, self.qrels))
        alone = next(iter(self.plan.systems)) if len(self.plan.systems) == 1 else None
        if alone is not None:
            runs = runs.drop(SYSTEM)  # the same in all rows
        sent = Sent(dict(runs.dtypes), dict(qrels.dtypes), alone)
        do = worker(work, sent, self.plan.measures)
        if self.packs:
            runs, qrels = packed(runs), packed(qrels)
        return runs.groupBy(BUCKET).cogroup(qrels.groupBy(BUCKET)).applyInArrow(do, schema)


@dataclass(frozen=True, eq=False)
class FromSpark(FromRuns):
    """Results of rows on Spark: what was judged is brought home, lists when they are asked for.

    ``spark`` are the rows in buckets, ``given`` the tables as they were given.
    """

    spark: Rows = field(kw_only=True)
    given: Inputs = field(kw_only=True)

    @cached_property
    def judged(self) -> Judged:
        """The judged frame of all buckets, with its counts."""
        try:
            parts = self.spark.find(_judged)
        except DataError as error:
            raise self._first_fault() or error from None
        judged = joined(parts, list(self.systems))
        for system, source in self.systems.items():
            if not judged.n_ranked.get(system):
                raise no_rows(source)
        check_shared_queries(judged, self.qrels, self.systems, self.settings)
        return judged

    def _first_fault(self) -> DataError | None:
        """Return the error for the first invalid row of all buckets."""
        error = fault_of_judgments(self.given.judgments, self.given.by_subtopic)
        for table, systems in self.given.runs.tables:
            if error is None:
                sources = {system: self.systems[system] for system in systems}
                error = first_fault(table, sources, repeated=self.collapse is not None)
        return error

    def _first_documents(self, wanted: ListRequest) -> pl.DataFrame:
        """Fetch the first documents of these lists."""
        found = self.spark.of_queries(wanted.queries).find(partial(_documents, wanted))
        lists = wanted.lists
        return lists.join(pl.concat(found), on=lists.columns, maintain_order="left_right").select(
            found[0].columns
        )

    def unjudged_within(self, k: int) -> Iterator[pl.DataFrame]:
        """Fetch the unjudged documents among the first of all lists."""
        yield self._unjudged_among_first(k)

    def rows_of_queries(self, system: str, queries: Sequence[str]) -> pl.DataFrame:
        """Fetch a system's rows of some queries, folded if rows are folded."""
        return pl.concat(self.spark.of_queries(queries).find(partial(_rows, system, queries)))

    def same_lists(self, one: str, other: str) -> bool:
        """Return whether two systems returned the same documents in the same order."""
        return all(self.spark.find(partial(_same_lists, one, other)))

    @cached_property
    def n_identical(self) -> Mapping[str, int]:
        """The number of documents of each system that were left out for having the query's id."""
        total: Counter[str] = Counter()
        if self.spark.plan.drops_identical:
            for each in self.spark.find(_n_identical):
                total.update(each)
        return dict(total)

    def inputs(self) -> list[Input]:
        """Return the provenance of the judgments and runs."""
        return [{**read, "name": "a DataFrame of Spark"} for read in super().inputs()]


def _judged(origin: FromRuns) -> Judged:
    return origin.judged


def _documents(wanted: ListRequest, origin: FromRuns) -> pl.DataFrame:
    return origin.documents(wanted)


def _rows(system: str, queries: Sequence[str], origin: FromRuns) -> pl.DataFrame:
    return origin.rows_of_queries(system, queries).cast({QUERY_ID: pl.String})


def _same_lists(one: str, other: str, origin: FromRuns) -> bool:
    return origin.same_lists(one, other)


def _n_identical(origin: FromRuns) -> Mapping[str, int]:
    return origin.n_identical
