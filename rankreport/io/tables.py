"""Tables with named columns: CSV, TSV, Parquet, JSON lines, and frames of any library."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.exceptions import PanicException

from rankreport.column_names import ALIASES, find_columns, folded
from rankreport.errors import DataError
from rankreport.frames import (
    DOC_ID,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SCORE,
    SUBTOPIC,
    SYSTEM,
    shown_dtype,
)
from rankreport.io.arrays import array_of, is_pandas
from rankreport.io.code_in_messages import FROM_PANDAS, POLARS_IMPORT, code_reading, code_renaming
from rankreport.io.ids import (
    float_remarks,
    floats_of,
    has_floats,
    id_text,
    ids_of_values,
    may_hold_ids,
    of_unicode,
    refuse_floats,
    refused_column,
    refused_id,
    shown_value,
    wrong_float,
)
from rankreport.io.kept_inputs import note_file
from rankreport.io.roles import (
    QRELS,
    RUN,
    SUBTOPIC_QRELS,
    SYSTEMS,
    USERS,
    Role,
    is_implicit,
    swapped,
)
from rankreport.io.source import (
    FAILURES,
    POSITION,
    Contents,
    Remark,
    Source,
    collecting,
    is_file,
    reason_of,
)


class SourceTable(Protocol):
    """A table with named columns, in a file or in memory."""

    @property
    def unit(self) -> str:
        """The name of a row in messages: ``"line"`` or ``"row"``."""

    @property
    def columns(self) -> Mapping[str, pl.DataType]:
        """The columns with their types."""

    def scan(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan columns."""

    def numbered(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan columns, and the ``position`` of each row, from 1."""

    def check_keys(self, keys: Mapping[str, str]) -> None:
        """Check identifiers that only this format can have; ``keys`` names them in the file."""
        del keys

    def unlike_text(self, column: str) -> Mapping[int, Any]:
        """Return values by position that are neither text nor integers, if a type hides them."""
        del column
        return {}

    @property
    def decimal(self) -> str:
        """What stands before the decimals of numbers that are text."""
        return "."

    @property
    def line(self) -> str:
        """The line that makes a frame of Polars of what was given, where that was a frame."""
        return ""

    @cached_property
    def systems(self) -> NamedSystems | None:
        """The column that may name systems; None without such a column."""
        found, missing = SYSTEMS.find(self.columns)
        if missing:
            return None
        own, *keys = found.values()
        named = self.scan([own]).select(system_of_row(own)).unique(maintain_order=True)
        names = named.collect()[own]
        systems = names.drop_nulls()
        sure = folded(own) == SYSTEM
        if not sure and len(systems) > 1:
            rows = self.scan([own, *keys]).unique()
            sure = bool(rows.select(pl.struct(keys).is_duplicated().any()).collect().item())
        return NamedSystems(own, systems, len(systems) < len(names), sure)


@dataclass(frozen=True)
class Frame(SourceTable):
    """A table that Polars scans: a frame, or Parquet.

    Attributes
    ----------
    rows
        Scans the rows.
    height
        Their number, where it is known.
    of_lines
        Whether they come from lines of a text, whose numbers are in the column ``position``.
    line
        As of every table.
    """

    rows: Callable[[], pl.LazyFrame]
    height: int | None = None
    of_lines: bool = False
    line: str = ""

    @property
    def unit(self) -> str:
        """The name of a row in messages."""
        return "line" if self.of_lines else "row"

    @cached_property
    def columns(self) -> Mapping[str, pl.DataType]:
        """The columns with their types."""
        types = self.rows().collect_schema()
        return {n: t for n, t in types.items() if n != POSITION} if self.of_lines else types

    def scan(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan columns."""
        return self.rows().select(columns)

    def numbered(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan columns, and the number of each row."""
        if self.of_lines:
            return self.rows().select(POSITION, *columns)
        return self.scan(columns).with_row_index(POSITION, 1)


@dataclass(frozen=True)
class View(SourceTable):
    """Some columns of a table under other names, and some of its rows.

    Attributes
    ----------
    table
        The table.
    names
        The names in the table by the names here; others are not seen.
    by
        The column that decides which rows are seen; empty if all are.
    which
        Whether a row is seen.
    """

    table: SourceTable
    names: Mapping[str, str]
    by: str = ""
    which: pl.Expr | None = None

    @property
    def unit(self) -> str:
        """The name of a row in messages."""
        return self.table.unit

    @property
    def decimal(self) -> str:
        """What stands before the decimals of numbers that are text."""
        return self.table.decimal

    @property
    def columns(self) -> Mapping[str, pl.DataType]:
        """The columns with their types."""
        types = self.table.columns
        return {name: types[own] for name, own in self.names.items()}

    def scan(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan columns."""
        return self._seen(self.table.scan(self._needed(columns)), columns)

    def numbered(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan columns, and the position of each row in the table."""
        return self._seen(self.table.numbered(self._needed(columns)), columns, POSITION)

    def check_keys(self, keys: Mapping[str, str]) -> None:
        """Check identifiers as the table does."""
        self.table.check_keys({key: self.names[name] for key, name in keys.items()})

    def unlike_text(self, column: str) -> Mapping[int, Any]:
        """Return what the table does, of the rows that are seen."""
        found = self.table.unlike_text(self.names[column])
        seen = set(self.numbered([]).collect()[POSITION]) if found else ()
        return {position: value for position, value in found.items() if position in seen}

    def _needed(self, columns: Sequence[str]) -> list[str]:
        return [*dict.fromkeys([*(self.names[name] for name in columns), *filter(None, [self.by])])]

    def _seen(self, rows: pl.LazyFrame, columns: Sequence[str], *more: str) -> pl.LazyFrame:
        seen = rows if self.which is None else rows.filter(self.which)
        return seen.select(*more, *(pl.col(self.names[name]).alias(name) for name in columns))


def line_of(given: Any) -> str:
    """Return the line that makes a frame of Polars of a frame that was given."""
    if is_pandas(given):
        return FROM_PANDAS
    return "frame.collect()" if isinstance(given, pl.LazyFrame) else ""


def frame_of(table: Any) -> pl.DataFrame | pl.LazyFrame | None:
    """Convert a table of any library to a Polars frame; None if it is not a table.

    Identifiers in the index of a pandas frame, under a name that is known, become columns.
    """
    if isinstance(table, pl.LazyFrame):
        _note_scans(table)
    if isinstance(table, pl.DataFrame | pl.LazyFrame):
        return table
    if is_pandas(table) and not hasattr(table, "columns"):
        levels = list(table.index.names)
        rows = len(table) and isinstance(table.iloc[0], list | dict)
        remedy = "dictionaries of the series of all queries: {q: s.to_dict() for q, s in x.items()}"
        remedy = "a dictionary of it: series.to_dict()" if rows else remedy
        if len(levels) != 2:
            raise DataError(f"A {type(table).__name__} of pandas is one column. Make {remedy}.")
        named = table if None not in levels else table.rename_axis([QUERY_ID, DOC_ID])
        table = named.reset_index(name=SCORE)
    if hasattr(table, "tocoo"):  # a sparse matrix of SciPy, of users and items by their positions
        cells = table.tocoo()
        return pl.DataFrame({"user_id": cells.row, "item_id": cells.col, SCORE: cells.data})
    if hasattr(table, "__arrow_c_stream__"):
        table = _with_index(table)
        try:
            return pl.DataFrame(table)
        except UnicodeEncodeError as error:
            raise DataError(f"A table holds what is not valid Unicode: {error.object!r}.") from None
        except (Exception, PanicException) as error:  # noqa: BLE001 - each library has its own
            if (found := _of_mixed_ids(table)) is not None:
                return found
            raise DataError(
                f"A table cannot be read ({reason_of(error)}). Is a column of mixed kinds? Make "
                f"text of it, frame[column].astype(str), or numbers: pd.to_numeric(frame[column])."
            ) from None
    return None


_SCAN = r"(?m)^\s*\w+ SCAN \[(.*)\]$"


def _note_scans(table: pl.LazyFrame) -> None:
    """Note the files that a table is scanned from, as far as Polars names them: a few of many."""
    try:
        plan = table.explain(optimized=False)
    except FAILURES:  # reported when it is read
        return
    for names in re.findall(_SCAN, plan):
        for name in filter(is_file, (names, *names.split(", "))):
            note_file(Path(name))


def collected(name: str, frame: pl.DataFrame | pl.LazyFrame) -> pl.DataFrame:
    """Return the rows of a frame, of which a lazy one may fail now.

    Raises
    ------
    DataError
        If it does.
    """
    with collecting(name, "as a table", ""):
        return frame.lazy().collect()


def rows_of_table(name: str, role: Role, given: Any) -> pl.DataFrame | pl.LazyFrame | None:
    """Convert a table of any library to a Polars frame; None if it is not a table.

    Raises
    ------
    DataError
        If the identifiers seem to be in the index of a pandas frame, under no name that is known.
    """
    frame = frame_of(given)
    if frame is None or not is_pandas(given):
        return frame
    columns = frame.collect_schema()
    found, missing = find_columns(columns, role.keys)
    if not missing or not index_of_texts(given):
        return frame
    if sum(level not in columns for level in given.index.names) < len(missing):
        query = found.get(QUERY_ID, QUERY_ID)
        free = [column for column in columns if column != query]
        if DOC_ID not in missing or not role.value or not _are_numbers(Frame(frame.lazy), free):
            return frame
        if query in found.values() and find_columns([str(given.columns.name)], [DOC_ID])[0]:
            pivoted = frame.lazy().unpivot(index=query, variable_name=DOC_ID, value_name=role.value)
            return pivoted.drop_nulls()
        line = f"frame.rename_axis({query!r}).reset_index().melt({query!r}, var_name={DOC_ID!r}, "
        raise DataError(
            f"{name} has no column for {', '.join(missing)}. If it has a column for each document: "
            f"{line}value_name={role.value!r}).dropna()."
        )
    rest = iter(missing)
    names = [level if level in columns else next(rest, level) for level in given.index.names]
    remedy = f"frame.rename_axis({names if len(names) > 1 else names[0]!r}).reset_index()"
    raise DataError(
        f"{name} has no column for {', '.join(missing)}, but an index. If that holds them, make "
        f"columns of it: {remedy}."
    )


def index_of_texts(given: Any) -> bool:
    """Return whether an object is a frame of pandas whose index may hold identifiers."""
    if not is_pandas(given):
        return False
    names = given.index.names
    named = any(level is not None for level in names)
    return named or len(names) > 1 or str(given.index.dtype) in _TEXTS


_TEXTS = ("object", "str", "string")
"""The types of an index of text in pandas."""


def _with_index(table: Any) -> Any:
    """Return a pandas frame with those levels of its index as columns that identify rows."""
    if not is_pandas(table):
        return table
    present = [str(column) for column in table.columns]
    wanted = [key for key in (QUERY_ID, DOC_ID) if not find_columns(present, [key])[0]]
    known = {alias for key in wanted for alias in ALIASES[key]} | {SYSTEM}
    texts = [level for level in table.index.names if isinstance(level, str)]
    levels = [level for level in texts if folded(level) in known and level not in present]
    return table.reset_index(level=levels) if levels else table


def _of_mixed_ids(table: Any) -> pl.DataFrame | None:
    """Convert a frame of pandas with ids of several kinds, or without PyArrow; None of others.

    Raises
    ------
    DataError
        If one of them can be no identifier.
    """
    if not is_pandas(table) or not table.columns.is_unique:
        return None
    known = {alias for key in (QUERY_ID, DOC_ID, SUBTOPIC, SYSTEM) for alias in ALIASES[key]}
    mixed = [own for own in table.columns if folded(str(own)) in known]
    try:
        others = pl.DataFrame({str(own): _plain(table[own]) for own in table if own not in mixed})
    except Exception:  # noqa: BLE001 - reported for the whole table
        return None
    ids = [ids_of_values("A table", str(own), table[own].tolist()) for own in mixed]
    return others.with_columns(ids).select(map(str, table.columns))


def _plain(column: Any) -> Any:
    """Return a column of pandas as Polars takes it without PyArrow."""
    if getattr(column.dtype, "kind", "O") in "biufM" and isinstance(column.dtype, np.dtype):
        return column.to_numpy()
    return column.astype(object).where(column.notna(), None).tolist()


def table_source(
    name: str,
    role: Role,
    table: SourceTable,
    contents: Contents | None = None,
    *,
    numbers: Mapping[str, str] = MappingProxyType({}),
    also: str | None = None,
) -> Source:
    """Return a source over a table, with columns matched by alias.

    Parameters
    ----------
    name, role, contents
        As of the source.
    table
        The table.
    numbers
        Columns of scores in the table that the caller knows, by the names of the role.
    also
        A further column of the table, to be read as text under its own name.

    Raises
    ------
    DataError
        If a column is missing, or an identifier column is neither text nor integer.
    """
    with collecting(name, "as a table", ""):
        table = _by_document(role, table)
        if role is QRELS and is_implicit(table.columns):
            return _interactions(name, table, contents)
    more = () if also is None else (also,)
    own, texts, remarks = matched(name, role, table, numbers, more)
    if role is RUN:
        _check_one_system(name, table)
    read = dict(texts)
    if table.decimal != ".":
        values = (given for column, given in own.items() if column in {*role.values, RANK})
        read |= {given: pl.col(given).str.replace(table.decimal, ".") for given in values}
    as_text = [
        (text.replace(_TRUTH) if table.columns[given] == pl.Boolean else text).alias(column)
        for column, given in own.items()
        for text in [read.get(given, pl.col(given)).cast(pl.String)]
    ]
    return Source(
        name=name,
        role=role,
        unit=table.unit,
        scans=(partial(_typed, table, role, own, read),),
        numbered=partial(_numbered_texts, table, list(dict.fromkeys(own.values())), as_text),
        columns=tuple(own),
        contents=contents,
        height=table.height if isinstance(table, Frame) else None,
        scored=_is_scored(own),
        others=tuple(given for given in table.columns if given not in own.values()),
        named=own,
        line=_line_of(name, table),
        extended=partial(table_source, name, role, table, contents),
        remarks=remarks,
    )


_TRUTH = {"true": "1", "false": "0"}
"""The numbers that truth values are read as."""


def _by_document(role: Role, table: SourceTable) -> SourceTable:
    """Return a table with a row per document, of one with a list of documents for each query."""
    found, _ = role.find(table.columns)
    lists = {own: t for own, t in table.columns.items() if isinstance(t, pl.List)}
    if role not in {RUN, QRELS} or len(lists) != 1 or QUERY_ID not in found or DOC_ID in found:
        return table
    ((own, kind),) = lists.items()
    query = found[QUERY_ID]
    rows = table.scan([query, own]).filter(pl.col(own).list.len() > 0)
    if isinstance(kind.inner, pl.Struct):
        return Frame(rows.explode(own).unnest(own).lazy)
    place = pl.int_range(1, pl.len() + 1).over(query).alias(RANK)
    value = place if role is RUN else pl.lit(1).alias(RELEVANCE)
    return Frame(rows.explode(own).select(query, pl.col(own).alias(DOC_ID), value).lazy)


def _interactions(name: str, table: SourceTable, contents: Contents | None) -> Source:
    """Open implicit feedback as judgments of grade 1, of each user and item once."""
    rows = table.scan(list(table.columns)).with_columns(pl.lit(1.0).alias(RELEVANCE))
    source = table_source(name, QRELS, Frame(rows.lazy), contents)
    scans = tuple(partial(_distinct, scan) for scan in source.scans)
    n = rows.select(pl.len()).collect().item()
    return replace(source, scans=scans, remarks=(*source.remarks, Remark(IMPLICIT, n)))


def _distinct(scan: Callable[[], pl.LazyFrame]) -> pl.LazyFrame:
    return scan().unique(maintain_order=True)


IMPLICIT = "implicit"
"""The code of the remark on judgments without a grade, which all count as relevant."""


class Matched(NamedTuple):
    """The columns of a table in a role.

    Attributes
    ----------
    own
        The names in the table by those of the role.
    texts
        For each column of identifiers, by its name in the table, what makes text of it.
    remarks
        What is to be said of the columns.
    """

    own: dict[str, str]
    texts: dict[str, pl.Expr]
    remarks: tuple[Remark, ...]


def matched(
    name: str,
    role: Role,
    table: SourceTable,
    numbers: Mapping[str, str] = MappingProxyType({}),
    more: Sequence[str] = (),
) -> Matched:
    """Match the columns of a table with those of a role, and check what they hold.

    Parameters
    ----------
    name, role, table
        As for `table_source`.
    numbers
        Columns of numbers that the caller knows, by their names in the role.
    more
        Further columns of identifiers, which keep their names.

    Raises
    ------
    DataError
        If a column is missing or stands there twice, or holds what none of its kind can be.
    """
    with collecting(name, "as a table", ""):
        schema = table.columns
    present = [given for given in schema if given not in numbers.values()]
    own, missing = role.find(present)
    if role is RUN and missing == (SCORE,) and (scored := _recommended(table, own)):
        own, missing = own | {SCORE: scored}, ()
    if missing:
        raise _missing_columns(name, role, table, own, missing)
    check_meanings(name, present, {c: given for c, given in own.items() if c not in role.texts})
    own |= {**numbers, **{given: given for given in more}}
    for column in own.keys() & {*role.values, RANK}:
        dtype = schema[own[column]]
        first = _first_of(table, own[column], number=False) if dtype.is_nested() else ""
        check_numbers(name, own[column], dtype, first)
    ids = [given for column, given in own.items() if column in {*role.identifiers, *more}]
    texts, remarks = identified(name, table, ids)
    rated = role.value == RELEVANCE and folded(own[RELEVANCE]) in {"rating", "r_ui"}
    of_users = role in {QRELS, SUBTOPIC_QRELS} and folded(own[QUERY_ID]) in USERS
    also = (*(_RATED if rated else ()), *(_OF_USERS if of_users else ()))
    return Matched(own, texts, (*remarks, *also))


def _recommended(table: SourceTable, own: Mapping[str, str]) -> str | None:
    """Return the column of a run whose ratings, or grades of users, are no usual grades: scores."""
    name = find_columns(table.columns, [RELEVANCE])[0].get(RELEVANCE, "")
    if folded(name) != "rating" and not (name and folded(own[QUERY_ID]) in USERS):
        return None
    doubled = 2 * pl.col(name).cast(pl.Float64, strict=False)
    is_usual = (doubled == doubled.round()).all()
    return None if table.scan([name]).select(is_usual).collect().item() else name


def _is_scored(own: Mapping[str, str]) -> bool:
    """Return whether a table has scores, and not ranks in place of them."""
    return SCORE not in own or own[SCORE] != own.get(RANK)


_RATED = (Remark("rating"),)
"""What a column of this name says: that low grades may be no sign of relevance."""

OF_USERS = "users"
"""The code of the remark on judgments of users, who are shown items, and not of queries."""

_OF_USERS = (Remark(OF_USERS),)
"""What a column of such a name says."""


def _numbered_texts(
    table: SourceTable, own: Sequence[str], as_text: Sequence[pl.Expr]
) -> pl.LazyFrame:
    """Scan columns as text, with the position of each row."""
    return table.numbered(own).select(POSITION, *as_text)


_OTHER_USES = {
    # A table of results often has the text of the query too, or other columns of these names.
    ("query_id", "query"),
    ("query_id", "topic"),
    ("qid", "query"),
    ("qid", "topic"),
    # PyTerrier's internal number of a document next to its name.
    ("docno", "docid"),
}
"""Pairs of names of which the first one is meant, and the second is something else."""

_VAGUE = {"_id", "id", "user_id", "user", "item", "document"}
"""Names of something else where another column has the identifier, such as a row or a text."""


def check_meanings(name: str, present: Iterable[str], found: Mapping[str, str]) -> None:
    """Check that no two columns of a table mean the same.

    Raises
    ------
    DataError
        With the names of both.
    """
    names = list(present)
    for column, own in found.items():
        if f"{own}_duplicated_0" in names:  # the name that a second one has in CSV
            raise DataError(
                f"{name} has two columns for {column}, both named {own!r}. Drop or rename one of "
                f"them."
            )
        for other in names:
            pair = (folded(own), folded(other))
            if other not in found.values() and pair[1] in ALIASES[column]:
                if pair in _OTHER_USES or pair[1] in _VAGUE:
                    continue
                raise DataError(
                    f"{name} has two columns for {column}: {own!r} and {other!r}. Drop or rename "
                    f"one of them."
                )


def identified(
    name: str, table: SourceTable, columns: Iterable[str]
) -> tuple[dict[str, pl.Expr], tuple[Remark, ...]]:
    """Check the columns of a table that hold identifiers, and return each as text.

    Columns of text and of integers are not read. `rankreport.io.ids` has the rule.

    Parameters
    ----------
    name, table
        The table, and its name in messages.
    columns
        The names of the columns in the table.

    Returns
    -------
    texts : dict
        For each column, an expression that makes text of it.
    remarks : tuple
        How many rows have floats for identifiers, if any.

    Raises
    ------
    DataError
        If a value can be no identifier, with its row.
    """
    schema = table.columns
    kinds = {own: schema[own] for own in columns}
    floats: dict[int, float] = {}
    with collecting(name):
        for own, dtype in kinds.items():
            if not may_hold_ids(dtype):
                raise refused_column(name, own, dtype, _first_of(table, own))
            floats |= _unlike_text(name, table, own)
        found = {own: dtype for own, dtype in kinds.items() if has_floats(dtype)}
        for own, dtype in found.items():
            _check_floats(name, table, own, dtype)
        remarks = float_remarks(len(floats), floats.values()) or _floats(table, found)
    return {own: id_text(own, dtype) for own, dtype in kinds.items()}, remarks


def _first_of(table: SourceTable, column: str, *, number: bool = True) -> str:
    """Return the first value of a column and where it stands, for messages.

    Without ``number``, text that is a number is passed over.
    """
    rows = table.numbered([column]).drop_nulls()
    if not number and rows.collect_schema()[column] == pl.String:
        rows = rows.filter(pl.col(column).cast(pl.Float64, strict=False).is_null())
    first = rows.head(1).collect()
    if first.is_empty():
        return ""
    return f" ({table.unit} {first[POSITION][0]}: {shown_value(first[column][0])})"


def _unlike_text(name: str, table: SourceTable, column: str) -> dict[int, float]:
    """Check what the type of a column does not tell, and return its floats by position."""
    odd = table.unlike_text(column)
    places = list(odd)
    ids_of_values(name, column, list(odd.values()), lambda n: f"{table.unit} {places[n - 1]}")
    return {place: value for place, value in odd.items() if isinstance(value, float)}


def _check_floats(name: str, table: SourceTable, column: str, dtype: pl.DataType) -> None:
    wrong = wrong_float(column, dtype)
    if not dtype.is_float() or not table.scan([column]).select(wrong.any()).collect().item():
        return
    first = table.numbered([column]).filter(wrong).head(1).collect()
    value = first[column].cast(pl.Float64)[0]
    raise refused_id(f"{name}, {table.unit} {first[POSITION][0]}", column, value)


def _floats(table: SourceTable, found: Mapping[str, pl.DataType]) -> tuple[Remark, ...]:
    """Count the rows that have a float for an identifier."""
    if not found:
        return ()
    floats = table.scan(list(found)).select(
        floats_of(*each).alias(each[0]) for each in found.items()
    )
    n = floats.select(pl.any_horizontal(pl.all().is_not_null()).sum()).collect().item()
    first = (each.drop_nulls().unique().bottom_k(5) for each in floats.collect())
    return float_remarks(n, pl.concat(first))


def with_ids(name: str, rows: pl.DataFrame, columns: Iterable[str]) -> pl.DataFrame:
    """Return rows with columns that hold identifiers as text; floats are refused.

    Raises
    ------
    DataError
        If a value is no identifier, with its row.
    """
    texts, remarks = identified(name, Frame(rows.lazy), columns)
    refuse_floats(name, remarks)
    return rows.with_columns(texts.values())


def identifiers(name: str, given: Any) -> pl.Series:
    """Convert an array of identifiers to text.

    Raises
    ------
    DataError
        If they are neither text nor whole numbers, or one is missing.

    >>> identifiers("qid", [7, 7, 8]).to_list()
    ['7', '7', '8']
    """
    series = given if isinstance(given, pl.Series) else _series(name, array_of(name, given))
    if series.null_count():
        place = series.is_null().arg_max()
        raise DataError(f"{name} has no value at {place}. Expected an identifier per document.")
    own = name.rsplit(maxsplit=1)[-1]
    return with_ids(name, series.alias(own).to_frame(), [own])[own]


def _series(name: str, array: NDArray[Any]) -> pl.Series:
    if array.ndim > 1 and math.prod(array.shape[1:]) == 1:
        array = array.reshape(len(array))
    if array.ndim != 1:
        shape = " x ".join(map(str, array.shape))
        raise DataError(f"{name} has the shape {shape}. Expected one identifier per document.")
    if array.dtype.kind in "iuf":
        return pl.Series(array)
    with of_unicode(name):
        return ids_of_values(name, name.rsplit(maxsplit=1)[-1], array.tolist())


def check_numbers(name: str, column: str, dtype: pl.DataType, first: str = "") -> None:
    """Check that a column can hold numbers: numbers, truth values, or text to be read as numbers.

    The message has ``first``, the first value and where it stands.

    Raises
    ------
    DataError
        If its type is another one, such as dates, lists or records.
    """
    if dtype.is_numeric() or dtype in {pl.Boolean, pl.String, pl.Null}:
        return
    remedy = f"Make numbers of it: pl.col({column!r}).cast(pl.String).cast(pl.Float64) in Polars."
    if dtype.is_temporal():
        remedy = "Times are none: give the column of the numbers this name."
    elif isinstance(dtype, pl.Struct) and dtype.fields:
        field = dtype.fields[0].name
        remedy = f"Take a field of it: pl.col({column!r}).struct.field({field!r}) in Polars."
    elif dtype.is_nested():
        remedy = f"Take one value of each: pl.col({column!r}).explode() or .list.first() in Polars."
    kind = shown_dtype(dtype)
    raise DataError(f"{name}: column {column!r} holds {kind}{first}. Expected numbers. {remedy}")


def _check_one_system(name: str, table: SourceTable) -> None:
    """Check that the rows of a run are not those of several systems.

    A column ``system`` says so, and one of its other names if systems share a document.

    Raises
    ------
    DataError
        With the names of the systems.
    """
    try:
        named = table.systems
    except FAILURES:  # reported when it is read
        return
    if named is not None and len(named.systems) > 1 and named.sure:
        raise not_one_system(name, named.column, named.systems.to_list())


class NamedSystems(NamedTuple):
    """The column of a table that may name the system of each row.

    Attributes
    ----------
    column
        Its name.
    systems
        The different names, in order.
    some_missing
        Whether a row has none; blank text is none.
    sure
        Whether it names systems: it is called so, or a document of a query has several of them.
    """

    column: str
    systems: pl.Series
    some_missing: bool
    sure: bool


def system_of_row(column: str) -> pl.Expr:
    """Return the system of each row; blank text is none."""
    text = pl.col(column).cast(pl.String)
    return pl.when(text.str.strip_chars() != "").then(text).alias(column)


def not_one_system(name: str, column: str, systems: Sequence[str]) -> DataError:
    """Return the error for a run whose rows are of several systems."""
    named = ", ".join(map(repr, systems[:_SYSTEMS]))
    more = ", ..." if len(systems) > _SYSTEMS else ""
    return DataError(
        f"{name} holds the results of {len(systems)} systems, which column {column!r} names: "
        f"{named}{more}. Give it by itself, without a name, and each of them is a system; or keep "
        f"the rows of one: frame.filter(pl.col({column!r}) == {systems[0]!r}). Of runs of one "
        f"system, name the column 'repeat': frame.rename({{{column!r}: 'repeat'}})."
    )


_SYSTEMS = 5
"""How many systems are named."""


def _typed(
    table: SourceTable, role: Role, own: Mapping[str, str], read: Mapping[str, pl.Expr]
) -> pl.LazyFrame:
    dtypes = {**dict.fromkeys(role.values, pl.Float64), RANK: pl.Int64}
    table.check_keys({key: own[key] for key in role.identifiers if key in own})
    rows = table.scan(list(dict.fromkeys(own.values()))).select(
        read.get(given, pl.col(given)).alias(column) for column, given in own.items()
    )
    if not _is_scored(own):  # the better the rank, the higher the score
        rows = rows.with_columns(-pl.col(SCORE).cast(pl.Float64, strict=False))
    if RANK in own:  # 1.0 is a valid rank, 1.5 is not
        number = pl.col(RANK).cast(pl.Float64, strict=False)
        rows = rows.with_columns(pl.when(number == number.floor()).then(number).alias(RANK))
    others = [column for column, given in own.items() if given not in read or column in dtypes]
    return rows.cast({column: dtypes.get(column, pl.String()) for column in others}, strict=False)


def _missing_columns(
    name: str, role: Role, table: SourceTable, own: Mapping[str, str], missing: Sequence[str]
) -> DataError:
    present = list(table.columns)
    other = QRELS if role is RUN else RUN
    line, general = _line_of(name, table), role.advice
    if table.unit == "line":
        general += role.headerless_advice
    names = {folded(given): given for given in present}
    if DOC_ID in role.keys and role.value and not find_columns(present, other.columns)[1]:
        rated = find_columns(present, [RELEVANCE])[0].get(RELEVANCE, "")
        made = code_renaming(line, {rated: SCORE})
        of_users = folded(rated) == "rating" or folded(own[QUERY_ID]) in USERS
        hint = f" If {rated} is the score of recommendations: {made}." if of_users else ""
        what = f"has the columns of {other.noun}: {', '.join(present)}"
        return swapped(name, what, role, hint if role is RUN else "")
    keys = [given for column, given in own.items() if column in role.keys]
    free = [given for given in present if given not in own.values()]
    advice = ""
    one = f", {DOC_ID}={free[0]!r}" if missing == (DOC_ID, RELEVANCE) and len(free) == 1 else ""
    if role is QRELS and (one or missing == (RELEVANCE,)):
        relevant = f"{line}.select({', '.join(map(repr, keys))}{one}, relevance=pl.lit(1))"
        advice = f"{general} If each row is a relevant document: {relevant}{POLARS_IMPORT}."
    distance = next((names[each] for each in _DISTANCES if each in names), None)
    if role is RUN and missing == (SCORE,) and distance is not None:
        scored = f"{line}.with_columns(score=-pl.col({distance!r}).cast(float))"
        advice = f" Of distances the lowest is best: {scored}{POLARS_IMPORT}."
    pivoted = role.value in missing and (role is RUN or DOC_ID in missing)
    if not advice and pivoted and keys and len(free) > 1 and _are_numbers(table, free):
        advice = f" {unpivoted(line, role, keys)}"
    numbers = [re.fullmatch(r"\D*(\d+)", given) for given in free]
    if role is RUN and keys and len(free) > 1 and all(numbers):
        place = "pl.col('rank').str.extract(r'(\\d+)$').cast(int)"
        advice = (
            f"{advice} If it has a column for each rank: {line}.unpivot(index={keys}, "
            f"variable_name='rank', value_name='doc_id').drop_nulls().with_columns({place})"
            f"{POLARS_IMPORT}."
        )
    if not advice and role in {RUN, QRELS} and len(free) == len(missing):
        named = dict(zip(free, missing, strict=True))
        advice = f"{general} If they are these: {code_renaming(line, named)}."
    return role.lacking(name, present, missing, advice or general)


def _line_of(name: str, table: SourceTable) -> str:
    return table.line or code_reading(name if table.decimal == "." else "")


_DISTANCES = ("distance", "distances", "dist", "_distance")


def unpivoted(line: str, role: Role, keys: Sequence[str]) -> str:
    """Return what to do with a table that has a column for each document, or for each system."""
    each, column = ("system", SYSTEM) if len(keys) > 1 else ("document", DOC_ID)
    return (
        f"If it has a column for each {each}: {line}.unpivot(index={list(keys)}, "
        f"variable_name={column!r}, value_name={role.value!r}).drop_nulls(){POLARS_IMPORT}."
    )


def _are_numbers(table: SourceTable, columns: Sequence[str]) -> bool:
    """Return whether columns seem to hold numbers alone, or none."""
    kinds = (table.columns[column] for column in columns)
    if not all(kind.is_numeric() or kind == pl.String for kind in kinds):
        return False
    some = table.scan(columns).head(_SOME).collect()
    return some.cast(pl.Float64, strict=False).null_count().equals(some.null_count())


_SOME = 100
