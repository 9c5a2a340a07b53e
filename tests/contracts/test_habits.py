"""What users of other tools type: it means the same here, or the message has a line that runs."""

from __future__ import annotations

import re
from importlib.metadata import version
from types import SimpleNamespace
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import ndcg_score
from suggestions import suggested
from workbooks import workbook

import rankreport as rr
from rankreport.foreign_keywords import FOREIGN, FUNCTIONS
from rankreport.io import holds_retrieved

QRELS = {f"q{i}": {"d1": 2, "d2": 1, "d3": 0} for i in range(12)}
RUN = {f"q{i}": {"d1": 0.9, "d2": 0.5, "d3": 0.1 + i % 3 / 2} for i in range(12)}
OTHER = {f"q{i}": {"d1": 0.2, "d2": 0.5, "d3": 0.1 + i % 2} for i in range(12)}
RUNS = {"old": RUN, "new": OTHER}
EXPECTED, RETRIEVED = [["d1"], ["d2", "d3"]], [["d2", "d1"], ["d3", "d1"]]
RECORDS = [{"expected": e, "retrieved": r} for e, r in zip(EXPECTED, RETRIEVED, strict=True)]
LABELS, SCORES, QIDS, SIZES = [1, 0, 2, 0, 1], [0.9, 0.8, 0.1, 0.2, 0.3], [1, 1, 1, 2, 2], [3, 2]
BOTH = {"old": SCORES, "new": SCORES[::-1]}
MODELS = {"first": list}

OF_RUN = {"qrels": QRELS, "runs": RUN}
OF_RUNS = {"evaluation": QRELS, "runs": RUNS, "resamples": 200}
OF_ARRAYS = {"y_true": LABELS, "y_score": SCORES, "qid": QIDS}
OF_MODELS = {"models": MODELS, "X": SCORES, "y": LABELS, "qid": QIDS}
OF_LISTS = {"expected": EXPECTED, "retrieved": RETRIEVED}
OF_USERS = {"models": {"mine": lambda *_: ["a", "b"]}, "test": {"ann": {"b": 1}}}


def shown(result):
    if isinstance(result, pl.DataFrame):
        return repr(result)
    return repr(result.per_query() if isinstance(result, rr.Evaluation) else result.to_polars())


# --- keywords that mean the same ------------------------------------------------------------------

OF_ROWS = {"y_true": [[1, 0, 1], [0, 1, 0]], "y_score": [[0.1, 0.5, 0.9], [0.5, 0.9, 0.1]]}

SAME = [
    ("metrics metric", rr.evaluate, OF_RUN, {"measures": "nDCG@2"}),
    ("eval_metric", rr.evaluate, OF_RUN, {"measures": "nDCG@2"}),
    ("eval_metrics", rr.compare, OF_RUNS, {"measures": "P@1"}),
    ("metric", rr.compare(**OF_RUNS).deltas, {}, {"measure": "AP"}),
    ("qrels", rr.compare, OF_RUNS, {"evaluation": QRELS}),
    (
        "run results recommendations reco rating_pred",
        rr.evaluate,
        OF_RUN,
        {"runs": RUN},
    ),
    (
        "relevant_docs ground_truth interactions rating_true",
        rr.evaluate,
        OF_RUN,
        {"qrels": QRELS},
    ),
    ("y label labels target", rr.evaluate_labelled, OF_ARRAYS, {"y_true": LABELS}),
    (
        "score scores y_scores y_pred preds approx",
        rr.evaluate_labelled,
        OF_ARRAYS,
        {"y_score": SCORES},
    ),
    ("X_test", rr.evaluate_models, OF_MODELS, {"X": SCORES}),
    ("y_test y_true", rr.evaluate_models, OF_MODELS, {"y": LABELS}),
    ("qids query_id query_ids group_id indexes", rr.evaluate_labelled, OF_ARRAYS, {"qid": QIDS}),
    ("sizes group_sizes", rr.evaluate_labelled, OF_ARRAYS | {"qid": None}, {"group": SIZES}),
    ("expected_ids reference_contexts", rr.evaluate_retrieved, OF_LISTS, {"expected": EXPECTED}),
    ("ground_truth_documents targets", rr.evaluate_retrieved, OF_LISTS, {"expected": EXPECTED}),
    ("reference references actual", rr.evaluate_retrieved, OF_LISTS, {"expected": EXPECTED}),
    ("reference_outputs relevant", rr.evaluate_retrieved, OF_LISTS, {"expected": EXPECTED}),
    ("dataset samples", rr.evaluate_retrieved, {}, {"results": RECORDS}),
    (
        "retrieved_ids retrieved_contexts retrieved_documents outputs predicted predictions",
        rr.evaluate_retrieved,
        OF_LISTS,
        {"retrieved": RETRIEVED},
    ),
    (
        "qid query_id query_ids queries inputs questions",
        rr.evaluate_retrieved,
        OF_LISTS,
        {"query": ["a", "b"]},
    ),
    ("ground_truth interactions", rr.evaluate_recommenders, OF_USERS, {"test": {"ann": {"b": 1}}}),
    ("confidence_level", rr.compare, OF_RUNS, {"confidence": 0.8}),
    ("n_resamples n_boot n_bootstrap", rr.compare, OF_RUNS, {"resamples": 300}),
    ("stat_test", rr.compare, OF_RUNS, {"test": "t"}),
    ("random_state", rr.compare, OF_RUNS, {"seed": 7}),
    ("where", rr.evaluate_labelled, OF_ROWS, {"mask": [[True, True, False], [True, True, True]]}),
]


@pytest.mark.parametrize(
    ("name", "function", "given", "ours"),
    [(name, *case) for names, *case in SAME for name in names.split()],
)
def test_a_keyword_that_means_the_same_is_accepted(name, function, given, ours):
    ((own, value),) = ours.items()
    others = {each: held for each, held in given.items() if each != own}
    assert shown(function(**others, **{name: value})) == shown(function(**others, **ours))


def test_a_keyword_that_is_given_by_both_names_is_refused():
    with pytest.raises(rr.OptionError, match="metrics= means measures= here, which is given too"):
        rr.evaluate(QRELS, RUN, measures="AP", metrics="RR")
    with pytest.raises(rr.OptionError, match="multiple values for argument 'measures'"):
        rr.evaluate(QRELS, RUN, "AP", metrics="RR")
    with pytest.raises(rr.OptionError, match=r"'max_p'. It is 1 minus the confidence"):
        rr.compare(QRELS, RUNS, max_p=0.05, confidence=0.9)


def test_conditions_on_the_columns_of_a_table_may_have_any_name():
    losses = rr.compare(**OF_RUNS).losses()
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match="metrics"):
        losses.filter(metrics=1)


# --- keywords whose values are others here --------------------------------------------------------


TOPICS = pd.DataFrame({"qid": ["q1"], "query": ["a text"]})
FOUR = {"measures": [f"{name}@{k}" for name in ("nDCG", "AP", "R", "P") for k in (1, 2)]}
OF_LIGHTGBM = {"measures": ["ndcg@1", "ndcg@2"], "profile": "lightgbm"}
OF_XGBOOST = {"measures": ["ndcg@2", "map"], "profile": "xgboost"}
OF_RANX = {"measures": ["Recall@1", "Recall@2", "MRR@1", "MRR@2"]}
GAINS = "nDCG(gains={0: 0, 1: 1, 2: 3})"
NAMES = ["old", "new"]


def of_embeddings(*measures):
    return {"measures": list(measures), "profile": "sentence-transformers"}


CONVERTED = [
    *(
        ("names", function, given, NAMES, ours)
        for function, given, ours in (
            (rr.evaluate, OF_RUN | {"runs": [RUN, OTHER]}, {"runs": RUNS}),
            (rr.compare, OF_RUNS | {"runs": [RUN, OTHER]}, {"runs": RUNS}),
            (rr.evaluate_labelled, OF_ARRAYS | {"y_score": [*BOTH.values()]}, {"y_score": BOTH}),
            (
                rr.evaluate_retrieved,
                OF_LISTS | {"retrieved": [RETRIEVED] * 2},
                {"retrieved": dict.fromkeys(NAMES, RETRIEVED)},
            ),
        )
    ),
    ("names", rr.evaluate, OF_RUN, ["bm25"], {"runs": {"bm25": RUN}}),
    ("names", rr.evaluate_models, OF_MODELS | {"models": [list]}, ["first"], {"models": MODELS}),
    ("k_values topk cutoffs", rr.evaluate, OF_RUN, [1, 2], FOUR),
    ("k_values", rr.evaluate, OF_RUN | {"metrics": ["R@3", "RR"]}, [1], {"measures": "R@3 RR@1"}),
    ("k_values topk k", rr.evaluate, OF_RUN | {"metrics": ["Recall", "MRR"]}, [1, 2], OF_RANX),
    (
        "k cutoff top_k top",
        rr.evaluate_retrieved,
        OF_LISTS | {"measures": "RR"},
        1,
        {"measures": "RR@1"},
    ),
    (
        "rel relevance_level threshold",
        rr.evaluate,
        OF_RUN | {"metrics": ["precision@1", rr.RR]},
        2,
        {"measures": ["precision(rel=2)@1", rr.RR(rel=2)]},
    ),
    ("ndcg_at_k", rr.evaluate, OF_RUN, [1, 2], of_embeddings("ndcg@1", "ndcg@2")),
    ("mrr_at_k", rr.evaluate, OF_RUN, [1], of_embeddings("mrr@1")),
    ("map_at_k", rr.evaluate, OF_RUN, [1], of_embeddings("AP(over='min')@1")),
    ("accuracy_at_k", rr.evaluate, OF_RUN, [1], of_embeddings("Success@1")),
    ("precision_recall_at_k", rr.evaluate, OF_RUN, [2], of_embeddings("P@2", "R@2")),
    ("eval_at", rr.evaluate_labelled, OF_ARRAYS, [1, 2], OF_LIGHTGBM),
    ("eval_metric", rr.evaluate_labelled, OF_ARRAYS, ["ndcg@2", "map"], OF_XGBOOST),
    ("ignore_ties", rr.evaluate_labelled, OF_ARRAYS, True, {"ties": "input"}),
    ("ignore_ties", rr.evaluate_labelled, OF_ARRAYS, False, {"ties": "expected"}),
    ("sep delimiter round rounding_digits", rr.evaluate, OF_RUN, 3, {}),
    ("make_comparable return_mean verbose", rr.evaluate, OF_RUN, True, {}),
    ("show_percentages filter_by_qrels batch_size", rr.compare, OF_RUNS, True, {}),
    ("perquery", rr.evaluate, OF_RUN, False, {}),
    ("ignore_identical_ids", rr.evaluate, OF_RUN, False, {}),
    ("ignore_identical_ids", rr.evaluate, OF_RUN, True, {"profile": "beir"}),
    ("max_p alpha", rr.compare, OF_RUNS, 0.01, {"confidence": 0.99}),
    ("test", rr.compare, OF_RUNS, "student", {"test": "t"}),
    ("test", rr.compare, OF_RUNS, "fisher", {"test": "sign-flip"}),
    ("correction", rr.compare, OF_RUNS, "fdr_by", {"correction": "by"}),
    ("correction", rr.compare, OF_RUNS, "fdr_bh", {"correction": "bh"}),
]


