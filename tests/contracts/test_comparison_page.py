"""docs/comparison.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from rankreport import statistics
from rankreport.comparison.difference import MIN_CHANGED

PAGE = Path(__file__).parents[2] / "docs" / "comparison.md"


def section(title):
    return PAGE.read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]


def named_first(title):
    """The names in the first column of a section's table, in order."""
    rows = re.findall(r"^\| (`.*?`) \|", section(title), re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def test_every_interval_and_test_is_explained():
    assert named_first("Intervals") == list(statistics.INTERVALS)
    assert sorted(named_first("Tests")) == sorted(statistics.TESTS)


def test_every_correction_is_named():
    assert set(statistics.CORRECTIONS) <= set(
        re.findall(r"`([^`]+)`", section("Several differences"))
    )


def test_the_numbers_are_those_of_the_code():
    text = PAGE.read_text(encoding="utf-8")
    assert f"exact up to {statistics.EXACT_LIMIT} changed queries" in text
    assert f"({statistics.PATIENT_LIMIT} on the primary measure)" in text
    assert f"more than {statistics.MOST_DRAWN:,} queries" in text
    assert f"{statistics.GROUPS:,} groups" in text
    assert f"and {MIN_CHANGED} queries or more changed" in text


def test_its_code_runs():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(code, "docs/comparison.md", "exec"), {})
