"""Files with the results of several systems, told apart by a column."""

from __future__ import annotations

import json
import sys

import polars as pl
import pytest

import rankreport as rr
from rankreport.cli import main

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d7": 2}}
RUNS = {
    "old": {"q1": {"d2": 2.5, "d1": 0.1 + 0.2}, "q2": {"d7": 1.0}},
    "new": {"q1": {"d1": 3.5, "d2": 1 / 3}, "q2": {"d3": 2.0, "d7": 1.0}},
}
ROWS = [
    (system, q, d, score)
    for system, run in RUNS.items()
    for q, row in run.items()
    for d, score in row.items()
]
WRITERS = {
    "long.csv": pl.DataFrame.write_csv,
    "long.tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "long.parquet": pl.DataFrame.write_parquet,
    "long.jsonl": pl.DataFrame.write_ndjson,
    "long.csv.gz": lambda frame, path: frame.write_csv(path, compression="gzip"),
}


def long(column="system", rows=ROWS):
    return pl.DataFrame(rows, schema=[column, "qid", "docno", "score"], orient="row")


@pytest.fixture(params=WRITERS)
def written(request, tmp_path):
    def write(frame):
        path = tmp_path / request.param
        WRITERS[request.param](frame, path)
        return path

    return write


@pytest.mark.parametrize("column", ["system", "Run", "tag", "name"])
def test_each_system_is_a_run(written, column):
    found = rr.evaluate(QRELS, written(long(column)))
    assert found.systems == ("new", "old")
    expected = rr.evaluate(QRELS, {name: RUNS[name] for name in found.systems})
    assert found.scores.equals(expected.scores)
    assert {each["name"].rpartition("/")[2] for each in found.inputs[1:]} == {
        written(long(column)).name
    }
    shuffled = long(column).sort("score").sort(column, descending=True)
    assert rr.evaluate(QRELS, written(shuffled)).scores.equals(expected.scores)


def test_beside_other_files(written, tmp_path):
    (tmp_path / "third.json").write_text(json.dumps(RUNS["old"]))
    found = rr.evaluate(QRELS, [written(long()), tmp_path / "third.json"])
    assert found.systems == ("new", "old", "third")
    (tmp_path / "old.json").write_text(json.dumps(RUNS["old"]))
    with pytest.raises(rr.OptionError, match="Two runs would be named 'old'"):
        rr.evaluate(QRELS, [written(long()), tmp_path / "old.json"])


def test_one_system_is_named_after_the_file(written):
    only = written(long("tag").filter(tag="old"))
    assert rr.evaluate(QRELS, only).systems == (only.name.removesuffix(".gz")[:4],)
    assert rr.evaluate(QRELS, only, name="mine").systems == ("mine",)


def test_a_name_is_for_a_run_by_itself(written):
    with pytest.raises(rr.OptionError, match=r"name='mine' is for a run by itself.*new, old"):
        rr.evaluate(QRELS, written(long()), name="mine")


TITLES = [("A red lamp", "q1", "d1", 2.0), ("A blue lamp", "q1", "d2", 1.0)]


def test_names_of_documents_are_no_systems(written):
    for rows in (TITLES, [*TITLES, TITLES[0]]):
        with pytest.raises(rr.DataError, match=r"long\..*column 'name' with 2 values.*drop it"):
            rr.evaluate(QRELS, written(long("name", rows)))
        with pytest.raises(rr.DataError, match=r"runs has a column 'name' with 2 values.*drop it"):
            rr.evaluate(QRELS, long("name", rows))
    called_so = rr.evaluate(QRELS, written(long("system", TITLES)))
    assert called_so.systems == ("A blue lamp", "A red lamp")


@pytest.mark.parametrize("missing", [None, " "])
def test_a_row_without_a_system_is_an_error_that_names_its_place(written, missing):
    path = written(long(rows=[*ROWS[:2], (missing, "q1", "d9", 1.0), *ROWS[2:]]))
    place = {"csv": "line 4", "tsv": "line 4", "jsonl": "line 3", "parquet": "row 3"}
    with pytest.raises(rr.DataError) as caught:
        rr.evaluate(QRELS, path)
    kind = path.name.split(".")[1]
    assert f"{path}, {place[kind]} has no system in column 'system'" in str(caught.value)


