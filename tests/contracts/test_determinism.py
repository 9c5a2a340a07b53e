"""The same inputs give the same bytes: for every hash seed, process, thread count and row order."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import polars as pl
import pytest

import rankreport as rr

PROGRAM = """
import sys
from pathlib import Path
import rankreport as rr

source, target = Path(sys.argv[1]), Path(sys.argv[2])
runs = {name: source / "runs" / f"{name}.parquet" for name in sys.argv[3:]}
evaluation = rr.evaluate(source / "judgments.csv", runs, ["nDCG@10", "AP", "RR@10"])
comparison = rr.compare(evaluation, baseline="bm25", resamples=400)
about = {"queries": source / "questions.csv", "command": "as before", "date": "2026-11-22"}
report = rr.report(comparison, **about)
report.to_html(target / "report.html")
report.to_notebook(target / "report.ipynb")
(target / "report.json").write_text(report.to_json(), encoding="utf-8")
(target / "report.md").write_text(report.to_markdown(), encoding="utf-8")
"""
PARQUET = ("report.scores.parquet", "report.queries.parquet")
FILES = ("report.html", "report.ipynb", *PARQUET, "report.json", "report.md")


PAIR = pytest.mark.parametrize("systems", [2], indirect=True)
ALL = pytest.mark.parametrize("systems", [4], indirect=True)


@pytest.fixture(scope="module")
def systems(request):
    """Return the names of the systems that are compared."""
    return ("bm25", "fusion", "bm25-names", "char-ngrams")[: request.param]


@pytest.fixture(scope="module")
def written(tmp_path_factory, systems):
    """Return a function that writes a report in a process of its own, and gives its files."""

    def run(source, **variables):
        target = tmp_path_factory.mktemp("written")
        environment = {**os.environ, **variables}
        environment.pop("SOURCE_DATE_EPOCH", None)  # the date is given
        arguments = [sys.executable, "-c", PROGRAM, source, target, *systems]
        subprocess.run(arguments, check=True, env=environment, timeout=120)
        return {name: (target / name).read_bytes() for name in FILES}

    return run


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Return a copy of the example, as far from what is written as those that are shuffled."""
    folder = tmp_path_factory.mktemp("example")
    return shutil.copytree(rr.load_example().qrels.parent, folder, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def first(written, source):
    return written(source, PYTHONHASHSEED="0", POLARS_MAX_THREADS="1")


@pytest.mark.slow
@PAIR
def test_another_process_writes_the_same_bytes(written, source, first):
    """With another hash seed and other threads, in another zone, language and terminal."""
    again = written(
        source,
        PYTHONHASHSEED="4242",
        POLARS_MAX_THREADS="4",
        TZ="Asia/Tokyo",
        LC_ALL="C.UTF-8",
        COLUMNS="300",
        OMP_NUM_THREADS="2",
        OPENBLAS_NUM_THREADS="2",
    )
    for name in FILES:
        assert again[name] == first[name], name


@pytest.fixture(scope="module")
def shuffled(source, tmp_path_factory):
    """Return the example with the rows of every file in another order."""
    folder = tmp_path_factory.mktemp("shuffled")
    (folder / "runs").mkdir()
    for path in source.glob("*.csv"):
        frame = pl.read_csv(path, infer_schema=False)
        frame.sample(fraction=1, shuffle=True, seed=1).write_csv(folder / path.name)
    for path in (source / "runs").iterdir():
        frame = pl.read_parquet(path)
        frame.sample(fraction=1, shuffle=True, seed=2).write_parquet(folder / "runs" / path.name)
    return folder


@pytest.fixture(scope="module")
def again(written, shuffled):
    return written(shuffled, PYTHONHASHSEED="7", POLARS_MAX_THREADS="4")


def digest_of(content):
    return hashlib.sha256(content).hexdigest()


def inputs(folder, systems):
    """Return the digests of the files that a report is made of."""
    runs = [folder / "runs" / f"{name}.parquet" for name in systems]
    paths = [folder / "judgments.csv", folder / "questions.csv", *runs]
    return {digest_of(path.read_bytes()) for path in paths}


@pytest.mark.slow
@ALL
def test_order_of_rows_changes_no_byte(first, again, shuffled, source, systems):
    """The provenance apart, which names the hashes of other files."""
    assert (shuffled / "judgments.csv").read_bytes() != (source / "judgments.csv").read_bytes()
    digest = re.compile(r"\b[0-9a-f]{64}\b")
    assert first["report.queries.parquet"] == again["report.queries.parquet"]
    for name in FILES:
        if name not in PARQUET:
            texts = [
                files[name].decode().replace(folder.name, "inputs")  # a notebook names its inputs
                for folder, files in ((source, first), (shuffled, again))
            ]
            if name != "report.md":
                assert texts[0] != texts[1]
                for folder, files, text in zip(
                    (source, shuffled), (first, again), texts, strict=True
                ):
                    beside = {digest_of(files[parquet]) for parquet in PARQUET}
                    assert set(digest.findall(text)) - beside == inputs(folder, systems)
            assert digest.sub("", texts[0]) == digest.sub("", texts[1]), name


@pytest.mark.slow
@ALL
def test_figures_of_the_scores_are_the_same(first, again, tmp_path):
    frames = []
    for name, files in (("first", first), ("again", again)):
        path = tmp_path / f"{name}.parquet"
        path.write_bytes(files["report.scores.parquet"])
        frames.append(pl.read_parquet(path))
    assert frames[0].equals(frames[1])


@pytest.mark.slow
@ALL
def test_bytes_do_not_depend_on_what_was_asked_before(first, source, systems, tmp_path):
    """Results are computed when they are first asked for, in whatever order that is."""
    runs = {name: source / "runs" / f"{name}.parquet" for name in systems}
    evaluation = rr.evaluate(source / "judgments.csv", runs, ["nDCG@10", "AP", "RR@10"])
    comparison = rr.compare(evaluation, baseline="bm25", resamples=400)
    comparison.plot_curve("P", k=[1, 2, 3])
    comparison.tests()
    comparison.losses("AP")
    about = {"queries": source / "questions.csv", "command": "as before", "date": "2026-11-22"}
    report = rr.report(comparison, **about)
    report._repr_mimebundle_()
    report.to_notebook(tmp_path / "report.ipynb")
    report.to_html(tmp_path / "report.html")
    report.to_html(tmp_path / "twice.html")
    assert (tmp_path / "report.html").read_bytes() == first["report.html"]
    assert (tmp_path / "twice.html").read_bytes() == first["report.html"]
    assert (tmp_path / "report.ipynb").read_bytes() == first["report.ipynb"]
    assert json.loads(report.to_json()) == json.loads(first["report.json"])
