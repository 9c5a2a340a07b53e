"""Arithmetic of columns: sums by group, and division that leaves the undefined undefined."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


def sums(columns: FloatArray | BoolArray, groups: IntArray) -> FloatArray:
    """Sum up the rows of each group, shape ``(n_groups, n_columns)``.

    >>> sums(np.array([[1.0], [2.0], [4.0]]), np.array([1, 0, 1]))
    array([[2.],
           [5.]])
    """
    n_groups = int(groups.max(initial=-1)) + 1
    summed = np.empty((n_groups, columns.shape[1]))
    for column, of_groups in zip(columns.T, summed.T, strict=True):
        of_groups[:] = np.bincount(groups, weights=column, minlength=n_groups)
    return summed


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """Divide, with NaN where the denominator is not positive: a mean over nothing is undefined.

    >>> ratio([1.0, 0.0], [2, 0])
    array([0.5, nan])
    """
    above, below = np.broadcast_arrays(np.asarray(numerator, dtype=np.float64), denominator)
    undefined = np.full(above.shape, np.nan)
    quotient: FloatArray = np.divide(above, below, out=undefined, where=below > 0)
    return quotient


def checked(values: ArrayLike) -> FloatArray:
    """Return the array, or say what no mean can be taken of."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2:
        msg = f"expected values of shape (n_queries, n_columns), found shape {array.shape}"
        raise ValueError(msg)
    infinite = np.argwhere(np.isinf(array))
    if len(infinite):
        row, column = infinite[0]
        msg = (
            f"expected finite values, or NaN for undefined ones; found {len(infinite)} "
            f"infinite, the first in row {row}, column {column}"
        )
        raise ValueError(msg)
    return array
