"""evaluate() and `Evaluation`: the scores of every system for every query.

Scores are computed from judgments and runs or loaded from a file. An evaluation gives means with
intervals, curves over cut-offs and thresholds, document lists, and cautions about the data.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import polars as pl

from rankreport import io
from rankreport.call_hints import hinting
from rankreport.errors import MeasureError, OptionError, choose, expect
from rankreport.evaluation.collapse import collapse_of
from rankreport.evaluation.columns import with_columns
from rankreport.evaluation.curves import curve
from rankreport.evaluation.data_sets import (
    FromDataSets,
    by_dataset,
    check_evaluated_alike,
    over_datasets,
    table_of_datasets,
)
from rankreport.evaluation.documents import documents, judged_documents, relevant
from rankreport.evaluation.exports import to_ranx, to_trec, write_parquet
from rankreport.evaluation.exposure import exposure
from rankreport.evaluation.hardest import hardest
from rankreport.evaluation.judged_slices import FromSlices
from rankreport.evaluation.label_source import label_source_of
from rankreport.evaluation.means import MeansOfSystems, best_system, means, summary
from rankreport.evaluation.memory import bytes_of, in_slices
from rankreport.evaluation.mistaken_calls import INSTEAD
from rankreport.evaluation.not_in_corpus import with_corpus
from rankreport.evaluation.options import (
    DEFAULT_MEASURES,
    chosen_measures,
    settled,
    with_primary,
    within_depth,
)
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.plots import (
    plot_curve,
    plot_curves,
    plot_means,
    plot_precision_recall,
    plot_roc,
)
from rankreport.evaluation.pool_and_order import pool_and_order
from rankreport.evaluation.quality import cautions_of_means, coverage, judged_share_of, ties
from rankreport.evaluation.repeats import OfRepeats, with_repeats
from rankreport.evaluation.roc import operating_bands, precision_recall, roc
from rankreport.evaluation.shown_items import KnownItems
from rankreport.evaluation.stored import FromFile
from rankreport.evaluation.tool_profiles import PROFILES
from rankreport.evaluation.unanswerable import (
    declared_in,
    queries_in_words,
    unanswerable_of,
    with_rates,
)
from rankreport.evaluation.values import EvaluationValues, per_query, repeats, values
from rankreport.frames import DOC_ID, QUERY_ID, SYSTEM
from rankreport.labels import Labels
from rankreport.measures import Measure, package_of, shown_name
from rankreport.tables import Displayed, Table, to_table
from rankreport.text import Caution

_MOST_ROWS = 30
"""The most data sets that the table next to the summary lists."""


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Displayed, EvaluationValues):
    """The scores of one or more systems, computed on first use.

    Attributes
    ----------
    systems
        Names of the systems, in the order given; those that a column names are sorted.
    measures
        The measures, in the order given.
    primary
        The primary measure.
    settings
        The values of ``ties``, ``queries``, ``no_relevant``, ``precision`` and, if given,
        ``profile``, ``allow_empty``, ``collapse`` and ``document_of``.
    files
        The files that it was read from, which no output of it replaces.
    _origin
        Where its frames come from, of `rankreport.evaluation.origins`.

    Notes
    -----
    Fields are declared in ``EvaluationValues``; methods are functions of the modules imported
    above, whose first parameter is ``self``.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> old, new = {"q1": ["b", "a"], "q2": ["b"]}, {"q1": ["a", "b"], "q2": ["b"]}
    >>> evaluation = rr.evaluate(qrels, {"old": old, "new": new}, ["RR"])
    >>> evaluation.systems, evaluation.query_ids
    (('old', 'new'), ['q1', 'q2'])
    >>> evaluation.per_query().rows()
    [('old', 'q1', 0.5), ('old', 'q2', 1.0), ('new', 'q1', 1.0), ('new', 'q2', 1.0)]
    """

    _is_reported = True

    summary = summary
    means = means
    per_query = per_query
    values = values
    repeats = repeats
    curve = curve
    best_system = best_system
    hardest = hardest
    by_dataset = by_dataset
    over_datasets = over_datasets
    with_columns = with_columns

    ties = ties
    coverage = coverage
    pool_and_order = pool_and_order
    exposure = exposure

    documents = documents
    relevant = relevant
    judged_documents = judged_documents

    roc = roc
    precision_recall = precision_recall
    operating_bands = operating_bands

    plot_means = plot_means
    plot_curve = plot_curve
    plot_curves = plot_curves
    plot_roc = plot_roc
    plot_precision_recall = plot_precision_recall

    write_parquet = write_parquet
    to_trec = to_trec
    to_ranx = to_ranx

    def __getitem__(self, key: Any) -> Any:
        """Return the means on a measure, in the order of the systems, or rows of the summary."""
        rows, columns = summary(self), {each.shown: str(each) for each in self.measures}
        if not isinstance(key, str | Measure) and package_of(key) != "ir_measures":
            return rows[key]
        column = columns.get(str(key), str(key))
        if column not in rows.columns:  # another spelling of a measure, such as another tool's
            with suppress(MeasureError, OptionError):
                spelled = str(chosen_measures(key, self.settings)[0])
                column = spelled if spelled in rows.columns else column
        return MeansOfSystems(rows[choose("column", column, rows.columns)], lambda: self.cautions)

    def __float__(self) -> float:
        """Return the mean, of one system on one measure."""
        return float(summary(self).drop(SYSTEM).item())

    def __format__(self, spec: str) -> str:
        """Return the mean by a format, of one system on one measure; without it, all."""
        return format(float(self) if spec else repr(self), spec)

    @property
    def judged_share(self) -> dict[str, float]:
        """Each system's share judged of the documents within the cut-off of the primary measure.

        Of the first 10 where it has none. A system that returned nothing has no share.
        """
        return judged_share_of(self)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know of the data before using the figures, the worst first."""
        return cautions_of_means(self)

    def to_polars(self) -> pl.DataFrame:
        """Return `summary`, with measures named as they are displayed."""
        rows = summary(self)
        return rows.rename({name: shown_name(self.measures, name) for name in rows.columns})

    def _shown(self) -> Table:
        """Return the summary as a table for display."""
        rows = summary(self)
        return to_table(
            rows,
            headers=[shown_name(self.measures, name) for name in rows.columns],
            caption=queries_in_words(
                max(self.quality["n_queries"].to_list()), len(self.unanswerable)
            ),
        )

    def _beside(self) -> Iterable[Table]:
        """Return the table of data sets, if there are several."""
        return [table_of_datasets(self).shortened(_MOST_ROWS)] if self.datasets else []

    def _label_sentences(self) -> tuple[str, ...]:
        """Return where the judgments come from, if that is known."""
        source = label_source_of(self)
        return () if source is None else (source.sentence,)


