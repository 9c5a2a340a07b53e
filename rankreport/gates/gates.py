"""gate() and `Gate`: whether each candidate meets each requirement, and the reasons in words.

An outcome depends only on the interval, as the verdict does: with too few changed queries nothing
is superior and nothing fails. All requirements must hold, so intervals are not corrected for their
number (an intersection-union test keeps its level); they are corrected for the number of
candidates, since the best of several tends to look better than it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from rankreport.comparison import (
    FEW_CHANGED,
    FEW_PAIRS,
    MIN_CHANGED,
    Comparison,
    Difference,
    Pair,
    changed_queries,
    decimals_beside,
    interval_made_by,
)
from rankreport.errors import OptionError, choose, expect
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.gates.junit import Case, Ended, Suite, junit
from rankreport.gates.requirements import Outcome, Requirement, read_requirements
from rankreport.io import Format, json_of, plain, text_export
from rankreport.tables import Displayed, Table, tex, text_of
from rankreport.text import (
    counted,
    decimals,
    listed,
    markdown,
    number,
    paragraph,
    paragraph_html,
    percent,
    say,
    strung,
    visible,
)

__all__ = [
    "COLUMNS",
    "FORMATS",
    "INCONCLUSIVE",
    "SCHEMA",
    "WORST_LAST",
    "Candidate",
    "Finding",
    "Gate",
    "candidate_summary",
    "candidates_of",
    "gate",
    "meeting",
    "tally",
    "worst",
]


COLUMNS = {
    BASELINE: pl.String,
    SYSTEM: pl.String,
    "requirement": pl.String,
    "kind": pl.String,
    MEASURE: pl.String,
    "threshold": pl.Float64,
    "n_queries": pl.Int64,
    "n_changed": pl.Int64,
    "delta": pl.Float64,
    "ci_low": pl.Float64,
    "ci_high": pl.Float64,
    "confidence": pl.Float64,
    "outcome": pl.String,
    "reason": pl.String,
}
"""The columns of `Gate.table`."""


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
        The two-sided interval that decides, or None: of ``requirement.level`` of the comparison's
        confidence, which may be another than the difference's own.
    """

    requirement: Requirement
    difference: Difference
    ci_low: float | None
    ci_high: float | None

    @property
    def outcome(self) -> Outcome:
        """Whether the requirement passes, fails, or is inconclusive."""
        is_superiority = self.requirement.kind == "superiority"
        if self.difference.n_changed == 0 and self.difference.n_queries > 0:
            return "inconclusive" if is_superiority else "pass"
        if self.ci_low is None or self.ci_high is None:
            return "inconclusive"
        outcome = self.requirement.judged(self.ci_low, self.ci_high)
        is_safe = outcome == "pass" and not is_superiority
        enough = self.difference.changed_effective >= MIN_CHANGED
        return outcome if is_safe or enough else "inconclusive"

    @property
    def reason(self) -> str:
        """The outcome and why, in a sentence without its full stop."""
        fields = {"requirement": self.requirement.words, "why": self._why}
        match self.outcome:
            case "pass":
                return say("passes: {requirement}; {why}", **fields)
            case "fail":
                return say("fails: {requirement}; {why}", **fields)
            case _:
                return say("inconclusive: {requirement}; {why}", **fields)

    def shortcoming(self, name: str) -> str:
        """Say what a candidate of that name does not pass, and why."""
        fields = {"candidate": name, "requirement": self.requirement.words, "why": self._why}
        if self.outcome == "fail":
            return say("{candidate} fails: {requirement}; {why}.", **fields)
        return say("{candidate} is inconclusive: {requirement}; {why}.", **fields)

    @property
    def interval(self) -> str:
        """The end of the interval that decides, or both, with the confidence."""
        low, high = self.ci_low, self.ci_high
        if low is None or high is None:
            return say("no interval")
        if self.requirement.kind == "non-inferiority" and self.outcome != "inconclusive":
            is_lower = self.requirement.rises == (self.outcome == "pass")
            end = self._number(low if is_lower else high)
            fields = {"confidence": percent(self.difference.confidence), "end": end}
            if is_lower:
                return say("one-sided {confidence} lower bound {end}", **fields)
            return say("one-sided {confidence} upper bound {end}", **fields)
        return say(
            "{confidence} interval {low} to {high}",
            confidence=percent(self.requirement.level(self.difference.confidence)),
            low=self._number(low),
            high=self._number(high),
        )

    @property
    def change(self) -> str:
        """The mean difference, signed."""
        return self._number(self.difference.delta)

    def row(self) -> dict[str, Any]:
        """Return the row of `Gate.table`."""
        return {
            BASELINE: self.difference.baseline,
            SYSTEM: self.difference.system,
            "requirement": self.requirement.text,
            "kind": self.requirement.kind,
            MEASURE: str(self.requirement.measure),
            "threshold": self.requirement.threshold,
            "n_queries": self.difference.n_queries,
            "n_changed": self.difference.n_changed,
            "delta": self.difference.delta,
            "ci_low": self.ci_low,
            "ci_high": self.ci_high,
            "confidence": self.requirement.level(self.difference.confidence),
            "outcome": self.outcome,
            "reason": self.reason,
        }

    @property
    def _why(self) -> str:
        if self.difference.n_queries == 0:
            return say("no query has a value for both systems")
        if self.difference.n_changed == 0:
            queries = counted(self.difference.n_queries, "query", "queries")
            return say("none of the {queries} changed", queries=queries)
        if not self.difference.changed_effective:
            return say("the changes cancel out within every cluster")
        if self.ci_low is None or self.ci_high is None:
            return say(
                "it changed by {change} on every query, so no interval can be computed",
                change=self.change,
            )
        return self._why_of_interval(self.ci_low, self.ci_high)

    def _why_of_interval(self, low: float, high: float) -> str:
        found = {"change": self.change, "interval": self.interval}
        if self.outcome == "inconclusive":
            return self._why_inconclusive(found, low, high)
        if self.difference.changed_effective >= FEW_CHANGED:
            return say("it changed by {change} ({interval})", **found)
        return say(
            "it changed by {change} ({interval}); only {queries} changed, so the interval may be "
            "too narrow",
            **found,
            queries=changed_queries(self.difference.n_changed, self.difference.changed_effective),
        )

    def _why_inconclusive(self, found: dict[str, str], low: float, high: float) -> str:
        if self.requirement.judged(low, high) == "inconclusive":
            return say(
                "it changed by {change} ({interval}), which neither confirms nor excludes it",
                **found,
            )
        return say(
            "it changed by {change} ({interval}), but only {queries} changed, and {enough} are "
            "needed",
            **found,
            queries=changed_queries(self.difference.n_changed, self.difference.changed_effective),
            enough=MIN_CHANGED,
        )

    def _number(self, value: float | None) -> str:
        """Write a difference with enough decimals to keep each end on its side of the threshold."""
        threshold, ends = self.requirement.threshold, (self.ci_low, self.ci_high)
        either_way = self.requirement.kind == "equivalence"
        limits = (-threshold, threshold) if either_way else (threshold,)
        digits = decimals_beside(limits, ends, decimals(self.difference.delta, *ends))
        return number(value, digits, signed=True)


