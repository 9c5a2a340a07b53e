"""Predictions as MTEB 2.26.24 writes them: `helpers/exports/mteb*` are of its own method.

In `mteb-overwritten`, a second model was run with the folder of the first.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rankreport as rr

EXPORTS = Path(__file__).parents[1] / "helpers" / "exports"
FILE = EXPORTS / "mteb" / "SmallRetrieval_predictions.json"
OVERWRITTEN = EXPORTS / "mteb-overwritten" / "SmallRetrieval_predictions.json"
FOLDER = EXPORTS / "beir"


def caution_of(evaluation, code):
    (found,) = [caution for caution in evaluation.cautions if caution.code == code]
    return found


def test_a_file_is_named_after_its_model_and_read_as_a_run():
    found = rr.evaluate(FOLDER, [FILE], ["nDCG@10"])
    assert found.systems == ("org/small",)
    run = json.loads((EXPORTS / "beir.json").read_text())
    assert found.scores.equals(rr.evaluate(FOLDER, {"org/small": run}, ["nDCG@10"]).scores)


def test_judgments_come_from_the_relevant_documents_of_the_task(tmp_path):
    # Of a task: task.dataset["default"]["test"]["relevant_docs"].
    relevant = {"q1": {"d1": 1, 'd"3': 2}, "q2": {"d2": 1}}
    (tmp_path / "relevant.json").write_text(json.dumps(relevant))
    found = rr.evaluate(tmp_path / "relevant.json", {"small": rr.read_mteb(FILE)})
    assert found.scores.equals(rr.evaluate(FOLDER, {"small": FILE}).scores)


def test_one_of_several_parts_is_chosen_by_name():
    with pytest.raises(rr.DataError, match="has several subsets: 'default', 'de'"):
        rr.read_mteb(OVERWRITTEN)
    german = rr.read_mteb(OVERWRITTEN, subset="de")
    assert (german.subset, german.split, german.revision) == ("de", "dev", "abc")
    default = rr.read_mteb(OVERWRITTEN, subset="default")
    assert rr.read_run(default).collect().row(0) == ("q1", "d2", 2.5)
    with pytest.raises(rr.DataError, match=r"has no split 'dev'\. It has: 'test'"):
        rr.read_mteb(OVERWRITTEN, subset="default", split="dev")
    with pytest.raises(rr.DataError, match=r"has no subset 'fr'\. It has: 'default', 'de'"):
        rr.read_mteb(OVERWRITTEN, subset="fr")


def test_of_several_splits_the_test_split_is_meant(tmp_path):
    meta = {"model_name": "m", "revision": None}
    splits = {"dev": {"q": {"a": 1.0}}, "test": {"q": {"b": 1.0}}}
    path = tmp_path / "X_predictions.json"
    path.write_text(json.dumps({"mteb_model_meta": meta, "en": splits}))
    assert rr.read_mteb(path).split == "test"
    assert rr.read_run(path).collect().rows() == [("q", "b", 1.0)]
    assert rr.read_run(rr.read_mteb(path, split="dev")).collect().rows() == [("q", "a", 1.0)]


def test_a_file_says_whose_name_it_bears():
    (caution,) = [c for c in rr.evaluate(FOLDER, [FILE]).cautions if c.code == "model_name"]
    assert caution.severity == "note"
    assert "keeps the name of the first model" in caution.text


def test_two_files_of_one_name_are_a_reason_to_look():
    runs = {"small": FILE, "large": rr.read_mteb(OVERWRITTEN, subset="default")}
    caution = caution_of(rr.evaluate(FOLDER, runs), "model_name")
    assert caution.severity == "look"
    assert caution.text.startswith("Files that name the model org/small: small, large.")
    assert caution.remedy == (
        "Check which model made each file, and give every model a folder of its own."
    )
    with pytest.raises(rr.OptionError, match="Two runs would be named 'org/small'"):
        rr.evaluate(FOLDER, [FILE, OVERWRITTEN])


def test_the_caution_is_stored_with_the_scores(tmp_path):
    made = rr.evaluate(FOLDER, [FILE], ["RR"])
    made.write_parquet(tmp_path / "scores.parquet")
    assert rr.load_evaluation(tmp_path / "scores.parquet").cautions == made.cautions


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"mteb_model_meta": {}}, "with a model_name"),
        ({"mteb_model_meta": {"model_name": "m"}}, "has no subset"),
        ({"mteb_model_meta": {"model_name": "m"}, "en": {}}, "has no split"),
        ({"mteb_model_meta": {"model_name": "m"}, "en": [1]}, "found list"),
        (
            {"mteb_model_meta": {"model_name": "m"}, "en": {"test": [0, 1]}},
            "'en', 'test' holds list where {query: {document: score}} is expected",
        ),
        (
            {"mteb_model_meta": {"model_name": "m"}, "en": {"test": {"q": [1]}}},
            "expected {query: {document: score}}, found list for 'q'",
        ),
    ],
)
def test_another_form_is_refused(value, words, tmp_path):
    path = tmp_path / "X_predictions.json"
    path.write_text(json.dumps(value))
    with pytest.raises(rr.DataError) as refused:
        rr.read_run(path)
    assert words in str(refused.value)


def test_predictions_are_no_judgments(tmp_path):
    with pytest.raises(rr.DataError, match="a BEIR folder, a table, or its relevant_docs"):
        rr.evaluate(FILE, {"mine": {"q1": {"d1": 1.0}}})
    (tmp_path / "run.json").write_text('{"q1": {"d1": 1.0}}')
    with pytest.raises(rr.DataError, match="is no file of predictions of MTEB"):
        rr.read_mteb(tmp_path / "run.json")


def test_predictions_as_a_dictionary_are_read_as_their_file_is():
    value = json.loads(FILE.read_text())
    stored = rr.evaluate(FOLDER, [FILE], ["nDCG@10"])
    for held in (value, {"org/small": value}, {"org/small": rr.read_mteb(value)}):
        found = rr.evaluate(FOLDER, held, ["nDCG@10"])
        assert found.scores.equals(stored.scores)
        assert caution_of(found, "model_name") == caution_of(stored, "model_name")


def test_predictions_by_themselves_are_named_after_their_model():
    assert rr.evaluate(FOLDER, rr.read_mteb(FILE), ["nDCG@10"]).systems == ("org/small",)
    assert rr.evaluate(FOLDER, rr.read_mteb(FILE), ["RR"], name="mine").systems == ("mine",)
