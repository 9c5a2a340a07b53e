"""evaluate(): judgments and runs in, the scores of every system for every query out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl
from tqdm import tqdm

from rankreport import charts
from rankreport.columns import MEASURE, QUERY_ID, SYSTEM, VALUE
from rankreport.curves import CUTOFFS, K, points
from rankreport.errors import DataError, OptionError, choose
from rankreport.judging import NO_RELEVANT, QUERIES, Judged, judge
from rankreport.loading import QRELS, RUN, STDIN, Source, open_source, stem
from rankreport.measures import Judged as JudgedShare
from rankreport.measures import Measure, parse, score_queries
from rankreport.ranking import TIES
from rankreport.rendering.table import Table, table_of
from rankreport.writing import replacing

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = ["DEFAULT_MEASURES", "Evaluation", "evaluate", "load_evaluation"]

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR@10", "P@10", "R@100")
"""What is computed unless something else is asked for; the first is the primary measure."""

_METADATA = "rankreport"
_SCHEMA = 1
_JUDGED_AT = JudgedShare @ 10


class _Origin(Protocol):
    """Where an evaluation's figures come from: runs and judgments, or a file of scores."""

    def scores(self, measures: Sequence[Measure]) -> pl.DataFrame: ...
    def quality(self) -> pl.DataFrame: ...
    def unanswered(self) -> pl.DataFrame: ...
    def inputs(self) -> list[dict[str, str | None]]: ...


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The scores of one or more systems, computed when they are first asked for.

    Attributes
    ----------
    systems
        Their names, in the order given.
    measures
        What is computed, in the order given.
    primary
        The measure that decides.
    settings
        The rules it was made by: ``ties``, ``queries``, ``no_relevant``.
    """

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    primary: Measure
    settings: Mapping[str, str]
    _origin: _Origin = field(repr=False)

    @cached_property
    def scores(self) -> pl.DataFrame:
        """The scores, long: ``system, query_id, measure`` (String), ``value`` (Float64).

        One row per system, query and measure; ``value`` is null where the measure is undefined.
        """
        return self._origin.scores(self.measures)

    @cached_property
    def quality(self) -> pl.DataFrame:
        """What to know of the data before reading a score; one row per system.

        ``n_queries`` counted; ``n_unanswered`` of them, for which the system returned nothing and
        scores 0; ``n_left_out``, judged but not counted under the rules chosen; ``n_unjudged``,
        answered by the system without any judgment and left out; ``n_no_relevant``, without a
        document of positive grade; ``n_tied``, in which a judged document shares its score with
        another, so that another tie rule might change a measure; ``judged_at_10``, the mean share
        of the first 10 documents that were judged.
        """
        return self._origin.quality()

    @cached_property
    def unanswered(self) -> pl.DataFrame:
        """The judged queries for which a system returned nothing: ``system, query_id``."""
        return self._origin.unanswered()

    @cached_property
    def inputs(self) -> list[dict[str, str | None]]:
        """What was read: ``role``, ``name``, and the SHA-256 of each file (None for a table)."""
        return self._origin.inputs()

    def summary(self) -> pl.DataFrame:
        """Return every system's value of every measure.

        Returns
        -------
        DataFrame
            ``system``, then a Float64 column per measure: the mean over queries, or the sum for
            counts.

        Examples
        --------
        >>> import rankreport as rr
        >>> e = rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d2": 2.0, "d1": 1.0}}}, ["RR"])
        >>> e.summary().rows()
        [('mine', 0.5)]
        """
        return _summarise(self.scores, self.measures)

    def per_query(self) -> pl.DataFrame:
        """Return the scores, wide: ``system, query_id``, then a Float64 column per measure."""
        return _wide(self.scores, self.measures)

    def curve(
        self, measures: Iterable[str | Measure], k: Iterable[int] = range(1, 101)
    ) -> pl.DataFrame:
        """Return measures at many cut-offs.

        Parameters
        ----------
        measures
            Measures that take a cut-off, such as ``"nDCG"``.
        k
            The cut-offs.

        Returns
        -------
        DataFrame
            ``system, measure`` (String), ``k`` (Int64), ``value`` (Float64): the mean, or the sum
            for counts.

        Raises
        ------
        MeasureError
            If one of the measures takes no cut-off.

        Examples
        --------
        >>> import rankreport as rr
        >>> e = rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d2": 2.0, "d1": 1.0}}})
        >>> e.curve(["P"], k=[1, 2]).rows()
        [('mine', 'P', 1, 0.0), ('mine', 'P', 2, 0.5)]
        """
        cutoffs = tuple(k)
        curves = []
        for each in measures:
            at = points(each, cutoffs)
            summary = _summarise(self._origin.scores(tuple(at)), tuple(at))
            long = summary.unpivot(index=SYSTEM, variable_name=MEASURE, value_name=VALUE)
            names = {str(m): cutoff for m, cutoff in at.items()}
            curves.append(
                long.with_columns(
                    pl.col(MEASURE).replace_strict(names, return_dtype=pl.Int64).alias(K),
                    pl.lit(str(parse(each))).alias(MEASURE),
                ).select(SYSTEM, MEASURE, K, VALUE)
            )
        return pl.concat(curves)

    def plot_curve(self, measure: str | Measure = "nDCG", k: Iterable[int] = CUTOFFS) -> Chart:
        """Return a chart of `curve`: a matplotlib figure that shows itself in Jupyter."""
        levels = self.curve([measure], k).with_columns(
            pl.lit(None, pl.Float64).alias("ci_low"), pl.lit(None, pl.Float64).alias("ci_high")
        )
        return charts.curves(levels.rename({VALUE: "mean"}), measure=str(parse(measure)))

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the scores of any measures, wide: ``system, query_id``, a column per measure.

        Raises
        ------
        DataError
            If this evaluation was loaded from a file that does not hold one of them.
        """
        return _wide(self._origin.scores(measures), measures)

    def write_parquet(
        self, path: str | os.PathLike[str], also: Sequence[str | Measure] = ()
    ) -> None:
        """Write the scores and the settings that made them, for `load_evaluation`.

        Parameters
        ----------
        path
            The file to write: the frame `scores`, readable by anything that reads Parquet.
        also
            Further measures to write, so that they can be had from the file: the points of a curve.

        Raises
        ------
        OutputError
            If it cannot be written; whatever stood there is left alone.
        """
        more = [m for m in map(parse, also) if m not in self.measures]
        scores = self._origin.scores((*self.measures, *more))
        metadata = {_METADATA: json.dumps(self._description(), sort_keys=True)}
        with replacing(path) as file:
            scores.write_parquet(file, metadata=metadata)

    def to_polars(self) -> pl.DataFrame:
        """Return `summary`."""
        return self.summary()

    def to_pandas(self) -> Any:
        """Return `summary` as a pandas DataFrame; needs pandas and pyarrow."""
        return self.summary().to_pandas()

    def to_markdown(self) -> str:
        """Return the summary as a Markdown table."""
        return self._table().to_markdown()

    def to_latex(self) -> str:
        """Return the summary as a LaTeX table with booktabs rules."""
        return self._table().to_latex()

    def _description(self) -> dict[str, Any]:
        return {
            "schema": _SCHEMA,
            "systems": self.systems,
            "measures": [str(m) for m in self.measures],
            "primary": str(self.primary),
            "settings": dict(self.settings),
            "inputs": self.inputs,
            "quality": self.quality.to_dicts(),
            "unanswered": self.unanswered.to_dicts(),
        }

    def _table(self) -> Table:
        n = self.quality["n_queries"].max()
        return table_of(self.summary(), caption=f"{n} queries")

    def __repr__(self) -> str:
        """Return the summary as a table for a terminal."""
        return self._table().to_text(width=40)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter picks from what it is given
        return self._table().mimebundle()


