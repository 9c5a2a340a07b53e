"""Curves: a measure at many cut-offs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import polars as pl

from rankreport.caching import cached
from rankreport.errors import MeasureError, OptionError
from rankreport.evaluation.cautions import CUT
from rankreport.evaluation.values import EvaluationValues, data_facts_of, measures_named, n_lists_of
from rankreport.frames import MEASURE, SYSTEM, VALUE, long
from rankreport.measures import Measure, parse
from rankreport.tables import Table, bundle_of, text_of, to_table
from rankreport.text import say

K = "k"
"""The column of the cut-off."""

CUTOFFS: Sequence[int] = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 50, 100)
"""The cut-offs of a report's curves, roughly even on a logarithmic axis."""


class CurveBands(NamedTuple):
    """A measure at many cut-offs, with its uncertainty.

    ``levels`` has ``system, k, mean, ci_low, ci_high``, one row per system and cut-off;
    ``differences`` has ``baseline, system, k, delta, ci_low, ci_high, band_low, band_high``, one
    per pair and cut-off. Intervals are pointwise, of the comparison's kind, and null where nothing
    varies. Bands are simultaneous over all cut-offs (max-t, also over all pairs if those are
    corrected), never narrower than the interval, and null where fewer than 10 queries changed.
    """

    levels: pl.DataFrame
    differences: pl.DataFrame

    def shown(self) -> tuple[Table, Table]:
        """Return both frames as tables for display."""
        return (
            to_table(self.levels, caption=say("Means at each cut-off")),
            to_table(
                self.differences,
                signed=("delta", "ci_low", "ci_high", "band_low", "band_high"),
                caption=say("Differences at each cut-off"),
            ),
        )

    def __repr__(self) -> str:
        """Return both tables as text."""
        return text_of(self.shown())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter selects from the bundle
        return bundle_of(self.shown())


class CurveColumns(dict[Measure, int]):
    """The columns of a curve: the measure at each cut-off, mapped to the cut-off."""

    @classmethod
    def of(
        cls, evaluation: EvaluationValues, measure: str | Measure, k: Iterable[int] = CUTOFFS
    ) -> CurveColumns:
        """Return those of a measure at the cut-offs that an evaluation is deep enough for."""
        return cls.at(measure, cutoffs_of(evaluation, k))

    @classmethod
    def at(cls, measure: str | Measure, k: Iterable[int]) -> CurveColumns:
        """Return the measure at each cut-off, mapped to the cut-off.

        Raises
        ------
        MeasureError
            If the measure takes no cut-off, or already has one.
        OptionError
            If no cut-off is given.

        Examples
        --------
        >>> CurveColumns.at("P", [1, 5])
        {P@1: 1, P@5: 5}
        """
        family = parse(measure)
        if not family.takes_cutoff:
            raise MeasureError(f"{family.name} takes no cut-off, so it has no curve.")
        if family.k is not None:
            raise MeasureError(
                f"A curve sets its own cut-offs: give {family(k=None)}, not {family}."
            )
        found = cls({family @ cutoff: int(cutoff) for cutoff in k})
        if not found:
            raise OptionError("k is empty: name at least one cut-off.")
        return found

    def read(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Select the rows of a curve, and replace the measure by the cut-off.

        >>> rows = pl.DataFrame({"measure": ["P@1", "P@5", "RR"], "mean": [1.0, 0.6, 1.0]})
        >>> CurveColumns.at("P", [1, 5]).read(rows).rows()
        [(1, 1.0), (5, 0.6)]
        """
        cutoffs = {str(point): cutoff for point, cutoff in self.items()}
        return rows.filter(pl.col(MEASURE).is_in(list(cutoffs))).select(
            pl.col(MEASURE).replace_strict(cutoffs, return_dtype=pl.Int64).alias(K)
            if name == MEASURE
            else name
            for name in rows.columns
        )


_MOST_VALUES = 2**24
"""The maximum number of values in memory."""


_CURVE = range(1, 101)
"""The cut-offs of `Evaluation.curve`."""


def curve(
    self: EvaluationValues,
    measures: str | Measure | Iterable[str | Measure],
    k: Iterable[int] = _CURVE,
) -> pl.DataFrame:
    """Return measures at many cut-offs.

    Parameters
    ----------
    measures
        One or more measures that take a cut-off, such as ``"nDCG"``.
    k
        The cut-offs.

    Returns
    -------
    DataFrame
        ``system, measure`` (String), ``k`` (Int64), ``value`` (Float64): the mean, or the sum
        for counts.

    Raises
    ------
    MeasureError
        If one of the measures takes no cut-off.

    Examples
    --------
    >>> import rankreport as rr
    >>> e = rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d2": 2.0, "d1": 1.0}}})
    >>> e.curve(["P"], k=[1, 2]).rows()
    [('mine', 'P', 1, 0.0), ('mine', 'P', 2, 0.5)]
    """
    # A profile's measure names were resolved by evaluate().
    rules = {name: rule for name, rule in self.settings.items() if name != "profile"}
    chosen = measures_named(self, measures, rules)
    cutoffs, most = cutoffs_of(self, k), max(_MOST_VALUES // max(n_lists_of(self), 1), 1)
    curves = []
    for family in chosen:
        columns = CurveColumns.at(family, cutoffs)
        every, name = list(columns), pl.lit(str(family)).alias(MEASURE)
        for at in range(0, len(every), most):
            some = every[at : at + most]
            totals = long(self._origin.summary(self._origin.values(some), some), [SYSTEM])
            curves.append(columns.read(totals).select(SYSTEM, name, K, VALUE))
    return pl.concat(curves)


def cutoffs_of(evaluation: EvaluationValues, k: Iterable[int] = CUTOFFS) -> tuple[int, ...]:
    """Return cut-offs of a curve, within the depth at which lists were cut at their export.

    Raises
    ------
    OptionError
        If one that was chosen is deeper.
    """
    given = tuple(k)
    depth = _depth_of_export(evaluation)
    if depth is None or all(each <= depth for each in given):
        return given
    if given in {CUTOFFS, tuple(_CURVE)}:  # which nobody chose
        return tuple(each for each in given if each <= depth)
    raise OptionError(
        f"k={max(given)} looks deeper than the first {depth} documents of each query, "
        f"which are all that a run was exported with. Give cut-offs of at most {depth}."
    )


@cached
def _depth_of_export(evaluation: EvaluationValues) -> int | None:
    """Return the smallest number of documents that a run was exported with, if any was cut."""
    cuts = (each.count for each in data_facts_of(evaluation).remarks if each.code == CUT.code)
    return min(cuts, default=None)
