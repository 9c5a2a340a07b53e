"""Calls that do not fit, with what other tools call the arguments, and the nearest name."""

from __future__ import annotations

import contextlib
import inspect
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankreport as rr
from rankreport import charts, spark, statistics
from rankreport.caching import Caching

X = np.zeros((3, 2))
MODELS = {"first": lambda rows: rows[:, 0]}
LISTS = [["d1"], ["d2"]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: rr.evaluate_retrieved(LISTS, LISTS, "RR"),
            "Name measures: rr.evaluate_retrieved(expected, retrieved, measures=",
        ),
        (lambda: rr.evaluate_models(MODELS, X, [1, 0, 1], [3]), "Name the queries: qid="),
        (lambda: rr.evaluate_models(MODELS, X), "missing a required argument: 'y'."),
        (lambda: rr.evaluate_labelled([1, 0], [0.5, 0.1], [2], "RR"), "or group=, the sizes."),
        (lambda: rr.evaluate_labelled([1, 0], [0.5, 0.1], groupx=[2]), "Did you mean 'group'?"),
        (
            lambda: rr.Theme(accents="#0072B2"),
            "Theme() got an unexpected keyword argument 'accents'",
        ),
        (lambda: rr.parse("AP", "trec", 3), "parse() too many positional arguments."),
        (lambda: rr.load_example(name="stdlib"), "load_example() got an unexpected keyword"),
    ],
)
def test_calls_that_do_not_fit(call, message):
    with pytest.raises(rr.OptionError, match=re.escape(message)):
        call()


def test_the_signature_stays():
    assert list(inspect.signature(rr.evaluate_labelled).parameters)[:3] == [
        "y_true",
        "y_score",
        "qid",
    ]
    assert "expected" in inspect.signature(rr.evaluate_retrieved).parameters


def test_an_error_within_is_no_wrong_call():
    def broken(features):
        raise TypeError(f"mine: {features.shape}")

    with pytest.raises(rr.DataError, match=r"\(TypeError: mine: "):
        rr.evaluate_models({"broken": broken}, X, [1, 0, 1], group=[3])


def public(module, names):
    """Yield public functions and methods, found by looking, with their names."""
    for name in names:
        found = getattr(module, name)
        if inspect.isfunction(found) or isinstance(found, rr.Measure):
            yield name, found
        elif inspect.isclass(found):
            for method, own in inspect.getmembers(found, inspect.isfunction):
                if not method.startswith("_") and own.__module__.startswith("rankreport"):
                    yield f"{name}.{method}", own


PUBLIC = {
    **dict(public(rr, [name for name in dir(rr) if not name.startswith("_")])),
    **dict(public(charts, charts.__all__)),
    **{f"spark.{name}": each for name, each in public(spark, spark.__all__)},
}
OF_OTHERS = {"ResultTable.filter", "ResultTable.select", "ResultTable.sort", "Chart.savefig"}
"""Their keywords are columns, or those of Polars and matplotlib."""


def named(function):
    return [
        each.name
        for each in inspect.signature(function).parameters.values()
        if each.name != "self" and each.kind in {each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY}
    ]


def test_public_calls_are_found():
    assert len(PUBLIC) > 250
    assert {"compare", "Comparison.plot_deltas", "Report.to_html", "nDCG", "forest"} <= set(PUBLIC)


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - OF_OTHERS))
def test_an_unknown_keyword_is_refused_with_the_nearest(name):
    call = PUBLIC[name]
    is_measure = isinstance(call, rr.Measure)
    names = list(call.declaration.parameters) if is_measure else named(call)
    subject = () if is_measure or "." not in name else (object(),)
    near = f"{max(names, key=len)}x" if names else "nothing"
    with pytest.raises((rr.OptionError, rr.MeasureError), match=f"'{near}'") as caught:
        call(*subject, **{near: 1})
    if names:
        assert f"Did you mean {near[:-1]!r}?" in str(caught.value)


@pytest.mark.parametrize("name", [n for n, _ in public(statistics, statistics.__all__)])
def test_an_unknown_keyword_is_refused_by_statistics(name):
    function = dict(public(statistics, statistics.__all__))[name]
    subject = (Caching(),) if "." in name else ()
    with pytest.raises((TypeError, rr.OptionError)):
        function(*subject, nothing=1)


GRADES = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}}
RUNS = {name: {"q1": {"d1": 0.9, "d2": i}, "q2": {"d1": 0.5}} for i, name in enumerate("ab")}
CALLS = {
    rr.evaluate: {"qrels": GRADES, "runs": RUNS},
    rr.compare: {"evaluation": GRADES, "runs": RUNS, "resamples": 100},
    rr.evaluate_labelled: {"y_true": [1, 0], "y_score": [0.5, 0.1], "group": [2]},
    rr.evaluate_retrieved: {"expected": LISTS, "retrieved": LISTS},
    rr.evaluate_recommenders: {"models": lambda *_: ["d1"], "test": GRADES},
    rr.read_qrels: {"source": GRADES},
    rr.read_run: {"source": RUNS["a"]},
}


ODD = [np.array([]), pl.DataFrame(), pd.NA, 10**400, object(), [()], {None: None}]


@pytest.mark.parametrize("function", CALLS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("odd", ODD, ids=lambda each: type(each).__name__)
def test_odd_values_of_any_argument_are_accepted_or_refused(function, odd):
    for name in inspect.signature(function).parameters:
        with contextlib.suppress(rr.RankReportError):
            function(**CALLS[function] | {name: odd})
