"""Rare failures not seen: what the queries leave possible, and in which words.

The interval of a mean is read from the spread of the differences, which says nothing of losses
that the queries happen not to hold. Ends that decide allow for them
(`rankreport.statistics.allowing_for_rare`); words such as better say where they do not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import polars as pl

from rankreport import statistics
from rankreport.comparison.values import ComparisonValues
from rankreport.errors import OptionError
from rankreport.measures import EQUAL
from rankreport.text import counted, say

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankreport.comparison.paired_differences import Contrasts

HALF = 0.5
"""Changes by more than this share of the largest are large."""


Unallowed = Literal["", "weights", "unbounded", "aggregate"]

WHY_UNALLOWED: Mapping[Unallowed, str] = {
    "weights": "with weights, no bound on them is known; without, they are",
    "aggregate": "they are bounded for means alone",
    "unbounded": "{measure} has no bound; give the largest loss that a query can have",
}
"""Why rare failures are not allowed for, and what would allow for them."""


def unallowed(largest: float, *, weighted: bool) -> Unallowed:
    """Return why rare failures are not allowed for: a key of `WHY_UNALLOWED`, or an empty text.

    >>> unallowed(1.0, weighted=False), unallowed(float("inf"), weighted=False)
    ('', 'unbounded')
    """
    return "weights" if weighted else "" if math.isfinite(largest) else "unbounded"


class Unseen(NamedTuple):
    """How many large changes were seen on one side, and what share of the queries may have any.

    Attributes
    ----------
    n_units
        Queries, or clusters of them.
    n_large, n_moved
        Those that changed by more than half of the largest change, to this side; and at all.
    share
        The upper end of the share of such queries, of Clopper and Pearson.
    largest
        How much a query can change.
    confidence
        How often the share is no larger.
    lost
        Whether they lost, rather than gained.
    scale
        Whether the largest change is the range of the measure.
    clustered
        Whether the units are clusters.
    """

    n_units: int
    n_large: int
    n_moved: int
    share: float
    largest: float
    confidence: float
    lost: bool
    scale: bool
    clustered: bool

    @property
    def units(self) -> str:
        """The number of queries, or clusters, in words."""
        if self.clustered:
            return counted(self.n_units, "cluster", "clusters")
        return counted(self.n_units, "query", "queries")

    @property
    def share_in_words(self) -> str:
        """The share, in per cent."""
        return say("{number} %", number=f"{100 * self.share:.1f}")

    @property
    def in_words(self) -> str:
        """What was seen and what may be, without a full stop.

        >>> known = Unseen(100, 0, 0, 0.036, 1.0, 0.975, True, True, False)
        >>> known.in_words.partition(",")[0], known._replace(n_moved=3).in_words.partition(",")[0]
        ('no query here lost', 'no query here lost more than 0.5')
        """
        fields = {
            "units": self.units,
            "unit": say("cluster") if self.clustered else say("query"),
            "plural": say("clusters") if self.clustered else say("queries"),
            "n": f"{self.n_large:,}",
            "size": f"{HALF * self.largest:g}",
            "largest": f"{self.largest:g}",
            "share": self.share_in_words,
        }
        none, few, some = _LOST if self.lost else _GAINED
        seen = say(some if self.n_large else few if self.n_moved else none, **fields)
        if self.lost:
            return say(
                "{seen}, but {units} cannot exclude that up to {share} of all {plural} lose the "
                "most possible ({largest})",
                seen=seen,
                **fields,
            )
        return say(
            "{seen}, but {units} cannot exclude that up to {share} of all {plural} gain the most "
            "possible ({largest})",
            seen=seen,
            **fields,
        )


_LOST = (
    "no {unit} here lost",
    "no {unit} here lost more than {size}",
    "{n} of {units} lost more than {size}",
)
_GAINED = (
    "no {unit} here gained",
    "no {unit} here gained more than {size}",
    "{n} of {units} gained more than {size}",
)


def unseen_of(
    contrasts: Contrasts, column: int, largest: float, alpha: float, *, below: bool
) -> Unseen:
    """Return what the queries of one column of differences leave possible, `below` 0 or above.

    Queries are said to lose what is possible below, or above where lower values are better.
    """
    sample = contrasts.sample
    held = sample.defined[:, column]
    units = sample.totals[held, column] / sample.sizes[held, column]
    moved = -units if below else units
    n_large, n_moved = (int((moved > least).sum()) for least in (HALF * largest, EQUAL))
    share = float(statistics.share_unseen(len(units), alpha, n_large))
    is_scale = bool(largest == contrasts.widths[column])
    clustered = "clusters" in sample.kinds
    figures = len(units), n_large, n_moved, share, float(largest), 1 - alpha
    falls_are_losses = contrasts.goal_of(contrasts.measures[column % len(contrasts.measures)]) >= 0
    return Unseen(*figures, below == falls_are_losses, is_scale, clustered)


def largest_losses(contrasts: Contrasts, named: Mapping[str, float | None]) -> NDArray[np.float64]:
    """Return how much a query can change by each measure: its range, or less where named.

    Raises
    ------
    OptionError
        If a query changed by more than named.
    """
    lowest, highest = contrasts.ranges
    found: NDArray[np.float64] = np.array(highest - lowest, dtype=np.float64)
    for measure, loss in named.items():
        if loss is None or measure not in contrasts.measures:
            continue
        place = contrasts.measures.index(measure)
        every = contrasts.differences[:, place :: len(contrasts.measures)]
        changed = float(np.nanmax(np.abs(every), initial=0.0))
        if changed > loss * (1 + 1e-9):
            raise OptionError(
                f"largest_loss={loss:g}: a query changed {measure} by {changed:g}. Expected no "
                f"less than that."
            )
        found[place] = min(found[place], loss)
    return found


def losses_of(comparison: ComparisonValues, contrasts: Contrasts) -> NDArray[np.float64]:
    """Return how much a query can change by each measure of these contrasts."""
    return largest_losses(contrasts, {str(comparison.primary): comparison.largest_loss})


def with_ends(comparison: ComparisonValues, contrasts: Contrasts) -> pl.DataFrame:
    """Return differences with the ends of intervals, those that decide, and their errors."""
    if contrasts.is_wide and comparison.interval != "studentized":
        return pl.concat([with_ends(comparison, block) for block in contrasts.blocks()])
    losses = losses_of(comparison, contrasts)
    ends = contrasts.decided(comparison.interval, comparison.confidence, losses)
    return contrasts.frame().with_columns(*ends, contrasts.end_errors(comparison.interval))
