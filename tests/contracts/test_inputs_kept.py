"""No output replaces a file that was read, by whatever name: nothing is written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from commands import COMMANDS

import rankreport as rr
from rankreport.cli import main
from rankreport.reports import FORMATS

SUFFIXES = {
    "check": ".json",
    "evaluate": ".csv",
    "compare": ".parquet",
    "report": ".md",
    "gate": ".xml",
    "plan": ".svg",
    "rankings": ".html",
}
POSITIONAL = {"check": 2, "evaluate": 2, "compare": 3, "gate": 3, "plan": 3, "report": 3}
NO_FILES = {"NAME", "TEXT", "CODE", "COLOUR", "MEASURE", "SIZE", "COLUMN", "RULE", "TOOL", "FROM"}
NO_FILES |= {"KIND", "WHAT", "SHARE", "LEVEL", "X", "N", "HOW", "K", "P", "DATE", "FORMAT", "NAMES"}
NO_FILES |= {"REQUIREMENT", "OUTCOME", "SCOPE", "LOSS", "D", "LOW HIGH", "[NAME]", None}
NO_FILES |= {"FOLDER", "DIMENSION", "history:NAME"}
OUTPUTS = {"output", "verdict"}

QRELS = "".join(f"q{i} 0 d1 1\nq{i} 0 d2 0\n" for i in range(12))
OLD = "".join(
    f"q{i} Q0 d{1 + (i % 2)} 1 2.0 a\nq{i} Q0 d{2 - (i % 2)} 2 1.0 a\n" for i in range(12)
)
NEW = "".join(f"q{i} Q0 d1 1 2.0 b\nq{i} Q0 d3 2 1.0 b\n" for i in range(12))


def options_of(command):
    return [each for each in COMMANDS[command].params if each.name not in OUTPUTS]


def takes_files(parameter):
    return parameter.metavar not in NO_FILES


FILES = [(name, each) for name in SUFFIXES for each in options_of(name) if takes_files(each)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"qrels.txt": QRELS, "old.run": OLD, "new.run": NEW}.items():
        Path(name).write_text(text, encoding="utf-8")
    return tmp_path


def state(folder):
    """What stands in a folder: every file with its bytes and its time."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@pytest.fixture
