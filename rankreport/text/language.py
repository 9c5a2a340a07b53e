"""Languages of reports: English in the code, others from catalogues.

A message is its English text, with named fields in braces. A language is a file
``templates/language/<code>.toml`` that translates each message; missing ones are shown in English.
The language is a context variable, so results do not depend on it.

Language codes are BCP 47 tags such as ``pt-BR``, as the ``lang`` attribute and the script of a page
need; ``pt_BR`` is accepted too.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from string import Formatter
from types import MappingProxyType
from typing import NamedTuple, Self

from rankreport.call_hints import hinting
from rankreport.errors import NOT_UTF8, DataError, choose

ENGLISH = "en"

_TAG = (
    r"(?ia)[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?"  # language, script, region
    r"(-([a-z\d]{5,8}|\d[a-z\d]{3}))?(-x(-[a-z\d]{1,8})+)?"  # variant, private use
)


class _Current(NamedTuple):
    """The code of a language, its messages, and what says users and items in them, if it is to."""

    code: str
    words: Mapping[str, str]
    of_users: Callable[[str], str] | None = None

    def message(self, english: str) -> str:
        """Return a message before its fields are filled in."""
        found = self.words.get(english, english)
        return found if self.of_users is None else self.of_users(found)


def _saying_users(words: Mapping[str, str]) -> Callable[[str], str]:
    """Return what says users for queries, and items for documents, but not in names of fields."""
    terms = {words.get(own, own): words.get(its, its) for own, its in TERMS_OF_USERS.items()}
    any_term = "|".join(map(re.escape, terms))
    whole = re.compile(rf"(?<![A-Za-z_{{])(?:{any_term})(?![A-Za-z_}}])")
    return functools.partial(whole.sub, lambda found: terms[found[0]])


_OF_USERS = {"a document": "an item", "documents": "items", "document": "item"}
_OF_USERS |= {"queries": "users", "query": "user"}

TERMS_OF_USERS = {
    case(own): case(its) for own, its in _OF_USERS.items() for case in (str, str.capitalize)
}
"""The words of recommender systems for those of search."""


_in_context: ContextVar[_Current | None] = ContextVar("rankreport_language", default=None)
_in_process = {"language": _Current(ENGLISH, MappingProxyType({}))}


class Message(str):
    """A text in one language, with what it was made of, so that another language can say it."""

    __slots__ = ("english", "fields")
    english: str
    """The message, or what separates the parts."""
    fields: Mapping[str, object] | tuple[str, ...]
    """The fields of the message, or the parts."""

    @classmethod
    def of(cls, text: str, english: str, fields: Mapping[str, object] | tuple[str, ...]) -> Self:
        """Return a text with what it was made of."""
        made = cls(text)
        made.english, made.fields = english, fields
        return made


def in_current_language(text: str) -> str:
    """Return a text of `say` or `separated` in the current language; any other as it is.

    >>> found = separated(", ", [say("Better"), "x"])
    >>> with using_language("zh"):
    ...     in_current_language(found)
    '更好、x'
    """
    if not isinstance(text, Message):
        return text
    if isinstance(text.fields, tuple):
        return separated(text.english, map(in_current_language, text.fields))
    again = {
        name: in_current_language(field) if isinstance(field, str) else field
        for name, field in text.fields.items()
    }
    return say(text.english, **again)


def separated(separator: str, parts: Iterable[str]) -> str:
    """Join parts by a separator, such as ``"; "``, as the current language writes it.

    >>> separated("; ", ["few queries changed", "no interval"])
    'few queries changed; no interval'
    """
    known = tuple(parts)
    return Message.of(_now().words.get(separator, separator).join(known), separator, known)


def say(message: str, **fields: object) -> str:
    """Return a message in the current language with its fields filled in.

    Braces in the values of fields are plain text. A field that is ``shown`` by another name than
    its own, as measures may be, is written by that.

    >>> say("{n} queries changed", n=3)
    '3 queries changed'
    >>> with using_language("zh"):
    ...     say("Better")
    '更好'
    >>> with using_language("en", of_users=True):
    ...     say("{query} is a query with {n} documents", query="query document", n=3)
    'query document is a user with 3 items'
    """
    words = _now().message(message)
    named = {name: getattr(field, "shown", field) for name, field in fields.items()}
    return Message.of(words.format(**named) if fields else words, message, fields)


def current_language() -> str:
    """Return the code of the current language, as a BCP 47 tag.

    >>> current_language()
    'en'
    """
    return _now().code


@contextmanager
def using_language(
    language: str, folder: Path | None = None, *, of_users: bool = False
) -> Iterator[None]:
    """Use a language within a ``with`` block.

    Parameters
    ----------
    language
        Code of the language.
    folder
        Folder of additional catalogues, which override the built-in ones.
    of_users
        Whether messages say users and items for queries and documents.

    Raises
    ------
    OptionError
        If the language has no catalogue.
    DataError
        If a catalogue in the folder is invalid, or its name is not a language code.
    """
    words = catalogue(language, folder)
    saying = _saying_users(words) if of_users else None
    token = _in_context.set(_Current(language_tag(language), words, saying))
    try:
        yield
    finally:
        _in_context.reset(token)


@hinting()
def set_language(language: str, folder: Path | None = None) -> None:
    """Set the language of this process, as for a notebook.

    `using_language` takes precedence. Parameters and errors are the same.

    Examples
    --------
    >>> set_language("zh")
    >>> say("Better")
    '更好'
    >>> set_language("en")
    """
    _in_process["language"] = _Current(language_tag(language), catalogue(language, folder))


def language_tag(code: str) -> str:
    """Return the code of a language as a BCP 47 tag.

    >>> language_tag("pt_BR")
    'pt-BR'
    """
    return code.replace("_", "-")


def languages(folder: Path | None = None) -> tuple[str, ...]:
    """Return the codes of the available languages, English first.

    Raises
    ------
    DataError
        If the name of a catalogue in the folder is not a language code.

    >>> languages()
    ('en', 'zh')
    """
    folders = [template_folder() / "language", *([] if folder is None else [folder])]
    codes = {code for each in folders for code in _files(each)}
    return (ENGLISH, *sorted(codes - {ENGLISH}))


def catalogue(language: str, folder: Path | None = None) -> Mapping[str, str]:
    """Return the messages of a language by their English text.

    Parameters and errors are the same as for `using_language`.
    """
    code = choose("language", language_tag(language), languages(folder))
    words = dict(_built_in_catalogue(code))
    custom = None if folder is None else _files(folder).get(code)
    if custom is not None:
        words |= _read(custom)
    return MappingProxyType(words)


def template_folder() -> Path:
    """Return the templates' folder: among the modules in a wheel, above them in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"


