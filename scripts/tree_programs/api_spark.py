"""Show what Spark finds in awkward collections: values, checks, comparisons and their cautions."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
from pyspark.sql import SparkSession
from spark_sessions import remote_rows, sail
from spark_tables import generated

from rankreport import spark
from tree_programs.showing import called, show, show_refusal

MEASURES = ["nDCG@10", "AP", "RR"]
KEYS = ["system", "query_id", "measure"]


def main() -> None:
    """Evaluate, check and compare each collection."""
    with sail() as session:
        for name, qrels, runs in collections():
            show(name, qrels.shape)
            _everything(session, qrels, runs)


def _everything(session: SparkSession, qrels: pl.DataFrame, runs: pl.DataFrame) -> None:
    tables = remote_rows(session, qrels), remote_rows(session, runs)
    show_refusal("check", lambda: spark.check(*tables, MEASURES))
    made = spark.evaluate(*tables, MEASURES, n_buckets=4)
    show_refusal("scores", lambda: pl.from_arrow(made.scores.toArrow()).sort(KEYS))
    show_refusal("evaluation", lambda: called(made.to_evaluation(), "summary", "cautions"))
    compared = ("verdict", "cautions", "table", "means")
    show_refusal("comparison", lambda: called(made.compare(resamples=200), *compared))


def collections() -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame]]:
    """Yield judgments and runs, with a name for what is awkward."""
    qrels, runs = generated(n_queries=40, depth=12)
    query, document = pl.col("query_id"), pl.col("doc_id")
    yield "as they are", qrels, runs
    one_third = query.str.slice(1).cast(pl.Int64) % 3 == 0
    prefixed = pl.when(one_third).then(document).otherwise(pl.lit("doc-") + document)
    yield "documents with a prefix", qrels, runs.with_columns(prefixed.alias("doc_id"))
    yield "queries with a prefix", qrels, runs.with_columns(pl.lit("topic-") + query)
    yield "half missing", qrels, runs.filter(query.hash(0) % 2 == 0)
    yield "fractions for grades", qrels.with_columns(pl.col("relevance") / 4), runs
    yield "equal scores", qrels, runs.with_columns(pl.lit(1.0).alias("score"))
    as_run = qrels.select(pl.lit("a").alias("system"), "query_id", "doc_id", score="relevance")
    as_qrels = runs.filter(pl.col("system") == "system 0").select(
        "query_id", "doc_id", relevance="score"
    )
    yield "swapped", as_qrels, as_run


if __name__ == "__main__":
    main()
