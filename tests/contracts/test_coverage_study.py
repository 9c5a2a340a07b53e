"""The study of coverage measures what it says: sound methods pass, spoilt ones are found out."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankreport import statistics
from rankreport.statistics import roc

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    import coverage_study
    from interval_study import (
        cells,
        curves,
        families,
        figures,
        joint,
        page,
        plan,
        populations,
        structures,
    )
finally:
    sys.path.pop(0)

pytestmark = pytest.mark.slow

NORMAL = populations.MADE[0]
SMALL = replace(plan.QUICK, made=2_000, real=1_000, chunk=500, resamples=499)
TINY = replace(
    plan.QUICK,
    queries=(50,),
    made=500,
    families=250,
    structured=100,
    pooled=20,
    family_queries=(50,),
    pooled_queries=(50,),
    pooled_resamples=50,
    resamples=99,
)
BY_NAME = {population.name: population for population in populations.MADE}


def off(share, percent):
    """By how many standard errors a share is off."""
    return abs(share.percent - percent) / share.error


def test_students_interval_covers_normal_differences_as_it_says():
    cell = cells.measured(SMALL, NORMAL, 25)
    assert off(figures.share(cell, "t holds"), 95) < 4
    assert off(figures.share(cell, "symmetric t", "symmetric null"), 5) < 4
    assert off(figures.share(cell, "symmetric sign-flip", "symmetric null"), 5) < 4
    # Too short, as percentile intervals of 25 values are known to be.
    assert off(figures.share(cell, "percentile holds"), 93.1) < 4
    assert figures.mean(cell, "t width", "intervals") == 1
    assert 0.9 < figures.mean(cell, "percentile width", "intervals") < 0.96


def test_ends_are_counted_on_their_own_side():
    small = replace(SMALL, made=1_000)
    rare_wins = cells.measured(small, BY_NAME["80 % ties, skewed"], 50)
    low, high = (figures.share(rare_wins, what) for what in ("low end above", "high end below"))
    assert low.percent < 3
    assert high.percent > 9
    mirrored = replace(
        BY_NAME["80 % ties, skewed"], draw=lambda *given: -populations.SKEWED(*given)
    )
    rare_losses = cells.measured(small, mirrored, 50)
    assert figures.share(rare_losses, "low end above").percent > 9


def test_an_interval_that_is_too_short_is_found_out(monkeypatch):
    def halved(kind, values, replicates=None, confidence=0.95):
        low, high = sound(kind, values, replicates, confidence)
        quarter = (high - low) / 4
        return statistics.Interval(low + quarter, high - quarter)

    sound = statistics.interval
    monkeypatch.setattr(statistics, "interval", halved)
    cell = cells.measured(SMALL, NORMAL, 200)
    (verdict,) = figures.coverage([cell], plan.BANDS[0])
    assert verdict.outcome == figures.MISSED
    # Half the width is 0.98 errors to either side.
    assert off(verdict.share, 67.3) < 4


def test_a_test_that_rejects_too_often_is_found_out(monkeypatch):
    sound = statistics.p_values
    monkeypatch.setattr(statistics, "p_values", lambda *given, **more: sound(*given, **more) / 2)
    cell = cells.measured(SMALL, NORMAL, 50)
    (verdict,) = figures.most_rejected([cell], "symmetric")
    assert verdict.outcome == figures.MISSED
    assert off(verdict.share, 10) < 4


@pytest.mark.parametrize("population", populations.MADE, ids=lambda population: population.name)
def test_populations_have_the_mean_and_the_ties_that_they_claim(population):
    rng = np.random.default_rng(41)
    drawn = population.draw(rng, (400_000, 1))
    error = drawn.std() / np.sqrt(drawn.size)
    assert abs(drawn.mean() - population.mean) < 5 * error
    claimed = population.words.split(" % zeros")[0].split()[-1]
    if "zeros" in population.words:
        assert 100 * (drawn == 0).mean() == pytest.approx(float(claimed), abs=0.5)
    signed = population.symmetric_null(rng, (400_000, 1))
    assert abs(signed.mean()) < 5 * signed.std() / np.sqrt(signed.size)
    assert (np.sign(signed) > 0).mean() == pytest.approx((np.sign(signed) < 0).mean(), abs=0.005)
    if population.skewed_null:
        null = population.skewed_null(rng, (400_000, 1))
        assert abs(null.mean()) < 5 * null.std() / np.sqrt(null.size)


def test_a_real_population_keeps_its_ties_where_wins_are_made_up_for():
    values = np.array([-0.5, -0.1, 0.0, 0.0, 0.2])
    population = populations.of_values("some", "words", values)
    assert population.mean == pytest.approx(-0.08)
    assert population.words == "words; as a skewed null, wins times 3"
    drawn = population.skewed_null(np.random.default_rng(42), (50_000, 1))
    assert set(drawn.ravel().round(9)) == {-0.5, -0.1, 0.0, 0.6}
    assert populations.of_values("some", "words", values[2:]).skewed_null is None


def test_samples_are_counted_by_how_much_changed():
    by_change = {"samples": [5, 10, 600, 900, 0, 0], "auto holds": [1, 5, 480, 873, 0, 0]}
    cell = {"population": "p", "n": 200, "real": False, "counts": by_change}
    assert figures.share(cell, "auto holds", least=30) == (97, 900)
    assert figures.share(cell, "auto holds", least=20) == (90.2, 1500)
    assert figures.share(cell, "auto holds", below=20) is None
    (verdict,) = figures.coverage([cell], plan.BANDS[0])
    assert (verdict.share.percent, verdict.outcome) == (97, figures.HELD)
    assert figures.coverage([cell], plan.BANDS[1]) == []


def test_a_difference_is_found_in_the_system_that_has_it_and_in_no_other():
    values = np.random.default_rng(43).normal(size=(50, plan.FAMILY, 30))
    values[:, -1] += 3
    rejected = families._rejected(
        "holm", "sign-flip", values.reshape(50, -1), {"resamples": 499, "seed": 0}
    )
    assert rejected.shape == (plan.FAMILY, 30)
    assert rejected[-1].all()
    assert rejected[:-1].mean() < 0.1


def test_simultaneous_intervals_err_as_often_as_they_say_and_less_at_bonferronis_level():
    small = replace(SMALL, families=1_000, resamples=999)
    alike = joint.measured(small, joint.DESIGNS[1], 100)
    assert 3 < alike["max-t 0.95"] < 7.5
    assert alike["holm 0.95"] < 2.5
    assert 70 < alike["width"] < 85
    assert alike["max-t found"] > alike["holm found"] + 10


def test_clusters_are_heeded():
    found = structures.measured(replace(TINY, structured=1_000), structures.DESIGNS[1])
    assert found["t"] > 91
    assert found["t ignoring it"] < 85
    assert found["sign-flip"] < 9 < found["sign-flip ignoring it"]


@pytest.mark.parametrize("pool", curves.POOLS, ids=lambda pool: pool.name)
def test_documents_of_a_pool_are_numbered_by_query(pool):
    drawn = pool.draw(np.random.default_rng(44), 40)
    n_queries = drawn.structure.n_queries or 40
    assert {len(drawn.queries), len(drawn.relevant), len(drawn.scores)} == {len(drawn.queries)}
    assert 0 <= drawn.queries.min() <= drawn.queries.max() < n_queries
    assert 0 < drawn.relevant.mean() < 0.5


def test_bands_that_are_too_short_are_found_out(monkeypatch):
    size = replace(TINY, pooled=150, pooled_resamples=100)
    found = curves.measured(size, curves.POOLS[0], 50)
    assert found == curves.measured(size, curves.POOLS[0], 50)
    assert found["roc"]["mean"] > 92
    assert found["roc"]["lowest"] <= found["roc"]["mean"] <= found["roc"]["highest"]
    sound = roc._interval
    monkeypatch.setattr(roc, "_interval", lambda *given: sound(*given[:-1], 0.5))
    spoilt = curves.measured(size, curves.POOLS[0], 50)
    assert max(spoilt["roc"]["mean"], spoilt["roc"]["area"]) < 75


@pytest.fixture(scope="module")
def measured():
    return coverage_study.study(TINY, None, processes=1)


def test_one_section_can_be_written_anew(measured):
    measured = measured | {kind: [] for kind in coverage_study.KINDS if kind != "curves"}
    old = f"# Page\n\n## Before\n\nwords\n\n{page.CURVES_HEADING}\n\nold figures\n"
    text = page.replaced(old, measured, page.OWN_SECTIONS)
    assert text.startswith(f"# Page\n\n## Before\n\nwords\n\n{page.CURVES_HEADING}\n")
    assert "old figures" not in text
    assert page.replaced(text, measured, page.OWN_SECTIONS) == text
    brief = page.replaced(old, measured, page.BRIEF_SECTIONS)
    assert "- **50 queries and more**: ROC points" in brief
    assert page.replaced(brief, measured, page.BRIEF_SECTIONS) == brief
    for pool in curves.POOLS:
        assert text.count(f"| {pool.name} |") == 2


def test_the_same_plan_gives_the_same_figures():
    size = replace(plan.QUICK, made=250)
    first, again = (cells.measured(size, NORMAL, 25) for _ in range(2))
    assert first == again


def test_the_page_says_it_all(measured):
    table = json.loads(page.as_json(measured))
    assert len(table["rows"]) == len(populations.MADE)
    assert all(len(row) == len(table["columns"]) for row in table["rows"])
    text = page.tables(measured)
    for population in populations.MADE:
        assert text.count(f"| {population.name} |") >= 4
    text = page.written(measured)
    worst = max(measured["joint"], key=lambda each: each["max-t 0.95"])
    assert f"*{worst['design']}* with 50 queries (standard error " in text
    assert "| 50 | " in text.partition("## The tests")[2].partition("\n## ")[0]
    # All samples are of 50 queries: what no cell can say is not claimed to have held.
    assert "200 queries and more, 30 of them changed: `auto` covers 94 to 97 %**: no cell" in text
    assert "50 to 199 queries, 20 of them changed: `auto` covers 92 to 97 %**: no cell" not in text
