"""The house: imports go only down, and nothing grows too big to be read."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
from fnmatch import fnmatchcase
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import rankreport

LAYERS = [
    # A module imports from the lines below its own, never from above, nor from its own line; the
    # modules of one package, where they share a line, may import each other, but not in a circle.
    "__main__",
    "cli",
    "cli_options cli_outputs",
    "cli_groups cli_words",
    "reporting",
    "cells",  # of a report's notebook
    "sections",  # the package itself, which puts them in order
    "sections.*",
    "sections.content sections.parts",
    "gating placing planning",
    "gated",
    "candidates",  # of a gate
    "findings piloting",
    "comparing requirements",
    "comparison",
    "charted wording",
    "compared comparison_caveats",
    "banding effect_sizes one_sided outlooks segmenting verdict",
    "difference",
    "contrasts",
    "families pairing traits",
    "evaluating",
    "evaluation",
    "levelled thresholded",
    "asking caveats curves levelling ordering",
    "score_files",
    "origins reference",
    "top_lists",
    "operating_points profiles quality weighing",
    "judging",
    "measures",  # the package itself, which gathers what stands beneath it
    "measures.*",  # the families, scoring and parsing
    "measures.blocks measures.declare measures.discounting measures.terms",
    "measures.parameters measures.prepared",
    "ranking",
    "loading loading.*",
    "example",
    "charts charts.*",
    "rendering rendering.*",
    "writing",
    "drawing",
    "statistics statistics.*",
    "columns",
    "errors",
]
LAZY = {"matplotlib", "scipy", "jinja2", "markdown_it", "markupsafe", "nbclient", "nbformat"}
LAZY |= {"latex2mathml"}
ROOT = Path(rankreport.__file__).parent
LINES_OF_A_MODULE = 400
LINES_OF_A_FUNCTION = 40


class Import(NamedTuple):
    target: str
    line: int
    inside: bool  # inside a function
    for_types: bool  # under TYPE_CHECKING


class Module(NamedTuple):
    name: str  # without "rankreport.", and empty for the package itself
    path: Path
    tree: ast.Module
    imports: list[Import]


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        yield Module(name, path, tree, list(imports(tree)))


def imports(node, *, inside=False, for_types=False):
    """Yield what is imported anywhere beneath a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, child.lineno, inside, for_types)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"line {child.lineno}: imports are absolute"
            for alias in child.names:
                target = f"{child.module}.{alias.name}"
                is_module = target in NAMES or child.module == "rankreport"
                yield Import(target if is_module else child.module, child.lineno, inside, for_types)
        else:
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            guard = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            yield from imports(child, inside=inside or function, for_types=for_types or guard)


NAMES = {info.name for info in pkgutil.walk_packages(rankreport.__path__, "rankreport.")}
MODULES = list(modules())


def own(module):
    """Yield the imports of the project's own modules, each with its name in `LAYERS`."""
    for found in module.imports:
        if found.target.partition(".")[0] == "rankreport":
            yield found, found.target.removeprefix("rankreport").removeprefix(".")


def layer(name):
    """Give the place of a module; where two patterns fit, the longer says more."""
    fitting = [
        (len(pattern), place)
        for place, line in enumerate(LAYERS)
        for pattern in line.split()
        if fnmatchcase(name, pattern)
    ]
    assert fitting, f"rankreport.{name} stands nowhere in LAYERS: say where it belongs"
    return max(fitting)[1]


def test_contributors_are_told_the_same_order():
    told = (ROOT.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, house, rest = told.partition("| layer | what it does |\n")
    rows = house and rest.partition("\n\n")[0].splitlines()[1:]
    named = [name for row in rows for name in re.findall(r"`(\w+)/?`", row.split("|")[1])]
    assert named == list(dict.fromkeys(p.partition(".")[0] for x in LAYERS for p in x.split()))


def violations(*, for_types):
    found = []
    for module in MODULES:
        if not module.name:
            continue  # it gathers the public names
        for imported, target in own(module):
            where = f"{module.path.relative_to(ROOT)}:{imported.line} imports {target or 'itself'}"
            if imported.for_types != for_types:
                continue
            same_package = module.name.partition(".")[0] == target.partition(".")[0]
            above = not target or layer(target) < layer(module.name)
            beside = target and layer(target) == layer(module.name) and not same_package
            if above or beside:
                found.append(where)
    return found


def test_every_module_has_its_layer():
    for module in MODULES:
        if module.name:
            layer(module.name)


def test_every_layer_has_a_module():
    present = {layer(module.name) for module in MODULES if module.name}
    assert [LAYERS[place] for place in set(range(len(LAYERS))) - present] == []


def test_imports_go_only_down():
    assert violations(for_types=False) == []


def test_imports_for_types_go_only_down():
    assert violations(for_types=True) == []


def test_no_imports_run_in_a_circle():
    graph = {m.name: {target for _, target in own(m)} - {m.name} for m in MODULES if m.name}
    tuple(TopologicalSorter(graph).static_order())  # raises CycleError otherwise


def test_what_is_imported_inside_functions_is_for_start_up_alone():
    found = [
        f"{module.path.relative_to(ROOT)}:{imported.line} imports {imported.target}"
        for module in MODULES
        for imported in module.imports
        if imported.inside and imported.target.partition(".")[0] not in LAZY
    ]
    assert found == []


def test_what_is_slow_to_import_is_imported_inside_functions():
    found = [
        f"{module.path.relative_to(ROOT)}:{imported.line} imports {imported.target}"
        for module in MODULES
        for imported in module.imports
        if not (imported.inside or imported.for_types) and imported.target.partition(".")[0] in LAZY
    ]
    assert found == []


def test_only_rendering_knows_jinja_and_nbformat():
    found = [
        f"{module.path.relative_to(ROOT)}:{imported.line}"
        for module in MODULES
        for imported in module.imports
        if imported.target.partition(".")[0] in {"jinja2", "markupsafe", "nbformat"}
        and module.name.partition(".")[0] != "rendering"
    ]
    assert found == []


def test_everything_else_imported_is_declared():
    declared = {"jinja2", "latex2mathml", "markdown_it", "markupsafe", "matplotlib", "nbformat"}
    declared |= {"nbclient"}  # of the extra "notebook", imported where it is asked for
    declared |= {"numpy", "polars", "scipy"}
    allowed = declared | {"rankreport", "tqdm", "typer"} | sys.stdlib_module_names
    found = {found.target.partition(".")[0] for module in MODULES for found in module.imports}
    assert found <= allowed


def test_no_module_is_a_drawer():
    assert [m.name for m in MODULES if m.path.stem in {"utils", "util", "helpers", "misc"}] == []


def test_no_public_function_bears_the_name_of_a_module():
    # A package's attribute is either the function or the module, whichever was imported last.
    for package in ["rankreport", *(name for name in NAMES if f"{name}.".count(".") == 2)]:
        loaded = importlib.import_module(package)
        beneath = {info.name for info in pkgutil.iter_modules(getattr(loaded, "__path__", []))}
        assert beneath & set(getattr(loaded, "__all__", ())) == set(), package


def test_modules_are_short_enough_to_read():
    lengths = {m.name: len(m.path.read_text(encoding="utf-8").splitlines()) for m in MODULES}
    assert {name: n for name, n in lengths.items() if n > LINES_OF_A_MODULE} == {}


def test_functions_are_short_enough_to_read():
    found = {}
    for module in MODULES:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                n_lines = node.end_lineno - body[0].lineno + 1 if body else 0
                if n_lines > LINES_OF_A_FUNCTION:
                    found[f"{module.name}.{node.name}"] = n_lines
    assert found == {}
