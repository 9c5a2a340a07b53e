"""The section on measures against the cut-off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from rankreport.charts import MOST_IN_ONE_PANEL
from rankreport.comparison import ComparedPair, contrasts_of, plot_levels, systems_of
from rankreport.errors import DataError, expect
from rankreport.evaluation import CurveColumns, Evaluation, K, cutoffs_of, holds
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import Measure, parse, uncut
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Picture, Section
from rankreport.reports.sections._parts import FEW_SYSTEMS, longest_list, picture
from rankreport.text import counted, paragraph, say

if TYPE_CHECKING:
    from rankreport.charts import Chart

_LOOKED_AT = (1, 3, 5, 10, 20, 50, 100)
"""The cut-offs listed under a curve with more, besides the smallest and the largest."""


def drawn_at_cutoffs(
    evaluation: Evaluation, wanted: str | Measure | Iterable[str | Measure] | None
) -> tuple[Measure, ...]:
    """Return the distinct measures to plot against the cut-off.

    Parameters
    ----------
    evaluation
        Source of their values.
    wanted
        One or several. By default the measures evaluated at a cut-off, except those whose curves a
        loaded evaluation does not hold.

    Raises
    ------
    MeasureError
        If a measure is unknown, takes no cut-off, or already has one.
    DataError
        If the evaluation was loaded without the values of a curve.
    """
    if wanted is None:
        at_a_cutoff = [uncut(measure) for measure in evaluation.measures if measure.k is not None]
        return tuple(m for m in dict.fromkeys(at_a_cutoff) if _holds(evaluation, m))
    named = [wanted] if isinstance(wanted, (str, Measure)) else wanted
    expect(named, (Iterable,), 'curves takes measures without a cut-off, such as ["nDCG", "P"]')
    measures = tuple(dict.fromkeys(map(parse, named)))
    for measure in measures:
        if not _holds(evaluation, measure):
            raise DataError(
                f"curves: this evaluation was loaded from a file that does not hold {measure} at "
                f"the cut-offs of a curve. Report the evaluation that was written, or leave "
                f"{measure} out."
            )
    return measures


def _holds(evaluation: Evaluation, measure: Measure) -> bool:
    return holds(evaluation, list(CurveColumns.of(evaluation, measure)))


def depth_sections(content: Content) -> Iterable[Section]:
    """Yield the section with a curve per measure and the paired differences below it."""
    if not content.measures:
        return
    systems, comparison = _drawn_systems(content), content.comparison
    k = _cutoffs(content)
    if comparison is not None and systems:
        charts = plot_levels(comparison, content.measures, systems, k)
    else:
        charts = (comparison or content.evaluation).plot_curves(content.measures, k)
    shown = [_shown(chart) for chart in charts]
    yield Section(
        "curves",
        say("Depth"),
        (_words(content),),
        tuple(_pictures(content, charts, shown)),
        figures=tuple(
            _figures(content, measure, rows)
            for measure, rows in zip(content.measures, shown, strict=True)
        ),
        linked=True,
    )


def _drawn_systems(content: Content) -> list[str]:
    """Return the systems whose means are drawn, of many; empty if all are, with differences.

    They are the pair of the verdict and the systems with the highest means, the baseline first.
    """
    comparison = content.comparison
    if comparison is None or len(systems_of(comparison.pairs)) <= FEW_SYSTEMS:
        return []
    known = dict.fromkeys([*comparison.decision.leading, *comparison.decision.order])
    return list(known)[:MOST_IN_ONE_PANEL]


def _pictures(
    content: Content, charts: Sequence[Chart], shown: Sequence[pl.DataFrame]
) -> Iterable[Picture]:
    """Yield the curves; those of other measures than the primary one are collapsed."""
    caption, primary = say("Selected cut-offs"), content.evaluation.primary
    first = primary(k=None) if primary.takes_cutoff else content.measures[0]
    opened = first if first in content.measures else content.measures[0]
    for measure, chart, rows in zip(content.measures, charts, shown, strict=True):
        made = picture(chart, rows, caption)
        folded = say("{measure} at each cut-off", measure=measure)
        yield made if measure == opened else replace(made, folded=folded)


def _figures(content: Content, measure: Measure, rows: pl.DataFrame) -> Figures:
    """Return the figures of a curve's table, with differences to one baseline."""
    of = {MEASURE: str(measure)}
    if content.comparison is not None and not _drawn_systems(content):
        of[BASELINE] = content.comparison.baseline
    named = rows.with_columns(pl.lit(name).alias(column) for column, name in of.items())
    return Figures("curves", named, by=(*of, SYSTEM))


def _words(content: Content) -> str:
    """Say how to read the curves, and where they say the opposite of the verdict."""
    if content.comparison is None:
        return say("The means at each cut-off.")
    if drawn := _drawn_systems(content):
        return say(
            "The means at each cut-off of the pair of the verdict and the best others: {n} of "
            "{systems}.",
            n=len(drawn),
            systems=counted(len(systems_of(content.comparison.pairs)), "system", "systems"),
        )
    family = contrasts_of(content.comparison).family
    several = say(
        "At each cut-off, intervals of differences hold for all {n} differences at once.",
        n=family.n_tests,
    )
    return paragraph(
        say("Shaded: the interval at each cut-off; thin lines: at all cut-offs at once."),
        several if family.corrects else "",
        ComparedPair.leading(content.comparison).opposite_at_cutoffs(cutoffs_of_primary(content)),
    )


def _cutoffs(content: Content) -> list[int]:
    """Return the cut-offs of the curves, none beyond the longest list."""
    longest = longest_list(content.evaluation)
    return [each for each in cutoffs_of(content.evaluation) if longest is None or each <= longest]


def cutoffs_of_primary(content: Content) -> list[int]:
    """Return the cut-offs of the curve of the primary measure; none if it is not drawn."""
    primary = content.evaluation.primary
    is_drawn = primary.takes_cutoff and primary(k=None) in content.measures
    return _cutoffs(content) if is_drawn else []


def _shown(chart: Chart) -> pl.DataFrame:
    """Return the data of a chart at selected cut-offs."""
    data = chart.data
    ks = data[K].unique().sort().to_list()
    chosen = [k for k in ks if k in _LOOKED_AT] if len(ks) > len(_LOOKED_AT) else ks
    return data.filter(pl.col(K).is_in([ks[0], *chosen, ks[-1]]))
