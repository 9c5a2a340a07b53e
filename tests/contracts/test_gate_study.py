"""The study of gates reports the worst cells on its page, and all cells in its tables."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    import gate_study
finally:
    sys.path.pop(0)

FIGURES = (
    *("gates", "words", "held-out gates", "held-out words", "small tails"),
    *("clusters", "unequal", "families"),
)


def found():
    """Return a study of two populations, of which only the gates and the power are not all 1 %."""
    low, n = gate_study.Shares(0.3, 0.01), 2 * len(gate_study.SIZES)
    cells = {figure: (["first", "second"], [low] * n) for figure in (*FIGURES, "power")}
    poor, weak = gate_study.Shares(0.9, 0.06), gate_study.Shares(0.5, 0.25)
    cells["gates"] = (["first", "second"], [*[low] * (n - 1), poor])
    cells["power"] = (["first", "second"], [weak, *[gate_study.Shares(0.8, 0.7)] * (n - 1)])
    decisions = {"all": gate_study.Decisions(Counter(better=2), Counter({"pass": 1}))}
    some = ((100, 0.79, None), (50, 0.81, None), (20, 0.9, 0.4))
    plans = [[gate_study.Planned(*each) for each in some]] * len(gate_study.PLANNED)
    return gate_study.Found(1_000, cells, decisions, plans)


def test_the_page_has_the_worst_cells():
    text = "\n".join(gate_study.page(found()))
    # The error of 6 % of 1,000 samples is sqrt(0.06 * 0.94 / 1000).
    assert "| gates that pass at their limit | 5 % | 6.0 % (standard error 0.8) |" in text
    # Populations that were not used have 10,000 samples: sqrt(0.01 * 0.99 / 10000).
    assert "not used in choosing the rule | 5 % | 1.0 % (standard error 0.1) |" in text
    n = len(gate_study.PLANNED)
    assert f"have a power of 79.0 to\n81.0 % in {2 * n} of {3 * n} plans" in text
    assert f"one query fewer has {', '.join(['40.0'] * n)} %" in text
    assert "## What was not tried" in text


def test_the_tables_have_all_cells():
    text = "\n".join(gate_study.tables(found()))
    assert text.count("| first |") == text.count("| second |") == len(FIGURES) + 1
    assert "| 90.0 / 6.0 |" in text
    assert "| all | better: 2 | pass: 1 |" in text
    assert text.count("| 100 / 79.0 | 50 / 81.0 | 20 / 90.0 (19: 40.0) |") == len(
        gate_study.PLANNED
    )
