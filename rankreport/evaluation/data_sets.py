"""Several data sets as one evaluation, whose queries are named ``dataset/query_id``.

A data set may have parts (``cqadupstack/android``); its value is the mean of theirs. Means over
data sets are of those alone on which all systems have results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankreport import io, statistics
from rankreport.caching import cached
from rankreport.errors import OptionError
from rankreport.evaluation.judging import Judged
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.parts import FromParts
from rankreport.evaluation.values import EvaluationValues, per_query, values
from rankreport.frames import DATASET, QUERY_ID, SYSTEM, WHOLE_DATASET, whole_dataset
from rankreport.measures import Measure, is_column, one_of
from rankreport.tables import Table
from rankreport.text import number, say

WEIGHT = "dataset_weight"
_PART = "part"
N_PARTS = pl.col(DATASET).n_unique().over(WHOLE_DATASET)

Summarised = Callable[[str, pl.DataFrame], pl.DataFrame]
"""Aggregates the scores of queries of a data set, which is named first, by system."""


@dataclass(frozen=True, eq=False)
class FromDataSets(FromParts[FromRuns]):
    """Results on several data sets, whose judgments and runs are read one data set at a time.

    ``sets`` are the results on each data set, or part of one, by name; all others are of those on
    which all systems have results.
    """

    sets: Mapping[str, FromRuns] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, FromRuns]) -> FromDataSets:
        """Join the results on data sets.

        Raises
        ------
        OptionError
            If a name is none, or there are no two data sets on which all systems have results.
        """
        io.check_dataset_names(given)
        _check_revisions(given)
        sets = {name: _renamed(origin, name) for name, origin in given.items()}
        systems = dict.fromkeys(chain.from_iterable(each.systems for each in sets.values()))
        of = [sets[name] for name in _shared(sets, [*systems])]
        what = f"{len(of)} data sets"
        first = of[0].as_given()
        whole = {
            "qrels": io.joined(what, [each.qrels for each in of]),
            "systems": {s: io.joined(what, [each.systems[s] for each in of]) for s in systems},
            "with_query": {
                s: io.joined(what, [each.with_query[s] for each in of])
                for s in (systems if of[0].with_query else ())
            },
            "without_answer": tuple(chain.from_iterable(each.without_answer for each in of)),
        }
        return cls(**{**first, **whole}, sets=sets)

    @cached_property
    def shared(self) -> dict[str, FromRuns]:
        """The results on the data sets on which all systems have results."""
        return {name: self.sets[name] for name in _shared(self.sets, [*self.systems])}

    def datasets(self) -> tuple[str, ...]:
        """Return the names of these data sets, or of their parts."""
        return tuple(self.shared)

    def cells(self, values: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
        """Aggregate the scores of the queries of each data set, or part of one."""
        others = {n: each for n, each in self.sets.items() if n not in self.shared}
        ranked = [each for each in measures if not is_column(each)]
        found = [values, *(each.values(ranked) for each in others.values())]
        every = pl.concat(found, how="diagonal")
        names = [*self.shared, *others]
        return cells_of(every, names, lambda n, of: self.sets[n].summary(of, measures))

    @cached_property
    def judged(self) -> Judged:
        """The counts of all data sets; without the judged rows."""
        parts = [part.judged.without_rows() for part in self.parts()]
        judged = Judged.joined(parts, [*self.systems])
        return judged.looked_at(judged.queries_looked_at(self.n_looked_at), self.rows_of)

    @property
    def n_parts(self) -> int:
        """The number of data sets, or parts of them."""
        return len(self.shared)

    def parts(self) -> Iterator[FromRuns]:
        """Yield the results on each data set."""
        yield from self.shared.values()

    def summary(
        self,
        values: pl.DataFrame,
        measures: Sequence[Measure],
        weights: pl.DataFrame | None = None,
    ) -> pl.DataFrame:
        """Return the means over data sets, unless there are weights of queries."""
        if weights is not None:
            return super().summary(values, measures, weights)
        every = cells_of(values, self.datasets(), lambda n, of: self.sets[n].summary(of, measures))
        return mean_of_sets(every, measures)

    def remarks(self) -> list[io.Remark]:
        """Return the remarks of the sources, and the data sets on which systems lack results."""
        found = [*super().remarks()]  # a copy, as they are cached
        names = dict.fromkeys(map(whole_dataset, self.sets))
        for system in self.systems:
            lacks = {
                whole_dataset(n) for n, each in self.sets.items() if system not in each.systems
            }
            if lacks:
                of, missing = {"of": len(names)}, tuple(n for n in names if n in lacks)
                found.append(io.Remark("missing_datasets", len(lacks), missing, system, of))
        return found

    def places(self) -> dict[str, str]:
        """Return nothing: one path does not name several files."""
        return {}

    def queries(self) -> Any:
        """Return the queries of all data sets that came with texts."""
        found = [
            io.read_queries_once(each.qrels.queries)[0].with_columns(
                pl.concat_str(pl.lit(f"{name}/"), QUERY_ID).alias(QUERY_ID)
            )
            for name, each in self.shared.items()
            if each.qrels.queries is not None
        ]
        return pl.concat(found, how="diagonal_relaxed") if found else None

    def corpus(self) -> Any:
        """Return nothing: documents of two data sets may have one name."""
        return None


def _check_revisions(given: Mapping[str, FromRuns]) -> None:
    """Refuse a system of which runs on data sets are of different revisions of its model."""
    known: dict[str, tuple[str, str]] = {}
    for name, origin in given.items():
        for system, run in origin.systems.items():
            for remark in run.remarks:
                if remark.code == "model_name":
                    own = " ".join(remark.examples)
                    first, other = known.setdefault(system, (name, own))
                    if own != other:
                        raise OptionError(
                            f"{system!r} is {other} on {first}, and {own} on {name}. Results of "
                            f"different revisions are no means: run one of them on all."
                        )


def check_evaluated_alike(given: Mapping[str, EvaluationValues]) -> dict[str, FromRuns]:
    """Return the results of evaluations that can be joined.

    Raises
    ------
    OptionError
        If one was not made of judgments and runs, or differs in split, measures or settings.
    """
    origins: dict[str, FromRuns] = {}
    first = next(iter(given))
    for name, evaluation in given.items():
        origin = evaluation._origin  # noqa: SLF001 - values bound to the same class
        own = ("labels", "about_items", "collapse", "memory_limit", "unmatched")
        others = (evaluation._own, *(getattr(origin, each, None) for each in own))  # noqa: SLF001
        if type(origin) is not FromRuns or any(each is not None for each in others):
            raise OptionError(
                f"{name!r} cannot be joined, which takes what evaluate() made of judgments and "
                f"runs: no stored scores, repeats, collapse, history, items or memory_limit. "
                f"Join before write_parquet() and with_columns(), or evaluate a folder "
                f"(rr.read_datasets)."
            )
        one, other = _evaluated_as(given[first]), _evaluated_as(evaluation)
        if differ := [what for what in {**one, **other} if one.get(what) != other.get(what)]:
            what = differ[0]
            raise OptionError(
                f"{name!r} and {first!r} differ in {what}: {other.get(what)} and {one.get(what)}. "
                f"Evaluate all data sets in the same way; other splits are named by "
                f"rr.read_datasets(folder, splits={{{name!r}: ...}})."
            )
        origins[name] = origin
    return origins


def _evaluated_as(evaluation: EvaluationValues) -> dict[str, str]:
    """Return in what evaluations that are joined must agree."""
    qrels = evaluation._origin.qrels  # type: ignore[attr-defined]  # noqa: SLF001
    path: Path | None = None if qrels.contents is None else qrels.contents.path
    of_beir = path and path.parent.name.endswith("qrels") and path.suffix == ".tsv"
    return {
        "measures": ", ".join(map(str, evaluation.measures)),
        "the primary measure": str(evaluation.primary),
        **{name: repr(value) for name, value in evaluation.settings.items()},
        **({"split": path.stem} if path and of_beir else {}),
    }


def _renamed(origin: FromRuns, name: str) -> FromRuns:
    """Return results whose queries are named after their data set."""
    renamed: Any = {
        "qrels": origin.qrels.with_queries_of(name),
        "systems": {s: run.with_queries_of(name) for s, run in origin.systems.items()},
        "without_answer": tuple(f"{name}/{query}" for query in origin.without_answer),
        "by_subtopic": None,
        "ids": None,
    }
    return replace(origin, **renamed)


def _shared(sets: Mapping[str, FromRuns], systems: Sequence[str]) -> list[str]:
    """Return the data sets, or their parts, on which all systems have results.

    Raises
    ------
    OptionError
        If these are fewer than two data sets.
    """
    lacking = {
        whole_dataset(name): next(system for system in systems if system not in each.systems)
        for name, each in sets.items()
        if len(each.systems) < len(systems)
    }
    shared = [name for name in sets if whole_dataset(name) not in lacking]
    if len({whole_dataset(name) for name in shared}) < 2:
        has = {s: [name for name, each in sets.items() if s in each.systems] for s in systems}
        fewest = min(systems, key=lambda system: len(has[system]))
        lacks = "".join(f" On {name}, {system!r} has none." for name, system in lacking.items())
        raise OptionError(
            f"Means over data sets need two on which all systems have results; {fewest!r} has "
            f"results on {', '.join(has[fewest])} alone.{lacks} Leave out systems that lack data "
            f"sets, or evaluate them there."
        )
    return shared


def by_part(rows: pl.DataFrame, names: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Return the rows of each data set, or part of one, by its name; rows keep their order."""
    parts = rows.with_columns(part_of(names).alias(_PART)).partition_by(_PART, as_dict=True)
    found = {name: part.drop(_PART) for (name,), part in parts.items()}
    return {name: found.get(name, rows.clear()) for name in names}


