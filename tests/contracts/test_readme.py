"""What the README says to run does run, and prints what the README says it prints."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import rankreport as rr

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SET_UP = [
    "python -m pip install . && rankreport demo",
    "python -m pip install -e '.[dev]' && pytest",
]


class Block(NamedTuple):
    language: str
    text: str
    line: int


def blocks(markdown):
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", markdown, re.MULTILINE | re.DOTALL):
        yield Block(found[1], found[2], markdown.count("\n", 0, found.start()) + 1)


def with_output(wanted):
    """Yield the blocks in a language, each with the block of text that follows it, if one does."""
    pairs = zip(BLOCKS, [*BLOCKS[1:], None], strict=True)
    for block, following in pairs:
        if block.language == wanted:
            shown = following is not None and following.language == "text"
            yield block, following.text if shown else None


BLOCKS = list(blocks(README))
SLOW = pytest.mark.slow  # a page and a notebook in one command
SHELL = [(block, shown) for block, shown in with_output("shell") if "pip" not in block.text]


def lines_of(text):
    return [line.rstrip() for line in text.strip().splitlines()]


def assert_shown(shown, printed):
    """Compare line by line; a line of three dots stands for any lines."""
    pattern = "\n".join(".*" if x == "..." else re.escape(x) for x in lines_of(shown))
    if not re.fullmatch(pattern, "\n".join(lines_of(printed)), re.DOTALL):
        pytest.fail(
            f"The README shows\n\n{shown}\nbut this was printed:\n\n{printed}", pytrace=False
        )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Stand in a folder with the example data as the files that the README names."""
    example = rr.load_example()
    qrels = rr.read_qrels(example.qrels).collect()
    (tmp_path / "qrels.txt").write_text(
        "".join(f"{q} 0 {d} {grade:g}\n" for q, d, grade in qrels.iter_rows()), encoding="utf-8"
    )
    for system, path in example.runs.items():
        run = rr.read_run(path).select("query_id", "doc_id", "score").collect()
        lines = [f"{q} Q0 {d} 0 {score!r} {system}\n" for q, d, score in run.iter_rows()]
        (tmp_path / f"{system}.run").write_text("".join(lines), encoding="utf-8")
    shutil.copy(example.queries, tmp_path / "questions.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_block_says_what_it_is():
    assert {block.language for block in BLOCKS} == {"shell", "python", "text"}
    for before, block in zip([None, *BLOCKS], BLOCKS, strict=False):
        if block.language == "text":
            assert before.language in {"shell", "python"}, f"README.md:{block.line}"


def test_the_first_two_blocks_set_it_up():
    assert [block.text.strip() for block in BLOCKS[:2]] == SET_UP
    assert "pip" not in "".join(block.text for block in BLOCKS[2:])


def test_ci_runs_the_same_two_commands():
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert [line.strip() for line in lines if "pip install" in line and "&&" in line] == SET_UP


def test_the_set_up_says_where_the_files_are():
    for name in ("report.html", "report.ipynb", "scores.parquet"):
        assert f"`rankreport-demo/{name}`" in README


@pytest.mark.slow
def test_the_demo_writes_them(tmp_path):
    printed = run_in_shell("rankreport demo", tmp_path)
    for name in ("report.html", "report.ipynb", "scores.parquet"):
        assert f"Wrote rankreport-demo/{name}" in printed.splitlines()
        assert (tmp_path / "rankreport-demo" / name).stat().st_size > 0


def run_in_shell(command, folder):
    programs = Path(sys.executable).parent
    ended = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        pytest.param(
            *pair, id=f"line {pair[0].line}", marks=SLOW if ".ipynb" in pair[0].text else ()
        )
        for pair in SHELL
    ],
)
def test_commands(block, shown, folder):
    printed = run_in_shell(block.text, folder)
    if shown is not None:
        # Progress and notes go to standard error, which the terminal mixes in where it likes.
        assert_shown(shown, printed)
    for name in re.findall(r"-o (\S+)", block.text):
        assert (folder / name).stat().st_size > 0


@pytest.mark.usefixtures("folder")
def test_python():
    namespace = {}
    for block, shown in with_output("python"):
        tree = ast.parse(block.text, f"README.md:{block.line}")
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"README.md:{block.line}", "exec"), namespace)
        if last is None:
            continue
        expression = ast.Expression(last.value)
        value = eval(compile(expression, f"README.md:{block.line}", "eval"), namespace)
        bundle = value._repr_mimebundle_() if hasattr(value, "_repr_mimebundle_") else {}
        if shown is not None:
            assert_shown(shown, bundle.get("text/plain", repr(value)))
