"""How a report opens that compares nothing: the best level, how sure, and how low it gets."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import polars as pl

from rankreport.columns import MEASURE, SYSTEM, VALUE
from rankreport.evaluation import Evaluation
from rankreport.levelling import USUAL
from rankreport.measures import EQUAL, Measure, is_averaged
from rankreport.rendering.context import Fact
from rankreport.rendering.language import say
from rankreport.rendering.text import counted, number, percent
from rankreport.sections.content import Content
from rankreport.sections.hardest import HARDEST_SECTION, has_hardest

__all__ = ["Lowest", "facts_of_levels", "lowest_of", "sentence_of_levels"]


class Lowest(NamedTuple):
    """The worst value of the best system, and on how many of its queries it has it."""

    system: str
    value: float
    n_worst: int
    n_queries: int


def lowest_of(content: Content) -> Lowest | None:
    """Return how low the worst queries are, of levels alone, if some are worse than others."""
    if content.comparison is not None:
        return None
    evaluation = content.evaluation
    system = evaluation.foremost()
    if not has_hardest(evaluation, system):
        return None
    found = evaluation.hardest(len(evaluation.per_query()), system)[VALUE]
    return Lowest(system, found[0], int((found == found[0]).sum()), len(found))


def sentence_of_levels(evaluation: Evaluation) -> str:
    """Say how far the best system comes, and how many come as far."""
    best, primary = evaluation.foremost(), evaluation.primary
    levels = evaluation.means().filter(pl.col(MEASURE) == str(primary))
    row = levels.row(by_predicate=pl.col(SYSTEM) == best, named=True)
    level = row["mean"]
    if level is None:  # of the best, and so of all
        return say("{measure} has no value on any query.", measure=primary)
    told = {
        "system": best,
        "measure": primary,
        "level": _amount(level, primary),
        "queries": _queries(row["n_queries"]),
        "n": len(evaluation.systems),
    }
    if primary.declaration.aggregate == "sum":
        told["level"] = say("{level} per query", level=told["level"])
    if len(evaluation.systems) == 1:
        return say("{system} reaches {measure} {level} over {queries}.", **told)
    n_equal = sum(_is_equal(mean, level) for mean in levels["mean"])
    if n_equal > 1:
        return _shared(n_equal, low=primary.declaration.better == "low", told=told)
    if primary.declaration.better == "low":
        return say("{system}, the lowest of {n}, reaches {measure} {level} over {queries}.", **told)
    return say("{system}, the highest of {n}, reaches {measure} {level} over {queries}.", **told)


def facts_of_levels(evaluation: Evaluation, lowest: Lowest | None) -> tuple[Fact, ...]:
    """Return the best system's level, how sure that is, and how low its lowest queries are."""
    best, primary = evaluation.foremost(), evaluation.primary
    of_best = (pl.col(SYSTEM) == best) & (pl.col(MEASURE) == str(primary))
    row = evaluation.means().row(by_predicate=of_best, named=True)
    told = {"level": _amount(row["mean"], primary), "measure": primary}
    value = say("{level} {measure}", **told)
    if primary.declaration.aggregate == "sum":
        value = say("{level} {measure} per query", **told)
    label = _kind(primary, {"system": best, "queries": _queries(row["n_queries"])})
    worst = () if lowest is None else (_worst(evaluation, lowest),)
    return (Fact(value, label), _how_sure_of(primary, row), *worst)


def _is_equal(one: float | None, other: float | None) -> bool:
    """Whether two levels are the same but for the order in which their values were added."""
    if one is None or other is None:
        return False
    return math.isclose(one, other, rel_tol=EQUAL, abs_tol=EQUAL)


def _shared(n_equal: int, *, low: bool, told: dict[str, Any]) -> str:
    """Say which level the best of several systems share."""
    if n_equal == told["n"]:
        return say("Each of the {n} systems reaches {measure} {level} over {queries}.", **told)
    others = counted(n_equal - 1, "other system", "other systems")
    if low:
        return say(
            "{system} and {others}, the lowest of {n}, reach {measure} {level} over {queries}.",
            others=others,
            **told,
        )
    return say(
        "{system} and {others}, the highest of {n}, reach {measure} {level} over {queries}.",
        others=others,
        **told,
    )


def _kind(measure: Measure, told: dict[str, str]) -> str:
    """Say how a level is made of the values of queries."""
    match measure.declaration.aggregate:
        case "geometric":
            return say("geometric mean of {system} over {queries}", **told)
        case "weighted":
            return say("weighted mean of {system} over {queries}", **told)
        case "pooled":
            return say("{system}, {queries} pooled", **told)
        case _:
            return say("mean of {system} over {queries}", **told)


def _how_sure_of(measure: Measure, row: dict[str, Any]) -> Fact:
    """Give the interval of a level, or say why there is none."""
    if row["ci_low"] is not None:
        ends = {"low": number(row["ci_low"], 3), "high": number(row["ci_high"], 3)}
        of_mean = say("{confidence} interval of that mean", confidence=percent(USUAL.confidence))
        return Fact(say("{low} to {high}", **ends), of_mean)
    if row["mean"] is None:
        why = say("no interval: no query has a value")
    elif is_averaged(measure):
        why = say("no interval: no value varies")
    else:
        why = say("no interval: it is no plain mean over queries")
    return Fact(number(None), why)


def _amount(value: float | None, measure: Measure) -> str:
    """Write a level or a query's value; a whole count has no decimals."""
    counts = measure.declaration.aggregate == "sum"
    return number(value, 0 if counts and value is not None and value.is_integer() else 3)


def _worst(evaluation: Evaluation, lowest: Lowest) -> Fact:
    """Say how low the lowest queries are, and how many they are."""
    value = say(
        "{level} on {n} of {queries}",
        level=_amount(lowest.value, evaluation.primary),
        n=lowest.n_worst,
        queries=_queries(lowest.n_queries),
    )
    label = say("worst {measure}: the hardest queries", measure=evaluation.primary)
    return Fact(value, label, f"#{HARDEST_SECTION}")


def _queries(n: int) -> str:
    return counted(n, "query", "queries")
