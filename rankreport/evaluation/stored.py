"""Stored results: what a scores file holds, and how it is read and written.

A scores file holds the scores as anybody reads them, and as metadata what JSON says of them and
frames as the methods of an origin return them, each packed as a small Parquet file.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rankreport import labels
from rankreport.errors import DataError, OptionError, choose, expect
from rankreport.evaluation.data_counts import QUALITY
from rankreport.evaluation.data_sets import cells_of, mean_of_sets, part_of
from rankreport.evaluation.depths import Depth
from rankreport.evaluation.facts import SHORT_LISTS, Fact
from rankreport.evaluation.first_documents import LISTS, SHOWN, ListRequest, restored
from rankreport.evaluation.origins import Origin
from rankreport.evaluation.ties import bounds_from
from rankreport.evaluation.unjudged import Unjudged
from rankreport.frames import (
    MEASURE,
    QUERY_ID,
    REPEAT,
    SYSTEM,
    VALUE,
    hash_of,
    parts_by_measure,
    wide,
)
from rankreport.io import Input, Remark, contents_of, read_parquet
from rankreport.labels import LabelSource
from rankreport.measures import FalseAnswer, Measure, column_measure, parse, summarise

if TYPE_CHECKING:
    from rankreport.labels import JudgeLabels

_METADATA = "rankreport"
_DIGEST = "rankreport.sha256"
_SCHEMA = 8
_OF_LIST = (SYSTEM, QUERY_ID)
_OF_SCORE = (*_OF_LIST, MEASURE)
_SCORES = {SYSTEM: pl.String, QUERY_ID: pl.String, MEASURE: pl.String, VALUE: pl.Float64}

COLUMN = ("name", "better", "unit")
"""What is stored of the measure of a column of the user's own."""

BEST = ("value", "best_of_own", "ideal")
"""The stored values of `rankreport.measures.best_values`."""

_ROWS_OF_GROUP = 2**18
"""The rows of a group in a scores file: by default, their number depends on that of the threads."""

MOST_RATINGS = 100_000
"""With more ratings of several judges than this, scores by each judge are not stored."""
MOST_JUDGES = 20
"""The judges by whom scores are stored: of more, those with the most judgments."""

CONDENSED = "condensed"
"""The frame of scores without unjudged documents, on measures to which these might matter."""

MOVED_BY_TIES = "moved by ties"
"""The frame of the scores that depend on the order of equal scores."""

_BOUNDS: Any = dict.fromkeys(("worst", "best"), pl.Float64)
_LENGTHS: Any = dict.fromkeys(Depth._fields, pl.Int64)
TABLES: Mapping[str, Any] = {
    "quality": QUALITY,
    MOVED_BY_TIES: {**dict.fromkeys(_OF_SCORE, pl.String), **_BOUNDS},
    "coverage": {SYSTEM: pl.String, MEASURE: pl.String, "k": pl.Int64, "unjudged": pl.Float64},
    "unanswered": dict.fromkeys(_OF_LIST, pl.String),
    "ranked alone": {SYSTEM: pl.String},
    "depths": {SYSTEM: pl.String, **_LENGTHS},
    "short lists": SHORT_LISTS,
    "fingerprints": {SYSTEM: pl.String, "whole": pl.Int64, "first": pl.Int64},
    "repeats": {SYSTEM: pl.String, REPEAT: pl.Int64, QUERY_ID: pl.String},
    "totals": {},
    "cells": {},
    "exact means": {},
    CONDENSED: {},
    "documents": SHOWN,
    "lengths": LISTS,
}
"""The frames that are stored, each with a row or more of each system, and what they have at least.

Where some systems are loaded, or joined with others, it is the rows of these.
"""

OF_ROWS = {"weighted", "pooled"}
"""Aggregates that cannot be computed from the scores of the queries."""

BEST_VALUES, POOL = "best values", "pool"
GRADES, RATINGS = "grades", "ratings"
UNJUDGED = ("unjudged", "unjudged documents", "unjudged grades")
"""Frames that are stored besides, and that are joined in ways of their own, or not at all."""


