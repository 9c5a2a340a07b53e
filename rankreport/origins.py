"""Where an evaluation's figures come from: judgments and runs, or a file of scores."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import polars as pl
from tqdm import tqdm

from rankreport.columns import MEASURE, QUERY_ID, SYSTEM
from rankreport.errors import DataError
from rankreport.judging import Judged, judge
from rankreport.loading import Input, Source, input_of
from rankreport.measures import Judged as JudgedShare
from rankreport.measures import JudgedRows, Measure, NumRet, long, summarise, wide

__all__ = ["FromFile", "FromRuns", "Origin", "described"]

_METADATA = "rankreport"
_SCHEMA = 2
_JUDGED_AT = JudgedShare @ 10
_UNANSWERED = {SYSTEM: pl.String(), QUERY_ID: pl.String()}
_QUALITY = {
    SYSTEM: pl.String(),
    "n_queries": pl.Int64(),
    "n_unanswered": pl.Int64(),
    "n_left_out": pl.Int64(),
    "n_unjudged": pl.Int64(),
    "n_no_relevant": pl.Int64(),
    "n_tied": pl.Int64(),
    "judged_at_10": pl.Float64(),
}


class Origin(Protocol):
    """What an evaluation asks of where its figures come from."""

    def scores(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the scores of these measures: ``system, query_id, measure, value``."""

    def summary(
        self, measures: Sequence[Measure], weights: pl.DataFrame | None = None
    ) -> pl.DataFrame:
        """Return every system's value of each measure: ``system`` and a column per measure."""

    def holds(self, measures: Sequence[Measure]) -> bool:
        """Whether `scores` can be had for all these measures."""

    def quality(self) -> pl.DataFrame:
        """Return what is described at `rankreport.Evaluation.quality`."""

    def unanswered(self) -> pl.DataFrame:
        """Return the judged queries that a system returned nothing for."""

    def top_grade(self) -> float:
        """Return the highest grade of all the judgments."""

    def inputs(self) -> list[Input]:
        """Return what was read."""