def test_faults_are_named_by_their_place_in_the_file(written):
    path = written(long(rows=[*ROWS, ROWS[-1]]))
    place = {"csv": "line 9", "tsv": "line 9", "jsonl": "line 8", "parquet": "row 8"}
    with pytest.raises(rr.DataError, match=place[path.name.split(".")[1]]):
        _ = rr.evaluate(QRELS, path).scores


def test_it_is_no_judgments(written):
    path = written(long())
    with pytest.raises(rr.DataError):
        _ = rr.evaluate(path, RUNS).scores


def test_on_the_command_line(written, capsys, tmp_path, monkeypatch):
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    paths = [str(tmp_path / "qrels.json"), str(written(long()))]
    monkeypatch.setattr(sys, "argv", ["rankreport", "evaluate", *paths])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(("old ", "new "))] == [
        "new",
        "old",
    ]


def test_damaged_files_are_errors_of_the_reader(tmp_path):
    path = tmp_path / "long.jsonl"
    path.write_text('{"system": "a", "qid": "q1", "docno": "d1", "score": 1}\n{"system":\n')
    with pytest.raises(rr.DataError, match="line 2"):
        _ = rr.evaluate(QRELS, path).scores
    path = tmp_path / "long.parquet"
    long().write_parquet(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(rr.DataError, match=r"long\.parquet"):
        _ = rr.evaluate(QRELS, path).scores


@pytest.mark.parametrize("column", ["system", "model", "tag"])
def test_several_systems_under_one_name_are_refused(written, column):
    for given in (written(long(column)), long(column)):
        for read in (lambda x: rr.evaluate(QRELS, {"mine": x}), rr.read_run):
            with pytest.raises(rr.DataError) as caught:
                read(given)
            assert f"2 systems, which column '{column}' names: 'old', 'new'" in str(caught.value)
            assert "without a name" in str(caught.value)


def test_systems_that_share_no_document_are_refused_under_one_name():
    rows = [("old", "q1", "d1", 1.0), ("new", "q2", "d7", 1.0)]
    with pytest.raises(rr.DataError, match="2 systems"):
        rr.evaluate(QRELS, {"mine": long(rows=rows)})
    assert rr.evaluate(QRELS, {"mine": long("name", rows)}).systems == ("mine",)  # titles


def test_one_system_goes_under_another_name(written):
    rows = [row for row in ROWS if row[0] == "old"]
    assert rr.evaluate(QRELS, {"mine": written(long(rows=rows))}).systems == ("mine",)


def test_a_column_of_models_names_systems(written):
    assert rr.evaluate(QRELS, written(long("model"))).systems == ("new", "old")


# A pattern whose files name a system each


def files_of_systems(folder, **rows):
    for name, (system, of_file) in rows.items():
        lines = "".join(f"{system},{row}\n" for row in of_file)
        (folder / f"{name}.csv").write_text(f"system,qid,docno,score\n{lines}")
    return str(folder / "*.csv")


def test_files_of_a_pattern_that_name_a_system_each_are_systems(tmp_path):
    pattern = files_of_systems(
        tmp_path,
        a=("bm25", ["q1,d1,2", "q1,d2,1"]),
        b=("dense", ["q2,d3,3"]),  # no query in common: nothing is repeated
    )
    qrels = {"q1": {"d1": 1}, "q2": {"d3": 1}}
    made = rr.evaluate(qrels, pattern, ["RR"])
    assert made.summary().rows() == [("bm25", 0.5), ("dense", 0.5)]
    with pytest.raises(rr.DataError, match="the files name 2 systems, such as bm25, dense"):
        rr.evaluate(qrels, {"mine": pattern}, ["RR"])


def test_parts_of_one_system_are_one_run(tmp_path):
    pattern = files_of_systems(tmp_path, a=("bm25", ["q1,d1,2"]), b=("bm25", ["q2,d3,3"]))
    qrels = {"q1": {"d1": 1}, "q2": {"d3": 1}}
    for runs in (pattern, {"mine": pattern}):
        assert rr.evaluate(qrels, runs, ["RR"]).summary()["RR"].to_list() == [1.0]
    files_of_systems(tmp_path, c=("dense", ["q1,d1,2"]))
    with pytest.raises(rr.DataError, match="3 files name 2 systems, such as bm25, dense"):
        rr.evaluate(qrels, pattern, ["RR"])
