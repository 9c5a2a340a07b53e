"""The opening of a report: the verdict, the key figures and the advice.

The key figures answer how much better, how sure, where it is worse, and whether the data can be
trusted, and link to their sections. Without a comparison, they are the best mean, its interval, and
the worst values. If the data may be broken, the opening says first that they need checking.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import polars as pl

from rankreport.comparison import (
    MIN_CHANGED,
    Comparison,
    Pair,
    segment_title,
)
from rankreport.evaluation import DEFAULT_INTERVAL, Evaluation
from rankreport.frames import BASELINE, MEASURE, SYSTEM, VALUE
from rankreport.gates import Gate, Outcome
from rankreport.measures import EQUAL, Measure, is_averaged
from rankreport.reports.content import Content
from rankreport.reports.page import Fact
from rankreport.reports.sections.hardest import HARDEST_SECTION, has_hardest
from rankreport.reports.sections.queries import LOSSES, QUERY_SECTION
from rankreport.text import (
    Caution,
    counted,
    decimals,
    number,
    paragraph,
    percent,
    say,
    signed,
    strung,
    tallied,
)

__all__ = [
    "Lowest",
    "Opening",
    "facts_of",
    "facts_of_levels",
    "lowest_of",
    "meaning_of",
    "opening_of",
    "sentence_of_levels",
]


class Lowest(NamedTuple):
    """The worst value of the best system, and on how many of its queries it occurs."""

    system: str
    value: float
    n_worst: int
    n_queries: int


def lowest_of(content: Content) -> Lowest | None:
    """Return the worst value, without a comparison and if values vary; otherwise None."""
    if content.comparison is not None:
        return None
    evaluation = content.evaluation
    system = evaluation.best_system()
    if not has_hardest(evaluation, system):
        return None
    found = evaluation.hardest(len(evaluation.per_query()), system)[VALUE]
    return Lowest(system, found[0], int((found == found[0]).sum()), len(found))


def sentence_of_levels(evaluation: Evaluation) -> str:
    """Return the opening sentence of a report without a comparison: the best mean."""
    best, primary = evaluation.best_system(), evaluation.primary
    levels = evaluation.means().filter(pl.col(MEASURE) == str(primary))
    row = levels.row(by_predicate=pl.col(SYSTEM) == best, named=True)
    level = row["mean"]
    if level is None:  # of the best system, hence of all
        return say("{measure} has no value on any query.", measure=primary)
    fields = {
        "system": best,
        "measure": primary,
        "level": _amount(level, primary),
        "queries": _queries_of_levels(row["n_queries"]),
        "n": len(evaluation.systems),
    }
    if primary.declaration.aggregate == "sum":
        fields["level"] = say("{level} per query", level=fields["level"])
    if len(evaluation.systems) == 1:
        return say("{system} reaches {measure} {level} over {queries}.", **fields)
    n_equal = sum(_is_equal(mean, level) for mean in levels["mean"])
    if n_equal > 1:
        return _shared(n_equal, low=primary.declaration.better == "low", fields=fields)
    if primary.declaration.better == "low":
        return say(
            "{system}, the lowest of {n}, reaches {measure} {level} over {queries}.", **fields
        )
    return say("{system}, the highest of {n}, reaches {measure} {level} over {queries}.", **fields)


def facts_of_levels(evaluation: Evaluation, lowest: Lowest | None) -> tuple[Fact, ...]:
    """Return the best system's mean, its interval, and its worst value, as key figures."""
    best, primary = evaluation.best_system(), evaluation.primary
    of_best = (pl.col(SYSTEM) == best) & (pl.col(MEASURE) == str(primary))
    row = evaluation.means().row(by_predicate=of_best, named=True)
    fields = {"level": _amount(row["mean"], primary), "measure": primary}
    value = say("{level} {measure}", **fields)
    if primary.declaration.aggregate == "sum":
        value = say("{level} {measure} per query", **fields)
    label = _kind(primary, {"system": best, "queries": _queries_of_levels(row["n_queries"])})
    worst = () if lowest is None else (_worst(evaluation, lowest),)
    return (Fact(value, label), _how_sure_of(primary, row), *worst)


