"""The language that a report speaks: English as it stands in the code, others from a catalogue.

A message is its English text, with named fields in braces. Another language is one file,
``templates/language/<code>.toml``, that gives each message in its own words; what it lacks is
shown in English. The language is that of the context: a comparison knows nothing of it, and whoever
writes a page chooses.

A code is a tag as the web has them (BCP 47), for a page tells it to the browser, whose script asks
for the order of the alphabet by it. Where a tag has hyphens, gettext and others write underscores:
both are read.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from string import Formatter
from types import MappingProxyType
from typing import NamedTuple

from rankreport.errors import DataError, choose

__all__ = [
    "ENGLISH",
    "catalogue",
    "current_language",
    "language_tag",
    "languages",
    "say",
    "set_language",
    "template_folder",
    "using_language",
]

ENGLISH = "en"

_TAG = re.compile(
    r"[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?"  # language, script, region
    r"(-([a-z\d]{5,8}|\d[a-z\d]{3}))?(-x(-[a-z\d]{1,8})+)?",  # a variant, and what is one's own
    re.IGNORECASE | re.ASCII,
)


class _Current(NamedTuple):
    code: str
    words: Mapping[str, str]


_within: ContextVar[_Current | None] = ContextVar("rankreport_language", default=None)
_otherwise = {"language": _Current(ENGLISH, MappingProxyType({}))}


def say(message: str, **fields: object) -> str:
    """Return a message in the language of the context, its fields filled in.

    Only the message is read for fields: braces in what fills them are text.

    >>> say("{n} queries changed", n=3)
    '3 queries changed'
    >>> with using_language("zh"):
    ...     say("Better")
    '更好'
    """
    words = _now().words.get(message, message)
    return words.format(**fields) if fields else words


def current_language() -> str:
    """Return the code of the language of the context, as `language_tag` has it.

    >>> current_language()
    'en'
    """
    return _now().code


@contextmanager
def using_language(language: str, folder: Path | None = None) -> Iterator[None]:
    """Speak a language within the block.

    Parameters
    ----------
    language
        Its code, which is the name of its catalogue.
    folder
        Of further catalogues; their words come before ours.

    Raises
    ------
    OptionError
        If there is no catalogue of it.
    DataError
        If the one in the folder cannot be read, or one there is named after no language.
    """
    token = _within.set(_Current(language_tag(language), catalogue(language, folder)))
    try:
        yield
    finally:
        _within.reset(token)


def set_language(language: str, folder: Path | None = None) -> None:
    """Speak a language from here on, in this whole process: for a notebook.

    Parameters and errors are those of `using_language`, which goes before it.

    Examples
    --------
    >>> set_language("zh")
    >>> say("Better")
    '更好'
    >>> set_language("en")
    """
    _otherwise["language"] = _Current(language_tag(language), catalogue(language, folder))


def language_tag(code: str) -> str:
    """Return the code of a language as a page tells it to a browser.

    >>> language_tag("pt_BR")
    'pt-BR'
    """
    return code.replace("_", "-")


def languages(folder: Path | None = None) -> tuple[str, ...]:
    """Return the codes of the languages that there are catalogues of, English first.

    Raises
    ------
    DataError
        If a catalogue in the folder is named after no language.

    >>> languages()
    ('en', 'zh')
    """
    folders = [template_folder() / "language", *([] if folder is None else [folder])]
    codes = {code for each in folders for code in _files(each)}
    return (ENGLISH, *sorted(codes - {ENGLISH}))


def catalogue(language: str, folder: Path | None = None) -> Mapping[str, str]:
    """Return every message of a language by its English text.

    Parameters and errors are those of `using_language`.
    """
    code = choose("language", language_tag(language), languages(folder))
    words = dict(_known(code))
    theirs = None if folder is None else _files(folder).get(code)
    if theirs is not None:
        words |= _read(theirs)
    return MappingProxyType(words)


def template_folder() -> Path:
    """Return the templates' folder: among the modules in a wheel, above them in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"


def _now() -> _Current:
    return _within.get() or _otherwise["language"]


@functools.cache
def _known(code: str) -> Mapping[str, str]:
    path = _files(template_folder() / "language").get(code)
    return {} if path is None else _read(path)


def _files(folder: Path) -> dict[str, Path]:
    """Return the catalogues of a folder by their codes."""
    found: dict[str, Path] = {}
    for path in sorted(folder.glob("[!.]*.toml")):
        code = language_tag(path.stem)
        if not _TAG.fullmatch(code):
            raise DataError(f"{path} is named after no language. Expected a code such as pt-BR.")
        if code in found:
            raise DataError(f"{found[code]} and {path} are of one language. Join them.")
        found[code] = path
    return found


def _read(path: Path) -> dict[str, str]:
    """Read a catalogue and check it, so that no message fails once a page is being written."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as TOML: {error}") from None
    words: dict[str, str] = {}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise DataError(f"{path}: {name!r} stands alone; messages stand in a [table].")
        for english, translated in table.items():
            if not isinstance(translated, str) or _fields(english) != _fields(translated):
                raise DataError(
                    f"{path}: {english!r} is said as {translated!r}. Expected a text with the same "
                    f"names in braces."
                )
        words |= table
    return words


def _fields(message: str) -> set[str] | None:
    """Return the names of a message's fields; None where its braces do not close."""
    try:
        return {name for _, name, _, _ in Formatter().parse(message) if name is not None}
    except ValueError:
        return None
