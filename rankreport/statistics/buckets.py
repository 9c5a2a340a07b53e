"""Buckets: what is drawn of very many units, for drawing each would not be worth its time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankreport.statistics.streams import draw_order

if TYPE_CHECKING:
    from rankreport.statistics.columnwise import IntArray

BUCKETED_ABOVE: Final = 50_000
"""Units above which resampling them one by one is not worth its time; see `drawn_in`."""

BUCKETS: Final = 10_000
"""Buckets to put them in: as many units as leave a standard error known to 1 %."""


def dealt(
    n: int, strata: IntArray | None, n_buckets: int, seed: int
) -> tuple[IntArray, IntArray | None]:
    """Deal units out into buckets at random, like cards, each stratum by itself.

    A million units are too many to draw ten thousand times; the sums of some thousand buckets have
    the same mean and, but for chance, the same standard error, and their replicates the same
    distribution. The signs of buckets are as good as the signs of units: where the sign of every
    unit is chance, so is that of all units of a bucket at once.

    Parameters
    ----------
    n : int
        How many units there are.
    strata : int, shape (n,), or None
        The stratum of each, numbered without gaps; None where all are drawn alike.
    n_buckets : int
        How many, at least; each stratum has its share of them and at least 2, and none has more
        than it has units.
    seed : int
        Not negative. Which unit falls into which bucket depends on it and on nothing else.

    Returns
    -------
    int, shape (n,), and int, shape (n_buckets,), or None
        The bucket of each unit, and the stratum of each bucket.

    Examples
    --------
    >>> buckets, _ = dealt(6, None, 3, seed=0)
    >>> np.bincount(buckets)
    array([2, 2, 2])
    """
    stratum = np.zeros(n, dtype=np.intp) if strata is None else strata
    n_units = np.bincount(stratum)
    wanted = np.maximum(-(-n_units * n_buckets // n), 2)
    n_of = np.minimum(wanted, n_units)
    order = draw_order(n, seed)
    order = order[np.argsort(stratum[order], kind="stable")]
    place = np.arange(n) - np.repeat(np.cumsum(n_units) - n_units, n_units)
    bucket_of = np.empty(n, dtype=np.intp)
    bucket_of[order] = (np.cumsum(n_of) - n_of)[stratum[order]] + place % n_of[stratum[order]]
    return bucket_of, None if strata is None else np.repeat(np.arange(len(n_of)), n_of)


def drawn_in(n: int, strata: IntArray | None, seed: int) -> tuple[IntArray | None, IntArray | None]:
    """Return the bucket that each of very many units is drawn in, and the strata of what is drawn.

    No bucket, None, where units are drawn themselves.

    >>> drawn_in(6, None, seed=0)
    (None, None)
    """
    return (None, strata) if n <= BUCKETED_ABOVE else dealt(n, strata, BUCKETS, seed)
