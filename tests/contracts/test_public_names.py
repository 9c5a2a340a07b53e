"""Type checkers see every public name as it is, and no name that does not exist."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rankreport as rr
from rankreport import measures

ROOT = Path(rr.__file__).parent
TYPO = "evaluat"
CHECKERS = {
    "mypy": [sys.executable, "-m", "mypy", "--strict", "--no-incremental"],
    "pyright": [sys.executable, "-m", "basedpyright"],
}


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_a_type_checker_knows_the_public_names_and_no_others(checker, tmp_path):
    program = tmp_path / "program.py"
    lines = [
        "import rankreport as rr",
        *(f"reveal_type(rr.{name})" for name in [*rr.__all__, TYPO]),
    ]
    program.write_text("\n".join(lines) + "\n")
    checked = subprocess.run(
        [*CHECKERS[checker], str(program)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT.parent,
    )
    unknown = set(re.findall(r"program\.py:(\d+)\S* (?:- )?error: .*attribute", checked.stdout))
    assert unknown == {str(len(lines))}, checked.stdout
    found = re.findall(r'(?:Revealed type|Type of ".*") is "(.+)"', checked.stdout)
    assert len(found) >= len(rr.__all__)
    assert [kind for kind in found[: len(rr.__all__)] if kind in {"Any", "Unknown"}] == []


def test_the_stub_lists_the_names_in_order_and_the_package_has_them():
    stub = ast.parse((ROOT / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    named = [alias for node in imports for alias in node.names if alias.name != "*"]
    assert [alias.name for alias in named] == [alias.asname for alias in named]
    assert {alias.name for alias in named} <= set(rr.__all__)


def test_names_are_listed_only_where_users_import_them():
    listed = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py*")
        if path.suffix != ".pyc"
        and re.search(r"^__all__ = ", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    by_module = ("measures/", "statistics/")
    others = {path for path in listed if not path.startswith(by_module)}
    assert others == {"charts/__init__.pyi", "spark/__init__.py"}


def test_each_family_names_its_measures_and_nothing_else():
    declared = {each.name for each in rr.catalogue()}
    listed = []
    for module in (ROOT / "measures").glob("[a-z]*.py"):
        loaded = sys.modules.get(f"rankreport.measures.{module.stem}")
        names = getattr(loaded, "__all__", ())
        own = {name for name in names if isinstance(getattr(loaded, name), measures.Measure)}
        if own:
            assert set(names) == own, module.stem
            listed += names
    assert sorted(listed) == sorted(declared)


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'rankreport' has no attribute 'evaluat'"):
        getattr(rr, TYPO)


RESULTS = (rr.Comparison, rr.Evaluation, rr.Gate, rr.Leaderboard, rr.Report)


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.__name__)
def test_a_result_documents_what_it_offers(result):
    fields = {field.name for field in dataclasses.fields(result)}
    names = {name for name in {*dir(result), *fields} if not name.startswith("_")}
    undocumented = [name for name in names - fields if not inspect.getdoc(getattr(result, name))]
    assert undocumented == []
    described = re.search(r"Attributes\n-+\n(.*)", inspect.getdoc(result), re.DOTALL)
    listed = re.findall(r"^(\w[\w, ]*)$", described[1], re.MULTILINE)
    assert {name for line in listed for name in line.split(", ")} >= names & fields


def test_the_reference_lists_every_public_name_once():
    folder = ROOT.parent / "docs" / "reference"
    pages = [path.read_text(encoding="utf-8") for path in folder.glob("*.md")]
    listed = re.findall(
        r"^\.\. auto(?:function|class|exception|data):: (\w+)$", "\n".join(pages), re.MULTILINE
    )
    described = {each.name for each in rr.catalogue()}
    modules = {"charts", "statistics"}
    assert sorted({*rr.__all__} - described - modules) == sorted(listed)
