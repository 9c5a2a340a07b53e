"""Columns that are computed once for several measures, and NumPy functions by query.

Most measures are one expression over the rows of a query. A measure that cannot be, or that would
repeat the same work at every cut-off, reads a *prepared column*: it is computed once per list,
however many measures and cut-offs read it. The measure calls `prepared` instead of ``pl.col``;
`with_prepared` adds the columns that expressions read.

A million short lists are slow one by one. `running`, `highest_first` and `position` work on all of
them at once, those of one length together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.frames import LIST, RELEVANCE
from rankreport.measures._columns import column, in_one_list

Column = NDArray[np.float64]
"""One float per row; NaN stands for null."""

Numbers = NDArray[np.int64]
"""Integers: ranks, counts or codes."""

_MAKERS: dict[str, Callable[[], pl.Expr]] = {}


def prepared(make: Callable[..., pl.Expr], **parameters: object) -> pl.Expr:
    """Return a column that is computed once from the rows of each list.

    Parameters
    ----------
    make
        Takes the parameters and returns an expression over the rows of one list, in rank order,
        with one value per row or a single value. It may read prepared columns itself. Where it uses
        `running`, `highest_first` or `position`, it is an expression over the rows of all lists,
        and all else in it looks at one row alone.
    parameters
        Parameters of the function. Calls with the same function and parameters share a column.

    Examples
    --------
    >>> import polars as pl
    >>> def gain_so_far(power: float) -> pl.Expr:
    ...     return (pl.col("relevance") ** power).cum_sum()
    >>> from rankreport.frames import numbered
    >>> rows = pl.DataFrame({"system": "s", "query_id": "q", "relevance": [1.0, 2.0]})
    >>> with_prepared(numbered(rows), [prepared(gain_so_far, power=2).max()]).row(1)
    ('s', 'q', 2.0, 0, 5.0)
    """
    if in_one_list():
        return make(**parameters)
    given = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    name = f"{make.__module__}.{make.__qualname__}({given})"
    _MAKERS[name] = partial(make, **parameters)
    return pl.col(name)


def with_prepared(rows: pl.DataFrame, expressions: Iterable[pl.Expr]) -> pl.DataFrame:
    """Add the prepared columns that the expressions read to the numbered rows."""
    for name in dict.fromkeys(name for each in expressions for name in each.meta.root_names()):
        if name in _MAKERS and name not in rows.columns:
            column = _MAKERS[name]()
            rows = with_prepared(rows, [column])
            of_all = LIST in column.meta.root_names()
            rows = rows.with_columns((column if of_all else column.over(LIST)).alias(name))
    return rows


def read_columns(expressions: Iterable[pl.Expr]) -> set[str]:
    """Return the columns that expressions read, themselves or through prepared columns.

    >>> def gained() -> pl.Expr:
    ...     return pl.col("relevance") * 2
    >>> sorted(read_columns([pl.col("rank") * prepared(gained)]))
    ['rank', 'relevance']
    """
    names = {name for each in expressions for name in each.meta.root_names()}
    made = names & _MAKERS.keys()
    others = read_columns(_MAKERS[name]() for name in made) if made else set()
    return (names - made) | others


def running(terms: pl.Expr) -> pl.Expr:
    """Return the running totals of the terms in each list, added in row order; null stays null."""
    if in_one_list():
        return terms.cast(pl.Float64).cum_sum()

    def totals(series: Sequence[pl.Series]) -> pl.Series:
        known = series[1].is_not_null()
        # Adding 0 makes 0 of -0, as adding the terms to 0 does.
        added = _by_length(_running, series[0], series[1].fill_null(0.0).to_numpy() + 0.0)
        return pl.Series(added).set(~known, None)

    return pl.map_batches([pl.col(LIST), terms.cast(pl.Float64)], totals, return_dtype=pl.Float64)


def highest_first(values: pl.Expr) -> pl.Expr:
    """Return the values of each list, the highest first; null comes last."""
    if in_one_list():
        return values.cast(pl.Float64).sort(descending=True, nulls_last=True)

    def ordered(series: Sequence[pl.Series]) -> pl.Series:
        return pl.Series(_by_length(_highest_first, series[0], _array(series[1])), nan_to_null=True)

    return pl.map_batches([pl.col(LIST), values.cast(pl.Float64)], ordered, return_dtype=pl.Float64)


def position() -> pl.Expr:
    """Return the position of each row in its list, from 1."""
    if in_one_list():
        return pl.int_range(1, column(RELEVANCE).len() + 1)

    def positions(numbers: pl.Series) -> pl.Series:
        lengths = _lengths(numbers)
        before = np.repeat(np.cumsum(lengths) - lengths, lengths)
        return pl.Series(np.arange(1, len(numbers) + 1) - before, dtype=pl.Int64)

    return pl.col(LIST).map_batches(positions, return_dtype=pl.Int64)


def _running(lists: Column) -> Column:
    totals: Column = np.cumsum(lists, axis=1)  # one after the other
    return totals


def _highest_first(lists: Column) -> Column:
    ordered: Column = -np.sort(-lists, axis=1)  # NaN comes last
    return ordered


def _by_length(function: Callable[[Column], Column], numbers: pl.Series, values: Column) -> Column:
    """Apply a function to the values of every list.

    Parameters
    ----------
    function
        Takes lists of one length as the rows of an array, and returns such an array.
    numbers
        The number of the list of each value.
    values
        The values.
    """
    lengths = _lengths(numbers)
    starts = np.cumsum(lengths) - lengths
    found = np.empty_like(values)
    for length in np.unique(lengths):
        rows = starts[lengths == length, None] + np.arange(length)
        found[rows] = function(values[rows])
    return found


def _lengths(numbers: pl.Series) -> Numbers:
    lengths: Numbers = numbers.rle().struct.field("len").cast(pl.Int64).to_numpy()
    return lengths


def each_query(function: Callable[..., float | None], *columns: str | pl.Expr) -> pl.Expr:
    """Apply a NumPy function to the rows of each query; it returns a number, or None if undefined.

    Parameters
    ----------
    function
        Called once per list with one array per column, in rank order; null is NaN.
    columns
        Numeric columns.
    """

    def of(series: Sequence[pl.Series]) -> float | None:
        return function(*map(_array, series))

    return pl.map_groups(_named(columns), of, return_dtype=pl.Float64, returns_scalar=True)


def each_row(function: Callable[..., Column], *columns: str | pl.Expr) -> pl.Expr:
    """Apply a NumPy function to the rows of each query; it returns one number per row, or NaN.

    Like `each_query`, but the function returns an array as long as its arguments. Use it in
    prepared columns.
    """

    def of(series: Sequence[pl.Series]) -> pl.Series:
        return pl.Series(np.asarray(function(*map(_array, series)), dtype=np.float64))

    return pl.map_groups(_named(columns), of, return_dtype=pl.Float64, returns_scalar=False)


def _array(series: pl.Series) -> Column:
    # Called for every query: a redundant cast would cost more than the measure.
    floats = series if series.dtype == pl.Float64 else series.cast(pl.Float64)
    return floats.to_numpy()  # null is NaN


def _named(columns: Sequence[str | pl.Expr]) -> list[pl.Expr]:
    return [column(c) if isinstance(c, str) else c for c in columns]
