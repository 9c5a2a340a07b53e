"""Names of queries, of which a number is kept that stands for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from rankreport.frames import QUERY_ID

NAMED = 5
"""How many queries a caution names."""

MOST = 50_000
"""The names of so many queries, about, stand for all."""

LOOKED_AT = 50
CHECKED = 300
"""Of so many queries of a system, an evaluation and a check look at ids and scores."""

_KEY = "key"


def kept_of_each(n_parts: int) -> tuple[int, int]:
    """Return how many names a part keeps of queries that one side has, and of those of both.

    Each keeps more than its share, if all are few.
    """
    both = max(8 * CHECKED // n_parts, 20)
    return max(MOST // n_parts, both), both


def lowest_hashes(queries: pl.Series, n: int) -> pl.Series:
    """Return the row numbers, in order, of the queries whose names have the lowest hashes.

    They stand for all, whatever parts the others are in. `Names` of the same queries, not by their
    digits, begin with these.
    """
    if len(queries) <= n:
        return pl.int_range(len(queries), dtype=pl.UInt32, eager=True)
    return queries.cast(pl.String).hash(0).arg_sort().head(n).sort()


class Names(NamedTuple):
    """The names of some queries, of which there may be more.

    Those are kept whose digits have the lowest hashes, so that an id of one side is kept with the
    id of the other side that would match it.

    Attributes
    ----------
    n
        The number of queries.
    first
        The first ones by name.
    some
        ``query_id, key``: those with the lowest keys, in the order of these.
    whole
        Whether these are all.
    """

    n: int
    first: list[str]
    some: pl.DataFrame
    whole: bool

    @classmethod
    def of(cls, queries: pl.Series, most: int = MOST, *, by_digits: bool = True) -> Names:
        """Keep the names of some queries, ``most`` of them, by their digits or by all of them."""
        if queries.is_empty():  # as those that only one side has mostly are
            return cls(
                0, [], pl.DataFrame(schema={QUERY_ID: pl.String, _KEY: pl.UInt64}), whole=True
            )
        names = queries.cast(pl.String).rename(QUERY_ID).sort()
        # Ids that would match but for a prefix, a suffix, case, ".0" or zeros have the same digits.
        digits = pl.col(QUERY_ID).str.replace(r"\.0+$", "").str.replace_all(r"[^0-9]", "")
        digits = digits.str.strip_chars_start("0")
        key = pl.when(digits != "").then(digits).otherwise(pl.col(QUERY_ID).str.to_lowercase())
        key = key if by_digits else pl.col(QUERY_ID)
        some = names.to_frame().with_columns(key.hash(0).alias(_KEY)).sort(_KEY, QUERY_ID)
        return cls(len(names), names.head(NAMED).to_list(), some.head(most), len(names) <= most)

    @classmethod
    def joined(cls, several: Sequence[Names]) -> Names:
        """Join the names of all parts."""
        some = pl.concat([each.some for each in several]).sort(_KEY, QUERY_ID)
        # Above the lowest of the highest keys, a part may have left some out.
        highest = [each.some[_KEY].max() for each in several if not each.whole]
        if highest:
            some = some.filter(pl.col(_KEY) <= pl.Series(highest, dtype=pl.UInt64).min())
        names = sorted(name for each in several for name in each.first)[:NAMED]
        n = sum(each.n for each in several)
        return cls(n, names, some.head(MOST), not highest and n <= MOST)

    @property
    def names(self) -> pl.Series:
        """The names that were kept."""
        first = pl.Series(QUERY_ID, self.first, pl.String)
        return pl.concat([first, self.some[QUERY_ID]]).unique().sort()
