"""Folders and patterns of several data sets."""

from __future__ import annotations

import polars as pl
import pytest
from typer.testing import CliRunner

import rankreport as rr
from rankreport.cli.app import app

NAMES = ("law", "trec-law", "cqa/unix", "cqa/games")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def folder(tmp_path):
    """Write data sets in BEIR's form, and one with qrels.txt."""
    for name in NAMES[1:]:
        write(tmp_path / name / "qrels" / "test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n")
        write(tmp_path / name / "queries.jsonl", f'{{"_id": "q1", "text": "of {name}"}}\n')
    write(tmp_path / "law" / "qrels.txt", "q1 0 d1 1\n")
    return tmp_path


def written(folder, *places, system="bm25"):
    """Write runs of which those of law find nothing."""
    for name in NAMES:
        for place in places:
            path = folder / place.format(dataset=name, system=system)
            write(path, f"q1 Q0 {'x' if name == 'law' else 'd1'} 1 9.5 tag\n")


@pytest.mark.parametrize(
    ("place", "runs", "system"),
    [
        ("runs/{system}/{dataset}.trec", None, "bm25"),
        ("{dataset}/runs/{system}.run", None, "bm25"),
        ("out/{dataset}/{system}.txt", "out", "bm25"),
        ("out/run.beir.{system}.{dataset}.txt", "out/run.beir.{system}.{dataset}.txt", "bm25"),
        ("out/{system}/{dataset}_.trec", "out/{system}/{dataset}_.trec", "bm25"),
        ("out/{system}/{dataset}.trec", "out/{system}/{dataset}.trec", "bm25"),
        ("out/{system}/{dataset}.trec", "out/bm25/{dataset}.trec", "bm25"),
    ],
)
def test_runs_are_found_by_their_names(folder, place, runs, system):
    written(folder, place)
    made = rr.evaluate(folder, runs and str(folder / runs), "RR")
    assert made.over_datasets().rows() == [(system, 2 / 3, 1.0, 0.0, 3, 0.0, 1.0, 1.0)]
    assert made.datasets == ("law", "trec-law", "cqa")
    texts = dict(made.queries.rows())
    assert texts == {f"{name}/q1": f"of {name}" for name in NAMES[1:]}


def test_a_pattern_names_the_data_sets(tmp_path):
    for name in ("law", "arts"):
        write(tmp_path / "judged" / f"{name}.qrels", "q1 0 d1 1\n")
        write(tmp_path / f"{name}-runs" / "a.run", "q1 Q0 d1 1 9.5 tag\n")
    runs = {"mine": str(tmp_path / "{dataset}-runs" / "a.run")}
    made = rr.evaluate(str(tmp_path / "judged" / "{dataset}.qrels"), runs, "RR")
    assert made.over_datasets().columns[-2:] == ["arts", "law"]
    assert made.systems == ("mine",)


def test_splits_are_named(folder):
    written(folder, "runs/{system}/{dataset}.trec")
    (folder / "trec-law" / "qrels" / "test.tsv").rename(folder / "trec-law" / "qrels" / "dev.tsv")
    with pytest.raises(rr.DataError, match=r"test\.tsv does not exist"):
        rr.evaluate(rr.read_datasets(folder), None, "RR")
    named = rr.read_datasets(folder, splits={"trec-law": "dev"})
    assert len(rr.evaluate(named, None, "RR").datasets) == 3
    collections = {name: rr.read_beir(folder / "cqa" / name) for name in ("unix", "games")}
    collections["law"] = rr.read_beir(folder / "trec-law", split="dev")
    with pytest.raises(rr.OptionError, match="'law' and 'unix' differ in split: dev and test"):
        rr.join_datasets({n: rr.evaluate(c, {"q1": ["d1"]}, "RR") for n, c in collections.items()})


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("runs/bm25/lwa.trec", "is a run of no data set. They are: law, trec-law"),
        ("runs/bm25/law.run", "are both 'bm25' on law"),
        ("runs/law.run", "is a run of no data set"),
        ("other/queries.jsonl", "other holds no judgments. Expected FOLDER"),
    ],
)
def test_files_that_fit_nothing_are_errors(folder, wrong, words):
    written(folder, "runs/{system}/{dataset}.trec")
    write(folder / wrong, "q1 Q0 d1 1 9.5 tag\n")
    with pytest.raises(rr.DataError, match=words):
        rr.evaluate(folder, None, "RR")


