"""Judgments and runs handed back, which evaluate to the same."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

import rankreport as rr

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
RUNS = {
    "old": {"q1": {"d1": 0.1, "d2": 1 / 3}, "q2": {"d3": 1e-9}},
    "new": {"q2": ["d4", "d3"], "q1": ["d1", "d2"]},
}


def test_trec_text_evaluates_to_the_same(tmp_path):
    given = rr.evaluate(QRELS, RUNS)
    qrels, *runs = given.to_trec(tmp_path / "new folder")
    assert [path.name for path in runs] == ["old.run", "new.run"]
    assert qrels.read_text() == "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
    assert runs[0].read_text().splitlines()[0] == "q1 Q0 d2 1 0.3333333333333333 old"
    again = rr.evaluate(qrels, runs)
    assert again.per_query().equals(given.per_query())
    assert rr.evaluate(qrels, runs, ties="rank").per_query().equals(given.per_query())


def test_subtopics_stand_in_the_second_field(tmp_path):
    qrels = {"q1": {"d1": {"price": 1, "place": 0}}}
    found = rr.evaluate(qrels, RUNS, "alpha_nDCG@5", subtopics=True)
    path, *_ = found.to_trec(tmp_path)
    assert path.read_text() == "q1 price d1 1\nq1 place d1 0\n"


def test_what_trec_text_cannot_hold_is_refused(tmp_path):
    with pytest.raises(rr.DataError, match="query_id 'a b' holds white space"):
        rr.evaluate({"a b": {"d": 1}}, {"a b": {"d": 1.0}}).to_trec(tmp_path)
    with pytest.raises(rr.OptionError, match="'a/b' cannot name a file"):
        rr.evaluate(QRELS, {"a/b": RUNS["old"]}).to_trec(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_scores_file_has_no_runs(tmp_path):
    rr.evaluate(QRELS, RUNS).write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    for method in (lambda: loaded.to_trec(tmp_path), loaded.to_ranx):
        with pytest.raises(rr.DataError, match="loaded from a file, which contains no runs"):
            method()


@pytest.fixture
def ranx(monkeypatch):
    """Stand in for ranx, whose import compiles for half a minute; a slow test has the real one."""
    made = SimpleNamespace(Qrels=dict, Run=lambda run, name: (name, run))
    monkeypatch.setitem(sys.modules, "ranx", made)


@pytest.mark.usefixtures("ranx")
def test_ranx_gets_dictionaries():
    qrels, runs = rr.evaluate(QRELS, RUNS).to_ranx()
    assert qrels == QRELS
    assert all(type(grade) is int for row in qrels.values() for grade in row.values())
    assert runs[0] == ("old", RUNS["old"])
    assert runs[1] == ("new", {"q2": {"d4": -1.0, "d3": -2.0}, "q1": {"d1": -1.0, "d2": -2.0}})


@pytest.mark.usefixtures("ranx")
def test_ranx_would_cut_grades_off():
    with pytest.raises(rr.DataError, match=r"1 are not whole, such as 0\.5"):
        rr.evaluate({"q1": {"d1": 0.5}}, RUNS).to_ranx()


def test_ranx_must_be_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "ranx", None)
    with pytest.raises(rr.OptionError, match="pip install ranx"):
        rr.evaluate(QRELS, RUNS).to_ranx()


def test_a_folder_that_cannot_be_made_is_an_error_of_ours(tmp_path):
    (tmp_path / "taken").write_text("", encoding="utf-8")
    evaluation = rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d1": 1.0}}})
    with pytest.raises(rr.OutputError, match="taken cannot be created: File exists"):
        evaluation.to_trec(tmp_path / "taken")
