"""Invalid rows of a DataFrame: found by Spark, and reported as on one machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
from pyspark.sql import Window
from pyspark.sql import functions as f

from rankreport.errors import DataError, EmptyError
from rankreport.evaluation import Collapse, DocumentColumn, Passages, Separator
from rankreport.frames import DOC_ID, QUERY_ID, RELEVANCE, SYSTEM
from rankreport.io import (
    AFTER_MARK,
    BOM,
    POSITION,
    ROWS_NAMED,
    Role,
    Source,
    fault,
    fault_words,
    of_subtopics,
    repeated_fault,
)
from rankreport.spark.tables import Runs, SparkTable, number

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_KIND, _N, _PLACE, _GRADES = "kind", "n", "place", "grades"
"""Columns: the kind of fault of a row, a count, a place in some order, and grades of a document."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with rows of a system, or of the judgments, whose ``system`` is empty."""

    system: str
    kind: str
    error: DataError


@dataclass(frozen=True, eq=False)
class Repeated:
    """Documents that stand twice in a query, of a system or of the judgments.

    Attributes
    ----------
    n_rows, n_documents
        How many rows repeat another one, and how many documents are repeated.
    rows
        The rows of the first of these documents, as of `Source.numbered`.
    """

    n_rows: int
    n_documents: int
    rows: pl.DataFrame

    def error(self, source: Source) -> DataError:
        """Return the error for the rows that repeat another one."""
        first = pl.struct(source.role.keys).is_first_distinct()
        again = self.rows.filter(~first).head(ROWS_NAMED)
        if again.is_empty():
            return _changed(source)
        return repeated_fault(source, again, self.rows.filter(first), self.n_rows)

    def documents(self, role: Role) -> pl.DataFrame:
        """Return the keys of the first documents, and their grades."""
        of_document = self.rows.group_by(role.keys, maintain_order=True)
        grades = pl.col(role.value).cast(pl.Float64).unique().sort()
        return of_document.agg(grades).head(ROWS_NAMED)


def first_fault(
    table: SparkTable, sources: Mapping[str, Source], *, repeated: bool = False
) -> DataError | None:
    """Return the error for the first invalid row, by system, kind of fault, query and document.

    Parameters
    ----------
    table, sources
        As for `row_faults`.
    repeated
        Whether a document may be repeated in a query.

    Returns
    -------
    DataError or None
        None if all rows are valid.
    """
    found: dict[str, list[Fault]] = {}
    for each in row_faults(table, sources):
        found.setdefault(each.system, []).append(each)
    several = {} if repeated else repeated_rows(table, sources)
    for system, source in sources.items():
        if system in found:
            # On one machine a mark before a query is reported before anything else.
            return min(found[system], key=lambda each: each.kind != "marked").error
        if both := [of[system] for of in several.values() if system in of]:
            return _joined(both, source)
    return None


def fault_of_judgments(table: SparkTable, by_subtopic: SparkTable | None) -> DataError | None:
    """Return the error for judgments with an invalid row; None if all are valid.

    Parameters
    ----------
    table
        The judgments.
    by_subtopic
        The same as judgments of subtopics, if they can be opened so.
    """
    error = first_fault(table, {"": table.source})
    if error is not None and are_of_subtopics(by_subtopic):
        return of_subtopics(table.source)
    return error


def are_of_subtopics(by_subtopic: SparkTable | None) -> bool:
    """Return whether judgments can be read as those of subtopics, without a fault."""
    return by_subtopic is not None and first_fault(by_subtopic, {"": by_subtopic.source}) is None


def _changed(source: Source) -> DataError:
    """Return the error for rows that are others each time, as of a sample without a seed."""
    return DataError(
        f"{source.name} changed while it was read. Write it as a table, and try again."
    )


def no_rows(source: Source) -> EmptyError:
    """Return the error for a source without rows."""
    return EmptyError(f"{source.name} has no rows. Expected {source.role.noun}.")


def folding_faults(runs: Runs, folding: Collapse) -> Iterator[tuple[str, DataError]]:
    """Yield the systems whose rows cannot be folded, each with the error."""
    for table, systems in runs.tables:
        for system in systems:
            source = runs.sources[system]
            rows = table.rows.filter(f.col(SYSTEM) == system)
            of = folding.document_of.get(system)
            match of:
                case Separator(text):
                    if rows.filter(f.col(DOC_ID).contains(text)).isEmpty():
                        first = _home(rows.orderBy(QUERY_ID, DOC_ID).limit(1))
                        try:
                            folding.check(first, system, source)
                        except DataError as error:
                            yield system, error
                case DocumentColumn(name):
                    lacking = rows.filter(f.col(name).isNull())
                    if n := lacking.count():
                        first = _home(lacking.orderBy(QUERY_ID, DOC_ID).limit(1))
                        yield system, of.fault(first, source, n)
                case Passages():
                    known = of.documents.select(DOC_ID).to_arrow(compat_level=OLDEST)
                    known_there = table.rows.sparkSession.createDataFrame(known)
                    lacking = rows.select(DOC_ID).distinct().join(known_there, DOC_ID, "left_anti")
                    if n := lacking.count():
                        first = _home(lacking.orderBy(DOC_ID).limit(ROWS_NAMED))
                        yield system, of.fault(first, source, n)


def _home(rows: DataFrame) -> pl.DataFrame:
    return pl.DataFrame(rows.toArrow())


OLDEST = pl.CompatLevel.oldest()
"""The forms of Arrow that Spark reads."""