def part_of(names: Sequence[str]) -> pl.Expr:
    """Return the data set, or the part of one, of each query.

    >>> queries = pl.DataFrame({"query_id": ["law/q/1", "cqa/unix/7"]})
    >>> queries.select(part_of(["law", "cqa/unix"])).to_series().to_list()
    ['law', 'cqa/unix']
    """
    pieces = pl.col(QUERY_ID).cast(pl.String).str.splitn("/", 3).struct
    first, second = pieces.field("field_0"), pieces.field("field_1")
    nested = pl.concat_str(first, second, separator="/")
    return pl.when(first.is_in(list(names))).then(first).otherwise(nested)


def cells_of(values: pl.DataFrame, names: Sequence[str], summarised: Summarised) -> pl.DataFrame:
    """Aggregate the scores of each data set: ``dataset, system, n_queries``, then measures."""
    found = []
    for name, own in by_part(values, names).items():
        counts = own.group_by(SYSTEM).agg(pl.len().cast(pl.Int64).alias("n_queries"))
        rows = summarised(name, own).join(counts, on=SYSTEM, how="left", maintain_order="left")
        measures = pl.exclude(SYSTEM, "n_queries").cast(pl.Float64)
        found.append(rows.select(pl.lit(name).alias(DATASET), SYSTEM, "n_queries", measures))
    return pl.concat(found)


