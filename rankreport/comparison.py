"""compare(): every system against a baseline, measure by measure and query by query."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from rankreport import charts, statistics
from rankreport.asking import check_averaged, check_decides
from rankreport.columns import COMPARISON, MEASURE, QUERY_ID, SYSTEM
from rankreport.contrasts import Contrasts, Draws, check_draws
from rankreport.curves import CUTOFFS, CurveBands, K, points
from rankreport.errors import OptionError, choose, expect
from rankreport.evaluation import Evaluation
from rankreport.measures import Measure, parse
from rankreport.rendering.comparison_table import comparison_table
from rankreport.rendering.display import Displayed
from rankreport.rendering.table import Table
from rankreport.verdict import MIN_CHANGED, Difference, Verdict, caution, judge_difference
from rankreport.writing import replacing

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = ["Comparison", "compare"]

_MEMORY = 64 * 2**20


_Asked = str | Measure | None


@dataclass(frozen=True, eq=False)
class Comparison(Displayed):
    """Every system of an evaluation against one of them.

    Attributes
    ----------
    evaluation
        The scores compared.
    baseline
        The system that the others are compared with: a delta is always system minus baseline.
    interval, test, correction
        The kind of interval, of p-value and of correction for several systems, by name.
    confidence
        Of the intervals, between 0 and 1; where several systems are compared, that all of their
        intervals hold at once, unless nothing is corrected.
    resamples, seed
        Of the bootstrap; all measures, systems and cut-offs share the same resamples.
    memory
        Bytes that a block of resamples may take.
    """

    evaluation: Evaluation
    baseline: str
    interval: str
    test: str
    correction: str
    confidence: float
    resamples: int
    seed: int
    memory: int

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems compared with the baseline, in the order of the evaluation."""
        return tuple(s for s in self.evaluation.systems if s != self.baseline)

    @property
    def primary(self) -> Measure:
        """The measure that decides."""
        return self.evaluation.primary

    def table(self) -> pl.DataFrame:
        """Return the comparison, one row per measure and system.

        Returns
        -------
        DataFrame
            ``baseline, system, measure``; ``n_queries`` on which both have a value and
            ``n_changed`` of them on which they differ; ``mean_baseline, mean_system`` and
            ``delta``, their mean difference; ``ci_low, ci_high``, its interval (null where no
            difference varies); ``p_value``, two-sided, of no difference; ``p_adjusted``, the same
            after the correction for the number of systems; ``wins, ties, losses`` in queries, on
            the side that is better (null where neither is); ``caution``, or an empty text.
        """
        return self._table

    def deltas(self, measure: _Asked = None, system: str | None = None) -> pl.DataFrame:
        """Return the differences query by query, the biggest win first.

        Parameters
        ----------
        measure
            One of the evaluation's; the primary one unless given.
        system
            One of `systems`; all of them unless given.

        Returns
        -------
        DataFrame
            ``system, query_id`` (String), ``score_baseline, score_system, delta`` (Float64).

        Raises
        ------
        OptionError
            If the measure was not evaluated, or there is no such system.
        """
        place, ids = self._measure(measure), self._query_ids
        return pl.concat(self._contrasts.queries(of, place, ids) for of in self._chosen(system))

    def wins(self, measure: _Asked = None, system: str | None = None) -> pl.DataFrame:
        """Return the queries on which systems beat the baseline, the biggest win first."""
        return self._on_one_side(measure, system, 1)

    def losses(self, measure: _Asked = None, system: str | None = None) -> pl.DataFrame:
        """Return the queries on which systems lose to the baseline, the biggest loss first."""
        return self._on_one_side(measure, system, -1)

    def intervals(self, kinds: Iterable[str] = ("t", "percentile", "bca", "auto")) -> pl.DataFrame:
        """Return every kind of interval side by side, from the same resamples.

        Returns
        -------
        DataFrame
            ``system, measure, interval`` (String), ``ci_low, ci_high`` (Float64).
        """
        chosen = [choose("interval", kind, statistics.INTERVALS) for kind in kinds]
        return pl.concat(
            self._contrasts.labels(self.systems).with_columns(
                pl.lit(kind).alias("interval"), *self._contrasts.intervals(kind, self.confidence)
            )
            for kind in chosen
        )

    def tests(self, kinds: Iterable[str] = ("sign-flip", "bootstrap", "t")) -> pl.DataFrame:
        """Return kinds of p-value side by side, those of tests of the mean unless others are named.

        Returns
        -------
        DataFrame
            ``system, measure, test`` (String), ``p_value`` (Float64).
        """
        chosen = [choose("test", kind, statistics.TESTS) for kind in kinds]
        return pl.concat(
            self._contrasts.labels(self.systems).with_columns(
                pl.lit(kind).alias("test"), self._contrasts.p_values(kind, str(self.primary))
            )
            for kind in chosen
        )

    def effects(self) -> pl.DataFrame:
        """Return the size of each difference apart from its unit, in two ways, with intervals.

        Intervals come from the resamples of the table's, and are of all systems at once like those.

        Returns
        -------
        DataFrame
            ``system, measure, n_queries``; ``d_z``, the mean difference in standard deviations of
            the differences (0 where no query changed, null where all differ by the same), and
            ``d_z_low, d_z_high``, its BCa interval; ``net_wins``, the share of queries won less
            that of queries lost, and ``net_wins_low, net_wins_high``, its interval of the
            comparison's kind. Intervals are null where nothing varies.
        """
        return self._contrasts.effects(self.interval, self.confidence)

    def curve(self, measure: str | Measure, k: Iterable[int] = CUTOFFS) -> CurveBands:
        """Return a measure at many cut-offs with intervals, and the paired differences with theirs.

        Parameters
        ----------
        measure
            One that takes a cut-off, such as ``"nDCG"``.
        k
            The cut-offs.
        """
        at = {str(point): cutoff for point, cutoff in points(measure, k).items()}
        contrasts = self._contrast([parse(point) for point in at])
        to_k = pl.col(MEASURE).replace_strict(at, return_dtype=pl.Int64).alias(K)
        levels, differences = (
            band.select(SYSTEM, to_k, pl.exclude(SYSTEM, MEASURE))
            for band in contrasts.bands(self.interval, self.confidence)
        )
        return CurveBands(levels, differences)

    def verdict(self, system: str | None = None) -> Verdict:
        """Return the answer on the primary measure, in a sentence.

        Parameters
        ----------
        system
            One of `systems`; the one with the largest mean difference unless given.
        """
        decides = pl.col(MEASURE) == str(self.primary)
        rows = self._table.filter(decides, pl.col(SYSTEM).is_in(self._chosen(system)))
        best = rows.sort("delta", descending=True, nulls_last=True).row(0, named=True)
        return judge_difference(self._difference(best))

    def plot_curve(self, measure: str | Measure = "nDCG", k: Iterable[int] = CUTOFFS) -> Chart:
        """Return a chart of `curve`: a matplotlib figure that shows itself in Jupyter."""
        levels, differences = self.curve(measure, k)
        return charts.curves(
            levels,
            differences,
            measure=str(parse(measure)),
            baseline=self.baseline,
            confidence=self.confidence,
        )

    def plot_deltas(self, measure: str | Measure | None = None, system: str | None = None) -> Chart:
        """Return a chart of one system's `deltas`, sorted; the first system unless one is named."""
        of = self.systems[0] if system is None else system
        deltas = self.deltas(measure, of)
        shown = str(self.primary if measure is None else parse(measure))
        return charts.sorted_deltas(deltas, measure=shown, baseline=self.baseline, system=of)

    def plot_forest(self) -> Chart:
        """Return a chart of the mean differences, of all measures with the primary one's range."""
        rows = self._table.filter(pl.col(MEASURE).is_in(self._on_one_axis()))
        return charts.forest(
            rows, baseline=self.baseline, confidence=self.confidence, min_changed=MIN_CHANGED
        )

    def write_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write `table` as Parquet."""
        with replacing(path) as file:
            self._table.write_parquet(file)

    def to_polars(self) -> pl.DataFrame:
        """Return `table`."""
        return self._table

    def shown(self) -> Table:
        """Return the comparison as people read it: a row per measure and system."""
        several = statistics.CORRECTIONS[self.correction].short if len(self.systems) > 1 else ""
        return comparison_table(self._table, self.baseline, self.confidence, several)

    def __repr__(self) -> str:
        """Return the verdict and the table for a terminal."""
        return f"{self.verdict()}\n\n{super().__repr__()}"

    # What everything above is made from, computed when it is first asked for.

    @cached_property
    def _contrasts(self) -> Contrasts:
        return self._contrast(self.evaluation.measures)

    def _contrast(self, measures: Sequence[Measure]) -> Contrasts:
        draws = Draws(self.resamples, self.seed, self.memory)
        return Contrasts.of(self.evaluation, measures, self.baseline, draws, self.correction)

    @cached_property
    def _query_ids(self) -> list[str]:
        return self.evaluation.per_query()[QUERY_ID].unique(maintain_order=True).to_list()

    @cached_property
    def _table(self) -> pl.DataFrame:
        contrasts = self._contrasts
        p_values = contrasts.p_values(self.test, str(self.primary))
        rows = contrasts.frame().with_columns(
            pl.lit(self.baseline).alias("baseline"),
            *contrasts.intervals(self.interval, self.confidence),
            p_values,
            contrasts.adjusted(self.test, p_values),
        )
        cautions = [caution(self._difference(row)) for row in rows.iter_rows(named=True)]
        order = {str(m): place for place, m in enumerate(self.evaluation.measures)}
        return (
            rows.with_columns(pl.Series("caution", cautions, pl.String))
            .sort(pl.col(MEASURE).replace_strict(order), maintain_order=True)
            .select(COMPARISON)
        )

    def _difference(self, row: dict[str, Any]) -> Difference:
        place = self._measure(row[MEASURE])
        detectable, needed = self._contrasts.power(row[SYSTEM], place, self.confidence)
        return Difference(
            system=row[SYSTEM],
            baseline=self.baseline,
            measure=row[MEASURE],
            n_queries=row["n_queries"],
            n_changed=row["n_changed"],
            delta=row["delta"],
            ci_low=row["ci_low"],
            ci_high=row["ci_high"],
            confidence=self.confidence,
            detectable=detectable,
            needed=needed,
        )

    def _on_one_side(self, measure: _Asked, system: str | None, side: int) -> pl.DataFrame:
        """Return the queries won (side 1) or lost (-1), the biggest first; none if neither is."""
        won = pl.col("delta") * self._contrasts.goals[self._measure(measure)] * side
        found = self.deltas(measure, system).filter((won > 0) & won.is_not_nan())
        of = pl.Enum(self._chosen(system))
        return found.sort(pl.col(SYSTEM).cast(of), -won, QUERY_ID)

    def _measure(self, measure: str | Measure | None) -> int:
        wanted = self.primary if measure is None else parse(measure)
        choose("measure", str(wanted), map(str, self.evaluation.measures))
        return self.evaluation.measures.index(wanted)

    def _on_one_axis(self) -> list[str]:
        """Name the measures that have the range of the primary one, in the evaluation's order."""
        wanted = self.primary.declaration.range
        return [str(m) for m in self.evaluation.measures if m.declaration.range == wanted]

    def _chosen(self, system: str | None) -> tuple[str, ...]:
        return self.systems if system is None else (choose("system", system, self.systems),)