def evaluate(  # noqa: PLR0913  (each is a decision of its own, by name)
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    primary: str | Measure | None = None,
    ties: str = "trec",
    queries: str = "judged",
    no_relevant: str = "zero",
) -> Evaluation:
    """Evaluate the ranked results of one or more systems against relevance judgments.

    Parameters
    ----------
    qrels
        The judgments: whatever `read_qrels` accepts.
    runs
        ``{system: run}`` with whatever `read_run` accepts, or a path or several, each system then
        being named after its file.
    measures
        Measures or their texts.
    primary
        The measure that decides; the first one unless given.
    ties
        ``"trec"`` (equal scores by document id, descending), ``"input"`` (in the order given) or
        ``"rank"`` (by the rank column, scores ignored).
    queries
        ``"judged"`` (every judged query; one that a system lacks scores 0) or ``"intersection"``
        (those that every system answered).
    no_relevant
        ``"zero"`` (a query without a document of positive grade scores 0) or ``"skip"``.

    Returns
    -------
    Evaluation
        Nothing is read before its first result is asked for.

    Raises
    ------
    DataError
        If a source cannot be opened; what is wrong with its rows is raised at the first result.
    MeasureError
        If a measure is not known or its parameters contradict each other.
    OptionError
        If an option has a value it cannot take.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {"q1": {"d1": 2, "d2": 1}, "q2": {"d7": 1}}
    >>> runs = {"old": {"q1": {"d2": 3.1, "d9": 3.0}}, "new": {"q1": {"d1": 0.9, "d2": 0.8}}}
    >>> rr.evaluate(qrels, runs, ["nDCG@10", "RR"])
    2 queries
    system  nDCG@10      RR
    ------  -------  ------
    old      0.1900  0.5000
    new      0.5000  0.5000
    """
    chosen = _measures(measures)
    decisive = chosen[0] if primary is None else parse(primary)
    if decisive not in chosen:
        chosen = (decisive, *chosen)
    settings = {
        "ties": choose("ties", ties, TIES),
        "queries": choose("queries", queries, QUERIES),
        "no_relevant": choose("no_relevant", no_relevant, NO_RELEVANT),
    }
    given = _named_runs(runs)
    if sum(isinstance(one, str) and one == STDIN for one in (qrels, *given.values())) > 1:
        raise OptionError("Only one input can come from standard input ('-').")
    origin = _Runs(
        open_source(qrels, QRELS, "the qrels"),
        {name: open_source(run, RUN, f"run {name!r}") for name, run in given.items()},
        settings,
    )
    return Evaluation(tuple(given), chosen, decisive, settings, origin)


