"""The means of an evaluation, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from rankreport import io
from rankreport.evaluation.means import DEFAULT_INTERVAL, IntervalOptions, Levels
from rankreport.evaluation.options import weights_of
from rankreport.evaluation.scores import values, values_of
from rankreport.evaluation.values import EvaluationValues
from rankreport.frames import SYSTEM
from rankreport.keeping import kept
from rankreport.measures import Measure


def means(
    self: EvaluationValues,
    interval: str = DEFAULT_INTERVAL.interval,
    confidence: float = DEFAULT_INTERVAL.confidence,
    resamples: int = DEFAULT_INTERVAL.resamples,
    seed: int = DEFAULT_INTERVAL.seed,
) -> pl.DataFrame:
    """Return the mean of every measure for every system, with an interval.

    The intervals of two systems may overlap although their difference is significant: to
    compare systems, use `rankreport.compare`.

    Parameters
    ----------
    interval, confidence, resamples, seed
        As for `rankreport.compare`.

    Returns
    -------
    DataFrame
        ``system, measure`` (String), ``mean, ci_low, ci_high`` (Float64), ``n_queries``
        (Int64), the number of queries with a value. Counts are averaged over queries. Measures
        that are not means over queries (geometric, weighted or pooled) have the value of
        `summary` and no interval; nor have measures with equal values for all queries an
        interval. Intervals are clipped to the range of the measure.

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
    return _levels(self).means(IntervalOptions(interval, confidence, resamples, seed))


@kept
def _levels(evaluation: EvaluationValues) -> Levels:
    return mean_levels(evaluation, evaluation.measures)


def mean_levels(self: EvaluationValues, measures: Sequence[Measure]) -> Levels:
    """Return the levels of some measures, of which `means` are made."""
    known = values(self, measures)
    return Levels.of(known, self._origin.summary(known, measures), measures)


def summary(self: EvaluationValues, weights: Mapping[str, float] | None = None) -> pl.DataFrame:
    """Return every system's value of every measure.

    Parameters
    ----------
    weights
        Query weights, such as shares of the traffic. Queries that are not in the mapping have
        weight 0; queries that are not evaluated are ignored. By default all queries have equal
        weight, except in measures with their own weights (GAUC). Sums and pooled measures
        ignore weights.

    Returns
    -------
    DataFrame
        ``system``, then a Float64 column per measure: the mean over queries, the sum for
        counts, or the measure's own aggregate; null where no query has a value.

    Raises
    ------
    OptionError
        If a weight is negative or not finite, or all weights are 0.

    Examples
    --------
    >>> import rankreport as rr
    >>> e = rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d2": 2.0, "d1": 1.0}}}, ["RR"])
    >>> e.summary().rows()
    [('mine', 0.5)]
    """
    return self._origin.summary(
        values_of(self), self.measures, weights_of(weights, values_of(self))
    )


def best_system(self: EvaluationValues) -> str:
    """Return the system whose value of the primary measure is best, the first of equals."""
    low = self.primary.declaration.better == "low"
    primary = [self.primary]
    totals = self._origin.summary(values(self, primary), primary)
    ordered = totals.sort(
        str(self.primary), descending=not low, nulls_last=True, maintain_order=True
    )
    return str(ordered[SYSTEM][0])
