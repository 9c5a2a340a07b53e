"""Measures of pairs and thresholds, and the points of the two curves."""

from __future__ import annotations

import itertools
import math

import ir_measures
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau
from sklearn import metrics as sk

import rankreport as rr
from rankreport.evaluation.roc import precision_recall_points, roc_points
from rankreport.measures import pairs


def values_of(queries, measures):
    """Give each measure's values for queries of (grades, scores); a score of None: not returned."""
    documents = {
        f"q{q:04}": [
            (f"d{i}", grade, score) for i, (grade, score) in enumerate(zip(*query, strict=True))
        ]
        for q, query in enumerate(queries)
    }
    qrels = {q: {d: grade for d, grade, _ in rows} for q, rows in documents.items()}
    run = {
        q: {d: score for d, _, score in rows if score is not None} for q, rows in documents.items()
    }
    return rr.evaluate(qrels, {"mine": run | {"other": {"d": 1.0}}}, measures)


def value_of(measure, grades, scores):
    # A second query lends the run a result, should this one have none.
    evaluation = values_of([(grades, scores), ([1], [1.0])], [measure])
    return evaluation.per_query()[str(rr.parse(measure))][0]


def judged_rows(queries, system="mine"):
    rows = [
        (system, f"q{q}", float(grade), None if score is None else float(score))
        for q, query in enumerate(queries)
        for grade, score in zip(*query, strict=True)
    ]
    text, number = pl.String(), pl.Float64()
    schema = {"system": text, "query_id": text, "relevance": number, "score": number}
    return pl.DataFrame(rows, schema=schema, orient="row")


def random_queries(n=60, seed=0):
    """Draw grades, whole, negative and float, and scores, with ties in both."""
    random = np.random.default_rng(seed)
    for number in range(n):
        size = int(random.integers(2, 40))
        some = [
            random.integers(-2, 4, size).astype(float),
            random.choice([-0.5, 0.0, 0.25, 1.0, 2.75], size),
            random.normal(1, 1, size),
        ]
        scores = [
            random.choice([-0.0, 0.0, 0.3, 0.5, 0.8, 2.5], size),
            random.normal(0.4, 0.5, size),
        ]
        yield some[number % 3], scores[number % 2]


# --- worked by hand -------------------------------------------------------------------------------

# The true order is 1, 3, 4, 6; a system predicts 1, 4, 6, 3. A document's grade is its true place
# counted from the end, its score its predicted one. Of the six pairs, 4-3 and 6-3 are exchanged.
TRUE = [4, 3, 2, 1]  # documents 1, 3, 4, 6
PREDICTED = [4, 1, 3, 2]

# Grades 3, 2, 1, 1, 0 with scores 5, 2, 2, 6, 1. Pairs of different grades: 10 - 1 (1 and 1) = 9.
#   3-2: 5 > 2 right     3-1: 5 > 2 right     3-1: 5 < 6 wrong    3-0: right
#   2-1: 2 = 2 tied      2-1: 2 < 6 wrong     2-0: right
#   1-0: 2 > 1 right     1-0: 6 > 1 right                         C = 6, D = 2, T = 1
# Of all 10 pairs, 9 differ in score (one is 2 = 2): tau = (6 - 2) / sqrt(9 * 9) = 4/9.
GRADES = [3, 2, 1, 1, 0]
SCORES = [5, 2, 2, 6, 1]

