"""Curves of many systems: a panel for each, so that none hides another."""

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankreport.charts.chart import BLUE, GREY, has_values, report_style
from rankreport.charts.curve_lines import (
    BAND,
    ENDS,
    about_band,
    draw_bands,
    mark_cutoffs,
    with_interval,
)
from rankreport.charts.curve_words import panels_in_words, told_at
from rankreport.charts.multiples import MOST_PANELS, mark_lowest, panel_grid
from rankreport.charts.panel import drawable, fit_height
from rankreport.charts.sentences import baseline_name
from rankreport.rendering.language import say
from rankreport.rendering.text import counted, number, percent, short, signed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankreport.charts.chart import Chart

_COLUMNS = 3
_HEIGHT = 84


def curve_panels(
    levels: pl.DataFrame,
    differences: pl.DataFrame | None,
    *,
    measure: str,
    baseline: str | None,
    confidence: float,
) -> "Chart":
    """Draw each system's difference to the baseline, or its level, in a panel of its own.

    The highest at the cut-off that is told come first; of more than twelve the others are counted.

    Parameters
    ----------
    levels, differences, measure, baseline, confidence
        As for `rankreport.charts.curves`; the frames have been checked, and hold numbers.
    """
    against = differences is not None and has_values(differences["delta"])
    name = "delta" if against else "mean"
    frame = differences if differences is not None and against else levels
    told = told_at(frame["k"].unique().sort().to_list())
    order = _highest_first(frame, name, told)
    shown, left_out = order[:MOST_PANELS], order[MOST_PANELS:]
    drawn = frame.filter(pl.col("system").is_in(shown))
    what = say("mean")
    if against:
        what = say("difference to {baseline}", baseline=baseline_name(baseline))
    words = [
        say(
            "{measure}: {what}, a panel per system, the highest at k = {k} first",
            measure=short(measure),
            what=what,
            k=told,
        ),
        say(
            "{own}, the others in grey",
            own=with_interval(say("in blue"), drawn, percent(confidence)),
        ),
    ]
    if against and (band := about_band(drawn)):
        words.append(band)
    if left_out:
        n = len(left_out)
        words.append(counted(n, "lower system is left out", "lower systems are left out"))
    chart = _drawn(drawn, shown, name, "\n".join(words), told)
    chart.alt = panels_in_words(
        frame,
        shown,
        name=name,
        left_out=len(left_out),
        measure=measure,
        baseline=baseline,
        confidence=confidence,
    )
    chart.data = drawn
    return chart


def _highest_first(frame: pl.DataFrame, name: str, told: int) -> list[str]:
    """Order the systems by their value at one cut-off; those without one come last."""
    at_told = frame.filter(pl.col("k") == told)
    best = at_told.sort(name, descending=True, nulls_last=True, maintain_order=True)["system"]
    return list(dict.fromkeys([*best, *frame["system"]]))


def _drawn(
    frame: pl.DataFrame, systems: "Sequence[str]", name: str, title: str, told: int
) -> "Chart":
    ks = frame["k"].unique().sort().to_list()
    courses = {system: frame.filter(pl.col("system") == system).sort("k") for system in systems}
    headings = [(system, _value(courses[system], name, told)) for system in systems]
    bands = [column for column in BAND if column in frame.columns]
    held = np.concatenate([drawable(frame[column]) for column in (name, *ENDS, *bands)])
    with report_style():
        chart, panels = panel_grid(title, headings, columns=_COLUMNS, height=_HEIGHT)
        for axes, system in zip(panels, systems, strict=True):
            fit_height(axes, held, zero=name == "delta")
            _draw_courses(axes, courses, system, name)
            mark_cutoffs(axes, ks)
        mark_lowest(panels, _COLUMNS, "k")
    return chart


def _value(course: pl.DataFrame, name: str, told: int) -> str:
    """Tell a system's value at one cut-off."""
    found = course.filter(pl.col("k") == told)[name].to_list()
    value = found[0] if found else None
    shown = signed(value) if name == "delta" else number(value, 3)
    return say("{value} at k = {k}", value=shown, k=told)


def _draw_courses(axes: "Axes", courses: dict[str, pl.DataFrame], spoken: str, name: str) -> None:
    """Draw one system in colour over the others in grey."""
    for system, course in courses.items():
        own = system == spoken
        if own:
            draw_bands(axes, course, BLUE)
        axes.plot(
            course["k"].to_numpy(),
            drawable(course[name]),
            color=BLUE if own else GREY,
            linewidth=1.6 if own else 0.5,
            marker="." if len(course) == 1 else "",
            zorder=2.5 if own else 2,
            label=short(system),
        )
