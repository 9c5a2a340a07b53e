"""Tables with named columns: CSV, TSV, Parquet, JSON lines, and frames of any library."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from rankreport.errors import DataError
from rankreport.frames import (
    ALIASES,
    DOC_ID,
    ID_DTYPES,
    QUERY_ID,
    RANK,
    SCORE,
    SUBTOPIC,
    find_columns,
)
from rankreport.io.schema import QRELS, RUN, Layout
from rankreport.io.source import POSITION, Contents, Source
from rankreport.io.trec import check_characters

__all__ = ["check_identifiers", "frame_of", "mapping_source", "scan_table", "table_source"]


def scan_table(contents: Contents, kind: str) -> Callable[[], pl.LazyFrame]:
    """Return a function that scans a stored table; ``kind`` is csv, tsv, parquet or jsonl.

    Raises
    ------
    DataError
        If JSON lines have an invalid escape.
    """
    if kind == "parquet":
        return lambda: pl.scan_parquet(contents.open(), glob=False)
    if kind == "jsonl":
        check_characters(contents)
        return lambda: pl.scan_ndjson(_exactly(contents.open()), infer_schema_length=None)
    separator = {"csv": ",", "tsv": "\t"}[kind]
    # Read all columns as text: 007 is an identifier, and `check` reports invalid numbers.
    return lambda: pl.scan_csv(
        contents.open(), glob=False, separator=separator, infer_schema=False
    ).filter(pl.any_horizontal(pl.all().is_not_null()))  # blank lines are null


def _exactly(opened: Path | BytesIO) -> str | BytesIO:
    """Escape a path, because scan_ndjson has no option against glob patterns."""
    return glob.escape(str(opened)) if isinstance(opened, Path) else opened


def frame_of(table: Any) -> pl.DataFrame | pl.LazyFrame | None:
    """Convert a table of any library to a Polars frame; None if it is not a table."""
    if isinstance(table, pl.DataFrame | pl.LazyFrame):
        return table
    if hasattr(table, "__arrow_c_stream__"):
        try:
            return pl.DataFrame(table)
        except UnicodeEncodeError as error:
            raise DataError(f"A table holds what is not valid Unicode: {error.object!r}.") from None
        except Exception as error:  # each library has its own errors  # noqa: BLE001
            reason = str(error).split("\n", maxsplit=1)[0]
            raise DataError(
                f"A table cannot be read ({reason}). Is a column of mixed kinds?"
            ) from None
    return None


def table_source(
    name: str,
    layout: Layout,
    scan: Callable[[], pl.LazyFrame],
    contents: Contents | None = None,
) -> Source:
    """Return a source over a table, with columns matched by alias.

    Raises
    ------
    DataError
        If a column is missing, or an identifier column is neither text nor integer.
    """
    try:
        schema = scan().collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).split("\n", maxsplit=1)[0]
        raise DataError(f"{name} cannot be read as a table ({reason}).") from None
    found, missing = find_columns(schema, layout.columns)
    ranked = find_columns(schema, [RANK])[0] if layout is RUN else {}
    if missing == (SCORE,) and ranked:
        # Ranks without scores: the better the rank, the higher the score.
        by_rank = partial(_scored_by_rank, scan, ranked[RANK])
        return replace(table_source(name, layout, by_rank, contents), scored=False)
    if missing:
        raise _missing_columns(name, layout, list(schema), missing)
    found |= ranked
    for column in layout.keys:
        check_identifiers(name, found[column], schema[found[column]])
    as_text = [pl.col(own).cast(pl.String).alias(column) for column, own in found.items()]
    return Source(
        name=name,
        layout=layout,
        unit="row",
        scans=(partial(_typed, scan, layout, found),),
        numbered=lambda: scan().select(as_text).with_row_index(POSITION, 1),
        contents=contents,
    )


def mapping_source(name: str, layout: Layout, mapping: Mapping[Any, Any]) -> Source:
    """Return a source over nested mappings of the form `Layout.nested`.

    Raises
    ------
    DataError
        If the form is different, a value is not a number, or text is not valid Unicode.
    """
    above = [column for column in (QUERY_ID, DOC_ID, SUBTOPIC) if column in layout.keys]
    columns: dict[str, list[str]] = {column: [] for column in above}
    within = columns[above.pop()]
    values: list[float] = []
    for path, row in _innermost(name, layout, mapping, len(above)):
        for column, given in zip(above, path, strict=True):
            columns[column] += [str(given)] * len(row)
        within += map(str, row)
        try:
            values += map(float, row.values())
        except (OverflowError, TypeError, ValueError):
            what, value = next((d, v) for d, v in row.items() if not _is_number(v))
            place = ", ".join(map(repr, path))
            msg = f"{name}: the {layout.value_noun} of {what!r} for {place} is {value!r}."
            raise DataError(f"{msg} A number is expected.") from None
    try:
        frame = pl.DataFrame(
            {**columns, layout.value: values},
            schema={**dict.fromkeys(columns, pl.String), layout.value: pl.Float64},
        )
    except UnicodeEncodeError as error:
        msg = f"{name} holds an identifier that is not valid Unicode: {error.object!r}."
        raise DataError(msg) from None
    return table_source(name, layout, frame.lazy)


def _innermost(
    name: str, layout: Layout, mapping: Mapping[Any, Any], levels: int, above: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Mapping[Any, Any]]]:
    """Yield the innermost mappings, each with the keys that lead to it."""
    for key, row in mapping.items():
        path = (*above, key)
        if not isinstance(row, Mapping):
            place = ", ".join(map(repr, path))
            raise DataError(
                f"{name}: expected {layout.nested}, found {type(row).__name__} for {place}."
            )
        if len(path) < levels:
            yield from _innermost(name, layout, row, levels, path)
        else:
            yield path, row


def check_identifiers(name: str, column: str, dtype: pl.DataType) -> None:
    """Check that a column can hold identifiers.

    Raises
    ------
    DataError
        If its type is neither text nor integer.
    """
    if not (dtype.is_integer() or dtype in ID_DTYPES):
        msg = (
            f"{name}: column {column!r} holds {dtype}, but identifiers are text or whole numbers. "
            f"Cast it first, so that it says which text you mean."
        )
        raise DataError(msg)


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]  # errors are handled below
    except (OverflowError, TypeError, ValueError):
        return False
    return True


def _scored_by_rank(scan: Callable[[], pl.LazyFrame], rank: str) -> pl.LazyFrame:
    return scan().with_columns((-pl.col(rank).cast(pl.Float64, strict=False)).alias(SCORE))


def _typed(
    scan: Callable[[], pl.LazyFrame], layout: Layout, found: Mapping[str, str]
) -> pl.LazyFrame:
    names = dict.fromkeys(layout.keys, pl.String)
    dtypes = {**names, layout.value: pl.Float64, RANK: pl.Int64}
    rows = scan().select(pl.col(own).alias(column) for column, own in found.items())
    if RANK in found:  # 1.0 is a valid rank, 1.5 is not
        number = pl.col(RANK).cast(pl.Float64, strict=False)
        rows = rows.with_columns(pl.when(number == number.floor()).then(number).alias(RANK))
    return rows.cast({column: dtypes[column] for column in found}, strict=False)


def _missing_columns(
    name: str, layout: Layout, present: list[str], missing: tuple[str, ...]
) -> DataError:
    other = QRELS if layout is RUN else RUN
    if not find_columns(present, other.columns)[1]:
        return DataError(
            f"{name} has the columns of {other.noun}: {', '.join(present)}. Expected "
            f"{layout.noun}. Are the two swapped?"
        )
    wanted = "; ".join(f"{column} (or {', '.join(ALIASES[column][1:])})" for column in missing)
    return DataError(
        f"{name} has no column for {wanted}. Its columns: {', '.join(present)}. "
        f"Rename one of them, or give TREC text without a header."
    )
