"""qrels_from_judges() of ratings on Spark, and `SparkJudgeLabels`, whose judgments stay there."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import add, or_
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from pyspark.sql import functions as f

from rankreport.call_hints import hinting
from rankreport.errors import choose
from rankreport.frames import DOC_ID, QUERY_ID, RELEVANCE
from rankreport.io import JUDGE, check_process
from rankreport.labels import (
    JUDGE_SUMS,
    MOST_PAIRS,
    JudgeLabels,
    RatedLabels,
    RatingColumns,
    RatingCounts,
    check_ratings,
    judge_settings,
    rating_columns,
)
from rankreport.labels import (
    qrels_from_judges as from_local,
)
from rankreport.spark.tables import expect_spark, ids, number, quoted, text

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame

_DOCUMENT = [QUERY_ID, DOC_ID]
_IDS = [*_DOCUMENT, JUDGE]
_GIVEN, _PLACE, _TIMES = "given", "place", "times"


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
        combined = _combined(self.combine, [float(grade) for grade in self._grades])
        return self._documents.select(*_DOCUMENT, combined.alias(RELEVANCE))

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
        shared = self.ratings.groupBy(*_DOCUMENT).agg(
            f.count(f.lit(1)).alias("n"), (f.max(RELEVANCE) - f.min(RELEVANCE)).alias("apart")
        )
        by_query = shared.filter("n > 1").groupBy(QUERY_ID)
        means = by_query.agg(
            f.count(f.lit(1)).alias("n_documents"), f.avg("apart").alias("difference")
        )
        first = means.orderBy(f.desc("difference"), QUERY_ID).limit(n)
        order = ["difference", QUERY_ID]
        return pl.DataFrame(first.toArrow()).sort(order, descending=[True, False])

    @property
    def n_ratings(self) -> int:
        """How many grades all judges gave."""
        return int(self._totals[_TIMES].sum())

    def _n_judged(self) -> tuple[int, int]:
        return self._documents.count(), self.ratings.select(QUERY_ID).distinct().count()

    def _by_judge(self) -> pl.DataFrame:
        totals = self._totals.sort(JUDGE, RELEVANCE)
        n, grades = pl.col(_TIMES).sum(), (pl.col(RELEVANCE) * pl.col(_TIMES)).sum()
        by_judge = totals.group_by(JUDGE, maintain_order=True)
        return by_judge.agg(n.cast(pl.Int64).alias("n_ratings"), (grades / n).alias("mean"))

    @cached_property
    def _grades(self) -> list[float]:
        return self._totals[RELEVANCE].unique().sort().to_list()

    @property
    def _numbers(self) -> list[str]:
        """The names of the columns of how many judges gave each grade."""
        return [f"n_{place}" for place in range(len(self._grades))]

    @property
    def _documents(self) -> DataFrame:
        """How many judges gave each document each grade."""
        counts = [
            f.sum((f.col(RELEVANCE) == f.lit(grade)).cast("int")).alias(name)
            for grade, name in zip(self._grades, self._numbers, strict=True)
        ]
        return self.ratings.groupBy(*_DOCUMENT).agg(*counts)

    @property
    def _shared(self) -> DataFrame:
        """Those with several judges."""
        return self._documents.filter(reduce(add, map(f.col, self._numbers)) > 1)

    @cached_property
    def _queries(self) -> pl.DataFrame:
        """The queries of documents with several judges, in the order of their ids, numbered."""
        found = pl.DataFrame(self._shared.select(QUERY_ID).distinct().toArrow())
        return found.sort(QUERY_ID).with_row_index("query").cast({"query": pl.Int64})

    def _home(self, counted: DataFrame) -> pl.DataFrame:
        """Bring counts home, with the numbers of their queries, in order."""
        rows = pl.DataFrame(counted.toArrow()).join(self._queries, on=QUERY_ID).drop(QUERY_ID)
        return rows.sort("query", *(name for name in rows.columns if name != "query"))

    @cached_property
    def _counts(self) -> RatingCounts:
        """The grades of documents with several judges, counted."""
        shared = self._shared.groupBy(QUERY_ID, *self._numbers)
        rows = self._home(shared.agg(f.count(f.lit(1)).alias(_TIMES)))
        return RatingCounts(
            self.settings,
            np.array(self._grades),
            len(self._queries),
            rows.select(self._numbers).to_numpy().astype(np.float64),
            rows["query"].to_numpy(),
            rows[_TIMES].to_numpy().astype(np.float64),
            self._pairs(),
        )

    def _pairs(self) -> pl.DataFrame:
        """Count the grades of documents by each pair of judges."""
        one = self.ratings.select(*_IDS, f.col(RELEVANCE).alias("grade"))
        theirs = [f.col(JUDGE).alias("other"), f.col(RELEVANCE).alias("grade_other")]
        other = self.ratings.select(*_DOCUMENT, *theirs)
        both = one.join(other, _DOCUMENT).filter(f.col(JUDGE) < f.col("other"))
        pair = [JUDGE, "other"]
        named = pl.DataFrame(both.select(*pair).distinct().limit(MOST_PAIRS + 1).toArrow())
        if len(named) > MOST_PAIRS:
            both = both.limit(0)
        counted = both.groupBy(QUERY_ID, *pair, "grade", "grade_other")
        rows = self._home(counted.agg(f.count(f.lit(1)).alias(_TIMES)))
        places = (
            pl.col(name).replace_strict(self._grades, range(len(self._grades)), return_dtype=_INT)
            for name in ("grade", "grade_other")
        )
        number = pl.struct(pair).rank("dense").cast(_INT).alias("pair") - 1
        return rows.select(number, "query", *places, _TIMES)

    def _judge_sums(self) -> NDArray[np.float64]:
        grades, numbers = self._grades, self._numbers
        shared = self.ratings.join(self._shared, _DOCUMENT)
        counted = shared.groupBy(QUERY_ID, JUDGE, RELEVANCE, *numbers)
        rows = self._home(counted.agg(f.count(f.lit(1)).alias(_TIMES)))
        counts = rows.select(numbers).to_numpy().astype(np.float64)
        own, times = (rows[name].to_numpy().astype(np.float64) for name in (RELEVANCE, _TIMES))
        equal = counts[np.arange(len(counts)), np.searchsorted(grades, own)] - 1
        others = counts.sum(axis=1) - 1
        apart = own - (counts @ np.array(grades) - own) / others
        judge = rows[JUDGE].replace_strict(
            list(self.judges), range(len(self.judges)), return_dtype=_INT
        )
        sums = np.zeros((len(self._queries), len(JUDGE_SUMS), len(self.judges)))
        for i, each in enumerate((apart, np.ones(len(rows)), equal, others)):
            np.add.at(sums[:, i], (rows["query"].to_numpy(), judge.to_numpy()), each * times)
        return sums


_INT = pl.Int64()


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

    Grades are combined and counted by Spark; counts by query are brought to the driver, where
    agreement is computed from them by the same code as on one machine.

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


def _combined(combine: str, grades: list[float]) -> Column:
    """Return the combined grade of a document, from the numbers of judges who gave each grade.

    So it does not depend on the order in which a worker sees them.
    """
    numbers = [f.col(f"n_{place}") for place in range(len(grades))]
    n = reduce(add, numbers)
    given = [(number, f.lit(grade)) for number, grade in zip(numbers, grades, strict=True)]

    def first(conditions: list[Column]) -> Column:
        pairs = zip(conditions, given, strict=True)
        return f.coalesce(*(f.when(condition, grade) for condition, (_, grade) in pairs))

    if combine == "mean":
        return reduce(add, (number * grade for number, grade in given)) / n
    if combine == "lowest":
        return first([number > 0 for number in numbers])
    if combine == "majority":
        most = f.greatest(*numbers) if len(numbers) > 1 else numbers[0]
        return first([number == most for number in numbers])
    below = [reduce(add, numbers[: place + 1]) for place in range(len(numbers))]
    lower = first([so_far * 2 >= n for so_far in below])
    upper = first([so_far * 2 > n for so_far in below])
    return (lower + upper) / 2
