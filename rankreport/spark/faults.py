"""What is found in each bucket of rows that may be invalid: faults, and counts of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from rankreport.evaluation import (
    FromRuns,
    Judged,
    RunCounts,
    RunReader,
    UsableRows,
    facts_of_check,
    grade_counts,
    once_each,
    rules_of_folded,
)
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SCORE
from rankreport.io import RowCounts, RowFaults, Source
from rankreport.measures import TIES
from rankreport.spark.bucket_work import PLACE, BucketPlan

Faults = dict[str, RowFaults]
"""What is wrong with the rows of sources, by the names of these."""


def joined_faults(parts: Sequence[Faults]) -> Faults:
    """Join the faults of all buckets; the first rows are the first by query and document."""
    return {name: RowFaults.joined([part[name] for part in parts], PLACE) for name in parts[0]}


class Counted(NamedTuple):
    """What is counted of a bucket, or of all.

    Attributes
    ----------
    faults
        What is wrong with rows; conflicting grades are apart.
    grades
        How often each grade occurs in the judgments that can be used.
    rows, runs
        By system: what is wrong with rows, without these; counts of the rows that can be used.
    facts
        Of the judged documents, by name; none without systems.
    judged
        What was judged, without rows; none without systems.
    """

    faults: Faults
    grades: pl.DataFrame
    rows: Mapping[str, UsableRows]
    runs: Mapping[str, RunCounts]
    facts: Mapping[str, pl.DataFrame]
    judged: tuple[Judged, ...]

    @classmethod
    def joined(cls, parts: Sequence[Counted], plan: BucketPlan) -> Counted:
        """Join the counts of all buckets."""
        grades = pl.concat([part.grades for part in parts])
        judged = [each for part in parts for each in part.judged]
        systems = list(plan.systems)
        return cls(
            joined_faults([part.faults for part in parts]),
            grades.group_by(RELEVANCE).agg(pl.sum("count")).sort(RELEVANCE),
            {
                system: UsableRows.joined([part.rows[system] for part in parts])
                for system in systems
            },
            {system: RunCounts.joined([part.runs[system] for part in parts]) for system in systems},
            {
                fact.name: fact.joined([part.facts[fact.name] for part in parts], systems)
                for fact in facts_of_check(plan.measures, plan.primary)
                if judged
            },
            (Judged.joined(judged, systems),) if judged else (),
        )


class _Bucket(NamedTuple):
    """The rows of a bucket.

    Attributes
    ----------
    qrels, usable
        The judgments, and those that can be used.
    counts
        The counts of judgments.
    sources, runs
        By system, its run and the rows of it that can be used.
    """

    qrels: Source
    usable: pl.DataFrame
    counts: RowCounts
    sources: Mapping[str, Source]
    runs: Mapping[str, UsableRows]


@dataclass(frozen=True, eq=False)
class UsablePlan(BucketPlan):
    """What every bucket needs to know to use the rows that can be used, and leave out others."""

    def origin(self, runs: pl.DataFrame, qrels: pl.DataFrame) -> FromRuns:
        """Return the results of the rows of a bucket that can be used."""
        return _origin_of(self, _bucket_of(self, runs, qrels))


def _bucket_of(plan: BucketPlan, runs: pl.DataFrame, qrels: pl.DataFrame) -> _Bucket:
    """Find the rows that can be used."""
    source, sources = plan.judgments(qrels), plan.runs(runs)
    given = source.read()
    found = {}
    for system, run in sources.items():
        reader = RunReader(system, run, TIES[plan.settings["ties"]], collapse=plan.collapse)
        found[system] = reader.usable(run.read(*reader.columns))
    counts = RowCounts.of_rows(given, source)
    return _Bucket(source, source.usable(given), counts, sources, found)


def _origin_of(plan: BucketPlan, bucket: _Bucket) -> FromRuns:
    """Return the results of the rows of a bucket, which are folded already."""
    columns = [QUERY_ID, DOC_ID, SCORE, *([RANK] if TIES[plan.settings["ties"]].by_rank else [])]
    sources = {}
    for system, run in bucket.runs.items():
        # An evaluation would refuse these rows; they are reported of all buckets.
        rows = run.rows if run.misplaced.is_empty() else run.rows.clear()
        sources[system] = bucket.sources[system].of_rows(rows.select(columns))
    return FromRuns(
        bucket.qrels.of_rows(once_each(bucket.usable, plan.role.keys)),
        sources,
        rules_of_folded(plan.settings),
        top=plan.top_grade,
        part=True,
        most_names=plan.kept[0],
        n_looked_at=0,
    )


def faults_in(plan: BucketPlan, runs: pl.DataFrame, qrels: pl.DataFrame) -> Faults:
    """Find the faults of the rows of a bucket."""
    return _faults_of(plan, _bucket_of(plan, runs, qrels))


def _faults_of(plan: BucketPlan, bucket: _Bucket, *, conflicting: bool = False) -> Faults:
    """Find faults; conflicting grades may be found apart."""
    qrels, folds = bucket.qrels, plan.collapse is not None
    found = {qrels.name: RowFaults.of_source(qrels, [bucket.counts], conflicting=conflicting)}
    for system, run in bucket.runs.items():
        source = bucket.sources[system]
        found[source.name] = RowFaults.of_source(source, [run.counts], repeated=folds)
    return found


def counted_in(plan: BucketPlan, runs: pl.DataFrame, qrels: pl.DataFrame) -> Counted:
    """Count the rows of a bucket."""
    bucket = _bucket_of(plan, runs, qrels)
    faults = _faults_of(plan, bucket, conflicting=True)
    queries = bucket.usable[QUERY_ID].unique()
    counts = {
        system: RunCounts.of(RunCounts.lists_of(run.rows), queries, run.counts.n, plan.kept)
        for system, run in bucket.runs.items()
    }
    rows = {system: run.without_rows() for system, run in bucket.runs.items()}
    grades = grade_counts(bucket.usable)
    if not rows:
        return Counted(faults, grades, rows, counts, {}, ())
    origin = _origin_of(plan, bucket)
    facts = facts_of_check(plan.measures, plan.primary)
    of_documents = {fact.name: fact.find(origin) for fact in facts}
    judged = origin.judged.without_rows()
    without_queries = judged._replace(queries=judged.queries.clear())
    return Counted(faults, grades, rows, counts, of_documents, (without_queries,))
