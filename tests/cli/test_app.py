"""The command line says what the Python functions say, and fails in one paragraph."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

import nbformat
import polars as pl
import pytest
from typer.testing import CliRunner

import rankreport as rr
from rankreport.cli.app import COMMANDS, app, main
from rankreport.gates import gate
from rankreport.planning import plan
from rankreport.tables import without_cautions
from rankreport.text import SEVERITIES, labelled
from rankreport.text.language import catalogue

PROGRAM = [sys.executable, "-c", "from rankreport.cli import main; main()"]
ENVIRONMENT = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
TEN = [f"q{i:02}" for i in range(1, 11)]
LABELS = tuple(f"{label}: " for label in SEVERITIES.values())
"""What the line of a caution begins with."""


def trec_qrels(path, queries=None):
    rows = rr.read_qrels(rr.load_example().qrels).collect()
    rows = rows if queries is None else rows.filter(pl.col("query_id").is_in(queries))
    lines = [f"{query} 0 {doc} {grade:g}" for query, doc, grade in rows.rows()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def trec_run(path, system, queries=None):
    rows = rr.read_run(rr.load_example().runs[system]).collect()
    rows = rows if queries is None else rows.filter(pl.col("query_id").is_in(queries))
    lines = [
        f"{query} Q0 {doc} {rank} {score} {system}-v1"
        for rank, (query, doc, score) in enumerate(rows.rows())
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def queries(path):
    """Write what is known of the example's queries, and how many letters each has."""
    known = rr.read_queries(rr.load_example().queries)
    known.with_columns(size=pl.col("text").str.len_chars()).write_csv(path, separator="\t")


@pytest.fixture(scope="session")
def trec(tmp_path_factory):
    """The example as TREC files: qrels.txt, and a run of each system, named after it."""
    folder = tmp_path_factory.mktemp("trec")
    trec_qrels(folder / "qrels.txt")
    for system in rr.load_example().runs:
        trec_run(folder / f"{system}.run", system)
    return folder


@pytest.fixture
def folder(trec, tmp_path, monkeypatch):
    """A folder of one's own with those files in it, which the commands run in."""
    for path in trec.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(monkeypatch, capfdbinary):
    """Run a command in this process: exit code, standard output and standard error."""

    def run(*arguments, given=None):
        monkeypatch.setattr(sys, "argv", ["rankreport", *map(str, arguments)])
        if given is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        out, err = capfdbinary.readouterr()
        # What the data's cautions say is for one test; the others ask of the rest.
        lines = err.decode().splitlines(keepends=True)
        run.cautions = [line for line in lines if line.startswith(LABELS)]
        return code, out.decode(), "".join(line for line in lines if not line.startswith(LABELS))

    return run


def process(*arguments, **options):
    """Run a command in a process of its own."""
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        env=ENVIRONMENT,
        check=False,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def evaluated(folder, *systems, measures=rr.DEFAULT_MEASURES, **options):
    runs = {system: folder / f"{system}.run" for system in systems}
    return rr.evaluate(folder / "qrels.txt", runs, measures, **options)


# check


def test_check_prints_what_python_shows(command, folder):
    code, out, err = command("check", "qrels.txt", "bm25.run", "fusion.run")
    runs = {name: folder / f"{name}.run" for name in ("bm25", "fusion")}
    assert (code, out, err) == (0, f"{rr.check(folder / 'qrels.txt', runs)}\n", "")
    assert command.cautions == []  # they are the result


def test_check_ends_with_1_where_something_is_wrong(command, folder):
    (folder / "copy.run").write_text((folder / "bm25.run").read_text())
    assert command("check", "qrels.txt", "bm25.run", "copy.run")[0] == 0
    code, out, _ = command("check", "qrels.txt", "bm25.run", "copy.run", "--strict")
    assert (code, "Look: bm25, copy returned the same documents" in out) == (1, True)
    code, out, _ = command("check", "qrels.txt", "bm25.run", "--scale", "0", "2")
    assert (code, "(3): not on the scale from 0 to 2." in out) == (1, True)
    code, out, _ = command("check", "qrels.txt", "bm25.run", "nowhere.run")
    assert (code, "Stop: nowhere.run does not exist." in out) == (1, True)


def test_check_writes_files_also_where_it_fails(command, folder):
    options = ("--scale", "0", "2", "-o", "check.md", "-o", "check.json")
    code, _, err = command("check", "qrels.txt", "bm25.run", *options)
    assert (code, err) == (1, "Wrote check.md\nWrote check.json\n")
    held = json.loads((folder / "check.json").read_text(encoding="utf-8"))
    assert held["passed"] is False
    assert "Stop: " in (folder / "check.md").read_text(encoding="utf-8")


def test_strict_refuses_data_with_something_to_look_at(command, folder):
    trec_run(folder / "few.run", "bm25", TEN)
    line = ("qrels.txt", "few.run", "fusion.run")
    require = ("--require", "nDCG@10 > -1")
    for name, options in (("evaluate", ()), ("compare", ()), ("gate", require), ("report", ())):
        code, out, err = command(name, *line, *options, "--strict")
        assert (code, out) == (2, "")
        assert err.startswith("rankreport: --strict refuses these data. ")
        assert "few (51 of 60 queries: " in err
    assert not (folder / "report.html").exists()
    assert command("evaluate", "qrels.txt", "bm25.run", "--strict")[0] == 0  # notes alone


# --collapse


def chunked(folder, system, separator):
    rows = rr.read_run(folder / f"{system}.run").collect()
    lines = [
        f"{query} Q0 {doc}{separator}{n} 0 {score - n / 4} {doc}"
        for query, doc, score, _ in rows.rows()
        for n in range(2)
    ]
    (folder / f"{system}-chunks.run").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("how", [["#"], ["tag"], ["new=#"], ["new=tag", "old=|"]], ids=" ".join)
def test_passages_are_folded_as_python_folds_them(command, folder, how):
    chunked(folder, "fusion", "#")
    old = "old=bm25.run"
    if len(how) > 1 or "=" not in how[0]:
        chunked(folder, "bm25", "|" if len(how) > 1 else "#")
        old = "old=bm25-chunks.run"
    runs = (old, "new=fusion-chunks.run")
    document_of = [word for each in how for word in ("--document-of", each)]
    code, out, err = command(
        "evaluate", "qrels.txt", *runs, "-m", "AP", "--collapse", "max", *document_of
    )
    assert (code, err) == (0, "")
    assert [line.split()[1] for line in out.splitlines()[-2:]] == ["0.6001", "0.6004"]
    assert any("were folded into another row" in line for line in command.cautions)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--document-of #", "--document-of needs a rule to fold by, such as --collapse max."),
        ("--collapse most", "--collapse='most' is not one of 'max', 'first', 'sum', 'mean'"),
        ("--collapse max --document-of # --document-of tag", "name a different system in each"),
        ("--collapse max --document-of a=# --document-of a=tag", "name a different system in each"),
        ("--collapse sum", "collapse='sum' needs document_of"),
    ],
)
@pytest.mark.parametrize("name", ["evaluate", "check"])
def test_faults_of_folding_end_with_2(command, folder, name, options, words):
    code, out, err = command(name, "qrels.txt", "a=bm25.run", *options.split())
    assert (code, out) == (2, "")
    assert words in err
    assert folder.exists()


# evaluate


def test_evaluate_prints_what_python_shows(command, folder):
    code, out, err = command("evaluate", "qrels.txt", "bm25.run", "fusion.run")
    assert (code, err) == (0, "")
    expected = evaluated(folder, "bm25", "fusion")
    table, notes = str(expected).split("\n\n")
    assert out == f"{table}\n"
    assert "".join(command.cautions) == f"{notes}\n"
    assert command.cautions == [f"{labelled(caution)}\n" for caution in expected.cautions]
    assert re.search(r"^fusion +0\.6371 ", out, re.MULTILINE)


def test_evaluate_takes_measures_by_any_name_and_options(command, folder):
    code, out, _ = command(
        *("evaluate", "qrels.txt", "bm25.run", "-m", "map", "--measure", "P_10", "-m", "AP(rel=2)"),
        *("--primary", "RR", "--ties", "input", "--query-set", "intersection"),
        *("--no-relevant", "skip"),
    )
    expected = evaluated(
        folder,
        "bm25",
        measures=["map", "P_10", "AP(rel=2)"],
        primary="RR",
        ties="input",
        queries="intersection",
        no_relevant="skip",
    )
    assert code == 0
    assert expected.summary().columns == ["system", "RR", "AP", "P@10", "AP(rel=2)"]
    assert out == f"{without_cautions(expected)}\n"
    assert out.startswith("58 queries\n")  # bm25 answers so many


def test_per_query_prints_every_query(command, folder):
    _, out, _ = command("evaluate", "qrels.txt", "bm25.run", "-m", "mrr", "--per-query")
    lines = out.splitlines()
    assert len(lines) == 62
    assert lines[0].split() == ["system", "query_id", "mrr"]
    values = {line.split()[1]: line.split()[2] for line in lines[2:]}
    expected = evaluated(folder, "bm25", measures=["RR"]).per_query()
    assert values == {query: f"{value:.4f}" for _, query, value in expected.rows()}


