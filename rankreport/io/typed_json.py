"""Convert dataclasses to JSON and back, by their declared types."""

from __future__ import annotations

import json
import math
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from reprlib import repr as shortly
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_KIND = "is"
"""The key of the class tag."""


Checks = Mapping[str, Callable[[Any], None]]

_NO_CHECKS: Checks = types.MappingProxyType({})
_NO_TAGS: Mapping[type, str] = types.MappingProxyType({})


_SURROGATE = re.compile("[\ud800-\udfff]")


_INFINITE = {"inf": math.inf, "-inf": -math.inf}
"""The JSON form of infinite numbers."""


_DEEPEST = 100
"""Maximum depth of nested values."""


_BITS = 63
"""Maximum number of bits of an integer, as in frames."""


def plain(value: Any, tags: Mapping[type, str] = _NO_TAGS) -> Any:
    """Convert a value to JSON types.

    A dataclass becomes an object with its tag and the fields that differ from their default.
    Infinite numbers become ``"inf"`` and ``"-inf"``, NaN becomes null.

    Parameters
    ----------
    value
        Strings, numbers, booleans, None; mappings, sequences and sets of them; instances of tagged
        dataclasses.
    tags
        The tag of each dataclass.

    Raises
    ------
    TypeError
        If a dataclass has no tag.

    >>> plain((1.5, float("-inf"), float("nan"), frozenset({3, 1})))
    [1.5, '-inf', None, [1, 3]]
    """
    if is_dataclass(value) and not isinstance(value, type):
        if type(value) not in tags:
            raise TypeError(f"{type(value).__name__} has no tag to be stored under")
        held = {
            field.name: plain(getattr(value, field.name), tags)
            for field in fields(value)
            if getattr(value, field.name) != field.default
        }
        return {_KIND: tags[type(value)], **held}
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return {name: plain(each, tags) for name, each in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(plain(each, tags) for each in value)
    if isinstance(value, list | tuple):
        return [plain(each, tags) for each in value]
    return value


def json_of(values: Mapping[str, Any]) -> str:
    """Return JSON with one line per entry, and one line per item of entries that are lists.

    >>> print(json_of({"b": [{"x": 1}, {"x": 2}], "a": 0.5}), end="")
    {
    "a": 0.5,
    "b": [
     {"x": 1},
     {"x": 2}
    ]
    }
    """
    entries = [f"{_json(name)}: {_on_lines(values[name])}" for name in sorted(values)]
    return "{\n" + ",\n".join(entries) + "\n}\n"


def restored(
    kind: Any, stored: Any, tags: Mapping[type, str] = _NO_TAGS, checks: Checks = _NO_CHECKS
) -> Any:
    """Restore a value of the given type from the result of `plain`.

    Parameters
    ----------
    kind
        The expected type.
    stored
        The parsed JSON.
    tags
        The tag of each dataclass.
    checks
        Functions by field name that raise ValueError if the field's value is not safe to use.

    Raises
    ------
    ValueError
        If the value does not have the type.

    >>> restored(tuple[float | None, ...], [1.5, "-inf", None])
    (1.5, -inf, None)
    """
    if kind is Any:
        return stored
    if get_origin(kind) in (Union, types.UnionType):
        return _of_several(get_args(kind), stored, tags, checks)
    if is_dataclass(kind):
        return _of_fields(kind, stored, tags, checks)
    if get_origin(kind) is Literal:
        if stored not in get_args(kind):
            raise ValueError(f"{shortly(stored)} where one of {get_args(kind)} belongs")
        return stored
    if kind in (float, int, str, bool, type(None)):
        return _single(kind, stored)
    return _gathered(kind, stored, tags, checks)


def read_json(text: str) -> Any:
    """Parse JSON; numbers must be finite, as in the output of `json_of`.

    Raises
    ------
    ValueError
        If it is not valid JSON, has a key twice in one object, or is nested too deeply.
    RecursionError
        If it is nested too deeply for the parser.
    """
    found = json.loads(
        text, parse_constant=_finite, parse_float=_finite, object_pairs_hook=unique_keys
    )
    if isinstance(found, dict | list) and _depth(found) > _DEEPEST:
        raise ValueError("values are nested too deeply")
    return found


class RepeatedKeyError(ValueError):
    """An object of JSON has a key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"has the key {key!r} twice in one object, so one of its values would be lost. Keep "
            f"one of them."
        )


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; an ``object_pairs_hook`` of the parser.

    Raises
    ------
    RepeatedKeyError
        If a key stands there twice.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RepeatedKeyError(next(key for key in keys if keys.count(key) > 1))
    return found


def _depth(value: Any) -> int:
    """Return the depth of nested values."""
    within = value.values() if isinstance(value, dict) else value
    gathered = [each for each in within if isinstance(each, dict | list)]
    return 1 + max(map(_depth, gathered), default=0)


def _finite(written: str) -> float:
    found = float(written)
    if not math.isfinite(found):
        raise ValueError(f"{written} is no number")
    return found


def _single(kind: type, stored: Any) -> Any:
    """Return a string, a boolean or a number; an integer is accepted as a float."""
    found = _INFINITE.get(stored, stored) if kind is float and isinstance(stored, str) else stored
    found_kind = float if kind is float and type(found) is int else type(found)
    if found_kind is not kind or (type(found) is int and found.bit_length() > _BITS):
        raise ValueError(f"{shortly(stored)} where {kind.__name__} belongs")
    return found


def _on_lines(value: Any) -> str:
    if not (isinstance(value, list) and value):
        return _json(value)
    return "[\n " + ",\n ".join(map(_json, value)) + "\n]"


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)
    # JSON can represent lone surrogates, UTF-8 cannot.
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _of_several(
    kinds: tuple[Any, ...], stored: Any, tags: Mapping[type, str], checks: Checks
) -> Any:
    """Restore the value as the first of these types that matches."""
    if stored is None and type(None) in kinds:
        return None
    named = stored.get(_KIND) if isinstance(stored, Mapping) else None
    for kind in kinds:
        if named is not None and tags.get(kind) != named:
            continue
        try:
            return restored(kind, stored, tags, checks)
        except ValueError:
            if named is not None:
                raise
    raise ValueError(f"{named or shortly(stored)}, which is not known here")


def _of_fields(kind: Any, stored: Any, tags: Mapping[type, str], checks: Checks) -> Any:
    tag = tags.get(kind)
    if tag is None or not isinstance(stored, Mapping) or stored.get(_KIND) != tag:
        raise ValueError(f"no {tag or kind.__name__}")
    hints = get_type_hints(kind)
    held = {name: value for name, value in stored.items() if name != _KIND}
    for name in held:
        if name not in hints:
            raise ValueError(f"{tag} has no {name}")
    values = {name: restored(hints[name], value, tags, checks) for name, value in held.items()}
    for name in checks.keys() & values.keys():
        checks[name](values[name])
    try:
        return kind(**values)
    except TypeError as error:  # a field is missing
        raise ValueError(str(error)) from None


def _gathered(kind: Any, stored: Any, tags: Mapping[type, str], checks: Checks) -> Any:
    """Return a tuple, a set or a mapping."""
    of, within = get_origin(kind), get_args(kind)
    if of is not None and issubclass(of, Mapping):
        if not isinstance(stored, Mapping):
            raise ValueError(f"{type(stored).__name__} where a mapping belongs")
        return {
            restored(within[0], name, tags, checks): restored(within[1], each, tags, checks)
            for name, each in stored.items()
        }
    if not isinstance(stored, list) or of is None:
        raise ValueError(f"{type(stored).__name__} where {kind} belongs")
    if of is tuple and within[-1] is not Ellipsis:
        if len(stored) != len(within):
            raise ValueError(f"{len(stored)} values where {len(within)} belong")
        return tuple(restored(*pair, tags, checks) for pair in zip(within, stored, strict=True))
    return of(restored(within[0], each, tags, checks) for each in stored)
