"""What may be asked of each system of an evaluation by itself, with its uncertainty."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from rankreport import charts
from rankreport.columns import MEASURE, QUERY_ID, SYSTEM
from rankreport.curves import CUTOFFS, at_cutoffs, points
from rankreport.errors import choose
from rankreport.levelling import USUAL, Asked, Levels, hardest_queries, relevant_documents
from rankreport.measures import Measure, parse

if TYPE_CHECKING:
    from rankreport.charts import Chart
    from rankreport.origins import Origin

__all__ = ["Levelled"]

_FEW = 4
"""Of more systems, a chart of means shows the measure that decides alone."""


class Levelled(ABC):
    """The part of an `Evaluation` that looks at each system by itself."""

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    primary: Measure
    _origin: Origin

    @abstractmethod
    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the scores of these measures: ``system, query_id``, a column per measure."""

    @cached_property
    def _levels(self) -> Levels:
        return self._levels_of(self.measures)

    def _levels_of(self, measures: Sequence[Measure]) -> Levels:
        values = self.values(measures)
        return Levels.of(values, self._origin.summary(values, measures), measures)

    def means(
        self,
        interval: str = USUAL.interval,
        confidence: float = USUAL.confidence,
        resamples: int = USUAL.resamples,
        seed: int = USUAL.seed,
    ) -> pl.DataFrame:
        """Return every system's mean of every measure, each with an interval by itself.

        Two systems' intervals may overlap where their difference is clear: to tell systems apart,
        use `rankreport.compare`.

        Parameters
        ----------
        interval, confidence, resamples, seed
            As for `rankreport.compare`.

        Returns
        -------
        DataFrame
            ``system, measure`` (String), ``mean, ci_low, ci_high`` (Float64), ``n_queries``
            (Int64), those of which it is the mean. The mean of counts is per query. A measure that
            is no mean over queries (geometric, weighted or pooled) stands with the value that
            `summary` has, and without an interval, as does one that is the same for all queries.
            No interval reaches beyond the range of its measure.

        Raises
        ------
        OptionError
            If an option has a value it cannot take.

        Examples
        --------
        >>> import rankreport as rr
        >>> qrels = {f"q{i}": {"d1": 1} for i in range(4)}
        >>> run = {f"q{i}": {"d1": 1.0, "d2": float(i % 2) * 2} for i in range(4)}
        >>> rr.evaluate(qrels, {"mine": run}, ["RR"]).means("t").rows()[0][:3]
        ('mine', 'RR', 0.75)
        """
        return self._levels.means(Asked(interval, confidence, resamples, seed))

    def hardest(self, n: int = 10, system: str | None = None) -> pl.DataFrame:
        """Return the queries that a system does worst on by the primary measure, the worst first.

        Parameters
        ----------
        n
            How many, at most.
        system
            Whose; those of the system with the best mean unless named.

        Returns
        -------
        DataFrame
            ``system, query_id`` (String), ``value`` (Float64). Equal ones stand by query id.

        Raises
        ------
        OptionError
            If there is no such system, or the primary measure is neither better high nor low.

        Examples
        --------
        >>> import rankreport as rr
        >>> qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
        >>> run = {"q1": {"d1": 1.0}, "q2": {"d2": 2.0, "d1": 1.0}}
        >>> rr.evaluate(qrels, {"mine": run}, ["RR"]).hardest(1).rows()
        [('mine', 'q2', 0.5)]
        """
        named = self.foremost() if system is None else choose("system", system, self.systems)
        return hardest_queries(self.values([self.primary]), self.primary, named, n)

    def foremost(self) -> str:
        """Return the system whose value of the primary measure is best, the first of equals."""
        low = self.primary.declaration.better == "low"
        primary = [self.primary]
        totals = self._origin.summary(self.values(primary), primary)
        ordered = totals.sort(
            str(self.primary), descending=not low, nulls_last=True, maintain_order=True
        )
        return str(ordered[SYSTEM][0])

    def relevant(self, queries: Iterable[str], rel: float = 1) -> pl.DataFrame:
        """Return the documents judged relevant to these queries, and where each system has them.

        Parameters
        ----------
        queries
            Their ids; one that does not count is passed over.
        rel
            The lowest grade that counts as relevant.

        Returns
        -------
        DataFrame
            ``system, query_id, doc_id`` (String), ``relevance`` (Float64), ``rank`` (UInt32; null
            where the system did not return the document): by rank, then those not returned, the
            best grade first.

        Raises
        ------
        DataError
            If this evaluation was loaded from a file, which holds no judgments.

        Examples
        --------
        >>> import rankreport as rr
        >>> e = rr.evaluate({"q1": {"d1": 1, "d2": 2}}, {"mine": {"q1": {"d1": 1.0}}})
        >>> e.relevant(["q1"]).rows()
        [('mine', 'q1', 'd1', 1.0, 1), ('mine', 'q1', 'd2', 2.0, None)]
        """
        wanted = pl.col(QUERY_ID).is_in(list(queries))
        return relevant_documents(self._origin.judged_documents().filter(wanted), rel)

    def plot_means(self) -> Chart:
        """Return a chart of `means`, of all measures with the primary one's range.

        Of more than four systems it shows the primary measure alone, the best system first.
        """
        wanted = self.primary.declaration.range
        alike = [str(m) for m in self.measures if m.declaration.range == wanted]
        many = len(self.systems) > _FEW
        shown = [str(self.primary)] if many else alike
        rows = self.means().filter(pl.col(MEASURE).is_in(shown))
        if many:
            low = self.primary.declaration.better == "low"
            rows = rows.sort("mean", descending=not low, nulls_last=True, maintain_order=True)
        return charts.levels(rows, confidence=USUAL.confidence)

    def plot_curve(self, measure: str | Measure = "nDCG", k: Iterable[int] = CUTOFFS) -> Chart:
        """Return a chart of the means at each cut-off with their intervals, as `means` has them.

        It is a matplotlib figure that shows itself in Jupyter.
        """
        [chart] = self.plot_curves([measure], k)
        return chart

    def plot_curves(
        self, measures: Iterable[str | Measure], k: Iterable[int] = CUTOFFS
    ) -> tuple[Chart, ...]:
        """Return a chart of each measure as `plot_curve` does."""
        cutoffs = tuple(k)
        return tuple(self._plot_curve(parse(measure), cutoffs) for measure in measures)

    def _plot_curve(self, measure: Measure, k: tuple[int, ...]) -> Chart:
        course = points(measure, k)
        means = at_cutoffs(self._levels_of(list(course)).means(), course).drop("n_queries")
        return charts.curves(means, measure=str(measure), confidence=USUAL.confidence)
