"""What may be drawn of a comparison."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

from rankreport import charts
from rankreport.columns import BASELINE, MEASURE
from rankreport.compared import FEW_PAIRS, Asked, Compared
from rankreport.curves import CUTOFFS, points
from rankreport.measures import Measure, parse
from rankreport.verdict import MIN_CHANGED

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = ["Charted"]


class Charted(Compared):
    """The part of a `Comparison` that draws: each chart is of what a method of its own returns."""

    def plot_curve(
        self,
        measure: str | Measure = "nDCG",
        k: Iterable[int] = CUTOFFS,
        baseline: str | None = None,
    ) -> Chart:
        """Return a chart of `curve`: a matplotlib figure that shows itself in Jupyter.

        Where there are several baselines, it shows the differences to one: the first unless named.
        """
        [chart] = self.plot_curves([measure], k, baseline)
        return chart

    def plot_curves(
        self,
        measures: Iterable[str | Measure],
        k: Iterable[int] = CUTOFFS,
        baseline: str | None = None,
    ) -> tuple[Chart, ...]:
        """Return a chart of each measure as `plot_curve` does, sooner than one after the other."""
        cutoffs = tuple(k)
        courses = {parse(measure): points(measure, cutoffs) for measure in measures}
        base = self.chosen(baseline=baseline)[0].baseline
        drawn = self.curves_of(list(courses.values()))
        return tuple(
            charts.curves(
                levels,
                differences.filter(pl.col(BASELINE) == base),
                measure=str(measure),
                baseline=base,
                confidence=self.confidence,
            )
            for measure, (levels, differences) in zip(courses, drawn, strict=True)
        )

    def plot_deltas(
        self, measure: Asked = None, system: str | None = None, baseline: str | None = None
    ) -> Chart:
        """Return a chart of one pair's `deltas`, sorted: of the leading one that matches."""
        return charts.sorted_deltas(**self._drawn(measure, system, baseline))

    def plot_histogram(
        self, measure: Asked = None, system: str | None = None, baseline: str | None = None
    ) -> Chart:
        """Return a chart of how many queries changed by how much, of one pair as `plot_deltas`."""
        return charts.delta_histogram(**self._drawn(measure, system, baseline))

    def plot_scatter(
        self, measure: Asked = None, system: str | None = None, baseline: str | None = None
    ) -> Chart:
        """Return a chart of both scores of every query, of one pair as `plot_deltas`."""
        return charts.score_scatter(**self._drawn(measure, system, baseline))

    def plot_forest(self) -> Chart:
        """Return a chart of the mean differences, of all measures with the primary one's range.

        Of more than 4 pairs, of the primary measure alone, and the best first.
        """
        return charts.forest(**self._forest())

    def plot_forests(self) -> tuple[Chart, ...]:
        """Return the same in as many charts as it takes for a printed page to hold each."""
        return charts.forests(**self._forest())

    def _forest(self) -> dict[str, Any]:
        wanted = self.primary.declaration.range
        alike = [str(m) for m in self.evaluation.measures if m.declaration.range == wanted]
        alike = alike if len(self.pairs) <= FEW_PAIRS else [str(self.primary)]
        better = {str(m): m.declaration.better for m in self.evaluation.measures}
        rows = self.uncautioned.filter(pl.col(MEASURE).is_in(alike)).with_columns(
            better=pl.col(MEASURE).replace_strict(better)
        )
        return {
            "rows": self.labelled(self.best_first(rows)),
            "baseline": self.one_baseline,
            "confidence": self.confidence,
            "min_changed": MIN_CHANGED,
            "margin": self.margin,
        }

    def _drawn(self, measure: Asked, system: str | None, baseline: str | None) -> dict[str, Any]:
        """Return what a chart of the queries of one pair takes: the leading one that matches."""
        pair, name = self.leading(system, baseline), self.named(measure)
        better = parse(name).declaration.better
        shown = self.queries_of(pair, name)
        return {"queries": shown, "measure": name, "better": better, **pair._asdict()}
