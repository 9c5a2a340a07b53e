"""What equal values say of their mean: nothing varies, and yet it is not certain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankreport.statistics.intervals import Interval, tails
from rankreport.statistics.sample import Sample

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def of_equal_values(values: ArrayLike | Sample, widths: ArrayLike, confidence: float) -> Interval:
    r"""Interval of the mean where all values are equal and not zero: exact, by the binomial.

    A spread of nothing is no evidence of certainty, but n equal values are evidence that others are
    rare: at most :math:`p = 1 - (\alpha/2)^{1/n}` of all, with confidence :math:`1 - \alpha/2`
    (Clopper and Pearson 1934, with none seen). What is rare may lie anywhere within the width, so
    the mean lies between :math:`(1 - p) v - p w` and :math:`(1 - p) v + p w`.

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns), or Sample
        NaN where undefined. Units count as what they are worth.
    widths : float64, shape (n_columns,)
        How far from zero a value can lie; infinite or NaN where there is no bound.
    confidence : float
        Between 0 and 1, both excluded.

    Returns
    -------
    Interval
        NaN where values vary or are zero, and where there is no bound.

    Examples
    --------
    >>> low, high = of_equal_values([[-1.0]] * 225, [1.0], 0.95)
    >>> low, high.round(3)
    (array([-1.]), array([-0.967]))
    """
    sample, width = Sample.of(values), np.asarray(widths, dtype=np.float64)
    lower, _ = tails(confidence)
    worth = np.maximum(sample.degrees_of_freedom + 1, 1)
    rare = 1 - lower ** (1 / worth)
    equal = ~sample.varies & (sample.n_changed > 0) & np.isfinite(width)
    around, reach = (1 - rare) * sample.mean, rare * np.where(equal, width, 0.0)
    low, high = np.maximum(around - reach, -width), np.minimum(around + reach, width)
    return Interval(np.where(equal, low, np.nan), np.where(equal, high, np.nan))