@hinting("Judgments first, measures as one: rr.evaluate(qrels, runs, ['nDCG@10', 'P@5']).", INSTEAD)
@io.keeping_files
def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    primary: str | Measure | None = None,
    profile: str | None = None,
    ties: str | None = None,
    queries: str | None = None,
    no_relevant: str | None = None,
    precision: str | None = None,
    subtopics: bool = False,
    collapse: str | None = None,
    document_of: Any = None,
    corpus: Any = None,
    name: str | None = None,
    columns: str | Iterable[str] | None = None,
    memory_limit: int | str | None = None,
    unanswerable: Any = None,
    history: Any = None,
    items: Any = None,
    allow_empty: bool = False,
) -> Evaluation:
    """Evaluate the ranked results of one or more systems against relevance judgments.

    Parameters
    ----------
    qrels
        Relevance judgments in any form that `read_qrels` accepts. With a BEIR folder, or what
        `read_beir` returns, the texts of its queries are shown in reports.
    runs
        ``{system: run}``, with runs in any form that `read_run` accepts; of a system that ran
        several times, ``{system: [run, run]}`` or a column ``repeat``, and its value of a query is
        the mean over its runs (`docs/repeats.md`). Or one or more paths, whose systems are named
        after their files, or as a file that holds several names them; or one run by itself, named
        `name`. A table or records with a column ``system`` (``run``, ``model``, ``tag``, ``name``)
        are the runs of its systems, in the order of their names; a list of ranx's runs keeps their
        names.
    measures
        Measures or their names; measures of ir_measures are read as their names.
    primary
        The primary measure; by default the first that needs judgments, or if none does the first.
    profile
        The tool whose results to reproduce: a key of `rankreport.PROFILES`, such as
        ``"trec_eval-9"``. It sets defaults of the parameters below, and measures can be given by
        the names of that tool.
    ties
        How documents with equal scores are ordered.

        .. generated: tie rules

        - ``"trec"`` (the default): equal scores are ordered by document id, descending, as
          trec_eval orders them
        - ``"input"``: equal scores keep the order in which they were given
        - ``"rank"``: documents are ordered by the rank column; scores are ignored
        - ``"expected"``: measures are means over all orders of equal scores
        - ``"best"``: equal scores are ordered by grade, the highest first: the upper bound
        - ``"worst"``: equal scores are ordered by grade, the highest last: the lower bound

        .. end
    queries
        Which queries are evaluated: ``"judged"`` (the default: all judged queries; a system scores
        0 on queries that it did not answer), ``"answered"`` (for each system, the queries that it
        answered) or ``"intersection"`` (the queries that all systems answered).
    no_relevant
        How queries without a document of positive grade are treated: ``"zero"`` (the default: they
        score 0), ``"skip"`` or ``"one"``. With ``"one"``, as in tools for learning to rank, they
        score 1, whatever was returned, on measures that divide by what is relevant (nDCG, AP, R,
        R-precision and others: `docs/measures.md` marks them), which are 0 / 0 there. Other
        measures stay as they are: P, RR and DCG, where the formula itself gives 0, and AUC, which
        is undefined.
    precision
        The precision in which scores are compared: ``"double"`` (the default) or ``"single"``.
    subtopics
        Whether judgments are per subtopic, as required by diversity measures; see `read_qrels`. In
        all other measures the grade of a document is its highest for any subtopic.
    collapse
        How passages are folded into documents before these are ranked; by default a document that
        is repeated in a query is an error. A passage that is repeated counts once, with its best
        row, so copies change nothing.

        .. generated: collapse rules

        - ``"max"``: a document has the score of its best passage
        - ``"first"``: a document has the rank and score of its best-ranked passage
        - ``"sum"``: a document has the sum of the scores of its passages
        - ``"mean"``: a document has the mean of the scores of its passages

        .. end

        Passages are ordered by score, or by rank where there are no scores and with
        ``ties="rank"``; there ``"sum"`` and ``"mean"`` are refused, and the others are the same.
        Documents with equal scores are ordered by ``ties``; where that keeps the order given, it is
        the order of their best passages.
    document_of
        How the document of each passage is found: a column of the run, a separator (``"#"`` where
        ``doc#3`` is a passage of ``doc``; the last one counts), ``{passage: document}``, a table
        of these two columns or its path, or ``{system: ...}`` where systems differ. In a system
        that this leaves out, passages with equal ids are the same document; ``"sum"`` and
        ``"mean"`` need it for at least one system.
    corpus
        The whole corpus, if it is known: the ids of judgments are compared with those of its
        documents. A file, table or list of documents as for ``documents`` of `report`, whose texts
        are then shown, or of ids alone. By default that of the BEIR folder that is evaluated.
    name
        The name of a run by itself; by default its file's, its own, or ``"run"``.
    columns
        Names of the columns of runs in files without a header; see `read_run`.
    memory_limit
        How much memory the process may use, such as ``"2GB"`` or a number of bytes, at least 500
        MB; by default as much as it takes. Runs and judgments that are too large for it are read in
        slices, each with all rows of some queries, through temporary files in ``TMPDIR``. All
        results are equal to the last bit. The scores of all queries are kept in memory.
    unanswerable
        Queries that have no answer, judged or not: their ids, ``{query_id: bool}``, or a file with
        an id on each line or the columns ``query_id`` and ``unanswerable``. For them, returning
        nothing is right: they are left out of all means, and two measures are added,
        ``FalseAnswer``, the share of them for which something was returned, and
        ``FalseAbstention``, the share of the other queries for which nothing was.
    history
        What users had before, for measures beyond accuracy: the interactions that recommenders
        learned from, ``{user: items}`` or as `read_qrels` accepts them. How often a user had an
        item does not count.
    items
        What is known of items: ``{item: category}``, or a table or file with a column of items,
        and columns of their ``category`` (several as a list, or with ``|`` between them), of their
        ``popularity``, if it is not how many users had them, and of numbers, which are features.
    allow_empty
        Whether a run without rows is that of a system which returned nothing, as a search engine
        that was down. It is scored as where nothing is returned, 0 on most measures, under a
        caution of severity *stop*, so that gates do not pass. By default it is an error.

    Returns
    -------
    Evaluation
        Data are read when the first result is needed.

    Raises
    ------
    DataError
        If a source cannot be opened. Invalid rows raise this error when the first result is
        computed.
    MeasureError
        If a measure is unknown or its parameters contradict each other.
    OptionError
        If an option is invalid.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {"q1": {"d1": 2, "d2": 1}, "q2": {"d7": 1, "d8": 0}}
    >>> old = {"q1": {"d2": 3.1, "d1": 3.0}, "q2": {"d8": 2.5, "d7": 1.2}}
    >>> new = {"q1": {"d1": 0.9, "d2": 0.8}, "q2": {"d8": 0.7, "d7": 0.6}}
    >>> rr.evaluate(qrels, {"old": old, "new": new}, ["nDCG@10", "RR"])
    2 queries
    system  nDCG@10      RR
    ------  -------  ------
    old      0.7453  0.7500
    new      0.8155  0.7500

    >>> rr.evaluate(qrels, {"q1": ["d1", "d2"], "q2": ["d7"]}, ["nDCG@10", "RR"], name="new")
    2 queries
    system  nDCG@10      RR
    ------  -------  ------
    new      1.0000  1.0000
    """
    default = measures is DEFAULT_MEASURES  # nobody chose them: their cut-offs may be lowered
    settings: dict[str, Any] = settled(
        profile, ties=ties, queries=queries, no_relevant=no_relevant, precision=precision
    )
    chosen = chosen_measures(measures, settings)
    asked_primary = () if primary is None else chosen_measures(primary, settings)
    expect(subtopics, (bool,), "subtopics takes True or False")
    role = io.SUBTOPIC_QRELS if subtopics else io.QRELS
    expect(allow_empty, (bool,), "allow_empty takes True or False")
    if allow_empty and settings["queries"] != "judged":
        raise OptionError(
            f"allow_empty is for queries='judged', of all judged queries; found "
            f"queries={settings['queries']!r}."
        )
    sets = io.open_datasets(qrels, runs, role, name, columns, empty=allow_empty)
    several = "" not in sets  # a single data set has no name
    for judgments, systems in sets.values():
        chosen = within_depth(chosen, systems, judgments, default=default)
        asked_primary = within_depth(asked_primary, systems, judgments, default=False)
    chosen, primary_measure = with_primary(chosen, asked_primary)
    drops_query = profile is not None and PROFILES[profile].drops_identical
    settings |= {"allow_empty": True} if allow_empty else {}
    limit, about_items = bytes_of(memory_limit), KnownItems.of(history, items)
    if several:
        for_one_data_set = {
            "corpus": corpus,
            "memory_limit": limit,
            "history or items": about_items,
            "unanswerable": unanswerable,
        }
        for option, given in for_one_data_set.items():
            if given is not None:
                raise OptionError(_for_one_data_set(option, sets))
    labels = qrels if isinstance(qrels, Labels) else None

    def origin_of(judgments: io.Source, systems: dict[str, io.Source]) -> FromRuns:
        kept = {n: without_query(run) for n, run in systems.items()} if drops_query else systems
        folding, kept = collapse_of(collapse, document_of, kept, settings["ties"])
        judgments, ids = with_corpus(judgments, corpus, folding)
        # Judgments are opened again, by subtopic, to explain a document that occurs several times,
        # unless they are by subtopic, can be read only once, or are of several data sets.
        once = subtopics or judgments.once or isinstance(qrels, Iterator) or several
        judgments, kept = in_slices(judgments, kept, limit, len(chosen), whole=labels is not None)
        kind = FromRuns if judgments.partition is None else FromSlices
        return kind(
            judgments,
            kept,
            settings if folding is None else {**settings, **folding.settings},
            by_subtopic=None if once else partial(io.open_source, qrels, io.SUBTOPIC_QRELS),
            collapse=folding,
            with_query=systems if drops_query else {},
            labels=labels,
            ids=ids,
            memory_limit=limit,
            about_items=about_items,
        )

    origins = {dataset: origin_of(*opened) for dataset, opened in sets.items()}
    origin = FromDataSets.of(origins) if several else with_repeats(origins[""], chosen)
    *_, last = origins.values()  # all have the same settings, but for a description of passages
    made = Evaluation(tuple(origin.systems), chosen, primary_measure, dict(last.settings), origin)
    return declaring_unanswerable(made, unanswerable_of(unanswerable))


