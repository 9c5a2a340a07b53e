"""What systems do at every threshold of their scores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import polars as pl

from rankreport.charts import roc_curves
from rankreport.columns import SYSTEM
from rankreport.errors import DataError
from rankreport.evaluation import Evaluation
from rankreport.operating_points import FPR, TPR
from rankreport.rendering.context import Picture, Section
from rankreport.rendering.language import say
from rankreport.sections.content import Content
from rankreport.sections.parts import picture

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = ["operating_of"]

_FAMILIES = ("pairs", "thresholds")
"""Of the measures that look at scores, and know which documents count as relevant."""

_ROWS = 20
"""Of each system in the table under a chart; of more points, every second or third is shown."""


def operating_of(content: Content) -> Iterable[Section]:
    """Yield the section with ROC and precision-recall curves, where there are scores to draw.

    It takes judged documents of both kinds with a score; ranks are none. A notebook runs on a file
    of scores, which holds no documents, so it leaves the section out.
    """
    evaluation = content.evaluation
    rel = _grade(evaluation)
    try:
        points = evaluation.roc(rel)
    except DataError:  # an evaluation that was loaded holds no documents, which is no fault
        return
    if points.drop_nulls([FPR, TPR]).is_empty():
        return
    charts = (roc_curves(points), evaluation.plot_precision_recall(rel))
    words = (
        say(
            "Every threshold of the scores, over the documents of all queries at once: good curves "
            "need scores that mean the same in every query. Only judged documents that a system "
            "gave a score count for it, so curves of systems that returned different documents do "
            "not tell which is better."
        ),
    )
    yield Section(
        "operating-points",
        say("What does each threshold give?"),
        words,
        tuple(map(_picture, charts)),
    )


def _grade(evaluation: Evaluation) -> float:
    """Return from which grade on a document is relevant, to the measures of scores or to most."""
    for measure in evaluation.measures:
        if measure.declaration.family in _FAMILIES and measure.rel is not None:
            return measure.rel
    return 1


def _picture(chart: Chart) -> Picture:
    """Return a chart for the page, with as many points in the table as people look up."""
    places = pl.int_range(pl.len()).over(SYSTEM)
    most = pl.len().over(SYSTEM)
    step = (most / _ROWS).ceil().cast(pl.Int64)
    shown = chart.data.filter((places % step == 0) | (places == most - 1))
    return picture(chart, shown, say("Some of the points drawn"))
