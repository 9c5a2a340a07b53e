"""check() on Spark: what is wrong with judgments and runs, collecting no rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import polars as pl
from pyspark.sql import functions as f

from rankreport.call_hints import hinting
from rankreport.errors import DataError
from rankreport.evaluation import (
    CHECKED,
    DEFAULT_MEASURES,
    QUALITY,
    UNANSWERED,
    CheckedRun,
    DataCheck,
    Evaluation,
    Fact,
    Judged,
    RunReader,
    cautions_of_judgments,
    collapse_of,
    conclude,
    kept_of_each,
    limits_of,
    measures_of,
    opened,
    rules_of_folded,
    settled,
    unreadable,
)
from rankreport.frames import N_RETRIEVED, QUERY_ID, SYSTEM
from rankreport.io import QRELS, SUBTOPIC_QRELS, Role, Source
from rankreport.measures import TIES, Measure
from rankreport.spark import tables
from rankreport.spark.bucket_work import BucketPlan
from rankreport.spark.buckets import N_BUCKETS
from rankreport.spark.collecting import FromSpark, Rows, fault_of_subtopics
from rankreport.spark.evaluation import check_options
from rankreport.spark.faults import Counted, UsablePlan, counted_in
from rankreport.spark.folding import folding_faults
from rankreport.spark.tables import Runs, SparkTable, opened_by_subtopic, opened_runs, top_grade
from rankreport.text import Caution

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@hinting()
def check(
    qrels: DataFrame,
    runs: DataFrame | Mapping[str, DataFrame],
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    primary: str | Measure | None = None,
    profile: str | None = None,
    ties: str | None = None,
    queries: str | None = None,
    no_relevant: str | None = None,
    precision: str | None = None,
    subtopics: bool = False,
    collapse: str | None = None,
    document_of: Any = None,
    scale: tuple[float, float] | None = None,
    strict: bool = False,
    n_buckets: int = N_BUCKETS,
) -> DataCheck:
    """Check judgments and runs on Spark before any score is computed.

    It finds what `rankreport.check` finds, and says it in the same words. Rows are counted where
    they are: the first invalid ones come to the driver, names of up to about 50,000 queries that
    only one side has, and rows of up to 300 queries of each system, to compare their ids.

    Parameters
    ----------
    qrels, runs
        As for `evaluate`.
    measures, primary, profile, ties, queries, no_relevant, precision, subtopics, collapse, \
