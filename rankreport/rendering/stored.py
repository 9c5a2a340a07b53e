"""What a report says, as JSON and back: plain values, read by the types that they declare.

A stored report may come from anyone. What it holds is text to every renderer, with two exceptions,
drawings and links within the page, and they are looked at here before a page is made of them.
Formulae are stored as LaTeX; `rendering.formula` lets nothing else through.
"""

from __future__ import annotations

import json
import math
import re
import types
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from reprlib import repr as shortly
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from rankreport.rendering.context import Page
from rankreport.rendering.latex import Lettered
from rankreport.rendering.table import Table

__all__ = ["Told", "json_of", "plain", "read_json", "restored"]

_KIND = "is"
"""The key under which the name of a value's class stands."""

_SURROGATE = re.compile("[\ud800-\udfff]")

_INFINITE = {"inf": math.inf, "-inf": -math.inf}
"""How infinite numbers are written: JSON has none."""

_DEEPEST = 100
"""The most values within values: what is read with ease is to be written with ease."""

_BITS = 63
"""The most of a whole number, as frames hold them."""

_FRAME = re.compile(r"-?\d+(\.\d+)?( -?\d+(\.\d+)?){3}")
"""How the frame of a drawing is written."""

_SHAPES = frozenset({"svg", "g", "path", "circle", "rect", "text", "tspan", "title", "desc"})
"""The elements of our drawings."""

_LOOKS = frozenset(
    {
        *("viewBox", "width", "height", "role", "aria-label", "font-family", "transform", "d"),
        *("x", "y", "cx", "cy", "r", "fill", "fill-opacity", "fill-rule", "opacity", "text-anchor"),
        *("stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap"),
        *("stroke-linejoin", "stroke-miterlimit", "font-size", "font-style", "font-weight"),
    }
)
"""Their attributes."""


@dataclass(frozen=True)
class Told:
    """All that is told of a report: its page, and what shorter forms are made of.

    Attributes
    ----------
    page
        What the page says; without figures and outputs when it is stored.
    table
        The comparison, or the systems' levels.
    lettered
        The systems as papers print them, or None.
    """

    page: Page
    table: Table
    lettered: Lettered | None = None

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain values, its figures and what is of its notebook left out."""
        sections = tuple(
            replace(each, outputs=(), figures=(), in_notebook=()) for each in self.page.sections
        )
        bare = replace(self, page=replace(self.page, sections=sections, data={}))
        made: dict[str, Any] = plain(bare)
        return made

    @classmethod
    def of_plain(cls, stored: Any, figures: Mapping[str, Any]) -> Told:
        """Return what was stored, with its figures.

        Raises
        ------
        ValueError
            If it is not what `to_plain` returns.
        """
        told: Told = restored(cls, stored)
        return replace(told, page=replace(told.page, data=figures))


def plain(value: Any) -> Any:
    """Return a value as JSON has it: a class by its fields, those left out that say nothing.

    Infinite numbers are the texts ``inf`` and ``-inf``, and what is no number is null.

    >>> plain((1.5, float("-inf"), float("nan"), frozenset({3, 1})))
    [1.5, '-inf', None, [1, 3]]
    """
    if is_dataclass(value) and not isinstance(value, type):
        held = {
            field.name: plain(getattr(value, field.name))
            for field in fields(value)
            if getattr(value, field.name) != field.default
        }
        return {_KIND: type(value).__name__, **held}
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(map(plain, value))
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def json_of(values: Mapping[str, Any]) -> str:
    """Return JSON with a line for each entry, and for each item of those that are lists.

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


def restored(kind: Any, stored: Any) -> Any:
    """Return the value of this type that `plain` wrote.

    Raises
    ------
    ValueError
        If it is not of the type.

    >>> restored(tuple[float | None, ...], [1.5, "-inf", None])
    (1.5, -inf, None)
    """
    if kind is Any:
        return stored
    if get_origin(kind) in (Union, types.UnionType):
        return _of_several(get_args(kind), stored)
    if is_dataclass(kind):
        return _of_fields(kind, stored)
    if get_origin(kind) is Literal:
        if stored not in get_args(kind):
            raise ValueError(f"{shortly(stored)} where one of {get_args(kind)} belongs")
        return stored
    if kind in (float, int, str, bool, type(None)):
        return _single(kind, stored)
    return _gathered(kind, stored)