@pytest.mark.parametrize(
    ("name", "function", "given", "value", "ours"),
    [(name, *case) for names, *case in CONVERTED for name in names.split()],
)
def test_a_keyword_of_another_tool_gives_the_right_numbers(name, function, given, value, ours):
    same = {own: held for own, held in given.items() if own != "metrics"} | ours
    assert shown(function(**given, **{name: value})) == shown(function(**same))


def test_a_matrix_of_scores_is_a_run_if_its_rows_and_columns_are_named():
    named = {"queries_ids": ["q1", "q2"], "corpus_ids": ["a", "b"], "metrics": "RR"}
    for scores in ([[0.1, 0.7], [0.2, 0.3]], np.array([[0.1, 0.7], [0.2, 0.3]])):
        assert means(rr.evaluate({"q1": {"b"}, "q2": {"a"}}, scores, **named)) == [0.75]  # 1, 1 / 2
    with pytest.raises(rr.OptionError, match="Name rows and columns") as caught:
        rr.evaluate({"q1": {"b"}, "q2": {"a"}}, scores, queries_ids=["q1", "q2"], metrics="RR")
    line = re.search(r": (\{.*\})\.", str(caught.value))[1]
    names = {"ids": ["q1", "q2"], "corpus_ids": ["a", "b"], "runs": scores}
    assert means(rr.evaluate({"q1": {"b"}, "q2": {"a"}}, eval(line, names), "RR")) == [0.75]


def test_the_document_of_the_query_itself_is_left_out_as_beir_does():
    given = {"qrels": {"q": {"b": 1}}, "runs": {"q": {"q": 0.9, "a": 0.8, "b": 0.7}}}
    for drops, value in ((True, 0.5), (False, 1 / 3)):
        found = rr.evaluate(**given, measures="MRR@10", ignore_identical_ids=drops)
        assert means(found) == [round(value, 4)]
    with pytest.raises(rr.OptionError, match="profile='beir' drops them"):
        rr.evaluate(**given, profile="trec_eval-9", ignore_identical_ids=True)


@pytest.mark.parametrize("found", [{"d{}": 1.0}, {}])
def test_queries_among_their_own_results_are_not_blamed_on_the_form_of_ids(found):
    qrels = {f"q{i}": {f"d{i}": 1} for i in range(12)}
    lists = {"q{}": 2.0, **found}
    run = {f"q{i}": {d.format(i): s for d, s in lists.items()} for i in range(12)}
    [caution] = [
        each
        for each in rr.evaluate(qrels, run, "RR").cautions
        if each.code in {"query_itself", "nothing_judged", "nearly_equal_ids"}
    ]
    assert caution.code == ("query_itself" if found else "nothing_judged")
    assert "is returned for the query of the same id" in caution.remedy
    assert caution.line == "profile='beir' (--profile beir)"
    if found:
        assert means(rr.evaluate(qrels, run, "RR", profile="beir")) == [1.0]


def test_a_word_more_is_no_other_spelling():
    with pytest.raises(rr.OptionError) as caught:
        rr.evaluate(QRELS, RUN, queries_texts=["a"])
    assert "Did you mean" not in str(caught.value)


def test_keywords_of_one_tool_go_together():
    theirs = {"mrr_at_k": [2], "ndcg_at_k": [1, 2], "accuracy_at_k": [1], "round": 3}
    ours = of_embeddings("accuracy@1", "mrr@2", "ndcg@1", "ndcg@2")
    assert shown(rr.evaluate(QRELS, RUN, **theirs)) == shown(rr.evaluate(QRELS, RUN, **ours))
    theirs = {"names": NAMES, "max_p": 0.1}
    found = rr.compare(QRELS, [RUN, OTHER], metrics="AP", baseline=1, **theirs)
    assert shown(found) == shown(rr.compare(QRELS, RUNS, "AP", baseline="new", confidence=0.9))


@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        ({"names": 5}, "Name them"),
        ({"names": ["old"]}, "Name them"),
        ({"names": ["old", "old"]}, "Name them"),
        ({"names": NAMES, "baseline": 5}, "Name them"),
        ({"max_p": "0.05"}, "1 minus the confidence"),
    ],
)
def test_values_that_do_not_fit_are_refused_in_our_words(theirs, words):
    with pytest.raises(rr.OptionError, match=words) as caught:
        rr.compare(QRELS, [RUN, OTHER], **theirs)
    if line := re.search(r"Name them: (runs=.*)\.$", str(caught.value)):
        assert eval(f"dict({line[1]})", {"names": NAMES, "runs": RUNS.values()}) == {"runs": RUNS}


def test_runs_without_names_are_numbered():
    found = rr.evaluate(QRELS, [RUN, OTHER], "AP").per_query()
    renamed = {"old": "run 1", "new": "run 2"}
    expected = rr.evaluate(QRELS, {renamed[name]: run for name, run in RUNS.items()}, "AP")
    assert found.equals(expected.per_query())


# --- calls that mean another function -------------------------------------------------------------


class Prediction(NamedTuple):
    """What Surprise returns."""

    uid: str
    iid: str
    r_ui: float
    est: float
    details: dict


PREDICTIONS = [
    Prediction("u1", "i1", 4.0, 4.1, {"was_impossible": False}),
    Prediction("u1", "i2", 2.0, 4.5, {}),
    Prediction("u2", "i3", 5.0, 4.2, {}),
    Prediction("u2", "i4", 3.0, 2.8, {}),
]


@pytest.mark.parametrize("made", [list, pd.DataFrame, lambda found: [p._asdict() for p in found]])
@pytest.mark.parametrize("function", [rr.evaluate, rr.evaluate_labelled])
def test_predictions_of_surprise_are_grades_and_scores_in_one(made, function):
    found = function(made(PREDICTIONS), measures=["precision@1", "mrr"], threshold=3.5)
    assert means(found) == [0.5, 0.75]  # u1 has i2 first, which is rated 2
    without = function(made(PREDICTIONS), measures=["mrr"])
    assert [each.code for each in without.cautions] == ["rated"]


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("queries", ["group", "groups", "qid"])
@pytest.mark.parametrize("function", [rr.evaluate, rr.evaluate_labelled])
@pytest.mark.parametrize("names", [("y_true", "y_score"), ("label", "preds"), ("target", "score")])
def test_arguments_that_name_columns_of_a_frame_take_them(made, queries, function, names):
    frame = made({"visit": [7, 7, 8, 8], "hit": [0, 1, 0, 1], "p": [0.2, 0.8, 0.7, 0.5]})
    given = dict(zip(names, ("hit", "p"), strict=True)) | {queries: "visit", "measures": "mrr"}
    assert means(function(frame, **given)) == [0.75]
    with pytest.raises(rr.OptionError, match=r"'proba' is not one of 'visit', 'hit', 'p'"):
        function(frame, **given | {names[1]: "proba"})
    frame = made({"visit": [7, 7], "hit": [0, 1], "p": [0.2, 0.8], "r": [0.3, 0.1]})
    both = function(frame, **given | {names[1]: ["p", "r"]})
    assert both.summary().rows() == [("p", 1), ("r", 0.5)]


TEXTS, BEIR = ["a", "b"], "nDCG AP R P"
OF_LANGSMITH = [
    {"outputs": {"documents": each["retrieved"]}, "reference_outputs": {"documents": wanted}}
    for each, wanted in zip(RECORDS, EXPECTED, strict=True)
]
CALLS = [
    (
        lambda: rr.evaluate(RECORDS, measures="RR"),
        lambda: rr.evaluate_retrieved(RECORDS, measures="RR"),
    ),
    (
        lambda: rr.evaluate(dataset=pd.DataFrame(RECORDS), metrics="RR"),
        lambda: rr.evaluate_retrieved(RECORDS, measures="RR"),
    ),
    (
        lambda: rr.evaluate(OF_LANGSMITH, measures="RR"),
        lambda: rr.evaluate_retrieved(RECORDS, measures="RR"),
    ),
    (
        lambda: rr.evaluate({"first": "nDCG@2", "second": "RR"}, QRELS, RUN),
        lambda: rr.evaluate(QRELS, RUN, ["nDCG@2", "RR"]),
    ),
    (
        lambda: rr.evaluate(relevant=EXPECTED, retrieved=RETRIEVED, questions=TEXTS, metrics="RR"),
        lambda: rr.evaluate_retrieved(**OF_LISTS, query=TEXTS, measures="RR"),
    ),
    (
        lambda: rr.evaluate(np.array(LABELS), np.array(SCORES), "RR", group_id=QIDS),
        lambda: rr.evaluate_labelled(**OF_ARRAYS, measures="RR"),
    ),
    (
        lambda: rr.evaluate(label=LABELS, preds=SCORES, group=SIZES, eval_at=[2]),
        lambda: rr.evaluate_labelled(**OF_ARRAYS, measures="ndcg@2", profile="lightgbm"),
    ),
    (
        lambda: rr.evaluate(np.array([LABELS]), np.array([SCORES]), "ndcg", k=2),
        lambda: rr.evaluate_labelled([LABELS], [SCORES], measures="ndcg@2"),
    ),
    (
        lambda: rr.evaluate(LABELS, BOTH, group=SIZES),
        lambda: rr.evaluate_labelled(LABELS, BOTH, group=SIZES),
    ),
    (
        lambda: rr.evaluate([ir_measures.nDCG @ 2], QRELS, RUN),
        lambda: rr.evaluate(QRELS, RUN, "nDCG@2"),
    ),
    (
        lambda: rr.compare(["AP", "nDCG@2"], QRELS, RUNS),
        lambda: rr.compare(QRELS, RUNS, ["AP", "nDCG@2"]),
    ),
    (
        lambda: rr.evaluate(QRELS, RUN, [1, 2]),
        lambda: rr.evaluate(QRELS, RUN, [f"{m}@{k}" for k in (1, 2) for m in BEIR.split()]),
    ),
]


@pytest.mark.parametrize("case", range(len(CALLS)))
def test_a_call_that_means_another_function_is_that_call(case):
    theirs, ours = CALLS[case]
    assert shown(theirs()) == shown(ours())


HITS = [
    [[{"corpus_id": 4, "score": 0.9}, {"corpus_id": 7, "score": 0.5}], [{"corpus_id": 5}]],
    {"ids": [[4, 7], [5]], "distances": [[0.1, 0.3], [0.2]], "metadatas": None},
    (np.array([[4, 7], [5, 9]]), np.array([[0.9, 0.5], [0.7, 0.1]])),  # of implicit
    (np.array([[0.9, 0.5], [0.7, 0.1]]), np.array([[4, 7], [5, 9]])),  # of FAISS
]


@pytest.mark.parametrize("hits", HITS)
def test_answers_to_several_queries_go_with_lists_of_what_is_relevant(hits):
    for wanted in ([[7], [5]], [{7}, {5}]):
        assert means(rr.evaluate(wanted, hits, "RR")) == [0.75]  # 1 / 2 and 1


def test_other_pairs_are_no_answers():
    both = (RUN, OTHER), ([1], [2]), (1, 2), (np.eye(2), np.eye(2)), (np.eye(2, dtype=int), [0.5])
    assert not any(holds_retrieved(None, [["a"]], each) for each in both)


def test_an_answer_of_weaviate_is_a_list_of_documents():
    def answer(*ids):
        hits = [{"text": "t", "_additional": {"id": i, "certainty": 0.5}} for i in ids]
        return {"data": {"Get": {"Passage": hits}}}

    run = {"q1": answer("u", "v", "w"), "q2": answer("x")}
    assert means(rr.evaluate({"q1": ["w"], "q2": ["x"]}, run, "RR")) == [round(2 / 3, 4)]


