"""Reading judgments, runs and queries from a database, by any connection of Python's DB-API."""

from __future__ import annotations

from typing import Any

import polars as pl

from rankreport.call_hints import hinting
from rankreport.errors import DataError, OptionError, expect
from rankreport.io.source import reason_of


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
        If the database cannot answer the query, or it returns no table.

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
    try:
        if type(connection).__module__.split(".")[0].lstrip("_") == "duckdb":
            # Its cursors are sessions of their own, without temporary and registered tables.
            rows = pl.DataFrame(connection.sql(query))
        else:
            rows = pl.read_database(query, connection, infer_schema_length=None)
    except pl.exceptions.DuplicateError as error:
        raise DataError(
            f"The query returns two columns of a name ({reason_of(error)}). Rename one: ... as "
            f"other."
        ) from None
    except TypeError:  # it returns no rows to describe
        rows = pl.DataFrame()
    except Exception as error:  # noqa: BLE001 - each driver has its own errors
        raise DataError(f"The database cannot answer the query ({reason_of(error)}).") from None
    if not rows.width:
        raise DataError("The query returns no table. Expected a select statement.")
    return rows
