"""check() and `DataCheck`: what is wrong with judgments and runs, before any score.

All faults are listed, not the first alone. Rows that no evaluation can use are left out, and the
rest is judged by the cautions of an evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar

import polars as pl

from rankreport import io
from rankreport.errors import DataError, OptionError, brief, hinting
from rankreport.evaluation.cautions import (
    CONFLICTING_GRADES,
    INVALID_ROWS,
    NEARLY_EQUAL_IDS,
    NO_SHARED_QUERIES,
    NOTHING_JUDGED,
    REPEATED,
    SAME_SCORES,
    SWAPPED,
    UNREADABLE,
    UNUSUAL_GRADES,
    nearly_equal,
    outstanding,
    rows_folded,
    unusual,
)
from rankreport.evaluation.collapse import Collapse, collapse_of
from rankreport.evaluation.evaluation import DEFAULT_MEASURES, Evaluation
from rankreport.evaluation.grades import grade_counts, unusual_grades
from rankreport.evaluation.identifiers import (
    document_spelling,
    query_spelling,
    sampled,
)
from rankreport.evaluation.judging import no_query_shared
from rankreport.evaluation.memory import bytes_of, in_slices
from rankreport.evaluation.options import (
    check_standard_input,
    is_standard_input,
    measures_of,
    named_runs,
    settled,
)
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.slices import RunReader, columns_of
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
    labelled,
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

_NAMED = 5


@dataclass(frozen=True, eq=False, repr=False)
class DataCheck(Displayed, io.FromFiles):
    """What is wrong with judgments and runs.

    Attributes
    ----------
    strict
        Whether what is to be looked at fails the check too.
    files
        The files that it was read from, which no output of it replaces.
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
        """Return the cautions: ``severity, code, text, remedy`` (String), ``count`` (Int64)."""
        fields = ("severity", "code", "text", "remedy", "count")
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

    def _above(self) -> Iterable[Block]:
        """Return the headline and the cautions, which are the result."""
        found = map(labelled, self.cautions)
        return [Sentences(bold=self.headline), Sentences(tuple(found), listed=True)]

    def _below(self) -> Iterable[Block]:
        return []

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
    subtopics, collapse, document_of
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
    >>> found.cautions[0].remedy
    "Judged 'A-1', returned 'doc_A-1': strip 'doc_' from the run. Then 2 of at most 2 ids match."
    """
    settings = settled(
        profile, ties=ties, queries=queries, no_relevant=no_relevant, precision=precision
    )
    chosen, first = measures_of(measures, primary, settings)
    given = named_runs(runs)
    check_standard_input(qrels, *given.values())
    layout = io.SUBTOPIC_QRELS if subtopics else io.QRELS
    labels = qrels if isinstance(qrels, Labels) else None
    found: list[Caution] = [] if labels is None else list(labels.cautions)
    judgments = _opened(qrels, layout, "the qrels", found)
    opened = {
        name: source
        for name, run in given.items()
        if (source := _opened(run, io.RUN, f"run {name!r}", found, name)) is not None
    }
    folding, opened = collapse_of(collapse, document_of, opened, settings["ties"])
    settings |= {} if folding is None else folding.settings
    rule = TIES[settings["ties"]]
    # Standard input cannot be read again.
    once = subtopics or is_standard_input(qrels)
    by_subtopic = None if once else partial(io.open_source, qrels, io.SUBTOPIC_QRELS)
    limits = limits_of(scale)
    with suppress(DataError):  # a run that cannot be read is found to be so below
        limit = bytes_of(memory_limit)
        _, opened = in_slices(judgments, opened, limit, len(chosen), whole=True)
    clean_qrels = None
    if judgments is not None:
        meant = labels is not None
        clean_qrels = _Judgments.read(judgments, by_subtopic, limits, found, fractions_meant=meant)
    checked = {
        name: _Run(name, source, clean_qrels, rule, folding) for name, source in opened.items()
    }
    made, fault = _evaluated(clean_qrels, checked, chosen, first, settings, labels=labels)
    if fault:
        found.append(finding(NO_SHARED_QUERIES, "stop", fault, None))
    for each in checked.values():
        each.read()
        found += each.found
    n_rows = {each.name: [each.n_read, each.n_rows] for each in checked.values()}
    counts = {name: _counts(of) for name, of in checked.items()}
    return check_of(
        found,
        ()
        if made is None
        else [*made._cautions_of_means(of_judgments="stop"), *made._data_notes()],
        {each.name: each.of_documents for each in checked.values()},
        () if folding is None else rows_folded(n_rows, folding.rule),
        table_of_runs(list(given), counts, None if made is None else made.coverage()),
        strict=strict,
    )


def check_of(
    found: Iterable[Caution],
    known: Sequence[Caution],
    of_documents: Mapping[str, Iterable[Caution]],
    of_folding: Iterable[Caution],
    systems: pl.DataFrame,
    *,
    strict: bool,
) -> DataCheck:
    """Return the check of data of which all is found.

    Parameters
    ----------
    found
        What was found of rows, grades and queries.
    known
        The cautions of an evaluation of the rows that can be used, and its notes on data.
    of_documents
        What was found of each system's ids of documents; left out of systems without a judged one.
    of_folding
        How many rows were folded.
    systems, strict
        As of `DataCheck`.
    """
    unmatched = {s for c in known if c.code == NOTHING_JUDGED.code for (s,) in c.concerns}
    # Some are known better of whole runs, and scores are not checked.
    apart = {UNUSUAL_GRADES.code, NEARLY_EQUAL_IDS.code, SAME_SCORES.code}
    every = [*found, *(each for each in known if each.code not in apart)]
    for system, cautions in of_documents.items():
        every += [] if system in unmatched else cautions
    every += of_folding
    return DataCheck(worst_first(dict.fromkeys(every)), strict, systems)


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


def _opened(
    given: Any, layout: Any, name: str, found: list[Caution], system: str | None = None
) -> io.Source | None:
    """Open a source; if that is not possible, add a caution."""
    try:
        return io.open_source(given, layout, name)
    except DataError as error:
        kind = SWAPPED if "swapped?" in str(error) else UNREADABLE
        found.append(finding(kind, "stop", str(error), system))
        return None


def finding(
    kind: CautionKind, severity: Any, text: str, system: str | None, **more: Any
) -> Caution:
    """Return a caution that concerns a system, or the judgments if that is None."""
    concerns = [] if system is None else [[system]]
    return kind.caution(severity, text, concerns=concerns, **more)


def _faulty(source: io.Source, error: DataError | None, system: str | None) -> Iterator[Caution]:
    """Yield all faults of the rows of a source, of which one may be known."""
    several = list(io.faults(source)) or ([] if error is None else [("invalid", error)])
    for kind, each in several:
        yield finding(REPEATED if kind == "repeated" else INVALID_ROWS, "stop", str(each), system)


_Rows = TypeVar("_Rows", pl.DataFrame, pl.LazyFrame)


def usable_rows(rows: _Rows, source: io.Source) -> _Rows:
    """Return the rows that have ids and a finite number."""
    named = pl.all_horizontal(pl.col(key).is_not_null() for key in source.layout.keys)
    return rows.filter(named & pl.col(source.layout.value).is_finite())


def once_each(usable: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return judgments with each document once, under its highest grade."""
    if not usable.select(keys).is_duplicated().any():
        return usable
    best = usable.sort(RELEVANCE, descending=True, maintain_order=True)
    return best.unique(keys, keep="first", maintain_order=True)