def _is_equal(one: float | None, other: float | None) -> bool:
    """Return whether two means are equal up to rounding errors."""
    if one is None or other is None:
        return False
    return math.isclose(one, other, rel_tol=EQUAL, abs_tol=EQUAL)


def _shared(n_equal: int, *, low: bool, fields: dict[str, Any]) -> str:
    """Return the sentence for several systems that share the best mean."""
    if n_equal == fields["n"]:
        return say("Each of the {n} systems reaches {measure} {level} over {queries}.", **fields)
    others = counted(n_equal - 1, "other system", "other systems")
    if low:
        return say(
            "{system} and {others}, the lowest of {n}, reach {measure} {level} over {queries}.",
            others=others,
            **fields,
        )
    return say(
        "{system} and {others}, the highest of {n}, reach {measure} {level} over {queries}.",
        others=others,
        **fields,
    )


def _kind(measure: Measure, fields: dict[str, str]) -> str:
    """Return how the values of queries are aggregated, in words."""
    match measure.declaration.aggregate:
        case "geometric":
            return say("geometric mean of {system} over {queries}", **fields)
        case "weighted":
            return say("weighted mean of {system} over {queries}", **fields)
        case "pooled":
            return say("{system}, {queries} pooled", **fields)
        case _:
            return say("mean of {system} over {queries}", **fields)


def _how_sure_of(measure: Measure, row: dict[str, Any]) -> Fact:
    """Return the interval of a mean, or the reason why there is none."""
    if row["ci_low"] is not None:
        ends = {"low": number(row["ci_low"], 3), "high": number(row["ci_high"], 3)}
        of_mean = say(
            "{confidence} interval of that mean", confidence=percent(DEFAULT_INTERVAL.confidence)
        )
        return Fact(say("{low} to {high}", **ends), of_mean)
    if row["mean"] is None:
        why = say("no interval: no query has a value")
    elif is_averaged(measure):
        why = say("no interval: the values do not vary")
    else:
        why = say("no interval: not an arithmetic mean over queries")
    return Fact(number(None), why)


def _amount(value: float | None, measure: Measure) -> str:
    """Format a value of the measure; whole counts have no decimals."""
    counts = measure.declaration.aggregate == "sum"
    return number(value, 0 if counts and value is not None and value.is_integer() else 3)


def _worst(evaluation: Evaluation, lowest: Lowest) -> Fact:
    """Return the worst value, and on how many queries it occurs."""
    value = say(
        "{level} on {n} of {queries}",
        level=_amount(lowest.value, evaluation.primary),
        n=lowest.n_worst,
        queries=_queries_of_levels(lowest.n_queries),
    )
    label = say("worst {measure}: the hardest queries", measure=evaluation.primary)
    return Fact(value, label, f"#{HARDEST_SECTION}")


def _queries_of_levels(n: int) -> str:
    return counted(n, "query", "queries")


_REQUIRED = 3
"""The maximum number of requirements named."""

_AGREED = {("better", "pass"), ("worse", "fail"), ("inconclusive", "inconclusive")}
"""Verdicts and gate outcomes that agree; other combinations are explained."""


class Opening(NamedTuple):
    """The verdict in a word and a sentence, with details, cautions, advice, the gate's outcome."""

    word: str
    sentence: str
    detail: str = ""
    others: tuple[str, ...] = ()
    advice: str = ""
    gate: str = ""
    gate_outcome: Outcome | Literal[""] = ""
    cautions: tuple[Caution, ...] = ()


def opening_of(content: Content) -> Opening:
    """Return the opening of a report."""
    comparison = content.comparison
    if comparison is None:
        return Opening("", sentence_of_levels(content.evaluation), cautions=_cautions(content))
    opening = _of_comparison(comparison, content.gate)
    return opening if content.gate is None else _gated(opening, content.gate)


def facts_of(content: Content, lowest: Lowest | None) -> tuple[Fact, ...]:
    """Return the key figures next to the verdict."""
    comparison = content.comparison
    if comparison is None:
        found = facts_of_levels(content.evaluation, lowest)
    else:
        found = _facts_of_pair(comparison, comparison.leading())
    return (*found, _trust(_cautions(content)))


