"""Levels: means as points with intervals, the numbers next to them."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl

from rankreport.charts._alt_text import FEW, sentence_of, valued
from rankreport.charts._chart import BLUE, NO_VALUE, checked, has_values
from rankreport.charts._panel import empty_chart, limits
from rankreport.charts.canvas import ChartOptions, sizable
from rankreport.charts.forest_chart import (
    Drawn,
    LineLayout,
    draw_lines,
    drawable_row,
    ends_of,
    grouped,
)
from rankreport.text import number, percent, say, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts._chart import Chart

_NUMBERS = ("mean", "ci_low", "ci_high")


@sizable
def levels(
    rows: pl.DataFrame, *, confidence: float = 0.95, **options: Unpack[ChartOptions]
) -> "Chart":
    """Draw means as points with intervals, in the order given, and print the numbers next to them.

    All rows share one axis, so the measures of one chart should be of one scale.

    Parameters
    ----------
    rows
        One row per measure and system: `system`, `measure` (String), `mean`, `ci_low`, `ci_high`
        (Float64; the interval is null where there is none).
    confidence
        The confidence that the intervals were made for.
    options
        Where and how large it is drawn, and in which style: see `ChartOptions`.

    Examples
    --------
    >>> rows = pl.DataFrame({"system": ["bm25"], "measure": ["AP"], "mean": [0.6],
    ...                      "ci_low": [0.5], "ci_high": [0.7]})
    >>> levels(rows).alt
    'Means with 95 % intervals: bm25, AP: 0.600 (0.500 to 0.700).'
    """
    del options
    rows = checked(rows, "measure", "system", numbers=_NUMBERS)
    level = percent(confidence)
    axis = say("mean over queries, with its {confidence} interval", confidence=level)
    chart = _drawn(rows, axis) if has_values(rows["mean"]) else empty_chart(axis, say(NO_VALUE))
    head = say("Means with {confidence} intervals", confidence=level)
    chart.alt = sentence_of(head, _in_words(rows))
    chart.data = rows
    return chart


def _row(row: Mapping[str, Any]) -> Drawn:
    """Return a row of the frame as it is drawn."""
    mean, low, high = (number(row[name], 4) for name in _NUMBERS)
    printed = f"{mean} [{low}, {high}]"
    if row["ci_low"] is None:
        printed = mean if row["mean"] is None else f"{mean} {say('no interval')}"
    return Drawn(printed, "o", BLUE, drawable_row(*(row[name] for name in _NUMBERS)))


def _drawn(rows: pl.DataFrame, axis: str) -> "Chart":
    found = [(row["measure"], row["system"], _row(row)) for row in rows.iter_rows(named=True)]

    def fit(axes: "Axes", _: LineLayout) -> None:
        ends = ends_of(row for *_, row in found)
        axes.set_xlim(limits(ends, margin=0.06, zero=False))
        axes.locator_params(axis="x", nbins=6)

    return draw_lines(grouped(found), axis, fit)


# The sentence.


def _in_words(rows: pl.DataFrame) -> Iterator[str]:
    """Say every mean if there are few, or one system's; of many, the highest and the lowest."""
    known = rows.drop_nulls("mean")
    if known.is_empty():
        yield say(NO_VALUE)
    elif len(rows) <= FEW or rows["system"].n_unique() == 1:
        for row in rows.iter_rows(named=True):
            names = {"system": short(row["system"]), "measure": short(row["measure"])}
            yield say("{system}, {measure}: {found}", found=valued(row, *_NUMBERS), **names)
    else:
        for _, own in known.group_by("measure", maintain_order=True):
            ordered = own.sort("mean", descending=True, maintain_order=True)
            first, last = (
                say("{mean} ({system})", mean=number(row["mean"], 3), system=short(row["system"]))
                for row in (ordered.row(0, named=True), ordered.row(-1, named=True))
            )
            named = {"measure": short(ordered["measure"][0]), "first": first, "last": last}
            yield say("{measure} from {first} down to {last}", **named)
