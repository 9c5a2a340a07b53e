"""The section on data: what to judge next, where unjudged documents matter."""

from __future__ import annotations

import json

import pytest

import rankreport as rr
from rankreport.comparison import judging_order
from rankreport.evaluation.quality import unjudged_at_top

QUERIES = [f"q{i:02}" for i in range(40)]
QRELS = {query: {"r": 1, "x": 0, "y": 0} for query in QUERIES}
OLD = {q: {"r": 2.0 if i % 3 else 0.5, "x": 1.0, "y": 0.8} for i, q in enumerate(QUERIES)}
NEW = {q: {"r": 2.0, "u": 3.0 if i % 2 else 0.4, "v": 0.3} for i, q in enumerate(QUERIES)}


def compared(measure="nDCG@10", new=NEW):
    return rr.compare(QRELS, {"old": OLD, "new": new}, measures=[measure], resamples=200)


def data_of(comparison):
    report = rr.report(comparison)
    (found,) = [each for each in report._shown.page.sections if each.id == "data"]
    return found, json.loads(report.to_json())


def test_the_documents_to_judge_next_are_listed_where_they_matter():
    comparison = compared()
    found, held = data_of(comparison)
    expected = rr.judge_next(comparison)
    _, table = found.parts
    assert table.folded == "Judge these next: 10 of 80 unjudged documents"
    first = expected.to_polars().head(10)
    assert table.caption.startswith("All of them: ")
    assert [row[:2] for row in table.rows] == first.select("query_id", "doc_id").rows()
    assert held["judge_next"] == first.to_dicts()
    # The interval holds 0 as it is.
    assert not any("would" in each for each in found.paragraphs)


def test_what_judgments_could_undo_stands_where_the_interval_excludes_0():
    comparison = compared(new={query: {"u": 3.0, "v": 2.0, "r": 1.0} for query in QUERIES})
    found, _ = data_of(comparison)
    assert not any("highest grade" in each for each in found.paragraphs)  # one threshold is enough
    assert found.paragraphs[-1] == str(rr.judge_next(comparison).tipping)


def test_fully_judged_lists_have_none():
    found, held = data_of(compared(new={query: ["r", "x"] for query in QUERIES}))
    assert len(found.parts) == 1
    assert "judge_next" not in held


def test_a_measure_without_known_bounds_has_none():
    assert unjudged_at_top(compared("AP@10").evaluation) is not None
    found, _ = data_of(compared("AP@10"))
    assert len(found.parts) == 1


def test_scores_from_a_file_have_none(tmp_path):
    compared().evaluation.write_parquet(tmp_path / "scores.parquet")
    stored = rr.load_evaluation(tmp_path / "scores.parquet")
    assert unjudged_at_top(stored) is not None
    found, _ = data_of(rr.compare(stored, resamples=200))
    assert len(found.parts) == 1


@pytest.mark.parametrize(("most", "n"), [(79, 1), (80, 2)])
def test_very_many_are_not_put_in_order(monkeypatch, most, n):
    monkeypatch.setattr(judging_order, "_MOST_UNJUDGED", most)
    assert len(data_of(compared())[0].parts) == n
