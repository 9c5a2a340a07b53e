"""gate() and `Gate`: whether each candidate meets each requirement, and why."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from rankreport.call_hints import hinting
from rankreport.comparison import (
    FEW_PAIRS,
    Basis,
    Comparison,
    Judgments,
    Method,
    Pair,
    Verdict,
    best_first_of,
    check_largest_loss,
    plain_table_of,
)
from rankreport.errors import OptionError, choose, expect
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.gates.build_verdict import BuildVerdict
from rankreport.gates.findings import Finding
from rankreport.gates.findings_in_words import (
    change_of,
    digits_of,
    interval_of,
    named_with_group,
    reason_of,
    tally,
)
from rankreport.gates.judging import judged
from rankreport.gates.junit import Case, Ended, Suite, junit
from rankreport.gates.outcomes import WORST_LAST, FindingValues, worst, worst_first
from rankreport.gates.requirements import INCONCLUSIVE, SCOPES, Outcome, read_requirements
from rankreport.io import FromFiles, check_process, json_of, keeping_files, plain, text_export
from rankreport.statistics import MIN_CHANGED
from rankreport.tables import Block, Displayed, Sentences, Table, text_of
from rankreport.text import Caution, counted, first_of, labelled, listed, paragraph, say

NUMBERS = (
    *(BASELINE, SYSTEM, MEASURE),
    *("n_queries", "n_changed", "delta", "ci_low", "ci_high", "confidence"),
)
"""What `Gate.build_verdict` has of the primary measure, besides the verdict."""


_COLUMNS: Mapping[str, tuple[type[pl.DataType], Callable[[FindingValues], Any]]] = {
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
    "confidence": (pl.Float64, lambda each: each.confidence),
    "outcome": (pl.String, lambda each: each.outcome),
    "decided_by": (pl.String, lambda each: each.decided_by),
    "judged_by": (pl.String, lambda each: each.judged_by),
    "reason": (pl.String, reason_of),
}
"""The columns of `Gate.table`: their types, and what they hold of a finding."""


def _row(found: FindingValues) -> dict[str, Any]:
    """Return the figures of a row of `Gate.table`."""
    return {name: of(found) for name, (_, of) in _COLUMNS.items()}


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


def _against(pair: Pair) -> str:
    return say("{system} against {baseline}", **pair._asdict())


SCHEMA = 2
"""The version of a gate's JSON."""

_CANDIDATES_NAMED = 10
"""The most candidates named."""

_EXIT_CODES = {"pass": 0, "fail": 1, "inconclusive": 3}

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
        rows = [_row(one) for each in self.findings for one in each.groups or (each,)]
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
            unit = each.requirement.unit
            digits[unit] = max(digits.get(unit, 0), digits_of(each))
        rows = tuple(
            (
                each.difference.system,
                each.difference.baseline,
                named_with_group(each),
                say(each.outcome),
                say(
                    "{part} of {whole}",
                    part=f"{each.difference.n_changed:,}",
                    whole=f"{each.n_compared:,}",
                ),
                change_of(each, digits[each.requirement.unit]),
                interval_of(each, digits[each.requirement.unit]),
            )
            for each in findings_in_order(self)
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
        # What more queries do not settle comes before what they may.
        open_first = sorted(findings_in_order(self), key=lambda e: e.is_open_by_data, reverse=True)
        findings = worst_first(open_first)
        decides = findings[0]
        return BuildVerdict(
            self.outcome,
            self.exit_code,
            paragraph(self.headline, decides.shortcoming(_against(decides.difference.pair))),
            {"code": decision.advised.action.code, "text": self.action},
            tuple(map(_row, findings)),
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
    return worst_first(found for each in self._best_first for found in each.findings)


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
    findings = judged(comparison, required, scope, largest_loss)
    return Gate(comparison, findings, inconclusive, scope, largest_loss)