def test_a_run_without_rows_turns_a_gate_red_where_it_is_allowed(command, folder):
    (folder / "down.run").touch()
    given = ("gate", "qrels.txt", "bm25.run", "down.run", "--require", "RR > -0.1")
    code, _, err = command(*given)
    assert (code, "down.run is empty" in err) == (2, True)
    code, out, err = command(*given, "--allow-empty", "--inconclusive", "pass")
    assert (code, "Stop: Queries for which nothing was returned score 0: down" in out + err) == (
        3,
        True,
    )
    code, _, err = command("check", "qrels.txt", "bm25.run", "--allow-empty")
    assert (code, "--allow-empty has no meaning with check" in err) == (2, True)


def test_an_aggregate_is_printed_with_its_intervals(command, folder):
    code, out, _ = command("evaluate", "qrels.txt", "bm25.run", "-m", "RR", "-a", "p25")
    (row,) = evaluated(folder, "bm25", measures=["RR"]).means(aggregate="p25").rows(named=True)
    assert code == 0
    assert out.splitlines()[0].split() == [*row]
    assert [float(cell) for cell in out.splitlines()[2].split()[2:5]] == pytest.approx(
        [row["p25"], row["ci_low"], row["ci_high"]], abs=1e-4
    )
    code, _, err = command("evaluate", "qrels.txt", "bm25.run", "-a", "p25", "--per-query")
    assert (code, "--aggregate and --per-query" in err) == (2, True)


def test_aggregates_are_compared(command, folder):
    given = ("compare", "qrels.txt", "bm25.run", "fusion.run", "-m", "RR", "-a", "median")
    code, out, err = command(*given, "-o", "table.csv")
    compared = rr.compare(evaluated(folder, "bm25", "fusion", measures=["RR"]))
    expected = compared.aggregates("median")
    assert (code, "Wrote table.csv" in err) == (0, True)
    assert pl.read_csv("table.csv").equals(expected)
    numbers = [float(cell) for cell in out.splitlines()[2].split()[4:]]
    assert numbers == pytest.approx(expected.row(0)[4:], abs=1e-4)
    code, _, err = command(*given, "--queries", "queries.csv", "--segment", "kind")
    assert (code, "--aggregate and --segment" in err) == (2, True)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "json"])
def test_evaluate_writes_what_python_computes(command, folder, suffix):
    file = Path(f"scores.{suffix}")
    code, out, err = command("evaluate", "qrels.txt", "bm25.run", "fusion.run", "-o", file)
    assert (code, err) == (0, f"Wrote {file}\n")
    assert out.startswith("60 queries")
    expected = evaluated(folder, "bm25", "fusion")
    read = {"parquet": pl.read_parquet, "csv": pl.read_csv, "json": pl.read_json}[suffix]
    assert read(file).equals(expected.scores)
    if suffix == "parquet":
        loaded = rr.load_evaluation(file)
        assert loaded.measures == expected.measures
        assert loaded.settings == expected.settings
        assert loaded.quality.equals(expected.quality)


# compare


@pytest.mark.parametrize("suffix", ["parquet", "csv", "json"])
def test_compare_prints_and_writes_what_python_computes(command, folder, suffix):
    file = Path(f"table.{suffix}")
    runs = [f"{name}.run" for name in ("bm25", "bm25-names", "fusion")]
    options = {"interval": "bca", "test": "wilcoxon", "correction": "bh"}
    options |= {"confidence": 0.9, "resamples": 500, "seed": 7}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    code, out, err = command(
        *("compare", "qrels.txt", *runs, "-m", "nDCG@10", "-m", "RR", *words, "-o", file)
    )
    evaluation = evaluated(folder, "bm25", "bm25-names", "fusion", measures=["nDCG@10", "RR"])
    expected = rr.compare(evaluation, **options)
    assert (code, err) == (0, f"Wrote {file}\n")
    assert out == f"{expected}\n"
    read = {"parquet": pl.read_parquet, "csv": pl.read_csv, "json": pl.read_json}[suffix]
    found = read(file)
    if suffix == "csv":  # where an empty text and none are written alike
        found = found.with_columns(pl.col("caution").fill_null(""))
    assert found.equals(expected.table())


def people_of(folder, queries):
    """Write the judgments of some queries, as by people; all are then a model's."""
    qrels = rr.read_qrels(folder / "qrels.txt").collect()
    some = qrels.filter(pl.col("query_id").is_in(queries)).select(
        "query_id", pl.lit("0"), "doc_id", pl.col("relevance").cast(pl.Int64)
    )
    some.write_csv(folder / "people.txt", separator=" ", include_header=False)


def test_compare_takes_judgments_by_people_of_a_sample(command, folder):
    every = rr.read_qrels(folder / "qrels.txt").collect()
    people_of(folder, rr.sample_queries(every, 30, seed=3))
    words = ("qrels.txt", "bm25.run", "fusion.run", "-m", "nDCG@10", "--human", "people.txt")
    judges = {
        "model": evaluated(folder, "bm25", "fusion", measures=["nDCG@10"]),
        "human": rr.evaluate(
            folder / "people.txt",
            {name: folder / f"{name}.run" for name in ("bm25", "fusion")},
            ["nDCG@10"],
        ),
    }
    expected = rr.compare(judges=judges, sample=3, largest_error=0.2)
    code, out, err = command("compare", *words, "--sample", "3", "--largest-error", "0.2")
    assert (code, out, err) == (0, f"{expected}\n", "")
    assert "corrected by people's of 30" in out
    code, _, err = command("compare", *words)
    assert code == 2
    assert "sample_queries(queries, 30, seed=0)" in err
    code, _, err = command("report", *words, "--sample", "random", "-o", "report.md")
    assert (code, err) == (0, "Wrote report.md\n")
    assert "corrected by people's of 30" in (folder / "report.md").read_text(encoding="utf-8")


def test_gate_and_plan_take_judgments_by_people_too(command, folder):
    every = rr.read_qrels(folder / "qrels.txt").collect()
    people_of(folder, rr.sample_queries(every, 30))
    words = ("qrels.txt", "bm25.run", "fusion.run", "--human", "people.txt")
    code, out, _ = command("plan", *words)
    assert code == 0
    assert "interval width if people judge 20 more queries" in out
    assert "people judged " in out
    code, out, _ = command("gate", *words, "--require", "nDCG@10 > -0.2")
    assert code == 0
    assert "; by a model's judgments of 60 queries, corrected by people's of 30" in out
    code, _, err = command("report", *words, "-o", "report.html", "-o", "report.ipynb")
    assert code == 0
    assert "Wrote report.model.parquet" in err
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert '<section id="model-judge"' in page


def test_judgments_of_several_people_are_combined(command, folder):
    every = rr.read_qrels(folder / "qrels.txt").collect()
    apart = pl.int_range(pl.len()) % 7 == 0
    rows = [
        every.with_columns(judge=pl.lit("ann")),
        every.with_columns(
            relevance=pl.when(apart).then(3.0).otherwise("relevance"), judge=pl.lit("bob")
        ),
    ]
    pl.concat(rows, how="vertical_relaxed").write_csv(folder / "ratings.csv")
    runs = ("bm25.run", "fusion.run")
    code, out, _ = command("compare", "ratings.csv", *runs, "-m", "nDCG@10", "--combine", "lowest")
    labels = rr.qrels_from_judges(folder / "ratings.csv", "lowest")
    expected = rr.compare(
        labels, {name: folder / f"{name}.run" for name in ("bm25", "fusion")}, measures="nDCG@10"
    )
    assert (code, out) == (0, f"{expected}\n")
    assert "by 2 judges: lowest grade of the judges." in out
    code, _, _ = command("report", "ratings.csv", *runs, "--combine", "mean", "-o", "report.html")
    assert code == 0
    assert "Under each of 2 judges alone" in (folder / "report.html").read_text(encoding="utf-8")
    code, out, _ = command("check", "ratings.csv", *runs, "--combine", "mean")
    assert code == 0
    code, _, err = command("evaluate", "ratings.csv", *runs, "--combine", "loudest")
    assert code == 2
    assert "--combine='loudest' is not one of" in err
    sample = rr.sample_queries(every, 30)
    pl.read_csv(folder / "ratings.csv").filter(pl.col("query_id").is_in(sample)).write_csv(
        folder / "people.csv"
    )
    code, out, _ = command(
        "compare", "qrels.txt", *runs, "--human", "people.csv", "--combine", "median"
    )
    assert code == 0
    assert "; 2 people judged " in out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("bm25.run", "fusion.run", "--sample", "3"), "--sample says how the queries of --human"),
        (("bm25.run", "fusion.run", "--largest-error", "1"), "--largest-error is of a model"),
        (
            ("bm25.run", "fusion.run", "--human", "people.txt", "--sample", "some"),
            "sample='some': give the seed",
        ),
    ],
)
def test_a_sample_goes_with_judgments_by_people(command, folder, words, why):
    people_of(folder, ["q01"])
    code, _, err = command("compare", "qrels.txt", *words)
    assert code == 2
    assert why in err


def test_the_first_run_is_the_baseline(command, folder):
    _, out, _ = command("compare", "qrels.txt", "fusion.run", "bm25.run", "-m", "nDCG@10")
    assert "\nAgainst fusion, 60 queries\n" in out
    assert "+0.017" in out  # bm25 0.6537, fusion 0.6371
    assert folder.exists()


