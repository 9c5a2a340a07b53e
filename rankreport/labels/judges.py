"""qrels_from_judges() and `JudgeLabels`: judgments of several people, and how far they agree."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import polars as pl

from rankreport.call_hints import hinting
from rankreport.errors import DataError, OptionError, brief, check_confidence, choose
from rankreport.frames import DOC_ID, QUERY_ID, RELEVANCE
from rankreport.io import (
    JUDGE,
    RATINGS,
    FromFiles,
    check_numbers,
    check_process,
    keeping_files,
    read_rows,
    with_ids,
)
from rankreport.labels.rating_counts import CountedRatings, RatingCounts, per_judge, sums_by_judge
from rankreport.labels.source import COMBINED, Labels, LabelSource
from rankreport.statistics import Draws, check_draws
from rankreport.tables import Table

_IDS = (QUERY_ID, DOC_ID, JUDGE)


@dataclass(frozen=True, eq=False, repr=False)
class RatedLabels(Labels):
    """Judgments of several people, and how far these agree: on one machine, and on Spark.

    Attributes
    ----------
    combine
        How grades are combined, a key of `COMBINED`.
    judges
        The names of the judges, in order.
    settings
        ``confidence``, ``resamples`` and ``seed``.
    """

    combine: str
    judges: tuple[str, ...]
    settings: Mapping[str, Any]

    def agreement(self) -> pl.DataFrame:
        """Return how far the judges agree on the documents that several of them judged.

        Returns
        -------
        DataFrame
            ``measure`` (String): ``"alpha ordinal"``, ``"alpha nominal"``, ``"alpha interval"``
            (Krippendorff), ``"fleiss"``, ``"cohen"``, ``"cohen linear"`` and ``"cohen quadratic"``
            (of several pairs of judges, the mean weighted by their documents) and ``"equal"``, the
            share of equal pairs of grades; ``value, ci_low, ci_high`` (Float64; 1 is full
            agreement, 0 is chance; the interval is the bootstrap's, which draws queries; null
            where unknown).
        """
        return self._counts.agreement()

    def per_grade(self) -> pl.DataFrame:
        """Return the agreement on each grade.

        Returns
        -------
        DataFrame
            ``grade`` (Float64); ``n_ratings`` (Int64), of documents with several judges;
            ``agreement`` (Float64), the share of other judges of the same document who gave the
            same grade; ``kappa`` (Float64), Fleiss' kappa of the grade against all others; then
            the ends of their bootstrap intervals, such as ``kappa_low`` and ``kappa_high``.
        """
        return self._counts.per_grade()

    def per_judge(self) -> pl.DataFrame:
        """Return how each judge differs from the others on the documents that they share.

        Returns
        -------
        DataFrame
            ``judge`` (String), ``n_ratings, n_shared`` (Int64), the documents judged, and those
            that others judged too; ``mean`` (Float64), the mean grade; ``bias``, the mean
            difference from the mean grade of the others; ``equal``, the share of grades of others
            that are the same; then the ends of their bootstrap intervals, such as ``bias_low`` and
            ``bias_high``.
        """
        return per_judge(self._judge_sums(), self.judges, self._by_judge(), self.settings)

    @cached_property
    def source(self) -> LabelSource:
        """Where the judgments come from, in numbers."""
        n_documents, n_queries = self._n_judged()
        about = tuple(self._counts.remarks(n_documents))
        judges = len(self.judges)
        return LabelSource(
            "judges", self.combine, n_documents, n_queries, judges=judges, remarks=about
        )

    def _shown(self) -> Table:
        """Return `agreement` as a table for display."""
        return self._counts.table(self.judges)

    @cached_property
    @abstractmethod
    def _counts(self) -> RatingCounts:
        """The grades of documents with several judges, counted."""

    @abstractmethod
    def _judge_sums(self) -> pl.DataFrame:
        """Return `JUDGE_SUMS` of each query and judge, as of `sums_by_judge`."""

    @abstractmethod
    def _by_judge(self) -> pl.DataFrame:
        """Return the number and the mean of the grades of each judge, as of `per_judge`."""

    @abstractmethod
    def _n_judged(self) -> tuple[int, int]:
        """Return how many documents were judged, and for how many queries."""


@dataclass(frozen=True, eq=False, repr=False)
class JudgeLabels(RatedLabels, FromFiles):
    """Judgments of several people, accepted wherever judgments are. See `qrels_from_judges`.

    Attributes
    ----------
    combine
        How grades are combined, a key of `COMBINED`.
    judges
        The names of the judges, in order.
    settings
        ``confidence``, ``resamples`` and ``seed``.
    files
        The files that it was read from, which no output of it replaces.

    Examples
    --------
    >>> import polars as pl
    >>> import rankreport as rr
    >>> book = pl.DataFrame(
    ...     {"query": ["q1", "q1"], "docid": ["d1", "d2"], "ann": [1, 0], "bob": [1, 1]}
    ... )
    >>> labels = rr.qrels_from_judges(book)
    >>> rr.evaluate(labels, {"q1": ["d2", "d1"]}, ["CG@1"]).summary().rows()
    [('run', 0.5)]
    """

    _rows: pl.DataFrame = field(repr=False)

    @property
    def qrels(self) -> pl.DataFrame:
        """The combined judgments: ``query_id, doc_id`` (String), ``relevance`` (Float64)."""
        return combined_ratings(self._rows, self.combine)

    def of(self, judge: str) -> pl.DataFrame:
        """Return the judgments of one judge, to compare systems under this judge alone.

        Raises
        ------
        OptionError
            If there is no such judge.
        """
        choose("judge", judge, self.judges)
        return self._rows.filter(pl.col(JUDGE) == judge).drop(JUDGE)

    def _judge_sums(self) -> pl.DataFrame:
        return sums_by_judge(self._rows)

    def _by_judge(self) -> pl.DataFrame:
        n_ratings = pl.len().cast(pl.Int64).alias("n_ratings")
        by_judge = self._rows.group_by(JUDGE, maintain_order=True)
        return by_judge.agg(n_ratings, pl.col(RELEVANCE).mean().alias("mean"))

    def most_different(self, n: int = 10) -> pl.DataFrame:
        """Return the queries on which judges differ most.

        Parameters
        ----------
        n
            Number of queries.

        Returns
        -------
        DataFrame
            ``query_id`` (String), ``n_documents`` (Int64), with several judges, and ``difference``
            (Float64), the mean over these of the distance between the highest and the lowest
            grade; the largest first.
        """
        return most_different(self._rows, n)

    def busiest(self, n: int) -> tuple[str, ...]:
        """Return the names of the n judges with the most judgments, the busiest first."""
        counts = self._rows.group_by(JUDGE).len().sort("len", JUDGE, descending=[True, False])
        return tuple(counts[JUDGE].head(n))

    def _n_judged(self) -> tuple[int, int]:
        documents = self._rows.select(QUERY_ID, DOC_ID).unique()
        return len(documents), documents[QUERY_ID].n_unique()

    @property
    def n_ratings(self) -> int:
        """How many grades all judges gave."""
        return len(self._rows)

    @property
    def ratings(self) -> pl.DataFrame:
        """All grades: ``query_id, doc_id, judge`` (String), ``relevance`` (Float64)."""
        return self._rows

    @cached_property
    def _counts(self) -> RatingCounts:
        """The grades of each document with several judges, counted."""
        grades = self._rows[RELEVANCE].unique().sort().to_list()
        return RatingCounts.of([CountedRatings.of(self._rows, grades)], grades, self.settings)


def combined_ratings(rows: pl.DataFrame, combine: str) -> pl.DataFrame:
    """Return the judgments that ratings are combined to, by a key of `COMBINED`."""
    grades = pl.col(RELEVANCE)
    combined = {
        "mean": grades.mean(),
        "median": grades.median(),
        "lowest": grades.min(),
        "majority": grades.mode().min(),
    }[combine]
    by_document = rows.group_by(QUERY_ID, DOC_ID, maintain_order=True)
    return by_document.agg(combined.alias(RELEVANCE))


def most_different(rows: pl.DataFrame, n: int) -> pl.DataFrame:
    """Return the frame of `JudgeLabels.most_different`."""
    grades = pl.col(RELEVANCE)
    return (
        rows.group_by(QUERY_ID, DOC_ID, maintain_order=True)
        .agg(pl.len().alias("n"), (grades.max() - grades.min()).alias("apart"))
        .filter(pl.col("n") > 1)
        .group_by(QUERY_ID, maintain_order=True)
        .agg(
            pl.len().cast(pl.Int64).alias("n_documents"),
            pl.col("apart").mean().alias("difference"),
        )
        .sort("difference", QUERY_ID, descending=[True, False])
        .head(n)
    )


@hinting()
@keeping_files
def qrels_from_judges(
    ratings: Any,
    combine: str = "mean",
    *,
    judge: str | None = None,
    confidence: float = 0.95,
    resamples: int = 2_000,
    seed: int = 0,
) -> JudgeLabels:
    """Combine the judgments of several people, and measure how far they agree.

    Parameters
    ----------
    ratings
        A path (CSV or TSV with a header, Parquet, JSON lines), a table of any library, or records:
        a row for each grade, with ``query_id, doc_id, judge`` and ``relevance``; or a row for each
        document with a column of grades for each judge, as Quepid's book. Missing grades are left
        out.
    combine
        ``"mean"``, ``"median"``, ``"majority"`` (of equally frequent grades the lower) or
        ``"lowest"``.
    judge
        The column that names the judge; by default one called ``judge``, ``rater``, ``annotator``,
        ``assessor`` or ``worker``.
    confidence
        Of the intervals of agreement, between 0 and 1.
    resamples, seed
        Number of bootstrap resamples of queries, at least 100, and random seed.

    Returns
    -------
    JudgeLabels
        Accepted wherever judgments are; with ``qrels``, ``agreement()``, ``per_grade()``,
        ``per_judge()``, ``most_different()`` and ``of(judge)``.

    Raises
    ------
    DataError
        If the ratings cannot be read, lack a column, or a judge gave a document two grades.
    OptionError
        If an option is invalid.

    Examples
    --------
    >>> import polars as pl
    >>> import rankreport as rr
    >>> book = pl.DataFrame({"query": ["q1", "q1", "q2"], "docid": ["d1", "d2", "d3"],
    ...                      "ann": [2, 0, 1], "bob": [2, 1, 1]})
    >>> labels = rr.qrels_from_judges(book)
    >>> labels.qrels["relevance"].to_list()
    [2.0, 0.5, 1.0]
    >>> labels.agreement().filter(measure="equal")["value"].round(3).to_list()
    [0.667]
    """
    check_process()
    settings = judge_settings(combine, confidence, resamples, seed)
    rows = _long(read_rows(ratings, "the ratings"), judge)
    return JudgeLabels(
        combine=combine,
        judges=tuple(rows[JUDGE].unique().sort()),
        settings=settings,
        _rows=rows,
    )


def judge_settings(combine: str, confidence: float, resamples: int, seed: int) -> dict[str, Any]:
    """Check the options of `qrels_from_judges`, and return those of the intervals.

    Raises
    ------
    OptionError
        If one is invalid.
    """
    choose("combine", combine, COMBINED)
    check_confidence(confidence)
    check_draws(Draws(resamples, seed))
    return {"confidence": confidence, "resamples": resamples, "seed": seed}


class RatingColumns(NamedTuple):
    """The columns of ratings.

    Attributes
    ----------
    ids
        Those of query and document, by these names.
    judge, grade
        Those of the judge and of the grade, where there is a row for each grade.
    raters
        The columns of grades, where there is one for each judge.
    """

    ids: Mapping[str, str]
    judge: str | None
    grade: str | None
    raters: tuple[str, ...]


def rating_columns(columns: Sequence[str], judge: str | None) -> RatingColumns:
    """Find the columns of ratings.

    Parameters
    ----------
    columns
        All columns.
    judge
        As of `qrels_from_judges`.

    Raises
    ------
    DataError
        If one is missing.
    OptionError
        If there is no column with the name that was given.
    """
    every = ", ".join(columns)
    own, missing = RATINGS.find(columns)
    lacking = [column for column in missing if column in RATINGS.keys]
    if lacking:
        raise RATINGS.lacking("The table of ratings", columns, lacking)
    found = {key: own[key] for key in RATINGS.keys}
    if judge is not None and judge not in columns:
        raise OptionError(f"judge={judge!r} is not one of the columns {every}.")
    named = judge or own.get(JUDGE)
    if named is not None:
        if missing:
            raise RATINGS.lacking("The table of ratings", columns, missing)
        return RatingColumns(found, named, own[RELEVANCE], ())
    raters = tuple(name for name in columns if name not in found.values())
    if len(raters) < 2:
        raise DataError(
            f"Expected a column that names the judge, or a column of grades for each of several "
            f"judges. The columns: {every}."
        )
    return RatingColumns(found, None, None, raters)


def _long(given: pl.DataFrame, judge: str | None) -> pl.DataFrame:
    """Return a row for each grade: ``query_id, doc_id, judge, relevance``."""
    found = rating_columns(given.columns, judge)
    named = [] if found.judge is None else [found.judge]
    given = with_ids("the ratings", given, [*found.ids.values(), *named])
    for column in found.raters or [str(found.grade)]:
        check_numbers("the ratings", column, given.schema[column])
    keys = [pl.col(own).cast(pl.String).alias(name) for name, own in found.ids.items()]
    if found.judge is not None:
        rows = given.select(
            *keys,
            pl.col(found.judge).cast(pl.String).alias(JUDGE),
            pl.col(str(found.grade)).alias(RELEVANCE),
        )
    else:
        texts = [pl.col(name).cast(pl.String) for name in found.raters]
        rows = given.select(*keys, *texts).unpivot(
            index=[QUERY_ID, DOC_ID], variable_name=JUDGE, value_name=RELEVANCE
        )
    graded_rows = rows.filter(
        pl.col(RELEVANCE).is_not_null() & (pl.col(RELEVANCE).cast(pl.String) != "")
    )
    numbers = graded_rows.with_columns(pl.col(RELEVANCE).cast(pl.Float64, strict=False))
    wrong = graded_rows.filter(~numbers[RELEVANCE].is_finite().fill_null(value=False))
    nameless = numbers.select(pl.any_horizontal(pl.col(_IDS).is_null()).sum()).item()
    twice = numbers.filter(pl.struct(_IDS).is_duplicated())
    check_ratings(wrong, len(numbers), nameless, twice)
    return numbers


def check_ratings(wrong: pl.DataFrame, n: int, n_nameless: int, twice: pl.DataFrame) -> None:
    """Check that all ratings are numbers with ids, and that no judge rated a document twice.

    Parameters
    ----------
    wrong
        Ratings that are no numbers: query, document, judge and what was given.
    n, n_nameless
        How many ratings there are, and how many of them lack a query, document or judge.
    twice
        Documents that a judge gave several grades: query, document and judge.

    Raises
    ------
    DataError
        If not.
    """
    if not wrong.is_empty():
        query, document, judge, value = wrong.row(0)
        raise DataError(
            f"The grade of {judge!r} for document {document!r} of query {query!r} is "
            f"{brief(value)}. A number is expected. In a table with a column for each judge, drop "
            f"all others."
        )
    if not n:
        raise DataError("The ratings hold no grade.")
    if n_nameless:
        raise DataError(f"{n_nameless:,} ratings have no query_id, doc_id or judge.")
    if not twice.is_empty():
        query, document, judge = twice.row(0)[:3]
        raise DataError(
            f"{judge!r} gave document {document!r} of query {query!r} several grades; expected one "
            f"grade per judge and document."
        )
