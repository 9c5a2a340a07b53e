"""Rankers and recommenders are asked for scores, and evaluated like any other run."""

# ruff: noqa: ARG001, ARG002, ARG005 - models are given what some of them ignore

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC
from suggestions import suggested

import rankreport as rr

RNG = np.random.default_rng(0)
SIZES = np.full(30, 8)
QID = np.repeat(np.arange(30), SIZES)
X = RNG.normal(size=(240, 5))
Y = np.clip((X[:, 0] + RNG.normal(size=240)).round(), 0, 3).astype(int)
RULES = {"qid": QID, "measures": ["nDCG@5", "AP", "RR"]}


def same(found, scores):
    expected = rr.evaluate_labelled(Y, scores, **RULES)
    assert found.per_query().equals(expected.per_query())
    assert found.summary().equals(expected.summary())


# --- rankers --------------------------------------------------------------------------------------


def test_the_models_of_scikit_learn():
    models = {
        "ridge": Ridge().fit(X, Y),
        "svc": LinearSVC(random_state=0).fit(X, Y > 0),
        "logistic": LogisticRegression().fit(X, Y > 0),
    }
    scores = {
        "ridge": models["ridge"].predict(X),
        "svc": models["svc"].decision_function(X),
        "logistic": models["logistic"].decision_function(X),
    }
    same(rr.evaluate_models(models, X, Y, **RULES), scores)


class Classifier:
    def __init__(self, n):
        self.n = n

    def predict(self, rows):
        raise AssertionError("classes are no scores")

    def predict_proba(self, rows):
        return np.column_stack([rows[:, i] for i in range(self.n)])


def test_a_classifier_of_two_classes_gives_the_probability_of_the_second():
    same(rr.evaluate_models({"c": Classifier(2)}, X, Y, **RULES), {"c": X[:, 1]})
    with pytest.raises(rr.OptionError, match=r"shape 240 x 3.*predict_proba\(X\) @ model.classes_"):
        rr.evaluate_models({"c": Classifier(3)}, X, Y, **RULES)


@pytest.mark.parametrize(
    "of",
    [
        sparse.csr_matrix,
        pd.DataFrame,
        lambda rows: pl.DataFrame(rows, schema=list("abcde")),
        lambda rows: rows,
    ],
)
def test_features_are_passed_on_as_they_are(of):
    given = of(X)
    seen = []

    def model(features):
        seen.append(features)
        return X[:, 0]

    same(rr.evaluate_models({"m": model}, given, Y, **RULES), {"m": X[:, 0]})
    assert seen == [given] if not isinstance(given, np.ndarray) else seen[0] is given


def test_models_may_take_different_features():
    models = {"a": lambda rows: rows[:, 0], "b": lambda rows: rows["score"]}
    features = {"a": X, "b": pd.DataFrame({"score": X[:, 1]})}
    same(rr.evaluate_models(models, features, Y, **RULES), {"a": X[:, 0], "b": X[:, 1]})


