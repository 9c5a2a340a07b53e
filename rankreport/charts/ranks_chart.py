"""Ranks: each system with the ranks that are left open, and those that verdicts leave open."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl

from rankreport.charts._alt_text import FEW, sentence_of
from rankreport.charts._chart import BLUE, VERMILLION, checked
from rankreport.charts._panel import Values, drawable, in_two_lines, mark_steps
from rankreport.charts.canvas import ChartOptions, sizable
from rankreport.charts.forest_chart import Line, LineLayout, draw_lines
from rankreport.text import percent, ranks_in_figures, say, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts._chart import Chart

_NUMBERS = ("place", "rank_highest", "rank_lowest", "seen_highest", "seen_lowest")


@sizable
def ranks(
    rows: pl.DataFrame, *, confidence: float | None = 0.95, **options: Unpack[ChartOptions]
) -> "Chart":
    """Draw the ranks that are left open as lines, in the order given.

    A thick line has the ranks that verdicts leave open, a point the place by the mean. It is a
    vermillion square where other doubts than intervals, such as unjudged documents, leave ranks
    open.

    Parameters
    ----------
    rows
        One row per system: `system`, `doubts` (String), which may be empty; `place`,
        `rank_highest`, `rank_lowest`, `seen_highest`, `seen_lowest` (Int64).
    confidence
        The confidence with which all ranks hold at once; None where they do not.
    options
        Where and how large it is drawn, and in which style: see `ChartOptions`.

    Examples
    --------
    >>> rows = pl.DataFrame({"system": ["bm25", "dense"], "place": [1, 2], "doubts": ["", ""]})
    >>> ends = ("rank_highest", "rank_lowest", "seen_highest", "seen_lowest")
    >>> ranks(rows.with_columns(pl.col("place").alias(end) for end in ends)).alt
    'Ranks left open, all at once with 95 % confidence: bm25 1; dense 2.'
    """
    del options
    rows = checked(rows, "system", "doubts", numbers=_NUMBERS)
    rows = rows.with_columns(pl.col(_NUMBERS).cast(pl.Int64))
    found = [_Row(row) for row in rows.iter_rows(named=True)]
    head = say("Ranks left open")
    if confidence is not None:
        level = percent(confidence)
        head = say("Ranks left open, all at once with {confidence} confidence", confidence=level)
    words = say("{ranks}; point: by the mean; thick: by the verdicts", ranks=head)
    chart = _drawn(found, words)
    chart.alt = sentence_of(head, _in_words(found))
    chart.data = rows
    return chart


@dataclass(frozen=True)
class _Row:
    """A row of the frame as it is drawn."""

    row: Mapping[str, Any]

    @property
    def system(self) -> str:
        return short(self.row["system"])

    @property
    def look(self) -> tuple[str, str]:
        return ("s", VERMILLION) if self.row["doubts"] else ("o", BLUE)

    @property
    def printed(self) -> str:
        figures = ranks_in_figures(*(self.row[name] for name in _NUMBERS[1:]))
        return f"{figures} {self.row['doubts']}".rstrip()

    @property
    def numbers(self) -> Values:
        return drawable(pl.Series([self.row[name] for name in _NUMBERS[:3]], dtype=pl.Float64))


def _drawn(found: list[_Row], axis: str) -> "Chart":
    def fit(axes: "Axes", rows: LineLayout) -> None:
        axes.set_xlim(0.5, len(found) + 0.5)
        mark_steps(axes, range(1, len(found) + 1))
        for y, each in enumerate(found):
            ends = each.row["seen_highest"], each.row["seen_lowest"]
            look: dict[str, Any] = {"color": each.look[1], "linewidth": 5, "alpha": 0.35}
            axes.plot(ends, [rows.interval_at(y)] * 2, solid_capstyle="projecting", **look)

    return draw_lines([Line(in_two_lines(each.system), each) for each in found], axis, fit)


def _in_words(found: list[_Row]) -> Iterator[str]:
    """Say the ranks of each of few systems; of many, how many may have the first and the last."""
    if len(found) <= FEW:
        for each in found:
            yield f"{each.system} {each.printed}"
        return
    first = sum(each.row["rank_highest"] == 1 for each in found)
    last = sum(each.row["rank_lowest"] == len(found) for each in found)
    yield say(
        "of {n} systems, {first} may be first and {last} last", n=len(found), first=first, last=last
    )