def test_compare_hands_on_all_that_was_said(command, folder):
    queries(folder / "q.tsv")
    code, out, err = command(
        *(
            "compare",
            "qrels.txt",
            "bm25.run",
            "bm25-names.run",
            "fusion.run",
            "-m",
            "RR",
            "-m",
            "AP",
        ),
        *("--baseline", "bm25", "--baseline", "fusion", "--margin", "0.05"),
        *("--across", "measures", "--resamples", "200"),
        *("--queries", "q.tsv", "--clusters", "topic", "--weights", "size", "-o", "table.json"),
    )
    assert (code, err) == (0, "Wrote table.json\n")
    expected = rr.compare(
        evaluated(folder, "bm25", "bm25-names", "fusion", measures=["RR", "AP"]),
        ["bm25", "fusion"],
        margin=0.05,
        across="measures",
        resamples=200,
        queries=folder / "q.tsv",
        clusters="topic",
        weights="size",
    )
    assert out == f"{expected}\n"
    assert pl.read_json("table.json").equals(expected.table())
    assert command.cautions == []  # they stand in what is printed
    assert {caution.severity for caution in expected.cautions} == {"look", "note"}
    for caution in expected.cautions:
        assert f"\n{labelled(caution)}\n" in f"\n{out}"


@pytest.mark.parametrize("first", ["bm25", "fusion"])
def test_a_named_baseline_is_the_only_one(command, folder, first):
    runs = ["bm25.run", "bm25-names.run", "fusion.run"]
    runs.sort(key=lambda run: run != f"{first}.run")
    words = ["-m", "RR", "--resamples", "200", "-o", "named.csv"]
    code, _, _ = command("compare", "qrels.txt", *runs, *words, "--baseline", "bm25")
    assert code == 0
    found = pl.read_csv(folder / "named.csv").select("baseline", "system").rows()
    assert sorted(found) == [("bm25", "bm25-names"), ("bm25", "fusion")]


def test_compare_takes_all_pairs(command, folder):
    runs = [f"{name}.run" for name in ("bm25", "bm25-names", "fusion")]
    words = ["--all-pairs", "-m", "RR", "--resamples", "200", "-o", "pairs.csv"]
    code, _, _ = command("compare", "qrels.txt", *runs, *words)
    assert code == 0
    found = pl.read_csv(folder / "pairs.csv").select("baseline", "system").rows()
    assert found == [("bm25", "bm25-names"), ("bm25", "fusion"), ("bm25-names", "fusion")]


def test_compare_breaks_down_by_segment(command, folder):
    queries(folder / "q.tsv")
    words = ["-m", "RR", "--resamples", "200", "--queries", "q.tsv"]
    runs = ["bm25.run", "fusion.run"]
    _, whole, _ = command("compare", "qrels.txt", *runs, *words)
    code, out, _ = command(
        "compare", "qrels.txt", *runs, *words, "--segment", "length", "--segment", "frequency"
    )
    assert code == 0
    assert out.startswith(whole.rstrip("\n"))
    expected = (
        rr.compare(
            evaluated(folder, "bm25", "fusion", measures=["RR"]),
            resamples=200,
            queries=folder / "q.tsv",
            segments=["length", "frequency"],
        )
        .segments()
        .frame
    )
    lines = [line.split() for line in out.removeprefix(whole.rstrip("\n")).splitlines()]
    for column, segment in expected.select("column", "segment").rows():
        assert any(line[:2] == [column, segment] for line in lines)


def test_commands_on_judgments_take_a_corpus(command, folder):
    (folder / "ids.txt").write_text("another\n")
    required = ("--require", "RR > -0.1")
    for name, more, expected in (("check", (), 1), ("compare", (), 0), ("gate", required, 3)):
        given = ("qrels.txt", "bm25.run", "fusion.run", "--corpus", "ids.txt")
        code, out, err = command(name, *given, *more)
        assert code == expected
        assert "documents are not in the corpus, for" in out + err


def test_what_users_had_and_what_items_are_like_are_files(command, folder):
    known = rr.read_run(folder / "bm25.run").head(3).collect()
    (query, *_), items = known["query_id"], list(known["doc_id"])
    history, kinds = {query: items[:2], "another": items[:1]}, dict(zip(items, "aab", strict=True))
    pairs = [f"{user},{item}" for user, had in history.items() for item in had]
    (folder / "had.csv").write_text("\n".join(["user_id,item_id", *pairs]))
    (folder / "kinds.csv").write_text(
        "\n".join(["item_id,category", *map(",".join, kinds.items())])
    )
    given = ("qrels.txt", "bm25.run", "--history", "had.csv", "--items", "kinds.csv")
    code, out, err = command("evaluate", *given, "-m", "Novelty@5", "-m", "Categories@5")
    files = (folder / "qrels.txt", {"bm25": folder / "bm25.run"})
    measures = ["Novelty@5", "Categories@5"]
    made = rr.evaluate(*files, measures, history=history, items=kinds)
    name, *means = made.summary().row(0)
    assert code == 0, err
    printed = [line.split() for line in out.splitlines()]
    assert [name, *(f"{mean:.4f}" for mean in means)] in printed
    spread = made.exposure(5).filter(pl.col("value").is_not_null())
    for measure, value in spread.select("measure", "value").rows():
        assert [name, measure, "5", f"{value:.4f}"] in [row[:4] for row in printed]
    assert "coverage" not in command("evaluate", "qrels.txt", "bm25.run")[1]
    code, _, err = command("check", *given)
    assert (code, err) == (2, "rankreport: --history has no meaning with check.\n")


# gate


@pytest.mark.parametrize(
    ("required", "inconclusive", "expected"),
    [
        (["nDCG@10 > -0.2"], None, ("pass", 0)),
        (["nDCG@10 > -0.2", "RR@10 > 0.2"], None, ("fail", 1)),
        (["nDCG@10 > -0.2", "RR@10 > 0"], None, ("inconclusive", 3)),
        (["nDCG@10 > -0.2", "RR@10 > 0"], "pass", ("inconclusive", 0)),
        (["nDCG@10 > -0.2", "RR@10 > 0"], "fail", ("inconclusive", 1)),
    ],
)
def test_a_gate_ends_with_what_it_found(command, folder, required, inconclusive, expected):
    words = [word for each in required for word in ("--require", each)]
    words += ["--resamples", "500", "--interval", "t", "--confidence", "0.9"]
    words += ["--inconclusive", inconclusive] if inconclusive else []
    code, out, err = command("gate", "qrels.txt", "bm25.run", "fusion.run", *words)
    evaluation = evaluated(folder, "bm25", "fusion", measures=["nDCG@10", "RR@10"])
    comparison = rr.compare(evaluation, resamples=500, interval="t", confidence=0.9)
    made = gate(comparison, required, inconclusive=inconclusive or "inconclusive")
    assert (made.outcome, code) == expected
    assert (out, err) == (f"{made}\n", "")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("required", "outcome"), [("RR > 0.2", "fails"), ("RR > -0.2", "passes")])
def test_a_report_states_the_outcome_of_its_requirements(command, required, outcome):
    words = ["-m", "RR", "--resamples", "100", "--require", required, "-o", "page.md"]
    code, out, err = command("report", "qrels.txt", "bm25.run", "fusion.run", *words)
    assert out.startswith(("fusion", "The data cannot tell")), err
    assert f"fusion {outcome} the gate" in out
    assert (code, err) == (0, "Wrote page.md\n")


def test_a_gate_writes_its_files_also_where_it_fails(command, folder):
    files = ["gate.md", "gate.xml", "gate.json"]
    code, out, err = command(
        *("gate", "qrels.txt", "bm25.run", "fusion.run", "char-ngrams.run"),
        *("--require", "AP > 0.2", "--require", "abs(RR) < 0.2", "--resamples", "500"),
        *(word for file in files for word in ("-o", file)),
    )
    assert (code, err) == (1, "".join(f"Wrote {file}\n" for file in files))
    evaluation = evaluated(folder, "bm25", "fusion", "char-ngrams", measures=["AP", "RR"])
    made = gate(rr.compare(evaluation, resamples=500), ["AP > 0.2", "abs(RR) < 0.2"])
    expected = [f"{made.to_markdown()}\n", made.to_junit(), made.to_json()]
    assert [Path(file).read_text(encoding="utf-8") for file in files] == expected
    assert out == f"{made}\n"


def test_a_gate_takes_measures_that_decide_no_comparison(command, folder):
    words = ["--require", "Unjudged@10 < 0.2", "--resamples", "200"]
    code, out, _ = command("gate", "qrels.txt", "bm25.run", "fusion.run", *words)
    assert code == 0
    assert "Unjudged@10 may rise by at most 0.2" in out
    assert folder.exists()


@pytest.mark.parametrize(
    ("profile", "measure"),
    [("trec_eval-9", "ndcg_cut_10"), ("ranx", "ndcg_burges@10"), ("sklearn", "ndcg_score@10")],
)
def test_a_gate_reads_the_names_of_a_profile(command, folder, profile, measure):
    words = ["--profile", profile, "--require", f"{measure} > -0.2", "--resamples", "200"]
    code, out, _ = command("gate", "qrels.txt", "bm25.run", "fusion.run", *words)
    meant = evaluated(folder, "bm25", "fusion", measures=[measure], profile=profile).primary
    ours = evaluated(folder, "bm25", "fusion", measures=[str(meant)], profile=profile)
    decided = rr.gate(rr.compare(ours, resamples=200), f"{meant} > -0.2")
    assert code == 0
    assert f"{measure} may fall by at most 0.2" in out
    assert out.rstrip() == str(decided).replace(str(meant), measure)


# plan


