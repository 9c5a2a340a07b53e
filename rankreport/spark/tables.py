"""Spark DataFrames as sources: their columns, and the rows of each bucket of queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import polars as pl
from pyspark.sql import functions as f

from rankreport import io
from rankreport.column_names import ALIASES, find_columns, folded
from rankreport.errors import DataError, OptionError
from rankreport.frames import DATASET, DOC_ID, QUERY_ID, RANK, RELEVANCE, REPEAT, SCORE, SYSTEM

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


_NUMBERS = {SCORE, RELEVANCE, RANK}

ALONE = "run"
"""The name of a run by itself, unless ``name`` is given."""


@dataclass(frozen=True, eq=False)
class SparkTable:
    """A DataFrame with the columns and types of a source.

    Attributes
    ----------
    rows
        The DataFrame. Columns have the names of `rankreport.frames`; identifiers are text, other
        columns are as they were given.
    source
        A source with these columns and no rows, for checks that need the columns alone.
    """

    rows: DataFrame
    source: io.Source

    def named_by_kind(self) -> tuple[DataFrame, dict[str, str]]:
        """Return the rows with the type in the name of numbers, so that those of others differ.

        Returns
        -------
        rows : DataFrame
            The rows.
        names : dict
            For each column that describes a document of a query, its name in these rows.
        """
        names = {
            column: f"{column} {kind}" if column in _NUMBERS else column
            for column, kind in self.rows.dtypes
        }
        rows = self.rows.withColumnsRenamed(names)
        return rows, {column: name for column, name in names.items() if column != SYSTEM}


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of all systems.

    Attributes
    ----------
    rows
        Their rows, with the column ``system``; null in the columns that a system lacks.
    sources
        For each system, as of a `SparkTable`.
    columns
        For each system, the columns that it has, and their names in the rows.
    """

    rows: DataFrame
    sources: Mapping[str, io.Source]
    columns: Mapping[str, Mapping[str, str]]

    def without_ranks(self) -> Runs:
        """Return them without ranks if all have scores: fewer columns are exchanged then."""
        if not all(of.scored for of in self.sources.values()):
            return self
        columns = {
            system: {column: name for column, name in of.items() if column != RANK}
            for system, of in self.columns.items()
        }
        ranks = {of[RANK] for of in self.columns.values() if RANK in of}
        return replace(self, rows=self.rows.drop(*ranks), columns=columns)


def opened(
    name: str,
    role: io.Role,
    given: Any,
    also: tuple[str, ...] = (),
    system: Column | None = None,
) -> SparkTable:
    """Open a DataFrame as a source.

    Parameters
    ----------
    name, role
        As of `rankreport.io.Source`.
    given
        The DataFrame.
    also
        Further columns to keep, as text.
    system
        What the column ``system`` is to hold, if there is to be one.

    Raises
    ------
    OptionError
        If it is no DataFrame of Spark, or lacks a further column.
    DataError
        If a column is missing, an identifier column is neither text nor integer, or the rows are
        of several data sets or runs.
    """
    expect_spark(name, given, "evaluate it with rankreport.evaluate")
    _check_one_part(name, given)
    implicit = role is io.QRELS and io.is_implicit(given.columns)
    n = given.count() if implicit else 0
    if implicit:
        pair = role.find(given.columns)[0].values()
        given = given.dropDuplicates([*pair]).withColumn(RELEVANCE, f.lit(1.0))
    # Columns and types alone: no row is read.
    empty = pl.DataFrame(given.limit(0).toArrow())
    lacking = [column for column in also if column not in empty.columns]
    if lacking:
        raise OptionError(
            f"{name} has no column {lacking[0]!r}. Its columns: {', '.join(empty.columns)}."
        )
    source = io.table_source(name, role, io.Frame(empty.lazy))
    as_given = role.find(empty.columns)[0] | {column: column for column in also}
    own = {c: of for c, of in as_given.items() if source.scored or c != SCORE}
    named = [given[quoted(of)].alias(column) for column, of in as_given.items()]
    if implicit:
        source = replace(source, remarks=(*source.remarks, io.Remark(io.IMPLICIT, n)))
    floats = [
        column for column in own if column not in _NUMBERS and empty.schema[own[column]].is_float()
    ]
    if floats:
        _check_floats(name, given.select(*named), empty, {key: own[key] for key in floats})
        source = replace(source, remarks=(*_floats(given, own, floats), *source.remarks))
    systems = [] if system is None else [system.alias(SYSTEM)]
    kept = [
        given[quoted(of)].alias(column)
        if column in _NUMBERS
        else (_whole(given, of) if column in floats else text(given, of)).alias(column)
        for column, of in own.items()
    ]
    return SparkTable(given.select(*kept, *systems), source)


def _whole(given: DataFrame, own: str) -> Column:
    """Return a column of whole floats as text."""
    return given[quoted(own)].cast("bigint").cast("string")


