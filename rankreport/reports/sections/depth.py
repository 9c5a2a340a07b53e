"""The section on measures against the cut-off."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import polars as pl

from rankreport.charts import MOST_IN_ONE_PANEL
from rankreport.comparison import MIN_CHANGED, Comparison, systems_of
from rankreport.errors import DataError, expect
from rankreport.evaluation import Evaluation, K, points
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import Measure, parse
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import picture
from rankreport.text import paragraph, say

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = ["depth_sections", "drawn_at_cutoffs"]

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
        at_a_cutoff = [measure(k=None) for measure in evaluation.measures if measure.k is not None]
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
    return evaluation.holds(list(points(measure, evaluation.cutoffs())))


def depth_sections(content: Content) -> Iterable[Section]:
    """Yield the section with a curve per measure and the paired differences below it."""
    if not content.measures:
        return
    owner = content.comparison or content.evaluation
    charts = owner.plot_curves(content.measures)
    shown = [_shown(chart) for chart in charts]
    caption = say("Selected cut-offs")
    yield Section(
        "curves",
        say("At which depth?"),
        (_words(content),),
        tuple(picture(chart, rows, caption) for chart, rows in zip(charts, shown, strict=True)),
        figures=tuple(
            _figures(content, measure, rows)
            for measure, rows in zip(content.measures, shown, strict=True)
        ),
    )


def _figures(content: Content, measure: Measure, rows: pl.DataFrame) -> Figures:
    """Return the figures of a curve's table, with differences to one baseline."""
    of = {MEASURE: str(measure)}
    if content.comparison is not None:
        of[BASELINE] = content.comparison.baseline
    named = rows.with_columns(pl.lit(name).alias(column) for column, name in of.items())
    return Figures("curves", named, by=(*of, SYSTEM))


def _words(content: Content) -> str:
    """Say how to read the curves."""
    if content.comparison is None:
        return say("The means at each cut-off.")
    words = _words_on_bands(content.comparison)
    if not content.comparison.family.corrects:
        return words
    several = say(
        "At each cut-off, intervals of differences hold for all {n} differences at once.",
        n=content.comparison.family.n_tests,
    )
    return paragraph(words, several)


def _words_on_bands(comparison: Comparison) -> str:
    if len(systems_of(comparison.pairs)) > MOST_IN_ONE_PANEL:
        return say(
            "A measure at one cut-off may hide what happens at others. Each system has a panel "
            "with its difference to the baseline; filled bands are pointwise intervals, one per "
            "cut-off; thin lines are a simultaneous band for all cut-offs, drawn where at least "
            "{enough} queries changed.",
            enough=MIN_CHANGED,
        )
    return say(
        "A measure at one cut-off may hide what happens at others. Filled bands are pointwise "
        "intervals, one per cut-off; thin lines are a simultaneous band for all cut-offs, drawn "
        "where at least {enough} queries changed. Bands of two systems may overlap even where "
        "their difference is clear, so look at the difference.",
        enough=MIN_CHANGED,
    )


def _shown(chart: Chart) -> pl.DataFrame:
    """Return the data of a chart at selected cut-offs."""
    data = chart.data
    ks = data[K].unique().sort().to_list()
    chosen = [k for k in ks if k in _LOOKED_AT] if len(ks) > len(_LOOKED_AT) else ks
    return data.filter(pl.col(K).is_in([ks[0], *chosen, ks[-1]]))
