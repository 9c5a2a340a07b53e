"""Databases: any connection of Python's DB-API."""

from __future__ import annotations

import sqlite3

import duckdb
import polars as pl
import pytest

import rankreport as rr

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d7": 2}}
RUN = {"q1": {"d2": 2.5, "d1": 0.1 + 0.2}, "q2": {"d7": 1.0}}


@pytest.fixture
def connection():
    made = sqlite3.connect(":memory:")
    made.execute("create table judged (query_id text, doc_id text, grade integer)")
    made.execute("create table results (query_id text, doc_id text, score real)")
    made.execute("create table queries (query_id text, text text, share real)")
    for table, nested in (("judged", QRELS), ("results", RUN)):
        rows = [(q, d, v) for q, docs in nested.items() for d, v in docs.items()]
        made.executemany(f"insert into {table} values (?, ?, ?)", rows)
    made.execute("insert into queries values ('q1', 'jazz', 0.5), ('q2', 'rock', null)")
    yield made
    made.close()


def test_scores_are_equal_to_the_last_bit_to_those_of_dictionaries(connection):
    qrels = rr.read_sql("select * from judged", connection)
    run = rr.read_sql("select * from results", connection)
    found = rr.evaluate(qrels, {"mine": run})
    assert found.scores.equals(rr.evaluate(QRELS, {"mine": RUN}).scores)
    assert rr.read_queries(rr.read_sql("select * from queries", connection)).rows() == [
        ("q1", "jazz", 0.5),
        ("q2", "rock", None),
    ]
    assert connection.execute("select 1").fetchone() == (1,)  # still open


def test_other_drivers_are_read_too():
    with duckdb.connect() as connection:
        query = "select 7 as qid, 'd1' as docno, 2.5::decimal(4, 1) as score"
        assert rr.read_run(rr.read_sql(query, connection)).collect().rows() == [("7", "d1", 2.5)]


def test_no_rows_of_duckdb_are_an_empty_table():
    with duckdb.connect() as connection:
        assert rr.read_sql("select 1 as a where false", connection).columns == ["a"]


def test_temporary_and_registered_tables_of_duckdb_are_seen():
    rows = pl.DataFrame({"qid": ["q1"], "docno": ["d1"], "score": [2.5]})
    with duckdb.connect() as connection:
        connection.execute("create temp table made as select 'q1' as qid, 'd1' as docno, 1 as rel")
        connection.register("frame", rows)
        assert rr.read_sql("select * from made", connection).rows() == [("q1", "d1", 1)]
        assert rr.read_sql("select * from frame", connection).equals(rows)
        assert rr.read_sql("select 1 as still_open", connection).height == 1


def test_no_rows_are_an_empty_table_and_whole_and_other_numbers_mix(connection):
    empty = rr.read_sql("select * from judged where grade > 9", connection)
    assert empty.columns == ["query_id", "doc_id", "grade"]
    with pytest.raises(rr.DataError, match="no rows"):
        rr.evaluate(empty, {"mine": RUN}).summary()
    ids = rr.read_sql("select 'x' as id union all select 1 order by id", connection)
    assert ids["id"].to_list() == ["1", "x"]
    mixed = rr.read_sql("select 1 as n union all select 2.5 order by n", connection)
    assert mixed["n"].to_list() == [1.0, 2.5]
    assert mixed.schema["n"] == pl.Float64


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("select * from nowhere", "The database cannot answer the query (no such table: nowhere)"),
        ("create table other (a)", "The query returns no table"),
        ("select 1 as a, 2 as a", "returns two columns of a name"),
        ("select abs(n) from (select 1 as n union all select -9223372036854775808)", "overflow"),
    ],
)
def test_a_fault_is_named(query, words, connection):
    with pytest.raises(rr.DataError) as refused:
        rr.read_sql(query, connection)
    assert words in str(refused.value)


def test_what_is_no_connection_is_refused():
    with pytest.raises(rr.OptionError, match="takes an open connection of Python's DB-API"):
        rr.read_sql("select 1", "file.db")
    with pytest.raises(rr.OptionError, match="takes the text of a query"):
        rr.read_sql(None, sqlite3)
