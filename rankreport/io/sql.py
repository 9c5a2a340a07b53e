"""Reading judgments, runs and queries from a database, by any connection of Python's DB-API."""

from __future__ import annotations

from typing import Any

import polars as pl

from rankreport.errors import DataError, OptionError, expect, hinting
from rankreport.io.source import reason_of

_BATCH = 100_000
"""Rows fetched at a time."""


@hinting()
def read_sql(query: str, connection: Any) -> pl.DataFrame:
    """Read the result of a database query.

    Parameters
    ----------
    query
        An SQL statement. Name its columns as in a table: ``query_id, doc_id`` and ``relevance``,
        ``score`` or ``rank``, or one of their aliases.
    connection
        A connection of Python's DB-API (PEP 249), such as ``sqlite3.connect(...)``, psycopg's or
        DuckDB's. It stays open.

    Returns
    -------
    DataFrame
        The rows, accepted wherever a table is: as judgments, as a run, and as queries.

    Raises
    ------
    OptionError
        If `connection` is none.
    DataError
        If the database refuses the query, it returns no table, or a column mixes types.

    Examples
    --------
    >>> import sqlite3
    >>> import rankreport as rr
    >>> connection = sqlite3.connect(":memory:")
    >>> _ = connection.execute("create table judged (query, doc, grade)")
    >>> _ = connection.execute("insert into judged values ('q1', 'd1', 2), ('q1', 'd2', 0)")
    >>> qrels = rr.read_sql("select query as qid, doc as docid, grade from judged", connection)
    >>> rr.evaluate(qrels, {"mine": {"q1": {"d2": 2.0, "d1": 1.0}}}, ["RR"]).summary().rows()
    [('mine', 0.5)]
    >>> connection.close()
    """
    expect(query, (str,), "read_sql() takes the text of a query")
    if not hasattr(connection, "cursor"):
        raise OptionError(
            f"read_sql() takes an open connection of Python's DB-API, such as "
            f"sqlite3.connect('file.db'); found {type(connection).__name__}."
        )
    # A cursor of DuckDB is a session of its own, without temporary and registered tables.
    is_duckdb = type(connection).__module__.split(".")[0].lstrip("_") == "duckdb"
    cursor = connection if is_duckdb else connection.cursor()
    try:
        try:
            cursor.execute(query)
            described = cursor.description
        except Exception as error:  # noqa: BLE001 - each driver has its own errors
            raise DataError(f"The database refuses the query ({reason_of(error)}).") from None
        if not described:
            raise DataError("The query returns no table. Expected a select statement.")
        names = [str(column[0]) for column in described]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise DataError(f"The query returns two columns {twice!r}. Rename one: ... as other.")
        return _frame(cursor, names)
    finally:
        if cursor is not connection:
            cursor.close()


def _frame(cursor: Any, names: list[str]) -> pl.DataFrame:
    columns: list[list[Any]] = [[] for _ in names]
    try:
        while rows := cursor.fetchmany(_BATCH):
            for column, fetched in zip(columns, zip(*rows, strict=True), strict=True):
                column.extend(fetched)
    except Exception as error:  # noqa: BLE001
        raise DataError(f"The result cannot be read to its end ({reason_of(error)}).") from None
    found = {}
    for name, values in zip(names, columns, strict=True):
        try:
            read = pl.Series(name, values, strict=True)
            found[name] = read.cast(pl.String) if read.dtype == pl.Null else read
        except (pl.exceptions.PolarsError, TypeError, OverflowError):
            kinds = sorted({type(value).__name__ for value in values if value is not None})
            if kinds == ["float", "int"]:
                found[name] = pl.Series(name, values, dtype=pl.Float64, strict=False)
                continue
            raise DataError(
                f"Column {name!r} of the result mixes {', '.join(kinds)}. Cast it in the query: "
                f"cast({name} as text) as {name}."
            ) from None
        except UnicodeEncodeError as error:
            raise DataError(f"Column {name!r} holds no valid Unicode: {error.object!r}.") from None
    return pl.DataFrame(found)
