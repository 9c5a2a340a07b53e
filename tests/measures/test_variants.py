"""Measures as other tools define them: values that the tools state, and plain implementations."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

import rankreport as rr

# --- what the tools state -------------------------------------------------------------------------

TF_SCORES = [[1.0, 3.0, 2.0], [1.0, 2.0, 3.0]]
TF_LABELS = [[None, 0, 1], [0, 1, 2]]  # -1 of the first: padding

STATED = [  # measure, grades in rank order, grades not returned, value
    # torchmetrics: preds .2 .3 .5 of targets 1 0 1, then .1 .3 .5 .2 of 0 1 0 1
    ("FallOut@2", [1, 0, 1], [], 1.0),
    ("FallOut@2", [0, 1, 1, 0], [], 0.5),
    ("AUC", [1, 0, 1], [], 0.5),
    ("Rprec", [1, 0, 1], [], 0.5),
    # RecTools: MAP(divide_by_k=True) of the users of its docstring
    *[("AP(over='k')@1", *user) for user in [([0, 0], [1, 1], 0), ([1, 0], [], 1)]],
    *[("AP(over='k')@3", *user) for user in [([1, 0], [], 1 / 3), ([1, 0, 1, 1], [], 5 / 9)]],
    # NDCG(k=3, divide_by_achievable=True) of the third
    ("nDCG(gain='binary')@3", [1, 0, 1, 1], [], 1.5 / (1.5 + 1 / math.log2(3))),
    # PartialAUC and PAP of its tests: one relevant item found at 1, of three
    ("PartialAUC@1", [1, 1], [1], 2 / 3),
    ("PartialAUC(of='first')@2", [1], [1, 1], 1 / 2),
    # Evidently's MAR: relevant at 1; at 3 only
    *[("AR@2", [1, 0, 0], [], 1.0), ("AR@2", [0, 0, 1], [], 0.0), ("AR@3", [0, 0, 1], [], 1.0)],
    # rbo: p = 1, average overlap of "abcd" with "bacd"
    ("Compat(p=1, normalize=False)", [3, 4, 2, 1], [], (0 + 1 + 1 + 1) / 4),
    # LensKit's tests of RBP
    ("RBP(p=0.85)", [1], [1, 1], 0.15),
    ("RBP(p=0.5)", [1, 1], [1], 0.75),
    *[("RBP(p=0.3, normalize=True)@2", ranking, [1], 1.0) for ranking in ([1], [1, 1, 1])],
    # RBP(0.5, normalize=True) of a list of 3 with relevant items at 2 and 3, of 2 or 5
    ("RBP(p=0.5, normalize=True)", [0, 1, 1], [], 0.75 / 1.5),
    ("RBP(p=0.5, normalize=True)", [0, 1, 1], [1, 1, 1], 0.75 / 1.75),
    # RePlay's RocAuc(2) of the users of its docstring
    ("Accuracy(one_class='valued')@2", [0, 1, 1, 0, 0], [1, 1, 1, 1], 0.0),
    ("Accuracy(one_class='valued')@2", [0, 0, 1, 0, 0], [1, 1, 1, 1], 0.0),
    ("Accuracy(one_class='valued')@2", [1, 0, 1], [1, 1, 1], 1.0),
    # Where a list of two documents can be perfect
    ("nDCG(ideal='length')@5", [2, 1], [1, 1], 1.0),
    ("nDCG(ideal='length')@5", [1, 2], [1, 1], (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))),
    ("P(over='returned')@5", [1, 0], [1], 0.5),
    ("P(over='returned', judged_only=True)@5", [1, None, 1], [], 1.0),
    ("Rprec@2", [1, 1, 1], [1], 2 / 4),
    # an area of (0 + 1) / 2 * 1/2 up to a rate of 1/2, of 1/8 to 1/2
    ("AUC(max_fpr=0.5)", [1, 0, 1, 0], [], 0.5 + 0.5 * (1 / 4 - 1 / 8) / (1 / 2 - 1 / 8)),
    # empty lists
    *[(measure, [], [1, 0], 0.0) for measure in ("P(over='returned')@5", "Rprec@5", "AR@5")],
    *[(measure, [], [1, 0], 0.0) for measure in ("FallOut@5", "PartialAUC@5", "LRAP")],
    *[(measure, [], [1, 0], None) for measure in ("AUC@5", "MeanRank", "CoverageError", "OPA")],
    *[(measure, [], [1], 0.0) for measure in ("nDCG(ideal='length')", "RBP(normalize=True)")],
]


@pytest.mark.parametrize(("measure", "ranking", "unreturned", "value"), STATED)
def test_the_value_that_a_tool_states_or_that_is_worked_by_hand(
    measure, ranking, unreturned, value
):
    found = rr.score(rr.parse(measure), ranking, unreturned)
    assert found == (value if value is None else pytest.approx(value, abs=1e-12))


def test_rectools_own_table_with_gaps_in_the_ranks():
    """Users 1 to 5 of its tests of PartialAUC and PAP."""
    rows = {
        1: [(1, 9)],
        2: [(2, 1)],
        3: [(1, 1), (2, 2), (3, 3)],
        4: [(1, 1)],
        5: [(1, 3), (2, 7), (3, 9), (5, 1)],
    }
    seen = {1: [1], 2: [1], 3: [1, 2, 3], 4: [1], 5: [1, 2, 3, 4]}
    qrels = {str(user): {f"i{item}": 1 for item in items} for user, items in seen.items()}
    columns = ["query_id", "doc_id", "rank"]
    table = [(str(user), f"i{item}", rank) for user, kept in rows.items() for item, rank in kept]
    run = pl.DataFrame(table, schema=columns, orient="row")
    names = ["PartialAUC@1", "PartialAUC@3", "PAP@1", "PAP@3"]
    found = rr.evaluate(qrels, {"mine": run}, names, profile="rectools").per_query()
    values = [found[str(rr.parse(name))].to_list() for name in names]
    expected = [[0, 0, 1, 1, 0], [0, 0, 1, 1, 1 / 12], [0, 0, 1, 1, 0], [0, 0, 1, 1, 1 / 9]]
    assert np.allclose(values, expected, atol=1e-12)


def test_tensorflow_rankings_own_values_of_arp_and_opa():
    qrels = {
        f"q{q}": {f"d{d}": label for d, label in enumerate(labels) if label is not None}
        for q, labels in enumerate(TF_LABELS)
    }
    run = {f"q{q}": {f"d{d}": s for d, s in enumerate(s)} for q, s in enumerate(TF_SCORES)}
    found = rr.evaluate(qrels, {"mine": run}, ["ARP", "OPA", "MeanRank"])
    assert found.per_query()["ARP"].to_list() == [2.0, (1 * 2 + 2 * 1) / 3]
    assert found.per_query()["OPA"].to_list() == [0.0, 1.0]
    means = found.summary().row(0, named=True)
    assert means["ARP"] == pytest.approx((1 * 2 + 2 * 1 + 1 * 2) / 4)
    assert means["OPA"] == (0 + 3) / (1 + 3)
    assert means["MeanRank"] == pytest.approx((2 + 4 / 3) / 2)


def test_recommenders_own_values_of_r_precision():
    """The users of its tests; lists are by prediction, the highest first."""
    wanted = {"1": [3, 1, 2], "2": [1, 4, 5, 6, 7], "3": [2, 5, 6, 8, 9, 10, 11, 12, 13, 14]}
    lists = {"1": [3, 10, 12], "2": [10, 3, 5, 11, 13], "3": [4, 10, 7, 13, 1, 3, 5, 2, 11, 14]}
    qrels = {user: {f"i{item}": 1 for item in items} for user, items in wanted.items()}
    runs = {"mine": {user: [f"i{item}" for item in items] for user, items in lists.items()}}
    found = rr.evaluate(qrels, runs, [rr.Rprec @ k for k in (3, 5, 10)])
    assert found.summary().row(0)[1:] == pytest.approx((0.21111, 0.24444, 0.37777), abs=1e-5)


def test_scikit_learns_own_values_of_label_rankings():
    """The example of its documentation."""
    qrels = {"q0": {"a": 1, "b": 0, "c": 0}, "q1": {"a": 0, "b": 0, "c": 1}}
    run = {"q0": {"a": 0.75, "b": 0.5, "c": 1.0}, "q1": {"a": 1.0, "b": 0.2, "c": 0.1}}
    names = ["label_ranking_average_precision_score", "coverage_error"]
    found = rr.evaluate(qrels, {"mine": run}, names, profile="sklearn").summary().row(0)
    assert found[1:] == pytest.approx((5 / 12, 2.5))


# --- plain implementations ------------------------------------------------------------------------

GRADES = st.sampled_from([None, 0, 1, 2, 3])
LISTS = st.tuples(
    st.lists(GRADES, max_size=8), st.lists(st.sampled_from([0, 1, 2]), min_size=1, max_size=4)
)
CUTOFFS = st.sampled_from([1, 2, 3, 5, 20])


def dcg(grades, k):
    return sum((g or 0) / math.log2(i + 2) for i, g in enumerate(grades[:k]))


def plain(ranking, unreturned, k, rel=1):
    """Return the value of each measure from its definition."""
    hits = [g is not None and g >= rel for g in ranking]
    judged = [g for g in [*ranking, *unreturned] if g is not None]
    n_rel, n_other = (sum((g >= rel) is is_rel for g in judged) for is_rel in (True, False))
    top, n = hits[:k], len(ranking)
    found = sum(top)
    precisions = sum(sum(hits[: i + 1]) / (i + 1) for i, hit in enumerate(top) if hit)
    others = [sum(not h for h in hits[:i]) for i, hit in enumerate(hits) if hit]
    ahead = [max(0, k - above) for above in others]
    best = dcg(sorted(judged, reverse=True), min(k, n))
    weights = [0.8**i for i in range(n)]
    reachable = sum(weights[: min(n_rel, k)])
    gains = sum(g for g in judged)
    by_rank = sum(g * i for i, g in enumerate(ranking, 1) if g) + sum(unreturned) * (n + 1)
    pairs = [
        (a, b)
        for i, a in enumerate(ranking[:k])
        for b in ranking[i + 1 : k]
        if None not in (a, b) and (a >= rel) is not (b >= rel)
    ]
    irrelevant = sum(g is not None and g < rel for g in ranking[:k])
    ideal = sorted(range(len(judged)), key=lambda i: -judged[i])
    ideal = [i for i in ideal if judged[i] > 0]
    return {
        "P(over='returned')": found / min(k, n) if n else 0.0,
        "Rprec": sum(hits[: min(k, n_rel)]) / n_rel if n_rel else 0.0,
        "AR": sum(sum(hits[: i + 1]) / n_rel for i, h in enumerate(top) if h) / n_rel
        if n_rel
        else 0.0,
        "AP(over='k')": precisions / k,
        "FallOut": irrelevant / n_other if n_other else None,
        "AUC": sum(a > b for a, b in pairs) / len(pairs) if pairs else None,
        "PartialAUC": sum(ahead) / (k * n_rel) if n_rel else 0.0,
        "PartialAUC(of='first')": sum(ahead[:k]) / (k * min(k, n_rel)) if n_rel else 0.0,
        "nDCG(ideal='length')": dcg(ranking, k) / best if best else 0.0,
        "DCG(discount='log', base=10)": dcg(ranking, k) * math.log2(10),
        "RBP(normalize=True)": sum(w for w, h in zip(weights, top, strict=False) if h) / reachable
        if reachable
        else 0.0,
        "MeanRank": by_rank / gains if gains and n else None,
    } | ({} if len(ideal) > n else {"overlap": _overlap(ranking, ideal, n)})


def _overlap(ranking, ideal, n):
    # Documents of equal grade keep the order of the list, so places in `judged` name them.
    places = [i for i, g in enumerate(ranking) if g is not None]
    wanted = [places[i] if i < len(places) else n + i for i in ideal]
    shared = [len(set(range(d)) & set(wanted[:d])) / d for d in range(1, n + 1)]
    return sum(shared) / n if n else 0.0


@given(LISTS, CUTOFFS)
def test_each_agrees_with_its_definition_written_out(lists, k):
    ranking, unreturned = lists
    for name, value in plain(ranking, unreturned, k).items():
        text = "Compat(p=1, normalize=False)" if name == "overlap" else name
        measure = rr.parse(text)
        found = rr.score(measure @ k if measure.takes_at else measure, ranking, unreturned)
        assert found == (None if value is None else pytest.approx(value, abs=1e-12)), text


TIED = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([0.0, 0.5, 1.0, 2.5])), min_size=2, max_size=9
)


@given(TIED, st.sampled_from([0.1, 0.25, 0.5, 1.0]))
def test_with_equal_scores_they_agree_with_scikit_learn(documents, max_fpr):
    grades, scores = zip(*documents, strict=True)
    qrels = {"q": {f"d{i}": grade for i, grade in enumerate(grades)}}
    run = {"q": {f"d{i}": score for i, score in enumerate(scores)}}
    names = ["LRAP(no_relevant='one', rel=1)", "CoverageError", f"AUC(max_fpr={max_fpr})"]
    found = rr.evaluate(qrels, {"mine": run}, names).per_query().row(0)[2:]
    positive = np.array(grades) >= 1
    assert found[0] == pytest.approx(sk.label_ranking_average_precision_score([positive], [scores]))
    assert found[1] == sk.coverage_error([positive], [scores])
    if positive.all() or not positive.any():
        assert found[2] is None
    else:
        expected = sk.roc_auc_score(positive, scores, max_fpr=max_fpr)
        assert found[2] == pytest.approx(expected, abs=1e-12)
    if not (positive.all() and len(set(scores)) == 1):
        base10 = rr.evaluate(qrels, run, "DCG(discount='log', base=10)@3", ties="expected")
        assert base10.per_query().row(0)[2] == pytest.approx(
            sk.dcg_score([grades], [scores], k=3, log_base=10)
        )


@given(LISTS, CUTOFFS)
def test_under_its_profile_they_agree_with_mlflow(lists, k):
    ranking, unreturned = lists
    retrieved = [f"d{i}" for i in range(len(ranking))]
    wanted = [f"d{i}" for i, grade in enumerate([*ranking, *unreturned]) if grade]
    qrels = {"q": {f"d{i}": grade for i, grade in enumerate([*ranking, *unreturned]) if grade}}
    if not wanted or not retrieved:
        return
    names = [f"precision_at_{k}", f"ndcg_at_{k}"]
    found = rr.evaluate(qrels, {"q": retrieved}, names, profile="mlflow").per_query().row(0)[2:]
    series = pd.Series([retrieved]), pd.Series([wanted])
    from mlflow.metrics import metric_definitions as mlflow  # which takes seconds, here alone

    made = (mlflow._precision_at_k_eval_fn, mlflow._ndcg_at_k_eval_fn)
    theirs = [make(k)(*series).scores[0] for make in made]
    assert found == pytest.approx(theirs, abs=1e-12)
