"""The language that a report speaks: English as it stands in the code, others from a catalogue.

A message is its English text, with named fields in braces. Another language is one file,
``templates/language/<code>.toml``, that gives each message in its own words; what it lacks is said
in English. The language is that of the context: a comparison knows nothing of it, and whoever
writes a page chooses.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from rankreport.errors import choose

__all__ = ["ENGLISH", "catalogue", "languages", "say", "speaking", "spoken"]

ENGLISH = "en"

_spoken: ContextVar[str] = ContextVar("rankreport_language", default=ENGLISH)


def say(message: str, **fields: object) -> str:
    """Return a message in the language of the context, its fields filled in.

    >>> say("{n} queries changed", n=3)
    '3 queries changed'
    >>> with speaking("zh"):
    ...     say("Better")
    '更好'
    """
    words = message if _spoken.get() == ENGLISH else catalogue(_spoken.get()).get(message, message)
    return words.format(**fields) if fields else words


def spoken() -> str:
    """Return the code of the language of the context.

    >>> spoken()
    'en'
    """
    return _spoken.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language within the block.

    Raises
    ------
    OptionError
        If there is no catalogue of it.
    """
    token = _spoken.set(choose("language", language, languages()))
    try:
        yield
    finally:
        _spoken.reset(token)


def languages() -> tuple[str, ...]:
    """Return the codes of the languages that there are catalogues of, English first.

    >>> languages()[0]
    'en'
    """
    return (ENGLISH, *sorted(path.stem for path in _folder().glob("*.toml")))


@functools.cache
def catalogue(language: str) -> Mapping[str, str]:
    """Return every message of a language by its English text."""
    tables = tomllib.loads((_folder() / f"{language}.toml").read_text(encoding="utf-8"))
    return {english: words for table in tables.values() for english, words in table.items()}


def _folder() -> Path:
    package = Path(__file__).parents[1]
    inside = package / "templates"
    return (inside if inside.is_dir() else package.parent / "templates") / "language"
