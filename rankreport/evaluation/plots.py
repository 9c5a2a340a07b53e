"""Charts of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Unpack

import polars as pl

from rankreport import charts
from rankreport.evaluation.curves import CUTOFFS, at_cutoffs, cutoffs_of, points
from rankreport.evaluation.means import DEFAULT_INTERVAL, mean_levels, means
from rankreport.evaluation.roc import operating_bands, precision_recall, roc
from rankreport.evaluation.values import EvaluationValues
from rankreport.frames import MEASURE
from rankreport.measures import Measure, parse, with_shown_names

if TYPE_CHECKING:
    from rankreport.charts import Chart


_FEW = 4
"""With more systems, a chart of means shows only the primary measure."""


def plot_means(self: EvaluationValues, **options: Unpack[charts.ChartOptions]) -> Chart:
    """Return a chart of `means`, for all measures with the range of the primary measure.

    With more than four systems it shows only the primary measure, the best system first.

    Parameters
    ----------
    options
        Where the chart is drawn (``ax``, ``figure``), how large in inches (``width`` and
        ``height``, or ``figsize``), and in which ``style``: that of reports, or
        ``"matplotlib"`` for its ``rcParams`` as they are. `rankreport.charts.ChartOptions` has
        the details.

    Examples
    --------
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> evaluation = rr.evaluate(example.qrels, example.runs)
    >>> evaluation.plot_means(width=3.3).get_size_inches().tolist()[0]
    3.3
    """
    wanted = self.primary.declaration.range
    same_range = [str(m) for m in self.measures if m.declaration.range == wanted]
    many = len(self.systems) > _FEW
    shown = [str(self.primary)] if many else same_range
    rows = means(self).filter(pl.col(MEASURE).is_in(shown))
    if many:
        low = self.primary.declaration.better == "low"
        rows = rows.sort("mean", descending=not low, nulls_last=True, maintain_order=True)
    named, confidence = with_shown_names(self.measures, rows), DEFAULT_INTERVAL.confidence
    return charts.levels(named, confidence=confidence, **options)


def plot_curve(
    self: EvaluationValues,
    measure: str | Measure = "nDCG",
    k: Iterable[int] = CUTOFFS,
    **options: Unpack[charts.ChartOptions],
) -> Chart:
    """Return a chart of the means at each cut-off with the intervals of `means`.

    The chart is a matplotlib figure that displays itself in Jupyter; `options` are as for
    `plot_means`.
    """
    [chart] = plot_curves(self, [measure], k, **options)
    return chart


def plot_curves(
    self: EvaluationValues,
    measures: Iterable[str | Measure],
    k: Iterable[int] = CUTOFFS,
    **options: Unpack[charts.ChartOptions],
) -> tuple[Chart, ...]:
    """Return a chart of each measure; see `plot_curve`."""
    wanted, cutoffs = [parse(measure) for measure in measures], cutoffs_of(self, k)
    charts.for_one_chart(options, len(wanted))
    return tuple(_curve_chart(self, measure, cutoffs, **options) for measure in wanted)


def _curve_chart(
    evaluation: EvaluationValues,
    measure: Measure,
    k: tuple[int, ...],
    **options: Unpack[charts.ChartOptions],
) -> Chart:
    columns = points(measure, k)
    means = at_cutoffs(mean_levels(evaluation, list(columns)).means(), columns).drop("n_queries")
    confidence = DEFAULT_INTERVAL.confidence
    return charts.curves(means, measure=measure.shown, confidence=confidence, **options)


def plot_roc(
    self: EvaluationValues, rel: float = 1, **options: Unpack[charts.ChartOptions]
) -> Chart:
    """Return a chart of `roc` for all queries pooled, with the bands of `operating_bands`.

    Up to four systems share a panel; `options` are as for `plot_means`.
    """
    bands = operating_bands(self, rel)
    return charts.roc_curves(roc(self, rel), bands.roc, bands.areas, **options)


def plot_precision_recall(
    self: EvaluationValues, rel: float = 1, **options: Unpack[charts.ChartOptions]
) -> Chart:
    """Return a chart of `precision_recall`, with the bands of `operating_bands`.

    Up to four systems share a panel; `options` are as for `plot_means`.
    """
    points, bands = precision_recall(self, rel), operating_bands(self, rel)
    return charts.precision_recall_curves(points, bands.precision_recall, bands.areas, **options)
