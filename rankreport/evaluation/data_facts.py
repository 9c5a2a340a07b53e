"""What is known of the data of an evaluation, each fact found when it is first read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from rankreport.evaluation.depths import Depth
from rankreport.evaluation.origins import Origin
from rankreport.evaluation.unjudged import depth_of
from rankreport.frames import QUERY_ID, SYSTEM
from rankreport.io import Remark
from rankreport.measures import Measure


@dataclass(frozen=True, eq=False)
class DataFacts:
    """What cautions are made of; ties and coverage are of the primary measure alone."""

    measures: tuple[Measure, ...]
    primary: Measure
    settings: Mapping[str, str]
    origin: Origin

    @cached_property
    def scores(self) -> pl.DataFrame:
        """The scores, wide: ``system, query_id``, then a Float64 column per measure."""
        return self.origin.values(self.measures)

    @cached_property
    def quality(self) -> pl.DataFrame:
        """The frame of `rankreport.Evaluation.quality`."""
        return self.origin.quality()

    @cached_property
    def unanswered(self) -> pl.DataFrame:
        """The frame of `rankreport.Evaluation.unanswered`."""
        return self.origin.unanswered()

    @cached_property
    def ranked_alone(self) -> list[str]:
        """The systems whose runs have ranks but no scores."""
        return self.origin.ranked_alone()

    @cached_property
    def top_grade(self) -> float:
        """The highest grade in the judgments."""
        return self.origin.top_grade()

    @cached_property
    def positives_only(self) -> bool:
        """Whether all judged documents have a positive grade."""
        return self.origin.positives_only()

    @cached_property
    def depths(self) -> Mapping[str, Depth]:
        """How deep each system's lists are, where known."""
        return self.origin.depths()

    @cached_property
    def ties(self) -> pl.DataFrame:
        """The frame of `rankreport.Evaluation.ties`."""
        scores = self.scores.select(SYSTEM, QUERY_ID, str(self.primary))
        return self.origin.ties(scores, [self.primary])

    @cached_property
    def coverage(self) -> pl.DataFrame:
        """The frame of `rankreport.Evaluation.coverage`."""
        return self.origin.coverage([self.primary])

    @cached_property
    def undefined(self) -> pl.DataFrame:
        """The number of queries without a value: ``system, measure, n_undefined, n_queries``."""
        return self.origin.undefined(self.scores)

    @cached_property
    def short_lists(self) -> pl.DataFrame:
        """The lists that end before the cut-off of the primary measure."""
        return self.origin.short_lists(depth_of(self.primary))

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
        return self.origin.remarks()
