"""Generated data in the likeness of MS MARCO's passage task: ``python generate.py FOLDER``.

Identifiers are numbers of up to seven digits, scores have six decimals, about one in a hundred
equals the one above it, and the run is sorted by query, then by score. Four documents of a query
are judged: one relevant, at a place whose logarithm is uniform; two not relevant, one near it and
one far away; and one that the run lacks, relevant in a tenth of the queries.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl

SEED = 20
N_PASSAGES = 8_841_823
N_QUERY_IDS = 1_102_432
N_JUDGED = 4
MIN_DEPTH = 20


def main() -> None:
    """Write ``qrels.txt`` and ``run.txt`` into the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=int, default=6980)
    parser.add_argument("--depth", type=int, default=1000)
    given = parser.parse_args()
    if given.depth < MIN_DEPTH:
        parser.error(f"--depth must be at least {MIN_DEPTH}, to keep the judged documents apart")
    rng = np.random.default_rng(SEED)
    queries = np.sort(rng.choice(N_QUERY_IDS, given.queries, replace=False))
    pools = [
        rng.choice(N_PASSAGES, given.depth + N_JUDGED, replace=False) for _ in range(given.queries)
    ]
    documents = np.stack(pools)  # the last few of each row are not returned
    _write(_judgments(rng, queries, documents, given.depth), given.folder / "qrels.txt")
    _write(_run(rng, queries, documents[:, : given.depth]), given.folder / "run.txt")


def _judgments(
    rng: np.random.Generator, queries: np.ndarray, documents: np.ndarray, depth: int
) -> pl.DataFrame:
    relevant = np.floor(depth ** rng.random(len(queries)) - 1).astype(int)
    others = rng.integers(1, N_JUDGED, size=len(queries))
    return pl.DataFrame(
        {
            "query": np.repeat(queries, N_JUDGED),
            "iteration": 0,
            "document": np.stack(
                [
                    _at(documents, relevant),
                    _at(documents, (relevant + 1 + rng.integers(0, 9, len(queries))) % depth),
                    _at(documents, (relevant + depth // 2) % depth),
                    _at(documents, depth + others),
                ],
                axis=1,
            ).ravel(),
            "grade": np.stack(
                [
                    rng.integers(1, 4, len(queries)),
                    np.zeros(len(queries), int),
                    np.zeros(len(queries), int),
                    rng.random(len(queries)) < 1 / 10,
                ],
                axis=1,
            ).ravel(),
        }
    )


def _run(rng: np.random.Generator, queries: np.ndarray, documents: np.ndarray) -> pl.DataFrame:
    shape = documents.shape
    scores = -np.sort(-(8 + rng.gamma(4, 2, shape)).round(6))
    same = rng.random(shape) < 1 / 100
    same[:, 0] = False
    above = np.maximum.accumulate(np.where(same, 0, np.arange(shape[1])), axis=1)
    return pl.DataFrame(
        {
            "query": np.repeat(queries, shape[1]),
            "iteration": "Q0",
            "document": documents.ravel(),
            "rank": np.tile(np.arange(1, shape[1] + 1), shape[0]),
            "score": np.take_along_axis(scores, above, axis=1).ravel(),
            "tag": "generated",
        }
    )


def _at(documents: np.ndarray, places: np.ndarray) -> np.ndarray:
    return np.take_along_axis(documents, places[:, None], axis=1)[:, 0]


def _write(rows: pl.DataFrame, path: Path) -> None:
    rows.write_csv(path, include_header=False, separator=" ", float_precision=6)


if __name__ == "__main__":
    main()
