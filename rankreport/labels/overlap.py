r"""Rank-biased overlap of many pairs of lists, with equal scores.

Rank-biased overlap (Webber, Moffat and Zobel, TOIS 2010) is the mean agreement of two lists over
the depths that a reader reaches, who goes on from each document with probability p:

.. math:: \frac{1-p}{p} \sum_{d=1}^{\infty} p^d A_d

The agreement of lists without ties is the share of the first d documents that both have. With ties
it is one of three (Corsi and Urbano, SIGIR 2024). Let a document contribute to depth d as much as
the probability that it is among the first d of a list, if equal scores are in any order: X is the
sum of the products of its contributions to both lists. Then A is X / d (variant a, its mean over
orders of equal scores) or X over the root of the product of the sums of squared contributions
(variant b, which is 1 for a list and itself). In variant w, equal scores share the first of their
ranks, and A is 2 X over the numbers of documents at ranks up to d.

Lists end, so that the sum is not known: the extrapolated value takes the agreement to go on as it
was seen, and the lower and upper bound let the unseen documents never, or always, agree. In
variant a they are the means of these values over all orders, but for lists of unequal length where
the longer one has equal scores beyond the end of the shorter: an unseen document then contributes
no more than those it might be, which an order of them does not know. The lower bound always is.

A document of a list contributes linearly in d while d is within its block of equal scores, and all
documents of a block equally. With `t` the first rank of a document's block and `b` the last, the
documents before the block that d is in are those with ``b < d``, and those up to its end those with
``t <= d``. So X at every depth follows from four cumulative counts of shared documents, whatever
the ties are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

VARIANTS = ("a", "b", "w")
"""How equal scores are treated."""

_CELLS = 2**21
"""The most cells of a matrix of queries by depths, so that memory stays small."""


class Documents(NamedTuple):
    """Documents of lists: the number of the query, the rank, and the ranks of equal scores."""

    query: Ints
    rank: Ints
    first: Ints
    last: Ints

    def of(self, rows: NDArray[np.bool_] | Ints) -> Documents:
        """Return some of the documents."""
        return Documents(*(column[rows] for column in self))


class Shared(NamedTuple):
    """The documents that both lists of a query have, as they stand in either; aligned."""

    one: Documents
    other: Documents


class Overlaps(NamedTuple):
    """Rank-biased overlap of each query: extrapolated, least and greatest; and at depths.

    `at` has the extrapolated value of the documents up to each depth, ``(n_queries, n_depths)``.
    """

    extrapolated: Floats
    least: Floats
    greatest: Floats
    at: Floats


def rank_biased_overlap(
    one: Documents,
    other: Documents,
    shared: Shared,
    *,
    p: float,
    variant: str = "a",
    depths: Ints | None = None,
) -> Overlaps:
    """Return the rank-biased overlap of the two lists of each query.

    Parameters
    ----------
    one, other
        The documents of the lists; each query, numbered from 0, has at least one on either side.
    shared
        Those that both lists have.
    p
        The persistence, above 0 and at most 1. With 1, values are average overlaps: the mean
        agreement at all depths down to the end of the longer list.
    variant
        One of `VARIANTS`.
    depths
        Depths at which the extrapolated value is wanted, from 1. Beyond the end of both lists it
        is that of the end.

    Examples
    --------
    >>> here = np.array([0, 0]), np.array([1, 2]), np.array([1, 2]), np.array([1, 2])
    >>> same = Documents(*here)
    >>> rank_biased_overlap(same, same, Shared(same, same), p=0.5).extrapolated
    array([1.])
    """
    wanted = np.empty(0, dtype=np.int64) if depths is None else depths
    n_one, n_other = (np.bincount(side.query) for side in (one, other))
    swapped = n_one > n_other
    short, long = (
        _joined(first.of(~swapped[first.query]), second.of(swapped[second.query]))
        for first, second in ((one, other), (other, one))
    )
    turned = swapped[shared.one.query]
    in_short, in_long = (
        Documents(*(np.where(turned, b, a) for a, b in zip(*pair, strict=True)))
        for pair in (shared, shared[::-1])
    )
    longest = np.maximum(n_one, n_other)
    order = np.argsort(longest, kind="stable")
    n_queries = len(order)
    found = Overlaps(
        np.empty(n_queries),
        np.empty(n_queries),
        np.empty(n_queries),
        np.empty((n_queries, len(wanted))),
    )
    begin = 0
    while begin < len(order):
        # Lists of about the same length at a time.
        end = begin + 1
        while end < len(order) and (end + 1 - begin) * longest[order[end]] <= _CELLS:
            end += 1
        queries = order[begin:end]
        rows = np.full(len(order), -1)
        rows[queries] = np.arange(len(queries))
        part = _Lists(*(_placed(each, rows) for each in (short, long, in_short, in_long)))
        for target, values in zip(found, _of_some(part, p, variant, wanted), strict=True):
            target[queries] = values
        begin = end
    return found


def _joined(one: Documents, other: Documents) -> Documents:
    return Documents(*(np.concatenate(columns) for columns in zip(one, other, strict=True)))


def _placed(documents: Documents, rows: Ints) -> Documents:
    """Return the documents of the queries that have a row, by the number of the row."""
    kept = documents.of(rows[documents.query] >= 0)
    return kept._replace(query=rows[kept.query])


class _Lists(NamedTuple):
    """The documents of some queries.

    Attributes
    ----------
    short, long
        Those of the shorter and of the longer list of each query.
    in_short, in_long
        Those of both, as they stand in the shorter and in the longer one.
    """

    short: Documents
    long: Documents
    in_short: Documents
    in_long: Documents


class _Agreement(NamedTuple):
    """What two lists have in common down to each depth, in matrices of queries by depths.

    Attributes
    ----------
    x
        The sum of products of contributions, or the number of shared documents.
    norm
        What it is at most, if all documents are shared.
    ramp
        The contribution of the block of the longer list that the depth is in.
    before, within
        The numbers of documents that the longer list alone has, before that block and in it.
    """

    x: Floats
    norm: Floats
    ramp: Floats
    before: Ints
    within: Ints


def _agreement(lists: _Lists, variant: str) -> _Agreement:
    n_long = np.bincount(lists.long.query)[:, np.newaxis]
    shape = (len(n_long), int(n_long.max()))
    d = np.arange(1, shape[1] + 1)
    one, other = lists.in_short, lists.in_long

    def filled(side: Documents, values: Ints) -> Ints:
        """Return a value of the document at each rank; the rank itself beyond the end."""
        matrix: Ints = np.tile(d, (shape[0], 1))
        matrix[side.query, side.rank - 1] = values
        return matrix

    def counted(depth: Ints) -> Ints:
        """Count the shared documents that are there from a depth on, at each depth."""
        seen = depth <= shape[1]
        cells = one.query[seen] * shape[1] + depth[seen] - 1
        counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
        total: Ints = np.cumsum(counts, axis=1)
        return total

    first_s, last_s = (filled(lists.short, ends) for ends in lists.short[2:])
    first_l, last_l = (filled(lists.long, ends) for ends in lists.long[2:])
    through = counted(np.maximum(one.first, other.first))
    ramp_s = (d - first_s + 1) / (last_s - first_s + 1)
    ramp_l = (d - first_l + 1) / (last_l - first_l + 1)
    if variant == "w":
        x, norm, ramp_l = through.astype(np.float64), (last_s + last_l) / 2, np.ones(shape)
    else:
        x = (
            (1 - ramp_s) * (1 - ramp_l) * counted(np.maximum(one.last, other.last) + 1)
            + ramp_s * (1 - ramp_l) * counted(np.maximum(one.first, other.last + 1))
            + (1 - ramp_s) * ramp_l * counted(np.maximum(one.last + 1, other.first))
            + ramp_s * ramp_l * through
        )
        norm = np.tile(d.astype(np.float64), (shape[0], 1))
        if variant == "b":
            squares_s = first_s - 1 + (last_s - first_s + 1) * ramp_s**2
            squares_l = first_l - 1 + (last_l - first_l + 1) * ramp_l**2
            norm = np.sqrt(squares_s * squares_l)
    alone = np.zeros((shape[0], shape[1] + 1), dtype=np.int64)
    alone[:, 1:] = np.minimum(d, n_long) - counted(other.rank)
    every = np.arange(shape[0])[:, np.newaxis]
    before = alone[every, first_l - 1]
    return _Agreement(x, norm, ramp_l, before, alone[every, last_l] - before)


def _of_some(lists: _Lists, p: float, variant: str, depths: Ints) -> Overlaps:
    """Return the values of some queries."""
    x, norm, ramp, before, within = _agreement(lists, variant)
    n_short, n_long = (np.bincount(side.query)[:, np.newaxis] for side in lists[:2])
    d = np.arange(1, x.shape[1] + 1)
    every = np.arange(len(x))[:, np.newaxis]
    # Beyond the end of the shorter list, its unseen documents agree as those seen at its end; or
    # none of them does; or they are the first that the longer list alone has.
    unseen = np.maximum(d - n_short, 0)
    at_short = (x / norm)[every, n_short - 1]
    mean_share = (before + ramp * within) / np.maximum(before + within, 1)
    likely = (x + unseen * at_short * mean_share) / norm
    most = x + np.minimum(unseen, before) + ramp * np.clip(unseen - before, 0, within)

    if p == 1:
        values = (each * (d <= n_long) for each in (likely, x / norm, most / norm))
        averaged = [np.cumsum(each, axis=1) / d for each in values]
        at_end = [each[every, n_long - 1][:, 0] for each in averaged]
        return Overlaps._make([*at_end, averaged[0][every, np.minimum(depths, n_long) - 1]])
    reach = p ** d.astype(np.float64)
    weights = (1 - p) / p * reach
    by_depth = np.cumsum(likely * weights, axis=1) + likely * reach
    seen = weights * (d <= n_long)
    # Beyond the end of both, at most: either goes on with what only the other has, until they have
    # the same documents.
    n_s, n_l = n_short[:, 0], n_long[:, 0]
    overlap = np.rint(x[every, n_long - 1][:, 0]).astype(np.int64)
    equal_at = n_s + n_l - overlap
    ranks = np.arange(1.0, equal_at.max() + 1)
    harmonic = np.concatenate([[0.0], np.cumsum(p**ranks / ranks)])
    endless = -np.log1p(-p) - harmonic[n_l]
    rising = 2 * (p ** (n_l + 1.0) - p ** (equal_at + 1.0)) / (1 - p)
    rising -= equal_at * (harmonic[equal_at] - harmonic[n_l])
    level = p ** (equal_at + 1.0) / (1 - p)
    return Overlaps(
        extrapolated=by_depth[every, n_long - 1][:, 0],
        least=(x / norm * seen).sum(axis=1) + (1 - p) / p * overlap * endless,
        greatest=(most / norm * seen).sum(axis=1) + (1 - p) / p * (rising + level),
        at=by_depth[every, np.minimum(depths, n_long) - 1],
    )
