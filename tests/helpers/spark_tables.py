"""Judgments and runs for tests on Spark: generated, and with every kind of invalid row."""

from __future__ import annotations

import re

import numpy as np
import polars as pl

QRELS = pl.DataFrame(
    [(f"q{q}", f"d{d:02}", (q + d) % 3) for q in range(6) for d in range(12)],
    ["query_id", "doc_id", "relevance"],
    orient="row",
)
RUN = pl.DataFrame(
    [(f"q{q}", f"d{d:02}", (7 * d + q) % 13 + d / 100) for q in range(6) for d in range(12)],
    ["query_id", "doc_id", "score"],
    orient="row",
)


def in_order(rows):
    """Return rows in the order in which Spark tells of them: by their values."""
    known = ("system", "query_id", "subtopic", "doc_id", "relevance", "score", "rank")
    return rows.sort(column for column in known if column in rows.columns)


def told_alike(text):
    """Return a message without what calls its rows: a number here, their values on Spark."""
    called = r"(?:'[^']*'|\d+)"
    text = re.sub(rf"\brow {called}", "row #", text)
    return re.sub(rf"\b(rows?:? ){called}(?:(?:, | and ){called})*", r"\1#", text)


def appended(frame, *rows):
    """Return a frame with more rows, whose values may be null."""
    more = pl.DataFrame(rows, frame.schema, orient="row", strict=False)
    return pl.concat([frame, more])


NAN, INF = float("nan"), float("inf")

INVALID_RUNS = {
    "no query": appended(RUN, (None, "d00", 1.0), (None, "d99", 2.0)),
    "no document": appended(RUN, ("q1", None, 1.0)),
    "no score": appended(RUN, ("q1", "d77", None)),
    "not a number": appended(RUN, ("q1", "d77", NAN), ("q4", "d77", NAN)),
    "infinite": appended(RUN, ("q1", "d77", INF), ("q1", "d78", -INF)),
    "text": RUN.with_columns(
        pl.when(pl.col("doc_id") == "d03")
        .then(pl.lit("high"))
        .otherwise(pl.col("score").cast(pl.String))
        .alias("score")
    ),
    "text that Spark reads": RUN.with_columns(
        pl.when(pl.col("doc_id") == "d03")
        .then(pl.concat_str(pl.lit(" "), pl.col("score").cast(pl.String)))
        .when(pl.col("doc_id") == "d04")
        .then(pl.lit("1d"))
        .otherwise(pl.col("score").cast(pl.String))
        .alias("score")
    ),
    "repeated": appended(RUN, ("q1", "d03", 99.0), ("q1", "d03", 100.0), ("q2", "d04", 99.0)),
    "mark": RUN.with_columns(
        pl.when(pl.col("query_id") == "q0")
        .then(pl.lit("\ufeffq0"))
        .otherwise(pl.col("query_id"))
        .alias("query_id")
    ),
    "several": appended(
        RUN,
        (None, "d00", 1.0),
        ("q1", None, 1.0),
        ("q1", "d77", None),
        ("q1", "d78", NAN),
        ("q1", "d03", 99.0),
        *((f"q{n % 6}", f"e{n}", INF) for n in range(30)),
    ),
    "no rows": RUN.clear(),
    "no query shared": RUN.with_columns(pl.col("query_id").str.replace("q", "topic ")),
    "no column": RUN.drop("doc_id"),
    "the judgments' columns": QRELS,
    "floats for ids": RUN.with_columns(query_id=pl.col("query_id").str.slice(1).cast(pl.Float64)),
    "other floats": RUN.with_columns(doc_id=pl.int_range(pl.len()) + 0.5),
    "two queries": RUN.with_columns(qid=pl.col("query_id")),
}

INVALID_QRELS = {
    "no query": appended(QRELS, (None, "d00", 1)),
    "no document": appended(QRELS, ("q1", None, 1)),
    "no grade": appended(QRELS, ("q1", "d77", None)),
    "not a number": appended(QRELS.cast({"relevance": pl.Float64}), ("q1", "d77", NAN)),
    "text": QRELS.with_columns(
        pl.when(pl.col("doc_id") == "d03")
        .then(pl.lit("relevant"))
        .otherwise(pl.col("relevance").cast(pl.String))
        .alias("relevance")
    ),
    "repeated": pl.concat([QRELS, QRELS.filter(pl.col("doc_id") == "d03")]),
    "several grades": appended(QRELS, ("q1", "d03", 7), ("q1", "d03", 8), ("q2", "d04", 7)),
    "both": pl.concat([appended(QRELS, ("q1", "d03", 7)), QRELS.filter(pl.col("doc_id") == "d05")]),
    "subtopics": pl.concat([QRELS.with_columns(subtopic=pl.lit(each)) for each in "ab"]),
    "no rows": QRELS.clear(),
    "no column": QRELS.drop("relevance"),
}


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
    """Return the runs of all systems by name."""
    parts = runs.partition_by("system", as_dict=True, include_key=False)
    return {name: parts[(name,)] for name in runs["system"].unique().sort()}
