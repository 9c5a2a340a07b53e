"""Evaluation: the scores of every system for every query, and what to know of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from rankreport.asking import chosen_measures, weights_of
from rankreport.caveats import cautions
from rankreport.columns import QUERY_ID, SYSTEM, VALUE
from rankreport.curves import levels
from rankreport.levelled import Levelled
from rankreport.loading import Input
from rankreport.measures import Measure, long, parse
from rankreport.origins import Origin
from rankreport.rendering.display import Displayed
from rankreport.rendering.table import Table, table_of
from rankreport.rendering.text import counted
from rankreport.score_files import described
from rankreport.thresholded import Thresholded
from rankreport.top_lists import asked
from rankreport.weighing import Caution, heaviest_first, texts_of
from rankreport.writing import PARQUET, check_suffix, replacing

__all__ = ["Evaluation"]


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Levelled, Thresholded, Displayed):
    """The scores of one or more systems, computed when they are first asked for.

    Attributes
    ----------
    systems
        Their names, in the order given.
    measures
        What is computed, in the order given.
    primary
        The measure that decides.
    settings
        The rules it was made by: ``ties``, ``queries``, ``no_relevant``, ``precision`` and, where
        one was asked for, ``profile``.
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

    @cached_property
    def _values(self) -> pl.DataFrame:
        return self._origin.values(self.measures)

    @cached_property
    def query_ids(self) -> list[str]:
        """The queries that count, in the order of everything else."""
        return self._values[QUERY_ID].unique(maintain_order=True).to_list()

    def _undefined(self) -> pl.DataFrame:
        """Count the queries for which a measure has no value: ``system, measure``, the counts."""
        systems = self._values.group_by(SYSTEM, maintain_order=True)
        undefined = long(systems.agg(pl.exclude(SYSTEM, QUERY_ID).null_count()), [SYSTEM])
        return undefined.rename({VALUE: "n_undefined"}).join(
            systems.len("n_queries"), on=SYSTEM, maintain_order="left"
        )

    @cached_property
    def quality(self) -> pl.DataFrame:
        """What to know of the data before reading a score; one row per system.

        ``n_queries`` counted; ``n_unanswered`` of them, for which the system returned nothing and
        scores 0; ``n_left_out``, judged but not counted under the rules chosen; ``n_unjudged``,
        answered without any judgment and left out; ``n_no_relevant``, without a document of
        positive grade; ``n_tied``, in which a judged document shares its score, so that another tie
        rule might change a measure; ``n_unscored``, judged documents not returned, which measures
        of pairs and thresholds leave out; ``judged_at_10``, the mean share judged of the first 10.
        """
        return self._origin.quality()

    @cached_property
    def unanswered(self) -> pl.DataFrame:
        """The judged queries for which a system returned nothing: ``system, query_id``."""
        return self._origin.unanswered()

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to mind before reading a score, in sentences, the weightiest first."""
        return texts_of(self.weighed_cautions)

    @property
    def weighed_cautions(self) -> tuple[Caution, ...]:
        """The same, each with its weight."""
        return self.cautions_of_means(weighted=False)

    def cautions_of_means(self, *, weighted: bool) -> tuple[Caution, ...]:
        """Return what to mind where a reader sees means of queries that have weights, or none."""
        told = cautions(self.measures, self.primary, **self.to_mind, weighted=weighted)
        return heaviest_first(told)

    @cached_property
    def to_mind(self) -> dict[str, Any]:
        """What cautions are of, for they may be said in any language: `caveats.cautions` has it."""
        return {
            "settings": self.settings,
            "quality": self.quality,
            "unanswered": self.unanswered,
            "ranked_alone": self._origin.ranked_alone(),
            "top_grade": self._origin.top_grade(),
            "depths": self._origin.depths(),
            "ties": self._origin.ties(self.values([self.primary]), [self.primary]),
            "coverage": self._origin.coverage([self.primary]),
            "undefined": self._undefined(),
        }

    @cached_property
    def inputs(self) -> list[Input]:
        """What was read: ``role``, ``name``, ``sha256`` (None for a table), ``rows`` it held."""
        return self._origin.inputs()

    def summary(self, weights: Mapping[str, float] | None = None) -> pl.DataFrame:
        """Return every system's value of every measure.

        Parameters
        ----------
        weights
            What each query weighs, such as its share of the traffic; a query that is not named
            weighs nothing, one that does not count is passed over. All queries weigh the same
            unless given, but where a measure brings weights of its own (GAUC). Sums and pooled
            measures take none.

        Returns
        -------
        DataFrame
            ``system``, then a Float64 column per measure: the mean over queries, the sum for
            counts, or what else the measure's declaration says; null where no query has a value.

        Raises
        ------
        OptionError
            If a weight is negative or not finite, or none of the queries has one.

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
        """Return what the order of equal scores could change.

        Returns
        -------
        DataFrame
            ``system, measure``; ``n_queries`` of which another order of equal scores changes the
            value (Int64); ``worst, value, best`` (Float64), the lowest system's value that any
            order gives, the one under the rule chosen, and the highest. Null where the bounds of a
            measure are not known.

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
        """Return how much of what each measure looks at was never judged.

        Returns
        -------
        DataFrame
            ``system, measure`` for each measure that takes a cut-off; ``k`` (Int64), its cut-off,
            null for the whole list; ``unjudged`` (Float64), the share of the documents above it
            that nobody judged, averaged over the queries answered.

        Examples
        --------
        >>> import rankreport as rr
        >>> run = {"q1": {"d1": 2.0, "d2": 1.0}}
        >>> rr.evaluate({"q1": {"d1": 1}}, {"mine": run}, ["P@1", "P@2"]).coverage().rows()
        [('mine', 'P@1', 1, 0.0), ('mine', 'P@2', 2, 0.5)]
        """
        return self._origin.coverage(self.measures)

    def curve(
        self, measures: str | Measure | Iterable[str | Measure], k: Iterable[int] = range(1, 101)
    ) -> pl.DataFrame:
        """Return measures at many cut-offs.

        Parameters
        ----------
        measures
            One or more that take a cut-off, such as ``"nDCG"``.
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
        # By the names they have here: those of a profile were read when this was made.
        rules = {name: rule for name, rule in self.settings.items() if name != "profile"}
        chosen = chosen_measures(measures, rules)
        return levels(self._origin, chosen, tuple(k))

    def documents(
        self, queries: Iterable[str], k: int = 10, *, systems: Iterable[str] | None = None
    ) -> pl.DataFrame:
        """Return the first documents of the systems' lists, for people to read.

        Parameters
        ----------
        queries
            Of those that count.
        k
            How many documents of each list.
        systems
            Whose lists; all systems' unless given.

        Returns
        -------
        DataFrame
            ``system, query_id, doc_id`` (String), ``rank`` (UInt32) under the rule of ties,
            ``score`` and ``relevance`` (Float64), the grade, which is null where nobody judged the
            document: query by query, system by system, from the first place on.

        Raises
        ------
        OptionError
            If there is no such query or system, or this evaluation was loaded from a file that
            does not hold these documents.

        Examples
        --------
        >>> import rankreport as rr
        >>> run = {"q1": {"d1": 2.0, "d2": 1.0}}
        >>> rr.evaluate({"q1": {"d1": 1}}, {"mine": run}).documents(["q1"]).rows()
        [('mine', 'q1', 'd1', 1, 2.0, 1.0), ('mine', 'q1', 'd2', 2, 1.0, None)]
        """
        counted = self._values[QUERY_ID]
        wanted = asked(queries, systems, k, counted=counted, known=self.systems)
        return self._origin.documents(wanted)

    def holds(self, measures: Sequence[Measure]) -> bool:
        """Whether these measures can be had: any can, unless this was loaded from a file."""
        return self._origin.holds(measures)

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the scores of any measures, wide: ``system, query_id``, a column per measure.

        Raises
        ------
        DataError
            If this evaluation was loaded from a file that does not hold one of them.
        """
        if set(measures) <= set(self.measures):  # most often: they were computed once
            return self._values.select(SYSTEM, QUERY_ID, *dict.fromkeys(map(str, measures)))
        return self._origin.values(measures)

    def write_parquet(
        self,
        path: str | os.PathLike[str],
        also: Sequence[str | Measure] = (),
        documents: pl.DataFrame | None = None,
    ) -> None:
        """Write the scores and the settings that made them, for `load_evaluation`.

        Parameters
        ----------
        path
            The file to write: the frame `scores`, readable by anything that reads Parquet.
        also
            Further measures to write, so that they can be had from the file: the points of a curve.
        documents
            What `documents` returned: those documents can be had from the file too.

        Raises
        ------
        OptionError
            If the path ends in the suffix of something else.
        OutputError
            If it cannot be written; whatever stood there is left alone.
        """
        target = check_suffix(path, "write_parquet", *PARQUET)
        more = dict.fromkeys(m for m in map(parse, also) if m not in self.measures)
        values = self._origin.values((*self.measures, *more))
        metadata = described(
            self._origin,
            values,
            (*self.measures, *more),
            documents,
            systems=self.systems,
            asked=[str(m) for m in self.measures],
            primary=str(self.primary),
            settings=dict(self.settings),
        )
        with replacing(target) as file:
            long(values).write_parquet(file, metadata=metadata)

    def to_polars(self) -> pl.DataFrame:
        """Return `summary`."""
        return self.summary()

    def shown(self) -> Table:
        """Return the summary as people read it."""
        n_queries = max(self.quality["n_queries"].to_list())
        return table_of(self.summary(), caption=counted(n_queries, "query", "queries"))