document_of, scale, strict
        As for `rankreport.check`. Rows on Spark have no order, so ``ties="input"`` is refused.
    n_buckets
        As for `evaluate`.

    Returns
    -------
    DataCheck
        The cautions, and counts for each system. A row is called by what it holds, and the first
        row is the first by query and document, as rows on Spark have no order. Whether judgments
        and a run are swapped is found from their numbers, not from the order of their rows.

    Raises
    ------
    MeasureError, OptionError
        As for `rankreport.check`.
    DataError
        If a column that should name the system of each row does not.

    Examples
    --------
    A server of Spark Connect, here without a JVM, and a session:

    >>> from pysail.spark import SparkConnectServer
    >>> from pyspark.sql import SparkSession
    >>> server = SparkConnectServer()
    >>> server.start(background=True)
    >>> address = "sc://{}:{}".format(*server.listening_address)
    >>> session = SparkSession.builder.remote(address).getOrCreate()

    Judgments, a run, and what is wrong with them:

    >>> from rankreport import spark
    >>> qrels = session.createDataFrame([("q1", "A-1", 1)], ["query_id", "doc_id", "relevance"])
    >>> rows = [("q1", "doc_A-1", 0.7), (None, "doc_A-2", 0.1)]
    >>> run = session.createDataFrame(rows, ["query_id", "doc_id", "score"])
    >>> found = spark.check(qrels, run, ["nDCG@10"])
    >>> for each in found.cautions[:2]:
    ...     print(each.text)
    run 'run', row 'null doc_A-2 0.1' has no query_id.
    run returned no judged document in the first 10 of any query.

    >>> session.stop()
    >>> server.stop()
    """
    settings = settled(
        profile, ties=ties, queries=queries, no_relevant=no_relevant, precision=precision
    )
    check_options(settings, n_buckets)
    chosen, first = measures_of(measures, primary, settings)
    limits = limits_of(scale)
    role = SUBTOPIC_QRELS if subtopics else QRELS
    found: list[Caution] = []
    judgments = opened(lambda: tables.opened("qrels", role, qrels), found)
    refused: dict[str, DataError] = {}
    given = _opened_runs(runs, refused)
    found += [unreadable(error, system) for system, error in refused.items()]
    systems = list(map(str, runs)) if isinstance(runs, Mapping) else list(refused)
    folding = None
    if given is not None:
        folding, _ = collapse_of(collapse, document_of, given.sources, settings["ties"])
        if folding is not None:
            also = {system: folding.columns(system) for system in given.sources}
            given = opened_runs(runs, None, also, {})
        known = judgments or _no_judgments(role, given)
    elif judgments is not None:
        known, given = judgments, Runs(judgments.rows.limit(0), {}, {})
    else:
        return conclude(systems, found, {}, None, None, strict=strict)
    top = top_grade(known)
    plan = UsablePlan(
        role,
        given.columns,
        chosen,
        first,
        settings,
        folding,
        drops_identical=False,
        top_grade=float("-inf") if top is None else top,
        kept=kept_of_each(n_buckets),
    )
    rows = Rows(given.rows, known.rows, plan, n_buckets)
    counts = _counted(rows)
    if judgments is not None:
        source = judgments.source
        faults, explained = counts.faults[source.name], None
        if faults.n and not subtopics:
            explained = fault_of_subtopics(rows, source, opened_by_subtopic(qrels))
        found += cautions_of_judgments(source, faults, explained, counts.grades, limits)
    checked = _checked_runs(given, plan, counts, None if top is None else known.source)
    usable = {system: of for system, run in checked.items() if (of := run.run_counts)}
    counts = counts._replace(runs=usable)
    evaluation = partial(_evaluation, known.source, given, rows, counts)
    return conclude(
        systems or list(checked),
        found,
        checked,
        None if top is None else evaluation,
        folding,
        strict=strict,
    )


def _opened_runs(runs: Any, refused: dict[str, DataError]) -> Runs | None:
    """Open the runs that can be opened, and take the errors of the others."""
    try:
        return opened_runs(runs, None, None, refused)
    except DataError:
        if not refused:
            raise
        return None


def _no_judgments(role: Role, given: Runs) -> SparkTable:
    """Return judgments without rows."""
    nothing = [f.lit(None).cast("string").alias(column) for column in role.columns]
    return tables.opened("qrels", role, given.rows.select(*nothing).limit(0))


def _checked_runs(
    given: Runs, plan: BucketPlan, counts: Counted, qrels: Source | None
) -> dict[str, CheckedRun]:
    """Say what is wrong with rows, and leave out runs that cannot be used."""
    folding, ties = plan.collapse, TIES[plan.settings["ties"]]
    unfolded = {} if folding is None else dict(folding_faults(given, folding))
    checked = {}
    for system, source in given.sources.items():
        run = CheckedRun(system, source, qrels, ties, counts.runs[system])
        rows = counts.rows[system]
        rows = rows._replace(unfolded=unfolded.get(system, rows.unfolded))
        reader = RunReader(system, source, ties, collapse=folding, part=True)
        if not run.check(counts.faults[source.name], reader, [rows]):
            run.run_counts = counts.runs[system].as_unusable()
        checked[system] = run
    return checked


def _evaluation(
    qrels: Source,
    given: Runs,
    rows: Rows,
    counts: Counted,
    systems: Sequence[str],
) -> Evaluation:
    """Return the evaluation of some systems, of which facts alone are collected.

    Parameters
    ----------
    qrels, given
        The judgments, and the runs.
    rows
        Their rows in buckets.
    counts
        What is counted of all systems.
    systems
        The systems.
    """
    plan = rows.plan
    runs = {system: counts.runs[system] for system in systems}
    if len(systems) < len(counts.runs):
        rows = _of_systems(rows, systems)
        counts = _counted(rows)
    rules = rules_of_folded(plan.settings)
    origin = FromCounted(
        qrels,
        {system: given.sources[system] for system in systems},
        rules,
        top=plan.top_grade,
        n_looked_at=CHECKED,
        spark=rows,
        counts=counts._replace(runs=runs),
    )
    return Evaluation(tuple(systems), plan.measures, plan.primary, rules, origin)


@dataclass(frozen=True, eq=False)
class FromCounted(FromSpark):
    """Results of rows on Spark that can be used, of which facts alone are collected.

    ``counts`` are the facts.
    """

    counts: Counted = field(kw_only=True)

    @cached_property
    def judged(self) -> Judged:
        """What is counted; the queries are those of which there are rows."""
        names = [
            (system, query, n_retrieved)
            for system, of in self.counts.runs.items()
            for n_retrieved, some in ((0, of.unanswered.names), (1, of.shared.some[QUERY_ID]))
            for query in some
        ]
        queries = pl.DataFrame(names, schema={**_LIST, N_RETRIEVED: pl.UInt32}, orient="row")
        some_are_left = self.counts.facts["quality"]["n_queries"].sum() > 0
        queries = queries.with_columns(counted=pl.lit(some_are_left))
        judged = self.counts.judged[0]._replace(queries=queries)
        judged.check_shared_queries(self.qrels, self.systems, self.settings)
        return self._looked_at(judged)

    def fact(self, fact: Fact) -> pl.DataFrame:
        """Return a fact of all buckets, or find one that follows from these."""
        held = self.counts.facts.get(fact.name)
        if held is None:
            return super().fact(fact)
        if fact.name == UNANSWERED.name:
            return held.explode(QUERY_ID)
        if fact.name == QUALITY.name:
            looks = self.judged.looks  # an error where no query is left
            # A bucket may have none but such queries.
            n_unjudged = {system: look.unjudged_queries.n for system, look in looks.items()}
            found = pl.col(SYSTEM).replace_strict(n_unjudged, return_dtype=pl.Int64)
            held = held.with_columns(n_unjudged=found)
        return fact.of(held)

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return no scores: they are not collected."""
        return pl.DataFrame(schema={**_LIST, **dict.fromkeys(map(str, measures), pl.Float64)})


_LIST = {SYSTEM: pl.String, QUERY_ID: pl.String}


def _counted(rows: Rows) -> Counted:
    """Count the rows in all buckets."""
    return Counted.joined(rows.find_in(partial(counted_in, rows.plan)), rows.plan)


def _of_systems(rows: Rows, systems: Sequence[str]) -> Rows:
    """Return the rows of some systems."""
    plan = replace(rows.plan, systems={system: rows.plan.systems[system] for system in systems})
    return replace(rows, plan=plan, runs=rows.runs.filter(f.col(SYSTEM).isin(list(systems))))