def _check_floats(
    name: str, given: DataFrame, empty: pl.DataFrame, floats: Mapping[str, str]
) -> None:
    """Check that floats for identifiers are whole numbers, as on one machine.

    Raises
    ------
    DataError
        With the first row by its values.
    """
    for column, own in floats.items():
        value = f.col(column).cast("double")
        whole = (value == f.floor(value)) & (f.abs(value) < io.most_exact(empty.schema[own]))
        wrong = given.filter(value.isNotNull() & (f.isnan(value) | ~whole))
        first = pl.DataFrame(wrong.orderBy(*given.columns).limit(1).toArrow())
        if not first.is_empty():
            called = " ".join("null" if each is None else str(each) for each in first.row(0))
            raise io.refused_id(f"{name}, row '{called}'", own, float(first[column][0]))


def _floats(
    given: DataFrame, own: Mapping[str, str], floats: Iterable[str]
) -> tuple[io.Remark, ...]:
    """Count the rows that have floats for identifiers."""
    values = [given[quoted(own[column])].cast("double") for column in floats]
    n = given.filter(reduce(or_, (value.isNotNull() for value in values))).count()
    lowest: list[float] = []
    for value in values:
        some = given.select(value.alias(SCORE)).dropna().distinct().orderBy(SCORE).limit(_EXAMPLES)
        lowest += some.toArrow()[0].to_pylist()
    return io.float_remarks(n, lowest)


_EXAMPLES = 5


def opened_by_subtopic(qrels: Any) -> SparkTable | None:
    """Open judgments as those of subtopics; None if they cannot be opened so."""
    try:
        return opened("qrels", io.SUBTOPIC_QRELS, qrels)
    except DataError:
        return None


def top_grade(judgments: SparkTable) -> float | None:
    """Return the highest grade of judgments that can be used; None without any."""
    rows, keys = judgments.rows, judgments.source.role.keys
    grade = number(rows, RELEVANCE)
    usable = f.abs(grade) < f.lit(float("inf"))
    usable &= ~f.col(QUERY_ID).startswith(io.BOM)
    found = rows.dropna(subset=[*keys]).filter(usable).select(f.max(grade)).toArrow()
    highest: float | None = found[0].to_pylist()[0]
    return highest


def expect_spark(name: str, given: object, instead: str) -> None:
    """Check that something is a DataFrame of Spark.

    Raises
    ------
    OptionError
        If not. ``instead`` says what to do with it instead.
    """
    if not _is_spark(given):
        raise OptionError(
            f"{name}: expected a DataFrame of Spark, found {type(given).__name__}. Make one of it "
            f"with spark.createDataFrame(...), or {instead}."
        )


def uploaded(rows: pl.DataFrame, other: DataFrame) -> DataFrame:
    """Return rows as a DataFrame of the session to which another one belongs."""
    table = rows.to_arrow(compat_level=pl.CompatLevel.oldest())
    found: DataFrame = other.sparkSession.createDataFrame(table)
    return found


def _is_spark(given: object) -> bool:
    return type(given).__module__.startswith("pyspark.sql") and hasattr(given, "toArrow")


def number(given: DataFrame, own: str, column: str | None = None) -> Column:
    """Return a column as numbers, null where it holds none; text as Polars reads it.

    Parameters
    ----------
    given
        The DataFrame.
    own, column
        The name of the column, and its new name.
    """
    value = given[quoted(own)]
    found = value.try_cast("double")
    if dict(given.dtypes)[own] == "string":  # Spark reads " 1" and "1d" too
        found = f.when(value.rlike(_NUMBER), found)
    return found.alias(column or own)


_NUMBER = "^[+-]?(([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?|(?i:nan|inf|infinity))$"


def text(given: DataFrame, own: str) -> Column:
    """Return a column as text."""
    return given[quoted(own)].try_cast("string")


def ids(name: str, given: DataFrame, own: str) -> Column:
    """Return a column of ids as text.

    Raises
    ------
    DataError
        If it holds neither text nor integers.
    """
    empty = pl.DataFrame(given.select(quoted(own)).limit(0).toArrow())
    io.name_text(name, own, empty.schema[own])
    return text(given, own)


def quoted(column: str) -> str:
    """Return the name of a column as expressions of Spark spell it."""
    return f"`{column.replace('`', '``')}`"


def opened_runs(
    given: Any,
    name: str | None,
    also: Mapping[str, tuple[str, ...]] | None = None,
    refused: dict[str, DataError] | None = None,
) -> Runs:
    """Open the runs of one or more systems.

    Parameters
    ----------
    given
        ``{system: DataFrame}``, or a DataFrame, in which a column ``system`` (``run``, ``model``,
        ``tag``, ``name``) may name the system of each row: systems are then sorted by name.
    name
        The name of a run by itself.
    also
        Further columns to keep of systems, as text.
    refused
        Takes the errors of runs that cannot be opened, if these are to be left out.

    Raises
    ------
    OptionError, DataError
        As for `opened`, and if the system of a row is missing, or it is not sure that the column
        names systems; where ``refused`` is given, only if no run can be opened.
    """
    further = also or {}
    if not isinstance(given, Mapping):
        column = _column_of_systems(given)
        if column is not None:
            return _of_column(given, column, further)
        given = {name or ALONE: given}
    if not given:
        raise OptionError("runs is empty: give at least one system.")
    if name is not None and list(given) != [name]:
        raise OptionError(
            f"name={name!r} is for a run by itself; these have names: {', '.join(map(str, given))}."
        )
    given = io.by_name("runs", given)
    io.check_names(given)
    tables: dict[str, SparkTable] = {}
    for system, rows in given.items():
        try:
            columns = further.get(system, ())
            _check_one_system(f"run {system!r}", rows)
            tables[system] = opened(f"run {system!r}", io.RUN, rows, columns, f.lit(system))
        except DataError as error:
            if refused is None:
                raise
            refused[system] = error
    if not tables and refused:
        raise next(iter(refused.values()))
    named = {system: table.named_by_kind() for system, table in tables.items()}
    every = [rows for rows, _ in named.values()]
    return Runs(
        reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), every),
        {system: table.source for system, table in tables.items()},
        {system: names for system, (_, names) in named.items()},
    )


