"""Evaluation on Apache Spark: the measures of `rankreport.evaluate`, query by query, in parallel.

It needs Spark 4, classic or Connect, with rankreport on its executors: see `docs/spark.md`. Import
it by its name, as ``from rankreport import spark``; PySpark is an extra, ``rankreport[spark]``.
"""

from importlib.util import find_spec

if find_spec("pyspark") is None:
    raise ImportError(
        "rankreport.spark needs PySpark, pandas and PyArrow: pip install 'rankreport[spark]'."
    )

from rankreport.spark.clicks import qrels_from_clicks
from rankreport.spark.data_check import check
from rankreport.spark.evaluation import SparkEvaluation, evaluate
from rankreport.spark.judges import SparkJudgeLabels, qrels_from_judges
from rankreport.spark.shipped_package import add_package
from rankreport.spark.team_draft import interleaving

__all__ = [
    "SparkEvaluation",
    "SparkJudgeLabels",
    "add_package",
    "check",
    "evaluate",
    "interleaving",
    "qrels_from_clicks",
    "qrels_from_judges",
]
