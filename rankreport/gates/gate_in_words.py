"""Gates in words: the outcome, which candidates meet the requirements, and why others do not."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.comparison import Judgments, Method
from rankreport.gates.exit_codes import counted_outcome
from rankreport.gates.findings_in_words import tally
from rankreport.gates.values import (
    GateValues,
    best_candidates_first,
    detailed_candidates,
    has_many_candidates,
    verdict,
)
from rankreport.statistics import MIN_CHANGED
from rankreport.tables import Sentences
from rankreport.text import counted, first_of, listed, paragraph, say

_CANDIDATES_NAMED = 10
"""The most candidates named."""


def headline_of(self: GateValues) -> str:
    """Return the outcome in a sentence, with counts if there are several requirements."""
    n_pairs, n, outcome = len(self.comparison.pairs), len(self.findings), _outcome_in_words(self)
    if n == 1:
        return say("{outcome}.", outcome=outcome)
    requirements = counted(n // n_pairs, "requirement", "requirements")
    candidates = _candidates_in_words(self)
    what = candidates if n_pairs > 1 else requirements
    if n > n_pairs > 1:
        fields = {"requirements": requirements, "candidates": candidates}
        what = say("{requirements} for each of {candidates}", **fields)
    ended = tally(self.findings)
    return say("{outcome}: of {what}, {tally}.", outcome=outcome, what=what, tally=ended)


def _outcome_in_words(self: GateValues) -> str:
    match self.outcome, counted_outcome(self):
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


def _candidates_in_words(self: GateValues) -> str:
    """Return the number of candidates, or of comparisons if there are several baselines."""
    n = len(self.comparison.pairs)
    if len(self.comparison.baselines) > 1:
        return counted(n, "comparison", "comparisons")
    return counted(n, "candidate", "candidates")


def answer_of(self: GateValues) -> Iterable[Sentences]:
    """Yield outcome, action, and the reasons of candidates, with segments that differ too much."""
    decision = verdict(self).decision
    yield Sentences(bold=headline_of(self))
    yield from (Sentences([text]) for text in (self.action, passing_of_many(self)) if text)
    for each in detailed_candidates(self):
        reasons = [say("{reason}.", reason=found.reason) for found in each.findings]
        segments = [
            say("{title}: {systems}.", title=title, systems=text)
            for _, title, text in decision.pairs[each.pair].segments_in_words()
        ]
        yield Sentences([*reasons, *segments], bold=each.against, listed=True)


def shortcomings_of(self: GateValues) -> list[str]:
    """Return why requirements are not met, of the candidates that are described, in sentences."""
    return [
        found.shortcoming(candidate.name)
        for candidate in detailed_candidates(self)
        for found in candidate.findings
        if found.outcome != "pass"
    ]


def passing_of_many(self: GateValues) -> str:
    """Return which of many candidates meet the requirements, in a sentence; empty for few."""
    words = meeting_in_words(self, _CANDIDATES_NAMED)
    return say("{sentence}.", sentence=words) if has_many_candidates(self) else ""


def meeting_in_words(self: GateValues, most: int) -> str:
    """Return which of several candidates meet the requirements, without a full stop."""
    names = [each.name for each in best_candidates_first(self) if each.outcome == "pass"]
    shown = first_of(names, most) if len(names) > most + 1 else listed(names)
    fields = {"candidates": _candidates_in_words(self), "names": shown}
    if len(names) == 1:
        return say("Of {candidates}, {names} meets the requirements", **fields)
    if names:
        return say("Of {candidates}, {names} meet the requirements", **fields)
    if all(each.outcome == "fail" for each in self.candidates):
        return say("Of {candidates}, none meets the requirements", **fields)
    return say("Of {candidates}, none is shown to meet the requirements", **fields)


def notes_of(self: GateValues) -> list[str]:
    """Return how the intervals were computed, and where judgments come from, in sentences."""
    judged = say(
        "Where a model's judgments are corrected by people's: the wider of the t and the "
        "Cornish-Fisher interval."
    )
    by_both = any(each.judged_by == "both" for each in self.findings)
    sources = Judgments.of(self.comparison).sentences
    return [*_intervals_in_words(self), *([judged] if by_both else ()), *sources]


def _intervals_in_words(self: GateValues) -> list[str]:
    if self.scope == "these":
        return [say("Judged on the observed means of these queries only.")]
    if all(each.decided_by == "identical_results" for each in self.findings):
        return []
    parts = [Method(self.comparison).of_intervals]
    required = [each.requirement for each in self.findings]
    if any(each.allows_for_rare for each in self.findings):
        unallowed = dict.fromkeys(e.difference.measure_shown for e in self.findings if e.unallowed)
        rare = say("The bounds allow for rare failures that these queries do not show.")
        but = say(
            "The bounds allow for rare failures that these queries do not show, but for {these}.",
            these=listed([*unallowed]),
        )
        parts.append(but if unallowed else rare)
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
    if len(self.comparison.pairs) == 1:
        return [made]
    fields = {"candidates": _candidates_in_words(self)}
    if self.comparison.correction != "none":
        return [made, say("Intervals hold simultaneously for all {candidates}.", **fields)]
    return [made, say("Intervals are not corrected for {candidates}.", **fields)]
