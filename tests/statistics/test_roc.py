"""Bands of pooled curves: by hand, against scikit-learn on the same draws, and undefined ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

from rankreport.statistics import GRID, Structure, operating_curves, roc
from rankreport.statistics.random_draws import draw_counts
from rankreport.statistics.roc import MOST_THRESHOLDS

HOW = {"confidence": 0.9, "resamples": 300, "seed": 3}


def documents(n_queries=12, n_each=6, digits=1):
    rng = np.random.default_rng(0)
    query = np.repeat(np.arange(n_queries), n_each)
    relevant = rng.random(len(query)) < 0.4
    return query, relevant, np.round(rng.normal(relevant * 1.0), digits)


def by_scikit_learn(relevant, scores):
    """Read both curves on the grid, and the areas; None where a kind of documents is lacking."""
    if relevant.all() or not relevant.any():
        return None
    fpr, tpr, _ = sk.roc_curve(relevant, scores, drop_intermediate=False)
    precision, recall, _ = sk.precision_recall_curve(relevant, scores)
    precision, recall = precision[::-1], recall[::-1]
    return np.concatenate(
        [
            np.interp(GRID, fpr, tpr),
            [precision[(recall >= level) & (recall > 0)][0] for level in GRID],
            [sk.roc_auc_score(relevant, scores), sk.average_precision_score(relevant, scores)],
        ]
    )


def read(found, what):
    """Put what was found in the order of the function above."""
    area = {"value": "area", "low": "area_low", "high": "area_high"}[what]
    return np.concatenate(
        [*(getattr(curve, what) for curve in found), [getattr(curve, area) for curve in found]]
    )


def wilson(value, mean, error, quantile):
    """Solve for the proportions p with (p - value)^2 = t^2 p (1 - p) / m."""
    each = quantile**2 * error**2 / (mean * (1 - mean))
    return np.sort(np.roots([1 + each, -(2 * value + each), value**2]))


def effective(relevant, unit_of, stratum_of):
    """Count the units as Kish does, by their documents of the kind that tells less."""
    of_kinds = []
    for kind in (relevant, ~relevant):
        n = [np.bincount(unit_of[kind & (stratum_of == each)]) for each in np.unique(stratum_of)]
        of_kinds.append(sum(each.sum() ** 2 / (each**2).sum() for each in n))
    return min(of_kinds)


def expected_ends(values, replicates, n_effective, n_strata=1):
    """Give the wider of the percentile and Wilson's interval, at 90 %."""
    degrees = n_effective - n_strata
    error = replicates.std(axis=0, ddof=1) * np.sqrt(n_effective / degrees)
    quantile = stats.t.ppf(0.95, degrees)
    low, high = np.quantile(replicates, [0.05, 0.95], axis=0)
    for at in np.flatnonzero(error > 1e-9):
        score = wilson(values[at], replicates[:, at].mean(), error[at], quantile)
        low[at], high[at] = min(low[at], score[0]), max(high[at], score[1])
    return low, high


def agrees(found, documents, counts, cluster=None, stratum=None):
    """Compare with curves of samples that hold each query so many times."""
    query, relevant, scores = documents
    replicates = []
    for of_queries in counts.astype(int):
        rows = np.repeat(np.arange(len(query)), of_queries[query])
        replicates.append(by_scikit_learn(relevant[rows], scores[rows]))
    values = by_scikit_learn(relevant, scores)
    np.testing.assert_allclose(read(found, "value"), values, atol=1e-12)
    unit_of = query if cluster is None else cluster[query]
    stratum_of = np.zeros_like(query) if stratum is None else stratum[query]
    ends = expected_ends(
        values,
        np.array([each for each in replicates if each is not None]),
        effective(relevant, unit_of, stratum_of),
        len(np.unique(stratum_of)),
    )
    for end, what in zip(ends, ("low", "high"), strict=True):
        known = read(found, what)
        varies = ~np.isnan(known)
        assert varies.sum() > 90
        np.testing.assert_allclose(known[varies], end[varies], atol=1e-12)


def test_bands_are_those_of_scikit_learns_curves_of_the_same_draws():
    query, relevant, scores = documents()
    (counts,) = draw_counts(13, resamples=256, seed=3)
    # The thirteenth query has no document here; it is drawn all the same.
    found = operating_curves(query, relevant, scores, 13, **{**HOW, "resamples": 256})
    agrees(found, (query, relevant, scores), counts)


