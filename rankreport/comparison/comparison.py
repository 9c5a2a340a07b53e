"""compare() and `Comparison`: differences between pairs of systems, by measure and query."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from rankreport.caching import share_cache
from rankreport.call_hints import Instead, hinting
from rankreport.comparison.curves import curve
from rankreport.comparison.data_sets import AcrossDatasets, by_dataset, over_datasets, standing_of
from rankreport.comparison.decision import Decision
from rankreport.comparison.estimates import aggregates, effects, intervals, means, ratios, tests
from rankreport.comparison.every_pair import worst_systems_of
from rankreport.comparison.explore import explore
from rankreport.comparison.method import Method
from rankreport.comparison.model_judge import Judgments, ModelJudge, judged_evaluations
from rankreport.comparison.options import check_largest_loss, check_options, settings_of
from rankreport.comparison.pair_decisions import cautions_of, decision_of, judges_with_doubts
from rankreport.comparison.paired_differences import contrasts_of
from rankreport.comparison.pairs import pairs_of
from rankreport.comparison.plots import (
    plot_curve,
    plot_curves,
    plot_datasets,
    plot_deltas,
    plot_forest,
    plot_histogram,
    plot_scatter,
    plot_segments,
)
from rankreport.comparison.pool_and_order import pool_and_order
from rankreport.comparison.queries import deltas, losses, side_by_side, wins
from rankreport.comparison.query_kinds import query_kinds
from rankreport.comparison.query_metadata import QueryMetadata, query_metadata_of
from rankreport.comparison.reasons import documents_behind_losses, reasons
from rankreport.comparison.repeats import (
    between_runs,
    flips,
    methods_with_repeats,
    noise_floor,
    split_reruns,
)
from rankreport.comparison.segments import segments
from rankreport.comparison.tables import (
    figures_of,
    leading_rows_of,
    paper_table_of,
    table,
    table_shown,
)
from rankreport.comparison.unseen_failures import largest_losses
from rankreport.comparison.values import ComparisonValues, all_pairs_by_default, refusal_of
from rankreport.comparison.verdict import verdict
from rankreport.errors import OptionError
from rankreport.evaluation import (
    DEFAULT_MEASURES,
    Evaluation,
    block_of,
    check_compared,
    data_facts_of,
    evaluate,
    join_datasets,
    with_declared_unanswerable,
)
from rankreport.io import PARQUET, check_suffix, judgments_first, keeping_files, write_frame
from rankreport.measures import Measure, with_shown_names
from rankreport.statistics import Draws, check_draws
from rankreport.tables import Block, Displayed, Sentences, Table, readable_table
from rankreport.text import Caution


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Displayed, ComparisonValues):
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
        The most that a query can lose on the primary measure; None for the width of its range.
    query_metadata
        Query table, weights, clusters, strata and segments.
    resamples, seed
        Settings of the bootstrap; all measures, systems and cut-offs share the same resamples.
    memory
        Memory limit of a block of resamples, in bytes; None if the evaluation's limit decides.
    null
        Systems that are further runs of the baseline, and are not compared.
    files
        The files that it was read from, which no output of it replaces.
    _by_model
        The same comparison by a model's judgments of all queries, where people judged some; None
        without a model.
    _sample, _largest_error
        ``sample`` and ``largest_error`` of `rankreport.compare`.
    _by_default
        Whether nobody named the baseline.

    Notes
    -----
    Fields are declared in ``ComparisonValues``; methods are functions of the modules imported
    above, whose first parameter is ``self``.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> old, new = {"q1": ["b", "a"], "q2": ["b"]}, {"q1": ["a", "b"], "q2": ["b"]}
    >>> comparison = rr.compare(qrels, {"old": old, "new": new}, measures="RR")
    >>> comparison.table().select("system", "delta", "wins", "losses").rows()
    [('new', 0.25, 1, 0)]
    >>> comparison.wins()["query_id"].to_list()
    ['q1']
    """

    _is_reported = True

    table = table
    deltas = deltas
    wins = wins
    losses = losses
    side_by_side = side_by_side
    reasons = reasons
    documents_behind_losses = documents_behind_losses

    intervals = intervals
    tests = tests
    means = means
    aggregates = aggregates
    ratios = ratios
    effects = effects
    segments = segments
    pool_and_order = pool_and_order
    query_kinds = query_kinds
    by_dataset = by_dataset
    over_datasets = over_datasets
    curve = curve
    between_runs = between_runs
    flips = flips
    verdict = verdict

    explore = explore

    plot_deltas = plot_deltas
    plot_histogram = plot_histogram
    plot_scatter = plot_scatter
    plot_forest = plot_forest
    plot_datasets = plot_datasets
    plot_segments = plot_segments
    plot_curve = plot_curve
    plot_curves = plot_curves

    def with_largest_loss(self, largest_loss: float | None) -> Comparison:
        """Return the comparison with another ``largest_loss``; see `rankreport.compare`.

        None changes nothing.

        Raises
        ------
        OptionError
            If it is no number above 0, or a query changed by more.
        """
        if largest_loss is None:
            return self
        check_largest_loss(largest_loss)
        changed = replace(self, largest_loss=largest_loss)
        # This raises the error if a query changed by more.
        largest_losses(contrasts_of(changed), {str(changed.primary): largest_loss})
        return changed

    @property
    def decision(self) -> Decision:
        """The decision on each pair, and which systems may be the best, in numbers.

        The verdict, leaderboards, gates and reports are worded from it.
        """
        return decision_of(self)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before acting on the comparison, the worst first.

        Of equal severity, the evaluation's come first.
        """
        return cautions_of(self)

    @property
    def judges(self) -> ModelJudge | None:
        """How a model's judgments agree with people's, and what they add; None without a model."""
        return judges_with_doubts(self)

    @property
    def standing(self) -> AcrossDatasets | None:
        """Whether the order of the leading pair holds over data sets; None of a single one."""
        return standing_of(self)

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of `compare` by name, without those that are None."""
        return settings_of(self)

    def to_polars(self) -> pl.DataFrame:
        """Return `table`, with measures named as they are displayed."""
        return with_shown_names(self.evaluation.measures, table(self))

    def write_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write `table` as Parquet."""
        target = check_suffix(path, "write_parquet", *PARQUET, inputs=self.files)
        write_frame(target, figures_of(self))

    # What is displayed, as `Displayed` puts it together: the answer, the table, notes, and a fold.

    def _label_sentences(self) -> tuple[str, ...]:
        """Return where the judgments come from, in sentences."""
        return Judgments.of(self).sentences

    def _latex_table(self) -> str:
        """Return a table of systems by measures, with letters for significant differences."""
        return paper_table_of(self).to_latex()

    def _answer(self) -> Iterable[Block]:
        """Return the verdict, without cautions."""
        return verdict(self).words.answer

    def _leading(self) -> Table:
        """Return the table, with the rows of the primary measure first."""
        return leading_rows_of(self)

    def _notes(self) -> Sequence[str]:
        """Return where the judgments come from, unless the fold says it, and the noise floor."""
        judgments = self._label_sentences() if judges_with_doubts(self) is None else ()
        return [*judgments, *noise_floor(self)]

    def _folded(self) -> Iterable[Sentences | Table]:
        """Return how figures were computed and, with a model, what its judgments add."""
        judges, method = judges_with_doubts(self), Sentences([Method(self).computation])
        if judges is None:
            return [method]
        return [method, readable_table(judges), judges.numbers(), Sentences(judges.notes)]

    def _shown(self) -> Table:
        """Return the comparison as a readable table: a row per measure and pair."""
        return table_shown(self)


@hinting(
    "Judgments first, runs as one: rr.compare(qrels, {'old': old, 'new': new}, measures).",
    [Instead("rankreport.comparison.comparison:compare", taken=judgments_first)],
)
@keeping_files
def compare(
    evaluation: Any = None,
    runs: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    corpus: Any = None,
    baseline: str | Iterable[str] | None = None,
    pairs: str = "baseline",
    interval: str = "auto",
    test: str | Callable[..., Any] = "sign-flip",
    correction: str = "max-t",
    across: str = "systems",
    confidence: float | None = None,
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
    null: str | Iterable[str] | None = None,
) -> Comparison:
    """Compare every system of an evaluation with a baseline, or with each other.

    Parameters
    ----------
    evaluation
        What is compared, one of these:

        - an evaluation of two or more systems
        - ``{dataset: evaluation}``, as for `join_datasets`: each data set has equal weight, and
          queries are resampled within each
        - relevance judgments, with `runs`
        - the runs, with `judges`
    runs
        The systems' results, in any form that `evaluate` accepts. After an evaluation, the second
        argument is the `baseline`: ``rr.compare(evaluation, "old")``.
    measures
        The measures of `runs`, by default those of `evaluate`. For its other options:
        ``rr.compare(rr.evaluate(qrels, runs, ...))``.
    corpus
        The whole corpus of judgments and `runs`, as for `evaluate`.
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
        ``"wilcoxon"``, of symmetry about zero; ``"sign"``, of wins against losses. Or a test of
        your own, such as ``scipy.stats.ttest_rel``: a function called with the values of a system
        and of its baseline, query by query, that returns a p-value or a result with one; not
        together with weights, clusters, strata or max-t.
    correction
        Correction for several differences: ``"max-t"``, step-down on shared draws of the test;
        ``"holm"``; ``"bonferroni"``; for exploration ``"bh"``, Benjamini and Hochberg, or ``"by"``,
        Benjamini and Yekutieli; ``"none"``. Except with ``"none"``, intervals are simultaneous:
        with ``"max-t"``, each at the level that it gives (a difference with fewer than 10 changed
        queries has none), otherwise at Bonferroni's.
    across
        What the correction counts: ``"systems"``, the pairs on one measure; ``"measures"``, all
        pairs on all measures.
    confidence
        Confidence level of the intervals, between 0 and 1; simultaneous if several differences are
        corrected. By default 0.95; ``1 - 0.05 / K`` where `History.with_baseline` was given
        ``declared=K``, so that the K comparisons share an error of 5 %.
    margin
        Largest difference that does not matter, above 0, chosen before seeing the data. It allows
        the verdicts no worse (than by the margin) and equivalent (within it).
    queries
        Query metadata, anything that `read_queries` accepts: ``query_id``, ``text`` and any
        columns. Where a column ``unanswerable`` is true, the query has no answer; see `evaluate`.
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
    null
        Systems of the evaluation that are further runs of the baseline, the *noise floor*: they are
        not compared, and `Comparison.between_runs` says how far means lie apart where nothing but
        the run differs. Runs of any system are better given as its runs (see `evaluate`): intervals
        then cover other runs too.

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
    More than 1,024 queries (or clusters) are not drawn one by one; see docs/comparison.md. Where a
    system has several runs, intervals and tests allow for both queries and runs, with ``"t"`` in
    place of ``"sign-flip"`` and ``"holm"`` in place of ``"max-t"``; see docs/repeats.md.

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
    reading = {"memory_limit": memory_limit, "corpus": corpus}
    if judges is None:
        if largest_error is not None:
            raise OptionError("largest_error is of a model as judge; give judges.")
        evaluation, baseline = _evaluated(evaluation, runs, measures, baseline, **reading)
    else:
        structure = {"weights": weights, "clusters": clusters, "strata": strata}
        if named := [name for name, given in structure.items() if given is not None]:
            raise OptionError(f"judges and {named[0]} cannot be combined.")
        if runs is None:  # then they are the first argument
            runs = evaluation
        elif evaluation is not None:
            raise OptionError("judges holds the judgments; give the runs alone.")
        evaluation, model = judged_evaluations(judges, runs, measures, sample, **reading)
    check_compared(evaluation.measures, evaluation.primary)
    systems, reruns = split_reruns(evaluation, null)
    if confidence is None:
        confidence = 1 - 0.05 / data_facts_of(evaluation).n_declared
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
    metadata = query_metadata_of(
        evaluation.queries if queries is None else queries,
        weights=weights,
        clusters=clusters,
        strata=strata,
        segments=segments,
    )
    evaluation = with_declared_unanswerable(evaluation, metadata.queries)
    if model is not None and (evaluation.unanswerable or evaluation.datasets):
        what = "several data sets" if evaluation.datasets else "unanswerable queries"
        raise OptionError(f"judges and {what} cannot be combined.")
    metadata = metadata.of_evaluation(evaluation)
    test, correction = methods_with_repeats(evaluation, test, correction, judges)
    made = Comparison(
        evaluation=evaluation,
        pairs=pairs_of(systems, baseline, pairs),
        interval=interval,
        test=test,
        correction=correction,
        across=across,
        confidence=confidence,
        margin=margin,
        query_metadata=metadata,
        resamples=resamples,
        seed=seed,
        memory=None if memory_limit is None else block_of(memory_limit),
        null=reruns,
        _by_default=baseline is None,
    )
    made = made.with_largest_loss(largest_loss)
    if reason := refusal_of(made):
        raise OptionError(reason)
    if model is None:
        return made
    by_model = replace(made, evaluation=model)
    return replace(made, _by_model=by_model, _sample=sample, _largest_error=largest_error)


