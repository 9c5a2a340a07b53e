"""The origin of results whose judgments, too, are read in slices by query.

Judgments and runs are joined slice by slice, and the judged rows of a slice are stored in a
temporary file. What is kept is a row per system and query. Every result is that of reading all at
once: what is found of a query needs no other, and what spans queries is joined here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from rankreport.errors import DataError
from rankreport.evaluation.judging import Judged
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.parts import FromParts
from rankreport.frames import DOC_ID, QUERY_ID, TOP_GRADE
from rankreport.io import Partition, check_judgments
from rankreport.progress import stage

_FRAME = "judged"
_SUBTOPICS = "judged subtopics"
"""What is stored of a slice."""


@dataclass(frozen=True, eq=False)
class _Slice(FromRuns):
    """Results of a slice, and its judged rows if they are stored."""

    known: Judged | None = None

    @cached_property
    def judged(self) -> Judged:
        """The judged frame of the slice, with its counts."""
        return super().judged if self.known is None else self.known


class FromSlices(FromParts[_Slice]):
    """Results of judgments and runs that are read in the same slices.

    `judged` holds no judged rows; `judged_documents` reads those of all slices.
    """

    @cached_property
    def judged(self) -> Judged:
        """The counts of all slices; without the judged rows."""
        try:
            judged = Judged.joined(self._counts, [*self.systems])
            if not judged.n_judgments or not all(look.n_rows for look in judged.looks.values()):
                self._check_sources()
        except DataError:
            self._check_sources()
            raise
        if self.collapse is not None:
            for system in self.systems:
                self.reader_of(system).check_separated()
        judged = judged.looked_at(judged.queries_looked_at(self.n_looked_at), self.rows_of)
        judged.check_shared_queries(self.qrels, self.systems, self.settings)
        return judged

    @cached_property
    def _counts(self) -> list[Judged]:
        """What was found of each slice, without the judged rows, which are stored."""
        found = []
        with stage("reading", total=len(self.systems) * self._partition.n) as advance:
            for number in range(self._partition.n):
                judged = self._slice(number).judge_all(lambda _: advance(1))
                self._store(number, _FRAME, judged.frame)
                self._store(number, _SUBTOPICS, judged.subtopics)
                found.append(judged.without_rows())
                del judged  # before the next slice is read
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
        given = self.as_given()
        systems = {
            system: source.of_slice(number, *self.reader_of(system).columns)
            for system, source in self.systems.items()
        }
        changed: dict[str, Any] = {
            "qrels": self.qrels.of_slice(number),
            "systems": systems,
            "by_subtopic": None,
            "part": True,
            "n_looked_at": 0,
            "without_answer": self._in_slice(number, self.without_answer),
        }
        return _Slice(**{**given, **changed}, known=known)

    @property
    def n_parts(self) -> int:
        """The number of slices."""
        return self._partition.n

    def parts(self) -> Iterator[_Slice]:
        """Yield the results of each slice with judged rows, one at a time."""
        judged = self.judged  # where rows are invalid, an error
        for number, counts in enumerate(self._counts):
            frame = self._stored(number, _FRAME)
            if frame is None or frame.is_empty():
                continue
            subtopics = self._stored(number, _SUBTOPICS)
            top = judged.top_grade
            known = counts._replace(frame=frame, subtopics=subtopics, top_grade=top)
            del frame, subtopics
            yield self._slice(number, known)
            del known

    def _stored(self, number: int, kind: str) -> pl.DataFrame | None:
        """Read what is stored of a slice, with the highest grade of all."""
        rows = self._partition.stored(number, kind)
        if rows is None:
            return None
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

    def _in_slice(self, number: int, queries: Sequence[str]) -> tuple[str, ...]:
        """Return the queries that are in a slice."""
        named = pl.DataFrame({QUERY_ID: queries}, schema={QUERY_ID: pl.String})
        return tuple(named.filter(self._partition.in_slice(number))[QUERY_ID])