def _of_whole_sets(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the values of data sets, the means of their parts, of which none is missing."""
    means = (
        cells.with_columns(WHOLE_DATASET.alias("whole"), N_PARTS.alias("n_parts"))
        .group_by("whole", SYSTEM, "n_parts", maintain_order=True)
        .agg(pl.len(), pl.col("n_queries").sum(), pl.exclude(DATASET, "n_queries", "len").mean())
    )
    held = means.filter(pl.col("len") == pl.col("n_parts")).drop("len", "n_parts")
    return held.rename({"whole": DATASET})


def mean_of_sets(cells: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
    """Return the means over data sets of each system."""
    whole = _of_whole_sets(cells).group_by(SYSTEM, maintain_order=True)
    return whole.agg(pl.col(list(map(str, measures))).mean())


@cached
def weights_of_datasets(self: EvaluationValues) -> pl.DataFrame:
    """Return the data set and weight of each query: ``query_id, dataset, dataset_weight``.

    All data sets have the same weight, of which each part and each of its queries has its share.

    Raises
    ------
    OptionError
        If a data set, or a part of one, has a single query, or a system has no value for a query.
    """
    queries = pl.DataFrame({QUERY_ID: self.query_ids}, schema={QUERY_ID: pl.String})
    named = queries.with_columns(part_of(self._origin.datasets()).alias(DATASET))
    rows = named.with_columns((1 / (N_PARTS * pl.len().over(DATASET))).alias(WEIGHT))
    single = rows.filter(pl.len().over(DATASET) == 1)
    if len(single):
        raise OptionError(
            f"The data set {single[DATASET][0]!r} has a single query, {single[QUERY_ID][0]!r}: its "
            f"variance is not known, nor is that of the mean. Leave the data set out."
        )
    defined = per_query(self).group_by(QUERY_ID).agg(pl.exclude(SYSTEM).count())
    least = pl.min_horizontal(pl.exclude(QUERY_ID))
    lacking = defined.filter(least < len(self.systems)).sort(QUERY_ID)
    if len(lacking):
        measure = min(map(str, self.measures), key=lambda name: lacking[name][0])
        raise OptionError(
            f"{measure} has no value for query {lacking[QUERY_ID][0]!r} and some system, so not "
            f"all queries of a data set count. Leave {measure} out, or use queries='judged' or "
            f"'intersection'."
        )
    return rows


def structure_of_datasets(self: EvaluationValues) -> statistics.Structure:
    """Return the weights of queries, and the data set that each is of, if there are several."""
    if not self.datasets:
        return statistics.PLAIN
    rows = weights_of_datasets(self)
    strata = rows[DATASET].rank("dense").to_numpy().astype(np.intp) - 1
    return statistics.Structure(rows[WEIGHT].to_numpy(), None, strata)


def by_dataset(self: EvaluationValues, measure: str | Measure | None = None) -> pl.DataFrame:
    """Return the value of every system on every data set.

    Parameters
    ----------
    measure
        A measure; the primary one by default.

    Returns
    -------
    DataFrame
        ``system, dataset``; ``n_queries`` (Int64) and ``mean``, null where the system has no
        results; ``rank`` among the systems, the mean of places where they are equal;
        ``mean_without, rank_without``, of the means over the other data sets. Ranks are null on
        data sets that some system lacks, as these are in no mean.

    Raises
    ------
    OptionError
        If the evaluation is of one data set.
    """
    if not self.datasets:
        raise OptionError("This evaluation is of one data set. Join several: rr.join_datasets().")
    chosen = self.primary if measure is None else one_of(self.measures, measure)
    cells = self._origin.cells(values(self, [chosen]), [chosen])
    names = cells.select(WHOLE_DATASET.unique(maintain_order=True))
    held = _of_whole_sets(cells).rename({str(chosen): "mean"})
    grid = pl.DataFrame({SYSTEM: self.systems}).join(names, how="cross")
    rows = grid.join(held, on=[SYSTEM, DATASET], how="left", maintain_order="left")
    shared, better = pl.col(DATASET).is_in(list(self.datasets)), chosen.declaration.better
    total = pl.col("mean").filter(shared).sum().over(SYSTEM)
    without = (total - pl.col("mean")) / (len(self.datasets) - 1)
    rows = rows.with_columns(pl.when(shared).then(without).alias("mean_without"))

    def ranked(name: str) -> pl.Expr:
        value = pl.when(shared & (better != "neither")).then(pl.col(name).round(12))
        return value.rank("average", descending=better == "high").over(DATASET)

    rows = rows.with_columns(rank=ranked("mean"), rank_without=ranked("mean_without"))
    return rows.select(
        *(SYSTEM, DATASET, "n_queries", "mean", "rank", "mean_without", "rank_without")
    )


def over_datasets(self: EvaluationValues, measure: str | Measure | None = None) -> pl.DataFrame:
    r"""Return the table of systems by data sets, with their means over data sets.

    Parameters
    ----------
    measure
        A measure; the primary one by default.

    Returns
    -------
    DataFrame
        ``system``; ``mean``, of the data sets on which all systems have results, each with equal
        weight; ``mean_rank``; ``borda``, by how many systems it is better, summed over data sets
        (half where equal); ``n_datasets`` (Int64) of these; then a column for each data set.

    Raises
    ------
    OptionError
        If the evaluation is of one data set.

    Examples
    --------
    >>> import rankreport as rr
    >>> a, b = {"q1": ["d1", "d2"]}, {"q1": ["d2", "d1"]}
    >>> found = rr.join_datasets({
    ...     "law": rr.evaluate({"q1": {"d1": 1}}, {"old": a, "new": b}, "RR"),
    ...     "arts": rr.evaluate({"q1": {"d2": 1}}, {"old": a, "new": b}, "RR"),
    ...     "news": rr.evaluate({"q1": {"d2": 1}}, {"old": a, "new": b}, "RR"),
    ... }).over_datasets()
    >>> print(*found.with_columns(pl.selectors.float().round(3)).rows(), sep="\n")
    ('old', 0.667, 1.667, 1.0, 3, 1.0, 0.5, 0.5)
    ('new', 0.833, 1.333, 2.0, 3, 0.5, 1.0, 1.0)
    """
    return overall(by_dataset(self, measure), self.datasets)


_FEW_SYSTEMS = 6
"""Of so many systems the table has a column each, and a row for each data set."""

_DIGITS = {"mean_rank": 2, "borda": 0}


def table_of_datasets(self: EvaluationValues, order: Iterable[str] = ()) -> Table:
    """Return the values on the primary measure by data set, the best of each in bold.

    Parameters
    ----------
    self
        An evaluation of several data sets.
    order
        Data sets that come first.
    """
    better, by = self.primary.declaration.better, by_dataset(self)
    over = over_datasets(self).sort(
        "mean", descending=better != "low", nulls_last=True, maintain_order=True
    )
    n_of = dict(by.drop_nulls("n_queries").select(DATASET, "n_queries").iter_rows())
    headings = {"mean": say("mean"), "mean_rank": say("mean rank"), "borda": "Borda"}
    headings |= {name: f"{name} ({n_of[name]:,})" for name in dict.fromkeys((*order, *n_of))}
    named, columns = [*headings.values()], [over[name] for name in headings]
    cells = [[number(value, _DIGITS.get(each.name, 3)) for value in each] for each in columns]
    best = [_best(each, "low" if each.name == "mean_rank" else better) for each in columns]
    first, headers = say("data set"), [*over[SYSTEM]]
    if len(over) > _FEW_SYSTEMS:
        first, named, headers = say("system"), headers, named
        cells = [[*row] for row in zip(*cells, strict=True)]
        best = [[*row] for row in zip(*best, strict=True)]
    bold = tuple(frozenset(at for at, is_best in enumerate(row, 1) if is_best) for row in best)
    rows = tuple((name, *row) for name, row in zip(named, cells, strict=True))
    measure = self.primary.shown
    title = say("{measure} by data set (number of queries)", measure=measure)
    numeric = frozenset(range(1, len(headers) + 1))
    return Table((first, *headers), rows, numeric, title, bold=bold)


def _best(values: pl.Series, better: str) -> list[bool]:
    """Return which of several values are the best; none where no value is better than another."""
    rounded, known = values.round(12), values.drop_nulls()
    if better == "neither" or len(values) < 2 or known.is_empty():
        return [False] * len(values)
    best = rounded.min() if better == "low" else rounded.max()
    return (rounded == best).fill_null(value=False).to_list()


def overall(rows: pl.DataFrame, datasets: Sequence[str]) -> pl.DataFrame:
    """Return the table of `over_datasets` of rows as those of `by_dataset`."""
    shared = rows.filter(pl.col(DATASET).is_in(list(datasets)))
    n = pl.lit(rows[SYSTEM].n_unique(), pl.Float64)
    of_all = shared.group_by(SYSTEM, maintain_order=True).agg(
        pl.col("mean").mean(),
        pl.col("rank").mean().alias("mean_rank"),
        (n - pl.col("rank")).sum().alias("borda"),
        pl.len().cast(pl.Int64).alias("n_datasets"),
    )
    cells = rows.pivot(DATASET, index=SYSTEM, values="mean", maintain_order=True)
    return of_all.join(cells, on=SYSTEM, how="left", maintain_order="left")