@pytest.mark.parametrize("suffix", ["parquet", "csv", "json"])
def test_plan_prints_and_writes_what_python_computes(command, folder, suffix):
    file = Path(f"plan.{suffix}")
    code, out, err = command(
        *("plan", "qrels.txt", "bm25.run", "fusion.run", "-m", "RR", "--n", "100", "--n", "400"),
        *("--difference", "0.01", "--power", "0.9", "--resamples", "200", "-o", file),
    )
    pilot = rr.compare(evaluated(folder, "bm25", "fusion", measures=["RR"]), resamples=200)
    expected = plan(pilot, n_queries=[100, 400], difference=[0.01], power=0.9)
    assert (code, err) == (0, f"Wrote {file}\n")
    assert out == f"{without_cautions(expected)}\n"
    assert "note" in {caution.severity for caution in pilot.cautions}
    assert command.cautions == [f"{labelled(caution)}\n" for caution in expected.cautions]
    read = {"parquet": pl.read_parquet, "csv": pl.read_csv, "json": pl.read_json}[suffix]
    found = read(file)
    assert found.equals(expected.to_polars().cast(found.schema))


@pytest.mark.parametrize(("suffix", "begins"), [("svg", b"<svg "), ("png", b"\x89PNG")])
def test_plan_draws_the_same_curve_twice(command, folder, suffix, begins):
    words = ["plan", "qrels.txt", "bm25.run", "fusion.run", "-m", "RR", "--resamples", "200"]
    for file in (f"one.{suffix}", f"two.{suffix}"):
        assert command(*words, "-o", file)[0] == 0
    one, two = ((folder / f"{name}.{suffix}").read_bytes() for name in ("one", "two"))
    assert one.startswith(begins)
    assert one == two


