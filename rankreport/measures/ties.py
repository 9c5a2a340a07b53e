"""Tie rules, and exact means over all orders of equal scores.

Documents with equal scores form a block, from rank ``tie_first`` to ``tie_last``, whose orders are
all equally likely. McSherry and Najork (ECIR 2008) give closed forms of the means. In a measure
that is a sum over documents, each document adds its mean over the ranks of its block. Other
measures use the size of each block, and the numbers of relevant documents in it and above it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.frames import DOC_ID, RELEVANCE, TIE_FIRST, TIE_LAST
from rankreport.measures._prepared import Column, Numbers, prepared
from rankreport.measures._terms import Cut, relevant

_BLOCK = "block"

_by_id = pl.col(DOC_ID).rank("ordinal", descending=True)
_by_grade = pl.col(RELEVANCE).rank("ordinal", descending=True)


@dataclass(frozen=True, eq=False)
class TieRule:
    """How documents with equal scores are ordered.

    Attributes
    ----------
    name
        The value of ``ties``.
    words
        The description for readers, in English.
    within_block
        The rank of a document among the returned ones with equal score, from 1, as an expression
        over these; None to keep the input order.
    graded_place
        The rank of a judged document in its list if grades decide, as an expression over the judged
        documents of equal score, which overrides ``within_block``; else None.
    by_rank
        Whether documents are at the rank of the rank column, whatever their scores.
    expected
        Whether measures are means over all orders of equal scores. Lists are still shown in the
        order of ``within_block``.
    """

    name: str
    words: str
    within_block: pl.Expr | None = _by_id
    graded_place: pl.Expr | None = None
    by_rank: bool = False
    expected: bool = False

    @property
    def is_bound(self) -> bool:
        """Whether measures are bounds over all orders of equal scores."""
        return self.graded_place is not None

    @property
    def is_order(self) -> bool:
        """Whether equal scores are put in one order, whatever the grades."""
        return not (self.expected or self.is_bound)


def ranks_within(
    order: pl.Expr, documents: pl.Series, block: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the rank of each document among those of equal score, from 1.

    Parameters
    ----------
    order
        As `TieRule.within_block`.
    documents
        Their names, in the order given, block by block.
    block
        The number of each one's block, in ascending order.

    Examples
    --------
    >>> documents = pl.Series(["d1", "d2", "d9", "d3"])
    >>> ranks_within(_by_id, documents, np.array([0, 0, 1, 1])).tolist()
    [2, 1, 1, 2]
    """
    rows = pl.LazyFrame({DOC_ID: documents, _BLOCK: pl.Series(block).set_sorted()})
    ranks = rows.select(order.cast(pl.Int64).over(_BLOCK)).collect(engine="in-memory")
    return ranks.to_series().to_numpy()


# Unjudged documents rank below all judged ones in the best order, and above them in the worst: they
# are never relevant, while even a low grade may be.
BEST = TieRule(
    "best",
    "equal scores are ordered by grade, the highest first: the upper bound",
    graded_place=pl.col(TIE_FIRST) + _by_grade - 1,
)
"""No order of equal scores scores higher."""


WORST = TieRule(
    "worst",
    "equal scores are ordered by grade, the highest last: the lower bound",
    graded_place=pl.col(TIE_LAST) - _by_grade + 1,
)
"""No order of equal scores scores lower."""


TIES: Mapping[str, TieRule] = MappingProxyType(
    {
        rule.name: rule
        for rule in (
            TieRule(
                "trec",
                "equal scores are ordered by document id, descending, as trec_eval orders them",
            ),
            TieRule(
                "input",
                "equal scores keep the order in which they were given",
                within_block=None,
            ),
            TieRule(
                "rank",
                "documents are ordered by the rank column; scores are ignored",
                within_block=None,
                by_rank=True,
            ),
            TieRule(
                "expected",
                "measures are means over all orders of equal scores",
                expected=True,
            ),
            BEST,
            WORST,
        )
    }
)
"""The tie rules by name, the default first."""


first = pl.col(TIE_FIRST).cast(pl.Int64)
"""The first rank of each document's block; null where the document was not returned."""


last = pl.col(TIE_LAST).cast(pl.Int64)
"""The last rank of each document's block."""


size = last - first + 1
"""The number of documents in each document's block, judged or not."""


def n_above(k: Cut) -> pl.Expr:
    """Return how many ranks of each document's block are within k; null if not returned."""
    return _up_to(last, k) - _up_to(first - 1, k)


