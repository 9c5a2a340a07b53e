"""Folders of results as MTEB writes them, `results/model/revision/Task.json`, and as it stores them
in the repository of all results, with values of intfloat/multilingual-e5-base and all-MiniLM-L6-v2.
"""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from rankreport import DataError, OptionError
from rankreport.cli.app import app
from rankreport.io import read_task_means

FORUMS = "Android English Gaming Gis Mathematica Physics Programmers Stats Tex Unix Webmasters"
E5, MINILM = "intfloat/multilingual-e5-base", "sentence-transformers/all-MiniLM-L6-v2"
SCORES = {
    E5: {"NFCorpus": 0.32494, "SCIDOCS": 0.17168, "SciFact": 0.6965},
    MINILM: {"NFCorpus": 0.31593, "SCIDOCS": 0.21641, "SciFact": 0.64508},
}


def write(folder, model, task, value, *, revision="1", split="test", subset="default", **scores):
    """Write a result; further splits and measures by name."""
    path = folder / model.replace("/", "__") / "abcdef012345" / f"{task}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    found = {"task_name": task, "dataset_revision": revision, "mteb_version": "2.1.0"}
    measures = scores or {"ndcg_at_10": value}
    if path.exists():
        found = json.loads(path.read_text())
    subsets = found.setdefault("scores", {}).setdefault(split, [])
    subsets.append({"hf_subset": subset, "main_score": value, "map_at_10": 0.5, **measures})
    path.write_text(json.dumps(found))
    return path


@pytest.fixture
def folder(tmp_path):
    for model, scores in SCORES.items():
        for task, value in scores.items():
            write(tmp_path, model, task, value)
    return tmp_path


def values_of(found):
    return {(system, dataset): value for system, dataset, value in found[0].iter_rows()}


def test_main_scores_are_read_with_the_measure_that_they_are_of(folder):
    found = read_task_means(folder)
    assert found[1] == "ndcg_at_10"
    assert values_of(found) == {
        (model, task): value for model, tasks in SCORES.items() for task, value in tasks.items()
    }
    other = read_task_means(folder, tasks=["SciFact"], systems=[E5], measure="map_at_10")
    assert values_of(other) == {(E5, "SciFact"): 0.5}


def test_a_missing_result_is_a_missing_value(folder):
    write(folder, E5, "FiQA2018", 0.38146)
    assert (MINILM, "FiQA2018") not in values_of(read_task_means(folder))


def test_the_forums_of_cqadupstack_are_one_data_set(folder):
    forums = [*FORUMS.split(), "Wordpress"]
    for place, forum in enumerate(forums):
        write(folder, E5, f"CQADupstack{forum}Retrieval", place / 20)
    for forum in forums[1:]:
        write(folder, MINILM, f"CQADupstack{forum}Retrieval", 0.4)
    found = values_of(read_task_means(folder))
    assert found[E5, "CQADupstackRetrieval"] == pytest.approx(0.275)
    assert found[MINILM, "CQADupstackRetrieval"] is None  # one of twelve is missing
    write(folder, MINILM, "CQADupstackRetrieval", 0.4132475)
    assert values_of(read_task_means(folder))[MINILM, "CQADupstackRetrieval"] == 0.4132475


def test_of_several_subsets_the_mean_is_taken(folder):
    for value, subset in ((0.2, "de"), (0.6, "en")):
        write(folder, E5, "MIRACLRetrieval", value, split="dev", subset=subset)
    assert values_of(read_task_means(folder))[E5, "MIRACLRetrieval"] == pytest.approx(0.4)
    write(folder, MINILM, "MIRACLRetrieval", 0.1, split="dev", subset="de")
    with pytest.raises(DataError, match=r"MIRACLRetrieval: .* different subsets: de, en \(int"):
        read_task_means(folder)


def test_a_model_with_two_revisions_is_two_systems(folder):
    path = write(folder, E5, "FEVER", 0.79418)
    (path.parent.parent / "external").mkdir()
    path.rename(path.parent.parent / "external" / path.name)
    found = values_of(read_task_means(folder))
    assert found[f"{E5}@externa", "FEVER"] == 0.79418
    assert (f"{E5}@abcdef0", "FEVER") not in found


