"""The origin of results whose judgments and runs are read in parts, each of other queries.

Every result is that of reading all at once: what is found of a query needs no other, and what spans
queries is joined here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Generic, TypeVar

import polars as pl

from rankreport.evaluation.facts import Fact
from rankreport.evaluation.judging import in_order
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.unjudged import Unjudged
from rankreport.frames import QUERY_ID, SYSTEM
from rankreport.measures import JudgedRows, Measure, summarise, values_in_parts
from rankreport.progress import stage

_Found = TypeVar("_Found")
_Part = TypeVar("_Part", bound=FromRuns)


class FromParts(FromRuns, Generic[_Part]):
    """Results of judgments and runs that are read in parts.

    `judged` holds no judged rows; `judged_documents` reads those of all parts.
    """

    @property
    @abstractmethod
    def n_parts(self) -> int:
        """The number of parts."""

    @abstractmethod
    def parts(self) -> Iterator[_Part]:
        """Yield the results of each part with judged rows, one at a time."""

    def each(self, find: Callable[[_Part], _Found], name: str = "judging") -> list[_Found]:
        """Find something in each part with judged rows."""
        found = []
        with stage(name, total=self.n_parts) as advance:
            for part in self.parts():
                found.append(find(part))
                del part  # before the next part is read
                advance(1)
        return found

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute these measures, part by part."""
        return self.of_all_queries(self._values(lambda part: part.rows.of_queries(measures)))

    def values_in_parts(self, measures: Sequence[Measure], most: int) -> Iterator[pl.DataFrame]:
        """Compute measures a few at a time."""
        return values_in_parts(self.values, measures, most)

    def values_within(self, measures: Sequence[Measure], depth: int) -> pl.DataFrame:
        """Compute measures of lists that are cut, part by part."""
        cut = self._values(lambda part: part.rows.within(depth).of_queries(measures))
        return self.of_all_queries(cut)

    def best_values(self, measure: Measure, n: int) -> pl.DataFrame:
        """Compute a measure, and the best that it could be, part by part."""
        return self._values(lambda part: part.best_values(measure, n))

    def values_as_ordered(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute measures of the rows in their order; no mean over orders is taken."""
        return self._values(lambda part: part.values_as_ordered(measures))

    def first_shown(self, k: int | None) -> pl.DataFrame:
        """Read the first documents of all lists, part by part."""
        return pl.concat(self.each(lambda part: part.first_shown(k), "reading"))

    def _values(self, compute: Callable[[_Part], pl.DataFrame]) -> pl.DataFrame:
        return in_order(self.each(compute), [*self.systems])

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
        """The rows of all parts."""
        return self._all_rows()

    def _all_rows(self) -> JudgedRows:
        parts = self.each(lambda part: part.judged.subtopics, "reading")
        subtopics = [rows for rows in parts if rows is not None]
        return JudgedRows(
            self.judged_documents(),
            in_order(subtopics, [*self.systems]) if subtopics else None,
            expected=self._tie_rule.expected,
            one_where_barren=self._one_where_barren,
        )

    def judged_documents(self) -> pl.DataFrame:
        """Return the judged frame, of all parts."""
        parts = self.each(lambda part: part.judged.frame, "reading")
        return in_order(parts, [*self.systems])

    def judged_of(self, queries: Iterable[str]) -> pl.DataFrame:
        """Return the judged frame of some queries."""
        return in_order(self.each(lambda part: part.judged_of(queries)), [*self.systems])

    def fact(self, fact: Fact) -> pl.DataFrame:
        """Find a fact; one of documents in each part, and join them."""
        if not fact.of_documents:
            return super().fact(fact)
        return fact.joined(self.each(lambda part: part.fact(fact)), [*self.systems])

    def tie_bounds(
        self, values: pl.DataFrame, measures: Sequence[Measure]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Compute the scores under the worst and the best order of equal scores."""

        def bounds_of(part: _Part) -> tuple[pl.DataFrame, pl.DataFrame]:
            queries = part.judged.frame.select(SYSTEM, QUERY_ID).unique()
            own = values.join(queries, on=[SYSTEM, QUERY_ID], how="semi", maintain_order="left")
            return part.tie_bounds(own, measures)

        worst, best = zip(*self.each(bounds_of), strict=True)
        return in_order(worst, [*self.systems]), in_order(best, [*self.systems])

    def condensed(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute measures of the lists without unjudged documents, part by part."""
        return self._values(lambda part: part.condensed(measures))

    def unjudged_from(self, measure: Measure, first: str) -> Unjudged:
        """Find unjudged documents in each part."""
        found = self.each(lambda part: part.unjudged_from(measure, first), "reading")
        return Unjudged.joined(found, [*self.systems])

    def same_lists(self, one: str, other: str, pool: int | None = None) -> bool:
        """Return whether two systems returned the same documents, as of the whole runs."""
        return all(part.same_lists(one, other, pool) for part in self.parts())