def load_evaluation(path: str | os.PathLike[str]) -> Evaluation:
    """Load what `Evaluation.write_parquet` wrote, settings included.

    Parameters
    ----------
    path
        The Parquet file.

    Returns
    -------
    Evaluation
        It holds the measures that were written, and no others.

    Raises
    ------
    DataError
        If there is no such file, or it is not one of ours.
    """
    file = Path(path)
    if not file.is_file():
        raise DataError(f"{file} does not exist. Expected scores that write_parquet wrote.")
    try:
        metadata = pl.read_parquet_metadata(file)
        frame = pl.read_parquet(file)
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{file} is not a Parquet file ({error}).") from None
    if _METADATA not in metadata:
        msg = (
            f"{file} holds no settings of an evaluation. Expected scores that write_parquet wrote."
        )
        raise DataError(msg)
    described = json.loads(metadata[_METADATA])
    if described["schema"] != _SCHEMA:
        msg = (
            f"{file} has schema {described['schema']}, this version of rankreport reads {_SCHEMA}. "
            f"Evaluate again, or use the version that wrote it."
        )
        raise DataError(msg)
    return Evaluation(
        tuple(described["systems"]),
        tuple(map(parse, described["measures"])),
        parse(described["primary"]),
        described["settings"],
        _File(str(file), frame, described),
    )


@dataclass(frozen=True, eq=False)
class _Runs:
    """Figures computed from judgments and runs, which are read once."""

    qrels: Source
    systems: Mapping[str, Source]
    settings: Mapping[str, str]

    @cached_property
    def judged(self) -> Judged:
        # A bar appears only where the work takes longer than a second and somebody watches.
        with tqdm(total=len(self.systems), delay=1, disable=None, leave=False) as bar:
            return judge(self.qrels, self.systems, **self.settings, advance=lambda _: bar.update())

    def scores(self, measures: Sequence[Measure]) -> pl.DataFrame:
        scores = score_queries(self.judged.frame.lazy(), measures)
        return scores.collect(engine="in-memory")

    def quality(self) -> pl.DataFrame:
        counted = pl.col("counted")
        judged_at = _summarise(self.scores([_JUDGED_AT]), [_JUDGED_AT])
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
            .rename({str(_JUDGED_AT): "judged_at_10"})
            .cast(_QUALITY)
            .select(list(_QUALITY))
        )

    def unanswered(self) -> pl.DataFrame:
        nothing = pl.col("counted") & (pl.col("n_retrieved") == 0)
        return self.judged.queries.filter(nothing).select(SYSTEM, QUERY_ID)

    def inputs(self) -> list[dict[str, str | None]]:
        return [
            _input("qrels", self.qrels),
            *(_input(f"run {name}", source) for name, source in self.systems.items()),
        ]


