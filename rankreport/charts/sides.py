"""The two sides of a difference: what they are called, how they look, how many queries lie there.

Which side wins depends on the measure: of a false positive rate, less is better, and of a count of
documents neither more nor less is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from rankreport.charts._chart import BLUE, GREY, VERMILLION
from rankreport.charts._panel import line_height, line_width, note, panel_size, spread
from rankreport.errors import choose
from rankreport.text import counted, say

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Side:
    """One side of zero: its name, its colour, its sign, and what its biggest change is called."""

    name: str
    names: str
    sign: int
    color: str
    glyph: str
    biggest: str

    def count(self, deltas: pl.Series) -> int:
        """Count the differences on this side."""
        return int((deltas * self.sign > 0).sum())

    def counted(self, deltas: pl.Series) -> str:
        """Say how many differences lie on this side."""
        return counted(self.count(deltas), self.name, self.names)


class Sides(NamedTuple):
    """Both sides, the better one first."""

    better: Side
    worse: Side

    @property
    def ends(self) -> str:
        """Say from where to where queries are sorted."""
        return say(SORTED[self.better.name])


_BIGGEST = {
    "win": "the biggest win is {size} (query {query})",
    "loss": "the biggest loss is {size} (query {query})",
    "rise": "the biggest rise is {size} (query {query})",
    "drop": "the biggest drop is {size} (query {query})",
}

SORTED = {
    "win": "queries, from the biggest win to the biggest loss",
    "rise": "queries, from the biggest rise to the biggest drop",
}
"""What an axis of sorted queries is called, by the name of the better side."""

SIDES = {
    "high": Sides(
        Side("win", "wins", 1, BLUE, "▲", _BIGGEST["win"]),
        Side("loss", "losses", -1, VERMILLION, "▼", _BIGGEST["loss"]),
    ),
    "low": Sides(
        Side("win", "wins", -1, BLUE, "▼", _BIGGEST["win"]),
        Side("loss", "losses", 1, VERMILLION, "▲", _BIGGEST["loss"]),
    ),
    "neither": Sides(
        Side("rise", "rises", 1, BLUE, "▲", _BIGGEST["rise"]),
        Side("drop", "drops", -1, VERMILLION, "▼", _BIGGEST["drop"]),
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
    """A part of a line over a panel, in words, and where it starts and ends in data."""

    words: str
    color: str
    start: float
    end: float


def tally(deltas: pl.Series, sides: Sides) -> tuple[str, str, str]:
    """Count the queries of both sides, and between them those of neither.

    >>> tally(pl.Series([0.5, 0.0, -0.25, -0.5]), sides_of("high"))
    ('1 win', '1 tie', '2 losses')
    """
    ties = counted(int((deltas == 0).sum()), "tie", "ties")
    return sides.better.counted(deltas), ties, sides.worse.counted(deltas)


def draw_tally(axes: "Axes", deltas: pl.Series, sides: Sides) -> None:
    """Count wins, ties and losses over a panel of ranks, each over its share of the width."""
    draw_shares(axes, _tally_shares(deltas, sides))


def tally_rows(deltas: pl.Series, sides: Sides, width: float) -> str:
    """Give a line break for each row but the first that `draw_tally` takes."""
    return share_rows(_tally_shares(deltas, sides), width)


def _tally_shares(deltas: pl.Series, sides: Sides) -> list[Share]:
    better, ties, worse = tally(deltas, sides)
    words = (f"{sides.better.glyph} {better}", ties, f"{sides.worse.glyph} {worse}")
    sizes = [sides.better.count(deltas), int((deltas == 0).sum()), sides.worse.count(deltas)]
    colors = (sides.better.color, GREY, sides.worse.color)
    spans = pairwise(accumulate(sizes, initial=0))
    return [
        Share(text, color, start + 0.5, end + 0.5)
        for text, color, (start, end) in zip(words, colors, spans, strict=True)
    ]


def share_rows(shares: Sequence[Share], width: float) -> str:
    """Give a line break if the words of shares do not fit next to each other."""
    return "\n" if sum(line_width(each.words) + 12 for each in shares) > width + 12 else ""


def draw_shares(axes: "Axes", shares: Sequence[Share]) -> None:
    """Draw a line over a panel in parts, and over the middle of each part its words."""
    width, height = panel_size(axes)
    low, high = axes.get_xlim()
    middles = [((each.start + each.end) / 2 - low) / (high - low) * width for each in shares]
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
        if each.end > each.start:
            axes.hlines(
                1 + 7 / height,
                each.start,
                each.end,
                color=each.color,
                linewidth=3,
                transform=axes.get_xaxis_transform(),
                clip_on=False,
            )
