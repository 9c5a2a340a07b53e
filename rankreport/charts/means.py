"""Levels: means as points with intervals, the numbers next to them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from rankreport.charts._alt_text import FEW, sentence_of
from rankreport.charts._chart import BLUE, NO_VALUE, checked, has_values
from rankreport.charts._panel import Values, drawable, empty_chart, limits
from rankreport.charts.canvas import ChartOptions, sizable
from rankreport.charts.forest_chart import LineLayout, draw_lines, grouped
from rankreport.text import counted, listed, number, percent, say, short

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
    'Means with 95 % intervals: bm25 reaches 0.600 (0.500 to 0.700) in AP.'
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


@dataclass(frozen=True)
class _Row:
    """A row of the frame as it is drawn."""

    row: Mapping[str, Any]
    look = ("o", BLUE)

    @property
    def printed(self) -> str:
        mean, low, high = (number(self.row[name], 4) for name in _NUMBERS)
        if self.row["ci_low"] is not None:
            return f"{mean} [{low}, {high}]"
        return mean if self.row["mean"] is None else f"{mean} {say('no interval')}"

    @property
    def numbers(self) -> Values:
        return drawable(pl.Series([self.row[name] for name in _NUMBERS], dtype=pl.Float64))


def _drawn(rows: pl.DataFrame, axis: str) -> "Chart":
    found = [(row["measure"], row["system"], _Row(row)) for row in rows.iter_rows(named=True)]

    def fit(axes: "Axes", _: LineLayout) -> None:
        ends = np.concatenate([row.numbers for *_, row in found])
        axes.set_xlim(limits(ends, margin=0.06, zero=False))
        axes.locator_params(axis="x", nbins=6)

    return draw_lines(grouped(found), axis, fit)


# The sentence.


def _in_words(rows: pl.DataFrame) -> Iterator[str]:
    """Say every mean if there are few, or one system's; of many, the highest and the lowest."""
    n_systems = rows["system"].n_unique()
    if not has_values(rows["mean"]):
        yield say(NO_VALUE)
    elif len(rows) > FEW and n_systems > 1:
        first, *others = (
            _ends_in_words(measure, rows.filter(pl.col("measure") == measure))
            for measure in rows["measure"].unique(maintain_order=True)
        )
        yield say("of {n} systems, {found}", n=n_systems, found=first)
        yield from others
    else:
        for system in rows["system"].unique(maintain_order=True):
            level = _told(rows.filter(pl.col("system") == system))
            yield say("{system} reaches {level}", system=short(system), level=level)


def _told(rows: pl.DataFrame) -> str:
    """Say how far one system comes in which measure."""
    return listed(
        [
            say("{level} in {measure}", level=_level(row), measure=short(row["measure"]))
            for row in rows.iter_rows(named=True)
        ]
    )


def _ends_in_words(measure: str, rows: pl.DataFrame) -> str:
    """Say which of many systems is the highest, and which the lowest."""
    known = rows.drop_nulls("mean").sort("mean", descending=True, maintain_order=True)
    if known.is_empty():
        return say("{name}, {found}", name=short(measure), found=say(NO_VALUE))
    if known["mean"].n_unique() == 1:
        n = counted(len(known), "system", "systems")
        mean = number(known["mean"][0], 3)
        return say("{measure} {mean} with {systems}", measure=short(measure), mean=mean, systems=n)
    first, last = (
        say("{mean} ({system})", mean=number(row["mean"], 3), system=short(row["system"]))
        for row in (known.row(0, named=True), known.row(-1, named=True))
    )
    named = {"measure": short(measure), "first": first, "last": last}
    return say("{measure} from {first} down to {last}", **named)


def _level(row: Mapping[str, Any]) -> str:
    """Write a mean and, where there is one, its interval."""
    mean, low, high = (number(row[name], 3) for name in _NUMBERS)
    if row["ci_low"] is None:
        return mean
    return say("{mean} ({low} to {high})", mean=mean, low=low, high=high)
