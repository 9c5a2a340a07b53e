"""What to do about a verdict: the action line, from one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from rankreport.text import say, strung, worst_first

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankreport.comparison.verdict import Difference, Word
    from rankreport.text import Caution

ANY: Final = "any"
"""Matches every value in a row of the table."""

MANY_QUERIES: Final = 1_000
"""With so many queries, an interval may exclude 0 for a difference too small to matter."""

SMALL: Final = 0.01
"""A difference within this share of the measure's scale is small."""

Worst = Literal["stop", "look", "note", "none"]
"""The worst severity of the cautions."""

GateOutcome = Literal["pass", "fail", "inconclusive", "none"]
"""The outcome of the gate for this system."""

Size = Literal["judged", "not judged"]
"""Whether a margin says which size matters, or the difference is too large for it to matter."""


class Situation(NamedTuple):
    """What an action depends on."""

    word: Word
    worst: Worst
    gate: GateOutcome
    size: Size


def situation_of(
    found: Difference, cautions: Iterable[Caution], gate: GateOutcome = "none"
) -> Situation:
    """Return the situation after a comparison.

    Parameters
    ----------
    found
        The difference of the verdict.
    cautions
        What to know before acting on it.
    gate
        The outcome of the gate for the system.
    """
    worst = next(iter(worst_first(cautions)), None)
    return Situation(found.word, "none" if worst is None else worst.severity, gate, _size(found))


def titles_of(cautions: Iterable[Caution], situation: Situation) -> str:
    """Return the titles of the worst cautions, of which a situation is, in a list."""
    worst = [each.title for each in cautions if each.severity == situation.worst]
    return strung([*dict.fromkeys(worst)])


def _size(found: Difference) -> Size:
    if found.margin is not None or found.widest is None or found.n_queries < MANY_QUERIES:
        return "judged"
    if found.ci_low is None or found.ci_high is None:
        return "judged"
    small = max(abs(found.ci_low), abs(found.ci_high)) <= SMALL * found.widest
    return "not judged" if small else "judged"


def action(situation: Situation, *, system: str, baseline: str, cautions: str = "") -> str:
    """Return what to do, in a sentence: that of the first matching row of `ACTIONS`.

    Parameters
    ----------
    situation
        What it depends on.
    system, baseline
        The names in the sentence.
    cautions
        The worst cautions by their titles.

    Examples
    --------
    >>> action(Situation("better", "none", "none", "judged"), system="dense", baseline="bm25")
    'Evidence favours dense: try it live.'
    >>> action(Situation("better", "none", "fail", "judged"), system="dense", baseline="bm25")
    'dense is better, but fails the gate: do not ship it as it is.'
    """
    message = next(
        message
        for *pattern, message in ACTIONS
        if all(wanted in (ANY, given) for wanted, given in zip(pattern, situation, strict=True))
    )
    return say(message, system=system, baseline=baseline, cautions=cautions)


ACTIONS: Final[tuple[tuple[str, str, str, str, str], ...]] = (
    # verdict, worst caution, gate, size, action
    (ANY, "stop", ANY, ANY, "Check the data before you act on this result."),
    (
        *("check first", ANY, ANY, ANY),
        "Judge the unjudged documents first; keep {baseline} until then.",
    ),
    (
        *("better", ANY, "fail", ANY),
        "{system} is better, but fails the gate: do not ship it as it is.",
    ),
    (
        *("better", ANY, "inconclusive", ANY),
        "{system} is better, but whether it meets the requirements is open: evaluate more queries.",
    ),
    (
        *("better", ANY, ANY, "not judged"),
        "{system} is better by little; whether that matters was not judged: set a margin.",
    ),
    (
        *("better", "look", ANY, ANY),
        "Evidence favours {system}: look at the cautions ({cautions}), then try it live.",
    ),
    ("better", ANY, ANY, ANY, "Evidence favours {system}: try it live."),
    (
        *("worse", ANY, "pass", ANY),
        "{system} is worse, within what the gate allows: ship it only for other gains.",
    ),
    (
        *("worse", ANY, ANY, "not judged"),
        "{system} is worse by little; whether that matters was not judged: set a margin.",
    ),
    (
        *("worse", "look", ANY, ANY),
        "Evidence is against {system}: look at the cautions ({cautions}) before you drop it.",
    ),
    ("worse", ANY, ANY, ANY, "Evidence is against {system}: keep {baseline}."),
    (
        *("no worse", ANY, "fail", ANY),
        "{system} is no worse within the margin, but fails the gate: keep {baseline}.",
    ),
    (
        *("no worse", ANY, ANY, ANY),
        "{system} is no worse within the margin: ship it if that is enough.",
    ),
    (
        *("equivalent", ANY, "fail", ANY),
        "{system} and {baseline} are equivalent, but {system} fails the gate: keep {baseline}.",
    ),
    (
        *("equivalent", ANY, ANY, ANY),
        "{system} and {baseline} are equivalent within the margin: choose on other grounds.",
    ),
    ("unchanged", ANY, ANY, ANY, "No query changed: choose on other grounds."),
    (
        *("inconclusive", ANY, "pass", ANY),
        "No clear difference, and {system} passes the gate: it may replace {baseline}.",
    ),
    (
        *("inconclusive", ANY, "fail", ANY),
        "No clear difference, and {system} fails the gate: keep {baseline}.",
    ),
    (
        *("inconclusive", ANY, ANY, ANY),
        "Not enough evidence either way: keep {baseline}, or evaluate more queries.",
    ),
)
"""Patterns of situations, each with its action; the first that matches counts."""