@dataclass(frozen=True, eq=False)
class _File:
    """Figures as they were written."""

    name: str
    frame: pl.DataFrame
    described: Mapping[str, Any]

    def scores(self, measures: Sequence[Measure]) -> pl.DataFrame:
        held = set(self.frame[MEASURE].unique())
        lacking = [str(m) for m in measures if str(m) not in held]
        if lacking:
            msg = (
                f"{self.name} holds no {', '.join(lacking[:3])}. Evaluate the runs again, or write "
                f"it with write_parquet(..., also=[...])."
            )
            raise DataError(msg)
        return self.frame.filter(pl.col(MEASURE).is_in([str(m) for m in measures]))

    def quality(self) -> pl.DataFrame:
        return pl.DataFrame(self.described["quality"], schema=_QUALITY)

    def unanswered(self) -> pl.DataFrame:
        schema = {SYSTEM: pl.String, QUERY_ID: pl.String}
        return pl.DataFrame(self.described["unanswered"], schema=schema)

    def inputs(self) -> list[dict[str, str | None]]:
        return list(self.described["inputs"])


_QUALITY: dict[str, type[pl.DataType]] = {
    SYSTEM: pl.String,
    "n_queries": pl.Int64,
    "n_unanswered": pl.Int64,
    "n_left_out": pl.Int64,
    "n_unjudged": pl.Int64,
    "n_no_relevant": pl.Int64,
    "n_tied": pl.Int64,
    "judged_at_10": pl.Float64,
}


def _measures(given: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    several = [given] if isinstance(given, str | Measure) else list(given)
    chosen = tuple(dict.fromkeys(map(parse, several)))
    if not chosen:
        raise OptionError("measures is empty: name at least one, such as 'nDCG@10'.")
    for each in chosen:
        each.expression()  # contradictory parameters are refused before anything is read
    return chosen


def _named_runs(runs: Any) -> dict[str, Any]:
    if isinstance(runs, Mapping):
        if any(_is_row(value) for value in runs.values()):
            raise OptionError("runs maps queries to documents. Name the system: {'mine': run}.")
        named = {str(name): run for name, run in runs.items()}
    else:
        paths = [runs] if isinstance(runs, str | os.PathLike) else runs
        if not isinstance(paths, Sequence) or not all(
            isinstance(path, str | os.PathLike) for path in paths
        ):
            msg = f"runs: expected {{system: run}} or paths, found {type(runs).__name__}."
            raise OptionError(msg)
        named = {stem(path): path for path in paths}
        if len(named) < len(paths):
            names = [stem(path) for path in paths]
            twice = next(name for name in names if names.count(name) > 1)
            msg = f"Two runs would be named {twice!r}. Name them: {{'first': path, ...}}."
            raise OptionError(msg)
    if not named:
        raise OptionError("runs is empty: give at least one system.")
    return named


def _is_row(value: object) -> bool:
    """Whether it is ``{document: score}``, of a run that was not given a system's name."""
    return isinstance(value, Mapping) and any(isinstance(v, int | float) for v in value.values())


def _input(role: str, source: Source) -> dict[str, str | None]:
    if source.contents is None:
        return {"role": role, "name": "a table in memory", "sha256": None}
    # The file's name without its folder: a report travels, and folders name people.
    name = source.contents.path.name if source.contents.path else source.contents.name
    return {"role": role, "name": name, "sha256": source.contents.digest()}


def _wide(scores: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
    names = [str(m) for m in dict.fromkeys(measures)]
    parts = [scores.filter(pl.col(MEASURE) == name) for name in names]
    # Every part has the systems and queries in one and the same order.
    return (
        parts[0]
        .select(SYSTEM, QUERY_ID)
        .with_columns(part[VALUE].alias(name) for part, name in zip(parts, names, strict=True))
    )


def _summarise(scores: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
    columns = [getattr(pl.col(str(m)), m.declaration.aggregate)() for m in dict.fromkeys(measures)]
    return (
        _wide(scores, measures)
        .lazy()
        .group_by(SYSTEM, maintain_order=True)
        .agg(columns)
        .collect(engine="in-memory")
    )
