"""Medians, quantiles, extremes and deviations: NumPy's of every resample, silent without a tail."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

import rankreport as rr
from rankreport import statistics
from rankreport.statistics import Structure, aggregate_named, aggregated
from rankreport.statistics.random_draws import draw_counts

DRAWS = {"resamples": 300, "seed": 3}
NUMPYS = {
    "median": np.median,
    "p10": lambda values: np.quantile(values, 0.1),
    "p90": lambda values: np.quantile(values, 0.9),
    "min": np.min,
    "max": np.max,
    "std": lambda values: np.std(values, ddof=1) if len(values) > 1 else np.nan,
}

columns = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.just(2)),
    elements=st.sampled_from([0.0, 0.5, 1.0, 1 / 3, 0.25, np.nan]),
)


def numpys(name, values):
    values = values[~np.isnan(values)]
    return NUMPYS[name](values) if len(values) else np.nan


@pytest.mark.parametrize("name", NUMPYS)
@given(values=columns)
def test_every_resample_has_the_aggregate_of_numpy(name, values):
    found = aggregated(name, values, resamples=20, seed=1)
    counts = np.concatenate(list(draw_counts(len(values), resamples=20, seed=1))).astype(int)
    for column in range(2):
        own = values[:, column]
        expected = [numpys(name, own), *(numpys(name, np.repeat(own, row)) for row in counts)]
        made = [found.value[column], *found.drawn[:, column]]
        np.testing.assert_allclose(made, expected, atol=1e-7)


@pytest.mark.parametrize("name", ["median", "std"])
def test_clusters_are_drawn_whole_and_within_their_strata(name):
    values = np.random.default_rng(0).random((12, 1))
    clusters, strata = np.arange(12) // 2, np.arange(12) // 6
    found = aggregated(name, values, Structure(clusters=clusters, strata=strata), **DRAWS)
    counts = np.concatenate(list(draw_counts(6, strata=np.arange(6) // 3, **DRAWS)))
    expected = [numpys(name, np.repeat(values[:, 0], row[clusters])) for row in counts]
    np.testing.assert_allclose(found.drawn[:, 0], expected)
    assert found.n_units.tolist() == [6]


def test_a_median_has_the_percentile_interval_of_scipy():
    values = np.random.default_rng(7).integers(0, 12, (60, 1)) / 11
    low, high = aggregated("median", values, resamples=10_000, seed=0).interval(0.95)
    theirs = stats.bootstrap(
        (values,), np.median, axis=0, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    # Ends are values of the queries, or half-way between two: two thirds of a step at most.
    assert [low[0], high[0]] == pytest.approx([theirs.low[0], theirs.high[0]], abs=0.06)


def test_an_interval_of_a_deviation_is_students_by_the_error_of_the_resamples():
    values = np.random.default_rng(7).random((40, 1))
    found = aggregated("std", values, **DRAWS)
    half = stats.t.ppf(0.975, 39) * np.std(found.drawn, ddof=1)
    low, high = found.interval(0.95)
    expected = [values.std(ddof=1) - half, values.std(ddof=1) + half]
    assert [low[0], high[0]] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "n", "known"),
    [
        *(("median", 19, False), ("median", 20, True), ("p90", 99, False), ("p90", 100, True)),
        *(("p95", 199, False), ("p95", 200, True), ("min", 500, False), ("max", 500, False)),
    ],
)
def test_an_interval_needs_ten_queries_in_the_tail(name, n, known):
    values = np.random.default_rng(0).random((n, 1))
    low, high = aggregated(name, values, **DRAWS).interval(0.95)
    assert (np.isfinite(low[0]), np.isfinite(high[0])) == (known, known)


def test_the_difference_of_systems_that_agree_there_is_not_certain():
    # Of 60 queries, 40 have 1: the median of each is certain, and so is the difference.
    tied = np.where(np.arange(60) < 55, 1.0, 0.0)[:, np.newaxis]
    other = np.where(np.arange(60) < 56, 1.0, 0.5)[:, np.newaxis]
    one, two = (aggregated("median", values, **DRAWS) for values in (tied, other))
    assert [end.tolist() for end in one.interval(0.95)] == [[1.0], [1.0]]
    assert [end.tolist() for end in two.minus(one).interval(0.95)] == [[0.0], [0.0]]
    # Both vary, and differ nowhere near the median.
    values = np.random.default_rng(0).random((60, 1))
    changed = np.where(values == values.max(), 2.0, values)
    one, two = (aggregated("median", each, **DRAWS) for each in (values, changed))
    assert np.isnan(two.minus(one).interval(0.95)).all()


@pytest.mark.parametrize("name", ["mode", "p100", "P10", "p", 0.5])
def test_an_unknown_aggregate_is_refused(name):
    with pytest.raises(rr.OptionError, match="is not one of 'mean', 'median', 'min'"):
        aggregate_named(name)


def test_weights_are_refused():
    with pytest.raises(rr.OptionError, match="not available with weights"):
        aggregated("median", np.eye(3), Structure(weights=np.ones(3)), **DRAWS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n", "least"), [("median", 25, 0.93), ("p10", 100, 0.89), ("p90", 100, 0.89)]
)
@pytest.mark.parametrize("steps", [4, 1_000])
def test_intervals_cover_as_often_as_they_claim(name, n, least, steps):
    rng = np.random.default_rng(n)
    population = np.round(rng.beta(0.8, 2, (n, 600)) * steps) / steps
    truth = numpys(name, np.round(rng.beta(0.8, 2, 400_000) * steps) / steps)
    low, high = statistics.aggregated(name, population, resamples=600, seed=0).interval(0.95)
    assert np.mean((low <= truth + 1e-3) & (truth <= high + 1e-3)) >= least
