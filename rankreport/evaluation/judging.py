"""The judged frame: judgments and runs joined, and the selection of queries.

By default the judgments define which queries are evaluated: a query that a run lacks scores 0 and
is reported; a query that only a run has is left out and counted; a query without a document of
positive grade scores 0. ``queries="answered"`` or ``"intersection"`` and ``no_relevant="skip"`` or
``"one"`` change this.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from rankreport.errors import DataError, RankReportError
from rankreport.evaluation.collapse import Collapse
from rankreport.evaluation.counted_queries import (
    check_systems_are_no_queries,
    no_query_left,
    no_query_shared,
    with_counted,
)
from rankreport.evaluation.grades import grade_counts
from rankreport.evaluation.mismatched_ids import DEPTH
from rankreport.evaluation.query_names import LOOKED_AT, MOST, Names, lowest_hashes
from rankreport.evaluation.ranking import JUDGMENT, Positions, Rows, order_ties, ranges, starts_of
from rankreport.evaluation.slices import RankedRun, RunReader
from rankreport.evaluation.small_runs import AT_ONCE, ranked_runs
from rankreport.evaluation.swapped_inputs import Numbers, numbers_of
from rankreport.evaluation.unanswerable import check_without_relevant, is_unanswerable
from rankreport.frames import (
    DOC_ID,
    LIST,
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


class Look(NamedTuple):
    """What is counted of a run, and at hand for a look at its ids and scores.

    Attributes
    ----------
    n_rows, n_folded
        The number of rows, and of those that are left where rows are folded, else None.
    queries
        Its first queries, two at most.
    n_repeated
        The number of rows that repeat a score of their query; None where scores do not order.
    unjudged_queries
        Its queries without judgments, by name.
    positions
        What is special about given ranks.
    n_sampled
        The number of queries with judgments of which there are documents.
    judgments, run
        Their judgments, and the first rows of their lists, with the columns of the sources.
    grades, scores
        What tells judgments from a run, of all rows of `LOOKED_AT` of these queries, at most; None
        of a run without scores.
    """

    n_rows: int
    n_folded: int | None
    queries: list[str]
    n_repeated: int | None
    unjudged_queries: Names
    positions: Positions
    n_sampled: int = 0
    judgments: pl.DataFrame = pl.DataFrame()
    run: pl.DataFrame = pl.DataFrame()
    grades: Numbers = Numbers()
    scores: Numbers | None = None

    @property
    def without_order(self) -> Look:
        """What is seen of rows that have no order."""
        scores = None if self.scores is None else self.scores.without_order
        return self._replace(grades=self.grades.without_order, scores=scores)

    @property
    def n_documents(self) -> int:
        """The number of rows that are left."""
        return self.n_rows if self.n_folded is None else self.n_folded


class Judged(NamedTuple):
    """Judgments and runs, joined.

    Attributes
    ----------
    frame
        One row per judged document and system, sorted by system (in the order given), query and
        rank: ``system``, ``query_id``, ``doc_id`` (String), ``relevance``, ``score`` (Float64),
        ``rank``, ``tie_first``, ``tie_last`` (UInt32; null, like the score, if the system did not
        return the document), ``n_retrieved`` (UInt32; the number of documents that the system
        returned for the query, or the last of given ranks), ``top_grade`` (Float64; the highest
        grade in the judgments).
    queries
        One row per system and judged query: ``system, query_id, n_retrieved, n_relevant``
        (documents of positive grade), ``tied`` (whether a judged document shares its score with
        another document, so that another tie rule might change a measure), ``counted`` (whether
        the query is evaluated).
    n_judgments
        The number of judgments.
    top_grade
        The highest grade in the judgments.
    subtopics
        With judgments per subtopic: like ``frame``, with one row per judgment and the column
        ``subtopic`` (String), sorted by it last. A document's ``relevance`` in ``frame`` is then
        its highest. None without subtopics.
    grades
        How often each grade occurs in the judgments: ``relevance, count``.
    looks
        What is counted of each run, and at hand for a look at its ids and scores.
    """

    frame: pl.DataFrame
    queries: pl.DataFrame
    n_judgments: int
    top_grade: float
    subtopics: pl.DataFrame | None
    grades: pl.DataFrame
    looks: Mapping[str, Look]

    def without_rows(self) -> Judged:
        """Return the counts, without rows of documents."""
        subtopics = None if self.subtopics is None else self.subtopics.clear()
        return self._replace(frame=self.frame.clear(), subtopics=subtopics)

    @classmethod
    def joined(cls, parts: Sequence[Judged], systems: Sequence[str]) -> Judged:
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
        >>> of = [rr.evaluate({q: {"d": 1}}, {"mine": {q: ["d"]}})._origin.judged
        ...       for q in ("b", "a")]
        >>> Judged.joined(of, ["mine"]).frame["query_id"].to_list()
        ['a', 'b']
        """
        grades = pl.concat([part.grades for part in parts]).group_by(RELEVANCE).agg(pl.sum("count"))
        subtopics = [part.subtopics for part in parts if part.subtopics is not None]
        top_grade = max(part.top_grade for part in parts)
        top = pl.lit(top_grade).alias(TOP_GRADE)
        return cls(
            in_order([part.frame for part in parts], systems).with_columns(top),
            in_order([part.queries for part in parts], systems),
            sum(part.n_judgments for part in parts),
            top_grade,
            in_order(subtopics, systems).with_columns(top) if subtopics else None,
            grades.sort(RELEVANCE),
            {system: _joined_look([part.looks[system] for part in parts]) for system in systems},
        )

    def queries_looked_at(self, n: int = LOOKED_AT) -> dict[str, pl.Series]:
        """Return the queries of each system of which ids and scores are looked at, n at most."""
        answered = self.queries.filter(pl.col(N_RETRIEVED) > 0)
        own = {name: answered.filter(pl.col(SYSTEM) == name)[QUERY_ID] for name in self.looks}
        return {name: of.gather(lowest_hashes(of, n)) for name, of in own.items()}

    def looked_at(
        self,
        some: Mapping[str, pl.Series],
        rows_of: Callable[[str, pl.Series], Sequence[pl.DataFrame]],
    ) -> Judged:
        """Look at the ids and scores of some queries of each system.

        Parameters
        ----------
        some
            The queries, such as `queries_looked_at`.
        rows_of
            Returns the judgments and the rows of a run of these queries, in the order given.
        """
        looks = {}
        for system, queries in some.items():
            judgments, run = rows_of(system, queries)
            own = _JudgmentsLookedAt.of(queries, judgments)
            looks[system] = _looked_at(self.looks[system], queries, own, run)
        return self._replace(looks=looks)

    def check_shared_queries(
        self, qrels: Source, runs: Mapping[str, Source], settings: Mapping[str, str]
    ) -> None:
        """Refuse judgments and runs of which no query is judged and answered, or left.

        Parameters
        ----------
        qrels, runs
            The sources.
        settings
            The settings ``queries`` and ``no_relevant``.

        Raises
        ------
        DataError
            If so.
        """
        check_systems_are_no_queries({name: look.queries for name, look in self.looks.items()})
        answering = set(self.queries.filter(pl.col(N_RETRIEVED) > 0)[SYSTEM].unique())
        for system, source in runs.items():
            returned_nothing = source.may_be_empty and not self.looks[system].n_rows
            if system not in answering and not returned_nothing:
                asked = self.queries.filter(pl.col(SYSTEM) == system)[QUERY_ID]
                returned = self.looks[system].unjudged_queries.names
                text, remedy, line = no_query_shared(system, source, returned, qrels, asked)
                code = f"Code: {line}" if line else ""
                raise DataError(" ".join(filter(None, (text, remedy, code))))
        if not self.queries["counted"].any():
            raise no_query_left(self.queries, settings["queries"], settings["no_relevant"])


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
    most: int = MOST,
    n_looked_at: int = LOOKED_AT,
    unanswerable: Sequence[str] = (),
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
    part
        Whether these are the rows of some queries of larger sources (`Judged.joined`): they may
        then be empty, and no query need be left.
    most
        How many names of queries without judgments are kept.
    n_looked_at
        Of how many queries of a system ids and scores are looked at; 0 of parts that are joined.
    unanswerable
        Queries without an answer, judged or not. They are not counted.

    Raises
    ------
    DataError
        If a source has invalid rows, no query is left, or a query without an answer has relevant
        documents.
    """
    parts: list[tuple[pl.DataFrame, pl.DataFrame]] = []
    found_of: dict[str, tuple[pl.DataFrame, pl.DataFrame]] = {}
    looks = {}
    with ThreadPoolExecutor(1) as background:
        reading = background.submit(_read, qrels, by_subtopic, grades, unanswerable, empty=part)
        # Beside the first run, which is usually larger; but in slices, where memory is short.
        if part or any(run.partition is not None for run in runs.values()):
            reading.result()
        readers = [
            RunReader(system, source, ties, precision, collapse, part=part)
            for system, source in runs.items()
        ]
        try:
            for reader, found in ranked_runs(readers, lambda: reading.result()[1].rows, advance):
                judgments = reading.result()[1]
                answered = judgments.answered(found.lengths)
                found_of[reader.system] = found.hits, answered
                looks[reader.system] = _look(judgments, found, answered, most, n_looked_at)
                del found, answered  # before the next run is read
                if len(found_of) * len(judgments.rows) >= AT_ONCE:
                    parts.append(judgments.ranked(found_of))
                    found_of.clear()
        except RankReportError as error:
            raise reading.exception() or error from None
        given, judgments = reading.result()
    if found_of:
        parts.append(judgments.ranked(found_of))
    frames, counts = zip(*parts, strict=True)
    del parts
    failed = [(system, query) for system, run in runs.items() for query in run.failed]
    lists = pl.concat(counts)
    check_without_relevant(lists, unanswerable)
    per_query = with_counted(lists, queries=queries, no_relevant=no_relevant, failed=failed)
    if unanswerable:
        per_query = per_query.with_columns(pl.col("counted") & ~is_unanswerable(unanswerable))
    frame = _one_behind_the_other(frames)
    if not per_query["counted"].all():
        lengths = np.tile(judgments.lengths, len(runs))
        frame = frame.filter(np.repeat(per_query["counted"].to_numpy(), lengths))
    ordered = order_ties(frame, ties)
    judged = Judged(
        ordered,
        per_query,
        len(given),
        given.select(pl.col(RELEVANCE).max().fill_null(-math.inf)).item(),
        _of_subtopics(ordered, given) if SUBTOPIC in given.columns else None,
        grade_counts(given),
        looks,
    )
    if not part:
        rules = {"queries": queries, "no_relevant": no_relevant}
        judged.check_shared_queries(qrels, runs, rules)
    return judged


def _read(
    qrels: Source,
    by_subtopic: Callable[[], Source] | None,
    grades: str,
    unanswerable: Sequence[str],
    *,
    empty: bool,
) -> tuple[pl.DataFrame, _Judgments]:
    """Read judgments; return them as given, and query by query."""
    given = graded(read_judgments(qrels, by_subtopic, empty=empty), grades)
    return given, _Judgments.of(given, unanswerable)


def graded(judgments: pl.DataFrame, grades: str) -> pl.DataFrame:
    """Return judgments with the grades that count; ``grades`` is a key of `GRADES`."""
    if grades != "truncated":
        return judgments
    return judgments.with_columns(pl.col(RELEVANCE).cast(pl.Int64).cast(pl.Float64))


def _one_behind_the_other(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Join frames, column by column, and take the columns from them: both would fill memory."""
    names = frames[0].columns
    return pl.DataFrame(
        [pl.concat([frame.drop_in_place(name) for frame in frames], rechunk=True) for name in names]
    )


