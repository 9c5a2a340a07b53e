"""Differences along a curve, with simultaneous bands over all cut-offs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rankreport import statistics
from rankreport.comparison.contrasts import Contrasts, interval_columns
from rankreport.comparison.verdict import MIN_CHANGED
from rankreport.evaluation import CurveBands, CurveColumns, at_cutoffs
from rankreport.frames import BASELINE, SYSTEM
from rankreport.statistics import Replicates

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from rankreport.measures import Measure

__all__ = ["batches", "curve_bands", "curve_in_parts"]

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


_MOST_VALUES = 2**24
"""The maximum number of values of all systems in memory for a curve of very many queries."""


def curve_in_parts(
    contrasts_of: Callable[[Sequence[Measure]], Contrasts],
    curve: CurveColumns,
    n_values: int,
    kind: str,
    confidence: float,
) -> CurveBands:
    """Return a curve over so many queries that buckets of them are resampled.

    Not all of its points fit into memory: the values at a few cut-offs at a time become means,
    intervals and sums of buckets, from which the band is made.

    Parameters
    ----------
    contrasts_of
        Returns the contrasts of some points.
    curve
        A measure at its cut-offs.
    n_values
        The number of values of all systems at one cut-off.
    kind, confidence
        As for `curve_bands`.
    """
    points, at_once = list(curve), max(_MOST_VALUES // n_values, 1)
    starts = range(0, len(points), at_once)
    parts = [_Part.of(contrasts_of(points[at : at + at_once]), kind, confidence) for at in starts]
    drawn = parts[0].draws.means(statistics.Sample.beside([part.units for part in parts]))
    estimates = statistics.Estimates(
        *map(np.concatenate, zip(*(part.estimates for part in parts), strict=True))
    )
    rows = pl.concat(part.differences for part in parts)
    pairs = rows.select(BASELINE, SYSTEM).unique(maintain_order=True)
    by_pair = rows.with_row_index("column").join(
        pairs.with_row_index("place"), on=[BASELINE, SYSTEM], maintain_order="left"
    )
    groups = [by_pair["column"]]
    if not parts[0].joint:
        groups = [of_pair["column"] for of_pair in by_pair.partition_by("place")]
    band = statistics.Interval(*np.full((2, len(rows)), np.nan))
    for group in groups:
        columns = group.to_numpy()
        band.low[columns], band.high[columns] = statistics.band(
            statistics.Estimates(*(each[columns] for each in estimates)),
            drawn[:, columns],
            confidence,
            min_changed=MIN_CHANGED,
        )
    widths = np.concatenate([part.widths for part in parts])
    around = _around(band, rows["ci_low"], rows["ci_high"], widths)
    differences = rows.with_columns(*interval_columns(around, "band_low", "band_high"))
    # By pair and by system, then by cut-off.
    levels = pl.concat(part.levels for part in parts)
    return CurveBands(
        at_cutoffs(_grouped(levels, [SYSTEM]), curve),
        at_cutoffs(_grouped(differences, [BASELINE, SYSTEM]), curve),
    )


class _Part(NamedTuple):
    """What is kept of a few points of a curve."""

    levels: pl.DataFrame
    differences: pl.DataFrame
    widths: NDArray[np.float64]
    estimates: statistics.Estimates
    units: statistics.Sample
    draws: statistics.Draws
    joint: bool

    @classmethod
    def of(cls, contrasts: Contrasts, kind: str, confidence: float) -> Self:
        low, high = contrasts.intervals(kind, confidence)
        delta = pl.Series("delta", contrasts.sample.mean, nan_to_null=True)
        return cls(
            contrasts.means(kind, confidence),
            contrasts.labels().with_columns(delta, low, high),
            contrasts.widths,
            statistics.Estimates.of([contrasts.sample]),
            contrasts.units,
            contrasts.draws,
            contrasts.family.correction != "none",
        )


def _grouped(rows: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Return the rows of each group together, groups and rows in their order."""
    return pl.concat(rows.partition_by(by, maintain_order=True))


def _around(
    band: statistics.Interval, low: pl.Series, high: pl.Series, widths: NDArray[np.float64]
) -> statistics.Interval:
    """Return a band that contains the pointwise intervals, which may be of another kind."""
    pointwise = statistics.Interval(low.to_numpy(), high.to_numpy())
    return statistics.hull(band, pointwise).within(-widths, widths)


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
    around = _around(band, low, high, contrasts.widths)
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
