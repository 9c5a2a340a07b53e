"""What is private stays in its package, and the name of a class means one thing."""

from __future__ import annotations

import ast
import collections
import tomllib
from pathlib import Path

import pytest

import rankreport

ROOT = Path(rankreport.__file__).parent
TREES = {
    path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(ROOT.rglob("*.py"))
}
OF_TUPLES = {"_asdict", "_replace", "_fields", "_make"}
"""Documented members of named tuples."""


def package_of(name):
    return name.partition("/")[0].removesuffix(".py")


def defined(tree):
    """Yield the names that a module or its classes define."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr


def reached(trees):
    """Yield where a package reads a private member that another defines, and it does not."""
    own = collections.defaultdict(set)
    for name, tree in trees.items():
        own[package_of(name)].update(defined(tree))
    for name, tree in trees.items():
        others = set().union(*(names for room, names in own.items() if room != package_of(name)))
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or node.attr in OF_TUPLES:
                continue
            is_private = node.attr.startswith("_") and not node.attr.startswith(("__", "_repr_"))
            is_own = isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
            if is_private and not is_own and node.attr in others - own[package_of(name)]:
                yield f"{name}:{node.lineno} {node.attr}"


def test_no_package_reads_private_members_of_another():
    assert list(reached(TREES)) == []


@pytest.mark.parametrize(
    ("read", "found"),
    [
        ("value._held", ["b/two.py:1 _held"]),
        ("value.held, value._other, value._asdict(), value._repr_html_()", []),
        ("self._held", []),
    ],
)
def test_reads_of_private_members_are_found(read, found):
    one = "class One:\n    _held = 1\n    _asdict = 1\n    def _repr_html_(self): ...\n    held = 1"
    trees = {"a/one.py": ast.parse(one), "b/two.py": ast.parse(read)}
    assert list(reached(trees)) == found


def test_no_private_name_is_excused_from_the_check_of_style():
    settings = tomllib.loads((ROOT.parent / "pyproject.toml").read_text(encoding="utf-8"))
    lint = settings["tool"]["ruff"]["lint"]
    assert "flake8-self" not in lint
    excused = {where for where, rules in lint["per-file-ignores"].items() if "SLF001" in rules}
    assert excused == {"{conftest.py,tests/**}"}


def test_no_class_name_stands_for_two_classes():
    places = collections.defaultdict(list)
    for name, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


MOST_NAMES = 40
"""The most names that a package reads of another."""

READ_BY_MOST = {"text", "measures"}
"""Packages whose names are those of the field and of prose, and may all be read."""


def names_read(trees):
    """Return the names that each package imports of each other one."""
    read = collections.defaultdict(set)
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("rankreport."):
                pair = package_of(name), node.module.split(".")[1]
                read[pair] |= {alias.name for alias in node.names}
    return {pair: names for pair, names in read.items() if len({*pair}) > 1}


def test_no_package_reads_too_many_names_of_another():
    read = {pair: len(names) for pair, names in names_read(TREES).items()}
    above = {pair: n for pair, n in read.items() if n > MOST_NAMES}
    assert {pair: n for pair, n in above.items() if pair[1] not in READ_BY_MOST} == {}


def test_names_read_are_counted_once_and_not_of_the_own_package():
    lines = ("from rankreport.b import x, y", "from rankreport.a.one import z", "import ast")
    trees = {"a/one.py": ast.parse("\n".join(lines)), "a/two.py": ast.parse(lines[0])}
    assert names_read(trees) == {("a", "b"): {"x", "y"}}
