"""What systems do at every threshold of their scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from rankreport.charts import precision_recall_curves, roc_curves
from rankreport.comparison import units_drawn
from rankreport.errors import DataError
from rankreport.evaluation import DEFAULT_INTERVAL, FPR, RESAMPLES, TPR, Evaluation, least_relevant
from rankreport.frames import SYSTEM
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import picture
from rankreport.text import percent, say

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = ["operating_of"]

_FAMILIES = ("pairs", "thresholds")
"""Of the measures that look at scores, and know which documents count as relevant."""

_NAMES = ("roc", "precision_recall")
"""What the figures behind the two charts are called."""

_DRAWN = ("confidence", "resamples", "seed")
"""What is told of how their bands are made."""

_ROWS = 10
"""Of each system in the table under a chart; of more points, every second or third is shown."""


def operating_of(content: Content) -> Iterable[Section]:
    """Yield the section with ROC and precision-recall curves, where there are scores to draw.

    It takes judged documents of both kinds with a score; ranks are none. A notebook runs on a file
    of scores, which does not hold them, so it says no more than why it has no curves.
    """
    evaluation = content.evaluation
    rel = _grade(evaluation)
    try:
        points = evaluation.roc(rel)
    except DataError:  # an evaluation that was loaded holds no documents, which is no fault
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
        say("What does each threshold give?"),
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
        in_notebook=(
            say(
                "ROC and precision-recall curves are only on the HTML page: they need the score "
                "of every judged document, and this notebook has only the measures of each "
                "query. With judgments and runs, rr.evaluate(...).roc() computes them."
            ),
        ),
    )


def _words(content: Content, draws: Mapping[str, Any]) -> tuple[str, ...]:
    """Say what the curves are of, and how their bands are made."""
    comparison, units, unweighted = content.comparison, say("the queries"), []
    if comparison is not None:
        units = units_drawn(comparison.method, pooled=True)
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
            "Bands and intervals of areas: pointwise {confidence} percentile intervals, from "
            "{resamples} bootstrap resamples of {units} (seed {seed}) with all their documents.",
            confidence=percent(draws["confidence"]),
            resamples=f"{draws['resamples']:,}",
            units=units,
            seed=draws["seed"],
        ),
        *unweighted,
    )


def _draws(content: Content) -> dict[str, Any]:
    """Return how the bands are made: from the draws of the comparison, as far as they need them."""
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
        "structure": comparison.contrasts.structure,
    }


def _grade(evaluation: Evaluation) -> float:
    """Return from which grade on a document is relevant: to measures of scores, or the primary."""
    for measure in evaluation.measures:
        if measure.declaration.family in _FAMILIES and measure.rel is not None:
            return measure.rel
    return least_relevant(evaluation.primary)


def _shown(chart: Chart) -> pl.DataFrame:
    """Return as many of the points drawn as people look up."""
    places = pl.int_range(pl.len()).over(SYSTEM)
    most = pl.len().over(SYSTEM)
    step = (most / _ROWS).ceil().cast(pl.Int64)
    return chart.data.filter((places % step == 0) | (places == most - 1))