def _of_column(given: DataFrame, column: str, further: Mapping[str, tuple[str, ...]]) -> Runs:
    """Open the runs of the systems that a column names."""
    system = ids("runs", given, column)
    every = tuple(dict.fromkeys(each for of in further.values() for each in of))
    table = opened("runs", io.RUN, given, every, system)
    names = sorted(_values(table.rows, SYSTEM))
    sources = {each: replace(table.source, name=f"run {each!r}") for each in names}
    if table.source.remarks:  # how many floats each system has
        for each in names:
            alone = opened(f"run {each!r}", io.RUN, given.filter(system == each), every)
            sources[each] = replace(sources[each], remarks=alone.source.remarks)
    if len(names) > 1:
        named = io.Remark(io.BY_COLUMN)
        sources = {n: replace(s, remarks=(*s.remarks, named)) for n, s in sources.items()}
    rows, columns = table.named_by_kind()
    return Runs(rows, sources, dict.fromkeys(names, columns))


def _values(rows: DataFrame, column: str) -> list[Any]:
    found: list[Any] = rows.select(quoted(column)).distinct().toArrow()[0].to_pylist()
    return found


def _is_constant(given: DataFrame, column: str) -> bool:
    """Return whether a column holds at most one value that is not null.

    Rows of another value than one of them are looked for: where the minimum and maximum of a file's
    rows are known, as in Parquet, hardly any row is read. All values would be hashed row by row.
    """
    value = given[quoted(column)].cast("string")
    texts = given.select(value.alias(SYSTEM)).filter(f.col(SYSTEM).isNotNull())
    first = texts.limit(1).toArrow()[0].to_pylist()
    return not first or texts.filter(f.col(SYSTEM) != first[0]).isEmpty()


def _column_of_systems(given: Any) -> str | None:
    """Return the column of a DataFrame that names the systems of its rows, if any."""
    if not _is_spark(given):
        return None
    found, missing = io.SYSTEMS.find(given.columns)
    if missing:
        return None
    column = found[SYSTEM]
    names = _values(given, column)
    if None in names:
        without = given.filter(given[quoted(column)].isNull())
        keys = [quoted(found[key]) for key in (QUERY_ID, DOC_ID)]
        rows = pl.DataFrame(without.select(*keys).orderBy(*keys).limit(1).toArrow())
        called = " ".join("null" if each is None else str(each) for each in rows.row(0))
        raise DataError(f"runs, row '{called}' has no system in column {column!r}.")
    if len(names) > 1 and folded(column) != SYSTEM and not _share_documents(given, found):
        raise io.not_systems("runs", column, len(names))
    return column


def _share_documents(given: DataFrame, found: Mapping[str, str]) -> bool:
    """Return whether a document of a query stands under two values of the column of systems.

    A title of documents may be called so too: then it does not.
    """
    pairs = given.select(*(given[quoted(own)].alias(key) for key, own in found.items())).distinct()
    return not pairs.groupBy(QUERY_ID, DOC_ID).count().filter("count > 1").isEmpty()


def _check_one_part(name: str, given: DataFrame) -> None:
    """Check that rows are of one data set and one run of a system: Spark would pool them."""
    parts = {DATASET: ALIASES[DATASET], REPEAT: (REPEAT,)}
    for column in find_columns(given.columns, parts, parts)[0].values():
        if not _is_constant(given, column):
            values = ", ".join(map(repr, sorted(map(str, _values(given, column)))[:3]))
            raise DataError(
                f"{name} has several values in column {column!r}: {values}. On Spark, data sets "
                f"and repeated runs are evaluated one at a time: filter the rows by {column!r}, or "
                f"use rankreport.evaluate on one machine."
            )


def _check_one_system(name: str, given: Any) -> None:
    """Check that the rows of a run are not those of several systems, as on one machine."""
    if not _is_spark(given):
        return
    found, missing = io.SYSTEMS.find(given.columns)
    if missing:
        return
    column = found[SYSTEM]
    if _is_constant(given, column):
        return
    names = sorted(str(each) for each in _values(given, column) if each is not None)
    if len(names) > 1 and (folded(column) == SYSTEM or _share_documents(given, found)):
        raise io.not_one_system(name, column, names)
