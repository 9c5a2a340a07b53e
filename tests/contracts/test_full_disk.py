"""A disk that is full: every writer says so, and leaves what was there."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")

PYTHON = (sys.executable, "-B")
"""A limit on the size of files would cut off bytecode, too, which other tests import."""

WRITERS = """
import json, resource, sys
from pathlib import Path
import polars as pl
import rankreport as rr

queries = [f"q{i}" for i in range(12)]
qrels = {q: {"d1": 1, "d2": 0} for q in queries}
old = {q: {"d1": 1.0 + i % 2, "d3": 1.5} for i, q in enumerate(queries)}
new = {q: {"d1": 2.0, "d2": 1.0} for q in queries}
evaluation = rr.evaluate(qrels, {"old": old, "new": new})
comparison = rr.compare(evaluation)
report = rr.report(comparison, date="2026-11-22")
gate = rr.gate(comparison, "nDCG@10 > -0.1")
plan = rr.plan(comparison)
check = rr.check(qrels, {"old": old})
board = rr.leaderboard(comparison)
long_names = {f"{q} {'x' * 2000}": texts for q, texts in qrels.items()}
long_lists = rr.evaluate(long_names, {"old": {q: {"d1": 1.0} for q in long_names}})
shown = long_lists.documents(long_names)

# The last number is how much fits on the disk, in bytes.
writers = [
    (evaluation.write_parquet, "a.parquet", 100),
    (evaluation.write_parquet, "b.parquet", 2000),
    (lambda p: long_lists.write_parquet(p, documents=shown), "c.parquet", 5000),
    (comparison.write_parquet, "d.parquet", 100),
    (evaluation.to_markdown, "e.md", 100),
    (evaluation.to_latex, "f.tex", 100),
    (report.to_html, "g.html", 1000),
    (report.to_markdown, "h.md", 100),
    (report.to_latex, "i.tex", 100),
    (report.to_json, "j.json", 100),
    (report.to_csv, "k.csv", 100),
    (report.to_parquet, "l.parquet", 100),
    (report.to_png, "m.png", 100),
    (gate.to_json, "n.json", 100),
    (gate.to_junit, "o.xml", 100),
    (gate.to_markdown, "p.md", 100),
    (gate.build_verdict.to_json, "p.json", 100),
    (check.to_json, "q.json", 100),
    (lambda p: rr.charts.write_chart(p, plan.plot()), "r.png", 100),
    (lambda p: rr.charts.write_chart(p, plan.plot()), "s.svg", 100),
    (board.to_markdown, "t.md", 100),
    (lambda p: rr.judging_tasks({"old": old}, path=p), "u.csv", 100),
    (lambda p: rr.judging_tasks({"old": old}, path=p), "v.jsonl", 100),
    (lambda p: evaluation.to_trec(p.parent), "qrels.txt", 50),
]
found = {}
for write, name, fits in writers:
    path = Path(name)
    path.write_text("old")
    resource.setrlimit(resource.RLIMIT_FSIZE, (fits, resource.RLIM_INFINITY))
    try:
        write(path)
        found[name] = "written"
    except rr.OutputError as error:
        found[name] = str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
print(json.dumps(found))
"""


def test_every_writer_says_that_the_disk_is_full(tmp_path):
    """Of a limit on the size of files the system says so in other words, at the same places."""
    ended = subprocess.run(
        [*PYTHON, "-c", WRITERS], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout.splitlines()[-1])
    assert found == {name: f"{name} cannot be written: File too large." for name in found}
    left = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert left == dict.fromkeys(found, "old")


COMMAND = """
import resource, sys
from rankreport.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
main()
"""


@pytest.mark.slow
def test_a_full_disk_is_no_fault_of_a_command(tmp_path):
    """The lists in the metadata of a notebook's scores are more than fits."""
    for name, documents in {"old": ("d1", "d3"), "new": ("d3", "d1")}.items():
        rows = [
            f"q{i} Q0 {'x' * 200}{document} {rank} {9 - rank} mine"
            for i in range(40)
            for rank, document in enumerate(documents, 1)
        ]
        (tmp_path / f"{name}.run").write_text("\n".join(rows), encoding="utf-8")
    judged = "".join(f"q{i} 0 {'x' * 200}d1 1\n" for i in range(40))
    (tmp_path / "qrels.txt").write_text(judged, encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    line = ["report", "qrels.txt", "old.run", "new.run", "-o", "report.ipynb"]
    ended = subprocess.run(
        [*PYTHON, "-c", COMMAND, *line],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MPLCONFIGDIR": str(tmp_path.parent)},
    )
    assert ended.returncode == 2, ended.stderr
    assert "report.scores.parquet cannot be written: File too large." in ended.stderr
    assert sorted(tmp_path.iterdir()) == before
