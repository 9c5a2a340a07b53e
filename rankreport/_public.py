"""Lazy imports of the names of a package, listed in its ``__init__.pyi`` or its own face."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import PathFinder
from typing import Any


def attach(
    package: dict[str, Any], *, stub: bool = False
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package.

    A name is imported from the module that the stub names, ``__init__.pyi``, and cached in the
    package. ``from x import *`` in the stub means all names in ``x.__all__``. The public names are
    those in ``__all__`` of the stub, or all. Without a stub, the imports of the package itself
    ``if TYPE_CHECKING`` are read as one.
    """
    body = _listed(package, stub=stub)
    imports = [node for node in body if isinstance(node, ast.ImportFrom)]
    homes = {alias.name: node.module or "" for node in imports for alias in node.names}
    starred = [node.module or "" for node in imports if node.names[0].name == "*"]
    homes.pop("*", None)
    listed = [ast.literal_eval(node.value) for node in body if isinstance(node, ast.Assign)]

    def public() -> list[str]:
        if listed:
            return list(listed[0])
        return sorted({*homes, *(name for home in starred for name in import_module(home).__all__)})

    def home_of(name: str) -> str | None:
        if name in homes or name.startswith("__"):
            return homes.get(name)
        # `from package import module` asks for an attribute first.
        if PathFinder.find_spec(f"{package['__name__']}.{name}", package["__path__"]):
            return str(package["__name__"])
        # Importing is slow: what is imported already is looked at first.
        homes_by_cost = sorted(starred, key=lambda home: home not in sys.modules)
        return next((home for home in homes_by_cost if name in import_module(home).__all__), None)

    def __getattr__(name: str) -> Any:  # noqa: N807 - PEP 562
        if name == "__all__":
            return public()
        home = home_of(name)
        if home is None:
            return _unlisted(package["__name__"], name)
        is_module = home == package["__name__"]
        value = import_module(f"{home}.{name}") if is_module else getattr(import_module(home), name)
        package[name] = value
        return value

    def __dir__() -> list[str]:  # noqa: N807 - likewise
        return [*public(), *(name for name in package if name.startswith("__"))]

    return __getattr__, __dir__


def _listed(package: dict[str, Any], *, stub: bool) -> list[ast.stmt]:
    """Return the statements that import the names of a package."""
    # By the loader, which reads an archive too: Spark ships packages so, as "./package.zip".
    source = package["__spec__"].loader.get_data(package["__file__"] + "i" * stub)
    body = ast.parse(source).body
    return body if stub else next(node.body for node in body if isinstance(node, ast.If))


def _unlisted(package: str, name: str) -> str:
    """Return the version, or raise the error for a name that a package does not have."""
    if name == "__version__":
        return str(import_module("importlib.metadata").version("rankreport"))
    hint = ""
    if not name.startswith("_"):
        functions = import_module("rankreport.foreign_keywords").FUNCTIONS
        ours = functions.get(name) or import_module("rankreport.measures").named(name)
        hint = "" if ours is None else f". Here it is rr.{ours}."
    raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
