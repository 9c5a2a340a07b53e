"""Columns that are computed once for several measures, and NumPy functions by query.

Most measures are one expression over the rows of a query. A measure that cannot be, or that would
repeat the same work at every cut-off, reads a *prepared column*: it is computed once per list,
however many measures and cut-offs read it. The measure calls `prepared` instead of ``pl.col``;
`with_prepared` adds the columns that expressions read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.frames import LIST

__all__ = [
    "Column",
    "Numbers",
    "each_query",
    "each_row",
    "prepared",
    "with_prepared",
]


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
        with one value per row or a single value. It may read prepared columns itself.
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
            rows = rows.with_columns(column.over(LIST).alias(name))
    return rows


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
    return [pl.col(c) if isinstance(c, str) else c for c in columns]
