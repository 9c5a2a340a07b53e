"""Scores files: stored results, and the metadata written with them."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import compress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from rankreport import labels
from rankreport.errors import DataError, OptionError, choose, expect
from rankreport.evaluation.data_sets import N_PARTS, cells_of, mean_of_sets, part_of
from rankreport.evaluation.depths import Depth, equal_depths
from rankreport.evaluation.diagnostics import QUALITY
from rankreport.evaluation.exact_means import EXACT_MEANS
from rankreport.evaluation.first_documents import LISTS, ListRequest, restored, storable
from rankreport.evaluation.origins import SHORT_LISTS, Origin
from rankreport.evaluation.unjudged import N_UNJUDGED, Unjudged
from rankreport.frames import (
    DATASET,
    DOC_ID,
    MEASURE,
    QUERY_ID,
    RELEVANCE,
    REPEAT,
    SYSTEM,
    VALUE,
    WHOLE_DATASET,
    long,
    parts_by_measure,
    wide,
)
from rankreport.io import Input, Remark, contents_of, packed_numbers, read_parquet, unpacked_numbers
from rankreport.labels import LabelSource
from rankreport.measures import FalseAnswer, Measure, column_measure, is_column, parse, summarise

if TYPE_CHECKING:
    from rankreport.labels import JudgeLabels

_METADATA = "rankreport"
_DIGEST = "rankreport.sha256"
_SCHEMA = 5
_OF_LIST = (SYSTEM, QUERY_ID)
_OF_SCORE = (*_OF_LIST, MEASURE)
_TIES = {
    SYSTEM: pl.String(),
    MEASURE: pl.String(),
    "n_queries": pl.Int64(),
    "worst": pl.Float64(),
    "value": pl.Float64(),
    "best": pl.Float64(),
}
_COVERAGE = {SYSTEM: pl.String(), MEASURE: pl.String(), "k": pl.Int64(), "unjudged": pl.Float64()}
_SCORES = {SYSTEM: pl.String, QUERY_ID: pl.String, MEASURE: pl.String, VALUE: pl.Float64}

COLUMN = ("name", "better", "unit")
"""What is stored of the measure of a column of the user's own."""

BEST = ("value", "best_of_own", "ideal")
"""The stored values of `rankreport.measures.best_values`."""

_GRADES = {QUERY_ID: pl.String, DOC_ID: pl.String, RELEVANCE: pl.Float64}
_ROWS_OF_GROUP = 2**18
"""The rows of a group in a scores file: by default, their number depends on that of the threads."""

MOST_RATINGS = 100_000
"""With more ratings of several judges than this, scores by each judge are not stored."""
MOST_JUDGES = 20
"""The judges by whom scores are stored: of more, those with the most judgments."""

BY_COLUMN = ("of_rows", "cells")
KEYED = (
    *("systems", "ranked_alone", "exact_means", "depths", "prints", "quality", "ties", "coverage"),
    *("documents", "lists", "short"),
)
"""Metadata whose columns hold a row for each system, and whose rows or keys are of one each."""


