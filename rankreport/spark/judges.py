"""qrels_from_judges() of ratings on Spark, and `SparkJudgeLabels`, whose judgments stay there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from operator import or_
from typing import TYPE_CHECKING, TypeVar

import polars as pl
import pyarrow as pa
from pyspark.sql import functions as f

from rankreport.call_hints import hinting
from rankreport.errors import choose
from rankreport.frames import DOC_ID, QUERY_ID, RELEVANCE
from rankreport.io import JUDGE, check_process
from rankreport.labels import (
    CountedRatings,
    JudgeLabels,
    RatedLabels,
    RatingColumns,
    RatingCounts,
    check_ratings,
    combined_ratings,
    judge_settings,
    most_different,
    rating_columns,
    sums_by_judge,
)
from rankreport.labels import qrels_from_judges as from_local
from rankreport.spark.bucket_work import as_sent, found_by
from rankreport.spark.buckets import BUCKET, in_buckets
from rankreport.spark.tables import expect_spark, ids, number, quoted, text
from rankreport.spark.worker_functions import of_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_DOCUMENT = [QUERY_ID, DOC_ID]
_IDS = [*_DOCUMENT, JUDGE]
_GIVEN, _TIMES = "given", "times"
_JUDGMENTS = f"{QUERY_ID} string, {DOC_ID} string, {RELEVANCE} double"

T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class SparkJudgeLabels(RatedLabels):
    """Judgments of several people on Spark. See `rankreport.spark.qrels_from_judges`.

    Attributes
    ----------
    combine
        How grades are combined.
    judges
        The names of the judges, in order.
    settings
        ``confidence``, ``resamples`` and ``seed``.
    ratings
        A DataFrame of Spark, a row for each grade: ``query_id, doc_id, judge`` (string),
        ``relevance`` (double).
    """

    ratings: DataFrame
    _totals: pl.DataFrame = field(repr=False)

    @property
    def judgments(self) -> DataFrame:
        """The combined judgments on Spark: ``query_id, doc_id`` (string), ``relevance`` (double).

        They are computed whenever the DataFrame is used: cache or write it to use it twice.
        """
        work = of_table(partial(_combined, self.combine))
        return in_buckets(self.ratings).groupBy(BUCKET).applyInArrow(work, _JUDGMENTS)

    @property
    def qrels(self) -> pl.DataFrame:
        """The combined judgments, brought to the driver, sorted by query and document."""
        return pl.DataFrame(self.judgments.toArrow()).sort(_DOCUMENT)

    def to_labels(self) -> JudgeLabels:
        """Bring all ratings to the driver, as what `rankreport.qrels_from_judges` returns.

        Judges can then be compared one by one, as by `rankreport.compare_by_judge`.
        """
        rows = pl.DataFrame(self.ratings.toArrow()).sort(_IDS)
        return from_local(rows, self.combine, judge=JUDGE, **self.settings)

    def of(self, judge: str) -> DataFrame:
        """Return the judgments of one judge on Spark, to compare systems under this judge alone.

        Raises
        ------
        OptionError
            If there is no such judge.
        """
        choose("judge", judge, self.judges)
        return self.ratings.filter(f.col(JUDGE) == judge).drop(JUDGE)

    def most_different(self, n: int = 10) -> pl.DataFrame:
        """Return where judges differ most: see `rankreport.JudgeLabels.most_different`."""
        parts = pl.concat(self._find(partial(most_different, n=n)))
        return parts.sort("difference", QUERY_ID, descending=[True, False]).head(n)

    @property
    def n_ratings(self) -> int:
        """How many grades all judges gave."""
        return int(self._totals[_TIMES].sum())

    def _n_judged(self) -> tuple[int, int]:
        keys = (_DOCUMENT, [QUERY_ID])
        n_documents, n_queries = (self.ratings.select(*key).distinct().count() for key in keys)
        return n_documents, n_queries

    def _by_judge(self) -> pl.DataFrame:
        totals = self._totals.sort(JUDGE, RELEVANCE)
        n, grades = pl.col(_TIMES).sum(), (pl.col(RELEVANCE) * pl.col(_TIMES)).sum()
        by_judge = totals.group_by(JUDGE, maintain_order=True)
        return by_judge.agg(n.cast(pl.Int64).alias("n_ratings"), (grades / n).alias("mean"))

    @cached_property
    def _counts(self) -> RatingCounts:
        """The grades of documents with several judges, counted."""
        grades = self._totals[RELEVANCE].unique().sort().to_list()
        parts = self._find(partial(CountedRatings.of, grades=grades))
        return RatingCounts.of(parts, grades, self.settings)

    def _judge_sums(self) -> pl.DataFrame:
        return pl.concat(self._find(sums_by_judge))

    def _find(self, find: Callable[..., T]) -> list[T]:
        """Find something in the ratings of each bucket of queries, and collect it."""
        return found_by(self.ratings, QUERY_ID, partial(_found_of, find))


def _found_of(find: Callable[[pl.DataFrame], T], table: pa.Table) -> T:
    return find(_rows(table))


def _rows(table: pa.Table) -> pl.DataFrame:
    """Return the ratings of a bucket, in order."""
    return pl.DataFrame(table).drop(BUCKET).sort(_IDS)


def _combined(combine: str, table: pa.Table) -> pa.Table:
    """Return the combined judgments of the ratings of a bucket."""
    judgments = combined_ratings(_rows(table), combine)
    return as_sent(judgments.to_arrow(compat_level=pl.CompatLevel.oldest()), table.schema)


@hinting()
def qrels_from_judges(
    ratings: DataFrame,
    combine: str = "mean",
    *,
    judge: str | None = None,
    confidence: float = 0.95,
    resamples: int = 2_000,
    seed: int = 0,
) -> SparkJudgeLabels:
    """Combine the judgments of several people on Spark, and measure how far they agree.

    Executors combine and count the grades of whole queries by the same code as one machine; counts
    by query are brought to the driver, where agreement is computed from them.

    Parameters
    ----------
    ratings
        A DataFrame: a row for each grade, or a row for each document with a column of grades for
        each judge, with the columns that `rankreport.qrels_from_judges` takes.
    combine, judge, confidence, resamples, seed
        As for `rankreport.qrels_from_judges`.

    Returns
    -------
    SparkJudgeLabels
        With ``judgments`` and ``of(judge)`` on Spark, and ``agreement()``, ``per_grade()``,
        ``per_judge()`` and ``most_different()``, equal to those of `rankreport.JudgeLabels` but for
        the last digits. Accepted by `rankreport.spark.evaluate` as judgments.

    Raises
    ------
    DataError
        If a column is missing, a grade is no number, or a judge gave a document two grades.
    OptionError
        If an option is invalid, or the ratings are no DataFrame of Spark.

    Examples
    --------
    >>> from pysail.spark import SparkConnectServer
    >>> from pyspark.sql import SparkSession
    >>> server = SparkConnectServer()
    >>> server.start(background=True)
    >>> address = "sc://{}:{}".format(*server.listening_address)
    >>> session = SparkSession.builder.remote(address).getOrCreate()

    >>> from rankreport import spark
    >>> book = session.createDataFrame(
    ...     [("q1", "d1", "ann", 2), ("q1", "d1", "bob", 2), ("q1", "d2", "ann", 0),
    ...      ("q1", "d2", "bob", 1)], ["query_id", "doc_id", "judge", "relevance"])
    >>> labels = spark.qrels_from_judges(book)
    >>> labels.qrels["relevance"].to_list()
    [2.0, 0.5]
    >>> labels.agreement().filter(measure="equal")["value"].to_list()
    [0.5]

    >>> session.stop()
    >>> server.stop()
    """
    check_process()
    settings = judge_settings(combine, confidence, resamples, seed)
    expect_spark("the ratings", ratings, "use rankreport.qrels_from_judges")
    rows = _long(ratings, rating_columns(ratings.columns, judge))
    _check(rows)
    rows = rows.drop(_GIVEN)
    by_judge = rows.groupBy(JUDGE, RELEVANCE).agg(f.count(f.lit(1)).alias(_TIMES))
    totals = pl.DataFrame(by_judge.toArrow())
    return SparkJudgeLabels(combine, tuple(totals[JUDGE].unique().sort()), settings, rows, totals)


def _long(ratings: DataFrame, found: RatingColumns) -> DataFrame:
    """Return a row for each grade: ids, ``relevance``, and ``given``, the grade as it was given."""
    keys = [ids("the ratings", ratings, own).alias(name) for name, own in found.ids.items()]
    if found.judge is not None:
        grade = str(found.grade)
        rows = ratings.select(
            *keys,
            ids("the ratings", ratings, found.judge).alias(JUDGE),
            number(ratings, grade, RELEVANCE),
            ratings[quoted(grade)].alias(_GIVEN),
        )
    else:
        # A row for each column of grades, as `unpivot` makes it.
        of_judge = [
            f.struct(f.lit(own).alias(JUDGE), text(ratings, own).alias(_GIVEN))
            for own in found.raters
        ]
        each = ratings.select(*keys, f.explode(f.array(*of_judge)).alias("each"))
        named = [f.col("each")[name].alias(name) for name in (JUDGE, _GIVEN)]
        rows = each.select(*_DOCUMENT, *named)
        rows = rows.select("*", number(rows, _GIVEN, RELEVANCE))
    return rows.filter(f.col(_GIVEN).isNotNull() & (f.col(_GIVEN).cast("string") != ""))


def _check(rows: DataFrame) -> None:
    """Check what `check_ratings` does."""
    grade = f.col(RELEVANCE)
    wrong = grade.isNull() | f.isnan(grade) | (f.abs(grade) == f.lit(float("inf")))
    nameless = reduce(or_, (f.col(name).isNull() for name in _IDS))
    counts = rows.agg(
        f.count(f.lit(1)).alias("n"),
        f.sum(wrong.cast("int")).alias("wrong"),
        f.sum(nameless.cast("int")).alias("nameless"),
    )
    found = pl.DataFrame(counts.toArrow()).row(0, named=True)
    first = rows.filter(wrong).orderBy(*_IDS).limit(1 if found["wrong"] else 0)
    repeated = rows.groupBy(*_IDS).count().filter("count > 1").orderBy(*_IDS).limit(1)
    check_ratings(
        pl.DataFrame(first.select(*_IDS, _GIVEN).toArrow()),
        found["n"],
        found["nameless"] or 0,
        pl.DataFrame(repeated.toArrow()),
    )
