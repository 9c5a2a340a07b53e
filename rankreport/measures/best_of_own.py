"""The best orders of documents: of those that a list holds, and of all that are judged.

The best order sorts documents by grade, with unjudged ones last. It has the highest value of a
measure that never falls where the better of two neighbours moves up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import comb, prod

import polars as pl

from rankreport.errors import OptionError
from rankreport.frames import DOC_ID, LIST, QUERY_ID, RANK, RELEVANCE, TIE_FIRST, TIE_LAST, numbered
from rankreport.measures.declare import Measure
from rankreport.measures.values import JudgedRows

_SHARE = "share of the orders"
_MOST_SETS = 10_000


def best_values(rows: JudgedRows, measure: Measure, n: int) -> pl.DataFrame:
    """Compute a measure of the first documents of lists, and the best that it could be.

    Parameters
    ----------
    rows
        The judged rows.
    measure
        One that sorting by grade makes highest, whatever the number of documents.
    n
        The number of documents of each list; shorter ones are taken whole.

    Returns
    -------
    DataFrame
        ``system, query_id``; ``ideal``, the value of the best order of all judged documents;
        ``value``; ``best_of_own``, the value of the best order of the first documents. Where equal
        scores leave open which documents are the first, both are means over all orders of these.
    """
    name = str(measure)
    all_held = replace(rows, documents=rows.documents.with_columns(pl.col(RANK).fill_null(0)))
    ideal = _in_best_order(all_held).of_queries([measure]).rename({name: "ideal"})
    shares, first = _first_documents(rows, measure, n)
    found = shares.with_columns(
        value=first.of_queries([measure])[name],
        best_of_own=_in_best_order(first).of_queries([measure])[name],
    )
    values = pl.col("value", "best_of_own")
    # The sum of nothing is 0, where a value is undefined.
    mean = pl.when(values.is_not_null().all()).then((values * pl.col(_SHARE)).sum())
    by_list = found.sort(LIST, maintain_order=True).group_by(LIST, maintain_order=True)
    return ideal.hstack(by_list.agg(mean).drop(LIST))


def _in_best_order(rows: JudgedRows) -> JudgedRows:
    """Return the rows with the documents of each list sorted by grade."""
    held = pl.col(RANK).is_not_null()
    by_grade = numbered(rows.documents).sort(
        LIST, held, RELEVANCE, descending=[False, True, True], maintain_order=True
    )
    place = pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).over(LIST)
    ranked = by_grade.with_columns(pl.when(held).then(place).alias(RANK))
    return replace(rows, documents=ranked.drop(LIST), expected=False)


def _first_documents(rows: JudgedRows, measure: Measure, n: int) -> tuple[pl.DataFrame, JudgedRows]:
    """Return the first documents of lists: all sets of them that orders of equal scores give.

    Returns
    -------
    DataFrame
        The number of the list of each set, and its share of the orders.
    JudgedRows
        The lists of these sets.
    """
    documents = numbered(rows.documents)
    parted = ((pl.col(TIE_FIRST) <= n) & (pl.col(TIE_LAST) > n)).fill_null(value=False)
    is_parted = parted.any().over(LIST) if rows.expected else pl.lit(value=False)
    least = 1e-300 if measure.rel is None else measure.rel
    shares, lists = [], [documents.filter(~is_parted)]
    for (number,), one in documents.filter(is_parted).group_by(LIST, maintain_order=True):
        for share, some in _sets(one, one.filter(parted), least, n):
            shares.append((number, share))
            lists.append(some.with_columns(pl.lit(str(len(lists))).alias(QUERY_ID)))
    alone = lists[0].select(pl.col(LIST).unique(maintain_order=True), pl.lit(1.0).alias(_SHARE))
    shared = pl.DataFrame(shares, schema=alone.schema, orient="row")
    made = replace(rows, documents=pl.concat(lists).drop(LIST))
    return pl.concat([alone, shared]), made.within(n)


def _sets(
    one: pl.DataFrame, block: pl.DataFrame, least: float, n: int
) -> Iterator[tuple[float, pl.DataFrame]]:
    """Yield the sets of the first documents of a list that differ in the grades that count.

    Parameters
    ----------
    one
        The judged rows of the list.
    block
        Those of one score that has documents among the first and others below.
    least
        The lowest grade that counts; documents of others are as good as unjudged.
    n
        The number of the first documents.

    Yields
    ------
    tuple
        The share of the orders that give such a set, and its rows.
    """
    first, last = block.select(pl.col(TIE_FIRST, TIE_LAST).cast(pl.Int64)).row(0)
    size, room = last - first + 1, n - first + 1
    of_grade = block.filter(pl.col(RELEVANCE) >= least).partition_by(RELEVANCE)
    lengths = [len(each) for each in of_grade]
    if prod(length + 1 for length in lengths) > _MOST_SETS:
        raise OptionError(
            f"Of {size:,} documents of equal score, {room:,} are among the first {n:,} for query "
            f"{one[QUERY_ID][0]!r}: too many sets of them for a mean. Evaluate with ties='trec'."
        )
    for taken in product(*(range(length + 1) for length in lengths)):
        n_others = room - sum(taken)
        if 0 <= n_others <= size - sum(lengths):
            ways = comb(size - sum(lengths), n_others) * prod(map(comb, lengths, taken))
            kept = [each[DOC_ID].head(k) for each, k in zip(of_grade, taken, strict=True)]
            is_kept = pl.col(DOC_ID).is_in(pl.concat([block[DOC_ID].clear(), *kept]).implode())
            of_others = pl.when(pl.col(TIE_FIRST) != first).then(RANK)
            rank = of_others.when(is_kept).then(pl.lit(n, pl.UInt32))
            some = one.with_columns(rank.alias(RANK)).sort(RANK, nulls_last=True)
            yield ways / comb(size, room), some
