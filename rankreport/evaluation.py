"""evaluate(): judgments and runs in, the scores of every system for every query out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rankreport import charts
from rankreport.caveats import cautions
from rankreport.columns import MEASURE, SYSTEM, VALUE
from rankreport.curves import CUTOFFS, K, points
from rankreport.errors import OptionError, choose
from rankreport.judging import NO_RELEVANT, QUERIES
from rankreport.loading import QRELS, RUN, STDIN, Input, open_source, stem
from rankreport.measures import Measure, parse, wide
from rankreport.origins import FromFile, FromRuns, Origin, described
from rankreport.ranking import TIES
from rankreport.rendering.display import Displayed
from rankreport.rendering.table import Table, table_of
from rankreport.rendering.text import counted
from rankreport.writing import replacing

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = ["DEFAULT_MEASURES", "Evaluation", "evaluate", "load_evaluation"]

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR@10", "P@10", "R@100")
"""What is computed unless something else is asked for; the first is the primary measure."""


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Displayed):
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
    _origin: Origin = field(repr=False)

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
        of the first 10 documents that were judged, over the queries answered.
        """
        return self._origin.quality()

    @cached_property
    def unanswered(self) -> pl.DataFrame:
        """The judged queries for which a system returned nothing: ``system, query_id``."""
        return self._origin.unanswered()

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """What to mind before reading a score, in sentences."""
        return tuple(
            cautions(
                self.measures,
                self.settings,
                self.quality,
                self.unanswered,
                self._origin.top_grade(),
            )
        )

    @cached_property
    def inputs(self) -> list[Input]:
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
        return self._origin.summary(self.measures)

    def per_query(self) -> pl.DataFrame:
        """Return the scores, wide: ``system, query_id``, then a Float64 column per measure."""
        return wide(self.scores, self.measures)

    def curve(
        self, measures: str | Measure | Iterable[str | Measure], k: Iterable[int] = range(1, 101)
    ) -> pl.DataFrame:
        """Return measures at many cut-offs.

        Parameters
        ----------
        measures
            One or more that take a cut-off, such as ``"nDCG"``.
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
        for each in _measures(measures):
            at = points(each, cutoffs)
            summary = self._origin.summary(tuple(at))
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
        named = parse(measure)
        sums = named.declaration.aggregate == "sum"
        mean = pl.col(VALUE) / (max(self.quality["n_queries"].to_list()) if sums else 1)
        nothing = pl.lit(None, pl.Float64)
        levels = self.curve([named], k).select(
            SYSTEM, K, mean.alias("mean"), ci_low=nothing, ci_high=nothing
        )
        return charts.curves(levels, measure=str(named))

    def holds(self, measures: Sequence[Measure]) -> bool:
        """Whether these measures can be had: any can, unless this was loaded from a file."""
        return self._origin.holds(measures)

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the scores of any measures, wide: ``system, query_id``, a column per measure.

        Raises
        ------
        DataError
            If this evaluation was loaded from a file that does not hold one of them.
        """
        return wide(self._origin.scores(measures), measures)

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
        metadata = described(
            self._origin,
            (*self.measures, *more),
            systems=self.systems,
            asked=[str(m) for m in self.measures],
            primary=str(self.primary),
            settings=dict(self.settings),
        )
        with replacing(path) as file:
            scores.write_parquet(file, metadata=metadata)

    def to_polars(self) -> pl.DataFrame:
        """Return `summary`."""
        return self.summary()

    def shown(self) -> Table:
        """Return the summary as people read it."""
        n_queries = max(self.quality["n_queries"].to_list())
        return table_of(self.summary(), caption=counted(n_queries, "query", "queries"))


def evaluate(
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
    origin = FromRuns(
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

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "scores.parquet"
    ...     rr.evaluate(example.qrels, example.runs, ["AP", "RR"]).write_parquet(file)
    ...     rr.load_evaluation(file)
    60 queries
    system           AP      RR
    -----------  ------  ------
    bm25         0.6001  0.7631
    bm25-names   0.6540  0.7948
    char-ngrams  0.5045  0.6505
    fusion       0.6004  0.7201
    """
    origin = FromFile.read(Path(path))
    description = origin.description
    return Evaluation(
        tuple(description["systems"]),
        tuple(map(parse, description["asked"])),
        parse(description["primary"]),
        description["settings"],
        origin,
    )


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
