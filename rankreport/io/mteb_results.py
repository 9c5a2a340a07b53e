"""Results as MTEB stores them: the scores of one model on one task per file, without queries."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from math import isfinite
from pathlib import Path
from typing import Any, Final

import polars as pl

from rankreport.errors import DataError, brief, choose
from rankreport.frames import DATASET, SYSTEM

MAIN: Final = "main_score"
"""The key of the score that MTEB ranks by; its measure depends on the task."""

_META: Final = "model_meta.json"
_TASK, _SPLIT, _SUBSET, _VALUE = "task", "split", "subset", "value"
_VERSION: Final = "mteb_version"
_OF_FILE: Final = (SYSTEM, "folder", _TASK, "revision", _VERSION)
_COLUMNS: Final = (*_OF_FILE, _SPLIT, _SUBSET, "measure", _VALUE)
_FORUM: Final = r"^CQADupstack-?(?:[A-Z][a-z]+)(Retrieval.*|-[A-Z].*)$"
_FORUMS: Final = 12


def read_task_means(
    path: str | os.PathLike[str],
    *,
    systems: Iterable[str] | None = None,
    tasks: Iterable[str] | None = None,
    split: str = "test",
    measure: str | None = None,
) -> tuple[pl.DataFrame, str, dict[str, tuple[str, ...]]]:
    """Return the means in a folder of results of MTEB, their measure and versions of MTEB.

    See `rankreport.read_mteb_results`.

    Returns
    -------
    DataFrame
        ``system, dataset`` (String), ``mean`` (Float64) of the results that there are; null where
        forums are missing.
    str
        The measure, or `MAIN`.
    dict
        The systems of each version of MTEB, where results are of several.
    """
    rows = pl.DataFrame(list(_rows(Path(path))), _COLUMNS, orient="row")
    if rows.is_empty():
        shape = "model/revision/Task.json, with the keys 'task_name' and 'scores'"
        raise DataError(f"{path} has no results of MTEB. Expected {shape}.")
    named = pl.format("{}@{}", SYSTEM, pl.col("folder").str.slice(0, 7))
    several = pl.col("folder").n_unique().over(SYSTEM) > 1
    rows = rows.with_columns(pl.when(several).then(named).otherwise(SYSTEM).alias(SYSTEM))
    for column, given in ((SYSTEM, systems), (_TASK, tasks)):
        if given is not None:
            known = rows[column].unique(maintain_order=True)
            wanted = [choose(f"{column}s", each, known) for each in given]
            rows = rows.filter(pl.col(column).is_in(wanted))
    _check_same(rows, "revision")
    rows = _of_split(rows, split)
    _check_same(rows, _SUBSET)
    _check_once(rows)
    measure = measure or _main_measure(rows)
    found = rows.filter(measure=measure)
    lacking = rows.join(found, on=[SYSTEM, _TASK, _SUBSET], how="anti")
    for system, task in lacking.select(SYSTEM, _TASK).head(1).iter_rows():
        raise DataError(f"{task} of {system} has no number as {measure!r}.")
    _check_unit(found, measure)
    means = found.group_by(SYSTEM, _TASK).agg(pl.col(_VALUE).mean())
    of_version = found.group_by(_VERSION).agg(pl.col(SYSTEM).unique().sort()).sort(_VERSION)
    versions = {version: tuple(names) for version, names in of_version.iter_rows()}
    means = _with_forums(means).sort(SYSTEM, DATASET)
    return means, measure, versions if len(versions) > 1 else {}


def _check_once(rows: pl.DataFrame) -> None:
    """Refuse results that are stored twice."""
    twice = rows.filter(pl.struct(SYSTEM, _TASK, _SUBSET, "measure").is_duplicated())
    for system, task in twice.select(SYSTEM, _TASK).head(1).iter_rows():
        raise DataError(f"{task} of {system} has two results in one revision. Remove one file.")


def _check_unit(rows: pl.DataFrame, measure: str) -> None:
    """Refuse results in percent next to shares."""
    high = pl.col(_VALUE) > 1
    for system, task, value in rows.filter(high).select(SYSTEM, _TASK, _VALUE).head(1).iter_rows():
        if not rows.select(high.all()).item():
            raise DataError(
                f"{measure} of {system} on {task} is {value}, while others are at most 1. Results "
                f"in percent and in shares are no means: store all in one unit."
            )


def _with_forums(means: pl.DataFrame) -> pl.DataFrame:
    """Return the values of data sets: of CQADupStack the mean of all forums, or that stored."""
    forum = pl.col(_TASK).str.contains(_FORUM) & ~pl.col(_TASK).str.contains("^CQADupstackRetr")
    dataset = pl.col(_TASK).str.replace(_FORUM, "CQADupstack$1").alias(DATASET)
    means = means.with_columns(dataset, forum=forum)
    whole = pl.col("forum").sum().over(SYSTEM, DATASET) == _FORUMS
    kept = pl.col(_VALUE).filter(pl.col("forum") == pl.col("whole")).mean().alias("mean")
    return means.with_columns(whole=whole).group_by(SYSTEM, DATASET).agg(kept)


def _rows(folder: Path) -> Iterator[tuple[Any, ...]]:
    """Yield every number of every result in a folder."""
    for path in sorted(folder.rglob("*.json")):
        result = {} if path.name == _META else _json(path)
        if "scores" not in result:
            continue
        parts, meta = path.relative_to(folder.parent).parts, path.with_name(_META)
        named = _json(meta).get("name") if meta.is_file() else None
        system = named or parts[max(-3, -len(parts))].replace("__", "/")
        try:
            version = str(result.get(_VERSION) or "")
            revision = str(result.get("dataset_revision"))
            of_file = (system, parts[-2], result["task_name"], revision, version)
            for split, subsets in result["scores"].items():
                for scores in subsets:
                    for measure, value in scores.items():
                        if isinstance(value, int | float) and isfinite(value):
                            yield (*of_file, split, scores["hf_subset"], measure, float(value))
        except (AttributeError, KeyError, TypeError):
            expected = "'task_name', and 'scores' as {split: [{'hf_subset': ..., ...}]}"
            raise DataError(f"{path}: expected {expected}, found {brief(result)}.") from None


def _json(path: Path) -> dict[str, Any]:
    """Return the object of a file; an empty one if it is another value."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as JSON: {error}.") from None
    return value if isinstance(value, dict) else {}