def test_data_of_a_learner_hold_grades_and_queries():
    # The first of two lists has its relevant document at 3, the second at 1.
    labels, scores, features = [0, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.2, 0.1], np.zeros((5, 1))
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    of_lightgbm = lightgbm.Dataset(features, label=labels, group=[3, 2])
    of_xgboost = xgboost.DMatrix(features, label=labels, qid=[1, 1, 1, 2, 2])
    for data in (of_lightgbm, of_xgboost, LikePool(labels, [8, 8, 8, 5, 5])):
        found = rr.evaluate(data, np.array(scores), "RR")
        assert means(found) == [round((1 / 3 + 1) / 2, 4)]
    with pytest.raises(rr.OptionError, match="qid= or group= is missing"):
        rr.evaluate(xgboost.DMatrix(features, label=labels), np.array(scores), "RR")


class LikePool:
    """What CatBoost's Pool says of itself."""

    def __init__(self, labels, groups):
        self.labels, self.groups = labels, groups

    def get_label(self):
        return self.labels

    def get_group_id_hash(self):
        return np.array(self.groups, dtype=np.uint64)


def test_scores_that_are_text_are_no_paths():
    texts = list(map(str, HELD["y_score"]))  # as the csv module reads them
    found = rr.evaluate_labelled(HELD["y_true"], texts, group=HELD["group"], measures="RR")
    assert means(found) == [0.75]


@pytest.mark.parametrize("name", ["qid", "query", "topic"])
@pytest.mark.parametrize("documents", ["docno", "doc_id", "item"])
def test_a_pivoted_frame_has_a_row_for_each_query(name, documents):
    rows = {name: ["1", "1", "2"], documents: ["a", "b", "b"], "x": [1, 0, 2], "y": [0.1, 0.2, 0.5]}
    grades, scores = (
        pd.DataFrame(rows).pivot_table(index=name, columns=documents, values=each) for each in "xy"
    )
    found = rr.evaluate(grades, {"mine": scores}, ["RR", "num_rel", "num_ret"])
    assert means(found) == [0.75, 2, 3]  # 1 / 2 and 1
    with pytest.raises(rr.DataError, match="If it has a column for each document"):
        rr.evaluate(grades.rename_axis(columns=None), scores, "RR")


def test_the_id_in_the_metadata_of_a_document_is_its_id():
    def document(**more):
        return SimpleNamespace(page_content="t", id=None, metadata={"source": "a.txt", **more})

    run = {"q1": [(document(id="a"), 0.9), (document(id="b"), 0.4)]}
    assert means(rr.evaluate({"q1": ["b"]}, run, "RR")) == [0.5]
    assert means(rr.evaluate({"q1": ["b"]}, {"q1": [d for d, _ in run["q1"]]}, "RR")) == [0.5]
    with pytest.raises(rr.DataError, match=r"If both sides have texts, compare these"):
        rr.evaluate_retrieved(expected=[["t"]], retrieved=[[document(id="a")]])
    with pytest.raises(rr.DataError, match=r'd.metadata\["source"\]'):
        rr.evaluate({"q1": ["b"]}, {"q1": [document()]}, "RR")


def test_a_series_of_queries_and_documents_is_read():
    pairs = [("q1", "a"), ("q1", "b"), ("q1", "c"), ("q2", "d")]
    for names in (["topic", "docno"], [None, None]):
        of = pd.MultiIndex.from_tuples(pairs, names=names)
        grades, scores = pd.Series([0, 2, 0, 1], of, name="x"), pd.Series([0.9, 0.3, 0.6, 1], of)
        assert means(rr.evaluate(grades, scores, "RR")) == [round((1 / 3 + 1) / 2, 4)]


def test_hits_without_scores_count_in_their_order():
    hits = [{"_id": i, "_score": None, "sort": [n]} for n, i in enumerate("xyz")]
    assert means(rr.evaluate({"q": ["y"]}, {"q": hits}, "RR")) == [0.5]
    with pytest.raises(rr.DataError, match="None where the score belongs"):
        rr.evaluate({"q": ["y"]}, {"q": [*hits, {"_id": "w", "_score": 0.5}]}, "RR")


def test_ranks_given_as_scores_are_a_caution():
    ranks = {"q1": {"a": 1, "b": 2, "c": 3}, "q2": {"d": 1, "e": 2, "f": 3}}
    codes = {each.code for each in rr.evaluate({"q1": ["a"]}, ranks, "RR").cautions}
    assert "ascending_scores" in codes
    fall = {q: dict(zip(row, [3, 2, 1], strict=True)) for q, row in ranks.items()}
    codes = {each.code for each in rr.evaluate({"q1": ["a"]}, fall, "RR").cautions}
    assert "ascending_scores" not in codes


def without_pyarrow(*_, **__):
    raise ModuleNotFoundError("pyarrow is required")


@pytest.mark.parametrize(
    ("own", "start"),
    [
        (lambda frame: frame, "frame.rename("),
        (pl.DataFrame, "pl.DataFrame(frame)"),
        (pl.LazyFrame, "frame.collect("),
    ],
)
def test_a_wrong_column_of_a_frame_is_answered_in_its_library(own, start, monkeypatch):
    run = pd.DataFrame({"query_id": ["q", None], "doc_id": ["a", "b"], "points": [0.5, 0.7]})
    run, qrels = run.head(1), pd.DataFrame({"topicx": ["q"], "doc_id": ["a"], "grade": [1]})
    frames = {name: own(frame) for name, frame in (("qrels", qrels), ("run", run))}
    monkeypatch.setattr("polars.dataframe.frame.pandas_to_pydf", without_pyarrow)
    for named in (frames["run"], {"mine": frames["run"]}):
        given = frames | {"run": named}
        for name in ("qrels", "run"):
            with pytest.raises(rr.DataError, match=f"{name}.* has no column for") as caught:
                rr.evaluate(given["qrels"], given["run"], "RR")
            assert "TREC" not in str(caught.value)
            assert "--columns" not in str(caught.value)
            line = suggested(str(caught.value), start)
            given[name] = eval(line, {"frame": frames[name], "pl": pl})
        assert means(rr.evaluate(given["qrels"], given["run"], "RR")) == [1]


def test_documents_in_a_column_for_each_rank_are_read_by_the_lines_that_are_suggested(monkeypatch):
    frame = pd.DataFrame({"question": ["x", "y"], "top1": ["a", "c"], "top2": ["b", "a"]})
    right = pd.DataFrame({"question": ["x", "y"], "answer": ["b", "c"]})
    with pytest.raises(rr.DataError) as caught:
        rr.evaluate(right, frame, "RR")
    names = {"pl": pl}
    monkeypatch.setattr("polars.dataframe.frame.pandas_to_pydf", without_pyarrow)
    judged = eval(suggested(str(caught.value), "pl.DataFrame"), names | {"frame": right})
    with pytest.raises(rr.DataError, match="a column for each rank") as caught:
        rr.evaluate(judged, frame, "RR")
    run = eval(suggested(str(caught.value), "pl.DataFrame"), names | {"frame": frame})
    assert means(rr.evaluate(judged, run, "RR")) == [0.75]  # 1 / 2 and 1


def test_a_mean_is_taken_by_any_measure_that_is_evaluated_and_serves_as_a_number():
    found = rr.evaluate({"q": {"a": 1, "b": 3}}, {"q": {"a": 2, "b": 1}}, ["nDCG@2", "P@1"])
    for key in ("ndcg_cut_2", ir_measures.nDCG @ 2, rr.nDCG(k=2)):
        assert float(found[key]) == pytest.approx((1 + 3 / np.log2(3)) / (3 + 1 / np.log2(3)))
        assert f"{found[key]:.3f}" == "0.797"
    with pytest.raises(rr.OptionError, match="column='AP'"):
        found["AP"]
    with pytest.warns(UserWarning, match="Equal scores: another order"):
        assert float(rr.evaluate({"q": ["a"]}, {"q": {"a": 1, "b": 1}}, "RR")["RR"]) == 0.5
    both = rr.evaluate(QRELS, RUNS, "P@1")
    assert both["P@1"].to_list() == both["precision@1"].to_list()
    with pytest.raises(rr.OptionError, match="a mean of each of 2 systems") as caught:
        float(both["P@1"])
    line = suggested(str(caught.value), "dict")
    assert eval(line, {"evaluation": both}) == dict(zip(RUNS, both["P@1"], strict=True))


def test_a_mean_is_shown_with_what_to_know_of_it():
    found = rr.evaluate_labelled([0, 1, 2, 1], [4.0, 3, 2, 1], group=[4], measures=["AP@2"])
    assert "LightGBM" in repr(found["AP@2"])
    with pytest.warns(UserWarning, match="AP@2: the divisor is .* relevant documents, up to 3"):
        assert float(found["AP@2"]) == pytest.approx(1 / 2 / 3)
    # LightGBM 4.7: 0.25, as the divisor is 2. Below, the divisor is the same.
    found = rr.evaluate_labelled([0, 1, 2, 1], [4.0, 3, 2, 1], group=[4], measures=["AP@3"])
    assert "LightGBM" not in repr(found["AP@3"])


def test_whole_numbers_in_both_arrays_may_be_identifiers():
    with pytest.raises(rr.DataError, match=r"Grades in arrays: rr\.evaluate_labelled"):
        rr.evaluate(np.array([1, 0]), np.array([3, 4]), "RR")


# --- keywords that mean something else: the line of the message gives the right numbers -----------


REMEDIES = [
    ("label_gain", rr.evaluate_labelled, OF_ARRAYS, [0, 1, 3], {"measures": GAINS}),
    ("rel relevance_level threshold", rr.evaluate, OF_RUN, 2, {"measures": "AP(rel=2)"}),
]


@pytest.mark.parametrize(
    ("name", "function", "given", "value", "ours"),
    [(name, *case) for names, *case in REMEDIES for name in names.split()],
)
def test_the_argument_that_a_message_suggests_gives_the_right_numbers(
    name, function, given, value, ours
):
    with pytest.raises(rr.OptionError) as caught:
        function(**given, **{name: value})
    line = re.search(r": (\w+=.*)\.$", str(caught.value))
    said = eval(f"dict({line[1]})", given | {"rr": rr, name: value})
    assert shown(function(**given | said)) == shown(function(**given | ours))


def test_groups_are_queries_or_sizes():
    expected = shown(rr.evaluate_labelled(LABELS, SCORES, qid=QIDS))
    for groups in (QIDS, SIZES):
        assert shown(rr.evaluate_labelled(LABELS, SCORES, groups=groups)) == expected
        assert shown(rr.evaluate(y_true=LABELS, y_score=SCORES, groups=groups)) == expected


def test_a_group_of_names_is_of_each_document():
    # b: relevant at 2; a: relevant at 1.
    for group in (["b", "a", "b", "a"], np.array(["b", "a", "b", "a"])):
        found = rr.evaluate_labelled([0, 1, 1, 0], [9.0, 8, 5, 1], group=group, measures="RR")
        assert found["RR"].to_list() == [0.75]


GRADES, PREDICTED = [0, 2, 1, 1, 0], [0.9, 0.8, 0.1, 0.3, 0.6]


