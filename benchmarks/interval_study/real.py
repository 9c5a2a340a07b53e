"""Differences between real systems. The population is the queries at hand, their mean the truth.

Which systems and measures was settled by a rule before any figure was seen: of every collection of
ranked runs in the folder, the first two runs by name, on four measures.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

import rankreport as rr

from .populations import Population, of_values

COLLECTIONS: Final = {
    "codec-document": "qrels.txt",
    "cranfield": "qrels.txt",
    "quepid-haystack": "qrels.txt",
    "rec-ml-100k": "qrels.txt",
    "robust2003": "qrels.txt.gz",
    "trec-covid-r1": "qrels.txt",
    "web2012": "qrels.adhoc.txt.gz",
}
LEARNED: Final = "ltr-lightgbm"
"""The collection whose systems are columns of scores."""
MEASURES: Final = ("nDCG@10", "AP", "RR@10", "P@10")


def populations(data: Path) -> Iterator[Population]:
    """Yield a population for each collection and measure."""
    for collection in sorted((*COLLECTIONS, LEARNED)):
        qrels, runs = first_runs(data / collection, 2)
        evaluation = rr.evaluate(qrels, runs, MEASURES)
        baseline, system = evaluation.systems
        comparison = rr.compare(evaluation, baseline)
        for measure in MEASURES:
            deltas = comparison.deltas(measure, system)["delta"].drop_nulls().to_numpy()
            changed = np.count_nonzero(deltas)
            if changed:
                words = f"{system} against {baseline}, {len(deltas)} queries, {changed} changed"
                yield of_values(f"{collection} {measure}", words, np.sort(deltas))


def first_runs(folder: Path, n: int) -> tuple[Any, dict[str, Any]]:
    """Return the judgments of a collection and its first n runs by name."""
    if folder.name == LEARNED:
        return _learned(folder, n)
    paths = sorted((folder / "runs").iterdir(), key=lambda path: path.name)[:n]
    return folder / COLLECTIONS[folder.name], {path.name.split(".run")[0]: path for path in paths}


def _learned(folder: Path, n: int) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    scored = pl.read_parquet(folder / "test_scores.parquet").select(
        pl.col("qid").cast(pl.String).alias("query_id"),
        pl.format("d{}", "row").alias("doc_id"),
        pl.exclude("qid", "row"),
    )
    key = ["query_id", "doc_id"]
    rankers = sorted(set(scored.columns) - {*key, "label"})[:n]
    runs = {name: scored.select(*key, pl.col(name).alias("score")) for name in rankers}
    return scored.select(*key, pl.col("label").alias("relevance")), runs