WORST_LAST: tuple[Outcome, ...] = ("pass", "inconclusive", "fail")
"""Outcomes in order; of several, the last counts."""


@dataclass(frozen=True)
class Candidate:
    """A pair of systems, and what was found of each requirement.

    Attributes
    ----------
    pair
        The system, and the baseline that it is compared with.
    findings
        One per requirement.
    name
        What tells it from the others: its system, and its baseline too where there are several.
    """

    pair: Pair
    findings: tuple[Finding, ...]
    name: str

    @property
    def outcome(self) -> Outcome:
        """The worst of all: ``"pass"`` where it meets every requirement."""
        return worst(self.findings)

    @property
    def against(self) -> str:
        """Its system and its baseline."""
        return _against(self.pair)


def candidates_of(findings: Iterable[Finding]) -> tuple[Candidate, ...]:
    """Return the candidates that findings are of, in their order."""
    found: dict[Pair, list[Finding]] = {}
    for each in findings:
        found.setdefault(Pair(each.difference.baseline, each.difference.system), []).append(each)
    one_baseline = len({pair.baseline for pair in found}) == 1
    return tuple(
        Candidate(pair, tuple(its_own), pair.system if one_baseline else _against(pair))
        for pair, its_own in found.items()
    )


def worst(findings: Iterable[Finding]) -> Outcome:
    """Return the outcome of all findings together."""
    return max((each.outcome for each in findings), key=WORST_LAST.index)