def for_report(self: Comparison, metadata: QueryMetadata, *, better_first: bool) -> Comparison:
    """Return the comparison that a report shows.

    Parameters
    ----------
    self
        The comparison that was given.
    metadata
        Its query metadata with further columns, which change no figure.
    better_first
        Whether the system of each pair is to be the one with the higher mean, and the baseline the
        other, where all pairs are compared and nobody named a baseline.
    """
    if better_first and not self.null and all_pairs_by_default(self):
        pairs = pairs_of(worst_systems_of(self), None, "all")
        if {*pairs} != {*self.pairs}:
            model = self._by_model and replace(self._by_model, pairs=pairs)
            self = replace(self, pairs=pairs, _by_model=model)
    if metadata is self.query_metadata:
        return self
    shown = replace(self, query_metadata=metadata)
    # A cached caution counts the queries of the metadata that the evaluation does not have.
    if not metadata.n_unknown(self.evaluation.query_ids):
        share_cache(self, shown)
    return shown


def _evaluated(
    given: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] | None,
    baseline: str | Iterable[str] | None,
    *,
    memory_limit: int | str | None,
    corpus: Any,
) -> tuple[Evaluation, str | Iterable[str] | None]:
    """Return the evaluation to compare, and the baseline.

    Parameters
    ----------
    given
        The first argument of `compare`: an evaluation, several by data set, or judgments.
    runs
        The second: after an evaluation the baseline, after judgments the runs.
    measures, baseline, memory_limit, corpus
        As for `compare`.

    Raises
    ------
    OptionError
        If they contradict each other.
    """
    if isinstance(given, Mapping) and any(isinstance(e, Evaluation) for e in given.values()):
        given = join_datasets(given)
    if isinstance(given, Evaluation):
        if corpus is not None:
            raise OptionError("corpus: this evaluation was made without. Give it to evaluate().")
        if measures is not None:
            raise OptionError(
                "measures: this evaluation has its own. Give them to evaluate(), or judgments and "
                "runs to compare()."
            )
        if runs is None:
            return given, baseline
        if baseline is not None or isinstance(runs, Mapping | Evaluation):
            raise OptionError(
                f"compare() takes runs after judgments; found an evaluation before "
                f"{type(runs).__name__}. After an evaluation, give the baseline alone; evaluate "
                f"systems together: rr.compare(qrels, {{'old': old, 'new': new}})."
            )
        return given, runs  # the second argument is the baseline here
    if runs is None:
        raise OptionError(
            f"compare() takes what evaluate() returns, or judgments and runs: "
            f"rr.compare(qrels, {{'old': old, 'new': new}}); found {type(given).__name__} alone."
        )
    chosen = DEFAULT_MEASURES if measures is None else measures
    return evaluate(given, runs, chosen, corpus=corpus, memory_limit=memory_limit), baseline
