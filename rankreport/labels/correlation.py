r"""Kendall's tau-b and tau-AP of many pairs of rankings of the same documents, with equal ranks.

Both count pairs of documents that the two rankings order the same way. Kendall's tau-b (Kendall
1945) is their number less that of pairs ordered otherwise, over the root of the product of the
numbers of pairs without a tie in either ranking. AP correlation (Yilmaz, Aslam and Robertson, SIGIR
2008) is the mean over documents but the first of the share of documents above it that belong there,
so that differences at the top weigh more. Here it is the variant for agreement with ties (Urbano
and Marrero, ICTIR 2017): documents above are those of better blocks of equal ranks, and the mean of
both directions is taken.

Pairs ordered otherwise are counted for all documents of all queries at once, by the bits of their
ranks: at each bit, within the documents that agree in the higher bits, those with a 0 that come
after those with a 1 are out of order.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankreport.statistics import ratio

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def rank_correlations(query: Ints, one: Ints, other: Ints, n_queries: int) -> tuple[Floats, Floats]:
    """Return Kendall's tau-b and the symmetric AP correlation of each query.

    Parameters
    ----------
    query
        The number of each document's query, from 0.
    one, other
        Its rank in either ranking, from 1; equal ranks are ties.
    n_queries
        The number of queries.

    Returns
    -------
    tau_b, tau_ap : float64, shape (n_queries,)
        NaN where a ranking has fewer than two different ranks.

    Examples
    --------
    >>> tau_b, tau_ap = rank_correlations(*np.array([[0, 0, 0], [1, 2, 3], [1, 3, 2]]), 1)
    >>> tau_b.round(3), tau_ap
    (array([0.333]), array([0.5]))
    """
    by_one, by_other = (_order(query, *pair) for pair in ((one, other), (other, one)))
    above_one, tied_one = _ties(by_one, query, one, other)
    above_other, tied_other = _ties(by_other, query, other, one)
    out_of_order, reversed_order = np.empty_like(one), np.empty_like(one)
    out_of_order[by_one], reversed_order[by_one] = _inversions(query[by_one], other[by_one])

    def total(values: NDArray[np.generic]) -> Floats:
        weights = values.astype(np.float64)
        return np.bincount(query, weights=weights, minlength=n_queries).astype(np.float64)

    strict_one, strict_other, discordant = map(total, (above_one, above_other, out_of_order))
    # Pairs without a tie in the first ranking, less those with a tie in the second one alone.
    concordant = strict_one - total(tied_other) - discordant
    tau_b = ratio(concordant - discordant, np.sqrt(strict_one * strict_other))

    def directed(above: Ints, apart: Ints, tied: Ints) -> Floats:
        below_top = above > 0
        share = np.where(below_top, (above - apart - tied) / np.maximum(above, 1), 0.0)
        return 2 * ratio(total(share), total(below_top)) - 1

    tau_ap = directed(above_one, out_of_order, tied_other)
    tau_ap = (tau_ap + directed(above_other, reversed_order, tied_one)) / 2
    return tau_b, tau_ap


def _order(query: Ints, first: Ints, second: Ints) -> Ints:
    """Return the rows in the order of these columns."""
    sizes = [int(column.max(initial=0)) + 1 for column in (query, first, second)]
    if math.prod(sizes) >= 2**62:
        return np.lexsort((second, first, query))
    order: Ints = np.argsort((query * sizes[1] + first) * sizes[2] + second)
    return order


def _ties(order: Ints, query: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Count, for each document, those above it in the first ranking, and its ties.

    Returns
    -------
    above
        The documents with a better rank in the first ranking.
    tied
        Those with the same rank in the first ranking, and a better one in the second.
    """
    above, tied = np.empty_like(first), np.empty_like(first)
    sorted_query, sorted_first = query[order], first[order]
    above[order] = _before_block((sorted_query,), sorted_first)
    tied[order] = _before_block((sorted_query, sorted_first), second[order])
    return above, tied


def _before_block(keys: tuple[Ints, ...], value: Ints) -> Ints:
    """Count the rows with equal keys and a lower value, in rows sorted by keys and value."""
    n = len(value)
    fresh = np.zeros(n, dtype=bool)
    fresh[:1] = True
    for key in keys:
        fresh[1:] |= key[1:] != key[:-1]
    block = fresh.copy()
    block[1:] |= value[1:] != value[:-1]
    rows = np.arange(n)
    start_of_group = np.maximum.accumulate(np.where(fresh, rows, 0))
    start_of_block = np.maximum.accumulate(np.where(block, rows, 0))
    counted: Ints = start_of_block - start_of_group
    return counted


def _inversions(group: Ints, value: Ints) -> tuple[Ints, Ints]:
    """Count inversions by row; groups are adjacent.

    Returns
    -------
    greater
        The number of earlier rows of the same group with a greater value.
    lesser
        The number of later rows with a lesser value.
    """
    n = len(value)
    greater, lesser = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    rows, place = np.arange(n), np.arange(n)
    edges = np.flatnonzero(np.diff(group, prepend=-1))
    sizes = np.diff(edges, append=n)
    start, end = np.repeat(edges, sizes), np.repeat(edges + sizes, sizes)
    for bit in range(int(value.max(initial=0)).bit_length() - 1, -1, -1):
        is_one = ((value >> bit) & 1).astype(bool)
        so_far = np.concatenate([[0], np.cumsum(is_one)])
        ones_before = so_far[rows] - so_far[start]
        middle = end - (so_far[end] - so_far[start])
        zeros_before = rows - start - ones_before
        greater[place] += np.where(is_one, 0, ones_before)
        lesser[place] += np.where(is_one, middle - start - zeros_before, 0)
        # Order the rows of each group by this bit; rows with the same bit keep their order.
        target = np.where(is_one, middle + ones_before, start + zeros_before)
        start, end = np.where(is_one, middle, start), np.where(is_one, end, middle)
        moved = np.empty((4, n), dtype=np.int64)
        for column, values in zip(moved, (value, place, start, end), strict=True):
            column[target] = values
        value, place, start, end = moved
    return greater, lesser
