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

import reprlib
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from rankreport.shown_addresses import shown_address, without_passwords


class RankReportError(Exception):
    """Base class of all errors of rankreport.

    Addresses in a message are shown without passwords: lines of data hold some too.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(without_passwords(a) if isinstance(a, str) else a for a in args))


class DataError(RankReportError, ValueError):
    """A source that cannot be read, or rows that cannot be evaluated."""


class SwappedError(DataError):
    """A source that holds rows of another kind, as where judgments and a run are swapped."""


class SubtopicsError(DataError):
    """Judgments of subtopics were read as others: a document occurs once for each of its own."""


class EmptyError(DataError):
    """A source without rows."""


class MeasureError(RankReportError, ValueError):
    """An unknown measure, or an unknown or invalid parameter of a measure."""


class OptionError(RankReportError, ValueError):
    """An invalid value of an option, or contradicting options."""


class OutputError(RankReportError, OSError):
    """A result that cannot be written."""


NOT_UTF8 = "is not UTF-8 text. Convert it (Excel: 'CSV UTF-8'): iconv -f latin1 -t utf8 FILE > NEW."
"""What is wrong with a file in another encoding, such as Latin-1, and what to do."""


_BRIEF = reprlib.Repr()
_BRIEF.maxlevel = 2
_BRIEF.maxdict = _BRIEF.maxlist = _BRIEF.maxtuple = _BRIEF.maxset = _BRIEF.maxfrozenset = 6
_BRIEF.maxstring = _BRIEF.maxother = _BRIEF.maxlong = 200


def brief(value: object) -> str:
    """Return a value as Python writes it, for messages: of containers only what comes first.

    >>> brief("ndcg"), brief([[[["d1"]]]]), brief(list(range(9)))
    ("'ndcg'", '[[[...]]]', '[0, 1, 2, 3, 4, 5, ...]')
    """
    if isinstance(value, str):
        value = without_passwords(value)  # of which a cut might leave a part
    try:
        return _BRIEF.repr(value)
    except (RecursionError, ValueError):  # of types of one's own, and of numbers of many digits
        return f"a value of type {type(value).__name__}"


def suggestion(word: str, known: Iterable[str], *, lenient: bool = True) -> str:
    """Return a sentence that suggests the known word of which this is a typo, or lists all of them.

    Parameters
    ----------
    word, known
        The word, and those that are known.
    lenient
        Whether the beginning of a word, or another letter in one of three, is a typo of it too.

    Examples
    --------
    >>> suggestion("ndgc", ["ndcg", "map"]), suggestion("percentil", ["percentile", "bca"])
    ("Did you mean 'ndcg'?", "Did you mean 'percentile'?")
    >>> suggestion("zzz", ["ndcg", "map"])
    'Known: map, ndcg.'
    """
    names, typed = list(known), word.casefold()
    by_folded = {name.casefold(): name for name in reversed(names)}  # the first one wins
    least = 0.6 if len(typed) < 5 else 0.75
    for near in get_close_matches(typed, by_folded, n=max(len(by_folded), 1), cutoff=least):
        short, long = sorted((typed, near), key=len)
        n_other = len(long) - (Counter(short) & Counter(long)).total()
        allowed = max(lenient or (len(short), len(long)) != (3, 3), len(long) // 4)
        is_begun = lenient and long.startswith(short) and len(long) < 2 * len(short)
        is_begun = is_begun and not long.startswith("_", len(short))  # a word more
        if n_other <= allowed or is_begun:
            return f"Did you mean {by_folded[near]!r}?"
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
    if isinstance(value, int) and float in kinds and abs(value) > sys.float_info.max:
        raise OptionError(f"{words}; found an integer that no float holds.")


def check_one_run(n_repeats: Mapping[str, int], what: str) -> None:
    """Check that no system has several runs.

    Raises
    ------
    OptionError
        If one has, saying `what` cannot carry them.
    """
    for system, n in n_repeats.items():
        raise OptionError(
            f"{what} takes one run of each system, and {system!r} has {n}. Give one run of each, "
            f"or each run a name of its own."
        )


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
    if isinstance(value, str) and value in choices:
        return value
    near = suggestion(value if isinstance(value, str) else brief(value), choices)
    hint = f" {near}" if near.startswith("Did") else ""
    found = shown_address(value) if isinstance(value, str) else value
    raise OptionError(
        f"{option}={brief(found)} is not one of {', '.join(map(repr, choices))}.{hint}"
    )