def in_order(frames: Iterable[pl.DataFrame], systems: Sequence[str]) -> pl.DataFrame:
    """Join frames of different queries, sorted by system and query; lists keep their order."""
    place = pl.col(SYSTEM).cast(pl.Enum(systems))
    return pl.concat(frames).sort(place, QUERY_ID, maintain_order=True)


def _summed(counts: Iterable[int | None]) -> int | None:
    """Return the sum of the counts that are known; None where none is."""
    known = [n for n in counts if n is not None]
    return sum(known) if known else None


def _joined_look(looks: Sequence[Look]) -> Look:
    """Join what is counted of a run; at its ids and scores, `Judged.looked_at` looks."""
    return looks[0]._replace(
        n_rows=sum(look.n_rows for look in looks),
        n_folded=_summed(look.n_folded for look in looks),
        queries=sorted(query for look in looks for query in look.queries)[:2],
        n_repeated=_summed(look.n_repeated for look in looks),
        unjudged_queries=Names.joined([look.unjudged_queries for look in looks]),
        positions=Positions.summed(look.positions for look in looks),
    )


@dataclass(frozen=True, eq=False)
class _Judgments:
    """The judgments, query by query, which all systems share.

    Attributes
    ----------
    rows
        ``query_id`` (Categorical), ``doc_id``, ``relevance`` and the ``number`` of the query,
        sorted by the names of queries and documents.
    queries
        The queries, as in the rows.
    starts
        The first row of each query, and the number of all rows.
    given
        The rows in the order given.
    """

    rows: pl.DataFrame
    queries: pl.Series
    starts: Rows
    given: pl.DataFrame

    @classmethod
    def of(cls, given: pl.DataFrame, others: Sequence[str] = ()) -> _Judgments:
        """Sort judgments; of a document with several subtopics, the highest grade counts.

        Other queries have none, unless they are among the judgments.
        """
        if SUBTOPIC in given.columns:
            by_document = given.group_by(QUERY_ID, DOC_ID, maintain_order=True)
            given = by_document.agg(pl.col(RELEVANCE).max())
        rows, adjacent = given, given[QUERY_ID].rle().struct
        if adjacent.field("value").n_unique() < len(adjacent.field("value")):
            rows = given.sort(pl.col(QUERY_ID).to_physical())
            adjacent = rows[QUERY_ID].rle().struct
        queries, lengths = adjacent.field("value"), adjacent.field("len").to_numpy()
        if others:
            more = pl.Series(others, dtype=pl.String)
            more = more.filter(~more.is_in(queries.cast(pl.String).implode()))
            queries = queries.append(more.cast(queries.dtype))
            lengths = np.append(lengths, np.zeros(len(more), lengths.dtype))
        by_name = queries.cast(pl.String).arg_sort().to_numpy()
        number = np.empty(len(by_name), np.uint32)
        number[by_name] = np.arange(len(by_name))
        rows = rows.with_columns(pl.Series(LIST, np.repeat(number, lengths)))
        starts, lengths = starts_of(lengths)[:-1][by_name], lengths[by_name]
        same_list = pl.col(LIST) == pl.col(LIST).shift(1)
        falls = same_list & (pl.col(DOC_ID) < pl.col(DOC_ID).shift(1))
        if rows.select(falls.any()).item():
            rows = rows.sort(LIST, DOC_ID)
        else:  # as most judgments are
            rows = rows[ranges(starts, starts + lengths)]
        return cls(rows, queries.gather(by_name).alias(QUERY_ID), starts_of(lengths), given)

    def looked_at(self, queries: pl.Series) -> _JudgmentsLookedAt:
        """Return the judgments of some queries, which most systems have in common."""
        names = tuple(queries.cast(pl.String))
        if names not in self._looked_at:
            some = self.given.filter(pl.col(QUERY_ID).is_in(queries.implode()))
            self._looked_at[names] = _JudgmentsLookedAt.of(queries, some)
        return self._looked_at[names]

    @cached_property
    def _looked_at(self) -> dict[tuple[str, ...], _JudgmentsLookedAt]:
        return {}

    @property
    def lengths(self) -> Rows:
        """The number of judged documents of each query."""
        return np.diff(self.starts)

    def answered(self, lengths: pl.DataFrame) -> pl.DataFrame:
        """Return each query, the number of its list, and ``n_retrieved``, null without a list.

        Parameters
        ----------
        lengths
            ``query_id, n_retrieved`` of all lists.
        """
        found = lengths.with_row_index(LIST)
        return self.queries.to_frame().join(found, on=QUERY_ID, how="left", maintain_order="left")

    def ranked(
        self, found_of: Mapping[str, tuple[pl.DataFrame, pl.DataFrame]]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the judged frame of some systems, and a row per system and query.

        The columns of the latter are ``system, query_id, n_retrieved, n_relevant, tied``.

        Parameters
        ----------
        found_of
            Of each system the judged documents that it returned, and the result of `answered` for
            its lists.
        """
        n, n_rows, n_queries = len(found_of), len(self.rows), len(self.queries)
        hits, answered = map(pl.concat, zip(*found_of.values(), strict=True))
        systems, offsets = pl.Series(SYSTEM, list(found_of)), np.arange(n)[:, None]
        number = (self.rows[LIST].to_numpy() + offsets * n_queries).ravel()
        starts = (self.starts[:-1] + offsets * n_rows).ravel()
        n_hits = [len(each) for each, _ in found_of.values()]
        found = hits[JUDGMENT].to_numpy() + np.repeat(offsets * n_rows, n_hits)
        # A unique order, so that sums of floats are reproducible to the last bit: of each query,
        # first the documents returned, by rank, then the others, by name.
        key = number[found] << 32 | hits[RANK].to_numpy()
        in_order = bool((key[1:] > key[:-1]).all())
        by_rank = np.arange(len(key)) if in_order else np.argsort(key)
        n_found = np.bincount(number[found], minlength=n * n_queries)
        returned = np.zeros(len(number), bool)
        returned[ranges(starts, starts + n_found)] = True
        missed = np.ones(len(number), bool)
        missed[found] = False
        order = np.empty(len(number), np.int64)
        order[returned] = found[by_rank]
        order[~returned] = np.flatnonzero(missed)
        place = pl.when(pl.Series(returned)).then(pl.Series(np.cumsum(returned) - 1))
        of_hits = hits[by_rank].select(
            pl.col(SCORE, RANK, TIE_FIRST, TIE_LAST).gather(pl.select(place).to_series())
        )
        query, top = (pl.concat([each] * n) for each in self._of_rows)
        documents = self.rows.select(DOC_ID, RELEVANCE)[order % n_rows]
        n_retrieved = answered[N_RETRIEVED].fill_null(0)
        frame = pl.DataFrame(
            [
                systems.gather(np.repeat(np.arange(n), n_rows)),
                query,
                *documents,
                *of_hits,
                n_retrieved[number],
                top,
            ]
        )
        relevant = self.rows[LIST].to_numpy()[self.rows[RELEVANCE].to_numpy() > 0]
        n_relevant = np.bincount(relevant, minlength=n_queries)
        tied = found[(hits[TIE_FIRST] < hits[TIE_LAST]).to_numpy()]
        counts = pl.DataFrame(
            [
                systems.gather(np.repeat(np.arange(n), n_queries)),
                answered[QUERY_ID].cast(pl.String),
                n_retrieved,
                pl.Series("n_relevant", np.tile(n_relevant, n), pl.UInt32),
                pl.Series("tied", np.bincount(number[tied], minlength=n * n_queries) > 0),
            ]
        )
        return frame, counts

    @cached_property
    def _of_rows(self) -> tuple[pl.Series, pl.Series]:
        """The query of each row, and the highest grade: the same for all systems."""
        n, top = len(self.rows), self.rows[RELEVANCE].max()
        tops = pl.repeat(top, n, dtype=pl.Float64(), eager=True).alias(TOP_GRADE)
        return self.queries.cast(pl.String)[self.rows[LIST]], tops


def _look(
    judgments: _Judgments, found: RankedRun, answered: pl.DataFrame, most: int, n: int
) -> Look:
    shared = answered.with_row_index().drop_nulls(LIST)
    queries = found.lengths[QUERY_ID]
    unjudged = np.ones(len(queries), bool)
    unjudged[shared[LIST].to_numpy()] = False
    look = Look(
        found.n_rows,
        found.n_folded,
        queries.head(2).cast(pl.String).to_list(),
        found.n_repeated,
        Names.of(queries.filter(unjudged), most),
        found.positions,
    )
    if not n:
        return look
    some = shared[lowest_hashes(shared[QUERY_ID], n)]
    run = found.rows_of(some[LIST].to_numpy().astype(np.int64))
    return _looked_at(look, some[QUERY_ID], judgments.looked_at(some[QUERY_ID]), run)


def _first_rows(run: pl.DataFrame) -> pl.DataFrame:
    if run.is_empty() or run[QUERY_ID].unique_counts().to_numpy().max() <= DEPTH:
        return run
    # Of equal scores by name, as rows on Spark have no order.
    rank = pl.col(SCORE).rank("min", descending=True).over(QUERY_ID)
    first = run.lazy().filter(rank <= DEPTH).sort(SCORE, DOC_ID, descending=[True, False])
    within = pl.int_range(pl.len()).over(QUERY_ID) < DEPTH
    return first.filter(within).collect(engine="in-memory")


class _JudgmentsLookedAt(NamedTuple):
    """The judgments of some queries.

    Attributes
    ----------
    rows
        Sorted by query and document.
    names
        The queries whose numbers are looked at; None if they are all.
    grades
        What tells their grades from scores.
    """

    rows: pl.DataFrame
    names: pl.Series | None
    grades: Numbers

    @classmethod
    def of(cls, queries: pl.Series, judgments: pl.DataFrame) -> _JudgmentsLookedAt:
        """Look at the judgments of these queries, in the order given."""
        by_query, names = _Judgments.of(judgments), None
        if len(queries) > LOOKED_AT:
            names = queries.cast(pl.String).gather(lowest_hashes(queries, LOOKED_AT))
        rows = by_query.rows.drop(LIST)
        return cls(rows, names, numbers_of(_of_queries(by_query.given, names), RELEVANCE))


def _of_queries(rows: pl.DataFrame, names: pl.Series | None) -> pl.DataFrame:
    """Return the rows of these queries; all of them for None."""
    if names is None:
        return rows
    return rows.filter(pl.col(QUERY_ID).cast(pl.String).is_in(names.implode()))


def _looked_at(
    look: Look, queries: pl.Series, judgments: _JudgmentsLookedAt, run: pl.DataFrame
) -> Look:
    """Look at the ids and scores of some queries of a run.

    Parameters
    ----------
    look
        What is counted of the run.
    queries
        The queries, such as the result of `queries_looked_at`.
    judgments, run
        The judgments, and the rows of the run, of these queries, in the order given.
    """
    scores = None
    if look.n_repeated is not None:
        scores = numbers_of(_of_queries(run, judgments.names), SCORE)
    return look._replace(
        n_sampled=len(queries),
        judgments=judgments.rows,
        run=_first_rows(run),
        grades=judgments.grades,
        scores=scores,
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