@dataclass(frozen=True, eq=False)
class FromFile(Origin):
    """Results read from a scores file."""

    name: str
    frame: pl.DataFrame
    description: Mapping[str, Any]
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
            description = json.loads(metadata[_METADATA])
            schema = description["schema"]
            known = schema != _SCHEMA or metadata[_DIGEST] == _digest(
                metadata[_METADATA], _wide_as_written(frame)
            )
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
        return cls(name, frame, description)

    @property
    def asked(self) -> list[Measure]:
        """The stored measures, in order."""
        return [measure_in(self.description, name) for name in self.description["asked"]]

    @property
    def primary(self) -> Measure:
        """The stored primary measure."""
        return measure_in(self.description, self.description["primary"])

    def of_systems(self, names: Sequence[str]) -> FromFile:
        """Return the results of some systems, in the order of the file.

        Raises
        ------
        OptionError
            If the file has no such system, or none is named.
        """
        for name in names:
            choose("systems", name, self.description["systems"])
        if not names:
            raise OptionError("systems is empty: name at least one.")
        return self.named({name: name for name in names})

    def named(self, names: Mapping[str, str], queries: Collection[str] | None = None) -> FromFile:
        """Return the results of some systems, by other names, in the order of the file.

        With `queries`, scores are of these alone, and ties move them as if all that they move were
        in these; what else is not known by query stays that of all.
        """
        whole, lists = self.description, self.lists
        of_these = pl.col(SYSTEM).is_in(list(names))
        if queries is not None:
            of_these &= pl.col(QUERY_ID).is_in(list(queries))
        kept = lists.select(of_these).to_series()
        frame = self.frame.filter(of_these).with_columns(pl.col(SYSTEM).replace(names))
        rest = self.unanswered().filter(of_these).with_columns(pl.col(SYSTEM).replace(names))
        runs = [read["role"].partition("run ")[2] for read in whole["inputs"]]
        every = {
            run: name + run.removeprefix(system)
            for system, name in names.items()
            for run in (system, *runs)
            if run == system or (run not in whole["systems"] and run.startswith(f"{system}, "))
        }
        found = {name: _named(whole[name], every) for name in KEYED if name in whole}
        found |= {name: _of_columns(whole[name], names) for name in BY_COLUMN if name in whole}
        found["unanswered"] = packed_lists(rest, lists_of(frame))
        if queries is not None:
            counts = {"n_queries": lists_of(frame), "n_unanswered": rest}
            of_each = {n: dict(rows[SYSTEM].value_counts().rows()) for n, rows in counts.items()}
            found["quality"] = [
                {**row, **{name: n.get(row[SYSTEM], 0) for name, n in of_each.items()}}
                for row in found["quality"]
            ]
            held = frame.select(pl.col(QUERY_ID).unique())
            sets = held.select(part_of(self.datasets()).unique(maintain_order=True)).to_series()
            several = sets.str.split("/").list.first().n_unique() > 1
            found["datasets"] = [each for each in self.datasets() if several and each in sets]
        found["inputs"] = [
            {**read, "role": f"run {every[run]}"} if run in every else read
            for read, run in zip(whole["inputs"], runs, strict=True)
            if not run or run in every
        ]
        found["remarks"] = [
            {**each, "system": every.get(each["system"])}
            for each in whole.get("remarks", [])
            if each["system"] in {None, *every}
        ]
        if "repeats" in whole:
            found["repeats"] = {
                names[system]: {**each, "values": _kept_of(each["values"], of_runs)}
                for system, each in whole["repeats"].items()
                if system in names
                for of_runs in [pl.concat([kept.filter(lists[SYSTEM] == system)] * each["n"])]
            }
        if "best" in whole:
            best = {name: whole["best"][name] for name in BEST}
            pools = {name: f"of {pool}" for name, pool in whole["best"]["pools"].items()}
            found["best"] = {**whole["best"], **_kept_of(best, kept), "pools": _named(pools, names)}
        if "cut" in whole:
            found["cut"] = {depth: _kept_of(each, kept) for depth, each in whole["cut"].items()}
        if (unjudged := self.stored_unjudged) is not None:
            found["unjudged"] = unjudged.where(kept).to_plain()
        if "judges" in whole:
            by_judge = {
                judge: each and each.named(names, queries).to_plain()
                for judge, each in self.by_judge.items()
            }
            found["judges"] = {**whole["judges"], "scores": by_judge}
        made = replace(self, frame=frame, description={**whole, **found})
        if queries is None:
            return made
        ties = made.ties_as_of(self._weights().with_columns(pl.col(SYSTEM).replace(names)))
        return replace(made, description={**made.description, "ties": ties.to_dicts()})

    def _weights(self) -> pl.DataFrame:
        """Return the weight of each score in the mean."""
        scores = self.frame.drop_nulls(VALUE)
        of_set = part_of(self.datasets()) if self.datasets() else pl.lit("")
        n = pl.len().over(SYSTEM, MEASURE, DATASET) * N_PARTS * WHOLE_DATASET.n_unique()
        return scores.with_columns(of_set.alias(DATASET)).select(*_OF_SCORE, weight=1 / n)

    def ties_as_of(self, whole: pl.DataFrame) -> pl.DataFrame:
        """Return bounds for these queries from those of more, by the weights that these had."""
        measures = [measure_in(self.description, name) for name in self._held]
        sums = [str(each) for each in measures if each.declaration.aggregate == "sum"]
        own = self.summary(self.values(measures), measures)
        own = own.unpivot(index=SYSTEM, variable_name=MEASURE, value_name="own")
        weights = self._weights().join(whole, on=_OF_SCORE, suffix=" of all")
        times = (pl.col("weight") / pl.col("weight of all")).max()
        most = weights.group_by(SYSTEM, MEASURE).agg(times=times)
        rows = self._written("ties", _TIES, measures)
        for found in (own, most):
            rows = rows.join(found, on=[SYSTEM, MEASURE], how="left", maintain_order="left")
        by = pl.when(pl.col(MEASURE).is_in(sums)).then(1).otherwise(pl.col("times"))
        moved = (pl.col("worst", "best") - pl.col("value")) * by + pl.col("own")
        return rows.with_columns(moved, value="own").select(*_TIES)

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
                f"{', '.join(self.description['asked'])}. Evaluate the runs again (in the notebook "
                f"of a report: set FROM_RUNS = True in the parameters cell), or write it with "
                f"them: evaluation.write_parquet(path, also={lacking})."
            )

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the stored scores of these measures."""
        self.check_held(measures)
        return wide(self.frame, measures)

    def summary(
        self,
        values: pl.DataFrame,
        measures: Sequence[Measure],
        weights: pl.DataFrame | None = None,
    ) -> pl.DataFrame:
        """Aggregate these measures over queries, or return the stored aggregates."""
        if self.datasets() and weights is None:
            parts = cells_of(values, self.datasets(), lambda _, own: summarise(own, measures))
            return mean_of_sets(parts, measures)
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

    def datasets(self) -> tuple[str, ...]:
        """Return the stored names."""
        return tuple(self.description.get("datasets", ()))

    def cells(self, values: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
        """Aggregate the scores of each data set, and add what is stored of others."""
        parts = cells_of(values, self.datasets(), lambda _, own: summarise(own, measures))
        stored = pl.DataFrame(self.description.get("cells", {}), schema_overrides=parts.schema)
        return pl.concat([parts, stored.select(parts.columns)] if len(stored) else [parts])

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
        stored = self.description.get("best", {"n": None})
        if (str(measure), n) != (self.description["primary"], stored["n"]):
            raise DataError(
                f"{self.name} does not contain the highest values of {measure} that the first {n} "
                f"documents allow. Evaluate the runs again."
            )
        return self.lists.with_columns(
            unpacked_numbers(stored[name], pl.Float64(), len(self.lists)).alias(name)
            for name in BEST
        )

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
        return {*parts_by_measure(self.frame)}

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

    def unjudged(self, measure: Measure, n_measures: int = 1) -> Unjudged | None:
        """Return what is stored of the primary measure, if anything."""
        del n_measures  # the scores are in memory anyway
        return self.stored_unjudged if str(measure) == self.description["primary"] else None

    @cached_property
    def stored_unjudged(self) -> Unjudged | None:
        """The unjudged documents at the top of the lists, if they are stored."""
        stored = self.description.get("unjudged")
        return None if stored is None else Unjudged.of_plain(stored, self.lists)

    @cached_property
    def lists(self) -> pl.DataFrame:
        """The lists of which there are scores, in their order: ``system, query_id``."""
        return lists_of(self.frame)

    def unanswered(self) -> pl.DataFrame:
        """Return the stored queries."""
        return _unpacked_lists(self.description["unanswered"], self.lists)

    def unanswerable(self) -> tuple[str, ...]:
        """Return the queries of which false answers are stored."""
        if not self.holds([FalseAnswer]):
            return ()
        known = wide(self.frame, [FalseAnswer]).filter(pl.col(str(FalseAnswer)).is_not_null())
        return tuple(known[QUERY_ID].unique().sort())

    def n_repeats(self) -> dict[str, int]:
        """Return the stored numbers."""
        return {system: each["n"] for system, each in self.description.get("repeats", {}).items()}

    def repeats(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the stored values of each run of these systems."""
        found = []
        for system, n in self.n_repeats().items():
            lists = self.lists.filter(pl.col(SYSTEM) == system)
            number = (pl.int_range(pl.len()) // len(lists) + 1).alias(REPEAT)
            stored = self.description["repeats"][system]["values"]
            values = [
                unpacked_numbers(stored[name], pl.Float64(), n * len(lists)).alias(name)
                for name in map(str, measures)
            ]
            runs = pl.concat([lists] * n).select(SYSTEM, number, QUERY_ID)
            found.append(runs.with_columns(values))
        return pl.concat(found)

    def top_grade(self) -> float:
        """Return the stored grade."""
        return float(self.description["top_grade"])

    def share_positive(self) -> float:
        """Return what is stored; of files of earlier versions, it is not known."""
        return float(self.description.get("share_positive", 0))

    def values_within(self, measures: Sequence[Measure], depth: int) -> pl.DataFrame:
        """Return the stored scores of the lists cut at a depth."""
        depths = self.depths().values()
        if depths and depth >= max(each.longest for each in depths):
            return self.values(measures)
        stored = self.description.get("cut", {}).get(str(depth), {})
        lacking = next((m for m in measures if str(m) not in stored), None)
        if lacking is not None:
            raise DataError(
                f"{self.name} does not contain {lacking} of the first {depth} documents. Evaluate "
                f"the runs again."
            )
        n = len(self.lists)
        columns = {str(m): unpacked_numbers(stored[str(m)], pl.Float64(), n) for m in measures}
        return self.lists.with_columns(**columns)

    def fingerprints(self, n: int | None) -> dict[str, list[int]]:
        """Return what is stored."""
        del n
        return dict(self.description.get("prints", {}))

    def depths(self) -> dict[str, Depth]:
        """Return the stored lengths."""
        return {name: Depth(*each) for name, each in self.description.get("depths", {}).items()}

    def short_lists(self, k: int) -> pl.DataFrame:
        """Return what is stored; of other cut-offs, and in files of earlier versions, none."""
        rows = self.description.get("short", [])
        return pl.DataFrame(rows, schema=SHORT_LISTS, orient="row").filter(pl.col("k") == k)

    def inputs(self) -> list[Input]:
        """Return the stored provenance of the inputs."""
        return list(self.description["inputs"])

    def label_source(self) -> LabelSource | None:
        """Return what is stored with the judgments."""
        stored = next(
            (each["labels"] for each in self.description["inputs"] if "labels" in each), None
        )
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
        stored = self.description.get("grades")
        wanted = set(queries)
        if stored is None or not wanted <= set(stored[QUERY_ID]):
            raise DataError(
                f"{self.name} has no grades of these queries. Write it with "
                f"evaluation.write_parquet(path, grades=queries)."
            )
        rows = pl.DataFrame(stored, schema=_GRADES)
        return rows.filter(pl.col(QUERY_ID).is_in(wanted))

    @cached_property
    def labels(self) -> JudgeLabels | None:
        """The stored ratings of several judges."""
        stored = self.description.get("judges")
        return None if stored is None else labels.JudgeLabels.of_plain(stored["labels"])

    @cached_property
    def by_judge(self) -> Mapping[str, FromFile | None]:
        """The stored scores by each judge; None by one who judged no query of the runs."""
        stored = self.description.get("judges", {"scores": {}})["scores"]
        return {
            judge: each and FromFile(self.name, _long_scores(each["scores"]), each["about"])
            for judge, each in stored.items()
        }

    def to_plain(self) -> dict[str, Any]:
        """Return the results as values for JSON."""
        about = self.description
        scores = wide(self.frame, self.asked)
        return {"about": about, "scores": scores.to_dict(as_series=False)}

    def remarks(self) -> list[Remark]:
        """Return what is stored."""
        stored = self.description.get("remarks", [])
        return [Remark(**{**each, "examples": tuple(each["examples"])}) for each in stored]

    def exact_means(self) -> pl.DataFrame | None:
        """Return what is stored, if the queries are a sample."""
        rows = self.description.get("exact_means")
        return None if rows is None else pl.DataFrame(rows, EXACT_MEANS)


def measure_in(description: Mapping[str, Any], named: str | Measure) -> Measure:
    """Return a measure by its name: a stored column of the user's own, or any measure."""
    for each in description.get("columns", []):
        if each["name"] == str(named):
            return column_measure(*(each[name] for name in COLUMN))
    return parse(named)


def _named(stored: Any, names: Mapping[str, str]) -> Any:
    """Return what is stored of some systems, by other names, in any of the forms of `KEYED`."""
    match stored:
        case dict():
            return {names[each]: value for each, value in stored.items() if each in names}
        case [str(), *_]:
            return [names[each] for each in stored if each in names]
        case [dict(), *_]:
            return [{**row, SYSTEM: names[row[SYSTEM]]} for row in stored if row[SYSTEM] in names]
    return [[names[row[0]], *row[1:]] for row in stored if row[0] in names]


def _of_columns(columns: Mapping[str, list[Any]], names: Mapping[str, str]) -> dict[str, list[Any]]:
    """Return the rows of some systems, by other names, of a frame that is stored as columns."""
    kept = [system in names for system in columns.get(SYSTEM, ())]
    found = {name: list(compress(values, kept)) for name, values in columns.items()}
    return {**found, SYSTEM: [names[each] for each in found[SYSTEM]]} if found else found


def _kept_of(columns: Mapping[str, Any], kept: pl.Series) -> dict[str, Any]:
    """Return some rows of packed columns."""
    numbers = {n: unpacked_numbers(each, pl.Float64(), len(kept)) for n, each in columns.items()}
    return {name: packed_numbers(column.filter(kept)) for name, column in numbers.items()}


def _long_scores(columns: Mapping[str, list[Any]]) -> pl.DataFrame:
    """Return scores that are stored as columns: ids, and one for each measure."""
    ids = (SYSTEM, QUERY_ID)
    return long(
        pl.DataFrame(
            {
                name: pl.Series(column, dtype=pl.String if name in ids else pl.Float64)
                for name, column in columns.items()
            }
        )
    )


def plain_remark(remark: Remark) -> dict[str, Any]:
    """Return a remark as values for JSON, which a reader takes."""
    return {**asdict(remark), "examples": list(remark.examples)}


def with_own(inputs: Sequence[Input], remarks: Sequence[Remark]) -> dict[str, Any]:
    """Return what is stored of the inputs where columns of the user's own are among them."""
    return {"inputs": list(inputs), "remarks": list(map(plain_remark, remarks))}


def _wide_as_written(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the scores of a file as they were written: wide, of the same lists by all measures."""
    parts = parts_by_measure(frame)
    first, *others = (part.select(_OF_LIST) for part in parts.values())
    if dict(frame.schema) != _SCORES or not all(map(first.equals, others)):
        raise ValueError("scores: other columns, or measures of other lists")
    return wide(frame, parts)


def _digest(description: str, values: pl.DataFrame) -> str:
    """Return a digest of metadata and scores, which differs if any of them does."""
    found = hashlib.sha256(description.encode())
    found.update("\n".join(values.columns).encode())
    for rows in values.iter_slices(_ROWS_OF_GROUP):
        for column in rows:
            if column.dtype == pl.String:
                found.update("\n".join(column).encode())
            else:
                found.update(column.fill_null(math.nan).to_numpy().tobytes())
    return found.hexdigest()


def lists_of(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the lists of scores in long format, in which each measure has the same lists."""
    return next(iter(parts_by_measure(frame).values())).select(_OF_LIST)


def packed_lists(some: pl.DataFrame, lists: pl.DataFrame) -> dict[str, Any]:
    """Return some of the lists as values for JSON, without their names."""
    numbers = pl.Series(dtype=pl.UInt32)
    if not some.is_empty():
        known = lists.with_row_index(_NUMBER)
        numbers = some.join(known, on=_OF_LIST, how="left", maintain_order="left")[_NUMBER]
    return {"length": len(numbers), "numbers": packed_numbers(numbers)}


def _unpacked_lists(stored: Mapping[str, Any], lists: pl.DataFrame) -> pl.DataFrame:
    """Return some of the lists from the result of `packed_lists`."""
    return lists[unpacked_numbers(stored["numbers"], pl.UInt32(), stored["length"])]


_NUMBER = "number of the list"


def described(
    origin: Origin,
    values: pl.DataFrame,
    measures: Sequence[Measure],
    unjudged: Callable[[], Unjudged | None],
    documents: pl.DataFrame | None = None,
    *,
    beside: Mapping[str, Depth] = MappingProxyType({}),
    **more: Any,
) -> dict[str, Any]:
    """Return the metadata from which a scores file can be loaded as an evaluation.

    Parameters
    ----------
    origin
        The origin of the scores.
    values, measures
        The scores and measures that are written.
    unjudged
        Returns the unjudged documents, if they matter; called last, since they take much memory.
    documents
        A result of `rankreport.Evaluation.documents`, if any.
    beside
        How deep the lists of systems are with which these are compared.
    more
        Further settings of the evaluation.
    """
    cut, means, remarks = _cut(origin, measures, beside), origin.exact_means(), origin.remarks()
    return {
        "of_rows": _of_rows(origin, values, measures),
        "schema": _SCHEMA,
        "inputs": origin.inputs(),
        "quality": origin.quality().to_dicts(),
        "ties": origin.ties(values, measures).to_dicts(),
        "coverage": origin.coverage(measures).to_dicts(),
        "unanswered": packed_lists(origin.unanswered(), values.select(_OF_LIST)),
        "ranked_alone": origin.ranked_alone(),
        "top_grade": origin.top_grade(),
        "share_positive": origin.share_positive(),
        "depths": origin.depths(),
        **({"cut": cut} if cut else {}),
        **({"repeats": _repeats(origin, measures)} if origin.n_repeats() else {}),
        **({"remarks": list(map(plain_remark, remarks))} if remarks else {}),
        **({} if means is None else {"exact_means": means.to_dicts()}),
        **({} if documents is None else origin.storable(documents)),
        **(_of_datasets(origin, values, measures) if origin.datasets() else {}),
        **more,
        **_of_unjudged(unjudged(), values),
    }


def write_scores(file: Path, values: pl.DataFrame, description: Mapping[str, Any]) -> None:
    """Write scores in long format, measure by measure.

    Parameters
    ----------
    file
        The file.
    values
        The scores: ``system, query_id`` and a column per measure.
    description
        The result of `described`.
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


def _cut(
    origin: Origin, measures: Sequence[Measure], beside: Mapping[str, Depth]
) -> dict[str, Any]:
    """Return the scores of lists that are cut where systems are compared at equal depth."""
    found = {}
    for depth in equal_depths({**beside, **origin.depths()}):
        deeper = [measure for measure in measures if measure.looks_beyond(depth)]
        if deeper:
            values = origin.values_within(deeper, depth)
            found[str(depth)] = {str(m): packed_numbers(values[str(m)]) for m in deeper}
    return found


def _of_datasets(
    origin: Origin, values: pl.DataFrame, measures: Sequence[Measure]
) -> dict[str, Any]:
    """Return the names of data sets, and the values on those that some system lacks."""
    names = list(origin.datasets())
    others = origin.cells(values, measures).filter(~pl.col(DATASET).is_in(names))
    return {"datasets": names, "cells": others.to_dict(as_series=False)}


def _repeats(origin: Origin, measures: Sequence[Measure]) -> dict[str, Any]:
    """Return the scores of each run of the systems that have several."""
    ranked = [each for each in measures if not is_column(each)]
    runs = origin.repeats(ranked).partition_by(SYSTEM, as_dict=True)
    n, names = origin.n_repeats(), [str(measure) for measure in ranked]
    return {
        str(system): {"n": n[system], "values": {m: packed_numbers(rows[m]) for m in names}}
        for (system,), rows in runs.items()
    }


def _of_unjudged(unjudged: Unjudged | None, values: pl.DataFrame) -> dict[str, Any]:
    if unjudged is None:
        return {}
    lists = values.select(_OF_LIST).join(  # those of queries without an answer are not looked at
        unjudged.lists, on=_OF_LIST, how="left", maintain_order="left"
    )
    every = unjudged._replace(lists=lists.with_columns(pl.col(N_UNJUDGED).fill_null(0)))
    return {"unjudged": every.to_plain()}


def _of_rows(
    origin: Origin, values: pl.DataFrame, measures: Sequence[Measure]
) -> dict[str, list[Any]]:
    """Return the aggregates that cannot be computed from the scores of the queries."""
    of_rows = [m for m in measures if m.declaration.aggregate in {"weighted", "pooled"}]
    if not of_rows:
        return {}
    return origin.summary(values, of_rows).to_dict(as_series=False)
