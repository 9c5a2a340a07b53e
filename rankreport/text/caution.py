"""Cautions: what to know before acting on a result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from rankreport.text.language import in_current_language, say
from rankreport.text.sentences import comma_separated, counted, first_of, listed, paragraph

Severity = Literal["stop", "look", "note"]
"""How serious a caution is."""

SEVERITIES: Final[Mapping[Severity, str]] = MappingProxyType(
    {"stop": "Stop", "look": "Look", "note": "Note"}
)
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
    line
        Code that does it, which pages for those who do not program leave out; may be empty.
    concerns
        The systems it concerns: each entry holds a system, or a pair of them. Empty if all.
    counts
        How many queries, documents or rows of each of them, where they are counted.
    """

    code: str
    severity: Severity
    text: str
    title: str = ""
    count: int | None = None
    examples: tuple[str, ...] = ()
    remedy: str = ""
    line: str = ""
    concerns: tuple[tuple[str, ...], ...] = ()
    counts: tuple[int, ...] = ()

    def __repr__(self) -> str:
        """Return it in words, after its severity."""
        return f"<{labelled(self)}>"

    def __str__(self) -> str:
        """Return the text, the remedy and its code, without the severity."""
        return paragraph(self.in_words, say("Code: {line}", line=self.line) if self.line else "")

    @property
    def in_words(self) -> str:
        """The text and the remedy."""
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


class Concerned(NamedTuple):
    """A system, a pair of systems, or the judgments, that a finding is about.

    Attributes
    ----------
    systems
        The system; of a pair, the baseline and the system; none of the judgments.
    what
        What was found of it, in a few words; may be empty.
    n
        How many queries, documents or rows that is, if they are counted.
    severity
        How serious it is.
    examples
        The first of them, by name.
    """

    systems: tuple[str, ...]
    what: str = ""
    n: int | None = None
    severity: Severity = "look"
    examples: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The system, or the system and its baseline, in words."""
        match self.systems:
            case baseline, system:
                return say("{system} against {baseline}", system=system, baseline=baseline)
            case (system,):
                return system
            case _:
                return say("the judgments")

    @property
    def shown(self) -> str:
        """The name, with what was found in brackets."""
        return say("{name} ({what})", name=self.name, what=self.what) if self.what else self.name


class CautionKind(NamedTuple):
    """A kind of caution: what all cautions of a code have in common.

    Attributes
    ----------
    code, title, remedy
        As of `Caution`, untranslated.
    sentence
        The text, untranslated, if it is the same for all but its fields.
    """

    code: str
    title: str
    remedy: str = ""
    sentence: str = ""

    def caution(
        self,
        severity: Severity,
        text: str = "",
        *,
        count: int | None = None,
        examples: Iterable[str] = (),
        concerns: Iterable[Iterable[str]] = (),
        counts: Iterable[int] = (),
        remedy: str = "",
        line: str = "",
        **fields: Any,
    ) -> Caution:
        """Return a caution of this kind, in the current language; the remedy may be another.

        Without a text, it says its sentence with these fields.
        """
        return Caution(
            self.code,
            severity,
            text or say(self.sentence, **fields),
            say(self.title),
            count,
            tuple(islice(examples, _EXAMPLES)),
            remedy or (say(self.remedy) if self.remedy else ""),
            line,
            tuple(map(tuple, concerns)),
            tuple(counts),
        )

    def of_count(
        self, severity: Severity, n: int, examples: Iterable[str] = (), **fields: Any
    ) -> Iterator[Caution]:
        """Yield a caution on so many, with its sentence, unless there are none."""
        if n:
            yield self.caution(severity, count=n, examples=examples, n=f"{n:,}", **fields)

    def of_each(
        self, found: Iterable[Concerned], remedy: str = "", **fields: Any
    ) -> Iterator[Caution]:
        """Yield a caution for each severity that occurs, with all systems or pairs of it.

        The examples are those of one system alone, or else the names of several.

        Parameters
        ----------
        found
            What the finding is about.
        remedy
            What to do, where it is not the usual remedy.
        fields
            The other fields of its sentence.

        Examples
        --------
        >>> kind = CautionKind("few_judged", "few judged", sentence="Few are judged: {systems}.")
        >>> print(*kind.of_each([Concerned(("a",), "12 %"), Concerned(("b",), "40 %")]))
        Few are judged: a (12 %), b (40 %).
        """
        every = list(found)
        for severity in SEVERITIES:
            some = [each for each in every if each.severity == severity]
            if some:
                alone = some[0].examples if len(some) == 1 else ()
                yield self.caution(
                    severity,
                    systems=first_of(_merged(some)),
                    count=sum(1 if each.n is None else each.n for each in some),
                    examples=alone or [each.name for each in some],
                    concerns=known if all(known := [each.systems for each in some]) else (),
                    counts=[each.n for each in some if each.n is not None],
                    remedy=remedy,
                    **fields,
                )


def _merged(found: Iterable[Concerned]) -> Iterator[str]:
    """Yield the names of those of which the same was found, with what that is."""
    alike: dict[str, list[Concerned]] = {}
    for each in found:
        alike.setdefault(each.what or each.name, []).append(each)
    for some in alike.values():
        if len(some) > 1:
            names = [each.name for each in some]
            shown = listed(names) if len(names) <= _EXAMPLES else first_of(names)
            yield say("{names} (each {what})", names=shown, what=some[0].what)
        else:
            yield some[0].shown


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


def labelled(caution: Caution, *, code: bool = True) -> str:
    """Return a caution after its severity; a note without code is without its remedy too.

    >>> labelled(Caution("unanswered", "look", "a answered 3 of 9 queries."))
    'Look: a answered 3 of 9 queries.'
    """
    full = caution if code else caution.in_words
    words = caution.text if caution.severity == "note" and not caution.line else full
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
