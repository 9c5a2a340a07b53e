"""The README: short, with pictures of the demo as it is, and the commands that set it up.

That its commands run and print what it says is in test_pages.py.
"""

from __future__ import annotations

import ast
import inspect
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from commands import COMMANDS
from PIL import Image

import pictures
import rankreport as rr

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_WORDS = 700
LARGEST_PICTURE = 120_000
SET_UP = [
    "python -m pip install . && rankreport demo",
    "python -m pip install -e '.[dev]' && pytest",
]


def test_it_is_short():
    assert len(README.split()) < MOST_WORDS


def test_the_commands_of_pip_set_it_up():
    shell = re.findall(r"^```shell\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert [text.strip() for text in shell if "pip" in text] == SET_UP
    assert shell[0].strip() == SET_UP[0]


def test_ci_runs_the_same_two_commands():
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert [line.strip() for line in lines if "pip install" in line and "&&" in line] == SET_UP


def test_the_set_up_says_where_the_files_are():
    for name in ("report.html", "report.ipynb", "scores.parquet"):
        assert f"`rankreport-demo/{name}`" in README


@pytest.mark.slow
def test_the_demo_writes_them(tmp_path):
    command = [sys.executable, "-m", "rankreport", "demo"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    for name in ("report.html", "report.ipynb", "scores.parquet"):
        assert f"Wrote rankreport-demo/{name}" in (ended.stdout + ended.stderr).splitlines()
        assert (tmp_path / "rankreport-demo" / name).stat().st_size > 0


def test_every_page_of_docs_is_linked():
    linked = set(re.findall(r"\]\((docs/[\w-]+\.md)\)", README))
    assert linked == {path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md")}


# --- your data, and the claims --------------------------------------------------------------------

LINES = re.findall(r"^\| \[.*?\) \| `(.*)` \|$", README, re.MULTILINE)


def test_there_is_a_line_for_each_of_twelve_tools():
    assert len(LINES) == 13


@pytest.mark.parametrize("line", LINES)
def test_the_line_calls_what_there_is(line):
    if line.startswith("rankreport "):
        _, command, *words = shlex.split(line)
        flags = {word for word in words if word.startswith("-")}
        assert flags <= {flag for option in COMMANDS[command].params for flag in option.opts}
        return
    call = ast.parse(line, mode="eval").body
    function = getattr(rr, call.func.attr)
    given = {keyword.arg: None for keyword in call.keywords}
    inspect.signature(function).bind(*call.args, **given)


def test_figures_are_those_of_the_pages_that_the_studies_write():
    pages = {path.name: path.read_text(encoding="utf-8") for path in ROOT.glob("docs/*.md")}
    results = (ROOT / "benchmarks" / "results.md").read_text(encoding="utf-8")
    words = " ".join(README.split())
    for figure, page in {
        "from 93.3 to 96.5 %": pages["coverage.md"],
        "at most 6.3 %": pages["gates.md"].replace("| 5 % | 6.3 %", "at most 6.3 %"),
        "in up to 93 %": pages["gates.md"],
    }.items():
        assert figure in words
        assert figure in " ".join(page.split())
    assert "| rankreport evaluate | 0.91 | 0.88 | 0.97 | 1.00 | 1.44 | 608 |" in results
    assert "| pytrec_eval | 5.17 | 4.39 | 5.90 | 5.44 | 5.25 | 1,174 |" in results
    assert "0.91 s and 608 MiB, with pytrec_eval 5.17 s and 1,174 MiB" in words
    agreement = (ROOT / "tests" / "helpers" / "agreement.toml").read_text(encoding="utf-8")
    tools = [tool for name, tool in tomllib.loads(agreement).items() if name != "profiles"]
    assert f"{sum(len(tool['agrees']) for tool in tools)} measures and variants" in words


# --- pictures -------------------------------------------------------------------------------------


def test_it_shows_the_first_screen_and_the_page_on_reports_a_query():
    on_reports = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    shown = [re.findall(r"!\[([^]]*)\]\(([^)]+)\)", page) for page in (README, on_reports)]
    (first, path), (second, other) = (picture for (picture,) in shown)
    assert (path, other) == ("docs/images/first-screen.png", "images/query.png")
    assert min(len(first), len(second)) > 60  # says what is on it
    stored = {path.name for path in pictures.FOLDER.iterdir()}
    assert stored == {crop.name for crop in pictures.CROPS} == {"first-screen.png", "query.png"}


@pytest.mark.parametrize("crop", pictures.CROPS, ids=lambda crop: crop.name)
def test_pictures_are_small(crop):
    path = pictures.FOLDER / crop.name
    assert path.stat().st_size <= LARGEST_PICTURE
    with Image.open(path) as picture:
        assert picture.width > 1000
        assert picture.text[pictures.TEXT]


@pytest.mark.slow
@pytest.mark.browser
def test_pictures_show_the_demo_as_it_is(chromium, tmp_path):
    page = pictures.open_page(chromium)
    made = {picture.name: picture for picture in pictures.pictures(page, tmp_path)}
    page.close()
    for name, picture in made.items():
        with Image.open(pictures.FOLDER / name) as stored:
            shown = stored.text[pictures.TEXT]
        assert picture.text == shown, f"run python scripts/pictures.py: {name} is of an older page"
        assert len(picture.png) <= LARGEST_PICTURE
