"""The errors a user can meet, each saying what was expected, what was found and what to do.

    RankReportError
    ├── DataError          a source cannot be read, or holds rows that no evaluation can use
    ├── MeasureError       a measure or one of its parameters is not known
    ├── OptionError        an option has a value it cannot take, or options contradict each other
    └── OutputError        a result cannot be written where it was asked to be

``DataError``, ``MeasureError`` and ``OptionError`` are ``ValueError`` too, ``OutputError`` is an
``OSError``, so code that knows nothing of rankreport can still catch them by their kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "DataError",
    "MeasureError",
    "OptionError",
    "OutputError",
    "RankReportError",
    "check_confidence",
    "choose",
    "expect",
    "suggestion",
]


class RankReportError(Exception):
    """Whatever rankreport refuses to do, and why."""


class DataError(RankReportError, ValueError):
    """A source that cannot be read, or rows that no evaluation can use."""


class MeasureError(RankReportError, ValueError):
    """A measure that is not known, or a parameter it does not have."""


class OptionError(RankReportError, ValueError):
    """An option with a value that it cannot take."""


class OutputError(RankReportError, OSError):
    """A result that cannot be written where it was asked to be."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return a sentence that offers the known word nearest to ``word``, or lists them all.

    >>> suggestion("ndgc", ["ndcg", "map"])
    "Did you mean 'ndcg'?"
    >>> suggestion("zzz", ["ndcg", "map"])
    'Known: map, ndcg.'
    """
    names = list(known)
    by_folded = {name.casefold(): name for name in reversed(names)}  # the first of them wins
    near = get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    if near:
        return f"Did you mean {by_folded[near[0]]!r}?"
    return f"Known: {', '.join(sorted(set(names)))}."


def expect(value: object, kinds: tuple[type, ...], words: str) -> None:
    """Refuse a value of another kind.

    Raises
    ------
    OptionError
        Saying in ``words`` what was expected, and what was found.

    >>> expect("old.run", (str,), "compare() takes a name")
    """
    if not isinstance(value, kinds):
        raise OptionError(f"{words}; found {type(value).__name__}.")


def check_confidence(confidence: float) -> None:
    """Refuse what is no confidence of an interval.

    Raises
    ------
    OptionError
        Unless it lies between 0 and 1.

    >>> check_confidence(0.95)
    """
    expect(confidence, (int, float), "confidence takes a number between 0 and 1, such as 0.95")
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} must lie between 0 and 1, such as 0.95.")


def choose(option: str, value: str, known: Iterable[str]) -> str:
    """Return ``value`` if it is one of the known ones.

    Raises
    ------
    OptionError
        Otherwise, naming the option and the nearest known value.

    >>> choose("ties", "trec", ["trec", "input"])
    'trec'
    """
    choices = tuple(known)
    if value in choices:
        return value
    near = suggestion(str(value), choices)
    hint = f" {near}" if near.startswith("Did") else ""
    raise OptionError(f"{option}={value!r} is not one of {', '.join(map(repr, choices))}.{hint}")
