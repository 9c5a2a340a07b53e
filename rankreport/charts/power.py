"""Power: the least difference that can be distinguished from 0, against the number of queries."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from rankreport.charts._alt_text import sentence_of
from rankreport.charts._chart import (
    BLUE,
    GREEN,
    GREY,
    PURPLE,
    SHADE,
    VERMILLION,
    checked,
    has_values,
    report_style,
)
from rankreport.charts._end_labels import label_ends, place_of
from rankreport.charts._key import KeyEntry, draw_key, key_height
from rankreport.charts._panel import (
    LEFT,
    drawable,
    empty_chart,
    fitted,
    in_two_lines,
    line_width,
    mark_factors,
    note,
    titled_panel,
)
from rankreport.charts.canvas import ChartOptions, current_page, inked, sizable
from rankreport.text import counted, decimals, listed, number, percent, say, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts._chart import Chart

_NUMBERS = ("detectable", "detectable_low", "detectable_high")
_COLORS = (GREEN, PURPLE, BLUE, VERMILLION)
_DASHES: Sequence[Any] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)))
NO_SPREAD = "the spread of the differences is unknown"
"""What stands in the place of curves where no difference varies."""

_RIGHT = 0.75
"""The share of a panel's width beyond which a text has no room at the right."""

_LEAST_PANEL = 200
"""The width of a panel next to the names of its lines; with less they stand above it."""

_FEW = 2
"""Of so many systems the bands are drawn."""


@sizable
def power_curve(
    detectable: pl.DataFrame,
    pilot: pl.DataFrame,
    *,
    measure: str,
    power: float = 0.8,
    confidence: float = 0.95,
    **options: Unpack[ChartOptions],
) -> "Chart":
    """Draw the least difference that can be distinguished from 0 against the number of queries.

    Parameters
    ----------
    detectable
        One row per system and number of queries: `system` (String), `n_queries` (Int64),
        `detectable`, `detectable_low`, `detectable_high` (Float64, null where there is none).
    pilot
        What it was judged by, one row per system: `system`, `n_queries` and its `detectable`.
    measure
        What was measured.
    power
        The chance of telling so large a difference.
    confidence
        Of the range from `detectable_low` to `detectable_high`.
    options
        Where and how large it is drawn, and in which style: see `ChartOptions`.

    Examples
    --------
    >>> detectable = pl.DataFrame({"system": ["dense"] * 2, "n_queries": [50, 200],
    ...     "detectable": [0.1, 0.05], "detectable_low": [0.08, 0.04],
    ...     "detectable_high": [0.12, 0.06]})
    >>> pilot = pl.DataFrame({"system": ["dense"], "n_queries": [50], "detectable": [0.1]})
    >>> power_curve(detectable, pilot, measure="AP").alt  # doctest: +NORMALIZE_WHITESPACE
    'Smallest difference in AP detectable with 80 % power, by number of queries: dense, 0.100 with
    the current 50 and 0.050 with 200.'
    """
    del options
    drawn = checked(detectable, "system", "n_queries", numbers=_NUMBERS)
    marks = checked(pilot, "system", "n_queries", numbers=("detectable",))
    known = has_values(drawn["detectable"])
    banded = has_values(drawn["detectable_low"]) and drawn["system"].n_unique() <= _FEW
    title = _title(short(measure), percent(power), percent(confidence) if banded else None)
    chart = _drawn(drawn, marks, title) if known else empty_chart(title, say(NO_SPREAD))
    head = say(
        "Smallest difference in {measure} detectable with {power} power, by number of queries",
        measure=short(measure),
        power=percent(power),
    )
    chart.alt = sentence_of(head, _in_words(drawn, marks) if known else [say(NO_SPREAD)])
    chart.data = drawn
    return chart


def _title(measure: str, power: str, confidence: str | None) -> str:
    subtitle = say("detectable with {power} power", power=power)
    if confidence is not None:
        subtitle = say(
            "detectable with {power} power, with its {confidence} range",
            power=power,
            confidence=confidence,
        )
    return f"{say('smallest difference in {measure}', measure=measure)}\n{subtitle}"


def _drawn(detectable: pl.DataFrame, pilot: pl.DataFrame, title: str) -> "Chart":
    systems = detectable["system"].unique(maintain_order=True).to_list()
    labels = {system: in_two_lines(short(system)) for system in systems}
    page = current_page()
    right, key = 30 + max(map(line_width, labels.values())), []
    if page.width - LEFT - right < _LEAST_PANEL:
        right, key = 16, [_entry(place, system) for place, system in enumerate(systems)]
    keyed = key_height(key)
    with report_style():
        chart, axes = titled_panel(
            title, over=23 + keyed, high=198, foot=42, right=right, above=8 + keyed
        )
        draw_key(axes, key, (0, 1), (2 - LEFT, 4 + keyed))
        _fit(axes, detectable)
        ends = []
        for place, system in enumerate(systems):
            course = detectable.filter(pl.col("system") == system).sort("n_queries")
            if has_values(course["detectable"]):
                look = _look(place)
                _draw_course(axes, course, look, banded=len(systems) <= _FEW)
                last = course.drop_nulls("detectable").row(-1, named=True)
                ends.append((labels[system], look["color"], float(last["detectable"])))
        _mark_pilot(axes, pilot, systems)
        if not key:
            label_ends(axes, ends)
    return chart


