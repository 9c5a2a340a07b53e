"""The study of a model as judge measures what it says: a spoilt estimate is found out."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankreport import statistics

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    import judge_study
finally:
    sys.path.pop(0)

RNG = np.random.default_rng(4)
HUMAN = RNG.normal(0.1, 1.0, 300)
MODEL = HUMAN + RNG.normal(0.5, 0.5, 300)


def subject(model=MODEL, judge="15 % wrong"):
    return judge_study.Subject("some", "nDCG@10", judge, HUMAN, model)


def test_sound_intervals_hold_the_truth_and_are_narrower():
    cell = judge_study.measured(subject(), 50, 2_000)
    found = cell["counts"]["claimed"]
    assert found["samples"] == 2_000
    assert 93 < found["both"] < 97
    assert 93 < found["alone"] < 97
    assert 0.5 < found["width"] < 0.8
    assert not judge_study._outside(found)


def test_spoilt_intervals_are_found_out(monkeypatch):
    sound = statistics.PredictionPowered.standard_error.fget
    monkeypatch.setattr(
        statistics.PredictionPowered, "standard_error", property(lambda found: sound(found) / 2)
    )
    found = judge_study.measured(subject(), 50, 2_000)["counts"]["claimed"]
    assert found["both"] < 80
    assert judge_study._outside(found)


def test_rare_large_errors_break_the_correction_and_are_not_relied_upon():
    rng = np.random.default_rng(5)
    model = HUMAN + 20 * (rng.random(300) < 0.04)
    cell = judge_study.measured(subject(model, judge_study.LARGE_ERRORS), 20, 2_000)
    assert cell["relied"] == 0
    assert set(cell["counts"]) == {"every"}
    small = judge_study.Subject("some", "RR@10", judge_study.LARGE_ERRORS, HUMAN / 10, HUMAN / 10)
    assert judge_study.measured(small, 20, 600)["counts"]["every"]["width"] < 0.5


@pytest.mark.parametrize("judge", judge_study.JUDGES, ids=lambda judge: judge.name)
def test_judges_err_as_they_say(judge):
    known = np.array([0.0, 1.0, 2.0])
    grades = np.repeat(known, 20_000)
    wrong = judge.wrong(np.random.default_rng(6), grades, known)
    assert set(wrong) <= set(known)
    share = (wrong != grades).mean()
    expected = {"lenient": 0.2, "guessing": 2 / 3, judge_study.LARGE_ERRORS: 0.0}
    stated = expected.get(judge.name)
    assert share == pytest.approx(
        float(judge.name.split()[0]) / 100 if stated is None else stated, abs=0.01
    )


def test_documents_that_nobody_judged_are_graded_as_not_relevant():
    qrels = pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "relevance": [2.0]})
    runs = {"old": {"q": ["a", "b"], "unknown": ["x"]}, "new": {"q": ["c"]}}
    found = judge_study._with_first_ten(qrels, runs)
    assert found.rows() == [("q", "a", 2.0), ("q", "b", 0.0), ("q", "c", 0.0)]


def test_the_page_says_how_many_cells_are_outside():
    rng = np.random.default_rng(5)
    bad = subject(HUMAN + 20 * (rng.random(300) < 0.04), judge_study.LARGE_ERRORS)
    cells = [
        judge_study.measured(each, n, 600) for each in (subject(), bad) for n in judge_study.SIZES
    ]
    text = judge_study.page(cells, 600)
    assert "Of 3 cells with at least 500 such samples, 0 are outside" in text
    assert text.count("| 50 | 15 % wrong | 1 |") == 2
    relied = float(re.search(r"relied upon in (.*?) % of samples", text)[1])
    assert relied < 3
