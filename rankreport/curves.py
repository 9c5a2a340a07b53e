"""A measure at many cut-offs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from rankreport.columns import MEASURE, SYSTEM, VALUE
from rankreport.errors import MeasureError, OptionError
from rankreport.measures import Measure, parse
from rankreport.origins import Origin

__all__ = ["CUTOFFS", "CurveBands", "K", "cutoffs_of", "levels", "points"]

K = "k"
"""The column of the cut-off."""

CUTOFFS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100)
"""The cut-offs of a report's curves: each where readers look, fewer where curves are flat."""


class CurveBands(NamedTuple):
    """A measure at many cut-offs, with its uncertainty.

    ``levels`` has ``system, k, mean, ci_low, ci_high``, one row per system and cut-off;
    ``differences`` has ``baseline, system, k, delta, ci_low, ci_high, band_low, band_high``, one
    per pair and cut-off. Intervals are of each cut-off by itself, of the comparison's kind, null
    where nothing varies. Bands hold at all cut-offs at once (max-t over the cut-offs, of all pairs
    where those are corrected, and nowhere inside the interval), null where fewer than 10 queries
    changed.
    """

    levels: pl.DataFrame
    differences: pl.DataFrame


def points(measure: str | Measure, k: Iterable[int]) -> dict[Measure, int]:
    """Return the measure at each cut-off, with that cut-off.

    Raises
    ------
    MeasureError
        If it takes no cut-off, or has one already.
    OptionError
        If no cut-off is given.

    Examples
    --------
    >>> points("P", [1, 5])
    {P@1: 1, P@5: 5}
    """
    family = parse(measure)
    if not family.takes_cutoff:
        raise MeasureError(f"{family.name} takes no cut-off, so it has no curve.")
    if family.k is not None:
        raise MeasureError(f"A curve sets its own cut-offs: give {family(k=None)}, not {family}.")
    at = {family @ cutoff: int(cutoff) for cutoff in k}
    if not at:
        raise OptionError("k is empty: name at least one cut-off.")
    return at


def cutoffs_of(at: Mapping[Measure, int]) -> pl.Expr:
    """Return the column `K` of rows of these measures, from their column of measures.

    Examples
    --------
    >>> rows = pl.DataFrame({"measure": ["P@5", "P@1"]})
    >>> rows.select(cutoffs_of(points("P", [1, 5])))["k"].to_list()
    [5, 1]
    """
    named = {str(measure): cutoff for measure, cutoff in at.items()}
    return pl.col(MEASURE).replace_strict(named, return_dtype=pl.Int64).alias(K)


def levels(origin: Origin, measures: Iterable[Measure], k: Sequence[int]) -> pl.DataFrame:
    """Return the frame described at `rankreport.Evaluation.curve`."""
    courses = []
    for measure in measures:
        at = points(measure, k)
        course = tuple(at)
        courses.append(
            origin.summary(origin.values(course), course)
            .unpivot(index=SYSTEM, variable_name=MEASURE, value_name=VALUE)
            .with_columns(cutoffs_of(at), pl.lit(str(measure)).alias(MEASURE))
            .select(SYSTEM, MEASURE, K, VALUE)
        )
    return pl.concat(courses)
