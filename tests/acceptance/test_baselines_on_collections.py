"""A kept run under changed judgments equals that run evaluated by them, on a collection."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import rankreport as rr

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("collection", ["codec-document", "cranfield"])
def test_a_kept_run_is_judged_again_to_the_last_bit(collection: str, tmp_path: Path) -> None:
    folder = DATA / collection
    first, second = sorted((folder / "runs").glob("*.run.gz"))[:2]
    qrels = rr.read_qrels(folder / "qrels.txt").collect()
    raised = pl.when(pl.int_range(pl.len()) % 7 == 0).then(pl.col("relevance") + 1)
    later = qrels.with_columns(raised.otherwise(pl.col("relevance")).alias("relevance"))
    later = later.filter(pl.int_range(pl.len()) % 11 != 0)
    measures = ["nDCG@10", "AP", "RR@10", "R@100"]
    history = rr.History(tmp_path)
    history.add(rr.evaluate(qrels, {"old": first}, measures), keep_runs=True)
    joined = history.with_baseline(rr.evaluate(later, {"new": second}, measures))
    once = rr.evaluate(later, {"old": first, "new": second}, measures)
    assert joined.scores.equals(once.scores)
    assert joined.ties().equals(once.ties())
    assert joined.quality.equals(once.quality)
    one, other = (rr.compare(each, resamples=1000) for each in (joined, once))
    assert one.table().equals(other.table())
    assert str(one.wins()) == str(other.wins())


@pytest.mark.parametrize("collection", ["codec-document", "cranfield"])
def test_stored_scores_are_compared_as_both_runs_at_once(collection: str, tmp_path: Path) -> None:
    folder = DATA / collection
    first, second = sorted((folder / "runs").glob("*.run.gz"))[:2]
    measures = ["nDCG@10", "AP", "RR@10", "R@100"]
    qrels = folder / "qrels.txt"
    history = rr.History(tmp_path / "history")
    history.add(rr.evaluate(qrels, {"old": first}, measures))
    joined = history.with_baseline(rr.evaluate(qrels, {"new": second}, measures))
    rr.evaluate(qrels, {"old": first, "new": second}, measures).write_parquet(
        tmp_path / "both.parquet"
    )
    once = rr.load_evaluation(tmp_path / "both.parquet")
    one, other = (rr.compare(each, resamples=1000) for each in (joined, once))
    assert one.table().equals(other.table())
    codes = [[(each.code, each.text) for each in made.cautions] for made in (one, other)]
    assert [each for each in codes[0] if each[0] != "stored_baseline"] == codes[1]