@pytest.mark.parametrize(
    "theirs",
    [
        {"eval_at": [1, 3]},
        {"eval_at": [1, 3], "metric": "ndcg"},
        {"eval_at": [1, 3], "eval_metric": "ndcg"},
        {"eval_metric": ["ndcg@1", "ndcg@3"]},
        {"label_gain": [0, 1, 3], "ignore_ties": True},
    ],
)
def test_the_gain_is_that_of_the_tool_whose_keyword_is_given(theirs):
    if "label_gain" in theirs:
        with pytest.raises(rr.OptionError) as caught:
            rr.evaluate_labelled(GRADES, PREDICTED, group=SIZES, **theirs)
        line = re.search(r": (measures=.*)\.$", str(caught.value))[1]
        theirs = eval(f"dict({line})", {"rr": rr, **theirs})
    found = rr.evaluate_labelled(GRADES, PREDICTED, group=SIZES, **theirs)
    at_3, log_3 = len(theirs["measures"]) > 1 if "measures" in theirs else True, np.log2(3)
    expected = [(3 / log_3 + 1 / 2) / (3 + 1 / log_3), 1 / log_3]
    assert found.to_polars().row(0)[-1] == pytest.approx(np.mean(expected), abs=1e-12)
    assert len(found.measures) == 1 + at_3


LINES = [
    (
        lambda: rr.compare(LABELS, BOTH, group=SIZES),
        {"group": SIZES, "y_score": BOTH},
        lambda: rr.evaluate_labelled(LABELS, BOTH, group=SIZES),
    ),
    (
        lambda: rr.evaluate(LABELS, [1, 2, 3, 4, 5], qid=QIDS),
        {"qid": QIDS, "y_score": [1, 2, 3, 4, 5]},
        lambda: rr.evaluate_labelled(LABELS, [1, 2, 3, 4, 5], qid=QIDS),
    ),
    *(
        (
            lambda name=name, value=value: rr.evaluate(QRELS, RUNS, **{name: value}),
            {name: value},
            lambda name=name, value=value: rr.compare(QRELS, RUNS, **{name: value}),
        )
        for name, value in {"baseline": "new", "correction": "holm"}.items()
    ),
    *(
        (
            lambda name=name: rr.evaluate(QRELS, RUN, **{name: LABELS}),
            {"y_score": SCORES, "qid": QIDS},
            lambda: rr.evaluate_labelled(**OF_ARRAYS),
        )
        for name in ("y_true", "y_score", "groups", "mask", "where")
    ),
    *(
        (
            lambda name=name, value=value: rr.compare(QRELS, RUNS, **{name: value}),
            {name: value},
            lambda name=name, value=value: rr.compare(rr.evaluate(QRELS, RUNS, **{name: value})),
        )
        for name, value in {"profile": "sklearn", "ties": "input"}.items()
    ),
    *(
        (
            lambda name=name, value=value: rr.evaluate(QRELS, RUNS, **{name: value}),
            {},
            lambda: rr.evaluate(QRELS, RUNS).per_query(),
        )
        for name, value in {"perquery": True, "return_mean": False}.items()
    ),
    *(
        (wrong, {}, lambda: rr.compare(QRELS, RUNS))
        for wrong in (
            lambda: rr.compare(RUN, OTHER),
            lambda: rr.compare(rr.evaluate(QRELS, RUN), rr.evaluate(QRELS, OTHER)),
            lambda: rr.compare([rr.evaluate(QRELS, RUN), rr.evaluate(QRELS, OTHER)]),
        )
    ),
    (
        lambda: rr.compare(QRELS, RUN, OTHER, measures="AP"),
        {"measures": "AP"},
        lambda: rr.compare(QRELS, RUNS, "AP"),
    ),
]
KNOWN = {"rr": rr, "qrels": QRELS, "runs": RUNS, "old": RUN, "new": OTHER, "y_true": LABELS}


@pytest.mark.parametrize("case", range(len(LINES)))
def test_the_line_that_a_message_suggests_gives_the_right_numbers(case):
    wrong, names, right = LINES[case]
    with pytest.raises(rr.OptionError) as caught:
        wrong()
    line = suggested(str(caught.value), "rr.")
    found, expected = eval(line, KNOWN | names), right()
    if isinstance(found, pl.DataFrame):
        assert found.equals(expected)
    else:
        assert shown(found) == shown(expected)


def test_every_keyword_of_the_table_is_tried():
    tried = {name for names, *_ in (*SAME, *CONVERTED, *REMEDIES) for name in names.split()}
    tried |= {name for _, names, _ in LINES for name in names} | {"path", "output"}
    tried |= {"queries_ids", "corpus_ids", "groups", "mask"}
    tried |= {"measures", "recs", "runs", "split"}
    tried |= {"query_column", "item_column", "rating_column"}
    tried |= {"col_user", "col_item", "col_rating", "col_prediction"}
    assert {name for each in FOREIGN for name in each.names.split()} <= tried


@pytest.mark.slow  # a page takes a second
def test_a_page_is_written_by_the_line_that_is_suggested(tmp_path):
    result, path = rr.evaluate(QRELS, RUN, "AP"), tmp_path / "a.html"
    for name in ("path", "output"):
        with pytest.raises(rr.OptionError) as caught:
            rr.report(result, **{name: path})
        line = suggested(str(caught.value), "rr.report")
        assert line == f"rr.report(subject).to_html({name})"
    eval(line, {"rr": rr, "subject": result, "output": path})
    page = path.read_text(encoding="utf-8")
    result.to_html(path)
    assert "run" in page
    assert page == path.read_text(encoding="utf-8")


# --- order ----------------------------------------------------------------------------------------

GRADED = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "c"], "label": [1, 1, 1]})
FIRST = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["x", "a", "c"], "score": [3.0, 2, 1]})
SECOND = FIRST.assign(docno=["a", "x", "y"], rank=[0, 1, 0])
ASKED = pd.DataFrame({"qid": ["1", "2"], "query": ["who", "when"]})
OF_BOTH = [("BM25", 0.75), ("TF_IDF", 0.5)]  # RR: 1 / 2 and 1; 1 and 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: rr.evaluate([FIRST, SECOND], ASKED, GRADED, ["RR"], names=["BM25", "TF_IDF"]),
        lambda: rr.evaluate({"BM25": FIRST, "TF_IDF": SECOND}, GRADED, metrics=["RR"]),
        lambda: rr.compare(
            [FIRST, SECOND], ASKED, GRADED, ["RR"], names=["BM25", "TF_IDF"], baseline=0
        ),
        lambda: rr.compare([FIRST, SECOND], GRADED, "RR", names=["BM25", "TF_IDF"]),
        lambda: rr.evaluate(
            [pl.DataFrame(FIRST), SECOND],
            pl.DataFrame(ASKED),
            pl.DataFrame(GRADED),
            eval_metrics=["recip_rank"],
            names=["BM25", "TF_IDF"],
        ),
    ],
)
def test_runs_before_judgments_are_read_where_columns_say_so(call):
    found = call()
    evaluation = found.evaluation if isinstance(found, rr.Comparison) else found
    assert evaluation.summary().rows() == OF_BOTH
    assert getattr(found, "baseline", "BM25") == "BM25"


def test_recommendations_before_interactions_are_a_run():
    reco = pd.DataFrame({"user_id": [1, 1, 2], "item_id": [7, 8, 9], "rank": [1, 2, 1]})
    taken = pd.DataFrame({"user_id": [1, 2], "item_id": [8, 9]})  # RR: 1 / 2 and 1
    assert means(rr.evaluate({"mine": "MRR@2"}, reco, taken)) == [0.75]
    assert means(rr.evaluate(pl.DataFrame(reco), taken, "RR")) == [0.75]
    # Without users, what has no score may be a run in the order given: BEIR's grades are scores.
    grades = pd.DataFrame({"query-id": ["1", "1"], "corpus-id": ["a", "b"], "score": [1, 0]})
    for columns in (["query-id", "corpus-id"], ["qid", "docno"], ["user_id", "item_id"]):
        with pytest.raises(rr.DataError, match="run 'run' has no column for score"):
            means(rr.evaluate(grades, grades.iloc[:, :2].set_axis(columns, axis=1), "RR"))


def test_a_split_of_beir_is_read_by_the_line_that_is_suggested(tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "a"}\n')
    for split, document in (("test", "a"), ("dev", "b")):
        rows = f"query-id\tcorpus-id\tscore\nq1\t{document}\t1\n"
        (tmp_path / "qrels" / f"{split}.tsv").write_text(rows)
    with pytest.raises(rr.OptionError) as caught:
        rr.evaluate(tmp_path, {"q1": ["a", "b"]}, "RR", split="dev")
    names = {"rr": rr, "qrels": tmp_path, "runs": {"q1": ["a", "b"]}, "split": "dev"}
    assert eval(suggested(str(caught.value), "rr."), names)["RR@10"].to_list() == [0.5]


def test_classes_are_relevant_by_the_line_that_is_suggested():
    # The example in the documentation of top_k_accuracy_score, whose value is 0.75.
    y_true = np.array([0, 1, 2, 2])
    y_score = [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]]
    with pytest.raises(rr.MeasureError, match="is Success here") as caught:
        rr.evaluate_labelled(y_true, y_score, measures="top_k_accuracy_score")
    line = re.search(r"y_true=(.*?)\.(?: |$)", str(caught.value))[1]
    grades = eval(line, {"np": np, "n_classes": 3, "y_true": y_true})
    assert means(rr.evaluate(grades, np.array(y_score), "Success@2")) == [0.75]


def test_relevant_documents_of_nanobeir_have_no_grade():
    rows = [{"query-id": "1", "corpus-id": "a"}, {"query-id": "2", "corpus-id": "c"}]
    run = {"1": {"b": 0.9, "a": 0.8}, "2": {"c": 0.7}}
    for qrels in (rows, pd.DataFrame(rows), pl.DataFrame(rows)):
        assert means(rr.evaluate(qrels, run, "RR")) == [0.75]
    assert "implicit" in {each.code for each in rr.evaluate(rows, run, "RR").cautions}
    with pytest.raises(rr.DataError, match="no column for relevance"):
        means(rr.evaluate(pd.DataFrame(rows).set_axis(["qid", "docno"], axis=1), run, "RR"))


def test_arguments_by_name_are_in_any_order():
    expected = shown(rr.evaluate(GRADED, FIRST, "RR"))
    assert shown(rr.evaluate(runs=FIRST, qrels=GRADED, measures="RR")) == expected
    assert means(rr.evaluate(FIRST, GRADED, "RR")) == [0.75]


def test_what_may_be_either_side_is_not_turned_round():
    both = FIRST.assign(label=[0, 1, 1])
    with pytest.raises(rr.DataError, match="Are the two swapped"):
        means(rr.evaluate(both, GRADED, "RR"))
    with pytest.raises(rr.OptionError, match=r"multiple values|too many"):
        rr.evaluate(GRADED, FIRST, ASKED, ["RR"])
    with pytest.raises(rr.OptionError, match="too many positional"):
        rr.evaluate([ir_measures.RR], QRELS, RUN, "more")


# --- names of one tool alone ----------------------------------------------------------------------

# Of three documents, by score: grades 0, 2, 1; of the others 1, 0.
HELD = {"y_true": [2, 0, 1, 1, 0], "y_score": [0.5, 0.9, 0.1, 0.8, 0.2], "group": [3, 2]}
DCG = (3 / np.log2(3) + 1 / 2) / (3 + 1 / np.log2(3))
LINEAR = (2 / np.log2(3) + 1 / 2) / (2 + 1 / np.log2(3))


