"""The columns of a comparison and of the results that people read, each declared once."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from rankreport.frames import BASELINE, MEASURE, QUERY_ID, RANK, SYSTEM, TEXT


@dataclass(frozen=True)
class Column:
    """A column of a result of a comparison.

    Attributes
    ----------
    name, dtype
        As in the frame.
    heading
        What tables for people call it.
    meaning
        What it holds, and where it is null.
    caution
        When not to trust it; may be empty.
    """

    name: str
    dtype: type[pl.DataType]
    heading: str
    meaning: str
    caution: str = ""

    @property
    def help(self) -> str:
        """What the heading says to readers who ask: the meaning, without where it is null."""
        return self.meaning.partition("; null")[0]


_FEW = "where fewer than 20 queries changed: the interval may be too narrow"
_SIDES = "as the size of a difference: a small win counts as much as a large one"

COLUMNS = (
    Column(BASELINE, pl.String, "against", "the system compared with"),
    Column(
        SYSTEM, pl.String, "system", "the system compared; a difference is system minus baseline"
    ),
    Column(
        MEASURE,
        pl.String,
        "measure",
        "the measure; the primary one decides, others are descriptive",
    ),
    Column(
        "n_queries",
        pl.Int64,
        "queries",
        "queries for which both systems have a value (and that have a weight, where queries are "
        "weighted)",
    ),
    Column(
        "n_changed",
        pl.Int64,
        "changed",
        "queries on which the two differ: the data of the interval and the test",
    ),
    Column("mean_baseline", pl.Float64, "baseline", "the baseline's mean over these queries"),
    Column("mean_system", pl.Float64, "mean", "the system's mean over these queries"),
    Column("delta", pl.Float64, "delta", "the mean difference, in the unit of the measure"),
    Column(
        "ci_low",
        pl.Float64,
        "interval from",
        "the lower end of its interval; null if no query changed, if all differences are equal and "
        "the measure is unbounded, and with max-t if fewer than 10 queries changed",
        _FEW,
    ),
    Column("ci_high", pl.Float64, "interval to", "the upper end; null like `ci_low`", _FEW),
    Column(
        "p_value",
        pl.Float64,
        "p",
        "two-sided, for no difference, and never 0; null only if no query has both values",
        "where several differences are tested: use `p_adjusted`",
    ),
    Column(
        "p_adjusted",
        pl.Float64,
        "p ({correction})",
        "the p-value, corrected for several differences",
        "where you tried other systems that are not in the comparison",
    ),
    Column(
        "wins",
        pl.Int64,
        "better",
        "queries on which the system is better; null if the measure has no better direction",
        _SIDES,
    ),
    Column("ties", pl.Int64, "unchanged", "queries on which the two are equal"),
    Column(
        "losses",
        pl.Int64,
        "worse",
        "queries on which the baseline is better; null like `wins`",
        _SIDES,
    ),
    Column("caution", pl.String, "caution", "why not to rely on the row, or an empty text"),
)
"""The columns of a comparison, in order."""


COMPARISON = tuple(column.name for column in COLUMNS)
"""Their names."""

HEADINGS = {
    **{column.name: column.heading for column in COLUMNS},
    # By query and by rank.
    QUERY_ID: "query",
    TEXT: "text",
    "score_baseline": "baseline",
    "score_system": "score",
    "unjudged_baseline": "unjudged of the baseline",
    "unjudged_system": "unjudged",
    RANK: "rank",
    "doc_baseline": "document of the baseline",
    "relevance_baseline": "grade",
    "move_baseline": "move",
    "doc_system": "document of the system",
    "relevance_system": "grade",
    "move_system": "move",
    # By segment and by kind of query.
    "column": "column",
    "segment": "segment",
    "feature": "feature",
    "kind": "kind of query",
    "n_elsewhere": "queries elsewhere",
    "delta_elsewhere": "delta elsewhere",
    "delta_of_all": "delta of all queries",
    "differs": "differs from 0",
    "disagrees": "opposite sign to all queries",
}
"""What tables for people call the columns of a comparison's results, by name."""

HELP = {column.name: column.help for column in COLUMNS}
"""What they say to readers who ask, by name."""


OF_PART = (
    *(BASELINE, SYSTEM, MEASURE, "n_queries", "n_changed", "n_changed_effective"),
    *("mean_baseline", "mean_system", "delta", "wins", "ties", "losses"),
)
"""What `Comparison.segments` has of a segment before it is tested."""

OF_JUDGED = (
    *("n_changed", "n_changed_effective", "delta", "ci_low", "ci_high"),
    *("deciding_low", "deciding_high", "end_error"),
)
"""The figures of a `Difference` that judged documents alone may change."""

PAIRED = (BASELINE, SYSTEM)
