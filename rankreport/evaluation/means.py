"""Means of each system, with intervals."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rankreport import io, statistics
from rankreport.caching import cached
from rankreport.errors import OptionError, check_confidence, choose
from rankreport.evaluation.cautions import EQUAL_SCORES, OTHER_DIVISOR, OTHER_GAINS, OTHER_TOOL
from rankreport.evaluation.data_sets import structure_of_datasets
from rankreport.evaluation.options import weights_of
from rankreport.evaluation.values import EvaluationValues, per_query, repeats, values
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM, runs_of_systems
from rankreport.measures import Measure, is_averaged
from rankreport.text import Caution, labelled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankreport.statistics import Draws


class IntervalOptions(NamedTuple):
    """Options of the interval of a mean, as for `compare`."""

    interval: str = "auto"
    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0

    @property
    def draws(self) -> Draws:
        """The settings of resampling."""
        return statistics.Draws(self.resamples, self.seed)

    def check(self) -> None:
        """Check the options.

        Raises
        ------
        OptionError
            If an option is invalid.
        """
        choose("interval", self.interval, statistics.INTERVALS)
        check_confidence(self.confidence)
        statistics.check_draws(self.draws)


DEFAULT_INTERVAL = IntervalOptions()
"""The default options."""


def score_matrices(
    values: pl.DataFrame,
    systems: Iterable[str],
    measures: Sequence[str],
    query_ids: Sequence[str] | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Return each system's scores: a column per measure and a row per query, in the same order.

    Queries that are not evaluated for a system are NaN. Queries are in the order given, or in that
    of the values.
    """
    lists = dict(_by_system(values))
    if query_ids is not None:
        queries = pl.Series(QUERY_ID, query_ids, pl.String)
    else:
        queries, *others = (rows[QUERY_ID] for rows in lists.values())
        if not all(map(queries.equals, others)):
            queries = values[QUERY_ID].unique(maintain_order=True)
    matrices = {}
    for system in systems:
        rows = lists.get(system, values.clear())
        if not rows[QUERY_ID].equals(queries):
            rows = queries.to_frame().join(rows, on=QUERY_ID, how="left", maintain_order="left")
        matrices[system] = rows.select(measures).to_numpy()
    return matrices


