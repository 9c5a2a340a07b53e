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
import re
import reprlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from pkgutil import resolve_name
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple, ParamSpec, TypeVar, Unpack, get_args, get_origin, get_type_hints

from rankreport.foreign_keywords import KNOWN, SAME, Foreign, foreign_keywords
from rankreport.shown_addresses import shown_address, without_passwords

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


class Instead(NamedTuple):
    """Another function, which a call may mean.

    Attributes
    ----------
    function
        Its module and name, as ``module:name``; it hints too.
    names
        Its parameters, for those of the function called.
    holds
        Whether arguments that fit it, by name, are what it takes.
    taken
        Changes arguments, by the names of the function called, first.
    """

    function: str
    names: Mapping[str, str]
    holds: Callable[[Mapping[str, Any]], bool]
    taken: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict

    def meant(self, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return its arguments, of those of a call by name; None if the call does not mean it."""
        function = resolve_name(self.function)
        renamed = {self.names.get(name, name): v for name, v in self.taken(given).items()}
        try:
            ours = _in_our_words(function, renamed, {})
            _signature(function).bind(**ours)
        except (OptionError, TypeError):
            return None
        return ours if self.holds(ours) else None


def hinting(
    by_place: str = "", instead: Iterable[Instead] = ()
) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Make a function say how its arguments are given, where a call does not fit it.

    Keywords of other tools are accepted where they mean the same (`rankreport.foreign_keywords`).
    ``**options: Unpack[Options]`` takes the keys of the typed dictionary and no other name.

    Parameters
    ----------
    by_place
        What to say where too many arguments have no name.
    instead
        Functions that a call may mean, which are called in place of this one.

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
            known = not KNOWN.isdisjoint(kwargs)
            placed = _placed(function, args) if known or instead else {}
            for each in instead:
                if (meant := each.meant({**placed, **kwargs})) is not None:
                    return resolve_name(each.function)(**meant)  # type: ignore[no-any-return]
            if known:
                ours = _in_our_words(function, kwargs, placed)
                args, kwargs = (*placed.values(), *args[len(placed) :]), ours  # type: ignore[assignment]
            if takes_options:  # of any name
                check(args, kwargs)
            try:
                return function(*args, **kwargs)
            except (TypeError, AttributeError):
                check(args, kwargs)
                check_types(function, args, kwargs)
                raise

        return completed(called) if takes_options else called

    return of_function


def _placed(function: Callable[..., Any], args: tuple[Any, ...]) -> dict[str, Any]:
    """Return arguments that were given by place, by name."""
    parameters = _signature(function).parameters.values()
    names = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    return dict(zip(names, args, strict=False))


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


def _in_our_words(
    function: Callable[..., Any], given: Mapping[str, Any], placed: dict[str, Any]
) -> dict[str, Any]:
    """Return keywords and values of other tools by what they are here.

    ``placed`` are the arguments given by place, which values may change.

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
        if foreign.made is not None:
            made = None
            with suppress(LookupError, TypeError, ValueError):
                made = foreign.made(ours[name], placed | ours)
            if made is not None:
                del ours[name]
                placed |= {each: made[each] for each in placed if each in made}
                ours |= {each: made[each] for each in made if each not in placed}
        elif not foreign.remedy:
            if foreign.ours in ours:
                raise OptionError(f"{name}= means {foreign.ours}= here, which is given too.")
            ours[foreign.ours] = ours.pop(name)
    return ours | {n: SAME[n, v] for n, v in ours.items() if isinstance(v, str) and (n, v) in SAME}


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

    def check(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        try:
            _signature(function).bind(*args, **kwargs)
        except TypeError as error:
            name = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
            raise OptionError(f"{name}() {misfit(str(error), len(args), kwargs)}") from None

    def misfit(error: str, n_places: int, given: Mapping[str, Any]) -> str:
        taken = _signature(function).parameters
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
        plain = [each.remedy or f"Here it is {each.ours}=." for each in found]
        order = "" if any(each.of_other_call for each in found) else order
        said = list(filter(None, [order, *plain]))
        said = [each for each in said if not each.startswith("Known")] or said
        # Of whole calls, the first has what the others would say.
        call = next((each for each in said if "rr." in each), "")
        said = [each for each in said if each == call or "rr." not in each]
        listed = ", ".join(map(repr, unknown))
        what = "unexpected keyword arguments" if unknown[1:] else "an unexpected keyword argument"
        return f"got {what} {listed}. {' '.join(dict.fromkeys(said))}"

    return check


def check_types(function: Callable[..., Any], args: Any, kwargs: Any) -> None:
    """Check plain arguments against annotations, such as ``int | None``, after a call failed.

    Raises
    ------
    OptionError
        If one is of another type.

    Examples
    --------
    >>> def first(n: int | None = None) -> None: ...
    >>> first.__annotations__ = {"n": "int | None"}  # as it is without evaluating annotations
    >>> check_types(first, ("nDCG@10",), {})
    Traceback (most recent call last):
        ...
    rankreport.errors.OptionError: first() takes n as int | None; found 'nDCG@10'.
    """
    parameters = inspect.signature(function).parameters
    for name, value in inspect.signature(function).bind(*args, **kwargs).arguments.items():
        plain = re.sub(r"\[.*?\]", "", str(parameters[name].annotation))
        taken = [_TYPES.get(each) for each in plain.split(" | ")]
        is_checked = None not in taken and "*" not in str(parameters[name])
        if is_checked and not isinstance(value, tuple(filter(None, taken))):
            words = f"{function.__name__}() takes {name} as {parameters[name].annotation}"
            raise OptionError(f"{words}; found {brief(value)}.")


_TYPES = {"str": str, "int": int, "float": float | int, "Iterable": Iterable, "None": type(None)}
"""The types of annotations that are checked after a call failed."""


@functools.cache
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
