"""gate() and `Gate`: whether each candidate meets each requirement, and why.

An outcome depends only on the interval, with ends that allow for rare failures: with too few
changed queries nothing is superior and nothing fails. All requirements must hold, so intervals are
not corrected for their number (an intersection-union test keeps its level); they are corrected for
the number of candidates, since the best of several tends to look better than it is.
"""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from itertools import product
from statistics import NormalDist
from typing import Any, Literal

import polars as pl

from rankreport import statistics
from rankreport.call_hints import hinting
from rankreport.comparison import (
    FEW_PAIRS,
    WHY_PEOPLE_DECIDE,
    WHY_UNALLOWED,
    Basis,
    Comparison,
    Contrasts,
    Difference,
    JudgedDifference,
    Judgments,
    Method,
    Pair,
    PairDecision,
    QueryMetadata,
    Unallowed,
    Unseen,
    Verdict,
    aggregates_of,
    best_first_of,
    check_largest_loss,
    contrasts_of,
    corrected_by_model,
    differences_on_measures,
    ends_on_judged,
    family_of,
    largest_losses,
    pair_decisions_of,
    plain_table_of,
    unallowed,
    unseen_of,
)
from rankreport.errors import OptionError, choose, expect
from rankreport.evaluation import same_lists
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.gates.all_users import differences_of_all_users
from rankreport.gates.build_verdict import BuildVerdict
from rankreport.gates.groups import Unchanged, parts_of, shown_by_holm
from rankreport.gates.junit import Case, Ended, Suite, junit
from rankreport.gates.requirements import (
    INCONCLUSIVE,
    OUTCOME_SIGNS,
    OUTCOME_WORDS,
    SCOPES,
    Outcome,
    Requirement,
    read_requirements,
)
from rankreport.io import FromFiles, check_process, json_of, keeping_files, plain, text_export
from rankreport.measures import RATES
from rankreport.statistics import MIN_CHANGED, aggregate_named
from rankreport.tables import Block, Displayed, Sentences, Table, text_of
from rankreport.text import (
    Caution,
    counted,
    decimals_beside,
    first_of,
    labelled,
    listed,
    number,
    paragraph,
    percent,
    say,
)

NUMBERS = (
    *(BASELINE, SYSTEM, MEASURE),
    *("n_queries", "n_changed", "delta", "ci_low", "ci_high", "confidence"),
)
"""What `Gate.build_verdict` has of the primary measure, besides the verdict."""


