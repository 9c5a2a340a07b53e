"""Lazy imports of the names of a package, which its ``__init__.pyi`` lists."""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import PathFinder
from typing import Any


def attach_stub(
    package: dict[str, Any],
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package with an ``__init__.pyi``.

    A name is imported from the module that the stub names, and cached in the package.
    ``from x import *`` in the stub means all names in ``x.__all__``. The public names are those in
    ``__all__`` of the stub, or all.
    """
    # By the loader, which reads an archive too: Spark ships packages so, as "./package.zip".
    stub = ast.parse(package["__spec__"].loader.get_data(f"{package['__file__']}i"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    homes = {alias.name: node.module or "" for node in imports for alias in node.names}
    starred = [node.module or "" for node in imports if node.names[0].name == "*"]
    homes.pop("*", None)
    listed = [ast.literal_eval(node.value) for node in stub.body if isinstance(node, ast.Assign)]

    def public() -> list[str]:
        if listed:
            return list(listed[0])
        return sorted({*homes, *(name for home in starred for name in import_module(home).__all__)})

    def home_of(name: str) -> str | None:
        if name in homes or name.startswith("__"):
            return homes.get(name)
        # `from package import module` asks for an attribute before it imports the module.
        if PathFinder.find_spec(f"{package['__name__']}.{name}", package["__path__"]):
            return None
        return next((home for home in starred if name in import_module(home).__all__), None)

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


def _unlisted(package: str, name: str) -> str:
    """Return the version, or raise the error for a name that a package does not have."""
    if name == "__version__":
        return str(import_module("importlib.metadata").version("rankreport"))
    hint = ""
    if not name.startswith("_"):
        functions = import_module("rankreport.keywords").FUNCTIONS
        ours = functions.get(name) or import_module("rankreport.measures").named(name)
        hint = "" if ours is None else f". Here it is rr.{ours}."
    raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