@pytest.mark.parametrize(
    ("names", "tool", "expected"),
    [
        (["pre@1", "ndcg"], "xgboost", [0.5, (DCG + 1) / 2]),
        ("pre@2 map@2", "xgboost", [0.5, ((1 / 2) / 2 + 1) / 2]),
        (["PrecisionAt:top=1", "NDCG:type=Exp"], "catboost", [0.5, (DCG + 1) / 2]),
        (["RecallAt:top=1", "MRR"], "catboost", [0.5, 0.75]),
        ("ndcg_score", "sklearn", [(LINEAR + 1) / 2]),
    ],
)
@pytest.mark.parametrize("function", [rr.evaluate, rr.evaluate_labelled])
def test_names_of_one_tool_alone_are_read_by_its_rules(names, tool, expected, function):
    found = function(**HELD, measures=names)
    assert found.to_polars().row(0)[1:] == pytest.approx(expected, abs=1e-12)
    assert found.settings["profile"] == tool


@pytest.mark.parametrize("names", [["pre@1", "nDCG@2"], ["pre@1", "RecallAt:top=1"], ["pre@1", 1]])
def test_names_of_several_tools_are_not_guessed(names):
    with pytest.raises(rr.MeasureError, match="profile='xgboost' reads its names"):
        rr.evaluate_labelled(**HELD, measures=names)


WANTED = {"q1": ["a"], "q2": ["a"]}
DISTANCES = {"q1": [("a", 0.21), ("b", 0.35), ("c", 0.8)], "q2": [("c", 0.1), ("a", 0.44)]}
"""As similarity_search_with_score of LangChain returns them: RR 0.75 by hand, 0.6667 reversed."""


def means(evaluation):
    return [round(value, 4) for value in evaluation.to_polars().row(0)[1:]]


def test_distances_are_refused_with_the_lines_for_either_meaning():
    rows = [(q, d, x) for q, pairs in DISTANCES.items() for d, x in pairs]
    for run, starts in (
        (DISTANCES, ("{q: [(d, -x)", "{q: pairs[::-1]")),
        (rows, ("[(q, d", "rows")),
    ):
        with pytest.raises(rr.DataError, match="Are they distances") as refused:
            rr.evaluate(WANTED, {"faiss": run}, ["RR", "P@1"])
        for start, right in zip(starts, ([0.75, 0.5], [0.6667, 0.5]), strict=True):
            text = str(refused.value)
            line = "rows[::-1]" if start == "rows" else suggested(text, start)
            assert line in text
            made = rr.evaluate(WANTED, eval(line, {"run": run, "rows": rows}), ["RR", "P@1"])
            assert means(made) == right
            assert "ascending_scores" not in {each.code for each in made.cautions}


def test_ranks_in_place_of_scores_are_refused_with_the_line_for_ids():
    run = {q: [(d, i) for i, (d, _) in enumerate(pairs, 1)] for q, pairs in DISTANCES.items()}
    with pytest.raises(rr.DataError, match="Are they ranks") as refused:
        rr.evaluate(WANTED, run, "RR")
    assert means(rr.evaluate(WANTED, eval(suggested(str(refused.value), "{q:")), "RR")) == [0.75]


@pytest.mark.parametrize(
    ("run", "n"),
    [
        ({q: dict(pairs) for q, pairs in DISTANCES.items()}, 2),
        ({q: pairs[:2] for q, pairs in DISTANCES.items()}, 2),  # too few to be sure
        ({"q1": [{"id": "a", "score": 0.1}, {"id": "b", "score": 0.2}]}, 1),
        ({q: {"a": 0.1, "b": 0.2} for q in ("q1", "q2", "q3")}, None),  # of any order
        ({"q1": {"a": 1, "b": 2, "c": 3, "d": 4}, "q2": {"a": 2, "b": 1}}, None),
    ],
)
def test_an_ascending_order_that_may_mean_scores_is_to_be_looked_at(run, n, tmp_path):
    made = rr.evaluate(WANTED, {"faiss": run}, "RR")
    found = [each.count for each in made.cautions if each.code == "ascending_scores"]
    assert found == ([] if n is None else [n])
    made.write_parquet(tmp_path / "scores.parquet")
    assert rr.load_evaluation(tmp_path / "scores.parquet").cautions == made.cautions


def test_a_file_in_ascending_order_is_read_by_its_scores(tmp_path):
    (tmp_path / "run").write_text("".join(f"q1 Q0 d{i} {9 - i} {i} t\n" for i in range(9)))
    made = rr.evaluate({"q1": ["d8"]}, tmp_path / "run", "RR")
    assert means(made) == [1.0]
    assert not [each for each in made.cautions if each.severity != "note"]


# --- forms of other tools, read as they are -------------------------------------------------------

HITS = {"q1": ["b", "a"], "q2": ["a", "c"]}
POINTS = {
    q: SimpleNamespace(points=[SimpleNamespace(id=d, score=0.9, payload={}) for d in documents])
    for q, documents in HITS.items()
}
VESPA = {
    q: {
        "root": {
            "id": "toplevel",
            "children": [{"id": f"id:n:doc::{d}", "relevance": -i} for i, d in enumerate(ds)],
        }
    }
    for q, ds in HITS.items()
}
MATCHES = {q: [{"id": d, "score": -i} for i, d in enumerate(ds)] for q, ds in HITS.items()}
WHOLE = {q: [{"id": d, "rating": 9 * i} for i, d in enumerate(ds)] for q, ds in HITS.items()}
ENGINES = [
    {  # Elasticsearch's own objects
        q: [SimpleNamespace(title="t", meta=SimpleNamespace(id=d, score=-i)) for i, d in hits]
        for q, hits in ((q, enumerate(documents)) for q, documents in HITS.items())
    },
    {q: {"matches": each, "namespace": ""} for q, each in MATCHES.items()},
    {q: SimpleNamespace(matches=[SimpleNamespace(**m) for m in ms]) for q, ms in MATCHES.items()},
    {q: {"response": {"numFound": 2, "docs": docs}} for q, docs in WHOLE.items()},
    {q: {"hits": docs, "query": q} for q, docs in WHOLE.items()},
    {q: {"hits": [{"document": doc, "text_match": 7} for doc in ds]} for q, ds in WHOLE.items()},
    {
        q: {"hits": [{"objectID": d} for d in documents], "nbHits": 2}
        for q, documents in HITS.items()
    },
    {q: {"@odata.context": "", "value": docs} for q, docs in WHOLE.items()},
]
USERS = {"user_id:token": ["q1", "q2"], "item_id:token": ["a", "a"], "rating:float": [1.0, 1.0]}
WEIGHTED = {"user_id": ["q1", "q2"], "item_id": ["a", "a"], "weight": [3, 1], "datetime": [1, 2]}
REQUESTS = [{"id": q, "request": {}, "ratings": [{"_id": "a", "rating": 1}]} for q in HITS]
PLACED = [(q, d, i) for q, documents in HITS.items() for i, d in enumerate(documents, 1)]


@pytest.mark.parametrize(
    ("judgments", "run"),
    [
        (WANTED, POINTS),
        (WANTED, VESPA),
        (WANTED, {q: SimpleNamespace(objects=each.points) for q, each in POINTS.items()}),
        (pd.DataFrame(USERS), HITS),
        (pd.DataFrame(WEIGHTED), HITS),
        (REQUESTS, HITS),
        (WANTED, pd.DataFrame(PLACED, columns=["query", "doc", "position"])),
        *((WANTED, answers) for answers in ENGINES),
    ],
)
def test_a_form_of_another_tool_is_read(judgments, run):
    assert means(rr.evaluate(judgments, run, ["RR", "P@1"])) == [0.75, 0.5]


def test_groups_of_catboost_name_the_queries_of_a_frame():
    frame = {"group_id": QIDS, "label": LABELS, "prediction": SCORES}
    found = rr.evaluate_labelled(pd.DataFrame(frame), measures="RR")
    assert means(found) == means(rr.evaluate_labelled(LABELS, SCORES, qid=QIDS, measures="RR"))
    answers = [*POINTS.values()]
    assert means(rr.evaluate_retrieved(expected=[["a"]] * 2, retrieved=answers, measures="RR")) == [
        0.75
    ]


# --- everything in the first message --------------------------------------------------------------


def test_all_measures_that_are_not_known_are_answered_at_once():
    with pytest.raises(rr.MeasureError) as caught:
        rr.evaluate(QRELS, RUN, ["PFound", "AP", "QueryAUC", "rbp.95", "context_recall"])
    first, *_ = lines = str(caught.value).splitlines()
    assert [each.split()[0] for each in lines] == [
        "'PFound'",
        "'QueryAUC'",
        "'rbp.95'",
        "'context_recall'",
    ]
    assert "cannot be reproduced" in first


def test_too_many_places_are_answered_by_a_call_that_runs():
    for function, args in (
        (rr.evaluate_retrieved, (EXPECTED, RETRIEVED, "RR")),
        (rr.evaluate_recommenders, ({"q": ["a"]}, {"q": ["a"]}, "RR")),
    ):
        with pytest.raises(rr.OptionError) as caught:
            function(*args)
        line = suggested(str(caught.value), "rr.")
        given = {"expected": args[0], "retrieved": args[1], "test": args[0]}
        names = {"rr": rr, "recommendations": args[1], "measures": "RR", **given}
        assert len(means(eval(line, names))) == 1
    with pytest.raises(rr.OptionError, match="measures= too"):
        rr.evaluate_labelled(LABELS, SCORES, QIDS, "RR")
    with pytest.raises(rr.DataError, match="Name measures: measures="):
        rr.evaluate_labelled(LABELS, SCORES, ["RR"])


def test_names_of_columns_need_not_be_given():
    given = pd.DataFrame({"userID": [1], "itemID": [2], "rating": [5]})
    recs = pd.DataFrame({"userID": [1, 1], "itemID": [2, 3], "prediction": [0.1, 0.2]})
    theirs = {"col_user": "userID", "col_item": "itemID", "col_rating": "rating"}
    theirs["col_prediction"] = "prediction"
    assert means(rr.evaluate(rating_true=given, rating_pred=recs, metrics="RR", **theirs)) == [0.5]
    theirs = {"query_column": "user_idx", "item_column": "item_idx", "rating_column": "relevance"}
    renamed = [
        frame.set_axis(["user_idx", "item_idx", "relevance"], axis=1) for frame in (given, recs)
    ]
    assert means(rr.evaluate(*renamed, "RR", **theirs)) == [0.5]
    with pytest.raises(rr.OptionError, match="columns are found by names, such as user_id"):
        rr.evaluate(given, recs, "RR", col_user="customer")


def test_fields_of_documents_are_no_scores():
    with pytest.raises(rr.DataError, match="has hits with 'rating'") as caught:
        rr.evaluate(WANTED, WHOLE)
    line = suggested(str(caught.value), "{q:")
    assert eval(line, {"run": WHOLE}) == HITS


def test_pairs_of_lists_are_named():
    pairs = [(["b", "a"], ["a"]), (["c"], ["a"])]  # as RankingMetrics of Spark takes them
    with pytest.raises(rr.DataError, match=r"Of .retrieved, expected") as caught:
        rr.evaluate_retrieved(pairs)
    line = suggested(str(caught.value), "rr.evaluate_retrieved")
    assert means(eval(line, {"rr": rr, "pairs": pairs}))[1] == 0.25


