"""What commands store, and the commands that list and prune it."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

import rankreport as rr
from rankreport.cli.app import app

RUN = "".join(f"q{n} Q0 d{n} 1 2.5 t\nq{n} Q0 e{n} 2 1.5 t\n" for n in range(8))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("".join(f"q{n} 0 d{n} 1\n" for n in range(8)))
    (tmp_path / "old.run").write_text(RUN)
    (tmp_path / "new.run").write_text(RUN.replace("2.5", "0.5"))
    return tmp_path


def ran(line, code=0):
    ended = CliRunner().invoke(app, line.split())
    assert ended.exit_code == code, ended.output
    return ended


COMMANDS = {
    "evaluate qrels.txt old.run": (None, None),
    "compare qrels.txt old.run new.run": ("check first", None),
    "gate qrels.txt old.run new.run --require nDCG@10>-0.02": ("check first", "inconclusive"),
    "report qrels.txt old.run new.run --require nDCG@10>-0.02": ("check first", "inconclusive"),
    "report qrels.txt old.run": (None, None),
}


@pytest.mark.parametrize("line", COMMANDS)
@pytest.mark.usefixtures("folder")
def test_a_command_stores_its_result(line):
    ended = ran(f"{line} --store kept --note first", code=3 if line.startswith("gate") else 0)
    assert "Wrote kept/000001" in ended.stderr.splitlines()
    entry = rr.History("kept").load("first")
    assert entry.systems == (("old", "new") if "new.run" in line else ("old",))
    word, outcome = COMMANDS[line]
    assert (entry.decision is None) == (word is None)
    assert (entry.outcome, entry.runs) == (outcome, {})


@pytest.mark.usefixtures("folder")
def test_runs_are_kept_where_that_is_asked_for():
    ran("evaluate qrels.txt old.run --store kept --keep-runs")
    assert rr.History("kept").load().runs["old"].rows()[0] == ("q0", "d0", 2.5, 1)
    assert rr.History("kept").load().runs["old"].columns == ["query_id", "doc_id", "score", "rank"]


@pytest.mark.parametrize("option", ["--note first", "--keep-runs"])
@pytest.mark.usefixtures("folder")
def test_what_goes_with_a_folder_needs_one(option):
    with pytest.raises(rr.OptionError, match="go with --store FOLDER"):
        CliRunner().invoke(
            app, f"evaluate nowhere old.run {option}".split(), catch_exceptions=False
        )


def test_a_folder_that_cannot_be_written_is_said_before_anything_is_read(folder):
    (folder / "kept").write_text("")
    with pytest.raises(rr.OutputError, match="kept"):
        CliRunner().invoke(
            app, ["evaluate", "nowhere", "old.run", "--store", "kept"], catch_exceptions=False
        )


def test_nothing_is_stored_where_an_output_fails(folder):
    (folder / "inputs").mkdir()
    ran("evaluate qrels.txt old.run --store kept")
    with pytest.raises(rr.OutputError):
        CliRunner().invoke(
            app,
            ["evaluate", "qrels.txt", "old.run", "--store", "kept", "-o", "nowhere/scores.csv"],
            catch_exceptions=False,
        )
    assert len(rr.History("kept").list()) == 1


def git(*words):
    author = {
        f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    ended = subprocess.run(
        ["git", *words], check=True, capture_output=True, text=True, env={**os.environ, **author}
    )
    return ended.stdout.strip()


def test_the_commit_of_the_work_tree_is_stored(folder):
    line = "evaluate qrels.txt old.run --store kept"
    ran(line)
    git("init", "-q")
    ran(line)
    git("add", "qrels.txt", "old.run")
    git("commit", "-qm", "one")
    ran(line)  # the folder itself is not in the tree, and changes nothing
    (folder / "old.run").write_text(RUN)
    ran(line)
    (folder / "old.run").write_text(RUN.replace("2.5", "2.75"))
    ran(line)
    head = git("rev-parse", "HEAD")
    git("tag", "v1")
    ran(line)
    assert rr.History("kept").list()["commit"].to_list() == [
        *(None, None, head, head),
        *(f"{head}-dirty", f"{head}-dirty"),
    ]


@pytest.mark.usefixtures("folder")
def test_what_is_stored_is_listed_shown_and_pruned():
    for name in ("one", "two", "three"):
        ran(f"evaluate qrels.txt {name}=old.run --store history --note {name}")
    listed = ran("history list").stdout
    assert [line.split()[0] for line in listed.splitlines()[2:]] == ["1", "2", "3"]
    shown = ran("history show two").stdout
    assert [word for word in ("two", "measures", "queries=judged") if word not in shown] == []
    assert ran("history show").stdout != shown
    assert ran("history prune --keep 2").stdout == "Removed entries: 1.\n"
    assert ran("history prune --keep 2").stdout == "Removed entries: none.\n"
    assert rr.History("history").list()["number"].to_list() == [2, 3]


@pytest.mark.usefixtures("folder")
def test_what_was_said_of_a_system_hides_nothing():
    about = {"corpus": "v7", "commit": "of the index"}
    made = rr.evaluate("qrels.txt", "old.run")
    rr.History("history").add(made, commit="2e8d1f0", about=about)
    shown = [line.split(maxsplit=1) for line in ran("history show").stdout.splitlines()]
    for pair in (["commit", "2e8d1f0"], ["commit", "of the index"], ["corpus", "v7"]):
        assert pair in shown


def test_nothing_stored_is_said_and_no_folder_is_made(folder):
    assert ran("history list").stdout == "history is empty.\n"
    assert ran("history prune --keep 1").stdout == "Removed entries: none.\n"
    assert not (folder / "history").exists()


@pytest.mark.usefixtures("folder")
def test_a_page_is_written_of_what_is_stored():
    for run in ("old", "new"):
        ran(f"evaluate qrels.txt nightly={run}.run -m RR --store kept --note {run}")
    ended = ran("history page --store kept -o page.html -o page.json --date 2026-02-01")
    assert "Wrote page.html" in ended.stderr
    assert rr.load_report("page.json").to_polars()["delta"].to_list() == [0.0, -0.5]
    ran("history page --store kept --baseline new -o page.json --language zh")
    assert rr.load_report("page.json").to_polars()["delta"].to_list() == [0.5, 0.0]
    refused = ran("history page --store kept -m AP -o page.md", code=1).exception
    assert "measure='AP' is not one of 'RR'" in str(refused)


@pytest.mark.usefixtures("folder")
def test_a_stored_baseline_is_compared_and_the_new_result_stored_after_it():
    ran("evaluate qrels.txt mine=old.run --store kept -m RR")
    line = "gate qrels.txt mine=new.run --baseline history:latest --require RR>-0.1 --store kept"
    gate = ran(line, 3)
    assert "mine against mine 20" in gate.stdout
    assert "it changed by -0.500" in gate.stdout
    assert "is entry 1 of the history" in gate.stdout
    kept = rr.History("kept")
    assert kept.load().systems == ("mine",)  # what is new alone
    assert kept.load().means == {"mine": 0.5}
    assert kept.load().known["judgments"] == kept.load(1).known["judgments"]
    compared = ran("compare qrels.txt mine=old.run --baseline history:mine --store kept -m RR")
    assert "+0.500" in compared.stdout
    assert "is entry 2 of the history" in compared.stdout
    assert kept.load().number == 3


@pytest.mark.usefixtures("folder")
def test_a_report_on_one_run_and_a_stored_baseline():
    ran("evaluate qrels.txt old.run --store history --keep-runs -m RR")
    ran("report qrels.txt new.run --baseline history:latest -m RR -o page.html -o page.json")
    assert "entry 1 of the history" in Path("page.html").read_text(encoding="utf-8")
    assert "its run was evaluated again" in Path("page.json").read_text(encoding="utf-8")
    assert len([*rr.History("history").entries()]) == 1  # nothing is stored without --store
    for name in ("one", "two"):
        line = "report qrels.txt new.run --baseline history:latest -m RR --date 2099-01-02"
        ran(f"{line} -o {name}.md")
    assert Path("one.md").read_bytes() == Path("two.md").read_bytes()
    entry = rr.History("history").load()
    days = (dt.date(2099, 1, 2) - entry.date.date()).days
    assert f"({days:,} days" in Path("one.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("folder")
def test_declared_candidates_share_the_error():
    ran("evaluate qrels.txt old.run --store history -m RR")
    line = "compare qrels.txt new.run --baseline history:latest -m RR --declared 5"
    assert "99 % interval" in ran(line).stdout
    assert "shared by 5 declared tests" in ran(line).stdout


REFUSED = {
    "compare qrels.txt new.run --baseline history:latest -m AP": "measures differ: AP not stored",
    "compare other.txt new.run --baseline history:latest -m RR": "judgments differ: 1 of 8 pairs",
    "compare qrels.txt new.run --baseline history:2020-01-01": "no entry '2020-01-01'",
    "compare qrels.txt new.run --baseline history:latest --store none": "holds no stored",
    "compare qrels.txt new.run --baseline history:latest --baseline history:1": "one baseline",
    "compare qrels.txt old.run new.run --allow judgments": "go with --baseline history:latest",
    "compare qrels.txt new.run --baseline history:latest -m RR --human qrels.txt": "needs a run",
    "compare qrels.txt new.run --baseline history:latest -m RR --declared 0": "declared=0",
    "gate qrels.txt new.run --baseline latest --require RR>-0.1": "no stored baseline",
    "report qrels.txt new.run --declared 3": "go with --baseline history:latest",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_no_baseline_is_refused(line, folder):
    ran("evaluate qrels.txt old.run --store history -m RR")
    changed = (folder / "qrels.txt").read_text().replace("q7 0 d7 1", "q7 0 d7 2")
    (folder / "other.txt").write_text(changed)
    ended = CliRunner().invoke(app, line.split())
    assert isinstance(ended.exception, rr.RankReportError)
    assert REFUSED[line] in str(ended.exception)
    assert len([*rr.History("history").entries()]) == 1


@pytest.mark.usefixtures("folder")
def test_every_output_says_what_changed_since_the_last_one():
    ran("evaluate qrels.txt new=old.run -m RR --store kept")
    line = "qrels.txt old.run new.run -m RR --store kept"
    said = "Since the last stored result of new (entry 1 of "
    assert said in ran(f"compare {line}").stdout
    ended = ran(f"report {line} -o page.html -o page.md -o page.json")
    for text in (ended.stdout, Path("page.html").read_text(), Path("page.md").read_text()):
        assert said.replace("entry 1", "entry 2") in text
    assert rr.load_report("page.json").to_markdown() == Path("page.md").read_text()
    assert said not in ran("compare qrels.txt old.run new.run -m RR").stdout
