"""The origin of results whose runs and judgments stay on Spark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl
from pyspark.sql import functions as f

from rankreport.errors import DataError
from rankreport.evaluation import (
    FromRuns,
    Judged,
    ListRequest,
    Unjudged,
    check_collected,
    depth_of,
    joined_totals,
    totals_of,
)
from rankreport.frames import DOC_ID, QUERY_ID, SYSTEM
from rankreport.io import SUBTOPIC_QRELS, Input, Remark, Source, no_rows, of_subtopics
from rankreport.measures import Measure, is_averaged
from rankreport.spark.bucket_work import (
    FOUND,
    SCORES,
    BucketPlan,
    collected,
    found_in,
    found_of,
    on_rows,
    scores_of,
)
from rankreport.spark.buckets import BUCKET, in_buckets
from rankreport.spark.faults import Faults, faults_in, joined_faults
from rankreport.spark.packing import packed
from rankreport.spark.tables import SparkTable
from rankreport.spark.worker_functions import of_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

T = TypeVar("T")

_QUERIES_IN_FILTER = 1_000
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
    """

    runs: DataFrame
    qrels: DataFrame
    plan: BucketPlan
    n_buckets: int

    def of_queries(self, queries: Sequence[str]) -> Rows:
        """Return the rows of some queries, or all rows where these are many."""
        if len(queries) > _QUERIES_IN_FILTER:
            return self
        runs, qrels = (
            rows.filter(rows[QUERY_ID].isin(list(queries))) for rows in (self.runs, self.qrels)
        )
        return replace(self, runs=runs, qrels=qrels)

    def sample(self, n: int, seed: int) -> Rows:
        """Return the rows of a random sample of the judged queries: those of the lowest hashes."""
        judged = self.qrels.filter(f.col(QUERY_ID).isNotNull()).select(QUERY_ID).distinct()
        # A seed of its own, since queries may have been sampled by a plain hash of their names.
        hashed = f.xxhash64(f.concat(f.lit(f"{seed}:"), f.col(QUERY_ID)))
        order = [hashed.alias("of"), f.col(QUERY_ID)]
        lowest = judged.select(*order).orderBy("of", QUERY_ID).limit(n)
        last = lowest.orderBy(f.col("of").desc(), f.col(QUERY_ID).desc()).limit(1).toArrow()
        highest, name = (column.to_pylist()[0] for column in last.columns)
        drawn = (hashed < highest) | ((hashed == highest) & (f.col(QUERY_ID) <= name))
        return replace(self, runs=self.runs.filter(drawn), qrels=self.qrels.filter(drawn))

    def scores(self) -> DataFrame:
        """Return the scores of all queries, with the columns of `SCORES`."""
        return self._apply(partial(scores_of, self.plan), SCORES)

    def find(self, find: Callable[[FromRuns], T]) -> list[T]:
        """Find something in each bucket, and collect it.

        Raises
        ------
        RankReportError
            The error of a bucket.
        """
        return self.find_in(partial(found_of, self.plan, find))

    def find_in(self, find: Callable[[Any, Any], T]) -> list[T]:
        """Find something in the rows of each bucket, which may be invalid, and collect it."""
        return collected(self._apply(partial(found_in, find), FOUND))

    def _apply(self, work: Callable[..., Any], schema: str) -> DataFrame:
        """Do some work in each bucket, with all rows of its queries."""
        runs, qrels = (in_buckets(rows, self.n_buckets) for rows in (self.runs, self.qrels))
        if len(self.plan.systems) == 1:
            runs = runs.drop(SYSTEM)  # the same in all rows
        do = of_tables(partial(on_rows, work, (runs.columns, qrels.columns)), self.plan.measures)
        runs, qrels = packed(runs), packed(qrels)
        return runs.groupBy(BUCKET).cogroup(qrels.groupBy(BUCKET)).applyInArrow(do, schema)


def faults_of(rows: Rows) -> Faults:
    """Find the faults of all rows."""
    return joined_faults(rows.find_in(partial(faults_in, rows.plan)))


def fault_of_subtopics(
    rows: Rows, source: Source, by_subtopic: SparkTable | None
) -> DataError | None:
    """Return the error for faulty judgments, if they are valid as those of subtopics."""
    if by_subtopic is None:
        return None
    plan = replace(rows.plan, role=SUBTOPIC_QRELS, systems={})
    judgments = replace(rows, plan=plan, runs=rows.runs.limit(0), qrels=by_subtopic.rows)
    return None if faults_of(judgments)[source.name].n else of_subtopics(source)


@dataclass(frozen=True, eq=False)
class SampledFrom:
    """All queries, from which some were drawn.

    Attributes
    ----------
    measures
        The measures.
    n, n_all
        How many were drawn, and how many there are.
    seed
        The random seed.
    rows
        The rows of all queries.
    """

    measures: Sequence[Measure]
    n: int
    n_all: int
    seed: int
    rows: Rows

    @cached_property
    def means(self) -> pl.DataFrame:
        """The exact means over all queries, as of `rankreport.Evaluation.exact_means`."""
        measures = [measure for measure in self.measures if is_averaged(measure)]
        return joined_totals(self.rows.find(partial(_totals, measures)), [*self.rows.plan.systems])

    def no_rows(self, source: Source) -> DataError:
        """Return the error for a run without a row of the queries drawn."""
        n = f"{self.n:,}"
        return DataError(f"{source.name} has no row of the {n} queries drawn. Draw more of them.")