def meaning_of(content: Content) -> str:
    """Return the meaning of the primary measure in plain words."""
    measure = content.evaluation.primary
    first, stop, _ = say(measure.declaration.meaning).partition(". ")
    return say("{measure}: {meaning}", measure=measure, meaning=first + stop.strip())


# With a comparison.


def _of_comparison(comparison: Comparison, gate: Gate | None) -> Opening:
    first = comparison.verdict() if gate is None else gate.verdict()
    return Opening(
        first.word,
        first.sentence,
        first.detail,
        (first.others,) if first.others else (),
        first.action,
        cautions=first.cautions,
    )


def _facts_of_pair(comparison: Comparison, pair: Pair) -> tuple[Fact, ...]:
    row = comparison.table().row(
        by_predicate=(pl.col(MEASURE) == str(comparison.primary))
        & (pl.col(SYSTEM) == pair.system)
        & (pl.col(BASELINE) == pair.baseline),
        named=True,
    )
    digits = comparison.differences[pair].digits
    return (
        Fact(
            _how_much(row, digits, comparison.primary), _from_what_to_what(row, digits, comparison)
        ),
        _how_sure(row, digits, comparison),
        _where_worse(row, comparison, pair),
    )


def _how_much(row: dict[str, Any], digits: int, measure: Measure) -> str:
    """Format a difference with its measure, and relative to the baseline if that is above 0."""
    fields = {"delta": number(row["delta"], digits, signed=True), "measure": measure}
    base = row["mean_baseline"]
    if row["delta"] is None or base is None or base <= 0:
        return say("{delta} {measure}", **fields)
    # The ratio of the means minus 1, as in `Comparison.ratios`.
    share = 100 * (row["mean_system"] / base - 1) if row["delta"] else 0.0
    shown = number(share, decimals(share, least=1), signed=True)
    return say("{delta} {measure} ({share} %)", share=shown, **fields)


def _from_what_to_what(row: dict[str, Any], digits: int, comparison: Comparison) -> str:
    """Return what is subtracted, both means, and the scale of the measure, in words."""
    fields = {"system": row[SYSTEM], "baseline": row[BASELINE]}
    if row["mean_system"] is None or row["mean_baseline"] is None:
        return say("mean difference, {system} minus {baseline}", **fields)
    fields |= {
        "level": number(row["mean_system"], digits),
        "base": number(row["mean_baseline"], digits),
    }
    least, most = comparison.primary.declaration.range
    if least is None or most is None:
        return say("mean difference, {system} minus {baseline}: {base} → {level}", **fields)
    return say(
        "mean difference, {system} minus {baseline}: {base} → {level} (scale {least} to {most})",
        least=f"{least:g}",
        most=f"{most:g}",
        **fields,
    )


def _how_sure(row: dict[str, Any], digits: int, comparison: Comparison) -> Fact:
    """Return the interval, and on which side of 0 it lies, which decides the verdict."""
    if row["ci_low"] is None:
        return Fact(number(None), _without_interval(row))
    low, high = (number(row[end], digits, signed=True) for end in ("ci_low", "ci_high"))
    fields = {"confidence": percent(comparison.confidence)}
    if row["ci_low"] > 0:
        label = say("{confidence} interval: entirely above 0", **fields)
    elif row["ci_high"] < 0:
        label = say("{confidence} interval: entirely below 0", **fields)
    else:
        label = say("{confidence} interval: includes 0, so there may be no difference", **fields)
    if comparison.family.corrects:
        n = comparison.family.n_tests
        label = say("{label}; simultaneous for {n} differences", label=label, n=n)
    return Fact(say("{low} to {high}", low=low, high=high), label)


def _without_interval(row: dict[str, Any]) -> str:
    if row["n_queries"] == 0:
        return say("no interval: no query has a value for both systems")
    if row["n_changed"] == 0:
        return say("no interval: no query changed")
    if row["n_changed"] < MIN_CHANGED:
        return say("no interval: fewer than {n} queries changed", n=MIN_CHANGED)
    return say("no interval: all differences are the same")


