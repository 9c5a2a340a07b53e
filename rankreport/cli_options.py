"""The arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankreport import statistics
from rankreport.evaluation import DEFAULT_MEASURES
from rankreport.judging import NO_RELEVANT, QUERIES
from rankreport.ranking import TIES

__all__ = [
    "Confidence",
    "Interval",
    "MeasureNames",
    "NameFrom",
    "NoRelevant",
    "Primary",
    "Qrels",
    "QuerySet",
    "Resamples",
    "Runs",
    "Seed",
    "Test",
    "Ties",
]

Qrels = Annotated[
    Path,
    typer.Argument(
        metavar="QRELS",
        help="Judgments: TREC text, CSV, TSV, Parquet or JSON lines, plain, gzip or zstd; "
        "- for standard input.",
    ),
]
Runs = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN", help="Ranked results, in the same formats: a path, or name=path."
    ),
]
MeasureNames = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--measure",
        metavar="MEASURE",
        help=f"Such as nDCG@10, AP(rel=2), map, ndcg_cut_10; again for more. "
        f"[default: {', '.join(DEFAULT_MEASURES)}]",
    ),
]
Primary = Annotated[
    str | None,
    typer.Option("--primary", metavar="MEASURE", help="The one that decides. [default: the first]"),
]
Ties = Annotated[
    str, typer.Option("--ties", metavar="RULE", help=f"Order of equal scores: {', '.join(TIES)}.")
]
QuerySet = Annotated[
    str,
    typer.Option("--query-set", metavar="RULE", help=f"Which queries count: {', '.join(QUERIES)}."),
]
NoRelevant = Annotated[
    str,
    typer.Option(
        "--no-relevant",
        metavar="RULE",
        help=f"Queries with nothing relevant: {', '.join(NO_RELEVANT)}.",
    ),
]
NameFrom = Annotated[
    str,
    typer.Option("--name-from", metavar="FROM", help="What systems are named after: file or tag."),
]
Interval = Annotated[
    str,
    typer.Option("--interval", metavar="KIND", help=f"One of {', '.join(statistics.INTERVALS)}."),
]
Test = Annotated[
    str, typer.Option("--test", metavar="KIND", help=f"One of {', '.join(statistics.TESTS)}.")
]
Confidence = Annotated[
    float, typer.Option("--confidence", metavar="SHARE", help="Of the intervals.")
]
Resamples = Annotated[int, typer.Option("--resamples", metavar="N", help="Of the bootstrap.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Of everything random.")]
