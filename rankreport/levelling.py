"""How good systems are, each by itself: means with intervals, and the queries they do worst on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rankreport import statistics
from rankreport.columns import DOC_ID, MEASURE, QUERY_ID, RANK, RELEVANCE, SYSTEM, VALUE
from rankreport.drawing import Draws, check_draws
from rankreport.errors import OptionError, check_confidence, choose
from rankreport.measures import Measure, is_averaged

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

__all__ = [
    "USUAL",
    "Asked",
    "Levels",
    "hardest_queries",
    "least_relevant",
    "ranges_of",
    "relevant_documents",
    "score_matrices",
]


class Asked(NamedTuple):
    """Which interval is wanted of a mean, and from how many resamples: as `compare` has it."""

    interval: str = "auto"
    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0

    @property
    def draws(self) -> Draws:
        """How queries are drawn."""
        return Draws(self.resamples, self.seed)

    def check(self) -> None:
        """Refuse what is no interval.

        Raises
        ------
        OptionError
            Naming the option.
        """
        choose("interval", self.interval, statistics.INTERVALS)
        check_confidence(self.confidence)
        check_draws(self.draws)


USUAL = Asked()
"""What is made unless something else is asked for."""


def score_matrices(
    values: pl.DataFrame, systems: Iterable[str], measures: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """Return each system's scores: a column per measure, a row per query, in one order for all.

    A query that does not count for one of the systems is undefined there: NaN.
    """
    queries = values.select(QUERY_ID).unique(maintain_order=True)
    return {
        system: queries.join(
            values.filter(pl.col(SYSTEM) == system), on=QUERY_ID, how="left", maintain_order="left"
        )
        .select(measures)
        .to_numpy()
        for system in systems
    }


def ranges_of(measures: Iterable[Measure]) -> NDArray[np.float64]:
    """Return the least and the greatest value of each measure, (2, n_measures); infinite if none.

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
        In the order of the columns: the measures of one system stand together.
    scores
        A column per system and measure, a row per query; NaN where undefined.
    totals
        What each column amounts to by its measure's declaration.
    """

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    scores: NDArray[np.float64]
    totals: NDArray[np.float64]
    _made: dict[Asked, pl.DataFrame] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, values: pl.DataFrame, summary: pl.DataFrame, measures: Sequence[Measure]) -> Self:
        """Take scores, ``system, query_id`` and a column per measure, and what they amount to."""
        names = [str(measure) for measure in measures]
        systems = tuple(summary[SYSTEM])
        scores = np.hstack(list(score_matrices(values, systems, names).values()))
        totals = summary.select(names).to_numpy().ravel()
        return cls(systems, tuple(measures), scores, totals)

    def means(self, asked: Asked = USUAL) -> pl.DataFrame:
        """Return the frame described at `rankreport.Evaluation.means`."""
        if asked not in self._made:
            self._made[asked] = self._means(asked)
        return self._made[asked]

    def _means(self, asked: Asked) -> pl.DataFrame:
        asked.check()
        sample = statistics.Sample.of(np.where(self._averaged, self.scores, np.nan))
        lowest, highest = np.tile(ranges_of(self.measures), len(self.systems))
        found = asked.draws.interval(asked.interval, sample, asked.confidence)
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
        """Which columns are means over queries, or counts, whose mean is as good."""
        plain = list(map(is_averaged, self.measures))
        averaged: NDArray[np.bool_] = np.tile(plain, len(self.systems))
        # An infinite value leaves no mean to resample.
        return averaged & ~np.isinf(self.scores).any(axis=0)


def hardest_queries(
    values: pl.DataFrame, primary: Measure, system: str, n_queries: int
) -> pl.DataFrame:
    """Return the frame described at `rankreport.Evaluation.hardest`.

    Parameters
    ----------
    values
        ``system, query_id`` and a column per measure.
    primary
        The measure that decides which are hard.
    system
        Whose they are.
    n_queries
        How many, at most.

    Raises
    ------
    OptionError
        If the measure is neither better high nor low.
    """
    better = primary.declaration.better
    if better == "neither":
        raise OptionError(
            f"{primary} is neither better high nor low, so no query is the hardest by it. Name "
            f"another measure first, or as primary."
        )
    return (
        values.filter(pl.col(SYSTEM) == system)
        .select(SYSTEM, QUERY_ID, pl.col(str(primary)).alias(VALUE))
        .drop_nulls()
        .sort(VALUE, QUERY_ID, descending=[better == "low", False])
        .head(n_queries)
    )


def least_relevant(measure: Measure) -> float:
    """Return the grade from which on a document is relevant: to a measure, or to most readers.

    Measures that weigh grades tell no relevant documents from others. To those who read such a
    measure, all that is above 0 is relevant, however little: 0.25, where grades are click rates.

    >>> from rankreport.measures import AP, nDCG
    >>> least_relevant(AP(rel=2))
    2
    >>> 0 < least_relevant(nDCG) < 1e-300
    True
    """
    return math.ulp(0.0) if measure.rel is None else measure.rel


def relevant_documents(documents: pl.DataFrame, rel: float) -> pl.DataFrame:
    """Return the relevant documents of the judged frame, and where each stands.

    Returns
    -------
    DataFrame
        ``system, query_id, doc_id, relevance, rank``: by rank, then those that the system did not
        return (null), the best grade first.
    """
    return (
        documents.filter(pl.col(RELEVANCE) >= rel)
        .select(SYSTEM, QUERY_ID, DOC_ID, RELEVANCE, RANK)
        .sort(
            pl.col(RANK),
            -pl.col(RELEVANCE),
            DOC_ID,
            nulls_last=True,
            maintain_order=True,
        )
    )
