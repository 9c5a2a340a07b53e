"""Parameters of measures: validation and conversion to a canonical form."""

from __future__ import annotations

import inspect
import json
import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, get_args, get_origin

from rankreport.errors import MeasureError, brief, choose

if TYPE_CHECKING:
    from typing import Self

MAX_CUTOFF = 1_000_000
"""The largest cut-off: some measures add up a weight for each place above it."""


class GainTable(tuple[tuple[float, float], ...]):
    """The gain of each grade: pairs of grade and gain, sorted by grade; its repr is a dict.

    >>> GainTable({2: 4, 1: 1.0})
    {1: 1, 2: 4}
    """

    __slots__ = ()

    def __new__(cls, pairs: Mapping[float, float] | GainTable) -> Self:
        """Sort the pairs and convert whole numbers to int."""
        items = pairs.items() if isinstance(pairs, Mapping) else pairs
        return super().__new__(cls, sorted((_shortest(g), _shortest(v)) for g, v in items))

    def __repr__(self) -> str:
        """Return the repr of a dict."""
        return repr(dict(self))

    def __reduce__(self) -> tuple[type[GainTable], tuple[dict[float, float]]]:
        """Pickle as a dict."""
        return GainTable, (dict(self),)


def require(condition: bool, message: str) -> None:
    """Raise a `MeasureError` unless the condition holds."""
    if not condition:
        raise MeasureError(message)


def checked(owner: str, parameter: inspect.Parameter, value: object) -> object:
    """Check a parameter's value and return its canonical form.

    Raises
    ------
    MeasureError
        If the value is not valid for the parameter.
    """
    if parameter.name == "k":
        return _checked_cutoff(owner, value)
    if value is None and parameter.default is None:
        return None
    if isinstance(value, Mapping | GainTable):
        return _checked_table(owner, parameter, value)
    if get_origin(parameter.annotation) is Literal:
        try:
            return choose(f"{owner}: {parameter.name}", str(value), get_args(parameter.annotation))
        except ValueError as error:
            raise MeasureError(str(error)) from None
    if parameter.annotation is bool:
        require(
            isinstance(value, bool),
            f"{owner}: {parameter.name}={brief(value)} is not True or False.",
        )
        return value
    return _checked_number(f"{owner}: {parameter.name}", value)


def literal(value: object) -> str:
    """Return a checked value as text for the name of a measure."""
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _checked_number(what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MeasureError(f"{what}={brief(value)} is not a number.")
    require(value == value and abs(value) != float("inf"), f"{what} is finite.")  # noqa: PLR0124
    return _shortest(value)


def _checked_table(
    owner: str, parameter: inspect.Parameter, value: Mapping[float, float] | GainTable
) -> GainTable:
    what = f"{owner}: {parameter.name}"
    require("GainTable" in str(parameter.annotation), f"{what}={brief(value)} is not a number.")
    pairs = dict(value)
    require(bool(pairs), f"{what} is empty: give a gain for at least one grade, such as {{1: 1}}.")
    for grade, gain in pairs.items():
        _checked_number(f"{what}: grade", grade)
        _checked_number(f"{what}: gain of {grade!r}", gain)
        require(gain >= 0, f"{what}: the gain of {grade!r} is {gain!r}; it must not be negative.")
    return GainTable(pairs)


def _checked_cutoff(owner: str, value: object) -> int | None:
    if value is None:
        return None
    try:
        k = operator.index(value)  # type: ignore[arg-type]  # a TypeError is handled below
    except TypeError:
        k = 0
    require(
        1 <= k <= MAX_CUTOFF and not isinstance(value, bool),
        f"{owner}@{value}: a cut-off is a whole number from 1 to {MAX_CUTOFF:,}; leave it out "
        f"to count the whole list.",
    )
    return k


def _shortest(number: float) -> float:
    return int(number) if number == int(number) else float(number)