@pytest.mark.parametrize(
    ("user", "item", "value"),
    [("user_id", "item_id", "rating"), ("user_idx", "item_idx", "relevance")],
)
def test_the_rating_of_a_recommendation_is_its_score(user, item, value):
    given = pd.DataFrame({user: [1, 2], item: [2, 5], value: [5, 4]})
    recs = pd.DataFrame({user: [1, 1, 2], item: [2, 3, 5], value: [0.1, 0.2, 0.7]})
    assert means(rr.evaluate(given, recs, "RR")) == [0.75]  # 2 is second for user 1
    clicked = given[[user, item]]
    assert means(rr.evaluate(clicked, recs, "RR")) == [0.75]
    counts = recs.assign(**{value: [1, 2, 7]})  # they may be grades
    with pytest.raises(rr.DataError, match=f"If {value} is the score") as caught:
        rr.evaluate(given, counts, "RR")
    line = suggested(str(caught.value), "frame.rename(")
    assert means(rr.evaluate(given, eval(line, {"frame": counts}), "RR")) == [0.75]


def test_test_sets_in_a_column_are_evaluated_each_by_itself():
    recs = pd.DataFrame({"user_id": [1, 1], "item_id": [2, 2], "score": [0.5, 0.4]})
    recs["i_split"] = [0, 1]
    with pytest.raises(rr.DataError, match="'i_split' names test sets") as caught:
        means(rr.evaluate(pd.DataFrame({"user_id": [1], "item_id": [2]}), recs, "RR"))
    parts = eval(suggested(str(caught.value), "pl.DataFrame("), {"pl": pl, "frame": recs})
    assert {fold: part["score"].to_list() for (fold,), part in parts.items()} == {
        0: [0.5],
        1: [0.4],
    }


@pytest.mark.parametrize("field", ["ground_truth", "ground_truths"])
def test_answers_of_ragas_are_not_taken_for_documents(field):
    records = [{"question": "a?", "contexts": ["t1", "t2"], field: ["t1"]}]
    with pytest.raises(rr.DataError, match=rf"{field} is an answer, .*expected='\.\.\.', retr"):
        rr.evaluate_retrieved(records)


def test_a_data_set_of_a_learner_holds_its_grades_and_groups():
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    features, labels = np.array([[0.1], [0.9], [0.2], [0.8], [0.3]]), [1, 0, 2, 0, 1]
    held = xgboost.DMatrix(features, label=labels, qid=QIDS)
    models = {"first": lambda _: [5, 4, 3, 1, 2], "last": lambda _: [1, 2, 0, 2, 1]}
    ours = rr.evaluate_models(models, held, labels, qid=QIDS, measures="RR")
    assert [row[1] for row in ours.summary().rows()] == [1, 0.5]  # 1 and 1; 1 / 2 and 1 / 2
    assert shown(rr.evaluate_models(models, held, measures="RR")) == shown(ours)
    with pytest.raises(rr.OptionError, match="qid= or group= is missing"):
        rr.evaluate_models(models, xgboost.DMatrix(features, label=labels), measures="RR")
    for wrong in (features, xgboost.DMatrix(features)):
        with pytest.raises(rr.RankReportError, match=r"argument: .y.|y_true has 0"):
            rr.evaluate_models(models, wrong, measures="RR")
    of_lightgbm = lightgbm.Dataset(features, label=labels, group=SIZES)
    with pytest.raises(rr.OptionError, match="Of a Dataset") as caught:
        rr.evaluate_models(models, of_lightgbm, measures="RR")
    line = suggested(str(caught.value), "rr.")
    names = {"rr": rr, "models": models, "features": features, "X": of_lightgbm}
    assert eval(line, names)["RR@10"].to_list() == [1, 0.5]


JUDGMENTS = [("query_id", "doc_id", "relevance"), ("q1", "d1", 1.0), ("q1", "d2", 0.0)]
SCORED = [("query_id", "doc_id", "score"), ("q1", "d1", 0.5), ("q1", "d2", 0.75)]


@pytest.mark.parametrize("sheets", [[JUDGMENTS, SCORED], [SCORED, JUDGMENTS]])
def test_the_sheet_of_a_workbook_that_fits_is_taken(sheets, tmp_path):
    pytest.importorskip("fastexcel")
    path = tmp_path / "both.xlsx"
    workbook(path, [("notes",), ("of May",)], *sheets)
    assert means(rr.evaluate(path, path, "RR")) == [0.5]


def test_of_several_sheets_that_fit_one_is_named(tmp_path):
    pytest.importorskip("fastexcel")
    path = tmp_path / "runs.xlsx"
    workbook(path, SCORED, [SCORED[0], *SCORED[:0:-1]], JUDGMENTS)
    with pytest.raises(rr.DataError, match="several sheets with a run: a, b") as caught:
        means(rr.evaluate(path, path, "RR"))
    run = eval(suggested(str(caught.value), "pl."), {"pl": pl})
    assert means(rr.evaluate(path, run, "RR")) == [0.5]


@pytest.mark.parametrize("place", [0, 1])
def test_the_output_of_trec_eval_is_no_input(place, tmp_path):
    rows = [("num_ret", "q1", "10"), ("map", "q1", "0.5000"), ("map", "all", "0.5000")]
    output = "".join(f"{name:22}\t{query}\t{value}\n" for name, query, value in rows)
    (tmp_path / "scores.txt").write_text(output)
    given = [{"q1": {"d1": 1}}, {"q1": ["d2", "d1"]}]
    names = {"rr": rr, "qrels": given[0], "run": given[1]}
    given[place] = str(tmp_path / "scores.txt")
    with pytest.raises(rr.DataError, match="is the output of trec_eval") as caught:
        means(rr.evaluate(*given, "RR"))
    assert eval(suggested(str(caught.value), "rr."), names)["RR@10"].to_list() == [0.5]


