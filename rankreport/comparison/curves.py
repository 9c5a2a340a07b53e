"""Differences along a curve, with simultaneous bands over all cut-offs, and where they turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rankreport import statistics
from rankreport.caching import cached
from rankreport.comparison.difference import MIN_CHANGED
from rankreport.comparison.paired_differences import (
    Contrasts,
    contrasts_of,
    contrasts_on,
    interval_columns,
)
from rankreport.comparison.values import ComparisonValues
from rankreport.evaluation import CUTOFFS, CurveBands, CurveColumns, K, values_by_parts
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import one_of
from rankreport.statistics import Replicates
from rankreport.text import comma_separated, say, separated

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from rankreport.comparison.difference import Difference
    from rankreport.measures import Measure

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
        yield CurveBands(curve.read(levels), curve.read(differences))


MOST_AT_ONCE = 50_000
"""The maximum number of queries whose values at all points of a curve are in memory at once."""

_MOST_VALUES = 2**21
_MOST_DRAWN = 2**24
"""The maximum number of values of all systems in memory for a curve of very many queries.

They are more where intervals need draws, which are made for the points in memory.
"""


def points_at_once(n_values: int, *, closed: bool) -> int:
    """Return how many points of a curve are in memory at once.

    Parameters
    ----------
    n_values
        The number of values of all systems at one cut-off.
    closed
        Whether intervals need no draws, and there is one pair.
    """
    return max((_MOST_VALUES if closed else _MOST_DRAWN) // n_values, 1)


def _curves_in_parts(
    comparison: ComparisonValues, curves: Sequence[CurveColumns]
) -> Iterator[CurveBands]:
    """Yield curves over so many queries that not all of their points fit into memory.

    The values at a few cut-offs at a time, without those equal to the ones before, become means,
    intervals and sums of groups of queries, of which the bands are made.
    """
    interval, confidence = comparison.interval, comparison.confidence
    whole = contrasts_of(comparison)
    most = points_at_once(
        len(whole.scores) * len(comparison.evaluation.query_ids),
        closed=len(comparison.pairs) == 1 and whole.is_closed(interval),
    )
    computed: list[list[_Part]] = []
    with statistics.kept_draws():
        for curve in curves:
            by_name = {str(point): point for point in curve}
            parts = []
            for values in values_by_parts(comparison.evaluation, list(curve), most):
                some = [by_name[name] for name in values.columns if name in by_name]
                contrasts = contrasts_on(comparison, some, "systems", values)
                parts.append(_Part.of(contrasts, interval, confidence))
            computed.append(parts)
        every = [part for parts in computed for part in parts]
        drawn = every[0].draws.means(statistics.Groups.joined(part.groups for part in every))
    lengths = [sum(len(part.differences) for part in parts) for parts in computed]
    replicates = np.split(drawn, np.cumsum(lengths)[:-1], axis=1)
    for curve, parts, of_curve in zip(curves, computed, replicates, strict=True):
        yield _bands_of_parts(curve, parts, of_curve, confidence)


def _bands_of_parts(
    curve: CurveColumns,
    parts: Sequence[_Part],
    drawn: NDArray[np.float64],
    confidence: float,
) -> CurveBands:
    """Return a curve, given replicates of the differences of all its parts."""
    estimates = statistics.Estimates(
        *map(np.concatenate, zip(*(part.estimates for part in parts), strict=True))
    )
    widths = np.concatenate([part.widths for part in parts])
    computed = pl.concat(part.differences for part in parts).with_row_index(_COLUMN)
    rows = _of_all_points(computed, curve, [BASELINE, SYSTEM])
    columns = rows[_COLUMN].to_numpy()
    length = len(columns) if parts[0].joint else len(curve)
    band = statistics.Interval(*np.full((2, len(columns)), np.nan))
    for start in range(0, len(columns), length):
        of_band = slice(start, start + length)
        some = columns[of_band]
        band.low[of_band], band.high[of_band] = statistics.band(
            statistics.Estimates(*(each[some] for each in estimates)),
            drawn[:, some],
            confidence,
            min_changed=MIN_CHANGED,
        )
    around = _around(band, rows["ci_low"], rows["ci_high"], widths[columns])
    differences = rows.drop(_COLUMN).with_columns(
        *interval_columns(around, "band_low", "band_high")
    )
    levels = _of_all_points(pl.concat(part.levels for part in parts), curve, [SYSTEM])
    return CurveBands(curve.read(levels), curve.read(differences))


_COLUMN = "column"


def _of_all_points(rows: pl.DataFrame, curve: CurveColumns, by: list[str]) -> pl.DataFrame:
    """Return the rows of each group together, with those of points equal to the ones before."""
    known: set[str] = set(rows[MEASURE])
    computed: list[str] = []
    for point in map(str, curve):
        computed.append(point if point in known else computed[-1])
    points = pl.DataFrame({"point": list(map(str, curve)), MEASURE: computed})
    groups = rows.select(by).unique(maintain_order=True)
    found = groups.join(points, how="cross", maintain_order="left_right").join(
        rows, on=[*by, MEASURE], how="left", maintain_order="left"
    )
    return found.with_columns(pl.col("point").alias(MEASURE)).select(rows.columns)


class _Part(NamedTuple):
    """What is kept of a few points of a curve."""

    levels: pl.DataFrame
    differences: pl.DataFrame
    widths: NDArray[np.float64]
    estimates: statistics.Estimates
    groups: statistics.Groups
    draws: statistics.Draws
    joint: bool

    @classmethod
    def of(cls, contrasts: Contrasts, kind: str, confidence: float) -> Self:
        low, high = contrasts.intervals(kind, confidence)
        delta = pl.Series("delta", contrasts.sample.mean, nan_to_null=True)
        return cls(
            pl.concat(
                # Columns of one system are read several times as fast as those of several.
                replace(contrasts, scores={system: values}).means(kind, confidence)
                for system, values in contrasts.scores.items()
            ),
            contrasts.labels().with_columns(delta, low, high),
            contrasts.widths,
            statistics.Estimates.of(contrasts.sample),
            statistics.Groups.of(contrasts.sample, contrasts.draws.seed),
            contrasts.draws,
            contrasts.family.correction != "none",
        )


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
    if contrasts.runs is not None:  # of runs, at each cut-off alone
        band = contrasts.runs.widened(band, contrasts.sample, confidence)
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


def curve(self: ComparisonValues, measure: str | Measure, k: Iterable[int] = CUTOFFS) -> CurveBands:
    """Return means and paired differences of a measure at many cut-offs, with intervals.

    Parameters
    ----------
    measure
        A measure that takes a cut-off, such as ``"nDCG"``.
    k
        Cut-offs.
    """
    family = one_of(self.evaluation.measures, measure)
    [bands] = bands_of_curves(self, [CurveColumns.of(self.evaluation, family, k)])
    return bands


def opposite_at_cutoffs(
    comparison: ComparisonValues, established: Difference, cutoffs: Iterable[int]
) -> str:
    """Return at which cut-offs a difference clearly has either sign, in a sentence.

    It is empty unless the sign opposite to that of `established`, a difference on the primary
    measure at its own cut-off, is clear at another one.
    """
    family = comparison.primary(k=None)
    rows = curve(comparison, family, cutoffs).differences.sort(K)
    # Where too few queries changed, there is an interval without a band, and nothing is decided.
    undecided = pl.col("band_low").is_null()
    clear_of = {
        "higher": (pl.col("band_low") > 0, undecided & (pl.col("ci_low") > 0)),
        "lower": (pl.col("band_high") < 0, undecided & (pl.col("ci_high") < 0)),
    }
    found = {sign: [_in_ranges(rows, each) for each in of] for sign, of in clear_of.items()}
    own, other = ("higher", "lower") if (established.delta or 0.0) > 0 else ("lower", "higher")
    if not any(found[other]):
        return ""
    parts = [*zip(CLEAR_AT[other], found[other], strict=True), (CLEAR_AT[own][0], found[own][0])]
    return say(
        "It depends on the cut-off: {measure} of {system} is {parts}.",
        measure=family.shown,
        system=established.system,
        parts=separated("; ", [say(words, ks=ks) for words, ks in parts if ks]),
    )


CLEAR_AT: Mapping[str, tuple[str, str]] = {
    "higher": ("clearly higher at k = {ks}", "higher at k = {ks}, by too few queries to be sure"),
    "lower": ("clearly lower at k = {ks}", "lower at k = {ks}, by too few queries to be sure"),
}
"""In words, where a difference is clear, and where it would be if more queries had changed."""


def _in_ranges(rows: pl.DataFrame, clear: pl.Expr) -> str:
    """Return the cut-offs of the rows where an expression holds, neighbours together."""
    marked = rows.with_columns(clear=clear)
    runs = marked.with_columns(run=pl.col("clear").rle_id()).filter("clear").group_by("run")
    ends = runs.agg(first=pl.col(K).min(), last=pl.col(K).max()).sort("run")
    shown = [[f"{end:,}" for end in each] for each in ends.select("first", "last").rows()]
    return comma_separated(
        [low if low == high else say("{low} to {high}", low=low, high=high) for low, high in shown]
    )


def bands_of_curves(
    comparison: ComparisonValues, curves: Sequence[CurveColumns]
) -> list[CurveBands]:
    """Return the curves of several measures, each at its cut-offs; they are cached."""
    known, pairs = _known_curves(comparison), comparison.pairs
    new = [curve for curve in curves if tuple(curve) not in known]
    in_parts = len(comparison.evaluation.query_ids) > MOST_AT_ONCE
    n_lines = len(pairs) + (0 if in_parts else len(contrasts_of(comparison).scores))
    for batch in batches(new, n_lines):
        if in_parts:
            bands = _curves_in_parts(comparison, batch)
        else:
            contrasts = contrasts_on(comparison, [p for curve in batch for p in curve], "systems")
            bands = curve_bands(contrasts, batch, comparison.interval, comparison.confidence)
        known.update(zip(map(tuple, batch), bands, strict=True))
    return [known[tuple(curve)] for curve in curves]


@cached
def _known_curves(_: ComparisonValues) -> dict[tuple[Measure, ...], CurveBands]:
    return {}