@dataclass(frozen=True)
class Finding:
    """One requirement, judged for one candidate.

    Attributes
    ----------
    requirement
        What is required.
    difference
        What the comparison found of the candidate on the requirement's measure.
    ci_low, ci_high
        The ends that decide, or None: of ``requirement.level`` of the comparison's confidence,
        which may be another than the difference's own. They allow for rare failures where a query
        can change by no more than is known.
    own
        The ends of the interval alone.
    unseen
        What the queries leave possible on the side that decides; None where `unallowed`.
    unallowed
        Why rare failures are not allowed for: a key of `WHY_UNALLOWED`, empty where they are.
    identical
        Whether both systems returned the same lists.
    scope
        Of what the outcome speaks: a name from `SCOPES`.
    primary
        What the comparison found of the candidate on its primary measure.
    judged
        The difference by people and by a model, where both judged.
    doubt
        Why neither a pass nor a fail counts: the data leave it open.
    least_digits
        The least decimals of its figures in words.
    group
        The group of queries that it is of, such as an intent; of a requirement on groups, the worst
        one.
    groups
        The findings on all groups, where it is on them.
    unchanged
        What the group would show if nothing had changed.
    """

    requirement: Requirement
    difference: Difference
    ci_low: float | None
    ci_high: float | None
    own: tuple[float | None, float | None] = (None, None)
    unseen: Unseen | None = None
    unallowed: Unallowed = ""
    identical: bool = False
    scope: str = "population"
    primary: Difference | None = None
    judged: JudgedDifference | None = None
    doubt: Basis | None = None
    least_digits: int = 0
    group: str = ""
    groups: tuple[Finding, ...] = ()
    unchanged: Unchanged | None = None

    def __repr__(self) -> str:
        """Return the outcome and why, in a sentence."""
        return f"<{self.shortcoming(self.difference.system)}>"

    @property
    def judged_by(self) -> Literal["both", "people"] | None:
        """Whose judgments decide where a model and people judged; None of other judgments."""
        if self.judged is None:
            return None
        return "people" if self.judged.combined is None or self.scope == "these" else "both"

    @property
    def outcome(self) -> Outcome:
        """Whether the requirement passes, fails, or is inconclusive."""
        return "inconclusive" if self.is_doubted else self.by_figures

    @property
    def is_open_by_data(self) -> bool:
        """Whether it is inconclusive for another reason than that the queries are too few."""
        return self.doubt is not None or self.difference.n_queries == 0

    @property
    def is_doubted(self) -> bool:
        """Whether the figures would pass or fail, but do not count."""
        return self.doubt is not None and self.by_figures != "inconclusive"

    @property
    def by_figures(self) -> Outcome:
        """The outcome by the figures alone."""
        if self._by_ends == "inconclusive" and self.requirement.in_any:
            return "pass" if self.difference.n_queries else "inconclusive"
        return self._by_ends

    @property
    def _by_ends(self) -> Outcome:
        delta, decided_by = self.difference.delta, self._decided_by_figures
        if decided_by == "these_queries" and delta is not None:
            return "pass" if self.requirement.judged(delta, delta) == "pass" else "fail"
        if decided_by == "identical_results":
            return "inconclusive" if self.requirement.kind == "superiority" else "pass"
        too_few = decided_by.startswith("too_few_")
        if too_few or self.ci_low is None or self.ci_high is None:
            return "inconclusive"
        return self.requirement.judged(self.ci_low, self.ci_high)

    @property
    def decided_by(self) -> str:
        """What the outcome rests on.

        The ``interval``; ``rare_failures``, where the interval alone would decide otherwise; that
        too few queries changed (``too_few_changed``), or that there are too few
        (``too_few_queries``); that the results are identical (``identical_results``); the observed
        mean of ``these_queries``; that there is ``no_interval``, or no query with both values
        (``no_value``). Where the figures would pass or fail, that ``unjudged`` documents, ``ties``
        or the ``depth`` of lists could decide, that most of the difference comes from queries that
        one system did not answer (``missing``), or that the ``data`` are to be checked.
        """
        if self.doubt is not None and self.is_doubted:
            return self.doubt.value
        return self._decided_by_figures

    @property
    def _decided_by_figures(self) -> str:
        if self.difference.n_queries == 0:
            return "no_value"
        if self.scope == "these":
            return "these_queries"
        if self.identical:
            return "identical_results"
        if self.ci_low is None or self.ci_high is None:
            return "no_interval"
        judged = self.requirement.judged(self.ci_low, self.ci_high)
        is_safe = judged == "pass" and self.requirement.kind != "superiority"
        enough = self.difference.changed_effective >= MIN_CHANGED
        if judged != "inconclusive" and not is_safe and not enough:
            return "too_few_queries" if self.difference.has_few_queries else "too_few_changed"
        return "rare_failures" if self._is_turned(judged) else "interval"

    def _is_turned(self, outcome: Outcome) -> bool:
        """Return whether the interval alone would decide otherwise, or there is none."""
        low, high = self.own
        if low is None or high is None:
            return self.difference.n_changed == 0
        return self.requirement.judged(low, high) != outcome

    @property
    def reason(self) -> str:
        """The outcome and why, in a sentence without a full stop."""
        fields = {"requirement": self.requirement.words, "why": self._why_of_group}
        found = say("{outcome}: {requirement}; {why}", outcome=self.ended, **fields)
        if self.outcome == "inconclusive" and self.all_unchanged:
            return say("{unchanged}; {found}", unchanged=self.all_unchanged, found=found)
        return found

    @property
    def ended(self) -> str:
        """How it ended, in a word."""
        if self.requirement.in_any and self.outcome == "pass":
            return self.requirement.none_shown if self.groups else say("not shown")
        return say(OUTCOME_WORDS[self.outcome])

    @property
    def _why_of_group(self) -> str:
        """Why it ended so, in which group, and how all groups ended."""
        if not self.group:
            return self._why
        why = say("{group}: {why}", group=QueryMetadata.title(self.group), why=self._why)
        return say("{why}; {groups}", why=why, groups=self.all_groups) if self.groups else why

    @property
    def all_groups(self) -> str:
        """How all groups ended, in a clause."""
        some = self.groups
        if self.requirement.in_any:  # where not to be shown worse is no pass of a group
            some = tuple(each for each in some if each.outcome != "pass")
        of = counted(len(self.groups), "group", "groups")
        fields = {"groups": of, "tally": tally(some) or say("none fails")}
        like = [each for each in self.groups if each.outcome == self.outcome != "pass"]
        if not like:
            return say("of {groups}, {tally}", **fields)
        fields["names"] = first_of([each.sized for each in like], _GROUPS_NAMED)
        if not any(each.lacks for each in like):
            return say("of {groups}, {tally}: {names}", **fields)
        return say(
            "of {groups}, {tally}: {names} (roughly, to pass in 80 % of samples if nothing "
            "changed)",
            **fields,
        )

    @property
    def lacks(self) -> int:
        """How many queries an inconclusive group lacks, roughly; 0 if that is not known."""
        is_short = self.outcome == "inconclusive" and not self.is_open_by_data
        return self.unchanged.lacks if is_short and self.unchanged else 0

    @property
    def sized(self) -> str:
        """The group with its queries, and those that it lacks."""
        queries = counted(self.difference.n_queries, "query", "queries")
        fields = {"group": QueryMetadata.title(self.group), "queries": queries}
        if self.lacks:
            return say("{group} ({queries}, lacks {more})", more=f"{self.lacks:,}", **fields)
        return say("{group} ({queries})", **fields)

    @property
    def all_unchanged(self) -> str:
        """How often groups of these sizes would all pass if nothing had changed; may be empty."""
        known = [each.unchanged for each in self.groups if each.unchanged is not None]
        if not known or len(known) < len(self.groups):
            return ""
        share = math.prod(each.passes for each in known)
        about = say("about {share}", share=percent(share, whole=True))
        return say(
            "if nothing had changed, all groups would pass in {share} of samples",
            share=about if share >= _RARELY else say("less than 1 %"),
        )

    def shortcoming(self, name: str) -> str:
        """Return a sentence on why a candidate of this name does not pass."""
        return say("{candidate}: {reason}.", candidate=name, reason=self.reason)

    @property
    def interval(self) -> str:
        """The end of the interval that decides or would, or both, or what else decides."""
        low, high = self.ci_low, self.ci_high
        if self._decided_by_figures == "identical_results":
            return say("identical results")
        if self._decided_by_figures == "these_queries":
            return say("of these queries only")
        if low is None or high is None:
            return say("no interval")
        if self.requirement.kind == "non-inferiority":
            end = self._number(low if self.decides_below else high)
            return say(
                "one-sided {confidence} {side} bound {end}",
                confidence=percent(self.difference.confidence),
                side=say("lower") if self.decides_below else say("upper"),
                end=end,
            )
        return say(
            "{confidence} interval {low} to {high}",
            confidence=percent(self.requirement.level(self.difference.confidence)),
            low=self._number(low),
            high=self._number(high),
        )

    @property
    def interval_explained(self) -> str:
        """The same where nothing else says that it allows for rare failures."""
        return ends_allowing_for_rare(self.interval) if self.allows_for_rare else self.interval

    @property
    def allows_for_rare(self) -> bool:
        """Whether an end decides or would, and allows for rare failures.

        With a model's judgments it allows for the model's largest error instead.
        """
        decides = self.unseen is not None and self.decisive != (None, None)
        return decides and self.judged_by != "both"

    @property
    def decides_below(self) -> bool:
        """Whether it is the lower end that decides or could, by the interval alone.

        For equivalence, that is the end on the side of a difference that is too large; otherwise
        the lower one unless it lies within the threshold.
        """
        low, high = self.own
        fails = (
            low is not None and high is not None and self.requirement.judged(low, high) == "fail"
        )
        if self.requirement.kind != "equivalence":
            return self.requirement.rises != (fails or self.requirement.in_any)
        if fails:
            return low is not None and low > 0
        return self.ci_low is None or self.ci_low <= -self.requirement.threshold

    @property
    def decisive(self) -> tuple[float | None, float | None]:
        """The ends that decide or would: the other one of a one-sided bound is infinite.

        They are None where something else decides.
        """
        low, high = self.ci_low, self.ci_high
        if self._decided_by_figures in {"identical_results", "these_queries"} or low is None:
            return None, None
        if self.requirement.kind != "non-inferiority":
            return low, high
        return (low, math.inf) if self.decides_below else (-math.inf, high)

    @property
    def limits(self) -> tuple[float, ...]:
        """The differences at which the requirement ends, but for 0."""
        limit = self.requirement.threshold
        return (-limit, limit) if self.requirement.kind == "equivalence" else (limit,) * bool(limit)

    @property
    def named(self) -> str:
        """The requirement as given, with the worst group."""
        text, group = self.requirement.text, self.group
        return (
            say("{text}: {group}", text=text, group=QueryMetadata.title(group)) if group else text
        )

    @property
    def change(self) -> str:
        """The mean difference, signed."""
        return self._number(self.difference.delta)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of `Gate.table`: one, or those of the groups."""
        return [each.row() for each in self.groups or (self,)]

    def row(self) -> dict[str, Any]:
        """Return the figures of a row of `Gate.table`."""
        return {name: of(self) for name, (_, of) in _COLUMNS.items()}

    @property
    def _why(self) -> str:
        """Why it ended so: by the figures, and what keeps them from counting."""
        if self.doubt is None:
            return self._why_by_judges
        fields = {"why": self._why_by_judges, "doubt": self.doubt.depends_on}
        if self.by_figures == "inconclusive":
            return say("{why}, and it {doubt}", **fields)
        return say("{why}, but it {doubt}", **fields)

    @property
    def _why_by_judges(self) -> str:
        """Why it ended so, and by whose judgments where a model and people judged."""
        if self.judged is None:
            return self._why_by_figures
        fields = {"why": self._why_by_figures, "n": f"{self.judged.n:,}"}
        if self.judged_by == "both":
            return say(
                "{why}; by a model's judgments of {all} queries, corrected by people's of {n}",
                all=f"{self.judged.n_all:,}",
                **fields,
            )
        if self.scope == "these":
            return say("{why}; by people's judgments alone", why=self._why_by_figures)
        return say(
            "{why}; by people's judgments of {n} queries alone: {reason}",
            reason=say(WHY_PEOPLE_DECIDE[self.judged.reason]),
            **fields,
        )

    @property
    def is_of_silence(self) -> bool:
        """Whether it is on whether something was returned, which no judgment or order changes."""
        return self.requirement.measure in RATES

    @property
    def n_compared(self) -> int:
        """Of how many queries it is known whether they changed: with a model, those of people."""
        return self.difference.n_queries if self.judged is None else self.judged.n

    @property
    def _why_by_figures(self) -> str:
        """Why it ended so; of a pair that unjudged documents decide on, with what they hide."""
        found = self.primary
        doubted = found is not None and found.word == "check first"
        if found is None or not doubted or found.on_judged is None or self.is_of_silence:
            return self._why_of_all
        return say(
            "{why}; on judged documents alone {measure} {numbers}",
            why=self._why_of_all,
            measure=found.measure_shown,
            numbers=found.on_judged.numbers,
        )

    @property
    def _why_of_all(self) -> str:
        match self._decided_by_figures:
            case "no_value":
                return say("no query has a value for both systems")
            case "these_queries":
                return say("it changed by {change}, of these queries only", change=self.change)
            case "identical_results":
                return say("identical results")
        if not self.unallowed:
            return self._why_by_ends
        return say(
            "{why}; rare failures are not allowed for: {reason}",
            why=self._why_by_ends,
            reason=say(WHY_UNALLOWED[self.unallowed], measure=self.requirement.measure),
        )

    @property
    def _why_by_ends(self) -> str:
        low, high = self.ci_low, self.ci_high
        if self.difference.n_changed == 0:
            return self._why_unchanged()
        if low is None or high is None:
            return self._why_without_interval
        if not self.difference.changed_effective:
            return say("the changes cancel out within every cluster")
        why = self._why_of_interval(low, high)
        if self._decided_by_figures != "rare_failures" or self.unseen is None:
            return why
        return say("{why}; {unseen}", why=why, unseen=self.unseen.in_words)

    @property
    def _why_without_interval(self) -> str:
        """Say that there is no interval, and with how many queries a quantile has one."""
        found = say("it changed by {change}, without an interval", change=self.change)
        of, n = self.requirement.aggregate, self.difference.n_queries
        tail = 0.5 if of == "mean" else aggregate_named(of).tail
        needed = math.ceil(round(MIN_CHANGED / tail, 9)) if tail else 0
        if n >= needed:
            return found
        return say(
            "{found}: {aggregate} needs {needed} queries with a value, {n} are there",
            found=found,
            aggregate=of,
            needed=f"{needed:,}",
            n=f"{n:,}",
        )

    def _why_unchanged(self) -> str:
        """Say how much queries like these, none of which changed, could still lose."""
        unseen = self.unseen
        if unseen is None:
            return say("no query of {n} changed", n=f"{self.n_compared:,}")
        end = self._number(self.ci_low if self.requirement.rises else self.ci_high)
        found = say("{unseen}: at worst {end}", unseen=unseen.in_words, end=end)
        if self.by_figures == "pass" or self.requirement.kind == "superiority":
            return found
        margin = abs(self.requirement.threshold)
        needed = statistics.unchanged_needed(margin, unseen.largest, 1 - unseen.confidence)
        return say(
            "{found}; {units} without a change would pass at {margin}",
            found=found,
            units=unseen._replace(n_units=needed).units,
            margin=f"{margin:g}",
        )

    def _why_of_interval(self, low: float, high: float) -> str:
        found = {"change": self.change, "interval": self.interval}
        of_few = {**found, "few": self.difference.few_in_words, "enough": MIN_CHANGED}
        if self.requirement.judged(low, high) == "inconclusive":
            return say(
                "it changed by {change} ({interval}), which neither confirms nor excludes it",
                **found,
            )
        if self.by_figures == "inconclusive":
            return say(
                "it changed by {change} ({interval}), but {few}, and {enough} are needed", **of_few
            )
        if not self.difference.may_be_too_narrow:
            return say("it changed by {change} ({interval})", **found)
        return say(
            "it changed by {change} ({interval}); {few}, so the interval may be too narrow",
            **of_few,
        )

    def _number(self, value: float | None) -> str:
        return self.requirement.in_unit(number(value, self.digits, signed=True))

    @property
    def unit(self) -> str:
        """The unit of its figures, of a column of the user's own."""
        return self.requirement.measure.declaration.unit

    @property
    def digits(self) -> int:
        """Enough decimals to show each end's side of the threshold.

        They are never fewer than those of the verdict, so that the same interval reads the same.
        """
        limits, ends = self.limits or (0.0,), (self.ci_low, self.ci_high)
        return max(self.least_digits, decimals_beside(limits, ends, self.difference.digits))


