"""What an evaluation was given: judgments, runs and the ids of a corpus, as they were read."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from rankreport.errors import DataError, OptionError
from rankreport.evaluation.data_sets import FromDataSets
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.repeats import OfRepeats
from rankreport.evaluation.values import EvaluationValues
from rankreport.frames import DOC_ID, QUERY_ID, SCORE
from rankreport.io import Source

_BY_NAME = pl.col(QUERY_ID).cast(pl.String)


def judgments_of(self: EvaluationValues) -> pl.DataFrame | None:
    """Return all judgments; None if scores were loaded, or judgments exceed `memory_limit`."""
    origin = self._origin
    if not isinstance(origin, FromRuns) or origin.qrels.partition is not None:
        return None
    return origin.qrels.read().with_columns(_BY_NAME)


def corpus_of(self: EvaluationValues) -> pl.DataFrame | None:
    """Return the ids of the corpus; None if none was declared, or memory is limited."""
    origin = self._origin
    if not isinstance(origin, FromRuns) or origin.ids is None or origin.memory_limit is not None:
        return None
    return pl.concat(origin.ids.each(lambda rows: rows.select(DOC_ID)))


def runs_of(self: EvaluationValues) -> Mapping[str, list[pl.DataFrame]]:
    """Return the runs of each system, of which `evaluate` makes the same scores again.

    Scores, ranks and the order of rows are as they were read; of ranks alone there are no scores.

    Raises
    ------
    DataError
        If scores were loaded, without runs.
    OptionError
        If runs are of several data sets, folded, or larger than `memory_limit`.
    """
    origin = origin_with_runs(self)
    kept = {**origin.systems, **origin.with_query}
    further = origin.further if isinstance(origin, OfRepeats) else {}
    refused = {
        "of several data sets": isinstance(origin, FromDataSets),
        "folded by collapse": origin.collapse is not None,
        "larger than memory_limit": any(run.partition is not None for run in kept.values()),
    }
    for what, holds in refused.items():
        if holds:
            raise OptionError(f"Runs cannot be kept where they are {what}: store scores alone.")
    runs = {system: [_as_read(kept[system])] for system in self.systems}
    for name, run in further.items():
        runs[run.repeat_of].append(_as_read(kept.get(name, run)))
    return runs


def origin_with_runs(self: EvaluationValues) -> FromRuns:
    """Return the origin of an evaluation of runs.

    Raises
    ------
    DataError
        If scores were loaded.
    """
    if not isinstance(self._origin, FromRuns):
        raise DataError(
            "This evaluation was loaded from a file, which contains no runs. Evaluate the runs."
        )
    return self._origin


def _as_read(run: Source) -> pl.DataFrame:
    ranks = (column for column in run.role.others if column in run.columns)
    rows = run.read(*ranks).with_columns(_BY_NAME)
    return rows if run.scored else rows.drop(SCORE)
