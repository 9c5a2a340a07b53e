"""Tables with named columns: CSV, TSV, Parquet, JSON lines, and frames of any library."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

import polars as pl
from polars.exceptions import PanicException

from rankreport.errors import DataError, brief
from rankreport.frames import (
    ALIASES,
    DOC_ID,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SCORE,
    SUBTOPIC,
    SYSTEM,
    find_columns,
    folded,
    shown_dtype,
)
from rankreport.io.arrays import is_number, is_pandas
from rankreport.io.ids import (
    float_remarks,
    floats_of,
    has_floats,
    id_text,
    ids_of_keys,
    ids_of_values,
    may_hold_ids,
    refuse_floats,
    refused_column,
    refused_id,
    shown_value,
    wrong_float,
)
from rankreport.io.inputs import note_file
from rankreport.io.schema import QRELS, RUN, Layout, swapped
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


class Table(Protocol):
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


@dataclass(frozen=True)
class Frame(Table):
    """A table that Polars scans: a frame, or Parquet."""

    rows: Callable[[], pl.LazyFrame]
    height: int | None = None
    unit = "row"

    @cached_property
    def columns(self) -> Mapping[str, pl.DataType]:
        """The columns with their types."""
        return self.rows().collect_schema()

    def scan(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan columns."""
        return self.rows().select(columns)

    def numbered(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan columns, and the number of each row."""
        return self.scan(columns).with_row_index(POSITION, 1)


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
        axis = ".rename_axis(['query_id', 'doc_id'])" if None in levels else ""
        remedy = (
            f"a frame of it, with its index as columns: series{axis}.reset_index(name='score')"
            if len(levels) > 1
            else "dictionaries of the series of all queries: {q: s.to_dict() for q, s in x.items()}"
        )
        raise DataError(f"A {type(table).__name__} of pandas is one column. Make {remedy}.")
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
                f"A table cannot be read ({reason_of(error)}).{_mixed_hint(table)}"
            ) from None
    return None


_SCAN = re.compile(r"^\s*\w+ SCAN \[(.*)\]$", re.MULTILINE)


def _note_scans(table: pl.LazyFrame) -> None:
    """Note the files that a table is scanned from, as far as Polars names them: a few of many."""
    try:
        plan = table.explain(optimized=False)
    except FAILURES:  # reported when it is read
        return
    for names in _SCAN.findall(plan):
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


def rows_of_table(name: str, layout: Layout, given: Any) -> pl.DataFrame | pl.LazyFrame | None:
    """Convert a table of any library to a Polars frame; None if it is not a table.

    Raises
    ------
    DataError
        If the identifiers seem to be in the index of a pandas frame, under no name that is known.
    """
    frame = frame_of(given)
    if frame is None or not is_pandas(given):
        return frame
    missing = list(find_columns(frame.collect_schema(), layout.keys)[1])
    index = given.index
    named = [level for level in index.names if level is not None]
    if not missing or not index_of_texts(given):
        return frame
    if named:
        remedy = f"frame.reset_index().rename(columns={{{named[0]!r}: {missing[0]!r}}})"
    else:
        names = missing[0] if len(index.names) == 1 else missing[: len(index.names)]
        remedy = f"frame.rename_axis({names!r}).reset_index()"
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
    """Convert a frame of pandas that has identifiers of several kinds in a column; None of others.

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
        others = pl.DataFrame(table.drop(columns=mixed))
    except Exception:  # noqa: BLE001 - reported for the whole table
        return None
    ids = [ids_of_values("A table", str(own), table[own].tolist()) for own in mixed]
    return others.with_columns(ids).select(map(str, table.columns)) if ids else None


def _mixed_hint(table: Any) -> str:
    """Name the column of a pandas frame that holds values of several kinds, and the remedy."""
    for place, column in enumerate(table.columns if is_pandas(table) else ()):
        values = table.iloc[:, place].dropna()
        kinds = sorted({type(value).__name__ for value in values})
        if len(kinds) > 1:
            known = [SCORE, RANK, RELEVANCE]
            numeric = folded(str(column)) in {alias for key in known for alias in ALIASES[key]}
            made = f"frame[{column!r}].astype(str)"
            if numeric:
                made = f"pd.to_numeric(frame[{column!r}])"
            return (
                f" Column {column!r} holds {' and '.join(kinds)}. Make "
                f"{'numbers' if numeric else 'text'} of it: frame[{column!r}] = {made}."
            )
    return " Is a column of mixed kinds?"


def table_source(
    name: str,
    layout: Layout,
    table: Table,
    contents: Contents | None = None,
    *,
    also: str | None = None,
) -> Source:
    """Return a source over a table, with columns matched by alias.

    Parameters
    ----------
    name, layout, contents
        As of the source.
    table
        The table.
    also
        A further column of the table, to be read as text under its own name.

    Raises
    ------
    DataError
        If a column is missing, or an identifier column is neither text nor integer.
    """
    with collecting(name, "as a table", ""):
        schema = table.columns
    found, missing = find_columns(schema, layout.columns)
    if missing == (RELEVANCE,) and not find_columns(schema, [RANK])[0]:
        # BEIR's qrels call the grade a score. With a rank, it would be a run.
        graded = [column for column in schema if folded(column) == SCORE]
        found, missing = (found | {RELEVANCE: graded[0]}, ()) if graded else (found, missing)
    ranked = find_columns(schema, [RANK])[0] if layout is RUN else {}
    scored = missing != (SCORE,) or not ranked
    if not scored:
        found[SCORE] = ranked[RANK]
    elif missing:
        raise _missing_columns(name, layout, list(schema), missing)
    found |= ranked
    check_meanings(name, schema, found)
    if layout is RUN:
        _check_one_system(name, table, schema)
    for column in {layout.value, RANK} & set(found):
        dtype = schema[found[column]]
        first = _first_of(table, found[column], number=False) if dtype.is_nested() else ""
        check_numbers(name, found[column], dtype, first)
    others = tuple(own for own in schema if own not in found.values())
    if also is not None:
        found[also] = also
    own = list(dict.fromkeys(found.values()))
    named = [found[key] for key in (*layout.keys, *(() if also is None else (also,)))]
    texts, remarks = identified(name, table, named)
    as_text = [
        texts.get(own, pl.col(own).cast(pl.String)).alias(column) for column, own in found.items()
    ]
    return Source(
        name=name,
        layout=layout,
        unit=table.unit,
        scans=(partial(_typed, table, layout, found, texts, scored=scored),),
        numbered=partial(numbered_texts, table, own, as_text),
        columns=tuple(found),
        contents=contents,
        height=table.height if isinstance(table, Frame) else None,
        scored=scored,
        others=others,
        extended=partial(_extended, name, layout, table, contents),
        remarks=(*remarks, *(_RATED if folded(found.get(RELEVANCE, "")) == "rating" else ())),
    )


_RATED = (Remark("rating"),)
"""What a column of this name says: that low grades may be no sign of relevance."""


def numbered_texts(table: Table, own: Sequence[str], as_text: Sequence[pl.Expr]) -> pl.LazyFrame:
    """Scan columns as text, with the position of each row."""
    return table.numbered(own).select(POSITION, *as_text)


def _extended(
    name: str, layout: Layout, table: Table, contents: Contents | None, also: str
) -> Source:
    return table_source(name, layout, table, contents, also=also)


def mapping_source(name: str, layout: Layout, mapping: Mapping[Any, Any]) -> Source:
    """Return a source over nested mappings of the form `Layout.nested`.

    Raises
    ------
    DataError
        If the form is different, a value is not a number, or text is not valid Unicode.
    """
    above = [column for column in (QUERY_ID, DOC_ID, SUBTOPIC) if column in layout.keys]
    columns: dict[str, list[Any]] = {column: [] for column in above}
    innermost = above.pop()
    values: list[float] = []
    for path, row in _innermost(name, layout, mapping, above):
        for column, given in zip(above, path, strict=True):
            columns[column] += [given] * len(row)
        columns[innermost] += ids_of_keys(_placed(name, path), innermost, row)
        try:
            values += map(float, row.values())
        except (OverflowError, TypeError, ValueError):
            what, value = next((d, v) for d, v in row.items() if not is_number(v))
            place = ", ".join(map(repr, path))
            msg = f"{name}: the {layout.value_noun} of {what!r} for {place} is {brief(value)}."
            raise DataError(f"{msg} A number is expected.") from None
    try:
        frame = pl.DataFrame(
            [
                *(ids_of_values(name, column, keys) for column, keys in columns.items()),
                pl.Series(layout.value, values, dtype=pl.Float64),
            ]
        )
    except UnicodeEncodeError as error:
        msg = f"{name} holds an identifier that is not valid Unicode: {error.object!r}."
        raise DataError(msg) from None
    return table_source(name, layout, Frame(frame.lazy))


def _innermost(
    name: str,
    layout: Layout,
    mapping: Mapping[Any, Any],
    levels: Sequence[str],
    above: tuple[Any, ...] = (),
) -> Iterator[tuple[tuple[Any, ...], Mapping[Any, Any]]]:
    """Yield the innermost mappings, each with the keys that lead to it."""
    for key in ids_of_keys(_placed(name, above), levels[len(above)], mapping):
        row, path = mapping[key], (*above, key)
        if not isinstance(row, Mapping):
            place = ", ".join(map(repr, path))
            hint = ""
            if isinstance(row, str) and len(path) == 1:
                hint = " Of one document per query make lists: {q: [doc] for q, doc in x.items()}."
            raise DataError(
                f"{name}: expected {layout.nested}, found {type(row).__name__} for {place}.{hint}"
            )
        if len(path) < len(levels):
            yield from _innermost(name, layout, row, levels, path)
        else:
            yield path, row


def _placed(name: str, path: Sequence[Any]) -> str:
    """Return the name of a mapping within others, for messages."""
    return f"{name}, under {', '.join(map(repr, path))}," if path else name


_OTHER_USES = {
    # A table of results often has the text of the query too, or other columns of these names.
    ("query_id", "query"),
    ("query_id", "topic"),
    ("query_id", "user_id"),
    ("qid", "query"),
    ("qid", "topic"),
    ("qid", "user_id"),
    # PyTerrier's internal number of a document next to its name.
    ("docno", "docid"),
}
"""Pairs of names of which the first one is meant, and the second is something else."""


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
                if pair in _OTHER_USES or pair[1] == "_id":  # the number of a row
                    continue
                raise DataError(
                    f"{name} has two columns for {column}: {own!r} and {other!r}. Drop or rename "
                    f"one of them."
                )


def identified(
    name: str, table: Table, columns: Iterable[str]
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


def _first_of(table: Table, column: str, *, number: bool = True) -> str:
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


def _unlike_text(name: str, table: Table, column: str) -> dict[int, float]:
    """Check what the type of a column does not tell, and return its floats by position."""
    odd = table.unlike_text(column)
    places = list(odd)
    ids_of_values(name, column, list(odd.values()), lambda n: f"{table.unit} {places[n - 1]}")
    return {place: value for place, value in odd.items() if isinstance(value, float)}


def _check_floats(name: str, table: Table, column: str, dtype: pl.DataType) -> None:
    wrong = wrong_float(column, dtype)
    if not dtype.is_float() or not table.scan([column]).select(wrong.any()).collect().item():
        return
    first = table.numbered([column]).filter(wrong).head(1).collect()
    value = first[column].cast(pl.Float64)[0]
    raise refused_id(f"{name}, {table.unit} {first[POSITION][0]}", column, value)


def _floats(table: Table, found: Mapping[str, pl.DataType]) -> tuple[Remark, ...]:
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


def _check_one_system(name: str, table: Table, schema: Mapping[str, pl.DataType]) -> None:
    """Check that the rows of a run are not those of several systems.

    A column ``system`` says so, and one of its other names if systems share a document.

    Raises
    ------
    DataError
        With the names of the systems.
    """
    found, missing = find_columns(schema, [SYSTEM, QUERY_ID, DOC_ID])
    if missing:
        return
    own, *keys = found.values()
    try:
        rows = table.scan([own, *keys])
        named = rows.select(pl.col(own).cast(pl.String)).drop_nulls().unique(maintain_order=True)
        systems = named.collect()[own].to_list()
        if len(systems) > 1 and folded(own) != SYSTEM:
            repeated = rows.unique().select(pl.struct(keys).is_duplicated().any())
            systems = systems if repeated.collect().item() else []
    except FAILURES:  # reported when it is read
        return
    if len(systems) > 1:
        raise not_one_system(name, own, systems)


def not_one_system(name: str, column: str, systems: Sequence[str]) -> DataError:
    """Return the error for a run whose rows are of several systems."""
    named = ", ".join(map(repr, systems[:_SYSTEMS]))
    more = ", ..." if len(systems) > _SYSTEMS else ""
    return DataError(
        f"{name} holds the results of {len(systems)} systems, which column {column!r} names: "
        f"{named}{more}. Give it by itself, without a name, and each of them is a system; or keep "
        f"the rows of one: frame.filter(pl.col({column!r}) == {systems[0]!r})."
    )


_SYSTEMS = 5
"""How many systems are named."""


def _typed(
    table: Table,
    layout: Layout,
    found: Mapping[str, str],
    texts: Mapping[str, pl.Expr],
    *,
    scored: bool,
) -> pl.LazyFrame:
    dtypes = {layout.value: pl.Float64, RANK: pl.Int64}
    table.check_keys({key: found[key] for key in layout.keys})
    rows = table.scan(list(dict.fromkeys(found.values()))).select(
        texts.get(own, pl.col(own)).alias(column) for column, own in found.items()
    )
    if not scored:  # the better the rank, the higher the score
        rows = rows.with_columns(-pl.col(SCORE).cast(pl.Float64, strict=False))
    if RANK in found:  # 1.0 is a valid rank, 1.5 is not
        number = pl.col(RANK).cast(pl.Float64, strict=False)
        rows = rows.with_columns(pl.when(number == number.floor()).then(number).alias(RANK))
    return rows.cast({column: dtypes.get(column, pl.String()) for column in found}, strict=False)


def _missing_columns(
    name: str, layout: Layout, present: list[str], missing: tuple[str, ...]
) -> DataError:
    other = QRELS if layout is RUN else RUN
    if not find_columns(present, other.columns)[1]:
        what = f"has the columns of {other.noun}: {', '.join(present)}"
        return swapped(name, what, layout)
    wanted = "; ".join(f"{column} (or {', '.join(ALIASES[column][1:])})" for column in missing)
    return DataError(
        f"{name} has no column for {wanted}. Its columns: {', '.join(present)}. "
        f"Rename one of them, or give TREC text without a header. Of another file without one, "
        f"name the columns: --columns qid,doc,{layout.value} (columns=...)."
    )
