"""The study of kinds of query reports the worst cells on its page, and all cells in its tables."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    import kind_study
finally:
    sys.path.pop(0)


def found():
    """Return a study in which one cell of each figure is not as the others."""
    low, n = kind_study.Nulls(4.0, 1.0), len(kind_study.SIZES)
    good = kind_study.Detected(90.0, 80.0, 96.0)
    poor = kind_study.Detected(84.0, 70.0, 94.0)
    planted = {
        of: {cell: poor if cell == (200, 0.15, 0.2, 0.2) else good for cell in cells}
        for of, cells in kind_study.PLANTED.items()
    }
    return kind_study.Found(
        1_000,
        {"first": [low] * n, "second": [*[low] * (n - 1), kind_study.Nulls(6.0, 2.0)]},
        {"third": [*[low] * (n - 1), kind_study.Nulls(7.0, 3.0)]},
        planted,
    )


def test_the_page_has_the_worst_cells():
    text = "\n".join(kind_study.page(found()))
    # The error of 6 % of 400 samples is sqrt(0.06 * 0.94 / 400); the mean is 4.2 of 10 cells.
    assert "| 6.5 % | 6.0 % (standard error 1.2); mean 4.2 % |" in text
    assert "| 7.0 % (standard error 1.3); mean 4.6 % |" in text
    assert "| one is called worse, in both | | 3.0 % |" in text
    assert "| 80 % | 84.0 % (0.15 on 20 % of 200, spread 0.2, half ties) |" in text
    assert "| 95 % | 94.0 % |" in text
    assert "Not tried: " in text


def test_the_tables_have_all_cells():
    text = "\n".join(kind_study.tables(found()))
    assert text.count("| 200 | 0.15 | 20 % | 0.2 | 84.0 / 70.0 (94.0) |") == len(kind_study.PLANTED)
    assert "6.0 / 2.0 |" in text


def test_a_planted_category_is_found_and_nothing_else_is():
    cell = (200, 0.3, 0.2, 0.15)
    shape = kind_study.SPREADS["normal"]
    for what in kind_study.FEATURES:
        assert kind_study.of_planted(cell, 2, shape, what)[:2] == (100.0, 100.0)
    zeros = kind_study.of_nulls(60, 2, lambda _, made: np.zeros(len(made.rare)))
    assert zeros == (0.0, 0.0)
