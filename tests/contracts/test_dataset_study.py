"""The study of many data sets counts what it says, and reports the cells outside their claims."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    import dataset_study as study
finally:
    sys.path.pop(0)


def cells(**low):
    """Return a study in which all intervals hold in 95 % of 10,000 samples, but for one."""
    made = [
        study.Cell(planted, seen, size, 10_000, 95.0, 94.0, 95.0, 6.0)
        for planted in study.PLANTED
        for seen in study.SEEN
        for size in study.SIZES
    ]
    these = [study.Cell(study.NORMAL, "these", 5, 1_000, 94.0, float("nan"))]
    return [
        made[0]._replace(**low),
        *made[1:],
        *these,
    ]


def test_the_page_has_the_cells_outside_their_claims():
    text = " ".join(study.page(cells(mean=90.0, following=89.0)).split())
    assert "| normal | 93 to 97 | 90.0\\* | 95.0 | 95.0 |" in text
    assert "two standard errors: normal, known, 5 data sets." in text
    assert "holds it in 89.0 % (normal, known, 5 data sets) to 94.0 %" in text
    assert "in 41 of 42 cells" in text
    # sqrt(0.95 * 0.05 / 13), and sqrt(0.94 * 0.06 / 1000).
    assert "a standard error of 6.0 points" in text
    assert "in 94.0 % or more (standard error 0.8; 5 data sets)" in text
    assert "two standard errors: no cell." in " ".join(study.page(cells()).split())


def test_the_tables_have_all_cells():
    text = study.tables(cells(mean=90.0))
    assert "| normal | known | 5 | 10,000 | 90.0 | 94.0 | 95.0 | 6.0 |" in text
    assert text.count("\n| ") == 1 + 42 + 1


@pytest.mark.parametrize("seen", study.SEEN)
def test_means_are_drawn_around_those_that_were_planted(seen):
    rng = np.random.default_rng(1)
    planted = np.array([0.3, -0.2])
    values = np.mean([study.SEEN[seen](rng, planted) for _ in range(2_000)], axis=0)
    assert values == pytest.approx(planted, abs=0.01)


@pytest.mark.slow
def test_intervals_of_normal_means_hold_as_often_as_they_say():
    cell = study.measured(study.NORMAL, "known", 13, 2_000)
    assert abs(cell.mean - 95) < 4 * 0.49
    assert abs(cell.following - 95) < 4 * 0.49
    assert 88 < study.for_these(study.NORMAL, 13, 100).mean <= 100
