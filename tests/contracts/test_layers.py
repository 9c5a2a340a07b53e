"""The architecture: imports go down the layers, and what is slow to import is imported late."""

from __future__ import annotations

import ast
import pkgutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from importlinter import cli

import rankreport

ROOT = Path(rankreport.__file__).parent
LAZY = {"matplotlib", "scipy", "jinja2", "markdown_it", "markupsafe", "nbclient", "nbformat"}
LAZY |= {"latex2mathml", "tqdm", "tqdm.notebook"}
LAZY |= {"rankreport.cli.app"}  # which loads Typer; until then an interrupt ends the program
LAZY |= {"rankreport.comparison.explorer"}  # which loads anywidget
LAZY |= {"http.client", "importlib.metadata", "tomllib", "urllib.error", "urllib.request"}
NAMES = {info.name for info in pkgutil.walk_packages(rankreport.__path__, "rankreport.")}


class Import(NamedTuple):
    target: str
    where: str
    inside: bool  # inside a function
    for_types: bool  # under TYPE_CHECKING


def imports(node, path, *, inside=False, for_types=False):
    """Yield what is imported anywhere beneath a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            where = f"{path.relative_to(ROOT)}:{child.lineno}"
            assert not getattr(child, "level", 0), f"{where}: imports are absolute"
            from_ = getattr(child, "module", None)
            for target in [from_] if from_ else [alias.name for alias in child.names]:
                yield Import(target, where, inside, for_types)
        else:
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            guard = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            yield from imports(child, path, inside=inside or function, for_types=for_types or guard)


@pytest.fixture(scope="module")
def imported():
    """All imports of the package."""
    return [
        found
        for path in sorted(ROOT.rglob("*.py"))
        for found in imports(ast.parse(path.read_text(encoding="utf-8")), path)
    ]


def library(found):
    if found.target in LAZY:
        return found.target
    return found.target.partition(".")[0]


def test_the_contracts_on_imports_are_kept(monkeypatch, capsys):
    monkeypatch.chdir(ROOT.parent)
    assert cli.lint_imports(no_cache=True) == 0, capsys.readouterr().out


def test_only_what_is_slow_to_import_is_imported_inside_functions(imported):
    late = [found for found in imported if found.inside]
    assert late
    assert [found for found in late if library(found) not in LAZY] == []


def test_what_is_slow_to_import_is_imported_inside_functions(imported):
    early = [found for found in imported if not (found.inside or found.for_types)]
    assert [found for found in early if library(found) in LAZY] == []


def test_only_reports_know_jinja_and_nbformat(imported):
    renderers = [
        found for found in imported if library(found) in {"jinja2", "markupsafe", "nbformat"}
    ]
    assert renderers
    assert [found for found in renderers if not found.where.startswith("reports/")] == []


def test_everything_else_imported_is_declared(imported):
    declared = LAZY | {"numpy", "polars", "tqdm", "typer"}  # nbclient is of the extra "notebook"
    allowed = declared | {"rankreport"} | sys.stdlib_module_names
    found = {(library(found), found.where) for found in imported if not found.for_types}
    of_extras = {"spark/": {"pyarrow", "pyspark"}}
    of_extras["comparison/explorer.py"] = {"IPython", "anywidget", "traitlets"}
    assert {
        (name, where)
        for name, where in found
        if name not in allowed
        and not any(name in of and where.startswith(part) for part, of in of_extras.items())
    } == set()


def test_no_module_is_a_drawer():
    assert [n for n in NAMES if n.rpartition(".")[2] in {"utils", "util", "helpers", "misc"}] == []


PACKAGES = sorted(path.parent for path in ROOT.rglob("__init__.py"))


def handed_out(package):
    """Yield the names that a package imports from its modules for others."""
    beneath = ".".join([*package.relative_to(ROOT.parent).parts, ""])
    for face in package.glob("__init__.py*"):
        for node in ast.parse(face.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module.startswith(beneath):
                yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_no_public_name_is_that_of_a_module(package):
    # A package's attribute is either of them, whichever was imported last.
    assert {info.name for info in pkgutil.iter_modules([str(package)])} & {
        *handed_out(package)
    } == set()
