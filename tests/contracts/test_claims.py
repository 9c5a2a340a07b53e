"""What pages quote of the studies is what these have written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "benchmarks" / "studies"
QUOTED = {
    ("clicks.md", "claims.md"): [
        ("in 96 % (at least 93 %)", "in 96 % (at least 93 %)"),
        ("in 93 % (at least 92 %)", "in 93 % (at least 92 %)"),
    ],
    ("comparison.md", "claims.md"): [
        ("in 132 of 132", "in 132 of 132"),
        ("6.5 % (standard error 1.7)", "6.5 % (standard error 1.7;"),
        ("at most 6.3 % of samples (standard error 0.8", "6.3 % (standard error 0.8)"),
        ("worse in at most 3.0 %", "one is called worse, in both | | 3.0 %"),
        ("in 81.6 %", "| 81.6 %"),
    ],
    ("coverage.md", "coverage_claims.md"): [
        ("114 of 116 cells, from 93.3 to 96.5 %", "114 of 116 cells, from 93.3 to 96.5 %"),
        ("70 of 70 cells, from 93.3 to 96.8 %", "70 of 70 cells, from 93.3 to 96.8 %"),
        ("234 of 234 cells, up to 6.3 %", "234 of 234 cells, from 0.0 to 6.3 %"),
        ("192 of 204 cells, from 3.0 %", "192 of 204 cells, from 3.0 to 6.3 %"),
        ("3.5 to 24.4 %", "3.5 to 24.4 %"),
        ("7.2 to 31.6 %", "7.2 to 31.6 %"),
        ("2.9 to 18.1 %", "2.9 to 18.1 %"),
        ("94.5 to 95.3 %", "94.5 to 95.3 %"),
        ("62.2 to 99.8 %", "62.2 to 99.8 %"),
        ("97.3 % of samples of 25 queries", "| 25 | 97.3 |"),
        ("41.0 %, 74.8 % and 87.6 %", "| 41.0 | 74.8 | 87.6 |"),
        ("92.2 % or more", "92.2 % or more"),
    ],
    ("gates.md", "gate_claims.md"): [
        ("limit | 5 % | 6.3 % (standard error 0.4)", "limit | 5 % | 6.3 % (standard error 0.4)"),
        ("2.5 % | 3.6 %", "2.5 % | 3.6 %"),
        ("passes wrongly in at most 6.3 %", "at its limit | 5 % | 6.3 %"),
        ("wrongly in at most 3.0 %", "at their limits | 5 % | 3.0 %"),
        ("in up to 93 %", "in up to 93 %"),
        ("79.4 to 83.9 %", "79.4 to 83.9 %"),
    ],
    ("judges.md", "claims.md"): [
        ("Of 960 cells", "Of 960 cells"),
        ("92.5 % (standard error 1.9)", "92.5 % (standard error 1.9:"),
        ("0.50 to 1.44", "| 0.50 to 1.03 |"),
    ],
    ("learning-to-rank.md", "claims.md"): [
        ("differences of Gini (91.8 and 92.0 %)", "replaced* (91.8); *21"),
        ("in 91.8 to 97.0 % of 2,000 samples", "| difference of gini | 91.8 to 96.9 % |"),
        ("at most in 9.3 %", "| 6.0 %; most: 9.3 %"),
    ],
    ("repeats.md", "claims.md"): [
        ("at most 6.3 % of samples with two", "| 2 | 6.3 %"),
        ("5.2 % with three, 5.0 % with five", "| 3 | 5.2 %"),
        ("up to 8.5 %", "up to 8.5 %"),
    ],
}
"""What a page says, and the claim, by page and file of claims."""


def test_cells_of_exposure_within_limits_are_counted():
    rows = re.findall(r"\| (\d+) of (\d+) kinds \|", words_of(STUDIES / "claims.md"))
    within, cells = (sum(map(int, column)) for column in zip(*rows, strict=True))
    assert f"in {within} of {cells} cells" in words_of(ROOT / "docs" / "learning-to-rank.md")


def words_of(path):
    return " ".join(path.read_text(encoding="utf-8").split())


@pytest.mark.parametrize(("page", "claims"), QUOTED)
def test_pages_quote_the_claims_as_they_are(page, claims):
    said, written = words_of(ROOT / "docs" / page), words_of(STUDIES / claims)
    assert [quoted for quoted, _ in QUOTED[page, claims] if quoted not in said] == []
    assert [claim for _, claim in QUOTED[page, claims] if claim not in written] == []
