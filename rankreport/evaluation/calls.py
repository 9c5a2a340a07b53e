"""Calls with arguments that a function does not have, and how to say them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from rankreport.errors import OptionError

__all__ = ["hinting"]

P = ParamSpec("P")
T = TypeVar("T")


def hinting(
    by_place: str, other_names: Mapping[str, str] | None = None
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Make a function say how its arguments are given, where a call does not fit it.

    Parameters
    ----------
    by_place
        What to say where too many arguments have no name.
    other_names
        The names of arguments by those that other tools have for them.

    Examples
    --------
    >>> @hinting("Name it: of(1, k=2).", {"top_k": "k"})
    ... def of(x, *, k=1): ...
    >>> of(1, top_k=2)
    Traceback (most recent call last):
        ...
    rankreport.errors.OptionError: of() got an unexpected keyword argument 'top_k'. Here it is k=.
    """
    names = other_names or {}

    def of_function(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)

        @wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                signature.bind(*args, **kwargs)
            except TypeError as error:
                raise OptionError(
                    f"{function.__name__}() {error}.{_hint(kwargs, len(args))}"
                ) from None
            return function(*args, **kwargs)

        def _hint(given: Mapping[str, Any], n_places: int) -> str:
            named = next((name for name in given if name in names), None)
            if named is not None:
                return f" Here it is {names[named]}=."
            positional = [
                each
                for each in signature.parameters.values()
                if each.kind is not inspect.Parameter.KEYWORD_ONLY
            ]
            return f" {by_place}" if n_places > len(positional) else ""

        return called

    return of_function
