"""Gaffke's bound: how low a mean may be where few values, or none, tell of losses.

An interval read from the spread of the sample cannot know of losses that the sample lacks. This
bound adds one imaginary value, the largest loss there can be, and lets chance weigh it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from rankreport.statistics.sample import FloatArray

__all__ = ["gaffke_lower", "unchanged_needed"]

_MOST_VALUES: Final = 4_096
"""More distinct values are grouped, each group by its mean."""

_STEP: Final = 0.05
_LOWEST, _HIGHEST = -25, 20
"""The integral is a trapezoid sum over the logarithm of the frequency, between these at most."""

_FAR: Final = 12.0
"""Standard deviations that a sum of exponential variables hardly ever is below its mean."""

_VANISHED: Final = -36.0
"""The logarithm of a modulus that adds nothing to the integral."""


def gaffke_lower(values: ArrayLike, largest_loss: float, alpha: float) -> float:
    r"""Return the lower confidence bound of the mean of values that are at least ``-largest_loss``.

    The bound is the quantile at :math:`\alpha` of

    .. math:: \sum_{i=1}^{n} w_i d_i - w_0 L, \qquad w \sim \mathrm{Dirichlet}(1, \ldots, 1).

    Where all values are 0 it is the bound of Clopper and Pearson (1934), :math:`-L (1 -
    \alpha^{1/n})`. That it holds in general is conjectured (Gaffke 2005; Learned-Miller and Thomas,
    arXiv:1905.06208, 2019); ``docs/gates.md`` has what simulation shows.

    Parameters
    ----------
    values : float64, shape (n_values,)
        At least one, none of them NaN.
    largest_loss : float
        How far below 0 a value may lie.
    alpha : float
        How often the bound may be above the mean, such as 0.05.

    Returns
    -------
    float
        Computed from the distribution itself, without random draws.

    Examples
    --------
    >>> round(gaffke_lower([0.0] * 60, 1.0, 0.05), 4)
    -0.0487
    >>> round(gaffke_lower([0.1, 0.2, 0.3, 0.4], 1.0, 0.05), 4)
    -0.4113
    """
    from scipy import optimize

    held, counts = _grouped(np.asarray(values, dtype=np.float64))
    worst = min(-float(largest_loss), float(held.min()))
    if held.max() <= worst:
        return worst
    held, counts = np.append(held, worst), np.append(counts, 1.0)
    scale = float(held.max() - worst)

    def excess(bound: float) -> float:
        return _share_below(held, counts, bound) - alpha

    tiny = 1e-12 * scale
    low, high = worst + tiny, float(held.max()) - tiny
    if excess(high) <= 0:
        return high
    return float(optimize.brentq(excess, low, high, xtol=1e-9 * scale))


def unchanged_needed(margin: float, largest_loss: float, alpha: float) -> int:
    """Return how many unchanged queries put the bound above ``-margin``.

    >>> unchanged_needed(0.01, 1.0, 0.05), unchanged_needed(0.01, 0.5, 0.05)
    (299, 149)
    """
    if margin >= largest_loss:
        return 1
    return int(np.floor(np.log(alpha) / np.log1p(-margin / largest_loss))) + 1


def _grouped(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the distinct values and how often each occurs; of very many, the means of groups."""
    held, counts = np.unique(values, return_counts=True)
    if len(held) > _MOST_VALUES:
        edges = np.linspace(held[0], held[-1], _MOST_VALUES + 1)[1:-1]
        group = np.searchsorted(edges, held)
        sizes = np.bincount(group, weights=counts, minlength=_MOST_VALUES)
        totals = np.bincount(group, weights=counts * held, minlength=_MOST_VALUES)
        held, counts = totals[sizes > 0] / sizes[sizes > 0], sizes[sizes > 0]
    return held, counts.astype(np.float64)


def _share_below(values: FloatArray, counts: FloatArray, bound: float) -> float:
    r"""Return how often the weighted sum lies at or below a bound.

    Dirichlet weights are exponential variables over their sum, so it is how often :math:`\sum_i
    E_i (d_i - t) \le 0`, which the inversion formula of Gil-Pelaez (Biometrika 1951) reads from
    the characteristic function.
    """
    terms = values - bound
    terms = (terms / np.sqrt(np.sum(counts * np.square(terms))))[:, np.newaxis]
    # The mean of the sum in standard deviations. Far from 0 the answer is known, and the integrand
    # would oscillate faster than it is evaluated.
    distance = float(counts @ terms[:, 0])
    if abs(distance) > _FAR:
        return 0.0 if distance > 0 else 1.0

    def modulus(logarithms: FloatArray) -> FloatArray:
        """Return the logarithm of the modulus of the characteristic function."""
        sizes: FloatArray = counts @ np.log1p(np.square(terms * np.exp(logarithms)))
        return -0.5 * sizes

    whole = np.arange(0.0, _HIGHEST)
    vanished = whole[modulus(whole) < _VANISHED]
    highest = vanished[0] if vanished.size else _HIGHEST
    logarithms = np.arange(_LOWEST, highest, _STEP)
    angle = counts @ np.arctan(terms * np.exp(logarithms))
    integral = np.sum(np.exp(modulus(logarithms)) * np.sin(angle)) * _STEP
    return float(0.5 - integral / np.pi)
