"""What functions find of frozen values, kept with them: a cached property as a function.

A class of values inherits `Keeping`; a function of such values is marked `kept`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar


@dataclass(frozen=True, eq=False, repr=False)
class Keeping:
    """Frozen values with which functions keep what they found of them.

    A copy with other values, by `dataclasses.replace`, keeps nothing yet.
    """

    _kept: dict[Any, Any] = field(default_factory=dict, init=False)


_Values = TypeVar("_Values", bound=Keeping)
_More = ParamSpec("_More")
_Found = TypeVar("_Found")


def kept(
    find: Callable[Concatenate[_Values, _More], _Found],
) -> Callable[Concatenate[_Values, _More], _Found]:
    """Mark a function of values and, maybe, of further hashable arguments as to be kept.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Numbers(Keeping):
    ...     numbers: tuple[int, ...]
    >>> @kept
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
        if key not in self._kept:
            self._kept[key] = find(self, *args, **options)
        known: _Found = self._kept[key]
        return known

    return found