# report


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Ten questions, three runs and their texts, for what takes its time."""
    folder = tmp_path_factory.mktemp("small")
    trec_qrels(folder / "qrels.txt", TEN)
    trec_qrels(folder / "model.txt", TEN)
    trec_qrels(folder / "people.txt", rr.sample_queries(TEN, 4))
    grades = rr.read_qrels(folder / "qrels.txt").collect()
    ratings = [grades.with_columns(judge=pl.lit(name)) for name in ("ann", "bob")]
    pl.concat(ratings).write_csv(folder / "ratings.csv")
    files = {"a": "bm25", "b": "char-ngrams", "c": "fusion", "bm25": "bm25", "dense": "fusion"}
    for name, system in files.items():
        trec_run(folder / f"{name}.run", system, TEN)
    packed = gzip.compress((folder / "dense.run").read_bytes())
    (folder / "v7.run.gz").write_bytes(packed)
    questions = rr.read_queries(rr.load_example().queries)
    questions.write_csv(folder / "q.tsv", separator="\t")
    (folder / "corpus.jsonl").write_text(
        '{"_id": "os.makedirs", "title": "os.makedirs", "text": "Create a folder."}\n',
        encoding="utf-8",
    )
    lines = "".join(f"{i % 3} qid:{i // 4} 1:0.5\n" for i in range(40))
    (folder / "test.svm").write_text(lines, encoding="utf-8")
    for name, factor in {"lgbm": 7, "xgb": 5}.items():
        numbers = "".join(f"{i * factor % 11}\n" for i in range(40))
        (folder / f"{name}.txt").write_text(numbers, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_report_writes_every_form_and_they_agree(command, small, tmp_path, monkeypatch):
    monkeypatch.chdir(small)
    outputs = [tmp_path / f"report.{suffix}" for suffix in ("html", "ipynb", "md", "json")]
    code, out, err = command(
        *("report", "qrels.txt", "a.run", "b.run", "--queries", small / "q.tsv"),
        *("-m", "nDCG@10", "--title", "Ten questions"),
        *(word for path in outputs for word in ("-o", path)),
    )
    assert code == 0
    paths = [Path(line.removeprefix("Wrote ")) for line in err.splitlines()]
    assert set(outputs) <= set(paths)
    assert set(paths) <= set(tmp_path.iterdir())
    runs = {name: small / f"{name}.run" for name in "ab"}
    evaluation = rr.evaluate(small / "qrels.txt", runs, ["nDCG@10"])
    comparison = rr.compare(evaluation, queries=small / "q.tsv")
    assert out == f"{rr.report(comparison)}\n"
    page, notebook, markdown, figures = (path.read_text(encoding="utf-8") for path in outputs)
    shown = json.loads(figures)
    assert shown["comparison"] == comparison.table().to_dicts()
    assert shown["title"] == "Ten questions"
    verdict = comparison.verdict()
    assert shown["verdict"]["sentence"] == verdict.sentence
    assert "<title>Ten questions</title>" in page
    assert verdict.sentence in page
    assert verdict.detail in page
    assert markdown == rr.report(comparison, title="Ten questions").to_markdown()
    nbformat.validate(nbformat.reads(notebook, as_version=4))
    # The questions' texts stand with the biggest wins and losses, and nowhere is a folder named.
    texts = dict(rr.read_queries(small / "q.tsv").select("query_id", "text").rows())
    assert texts[comparison.losses()["query_id"][0]] in page
    given = "rankreport report qrels.txt a.run b.run --queries q.tsv -m nDCG@10 --title"
    assert shown["provenance"]["command"].startswith(given)
    for text in (page, notebook, figures):
        assert str(tmp_path) not in text
        assert str(small) not in text
    assert rr.load_evaluation(tmp_path / "report.scores.parquet").systems == ("a", "b")


def test_report_takes_a_baseline_by_name(command, small, tmp_path, monkeypatch):
    monkeypatch.chdir(small)
    file = tmp_path / "r.json"
    runs = ["a.run", "b.run", "new=c.run"]
    code, _, _ = command("report", "qrels.txt", *runs, "-m", "RR", "--baseline", "b", "-o", file)
    assert code == 0
    table = json.loads(file.read_text(encoding="utf-8"))["comparison"]
    assert [(row["baseline"], row["system"]) for row in table] == [("b", "a"), ("b", "new")]


def test_what_is_said_beside_a_report_is_in_its_language(small, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(small)
    (tmp_path / "b.run").write_text("q01 Q0 a 1 1.0 t\n", encoding="utf-8")
    words = ["report", "qrels.txt", "a.run", f"b={tmp_path / 'b.run'}", "-m", "RR"]
    monkeypatch.setattr(sys, "argv", ["rankreport", *words, "--language", "zh"])
    monkeypatch.setattr(sys, "argv", [*sys.argv, "-o", str(tmp_path / "r.tex")])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    printed = capfd.readouterr()
    assert printed.err == f"已写入 {tmp_path / 'r.tex'}\n"
    labels = tuple(f"{catalogue('zh')[label]}：" for label in SEVERITIES.values())
    cautions = [line for line in printed.out.splitlines() if line.startswith(labels)]
    assert len(cautions) > 1
    latex = (tmp_path / "r.tex").read_text(encoding="utf-8").splitlines()
    *comments, needed = [line for line in latex if line.startswith("% ")]
    assert set(cautions) < {comment.removeprefix("% ") for comment in comments}  # and what stops
    assert needed.startswith(r"% In the preamble: \usepackage{booktabs,ctex}; typeset with XeLaTeX")


def test_report_shows_texts_of_documents(command, small, tmp_path, monkeypatch):
    monkeypatch.chdir(small)
    rows = [line.split() for line in (small / "a.run").read_text(encoding="utf-8").splitlines()]
    ids = sorted({row[2] for row in rows})
    texts = "".join(f'{{"_id": "{doc}", "title": "Title of {doc}"}}\n' for doc in ids)
    (tmp_path / "corpus.jsonl").write_text(texts, encoding="utf-8")
    page = tmp_path / "r.html"
    given = ("report", "qrels.txt", "a.run", "b.run", "-m", "RR", "-o", page, "--documents")
    code, _, _ = command(*given, tmp_path / "corpus.jsonl")
    assert code == 0
    assert "Title of" in page.read_text(encoding="utf-8")
    (tmp_path / "other.jsonl").write_text('{"_id": "nobody", "text": "x"}\n', encoding="utf-8")
    code, _, err = command(*given, tmp_path / "other.jsonl")
    assert code == 2
    assert "documents shown is in " in err
    assert "'nobody'" in err


def test_documents_of_one_run_are_shown_with_its_hardest_queries(
    command, small, tmp_path, monkeypatch
):
    monkeypatch.chdir(small)
    rows = [line.split() for line in (small / "a.run").read_text(encoding="utf-8").splitlines()]
    texts = "".join(f'{{"_id": "{row[2]}", "title": "Title of {row[2]}"}}\n' for row in rows)
    (tmp_path / "corpus.jsonl").write_text(texts, encoding="utf-8")
    page = tmp_path / "r.html"
    given = ("report", "qrels.txt", "a.run", "-m", "RR", "-o", page, "--documents")
    code, _, err = command(*given, tmp_path / "corpus.jsonl")
    assert code == 0, err
    assert "Title of" in page.read_text(encoding="utf-8")


def test_report_of_one_run_is_of_levels(command, small, tmp_path, monkeypatch):
    monkeypatch.chdir(small)
    file = tmp_path / "r.json"
    code, out, _ = command("report", "qrels.txt", "a.run", "-m", "RR", "-o", file)
    evaluation = rr.evaluate(small / "qrels.txt", {"a": small / "a.run"}, ["RR"])
    assert (code, out) == (0, f"{rr.report(evaluation)}\n")
    low, high = evaluation.means().row(0)[3:5]
    assert f"{low:.4f}  {high:.4f}" in re.sub(r" +", "  ", out)
    assert json.loads(file.read_text(encoding="utf-8"))["comparison"] is None


# rankings, measures and demo


def test_rankings_compares_two_runs_without_judgments(command, small, tmp_path, monkeypatch):
    monkeypatch.chdir(small)
    file = tmp_path / "queries.csv"
    options = ("-k", "1", "-k", "2", "--p", "0.5", "--ties", "input", "--depth", "2")
    code, out, _ = command("rankings", "a.run", "new=b.run", *options, "-o", file)
    found = rr.compare_rankings(
        "a.run", "b.run", names=("a", "new"), k=(1, 2), p=0.5, ties="input", depth=2
    )
    assert (code, out) == (0, f"{found}\n")
    assert pl.read_csv(file).columns == found.per_query().columns
    pages = [tmp_path / f"report{suffix}" for suffix in (".html", ".md", ".json", ".png")]
    named = [each for page in pages for each in ("-o", page)]
    about = ("--title", "Old and new", "--date", "2026-11-22", "--language", "zh")
    code, _, err = command("rankings", "a.run", "new=b.run", *named, "-o", file, *about)
    assert (code, err.count(str(tmp_path))) == (0, 5)
    assert "Old and new" in pages[0].read_text(encoding="utf-8")
    assert "两个排序" in pages[1].read_text(encoding="utf-8")
    held = json.loads(pages[2].read_text(encoding="utf-8"))
    assert (held["date"], held["settings"]["names"]) == ("2026-11-22", ["a", "new"])
    assert pages[3].read_bytes().startswith(b"\x89PNG")
    code, _, err = command("rankings", "a.run", "b.run", "-o", tmp_path / "report.ipynb")
    assert (code, "output suffix='.ipynb'" in err) == (2, True)
    code, _, err = command("rankings", "a.run", "b.run", "--ties", "mean")
    assert (code, err[:30]) == (2, "rankreport: ties='mean' is not")


def test_measures_lists_all_and_explains_one(command):
    code, out, err = command("measures")
    assert (code, err) == (0, "")
    for measure in rr.catalogue():
        assert re.search(rf"\b{measure.name}\b.*{re.escape(measure.declaration.title)}", out)
    code, out, err = command("measures", "ndcg_cut_10")
    assert (code, err) == (0, "")
    assert out.startswith("nDCG(gain='linear'")
    assert rr.nDCG.declaration.doc in out
    assert rr.nDCG.declaration.formula in out
    assert rr.nDCG.declaration.source in out


@pytest.mark.slow
def test_demo_makes_a_folder_with_a_report(tmp_path):
    ended = process("demo", cwd=tmp_path, text=True)
    assert ended.returncode == 0, ended.stderr
    # One system, as in the README: of three at once, none is told from the baseline.
    assert ended.stdout.startswith(
        "bm25-names is better than bm25 on nDCG@10, on these queries: +0"
    )
    assert "\nNote: " in ended.stdout
    made = tmp_path / "rankreport-demo"
    assert [path.name for path in tmp_path.iterdir()] == ["rankreport-demo"]
    written = {"report.html", "report.ipynb", "scores.parquet"}
    written |= {"report.queries.parquet", "report.documents.parquet"}
    assert {path.name for path in made.iterdir()} == {*written, "inputs"}
    cells = nbformat.read(made / "report.ipynb", as_version=4).cells
    found: dict[str, object] = {}
    exec(next(cell.source for cell in cells if cell.id == "parameters"), found)
    for path in (found["QRELS"], *found["RUNS"].values()):
        assert (made / path).is_file()
    names = [Path(line.removeprefix("Wrote ")).name for line in ended.stderr.splitlines()]
    assert sorted(names) == sorted(written)
    assert "<mark>" in (made / "report.html").read_text(encoding="utf-8")
    assert "split a path into folder and file name" in "".join(
        rr.read_queries(rr.load_example().queries)["text"]
    )
    loaded = rr.load_evaluation(made / "scores.parquet")
    example = rr.load_example()
    pair = {name: example.runs[name] for name in ("bm25", "bm25-names")}
    assert loaded.summary().equals(rr.evaluate(example.qrels, pair).summary())


# How runs are named and where they come from


def systems(out):
    """List the systems of a printed evaluation."""
    return [line.split()[0] for line in out.splitlines()[3:]]


def test_a_run_is_named_after_its_file_or_by_hand(command, folder):
    (folder / "v7.1.run.gz").write_bytes(gzip.compress((folder / "fusion.run").read_bytes()))
    arguments = ["./bm25.run", "new=fusion.run", "v7.1.run.gz", f"far={folder / 'fusion.run'}"]
    code, out, _ = command("evaluate", "qrels.txt", *arguments, "-m", "RR")
    assert code == 0
    assert systems(out) == ["bm25", "new", "v7.1", "far"]
    assert len(set(re.findall(r"0\.\d{4}", out))) == 2  # three of them are one run


def test_a_run_can_be_named_after_its_tag(command, folder):
    runs = ["bm25.run", "mine=fusion.run", "fusion.run"]
    code, out, _ = command("evaluate", "qrels.txt", *runs, "-m", "RR", "--name-from", "tag")
    assert code == 0
    assert systems(out) == ["bm25-v1", "mine", "fusion-v1"]
    assert folder.exists()


def test_columns_name_those_of_runs_without_a_header(command, folder):
    rows = rr.read_run(folder / "bm25.run").collect()
    plain = rows.select("score", "doc_id", "query_id").sort("score")
    plain.write_csv(folder / "bare.tsv", include_header=False, separator="\t")
    code, _, err = command("evaluate", "qrels.txt", "bare.tsv", "-m", "RR")
    assert (code, "--columns qid,doc,score" in " ".join(err.split())) == (2, True)
    _, expected, _ = command("evaluate", "qrels.txt", "bare=bm25.run", "-m", "RR")
    given = ["bare.tsv", "-m", "RR", "--columns", "score,docno,qid"]
    assert command("evaluate", "qrels.txt", *given)[:2] == (0, expected)


def test_equals_signs_in_a_path_are_part_of_it(command, folder):
    (folder / "k1=0.9").mkdir()
    for path in ("k1=0.9/bm25.run", "b=0.4.run"):
        (folder / path).symlink_to(folder / "bm25.run")
    runs = ["k1=0.9/bm25.run", "b=0.4.run", "new=b=0.4.run", f"far={folder}/k1=0.9/bm25.run"]
    code, out, err = command("evaluate", "qrels.txt", *runs, "-m", "RR")
    assert (code, err) == (0, "")
    assert systems(out) == ["bm25", "b=0.4", "new", "far"]
    code, out, _ = command("evaluate", "qrels.txt", f"{folder}/k1=0.9/bm25.run", "-m", "RR")
    assert systems(out) == ["bm25"]


def test_standard_input_is_judgments_or_a_run(command, folder):
    _, expected, _ = command("evaluate", "qrels.txt", "mine=bm25.run", "-m", "RR")
    run, qrels = (folder / "bm25.run").read_bytes(), (folder / "qrels.txt").read_bytes()
    for given in (run, gzip.compress(run)):
        code, out, _ = command("evaluate", "qrels.txt", "mine=-", "-m", "RR", given=given)
        assert (code, out) == (0, expected)
    code, out, _ = command("evaluate", "-", "mine=bm25.run", "-m", "RR", given=qrels)
    assert (code, out) == (0, expected)
    code, out, _ = command("evaluate", "qrels.txt", "-", "-m", "RR", given=run)
    assert code == 0
    assert len(systems(out)) == 1


def test_what_to_mind_of_the_data_is_said(command, folder):
    (folder / "few.run").write_text("q01 Q0 nowhere 1 2.5 few\n")
    words = ["qrels.txt", "bm25.run", "few.run", "-m", "RR"]
    code, _, err = command("evaluate", *words)
    assert (code, err) == (0, "")
    runs = {name: folder / f"{name}.run" for name in ("bm25", "few")}
    found = rr.evaluate(folder / "qrels.txt", runs, ["RR"]).cautions
    assert [each.strip() for each in command.cautions] == [*map(labelled, found)]
    stops = [each.text for each in found if each.severity == "stop"]
    assert len(stops) == 2
    code, out, err = command("compare", *words)
    assert (code, err, command.cautions) == (0, "", [])
    first, second, *_ = out.split("\n\n")
    assert all(each.startswith("Stop: ") for each in (first, second))
    assert all(text in f"{first}{second}" for text in stops)


def test_the_package_runs_as_a_module():
    ended = subprocess.run(
        [sys.executable, "-m", "rankreport", "--help"],
        capture_output=True,
        env=ENVIRONMENT,
        check=True,
    )
    assert b"evaluate" in ended.stdout


def test_a_real_pipe_is_read(folder):
    ended = process(
        *("evaluate", "qrels.txt", "mine=-", "-m", "RR"),
        input=(folder / "bm25.run").read_bytes(),
        cwd=folder,
    )
    assert ended.returncode == 0
    assert ended.stderr.startswith(b"Note: ")
    runs = {"mine": folder / "bm25.run"}
    expected = str(rr.evaluate(folder / "qrels.txt", runs, ["RR"]))
    assert ended.stdout.decode() == f"{expected.partition(chr(10) * 2)[0]}\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_queries_from_a_pipe_are_told_by_the_bytes_that_were_read(folder, tmp_path):
    pipe, table = tmp_path / "queries.csv", b"query_id,text\nq01,first\n"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as other:
        other.submit(pipe.write_bytes, table)
        ended = process(
            *("report", "qrels.txt", "bm25.run", "-m", "RR", "--queries", str(pipe)),
            *("-o", str(tmp_path / "report.json")),
            cwd=folder,
        )
    assert ended.returncode == 0
    recorded = json.loads((tmp_path / "report.json").read_text())["provenance"]["queries file"]
    assert recorded == f"queries.csv, 1 row, SHA-256 {hashlib.sha256(table).hexdigest()}"


# Failures

FAILURES = {
    "no such qrels": (
        "evaluate qrel.txt bm25.run -o out.csv",
        r"qrel\.txt does not exist\. Near it: qrels\.txt",
    ),
    "no such run": (
        "compare qrels.txt bm25.run new=bm26.run -o out.csv",
        "bm26.run does not exist",
    ),
    "unknown measure": (
        "evaluate qrels.txt bm25.run -m ndgc@10 -o out.csv",
        r"'ndgc@?1?0?' is not a measure\. Did you mean 'nDCG'\?",
    ),
    "unknown measure to explain": ("measures nDGC", r"Did you mean 'nDCG'\?"),
    "unknown parameter": ("evaluate qrels.txt bm25.run -m AP(rell=2)", r"Did you mean 'rel'\?"),
    "unknown ties": (
        "evaluate qrels.txt bm25.run --ties trek -o out.csv",
        r"ties='trek' .* Did you mean 'trec'\?",
    ),
    "unknown interval": (
        "compare qrels.txt bm25.run fusion.run --interval percentil -o out.csv",
        r"interval='percentil' .* Did you mean 'percentile'\?",
    ),
    "unknown test": (
        "report qrels.txt bm25.run fusion.run --test signflip -o out.html",
        r"test='signflip' .* Did you mean 'sign-flip'\?",
    ),
    "unknown correction": (
        "compare qrels.txt bm25.run fusion.run --correction holms -o out.csv",
        r"correction='holms' .* Did you mean 'holm'\?",
    ),
    "unknown query set": (
        "evaluate qrels.txt bm25.run --query-set intersect -o out.csv",
        r"'intersect' .* Did you mean 'intersection'\?",
    ),
    "unknown rule for nothing relevant": (
        "evaluate qrels.txt bm25.run --no-relevant skipp -o out.csv",
        r"'skipp' .* Did you mean 'skip'\?",
    ),
    "unknown place of names": (
        "evaluate qrels.txt bm25.run --name-from tags",
        r"--name-from='tags' .* Did you mean 'tag'\?",
    ),
    "unknown baseline": (
        "report qrels.txt bm25.run fusion.run --baseline fusoin -o out.html",
        r"baseline='fusoin' .* Did you mean 'fusion'\?",
    ),
    "a baseline of one": (
        "report qrels.txt bm25.run --baseline bm25 -o out.html",
        "--baseline needs a second run",
    ),
    "a margin of one": ("report qrels.txt bm25.run --margin 0.1", "--margin needs a second run"),
    "segments of one": (
        "report qrels.txt bm25.run --queries q.tsv --segment topic -o out.html",
        "--segment needs a second run",
    ),
    "a confidence of one": (
        "report qrels.txt bm25.run --confidence 0.5 -o out.html",
        r"--confidence needs a second run .* have 95% intervals from 10,000 resamples",
    ),
    "a seed of one": ("report qrels.txt bm25.run --seed 9", "--seed needs a second run"),
    "all pairs of one": ("report qrels.txt bm25.run --all-pairs", "--all-pairs needs a second run"),
    "weights without queries": (
        "compare qrels.txt bm25.run fusion.run --weights size -o out.csv",
        r"--weights names a column of the table of queries; add --queries FILE",
    ),
    "segments without queries": (
        "report qrels.txt bm25.run fusion.run --segment topic -o out.html",
        r"--segment names a column .* --queries FILE",
    ),
    "unknown segments": (
        "compare qrels.txt bm25.run fusion.run --queries q.tsv --segment topics -o out.csv",
        r"'topics' .* Did you mean 'topic'\?",
    ),
    "unknown across": (
        "compare qrels.txt bm25.run fusion.run --across measure -o out.csv",
        r"across='measure' .* Did you mean 'measures'\?",
    ),
    "no margin": (
        "compare qrels.txt bm25.run fusion.run --margin 0 -o out.csv",
        r"margin=0\.0: expected a number above 0",
    ),
    "no requirement": (
        "gate qrels.txt bm25.run fusion.run --require nDCG@10 -o out.md",
        r"'nDCG@10' is not a requirement: expected a measure, one of > >= < <=, and a number",
    ),
    "a requirement of a level": (
        "gate qrels.txt bm25.run fusion.run --require 'nDCG@10 > 0.6' -o out.md",
        r"0\.6 looks like a level of nDCG@10",
    ),
    "a requirement of no measure": (
        "gate qrels.txt bm25.run fusion.run --require 'ndgc > 0' -o out.md",
        r"'ndgc' is not a measure\. Did you mean 'nDCG'\?",
    ),
    "a requirement of a measure that is none of the report's": (
        "report qrels.txt bm25.run fusion.run -m nDCG@10 --require 'map > 0' -o out.md",
        r"'map > 0' is of AP, which was not evaluated\. Evaluated: nDCG@10; evaluate AP too\.",
    ),
    "a page that shall be run": (
        "report qrels.txt bm25.run fusion.run --execute -o out.html",
        r"--execute is for a notebook: add -o report\.ipynb\.",
    ),
    "data inside a page": (
        "report qrels.txt bm25.run --data-inside -o out.html -o out.md",
        r"--data-inside is for a notebook: add -o report\.ipynb\.",
    ),
    "unknown inconclusive": (
        "gate qrels.txt bm25.run fusion.run --require 'RR > 0' --inconclusive passes -o out.md",
        r"--inconclusive='passes' .* Did you mean 'pass'\?",
    ),
    "a bad suffix of a gate": (
        "gate qrels.txt bm25.run fusion.run --require 'RR > 0' -o out.html",
        r"output suffix='\.html' is not one of '\.md', '\.xml', '\.json'",
    ),
    "no power": (
        "plan qrels.txt bm25.run fusion.run --power 80 -o out.csv",
        r"power=80\.0 must lie between",
    ),
    "a bad suffix of a plan": (
        "plan qrels.txt bm25.run fusion.run -o out.pdf",
        r"output suffix='\.pdf' is not one of '\.parquet', .*'\.svg'",
    ),
    "no confidence": (
        "compare qrels.txt bm25.run fusion.run --confidence 95 -o out.csv",
        r"confidence=95\.0 must lie between 0 and 1",
    ),
    "too few resamples": (
        "compare qrels.txt bm25.run fusion.run --resamples 9 -o out.csv",
        "resamples=9 is too few",
    ),
    "swapped": (
        "evaluate bm25.run qrels.txt -o out.csv",
        r"bm25\.run looks like a run: .* Are the two swapped\?",
    ),
    "a bad suffix": (
        "evaluate qrels.txt bm25.run -o out.txt",
        r"output suffix='\.txt' is not one of '\.parquet', '\.csv'",
    ),
    "a bad suffix of a report": (
        "report qrels.txt bm25.run -o out.html -o out.pdf",
        r"output suffix='\.pdf' is not one of '\.html', '\.ipynb'",
    ),
    "two of one name": (
        "evaluate qrels.txt bm25.run ./bm25.run -o out.csv",
        r"Two runs are named 'bm25': bm25\.run and \./bm25\.run\. Name one: other=\./bm25\.run",
    ),
    "two from standard input": (
        "evaluate qrels.txt a=- b=- -o out.csv",
        "Only one input can come from standard input",
    ),
    "a name that is too long": (
        f"evaluate {'q' * 300} bm25.run -o out.csv",
        "File name too long|does not exist",
    ),
    "a run of a name that is too long": (
        f"evaluate qrels.txt {'q' * 300} -o out.csv",
        "File name too long|does not exist",
    ),
    "a folder": ("evaluate qrels.txt sub -o out.csv", "sub is a folder; a file is expected"),
    "no text": ("evaluate qrels.txt binary.run -o out.csv", "binary.run is binary"),
    "nothing": ("evaluate qrels.txt empty.run -o out.csv", "empty.run is empty"),
    "a fault in a line": (
        "evaluate qrels.txt broken.run -o out.csv",
        r"broken\.run.*line 2.*'high'",
    ),
    "another collection": (
        "evaluate qrels.txt other.run -o out.csv",
        "other.run has no query in common with qrels.txt",
    ),
    "queries without a header": (
        "report qrels.txt bm25.run fusion.run --queries qrels.txt -o out.html",
        "qrels.txt has no header",
    ),
}


@pytest.mark.parametrize(("line", "expected"), FAILURES.values(), ids=FAILURES)
def test_a_failure_is_one_paragraph_on_standard_error(command, folder, line, expected):
    queries(folder / "q.tsv")
    (folder / "sub").mkdir()
    (folder / "binary.run").write_bytes(b"\x00\x01" * 40)
    (folder / "empty.run").write_bytes(b"")
    (folder / "broken.run").write_text("q01 Q0 a 1 2.0 t\nq01 Q0 b 2 high t\n", encoding="utf-8")
    (folder / "other.run").write_text("topic-9 Q0 a 1 2.0 t\n", encoding="utf-8")
    before = set(folder.iterdir())
    code, out, err = command(*shlex.split(line))
    assert code == 2
    assert out == ""
    assert err.startswith("rankreport: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1, "one paragraph"
    assert re.search(expected, err), err
    assert "Traceback" not in err
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize(
    "line",
    [
        "evaluate qrels.txt bm25.run -m RR -o nowhere/out.csv",
        "compare qrels.txt bm25.run fusion.run -m RR -o nowhere/out.parquet",
        "report qrels.txt bm25.run -m RR -o nowhere/out.json",
        "report qrels.txt bm25.run -m RR -o nowhere/out.ipynb",
        "report qrels.txt bm25.run -m RR -o out.json -o nowhere/out.html",
    ],
)
def test_an_output_that_cannot_be_written_is_a_failure(command, folder, line):
    before = set(folder.iterdir())
    code, out, err = command(*shlex.split(line))
    assert (code, out) == (2, "")
    assert re.fullmatch(r"rankreport: .*nowhere.* Does its folder exist\?\n", err)
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize("given", ["-o{}", "-o {}", "--output={}", "--output {}"])
def test_the_command_in_a_report_names_no_folder(command, small, tmp_path, monkeypatch, given):
    monkeypatch.chdir(small)
    file = tmp_path / "r.json"
    words = given.format(file).split()
    code, _, _ = command("report", small / "qrels.txt", f"x={small}/a.run", "-m", "RR", *words)
    assert code == 0
    recorded = json.loads(file.read_text(encoding="utf-8"))["provenance"]["command"]
    expected = given.format("r.json")
    assert recorded == f"rankreport report qrels.txt x=a.run -m RR {expected}"


def test_demo_into_a_file_is_a_failure(command, folder):
    code, _, err = command("demo", "-o", "qrels.txt")
    assert code == 2
    assert err.startswith("rankreport: Folder qrels.txt/inputs cannot be created: ")
    assert folder.exists()


OF_OTHER_TOOLS = {
    "-q": ("--per-query", {}),
    "-l 2": ("-m AP(rel=2)", {"measures": "AP(rel=2)"}),
    "-M 10": ("-m AP@10", {"measures": "AP@10"}),
    "-J": ("-m AP(judged_only=True)", {"measures": "AP(judged_only=True)"}),
    "--k 10": ("-m nDCG@10", {"measures": "nDCG@10"}),
}


@pytest.mark.parametrize("typed", OF_OTHER_TOOLS)
def test_an_option_of_another_tool_is_answered_by_one_that_works(command, folder, typed):
    answer, options = OF_OTHER_TOOLS[typed]
    files = ("evaluate", "qrels.txt", "bm25.run")
    code, _, err = command(*files, *typed.split())
    assert code == 2
    assert answer in err.replace("'", "")
    code, out, _ = command(*files, *answer.split())
    made = evaluated(folder, "bm25", **options)
    shown = rr.to_table(made.per_query()) if typed == "-q" else made
    assert code == 0
    assert f"{shown}".startswith(out.strip())


def test_options_of_another_tool_are_answered_at_once(command):
    code, _, err = command("evaluate", "-q", "-l", "2", "qrels.txt", "bm25.run")
    assert (code, "--per-query" in err, "-m 'AP(rel=2)'" in err) == (2, True, True)


@pytest.mark.parametrize("typed", ["--metrics AP", "--metric=AP", "-c -m AP", "AP"])
def test_an_option_of_another_tool_that_means_the_same_is_accepted(command, folder, typed):
    code, out, _ = command("evaluate", "qrels.txt", "bm25.run", *typed.split())
    assert code == 0
    assert f"{evaluated(folder, 'bm25', measures='AP')}".startswith(out.strip())


@pytest.mark.usefixtures("folder")
def test_a_gate_as_others_call_it_is_answered_by_the_requirement(command):
    line = ["gate", "--qrels", "qrels.txt", "--baseline", "bm25.run", "--metric", "AP"]
    code, _, err = command(*line)
    assert (code, "in the order of the usage" in err) == (2, True)
    requirement = re.search(r"--require '(.*?)'", err)[1]
    code, out, err = command(
        "gate", "qrels.txt", "bm25.run", "fusion.run", "--require", requirement
    )
    assert (code in {0, 1, 3}, "nDCG@10" in out) == (True, True), err


def test_measures_in_one_option_or_among_the_runs(command, folder):
    code, out, _ = command("evaluate", "qrels.txt", "bm25.run", "-m", "nDCG@10,P@5")
    assert code == 0
    assert f"{evaluated(folder, 'bm25', measures=['nDCG@10', 'P@5'])}".startswith(out.strip())
    for line in (["nDCG@10", "AP(rel=2)"], ["nDCG@10 AP(rel=2)"], ["-m", "nDCG@10", "AP(rel=2)"]):
        code, out, _ = command("evaluate", "qrels.txt", "bm25.run", *line)
        assert code == 0
        made = evaluated(folder, "bm25", measures=["nDCG@10", "AP(rel=2)"])
        assert f"{made}".startswith(out.strip())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("evaluate", "Missing argument 'QRELS'"),
        ("compare qrels.txt bm25.run", "Missing argument 'RUN"),
        ("evaluat qrels.txt bm25.run", "No such command 'evaluat'"),
        ("evaluate qrels.txt bm25.run --tie trec", "No such option"),
        ("evaluate -n -q qrels.txt bm25.run", "It is not needed: leave it out. The values of each"),
        ("qrels.txt bm25.run", "Name a command first, such as: rankreport evaluate QRELS RUN."),
        ("-m map qrels.txt bm25.run", "Name a command first, such as: rankreport evaluate"),
        ("compare qrels.txt bm25.run fusion.run --seed x", "'--seed'"),
        ("compare qrels.txt bm25.run fusion.run --confidence much", "'--confidence'"),
        ("report qrels.txt bm25.run -o", "'-o' requires an argument"),
        ("gate qrels.txt bm25.run fusion.run", "Missing option '--require'"),
        ("plan qrels.txt bm25.run fusion.run --n many", "'--n'"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_where_help_is(command, folder, line, expected):
    code, out, err = command(*shlex.split(line))
    assert (code, out) == (2, "")
    assert expected in err
    assert "Traceback" not in err
    assert folder.exists()


def test_the_exit_code_of_the_program_is_2(folder):
    ended = process("evaluate", "nowhere.txt", "bm25.run", cwd=folder, text=True)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "rankreport: nowhere.txt does not exist.\n"


def test_files_that_are_not_there_are_told_in_our_words(command, folder):
    for option in ("--introduction", "--closing"):
        code, _, err = command("report", "qrels.txt", "bm25.run", option, "nowhere.md")
        message = "rankreport: nowhere.md cannot be read: No such file or directory.\n"
        assert (code, err) == (2, message), folder


# Help

RUNNER = CliRunner()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_every_option_and_teaches_by_example(name):
    helped = RUNNER.invoke(app, [name, "--help"], terminal_width=100, color=False)
    short = RUNNER.invoke(app, [name, "-h"], terminal_width=100, color=False)
    assert helped.exit_code == 0
    assert helped.output == short.output
    assert re.search(r"^  Examples?:$", helped.output, re.MULTILINE)
    assert examples(name)
    if name in {"evaluate", "compare", "report", "gate", "plan"}:
        for option in ("--ties", "--query-set", "--no-relevant", "--output"):
            assert option in helped.output


def examples(name):
    """List the commands that a command's help shows."""
    shown = RUNNER.invoke(app, [name, "--help"], terminal_width=100, color=False).output
    return re.findall(r"^    rankreport (.+)$", shown, re.MULTILINE)


