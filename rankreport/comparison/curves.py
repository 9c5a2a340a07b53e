"""Differences along a curve, with simultaneous bands over all cut-offs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankreport import statistics
from rankreport.comparison.contrasts import Contrasts, interval_columns
from rankreport.comparison.verdict import MIN_CHANGED
from rankreport.evaluation import CurveBands, CurveColumns, at_cutoffs
from rankreport.statistics import Replicates

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["batches", "curve_bands"]

_MOST_COLUMNS = 1024
"""The maximum number of columns of replicates per batch of curves."""


def batches(curves: Sequence[CurveColumns], n_lines: int) -> Iterator[Sequence[CurveColumns]]:
    """Yield batches of curves whose replicates fit into memory."""
    longest = max(map(len, curves), default=1)
    size = max(_MOST_COLUMNS // (n_lines * longest), 1)
    return (curves[start : start + size] for start in range(0, len(curves), size))


def curve_bands(
    contrasts: Contrasts, curves: Sequence[CurveColumns], kind: str, confidence: float
) -> Iterator[CurveBands]:
    """Yield each measure's curves with their uncertainty, all from the same resamples.

    Parameters
    ----------
    contrasts
        Contrasts of the measures of all curves, one curve after the other.
    curves
        Measures at their cut-offs.
    kind, confidence
        Kind and confidence level of the intervals.
    """
    levels = contrasts.means(kind, confidence)
    differences = _banded(contrasts, kind, confidence, [len(curve) for curve in curves])
    for curve in curves:
        yield CurveBands(at_cutoffs(levels, curve), at_cutoffs(differences, curve))


def _banded(
    contrasts: Contrasts, kind: str, confidence: float, lengths: Sequence[int]
) -> pl.DataFrame:
    """Return the differences with pointwise intervals and simultaneous bands.

    Returns
    -------
    DataFrame
        ``baseline, system, measure, delta, ci_low, ci_high, band_low, band_high``; the band is
        null if too few queries changed for a verdict.
    """
    # Means and errors come from the same draws.
    means, errors = contrasts.moments if contrasts.studentizes else (contrasts.replicates, None)
    low, high = contrasts.intervals(kind, confidence, Replicates(means, errors))
    band = statistics.Interval(*np.full((2, len(low)), np.nan))
    for columns in _columns_of_bands(contrasts, lengths):
        band.low[columns], band.high[columns] = statistics.band(
            contrasts.sampled(contrasts.differences[:, columns]),
            means[:, columns],
            confidence,
            standard_errors=None if errors is None else errors[:, columns],
            min_changed=MIN_CHANGED,
        )
    # A band contains the pointwise intervals, which may be of another kind.
    around = statistics.hull(band, statistics.Interval(low.to_numpy(), high.to_numpy())).within(
        -contrasts.widths, contrasts.widths
    )
    return contrasts.labels().with_columns(
        pl.Series("delta", contrasts.sample.mean, nan_to_null=True),
        low,
        high,
        *interval_columns(around, "band_low", "band_high"),
    )


def _columns_of_bands(contrasts: Contrasts, lengths: Sequence[int]) -> Iterator[NDArray[np.intp]]:
    """Yield the columns of each band: one curve of one pair, or of all pairs if corrected."""
    columns = np.arange(len(contrasts.pairs) * len(contrasts.measures), dtype=np.intp)
    by_pair = columns.reshape(len(contrasts.pairs), -1)
    for group in np.split(by_pair, np.cumsum(lengths)[:-1], axis=1):
        if contrasts.family.correction == "none":
            yield from group
        else:
            yield group.ravel()