@pytest.mark.slow  # the tools take seconds to import
def test_the_rankers_of_lightgbm_xgboost_and_catboost():
    import catboost
    import lightgbm
    import xgboost

    lgbm = lightgbm.LGBMRanker(n_estimators=5, min_child_samples=2, verbosity=-1, random_state=0)
    lgbm.fit(X, Y, group=SIZES)
    xgb = xgboost.XGBRanker(n_estimators=5, random_state=0).fit(X, Y, qid=QID)
    cat = catboost.CatBoostRanker(
        iterations=5, verbose=False, random_seed=0, thread_count=1, allow_writing_files=False
    )
    cat.fit(X, Y, group_id=QID)
    booster, rows = xgb.get_booster(), xgboost.DMatrix(X)
    models = {"lgbm": lgbm, "xgb": xgb, "cat": cat, "lgbm booster": lgbm.booster_}
    scores = {name: model.predict(X) for name, model in models.items()}
    same(rr.evaluate_models(models, X, Y, **RULES), scores)
    same(rr.evaluate_models({"b": booster}, rows, Y, **RULES), {"b": booster.predict(rows)})
    # Every way to say which documents make a query, every tool, the same scores to the last bit.
    numbered = [str(number) for number in np.repeat(np.arange(1, 31), SIZES)]
    ways = [{"group": SIZES}, {"qid": np.array(numbered)}, {"qid": pd.Series(numbered)}]
    found = [
        rr.evaluate_models(models, X, Y, measures=["nDCG@5", "AP"], **way).per_query()
        for way in ways
    ]
    assert found[0].equals(found[1])
    assert found[0].equals(found[2])
    with pytest.raises(rr.DataError, match="predict of the model 'b' failed") as caught:
        rr.evaluate_models({"b": booster}, X, Y, **RULES)
    assert isinstance(caught.value.__cause__, TypeError)
    # The tool's own figure, under its profile.
    lgbm.fit(X, Y, group=SIZES, eval_X=X, eval_y=Y, eval_group=[SIZES], eval_at=[5])
    profiled = rr.evaluate_models(
        {"lgbm": lgbm}, X, Y, group=SIZES, measures="ndcg@5", profile="lightgbm"
    )
    (found,) = lgbm.evals_result_.values()
    assert profiled.summary().row(0)[1] == pytest.approx(found["ndcg@5"][-1], abs=1e-9)


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ([Ridge()], "models takes {system: model}; found list"),
        ({}, "models is empty"),
        ({"m": object()}, r"'m' \(object\) has no decision_function.*lambda X: "),
        ({"m": lambda rows: rows}, "returned has the shape 240 x 5"),
        ({"m": lambda rows: rows[:9, 0]}, "'m' has 9 entries and y_true has 240"),
        ({"m": lambda rows: rows[:, 0] * np.nan}, "'m' is nan at 0, the first of 240"),
        ({"m": lambda rows: None}, "returned: expected an array, found None"),
    ],
)
def test_models_that_do_not_fit(models, message):
    with pytest.raises(rr.RankReportError, match=message):
        rr.evaluate_models(models, X, Y, **RULES)


def test_options_are_checked_before_models_are_asked():
    def model(rows):
        raise AssertionError

    with pytest.raises(rr.MeasureError):
        rr.evaluate_models({"m": model}, X, Y, qid=QID, measures="nDGC")


def test_an_error_of_a_model_names_it():
    def model(rows):
        raise KeyError("column")

    with pytest.raises(rr.DataError, match=r"model 'm' failed \(KeyError: 'column'\)") as caught:
        rr.evaluate_models({"m": model}, X, Y, **RULES)
    assert isinstance(caught.value.__cause__, KeyError)


FRAME = pd.DataFrame(X, columns=list("abcde"))


@pytest.fixture(scope="module")
def boosters():
    import lightgbm
    import xgboost

    train = lightgbm.Dataset(FRAME, Y, group=SIZES, free_raw_data=False)
    options = {"objective": "lambdarank", "verbosity": -1, "num_threads": 1}
    ranker = xgboost.XGBRanker(n_estimators=3, n_jobs=1).fit(FRAME, Y, qid=QID)
    return train, lightgbm.train(options, train, 3), ranker


def fails(models, features, **names):
    """Return the expression of the error's last sentence, evaluated with these names."""
    with pytest.raises(rr.DataError) as caught:
        rr.evaluate_models(models, features, Y, **RULES)
    message = str(caught.value)
    line = re.search(r"(?:: )(X[.[].*?|\{.*\})(?:, with .*)?\.$", message)
    return message, eval(line[1], {"X": features, **names})


def test_a_dataset_of_lightgbm_and_other_columns_than_fitted(boosters):
    train, model, _ = boosters
    scores = {"m": model.predict(FRAME)}
    _, features = fails({"m": model}, train)
    same(rr.evaluate_models({"m": model}, features, Y, **RULES), scores)
    # LightGBM would take them by their places, and score something else.
    message, features = fails({"m": model}, FRAME[list("edcba")], model=model)
    assert "fitted on the columns a, b, c, d, e, and X has e, d, c, b, a" in message
    same(rr.evaluate_models({"m": model}, features, Y, **RULES), scores)
    more = pl.DataFrame(FRAME).with_columns(qid=1)
    _, features = fails({"m": model}, more, model=model)
    same(rr.evaluate_models({"m": model}, features, Y, **RULES), scores)
    for other in (X, pl.DataFrame(FRAME).to_arrow()):
        same(rr.evaluate_models({"m": model}, other, Y, **RULES), scores)


