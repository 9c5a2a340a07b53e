"""docs/rankings.md: its code runs, and prints what it shows."""

from __future__ import annotations

import re
from pathlib import Path

from rankreport.labels.rankings import TIES_IN_WORDS

PAGE = (Path(__file__).parents[2] / "docs" / "rankings.md").read_text(encoding="utf-8")


def test_its_code_prints_what_it_shows(capsys):
    namespace = {}
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == PAGE.count("```python") == 2
    for code, text in blocks:
        exec(compile(code, "docs/rankings.md", "exec"), namespace)
        assert capsys.readouterr().out == text


def test_every_rule_of_ties_is_explained():
    section = PAGE.partition("## Equal scores\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == [
        "ties",
        *TIES_IN_WORDS,
    ]
