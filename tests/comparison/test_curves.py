"""Curves of very many queries, computed a few cut-offs at a time."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rankreport as rr
from rankreport.comparison import curves
from rankreport.comparison.curves import curve_bands
from rankreport.comparison.paired_differences import Contrasts, contrasts_of, contrasts_on
from rankreport.evaluation import CurveColumns
from rankreport.statistics import resampling

CUTOFFS = (1, 2, 3, 4, 5)


@pytest.fixture
def many(monkeypatch):
    """Compare on queries whose curves are computed in parts, as those of very many are."""
    monkeypatch.setattr(curves, "MOST_AT_ONCE", 50)
    monkeypatch.setattr(resampling, "MOST_DRAWN", 50)
    monkeypatch.setattr(Contrasts, "studentizes", False)
    rng = np.random.default_rng(2)
    n = 90
    keys = {"query_id": np.repeat([f"q{at:02}" for at in range(n)], 6), "doc_id": [*"abcdef"] * n}
    grades = rng.integers(0, 3, 6 * n)
    qrels = pl.DataFrame({**keys, "relevance": grades})
    runs = {
        name: pl.DataFrame({**keys, "score": rng.normal(grades * skill)})
        for name, skill in {"old": 0.2, "new": 0.9, "other": 0.4}.items()
    }

    def compared(systems=("new", "other"), **options):
        some = {name: runs[name] for name in ("old", *systems)}
        evaluation = rr.evaluate(qrels, some, ["nDCG@3"])
        return rr.compare(evaluation, baseline="old", resamples=300, **options)

    return compared


@pytest.mark.parametrize(
    ("at_once", "options"),
    [
        *((1, {}), (2, {}), (5, {})),
        *((2, {"correction": "none"}), (2, {"interval": "percentile"}), (2, {"pairs": "all"})),
    ],
    ids=str,
)
def test_a_curve_in_parts_is_that_of_all_points_at_once(monkeypatch, many, options, at_once):
    for most in ("_MOST_VALUES", "_MOST_DRAWN"):
        monkeypatch.setattr(curves, most, 3 * 90 * at_once)
    comparison = many(**options)
    found = comparison.curve("nDCG", CUTOFFS)
    points = CurveColumns.at("nDCG", CUTOFFS)
    whole = contrasts_on(comparison, list(points), "systems")
    (expected,) = curve_bands(whole, [points], comparison.interval, comparison.confidence)
    assert found.differences["band_low"].null_count() == 0
    for one, other in zip(found, expected, strict=True):
        assert_frame_equal(one, other, rel_tol=1e-12, abs_tol=1e-12)


def test_no_more_values_are_computed_at_once_than_fit(monkeypatch, many):
    comparison, asked = many(), []

    def counted(comparison, measures, across=None, values=None):
        asked.append((len(measures), 0 if values is None else values.width))
        return contrasts_on(comparison, measures, across, values)

    contrasts_of(comparison)  # before the curve
    monkeypatch.setattr(curves, "_MOST_DRAWN", 3 * 90 * 2)
    monkeypatch.setattr(curves, "contrasts_on", counted)
    comparison.curve("nDCG", CUTOFFS)
    assert asked == [(2, 4), (2, 4), (1, 3)]
    monkeypatch.setattr(curves, "_MOST_VALUES", 3 * 90)
    asked.clear()
    of_pair = many(systems=["new"])
    contrasts_of(of_pair)
    asked.clear()
    of_pair.curve("nDCG", CUTOFFS)
    assert asked == [(1, 3)] * 5


def test_points_beyond_the_ends_of_the_lists_are_computed_once(monkeypatch, many):
    monkeypatch.setattr(curves, "_MOST_DRAWN", 3 * 90 * 2)
    comparison, asked = many(), []

    def counted(comparison, measures, across=None, values=None):
        asked.extend(map(str, measures))
        return contrasts_on(comparison, measures, across, values)

    contrasts_of(comparison)  # before the curve
    monkeypatch.setattr(curves, "contrasts_on", counted)
    found = comparison.curve("R", (1, 6, 7, 5, 8, 8_000))
    assert asked == ["R@1", "R@6", "R@5", "R@8"]
    assert found.levels["k"].to_list() == [1, 6, 7, 5, 8, 8_000] * 3
    last = found.differences.filter(pl.col("k") == 8_000).drop("k")
    assert_frame_equal(last, found.differences.filter(pl.col("k") == 6).drop("k"))
    assert last["system"].to_list() == ["new", "other"]


def test_a_curve_of_stored_scores_is_the_same(many, tmp_path):
    comparison = many()
    points = [rr.parse("R") @ k for k in (1, 6, 7)]
    comparison.evaluation.write_parquet(tmp_path / "scores.parquet", also=points)
    stored = rr.compare(
        rr.load_evaluation(tmp_path / "scores.parquet"), baseline="old", resamples=300
    )
    for one, other in zip(
        comparison.curve("R", (1, 6, 7)), stored.curve("R", (1, 6, 7)), strict=True
    ):
        assert_frame_equal(one, other, rel_tol=0, abs_tol=0)