@pytest.mark.parametrize(
    "line", [line for name in COMMANDS if name != "demo" for line in examples(name)]
)
def test_the_examples_of_the_help_work(command, small, tmp_path, monkeypatch, line):
    for path in small.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    if line.startswith("history page") or "history:latest" in line:
        command("evaluate", "qrels.txt", "bm25.run", "--store", "history")
    before = set(tmp_path.iterdir())
    code, out, err = command(*shlex.split(line), *(["-m", "RR"] if "report " in line else []))
    assert code in ({0, 1, 3} if line.startswith("gate ") else {0}), err
    assert out
    paths = {Path(line.removeprefix("Wrote ")) for line in err.splitlines()}
    made = {path.relative_to(tmp_path) for path in set(tmp_path.iterdir()) - before}
    assert all(path.exists() for path in paths)
    assert made - {Path(path.parts[0]) for path in paths} <= {Path("report.scores.parquet")}
    assert made or "-o" not in line


def test_the_version_is_that_of_the_package():
    result = RUNNER.invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (
        0,
        f"rankreport {metadata.version('rankreport')}\n",
    )


def test_nothing_given_is_helped():
    nothing = RUNNER.invoke(app, [])
    assert "Usage: " in nothing.output
    shown = RUNNER.invoke(app, ["--help"]).output
    assert all(re.search(rf"^  {name} ", shown, re.MULTILINE) for name in COMMANDS)
    assert "rankreport demo" in shown


