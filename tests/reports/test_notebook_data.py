"""A notebook that carries its data, and one that was run before it was written."""

from __future__ import annotations

import builtins
import json
import os
import shutil
import subprocess
import sys

import nbformat
import polars as pl
import pytest

import rankreport as rr
from rankreport.reports import notebook as written


def small(n=30, measures=("RR",)):
    qrels = {f"q{i}": {"d": 1, "x": 0} for i in range(n)}
    old = {query: {"x": 2, "d": 1} for query in qrels}
    new = {query: {"d": 2, "x": 1} if i % 2 else old[query] for i, query in enumerate(qrels)}
    return rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, list(measures)), resamples=200)


def code(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_data_inside_are_folded_away_and_nothing_lies_beside(tmp_path):
    made = rr.report(small())
    path = tmp_path / "report.ipynb"
    assert made.to_notebook(path, data="inside") == (path,)
    assert [path.name for path in tmp_path.iterdir()] == ["report.ipynb"]
    held, parameters, *_ = code(tmp_path / "report.ipynb")
    assert held.metadata["jupyter"] == {"source_hidden": True}
    assert held.outputs == []
    assert "DATA = INSIDE / 'scores.parquet'" in parameters.source
    found: dict[str, object] = {}
    exec(held.source, found)
    exec(parameters.source, found)
    assert rr.load_evaluation(found["DATA"]).summary().equals(small().evaluation.summary())
    shutil.rmtree(found["INSIDE"])
    again = tmp_path / "again.ipynb"
    rr.report(small()).to_notebook(again, data="inside")
    assert again.read_bytes() == (tmp_path / "report.ipynb").read_bytes()


@pytest.mark.slow
def test_data_inside_leave_nothing_behind(tmp_path):
    rr.report(small()).to_notebook(tmp_path / "report.ipynb", data="inside")
    held, parameters, load, *_ = code(tmp_path / "report.ipynb")
    outside = tmp_path / "tmp"
    outside.mkdir()
    listing = "print(sorted(path.name for path in INSIDE.iterdir()))"
    ended = subprocess.run(
        [sys.executable, "-c", f"{held.source}\n{parameters.source}\n{load.source}\n{listing}"],
        env={**os.environ, "TMPDIR": str(outside)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == "['scores.parquet']\n"
    assert not list(outside.glob("rankreport-*"))


def test_only_so_much_fits_inside(tmp_path, monkeypatch):
    monkeypatch.setattr(written, "MOST_INSIDE", 1000)
    message = r"take [\d,]+ bytes compressed; at most 1,000 can be embedded. Omit data"
    with pytest.raises(rr.OptionError, match=message):
        rr.report(small()).to_notebook(tmp_path / "report.ipynb", data="inside")
    assert not list(tmp_path.iterdir())


@pytest.mark.jupyter
@pytest.mark.slow
@pytest.mark.parametrize("data", [None, "inside"])
def test_a_notebook_that_was_run_is_the_one_that_was_ready(data, tmp_path):
    queries = pl.DataFrame({"query_id": [f"q{i}" for i in range(30)], "text": "a question"})
    made = rr.report(small(), queries=queries)
    made.to_notebook(tmp_path / "report.ipynb", data)
    ready = json.loads((tmp_path / "report.ipynb").read_text(encoding="utf-8"))
    made.to_notebook(tmp_path / "report.ipynb", data, execute=True)
    run = json.loads((tmp_path / "report.ipynb").read_text(encoding="utf-8"))
    for before, after in zip(ready["cells"], run["cells"], strict=True):
        assert after == before, before["id"]
    assert run == ready


@pytest.mark.slow
@pytest.mark.jupyter
def test_a_notebook_that_fails_is_not_written(tmp_path, monkeypatch):
    files = written._data_files

    def without_writing(*given):
        return {what: (name, lambda path: path) for what, (name, _) in files(*given).items()}

    monkeypatch.setattr(written, "_data_files", without_writing)
    made = rr.report(small())
    with pytest.raises(rr.OutputError, match=r"fails: DataError: .*parquet is not in"):
        made.to_notebook(tmp_path / "report.ipynb", execute=True)
    assert not list(tmp_path.iterdir())


def test_a_notebook_that_fails_leaves_the_data_of_the_one_before(tmp_path, monkeypatch):
    rr.report(small()).to_notebook(tmp_path / "report.ipynb")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def fail(*_):
        raise rr.OutputError("The notebook fails.")

    monkeypatch.setattr(written, "write_text", fail)
    with pytest.raises(rr.OutputError, match=r"^The notebook fails\.$"):
        rr.report(small(20, ["AP"])).to_notebook(tmp_path / "report.ipynb")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_without_the_extra_it_is_named(tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **options):
        if name.startswith("nbclient"):
            raise ImportError(name)
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(rr.OptionError, match=r"pip install 'rankreport\[notebook\]'"):
        rr.report(small()).to_notebook(tmp_path / "report.ipynb", execute=True)
    assert not (tmp_path / "report.ipynb").exists()
