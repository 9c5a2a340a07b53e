"""Whether a few queries carry a difference: their share of the net sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankreport.statistics.columnwise import FloatArray, ratio
from rankreport.statistics.sample import ROUNDING, Sample

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def largest_share(values: ArrayLike | Sample, n: int) -> FloatArray:
    """Return what share of each column's sum its ``n`` largest values make, in the sum's direction.

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns)
        Differences, NaN where undefined. Of a sample with a structure, the totals of its units.
    n : int
        How many values; those of the other sign never count.

    Returns
    -------
    float64, shape (n_columns,)
        Above 1 where the other values add up to the other direction; NaN where the sum is zero but
        for rounding.

    Raises
    ------
    ValueError
        Where ``n`` is below 1, or ``values`` is none that a sample can be made of.

    Examples
    --------
    Of a net gain of 0.8, one query makes 0.5; without it, little would be left:

    >>> deltas = [[0.5], [0.2], [0.3], [-0.2], [0.0]]
    >>> largest_share(deltas, 1).round(3)
    array([0.625])
    >>> largest_share(deltas, 3).round(3)
    array([1.25])
    """
    if n < 1:
        msg = f"expected n of 1 or more, found {n}"
        raise ValueError(msg)
    changes = Sample.of(values).totals
    net, terms = changes.sum(axis=0), np.abs(changes).sum(axis=0)
    onwards = np.maximum(changes * np.sign(net), 0.0)
    if len(onwards) > n:
        onwards = np.partition(onwards, len(onwards) - n, axis=0)[len(onwards) - n :]
    largest = onwards.sum(axis=0)
    has_direction = np.abs(net) > ROUNDING * terms
    return ratio(largest, np.where(has_direction, np.abs(net), 0.0))
