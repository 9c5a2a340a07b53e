"""The verdict for programs: valid, small, the worst first, and written after errors too."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema
import polars as pl
import pytest
from hostile_texts import HOSTILE

import rankreport as rr
from rankreport.cli.app import main
from rankreport.gates import BuildVerdict
from rankreport.testing import assert_ranking
from rankreport.text import SEVERITIES, Caution

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "verdict.schema.json").read_text(encoding="utf-8")
)
QUERIES = [f"q{i}" for i in range(40)]
QRELS = {query: {"right": 1, "wrong": 0} for query in QUERIES}
RIGHT, WRONG = ["right", "wrong"], ["wrong", "right"]
RUNS = {
    "half": {query: RIGHT if i % 2 else WRONG for i, query in enumerate(QUERIES)},
    "all": dict.fromkeys(QUERIES, RIGHT),
    "most": {query: RIGHT if i % 10 else WRONG for i, query in enumerate(QUERIES)},
}
"""Their mean reciprocal ranks are 0.75, 1 and 0.95."""
EVALUATION = rr.evaluate(QRELS, RUNS, ["RR"])


def read(text):
    """Return a verdict, after checking it against the published schema."""
    held = json.loads(text)
    jsonschema.validate(held, SCHEMA, jsonschema.Draft202012Validator)
    assert len(text.encode()) < 4_000
    return held


@pytest.fixture
def command(tmp_path, monkeypatch, capfd):
    """Run a gate in a folder with the runs: its exit code, its verdict, and standard error."""
    lines = [f"{q} 0 {d} {grade}\n" for q, docs in QRELS.items() for d, grade in docs.items()]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    for name, run in RUNS.items():
        lines = [f"{q} Q0 {d} {i} {-i} x\n" for q, docs in run.items() for i, d in enumerate(docs)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["rankreport", "gate", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        path = Path("verdict.json")
        verdict = read(path.read_text("utf-8")) if path.exists() else None
        return ended.value.code or 0, verdict, capfd.readouterr().err

    return run


TO_FILE = ("--verdict", "verdict.json")


@pytest.mark.parametrize(
    ("runs", "requirement", "ended", "delta"),
    [
        (("half.run", "all.run"), "RR > 0", ("pass", 0), 0.25),
        (("all.run", "half.run"), "RR > -0.1", ("fail", 1), -0.25),
        (("half.run", "all.run"), "RR > 0.2", ("inconclusive", 3), 0.25),
    ],
)
def test_the_command_writes_what_its_exit_code_says(command, runs, requirement, ended, delta):
    outcome, exit_code = ended
    given = ("qrels.txt", *runs, "--require", requirement, "-o", "gate.md", *TO_FILE)
    code, verdict, _ = command(*given)
    assert (code, verdict["exit_code"], verdict["outcome"]) == (exit_code, exit_code, outcome)
    for part in ("deciding", "primary"):
        assert (verdict[part]["delta"], verdict[part]["n_queries"]) == (delta, 40)
        assert verdict[part]["ci_low"] < delta < verdict[part]["ci_high"]
    assert verdict["deciding"]["outcome"] == outcome
    assert verdict["deciding"]["confidence"] == (0.9 if "-" in requirement else 0.95)
    assert verdict["primary"]["confidence"] == 0.95
    assert verdict["outputs"] == ["gate.md"]
    assert shlex.split(verdict["command"]) == ["rankreport", "gate", *given]
    made = rr.gate(rr.compare("qrels.txt", list(runs), ["RR"]), requirement)
    assert verdict["action"]["text"] == made.action
    assert verdict["action"]["code"] == json.loads(made.to_json())["decision"]["action"]
    assert verdict["reason"].startswith(made.headline)
    assert made.findings[0].reason in verdict["reason"]


def test_the_command_in_the_verdict_gives_the_same_verdict(command):
    first = command("qrels.txt", "half.run", "all.run", "--require", "RR > 0", *TO_FILE)
    again = shlex.split(first[1]["command"])
    assert command(*again[2:]) == first


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("qrels.txt", "half.run", "nowhere.run", "--require", "RR > 0"), "nowhere.run"),
        (("qrels.txt", "half.run", "--require", "RR > 0"), "Missing argument 'CANDIDATE'"),
        (("qrels.txt", "half.run", "all.run"), "Missing option '--require'"),
        (("qrels.txt", "half.run", "all.run", "--requires", "RR > 0"), "--requires"),
        (("qrels.txt", "half.run", "all.run", "--require", "RR"), "'RR' is not a requirement"),
        (("qrels.txt", "half.run", "all.run", "--require", "RR > 0", "-o", "x.md/y.md"), "x.md"),
    ],
)
def test_an_error_is_a_verdict_with_its_message(command, given, said):
    code, verdict, printed = command(*given, *TO_FILE)
    assert (code, verdict["exit_code"], verdict["outcome"]) == (2, 2, "error")
    assert said in verdict["reason"]
    assert verdict["reason"] in printed.replace("\n", " ")
    assert (verdict["action"], verdict["deciding"], verdict["primary"]) == (None, None, None)
    before = Path("verdict.json").read_text("utf-8")
    assert command(*given, "--verdict=verdict.json")[0] == 2
    assert Path("verdict.json").read_text("utf-8") != before  # the command of a verdict is its own


def test_an_unexpected_error_is_a_verdict_too(command, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("nothing to divide by")

    monkeypatch.setattr(rr, "gate", broken)
    code, verdict, _ = command("qrels.txt", "half.run", "all.run", "--require", "RR > 0", *TO_FILE)
    assert (code, verdict["exit_code"], verdict["outcome"]) == (70, 70, "error")
    assert "nothing to divide by" in verdict["reason"]


def test_a_verdict_has_no_secrets(command):
    run = "https://me:Kanarienvogel7@127.0.0.1:1/a.run?token=Kanarienvogel7"
    code, verdict, _ = command("qrels.txt", "half.run", run, "--require", "RR > 0", *TO_FILE)
    assert code == 2
    assert "https://127.0.0.1:1/a.run" in verdict["command"]
    assert "Kanarienvogel7" not in json.dumps(verdict)


@pytest.mark.parametrize("held", ["[1]", "{}", '{"q1": {"d1": 1}}', "q1 0 d1 1\n", "[" * 3_000])
def test_an_error_replaces_nothing_but_a_verdict(command, held):
    Path("kept.json").write_text(held)
    code, _, printed = command("kept.json", "a.run", "b.run", "--oops", "--verdict", "kept.json")
    assert (code, Path("kept.json").read_text()) == (2, held)
    assert "kept.json holds no verdict, and is left as it is." in printed


def test_what_follows_the_options_is_no_verdict(command):
    code, verdict, _ = command("--oops", "--", "--verdict=verdict.json", "--verdict", "x.json")
    assert (code, verdict, Path("x.json").exists()) == (2, None, False)


def test_an_error_replaces_an_empty_file_and_an_earlier_verdict(command):
    given = ("qrels.txt", "half.run", "all.run", "--require", "RR > 0", *TO_FILE)
    Path("verdict.json").touch()
    assert command(*given, "--oops")[1]["outcome"] == "error"
    assert command(*given)[1]["outcome"] == "pass"
    assert command(*given, "--oops")[1]["outcome"] == "error"


def test_no_verdict_replaces_an_input_or_another_output(command):
    Path("qrels.json").write_text(json.dumps(QRELS))
    runs = ("half.run", "all.run", "--require", "RR > 0")
    assert command("qrels.json", *runs, "--verdict", "qrels.json")[0] == 2
    assert json.loads(Path("qrels.json").read_text()) == QRELS
    code, _, printed = command("qrels.txt", *runs, "-o", "x.json", "--verdict", "x.json")
    assert (code, "--verdict and -o both write x.json" in printed) == (2, True)
    code, _, printed = command("qrels.txt", *runs, "--verdict", "x.md")
    assert (code, "'.md' is not one of '.json'" in printed) == (2, True)
    assert not Path("x.md").exists()


def gated(*names, requirements=("RR > 0.2", "RR > -0.2"), **options):
    """Return a gate of systems of these names; the first is the baseline and the last the worst."""
    runs = dict.fromkeys(names, RUNS["half"])
    runs[names[-1]] = dict.fromkeys(QUERIES, WRONG)
    return rr.gate(rr.compare(rr.evaluate(QRELS, runs, ["RR"])), requirements, **options)


def test_the_worst_comes_first_and_decides():
    made = gated("old", "same", "other", "fallen", requirements=("RR > -0.2", "RR > 0.2"))
    outcomes = [each["outcome"] for each in made.build_verdict.requirements]
    assert outcomes == sorted(outcomes, key=["fail", "inconclusive", "pass"].index)
    held = read(made.build_verdict.to_json())
    assert (held["deciding"]["system"], held["deciding"]["outcome"]) == ("fallen", "fail")
    assert [each["outcome"] for each in held["others"]] == outcomes[1:]
    assert held["counts"]["requirements"] == {
        outcome: outcomes.count(outcome) for outcome in ("pass", "inconclusive", "fail")
    }
    assert "fallen against old: fails" in held["reason"]


@pytest.mark.parametrize("grows", [1, 300])
def test_a_verdict_is_small_whatever_the_names_and_their_number(grows):
    names = [f"{i} {text}" * grows for i, text in enumerate(HOSTILE) if "://" not in text]
    made = gated(*names).build_verdict
    assert len(made.requirements) == 2 * (len(names) - 1)
    long = [
        Caution(f"c{i}", severity, '\x00\U0001f600"\\' * 999)
        for i in range(50)
        for severity in SEVERITIES
    ]
    outputs = tuple(f"{'x' * i}.md" for i in range(0, 3_000, 100))
    whole = replace(made, cautions=tuple(long), outputs=outputs, command="rankreport " + "y" * 500)
    held = read(whole.to_json())
    assert held["command"] == whole.command
    assert held["counts"]["cautions"] == dict.fromkeys(SEVERITIES, 50)
    assert held["counts"]["outputs"] == len(outputs)
    assert sum(held["counts"]["requirements"].values()) == len(made.requirements)
    assert held["deciding"]["outcome"] == made.deciding["outcome"]
    assert set(held["outputs"]) < set(outputs)
    assert read(replace(whole, command="rankreport " + "y" * 5_000).to_json())["command"] is None
    assert json.loads(made.to_json()) == read(made.to_json())


def test_a_verdict_of_the_widest_characters_is_small():
    wide = "\U0001f600" * 5_000
    found = gated("old", "new").build_verdict
    row = {name: wide if isinstance(each, str) else -1 / 3 for name, each in found.deciding.items()}
    row |= {"n_queries": 10**9, "n_changed": 10**9, "judged_by": "people", "group": wide}
    row |= {"kind": "non-inferiority", "outcome": "inconclusive", "group": wide}
    made = BuildVerdict(
        "inconclusive",
        3,
        wide,
        {"code": "equivalent_but_fails", "text": wide},
        (row,) * 1_000,
        {**found.primary, "system": wide, "baseline": wide, "measure": wide},
        (Caution(wide, "stop", wide),) * 1_000,
        "",
        (wide,) * 1_000,
    )
    held = read(made.to_json())
    assert (len(held["others"]), len(held["cautions"]), held["outputs"]) == (1, 1, [])
    assert held["counts"]["requirements"] == {"pass": 0, "inconclusive": 1_000, "fail": 0}


def test_the_worst_group_decides():
    kinds = pl.DataFrame(
        {"query_id": QUERIES, "kind": ["odd" if i % 2 else "even" for i in range(40)]}
    )
    comparison = rr.compare(EVALUATION, baseline="all", queries=kinds)
    made = rr.gate(comparison, ["RR > -0.2", "RR > -0.2 in every kind"])
    held = read(made.build_verdict.to_json())
    # "half" is right on odd queries, and has a reciprocal rank of 1/2 on even ones.
    assert (held["deciding"]["group"], held["deciding"]["delta"]) == ("even", -0.5)
    assert "even: it changed by -0.500" in held["reason"]
    assert held["counts"]["requirements"]["fail"] >= 1
    assert all(
        each["group"] is None for each in held["others"] if "kind" not in each["requirement"]
    )


def test_all_is_listed_where_there_is_room():
    made = gated("old", "new").build_verdict
    held = read(made.to_json())
    assert [held["deciding"], *held["others"]] == json.loads(json.dumps(made.requirements))
    assert [each["code"] for each in held["cautions"]] == [each.code for each in made.cautions]
    assert (held["command"], held["outputs"]) == (None, [])


def test_what_is_inconclusive_and_counts_as_a_pass_says_both():
    comparison = rr.compare(EVALUATION, baseline="half")
    held = read(rr.gate(comparison, "RR > 0.22", inconclusive="pass").build_verdict.to_json())
    assert (held["outcome"], held["exit_code"]) == ("inconclusive", 0)
    assert held["reason"].startswith("The gate is inconclusive, which counts as a pass")


def test_unbounded_ends_are_valid():
    read(replace(gated("old", "new").build_verdict, primary=None).to_json())
    rows = ({**gated("old", "new").build_verdict.deciding, "ci_low": float("-inf")},)
    held = read(BuildVerdict("fail", 1, "x", requirements=rows).to_json())
    assert held["deciding"]["ci_low"] == "-inf"


# assert_ranking


def test_a_ranking_that_meets_the_requirements_passes():
    made = assert_ranking(EVALUATION, ["RR > -0.01", "RR > 0"])
    assert made.outcome == "pass"
    assert assert_ranking(rr.compare(EVALUATION), "RR > 0").findings == made.findings[1::2]


def test_one_that_does_not_fails_with_the_sentence_of_the_gate():
    comparison = rr.compare(EVALUATION, baseline="all")
    made = rr.gate(comparison, "RR > -0.01")
    with pytest.raises(AssertionError) as failed:
        assert_ranking(comparison, "RR > -0.01")
    assert str(failed.value) == f"{made.build_verdict.reason} {made.action}"
    assert str(failed.value).startswith("The gate fails")
    assert "half against all: fails: RR may fall by at most 0.01" in str(failed.value)


def test_an_inconclusive_ranking_fails_unless_it_may_pass():
    with pytest.raises(AssertionError, match="inconclusive, which counts as a fail"):
        assert_ranking(EVALUATION, "RR > 0.2")
    assert assert_ranking(EVALUATION, "RR > 0.2", inconclusive="pass").outcome == "inconclusive"
    assert assert_ranking(EVALUATION, "RR > 0.19", scope="these").outcome == "pass"


def test_a_mistake_is_no_failed_assertion():
    with pytest.raises(rr.OptionError, match="not a requirement"):
        assert_ranking(EVALUATION, "RR")
    with pytest.raises(rr.RankReportError):
        assert_ranking(rr.evaluate(QRELS, {"half": RUNS["half"]}, ["RR"]), "RR > 0")