# Streams


# Names stages at once, where others wait for a second of work, and makes each last.
EAGER = """
import time
import rankreport.progress
from rankreport.cli import main
rankreport.progress.DELAY = rankreport.progress._INTERVAL = 0.01
pop = rankreport.progress._Stage.advance
def slow(stage, n):
    time.sleep(0.05)
    pop(stage, n)
rankreport.progress._Stage.advance = slow
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_progress_is_shown_to_a_terminal_and_never_on_standard_output(folder):
    import pty
    import termios

    arguments = ["compare", "qrels.txt", "bm25.run", "fusion.run", "-m", "RR"]
    arguments += ["--interval", "percentile"]  # which is drawn, where the usual one need not be
    program = [sys.executable, "-c", EAGER, *arguments]
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (30, 100))
    with subprocess.Popen(
        program, stdout=subprocess.PIPE, stderr=theirs, env=ENVIRONMENT, cwd=folder
    ) as watched:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # how Linux ends a terminal that nobody writes to any more
            pass
        out = watched.stdout.read()
    os.close(ours)
    assert watched.returncode == 0
    assert b"resampling" in shown
    assert shown.rstrip(b" ").endswith(b"\r"), "the bar is wiped when it is done"
    unwatched = subprocess.run(
        program, capture_output=True, env=ENVIRONMENT, cwd=folder, check=True
    )
    assert unwatched.stderr == b""
    assert unwatched.stdout == out
    assert b"resampling" not in out


PASSING = "gate qrels.txt bm25.run fusion.run --require 'RR > -0.2'"
FAILING = "gate qrels.txt bm25.run fusion.run --require 'RR > 0.2'"


def slow(*case):
    return pytest.param(*case, marks=pytest.mark.slow)


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("measures", 0),
        slow("--help", 0),
        slow("evaluate qrels.txt bm25.run --per-query -o scores.parquet", 0),
        slow("report qrels.txt bm25.run fusion.run -m RR -o page.md", 0),
        slow(PASSING, 0),
        slow(FAILING, 1),
        slow(f"{PASSING} --seed x", 2),
        slow("evaluate nowhere.txt bm25.run", 2),
    ],
)
def test_a_reader_who_has_seen_enough_changes_nothing(folder, line, code):
    """Neither the exit code, which means something, nor what is said on standard error."""
    arguments = shlex.split(line)
    heard = process(*arguments, cwd=folder)
    reading, writing = os.pipe()
    os.close(reading)  # as head does when it has its line
    ended = process(*arguments, cwd=folder, stdout=writing)
    deaf = process(*arguments, cwd=folder, stdout=writing, stderr=writing)
    os.close(writing)
    assert (heard.returncode, ended.returncode, deaf.returncode) == (code, code, code)
    assert ended.stderr == heard.stderr


@pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")
@pytest.mark.slow
@pytest.mark.parametrize(("line", "code"), [(PASSING, 0), (FAILING, 1), ("measures", 0)])
def test_no_standard_output_is_needed(folder, line, code):
    heard = process(*shlex.split(line), cwd=folder)
    shell = f"{shlex.join(PROGRAM)} {line} >&-"
    ended = subprocess.run(
        ["sh", "-c", shell], capture_output=True, env=ENVIRONMENT, cwd=folder, check=False
    )
    assert (ended.returncode, ended.stderr) == (code, heard.stderr)
    silent = subprocess.run(
        ["sh", "-c", f"{shell} 2>&-"], capture_output=True, env=ENVIRONMENT, cwd=folder, check=False
    )
    assert (silent.returncode, silent.stderr) == (code, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk here")
def test_a_result_that_cannot_be_printed_is_an_error(folder):
    with Path("/dev/full").open("wb") as full:
        ended = process(*shlex.split(PASSING), cwd=folder, stdout=full)
    message = b"rankreport: The result cannot be printed: No space left on device.\n"
    assert (ended.returncode, ended.stderr) == (2, message)


# --- unexpected errors, and streams that cannot encode --------------------------------------------


@pytest.fixture
def broken(monkeypatch):
    """An error that no code expects, in the middle of every evaluation."""

    def fail(*_, **__):
        raise ZeroDivisionError("of a\nkind")

    monkeypatch.setattr("rankreport.evaluate", fail)


@pytest.mark.usefixtures("broken", "folder")
def test_an_unexpected_error_exits_70_with_one_line(command):
    gate_of = ("gate", "qrels.txt", "bm25.run", "fusion.run", "--require", "AP > -1")
    code, out, err = command(*gate_of)
    assert (code, out) == (70, "")
    assert err.count("\n") == 1
    assert err.startswith("rankreport: unexpected error: ZeroDivisionError: of a kind. ")
    assert "please report it with the command and this line" in err
    code, out, err = command("--debug", *gate_of)
    assert (code, out) == (70, "")
    assert err.startswith("Traceback (most recent call last):\n")
    assert "ZeroDivisionError" in err.splitlines()[-1]


@pytest.mark.usefixtures("folder")
def test_a_panic_is_an_unexpected_error(command, monkeypatch):
    from polars.exceptions import PanicException

    def fail(*_, **__):
        raise PanicException("called `Option::unwrap()` on a `None` value")

    monkeypatch.setattr("rankreport.evaluate", fail)
    assert command("evaluate", "qrels.txt", "bm25.run")[0] == 70


@pytest.mark.usefixtures("folder")
def test_what_does_not_fit_in_memory_is_no_fault(command, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("rankreport.evaluate", fail)
    code, out, err = command("evaluate", "qrels.txt", "bm25.run")
    assert (code, out) == (2, "")
    assert err.startswith("rankreport: This does not fit in memory. Give fewer runs")
    assert "fault" not in err


def test_help_of_the_gate_names_the_exit_code_of_an_unexpected_error():
    text = CliRunner().invoke(app, ["gate", "--help"]).output
    assert "70 for an unexpected error" in " ".join(text.split())


@pytest.mark.parametrize("encoding", ["ascii", "latin-1:strict"])
def test_a_stream_that_cannot_encode_gets_a_replacement(encoding, folder):
    (folder / "中.run").write_bytes((folder / "bm25.run").read_bytes())
    ended = subprocess.run(
        [*PROGRAM, "evaluate", "qrels.txt", "→=中.run", "bm25.run"],
        env={**ENVIRONMENT, "PYTHONIOENCODING": encoding},
        cwd=folder,
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert b"Traceback" not in ended.stderr
    assert re.search(rb"^\? +0\.6537", ended.stdout, re.MULTILINE)


def test_a_set_of_outputs_that_fails_is_taken_back(command, folder, monkeypatch):
    (folder / "report.html").write_text("old", encoding="utf-8")

    def fail(*_, **__):
        raise rr.OutputError("The disk is full.")

    monkeypatch.setattr("rankreport.reports.Report.to_notebook", fail)
    outputs = ("-o", "report.html", "-o", "report.json", "-o", "report.ipynb")
    code, _, err = command("report", "qrels.txt", "bm25.run", "fusion.run", *outputs)
    assert (code, err) == (2, "rankreport: The disk is full.\n")
    assert (folder / "report.html").read_text(encoding="utf-8") == "old"
    assert not (folder / "report.json").exists()


def outputs_in(folder):
    return sorted(path.name for path in folder.iterdir() if not path.is_symlink())


ENDED_MIDWAY = """
import os, signal, sys, time
from rankreport.cli import main
from rankreport.reports import notebook

