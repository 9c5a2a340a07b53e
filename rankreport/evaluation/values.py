"""The values that an evaluation consists of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from rankreport import io
from rankreport.caching import Caching, cached
from rankreport.errors import MeasureError
from rankreport.evaluation.data_facts import DataFacts
from rankreport.evaluation.options import chosen_measures
from rankreport.evaluation.origins import FromRuns, Origin
from rankreport.evaluation.own_columns import OwnColumns, scores_of
from rankreport.frames import QUERY_ID, REPEAT, SYSTEM, long, whole_dataset
from rankreport.measures import Measure, is_column, one_of


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationValues(Caching, io.FromFiles):
    """The values that an `Evaluation` consists of; all its figures are functions of them."""

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    primary: Measure
    settings: Mapping[str, str]
    _origin: Origin = field(repr=False)
    _own: OwnColumns | None = field(default=None, repr=False)

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

    @cached_property
    def n_repeats(self) -> dict[str, int]:
        """The number of runs of each system that has several, such as one for each seed."""
        return self._origin.n_repeats()

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

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """The data sets on which all systems have results; empty for an evaluation of one."""
        return tuple(dict.fromkeys(map(whole_dataset, self._origin.datasets())))

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
        return [*self._origin.inputs(), *(self._own.inputs if self._own else ())]


@cached
def data_facts_of(self: EvaluationValues) -> DataFacts:
    """Return what is known of the data of an evaluation."""
    return DataFacts(self.measures, self.primary, self.settings, self._origin, self._own)


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
    self: EvaluationValues,
    measures: str | Measure | Iterable[str | Measure],
    within: int | None = None,
) -> pl.DataFrame:
    """Return the scores of any measures, wide: ``system, query_id``, a column per measure.

    With `within`, those of the lists cut at that depth. Columns have the names of `per_query`.

    Raises
    ------
    MeasureError
        If there is no such measure.
    DataError
        If this evaluation was loaded from a file that does not contain one of them.
    """
    several = [measures] if isinstance(measures, str | Measure) else measures
    chosen = [one_of(self.measures, each) for each in several]
    if within is not None:
        for own in filter(is_column, chosen):
            raise MeasureError(f"{own} is a column of your own, which has no value at a depth.")
        return self._origin.values_within(chosen, within)
    if set(chosen) <= set(self.measures):
        return per_query(self).select(SYSTEM, QUERY_ID, *dict.fromkeys(map(str, chosen)))
    return scores_of(self._origin, self._own, chosen)


def measures_named(
    self: EvaluationValues,
    given: str | Measure | Iterable[str | Measure],
    settings: Mapping[str, str] | None = None,
) -> tuple[Measure, ...]:
    """Return measures as `chosen_measures` does, and columns of the user's own by their names."""
    own = {name: m for m in self.measures if is_column(m) for name in (str(m), m.shown)}
    settings = self.settings if settings is None else settings
    if not own:
        return chosen_measures(given, settings)
    found: list[Measure] = []
    for each in [given] if isinstance(given, str | Measure) else given:
        found += [own[str(each)]] if str(each) in own else chosen_measures(each, settings)
    return tuple(found)


def repeats(
    self: EvaluationValues, measures: Iterable[str | Measure] | None = None
) -> pl.DataFrame:
    """Return the scores of each run of the systems that have several.

    Parameters
    ----------
    measures
        By default those that were evaluated.

    Returns
    -------
    DataFrame
        ``system`` (String), ``repeat`` (Int64, from 1), ``query_id`` (String) and a Float64 column
        per measure; empty where no system has several runs.

    Raises
    ------
    MeasureError, DataError
        As `values`.
    """
    if not self.n_repeats:
        return pl.DataFrame()
    chosen = [one_of(self.measures, each) for each in measures or self.measures]
    found = self._origin.repeats([each for each in chosen if not is_column(each)])
    if own := list(filter(is_column, chosen)):  # of which all runs of a system have one value
        on = [SYSTEM, QUERY_ID]
        found = found.join(values(self, own), on=on, how="left", maintain_order="left")
    return found.select(SYSTEM, REPEAT, QUERY_ID, *map(str, chosen))


def values_by_parts(
    self: EvaluationValues, measures: Sequence[Measure], most: int
) -> Iterator[pl.DataFrame]:
    """Yield the scores of measures as `rankreport.measures.JudgedRows.in_parts` does."""
    return self._origin.values_in_parts(measures, most)


def n_lists_of(self: EvaluationValues) -> int:
    """Return the number of lists of all systems; 0 where their values are in memory anyway."""
    return len(self._origin.judged.queries) if isinstance(self._origin, FromRuns) else 0
