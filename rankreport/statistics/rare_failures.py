r"""Rare failures: how far a mean may lie from that of a sample that lacks large losses.

An interval read from the spread of the sample cannot know of losses that the sample lacks, however
many small ones it has: what matters is the size of losses. A decision therefore takes the distance
of :func:`allowing_for_rare` from the mean rather than the interval's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankreport.statistics.intervals import Interval
from rankreport.statistics.sample import Sample, ratio

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankreport.statistics.sample import FloatArray

__all__ = [
    "allowing_for_rare",
    "deciding_interval",
    "reach",
    "share_unseen",
    "unchanged_needed",
]

_SHARE: Final = 1 / 4
_SHARE_SIMULTANEOUS: Final = 1 / 2
"""The share of c^2 that is added to h^2, for one mean and for several at once."""


def share_unseen(n_units: ArrayLike, alpha: ArrayLike, n_seen: ArrayLike = 0) -> FloatArray:
    r"""Return the upper end of Clopper and Pearson (1934) for the share of an event.

    Where none was seen, it is :math:`1 - \alpha^{1/n}`.

    Parameters
    ----------
    n_units, n_seen : int
        How many units there are, and in how many of them the event was seen.
    alpha : float
        How often the share may lie above.

    Examples
    --------
    >>> share_unseen(100, 0.025, [0, 1, 2]).round(3), share_unseen(100, 0.05, [0, 1, 2]).round(3)
    (array([0.036, 0.054, 0.07 ]), array([0.03 , 0.047, 0.062]))
    """
    from scipy import special

    n, seen = np.asarray(n_units, dtype=np.float64), np.asarray(n_seen, dtype=np.float64)
    share: FloatArray = special.betaincinv(seen + 1, n - seen, 1 - np.asarray(alpha))
    return np.where(seen < n, share, 1.0)[()]


def allowing_for_rare(
    distance: ArrayLike,
    largest: ArrayLike,
    n_units: ArrayLike,
    alpha: ArrayLike,
    *,
    simultaneous: bool = False,
) -> FloatArray:
    r"""Return the distance from the mean within which it lies though failures may be rare.

    With h the distance of an interval's end from the mean and :math:`c = L (1 - \alpha^{1/n})`, it
    is :math:`\max(c, \sqrt{h^2 + c^2 / 4})`, for several means at once :math:`\max(c, \sqrt{h^2 +
    c^2 / 2})`.

    If a share p of the queries lose L, a sample of n has none of them with probability :math:`(1 -
    p)^n`. Where that is at least :math:`\alpha` they lower the mean by up to c, of which h knows
    nothing: the bound of Clopper and Pearson (1934), which is the whole distance where nothing
    changed. Where the sample holds some of them, h knows most; the shares of c are the smallest
    simple ones that kept the level in simulations (``docs/gates.md``), and are not proved. They do
    with the hull of Student's t and BCa as h; Student's t alone is too short where losses are
    skewed.

    Parameters
    ----------
    distance : float64
        h, at the tail `alpha`; NaN where nothing varies, which counts as 0.
    largest : float64
        L, how far from 0 a unit can lie; where it is not finite, the distance is h.
    n_units : int
        The number of independent units.
    alpha : float
        How often the mean may lie farther away.
    simultaneous : bool
        Whether the level is that of one of several means.

    Examples
    --------
    >>> allowing_for_rare([np.nan, 0.02, 0.2], 1.0, 100, 0.05).round(4)
    array([0.0295, 0.0295, 0.2005])
    >>> allowing_for_rare(0.02, np.inf, 100, 0.05)
    np.float64(0.02)
    """
    h, limit = np.asarray(distance, dtype=np.float64), np.asarray(largest, dtype=np.float64)
    bounded = np.isfinite(limit) & (np.asarray(n_units) > 0)
    c = np.where(bounded, limit, 0.0) * share_unseen(np.maximum(n_units, 1), alpha)
    known = np.where(bounded, np.nan_to_num(h), h)
    share = _SHARE_SIMULTANEOUS if simultaneous else _SHARE
    decided: FloatArray = np.maximum(c, np.hypot(known, np.sqrt(share) * c))
    return decided


def reach(values: ArrayLike | Sample) -> FloatArray:
    """Return how far a unit can lie from 0 where a query can change by 1, shape ``(n_columns,)``.

    That is 1 of queries, and of clusters the size of the largest over their mean. Where each
    stratum has one weight, it is the largest weight over their mean: if a share p_d of each stratum
    loses L, and none is seen, the loss is largest where all are of the heaviest queries. With other
    weights it is infinite, as no such bound is known.

    >>> from rankreport.statistics.structure import Structure
    >>> reach(Sample.of([[0.1]] * 4, Structure(clusters=np.array([0, 0, 0, 1]))))
    array([1.5])
    """
    sample = Sample.of(values)
    sizes = np.where(sample.defined, sample.sizes, 0.0)
    found = ratio(sizes.max(axis=0, initial=0.0) * sample.size, sizes.sum(axis=0))
    return np.full(found.shape, np.inf) if sample.weighed == "queries" else found


def deciding_interval(
    values: ArrayLike | Sample,
    own: Interval,
    largest_losses: ArrayLike,
    confidence: ArrayLike,
    *,
    simultaneous: bool = False,
) -> Interval:
    """Return the interval that decides: each end as far away as :func:`allowing_for_rare` says.

    Parameters
    ----------
    values : float64, shape (n_queries, n_columns), or Sample
        NaN where undefined.
    own : Interval
        Of the mean, at this confidence; NaN where a column does not vary.
    largest_losses : float64, shape (n_columns,)
        How much a query can change; not finite where that is not known.
    confidence : float64, scalar or shape (n_columns,)
        Of the interval with equal tails.
    simultaneous : bool
        Whether several intervals hold at once.

    Examples
    --------
    >>> from rankreport.statistics import interval
    >>> deltas = [[0.1], [0.2]] * 30
    >>> own = interval("t", deltas)
    >>> [end.round(3).tolist() for end in (*own, *deciding_interval(deltas, own, [1.0], 0.95))]
    [[0.137], [0.163], [0.09], [0.21]]
    """
    sample = Sample.of(values)
    limits = np.asarray(largest_losses, dtype=np.float64) * reach(sample)
    alpha = (1 - np.asarray(confidence, dtype=np.float64)) / 2
    below, above = (
        allowing_for_rare(distance, limits, sample.size, alpha, simultaneous=simultaneous)
        for distance in (sample.mean - own.low, own.high - sample.mean)
    )
    return Interval(sample.mean - below, sample.mean + above)


def unchanged_needed(margin: float, largest_loss: float, alpha: float) -> int:
    """Return how many unchanged queries put the bound above ``-margin``.

    >>> unchanged_needed(0.01, 1.0, 0.05), unchanged_needed(0.01, 0.5, 0.05)
    (299, 149)
    """
    if margin >= largest_loss:
        return 1
    return int(np.floor(np.log(alpha) / np.log1p(-margin / largest_loss))) + 1