@hinting()
@io.keeping_files
def join_datasets(evaluations: Mapping[str, Evaluation]) -> Evaluation:
    """Join evaluations on several data sets into one, whose means are over data sets.

    Queries are named ``dataset/query_id``. In `compare`, data sets have equal weight, and queries
    are resampled within each.

    Parameters
    ----------
    evaluations
        What `evaluate` returned, by the names of the data sets. A name with a slash, such as
        ``cqadupstack/android``, is a part of a data set, whose value is the mean of its parts.

    Returns
    -------
    Evaluation
        With the data sets in ``datasets``, and `by_dataset` and `over_datasets`.

    Raises
    ------
    OptionError
        If they were not evaluated in the same way, or were loaded from files; or if there are no
        two data sets on which all systems have results.

    Examples
    --------
    >>> import rankreport as rr
    >>> right, wrong = {"q1": ["d1", "d2"]}, {"q1": ["d2", "d1"]}
    >>> law = rr.evaluate({"q1": {"d1": 1}}, {"mine": right}, "RR")
    >>> arts = rr.evaluate({"q1": {"d1": 1}, "q2": {"d1": 1}}, {"mine": wrong}, "RR")
    >>> rr.join_datasets({"law": law, "arts": arts}).summary().rows()
    [('mine', 0.625)]
    """
    expect(evaluations, (Mapping,), "join_datasets takes {name: evaluation}")
    for each in evaluations.values():
        expect(each, (Evaluation,), "join_datasets takes {name: evaluation}")
    origin = FromDataSets.of(check_evaluated_alike(io.by_name("datasets", evaluations)))
    first = next(iter(evaluations.values()))
    return replace(first, systems=tuple(origin.systems), _origin=origin)