_COLUMNS: Mapping[str, tuple[type[pl.DataType], Callable[[Finding], Any]]] = {
    BASELINE: (pl.String, lambda each: each.difference.baseline),
    SYSTEM: (pl.String, lambda each: each.difference.system),
    "requirement": (pl.String, lambda each: each.requirement.text),
    "group": (pl.String, lambda each: each.group or None),
    "kind": (pl.String, lambda each: each.requirement.kind),
    MEASURE: (pl.String, lambda each: each.requirement.quantity),
    "threshold": (pl.Float64, lambda each: each.requirement.threshold),
    "n_queries": (pl.Int64, lambda each: each.difference.n_queries),
    "n_changed": (pl.Int64, lambda each: each.difference.n_changed),
    "delta": (pl.Float64, lambda each: each.difference.delta),
    "ci_low": (pl.Float64, lambda each: each.ci_low),
    "ci_high": (pl.Float64, lambda each: each.ci_high),
    "confidence": (pl.Float64, lambda each: each.requirement.level(each.difference.confidence)),
    "outcome": (pl.String, lambda each: each.outcome),
    "decided_by": (pl.String, lambda each: each.decided_by),
    "judged_by": (pl.String, lambda each: each.judged_by),
    "reason": (pl.String, lambda each: each.reason),
}
"""The columns of `Gate.table`: their types, and what they hold of a finding."""


