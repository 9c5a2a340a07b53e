"""Functions of frozen values, cached with the values: a cached property as a function.

A class of values inherits `Caching`; a function of such values is `cached`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar


@dataclass(frozen=True, eq=False, repr=False)
class Caching:
    """Frozen values that hold what `cached` functions returned for them.

    The cache of a copy with other values, by `dataclasses.replace`, is empty.
    """

    _cached: dict[Any, Any] = field(default_factory=dict, init=False)


_Values = TypeVar("_Values", bound=Caching)


_More = ParamSpec("_More")
_Found = TypeVar("_Found")


def share_cache(known: Caching, copy: Caching) -> None:
    """Let a copy hold what is cached for values, if all of that is true of the copy too."""
    object.__setattr__(copy, "_cached", vars(known)["_cached"])


def cached(
    find: Callable[Concatenate[_Values, _More], _Found],
) -> Callable[Concatenate[_Values, _More], _Found]:
    """Cache what a function of values returns; further arguments must be hashable.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Numbers(Caching):
    ...     numbers: tuple[int, ...]
    >>> @cached
    ... def total(numbers: Numbers) -> int:
    ...     print("adding")
    ...     return sum(numbers.numbers)
    >>> two = Numbers((1, 2))
    >>> total(two), total(two)
    adding
    (3, 3)
    """

    @wraps(find)
    def found(self: _Values, /, *args: _More.args, **options: _More.kwargs) -> _Found:
        key = (find.__module__, find.__qualname__, args, *options.items())
        if key not in self._cached:
            self._cached[key] = find(self, *args, **options)
        known: _Found = self._cached[key]
        return known

    return found
