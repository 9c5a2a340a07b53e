"""The study of a model as judge measures what it says: a spoilt estimate is found out."""

from __future__ import annotations

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
HUMAN = RNG.normal(0.02, 0.2, 300)
MODEL = HUMAN + RNG.normal(0.1, 0.1, 300)


def subject(model=MODEL, judge="15 % wrong"):
    return judge_study.Subject("some", "nDCG@10", judge, HUMAN, model)


def measured(judge="15 % wrong", samples=2_000, drawn=(200, 50)):
    return judge_study.measured(subject(judge=judge), drawn, samples)


def test_sound_intervals_hold_the_truth_and_are_narrower():
    found = measured()
    assert found["samples"] == 2_000
    assert found["both"] > 93
    assert 93 < found["alone"] < 97
    assert 0.5 < found["width"] < 0.85
    assert not judge_study._below(found)


def test_spoilt_intervals_are_found_out(monkeypatch):
    sound = statistics.PredictionPowered.interval
    monkeypatch.setattr(
        statistics.PredictionPowered, "interval", lambda found, level, _: sound(found, level)
    )
    found = measured("nearly equal", 500, (1_000, 20))
    assert found["both"] < 90
    assert judge_study._below(found)


def test_rare_large_errors_are_allowed_for():
    found = measured("nearly equal")
    assert found["both"] > 94
    assert found["width"] < 0.9


@pytest.mark.parametrize("judge", judge_study.JUDGES, ids=lambda judge: judge.name)
def test_judges_err_as_they_say(judge):
    known = np.array([0.0, 1.0, 2.0])
    grades = np.repeat(known, 20_000)
    wrong = judge.wrong(np.random.default_rng(6), grades, known)
    assert set(wrong) <= set(known)
    share = (wrong != grades).mean()
    expected = {"lenient": 0.2, "guessing": 2 / 3, **dict.fromkeys(judge_study.ERRORS, 0.0)}
    stated = expected.get(judge.name)
    assert share == pytest.approx(
        float(judge.name.split()[0]) / 100 if stated is None else stated, abs=0.01
    )


def test_documents_that_nobody_judged_are_graded_as_not_relevant():
    qrels = pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "relevance": [2.0]})
    runs = {"old": {"q": ["a", "b"], "unknown": ["x"]}, "new": {"q": ["c"]}}
    found = judge_study._with_first_ten(qrels, runs)
    assert found.rows() == [("q", "a", 2.0), ("q", "b", 0.0), ("q", "c", 0.0)]


def test_the_page_says_which_cell_is_the_worst():
    cells = [measured(judge, 400) for judge in ("15 % wrong", "nearly equal")]
    poor = {**cells[0], "both": 71.0, "drawn": (1_000, 20)}
    text = judge_study.page([*cells, poor], 400)
    assert "Of 3 cells with at least 200 such samples, 1 are below" in text
    assert "The worst is 71.0 % (standard error 2.3: 15 % wrong, some, nDCG@10, N = 1,000" in text
    width = cells[0]["width"]
    assert f"| 1,000 | 20 | 71.0 % | {width:.2f} to {width:.2f} |" in text
    assert judge_study.tables(cells, 400).count("| 200 | 50 | 15 % wrong | 1 |") == 1