def ends_allowing_for_rare(ends: str) -> str:
    """Return words on ends that decide, not to be taken for those of the interval."""
    return say("{ends}, allowing for rare failures that these queries may not show", ends=ends)


WORST_LAST = tuple(OUTCOME_SIGNS)
"""Outcomes from best to worst; the worst of several counts."""


@dataclass(frozen=True)
class Candidate:
    """A pair of systems with the findings on its requirements.

    Attributes
    ----------
    pair
        The system and its baseline.
    findings
        One per requirement.
    name
        A unique name: the system, and the baseline too if there are several.
    """

    pair: Pair
    findings: tuple[Finding, ...]
    name: str

    def __repr__(self) -> str:
        """Return the outcome in a word."""
        return f"<{self.against}: {self.outcome}>"

    @property
    def outcome(self) -> Outcome:
        """The worst outcome: ``"pass"`` if every requirement is met."""
        return worst(self.findings)

    @property
    def doubt(self) -> Basis | None:
        """The doubt about the data that alone leaves its requirements open, if any does."""
        is_open = [each for each in self.findings if each.outcome == "inconclusive"]
        doubts = {each.doubt if each.is_doubted else None for each in is_open}
        return doubts.pop() if len(doubts) == 1 else None

    @property
    def against(self) -> str:
        """The system and its baseline, in words."""
        return _against(self.pair)


def _allowed(findings: Iterable[Finding]) -> dict[str, float]:
    """Return by how much measures may change, of those of which a requirement says so."""
    found: dict[str, float] = {}
    for required in (each.requirement for each in findings):
        is_margin = required.kind == "equivalence" or required.rises == (required.threshold < 0)
        if required.kind != "superiority" and is_margin:
            least = min(abs(required.threshold), found.get(required.quantity, math.inf))
            found[required.quantity] = least
    return found


def worst(findings: Iterable[Finding]) -> Outcome:
    """Return the worst outcome of several findings."""
    return max((each.outcome for each in findings), key=WORST_LAST.index)


def tally(findings: Iterable[Finding]) -> str:
    """Return the number of findings by outcome, such as ``2 pass and 1 fails``."""
    ended = Counter(each.outcome for each in findings)
    words: dict[Outcome, str] = {
        "pass": counted(ended["pass"], "passes", "pass"),
        "inconclusive": counted(ended["inconclusive"], "is inconclusive", "are inconclusive"),
        "fail": counted(ended["fail"], "fails", "fail"),
    }
    return listed([each for way, each in words.items() if ended[way]])


def _against(pair: Pair) -> str:
    return say("{system} against {baseline}", **pair._asdict())


SCHEMA = 2
"""The version of a gate's JSON."""

_CANDIDATES_NAMED = 10
"""The most candidates named."""

_EXIT_CODES = {"pass": 0, "fail": 1, "inconclusive": 3}

_GROUPS_NAMED = 8
"""The most groups named."""

_RARELY = 0.005
"""A lower share of samples is less than 1 %."""

_MISSED = 0.2
"""How often a group with the queries that it lacks would still not pass."""

_MANY_QUERIES = 1e9
"""More are not named."""