JUDGED = pd.DataFrame(
    {"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "a"], "relevance": [1, 0, 1]}
)
FOUND_IN = JUDGED.assign(score=[0.1, 0.2, 0.3]).drop(columns="relevance")
"""Judgments, and a run in which the relevant document is second for q1 and first for q2."""


@pytest.mark.parametrize("form", ["dict", "index", "list", "records"])
def test_what_to_dict_of_pandas_returns_is_read(form):
    found = rr.evaluate(JUDGED.to_dict(form), FOUND_IN.to_dict(form), "RR")
    assert means(found) == [0.75]
    one = JUDGED.head(1).to_dict(form), FOUND_IN.head(1).to_dict(form)
    assert means(rr.evaluate(*one, "RR")) == [1]


def test_groups_are_joined_and_groups_of_values_are_lists():
    for groups in (FOUND_IN.groupby("query_id"), pl.DataFrame(FOUND_IN).group_by("query_id")):
        with pytest.raises(rr.DataError, match="Join the groups") as caught:
            rr.evaluate(JUDGED, groups, "RR")
        line = suggested(str(caught.value), "pl.concat")
        assert means(rr.evaluate(JUDGED, eval(line, {"pl": pl, "groups": groups}), "RR")) == [0.75]
    groups = FOUND_IN.groupby("query_id")["doc_id"]
    with pytest.raises(rr.DataError, match="Make lists of the groups") as caught:
        rr.evaluate(JUDGED, groups, "RR")
    line = suggested(str(caught.value), "{q:")
    assert means(rr.evaluate(JUDGED, eval(line, {"groups": groups}), "RR")) == [1]


@pytest.mark.parametrize(
    ("yes", "no"), [("yes", "no"), ("Relevant", " not relevant"), ("TRUE", "False"), ("y", "n")]
)
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("is_file", [False, True])
def test_grades_in_words_are_answered_by_the_line_that_converts(yes, no, first, is_file, tmp_path):
    frame = JUDGED.rename(columns={"relevance": "label"}).assign(label=[yes, no, yes])
    frame = frame.iloc[[1, 0, 2] if first else [0, 1, 2]]
    frame.to_csv(tmp_path / "qrels.csv", index=False)
    given = str(tmp_path / "qrels.csv") if is_file else frame
    with pytest.raises(rr.DataError, match="is relevant: pl") as caught:
        means(rr.evaluate(given, FOUND_IN, "RR"))
    line = suggested(str(caught.value), "pl.read_csv(" if is_file else "pl.DataFrame(")
    made = eval(line, {"pl": pl, "frame": frame})
    assert means(rr.evaluate(made, FOUND_IN, "RR")) == [0.75]


def test_headers_in_another_language_are_answered_by_the_line_that_renames(tmp_path):
    german = {"query_id": "Anfrage", "doc_id": "Treffer", "relevance": "Relevanz"}
    for names in (german, {"doc_id": "Treffer"}, {"relevance": "Relevanz", "doc_id": "Dok"}):
        frame = JUDGED.rename(columns=names)
        frame.to_csv(tmp_path / "qrels.csv", index=False)
        for given, start in ((frame, "frame.rename("), (tmp_path / "qrels.csv", "pl.read_csv(")):
            with pytest.raises(rr.DataError, match="has no column for") as caught:
                rr.evaluate(given, FOUND_IN, "RR")
            message = str(caught.value)
            assert ("Taken: 'query_id' for query_id" in message) == ("query_id" not in names)
            made = eval(suggested(message, start), {"pl": pl, "frame": frame})
            assert means(rr.evaluate(made, FOUND_IN, "RR")) == [0.75]


@pytest.mark.parametrize(
    "run",
    [
        {"q": {"a": "0.12", "b": "7e-1"}},
        {"q": [("a", "0.12"), ("b", "0.7")]},
        {"mine": {"q": {"a": "-2.5", "b": "1"}}},
        {"q": [{"corpus_id": "a", "score": "0.12"}, {"corpus_id": "b", "score": "0.7"}]},
    ],
)
def test_scores_that_are_text_are_numbers(run):
    assert means(rr.evaluate({"q": {"a": 1}}, run, "RR")) == [0.5]
    arrays = [[1.0, 0.0], np.array(["0.12", "0.7"])]
    for scores in (arrays[1], pd.Series(arrays[1]), arrays[1].astype(object)):
        assert means(rr.evaluate_labelled(arrays[0], scores, group=[2], measures="RR")) == [0.5]
    with pytest.raises(rr.DataError, match="holds 'x' at 1"):
        rr.evaluate_labelled(arrays[0], np.array(["0.12", "x"]), group=[2])


def test_what_a_hit_of_rank_eval_is_about_is_read():
    found = {
        q: [{"hit": {"_id": d, "_score": s}, "rating": None} for d, s in of.items()]
        for q, of in RUN.items()
    }
    assert shown(rr.evaluate(QRELS, found)) == shown(rr.evaluate(QRELS, RUN))
    with pytest.raises(rr.DataError, match="has hits with '_score'"):
        rr.evaluate(found, RUN)


# --- what a tool computes otherwise ---------------------------------------------------------------


def test_grades_below_1_are_counted_with_the_measures_for_which_they_are_not_relevant():
    qrels, run = {"q1": {"a": 1, "b": 0.1}, "q2": {"c": 0.01}}, {"q1": ["a"], "q2": ["c"]}
    (caution,) = (
        each
        for each in rr.evaluate(qrels, run, ["nDCG@10", "Success@10"]).cautions
        if each.code == "unusual_grades"
    )
    assert (caution.severity, caution.count) == ("look", 2)
    assert caution.text.endswith("below 1, so that these documents are not relevant to Success@10.")
    assert caution.remedy == "If they are relevant, count grades from 0.01 on."
    assert means(rr.evaluate(qrels, run, caution.line)) == [1.0]
    graded = rr.evaluate(qrels, run, ["nDCG@10"]).cautions
    assert "look" not in {each.severity for each in graded}


@pytest.mark.parametrize(
    ("labels", "given", "n"),
    [
        (LABELS, {"measures": ["AP", "ndcg@5"]}, 1),
        (LABELS, {"measures": "ndcg@5", "profile": "lightgbm"}, 0),
        (LABELS, {"measures": 'nDCG(gain="exp")'}, 0),
        ([min(each, 1) for each in LABELS], {"measures": "ndcg@5"}, 0),
    ],
)
def test_the_gain_of_lightgbm_and_xgboost_is_said_where_it_matters(labels, given, n):
    found = rr.evaluate_labelled(labels, SCORES, group=SIZES, **given).cautions
    assert [each.severity for each in found if each.code == "other_gains"] == ["note"] * n


def test_the_frame_has_the_names_that_are_displayed():
    made = rr.evaluate(QRELS, RUN, ["ndcg@2", "Success@1"])
    assert made.to_pandas()["ndcg@2"][0] == made["ndcg@2"][0] == made.summary()["nDCG@2"][0]
    assert made.to_polars().columns == ["system", "ndcg@2", "Success@1"]


# --- results and the package ----------------------------------------------------------------------


def test_results_say_where_the_methods_of_frames_are():
    result = rr.evaluate(QRELS, RUNS, "ndcg@2, map")
    means = result.summary()
    assert result["ndcg@2"].to_list() == result["nDCG@2"].to_list() == means["nDCG@2"].to_list()
    assert [row["map"] for row in result] == result["map"].to_list() == result[rr.AP].to_list()
    with pytest.raises(rr.OptionError, match="column='mrr' is not one of 'system', 'nDCG@2', 'AP'"):
        result["mrr"]
    with pytest.raises(AttributeError, match=r"has no 'to_dicts'.* frame: \.to_polars") as caught:
        result.to_dicts()
    frame = eval(f"result{suggested(str(caught.value), '.to_polars')}", {"result": result})
    assert frame.rows() == result.summary().rows()
    with pytest.raises(AttributeError, match=r"^Evaluation has no '_nothing'\.$"):
        result._nothing  # noqa: B018


@pytest.mark.parametrize(
    ("of", "name", "instead"),
    [
        ("evaluation", "check", "It is a function: rr.check(...)."),
        ("comparison", "gate", "It is a function: rr.gate(...)."),
        ("comparison", "plan", "It is a function: rr.plan(...)."),
        ("comparison", "verdct", "Did you mean 'verdict'?"),
        ("comparison", "statistics", "Its frame: .to_polars() or .to_pandas()."),
        ("evaluation", "plot_mean", "Did you mean 'plot_means'?"),
    ],
)
def test_results_name_the_function_or_method_that_was_meant(of, name, instead):
    results = {"evaluation": rr.evaluate(QRELS, RUNS)}
    results["comparison"] = rr.compare(results["evaluation"])
    with pytest.raises(AttributeError, match=re.escape(f" has no '{name}'. {instead}")):
        getattr(results[of], name)


def test_the_mean_of_one_system_on_one_measure_is_a_number():
    one = rr.evaluate({"q1": {"d1": 1}, "q2": {"d1": 1}}, {"q1": ["d1"], "q2": ["d2", "d1"]}, "RR")
    assert (float(one), f"{one:.3f}", f"{one}") == (0.75, "0.750", repr(one))
    with pytest.raises(ValueError, match="shape"):
        float(rr.evaluate(QRELS, RUNS, "RR"))


def test_the_package_has_a_version_and_names_measures_of_other_tools():
    assert rr.__version__ == version("rankreport")
    for theirs, ours in {"MAP": rr.AP, "MRR": rr.RR, "NDCG": rr.nDCG, "Recall": rr.R}.items():
        with pytest.raises(
            AttributeError, match=rf"no attribute '{theirs}'\. Here it is rr\."
        ) as caught:
            getattr(rr, theirs)
        assert eval(re.search(r"rr\.\w+", str(caught.value))[0], {"rr": rr}) == ours
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        rr.nothing  # noqa: B018


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_another_tool_is_answered_by_a_call_that_runs(name):
    with pytest.raises(AttributeError) as caught:
        getattr(rr, name)
    names = {"rr": rr, "qrels": QRELS, "runs": RUNS, "measures": "AP"}
    arrays = {"y_true": [LABELS], "y_score": [SCORES]}
    made = eval(suggested(str(caught.value), "rr."), names | arrays)
    if name == "ndcg_score":
        assert made["nDCG"][0] == pytest.approx(ndcg_score([LABELS], [SCORES]), abs=1e-12)
    else:
        expected = rr.evaluate(QRELS, RUNS, "AP")
        assert shown(made) == shown(rr.compare(expected) if name == "Experiment" else expected)


# --- names of measures ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "measures"),
    [
        ("nDCG@10, P@5", ["nDCG@10", "P@5"]),
        ("nDCG@10 P@5", ["nDCG@10", "P@5"]),
        ("nDCG @ 10,P@5", ["nDCG@10", "P@5"]),
        (["map,11pt_avg", "P@5"], ["AP", "IPrec11", "P@5"]),
        ("P.5,10,map ndcg_cut.5,10", ["P@5", "P@10", "AP", "nDCG@5", "nDCG@10"]),
        ("ndcg.1=3,2=9 map", ["nDCG(gains={1: 3.0, 2: 9.0})", "AP"]),
        ("RBP(p=0.5, rel=2)@20,AP", ["RBP(p=0.5, rel=2)@20", "AP"]),
    ],
)
def test_one_text_names_several_measures(text, measures):
    found = rr.evaluate(QRELS, RUN, text).measures
    assert found == tuple(map(rr.parse, measures))


@pytest.mark.parametrize("text", ["AP(10)", "P(5)", "NDCG(3)"])
def test_a_number_by_position_may_be_a_cut_off_or_another_parameter(text):
    with pytest.raises(rr.MeasureError, match=r"may mean (\S+) or \w+=\d+\. Write which"):
        rr.parse(text)


def test_a_model_by_itself_is_evaluated():
    alone = rr.evaluate_models(list, SCORES, LABELS, qid=QIDS)
    assert shown(alone) == shown(rr.evaluate_models({"model": list}, SCORES, LABELS, qid=QIDS))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: rr.evaluate(QRELS, RUNS, "nDCG@10", "P@5"),
        lambda: rr.evaluate([RUN], TOPICS, QRELS, eval_metrics=["P@5"]),
        lambda: rr.evaluate([RUN], TOPICS, QRELS, eval_metrics=["P@5"], names=["old"]),
    ],
)
def test_judgments_come_first_and_measures_are_one_argument(wrong):
    with pytest.raises(rr.OptionError, match="Judgments first, measures as one") as caught:
        wrong()
    made = eval(suggested(str(caught.value), "rr."), {"rr": rr, "qrels": QRELS, "runs": RUNS})
    assert made.measures == (rr.parse("nDCG@10"), rr.parse("P@5"))


def test_the_order_of_arguments_is_in_the_message():
    with pytest.raises(rr.OptionError, match="before the test set; the others by name"):
        rr.evaluate_recommenders(*OF_USERS.values(), QRELS)


def test_measures_are_no_dictionary():
    with pytest.raises(rr.OptionError, match=r"measures takes names.*found dict"):
        rr.evaluate(QRELS, RUN, {"ndcg": [1, 3]})


class OfRecTools:
    """A metric as RecTools prints it."""

    def __repr__(self):
        return "Precision(k=2, r_precision=False, debias_config=None)"


def test_measures_by_names_of_their_own_are_read(monkeypatch):
    named = {"first": "P@2", "second": rr.RR}
    assert shown(rr.evaluate(QRELS, RUN, named)) == shown(rr.evaluate(QRELS, RUN, ["P@2", "RR"]))
    monkeypatch.setattr(OfRecTools, "__module__", "rectools.metrics")
    with pytest.raises(rr.MeasureError, match="profile='rectools' reads it"):
        rr.evaluate(QRELS, RUN, {"p": OfRecTools()})
    ranked = pl.DataFrame({"user_id": ["q1"] * 2, "item_id": ["d9", "d1"], "rank": [1, 2]})
    assert means(rr.evaluate(QRELS, ranked, {"p": OfRecTools()}, profile="rectools"))[0] == 0.0417


ONE_EACH = {"q1": {"d1": 1}, "q2": {"d2": 1}}
FOUND = {"q1": ["d3", "d1", "d4"], "q2": ["d2", "d5", "d6"]}


@pytest.mark.parametrize("name", ["Accuracy@{}", "accuracy@{}", "ACCURACY@{}"])
def test_accuracy_is_a_hit_rate_in_tools_for_embeddings(name):
    for profile in ("sentence-transformers", "beir"):
        found = rr.evaluate(ONE_EACH, FOUND, [name.format(k) for k in (1, 3)], profile=profile)
        assert found.to_polars().row(0)[1:] == (0.5, 1)
    with pytest.raises(rr.MeasureError, match="has two meanings") as caught:
        rr.evaluate(ONE_EACH, FOUND, name.format(3))
    both = re.findall(r"(?:Success|Accuracy\(rel=1\))@3", str(caught.value))
    assert rr.evaluate(ONE_EACH, FOUND, both).to_polars().row(0)[1:] == (1, 0.75)
    of_pairs = rr.evaluate(ONE_EACH, FOUND, "Accuracy@3", profile="ir_measures")
    assert of_pairs["Accuracy@3"].to_list() == [0.75]


def test_names_with_a_similarity_mean_what_they_mean_in_sentence_transformers():
    qrels, run = {"q1": {"d1": 2, "d3": 1}, "q2": {"d2": 1}}, {"q1": ["d4", "d1", "d3"]}
    names = ["cosine_accuracy@1", "nq_cosine_map@100", "dot-MRR@10", "cosine_ndcg@10"]
    found = rr.evaluate(qrels, run | {"q2": ["d2", "d1"]}, names)
    ndcg = (1 / np.log2(3) + 1 / 2) / (1 + 1 / np.log2(3))
    expected = [1 / 2, (7 / 12 + 1) / 2, 3 / 4, (ndcg + 1) / 2]
    assert found.to_polars().row(0)[1:] == pytest.approx(expected, abs=1e-12)
    assert [each.shown for each in found.measures] == names


MEANT = {
    "ndcg_score": "nDCG(ideal='returned')",
    "average_precision_score": "AP(over='returned')",
    "context_precision": "AP(over='returned')",
    "context_recall": "R",
    "accuracy_at_3": "Success@3",
    "DocumentMRREvaluator": "RR",
    "DocumentMAPEvaluator": "AP(over='returned')",
}


@pytest.mark.parametrize("name", MEANT)
def test_a_measure_of_another_tool_is_named_as_it_is_here(name):
    with pytest.raises(rr.MeasureError) as caught:
        rr.evaluate(QRELS, RUN, name)
    message = str(caught.value)
    assert "Did you mean" not in message
    ours = re.search(r"it: (\S+) here|Here it is (\S+?)[,.] ", message)
    assert rr.parse(ours[1] or ours[2]) == rr.parse(MEANT[name])
    if profile := re.search(r"profile='([\w-]+)'", message):
        read = rr.evaluate(QRELS, RUN, name, profile=profile[1])
        assert read.measures == (rr.parse(MEANT[name]),)


