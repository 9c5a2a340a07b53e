"""Wrappers of the tools for learning to rank, which compute measures while they train.

Nothing is trained: the scores are given as the margin to start from. Tools are imported on first
use. Every judged document is in the list, as these tools know no others.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from peers import ALL, Collection


@dataclass(frozen=True, eq=False)
class Lists:
    """The grades and scores of the documents of each query, in the order given."""

    queries: Sequence[str]
    grades: Sequence[Sequence[float]]
    scores: Sequence[Sequence[float]]

    @property
    def sizes(self) -> list[int]:
        return [len(row) for row in self.grades]

    def only(self, query: str) -> Lists:
        at = self.queries.index(query)
        return Lists([query], [self.grades[at]], [self.scores[at]])


def lists_of(given: Collection) -> Lists:
    """Return the lists of a collection, whose documents are all judged and returned."""
    queries = list(given.qrels)
    assert all(set(given.qrels[q]) == set(given.run[q]) for q in queries)
    grades = [[given.qrels[q][d] for d in given.run[q]] for q in queries]
    return Lists(queries, grades, [list(given.run[q].values()) for q in queries])


def with_lightgbm(
    names: Iterable[str], lists: Lists, weights: Sequence[float] | None = None
) -> dict[str, float]:
    """Return LightGBM's means of ``ndcg@k`` and ``map@k``."""
    import lightgbm

    names = list(names)
    labels, scores = np.concatenate(lists.grades), np.concatenate(lists.scores)
    rows = lightgbm.Dataset(
        np.arange(len(labels), dtype=float).reshape(-1, 1),
        label=labels,
        group=lists.sizes,
        init_score=scores,
        weight=None if weights is None else np.repeat(np.asarray(weights, float), lists.sizes),
    )
    options = {
        "objective": lambda margin, _: (np.zeros(len(margin)), np.ones(len(margin))),
        "metric": sorted({name.partition("@")[0] for name in names}),
        "eval_at": sorted({int(name.partition("@")[2]) for name in names}),
        "verbosity": -1,
        "num_threads": 1,
        "min_data_in_bin": 1,
        "min_data_in_leaf": 1,
        "feature_pre_filter": False,
    }
    found: dict[str, dict[str, list[float]]] = {}
    recorded = [lightgbm.record_evaluation(found)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a list of one document, nothing can be learned
        lightgbm.train(options, rows, 1, [rows], ["rows"], callbacks=recorded)
    return {name: float(found["rows"][name][0]) for name in names}


def with_xgboost(
    names: Iterable[str], lists: Lists, weights: Sequence[float] | None = None, **options: object
) -> dict[str, float]:
    """Return XGBoost's means; ``map`` and ``pre`` take grades 0 and 1 alone."""
    import xgboost

    rows = xgboost.DMatrix(
        np.zeros((sum(lists.sizes), 1)),
        label=np.concatenate(lists.grades),
        base_margin=np.concatenate(lists.scores),
    )
    rows.set_group(lists.sizes)
    if weights is not None:
        rows.set_weight(list(weights))
    asked = {"objective": "rank:ndcg", "eval_metric": list(names), "verbosity": 0, "nthread": 1}
    printed = xgboost.train(asked | options, rows, num_boost_round=0).eval(rows, "rows")
    pairs = (part.rpartition(":") for part in printed.split("\t")[1:])
    return {name.removeprefix("rows-"): float(value) for name, _, value in pairs}


def with_catboost(
    names: Iterable[str], lists: Lists, weights: Sequence[float] | None = None
) -> dict[str, float]:
    """Return CatBoost's means."""
    from catboost.utils import eval_metric

    groups = np.repeat(np.arange(len(lists.sizes)), lists.sizes)
    labels = np.concatenate(lists.grades).astype(float)
    scores = np.concatenate(lists.scores).astype(float)
    of_group = None if weights is None else np.asarray(weights, float)[groups]
    options = {"group_id": groups, "group_weight": of_group, "thread_count": 1}
    return {name: float(eval_metric(labels, scores, name, **options)[0]) for name in names}


def with_mlflow(names: Iterable[str], lists: Lists, _: object = None) -> dict[str, float]:
    """Return MLflow's means, of lists of ids."""
    import pandas as pd
    from mlflow.metrics import metric_definitions as made

    retrieved, relevant = [], []
    for grades, scores in zip(lists.grades, lists.scores, strict=True):
        retrieved.append(sorted(range(len(scores)), key=lambda i, scores=scores: -scores[i]))
        relevant.append([i for i, grade in enumerate(grades) if grade > 0])
    found = {}
    for name in names:
        measure, _, k = name.partition("_at_")
        evaluate = getattr(made, f"_{measure}_at_k_eval_fn")(int(k))
        found[name] = float(np.mean(evaluate(pd.Series(retrieved), pd.Series(relevant)).scores))
    return found


LEARNERS = {
    "lightgbm": with_lightgbm,
    "xgboost": with_xgboost,
    "catboost": with_catboost,
    "mlflow": with_mlflow,
}


def values(tool: str, names: Iterable[str], given: Collection) -> dict[str, dict[str, float]]:
    """Compute measures of every query, and of all under `ALL`: ``{name: {query: value}}``."""
    names, lists = list(names), lists_of(given)
    of_all = LEARNERS[tool](names, lists)
    found = {name: {ALL: of_all[name]} for name in names}
    for query in lists.queries:
        for name, value in LEARNERS[tool](names, lists.only(query)).items():
            found[name][query] = value
    return found


def drawn(seed: int, grades: Sequence[int], n_queries: int = 40) -> Collection:
    """Draw lists with many equal scores; every fifth query has nothing relevant.

    Document ids are in no order, and some scores differ beyond single precision only.
    """
    random = np.random.default_rng(seed)
    qrels, run = {}, {}
    for number in range(n_queries):
        n = int(random.integers(2, 30))
        names = random.permutation(100)[:n]
        few = random.normal(size=4).round(3)
        some = random.choice([*few, few[0] * (1 + 1e-12)], n)
        drawn_scores = some if number % 2 else random.normal(size=n)
        judged = random.choice(grades, n) if number % 5 else np.zeros(n, int)
        documents = [f"d{name:02}" for name in names]
        qrels[f"q{number:02}"] = dict(zip(documents, judged.tolist(), strict=True))
        run[f"q{number:02}"] = dict(zip(documents, drawn_scores.tolist(), strict=True))
    return Collection(qrels, run)