@dataclass(frozen=True, eq=False)
class FromRuns:
    """Figures computed from judgments and runs, which are read once, when first needed."""

    qrels: Source
    systems: Mapping[str, Source]
    settings: Mapping[str, str]

    @cached_property
    def judged(self) -> Judged:
        """The judged frame, with its counts."""
        # A bar appears only where the work takes longer than a second and somebody watches.
        with tqdm(
            total=len(self.systems), desc="reading runs", delay=1, disable=None, leave=False
        ) as bar:
            return judge(self.qrels, self.systems, **self.settings, advance=lambda _: bar.update())

    @cached_property
    def rows(self) -> JudgedRows:
        """What measures are computed from."""
        return JudgedRows(self.judged.frame, expected=self.settings["ties"] == "expected")

    def scores(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute these measures from the judged frame."""
        return long(self.rows.of_queries(measures))

    def summary(
        self, measures: Sequence[Measure], weights: pl.DataFrame | None = None
    ) -> pl.DataFrame:
        """Compute what these measures amount to over the queries."""
        return self.rows.of_systems(measures, weights)

    def holds(self, measures: Sequence[Measure]) -> bool:
        """Whether they can be computed: any measure can."""
        del measures
        return True

    def quality(self) -> pl.DataFrame:
        """Count what a reader must know of the data."""
        counted = pl.col("counted")
        shares = JudgedRows(self.judged.frame).of_queries([_JUDGED_AT, NumRet])
        # Of the queries answered: where nothing was returned, nothing is left unjudged.
        judged_at = (
            shares.lazy()
            .filter(pl.col(str(NumRet)) > 0)
            .group_by(SYSTEM, maintain_order=True)
            .agg(pl.col(str(_JUDGED_AT)).mean().alias("judged_at_10"))
            .collect(engine="in-memory")
        )
        return (
            self.judged.queries.group_by(SYSTEM, maintain_order=True)
            .agg(
                counted.sum().alias("n_queries"),
                (counted & (pl.col("n_retrieved") == 0)).sum().alias("n_unanswered"),
                (~counted).sum().alias("n_left_out"),
                (pl.col("n_relevant") == 0).sum().alias("n_no_relevant"),
                (counted & pl.col("tied")).sum().alias("n_tied"),
            )
            .with_columns(
                pl.col(SYSTEM)
                .replace_strict(dict(self.judged.n_unjudged_queries), return_dtype=pl.UInt32)
                .alias("n_unjudged")
            )
            .join(judged_at, on=SYSTEM, how="left", maintain_order="left")
            .select(pl.col(name).cast(dtype) for name, dtype in _QUALITY.items())
        )

    def unanswered(self) -> pl.DataFrame:
        """List the judged queries that a system returned nothing for."""
        nothing = pl.col("counted") & (pl.col("n_retrieved") == 0)
        return self.judged.queries.filter(nothing).select(SYSTEM, QUERY_ID)

    def top_grade(self) -> float:
        """Return the highest grade of all the judgments."""
        return self.judged.top_grade

    def inputs(self) -> list[Input]:
        """Name every source, with the SHA-256 of its bytes."""
        return [
            input_of("qrels", self.qrels.contents),
            *(input_of(f"run {name}", source.contents) for name, source in self.systems.items()),
        ]


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
            If there is no such file, or it is not one of ours.
        """
        if not path.is_file():
            raise DataError(f"{path} does not exist. Expected scores that write_parquet wrote.")
        try:
            metadata = pl.read_parquet_metadata(path)
            frame = pl.read_parquet(path)
        except pl.exceptions.PolarsError as error:
            raise DataError(f"{path} is not a Parquet file ({error}).") from None
        if _METADATA not in metadata:
            raise DataError(
                f"{path} holds no settings of an evaluation. Expected scores that write_parquet "
                f"wrote."
            )
        description = json.loads(metadata[_METADATA])
        if description["schema"] != _SCHEMA:
            raise DataError(
                f"{path} has schema {description['schema']}, this version of rankreport reads "
                f"{_SCHEMA}. Evaluate again, or use the version that wrote it."
            )
        return cls(str(path), frame, description)

    def scores(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return these measures, if they were written."""
        lacking = [str(m) for m in measures if str(m) not in self._held]
        if lacking:
            raise DataError(
                f"{self.name} holds no {', '.join(lacking[:3])}. Evaluate the runs again, or write "
                f"it with write_parquet(..., also=[...])."
            )
        return self.frame.filter(pl.col(MEASURE).is_in([str(m) for m in measures]))

    def summary(
        self, measures: Sequence[Measure], weights: pl.DataFrame | None = None
    ) -> pl.DataFrame:
        """Return what these measures amount to, computed anew or, of all rows, as it was written.

        Raises
        ------
        DataError
            If weights are given for a measure whose own were not written.
        """
        totals = summarise(wide(self.scores(measures), measures), measures, weights)
        written = pl.DataFrame(self.description["of_rows"])
        return totals.with_columns(
            written[str(m)]
            for m in measures
            if str(m) in written.columns
            and not (m.declaration.aggregate == "weighted" and weights is not None)
        )

    def holds(self, measures: Sequence[Measure]) -> bool:
        """Whether all of them were written."""
        return {str(m) for m in measures} <= self._held

    @cached_property
    def _held(self) -> set[str]:
        return set(self.frame[MEASURE].unique())

    def quality(self) -> pl.DataFrame:
        """Return the counts that were written."""
        return pl.DataFrame(self.description["quality"], schema=_QUALITY)

    def unanswered(self) -> pl.DataFrame:
        """Return the list that was written."""
        return pl.DataFrame(self.description["unanswered"], schema=_UNANSWERED)

    def top_grade(self) -> float:
        """Return the grade that was written."""
        return float(self.description["top_grade"])

    def inputs(self) -> list[Input]:
        """Return what the file's evaluation had read."""
        return list(self.description["inputs"])


def described(origin: Origin, measures: Sequence[Measure], **more: Any) -> dict[str, str]:
    """Return what makes a file of scores of these measures an evaluation again, as metadata."""
    # What cannot be computed from the scores of the queries is written as it is.
    of_rows = [m for m in measures if m.declaration.aggregate in {"weighted", "pooled"}]
    description = {
        "of_rows": origin.summary(of_rows).to_dict(as_series=False) if of_rows else {},
        "schema": _SCHEMA,
        "inputs": origin.inputs(),
        "quality": origin.quality().to_dicts(),
        "unanswered": origin.unanswered().to_dicts(),
        "top_grade": origin.top_grade(),
        **more,
    }
    return {_METADATA: json.dumps(description)}
