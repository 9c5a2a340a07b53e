"""Scores files: stored results, and the metadata written with them."""

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
    """Results read from a scores file."""

    name: str
    frame: pl.DataFrame
    description: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> FromFile:
        """Read a scores file.

        Raises
        ------
        DataError
            If the file does not exist or was not written by write_parquet.
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
        """Return the stored scores of these measures."""
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
        """Aggregate these measures over queries, or return the stored aggregates."""
        stored = pl.DataFrame(self.description["of_rows"]).cast({cs.exclude(SYSTEM): pl.Float64})
        recomputed = {"weighted"} if weights is not None else set()
        as_stored = [
            str(m)
            for m in measures
            if str(m) in stored.columns and m.declaration.aggregate not in recomputed
        ]
        others = [m for m in measures if str(m) not in as_stored]
        totals = summarise(values, others, weights)
        of_rows = stored.select(SYSTEM, *as_stored) if as_stored else totals.select(SYSTEM)
        totals = totals.join(of_rows, on=SYSTEM, how="left", maintain_order="left")
        return totals.select(SYSTEM, *map(str, measures))

    def judged_documents(self) -> pl.DataFrame:
        """Raise an error: a scores file contains no documents.

        Raises
        ------
        DataError
            Always.
        """
        raise DataError(f"{self.name} contains scores, not documents. Evaluate the runs again.")

    def scored_documents(self) -> pl.DataFrame:
        """Raise an error, like `judged_documents`.

        Raises
        ------
        DataError
            Always.
        """
        return self.judged_documents()

    def ranked_alone(self) -> list[str]:
        """Return the stored names."""
        return list(self.description.get("ranked_alone", []))

    def documents(self, wanted: ListRequest) -> pl.DataFrame:
        """Return stored documents; an error if some of them were not stored."""
        return restored(self.name, self.description, self.unanswered(), wanted)

    def storable(self, documents: pl.DataFrame) -> dict[str, list[Any]]:
        """Convert documents, and the stored lengths of their lists, to values for JSON."""
        lengths = pl.DataFrame(self.description.get("lists", []), schema=LISTS, orient="row")
        return storable(documents, lengths)

    def holds(self, measures: Sequence[Measure]) -> bool:
        """Return whether all of these measures are stored."""
        return {str(m) for m in measures} <= self._held

    @cached_property
    def _held(self) -> set[str]:
        return set(self.frame[MEASURE].unique())

    def quality(self) -> pl.DataFrame:
        """Return the stored counts."""
        return pl.DataFrame(self.description["quality"], schema=QUALITY)

    def ties(self, values: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the stored bounds."""
        del values  # bounds cannot be computed from scores
        return self._written("ties", _TIES, measures)

    def coverage(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the stored shares."""
        return self._written("coverage", _COVERAGE, measures)

    def _written(
        self, what: str, schema: Mapping[str, pl.DataType], measures: Sequence[Measure]
    ) -> pl.DataFrame:
        frame = pl.DataFrame(self.description[what], schema=schema)
        return frame.filter(pl.col(MEASURE).is_in([str(m) for m in measures]))

    def unanswered(self) -> pl.DataFrame:
        """Return the stored queries."""
        return pl.DataFrame(self.description["unanswered"], schema=_UNANSWERED)

    def top_grade(self) -> float:
        """Return the stored grade."""
        return float(self.description["top_grade"])

    def depths(self) -> dict[str, int]:
        """Return the stored lengths; files of earlier versions have none."""
        return dict(self.description.get("depths", {}))

    def inputs(self) -> list[Input]:
        """Return the stored provenance of the inputs."""
        # Files of older versions have no number of rows.
        return [cast("Input", {"rows": None, **read}) for read in self.description["inputs"]]


def described(
    origin: Origin,
    values: pl.DataFrame,
    measures: Sequence[Measure],
    documents: pl.DataFrame | None = None,
    **more: Any,
) -> dict[str, str]:
    """Return the metadata from which a scores file can be loaded as an evaluation.

    Parameters
    ----------
    origin
        The origin of the scores.
    values, measures
        The scores and measures that are written.
    documents
        A result of `rankreport.Evaluation.documents`, if any.
    more
        Further settings of the evaluation.
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
    """Return the aggregates that cannot be computed from the scores of the queries."""
    of_rows = [m for m in measures if m.declaration.aggregate in {"weighted", "pooled"}]
    if not of_rows:
        return {}
    return origin.summary(values, of_rows).to_dict(as_series=False)
