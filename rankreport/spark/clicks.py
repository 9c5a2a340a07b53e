"""qrels_from_clicks() of a log on Spark, which is counted there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as f

from rankreport.call_hints import hinting
from rankreport.errors import DataError
from rankreport.frames import DOC_ID, QUERY_ID, RANK
from rankreport.io import CLICKED, DWELL, IMPRESSIONS, SESSION, USER, check_process
from rankreport.labels import (
    SHOWN,
    ClickCounts,
    ClickLabels,
    ClickOptions,
    ClickScores,
    Impressions,
    check_impressions,
    check_users,
    click_columns,
    first_rank,
    labels_of_counts,
    later_clicks,
    list_keys,
    names_lists,
    repeated_rows,
    without_user,
)
from rankreport.spark.bucket_work import found_by
from rankreport.spark.buckets import BUCKET, N_BUCKETS
from rankreport.spark.evaluation import check_number
from rankreport.spark.tables import expect_spark, ids, number

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame

_MOST = 1_000
"""How many invalid rows are looked at."""

_CELL = [QUERY_ID, DOC_ID, RANK]
_OWNER, _PLACES, _SHARES = "owner", "places", "shares"


@hinting()
def qrels_from_clicks(
    log: DataFrame,
    model: str = "pbm",
    *,
    grades: int | Iterable[float] | None = None,
    min_impressions: int = 10,
    smoothing: float = 10.0,
    min_dwell: float | None = None,
    signal: str = "click",
    first_position: int | None = None,
    confidence: float = 0.95,
    n_buckets: int = N_BUCKETS,
) -> ClickLabels:
    """Estimate judgments from a click log on Spark.

    Impressions and clicks of each query, document and rank are counted there, and only these counts
    are brought to the driver, where the click model is fitted by the same code as on one machine.
    For the intervals of the position bias, users (or sessions) are hashed into buckets, each of
    which is summed up by a worker.

    Parameters
    ----------
    log
        A row for each document shown, with the columns that `rankreport.qrels_from_clicks` takes,
        under the same names. Events of UBI are refused.
    model, grades, min_impressions, smoothing, min_dwell, signal, first_position, confidence
        As for `rankreport.qrels_from_clicks`.
    n_buckets
        The number of buckets into which users are hashed. More of them need less memory in each
        task.

    Returns
    -------
    ClickLabels
        As of `rankreport.qrels_from_clicks`: equal, but for the last digits of intervals. Accepted
        by `rankreport.spark.evaluate` as judgments.

    Raises
    ------
    DataError
        If the log lacks a column, has invalid rows, or no click.
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

    Two documents, which were shown in both orders:

    >>> from rankreport import spark
    >>> log = session.createDataFrame(
    ...     [("q1", "d1", 1, 100, 40), ("q1", "d2", 2, 100, 10), ("q1", "d2", 1, 100, 20),
    ...      ("q1", "d1", 2, 100, 20)],
    ...     ["query_id", "doc_id", "rank", "impressions", "clicks"])
    >>> labels = spark.qrels_from_clicks(log, smoothing=0)
    >>> [(doc, round(value, 3)) for _, doc, value in labels.qrels.rows()]
    [('d1', 0.4), ('d2', 0.2)]

    >>> session.stop()
    >>> server.stop()
    """
    check_process()
    options = ClickOptions(
        model,
        grades,
        min_impressions,
        smoothing,
        min_dwell,
        signal,
        first_position,
        confidence,
    )
    check_number("n_buckets", n_buckets)
    expect_spark("the log", log, "use rankreport.qrels_from_clicks")
    return labels_of_counts(_counted(log, options, n_buckets), options)


def _counted(log: DataFrame, options: ClickOptions, n_buckets: int) -> ClickCounts:
    """Count impressions and clicks of each pair at each rank."""
    if "action_name" in log.columns:
        raise DataError(
            "The log has events of UBI. Expected a row for each document shown: join the events of "
            "impressions and clicks first, or give them to rankreport.qrels_from_clicks."
        )
    found = click_columns(log.columns, options)
    ranked = RANK in found
    rows = _typed(log, found, options)
    owner = _owner(found)
    n_rows, lowest = _checked(rows, owner if IMPRESSIONS not in found else None)
    remarks = []
    if SESSION in found and IMPRESSIONS not in found:
        keys = [*list_keys(found), DOC_ID, *([RANK] if ranked else [])]
        remarks += repeated_rows(n_rows - rows.select(*keys).distinct().count())
        if names_lists(found):
            users = rows.groupBy(SESSION).agg(f.min(USER).alias("low"), f.max(USER).alias("high"))
            check_users(pl.DataFrame(users.filter("low < high").toArrow()))
    shift = 0
    if ranked:
        first, about_ranks = first_rank(lowest, options.first_position)
        remarks += about_ranks
        shift = 1 - first
    clicked = f.col(CLICKED)
    if options.min_dwell is not None:
        enough = f.coalesce(f.col(DWELL), f.lit(0.0)) >= f.lit(float(options.min_dwell))
        clicked = f.when(enough, clicked).otherwise(f.lit(0.0))
    kept = {
        RANK: (f.col(RANK) if ranked else f.lit(1)).cast("long") + f.lit(shift),
        CLICKED: clicked,
        _OWNER: owner,
    }
    rows = rows.withColumns(kept)
    if options.model == "cascade":
        rows, n_several = _until_first_click(rows)
        remarks += later_clicks(n_several)
    cells = _in_cells(rows)
    has_units = IMPRESSIONS not in found and not found.keys().isdisjoint({USER, SESSION})
    units = _Users(rows, cells, n_buckets) if has_units else None
    has_lists = ranked and SESSION in found and IMPRESSIONS not in found
    examined = partial(_examined, rows) if has_lists else None
    return ClickCounts(cells, ranked, units, remarks, examined)


def _in_cells(rows: DataFrame) -> pl.DataFrame:
    """Collect how often each pair was shown and clicked at each rank."""
    counts = rows.groupBy(*_CELL).agg(f.sum(SHOWN).alias(SHOWN), f.sum(CLICKED).alias(CLICKED))
    return pl.DataFrame(counts.toArrow()).sort(_CELL)


def _examined(rows: DataFrame) -> pl.DataFrame:
    """Count what was shown and clicked up to the first click of each list."""
    return _in_cells(_until_first_click(rows)[0])


def _owner(found: Mapping[str, str]) -> Column:
    """Return whose clicks may depend on each other: the user, or the session if it is not known."""
    owners = [f.col(name) for name in (USER, SESSION) if name in found]
    return f.coalesce(*owners) if owners else f.lit("")


def _checked(rows: DataFrame, owner: Column | None) -> tuple[int, int]:
    """Check all rows.

    Returns
    -------
    n_rows, lowest : int
        How many there are, and the lowest rank.

    Raises
    ------
    DataError
        If there are none, or some are invalid.
    """
    invalid = _invalid(rows)
    found = rows.agg(
        f.count(f.lit(1)).alias("n"),
        f.max(invalid).alias("invalid"),
        f.max(f.lit(col=False) if owner is None else owner.isNull()).alias("nobody"),
        f.min(f.col(RANK) if RANK in rows.columns else f.lit(1.0)).alias("lowest"),
    )
    whole = pl.DataFrame(found.toArrow()).row(0, named=True)
    if not whole["n"]:
        raise DataError("The log has no rows.")
    if whole["invalid"]:
        first = rows.filter(invalid).orderBy(*rows.columns).limit(_MOST)
        check_impressions(pl.DataFrame(first.toArrow()))
    if whole["nobody"]:
        raise without_user()
    return whole["n"], int(whole["lowest"])


def _typed(log: DataFrame, found: Mapping[str, str], options: ClickOptions) -> DataFrame:
    """Return the columns that are needed, by their meaning: ids as text, others as numbers."""
    named = [name for name in (QUERY_ID, DOC_ID, SESSION, USER) if name in found]
    kept = [ids("the log", log, found[name]).alias(name) for name in named]
    kept.append(number(log, found[options.counted], CLICKED))
    if IMPRESSIONS in found:
        kept.append(number(log, found[IMPRESSIONS], SHOWN))
    else:
        kept.append(f.lit(1.0).alias(SHOWN))
    further = [RANK] if RANK in found else []
    further += [] if options.min_dwell is None else [DWELL]
    kept += [number(log, found[name], name) for name in further]
    return log.select(*kept)


def _invalid(rows: DataFrame) -> Column:
    """Return whether a row is one that `check_impressions` refuses."""
    infinite = f.lit(float("inf"))
    clicked, shown = (f.coalesce(f.col(name), f.lit(-1.0)) for name in (CLICKED, SHOWN))
    wrong = [f.col(name).isNull() for name in (QUERY_ID, DOC_ID, SESSION) if name in rows.columns]
    wrong += [
        ~((clicked >= 0) & (clicked < infinite)),
        ~((shown > 0) & (shown < infinite)),
        clicked > shown,
    ]
    if RANK in rows.columns:
        rank = f.coalesce(f.col(RANK), f.lit(-1.0))
        wrong.append(~((rank >= 0) & (rank < infinite) & (rank == f.rint(rank))))
    return reduce(or_, wrong)


def _until_first_click(rows: DataFrame) -> tuple[DataFrame, int]:
    """Do what it does in `rankreport.labels`."""
    lists = list_keys(rows.columns)
    clicked = f.col(CLICKED) > 0
    several = rows.filter(clicked).groupBy(*lists).count().filter("count > 1").count()
    first = f.min(f.when(clicked, f.col(RANK))).over(Window.partitionBy(*lists))
    kept = rows.withColumn("stop", first)
    return kept.filter(f.col("stop").isNull() | (f.col(RANK) <= f.col("stop"))), several


@dataclass(frozen=True, eq=False)
class _Users:
    """The impressions of users or sessions on Spark. See `rankreport.labels.ClickUnits`.

    Attributes
    ----------
    rows
        The impressions: ``query_id, doc_id, rank, clicked, owner``.
    cells
        The cells, by their number.
    n_buckets
        The number of buckets into which owners are hashed.
    """

    rows: DataFrame
    cells: pl.DataFrame
    n_buckets: int

    def products(self, scores: ClickScores) -> tuple[NDArray[np.float64], int]:
        """Return the sum over units of the products of their scores, and the number of units."""
        keys = [RANK] if scores.profile is None else _CELL
        known = self.rows.sparkSession.createDataFrame(self._table(scores, keys))
        rows = self.rows.select(*keys, _OWNER, CLICKED).join(known, keys).drop(*keys)
        parts = found_by(rows, _OWNER, partial(_products, scores.n_ranks), self.n_buckets)
        total = np.zeros((scores.n_ranks, scores.n_ranks))
        for _, products in sorted(parts, key=lambda part: part[0]):
            total += products
        return total, self.rows.select(_OWNER).distinct().count()

    def _table(self, scores: ClickScores, keys: list[str]) -> pa.Table:
        """Return what an impression adds, for each cell, or for each rank where that is enough."""
        numbers = {
            "cell": np.arange(len(scores.rank)),
            "pair": scores.pair,
            "place": scores.rank,
            "expected": scores.expected,
            "divisor": scores.divisor,
        }
        frame = self.cells.select(keys).with_columns(pl.Series(n, of) for n, of in numbers.items())
        if scores.profile is None:
            frame = frame.unique(RANK, maintain_order=True).with_columns(pair=pl.lit(0, pl.Int64))
            return frame.to_arrow(compat_level=pl.CompatLevel.oldest())
        # A document that nobody clicked adds nothing.
        frame = frame.filter(pl.col("expected") > 0)
        profile = scores.profile.T.tocsr()[frame["pair"].to_numpy()]
        offsets = pa.array(profile.indptr, pa.int32())
        table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
        for name, values in ((_PLACES, profile.indices), (_SHARES, profile.data)):
            table = table.append_column(name, pa.ListArray.from_arrays(offsets, pa.array(values)))
        return table


def _products(n_ranks: int, table: pa.Table) -> tuple[int, NDArray[np.float64]]:
    """Return the number of a bucket, and the sum over its owners of the products of scores."""
    from scipy import sparse

    lists = [name for name in (_PLACES, _SHARES) if name in table.column_names]
    numbers = table.drop_columns(lists)
    rows = pl.DataFrame(numbers).with_row_index("at").sort(_OWNER, "cell", CLICKED)
    cells = rows.unique("cell", keep="first").sort("cell")
    pair = (cells["pair"].rank("dense") - 1).to_numpy().astype(np.int64)
    profile = None
    if lists:
        first = cells.unique("pair", keep="first").sort("pair")["at"].to_numpy()
        ranks, shares = (table[name].combine_chunks().take(pa.array(first)) for name in lists)
        parts = (shares.flatten(), ranks.flatten(), ranks.offsets)
        data, indices, offsets = (part.to_numpy(zero_copy_only=False) for part in parts)
        profile = sparse.csr_array((data, indices, offsets), shape=(len(first), n_ranks)).T.tocsr()
    place, expected, divisor = (cells[name].to_numpy() for name in ("place", "expected", "divisor"))
    impressions = Impressions(
        cells["cell"].search_sorted(rows["cell"]).to_numpy().astype(np.int64),
        rows[_OWNER].rle_id().to_numpy().astype(np.int64),
        rows[CLICKED].to_numpy(),
    )
    products, _ = impressions.products(
        ClickScores(pair, place, n_ranks, expected, divisor, profile)
    )
    return rows[BUCKET][0], products
