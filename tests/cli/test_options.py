"""Labelled lists on the command line."""

from __future__ import annotations

import json
import sys

import polars as pl
import pytest

import rankreport as rr
from rankreport import tables
from rankreport.cli import main

LINES = "2 7 0.1\n0 7 0.9\n1 7 0.5\n0 8 0.8\n1 8 0.2\n"
SVM = "2 qid:7 1:0.1\n0 qid:7 1:0.9\n1 qid:7 1:0.5\n0 qid:8 1:0.8\n1 qid:8 1:0.2\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "list.txt").write_text(LINES)
    (tmp_path / "test.svm").write_text(SVM)
    (tmp_path / "bare.svm").write_text(SVM.replace("qid:7 ", "").replace("qid:8 ", ""))
    (tmp_path / "bare.svm.query").write_text("3\n2\n")
    (tmp_path / "old.txt").write_text("0.1\n0.9\n0.5\n0.8\n0.2\n")
    (tmp_path / "new.txt").write_text("0.9\n0.1\n0.5\n0.8\n0.2\n")
    table = pl.DataFrame({"label": [2, 0, 1], "qid": [7, 7, 8], "a": [1, 2, 3], "b": [2, 1, 3]})
    table.write_csv(tmp_path / "table.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(monkeypatch, capsys):
    def run(line):
        monkeypatch.setattr(sys, "argv", ["rankreport", *line.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return run


RECORDS = [
    {"query": "who?", "expected": ["d1"], "retrieved": ["d2", "d1"]},
    {"query": "where?", "expected": ["d3"], "retrieved": ["d3#1"]},
]


@pytest.mark.parametrize(
    ("line", "means"),
    [
        ("--retrieved rag.jsonl", {"rag": "0.2500"}),
        ("--retrieved rag.jsonl --retrieved best=other.json --columns gold,ids", None),
        ("--retrieved a=rag.jsonl --retrieved b=rag.jsonl", {"a": "0.2500", "b": "0.2500"}),
        ("--retrieved other.json --columns gold,ids,text", {"other": "0.2500"}),
        ("--retrieved rag.jsonl --collapse max --document-of #", {"rag": "0.7500"}),
    ],
)
def test_records_are_judgments_and_runs(run, line, means, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rag.jsonl").write_text("\n".join(map(json.dumps, RECORDS)))
    names = {"query": "text", "expected": "gold", "retrieved": "ids"}
    other = [{names[field]: value for field, value in each.items()} for each in RECORDS]
    (tmp_path / "other.json").write_text(json.dumps(other))
    code, out, err = run(f"evaluate {line} -m RR")
    if means is None:
        assert "no field 'gold'" in err
        return
    assert code == 0
    shown = [row.split() for row in out.splitlines() if row.split()[0] in means]
    assert shown == [[name, value] for name, value in means.items()]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("evaluate --retrieved rag.jsonl --ties input", "--ties has no meaning with --retrieved"),
        ("evaluate --retrieved a --labelled b", "--labelled or --retrieved, not both"),
        ("compare qrels.txt --retrieved rag.jsonl", "Other records: --retrieved qrels.txt"),
        ("compare --retrieved rag.jsonl --memory 1GB", "--memory has no meaning with --retrieved"),
    ],
)
def test_what_does_not_go_with_records(run, line, words):
    code, _, err = run(line)
    assert code
    assert words in " ".join(err.split())


def test_default_measures_of_records(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rag.json").write_text(json.dumps(RECORDS))
    _, out, _ = run("evaluate --retrieved rag.json")
    assert out.split()[:8] == ["2", "queries", "system", "nDCG", "RR", "Success", "R", "P"]


MEANS = {"old": "0.6254", "new": "0.8155"}


@pytest.mark.parametrize(
    ("line", "systems"),
    [
        ("--labelled list.txt", {"list": "old"}),
        ("--labelled test.svm --scores old.txt --scores new.txt", {"old": "old", "new": "new"}),
        ("--labelled test.svm --scores first=new.txt", {"first": "new"}),
        ("--labelled bare.svm --group bare.svm.query --scores new.txt", {"new": "new"}),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_labelled_list_is_judgments_and_runs(run, line, systems):
    code, out, err = run(f"evaluate {line} -m nDCG")
    assert (code, err) == (0, "")
    shown = [row.split() for row in out.splitlines() if row.split()[0] in systems]
    assert shown == [[name, MEANS[scores]] for name, scores in systems.items()]


@pytest.mark.usefixtures("folder")
def test_columns_of_a_table(run):
    code, out, _ = run("evaluate --labelled table.csv --scores b --scores a -m RR")
    assert code == 0
    assert [row.split() for row in out.splitlines()[3:]] == [["b", "1.0000"], ["a", "0.7500"]]


@pytest.mark.usefixtures("folder")
def test_rules_and_profiles(run):
    tied = "--labelled table.csv --scores a -m RR"
    assert run(f"evaluate {tied} --ties worst --no-relevant skip --precision single")[0] == 0
    code, out, _ = run("evaluate --labelled list.txt -m ndcg@5 --profile lightgbm")
    assert code == 0
    expected = rr.evaluate_labelled("list.txt", measures="ndcg@5", profile="lightgbm")
    assert f"{expected.summary().row(0)[1]:.4f}" in out


def test_a_page_of_two_models_by_one_command(run, folder):
    code, out, _ = run(
        "report --labelled test.svm --scores old.txt --scores new.txt -o page.html -o page.json"
    )
    assert code == 0
    assert "Against old, 2 queries" in out
    assert "--labelled test.svm" in (folder / "page.html").read_text(encoding="utf-8")
    assert rr.load_report(folder / "page.json")


def big(folder):
    """Write a list of 40 queries with two lists of scores, of which the second is better."""
    rows = [((i + query) % 4 == 3, query, i) for query in range(40) for i in range(6)]
    (folder / "big.svm").write_text("".join(f"{y:d} qid:{q} 1:{x}\n" for y, q, x in rows))
    (folder / "a.txt").write_text("".join(f"{-x + 3 * (q % 2)}\n" for _, q, x in rows))
    (folder / "b.txt").write_text("".join(f"{2 * y + (x + q) % 3}\n" for y, q, x in rows))
    scores = {name: f"{name}.txt" for name in "ab"}
    return "--labelled big.svm --scores a.txt --scores b.txt", rr.compare(
        rr.evaluate_labelled("big.svm", scores, measures="RR"), resamples=200
    )


def test_a_labelled_list_is_compared(run, folder):
    words, expected = big(folder)
    code, out, _ = run(f"compare {words} -m RR --resamples 200")
    assert (code, out) == (0, f"{expected}\n")
    code, out, _ = run(f"compare {words} -m RR --resamples 200 --baseline b")
    assert code == 0
    assert "Against b, 40 queries" in out


def test_a_labelled_list_is_judged_by_a_gate(run, folder):
    words, expected = big(folder)
    code, out, _ = run(f"gate {words} --resamples 200 --require RR>-0.01")
    made = rr.gate(expected, "RR > -0.01")
    assert code == made.exit_code
    assert out.splitlines()[0] == str(made).splitlines()[0]


def test_a_labelled_list_is_a_pilot(run, folder):
    words, expected = big(folder)
    code, out, err = run(f"plan {words} -m RR --resamples 200 --n 100")
    plan = rr.plan(expected, n_queries=100)
    assert (code, out) == (0, f"{tables.without_cautions(plan)}\n")
    assert "Note: Equal scores: another order would change RR of b in 8 queries" in err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "evaluate",
            "Missing argument 'QRELS'. Give QRELS and RUN, or --labelled FILE, --retrieved FILE",
        ),
        ("compare", "Missing argument 'QRELS'. Give QRELS, BASELINE and RUN, or --labelled"),
        ("compare list.txt old.txt", "Missing argument 'RUN'"),
        ("plan list.txt", "Missing argument 'BASELINE'"),
        ("gate --labelled list.txt", "Missing option '--require'"),
        ("gate list.txt old.txt --require RR>0", "Missing argument 'CANDIDATE'"),
        ("evaluate list.txt", "Missing argument 'RUN'"),
        ("report", "Missing argument 'QRELS'"),
        ("evaluate list.txt old.txt --scores new.txt", "--scores goes with --labelled FILE"),
        ("evaluate list.txt old.txt --group new.txt", "--group goes with --labelled FILE"),
        ("evaluate --labelled test.svm old.txt", "Files of scores: --scores old.txt"),
        ("evaluate --labelled test.svm", "Give them in the order of its lines"),
        ("evaluate --labelled none.txt", "none.txt does not exist"),
        ("evaluate --labelled test.svm --scores none.txt", "none.txt does not exist"),
        ("evaluate --labelled list.txt --subtopics", "--subtopics has no meaning"),
        ("evaluate --labelled list.txt --query-set judged", "--query-set has no meaning"),
        ("evaluate --labelled list.txt --ties rank", "ties='rank' orders by ranks"),
        ("evaluate --labelled table.csv", "Name those with scores"),
        ("evaluate --labelled table.csv --scores c", "has no column 'c'"),
        *(
            (f"{command} list.txt old.txt new.txt {option} https://a.b/c.csv?token=1", words)
            for command, option, words in [
                ("evaluate", "-o", "https://a.b/c.csv is an address. For the output, give a local"),
                ("compare", "-o", "https://a.b/c.csv is an address. For the output"),
                ("report", "-o", "https://a.b/c.csv is an address. For the output"),
                ("report", "--introduction", "https://a.b/c.csv is an address. For the intro"),
                ("report", "--closing", "https://a.b/c.csv is an address. For the closing text"),
                ("report", "--logo", "https://a.b/c.csv is an address. For the logo"),
            ]
        ),
    ],
)
@pytest.mark.usefixtures("folder")
def test_faults(run, line, message):
    code, _, err = run(line)
    assert code == 2
    assert message in " ".join(err.split())
