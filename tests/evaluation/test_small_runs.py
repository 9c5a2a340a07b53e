"""Tests of small runs that are ranked together: as each of them by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rankreport as rr
from rankreport.evaluation import small_runs
from rankreport.evaluation.judging import judge
from rankreport.io import QRELS, RUN, open_source
from rankreport.measures import TIES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MEASURES = ["nDCG@3", "AP", "bpref", "R@2"]


def _rows(rng: np.random.Generator, *, scattered: bool, from_rank: int = 1) -> pl.DataFrame:
    """Rows of some queries, many of equal score; of a query in one place, or in several."""
    queries = rng.permutation([f"q{n}" for n in range(9)])[:7]
    lists = [
        pl.DataFrame(
            {
                "query_id": [str(query)] * 6,
                "doc_id": [f"d{n}" for n in rng.permutation(8)[:6]],
                "score": rng.integers(0, 4, 6).astype(float),
                "rank": np.arange(6) + from_rank,
            }
        )
        for query in queries
    ]
    rows = pl.concat(lists)
    return rows.sample(fraction=1.0, shuffle=True, seed=1) if scattered else rows


@pytest.fixture
def qrels() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    pairs = [(f"q{q}", f"d{d}") for q in range(8) for d in range(8)]
    grades = rng.integers(0, 3, len(pairs))
    rows = [(*pair, int(grade)) for pair, grade in zip(pairs, grades, strict=True)]
    judged = pl.DataFrame(rows, schema=["query_id", "doc_id", "relevance"], orient="row")
    return judged.sample(40, shuffle=True, seed=2)


@pytest.fixture
def runs() -> dict[str, pl.DataFrame]:
    rng = np.random.default_rng(3)
    made = {f"s{n}": _rows(rng, scattered=n % 3 == 1, from_rank=n % 2) for n in range(6)}
    # A run of one query, and one with a query whose name ends in the number of a run.
    made["one"] = made["s0"].filter(pl.col("query_id") == made["s0"]["query_id"][0])
    made["alike"] = (
        made["s2"]
        .with_columns(
            pl.when(pl.col("rank") == 0)
            .then(pl.lit("q0/1"))
            .otherwise("query_id")
            .alias("query_id")
        )
        .unique(["query_id", "rank"], keep="first", maintain_order=True)
    )
    return made


def _as_table(rows: pl.DataFrame, folder: Path, name: str) -> Any:
    del folder, name
    return rows


def _as_parquet(rows: pl.DataFrame, folder: Path, name: str) -> Any:
    rows.write_parquet(folder / f"{name}.parquet")
    return folder / f"{name}.parquet"


def _as_text(rows: pl.DataFrame, folder: Path, name: str) -> Any:
    lines = (f"{q} Q0 {d} {rank} {score} x\n" for q, d, score, rank in rows.iter_rows())
    (folder / f"{name}.run").write_text("".join(lines))
    return folder / f"{name}.run"


@pytest.mark.parametrize("ties", ["trec", "input", "rank", "expected", "best"])
@pytest.mark.parametrize("form", [_as_table, _as_parquet, _as_text])
def test_runs_together_are_as_each_alone(
    qrels: pl.DataFrame,
    runs: dict[str, pl.DataFrame],
    tmp_path: Path,
    ties: str,
    form: Callable[[pl.DataFrame, Path, str], Any],
) -> None:
    given = {name: form(rows, tmp_path, name) for name, rows in runs.items()}
    measures = [m for m in MEASURES if m != "bpref" or ties != "expected"]
    together = rr.evaluate(qrels, given, measures, ties=ties)
    each = [rr.evaluate(qrels, {name: run}, measures, ties=ties) for name, run in given.items()]
    assert_frame_equal(
        together.per_query(), pl.concat([one.per_query() for one in each]), check_exact=True
    )
    for one in each:
        (system,) = one.systems
        of_system = together.unanswered.filter(pl.col("system") == system)
        assert_frame_equal(of_system, one.unanswered)


@pytest.mark.parametrize("ties", ["trec", "rank"])
def test_facts_of_runs_together_are_those_of_each(
    qrels: pl.DataFrame, runs: dict[str, pl.DataFrame], ties: str
) -> None:
    rules: dict[str, Any] = {"ties": TIES[ties], "queries": "all", "no_relevant": "zero"}
    judgments = open_source(qrels, QRELS)
    sources = {name: open_source(rows, RUN) for name, rows in runs.items()}
    together = judge(judgments, sources, **rules)
    for name, source in sources.items():
        alone = judge(judgments, {name: source}, **rules)
        one, other = together.looks[name], alone.looks[name]
        for counted in ("n_rows", "n_repeated", "positions", "queries", "n_sampled", "scores"):
            assert getattr(one, counted) == getattr(other, counted), counted
        assert one.unjudged_queries.first == other.unjudged_queries.first
        for rows in ("run", "judgments"):
            assert_frame_equal(getattr(one, rows), getattr(other, rows))
        assert_frame_equal(together.queries.filter(pl.col("system") == name), alone.queries)


def test_a_fault_is_that_of_the_first_faulty_run(
    qrels: pl.DataFrame, runs: dict[str, pl.DataFrame]
) -> None:
    runs["s3"] = pl.concat([runs["s3"], runs["s3"].tail(1)])
    runs["s5"] = runs["s5"].with_columns(score=pl.lit(float("nan")))
    with pytest.raises(rr.errors.DataError, match="run 's3', row 43 repeats"):
        rr.evaluate(qrels, runs, MEASURES).summary()


@pytest.mark.parametrize(("limit", "of_three_runs"), [("AT_ONCE", 3 * 40), ("_MOST_ROWS", 3 * 42)])
def test_few_runs_are_ranked_at_once(
    qrels: pl.DataFrame,
    runs: dict[str, pl.DataFrame],
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    of_three_runs: int,
) -> None:
    at_once = rr.evaluate(qrels, runs, MEASURES).per_query()
    monkeypatch.setattr(small_runs, limit, of_three_runs)
    assert_frame_equal(rr.evaluate(qrels, runs, MEASURES).per_query(), at_once, check_exact=True)


def test_a_file_that_goes_is_reported(
    qrels: pl.DataFrame, runs: dict[str, pl.DataFrame], tmp_path: Path
) -> None:
    given = {name: _as_text(rows, tmp_path, name) for name, rows in runs.items()}
    evaluation = rr.evaluate(qrels, given, MEASURES)
    given["s4"].unlink()
    with pytest.raises(rr.errors.DataError, match=r"s4\.run cannot be read"):
        evaluation.summary()


def test_large_and_small_runs_keep_their_order(
    qrels: pl.DataFrame, runs: dict[str, pl.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = rr.evaluate(qrels, runs, MEASURES).per_query()
    *_, limit, longest = sorted({len(rows) for rows in runs.values()})
    assert [len(rows) == longest for rows in runs.values()] == [*[True] * 6, False, False]
    monkeypatch.setattr(small_runs, "_SMALL", limit)
    assert_frame_equal(rr.evaluate(qrels, runs, MEASURES).per_query(), at_once, check_exact=True)
