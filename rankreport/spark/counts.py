"""What a check of data counts in each bucket, of the rows that can be used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import polars as pl

from rankreport.evaluation import (
    Fact,
    FromRuns,
    Judged,
    RunFacts,
    RunReader,
    UsableRows,
    facts_of_check,
    once_each,
    rules_of_folded,
)
from rankreport.frames import DOC_ID, QUERY_ID, RANK, SCORE, SYSTEM
from rankreport.io import Frame, Source, table_source
from rankreport.measures import TIES, Measure
from rankreport.spark.buckets import BucketPlan
from rankreport.spark.tables import INCOMPLETE


class Counted(NamedTuple):
    """What is counted of a bucket, or of all.

    Attributes
    ----------
    runs
        By system.
    facts
        Of the judged documents, by name.
    judged
        What was judged, without rows.
    repeated
        Whether a judged document is repeated in a query.
    """

    runs: Mapping[str, RunFacts]
    facts: Mapping[str, pl.DataFrame]
    judged: Judged
    repeated: bool

    @classmethod
    def joined(
        cls, parts: Sequence[Counted], facts: Iterable[Fact], systems: Sequence[str]
    ) -> Counted:
        """Join the counts of all buckets."""
        return cls(
            {system: RunFacts.joined([part.runs[system] for part in parts]) for system in systems},
            {
                fact.name: fact.joined([part.facts[fact.name] for part in parts], systems)
                for fact in facts
            },
            Judged.joined([part.judged for part in parts], systems),
            any(part.repeated for part in parts),
        )


class _Bucket(NamedTuple):
    """The rows of a bucket that can be used.

    Attributes
    ----------
    qrels
        The judgments, each document once.
    repeated
        Whether a document was repeated.
    sources, runs
        By system, its run and the rows of it.
    """

    qrels: Source
    repeated: bool
    sources: Mapping[str, Source]
    runs: Mapping[str, UsableRows]


@dataclass(frozen=True, eq=False)
class UsablePlan(BucketPlan):
    """What every bucket needs to know to use the rows that can be used, and leave out others."""

    def origin(self, runs: pl.DataFrame, qrels: pl.DataFrame) -> FromRuns:
        """Return the results of the rows of a bucket that can be used."""
        return _origin_of(self, _bucket_of(self, runs, qrels))


def _bucket_of(plan: BucketPlan, runs: pl.DataFrame, qrels: pl.DataFrame) -> _Bucket:
    """Return the rows that can be used."""
    given = qrels.filter(~pl.col(INCOMPLETE)).select(plan.role.columns)
    source = table_source("qrels", plan.role, Frame(given.lazy))
    usable = source.usable(source.read())
    judgments = once_each(usable, plan.role.keys)
    complete = runs.filter(~pl.col(INCOMPLETE))
    sources = {s: plan.run(s, complete.filter(pl.col(SYSTEM) == s)) for s in plan.systems}
    found = {}
    for system, run in sources.items():
        reader = RunReader(system, run, TIES[plan.settings["ties"]], collapse=plan.collapse)
        found[system] = reader.usable(run.read(*reader.columns))
    repeated = len(judgments) < len(usable)
    return _Bucket(source.of_rows(judgments), repeated, sources, found)


def _origin_of(plan: BucketPlan, bucket: _Bucket) -> FromRuns:
    """Return the results of the rows of a bucket, which are folded already."""
    columns = [QUERY_ID, DOC_ID, SCORE, *([RANK] if TIES[plan.settings["ties"]].by_rank else [])]
    sources = {}
    for system, run in bucket.runs.items():
        # An evaluation would refuse these rows; they are reported of all buckets.
        rows = run.rows if run.misplaced.is_empty() else run.rows.clear()
        sources[system] = bucket.sources[system].of_rows(rows.select(columns))
    rules = rules_of_folded(plan.settings)
    kept = plan.kept[0]
    return FromRuns(
        bucket.qrels, sources, rules, top=plan.top_grade, part=True, most_names=kept, n_looked_at=0
    )


def counted_in(
    plan: BucketPlan,
    primary: Measure,
    runs: pl.DataFrame,
    qrels: pl.DataFrame,
) -> Counted:
    """Count the rows of a bucket."""
    bucket = _bucket_of(plan, runs, qrels)
    queries = bucket.qrels.read()[QUERY_ID].unique()
    n_read = dict(runs.group_by(SYSTEM).len().iter_rows())
    lists = {system: RunFacts.lists_of(run.rows) for system, run in bucket.runs.items()}
    found = {
        system: RunFacts.of(lists[system], queries, n_read.get(system, 0), plan.kept)._replace(
            misplaced=run.misplaced.cast({QUERY_ID: pl.String, RANK: pl.Int64}),
            unfolded=() if run.unfolded is None else (run.unfolded,),
            repeated=run.repeated,
        )
        for system, run in bucket.runs.items()
    }
    origin = _origin_of(plan, bucket)
    facts = facts_of_check(plan.measures, primary)
    of_documents = {fact.name: fact.of(origin) for fact in facts}
    judged = origin.judged.without_rows()
    return Counted(
        found, of_documents, replace(judged, queries=judged.queries.clear()), bucket.repeated
    )
