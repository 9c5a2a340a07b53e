"""P-values of many tests, adjusted so that their error is that of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankreport.statistics.sample import FloatArray


def holm(p_values: ArrayLike) -> FloatArray:
    """Holm's adjusted p-values: the chance of any false rejection stays below the level.

    The smallest of n p-values is multiplied by n, the next by ``n - 1``, and so on, none adjusted
    to less than the one before it (Holm, Scandinavian Journal of Statistics 1979). It asks nothing
    of how the tests depend on each other.

    Parameters
    ----------
    p_values : float64, shape (n_tests,)
        From 0 to 1. NaN, a test that could not be made, stays NaN and is not counted.

    Returns
    -------
    float64, shape (n_tests,)
        In the order given, at most 1.

    Raises
    ------
    ValueError
        Where ``p_values`` is not one-dimensional, or a p-value is outside [0, 1].

    Examples
    --------
    >>> holm([0.01, 0.04, float("nan"), 0.03])
    array([0.03, 0.06,  nan, 0.06])
    """
    given = np.asarray(p_values, dtype=np.float64)
    if given.ndim != 1:
        msg = f"expected p-values of shape (n_tests,), found shape {given.shape}"
        raise ValueError(msg)
    if np.any((given < 0) | (given > 1)):
        msg = f"expected p-values from 0 to 1, found {np.nanmin(given)} to {np.nanmax(given)}"
        raise ValueError(msg)
    ascending = np.argsort(given)[: np.count_nonzero(~np.isnan(given))]
    still_to_reject = np.arange(len(ascending), 0, -1)
    adjusted = np.full(given.shape, np.nan)
    adjusted[ascending] = np.maximum.accumulate(still_to_reject * given[ascending]).clip(max=1.0)
    return adjusted
