"""What a value misses: relevant documents that were not retrieved, and those that rank low.

The best order of a system's own first documents has the highest value that they allow. What the
ideal order of all judged documents has above it was not retrieved; what it has above the system's
own value was ranked low.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
import polars as pl

from rankreport.caching import cached
from rankreport.errors import MeasureError, OptionError, brief, check_one_run
from rankreport.evaluation.cautions import passes_over_unjudged
from rankreport.evaluation.data_sets import structure_of_datasets
from rankreport.evaluation.documents import same_lists
from rankreport.evaluation.means import DEFAULT_INTERVAL, score_matrices
from rankreport.evaluation.stored import BEST_VALUES, POOL, FromFile
from rankreport.evaluation.values import EvaluationValues, data_facts_of, measures_named
from rankreport.frames import N_RETRIEVED, SYSTEM
from rankreport.measures import EQUAL, JudgedRows, Measure, is_averaged
from rankreport.statistics import Sample

_PARTS = ("value", "ranked_low", "not_retrieved", "ideal")


def pool_and_order(
    self: EvaluationValues,
    measure: str | Measure | None = None,
    n: int | None = None,
    *,
    by_query: bool = False,
) -> pl.DataFrame:
    """Return what systems miss of a measure by what they retrieve, and by the order of that.

    The value, what is ranked low and what is not retrieved add up to the ideal, for each query and
    in the mean; the ends of their intervals do not. Unjudged documents count as not relevant.

    Parameters
    ----------
    measure
        A measure that is highest where documents are sorted by grade, such as nDCG@10, AP, RR or
        R@100; the primary one by default.
    n
        How many documents of each list could be reordered; by default the length of the longest
        list of the system with the shorter lists. Shorter lists are taken whole. A measure without
        a cut-off is that of these documents.
    by_query
        Whether to return a row per system and query instead of means.

    Returns
    -------
    DataFrame
        ``system, part`` (String): ``value``; ``ranked_low``, what the best order of the system's
        own documents has above it; ``not_retrieved``, what the best order of all judged documents
        has above that; ``ideal``, that order's value. Then ``mean, ci_low, ci_high`` (Float64),
        with 95 % intervals as of `means`; ``n_queries, n`` (Int64). With `by_query`: ``system,
        query_id``, these parts, ``best_of_own``, the value of the best order of the system's own
        documents, and ``mainly``, the larger part, ``"not retrieved"`` or ``"ranked low"``, null
        where nothing is missed.

    Raises
    ------
    MeasureError
        If sorting by grade does not make the measure highest, it depends on how many documents are
        returned, or it passes over unjudged documents.
    OptionError
        If the measure looks at more documents of longer lists than `n`.
    DataError
        If this evaluation was loaded from a file, and this is not its primary measure with the
        default `n`: the file contains no documents.

    Examples
    --------
    >>> import rankreport as rr
    >>> run = {"q1": {"d3": 2.0, "d1": 1.0}}
    >>> e = rr.evaluate({"q1": {"d1": 1, "d2": 1}}, {"mine": run}, ["P@2", "RR"])
    >>> e.pool_and_order().select("part", "mean").rows()
    [('value', 0.5), ('ranked_low', 0.0), ('not_retrieved', 0.5), ('ideal', 1.0)]
    >>> e.pool_and_order("RR").select("part", "mean").rows()
    [('value', 0.5), ('ranked_low', 0.5), ('not_retrieved', 0.0), ('ideal', 1.0)]
    """
    splitting = Splitting.of(self, self.systems, measure, n)
    rows = splitting.missed
    if by_query:
        return rows
    kind, confidence, *_ = DEFAULT_INTERVAL
    scores = np.hstack(list(score_matrices(rows, self.systems, _PARTS).values()))
    sample = Sample.of(scores, structure_of_datasets(self))
    ends = DEFAULT_INTERVAL.draws.interval(kind, sample, confidence).within(0.0, np.inf)
    columns = {"mean": sample.mean, "ci_low": ends.low, "ci_high": ends.high}
    named = pl.DataFrame(list(product(self.systems, _PARTS)), schema=[SYSTEM, "part"], orient="row")
    return named.with_columns(
        *(pl.Series(name, values, nan_to_null=True) for name, values in columns.items()),
        pl.Series("n_queries", sample.n_queries),
        pl.lit(splitting.n, pl.Int64).alias("n"),
    )


class Splitting(NamedTuple):
    """What is split: a measure, and how many documents of each list."""

    evaluation: EvaluationValues
    measure: Measure
    n: int

    @classmethod
    def of(
        cls,
        evaluation: EvaluationValues,
        systems: tuple[str, ...],
        measure: str | Measure | None = None,
        n: int | None = None,
    ) -> Splitting:
        """Return the measure that is split, and how many documents of each list.

        Raises
        ------
        MeasureError, OptionError
            As of `pool_and_order`.
        """
        check_one_run(evaluation.n_repeats, "pool_and_order()")
        wanted = evaluation.primary if measure is None else measure
        chosen, *others = measures_named(evaluation, [wanted])
        if others:
            raise OptionError(f"{wanted!r} names several measures; name one of them.")
        reason = ""
        if chosen.moves != "up" or not is_averaged(chosen):
            reason = "sorting documents by grade does not make its mean highest"
        elif N_RETRIEVED in JudgedRows(pl.DataFrame()).reads([chosen]):
            reason = "it depends on how many documents are returned"
        elif passes_over_unjudged(chosen):
            reason = "it passes over unjudged documents"
        if reason:
            raise MeasureError(
                f"{chosen} does not tell what is not retrieved from what is ranked low: {reason}. "
                f"Expected a measure such as nDCG@10, AP, RR, P@10 or R@100."
            )
        depths = data_facts_of(evaluation).depths
        lengths = {system: depths[system].longest for system in systems if system in depths}
        n = min(lengths.values(), default=1) if n is None else n
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise OptionError(f"n={brief(n)} is not a number of documents; expected 1 or more.")
        longer = next((system for system, length in lengths.items() if length > n), None)
        if longer is not None and chosen.k is not None and chosen.k > n:
            raise OptionError(
                f"{chosen} looks at {chosen.k:,} documents, but n={n:,} of each list are taken, "
                f"and {longer} has lists of {lengths[longer]:,}. Expected n={chosen.k:,} or more: "
                f"give a measure with a lower cut-off, or longer lists."
            )
        return cls(evaluation, chosen, n)

    @property
    def missed(self) -> pl.DataFrame:
        """The frame of `pool_and_order` by query."""
        return _missed_by_query(*self)

    @property
    def pools(self) -> dict[str, str]:
        """Of each system, the first one that has the same first documents for every query."""
        return _pools_of(*self)


@cached
def _missed_by_query(self: EvaluationValues, measure: Measure, n: int) -> pl.DataFrame:
    """Return the frame of `pool_and_order` by query, for what is split."""
    pool, order = pl.col("ideal") - pl.col("best_of_own"), pl.col("best_of_own") - pl.col("value")
    larger = pl.when(pool >= order).then(pl.lit("not retrieved")).otherwise(pl.lit("ranked low"))
    mainly = pl.when(pl.max_horizontal(pool, order) > EQUAL).then(larger)
    return self._origin.best_values(measure, n).with_columns(
        ranked_low=order, not_retrieved=pool, mainly=mainly
    )


@cached
def _pools_of(self: EvaluationValues, measure: Measure, n: int) -> dict[str, str]:
    """Return, of each system, the first one that has the same first documents for every query."""
    if isinstance(self._origin, FromFile):
        return dict(self._origin.table(BEST_VALUES).select(SYSTEM, POOL).unique().iter_rows())
    best = score_matrices(_missed_by_query(self, measure, n), self.systems, ["best_of_own"])
    found: dict[str, str] = {}
    for system, values in best.items():
        equal = [each for each in found if np.array_equal(best[each], values, equal_nan=True)]
        found[system] = next((each for each in equal if same_lists(self, each, system, n)), system)
    return found