def tally(findings: Iterable[Finding]) -> str:
    """Count how findings ended, such as ``2 pass and 1 fails``."""
    ended = Counter(each.outcome for each in findings)
    return listed([_ended(way, ended[way]) for way in WORST_LAST if ended[way]])


def candidate_summary(candidate: Candidate) -> str:
    """Summarise the outcome of a candidate."""
    name, n = candidate.name, len(candidate.findings)
    if n == 1:
        return _summary_of_one(candidate.outcome, name)
    if candidate.outcome == "pass":
        return say("{candidate} meets all {n} requirements", candidate=name, n=n)
    return say(
        "{candidate}: of {requirements}, {tally}",
        candidate=name,
        requirements=counted(n, "requirement", "requirements"),
        tally=tally(candidate.findings),
    )


def meeting(candidates: Sequence[Candidate]) -> str:
    """Count those that meet every requirement, such as ``1 meets all``."""
    n = sum(each.outcome == "pass" for each in candidates)
    if len(candidates[0].findings) == 1:
        return counted(n, "meets it", "meet it") if n else say("none meets it")
    return counted(n, "meets all", "meet all") if n else say("none meets all")


def _summary_of_one(outcome: Outcome, name: str) -> str:
    match outcome:
        case "pass":
            return say("{candidate} meets the requirement", candidate=name)
        case "fail":
            return say("{candidate} fails the requirement", candidate=name)
        case _:
            return say("{candidate} is inconclusive on the requirement", candidate=name)


def _against(pair: Pair) -> str:
    return say("{system} against {baseline}", **pair._asdict())


def _ended(outcome: Outcome, n: int) -> str:
    match outcome:
        case "pass":
            return counted(n, "passes", "pass")
        case "fail":
            return counted(n, "fails", "fail")
        case _:
            return counted(n, "is inconclusive", "are inconclusive")


SCHEMA = 1
"""The version of a gate's JSON."""

INCONCLUSIVE = ("inconclusive", "pass", "fail")
"""What an inconclusive outcome may count as."""

