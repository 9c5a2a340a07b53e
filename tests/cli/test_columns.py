"""The commands with a table of numbers of one's own: page, gate, JSON and notebook."""

from __future__ import annotations

import json
import sys

import polars as pl
import pytest

import rankreport as rr
from rankreport.cli import main

QUERIES = [f"q{i:02}" for i in range(30)]


@pytest.fixture
def run(monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["rankreport", *arguments])
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
        return code, *capsys.readouterr()

    return run


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 d1 1\n" for q in QUERIES))
    for name, order in (("old", "d1 d2"), ("new", "d2 d1")):
        rows = (
            f"{q} Q0 {d} {rank} {-rank} {name}\n"
            for n, q in enumerate(QUERIES)
            for rank, d in enumerate(order.split() if n % 5 else ["d1", "d2"], 1)
        )
        (tmp_path / f"{name}.run").write_text("".join(rows))
    rows = [
        {"query_id": q, "system": s, "name": name, "value": value, "better": "low", "unit": unit}
        for n, q in enumerate(QUERIES)
        for s, more in (("old", 0), ("new", 10 + n % 3))
        for name, value, unit in (("latency", 40.0 + more + n, "ms"), ("cost", 0.002, "USD"))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "own.csv")
    return tmp_path


GIVEN = ("qrels.txt", "old.run", "new.run", "--with-columns", "own.csv")


@pytest.mark.parametrize(("limit", "code"), [(20, 0), (5, 1), (11, 3)])
def test_a_gate_on_a_column_ends_with_its_outcome(run, limit, code):
    found, out, _ = run("gate", *GIVEN, "--require", f"latency < {limit}")
    assert found == code
    assert f"latency may rise by at most {limit} ms" in out


def test_a_report_has_them_in_every_output(folder, run):
    outputs = [part for name in ("html", "md", "json", "ipynb") for part in ("-o", f"r.{name}")]
    code, _, err = run("report", *GIVEN, "-m", "nDCG@10", *outputs)
    assert code == 0, err
    figures = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    assert figures["columns"] == [
        {"name": "latency", "better": "low", "unit": "ms"},
        {"name": "cost", "better": "low", "unit": "USD"},
    ]
    assert figures["names"] == {"latency": "latency [ms]", "cost": "cost [USD]"}
    [latency] = [each for each in figures["own_columns"] if each["measure"] == "latency"]
    assert latency["aggregate"] == ["mean", "p50", "p95"]
    assert latency["delta"][0] == pytest.approx(11)
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "Your own columns" in page
    assert r"latency \[ms\]" in (folder / "r.md").read_text(encoding="utf-8")
    notebook = (folder / "r.ipynb").read_text(encoding="utf-8")
    assert "latency" in notebook
    stored = rr.load_evaluation(folder / "r.scores.parquet")
    assert [each.shown for each in stored.measures] == ["nDCG@10", "latency [ms]", "cost [USD]"]


def test_check_has_no_columns(run):
    code, _, err = run("check", *GIVEN)
    assert (code, err) == (2, "rankreport: --with-columns has no meaning with check.\n")


def test_a_column_is_primary_where_it_is_named(run):
    table = pl.read_csv("own.csv").with_columns(
        better=pl.when(pl.col("name") == "cost").then(pl.lit("low")).otherwise(pl.lit("high"))
    )
    table.write_csv("own.csv")
    code, out, _ = run("compare", *GIVEN, "-m", "RR", "--primary", "latency")
    assert code == 0
    assert "new is better than old on latency [ms]: +11.0" in out