def refused(folder, monkeypatch, capfd):
    """Run a command in this process, which ends with exit code 2 and writes nothing."""

    def run(*arguments):
        before = state(folder)
        monkeypatch.setattr(sys, "argv", ["rankreport", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        assert (ended.value.code, out) == (2, ""), err
        assert state(folder) == before
        return err

    return run


def line_of(command, parameter, given):
    """A command line on which one argument or option is given this file."""
    positional = [each for each in options_of(command) if each.param_type_name == "argument"]
    line = [given if each.name == parameter.name else "qrels.txt" for each in positional]
    option = [] if parameter in positional else [parameter.opts[0], given]
    required = ["--require", "AP > 0"] if command == "gate" else []
    return [command, *line, *option, *required]


def test_all_commands_with_outputs_are_in_the_table():
    outputs = {
        name for name, each in COMMANDS.items() if any(p.name == "output" for p in each.params)
    }
    assert outputs == {*SUFFIXES, "demo"}
    assert {each.metavar for _, each in FILES} <= {
        *("QRELS", "RUN", "BASELINE", "CANDIDATE", "OTHER", "FILE", "DIR", "[NAME=]HOW")
    }


@pytest.mark.parametrize(
    ("command", "parameter"), FILES, ids=[f"{name} {each.opts[-1]}" for name, each in FILES]
)
def test_no_output_of_a_command_replaces_an_input(command, parameter, folder, refused):
    if parameter.metavar == "DIR":
        (folder / "data").mkdir()
        given, output = "data", f"data/new{SUFFIXES[command]}"
        expected = "would be a file of data"
    else:
        given = output = f"data{SUFFIXES[command]}"
        Path(given).write_text("not read yet", encoding="utf-8")
        expected = "is an input, and would be replaced"
    assert expected in refused(*line_of(command, parameter, given), "-o", output)


def plain(path):
    return path.name


def absolute(path):
    return str(path)


def roundabout(path):
    return f"../{path.parent.name}/./{path.name}"


def by_a_link(path):
    (path.parent / "link.csv").symlink_to(path.name)
    return "link.csv"


def by_a_chain(path):
    by_a_link(path)
    (path.parent / "chain.csv").symlink_to("link.csv")
    return "chain.csv"


def by_a_second_name(path):
    (path.parent / "second.csv").hardlink_to(path)
    return "second.csv"


def in_a_linked_folder(path):
    (path.parent / "folder").symlink_to(path.parent)
    return f"folder/{path.name}"


WAYS = [plain, absolute, roundabout, by_a_link, by_a_chain, by_a_second_name, in_a_linked_folder]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("named", ["{}", "mine={}", "*{}"])
def test_a_file_is_known_by_all_its_names(way, named, folder, refused):
    (folder / "data.csv").write_text(OLD, encoding="utf-8")
    other = way(folder / "data.csv")
    run = named.format("data.csv")
    assert "is an input" in refused("evaluate", "qrels.txt", run, "-o", other)
    if named != "*{}":
        run = named.format(other)
        assert "is an input" in refused("evaluate", "qrels.txt", run, "-o", "data.csv")


@pytest.mark.parametrize(
    ("suffix", "ending"), [(s, each) for s, form in FORMATS.items() for each in form.beside]
)
def test_what_is_written_with_a_report_replaces_no_input(suffix, ending, folder, refused):
    (folder / f"report{ending}").write_text(OLD, encoding="utf-8")
    line = ["report", "qrels.txt", "old.run", "new.run", "-o", f"report{suffix}"]
    told = f"report{ending}, written with report{suffix}, is an input"
    assert told in refused(*line, "--queries", f"report{ending}")
    assert told in refused(*line, f"third=report{ending}")


def test_what_is_not_written_is_no_output(folder, refused):
    (folder / "report.scores.parquet").write_text(OLD, encoding="utf-8")
    line = ["report", "missing.txt", "report.scores.parquet", "-o", "report.ipynb"]
    assert "is an input" in refused(*line)
    assert "missing.txt does not exist" in refused(*line, "--data-inside")


def test_standard_input_is_a_file_too(folder):
    (folder / "data.csv").write_text(QRELS, encoding="utf-8")
    with Path("data.csv").open("rb") as given:
        ended = subprocess.run(
            [sys.executable, "-m", "rankreport", "evaluate", "-", "old.run", "-o", "data.csv"],
            stdin=given,
            capture_output=True,
            text=True,
            check=False,
        )
    assert ended.returncode == 2
    assert "data.csv is an input (standard input), and would be replaced" in ended.stderr
    assert (folder / "data.csv").read_text(encoding="utf-8") == QRELS


@pytest.fixture
def beir(folder):
    (folder / "beir" / "qrels").mkdir(parents=True)
    rows = "".join(f"{line.split()[0]}\td1\t1\n" for line in QRELS.splitlines()[::2])
    (folder / "beir" / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{rows}")
    lines = "".join(f'{{"_id": "q{i}", "text": "words"}}\n' for i in range(12))
    (folder / "beir" / "queries.jsonl").write_text(lines, encoding="utf-8")
    (folder / "beir" / "corpus.jsonl").write_text('{"_id": "d1", "text": "words"}\n')
    return folder / "beir"


def test_of_a_beir_folder_its_files_are_kept(beir, folder, refused):
    for name in ("queries.jsonl", "corpus.jsonl", "qrels/test.tsv"):
        (folder / "out.md").unlink(missing_ok=True)
        (folder / "out.md").symlink_to(beir / name)
        told = refused("report", "beir", "old.run", "new.run", "-o", "out.md")
        assert f"out.md is an input (beir/{name})" in told
    written = rr.report(rr.compare("beir", ["old.run", "new.run"])).to_markdown("beir/report.md")
    assert written == (Path("beir/report.md"),)


def test_a_folder_of_parquet_gets_no_other_file(folder, refused):
    (folder / "runs" / "part=1").mkdir(parents=True)
    rows = rr.read_run("old.run").collect()
    rows.write_parquet(folder / "runs" / "part=1" / "0.parquet")
    for output in ("runs/part=1/0.parquet", "runs/part=1/1.parquet", "runs/scores.parquet"):
        told = refused("evaluate", "qrels.txt", "mine=runs", "-o", output)
        assert "runs" in told
    evaluation = rr.evaluate("qrels.txt", {"mine": "runs"})
    with pytest.raises(rr.OutputError, match="would be a file of runs, all files of which"):
        evaluation.write_parquet("runs/scores.parquet")


@pytest.mark.parametrize(
    "existing", ["report.html", "report.ipynb", "scores.parquet", "inputs/bm25.parquet"]
)
@pytest.mark.usefixtures("folder")
def test_the_demo_replaces_nothing_but_a_demo(existing, refused):
    Path(existing).parent.mkdir(exist_ok=True)
    Path(existing).write_text("mine", encoding="utf-8")
    assert f"{existing} exists, and is not of the demo" in refused("demo", "-o", ".")


# --- Python ---------------------------------------------------------------------------------------

RESULTS = {
    "Evaluation": lambda: rr.evaluate("qrels.txt", {"old": "old.run", "new": "new.run"}),
    "Comparison": lambda: rr.compare("qrels.txt", {"old": "old.run", "new": "new.run"}),
    "Report": lambda: rr.report(RESULTS["Comparison"](), date="2026-11-22"),
    "Report of one": lambda: rr.report(RESULTS["Evaluation"](), date="2026-11-22"),
    "Gate": lambda: rr.gate(RESULTS["Comparison"](), "nDCG@10 > -0.1"),
    "Plan": lambda: rr.plan(RESULTS["Comparison"]()),
    "Leaderboard": lambda: rr.leaderboard(RESULTS["Comparison"]()),
    "JudgeNext": lambda: rr.judge_next(rr.compare("qrels.txt", RUNS, measures="P@2")),
    "DataCheck": lambda: rr.check("qrels.txt", {"old": "old.run", "new": "new.run"}),
    "RankingComparison": lambda: rr.compare_rankings("old.run", "new.run"),
    "Report of rankings": lambda: rr.report(RESULTS["RankingComparison"](), date="2026-11-22"),
    "RankingLabels": lambda: rr.qrels_from_ranking("old.run", 1),
    "from labels": lambda: rr.evaluate(RESULTS["RankingLabels"](), {"new": "new.run"}),
    "from judges": lambda: rr.compare(
        runs={"a": "new.run", "b": NESTED},
        judges={"model": "qrels.txt", "human": rr.read_qrels("qrels.txt").collect()},
    ),
}
RUNS = {"old": "old.run", "new": "new.run"}
NESTED = {f"q{i}": {"d2": 2.0, "d1": 1.0} for i in range(12)}
WRITERS = {
    "write_parquet": ".parquet",
    "to_parquet": ".parquet",
    "to_csv": ".csv",
    "to_html": ".html",
    "to_notebook": ".ipynb",
    "to_markdown": ".md",
    "to_latex": ".tex",
    "to_png": ".png",
    "to_json": ".json",
    "to_junit": ".xml",
    "write": ".csv",
}


@pytest.mark.parametrize("made", RESULTS)
def test_no_result_replaces_what_it_was_read_from(made, folder):
    result = RESULTS[made]()
    read = sorted(path.name for path in result.files)
    assert read
    assert {"old.run", "new.run", "qrels.txt"} >= set(read)
    before = state(folder)
    written = [name for name in WRITERS if callable(getattr(result, name, None))]
    written = [name for name in written if (made, name) != ("Report of rankings", "to_notebook")]
    assert written
    for name in written:
        for source in read:
            link = folder / f"link{WRITERS[name]}"
            link.unlink(missing_ok=True)
            link.symlink_to(source)
            with pytest.raises(rr.OutputError, match=f"is an input \\({source}\\)"):
                getattr(result, name)(link)
            link.unlink()
    assert state(folder) == before


def test_runs_as_trec_text_replace_no_input(folder):
    evaluation = rr.evaluate("qrels.txt", {"old": "old.run", "new": "new.run"})
    before = state(folder)
    with pytest.raises(rr.OutputError, match=r"qrels\.txt is an input"):
        evaluation.to_trec(".")
    with pytest.raises(rr.OutputError, match=r"qrels\.txt is an input"):
        evaluation.to_trec(folder)
    assert state(folder) == before
    evaluation.to_trec("copies")


@pytest.mark.usefixtures("folder")
def test_a_loaded_result_does_not_replace_its_own_file():
    evaluation = rr.evaluate("qrels.txt", {"old": "old.run", "new": "new.run"}, ["AP"])
    evaluation.write_parquet("report.scores.parquet")
    evaluation.write_parquet("report.scores.parquet")  # an output is no input of its own
    loaded = rr.load_evaluation("report.scores.parquet")
    with pytest.raises(rr.OutputError, match="is an input"):
        loaded.write_parquet("report.scores.parquet")
    with pytest.raises(rr.OutputError, match=r"written with report\.ipynb, is an input"):
        rr.report(loaded).to_notebook("report.ipynb")
    with pytest.raises(rr.OutputError, match=r"written with report\.ipynb, is an input"):
        rr.report(rr.compare(loaded)).to_notebook("report.ipynb")
    with pytest.raises(rr.OutputError, match="is an input"):
        rr.report(loaded).to_notebook("other.ipynb", data="report.scores.parquet")
    rr.report(loaded, date="2026-11-22").to_json("report.json")
    with pytest.raises(rr.OutputError, match="is an input"):
        rr.load_report("report.json").to_json("report.json")


def test_queries_documents_and_the_theme_are_inputs_of_a_report(folder):
    texts = {f"q{i}": "words" for i in range(12)}
    pl.DataFrame({"query_id": list(texts), "text": "words"}).write_csv("report.csv")
    pl.DataFrame({"doc_id": ["d1", "d2"], "text": "words"}).write_parquet("report.parquet")
    Path("theme").mkdir()
    theme = rr.Theme(templates="theme")
    comparison = rr.compare("qrels.txt", {"old": "old.run", "new": "new.run"})
    report = rr.report(comparison, queries="report.csv", documents="report.parquet", theme=theme)
    for write in (report.to_csv, report.to_parquet, report.to_markdown):
        suffix = WRITERS[write.__name__]
        place = "theme/new.md" if suffix == ".md" else f"report{suffix}"
        with pytest.raises(rr.OutputError, match=r"is an input|would be a file of theme"):
            write(place)
    segments = rr.compare("qrels.txt", RUNS, queries="report.csv", segments="text")
    assert folder / "report.csv" in rr.report(segments).files


@pytest.mark.usefixtures("folder")
def test_runs_on_data_sets_are_inputs(folder, refused):
    for name in ("law", "arts"):
        (folder / "sets" / name / "runs").mkdir(parents=True)
        (folder / "sets" / name / "qrels.txt").write_text(QRELS)
        rows = pl.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0]})
        rows.write_csv(folder / "sets" / name / "runs" / "bm25.csv")
    output = "sets/law/runs/bm25.csv"
    assert "is an input" in refused("evaluate", "--datasets", "sets", "-o", output)


