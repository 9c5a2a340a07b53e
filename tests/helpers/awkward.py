"""Twenty awkward collections, for results that must not depend on where they are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import polars as pl


class Awkward(NamedTuple):
    """Judgments and runs, and the options and measures to evaluate them with."""

    qrels: pl.DataFrame
    runs: dict[str, pl.DataFrame]
    options: Mapping[str, Any] = MappingProxyType({})
    measures: tuple[str, ...] = ("nDCG@5", "AP", "RR")


N_QUERIES, DEPTH = 30, 8
QUERY = pl.col("query_id")
DOCUMENT = pl.col("doc_id")
NUMBER = QUERY.str.slice(1).cast(pl.Int64)
PLACE = DOCUMENT.str.slice(1).cast(pl.Int64)


def plain(n_queries: int = N_QUERIES, grades: tuple[float, ...] = (0, 0, 1, 2)) -> Awkward:
    """Two runs of which the new one is a little better; most of the first documents are judged."""
    rng = np.random.default_rng(5)
    rows = pl.DataFrame(
        [(f"q{q}", f"d{d}") for q in range(n_queries) for d in range(DEPTH)],
        ["query_id", "doc_id"],
        orient="row",
    )
    qrels = rows.with_columns(relevance=pl.Series(rng.choice(grades, len(rows))))
    noise = rng.normal(size=(2, len(rows))).round(6)
    score = qrels["relevance"].to_numpy()[np.newaxis] * [[0.5], [1.0]] + noise
    runs = {
        name: rows.with_columns(score=pl.Series(each).round(6))
        for name, each in zip(("old", "new"), score, strict=True)
    }
    return Awkward(qrels.filter(PLACE < DEPTH - 1), runs)


def changed(
    of_qrels: Callable[[pl.DataFrame], pl.DataFrame] | None = None, **of_runs: Any
) -> Awkward:
    """Return the plain collection with other judgments, or other runs."""
    made = plain()
    runs = {name: of_runs.get(name, pl.DataFrame.clone)(run) for name, run in made.runs.items()}
    return made._replace(qrels=made.qrels if of_qrels is None else of_qrels(made.qrels), runs=runs)


def spelled(run: pl.DataFrame, column: str, text: pl.Expr, of_these: pl.Expr) -> pl.DataFrame:
    return run.with_columns(pl.when(of_these).then(text).otherwise(column).alias(column))


def skewed() -> Awkward:
    """One query has half of the rows."""
    made = plain()
    more = pl.DataFrame({"doc_id": [f"e{n}" for n in range(N_QUERIES * DEPTH)]})
    runs = {
        name: pl.concat([run, more.select(pl.lit("q3").alias("query_id"), "doc_id", score=-1.0)])
        for name, run in made.runs.items()
    }
    return made._replace(runs=runs)


def swapped() -> Awkward:
    """The judgments hold scores, and both runs grades."""
    made = plain()
    scores = made.runs["new"].rename({"score": "relevance"})
    grades = made.qrels.rename({"relevance": "score"})
    return Awkward(scores, {"old": grades.filter(PLACE > 0), "new": grades})


def with_gaps() -> Awkward:
    """Ranks have gaps, or start at 0, and scores are not known."""
    made = plain()
    rank = pl.col("score").rank("ordinal", descending=True).over("query_id").cast(pl.Int64)
    gaps = rank + rank // 3 - NUMBER % 2
    runs = {name: run.with_columns(rank=gaps).drop("score") for name, run in made.runs.items()}
    return Awkward(made.qrels, runs, {"ties": "rank"})


def with_subtopics() -> Awkward:
    made = plain()
    both = [made.qrels.with_columns(subtopic=pl.lit(each)) for each in "12"]
    qrels = pl.concat([both[0], both[1].filter(PLACE % 2 == 0)])
    measures = ("alpha_nDCG@5", "nDCG@5")
    return Awkward(qrels, made.runs, {"subtopics": True}, measures)


def with_options(made: Awkward, **options: Any) -> Awkward:
    return made._replace(options=options)


TWO_THIRDS = NUMBER % 3 > 0
HALF = NUMBER < N_QUERIES // 2
PREFIXED = partial(spelled, column="doc_id", text="doc-" + DOCUMENT, of_these=TWO_THIRDS)
SUFFIXED = partial(spelled, column="doc_id", text=DOCUMENT + ".txt", of_these=pl.lit(value=True))
RENAMED = partial(spelled, column="query_id", text=QUERY.str.to_uppercase(), of_these=HALF)
AS_GRADES = {"score": (pl.col("score") * 2).round().clip(0, 3)}
TIED = {"score": (pl.col("score") * 2).round() / 2}

AWKWARD: dict[str, Callable[[], Awkward]] = {
    "plain": plain,
    "prefixed documents in two thirds of a run": lambda: changed(new=PREFIXED),
    "documents with a suffix": lambda: changed(new=SUFFIXED),
    "renamed queries": lambda: changed(new=RENAMED),
    "a run that holds the judgments": lambda: changed(
        new=lambda _: plain().qrels.rename({"relevance": "score"})
    ),
    "judgments and run swapped": swapped,
    "scores like grades": lambda: changed(new=lambda run: run.with_columns(**AS_GRADES)),
    "half of the queries missing": lambda: changed(new=lambda run: run.filter(HALF)),
    "equal scores": lambda: changed(
        old=lambda run: run.with_columns(**TIED), new=lambda run: run.with_columns(**TIED)
    ),
    "negative grades": lambda: plain(grades=(-2, -1, 0, 1, 2)),
    "fractional grades": lambda: plain(grades=(0, 0.25, 0.5, 1.0)),
    "ratings of one to five": lambda: plain(grades=(1, 2, 3, 4, 5)),
    "one query with half of the rows": skewed,
    "unevenly judged": lambda: changed(
        of_qrels=lambda qrels: qrels.filter(PLACE % 2 == 0),
        old=lambda run: run.with_columns(pl.col("score") - 3 * (PLACE % 2)),
    ),
    "positive judgments only": lambda: changed(
        of_qrels=lambda qrels: qrels.filter(pl.col("relevance") > 0)
    ),
    "identical runs": lambda: changed(new=lambda _: plain().runs["old"]),
    "short lists": lambda: changed(new=lambda run: run.filter(PLACE < NUMBER % 4 + 2)),
    "lists cut in half": lambda: changed(
        new=lambda run: run.filter(
            pl.col("score").rank("ordinal", descending=True).over("query_id") <= 4
        )
    )._replace(measures=["AP", "nDCG@3"]),
    "queries without judgments": lambda: changed(
        of_qrels=lambda qrels: qrels.filter(NUMBER % 5 > 0)
    ),
    "ranks with gaps": with_gaps,
    "nothing relevant in a third": lambda: with_options(
        changed(
            of_qrels=lambda qrels: qrels.with_columns(
                pl.when(TWO_THIRDS).then("relevance").otherwise(0).alias("relevance")
            )
        ),
        no_relevant="skip",
        queries="answered",
        ties="expected",
    ),
    "subtopics": with_subtopics,
    "whole numbers as ids, written as floats": lambda: changed(
        of_qrels=lambda qrels: qrels.with_columns(DOCUMENT.str.slice(1)),
        old=lambda run: run.with_columns(DOCUMENT.str.slice(1)),
        new=lambda run: run.with_columns(DOCUMENT.str.slice(1) + ".0"),
    ),
}
"""The collections by name; each is made when it is needed."""