def _by_system(values: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the rows of each system, which are adjacent, without a copy."""
    start = 0
    for length, system in values[SYSTEM].rle().struct.unnest().iter_rows():
        yield system, values.slice(start, length)
        start += length


def ranges_of(measures: Iterable[Measure]) -> NDArray[np.float64]:
    """Return the lower and upper bound of each measure, shape (2, n_measures), or infinity.

    >>> from rankreport.measures import RR, NumRet
    >>> ranges_of([RR, NumRet])
    array([[ 0.,  0.],
           [ 1., inf]])
    """
    ranges = [measure.declaration.range for measure in measures]
    lowest = [-np.inf if low is None else low for low, _ in ranges]
    highest = [np.inf if high is None else high for _, high in ranges]
    return np.array([lowest, highest])


def means(
    self: EvaluationValues,
    interval: str = DEFAULT_INTERVAL.interval,
    confidence: float = DEFAULT_INTERVAL.confidence,
    resamples: int = DEFAULT_INTERVAL.resamples,
    seed: int = DEFAULT_INTERVAL.seed,
    *,
    aggregate: str = "mean",
) -> pl.DataFrame:
    """Return the mean of every measure for every system, or another aggregate, with an interval.

    The intervals of two systems may overlap although their difference is significant: to
    compare systems, use `rankreport.compare`.

    Parameters
    ----------
    interval, confidence, resamples, seed
        As for `rankreport.compare`; the kind of interval is of means.
    aggregate
        As for `summary`. Intervals are from the same resamples of the queries: for ``"std"``,
        Student's t with their standard error, otherwise their quantiles, which need no assumption,
        but do not reach beyond the values of the queries. A quantile with fewer than 10 queries in
        the tail beyond it has no interval, nor has a minimum or maximum, whose tail is empty (its
        bootstrap is not consistent), nor where a system has several runs. Where most queries are
        tied, the interval of a median or quantile may have no length. In simulations, intervals at
        95 % covered the median 92 to 100 % of the time from 25 queries on, other quantiles 92 to
        100 % from 100 on, the deviation 91 to 97 % from 25 on.

    Returns
    -------
    DataFrame
        ``system, measure`` (String), ``mean`` (or the name of the aggregate), ``ci_low, ci_high``
        (Float64), ``n_queries``
        (Int64), the number of queries with a value. Counts are averaged over queries. Measures
        that are not means over queries (geometric, weighted or pooled) have the value of
        `summary`, no interval and no other aggregate; nor have measures with equal values for all
        queries an interval of the mean. Intervals are clipped to the range of the measure.

    Raises
    ------
    OptionError
        If an option is invalid.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(4)}
    >>> run = {f"q{i}": {"d1": 1.0, "d2": float(i % 2) * 2} for i in range(4)}
    >>> rr.evaluate(qrels, {"mine": run}, ["RR"]).means("t").rows()[0][:3]
    ('mine', 'RR', 0.75)
    """
    io.check_process()
    if aggregate != "mean" and self.datasets:
        raise OptionError(f"aggregate={aggregate!r} is of one data set; of several use the mean.")
    if aggregate != "mean" and interval != DEFAULT_INTERVAL.interval:
        raise OptionError(f"interval={interval!r} is of means; leave it out with {aggregate!r}.")
    return _means(self, IntervalOptions(interval, confidence, resamples, seed), aggregate)


@cached
def _means(evaluation: EvaluationValues, options: IntervalOptions, aggregate: str) -> pl.DataFrame:
    return means_on(evaluation, evaluation.measures, options, aggregate)


def means_on(
    self: EvaluationValues,
    measures: Sequence[Measure],
    options: IntervalOptions = DEFAULT_INTERVAL,
    aggregate: str = "mean",
) -> pl.DataFrame:
    """Return the frame of `means` on some measures."""
    options.check()
    known, names = values(self, measures), [*map(str, measures)]
    totals = self._origin.summary(known, measures)
    systems = totals[SYSTEM].to_list()
    every = np.hstack(list(score_matrices(known, systems, names).values()))
    # A mean with an infinite value cannot be resampled.
    averaged = np.tile([*map(is_averaged, measures)], len(systems)) & ~np.isinf(every).any(axis=0)
    scores = np.where(averaged, every, np.nan)
    lowest, highest = np.tile(ranges_of(measures), len(systems))
    runs = runs_of_systems(repeats(self, measures), names)
    if aggregate == "mean":
        sample = statistics.Sample.of(scores, structure_of_datasets(self))
        figures = np.where(averaged, sample.mean, totals.select(names).to_numpy().ravel())
        found = options.draws.interval(options.interval, sample, options.confidence)
        if runs:
            alone = [[system] for system in systems]
            added = statistics.RunVariance.of_groups(alone, runs, len(measures))
            found = added.widened(found, sample, options.confidence)
    else:
        made = statistics.aggregated(aggregate, scores, **options.draws._asdict())
        figures, found = made.value, made.interval(options.confidence)
        if runs:  # that of the queries alone would be too narrow
            found = statistics.Interval(*np.full((2, len(figures)), np.nan))
        lowest = np.zeros_like(lowest) if aggregate == "std" else lowest
    found = found.within(lowest, highest)
    columns = {aggregate: figures, "ci_low": found.low, "ci_high": found.high}
    rows = list(product(systems, names))
    return pl.DataFrame(
        rows, schema={SYSTEM: pl.String, MEASURE: pl.String}, orient="row"
    ).with_columns(
        *(pl.Series(name, column, nan_to_null=True) for name, column in columns.items()),
        pl.Series("n_queries", (~np.isnan(every)).sum(axis=0)),
    )


def summary(
    self: EvaluationValues,
    weights: Mapping[str, float] | None = None,
    aggregate: str = "mean",
) -> pl.DataFrame:
    """Return every system's value of every measure.

    Parameters
    ----------
    weights
        Query weights, such as shares of the traffic. Queries that are not in the mapping have
        weight 0; queries that are not evaluated are ignored. By default all queries have equal
        weight, except in measures with their own weights (GAUC). Sums and pooled measures
        ignore weights.
    aggregate
        How values of queries are aggregated: ``"mean"``, or as the measure declares;
        ``"median"``; a quantile, such as ``"p90"``; ``"min"``; ``"max"``; ``"std"``, the standard
        deviation. `means` has their intervals. They take no weights.

    Returns
    -------
    DataFrame
        ``system``, then a Float64 column per measure: the mean over queries, the sum for
        counts, or the measure's own aggregate; null where no query has a value. Other aggregates
        are of means and counts only, and null elsewhere.

    Raises
    ------
    OptionError
        If a weight is negative or not finite, or all weights are 0; if the aggregate is unknown, or
        there are weights too.

    Examples
    --------
    >>> import rankreport as rr
    >>> e = rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d2": 2.0, "d1": 1.0}}}, ["RR"])
    >>> e.summary().rows()
    [('mine', 0.5)]
    """
    if aggregate == "mean":
        known = per_query(self)
        return self._origin.summary(known, self.measures, weights_of(weights, known))
    if weights is not None:
        raise OptionError(f"aggregate={aggregate!r} takes no weights; use the mean.")
    found = means(self, aggregate=aggregate, resamples=100)  # the intervals are not used
    return found.pivot(MEASURE, index=SYSTEM, values=aggregate, maintain_order=True)


def best_system(self: EvaluationValues) -> str:
    """Return the system whose value of the primary measure is best, the first of equals."""
    low = self.primary.declaration.better == "low"
    primary = [self.primary]
    totals = self._origin.summary(values(self, primary), primary)
    answering = totals.filter(~pl.col(SYSTEM).is_in(silent_systems(self)))
    ordered = (totals if answering.is_empty() else answering).sort(
        str(self.primary), descending=not low, nulls_last=True, maintain_order=True
    )
    return str(ordered[SYSTEM][0])


def silent_systems(self: EvaluationValues) -> list[str]:
    """Return the systems that returned nothing at all: none of them is the best of any measure.

    >>> import rankreport as rr
    >>> runs = {"good": {"q1": ["d1"]}, "down": {}}
    >>> silent_systems(rr.evaluate({"q1": {"d1": 1}}, runs, "RR", allow_empty=True))
    ['down']
    """
    silent = pl.col("n_unanswered") == pl.col("n_queries")
    return self.quality.filter(silent)[SYSTEM].to_list()


_OF_VALUES = {each.code for each in (EQUAL_SCORES, OTHER_GAINS, OTHER_DIVISOR, OTHER_TOOL)}
"""Codes of notes by which a mean may be another in another tool."""


class MeansOfSystems(pl.Series):
    """The means of systems on a measure, with what to know of them; of one system, a number."""

    _cautions: Callable[[], Iterable[Caution]] = staticmethod(tuple)

    def __init__(self, means: pl.Series, cautions: Callable[[], Iterable[Caution]]) -> None:
        super().__init__(means.name, means)
        self._cautions = cautions

    def __str__(self) -> str:
        """Return the means as Polars shows them, and the cautions of the evaluation."""
        return "\n\n".join([str(self.to_frame().to_series()), *map(labelled, self._cautions())])

    def __repr__(self) -> str:
        """Return the same."""
        return str(self)

    def __float__(self) -> float:
        """Return the mean of one system."""
        if len(self) != 1:
            line = f"dict(zip(evaluation.systems, evaluation[{self.name!r}]))"
            raise OptionError(f"{self.name} has a mean of each of {len(self)} systems: {line}.")
        for caution in self._cautions():
            if caution.severity != "note" or caution.code in _OF_VALUES:
                warnings.warn(str(caution), stacklevel=2)
        return float(self.cast(pl.Float64).fill_null(float("nan"))[0])

    def __format__(self, spec: str) -> str:
        """Return the mean of one system by a format; without it, the means."""
        return format(float(self) if spec else str(self), spec)
