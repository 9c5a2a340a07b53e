"""The two sides of a difference: what they are called, how they look, how many queries lie there.

Which side wins depends on the measure: of a false positive rate, less is better, and of a count of
documents neither more nor less is.
"""

from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from rankreport.charts._chart import BLUE, VERMILLION
from rankreport.errors import choose
from rankreport.text import say


@dataclass(frozen=True)
class Side:
    """One side of zero: its name, its sign, and how it is drawn."""

    name: str
    sign: int
    color: str
    glyph: str

    @property
    def largest(self) -> str:
        """What its largest change is called."""
        return _LARGEST[self.sign]

    def count(self, deltas: pl.Series) -> int:
        """Count the differences on this side."""
        return int((deltas * self.sign > 0).sum())

    def counted(self, deltas: pl.Series) -> str:
        """Say how many differences lie on this side."""
        return say(f"{{n}} {self.name}", n=f"{self.count(deltas):,}")


class Sides(NamedTuple):
    """Both sides, the better one first."""

    better: Side
    worse: Side

    @property
    def ends(self) -> str:
        """Say from where to where queries are sorted."""
        return say(SORTED[self.better.name])


_LARGEST = {
    1: "the largest rise is {size} (query {query})",
    -1: "the largest fall is {size} (query {query})",
}
"""What the largest change is called, by its sign."""

SORTED = {
    "better": "queries, from better to worse",
    "higher": "queries, from higher to lower",
}
"""What an axis of sorted queries is called, by the name of the better side."""

SIDES = {
    "high": Sides(
        Side("better", 1, BLUE, "▲"),
        Side("worse", -1, VERMILLION, "▼"),
    ),
    "low": Sides(
        Side("better", -1, BLUE, "▼"),
        Side("worse", 1, VERMILLION, "▲"),
    ),
    "neither": Sides(
        Side("higher", 1, BLUE, "▲"),
        Side("lower", -1, VERMILLION, "▼"),
    ),
}
"""By which of a measure is better: more, less, or neither."""


def sides_of(better: str) -> Sides:
    """Return the sides of a measure of which more is better (``"high"``), less, or neither.

    >>> sides_of("low").better.sign
    -1
    """
    return SIDES[choose("better", better, SIDES)]


def tally(deltas: pl.Series, sides: Sides) -> tuple[str, str, str]:
    """Count the queries of both sides, and between them those of neither.

    >>> tally(pl.Series([0.5, 0.0, -0.25, -0.5]), sides_of("high"))
    ('1 better', '1 unchanged', '2 worse')
    """
    unchanged = say("{n} unchanged", n=f"{(deltas == 0).sum():,}")
    return sides.better.counted(deltas), unchanged, sides.worse.counted(deltas)
