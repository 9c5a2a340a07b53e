"""docs/learning-to-rank.md: its code runs, and prints what it shows."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "learning-to-rank.md"
BLOCKS = re.findall(
    r"^```(\w+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)


def test_its_blocks_are_code_and_what_the_code_shows():
    assert {language for language, _ in BLOCKS} == {"python", "shell", "text"}
    pairs = list(pairwise(BLOCKS))
    assert {before for (before, _), (after, _) in pairs if after == "text"} == {"python"}


@pytest.mark.slow  # scikit-learn takes a second to import
def test_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    shown = 0
    for (language, code), (following, text) in zip(BLOCKS, [*BLOCKS[1:], ("", "")], strict=True):
        if language != "python":
            continue
        tree = ast.parse(code)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, PAGE.name, "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), PAGE.name, "eval"), namespace)
            if following == "text":
                assert str(value).splitlines() == text.splitlines()
                shown += 1
    assert shown == [language for language, _ in BLOCKS].count("text")
    assert (tmp_path / "models.html").exists()


@pytest.mark.slow
def test_commands(tmp_path):
    programs = Path(sys.executable).parent
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    for language, code in BLOCKS:
        if language == "shell":
            ended = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", code],
                cwd=tmp_path,
                env={**os.environ, "PATH": path},
                capture_output=True,
                text=True,
                check=False,
            )
            assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "models.html").exists()
