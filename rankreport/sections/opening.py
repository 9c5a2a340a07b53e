"""How a report opens: the verdict, and beside it what a reader asks next.

Whether to ship it, as far as the evidence goes; and before all, where the data may be broken, that
they are to be checked. How much better, how sure, where is it worse, can the data be trusted: each
has its fact, and those that take more than a number lead to their section.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import polars as pl

from rankreport.columns import BASELINE, MEASURE, SYSTEM
from rankreport.comparison import Comparison
from rankreport.difference import Difference, Word
from rankreport.gating import Gate
from rankreport.pairing import Pair
from rankreport.rendering.context import Fact, Outcome
from rankreport.rendering.language import say
from rankreport.rendering.text import (
    counted,
    decimals,
    number,
    paragraph,
    percent,
    signed,
    strung,
    visible,
)
from rankreport.sections.alone import Lowest, facts_of_levels, sentence_of_levels
from rankreport.sections.changes import LOSSES, QUERY_SECTION
from rankreport.sections.content import Content
from rankreport.segmenting import segment_title
from rankreport.verdict import Verdict, advice, judge_difference
from rankreport.weighing import Caution, Weight, check_first

__all__ = ["Opening", "facts_of", "meaning_of", "opening_of"]

_LISTED = 5
"""The verdicts on so many pairs are listed; of more they are counted."""

_CAUTION = 140
"""The most characters of a caution that stand among the facts."""

_REQUIRED = 3
"""How many requirements are named."""

_AGREED = {("better", "pass"), ("worse", "fail"), ("inconclusive", "inconclusive")}
"""Verdicts and outcomes of a gate that no reader wonders at."""


class Opening(NamedTuple):
    """What stands first: the verdict in a word, in a sentence, and why it is no other.

    With what has to be checked before it is believed, what it says for shipping, and what came of
    the requirements.
    """

    word: str
    sentence: str
    detail: str = ""
    others: tuple[str, ...] = ()
    check: str = ""
    advice: str = ""
    gate: str = ""
    gate_outcome: Outcome | Literal[""] = ""


def opening_of(content: Content) -> Opening:
    """Return how the report opens."""
    comparison = content.comparison
    if comparison is None:
        check = check_first(_cautions(content))
        return Opening("", sentence_of_levels(content.evaluation), check=check)
    opening = _of_comparison(comparison)
    return opening if content.gate is None else _gated(opening, content.gate)


def facts_of(content: Content, lowest: Lowest | None) -> tuple[Fact, ...]:
    """Return what stands beside the verdict: how much, how sure, where not, and on what data."""
    comparison = content.comparison
    if comparison is None:
        found = facts_of_levels(content.evaluation, lowest)
    else:
        found = _facts_of_pair(comparison, comparison.leading())
    return (*found, _trust(_cautions(content)))


def meaning_of(content: Content) -> str:
    """Return what the measure that decides tells, for readers who never heard of it."""
    measure = content.evaluation.primary
    first, stop, _ = say(measure.declaration.meaning).partition(". ")
    return say("{measure}: {meaning}", measure=measure, meaning=first + stop.strip())


# Of two systems or more.


def _of_comparison(comparison: Comparison) -> Opening:
    first = comparison.verdict()
    leading = comparison.leading()
    others = [
        judge_difference(found) for pair, found in comparison.differences.items() if pair != leading
    ]
    told = tuple(verdict.sentence for verdict in others)
    if len(comparison.pairs) > _LISTED:
        told = (_tally(Counter(verdict.word for verdict in others)),)
    return Opening(
        first.word,
        first.sentence,
        first.detail,
        told,
        first.check,
        _advice(comparison.differences[leading], first),
    )


def _advice(found: Difference, verdict: Verdict) -> str:
    """Say what the evidence says for shipping, unless something is to be checked first."""
    if verdict.check:
        return say("Do not decide by this verdict before that is explained.")
    return advice(found)


def _tally(words: Counter[Word]) -> str:
    """Count verdicts."""
    each: dict[Word, str] = {
        "better": say("{n} better", n=words["better"]),
        "no worse": say("{n} no worse", n=words["no worse"]),
        "equivalent": say("{n} equivalent", n=words["equivalent"]),
        "unchanged": say("{n} unchanged", n=words["unchanged"]),
        "inconclusive": say("{n} inconclusive", n=words["inconclusive"]),
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
    return (
        Fact(_how_much(row, digits), _from_what_to_what(row, digits, comparison)),
        _how_sure(row, digits, comparison),
        _where_worse(row, comparison, pair),
    )


def _how_much(row: dict[str, Any], digits: int) -> str:
    """Write a difference with its unit and, where it is a share of something, as a share."""
    told = {"delta": number(row["delta"], digits, signed=True), "measure": row[MEASURE]}
    base = row["mean_baseline"]
    if row["delta"] is None or base is None or base <= 0:
        return say("{delta} {measure}", **told)
    # The ratio of the means less 1, as `Comparison.ratios` has it.
    share = 100 * (row["mean_system"] / base - 1) if row["delta"] else 0.0
    shown = number(share, decimals(share, least=1), signed=True)
    return say("{delta} {measure} ({share} %)", share=shown, **told)


def _from_what_to_what(row: dict[str, Any], digits: int, comparison: Comparison) -> str:
    """Say what is subtracted from what, and how much of what there can be that is."""
    told = {"system": row[SYSTEM], "baseline": row[BASELINE]}
    if row["mean_system"] is None or row["mean_baseline"] is None:
        return say("mean difference, {system} minus {baseline}", **told)
    told |= {
        "level": number(row["mean_system"], digits),
        "base": number(row["mean_baseline"], digits),
    }
    _, most = comparison.primary.declaration.range
    if most is None:
        return say("mean difference, {system} minus {baseline}: {level} less {base}", **told)
    return say(
        "mean difference, {system} minus {baseline}: {level} less {base}, of at most {most}",
        most=f"{most:g}",
        **told,
    )


def _how_sure(row: dict[str, Any], digits: int, comparison: Comparison) -> Fact:
    """Give the interval, and say on which side of 0 it lies: that decides, and no p-value does."""
    if row["ci_low"] is None:
        return Fact(number(None), _without_interval(row))
    low, high = (number(row[end], digits, signed=True) for end in ("ci_low", "ci_high"))
    told = {"confidence": percent(comparison.confidence)}
    if row["ci_low"] > 0:
        label = say("{confidence} interval: all of it above 0", **told)
    elif row["ci_high"] < 0:
        label = say("{confidence} interval: all of it below 0", **told)
    else:
        label = say("{confidence} interval: it holds 0, so there may be no difference", **told)
    if comparison.family.corrects:
        n = comparison.family.n_tests
        label = say("{label}; it allows for {n} differences at once", label=label, n=n)
    return Fact(say("{low} to {high}", low=low, high=high), label)


def _without_interval(row: dict[str, Any]) -> str:
    if row["n_queries"] == 0:
        return say("no interval: no query has a value for both")
    if row["n_changed"] == 0:
        return say("no interval: no query changed")
    return say("no interval: all differences are the same")


def _where_worse(row: dict[str, Any], comparison: Comparison, pair: Pair) -> Fact:
    """Count the queries lost, and lead to them: to the unanswered ones where those are the most."""
    n, place = row["losses"] or 0, comparison.pairs.index(pair)
    section = f"#{QUERY_SECTION}{place}"
    if row["n_queries"] == 0:
        return Fact(number(None), say("worse or better: no query has a value for both"), section)
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
    """Name the segment in which a system is furthest below the baseline, if clearly so."""
    rows = comparison.own_segments
    if rows is None:
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
        "clearly where {column} is {segment}: {delta}",
        column=row["column"],
        segment=segment_title(row["segment"]),
        delta=signed(row["delta"], row["ci_low"], row["ci_high"]),
    )


# Of all.


def _cautions(content: Content) -> tuple[Caution, ...]:
    return (content.comparison or content.evaluation).weighed_cautions


def _gated(opening: Opening, gate: Gate) -> Opening:
    """Return the opening with what came of the requirements, which its advice may not pass over."""
    return opening._replace(
        advice=opening.advice if opening.check else paragraph(opening.advice, _but(gate, opening)),
        gate=_gate(gate, opening.word),
        gate_outcome=gate.outcome,
    )


def _but(gate: Gate, opening: Opening) -> str:
    """Say what stands against an advice to ship the system; nothing against any other."""
    system = gate.leading.pair.system
    match opening.word, gate.leading.outcome:
        case "better" | "no worse" | "equivalent", "fail":
            return say("But {system} fails what the gate requires.", system=system)
        case "better" | "no worse" | "equivalent", "inconclusive":
            return say("But whether {system} meets what the gate requires is open.", system=system)
        case _:
            return ""


def _gate(gate: Gate, word: str) -> str:
    """Say what came of the requirements, and why that may be another answer than the verdict."""
    told = [gate.in_short, *_required(gate)]
    if (word, gate.leading.outcome) not in _AGREED:
        told.append(
            say("The verdict asks whether there is a difference, the gate whether it is allowed.")
        )
    return paragraph(*told)


def _required(gate: Gate) -> Iterator[str]:
    """Name what is required; apart, and before the rest, what the leading candidate fails."""
    findings = gate.leading.findings
    failed = [found.requirement.text for found in findings if found.outcome == "fail"]
    others = [found.requirement.text for found in findings if found.outcome != "fail"]
    if failed and others:
        yield say("Failed: {requirements}.", requirements=_named(failed))
        yield say("Required besides: {requirements}.", requirements=_named(others))
    else:
        yield say("Required: {requirements}.", requirements=_named(failed or others))


def _named(required: Sequence[str]) -> str:
    named = list(required[:_REQUIRED])
    if len(required) > _REQUIRED:
        named.append(say("{n} more", n=len(required) - _REQUIRED))
    return strung(named)


def _trust(cautions: tuple[Caution, ...]) -> Fact:
    """Say how much there is to mind before believing a figure, and the weightiest of it."""
    if not cautions:
        return Fact(say("No caution"), say("on the data"), "#data")
    n = counted(len(cautions), "caution", "cautions")
    n_severe = sum(caution.weight is Weight.SEVERE for caution in cautions)
    if n_severe:  # which stand before all
        return Fact(n, say("on the data, {n} to check first", n=n_severe), "#data")
    return Fact(n, visible(cautions[0].text, _CAUTION), "#data")


def _queries(n: int) -> str:
    return counted(n, "query", "queries")
