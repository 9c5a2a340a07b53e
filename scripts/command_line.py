"""What the command line shows of declarations, as a module that imports none of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

from rankreport import evaluation, gates, io, labels, measures, planning, reports
from rankreport.comparison import OPTIONS, Option

__all__ = ["module"]

NAMES: Mapping[str, tuple[Iterable[str], str]] = {
    "COLLAPSE": (evaluation.COLLAPSE, "The rules by which passages are folded."),
    "COMBINED": (labels.COMBINED, "The rules by which grades of several people are combined."),
    "DEFAULT_MEASURES": (evaluation.DEFAULT_MEASURES, "The measures unless some are given."),
    "FORMATS": (io.FORMATS, "The formats of inputs that can be named."),
    "INCONCLUSIVE": (gates.INCONCLUSIVE, "How a gate treats an inconclusive result."),
    "NO_RELEVANT": (evaluation.NO_RELEVANT, "The rules for queries without relevant documents."),
    "PRECISION": (evaluation.PRECISION, "The precisions of scores."),
    "PROFILES": (evaluation.PROFILES, "The profiles of other tools."),
    "QUERIES": (evaluation.QUERIES, "The rules for the queries to average over."),
    "SCOPES": (gates.SCOPES, "The queries that a gate judges."),
    "TABLES": (io.TABLES, "The suffixes of tables."),
    "TIES": (measures.TIES, "The tie rules."),
}
"""Declarations of which the command line shows the names."""

OUTPUTS: Mapping[str, tuple[Mapping[str, io.Format], str]] = {
    "CHECKS": (evaluation.CHECKS, "The suffixes of a data check, with notes."),
    "GATES": (gates.FORMATS, "The suffixes of a gate, with notes."),
    "PLANS": (planning.FORMATS, "The suffixes of a plan, with notes."),
    "REPORTS": (reports.FORMATS, "The suffixes of a report, with notes."),
}
"""Formats of results, of which the command line shows suffixes and notes."""

BESIDE = {suffix: each.beside for suffix, each in reports.FORMATS.items() if each.beside}
"""The endings of what a report writes next to a file, by its suffix."""

TEXTS: Mapping[str, tuple[str, str]] = {
    "MEMORY_HELP": (evaluation.MEMORY_HELP, "What an option for the limit of memory does."),
}
"""Texts that several commands show."""

_HEADER = '''\
"""What the command line shows of declarations in other packages, which it does not import.

Written by `python scripts/generate.py`; do not edit it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Flag(NamedTuple):
    """An option of `rankreport.compare` on the command line, as `rankreport.comparison` has it."""

    name: str
    group: str
    field: str
    flag: str
    kind: Any
    metavar: str | None
    help: str
    default: Any

'''


def module() -> str:
    """Return the text of the module."""
    return "\n".join([_HEADER, *_names(), *_outputs(), *_texts(), *_flags()])


def _names() -> Iterator[str]:
    for name, (declared, what) in NAMES.items():
        yield f"{name} = (\n{_lines(map(_text, declared))})"
        yield f'"""{what}"""\n'


def _outputs() -> Iterator[str]:
    for name, (formats, what) in OUTPUTS.items():
        notes = (f"{_text(suffix)}: {_text(each.note)}" for suffix, each in formats.items())
        yield f"{name}: Mapping[str, str] = {{\n{_lines(notes)}}}"
        yield f'"""{what}"""\n'
    beside = (
        f"{_text(suffix)}: (\n{_lines(map(_text, each), 8)}    )" for suffix, each in BESIDE.items()
    )
    yield f"BESIDE: Mapping[str, tuple[str, ...]] = {{\n{_lines(beside)}}}"
    yield '"""The endings of what a report writes next to a file, by its suffix."""\n'


def _texts() -> Iterator[str]:
    for name, (text, what) in TEXTS.items():
        yield f"{name} = {_text(text)}"
        yield f'"""{what}"""\n'


def _flags() -> Iterator[str]:
    yield "COMPARE = ("
    for option in OPTIONS.values():
        given = (f"{name}={value}" for name, value in _arguments(option))
        yield f"    Flag(\n{_lines(given, 8)}    ),"
    yield ')\n"""The options of a comparison."""\n'


def _arguments(option: Option) -> Iterator[tuple[str, str]]:
    command = option.command
    yield "name", _text(option.name)
    yield "group", _text(command.group)
    yield "field", _text(option.field)
    yield "flag", _text(option.flag)
    yield "kind", _kind(command.kind)
    yield "metavar", _text(command.metavar)
    yield "help", _text(command.help)
    yield "default", _text(option.given_unless_named)


def _kind(kind: Any) -> str:
    """Return a type as it is written in code."""
    if isinstance(kind, UnionType):
        return " | ".join(map(_kind, get_args(kind)))
    if kind is NoneType:
        return "None"
    held = ", ".join(map(_kind, get_args(kind)))
    return f"{get_origin(kind).__name__}[{held}]" if held else kind.__name__


def _text(value: Any) -> str:
    """Return a value as it is written in code, texts in double quotes."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _lines(items: Iterable[str], indent: int = 4) -> str:
    return "".join(f"{' ' * indent}{item},\n" for item in items)
