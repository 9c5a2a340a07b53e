"""The study of repeated runs reports the worst cells on its page, and finds what is planted."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    import repeat_study as study
finally:
    sys.path.pop(0)


def test_the_page_has_the_worst_cells():
    usual, worst = study.Rates(2.0, 1.0, 5.0), study.Rates(5.5, 4.0, 90.0)
    names = {**study.MODEL, **study.OTHERS, **study.BEYOND}
    cells = {(name, runs, n): usual for name in names for runs in study.RUNS for n in study.SIZES}
    cells["1 % flip", 3, 200] = worst
    cells["one run in ten loses 0.05", 2, 50] = study.Rates(8.0, 7.0, 6.0)
    lines = list(study.page(study.Found(2_500, cells, {})))
    assert "| 3 | 5.5 % (1 % flip; 200 queries) | 4.0 % | 90 % |" in lines
    # Those beyond the model are reported apart, with the error of 50 % of 2,500 samples.
    assert "| 2 | 2.0 % (runs 0; 50 queries) | 1.0 % | 5 % |" in lines
    assert "up to 8.0 %. Standard errors are at most 1.0 points." in lines[-2]


def test_planted_deviations_are_recovered():
    run, interaction = study.recovered(0.02, 0.1, n=200, runs=3, samples=500)
    assert run == pytest.approx(0.02, rel=0.1)
    assert interaction == pytest.approx(0.1, rel=0.01)


def test_runs_that_differ_are_no_difference_of_systems():
    found = study.rates(study.MODEL["runs 0.05"], n=50, runs=3, samples=250)
    assert found.excluded <= study.CLAIMED
    assert found.alone > 60
