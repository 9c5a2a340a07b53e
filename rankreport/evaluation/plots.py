"""Charts of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Unpack

import polars as pl

from rankreport import charts
from rankreport.errors import choose
from rankreport.evaluation.curves import CUTOFFS, CurveColumns, cutoffs_of
from rankreport.evaluation.means import DEFAULT_INTERVAL, means, means_on
from rankreport.evaluation.roc import operating_bands, precision_recall, roc
from rankreport.evaluation.values import EvaluationValues, measures_named
from rankreport.frames import MEASURE
from rankreport.measures import Measure, best_first, one_of, with_shown_names

if TYPE_CHECKING:
    from rankreport.charts import Chart


_FEW = 4
"""With more systems, a chart of means shows only the primary measure."""


def measures_drawn(
    evaluation: EvaluationValues,
    given: str | Measure | Iterable[str | Measure] | None,
    *,
    many: bool,
) -> tuple[Measure, ...]:
    """Return the measures of a chart: those given, or those with the range of the primary one.

    Of many systems, the primary measure alone.

    Raises
    ------
    OptionError
        If one was not evaluated.
    """
    primary, known = evaluation.primary, evaluation.measures
    if given is not None:
        chosen = measures_named(evaluation, given)
        for each in chosen:
            choose("measure", str(each), map(str, known))
        return chosen
    if many:
        return (primary,)
    scale = primary.declaration.range, primary.declaration.unit
    return tuple(m for m in known if (m.declaration.range, m.declaration.unit) == scale)


def plot_means(
    self: EvaluationValues,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    **options: Unpack[charts.ChartOptions],
) -> Chart:
    """Return a chart of `means`, for all measures with the range of the primary measure.

    With more than four systems it shows only the primary measure, the best system first.

    Parameters
    ----------
    measures
        The measures to show instead, in this order.
    options
        Where the chart is drawn (``ax``, ``figure``), how large in inches (``width`` and
        ``height``, or ``figsize``), and in which ``style``: that of reports, or
        ``"matplotlib"`` for its ``rcParams``. `rankreport.charts.ChartOptions` has
        the details.

    Examples
    --------
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> evaluation = rr.evaluate(example.qrels, example.runs)
    >>> evaluation.plot_means(width=3.3).get_size_inches().tolist()[0]
    3.3
    """
    many = len(self.systems) > _FEW
    shown = measures_drawn(self, measures, many=many)
    rows = pl.concat([means(self).filter(pl.col(MEASURE) == str(each)) for each in shown])
    if many:
        rows = best_first(rows, shown, "mean")
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
    wanted, cutoffs = [one_of(self.measures, measure) for measure in measures], cutoffs_of(self, k)
    charts.for_one_chart(options, len(wanted))
    return charts.Charts(_curve_chart(self, measure, cutoffs, **options) for measure in wanted)


def _curve_chart(
    evaluation: EvaluationValues,
    measure: Measure,
    k: tuple[int, ...],
    **options: Unpack[charts.ChartOptions],
) -> Chart:
    columns = CurveColumns.at(measure, k)
    means = columns.read(means_on(evaluation, list(columns))).drop("n_queries")
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