def _now() -> _Current:
    return _in_context.get() or _in_process["language"]


@functools.cache
def _built_in_catalogue(code: str) -> Mapping[str, str]:
    path = _files(template_folder() / "language").get(code)
    return {} if path is None else _read(path)


def _files(folder: Path) -> dict[str, Path]:
    """Return the catalogue files of a folder by language code."""
    found: dict[str, Path] = {}
    for path in sorted(folder.glob("[!.]*.toml")):
        code = language_tag(path.stem)
        if not re.fullmatch(_TAG, code):
            raise DataError(f"{path} is not named after a language. Expected a code such as pt-BR.")
        if code in found:
            raise DataError(f"{found[code]} and {path} are of the same language. Merge them.")
        found[code] = path
    return found


def _read(path: Path) -> dict[str, str]:
    """Read a catalogue and check the fields of all messages."""
    import tomllib

    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise DataError(f"{path} {NOT_UTF8}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read as TOML: {error}") from None
    words: dict[str, str] = {}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise DataError(f"{path}: {name!r} is outside a table; put messages in a [table].")
        for english, translated in table.items():
            if not isinstance(translated, str) or _fields(english) != _fields(translated):
                raise DataError(
                    f"{path}: {english!r} is translated as {translated!r}. Expected a text with "
                    f"the same names in braces, without a format behind : or !."
                )
        words |= table
    return words


def _fields(message: str) -> set[tuple[str, str | None, str | None]] | None:
    """Return a message's fields with their formats, or None if its braces are unbalanced.

    A format such as {n:>10} may fill the memory, if it has many digits.
    """
    try:
        parts = [*Formatter().parse(message)]
    except ValueError:
        return None
    return {(name, spec, how) for _, name, spec, how in parts if name is not None}
