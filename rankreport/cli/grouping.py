"""Commands as Typer makes them of functions, with options in groups.

A group is a dataclass of options, which commands share.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import fields, is_dataclass
from functools import wraps
from itertools import chain, combinations
from pathlib import Path
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand
from typer.main import get_command

from rankreport import io
from rankreport.cli.help import GroupedCommand

Function = Callable[..., None]


def option_of(metavar: str, help_text: str, flags: str = "") -> Any:
    """Return an option, by its flags if these are not the name, such as ``"-m --measure"``."""
    return typer.Option(*flags.split(), metavar=metavar, help=help_text)


def command(*, epilog: str, cls: type[TyperCommand] = GroupedCommand) -> Callable[[Function], Any]:
    """Return a decorator that makes a function with groups of options a command."""

    def made(function: Function) -> Any:
        program = typer.Typer(
            add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
        )
        program.command(cls=cls, epilog=epilog)(takes_groups(function))
        return get_command(program)

    return made


def takes_groups(function: Function) -> Function:
    """Let a function take groups of options: parameters annotated with a dataclass.

    In the signature that Typer reads, a group is replaced by its fields, with their annotations and
    defaults. The function is called with the groups.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Draws:
    ...     resamples: int = 10_000
    ...     seed: int = 0
    >>> @takes_groups
    ... def draw(file: str, draws: Draws) -> None:
    ...     print(file, draws)
    >>> print(inspect.signature(draw))
    (*, file: str, resamples: int = 10000, seed: int = 0)
    >>> draw(file="a.run", resamples=500, seed=7)
    a.run Draws(resamples=500, seed=7)
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    options = {kind.__name__: {each.name for each in fields(kind)} for kind in groups.values()}
    options[f"{function.__name__}()"] = {*hints} - {*groups}
    for (one, mine), (other, theirs) in combinations(options.items(), 2):
        for name in sorted(mine & theirs):
            raise TypeError(f"The option {name} is both of {one} and of {other}: rename one.")
    signature = inspect.Signature(list(_spread(function, hints)))

    @wraps(function)
    def called(**given: Any) -> None:
        files = list(_files_to_read(signature, given))
        for name, group in groups.items():
            given[name] = group(**{each.name: given.pop(each.name) for each in fields(group)})
        with io.files_read() if files else nullcontext():
            for file in files:
                io.note_file(file)
            function(**given)

    vars(called)["__signature__"] = signature
    return called


def _spread(function: Function, hints: Mapping[str, Any]) -> Iterator[inspect.Parameter]:
    """Yield a function's parameters, with groups replaced by their fields."""
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        if not is_dataclass(hint):
            yield parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hint)
            continue
        annotations = get_type_hints(hint, include_extras=True)
        for each in fields(hint):
            yield inspect.Parameter(
                each.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=each.default,
                annotation=annotations[each.name],
            )


_OUTPUTS = ("output", "verdict")
"""The options whose files are written."""

_SOURCES = ("QRELS", "RUN", "OTHER", "BASELINE", "CANDIDATE", "FILE")


def _files_to_read(signature: inspect.Signature, given: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the files and folders that arguments and options name, but for outputs."""
    for name, parameter in signature.parameters.items():
        about = next(iter(getattr(parameter.annotation, "__metadata__", ())), None)
        values = given[name] if isinstance(given[name], list) else [given[name]]
        for value in values:
            if name not in _OUTPUTS and isinstance(value, str | Path):
                yield from _files_of(getattr(about, "metavar", None), os.fspath(value))


def _files_of(metavar: str | None, given: str) -> Iterable[Path]:
    """Return the files that a value names, by the metavariable of its argument or option."""
    match metavar:
        case "DIR":
            return [Path(given)]
        case "FOLDER":  # other files in it, such as a report, are none of the data
            found = (
                Path(given).rglob(each) for each in ("*qrels*", "*.tsv", "*.jsonl", "runs/**/*")
            )
            return filter(io.is_file, chain.from_iterable(found))
        case "[NAME=]HOW":
            return filter(io.is_file, map(Path, (given, given.partition("=")[2])))
    return io.files_named(given) if metavar in _SOURCES else ()
