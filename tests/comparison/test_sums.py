"""Contrasts of sums: equal to those of the scores, however the queries are split into parts."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from rankreport.comparison import Pair, ScoreSums, SummedContrasts
from rankreport.comparison.contrasts import Contrasts, one_sided
from rankreport.comparison.pairs import Family
from rankreport.errors import OptionError
from rankreport.evaluation import ranges_of
from rankreport.frames import QUERY_ID, SYSTEM
from rankreport.measures import AP, RR, parse
from rankreport.statistics import PLAIN, Draws

MEASURES = (RR, AP, parse("NumRel"))
NAMES = [str(measure) for measure in MEASURES]
DRAWS = Draws(2_000, 0)


def scores(n=400, seed=0):
    """Return scores of three systems, tied and with undefined ones, and who answered nothing."""
    rng = np.random.default_rng(seed)
    old = np.round(rng.random((n, 3)), 1)
    changed = rng.random((n, 3)) < 0.3
    new = np.where(changed, np.clip(old + rng.normal(0.03, 0.2, (n, 3)), 0, 1), old)
    other = rng.random((n, 3))
    other[rng.random((n, 3)) < 0.1] = np.nan
    silent = {"old": rng.random(n) < 0.05, "new": np.zeros(n, bool), "other": np.zeros(n, bool)}
    return {"old": old, "new": new, "other": other}, silent


def summed(given, silent, n_units=100, n_parts=7):
    """Sum scores in parts, each of whole units."""
    n = len(next(iter(given.values())))
    units = np.random.default_rng(5).integers(0, n_units, n)
    parts = [units % n_parts == part for part in range(n_parts)]
    return ScoreSums.joined(
        [
            ScoreSums.of(
                {system: values[part] for system, values in given.items()},
                NAMES,
                units[part],
                {system: mask[part] for system, mask in silent.items()},
            )
            for part in parts
        ]
    )


def both(pairs, correction="max-t"):
    given, silent = scores()
    of = {"correction": correction, "across": "systems"}
    made = SummedContrasts.of_sums(summed(given, silent), MEASURES, pairs, draws=DRAWS, **of)
    goals = (1.0, 1.0, float("nan"))
    family = Family(correction, "systems", len(pairs), len(NAMES))
    expected = Contrasts(
        given, tuple(NAMES), goals, ranges_of(MEASURES), pairs, family, DRAWS, PLAIN
    )
    return made, expected


PAIRS = (Pair("old", "new"), Pair("other", "old"), Pair("new", "other"))
"""The second has its baseline last: its differences are turned."""


def test_figures_are_equal():
    made, expected = both(PAIRS)
    assert_frame_equal(made.frame(), expected.frame(), rel_tol=1e-12, abs_tol=1e-14)
    for one, other in zip(made.shares, expected.shares, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    np.testing.assert_allclose(made.worth, expected.worth)
    np.testing.assert_allclose(made.spread, expected.spread, rtol=1e-12)


@pytest.mark.parametrize("correction", ["holm", "none"])
@pytest.mark.parametrize("kind", ["t", "auto"])
def test_closed_forms_are_equal(kind, correction):
    made, expected = both(PAIRS, correction)
    for one, other in zip(made.intervals(kind, 0.9), expected.intervals(kind, 0.9), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
    p_values = [each.p_values("t", "RR") for each in (made, expected)]
    np.testing.assert_allclose(*p_values, rtol=1e-9)
    adjusted = [each.adjusted("t", p) for each, p in zip((made, expected), p_values, strict=True)]
    np.testing.assert_allclose(*adjusted, rtol=1e-9)
    assert_frame_equal(made.means(kind, 0.9), expected.means(kind, 0.9), rel_tol=1e-12)


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca"])
def test_what_is_resampled_agrees(kind):
    """Resampled by 100 units of four queries, or by query: as near as such error bars are."""
    made, expected = both(PAIRS, "none")
    error = expected.sample.standard_error
    for one, other in zip(made.intervals(kind, 0.9), expected.intervals(kind, 0.9), strict=True):
        assert np.abs((one.to_numpy() - other.to_numpy()) / error).max() < 0.45
    p_values = [each.p_values("sign-flip", "RR").to_numpy() for each in (made, expected)]
    assert np.abs(p_values[0] - p_values[1]).max() < 0.07
    ratios = [each.ratios(kind, 0.9)["ratio"] for each in (made, expected)]
    np.testing.assert_allclose(*ratios, rtol=1e-12)


def test_ratios_by_cross_products():
    """Student's t is that of all queries, but for 1 in their number."""
    made, expected = both(PAIRS, "none")
    frames = [each.ratios("t", 0.9).drop_nulls() for each in (made, expected)]
    for name, tolerance in (("ratio", 1e-12), ("ci_low", 3e-4), ("ci_high", 3e-4)):
        np.testing.assert_allclose(*(each[name] for each in frames), rtol=tolerance)


def test_one_sided_queries_and_identical_systems():
    given, silent = scores()
    given["copy"], silent["copy"] = given["old"], silent["old"]
    sums = summed(given, silent)
    pairs = [Pair(*two) for two in combinations(given, 2)]
    assert sums.alike_pairs(pairs) == {Pair("old", "copy")}
    names = [f"q{place}" for place in range(len(given["old"]))]
    rows = [(s, q) for s, mask in silent.items() for q, no in zip(names, mask, strict=True) if no]
    unanswered = pl.DataFrame(rows, schema=[SYSTEM, QUERY_ID], orient="row")
    family = Family("none", "systems", len(PAIRS), len(NAMES))
    contrasts = Contrasts(
        given, tuple(NAMES), (1.0, 1.0, 1.0), ranges_of(MEASURES), PAIRS, family, DRAWS, PLAIN
    )
    expected = one_sided(contrasts, "RR", unanswered, names)
    found = sums.one_sided(PAIRS, "RR")
    assert found.keys() == expected.keys() == {PAIRS[0], PAIRS[1]}
    for pair, one in found.items():
        np.testing.assert_allclose(tuple(one), tuple(expected[pair]), rtol=1e-12)


def test_parts_do_not_matter():
    given, silent = scores()
    one, other = (
        SummedContrasts.of_sums(
            summed(given, silent, n_parts=n),
            MEASURES,
            PAIRS,
            correction="max-t",
            across="systems",
            draws=DRAWS,
        )
        for n in (1, 50)
    )
    assert one.p_values("sign-flip", "RR").equals(other.p_values("sign-flip", "RR"))
    for ends in zip(one.intervals("auto", 0.95), other.intervals("auto", 0.95), strict=True):
        np.testing.assert_allclose(*ends, rtol=0, atol=1e-13)


def test_scores_are_not_held():
    made, _ = both(PAIRS)
    for name in ("deltas", "differences", "won"):
        with pytest.raises(OptionError, match="single queries, and this comparison holds sums"):
            getattr(made, name)
    for call in (made.among, made.sampled):
        with pytest.raises(OptionError, match="to_evaluation"):
            call(np.arange(3))