@pytest.mark.slow
def test_clusters_are_drawn_whole_and_within_their_strata():
    query, relevant, scores = documents()
    cluster = np.arange(12) // 2
    structure = Structure(clusters=cluster, strata=cluster // 3)
    found = operating_curves(query, relevant, scores, 12, structure=structure, **HOW)
    drawn = draw_counts(6, resamples=300, seed=3, strata=np.arange(6) // 3)
    counts = np.concatenate(list(drawn))[:, cluster]
    agrees(found, (query, relevant, scores), counts, cluster, cluster // 3)
    # Weights are no matter of a pool of documents, and strata go with them.
    weighted = Structure(np.arange(12.0), cluster, cluster // 3)
    alone = operating_curves(
        query, relevant, scores, 12, structure=Structure(clusters=cluster), **HOW
    )
    found = operating_curves(query, relevant, scores, 12, structure=weighted, **HOW)
    for what in ("value", "low", "high"):
        np.testing.assert_array_equal(read(found, what), read(alone, what))


@pytest.mark.slow
def test_of_many_scores_a_few_thresholds_do():
    query, relevant, scores = documents(60, 20, digits=9)
    assert len(np.unique(scores)) > 10 * MOST_THRESHOLDS
    found = operating_curves(query, relevant, scores, 60, **HOW)
    whole = by_scikit_learn(relevant, scores)
    np.testing.assert_allclose(read(found, "value"), whole, atol=1e-12)
    counts = np.concatenate(list(draw_counts(60, resamples=300, seed=3))).astype(int)
    replicates = [
        by_scikit_learn(*(each[np.repeat(np.arange(len(query)), of[query])] for each in both))
        for both in [(relevant, scores)]
        for of in counts
    ]
    n_effective = effective(relevant, query, np.zeros_like(query))
    ends = expected_ends(whole, np.array(replicates), n_effective)
    for end, what in zip(ends, ("low", "high"), strict=True):
        known = read(found, what)
        np.testing.assert_allclose(known[-2:], end[-2:], atol=0.002)
        np.testing.assert_allclose(known[1:50], end[1:50], atol=0.03)
        np.testing.assert_allclose(known[53:102], end[53:102], atol=0.03)


def test_by_hand():
    # 0.9 beats both others, 0.4 one of two; the relevant ones stand first and third.
    found = operating_curves([0, 0, 1, 1], [1, 0, 1, 0], [0.9, 0.5, 0.4, 0.1], 2, **HOW)
    assert found.roc.area == 0.75
    assert found.roc.value[[0, 24, 25, 50]].tolist() == [0.5, 0.5, 1.0, 1.0]
    assert found.precision_recall.area == pytest.approx((1 + 2 / 3) / 2)
    assert found.precision_recall.value[[0, 25, 26, 50]] == pytest.approx([1, 1, 2 / 3, 2 / 3])
    # Each query alone is perfect, so a replicate has an area of 0.75 or of 1. Two queries tell
    # little: with one degree of freedom, t is 6.3.
    assert found.roc.area_high == 1.0
    assert 0 < found.roc.area_low < 0.1


def test_an_interval_by_hand():
    # With one degree of freedom, t is 1 at 50 %. The replicates have a mean of 0.8 and a deviation
    # of 0.2; times the root of 2/1, the squared error is 0.08. It is that of 2 documents.
    spread = roc._Spread(degrees=1, n_strata=1)
    replicates = np.array([[0.6, 1.0, 0.5], [0.8, 1.0, 0.5], [1.0, 1.0, 0.5]])
    low, high = roc._interval(np.array([0.8, 1.0, 0.5]), replicates, spread, 0.5)
    # (p - 0.8)^2 = p (1 - p) / 2, or 1.5 p^2 - 2.1 p + 0.64 = 0, has the roots 0.448 and 0.952;
    # the quartiles of the replicates are 0.7 and 0.9.
    assert [low[0], high[0]] == pytest.approx((2.1 + np.sqrt(0.57) * np.array([-1, 1])) / 3)
    # Where nothing varies, nothing is known.
    assert np.isnan([low[1:], high[1:]]).all()


def test_one_long_query_counts_for_little_more_than_itself():
    # A column for the relevant documents of each query, and one for the others.
    found = roc._Spread.of(np.array([[30.0, 30.0]] + [[1.0, 1.0]] * 10), None)
    assert found == (1, 1)  # 40 squared over 910 are 1.8 queries; never less than one degree
    found = roc._Spread.of(np.array([[9.0, 3.0]] + [[9.0, 1.0]] * 5), None)
    assert found.degrees == pytest.approx(8**2 / 14 - 1)
    # Queries without documents of a kind know nothing of it.
    found = roc._Spread.of(np.array([[2.0, 1.0], [2.0, 1.0], [2.0, 0.0], [2.0, 1.0]]), None)
    assert found.degrees == 2
    found = roc._Spread.of(np.ones((10, 2)), np.repeat([0, 1], 5))
    assert found == (8, 2)


def test_memory_changes_nothing():
    query, relevant, scores = documents()
    one, other = (
        operating_curves(query, relevant, scores, 12, memory=memory, **HOW)
        for memory in (2**10, 2**26)
    )
    for what in ("value", "low", "high"):
        np.testing.assert_array_equal(read(one, what), read(other, what))


def test_very_many_queries_are_drawn_in_buckets(monkeypatch):
    query, relevant, scores = documents(400, 4)
    whole = operating_curves(query, relevant, scores, 400, **HOW)
    monkeypatch.setattr(roc, "MOST_UNITS", 300)
    monkeypatch.setattr(roc, "BUCKETS", 200)
    found = operating_curves(query, relevant, scores, 400, **HOW)
    np.testing.assert_array_equal(read(found, "value"), read(whole, "value"))
    lengths = [curves.roc.area_high - curves.roc.area_low for curves in (whole, found)]
    assert lengths[1] == pytest.approx(lengths[0], rel=0.2)


def test_buckets_are_filled_evenly_and_within_their_stratum():
    strata = np.repeat([0, 1, 2], [900, 97, 3])
    buckets, of_buckets = roc._bucketed(1_000, strata, 100, seed=0)
    np.testing.assert_array_equal(np.bincount(of_buckets), [90, 10, 2])
    np.testing.assert_array_equal(of_buckets[buckets], strata)
    sizes = np.bincount(buckets)
    np.testing.assert_array_equal(sizes[:90], 10)
    np.testing.assert_array_equal(np.sort(sizes[90:]), [1, 2, *[9] * 3, *[10] * 7])


def test_one_query_has_curves_and_no_bands():
    found = operating_curves([0, 0, 0], [1, 0, 1], [3.0, 2.0, 1.0], 1, **HOW)
    assert found.roc.area == 0.5
    assert found.precision_recall.area == pytest.approx((1 + 2 / 3) / 2)
    assert np.isnan([read(found, "low"), read(found, "high")]).all()


@pytest.mark.parametrize(("kind", "precise"), [(0, False), (1, True)])
def test_where_a_kind_of_documents_is_lacking_nothing_is_read(kind, precise):
    found = operating_curves([0, 1, 1], [kind] * 3, [3.0, 2.0, 1.0], 2, **HOW)
    assert np.isnan(found.roc.area)
    assert np.isnan(found.roc.value).all()
    # Of relevant documents alone, every threshold is precise.
    assert (found.precision_recall.area == 1) is precise
    assert (found.precision_recall.value == 1).all() == precise
    assert np.isnan(read(found, "high")).all()


def simulated(n_queries, rng):
    """Draw queries of which some are long and hard, with an effect of their own on the scores."""
    size = np.exp(rng.normal(2.3, 0.8, n_queries))
    n_relevant, n_others = 1 + rng.poisson(0.3 * size), 1 + rng.poisson(size)
    query = np.concatenate([np.repeat(np.arange(n_queries), n) for n in (n_relevant, n_others)])
    relevant = np.arange(len(query)) < n_relevant.sum()
    gain = 2.5 - 0.5 * (np.log(size) - 2.3) + rng.normal(0, 0.7, n_queries)
    level = rng.normal(0, 0.5, n_queries)
    return query, relevant, rng.normal(level[query] + gain[query] * relevant)


def covered(n_queries, n_samples, resamples):
    """Give the shares of samples whose 95 % intervals hold the points, and the area."""
    true = by_scikit_learn(*simulated(20_000, np.random.default_rng(1))[1:])
    rng, held = np.random.default_rng(2), np.zeros(len(true))
    for seed in range(n_samples):
        documents = simulated(n_queries, rng)
        found = operating_curves(
            *documents, n_queries, confidence=0.95, resamples=resamples, seed=seed
        )
        held += (read(found, "low") <= true) & (true <= read(found, "high"))
    of_roc = (true[:51] > 0.05) & (true[:51] < 0.95) & (GRID > 0)
    return held[:51][of_roc] / n_samples, held[-2] / n_samples


def test_bands_cover_the_curve_of_all_queries():
    # Percentile intervals cover 89 % of the points, the worst in 83 %, and the area in 87 %.
    points, area = covered(50, 100, resamples=60)
    assert points.mean() > 0.92
    assert points.min() > 0.88
    assert area > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("n_queries", [50, 200])
def test_bands_cover_as_often_as_they_say(n_queries):
    points, area = covered(n_queries, 600, resamples=400)
    assert 0.935 < points.mean() < 0.97
    assert points.min() > 0.91
    assert 0.92 < area < 0.97
