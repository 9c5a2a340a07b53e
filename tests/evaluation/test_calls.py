"""Calls that do not fit, with what other tools call the arguments."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import rankreport as rr

X = np.zeros((3, 2))
MODELS = {"first": lambda rows: rows[:, 0]}
LISTS = [["d1"], ["d2"]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rr.evaluate_retrieved(LISTS, LISTS), "Name them: rr.evaluate_retrieved(expected="),
        (lambda: rr.evaluate_retrieved(expected_ids=LISTS, retrieved_ids=LISTS), "it is expected="),
        (lambda: rr.evaluate_retrieved(expected=LISTS, retrieved_ids=LISTS), "it is retrieved="),
        (lambda: rr.evaluate_models(MODELS, X, [1, 0, 1], group_id=[1, 1, 1]), "it is qid="),
        (lambda: rr.evaluate_models(MODELS, X, [1, 0, 1], [3]), "Name the queries: qid="),
        (lambda: rr.evaluate_models(MODELS, X), "missing a required argument: 'y'."),
        (lambda: rr.evaluate_labelled([1, 0], [0.5, 0.1], [2]), "or group=, the sizes."),
        (lambda: rr.evaluate_labelled([1, 0], [0.5, 0.1], group_id=[1, 1]), "it is qid="),
        (lambda: rr.evaluate_labelled([1, 0], [0.5, 0.1], groupx=[2]), "argument 'groupx'."),
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

    with pytest.raises(TypeError, match="mine: "):
        rr.evaluate_models({"broken": broken}, X, [1, 0, 1], group=[3])
