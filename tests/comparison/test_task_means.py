"""Means that MTEB stored, without scores of queries."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import rankreport as rr

TASKS = ("ArguAna", "NFCorpus", "SCIDOCS", "SciFact", "TRECCOVID")
# Of intfloat/multilingual-e5-base and sentence-transformers/all-MiniLM-L6-v2, as MTEB published.
E5 = (0.44206, 0.32494, 0.17168, 0.6965, 0.69492)
MINILM = (0.50167, 0.31593, 0.21641, 0.64508, 0.47232)


def write(folder, model, task, value):
    path = folder / model / "1" / f"{task}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    scores = {"test": [{"hf_subset": "default", "main_score": value, "ndcg_at_10": value}]}
    found = {"task_name": task, "dataset_revision": "1", "scores": scores}
    path.write_text(json.dumps(found))


@pytest.fixture
def folder(tmp_path):
    for task, one, other in zip(TASKS, E5, MINILM, strict=True):
        write(tmp_path, "e5", task, one)
        write(tmp_path, "minilm", task, other)
    return tmp_path


def test_means_ranks_and_intervals(folder):
    found = rr.read_mteb_results(folder)
    over = found.over_datasets()
    assert over["system"].to_list() == ["e5", "minilm"]
    assert over["mean"].to_list() == pytest.approx([np.mean(E5), np.mean(MINILM)])
    assert over.select("mean_rank", "borda", "n_datasets").rows() == [(1.4, 3, 5), (1.6, 2, 5)]
    [row] = found.differences().to_dicts()
    student = stats.ttest_rel(MINILM, E5).confidence_interval(0.95)
    assert (row["baseline"], row["system"]) == ("e5", "minilm")
    assert (row["like_low"], row["like_high"]) == pytest.approx(student)
    assert found.differences("minilm")["delta"][0] == pytest.approx(-row["delta"])


def test_what_means_do_not_tell_is_said(folder):
    write(folder, "e5", "FiQA2018", 0.38146)
    found = rr.read_mteb_results(folder)
    assert found.over_datasets()["FiQA2018"].to_list() == [0.38146, None]
    assert found.over_datasets()["mean"][0] == pytest.approx(np.mean(E5))
    shown = repr(found)
    assert "ndcg_at_10, mean of 5 data sets" in shown
    assert "no interval for these data sets, and no query that a system loses" in shown
    assert "In no mean, as not all have results: FiQA2018 (not minilm)." in shown


def test_systems_without_two_shared_data_sets_are_refused(folder):
    with pytest.raises(rr.DataError, match=r"Each has: e5 1, minilm 1\."):
        rr.read_mteb_results(folder, tasks=["SciFact"])
