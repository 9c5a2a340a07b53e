"""The command line takes folders and exports as they are, and parts of them by name."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import rankreport as rr
from rankreport.cli.app import main

EXPORTS = Path(__file__).parents[1] / "helpers" / "exports"
BEIR = EXPORTS / "beir"
MTEB = EXPORTS / "mteb" / "SmallRetrieval_predictions.json"
OVERWRITTEN = EXPORTS / "mteb-overwritten" / "SmallRetrieval_predictions.json"
OTHER = {"q1": {"d2": 1.0, "d1": 0.5}, "q2": {"d2": 1.0}}
REQUEST = {
    "requests": [
        {"id": q, "ratings": [{"_index": "i", "_id": d, "rating": 1}]}
        for q, d in (("q1", "d1"), ("q2", "d2"))
    ],
    "metric": {"precision": {"k": 2}},
}


def answer(lists):
    hits = {q: [{"hit": {"_id": d}, "rating": None} for d in docs] for q, docs in lists.items()}
    return {"metric_score": 0, "details": {q: {"hits": h} for q, h in hits.items()}, "failures": {}}


def searched(lists):
    hits = [{"hits": {"total": 1, "hits": [{"_id": d} for d in docs]}} for docs in lists]
    return {"responses": hits}


@pytest.fixture
def command(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["rankreport", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        out, err = capfd.readouterr()
        return code, out, err

    def written(name, value):
        Path(name).write_text(json.dumps(value))
        return name

    run.written = written
    return run


@pytest.mark.parametrize("named", [(), ("--from", "beir")])
def test_a_beir_folder_and_two_runs_make_a_page_by_one_command(named, command):
    other = command.written("other.json", OTHER)
    code, out, _ = command("report", *named, BEIR, EXPORTS / "beir.json", other, "-m", "nDCG@3")
    assert code == 0
    assert "other is" in out or "beir" in out
    page = Path("report.html").read_text(encoding="utf-8")
    assert "what is jazz?" in page
    assert "of another split" not in page


@pytest.mark.parametrize("which", ["evaluate", "compare", "plan", "gate"])
def test_every_command_takes_them(which, command):
    other = command.written("other.json", OTHER)
    more = {"gate": ["--require", "nDCG@3 > -0.01"], "plan": ["-m", "nDCG@3"]}.get(
        which, ["-m", "RR"]
    )
    code, out, err = command(which, "--from", "beir", BEIR, EXPORTS / "beir.json", other, *more)
    assert code in {0, 1, 3}, err
    assert out


def test_the_split_is_chosen_by_name(command):
    run = command.written("mine.json", {"q3": {"d1": 1.0}})
    code, out, _ = command("evaluate", "--split", "dev", BEIR, run, "-m", "RR")
    assert (code, out.split()[-1]) == (0, "1.0000")
    code, _, err = command("evaluate", "--split", "train", BEIR, run)
    assert code == 2
    assert "The folder has judgments for: dev, test." in err


def test_parts_of_predictions_are_chosen_by_name(command):
    arguments = (BEIR, f"small={MTEB}", f"large={OVERWRITTEN}", "-m", "RR")
    code, _, err = command("evaluate", *arguments)
    assert code == 2
    assert "--subset default" in err
    code, _, err = command("evaluate", "--subset", "default", *arguments)
    assert code == 0
    assert "Look: Files that name the model org/small: small, large." in err
    code, _, err = command("evaluate", "--from", "mteb", BEIR, EXPORTS / "beir.json")
    assert code == 2
    assert "is no file of predictions of MTEB" in err


def test_exports_of_an_engine_make_a_page_by_one_command(command):
    old = command.written("old.json", answer({"q1": ["x", "d1"], "q2": ["d2"]}))
    new = command.written("new.json", answer({"q1": ["d1", "x"], "q2": ["d2"]}))
    request = command.written("request.json", REQUEST)
    code, out, err = command("report", request, old, new)
    assert code == 0
    assert "new is better than old" in out or "nDCG@2" in out
    assert "no deeper: old and new (each 2 documents)." in err + out
    code, _, err = command("report", "--from", "rank_eval", request, old, new, "-m", "nDCG@3")
    assert code == 2
    assert "nDCG@3 looks deeper than old.json" in err


def test_answers_take_the_order_of_their_queries(command):
    request = command.written("request.json", REQUEST)
    answers = command.written("answers.json", searched([["d1"], ["x"]]))
    Path("asked.csv").write_text("query_id\nq1\nq2\n")
    chosen = ("evaluate", "--query-order", "asked.csv", request, answers, "-m", "RR@1")
    for named in ((), ("--from", "msearch")):
        code, out, err = command(*chosen, *named)
        assert (code, out.split()[-1]) == (0, "0.5000"), err
    code, _, err = command("evaluate", request, answers)
    assert code == 2
    assert "--query-order FILE" in err
    code, _, err = command("evaluate", "--from", "msearch", request, answers)
    assert code == 2
    assert "--from msearch needs --query-order FILE" in err


def test_several_systems_of_one_file_and_quepid_by_name(command):
    Path("ratings.csv").write_text("query,docid,rating\nshoes,1,2\n")
    Path("snapshots.csv").write_text(
        "Snapshot Name,Query Text,Doc ID,Doc Position\na,shoes,2,1\na,shoes,1,2\nb,shoes,1,1\n"
    )
    for named in ((), ("--from", "quepid")):
        code, out, err = command("evaluate", *named, "ratings.csv", "snapshots.csv", "-m", "RR@2")
        assert code == 0, err
        assert out.split()[-4:] == ["a", "0.5000", "b", "1.0000"]
    code, _, err = command("evaluate", "ratings.csv", "c=snapshots.csv")
    assert code == 2
    assert "holds the results of 2 systems: a, b. Give its path without a name" in err
    command.written("qrels.json", {"shoes": {"1": 1}})
    code, _, err = command("evaluate", "--from", "quepid", "qrels.json", "snapshots.csv")
    assert code == 2
    assert "qrels.json is no export of quepid" in err


def test_an_option_that_selects_nothing_is_an_error(command):
    qrels = command.written("qrels.json", {"q1": {"d1": 1}})
    run = command.written("run.json", {"q1": {"d1": 1.0}})
    Path("asked.csv").write_text("query_id\nq1\n")
    for option, value in {
        "--split": "test",
        "--subset": "en",
        "--query-order": "asked.csv",
    }.items():
        code, _, err = command("evaluate", option, value, qrels, run)
        assert code == 2
        assert f"{option} has nothing to select from" in err


def test_a_file_of_another_format_and_an_unknown_format_are_errors(command):
    qrels = command.written("qrels.json", {"q1": {"d1": 1}})
    run = command.written("run.json", {"q1": {"d1": 1.0}})
    answers = command.written("answers.json", searched([["d1"]]))
    for given, words in {
        "rank_eval": "run.json is no export of rank_eval",
        "opensearch": "run.json is no export of opensearch",
        "beir": "qrels.json is a file. Expected a folder with queries.jsonl",
        "bier": "Did you mean 'beir'?",
    }.items():
        code, _, err = command("evaluate", "--from", given, qrels, run)
        assert code == 2
        assert words in err
    code, _, err = command("evaluate", "--from", "rank_eval", qrels, answers)
    assert "It looks like msearch." in err


def test_the_command_and_python_give_equal_scores(command):
    code, _, _ = command("evaluate", BEIR, EXPORTS / "beir.json", "-o", "scores.parquet")
    assert code == 0
    expected = rr.evaluate(rr.read_beir(BEIR), EXPORTS / "beir.json")
    assert rr.load_evaluation("scores.parquet").scores.equals(expected.scores)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("compare", "Against new, 2 queries"),
        ("gate --require RR@3>-0.2", "old against new"),
        ("plan -m RR@3 --n 40", "from a pilot of 2 queries"),
    ],
)
def test_one_file_of_several_systems_is_compared(command, line, shown, tmp_path):
    (tmp_path / "ratings.csv").write_text("query,docid,rating\na,1,1\na,2,0\nb,1,1\nb,2,0\n")
    rows = "".join(f"{s},{q},{d}\n" for s, q, d in SNAPSHOTS)
    (tmp_path / "snapshots.csv").write_text(f"Snapshot Name,Query Text,Doc ID,Doc Position\n{rows}")
    name, *options = line.split()
    code, out, err = command(name, "ratings.csv", "snapshots.csv", *options, "--resamples", "200")
    assert code in {0, 1, 3}, err
    assert shown in out


SNAPSHOTS = [
    ("old", "a", "2,1"),
    ("old", "a", "1,2"),
    ("old", "b", "2,1"),
    ("old", "b", "9,2"),
    ("old", "b", "1,3"),
    ("new", "a", "1,1"),
    ("new", "b", "1,1"),
]
