"""The study of ranks decides as a leaderboard does, and reports the worst cells."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import rankreport as rr

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    import rank_study
finally:
    sys.path.pop(0)


def test_the_study_finds_the_ranks_of_a_leaderboard(monkeypatch):
    monkeypatch.setattr(rank_study, "RESAMPLES", 300)
    rng, runs = np.random.default_rng(0), {}
    for at in range(6):
        places = np.minimum(rng.geometric(0.25 + 0.1 * at, 80), 6)
        runs[f"s{at}"] = {
            f"q{i}": ["r" if place == j else f"x{j}" for j in range(1, 6)]
            for i, place in enumerate(places)
        }
    evaluation = rr.evaluate({f"q{i}": {"r": 1} for i in range(80)}, runs, ["RR"])
    comparison = rr.compare(evaluation, pairs="all", resamples=300)
    by_name = evaluation.values([comparison.primary])
    scores = np.column_stack(
        [by_name.filter(system=name).sort("query_id")["RR"] for name in evaluation.systems]
    )
    found = rank_study.better_by(scores, seed=comparison.seed)
    sure, seen = (rank_study.ranks(found[name], 6) for name in ("ranks", "max-t"))
    for place, name in enumerate(evaluation.systems):
        each = comparison.decision.position(name)
        assert (each.highest, each.lowest) == (sure[0][place], sure[1][place])
        assert (each.seen_highest, each.seen_lowest) == (seen[0][place], seen[1][place])
    assert any(each.highest > 1 for each in comparison.decision.positions)


@pytest.mark.parametrize("place", range(len(rank_study.POPULATIONS)))
def test_the_order_of_the_systems_of_a_population_is_that_of_its_means(place):
    population = rank_study.POPULATIONS[place]
    levels = population.levels(4)
    scores = population.draw(np.random.default_rng(0), 50_000, levels)
    error = 4 * scores.std() / np.sqrt(len(scores))
    known = population.means(levels)
    for one, other in ((i, j) for i in range(4) for j in range(4) if known[i] >= known[j]):
        assert scores[:, one].mean() > scores[:, other].mean() - error
    if len({*known.tolist()}) == 1:
        assert np.ptp(scores.mean(axis=0)) < error


def test_the_page_has_the_worst_cells_and_the_price():
    good = dict.fromkeys(rank_study.METHODS, 0.01)
    cell = rank_study.Cell(100, good, good, dict.fromkeys(good, 0.98), good)
    cells = {(at, 3, 50): cell for at in range(len(rank_study.POPULATIONS))}
    bad = cell._replace(wrong={**good, "max-t": 0.5})
    cells[9, 30, 200] = bad
    text = "\n".join(rank_study.page(cells))
    name = rank_study.POPULATIONS[9].name
    assert f"50.0 % (standard error 5.0; *{name}*, 30 systems, 200 queries)" in text
    assert "all but at most 2.0 %" in text
    every = "\n".join(rank_study.tables(cells))
    assert "| 3, 50 | 1.0 | 1.0 | 1.0 |" in every
    assert every.count(" / 50.0 / ") == 1
