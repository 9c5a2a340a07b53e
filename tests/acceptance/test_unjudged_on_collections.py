"""Unjudged documents in real collections: half of a run replaced, and relevant documents alone."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import rankreport as rr
from rankreport.comparison import Basis
from rankreport.comparison.model_judge import decisive_differences

DATA = Path(__file__).parents[3] / "shared" / "data"
CODEC = DATA / "codec-document"
pytestmark = pytest.mark.slow


def run_of(path: Path) -> pl.DataFrame:
    return rr.read_run(path).select("query_id", "doc_id", "score").collect()


def half_unjudged(run: pl.DataFrame) -> pl.DataFrame:
    """Put a document that nobody judged before each of the first five."""
    ranked = run.sort("query_id", "score", descending=[False, True])
    first = ranked.group_by("query_id", maintain_order=True).head(5)
    others = first.with_columns(
        doc_id=pl.format("unjudged-{}", "doc_id"), score=pl.col("score") + 1e-9
    )
    return pl.concat([ranked, others])


def test_a_run_half_filled_with_unjudged_documents_is_not_simply_worse() -> None:
    run = run_of(CODEC / "runs" / "bm25-tuned.run.gz")
    evaluation = rr.evaluate(
        CODEC / "qrels.txt", {"bm25": run, "half": half_unjudged(run)}, ["nDCG@10"]
    )
    comparison = rr.compare(evaluation)
    [found] = decisive_differences(comparison).values()
    assert found.by_interval == "worse"
    assert found.word == comparison.verdict().word == "check first"
    # The judged documents are the same, and so is their order.
    assert found.on_judged.n_changed == 0
    assert found.on_judged.delta == pytest.approx(0, abs=1e-12)
    assert found.lowest < found.delta < 0 < found.highest


@pytest.mark.parametrize("collection", ["rec-ml-100k", "cranfield", "cranfield without zeros"])
def test_judgments_of_relevant_documents_have_one_note(collection: str) -> None:
    folder = DATA / collection.split(maxsplit=1)[0]
    qrels = rr.read_qrels(folder / "qrels.txt").collect()
    if collection == "cranfield without zeros":
        qrels = qrels.filter(pl.col("relevance") > 0)
    paths = sorted((folder / "runs").glob("*.run.gz"))[:2]
    runs = {path.name.removesuffix(".run.gz"): path for path in paths}
    comparison = rr.compare(rr.evaluate(qrels, runs, ["nDCG@10"]))
    codes = [(each.code, each.severity) for each in comparison.cautions]
    assert codes.count(("mostly_positive", "note")) == 1
    assert not {"judged_only", "unevenly_judged", "hardly_judged"} & {code for code, _ in codes}
    assert comparison.decision.verdict.decided_by is not Basis.UNJUDGED
