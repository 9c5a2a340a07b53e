"""The study of gates on groups reports its worst cells on the page, and all cells in its tables."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    import gate_groups_study as study
    import gate_study
finally:
    sys.path.pop(0)


def found():
    """Return a study of two populations."""
    every = {"first": [0.01] * 6, "second": [0.01] * 5 + [0.06]}
    falls = {"first": [study.Failing(0.4, 0.02)] * 2, "second": [study.Failing(0.1, 0.03)] * 2}
    power = {"5 groups": study.Failing(1.0, 0.9)}
    return study.Found(1_000, every, {"first": 0.04}, falls, power, {200: 0.0, 800: 0.604})


def test_the_section_has_the_worst_cells():
    text = "\n".join(study.section(found()))
    # The error of 6 % of 1,000 samples is sqrt(0.06 * 0.94 / 1000).
    assert "at its limit | 5 % | 6.0 % (standard error 0.8) |" in text
    assert "all at their limits | 5 % | 3.0 % (standard error 0.5) |" in text
    assert "fails by name | at least 80 % | 90.0 % (standard error 0.9) |" in text
    assert "up to 40 %" in text
    assert "0 % of 200, 60 % of 800" in text
    assert "Not tried: " in text


def test_the_tables_have_all_cells():
    text = "\n".join(study.tables(found()))
    assert "| second | 1.0 | 1.0 | 1.0 | 1.0 | 1.0 | 6.0 |" in text
    assert "| second | 10.0 / 3.0 | 10.0 / 3.0 |" in text
    assert "| 5 groups | 100.0 / 90.0 |" in text


def test_groups_fail_by_the_correction_of_the_gate():
    always = study.Population(
        "always -0.5 or -0.4", "", lambda rng, shape: rng.choice([-0.5, -0.4], shape), -0.45
    )
    never = study.Population(
        "always 0.5 or 0.4", "", lambda rng, shape: rng.choice([0.5, 0.4], shape), 0.45
    )
    assert study.failing([(always, 50), (never, 50)], [-0.02] * 2, 250) == (1.0, 1.0)
    assert study.failing([(always, 50), (never, 50)], [-0.02] * 2, 250, only=1) == (0.0, 0.0)
    assert study.failing([(always, 9)], [-0.02], 250) == (0.0, 0.0)  # too few changed
    assert study.passing([(never, 50), (never, 60)], -0.02, 250) == 1.0
    assert study.passing([(never, 50), (always, 60)], -0.02, 250) == 0.0
    below = np.array([[True, True, False], [True, False, False], [False, False, False]])
    assert study._shown(below) == set()
    below[2, 0] = True
    assert study._shown(below) == {"0"}
    below[1, 1] = True
    assert study._shown(below) == {"0", "1"}


@pytest.mark.parametrize("name", ["gate_claims.md", "gates.md"])
def test_the_study_of_gates_keeps_the_section(name):
    path = f"benchmarks/studies/{name}"
    assert gate_study.section_of(path, gate_study.GROUPS).count("\n") > 10