_EXIT_CODES = {"pass": 0, "fail": 1, "inconclusive": 3}


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Displayed):
    """Requirements judged for every candidate.

    Attributes
    ----------
    comparison
        What was judged.
    findings
        One per candidate and requirement.
    inconclusive
        What an inconclusive outcome counts as.
    """

    comparison: Comparison
    findings: tuple[Finding, ...]
    inconclusive: str

    @property
    def passed(self) -> bool:
        """Whether the exit code is 0."""
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """What a program ends with: 0 for a pass, 1 for a fail, 3 if inconclusive.

        An inconclusive gate ends with 0 or 1 where ``inconclusive`` makes it a pass or a fail.
        """
        outcome = self.outcome
        return _EXIT_CODES[self.inconclusive if outcome == "inconclusive" else outcome]

    def table(self) -> pl.DataFrame:
        """Return the gate, one row per candidate and requirement.

        Returns
        -------
        DataFrame
            ``baseline, system``; ``requirement`` as given, its ``kind``, ``measure`` and
            ``threshold``; ``n_queries, n_changed, delta`` as `Comparison.table` has them;
            ``ci_low, ci_high``, the two-sided interval that decides, and its ``confidence`` (of
            0.90, each end is a one-sided 95 % bound); ``outcome`` and the ``reason`` in words.
        """
        return pl.DataFrame([each.row() for each in self.findings], schema=COLUMNS)

    def to_polars(self) -> pl.DataFrame:
        """Return `table`."""
        return self.table()

    def shown(self) -> Table:
        """Return the gate as people read it: a row per candidate and requirement.

        Of many candidates, what fails comes first, then what is inconclusive, and of each the best
        candidate first.
        """
        rows = tuple(
            (
                each.difference.system,
                each.difference.baseline,
                each.requirement.text,
                say(each.outcome),
                say(
                    "{part} of {whole}",
                    part=f"{each.difference.n_changed:,}",
                    whole=f"{each.difference.n_queries:,}",
                ),
                each.change,
                each.interval,
            )
            for each in self.in_order
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
        return Table(headers, rows, numeric=frozenset({4, 5}))

    @text_export(".md", ".markdown")
    def to_markdown(self) -> str:
        """Return headline, reasons, table and cautions as Markdown, for a pull request.

        Like `to_latex`, `to_junit` and `to_json`, it writes a file if given a path.
        """
        parts = [f"**{markdown(self.headline)}**", markdown(self.met)]
        for each in self.detailed:
            parts.append(markdown(say("{pair}:", pair=each.against)))
            parts.append("\n".join(f"- {markdown(_sentence(found))}" for found in each.findings))
        parts += [self.shown().to_markdown(), *map(markdown, self._notes)]
        warnings = [say("Warning: {caution}", caution=each) for each in self.comparison.cautions]
        parts.append("\n".join(f"- {markdown(each)}" for each in warnings))
        return "\n\n".join(filter(None, parts)) + "\n"

    @text_export(".xml")
    def to_junit(self) -> str:
        """Return the gate as JUnit XML: a suite per candidate, a case per requirement.

        The format knows no third outcome: a case that is inconclusive is skipped, with the reason
        as its message, and a failure where inconclusive counts as a fail.
        """
        return junit(
            "rankreport gate",
            [
                Suite(each.against, tuple(map(self._case, each.findings)))
                for each in self.candidates
            ],
        )

    @text_export(".json")
    def to_json(self) -> str:
        """Return the gate's figures unrounded, as JSON; ``schema`` tells its version.

        The ends of intervals that are open are the texts ``"inf"`` and ``"-inf"``.
        """
        data = {
            "schema": SCHEMA,
            "outcome": self.outcome,
            "passed": self.passed,
            "exit_code": self.exit_code,
            "inconclusive": self.inconclusive,
            "interval": self.comparison.interval,
            "correction": self.comparison.correction,
            "confidence": self.comparison.confidence,
            "resamples": self.comparison.resamples,
            "seed": self.comparison.seed,
            "requirements": self.table().to_dicts(),
            "cautions": list(self.comparison.cautions),
        }
        return json_of(plain(data))

    def __repr__(self) -> str:
        """Return headline and reasons for a terminal; of many candidates, the table too."""
        parts = [visible(self.headline), visible(self.met)]
        for each in self.detailed:
            lines = [each.against, *(f"  {_sentence(found)}" for found in each.findings)]
            parts.append("\n".join(map(visible, lines)))
        parts.append(text_of([self.shown()]) if self.is_many else "")
        return "\n\n".join(filter(None, [*parts, *map(visible, self._notes)]))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter picks from what it is given
        html = [
            paragraph_html("", bold=self.headline),
            paragraph_html(self.met),
            self.shown().to_html(),
        ]
        latex = [f"\\textbf{{{tex(self.headline)}}}", tex(self.met), self.shown().to_latex()]
        return {
            "text/plain": repr(self),
            "text/html": "\n".join(filter(None, html)),
            "text/latex": "\n\n".join(filter(None, latex)),
        }

    @property
    def _notes(self) -> list[str]:
        made = interval_made_by(_corrected(self.comparison).method)
        if len(self.candidates) == 1:
            return [made]
        if self.comparison.correction != "none":
            return [
                made,
                say(
                    "Intervals hold simultaneously for all {candidates}.",
                    candidates=self.n_in_words,
                ),
            ]
        n = len(self.candidates)
        if self.comparison.one_baseline is None:
            alone = say("Intervals are not corrected for making {n} comparisons.", n=n)
        else:
            alone = say("Intervals are not corrected for comparing {n} candidates.", n=n)
        return [made, alone]

    def _case(self, finding: Finding) -> Case:
        fails = finding.outcome == "fail" or (
            finding.outcome == "inconclusive" and self.inconclusive == "fail"
        )
        otherwise: Ended = "passed" if finding.outcome == "pass" else "skipped"
        required = finding.requirement
        return Case(required.text, required.kind, "failure" if fails else otherwise, finding.reason)

    @property
    def outcome(self) -> Outcome:
        """The worst of all: ``"fail"``, else ``"inconclusive"``, else ``"pass"``."""
        return worst(self.findings)

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Every pair of the comparison, in its order, with what was found of it."""
        return candidates_of(self.findings)

    @property
    def leading(self) -> Candidate:
        """The candidate that the comparison's verdict is on."""
        pair = self.comparison.leading()
        return next(each for each in self.candidates if each.pair == pair)

    @property
    def is_many(self) -> bool:
        """Whether there are too many candidates to describe each."""
        return len(self.comparison.pairs) > FEW_PAIRS

    @property
    def detailed(self) -> tuple[Candidate, ...]:
        """The candidates described in sentences: all, or of many the leading one."""
        return (self.leading,) if self.is_many else self.candidates

    @property
    def headline(self) -> str:
        """The outcome in a sentence; of several requirements, how many ended in which way."""
        n_pairs, n = len(self.comparison.pairs), len(self.findings)
        if n == 1:
            return say("{outcome}.", outcome=self._in_words)
        fields = {
            "outcome": self._in_words,
            "requirements": counted(n // n_pairs, "requirement", "requirements"),
            "tally": tally(self.findings),
        }
        if n_pairs == 1:
            return say("{outcome}: of {requirements}, {tally}.", **fields)
        return say(
            "{outcome}: of {requirements} for each of {candidates}, {tally}.",
            **fields,
            candidates=self.n_in_words,
        )

    @property
    def in_short(self) -> str:
        """The outcome, and before it that of the leading candidate where it may be another."""
        if self.outcome == "pass" or len(self.candidates) == 1:
            return self.headline
        leading = say(
            "{summary}; of {candidates}, {meeting}.",
            summary=candidate_summary(self.leading),
            candidates=self.n_in_words,
            meeting=meeting(self.candidates),
        )
        fields = {"outcome": self._in_words, "candidates": self.n_in_words}
        if self.outcome == "inconclusive" and self.inconclusive == "pass":
            return paragraph(leading, say("{outcome}.", outcome=self._in_words))
        return paragraph(leading, say("{outcome}: all {candidates} must pass.", **fields))

    @property
    def met(self) -> str:
        """Which of many candidates meet every requirement, in a sentence; empty of few."""
        if not self.is_many:
            return ""
        fields = {"candidates": self.n_in_words, "meeting": meeting(self.candidates)}
        names = [each.name for each in self._best_first if each.outcome == "pass"]
        if not names:
            return say("Of {candidates}, {meeting}.", **fields)
        if len(names) > _NAMED:
            names[_NAMED:] = [say("and {n} more", n=len(names) - _NAMED)]
        return say("Of {candidates}, {meeting}: {names}.", **fields, names=strung(names))

    @property
    def n_in_words(self) -> str:
        """How many candidates there are; of several baselines, how many comparisons."""
        n = len(self.comparison.pairs)
        if self.comparison.one_baseline is None:
            return counted(n, "comparison", "comparisons")
        return counted(n, "candidate", "candidates")

    @property
    def in_order(self) -> Sequence[Finding]:
        """All findings; of many candidates the worst outcomes first, and then the best systems."""
        if not self.is_many:
            return self.findings
        best_first = [found for each in self._best_first for found in each.findings]
        return sorted(best_first, key=lambda found: -WORST_LAST.index(found.outcome))

    @property
    def _best_first(self) -> list[Candidate]:
        """The candidates in the order in which the comparison shows many pairs."""
        comparison = self.comparison
        rows = comparison.best_first(comparison.uncautioned)
        decisive = rows.filter(pl.col(MEASURE) == str(comparison.primary))
        known = {each.pair: each for each in self.candidates}
        return [known[Pair(*pair)] for pair in decisive.select(BASELINE, SYSTEM).iter_rows()]

    @property
    def _in_words(self) -> str:
        match self.outcome, self.inconclusive:
            case "pass", _:
                return say("The gate passes")
            case "fail", _:
                return say("The gate fails")
            case _, "pass":
                return say("The gate is inconclusive, which counts as a pass")
            case _, "fail":
                return say("The gate is inconclusive, which counts as a fail")
            case _:
                return say("The gate is inconclusive")


FORMATS: Mapping[str, Format] = {
    ".md": Format(lambda made, path: made.to_markdown(path), "for a pull request"),
    ".xml": Format(lambda made, path: made.to_junit(path), "JUnit"),
    ".json": Format(lambda made, path: made.to_json(path)),
}
"""How the outcome of a gate is written, by suffix."""


def gate(
    comparison: Comparison,
    requirements: str | Iterable[str],
    *,
    inconclusive: str = "inconclusive",
) -> Gate:
    """Judge whether every candidate of a comparison meets requirements.

    Parameters
    ----------
    comparison
        Of one or more candidates with a baseline.
    requirements
        One or several, of mean differences (system minus baseline), never of levels:
        ``"nDCG@10 > -0.01"``, it may fall by at most so much (non-inferiority); ``"RR@10 > 0"``, it
        must rise (superiority); ``"abs(AP) < 0.02"``, it may change by less than that either way
        (equivalence). ``<`` is the mirror image, ``>=`` and ``<=`` are as ``>`` and ``<``. A
        threshold of a quarter of the measure's range or more is refused: it looks like a level.
    inconclusive
        What an inconclusive outcome counts as for the exit code: ``"inconclusive"`` (3), ``"pass"``
        (0) or ``"fail"`` (1).

    Returns
    -------
    Gate
        A requirement passes where the interval lies wholly on the right side of the threshold,
        fails where it lies wholly on the wrong one, and is inconclusive otherwise. The interval is
        of the comparison's kind, and holds for all candidates at once as the comparison's do. For
        superiority it is two-sided at the comparison's confidence, as the verdict's is (but of this
        measure alone, where the comparison corrects across measures); for non-inferiority
        one-sided; for equivalence there are two one-sided ones. With fewer than 10 changed queries
        nothing is superior and nothing fails; where none changed, non-inferiority and equivalence
        hold.

    Raises
    ------
    MeasureError
        If a requirement names no measure.
    OptionError
        If there is no requirement, one cannot be read, has a threshold that no difference can be
        held against, names a measure that was not evaluated, or is given twice; or if the
        comparison's confidence is 0.5 or less, at which no one-sided interval can be had.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(40)}
    >>> right, wrong = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
    >>> old = {f"q{i}": right if i % 2 == 0 else wrong for i in range(40)}
    >>> new = {f"q{i}": right for i in range(40)}
    >>> comparison = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, ["RR"]))
    >>> gate(comparison, ["RR > -0.01", "RR > 0"])  # doctest: +ELLIPSIS
    The gate passes: of 2 requirements, 2 pass.
    <BLANKLINE>
    new against old
      passes: RR may fall by at most 0.01; it changed by +0.250 (one-sided 95 % lower bound +0.183).
      passes: RR must rise; it changed by +0.250 (95 % interval +0.169 to +0.331).
    <BLANKLINE>
    Intervals: ...
    """
    expect(comparison, (Comparison,), "gate() takes what compare() returns")
    choose("inconclusive", inconclusive, INCONCLUSIVE)
    if comparison.confidence <= 0.5:
        raise OptionError(
            f"confidence={comparison.confidence} allows no one-sided interval; compare with more "
            f"than 0.5, such as 0.95."
        )
    required = read_requirements(requirements, comparison.evaluation)
    findings = tuple(_findings(_corrected(comparison), required))
    return Gate(comparison, findings, inconclusive)


def _corrected(comparison: Comparison) -> Comparison:
    """Return the comparison as it is judged: corrected for candidates, and not for requirements."""
    if comparison.across == "systems":
        return comparison
    return replace(comparison, across="systems")


def _findings(comparison: Comparison, required: Sequence[Requirement]) -> Iterable[Finding]:
    """Judge each requirement for each pair, from as many intervals as there are levels."""
    levels = dict.fromkeys(each.level(comparison.confidence) for each in required)
    ends = {
        level: {
            (baseline, system, measure): (low, high)
            for baseline, system, measure, _, low, high in comparison.intervals(
                [comparison.interval], level
            ).iter_rows()
        }
        for level in levels
    }
    found = {(each.baseline, each.system, each.measure): each for each in comparison.found}
    for pair in comparison.pairs:
        for each in required:
            at = (*pair, str(each.measure))
            yield Finding(each, found[at], *ends[each.level(comparison.confidence)][at])


def _sentence(finding: Finding) -> str:
    return say("{reason}.", reason=finding.reason)


_NAMED = 10
"""The most candidates named."""
