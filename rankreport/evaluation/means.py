"""Means of each system, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rankreport import statistics
from rankreport.errors import check_confidence, choose
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM
from rankreport.measures import Measure, is_averaged

if TYPE_CHECKING:
    from typing import Self

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


@dataclass(frozen=True, eq=False)
class Levels:
    """The scores of systems on the same queries.

    Attributes
    ----------
    systems, measures
        Names and measures in the order of the columns; the measures of a system are adjacent.
    scores
        A column per system and measure, a row per query; NaN where undefined.
    totals
        The aggregate of each column over queries.
    """

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    scores: NDArray[np.float64]
    totals: NDArray[np.float64]
    _made: dict[IntervalOptions, pl.DataFrame] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, values: pl.DataFrame, summary: pl.DataFrame, measures: Sequence[Measure]) -> Self:
        """Create levels from wide scores (``system, query_id`` and measures) and their summary."""
        names = [str(measure) for measure in measures]
        systems = tuple(summary[SYSTEM])
        scores = np.hstack(list(score_matrices(values, systems, names).values()))
        totals = summary.select(names).to_numpy().ravel()
        return cls(systems, tuple(measures), scores, totals)

    def means(self, options: IntervalOptions = DEFAULT_INTERVAL) -> pl.DataFrame:
        """Return the frame of `rankreport.Evaluation.means`."""
        if options not in self._made:
            self._made[options] = self._means(options)
        return self._made[options]

    def _means(self, options: IntervalOptions) -> pl.DataFrame:
        options.check()
        sample = statistics.Sample.of(np.where(self._averaged, self.scores, np.nan))
        lowest, highest = np.tile(ranges_of(self.measures), len(self.systems))
        found = options.draws.interval(options.interval, sample, options.confidence)
        found = found.within(lowest, highest)
        rows = [(system, str(measure)) for system in self.systems for measure in self.measures]
        columns = {
            "mean": np.where(self._averaged, sample.mean, self.totals),
            "ci_low": found.low,
            "ci_high": found.high,
        }
        return pl.DataFrame(
            rows, schema={SYSTEM: pl.String, MEASURE: pl.String}, orient="row"
        ).with_columns(
            *(pl.Series(name, column, nan_to_null=True) for name, column in columns.items()),
            pl.Series("n_queries", (~np.isnan(self.scores)).sum(axis=0)),
        )

    @property
    def _averaged(self) -> NDArray[np.bool_]:
        """Whether each column can be averaged over queries: a mean or a count."""
        plain = list(map(is_averaged, self.measures))
        averaged: NDArray[np.bool_] = np.tile(plain, len(self.systems))
        # A mean with an infinite value cannot be resampled.
        return averaged & ~np.isinf(self.scores).any(axis=0)
