"""Counts, lists and sentences, in the current language."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from rankreport.text.language import say, separated


def capital(text: str) -> str:
    """Return a clause as a sentence begins."""
    return text[:1].upper() + text[1:]


def counted(n: int, one: str, many: str) -> str:
    """Format a count with its noun, in the current language.

    The messages are the nouns after ``{n}``, such as ``{n} query`` and ``{n} queries``.

    Examples
    --------
    >>> counted(1, "query", "queries"), counted(7000, "query", "queries")
    ('1 query', '7,000 queries')
    """
    return say(f"{{n}} {one if n == 1 else many}", n=f"{n:,}")


def listed(parts: Sequence[str]) -> str:
    """Join parts to a list with "and".

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    *first, last = parts or [""]
    return say("{some} and {last}", some=comma_separated(first), last=last) if first else last


def comma_separated(parts: Sequence[str]) -> str:
    """Join parts to a list with commas only.

    Examples
    --------
    >>> comma_separated(["a", "b", "c"])
    'a, b, c'
    """
    return separated(", ", parts)


MOST_NAMED = 12
"""The most systems, or segments, named in a sentence where these matter."""


def first_of(parts: Iterable[str], most: int = 5, n: int | None = None) -> str:
    """List the first of some parts, and say how many more there are: of ``n`` if not all are given.

    Examples
    --------
    >>> first_of(["a", "b", "c"], 2), first_of(["a", "b"], n=7)
    ('a, b, and 1 more', 'a, b, and 5 more')
    """
    known = list(parts)
    named = known[:most]
    more = (len(known) if n is None else n) - len(named)
    return comma_separated([*named, say("and {n} more", n=f"{more:,}")] if more > 0 else named)


def with_names(queries: str, named: Sequence[str], n: int) -> str:
    """Return queries that are counted in words, and the first of them by name, if known.

    >>> with_names("7 queries", ["q1", "q2"], 7), with_names("7 queries", [], 7)
    ('7 queries: q1, q2, and 5 more', '7 queries')
    """
    if not named:
        return queries
    return say("{queries}: {named}", queries=queries, named=first_of(named, n=n))


def paragraph(*sentences: str) -> str:
    """Join sentences as the language does, without empty ones.

    Examples
    --------
    >>> paragraph("It is better.", "", "Few queries changed.")
    'It is better. Few queries changed.'
    """
    parts = [each for each in sentences if each]
    return reduce(lambda first, then: say("{first} {then}", first=first, then=then), parts or [""])


def runs_in_words(systems: Sequence[str], n_repeats: Mapping[str, int]) -> str:
    """Return how often each of some systems ran.

    >>> runs_in_words(["a", "b"], {"a": 3, "b": 3}), runs_in_words(["a", "b"], {"a": 3})
    ('3 runs of each system', '3 runs of a, 1 of b')
    """
    n = [n_repeats.get(system, 1) for system in systems]
    if len(set(n)) == 1:
        return say("{n} runs of each system", n=n[0])
    named = sorted(zip(n, systems, strict=True), key=lambda each: -each[0])
    first = say("{n} runs of {system}", n=named[0][0], system=named[0][1])
    others = [say("{n} of {system}", n=n, system=system) for n, system in named[1:]]
    return comma_separated([first, *others])
