"""Systems that ran several times, from files to page, notebook and JSON by the command line."""

import html
import json
import re

import nbformat
import numpy as np
import pytest
from typer.testing import CliRunner

import rankreport as rr
from rankreport.cli.app import app
from rankreport.comparison import Method, contrasts_of
from rankreport.reports.page import Drilldown
from rankreport.reports.sections.drilldown import of_first_runs
from rankreport.reports.sections.means import means_in_words

QUERIES = [f"q{i:02}" for i in range(30)]


def write_run(path, seed, share):
    rng = np.random.default_rng(seed)
    lines = []
    for query in QUERIES:
        listed = ["a", "b", "c"] if rng.random() < share else ["b", "a", "c"]
        lines += [f"{query} Q0 {doc} {at} {9 - at} x" for at, doc in enumerate(listed, 1)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    grades = [f"{query} 0 {doc} {int(doc == 'a')}" for query in QUERIES for doc in "abc"]
    (tmp_path / "qrels.txt").write_text("\n".join(grades) + "\n", encoding="utf-8")
    for seed, name in enumerate(("old1", "old2", "new1", "new2", "new3")):
        write_run(tmp_path / f"{name}.run", seed, 0.3 if name < "o" else 0.7)
    return tmp_path


def run(*words):
    found = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert found.exit_code == 0, found.output


def cells_of(page, caption):
    table = page[page.index(f">{caption}") :]
    rows = table[: table.index("</table>")].split("<tr>")[2:]
    return [re.findall(r"<td>([^<]*)", row) for row in rows]


@pytest.mark.slow
def test_a_report_of_repeated_runs(folder):
    names = ["old=old1.run", "new=new1.run", "old=old2.run", "new=new2.run", "new=new3.run"]
    outputs = [word for suffix in ("html", "ipynb", "json") for word in ("-o", f"r.{suffix}")]
    run("report", "qrels.txt", *names, "-m", "RR", *outputs)
    page, held = (folder / "r.html").read_text(), json.loads((folder / "r.json").read_text())
    runs = {"old": ["old1.run", "old2.run"], "new": ["new1.run", "new2.run", "new3.run"]}
    made = rr.compare("qrels.txt", runs, measures="RR")

    between = made.between_runs()
    shown = cells_of(page, "Means of runs on RR")
    for row, cells in zip(between.drop("measure").rows(), shown, strict=True):
        assert cells == [row[0], str(row[1]), *(f"{number:.4f}" for number in row[2:])]
    assert [part["deviation"] for part in held["between_runs"]] == [
        [pytest.approx(number)] for number in between["deviation"]
    ]
    flips = made.flips()
    assert f"{len(flips)} of 30 queries flip" in page
    assert held["flips"][0]["query_id"] == flips["query_id"].to_list()
    assert held["comparison"][0]["ci_low"] == pytest.approx(made.table()["ci_low"][0])
    assert "30 queries, 3 runs of new, 2 of old" in page
    assert Method(made).of_runs in html.unescape(page).replace("\xa0", " ")
    assert held["runs_share"][0]["share"] == contrasts_of(made).runs.share(
        contrasts_of(made).sample
    )
    assert "those of its first run" in page
    assert len([role for role in held["provenance"] if role.startswith("run ")]) == 5

    source = "\n".join(cell.source for cell in nbformat.read("r.ipynb", 4).cells)
    # The notebook reads the scores of every run, or evaluates the runs again.
    assert f"RUNS = {runs}" in source
    loaded = rr.load_evaluation("r.scores.parquet")
    assert loaded.repeats().equals(made.evaluation.repeats())


@pytest.mark.slow
def test_a_report_with_a_noise_floor(folder):
    run(
        *("report", "qrels.txt", "old1.run", "new1.run", "--null", "old2.run", "-m", "RR"),
        *("-o", "r.html"),
    )
    page = (folder / "r.html").read_text()
    [cells] = cells_of(page, "Means of runs on RR")
    assert cells[:2] == ["old1", "2"]
    assert "queries flip" not in page
    assert "these two runs" in page


def test_first_runs_explain_no_mean_over_runs():
    # Each query is lost by the mean; in the first runs it is won, by a list of one that is judged.
    qrels = {query: {"a": 1, "b": 0} for query in QUERIES}
    first, last = (dict.fromkeys(QUERIES, docs) for docs in (["a", "b", "u"], ["u", "b"]))
    runs = {"old": [last, first, first], "new": [first, last, last], "one": last}
    comparison = rr.compare(qrels, runs, measures="RR@2")
    page = rr.report(comparison)._shown.page
    shown = [part for section in page.sections for part in section.parts]
    [reader] = (part for part in shown if isinstance(part, Drilldown) and part.system == "new")
    changes = [change for side in reader.sides for change in side.changes]

    assert [query.why for query in page.screen.queries] == ["", ""]
    assert page.screen.listed == "Worst query of each"
    assert {(change.brief, *change.scores) for change in changes} == {
        ("means over runs", "0.6667", "0.3333")
    }
    assert reader.notes[0] == of_first_runs()
    assert comparison.reasons()["reason"].unique().to_list() == [None]
    assert comparison.documents_behind_losses().is_empty()
    lost = comparison.losses().frame
    assert lost["unjudged_system"].unique().sort().to_list() == [None, 1]
    # Lists of one run each are still explained.
    alone = rr.compare(qrels, {"old": first, "one": last, "two": [first, last]}, measures="RR@2")
    assert set(alone.reasons(system="one")["reason"]) == {"not retrieved"}
    screen = rr.report(alone)._summary.page.screen
    assert {(query.system, bool(query.why)) for query in screen.queries} == {
        ("one", True),
        ("two", False),
    }


def test_first_runs_explain_no_mean_of_a_system_alone():
    qrels = {query: {"a": 1, "b": 0} for query in QUERIES}
    first = {query: ["a", "b"] if at % 2 else ["b", "a"] for at, query in enumerate(QUERIES)}
    made = rr.evaluate(qrels, {"one": [first, {query: ["b", "a"] for query in QUERIES}]}, "RR@2")
    page = rr.report(made)._shown.page
    assert [query.why for query in page.screen.queries] == ["", "", ""]
    assert of_first_runs() in [words for section in page.sections for words in section.paragraphs]


def test_one_statement_says_how_intervals_were_made():
    rng = np.random.default_rng(0)
    qrels = {query: {"a": 1} for query in QUERIES}
    first, second, other = (
        {query: ["a", "b"] if rng.random() < 0.6 else ["b", "a"] for query in QUERIES}
        for _ in range(3)
    )
    made = rr.evaluate(qrels, {"old": other, "new": [first, second]}, "RR")
    comparison, added = rr.compare(made), ", with the variance between runs"
    words, caption = Method(comparison).words, comparison.to_latex()
    assert words.startswith(f"Intervals: wider of the t and BCa intervals at each end{added}")
    assert "Student's t" not in words
    assert f"at each end{added}) excludes 0" in caption
    [of_means, *_] = means_in_words(made)
    assert f"at each end{added}, from" in of_means
    alone = rr.compare(qrels, {"old": other, "new": first}, measures="RR")
    assert added not in Method(alone).words + alone.to_latex()


def test_documents_to_judge_are_not_said_to_be_listed_where_they_are_not():
    """Of several runs, no order of documents to judge is known."""
    qrels = {f"q{i}": {"a": 1, "b": 0, "c": 0} for i in range(40)}
    old = [
        {q: ["b", "a", "c"] for q in qrels},
        {q: ["a", "b", "c"] if at % 2 else ["b", "a", "c"] for at, q in enumerate(qrels)},
    ]
    new = [
        {q: ["x", "y", "a"] if at % 3 else ["a", "x", "y"] for at, q in enumerate(qrels)},
        {q: ["x", "a", "y"] if at % 5 else ["a", "y", "x"] for at, q in enumerate(qrels)},
    ]
    notes = {}
    for n in (1, 2):
        runs = {"old": old[:n], "new": new[:n]} if n > 1 else {"old": old[0], "new": new[0]}
        compared = rr.compare(qrels, runs, measures="RR@10", resamples=200)
        report = rr.report(compared)
        notes[n] = (
            report._summary.page.screen.notes[-1],
            "judge_next" in json.loads(report.to_json()),
        )
    assert notes == {
        1: ("Judging 80 documents may settle it; the first are listed under Data.", True),
        2: ("Judging 80 documents may settle it.", False),
    }