_IN_JUNIT: Mapping[str, Ended] = {
    "pass": "passed",
    "fail": "failure",
    "inconclusive": "skipped",
}


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Displayed, FromFiles):
    """Requirements judged for every candidate.

    Attributes
    ----------
    comparison
        The comparison judged.
    findings
        One per candidate and requirement.
    inconclusive
        What an inconclusive outcome counts as.
    scope
        Of what it speaks: a name from `SCOPES`.
    largest_loss
        How much one query can lose, where it was named.
    files
        The files that it was read from, which no output of it replaces.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(40)}
    >>> old, new = ({query: [*run] for query in qrels} for run in (["d0", "d1"], ["d1", "d0"]))
    >>> found = rr.gate(rr.compare(qrels, {"old": old, "new": new}, measures="RR"), "RR > 0")
    >>> found.outcome, [each.requirement.text for each in found.findings]
    ('pass', ['RR > 0'])
    """

    comparison: Comparison
    findings: tuple[Finding, ...]
    inconclusive: str
    scope: str = "population"
    largest_loss: float | None = None

    @property
    def requirements(self) -> list[str]:
        """The requirements, as they were given."""
        return list(dict.fromkeys(each.requirement.text for each in self.findings))

    @property
    def settings(self) -> dict[str, Any]:
        """The options of `gate` that differ from its defaults, by name."""
        return {
            name: getattr(self, name)
            for name, option in inspect.signature(gate).parameters.items()
            if option.default is not option.empty and getattr(self, name) != option.default
        }

    @property
    def passed(self) -> bool:
        """Whether the exit code is 0."""
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """The exit code of the command line: 0 for a pass, 1 for a fail, 3 if inconclusive.

        It is 0 or 1 for an inconclusive gate if ``inconclusive`` is ``"pass"`` or ``"fail"``; but 3
        rather than 0 where the data leave a requirement open, and not the number of queries.
        """
        return _EXIT_CODES[self._counted]

    @property
    def _counted(self) -> str:
        """What the outcome counts as."""
        return max(map(self._counts_as, self.findings), key=WORST_LAST.index)

    def _counts_as(self, finding: Finding) -> str:
        """Return what the outcome of a requirement counts as.

        That an inconclusive one counts as a pass is meant of what more queries would settle.
        """
        is_no_pass = self.inconclusive == "pass" and finding.is_open_by_data
        if finding.outcome != "inconclusive" or is_no_pass:
            return finding.outcome
        return self.inconclusive

    def table(self) -> pl.DataFrame:
        """Return the gate, one row per candidate and requirement; of one on groups, per group.

        Returns
        -------
        DataFrame
            ``baseline, system``; ``requirement`` as given, the ``group`` of queries (null where it
            is of all), its ``kind``, ``measure`` and ``threshold``; ``n_queries, n_changed, delta``
            as in `Comparison.table`; ``ci_low, ci_high``, the two-sided interval that decides, and
            its ``confidence`` (at 0.90, each end is a one-sided 95 % bound); ``outcome``, what it
            is ``decided_by``, where a model and people judged also whose judgments it is
            ``judged_by`` (``"both"`` or ``"people"``, else null; ``n_changed`` is by people's), and
            the ``reason`` in words.
        """
        rows = [row for each in self.findings for row in each.rows()]
        return pl.DataFrame(rows, schema={name: dtype for name, (dtype, _) in _COLUMNS.items()})

    def to_polars(self) -> pl.DataFrame:
        """Return `table`."""
        return self.table()

    def _shown(self) -> Table:
        """Return the gate as a readable table: a row per candidate and requirement.

        With many candidates, fails come first, then inconclusive outcomes, and within each the best
        candidates.
        """
        digits: dict[str, int] = {}
        for each in self.findings:
            digits[each.unit] = max(digits.get(each.unit, 0), each.digits)
        in_order = findings_in_order(self)
        findings = [replace(each, least_digits=digits[each.unit]) for each in in_order]
        rows = tuple(
            (
                each.difference.system,
                each.difference.baseline,
                each.named,
                say(each.outcome),
                say(
                    "{part} of {whole}",
                    part=f"{each.difference.n_changed:,}",
                    whole=f"{each.n_compared:,}",
                ),
                each.change,
                each.interval,
            )
            for each in findings
        )
        headers = (
            say("system"),
            say("baseline"),
            say("requirement"),
            say("outcome"),
            say("changed"),
            say("delta"),
            say("interval"),
        )
        words = (
            say("the candidate"),
            say("the system compared with"),
            say("what is required of the difference"),
            say("pass, fail, or inconclusive where the data allow both"),
            say("queries on which the two differ"),
            say("the mean difference, in the unit of the requirement"),
            say("differences compatible with the data"),
        )
        return Table(headers, rows, numeric=frozenset({4, 5}), help=words)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before acting on the comparison, the worst first."""
        return self.comparison.cautions

    def _answer(self) -> Iterable[Block]:
        """Return outcome, action, and the reasons of candidates."""
        return [
            Sentences(bold=self.headline),
            *(Sentences([text]) for text in (self.action, passing_of_many(self)) if text),
            *(
                Sentences(
                    [
                        *(say("{reason}.", reason=found.reason) for found in each.findings),
                        *self._segments(each),
                    ],
                    bold=each.against,
                    listed=True,
                )
                for each in self._detailed
            ),
        ]

    def _segments(self, candidate: Candidate) -> list[str]:
        """Return which segments differ by more than what the gate allows, in sentences."""
        decided = self.verdict().decision.pairs[candidate.pair]
        return [
            say("{title}: {systems}.", title=title, systems=text)
            for _, title, text in decided.segments_in_words()
        ]

    def _notes(self) -> Sequence[str]:
        return ()

    def _folded(self) -> Iterable[Sentences | Table]:
        return [Sentences(self.notes)]

    @text_export(".xml")
    def to_junit(self) -> str:
        """Return the gate as JUnit XML: a suite per candidate, a case per requirement.

        A requirement ends as it counts for the exit code. JUnit has no third outcome: a case that
        counts as inconclusive is skipped, with the reason as its message.
        """
        cautions = self.comparison.cautions
        return junit(
            "rankreport gate",
            [
                Suite(
                    each.against,
                    tuple(map(self._case, each.findings)),
                    (*(labelled(c) for c in cautions if c.is_about(each.pair)), *self.notes),
                )
                for each in self.candidates
            ],
        )

    @text_export(".json")
    def to_json(self) -> str:
        """Return the unrounded figures of the gate as JSON; ``schema`` is its version.

        The ends of open intervals are ``"inf"`` and ``"-inf"``.
        """
        source = Judgments.of(self.comparison).source
        data = {
            "schema": SCHEMA,
            "outcome": self.outcome,
            "passed": self.passed,
            "exit_code": self.exit_code,
            "inconclusive": self.inconclusive,
            "scope": self.scope,
            "largest_loss": self.largest_loss,
            "interval": self.comparison.interval,
            "correction": self.comparison.correction,
            "confidence": self.comparison.confidence,
            "resamples": self.comparison.resamples,
            "seed": self.comparison.seed,
            "action": self.action,
            "decision": self.verdict().decision.to_plain(),
            "requirements": self.table().to_dicts(),
            "notes": self.notes,
            "cautions": [asdict(each) for each in self.comparison.cautions],
            **({} if source is None else {"label_source": source.to_plain()}),
        }
        return json_of(plain(data))

    def __repr__(self) -> str:
        """Return the gate for a terminal, with a table of many candidates only."""
        table = [self._shown()] if has_many_candidates(self) else []
        return text_of([*self._above(), *table, *self._below()])

    @property
    def notes(self) -> list[str]:
        """How the intervals were computed, and where judgments come from, in sentences."""
        judged = say(
            "Where a model's judgments are corrected by people's: the wider of the t and the "
            "Cornish-Fisher interval."
        )
        by_both = any(each.judged_by == "both" for each in self.findings)
        return [
            *self._intervals_in_words(),
            *([judged] if by_both else ()),
            *self._label_sentences(),
        ]

    def _label_sentences(self) -> tuple[str, ...]:
        """Return where the judgments come from, in sentences."""
        return Judgments.of(self.comparison).sentences

    def _intervals_in_words(self) -> list[str]:
        if self.scope == "these":
            return [say("Judged on the observed means of these queries only.")]
        if all(each.decided_by == "identical_results" for each in self.findings):
            return []
        parts = [Method(self.comparison).of_intervals]
        required = [each.requirement for each in self.findings]
        if any(each.allows_for_rare for each in self.findings):
            parts.append(say("The bounds allow for rare failures that these queries do not show."))
        if any(each.aggregate != "mean" for each in required):
            of_others = say(
                "Those of medians, quantiles and deviations: from {n} resamples (seed {seed}), "
                "where {enough} queries or more lie beyond.",
                n=f"{self.comparison.resamples:,}",
                seed=self.comparison.seed,
                enough=MIN_CHANGED,
            )
            parts.append(of_others)
        if any(each.is_of_all_users for each in required):
            parts.append(say("Those of all users at once: from how much each user changes them."))
        if any(each.groups for each in self.findings):
            parts.append(
                say("Each group passes at its own level; a fail is corrected by Holm over groups.")
            )
        made = paragraph(*parts)
        if len(self.candidates) == 1:
            return [made]
        fields = {"candidates": candidates_in_words(self)}
        if self.comparison.correction != "none":
            return [made, say("Intervals hold simultaneously for all {candidates}.", **fields)]
        return [made, say("Intervals are not corrected for {candidates}.", **fields)]

    def _case(self, finding: Finding) -> Case:
        required, ended = finding.requirement, _IN_JUNIT[self._counts_as(finding)]
        return Case(required.text, required.kind, ended, finding.reason)

    @property
    def outcome(self) -> Outcome:
        """The worst outcome: ``"fail"``, else ``"inconclusive"``, else ``"pass"``."""
        return worst(self.findings)

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates with their findings, in the order of the comparison's pairs."""
        found: dict[Pair, list[Finding]] = {}
        for each in self.findings:
            found.setdefault(each.difference.pair, []).append(each)
        named = len(self.comparison.baselines) > 1
        return tuple(
            Candidate(pair, tuple(of_pair), _against(pair) if named else pair.system)
            for pair, of_pair in found.items()
        )

    def verdict(self) -> Verdict:
        """Return the comparison's verdict; its action takes the gate's outcomes into account."""
        return self._verdict

    @cached_property
    def _verdict(self) -> Verdict:
        candidates, verdict = self.candidates, self.comparison.verdict()
        outcomes = {each.pair: each.outcome for each in candidates}
        allowed = {each.pair: _allowed(each.findings) for each in candidates}
        doubts = {each.pair: each.doubt for each in candidates}
        return replace(verdict, decision=verdict.decision.gated(outcomes, allowed, doubts))

    @property
    def action(self) -> str:
        """What to do about the verdict and this outcome, in a sentence."""
        return self.verdict().action

    @property
    def build_verdict(self) -> BuildVerdict:
        """The outcome for programs, as ``rankreport gate --verdict`` writes it."""
        decision = self.verdict().decision
        numbers = asdict(decision.verdict.found)
        worst_first = sorted(
            findings_in_order(self),
            key=lambda each: (WORST_LAST.index(each.outcome), each.is_open_by_data),
            reverse=True,
        )
        decides = worst_first[0]
        return BuildVerdict(
            self.outcome,
            self.exit_code,
            paragraph(self.headline, decides.shortcoming(_against(decides.difference.pair))),
            {"code": decision.advised.action.code, "text": self.action},
            tuple(each.row() for each in worst_first),
            {
                **{name: numbers[name] for name in NUMBERS},
                "word": decision.word,
                "decided_by": decision.verdict.decided_by.value,
            },
            self.cautions,
        )

    @property
    def _detailed(self) -> tuple[Candidate, ...]:
        """The candidates described in sentences: all, or the leading one of many."""
        return (leading_candidate(self),) if has_many_candidates(self) else self.candidates

    @property
    def headline(self) -> str:
        """The outcome in a sentence, with counts if there are several requirements."""
        n_pairs, n = len(self.comparison.pairs), len(self.findings)
        if n == 1:
            return say("{outcome}.", outcome=self._in_words)
        what = requirements = counted(n // n_pairs, "requirement", "requirements")
        if n_pairs > 1:
            what = candidates = candidates_in_words(self)
            if n > n_pairs:
                fields = {"requirements": requirements, "candidates": candidates}
                what = say("{requirements} for each of {candidates}", **fields)
        return say(
            "{outcome}: of {what}, {tally}.",
            outcome=self._in_words,
            what=what,
            tally=tally(self.findings),
        )

    @property
    def _best_first(self) -> list[Candidate]:
        """The candidates in the order of `Comparison.best_first`."""
        comparison = self.comparison
        rows = best_first_of(comparison, plain_table_of(comparison))
        decisive = rows.filter(pl.col(MEASURE) == str(comparison.primary))
        known = {each.pair: each for each in self.candidates}
        return [known[Pair(*pair)] for pair in decisive.select(BASELINE, SYSTEM).iter_rows()]

    @property
    def _in_words(self) -> str:
        match self.outcome, self._counted:
            case "pass", _:
                return say("The gate passes")
            case "fail", _:
                return say("The gate fails")
            case _, "pass":
                return say("The gate is inconclusive, which counts as a pass")
            case _, "fail":
                return say("The gate is inconclusive, which counts as a fail")
            case _ if self.inconclusive == "pass":
                return say("The gate is inconclusive, and no pass, since the data leave it open")
            case _:
                return say("The gate is inconclusive")


def candidates_in_words(self: Gate) -> str:
    """Return the number of candidates, or of comparisons if there are several baselines."""
    n = len(self.comparison.pairs)
    if len(self.comparison.baselines) > 1:
        return counted(n, "comparison", "comparisons")
    return counted(n, "candidate", "candidates")


def leading_candidate(self: Gate) -> Candidate:
    """Return the candidate of the comparison's verdict."""
    leading = self.comparison.decision.leading
    return next(each for each in self.candidates if each.pair == leading)


def has_many_candidates(self: Gate) -> bool:
    """Return whether there are too many candidates to describe each."""
    return len(self.comparison.pairs) > FEW_PAIRS


def shortcomings_of(self: Gate) -> list[str]:
    """Return why requirements are not met, of the candidates that are described, in sentences."""
    return [
        found.shortcoming(candidate.name)
        for candidate in self._detailed
        for found in candidate.findings
        if found.outcome != "pass"
    ]


def passing_of_many(self: Gate) -> str:
    """Return which of many candidates meet the requirements, in a sentence; empty for few."""
    words = meeting_in_words(self, _CANDIDATES_NAMED)
    return say("{sentence}.", sentence=words) if has_many_candidates(self) else ""


def meeting_in_words(self: Gate, most: int) -> str:
    """Return which of several candidates meet the requirements, without a full stop."""
    names = [each.name for each in self._best_first if each.outcome == "pass"]
    shown = first_of(names, most) if len(names) > most + 1 else listed(names)
    fields = {"candidates": candidates_in_words(self), "names": shown}
    if len(names) == 1:
        return say("Of {candidates}, {names} meets the requirements", **fields)
    if names:
        return say("Of {candidates}, {names} meet the requirements", **fields)
    if all(each.outcome == "fail" for each in self.candidates):
        return say("Of {candidates}, none meets the requirements", **fields)
    return say("Of {candidates}, none is shown to meet the requirements", **fields)


def findings_in_order(self: Gate) -> Sequence[Finding]:
    """Return all findings; for many candidates, the worst outcomes first, then the best systems."""
    if not has_many_candidates(self):
        return self.findings
    best_first = [found for each in self._best_first for found in each.findings]
    return sorted(best_first, key=lambda found: -WORST_LAST.index(found.outcome))


@hinting()
@keeping_files
def gate(
    comparison: Comparison,
    requirements: str | Iterable[str],
    *,
    inconclusive: str = "inconclusive",
    scope: str = "population",
    largest_loss: float | None = None,
) -> Gate:
    """Judge whether every candidate of a comparison meets requirements.

    Parameters
    ----------
    comparison
        One or more candidates compared with a baseline.
    requirements
        One or several requirements on mean differences (system minus baseline), not on levels:
        ``"nDCG@10 > -0.01"``, it may fall by at most 0.01 (non-inferiority); ``"RR@10 > 0"``, it
        must rise (superiority); ``"abs(AP) < 0.02"``, it may change by less than 0.02 in either
        direction (equivalence). Use ``<`` for measures where lower is better; ``>=`` and ``<=``
        mean the same as ``>`` and ``<``. Thresholds of a quarter of the measure's range or more are
        refused, since they look like levels. ``"median(RR@10) > 0"`` is on the difference of
        medians, as of `Comparison.aggregates`; so are quantiles, as ``"p10(RR@10) > -0.05"``, and
        ``std``; ``min`` and ``max``, which have no interval, only with the scope ``"these"``.
        ``"coverage@10 > -0.02"`` is on a measure of all users at once, as of
        `rankreport.Evaluation.exposure`, whose intervals are of pairs of lists.
        ``"nDCG@10 > -0.02 in every intent"`` is on each group of the queries by a column of the
        comparison's (``in every dataset`` of several data sets; queries without a value are one
        group); ``"nDCG@10 not below -0.02 in any intent"`` (or ``not above``) fails where a group
        is shown to be.
    inconclusive
        What an inconclusive outcome counts as for the exit code: ``"inconclusive"`` (3), ``"pass"``
        (0) or ``"fail"`` (1). Where the data leave an outcome open, it does not count as a pass.
    scope
        ``"population"``: of all queries like these, so that an interval decides; or ``"these"``:
        of these queries only, as on a fixed set of regression tests, so that the observed mean
        decides.
    largest_loss
        How much one query can lose (or gain), by the measures required; unless given, that of the
        comparison on its primary measure, and otherwise the width of the measure's range.

    Returns
    -------
    Gate
        A requirement passes if the interval lies entirely on the required side of the threshold,
        fails if it lies entirely on the other side, and is inconclusive otherwise. The interval is
        of the comparison's kind, and simultaneous for all candidates if the comparison's are; its
        ends are moved outwards as far as rare failures, of which no query needs to show any, could
        move the mean (docs/gates.md), but not with weights or without a largest loss. For
        superiority it is two-sided at the comparison's confidence, like the verdict's (but not
        corrected across measures); for non-inferiority it is one-sided; for equivalence there are
        two one-sided ones. In every group it passes if each passes, at its own level; it fails
        where Holm's correction over the groups establishes one beyond the threshold. With fewer
        than 10 changed queries nothing is superior and nothing fails. Systems with identical lists
        pass non-inferiority and equivalence.
        Where the verdict is to check first, or ties leave it open, nothing passes or fails, except
        a requirement on the primary measure that ends so on judged documents alone and in every
        order of equal scores too. Ties leave it open where another order has a difference of the
        other sign; how far orders of the same sign move the interval is not asked. An open
        requirement never counts as a pass.
        Where people judged a sample and a model all queries, the interval is that of both, like the
        verdict's, where that can be relied upon, and of people alone otherwise and with
        ``scope="these"``.

    Raises
    ------
    MeasureError
        If a measure is unknown.
    OptionError
        If there is no requirement, one is invalid, looks like a level, names a measure that was not
        evaluated, or is given twice; if a query changed by more than the largest loss; or if the
        comparison's confidence is 0.5 or less, which allows no one-sided interval.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(40)}
    >>> right, wrong = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
    >>> old = {f"q{i}": right if i % 2 == 0 else wrong for i in range(40)}
    >>> new = {f"q{i}": right for i in range(40)}
    >>> comparison = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, ["RR"]))
    >>> gate(comparison, ["RR > -0.01", "RR > 0"])  # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE
    The gate passes: of 2 requirements, 2 pass.
    <BLANKLINE>
    Evidence favours new: try it live.
    <BLANKLINE>
    new against old
      passes: RR may fall by at most 0.01; it changed by +0.250 (one-sided 95 % lower bound +0.174).
      passes: RR must rise; it changed by +0.250 (95 % interval +0.158 to +0.342).
    <BLANKLINE>
    Intervals: ...
    """
    expect(comparison, (Comparison,), "gate() takes what compare() returns")
    check_process()
    choose("inconclusive", inconclusive, INCONCLUSIVE)
    choose("scope", scope, SCOPES)
    check_largest_loss(largest_loss)
    if comparison.confidence <= 0.5:
        raise OptionError(
            f"confidence={comparison.confidence} allows no one-sided interval; compare with more "
            f"than 0.5, such as 0.95."
        )
    required = read_requirements(requirements, comparison.evaluation)

    def judge(of: Comparison, some: Sequence[Requirement]) -> list[Finding]:
        # Corrected for the number of candidates, not of measures.
        family = of if of.across == "systems" else replace(of, across="systems")
        of_users = [each for each in some if each.is_of_all_users]
        others = [each for each in some if not each.is_of_all_users]
        own = (_of_aggregate(family, e) for e in _findings(family, others, scope, largest_loss))
        found = dict(zip(product(of.pairs, others), own, strict=True))
        for pair, required, difference in differences_of_all_users(family, of_users):
            ends = difference.ci_low, difference.ci_high
            found[pair, required] = Finding(
                required,
                difference,
                *ends,
                own=ends,
                unallowed="aggregate",
                identical=difference.is_unchanged,
                scope=scope,
            )
        return list(_doubted(of, (found[each] for each in product(of.pairs, some))))

    found: dict[tuple[Pair, Requirement], Finding] = {}
    for by in dict.fromkeys(each.by for each in required):
        some = [each for each in required if each.by == by]
        judged = _judged_by_group(comparison, some, judge) if by else judge(comparison, some)
        found |= dict(zip(product(comparison.pairs, some), judged, strict=True))
    findings = tuple(found[each] for each in product(comparison.pairs, required))
    return Gate(comparison, findings, inconclusive, scope, largest_loss)


def _findings(
    comparison: Comparison,
    required: Sequence[Requirement],
    scope: str,
    largest_loss: float | None,
) -> Iterable[Finding]:
    """Yield a finding for each pair and requirement."""
    levels = dict.fromkeys(each.level(comparison.confidence) for each in required)
    contrasts, judges = contrasts_of(comparison), comparison.judges
    named = {str(comparison.primary): comparison.largest_loss}
    if largest_loss is not None:
        named = {str(each.measure): largest_loss for each in required}
    losses = largest_losses(contrasts, named)
    ends = {
        level: list(zip(*contrasts.decided(comparison.interval, level, losses), strict=True))
        for level in levels
    }
    found = {
        (each.baseline, each.system, each.measure): each
        for each in differences_on_measures(comparison)
    }
    alphas = {level: (1 - contrasts.levels(level)) / 2 for level in levels}
    reaches = contrasts.reaches(losses)
    weighted = contrasts.structure.weighed == "queries"
    for pair in comparison.pairs:
        primary = found[*pair, str(comparison.primary)]
        differences = [found[*pair, str(each.measure)] for each in required]
        same = all(each.n_changed == 0 for each in differences)
        identical = same and same_lists(comparison.evaluation, *pair)
        for each, difference in zip(required, differences, strict=True):
            level = each.level(comparison.confidence)
            column = contrasts.column(pair, str(each.measure))
            largest = float(losses[column % len(losses)])
            *own, low, high = ends[level][column]
            alpha, shown, judged = float(alphas[level][column]), difference, None
            if judges is not None:
                judged = judges.difference(pair, str(each.measure))
                both = judged.combined_at(family_of(comparison).level(level))
                if both is not None and scope != "these":
                    # These ends allow for the largest error of the model.
                    _, low, high = both
                    own, shown = [low, high], corrected_by_model(judges, difference)
            why = unallowed(largest, weighted=weighted)
            made = Finding(
                each,
                shown,
                low,
                high,
                own=(own[0], own[1]),
                unallowed=why,
                identical=identical,
                scope=scope,
                primary=primary,
                judged=judged,
            )
            if not why and difference.n_queries:
                unseen = unseen_of(contrasts, column, largest, alpha, below=made.decides_below)
                made = replace(made, unseen=unseen)
            if each.by and not each.in_any and scope != "these":
                unchanged = _unchanged(contrasts, column, made, float(reaches[column]), alpha)
                made = replace(made, unchanged=unchanged)
            yield made


def _of_aggregate(comparison: Comparison, each: Finding) -> Finding:
    """Return a finding on the aggregate that is required, where that is not the mean.

    Raises
    ------
    OptionError
        If it never has an interval, which decides; or if a model judged.
    """
    required, found = each.requirement, each.difference
    if required.aggregate == "mean":
        return each
    if comparison.judges is not None:
        raise OptionError(f"{required.text!r}: a model's judgments are corrected for means alone.")
    if each.scope != "these" and not aggregate_named(required.aggregate).tail:
        raise OptionError(
            f"{required.text!r}: no interval of a minimum or maximum is known. Require a quantile, "
            f"such as 'p10({required.measure}) > 0', or judge these queries only: scope='these'."
        )
    level = required.level(comparison.confidence)
    figures = aggregates_of(comparison, required.aggregate, level, (required.measure,))
    place = comparison.pairs.index(found.pair)
    delta, low, high = figures.select("delta", "ci_low", "ci_high").row(place)
    ends: dict[str, Any] = {"ci_low": low, "ci_high": high}
    alone = replace(found, measure=required.quantity, asked="", delta=delta, end_error=None, **ends)
    why: Unallowed = "" if low is None else "aggregate"
    without = replace(each, own=(low, high), unseen=None, unallowed=why, unchanged=None)
    return replace(without, difference=alone, **ends)


_OF_DOCUMENTS = frozenset({Basis.UNJUDGED, Basis.TIES, Basis.DEPTH})


def _doubted(comparison: Comparison, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings with what keeps a pass or a fail from counting, as the comparison decided."""
    primary = str(comparison.primary)
    for each in findings:
        decided = pair_decisions_of(comparison)[each.difference.pair]
        of_primary = each.requirement.quantity == primary
        ends = _ends_in_doubt(comparison, decided, each) if of_primary else None
        holds = ends is not None and each.requirement.judged(*ends) == each.by_figures
        holds |= each.is_of_silence and decided.doubt in _OF_DOCUMENTS
        holds |= each.requirement.is_of_all_users and decided.doubt is Basis.UNJUDGED
        # A loss on a measure that looks beyond shorter lists may be gone at equal depth.
        own = Basis.DEPTH if each.difference.is_turned_by_depth else None
        yield replace(each, doubt=None if holds else decided.doubt or own)


def _ends_in_doubt(
    comparison: Comparison, decided: PairDecision, each: Finding
) -> tuple[float, float] | None:
    """Return the ends that decide whatever unjudged documents and ties do; None of other doubts.

    That over orders of equal scores is the interval, wider by as much as they move the difference.
    """
    delta, judged = each.difference.delta, decided.found.on_judged
    low, high = (delta, delta) if each.scope == "these" else (each.ci_low, each.ci_high)
    if delta is None or low is None or high is None or decided.situation.worst == "stop":
        return None
    ends = [(low, high)]
    if decided.doubt is Basis.UNJUDGED:
        is_safe = each.requirement.kind != "superiority" and each.by_figures == "pass"
        if each.scope != "these" and not is_safe and judged and judged.has_few_changed:
            return None
        level = None if each.scope == "these" else each.requirement.level(comparison.confidence)
        ends.append(ends_on_judged(comparison, decided.pair, str(comparison.primary), level))
    if decided.reversible and decided.over_ties is not None:
        lowest, highest = decided.over_ties
        ends.append((low + lowest - delta, high + highest - delta))
    lows, highs = zip(*ends, strict=True)
    return min(lows), max(highs)


def _judged_by_group(
    comparison: Comparison,
    required: Sequence[Requirement],
    judge: Callable[[Comparison, Sequence[Requirement]], list[Finding]],
) -> list[Finding]:
    """Judge requirements on groups by one column: of each pair, in the order given.

    Groups that fail at their own level are judged at that at which Holm's correction decides.
    """
    parts = parts_of(comparison, required[0])

    @cache
    def at(group: str, n: int) -> list[Finding]:
        """Judge a group at its level divided by a number."""
        part = parts[group]
        confidence = 1 - (1 - part.confidence) / n
        return judge(part if n == 1 else replace(part, confidence=confidence), required)

    def of_place(place: int) -> Finding:
        own = {group: at(group, 1)[place] for group in parts}
        decided = {**own}

        def fails(group: str, n: int) -> bool:
            if own[group].by_figures == "fail":
                decided[group] = at(group, n)[place]
            return decided[group].by_figures == "fail"

        shown_by_holm(own, fails)
        groups = tuple(
            replace(each, group=group, unchanged=own[group].unchanged)
            for group, each in decided.items()
        )
        return replace(max(groups, key=_severity), groups=groups)

    return list(map(of_place, range(len(comparison.pairs) * len(required))))


def _severity(each: Finding) -> tuple[int, bool, float]:
    """Return a key by which the worst group comes last: what more queries do not settle, does."""
    delta = each.difference.delta or 0.0
    if each.requirement.kind == "equivalence":
        delta = -abs(delta)
    order = WORST_LAST.index(each.outcome)
    return order, each.is_open_by_data, -delta if each.requirement.rises else delta


def _unchanged(
    contrasts: Contrasts, column: int, found: Finding, reach: float, alpha: float
) -> Unchanged | None:
    """Return what a group would show if nothing had changed; None where it is to rise.

    Parameters
    ----------
    contrasts, column
        The differences of the group, and which of them.
    found
        What was found of them.
    reach
        How much a unit can change.
    alpha
        The tail of each end.
    """
    required, delta, n = found.requirement, found.difference.delta, found.difference.n_queries
    if required.kind == "superiority" or delta is None or found.ci_low is None:
        return None
    ends = delta - found.ci_low, (found.ci_high or 0) - delta
    both = required.kind == "equivalence"
    distance = max(ends) if both else ends[not required.rises]
    margin, error = abs(required.threshold), float(contrasts.sample.standard_error[column])
    if math.isnan(error):
        return None
    if found.identical or not error:
        passes, size = (
            float(found.identical or distance < margin),
            float(contrasts.sample.size[column]),
        )
        needed = float(statistics.unchanged_needed(margin, reach, alpha))
    else:
        passes = NormalDist().cdf((margin - distance) / error)
        passes = max(2 * passes - 1, 0.0) if both else passes
        size = float(contrasts.worth[column])
        needed = float(
            statistics.queries_needed(
                contrasts.spread[column],
                margin,
                power=1 - _MISSED / (1 + both),
                alpha=2 * alpha,
                largest=reach,
                simultaneous=contrasts.family.corrects,
                shape=tuple(each[column] for each in contrasts.shape),
            )
        )
    lacks = (needed / size - 1) * n
    return Unchanged(passes, math.ceil(lacks) if 0 < lacks < _MANY_QUERIES else 0)
