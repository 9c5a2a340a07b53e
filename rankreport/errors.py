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

import functools
import inspect
import reprlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType, SimpleNamespace
from typing import Any, ParamSpec, TypeVar, Unpack, get_args, get_origin, get_type_hints

from rankreport.addresses import shown_address, without_passwords
from rankreport.keywords import KNOWN, NEAREST, Foreign, foreign_keywords, joined

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Class = TypeVar("_Class", bound=type)


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


class MeasureError(RankReportError, ValueError):
    """An unknown measure, or an unknown or invalid parameter of a measure."""


class OptionError(RankReportError, ValueError):
    """An invalid value of an option, or contradicting options."""


class OutputError(RankReportError, OSError):
    """A result that cannot be written."""


NOT_UTF8 = "is not UTF-8 text. Convert it, for instance: iconv -f latin1 -t utf-8 FILE > NEW."
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
    near = suggestion(value if isinstance(value, str) else brief(value), choices)
    hint = f" {near}" if near.startswith("Did") else ""
    ours = NEAREST.get(value) if isinstance(value, str) else None
    hint = f" Nearest is {ours!r}." if ours in choices else hint
    found = shown_address(value) if isinstance(value, str) else value
    raise OptionError(
        f"{option}={brief(found)} is not one of {', '.join(map(repr, choices))}.{hint}"
    )


def hinting(by_place: str = "") -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Make a function say how its arguments are given, where a call does not fit it.

    Keywords of other tools are accepted where they mean the same (see `rankreport.keywords`).
    ``**options: Unpack[Options]`` takes the keys of the typed dictionary and no other name.

    Parameters
    ----------
    by_place
        What to say where too many arguments have no name.

    Examples
    --------
    >>> from typing import TypedDict, Unpack
    >>> Size = TypedDict("Size", {"width": float}, total=False)
    >>> @hinting("Name it: of(1, seed=2).")
    ... def of(measures, *, seed=1, **options: Unpack[Size]):
    ...     return measures, seed
    >>> of(metrics="map", random_state=2)
    ('map', 2)
    >>> of(1, widths=2)  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
        ...
    rankreport.errors.OptionError: of() got an unexpected keyword argument 'widths'. Did you mean
    'width'?
    """

    def of_function(function: Callable[_P, _T]) -> Callable[_P, _T]:
        check = call_check(function, by_place)
        takes_options = any(map(_is_unpacked, function.__annotations__.values()))

        @functools.wraps(function)
        def called(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            if not KNOWN.isdisjoint(kwargs):
                kwargs = _in_our_words(function, kwargs)  # type: ignore[assignment]
            if takes_options:  # of any name
                check(args, kwargs)
            try:
                return function(*args, **kwargs)
            except TypeError:
                check(args, kwargs)
                raise

        return completed(called) if takes_options else called

    return of_function


def completed(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Give a function a signature that names the keys of its options, for completion and help."""
    function.__signature__ = _WithOptions(function)  # type: ignore[attr-defined]
    return function


class _WithOptions(inspect.Signature):
    """The signature of a function with its options, which are imported when it is looked at."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(return_annotation=function.__annotations__.get("return", self.empty))
        self._whole = functools.cache(lambda: _signature(inspect.unwrap(function)))

    @property
    def parameters(self) -> MappingProxyType[str, inspect.Parameter]:
        return self._whole().parameters

    def replace(self, **changes: Any) -> inspect.Signature:  # type: ignore[override]
        return self._whole().replace(**changes)


def _in_our_words(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return keywords, with those of other tools that mean the same by the names here.

    Raises
    ------
    OptionError
        If one is given by both names.
    """
    parameters = _signature(function).parameters
    ours = dict(given)
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return ours
    for name, foreign in foreign_keywords(given, parameters):
        if foreign.remedy:
            continue
        if foreign.ours in ours:
            raise OptionError(f"{name}= means {foreign.ours}= here, which is given too.")
        ours[foreign.ours] = ours.pop(name)
    return ours


def hinting_methods(declared: _Class) -> _Class:
    """Make the public methods of a class, and its constructor, hint as `hinting` does."""
    for name, method in list(vars(declared).items()):
        if inspect.isfunction(method) and (name == "__init__" or not name.startswith("_")):
            setattr(declared, name, hinting()(method))
    return declared


def call_check(
    function: Callable[..., Any], by_place: str = ""
) -> Callable[[tuple[Any, ...], Mapping[str, Any]], None]:
    """Return what raises an `OptionError` if arguments do not fit a function, as for `hinting`."""
    signature = functools.cache(lambda: _signature(function))

    def check(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        try:
            signature().bind(*args, **kwargs)
        except TypeError as error:
            name = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
            raise OptionError(f"{name}() {misfit(str(error), len(args), kwargs)}") from None

    def misfit(error: str, n_places: int, given: Mapping[str, Any]) -> str:
        taken = signature().parameters
        takes_all = any(each.kind is each.VAR_KEYWORD for each in taken.values())
        unknown = [name for name in given if name not in taken and not takes_all]
        by_order = [name for name, each in taken.items() if each.kind is not each.KEYWORD_ONLY]
        order = ""
        if error.startswith("missing"):
            order = by_place
        elif n_places > len(by_order) or not given.keys().isdisjoint(by_order[:n_places]):
            listed = ", ".join(by_order).removeprefix("self, ")
            order = by_place or f"In this order: {listed}; the others by name."
        if not unknown:
            return f"{error}. {order}".rstrip()
        foreign = dict(foreign_keywords(given, taken))
        names = [name for name in taken if name != "self"]
        found = [
            foreign.get(name) or Foreign(name, "", suggestion(name, names)) for name in unknown
        ]
        if order or len(found) > sum(each.remedy.startswith("Known") for each in found) > 0:
            found = [each for each in found if not each.remedy.startswith("Known")]
        lines = [each for each in found if each.line]
        plain = [each.remedy or f"Here it is {each.ours}=." for each in found if not each.line]
        said = list(filter(None, [order, *plain]))
        # Of whole calls, the first has what the others would say.
        call = next((each for each in said if "rr." in each), "")
        said = [each for each in said if each == call or "rr." not in each]
        if lines:
            why = ". ".join(dict.fromkeys(each.remedy for each in lines))
            said.append(f"{why}: {joined(each.line for each in lines)}.")
        listed = ", ".join(map(repr, unknown))
        what = "unexpected keyword arguments" if unknown[1:] else "an unexpected keyword argument"
        return f"got {what} {listed}. {' '.join(dict.fromkeys(said))}"

    return check


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a function, with the keys of its options in their place."""
    own = inspect.signature(function)
    taken: list[inspect.Parameter] = []
    for each in own.parameters.values():
        if each.kind is each.VAR_KEYWORD and _is_unpacked(each.annotation):
            # Alone, since other annotations may be of names that only type checkers import.
            alone = SimpleNamespace(__annotations__={each.name: each.annotation})
            hints = get_type_hints(alone, inspect.unwrap(function).__globals__)
            (options,) = get_args(hints[each.name])
            taken += [_keyword(name) for name in options.__annotations__]
        else:
            taken.append(each)
    return own.replace(parameters=taken)


def _is_unpacked(annotation: object) -> bool:
    """Return whether an annotation, or its text, is of typed options."""
    return get_origin(annotation) is Unpack or str(annotation).startswith("Unpack[")


def _keyword(name: str) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
