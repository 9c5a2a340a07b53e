"""Files are found next to a notebook, wherever it is run."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import polars as pl
import pytest

import rankreport as rr


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Return the path of a notebook with a file beside it, and run in another folder."""
    for name in ("notebooks", "work"):
        (tmp_path / name).mkdir()
    (tmp_path / "notebooks" / "scores.parquet").touch()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    return tmp_path / "notebooks" / "report.ipynb"


def in_kernel(monkeypatch, **names):
    shell = types.SimpleNamespace(user_ns=names)
    module = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", module)


def test_a_file_is_found_in_the_working_folder_first(elsewhere, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", str(elsewhere))
    Path("scores.parquet").touch()
    assert rr.beside_notebook("scores.parquet") == Path("scores.parquet")


def test_jupyter_names_the_notebook_in_the_environment(elsewhere, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", str(elsewhere))
    assert rr.beside_notebook("scores.parquet") == elsewhere.with_name("scores.parquet")


@pytest.mark.parametrize("name", ["PAPERMILL_INPUT_PATH", "__vsc_ipynb_file__"])
def test_vs_code_and_papermill_name_it_in_the_notebook(name, elsewhere, monkeypatch):
    Path("scores.parquet").touch()
    in_kernel(monkeypatch, **{name: str(elsewhere)})
    assert rr.beside_notebook("scores.parquet") == elsewhere.with_name("scores.parquet")
    in_kernel(monkeypatch, **{name: "../notebooks/report.ipynb"})
    assert rr.beside_notebook("scores.parquet").samefile(elsewhere.with_name("scores.parquet"))


def test_a_missing_file_is_named_with_the_folders(elsewhere, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", str(elsewhere))
    message = r"runs.txt is not in .*work or .*notebooks\. Set it in the parameters cell"
    with pytest.raises(rr.DataError, match=message):
        rr.beside_notebook("runs.txt")


def test_what_is_no_relative_path_is_left_alone(tmp_path):
    table = pl.DataFrame({"query_id": ["q1"]})
    assert rr.beside_notebook(table) is table
    assert rr.beside_notebook("s3://bucket/run.parquet") == "s3://bucket/run.parquet"
    assert rr.beside_notebook(tmp_path / "none") == tmp_path / "none"
    with pytest.raises(rr.OptionError, match="Set QRELS and RUNS in the parameters cell"):
        rr.beside_notebook(None)