BY_HAND = [
    ("PairRatio", TRUE, PREDICTED, 2.0),  # 4 / 2
    ("PairAcc", TRUE, PREDICTED, 4 / 6),
    ("Tau", TRUE, PREDICTED, 2 / 6),
    ("PairRatio", GRADES, SCORES, 3.0),
    ("PairAcc", GRADES, SCORES, 6.5 / 9),
    ("PairAcc(tied='wrong')", GRADES, SCORES, 6 / 9),
    ("Tau", GRADES, SCORES, 4 / 9),
    # rel=2: relevant have 5 and 2, others 2, 6, 1: 5 beats 2 and 1; 2 ties 2 and beats 1: 3.5 / 6.
    ("AUC(rel=2)", GRADES, SCORES, 3.5 / 6),
    ("GAUC(rel=2)", GRADES, SCORES, 3.5 / 6),
    ("PooledAUC(rel=2)", GRADES, SCORES, 3.5 / 6),
    # Relevant have 5, 2, 2, 6, the other 1: all four are above it.
    ("AUC", GRADES, SCORES, 1.0),
    # rel=2, scores above 2: 5 (relevant) and 6 (not). Relevant: 5, 2; others: 2, 6, 1.
    ("TPR(t=2, rel=2)", GRADES, SCORES, 1 / 2),
    ("FPR(t=2, rel=2)", GRADES, SCORES, 1 / 3),
    ("PrecisionAbove(t=2, rel=2)", GRADES, SCORES, 1 / 2),
    ("FAbove(t=2, rel=2)", GRADES, SCORES, 1 / 2),
    # Scores above 1.5: 5 and 2 (relevant), 2 and 6 (not): P = 2/4, R = 2/2.
    ("FAbove(t=1.5, beta=2, rel=2)", GRADES, SCORES, 5 * 0.5 * 1 / (4 * 0.5 + 1)),
    # Unreturned documents are left out, whatever their grade.
    ("PairRatio", [*GRADES, 3, 0], [*SCORES, None, None], 3.0),
    ("AUC(rel=2)", [*GRADES, 3, 0], [*SCORES, None, None], 3.5 / 6),
    ("TPR(t=2, rel=2)", [*GRADES, 3, 0], [*SCORES, None, None], 1 / 2),
    ("FPR(t=2, rel=2)", [*GRADES, 3, 0], [*SCORES, None, None], 1 / 3),
    ("Scored", [*GRADES, 3, 0], [*SCORES, None, None], 5 / 7),
    # The list is 6, 5, 2, 2, 1; its relevant documents (rel=2) stand at 2 and at 3 or 4. Under
    # trec, d2 (grade 1) stands before d1 (grade 2): above them 1 and 2 others, of 3 each.
    ("Accuracy(rel=2)", GRADES, SCORES, 1 - 3 / 6),
    # Above the cut at 3 the list is 1, 3, 1: one relevant document with one of two others above.
    ("Accuracy(rel=2)@3", GRADES, SCORES, 1 - 1 / 2),
]


@pytest.mark.parametrize(("measure", "grades", "given", "by_hand"), BY_HAND)
def test_a_measure_gives_the_value_worked_by_hand(measure, grades, given, by_hand):
    assert value_of(measure, grades, given) == pytest.approx(by_hand, abs=1e-15)


def test_accuracy_reads_unjudged_documents_as_not_relevant():
    # Relevant at 1 and 3; others at 2 (unjudged) and 4. Three of the four pairs are right.
    assert rr.score(rr.Accuracy, [1, None, 1, 0]) == 0.75
    assert rr.score(rr.AUC, [1, None, 1, 0]) == 1.0


@pytest.mark.parametrize(
    ("measure", "grades", "given"),
    [
        ("PairRatio", [1, 1], [1, 2]),  # 0 / 0
        ("PairRatio", [1, 0], [2, 2]),  # 0 / 0
        ("PairAcc", [1, 1], [1, 2]),
        ("Tau", [1, 1], [1, 2]),
        ("Tau", [1, 0], [2, 2]),
        ("Tau", [1], [2]),
        ("AUC", [1, 1], [1, 2]),
        ("AUC", [0, 0], [1, 2]),
        ("GAUC", [0, 1], [1, None]),
        ("PooledAUC", [0, 1], [None, 1]),
        ("FPR", [1, 1], [1, 2]),
        ("Accuracy", [1, 1], [1, 2]),
        ("Accuracy(rel=1)@1", [1, 0], [1, 2]),
        *((m, [1, 0], [None, None]) for m in ("PairRatio", "PairAcc", "Tau", "AUC", "FPR")),
    ],
)
def test_a_value_that_is_no_number_is_null(measure, grades, given):
    assert value_of(measure, grades, given) is None


@pytest.mark.parametrize("measure", ["TPR", "PrecisionAbove", "FAbove"])
@pytest.mark.parametrize(
    ("grades", "given"), [([1, 0], [0.5, 0.4]), ([0, 0], [0.9, 0.1]), ([1, 0], [None, None])]
)
def test_shares_of_relevant_documents_are_0_where_there_are_none(measure, grades, given):
    assert value_of(measure, grades, given) == 0.0


