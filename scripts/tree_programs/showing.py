"""What the programs share: results printed whole, and public names that were renamed."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl

import rankreport as rr
from compare_trees import RENAMED, renamed

for _old, _new in RENAMED.items():
    if not hasattr(rr, _old) and hasattr(rr, _new):
        setattr(rr, _old, getattr(rr, _new))  # programs ask for the base tree's names

__all__ = ["called", "found", "renamed", "show", "show_refusal"]


def found(owner: Any, name: str) -> Any:
    """Return an attribute by the name that it had in the base tree, or else by its new one."""
    if name in RENAMED and not hasattr(owner, name):
        return getattr(owner, RENAMED[name])
    return getattr(owner, name)


def called(owner: Any, *names: str) -> None:
    """Show attributes; of methods, what they return without arguments."""
    for name in names:
        value = found(owner, name)
        show(name, value() if callable(value) else value)


def show(title: str, value: Any) -> None:
    """Print a value under a title, in every form that it has."""
    print(f"=== {title}")
    _print(value)


def show_refusal(title: str, call: Callable[[], object]) -> None:
    """Print which error a call raises, or what it returns where it raises none."""
    print(f"=== {title}")
    try:
        _print(call())
    except Exception as error:  # noqa: BLE001 - whichever it is, both trees shall raise it
        print(f"{type(error).__name__}: {error}")


def _print(value: Any) -> None:
    if hasattr(value, "_repr_mimebundle_"):
        _print_shown(value)
    elif isinstance(value, pl.DataFrame):
        print(dict(value.schema))
        print(*map(repr, value.iter_rows()), sep="\n")
    elif isinstance(value, np.ndarray):
        print(value.dtype, value.shape, value.tolist())
    elif (named := _fields(value)) is not None:
        for name, each in named.items():
            print(f"- {name}:")
            _print(each)
    elif isinstance(value, list | tuple):
        print(f"{len(value)} items")
        for each in value:
            _print(each)
    elif inspect.isfunction(value):
        print(value.__qualname__)  # its repr has an address
    else:
        print(value if isinstance(value, str) else repr(value))


def _fields(value: Any) -> Mapping[Any, Any] | None:
    """Return what a value holds by name, if it does: the names of its class may change."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return dict(value._asdict())
    if isinstance(value, rr.Measure | type):
        return None
    if dataclasses.is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    return None


def _print_shown(value: Any) -> None:
    """Print what Jupyter and a terminal show of a result, and of a chart what it is made of."""
    for name in ("alt", "data", "areas"):
        if hasattr(value, name):
            print(f"- {name}")
            _print(getattr(value, name))
    if not hasattr(value, "savefig"):  # the repr of a figure is matplotlib's
        print(f"- repr\n{value!r}\n- str\n{value}")
    for name in ("_repr_html_", "_repr_latex_", "_repr_markdown_"):
        if hasattr(value, name) and not hasattr(value, "savefig"):
            print(f"- {name}\n{getattr(value, name)()}")
    for kind, shown in sorted(value._repr_mimebundle_().items()):
        print(f"- {kind}\n{shown}")