def with_declared_unanswerable(self: Evaluation, queries: pl.DataFrame | None) -> Evaluation:
    """Return an evaluation with the queries that a table of queries declares to have no answer.

    Raises
    ------
    DataError, OptionError
        As `declared_in` and `declaring_unanswerable`.
    """
    return declaring_unanswerable(self, declared_in(queries))


def declaring_unanswerable(self: Evaluation, names: tuple[str, ...]) -> Evaluation:
    """Return an evaluation in which these queries have no answer, with the rates of both kinds.

    Raises
    ------
    OptionError
        If other queries were declared before, or the evaluation was loaded from a file or is of
        several data sets: then the names are those of a table of queries, as `evaluate` itself
        declares them once, on one data set.
    """
    if names in {(), self.unanswerable}:
        return self
    origin = self._origin
    if type(origin) in {FromRuns, FromSlices, OfRepeats} and not self.unanswerable:
        known: Any = replace(origin, without_answer=names)  # type: ignore[type-var]
        return replace(self, measures=with_rates(self.measures), _origin=known)
    if self.datasets:
        raise OptionError(_for_one_data_set("The column 'unanswerable'", self.datasets))
    raise OptionError(
        f"The column 'unanswerable' of the queries declares {len(names):,}, this evaluation "
        f"{len(self.unanswerable):,} queries without an answer. Declare them where judgments and "
        f"runs are evaluated: rr.evaluate(qrels, runs, unanswerable=...)."
    )