@pytest.mark.usefixtures("folder")
def test_what_each_of_joined_data_sets_was_read_from_is_an_input():
    new = rr.evaluate("qrels.txt", {"a": "old.run"}, "RR")
    pl.read_csv("new.run", separator=" ", has_header=False).rename(
        {"column_1": "query_id", "column_3": "doc_id", "column_5": "score"}
    ).select("query_id", "doc_id", "score").write_parquet("new.parquet")
    joined = rr.join_datasets(
        {"law": new, "arts": rr.evaluate("qrels.txt", {"a": "new.parquet"}, "RR")}
    )
    with pytest.raises(rr.OutputError, match="is an input"):
        joined.write_parquet("new.parquet")


@pytest.mark.usefixtures("folder")
def test_what_a_history_stores_is_an_input_of_its_report_and_of_a_comparison_with_it():
    history = rr.History("history")
    made = rr.evaluate("qrels.txt", {"a": "old.run"}, "RR")
    history.add(
        rr.compare("qrels.txt", {"a": "old.run", "b": "new.run"}, measures="RR"), keep_runs=True
    )
    history.add(made)
    stored = sorted(path for path in Path("history").rglob("*") if path.is_file())
    assert {path.parent.name for path in stored} == {"000001", "000002", "objects"}
    compared = history.with_baseline(made, 2)
    for path in stored:
        before = path.read_bytes()
        for write in (
            rr.history_report(history).to_json,
            rr.history_report(history).to_parquet,
            compared.write_parquet,
        ):
            with pytest.raises(rr.RankReportError, match=r"is an input|a file of|ends in"):
                write(path)
        assert path.read_bytes() == before
    rr.history_report(history).to_html("history/page.html")


