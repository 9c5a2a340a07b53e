"""What the first screens of all kinds of report have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from rankreport.comparison import JUDGED_ONLY, WORDS, Difference, Verdict, Word
from rankreport.evaluation import Evaluation, depth_of, least_relevant
from rankreport.frames import SYSTEM
from rankreport.gates import OUTCOME_SIGNS, Gate, Outcome
from rankreport.measures import Measure, Success, is_averaged
from rankreport.reports.page import Badge, Look, Tone
from rankreport.text import Caution, counted, paragraph, percent, say, strung

__all__ = [
    "SHOWN_QUERIES",
    "SIGNS",
    "TONES",
    "badge_of",
    "cautions_shown",
    "early_success",
    "gate_badge",
    "gate_notes",
    "judged_in_words",
    "n_found",
    "queries_in_words",
    "scale_of",
    "tone_of",
]

SHOWN_QUERIES = 3
"""The number of queries listed."""

SIGNS: dict[Word, str] = {
    "better": "▲",
    "worse": "▼",
    "check first": "!",
    "no worse": "≥",
    "equivalent": "≈",
    "inconclusive": "?",
    "unchanged": "=",
}

TONES: dict[Word, Tone] = {"better": "better", "worse": "worse", "check first": "check"}

_PAIR = 2

_MOST = 2
"""The most cautions of each severity, and the most notes."""

_LONGEST = 150
"""The longest text of a note; of longer ones the title is shown."""

_EARLY = 3
"""The number of first documents in which searchers look for a relevant one."""


def tone_of(word: Word) -> Tone:
    """Return how a verdict is drawn."""
    return TONES.get(word, "open")


def badge_of(verdict: Verdict) -> Badge:
    """Return the badge of a verdict."""
    return Badge(SIGNS[verdict.word], say(WORDS[verdict.word]), tone_of(verdict.word))


def gate_badge(gate: Gate) -> Badge:
    """Return the badge of a gate's outcome."""
    words: dict[Outcome, tuple[str, Tone]] = {
        "pass": (say("Gate passes"), "better"),
        "fail": (say("Gate fails"), "worse"),
        "inconclusive": (say("Gate inconclusive"), "open"),
    }
    text, tone = words[gate.outcome]
    return Badge(OUTCOME_SIGNS[gate.outcome], text, tone)


def queries_in_words(n: int) -> str:
    """Return a number of queries with its noun."""
    return counted(n, "query", "queries")


def judged_in_words(evaluation: Evaluation, systems: tuple[str, ...]) -> str:
    """Return where judgments come from, and the shares of judged documents, as far as known."""
    source = evaluation._label_source
    brief = "" if source is None else say("{sentence}.", sentence=source.brief)
    return paragraph(brief, _judged_share(evaluation, systems))


def _judged_share(evaluation: Evaluation, systems: tuple[str, ...]) -> str:
    """Return the shares of judged documents at the top of the lists, or nothing if not known."""
    known = {name: evaluation.judged_share.get(name) for name in systems}
    shares = [share for share in known.values() if share is not None]
    if not shares:
        return ""
    k = depth_of(evaluation.primary)
    low, high = (percent(share, whole=True) for share in (min(shares), max(shares)))
    if low == high:
        return say("Judged in the top {k}: {share}", k=k, share=low)
    if len(shares) == len(known) == _PAIR:
        (one, of_one), (other, of_other) = known.items()
        return say(
            "Judged in the top {k}: {of_one} of {one}, {of_other} of {other}",
            k=k,
            one=one,
            other=other,
            of_one=percent(of_one or 0.0, whole=True),
            of_other=percent(of_other or 0.0, whole=True),
        )
    return say("Judged in the top {k}: {low} to {high}", k=k, low=low, high=high)


def early_success(primary: Measure) -> Measure | None:
    """Return the measure of whether searchers find something at once, in the primary one's terms.

    None where that says nothing about the primary measure.
    """
    if not _is_of_ranks(primary):
        return None
    k = min(primary.k or _EARLY, _EARLY)
    return Success(k=k) if primary.rel is None else Success(k=k, rel=least_relevant(primary))


def n_found(evaluation: Evaluation) -> tuple[int, dict[str, float]] | None:
    """Return in how many queries each system has a relevant document at the very top.

    Returns
    -------
    tuple or None
        The depth, and each system's number of queries; None where that says nothing about the
        primary measure, or a loaded evaluation does not hold it.
    """
    early = early_success(evaluation.primary)
    if early is None or early.k is None or not evaluation._holds([early]):
        return None
    values = evaluation.values([early])
    sums = values.group_by(SYSTEM, maintain_order=True).agg(pl.col(str(early)).sum())
    return early.k, dict(sums.iter_rows())


def _is_of_ranks(measure: Measure) -> bool:
    declared = measure.declaration
    averaged = is_averaged(measure) and declared.better == "high"
    return averaged and declared.rows == "documents" and measure.takes_cutoff


def scale_of(measure: Measure) -> tuple[float, float] | None:
    """Return the range of a measure, or None if it is open."""
    least, most = measure.declaration.range
    return None if least is None or most is None else (float(least), float(most))


_AGREED = {("better", "pass"), ("worse", "fail"), ("inconclusive", "inconclusive")}
"""Verdicts and outcomes of gates that agree; other combinations are explained."""


def gate_notes(gate: Gate, word: Word) -> tuple[str, ...]:
    """Return the outcome of a gate, its requirements, and why it may differ from the verdict."""
    findings = gate._leading.findings
    failed = [found.requirement.text for found in findings if found.outcome == "fail"]
    wanted = failed or [found.requirement.text for found in findings]
    named = wanted[:SHOWN_QUERIES]
    more = len(wanted) - len(named)
    if more:
        named.append(say("{n} more", n=more))
    requirements = strung(named)
    notes = [
        gate._in_short,
        say("Failed: {requirements}.", requirements=requirements)
        if failed
        else say("Required: {requirements}.", requirements=requirements),
    ]
    if word == "check first":
        notes.append(say("The gate counts unjudged documents as not relevant."))
    elif (word, gate._leading.outcome) not in _AGREED:
        notes.append(
            say("The verdict asks whether there is a difference, the gate whether it is allowed.")
        )
    return tuple(notes)


def cautions_shown(cautions: Iterable[Caution], found: Difference | None = None) -> dict[str, Any]:
    """Return the fields of the cautions on the first screen.

    Parameters
    ----------
    cautions
        All cautions, the worst first.
    found
        The difference of the verdict, whose figures on judged documents alone replace the longer
        text of their caution.
    """
    known = list(cautions)
    of = {
        severity: [each for each in known if each.severity == severity]
        for severity in ("stop", "look", "note")
    }
    room = max(0, _MOST - len(of["look"]))
    notes = (
        each.text if len(each.text) <= _LONGEST else _capital(each.title) for each in of["note"]
    )
    return {
        "stops": tuple(Look(_capital(each.title), str(each)) for each in of["stop"][:_MOST]),
        "looks": tuple(_look(each, found) for each in of["look"][:_MOST]),
        "seen": tuple(dict.fromkeys(notes))[:room],
    }


def _brief(caution: Caution) -> str:
    return caution.text if len(caution.text) <= _LONGEST else _capital(caution.title)


def _look(caution: Caution, found: Difference | None) -> Look:
    text = caution.text
    if caution.code == JUDGED_ONLY.code and found is not None and found.on_judged is not None:
        text = say(
            "{system} against {baseline} on judged documents alone: {numbers}.",
            system=found.system,
            baseline=found.baseline,
            numbers=found.on_judged.numbers,
        )
    return Look(_capital(caution.title), text)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
