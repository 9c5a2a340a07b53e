"""Charts of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl

from rankreport import charts
from rankreport.comparison.curves import bands_of_curves, points_at_once
from rankreport.comparison.data_sets import by_dataset, of_pair, over_datasets
from rankreport.comparison.difference import MIN_CHANGED
from rankreport.comparison.differences import differences_on_measures, plain_table_of
from rankreport.comparison.leading_pair import leading_pair_of
from rankreport.comparison.pair_decisions import decision_of
from rankreport.comparison.paired_differences import contrasts_on
from rankreport.comparison.pairs import FEW_PAIRS, Pair, labelled_by_pair
from rankreport.comparison.queries import scores_of_pair
from rankreport.comparison.segments import by_segment, titled
from rankreport.comparison.values import (
    ComparisonValues,
    MeasureLike,
    family_of,
    measure_named,
    one_baseline,
    pairs_matching,
)
from rankreport.evaluation import CUTOFFS, CurveColumns, measures_drawn
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import Measure, best_first, one_of, parse, shown_name, with_shown_names
from rankreport.text import say

if TYPE_CHECKING:
    from rankreport.charts import Chart

_MOST_DATASETS = 15
"""The most data sets drawn, so that a page stays short."""


def plot_segments(
    self: ComparisonValues,
    by: str | Iterable[str] | None = None,
    measure: MeasureLike = None,
    system: str | None = None,
    baseline: str | None = None,
    **options: Unpack[charts.ChartOptions],
) -> Chart:
    """Plot the largest `segments` of each column for one pair.

    The pair is the matching one that a `verdict` is about; `by` and `measure` are as for
    `segments`, and `options` as for `plot_deltas`.
    """
    pair, name = leading_pair_of(self, system, baseline), measure_named(self, measure)
    of_pair = (pl.col(BASELINE) == pair.baseline) & (pl.col(SYSTEM) == pair.system)
    return charts.segment_forest(
        titled(by_segment(self, by, name).filter(of_pair)),
        measure=shown_name(self.evaluation.measures, name),
        better=one_of(self.evaluation.measures, name).declaration.better,
        confidence=self.confidence,
        **pair._asdict(),
        **options,
    )


def plot_datasets(
    self: ComparisonValues, measure: MeasureLike = None, **options: Unpack[charts.ChartOptions]
) -> Chart:
    """Plot the difference of the leading pair on each data set, and that of their mean.

    The mean has three intervals: for these data sets, for data sets like these, and for the next.
    `options` are as for `plot_deltas`.
    """
    pair, name = decision_of(self).first_pair, measure_named(self, measure)
    [whole] = of_pair(over_datasets(self, name), pair).to_dicts()
    each = of_pair(by_dataset(self, name), pair).sort("delta", descending=True)
    n, title = len(each), say("each data set (queries)")
    if n > _MOST_DATASETS:
        title = say("largest of {n} (queries)", n=n)
        each = each.filter(pl.col("delta").abs().rank("ordinal", descending=True) <= _MOST_DATASETS)
    named = pl.format("{} ({})", "dataset", "n_queries").alias(SYSTEM)
    means = {
        "ci": say("for these data sets"),
        "like": say("for data sets like these"),
        "next": say("the next data set"),
    }
    rows = [
        (say("mean of {n} data sets", n=n), words, whole["delta"], whole[f"{of}_low"], high)
        for of, words in means.items()
        if (high := whole[f"{of}_high"]) is not None
    ]
    rows += each.select(pl.lit(title), named, "delta", "ci_low", "ci_high").rows()
    drawn = pl.DataFrame(rows, [MEASURE, SYSTEM, "delta", "ci_low", "ci_high"], orient="row")
    return charts.forest(drawn, baseline=pair.baseline, confidence=self.confidence, **options)


def plot_curve(
    self: ComparisonValues,
    measure: str | Measure = "nDCG",
    k: Iterable[int] = CUTOFFS,
    baseline: str | None = None,
    **options: Unpack[charts.ChartOptions],
) -> Chart:
    """Plot `curve`. The chart is a matplotlib figure that displays in Jupyter.

    With several baselines, it shows the differences to one: the first by default. It has
    several panels: of `options`, which are as for `plot_deltas`, it takes no ``ax``.
    """
    [chart] = plot_curves(self, [measure], k, baseline, **options)
    return chart


def plot_curves(
    self: ComparisonValues,
    measures: Iterable[str | Measure],
    k: Iterable[int] = CUTOFFS,
    baseline: str | None = None,
    **options: Unpack[charts.ChartOptions],
) -> tuple[Chart, ...]:
    """Plot several curves like `plot_curve`, faster than one after the other."""
    chosen = [one_of(self.evaluation.measures, measure) for measure in measures]
    curves = {each: CurveColumns.of(self.evaluation, each, k) for each in chosen}
    charts.for_one_chart(options, len(curves))
    base = pairs_matching(self, baseline=baseline)[0].baseline
    bands = bands_of_curves(self, list(curves.values()))
    return charts.Charts(
        charts.curves(
            levels,
            differences.filter(pl.col(BASELINE) == base),
            measure=measure.shown,
            baseline=base,
            confidence=self.confidence,
            n_simultaneous=family_of(self).n_simultaneous,
            **options,
        )
        for measure, (levels, differences) in zip(curves, bands, strict=True)
    )


def plot_levels(
    comparison: ComparisonValues,
    measures: Iterable[str | Measure],
    systems: Sequence[str],
    k: Iterable[int] = CUTOFFS,
) -> tuple[Chart, ...]:
    """Plot the means of some systems at each cut-off, in this order, without differences."""
    curves = {parse(each): CurveColumns.of(comparison.evaluation, each, k) for each in measures}
    first, *others = systems
    some = replace(comparison, pairs=tuple(Pair(first, other) for other in others))
    every = [point for curve in curves.values() for point in curve]
    most = points_at_once(len(systems) * len(comparison.evaluation.query_ids), closed=False)
    means = pl.concat(
        contrasts_on(some, every[at : at + most]).means(comparison.interval, comparison.confidence)
        for at in range(0, len(every), most)
    )
    levels = pl.concat(means.filter(pl.col(SYSTEM) == system) for system in systems)
    return tuple(
        charts.curves(curve.read(levels), measure=measure.shown, confidence=comparison.confidence)
        for measure, curve in curves.items()
    )


def plot_deltas(
    self: ComparisonValues,
    measure: MeasureLike = None,
    system: str | None = None,
    baseline: str | None = None,
    **options: Unpack[charts.ChartOptions],
) -> Chart:
    """Plot the sorted `deltas` of the matching pair that a `verdict` is about.

    Parameters
    ----------
    measure
        A measure that was evaluated; the primary one by default.
    system, baseline
        The pair; without them the first that matches.
    options
        Where the chart is drawn (``ax``, ``figure``), how large in inches (``width`` and
        ``height``, or ``figsize``), and in which ``style``: that of reports, or
        ``"matplotlib"`` for its ``rcParams``. `rankreport.charts.ChartOptions` has
        the details.

    Examples
    --------
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> comparison = rr.compare(rr.evaluate(example.qrels, example.runs))
    >>> comparison.plot_deltas("AP", width=3.3, height=2.5).get_size_inches().tolist()
    [3.3, 2.5]
    """
    return charts.sorted_deltas(**_drawn(self, measure, system, baseline), **options)


def plot_histogram(
    self: ComparisonValues,
    measure: MeasureLike = None,
    system: str | None = None,
    baseline: str | None = None,
    **options: Unpack[charts.ChartOptions],
) -> Chart:
    """Plot a histogram of one pair's `deltas`; pair and `options` are as for `plot_deltas`."""
    return charts.delta_histogram(**_drawn(self, measure, system, baseline), **options)


