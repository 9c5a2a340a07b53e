"""check() and `DataCheck`: what is wrong with judgments and runs, before any score.

All faults are listed, not the first alone. Rows that no evaluation can use are left out, and the
rest is judged by the cautions of an evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import polars as pl

from rankreport import io
from rankreport.call_hints import hinting
from rankreport.errors import DataError, OptionError, SubtopicsError, SwappedError, brief
from rankreport.evaluation.cautions import (
    CONFLICTING_GRADES,
    INVALID_ROWS,
    MOST_EXAMPLES,
    NO_SHARED_QUERIES,
    REPEATED,
    SAME_SCORES,
    SWAPPED,
    UNREADABLE,
    UNUSUAL_GRADES,
    rows_folded,
    unusual,
)
from rankreport.evaluation.collapse import Collapse, collapse_of
from rankreport.evaluation.counted_queries import no_query_shared
from rankreport.evaluation.evaluation import Evaluation
from rankreport.evaluation.grades import grade_counts, once_each
from rankreport.evaluation.memory import bytes_of, in_slices
from rankreport.evaluation.not_in_corpus import with_corpus
from rankreport.evaluation.options import DEFAULT_MEASURES, measures_of, settled
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.quality import cautions_of_means
from rankreport.evaluation.query_names import CHECKED
from rankreport.evaluation.remarks import of_grades, of_these_grades
from rankreport.evaluation.run_counts import RunCounts
from rankreport.evaluation.slices import RunReader, UsableRows
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SCORE, SYSTEM
from rankreport.labels import Labels
from rankreport.measures import TIES, Measure, TieRule
from rankreport.progress import stage
from rankreport.tables import Block, Displayed, Sentences, Table, to_table
from rankreport.text import (
    Caution,
    CautionKind,
    comma_separated,
    counted,
    say,
    tallied,
    worst_first,
)

SCHEMA = 1
"""The version of the JSON."""

_COLUMNS: Mapping[str, Any] = {
    SYSTEM: pl.String(),
    "n_rows": pl.Int64(),
    "n_queries": pl.Int64(),
    "n_missing": pl.Int64(),
    "n_extra": pl.Int64(),
    "shortest": pl.Int64(),
    "median": pl.Float64(),
    "longest": pl.Int64(),
    "tied": pl.Float64(),
}


@dataclass(frozen=True, eq=False, repr=False)
class DataCheck(Displayed, io.FromFiles):
    """What is wrong with judgments and runs.

    Attributes
    ----------
    strict
        Whether what is to be looked at fails the check too.
    files
        The files that it was read from, which no output of it replaces.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> old, new = {"q1": ["b", "a"], "q2": ["b"]}, {"q1": ["a", "b"], "q2": ["b"]}
    >>> found = rr.check(qrels, {"new": new})
    >>> [(each.severity, each.code) for each in found.cautions]
    [('note', 'mostly_positive')]
    """

    _found: tuple[Caution, ...]
    strict: bool
    _systems: pl.DataFrame = field(repr=False)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What was found, the worst first."""
        return tuple(each.in_current_language() for each in self._found)

    @property
    def passed(self) -> bool:
        """Whether nothing was found of severity stop; if strict, nor of severity look."""
        fails = {"stop", "look"} if self.strict else {"stop"}
        return not any(caution.severity in fails for caution in self.cautions)

    @property
    def exit_code(self) -> int:
        """The exit code of the command line: 0 if passed, else 1."""
        return 0 if self.passed else 1

    def table(self) -> pl.DataFrame:
        """Return counts that describe the runs.

        Returns
        -------
        DataFrame
            One row per system: ``system``; ``n_rows`` that can be used, folded if they are;
            ``n_queries`` returned, ``n_missing``, the judged queries without a result, ``n_extra``,
            the queries without judgments; ``shortest, median, longest``, the number of documents
            per query; ``tied``, the share of rows that repeat a score of their query; ``judged@k``
            for the cut-offs of the measures, the mean share of the first k documents that are
            judged. Null where that is not known.
        """
        return self._systems

    def to_polars(self) -> pl.DataFrame:
        """Return the cautions: ``severity, code, text, remedy, line`` (String), ``count`` (Int64).

        ``line`` is code of the remedy, empty if it needs none.
        """
        fields = ("severity", "code", "text", "remedy", "line", "count")
        rows = [[getattr(caution, name) for name in fields] for caution in self.cautions]
        schema = {**dict.fromkeys(fields, pl.String), "count": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def _shown(self) -> Table:
        """Return the counts as a table for display."""
        names = {
            SYSTEM: say("system"),
            "n_rows": say("rows"),
            "n_queries": say("queries"),
            "n_missing": say("unanswered"),
            "n_extra": say("without judgments"),
            "shortest": say("shortest"),
            "median": say("median"),
            "longest": say("longest"),
            "tied": say("with ties"),
        }
        headers = tuple(names.get(name, name) for name in self._systems.columns)
        shown = self._systems.with_columns(pl.col("median").round().cast(pl.Int64))
        return to_table(shown, headers=headers)

    @property
    def headline(self) -> str:
        """The number of cautions of each severity, in words."""
        if not self.cautions:
            return say("Data checks passed")
        return say("Data checks: {found}", found=tallied(self.cautions))

    def _answer(self) -> Iterable[Block]:
        """Return the number of cautions."""
        return [Sentences(bold=self.headline)]

    @io.text_export(".json")
    def to_json(self) -> str:
        """Return the cautions and the counts as JSON; ``schema`` is its version."""
        return io.json_of(
            io.plain(
                {
                    "schema": SCHEMA,
                    "passed": self.passed,
                    "strict": self.strict,
                    "cautions": [asdict(caution) for caution in self.cautions],
                    "systems": self._systems.to_dicts(),
                }
            )
        )


@hinting()
@stage("checking")
@io.keeping_files
def check(
    qrels: Any,
    runs: Any,
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
    corpus: Any = None,
    scale: tuple[float, float] | None = None,
    strict: bool = False,
    memory_limit: int | str | None = None,
) -> DataCheck:
    """Check judgments and runs before any score is computed.

    Unlike `evaluate`, which raises an error for the first fault, it lists all of them. Rows that
    cannot be used are left out of the other checks.

    Parameters
    ----------
    qrels, runs, measures, primary, profile, ties, queries, no_relevant, precision
        As for `evaluate`. The measures say how deep lists have to be, and at which cut-offs the
        share judged is reported.
    subtopics, collapse, document_of, corpus
        As for `evaluate`.
    scale
        The lowest and highest grade that there should be. Without it, a few grades far above all
        others are reported.
    strict
        Whether cautions of severity look fail the check too.
    memory_limit
        As for `evaluate`: larger runs are read in slices, with the same findings.

    Returns
    -------
    DataCheck
        The cautions, and counts for each system.

    Raises
    ------
    MeasureError
        As for `evaluate`.
    OptionError
        As for `evaluate`, or if ``scale`` is no pair of numbers. What is wrong with the data is a
        caution, also if a source cannot be opened.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {"q1": {"A-1": 1, "A-2": 0}}
    >>> found = rr.check(qrels, {"mine": {"q1": {"doc_A-1": 2, "doc_A-2": 1}}})
    >>> [(each.severity, each.code) for each in found.cautions]
    [('stop', 'nothing_judged')]
    >>> found.cautions[0].remedy.partition(". ")[0]
    "Judged 'A-1', returned 'doc_A-1': strip 'doc_' from the run"
    """
    settings = settled(
        profile, ties=ties, queries=queries, no_relevant=no_relevant, precision=precision
    )
    chosen, first = measures_of(measures, primary, settings)
    given = io.named_runs(runs)
    io.check_standard_input(qrels, *given.values())
    role = io.SUBTOPIC_QRELS if subtopics else io.QRELS
    labels = qrels if isinstance(qrels, Labels) else None
    found: list[Caution] = [] if labels is None else list(labels.cautions)
    judgments = opened(lambda: io.open_source(qrels, role, "qrels"), found)
    if judgments is not None and len(names := io.datasets_named(judgments)) > 1:
        raise OptionError(f"check() takes one data set at a time; found {', '.join(names)}.")
    sources: dict[str, io.Source] = {}
    for system, run in given.items():
        sources |= io.opened_runs(system, run, lambda run, name: _opened_run(name, run, found))
    folding, sources = collapse_of(collapse, document_of, sources, settings["ties"])
    settings |= {} if folding is None else folding.settings
    # Standard input cannot be read again.
    once = subtopics or io.is_standard_input(qrels)
    by_subtopic = None if once else partial(io.open_source, qrels, io.SUBTOPIC_QRELS)
    ids = None
    if judgments is not None:
        opened_with = opened(partial(with_corpus, judgments, corpus, folding), found)
        judgments, ids = opened_with or (judgments, None)
    limits = limits_of(scale)
    with suppress(DataError):  # a run that cannot be read is found to be so below
        limit = bytes_of(memory_limit)
        _, sources = in_slices(judgments, sources, limit, len(chosen), whole=True)
    clean_qrels = None
    if judgments is not None:
        meant = labels is not None
        clean_qrels = _usable_judgments(
            judgments, by_subtopic, limits, found, fractions_meant=meant
        )
    checked = {
        name: _Run(name, source, clean_qrels, TIES[settings["ties"]], folding=folding)
        for name, source in sources.items()
    }
    rules = rules_of_folded(settings)

    def evaluation(usable: io.Source, names: Sequence[str]) -> Evaluation:
        runs = {name: checked[name].clean for name in names}
        origin = FromRuns(usable, runs, rules, labels=labels, n_looked_at=CHECKED, ids=ids)
        return Evaluation(tuple(runs), tuple(chosen), first, rules, origin)

    evaluate = None if clean_qrels is None else partial(evaluation, clean_qrels)
    return conclude(
        [*dict.fromkeys([*given, *sources])], found, checked, evaluate, folding, strict=strict
    )


def rules_of_folded(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of an evaluation of rows that are folded already."""
    return {n: rule for n, rule in settings.items() if n not in {"collapse", "document_of"}}


def conclude(
    systems: Sequence[str],
    found: Iterable[Caution],
    checked: Mapping[str, CheckedRun],
    evaluation: Callable[[Sequence[str]], Evaluation] | None,
    folding: Collapse | None,
    *,
    strict: bool,
) -> DataCheck:
    """Return the check of runs that were opened.

    Parameters
    ----------
    systems
        The systems, also those whose runs cannot be opened.
    found
        What was found of the judgments and when sources were opened.
    checked
        The runs.
    evaluation
        Returns the evaluation of some of them, of the rows that can be used; None without
        judgments.
    folding
        How rows are folded.
    strict
        As of `DataCheck`.
    """
    every = list(found)
    made, fault = _evaluated(checked, evaluation)
    if fault:
        every.append(_finding(NO_SHARED_QUERIES, "stop", fault, None))
    for each in checked.values():
        each.read()
        every += [*each.found, *each.of_queries()]
    known = [] if made is None else cautions_of_means(made, of_judgments="stop")
    # There may be a scale of grades, and scores are not checked.
    apart = {UNUSUAL_GRADES.code, SAME_SCORES.code}
    every += [each for each in known if each.code not in apart]
    if folding is not None:
        n_rows = {
            name: (of.n_read, of.n_rows)
            for name, each in checked.items()
            if (of := each.run_counts)
        }
        every += rows_folded(n_rows, folding.rule)
    counts = {name: each.counts() for name, each in checked.items()}
    table = table_of_runs(systems, counts, None if made is None else made.coverage())
    return DataCheck(worst_first(dict.fromkeys(every)), strict, table)


def _evaluated(
    checked: Mapping[str, CheckedRun], evaluation: Callable[[Sequence[str]], Evaluation] | None
) -> tuple[Evaluation | None, str]:
    """Evaluate the runs that have a judged query.

    Returns
    -------
    evaluation
        None if none has, or no query is left.
    fault
        Why no query is left, if so.
    """
    names = [name for name, each in checked.items() if each.run_counts is None or each.n_shared]
    while evaluation is not None and names:
        made = evaluation(names)
        try:
            _ = made.quality
        except DataError as error:  # a run has no judged query, or the settings leave none
            for each in checked.values():
                each.read()
            shared = [name for name, each in checked.items() if each.n_shared]
            if shared == names:
                return None, str(error)
            names = shared
        else:
            return made, ""
    return None, ""


def limits_of(given: Any) -> tuple[float, float] | None:
    """Return the lowest and the highest grade of a scale, if there is one.

    Raises
    ------
    OptionError
        If it is no pair of numbers.
    """
    if given is None:
        return None
    try:
        low, high = map(float, given)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not low <= high:
        raise OptionError(
            f"scale={brief(given)} is not a lowest and a highest grade, such as (0, 3)."
        )
    return low, high


_Opened = TypeVar("_Opened")


def opened(
    open_source: Callable[[], _Opened], found: list[Caution], system: str | None = None
) -> _Opened | None:
    """Open a source; if that is not possible, add a caution."""
    try:
        return open_source()
    except DataError as error:
        found.append(unreadable(error, system))
        return None


def unreadable(error: DataError, system: str | None) -> Caution:
    """Return the caution on a source that cannot be opened, or stands for another one."""
    kind = SWAPPED if isinstance(error, SwappedError) else UNREADABLE
    return _finding(kind, "stop", str(error), system)


def _opened_run(name: str, run: Any, found: list[Caution]) -> io.Source | None:
    return opened(lambda: io.open_source(run, io.RUN, f"run {name!r}"), found, name)


def _finding(
    kind: CautionKind, severity: Any, text: str, system: str | None, **more: Any
) -> Caution:
    """Return a caution that concerns a system, or the judgments if that is None."""
    concerns = [] if system is None else [[system]]
    return kind.caution(severity, text, concerns=concerns, **more)


def faulty(error: DataError, system: str | None, *, repeated: bool = False) -> Caution:
    """Return the caution on rows that are invalid, or repeat another one."""
    return _finding(REPEATED if repeated else INVALID_ROWS, "stop", str(error), system)


def _faults_of(
    source: io.Source, faults: io.RowFaults, system: str | None = None
) -> Iterator[Caution]:
    """Yield all faults of the rows of a source."""
    for kind, error in faults.errors(source):
        yield faulty(error, system, repeated=kind == "repeated")


def _usable_judgments(
    source: io.Source,
    by_subtopic: Any,
    scale: tuple[float, float] | None,
    found: list[Caution],
    *,
    fractions_meant: bool,
) -> io.Source | None:
    """Return the judgments that can be used, if any, and add what is wrong with others."""
    try:
        rows = source.read()
    except DataError as error:
        found.append(_finding(UNREADABLE, "stop", str(error), None))
        return None
    faults, of_subtopics = io.RowFaults(len(rows)), None
    try:
        io.read_judgments(source.of_rows(rows), by_subtopic)
    except SubtopicsError as error:
        of_subtopics = error
    except DataError:
        counts = [io.RowCounts.of_rows(rows, source)]
        faults = io.RowFaults.of_source(source, counts, conflicting=True)
    usable = source.usable(rows)
    found += cautions_of_judgments(
        source, faults, of_subtopics, grade_counts(usable), scale, fractions_meant=fractions_meant
    )
    clean = once_each(usable, source.role.keys)
    return None if clean.is_empty() else source.of_rows(clean)


def cautions_of_judgments(
    source: io.Source,
    faults: io.RowFaults,
    of_subtopics: DataError | None,
    grades: pl.DataFrame,
    scale: tuple[float, float] | None,
    *,
    fractions_meant: bool = False,
) -> Iterator[Caution]:
    """Report what is wrong with judgments by themselves.

    Parameters
    ----------
    source
        The judgments.
    faults
        Their faults, with documents of different grades apart.
    of_subtopics
        The error of judgments of subtopics that are read as others, which explains their faults.
    grades
        How often each grade occurs, the lowest first.
    scale
        The lowest and the highest grade, if they are known.
    fractions_meant
        As of `rankreport.evaluation.grades.unusual_grades`.
    """
    if of_subtopics is not None:
        yield faulty(of_subtopics, None, repeated=True)
    else:
        yield from _faults_of(source, faults)
        if io.CONFLICTING in faults.n:
            documents = faults.first[io.CONFLICTING]
            yield _conflicting_grades(documents, source.unit, faults.n[io.CONFLICTING])
    yield from _unusual_grades_of(grades, scale, fractions_meant=fractions_meant)


def _conflicting_grades(documents: pl.DataFrame, unit: str, n: int) -> Caution:
    """Report n documents with different grades, of which the first are given."""
    first = documents.row(0, named=True)
    named = comma_separated([str(each) for each in first[io.POSITIONS][:MOST_EXAMPLES]])
    text = say(
        "{documents} with different grades, such as {document} of query {query}: {grades} "
        "({places}).",
        documents=counted(n, "judged document", "judged documents"),
        document=repr(first[DOC_ID]),
        query=repr(first[QUERY_ID]),
        grades=comma_separated([f"{grade:g}" for grade in first[RELEVANCE]]),
        places=say("lines {places}", places=named)
        if unit == "line"
        else say("rows {places}", places=named),
    )
    examples = documents[DOC_ID].head(MOST_EXAMPLES).to_list()
    return CONFLICTING_GRADES.caution("stop", text, count=n, examples=examples)


def _unusual_grades_of(
    counts: pl.DataFrame, scale: tuple[float, float] | None, *, fractions_meant: bool
) -> Iterator[Caution]:
    """Report grades that are not on the scale, alone above all others, negative or fractional."""
    if scale is None:
        yield from map(unusual, of_grades(counts, fractions_meant=fractions_meant))
        return
    low, high = scale
    outside = counts.filter(~pl.col(RELEVANCE).is_between(low, high))
    if not outside.is_empty():
        n = int(counts["count"].sum())
        yield unusual(of_these_grades(outside, n, "off scale", low=low, high=high))


@dataclass(eq=False)
class CheckedRun:
    """A system's run, and what is found of it.

    Attributes
    ----------
    name, source
        The system, and its run.
    qrels
        The judgments that can be used, if there are any.
    ties
        The tie rule.
    run_counts
        The counts of its rows, once they are known.
    found
        What is wrong with its rows.
    """

    name: str
    source: io.Source
    qrels: io.Source | None
    ties: TieRule
    run_counts: RunCounts | None = None
    found: list[Caution] = field(default_factory=list)

    def read(self) -> None:
        """Find these, unless they are known."""

    def check(self, faults: io.RowFaults, reader: RunReader, parts: Sequence[UsableRows]) -> bool:
        """Add what is wrong with rows, and return whether others can be folded and ordered.

        Parameters
        ----------
        faults
            The faults of all rows.
        reader, parts
            How the run is read, and what was found of each part of its queries.
        """
        self.found += _faults_of(self.source, faults, self.name)
        try:
            reader.check_lists(parts)
        except DataError as error:
            self.found.append(faulty(error, self.name))
            return False
        return True

    @property
    def n_shared(self) -> int:
        """The number of judged queries."""
        return 0 if self.run_counts is None or self.qrels is None else self.run_counts.shared.n

    def of_queries(self) -> Iterator[Caution]:
        """Report that no query is judged, and how the ids of queries are spelled."""
        of = self.run_counts
        if of is not None and self.qrels is not None and of.n_rows and not of.shared.n:
            names = of.extra.names, self.qrels, of.unanswered.names
            text, remedy, line = no_query_shared(self.name, self.source, *names)
            yield _finding(NO_SHARED_QUERIES, "stop", text, self.name, remedy=remedy, line=line)

    def counts(self) -> dict[str, Any]:
        """Return the counts for the table of runs."""
        of = self.run_counts
        if of is None or not of.n_rows:
            return {}
        ordered = self.source.scored and not self.ties.by_rank
        judged = {"n_missing": of.unanswered.n, "n_extra": of.extra.n}
        return {
            "n_rows": of.n_rows,
            "n_queries": int(of.lengths["n"].sum()),
            "shortest": of.lengths["length"][0],
            "median": of.median_length,
            "longest": of.lengths["length"][-1],
            "tied": 1 - of.n_scores / of.n_rows if ordered else None,
            **({} if self.qrels is None else judged),
        }


@dataclass(eq=False)
class _Run(CheckedRun):
    """A run that is read here, in slices if it must be, and checked when it is first read.

    Attributes
    ----------
    folding
        How rows are folded.
    """

    folding: Collapse | None = None
    _valid: bool = True
    _usable: bool = True

    @property
    def clean(self) -> io.Source:
        """The run without the rows that cannot be used, to be read by an evaluation."""
        reader = self._reader
        if self.source.partition is not None:
            self.read()  # what is wrong with a slice decides on the rows of all
            preparation = io.Preparation(tuple(reader.columns), self._used)
            return replace(self.source, preparation=preparation)
        columns = (QUERY_ID, DOC_ID, SCORE, *([RANK] if self.ties.by_rank else []))
        return self.source.with_rows(lambda: self._rows().lazy(), columns)

    @property
    def _reader(self) -> RunReader:
        return RunReader(self.name, self.source, self.ties, collapse=self.folding)

    def read(self) -> None:
        """Check the run, unless it was read."""
        if self.run_counts is None:
            self._first_read()

    def _rows(self) -> pl.DataFrame:
        """Return the rows of a run that is read at once."""
        if self.run_counts is None:
            return self._first_read()
        return self._used(self.source.read(*self._reader.columns))

    def _used(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the rows that can be used."""
        if not self._usable:
            return rows.clear()
        reader = self._reader
        return reader.prepared(rows) if self._valid else reader.usable(rows).rows

    def _first_read(self) -> pl.DataFrame:
        """Check the run slice by slice, as if it were read at once; return the last rows."""
        reader = self._reader
        parts: list[UsableRows] = []
        lists, rows = [_NO_LISTS], _NO_ROWS
        try:
            for given in self.source.slices(*reader.columns):
                part = reader.usable(given)
                rows = part.rows
                lists.append(RunCounts.lists_of(rows))
                parts.append(part.without_rows())
                del given, part  # before the next slice is read
        except DataError as error:
            self.found.append(_finding(UNREADABLE, "stop", str(error), self.name))
            self._usable, parts = False, []
        else:
            self._check(parts)
        judged = _NO_LISTS if self.qrels is None else self.qrels.read()
        self.run_counts = RunCounts.of(
            pl.concat(lists if self._usable else [_NO_LISTS]),
            judged[QUERY_ID].unique(),
            sum(part.counts.n for part in parts),
        )
        return rows if self._usable else rows.clear()

    def _check(self, parts: Sequence[UsableRows]) -> None:
        """Say what is wrong with rows."""
        counts = [part.counts for part in parts]
        self._valid = all(each.valid for each in counts)
        folds = self.folding is not None
        faults = io.RowFaults.of_source(self.source, counts, repeated=folds)
        usable = self.source.with_rows(
            lambda: self.source.usable(self.source.scans[-1]()), self.source.columns
        )
        self._usable = self.check(faults, self._reader._replace(source=usable), parts)


_NO_LISTS = pl.DataFrame(
    schema={QUERY_ID: pl.String, "length": pl.get_index_type(), "n_scores": pl.get_index_type()}
)
_NO_ROWS = pl.DataFrame(
    schema={QUERY_ID: pl.Categorical, DOC_ID: pl.String, SCORE: pl.Float64, RANK: pl.Int64}
)


def table_of_runs(
    systems: Sequence[str],
    counts: Mapping[str, Mapping[str, Any]],
    coverage: pl.DataFrame | None,
) -> pl.DataFrame:
    """Return the frame of `DataCheck.table`.

    Parameters
    ----------
    systems
        The systems.
    counts
        The counts of each system, by column; none if they are not known.
    coverage
        As of `rankreport.Evaluation.coverage`, if there is an evaluation.
    """
    shares: dict[str, dict[str, float]] = {}
    columns: dict[str, None] = {}
    if coverage is not None:
        cut = coverage.filter(pl.col("k").is_not_null())
        for system, _, k, unjudged in cut.iter_rows():
            columns[f"judged@{k}"] = None
            if unjudged is not None:
                shares.setdefault(system, {})[f"judged@{k}"] = 1 - unjudged
    rows = [{SYSTEM: s, **counts.get(s, {}), **shares.get(s, {})} for s in systems]
    return pl.DataFrame(rows, schema={**_COLUMNS, **dict.fromkeys(columns, pl.Float64())})