def test_a_query_without_a_wrong_pair_has_an_infinite_ratio_and_the_pool_a_finite_one():
    # Alone: 1 / 0. The second query: C = 4, D = 2. Together: 5 / 2.
    evaluation = values_of([([1, 0], [2, 1]), (TRUE, PREDICTED)], ["PairRatio"])
    assert evaluation.per_query()["PairRatio"].to_list() == [math.inf, 2.0]
    assert evaluation.summary()["PairRatio"].item() == 5 / 2


def test_the_three_aucs_differ_in_how_queries_are_put_together():
    # Query 1: relevant 9, other 8 7: AUC 1. Query 2: relevant 1, others 2 0: AUC 1/2; two more
    # results, unjudged, were returned for it. Mean 3/4; weighted by results (1*3 + 1/2*5) / 8;
    # pooled: 9 beats all four others, 1 beats one of four: 5/8.
    qrels = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 1, "b": 0, "c": 0}}
    run = {"q1": {"a": 9, "b": 8, "c": 7}, "q2": {"a": 1, "b": 2, "c": 0, "x": 3, "y": 4}}
    evaluation = rr.evaluate(qrels, {"mine": run}, ["AUC", "GAUC", "PooledAUC"])
    assert evaluation.summary().row(0) == ("mine", 0.75, 5.5 / 8, 0.625)


# --- peers ----------------------------------------------------------------------------------------


def test_tau_is_scipys():
    queries = list(random_queries())
    for ours, (grades, scores) in zip(
        values_of(queries, ["Tau"]).per_query()["Tau"], queries, strict=True
    ):
        theirs = kendalltau(scores, grades).statistic
        assert ours is None if math.isnan(theirs) else ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("rel", [1, 0.25])
def test_auc_is_scikit_learns(rel):
    queries = list(random_queries())
    evaluation = values_of(queries, [rr.AUC(rel=rel), rr.GAUC(rel=rel), rr.PooledAUC(rel=rel)])
    for (grades, scores), *found in zip(
        queries, *evaluation.per_query().drop("system", "query_id"), strict=True
    ):
        relevant = grades >= rel
        if relevant.all() or not relevant.any():
            assert found == [None] * 3
        else:
            assert found == pytest.approx([sk.roc_auc_score(relevant, scores)] * 3, abs=1e-12)
    grades, scores = map(np.concatenate, zip(*queries, strict=True))
    pooled = evaluation.summary()[f"PooledAUC(rel={rel})" if rel != 1 else "PooledAUC"].item()
    assert pooled == pytest.approx(sk.roc_auc_score(grades >= rel, scores), abs=1e-12)


@pytest.mark.parametrize("t", [0.5, 0, -0.2, 9])
def test_measures_at_a_threshold_are_scikit_learns(t):
    queries = list(random_queries())
    asked = [rr.TPR(t=t), rr.PrecisionAbove(t=t), rr.FAbove(t=t), rr.FAbove(t=t, beta=0.5)]
    table = values_of(queries, [*asked, rr.FPR(t=t)]).per_query()
    for (grades, scores), row in zip(queries, table.iter_rows(named=True), strict=True):
        truth, said = grades >= 1, scores > t
        (true_negatives, false_positives), _ = sk.confusion_matrix(truth, said, labels=[0, 1])
        others = true_negatives + false_positives
        assert [row[str(m)] for m in asked] == pytest.approx(
            [
                sk.recall_score(truth, said, zero_division=0),
                sk.precision_score(truth, said, zero_division=0),
                sk.f1_score(truth, said, zero_division=0),
                sk.fbeta_score(truth, said, beta=0.5, zero_division=0),
            ],
            abs=1e-12,
        )
        rate = row[str(rr.FPR(t=t))]
        assert rate is None if not others else rate == pytest.approx(false_positives / others)