def plot_scatter(
    self: ComparisonValues,
    measure: MeasureLike = None,
    system: str | None = None,
    baseline: str | None = None,
    **options: Unpack[charts.ChartOptions],
) -> Chart:
    """Plot a pair's scores per query; pair and `options` are as for `plot_deltas`."""
    return charts.score_scatter(**_drawn(self, measure, system, baseline), **options)


def plot_forest(
    self: ComparisonValues,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    **options: Unpack[charts.ChartOptions],
) -> Chart:
    """Plot the mean differences for all measures with the same range as the primary one.

    With more than 4 pairs, only for the primary measure, and the best first; `measures` names
    others to show, in this order, and `options` are as for `plot_deltas`.
    """
    many = len(self.pairs) > FEW_PAIRS
    shown = measures_drawn(self.evaluation, measures, many=many)
    better = {str(m): m.declaration.better for m in self.evaluation.measures}
    few = pl.Series("few_queries", [each.has_few_queries for each in differences_on_measures(self)])
    every = plain_table_of(self).with_columns(few)
    rows = pl.concat([every.filter(pl.col(MEASURE) == name) for name in map(str, shown)])
    rows = rows.with_columns(better=pl.col(MEASURE).replace_strict(better))
    if many:
        rows = best_first(rows, shown, "delta")
    return charts.forest(
        with_shown_names(self.evaluation.measures, labelled_by_pair(self.pairs, rows)),
        baseline=one_baseline(self),
        confidence=self.confidence,
        min_changed=MIN_CHANGED,
        margin=self.margin,
        n_simultaneous=family_of(self).n_simultaneous,
        **options,
    )


def _drawn(
    comparison: ComparisonValues, measure: MeasureLike, system: str | None, baseline: str | None
) -> dict[str, Any]:
    """Return the arguments of a chart of one pair's queries."""
    pair, name = leading_pair_of(comparison, system, baseline), measure_named(comparison, measure)
    better = one_of(comparison.evaluation.measures, name).declaration.better
    shown = scores_of_pair(comparison, pair, name)
    named = shown_name(comparison.evaluation.measures, name)
    return {"queries": shown, "measure": named, "better": better, **pair._asdict()}
