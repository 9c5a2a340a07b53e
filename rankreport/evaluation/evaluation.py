"""evaluate() and `Evaluation`: the scores of every system for every query.

Scores are computed from judgments and runs or loaded from a file. An evaluation gives means with
intervals, curves over cut-offs and thresholds, document lists, and cautions about the data.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl

from rankreport import charts, io, labels, statistics
from rankreport.errors import DataError, OptionError, brief, check_confidence, choose, hinting
from rankreport.evaluation.cautions import (
    CUT,
    UNEVEN,
    WELL_JUDGED,
    data_cautions,
    data_notes,
    passes_over_unjudged,
)
from rankreport.evaluation.collapse import collapse_of
from rankreport.evaluation.curves import CUTOFFS, at_cutoffs, levels, points
from rankreport.evaluation.documents import list_request
from rankreport.evaluation.hardest import hardest_queries, relevant_documents
from rankreport.evaluation.judged_slices import FromSlices
from rankreport.evaluation.means import DEFAULT_INTERVAL, IntervalOptions, Levels
from rankreport.evaluation.memory import block_of, bytes_of, in_slices
from rankreport.evaluation.options import (
    check_standard_input,
    chosen_measures,
    decided,
    named_runs,
    settled,
    weights_of,
    within_depth,
)
from rankreport.evaluation.origins import FromRuns, Origin
from rankreport.evaluation.profiles import PROFILES
from rankreport.evaluation.roc import (
    OperatingBands,
    operating_bands,
    precision_recall_points,
    roc_points,
)
from rankreport.evaluation.runs import as_ranx, write_trec
from rankreport.evaluation.stored import (
    MOST_JUDGES,
    MOST_RATINGS,
    FromFile,
    described,
    scores_by_judge,
    write_scores,
)
from rankreport.evaluation.unjudged import Unjudged, depth_of, judged_shares
from rankreport.frames import (
    DOC_ID,
    MEASURE,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SYSTEM,
    TEXT,
    VALUE,
    long,
    with_texts,
)
from rankreport.labels import Labels, LabelSource
from rankreport.measures import Measure, parse, values_in_parts
from rankreport.statistics import PLAIN, Structure
from rankreport.tables import Displayed, ResultTable, Table, to_table
from rankreport.text import Caution, Severity, counted, say, worst_first

if TYPE_CHECKING:
    from rankreport.charts import Chart
    from rankreport.labels import ClickLabels, JudgeLabels


RESAMPLES = 1_000
"""Resamples for bands around curves."""


_CURVE = range(1, 101)
"""The cut-offs of `Evaluation.curve`."""


def _hardest_in_words(system: str) -> str:
    return say("Hardest queries for {system}", system=system)


def _level(rel: float) -> float:
    if isinstance(rel, bool) or not isinstance(rel, int | float) or not math.isfinite(rel):
        raise OptionError(f"rel={brief(rel)} is not a grade; expected a number, such as 1.")
    return rel


_FEW = 4
"""With more systems, a chart of means shows only the primary measure."""


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Displayed, io.FromFiles):
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
        ``profile``, ``collapse`` and ``document_of``.
    files
        The files that it was read from, which no output of it replaces.
    """

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    primary: Measure
    settings: Mapping[str, str]
    _origin: Origin = field(repr=False)

    @cached_property
    def scores(self) -> pl.DataFrame:
        """The scores, long: ``system, query_id, measure`` (String), ``value`` (Float64).

        One row per system, query and measure; ``value`` is null where the measure is undefined.
        """
        return long(self._values)

    def _scores_by_measure(self) -> Iterator[pl.DataFrame]:
        """Yield the rows of `scores`, those of one measure at a time."""
        for measure in self.measures:
            yield long(self._values.select(SYSTEM, QUERY_ID, str(measure)))

    @property
    def _values(self) -> pl.DataFrame:
        io.check_process()
        return self._known_values

    @cached_property
    def _known_values(self) -> pl.DataFrame:
        return self._origin.values(self.measures)

    @cached_property
    def query_ids(self) -> list[str]:
        """The evaluated queries, in the order of all results."""
        return self._values[QUERY_ID].unique(maintain_order=True).to_list()

    def _same_scores(self) -> list[list[str]]:
        """Return the systems with the same scores for every query, not all 0, by groups."""
        groups: dict[bytes, list[str]] = {}
        for (system,), rows in self._values.group_by(SYSTEM, maintain_order=True):
            scores = rows.drop(SYSTEM)
            if any(scores.drop(QUERY_ID).select(pl.all().abs().sum()).row(0)):
                key = scores.hash_rows().to_numpy().tobytes()
                groups.setdefault(key, []).append(str(system))
        return [names for names in groups.values() if len(names) > 1]

    @cached_property
    def quality(self) -> pl.DataFrame:
        """Counts that describe the data; one row per system.

        - ``n_queries``: evaluated queries
        - ``n_unanswered``: evaluated queries for which the system returned nothing and scores 0
        - ``n_left_out``: judged queries excluded by the settings
        - ``n_unjudged``: answered queries without judgments, which are excluded
        - ``n_no_relevant``: queries without a document of positive grade
        - ``n_tied``: queries in which a judged document shares its score with another, so that
          another tie rule might change a measure
        - ``n_unscored``: judged documents not returned, which pair and threshold measures ignore
        - ``judged_at_10``: mean share of the first 10 documents that are judged
        """
        return self._origin.quality()

    @cached_property
    def unanswered(self) -> pl.DataFrame:
        """The judged queries for which a system returned nothing: ``system, query_id``."""
        return self._origin.unanswered()

    @cached_property
    def judged_share(self) -> dict[str, float]:
        """Each system's share judged of the documents within the cut-off of the primary measure.

        Of the first 10 where it has none. A system that returned nothing has no share.
        """
        return judged_shares(self.quality, self._caution_inputs["coverage"])

    @cached_property
    def _unjudged(self) -> Unjudged | None:
        """The unjudged documents at the top of the lists, if they might matter.

        None otherwise, and if they are not known, as in files of earlier versions.
        """
        if not self._unjudged_matter:
            return None
        return self._origin.unjudged(self.primary, len(self.measures))

    @cached_property
    def _unjudged_matter(self) -> bool:
        """Whether unjudged documents at the top of the lists might matter.

        They might where a system has fewer than 90 % of these documents judged, or two systems
        differ by more than 5 percentage points, unless the primary measure passes over unjudged
        documents, or judgments name relevant documents alone.
        """
        shares = self.judged_share.values()
        known = shares and not self._caution_inputs["positives_only"]
        if not known or passes_over_unjudged(self.primary):
            return False
        return min(shares) < WELL_JUDGED or max(shares) - min(shares) > UNEVEN

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know of the data before using the figures, the worst first."""
        return self._cautions_of_means()

    def _cautions_of_means(
        self, *, weighted: bool = False, of_judgments: Severity = "look"
    ) -> tuple[Caution, ...]:
        """Return the cautions for a reader who sees weighted or unweighted means.

        A run that holds the judgments is as severe as is asked for.
        """
        options: Any = {"weighted": weighted, "of_judgments": of_judgments}
        found = data_cautions(self.measures, self.primary, **self._caution_inputs, **options)
        return worst_first(self._label_cautions, found)

    @property
    def _label_cautions(self) -> tuple[Caution, ...]:
        """The cautions on judgments that know where they come from."""
        return () if self._label_source is None else self._label_source.cautions

    def _data_notes(self) -> tuple[Caution, ...]:
        """Return what the data check and the section on data say in addition to the cautions."""
        return tuple(data_notes(self.cautions, self._remarks, self.settings["ties"]))

    @property
    def _short_lists(self) -> pl.DataFrame:
        return self._origin.short_lists(depth_of(self.primary))

    @cached_property
    def _caution_inputs(self) -> dict[str, Any]:
        """The arguments of `data_cautions`, which creates texts in the current language."""
        return {
            "settings": self.settings,
            "quality": self.quality,
            "unanswered": self.unanswered,
            "ranked_alone": self._origin.ranked_alone(),
            "top_grade": self._origin.top_grade(),
            "positives_only": self._origin.positives_only(),
            "depths": self._origin.depths(),
            "ties": self._primary_ties(),
            "coverage": self._origin.coverage([self.primary]),
            "undefined": self._origin.undefined(self._values),
            "short": self._short_lists,
            "same": self._same_scores(),
            "remarks": self._remarks,
        }

    def _primary_ties(self) -> pl.DataFrame:
        """Return the frame of `ties` of the primary measure."""
        return self._origin.ties(self.values([self.primary]), [self.primary])

    def _shown_name(self, measure: str | Measure) -> str:
        """Return the name of a measure for readers: the one by which it was asked for.

        Examples
        --------
        >>> import rankreport as rr
        >>> e = rr.evaluate({"q1": {"d1": 1}}, {"q1": ["d1"]}, ["hit_rate@10", "RR"])
        >>> e.measures, e._shown_name("Success@10")
        ((Success@10, RR), 'hit_rate@10')
        """
        return self._shown_names.get(str(measure), str(measure))

    def _with_shown_names(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a frame with the names of measures for readers in its column ``measure``."""
        return frame.with_columns(pl.col(MEASURE).replace(self._shown_names))

    @cached_property
    def _shown_names(self) -> dict[str, str]:
        return {str(m): m.shown for m in self.measures if m.asked}

    @property
    def queries(self) -> Any:
        """The queries with their texts, as `read_queries` accepts them; None if not known.

        They are known if they came with the judgments, as in a BEIR folder.
        """
        return self._origin.queries()

    @property
    def corpus(self) -> Any:
        """The texts of documents, as `report` accepts them; None if not known.

        They are known if they came with the judgments, as in a BEIR folder.
        """
        return self._origin.corpus()

    @cached_property
    def exact_means(self) -> pl.DataFrame | None:
        """The means over all queries where those evaluated are a random sample; otherwise None.

        ``system, measure`` (String), ``n_queries`` (Int64; of those with a value), ``mean``
        (Float64), of measures whose value is a mean or sum over queries.
        """
        return self._origin.exact_means()

    @cached_property
    def inputs(self) -> list[io.Input]:
        """The inputs: ``role``, ``name``, ``sha256`` (None for a table) and number of ``rows``.

        Judgments from several judges, clicks or another ranking have ``labels`` too: their
        ``kind``, ``rule`` and counts.
        """
        return self._origin.inputs()

    @property
    def _memory_limit(self) -> int | None:
        """How much memory may be used, in bytes, if that is limited."""
        return self._origin.memory_limit if isinstance(self._origin, FromRuns) else None

    @property
    def _label_source(self) -> LabelSource | None:
        """Where the judgments come from: several judges, clicks or another ranking.

        None if they were given as judgments.
        """
        return self._origin.label_source()

    @property
    def _judges(self) -> JudgeLabels | None:
        """The judgments of several judges; None if they are not, or are not stored."""
        known = self._origin.labels if isinstance(self._origin, FromRuns | FromFile) else None
        return known if isinstance(known, labels.JudgeLabels) else None

    @cached_property
    def _known_judges(self) -> tuple[str, ...]:
        """The judges whose own scores are known: all, or those of a file."""
        if isinstance(self._origin, FromFile):
            return tuple(sorted(self._origin.by_judge))
        return () if (judges := self._judges) is None else judges.judges

    @property
    def _clicks(self) -> ClickLabels | None:
        """The judgments from clicks; None if they are not, or the scores were loaded."""
        known = self._origin.labels if isinstance(self._origin, FromRuns) else None
        return known if isinstance(known, labels.ClickLabels) else None

    def _judged_by(self, judge: str) -> Evaluation:
        """Return the evaluation of the primary measure under one of several judges.

        Raises
        ------
        DataError
            If the scores are stored, and the judge judged no query of the runs.
        """
        return replace(self, measures=(self.primary,), _origin=self._origin_by(judge))

    def _origin_by(self, judge: str) -> Origin:
        judges = self._judges
        if judges is None or judge not in self._known_judges:
            raise OptionError(f"The scores by {judge!r} alone are not known.")
        if isinstance(self._origin, FromFile):
            stored = self._origin.by_judge[judge]
            if stored is None:
                raise DataError(f"{judge!r} judged no query of the runs.")
            return stored
        if not isinstance(self._origin, FromRuns):
            raise OptionError("The judgments are not those of several judges.")
        qrels = io.open_source(judges.of(judge), io.QRELS, f"the judgments of {judge!r}")
        return replace(self._origin, qrels=qrels, by_subtopic=None, labels=None)

    def _grades(self, queries: Collection[str]) -> pl.DataFrame:
        """Return the grades of queries: ``query_id, doc_id`` (String), ``relevance`` (Float64).

        Raises
        ------
        DataError
            If this evaluation was loaded from a file without them.
        """
        if isinstance(self._origin, FromFile):
            return self._origin.grades(queries)
        rows = self._judged_of(queries)
        of_one = (pl.col(SYSTEM) == self._values[SYSTEM][0]) & pl.col(RELEVANCE).is_not_null()
        return rows.filter(of_one).select(
            pl.col(QUERY_ID, DOC_ID).cast(pl.String), pl.col(RELEVANCE).cast(pl.Float64)
        )

    def _label_sentences(self) -> tuple[str, ...]:
        """Return where the judgments come from, if they know it."""
        return () if self._label_source is None else (self._label_source.sentence,)

    def summary(self, weights: Mapping[str, float] | None = None) -> pl.DataFrame:
        """Return every system's value of every measure.

        Parameters
        ----------
        weights
            Query weights, such as shares of the traffic. Queries that are not in the mapping have
            weight 0; queries that are not evaluated are ignored. By default all queries have equal
            weight, except in measures with their own weights (GAUC). Sums and pooled measures
            ignore weights.

        Returns
        -------
        DataFrame
            ``system``, then a Float64 column per measure: the mean over queries, the sum for
            counts, or the measure's own aggregate; null where no query has a value.

        Raises
        ------
        OptionError
            If a weight is negative or not finite, or all weights are 0.

        Examples
        --------
        >>> import rankreport as rr
        >>> e = rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d2": 2.0, "d1": 1.0}}}, ["RR"])
        >>> e.summary().rows()
        [('mine', 0.5)]
        """
        return self._origin.summary(self._values, self.measures, weights_of(weights, self._values))

    def per_query(self) -> pl.DataFrame:
        """Return the scores, wide: ``system, query_id``, then a Float64 column per measure."""
        return self._values

    def ties(self) -> pl.DataFrame:
        """Return how much the order of equal scores could change each measure.

        Returns
        -------
        DataFrame
            ``system, measure``; ``n_queries`` (Int64), the number of queries whose value depends on
            the order of equal scores; ``worst, value, best`` (Float64), the system's lowest value
            over all orders, its value under the tie rule, and its highest value. Null where the
            bounds of a measure are not known.

        Examples
        --------
        >>> import rankreport as rr
        >>> run = {"q1": {"d1": 1.0, "d2": 1.0}, "q2": {"d3": 2.0, "d4": 1.0}}
        >>> e = rr.evaluate({"q1": {"d1": 1}, "q2": {"d3": 1}}, {"mine": run}, ["RR"])
        >>> e.ties().rows()
        [('mine', 'RR', 1, 0.75, 0.75, 1.0)]
        """
        return self._origin.ties(self._values, self.measures)

    def coverage(self) -> pl.DataFrame:
        """Return the share of unjudged documents within each measure's cut-off.

        Returns
        -------
        DataFrame
            ``system, measure`` for each measure that takes a cut-off; ``k`` (Int64), its cut-off,
            null for the whole list; ``unjudged`` (Float64), the share of the documents within the
            cut-off that are unjudged, averaged over the queries answered.

        Examples
        --------
        >>> import rankreport as rr
        >>> run = {"q1": {"d1": 2.0, "d2": 1.0}}
        >>> rr.evaluate({"q1": {"d1": 1}}, {"mine": run}, ["P@1", "P@2"]).coverage().rows()
        [('mine', 'P@1', 1, 0.0), ('mine', 'P@2', 2, 0.5)]
        """
        return self._origin.coverage(self.measures)

    def curve(
        self, measures: str | Measure | Iterable[str | Measure], k: Iterable[int] = _CURVE
    ) -> pl.DataFrame:
        """Return measures at many cut-offs.

        Parameters
        ----------
        measures
            One or more measures that take a cut-off, such as ``"nDCG"``.
        k
            The cut-offs.

        Returns
        -------
        DataFrame
            ``system, measure`` (String), ``k`` (Int64), ``value`` (Float64): the mean, or the sum
            for counts.

        Raises
        ------
        MeasureError
            If one of the measures takes no cut-off.

        Examples
        --------
        >>> import rankreport as rr
        >>> e = rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d2": 2.0, "d1": 1.0}}})
        >>> e.curve(["P"], k=[1, 2]).rows()
        [('mine', 'P', 1, 0.0), ('mine', 'P', 2, 0.5)]
        """
        # A profile's measure names were resolved by evaluate().
        rules = {name: rule for name, rule in self.settings.items() if name != "profile"}
        chosen = chosen_measures(measures, rules)
        return levels(self._origin, chosen, self._cutoffs(k), self._n_lists)

    def _cutoffs(self, k: Iterable[int] = CUTOFFS) -> tuple[int, ...]:
        """Return cut-offs of a curve, within the depth at which lists were cut at their export.

        Raises
        ------
        OptionError
            If one that was chosen is deeper.
        """
        given = tuple(k)
        if self._depth is None or all(each <= self._depth for each in given):
            return given
        if given in {CUTOFFS, tuple(_CURVE)}:  # which nobody chose
            return tuple(each for each in given if each <= self._depth)
        raise OptionError(
            f"k={max(given)} looks deeper than the first {self._depth} documents of each query, "
            f"which are all that a run was exported with. Give cut-offs of at most {self._depth}."
        )

    @cached_property
    def _depth(self) -> int | None:
        """The smallest number of documents that a run was exported with, if any was cut."""
        cuts = (each.count for each in self._remarks if each.code == CUT.code)
        return min(cuts, default=None)

    @cached_property
    def _remarks(self) -> list[io.Remark]:
        return self._origin.remarks()

    def documents(
        self, queries: Iterable[str], k: int = 10, *, systems: Iterable[str] | None = None
    ) -> pl.DataFrame:
        """Return the first documents of the systems' lists.

        Parameters
        ----------
        queries
            Ids of evaluated queries.
        k
            Number of documents per list.
        systems
            Names of systems; all systems by default.

        Returns
        -------
        DataFrame
            ``system, query_id, doc_id`` (String), ``rank`` (UInt32) under the tie rule, ``score``
            and ``relevance`` (Float64; the grade, null for unjudged documents), sorted by query,
            system and rank.

        Raises
        ------
        OptionError
            If there is no such query or system, or this evaluation was loaded from a file that
            does not contain these documents.

        Examples
        --------
        >>> import rankreport as rr
        >>> run = {"q1": {"d1": 2.0, "d2": 1.0}}
        >>> rr.evaluate({"q1": {"d1": 1}}, {"mine": run}).documents(["q1"]).rows()
        [('mine', 'q1', 'd1', 1, 2.0, 1.0), ('mine', 'q1', 'd2', 2, 1.0, None)]
        """
        counted = self._values[QUERY_ID]
        wanted = list_request(queries, systems, k, counted=counted, known=self.systems)
        return self._origin.documents(wanted)

    def _same_lists(self, one: str, other: str) -> bool:
        """Whether two systems returned the same documents in the same order for every query.

        False where that is not known, as in an evaluation that was loaded.
        """
        if isinstance(self._origin, FromRuns):
            return self._origin.same_lists(one, other)
        depths = self._caution_inputs["depths"].values()
        longest = max((depth.longest for depth in depths), default=0)
        if not longest:
            return False
        try:
            lists = self.documents(self.query_ids, longest, systems=(one, other))
        except OptionError:
            return False
        first, second = (
            lists.filter(pl.col(SYSTEM) == system)
            .select(QUERY_ID, RANK, DOC_ID)
            .sort(QUERY_ID, RANK)
            for system in (one, other)
        )
        return first.equals(second)

    def judged_documents(self) -> pl.DataFrame:
        """Return one row per system and judged document, returned or not, in rank order.

        Raises
        ------
        DataError
            If this evaluation was loaded from a file, which contains no documents.
        """
        return self._origin.judged_documents()

    def _holds(self, measures: Sequence[Measure]) -> bool:
        """Return whether these measures are available; all are, unless loaded from a file."""
        return self._origin.holds(measures)

    def values(self, measures: Sequence[Measure], within: int | None = None) -> pl.DataFrame:
        """Return the scores of any measures, wide: ``system, query_id``, a column per measure.

        With `within`, those of the lists cut at that depth.

        Raises
        ------
        DataError
            If this evaluation was loaded from a file that does not contain one of them.
        """
        if within is not None:
            return self._origin.values_within(measures, within)
        if set(measures) <= set(self.measures):
            return self._values.select(SYSTEM, QUERY_ID, *dict.fromkeys(map(str, measures)))
        return self._origin.values(measures)

    @property
    def _n_lists(self) -> int:
        """The number of lists of all systems; 0 where their values are in memory anyway."""
        return len(self._origin.judged.queries) if isinstance(self._origin, FromRuns) else 0

    def _values_in_parts(self, measures: Sequence[Measure], most: int) -> Iterator[pl.DataFrame]:
        """Yield the scores of measures as `rankreport.measures.JudgedRows.in_parts` does."""
        if isinstance(self._origin, FromRuns):
            return self._origin.values_in_parts(measures, most)
        return values_in_parts(self._origin.values, measures, most)

    def write_parquet(
        self,
        path: str | os.PathLike[str],
        also: Sequence[str | Measure] = (),
        documents: pl.DataFrame | None = None,
        grades: Collection[str] = (),
    ) -> None:
        """Write scores and settings to a Parquet file, for `load_evaluation`.

        Of judgments by `qrels_from_judges`, the ratings and the scores by each judge are written
        too (of up to 100,000 ratings, and the 20 judges with the most).

        Parameters
        ----------
        path
            The file to write. It contains the frame `scores`, and the settings as metadata.
        also
            Further measures to write, such as the points of a curve.
        documents
            The result of `documents`, to write too.
        grades
            Queries whose grades are written too, so that `Comparison.judges` knows how far a model
            and people agree.

        Raises
        ------
        OptionError
            If the path has the suffix of another format.
        OutputError
            If it cannot be written; an existing file is kept.
        """
        io.check_process()
        target = io.check_suffix(path, "write_parquet", *io.PARQUET, inputs=self.files)
        more = dict.fromkeys(m for m in map(parse, also) if m not in self.measures)
        values = self.values((*self.measures, *more))
        about = {
            "systems": self.systems,
            "asked": [str(m) for m in self.measures],
            **({"names": self._shown_names} if self._shown_names else {}),
            "primary": str(self.primary),
            "settings": dict(self.settings),
        }
        metadata = described(
            self._origin,
            values,
            (*self.measures, *more),
            documents,
            unjudged=lambda: self._unjudged,
            **about,
            **({"short": short.rows()} if (short := self._short_lists).height else {}),
            **({"grades": self._grades(grades).to_dict(as_series=False)} if grades else {}),
            **self._judges_to_store(about),
        )
        with io.replacing(target) as file:
            write_scores(file, values, metadata)

    def _judges_to_store(self, about: Mapping[str, Any]) -> dict[str, Any]:
        """Return the ratings of several judges, and the scores by each, unless there are many."""
        labels = self._judges
        if labels is None or labels.n_ratings > MOST_RATINGS:
            return {}
        known = set(self._known_judges)
        origins: dict[str, tuple[Origin, Unjudged | None] | None] = {}
        for judge in labels.busiest(MOST_JUDGES):
            if judge in known:
                try:
                    origin = self._origin_by(judge)
                    origins[judge] = origin, replace(self, _origin=origin)._unjudged
                except DataError:
                    origins[judge] = None
        return {"judges": scores_by_judge(labels, origins, self.measures, **about)}

    def to_trec(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write the judgments and runs as TREC text, which trec_eval and this package read.

        Parameters
        ----------
        folder
            Where ``qrels.txt`` and ``{system}.run`` are written; it is made if it does not exist.

        Returns
        -------
        tuple of Path
            The files. Documents are in order of their scores, and of equal scores in the order
            given; trec_eval orders those by their ids.

        Raises
        ------
        DataError
            If this evaluation was loaded from a file, which contains no runs, or an id holds white
            space.
        OptionError
            If a system's name is no name of a file.
        OutputError
            If a file cannot be written.

        Examples
        --------
        >>> import tempfile
        >>> import rankreport as rr
        >>> evaluation = rr.evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 2.5, "d1": 1}}, name="mine")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     qrels, run = evaluation.to_trec(folder)
        ...     print(run.name, run.read_text().splitlines())
        mine.run ['q1 Q0 d2 1 2.5 mine', 'q1 Q0 d1 2 1.0 mine']
        """
        return write_trec(self._origin, folder, self.files)

    def to_ranx(self) -> tuple[Any, list[Any]]:
        """Return the judgments as ``ranx.Qrels`` and the runs as a list of ``ranx.Run``.

        They go on to ranx's fusion, for instance. Ranks without scores become scores -1, -2, ...

        Raises
        ------
        DataError
            If this evaluation was loaded from a file, or grades are no whole numbers.
        OptionError
            If ranx is not installed.
        """
        return as_ranx(self._origin)

    def to_polars(self) -> pl.DataFrame:
        """Return `summary`."""
        return self.summary()

    def _shown(self) -> Table:
        """Return the summary as a table for display."""
        n_queries = max(self.quality["n_queries"].to_list())
        summary = self.summary()
        return to_table(
            summary,
            headers=[self._shown_name(name) for name in summary.columns],
            caption=counted(n_queries, "query", "queries"),
        )

    @cached_property
    def _levels(self) -> Levels:
        return self._levels_of(self.measures)

    def _levels_of(self, measures: Sequence[Measure]) -> Levels:
        values = self.values(measures)
        return Levels.of(values, self._origin.summary(values, measures), measures)

    def means(
        self,
        interval: str = DEFAULT_INTERVAL.interval,
        confidence: float = DEFAULT_INTERVAL.confidence,
        resamples: int = DEFAULT_INTERVAL.resamples,
        seed: int = DEFAULT_INTERVAL.seed,
    ) -> pl.DataFrame:
        """Return the mean of every measure for every system, with an interval.

        The intervals of two systems may overlap although their difference is significant: to
        compare systems, use `rankreport.compare`.

        Parameters
        ----------
        interval, confidence, resamples, seed
            As for `rankreport.compare`.

        Returns
        -------
        DataFrame
            ``system, measure`` (String), ``mean, ci_low, ci_high`` (Float64), ``n_queries``
            (Int64), the number of queries with a value. Counts are averaged over queries. Measures
            that are not means over queries (geometric, weighted or pooled) have the value of
            `summary` and no interval; nor have measures with equal values for all queries an
            interval. Intervals are clipped to the range of the measure.

        Raises
        ------
        OptionError
            If an option is invalid.

        Examples
        --------
        >>> import rankreport as rr
        >>> qrels = {f"q{i}": {"d1": 1} for i in range(4)}
        >>> run = {f"q{i}": {"d1": 1.0, "d2": float(i % 2) * 2} for i in range(4)}
        >>> rr.evaluate(qrels, {"mine": run}, ["RR"]).means("t").rows()[0][:3]
        ('mine', 'RR', 0.75)
        """
        io.check_process()
        return self._levels.means(IntervalOptions(interval, confidence, resamples, seed))

    def hardest(self, n: int = 10, system: str | None = None) -> ResultTable:
        """Return the queries with a system's worst values of the primary measure, the worst first.

        Parameters
        ----------
        n
            Maximum number of queries.
        system
            Name of a system; by default the one with the best mean.

        Returns
        -------
        ResultTable
            ``system, query_id`` (String), ``text`` (String) if the texts of the queries came with
            the judgments, ``value`` (Float64). Equal values are sorted by query id.

        Raises
        ------
        OptionError
            If there is no such system, or the primary measure is neither better high nor low.

        Examples
        --------
        >>> import rankreport as rr
        >>> qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
        >>> run = {"q1": {"d1": 1.0}, "q2": {"d2": 2.0, "d1": 1.0}}
        >>> rr.evaluate(qrels, {"mine": run}, ["RR"]).hardest(1)
        Hardest queries for mine
        query      RR
        -----  ------
        q2     0.5000
        """
        named = self.best_system() if system is None else choose("system", system, self.systems)
        return ResultTable(
            with_texts(self._hardest(n, named), self._known_queries),
            (partial(_hardest_in_words, named),),
            {SYSTEM: "system", QUERY_ID: "query", TEXT: "text"},
            {VALUE: self._shown_name(self.primary)},
            _left_out=frozenset({SYSTEM}),
        )

    def _hardest(self, n: int, system: str) -> pl.DataFrame:
        """Return the frame of `hardest`, without texts."""
        return hardest_queries(self.values([self.primary]), self.primary, system, n)

    @cached_property
    def _known_queries(self) -> pl.DataFrame | None:
        queries = self.queries
        return None if queries is None else io.read_queries(queries)

    def best_system(self) -> str:
        """Return the system whose value of the primary measure is best, the first of equals."""
        low = self.primary.declaration.better == "low"
        primary = [self.primary]
        totals = self._origin.summary(self.values(primary), primary)
        ordered = totals.sort(
            str(self.primary), descending=not low, nulls_last=True, maintain_order=True
        )
        return str(ordered[SYSTEM][0])

    def relevant(self, queries: Iterable[str], rel: float = 1) -> pl.DataFrame:
        """Return the documents judged relevant to these queries, and their rank in each system.

        Parameters
        ----------
        queries
            Query ids; queries that are not evaluated are ignored.
        rel
            The lowest grade that counts as relevant.

        Returns
        -------
        DataFrame
            ``system, query_id, doc_id`` (String), ``relevance`` (Float64), ``rank`` (UInt32; null
            where the system did not return the document), sorted by rank, then documents not
            returned by descending grade.

        Raises
        ------
        DataError
            If this evaluation was loaded from a file, which contains no judgments.

        Examples
        --------
        >>> import rankreport as rr
        >>> e = rr.evaluate({"q1": {"d1": 1, "d2": 2}}, {"mine": {"q1": {"d1": 1.0}}})
        >>> e.relevant(["q1"]).rows()
        [('mine', 'q1', 'd1', 1.0, 1), ('mine', 'q1', 'd2', 2.0, None)]
        """
        return relevant_documents(self._judged_of(queries), rel)

    def _judged_of(self, queries: Iterable[str]) -> pl.DataFrame:
        """Return one row per system and judged document of some queries."""
        if isinstance(self._origin, FromRuns):
            return self._origin.judged_of(queries)
        return self._origin.judged_documents().filter(pl.col(QUERY_ID).is_in(list(queries)))

    def plot_means(self, **options: Unpack[charts.ChartOptions]) -> Chart:
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
        rows = self.means().filter(pl.col(MEASURE).is_in(shown))
        if many:
            low = self.primary.declaration.better == "low"
            rows = rows.sort("mean", descending=not low, nulls_last=True, maintain_order=True)
        named, confidence = self._with_shown_names(rows), DEFAULT_INTERVAL.confidence
        return charts.levels(named, confidence=confidence, **options)

    def plot_curve(
        self,
        measure: str | Measure = "nDCG",
        k: Iterable[int] = CUTOFFS,
        **options: Unpack[charts.ChartOptions],
    ) -> Chart:
        """Return a chart of the means at each cut-off with the intervals of `means`.

        The chart is a matplotlib figure that displays itself in Jupyter; `options` are as for
        `plot_means`.
        """
        [chart] = self.plot_curves([measure], k, **options)
        return chart

    def plot_curves(
        self,
        measures: Iterable[str | Measure],
        k: Iterable[int] = CUTOFFS,
        **options: Unpack[charts.ChartOptions],
    ) -> tuple[Chart, ...]:
        """Return a chart of each measure; see `plot_curve`."""
        wanted, cutoffs = [parse(measure) for measure in measures], self._cutoffs(k)
        charts.for_one_chart(options, len(wanted))
        return tuple(self._plot_curve(measure, cutoffs, **options) for measure in wanted)

    def _plot_curve(
        self, measure: Measure, k: tuple[int, ...], **options: Unpack[charts.ChartOptions]
    ) -> Chart:
        columns = points(measure, k)
        means = at_cutoffs(self._levels_of(list(columns)).means(), columns).drop("n_queries")
        confidence = DEFAULT_INTERVAL.confidence
        return charts.curves(means, measure=measure.shown, confidence=confidence, **options)

    def roc(self, rel: float = 1, *, per_query: bool = False) -> pl.DataFrame:
        """Return the points of ROC curves, one per distinct score.

        Parameters
        ----------
        rel
            The lowest grade that counts as relevant.
        per_query
            Whether to return a curve per query instead of one for all queries pooled.

        Returns
        -------
        DataFrame
            ``system`` (and ``query_id``); ``threshold`` (Float64), descending from infinity;
            ``fpr`` and ``tpr`` (Float64), the false and true positive rates of predicting documents
            with at least that score as relevant. Only judged documents with a score count. Systems
            whose runs have ranks but no scores have no points, nor has any with ``ties="rank"``.

        Raises
        ------
        DataError
            If this evaluation was loaded from a file, which contains no documents.

        Examples
        --------
        >>> import rankreport as rr
        >>> run = {"q1": {"d1": 2.0, "d2": 1.0}}
        >>> rr.evaluate({"q1": {"d1": 1, "d2": 0}}, {"mine": run}).roc().rows()
        [('mine', inf, 0.0, 0.0), ('mine', 2.0, 0.0, 1.0), ('mine', 1.0, 1.0, 1.0)]
        """
        return roc_points(self._origin.scored_documents(), rel=_level(rel), by_query=per_query)

    def precision_recall(self, rel: float = 1, *, per_query: bool = False) -> pl.DataFrame:
        """Return the points of precision-recall curves, one per distinct score.

        Parameters
        ----------
        rel, per_query
            As for `roc`.

        Returns
        -------
        DataFrame
            ``system`` (and ``query_id``); ``threshold, recall, precision`` (Float64), as for `roc`.

        Raises
        ------
        DataError
            As for `roc`.
        """
        documents = self._origin.scored_documents()
        return precision_recall_points(documents, rel=_level(rel), by_query=per_query)

    def operating_bands(
        self,
        rel: float = 1,
        confidence: float = 0.95,
        resamples: int = RESAMPLES,
        seed: int = 0,
        *,
        structure: Structure = PLAIN,
    ) -> OperatingBands:
        """Return ROC and precision-recall curves of all queries pooled, with intervals.

        Queries are resampled together with their documents. Intervals are pointwise: the wider of
        the percentile interval and of Wilson's score interval with the error of the resamples.

        Parameters
        ----------
        rel
            The lowest grade that counts as relevant.
        confidence
            Confidence of the pointwise intervals, between 0 and 1.
        resamples, seed
            Number of resamples and random seed of the bootstrap; the resamples are the same as in a
            comparison.
        structure
            Weights, clusters and strata of the queries, one each, in the order of `query_ids`.
            Clusters are drawn within their strata. Every document of the pool counts once, so if
            there are weights, weights and strata are ignored.

        Returns
        -------
        OperatingBands
            The frames ``roc``, ``precision_recall`` and ``areas``.

        Raises
        ------
        DataError
            As for `roc`.
        OptionError
            If an option is invalid.

        Examples
        --------
        >>> import rankreport as rr
        >>> example = rr.load_example()
        >>> evaluation = rr.evaluate(example.qrels, {"bm25": example.runs["bm25"]})
        >>> bands = evaluation.operating_bands()
        >>> bands.roc.columns
        ['system', 'fpr', 'tpr', 'ci_low', 'ci_high']
        >>> bands.areas.select("system", "curve").rows()
        [('bm25', 'roc'), ('bm25', 'precision_recall')]
        """
        check_confidence(confidence)
        draws = statistics.Draws(resamples, seed, block_of(self._memory_limit))
        statistics.check_draws(draws)
        return operating_bands(
            self._origin.scored_documents(),
            self.query_ids,
            rel=_level(rel),
            confidence=confidence,
            draws=draws,
            structure=structure,
        )

    def plot_roc(self, rel: float = 1, **options: Unpack[charts.ChartOptions]) -> Chart:
        """Return a chart of `roc` for all queries pooled, with the bands of `operating_bands`.

        Up to four systems share a panel; `options` are as for `plot_means`.
        """
        bands = self.operating_bands(rel)
        return charts.roc_curves(self.roc(rel), bands.roc, bands.areas, **options)

    def plot_precision_recall(
        self, rel: float = 1, **options: Unpack[charts.ChartOptions]
    ) -> Chart:
        """Return a chart of `precision_recall`, with the bands of `operating_bands`.

        Up to four systems share a panel; `options` are as for `plot_means`.
        """
        points, bands = self.precision_recall(rel), self.operating_bands(rel)
        return charts.precision_recall_curves(
            points, bands.precision_recall, bands.areas, **options
        )


DEFAULT_MEASURES = ("nDCG@10", "AP", "RR@10", "P@10", "R@100")
"""The default measures; the first is the primary measure."""


@hinting()
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
    name: str | None = None,
    columns: str | Iterable[str] | None = None,
    memory_limit: int | str | None = None,
) -> Evaluation:
    """Evaluate the ranked results of one or more systems against relevance judgments.

    Parameters
    ----------
    qrels
        Relevance judgments in any form that `read_qrels` accepts. With a BEIR folder, or what
        `read_beir` returns, the texts of its queries are shown in reports.
    runs
        ``{system: run}``, with runs in any form that `read_run` accepts; or one or more paths,
        whose systems are named after their files, or as a file that holds several names them; or
        one run by itself, named `name`. A table or records with a column ``system`` (``run``,
        ``model``, ``tag``, ``name``) are the runs of its systems, in the order of their names; a
        list of ranx's runs keeps their names.
    measures
        Measures or their names; measures of ir_measures are read as their names.
    primary
        The primary measure; by default the first.
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
        Equal scores of documents are ordered by ``ties``; those that keep the order given stand in
        the order of their best passages.
    document_of
        How the document of each passage is found: a column of the run, a separator (``"#"`` where
        ``doc#3`` is a passage of ``doc``; the last one counts), ``{passage: document}``, a table
        of these two columns or its path, or ``{system: ...}`` where systems differ. Of a system
        without it, equal ids are the same document; ``"sum"`` and ``"mean"`` need it for one.
    name
        The name of a run by itself; by default its file's, its own, or ``"run"``.
    columns
        Names of the columns of runs in files without a header; see `read_run`.
    memory_limit
        How much memory the process may use, such as ``"2GB"`` or a number of bytes, at least 500
        MB; by default as much as it takes. Runs and judgments that are too large for it are read in
        slices, each with all rows of some queries, through temporary files in ``TMPDIR``. All
        results are equal to the last bit. The scores of all queries are kept in memory.

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
    default = measures is DEFAULT_MEASURES
    settings = settled(
        profile, ties=ties, queries=queries, no_relevant=no_relevant, precision=precision
    )
    chosen = chosen_measures(measures, settings)
    decides = () if primary is None else chosen_measures(primary, settings)
    given = named_runs(runs, name)
    check_standard_input(qrels, *given.values())
    judgments = io.open_source(qrels, io.SUBTOPIC_QRELS if subtopics else io.QRELS, "the qrels")
    systems = {
        system: io.open_source(run, io.RUN, f"run {system!r}", columns)
        for system, run in given.items()
    }
    chosen = within_depth(chosen, systems, judgments, default=default)
    decides = within_depth(decides, systems, judgments, default=False)
    chosen, primary_measure = decided(chosen, decides)
    drops = profile is not None and PROFILES[profile].drops_identical
    opened = {n: without_identical(run) for n, run in systems.items()} if drops else systems
    folding, opened = collapse_of(collapse, document_of, opened, settings["ties"])
    settings |= {} if folding is None else folding.settings
    limit = bytes_of(memory_limit)
    # Standard input and iterators cannot be read again.
    once = subtopics or judgments.once or isinstance(qrels, Iterator)
    whole = isinstance(qrels, Labels)
    judgments, opened = in_slices(judgments, opened, limit, len(chosen), whole=whole)
    kind = FromRuns if judgments.partition is None else FromSlices
    origin = kind(
        judgments,
        opened,
        settings,
        by_subtopic=None if once else partial(io.open_source, qrels, io.SUBTOPIC_QRELS),
        collapse=folding,
        with_identical=systems if drops else {},
        labels=qrels if isinstance(qrels, Labels) else None,
        memory_limit=limit,
    )
    return Evaluation(tuple(given), chosen, primary_measure, settings, origin)


def without_identical(source: io.Source) -> io.Source:
    """Return a run without documents that have the id of the query."""
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
        Some of the measures that were written, also those written with ``also``; by default those
        that were evaluated.
    primary
        The primary measure; by default the one that was written, or the first of `measures` without
        it.

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
    Note: Queries for which nothing was returned score 0: bm25 (2 of 60 queries: q05, q19)...
    """
    origin = FromFile.read(path)
    if systems is not None:
        origin = origin.of_systems([systems] if isinstance(systems, str) else list(systems))
    description = origin.description
    settings = description["settings"]
    stored = parse(description["primary"])
    names = description.get("names", {})
    chosen = tuple(replace(parse(m), asked=names.get(m, "")) for m in description["asked"])
    if measures is not None:
        named = [measures] if isinstance(measures, str | Measure) else measures
        chosen = tuple(dict.fromkeys(map(parse, named)))
    if not chosen:
        raise OptionError("measures is empty: name at least one, such as 'nDCG@10'.")
    if primary is not None:
        stored = parse(primary)
        chosen = chosen if stored in chosen else (stored, *chosen)
    origin.check_held(chosen)
    decides = next((each for each in chosen if each == stored), chosen[0])
    return Evaluation(
        tuple(description["systems"]),
        chosen,
        decides,
        settings,
        origin,
    )