def _for_one_data_set(option: str, datasets: Iterable[str]) -> str:
    """Return the message that an option is for one data set alone."""
    return (
        f"{option} is of one data set; these are {', '.join(datasets)}. Evaluate each with its "
        f"own, and join them: rr.join_datasets({{name: evaluation, ...}})."
    )


def without_query(source: io.Source) -> io.Source:
    """Return a run without the query itself: documents that have the id of their query."""
    other = pl.col(DOC_ID) != pl.col(QUERY_ID).cast(pl.String)
    return source.filtered(other.fill_null(value=True))


@hinting()
@io.keeping_files
def load_evaluation(
    path: str | os.PathLike[str],
    *,
    systems: Iterable[str] | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    primary: str | Measure | None = None,
) -> Evaluation:
    """Load an evaluation written by `Evaluation.write_parquet`.

    Parameters
    ----------
    path
        The Parquet file.
    systems
        Some of the systems that were written; all by default. They keep their order.
    measures
        Some of the measures in the file, among which are those that ``also`` added; by default
        those that were evaluated.
    primary
        The primary measure; by default that of the evaluation that was written, or the first of
        `measures` if that is not among them.

    Returns
    -------
    Evaluation

    Raises
    ------
    DataError
        If the file does not exist, was not written by write_parquet, or lacks a measure.
    MeasureError
        If a measure is unknown or its parameters contradict each other.
    OptionError
        If it lacks a system, or no system or measure is named.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "scores.parquet"
    ...     rr.evaluate(example.qrels, example.runs, ["AP", "RR"]).write_parquet(file)
    ...     rr.load_evaluation(file)  # doctest: +ELLIPSIS
    60 queries
    system           AP      RR
    -----------  ------  ------
    bm25         0.6001  0.7631
    bm25-names   0.6540  0.7948
    char-ngrams  0.5045  0.6505
    fusion       0.6004  0.7201
    <BLANKLINE>
    Note: Queries for which nothing was returned score 0: bm25 and bm25-names (each 2 of 60...
    """
    origin = FromFile.read(path)
    if systems is not None:
        origin = origin.of_systems([systems] if isinstance(systems, str) else list(systems))
    wanted, names = origin.primary, origin.about["names"]
    # Measures keep the names by which they were asked for, such as those of another tool.
    chosen = tuple(replace(each, asked=names.get(str(each), "")) for each in origin.asked)
    if measures is not None:
        named = [measures] if isinstance(measures, str | Measure) else measures
        chosen = tuple(dict.fromkeys(origin.measure(m) for m in named))
    if not chosen:
        raise OptionError("measures is empty: name at least one, such as 'nDCG@10'.")
    if primary is not None:
        wanted = origin.measure(primary)
        chosen = chosen if wanted in chosen else (wanted, *chosen)
    origin.check_held(chosen)
    primary_measure = next((each for each in chosen if each == wanted), chosen[0])
    systems_held = tuple(origin.about["systems"])
    return Evaluation(systems_held, chosen, primary_measure, origin.about["settings"], origin)
