"""Run the four systems on the questions and write one run file for each.

Usage: `python scripts/stdlib_collection/build.py`

Judgments are not made here: they come from reading the pool (see pool.py).
"""

import polars as pl

from collection import RUNS, load_questions
from corpus import build_corpus
from systems import System, build_systems

SCHEMA = {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}


def run(system: System) -> pl.DataFrame:
    """Ask a system every question."""
    rows = [
        (question.query_id, doc_id, score)
        for question in load_questions()
        for doc_id, score in system.search(question.text)
    ]
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    return frame.sort("query_id", "score", "doc_id", descending=[False, True, True])


def main() -> None:
    """Write the runs, and say what is in them."""
    corpus = build_corpus()
    print(f"{len(corpus)} documents")
    RUNS.mkdir(parents=True, exist_ok=True)
    for name, system in build_systems(corpus).items():
        frame = run(system)
        frame.write_parquet(RUNS / f"{name}.parquet", compression="zstd")
        print(f"{name}: {frame.height} rows, {frame['query_id'].n_unique()} questions answered")


if __name__ == "__main__":
    main()
