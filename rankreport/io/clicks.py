"""Click logs: tables, and events of User Behavior Insights (UBI)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from rankreport.column_names import find_columns
from rankreport.errors import DataError
from rankreport.frames import DOC_ID, QUERY_ID
from rankreport.io.forked_process import check_process
from rankreport.io.formats import SourceBegin, format_of
from rankreport.io.ids import ids_of_values, refuse_floats
from rankreport.io.lines import LINE, numbered_lines
from rankreport.io.objects import is_deep
from rankreport.io.opening import contents_of
from rankreport.io.roles import CLICKS, refused
from rankreport.io.source import Contents, collecting
from rankreport.io.tables import collected, frame_of, identified

_EVENT = "action_name"
"""The field that every event of UBI has."""

_ITEM = r'"(?:[^"\\]|\\.)*"|[^,\[\]\s"]+'
"""An item of a list in JSON: a text in quotes, or a number."""


def read_log(source: Any, name: str = "the log") -> pl.DataFrame | pl.Series:
    """Read a table, or the lines of UBI events and queries.

    Parameters
    ----------
    source
        A path or its contents (CSV or TSV with a header, Parquet, JSON lines), a table, or an
        iterable of records.
    name
        The name of a source without a path, in messages.

    Returns
    -------
    DataFrame or Series
        The table as it is; of UBI, the events and queries as JSON, a line each.

    Raises
    ------
    DataError
        If the source cannot be read.
    """
    check_process()
    given = frame_of(source)
    if given is not None:
        rows = collected(name, given)
        return _as_lines(rows) if _EVENT in rows.columns else rows
    if isinstance(source, str | os.PathLike):
        source = contents_of(source)
    if isinstance(source, Contents):
        return _read_file(source)
    if not isinstance(source, Iterable):
        raise refused(name, CLICKS, type(source).__name__)
    return _read_records(list(source), name)


def read_rows(source: Any, name: str) -> pl.DataFrame:
    """Read a table as `read_log` does; events of UBI are none.

    Raises
    ------
    DataError
        If the source cannot be read, or holds events.
    """
    found = read_log(source, name)
    if isinstance(found, pl.Series):
        raise DataError(
            f"{name}: events of UBI are clicks alone. Give a table, or use qrels_from_clicks."
        )
    return found


def _read_file(contents: Contents) -> pl.DataFrame | pl.Series:
    sample = SourceBegin(contents)
    format_ = format_of(sample, CLICKS)
    with collecting(contents.name):
        if format_.name == "jsonl":
            lines = numbered_lines(contents).collect()[LINE]
            if lines.str.contains(f'"{_EVENT}"', literal=True).any():
                return lines
        table = format_.table_of(sample, CLICKS)
        refuse_floats(contents.name, identified(contents.name, table, _ids_in(table.columns))[1])
        return table.scan(list(table.columns)).collect()


def _read_records(records: list[Any], name: str) -> pl.DataFrame | pl.Series:
    odd = [each for each in records if not isinstance(each, Mapping)]
    if odd or not records:
        found = type(odd[0]).__name__ if odd else "nothing"
        raise DataError(f"{name}: expected records (mappings of field to value); found {found}.")
    if is_deep(records):
        raise DataError(f"{name} holds records that are nested too deeply.")
    if any(_EVENT in record for record in records):
        return pl.Series(LINE, [json.dumps(record, default=str) for record in records])
    with collecting(name, "as a table", ""):
        rows = pl.DataFrame(records, infer_schema_length=None)
        return rows.with_columns(
            ids_of_values(name, own, [record.get(own) for record in records])
            for own in _ids_in(rows.columns)
        )


def _ids_in(columns: Iterable[str]) -> tuple[str, ...]:
    """Return the columns of queries and documents, of which a type does not tell all."""
    return tuple(find_columns(columns, [QUERY_ID, DOC_ID])[0].values())


def _as_lines(rows: pl.DataFrame) -> pl.Series:
    text = rows.write_ndjson()
    return pl.Series(LINE, text.splitlines(), dtype=pl.String)


def ubi_impressions(
    lines: pl.Series, *, shown: Iterable[str], clicks: Iterable[str]
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return the documents shown by each execution of a query, and whether they were clicked.

    Lists are those of impression events. Executions without one have the list that the query
    recorded (``query_response_hit_ids``), if any.

    Parameters
    ----------
    lines
        Events and, where there are any, queries, as JSON, a line each.
    shown, clicks
        The names of actions that mean that a document was shown, and clicked.

    Returns
    -------
    impressions : DataFrame
        ``session`` (the execution), ``user``, ``query_id`` (the text of the query), ``doc_id``
        (String), ``rank`` (Int64, as in the log), ``clicked`` (Int64).
    found : dict
        ``actions``, the number of events by action; ``unshown``, clicks on documents that no list
        of their execution has; ``hits``, executions with the list of the query; ``users``, the
        first and last user of each execution by name (``session, low, high``).
    """
    fields = {
        "action": "$.action_name",
        "session": "$.query_id",
        "user": "$.client_id",
        "query_id": "$.user_query",
        "doc_id": "$.event_attributes.object.object_id",
        "rank": "$.event_attributes.position.ordinal",
        "hits": "$.query_response_hit_ids",
        "objects": "$.query_response_objects_ids",
    }
    frame = lines.rename("line").to_frame().lazy()
    rows = frame.select(
        pl.col("line").str.json_path_match(path).alias(name) for name, path in fields.items()
    ).collect()
    queries = rows.filter(pl.col("action").is_null() & pl.col("session").is_not_null())
    events = rows.filter(pl.col("action").is_not_null())
    texts = (
        rows.drop_nulls(["session", "query_id"])
        .unique("session", keep="first", maintain_order=True)
        .select("session", text="query_id")
    )
    of_objects = events.drop_nulls(["session", "doc_id"])
    seen = of_objects.filter(pl.col("action").is_in(list(shown))).select(
        "session", "doc_id", pl.col("rank").cast(pl.Int64, strict=False)
    )
    first = 0 if (seen["rank"] == 0).any() else 1  # as the positions of events
    listed = (
        queries.select("session", hits=pl.coalesce("hits", "objects"))
        .drop_nulls()
        .join(seen.select("session").unique(), on="session", how="anti")
        .unique("session", keep="first", maintain_order=True)
        .with_columns(pl.col("hits").str.extract_all(_ITEM))
        .explode("hits")
        .with_columns(pl.col("hits").str.strip_chars('"').alias("doc_id"))
        .drop_nulls("doc_id")
        .with_columns((pl.int_range(pl.len()).over("session") + first).alias("rank"))
        .select("session", "doc_id", "rank")
    )
    users = (
        rows.drop_nulls(["session", "user"])
        .group_by("session")
        .agg(low=pl.col("user").min(), high=pl.col("user").max())
    )
    clicked = (
        of_objects.filter(pl.col("action").is_in(list(clicks)))
        .select("session", "doc_id")
        .unique(maintain_order=True)
        .with_columns(pl.lit(1, pl.Int64).alias("clicked"))
    )
    lists = pl.concat([seen, listed.cast({"rank": pl.Int64})]).unique(
        ["session", "doc_id"], keep="first", maintain_order=True
    )
    impressions = (
        lists.join(texts, on="session", how="inner", maintain_order="left")
        .join(users.rename({"low": "user"}), on="session", how="left", maintain_order="left")
        .join(clicked, on=["session", "doc_id"], how="left", maintain_order="left")
        .select(
            "session",
            "user",
            pl.col("text").alias("query_id"),
            "doc_id",
            "rank",
            pl.col("clicked").fill_null(0),
        )
    )
    counts = events.group_by("action", maintain_order=True).len()
    unshown = clicked.join(lists, on=["session", "doc_id"], how="anti")
    return impressions, {
        "actions": dict(counts.sort("len", "action", descending=[True, False]).iter_rows()),
        "unshown": len(unshown),
        "hits": listed["session"].n_unique(),
        "users": users,
    }
