"""The two sides of a difference: what they are called, how they look, how many queries lie there.

Which side wins depends on the measure: of a false positive rate, less is better, and of a count of
documents neither more nor less is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from rankreport.charts._chart import BLUE, VERMILLION
from rankreport.charts._panel import line_height, line_width, note, panel_size, spread
from rankreport.errors import choose
from rankreport.text import say

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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


class Share(NamedTuple):
    """A part of the queries in words, and over which place of the panel it stands, in data."""

    words: str
    place: float


def tally(deltas: pl.Series, sides: Sides) -> tuple[str, str, str]:
    """Count the queries of both sides, and between them those of neither.

    >>> tally(pl.Series([0.5, 0.0, -0.25, -0.5]), sides_of("high"))
    ('1 better', '1 unchanged', '2 worse')
    """
    unchanged = say("{n} unchanged", n=f"{(deltas == 0).sum():,}")
    return sides.better.counted(deltas), unchanged, sides.worse.counted(deltas)


def share_rows(shares: Sequence[Share], width: float) -> str:
    """Give a line break if the words of shares do not fit next to each other."""
    return "\n" if sum(line_width(each.words) + 12 for each in shares) > width + 12 else ""


def draw_shares(axes: "Axes", shares: Sequence[Share]) -> None:
    """Write over a panel what each part of it holds."""
    width, _ = panel_size(axes)
    low, high = axes.get_xlim()
    middles = [(each.place - low) / (high - low) * width for each in shares]
    sizes = [line_width(each.words) + 12 for each in shares]
    raised = 1 if share_rows(shares, width) else None
    row = [place for place in range(len(shares)) if place != raised]
    kept = spread([middles[n] for n in row], [sizes[n] for n in row], (-6, width + 6))
    places = dict(zip(row, kept, strict=True))
    for n, each in enumerate(shares):
        half = sizes[n] / 2 - 6
        place = places.get(n, min(max(middles[n], half), width - half))
        above = 14 if n in places else 14 + line_height("")
        at = (place / width, 1)
        note(axes, each.words, at, "axes fraction", offset=(0, above), ha="center")