def source_of_rows(source: io.Source, rows: pl.DataFrame) -> io.Source:
    """Return a source over rows that were read."""
    return replace(source, scans=(rows.lazy,), columns=tuple(rows.columns), extended=None)


@dataclass(frozen=True, eq=False)
class _Judgments:
    """Judgments without the rows that cannot be used."""

    source: io.Source
    rows: pl.DataFrame

    @classmethod
    def read(
        cls,
        source: io.Source,
        by_subtopic: Any,
        scale: Any,
        found: list[Caution],
        *,
        fractions_meant: bool,
    ) -> _Judgments | None:
        try:
            rows = source.read()
        except DataError as error:
            found.append(finding(UNREADABLE, "stop", str(error), None))
            return None
        usable = usable_rows(rows, source)
        conflicting = _conflicting(usable, source)
        try:
            io.read_judgments(source_of_rows(source, rows), by_subtopic)
        except DataError as error:
            if "subtopics=True" in str(error):
                found.append(finding(REPEATED, "stop", str(error), None))
                conflicting = conflicting.clear()
            elif conflicting.is_empty():
                found += _faulty(source, error, None)
            else:
                found += _faulty(_without(source, conflicting), None, None)
        found += conflicting_grades(conflicting, source, len(conflicting))
        found += unusual_grades_of(grade_counts(usable), scale, fractions_meant=fractions_meant)
        clean = once_each(usable, source.layout.keys)
        return None if clean.is_empty() else cls(source_of_rows(source, clean), clean)

    @property
    def queries(self) -> pl.Series:
        return self.rows[QUERY_ID].unique()


