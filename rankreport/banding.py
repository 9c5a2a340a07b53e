"""Differences along a curve, with bands that hold at all cut-offs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankreport import statistics
from rankreport.contrasts import Contrasts, interval_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["banded"]


def banded(contrasts: Contrasts, kind: str, confidence: float, min_changed: int) -> pl.DataFrame:
    """Return the differences with their intervals, and with bands that hold all at once.

    Returns
    -------
    DataFrame
        ``baseline, system, measure, delta, ci_low, ci_high, band_low, band_high``; the band is
        null where fewer than `min_changed` queries changed.
    """
    # Where replicates have errors, these come with the means: queries are drawn once.
    replicates = contrasts.moments.means if contrasts.studentizes else contrasts.replicates
    low, high = contrasts.intervals(kind, confidence, replicates)
    n_together = 1 if contrasts.family.correction == "none" else len(contrasts.pairs)
    starts = range(0, len(contrasts.pairs), n_together)
    each = [
        _band(contrasts, replicates, (start, start + n_together), confidence, min_changed)
        for start in starts
    ]
    band = statistics.Interval(*map(np.concatenate, zip(*each, strict=True)))
    # Never inside the interval of one cut-off alone, which may be of another kind.
    around = statistics.hull(band, statistics.Interval(low.to_numpy(), high.to_numpy()))
    return contrasts.labels().with_columns(
        pl.Series("delta", contrasts.sample.mean, nan_to_null=True),
        low,
        high,
        *interval_columns(around, "band_low", "band_high"),
    )


def _band(
    contrasts: Contrasts,
    replicates: NDArray[np.float64],
    pairs: tuple[int, int],
    confidence: float,
    min_changed: int,
) -> statistics.Interval:
    """Return a band that holds for all cut-offs of these pairs at once: from one up to another."""
    first, last = (place * len(contrasts.measures) for place in pairs)
    own = slice(first, last)
    errors = contrasts.moments.standard_errors[:, own] if contrasts.studentizes else None
    return statistics.band(
        contrasts.sampled(contrasts.differences[:, own]),
        replicates[:, own],
        confidence,
        standard_errors=errors,
        min_changed=min_changed,
    )
