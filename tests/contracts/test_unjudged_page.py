"""docs/unjudged.md: its code runs, and prints what it shows."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "unjudged.md").read_text(encoding="utf-8")


def test_its_code_prints_what_it_shows(capsys):
    [(code, text)] = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "docs/unjudged.md", "exec"), {})
    assert capsys.readouterr().out == text


def test_the_study_was_written_by_its_script():
    study = ROOT / "benchmarks" / "studies" / "judging_order.md"
    assert "Written by `benchmarks/judging_order_study.py`" in study.read_text(encoding="utf-8")
