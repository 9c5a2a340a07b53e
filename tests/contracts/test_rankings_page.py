"""docs/rankings.md: its code runs, and prints what it shows."""

from __future__ import annotations

import re
from pathlib import Path

from rankreport.labels import RANKING_TIES

PAGE = (Path(__file__).parents[2] / "docs" / "rankings.md").read_text(encoding="utf-8")


def test_its_code_prints_what_it_shows(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    blocks = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", PAGE, re.DOTALL)
    assert len(blocks) == PAGE.count("```python") == 3
    for code, text in blocks:
        exec(compile(code, "docs/rankings.md", "exec"), namespace)
        assert capsys.readouterr().out == text
    assert "bm25 with names" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_every_rule_of_ties_is_explained():
    section = PAGE.partition("## Equal scores\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == [
        "ties",
        *RANKING_TIES,
    ]
