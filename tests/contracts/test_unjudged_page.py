"""docs/unjudged.md: its code runs, and prints what it shows."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "unjudged.md").read_text(encoding="utf-8")


def test_its_code_prints_what_it_shows(capsys):
    [(code, text)] = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "docs/unjudged.md", "exec"), {})
    assert capsys.readouterr().out == text


def test_the_study_was_written_by_its_script():
    section = PAGE.partition("## How much sooner\n")[2]
    assert section.strip().startswith("Written by `benchmarks/judging_order_study.py`")
