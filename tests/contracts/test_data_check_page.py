"""docs/data-check.md says what the code does."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from commands import COMMANDS

import rankreport as rr
from rankreport.evaluation import COLLAPSE

PAGE = (Path(__file__).parents[2] / "docs" / "data-check.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_code_prints_what_the_page_shows():
    namespace = {}
    blocks = BLOCK.findall(PAGE)
    assert len(blocks) == PAGE.count("```python")
    for code, shown in blocks:
        tree = ast.parse(code)
        last = tree.body.pop()
        exec(compile(tree, "data-check.md", "exec"), namespace)
        value = eval(compile(ast.Expression(last.value), "data-check.md", "eval"), namespace)
        pattern = "\n".join(".*" if x == "..." else re.escape(x) for x in shown.splitlines())
        assert re.fullmatch(pattern, repr(value).rstrip(), re.DOTALL), repr(value)


def test_every_rule_of_folding_is_explained():
    assert re.findall(r'^\| `"(\w+)"` \|', PAGE, re.MULTILINE) == list(COLLAPSE)


def test_options_exist():
    known = {name for command in COMMANDS.values() for p in command.params for name in p.opts}
    named = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", PAGE))
    assert named
    assert named <= known


def test_exit_codes_are_those_of_the_command():
    codes = re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)
    assert codes == ["0", "1", "2", "70"]
    epilog = COMMANDS["check"].epilog
    assert [code for code in codes if not re.search(rf"\b{code} (if|for)\b", epilog)] == []


def test_methods_exist():
    named = re.findall(r"`found\.(\w+)", PAGE)
    assert named
    assert [name for name in named if name not in dir(rr.check({"q": {"d": 1}}, {"a": {}}))] == []