def _conflicting(rows: pl.DataFrame, source: io.Source) -> pl.DataFrame:
    """Return the keys of documents with different grades, and these."""
    return (
        rows.lazy()
        .group_by(source.layout.keys, maintain_order=True)
        .agg(pl.col(RELEVANCE).unique().sort())
        .filter(pl.col(RELEVANCE).list.len() > 1)
        .with_columns(pl.col(QUERY_ID).cast(pl.String))
        .collect()
    )


def _without(source: io.Source, keys: pl.DataFrame) -> io.Source:
    """Return a source whose faults are not those of the rows with these keys."""
    on = list(source.layout.keys)

    def numbered() -> pl.LazyFrame:
        return source.numbered().join(keys.lazy(), on=on, how="anti", maintain_order="left")

    return replace(source, numbered=numbered)


def conflicting_grades(conflicting: pl.DataFrame, source: io.Source, n: int) -> Iterator[Caution]:
    """Report documents with different grades, and the rows of the first.

    Parameters
    ----------
    conflicting
        The keys of the first documents, and the list of their grades.
    source
        The judgments, whose numbered rows hold those of the first document.
    n
        The number of these documents.
    """
    if conflicting.is_empty():
        return
    first = conflicting.row(0, named=True)
    same = (pl.col(key) == first[key] for key in source.layout.keys)
    places = source.numbered().filter(*same).collect()[io.POSITION].head(_NAMED)
    named = comma_separated([str(each) for each in places])
    text = say(
        "{documents} with different grades, such as {document} of query {query}: {grades} "
        "({places}).",
        documents=counted(n, "judged document", "judged documents"),
        document=repr(first[DOC_ID]),
        query=repr(first[QUERY_ID]),
        grades=comma_separated([f"{grade:g}" for grade in first[RELEVANCE]]),
        places=say("lines {places}", places=named)
        if source.unit == "line"
        else say("rows {places}", places=named),
    )
    yield CONFLICTING_GRADES.caution(
        "stop", text, count=n, examples=conflicting[DOC_ID].head(_NAMED).to_list()
    )


def unusual_grades_of(
    counts: pl.DataFrame, scale: tuple[float, float] | None, *, fractions_meant: bool = False
) -> Iterator[Caution]:
    """Report grades that are not on the scale, alone above all others, negative or fractional.

    Parameters
    ----------
    counts
        How often each grade occurs, the lowest first.
    scale
        The lowest and the highest grade, if they are known.
    fractions_meant
        As of `rankreport.evaluation.grades.unusual_grades`.
    """
    n = int(counts["count"].sum())
    if scale is None:
        for what, grades in unusual_grades(counts, fractions_meant=fractions_meant):
            yield unusual(what, *_named_grades(grades, n))
        return
    low, high = scale
    outside = counts.filter(~pl.col(RELEVANCE).is_between(low, high))
    if not outside.is_empty():
        text = say("not on the scale from {low} to {high}", low=f"{low:g}", high=f"{high:g}")
        yield outstanding(text, "stop", *_named_grades(outside, n))


