"""The scores of an evaluation, by system and query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from rankreport import io
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.values import EvaluationValues
from rankreport.frames import QUERY_ID, SYSTEM, long
from rankreport.keeping import kept
from rankreport.measures import Measure, values_in_parts


@kept
def long_scores(evaluation: EvaluationValues) -> pl.DataFrame:
    """Return the frame of `Evaluation.scores`."""
    return long(values_of(evaluation))


def values_of(evaluation: EvaluationValues) -> pl.DataFrame:
    """Return the scores, wide, as `Evaluation.per_query`."""
    io.check_process()
    return _known_values(evaluation)


@kept
def _known_values(self: EvaluationValues) -> pl.DataFrame:
    return self._origin.values(self.measures)


@kept
def query_ids_of(evaluation: EvaluationValues) -> list[str]:
    """Return the evaluated queries, in the order of all results."""
    return values_of(evaluation)[QUERY_ID].unique(maintain_order=True).to_list()


def scores_by_measure(evaluation: EvaluationValues) -> Iterator[pl.DataFrame]:
    """Yield the rows of `scores`, those of one measure at a time."""
    for measure in evaluation.measures:
        yield long(values_of(evaluation).select(SYSTEM, QUERY_ID, str(measure)))


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
        return values_of(self).select(SYSTEM, QUERY_ID, *dict.fromkeys(map(str, measures)))
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


def per_query(self: EvaluationValues) -> pl.DataFrame:
    """Return the scores, wide: ``system, query_id``, then a Float64 column per measure."""
    return values_of(self)
