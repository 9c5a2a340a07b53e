"""How often intervals hold the truth where people corrected a model's judgments.

    python benchmarks/judge_study.py --data FOLDER [--samples 2000] [--write]

`FOLDER` holds collections of real runs (`interval_study/real.py` names them). Of each, two runs are
compared by people's judgments and by those of judges made from them: documents get wrong grades, one
by one (`JUDGES`). The queries are drawn with replacement from those of the collection, `N_ALL` a
sample, so that the truth is the mean difference by people over the collection. People judged n of
them. With `--write` the figures go to docs/judges.md, otherwise they are printed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import polars as pl
from interval_study import real
from numpy.typing import NDArray

import rankreport as rr
from rankreport import statistics
from rankreport.statistics import prediction_powered

Floats = NDArray[np.float64]

PAGE = Path(__file__).parents[1] / "docs" / "judges.md"
HEADING: Final = "### How often it holds the truth\n"
N_ALL: Final = 200
SIZES: Final = (20, 50, 100)
MEASURES: Final = ("nDCG@10", "RR@10")
CHANGED, DIFFERING = 20, 10
"""A claim is made of samples with so many changed and differing queries, or more."""
LOWEST, HIGHEST, WIDEST = 93.0, 97.0, 1.02
"""What is claimed: coverage in per cent, mean width in widths of people alone."""
FEWEST: Final = 200
"""The fewest samples of a cell that a claim is made of."""
LARGE_ERRORS: Final = "large errors"


@dataclass(frozen=True)
class Judge:
    """A judge made from people's judgments."""

    name: str
    words: str
    wrong: Callable[[np.random.Generator, Floats, Floats], Floats]
    """Takes people's grades and the grades there are, and returns the judge's grades."""


def misgraded(share: float) -> Callable[[np.random.Generator, Floats, Floats], Floats]:
    """Give a share of documents any other grade."""

    def wrong(rng: np.random.Generator, grades: Floats, known: Floats) -> Floats:
        places = np.searchsorted(known, grades)
        others = (places + rng.integers(1, len(known), len(grades))) % len(known)
        return np.where(rng.random(len(grades)) < share, known[others], grades)

    return wrong


def _lenient(rng: np.random.Generator, grades: Floats, known: Floats) -> Floats:
    higher = known[np.minimum(np.searchsorted(known, grades) + 1, len(known) - 1)]
    return np.where(rng.random(len(grades)) < 0.3, higher, grades)


def _guessing(rng: np.random.Generator, grades: Floats, known: Floats) -> Floats:
    del known
    return rng.permutation(grades)


JUDGES: Final = (
    Judge("5 % wrong", "5 % of documents have any other grade", misgraded(0.05)),
    Judge("15 % wrong", "15 % of documents have any other grade", misgraded(0.15)),
    Judge("30 % wrong", "30 % of documents have any other grade", misgraded(0.3)),
    Judge("lenient", "30 % of documents are graded one higher", _lenient),
    Judge("guessing", "the grades of all documents are shuffled", _guessing),
    Judge(
        LARGE_ERRORS,
        "right, but in 4 % of queries the difference is 0.6 too high",
        lambda rng, grades, known: grades,
    ),
)


@dataclass(frozen=True)
class Subject:
    """The differences of a collection's queries by people and by a judge."""

    collection: str
    measure: str
    judge: str
    human: Floats
    model: Floats


def subjects(data: Path) -> Iterator[Subject]:
    """Yield the differences of each collection, measure and judge."""
    for collection in sorted((*real.COLLECTIONS, real.LEARNED)):
        given, runs = real._first_two(data / collection)
        qrels = _with_first_ten(rr.read_qrels(given).collect(), runs)
        human = _differences(qrels, runs)
        grades = qrels["relevance"].to_numpy()
        known = np.unique(grades)
        for place, judge in enumerate(JUDGES):
            rng = np.random.default_rng((11, place))
            wrong = qrels.with_columns(relevance=pl.Series(judge.wrong(rng, grades, known)))
            model = _differences(wrong, runs)
            for measure in MEASURES:
                joined = human.join(model, on="query_id", suffix="_model", maintain_order="left")
                by_people = joined[measure].to_numpy()
                by_model = joined[f"{measure}_model"].to_numpy()
                if judge.name == LARGE_ERRORS:
                    by_model = by_people + 0.6 * (rng.random(len(by_people)) < 0.04)
                yield Subject(collection, measure, judge.name, by_people, by_model)


def _with_first_ten(qrels: pl.DataFrame, runs: dict[str, Any]) -> pl.DataFrame:
    """Add the first documents of the runs that nobody judged, as not relevant."""
    keys = ["query_id", "doc_id"]
    shown = [
        rr.read_run(run)
        .collect()
        .sort("score", descending=True, maintain_order=True)
        .group_by("query_id", maintain_order=True)
        .head(10)
        .select(keys)
        for run in runs.values()
    ]
    found = (
        pl.concat(shown)
        .unique(maintain_order=True)
        .filter(pl.col("query_id").is_in(qrels["query_id"].unique().implode()))
    )
    lacking = found.join(qrels, on=keys, how="anti").with_columns(relevance=pl.lit(0.0))
    return pl.concat([qrels.select(*keys, "relevance"), lacking]).sort(keys)


def _differences(qrels: pl.DataFrame, runs: dict[str, Any]) -> pl.DataFrame:
    scores = rr.evaluate(qrels, runs, MEASURES).per_query()
    first, second = scores["system"].unique(maintain_order=True)
    one, other = (scores.filter(pl.col("system") == name) for name in (first, second))
    joined = other.join(one, on="query_id", suffix="_first", maintain_order="left")
    return joined.select("query_id", *(pl.col(m) - pl.col(f"{m}_first") for m in MEASURES))


def measured(subject: Subject, n: int, samples: int, seed: int = 0) -> dict[str, Any]:
    """Return what was counted in samples of a cell."""
    rng = np.random.default_rng((seed, n))
    drawn = rng.integers(0, len(subject.human), (N_ALL, samples))
    # Rows are drawn at random, so that the first n are a random part.
    human, model = subject.human[drawn[:n]], subject.model[drawn[:n]]
    found = prediction_powered(human, model, subject.model[drawn[n:]])
    low, high = found.interval(0.95)
    alone = statistics.student_t_hull_bca(
        human, lambda: statistics.replicate_means(human, resamples=2_000, seed=0), 0.95
    )
    changed, differing = (human != 0).sum(axis=0), (human != model).sum(axis=0)
    truth = subject.human.mean()

    def count(chosen: NDArray[np.bool_]) -> dict[str, float]:
        holds = ~(low > truth) & ~(high < truth)
        alone_holds = ~(alone.low > truth) & ~(alone.high < truth)
        width, of_alone = (high - low)[chosen], (alone.high - alone.low)[chosen]
        return {
            "samples": int(chosen.sum()),
            "coverage": 100 * float(holds[chosen].mean()) if chosen.any() else np.nan,
            "alone": 100 * float(alone_holds[chosen].mean()) if chosen.any() else np.nan,
            "width": float(np.nansum(width) / np.nansum(of_alone)) if chosen.any() else np.nan,
        }

    enough = (changed >= CHANGED) & (differing >= DIFFERING)
    allowed = (changed >= 10) & (differing >= 10)
    return {
        "collection": subject.collection,
        "measure": subject.measure,
        "judge": subject.judge,
        "n": n,
        "every": count(np.ones(samples, dtype=bool)),
        "allowed": count(allowed),
        "claimed": count(enough),
    }
