"""docs/clicks.md: its code runs, and prints what it shows."""

from __future__ import annotations

import re
from pathlib import Path

from rankreport.io import CLICKS
from rankreport.labels import CLICK_MODELS

PAGE = (Path(__file__).parents[2] / "docs" / "clicks.md").read_text(encoding="utf-8")


def test_its_code_prints_what_it_shows(capsys):
    (block,) = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    code, text = block
    exec(compile(code, "docs/clicks.md", "exec"), {})
    assert capsys.readouterr().out == text


def named_first(title):
    section = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


def test_every_model_and_column_is_explained():
    assert named_first("Models") == list(CLICK_MODELS)
    assert set(named_first("Logs")) == set(CLICKS.aliases)


def test_other_names_of_columns_are_accepted():
    for row in re.findall(r"^\| `(\w+)` \| (`.*?`) \|", PAGE, re.MULTILINE):
        assert set(re.findall(r"`(\w+)`", row[1])) <= set(CLICKS.aliases.get(row[0], ()))