@pytest.mark.usefixtures("folder")
def test_a_labelled_list_and_its_scores_are_inputs():
    lists = pl.DataFrame({"label": [1, 0], "qid": [1, 1], "score": [2.0, 1.0]})
    lists.write_parquet("lists.parquet")
    evaluation = rr.evaluate_labelled("lists.parquet")
    with pytest.raises(rr.OutputError, match="is an input"):
        evaluation.write_parquet("lists.parquet")
    Path("scores.parquet").write_text("2\n1\n", encoding="utf-8")
    evaluation = rr.evaluate_labelled(lists.drop("score"), {"mine": "scores.parquet"})
    with pytest.raises(rr.OutputError, match="is an input"):
        evaluation.write_parquet("scores.parquet")


def test_tasks_replace_no_input(folder):
    (folder / "tasks.csv").symlink_to("old.run")
    with pytest.raises(rr.OutputError, match="is an input"):
        rr.judging_tasks({"old": "old.run"}, path="tasks.csv")
    assert Path("old.run").read_text(encoding="utf-8") == OLD


@pytest.mark.usefixtures("folder")
def test_files_stay_inputs_where_the_working_folder_changes(monkeypatch):
    evaluation = rr.evaluate("qrels.txt", {"old": rr.read_run("old.run").collect()})
    rr.read_run("old.run").sink_parquet("old.parquet")
    evaluation = rr.evaluate("qrels.txt", {"old": "old.parquet"})
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    with pytest.raises(rr.OutputError, match="is an input"):
        evaluation.write_parquet(Path("..", "old.parquet"))