def compare(
    evaluation: Evaluation,
    baseline: str | None = None,
    *,
    interval: str = "auto",
    test: str = "sign-flip",
    correction: str = "max-t",
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    memory: int = _MEMORY,
) -> Comparison:
    """Compare every system of an evaluation with one of them.

    Parameters
    ----------
    evaluation
        Of two systems or more.
    baseline
        The system to compare with; the first one unless given.
    interval
        ``"auto"``, the hull of Student's t and BCa: on paired differences of ranking measures,
        which are tied and skewed, each of the two falls short where the other does not. Or ``"t"``,
        ``"percentile"``, ``"basic"``, ``"bca"``, ``"studentized"``.
    test
        ``"sign-flip"``, the randomisation test of the mean, exact up to 36 changed queries (40 on
        the primary measure); ``"bootstrap"``, studentised; ``"t"``, paired. Not of the mean:
        ``"wilcoxon"``, of symmetry about zero; ``"sign"``, of wins against losses.
    correction
        For the number of systems, where there are several: ``"max-t"``, step-down on the draws of
        the test, which all systems share; ``"holm"``; ``"bh"``, Benjamini and Hochberg's, to
        explore; ``"none"``. Intervals hold for all systems at once, unless it is ``"none"``: by
        max-t those of kind ``"studentized"``, the others at Bonferroni's level, for their error by
        max-t is not known.
    confidence
        Of the intervals, between 0 and 1; where several systems are compared, that all of their
        intervals hold at once.
    resamples
        Of the bootstrap; a longer run extends a shorter one.
    seed
        Of everything random. The same seed gives the same figures.
    memory
        Bytes that a block of resamples may take; no figure depends on it.

    Returns
    -------
    Comparison

    Raises
    ------
    MeasureError
        If a measure is no mean or sum over queries, so that its difference is not that of the
        queries, or the primary one is not better where it is higher.
    OptionError
        If there are no two systems, no such baseline, or an option has a value it cannot take.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(30)}
    >>> right, wrong = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
    >>> old = {f"q{i}": right if i % 2 == 0 else wrong for i in range(30)}
    >>> new = {f"q{i}": right for i in range(30)}
    >>> comparison = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, ["RR"]))
    >>> print(comparison.verdict())
    new is better than old on RR: +0.250 (95 % interval +0.155 to +0.345), 30 queries.
    """
    expect(evaluation, (Evaluation,), "compare() takes what evaluate() returns")
    check_averaged(evaluation.measures)
    check_decides(evaluation.primary)
    if len(evaluation.systems) < 2:
        raise OptionError("A comparison needs two systems or more; this evaluation has one.")
    base = evaluation.systems[0] if baseline is None else baseline
    choose("baseline", base, evaluation.systems)
    choose("interval", interval, statistics.INTERVALS)
    choose("test", test, statistics.TESTS)
    choose("correction", correction, statistics.CORRECTIONS)
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} must lie between 0 and 1, such as 0.95.")
    check_draws(Draws(resamples, seed, memory))
    return Comparison(
        evaluation, base, interval, test, correction, confidence, resamples, seed, memory
    )
