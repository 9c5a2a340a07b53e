"""How a report opens: the verdict, and beside it what a reader asks next.

How much better, how sure, where is it worse, can the data be trusted: each has its fact, and those
that take more than a number lead to their section.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import polars as pl

from rankreport import statistics
from rankreport.columns import BASELINE, MEASURE, SYSTEM, VALUE
from rankreport.comparison import Comparison
from rankreport.difference import Word, decimals
from rankreport.evaluation import Evaluation
from rankreport.levelling import USUAL
from rankreport.pairing import Pair
from rankreport.rendering.context import Fact
from rankreport.rendering.language import say
from rankreport.rendering.text import counted, number, p_value, percent, strung, visible
from rankreport.sections.changes import QUERY_SECTION
from rankreport.sections.content import Content
from rankreport.sections.hardest import HARDEST_SECTION, has_hardest

__all__ = ["Opening", "facts_of", "meaning_of", "opening_of"]

_LISTED = 5
"""The verdicts on so many pairs are listed; of more they are counted."""

_CAUTION = 140
"""The most characters of a caution that stand beside the verdict."""


class Opening(NamedTuple):
    """What stands first: the verdict in a word, in a sentence, and why it is no other."""

    word: str
    sentence: str
    detail: str = ""
    others: tuple[str, ...] = ()


def opening_of(content: Content) -> Opening:
    """Return how the report opens."""
    if content.comparison is None:
        return _of_levels(content.evaluation)
    return _of_comparison(content.comparison)


def facts_of(content: Content) -> tuple[Fact, ...]:
    """Return what stands beside the verdict: how much, how sure, where not, and on what data."""
    comparison = content.comparison
    if comparison is None:
        found = _facts_of_levels(content.evaluation)
    else:
        found = _facts_of_pair(comparison, comparison.leading())
    return (*found, _trust((comparison or content.evaluation).cautions))


def meaning_of(content: Content) -> str:
    """Return what the measure that decides tells, for readers who never heard of it."""
    measure = content.evaluation.primary
    first, stop, _ = say(measure.declaration.meaning).partition(". ")
    return say("{measure}: {meaning}", measure=measure, meaning=first + stop.strip())


# Of two systems or more.


def _of_comparison(comparison: Comparison) -> Opening:
    first = comparison.verdict()
    leading = comparison.leading()
    others = [comparison.verdict(*reversed(pair)) for pair in comparison.pairs if pair != leading]
    told = tuple(verdict.sentence for verdict in others)
    if len(comparison.pairs) > _LISTED:
        told = (_tally(Counter(verdict.word for verdict in others)),)
    return Opening(first.word, first.sentence, first.detail, told)


def _tally(words: Counter[Word]) -> str:
    """Count verdicts."""
    each: dict[Word, str] = {
        "better": say("{n} better", n=words["better"]),
        "no worse": say("{n} no worse", n=words["no worse"]),
        "equivalent": say("{n} equivalent", n=words["equivalent"]),
        "unchanged": say("{n} unchanged", n=words["unchanged"]),
        "inconclusive": say("{n} undecided", n=words["inconclusive"]),
        "worse": say("{n} worse", n=words["worse"]),
    }
    tally = strung([told for word, told in each.items() if words[word]])
    return say("Of the {n} other differences: {tally}.", n=words.total(), tally=tally)


def _facts_of_pair(comparison: Comparison, pair: Pair) -> tuple[Fact, ...]:
    row = comparison.table().row(
        by_predicate=(pl.col(MEASURE) == str(comparison.primary))
        & (pl.col(SYSTEM) == pair.system)
        & (pl.col(BASELINE) == pair.baseline),
        named=True,
    )
    digits = decimals(row["delta"], row["ci_low"], row["ci_high"])
    label = say("mean difference, {system} minus {baseline}", **pair._asdict())
    return (
        Fact(_how_much(row, digits), label),
        _how_sure(row, digits, comparison),
        _where_worse(row, f"#{QUERY_SECTION}{comparison.pairs.index(pair)}"),
    )


def _how_much(row: dict[str, Any], digits: int) -> str:
    """Write a difference with its unit and, where it is a share of something, as a share."""
    told = {"delta": number(row["delta"], digits, signed=True), "measure": row[MEASURE]}
    base = row["mean_baseline"]
    if row["delta"] is None or base is None or base <= 0:
        return say("{delta} {measure}", **told)
    # The ratio of the means less 1, as `Comparison.ratios` has it.
    share = number(100 * (row["mean_system"] / base - 1), 1, signed=True)
    return say("{delta} {measure} ({share} %)", share=share, **told)


def _how_sure(row: dict[str, Any], digits: int, comparison: Comparison) -> Fact:
    if row["ci_low"] is None:
        return Fact(number(None), say("no interval: no difference varies"))
    told = {
        "low": number(row["ci_low"], digits, signed=True),
        "high": number(row["ci_high"], digits, signed=True),
        "confidence": percent(comparison.confidence),
    }
    value = say("{low} to {high}", low=told["low"], high=told["high"])
    if not comparison.family.corrects:
        p = p_value(row["p_value"])
        return Fact(value, say("{confidence} interval; p {p}", confidence=told["confidence"], p=p))
    short = statistics.CORRECTIONS[comparison.correction].short
    label = say(
        "{confidence} interval; p ({correction}) {p}",
        confidence=told["confidence"],
        correction=short,
        p=p_value(row["p_adjusted"]),
    )
    return Fact(value, label)


def _where_worse(row: dict[str, Any], href: str) -> Fact:
    value = say("worse on {n} of {queries}", n=row["losses"], queries=_queries(row["n_queries"]))
    label = say("better on {wins}, the same on {ties}", wins=row["wins"], ties=row["ties"])
    return Fact(value, label, href)


# Of levels alone.


def _of_levels(evaluation: Evaluation) -> Opening:
    best, primary = evaluation.foremost(), str(evaluation.primary)
    level = evaluation.summary().row(by_predicate=pl.col(SYSTEM) == best, named=True)[primary]
    told = {
        "system": best,
        "measure": primary,
        "level": number(level, 3),
        "queries": _queries(max(evaluation.quality["n_queries"].to_list())),
        "n": len(evaluation.systems),
    }
    if len(evaluation.systems) == 1:
        return Opening("", say("{system} reaches {measure} {level} over {queries}.", **told))
    if evaluation.primary.declaration.better == "low":
        sentence = say(
            "{system}, the lowest of {n}, reaches {measure} {level} over {queries}.", **told
        )
    else:
        sentence = say(
            "{system}, the highest of {n}, reaches {measure} {level} over {queries}.", **told
        )
    return Opening("", sentence)


def _facts_of_levels(evaluation: Evaluation) -> tuple[Fact, ...]:
    best, primary = evaluation.foremost(), str(evaluation.primary)
    of_best = (pl.col(SYSTEM) == best) & (pl.col(MEASURE) == primary)
    row = evaluation.means().row(by_predicate=of_best, named=True)
    value = say("{level} {measure}", level=number(row["mean"], 3), measure=primary)
    label = say("mean of {system} over {queries}", system=best, queries=_queries(row["n_queries"]))
    sure = Fact(number(None), say("no interval: no value varies"))
    if row["ci_low"] is not None:
        ends = {"low": number(row["ci_low"], 3), "high": number(row["ci_high"], 3)}
        of_mean = say("{confidence} interval of that mean", confidence=percent(USUAL.confidence))
        sure = Fact(say("{low} to {high}", **ends), of_mean)
    worst = (_worst(evaluation, best),) if has_hardest(evaluation) else ()
    return (Fact(value, label), sure, *worst)


def _worst(evaluation: Evaluation, system: str) -> Fact:
    """Say how low the lowest queries are, and how many they are."""
    found = evaluation.hardest(len(evaluation.per_query()), system)
    lowest = found[VALUE][0]
    n = found.filter(pl.col(VALUE) == lowest).height
    value = say(
        "{level} on {n} of {queries}",
        level=number(lowest, 3),
        n=n,
        queries=_queries(len(found)),
    )
    label = say("worst {measure}: the hardest queries", measure=evaluation.primary)
    return Fact(value, label, f"#{HARDEST_SECTION}")


# Of both.


def _trust(cautions: tuple[str, ...]) -> Fact:
    """Say how much there is to mind before believing a figure, and the first of it."""
    if not cautions:
        return Fact(say("No caution"), say("on the data"), "#data")
    n = counted(len(cautions), "caution", "cautions")
    return Fact(n, visible(cautions[0], _CAUTION), "#data")


def _queries(n: int) -> str:
    return counted(n, "query", "queries")
