"""What takes a value of a fixed list refuses any other, at once and with the nearest one."""

from __future__ import annotations

import datetime as dt
import inspect

import numpy as np
import polars as pl
import pytest
from commands import COMMANDS

import rankreport as rr
from rankreport import charts, statistics

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
OLD = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 1.0, "a": 0.5}}
NEW = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}
EVALUATION = rr.evaluate(QRELS, {"old": OLD, "new": NEW}, ["RR"])
COMPARISON = rr.compare(EVALUATION, resamples=200)
LABELLED = pl.DataFrame({"qid": [1, 1], "label": [1, 0], "score": [0.5, 0.2]})
CLICKS = pl.DataFrame({"session": ["s"] * 2, "query_id": ["q"] * 2, "doc_id": ["a", "b"]})
CLICKS = CLICKS.with_columns(pl.Series("rank", [1, 2]), pl.Series("click", [1, 0]))
RETRIEVED = [{"query": "q", "expected_ids": ["a"], "retrieved_ids": ["a"]}]
DELTAS = pl.DataFrame({"query_id": ["q1", "q2"], "delta": [0.5, -0.5]})
DELTAS = DELTAS.with_columns(score_baseline=pl.lit(0.5), score_system=0.5 + pl.col("delta"))
SEGMENTS = DELTAS.select(
    column=pl.lit("type"),
    segment="query_id",
    n_queries=pl.lit(40),
    delta="delta",
    ci_low=pl.lit(-0.6),
    ci_high=pl.lit(0.6),
    delta_of_all=pl.lit(0.0),
    differs=pl.lit(value=False),
    disagrees=pl.lit(value=False),
)
NAMES = {"measure": "RR", "baseline": "old", "system": "new"}
VALUES = np.array([[0.5], [0.25], [-0.1]])


def measure(**given):
    texts = {"title": "Most", "family": "example", "formula": "x", "source": "none"}

    def formulate(k: int | None = None) -> pl.Expr:
        del k
        return pl.len()

    return rr.measure(**texts, **given)(formulate)


COLUMNS = [
    {"query_id": query, "system": EVALUATION.systems[0], "cost": 0.5}
    for query in EVALUATION.query_ids
]
RESULTS = pl.DataFrame(
    {
        **{name: [1] for name in ("number", "against")},
        **{name: [None] for name in ("commit", "note", "break", "ci_low", "ci_high")},
        "date": [dt.datetime(2026, 11, 28, tzinfo=dt.UTC)],
        "delta": [0.0],
        "judged_again": [False],
    }
)
CALLS = {
    "check": (lambda **given: rr.check(QRELS, {"old": OLD}, **given)),
    "evaluate": (lambda **given: rr.evaluate(QRELS, {"old": OLD}, **given)),
    "evaluate_labelled": (lambda **given: rr.evaluate_labelled(LABELLED, **given)),
    "evaluate_models": (
        lambda **given: rr.evaluate_models({"m": max}, [[1.0], [2.0]], [1, 0], group=[2], **given)
    ),
    "evaluate_recommenders": (lambda **given: rr.evaluate_recommenders({"m": max}, QRELS, **given)),
    "evaluate_retrieved": (
        lambda **given: rr.evaluate_retrieved(
            RETRIEVED, expected="expected_ids", retrieved="retrieved_ids", **given
        )
    ),
    "compare": (lambda **given: rr.compare(EVALUATION, **given)),
    "compare_rankings": (lambda **given: rr.compare_rankings(OLD, NEW, **given)),
    "gate": (lambda **given: rr.gate(COMPARISON, ["RR > -0.1"], **given)),
    "history_report": (lambda **given: rr.history_report(rr.History("none"), **given)),
    "interleaving": (lambda **given: rr.interleaving(CLICKS, **given)),
    "judging_tasks": (lambda **given: rr.judging_tasks({"old": OLD}, **given)),
    "measure": measure,
    "qrels_from_clicks": (lambda **given: rr.qrels_from_clicks(CLICKS, **given)),
    "qrels_from_judges": (lambda **given: rr.qrels_from_judges({"x": QRELS, "y": QRELS}, **given)),
    "qrels_from_ranking": (lambda **given: rr.qrels_from_ranking(OLD, **given)),
    "read_judged_tasks": (lambda **given: rr.read_judged_tasks([], **given)),
    "report": (lambda **given: rr.report(COMPARISON, **given)),
    "set_language": rr.set_language,
    "Comparison.verdict": COMPARISON.verdict,
    "Comparison.aggregates": COMPARISON.aggregates,
    "Evaluation.means": EVALUATION.means,
    "Evaluation.summary": EVALUATION.summary,
    "Evaluation.with_columns": (
        lambda **given: EVALUATION.with_columns(COLUMNS, better={"cost": "low"}, **given)
    ),
    "delta_histogram": (lambda **given: charts.delta_histogram(DELTAS, **NAMES, **given)),
    "score_scatter": (lambda **given: charts.score_scatter(DELTAS, **NAMES, **given)),
    "segment_forest": (lambda **given: charts.segment_forest(SEGMENTS, **NAMES, **given)),
    "sorted_deltas": (lambda **given: charts.sorted_deltas(DELTAS, **NAMES, **given)),
    "trend": (lambda **given: charts.trend(RESULTS, measure="RR", **given)),
    "interval": (lambda kind: statistics.interval(kind, VALUES, confidence=0.9)),
    "interval_title": statistics.interval_title,
    "level_of_each": (lambda correction: statistics.level_of_each(correction, 0.95, 2)),
    "p_values": (lambda kind: statistics.p_values(kind, VALUES)),
}
"""Functions with a parameter that takes a value of a fixed list, and what else they need."""

FREE = {
    *("baseline", "system", "query", "measure", "name", "command", "prefix", "split"),
    *("subset", "judge", "clicks", "shown", "caption", "folded", "family", "formula", "source"),
    *("undefined", "text", "relevance", "rank", "score", "n_retrieved", "top_grade"),
    *("commit", "outcome", "since"),
    *(each.name for one in COMMANDS.values() for each in one.params if each.metavar == "TEXT"),
}
"""Parameters that take any text: names of the user's data, columns and words for readers."""

INNER = {"adjusted", "max_t", "refusal", "simultaneous_interval", "simultaneous_level"}
"""Functions of `rankreport.statistics` that are called with what `compare` has checked."""


def public():
    """Yield the name and the parameters of every public function and method."""
    for package in (rr, charts, statistics):
        for name in package.__all__:
            found = getattr(package, name)
            if inspect.isfunction(found) and name not in INNER:
                yield name, inspect.signature(found).parameters
            elif package is rr and inspect.isclass(found):
                for each, method in vars(found).items():
                    if inspect.isfunction(method) and not each.startswith("_"):
                        yield f"{name}.{each}", inspect.signature(method).parameters


TYPED = {"str", "Aggregate", "Better", "GateOutcome", "Moves", "Rows"}
CHOICES = [
    (name, parameter.name)
    for name, parameters in public()
    for parameter in parameters.values()
    if parameter.name not in FREE
    and set(inspect.formatannotation(parameter.annotation).strip("'").split(" | "))
    - {"None", "Callable[..., Moves]"}
    <= TYPED
]


def test_every_function_is_tried():
    assert {name for name, _ in CHOICES} == set(CALLS)


@pytest.mark.parametrize(("name", "parameter"), CHOICES)
def test_an_unknown_value_is_refused(name, parameter):
    with pytest.raises(rr.OptionError, match=rf"^{parameter}='sideways' is not one of "):
        CALLS[name](**{parameter: "sideways"})
