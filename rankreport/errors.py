"""Errors for users: each message says what was expected, what was found and what to do.

    RankReportError
    ├── DataError          a source cannot be read, or has rows that cannot be evaluated
    ├── MeasureError       an unknown measure or parameter of a measure
    ├── OptionError        an invalid value of an option, or contradicting options
    └── OutputError        a result cannot be written

``DataError``, ``MeasureError`` and ``OptionError`` are also ``ValueError``, ``OutputError`` is also
``OSError``, so they can be caught as built-in errors.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from rankreport.addresses import shown_address

__all__ = [
    "NOT_UTF8",
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
    """Base class of all errors of rankreport."""


class DataError(RankReportError, ValueError):
    """A source that cannot be read, or rows that cannot be evaluated."""


class MeasureError(RankReportError, ValueError):
    """An unknown measure, or an unknown or invalid parameter of a measure."""


class OptionError(RankReportError, ValueError):
    """An invalid value of an option, or contradicting options."""


class OutputError(RankReportError, OSError):
    """A result that cannot be written."""


NOT_UTF8 = "is not UTF-8 text. Convert it first (iconv -f latin1 -t utf-8, for instance)."
"""What is wrong with a file in another encoding, such as Latin-1, and what to do."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return a sentence that suggests the known word closest to ``word``, or lists all of them.

    >>> suggestion("ndgc", ["ndcg", "map"])
    "Did you mean 'ndcg'?"
    >>> suggestion("zzz", ["ndcg", "map"])
    'Known: map, ndcg.'
    """
    names = list(known)
    by_folded = {name.casefold(): name for name in reversed(names)}  # the first one wins
    near = get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    if near:
        return f"Did you mean {by_folded[near[0]]!r}?"
    return f"Known: {', '.join(sorted(set(names)))}."


def expect(value: object, kinds: tuple[type, ...], words: str) -> None:
    """Check the type of a value.

    Raises
    ------
    OptionError
        If the type is wrong. ``words`` say what was expected.

    >>> expect("old.run", (str,), "compare() takes a name")
    """
    if not isinstance(value, kinds):
        raise OptionError(f"{words}; found {type(value).__name__}.")


def check_confidence(confidence: float) -> None:
    """Check that a confidence lies between 0 and 1.

    Raises
    ------
    OptionError
        If it does not.

    >>> check_confidence(0.95)
    """
    expect(confidence, (int, float), "confidence takes a number between 0 and 1, such as 0.95")
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} must lie between 0 and 1, such as 0.95.")


def choose(option: str, value: str, known: Iterable[str]) -> str:
    """Return ``value`` if it is one of the known values.

    Raises
    ------
    OptionError
        Otherwise. The message names the option and suggests the closest known value.

    >>> choose("ties", "trec", ["trec", "input"])
    'trec'
    """
    choices = tuple(known)
    if value in choices:
        return value
    near = suggestion(str(value), choices)
    hint = f" {near}" if near.startswith("Did") else ""
    found = shown_address(value) if isinstance(value, str) else value
    raise OptionError(f"{option}={found!r} is not one of {', '.join(map(repr, choices))}.{hint}")
