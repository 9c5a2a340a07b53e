"""The judged frame: judgments and runs joined, and the selection of queries.

By default the judgments define which queries are evaluated: a query that a run lacks scores 0 and
is reported; a query that only a run has is left out and counted; a query without a document of
positive grade scores 0. ``queries="answered"`` or ``"intersection"`` and ``no_relevant="skip"`` or
``"one"`` change this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from rankreport.errors import DataError
from rankreport.evaluation.collapse import Collapse
from rankreport.evaluation.grades import grade_counts
from rankreport.evaluation.identifiers import fitting, query_spelling, sampled
from rankreport.evaluation.ranking import order_ties
from rankreport.evaluation.slices import RankedRun, RunReader
from rankreport.frames import (
    DOC_ID,
    N_RETRIEVED,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SCORE,
    SUBTOPIC,
    SYSTEM,
    TIE_FIRST,
    TIE_LAST,
    TOP_GRADE,
)
from rankreport.io import Source, read_judgments
from rankreport.measures import TieRule
from rankreport.text import ENGLISH, using_language

__all__ = [
    "GRADES",
    "NO_RELEVANT",
    "PRECISION",
    "QUERIES",
    "Judged",
    "Look",
    "judge",
]

QUERIES = {
    "judged": "every judged query counts; a system that returned nothing for one scores 0 there",
    "answered": "each system is judged by the queries that it returned something for",
    "intersection": "only judged queries that every system returned something for count",
}
PRECISION = {
    "double": "scores are compared in double precision",
    "single": "scores are rounded to single precision and compared so",
}
GRADES = {
    "given": "grades are as given",
    "truncated": "grades that are no whole numbers are cut down to one",
}
NO_RELEVANT = {
    "zero": "a query without a document of positive grade scores 0",
    "one": "a query without a document of positive grade scores 1 on measures that divide by what "
    "is relevant, such as nDCG and AP, and 0 on others",
    "skip": "queries without a document of positive grade are left out",
}


class Look(NamedTuple):
    """What is at hand of a run for a look at its ids and scores.

    Attributes
    ----------
    queries
        Its first queries, two at most.
    n_repeated
        The number of rows that repeat a score of their query; None where scores do not order.
    unjudged_queries
        Its queries without judgments.
    n_sampled
        The number of queries with judgments of which there are documents.
    judgments, run
        Their judgments, and the first rows of their lists, with the columns of the sources.
    """

    queries: list[str]
    n_repeated: int | None
    unjudged_queries: pl.Series
    n_sampled: int
    judgments: pl.DataFrame
    run: pl.DataFrame


@dataclass(frozen=True, eq=False)
class Judged:
    """Judgments and runs, joined.

    Attributes
    ----------
    frame
        One row per judged document and system, sorted by system (in the order given), query and
        rank: ``system``, ``query_id``, ``doc_id`` (String), ``relevance``, ``score`` (Float64),
        ``rank``, ``tie_first``, ``tie_last`` (UInt32; null, like the score, if the system did not
        return the document), ``n_retrieved`` (UInt32; the number of documents that the system
        returned for the query), ``top_grade`` (Float64; the highest grade in the judgments).
    queries
        One row per system and judged query: ``system, query_id, n_retrieved, n_relevant``
        (documents of positive grade), ``tied`` (whether a judged document shares its score with
        another document, so that another tie rule might change a measure), ``counted`` (whether
        the query is evaluated).
    n_unjudged_queries
        For each system, the number of queries that it answered and that have no judgments.
    n_judgments, n_ranked
        The numbers of rows of the judgments, and of each system's run.
    n_folded
        The number of rows that are left of each system's run where rows are folded; else empty.
    top_grade
        The highest grade in the judgments.
    subtopics
        With judgments per subtopic: like ``frame``, with one row per judgment and the column
        ``subtopic`` (String), sorted by it last. A document's ``relevance`` in ``frame`` is then
        its highest. None without subtopics.
    grades
        How often each grade occurs in the judgments: ``relevance, count``.
    looks
        What is at hand of each run for a look at its ids and scores.
    """

    frame: pl.DataFrame
    queries: pl.DataFrame
    n_unjudged_queries: Mapping[str, int]
    n_judgments: int
    n_ranked: Mapping[str, int]
    top_grade: float
    subtopics: pl.DataFrame | None = None
    n_folded: Mapping[str, int] = field(default_factory=dict)
    grades: pl.DataFrame = field(default_factory=pl.DataFrame)
    looks: Mapping[str, Look] = field(default_factory=dict)


def judge(
    qrels: Source,
    runs: Mapping[str, Source],
    *,
    ties: TieRule,
    queries: str,
    no_relevant: str,
    precision: str = "double",
    grades: str = "given",
    collapse: Collapse | None = None,
    by_subtopic: Callable[[], Source] | None = None,
    advance: Callable[[str], object] = lambda _: None,
) -> Judged:
    """Rank each run, join it to the judgments, and select the queries.

    Parameters
    ----------
    qrels, runs
        The judgments, and each system's results.
    ties
        The tie rule.
    queries, no_relevant, precision, grades
        Keys of `QUERIES`, `NO_RELEVANT`, `PRECISION` and `GRADES`.
    collapse
        How passages are folded into documents; None if they are not.
    by_subtopic
        Opens the judgments as judgments of subtopics, if they were not given as such.
    advance
        Called with each system's name when a slice of it is done.

    Raises
    ------
    DataError
        If a source has invalid rows, or no query is left.
    """
    given = read_judgments(qrels, by_subtopic)
    if grades == "truncated":
        given = given.with_columns(pl.col(RELEVANCE).cast(pl.Int64).cast(pl.Float64))
    judgments = given
    if SUBTOPIC in given.columns:
        by_document = given.group_by(QUERY_ID, DOC_ID, maintain_order=True)
        judgments = by_document.agg(pl.col(RELEVANCE).max())
    keys = judgments.select(QUERY_ID, DOC_ID)
    hits, retrieved = [], []
    n_unjudged_queries, n_ranked, n_folded, looks = {}, {}, {}, {}
    judged_queries = keys.select(QUERY_ID).unique()
    shared_none: tuple[Source, pl.Series] | None = None
    for order, (system, source) in enumerate(runs.items()):
        reader = RunReader(system, source, ties, precision, collapse)
        found = reader.ranked(keys, advance)
        n_ranked[system] = found.n_rows
        if found.n_folded is not None:
            n_folded[system] = found.n_folded
        of_system = [pl.lit(system).alias(SYSTEM), pl.lit(order).alias(_ORDER)]
        hits.append(found.hits.select(*of_system, pl.exclude(_ORDER)))
        judged_lengths = found.lengths.join(judged_queries, on=QUERY_ID, how="semi")
        n_unjudged_queries[system] = len(found.lengths) - len(judged_lengths)
        retrieved.append(judged_lengths.select(*of_system, QUERY_ID, N_RETRIEVED))
        looks[system] = _look(judgments, found)
        if judged_lengths.is_empty() and shared_none is None:
            shared_none = source, found.lengths[QUERY_ID]
    _check_systems_are_no_queries({name: look.queries for name, look in looks.items()})
    if shared_none is not None:
        raise DataError(" ".join(no_query_shared(*shared_none, qrels, judgments[QUERY_ID])))
    frame = _join(judgments, list(runs), pl.concat(hits), pl.concat(retrieved))
    failed = [(system, query) for system, run in runs.items() for query in run.failed]
    per_query = _per_query(frame, queries=queries, no_relevant=no_relevant, failed=failed)
    counted = per_query.lazy().filter("counted")
    kept = frame.lazy().join(counted, on=[SYSTEM, QUERY_ID], how="semi", maintain_order="left")
    ordered = order_ties(kept.collect(), ties)
    if ordered.is_empty():
        msg = f"No query is left under queries={queries!r}, no_relevant={no_relevant!r}."
        raise DataError(msg)
    top_grade = float(ordered[TOP_GRADE][0])
    subtopics = _of_subtopics(ordered, given) if SUBTOPIC in given.columns else None
    return Judged(
        ordered,
        per_query,
        n_unjudged_queries,
        len(given),
        n_ranked,
        top_grade,
        subtopics,
        n_folded,
        grade_counts(given),
        looks,
    )


_QUERIES = 50
_DEPTH = 20
"""Of how many queries the ids are compared, and of how many documents of each."""


def _look(judgments: pl.DataFrame, run: RankedRun) -> Look:
    returned = run.lengths[QUERY_ID]
    judged = returned.is_in(judgments[QUERY_ID].unique().implode())
    queries = pl.Series(sampled(returned.filter(judged), _QUERIES), dtype=returned.dtype)
    ordered = run.rows_of(queries).sort(SCORE, descending=True, maintain_order=True)
    return Look(
        returned.head(2).cast(pl.String).to_list(),
        run.n_repeated,
        returned.filter(~judged).cast(pl.String).sort(),
        len(queries),
        judgments.filter(pl.col(QUERY_ID).is_in(queries.implode())),
        ordered.filter(pl.int_range(pl.len()).over(QUERY_ID) < _DEPTH),
    )


_ORDER = "order"


def _join(
    judgments: pl.DataFrame, systems: list[str], hits: pl.DataFrame, retrieved: pl.DataFrame
) -> pl.DataFrame:
    """Join the judgments of every system with the ranks of the documents, in a unique order."""
    all_systems = pl.LazyFrame({SYSTEM: systems}).with_row_index(_ORDER).cast({_ORDER: pl.Int32})
    return (
        judgments.lazy()
        .with_columns(pl.col(RELEVANCE).max().alias(TOP_GRADE))
        .join(all_systems, how="cross")
        .join(hits.lazy().drop(SYSTEM), on=[_ORDER, QUERY_ID, DOC_ID], how="left")
        .join(retrieved.lazy().drop(SYSTEM), on=[_ORDER, QUERY_ID], how="left")
        .with_columns(pl.col(QUERY_ID).cast(pl.String), pl.col(N_RETRIEVED).fill_null(0))
        # A unique order, so that sums of floats are reproducible to the last bit.
        .sort(_ORDER, QUERY_ID, RANK, DOC_ID, nulls_last=True)
        .select(
            SYSTEM,
            QUERY_ID,
            DOC_ID,
            RELEVANCE,
            SCORE,
            RANK,
            TIE_FIRST,
            TIE_LAST,
            N_RETRIEVED,
            TOP_GRADE,
        )
        .collect()
    )


def _of_subtopics(frame: pl.DataFrame, given: pl.DataFrame) -> pl.DataFrame:
    """Join every judgment of a subtopic with the rank of its document."""
    grades = given.lazy().cast({QUERY_ID: pl.String}).sort(SUBTOPIC)
    return (
        frame.lazy()
        .drop(RELEVANCE)
        .join(grades, on=[QUERY_ID, DOC_ID], how="inner", maintain_order="left_right")
        .select(*frame.columns, SUBTOPIC)
        .collect()
    )


def _per_query(
    frame: pl.DataFrame, *, queries: str, no_relevant: str, failed: list[tuple[str, str]]
) -> pl.DataFrame:
    counts = (
        frame.lazy()
        .group_by(SYSTEM, QUERY_ID, maintain_order=True)
        .agg(
            pl.col(N_RETRIEVED).first(),
            (pl.col(RELEVANCE) > 0).sum().alias("n_relevant"),
            (pl.col(TIE_FIRST) < pl.col(TIE_LAST)).any().alias("tied"),
        )
    )
    counted = pl.lit(value=True)
    if queries == "intersection":
        counted &= (pl.col(N_RETRIEVED) > 0).all().over(QUERY_ID)
    if queries == "answered":
        counted &= pl.col(N_RETRIEVED) > 0
    if no_relevant == "skip":
        counted &= pl.col("n_relevant") > 0
    if failed:  # missing is not the same as answered with nothing
        schema = {SYSTEM: pl.String, QUERY_ID: pl.String}
        lost = pl.LazyFrame(failed, schema=schema, orient="row").unique()
        lost = lost.with_columns(pl.lit(value=True).alias("failed"))
        counts = counts.join(lost, on=[SYSTEM, QUERY_ID], how="left", maintain_order="left")
        counted &= pl.col("failed").is_null()
        return counts.with_columns(counted.alias("counted")).drop("failed").collect()
    return counts.with_columns(counted.alias("counted")).collect()


def _check_systems_are_no_queries(only: Mapping[str, list[str]]) -> None:
    """Refuse runs of one query each, which are named after it."""
    if all(queries == [system] for system, queries in only.items()):
        named = next(iter(only))
        raise DataError(
            f"Each run holds one query, whose name it has, such as {named!r}: are they the queries "
            f"of one system? Expected {{system: run}}. Join them: pl.concat(runs.values()) of "
            f"Polars, pd.concat(runs.values()) of pandas."
        )


def no_query_shared(
    run: Source, returned: pl.Series, qrels: Source, judged: pl.Series
) -> tuple[str, str]:
    """Say that a run has no judged query, and what to do.

    Parameters
    ----------
    run, qrels
        The sources.
    returned, judged
        Their queries.
    """
    run_query, judged_query = (ids.cast(pl.String).sort()[0] for ids in (returned, judged))
    with using_language(ENGLISH):  # as all errors
        found = query_spelling(judged, returned)
        fits = "" if found is None else fitting(found)
    text = (
        f"{run.name} has no query in common with {qrels.name}: one has queries such as "
        f"{run_query!r}, the other such as {judged_query!r}."
    )
    return text, fits or "Are they of the same collection?"
