"""`TaskMeans`: the means that MTEB stored of systems on data sets, without scores of queries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from rankreport import io
from rankreport.call_hints import hinting
from rankreport.comparison.data_sets import across
from rankreport.errors import DataError, choose
from rankreport.evaluation import overall
from rankreport.frames import BASELINE, DATASET, SYSTEM
from rankreport.tables import Displayed, Table
from rankreport.text import delta_and_interval, first_of, number, say, separated

_CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False, repr=False)
class TaskMeans(Displayed):
    """Means of systems on data sets. See `rankreport.read_mteb_results`.

    Attributes
    ----------
    values
        ``system, dataset, mean``; the mean is null where a system has no result.
    measure
        The measure, as MTEB names it.
    versions
        The systems of each version of MTEB, where results are of several.

    Examples
    --------
    >>> import polars as pl
    >>> import rankreport as rr
    >>> rows = {"system": ["a", "a", "b", "b"], "dataset": ["x", "y"] * 2}
    >>> means = pl.DataFrame({**rows, "mean": [0.5, 0.4, 0.6, 0.6]})
    >>> found = rr.TaskMeans(means, "ndcg_at_10").over_datasets()
    >>> found.select("system", "mean", "mean_rank").rows()
    [('b', 0.6, 1.0), ('a', 0.45, 2.0)]
    """

    values: pl.DataFrame
    measure: str
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets on which all systems have results."""
        held = self.values.group_by(DATASET, maintain_order=True).agg(pl.col("mean").null_count())
        return tuple(held.filter(mean=0)[DATASET])

    def over_datasets(self) -> pl.DataFrame:
        """Return the systems, the best first, as `Evaluation.over_datasets`."""
        rank = pl.col("mean").rank("average", descending=True).over(DATASET)
        found = overall(self.values.with_columns(rank=rank), self.datasets)
        return found.sort("mean", descending=True, maintain_order=True)

    def differences(self, baseline: str | None = None) -> pl.DataFrame:
        """Return the differences from a system, the best by default, over the data sets.

        The columns are those of `Comparison.over_datasets`, but for what takes scores of queries.
        Intervals of means are Student's t, by Bonferroni for all differences.
        """
        over = self.over_datasets()
        against = choose("baseline", baseline or over[SYSTEM][0], over[SYSTEM])
        others = over.filter(pl.col(SYSTEM) != against)
        means = others.select(self.datasets).to_numpy() - (
            over.filter(system=against).select(self.datasets).to_numpy()
        )
        level = 1 - (1 - _CONFIDENCE) / max(len(others), 1)
        rows = others.select(pl.lit(against).alias(BASELINE), SYSTEM, "n_datasets")
        delta = pl.Series("delta", means.mean(axis=1), pl.Float64)
        return rows.hstack([delta, *across(means.T, level)])

    def to_polars(self) -> pl.DataFrame:
        """Return `over_datasets`."""
        return self.over_datasets()

    def _shown(self) -> Table:
        of = {row[SYSTEM]: row for row in self.differences().to_dicts()}
        rows = []
        for row in self.over_datasets().to_dicts():
            delta, low, high = map(of.get(row[SYSTEM], {}).get, ("delta", "like_low", "like_high"))
            means = number(row["mean"]), number(row["mean_rank"], 2), number(row["borda"], 1)
            rows.append((row[SYSTEM], *means, *delta_and_interval(delta, low, high, None)))
        headers = (
            *(say("system"), say("mean"), say("mean rank"), "Borda"),
            *(say("difference from the best"), say("for data sets like these")),
        )
        n = len(self.datasets)
        caption = say("{measure}, mean of {n} data sets", measure=self.measure, n=n)
        return Table(headers, tuple(rows), frozenset(range(1, 6)), caption)

    def _notes(self) -> Sequence[str]:
        """Return what means alone do not tell, and which data sets are in no mean."""
        cannot = say(
            "Without scores of queries there is no interval for these data sets, and no query that "
            "a system loses: evaluate its predictions for that."
        )
        left_out = self.values.filter(~pl.col(DATASET).is_in(list(self.datasets)))
        named = [
            say("{name} (not {systems})", name=name, systems=first_of(group[SYSTEM]))
            for (name,), group in left_out.filter(pl.col("mean").is_null()).group_by(
                DATASET, maintain_order=True
            )
        ]
        missing = say("In no mean, as not all have results: {names}.", names=first_of(named))
        of_version = [
            say("{version} ({systems})", version=each or say("none named"), systems=first_of(names))
            for each, names in self.versions.items()
        ]
        versions = say(
            "Results are of different versions of mteb, which may score one model differently: "
            "{versions}.",
            versions=separated("; ", of_version),
        )
        return (cannot, *([missing] if named else []), *([versions] if of_version else []))


@hinting()
def read_mteb_results(
    path: str | os.PathLike[str],
    *,
    systems: Iterable[str] | None = None,
    tasks: Iterable[str] | None = None,
    split: str = "test",
    measure: str | None = None,
) -> TaskMeans:
    """Read a folder of results that MTEB wrote: ``model/revision/Task.json``.

    A model with results of several revisions is one system per revision. The twelve forums of
    CQADupStack are one data set, as are the subsets of a task: the value is the mean of theirs.

    Parameters
    ----------
    path
        The folder.
    systems, tasks
        The models and tasks to read; by default all.
    split
        The split of tasks of which all models have several. A single one needs no name.
    measure
        The measure, as the files name it: ``ndcg_at_10``. By default the main score, if it is one
        measure in all tasks; ``main_score`` reads it whatever it is.

    Raises
    ------
    DataError
        If there are no results; if a task's results are of different revisions, splits or subsets
        of its data; if main scores are different measures; or if all systems have results on fewer
        than two data sets.

    Examples
    --------
    >>> import json
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rankreport as rr
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for model, task in [("small", "A"), ("small", "B"), ("large", "A"), ("large", "B")]:
    ...         path = Path(folder, model, "main", f"{task}.json")
    ...         path.parent.mkdir(parents=True, exist_ok=True)
    ...         value = {"hf_subset": "default", "main_score": len(model), "ndcg_at_10": 0.5}
    ...         _ = path.write_text(json.dumps({"task_name": task, "scores": {"test": [value]}}))
    ...     rr.read_mteb_results(folder, measure="ndcg_at_10").over_datasets()["system"].to_list()
    ['large', 'small']
    """
    rows, name, versions = io.read_task_means(
        path, systems=systems, tasks=tasks, split=split, measure=measure
    )
    grid = (
        rows.select(SYSTEM)
        .unique(maintain_order=True)
        .join(rows.select(DATASET).unique().sort(DATASET), how="cross")
    )
    found = TaskMeans(grid.join(rows, on=[SYSTEM, DATASET], how="left"), name, versions)
    if len(found.datasets) < 2:
        held = rows.group_by(SYSTEM, maintain_order=True).len().rows()
        each = first_of(f"{system} {n}" for system, n in held)
        raise DataError(
            f"Means over data sets need two on which all systems have results. Each has: {each}. "
            "Leave out systems= that lack data sets, or evaluate them there."
        )
    return found
