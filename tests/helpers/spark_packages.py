"""Executors of Spark Connect that do not have rankreport: `python spark_packages.py`.

It prints as JSON what evaluation on them raises, and whether scores are equal to those of one
machine when the package was sent, with a measure that only this program declares.
"""

from __future__ import annotations

import json
import os
import site
import sys
import tempfile
from pathlib import Path

import polars as pl
import pyspark
from pyspark.sql import SparkSession
from spark_tables import QRELS, RUN

import rankreport as rr
from rankreport import spark

MEASURES = ["nDCG@10", "AP", "TopGrade"]


def declare_own() -> None:
    """Declare a measure of the user; an import of this module must declare none."""

    @rr.measure(title="Top grade", family="example", formula="x", source="none", range=(None, None))
    def TopGrade() -> pl.Expr:
        return pl.col("relevance").max()


def main() -> None:
    """Start a session of Spark Connect, and print what was found."""
    with tempfile.TemporaryDirectory() as folder:
        use_python_without_rankreport(Path(folder))
        builder = SparkSession.builder.config("spark.ui.enabled", "false")
        builder = builder.config("spark.sql.shuffle.partitions", "2")
        builder = builder.config("spark.task.maxFailures", "1")
        session = builder.remote("local[2]").getOrCreate()
        print(json.dumps(found_without_package(session)))
        session.stop()


def use_python_without_rankreport(folder: Path) -> None:
    """Let the sessions of this process start executors with all packages but rankreport."""
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["PYSPARK_PYTHON"] = str(python_without_rankreport(folder))
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable


def found_without_package(session: SparkSession) -> dict[str, object]:
    """Evaluate without the package, send it, and evaluate again."""
    declare_own()
    qrels, run = (remote(session, rows) for rows in (QRELS, RUN))
    error = error_of(spark.evaluate(qrels, run, MEASURES, n_buckets=2))
    spark.add_package(session)
    spark.add_package(session)
    made = spark.evaluate(qrels, run, MEASURES, n_buckets=2)
    columns = ["system", "query_id", "measure"]
    scores = pl.DataFrame(made.scores.toArrow()).sort(columns)
    expected = rr.evaluate(QRELS, {"run": RUN}, MEASURES).scores.sort(columns)
    return {"error": error, "equal": scores.equals(expected)}


def python_without_rankreport(folder: Path) -> Path:
    """Write a program that runs Python with all packages but rankreport."""
    packages = folder / "packages"
    packages.mkdir()
    for own in map(Path, site.getsitepackages()):
        for entry in own.iterdir() if own.is_dir() else ():
            if "rankreport" not in entry.name:
                (packages / entry.name).symlink_to(entry)
    program = folder / "python"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={packages} exec {sys.executable} -S "$@"\n')
    program.chmod(0o755)
    return program


def remote(session: SparkSession, rows: pl.DataFrame) -> object:
    """Return rows as a DataFrame."""
    return session.createDataFrame(rows.to_arrow(compat_level=pl.CompatLevel.oldest()))


def error_of(made: spark.SparkEvaluation) -> str:
    """Return the error of an evaluation, or nothing."""
    try:
        made.scores.toArrow()
    except Exception as error:  # noqa: BLE001 - Spark has many
        return str(error)
    return ""


if __name__ == "__main__":
    main()
