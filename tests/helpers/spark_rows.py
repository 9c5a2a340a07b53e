"""Awkward judgments and runs, to be evaluated on Spark and on one machine."""

from __future__ import annotations

import numpy as np
import polars as pl


def generated(n_queries=60, n_systems=2, depth=30, seed=3):
    """Judgments and runs: ties, queries in one table only, one query with half of all rows."""
    rng = np.random.default_rng(seed)
    lists = [depth] * (n_queries - 1) + [depth * n_queries]
    rows = pl.DataFrame(
        {
            "query_id": [f"q{query}" for query, n in enumerate(lists) for _ in range(n)],
            "doc_id": [f"d{place:04}" for n in lists for place in range(n)],
        }
    )
    runs = pl.concat(
        rows.with_columns(
            system=pl.lit(f"system {number}"),
            score=pl.Series(rng.integers(0, 12, len(rows)) / 7),
        ).filter(pl.Series(rng.random(len(rows)) < 0.7))
        for number in range(n_systems)
    )
    grades = rng.integers(-1, 4, len(rows)).astype(float)
    qrels = rows.with_columns(relevance=grades).filter(pl.Series(rng.random(len(rows)) < 0.5))
    return (
        qrels.filter(~pl.col("query_id").is_in(["q1", "q2"])),
        runs.filter(~pl.col("query_id").is_in(["q3", "q4"])),
    )


def by_system(runs):
    parts = runs.partition_by("system", as_dict=True, include_key=False)
    return {name: parts[(name,)] for name in runs["system"].unique().sort()}