def test_the_strict_pair_accuracy_is_one_less_scikit_learns_ranking_loss():
    queries = [(np.where(g >= 1, 1, 0), scores) for g, scores in random_queries()]
    queries = [(g, scores) for g, scores in queries if 0 < g.sum() < len(g)]
    ours = values_of(queries, "PairAcc(tied='wrong')").scores["value"].to_list()
    losses = [sk.label_ranking_loss([grades], [scores]) for grades, scores in queries]
    assert ours == pytest.approx([1 - loss for loss in losses], abs=1e-12)
    # One pair in order, one tied. Theirs: 1 of 2 wrong. Ours counts the tie half.
    assert sk.label_ranking_loss([[1, 0, 0]], [[2, 2, 1]]) == 0.5
    assert value_of("PairAcc", [1, 0, 0], [2, 2, 1]) == 0.75


def test_scikit_learns_average_precision_is_ap_over_the_returned_unless_scores_are_tied():
    queries = [
        (grades, scores)
        for grades, scores in random_queries()
        if (grades >= 1).any() and len(set(scores)) == len(scores)
    ]
    ours = values_of(queries, "AP(over='returned')").scores["value"].to_list()
    theirs = [sk.average_precision_score(grades >= 1, scores) for grades, scores in queries]
    assert ours == pytest.approx(theirs, abs=1e-12)
    # Two documents of one score are one step of theirs: at recall 1, precision is 1/2. In a list
    # one stands first: here the relevant one, d1.
    assert sk.average_precision_score([0, 1], [1, 1]) == 0.5
    assert value_of("AP(over='returned')", [0, 1], [1, 1]) == 1.0


def test_accuracy_is_that_of_ir_measures():
    qrels, run = {}, {}
    for q, (grades, scores) in enumerate(random_queries()):
        judged = range(0, len(grades), 2)  # every other document is unjudged
        qrels[f"q{q}"] = {f"d{i}": int(grades[i]) for i in judged}
        run[f"q{q}"] = {f"d{i}": float(score) for i, score in enumerate(scores)}
    for text in ("Accuracy", "Accuracy(rel=1)@5", "Accuracy(rel=2)@5"):
        ours = rr.evaluate(qrels, {"mine": run}, [text], ties="input").scores
        asked = dict(ours.drop_nulls("value").select("query_id", "value").iter_rows())
        assert len(asked) > 20
        # Theirs divides by 0 where ours is undefined because all are relevant.
        theirs = ir_measures.iter_calc(
            [ir_measures.parse_measure(text)],
            {q: qrels[q] for q in asked},
            {q: run[q] for q in asked},
        )
        assert {one.query_id: one.value for one in theirs} == pytest.approx(asked, abs=1e-12)


# --- curves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rel", [1, 0.25])
def test_the_points_of_the_roc_curve_are_scikit_learns(rel):
    queries = list(random_queries())
    grades, scores = map(np.concatenate, zip(*queries, strict=True))
    fpr, tpr, thresholds = sk.roc_curve(grades >= rel, scores, drop_intermediate=False)
    points = roc_points(judged_rows(queries), rel=rel)
    assert points.columns == ["system", "threshold", "fpr", "tpr"]
    np.testing.assert_array_equal(points["threshold"], thresholds)
    np.testing.assert_allclose(points["fpr"], fpr, rtol=0, atol=1e-12)
    np.testing.assert_allclose(points["tpr"], tpr, rtol=0, atol=1e-12)
    area = np.trapezoid(points["tpr"], points["fpr"])
    pooled = values_of(queries, [rr.PooledAUC(rel=rel)]).summary().to_series(1).item()
    assert area == pytest.approx(pooled, abs=1e-12)