@dataclass(frozen=True, eq=False)
class FromFile(Origin):
    """Results read from a scores file, or to be written to one.

    ``scores`` are wide. ``about`` are names, settings and what else is no frame, and ``tables``
    frames by name, perhaps packed; ``judges`` the results by each judge, perhaps as of `to_plain`,
    and None by one who judged no query of the runs.
    """

    name: str
    scores: pl.DataFrame
    about: Mapping[str, Any]
    tables: Mapping[str, pl.DataFrame | str]
    judges: Mapping[str, Any] = field(default_factory=dict)
    texts: Any = None

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> FromFile:
        """Read a scores file.

        Raises
        ------
        DataError
            If the file does not exist or was not written by write_parquet.
        """
        expect(path, (str, os.PathLike), "load_evaluation takes a path")
        contents = contents_of(path)
        frame, metadata = read_parquet(contents)
        name = contents.name
        if _METADATA not in metadata:
            raise DataError(
                f"{name} contains no evaluation settings. Expected scores written by write_parquet."
            )
        schema = None
        try:
            stored = json.loads(metadata[_METADATA])
            schema = stored["schema"]
            scores = _wide_as_written(frame) if schema == _SCHEMA else frame
            known = schema != _SCHEMA or metadata[_DIGEST] == _digest(metadata[_METADATA], scores)
        except (LookupError, RecursionError, TypeError, ValueError):
            known = False
        if not known:
            raise DataError(
                f"{name} is not an evaluation as written by write_parquet. Was it changed or "
                f"damaged? Evaluate the runs again."
            )
        if schema != _SCHEMA:
            raise DataError(
                f"{name} has schema {schema}; this version of rankreport reads "
                f"{_SCHEMA}. Evaluate again, or use the version that wrote it."
            )
        return cls.of_plain(name, scores, stored)

    @classmethod
    def of_plain(cls, name: str, scores: pl.DataFrame, stored: Mapping[str, Any]) -> FromFile:
        """Return results from their scores and what `to_plain` returned."""
        remarks = [
            Remark(**{**each, "examples": tuple(each["examples"])}) for each in stored["remarks"]
        ]
        return cls(name, scores, {**stored, "remarks": remarks}, stored["tables"], stored["judges"])

    def to_plain(self) -> dict[str, Any]:
        """Return all but the scores as values for JSON."""
        queries = self._queries
        tables = {
            name: _packed(rows, queries)
            for name, rows in self.frames.items()
            if len(rows) or not TABLES.get(name)
        }
        return {
            **self.about,
            "schema": _SCHEMA,
            "remarks": [asdict(each) for each in self.remarks()],
            "tables": tables,
            "judges": {
                judge: each and {**each.to_plain(), "scores": _packed(each.scores)}
                for judge, each in self.by_judge.items()
            },
        }

    @cached_property
    def frames(self) -> Mapping[str, pl.DataFrame]:
        """The tables."""
        queries = self._queries
        return {
            name: _unpacked(each, queries) if isinstance(each, str) else each
            for name, each in self.tables.items()
        }

    @property
    def _queries(self) -> pl.Series:
        return self.scores[QUERY_ID].unique(maintain_order=True)

    def table(self, name: str) -> pl.DataFrame:
        """Return a table, empty if it is not stored."""
        return self.frames.get(name, pl.DataFrame(schema=TABLES.get(name)))

    @property
    def asked(self) -> list[Measure]:
        """The stored measures, in order."""
        return [self.measure(name) for name in self.about["asked"]]

    @property
    def primary(self) -> Measure:
        """The stored primary measure."""
        return self.measure(self.about["primary"])

    def measure(self, named: str | Measure) -> Measure:
        """Return a measure by its name: a stored column of the user's own, or any measure."""
        for each in self.about["columns"]:
            if each["name"] == str(named):
                return column_measure(*(each[name] for name in COLUMN))
        return parse(named)

    def of_systems(self, names: Sequence[str]) -> FromFile:
        """Return the results of some systems, in the order of the file.

        Raises
        ------
        OptionError
            If the file has no such system, or none is named.
        """
        for name in names:
            choose("systems", name, self.about["systems"])
        if not names:
            raise OptionError("systems is empty: name at least one.")
        return self.named({name: name for name in names})

    def named(self, names: Mapping[str, str], queries: Collection[str] | None = None) -> FromFile:
        """Return the results of some systems, by other names, in the order of the file.

        With `queries`, scores are of these alone; what is not known by query stays that of all.
        """
        whole = self.about
        runs = [read["role"].partition("run ")[2] for read in whole["inputs"]]
        every = {
            run: name + run.removeprefix(system)
            for system, name in names.items()
            for run in (system, *runs)
            if run == system or (run not in whole["systems"] and run.startswith(f"{system}, "))
        }
        of_these = pl.col(SYSTEM).is_in(list(every))
        of_queries = True if queries is None else pl.col(QUERY_ID).is_in(list(queries))

        def kept(rows: pl.DataFrame) -> pl.DataFrame:
            if SYSTEM not in rows.columns:
                return rows
            some = of_these & of_queries if QUERY_ID in rows.columns else of_these
            return rows.filter(some).with_columns(pl.col(SYSTEM).replace(every))

        tables = {name: kept(rows) for name, rows in self.frames.items()}
        if (known := self.stored_unjudged) is not None:
            part = known.where(known.lists.select(of_these & of_queries).to_series())
            tables |= dict(zip(UNJUDGED[1:], part[1:], strict=True))
        about = {
            **whole,
            "systems": [names[each] for each in whole["systems"] if each in names],
            "inputs": [
                {**read, "role": f"run {every[run]}"} if run in every else read
                for read, run in zip(whole["inputs"], runs, strict=True)
                if not run or run in every
            ],
            "remarks": [
                replace(each, system=every.get(str(each.system)))
                for each in self.remarks()
                if each.system in {None, *every}
            ],
        }
        judges = {
            judge: each and each.named(names, queries) for judge, each in self.by_judge.items()
        }
        made = replace(self, scores=kept(self.scores), about=about, tables=tables, judges=judges)
        return made if queries is None else made.counted_again()

    def counted_again(self) -> FromFile:
        """Return these results with counts of these queries, which were some of more."""
        held = self.scores.select(part_of(self.datasets()).unique(maintain_order=True)).to_series()
        several = held.str.split("/").list.first().n_unique() > 1
        about = {
            **self.about,
            "datasets": [each for each in self.datasets() if several and each in held],
        }
        counts = {"n_queries": self.scores, "n_unanswered": self.table("unanswered")}
        n_of = {n: dict(rows[SYSTEM].value_counts().rows()) for n, rows in counts.items()}
        quality = self.table("quality").with_columns(
            pl.col(SYSTEM).replace_strict(of, default=0, return_dtype=QUALITY[n]).alias(n)
            for n, of in n_of.items()
        )
        return replace(self, about=about, tables={**self.frames, "quality": quality})

    def check_held(self, measures: Iterable[Measure]) -> None:
        """Check that these measures are stored.

        Raises
        ------
        DataError
            If one is not; it names those that are.
        """
        lacking = [str(m) for m in measures if str(m) not in self._held]
        if lacking:
            raise DataError(
                f"{self.name} does not contain {', '.join(lacking[:3])}, but "
                f"{', '.join(self.about['asked'])}. Evaluate the runs again (in the notebook "
                f"of a report: set FROM_RUNS = True in the parameters cell), or write it with "
                f"them: evaluation.write_parquet(path, also={lacking})."
            )

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the stored scores of these measures."""
        self.check_held(measures)
        return self.scores.select(*_OF_LIST, *dict.fromkeys(map(str, measures)))

    def summary(
        self,
        values: pl.DataFrame,
        measures: Sequence[Measure],
        weights: pl.DataFrame | None = None,
    ) -> pl.DataFrame:
        """Aggregate these measures over queries, or return the stored aggregates."""
        of_rows = {"pooled"} if weights is not None else OF_ROWS
        names = [str(m) for m in measures if m.declaration.aggregate in of_rows]
        others = [m for m in measures if str(m) not in names]
        if self.datasets() and weights is None:
            parts = cells_of(values, self.datasets(), lambda _, own: summarise(own, others))
            totals = mean_of_sets(parts, others)
        else:
            totals = summarise(values, others, weights)
        if names:
            stored = self.table("totals").select(SYSTEM, *names)
            totals = totals.join(stored, on=SYSTEM, how="left", maintain_order="left")
        return totals.select(SYSTEM, *map(str, measures))

    def datasets(self) -> tuple[str, ...]:
        """Return the stored names."""
        return tuple(self.about["datasets"])

    def cells(self, values: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
        """Aggregate the scores of each data set, and add what is stored of others."""
        parts = cells_of(values, self.datasets(), lambda _, own: summarise(own, measures))
        others = self.table("cells")
        return pl.concat([parts, others.select(parts.columns)] if len(others) else [parts])

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

    def best_values(self, measure: Measure, n: int) -> pl.DataFrame:
        """Return what is stored of the primary measure."""
        if str(measure) != self.about["primary"] or n != self.about["n_best"]:
            raise DataError(
                f"{self.name} does not contain the highest values of {measure} that the first {n} "
                f"documents allow. Evaluate the runs again."
            )
        return self.table(BEST_VALUES).drop(POOL)

    def documents(self, wanted: ListRequest) -> pl.DataFrame:
        """Return stored documents; an error if some of them were not stored."""
        known = self.table("documents"), self.table("lengths"), self.table("unanswered")
        return restored(self.name, *known, wanted)

    def fact(self, fact: Fact) -> pl.DataFrame:
        """Return a stored fact, or find one that follows from what is stored."""
        held = fact.name in TABLES
        return fact.of(self.table(fact.name)) if held else fact.found_in(self)

    def holds(self, measures: Sequence[Measure]) -> bool:
        """Return whether all of these measures are stored."""
        return {*map(str, measures)} <= {*self._held}

    @property
    def _held(self) -> list[str]:
        return self.scores.columns[len(_OF_LIST) :]

    def unjudged(
        self, measure: Measure, shares: Mapping[str, float], n_measures: int
    ) -> Unjudged | None:
        """Return what is stored of the primary measure, if anything."""
        del shares, n_measures  # they are in memory anyway
        return self.stored_unjudged if str(measure) == self.about["primary"] else None

    def tie_bounds(
        self, values: pl.DataFrame, measures: Sequence[Measure]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the stored scores under the worst and the best order of equal scores."""
        return bounds_from(self.table(MOVED_BY_TIES), values, measures)

    def condensed(self, measures: Sequence[Measure]) -> pl.DataFrame | None:
        """Return the stored scores of lists without unjudged documents, where they are stored."""
        found = self.table(CONDENSED)
        names = [name for name in map(str, measures) if name in found.columns]
        return found.select(*_OF_LIST, *names) if names else None

    @property
    def stored_unjudged(self) -> Unjudged | None:
        """The unjudged documents at the top of the lists, if they are stored."""
        return Unjudged(*map(self.table, UNJUDGED)) if UNJUDGED[0] in self.tables else None

    def unanswerable(self) -> tuple[str, ...]:
        """Return the queries of which false answers are stored."""
        if not self.holds([FalseAnswer]):
            return ()
        known = self.scores.filter(pl.col(str(FalseAnswer)).is_not_null())
        return tuple(known[QUERY_ID].unique().sort())

    def n_repeats(self) -> dict[str, int]:
        """Return the stored numbers."""
        runs = self.table("repeats").group_by(SYSTEM, maintain_order=True)
        return dict(runs.agg(pl.col(REPEAT).max()).iter_rows())

    def repeats(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the stored values of each run of these systems."""
        return self.table("repeats").select(SYSTEM, REPEAT, QUERY_ID, *map(str, measures))

    def top_grade(self) -> float:
        """Return the highest grade in the judgments."""
        return float(self.about["top_grade"])

    def share_positive(self) -> float:
        """Return the share of judged documents with a positive grade."""
        return float(self.about["share_positive"])

    def values_within(self, measures: Sequence[Measure], depth: int) -> pl.DataFrame:
        """Return the stored scores of the lists cut at a depth."""
        depths = self.table("depths")
        if len(depths) and depth >= int(depths["longest"].max()):  # type: ignore[arg-type]
            return self.values(measures)
        stored = self.table(within(depth))
        lacking = next((m for m in measures if str(m) not in stored.columns), None)
        if lacking is not None:
            raise DataError(
                f"{self.name} does not contain {lacking} of the first {depth} documents. Evaluate "
                f"the runs again."
            )
        return stored.select(*_OF_LIST, *map(str, measures))

    def inputs(self) -> list[Input]:
        """Return the stored provenance of the inputs."""
        return list(self.about["inputs"])

    def label_source(self) -> LabelSource | None:
        """Return what is stored with the judgments."""
        stored = next((each["labels"] for each in self.inputs() if "labels" in each), None)
        return None if stored is None else LabelSource.of_plain(stored)

    def queries(self) -> Any:
        """Return the queries, if they are known besides the file."""
        return self.texts

    def grades(self, queries: Iterable[str]) -> pl.DataFrame:
        """Return the stored grades of these queries.

        Raises
        ------
        DataError
            If not all of them were stored.
        """
        rows, wanted = self.frames.get(GRADES), set(queries)
        if rows is None or not wanted <= set(rows[QUERY_ID]):
            raise DataError(
                f"{self.name} has no grades of these queries. Write it with "
                f"evaluation.write_parquet(path, grades=queries)."
            )
        return rows.filter(pl.col(QUERY_ID).is_in(wanted))

    @cached_property
    def labels(self) -> JudgeLabels | None:
        """The stored ratings of several judges."""
        settings = self.about["ratings"]
        return settings and labels.qrels_from_judges(self.table(RATINGS), **settings)

    @cached_property
    def by_judge(self) -> Mapping[str, FromFile | None]:
        """The stored scores by each judge; None by one who judged no query of the runs."""
        return {
            judge: FromFile.of_plain(self.name, _unpacked(each["scores"]), each)
            if isinstance(each, dict)
            else each
            for judge, each in self.judges.items()
        }

    def remarks(self) -> list[Remark]:
        """Return what is stored."""
        return list(self.about["remarks"])

    def exact_means(self) -> pl.DataFrame | None:
        """Return what is stored, if the queries are a sample."""
        return self.frames.get("exact means")


def within(depth: int) -> str:
    """Return the name of the table of scores of lists that are cut at a depth."""
    return f"within {depth}"


def _packed(rows: pl.DataFrame, queries: pl.Series | None = None) -> str:
    """Return a frame as text; with the queries of all lists, their names are not written again."""
    if queries is not None and {*_OF_LIST} <= {*rows.columns}:
        rows = rows.with_columns(pl.col(QUERY_ID).cast(pl.Enum(queries)).to_physical())
    file = io.BytesIO()
    rows.write_parquet(file, statistics=False, row_group_size=_ROWS_OF_GROUP)
    return base64.b64encode(zlib.compress(file.getvalue())).decode("ascii")


def _unpacked(text: str, queries: pl.Series | None = None) -> pl.DataFrame:
    rows = pl.read_parquet(zlib.decompress(base64.b64decode(text)))
    if queries is not None and {*_OF_LIST} <= {*rows.columns}:
        rows = rows.with_columns(queries.gather(rows[QUERY_ID]).alias(QUERY_ID))
    return rows


def _wide_as_written(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the scores of a file as they were written: wide, of the same lists by all measures."""
    parts = parts_by_measure(frame)
    first, *others = (part.select(_OF_LIST) for part in parts.values())
    if dict(frame.schema) != _SCORES or not all(map(first.equals, others)):
        raise ValueError("scores: other columns, or measures of other lists")
    return wide(frame, parts)


def _digest(description: str, scores: pl.DataFrame) -> str:
    """Return a digest of metadata and scores, which differs if any of them does."""
    return hashlib.sha256(f"{hash_of(scores)}{description}".encode()).hexdigest()


def write_scores(file: Path, values: pl.DataFrame, description: Mapping[str, Any]) -> None:
    """Write scores in long format, measure by measure.

    Parameters
    ----------
    file
        The file.
    values
        The scores: ``system, query_id`` and a column per measure.
    description
        The result of `FromFile.to_plain`.
    """
    text = json.dumps(description)
    known = _digest(text, values.select(*_OF_LIST, pl.exclude(_OF_LIST)))
    of_measures = [
        values.lazy().select(*_OF_LIST, pl.lit(name).alias(MEASURE), pl.col(name).alias(VALUE))
        for name in values.columns
        if name not in _OF_LIST
    ]
    metadata = {_METADATA: text, _DIGEST: known}
    pl.concat(of_measures).sink_parquet(file, metadata=metadata, row_group_size=_ROWS_OF_GROUP)
