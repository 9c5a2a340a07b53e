"""docs/comparison.md says what the code does; run this file to write its table of what combines."""

from __future__ import annotations

import re
from pathlib import Path

from rankreport import statistics
from rankreport.columns import COMPARISON
from rankreport.verdict import MIN_CHANGED

PAGE = Path(__file__).parent.parent / "docs" / "comparison.md"
BLOCK = re.compile(r"(?<=<!-- matrix -->\n).*?(?=<!-- end -->)", re.DOTALL)


def matrix():
    head = "| structure | intervals | `auto` is | tests | corrections |\n"
    lines = [head, "| --- | --- | --- | --- | --- |\n"]
    for structure, allowed, auto in statistics.matrix():
        names = [", ".join(f"`{name}`" for name in names) for names in allowed]
        kinds = " and ".join(structure) or "none"
        lines.append(f"| {kinds} | {names[0]} | {auto} | {names[1]} | {names[2]} |\n")
    return "".join(lines)


def section(title):
    return PAGE.read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]


def named_first(title):
    """The names in the first column of a section's table, in order."""
    rows = re.findall(r"^\| (`.*?`) \|", section(title), re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def test_what_combines_is_published_as_it_is():
    (published,) = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert published == matrix()


def test_every_column_is_explained():
    assert named_first("The columns") == list(COMPARISON)


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
    assert f"more than {statistics.buckets.BUCKETED_ABOVE:,} queries" in text
    assert f"{statistics.BUCKETS:,} buckets" in text
    assert f"and {MIN_CHANGED} queries or more changed" in text


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BLOCK.sub(lambda _: matrix(), page), encoding="utf-8")
