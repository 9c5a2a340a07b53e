"""Cautions: what to know before acting on a result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Final, Literal

from rankreport.text.format import comma_separated, counted, paragraph
from rankreport.text.language import in_current_language, say

Severity = Literal["stop", "look", "note"]
"""How serious a caution is."""

SEVERITIES: Final = MappingProxyType({"stop": "Stop", "look": "Look", "note": "Note"})
"""Each severity with its label, the worst first.

- ``"stop"``: figures may be meaningless, so check before using any of them
- ``"look"``: a figure of the primary measure, or the verdict, may mislead
- ``"note"``: good to know
"""


@dataclass(frozen=True)
class Caution:
    """What to know before acting on a result, and what to do about it.

    Attributes
    ----------
    code
        What it is about, such as ``"unanswered"``; stable, for programs.
    severity
        ``"stop"``, ``"look"`` or ``"note"``.
    text
        What was found, in a sentence.
    title
        The same in a few words, for a cell of a table.
    count
        How many queries, documents, systems or differences it concerns; None where nothing is
        counted.
    examples
        The first of those it concerns, by name.
    remedy
        What to do, in a sentence; may be empty.
    concerns
        The systems it concerns: each entry holds a system, or a pair of them. Empty if all.
    """

    code: str
    severity: Severity
    text: str
    title: str = ""
    count: int | None = None
    examples: tuple[str, ...] = ()
    remedy: str = ""
    concerns: tuple[tuple[str, ...], ...] = ()

    def __str__(self) -> str:
        """Return the text and the remedy, without the severity."""
        return paragraph(self.text, self.remedy)

    def in_current_language(self) -> Caution:
        """Return it in the current language, in whichever it was found."""
        title, text, remedy, *examples = map(
            in_current_language, (self.title, self.text, self.remedy, *self.examples)
        )
        return replace(self, title=title, text=text, remedy=remedy, examples=tuple(examples))

    def is_about(self, systems: Iterable[str]) -> bool:
        """Return whether it concerns a result on these systems.

        >>> caution = Caution("unanswered", "look", "a answered little.", concerns=(("a",),))
        >>> caution.is_about(["a", "b"]), caution.is_about(["b", "c"])
        (True, False)
        """
        known = set(systems)
        return not self.concerns or any(known.issuperset(each) for each in self.concerns)


@dataclass(frozen=True)
class CautionKind:
    """A kind of caution: what all cautions of a code have in common.

    Attributes
    ----------
    code, title, remedy
        As of `Caution`, untranslated.
    """

    code: str
    title: str
    remedy: str = ""

    def caution(
        self,
        severity: Severity,
        text: str,
        *,
        count: int | None = None,
        examples: Iterable[str] = (),
        concerns: Iterable[Iterable[str]] = (),
        remedy: str = "",
    ) -> Caution:
        """Return a caution of this kind, in the current language; the remedy may be another."""
        return Caution(
            self.code,
            severity,
            text,
            say(self.title),
            count,
            tuple(islice(examples, _EXAMPLES)),
            remedy or (say(self.remedy) if self.remedy else ""),
            tuple(map(tuple, concerns)),
        )

    def about(
        self, severity: Severity, text: str, systems: Collection[str], remedy: str = ""
    ) -> Caution:
        """Return a caution of this kind that concerns each of these systems."""
        count, concerns = len(systems), ((system,) for system in systems)
        return self.caution(
            severity, text, count=count, examples=systems, concerns=concerns, remedy=remedy
        )


_EXAMPLES = 5
"""The most examples that a caution names."""


def worst_first(*several: Iterable[Caution]) -> tuple[Caution, ...]:
    """Combine cautions, the worst first, otherwise in the order given.

    >>> known = [Caution("some", "note", "few"), Caution("any", "stop", "all")]
    >>> [each.text for each in worst_first(known, [Caution("other", "stop", "other")])]
    ['all', 'other', 'few']
    """
    order = list(SEVERITIES)
    found = (each for cautions in several for each in cautions)
    return tuple(sorted(found, key=lambda caution: order.index(caution.severity)))


def tallied(cautions: Iterable[Caution]) -> str:
    """Count the cautions of each severity, in words.

    >>> tallied([Caution("some", "note", "few"), Caution("any", "stop", "all")])
    '1 to check first, 1 note'
    """
    n_of = Counter(caution.severity for caution in cautions)
    each: dict[Severity, str] = {
        "stop": say("{n} to check first", n=n_of["stop"]),
        "look": say("{n} to look at", n=n_of["look"]),
        "note": counted(n_of["note"], "note", "notes"),
    }
    return comma_separated([words for severity, words in each.items() if n_of[severity]])


def labelled(caution: Caution) -> str:
    """Return a caution after its severity; a note without its remedy.

    >>> labelled(Caution("unanswered", "look", "a answered 3 of 9 queries."))
    'Look: a answered 3 of 9 queries.'
    """
    words = caution.text if caution.severity == "note" else caution
    return say("{label}: {caution}", label=say(SEVERITIES[caution.severity]), caution=words)


def beside_check(cautions: Iterable[Caution]) -> tuple[str, ...]:
    """Return the cautions that `check_first` leaves out, each after its severity."""
    return tuple(labelled(caution) for caution in cautions if caution.severity != "stop")


def check_first(cautions: Iterable[Caution]) -> str:
    """Return the cautions of severity stop, to be shown before all results; may be empty.

    >>> check_first([Caution("a", "stop", "No run answers."), Caution("b", "note", "few")])
    'Check the data first: No run answers.'
    """
    stops = [str(caution) for caution in cautions if caution.severity == "stop"]
    if not stops:
        return ""
    return say("Check the data first: {cautions}", cautions=paragraph(*stops))
