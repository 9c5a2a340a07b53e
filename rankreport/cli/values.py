"""Values of arguments and options: the plain types are converted here.

Typer converts every value with Pydantic, whose import and schemas take longer than the rest of the
command line. What is given here to a type that is not plain, or does not fit, Typer converts or
refuses, so that messages are its own. Versions of Typer without Pydantic are left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin

from typer.core import TyperCommand, TyperGroup

from rankreport.cli.foreign_options import as_our_option, ours_in_usage_errors

_INTEGER = r"[+-]?[0-9]+"
_DECIMAL = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"

_PLAIN: dict[object, Callable[[str], Any]] = {
    str: lambda text: text,
    Path: Path,
    int: lambda text: int(text) if re.fullmatch(_INTEGER, text) else None,
    float: lambda text: float(text) if re.fullmatch(_DECIMAL, text) else None,
}
"""Plain types, with what converts a text, to None if it does not fit."""


class _Plain:
    """What converts values of plain types without Pydantic."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _convert_plainly(vars(self)["params"])

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse the options; an error is of all that are of other tools."""
        own = {option for each in vars(self)["params"] for option in each.opts}
        args = [as_our_option(each, own) for each in args]
        with ours_in_usage_errors(tuple(each for each in args if each not in own)):
            return super().parse_args(ctx, args)  # type: ignore[misc]

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option that shows the help."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        _convert_plainly([option])
        return option


class PlainCommand(_Plain, TyperCommand):
    """A command whose values of plain types are converted without Pydantic."""


class PlainGroup(_Plain, TyperGroup):
    """A group of commands, likewise."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse the options, which follow a command, as files do."""
        first = args[0] if args else ""
        if first == "-m" or (first not in self.list_commands(ctx) and Path(first).is_file()):
            ctx.fail("Name a command first, such as: rankreport evaluate QRELS RUN.")
        return super().parse_args(ctx, args)

    @ours_in_usage_errors()
    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Parse the options before a command."""
        return super().make_context(*args, **kwargs)

    @ours_in_usage_errors()
    def invoke(self, ctx: Any) -> Any:
        """Parse a command and call it."""
        return super().invoke(ctx)


def _convert_plainly(parameters: Iterable[Any]) -> None:
    for each in parameters:
        if hasattr(each, "get_runtime_param") and "get_runtime_param" not in vars(each):
            kind, usual = each.type_descriptor.annotation, each.get_runtime_param
            each.get_runtime_param = partial(_Conversion, kind, usual)


class _Conversion(NamedTuple):
    """Converts the values of a parameter, in place of Typer's own conversion.

    Attributes
    ----------
    kind
        The type of the value.
    usual
        Returns Typer's own conversion.
    """

    kind: Any
    usual: Callable[[], Any]

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a value as its type."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        several = get_origin(self.kind) is list and isinstance(value, list | tuple)
        kind = get_args(self.kind)[0] if several else self.kind
        each = [_converted(item, kind) for item in (value if several else [value])]
        if any(item is None for item in each):
            return self.usual().coerce(value, param=param, ctx=ctx)
        return each if several else each[0]


def _converted(value: Any, kind: Any) -> Any:
    """Return a value as a plain type; None if the type is not plain, or the value does not fit.

    >>> _converted("7", int), _converted("7.5", float), _converted(10_000, int)
    (7, 7.5, 10000)
    >>> _converted("many", int), _converted("7", tuple)
    (None, None)
    """
    if kind not in _PLAIN:
        return None
    if isinstance(value, str):
        return _PLAIN[kind](value)
    return value if isinstance(value, kind) and not isinstance(value, bool) else None