def test_a_data_set_without_runs_is_named(folder):
    written(folder, "runs/{system}/{dataset}.trec")
    (folder / "runs" / "bm25" / "law.trec").unlink()
    with pytest.raises(rr.DataError, match="There is no run of law"):
        rr.evaluate(folder, None, "RR")
    others = rr.read_datasets(folder, names=["trec-law", "cqa/unix"])
    assert rr.evaluate(others, str(folder / "runs/{system}/{dataset}.trec"), "RR").datasets


@pytest.mark.parametrize("runs", [[], ["runs"], ["bm25=runs/bm25/{dataset}.trec"]])
def test_the_command_takes_a_folder_of_data_sets(folder, monkeypatch, runs):
    written(folder, "runs/{system}/{dataset}.trec")
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, ["evaluate", "--datasets", ".", *runs, "-m", "RR"])
    means, by_dataset = done.stdout.split("\n\n")
    assert means.split()[-2:] == ["bm25", "0.6667"]
    lines = [line.split() for line in by_dataset.splitlines()]
    assert lines[0] == ["RR", "by", "data", "set", "(number", "of", "queries)"]
    assert ["mean", "0.667"] in lines
    assert [line[0] for line in lines[6:]] == ["law", "trec-law", "cqa"]
    done = CliRunner().invoke(app, ["evaluate", "--datasets", ".", "--subset", "en", *runs])
    assert "--subset has no meaning with --datasets" in str(done.exception)


def test_names_of_data_sets_that_tables_have_are_refused(folder):
    written(folder, "runs/{system}/{dataset}.trec")
    (folder / "law").rename(folder / "mean")
    (folder / "runs" / "bm25" / "law.trec").rename(folder / "runs" / "bm25" / "mean.trec")
    with pytest.raises(rr.OptionError, match="'mean' is a column of tables"):
        rr.evaluate(folder, None, "RR")


def test_repeats_of_several_data_sets_are_refused_by_name():
    qrels = pl.DataFrame({"dataset": ["a", "b"], "query_id": "q", "doc_id": "d", "relevance": 1})
    run = qrels.select("dataset", "query_id", "doc_id", score=1.0)
    runs = pl.concat([run.with_columns(repeat=pl.lit(n)) for n in (1, 2)])
    with pytest.raises(rr.OptionError, match="'s' has several runs, and the judgments have"):
        rr.evaluate(qrels, {"s": runs}, "RR")


@pytest.mark.parametrize(
    ("name", "left"),
    [("law", {"trec-law", "cqa"}), ("cqa", {"law", "trec-law"}), ("cqa/unix", None)],
)
def test_data_sets_are_left_out_by_name(folder, monkeypatch, name, left):
    written(folder, "runs/{system}/{dataset}.trec")
    monkeypatch.chdir(folder)
    given = ["evaluate", "-m", "RR", "--leave-out", name]
    shown = CliRunner().invoke(app, [*given, "--datasets", "."]).stdout
    listed = {line.split()[0] for line in shown.split("Borda")[1].splitlines()[1:]}
    assert listed == (left or {"law", "trec-law", "cqa"})
    done = CliRunner().invoke(app, [*given, "qrels.txt", "a.run"])
    assert "--leave-out goes with --datasets FOLDER" in str(done.exception)
    done = CliRunner().invoke(app, ["evaluate", "--datasets", ".", "--leave-out", "lwa"])
    assert "Did you mean 'law'" in str(done.exception)