def _where_worse(row: dict[str, Any], comparison: Comparison, pair: Pair) -> Fact:
    """Return the numbers of queries won and lost, with a link to the losses.

    The link is to the data checks if most losses are unanswered queries.
    """
    n, place = row["losses"] or 0, comparison.pairs.index(pair)
    section = f"#{QUERY_SECTION}{place}"
    if row["n_queries"] == 0:
        return Fact(number(None), say("no query has a value for both systems"), section)
    value = say(
        "better on {wins}, worse on {n} of {queries}",
        wins=row["wins"],
        n=n,
        queries=_queries(row["n_queries"]),
    )
    words = [say("the same on {ties}", ties=row["ties"])]
    if worst := _worst_segment(comparison, pair):
        words.append(worst)
    quality = comparison.evaluation.quality.row(
        by_predicate=pl.col(SYSTEM) == pair.system, named=True
    )
    if 2 * quality["n_unanswered"] > n > 0:
        unanswered = _queries(quality["n_unanswered"])
        words.append(say("it returned nothing for {queries}", queries=unanswered))
        return Fact(value, say("; ").join(words), "#data")
    return Fact(value, say("; ").join(words), f"#{LOSSES}{place}" if n else section)


def _worst_segment(comparison: Comparison, pair: Pair) -> str:
    """Return the segment in which a system is clearly worse by the most, in words, or nothing."""
    rows = comparison.own_segments
    if rows is None or comparison.differences[pair].word == "check first":
        return ""
    lost = rows.filter(
        (pl.col(SYSTEM) == pair.system)
        & (pl.col(BASELINE) == pair.baseline)
        & (pl.col(MEASURE) == str(comparison.primary))
        & pl.col("differs")
        & (pl.col("ci_high") < 0)
    )
    if lost.is_empty():
        return ""
    row = lost.sort("delta", maintain_order=True).row(0, named=True)
    return say(
        "clearly worse where {column} is {segment}: {delta}",
        column=row["column"],
        segment=segment_title(row["segment"]),
        delta=signed(row["delta"], row["ci_low"], row["ci_high"]),
    )


# With and without a comparison.


def _cautions(content: Content) -> tuple[Caution, ...]:
    return (content.comparison or content.evaluation).cautions


def _gated(opening: Opening, gate: Gate) -> Opening:
    """Return the opening with the outcome of the gate."""
    return opening._replace(gate=_gate(gate, opening.word), gate_outcome=gate.outcome)


def _gate(gate: Gate, word: str) -> str:
    """Return the outcome of the gate, and why it may differ from the verdict."""
    sentences = [gate.in_short, *_required(gate)]
    if word == "check first":
        sentences.append(say("The gate counts unjudged documents as not relevant."))
    elif (word, gate.leading.outcome) not in _AGREED:
        sentences.append(
            say("The verdict asks whether there is a difference, the gate whether it is allowed.")
        )
    return paragraph(*sentences)


def _required(gate: Gate) -> Iterator[str]:
    """Yield the requirements, first those that the leading candidate fails."""
    findings = gate.leading.findings
    failed = [found.requirement.text for found in findings if found.outcome == "fail"]
    others = [found.requirement.text for found in findings if found.outcome != "fail"]
    if failed and others:
        yield say("Failed: {requirements}.", requirements=_named(failed))
        yield say("Also required: {requirements}.", requirements=_named(others))
    else:
        yield say("Required: {requirements}.", requirements=_named(failed or others))


def _named(required: Sequence[str]) -> str:
    named = list(required[:_REQUIRED])
    if len(required) > _REQUIRED:
        named.append(say("{n} more", n=len(required) - _REQUIRED))
    return strung(named)


def _trust(cautions: tuple[Caution, ...]) -> Fact:
    """Return the number of cautions, and of each severity."""
    if not cautions:
        return Fact(say("No cautions"), say("data checks passed"), "#data")
    return Fact(counted(len(cautions), "caution", "cautions"), tallied(cautions), "#data")


def _queries(n: int) -> str:
    return counted(n, "query", "queries")
