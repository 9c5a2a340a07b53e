"""Print the public names of a module, their signatures, and what public classes offer.

python -m tree_programs.api_names rankreport.charts
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

import rankreport as rr
from compare_trees import DROPPED
from tree_programs.showing import renamed

_PATH = re.compile(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])")
"""Where an annotation says a name is to be found, which a move changes."""

_KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional only ",
    inspect.Parameter.KEYWORD_ONLY: "keyword only ",
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def described(module: str) -> Iterator[str]:
    """Yield a line for each public name of a module and each public attribute of its classes."""
    held = importlib.import_module(module)
    for name in sorted(set(held.__all__) - DROPPED):
        value = getattr(held, name)
        yield f"{module}.{name}: {_text_of(value)}"
        if inspect.isclass(value):
            yield from (f"{module}.{name}.{line}" for line in _attributes(value))
    hidden = set(held.__all__) - set(dir(held))
    yield f"{module}: not in dir(): {sorted(hidden)}"


def _attributes(kind: type) -> Iterator[str]:
    """Yield the public attributes of a class, those of other libraries' classes left out."""
    own = [each for each in kind.__mro__ if each.__module__.partition(".")[0] == "rankreport"]
    names = {name for each in own for name in (*vars(each), *getattr(each, "__annotations__", ()))}
    for name in sorted(names):
        if name.startswith("_") or f"{kind.__name__}.{name}" in DROPPED:
            continue
        found = inspect.getattr_static(kind, name, None)
        if isinstance(found, staticmethod | classmethod):
            yield f"{name}: {type(found).__name__} {_text_of(getattr(kind, name))}"
        elif found is not None and not isinstance(found, str | int | float | tuple):
            yield f"{name}: {_text_of(found)}"
        else:
            yield f"{name}: attribute {found!r}"
    if dataclasses.is_dataclass(kind):
        yield f"fields: {[(f.name, _annotation(f.type)) for f in dataclasses.fields(kind)]}"
    if issubclass(kind, tuple):
        yield f"fields: {getattr(kind, '_fields', ())}"
    bases = [each.__name__ for each in kind.__mro__ if each.__module__ == "builtins"]
    yield f"builtin bases: {bases}"


def _text_of(value: Any) -> str:
    if isinstance(value, rr.Measure):
        return f"measure {_signature(inspect.Signature([*value.declaration.parameters.values()]))}"
    if isinstance(value, property):
        return f"property -> {_annotation(_returned(value.fget))}"
    if hasattr(value, "func") and not callable(value):  # a cached property
        return f"property -> {_annotation(_returned(value.func))}"
    if not callable(value):
        return f"{type(value).__name__} {_shown(value)}"
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return type(value).__name__
    kind = "class" if inspect.isclass(value) else type(value).__name__
    return f"{kind} {_signature(signature)}"


def _returned(function: Any) -> Any:
    return getattr(function, "__annotations__", {}).get("return", inspect.Signature.empty)


def _shown(value: Any) -> str:
    """Return what a constant holds: of a mapping, its keys; of a module, its name."""
    if inspect.ismodule(value):
        return value.__name__
    if hasattr(value, "keys") and not inspect.isclass(value):
        return repr(list(value.keys()))
    return re.sub(r" at 0x\w+", "", repr(value))


def _signature(signature: inspect.Signature) -> str:
    parts = [
        f"{_KINDS.get(each.kind, '')}{each.name}: {_annotation(each.annotation)}"
        + ("" if each.default is each.empty else f" = {_shown(each.default)}")
        for each in signature.parameters.values()
    ]
    return f"({', '.join(parts)}) -> {_annotation(signature.return_annotation)}"


def _annotation(annotation: Any) -> str:
    """Return an annotation as text, without the modules that its names come from."""
    if annotation is inspect.Signature.empty:
        return "?"
    annotation = getattr(annotation, "__forward_arg__", annotation)
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return _PATH.sub("", text)


if __name__ == "__main__":
    # Sorted by the new names, so that a renaming does not move a line.
    print("\n".join(sorted(map(renamed, described(sys.argv[1])))))
