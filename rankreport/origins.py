"""Where an evaluation's figures come from: judgments and runs, or a file of scores."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, cast

import polars as pl
import polars.selectors as cs
from tqdm import tqdm

from rankreport.columns import MEASURE, QUERY_ID, SYSTEM
from rankreport.errors import DataError
from rankreport.judging import Judged, judge
from rankreport.loading import Input, Source, input_of
from rankreport.measures import JudgedRows, Measure, summarise, wide
from rankreport.quality import QUALITY, counted, tie_bounds, unjudged
from rankreport.top_lists import LISTS, Asked, first_documents, restored, storable

__all__ = ["FromFile", "FromRuns", "Origin", "described"]

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


class Origin(Protocol):
    """What an evaluation asks of where its figures come from."""

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the scores of these measures: ``system, query_id`` and a column per measure."""

    def summary(
        self,
        values: pl.DataFrame,
        measures: Sequence[Measure],
        weights: pl.DataFrame | None = None,
    ) -> pl.DataFrame:
        """Return what `values` amount to: ``system`` and a column per measure."""

    def judged_documents(self) -> pl.DataFrame:
        """Return the judged frame."""

    def scored_documents(self) -> pl.DataFrame:
        """Return the judged frame of the systems whose scores are to be compared with a threshold.

        A run of ranks alone has none, and with ``ties="rank"`` scores are ignored.
        """

    def ranked_alone(self) -> list[str]:
        """Return the systems whose runs hold ranks and no scores."""

    def documents(self, wanted: Asked) -> pl.DataFrame:
        """Return what is described at `rankreport.Evaluation.documents`."""

    def storable(self, documents: pl.DataFrame) -> dict[str, list[Any]]:
        """Return documents as values for JSON, from which they can be had again."""

    def holds(self, measures: Sequence[Measure]) -> bool:
        """Whether `values` can be had for all these measures."""

    def quality(self) -> pl.DataFrame:
        """Return what is described at `rankreport.Evaluation.quality`."""

    def ties(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return what is described at `rankreport.Evaluation.ties`."""

    def coverage(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return what is described at `rankreport.Evaluation.coverage`."""

    def unanswered(self) -> pl.DataFrame:
        """Return the judged queries that a system returned nothing for."""

    def top_grade(self) -> float:
        """Return the highest grade of all the judgments."""

    def depths(self) -> dict[str, int]:
        """Return how many documents each system returned for a query at most, as far as known."""

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
            rules = {name: rule for name, rule in self.settings.items() if name != "profile"}
            return judge(self.qrels, self.systems, **rules, advance=lambda _: bar.update())

    @cached_property
    def rows(self) -> JudgedRows:
        """What measures are computed from."""
        judged = self.judged
        expected = self.settings["ties"] == "expected"
        return JudgedRows(judged.frame, judged.subtopics, expected=expected)

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute these measures from the judged frame."""
        return self.rows.of_queries(measures)

    def summary(
        self,
        values: pl.DataFrame,
        measures: Sequence[Measure],
        weights: pl.DataFrame | None = None,
    ) -> pl.DataFrame:
        """Compute what these measures amount to over the queries."""
        return self.rows.of_systems(values, measures, weights)

    def judged_documents(self) -> pl.DataFrame:
        """Return the judged frame."""
        return self.judged.frame

    def scored_documents(self) -> pl.DataFrame:
        """Return the judged frame of the systems whose runs hold scores that count."""
        ignored = self.settings["ties"] == "rank"
        scored = [name for name, run in self.systems.items() if run.scored and not ignored]
        return self.judged.frame.filter(pl.col(SYSTEM).is_in(scored))

    def ranked_alone(self) -> list[str]:
        """Name the systems whose scores were made of ranks."""
        return [name for name, run in self.systems.items() if not run.scored]

    def documents(self, wanted: Asked) -> pl.DataFrame:
        """Find the first documents of these lists in the runs."""
        if wanted not in self._found:
            rules = {name: self.settings[name] for name in ("ties", "precision")}
            found = first_documents(self.judged, self.systems, wanted, **rules)
            self._found.clear()
            self._found[wanted] = found
        return self._found[wanted]

    @cached_property
    def _found(self) -> dict[Asked, pl.DataFrame]:
        """What was asked for last: a report asks once for each form in which it is written."""
        return {}

    def storable(self, documents: pl.DataFrame) -> dict[str, list[Any]]:
        """Return documents, and how long the lists are that they stand in."""
        lengths = self.judged.queries.select(pl.col(name).cast(t) for name, t in LISTS.items())
        return storable(documents, lengths)

    def holds(self, measures: Sequence[Measure]) -> bool:
        """Whether they can be computed: any measure can."""
        del measures
        return True

    def quality(self) -> pl.DataFrame:
        """Count what a reader must know of the data."""
        return counted(self.judged)

    def ties(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute the bounds of these measures over the orders of equal scores."""
        values = self.values(measures)
        return tie_bounds(self.judged.frame, values, self.summary(values, measures), measures)

    def coverage(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute how much of what these measures look at was never judged."""
        return unjudged(self.judged.frame, measures)

    def unanswered(self) -> pl.DataFrame:
        """List the judged queries that a system returned nothing for."""
        nothing = pl.col("counted") & (pl.col("n_retrieved") == 0)
        return self.judged.queries.filter(nothing).select(SYSTEM, QUERY_ID)

    def top_grade(self) -> float:
        """Return the highest grade of all the judgments."""
        return self.judged.top_grade

    def depths(self) -> dict[str, int]:
        """Return the length of each system's longest list."""
        queries = self.judged.queries.group_by(SYSTEM, maintain_order=True)
        return dict(queries.agg(pl.col("n_retrieved").max()).iter_rows())

    def inputs(self) -> list[Input]:
        """Name every source, with the SHA-256 of its bytes and its rows, counted as they pass."""
        n_ranked = self.judged.n_ranked
        return [
            input_of("qrels", self.qrels.contents, self.judged.n_judgments),
            *(
                input_of(f"run {name}", source.contents, n_ranked[name])
                for name, source in self.systems.items()
            ),
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
            raise DataError(
                f"{path} does not exist. Expected scores that write_parquet wrote. In the notebook "
                f"of a report, set DATA (and QUERIES, if it is there) in the cell of parameters to "
                f"where the file is now, relative to the notebook's folder or in full."
            )
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

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return these measures, if they were written."""
        lacking = [str(m) for m in measures if str(m) not in self._held]
        if lacking:
            raise DataError(
                f"{self.name} holds no {', '.join(lacking[:3])}. Evaluate the runs again, or write "
                f"it with write_parquet(..., also=[...])."
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
        raise DataError(f"{self.name} holds scores, not documents. Evaluate the runs again.")

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

    def documents(self, wanted: Asked) -> pl.DataFrame:
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

    def ties(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the bounds that were written."""
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
    measures: Sequence[Measure],
    documents: pl.DataFrame | None = None,
    **more: Any,
) -> dict[str, str]:
    """Return what makes a file of scores of these measures an evaluation again, as metadata.

    Parameters
    ----------
    origin
        Where the scores come from.
    measures
        All that are written.
    documents
        What is to be had of `rankreport.Evaluation.documents`, if anything is.
    more
        What the evaluation itself knows.
    """
    description = {
        "of_rows": _of_rows(origin, measures),
        "schema": _SCHEMA,
        "inputs": origin.inputs(),
        "quality": origin.quality().to_dicts(),
        "ties": origin.ties(measures).to_dicts(),
        "coverage": origin.coverage(measures).to_dicts(),
        "unanswered": origin.unanswered().to_dicts(),
        "ranked_alone": origin.ranked_alone(),
        "top_grade": origin.top_grade(),
        "depths": origin.depths(),
        **({} if documents is None else origin.storable(documents)),
        **more,
    }
    return {_METADATA: json.dumps(description)}


def _of_rows(origin: Origin, measures: Sequence[Measure]) -> dict[str, list[Any]]:
    """Return what cannot be computed from the scores of the queries, to be written as it is."""
    of_rows = [m for m in measures if m.declaration.aggregate in {"weighted", "pooled"}]
    if not of_rows:
        return {}
    return origin.summary(origin.values(of_rows), of_rows).to_dict(as_series=False)