def _of_split(rows: pl.DataFrame, wanted: str) -> pl.DataFrame:
    """Return the rows of one split of each task, which all systems have."""
    n = pl.col(SYSTEM).n_unique()
    shared = rows.filter(n.over(_TASK, _SPLIT) == n.over(_TASK))
    _check_same(rows.join(shared, on=_TASK, how="anti"), _SPLIT)
    chosen = shared.filter(
        (pl.col(_SPLIT).n_unique().over(_TASK) == 1) | (pl.col(_SPLIT) == wanted)
    )
    for (task,) in shared.join(chosen, on=_TASK, how="anti").select(_TASK).head(1).iter_rows():
        known = ", ".join(shared.filter(task=task)[_SPLIT].unique(maintain_order=True))
        raise DataError(f"{task} has no split {wanted!r}. It has: {known}.")
    return chosen


def _check_same(rows: pl.DataFrame, what: str) -> None:
    """Refuse a task whose results are of different data."""
    each = pl.col(what).unique(maintain_order=True).str.join(", ")
    found = rows.group_by(_TASK, SYSTEM, maintain_order=True).agg(each)
    for _, group in found.filter(pl.col(what).n_unique().over(_TASK) > 1).group_by(_TASK):
        systems = group.group_by(what, maintain_order=True).agg(pl.col(SYSTEM).str.join(", "))
        listed = "; ".join(f"{value} ({names})" for value, names in systems.iter_rows())
        raise DataError(
            f"{group[_TASK][0]}: results are of different {what}s: {listed}. They cannot be "
            "compared: evaluate again, or read only systems= or tasks= that agree."
        )


def _main_measure(rows: pl.DataFrame) -> str:
    """Return the measure that is the main score of all tasks."""
    keys = [SYSTEM, _TASK, _SUBSET]
    main = rows.filter(measure=MAIN).select(*keys, main=_VALUE)
    equal = rows.filter(pl.col("measure") != MAIN).join(main, on=keys).filter(value=pl.col("main"))
    n = main.group_by(_TASK).len("n")
    known = equal.group_by(_TASK, "measure").len().join(n, on=_TASK).filter(len=pl.col("n"))
    known = known.sort("measure", _TASK)
    shared = known.filter(pl.len().over("measure") == len(n))
    if len(shared):
        return str(shared["measure"][0])
    first = known.unique("measure", keep="first", maintain_order=True)
    listed = "; ".join(f"{of} ({task})" for of, task in first.select("measure", _TASK).iter_rows())
    raise DataError(
        f"Main scores are different measures: {listed}. Read only tasks= of one measure, or name "
        f"one that all have: measure='ndcg_at_10'. measure={MAIN!r} averages them, as MTEB does."
    )
