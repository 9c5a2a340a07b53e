"""Variance of means over queries and runs, against hand-worked values and mixed models."""

import numpy as np
import pytest
from scipy import stats

from rankreport import statistics
from rankreport.statistics import RunVariance, Sample, Structure, deviation_of_runs


def values(seed=1, runs=4, queries=30, columns=2):
    rng = np.random.default_rng(seed)
    of_queries = rng.normal(0, 0.3, (queries, columns))
    of_runs = rng.normal(0, 0.1, (runs, 1, columns))
    return of_queries + of_runs + rng.normal(0, 0.2, (runs, queries, columns))


def test_variances_by_hand():
    # Runs (0, 0.4) and (0.2, 0.2): means 0.2 and 0.2; a query in a run is 0.1 off, four times.
    found = RunVariance.of([[[0.0], [0.4]], [[0.2], [0.2]]])
    assert found.run == pytest.approx(0.0)
    # MS of the interaction is 4 * 0.01 / (1 * 1) = 0.04, over 2 runs and 2 queries.
    assert found.interaction == pytest.approx(0.01)
    # Means over runs are 0.1 and 0.3: V_q is 0.02 / 2 = 0.01, the largest of the three.
    error, degrees = found.spread(Sample.of([[0.1], [0.3]]))
    assert error == pytest.approx(0.1)
    assert degrees == pytest.approx(0.01**2 / (0.01**2 + 0.01**2))


def test_mean_squares_of_a_two_way_layout():
    given = values()
    runs, queries, _ = given.shape
    found, sample = RunVariance.of(given), Sample.of(given.mean(axis=0))
    error, degrees = found.spread(sample)
    whole, by_run, by_query = given.mean(axis=(0, 1)), given.mean(axis=1), given.mean(axis=0)
    of_queries = runs * np.square(by_query - whole).sum(axis=0) / (queries - 1)
    of_runs = queries * np.square(by_run - whole).sum(axis=0) / (runs - 1)
    rest = given - by_query - by_run[:, np.newaxis] + whole
    of_both = np.square(rest).sum(axis=(0, 1)) / ((queries - 1) * (runs - 1))
    parts = of_queries + of_runs - of_both
    np.testing.assert_allclose(np.square(error), parts / (queries * runs))
    np.testing.assert_allclose(found.share(sample), 1 - of_queries / parts)
    expected = parts**2 / (
        of_queries**2 / (queries - 1)
        + of_runs**2 / (runs - 1)
        + of_both**2 / ((queries - 1) * (runs - 1))
    )
    np.testing.assert_allclose(degrees, expected)


@pytest.mark.slow
def test_a_mixed_model_has_the_same_components():
    smf = pytest.importorskip("statsmodels.formula.api")
    pd = pytest.importorskip("pandas")
    given = 10 * values(runs=5, queries=12, columns=1)
    runs, queries, _ = given.shape
    run, query = np.divmod(np.arange(runs * queries), queries)
    rows = pd.DataFrame({"value": given.ravel(), "run": run, "query": query, "all": 1})
    crossed = {"run": "0 + C(run)", "query": "0 + C(query)"}
    model = smf.mixedlm("value ~ 1", rows, groups="all", re_formula="0", vc_formula=crossed)
    fitted = model.fit()
    found = RunVariance.of(given)
    # With all of them positive, REML of a balanced layout is the analysis of variance.
    of_run = runs * (found.run - found.interaction)[0, 0]
    assert fitted.vcomp[list(model.exog_vc.names).index("run")] == pytest.approx(of_run, rel=1e-3)
    assert fitted.scale == pytest.approx(queries * runs * found.interaction[0, 0], rel=1e-3)


def test_a_t_interval_becomes_that_of_queries_and_runs():
    one, other = values(2), values(3, runs=3)
    added = RunVariance.of_groups([["one", "other"]], {"one": one, "other": other}, 2)
    sample = Sample.of(one.mean(axis=0) - other.mean(axis=0))
    low, high = added.widened(statistics.interval("t", sample), sample, 0.95)
    error, degrees = added.spread(sample)
    distance = stats.t.ppf(0.975, degrees) * error
    np.testing.assert_allclose([low, high], [sample.mean - distance, sample.mean + distance])
    np.testing.assert_allclose(
        added.p_values(sample), 2 * stats.t.sf(np.abs(sample.mean) / error, degrees)
    )


def test_runs_that_are_the_same_add_nothing():
    one = values(runs=1)
    found = RunVariance.of(np.repeat(one, 3, axis=0))
    assert not found.run.any()
    assert not found.interaction.any()
    sample = Sample.of(one[0])
    own = statistics.interval("t", sample)
    np.testing.assert_allclose(found.widened(own, sample, 0.95), own)
    none = RunVariance.of_groups([["one"]], {}, 2)
    np.testing.assert_allclose(none.widened(own, sample, 0.95), own)


def test_equal_weights_are_none():
    given = values()
    weighted = RunVariance.of(given, Structure(weights=np.full(given.shape[1], 3.0)))
    for one, other in zip(weighted, RunVariance.of(given), strict=True):
        np.testing.assert_allclose(one, other)


def test_clusters_carry_what_their_queries_share():
    # Each query twice is no more evidence than once.
    given = values()
    twice, clusters = np.repeat(given, 2, axis=1), np.repeat(np.arange(given.shape[1]), 2)
    found = RunVariance.of(twice, Structure(clusters=clusters))
    for one, other in zip(found, RunVariance.of(given), strict=True):
        np.testing.assert_allclose(one, other)


def test_the_deviation_of_two_and_three_runs():
    for runs, low, high in ((2, 0.446, 31.91), (3, 0.521, 6.285)):
        found, interval = deviation_of_runs(np.arange(float(runs))[:, np.newaxis])
        degrees = runs - 1
        expected = np.sqrt(degrees / stats.chi2.ppf([0.975, 0.025], degrees))
        np.testing.assert_allclose(np.concatenate(interval) / found, expected)
        np.testing.assert_allclose(expected, [low, high], rtol=2e-3)
