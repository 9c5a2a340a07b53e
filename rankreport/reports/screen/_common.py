"""What the first screens of all kinds of report have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from rankreport.comparison import JUDGED_ONLY, WORDS, Comparison, Difference, Verdict, Word
from rankreport.evaluation import Evaluation, depth_of, least_relevant
from rankreport.frames import SYSTEM
from rankreport.gates import OUTCOME_SIGNS, Gate, Outcome
from rankreport.labels import LabelSource
from rankreport.measures import Measure, Success, is_averaged
from rankreport.reports.page import Badge, Look, Tone
from rankreport.text import Caution, counted, paragraph, percent, say, strung, text_width

__all__ = [
    "SHOWN_QUERIES",
    "SIGNS",
    "TONES",
    "badge_of",
    "cautions_shown",
    "early_success",
    "gate_badge",
    "gate_notes",
    "headline_of_data",
    "judged_in_words",
    "n_found",
    "queries_in_words",
    "remedies",
    "scale_of",
    "sums_note",
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

_LONGEST = 80
"""The longest text of a note, in ems; longer ones are only in the section on the data."""

_EARLY = 3
"""The number of first documents in which searchers look for a relevant one."""


def tone_of(word: Word) -> Tone:
    """Return how a verdict is drawn."""
    return TONES.get(word, "open")


def badge_of(verdict: Verdict) -> Badge:
    """Return the badge of a verdict; that of the data if these must be checked first."""
    if headline_of_data(verdict):
        return Badge("!", say("Check the data"), "check")
    return Badge(SIGNS[verdict.word], say(WORDS[verdict.word]), tone_of(verdict.word))


def headline_of_data(verdict: Verdict) -> str:
    """Return the headline where the data must be checked first, otherwise an empty text.

    That nothing changed is a fact, whatever its cause.
    """
    if verdict.word == "unchanged":
        return ""
    stops = [each.title for each in verdict.cautions if each.severity == "stop"]
    return say("No verdict yet: {problem}", problem=stops[0]) if stops else ""


def remedies(cautions: Iterable[Caution]) -> tuple[str, ...]:
    """Return what to do about the cautions to check first."""
    return tuple(each.remedy for each in cautions if each.severity == "stop" and each.remedy)


def sums_note(comparison: Comparison) -> tuple[str, ...]:
    """Return that a page of sums names no query, and where it says what else it does not hold."""
    if not comparison._of_sums:
        return ()
    return (
        say(
            "This page is of sums over the queries and shows no single query: see {section}.",
            section=say("What this page does not hold"),
        ),
    )


def gate_badge(gate: Gate) -> Badge:
    """Return the badge of a gate's outcome; of several candidates, with how many passed.

    The advice is on one of them, which may pass where the gate does not.
    """
    words: dict[Outcome, tuple[str, Tone]] = {
        "pass": (say("Gate passes"), "better"),
        "fail": (say("Gate fails"), "worse"),
        "inconclusive": (say("Gate inconclusive"), "open"),
    }
    text, tone = words[gate.outcome]
    n = len(gate.candidates)
    if n > 1 and gate.outcome != "pass":
        n_passed = sum(each.outcome == "pass" for each in gate.candidates)
        text = say("{outcome}: {n} of {all} passed", outcome=text, n=n_passed, all=n)
    return Badge(OUTCOME_SIGNS[gate.outcome], text, tone)


def queries_in_words(n: int) -> str:
    """Return a number of queries with its noun."""
    return counted(n, "query", "queries")


def judged_in_words(
    evaluation: Evaluation, systems: tuple[str, ...], source: LabelSource | None
) -> str:
    """Return where judgments come from, and the shares of judged documents, as far as known."""
    brief = "" if source is None else say("{sentence}.", sentence=source.brief)
    return paragraph(brief, _judged_share(evaluation, systems))


def _judged_share(evaluation: Evaluation, systems: tuple[str, ...]) -> str:
    """Return the shares of judged documents at the top of the lists, or nothing if not known."""
    if evaluation._caution_inputs["positives_only"]:
        return ""  # the share of judged documents has no meaning there
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
    found: dict[Outcome, list[str]] = {}
    for finding in gate._leading.findings:
        found.setdefault(finding.outcome, []).append(finding.requirement.text)
    titles = {
        "fail": say("Failed: {requirements}.", requirements=_first(found.get("fail", ()))),
        "inconclusive": say(
            "Open: {requirements}.", requirements=_first(found.get("inconclusive", ()))
        ),
        "pass": say("Passed: {requirements}.", requirements=_first(found.get("pass", ()))),
    }
    notes = [gate._in_short, paragraph(*(titles[each] for each in titles if each in found))]
    if word == "check first":
        notes.append(say("The gate counts unjudged documents as not relevant."))
    elif (word, gate._leading.outcome) not in _AGREED:
        notes.append(
            say("The verdict asks whether there is a difference, the gate whether it is allowed.")
        )
    return tuple(notes)


def _first(requirements: Sequence[str]) -> str:
    """Return the first requirements, and how many more there are."""
    named = list(requirements[:SHOWN_QUERIES])
    if len(requirements) > len(named):
        named.append(say("{n} more", n=len(requirements) - len(named)))
    return strung(named)


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
    # Figures of judged documents alone would seem to confirm what the data do not allow.
    looks = [each for each in of["look"] if not of["stop"] or each.code != JUDGED_ONLY.code]
    room = max(0, _MOST - len(looks))
    notes = (each.text for each in of["note"] if text_width(each.text) <= _LONGEST)
    return {
        "stops": tuple(Look(_capital(each.title), str(each)) for each in of["stop"][:_MOST]),
        "looks": tuple(_look(each, found) for each in looks[:_MOST]),
        "seen": tuple(dict.fromkeys(notes))[:room],
    }


def _look(caution: Caution, found: Difference | None) -> Look:
    text = caution.text
    if caution.code == JUDGED_ONLY.code and found is not None and found.on_judged is not None:
        text = _on_judged(found, found.on_judged)
    return Look(_capital(caution.title), text)


def _on_judged(found: Difference, judged: Difference) -> str:
    """Return what the figures on judged documents alone say of those on all documents."""
    fields = {
        "system": found.system,
        "verdict": say(judged.by_interval),
        "numbers": judged.numbers,
    }
    if judged.direction and judged.direction == found.direction:
        return say("On judged documents alone {system} is {verdict} too: {numbers}.", **fields)
    if judged.direction:
        return say("On judged documents alone {system} would be {verdict}: {numbers}.", **fields)
    if found.direction:
        return say("On judged documents alone there is no clear difference: {numbers}.", **fields)
    return say("Nor is there a clear difference on judged documents alone: {numbers}.", **fields)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
