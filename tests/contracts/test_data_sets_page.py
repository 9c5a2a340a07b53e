"""docs/data-sets.md: its code runs, and prints what it shows."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "data-sets.md").read_text(encoding="utf-8")


def test_its_code_prints_what_it_shows(capsys):
    namespace = {}
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == PAGE.count("```python") > 0
    for code, text in blocks:
        exec(compile(code, "docs/data-sets.md", "exec"), namespace)
        assert capsys.readouterr().out == text