OF_TREC_EVAL = {
    "ndcg_cut": ("nDCG", 9),
    "map_cut": ("AP", 9),
    "relative_P": ("RelP", 9),
    "success": ("Success", 3),
    "iprec_at_recall": ("IPrec", 11),
    "Rprec_mult": ("RprecMult", 10),
}


@pytest.mark.parametrize("name", OF_TREC_EVAL)
def test_a_name_of_trec_eval_alone_is_its_cut_offs_in_every_profile(name):
    ours, n = OF_TREC_EVAL[name]
    for profile in (None, "ranx", "trec_eval-9"):
        found = rr.evaluate(QRELS, RUN, name, profile=profile).measures
        assert (len(found), {each.name for each in found}) == (n, {ours})
    if name in {"ndcg_cut", "map_cut"}:
        cut = rr.evaluate(QRELS, RUN, name, k=2).measures
        assert cut == (rr.parse(f"{ours}@2"),)


def test_the_weight_of_the_f_measure_of_trec_eval_is_read():
    # One of the two returned is relevant, and one of one is found: 1.5 * 0.5 / (1 + 0.5 * 0.5).
    found = rr.evaluate({"q1": {"a": 1}}, {"q1": ["a", "b"]}, ["set_F.0.5", "set_F_2", "set_F"])
    assert found.to_polars().row(0)[1:] == pytest.approx((0.6, 0.75, 2 / 3))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("acc@5", "lists them"),
        ("mrt", "time that a system takes"),
        ("faithfulness", "It is of answers"),
        ("rmse", "predicted ratings"),
        ("R_cap@10", r"BEIR .* cannot be reproduced: it divides by the smaller of k"),
        ("recall_cap@10", r"BEIR .* cannot be reproduced: it divides by the smaller of k"),
        ("hole@10", r"BEIR .* cannot be reproduced: a document is no hole .* Judged is 1 minus"),
    ],
)
def test_what_is_no_spelling_of_a_measure_is_not_corrected(name, words):
    with pytest.raises(rr.MeasureError, match=words) as caught:
        rr.evaluate(QRELS, RUN, name)
    assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize("name", ["pytrec", "scikit-learn", "XGBoost"])
def test_a_profile_is_named_by_its_tool(name):
    with pytest.raises(rr.OptionError) as caught:
        rr.evaluate(QRELS, RUN, profile=name)
    ours = re.search(r"is profile='(\S+)' here", str(caught.value))[1]
    assert rr.evaluate(QRELS, RUN, profile=ours).settings["profile"] == ours


def test_a_baseline_is_a_name():
    with pytest.raises(rr.OptionError, match="name of a system, one of 'old', 'new'; found int"):
        rr.compare(QRELS, RUNS, baseline=0)


# --- other lines ----------------------------------------------------------------------------------


def ndcg(*args, **kwargs):
    return rr.evaluate_labelled(*args, **kwargs)["nDCG@10"].to_list()


def test_lists_of_different_lengths_are_the_queries():
    y_true, y_score = ([each[:3], each[3:]] for each in (LABELS, SCORES))
    assert ndcg(y_true, map_to_arrays(y_score)) == ndcg(LABELS, SCORES, qid=QIDS)
    with pytest.raises(rr.DataError, match="other lengths than y_true"):
        rr.evaluate_labelled(y_true, y_score[::-1])


def map_to_arrays(lists):
    return [np.array(each) for each in lists]


def test_columns_of_scores_are_systems():
    both = pd.DataFrame(BOTH)
    found = rr.evaluate_labelled(LABELS, both, QIDS, measures="RR")
    assert found.systems == rr.evaluate_labelled(LABELS, BOTH, QIDS).systems
    assert shown(found) == shown(rr.evaluate_labelled(LABELS, BOTH, QIDS, measures="RR"))


def test_queries_by_place_are_qid_or_sizes():
    assert (
        ndcg(LABELS, SCORES, QIDS) == ndcg(LABELS, SCORES, SIZES) == ndcg(LABELS, SCORES, qid=QIDS)
    )


# The example in the documentation of RePlay, whose NDCG(2) of it is 1/3.
OF_REPLAY = {1: [(3, 0.6), (7, 0.5)], 2: [(5, 0.6), (8, 0.5)], 3: [(4, 1.0), (9, 0.5), (2, 0.1)]}
CHOSEN = {1: [5, 6, 7, 8, 9, 10], 2: [6, 7, 4, 10, 11], 3: [1, 2, 3, 4, 5]}


def rows(lists, columns):
    each = [
        (q, *(i if isinstance(i, tuple) else (i,))) for q, items in lists.items() for i in items
    ]
    return pd.DataFrame(each, columns=columns.split())


SHOWN_ITEMS = rows(OF_REPLAY, "user_id item_id score")


@pytest.mark.parametrize("found", [OF_REPLAY, SHOWN_ITEMS, {"als": SHOWN_ITEMS}])
@pytest.mark.parametrize("chosen", [CHOSEN, rows(CHOSEN, "user_id item_id")])
def test_recommendations_are_a_run_on_either_side(found, chosen):
    for given in ((found, chosen), (chosen, found)):
        scores = rr.evaluate_recommenders(*given, measures="NDCG@2")
        assert means(scores) == [0.3333]


def test_lists_by_place_are_expected_and_retrieved():
    asked = {"measures": "RR"}
    named = rr.evaluate_retrieved(expected=EXPECTED, retrieved=RETRIEVED, **asked)
    assert means(named) == [0.75]
    assert means(rr.evaluate_retrieved(EXPECTED, RETRIEVED, **asked)) == [0.75]
    of_objects = (
        [[SimpleNamespace(id=i) for i in row] for row in each] for each in (EXPECTED, RETRIEVED)
    )
    assert means(rr.evaluate(*of_objects, **asked)) == [0.75]


@pytest.mark.parametrize(
    ("names", "ours"),
    [
        ("precision_at_k@5", "P@5"),
        ("id_based_context_precision", "P"),
        ("id_based_context_recall recall_multi_hit", "R"),
        ("document_mrr", "RR"),
        ("recall_single_hit", "Success"),
    ],
)
def test_names_of_other_tools_are_read(names, ours):
    assert {rr.parse(name) for name in names.split()} == {rr.parse(ours)}
    with pytest.raises(rr.MeasureError, match=r"Give the cut-off.*precision_at_10"):
        rr.parse("precision_at_k")


def test_lists_of_different_lengths_are_joined_by_the_line_that_is_suggested():
    y_true, y_score = ([each[:3], each[3:]] for each in (LABELS, SCORES))
    for given in ((y_true, y_score), (LABELS, y_score)):
        with pytest.raises(rr.DataError) as caught:
            rr.evaluate_labelled(*given, group=SIZES)
        assert "np.concatenate(y_true), group=[len(row) for row in y_true]" in str(caught.value)
    names = {"np": np, "y_true": y_true}
    joined = eval(suggested(str(caught.value), "np."), names)
    sizes = eval(suggested(str(caught.value), "[len"), names)
    assert ndcg(joined, np.concatenate(y_score), group=sizes) == ndcg(LABELS, SCORES, qid=QIDS)


@pytest.mark.parametrize("scores", [["lgbm", "xgb"], []])
def test_scores_of_a_labelled_list_are_given_by_the_line_that_is_suggested(scores):
    columns = {"label": LABELS, "qid": QIDS, **dict.fromkeys(scores, SCORES)}
    with pytest.raises(rr.OptionError) as caught:
        rr.evaluate_labelled(pl.DataFrame(columns))
    line = re.search(r"(scores=.*?) \(--scores\)", str(caught.value))[1]

    class model:  # noqa: N801 - as the line names it
        predict = staticmethod(lambda _: SCORES)

    given = eval(f"dict({line})", {"model": model, "X": SCORES})
    expected = ndcg(LABELS, SCORES, qid=QIDS)
    assert ndcg(pl.DataFrame(columns), **given) == expected * max(len(scores), 1)


def test_a_series_of_lists_is_read_by_the_line_that_is_suggested():
    series = pd.Series({q: sorted(row, key=row.get, reverse=True) for q, row in RUN.items()})
    with pytest.raises(rr.DataError) as caught:
        rr.evaluate(QRELS, series)
    made = eval(suggested(str(caught.value), "series.to_dict"), {"series": series})
    assert shown(rr.evaluate(QRELS, made)) == shown(rr.evaluate(QRELS, RUN))


@pytest.mark.parametrize(
    "lacks",
    [
        lambda e: rr.load_evaluation(e, measures=["nDCG@2", "RR"]),
        lambda e: rr.load_evaluation(e).documents(["q1"]),
    ],
)
def test_what_a_stored_evaluation_lacks_is_written_by_the_line_that_is_suggested(lacks, tmp_path):
    made = rr.evaluate(QRELS, RUN, "nDCG@2")
    path = tmp_path / "scores.parquet"
    made.write_parquet(path)
    with pytest.raises((rr.DataError, rr.OptionError)) as caught:
        lacks(path)
    line = suggested(str(caught.value), "evaluation.write_parquet")
    eval(line, {"evaluation": made, "path": path, "queries": ["q1"]})
    assert lacks(path) is not None


def test_ids_that_trec_text_cannot_hold_are_written_by_the_line_that_is_suggested(tmp_path):
    run = {"q 1": {"d1": 0.5}}
    with pytest.raises(rr.DataError) as caught:
        rr.evaluate({"q 1": {"d1": 1}}, run, "RR").to_trec(tmp_path)
    path = tmp_path / "run.parquet"
    eval(suggested(str(caught.value), "rr.read_run"), {"rr": rr, "run": run, "path": path})
    assert rr.evaluate({"q 1": {"d1": 1}}, path, "RR")["RR"].to_list() == [1]


def test_runs_and_judges_are_given_by_the_lines_that_are_suggested():
    names = {"rr": rr, "run": RUN, "qrels": QRELS, "runs": RUNS}
    with pytest.raises(rr.OptionError) as caught:
        rr.compare(judges={"model": QRELS, "human": QRELS})
    made = eval(suggested(str(caught.value), "rr.compare"), names)
    assert made.evaluation.systems == ("old", "new")
    with pytest.raises(rr.OptionError) as caught:
        rr.report(QRELS, RUNS, metrics="AP", output="a.html")
    line = (
        "Give a result, and write it: rr.report(rr.compare(qrels, runs, measures)).to_html(path)."
    )
    assert (
        str(caught.value)
        == f"report() got unexpected keyword arguments 'metrics', 'output'. {line}"
    )


def test_documents_of_one_query_are_a_list_of_one_list():
    with pytest.raises(rr.DataError) as caught:
        rr.evaluate_retrieved(expected=["d1"], retrieved=["d2", "d1"])
    line = re.search(r"expected=\[.*?\], retrieved=\[.*?\]", str(caught.value))[0]
    given = eval(f"dict({line})", {"expected": ["d1"], "retrieved": ["d2", "d1"]})
    assert rr.evaluate_retrieved(**given, measures="RR")["RR"].to_list() == [0.5]


def test_pairs_are_read():
    retrieved = [[(d, 0.5) for d in row] for row in RETRIEVED]
    found = rr.evaluate_retrieved(expected=EXPECTED, retrieved=retrieved)
    assert shown(found) == shown(rr.evaluate_retrieved(**OF_LISTS))
