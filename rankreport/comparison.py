"""Comparison: pairs of systems, measure by measure and query by query."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from rankreport import charts, statistics
from rankreport.charted import Charted
from rankreport.columns import BASELINE, SYSTEM
from rankreport.compared import Asked
from rankreport.comparison_caveats import comparison_cautions
from rankreport.curves import CUTOFFS, CurveBands, points
from rankreport.effect_sizes import effect_sizes
from rankreport.measures import Measure, parse
from rankreport.one_sided import one_sided
from rankreport.rendering.comparison_table import comparison_table
from rankreport.rendering.display import Displayed
from rankreport.rendering.table import Table
from rankreport.segmenting import SMALLEST_SEGMENT, disagreements, titled
from rankreport.top_lists import set_side_by_side
from rankreport.verdict import Verdict, judge_difference
from rankreport.weighing import Caution, Weight, check_first, heaviest_first, texts_of
from rankreport.wording import made_by
from rankreport.writing import PARQUET, check_suffix, text_export, write_frame

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = ["Comparison"]


class Comparison(Charted, Displayed):
    """Pairs of systems of an evaluation, set against each other: what `rankreport.compare` returns.

    Its settings are attributes: see `rankreport.compared.Compared`.
    """

    def table(self) -> pl.DataFrame:
        """Return the comparison, one row per measure and pair.

        Returns
        -------
        DataFrame
            ``baseline, system, measure``; ``n_queries`` on which both have a value and
            ``n_changed`` of them on which they differ; ``mean_baseline, mean_system`` and
            ``delta``, their mean difference; ``ci_low, ci_high``, its interval (null where no query
            changed, or all by the same where the measure has no bounds); ``p_value``, two-sided, of
            no difference; ``p_adjusted``, the same after the correction for several differences;
            ``wins, ties, losses`` in queries, on the side that is better (null where neither is);
            ``caution``, or an empty text.
        """
        return self.figures

    def deltas(
        self, measure: Asked = None, system: str | None = None, baseline: str | None = None
    ) -> pl.DataFrame:
        """Return the differences query by query, the biggest win first.

        Parameters
        ----------
        measure
            One of the evaluation's; the primary one unless given.
        system, baseline
            Of the pairs to return; all of them unless given.

        Returns
        -------
        DataFrame
            ``baseline, system, query_id`` (String), ``score_baseline, score_system, delta``
            (Float64).

        Raises
        ------
        OptionError
            If the measure was not evaluated, or there is no such pair.
        """
        name = self.named(measure)
        return pl.concat(self.queries_of(pair, name) for pair in self.chosen(system, baseline))

    def wins(
        self, measure: Asked = None, system: str | None = None, baseline: str | None = None
    ) -> pl.DataFrame:
        """Return the queries on which systems beat their baseline, the biggest win first."""
        return self.on_one_side(self.named(measure), self.chosen(system, baseline), 1)

    def losses(
        self, measure: Asked = None, system: str | None = None, baseline: str | None = None
    ) -> pl.DataFrame:
        """Return the queries on which systems lose to their baseline, the biggest loss first."""
        return self.on_one_side(self.named(measure), self.chosen(system, baseline), -1)

    def side_by_side(
        self,
        queries: Iterable[str],
        k: int = 10,
        system: str | None = None,
        baseline: str | None = None,
    ) -> pl.DataFrame:
        """Return what a system and its baseline returned first, place by place.

        Parameters
        ----------
        queries, k
            Of which queries, and how many documents: as for `rankreport.Evaluation.documents`.
        system, baseline
            Of one of the pairs; the one with the largest mean difference, of those that match,
            unless both are given.

        Returns
        -------
        DataFrame
            ``query_id`` (String) and ``rank`` (UInt32), query by query; then of the baseline's
            document at this place, and of the system's, ``doc_baseline, doc_system`` (String),
            ``relevance_baseline, relevance_system`` (Float64), null where nobody judged it, and
            ``move_baseline, move_system`` (String), where the other list has it: ``out`` and
            ``new`` if not among its first ``k``, ``down to 5`` and ``up from 3`` for instance, and
            nothing if at the same place. Null where a list has ended.

        Raises
        ------
        OptionError
            As for `rankreport.Evaluation.documents`, and if there is no such pair.

        Examples
        --------
        >>> import rankreport as rr
        >>> old, new = {"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"b": 2.0, "c": 1.0}}
        >>> comparison = rr.compare(rr.evaluate({"q1": {"b": 1}}, {"old": old, "new": new}))
        >>> shown = comparison.side_by_side(["q1"])
        >>> shown.select("rank", "doc_baseline", "move_baseline").rows()
        [(1, 'a', 'out'), (2, 'b', 'up to 1')]
        >>> shown.select("doc_system", "relevance_system", "move_system").rows()
        [('b', 1.0, 'up from 2'), ('c', None, 'new')]
        """
        pair = self.leading(system, baseline)
        documents = self.evaluation.documents(queries, k, systems=pair)
        return set_side_by_side(documents, **pair._asdict())

    def intervals(
        self, kinds: Iterable[str] | None = None, confidence: float | None = None
    ) -> pl.DataFrame:
        """Return kinds of interval side by side, from the same resamples.

        Parameters
        ----------
        kinds
            Names of intervals; unless given, those of ``t, percentile, bca, auto`` that can be
            made of these queries.
        confidence
            That of the comparison unless given; it is of as many differences at once.

        Returns
        -------
        DataFrame
            ``baseline, system, measure, interval`` (String), ``ci_low, ci_high`` (Float64).

        Raises
        ------
        OptionError
            If there is no such interval, or it cannot be made of these queries.
        """
        level = self.confidence if confidence is None else confidence
        usual, known = ("t", "percentile", "bca", "auto"), statistics.INTERVALS
        return pl.concat(
            self.contrasts.labels().with_columns(
                pl.lit(kind).alias("interval"), *self.contrasts.intervals(kind, level)
            )
            for kind in self.kinds("interval", kinds, usual, known)
        )

    def tests(self, kinds: Iterable[str] | None = None) -> pl.DataFrame:
        """Return kinds of p-value side by side.

        Parameters
        ----------
        kinds
            Names of tests; unless given, those of the mean that can be made of these queries.

        Returns
        -------
        DataFrame
            ``baseline, system, measure, test`` (String), ``p_value`` (Float64).

        Raises
        ------
        OptionError
            If there is no such test, or it cannot be made of these queries.
        """
        usual, known = ("sign-flip", "bootstrap", "t"), statistics.TESTS
        return pl.concat(
            self.contrasts.labels().with_columns(pl.lit(kind).alias("test"), self.p_values(kind))
            for kind in self.kinds("test", kinds, usual, known)
        )

    def means(self) -> pl.DataFrame:
        """Return each system's mean with its interval, from the resamples of the table.

        Returns
        -------
        DataFrame
            ``system, measure`` (String), ``mean, ci_low, ci_high`` (Float64); each interval is of
            that mean by itself, however many are compared. Two systems' intervals may overlap
            where their difference is clear: compare by `table`.
        """
        return self.contrasts.means(self.interval, self.confidence)

    def ratios(self) -> pl.DataFrame:
        """Return each system's mean over its baseline's, with an interval from the same resamples.

        It is a ratio of means, over the queries for which both have a value: not the mean of the
        queries' ratios, which no query that scores 0 would allow.

        Returns
        -------
        DataFrame
            ``baseline, system, measure`` (String), ``ratio, ci_low, ci_high`` (Float64): 1.05 is
            5 % more. Null where the baseline's mean is 0. The interval is of the comparison's
            kind, or where that is ``"studentized"``, of kind ``"auto"``; the standard error of its
            Student's t is that of the jackknife, which leaves out one query after the other.
        """
        return self.ratio_figures

    def effects(self) -> pl.DataFrame:
        """Return the size of each difference apart from its unit, and how many queries make it.

        Intervals come from the resamples of the table's, and are of as many differences at once.

        Returns
        -------
        DataFrame
            ``baseline, system, measure, n_queries``; ``d_z``, the mean difference in standard
            deviations of the differences (0 where no query changed, null where all differ by the
            same), and ``d_z_low, d_z_high``, its interval (BCa; Student's t, linearised, where
            queries hang together or buckets are resampled); ``net_wins``, the share of queries won
            less that of queries lost, and ``net_wins_low, net_wins_high``, its interval of the
            comparison's kind; ``top_five``, the share of the net difference that the five queries
            changed most in its direction make, above 1 where the others take some of it back.
            Null where nothing varies.
        """
        return effect_sizes(self.contrasts, self.interval, self.confidence)

    def segments(
        self,
        by: str | Iterable[str] | None = None,
        measure: Asked = None,
        smallest: int = SMALLEST_SEGMENT,
    ) -> pl.DataFrame:
        """Return the comparison segment by segment, of the queries' table.

        Many segments are many tries: look at the marks, not at the p-values, and read no verdict
        into one segment.

        Parameters
        ----------
        by
            Columns of the queries' table; unless given, those named to `compare`.
        measure
            One of the evaluation's; the primary one unless given.
        smallest
            With fewer queries than these a segment is counted, and gets no interval.

        Returns
        -------
        DataFrame
            ``column, segment`` (String; queries that the table does not know are a segment), then
            the columns of `table` up to ``losses`` (intervals of each segment alone), with
            ``p_adjusted`` by Benjamini and Hochberg over all segments returned; ``delta_of_all``,
            the difference over all queries; ``differs``, whether ``p_adjusted`` is at most 1 -
            confidence; ``disagrees``, whether it does so with the other sign.

        Raises
        ------
        OptionError
            If no queries were given, there is no such column, or queries lie in strata.
        """
        wanted = self.traits.segments if by is None else [by] if isinstance(by, str) else list(by)
        columns = self.traits.checked_segments(wanted)
        return self.segments_of(columns, self.named(measure), smallest)

    def plot_segments(
        self,
        by: str | Iterable[str] | None = None,
        measure: Asked = None,
        system: str | None = None,
        baseline: str | None = None,
    ) -> Chart:
        """Return a chart of one pair's `segments`, the largest ones of each column.

        Of the pairs that match, it is that with the largest mean difference; `by` and `measure` are
        as for `segments`.
        """
        pair, name = self.leading(system, baseline), self.named(measure)
        of_pair = (pl.col(BASELINE) == pair.baseline) & (pl.col(SYSTEM) == pair.system)
        return charts.segment_forest(
            titled(self.segments(by, name).filter(of_pair)),
            measure=name,
            better=parse(name).declaration.better,
            confidence=self.confidence,
            **pair._asdict(),
        )

    def curve(self, measure: str | Measure, k: Iterable[int] = CUTOFFS) -> CurveBands:
        """Return a measure at many cut-offs with intervals, and the paired differences with theirs.

        Parameters
        ----------
        measure
            One that takes a cut-off, such as ``"nDCG"``.
        k
            The cut-offs.
        """
        [bands] = self.curves_of([points(measure, k)])
        return bands

    def verdict(self, system: str | None = None, baseline: str | None = None) -> Verdict:
        """Return the answer on the primary measure, in a sentence.

        Parameters
        ----------
        system, baseline
            Of one of the pairs; the one with the largest mean difference, of those that match,
            unless both are given.
        """
        pair = self.leading(system, baseline)
        check = check_first(self.weighed_cautions) if pair == self.leading() else ""
        return replace(judge_difference(self.differences[pair]), check=check)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to mind before believing a difference, in sentences, the weightiest first."""
        return texts_of(self.weighed_cautions)

    @property
    def weighed_cautions(self) -> tuple[Caution, ...]:
        """The same, each with its weight; of one weight, the evaluation's come first."""
        found = comparison_cautions(list(self.differences.values()), self.primary, **self.to_mind)
        rows = self.own_segments
        turned = () if rows is None else disagreements(rows, self.confidence)
        by_segment = (Caution(Weight.SERIOUS, sentence) for sentence in turned)
        of_data = self.evaluation.cautions_of_means(weighted=self.traits.weights is not None)
        return heaviest_first(of_data, found, by_segment)

    @cached_property
    def to_mind(self) -> dict[str, Any]:
        """What cautions are of, for they may be said in any language: `comparison_caveats` says."""
        return {
            **{name: self.evaluation.to_mind[name] for name in ("ties", "quality", "coverage")},
            "leading": self.differences[self.leading()],
            "alike": self.contrasts.alike,
            "weights": self.contrasts.structure.weights,
            "beyond": self.resamples * (1 - self.family.level(self.confidence)) / 2,
            "n_unweighted": self.traits.n_unweighted(self.query_ids),
            "n_weightless": self.traits.n_weightless(self.query_ids),
            "n_unknown": self.traits.n_unknown(self.query_ids),
            "clusters": self.contrasts.structure.clusters,
            "missing": one_sided(
                self.contrasts, str(self.primary), self.evaluation.unanswered, self.query_ids
            ),
        }

    @cached_property
    def own_segments(self) -> pl.DataFrame | None:
        """The segments named to `compare`, or None where none were."""
        return self.segments() if self.traits.segments else None

    def write_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write `table` as Parquet."""
        write_frame(check_suffix(path, "write_parquet", *PARQUET), self.figures)

    def to_polars(self) -> pl.DataFrame:
        """Return `table`."""
        return self.figures

    def shown(self) -> Table:
        """Return the comparison as people read it: a row per measure and pair."""
        several = statistics.CORRECTIONS[self.correction].short if self.family.corrects else ""
        rows, baseline = self.best_first(self.cautioned()), self.one_baseline
        return comparison_table(rows, baseline, self.confidence, several, self.n_effective)

    def made(self) -> str:
        """Say by what intervals and p-values were made."""
        return made_by(self)

    @text_export(".tex")
    def to_latex(self) -> str:
        """Return systems by measures as a LaTeX table: the best in bold, letters, never stars."""
        return self.lettered().to_latex()

    def __repr__(self) -> str:
        """Return the verdict, the table and how it was made, for a terminal."""
        return f"{self.verdict()}\n\n{super().__repr__()}"
