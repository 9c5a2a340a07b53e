"""The README: short, with pictures of the demo as it is, and the commands that set it up.

That its commands run and print what it says is in test_pages.py.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

import pictures

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_WORDS = 900
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


# --- pictures -------------------------------------------------------------------------------------


def test_it_shows_every_picture_and_says_what_is_on_it():
    shown = {path: alt for alt, path in re.findall(r"!\[([^]]*)\]\(([^)]+)\)", README)}
    assert set(shown) == {f"docs/images/{crop.name}" for crop in pictures.CROPS}
    assert all(len(alt) > 60 for alt in shown.values())
    stored = {path.relative_to(ROOT).as_posix() for path in pictures.FOLDER.iterdir()}
    assert stored == set(shown)


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