def read_json(text: str) -> Any:
    """Return what JSON holds, its numbers being finite: as `json_of` writes them, and no others.

    Raises
    ------
    ValueError
        If it is none.
    RecursionError
        If it is too deep.
    """
    found = json.loads(text, parse_constant=_finite, parse_float=_finite)
    if isinstance(found, dict | list) and _depth(found) > _DEEPEST:
        raise ValueError("values within values without end")
    return found


def _depth(value: Any) -> int:
    """Return how many values within values there are."""
    within = value.values() if isinstance(value, dict) else value
    gathered = [each for each in within if isinstance(each, dict | list)]
    return 1 + max(map(_depth, gathered), default=0)


def _finite(written: str) -> float:
    found = float(written)
    if not math.isfinite(found):
        raise ValueError(f"{written} is no number")
    return found


def _single(kind: type, stored: Any) -> Any:
    """Return a text, a truth or a number; a whole one may stand for any number."""
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
    # Half a character is something that JSON can hold, and UTF-8 cannot.
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _of_several(kinds: tuple[Any, ...], stored: Any) -> Any:
    """Return the value of the first of these types that it is of."""
    if stored is None and type(None) in kinds:
        return None
    named = stored.get(_KIND) if isinstance(stored, Mapping) else None
    for kind in kinds:
        if named is not None and getattr(kind, "__name__", "") != named:
            continue
        try:
            return restored(kind, stored)
        except ValueError:
            if named is not None:
                raise
    raise ValueError(f"{named or shortly(stored)}, which is not known here")


def _of_fields(kind: Any, stored: Any) -> Any:
    if not isinstance(stored, Mapping) or stored.get(_KIND) != kind.__name__:
        raise ValueError(f"no {kind.__name__}")
    hints = get_type_hints(kind)
    held = {name: value for name, value in stored.items() if name != _KIND}
    for name in held:
        if name not in hints:
            raise ValueError(f"{kind.__name__} has no {name}")
    values = {name: restored(hints[name], value) for name, value in held.items()}
    if "svg" in values:
        _check_drawing(values["svg"])
    if values.get("href") and not re.fullmatch(r"#[\w-]+", values["href"]):
        raise ValueError(f"a link to {values['href']!r}")
    try:
        return kind(**values)
    except TypeError as error:  # one is missing
        raise ValueError(str(error)) from None


def _gathered(kind: Any, stored: Any) -> Any:
    """Return a tuple, a set or a mapping."""
    of, within = get_origin(kind), get_args(kind)
    if of is not None and issubclass(of, Mapping):
        if not isinstance(stored, Mapping):
            raise ValueError(f"{type(stored).__name__} where a mapping belongs")
        return {restored(within[0], k): restored(within[1], v) for k, v in stored.items()}
    if not isinstance(stored, list) or of is None:
        raise ValueError(f"{type(stored).__name__} where {kind} belongs")
    if of is tuple and within[-1] is not Ellipsis:
        if len(stored) != len(within):
            raise ValueError(f"{len(stored)} values where {len(within)} belong")
        return tuple(map(restored, within, stored))
    return of(restored(within[0], each) for each in stored)


def _check_drawing(svg: str) -> None:
    """Refuse markup that is none of our drawings: the page prints them as they are."""
    # Without these it is the same tree to a parser of XML and to one of HTML.
    if "<!" in svg or "<?" in svg:
        raise ValueError("a drawing with more than shapes")
    try:
        root = ET.fromstring(svg)  # noqa: S314 - without declarations there are no entities
    except ET.ParseError as error:
        raise ValueError(f"a drawing that is none: {error}") from None
    for node in root.iter():
        # A page reads markup in these two as its own.
        holds = len(node) > 0 and node.tag in {"title", "desc"}
        if node.tag not in _SHAPES or holds or not _LOOKS.issuperset(node.attrib):
            raise ValueError(f"a drawing with a strange {node.tag}")
    if root.tag != "svg" or not _FRAME.fullmatch(root.get("viewBox", "")):
        raise ValueError("a drawing that is none")
