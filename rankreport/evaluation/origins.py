"""The origin of an evaluation's results: the protocol, and its implementation for runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Protocol

import polars as pl

from rankreport.evaluation.collapse import Collapse
from rankreport.evaluation.equal_lists import are_same, have_same_slices
from rankreport.evaluation.facts import (
    GRADES,
    LIST_HASHES,
    RELEVANT,
    RELEVANT_RETURNED,
    SCORES_AS_GRADES,
    Fact,
)
from rankreport.evaluation.first_documents import (
    SHOWN,
    ListRequest,
    first_documents,
    requested,
    unjudged_documents,
)
from rankreport.evaluation.judging import Judged, graded, in_order, judge
from rankreport.evaluation.memory import check_unjudged
from rankreport.evaluation.not_in_corpus import of_corpus
from rankreport.evaluation.query_names import LOOKED_AT, MOST
from rankreport.evaluation.remarks import (
    of_copies,
    of_folded,
    of_grades,
    of_ids,
    of_positions,
    of_ratings,
    of_run,
    of_swap,
    of_ties,
)
from rankreport.evaluation.shown_items import KnownItems
from rankreport.evaluation.slices import RunReader
from rankreport.evaluation.ties import bounds
from rankreport.evaluation.unanswerable import is_unanswerable, with_unanswerable
from rankreport.evaluation.unjudged import Unjudged, depth_of, judged_only, unjudged_of
from rankreport.frames import DOC_ID, N_RETRIEVED, QUERY_ID, RELEVANCE, SCORE, SYSTEM, TOP_GRADE
from rankreport.io import DocumentRows, Input, Remark, Source, input_of, is_url
from rankreport.labels import Labels, LabelSource
from rankreport.measures import TIES, JudgedRows, Measure, TieRule, best_values, values_in_parts
from rankreport.progress import stage


class Origin(Protocol):
    """The origin of an evaluation's results, such as runs or a scores file: all that differs.

    It has values, facts of the data, documents on request and provenance, in this order.
    """

    # Values by query, and over queries.

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the scores of these measures: ``system, query_id`` and a column per measure."""

    def values_in_parts(self, measures: Sequence[Measure], most: int) -> Iterator[pl.DataFrame]:
        """Yield `values` as `rankreport.measures.JudgedRows.in_parts` does."""
        return values_in_parts(self.values, measures, most)

    def values_within(self, measures: Sequence[Measure], depth: int) -> pl.DataFrame:
        """Return `values` of the lists cut at a depth."""

    def tie_bounds(
        self, values: pl.DataFrame, measures: Sequence[Measure]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return `values`, of answerable queries, under the worst and the best order of ties."""

    def condensed(self, measures: Sequence[Measure]) -> pl.DataFrame | None:
        """Return `values` without unjudged documents, or None if they are not known."""
        del measures
        return None

    def best_values(self, measure: Measure, n: int) -> pl.DataFrame:
        """Return the frame of `rankreport.measures.best_values`."""

    def repeats(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the values of each run of these systems: ``system, repeat, query_id``, measures.

        Rows are ordered by system and run.
        """
        del measures
        return pl.DataFrame()

    def summary(
        self,
        values: pl.DataFrame,
        measures: Sequence[Measure],
        weights: pl.DataFrame | None = None,
    ) -> pl.DataFrame:
        """Aggregate `values` over queries: ``system`` and a column per measure."""

    def cells(self, values: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
        """Aggregate `values` of each data set: ``dataset, system, n_queries``, then measures.

        Data sets on which some system lacks results are added.
        """
        del values, measures
        return pl.DataFrame()

    def holds(self, measures: Sequence[Measure]) -> bool:
        """Return whether `values` are available for all these measures."""
        del measures
        return True

    def exact_means(self) -> pl.DataFrame | None:
        """Return the frame of `rankreport.Evaluation.exact_means`, if queries are a sample."""
        return None

    # Facts: small tables, and names.

    def fact(self, fact: Fact) -> pl.DataFrame:
        """Return a fact of these queries, with the columns of its keys and rules."""

    def top_grade(self) -> float:
        """Return the highest grade in the judgments."""

    def share_positive(self) -> float:
        """Return the share of judged documents with a positive grade."""

    def unanswerable(self) -> tuple[str, ...]:
        """Return the queries declared to have no answer."""
        return ()

    def datasets(self) -> tuple[str, ...]:
        """Return the data sets, or parts of them, on which all systems have results, if several."""
        return ()

    def n_repeats(self) -> dict[str, int]:
        """Return the number of runs of the systems that have several."""
        return {}

    # Documents, on request.

    def judged_documents(self) -> pl.DataFrame:
        """Return the judged frame."""

    def judged_of(self, queries: Iterable[str]) -> pl.DataFrame:
        """Return the judged frame of some queries."""
        return self.judged_documents().filter(pl.col(QUERY_ID).is_in(list(queries)))

    def scored_documents(self) -> pl.DataFrame:
        """Return the judged frame of the systems with scores.

        Systems whose runs have ranks but no scores are left out, and all systems with
        ``ties="rank"``, which ignores scores.
        """

    def documents(self, wanted: ListRequest) -> pl.DataFrame:
        """Return the frame of `rankreport.Evaluation.documents`."""

    def unjudged(
        self, measure: Measure, shares: Mapping[str, float], n_measures: int
    ) -> Unjudged | None:
        """Return the unjudged documents at the top of the lists, or None if they are not known.

        ``shares`` are the shares of judged documents by system, and ``n_measures`` the number of
        measures whose scores are in memory, too; by both, needed memory is estimated.
        """
        del measure, shares, n_measures
        return None

    # Provenance.

    def inputs(self) -> list[Input]:
        """Return the provenance of the inputs."""

    def known_remarks(self) -> list[Remark]:
        """Return the remarks that are known before anything is read."""
        return self.remarks()

    def remarks(self) -> list[Remark]:
        """Return what was noticed in the judgments and runs, such as rows that were folded."""

    def places(self) -> dict[str, str]:
        """Return the paths and addresses that inputs were read from, by role, where known."""
        return {}

    def label_source(self) -> LabelSource | None:
        """Return where the judgments come from, if that is known."""
        return None

    def queries(self) -> Any:
        """Return the queries as `read_queries` accepts them, if the judgments came with them."""
        return None

    def corpus(self) -> Any:
        """Return the texts of documents as `open_corpus` accepts them, if they are known."""
        return None


_ALL = 1 << 30
"""A number of documents that no list has."""


@dataclass(frozen=True, eq=False)
class FromRuns(Origin):
    """Results computed from judgments and runs, which are read once, on first use.

    Attributes
    ----------
    qrels, systems
        The judgments, and the run of each system.
    settings
        The settings of the evaluation.
    by_subtopic
        Opens the judgments by subtopic, to explain a document that occurs several times.
    collapse
        Folds passages into documents.
    unmatched
        How many expected texts no system returned, and how many there are.
    with_query
        The runs before documents with the id of their query were left out.
    top
        The highest grade of all judgments, if `qrels` are some of them.
    part
        Whether these are some queries of larger sources, and may be none.
    most_names
        How many names of queries without judgments are kept.
    n_looked_at
        Of how many queries of each system ids and scores are looked at, to find faults.
    levels_known
        Whether it was stated which grades are relevant.
    labels
        The judgments, if they know where they come from.
    ids
        The ids of the whole corpus, if it was given.
    memory_limit
        How much memory may be used, in bytes; runs are read in slices if they must be.
    without_answer
        The queries declared to have no answer.
    about_items
        What is known of the items that users are shown.
    """

    qrels: Source
    systems: Mapping[str, Source]
    settings: Mapping[str, str]
    by_subtopic: Callable[[], Source] | None = None
    collapse: Collapse | None = None
    unmatched: tuple[int, int] | None = None
    with_query: Mapping[str, Source] = field(default_factory=dict)
    top: float | None = None
    part: bool = False
    most_names: int = MOST
    n_looked_at: int = LOOKED_AT
    levels_known: bool = False
    labels: Labels | None = None
    ids: DocumentRows | None = None
    memory_limit: int | None = None
    without_answer: tuple[str, ...] = ()
    about_items: KnownItems | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Copy all but the judgments as given, which may belong to a database's connection."""
        return {**self.__dict__, "by_subtopic": None}

    def as_given(self) -> dict[str, Any]:
        """Return the fields, of which another origin can be made."""
        return {each.name: getattr(self, each.name) for each in fields(FromRuns)}

    @cached_property
    def judged(self) -> Judged:
        """The judged frame, with its counts."""
        n_slices = sum(run.n_slices for run in self.systems.values())
        with stage("reading", total=n_slices) as advance:
            return self.judge_all(lambda _: advance(1))

    def judge_all(self, advance: Callable[[str], object]) -> Judged:
        """Join judgments and runs; ``advance`` is called as by `judge`."""
        apart = {"profile", "ties", "collapse", "document_of", "allow_empty"}
        rules = {n: rule for n, rule in self.settings.items() if n not in apart}
        judged = judge(
            self.qrels,
            self.systems,
            ties=self._tie_rule,
            **rules,
            collapse=self.collapse,
            by_subtopic=self.by_subtopic,
            advance=advance,
            part=self.part,
            most=self.most_names,
            n_looked_at=self.n_looked_at,
            unanswerable=self.without_answer,
        )
        if self.top is None:
            return judged
        top = pl.lit(self.top).alias(TOP_GRADE)
        frame, subtopics = judged.frame.with_columns(top), judged.subtopics
        if subtopics is not None:
            subtopics = subtopics.with_columns(top)
        return judged._replace(frame=frame, top_grade=self.top, subtopics=subtopics)

    @property
    def _tie_rule(self) -> TieRule:
        return TIES[self.settings["ties"]]

    @cached_property
    def rows(self) -> JudgedRows:
        """The rows that measures are computed from."""
        judged = self.judged
        return JudgedRows(
            judged.frame,
            judged.subtopics,
            expected=self._tie_rule.expected,
            one_where_barren=self._one_where_barren,
            shown=None if self.about_items is None else self._described,
        )

    def _described(self, columns: frozenset[str], k: int | None) -> pl.DataFrame:
        known, shown = self.about_items, self.first_shown(k)
        return shown if known is None else known.described(shown, columns)

    def first_shown(self, k: int | None) -> pl.DataFrame:
        """Read the first documents of all lists of queries that count, judged or not."""
        queries = tuple(self.judged.queries.filter("counted")[QUERY_ID].unique(maintain_order=True))
        return self._first_documents(ListRequest(queries, tuple(self.systems), k or _ALL))

    def values_as_ordered(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute measures of the rows in their order; no mean over orders is taken."""
        rows = replace(self.rows, expected=False) if self.rows.expected else self.rows
        return rows.of_queries(measures)

    def values_in_parts(self, measures: Sequence[Measure], most: int) -> Iterator[pl.DataFrame]:
        """Compute measures as `rankreport.measures.JudgedRows.in_parts` does."""
        return self.rows.in_parts(measures, most)

    @property
    def _one_where_barren(self) -> bool:
        return self.settings["no_relevant"] == "one"

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute these measures from the judged frame."""
        rows = self.rows
        with stage("judging"):
            return self.of_all_queries(rows.of_queries(measures))

    def of_all_queries(self, values: pl.DataFrame) -> pl.DataFrame:
        """Add the values of queries without an answer, which have no judged rows."""
        found, others = with_unanswerable(values, self.judged.queries, self.without_answer)
        return in_order([found, others], [*self.systems]) if len(others) else found

    def unanswerable(self) -> tuple[str, ...]:
        """Return the queries declared to have no answer."""
        return self.without_answer

    def summary(
        self,
        values: pl.DataFrame,
        measures: Sequence[Measure],
        weights: pl.DataFrame | None = None,
    ) -> pl.DataFrame:
        """Aggregate these measures over queries."""
        return self.rows.of_systems(values, measures, weights)

    def judged_documents(self) -> pl.DataFrame:
        """Return the judged frame."""
        return self.judged.frame

    def scored_documents(self) -> pl.DataFrame:
        """Return the judged frame of the systems with scores."""
        frame, scored = self.judged_documents(), self._scored
        all_are = len(scored) == len(self.systems)
        return frame if all_are else frame.filter(pl.col(SYSTEM).is_in(scored))

    @property
    def _scored(self) -> list[str]:
        """The systems with scores."""
        ignored = self._tie_rule.by_rank
        return [name for name, run in self.systems.items() if run.scored and not ignored]

    def documents(self, wanted: ListRequest) -> pl.DataFrame:
        """Read the first documents of these lists from the runs, unless they were read last."""
        if not wanted.queries:
            return pl.DataFrame(schema=SHOWN)
        if not any(read.contains(wanted) for read in self._found):
            found = self._first_documents(wanted)
            self._found.clear()
            self._found[wanted] = found
        [found] = self._found.values()
        return requested(wanted, found)

    def _first_documents(self, wanted: ListRequest) -> pl.DataFrame:
        grades = self.judged_of(wanted.queries).select(QUERY_ID, DOC_ID, RELEVANCE).unique()
        with stage("reading"):
            return first_documents(grades, self.reader_of, wanted)

    @cached_property
    def _found(self) -> dict[ListRequest, pl.DataFrame]:
        """The lists read last, as each format of a report needs some of them."""
        return {}

    @property
    def answerable(self) -> pl.DataFrame:
        """The counts of the queries that have an answer."""
        return self.judged.queries.filter(~is_unanswerable(self.without_answer))

    def fact(self, fact: Fact) -> pl.DataFrame:
        """Find a fact."""
        return fact.found_in(self)

    def tie_bounds(
        self, values: pl.DataFrame, measures: Sequence[Measure]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Compute the scores under the worst and the best order of equal scores."""
        return bounds(self.judged.frame, values, measures, one_where_barren=self._one_where_barren)

    def unjudged(self, measure: Measure, shares: Mapping[str, float], n_measures: int) -> Unjudged:
        """Read the first documents of all lists."""
        if measure not in self._unjudged:
            counted = self.judged.queries.filter("counted")
            n_documents = self._n_unjudged(measure, shares)
            check_unjudged(n_documents, len(counted), n_measures, self.memory_limit)
            self._unjudged[measure] = self.unjudged_from(measure, counted[SYSTEM][0])
        return self._unjudged[measure]

    def _n_unjudged(self, measure: Measure, shares: Mapping[str, float]) -> int:
        """Estimate the number of unjudged documents within the cut-off of a measure."""
        if self.memory_limit is None:
            return 0
        answered = self.judged.queries.filter(pl.col("counted")).group_by(SYSTEM)
        shown = answered.agg(pl.col(N_RETRIEVED).clip(0, depth_of(measure)).sum())
        return int(sum(n * (1 - shares.get(system, 1.0)) for system, n in shown.rows()))

    def unjudged_from(self, measure: Measure, first: str) -> Unjudged:
        """Find unjudged documents; ``first`` is the first system of which a query is evaluated."""
        return unjudged_of(self.judged, self.unjudged_within(depth_of(measure)), first=first)

    def condensed(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute these measures of the lists without unjudged documents."""
        return judged_only(
            self.judged,
            measures,
            expected=self._tie_rule.expected,
            one_where_barren=self._one_where_barren,
        )

    def unjudged_within(self, k: int) -> Iterator[pl.DataFrame]:
        """Read the unjudged documents among the first of all lists, of some queries at a time."""
        if self._tie_rule.is_bound:  # the order depends on grades
            yield self.first_shown(k).filter(pl.col(RELEVANCE).is_null()).drop(RELEVANCE, SCORE)
            return
        judged = self.judged  # read in a stage of its own
        with stage("reading"):
            yield from unjudged_documents(judged, [*map(self.reader_of, self.systems)], k)

    @cached_property
    def _unjudged(self) -> dict[Measure, Unjudged]:
        return {}

    def rows_of(self, system: str, queries: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Read the judgments of some queries, and a system's rows of them, as they are compared."""
        some = pl.col(QUERY_ID).cast(pl.String).is_in(queries.implode())
        judgments = pl.concat(list(self.qrels.slices(of_these=some)))
        rows = pl.concat(list(self.reader_of(system).slices(some)))
        return graded(judgments, self.settings.get("grades", "given")), rows

    def reader_of(self, system: str) -> RunReader:
        """Return how a system's run is read, with its scores as they are compared."""
        return self._reader(system)._replace(precision=self.settings["precision"])

    def _reader(self, system: str) -> RunReader:
        """Return how a system's run is read, with its scores as they are."""
        return RunReader(system, self.systems[system], self._tie_rule, collapse=self.collapse)

    def top_grade(self) -> float:
        """Return the highest grade in the judgments."""
        return self.judged.top_grade

    def share_positive(self) -> float:
        """Return the share of judged documents with a positive grade."""
        grades = self.fact(GRADES)
        counts, positive = grades["n"].to_numpy(), grades[RELEVANCE].to_numpy() > 0
        return float(counts[positive].sum() / max(counts.sum(), 1))

    def values_within(self, measures: Sequence[Measure], depth: int) -> pl.DataFrame:
        """Compute measures of the judged frame, with documents below a depth not returned."""
        with stage("judging"):
            return self.of_all_queries(self.rows.within(depth).of_queries(measures))

    def best_values(self, measure: Measure, n: int) -> pl.DataFrame:
        """Compute a measure of the judged frame, and the best that it could be."""
        with stage("judging"):
            return best_values(self.rows, measure, n)

    def inputs(self) -> list[Input]:
        """Return the provenance of the judgments and runs, and of what is known of items."""
        looks = self.judged.looks
        judgments = input_of("qrels", self.qrels.contents, self.judged.n_judgments)
        if (source := self.label_source()) is not None:
            judgments["labels"] = source.to_plain()
        return [
            judgments,
            *(
                input_of(f"run {name}", run.contents, looks[name].n_rows)
                for name, run in self.systems.items()
            ),
            *([] if self.about_items is None else self.about_items.inputs),
        ]

    def places(self) -> dict[str, str]:
        """Return the paths and addresses as they were given; a pipe has none."""
        runs = {f"run {name}": source.contents for name, source in self.systems.items()}
        return {
            role: contents.name
            for role, contents in {"qrels": self.qrels.contents, **runs}.items()
            if contents is not None and (contents.data is None or is_url(contents.name))
        }

    def label_source(self) -> LabelSource | None:
        """Return the source of the labels, with the cautions on them."""
        return None if self.labels is None else self.labels.source

    def known_remarks(self) -> list[Remark]:
        """Return the remarks of runs that came with them."""
        return [remark for run in self.systems.values() for remark in run.remarks]

    def remarks(self) -> list[Remark]:
        """Return the remarks of the sources, and count failed searches and documents left out."""
        return self._remarks

    @cached_property
    def _remarks(self) -> list[Remark]:
        judged, looks = self.judged, self.judged.looks
        labelled = self.labels is not None
        found = [remark for remark in self.qrels.remarks if remark.code != "rating"]
        if not self.levels_known:
            named = any(remark.code == "rating" for remark in self.qrels.remarks)
            found += of_ratings(self.fact(GRADES)[RELEVANCE], judged.top_grade, named=named)
        if self.unmatched is not None:
            n, of = self.unmatched
            found.append(Remark("unmatched_texts", n, about={"of": of}))
        holding = self._holding_judgments()
        for system, look in looks.items():
            n = max(judged.n_judgments, look.n_rows)
            found += of_swap(system, look, n, same=system in holding, labelled=labelled)
        found += of_folded(looks)
        for system, source in self.systems.items():
            found += of_run(system, source, self.qrels, judged)
            if n_left_out := self.n_identical.get(system):
                found.append(Remark("identical", n_left_out, system=system))
        found += of_positions({s: look.positions for s, look in looks.items()})
        found += of_grades(judged.grades, fractions_meant=labelled)
        found += [*of_ties(looks), *of_ids(judged, None if self.ids is None else self.ids.at)]
        if self.ids is not None:
            queries, returned = judged.queries.filter("counted"), self.fact(RELEVANT_RETURNED)
            found += of_corpus(self.fact(RELEVANT), queries, returned, self.ids)
        if len(self.systems) > 1:
            found += of_copies(self.keys_of_lists(), self.same_lists)
        return found

    def keys_of_lists(self) -> dict[str, tuple[Any, int | None]]:
        """Return for each system what is equal for systems with the same lists."""
        looks, hashes = self.judged.looks, self.fact(LIST_HASHES).rows()
        return {system: (value, looks[system].n_documents) for system, value in hashes}

    @cached_property
    def n_identical(self) -> Mapping[str, int]:
        """The number of documents of each system that were left out for having the query's id."""
        looks, whole = self.judged.looks, self.with_query.items()
        return {system: run.n_rows() - looks[system].n_rows for system, run in whole}

    def same_lists(self, one: str, other: str, pool: int | None = None) -> bool:
        """Return whether two systems returned the same documents in the same order.

        With `pool`, whether their first so many documents are the same, in any order.
        """
        # Usually it is the same file twice: comparing rows is much faster than ranking them.
        if have_same_slices(*(self._reader(system).slices() for system in (one, other))):
            return True
        return are_same([*map(self.reader_of, (one, other))], self.judged.frame, pool)

    def _holding_judgments(self) -> set[str]:
        """Return the systems whose scores are the grades of their documents."""
        looks = self.judged.looks
        found = self.fact(SCORES_AS_GRADES).filter(pl.col(SYSTEM).is_in(self._scored)).rows()
        return {
            str(name) for name, n, same in found if same and n == looks[name].n_documents and n > 2
        }

    def queries(self) -> Any:
        """Return the queries that came with the judgments."""
        return self.qrels.queries

    def corpus(self) -> Any:
        """Return the texts of documents that came with the judgments."""
        return self.qrels.documents