@pytest.mark.parametrize("scan", [pl.scan_parquet, pl.scan_ipc, pl.scan_ndjson])
def test_what_a_lazy_frame_scans_is_an_input(scan, folder):
    rows = rr.read_run("old.run").collect()
    write = {pl.scan_ipc: rows.write_ipc, pl.scan_ndjson: rows.write_ndjson}
    names = ("one, {a}.parquet", "two.parquet")
    for name in names:
        write.get(scan, rows.write_parquet)(name)
    one, two = map(scan, names)
    evaluation = rr.evaluate("qrels.txt", {"one": one, "two": two.filter(pl.col("score") > 0)})
    assert {path.name for path in evaluation.files} == {"qrels.txt", *names}
    before = state(folder)
    for name in names:
        with pytest.raises(rr.OutputError, match="is an input"):
            evaluation.write_parquet(name)
    assert state(folder) == before


@pytest.mark.parametrize("other", ["link.json", "linked/out.json", "OUT.json"])
def test_two_outputs_are_not_one_file(other, folder, refused):
    (folder / "link.json").symlink_to("out.json")
    (folder / "linked").symlink_to(".")
    for outputs in (("out.json", other), (other, "out.json")):
        given = (word for output in outputs for word in ("-o", output))
        assert "both write" in refused("check", "qrels.txt", "old.run", *given)
