"""Findings in words: how a requirement ended, why, and by which end of which interval."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator

from rankreport import statistics
from rankreport.comparison import WHY_PEOPLE_DECIDE, WHY_UNALLOWED, QueryMetadata
from rankreport.gates.outcomes import FindingValues
from rankreport.gates.requirements import OUTCOME_WORDS, Outcome
from rankreport.statistics import MIN_CHANGED, aggregate_named
from rankreport.text import (
    counted,
    decimals_beside,
    first_of,
    listed,
    number,
    percent,
    say,
    separated,
)

_GROUPS_NAMED = 8
"""The most groups named."""

_RARELY = 0.005
"""A lower share of samples is less than 1 %."""


def reason_of(found: FindingValues) -> str:
    """Return how a requirement ended and why, in a sentence without a full stop."""
    fields = {"requirement": found.requirement.words, "why": _why(found)}
    reason = say("{outcome}: {requirement}; {why}", outcome=ended_in_words(found), **fields)
    unchanged = _all_unchanged(found)
    if found.outcome == "inconclusive" and unchanged:
        return say("{unchanged}; {found}", unchanged=unchanged, found=reason)
    return reason


def ended_in_words(found: FindingValues) -> str:
    """Return how it ended, in a word."""
    if found.requirement.in_any and found.outcome == "pass":
        return found.requirement.none_shown if found.groups else say("not shown")
    return say(OUTCOME_WORDS[found.outcome])


def named_with_group(found: FindingValues) -> str:
    """Return the requirement as given, with the worst group."""
    text = found.requirement.text
    if not found.group:
        return text
    return say("{text}: {group}", text=text, group=QueryMetadata.title(found.group))


# Why it ended so


def _why(found: FindingValues) -> str:
    """Return why it ended so, and what keeps that from counting; in which group, and in all."""
    why = separated("; ", _clauses(found))
    if found.doubt is not None:
        fields = {"why": why, "doubt": found.doubt.depends_on}
        is_open = found.by_figures == "inconclusive"
        but = say("{why}, but it {doubt}", **fields)
        why = say("{why}, and it {doubt}", **fields) if is_open else but
    if not found.group:
        return why
    why = say("{group}: {why}", group=QueryMetadata.title(found.group), why=why)
    return say("{why}; {groups}", why=why, groups=groups_in_words(found)) if found.groups else why


def _clauses(found: FindingValues) -> Iterator[str]:
    """Yield what the figures say, what unjudged documents hide, and whose judgments decide."""
    match found.decided_by_figures:
        case "no_value":
            yield say("no query has a value for both systems")
        case "these_queries":
            yield say("it changed by {change}, of these queries only", change=change_of(found))
        case "identical_results":
            yield say("identical results")
        case _:
            yield from _clauses_on_interval(found)
    if found.on_judged is not None:
        yield say(
            "on judged documents alone {measure} {numbers}",
            measure=found.on_judged.measure_shown,
            numbers=found.on_judged.numbers,
        )
    if (judged := found.judged) is None:
        return
    n = f"{judged.n:,}"
    if found.judged_by == "both":
        yield say(
            "by a model's judgments of {all} queries, corrected by people's of {n}",
            all=f"{judged.n_all:,}",
            n=n,
        )
    elif found.scope == "these":
        yield say("by people's judgments alone")
    else:
        why = say(WHY_PEOPLE_DECIDE[judged.reason])
        yield say("by people's judgments of {n} queries alone: {reason}", n=n, reason=why)


def _clauses_on_interval(found: FindingValues) -> Iterator[str]:
    """Yield what the interval says, and whether it allows for rare failures."""
    if found.difference.n_changed == 0:
        yield from _clauses_on_unchanged(found)
    elif found.ends is None:
        yield _without_interval(found)
    elif not found.difference.changed_effective:
        yield say("the changes cancel out within every cluster")
    else:
        yield from _clauses_on_ends(found, *found.ends)
    if found.unallowed:
        reason = say(WHY_UNALLOWED[found.unallowed], measure=found.requirement.measure)
        yield say("rare failures are not allowed for: {reason}", reason=reason)


def _clauses_on_unchanged(found: FindingValues) -> Iterator[str]:
    """Yield how much queries like these, none of which changed, could still lose."""
    unseen, required = found.unseen, found.requirement
    if unseen is None:
        yield say("no query of {n} changed", n=f"{found.n_compared:,}")
        return
    end = _figure(found, found.ci_low if required.rises else found.ci_high)
    yield say("{unseen}: at worst {end}", unseen=unseen.in_words, end=end)
    if found.by_figures == "pass" or required.kind == "superiority":
        return
    margin = abs(required.threshold)
    needed = statistics.unchanged_needed(margin, unseen.largest, 1 - unseen.confidence)
    units = unseen._replace(n_units=needed).units
    yield say("{units} without a change would pass at {margin}", units=units, margin=f"{margin:g}")


def _without_interval(found: FindingValues) -> str:
    """Return that there is no interval, and with how many queries a quantile has one."""
    words = say("it changed by {change}, without an interval", change=change_of(found))
    of, n = found.requirement.aggregate, found.difference.n_queries
    tail = 0.5 if of == "mean" else aggregate_named(of).tail
    needed = math.ceil(round(MIN_CHANGED / tail, 9)) if tail else 0
    if n >= needed:
        return words
    return say(
        "{found}: {aggregate} needs {needed} queries with a value, {n} are there",
        found=words,
        aggregate=of,
        needed=f"{needed:,}",
        n=f"{n:,}",
    )


def _clauses_on_ends(found: FindingValues, low: float, high: float) -> Iterator[str]:
    """Yield by how much it changed, where the ends lie, and what makes them doubtful."""
    few = {"few": found.difference.few_in_words, "enough": MIN_CHANGED}
    fields = {"change": change_of(found), "interval": interval_of(found), **few}
    if found.requirement.judged(low, high) == "inconclusive":
        yield say(
            "it changed by {change} ({interval}), which neither confirms nor excludes it", **fields
        )
    elif found.by_figures == "inconclusive":
        yield say(
            "it changed by {change} ({interval}), but {few}, and {enough} are needed", **fields
        )
    else:
        yield say("it changed by {change} ({interval})", **fields)
        if found.difference.may_be_too_narrow:
            yield say("{few}, so the interval may be too narrow", **few)
    if found.decided_by_figures == "rare_failures" and found.unseen is not None:
        yield found.unseen.in_words


# Of several findings, such as those on groups


def tally(findings: Iterable[FindingValues]) -> str:
    """Return the number of findings by outcome, such as ``2 pass and 1 fails``."""
    ended = Counter(each.outcome for each in findings)
    words: dict[Outcome, str] = {
        "pass": counted(ended["pass"], "passes", "pass"),
        "inconclusive": counted(ended["inconclusive"], "is inconclusive", "are inconclusive"),
        "fail": counted(ended["fail"], "fails", "fail"),
    }
    return listed([each for way, each in words.items() if ended[way]])


def groups_in_words(found: FindingValues) -> str:
    """Return how all groups ended, in a clause."""
    some = found.groups
    if found.requirement.in_any:  # where not to be shown worse is no pass of a group
        some = tuple(each for each in some if each.outcome != "pass")
    fields = {
        "groups": counted(len(found.groups), "group", "groups"),
        "tally": tally(some) or say("none fails"),
    }
    like = [each for each in found.groups if each.outcome == found.outcome != "pass"]
    if not like:
        return say("of {groups}, {tally}", **fields)
    names = first_of(map(_with_size, like), _GROUPS_NAMED)
    words = say("of {groups}, {tally}: {names}", names=names, **fields)
    if not any(each.lacks for each in like):
        return words
    return say("{found} (roughly, to pass in 80 % of samples if nothing changed)", found=words)


def _with_size(found: FindingValues) -> str:
    """Return a group with its queries, and those that it lacks."""
    queries = counted(found.difference.n_queries, "query", "queries")
    fields = {"group": QueryMetadata.title(found.group), "queries": queries}
    if found.lacks:
        return say("{group} ({queries}, lacks {more})", more=f"{found.lacks:,}", **fields)
    return say("{group} ({queries})", **fields)


def _all_unchanged(found: FindingValues) -> str:
    """Return how often groups of these sizes would all pass if nothing had changed, if known."""
    share = found.all_unchanged
    if share is None or not found.groups:
        return ""
    about = say("about {share}", share=percent(share, whole=True))
    return say(
        "if nothing had changed, all groups would pass in {share} of samples",
        share=about if share >= _RARELY else say("less than 1 %"),
    )


# Figures


def change_of(found: FindingValues, least_digits: int = 0) -> str:
    """Return the mean difference, signed."""
    return _figure(found, found.difference.delta, least_digits)


def interval_of(found: FindingValues, least_digits: int = 0) -> str:
    """Return the end of the interval that decides or would, or both, or what else decides."""
    match found.decided_by_figures:
        case "identical_results":
            return say("identical results")
        case "these_queries":
            return say("of these queries only")
    if found.ends is None:
        return say("no interval")
    low, high = (_figure(found, end, least_digits) for end in found.ends)
    if found.requirement.kind == "non-inferiority":
        below = found.decides_below
        return say(
            "one-sided {confidence} {side} bound {end}",
            confidence=percent(found.difference.confidence),
            side=say("lower") if below else say("upper"),
            end=low if below else high,
        )
    fields = {"confidence": percent(found.confidence), "low": low, "high": high}
    if found.allows_for_rare:  # not to be taken for the interval of the difference
        return say("{confidence} bounds {low} to {high}", **fields)
    return say("{confidence} interval {low} to {high}", **fields)


def interval_explained(found: FindingValues) -> str:
    """Return the same where nothing else says that it allows for rare failures."""
    words = interval_of(found)
    return ends_allowing_for_rare(words) if found.allows_for_rare else words


def ends_allowing_for_rare(ends: str) -> str:
    """Return words on ends that decide, not to be taken for those of the interval."""
    return say("{ends}, allowing for rare failures that these queries may not show", ends=ends)


def digits_of(found: FindingValues) -> int:
    """Return enough decimals to show each end's side of the threshold.

    They are never fewer than those of the verdict, so that the same interval reads the same.
    """
    ends = found.ci_low, found.ci_high
    return decimals_beside(found.limits or (0.0,), ends, found.difference.digits)


def _figure(found: FindingValues, value: float | None, least_digits: int = 0) -> str:
    digits = max(least_digits, digits_of(found))
    return found.requirement.in_unit(number(value, digits, signed=True))
