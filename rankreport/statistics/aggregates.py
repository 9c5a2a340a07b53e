"""Aggregates over queries other than the mean, by name: median, quantiles, extremes, spread.

Their intervals are made of bootstrap resamples of the queries: quantiles of the resampled medians
and quantiles; for the standard deviation, Student's t with the standard error of the resampled
ones, since their quantiles are too short (89 % instead of 95 % for 25 queries). Where few of the
queries have a large value, it is too short as well (60 % for 25 queries, 72 % for 50).

What such an interval of a quantile can do: its ends are values that queries have, or lie between
two, so it makes no assumption on the distribution. In simulations of tied and continuous scores it
covers the median 93 to 100 % of the time from 25 queries on, and the 10 % and 90 % quantiles 92 to
100 % from 100 on (nominal: 95 %); the more ties, the more often. What it cannot do: reach beyond
the values that the queries have. Where fewer than 10 queries lie in the tail beyond a quantile, it
is too short (87 % for the 10 % quantile of 25 queries), and there is none. The tail beyond a
minimum or maximum is empty: the bootstrap of extremes is not consistent (Bickel and Freedman,
Annals of Statistics 1981), so they never have an interval. An interval of a median or quantile may
have a length of zero, where most queries are tied there; that of a difference only where each of
the two has, since systems that agree on these queries need not agree on others.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from rankreport.errors import OptionError, choose
from rankreport.statistics.intervals import Interval, quantiles, tails
from rankreport.statistics.random_draws import draw_counts
from rankreport.statistics.sample import MIN_CHANGED, BoolArray, FloatArray, IntArray, ratio
from rankreport.statistics.structure import PLAIN, Structure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

__all__ = ["AGGREGATES", "Aggregate", "Aggregated", "aggregate_named", "aggregated"]


class Aggregate(NamedTuple):
    """An aggregate of the values of queries.

    Attributes
    ----------
    of : callable
        Takes counts of shape (n_samples, n_queries), how often each sample holds a query, and the
        values of the queries; returns the aggregate of each sample.
    tail : float
        The share of the queries in the smaller tail beyond it.
    by_error : bool
        Whether its interval is Student's t with the standard error of the resamples, rather than
        quantiles of them.
    """

    of: Callable[[NDArray[Any], FloatArray], FloatArray]
    tail: float = 0.5
    by_error: bool = False


def _quantile(share: float) -> Aggregate:
    """Return the quantile, linear between the values as in NumPy."""

    def of(counts: NDArray[Any], values: FloatArray) -> FloatArray:
        ascending = np.argsort(values, kind="stable")
        reached = np.cumsum(counts[:, ascending], axis=1, dtype=np.int32)
        place = share * (reached[:, -1:] - 1)
        before, after = np.floor(place), np.ceil(place)
        low, high = (
            values[ascending[np.count_nonzero(reached <= at, axis=1).clip(max=len(values) - 1)]]
            for at in (before.astype(np.int32), after.astype(np.int32))
        )
        return np.where(reached[:, -1] > 0, low + (high - low) * (place - before)[:, 0], np.nan)

    return Aggregate(of, min(share, 1 - share))


def _deviation(counts: NDArray[Any], values: FloatArray) -> FloatArray:
    """Return the standard deviation, over one less than the number of values."""
    n, deviations = counts.sum(axis=1, dtype=np.int64), values - values.mean()
    squares = counts @ np.square(deviations) - ratio(np.square(counts @ deviations), n)
    found: FloatArray = np.sqrt(ratio(np.maximum(squares, 0), n - 1))
    return found


AGGREGATES: Final[Mapping[str, Aggregate]] = MappingProxyType(
    {
        "median": _quantile(0.5),
        "min": _quantile(0),
        "max": _quantile(1),
        "std": Aggregate(_deviation, by_error=True),
    }
)
"""The aggregates but for quantiles, which :func:`aggregate_named` knows too."""


def aggregate_named(name: str) -> Aggregate:
    """Return an aggregate: one of `AGGREGATES`, or a quantile such as ``"p90"`` or ``"p2.5"``.

    OptionError for an unknown name.

    >>> round(aggregate_named("p90").tail, 2)
    0.1
    """
    percent = re.fullmatch(r"p(\d{1,2}(?:\.\d+)?)", name) if isinstance(name, str) else None
    if percent is not None:
        return _quantile(float(percent[1]) / 100)
    choose("aggregate", name, ["mean", *AGGREGATES, "p10", "p90"])
    return AGGREGATES[name]


class Aggregated(NamedTuple):
    """An aggregate of columns, or the difference of two.

    Attributes
    ----------
    name : str
        As for :func:`aggregate_named`.
    value, drawn : float64, shape (n_columns,) and (resamples, n_columns)
        The aggregate and its replicates.
    n_units : int, shape (n_columns,)
        The number of queries, or clusters, with a value.
    """

    name: str
    value: FloatArray
    drawn: FloatArray
    n_units: IntArray

    def minus(self, other: Aggregated) -> Aggregated:
        """Return the difference from an aggregate of the same queries and resamples."""
        drawn = self.drawn - other.drawn
        # Where both vary together, their difference is not certain.
        together = _is_constant(drawn) & ~_is_constant(self.drawn)
        drawn[:, together] = np.nan
        return self._replace(value=self.value - other.value, drawn=drawn)

    def interval(self, confidence: float) -> Interval:
        """Return the interval; NaN where none is known."""
        from scipy import special

        aggregate = aggregate_named(self.name)
        low, high = quantiles(self.drawn, tails(confidence))
        if aggregate.by_error:
            errors = special.stdtrit(np.maximum(self.n_units - 1, 1), tails(confidence)[1])
            half = np.where(low < high, errors * np.std(self.drawn, axis=0, ddof=1), np.nan)
            low, high = self.value - half, self.value + half
        known = np.round(self.n_units * aggregate.tail, 9) >= MIN_CHANGED
        return Interval(np.where(known, low, np.nan), np.where(known, high, np.nan))


def _is_constant(drawn: FloatArray) -> BoolArray:
    return np.asarray((drawn == drawn[0]).all(axis=0))


def aggregated(
    name: str, values: FloatArray, structure: Structure = PLAIN, **draws: Any
) -> Aggregated:
    """Return an aggregate of each column, with its replicates.

    Parameters
    ----------
    name : str
        As for :func:`aggregate_named`.
    values : float64, shape (n_queries, n_columns)
        NaN where undefined.
    structure : Structure
        Clusters and strata of the queries, which are drawn as for means.
    **draws
        As for :func:`~rankreport.statistics.random_draws.draw_counts`. Units are drawn one by one,
        however many there are; up to 1,024, the samples are those of the means.

    Raises
    ------
    OptionError
        For an unknown name, and where queries have weights.

    Examples
    --------
    >>> found = aggregated("median", np.arange(41.0)[:, np.newaxis], resamples=999, seed=0)
    >>> found.value, found.interval(0.95)
    (array([20.]), Interval(low=array([14.]), high=array([26.])))
    """
    of, unit_of = aggregate_named(name).of, structure.unit_of
    if structure.weights is not None:
        raise OptionError(
            f"aggregate={name!r} is not available with weights, nor over several data sets, each "
            f"of equal weight; use the mean."
        )
    units = np.arange(len(values)) if unit_of is None else unit_of
    columns = [(units[~np.isnan(column)], column[~np.isnan(column)]) for column in values.T]

    def of_samples(counts: NDArray[Any]) -> FloatArray:
        empty = np.full(len(counts), np.nan)
        return np.column_stack(
            [of(counts[:, rows], column) if rows.size else empty for rows, column in columns]
        )

    once = np.ones((1, units.max(initial=-1) + 1), dtype=np.uint8)
    pieces = draw_counts(once.size, strata=structure.stratum_of, **draws)
    drawn = np.concatenate([of_samples(counts) for counts in pieces])
    n_units = np.array([len(np.unique(rows)) for rows, _ in columns])
    return Aggregated(name, of_samples(once)[0], drawn, n_units)
