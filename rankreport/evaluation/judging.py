"""The judged frame: judgments and runs joined, and the selection of queries.

By default the judgments define which queries are evaluated: a query that a run lacks scores 0 and
is reported; a query that only a run has is left out and counted; a query without a document of
positive grade scores 0. ``queries="answered"`` or ``"intersection"`` and ``no_relevant="skip"`` or
``"one"`` change this.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from rankreport.errors import DataError
from rankreport.evaluation.collapse import Collapse
from rankreport.evaluation.grades import grade_counts
from rankreport.evaluation.identifiers import fitting, query_spelling, sampled
from rankreport.evaluation.ranking import order_ties, rank_hits
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
from rankreport.io import Source, check, check_ranks, read_judgments
from rankreport.measures import TieRule
from rankreport.text import ENGLISH, using_language

__all__ = [
    "GRADES",
    "NO_RELEVANT",
    "PRECISION",
    "QUERIES",
    "Judged",
    "Look",
    "as_precise",
    "columns_of",
    "joined",
    "judge",
    "no_query_left",
    "no_query_shared",
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
    part: bool = False,
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
        Called with each system's name when it is done.
    part
        Whether these are the rows of some queries of larger sources (`joined`): they may then be
        empty, and no query need be left.

    Raises
    ------
    DataError
        If a source has invalid rows, or no query is left.
    """
    given = read_judgments(qrels, by_subtopic, empty=part)
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
    for order, (system, source) in enumerate(runs.items()):
        run = source.read(*columns_of(system, ties, collapse))
        lengths = check(run, source, repeated=collapse is not None, empty=part)
        n_ranked[system] = len(run)
        if collapse is not None:
            if not part:
                collapse.check(run, system, source)
            run = collapse.fold(run, system, source, by_rank=ties.by_rank)
            lengths = run.group_by(QUERY_ID).len(N_RETRIEVED)
            n_folded[system] = len(run)
        if ties.by_rank:
            check_ranks(run, source)
        run = as_precise(run, precision)
        of_system = [pl.lit(system).alias(SYSTEM), pl.lit(order).alias(_ORDER)]
        hits.append(rank_hits(run, keys, ties).select(*of_system, pl.exclude(_ORDER)).collect())
        judged_lengths = lengths.join(judged_queries, on=QUERY_ID, how="semi")
        n_unjudged_queries[system] = len(lengths) - len(judged_lengths)
        retrieved.append(judged_lengths.select(*of_system, QUERY_ID, N_RETRIEVED))
        looks[system] = _look(judgments, run, lengths, scored=source.scored and not ties.by_rank)
        advance(system)
    if not part:
        _check_systems_are_no_queries({name: look.queries for name, look in looks.items()})
        _check_some_query_is_shared(pl.concat(retrieved), qrels, runs)
    frame = _join(judgments, list(runs), pl.concat(hits), pl.concat(retrieved))
    failed = [(system, query) for system, run in runs.items() for query in run.failed]
    per_query = _per_query(frame, queries=queries, no_relevant=no_relevant, failed=failed)
    counted = per_query.lazy().filter("counted")
    kept = frame.lazy().join(counted, on=[SYSTEM, QUERY_ID], how="semi", maintain_order="left")
    ordered = order_ties(kept.collect(), ties)
    if ordered.is_empty() and not part:
        raise no_query_left(queries, no_relevant)
    top_grade = judgments.select(pl.col(RELEVANCE).max().fill_null(-math.inf)).item()
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


def joined(parts: Sequence[Judged], systems: Sequence[str]) -> Judged:
    """Join the results of `judge` for parts of the queries.

    Parameters
    ----------
    parts
        The results, each of other queries.
    systems
        The systems, in the order of the results.

    Raises
    ------
    DataError
        If no query is left.

    Examples
    --------
    >>> import rankreport as rr
    >>> of = [rr.evaluate({q: {"d": 1}}, {"mine": {q: ["d"]}})._origin.judged for q in ("b", "a")]
    >>> joined(of, ["mine"]).frame["query_id"].to_list()
    ['a', 'b']
    """
    grades = pl.concat([part.grades for part in parts]).group_by(RELEVANCE).agg(pl.sum("count"))
    subtopics = [part.subtopics for part in parts if part.subtopics is not None]
    top_grade = max(part.top_grade for part in parts)
    top = pl.lit(top_grade).alias(TOP_GRADE)
    return Judged(
        _in_order([part.frame for part in parts], systems).with_columns(top),
        _in_order([part.queries for part in parts], systems),
        _summed(part.n_unjudged_queries for part in parts),
        sum(part.n_judgments for part in parts),
        _summed(part.n_ranked for part in parts),
        top_grade,
        _in_order(subtopics, systems).with_columns(top) if subtopics else None,
        _summed(part.n_folded for part in parts),
        grades.sort(RELEVANCE),
        {system: _joined_look([part.looks[system] for part in parts]) for system in systems},
    )