def test_the_points_of_the_precision_recall_curve_are_scikit_learns():
    queries = list(random_queries())
    grades, scores = map(np.concatenate, zip(*queries, strict=True))
    precision, recall, thresholds = sk.precision_recall_curve(grades >= 1, scores)
    points = precision_recall_points(judged_rows(queries))
    assert points.columns == ["system", "threshold", "recall", "precision"]
    # Theirs run upwards, and the last has no threshold.
    np.testing.assert_array_equal(points["threshold"], [np.inf, *thresholds[::-1]])
    np.testing.assert_allclose(points["precision"], precision[::-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(points["recall"], recall[::-1], rtol=0, atol=1e-12)


def test_each_query_can_have_curves_of_its_own_and_systems_keep_their_order():
    queries = [q for q in random_queries() if len({g >= 1 for g in q[0]}) == 2]
    rows = pl.concat([judged_rows(queries, "z"), judged_rows(queries[:3], "a")])
    by_query = roc_points(rows, by_query=True).partition_by("system", "query_id", as_dict=True)
    assert list(by_query) == [
        *(("z", f"q{q}") for q in range(len(queries))),
        *(("a", f"q{q}") for q in range(3)),
    ]
    for (_, query), points in by_query.items():
        grades, scores = queries[int(query[1:])]
        fpr, tpr, thresholds = sk.roc_curve(grades >= 1, scores, drop_intermediate=False)
        np.testing.assert_array_equal(points["threshold"], thresholds)
        np.testing.assert_allclose(points["fpr"], fpr, rtol=0, atol=1e-12)
        np.testing.assert_allclose(points["tpr"], tpr, rtol=0, atol=1e-12)
    assert roc_points(rows)["system"].unique(maintain_order=True).to_list() == ["z", "a"]
    columns = ["system", "query_id", "threshold", "recall", "precision"]
    assert precision_recall_points(rows, by_query=True).columns == columns


def test_a_point_is_what_the_measures_give_a_little_below_its_threshold():
    rows = judged_rows([(GRADES, SCORES)])
    for _, threshold, fpr, tpr in roc_points(rows, rel=2).rows():
        t = threshold - 0.5 if threshold < math.inf else 1e9
        assert value_of(rr.TPR(t=t, rel=2), GRADES, SCORES) == tpr
        assert value_of(rr.FPR(t=t, rel=2), GRADES, SCORES) == fpr


def test_a_rate_of_nothing_is_null_and_what_has_no_score_has_no_point():
    only_relevant = judged_rows([([1, 1], [2, 1]), ([0], [None])])
    assert roc_points(only_relevant).rows() == [
        ("mine", math.inf, None, 0.0),
        ("mine", 2.0, None, 0.5),
        ("mine", 1.0, None, 1.0),
    ]
    none_relevant = judged_rows([([0], [2])])
    assert precision_recall_points(none_relevant).rows() == [
        ("mine", math.inf, None, 1.0),
        ("mine", 2.0, None, 0.0),
    ]
    unscored = judged_rows([([1], [None])])
    assert roc_points(unscored).is_empty()
    assert precision_recall_points(unscored, by_query=True).is_empty()


def test_scores_may_be_infinite():
    rows = judged_rows([([1, 0, 1], [math.inf, 1, -math.inf])])
    assert roc_points(rows)["tpr"].to_list() == [0.0, 0.5, 0.5, 1.0]
    assert precision_recall_points(rows)["precision"].to_list() == [1.0, 1.0, 0.5, 2 / 3]


# --- whatever the numbers -------------------------------------------------------------------------

some_grades = st.one_of(st.integers(-2, 3).map(float), st.floats(-2, 3, allow_nan=False))
some_scores = st.one_of(
    st.sampled_from([0.0, -0.0, 0.5, 1.0, -3.0]), st.floats(-1e6, 1e6, allow_nan=False)
)
lists = st.lists(st.tuples(some_grades, some_scores), min_size=1, max_size=12)


def each_pair(documents):
    """Count concordant, discordant and tied pairs one by one."""
    counts = {1: 0, -1: 0, 0: 0}
    for (grade, score), (other_grade, other_score) in itertools.combinations(documents, 2):
        if grade != other_grade:
            higher = score - other_score if grade > other_grade else other_score - score
            counts[(higher > 0) - (higher < 0)] += 1
    return counts[1], counts[-1], counts[0]


@given(st.lists(lists, min_size=1, max_size=4))
def test_pairs_are_counted_as_one_by_one(queries):
    counts = [each_pair(query) for query in queries]
    evaluation = values_of([tuple(zip(*q, strict=True)) for q in queries], ["PairRatio", "PairAcc"])
    for (right, wrong, tied), ratio, share in zip(
        counts, *evaluation.per_query().drop("system", "query_id"), strict=True
    ):
        some = right + wrong + tied
        assert share == ((right + tied / 2) / some if some else None)
        assert ratio == (right / wrong if wrong else math.inf if right else None)
    right, wrong, _ = map(sum, zip(*counts, strict=True))
    pooled = evaluation.summary()["PairRatio"].item()
    assert pooled == (right / wrong if wrong else math.inf if right else None)


@given(st.lists(st.tuples(some_grades, some_scores), min_size=1, max_size=60))
def test_both_ways_of_counting_agree(documents):
    grades, scores = map(np.array, zip(*documents, strict=True))
    by_table, by_half = pairs._each_with_each(grades, scores), pairs._half_by_half(grades, scores)
    assert by_table.tolist() == by_half.tolist()


def test_long_lists_are_counted_too():
    random = np.random.default_rng(1)
    grades, scores = random.integers(0, 5, 2000), random.integers(0, 700, 2000)
    ours = value_of("Tau", grades.astype(float), scores.astype(float))
    assert ours == pytest.approx(kendalltau(scores, grades).statistic, abs=1e-12)


@given(lists)
def test_reversed_scores_turn_the_order_round(documents):
    grades, scores = zip(*documents, strict=True)
    asked = ["Tau", "PairAcc", "AUC", "PairRatio"]
    table = values_of([(grades, scores), (grades, [-s for s in scores])], asked).per_query()
    for measure, turned in (
        ("Tau", lambda v: -v),
        ("PairAcc", lambda v: 1 - v),
        ("AUC", lambda v: 1 - v),
        ("PairRatio", lambda v: 1 / v if v else math.inf),
    ):
        there, back = table[measure]
        assert back == (None if there is None else pytest.approx(turned(there), abs=1e-12))


@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0]), some_scores), min_size=1, max_size=12))
def test_on_two_grades_pair_accuracy_is_auc(documents):
    table = values_of([tuple(zip(*documents, strict=True))], ["PairAcc", "AUC"]).per_query()
    assert table["PairAcc"].item() == table["AUC"].item()


