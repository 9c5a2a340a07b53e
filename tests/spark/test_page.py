"""What docs/spark.md says to run does run."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import polars as pl

PAGE = (Path(__file__).parents[2] / "docs" / "spark.md").read_text(encoding="utf-8")


BYTES = "spark.sql.execution.arrow.maxBytesPerBatch"


def test_the_page(session, remote, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pairs = {"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "a"]}
    sent = []
    held = {
        "session": SimpleNamespace(
            addArtifacts=lambda path, *, pyfile: sent.append((path, pyfile)), conf=session.conf
        ),
        "qrels_df": remote({**pairs, "relevance": [1, 0, 1]}),
        "runs_df": remote(
            pl.concat(
                pl.DataFrame({**pairs, "score": scores}).with_columns(system=pl.lit(system))
                for system, scores in {"new": [2.0, 1.0, 3.0], "old": [1.0, 2.0, 3.0]}.items()
            )
        ),
    }
    seen = {
        "query_id": ["q1", "q1", "q2"] * 40,
        "doc_id": ["a", "b", "a"] * 40,
        "rank": [1, 2, 1] * 20 + [2, 1, 2] * 20,
        "clicked": [1, 0, 0] * 30 + [0, 1, 1] * 10,
    }
    ratings = {"judge": ["ann", "bob"] * 3, "relevance": [2, 1, 0, 0, 1, 1]}
    doubled = {name: [each for each in ids for _ in range(2)] for name, ids in pairs.items()}
    held |= {"log_df": remote(seen), "ratings_df": remote({**doubled, **ratings})}
    code = "\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
    exec(code, held)
    printed = capsys.readouterr().out
    assert session.conf.get(BYTES) == "2147483647"
    session.conf.unset(BYTES)
    [(archive, as_python)] = sent  # Sail takes none; test_package.py sends it to executors
    assert archive.endswith(".zip")
    assert as_python
    assert "Data checks" in printed
    assert "nDCG@10" in printed
    assert "than old" in printed
    assert (tmp_path / "report.html").exists()
