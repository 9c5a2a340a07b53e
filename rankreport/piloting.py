"""What a comparison, taken for a pilot, says of how differences spread."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankreport import statistics
from rankreport.columns import BASELINE, MEASURE, SYSTEM
from rankreport.errors import OptionError
from rankreport.rendering.text import counted
from rankreport.verdict import MIN_CHANGED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankreport.comparison import Comparison
    from rankreport.pairing import Pair

__all__ = ["KEYS", "least_for_verdict", "pilot_of", "spreads_of"]

KEYS = (BASELINE, SYSTEM, MEASURE)
SPREADS = ("spread", "spread_low", "spread_high")


def pilot_of(
    comparison: Comparison, name: str, pairs: tuple[Pair, ...], confidence: float
) -> pl.DataFrame:
    """Return the frame `pilot` described at `rankreport.Plan`.

    Raises
    ------
    OptionError
        If nothing is known of how the differences of any pair spread.
    """
    measure = next(m for m in comparison.evaluation.measures if str(m) == name)
    contrasts = comparison.contrast([measure])
    sample, ends = contrasts.sample, statistics.deviation_interval(contrasts.sample, confidence)
    # The ends in units of the deviation hold of clusters and weights as of queries.
    parts = [np.ones_like(contrasts.spread), *(end / sample.standard_deviation for end in ends)]
    spreads = [contrasts.spread * part for part in parts]
    known = pl.col("n_changed") > 1, pl.col("spread") > 0
    rows = (
        contrasts.frame()
        .select(*KEYS, "n_queries", "n_changed", "n_telling", "delta")
        .with_columns(pl.Series("worth", contrasts.worth) / pl.col("n_queries"))
        .with_columns(
            pl.Series(column, values, nan_to_null=True)
            for column, values in zip(SPREADS, spreads, strict=True)
        )
        .with_columns(pl.when(*known).then(pl.col(SPREADS)))
        .filter(pl.struct(BASELINE, SYSTEM).is_in([pair._asdict() for pair in pairs]))
    )
    if rows["spread"].null_count() == len(rows):
        raise OptionError(_why_unknown(rows.row(0, named=True)))
    return rows


def _why_unknown(row: dict[str, Any]) -> str:
    what = f"{row['system']} and {row['baseline']} on {row['measure']}"
    if row["n_changed"] > 1:
        found = f"all differences between {what} are the same"
    else:
        changed = counted(row["n_changed"], "query", "queries")
        found = f"{changed} changed between {what}"
    return (
        f"Planning needs a pilot whose differences vary, in two queries or more; {found}, which "
        f"says nothing of how others would. Compare on more queries, or by a finer measure."
    )


def spreads_of(row: dict[str, Any]) -> NDArray[np.float64]:
    """Return a pilot's spread and its ends, one beneath another, NaN where not known."""
    return np.array([[math.nan if row[name] is None else row[name]] for name in SPREADS])


def least_for_verdict(row: dict[str, Any]) -> float:
    """Return how many queries make so many change, at the pilot's rate, as a verdict needs."""
    if not row["n_telling"]:
        return math.inf
    least: int = math.ceil(MIN_CHANGED * row["n_queries"] / row["n_telling"])
    return least
