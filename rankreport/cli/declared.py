"""What the command line shows of declarations in other packages, which it does not import.

Written by `python scripts/generate.py`; do not edit it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Flag(NamedTuple):
    """An option of `rankreport.compare` on the command line, as `rankreport.comparison` has it."""

    name: str
    group: str
    field: str
    flag: str
    kind: Any
    metavar: str | None
    help: str
    default: Any


COLLAPSE = (
    "max",
    "first",
    "sum",
    "mean",
)
"""The rules by which passages are folded."""

COMBINED = (
    "mean",
    "median",
    "majority",
    "lowest",
)
"""The rules by which grades of several people are combined."""

DEFAULT_MEASURES = (
    "nDCG@10",
    "AP",
    "RR@10",
    "P@10",
    "R@100",
)
"""The measures unless some are given."""

FORMATS = (
    "beir",
    "mteb",
    "rank_eval",
    "msearch",
    "opensearch",
    "quepid",
)
"""The formats of inputs that can be named."""

INCONCLUSIVE = (
    "inconclusive",
    "pass",
    "fail",
)
"""How a gate treats an inconclusive result."""

NO_RELEVANT = (
    "zero",
    "one",
    "skip",
)
"""The rules for queries without relevant documents."""

PRECISION = (
    "double",
    "single",
)
"""The precisions of scores."""

PROFILES = (
    "trec_eval-9",
    "trec_eval-10",
    "ir_measures",
    "ranx",
    "sklearn",
    "replay",
    "rectools",
    "lightgbm",
    "xgboost",
    "catboost",
    "quepid",
    "beir",
    "mteb",
)
"""The profiles of other tools."""

QUERIES = (
    "judged",
    "answered",
    "intersection",
)
"""The rules for the queries to average over."""

SCOPES = (
    "population",
    "these",
)
"""The queries that a gate judges."""

TABLES = (
    ".parquet",
    ".csv",
    ".json",
)
"""The suffixes of tables."""

TIES = (
    "trec",
    "input",
    "rank",
    "expected",
    "best",
    "worst",
)
"""The tie rules."""

CHECKS: Mapping[str, str] = {
    ".md": "for a pull request",
    ".json": "",
}
"""The suffixes of a data check, with notes."""

GATES: Mapping[str, str] = {
    ".md": "for a pull request",
    ".xml": "JUnit",
    ".json": "",
}
"""The suffixes of a gate, with notes."""

PLANS: Mapping[str, str] = {
    ".parquet": "table",
    ".csv": "table",
    ".json": "table",
    ".png": "curve",
    ".svg": "curve",
}
"""The suffixes of a plan, with notes."""

REPORTS: Mapping[str, str] = {
    ".html": "",
    ".ipynb": "",
    ".png": "",
    ".md": "",
    ".tex": "",
    ".json": "",
    ".csv": "",
    ".parquet": "",
}
"""The suffixes of a report, with notes."""

BESIDE: Mapping[str, tuple[str, ...]] = {
    ".html": (
        ".comparison.parquet",
        ".comparison.csv",
        ".per-query.parquet",
        ".per-query.csv",
    ),
    ".ipynb": (
        ".scores.parquet",
        ".model.parquet",
        ".queries.parquet",
    ),
}
"""The endings of what a report writes next to a file, by its suffix."""

MEMORY_HELP = "Memory that may be used, such as 2GB: larger files are read in slices, through temporary files in TMPDIR."
"""What an option for the limit of memory does."""

COMPARE = (
    Flag(
        name="baseline",
        group="comparison",
        field="baselines",
        flag="--baseline",
        kind=list[str] | None,
        metavar="NAME",
        help="Baseline system; repeatable. [default: the first run]",
        default=None,
    ),
    Flag(
        name="pairs",
        group="comparison",
        field="all_pairs",
        flag="--all-pairs",
        kind=bool,
        metavar=None,
        help="Compare every system with every other.",
        default=False,
    ),
    Flag(
        name="interval",
        group="resampling",
        field="interval",
        flag="--interval",
        kind=str,
        metavar="KIND",
        help="Interval: auto, t, percentile, basic, bca, studentized.",
        default="auto",
    ),
    Flag(
        name="test",
        group="comparison",
        field="test",
        flag="--test",
        kind=str,
        metavar="KIND",
        help="Test: sign-flip, bootstrap, t, wilcoxon, sign.",
        default="sign-flip",
    ),
    Flag(
        name="correction",
        group="resampling",
        field="correction",
        flag="--correction",
        kind=str,
        metavar="KIND",
        help="Correction for several systems: max-t, holm, bh, none.",
        default="max-t",
    ),
    Flag(
        name="across",
        group="comparison",
        field="across",
        flag="--across",
        kind=str,
        metavar="WHAT",
        help="Correct p-values and intervals across systems or measures.",
        default="systems",
    ),
    Flag(
        name="confidence",
        group="resampling",
        field="confidence",
        flag="--confidence",
        kind=float,
        metavar="SHARE",
        help="Confidence level of the intervals.",
        default=0.95,
    ),
    Flag(
        name="margin",
        group="comparison",
        field="margin",
        flag="--margin",
        kind=float | None,
        metavar="X",
        help="Largest difference that does not matter.",
        default=None,
    ),
    Flag(
        name="queries",
        group="structure",
        field="queries",
        flag="--queries",
        kind=str | None,
        metavar="FILE",
        help="Table of queries: query_id, text, other columns.",
        default=None,
    ),
    Flag(
        name="weights",
        group="structure",
        field="weights",
        flag="--weights",
        kind=str | None,
        metavar="COLUMN",
        help="Column of --queries: weight, such as share of the traffic.",
        default=None,
    ),
    Flag(
        name="clusters",
        group="structure",
        field="clusters",
        flag="--clusters",
        kind=str | None,
        metavar="COLUMN",
        help="Column of --queries: cluster, such as a user or session.",
        default=None,
    ),
    Flag(
        name="strata",
        group="structure",
        field="strata",
        flag="--strata",
        kind=str | None,
        metavar="COLUMN",
        help="Column of --queries: stratum that the query was drawn from.",
        default=None,
    ),
    Flag(
        name="segments",
        group="comparison",
        field="segment",
        flag="--segment",
        kind=list[str] | None,
        metavar="COLUMN",
        help="Column of --queries to break the comparison down by; repeatable.",
        default=None,
    ),
    Flag(
        name="resamples",
        group="resampling",
        field="resamples",
        flag="--resamples",
        kind=int,
        metavar="N",
        help="Number of bootstrap resamples.",
        default=10000,
    ),
    Flag(
        name="seed",
        group="resampling",
        field="seed",
        flag="--seed",
        kind=int,
        metavar="N",
        help="Random seed.",
        default=0,
    ),
    Flag(
        name="memory_limit",
        group="resampling",
        field="memory",
        flag="--memory",
        kind=str | None,
        metavar="SIZE",
        help="Memory that may be used, such as 2GB: larger files are read in slices, through temporary files in TMPDIR.",
        default=None,
    ),
    Flag(
        name="judges",
        group="judges",
        field="human",
        flag="--human",
        kind=str | None,
        metavar="FILE",
        help="Judgments of a random sample of the queries by people; QRELS are a model's of all.",
        default=None,
    ),
    Flag(
        name="sample",
        group="judges",
        field="sample",
        flag="--sample",
        kind=str,
        metavar="HOW",
        help="How that sample was drawn: the seed of sample_queries(), or random.",
        default="0",
    ),
)
"""The options of a comparison."""
