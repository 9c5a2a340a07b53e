"""The section with ROC and precision-recall curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from rankreport.charts import precision_recall_curves, roc_curves
from rankreport.comparison import Method, contrasts_of
from rankreport.errors import DataError
from rankreport.evaluation import DEFAULT_INTERVAL, FPR, RESAMPLES, TPR, Evaluation, least_relevant
from rankreport.frames import SYSTEM
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import picture
from rankreport.text import percent, say

if TYPE_CHECKING:
    from rankreport.charts import Chart

_FAMILIES = ("pairs", "thresholds")
"""Families of measures of scores, whose ``rel`` says which documents are relevant."""

_NAMES = ("roc", "precision_recall")
"""The names of the figures of the two charts."""

_DRAWN = ("confidence", "resamples", "seed")
"""The settings of the bands recorded in the JSON."""

_ROWS = 10
"""The approximate number of rows per system under a chart."""


def operating_of(content: Content) -> Iterable[Section]:
    """Yield the section with ROC and precision-recall curves, if they are defined.

    They need scored documents judged relevant and not relevant; ranks are not scores. A notebook
    does not have the scores of documents, so it only says why it has no curves.
    """
    if not content.roc:
        return
    evaluation = content.evaluation
    rel = _grade(evaluation)
    try:
        points = evaluation.roc(rel)
    except DataError:  # a loaded evaluation has no documents
        return
    if points.drop_nulls([FPR, TPR]).is_empty():
        return
    draws = _draws(content)
    bands = evaluation.operating_bands(rel, **draws)
    charts = (
        roc_curves(points, bands.roc, bands.areas),
        precision_recall_curves(
            evaluation.precision_recall(rel), bands.precision_recall, bands.areas
        ),
    )
    shown, caption = tuple(map(_shown, charts)), say("Selected points")
    yield Section(
        "operating-points",
        say("Thresholds"),
        _words(content, draws),
        tuple(picture(chart, rows, caption) for chart, rows in zip(charts, shown, strict=True)),
        figures=(
            *(Figures(name, rows, by=(SYSTEM,)) for name, rows in zip(_NAMES, shown, strict=True)),
            *(
                Figures(f"{name}_areas", chart.areas)
                for name, chart in zip(_NAMES, charts, strict=True)
            ),
            Figures("operating_draws", pl.DataFrame([{n: draws[n] for n in _DRAWN}])),
        ),
    )


def _words(content: Content, draws: Mapping[str, Any]) -> tuple[str, ...]:
    """Return sentences on what the curves show, and how their bands are computed."""
    comparison, units, unweighted = content.comparison, say("the queries"), []
    if comparison is not None:
        units = Method(comparison).units_drawn(pooled=True)
        if comparison.query_metadata.weights is not None:
            sentence = say("Query weights are not used here: each pooled document counts once.")
            unweighted.append(sentence)
    return (
        say(
            "Each point is a score threshold, applied to the pooled documents of all queries: "
            "good curves need scores that are comparable across queries. Only the judged "
            "documents that a system scored count for it, so curves of systems that returned "
            "different documents do not show which is better."
        ),
        say(
            "Bands and intervals of areas: pointwise {confidence} intervals, the wider of the "
            "percentile and Wilson's score intervals, from {resamples} bootstrap resamples of "
            "{units} (seed {seed}) with all their documents.",
            confidence=percent(draws["confidence"]),
            resamples=f"{draws['resamples']:,}",
            units=units,
            seed=draws["seed"],
        ),
        *unweighted,
    )


def _draws(content: Content) -> dict[str, Any]:
    """Return the settings of the bands, from the comparison if there is one."""
    comparison = content.comparison
    if comparison is None:
        return {
            "confidence": DEFAULT_INTERVAL.confidence,
            "resamples": RESAMPLES,
            "seed": DEFAULT_INTERVAL.seed,
        }
    return {
        "confidence": comparison.confidence,
        "resamples": min(comparison.resamples, RESAMPLES),
        "seed": comparison.seed,
        "structure": contrasts_of(comparison).structure,
    }


def _grade(evaluation: Evaluation) -> float:
    """Return the lowest relevant grade of the measures of scores, or of the primary measure."""
    for measure in evaluation.measures:
        if measure.declaration.family in _FAMILIES and measure.rel is not None:
            return measure.rel
    return least_relevant(evaluation.primary)


def _shown(chart: Chart) -> pl.DataFrame:
    """Return an evenly spaced selection of the points plotted."""
    places = pl.int_range(pl.len()).over(SYSTEM)
    most = pl.len().over(SYSTEM)
    step = (most / _ROWS).ceil().cast(pl.Int64)
    return chart.data.filter((places % step == 0) | (places == most - 1))
