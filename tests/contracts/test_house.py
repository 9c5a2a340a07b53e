"""Rules of the house that hold for every file."""

from __future__ import annotations

import inspect
import re
import types
from pathlib import Path

import polars as pl
import pytest
import typer

import rankreport as rr
from rankreport.cli.app import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SOURCES = sorted(
    path
    for folder in ("rankreport", "templates", "tests", "scripts", "benchmarks", "notebooks")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".html", ".css", ".js", ".md"} and "__pycache__" not in path.parts
)
CATALOGUE = rr.catalogue()
PUBLIC = [getattr(rr, name) for name in rr.__all__]
FUNCTIONS = [value for value in PUBLIC if isinstance(value, types.FunctionType)]
CLASSES = [value for value in PUBLIC if isinstance(value, type)]
COMMAND = typer.main.get_command(app)


def texts():
    for path in SOURCES:
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def test_templates_escape_what_they_print():
    found = [
        n for n, text in texts() if n.startswith("templates/") and re.search(r"\|\s*safe", text)
    ]
    assert found == []


def test_only_the_page_declares_markup_safe():
    found = [n for n, t in texts() if n.startswith("rankreport/") and "Markup(" in t]
    assert found == ["rankreport/reports/html.py"]


def test_nothing_is_left_to_be_done():
    notes = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
    assert [name for name, text in texts() if notes.search(text)] == []


def test_public_names_are_there_and_in_order():
    assert len(set(rr.__all__)) == len(rr.__all__)
    assert [name for name in rr.__all__ if not hasattr(rr, name)] == []
    listed = [name for name in dir(rr) if not name.startswith("__")]
    assert listed == sorted(rr.__all__)


@pytest.mark.parametrize("value", [*FUNCTIONS, *CLASSES], ids=lambda value: value.__name__)
def test_public_names_are_documented(value):
    assert inspect.getdoc(value)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda value: value.__name__)
def test_public_functions_have_an_example(function):
    assert ">>> " in inspect.getdoc(function)


@pytest.mark.parametrize("measure", CATALOGUE, ids=str)
def test_measures_say_what_they_are(measure):
    declared = measure.declaration
    assert declared.title
    assert declared.family
    assert declared.formula
    assert declared.source
    assert declared.meaning
    assert ">>> " in declared.doc


def test_measures_are_public():
    assert {m.name for m in CATALOGUE} <= set(rr.__all__)


# --- the README lists nothing that does not exist -------------------------------------------------

PROSE = re.sub(r"^```.*?^```$", "", README, flags=re.MULTILINE | re.DOTALL)
CODE = re.findall(r"`([^`\n]+)`", PROSE)
WRITTEN = {"rankreport-demo/report.html", "rankreport-demo/report.ipynb"}
WRITTEN |= {"rankreport-demo/scores.parquet"}


def test_commands_of_the_readme_exist():
    named = re.findall(r"^(?:rankreport|.*&& rankreport) (\w+)", README, re.MULTILINE)
    assert set(named) == set(COMMAND.commands), "all of them, and no others"


def test_options_of_the_readme_exist():
    named = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", README))
    options = {
        name
        for command in [COMMAND, *COMMAND.commands.values()]
        for p in command.params
        for name in p.opts
    }
    assert named <= options | {"--help"}


def test_names_of_the_readme_exist():
    named = set(re.findall(r"\brr\.(\w+)", README))
    assert named
    assert named <= set(rr.__all__)


def test_measures_of_the_readme_exist():
    names = {m.name for m in CATALOGUE}
    named = [
        code
        for code in CODE
        if (name := re.match(r"(\w+)(\(|@|$)", code)) and (name[1] in names or "@" in code)
    ]
    assert len(named) > 5
    assert [code for code in named if rr.parse(code).name not in names] == []


def test_paths_of_the_readme_exist():
    named = {code for code in CODE if re.fullmatch(r"[\w.-]+(/[\w.-]+)+|[A-Z]+(\.md)?", code)}
    named -= {*WRITTEN, *(m.name for m in CATALOGUE)}
    assert {"LICENSE", "CONTRIBUTING.md", "notebooks/first-report.ipynb"} <= named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_column_names_of_the_readme_are_read():
    ids = {"qid": ["q1"], "docno": ["d1"]}
    for name in ("rel", "label"):
        qrels = rr.read_qrels(pl.DataFrame({**ids, name: [1]}))
        assert qrels.collect().rows() == [("q1", "d1", 1.0)]
    run = rr.read_run(pl.DataFrame({**ids, "sim": [0.5]}))
    assert run.collect().rows() == [("q1", "d1", 0.5)]
