"""interleaving() of a log on Spark: executors count the clicks of each list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa
from pyspark.sql import functions as f

from rankreport.call_hints import hinting
from rankreport.errors import DataError
from rankreport.io import SESSION, USER, check_process
from rankreport.labels import (
    DRAFTED,
    DraftedLists,
    Interleaving,
    InterleavingOptions,
    drafted_faults,
    interleaved_sides,
    interleaving_columns,
    interleaving_of_lists,
    names_lists,
)
from rankreport.spark.bucket_work import found_by
from rankreport.spark.buckets import BUCKET
from rankreport.spark.tables import expect_spark, ids, number
from rankreport.statistics import Draws

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
    teams = pl.DataFrame(rows.select("team").distinct().toArrow())["team"]
    sides = interleaved_sides(teams.drop_nulls().sort().to_list(), baseline)
    named = names_lists(found)
    parts = found_by(rows, SESSION, partial(_found_of, sides, named=named))
    _check([faults for faults, _ in parts])
    lists = DraftedLists.joined([lists for _, lists in parts])
    return interleaving_of_lists(lists, sides, options, users_known=USER in found)


def _typed(log: DataFrame, found: dict[str, str]) -> DataFrame:
    """Return the columns by their meaning; users and queries are empty where they are not known."""
    texts = [
        (ids("the log", log, found[name]) if name in found else f.lit("")).alias(name)
        for name in DRAFTED
    ]
    team = f.nullif(ids("the log", log, found["team"]), f.lit("")).alias("team")
    return log.select(*texts, team, number(log, found["clicked"], "clicked"))


_Faults = dict[str, tuple[int, pl.DataFrame]]
"""How many rows lack a value, and the first of them, by what is wrong with them."""


def _found_of(
    sides: tuple[str, str], table: pa.Table, *, named: bool
) -> tuple[_Faults, DraftedLists]:
    """Return what is found of the sessions of a bucket."""
    rows = pl.DataFrame(table).drop(BUCKET)
    faults = {
        words: (len(wrong), wrong.sort(wrong.columns).head(1))
        for words, wrong in drafted_faults(rows).items()
    }
    return faults, DraftedLists.of(rows, sides, named=named)


def _check(parts: Sequence[_Faults]) -> None:
    """Check that every row has its values.

    Raises
    ------
    DataError
        If not.
    """
    for words in parts[0]:
        n = sum(part[words][0] for part in parts)
        if n:
            first = pl.concat([part[words][1] for part in parts])
            shown = first.sort(first.columns).row(0, named=True)
            values = ", ".join(f"{name} {value!r}" for name, value in shown.items())
            raise DataError(f"A row of the log {words} ({values}); such rows: {n:,}.")