def share_within(k: Cut) -> pl.Expr:
    """Return the probability that each document ranks within k; 0 if not returned."""
    return (n_above(k) / size).fill_null(0.0)


def n_relevant_in(rel: float) -> pl.Expr:
    """Return the number of relevant documents in each document's block."""
    return prepared(_relevant_through, rel=rel) - n_relevant_before(rel)


def n_relevant_before(rel: float) -> pl.Expr:
    """Return the number of relevant documents with a higher score than each document."""
    return prepared(_relevant_before, rel=rel)


def mean_over_block(at_place: Callable[[pl.Expr], pl.Expr], k: int | None) -> pl.Expr:
    """Return the mean of a function of the rank over the ranks of each document's block.

    Parameters
    ----------
    at_place
        Maps ranks (Int64, from 1) to numbers.
    k
        The cut-off, beyond which the function counts as 0.

    Returns
    -------
    Expr
        0 for documents that were not returned.
    """

    def summed(bounds: pl.Series) -> pl.Series:
        ends = bounds.struct.unnest().fill_null(0)
        before, through = (ends[name].to_numpy() for name in ("before", "through"))
        places = pl.LazyFrame({"place": np.arange(1, through.max(initial=0) + 1)})
        each = places.select(at_place(pl.col("place")).cast(pl.Float64)).collect().to_series()
        return pl.Series(_sums_between(each.to_numpy(), before, through))

    bounds = pl.struct(_up_to(first - 1, k).alias("before"), _up_to(last, k).alias("through"))
    sums = bounds.map_batches(summed, return_dtype=pl.Float64, is_elementwise=True)
    return (sums / size).fill_null(0.0)


def of_block(function: Callable[..., float], *columns: pl.Expr) -> pl.Expr:
    """Apply a function to numbers that describe a block; null if any of them is null.

    Calls are cached, since many lists have similar blocks.
    """
    known = cache(function)

    def each(rows: pl.Series) -> pl.Series:
        found = [None if None in row else known(*row) for row in rows.struct.unnest().rows()]
        return pl.Series(found, dtype=pl.Float64)

    named = [column.alias(str(number)) for number, column in enumerate(columns)]
    return pl.struct(named).map_batches(each, return_dtype=pl.Float64, is_elementwise=True)


def mean_reciprocal(where: int, above: int, n: int, r: int) -> float:
    """Return the mean reciprocal rank of a block's first relevant document, 0 outside the cut-off.

    The probability that it is at the j-th rank, C(n - j, r - 1) / C(n, r), is computed from the one
    before: binomials would overflow.

    Parameters
    ----------
    where
        The first rank of the block.
    above
        The number of its ranks within the cut-off.
    n, r
        The numbers of documents and of relevant documents in the block.

    Examples
    --------
    >>> mean_reciprocal(1, 2, 2, 1)
    0.75
    """
    if above < 1:
        return 0.0
    j = np.arange(1, min(above, n - r + 1))
    chances = np.cumprod(np.concatenate([[r / n], (n - j - r + 1) / (n - j)]))
    return float((chances / (where + np.arange(len(chances)))).sum())


def _up_to(place: pl.Expr, k: Cut) -> pl.Expr:
    if isinstance(k, pl.Expr):
        return pl.when(place > k).then(k.cast(pl.Int64)).otherwise(place)
    return place if k is None else place.clip(upper_bound=k)


def _relevant_before(rel: float) -> pl.Expr:
    starts = first.ne_missing(first.shift(1))
    return pl.when(starts).then(_relevant_so_far(rel) - relevant(rel)).forward_fill()


def _relevant_through(rel: float) -> pl.Expr:
    ends = first.ne_missing(first.shift(-1))
    return pl.when(ends).then(_relevant_so_far(rel)).backward_fill()


def _relevant_so_far(rel: float) -> pl.Expr:
    return relevant(rel).cum_sum().cast(pl.Int64)


def _sums_between(values: Column, before: Numbers, through: Numbers) -> Column:
    """Return the sums of ``values[before:through]`` as differences of running totals.

    Rounding errors of the totals are summed separately (Knuth's two-sum) and added back, so that
    sums of a few values far down a long list stay accurate.
    """
    totals = np.concatenate([[0.0], np.cumsum(values)])
    added = totals[1:] - totals[:-1]
    lost = (totals[:-1] - (totals[1:] - added)) + (values - added)
    rest = np.concatenate([[0.0], np.cumsum(lost)])
    sums: Column = (totals[through] - totals[before]) + (rest[through] - rest[before])
    return sums
