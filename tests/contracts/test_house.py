"""Rules of the house that hold for every file."""

from __future__ import annotations

import inspect
import re
import types
from pathlib import Path

import pytest

import rankreport as rr
from lines_of_code import lines_of_code

ROOT = Path(__file__).parents[2]
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


@pytest.mark.parametrize("value", [*FUNCTIONS, *CLASSES], ids=lambda value: value.__name__)
def test_public_names_have_an_example(value):
    is_error = inspect.isclass(value) and issubclass(value, Exception)
    assert is_error or ">>> " in value.__doc__


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


def test_lines_of_code_are_counted_without_comments_docstrings_and_blanks():
    source = '''"""A module,
whose docstring has two lines."""

text = """one
two"""  # a comment


def same(value):
    """Return it."""
    # Nothing is done.
    return value
'''
    assert lines_of_code(source) == 4


def test_the_table_of_packages_names_files_that_there_are():
    rows = re.findall(
        r"(?m)^\| ((?:`\w+`(?:, )?)+) \| (.*) \|$", (ROOT / "CONTRIBUTING.md").read_text()
    )
    assert len(rows) > 15
    missing = [
        f"{package}/{name}"
        for packages, words in rows
        for package in re.findall(r"`(\w+)`", packages)
        if (ROOT / "rankreport" / package).is_dir()
        for name in re.findall(r"`([a-z_]+)/?`", words)
        if not any((ROOT / "rankreport" / package / f).exists() for f in (name, f"{name}.py"))
    ]
    assert missing == []
