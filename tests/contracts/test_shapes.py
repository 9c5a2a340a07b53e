"""The generated collections that speed is measured on."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

import rankreport as rr

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import shapes


def test_shapes_are_the_same_every_time_and_valid(tmp_path):
    made, again = shapes.small(systems=2), shapes.small(systems=2)
    assert list(made.runs) == ["run-1", "run-2"]
    for name, run in made.runs.items():
        assert run.equals(again.runs[name])
        assert len(run) == 50 * 100
        assert (
            run.group_by("query_id").agg(pl.col("doc_id").n_unique())["doc_id"].unique()[0] == 100
        )
    assert not made.runs["run-1"].equals(made.runs["run-2"])
    assert made.qrels.equals(again.qrels)
    expected = None
    for form in shapes.FORMS:
        for collection in (made, made.shuffled()):
            qrels, *runs = collection.write(tmp_path / form, form)
            found = rr.evaluate(qrels, runs, ["AP", "nDCG@10"])
            scores = found.per_query()
            expected = scores if expected is None else expected
            assert scores.equals(expected), form
    assert 0.05 < expected["AP"].mean() < 0.9


@pytest.mark.parametrize(("different", "n_most"), [(3, 3), (None, 20)])
def test_lists_have_so_many_different_scores(different, n_most):
    sizes = {"ids": "pages", "found": 0.5, "different": different}
    run = shapes._collection(40, 20, 5, 1, **sizes).runs["run-1"]
    counts = run.group_by("query_id").agg(pl.col("score").n_unique())["score"]
    assert counts.max() <= n_most
    assert counts.mean() > n_most - 1
    assert run["score"].shift(1).gt(run["score"]).sum() > 0


@pytest.mark.parametrize("relevant", [False, True])
def test_systems_of_reports_stand_in_order(tmp_path, relevant):
    made = shapes._ordered(300, 10, 5, 6, relevant=relevant)
    qrels, *runs = made.write(tmp_path, "parquet")
    assert len(made.qrels) == 300 * 5
    assert (made.qrels["relevance"] > 0).all() == relevant
    assert made.runs["run-001"]["score"].head(10).is_sorted(descending=True)
    means = rr.evaluate(qrels, runs, ["nDCG@10"]).summary()["nDCG@10"].to_list()
    first, second, third, fourth, fifth, last = means
    assert first < second < third < fourth < last
    assert abs(fifth - fourth) < 0.02


def test_a_large_run_has_the_same_rows_in_all_forms(tmp_path, monkeypatch):
    monkeypatch.setattr(shapes, "_BLOCK", 2)
    qrels, *runs = shapes.write_large(tmp_path, 3)
    assert len(runs) == len(shapes.FORMS)
    scores = [rr.evaluate(qrels, {"run": run}, ["AP", "nDCG@10"]).per_query() for run in runs]
    assert scores[0]["query_id"].to_list() == ["0", "1", "2"]
    assert scores[0]["AP"].n_unique() == 3  # each block is drawn anew
    assert all(each.equals(scores[0]) for each in scores)
    made = shapes.write_large(tmp_path / "one", 3, "parquet")
    assert set(made) == set((tmp_path / "one").iterdir())
    assert pl.read_parquet(made[1]).equals(pl.read_parquet(runs[2]))
