"""The hardest queries of a system, and their relevant documents."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import polars as pl

from rankreport import io
from rankreport.caching import cached
from rankreport.errors import OptionError, choose
from rankreport.evaluation.means import best_system
from rankreport.evaluation.values import EvaluationValues, values
from rankreport.frames import QUERY_ID, SYSTEM, TEXT, VALUE, with_texts
from rankreport.measures import Measure, shown_name
from rankreport.tables import ResultTable
from rankreport.text import say


def least_relevant(measure: Measure) -> float:
    """Return the lowest relevant grade of a measure.

    Graded measures have no threshold: it is the next number above 0, so that any fraction counts,
    or above the grades whose gain is 0.

    >>> from rankreport.measures import AP, nDCG
    >>> least_relevant(AP(rel=2))
    2
    >>> 0 < least_relevant(nDCG) < 1e-300
    True
    >>> 1 < least_relevant(nDCG(gains={1: 0})) < 1.001
    True
    """
    if measure.rel is not None:
        return measure.rel
    gains: Any = measure.parameter("gains") or ()
    return math.nextafter(max([0.0, *(grade for grade, gain in gains if not gain)]), math.inf)


def _hardest_in_words(system: str) -> str:
    return say("Hardest queries for {system}", system=system)


def hardest(self: EvaluationValues, n: int = 10, system: str | None = None) -> ResultTable:
    """Return the queries with a system's worst values of the primary measure, the worst first.

    Parameters
    ----------
    n
        Maximum number of queries.
    system
        Name of a system; by default the one with the best mean.

    Returns
    -------
    ResultTable
        ``system, query_id`` (String), ``text`` (String) if the texts of the queries came with
        the judgments, ``value`` (Float64). Equal values are sorted by the other measures, the
        worst first, and by query id.

    Raises
    ------
    OptionError
        If there is no such system, or the primary measure is neither better high nor low.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    >>> run = {"q1": {"d1": 1.0}, "q2": {"d2": 2.0, "d1": 1.0}}
    >>> rr.evaluate(qrels, {"mine": run}, ["RR"]).hardest(1)
    Hardest queries for mine
    query      RR
    -----  ------
    q2     0.5000
    """
    named = best_system(self) if system is None else choose("system", system, self.systems)
    return ResultTable(
        with_texts(hardest_rows(self, n, named), _known_queries(self)),
        (partial(_hardest_in_words, named),),
        {SYSTEM: "system", QUERY_ID: "query", TEXT: "text"},
        {VALUE: shown_name(self.measures, self.primary)},
        _left_out=frozenset({SYSTEM}),
    )


def hardest_rows(evaluation: EvaluationValues, n: int, system: str) -> pl.DataFrame:
    """Return the frame of `hardest`, without texts."""
    primary = evaluation.primary
    better = primary.declaration.better
    if better == "neither":
        raise OptionError(
            f"{primary} has no better direction, so it cannot rank queries by difficulty. Name "
            f"another primary measure."
        )
    order = [primary, *ties_by(evaluation)]
    falling = [each.declaration.better == "low" for each in order]
    return (
        values(evaluation, order)
        .filter(pl.col(SYSTEM) == system, pl.col(str(primary)).is_not_null())
        .sort(*map(str, order), QUERY_ID, descending=[*falling, False])
        .select(SYSTEM, QUERY_ID, pl.col(str(primary)).alias(VALUE))
        .head(n)
    )


def ties_by(evaluation: EvaluationValues) -> list[Measure]:
    """Return the measures by which queries with equal values of the primary one are sorted."""
    others = (each for each in evaluation.measures if each != evaluation.primary)
    return [each for each in others if each.declaration.better != "neither"]


@cached
def _known_queries(evaluation: EvaluationValues) -> pl.DataFrame | None:
    queries = evaluation.queries
    return None if queries is None else io.read_queries(queries)
