"""docs/objects.md says what the code does: its blocks run, and print what it shows."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

import rankreport as rr
from rankreport.column_names import ALIASES

PAGE = (Path(__file__).parents[2] / "docs" / "objects.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
LOGGED = "rr.log_to_mlflow("


def lines_of(text):
    return [line.rstrip() for line in text.strip().splitlines()]


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """Run the blocks, one after the other; return what is printed and what the page shows."""
    monkeypatch.chdir(tmp_path)
    namespace = {}
    pairs = []
    for (language, text), following in zip(BLOCKS, [*BLOCKS[1:], ("", "")], strict=True):
        if language != "python" or LOGGED in text:
            continue
        tree = ast.parse(text)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "objects.md", "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "objects.md", "eval"), namespace)
            pairs.append((repr(value), following[1] if following[0] == "text" else None))
    return namespace, pairs


def test_its_blocks_print_what_it_shows(shown):
    namespace, pairs = shown
    assert [expected is not None for _, expected in pairs] == [True] * 2
    for printed, expected in pairs:
        assert lines_of(printed) == lines_of(expected)
    assert namespace["comparison"].systems == ("new",)


@pytest.mark.slow  # MLflow takes seconds before its first run
def test_it_logs_to_mlflow(shown, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "store").as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    namespace, _ = shown
    (block,) = [text for _, text in BLOCKS if LOGGED in text]
    exec(block, namespace)
    run = importlib.import_module("mlflow").MlflowClient().get_run(namespace["run_id"])
    names = {"old/nDCG_at_10", "new/mrr", "new_minus_old/nDCG_at_10_delta"}
    assert names <= run.data.metrics.keys()


def test_it_lists_every_alias():
    for column, names in ALIASES.items():
        (row,) = re.findall(rf"^\| `{column}` \| (.*) \|$", PAGE, re.MULTILINE)
        assert re.findall(r"`(.+?)`", row) == list(names)


def test_what_it_says_is_refused_is():
    ranks = [("q1", "d1", 1), ("q1", "d2", 2)]
    for given in ({"q1": {"d1", "d2"}}, ranks):
        with pytest.raises(rr.DataError):
            rr.read_run(given)
        assert rr.read_qrels(given).collect().height == 2
