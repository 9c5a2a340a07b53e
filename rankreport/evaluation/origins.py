"""The origin of an evaluation's results: the protocol, and its implementation for runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import polars as pl
from tqdm import tqdm

from rankreport.evaluation.diagnostics import bounds, counted, tie_table, unjudged
from rankreport.evaluation.documents import LISTS, ListRequest, first_documents, storable
from rankreport.evaluation.judging import Judged, judge
from rankreport.evaluation.unjudged import Unjudged, depth_of, unjudged_of
from rankreport.frames import QUERY_ID, RELEVANCE, SYSTEM, TOP_GRADE
from rankreport.io import Input, Source, input_of
from rankreport.measures import TIES, JudgedRows, Measure, TieRule

__all__ = ["FromRuns", "Origin"]


class Origin(Protocol):
    """The origin of an evaluation's results: runs or a scores file."""

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the scores of these measures: ``system, query_id`` and a column per measure."""

    def summary(
        self,
        values: pl.DataFrame,
        measures: Sequence[Measure],
        weights: pl.DataFrame | None = None,
    ) -> pl.DataFrame:
        """Aggregate `values` over queries: ``system`` and a column per measure."""

    def judged_documents(self) -> pl.DataFrame:
        """Return the judged frame."""

    def scored_documents(self) -> pl.DataFrame:
        """Return the judged frame of the systems with scores.

        Systems whose runs have ranks but no scores are left out, and all systems with
        ``ties="rank"``, which ignores scores.
        """

    def ranked_alone(self) -> list[str]:
        """Return the systems whose runs have ranks but no scores."""

    def documents(self, wanted: ListRequest) -> pl.DataFrame:
        """Return the frame of `rankreport.Evaluation.documents`."""

    def storable(self, documents: pl.DataFrame) -> dict[str, list[Any]]:
        """Convert documents to values for JSON, to be read by `documents.restored`."""

    def holds(self, measures: Sequence[Measure]) -> bool:
        """Return whether `values` are available for all these measures."""

    def quality(self) -> pl.DataFrame:
        """Return the frame of `rankreport.Evaluation.quality`."""

    def ties(self, values: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the frame of `rankreport.Evaluation.ties` for measures with these values."""

    def coverage(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the frame of `rankreport.Evaluation.coverage`."""

    def unjudged(self, measure: Measure) -> Unjudged | None:
        """Return the unjudged documents at the top of the lists, or None if they are not known."""

    def unanswered(self) -> pl.DataFrame:
        """Return the judged queries for which a system returned nothing."""

    def top_grade(self) -> float:
        """Return the highest grade in the judgments."""

    def positives_only(self) -> bool:
        """Return whether all judged documents have a positive grade."""

    def depths(self) -> dict[str, int]:
        """Return the length of each system's longest list, where known."""

    def inputs(self) -> list[Input]:
        """Return the provenance of the inputs."""


@dataclass(frozen=True, eq=False)
class FromRuns:
    """Results computed from judgments and runs, which are read once, on first use.

    ``by_subtopic`` opens the judgments as those of subtopics, to explain a fault of theirs. ``top``
    is the highest grade of all judgments where these are some of them.
    """

    qrels: Source
    systems: Mapping[str, Source]
    settings: Mapping[str, str]
    by_subtopic: Callable[[], Source] | None = None
    top: float | None = None

    @cached_property
    def judged(self) -> Judged:
        """The judged frame, with its counts."""
        # The bar appears only on a terminal, if the work takes longer than a second.
        with tqdm(
            total=len(self.systems), desc="reading runs", delay=1, disable=None, leave=False
        ) as bar:
            rules = {n: rule for n, rule in self.settings.items() if n not in {"profile", "ties"}}
            judged = judge(
                self.qrels,
                self.systems,
                ties=self._tie_rule,
                **rules,
                by_subtopic=self.by_subtopic,
                advance=lambda _: bar.update(),
            )
        if self.top is None:
            return judged
        frame = judged.frame.with_columns(pl.lit(self.top).alias(TOP_GRADE))
        return replace(judged, frame=frame, top_grade=self.top)

    @property
    def _tie_rule(self) -> TieRule:
        return TIES[self.settings["ties"]]

    @cached_property
    def rows(self) -> JudgedRows:
        """The rows that measures are computed from."""
        judged = self.judged
        return JudgedRows(
            judged.frame,
            judged.subtopics,
            expected=self._tie_rule.expected,
            one_where_barren=self._one_where_barren,
        )

    @property
    def _one_where_barren(self) -> bool:
        return self.settings["no_relevant"] == "one"

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute these measures from the judged frame."""
        return self.rows.of_queries(measures)

    def summary(
        self,
        values: pl.DataFrame,
        measures: Sequence[Measure],
        weights: pl.DataFrame | None = None,
    ) -> pl.DataFrame:
        """Aggregate these measures over queries."""
        return self.rows.of_systems(values, measures, weights)

    def judged_documents(self) -> pl.DataFrame:
        """Return the judged frame."""
        return self.judged.frame

    def scored_documents(self) -> pl.DataFrame:
        """Return the judged frame of the systems with scores."""
        ignored = self._tie_rule.by_rank
        scored = [name for name, run in self.systems.items() if run.scored and not ignored]
        return self.judged.frame.filter(pl.col(SYSTEM).is_in(scored))

    def ranked_alone(self) -> list[str]:
        """Return the systems whose runs have ranks but no scores."""
        return [name for name, run in self.systems.items() if not run.scored]

    def documents(self, wanted: ListRequest) -> pl.DataFrame:
        """Read the first documents of these lists from the runs."""
        if wanted not in self._found:
            precision = self.settings["precision"]
            found = first_documents(
                self.judged, self.systems, wanted, ties=self._tie_rule, precision=precision
            )
            self._found.clear()
            self._found[wanted] = found
        return self._found[wanted]

    @cached_property
    def _found(self) -> dict[ListRequest, pl.DataFrame]:
        """Cache of the last request, which a report repeats for each output format."""
        return {}

    def storable(self, documents: pl.DataFrame) -> dict[str, list[Any]]:
        """Convert documents, and the lengths of their lists, to values for JSON."""
        lengths = self.judged.queries.select(pl.col(name).cast(t) for name, t in LISTS.items())
        return storable(documents, lengths)

    def holds(self, measures: Sequence[Measure]) -> bool:
        """Return True: any measure can be computed."""
        del measures
        return True

    def quality(self) -> pl.DataFrame:
        """Count the diagnostics of the data."""
        return counted(self.judged)

    def ties(self, values: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute the bounds of these measures over the orders of equal scores."""
        worst, best = self.tie_bounds(values, measures)
        return tie_table(worst, best, self.summary(values, measures), measures)

    def tie_bounds(
        self, values: pl.DataFrame, measures: Sequence[Measure]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Compute the scores under the worst and the best order of equal scores."""
        return bounds(self.judged.frame, values, measures, one_where_barren=self._one_where_barren)

    def coverage(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute the share of unjudged documents within the cut-off of each measure."""
        return unjudged(self.judged.frame, measures)

    def unjudged(self, measure: Measure) -> Unjudged:
        """Read the first documents of all lists, and compute the values without unjudged ones."""
        if measure not in self._unjudged:
            queries = tuple(self.judged.frame[QUERY_ID].unique(maintain_order=True))
            wanted = ListRequest(queries, tuple(self.systems), depth_of(measure))
            rule, precision = self._tie_rule, self.settings["precision"]
            shown = first_documents(
                self.judged, self.systems, wanted, ties=rule, precision=precision
            )
            found = unjudged_of(
                self.judged,
                shown,
                measure,
                expected=rule.expected,
                one_where_barren=self._one_where_barren,
            )
            self._unjudged[measure] = found
        return self._unjudged[measure]

    @cached_property
    def _unjudged(self) -> dict[Measure, Unjudged]:
        return {}

    def unanswered(self) -> pl.DataFrame:
        """Return the judged queries for which a system returned nothing."""
        nothing = pl.col("counted") & (pl.col("n_retrieved") == 0)
        return self.judged.queries.filter(nothing).select(SYSTEM, QUERY_ID)

    def top_grade(self) -> float:
        """Return the highest grade in the judgments."""
        return self.judged.top_grade

    def positives_only(self) -> bool:
        """Return whether all judged documents have a positive grade."""
        return bool((self.judged.frame[RELEVANCE] > 0).all())

    def depths(self) -> dict[str, int]:
        """Return the length of each system's longest list."""
        queries = self.judged.queries.group_by(SYSTEM, maintain_order=True)
        return dict(queries.agg(pl.col("n_retrieved").max()).iter_rows())

    def inputs(self) -> list[Input]:
        """Return the provenance of the judgments and runs."""
        n_ranked = self.judged.n_ranked
        return [
            input_of("qrels", self.qrels.contents, self.judged.n_judgments),
            *(
                input_of(f"run {name}", source.contents, n_ranked[name])
                for name, source in self.systems.items()
            ),
        ]
