"""The values that an evaluation consists of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from rankreport import io
from rankreport.caching import Caching, cached
from rankreport.evaluation.data_facts import DataFacts
from rankreport.evaluation.origins import FromRuns, Origin
from rankreport.frames import QUERY_ID, SYSTEM, long
from rankreport.measures import Measure, values_in_parts


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationValues(Caching, io.FromFiles):
    """The values that an `Evaluation` consists of; all its figures are functions of them."""

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
        return long(per_query(self))

    @cached_property
    def query_ids(self) -> list[str]:
        """The evaluated queries, in the order of all results."""
        return per_query(self)[QUERY_ID].unique(maintain_order=True).to_list()

    @property
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
        return data_facts_of(self).quality

    @property
    def unanswered(self) -> pl.DataFrame:
        """The judged queries for which a system returned nothing: ``system, query_id``."""
        return data_facts_of(self).unanswered

    @cached_property
    def unanswerable(self) -> tuple[str, ...]:
        """The queries declared to have no answer, by name; every mean is over the others."""
        return self._origin.unanswerable()

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


@cached
def data_facts_of(self: EvaluationValues) -> DataFacts:
    """Return what is known of the data of an evaluation."""
    return DataFacts(self.measures, self.primary, self.settings, self._origin)


def places_of(self: EvaluationValues) -> dict[str, str]:
    """Return the paths and addresses that `inputs` were read from, by role, where known."""
    return self._origin.places()


def memory_limit_of(self: EvaluationValues) -> int | None:
    """Return how much memory may be used, in bytes, if that is limited."""
    return self._origin.memory_limit if isinstance(self._origin, FromRuns) else None


def per_query(self: EvaluationValues) -> pl.DataFrame:
    """Return the scores, wide: ``system, query_id``, then a Float64 column per measure."""
    io.check_process()
    return data_facts_of(self).scores


def scores_by_measure(evaluation: EvaluationValues) -> Iterator[pl.DataFrame]:
    """Yield the rows of `scores`, those of one measure at a time."""
    for measure in evaluation.measures:
        yield long(per_query(evaluation).select(SYSTEM, QUERY_ID, str(measure)))


def holds(self: EvaluationValues, measures: Sequence[Measure]) -> bool:
    """Return whether these measures are available; all are, unless loaded from a file."""
    return self._origin.holds(measures)


def values(
    self: EvaluationValues, measures: Sequence[Measure], within: int | None = None
) -> pl.DataFrame:
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
        return per_query(self).select(SYSTEM, QUERY_ID, *dict.fromkeys(map(str, measures)))
    return self._origin.values(measures)


def values_by_parts(
    self: EvaluationValues, measures: Sequence[Measure], most: int
) -> Iterator[pl.DataFrame]:
    """Yield the scores of measures as `rankreport.measures.JudgedRows.in_parts` does."""
    if isinstance(self._origin, FromRuns):
        return self._origin.values_in_parts(measures, most)
    return values_in_parts(self._origin.values, measures, most)


def n_lists_of(self: EvaluationValues) -> int:
    """Return the number of lists of all systems; 0 where their values are in memory anyway."""
    return len(self._origin.judged.queries) if isinstance(self._origin, FromRuns) else 0
