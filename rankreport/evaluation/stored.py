"""Scores files: reading stored figures, and the metadata written with them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import polars as pl
import polars.selectors as cs

from rankreport.errors import DataError
from rankreport.evaluation.diagnostics import QUALITY
from rankreport.evaluation.documents import LISTS, ListRequest, restored, storable
from rankreport.evaluation.origins import Origin
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM, wide
from rankreport.io import Input
from rankreport.measures import Measure, summarise

__all__ = ["FromFile", "described"]

_METADATA = "rankreport"
_SCHEMA = 2
_UNANSWERED = {SYSTEM: pl.String(), QUERY_ID: pl.String()}
_TIES = {
    SYSTEM: pl.String(),
    MEASURE: pl.String(),
    "n_queries": pl.Int64(),
    "worst": pl.Float64(),
    "value": pl.Float64(),
    "best": pl.Float64(),
}
_COVERAGE = {SYSTEM: pl.String(), MEASURE: pl.String(), "k": pl.Int64(), "unjudged": pl.Float64()}


@dataclass(frozen=True, eq=False)
class FromFile:
    """Figures as they were written."""

    name: str
    frame: pl.DataFrame
    description: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> FromFile:
        """Read a file of scores.

        Raises
        ------
        DataError
            If there is no such file, or write_parquet did not write it.
        """
        if not path.is_file():
            raise DataError(
                f"{path} does not exist. Expected scores written by write_parquet. In the "
                f"notebook of a report, set DATA (and QUERIES, if present) in the parameters cell "
                f"to the file's current path, absolute or relative to the notebook's folder."
            )
        try:
            metadata = pl.read_parquet_metadata(path)
            frame = pl.read_parquet(path)
        except pl.exceptions.PolarsError as error:
            raise DataError(f"{path} is not a Parquet file ({error}).") from None
        if _METADATA not in metadata:
            raise DataError(
                f"{path} contains no evaluation settings. Expected scores written by write_parquet."
            )
        description = json.loads(metadata[_METADATA])
        if description["schema"] != _SCHEMA:
            raise DataError(
                f"{path} has schema {description['schema']}; this version of rankreport reads "
                f"{_SCHEMA}. Evaluate again, or use the version that wrote it."
            )
        return cls(str(path), frame, description)

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return these measures, if they were written."""
        lacking = [str(m) for m in measures if str(m) not in self._held]
        if lacking:
            raise DataError(
                f"{self.name} does not contain {', '.join(lacking[:3])}. Evaluate the runs again, "
                f"or write it with write_parquet(..., also=[...])."
            )
        return wide(self.frame, measures)

    def summary(
        self,
        values: pl.DataFrame,
        measures: Sequence[Measure],
        weights: pl.DataFrame | None = None,
    ) -> pl.DataFrame:
        """Return what these measures amount to, computed anew or as it was written."""
        written = pl.DataFrame(self.description["of_rows"]).cast({cs.exclude(SYSTEM): pl.Float64})
        given = {"weighted"} if weights is not None else set()
        as_written = [
            str(m)
            for m in measures
            if str(m) in written.columns and m.declaration.aggregate not in given
        ]
        anew = [m for m in measures if str(m) not in as_written]
        totals = summarise(values, anew, weights)
        of_rows = written.select(SYSTEM, *as_written) if as_written else totals.select(SYSTEM)
        totals = totals.join(of_rows, on=SYSTEM, how="left", maintain_order="left")
        return totals.select(SYSTEM, *map(str, measures))

    def judged_documents(self) -> pl.DataFrame:
        """Refuse: a file of scores holds no documents.

        Raises
        ------
        DataError
        """
        raise DataError(f"{self.name} contains scores, not documents. Evaluate the runs again.")

    def scored_documents(self) -> pl.DataFrame:
        """Refuse likewise.

        Raises
        ------
        DataError
        """
        return self.judged_documents()

    def ranked_alone(self) -> list[str]:
        """Return the names that were written."""
        return list(self.description.get("ranked_alone", []))

    def documents(self, wanted: ListRequest) -> pl.DataFrame:
        """Return documents that were written, if all of these were."""
        return restored(self.name, self.description, self.unanswered(), wanted)

    def storable(self, documents: pl.DataFrame) -> dict[str, list[Any]]:
        """Return documents, and the lengths of lists that were written."""
        lengths = pl.DataFrame(self.description.get("lists", []), schema=LISTS, orient="row")
        return storable(documents, lengths)

    def holds(self, measures: Sequence[Measure]) -> bool:
        """Whether all of them were written."""
        return {str(m) for m in measures} <= self._held

    @cached_property
    def _held(self) -> set[str]:
        return set(self.frame[MEASURE].unique())

    def quality(self) -> pl.DataFrame:
        """Return the counts that were written."""
        return pl.DataFrame(self.description["quality"], schema=QUALITY)

    def ties(self, values: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the bounds that were written."""
        del values  # they would not tell
        return self._written("ties", _TIES, measures)

    def coverage(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the shares that were written."""
        return self._written("coverage", _COVERAGE, measures)

    def _written(
        self, what: str, schema: Mapping[str, pl.DataType], measures: Sequence[Measure]
    ) -> pl.DataFrame:
        frame = pl.DataFrame(self.description[what], schema=schema)
        return frame.filter(pl.col(MEASURE).is_in([str(m) for m in measures]))

    def unanswered(self) -> pl.DataFrame:
        """Return the list that was written."""
        return pl.DataFrame(self.description["unanswered"], schema=_UNANSWERED)

    def top_grade(self) -> float:
        """Return the grade that was written."""
        return float(self.description["top_grade"])

    def depths(self) -> dict[str, int]:
        """Return the lengths that were written; files of earlier versions hold none."""
        return dict(self.description.get("depths", {}))

    def inputs(self) -> list[Input]:
        """Return what the file's evaluation had read."""
        # A file of an older version does not say how many rows there were.
        return [cast("Input", {"rows": None, **read}) for read in self.description["inputs"]]


def described(
    origin: Origin,
    values: pl.DataFrame,
    measures: Sequence[Measure],
    documents: pl.DataFrame | None = None,
    **more: Any,
) -> dict[str, str]:
    """Return what makes a file of scores of these measures an evaluation again, as metadata.

    Parameters
    ----------
    origin
        Where the scores come from.
    values, measures
        All that are written.
    documents
        What is to be had of `rankreport.Evaluation.documents`, if anything is.
    more
        What the evaluation itself knows.
    """
    description = {
        "of_rows": _of_rows(origin, values, measures),
        "schema": _SCHEMA,
        "inputs": origin.inputs(),
        "quality": origin.quality().to_dicts(),
        "ties": origin.ties(values, measures).to_dicts(),
        "coverage": origin.coverage(measures).to_dicts(),
        "unanswered": origin.unanswered().to_dicts(),
        "ranked_alone": origin.ranked_alone(),
        "top_grade": origin.top_grade(),
        "depths": origin.depths(),
        **({} if documents is None else origin.storable(documents)),
        **more,
    }
    return {_METADATA: json.dumps(description)}


def _of_rows(
    origin: Origin, values: pl.DataFrame, measures: Sequence[Measure]
) -> dict[str, list[Any]]:
    """Return what cannot be computed from the scores of the queries, to be written as it is."""
    of_rows = [m for m in measures if m.declaration.aggregate in {"weighted", "pooled"}]
    if not of_rows:
        return {}
    return origin.summary(values, of_rows).to_dict(as_series=False)
