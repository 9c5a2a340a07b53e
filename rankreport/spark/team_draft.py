"""interleaving() of a log on Spark: the clicks of each list are counted there."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

import polars as pl
from pyspark.sql import functions as f

from rankreport.call_hints import hinting
from rankreport.errors import DataError
from rankreport.frames import QUERY_ID
from rankreport.io import SESSION, USER, check_process
from rankreport.labels import (
    DRAFTED,
    DraftedLists,
    Interleaving,
    InterleavingOptions,
    check_users,
    interleaved_sides,
    interleaving_columns,
    interleaving_of_lists,
    names_lists,
)
from rankreport.spark.tables import expect_spark, ids, number
from rankreport.statistics import Draws

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@hinting()
def interleaving(
    log: DataFrame,
    *,
    baseline: str | None = None,
    confidence: float = 0.95,
    interval: str = "auto",
    resamples: int = 10_000,
    seed: int = 0,
) -> Interleaving:
    """Compare two rankings by clicks on lists on Spark that were interleaved of both (team draft).

    The clicks of each list are counted there. Lists with a click are brought to the driver, a row
    each, where they are compared by the same code as on one machine.

    Parameters
    ----------
    log
        A DataFrame with a row for each document shown, with the columns that
        `rankreport.interleaving` takes.
    baseline, confidence, interval, resamples, seed
        As for `rankreport.interleaving`.

    Returns
    -------
    Interleaving
        Equal to that of `rankreport.interleaving`.

    Raises
    ------
    DataError
        If the log lacks a column, has invalid rows, names other than two rankings, or has no click.
    OptionError
        If an option is invalid, or the log is no DataFrame of Spark.

    Examples
    --------
    >>> from pysail.spark import SparkConnectServer
    >>> from pyspark.sql import SparkSession
    >>> server = SparkConnectServer()
    >>> server.start(background=True)
    >>> address = "sc://{}:{}".format(*server.listening_address)
    >>> session = SparkSession.builder.remote(address).getOrCreate()

    >>> from rankreport import spark
    >>> rows = [("1", "u1", "old", 0), ("1", "u1", "new", 1), ("2", "u2", "old", 1)]
    >>> log = session.createDataFrame(rows, ["session", "user", "team", "clicked"])
    >>> found = spark.interleaving(log, baseline="old")
    >>> found.wins, found.losses
    (1, 1)

    >>> session.stop()
    >>> server.stop()
    """
    check_process()
    options = InterleavingOptions(confidence, interval, Draws(resamples, seed))
    expect_spark("the log", log, "use rankreport.interleaving")
    found = interleaving_columns(log.columns)
    rows = _typed(log, found)
    _check(rows)
    named = pl.DataFrame(rows.select("team").distinct().toArrow())
    system, base = interleaved_sides(named["team"].drop_nulls().sort().to_list(), baseline)
    lists = _lists(rows, system, base)
    _check_lists(lists, named=names_lists(found))
    clicked = f.col("own") + f.col("other") > 0
    counts = lists.agg(
        f.count(f.lit(1)).alias("n"), f.sum((f.col("teams") < 2).cast("int")).alias("alone")
    )
    n_lists, n_alone = pl.DataFrame(counts.toArrow()).row(0)
    home = pl.DataFrame(lists.filter(clicked).select(*DRAFTED, "own", "other").toArrow())
    return interleaving_of_lists(
        DraftedLists(system, base, home.sort(DRAFTED), n_lists, n_alone or 0, "user" in found),
        options,
    )


def _typed(log: DataFrame, found: dict[str, str]) -> DataFrame:
    """Return the columns by their meaning; users and queries are empty where they are not known."""
    texts = [
        (ids("the log", log, found[name]) if name in found else f.lit("")).alias(name)
        for name in DRAFTED
    ]
    team = f.nullif(ids("the log", log, found["team"]), f.lit("")).alias("team")
    return log.select(*texts, team, number(log, found["clicked"], "clicked"))


def _check(rows: DataFrame) -> None:
    """Check that every row has its values.

    Raises
    ------
    DataError
        If not.
    """
    clicked = f.coalesce(f.col("clicked"), f.lit(-1.0))
    faults = {
        "has no session": f.col("session").isNull(),
        "has no valid number of clicks": ~((clicked >= 0) & (clicked < f.lit(float("inf")))),
        "has no user": f.col("user").isNull(),
    }
    invalid: Column = reduce(or_, faults.values())
    if rows.filter(invalid).isEmpty():
        return
    for words, fault in faults.items():
        wrong = rows.filter(fault)
        n = wrong.count()
        if n:
            order = ["session", QUERY_ID, "user", "team", "clicked"]
            shown = pl.DataFrame(wrong.select(*order).orderBy(*order).limit(1).toArrow())
            values = ", ".join(
                f"{name} {value!r}" for name, value in shown.row(0, named=True).items()
            )
            raise DataError(f"A row of the log {words} ({values}); such rows: {n:,}.")


def _lists(rows: DataFrame, system: str, baseline: str) -> DataFrame:
    """Return the clicks on documents of either ranking, for each list."""
    clicks = [
        f.sum(f.when(f.col("team") == team, f.col("clicked")).otherwise(0.0)).alias(name)
        for team, name in ((system, "own"), (baseline, "other"))
    ]
    teams = [f.count_distinct("team").alias("teams"), f.min("team").alias("team")]
    return rows.groupBy(*DRAFTED).agg(*teams, *clicks)


def _check_lists(lists: DataFrame, *, named: bool) -> None:
    """Check that no list has two users, as `rankreport.interleaving` does."""
    divided = (f.max("teams") < 2) & (f.count_distinct("team") > 1)
    parts = lists.groupBy(*([SESSION] if named else [SESSION, QUERY_ID])).agg(
        f.min(USER).alias("low"),
        f.max(USER).alias("high"),
        (f.lit(named) | divided).alias("divided"),
    )
    check_users(pl.DataFrame(parts.filter("divided and low < high").toArrow()))