def _entry(place: int, system: str) -> KeyEntry:
    look = _look(place)
    return KeyEntry(fitted(system, current_page().width - 40), look["color"], look["linestyle"])


def _look(place: int) -> dict[str, Any]:
    if place < len(_COLORS):
        return {"color": _COLORS[place], "linestyle": _DASHES[place], "linewidth": 1.6}
    return {"color": GREY, "linestyle": "-", "linewidth": 0.8}


def _fit(axes: "Axes", detectable: pl.DataFrame) -> None:
    """Fit both axes, of factors: there the least difference falls in nearly a straight line."""
    sizes = detectable["n_queries"].unique().sort().to_list()
    axes.set_xscale("log")
    axes.set_yscale("log")
    room = 1.0 if len(sizes) > 1 else 1.5
    axes.set_xlim(sizes[0] / room, sizes[-1] * room)
    held = np.concatenate([drawable(detectable[name]) for name in _NUMBERS])
    low, high = np.nanmin(held), np.nanmax(held)
    axes.set_ylim(low / 1.15, high * 1.15)
    mark_factors(axes, [sizes[0], *_round_between(sizes[0], sizes[-1]), sizes[-1]])
    _mark_differences(axes)
    axes.set_xlabel(say("queries"))


def _round_between(low: float, high: float) -> list[int]:
    """Give the 1, 2, 5 and their tens, hundreds and so on that lie between two numbers."""
    steps = (digit * 10**power for power in range(12) for digit in (1, 2, 5))
    return [step for step in steps if low < step < high]


def _mark_differences(axes: "Axes") -> None:
    """Put round numbers on the upright axis, each with the decimals that it needs."""
    low, high = axes.get_ylim()
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    exact = [(digit, power) for power in powers for digit in (1, 2, 5)]
    places = {digit * 10.0**power: max(0, -power) for digit, power in exact}
    shown = {place: decimals for place, decimals in places.items() if low <= place <= high}
    axes.set_yticks(list(shown), labels=[f"{place:,.{n}f}" for place, n in shown.items()])
    axes.minorticks_off()


def _draw_course(axes: "Axes", course: pl.DataFrame, look: dict[str, Any], *, banded: bool) -> None:
    sizes = course["n_queries"].to_numpy()
    least, low, high = (drawable(course[name]) for name in _NUMBERS)
    if banded and len(sizes) > 1:
        axes.fill_between(sizes, low, high, color=look["color"], alpha=SHADE, linewidth=0)
    axes.plot(sizes, least, marker="." if len(sizes) == 1 else "", **look)


def _mark_pilot(axes: "Axes", pilot: pl.DataFrame, systems: Sequence[str]) -> None:
    """Mark the queries that there were, and what they can detect."""
    if pilot["n_queries"].n_unique() == 1:
        n_queries = pilot["n_queries"][0]
        axes.axvline(n_queries, color=inked(), linewidth=0.8, linestyle=(0, (2, 2)))
        at_right = place_of(axes, (n_queries, axes.get_ylim()[0]))[0] > _RIGHT
        look = (
            {"ha": "right", "offset": (-5, -3)} if at_right else {"ha": "left", "offset": (5, -3)}
        )
        at, within = (n_queries, 1), ("data", "axes fraction")
        words = say("{queries} so far", queries=counted(n_queries, "query", "queries"))
        note(axes, words, at, within, va="top", **look)
    for row in pilot.iter_rows(named=True):
        color = _look(systems.index(row["system"]))["color"]
        if row["detectable"] is not None:
            axes.plot(row["n_queries"], row["detectable"], "o", color=color, zorder=3)


def _size(row: Mapping[str, Any]) -> str:
    return number(row["detectable"], decimals(row["detectable"]))


def _in_words(detectable: pl.DataFrame, pilot: pl.DataFrame) -> Iterator[str]:
    """Say of each system what the queries there were show, and the most asked for."""
    for row in pilot.iter_rows(named=True):
        course = detectable.filter(pl.col("system") == row["system"]).drop_nulls("detectable")
        if course.is_empty():
            yield say("{name}, {found}", name=short(row["system"]), found=say(NO_SPREAD))
            continue
        last = course.sort("n_queries").row(-1, named=True)
        sizes = []
        if row["detectable"] is not None:
            n_queries, size = f"{row['n_queries']:,}", _size(row)
            sizes.append(say("{size} with the current {n}", size=size, n=n_queries))
        if last["n_queries"] != row["n_queries"]:
            n_queries, size = f"{last['n_queries']:,}", _size(last)
            sizes.append(say("{size} with {n}", size=size, n=n_queries))
        yield say("{name}, {found}", name=short(row["system"]), found=listed(sizes))
