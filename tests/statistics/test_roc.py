"""Bands of pooled curves: by hand, against scikit-learn on the same draws, and undefined ones."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as sk

from rankreport.statistics import GRID, Structure, operating_curves
from rankreport.statistics.roc import MOST_THRESHOLDS
from rankreport.statistics.streams import draw_counts

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


def agrees(found, query, relevant, scores, counts):
    """Compare with curves of samples that hold each query so many times."""
    replicates = []
    for of_queries in counts.astype(int):
        rows = np.repeat(np.arange(len(query)), of_queries[query])
        replicates.append(by_scikit_learn(relevant[rows], scores[rows]))
    np.testing.assert_allclose(read(found, "value"), by_scikit_learn(relevant, scores), atol=1e-12)
    ends = np.quantile([each for each in replicates if each is not None], [0.05, 0.95], axis=0)
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
    agrees(found, query, relevant, scores, counts)


@pytest.mark.slow
def test_clusters_are_drawn_whole_and_within_their_strata():
    query, relevant, scores = documents()
    cluster = np.arange(12) // 2
    structure = Structure(clusters=cluster, strata=cluster // 3)
    found = operating_curves(query, relevant, scores, 12, structure=structure, **HOW)
    drawn = draw_counts(6, resamples=300, seed=3, strata=np.arange(6) // 3)
    agrees(found, query, relevant, scores, np.concatenate(list(drawn))[:, cluster])
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
    ends = np.quantile(replicates, [0.05, 0.95], axis=0)
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
    # Each query alone is perfect, so a replicate has an area of 0.75 or of 1.
    assert (found.roc.area_low, found.roc.area_high) == (0.75, 1.0)


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
    monkeypatch.setattr("rankreport.statistics.sample.BUCKETED_ABOVE", 300)
    monkeypatch.setattr("rankreport.statistics.sample.BUCKETS", 200)
    found = operating_curves(query, relevant, scores, 400, **HOW)
    np.testing.assert_array_equal(read(found, "value"), read(whole, "value"))
    lengths = [curves.roc.area_high - curves.roc.area_low for curves in (whole, found)]
    assert lengths[1] == pytest.approx(lengths[0], rel=0.2)


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