def _joined(both: list[Repeated], source: Source) -> DataError:
    """Return the error for repeated rows with equal and with different grades."""
    rows = pl.concat([each.rows for each in both]).sort(source.role.keys, maintain_order=True)
    n_rows, n_documents = (
        sum(getattr(each, n) for each in both) for n in ("n_rows", "n_documents")
    )
    return Repeated(n_rows, n_documents, rows).error(source)


def row_faults(table: SparkTable, sources: Mapping[str, Source]) -> Iterator[Fault]:
    """Yield what is wrong with rows by themselves, each kind of fault once.

    Parameters
    ----------
    table
        The rows of some systems, or the judgments.
    sources
        For each system, or for the judgments under an empty name, what its rows should be.

    Yields
    ------
    Fault
        By system. The kind is ``"invalid"``, or ``"marked"`` where the query begins with a mark
        that nobody sees.
    """
    rows = _with_kinds(table).filter(f.col(_KIND).isNotNull())
    of = _systems_of(table)
    counts = _home(rows.groupBy(*of, _KIND).agg(f.count(f.lit(1)).alias(_N)))
    if counts.is_empty():
        return
    role = table.source.role
    order = Window.partitionBy(*of, _KIND).orderBy(*role.columns)
    first = rows.withColumn(_PLACE, f.row_number().over(order)).filter(f.col(_PLACE) <= ROWS_NAMED)
    firsts = _home(first).sort(_PLACE)
    for system, source in sources.items():
        own, n_of = (_of_system(each, system) for each in (firsts, counts))
        words = fault_words(source)
        # Of missing keys only the first is reported, as on one machine.
        later = pl.col(_KIND).is_between(pl.col(_KIND).min() + 1, len(role.keys) - 1)
        for kind, n in n_of.filter(~later).sort(_KIND).select(_KIND, _N).iter_rows():
            called = _numbered(own.filter(pl.col(_KIND) == kind), role)
            if called.is_empty():
                yield Fault(system, "invalid", _changed(source))
                continue
            marked = kind == len(words)
            what = AFTER_MARK if marked else words[kind](called.row(0, named=True))
            error = fault(source, called, what, n=n)
            yield Fault(system, "marked" if marked else "invalid", error)


def repeated_rows(
    table: SparkTable, sources: Mapping[str, Source]
) -> dict[bool, dict[str, Repeated]]:
    """Find the documents that stand twice in a query, among valid rows.

    Parameters
    ----------
    table, sources
        As for `row_faults`.

    Returns
    -------
    dict
        Under False those whose grades are equal, and all of runs; under True those whose grades
        differ. Of each, those of every system that has some, or of the judgments under an empty
        name.
    """
    role, of = table.source.role, _systems_of(table)
    rows = _with_kinds(table).filter(f.col(_KIND).isNull()).drop(_KIND)
    keys = [*of, *role.keys]
    several = f.lit(1)
    if role.value == RELEVANCE:
        several = f.count_distinct(number(rows, role.value))
    twice = rows.groupBy(*keys).agg(f.count(f.lit(1)).alias(_N), several.alias(_GRADES))
    twice = twice.filter(f.col(_N) > 1).withColumn(_KIND, f.col(_GRADES) > 1)
    totals = twice.groupBy(*of, _KIND).agg(
        f.sum(f.col(_N) - 1).alias("n_rows"), f.count(f.lit(1)).alias("n_documents")
    )
    counts = _home(totals)
    found: dict[bool, dict[str, Repeated]] = {False: {}, True: {}}
    if counts.is_empty():
        return found
    order = Window.partitionBy(*of, _KIND).orderBy(*role.keys)
    first = twice.withColumn(_PLACE, f.row_number().over(order)).filter(f.col(_PLACE) <= ROWS_NAMED)
    own = rows.join(first.select(*keys, _KIND, _PLACE), keys)
    within = Window.partitionBy(*keys).orderBy(role.value)
    own = own.withColumn(_N, f.row_number().over(within)).filter(f.col(_N) <= ROWS_NAMED + 1)
    firsts = _home(own).sort(_PLACE, _N)
    for system in sources:
        for conflict, n_rows, n_documents in (
            _of_system(counts, system).select(_KIND, "n_rows", "n_documents").iter_rows()
        ):
            of_kind = _of_system(firsts, system).filter(pl.col(_KIND) == conflict)
            numbered = _numbered(of_kind, role)
            found[conflict][system] = Repeated(int(n_rows), n_documents, numbered)
    return found


def _with_kinds(table: SparkTable) -> DataFrame:
    """Return the rows as given, with the number of the first fault of each; null without one."""
    rows, role = table.given, table.source.role
    value = number(rows, role.value)
    wrong = [
        *(f.col(key).isNull() for key in role.keys),
        value.isNull(),
        f.isnan(value) | (f.abs(value) == f.lit(float("inf"))),
        f.col(QUERY_ID).cast("string").startswith(BOM),
    ]
    kinds: list[Column] = [f.when(each, f.lit(place)) for place, each in enumerate(wrong)]
    return rows.withColumn(_KIND, f.coalesce(*kinds))


def _systems_of(table: SparkTable) -> list[str]:
    return [SYSTEM] if SYSTEM in table.given.columns else []


def _of_system(rows: pl.DataFrame, system: str) -> pl.DataFrame:
    return rows.filter(pl.col(SYSTEM) == system) if SYSTEM in rows.columns else rows


def _numbered(rows: pl.DataFrame, role: Role) -> pl.DataFrame:
    """Return rows as text, each of which is called by what it holds."""
    texts = [pl.col(column).cast(pl.String) for column in role.columns]
    called = pl.concat_str([text.fill_null("null") for text in texts], separator=" ")
    return rows.select(pl.format("'{}'", called).alias(POSITION), *texts)