ORDERLESS = [
    *(rr.PairRatio, rr.PairAcc, rr.PairAcc(tied="wrong"), rr.Tau, rr.AUC, rr.GAUC, rr.PooledAUC),
    *(rr.TPR, rr.FPR, rr.PrecisionAbove, rr.FAbove, rr.Scored),
]


@pytest.mark.slow
@given(st.lists(lists, min_size=4, max_size=6))
@settings(max_examples=settings.default.max_examples // 4)  # of at least four lists each
def test_the_order_of_equal_scores_does_not_matter(queries):
    qrels, run = (
        {
            f"q{q}": {f"d{i}": document[part] for i, document in enumerate(documents)}
            for q, documents in enumerate(queries)
        }
        for part in (0, 1)
    )
    first = rr.evaluate(qrels, {"mine": run}, ORDERLESS, ties="trec").scores
    for ties in ("input", "expected", "best", "worst"):
        assert rr.evaluate(qrels, {"mine": run}, ORDERLESS, ties=ties).scores.equals(first)


@given(st.lists(st.tuples(st.integers(0, 1), st.sampled_from([1.0, 2.0])), min_size=1, max_size=5))
def test_the_expected_accuracy_is_the_mean_over_all_orders(documents):
    qrels = {"q": {f"d{i}": grade for i, (grade, _) in enumerate(documents)}}
    run = {"q": {f"d{i}": score for i, (_, score) in enumerate(documents)}}
    expected = rr.evaluate(qrels, {"mine": run}, "Accuracy", ties="expected").scores["value"].item()
    orders = {
        tuple(grade for grade, _ in sorted(order, key=lambda document: -document[1]))
        for order in itertools.permutations(documents)
    }
    # Every arrangement of the grades comes of equally many orders, so each counts once.
    each = [rr.score(rr.Accuracy, order) for order in orders]
    if expected is None:
        assert set(each) == {None}
    else:
        assert expected == pytest.approx(sum(each) / len(each), abs=1e-12)


def test_the_expected_accuracy_with_a_cut_off_is_refused():
    with pytest.raises(rr.MeasureError, match=r"^Accuracy@3: its mean .* not known with a cut-off"):
        rr.evaluate(
            {"q": {"d": 1}}, {"mine": {"q": {"d": 1}}}, "Accuracy(rel=1)@3", ties="expected"
        )
