"""Ranks: each system with the ranks that are left open, and those that verdicts leave open."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl

from rankreport.charts._alt_text import FEW, sentence_of
from rankreport.charts._chart import BLUE, VERMILLION, checked
from rankreport.charts._panel import in_two_lines, mark_steps
from rankreport.charts.canvas import ChartOptions, sizable
from rankreport.charts.forest_chart import Drawn, Line, LineLayout, draw_lines, drawable_row
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
    head = say("Ranks left open")
    if confidence is not None:
        level = percent(confidence)
        head = say("Ranks left open, all at once with {confidence} confidence", confidence=level)
    words = say("{ranks}; point: by the mean; thick: by the verdicts", ranks=head)
    chart = _drawn(rows, words)
    chart.alt = sentence_of(head, _in_words(rows))
    chart.data = rows
    return chart


def _row(row: Mapping[str, Any]) -> Drawn:
    """Return a row of the frame as it is drawn."""
    marker, color = ("s", VERMILLION) if row["doubts"] else ("o", BLUE)
    figures = ranks_in_figures(*(row[name] for name in _NUMBERS[1:]))
    values = drawable_row(*(row[name] for name in _NUMBERS[:3]))
    return Drawn(f"{figures} {row['doubts']}".rstrip(), marker, color, values)


def _drawn(rows: pl.DataFrame, axis: str) -> "Chart":
    found = [_row(row) for row in rows.iter_rows(named=True)]

    def fit(axes: "Axes", layout: LineLayout) -> None:
        axes.set_xlim(0.5, len(found) + 0.5)
        mark_steps(axes, range(1, len(found) + 1))
        seen = rows.select("seen_highest", "seen_lowest").rows()
        for y, (each, ends) in enumerate(zip(found, seen, strict=True)):
            look: dict[str, Any] = {"color": each.color, "linewidth": 5, "alpha": 0.35}
            axes.plot(ends, [layout.interval_at(y)] * 2, solid_capstyle="projecting", **look)

    names = (in_two_lines(short(system)) for system in rows["system"])
    return draw_lines(list(map(Line, names, found)), axis, fit)


def _in_words(rows: pl.DataFrame) -> Iterator[str]:
    """Say the ranks of each of few systems; of many, how many may have the first and the last."""
    if len(rows) <= FEW:
        for row in rows.iter_rows(named=True):
            yield f"{short(row['system'])} {_row(row).printed}"
        return
    first, last = (rows["rank_highest"] == 1).sum(), (rows["rank_lowest"] == len(rows)).sum()
    yield say(
        "of {n} systems, {first} may be first and {last} last", n=len(rows), first=first, last=last
    )