def _named_grades(grades: pl.DataFrame, n: int) -> tuple[tuple[int, int], list[str], int]:
    named = [f"{grade:g}" for grade in grades[RELEVANCE].head(_NAMED)]
    return (int(grades["count"].sum()), n), named, len(grades)


@dataclass(eq=False)
class _Run:
    """A system's run, which is checked when it is first read.

    Attributes
    ----------
    name, source
        The system, and its run.
    qrels
        The judgments, if there are any.
    rule, folding
        The tie rule, and how rows are folded.
    found
        What was found.
    lists
        ``query_id``, the number of documents ``n``, and of different scores ``n_scores``.
    n_shared
        The number of judged queries.
    n_read, n_rows
        The number of rows, and of those that can be used, folded if they are.
    of_documents
        What was found of ids of documents, unless none is judged.
    """

    name: str
    source: io.Source
    qrels: _Judgments | None
    rule: TieRule
    folding: Collapse | None
    found: list[Caution] = field(default_factory=list)
    lists: pl.DataFrame | None = None
    n_shared: int = 0
    n_read: int = 0
    n_rows: int = 0
    of_documents: list[Caution] = field(default_factory=list)
    _usable: Literal["all", "some", "none"] = "all"

    @property
    def clean(self) -> io.Source:
        """The run without the rows that cannot be used, to be read by an evaluation."""
        if self.source.partition is not None:
            self.read()  # what is wrong with a slice decides on the rows of all
            return replace(self.source, preparation=io.Preparation(self._columns, self._prepared))
        columns = tuple(
            column
            for column in (QUERY_ID, DOC_ID, SCORE, RANK)
            if column != RANK or self.rule.by_rank
        )
        return replace(
            self.source,
            scans=(lambda: self._rows().lazy(),),
            columns=columns,
            extended=None,
        )

    @property
    def _columns(self) -> tuple[str, ...]:
        return tuple(columns_of(self.name, self.rule, self.folding))

    def read(self) -> None:
        """Check the run, unless it was read."""
        if self.lists is not None:
            return
        if self.source.partition is None:
            self._rows()
        else:
            self._read_slices()

    def _rows(self) -> pl.DataFrame:
        first = self.lists is None
        empty = pl.DataFrame(
            schema={QUERY_ID: pl.Categorical, DOC_ID: pl.String, SCORE: pl.Float64, RANK: pl.Int64}
        )
        found: list[Caution] = []
        try:
            rows = self.source.read(*self._columns)
        except DataError as error:
            found.append(finding(UNREADABLE, "stop", str(error), self.name))
            rows = empty
        else:
            rows = self._cleaned(rows, found)
        if first:
            self.found += found
            self._look_at([_lists_of(rows)], rows.filter)
        return rows

    def _cleaned(self, rows: pl.DataFrame, found: list[Caution]) -> pl.DataFrame:
        """Return the rows that can be used, folded."""
        source, folding = self.source, self.folding
        self.n_read = len(rows)
        try:
            io.check(rows, source, repeated=folding is not None)
        except DataError as error:
            if self.lists is None:
                found += _faulty(source, error, self.name)
            rows = usable_rows(rows, source)
            if folding is None:
                rows = _ONCE.fold(rows, self.name, source, by_rank=self.rule.by_rank)
        if folding is not None:
            try:
                folding.check(rows, self.name, source)
                rows = folding.fold(rows, self.name, source, by_rank=self.rule.by_rank)
            except DataError as error:
                found.append(finding(INVALID_ROWS, "stop", str(error), self.name))
                return rows.clear()
        if self.rule.by_rank:
            try:
                io.check_ranks(rows, source)
            except DataError as error:
                found.append(finding(INVALID_ROWS, "stop", str(error), self.name))
                return rows.clear()
        return rows

    def _read_slices(self) -> None:
        """Check a run that is read in slices, as if it were read at once."""
        source, counts = self.source, []
        separated = self.folding is None
        try:
            for rows in source.slices(*self._columns):
                counts.append(io.count_rows(rows, source, repeated=self.folding is not None))
                if self.folding is not None and not separated:
                    separated = self.folding.separates(usable_rows(rows, source), self.name)
        except DataError as error:
            self.found.append(finding(UNREADABLE, "stop", str(error), self.name))
            self._usable = "none"
            self._look_at([])
            return
        self.n_read = sum(each.n for each in counts)
        try:
            io.check_counts(counts, source)
        except DataError as error:
            self.found += _faulty(source, error, self.name)
            self._usable = "some"
        try:
            lists = self._lists_in_slices(separated=separated)
        except DataError as error:
            self.found.append(finding(INVALID_ROWS, "stop", str(error), self.name))
            self._usable, lists = "none", []
        self._look_at(lists, self._rows_in_slices)

    def _lists_in_slices(self, *, separated: bool) -> list[pl.DataFrame]:
        """Return the lists of the rows that can be used, of each slice.

        Raises
        ------
        DataError
            If rows cannot be folded or ordered.
        """
        source = self.source
        if self._usable == "some":
            source = replace(source, scans=(lambda: usable_rows(self.source.scans[-1](), source),))
        reader = RunReader(self.name, source, self.rule, collapse=self._folds)
        if self.folding is not None and not separated:
            self.folding.check(reader.first_row(), self.name, source)
        lists, misplaced = [], []
        for rows in self.source.slices(*self._columns):
            try:
                used = self._prepared(rows)
            except DataError as error:
                raise reader.not_folded(error) from None
            if self.rule.by_rank:
                misplaced.append(io.faulty_rank(used))
            lists.append(_lists_of(used))
            del rows, used  # before the next slice is read
        if first := [each for each in misplaced if not each.is_empty()]:
            raise io.rank_error(source, reader.first_of(first))
        return lists

    def _rows_in_slices(self, some: pl.Expr) -> pl.DataFrame:
        return pl.concat(list(self.clean.slices(of_these=some)))

    @property
    def _folds(self) -> Collapse | None:
        """How rows are folded; of repeated ones, which are a fault otherwise, one counts."""
        return _ONCE if self.folding is None and self._usable == "some" else self.folding

    def _prepared(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of some queries that can be used, folded, of a run in slices."""
        if self._usable == "none":
            return rows.clear()
        used = rows if self._usable == "all" else usable_rows(rows, self.source)
        if self._folds is None:
            return used
        return self._folds.fold(used, self.name, self.source, by_rank=self.rule.by_rank)

    def _look_at(
        self,
        lists: Sequence[pl.DataFrame],
        rows_of: Callable[[pl.Expr], pl.DataFrame] = lambda _: pl.DataFrame(),
    ) -> None:
        """Check the rows that can be used.

        Parameters
        ----------
        lists
            The lists of all slices.
        rows_of
            Returns the rows of some queries.
        """
        self.lists = pl.concat([_NO_LISTS, *lists])
        self.n_rows = int(self.lists["n"].sum())
        if not self.n_rows or self.qrels is None:
            return
        judged, returned = self.qrels.queries, self.lists[QUERY_ID]
        shared = returned.filter(returned.is_in(judged.implode()))
        self.n_shared = len(shared)
        self.found += self._of_queries(self.qrels, judged, returned)
        if self.n_shared:
            self.of_documents += self._of_documents(self.qrels, rows_of, shared)

    def _of_queries(
        self, qrels: _Judgments, judged: pl.Series, returned: pl.Series
    ) -> Iterator[Caution]:
        """Report queries without judgments, and ids of queries that are spelled differently."""
        if not self.n_shared:
            text, remedy = no_query_shared(self.source, returned, qrels.source, judged)
            yield finding(NO_SHARED_QUERIES, "stop", text, self.name, remedy=remedy)
            return
        extra = returned.filter(~returned.is_in(judged.implode())).cast(pl.String).sort()
        if extra.is_empty():
            return
        spelling = query_spelling(judged, returned)
        yield from nearly_equal(self.name, "queries", len(extra), spelling)

    def _of_documents(
        self, qrels: _Judgments, rows_of: Callable[[pl.Expr], pl.DataFrame], shared: pl.Series
    ) -> Iterator[Caution]:
        """Report ids of documents that are spelled differently."""
        queries = sampled(shared)
        some = pl.col(QUERY_ID).is_in(pl.Series(queries, dtype=pl.Categorical).implode())
        spelling = document_spelling(qrels.rows.filter(some), rows_of(some))
        yield from nearly_equal(self.name, "documents", len(queries), spelling)

    @property
    def tied(self) -> float | None:
        """The share of rows that repeat a score of their query; None where scores do not order."""
        if self.lists is None or not self.n_rows or not self.source.scored or self.rule.by_rank:
            return None
        return 1 - int(self.lists["n_scores"].sum()) / self.n_rows


def _lists_of(rows: pl.DataFrame) -> pl.DataFrame:
    """Count the documents of each list, and its different scores."""
    return (
        rows.lazy()
        .group_by(QUERY_ID)
        .agg(pl.len().alias("n"), pl.col(SCORE).n_unique().alias("n_scores"))
        .collect(engine="in-memory")
    )


_NO_LISTS = pl.DataFrame(
    schema={QUERY_ID: pl.Categorical, "n": pl.get_index_type(), "n_scores": pl.get_index_type()}
)

_ONCE = Collapse("max", {}, 1)
"""Of a document that is repeated, the row with the highest score is used."""


def _evaluated(
    qrels: _Judgments | None,
    checked: Mapping[str, _Run],
    measures: Sequence[Measure],
    primary: Measure,
    settings: Mapping[str, str],
    *,
    labels: Labels | None,
) -> tuple[Evaluation | None, str]:
    """Evaluate the runs that have a judged query.

    Returns
    -------
    evaluation
        None if none has, or no query is left.
    fault
        Why no query is left, if so.
    """
    fault = ""
    if qrels is None:
        return None, fault
    source = qrels.source
    # Rows are folded when they are cleaned.
    rules = {
        name: rule for name, rule in settings.items() if name not in {"collapse", "document_of"}
    }

    def evaluation(names: Iterable[str]) -> Evaluation:
        sources = {name: checked[name].clean for name in names}
        origin = FromRuns(source, sources, rules, labels=labels)
        return Evaluation(tuple(sources), tuple(measures), primary, rules, origin)

    names = list(checked)
    for _ in range(2):
        if not names:
            break
        made = evaluation(names)
        try:
            _ = made.quality
        except DataError as error:  # a run has no judged query, or the settings leave none
            for each in checked.values():
                each.read()
            fault = str(error)
            names = [name for name, each in checked.items() if each.n_shared]
        else:
            return made, ""
    return None, fault if names else ""


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


def _counts(run: _Run) -> dict[str, Any]:
    lists = run.lists
    if lists is None or not run.n_rows:
        return {}
    n = lists["n"]
    counts = {
        "n_rows": run.n_rows,
        "n_queries": len(lists),
        "shortest": n.min(),
        "median": n.median(),
        "longest": n.max(),
        "tied": run.tied,
    }
    if run.qrels is not None:
        counts["n_missing"] = len(run.qrels.queries) - run.n_shared
        counts["n_extra"] = len(lists) - run.n_shared
    return counts


CHECKS: Mapping[str, io.Format] = {
    ".md": io.Format(lambda made, path: made.to_markdown(path), "for a pull request"),
    ".json": io.Format(lambda made, path: made.to_json(path)),
}
"""The writers of a check by suffix."""
