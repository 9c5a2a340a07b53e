"""Lists that a measure cannot tell apart, of which one is enough to compute.

Where each of a million queries has one or two judged documents, a few thousand lists differ in what
measures read: the grades of the judged documents and their ranks. Values depend on nothing else, so
they are those of all lists, to the last bit.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rankreport.frames import LIST

if TYPE_CHECKING:
    from numpy.typing import NDArray

MANY = 50_000
"""Of fewer lists, it is not worth the while to look for equal ones."""

_POSITION = "position in the list"


class DistinctLists(NamedTuple):
    """The lists that differ.

    Attributes
    ----------
    rows
        Their rows.
    numbers
        For each of all lists, the place of the equal one among them.
    """

    rows: pl.DataFrame
    numbers: pl.Series

    def of_all(self, values: pl.DataFrame) -> pl.DataFrame:
        """Return the values of all lists, given those of the lists that differ."""
        return values.select(pl.all().gather(self.numbers))


def distinct_lists(rows: pl.DataFrame, columns: Collection[str]) -> DistinctLists | None:
    """Return the lists that differ in some columns, or None if most differ.

    Parameters
    ----------
    rows
        Numbered rows.
    columns
        The columns.

    Examples
    --------
    >>> from rankreport.frames import numbered
    >>> rows = pl.DataFrame({"system": "s", "query_id": [*"abcde"], "rank": [1, 2, 1, 1, 2]})
    >>> rows = numbered(rows)
    >>> found = distinct_lists(rows, ["rank"])
    >>> found.rows["rank"].to_list(), found.numbers.to_list()
    ([1, 2], [0, 1, 0, 0, 1])
    >>> distinct_lists(rows, ["query_id"])
    """
    names = sorted(columns)
    if not names:
        return None
    number, read = rows[LIST].to_numpy(), rows.select(names)
    starts = np.concatenate([[0], np.flatnonzero(number[1:] != number[:-1]) + 1])
    lengths = np.diff(starts, append=len(rows))
    hashes = _hashed(read, starts, lengths)
    if hashes.n_unique() * 2 > len(hashes):
        return None
    numbered = hashes.to_frame("hash").with_row_index("list")
    first = numbered.select(pl.col("list").first().over("hash").cast(pl.Int64))
    equal_to = first.to_series().to_numpy()
    if not _are_equal(read, starts, lengths, equal_to):
        return None
    is_first = equal_to == np.arange(len(equal_to))
    return DistinctLists(
        rows.filter(pl.Series(np.repeat(is_first, lengths))),
        pl.Series(np.cumsum(is_first) - 1, dtype=pl.UInt32).gather(equal_to),
    )


def _rows_of(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of the rows of lists, one list behind the other."""
    before = np.cumsum(lengths) - lengths
    rows: NDArray[np.int64] = np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
    return rows


def _hashed(read: pl.DataFrame, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> pl.Series:
    """Return a hash of the rows of each list, which depends on their order."""
    position = pl.Series(_POSITION, _rows_of(np.zeros_like(starts), lengths), pl.UInt32)
    of_rows = read.with_columns(position).hash_rows(seed=0).to_numpy()
    return pl.Series(np.add.reduceat(of_rows, starts))


def _are_equal(
    read: pl.DataFrame,
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    equal_to: NDArray[np.int64],
) -> bool:
    """Return whether each list is equal to the one that has the same hash, to the last bit."""
    if not np.array_equal(lengths[equal_to], lengths):
        return False
    others = pl.Series(_rows_of(starts[equal_to], lengths), dtype=pl.UInt32)
    return all(same_bits(column, column.gather(others)) for column in read)


def same_bits(one: pl.Series, other: pl.Series) -> bool:
    """Return whether two columns are equal to the last bit.

    >>> same_bits(pl.Series([0.0, None]), pl.Series([-0.0, None]))
    False
    """
    if not one.dtype.is_float():
        return one.equals(other, null_equal=True)
    nulls = one.is_null()
    if not nulls.equals(other.is_null()):
        return False
    # -0 is not 0 here.
    bits, of_other = (
        each.cast(pl.Float64).fill_null(0.0).to_numpy().view(np.int64) for each in (one, other)
    )
    return np.array_equal(bits, of_other)
