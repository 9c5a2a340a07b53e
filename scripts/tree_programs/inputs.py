"""Write the files that scenarios read to ``inputs``: the example data, perturbed with a fixed seed.

python -m tree_programs.inputs
"""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

import rankreport as rr

_LOGO = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="3"/></svg>
"""
_TEMPLATE = """\
{% extends "rankreport/page.html" %}
"""
_HOSTILE = (
    *("<b>&amp;\"quoted\" 'x'", "$x_{1}$ \\frac{1}{2} 50% #1 ~^", "**bold** _it_ `code` | [a](b)"),
    *("=SUM(A1)", "\N{RIGHT-TO-LEFT OVERRIDE}abc", "\N{ZERO WIDTH SPACE}z", "{braces} %s {{x}}"),
    *("查询 一", "e\N{COMBINING ACUTE ACCENT}", "a" * 90, "</script><script>alert(1)</script>"),
)


def write_all() -> None:
    """Write every file."""
    os.chdir("inputs")
    draw = random.Random(20_240_229)  # noqa: S311 - no secret
    example = rr.load_example()
    qrels = rr.read_qrels(example.qrels).collect()
    runs = {name: rr.read_run(path).collect() for name, path in example.runs.items()}
    runs["noisy"] = _perturbed(runs["fusion"], draw, noise=0.05, drop=())
    runs["rounded"] = _perturbed(runs["bm25"], draw, noise=0.4, drop=("q07", "q33"), digits=0)
    _write_runs(runs)
    _write_qrels(qrels, draw)
    _write_queries(rr.read_queries(example.queries), draw)
    _write_themes()
    _write_faulty(runs["bm25"])
    _write_hostile()
    _write_many(draw)


def _perturbed(
    run: pl.DataFrame,
    draw: random.Random,
    *,
    noise: float,
    drop: Iterable[str],
    digits: int | None = None,
) -> pl.DataFrame:
    """Return a run with other scores, queries dropped, and equal scores where they are rounded."""
    kept = run.filter(~pl.col("query_id").is_in(list(drop)))
    spread = float(kept["score"].std() or 1) * noise  # type: ignore[arg-type]
    scores = [score + draw.gauss(0, spread) for score in kept["score"]]
    scores = scores if digits is None else [round(score, digits) for score in scores]
    return kept.with_columns(pl.Series("score", scores))


def _write(path: str, lines: Iterable[str]) -> None:
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _trec_run(run: pl.DataFrame, tag: str) -> list[str]:
    rows = run.select("query_id", "doc_id", "score").sort(
        ["query_id", "score", "doc_id"], descending=[False, True, True]
    )
    places: dict[str, int] = {}
    lines = []
    for query, document, score in rows.iter_rows():
        places[query] = places.get(query, 0) + 1
        lines.append(f"{query} Q0 {document} {places[query]} {score!r} {tag}")
    return lines


def _write_runs(runs: dict[str, pl.DataFrame]) -> None:
    for name, run in runs.items():
        _write(f"{name}.run", _trec_run(run, f"tag-of-{name}"))
    run = runs["bm25"].select("query_id", "doc_id", "score")
    ranked = run.with_columns(
        pl.col("score").rank("ordinal", descending=True).over("query_id").alias("rank")
    )
    ranked.write_csv("ranked.csv")
    ranked.drop("score").write_csv("ranks-alone.csv")
    run.write_csv("bm25.tsv", separator="\t")
    run.write_ndjson("bm25.jsonl")
    run.rename({"query_id": "qid", "doc_id": "docno", "score": "sim"}).write_parquet(
        "alias.parquet"
    )


def _write_qrels(qrels: pl.DataFrame, draw: random.Random) -> None:
    rows = qrels.select("query_id", "doc_id", "relevance")
    lines = [f"{query} 0 {document} {grade:g}" for query, document, grade in rows.iter_rows()]
    _write("qrels.txt", lines)
    with gzip.GzipFile("qrels.txt.gz", "wb", mtime=0) as file:
        file.write("".join(f"{line}\n" for line in lines).encode())
    rows.write_csv("qrels.csv")
    subtopics = [
        f"{query} {subtopic} {document} {int(grade > 0)}"
        for query, document, grade in rows.iter_rows()
        for subtopic in sorted(draw.sample(range(1, 5), 2))
    ]
    _write("subtopics.txt", subtopics)
    nothing = [line for line in lines if not line.startswith("q01 ")]
    _write("odd-qrels.txt", [*nothing, "q01 0 mailbox.MH.remove_folder 0", "q99 0 nowhere 1"])


def _write_queries(queries: pl.DataFrame, draw: random.Random) -> None:
    n = len(queries)
    queries.with_columns(
        pl.Series("weight", [round(draw.expovariate(1), 3) for _ in range(n)]),
        pl.Series("user", [f"u{draw.randrange(14)}" for _ in range(n)]),
        pl.Series("stratum", [("low", "middle", "high")[at % 3] for at in range(n)]),
        pl.Series("session", [f"s{at % 3}-{draw.randrange(6)}" for at in range(n)]),
        pl.Series("half", [("first", "second")[at // ((n + 1) // 2)] for at in range(n)]),
    ).write_csv("queries.csv")
    queries.write_csv("queries.tsv", separator="\t")


def _write_themes() -> None:
    Path("logo.svg").write_text(_LOGO, encoding="utf-8")
    Path("introduction.md").write_text("Made *every night*.\n\n- one\n- two\n", encoding="utf-8")
    Path("closing.md").write_text("Ask [us](https://example.org).\n", encoding="utf-8")
    Path("templates").mkdir()
    Path("templates", "page.html").write_text(_TEMPLATE, encoding="utf-8")
    Path("templates", "page.css").write_text("body { margin: 0; }\n", encoding="utf-8")


def _write_faulty(run: pl.DataFrame) -> None:
    """Write what is refused."""
    lines = _trec_run(run.filter(pl.col("query_id").is_in(["q01", "q02"])), "faulty")
    _write("duplicates.run", [*lines, lines[0], lines[3]])
    _write("nan.run", [*lines, "q03 Q0 some.document 1 nan faulty"])
    _write("words.run", [*lines, "q03 Q0 some.document 1 high faulty"])
    _write("short.run", [*lines, "q03 Q0 some.document"])
    _write("empty.run", [])
    _write("strange.run", ["q1001 Q0 some.document 1 2.0 faulty"])
    _write("no-columns.csv", ["a,b,c", "1,2,3"])
    _write("grades.txt", ["q01 0 some.document high"])
    _write("twice.txt", ["q01 0 some.document 1", "q01 0 some.document 0"])
    _write("twice.csv", ["query_id,text", "q01,one", "q01,two"])
    Path("latin.txt").write_bytes(b"q01 0 caf\xe9 1\n")
    Path("broken.parquet").write_bytes(b"PAR1 no")
    _write("broken.json", ["{"])


def _write_hostile() -> None:
    """Write a collection whose every name is markup of some kind."""
    qrels, old, new, queries = [], [], [], []
    for at, query in enumerate(_HOSTILE * 2):
        query_id = f"{query}{at // len(_HOSTILE)}"
        queries.append({"query_id": query_id, "text": query[::-1] + query, "kind<i>": query[:3]})
        for place, document in enumerate(_HOSTILE[:5]):
            row = {"query_id": query_id, "doc_id": f"{document}{place}"}
            qrels.append({**row, "relevance": (at + place) % 3})
            old.append({**row, "score": float((at * 7 + place * 3) % 5)})
            new.append({**row, "score": float((at * 5 + place * 2) % 7)})
    for name, rows in {"qrels": qrels, "old": old, "new": new, "queries": queries}.items():
        pl.DataFrame(rows).write_parquet(f"hostile-{name}.parquet")
    names: dict[str, Any] = {"old": _HOSTILE[0], "new": _HOSTILE[1]}
    Path("hostile.json").write_text(json.dumps(names), encoding="utf-8")


def _write_many(draw: random.Random) -> None:
    """Write more queries than a page lists."""
    ids = [f"q{at:04}" for at in range(2100)]
    _write("many-qrels.txt", [f"{query} 0 right 1" for query in ids])
    for system in ("one", "two"):
        lines = []
        for query in ids:
            place = draw.randrange(6)
            documents = [f"wrong{at}" for at in range(5)]
            documents.insert(place, "right")
            lines += [
                f"{query} Q0 {name} {at + 1} {9 - at} {system}" for at, name in enumerate(documents)
            ]
        _write(f"many-{system}.run", lines)


if __name__ == "__main__":
    write_all()
