"""check() on Spark: what is wrong with judgments and runs, collecting no rows."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import polars as pl
from pyspark.sql import functions as f

from rankreport.errors import DataError, hinting
from rankreport.evaluation import (
    DEFAULT_MEASURES,
    INVALID_ROWS,
    NO_SHARED_QUERIES,
    REPEATED,
    SHORT_LISTS,
    SWAPPED,
    UNREADABLE,
    DataCheck,
    Depth,
    Look,
    SourceRemark,
    Spelling,
    check_of,
    check_systems_are_no_queries,
    collapse_of,
    common_spelling,
    conflicting_grades,
    data_cautions,
    data_notes,
    depth_of,
    finding,
    judged_shares,
    limits_of,
    measures_of,
    nearly_equal,
    no_query_left,
    no_query_shared,
    numbers_of,
    of_copies,
    of_positions,
    query_spelling,
    rated,
    remark_of,
    rows_folded,
    settled,
    short_among,
    swap_remarks,
    table_of_runs,
    unusual_grades_of,
)
from rankreport.frames import MEASURE, N_RETRIEVED, QUERY_ID, RELEVANCE, SCORE, SYSTEM
from rankreport.io import (
    QRELS,
    SUBTOPIC_QRELS,
    Layout,
    Remark,
    Source,
    of_subtopics,
    rank_error,
)
from rankreport.measures import TIES, Measure
from rankreport.spark.buckets import Plan
from rankreport.spark.counts import (
    SAMPLED,
    Counted,
    Judging,
    RunCounts,
    Sample,
    alike_in,
    counted_in,
    joined_counts,
    joined_samples,
    n_names,
    n_sampled,
    sampled_in,
)
from rankreport.spark.evaluation import N_BUCKETS, check_options
from rankreport.spark.faults import (
    Fault,
    are_of_subtopics,
    folding_faults,
    no_rows,
    repeated_rows,
    row_faults,
)
from rankreport.spark.origin import Rows
from rankreport.spark.tables import (
    INCOMPLETE,
    Runs,
    Table,
    opened,
    opened_by_subtopic,
    opened_runs,
)
from rankreport.text import Caution, worst_first

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
    only one side has, and documents of up to 300 queries of each system, to compare their ids.

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
        and a run are swapped is told from their numbers alone, not from the order of their rows.

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
    layout = SUBTOPIC_QRELS if subtopics else QRELS
    found: list[Caution] = []
    judgments = _opened_judgments(qrels, layout, found)
    folding = None
    given, refused = _opened_runs(runs)
    found += [_unreadable(error, system) for system, error in refused.items()]
    if given is not None:
        folding, _ = collapse_of(collapse, document_of, given.sources, settings["ties"])
        if folding is not None:
            also = {system: folding.columns(system) for system in given.sources}
            given = opened_runs(runs, None, also, {})
    by_subtopic = None if subtopics else opened_by_subtopic(qrels)
    grades = pl.DataFrame(schema={RELEVANCE: pl.Float64, "count": pl.Int64})
    invalid: list[Fault] = []
    if judgments is not None:
        grades = _grade_counts(judgments)
        invalid = list(row_faults(judgments, {"": judgments.source}))
    named = list(map(str, runs)) if isinstance(runs, Mapping) else list(refused)
    if given is None:
        if judgments is not None:
            found += _of_judgments(judgments, by_subtopic, grades, invalid, repeated=True)
            found += unusual_grades_of(grades, limits)
        return check_of(found, (), {}, (), table_of_runs(named, {}, None), strict=strict)
    top = None if grades.is_empty() else float(grades[RELEVANCE][-1])
    highest = float("-inf") if top is None else top
    plan = Plan(
        layout, given.columns, chosen, settings, folding, drops_identical=False, top_grade=highest
    )
    known = judgments is not None and top is not None
    of = judgments if known and judgments is not None else _no_judgments(given, layout)
    rows = Rows(given.rows, of.rows, plan, n_buckets)
    counted = _counted(rows, first)
    if judgments is not None:
        twice = counted.repeated
        found += _of_judgments(judgments, by_subtopic, grades, invalid, repeated=twice)
        found += unusual_grades_of(grades, limits)
    checked = _Checked.of(
        given, rows, first, of.source, counted=counted, invalid=invalid, judged=known
    )
    found += checked.fault()
    for system in given.sources:
        found += checked.of_rows(system)
    rule = "" if folding is None else folding.rule
    n_rows = {system: (each.n_read, each.n_rows) for system, each in checked.counts.items()}
    systems = named or list(given.sources)
    counts = {system: checked.described(system) for system in given.sources}
    return check_of(
        found,
        checked.cautions(),
        {system: checked.of_documents(system) for system in given.sources},
        () if folding is None else rows_folded(n_rows, rule),
        table_of_runs(systems, counts, checked.coverage),
        strict=strict,
    )


def _opened_judgments(qrels: Any, layout: Layout, found: list[Caution]) -> Table | None:
    try:
        return opened("the qrels", layout, qrels)
    except DataError as error:
        found.append(_unreadable(error, None))
        return None


def _opened_runs(runs: Any) -> tuple[Runs | None, dict[str, DataError]]:
    """Open the runs that can be opened, and return the errors of the others."""
    refused: dict[str, DataError] = {}
    try:
        return opened_runs(runs, None, None, refused), refused
    except DataError:
        if not refused:
            raise
        return None, refused


def _unreadable(error: DataError, system: str | None) -> Caution:
    kind = SWAPPED if "swapped?" in str(error) else UNREADABLE
    return finding(kind, "stop", str(error), system)


def _grade_counts(judgments: Table) -> pl.DataFrame:
    """Return how often each grade occurs in valid rows, the lowest first: ``relevance, count``."""
    grade = f.col(RELEVANCE)
    valid = ~f.col(INCOMPLETE) & ~f.isnan(grade) & (f.abs(grade) != f.lit(float("inf")))
    counts = judgments.rows.filter(valid).groupBy(RELEVANCE).count()
    return pl.DataFrame(counts.toArrow()).sort(RELEVANCE)


def _of_judgments(
    judgments: Table,
    by_subtopic: Table | None,
    grades: pl.DataFrame,
    faults: Sequence[Fault],
    *,
    repeated: bool,
) -> Iterator[Caution]:
    """Report what is wrong with judgments by themselves; documents may be repeated."""
    source, own = judgments.source, {"": judgments.source}
    invalid = _told(faults)
    several = repeated_rows(judgments, own) if repeated else {False: {}, True: {}}
    same, different = (several[conflict].get("") for conflict in (False, True))
    if (same or different) and not invalid and are_of_subtopics(by_subtopic):
        yield finding(REPEATED, "stop", str(of_subtopics(source)), None)
        return
    yield from (finding(INVALID_ROWS, "stop", str(each.error), None) for each in invalid)
    if same:
        yield finding(REPEATED, "stop", str(same.error(source)), None)
    if different:
        numbered = different.rows.lazy()
        yield from conflicting_grades(
            different.documents(source.layout),
            replace(source, numbered=lambda: numbered),
            different.n_documents,
        )
    if grades.is_empty() and not invalid:
        yield finding(INVALID_ROWS, "stop", str(no_rows(source)), None)


def _told(faults: Sequence[Fault]) -> Sequence[Fault]:
    """Return the faults that a check tells: a mark before a query only if there is no other."""
    return [each for each in faults if each.kind != "marked"] or faults


def _marked(faults: Iterable[Fault]) -> list[DataError]:
    """Return the errors that an evaluation raises although all rows could be used."""
    return [each.error for each in faults if each.kind == "marked"]


def _no_judgments(given: Runs, layout: Layout) -> Table:
    """Return judgments without rows."""
    nothing = f.lit(None)
    texts = [nothing.cast("string").alias(key) for key in layout.keys]
    grade = nothing.cast("double").alias(layout.value)
    rows = given.rows.select(*texts, grade).limit(0)
    return opened("the qrels", layout, rows)


def _run_faults(
    given: Runs, repeated: Container[str], *, folded: bool
) -> tuple[dict[str, list[Caution]], list[Fault]]:
    """Return what is wrong with rows of runs by themselves, by system, and each row by itself."""
    found: dict[str, list[Caution]] = {system: [] for system in given.sources}
    every: list[Fault] = []
    for table, systems in given.tables:
        sources = {system: given.sources[system] for system in systems}
        invalid: dict[str, list[Fault]] = {}
        for each in row_faults(table, sources):
            invalid.setdefault(each.system, []).append(each)
            every.append(each)
        twice = (folded and invalid) or any(system in repeated for system in systems)
        several = repeated_rows(table, sources)[False] if twice else {}
        for system, source in sources.items():
            told = _told(invalid.get(system, ()))
            found[system] += [
                finding(INVALID_ROWS, "stop", str(each.error), system) for each in told
            ]
            if system in several and (told or not folded):
                text = str(several[system].error(source))
                found[system].append(finding(REPEATED, "stop", text, system))
    return found, every


@dataclass(frozen=True, eq=False)
class _Checked:
    """Runs that were opened, and what is counted of them.

    Attributes
    ----------
    given, rows
        The runs, and their rows in buckets.
    primary
        The primary measure.
    qrels, judged
        The source of the judgments, and whether there are any.
    faults
        What is wrong with rows of each system.
    counts
        The counts of each system; of one whose rows cannot be used at all, without these.
    judging
        The counts of judged documents; None if no system has any, or no query is left.
    no_query
        Why no query is left, if so.
    """

    given: Runs
    rows: Rows
    primary: Measure
    qrels: Source
    judged: bool
    faults: Mapping[str, list[Caution]]
    counts: Mapping[str, RunCounts]
    judging: Judging | None
    no_query: str

    @classmethod
    def of(
        cls,
        given: Runs,
        rows: Rows,
        primary: Measure,
        qrels: Source,
        *,
        counted: Counted,
        invalid: Sequence[Fault],
        judged: bool,
    ) -> _Checked:
        """Look at what was counted, and count the documents of judged systems where some are not.

        Parameters
        ----------
        given, rows, primary, qrels, judged
            As of the attributes.
        counted
            What was counted of all systems.
        invalid
            What is wrong with rows of the judgments.
        """
        folding, counts, judging = rows.plan.collapse, dict(counted.runs), counted.judging
        repeated = {system for system, of in counts.items() if of.repeated}
        faults, invalid_runs = _run_faults(given, repeated, folded=folding is not None)
        unfolded = {} if folding is None else dict(folding_faults(given, folding))
        for system, source in given.sources.items():
            of = counts[system]
            errors = [unfolded[system]] if system in unfolded else list(of.unfolded)
            if not errors and not of.misplaced.is_empty():
                errors = [rank_error(source, of.misplaced)]
            if not of.n_read:
                errors = [no_rows(source)]
            told = (finding(INVALID_ROWS, "stop", str(error), system) for error in errors[:1])
            faults[system].extend(told)
            if errors:
                counts[system] = of.without_rows()
        shared = [system for system, of in counts.items() if of.shared.n]
        if not judged or not shared:
            return cls(given, rows, primary, qrels, judged, faults, counts, None, "")
        if len(shared) < len(counts):
            judging = _counted(_of_systems(rows, shared), primary).judging
        try:
            of_shared = [each for each in invalid_runs if each.system in shared]
            for error in _marked([*invalid, *of_shared]):
                raise error
            check_systems_are_no_queries({system: counts[system].queries for system in shared})
            if not judging.quality["n_queries"].sum():
                rules = rows.plan.settings
                raise no_query_left(rules["queries"], rules["no_relevant"])
        except DataError as error:
            return cls(given, rows, primary, qrels, judged, faults, counts, None, str(error))
        return cls(given, rows, primary, qrels, judged, faults, counts, judging, "")

    @property
    def systems(self) -> list[str]:
        """The systems that are evaluated."""
        return [system for system, of in self.counts.items() if of.shared.n]

    @property
    def coverage(self) -> pl.DataFrame | None:
        """The share unjudged, as of an evaluation."""
        return None if self.judging is None else self.judging.coverage

    def fault(self) -> Iterator[Caution]:
        """Report that no query is left."""
        if self.no_query:
            yield finding(NO_SHARED_QUERIES, "stop", self.no_query, None)

    def of_rows(self, system: str) -> Iterator[Caution]:
        """Report what is wrong with rows and queries of a system."""
        yield from self.faults[system]
        of = self.counts[system]
        if not self.judged or not of.n_rows:
            return
        if not of.shared.n:
            run = self.given.sources[system]
            text, remedy = no_query_shared(run, of.extra.names, self.qrels, of.unanswered.names)
            yield finding(NO_SHARED_QUERIES, "stop", text, system, remedy=remedy)
        elif of.extra.n:
            spelling = query_spelling(of.unanswered.names, of.extra.names)
            yield from nearly_equal(system, "queries", of.extra.n, spelling)

    def of_documents(self, system: str) -> Iterator[Caution]:
        """Report ids of documents that are spelled differently."""
        n = len(self._sampled.get(system, ()))
        yield from nearly_equal(system, "documents", n, self.spellings.get(system))

    @cached_property
    def _sampled(self) -> dict[str, list[str]]:
        """Some judged queries of each system."""
        return {
            system: of.shared.some[QUERY_ID].head(SAMPLED).to_list()
            for system, of in self.counts.items()
            if self.judged and of.shared.n
        }

    @cached_property
    def samples(self) -> dict[str, Sample]:
        """Documents of these queries."""
        if not self._sampled:
            return {}
        every = sorted({query for queries in self._sampled.values() for query in queries})
        rows = _of_systems(self.rows, list(self._sampled)).of_queries(every)
        parts = rows.find_in(partial(sampled_in, rows.plan, self._sampled))
        return {
            system: joined_samples([part[system] for part in parts]) for system in self._sampled
        }

    @cached_property
    def spellings(self) -> dict[str, Spelling]:
        """How the ids of documents would match, of systems of which more would."""
        found: dict[str, Spelling] = {}
        for system, sample in self.samples.items():
            spelling = common_spelling(sample.judged, sample.returned)
            found |= {} if spelling is None else {system: spelling}
        return found

    def described(self, system: str) -> dict[str, Any]:
        """Return the counts of a system for the table of runs."""
        of = self.counts[system]
        if not of.n_rows:
            return {}
        lengths = of.lengths["length"]
        upto = of.lengths["n"].cum_sum()
        n = int(upto[-1])
        middle = [int(lengths[upto.search_sorted(k)]) for k in ((n + 1) // 2, n // 2 + 1)]
        judged = {"n_missing": of.unanswered.n, "n_extra": of.extra.n} if self.judged else {}
        return {
            "n_rows": of.n_rows,
            "n_queries": n,
            "shortest": int(lengths[0]),
            "median": sum(middle) / 2,
            "longest": int(lengths[-1]),
            "tied": 1 - of.n_scores / of.n_rows if self._ordered_by_score(system) else None,
            **judged,
        }

    def _ordered_by_score(self, system: str) -> bool:
        by_rank = TIES[self.rows.plan.settings["ties"]].by_rank
        return self.given.sources[system].scored and not by_rank

    def cautions(self) -> list[Caution]:
        """Return what an evaluation says of the judged documents, and its notes on data."""
        if self.judging is None:
            return []
        of, plan = self.judging, self.rows.plan
        apart = {"collapse", "document_of"}  # rows are counted when they are folded
        rules = {name: rule for name, rule in plan.settings.items() if name not in apart}
        n_extra = {system: self.counts[system].extra.n for system in self.systems}
        quality = of.quality.with_columns(
            pl.col(SYSTEM).replace_strict(n_extra, return_dtype=pl.Int64).alias("n_unjudged")
        )
        coverage = of.coverage.filter(pl.col(MEASURE) == str(self.primary))
        unmatched = [s for s, share in judged_shares(quality, coverage).items() if share == 0]
        remarks = list(self._remarks())
        found = worst_first(
            data_cautions(
                plan.measures,
                self.primary,
                settings=rules,
                quality=quality,
                unanswered=of.unanswered,
                ranked_alone=[s for s in self.systems if not self.given.sources[s].scored],
                top_grade=plan.top_grade,
                positives_only=bool((of.grades > 0).all()),
                depths={
                    system: Depth(longest, 0, 0)
                    for system, longest in of.lists.select(SYSTEM, N_RETRIEVED).iter_rows()
                },
                ties=of.ties,
                coverage=coverage,
                undefined=of.undefined,
                short=self._short(),
                spellings={s: self.spellings[s] for s in unmatched if s in self.spellings},
                remarks=remarks,
                of_judgments="stop",
            )
        )
        return [*found, *data_notes(found, remarks, rules["ties"])]

    def _short(self) -> pl.DataFrame:
        """Return the systems of which some lists are short, as an evaluation does."""
        of = self.judging
        if of is None:
            return pl.DataFrame(schema=SHORT_LISTS)
        return short_among(of.lists, of.quality, depth_of(self.primary))

    def _remarks(self) -> Iterator[SourceRemark]:
        """Yield what an evaluation says of judgments and runs beside the figures."""
        of = self.judging
        if of is None:
            return
        named = any(remark.code == "rating" for remark in self.qrels.remarks)
        of_judgments = (remark for remark in self.qrels.remarks if remark.code != "rating")
        yield from (remark_of(None, remark) for remark in of_judgments)
        for remark in rated(of.grades, self.rows.plan.top_grade, named=named):
            yield remark_of(None, remark)
        for system, n_scored, same in of.copies.select(SYSTEM, "n_scored", "same").iter_rows():
            counts = self.counts[system]
            n = max(of.n_judgments, counts.n_rows)
            alike = bool(same) and n_scored == counts.n_rows and n_scored > _FEW
            scored = self._ordered_by_score(system)
            yield from swap_remarks(
                system,
                self._look(system),
                n,
                same=alike and scored,
                labelled=False,
            )
        for system in self.systems:
            own = self.given.sources[system].remarks
            yield from (remark_of(system, remark) for remark in own)
            counts = self.counts[system]
            n = counts.n_rows - counts.n_scores
            if self._ordered_by_score(system) and n:
                yield remark_of(system, Remark("equal_scores", n, (str(counts.n_rows),)))
        yield from of_positions({s: self.counts[s].positions for s in self.systems})
        for system in self.systems:
            extra = self.counts[system].extra
            if extra.n:
                yield remark_of(system, Remark("extra_queries", extra.n, tuple(extra.first)))
        yield from self._copies(of)

    def _look(self, system: str) -> Look:
        """Return what tells judgments from a run, but for the order of rows, which there is not."""
        sample = self.samples[system]
        grades, scores = (
            numbers_of(rows, value).without_order
            for rows, value in ((sample.judgments, RELEVANCE), (sample.run, SCORE))
        )
        none = pl.Series(QUERY_ID, [], pl.String)
        known = self._ordered_by_score(system)
        n = len(self._sampled[system])
        positions = self.counts[system].positions
        scores_known = scores if known else None
        return Look(
            [], None, none, n, sample.judgments, sample.run, grades, scores_known, positions
        )

    def _copies(self, judging: Judging) -> Iterator[SourceRemark]:
        """Yield a remark for each system with the same documents in the same order as another."""
        key = {
            s: (k, self.counts[s].n_rows)
            for s, k in judging.copies.select(SYSTEM, "key").iter_rows()
        }
        pairs = [pair for pair in combinations(key, 2) if key[pair[0]] == key[pair[1]]]
        if not pairs:
            return
        rows = _of_systems(self.rows, list(key))
        found = rows.find_in(partial(alike_in, rows.plan, pairs))
        alike = {pair for place, pair in enumerate(pairs) if all(part[place] for part in found)}
        yield from of_copies(key, lambda one, other: (one, other) in alike)


_FEW = 2
"""Of so few rows it says nothing that scores are grades."""


def _counted(rows: Rows, primary: Measure) -> Counted:
    """Count the rows in all buckets."""
    kept = (n_names(rows.n_buckets), n_sampled(rows.n_buckets))
    parts = rows.find_in(partial(counted_in, rows.plan, primary, kept))
    return joined_counts(parts, list(rows.plan.systems), primary)


def _of_systems(rows: Rows, systems: Sequence[str]) -> Rows:
    """Return the rows of some systems."""
    plan = replace(rows.plan, systems={system: rows.plan.systems[system] for system in systems})
    return replace(rows, plan=plan, runs=rows.runs.filter(f.col(SYSTEM).isin(list(systems))))