def _in_order(frames: Iterable[pl.DataFrame], systems: Sequence[str]) -> pl.DataFrame:
    """Join frames of different queries, sorted by system and query; lists keep their order."""
    place = pl.col(SYSTEM).replace_strict(
        {system: place for place, system in enumerate(systems)}, return_dtype=pl.UInt32
    )
    return pl.concat(frames).sort(place, QUERY_ID, maintain_order=True)


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)


def _joined_look(looks: Sequence[Look]) -> Look:
    repeated = [look.n_repeated for look in looks if look.n_repeated is not None]
    judgments = pl.concat([look.judgments.cast({QUERY_ID: pl.String}) for look in looks])
    run = pl.concat([look.run.cast({QUERY_ID: pl.String}) for look in looks])
    queries = sampled(run[QUERY_ID], _QUERIES)
    some = pl.col(QUERY_ID).is_in(queries)
    return Look(
        sorted(query for look in looks for query in look.queries)[:2],
        sum(repeated) if repeated else None,
        pl.concat([look.unjudged_queries for look in looks]).sort(),
        len(queries),
        judgments.filter(some),
        run.filter(some),
    )


def _n_repeated(run: pl.DataFrame) -> int:
    """Return how many rows repeat a score of their query."""
    lists = run.lazy().group_by(QUERY_ID).agg(pl.col(SCORE).n_unique())
    return len(run) - int(lists.collect(engine="in-memory")[SCORE].sum())


_QUERIES = 50
_DEPTH = 20
"""Of how many queries the ids are compared, and of how many documents of each."""


def _look(
    judgments: pl.DataFrame, run: pl.DataFrame, lengths: pl.DataFrame, *, scored: bool
) -> Look:
    returned = lengths[QUERY_ID]
    judged = returned.is_in(judgments[QUERY_ID].unique().implode())
    queries = sampled(returned.filter(judged), _QUERIES)
    some = pl.col(QUERY_ID).is_in(pl.Series(queries, dtype=returned.dtype).implode())
    ordered = run.filter(some).sort(SCORE, descending=True, maintain_order=True)
    return Look(
        returned.head(2).cast(pl.String).to_list(),
        _n_repeated(run) if scored else None,
        returned.filter(~judged).cast(pl.String).sort(),
        len(queries),
        judgments.filter(some),
        ordered.filter(pl.int_range(pl.len()).over(QUERY_ID) < _DEPTH),
    )


def columns_of(system: str, ties: TieRule, collapse: Collapse | None) -> list[str]:
    """Return the columns that are needed of a system's run besides the usual ones."""
    return [
        *([RANK] if ties.by_rank else []),
        *(() if collapse is None else collapse.columns(system)),
    ]


def as_precise(run: pl.DataFrame, precision: str) -> pl.DataFrame:
    """Return a run with scores rounded to the precision in which they are compared."""
    if precision == "double":
        return run
    return run.with_columns(pl.col(SCORE).cast(pl.Float32).cast(pl.Float64))


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


def _check_some_query_is_shared(
    retrieved: pl.DataFrame, qrels: Source, runs: Mapping[str, Source]
) -> None:
    answered = set(retrieved[SYSTEM])
    without_judged = [system for system in runs if system not in answered]
    if without_judged:
        run = runs[without_judged[0]]
        found = no_query_shared(run, run.read()[QUERY_ID], qrels, qrels.read()[QUERY_ID])
        raise DataError(" ".join(found))


def no_query_left(queries: str, no_relevant: str) -> DataError:
    """Return the error for settings that leave no query."""
    return DataError(f"No query is left under queries={queries!r}, no_relevant={no_relevant!r}.")


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