@dataclass(frozen=True, eq=False)
class FromSpark(FromRuns):
    """Results of rows on Spark: what was judged is collected, lists when they are needed.

    ``spark`` are the rows in buckets, ``of_subtopics`` the judgments as those of subtopics, if they
    were not given as such and can be opened so; ``drawn`` says from what the queries were drawn, if
    they are a random sample.
    """

    spark: Rows = field(kw_only=True)
    of_subtopics: SparkTable | None = field(default=None, kw_only=True)
    drawn: SampledFrom | None = field(default=None, kw_only=True)

    def within(
        self,
        measures: Sequence[Measure],
        primary: Measure,
        limit: int | None,
        n_queries: int | None,
        seed: int,
    ) -> FromSpark:
        """Return the results of all queries, or of a sample, if they keep a limit of memory.

        Raises
        ------
        OptionError
            If they do not.
        """
        rows = self.spark.qrels
        counts = rows.agg(f.count(f.lit(1)), f.count_distinct(f.col(QUERY_ID))).toArrow()
        n_rows, n_judged = pl.DataFrame(counts).row(0)
        n = n_judged if n_queries is None else min(n_queries, n_judged)
        about = {"n_systems": len(self.systems), "n_measures": len(measures)}
        check_collected(n, (n_rows, n_judged), **about, k=depth_of(primary), limit=limit)
        whole = replace(self, memory_limit=limit)
        if n == n_judged:
            return whole
        drawn = SampledFrom(measures, n, n_judged, seed, self.spark)
        return replace(whole, spark=self.spark.sample(n, seed), drawn=drawn)

    @cached_property
    def judged(self) -> Judged:
        """The judged frame of all buckets, with its counts."""
        try:
            parts = self.spark.find(attrgetter("judged"))
        except DataError as error:
            raise self.first_fault() or error from None
        judged = Judged.joined(parts, list(self.systems))
        for system, source in self.systems.items():
            if not judged.looks[system].n_rows:
                raise no_rows(source) if self.drawn is None else self.drawn.no_rows(source)
        judged = self._looked_at(judged)
        judged.check_shared_queries(self.qrels, self.systems, self.settings)
        return judged

    def _looked_at(self, judged: Judged) -> Judged:
        """Look at the ids and scores of some queries of each system; rows have no order."""
        some = judged.queries_looked_at(self.n_looked_at)
        every = pl.concat(list(some.values())).unique().sort().to_list()
        parts = self.spark.of_queries(every).find(partial(_rows_looked_at, some))

        def rows_of(system: str, _: pl.Series) -> list[pl.DataFrame]:
            rows = zip(*(part[system] for part in parts), strict=True)
            return [pl.concat(each).sort(QUERY_ID, DOC_ID) for each in rows]

        looked_at = judged.looked_at(some, rows_of)
        looks = {system: look.without_order for system, look in looked_at.looks.items()}
        return looked_at._replace(looks=looks)

    def first_fault(self) -> DataError | None:
        """Return the error for the first invalid row of all buckets."""
        rows = self.spark if self.drawn is None else self.drawn.rows
        found = {name: of for name, of in faults_of(rows).items() if of.n}
        if self.qrels.name in found:
            explained = fault_of_subtopics(rows, self.qrels, self.of_subtopics)
            return explained or found[self.qrels.name].first_error(self.qrels)
        faulty = (of for of in self.systems.values() if of.name in found)
        return next((found[of.name].first_error(of) for of in faulty), None)

    def _first_documents(self, wanted: ListRequest) -> pl.DataFrame:
        """Fetch the first documents of these lists."""
        found = self.spark.of_queries(wanted.queries).find(methodcaller("documents", wanted))
        lists = wanted.lists
        return lists.join(pl.concat(found), on=lists.columns, maintain_order="left_right").select(
            found[0].columns
        )

    def unjudged_from(self, measure: Measure, first: str) -> Unjudged:
        """Find unjudged documents in each bucket."""
        found = self.spark.find(partial(_unjudged, measure, first))
        return Unjudged.joined([each for each in found if each is not None], [*self.systems])

    def same_lists(self, one: str, other: str, pool: int | None = None) -> bool:
        """Return whether two systems returned the same documents, as of runs in memory."""
        return all(self.spark.find(methodcaller("same_lists", one, other, pool)))

    def remarks(self) -> list[Remark]:
        """Return the remarks of the sources, and that the queries are a sample."""
        if self.drawn is None:
            return self._remarks
        about = {"of": self.drawn.n_all, "seed": self.drawn.seed}
        return [Remark("sampled_queries", self.drawn.n, about=about), *self._remarks]

    def exact_means(self) -> pl.DataFrame | None:
        """Return the exact means over all queries, if the queries are a sample."""
        return None if self.drawn is None else self.drawn.means

    @cached_property
    def n_identical(self) -> Mapping[str, int]:
        """The number of documents of each system that were left out for having the query's id."""
        total: Counter[str] = Counter()
        if self.spark.plan.drops_identical:
            for each in self.spark.find(attrgetter("n_identical")):
                total.update(each)
        return dict(total)

    def inputs(self) -> list[Input]:
        """Return the provenance of the judgments and runs."""
        return [{**read, "name": "a DataFrame of Spark"} for read in super().inputs()]


def _rows_looked_at(
    queries: Mapping[str, pl.Series], origin: FromRuns
) -> dict[str, list[pl.DataFrame]]:
    """Return the judgments and the run of each system, of some queries."""
    return {
        system: [rows.cast({QUERY_ID: pl.String}) for rows in origin.rows_of(system, some)]
        for system, some in queries.items()
    }


def _totals(measures: Sequence[Measure], origin: FromRuns) -> pl.DataFrame:
    return totals_of(origin.values(measures), measures)


def _unjudged(measure: Measure, first: str, origin: FromRuns) -> Unjudged | None:
    return None if origin.judged.frame.is_empty() else origin.unjudged_from(measure, first)
