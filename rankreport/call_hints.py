"""Calls that do not fit a function: the keyword that was meant, or what to write instead."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import chain, count
from pkgutil import resolve_name
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple, ParamSpec, TypeVar, Unpack, get_args, get_origin, get_type_hints

from rankreport.errors import OptionError, brief, suggestion
from rankreport.foreign_keywords import KNOWN, SAME, Foreign, foreign_keywords

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Class = TypeVar("_Class", bound=type)


class Instead(NamedTuple):
    """Another function, which a call may mean.

    Attributes
    ----------
    function
        Its module and name, as ``module:name``; it hints too.
    names
        Its parameters by those of the function called, where they differ.
    holds
        Whether arguments that fit it, by name, are what it takes; by default if there are any.
    taken
        Changes arguments, by the names of the function called, first. Those given by place come
        first: further ones are 0, 1 and so on, and what is also given by name is ``""``.
    """

    function: str
    names: Mapping[str, str] = MappingProxyType({})
    holds: Callable[[Mapping[str, Any]], bool] = bool
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
            given = {"" if name in kwargs else name: each for name, each in placed.items()} | kwargs
            for each in instead:
                if (meant := each.meant(given)) is not None:
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


def _placed(function: Callable[..., Any], args: tuple[Any, ...]) -> dict[Any, Any]:
    """Return arguments that were given by place, by name, and further ones by number."""
    parameters = _signature(function).parameters.values()
    names = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    return dict(zip(chain(names, count()), args, strict=False))


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