def test_a_matrix_of_xgboost_and_models_that_take_none(boosters):
    import xgboost

    *_, ranker = boosters
    matrix, scores = xgboost.DMatrix(FRAME), {"m": ranker.predict(FRAME)}
    _, models = fails({"m": ranker}, matrix, model=ranker)
    same(rr.evaluate_models(models, matrix, Y, **RULES), scores)
    _, models = fails({"m": ranker.get_booster()}, FRAME, xgb=xgboost, model=ranker.get_booster())
    same(rr.evaluate_models(models, FRAME, Y, **RULES), scores)
    with pytest.raises(rr.DataError, match="feature_names mismatch"):
        rr.evaluate_models({"m": ranker}, FRAME[list("edcba")], Y, **RULES)


def test_a_data_set_holds_labels_and_sizes(boosters):
    train, model, _ = boosters
    scores = model.predict(FRAME)
    expected = rr.evaluate_labelled(Y, scores, group=SIZES, measures="AP").summary()
    for group in (None, SIZES):
        made = rr.evaluate_labelled(train, scores, group=group, measures="AP")
        assert made.summary().equals(expected)


def test_a_data_set_is_no_sizes(boosters):
    train, model, _ = boosters
    scores = model.predict(FRAME)
    with pytest.raises(rr.DataError) as caught:
        rr.evaluate_labelled(Y, scores, group=train)
    call = suggested(str(caught.value), "rr.evaluate_labelled(")
    names = {"rr": rr, "y_true": Y, "y_score": scores, "group": train}
    made = eval(call[:-1] + ", measures='AP')", names)
    expected = rr.evaluate_labelled(Y, scores, group=SIZES, measures="AP").summary()
    assert made.summary().equals(expected)


def test_columns_that_scikit_learn_was_not_fitted_on():
    model = Ridge().fit(FRAME, Y)
    with pytest.raises(rr.DataError, match=r"model 'ridge' failed .*now missing: - e"):
        rr.evaluate_models({"ridge": model}, FRAME[list("abcd")], Y, **RULES)


# --- recommenders ---------------------------------------------------------------------------------

TEST = {1: {10: 5, 20: 1}, 2: {30: 4}, 3: {10: 2}}
ITEMS = [10, 20, 30, 40]
RATED = {10: 0.4, 20: 0.9, 30: 0.4, 40: 0.1}
ASKED = ["RR", "AP", "nDCG@3", "R@2"]


class Recommender:
    """Gives all users the same items."""

    def predict(self, user, items):
        assert isinstance(user, int)
        return [RATED[item] for item in items]

    def recommend(self, user, k):
        assert isinstance(user, int)
        return sorted(ITEMS, key=lambda item: -RATED[item])[:k]


def recommended(models=None, test=None, **options):
    models = {"m": Recommender()} if models is None else models
    options = {"threshold": 4, "measures": ASKED} | options
    return rr.evaluate_recommenders(models, TEST if test is None else test, **options)


def expected(k=4):
    relevant = {str(u): {str(i): r * (r >= 4) for i, r in row.items()} for u, row in TEST.items()}
    order = [20, 10, 30, 40][:k]
    run = {str(user): {str(item): -place for place, item in enumerate(order)} for user in TEST}
    return rr.evaluate(relevant, {"m": run}, ASKED)


def test_predictions_and_recommendations_are_the_same():
    one = recommended()
    assert one.per_query().equals(expected().per_query())
    # By hand: 10 is second for user 1; 30 is third for user 2; user 3 liked nothing.
    assert one.per_query()["RR"].to_list() == pytest.approx([1 / 2, 1 / 3, 0])
    assert recommended(candidates=ITEMS).per_query().equals(one.per_query())
    each = dict.fromkeys(TEST, ITEMS)
    assert recommended(candidates=each).per_query().equals(one.per_query())


