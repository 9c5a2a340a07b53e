"""The arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from rankreport import statistics
from rankreport.evaluating import DEFAULT_MEASURES
from rankreport.judging import NO_RELEVANT, PRECISION, QUERIES
from rankreport.profiles import PROFILES
from rankreport.ranking import TIES

__all__ = [
    "Confidence",
    "Correction",
    "Interval",
    "MeasureNames",
    "NameFrom",
    "NoRelevant",
    "Precision",
    "Primary",
    "Profile",
    "Qrels",
    "QuerySet",
    "Resamples",
    "Runs",
    "Seed",
    "Subtopics",
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
Profile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="TOOL",
        help=f"Give the numbers of another tool, and read its names of measures: "
        f"{', '.join(PROFILES)}.",
    ),
]


def _rule(option: str, what: str, rules: Mapping[str, str]) -> Any:
    help_text = f"{what}: {', '.join(rules)}. [default: {next(iter(rules))}, or the profile's]"
    return typer.Option(option, metavar="RULE", help=help_text)


Ties = Annotated[str | None, _rule("--ties", "Order of equal scores", TIES)]
QuerySet = Annotated[str | None, _rule("--query-set", "Which queries count", QUERIES)]
NoRelevant = Annotated[
    str | None, _rule("--no-relevant", "Queries with nothing relevant", NO_RELEVANT)
]
Precision = Annotated[str | None, _rule("--precision", "In which scores are compared", PRECISION)]
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
Correction = Annotated[
    str,
    typer.Option(
        "--correction",
        metavar="KIND",
        help=f"For several systems: one of {', '.join(statistics.CORRECTIONS)}.",
    ),
]
Confidence = Annotated[
    float, typer.Option("--confidence", metavar="SHARE", help="Of the intervals.")
]
Resamples = Annotated[int, typer.Option("--resamples", metavar="N", help="Of the bootstrap.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Of everything random.")]
Subtopics = Annotated[
    bool,
    typer.Option(
        "--subtopics",
        help="The judgments are of subtopics, which their second column names: for alpha_nDCG, "
        "ERR_IA and the other measures of diversity.",
    ),
]
