"""What is known of the data of an evaluation, each fact found when it is first read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from rankreport.evaluation.depths import Depth, depths_of
from rankreport.evaluation.facts import (
    DEPTHS,
    QUALITY,
    RANKED_ALONE,
    UNANSWERED,
    shares_unjudged,
    short_lists,
    tie_bounds,
    undefined_values,
)
from rankreport.evaluation.origins import Origin
from rankreport.evaluation.own_columns import OwnColumns, scores_of
from rankreport.evaluation.unjudged import depth_of
from rankreport.frames import QUERY_ID, SYSTEM
from rankreport.io import BY_COLUMN, Remark
from rankreport.measures import Measure

_MOSTLY_POSITIVE = 0.85
"""With at least this share of positive grades, judged documents alone say nothing of an order."""


@dataclass(frozen=True, eq=False)
class DataFacts:
    """What cautions are made of; ties and coverage are of the primary measure alone."""

    measures: tuple[Measure, ...]
    primary: Measure
    settings: Mapping[str, str]
    origin: Origin
    own: OwnColumns | None = None

    @cached_property
    def scores(self) -> pl.DataFrame:
        """The scores, wide: ``system, query_id``, then a Float64 column per measure."""
        return scores_of(self.origin, self.own, self.measures)

    @cached_property
    def quality(self) -> pl.DataFrame:
        """The frame of `rankreport.Evaluation.quality`."""
        return self.origin.fact(QUALITY)

    @cached_property
    def unanswered(self) -> pl.DataFrame:
        """The judged queries for which a system returned nothing: ``system, query_id``."""
        return self.origin.fact(UNANSWERED)

    @cached_property
    def ranked_alone(self) -> list[str]:
        """The systems whose runs have ranks but no scores."""
        return self.origin.fact(RANKED_ALONE)[SYSTEM].to_list()

    @cached_property
    def share_positive(self) -> float:
        """The share of judged documents with a positive grade."""
        return self.origin.share_positive()

    @property
    def mostly_positive(self) -> bool:
        """Whether judgments name hardly any document that is not relevant.

        What was not judged then cannot be told from what was judged and is not relevant.
        """
        return self.share_positive >= _MOSTLY_POSITIVE

    @cached_property
    def depths(self) -> Mapping[str, Depth]:
        """How deep each system's lists are, where known."""
        return depths_of(self.origin.fact(DEPTHS))

    @cached_property
    def ties(self) -> pl.DataFrame:
        """The frame of `rankreport.Evaluation.ties`."""
        scores = self.scores.select(SYSTEM, QUERY_ID, str(self.primary))
        return self.origin.fact(tie_bounds([self.primary], scores))

    @cached_property
    def coverage(self) -> pl.DataFrame:
        """The frame of `rankreport.Evaluation.coverage`."""
        return self.origin.fact(shares_unjudged([self.primary]))

    @cached_property
    def undefined(self) -> pl.DataFrame:
        """The number of queries without a value: ``system, measure, n_undefined, n_queries``."""
        return self.origin.fact(undefined_values(self.measures, self.scores))

    @cached_property
    def short_lists(self) -> pl.DataFrame:
        """The lists that end before the cut-off of the primary measure."""
        return self.origin.fact(short_lists(depth_of(self.primary)))

    @cached_property
    def same_scores(self) -> list[list[str]]:
        """The systems with the same scores for every query, not all 0, by groups."""
        counts = pl.any_horizontal(pl.exclude(SYSTEM, QUERY_ID) != 0)
        rows = self.scores.select(SYSTEM, counts.alias("counts"))
        rows = rows.with_columns(self.scores.drop(SYSTEM).hash_rows().alias("hash"))
        systems = rows.group_by(SYSTEM, maintain_order=True).agg(pl.any("counts"), pl.col("hash"))
        alike = systems.filter("counts").group_by("hash", maintain_order=True).agg(SYSTEM)
        return [names for names in alike[SYSTEM].to_list() if len(names) > 1]

    @cached_property
    def remarks(self) -> list[Remark]:
        """What was remarked on the sources as they were read."""
        return [*self.origin.remarks(), *(self.own.remarks if self.own else ())]

    def _of(self, code: str) -> Iterator[Remark]:
        return (each for each in self.remarks if each.code == code)

    @property
    def has_stored_baseline(self) -> bool:
        """Whether a stored system was joined with the new ones, to compare them with it."""
        return any(each.code == "stored_baseline" for each in self.origin.known_remarks())

    @property
    def n_declared(self) -> int:
        """How many tests share the error, as was declared of a stored baseline; 1 without."""
        known = (each for each in self.origin.known_remarks() if each.code == "several_tests")
        return max((each.about["declared"] or 1 for each in known), default=1)

    @property
    def copies(self) -> list[list[str]]:
        """The systems that returned the same documents in the same order, by groups."""
        groups: dict[int, list[str]] = {}
        for remark in self._of("identical_runs"):
            groups.setdefault(remark.about["group"], []).append(str(remark.system))
        return [names for names in groups.values() if len(names) > 1]

    @property
    def repeated_scores(self) -> dict[str, float]:
        """Each system's share of rows that repeat a score of their query, if any do."""
        found = self._of("equal_scores")
        return {str(each.system): each.count / each.about["of"] for each in found}

    @property
    def sampled_from(self) -> int | None:
        """From how many queries those evaluated were drawn at random; None if they were not."""
        return next((each.about["of"] for each in self._of("sampled_queries")), None)

    @property
    def named_by_column(self) -> set[str | None]:
        """The systems that a column names."""
        return {each.system for each in self._of(BY_COLUMN)}

    @property
    def folded(self) -> dict[str, tuple[int, int]]:
        """Each system's number of rows, and how many are left; empty if none are folded."""
        return {
            str(each.system): (each.about["of"], each.about["of"] - each.count)
            for each in self._of("folded")
        }