TABLE = pl.DataFrame(
    [(user, item, rating) for user, row in TEST.items() for item, rating in row.items()],
    schema=["user_id", "item_id", "rating"],
    orient="row",
)


@pytest.mark.parametrize(
    "test", [TABLE, TABLE.to_pandas(), TABLE.lazy()], ids=lambda t: str(type(t))
)
def test_ratings_in_a_table_keep_the_types_of_ids(test):
    assert recommended(test=test).per_query().equals(expected().per_query())
    assert (
        recommended(test=test, candidates="test")
        .per_query()
        .equals(recommended(candidates="test").per_query())
    )


def test_ratings_in_a_file_name_users_by_text(tmp_path):
    path = tmp_path / "ratings.csv"
    TABLE.write_csv(path)
    found = recommended({"m": lambda user, k: [user, "10"][:k]}, path)
    assert found.per_query()["RR"].to_list() == [0.5, 0, 0]


FORMS = {
    "list": lambda items: items,
    "array": np.array,
    "pairs": lambda items: [(item, RATED[item]) for item in items],
    "mapping": lambda items: {item: RATED[item] for item in items},
    "arrays": lambda items: (np.array(items), np.array([RATED[item] for item in items])),
    "generator": iter,
    "text": lambda items: list(map(str, items)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("k", [2, 100])
def test_forms_of_recommendations(form, k):
    def model(user, n):
        assert n == k
        return FORMS[form](Recommender().recommend(user, 4))  # more than asked for

    found = recommended({"m": model}, k=k)
    assert found.per_query().equals(expected(k).per_query())


def test_batches():
    asked = []

    def recommend(users, k):
        asked.append(users)
        return [Recommender().recommend(user, k) for user in users]

    def predict(users, items):
        return np.array([[RATED[item] for item in row] for row in items])

    assert recommended({"m": recommend}, batch_size=2).per_query().equals(expected().per_query())
    assert asked == [[1, 2], [3]]
    found = recommended({"m": predict}, candidates=ITEMS, batch_size=2)
    assert found.per_query().equals(expected().per_query())


def test_what_was_seen_is_left_out():
    found = recommended(candidates=ITEMS, exclude={1: [20], 2: {20, 10}})
    assert found.per_query()["RR"].to_list() == [1, 1, 0]


def test_a_user_without_recommendations_is_counted_and_scores_0():
    found = recommended({"m": lambda user, k: [10] if user == 1 else []})
    assert found.unanswered["query_id"].to_list() == ["2", "3"]
    assert found.per_query()["RR"].to_list() == [1, 0, 0]
    assert "unanswered" in {caution.code for caution in found.cautions}


def test_a_threshold_is_asked_for_unless_ratings_are_equal():
    with pytest.raises(
        rr.OptionError, match=r"ratings go from 1 to 5.*one of 1 counts.*threshold=4"
    ):
        recommended(threshold=None)
    clicks = {user: dict.fromkeys(row, 1) for user, row in TEST.items()}
    assert recommended(test=clicks, threshold=None).per_query()["RR"].to_list() == [1, 1 / 3, 1 / 2]
    assert recommended(threshold=1).per_query()["RR"].to_list() == [1, 1 / 3, 1 / 2]
    with pytest.raises(rr.OptionError, match="threshold=6: no rating reaches it; the highest is 5"):
        recommended(threshold=6)


@pytest.mark.parametrize(
    ("models", "options", "message"),
    [
        ([Recommender()], {}, "models takes {system: model}; found list"),
        ({"m": object()}, {}, r"has no recommend, and is no function.*lambda user, k"),
        ({"m": Ridge()}, {}, "has predict, but no recommend. Give candidates="),
        ({"m": lambda user, k: "film"}, {}, "is 'film'. Expected items, best first"),
        ({"m": lambda user, k: 7}, {}, "for user 1 is 7. Expected items"),
        ({"m": lambda user, k: [10, 10]}, {}, "user 1: item '10' is there more than once"),
        ({"m": lambda user, k: [1.5]}, {}, "items, row 1 has 1.5 for items"),
        ({"m": lambda user, k: {10: np.nan}}, {}, "score of item 10 is nan"),
        ({"m": lambda user, k: []}, {}, "no items for any of 3 users"),
        ({"m": lambda user, k: ([1], [])}, {}, "1 items and 0 scores"),
        ({"m": lambda u, i: [1]}, {"candidates": ITEMS}, "1 scores for 4 items.*one item at a"),
        ({"m": lambda u, i: [-np.inf] * 4}, {"candidates": ITEMS}, r"-inf.*\(exclude=\)"),
        ({"m": lambda u, k: [1]}, {"batch_size": 2}, "returned 1 lists for 2 users"),
        (None, {"batch_size": 0}, "batch_size=0"),
        (None, {"k": 0}, "k=0"),
        (None, {"candidates": "all"}, "candidates='all': expected items"),
        (None, {"candidates": {1: ITEMS}}, "no items for 2 users of the test set, such as '2'"),
        (None, {"exclude": {1: [10]}}, "exclude= leaves out candidates, and there are none"),
        (None, {"candidates": ITEMS, "exclude": {"1": [10]}}, "'1' there, 1 here. Give ids of one"),
    ],
)  # fmt: skip
def test_recommenders_that_do_not_fit(models, options, message):
    with pytest.raises(rr.RankReportError, match=message):
        recommended(models, **options)


def test_an_error_of_a_recommender_names_the_user():
    with pytest.raises(rr.DataError, match="model 'm' failed for user 1") as caught:
        recommended({"m": lambda user, k: 1 / 0})
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("options", "note"),
    [
        (
            {},
            "called as recommend(user, k)",
        ),
        ({"candidates": "test"}, "called as predict(user, items)"),
        ({"batch_size": 2}, "called as recommend(users, k)"),
    ],
)
def test_how_recommenders_are_called(options, note):
    def wrong(user, items):
        return [item.price for item in (items if options.get("candidates") else [user])]

    with pytest.raises(rr.DataError) as caught:
        rr.evaluate_recommenders({"mine": wrong}, {"ann": {"Alien": 1}}, **options)
    assert note in str(caught.value)


def test_two_columns_of_a_function():
    with pytest.raises(rr.DataError) as caught:
        rr.evaluate_models({"both": lambda rows: np.zeros((len(rows), 2))}, X, Y, **RULES)
    message = str(caught.value)
    assert "Expected one score per document: scores[:, 1] is the probability" in message
    assert "returned[:, 1]" not in message


def test_a_threshold_that_is_stated_is_no_caution():
    stars = {user: {f"i{n}": n for n in range(1, 6)} for user in range(3)}
    models = {"m": lambda user, k: ["i1", "i2"]}
    stated = rr.evaluate_recommenders(models, stars, threshold=1, measures="RR")
    assert "rated" not in [each.code for each in stated.cautions]
    assert stated.summary().rows() == [("m", 1.0)]
    silent = rr.evaluate({str(u): row for u, row in stars.items()}, {"0": ["i1"]}, "RR")
    assert "rated" in [each.code for each in silent.cautions]


class OneAtATime:
    """As in Surprise: a prediction of one item, with its estimate."""

    class Prediction:
        est = 1.5

    def predict(self, user, item):
        del user, item
        return self.Prediction()


def test_a_model_of_one_item_at_a_time_is_refused_with_the_line_that_scores_several():
    with pytest.raises(rr.DataError) as caught:
        recommended({"m": OneAtATime()}, candidates=ITEMS)
    line = "lambda user, items: [model.predict(user, item).est for item in items]"
    assert line in str(caught.value)
    scored = eval(line, {"model": OneAtATime()})
    assert recommended({"m": scored}, candidates=ITEMS).systems == ("m",)
    with pytest.raises(rr.DataError, match=r"found float for .*\[model\.predict\(user, item\) for"):
        recommended({"m": lambda user, items: 0.5}, candidates=ITEMS)