number = getattr(signal, sys.argv.pop())
# A process started under nohup would ignore SIGHUP, and hand that on.
if number == signal.SIGHUP:
    signal.signal(number, signal.SIG_DFL)

def end(*_, **options):
    os.kill(os.getpid(), number)
    time.sleep(60)

notebook.{place} = end
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("SIGTERM", "write_text"),
        slow("SIGINT", "write_text"),
        slow("SIGHUP", "write_text"),
        slow("SIGKILL", "write_text"),
        slow("SIGTERM", "write_frame"),
        slow("SIGTERM", "run_notebook"),
    ],
)
def test_outputs_of_a_process_that_is_ended_midway(name, place, folder):
    """They are taken back; nobody can do that after SIGKILL, but each file is whole."""
    (folder / "report.html").write_text("old", encoding="utf-8")
    (folder / "queries.csv").write_text("qid,text\nq01,one\n", encoding="utf-8")
    outputs = ("-o", "report.html", "-o", "report.json", "-o", "report.ipynb")
    line = ["report", "qrels.txt", "bm25.run", "fusion.run", "-m", "RR", *outputs]
    line += ["--queries", "queries.csv", *(["--execute"] if place == "run_notebook" else [])]
    ended = subprocess.run(
        [sys.executable, "-c", ENDED_MIDWAY.replace("{place}", place), *line, name],
        env=ENVIRONMENT,
        cwd=folder,
        capture_output=True,
        check=False,
    )
    number = signal.Signals[name]
    killed = name == "SIGKILL"
    assert ended.returncode == (-number if killed else 128 + number), ended.stderr
    page = (folder / "report.html").read_text(encoding="utf-8")
    if killed:
        assert page.endswith("</html>\n")
        rr.load_report(folder / "report.json")
        rr.load_evaluation(folder / "report.scores.parquet")
        assert not (folder / "report.ipynb").exists()
    else:
        assert page == "old"
        assert outputs_in(folder) == ["queries.csv", "report.html"]


def test_two_outputs_never_write_one_file(command, folder):
    outputs = ("-o", "report.ipynb", "-o", "report.scores.parquet")
    code, _, err = command("report", "qrels.txt", "bm25.run", "fusion.run", "-m", "RR", *outputs)
    assert code == 2
    assert "-o report.scores.parquet and -o report.ipynb both write report.scores.parquet" in err
    assert outputs_in(folder) == []


def test_templates_are_said_to_be_code():
    text = " ".join(CliRunner().invoke(app, ["report", "--help"]).output.split())
    assert "They are code: use only those you trust." in text
