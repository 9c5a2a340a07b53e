"""The numbers of trec_eval and RecTools, under their own names and by their profiles."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import rankreport as rr
from agreement import profile_sections

DATA = Path(__file__).parents[3] / "shared" / "data"
FOLDER = DATA / "rec-ml-100k"
NAMES = [f"{name}@{k}" for k in (5, 10, 20) for name in ("HitRate", "MAP", "MRR", "NDCG")]
NAMES += [f"{name}@{k}" for k in (5, 10, 20) for name in ("Precision", "Recall")]
LOWEST = {"all-interactions": 1, "rating>=4": 8}  # grades are twice the stars


@pytest.mark.parametrize("relevance", LOWEST)
def test_rectools_on_movielens(relevance):
    reference = (
        pl.scan_parquet(FOLDER / "reference" / "values.parquet")
        .filter(pl.col("tool") == "rectools", pl.col("relevance") == relevance)
        .filter(pl.col("query_id") != "all", pl.col("measure").is_in(NAMES))
        .collect()
    )
    seen = rr.read_qrels(FOLDER / "qrels.txt").filter(pl.col("relevance") >= LOWEST[relevance])
    runs = {path.name.removesuffix(".run.gz"): path for path in FOLDER.glob("runs/*")}
    found = rr.evaluate(seen.collect(), runs, NAMES, profile="rectools")
    ours = found.per_query().rename(dict(zip(map(str, found.measures), NAMES, strict=True)))
    long = ours.unpivot(index=["system", "query_id"], variable_name="measure")
    both = reference.rename({"run": "system", "value": "theirs"}).join(
        long, on=["system", "query_id", "measure"], how="left"
    )
    assert both["value"].null_count() == 0
    assert (both["value"] - both["theirs"]).abs().max() < 1e-9
    assert len(both) == len(long) > 60_000


TREC_EVAL = {"trec_eval-9": "trec_eval-9.0.8", "trec_eval-10": "trec_eval-10.0"}
COLLECTIONS = {
    "robust2003": "qrels.txt.gz",
    "web2012": "qrels.adhoc.txt.gz",
    "codec-document": "qrels.txt",
    "trec-covid-r1": "qrels.txt",
    "cranfield": "qrels.txt",
}
UNCLAIMED = ["rbp"]
"""Measures of trec_eval 10 that read variables never set: what they print says nothing."""

REPEATING = ["bm25+rm3-tuned", "entity-feedback-tuned_42"]
"""Runs that repeat documents: we refuse them, trec_eval was given the last of each."""


@pytest.mark.slow
@pytest.mark.parametrize("collection", COLLECTIONS)
@pytest.mark.parametrize("profile", TREC_EVAL)
def test_every_mean_that_trec_eval_prints(profile, collection):
    printed = (
        pl.read_parquet(DATA / collection / "reference" / "values.parquet")
        .with_columns(pl.col("tool", "run", "measure", "query_id").cast(pl.String))
        .filter(pl.col("tool") == TREC_EVAL[profile], pl.col("query_id") == "all")
        .filter(~pl.col("run").is_in(REPEATING), ~pl.col("measure").is_in(UNCLAIMED))
    )
    names = sorted(set(printed["measure"]))
    paths = {p.name.split(".run")[0]: p for p in (DATA / collection / "runs").iterdir()}
    different, compared = [], 0
    qrels = DATA / collection / COLLECTIONS[collection]
    runs = {run: paths[run] for run in printed["run"].unique(maintain_order=True)}
    found = rr.evaluate(qrels, runs, names, profile=profile)
    means = {row["system"]: row for row in found.summary().iter_rows(named=True)}
    for run, name, value in printed.select("run", "measure", "value").iter_rows():
        compared += 1
        mine = means[run][str(rr.PROFILES[profile].read(name))]
        if abs(mine - value) > 0.5e-4 + 1e-9:
            different.append((run, name, mine, value))
    assert different == []
    assert compared >= 90 * 3


def test_the_means_of_trec_eval_10_are_as_many_as_the_page_says():
    names: Counter[str] = Counter()
    for collection in COLLECTIONS:
        printed = (
            pl.scan_parquet(DATA / collection / "reference" / "values.parquet")
            .with_columns(pl.col("tool", "run", "measure", "query_id").cast(pl.String))
            .filter(pl.col("tool") == "trec_eval-10.0", pl.col("query_id") == "all")
            .filter(~pl.col("run").is_in(REPEATING), ~pl.col("measure").is_in(UNCLAIMED))
            .collect()
        )
        names.update(re.sub(r"_[\d.]+$", "", name) for name in printed["measure"])
    stated = profile_sections()["trec_eval-10"]["agrees"]
    assert names == {theirs: row["compared"] for theirs, row in stated.items()}


def test_the_values_of_rectools_are_as_many_as_the_page_says():
    reference = (
        pl.scan_parquet(FOLDER / "reference" / "values.parquet")
        .filter(pl.col("tool") == "rectools", pl.col("query_id") != "all")
        .filter(pl.col("measure").is_in(NAMES), pl.col("relevance").is_in(list(LOWEST)))
        .collect()
    )
    names = Counter(name.partition("@")[0] for name in reference["measure"])
    stored = Path(__file__).parents[1] / "helpers" / "rectools_scores.json"
    for user in json.loads(stored.read_text(encoding="utf-8"))["users"]:
        names.update(name.partition("@")[0] for name in user["scores"])
    stated = profile_sections()["rectools"]["agrees"]
    assert names == {theirs: row["compared"] for theirs, row in stated.items()}
