"""The origin of results whose judgments, too, are read in slices by query.

Judgments and runs are joined slice by slice, and the judged rows of a slice are stored in a
temporary file. What is kept is a row per system and query. Every result is that of reading all at
once: what is found of a query needs no other, and what spans queries is joined here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import polars as pl

from rankreport.errors import DataError
from rankreport.evaluation.facts import Fact
from rankreport.evaluation.judging import (
    Judged,
    Look,
    check_shared_queries,
    in_order,
    joined,
    looked_at,
    queries_looked_at,
)
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.unjudged import Unjudged, joined_unjudged
from rankreport.frames import DOC_ID, QUERY_ID, SYSTEM, TOP_GRADE
from rankreport.io import Partition, check_judgments
from rankreport.measures import JudgedRows, Measure, summarise, values_in_parts
from rankreport.progress import stage

_FRAME = "judged"
_SUBTOPICS = "judged subtopics"
_VALUES = "values"
"""What is stored of a slice."""

_PLACE = "place of the query"

_Found = TypeVar("_Found")


@dataclass(frozen=True, eq=False)
class _Slice(FromRuns):
    """Results of a slice, by its number, and its judged rows if they are stored."""

    number: int = 0
    known: Judged | None = None

    @cached_property
    def judged(self) -> Judged:
        """The judged frame of the slice, with its counts."""
        return super().judged if self.known is None else self.known


@dataclass(frozen=True, eq=False)
class FromSlices(FromRuns):
    """Results of judgments and runs that are read in the same slices.

    `judged` holds no judged rows; `judged_documents` reads those of all slices.
    """

    @cached_property
    def judged(self) -> Judged:
        """The counts of all slices; without the judged rows."""
        try:
            judged = joined(self._counts, [*self.systems])
            if not judged.n_judgments or not all(judged.n_ranked.get(s) for s in self.systems):
                self._check_sources()
        except DataError:
            self._check_sources()
            raise
        if self.collapse is not None:
            for system in self.systems:
                self.reader_of(system).check_separated()
        looks = {system: self._look(system, judged) for system in self.systems}
        judged = replace(judged, looks=looks)
        check_shared_queries(judged, self.qrels, self.systems, self.settings)
        return judged

    def _look(self, system: str, judged: Judged) -> Look:
        """Look at a system's run and the judgments, of all slices."""
        queries = queries_looked_at(judged.queries.filter(pl.col(SYSTEM) == system))
        return looked_at(judged.looks[system], queries, *self.rows_of(system, queries))

    @cached_property
    def _counts(self) -> list[Judged]:
        """What was found of each slice, without the judged rows, which are stored."""
        found = []
        with stage("reading", total=len(self.systems) * self._partition.n) as advance:
            for number in range(self._partition.n):
                judged = self._slice(number).judged_anew(lambda _: advance(1))
                self._store(number, _FRAME, judged.frame)
                self._store(number, _SUBTOPICS, judged.subtopics)
                subtopics = None if judged.subtopics is None else judged.subtopics.clear()
                looks = {
                    system: look._replace(judgments=look.judgments.clear(), run=look.run.clear())
                    for system, look in judged.looks.items()
                }
                found.append(
                    replace(judged, frame=judged.frame.clear(), subtopics=subtopics, looks=looks)
                )
                del judged, subtopics, looks  # before the next slice is read
        return found

    def _store(self, number: int, kind: str, rows: pl.DataFrame | None) -> None:
        if rows is not None:
            kept = rows.drop(TOP_GRADE, strict=False)
            self._partition.store(number, kind, kept, self.qrels.name)

    @property
    def _partition(self) -> Partition:
        if self.qrels.partition is None:
            raise DataError(f"{self.qrels.name} is not read in slices.")
        return self.qrels.partition

    def _slice(self, number: int, known: Judged | None = None) -> _Slice:
        """Return the results of a slice."""
        given = {each.name: getattr(self, each.name) for each in fields(FromRuns)}
        systems = {
            system: source.of_slice(number, *self.reader_of(system).columns)
            for system, source in self.systems.items()
        }
        changed: dict[str, Any] = {
            "qrels": self.qrels.of_slice(number),
            "systems": systems,
            "by_subtopic": None,
            "part": True,
        }
        return _Slice(**{**given, **changed}, number=number, known=known)

    def _slices(self) -> Iterator[_Slice]:
        """Yield the results of each slice with judged rows, one at a time."""
        judged = self.judged  # where rows are invalid, an error
        for number, counts in enumerate(self._counts):
            frame = self._stored(number, _FRAME)
            if frame is None or frame.is_empty():
                continue
            subtopics = self._stored(number, _SUBTOPICS)
            top = judged.top_grade
            known = replace(counts, frame=frame, subtopics=subtopics, top_grade=top)
            del frame, subtopics
            yield self._slice(number, known)
            del known

    def _stored(
        self, number: int, kind: str, of_these: pl.Expr | None = None
    ) -> pl.DataFrame | None:
        """Read what is stored of a slice, with the highest grade of all."""
        rows = self._partition.stored(number, kind)
        if rows is None:
            return None
        rows = rows if of_these is None else rows.filter(of_these)
        counts = self._counts[number]
        schema = counts.frame if kind == _FRAME or counts.subtopics is None else counts.subtopics
        top = pl.lit(self.judged.top_grade).alias(TOP_GRADE)
        return rows.with_columns(top).select(schema.columns).collect()

    def _check_sources(self) -> None:
        """Raise the error for the first fault, reported as if all rows had been read at once."""
        check_judgments(self.qrels, self.by_subtopic)
        nothing = pl.DataFrame(schema={QUERY_ID: pl.Categorical(), DOC_ID: pl.String()})
        for system in self.systems:
            self.reader_of(system).ranked(lambda: nothing)

    def _each(self, find: Callable[[_Slice], _Found], name: str) -> list[_Found]:
        """Find something in each slice with judged rows."""
        found = []
        with stage(name, total=self._partition.n) as advance:
            for part in self._slices():
                found.append(find(part))
                del part  # before the next slice is read
                advance(1)
        return found

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute these measures, slice by slice."""
        return self._values(lambda part: part.rows.of_queries(measures))

    def values_within(self, measures: Sequence[Measure], depth: int) -> pl.DataFrame:
        """Compute measures of lists that are cut, slice by slice."""
        return self._values(lambda part: part.rows.within(depth).of_queries(measures))

    def values_as_ordered(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute measures of the rows in their order; no mean over orders is taken."""
        return self._values(lambda part: part.values_as_ordered(measures))

    def _values(self, compute: Callable[[_Slice], pl.DataFrame]) -> pl.DataFrame:
        return in_order(self._each(compute, "judging"), [*self.systems])

    def values_in_parts(self, measures: Sequence[Measure], most: int) -> Iterator[pl.DataFrame]:
        """Compute measures a few at a time, of all slices.

        A slice has few lists, so more measures are computed at once, and stored.
        """
        at_once = most * self._partition.n
        for first in range(0, len(measures), at_once):
            chosen = measures[first : first + at_once]
            names = self._each(partial(self._stored_values, measures=chosen), "judging")
            differ = set().union(*names)
            distinct = [measure for measure in chosen if str(measure) in differ]
            yield from values_in_parts(self._known_values, distinct, most)

    def _stored_values(self, part: _Slice, measures: Sequence[Measure]) -> set[str]:
        """Store measures of a slice; return those that differ from the one before."""
        values = part.rows.of_queries(measures)
        self._store(part.number, _VALUES, values)
        (differ,) = values_in_parts(lambda _: values, measures, len(measures))
        return {*differ.columns}

    def _known_values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Read measures that are stored."""
        lists, order = self._lists
        return lists.hstack(self._columns_of(_VALUES, [*map(str, measures)])[order])

    @cached_property
    def _lists(self) -> tuple[pl.DataFrame, pl.Series]:
        """The lists in order, and their places in the slices one behind the other."""
        lists = self._columns_of(_VALUES, [SYSTEM, QUERY_ID]).with_row_index(_PLACE)
        ordered = in_order([lists], [*self.systems])
        return ordered.drop(_PLACE), ordered[_PLACE]

    def _columns_of(self, kind: str, columns: Sequence[str]) -> pl.DataFrame:
        stored = (self._partition.stored(n, kind) for n in range(self._partition.n))
        return pl.concat([rows.select(columns).collect() for rows in stored if rows is not None])

    def summary(
        self,
        values: pl.DataFrame,
        measures: Sequence[Measure],
        weights: pl.DataFrame | None = None,
    ) -> pl.DataFrame:
        """Aggregate these measures over queries; pooled ones need all documents at once."""
        if {"pooled", "weighted"} & {m.declaration.aggregate for m in measures}:
            return self._all_rows().of_systems(values, measures, weights)
        return summarise(values, list(dict.fromkeys(measures)), weights)

    @cached_property
    def rows(self) -> JudgedRows:
        """The rows of all slices."""
        return self._all_rows()

    def _all_rows(self) -> JudgedRows:
        parts = self._each(lambda part: part.judged.subtopics, "reading")
        subtopics = [rows for rows in parts if rows is not None]
        return JudgedRows(
            self.judged_documents(),
            in_order(subtopics, [*self.systems]) if subtopics else None,
            expected=self._tie_rule.expected,
            one_where_barren=self._one_where_barren,
        )

    def judged_documents(self) -> pl.DataFrame:
        """Return the judged frame, of all slices."""
        parts = self._each(lambda part: part.judged.frame, "reading")
        return in_order(parts, [*self.systems])

    def judged_of(self, queries: Iterable[str]) -> pl.DataFrame:
        """Return the judged frame of some queries."""
        named = pl.Series(QUERY_ID, list(queries), pl.String).to_frame()
        wanted = pl.col(QUERY_ID).is_in(named[QUERY_ID].implode())
        judged = self.judged
        found = [judged.frame]
        for number in range(self._partition.n):
            if named.select(self._partition.in_slice(number).any()).item():
                rows = self._stored(number, _FRAME, wanted)
                found += [] if rows is None else [rows]
        return in_order(found, [*self.systems])

    def fact(self, fact: Fact) -> pl.DataFrame:
        """Find a fact of the judged documents of each slice, and join them."""
        return fact.joined(self._each(lambda part: part.fact(fact), "judging"), [*self.systems])

    def tie_bounds(
        self, values: pl.DataFrame, measures: Sequence[Measure]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Compute the scores under the worst and the best order of equal scores."""

        def bounds_of(part: _Slice) -> tuple[pl.DataFrame, pl.DataFrame]:
            queries = part.judged.frame.select(SYSTEM, QUERY_ID).unique()
            own = values.join(queries, on=[SYSTEM, QUERY_ID], how="semi", maintain_order="left")
            return part.tie_bounds(own, measures)

        worst, best = zip(*self._each(bounds_of, "judging"), strict=True)
        return in_order(worst, [*self.systems]), in_order(best, [*self.systems])

    def unjudged_from(self, measure: Measure, first: str) -> Unjudged:
        """Find unjudged documents in each slice."""
        found = self._each(lambda part: part.unjudged_from(measure, first), "reading")
        return joined_unjudged(found, [*self.systems])

    def same_lists(self, one: str, other: str) -> bool:
        """Return whether two systems returned the same documents in the same order."""
        return all(part.same_lists(one, other) for part in self._slices())