def test_results_of_different_data_are_refused_by_name(folder):
    write(folder, E5, "FiQA2018", 0.38146, revision="27a1688")
    write(folder, MINILM, "FiQA2018", 0.36867, revision="None")
    different = rf"FiQA2018: .* revisions: 27a1688 \({E5}\); None \({MINILM}\)"
    with pytest.raises(DataError, match=different):
        read_task_means(folder)
    write(folder, E5, "MSMARCO", 0.4, split="dev")
    write(folder, MINILM, "MSMARCO", 0.4, split="test")
    with pytest.raises(DataError, match=r"MSMARCO: .* different splits: dev .*; test"):
        read_task_means(folder, tasks=["MSMARCO"])
    write(folder, MINILM, "MSMARCO", 0.365, split="dev")
    found = read_task_means(folder, tasks=["MSMARCO"])
    assert values_of(found) == {(E5, "MSMARCO"): 0.4, (MINILM, "MSMARCO"): 0.365}


def test_one_of_several_splits_is_named(folder):
    for split, value in (("dev", 0.1), ("train", 0.2)):
        write(folder, E5, "QuoraRetrieval", value, split=split)
    with pytest.raises(DataError, match=r"QuoraRetrieval has no split 'test'\. It has: dev, train"):
        read_task_means(folder)
    found = read_task_means(folder, tasks=["QuoraRetrieval"], split="train")
    assert values_of(found) == {(E5, "QuoraRetrieval"): 0.2}


def test_main_scores_of_different_measures_are_refused(folder):
    for model in SCORES:
        write(folder, model, "STS12", 0.75, cosine_spearman=0.75)
    with pytest.raises(DataError, match=r"different measures: cosine_spearman .*; ndcg_at_10"):
        read_task_means(folder)
    with pytest.raises(DataError, match=r"STS12 of .* has no number as 'ndcg_at_10'"):
        read_task_means(folder, measure="ndcg_at_10")
    assert values_of(read_task_means(folder, measure="main_score"))[E5, "STS12"] == 0.75


def test_what_holds_no_results_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"has no results of MTEB\. Expected model/revision/Task"):
        read_task_means(tmp_path)
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(DataError, match=r"a\.json cannot be read as JSON"):
        read_task_means(tmp_path)
    (tmp_path / "a.json").write_text('{"task_name": "A", "scores": {"test": 1}}')
    with pytest.raises(DataError, match=r"expected 'task_name', and 'scores' as \{split: "):
        read_task_means(tmp_path)


def test_unknown_names_are_refused_with_those_that_there_are(folder):
    with pytest.raises(OptionError, match=r"tasks='SciFacts' .* Did you mean 'SciFact'"):
        read_task_means(folder, tasks=["SciFacts"])


def test_a_result_that_is_stored_twice_is_refused(folder):
    path = write(folder, E5, "FEVER", 0.79418)
    path.with_name("copy.json").write_text(path.read_text())
    with pytest.raises(DataError, match=rf"FEVER of {E5} has two results"):
        read_task_means(folder)


def test_percent_next_to_shares_is_refused(folder):
    write(folder, E5, "FEVER", 79.418)
    with pytest.raises(DataError, match=rf"of {E5} on FEVER is 79\.418, while others are at most"):
        read_task_means(folder)


def test_versions_of_mteb_that_differ_are_named(folder):
    assert read_task_means(folder)[2] == {}
    path = next(folder.rglob("SciFact.json"))
    other = {**json.loads(path.read_text()), "mteb_version": "1.2.0"}
    path.write_text(json.dumps(other))
    [model] = {E5, MINILM} & {path.parent.parent.name.replace("__", "/")}
    assert read_task_means(folder)[2] == {"1.2.0": (model,), "2.1.0": tuple(sorted((E5, MINILM)))}
    shown = CliRunner().invoke(app, ["evaluate", "--datasets", str(folder), "--from", "mteb"])
    assert (
        f"different versions of mteb, which may score one model differently: 1.2.0 ({model});"
        in (shown.stdout)
    )
    files = ["--datasets", str(folder), "--from", "mteb", "--leave-out", "SciFact"]
    assert "-o and --leave-out have no meaning" in str(
        CliRunner().invoke(app, ["evaluate", *files]).exception
    )
