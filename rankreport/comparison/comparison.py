"""compare() and `Comparison`: differences between pairs of systems, by measure and query."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Unpack, get_args

import numpy as np
import polars as pl

from rankreport import charts, statistics
from rankreport.comparison.actions import GateOutcome, action_in_words, titles_of
from rankreport.comparison.cautions import (
    INTERVAL_DECIDES,
    JUDGED_ONLY,
    MOSTLY,
    OF_ROWS,
    OF_SHARES,
    ONE_SIDED,
    TieBounds,
    by_pair,
    comparison_cautions,
    is_reversible,
    is_told,
    range_of_ties,
    tie_bounds,
    told_once,
    turns_verdict,
)
from rankreport.comparison.columns import COMPARISON, HEADINGS
from rankreport.comparison.contrasts import (
    Contrasts,
    OneSided,
    detectability,
    effect_sizes,
    one_sided,
)
from rankreport.comparison.curves import (
    batches,
    curve_bands,
    curves_in_parts,
    points_at_once,
)
from rankreport.comparison.decision import (
    SETTLED,
    Basis,
    Decision,
    PairDecision,
    Relation,
    leading_of,
    positions_of,
)
from rankreport.comparison.depths import at_equal_depth
from rankreport.comparison.difference import MIN_CHANGED, Difference, all_of_one_sign
from rankreport.comparison.method import Method, interval_in_words, made_by
from rankreport.comparison.model_judge import ModelJudge, judged_evaluations
from rankreport.comparison.options import check_options, settings_of
from rankreport.comparison.other_measures import OtherMeasure
from rankreport.comparison.pairs import (
    Family,
    Pair,
    chosen_pairs,
    pairs_of,
    short_labels,
    systems_of,
)
from rankreport.comparison.query_metadata import QueryMetadata, query_metadata_of
from rankreport.comparison.segments import (
    OPPOSITE_SEGMENT,
    SMALLEST_SEGMENT,
    differing,
    disagreements,
    segment_rows,
    titled,
    with_cautions,
)
from rankreport.comparison.tables import comparison_table
from rankreport.comparison.unjudged import difference_bounds
from rankreport.comparison.unseen import largest_losses, unallowed, unseen_of
from rankreport.comparison.verdict import (
    Verdict,
    VerdictWords,
    caution,
    doubts_in_words,
    first_of,
    judge_difference,
    moves_of_action,
    verdicts_in_words,
)
from rankreport.errors import OptionError, choose, hinting
from rankreport.evaluation import (
    CUTOFFS,
    DEFAULT_MEASURES,
    EXTRA_QUERIES,
    N_UNJUDGED,
    UNANSWERED,
    UNEVEN,
    WELL_JUDGED,
    CurveBands,
    CurveColumns,
    Evaluation,
    at_cutoffs,
    block_of,
    bytes_of,
    check_averaged,
    check_decides,
    copies_of,
    evaluate,
    named_by_column,
    points,
    score_matrices,
    set_side_by_side,
)
from rankreport.frames import BASELINE, MEASURE, QUERY_ID, SYSTEM, with_texts
from rankreport.io import (
    PARQUET,
    FromFiles,
    check_process,
    check_suffix,
    keeping_files,
    write_frame,
)
from rankreport.labels import LabelSource
from rankreport.measures import TIES, Measure, best_first, by_measure, parse
from rankreport.progress import stage
from rankreport.statistics import Draws, Structure, check_draws, refusal
from rankreport.tables import (
    Block,
    Displayed,
    PaperTable,
    ResultTable,
    Sentences,
    Table,
    Words,
    paper_table,
)
from rankreport.text import (
    ENGLISH,
    Caution,
    paragraph,
    say,
    separated,
    using_language,
    worst_first,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankreport.charts import Chart


MeasureLike = str | Measure | None
"""A measure, or None for the primary one."""


FEW_PAIRS = 4
"""With more pairs, they are sorted, the best first, and charts show only the primary measure."""

MOST_PAIRS = 20
"""Of all pairs of systems, if they are more, those with the reference are printed."""


_FOUND = (
    BASELINE,
    SYSTEM,
    MEASURE,
    "n_queries",
    "n_changed",
    "n_changed_effective",
    "delta",
    "ci_low",
    "ci_high",
    "deciding_low",
    "deciding_high",
    "end_error",
)
"""The columns of a `Difference`."""

_ON_JUDGED = _FOUND[4:]
"""Those that judged documents alone may change."""


_PAIRED = (BASELINE, SYSTEM)
_UNJUDGED = ("unjudged_baseline", "unjudged_system")
"""Columns of `Comparison.wins` that are null where nearly all documents are judged."""

_NOT_OF_SEGMENTS = (
    *_PAIRED,
    *(MEASURE, "n_changed", "mean_baseline", "mean_system", "p_value", "wins", "ties", "losses"),
    "delta_of_all",
)
"""Columns of `Comparison.segments` that are not displayed."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Displayed, FromFiles):
    """Differences between pairs of systems, as returned by `rankreport.compare`.

    Attributes
    ----------
    evaluation
        The evaluation compared.
    pairs
        Pairs of systems and baselines; a delta is always system minus baseline.
    interval, test, correction, across
        Kinds of interval, test and correction, and what the correction counts.
    confidence
        Confidence level of the intervals, simultaneous if several differences are corrected.
    margin
        Largest difference that does not matter, or None.
    largest_loss
        The most that a query can lose on the primary measure; None for its range.
    query_metadata
        Query table, weights, clusters, strata and segments.
    resamples, seed
        Settings of the bootstrap; all measures, systems and cut-offs share the same resamples.
    memory
        Memory limit per block of resamples, in bytes; None for what the evaluation's limit gives.
    files
        The files that it was read from, which no output of it replaces.
    _by_model
        The same comparison by a model's judgments of all queries, where people judged some; None
        without a model.
    _sample
        How the queries that people judged were drawn, as in `rankreport.compare`.
    _by_default
        Whether nobody named the baseline.
    """

    evaluation: Evaluation
    pairs: tuple[Pair, ...]
    interval: str
    test: str
    correction: str
    across: str
    confidence: float
    margin: float | None
    query_metadata: QueryMetadata
    resamples: int
    seed: int
    memory: int | None
    largest_loss: float | None = None
    _by_model: Comparison | None = None
    _sample: int | str = 0
    _by_default: bool = False
    _largest_error: float | None = None

    def with_largest_loss(self, largest_loss: float | None) -> Comparison:
        """Return the comparison with another largest loss of a query, as of `rankreport.compare`.

        Raises
        ------
        OptionError
            If it is no number above 0, or a query changed by more.
        """
        if largest_loss is None:
            return self
        check_options(largest_loss=largest_loss)
        made = replace(self, largest_loss=largest_loss)
        largest_losses(made._contrasts, {str(made.primary): largest_loss})
        return made

    def table(self) -> pl.DataFrame:
        """Return the comparison, one row per measure and pair.

        Returns
        -------
        DataFrame
            .. generated: comparison columns

            - ``baseline`` (String): the system compared with
            - ``system`` (String): the system compared; a difference is system minus baseline
            - ``measure`` (String): the measure; the primary one decides, others are descriptive
            - ``n_queries`` (Int64): queries for which both systems have a value (and that have a
              weight, where queries are weighted)
            - ``n_changed`` (Int64): queries on which the two differ: the data of the interval and
              the test
            - ``mean_baseline`` (Float64): the baseline's mean over these queries
            - ``mean_system`` (Float64): the system's mean over these queries
            - ``delta`` (Float64): the mean difference, in the unit of the measure
            - ``ci_low`` (Float64): the lower end of its interval; null if no query changed, if all
              differences are equal and the measure is unbounded, and with max-t if fewer than 10
              queries changed. Do not trust it where fewer than 20 queries changed: the interval may
              be too narrow
            - ``ci_high`` (Float64): the upper end; null like ``ci_low``. Do not trust it where
              fewer than 20 queries changed: the interval may be too narrow
            - ``p_value`` (Float64): two-sided, for no difference, and never 0; null only if no
              query has both values. Do not trust it where several differences are tested: use
              ``p_adjusted``
            - ``p_adjusted`` (Float64): the p-value, corrected for several differences. Do not trust
              it where you tried other systems that are not in the comparison
            - ``wins`` (Int64): queries on which the system is better; null if the measure has no
              better direction. Do not trust it as the size of a difference: a small win counts as
              much as a large one
            - ``ties`` (Int64): queries on which the two are equal
            - ``losses`` (Int64): queries on which the baseline is better; null like ``wins``. Do
              not trust it as the size of a difference: a small win counts as much as a large one
            - ``caution`` (String): why not to rely on the row, or an empty text

            .. end
        """
        return self._figures

    def deltas(
        self, measure: MeasureLike = None, system: str | None = None, baseline: str | None = None
    ) -> pl.DataFrame:
        """Return the differences by query, the biggest win first.

        Parameters
        ----------
        measure
            A measure of the evaluation; the primary one by default.
        system, baseline
            Select pairs; all by default.

        Returns
        -------
        DataFrame
            ``baseline, system, query_id`` (String), ``score_baseline, score_system, delta``
            (Float64).

        Raises
        ------
        OptionError
            If the measure was not evaluated, or no pair matches.
        """
        name = self._named(measure)
        return pl.concat(self._queries_of(pair, name) for pair in self._chosen(system, baseline))

    def wins(
        self, measure: MeasureLike = None, system: str | None = None, baseline: str | None = None
    ) -> ResultTable:
        """Return the queries on which systems beat their baseline, the biggest win first.

        Parameters are those of `deltas`.

        Returns
        -------
        ResultTable
            The columns of `deltas`, with ``text`` (String) next to the ids if `compare` was given
            queries with texts, and ``unjudged_baseline, unjudged_system`` (Int64): unjudged
            documents within the cut-off of the primary measure (the first 10 if it has none), which
            count as not relevant; null where nearly all documents there are judged.
        """
        return self._of_queries(self._named(measure), self._chosen(system, baseline), 1)

    def losses(
        self, measure: MeasureLike = None, system: str | None = None, baseline: str | None = None
    ) -> ResultTable:
        """Return the queries on which systems lose to their baseline, the biggest loss first.

        Parameters and columns are those of `wins`.
        """
        return self._of_queries(self._named(measure), self._chosen(system, baseline), -1)

    def _of_queries(self, measure: str, pairs: Sequence[Pair], side: int) -> ResultTable:
        """Return the queries won (side 1) or lost (-1), to read."""
        frame = self._on_one_side(measure, pairs, side)
        same = (*_PAIRED, *(name for name in _UNJUDGED if frame[name].null_count() == len(frame)))
        names = {f"score_{side}": system for side, system in pairs[0]._asdict().items()}
        return self._read(
            frame, pairs, measure, left_out=same, names=names if len(pairs) == 1 else None
        )

    def _read(
        self,
        frame: pl.DataFrame,
        pairs: Sequence[Pair],
        measure: str = "",
        *,
        left_out: Iterable[str] = (),
        names: Mapping[str, Words] | None = None,
        signed: tuple[str, ...] = ("delta",),
    ) -> ResultTable:
        """Return a frame to read: with texts, headings, and one pair in the caption alone."""
        alone = len(pairs) == 1
        shown = frozenset() if alone else frozenset(_PAIRED)
        words = [partial(str, pairs[0])] if alone else []
        return ResultTable(
            with_texts(frame, self.query_metadata.queries) if QUERY_ID in frame.columns else frame,
            (*words, *([self.evaluation._shown_name(measure)] if measure else [])),
            HEADINGS,
            names or {},
            signed,
            frozenset(left_out) - shown,
        )

    def side_by_side(
        self,
        queries: Iterable[str],
        k: int = 10,
        system: str | None = None,
        baseline: str | None = None,
    ) -> ResultTable:
        """Return the top documents of a system and its baseline side by side, by rank.

        Parameters
        ----------
        queries, k
            Queries and number of documents, as for `rankreport.Evaluation.documents`.
        system, baseline
            Select the pair; that of the `verdict` by default.

        Returns
        -------
        ResultTable
            ``query_id``, ``text`` if known (String) and ``rank`` (UInt32); then, for the baseline's
            and the system's document at this rank, ``doc_baseline, doc_system`` (String),
            ``relevance_baseline, relevance_system`` (Float64), null if unjudged, and
            ``move_baseline, move_system`` (String), its rank in the other list: ``out`` or ``new``
            if not in the top ``k``, such as ``down to 5`` or ``up from 3`` otherwise, and empty if
            the same. Null after the end of a list.

        Raises
        ------
        OptionError
            As for `rankreport.Evaluation.documents`, or if no pair matches.

        Examples
        --------
        >>> import rankreport as rr
        >>> old, new = {"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"b": 2.0, "c": 1.0}}
        >>> comparison = rr.compare(rr.evaluate({"q1": {"b": 1}}, {"old": old, "new": new}))
        >>> shown = comparison.side_by_side(["q1"])
        >>> shown.select("rank", "doc_baseline", "move_baseline", "doc_system", "move_system")
        new minus old
        rank  old  move     new  move
        ----  ---  -------  ---  ---------
           1  a    out      b    up from 2
           2  b    up to 1  c    new
        """
        pair = self._leading(system, baseline)
        documents = self.evaluation.documents(queries, k, systems=pair)
        names = {f"doc_{side}": name for side, name in pair._asdict().items()}
        return self._read(set_side_by_side(documents, **pair._asdict()), [pair], names=names)

    def intervals(
        self, kinds: Iterable[str] | None = None, confidence: float | None = None
    ) -> pl.DataFrame:
        """Return several kinds of interval from the same resamples.

        Parameters
        ----------
        kinds
            Kinds of interval. By default those of ``t, percentile, bca, auto`` that these queries
            allow.
        confidence
            Confidence level; that of the comparison by default. Intervals are simultaneous for as
            many differences as the comparison's.

        Returns
        -------
        DataFrame
            ``baseline, system, measure, interval`` (String), ``ci_low, ci_high`` (Float64).

        Raises
        ------
        OptionError
            If a kind is unknown, or these queries do not allow it.
        """
        return self._intervals_of(self._contrasts, kinds, confidence)

    def _intervals_of(
        self,
        contrasts: Contrasts,
        kinds: Iterable[str] | None = None,
        confidence: float | None = None,
    ) -> pl.DataFrame:
        """Return the frame of `intervals` for the pairs of these contrasts."""
        level = self.confidence if confidence is None else confidence
        usual, known = ("t", "percentile", "bca", "auto"), statistics.INTERVALS
        return pl.concat(
            contrasts.labels().with_columns(
                pl.lit(kind).alias("interval"), *contrasts.intervals(kind, level)
            )
            for kind in self._kinds("interval", kinds, usual, known)
        )

    def tests(self, kinds: Iterable[str] | None = None) -> pl.DataFrame:
        """Return the p-values of several tests.

        Parameters
        ----------
        kinds
            Names of tests. By default those of the mean that these queries allow; with more than
            50,000 queries without ``"bootstrap"``, which would take longer than all else.

        Returns
        -------
        DataFrame
            ``baseline, system, measure, test`` (String), ``p_value`` (Float64).

        Raises
        ------
        OptionError
            If a test is unknown, or these queries do not allow it.
        """
        return self._tests_of(self._contrasts, kinds)

    def _tests_of(self, contrasts: Contrasts, kinds: Iterable[str] | None = None) -> pl.DataFrame:
        """Return the frame of `tests` for the pairs of these contrasts."""
        usual: tuple[str, ...] = ("sign-flip", "bootstrap", "t")
        known = statistics.TESTS
        if len(self._query_ids) > statistics.BUCKETED_ABOVE and self.test != "bootstrap":
            usual = ("sign-flip", "t")
        primary = str(self.primary)
        return pl.concat(
            contrasts.labels().with_columns(
                pl.lit(kind).alias("test"),
                self._p_values(kind)
                if contrasts is self._contrasts
                else contrasts.p_values(kind, primary),
            )
            for kind in self._kinds("test", kinds, usual, known)
        )

    def means(self) -> pl.DataFrame:
        """Return each system's mean with its interval, from the resamples of `table`.

        Returns
        -------
        DataFrame
            ``system, measure`` (String), ``mean, ci_low, ci_high`` (Float64). Each interval is for
            one mean alone. The intervals of two systems may overlap even if their difference is
            clear: use `table` to compare them.
        """
        return self._contrasts.means(self.interval, self.confidence)

    def ratios(self) -> pl.DataFrame:
        """Return the ratio of each system's mean to its baseline's, with an interval.

        It is a ratio of means over the queries for which both have a value, not a mean of ratios,
        which is undefined if a query scores 0.

        Returns
        -------
        DataFrame
            ``baseline, system, measure`` (String), ``ratio, ci_low, ci_high`` (Float64): 1.05 is
            5 % more. Null if the baseline's mean is 0. The interval uses the resamples and the kind
            of the comparison (``"auto"`` for ``"studentized"``); the t interval uses the
            leave-one-query-out jackknife standard error.
        """
        return self._ratio_figures

    def effects(self) -> pl.DataFrame:
        """Return standardised effect sizes, and how concentrated each difference is.

        Intervals use the resamples of `table`, and are simultaneous for as many differences.

        Returns
        -------
        DataFrame
            ``baseline, system, measure, n_queries``; ``d_z``, the mean difference in standard
            deviations of the differences (0 if no query changed, null if all differences are
            equal), with its interval ``d_z_low, d_z_high`` (BCa; linearised t with weights,
            clusters, strata or buckets); ``net_wins``, the share of queries won minus the share
            lost, with its interval ``net_wins_low, net_wins_high`` of the comparison's kind;
            ``top_five``, the share of the net difference made by the five queries that changed most
            in its direction, above 1 if the others have the opposite sign in sum. Null if nothing
            varies.
        """
        return effect_sizes(self._contrasts, self.interval, self.confidence)

    def segments(
        self,
        by: str | Iterable[str] | None = None,
        measure: MeasureLike = None,
        smallest: int = SMALLEST_SEGMENT,
    ) -> ResultTable:
        """Return the comparison by segment of the queries.

        Many segments are many tests: use ``differs``, which is corrected for their number, rather
        than single p-values.

        Parameters
        ----------
        by
            Columns of the query table; those given to `compare` by default.
        measure
            A measure of the evaluation; the primary one by default.
        smallest
            Segments with fewer queries get no interval.

        Returns
        -------
        ResultTable
            ``column, segment`` (String; queries without a value form a segment), then the columns
            of `table` up to ``losses`` (intervals of each segment alone), with ``p_adjusted`` by
            Benjamini and Hochberg over all segments returned; ``delta_of_all``, the difference over
            all queries; ``differs``, whether ``p_adjusted`` is at most 1 - confidence and enough
            queries changed; ``disagrees``, whether it differs with the opposite sign to
            ``delta_of_all``; ``caution``, why not to rely on the row, such as too few queries.

        Raises
        ------
        OptionError
            If there are no queries or no such column, or queries have strata.
        """
        columns = by if by is None or isinstance(by, str) else tuple(by)
        with using_language(ENGLISH):
            frame = self._by_segment(columns, measure, smallest)
        found = self._read(
            frame,
            self.pairs,
            self._named(measure),
            left_out=_NOT_OF_SEGMENTS,
            names={"p_adjusted": partial(say, HEADINGS["p_adjusted"], correction="BH")},
            signed=("delta", "ci_low", "ci_high", "delta_of_all"),
        )
        words = partial(self._cautions_on_segments, frame["caution"], columns, measure, smallest)
        return replace(found, _translated=words)

    def _cautions_on_segments(self, english: pl.Series, *of: Any) -> dict[str, str]:
        """Return the cautions on segments in the current language by those in English."""
        return dict(zip(english, self._by_segment(*of)["caution"], strict=True))

    def _by_segment(
        self,
        by: str | Iterable[str] | None = None,
        measure: MeasureLike = None,
        smallest: int = SMALLEST_SEGMENT,
    ) -> pl.DataFrame:
        """Return the frame of `segments`."""
        own = self.query_metadata.segments
        wanted = own if by is None else [by] if isinstance(by, str) else list(by)
        columns = self.query_metadata.checked_segments(wanted)
        rows = self._segments_of(columns, self._named(measure), smallest)
        return with_cautions(rows, smallest, self.confidence)

    def plot_segments(
        self,
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
        pair, name = self._leading(system, baseline), self._named(measure)
        of_pair = (pl.col(BASELINE) == pair.baseline) & (pl.col(SYSTEM) == pair.system)
        return charts.segment_forest(
            titled(self._by_segment(by, name).filter(of_pair)),
            measure=self.evaluation._shown_name(name),
            better=parse(name).declaration.better,
            confidence=self.confidence,
            **pair._asdict(),
            **options,
        )

    def curve(self, measure: str | Measure, k: Iterable[int] = CUTOFFS) -> CurveBands:
        """Return means and paired differences of a measure at many cut-offs, with intervals.

        Parameters
        ----------
        measure
            A measure that takes a cut-off, such as ``"nDCG"``.
        k
            Cut-offs.
        """
        [bands] = self._curves_of([points(measure, self.evaluation._cutoffs(k))])
        return bands

    def verdict(
        self,
        system: str | None = None,
        baseline: str | None = None,
        *,
        gate: GateOutcome = "none",
    ) -> Verdict:
        """Return the verdict on the primary measure.

        Parameters
        ----------
        system, baseline
            Select the pair. Of several, the verdict is on the one with the largest mean difference
            of the systems that are better, if any, otherwise of those that are not worse; with
            several baselines on the system with the highest mean and its closest rival. It names
            the others.
        gate
            The outcome of a gate for the pair, on which the verdict's ``action`` depends:
            ``"pass"``, ``"fail"``, ``"inconclusive"`` or ``"none"``. `Gate.verdict` gives it.
        """
        choose("gate", gate, get_args(GateOutcome))
        decision = self.decision.of(self._chosen(system, baseline))
        return Verdict(decision, self._verdict_words).gated({decision.leading: gate})

    def _verdict_words(self, decision: Decision) -> VerdictWords:
        """Return a verdict in the current language."""
        pair, found = decision.leading, decision.verdict
        cautions = self.cautions
        known = by_pair(cautions, decision.pairs)
        wanted = {id(each) for of_pair in known.values() for each in of_pair}
        # What rare failures may do is no news where the data leave no verdict.
        known_of = found.found if decision.seen_only else replace(found.found, unseen=None)
        judged = judge_difference(known_of)
        if self.judges is not None:
            judged = replace(judged, detail=paragraph(judged.detail, self.judges._sentence(pair)))
        labels = self._labels
        others = {labels[other]: each for other, each in decision.pairs.items() if other != pair}
        advised = decision.advised
        concerned = [each for each in decision.pairs if {*each} & {*advised.systems}]
        titled = [
            each
            for one in concerned
            for each in known[one]
            if each.code != JUDGED_ONLY.code or not decision.pairs[one].found.is_confirmed
        ]
        moves, left_out = moves_of_action(decision)
        action = action_in_words(
            **advised._asdict(), cautions=titles_of(titled, "look"), moves=moves
        )
        return replace(
            judged,
            word=decision.word,
            seen_only=decision.seen_only,
            action=paragraph(action, left_out),
            others=paragraph(verdicts_in_words(others), self._best_in_words() if others else ""),
            cautions=tuple(each for each in cautions if id(each) in wanted),
        )

    @cached_property
    def decision(self) -> Decision:
        """What is decided, in numbers: on each pair, and which systems may be the best.

        The verdict, leaderboards, gates and reports are worded from it.
        """
        return Decision(self._decided, positions_of(self._best_systems, self._relation))

    @cached_property
    def _decided(self) -> dict[Pair, PairDecision]:
        """The decision on each pair."""
        cautions = by_pair(self._known_cautions, self.pairs)
        segments = {} if self._own_segments is None else differing(self._own_segments)
        return {
            pair: replace(
                self._with_severity(each, cautions[pair]),
                others=self._others.get(pair, ()),
                opposite=any(known.code == OPPOSITE_SEGMENT.code for known in cautions[pair]),
                deeper=tuple(
                    found
                    for found in self._caution_inputs["deeper"]
                    if pair == (found.baseline, found.system)
                ),
                segments=segments.get(pair, ()),
            )
            for pair, each in self._by_numbers.items()
        }

    @cached_property
    def _by_numbers(self) -> dict[Pair, PairDecision]:
        """The decision on each pair by its numbers alone, without cautions."""
        return {
            pair: self._decided_on(found, self._differences_alone[pair], self._missing.get(pair))
            for pair, found in self._differences.items()
        }

    def _decided_on(
        self, found: Difference, own: Difference, missing: OneSided | None
    ) -> PairDecision:
        """Return the decision on a difference, which is the `own` one without a model's judgments.

        `missing` is the effect of the queries that one system did not answer.
        """
        # By people alone: with a model's judgments it is not known.
        agrees, ends = own.word == found.word, self._range_of_ties(own)
        return PairDecision(
            found,
            over_ties=ends,
            reversible=agrees and is_reversible(own, ends),
            missing=None if missing is None else missing.share,
            mostly_missing=agrees and missing is not None and missing.share > MOSTLY,
            turned_by_depth=agrees and own.is_turned_by_depth,
            positives_only=bool(self.evaluation._caution_inputs["positives_only"]),
        )

    def _with_severity(self, decided: PairDecision, known: list[Caution]) -> PairDecision:
        """Return a decision with the worst severity of the cautions on its pair."""
        if decided.found.is_confirmed:
            known = [each for each in known if each.code != JUDGED_ONLY.code]
        own = self._differences_alone.get(decided.pair, decided.found)
        if own.word == decided.found.word and decided.word != "check first":
            known = [each for each in known if not turns_verdict(each)]  # of other pairs
        return replace(decided, severity=known[0].severity if known else "none")

    def _relation(self, one: str, other: str) -> Relation:
        """Return whether a system is established as better or worse than another, and why.

        It is what was decided on the pair, if the two were compared; otherwise what intervals that
        hold for all pairs of systems establish. What holds of a baseline holds of its equals.
        """
        one, other = self._equals.get(one, one), self._equals.get(other, other)
        if one == other:
            return Relation(0, Basis.UNCHANGED)
        for sign, pair in ((1, Pair(other, one)), (-1, Pair(one, other))):
            if found := self._decided.get(pair) or self._not_compared.get(pair):
                basis = Basis.TIES if found.standing == "ties" else found.decided_by
                return Relation(sign * found.direction, basis, found.seen_only)
        return Relation(0, Basis.INTERVAL)

    @cached_property
    def _others(self) -> dict[Pair, tuple[OtherMeasure, ...]]:
        """What happens to the measures that do not decide, of each pair."""
        measures = {str(each): each for each in self.evaluation.measures}
        if len(measures) == 1:
            return {}
        ends = self._contrasts.across_measures(self.interval, self.confidence)
        rows = self._contrasts.frame().with_columns(*ends)
        found: dict[Pair, list[OtherMeasure]] = {pair: [] for pair in self.pairs}
        of_primary = self.primary.declaration.range
        turned = {(d.baseline, d.system, d.measure) for d in self._found if d.is_turned_by_depth}
        for row in rows.filter(pl.col(MEASURE) != str(self.primary)).iter_rows(named=True):
            name, delta, low, high = (row[key] for key in (MEASURE, "delta", "ci_low", "ci_high"))
            declared = measures[name].declaration
            decides = low is not None and row["n_changed_effective"] >= MIN_CHANGED
            is_turned = (row[BASELINE], row[SYSTEM], name) in turned
            on_scale = self.margin is not None and declared.range == of_primary
            other = OtherMeasure(
                name,
                self.evaluation._shown_name(name),
                delta,
                low,
                high,
                goal={"high": 1, "low": -1}.get(declared.better, 0),
                moves=(low > 0) - (high < 0) if decides and not is_turned else 0,
                matters=not on_scale or abs(delta or 0.0) > (self.margin or 0.0),
                open_by="depth" if is_turned else "" if row["n_changed"] else "unchanged",
            )
            found[Pair(row[BASELINE], row[SYSTEM])].append(other)
        return {pair: tuple(each) for pair, each in found.items()}

    @cached_property
    def _equals(self) -> dict[str, str]:
        """The baseline of each system that is equal to it on every query."""
        equal = [p for p, each in self._decided.items() if each.found.is_unchanged]
        return {pair.system: pair.baseline for pair in reversed(equal)}

    @cached_property
    def _not_compared(self) -> dict[Pair, PairDecision]:
        """The decision on each pair that was not compared, by intervals that hold for all pairs."""
        if self._all_pairs == self.pairs:
            return {}
        rows, on_judged = self._rows_of_every_pair(), {}
        if self._condensed is not None:
            on_judged = self._rows_of_every_pair(condensed=True)
        compared = {*map(frozenset, self.pairs)}
        pairs = [
            pair for pair in self._all_pairs if pair in rows and frozenset(pair) not in compared
        ]
        family = replace(self._family, n_pairs=len(self._all_pairs))
        alone = replace(
            next(iter(self._differences_alone.values())),
            on_judged=None,
            at_depth=None,
            lengths=None,
            n_simultaneous=family.n_tests if family.corrects else 1,
        )
        at_depth = self._at_equal_depth(pairs, [self.primary], self._all_pairs)
        missing = one_sided(
            self._every_contrasts([self.primary]).of_pairs(pairs),
            str(self.primary),
            self.evaluation.unanswered,
            self._query_ids,
        )
        cautions, found = by_pair(self._known_cautions, pairs), {}
        for pair in pairs:
            seen = replace(alone, **pair._asdict(), **rows[pair])
            if self._is_uneven(pair) and pair in on_judged:
                seen = replace(seen, on_judged=replace(seen, **on_judged[pair]))
            seen = _with_depth(seen, at_depth.get((pair, str(self.primary))))
            decided = self._decided_on(seen, seen, missing.get(pair))
            found[pair] = self._with_severity(decided, cautions[pair])
        return found

    def _rows_of_every_pair(self, *, condensed: bool = False) -> dict[Pair, dict[str, Any]]:
        """Return the figures of `_every_pair_on_primary`, or those on judged documents alone."""
        rows = self._every_pair_on_primary
        if condensed:
            rows = self._of_every_pair([self.primary], self._best_systems[0], condensed=True)
        figures = rows.select(*_PAIRED, "n_queries", *_ON_JUDGED).iter_rows(named=True)
        return {Pair(row.pop(BASELINE), row.pop(SYSTEM)): row for row in figures}

    def _is_uneven(self, pair: Pair) -> bool:
        """Return whether a system has many unjudged documents, or more than its baseline."""
        one, other = (self.evaluation.judged_share.get(name, 1.0) for name in pair)
        return min(one, other) < WELL_JUDGED or abs(one - other) > UNEVEN

    @cached_property
    def _from_best(self) -> pl.DataFrame:
        """The difference of each other system from the best, on the primary measure.

        Intervals are simultaneous for all pairs of systems: which system is best was seen from the
        same data, so that intervals for the pairs with it alone would be too narrow.

        The columns are ``system`` (String); ``delta, ci_low, ci_high`` (Float64) and ``end_error``,
        the standard error of the ends between seeds; ``n_changed`` (Int64) and
        ``n_changed_effective`` (Float64). In the order of the means.
        """
        first, *others = self._best_systems
        rows = self._every_pair_on_primary
        order = pl.DataFrame({SYSTEM: others}, schema={SYSTEM: pl.String})
        return order.join(
            rows.filter(pl.col(BASELINE) == first).drop(BASELINE, MEASURE, "n_queries", "differs"),
            on=SYSTEM,
            how="left",
            maintain_order="left",
        )

    @cached_property
    def _every_pair_on_primary(self) -> pl.DataFrame:
        """The rows of `_every_pair` on the primary measure; of very many pairs, with the best."""
        return self._of_every_pair([self.primary], self._best_systems[0])

    @cached_property
    def _every_pair(self) -> pl.DataFrame:
        """The difference of every two systems on every measure.

        Each pair has two rows, one for either system as the ``baseline``. ``differs`` is whether
        the interval, which holds for all pairs, excludes 0 and enough queries changed.
        """
        return self._of_every_pair(list(self.evaluation.measures))

    def _of_every_pair(
        self, measures: Sequence[Measure], best: str | None = None, *, condensed: bool = False
    ) -> pl.DataFrame:
        """Return the frame of `_every_pair`; of very many pairs those with the best alone.

        Their intervals hold for all pairs in either case. With `condensed`, the differences are
        those on judged documents alone.
        """
        wanted = list(map(str, measures))
        contrasts = self._every_condensed if condensed else self._every_contrasts(measures)
        if best is not None and contrasts.is_wide:
            contrasts = contrasts.of_pairs([pair for pair in contrasts.pairs if best in pair])
        opposite = {"ci_low": "ci_high", "deciding_low": "deciding_high"}
        opposite |= {high: low for low, high in opposite.items()}
        ends = {name: -pl.col(other) for name, other in opposite.items()}
        same = ("end_error", "n_changed", "n_changed_effective", "n_queries")
        rows = self._with_ends(contrasts).filter(pl.col(MEASURE).is_in(wanted))
        rows = rows.select(BASELINE, SYSTEM, MEASURE, "delta", *ends, *same)
        turned = rows.select(
            pl.col(SYSTEM).alias(BASELINE),
            pl.col(BASELINE).alias(SYSTEM),
            MEASURE,
            -pl.col("delta"),
            *(end.alias(name) for name, end in ends.items()),
            *same,
        )
        excluded = (pl.col("ci_low") > 0) | (pl.col("ci_high") < 0)
        n_changed = pl.col("n_changed_effective")
        by_sign = all_of_one_sign(n_changed, contrasts.family.level(self.confidence))
        return pl.concat([rows, turned]).with_columns(
            differs=(n_changed >= MIN_CHANGED) & excluded.fill_null(by_sign)
        )

    @cached_property
    def _all_pairs(self) -> tuple[Pair, ...]:
        """All pairs of the systems compared: those of the comparison, if they are all."""
        first, *others = self._best_systems
        every = pairs_of([first, *others], first, "all")
        return self.pairs if len(self.pairs) == len(every) else every

    def _every_contrasts(self, measures: Sequence[Measure]) -> Contrasts:
        """Return the differences of all pairs of systems on some measures, or on all."""
        if self._all_pairs == self.pairs:
            return self._contrasts
        every = replace(self, pairs=self._all_pairs)
        return every._contrast(measures) if self.across == "systems" else every._contrasts

    @property
    def _every_condensed(self) -> Contrasts:
        """The differences of all pairs of systems on judged documents alone."""
        if self._condensed is None:
            raise ValueError("no documents are unjudged")
        family = replace(self._condensed.family, n_pairs=len(self._all_pairs))
        return replace(self._condensed, pairs=self._all_pairs, family=family)

    @cached_property
    def _best_systems(self) -> list[str]:
        """All systems by their mean of the primary measure, the best first."""
        means = self.means().filter(pl.col(MEASURE) == str(self.primary))
        return means.sort("mean", descending=True, nulls_last=True, maintain_order=True)[
            SYSTEM
        ].to_list()

    def _best_in_words(self) -> str:
        """Return which systems may be the best, and by whose judgments if a model judged too."""
        ranking = "" if self.judges is None else self.judges.ranking
        return paragraph(self._rivals_in_words(), ranking)

    def _rivals_in_words(self) -> str:
        """Return which systems may be the best besides the one with the highest mean, and why."""
        decision = self.decision
        best = decision.order[0]
        if decision.best_seen_only:
            return say(
                "{best} has the highest mean, and all others are below it on what was seen.",
                best=best,
            )
        if not decision.rivals():
            return say(
                "{best} has the highest mean, and all others are clearly below it.", best=best
            )
        words = say("{best} has the highest mean.", best=best)
        if rivals := decision.rivals(*SETTLED):
            words = say(
                "{best} has the highest mean; not distinguishable from it: {systems}.",
                best=best,
                systems=first_of(rivals),
            )
        return paragraph(words, *doubts_in_words(decision))

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before acting on the comparison, the worst first.

        Of equal severity, the evaluation's come first.
        """
        return tuple(each.in_current_language() for each in self._known_cautions)

    @cached_property
    def _known_cautions(self) -> tuple[Caution, ...]:
        """The cautions in the language in which they were found first."""
        found = comparison_cautions(
            list(self._differences_alone.values()), self.primary, **self._caution_inputs
        )
        rows = self._own_segments
        opposite = (
            ()
            if rows is None
            else disagreements(self.evaluation._with_shown_names(rows), self.confidence)
        )
        of_data = self.evaluation._cautions_of_means(
            weighted=self.query_metadata.weights is not None
        )
        if any(each.on_judged is not None for each in self._differences_alone.values()):
            of_data = tuple(each for each in of_data if each.code not in OF_SHARES)
        alike, differences = self._contrasts.alike, self._differences_alone.values()
        of_data = tuple(each for each in of_data if not is_told(each, differences, alike))
        found = told_once(found, of_data)
        if self._judges is None or self._by_model is None:
            return worst_first(of_data, found, opposite)
        # People judged some of the model's queries on purpose.
        of_model = self._by_model.evaluation.cautions
        of_data = (
            *(each for each in of_data if each.code != EXTRA_QUERIES.code),
            *(each for each in of_model if each.code == EXTRA_QUERIES.code),
            *self._by_model.evaluation._label_cautions,
        )
        return worst_first(of_data, found, opposite, self._judges.cautions)

    @cached_property
    def _caution_inputs(self) -> dict[str, Any]:
        """The arguments of `comparison_cautions`."""
        return {
            **{name: self.evaluation._caution_inputs[name] for name in ("ties", "quality")},
            "judged": self.evaluation.judged_share,
            "leading": self._differences_alone[self._leading()],
            "alike": self._contrasts.alike,
            "copies": copies_of(self.evaluation._caution_inputs["remarks"]),
            "weights": self._contrasts.structure.weights,
            "beyond": self._n_in_tail(),
            "n_unweighted": self.query_metadata.n_unweighted(self._query_ids),
            "n_weightless": self.query_metadata.n_weightless(self._query_ids),
            "n_unknown": self.query_metadata.n_unknown(self._query_ids),
            "clusters": self._contrasts.structure.clusters,
            "p_differs": self._p_differs,
            "unallowed": unallowed(
                self._losses_of(self._contrasts)[self._contrasts.measures.index(str(self.primary))],
                weighted=self.query_metadata.weights is not None,
            ),
            "missing": self._missing,
            "by_name": self._baseline_by_name,
            "deeper": [found for found in self._found if found.at_depth is not None],
        }

    @property
    def _baseline_by_name(self) -> str | None:
        """The baseline, if it is the first by name of systems that a column names."""
        baseline = self._one_baseline if self._by_default else None
        remarks = self.evaluation._caution_inputs["remarks"]
        return baseline if baseline in named_by_column(remarks) else None

    @cached_property
    def _missing(self) -> dict[Pair, OneSided]:
        """The effect of queries that one system did not answer, of each pair that has any."""
        unanswered, primary = self.evaluation.unanswered, str(self.primary)
        return one_sided(self._contrasts, primary, unanswered, self._query_ids)

    def _n_in_tail(self) -> float:
        """Return how many resamples lie beyond the quantiles that ends depend on."""
        if not any(found.end_error for found in self._differences_alone.values()):
            return math.inf
        if self._family.by_max_t:
            return self.resamples * (1 - self.confidence)
        return self.resamples * (1 - self._family.level(self.confidence)) / 2

    @cached_property
    def _p_differs(self) -> list[tuple[str, str, str]]:
        """Each baseline, system, measure whose adjusted p says otherwise than the interval."""
        if not self._family.corrects:
            return []
        rows = self._plain_table.filter(pl.col("n_changed_effective") >= MIN_CHANGED)
        excludes = (pl.col("ci_low") > 0) | (pl.col("ci_high") < 0)
        rejects = pl.col("p_adjusted") <= 1 - self.confidence
        return rows.filter(excludes != rejects).select(BASELINE, SYSTEM, MEASURE).rows()

    @cached_property
    def _own_segments(self) -> pl.DataFrame | None:
        """The segments given to `compare`, or None."""
        return self._by_segment() if self.query_metadata.segments else None

    def write_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write `table` as Parquet."""
        write_frame(check_suffix(path, "write_parquet", *PARQUET, inputs=self.files), self._figures)

    def to_polars(self) -> pl.DataFrame:
        """Return `table`."""
        return self._figures

    def _shown(self) -> Table:
        """Return the comparison as a readable table: a row per measure and pair.

        Of all pairs of many systems, those with the reference, on the primary measure.
        """
        if len(self.pairs) <= MOST_PAIRS or self.pairs != self._all_pairs:
            return self._table_of(self.pairs, map(str, self.evaluation.measures))
        best = self.decision.reference
        table = self._table_of([each for each in self.pairs if best in each], [str(self.primary)])
        words = say(
            "{caption}. Of {all} pairs, these are the {n} with {best}, the system with the highest "
            "mean; table() and -o FILE.csv have all",
            caption=table.caption,
            all=f"{len(self.pairs):,}",
            n=f"{len(table.rows):,}",
            best=best,
        )
        return replace(table, caption=words)

    def _table_of(self, pairs: Iterable[Pair], measures: Iterable[str]) -> Table:
        """Return the rows of some pairs and measures as a readable table."""
        every = self._plain_table.with_columns(self._caution_column())
        named = pl.DataFrame(
            list(pairs), schema={BASELINE: pl.String, SYSTEM: pl.String}, orient="row"
        )
        of_pairs = every.join(named, on=[BASELINE, SYSTEM], how="semi", maintain_order="left")
        rows = self._best_first(of_pairs.filter(pl.col(MEASURE).is_in(list(measures))))
        return comparison_table(
            self.evaluation._with_shown_names(rows),
            self._one_baseline,
            self.confidence,
            self._family,
            resamples=self.resamples,
            n_effective=self._n_effective,
        )

    @property
    def _label_source(self) -> LabelSource | None:
        """Where the judgments come from; None if they were given as judgments."""
        return self.evaluation._label_source if self.judges is None else self.judges.source

    @property
    def _label_sources(self) -> tuple[LabelSource, ...]:
        """Where the judgments come from; with a model, those of each judge too, if known."""
        if self.judges is not None:
            return self.judges.sources
        source = self.evaluation._label_source
        return () if source is None else (source,)

    def _label_sentences(self) -> tuple[str, ...]:
        """Return where the judgments come from, in sentences."""
        return tuple(source.sentence for source in self._label_sources)

    def _latex_table(self) -> str:
        """Return a table of systems by measures, with letters for significant differences."""
        return self._paper_table().to_latex()

    def _above(self) -> Iterable[Block]:
        """Return the verdict, with all cautions."""
        return self.verdict().words.sentences

    def _below(self) -> Iterable[Block]:
        """Return where judgments come from and the method; with a model, what it judges too."""
        made = made_by(self._method)
        if self.judges is None:
            return [Sentences((*self._label_sentences(), made))]
        return [Sentences([made]), self.judges._shown(), Sentences(self.judges.notes)]

    def plot_curve(
        self,
        measure: str | Measure = "nDCG",
        k: Iterable[int] = CUTOFFS,
        baseline: str | None = None,
        **options: Unpack[charts.ChartOptions],
    ) -> Chart:
        """Plot `curve`. The chart is a matplotlib figure that displays in Jupyter.

        With several baselines, it shows the differences to one: the first by default. It has
        several panels: of `options`, which are as for `plot_deltas`, it takes no ``ax``.
        """
        [chart] = self.plot_curves([measure], k, baseline, **options)
        return chart

    def plot_curves(
        self,
        measures: Iterable[str | Measure],
        k: Iterable[int] = CUTOFFS,
        baseline: str | None = None,
        **options: Unpack[charts.ChartOptions],
    ) -> tuple[Chart, ...]:
        """Plot several curves like `plot_curve`, faster than one after the other."""
        cutoffs = self.evaluation._cutoffs(k)
        curves = {parse(measure): points(measure, cutoffs) for measure in measures}
        charts.for_one_chart(options, len(curves))
        base = self._chosen(baseline=baseline)[0].baseline
        bands = self._curves_of(list(curves.values()))
        return tuple(
            charts.curves(
                levels,
                differences.filter(pl.col(BASELINE) == base),
                measure=measure.shown,
                baseline=base,
                confidence=self.confidence,
                n_simultaneous=self._family.n_tests if self._family.corrects else 1,
                **options,
            )
            for measure, (levels, differences) in zip(curves, bands, strict=True)
        )

    def _plot_levels(
        self, measures: Iterable[str | Measure], systems: Sequence[str]
    ) -> tuple[Chart, ...]:
        """Plot the means of some systems at each cut-off, in this order, without differences."""
        cutoffs = self.evaluation._cutoffs()
        curves = {parse(measure): points(measure, cutoffs) for measure in measures}
        first, *others = systems
        some = replace(self, pairs=tuple(Pair(first, other) for other in others))
        every = [point for curve in curves.values() for point in curve]
        most = points_at_once(len(systems) * len(self._query_ids), closed=False)
        means = pl.concat(
            some._contrast(every[at : at + most]).means(self.interval, self.confidence)
            for at in range(0, len(every), most)
        )
        levels = pl.concat(means.filter(pl.col(SYSTEM) == system) for system in systems)
        return tuple(
            charts.curves(
                at_cutoffs(levels, curve), measure=measure.shown, confidence=self.confidence
            )
            for measure, curve in curves.items()
        )

    def plot_deltas(
        self,
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
            ``"matplotlib"`` for its ``rcParams`` as they are. `rankreport.charts.ChartOptions` has
            the details.

        Examples
        --------
        >>> import rankreport as rr
        >>> example = rr.load_example()
        >>> comparison = rr.compare(rr.evaluate(example.qrels, example.runs))
        >>> comparison.plot_deltas("AP", width=3.3, height=2.5).get_size_inches().tolist()
        [3.3, 2.5]
        """
        return charts.sorted_deltas(**self._drawn(measure, system, baseline), **options)

    def plot_histogram(
        self,
        measure: MeasureLike = None,
        system: str | None = None,
        baseline: str | None = None,
        **options: Unpack[charts.ChartOptions],
    ) -> Chart:
        """Plot a histogram of one pair's `deltas`; pair and `options` are as for `plot_deltas`."""
        return charts.delta_histogram(**self._drawn(measure, system, baseline), **options)

    def plot_scatter(
        self,
        measure: MeasureLike = None,
        system: str | None = None,
        baseline: str | None = None,
        **options: Unpack[charts.ChartOptions],
    ) -> Chart:
        """Plot a pair's scores per query; pair and `options` are as for `plot_deltas`."""
        return charts.score_scatter(**self._drawn(measure, system, baseline), **options)

    def plot_forest(self, **options: Unpack[charts.ChartOptions]) -> Chart:
        """Plot the mean differences for all measures with the same range as the primary one.

        With more than 4 pairs, only for the primary measure, and the best first; `options` are as
        for `plot_deltas`.
        """
        return charts.forest(**self._forest(), **options)

    def _forest(self) -> dict[str, Any]:
        wanted = self.primary.declaration.range
        alike = [str(m) for m in self.evaluation.measures if m.declaration.range == wanted]
        alike = alike if len(self.pairs) <= FEW_PAIRS else [str(self.primary)]
        better = {str(m): m.declaration.better for m in self.evaluation.measures}
        few = pl.Series("few_queries", [found.has_few_queries for found in self._found])
        rows = self._plain_table.with_columns(few).filter(pl.col(MEASURE).is_in(alike))
        rows = rows.with_columns(better=pl.col(MEASURE).replace_strict(better))
        return {
            "rows": self.evaluation._with_shown_names(self._labelled(self._best_first(rows))),
            "baseline": self._one_baseline,
            "confidence": self.confidence,
            "min_changed": MIN_CHANGED,
            "margin": self.margin,
            "n_simultaneous": self._family.n_tests if self._family.corrects else 1,
        }

    def _drawn(
        self, measure: MeasureLike, system: str | None, baseline: str | None
    ) -> dict[str, Any]:
        """Return the arguments of a chart of one pair's queries."""
        pair, name = self._leading(system, baseline), self._named(measure)
        better = parse(name).declaration.better
        shown = self._queries_of(pair, name)
        named = self.evaluation._shown_name(name)
        return {"queries": shown, "measure": named, "better": better, **pair._asdict()}

    @property
    def baselines(self) -> tuple[str, ...]:
        """The baselines."""
        return tuple(dict.fromkeys(pair.baseline for pair in self.pairs))

    @property
    def baseline(self) -> str:
        """The first baseline."""
        return self.baselines[0]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems compared with a baseline, in the order of the evaluation."""
        compared = {pair.system for pair in self.pairs}
        return tuple(system for system in self.evaluation.systems if system in compared)

    def _win_and_loss(
        self, pair: Pair, *, answered: bool = False
    ) -> tuple[float | None, float | None]:
        """Return the mean difference of the queries above 0 on the primary measure, and below.

        With `answered`, only of the queries that both systems answered.
        """
        rows = self.deltas(**pair._asdict())
        if answered:
            rows = rows.filter(~pl.col(QUERY_ID).is_in(self._unanswered(pair).implode()))
        deltas = rows["delta"].drop_nulls()
        above, below = (
            side.mean() for side in (deltas.filter(deltas > 0), deltas.filter(deltas < 0))
        )
        return (
            above if isinstance(above, float) else None,
            below if isinstance(below, float) else None,
        )

    @property
    def _labels(self) -> dict[Pair, str]:
        """A short name for each pair: its system if there is one baseline."""
        return short_labels(self.pairs)

    @property
    def primary(self) -> Measure:
        """The primary measure."""
        return self.evaluation.primary

    @property
    def _family(self) -> Family:
        """The differences that are corrected together."""
        n_measures = len(self.evaluation.measures)
        return Family(self.correction, self.across, len(self.pairs), n_measures)

    @property
    def _n_effective(self) -> float | None:
        """The effective number of queries; None without weights."""
        return self._contrasts.n_effective

    @property
    def _bucketed(self) -> bool:
        """Whether buckets of queries are resampled because there are very many queries."""
        return self._contrasts.bucketed

    @property
    def _method(self) -> Method:
        """The method of intervals and p-values."""
        return Method(
            interval=self.interval,
            test=self.test,
            correction=self.correction,
            across=self._family.across,
            n_tests=self._family.n_tests,
            resamples=self.resamples,
            seed=self.seed,
            weights=self.query_metadata.weights,
            clusters=self.query_metadata.clusters,
            strata=self.query_metadata.strata,
            bucketed=self._bucketed,
        )

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of `compare` by name, without those that are None."""
        return settings_of(self)

    @cached_property
    def _contrasts(self) -> Contrasts:
        """The differences of all pairs and measures as matrices."""
        if self.evaluation._memory_limit is not None:
            _ = self.evaluation._unjudged  # there is more room to read before there are matrices
        return self._contrast(self.evaluation.measures)

    def _contrast(
        self,
        measures: Sequence[Measure],
        across: str | None = None,
        values: pl.DataFrame | None = None,
    ) -> Contrasts:
        """Return the differences of all pairs on these measures as matrices.

        `across` overrides the comparison's, as for the measures of a curve; `values` are those of
        the measures, if they are known.
        """
        check_process()
        return Contrasts.of(
            self.evaluation,
            measures,
            self.pairs,
            correction=self.correction,
            across=self.across if across is None else across,
            draws=Draws(self.resamples, self.seed, self._block),
            structure=self._structure,
            values=values,
        )

    @cached_property
    def _structure(self) -> Structure:
        """Weights, clusters and strata of the queries."""
        return self.query_metadata.structure(self._query_ids)

    @property
    def _block(self) -> int:
        """The memory for a block of resamples."""
        return block_of(self.evaluation._memory_limit) if self.memory is None else self.memory

    @cached_property
    def _known_curves(self) -> dict[tuple[Measure, ...], CurveBands]:
        return {}

    def _curves_of(self, curves: Sequence[CurveColumns]) -> list[CurveBands]:
        """Return the curves of several measures, each at its cut-offs; they are cached."""
        new = [curve for curve in curves if tuple(curve) not in self._known_curves]
        systems = self._contrasts.scores
        if self._bucketed:
            n_values = len(systems) * len(self._query_ids)
            closed = len(self.pairs) == 1 and self._contrasts.is_closed(self.interval)
            most = points_at_once(n_values, closed=closed)
            for batch in batches(new, len(self.pairs)):
                bands = curves_in_parts(
                    lambda some, values: self._contrast(some, "systems", values),
                    batch,
                    lambda every: self.evaluation._values_in_parts(every, most),
                    self.interval,
                    self.confidence,
                )
                self._known_curves.update(zip(map(tuple, batch), bands, strict=True))
            return [self._known_curves[tuple(curve)] for curve in curves]
        n_lines = len(systems) + len(self.pairs)
        for batch in batches(new, n_lines):
            contrasts = self._contrast([point for curve in batch for point in curve], "systems")
            bands = curve_bands(contrasts, batch, self.interval, self.confidence)
            self._known_curves.update(zip(map(tuple, batch), bands, strict=True))
        return [self._known_curves[tuple(curve)] for curve in curves]

    @property
    def _query_ids(self) -> list[str]:
        """The queries, in the order of the matrices' rows."""
        return self.evaluation.query_ids

    @cached_property
    def _figures(self) -> pl.DataFrame:
        """The frame of `Comparison.table`, with cautions in English."""
        with using_language(ENGLISH):
            return self._cautioned()

    def _cautioned(self) -> pl.DataFrame:
        """Return the frame of `Comparison.table`, with cautions in the current language."""
        return self._plain_table.with_columns(self._caution_column()).select(COMPARISON)

    def _caution_column(self) -> pl.Series:
        """Return the cautions on each row; the comparison's are in rows of the primary measure."""
        known = [each for each in self.cautions if each.severity != "note"]
        cautions = [self._of_row(found, known) for found in self._found]
        return pl.Series("caution", cautions, pl.String)

    def _of_row(self, found: Difference, known: Sequence[Caution]) -> str:
        """Return why not to rely on a row, or an empty text."""
        pair = Pair(found.baseline, found.system)
        own = [caution(found)]
        if (*pair, found.measure) in self._p_differs:
            own.append(say(INTERVAL_DECIDES.title))
        if found.measure != str(self.primary):
            if self._differences_alone[pair].word == "check first":
                own.append(say("unjudged documents: see {measure}", measure=self.primary))
            return separated("; ", filter(None, own))
        titles = [each.title for each in known if each.is_about(pair) and each.code not in OF_ROWS]
        return separated("; ", filter(None, dict.fromkeys([*own, *titles])))

    @cached_property
    def _found(self) -> list[Difference]:
        """The difference of each pair on each measure, in the order of the table."""
        return self._differences_of(self._plain_table)

    @cached_property
    def _plain_table(self) -> pl.DataFrame:
        """The frame of `Comparison.table` without cautions, with the columns of a `Difference`."""
        contrasts = self._contrasts
        p_values = self._p_values(self.test)
        with stage("resampling"):
            adjusted = contrasts.adjusted(self.test, p_values)
        rows = self._with_ends(contrasts).with_columns(p_values, adjusted)
        return by_measure(rows, self.evaluation.measures)

    @cached_property
    def _known_p_values(self) -> dict[str, pl.Series]:
        return {}

    def _p_values(self, test: str) -> pl.Series:
        """Return the p-values of a test; they are cached."""
        if test not in self._known_p_values:
            with stage("resampling"):
                made = self._contrasts.p_values(test, str(self.primary))
            self._known_p_values[test] = made
        return self._known_p_values[test]

    @cached_property
    def _ratio_figures(self) -> pl.DataFrame:
        """The frame of `Comparison.ratios`."""
        kind = "auto" if self.interval == "studentized" else self.interval
        return self._contrasts.ratios(kind, self.confidence)

    @cached_property
    def _known_segments(self) -> dict[tuple[tuple[str, ...], str, int], pl.DataFrame]:
        return {}

    def _segments_of(self, columns: Sequence[str], measure: str, smallest: int) -> pl.DataFrame:
        """Return the frame of `Comparison.segments`; it is cached."""
        key = (tuple(columns), measure, smallest)
        if key not in self._known_segments:
            self._known_segments[key] = segment_rows(
                self._contrast([parse(measure)]),
                self.query_metadata,
                self._query_ids,
                columns,
                interval=self.interval,
                test=self.test,
                confidence=self.confidence,
                smallest=smallest,
            )
        return self._known_segments[key]

    @cached_property
    def _differences(self) -> dict[Pair, Difference]:
        """The difference of each pair on the primary measure, which the verdict goes by.

        Where people judged some queries and a model all, by both, if the model can be relied upon.
        """
        own = self._differences_alone
        if self._judges is None:
            return own
        return {pair: self._judges._corrected(found) for pair, found in own.items()}

    @cached_property
    def judges(self) -> ModelJudge | None:
        """A model's judgments next to people's; None without a model."""
        if self._judges is None:
            return None
        decided = self.decision.pairs.items()
        return replace(
            self._judges, doubted=tuple(p for p, each in decided if each.word == "check first")
        )

    @cached_property
    def _judges(self) -> ModelJudge | None:
        """The same before anything is decided."""
        if self._by_model is None:
            return None
        model = replace(self._by_model, pairs=self.pairs)
        own = self._differences_alone.items()
        return ModelJudge.of(
            (self._contrasts, model._contrasts),
            (self._plain_table, model._plain_table),
            (self.evaluation, model.evaluation),
            confidence=self.confidence,
            sample=self._sample,
            largest_error=self._largest_error,
            unsure=[pair for pair, found in own if found.word == "check first"],
        )

    @cached_property
    def _differences_alone(self) -> dict[Pair, Difference]:
        """The difference of each pair on the primary measure, by this evaluation alone."""
        name = str(self.primary)
        decisive = [each for each in self._found if each.measure == name]
        return dict(zip(self.pairs, decisive, strict=True))

    def _queries_of(self, pair: Pair, measure: str) -> pl.DataFrame:
        """Return one pair's scores by query, the biggest win first, without queries of weight 0.

        Those of the last pair are cached: charts, wins and losses are of the same queries.
        """
        if (pair, measure) not in self._last_queries:
            found = self._sorted_queries(pair, measure)
            self._last_queries.clear()
            self._last_queries[pair, measure] = found
        return self._last_queries[pair, measure].clone()

    @cached_property
    def _last_queries(self) -> dict[tuple[Pair, str], pl.DataFrame]:
        return {}

    def _sorted_queries(self, pair: Pair, measure: str) -> pl.DataFrame:
        """Return the frame of `_queries_of`."""
        scores, place = self._contrasts.scores, self._contrasts.measures.index(measure)
        frame = pl.DataFrame(
            {
                QUERY_ID: self._query_ids,
                "score_baseline": scores[pair.baseline][:, place],
                "score_system": scores[pair.system][:, place],
                "delta": self._contrasts.deltas[pair][:, place],
            },
            nan_to_null=True,
        ).filter(pl.Series(self._contrasts.weighed))
        names = [pl.lit(name).alias(side) for side, name in pair._asdict().items()]
        by_delta = frame.sort("delta", QUERY_ID, descending=[True, False], nulls_last=True)
        return by_delta.select(*names, pl.all())

    def _on_one_side(self, measure: str, pairs: Sequence[Pair], side: int) -> pl.DataFrame:
        """Return the queries won (side 1) or lost (-1), the biggest first."""
        goal = self._contrasts.goals[self._contrasts.measures.index(measure)]
        won = pl.col("delta") * goal * side
        return pl.concat(
            self._with_unjudged(
                self._queries_of(pair, measure)
                .filter((won > 0) & won.is_not_nan())
                .sort(-won, QUERY_ID),
                pair,
            )
            for pair in pairs
        )

    def _biggest(self, pair: Pair, side: int, n: int) -> pl.DataFrame:
        """Return the `n` queries of a pair won or lost by most on the primary measure.

        They are kept: a report asks for them in several places, and sorting takes long.
        """
        if (pair, side, n) not in self._kept_biggest:
            found = self._on_one_side(str(self.primary), [pair], side)
            self._kept_biggest[pair, side, n] = found.head(n)
        return self._kept_biggest[pair, side, n]

    @cached_property
    def _kept_biggest(self) -> dict[tuple[Pair, int, int], pl.DataFrame]:
        return {}

    def _with_unjudged(self, queries: pl.DataFrame, pair: Pair) -> pl.DataFrame:
        """Add the numbers of unjudged documents at the top of both lists, null if not examined."""
        unjudged = self.evaluation._unjudged
        for side, system in pair._asdict().items():
            column = pl.lit(None, pl.Int64).alias(f"unjudged_{side}")
            if unjudged is None:
                queries = queries.with_columns(column)
                continue
            counts = unjudged.lists.filter(pl.col(SYSTEM) == system)
            counts = counts.select(QUERY_ID, pl.col(N_UNJUDGED).alias(f"unjudged_{side}"))
            queries = queries.join(counts, on=QUERY_ID, how="left", maintain_order="left")
        return queries

    def _named(self, measure: MeasureLike) -> str:
        """Return the name of an evaluated measure; the primary one for None.

        Raises
        ------
        OptionError
            If it was not evaluated.
        """
        # A name that only a profile has is known as it was asked.
        asked = {m.asked: m for m in self.evaluation.measures if m.asked}
        wanted = self.primary if measure is None else asked.get(str(measure)) or parse(measure)
        return choose("measure", str(wanted), map(str, self.evaluation.measures))

    def _chosen(self, system: str | None = None, baseline: str | None = None) -> tuple[Pair, ...]:
        """Return the pairs with this system and baseline; None matches any."""
        check_process()
        return chosen_pairs(self.pairs, system, baseline)

    def _leading(self, system: str | None = None, baseline: str | None = None) -> Pair:
        """Return the matching pair that a verdict is about, as `leading_of`."""
        chosen = self._chosen(system, baseline)
        return leading_of({pair: self._by_numbers[pair] for pair in chosen}, self._best_systems)

    def _kinds(
        self, option: str, kinds: Iterable[str] | None, usual: Iterable[str], known: Iterable[str]
    ) -> list[str]:
        """Return the given kinds, or the usual ones that these queries allow.

        Raises
        ------
        OptionError
            If a given kind is unknown, or these queries do not allow it.
        """
        if kinds is None:
            return [kind for kind in usual if self._refusal(**{option: kind}) is None]
        names = tuple(known)
        chosen = [choose(option, kind, names) for kind in kinds]
        for kind in chosen:
            if reason := self._refusal(**{option: kind}):
                raise OptionError(reason)
        return chosen

    def _refusal(self, *, interval: str | None = None, test: str | None = None) -> str | None:
        """Return why these queries do not allow a kind, or None."""
        return refusal(
            self.query_metadata.structure_columns,
            interval=interval or self.interval,
            test=test or self.test,
            correction=self.correction,
            n_tests=self._family.n_tests,
        )

    def _labelled(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return rows with the label of the pair in the system column."""
        labels = {f"{pair.baseline}\0{pair.system}": name for pair, name in self._labels.items()}
        pair = pl.concat_str(BASELINE, SYSTEM, separator="\0").replace_strict(labels)
        return rows.with_columns(pair.alias(SYSTEM))

    def _best_first(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Sort rows of many pairs by measure, the best difference first."""
        if len(self.pairs) <= FEW_PAIRS:
            return rows
        return best_first(rows, self.evaluation.measures, "delta")

    @property
    def _one_baseline(self) -> str | None:
        """The baseline, or None if there are several."""
        return self.baseline if len(self.baselines) == 1 else None

    def _paper_table(self) -> PaperTable:
        """Return a table of systems by measures, with letters for significant differences."""
        compared = systems_of(self.pairs)
        return paper_table(
            self.evaluation._with_shown_names(self._plain_table),
            [system for system in self.evaluation.systems if system in compared],
            {m.shown: m.declaration.better for m in self.evaluation.measures},
            confidence=self.confidence,
            min_changed=MIN_CHANGED,
            method=interval_in_words(self._method),
            notes=tuple(self._notes_on_letters()),
        )

    def _notes_on_letters(self) -> Iterator[str]:
        """Yield what letters for significant differences do not say themselves."""
        yield from self._label_sentences()
        if self.judges is not None:
            yield say("Letters and means go by people's judgments alone.")
        if self._one_baseline is not None and len(self.pairs) > 1:
            yield say(
                "Only differences from {baseline} were tested.",
                baseline=self._one_baseline,
            )
        for pair, found in self._differences.items():
            if found.word == "check first" and found.on_judged is not None:
                yield say(
                    "The result of {system} against {baseline} depends on unjudged documents: on "
                    "judged documents alone, the difference in {measure} is {numbers}.",
                    **pair._asdict(),
                    measure=self.primary,
                    numbers=found.on_judged.numbers,
                )

    def _differences_of(self, rows: pl.DataFrame) -> list[Difference]:
        """Return the difference of each row."""
        found = []
        losses = self._losses_of(self._contrasts)
        power_of = detectability(self._contrasts, self.confidence, self.margin, losses)
        for row in rows.iter_rows(named=True):
            pair, measure = Pair(row[BASELINE], row[SYSTEM]), row[MEASURE]
            power = power_of[self._contrasts.column(pair, measure)]
            figures: dict[str, Any] = {**{name: row[name] for name in _FOUND}, **power}
            figures |= {"confidence": self.confidence, "margin": self.margin}
            named = self.evaluation._shown_name(measure)
            figures["asked"] = named if named != measure else ""
            figures["n_simultaneous"] = self._family.n_tests if self._family.corrects else 1
            found.append(self._with_unseen(Difference(**figures)))
        at_depth = self._at_equal_depth(self.pairs, self.evaluation.measures, self.pairs)
        return [
            _with_depth(
                self._beside_judged(each),
                at_depth.get((Pair(each.baseline, each.system), each.measure)),
            )
            for each in found
        ]

    def _at_equal_depth(
        self, pairs: Sequence[Pair], measures: Sequence[Measure], of: tuple[Pair, ...]
    ) -> Mapping[tuple[Pair, str], dict[str, Any]]:
        """Return the figures of differences at equal depth, where lists of a system are cut.

        Intervals hold for all the pairs `of` which these are some.
        """
        compared = replace(self, pairs=of)

        def contrast(some: Sequence[Measure], depth: int) -> Contrasts:
            return compared._contrast(some, values=self.evaluation.values(some, within=depth))

        return at_equal_depth(
            self.evaluation._caution_inputs["depths"],
            pairs,
            measures,
            self._contrasts,
            contrast=contrast,
            figures=self._with_ends,
        )

    def _with_unseen(self, found: Difference) -> Difference:
        """Return a difference with what the queries leave possible, where that undoes a verdict."""
        if not found.seen_only:
            return found
        contrasts, pair = self._contrasts, Pair(found.baseline, found.system)
        column = contrasts.column(pair, found.measure)
        largest = self._losses_of(contrasts)[contrasts.measures.index(found.measure)]
        alpha = float(1 - contrasts.levels(self.confidence)[column]) / 2
        lost = found.direction > 0
        return replace(found, unseen=unseen_of(contrasts, column, largest, alpha, lost=lost))

    def _losses_of(self, contrasts: Contrasts) -> NDArray[np.float64]:
        """Return how much a query can change by each measure of these contrasts."""
        return largest_losses(contrasts, {str(self.primary): self.largest_loss})

    def _with_ends(self, contrasts: Contrasts) -> pl.DataFrame:
        """Return differences with the ends of intervals, those that decide, and their errors."""
        losses = self._losses_of(contrasts)
        ends = contrasts.decided(self.interval, self.confidence, losses)
        return contrasts.frame().with_columns(*ends, contrasts.end_errors(self.interval))

    def _beside_judged(self, found: Difference) -> Difference:
        """Return a difference with what judged documents alone say, where others might matter."""
        pair = Pair(found.baseline, found.system)
        if found.measure != str(self.primary) or pair not in self._on_judged:
            return found
        other = self._on_judged[pair]
        return replace(
            found,
            on_judged=replace(found, unseen=None, **{name: other[name] for name in _ON_JUDGED}),
            lowest=other["lowest"],
            highest=other["highest"],
        )

    def _range_of_ties(self, found: Difference) -> tuple[float, float] | None:
        """Return the lowest and highest difference that orders of equal scores give."""
        weighted = self.query_metadata.weights is not None
        return range_of_ties(found, self.primary, self._tie_bounds, weighted=weighted)

    @cached_property
    def _tie_bounds(self) -> TieBounds:
        """The lowest and highest means that orders of equal scores give."""
        return tie_bounds(self.evaluation._caution_inputs["ties"], self.primary)

    @cached_property
    def _is_one_sided(self) -> bool:
        """Whether the verdict waits for nothing but queries that one system did not answer."""
        known = {ONE_SIDED.code, UNANSWERED.code}
        of_leading = self._leading() in self._caution_inputs["missing"]
        return (
            len(self.pairs) == 1
            and of_leading
            and bool(self._stop_codes)
            and self._stop_codes <= known
        )

    @cached_property
    def _stop_codes(self) -> frozenset[str]:
        """The codes of the cautions to check first."""
        return frozenset(each.code for each in self._known_cautions if each.severity == "stop")

    def _unanswered(self, pair: Pair) -> pl.Series:
        """Return the queries that a system of a pair did not answer."""
        return self.evaluation.unanswered.filter(pl.col(SYSTEM).is_in(list(pair)))[QUERY_ID]

    def _on_answered(self, pair: Pair) -> tuple[Difference, pl.DataFrame]:
        """Return a pair's differences on the queries that both systems answered.

        Returns
        -------
        tuple
            The difference on the primary measure; and, of all measures, the figures of the frame of
            `table` that do not need a test. Intervals are for one difference alone.
        """
        left_out = np.isin(self._query_ids, self._unanswered(pair))[:, np.newaxis]
        answered = replace(
            self._contrasts,
            scores={
                system: np.where(left_out, np.nan, self._contrasts.scores[system])
                for system in pair
            },
            pairs=(pair,),
            family=replace(self._family, correction="none", n_pairs=1),
        )
        rows = self._with_ends(answered)
        row = rows.row(by_predicate=pl.col(MEASURE) == str(self.primary), named=True)
        figures = {name: row[name] for name in ("n_queries", *_ON_JUDGED)}
        whole = self._differences_alone[pair]
        # What follows from the spread over all queries does not hold for some of them.
        found = replace(
            whole, **figures, n_simultaneous=1, on_judged=None, detectable=None, margin_needed=None
        )
        return found, rows

    @cached_property
    def _on_judged(self) -> dict[Pair, dict[str, Any]]:
        """The differences on judged documents alone, with bounds, of pairs unevenly judged."""
        condensed = self._condensed
        if condensed is None:
            return {}
        pairs = [pair for pair in self.pairs if self._is_uneven(pair)]
        rows = self._with_ends(condensed)
        bounds: Mapping[Pair, tuple[float, float]] = {}
        if not TIES[self.evaluation.settings["ties"]].expected:
            bounds = self._mean_bounds(condensed, pairs)
        found = {}
        for row in rows.iter_rows(named=True):
            pair = Pair(row[BASELINE], row[SYSTEM])
            if pair in pairs:
                lowest, highest = bounds.get(pair, (None, None))
                found[pair] = {**row, "lowest": lowest, "highest": highest}
        return found

    def ends_on_judged(self, pair: Pair, confidence: float | None) -> tuple[float, float]:
        """Return the ends that decide on a pair's primary difference on judged documents alone.

        Both ends are the difference where there is no interval, or without a `confidence`.
        """
        delta = self._on_judged[pair]["delta"]
        if self._condensed is None or confidence is None:
            return delta, delta
        losses = self._losses_of(self._condensed)
        found = self._condensed.decided(self.interval, confidence, losses)
        column = self._condensed.column(pair, str(self.primary))
        low, high = (end[column] for end in found[2:])
        return (delta, delta) if low is None else (low, high)

    @cached_property
    def _condensed(self) -> Contrasts | None:
        """The differences on judged documents alone; None where unjudged ones do not matter."""
        unjudged = self.evaluation._unjudged
        if unjudged is None:
            return None
        name = str(self.primary)
        column = self._contrasts.measures.index(name)
        values = score_matrices(unjudged.lists, systems_of(self.pairs), ["value"], self._query_ids)
        return replace(
            self._contrasts,
            scores=values,
            measures=(name,),
            goals=self._contrasts.goals[column : column + 1],
            ranges=self._contrasts.ranges[:, column : column + 1],
            family=replace(self._family, across="systems", n_measures=1),
        )

    def _mean_bounds(
        self, condensed: Contrasts, pairs: Sequence[Pair]
    ) -> Mapping[Pair, tuple[float, float]]:
        """Return how low and high mean differences could be; empty if that is not known."""
        unjudged = self.evaluation._unjudged
        if unjudged is None:
            return {}
        column = self._contrasts.measures.index(str(self.primary))
        scores = {system: each[:, column] for system, each in self._contrasts.scores.items()}
        bounds = difference_bounds(unjudged, self.primary, pairs, scores, self._query_ids)
        found = {}
        for pair, ends in (bounds or {}).items():
            lowest, highest = condensed.sampled(np.column_stack(ends)).mean
            found[pair] = (float(lowest), float(highest))
        return found


def _with_depth(found: Difference, figures: Mapping[str, Any] | None) -> Difference:
    """Return a difference with that at equal depth, if there are figures of it."""
    if figures is None:
        return found
    numbers = {name: figures[name] for name in _ON_JUDGED}
    alone = replace(found, on_judged=None, lowest=None, highest=None, unseen=None)
    return replace(found, at_depth=replace(alone, **numbers), lengths=figures["lengths"])


@hinting()
@keeping_files
def compare(
    evaluation: Any = None,
    runs: Any = None,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    baseline: str | Iterable[str] | None = None,
    pairs: str = "baseline",
    interval: str = "auto",
    test: str = "sign-flip",
    correction: str = "max-t",
    across: str = "systems",
    confidence: float = 0.95,
    margin: float | None = None,
    queries: Any = None,
    weights: str | Mapping[str, float] | None = None,
    clusters: str | Mapping[str, Any] | None = None,
    strata: str | Mapping[str, Any] | None = None,
    segments: str | Iterable[str] | Mapping[str, Any] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    largest_loss: float | None = None,
    memory_limit: int | str | None = None,
    judges: Mapping[str, Any] | None = None,
    sample: int | str = 0,
    largest_error: float | None = None,
) -> Comparison:
    """Compare every system of an evaluation with a baseline, or with each other.

    Parameters
    ----------
    evaluation
        Evaluation of two or more systems, or relevance judgments if there are `runs`; the runs
        themselves with `judges`.
    runs
        The systems' results, in any form that `evaluate` accepts. After an evaluation, a second
        argument is its `baseline`: ``rr.compare(evaluation, "old")``.
    measures
        The measures of `runs`, by default those of `evaluate`. For its other options:
        ``rr.compare(rr.evaluate(qrels, runs, ...))``.
    baseline
        Baseline system, or several; the first system by default: of systems that a column names,
        the first by name, whatever the order of the rows.
    pairs
        ``"baseline"``, or ``"all"`` to compare every system with every other.
    interval
        ``"auto"``, the wider of the t and BCa intervals: differences of ranking measures are tied
        and skewed, and where one of the two is too narrow, the other usually is not. Or ``"t"``,
        ``"percentile"``, ``"basic"``, ``"bca"``, ``"studentized"``.
    test
        ``"sign-flip"``, the randomisation test of the mean, exact up to 36 changed queries (40 on
        the primary measure); ``"bootstrap"``, studentised; ``"t"``, paired. Not of the mean:
        ``"wilcoxon"``, of symmetry about zero; ``"sign"``, of wins against losses.
    correction
        Correction for several differences: ``"max-t"``, step-down on shared draws of the test;
        ``"holm"``; ``"bh"``, Benjamini and Hochberg, for exploration; ``"none"``. Except with
        ``"none"``, intervals are simultaneous: with ``"max-t"``, each at the level that it gives
        (a difference with fewer than 10 changed queries has none), otherwise at Bonferroni's.
    across
        What the correction counts: ``"systems"``, the pairs on one measure; ``"measures"``, all
        pairs on all measures.
    confidence
        Confidence level of the intervals, between 0 and 1; simultaneous if several differences are
        corrected.
    margin
        Largest difference that does not matter, above 0, chosen before seeing the data. It allows
        the verdicts no worse (than by the margin) and equivalent (within it).
    queries
        Query metadata, anything that `read_queries` accepts: ``query_id``, ``text`` and any
        columns.
    weights
        Query weights, such as shares of the traffic: a column of `queries`, or ``{query_id:
        weight}``. Queries without a weight have weight 0.
    clusters
        Clusters of similar queries, such as users or sessions: a column, or ``{query_id:
        cluster}``. Clusters are resampled instead of queries.
    strata
        Parts of the population with fixed shares that queries were sampled from: a column, or
        ``{query_id: stratum}``. Queries are resampled within strata.
    segments
        Segments to break the comparison down by: columns of `queries`, or ``{query_id: segment}``.
    resamples
        Number of bootstrap resamples; a longer run extends a shorter one.
    seed
        Random seed. The same seed gives the same figures.
    largest_loss
        The most that a query can lose (or gain) on the primary measure; by default the width of the
        measure's range. Claims that a system is safe, equivalent or better allow for rare failures
        of this size that the queries do not show; a query that changed by more is an error.
    memory_limit
        How much memory may be used, such as ``"2GB"``: judgments and runs are evaluated with it, as
        in `evaluate`, and a block of at least 16 resamples takes up to a sixteenth of it, and 64
        MiB. By default that of the evaluation. It affects figures by at most 1e-12.
    judges
        Judgments of all queries by a model, and of some by people: ``{"model": qrels, "human":
        qrels}``, or two evaluations of the same runs. The comparison is that by people's judgments;
        on the primary measure, the verdict goes by the model's, corrected by people's, where that
        can be relied upon. See docs/judges.md, and `Comparison.judges` for all figures.
    sample
        How the queries that people judged were drawn: the seed given to `sample_queries`, or
        ``"random"`` for a random sample drawn otherwise.
    largest_error
        The most by which the model's difference is off on a query, above 0; by default half the
        width of the measure's range. Intervals allow for errors of this size that are too rare to
        be seen on the queries that people judged.

    Returns
    -------
    Comparison

    Raises
    ------
    MeasureError
        If a measure is not a mean or sum over queries, or higher values of the primary measure are
        not better.
    OptionError
        If there are fewer than two systems, an option is invalid, or options cannot be combined
        (see docs/comparison.md).
    DataError
        If the queries cannot be read, or people judged others than a random sample of the model's.

    Notes
    -----
    With more than 50,000 queries (or clusters), 10,000 randomly filled buckets of them are
    resampled instead, which gives the same distribution of the mean; output says so. The
    ``"studentized"`` interval and the ``"bootstrap"`` test, which need the error of every
    replicate, still resample queries.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(60)}
    >>> right, wrong = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
    >>> old = {f"q{i}": right if i % 2 == 0 else wrong for i in range(60)}
    >>> new = {f"q{i}": right for i in range(60)}
    >>> comparison = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, ["RR"]))
    >>> print(comparison.verdict())
    new is better than old on RR: +0.250 (95 % interval +0.185 to +0.315), 60 queries.
    <BLANKLINE>
    Evidence favours new: try it live.
    >>> print(rr.compare(qrels, {"old": old, "new": new}, measures="P@1").verdict())
    new is better than old on P@1: +0.500 (95 % interval +0.370 to +0.630), 60 queries.
    <BLANKLINE>
    Evidence favours new: try it live.
    """
    model = None
    if judges is None:
        if largest_error is not None:
            raise OptionError("largest_error is of a model as judge; give judges.")
        evaluation, baseline = _evaluated(evaluation, runs, measures, baseline, memory_limit)
    else:
        structure = {"weights": weights, "clusters": clusters, "strata": strata}
        for name, given in structure.items():
            if given is not None:
                raise OptionError(f"judges and {name} cannot be combined.")
        if runs is None:
            runs = evaluation
        elif evaluation is not None:
            raise OptionError("judges holds the judgments; give the runs alone.")
        evaluation, model = judged_evaluations(judges, runs, measures, sample, memory_limit)
    check_averaged(evaluation.measures)
    check_decides(evaluation.primary)
    if len(evaluation.systems) < 2:
        raise OptionError("A comparison needs two systems or more; this evaluation has one.")
    check_options(
        interval=interval,
        test=test,
        correction=correction,
        across=across,
        confidence=confidence,
        margin=margin,
        largest_error=largest_error,
        largest_loss=largest_loss,
    )
    check_draws(Draws(resamples, seed))
    made = Comparison(
        evaluation=evaluation,
        pairs=pairs_of(evaluation.systems, baseline, pairs),
        interval=interval,
        test=test,
        correction=correction,
        across=across,
        confidence=confidence,
        margin=margin,
        query_metadata=query_metadata_of(
            evaluation.queries if queries is None else queries,
            weights=weights,
            clusters=clusters,
            strata=strata,
            segments=segments,
        ),
        resamples=resamples,
        seed=seed,
        memory=None if memory_limit is None else block_of(bytes_of(memory_limit)),
        _by_default=baseline is None,
    )
    made = made.with_largest_loss(largest_loss)
    if reason := made._refusal():
        raise OptionError(reason)
    if model is None:
        return made
    return replace(
        made,
        _by_model=replace(made, evaluation=model),
        _sample=sample,
        _largest_error=largest_error,
    )


def _evaluated(
    given: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] | None,
    baseline: str | Iterable[str] | None,
    memory_limit: int | str | None,
) -> tuple[Evaluation, str | Iterable[str] | None]:
    """Return the evaluation to compare, and the baseline, of what `compare` was given.

    Raises
    ------
    OptionError
        If they contradict each other.
    """
    if isinstance(given, Evaluation):
        if measures is not None:
            raise OptionError(
                "measures: this evaluation has its own. Give them to evaluate(), or judgments and "
                "runs to compare()."
            )
        if runs is None:
            return given, baseline
        if baseline is not None or isinstance(runs, Mapping):
            raise OptionError(
                f"compare() takes runs after judgments; found an evaluation before "
                f"{type(runs).__name__}. After an evaluation, give the baseline alone."
            )
        return given, runs
    if runs is None:
        raise OptionError(
            f"compare() takes what evaluate() returns, or judgments and runs: "
            f"rr.compare(qrels, {{'old': run, 'new': run}}); found {type(given).__name__} alone."
        )
    chosen = DEFAULT_MEASURES if measures is None else measures
    return evaluate(given, runs, chosen, memory_limit=memory_limit), baseline
